/* limits_test.c -- what bounds a run: a time limit within a superstep, work where buckets are far too wide, and the
 * order of work of operators that do not say one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ordo/ordo.h>
#include <ordo/scheduler/scheduler.h>

#include "tests/common/families.h"
#include "limits/slow_sections.h"
#include "tests/common/settings.h"
#include "tests/common/suite.h"
#define ORDO_WEIGHT u32
#include "operators/sssp.h"
#include "operators/widest.h"

extern const ordo_operator slow_edges_operator, slow_sections_operator, widest_operator, unordered_i32_operator,
    unordered_f32_operator, unordered_u64_operator, signed_least_operator;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- a time limit within a superstep ---- */

/* A limit of LIMIT seconds ends a run that takes many, whatever it does then, in less than LATEST: far more than it
 * takes, for loaded machines, and far less than one superstep of what is run here takes. */
#ifdef ORDO_TEST_QUICK
#define LIMIT 0.05 /* some 130 runs wait for it */
#else
#define LIMIT 0.1
#endif
static const double LATEST = 1.1;

static void ends_in_time(const ordo_work *work, ordo_options options, const char *what)
{
    const char *taken[4];
    options.setting_count = settings_taken(options.scheduler, options.settings, options.setting_count, taken);
    options.settings = taken;
    options.timeout = LIMIT;
    const double begin = seconds();
    const ordo_status status = ordo_run(work, &options, NULL);
    const double took = seconds() - begin;
    ck_assert_msg(status == ORDO_ERR_TIMEOUT, "%s, %s, %d threads: %s after %g s, expected a timeout",
                  options.scheduler, what, options.threads, ordo_status_name(status), took);
    char sentence[64];
    snprintf(sentence, sizeof sentence, "did not end within %g s: superstep ", LIMIT);
    ck_assert_msg(strstr(ordo_last_error(), sentence), "'%s'", ordo_last_error());
    ck_assert_msg(took < LATEST, "%s, %s, %d threads: ended after %g s", options.scheduler, what, options.threads,
                  took);
}

static const struct {
    const char *scheduler, *sync, *settings[3];
} relax_runs[] = {
    {"bsp", "atomic", {"direction=push"}},
    {"bsp", "atomic", {"direction=pull"}},
    {"bsp", "lock", {"chunk=65536"}},
    {"bsp", "racy", {NULL}},
    {"near_far", "atomic", {NULL}},
    {"near_far", "lock", {"chunk=65536"}},
    {"delta", "atomic", {NULL}},
    {"delta", "atomic", {"delta=1e18", "chain=1000000000", "chunk=65536"}},
    {"delta", "lock", {"chain=0"}},
    {"topology", "racy", {"direction=push", "chunk=1000000000"}},
    {"topology", "atomic", {NULL}},
    {"topology", "racy", {"direction=pull", "chunk=1000000000"}},
    {"adds", "atomic", {NULL}},
    {"adds", "atomic", {"grain=16384", "grain_min=16384", "manager=dedicated"}},
    {"adds", "lock", {"pool=1"}},
    {"inbox", "atomic", {NULL}},
    {"inbox", "atomic", {"chunk=65536", "delta=1e18"}},
    {"broker", "atomic", {NULL}},
    {"broker", "lock", {"batch=65536", "stage=65536", "ring=1"}},
    {"horizon", "atomic", {NULL}},
    {"horizon", "atomic", {"pull=0", "chunk=1024", "piece=1048576"}},
    {"lock_server", "server", {NULL}},
    {"lock_server", "server", {"chunk=65536", "roles=apart"}},
};

/* From all vertices, so that all edges are processed in the first superstep, and from one vertex, from which most of
 * the graph is two edges away. */
