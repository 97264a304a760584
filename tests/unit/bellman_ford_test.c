/* bellman_ford_test.c -- shortest paths over weights of either sign, from one source and from each of a list, and
 * cycles of negative weight: against rounds over all edges, on thousands of small graphs, under every scheduler and
 * sync that is sound; on large graphs, with cycles that are far away and others of weight 0; sums that leave their
 * type; ends; and the verifier by mutation.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/ordo.h>
#include <ordo/scheduler/scheduler.h>

#include "tests/common/families.h"
#include "tests/common/pairs.h"
#include "tests/common/suite.h"

enum { MOST_PAIRS = 64 };
static const ordo_verify_how hows[] = {ORDO_VERIFY_AUTO, ORDO_VERIFY_SERIAL, ORDO_VERIFY_CERTIFICATE, ORDO_VERIFY_BOTH};

/* ---- graphs and answers ---- */

static double number(ordo_type type, ordo_u32 word)
{
    ordo_f32 real;
    memcpy(&real, &word, sizeof real);
    return type == ORDO_F32 ? (double)real : (double)(ordo_i32)word;
}

static ordo_u32 word_of(ordo_type type, double value)
{
    ordo_u32 word;
    const ordo_f32 real = (ordo_f32)value;
    const ordo_i32 whole = isinf(value) ? 0x7fffffff : (ordo_i32)value;
    memcpy(&word, type == ORDO_F32 ? (const void *)&real : &whole, sizeof word);
    return word;
}

/* An edge list as a graph of that type; weights are `weight`, [count]. */
static ordo_graph *graph_of(ordo_u64 n, const edge_list *list, const double *weight, ordo_type type)
{
    ordo_graph *g;
    ordo_edge_entry *edge = malloc((list->count + 1) * sizeof *edge);
    for (ordo_u64 i = 0; i < list->count; i++) {
        edge[i] = list->edge[i];
        edge[i].weight = word_of(type, weight[i]);
    }
    ck_assert_int_eq(ordo_graph_from_edges(n, edge, list->count, type, ORDO_AS_STORED, 1, &g), ORDO_OK);
    free(edge);
    return g;
}

typedef struct arc {
    ordo_vid tail, head;
    double weight;
} arc;

static ordo_graph *graph_of_arcs(ordo_u64 n, const arc *arcs, ordo_u64 count, ordo_type type)
{
    edge_list list = {n, count, malloc((count + 1) * sizeof *list.edge)};
    double *weight = malloc((count + 1) * sizeof *weight);
    for (ordo_u64 i = 0; i < count; i++) {
        list.edge[i] = (ordo_edge_entry){.tail = arcs[i].tail, .head = arcs[i].head};
        weight[i] = arcs[i].weight;
    }
    ordo_graph *g = graph_of(n, &list, weight, type);
    free(weight);
    free(list.edge);
    return g;
}

typedef struct result {
    ordo_u32 *dist;
    ordo_vid *pred, *nearest;
    ordo_cycle cycle;
    ordo_stats stats;
    ordo_path_answer answer;
} result;

static void result_make(ordo_u64 n, result *r)
{
    *r = (result){.dist = malloc((n + 1) * 4), .pred = malloc((n + 1) * 4), .nearest = malloc((n + 1) * 4)};
}

static void result_free(result *r)
{
    ordo_cycle_free(&r->cycle);
    free(r->dist);
    free(r->pred);
    free(r->nearest);
}

static ordo_status run(const ordo_graph *g, const ordo_path_query *q, const ordo_options *options, result *r)
{
    ordo_cycle_free(&r->cycle);
    r->answer = (ordo_path_answer){.value = r->dist, .pred = r->pred, .nearest = r->nearest, .stats = &r->stats};
    ordo_status status = ordo_bellman_ford(g, q, options, &r->answer, &r->cycle);
    if (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT)
        ordo_stats_free(&r->stats);
    return status;
}

