/* mst_test.c -- spanning forests on every family of graphs, with every type of weights, under every scheduler and sync
 * that is sound, against a naive Kruskal; and the verifier by mutation.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/apps.h>
#include <ordo/memory.h>
#include <ordo/scheduler/scheduler.h>

#include "apps/app.h"
#include "tests/common/families.h"
#include "tests/common/suite.h"

static const ordo_verify_how hows[] = {ORDO_VERIFY_SERIAL, ORDO_VERIFY_CERTIFICATE, ORDO_VERIFY_BOTH};
enum { HOWS = 3 };

/* ---- Kruskal, as plainly as can be ---- */

typedef struct naive_edge {
    double weight;
    ordo_eid id;
    ordo_vid u, v;
} naive_edge;

typedef struct naive {
    ordo_u64 edges;
    ordo_eid *edge; /* ascending */
    double weight;
} naive;

static int by_weight(const void *a, const void *b)
{
    const naive_edge *x = a, *y = b;
    if (x->weight < y->weight || y->weight < x->weight)
        return x->weight < y->weight ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static int by_id(const void *a, const void *b)
{
    ordo_eid x = *(const ordo_eid *)a, y = *(const ordo_eid *)b;
    return (x > y) - (x < y);
}

static double weight_of(const ordo_csr *g, ordo_eid e)
{
    ordo_u64 at = e * g->stride;
    switch (g->weight_type) {
    case ORDO_U32:
        return ((const ordo_u32 *)g->weight)[at];
    case ORDO_I32:
        return ((const ordo_i32 *)g->weight)[at];
    case ORDO_F32:
        return (double)((const ordo_f32 *)g->weight)[at];
    default:
        return 1;
    }
}

static naive naive_forest(const ordo_graph *graph)
{
    const ordo_csr *g = ordo_graph_out(graph);
    naive_edge *list = calloc(g->m + 1, sizeof *list);
    ordo_vid *tree = calloc((size_t)g->n + 1, sizeof *tree);
    naive a = {.edge = calloc((size_t)g->n + 1, sizeof *a.edge)};
    ck_assert(list && tree && a.edge);
    for (ordo_vid u = 0; u < g->n; u++) {
        tree[u] = u;
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++)
            list[e] = (naive_edge){weight_of(g, e), e, u, g->head[e * g->stride]};
    }
    qsort(list, g->m, sizeof *list, by_weight);
    for (ordo_eid i = 0; i < g->m; i++) {
        ordo_vid from = tree[list[i].u], to = tree[list[i].v];
        if (from == to)
            continue;
        for (ordo_vid v = 0; v < g->n; v++)
            tree[v] = tree[v] == from ? to : tree[v];
        a.edge[a.edges++] = list[i].id;
    }
    qsort(a.edge, a.edges, sizeof *a.edge, by_id);
    for (ordo_u64 i = 0; i < a.edges; i++)
        a.weight += weight_of(g, a.edge[i]);
    free(list);
    free(tree);
    return a;
}

static double sum_of(const ordo_forest *f)
{
    return f->type == ORDO_F32 ? f->weight.f32 : f->type == ORDO_I32 ? (double)f->weight.i32 : (double)f->weight.u32;
}

/* ---- graphs ---- */

/* weights: none, u32, all equal, i32 with negative ones, f32 with negative ones and both zeros */
enum { NONE, U32, EQUAL, I32, F32, WEIGHTS };

static ordo_graph *graph_for(const char *family, unsigned size, ordo_u64 seed, int weights, ordo_direction direction)
{
    static const ordo_type types[] = {ORDO_NONE, ORDO_U32, ORDO_U32, ORDO_I32, ORDO_F32};
    edge_list list;
    family_make(family, size, seed, &list);
    for (ordo_u64 e = 0; e < list.count; e++) {
        ordo_u32 *word = &list.edge[e].weight;
        ordo_i32 shifted = (ordo_i32)(*word % 16) - 8;
        ordo_f32 real = *word % 16 == 7 ? -0.0f : (ordo_f32)shifted / 8;
        if (weights == EQUAL)
            *word = 0xffffffffu;
        else if (weights == I32)
            memcpy(word, &shifted, sizeof *word);
        else if (weights == F32)
            memcpy(word, &real, sizeof *word);
        else if (seed % 2)
            *word %= 4; /* ties */
    }
    ordo_graph *g = NULL;
    ck_assert_msg(!ordo_graph_from_edges(list.n, list.edge, list.count, types[weights], direction, 1, &g), "%s",
                  ordo_last_error());
    family_free(&list);
    return g;
}

