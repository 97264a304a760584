/* counts_test.c -- triangles and betweenness on small random graphs against matrices, natively and under every
 * scheduler, and their verifiers by mutation. */
#include <math.h>
#include <string.h>

#include <ordo/apps.h>
#include <ordo/memory.h>
#include <ordo/scheduler/scheduler.h>

#include "tests/common/suite.h"

enum { MAX_N = 40, MAX_M = 400, GRAPHS = 300 / BRIEFER, MOST_SCHEDULERS = 16 };

static ordo_u64 random_state;

static ordo_u32 random_below(ordo_u32 bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (ordo_u32)((random_state >> 33) % bound);
}

/* Loops, parallel edges and both directions occur; by seed few or many edges, some with a hub, some symmetrised, some
 * with weights. */
typedef struct world {
    ordo_u32 n, m;
    ordo_edge_entry edge[MAX_M];
    bool near[MAX_N][MAX_N];
    ordo_graph *graph;
} world;

static void make_world(world *w, ordo_u32 seed)
{
    *w = (world){0};
    random_state = seed;
    w->n = 1 + random_below(MAX_N);
    w->m = random_below(seed % 3 ? MAX_M : 2 * w->n);
    for (ordo_u32 e = 0; e < w->m; e++) {
        const ordo_u32 tail = seed % 4 == 1 && e % 2 ? 0 : random_below(w->n), head = random_below(w->n);
        w->edge[e] = (ordo_edge_entry){tail, head, 1 + random_below(9)};
        if (tail != head)
            w->near[tail][head] = w->near[head][tail] = true;
    }
    ck_assert_msg(!ordo_graph_from_edges(w->n, w->edge, w->m, seed % 5 ? ORDO_NONE : ORDO_U32,
                                         seed % 2 ? ORDO_SYMMETRISE : ORDO_AS_STORED, 1, &w->graph),
                  "%s", ordo_last_error());
}

static ordo_u64 count_triangles(const world *w, ordo_u64 *corner)
{
    ordo_u64 count = 0;
    memset(corner, 0, w->n * sizeof *corner);
    for (ordo_u32 u = 0; u < w->n; u++)
        for (ordo_u32 v = u + 1; v < w->n; v++)
            for (ordo_u32 x = v + 1; w->near[u][v] && x < w->n; x++)
                if (w->near[u][x] && w->near[v][x]) {
                    corner[u]++;
                    corner[v]++;
                    corner[x]++;
                    count++;
                }
    return count;
}

static void refuse(const world *w, const ordo_u64 *corner, const ordo_triangles_found *found)
{
    ck_assert_int_eq(ordo_triangles_verify(w->graph, corner, found, ORDO_VERIFY_AUTO), ORDO_ERR_VERIFY);
    ck_assert(ordo_last_error()[0]);
}

START_TEST(triangles_match_and_damage_is_refused)
{
    world w;
    make_world(&w, (ordo_u32)_i);
    ordo_u64 right[MAX_N], found_at[MAX_N];
    const ordo_u64 count = count_triangles(&w, right);
    const ordo_options options = {.threads = 1 + _i % 3};
    ordo_triangles_found found, whole;
    ordo_stats stats = {0};
    ck_assert_msg(!ordo_triangles(w.graph, &options, NULL, &whole, &stats), "%s", ordo_last_error());
    ck_assert_uint_eq(whole.triangles, count);
    ck_assert(isnan(whole.clustering));
    ck_assert_str_eq(stats.scheduler, "native");
    ordo_stats_free(&stats);
    ck_assert_msg(!ordo_triangles(w.graph, &options, found_at, &found, NULL), "%s", ordo_last_error());
    ck_assert_uint_eq(found.triangles, count);
    ck_assert_mem_eq(found_at, right, w.n * sizeof *right);
    ck_assert_msg(!ordo_triangles_verify(w.graph, right, &found, ORDO_VERIFY_AUTO), "%s", ordo_last_error());
    ck_assert_msg(!ordo_triangles_verify(w.graph, NULL, &whole, ORDO_VERIFY_AUTO), "%s", ordo_last_error());

    const ordo_u32 v = random_below(w.n);
    found_at[v]++;
    refuse(&w, found_at, &found);
    ordo_triangles_found wrong = whole;
    wrong.triangles++;
    refuse(&w, NULL, &wrong);
    wrong = whole;
    wrong.wedges++;
    refuse(&w, NULL, &wrong);
    wrong = whole;
    wrong.transitivity += 0.001;
    refuse(&w, NULL, &wrong);
    wrong = found;
    wrong.clustering += 0.001;
    refuse(&w, right, &wrong);
    ordo_graph_free(w.graph);
}
END_TEST