START_TEST(relax_operators_end_within_a_superstep)
{
    ordo_graph *graph;
    ordo_generate_options make = {
        .kind = "rmat", .scale = 16, .degree = 16, .edges.low = 1, .edges.high = 1, .edges.seed = 1};
    ck_assert_msg(!ordo_graph_generate(&make, &graph), "%s", ordo_last_error());
    const ordo_csr *g = ordo_graph_out(graph);
    ordo_u32 *cells = malloc(g->n * sizeof *cells);
    ordo_item source = 0;
    for (ordo_vid v = 1; v < g->n; v++)
        if (g->row[v + 1] - g->row[v] > g->row[source + 1] - g->row[source])
            source = v;
    for (int all = 0; all < 2; all++)
        for (int threads = 1; threads < 3; threads++) {
            for (ordo_vid v = 0; v < g->n; v++)
                cells[v] = all || v == source ? 0 : 0xffffffffu;
            ordo_work work = {.op = &slow_edges_operator,
                              .graph = graph,
                              .cells = cells,
                              .num_items = g->n,
                              .targets = g->n,
                              .initial = all ? NULL : &source,
                              .initial_count = 1};
            ordo_options options = {.scheduler = relax_runs[_i].scheduler,
                                    .sync = relax_runs[_i].sync,
                                    .threads = threads,
                                    .settings = relax_runs[_i].settings};
            while (options.setting_count < 3 && relax_runs[_i].settings[options.setting_count])
                options.setting_count++;
            ends_in_time(&work, options, all ? "all vertices" : "one vertex");
        }
    free(cells);
    ordo_graph_free(graph);
}
END_TEST

static const struct {
    const char *scheduler, *sync, *settings[2];
    ordo_u32 targets_each;
} critical_runs[] = {
    {"bsp", "lock", {"chunk=65536"}, 2},
    {"bsp", "owner", {"chunk=65536"}, 2},
    {"near_far", "lock", {"chunk=65536"}, 2},
    {"delta", "lock", {"chunk=65536"}, 2},
    {"topology", "lock", {"chunk=1000000000"}, 2},
    {"topology", "owner", {"chunk=1000000000"}, 2},
    {"adds", "lock", {"grain=16384"}, 2},
    {"inbox", "lock", {"chunk=65536"}, 2},
    {"broker", "lock", {"batch=65536"}, 2},
    {"lock_server", "server", {"chunk=65536"}, 1},
    {"lock_server", "server", {"chunk=65536", "ring=1048576"}, 1},
    {"lock_server", "server", {"chunk=65536"}, 2},
    {"lock_server", "server", {"chunk=65536", "roles=apart"}, 2},
};

START_TEST(critical_operators_end_within_a_superstep)
{
    enum { ITEMS = 2000000, TARGETS = 1000 };
    static ordo_u32 runs[TARGETS];
    slow_sections_state state = {TARGETS, critical_runs[_i].targets_each, runs};
    for (int threads = 1; threads < 4; threads++) {
        ordo_work work = {.op = &slow_sections_operator, .state = &state, .num_items = ITEMS, .targets = TARGETS};
        ordo_options options = {.scheduler = critical_runs[_i].scheduler,
                                .sync = critical_runs[_i].sync,
                                .threads = threads,
                                .settings = critical_runs[_i].settings};
        while (options.setting_count < 2 && critical_runs[_i].settings[options.setting_count])
            options.setting_count++;
        ends_in_time(&work, options, "sections");
    }
}
END_TEST

/* ---- work in buckets that are far too wide ---- */

/* A square grid; of a hundred edges one is very heavy, so that the mean weight is, and buckets are as wide as the
 * graph. */
static ordo_graph *heavy_grid(ordo_u32 side)
{
    ordo_u64 random = 1;
    edge_list list = {.n = (ordo_u64)side * side};
    list.edge = malloc(4 * list.n * sizeof *list.edge);
    for (ordo_u32 v = 0; v < list.n; v++)
        for (int down = 0; down < 2; down++) {
            if (down ? v / side + 1 == side : v % side + 1 == side)
                continue;
            const ordo_u32 to = v + (down ? side : 1), drawn = (ordo_u32)(next_random(&random) % 10000);
            ordo_edge_entry e = {.tail = v, .head = to};
            e.weight = drawn < 100 ? 4000000000u : 1 + drawn % 100;
            list.edge[list.count++] = e;
            e.tail = to;
            e.head = v;
            list.edge[list.count++] = e;
        }
    ordo_graph *graph = family_graph(&list, ORDO_U32, ORDO_AS_STORED);
    free(list.edge);
    return graph;
}