/* Rounds over all edges, as the type rounds. Returns whether the n-th round still changes something. */
static bool rounds(const ordo_csr *g, const ordo_path_query *q, double *dist)
{
    bool changed = true;
    for (ordo_vid v = 0; v < g->n; v++)
        dist[v] = (double)INFINITY;
    for (ordo_u64 i = 0; i < q->source_count; i++)
        dist[q->sources[i]] = 0;
    for (ordo_u64 round = 0; changed && round <= g->n; round++) {
        changed = false;
        for (ordo_vid u = 0; u < g->n; u++)
            for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
                double c = dist[u] + number(g->weight_type, ((const ordo_u32 *)g->weight)[e * g->stride]);
                c = g->weight_type == ORDO_F32 ? (double)(ordo_f32)c : c;
                double *to = &dist[g->head[e * g->stride]];
                changed = changed || c < *to;
                *to = c < *to ? c : *to;
            }
    }
    return changed;
}

/* ---- every pair, on small graphs ---- */

typedef struct pair {
    const char *scheduler, *sync, *items;
} pair;

static int find_pairs(pair out[MOST_PAIRS])
{
    const ordo_scheduler *all[64];
    int count = 0;
    const size_t schedulers = ordo_schedulers(all, 64);
    for (size_t k = 0; k < schedulers; k++)
        for (int sync = 1; sync < ORDO_SYNCS; sync++)
            for (int item = ORDO_ITEMS_VERTICES; item <= ORDO_ITEMS_EDGES; item *= 2)
                if (count < MOST_PAIRS &&
                    pair_has_items(ordo_operator_find("bellman_ford_i32"), all[k], (ordo_sync)sync, "cpu", item))
                    out[count++] = (pair){all[k]->name, ordo_sync_name((ordo_sync)sync),
                                          item == ORDO_ITEMS_EDGES ? "edges" : NULL};
    return count;
}

/* Weights of kind 0: shifted by potentials, no cycle is negative; 1: also one or two low ones; 2: around 0. */
static void draw_weights(const edge_list *list, int kind, ordo_u64 *r, double *weight)
{
    double *shift = calloc(list->n + 1, sizeof *shift);
    for (ordo_u64 v = 0; v < list->n; v++)
        shift[v] = (double)(next_random(r) % 400);
    for (ordo_u64 i = 0; i < list->count; i++) {
        weight[i] = (double)list->edge[i].weight + shift[list->edge[i].head] - shift[list->edge[i].tail];
        if (kind == 2)
            weight[i] = (double)(next_random(r) % 7) - 1;
    }
    for (ordo_u64 k = 0; kind == 1 && list->count && k < 1 + next_random(r) % 2; k++)
        weight[next_random(r) % list->count] -= (double)(next_random(r) % 300);
    free(shift);
}

static void compare_with_rounds(const ordo_graph *g, const ordo_path_query *q, const result *r, const pair *p,
                                const char *family, ordo_u64 seed)
{
    const ordo_csr *rows = ordo_graph_out(g);
    double *right = malloc((rows->n + 1) * sizeof *right);
    const bool cyclic = rounds(rows, q, right);
    ck_assert_msg(cyclic == (r->cycle.length > 0), "%s/%s family %s seed %llu: cycle of length %llu, expected %s",
                  p->scheduler, p->sync, family, (unsigned long long)seed, (unsigned long long)r->cycle.length,
                  cyclic ? "one" : "none");
    for (ordo_vid v = 0; !cyclic && v < rows->n; v++)
        ck_assert_msg(r->dist[v] == word_of(rows->weight_type, right[v]),
                      "%s/%s family %s seed %llu vertex %u: %g, expected %g", p->scheduler, p->sync, family,
                      (unsigned long long)seed, v, number(rows->weight_type, r->dist[v]), right[v]);
    for (ordo_vid v = 0; cyclic && v < rows->n; v++)
        ck_assert(r->dist[v] == word_of(rows->weight_type, (double)INFINITY) && r->pred[v] == ORDO_NO_VERTEX &&
                  r->nearest[v] == ORDO_NO_VERTEX);
    free(right);
}

