/* paths_test.c -- paths from several sources, and searches that end early: against one plain run from each source by an
 * algorithm of the test, under every scheduler; ties; how much an early end saves; the order of serial searches;
 * queries of flows and ranks; what is refused; and that the verifiers find wrong answers.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/ordo.h>
#include <ordo/scheduler/scheduler.h>

#include "tests/common/families.h"
#include "tests/common/suite.h"

enum { MOST = 64, SOURCES = 5, APPS = 3 };
enum app { SSSP, BFS, WIDEST };
static const char *const app_names[APPS] = {"sssp", "bfs", "widest"};
typedef ordo_status from_fn(const ordo_graph *, const ordo_path_query *, const ordo_options *,
                            const ordo_path_answer *);
typedef ordo_status verify_fn(const ordo_graph *, const ordo_path_query *, const ordo_path_answer *, ordo_verify_how);
static from_fn *const runs[APPS] = {ordo_sssp_from, ordo_bfs_from, ordo_widest_from};
static verify_fn *const verifiers[APPS] = {ordo_sssp_from_verify, ordo_bfs_from_verify, ordo_widest_from_verify};

/* ---- the reference ---- */

static double number(ordo_type type, ordo_u32 word)
{
    ordo_f32 real;
    memcpy(&real, &word, sizeof real);
    return type == ORDO_F32 ? (double)real : type == ORDO_I32 ? (double)(ordo_i32)word : (double)word;
}

/* Of an edge, in that app. */
static double weight_of(enum app app, const ordo_csr *g, ordo_eid e)
{
    return app == BFS || g->weight_type == ORDO_NONE ? 1 : number(g->weight_type, weight_word(g, e));
}

static double extend(enum app app, ordo_type type, double value, double weight)
{
    if (app == WIDEST)
        return value < weight ? value : weight;
    return type == ORDO_F32 && app == SSSP ? (double)((ordo_f32)value + (ordo_f32)weight) : value + weight;
}

static bool better(enum app app, double a, double b)
{
    return app == WIDEST ? a > b : a < b;
}

/* Best values from one source by repeated passes over all edges; unreached: infinite, of widths 0. */
static void best_from(enum app app, const ordo_csr *g, ordo_vid source, double *best)
{
    for (ordo_vid v = 0; v < g->n; v++)
        best[v] = app == WIDEST ? 0 : (double)INFINITY;
    best[source] = app == WIDEST ? (double)INFINITY : 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_vid u = 0; u < g->n; u++)
            for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
                const ordo_vid v = g->head[e * g->stride];
                const double value = extend(app, g->weight_type, best[u], weight_of(app, g, e));
                if (better(app, value, best[v])) {
                    best[v] = value;
                    changed = true;
                }
            }
    }
}

typedef struct answer {
    ordo_u32 value[MOST];
    ordo_vid pred[MOST], nearest[MOST];
} answer;

static double value_of(enum app app, ordo_type type, const answer *a, ordo_vid v)
{
    if (app == BFS || type == ORDO_NONE)
        type = ORDO_U32;
    const ordo_u32 none = type == ORDO_I32 ? (ordo_u32)ORDO_UNREACHED_I32 : ORDO_UNREACHED_U32;
    return type != ORDO_F32 && a->value[v] == none ? (double)INFINITY : number(type, a->value[v]);
}

/* Each value is the best of all sources, and `nearest` names one that has it; predecessors lead there. */
static void check_answer(enum app app, const ordo_csr *g, const ordo_vid *sources, ordo_u64 count, const answer *a)
{
    double each[SOURCES][MOST];
    for (ordo_u64 i = 0; i < count; i++)
        best_from(app, g, sources[i], each[i]);
    for (ordo_vid v = 0; v < g->n; v++) {
        double best = each[0][v];
        bool named = false;
        for (ordo_u64 i = 0; i < count; i++)
            best = better(app, each[i][v], best) ? each[i][v] : best;
        ck_assert_msg(value_of(app, g->weight_type, a, v) == best, "vertex %u: %g, expected %g", v,
                      value_of(app, g->weight_type, a, v), best);
        if (best == (app == WIDEST ? 0 : (double)INFINITY)) {
            ck_assert_uint_eq(a->nearest[v], ORDO_NO_VERTEX);
            continue;
        }
        for (ordo_u64 i = 0; i < count; i++)
            named |= a->nearest[v] == sources[i] && each[i][v] == best;
        ck_assert_msg(named, "vertex %u: source %u", v, a->nearest[v]);
        ordo_vid top = v;
        for (ordo_vid steps = 0; app != WIDEST && a->pred[top] != ORDO_NO_VERTEX; top = a->pred[top])
            ck_assert_uint_lt(steps++, g->n);
        if (app != WIDEST)
            ck_assert_uint_eq(a->nearest[v], top);
    }
}