START_TEST(triangles_under_every_scheduler)
{
    world w;
    make_world(&w, 1000 + (ordo_u32)_i);
    ordo_u64 corner[MAX_N];
    const ordo_u64 count = count_triangles(&w, corner);
    const ordo_scheduler *list[MOST_SCHEDULERS];
    const size_t schedulers = ordo_schedulers(list, MOST_SCHEDULERS);
    for (size_t i = 0; i < schedulers; i++) {
        if (list[i]->pairings->needs & ORDO_BY_WEIGHT)
            continue;
        const ordo_options options = {.scheduler = list[i]->name, .threads = 2};
        ordo_triangles_found found;
        ordo_stats stats = {0};
        ck_assert_msg(!ordo_triangles(w.graph, &options, NULL, &found, &stats), "%s", ordo_last_error());
        ck_assert_uint_eq(found.triangles, count);
        ck_assert_str_eq(stats.scheduler, list[i]->name);
        ordo_stats_free(&stats);
        ck_assert_int_eq(ordo_triangles(w.graph, &options, corner, &found, NULL), ORDO_ERR_USAGE);
    }
    ordo_graph_free(w.graph);
}
END_TEST

/* Several chunks of rows and members; a hub, so that vertices are ordered by degree; and a mesh, where they are not. */
START_TEST(triangles_of_large_graphs)
{
    static const ordo_generate_options kinds[] = {
        {.kind = "kron", .scale = 13, .degree = 8}, {.kind = "mesh", .width = 25, .height = 20, .depth = 15},
        {.kind = "rmat", .scale = 12, .degree = 8}, {.kind = "complete", .vertices = 300},
        {.kind = "star", .vertices = 20000},        {.kind = "cliques", .vertices = 5000, .width = 20}};
    ordo_graph *g;
    ordo_triangles_found found;
    ck_assert_msg(!ordo_graph_generate(&kinds[_i], &g), "%s", ordo_last_error());
    const ordo_u64 n = ordo_graph_out(g)->n;
    ordo_u64 *corner = ordo_alloc(n, sizeof *corner);
    for (int threads = BRIEFER > 2 ? 4 : 1; threads <= 4; threads++) {
        const ordo_options options = {.threads = threads};
        ck_assert_msg(!ordo_triangles(g, &options, NULL, &found, NULL), "%s", ordo_last_error());
        ck_assert_msg(!ordo_triangles_verify(g, NULL, &found, ORDO_VERIFY_AUTO), "%s", ordo_last_error());
        ck_assert_msg(!ordo_triangles(g, &options, corner, &found, NULL), "%s", ordo_last_error());
        ck_assert_msg(!ordo_triangles_verify(g, corner, &found, ORDO_VERIFY_AUTO), "%s", ordo_last_error());
    }
    ordo_free(corner);
    ordo_graph_free(g);
}
END_TEST

/* ---- betweenness ---- */

/* For each pair the share of shortest paths that pass a vertex, by levels and numbers of paths between all pairs. */
typedef struct pairs {
    int level[MAX_N][MAX_N]; /* -1: no path */
    double paths[MAX_N][MAX_N];
} pairs;

static void count_paths(const ordo_csr *g, ordo_u32 source, int *level, double *paths)
{
    for (ordo_u32 v = 0; v < g->n; v++) {
        level[v] = v == source ? 0 : -1;
        paths[v] = v == source;
    }
    bool more = true;
    for (int depth = 0; more; depth++) {
        more = false;
        for (ordo_u32 u = 0; u < g->n; u++)
            for (ordo_eid e = g->row[u]; e < g->row[u + 1] && level[u] == depth; e++) {
                const ordo_vid v = g->head[e * g->stride];
                if (level[v] >= 0 && level[v] <= depth)
                    continue;
                level[v] = depth + 1;
                paths[v] += paths[u];
                more = true;
            }
    }
}