/* Runs an app's operator from vertex 0; items processed. Fails where that takes more than a minute. */
static ordo_u64 items_of(const ordo_graph *graph, bool widest, const ordo_options *options, ordo_u32 *cells)
{
    ordo_options limited = *options;
    const char *taken[4];
    limited.settings = taken;
    limited.setting_count = settings_taken(options->scheduler, options->settings, options->setting_count, taken);
    limited.timeout = 60;
    ordo_stats stats = {0};
    ordo_status status = widest ? ordo_widest(graph, 0, &limited, cells, &stats)
                                : ordo_sssp(graph, 0, (double)INFINITY, &limited, cells, NULL, &stats);
    char settings[256] = "";
    for (size_t i = 0; i < options->setting_count; i++)
        snprintf(settings + strlen(settings), sizeof settings - strlen(settings), " %s", options->settings[i]);
    ck_assert_msg(!status, "%s, %d threads,%s: %s", options->scheduler, options->threads, settings, ordo_last_error());
    const ordo_u64 items = stats.items;
    ordo_stats_free(&stats);
    return items;
}

/* Passes over a bucket are in order and workers in step: as much work as delta-stepping's, times a little. */
START_TEST(inbox_work_is_bounded)
{
    enum { TIMES = 4 };
    for (int widest = 0; widest < 2; widest++) {
        ordo_generate_options road = {.kind = "road", .vertices = 60000, .edges.seed = 3};
        ordo_graph *graph = NULL;
        if (widest)
            ck_assert_msg(!ordo_graph_generate(&road, &graph), "%s", ordo_last_error());
        else
            graph = heavy_grid(300);
        const ordo_vid n = ordo_graph_out(graph)->n;
        ordo_u32 *expected = malloc(n * sizeof *expected), *cells = malloc(n * sizeof *cells);
        ordo_u64 random = 7;
        for (int trial = 0; trial < 8 / SLOWER; trial++) {
            static const int chunks[] = {1, 7, 256, 65536}, rings[] = {1, 64, 4096};
            char chunk[32], ring[32], window[32], delta[40];
            snprintf(chunk, sizeof chunk, "chunk=%d", chunks[next_random(&random) % 4]);
            snprintf(ring, sizeof ring, "ring=%d", rings[next_random(&random) % 3]);
            snprintf(window, sizeof window, "window=%d", (int)(next_random(&random) % 28));
            static const char *const widths[] = {"0", "50", "3000", "1000000", "1e18"};
            snprintf(delta, sizeof delta, "delta=%s", widths[next_random(&random) % 5]);
            const char *settings[] = {delta, chunk, ring, window};
            ordo_options options = {.scheduler = "delta", .threads = 1, .settings = settings, .setting_count = 1};
            const ordo_u64 right = items_of(graph, widest, &options, expected);
            options.scheduler = "inbox";
            options.setting_count = trial < 2 ? 1 : 4;
            for (options.threads = 1; options.threads < 4; options.threads++) {
                const ordo_u64 items = items_of(graph, widest, &options, cells);
                ck_assert_msg(items <= TIMES * right + 10000, "%s, %d threads, %s %s %s %s: %llu items, of delta %llu",
                              widest ? "widest" : "sssp", options.threads, delta, chunk, ring, window,
                              (unsigned long long)items, (unsigned long long)right);
                ck_assert(!memcmp(cells, expected, n * sizeof *cells));
            }
        }
        free(expected);
        free(cells);
        ordo_graph_free(graph);
    }
}
END_TEST

/* A width a million times what is chosen by itself: delta comes down while the run goes on, in time to save most of the
 * work, which is nearly four times as much where it stays. With two threads that depends on how they run: on a loaded
 * machine one of three runs must do. */