/* ---- runs ---- */

static ordo_path_answer arrays_of(enum app app, answer *a)
{
    return (ordo_path_answer){.value = a->value, .pred = app == WIDEST ? NULL : a->pred, .nearest = a->nearest};
}

/* Every changed element must be found, by each method. */
static void check_verifier(enum app app, const ordo_graph *g, const ordo_path_query *query, answer *a)
{
    static const ordo_verify_how hows[] = {ORDO_VERIFY_SERIAL, ORDO_VERIFY_CERTIFICATE, ORDO_VERIFY_BOTH};
    const ordo_path_answer arrays = arrays_of(app, a);
    const ordo_vid n = ordo_graph_out(g)->n, v = n / 2;
    for (size_t h = 0; h < 3; h++) {
        ck_assert_msg(!verifiers[app](g, query, &arrays, hows[h]), "%s", ordo_last_error());
        const answer right = *a;
        a->value[v] ^= 1;
        ck_assert_int_eq(verifiers[app](g, query, &arrays, hows[h]), ORDO_ERR_VERIFY);
        *a = right;
        a->nearest[v] = a->nearest[v] == 0 ? 1 : 0;
        ck_assert_int_eq(verifiers[app](g, query, &arrays, hows[h]), ORDO_ERR_VERIFY);
        *a = right;
    }
}

START_TEST(test_several_sources)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_I32, ORDO_F32, ORDO_NONE};
    const enum app app = (enum app)_i;
    ordo_u64 random = 7 + (ordo_u64)_i;
    const ordo_scheduler *all[64];
    const size_t schedulers = ordo_schedulers(all, 64);
    size_t turn = 0;
    for (const char *const *name = family_names; *name; name++)
        for (unsigned round = 0; round < 8 / SLOWER; round++, turn++) {
            edge_list list;
            family_make(*name, 3 + (unsigned)(next_random(&random) % 24), next_random(&random), &list);
            ordo_graph *g = list.n && list.n <= MOST ? family_graph(&list, types[round % 4], ORDO_AS_STORED) : NULL;
            family_free(&list);
            if (!g)
                continue;
            const ordo_csr *rows = ordo_graph_out(g);
            ordo_vid sources[SOURCES];
            const ordo_u64 count = 1 + next_random(&random) % SOURCES;
            for (ordo_u64 i = 0; i < count; i++)
                sources[i] = (ordo_vid)(next_random(&random) % rows->n); /* some twice */
            const ordo_path_query query = {.sources = sources, .source_count = count};
            const ordo_options options = {.scheduler = all[turn % schedulers]->name, .threads = 1 + (int)(turn % 2)};
            answer a;
            const ordo_path_answer arrays = arrays_of(app, &a);
            ck_assert_msg(!runs[app](g, &query, &options, &arrays), "%s, %s, %s: %s", app_names[app], *name,
                          options.scheduler, ordo_last_error());
            check_answer(app, rows, sources, count, &a);
            check_verifier(app, g, &query, &a);
            ordo_graph_free(g);
        }
}
END_TEST

/* Vertex 2 is as near to 0 as to 4; the smaller predecessor decides, and with it the source. On widths, where all edges
 * are equal, hops decide, and then the smaller source. */