static void try_family(const char *family, ordo_u64 seed, const pair *p, ordo_u64 *cycles)
{
    ordo_u64 random = seed * 7919 + (ordo_u64)family[0];
    edge_list list;
    family_make(family, 1 + (unsigned)(next_random(&random) % 60), seed, &list);
    if (!list.n) {
        family_free(&list);
        return;
    }
    double *weight = malloc((list.count + 1) * sizeof *weight);
    draw_weights(&list, (int)(seed % 3), &random, weight);
    const ordo_type type = seed % 2 ? ORDO_I32 : ORDO_F32;
    ordo_graph *g = graph_of(list.n, &list, weight, type);
    ordo_vid sources[3];
    for (int i = 0; i < 3; i++)
        sources[i] = (ordo_vid)(next_random(&random) % list.n);
    const ordo_path_query q = {.sources = sources, .source_count = seed % 5 == 0 ? 3 : 1};
    const ordo_options options = {
        .scheduler = p->scheduler, .sync = p->sync, .items = p->items, .threads = 1 + (int)(seed % 3)};
    result r;
    result_make(list.n, &r);
    ck_assert_msg(run(g, &q, &options, &r) == ORDO_OK, "%s", ordo_last_error());
    compare_with_rounds(g, &q, &r, p, family, seed);
    for (size_t k = 0; k < sizeof hows / sizeof hows[0]; k++)
        ck_assert_msg(ordo_bellman_ford_verify(g, &q, &r.answer, &r.cycle, hows[k]) == ORDO_OK, "%s",
                      ordo_last_error());
    *cycles += r.cycle.length > 0;
    result_free(&r);
    ordo_graph_free(g);
    free(weight);
    family_free(&list);
}

START_TEST(every_pair)
{
    pair pairs[MOST_PAIRS];
    const int count = find_pairs(pairs);
    ordo_u64 cycles = 0, trials = 0;
    ck_assert_int_ge(count, 15); /* five of them with edges as items */
    for (ordo_u64 seed = 1; seed <= 120 / SLOWER; seed++)
        for (const char *const *family = family_names; *family; family++)
            try_family(*family, seed, &pairs[trials++ % (ordo_u64)count], &cycles);
    ck_assert_uint_gt(cycles, trials / 20);
    ck_assert_uint_lt(cycles, trials / 2);
}
END_TEST

/* ---- from each source of a list ---- */

static void check_rows(const ordo_graph *g, const ordo_path_query *q, const ordo_u32 *dist, const ordo_cycle *cycle)
{
    const ordo_csr *rows = ordo_graph_out(g);
    double *right = malloc((rows->n + 1) * sizeof *right);
    ck_assert(rounds(rows, q, right) == (cycle->length > 0));
    for (ordo_u64 i = 0; !cycle->length && i < q->source_count; i++) {
        const ordo_path_query from = {.sources = &q->sources[i], .source_count = 1};
        ck_assert(!rounds(rows, &from, right));
        for (ordo_vid v = 0; v < rows->n; v++)
            ck_assert_msg(dist[i * rows->n + v] == word_of(rows->weight_type, right[v]), "row %llu vertex %u",
                          (unsigned long long)i, v);
    }
    free(right);
}

START_TEST(each_source)
{
    ordo_u64 cycles = 0;
    for (ordo_u64 seed = 1; seed <= 60 / SLOWER; seed++)
        for (const char *const *family = family_names; *family; family += 3) {
            ordo_u64 random = seed * 104729 + (ordo_u64)(*family)[0];
            edge_list list;
            family_make(*family, 1 + (unsigned)(next_random(&random) % 40), seed, &list);
            double *weight = malloc((list.count + 1) * sizeof *weight);
            draw_weights(&list, (int)(seed % 3), &random, weight);
            for (ordo_u64 i = 0; seed % 7 == 0 && i < list.count; i++)
                weight[i] *= 2e6; /* shifted, these leave u32 */
            ordo_graph *g = graph_of(list.n, &list, weight, seed % 4 ? ORDO_I32 : ORDO_F32);
            ordo_vid sources[4];
            for (int i = 0; i < 4 && list.n; i++)
                sources[i] = (ordo_vid)(next_random(&random) % list.n);
            const ordo_path_query q = {.sources = sources, .source_count = 4};
            const ordo_options options = {.threads = 2};
            ordo_u32 *dist = malloc((4 * list.n + 1) * sizeof *dist), *pred = malloc((4 * list.n + 1) * sizeof *pred);
            const ordo_path_answer answer = {.value = dist, .pred = seed % 2 ? pred : NULL};
            ordo_cycle cycle = {0};
            if (list.n) {
                const ordo_status status = ordo_johnson(g, &q, &options, &answer, &cycle);
                ck_assert_msg(status == ORDO_OK || (seed % 7 == 0 && status == ORDO_ERR_OVERFLOW), "%s",
                              ordo_last_error());
                if (!status) {
                    check_rows(g, &q, dist, &cycle);
                    ck_assert_msg(ordo_johnson_verify(g, &q, &answer, &cycle, ORDO_VERIFY_BOTH) == ORDO_OK, "%s",
                                  ordo_last_error());
                    cycles += cycle.length > 0;
                }
            }
            ordo_cycle_free(&cycle);
            free(dist);
            free(pred);
            ordo_graph_free(g);
            free(weight);
            family_free(&list);
        }
    ck_assert_uint_gt(cycles, 5);
}
END_TEST