static void right_scores(const ordo_csr *g, const ordo_vid *source, ordo_u64 count, double *score)
{
    static pairs p;
    for (ordo_u32 v = 0; v < g->n; v++) {
        count_paths(g, v, p.level[v], p.paths[v]);
        score[v] = 0;
    }
    for (ordo_u64 i = 0; i < count; i++)
        for (ordo_u32 s = source[i], v = 0; v < g->n; v++)
            for (ordo_u32 t = 0; t < g->n; t++)
                if (v != s && v != t && p.level[s][v] >= 0 && p.level[v][t] >= 0 &&
                    p.level[s][v] + p.level[v][t] == p.level[s][t])
                    score[v] += p.paths[s][v] * p.paths[v][t] / p.paths[s][t];
}

static void check_scores(const world *w, const double *found, const double *right, double error)
{
    for (ordo_u32 v = 0; v < w->n; v++)
        ck_assert_msg(found[v] <= right[v] + 1e-9 && found[v] >= right[v] - error - 1e-9,
                      "vertex %u: %.17g, expected %.17g", v, found[v], right[v]);
}

START_TEST(betweenness_matches_and_damage_is_refused)
{
    world w;
    make_world(&w, 2000 + (ordo_u32)_i);
    const ordo_csr *g = ordo_graph_out(w.graph);
    ordo_vid source[MAX_N];
    const bool all = _i % 3 == 0;
    const ordo_u64 count = all ? w.n : (ordo_u32)_i % 4;
    for (ordo_u64 i = 0; i < count; i++)
        source[i] = all ? (ordo_vid)i : random_below(w.n);
    double right[MAX_N], found[MAX_N];
    ordo_betweenness_found about;
    ordo_stats stats = {0};
    const ordo_options options = {.threads = 1 + _i % 3};
    right_scores(g, source, count, right);
    ck_assert_msg(!ordo_betweenness(w.graph, all ? NULL : source, count, &options, found, &about, &stats), "%s",
                  ordo_last_error());
    ck_assert_str_eq(stats.scheduler, "native");
    ordo_stats_free(&stats);
    ck_assert_uint_eq(about.sources, count);
    ck_assert(about.error == 0);
    check_scores(&w, found, right, 0);
    ck_assert_msg(!ordo_betweenness_verify(w.graph, all ? NULL : source, count, found, 0, ORDO_VERIFY_AUTO), "%s",
                  ordo_last_error());
    found[random_below(w.n)] += 0.01;
    ck_assert_int_eq(ordo_betweenness_verify(w.graph, source, count, found, 0, ORDO_VERIFY_AUTO), ORDO_ERR_VERIFY);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "vertex "));
    source[0] = w.n;
    ck_assert_int_eq(ordo_betweenness(w.graph, source, 1, &options, found, &about, NULL), ORDO_ERR_USAGE);
    ck_assert_int_eq(ordo_betweenness_verify(w.graph, source, 1, found, 0, ORDO_VERIFY_AUTO), ORDO_ERR_USAGE);
    ordo_graph_free(w.graph);
}
END_TEST

START_TEST(betweenness_under_every_scheduler)
{
    world w;
    make_world(&w, 3000 + (ordo_u32)_i);
    const ordo_vid source[] = {random_below(w.n), random_below(w.n)};
    double right[MAX_N], found[MAX_N];
    const ordo_scheduler *list[MOST_SCHEDULERS];
    const size_t schedulers = ordo_schedulers(list, MOST_SCHEDULERS);
    right_scores(ordo_graph_out(w.graph), source, 2, right);
    for (size_t i = 0; i < schedulers; i++) {
        if (list[i]->pairings->needs & ORDO_BY_WEIGHT)
            continue;
        const ordo_options options = {.scheduler = list[i]->name, .threads = 2};
        ordo_betweenness_found about;
        ordo_stats stats = {0};
        ck_assert_msg(!ordo_betweenness(w.graph, source, 2, &options, found, &about, &stats), "%s", ordo_last_error());
        ck_assert_str_eq(stats.scheduler, list[i]->name);
        ordo_stats_free(&stats);
        check_scores(&w, found, right, about.error);
        ck_assert(about.error < 1e-9);
    }
    ordo_graph_free(w.graph);
}
END_TEST