START_TEST(test_ties)
{
    const ordo_u32 tail[] = {0, 1, 4, 3}, head[] = {1, 2, 3, 2};
    const ordo_edge_arrays arrays = {
        .n = 5, .count = 4, .tail = tail, .head = head, .weight_type = ORDO_U32, .weight = (ordo_u32[]){2, 2, 2, 2}};
    ordo_graph *g;
    ck_assert_msg(!ordo_graph_from_arrays(&arrays, &g), "%s", ordo_last_error());
    const ordo_path_query query = {.sources = (ordo_vid[]){4, 0, 4}, .source_count = 3};
    for (int app = 0; app < APPS; app++) {
        ordo_vid nearest[5];
        ordo_u32 value[5];
        const ordo_path_answer wanted = {.value = value, .nearest = nearest}; /* sources without predecessors */
        ck_assert_msg(!runs[app](g, &query, NULL, &wanted), "%s", ordo_last_error());
        ck_assert_uint_eq(nearest[2], 0);
        ck_assert_uint_eq(nearest[3], 4);
        ck_assert_uint_eq(nearest[0], 0);
    }
    ordo_graph_free(g);
}
END_TEST

/* ---- an early end ---- */

static int compare_values(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Where a search that knows everything would end. */
static double end_of(const ordo_path_query *q, const double *best, ordo_vid n)
{
    double sorted[MOST], target = q->target_count ? 0 : (double)INFINITY;
    memcpy(sorted, best, n * sizeof *best);
    qsort(sorted, n, sizeof *sorted, compare_values);
    for (ordo_u64 i = 0; i < q->target_count; i++)
        target = fmax(target, best[q->targets[i]]);
    return q->stop_after && q->stop_after <= n ? fmin(target, sorted[q->stop_after - 1]) : target;
}

static void check_end(enum app app, const ordo_graph *g, const ordo_path_query *query, const ordo_options *options)
{
    const ordo_csr *rows = ordo_graph_out(g);
    double best[MOST], one[MOST], within = -1;
    answer a;
    ordo_path_answer arrays = arrays_of(app, &a);
    arrays.within = &within;
    for (ordo_vid v = 0; v < rows->n; v++)
        best[v] = (double)INFINITY;
    for (ordo_u64 i = 0; i < query->source_count; i++) {
        best_from(app, rows, query->sources[i], one);
        for (ordo_vid v = 0; v < rows->n; v++)
            best[v] = one[v] < best[v] && (!query->limited || one[v] <= query->limit) ? one[v] : best[v];
    }
    const double end = end_of(query, best, rows->n);
    ck_assert_msg(!runs[app](g, query, options, &arrays), "%s: %s", options->scheduler, ordo_last_error());
    ck_assert_msg(within == end, "%s, %s: ends at %g, expected %g", app_names[app], options->scheduler, within, end);
    for (ordo_vid v = 0; v < rows->n; v++)
        ck_assert_msg(value_of(app, rows->weight_type, &a, v) == (best[v] <= end ? best[v] : (double)INFINITY),
                      "%s, %s: vertex %u: %g, expected %g up to %g", app_names[app], options->scheduler, v,
                      value_of(app, rows->weight_type, &a, v), best[v], end);
    ck_assert_msg(!verifiers[app](g, query, &arrays, ORDO_VERIFY_BOTH), "%s", ordo_last_error());
    within = isinf(end) ? 1e6 : end + 1; /* not where it ended */
    ck_assert_int_eq(verifiers[app](g, query, &arrays, ORDO_VERIFY_BOTH), ORDO_ERR_VERIFY);
}

/* Under every scheduler, with weights of every type, also 0, targets that cannot be reached, and a limit. */
START_TEST(test_early_end)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_I32, ORDO_F32, ORDO_NONE};
    const enum app app = _i ? BFS : SSSP;
    ordo_u64 random = 11 + (ordo_u64)_i;
    const ordo_scheduler *all[64];
    const size_t schedulers = ordo_schedulers(all, 64);
    size_t turn = 0;
    for (const char *const *name = family_names; *name; name++)
        for (unsigned round = 0; round < 16 / SLOWER; round++, turn++) {
            edge_list list;
            family_make(*name, 3 + (unsigned)(next_random(&random) % 24), next_random(&random), &list);
            ordo_graph *g = list.n && list.n <= MOST ? family_graph(&list, types[round % 4], ORDO_AS_STORED) : NULL;
            family_free(&list);
            if (!g)
                continue;
            const ordo_vid n = ordo_graph_out(g)->n;
            ordo_vid vertices[4];
            for (int i = 0; i < 4; i++)
                vertices[i] = (ordo_vid)(next_random(&random) % n);
            const ordo_u64 how = next_random(&random);
            const ordo_path_query query = {.sources = vertices,
                                           .source_count = 1 + how % 2,
                                           .targets = vertices + 2,
                                           .target_count = how / 2 % 3,
                                           .stop_after = how / 2 % 3 && how / 8 % 2 ? 0 : 1 + how / 16 % n,
                                           .limited = how / 1024 % 4 == 0,
                                           .limit = (double)(how / 4096 % 200)};
            const ordo_options options = {.scheduler = all[turn % schedulers]->name, .threads = 1 + (int)(turn % 2)};
            check_end(app, g, &query, &options);
            ordo_graph_free(g);
        }
}
END_TEST