static ordo_forest check_one(const ordo_graph *g, const ordo_options *options, const naive *right, const char *what)
{
    ordo_u64 n = ordo_graph_out(g)->n;
    ordo_eid *edge = calloc(n + 1, sizeof *edge);
    ordo_forest f;
    ordo_stats stats = {0};
    ck_assert_msg(!ordo_mst(g, options, edge, &f, &stats), "%s: %s", what, ordo_last_error());
    ck_assert_msg(f.edges == right->edges && f.trees == n - right->edges, "%s: %llu edges, expected %llu", what,
                  (unsigned long long)f.edges, (unsigned long long)right->edges);
    for (ordo_u64 i = 0; i < f.edges; i++)
        ck_assert_msg(edge[i] == right->edge[i], "%s: edge %llu is %llu, expected %llu", what, (unsigned long long)i,
                      (unsigned long long)edge[i], (unsigned long long)right->edge[i]);
    ck_assert_msg(!(sum_of(&f) < right->weight || sum_of(&f) > right->weight), "%s: weight %.17g, expected %.17g", what,
                  sum_of(&f), right->weight);
    for (int h = 0; h < HOWS; h++)
        ck_assert_msg(!ordo_mst_verify(g, edge, &f, hows[h]), "%s: %s", what, ordo_last_error());
    ck_assert_str_eq(stats.scheduler, options->scheduler);
    ordo_stats_free(&stats);
    free(edge);
    return f;
}

/* ---- tests ---- */

static const int threads_of[] = {1, 2, 8};
static const unsigned sizes[] = {1, 2, 7, 40, 300};

START_TEST(forests_match_kruskal)
{
    const ordo_scheduler *schedulers[64];
    size_t count = ordo_schedulers(schedulers, 64);
    const char *family = family_names[_i];
    ordo_u64 runs = 0;
    const ordo_u64 every = SLOWER > 1 ? 3 : 1; /* no factor in common with WEIGHTS: so each of them is tried */
    for (ordo_u64 trial = 0; trial < WEIGHTS * 2 * 5; trial += every) {
        int weights = (int)(trial % WEIGHTS);
        ordo_direction direction = trial / WEIGHTS % 2 ? ORDO_SYMMETRISE : ORDO_AS_STORED;
        unsigned size = sizes[trial / WEIGHTS / 2];
        ordo_graph *g = graph_for(family, size, trial, weights, direction);
        naive right = naive_forest(g);
        for (size_t i = 0; i < count; i++)
            for (int sync = ORDO_SYNC_ATOMIC; sync < ORDO_SYNCS; sync++) {
                ordo_options options = {.scheduler = schedulers[i]->name,
                                        .sync = ordo_sync_name((ordo_sync)sync),
                                        .threads = threads_of[(trial + i + (ordo_u64)sync) % 3]};
                char what[160];
                ordo_u64 expected, at_most;
                ordo_status status = ordo_mst_memory(g, &options, &expected, &at_most);
                snprintf(what, sizeof what, "%s, size %u, weights %d, %s, %s, %s, %d threads", family, size, weights,
                         direction ? "symmetric" : "directed", options.scheduler, options.sync, options.threads);
                ck_assert_msg(!status || status == ORDO_ERR_UNSOUND, "%s: %s", what, ordo_last_error());
                if (status) { /* refused before anything is written */
                    ordo_eid edge = 99;
                    ordo_forest f = {.trees = 99};
                    ck_assert(ordo_mst(g, &options, &edge, &f, NULL) == ORDO_ERR_UNSOUND && edge == 99 &&
                              f.trees == 99);
                    continue;
                }
                check_one(g, &options, &right, what);
                runs++;
            }
        free(right.edge);
        ordo_graph_free(g);
    }
    ck_assert_uint_ge(runs, 7 * (WEIGHTS * 2 * 5 / every)); /* every scheduler with atomics or racily, at least */
}
END_TEST

