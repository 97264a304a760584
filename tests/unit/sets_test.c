/* sets_test.c -- strong components, independent sets and colourings of small random graphs against what must hold of
 * any answer, by definition; under every scheduler; and their verifiers by mutation. */
#include <stdlib.h>
#include <string.h>

#include <ordo/apps.h>
#include <ordo/memory.h>
#include <ordo/scheduler/scheduler.h>

#include "tests/common/families.h"
#include "tests/common/suite.h"

enum { SIZE = 40, MOST = 64, SEEDS = BRIEFER > 2 ? 2 : 6, MOST_SCHEDULERS = 16 };

/* A graph of a family; near: an edge in one direction, or the other where the graph is used as undirected. */
typedef struct world {
    edge_list list;
    ordo_graph *graph;
    ordo_u64 n;
    ordo_u8 *near, *reach; /* [n * n] */
} world;

static void make_world(world *w, const char *family, ordo_u64 seed)
{
    family_make(family, SIZE, seed, &w->list);
    w->graph = family_graph(&w->list, seed % 3 ? ORDO_NONE : ORDO_U32, seed % 2 ? ORDO_SYMMETRISE : ORDO_AS_STORED);
    const ordo_csr *g = ordo_graph_out(w->graph);
    w->n = g->n;
    w->near = calloc(w->n * w->n + 1, 1);
    w->reach = calloc(w->n * w->n + 1, 1);
    for (ordo_vid u = 0; u < g->n; u++) {
        w->reach[u * w->n + u] = 1;
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            const ordo_vid v = g->head[e * g->stride];
            w->near[u * w->n + v] = w->near[v * w->n + u] = u != v;
            w->reach[u * w->n + v] = 1;
        }
    }
    for (ordo_u64 k = 0; k < w->n; k++)
        for (ordo_u64 u = 0; u < w->n; u++)
            for (ordo_u64 v = 0; w->reach[u * w->n + k] && v < w->n; v++)
                w->reach[u * w->n + v] |= w->reach[k * w->n + v];
}

static void free_world(world *w)
{
    family_free(&w->list);
    ordo_graph_free(w->graph);
    free(w->near);
    free(w->reach);
}

static void check_components(const world *w, const ordo_u32 *component)
{
    for (ordo_u64 v = 0; v < w->n; v++) {
        ordo_u64 least = v;
        for (ordo_u64 u = 0; u < v; u++)
            if (w->reach[u * w->n + v] && w->reach[v * w->n + u] && u < least)
                least = u;
        ck_assert_uint_eq(component[v], least);
    }
}

static void check_members(const world *w, const ordo_u32 *member)
{
    for (ordo_u64 v = 0; v < w->n; v++) {
        bool covered = false;
        for (ordo_u64 u = 0; u < w->n; u++)
            covered |= w->near[u * w->n + v] && member[u];
        ck_assert_uint_eq(member[v], !covered);
    }
}

static void check_colours(const world *w, const ordo_u32 *colour)
{
    for (ordo_u64 v = 0; v < w->n; v++) {
        ordo_u64 neighbours = 0, smaller = 0;
        for (ordo_u64 u = 0; u < w->n; u++) {
            if (!w->near[u * w->n + v])
                continue;
            neighbours++;
            ck_assert_uint_ne(colour[u], colour[v]);
        }
        ck_assert_uint_le(colour[v], neighbours);
        for (ordo_u32 c = 0; c < colour[v]; c++) { /* no smaller colour is free */
            bool used = false;
            for (ordo_u64 u = 0; u < w->n; u++)
                used |= w->near[u * w->n + v] && colour[u] == c;
            smaller += used;
        }
        ck_assert_uint_eq(smaller, colour[v]);
    }
}

typedef ordo_status run_fn(const ordo_graph *g, const ordo_options *options, ordo_u32 *out, ordo_stats *stats);
typedef ordo_status verify_fn(const ordo_graph *g, const ordo_u32 *answer, ordo_verify_how how);
static const struct app {
    run_fn *run;
    verify_fn *verify;
    void (*check)(const world *w, const ordo_u32 *answer);
} apps[] = {{ordo_scc, ordo_scc_verify, check_components},
            {ordo_mis, ordo_mis_verify, check_members},
            {ordo_colour, ordo_colour_verify, check_colours}};
enum { APPS = sizeof apps / sizeof apps[0] };