/* The end is early in fact: on a grid, near targets and few vertices cost a small part of the items of a full search,
 * and a far one not many more than that. */
START_TEST(test_early_end_saves)
{
    enum { SIDE = 300, N = SIDE * SIDE };
    const ordo_generate_options grid = {
        .kind = "grid", .width = SIDE, .height = SIDE, .edges = {.low = 50, .high = 99}};
    ordo_graph *g;
    ck_assert(!ordo_graph_generate(&grid, &g));
    ordo_u32 *value = malloc(N * sizeof *value);
    ck_assert_ptr_nonnull(value);
    const ordo_vid source = N / 2 + SIDE / 2, near = source + 10, far = 0;
    const ordo_path_query queries[] = {{.sources = &source, .source_count = 1},
                                       {.sources = &source, .source_count = 1, .targets = &near, .target_count = 1},
                                       {.sources = &source, .source_count = 1, .stop_after = 500},
                                       {.sources = &source, .source_count = 1, .targets = &far, .target_count = 1}};
    static const char *const named[] = {"delta", "near_far", "bsp"};
    for (size_t s = 0; s < 3; s++) {
        ordo_u64 items[4];
        for (size_t q = 0; q < 4; q++) {
            double within;
            ordo_stats stats;
            const ordo_options options = {.scheduler = named[s], .threads = 2};
            const ordo_path_answer wanted = {.value = value, .stats = &stats, .within = &within};
            ck_assert_msg(!ordo_sssp_from(g, &queries[q], &options, &wanted), "%s", ordo_last_error());
            items[q] = stats.items;
            ordo_stats_free(&stats);
        }
        ck_assert_msg(items[1] * 5 < items[0] && items[2] * 5 < items[0] && items[3] < 2 * items[0],
                      "%s: %llu items, near target %llu, 500 vertices %llu, far target %llu", named[s],
                      (unsigned long long)items[0], (unsigned long long)items[1], (unsigned long long)items[2],
                      (unsigned long long)items[3]);
    }
    free(value);
    ordo_graph_free(g);
}
END_TEST