/* Many edges a vertex: the lightest come first; several blocks, so that numbering goes over their borders. */
START_TEST(large_graphs_match_the_verifiers)
{
    static const struct {
        const char *kind;
        ordo_u32 scale, width, degree, high;
        ordo_direction direction;
    } large[] = {{"rmat", 13, 0, 16, 1000, ORDO_SYMMETRISE}, {"rmat", 13, 0, 16, 1000, ORDO_AS_STORED},
                 {"rmat", 12, 0, 24, 1, ORDO_SYMMETRISE},    {"grid", 0, 150, 0, 9, ORDO_AS_STORED},
                 {"urand", 12, 0, 12, 0, ORDO_AS_STORED},    {"mesh", 0, 60, 0, 0xffffffffu, ORDO_AS_STORED}};
    ordo_forest first = {0};
    for (int t = 0; t < 3; t++) {
        ordo_generate_options made = {.kind = large[_i].kind,
                                      .scale = large[_i].scale,
                                      .width = large[_i].width,
                                      .height = large[_i].width,
                                      .degree = large[_i].degree,
                                      .edges = {.high = large[_i].high, .seed = 5, .direction = large[_i].direction}};
        ordo_graph *g = NULL;
        ck_assert_msg(!ordo_graph_generate(&made, &g), "%s", ordo_last_error());
        ordo_u64 n = ordo_graph_out(g)->n, expected, at_most;
        ordo_eid *edge = calloc(n + 1, sizeof *edge);
        ordo_forest f;
        ordo_stats stats = {0};
        ordo_options options = {.threads = threads_of[t]};
        ck_assert(!ordo_mst_memory(g, &options, &expected, &at_most));
        ordo_u64 before = ordo_memory_now();
        ck_assert_msg(!ordo_mst(g, &options, edge, &f, &stats), "%s", ordo_last_error());
        ck_assert_uint_le(stats.peak_bytes - before, at_most);
        ck_assert_str_eq(stats.scheduler, "bsp");
        ck_assert(stats.run_seconds > 0 && stats.trace_count > 0 && stats.supersteps > 1);
        for (int h = 0; h < HOWS; h++)
            ck_assert_msg(!ordo_mst_verify(g, edge, &f, hows[h]), "%s", ordo_last_error());
        ck_assert(!t || (f.weight.u32 == first.weight.u32 && f.edges == first.edges && f.trees == first.trees));
        first = f;
        ordo_stats_free(&stats);
        free(edge);
        ordo_graph_free(g);
    }
}
END_TEST