/* One answer, whatever the scheduler; an answer with one other value is refused. */
static void try_app(const world *w, const struct app *app, ordo_u64 seed)
{
    const ordo_scheduler *list[MOST_SCHEDULERS];
    const size_t schedulers = ordo_schedulers(list, MOST_SCHEDULERS);
    ordo_u32 *first = calloc(w->n + 1, sizeof *first), *answer = calloc(w->n + 1, sizeof *answer);
    for (size_t i = 0; i <= schedulers; i++) {
        if (i && list[i - 1]->pairings->needs & ORDO_BY_WEIGHT)
            continue;
        const ordo_options options = {.scheduler = i ? list[i - 1]->name : NULL, .threads = 1 + (int)(seed + i) % 3};
        ordo_stats stats = {0};
        ck_assert_msg(!app->run(w->graph, &options, answer, &stats), "%s", ordo_last_error());
        ck_assert(!i || !strcmp(stats.scheduler, list[i - 1]->name));
        ordo_stats_free(&stats);
        if (!i)
            memcpy(first, answer, w->n * sizeof *first);
        ck_assert_mem_eq(first, answer, w->n * sizeof *first);
    }
    app->check(w, first);
    ck_assert_msg(!app->verify(w->graph, first, ORDO_VERIFY_AUTO), "%s", ordo_last_error());
    for (ordo_u64 v = 0; v < w->n; v++) {
        first[v] ^= 1;
        ck_assert_int_eq(app->verify(w->graph, first, ORDO_VERIFY_AUTO), ORDO_ERR_VERIFY);
        first[v] ^= 1;
    }
    free(first);
    free(answer);
}

START_TEST(answers_are_right)
{
    for (const char *const *family = family_names; *family; family++) {
        world w;
        make_world(&w, *family, (ordo_u64)_i);
        if (w.n <= MOST)
            try_app(&w, &apps[_i % APPS], (ordo_u64)_i / APPS);
        free_world(&w);
    }
}
END_TEST

/* Components that take several rounds, and more vertices than a pass gives to one thread. */
START_TEST(large_graphs)
{
    static const ordo_generate_options kinds[] = {
        {.kind = "rmat", .scale = 13, .degree = 3}, {.kind = "uniform", .vertices = 30000, .degree = 2},
        {.kind = "path", .vertices = 20000},        {.kind = "star", .vertices = 20000},
        {.kind = "kron", .scale = 12, .degree = 8}, {.kind = "cliques", .vertices = 5000, .width = 80}};
    ordo_graph *g;
    ck_assert_msg(!ordo_graph_generate(&kinds[_i], &g), "%s", ordo_last_error());
    ordo_u32 *answer = calloc(ordo_graph_out(g)->n, sizeof *answer);
    for (int a = 0; a < APPS; a++)
        for (int threads = BRIEFER > 2 ? 4 : 1; threads <= 4; threads += 3) {
            const ordo_options options = {.threads = threads};
            ck_assert_msg(!apps[a].run(g, &options, answer, NULL), "%s", ordo_last_error());
            ck_assert_msg(!apps[a].verify(g, answer, ORDO_VERIFY_AUTO), "%s", ordo_last_error());
        }
    free(answer);
    ordo_graph_free(g);
}
END_TEST

START_TEST(refusals_and_memory)
{
    ordo_graph *g;
    ordo_u32 answer[8], *none = NULL;
    const ordo_edge_entry edge[] = {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}, {2, 3, 1}};
    ck_assert_int_eq(ordo_graph_from_edges(5, edge, 4, ORDO_NONE, ORDO_AS_STORED, 1, &g), ORDO_OK);
    for (int a = 0; a < APPS; a++) {
        ck_assert_int_eq(apps[a].run(NULL, NULL, answer, NULL), ORDO_ERR_USAGE);
        ck_assert_int_eq(apps[a].run(g, NULL, none, NULL), ORDO_ERR_USAGE);
        ck_assert_int_eq(apps[a].verify(NULL, answer, ORDO_VERIFY_AUTO), ORDO_ERR_USAGE);
        ck_assert_int_eq(apps[a].verify(g, none, ORDO_VERIFY_AUTO), ORDO_ERR_USAGE);
        const ordo_options native = {.scheduler = "native"};
        ck_assert_int_ne(apps[a].run(g, &native, answer, NULL), ORDO_OK);
        const ordo_u64 before = ordo_memory_now();
        ordo_u64 k = 0;
        ordo_status status;
        const ordo_options one = {.threads = 1};
        do { /* each allocation fails once */
            ordo_memory_fail_after(++k);
            status = apps[a].run(g, &one, answer, NULL);
            ordo_memory_fail_after(0);
            ck_assert(!status || status == ORDO_ERR_MEMORY);
        } while (status && k < 1000);
        ck_assert_int_gt((int)k, 3);
        const ordo_u64 rows = ordo_memory_now() - before; /* reversed rows may be kept by the graph */
        ck_assert_msg(rows < 1000, "%llu bytes are left behind", (unsigned long long)rows);
    }
    ordo_graph_free(g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sets");
    TCase *tests = tcase_create("sets");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, answers_are_right, 0, APPS * SEEDS);
    tcase_add_loop_test(tests, large_graphs, 0, 6);
    tcase_add_test(tests, refusals_and_memory);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