START_TEST(test_refused)
{
    const ordo_u32 tail[] = {0, 1}, head[] = {1, 2};
    ordo_graph *g;
    ck_assert(!ordo_graph_from_arrays(&(ordo_edge_arrays){.n = 3, .count = 2, .tail = tail, .head = head}, &g));
    ordo_u32 value[3] = {7, 7, 7};
    ordo_vid pred[3];
    const ordo_path_answer arrays = {.value = value};
    ordo_path_answer later = arrays;
    later.reserved[4] = 1;
    ordo_path_query good = {.sources = (ordo_vid[]){0, 2}, .source_count = 2}, query = good;
    ordo_options options = {.reserved = {[0] = 3}};
    for (int app = 0; app < APPS; app++) {
        const ordo_path_query bad[] = {{.sources = NULL, .source_count = 2},
                                       {.sources = good.sources},
                                       {.sources = (ordo_vid[]){0, 3}, .source_count = 2},
                                       {.sources = good.sources, .source_count = 2, .reserved = {1}},
                                       {.sources = good.sources, .source_count = 2, .limited = true, .limit = -1},
                                       {.sources = good.sources, .source_count = 2, .limited = true, .limit = NAN}};
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
            ck_assert_int_eq(runs[app](g, &bad[i], NULL, &arrays), ORDO_ERR_USAGE);
            ck_assert_int_eq(verifiers[app](g, &bad[i], &arrays, ORDO_VERIFY_AUTO), ORDO_ERR_USAGE);
        }
        ck_assert_int_eq(runs[app](g, &bad[2], NULL, &arrays), ORDO_ERR_USAGE);
        ck_assert_str_eq(ordo_last_error(), "source 1 of the list, 3, is no vertex: the graph has 3, numbered from 0");
        ck_assert_int_eq(runs[app](g, &good, NULL, &later), ORDO_ERR_USAGE);
        ck_assert_str_eq(ordo_last_error(), "ordo_path_answer: found 1 in reserved[4], expected 0");
        ck_assert_int_eq(runs[app](g, &good, &options, &arrays), ORDO_ERR_USAGE);
        ck_assert_str_eq(ordo_last_error(), "ordo_options: found 3 in reserved[0], expected 0");
        ck_assert_int_eq(runs[app](NULL, &good, NULL, &arrays), ORDO_ERR_USAGE);
        ck_assert_int_eq(runs[app](g, NULL, NULL, &arrays), ORDO_ERR_USAGE);
        ck_assert_int_eq(runs[app](g, &good, NULL, NULL), ORDO_ERR_USAGE);
        ck_assert_int_eq(runs[app](g, &good, NULL, &(ordo_path_answer){.pred = NULL}), ORDO_ERR_USAGE);
    }
    ck_assert_int_eq(ordo_widest_from(g, &good, NULL, &(ordo_path_answer){.value = value, .pred = pred}),
                     ORDO_ERR_USAGE);
    query.limited = true;
    ck_assert_int_eq(ordo_widest_from(g, &query, NULL, &arrays), ORDO_ERR_USAGE);
    double within = 7;
    const ordo_path_answer ends = {.value = value, .within = &within};
    ordo_path_query early = good;
    early.stop_after = 1;
    ck_assert_int_eq(ordo_sssp_from(g, &early, NULL, &arrays), ORDO_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "within is NULL"));
    ck_assert_int_eq(ordo_widest_from(g, &early, NULL, &ends), ORDO_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "widest paths do not end early"));
    early.targets = (ordo_vid[]){3};
    early.target_count = 1;
    ck_assert_int_eq(ordo_bfs_from(g, &early, NULL, &ends), ORDO_ERR_USAGE);
    ck_assert_str_eq(ordo_last_error(), "target 3 is no vertex: the graph has 3, numbered from 0");
    early.targets = NULL;
    ck_assert_int_eq(ordo_bfs_from(g, &early, NULL, &ends), ORDO_ERR_USAGE);
    ck_assert(within == 7);
    ck_assert(value[0] == 7 && value[1] == 7 && value[2] == 7);                        /* refused: untouched */
    ck_assert_msg(!ordo_sssp_from(g, &query, NULL, &arrays), "%s", ordo_last_error()); /* a limit of 0: the sources */
    ck_assert(value[0] == 0 && value[1] == ORDO_UNREACHED_U32 && value[2] == 0);
    ordo_graph_free(g);
}
END_TEST

/* Each failing allocation gives ORDO_ERR_MEMORY and leaves nothing behind. */
START_TEST(test_memory)
{
    const ordo_u32 tail[] = {0, 1}, head[] = {1, 2};
    ordo_graph *g;
    ck_assert(!ordo_graph_from_arrays(&(ordo_edge_arrays){.n = 3, .count = 2, .tail = tail, .head = head}, &g));
    ordo_u32 value[3];
    ordo_vid nearest[3];
    double within;
    ordo_path_query query = {.sources = (ordo_vid[]){0, 2}, .source_count = 2};
    const ordo_path_answer wanted = {.value = value, .nearest = nearest, .within = &within};
    const ordo_options options = {.threads = 1};
    for (int app = 0; app < APPS; app++) {
        query.stop_after = app == WIDEST ? 0 : 3;
        ordo_status status = ORDO_ERR_MEMORY;
        ck_assert(!runs[app](g, &query, &options, &wanted)); /* what is kept for later runs is there now */
        const ordo_u64 before = ordo_memory_now();
        for (ordo_u64 failing = 1; status == ORDO_ERR_MEMORY; failing++) {
            ck_assert_uint_lt(failing, 1000);
            ordo_memory_fail_after(failing);
            status = runs[app](g, &query, &options, &wanted);
            ordo_memory_fail_after(0);
            ck_assert_uint_eq(ordo_memory_now(), before);
        }
        ck_assert_int_eq(status, ORDO_OK);
    }
    ordo_graph_free(g);
}
END_TEST