START_TEST(adds_recovers_from_a_wide_delta)
{
    ordo_generate_options road = {.kind = "road", .vertices = 300000, .edges.seed = 7};
    ordo_graph *graph = NULL;
    ck_assert_msg(!ordo_graph_generate(&road, &graph), "%s", ordo_last_error());
    ordo_u32 *expected = malloc(ordo_graph_out(graph)->n * sizeof *expected),
             *cells = malloc(ordo_graph_out(graph)->n * sizeof *cells);
    ordo_options options = {.scheduler = "adds", .threads = 1};
    ordo_stats by_itself = {0}, wide = {0};
    ck_assert_int_eq(ordo_sssp(graph, 1000, (double)INFINITY, &options, expected, NULL, &by_itself), ORDO_OK);
    char delta[64];
    const char *settings[] = {delta};
    options.settings = settings;
    options.setting_count = 1;
    static const double times[] = {64, 1e3, 1e6};
    for (int i = 0; i < 3; i++)
        for (options.threads = 1; options.threads < 3; options.threads++) {
            snprintf(delta, sizeof delta, "delta=%.17g", by_itself.delta_first * times[i]);
            const double bound = options.threads == 1 ? 1.5 : 2.4;
            double more = bound, last = INFINITY;
            for (int attempt = 0; more >= bound && attempt < (options.threads == 1 ? 1 : 3); attempt++) {
                ck_assert_int_eq(ordo_sssp(graph, 1000, (double)INFINITY, &options, cells, NULL, &wide), ORDO_OK);
                more = (double)wide.items / (double)by_itself.items;
                last = wide.delta_last;
                ck_assert(!memcmp(cells, expected, ordo_graph_out(graph)->n * sizeof *cells));
                ordo_stats_free(&wide);
            }
            ck_assert_msg(more < bound, "%g times as wide, %d threads: %g times the items", times[i], options.threads,
                          more);
            ck_assert_msg(last <= 16 * by_itself.delta_first, "%g times as wide, %d threads: delta %g at last",
                          times[i], options.threads, last);
        }
    ordo_stats_free(&by_itself);
    free(expected);
    free(cells);
    ordo_graph_free(graph);
}
END_TEST

/* ---- the order of work of operators that say none ---- */

/* Runs an operator of ours from `source`, whose cell is `first`, the others' `worst`; items processed. */
static ordo_u64 items_of_own(const ordo_operator *op, const ordo_graph *graph, ordo_item source,
                             const ordo_options *options, void *cells, size_t size, const void *first,
                             const void *worst)
{
    const ordo_vid n = ordo_graph_out(graph)->n;
    for (ordo_vid v = 0; v < n; v++)
        memcpy((char *)cells + v * size, v == source ? first : worst, size);
    ordo_work work = {
        .op = op, .graph = graph, .cells = cells, .num_items = n, .targets = n, .initial = &source, .initial_count = 1};
    ordo_stats stats = {0};
    ck_assert_msg(!ordo_run(&work, options, &stats), "%s", ordo_last_error());
    const ordo_u64 items = stats.items;
    ordo_stats_free(&stats);
    return items;
}

/* A larger width earlier, whatever the type: about as much work as under an order that is made for it. With two threads
 * work depends on how they run, and a wrong order costs four times as much. */