/* ---- large graphs ---- */

/* A path of n vertices whose k-th edge weighs (k mod 7) - 3, and what is added at its end. */
static ordo_graph *long_path(ordo_vid n, const arc *more, ordo_u64 count, ordo_type type)
{
    arc *arcs = malloc((n + count) * sizeof *arcs);
    for (ordo_vid v = 0; v + 1 < n; v++)
        arcs[v] = (arc){v, v + 1, (double)(v % 7) - 3};
    memcpy(arcs + n - 1, more, count * sizeof *more);
    ordo_graph *g = graph_of_arcs(n + 4, arcs, n - 1 + count, type);
    free(arcs);
    return g;
}

START_TEST(far_away)
{
    enum {
        LENGTH = 100000 / BRIEFER / (BRIEFER > 2 ? 4 : 1),
        N = LENGTH / 7 * 7 + 5 /* so that the cycle weighs -1 */
    };
    static const char *const schedulers[] = {"bsp",      "delta", "near_far",       "adds",      "inbox", "lock_server",
                                             "topology", "auto",  "topology/edges", "bsp/edges", "broker"};
    const arc none[] = {{N - 1, N, 1}, {N, N - 1, -1}, {N, N + 1, -5}, {N + 1, N, 5}};
    const arc one[] = {{N - 1, N, 1}, {N, N - 1, -1}, {N, N + 1, -5}, {N + 1, N - 9, 3}};
    const ordo_vid source = 0;
    const ordo_path_query q = {.sources = &source, .source_count = 1};
    result r;
    result_make(N + 4, &r);
    for (int k = 0; k < 22; k++) {
        const ordo_type type = k % 3 ? ORDO_I32 : ORDO_F32;
        char name[32];
        snprintf(name, sizeof name, "%s", schedulers[k / 2]);
        char *const slash = strchr(name, '/');
        if (slash)
            *slash = 0;
        const ordo_options options = {.scheduler = name, .items = slash ? "edges" : NULL, .threads = 2};
        ordo_graph *g = k % 2 ? long_path(N, one, 4, type) : long_path(N, none, 4, type);
        ck_assert_msg(run(g, &q, &options, &r) == ORDO_OK, "%s: %s", options.scheduler, ordo_last_error());
        ck_assert_msg((r.cycle.length > 0) == (k % 2 == 1), "%s", options.scheduler);
        if (k % 2 == 0)
            ck_assert_int_eq((ordo_i32)number(type, r.dist[N + 1]), (ordo_i32)number(type, r.dist[N - 1]) - 4);
        ck_assert_msg(ordo_bellman_ford_verify(g, &q, &r.answer, &r.cycle, ORDO_VERIFY_AUTO) == ORDO_OK, "%s",
                      ordo_last_error());
        ordo_graph_free(g);
    }
    result_free(&r);
}
END_TEST

/* ---- sums that leave their type ---- */

static const char *items_of_arcs; /* what items are in the runs of run_arcs */

static ordo_status run_arcs(const arc *arcs, ordo_u64 count, ordo_type type, result *r)
{
    const ordo_vid source = 0;
    const ordo_path_query q = {.sources = &source, .source_count = 1};
    const ordo_options options = {.threads = 2, .items = items_of_arcs};
    ordo_graph *g = graph_of_arcs(6, arcs, count, type);
    ordo_status status = run(g, &q, &options, r);
    if (!status)
        ck_assert_msg(ordo_bellman_ford_verify(g, &q, &r->answer, &r->cycle, ORDO_VERIFY_BOTH) == ORDO_OK, "%s",
                      ordo_last_error());
    ordo_graph_free(g);
    return status;
}