START_TEST(damage_is_refused)
{
    const char *family = family_names[_i];
    for (int weights = 0; weights < WEIGHTS; weights++) {
        ordo_graph *g = graph_for(family, 30, 2, weights, weights % 2 ? ORDO_SYMMETRISE : ORDO_AS_STORED);
        ordo_u64 n = ordo_graph_out(g)->n, m = ordo_graph_out(g)->m, r = 7;
        ordo_options options = {.threads = 1};
        ordo_eid *edge = calloc(n + 1, sizeof *edge), *wrong = calloc(n + 1, sizeof *edge);
        ordo_forest f;
        ck_assert_msg(!ordo_mst(g, &options, edge, &f, NULL), "%s", ordo_last_error());
        for (int d = 0; d < 40; d++)
            for (int h = 0; h < HOWS; h++) {
                ordo_forest w = f;
                memcpy(wrong, edge, (n + 1) * sizeof *edge);
                if (d % 4 == 0)
                    w.weight.u32 ^= 1; /* a bit of any of the three */
                else if (d % 4 == 1)
                    w.trees++;
                else if (d % 4 == 2 && f.edges) { /* one too few, the numbers agreeing */
                    w.edges--;
                    w.trees++;
                    double lost = weight_of(ordo_graph_out(g), edge[f.edges - 1]);
                    if (f.type == ORDO_F32)
                        continue; /* the sum would have to be added again */
                    w.weight.u32 -= (ordo_u64)(int64_t)lost;
                } else if (f.edges && m) { /* another edge */
                    ordo_u64 at = next_random(&r) % f.edges;
                    wrong[at] = next_random(&r) % m;
                    if (wrong[at] == edge[at])
                        continue;
                    if (f.type != ORDO_F32)
                        w.weight.u32 += (ordo_u64)(int64_t)weight_of(ordo_graph_out(g), wrong[at]) -
                                        (ordo_u64)(int64_t)weight_of(ordo_graph_out(g), edge[at]);
                    qsort(wrong, f.edges, sizeof *wrong, by_id);
                } else {
                    continue;
                }
                ck_assert_int_eq(ordo_mst_verify(g, wrong, &w, hows[h]), ORDO_ERR_VERIFY);
            }
        free(edge);
        free(wrong);
        ordo_graph_free(g);
    }
}
END_TEST

/* Borrowed rows need not be sorted: ids still break ties. */
START_TEST(unsorted_rows)
{
    static const ordo_eid row[] = {0, 3, 6, 9, 12};
    static const ordo_vid head[] = {3, 1, 2, 3, 0, 2, 1, 3, 0, 2, 0, 1};
    ordo_graph *g = borrowed(&(ordo_csr){.n = 4, .m = 12, .row = row, .head = head, .stride = 1}, true);
    naive right = naive_forest(g);
    ordo_options options = {.scheduler = "bsp", .threads = 2};
    check_one(g, &options, &right, "unsorted rows");
    free(right.edge);
    ordo_graph_free(g);
}
END_TEST

START_TEST(bad_input_is_refused_in_one_line)
{
    const ordo_f32 odd[] = {NAN, INFINITY, -INFINITY};
    ordo_eid edge[4];
    ordo_forest f;
    for (int i = 0; i < 3; i++) {
        ordo_edge_entry list[] = {{0, 1, 0}, {1, 2, 0}};
        ordo_graph *g = NULL;
        memcpy(&list[1].weight, &odd[i], sizeof odd[i]);
        ck_assert(!ordo_graph_from_edges(3, list, 2, ORDO_F32, ORDO_AS_STORED, 1, &g));
        ck_assert_int_eq(ordo_mst(g, NULL, edge, &f, NULL), ORDO_ERR_INPUT);
        ck_assert_msg(strstr(ordo_last_error(), "edge 1 -> 2 has weight"), "%s", ordo_last_error());
        ordo_graph_free(g);
    }
    static const ordo_eid row[] = {0, 1, 2};
    static const ordo_vid head[] = {1, 0};
    static const ordo_u32 weight[] = {5, 3};
    ordo_graph *g = borrowed(
        &(ordo_csr){.n = 2, .m = 2, .row = row, .head = head, .weight = weight, .stride = 1, .weight_type = ORDO_U32},
        true);
    ck_assert_int_eq(ordo_mst(g, NULL, edge, &f, NULL), ORDO_ERR_INPUT);
    ck_assert_str_eq(ordo_last_error(),
                     "edge 1 -> 0 has no reverse of the same weight, in a graph said to be symmetric");
    ck_assert_int_eq(ordo_mst(g, NULL, NULL, &f, NULL), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_mst(NULL, NULL, edge, &f, NULL), ORDO_ERR_USAGE);
    ordo_graph_free(g);
}
END_TEST

/* Sums beyond 32 bits, and below 0. */
/* A path whose parents ascend to one root: members halve it from all ends at once, and interfere with each other. About
 * one such run in a hundred showed the mistake for which this test was written. */