/* ---- queries of flows and ranks ---- */

START_TEST(test_flow_and_ranks)
{
    const ordo_u32 tail[] = {0, 0, 1, 2, 1}, head[] = {1, 2, 3, 3, 2}, weight[] = {5, 2, 3, 9, 1};
    ordo_graph *g;
    ck_assert(!ordo_graph_from_arrays(
        &(ordo_edge_arrays){.n = 4, .count = 5, .tail = tail, .head = head, .weight_type = ORDO_U32, .weight = weight},
        &g));
    ordo_u64 flow[5];
    ordo_u8 side[4];
    ordo_flow result, again;
    const ordo_flow_answer cut = {.flow = flow, .side = side, .result = &result};
    ordo_flow_query query = {.terminals = true, .sink = 3};
    ck_assert_msg(!ordo_maxflow_from(g, &query, NULL, &cut), "%s", ordo_last_error());
    ck_assert_uint_eq(result.value, 6);
    ck_assert(!ordo_maxflow(g, 0, 3, NULL, NULL, NULL, side, &again, NULL) && again.value == 6);
    ck_assert(!ordo_maxflow_from_verify(g, &query, &cut, ORDO_VERIFY_BOTH));
    flow[0]++;
    ck_assert_int_eq(ordo_maxflow_from_verify(g, &query, &cut, ORDO_VERIFY_BOTH), ORDO_ERR_VERIFY);
    ck_assert_int_eq(ordo_maxflow_from(g, NULL, NULL, &cut), ORDO_ERR_USAGE); /* the graph names no terminals */
    ck_assert_int_eq(ordo_maxflow_from(g, &query, NULL, NULL), ORDO_ERR_USAGE);
    query.how.reserved[0] = 1;
    ck_assert_int_eq(ordo_maxflow_from(g, &query, NULL, &cut), ORDO_ERR_USAGE);
    ck_assert_str_eq(ordo_last_error(), "ordo_flow_options: found 1 in reserved[0], expected 0");
    query = (ordo_flow_query){.reserved = {2}};
    ck_assert_int_eq(ordo_maxflow_from(g, &query, NULL, &cut), ORDO_ERR_USAGE);

    double rank[4], right[4];
    ordo_ranks ranks, expected;
    const ordo_rank_answer all = {.rank = rank, .ranks = &ranks};
    const ordo_options options = {.threads = 1};
    ck_assert_msg(!ordo_pagerank_of(g, NULL, &options, &all), "%s", ordo_last_error());
    ck_assert(!ordo_pagerank(g, 0.85, 1e-6, &options, right, &expected, NULL));
    for (int v = 0; v < 4; v++)
        ck_assert(rank[v] == right[v]); /* the defaults */
    ck_assert(!ordo_pagerank_of_verify(g, NULL, &all, ORDO_VERIFY_BOTH));
    rank[1] += 0.01;
    ck_assert_int_eq(ordo_pagerank_of_verify(g, NULL, &all, ORDO_VERIFY_BOTH), ORDO_ERR_VERIFY);
    ck_assert_int_eq(ordo_pagerank_of(g, &(ordo_rank_query){.damping = 1}, NULL, &all), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_pagerank_of(g, &(ordo_rank_query){.reserved = {1}}, NULL, &all), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_pagerank_of(g, NULL, NULL, NULL), ORDO_ERR_USAGE);
    ordo_graph_free(g);
}
END_TEST

/* ---- the order of serial searches ---- */