static void expect(const arc *arcs, ordo_u64 count, ordo_type type, ordo_status status, const char *words)
{
    result r;
    result_make(6, &r);
    ck_assert_int_eq(run_arcs(arcs, count, type, &r), status);
    ck_assert_msg(strstr(ordo_last_error(), words) != NULL, "%s", ordo_last_error());
    ck_assert_uint_eq(r.cycle.length, 0);
    result_free(&r);
}

START_TEST(overflow)
{
    result r;
    items_of_arcs = _i ? "edges" : NULL;
    result_make(6, &r);
    const arc low[] = {{0, 1, -2e9}, {1, 2, -147483647}};
    ck_assert_int_eq(run_arcs(low, 2, ORDO_I32, &r), ORDO_OK);
    ck_assert_int_eq((ordo_i32)r.dist[2], -2147483647);
    const arc too_low[] = {{0, 1, -2e9}, {1, 2, -147483648}};
    expect(too_low, 2, ORDO_I32, ORDO_ERR_OVERFLOW, "vertex 2: its distance, -2147483648, does not fit i32");
    const arc too_high[] = {{0, 1, 2e9}, {1, 2, 147483647}};
    expect(too_high, 2, ORDO_I32, ORDO_ERR_OVERFLOW, "edge 1 -> 2: distance 2000000000 + weight 147483647");
    const arc back[] = {{0, 1, 2e9}, {1, 2, 2e9}, {2, 3, -2e9}}; /* no wrong distance at vertex 3 */
    expect(back, 3, ORDO_I32, ORDO_ERR_OVERFLOW, "edge 1 -> 2");
    const arc low_and_back[] = {{0, 1, -2e9}, {1, 2, -2e9}, {2, 3, 2e9}};
    expect(low_and_back, 3, ORDO_I32, ORDO_ERR_OVERFLOW, "vertex 2: its distance, -4000000000");
    const arc circle[] = {{0, 1, -2e9}, {1, 2, -2e9}, {2, 1, -2e9}, {2, 3, 5}};
    ck_assert_int_eq(run_arcs(circle, 4, ORDO_I32, &r), ORDO_OK);
    ck_assert_uint_eq(r.cycle.length, 2);
    ck_assert_int_eq(r.cycle.whole, -4000000000ll);
    const arc loop[] = {{0, 1, 3}, {1, 1, -1}};
    ck_assert_int_eq(run_arcs(loop, 2, ORDO_I32, &r), ORDO_OK);
    ck_assert_uint_eq(r.cycle.length, 1);
    const arc infinite[] = {{0, 1, 3e38}, {1, 2, 3e38}};
    expect(infinite, 2, ORDO_F32, ORDO_ERR_OVERFLOW, "does not fit f32");
    const arc bottomless[] = {{0, 1, -3e38}, {1, 2, -3e38}};
    expect(bottomless, 2, ORDO_F32, ORDO_ERR_OVERFLOW, "does not fit f32");
    const arc nan[] = {{0, 1, 1}, {3, 4, (double)NAN}};
    expect(nan, 2, ORDO_F32, ORDO_ERR_INPUT, "edge 3 -> 4 has weight nan");
    result_free(&r);
}
END_TEST

/* Weights around a cycle whose sum is known exactly, however much they differ in size. */
START_TEST(exact_weights)
{
    result r;
    items_of_arcs = _i ? "edges" : NULL;
    result_make(6, &r);
    const arc tiny[] = {{0, 1, 1e30}, {1, 2, -1e30}, {2, 0, -0x1p-40}};
    ck_assert_int_eq(run_arcs(tiny, 3, ORDO_F32, &r), ORDO_OK);
    ck_assert_uint_eq(r.cycle.length, 3);
    ck_assert_double_eq(r.cycle.real, -0x1p-40);
    const arc hidden[] = {{0, 1, 0x1p30}, {1, 2, -1}, {2, 1, 0.5}}; /* rounding hides it: distances are a fixed point */
    ck_assert_int_eq(run_arcs(hidden, 3, ORDO_F32, &r), ORDO_OK);
    ck_assert_uint_eq(r.cycle.length, 0);
    result_free(&r);
}
END_TEST

/* ---- items that are edges ---- */