START_TEST(long_chains_with_many_threads)
{
    enum { N = 20000, RUNS = 100 };
    ordo_edge_entry *edge = malloc(N * sizeof *edge);
    ordo_eid *forest = malloc(N * sizeof *forest);
    ck_assert(edge && forest);
    for (ordo_u32 i = 0; i < N - 1; i++)
        edge[i] = (ordo_edge_entry){i, i + 1, N - i};
    ordo_graph *g;
    ordo_options options = {.scheduler = "bsp", .threads = 16};
    ck_assert_msg(!ordo_graph_from_edges(N, edge, N - 1, ORDO_U32, ORDO_AS_STORED, 1, &g), "%s", ordo_last_error());
    for (int i = 0; i < RUNS / SLOWER; i++) {
        ordo_forest f;
        ck_assert_msg(!ordo_mst(g, &options, forest, &f, NULL), "run %d: %s", i, ordo_last_error());
        ck_assert_uint_eq(f.edges, N - 1);
        ck_assert_uint_eq(f.trees, 1);
        ordo_eid e = 0;
        while (e < N - 1 && forest[e] == e)
            e++;
        ck_assert_uint_eq(e, N - 1);
    }
    ordo_graph_free(g);
    free(edge);
    free(forest);
}
END_TEST

START_TEST(sums_are_of_64_bits)
{
    const ordo_edge_entry large[] = {{0, 1, 0xffffffffu}, {1, 2, 0xffffffffu}, {2, 0, 0xffffffffu}};
    const ordo_edge_entry least[] = {{0, 1, 0x80000000u}, {1, 2, 0x80000000u}, {2, 0, 5}};
    ordo_eid edge[3];
    ordo_forest f;
    ordo_graph *g = NULL;
    ck_assert(!ordo_graph_from_edges(3, large, 3, ORDO_U32, ORDO_AS_STORED, 1, &g));
    ck_assert(!ordo_mst(g, NULL, edge, &f, NULL));
    ck_assert(f.type == ORDO_U32 && f.weight.u32 == 0x1fffffffeu && f.trees == 1 && edge[0] == 0 && edge[1] == 1);
    ordo_graph_free(g);
    ck_assert(!ordo_graph_from_edges(3, least, 3, ORDO_I32, ORDO_SYMMETRISE, 1, &g));
    ck_assert(!ordo_mst(g, NULL, edge, &f, NULL));
    ck_assert(f.type == ORDO_I32 && f.weight.i32 == -0x100000000ll && f.edges == 2);
    ordo_graph_free(g);
}
END_TEST

START_TEST(cancelled_and_late)
{
    ordo_graph *g = graph_for("road", 300, 1, U32, ORDO_SYMMETRISE);
    volatile int cancel = 1;
    ordo_eid *edge = calloc(ordo_graph_out(g)->n, sizeof *edge);
    ordo_forest f;
    ordo_stats stats = {0};
    ordo_options options = {.threads = 2, .cancel = &cancel};
    ck_assert_int_eq(ordo_mst(g, &options, edge, &f, &stats), ORDO_ERR_CANCELLED);
    ordo_stats_free(&stats);
    options = (ordo_options){.threads = 2, .timeout = 1e-9};
    ck_assert_int_eq(ordo_mst(g, &options, edge, &f, &stats), ORDO_ERR_TIMEOUT);
    ordo_stats_free(&stats);
    free(edge);
    ordo_graph_free(g);
}
END_TEST

int main(void)
{
    int families = 0;
    while (family_names[families])
        families++;
    Suite *suite = suite_create("mst");
    TCase *tests = tcase_create("mst");
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, forests_match_kruskal, 0, families);
    tcase_add_loop_test(tests, large_graphs_match_the_verifiers, 0, 6);
    tcase_add_loop_test(tests, damage_is_refused, 0, families);
    tcase_add_test(tests, unsorted_rows);
    tcase_add_test(tests, bad_input_is_refused_in_one_line);
    tcase_add_test(tests, long_chains_with_many_threads);
    tcase_add_test(tests, sums_are_of_64_bits);
    tcase_add_test(tests, cancelled_and_late);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