/* Dijkstra's algorithm by looking for the least of all entries, the earlier one of two that are equal. */
static ordo_u64 taken_in_turn(enum app app, const ordo_csr *g, const ordo_vid *sources, ordo_u64 count, ordo_vid *order,
                              ordo_vid *pred)
{
    double dist[MOST];
    ordo_u64 entered[MOST], clock = 0, taken = 0;
    bool done[MOST] = {false};
    for (ordo_vid v = 0; v < g->n; v++) {
        dist[v] = (double)INFINITY;
        pred[v] = ORDO_NO_VERTEX;
    }
    for (ordo_u64 i = 0; i < count; i++)
        if (dist[sources[i]] > 0) {
            dist[sources[i]] = 0;
            entered[sources[i]] = clock++;
        }
    for (;;) {
        ordo_vid u = ORDO_NO_VERTEX;
        for (ordo_vid v = 0; v < g->n; v++)
            if (!done[v] && isfinite(dist[v]) &&
                (u == ORDO_NO_VERTEX || dist[v] < dist[u] || (dist[v] == dist[u] && entered[v] < entered[u])))
                u = v;
        if (u == ORDO_NO_VERTEX)
            return taken;
        done[u] = true;
        order[taken++] = u;
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            const ordo_vid v = g->head[e * g->stride];
            if (dist[u] + weight_of(app, g, e) < dist[v]) {
                dist[v] = dist[u] + weight_of(app, g, e);
                entered[v] = clock++;
                pred[v] = u;
            }
        }
    }
}

static void sort_by_dist(ordo_vid *order, ordo_u64 count, const ordo_u32 *dist)
{
    for (ordo_u64 i = 1; i < count; i++)
        for (ordo_u64 j = i; j && dist[order[j]] < dist[order[j - 1]]; j--) {
            const ordo_vid v = order[j];
            order[j] = order[j - 1];
            order[j - 1] = v;
        }
}

START_TEST(test_orders)
{
    for (ordo_u64 seed = 1; seed <= 40; seed++) {
        const ordo_generate_options made = {.kind = "urand",
                                            .scale = 5,
                                            .degree = 1 + (ordo_u32)(seed % 4),
                                            .edges = {.low = (ordo_u32)(seed & 1), .high = 3, .seed = seed}};
        ordo_graph *g;
        ck_assert_msg(!ordo_graph_generate(&made, &g), "%s", ordo_last_error());
        const ordo_csr *rows = ordo_graph_out(g);
        const ordo_vid sources[] = {7, 3, 7};
        const ordo_path_query query = {.sources = sources, .source_count = 1 + 2 * (seed % 2)};
        ordo_vid order[MOST], right[MOST], pred[MOST], parent[MOST];
        ordo_u32 dist[MOST];
        ordo_u64 count, reached = taken_in_turn(BFS, rows, sources, query.source_count, right, parent);
        ordo_path_answer a = {.value = dist, .pred = pred};
        ck_assert_msg(!ordo_bfs_order(g, &query, &a, order, &count), "%s", ordo_last_error());
        ck_assert_uint_eq(count, reached);
        ck_assert(!memcmp(order, right, count * sizeof *order) && !memcmp(pred, parent, rows->n * sizeof *pred));
        ck_assert_msg(!ordo_sssp_from(g, &query, NULL, &(ordo_path_answer){.value = dist}), "%s", ordo_last_error());
        reached = taken_in_turn(SSSP, rows, sources, query.source_count, right, parent);
        ck_assert_uint_eq(count, reached);
        sort_by_dist(order, count, dist);
        ck_assert_msg(!ordo_sssp_order(g, &query, &a, order, count), "%s", ordo_last_error());
        ck_assert(!memcmp(order, right, count * sizeof *order) && !memcmp(pred, parent, rows->n * sizeof *pred));

        const ordo_vid far = order[count - 1];
        dist[far] += 99; /* no tight edge leads there any more */
        ck_assert(count < 2 || ordo_sssp_order(g, &query, &a, order, count) == ORDO_ERR_USAGE);
        order[0] = far;
        ck_assert(count < 2 || ordo_sssp_order(g, &query, &a, order, count) == ORDO_ERR_USAGE);
        ck_assert_int_eq(ordo_bfs_order(g, &query, &a, NULL, &count), ORDO_ERR_USAGE);
        a.nearest = pred;
        ck_assert_int_eq(ordo_bfs_order(g, &query, &a, order, &count), ORDO_ERR_USAGE);
        ordo_graph_free(g);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("paths");
    TCase *tests = tcase_create("several sources");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, test_several_sources, 0, APPS);
    tcase_add_test(tests, test_ties);
    tcase_add_loop_test(tests, test_early_end, 0, 2);
    tcase_add_test(tests, test_early_end_saves);
    tcase_add_test(tests, test_refused);
    tcase_add_test(tests, test_memory);
    tcase_add_test(tests, test_flow_and_ranks);
    tcase_add_test(tests, test_orders);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