/* Distances of a graph of millions of cells and edges with hubs, and of one with long paths: the same as with vertices,
 * as wide as weights may be. */
START_TEST(edges_of_weights_of_every_type)
{
    static const ordo_type types[] = {ORDO_NONE, ORDO_F64, ORDO_I64};
    ordo_generate_options shape[] = {{.kind = "rmat", .scale = BRIEFER > 1 ? 10 : 12, .degree = 16},
                                     {.kind = "grid", .width = 60, .height = BRIEFER > 1 ? 20 : 60}};
    for (int k = 0; k < 6; k++) {
        ordo_graph *g;
        ordo_stats stats;
        const ordo_vid source = 1;
        const ordo_path_query q = {.sources = &source, .source_count = 1};
        ordo_generate_options *s = &shape[k / 3];
        s->edges = (ordo_edge_options){.low = 1, .high = 99, .seed = 7, .weight_type = types[k % 3]};
        ck_assert_msg(!ordo_graph_generate(s, &g), "%s", ordo_last_error());
        const ordo_vid n = ordo_graph_out(g)->n;
        ordo_u64 *dist[2] = {malloc(n * sizeof **dist), malloc(n * sizeof **dist)};
        for (int threads = 1; threads <= 8; threads *= 2)
            for (int i = 0; i < 3; i++) {
                ordo_cycle cycle = {0};
                const ordo_options options = {.threads = threads,
                                              .items = i ? "edges" : "vertices",
                                              .scheduler = i == 1   ? "topology"
                                                           : i == 2 ? "bsp"
                                                                    : NULL};
                const ordo_path_answer answer = {.value = dist[i > 0], .stats = &stats};
                ck_assert_msg(!ordo_bellman_ford(g, &q, &options, &answer, &cycle), "%s", ordo_last_error());
                ck_assert_str_eq(stats.item, options.items);
                ck_assert(i != 1 || stats.items <= stats.supersteps * ordo_graph_out(g)->m);
                ck_assert(i == 0 || stats.edges == stats.items);
                ordo_u64 expected, at_most;
                ck_assert(!ordo_bellman_ford_memory(g, &options, &expected, &at_most));
                ck_assert(expected <= at_most && (i != 2 || stats.peak_worklist_bytes <= at_most));
                ck_assert(i == 0 || stats.useful + 1 >= n / 2);
                ordo_stats_free(&stats);
                ck_assert_mem_eq(dist[0], dist[i > 0], n * ordo_type_bytes(ordo_sssp_type(g)));
            }
        free(dist[0]);
        free(dist[1]);
        ordo_graph_free(g);
    }
}
END_TEST

static void refused_as(const ordo_graph *g, const ordo_options *options, ordo_status status, const char *words)
{
    const ordo_vid source = 0;
    const ordo_path_query q = {.sources = &source, .source_count = 1};
    result r;
    result_make(6, &r);
    ck_assert_int_eq(run(g, &q, options, &r), status);
    ck_assert_msg(strstr(ordo_last_error(), words) != NULL, "%s", ordo_last_error());
    result_free(&r);
}

START_TEST(refused_items)
{
    const arc arcs[] = {{0, 1, 1}, {1, 2, -3}};
    static const char *const pull[] = {"direction=pull"};
    ordo_graph *g = graph_of_arcs(6, arcs, 2, ORDO_I32);
    ordo_options options = {.items = "edge"};
    refused_as(g, &options, ORDO_ERR_UNKNOWN, "items 'edge' are unknown, expected vertices or edges");
    options = (ordo_options){.items = "edges", .scheduler = "delta"};
    refused_as(
        g, &options, ORDO_ERR_UNSOUND,
        "scheduler 'delta' on device 'cpu' does not run 'bellman_ford_i32' with edges as items: its worklist there "
        "holds vertices and their cells; with edges: bsp, topology");
    for (int i = 0; i < 2; i++) {
        options =
            (ordo_options){.items = "edges", .scheduler = i ? "bsp" : "topology", .settings = pull, .setting_count = 1};
        refused_as(g, &options, ORDO_ERR_UNSOUND, "with direction=pull needs vertices as items");
    }
    options = (ordo_options){.items = "edges", .sync = "server"};
    refused_as(g, &options, ORDO_ERR_UNSOUND, "no scheduler can run 'bellman_ford_i32' as asked");
    options.items = "vertices";
    refused_as(g, &options, ORDO_ERR_UNSOUND, "does not offer sync 'server'");
    ordo_vid label[6];
    options = (ordo_options){.items = "edges"};
    ck_assert_int_eq(ordo_cc(g, &options, label, NULL), ORDO_ERR_UNSOUND);
    ck_assert_str_eq(ordo_last_error(), "operator 'cc' has no items that are edges: its items are vertices");
    options.scheduler = "native";
    ck_assert_int_eq(ordo_cc(g, &options, label, NULL), ORDO_ERR_UNSOUND);
    ck_assert_str_eq(ordo_last_error(), "the program of 'cc' has no items, found 'edges'; operators do");
    ordo_graph_free(g);
}
END_TEST