/* Levels of many edges and of few, pushed and pulled, by several members. */
START_TEST(betweenness_of_large_graphs)
{
    static const ordo_generate_options kinds[] = {{.kind = "kron", .scale = 14, .degree = 8},
                                                  {.kind = "mesh", .width = 60, .height = 20, .depth = 10},
                                                  {.kind = "rmat", .scale = 13, .degree = 8},
                                                  {.kind = "urand", .scale = 14, .degree = 8},
                                                  {.kind = "cliques", .vertices = 5000, .width = 20},
                                                  {.kind = "path", .vertices = 5000},
                                                  {.kind = "road", .vertices = 20000}};
    ordo_graph *g;
    ordo_betweenness_found found;
    ck_assert_msg(!ordo_graph_generate(&kinds[_i], &g), "%s", ordo_last_error());
    const ordo_u64 n = ordo_graph_out(g)->n;
    const ordo_vid source[] = {0, (ordo_vid)(n / 2), (ordo_vid)(n - 1), 0};
    double *score = ordo_alloc(n, sizeof *score), *first = ordo_alloc(n, sizeof *first);
    for (int threads = 1; threads <= 4; threads += BRIEFER > 2 ? 3 : 1) {
        const ordo_options options = {.threads = threads};
        ck_assert_msg(!ordo_betweenness(g, source, 4, &options, score, &found, NULL), "%s", ordo_last_error());
        ck_assert_msg(!ordo_betweenness_verify(g, source, 4, score, 0, ORDO_VERIFY_AUTO), "%s", ordo_last_error());
        if (threads == 1)
            memcpy(first, score, n * sizeof *first);
        else if (found.most_paths < 0x1p53)
            ck_assert_mem_eq(first, score, n * sizeof *first); /* sums are in the order of rows */
    }
    ordo_free(score);
    ordo_free(first);
    ordo_graph_free(g);
}
END_TEST

/* Edges that are there twice, one after the other: 2^k paths. */
START_TEST(too_many_paths_are_refused)
{
    enum { MOST = 1100 };
    static ordo_edge_entry edge[2 * MOST];
    static double score[MOST + 1];
    const struct {
        ordo_u32 edges;
        const char *scheduler;
        ordo_status status;
    } rows[] = {
        {1000, NULL, ORDO_OK}, {MOST, NULL, ORDO_ERR_OVERFLOW}, {60, "bsp", ORDO_OK}, {64, "bsp", ORDO_ERR_OVERFLOW}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (ordo_u32 e = 0; e < 2 * rows[i].edges; e++)
            edge[e] = (ordo_edge_entry){e / 2, e / 2 + 1, 1};
        ordo_graph *g;
        ordo_betweenness_found found;
        const ordo_vid source = 0;
        const ordo_options options = {.scheduler = rows[i].scheduler, .threads = 2};
        ck_assert(!ordo_graph_from_edges(rows[i].edges + 1, edge, 2 * rows[i].edges, ORDO_NONE, ORDO_AS_STORED, 1, &g));
        ck_assert_int_eq(ordo_betweenness(g, &source, 1, &options, score, &found, NULL), rows[i].status);
        if (!rows[i].status) {
            ck_assert(found.most_paths == ldexp(1, (int)rows[i].edges));
            for (ordo_u32 v = 1; v < rows[i].edges; v++)
                ck_assert(fabs(score[v] - (rows[i].edges - v)) <= found.error + 1e-6);
        }
        ordo_graph_free(g);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("counts");
    TCase *tests = tcase_create("counts");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, triangles_match_and_damage_is_refused, 0, GRAPHS);
    tcase_add_loop_test(tests, triangles_under_every_scheduler, 0, 20);
    tcase_add_loop_test(tests, triangles_of_large_graphs, 0, 6);
    tcase_add_loop_test(tests, betweenness_matches_and_damage_is_refused, 0, GRAPHS);
    tcase_add_loop_test(tests, betweenness_under_every_scheduler, 0, 20);
    tcase_add_loop_test(tests, betweenness_of_large_graphs, 0, 7);
    tcase_add_test(tests, too_many_paths_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