START_TEST(larger_cells_come_first)
{
    static const char *const schedulers[] = {"delta", "near_far", "adds", "inbox"};
    ordo_generate_options make[] = {
        {.kind = "road", .vertices = 60000, .edges.seed = 3},
        {.kind = "rmat", .scale = 14, .degree = 16, .edges.low = 1, .edges.high = 100, .edges.seed = 3}};
    for (int kind = 0; kind < 2; kind++) {
        ordo_graph *graph;
        ck_assert_msg(!ordo_graph_generate(&make[kind], &graph), "%s", ordo_last_error());
        const ordo_csr *g = ordo_graph_out(graph);
        ordo_item source = 0;
        while (g->row[source + 1] - g->row[source] < 2)
            source++;
        ordo_u32 *expected = malloc(g->n * sizeof *expected);
        ordo_u64 *cells = malloc(g->n * sizeof *cells); /* of any type */
        for (int s = 0; s < 4; s++) {
            ordo_options options = {.scheduler = schedulers[s], .threads = 1};
            ordo_stats stats = {0};
            ck_assert_int_eq(ordo_widest(graph, source, &options, expected, &stats), ORDO_OK);
            for (int threads = 1; threads < 3; threads++) {
                const ordo_u64 most = stats.items * (threads == 1 ? 13 : 25) / 10;
                options.threads = threads;
                const ordo_u32 u32[] = {0xffffffffu, 0};
                const ordo_i32 i32[] = {0x7fffffff, -0x7fffffff - 1};
                const ordo_f32 f32[] = {(ordo_f32)INFINITY, (ordo_f32)-INFINITY};
                const ordo_u64 u64[] = {~(ordo_u64)0, 0};
                const struct {
                    const ordo_operator *op;
                    size_t size;
                    const void *first, *worst;
                } ours[] = {{&widest_operator, 4, &u32[0], &u32[1]},
                            {&unordered_i32_operator, 4, &i32[0], &i32[1]},
                            {&unordered_f32_operator, 4, &f32[0], &f32[1]},
                            {&unordered_u64_operator, 8, &u64[0], &u64[1]}};
                for (int o = 0; o < 4; o++) {
                    const ordo_u64 items = items_of_own(ours[o].op, graph, source, &options, cells, ours[o].size,
                                                        ours[o].first, ours[o].worst);
                    ck_assert_msg(items <= most, "%s, %s, %d threads, %s: %llu items, expected at most %llu",
                                  ours[o].op->name, schedulers[s], threads, make[kind].kind, (unsigned long long)items,
                                  (unsigned long long)most);
                    for (ordo_vid v = 0; v < g->n && o == 0; v++)
                        ck_assert_uint_eq(((ordo_u32 *)cells)[v], expected[v]);
                }
            }
            ordo_stats_free(&stats);
        }
        free(expected);
        free(cells);
        ordo_graph_free(graph);
    }
}
END_TEST

/* Buckets count from the source's priority where that is negative: the work is that of the same run from 0. */
START_TEST(negative_priorities_are_an_order)
{
    static const char *const schedulers[] = {"delta", "near_far", "adds", "inbox"};
    edge_list list;
    family_make("mesh", 40000, 1, &list);
    ordo_graph *graph = family_graph(&list, ORDO_I32, ORDO_AS_STORED);
    ordo_i32 *cells[2] = {malloc(list.n * sizeof **cells), malloc(list.n * sizeof **cells)};
    for (int s = 0; s < 4; s++) {
        const char *settings[] = {"delta=100"};
        ordo_options options = {.scheduler = schedulers[s], .threads = 1, .settings = settings, .setting_count = 1};
        ordo_u64 items[2];
        for (int below = 0; below < 2; below++) {
            const ordo_i32 first = below ? -1000000000 : 0, worst = 0x7fffffff;
            items[below] =
                items_of_own(&signed_least_operator, graph, 0, &options, cells[below], sizeof first, &first, &worst);
        }
        ck_assert_msg(items[0] == items[1], "%s: %llu items from 0, %llu from below", schedulers[s],
                      (unsigned long long)items[0], (unsigned long long)items[1]);
        for (ordo_u64 v = 0; v < list.n; v++)
            ck_assert(cells[0][v] == 0x7fffffff ? cells[1][v] == 0x7fffffff : cells[1][v] == cells[0][v] - 1000000000);
    }
    free(cells[0]);
    free(cells[1]);
    ordo_graph_free(graph);
    family_free(&list);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("limits");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, relax_operators_end_within_a_superstep, 0, sizeof relax_runs / sizeof relax_runs[0]);
    tcase_add_loop_test(tests, critical_operators_end_within_a_superstep, 0,
                        sizeof critical_runs / sizeof critical_runs[0]);
    tcase_add_test(tests, inbox_work_is_bounded);
    tcase_add_test(tests, adds_recovers_from_a_wide_delta);
    tcase_add_test(tests, larger_cells_come_first);
    tcase_add_test(tests, negative_priorities_are_an_order);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