/* ---- other calls ---- */

START_TEST(types_that_are_not_negative)
{
    for (int kind = 0; kind < 2; kind++) {
        edge_list list;
        family_make("random", 50, 3, &list);
        ordo_graph *g = family_graph(&list, kind ? ORDO_U32 : ORDO_NONE, ORDO_AS_STORED);
        const ordo_vid source = 0;
        const ordo_path_query q = {.sources = &source, .source_count = 1};
        result r, same;
        result_make(list.n, &r);
        result_make(list.n, &same);
        ck_assert_int_eq(run(g, &q, NULL, &r), ORDO_OK);
        ck_assert_int_eq(ordo_sssp(g, 0, (double)INFINITY, NULL, same.dist, same.pred, NULL), ORDO_OK);
        ck_assert_mem_eq(r.dist, same.dist, list.n * 4);
        ck_assert_mem_eq(r.pred, same.pred, list.n * 4);
        ck_assert_int_eq(ordo_bellman_ford_verify(g, &q, &r.answer, &r.cycle, ORDO_VERIFY_BOTH), ORDO_OK);
        result_free(&r);
        result_free(&same);
        ordo_graph_free(g);
        family_free(&list);
    }
}
END_TEST

START_TEST(ends)
{
    const arc cycle[] = {{0, 1, 1}, {1, 2, -3}, {2, 0, 1}};
    const ordo_vid source = 0;
    const ordo_path_query q = {.sources = &source, .source_count = 1};
    ordo_graph *g = graph_of_arcs(6, cycle, 3, ORDO_I32);
    result r;
    result_make(6, &r);
    ordo_options options = {.timeout = 1e-9};
    ck_assert_int_eq(run(g, &q, &options, &r), ORDO_ERR_TIMEOUT);
    const volatile int cancel = 1;
    options = (ordo_options){.cancel = &cancel};
    ck_assert_int_eq(run(g, &q, &options, &r), ORDO_ERR_CANCELLED);
    options = (ordo_options){.scheduler = "fifo"};
    ck_assert_int_eq(run(g, &q, &options, &r), ORDO_ERR_UNKNOWN);
    options = (ordo_options){.threads = 1};
    const ordo_path_query limited = {.sources = &source, .source_count = 1, .limited = true, .limit = 4};
    ck_assert_int_eq(run(g, &limited, &options, &r), ORDO_ERR_USAGE);
    const ordo_vid none = 9;
    const ordo_path_query outside = {.sources = &none, .source_count = 1};
    ck_assert_int_eq(run(g, &outside, &options, &r), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_bellman_ford(g, &q, NULL, &r.answer, NULL), ORDO_ERR_USAGE);
    ordo_u64 k = 0, before = ordo_memory_now();
    ordo_status status;
    do {
        ordo_memory_fail_after(++k);
        status = run(g, &q, &options, &r);
        ordo_memory_fail_after(0);
        ck_assert(status == ORDO_OK || status == ORDO_ERR_MEMORY);
        ordo_cycle_free(&r.cycle);
        ck_assert_uint_eq(ordo_memory_now(), before);
    } while (status);
    ck_assert_uint_gt(k, 4);
    result_free(&r);
    ordo_graph_free(g);
}
END_TEST

/* ---- the verifier ---- */

static void rejects(const ordo_graph *g, const ordo_path_query *q, const result *r, ordo_verify_how how)
{
    ck_assert_int_eq(ordo_bellman_ford_verify(g, q, &r->answer, &r->cycle, how), ORDO_ERR_VERIFY);
}

START_TEST(wrong_distances)
{
    const ordo_vid source = 0;
    const ordo_path_query q = {.sources = &source, .source_count = 1};
    edge_list list;
    result r;
    ordo_u64 random = 5;
    family_make("random", 40, 1, &list);
    double *weight = malloc((list.count + 1) * sizeof *weight);
    draw_weights(&list, 0, &random, weight);
    ordo_graph *g = graph_of(list.n, &list, weight, ORDO_I32);
    result_make(list.n, &r);
    ck_assert_int_eq(run(g, &q, NULL, &r), ORDO_OK);
    for (ordo_vid v = 0; v < list.n; v++) {
        const ordo_u32 dist = r.dist[v], wrong[] = {dist + 1, dist - 1, 0x7fffffff};
        for (int i = 0; i < 3; i++) {
            r.dist[v] = wrong[i];
            for (int k = 0; k < 4 && wrong[i] != dist; k++)
                rejects(g, &q, &r, hows[k]);
        }
        r.dist[v] = dist;
        const ordo_vid pred = r.pred[v];
        r.pred[v] = pred == 3 ? 4 : 3;
        rejects(g, &q, &r, ORDO_VERIFY_AUTO);
        r.pred[v] = pred;
    }
    ck_assert_int_eq(ordo_bellman_ford_verify(g, &q, &r.answer, &r.cycle, ORDO_VERIFY_BOTH), ORDO_OK);
    result_free(&r);
    ordo_graph_free(g);
    free(weight);
    family_free(&list);
}
END_TEST

START_TEST(wrong_cycles)
{
    const arc arcs[] = {{0, 1, 4}, {1, 2, -3}, {2, 3, 1}, {3, 1, -2}, {3, 4, 2}, {5, 5, -1}};
    const ordo_vid source = 0;
    const ordo_path_query q = {.sources = &source, .source_count = 1};
    ordo_graph *g = graph_of_arcs(6, arcs, 6, ORDO_I32);
    result r;
    result_make(6, &r);
    ck_assert_int_eq(run(g, &q, NULL, &r), ORDO_OK);
    ordo_cycle *c = &r.cycle;
    ck_assert_uint_eq(c->length, 3);
    ck_assert_int_eq(c->whole, -4);
    ck_assert_int_eq(ordo_bellman_ford_verify(g, &q, &r.answer, c, ORDO_VERIFY_AUTO), ORDO_OK);
    for (int i = 0; i < 3; i++) {
        c->vertex[i] ^= 1;
        rejects(g, &q, &r, ORDO_VERIFY_AUTO);
        c->vertex[i] ^= 1;
        c->edge[i] ^= 1;
        rejects(g, &q, &r, ORDO_VERIFY_AUTO);
        c->edge[i] ^= 1;
    }
    c->whole++;
    rejects(g, &q, &r, ORDO_VERIFY_AUTO);
    c->whole--;
    c->length = 2;
    rejects(g, &q, &r, ORDO_VERIFY_AUTO);
    ordo_vid loop = 5;
    ordo_eid edge = 5;
    const ordo_cycle unreached = {.length = 1, .vertex = &loop, .edge = &edge, .type = ORDO_I32, .whole = -1};
    ck_assert_int_eq(ordo_bellman_ford_verify(g, &q, &r.answer, &unreached, ORDO_VERIFY_AUTO), ORDO_ERR_VERIFY);
    c->length = 0; /* distances are claimed: all unreached, so the source's is wrong */
    rejects(g, &q, &r, ORDO_VERIFY_AUTO);
    c->length = 3;
    result_free(&r);
    ordo_graph_free(g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bellman_ford");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 300);
    tcase_add_test(all, every_pair);
    tcase_add_test(all, each_source);
    tcase_add_test(all, far_away);
    tcase_add_loop_test(all, overflow, 0, 2);
    tcase_add_loop_test(all, exact_weights, 0, 2);
    tcase_add_test(all, edges_of_weights_of_every_type);
    tcase_add_test(all, refused_items);
    tcase_add_test(all, types_that_are_not_negative);
    tcase_add_test(all, ends);
    tcase_add_test(all, wrong_distances);
    tcase_add_test(all, wrong_cycles);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
