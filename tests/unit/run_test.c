/* ordo_run as its callers see it: what is refused and how it says so, cancelling, progress, statistics, trace, memory.
 */
#define _GNU_SOURCE /* usleep */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ordo/detail/backend.h>
#include <ordo/ordo.h>
#include <ordo/scheduler/scheduler.h>

#include "tests/common/families.h"
#include "tests/common/sssp_work.h"
#include "tests/common/suite.h"
#include "operators/bank.h"

static ordo_graph *graph;
static ordo_u32 *cells;
static ordo_item source = 0;

static void make_graph(const char *kind, unsigned size)
{
    ordo_generate_options options = {.kind = kind,
                                     .vertices = size,
                                     .scale = 12,
                                     .width = size,
                                     .height = size,
                                     .edges.low = 1,
                                     .edges.high = 100,
                                     .edges.seed = 3};
    ck_assert_int_eq(ordo_graph_generate(&options, &graph), ORDO_OK);
    const ordo_csr *rows = ordo_graph_out(graph);
    source = 0;
    while (rows->row[source + 1] - rows->row[source] < 2)
        source++;
    cells = malloc((rows->n + 1) * sizeof *cells);
}

static void drop_graph(void)
{
    ordo_graph_free(graph);
    free(cells);
    cells = NULL;
}

static ordo_work work_for(const char *op)
{
    return sssp_work(op, graph, cells, &source);
}

static void refused(const ordo_options *options, const char *op, ordo_status status, const char *sentence)
{
    ordo_work work = work_for(op);
    ordo_stats stats = {0};
    ck_assert_msg(ordo_run(&work, options, &stats) == status, "expected %s, got '%s'", ordo_status_name(status),
                  ordo_last_error());
    ck_assert_msg(strstr(ordo_last_error(), sentence), "'%s' not in '%s'", sentence, ordo_last_error());
    ck_assert_ptr_null(strchr(ordo_last_error(), '\n'));
    for (ordo_u64 v = 0; v < ordo_graph_out(graph)->n; v++)
        ck_assert_uint_eq(cells[v], v == source ? 0 : 0xffffffffu); /* left alone */
}

static const struct {
    const char *op, *scheduler, *sync, *device, *setting;
    int threads;
    ordo_status status;
    const char *sentence;
} refusals[] = {
    {"sssp_u32", "fifo", NULL, NULL, NULL, 0, ORDO_ERR_UNKNOWN, "scheduler 'fifo' is unknown"},
    {"sssp_u32", "delta", "often", NULL, NULL, 0, ORDO_ERR_UNKNOWN, "sync 'often' is unknown"},
    {"sssp_u32", "delta", "racy", NULL, NULL, 0, ORDO_ERR_UNSOUND, "scheduler 'delta' does not offer sync 'racy'"},
    {"sssp_u32", "bsp", "racy", NULL, NULL, 0, ORDO_ERR_UNSOUND,
     "scheduler 'bsp' with sync 'racy' needs a monotone, idempotent, uniform, selective operator; 'sssp_u32' is not "
     "uniform"},
    {"kcore", "topology", "racy", NULL, NULL, 0, ORDO_ERR_UNSOUND,
     "scheduler 'topology' with sync 'racy' needs a monotone, idempotent, selective operator; 'kcore' is not "
     "selective"},
    {"sssp_u32", "delta", "server", NULL, NULL, 0, ORDO_ERR_UNSOUND, "does not offer sync 'server'"},
    {"sssp_u32", "delta", "owner", NULL, NULL, 0, ORDO_ERR_UNSOUND, "it offers atomic, lock"},
    {"bank", "delta", "owner", NULL, NULL, 0, ORDO_ERR_UNSOUND,
     "for critical operators such as 'bank'; it offers lock"},
    {"bank", "bsp", "atomic", NULL, NULL, 0, ORDO_ERR_UNSOUND, "does not offer sync 'atomic' for critical operators"},
    {"sssp_u32", "bsp", NULL, "cuda", NULL, 0, ORDO_ERR_DEVICE, "device 'cuda'"},
    {"sssp_u32", "delta", NULL, "abacus", NULL, 0, ORDO_ERR_UNKNOWN, "device 'abacus' is unknown"},
    {"sssp_u32", "delta", NULL, NULL, "delta", 0, ORDO_ERR_USAGE, "expected NAME=VALUE"},
    {"sssp_u32", "delta", NULL, NULL, "delta=-1", 0, ORDO_ERR_USAGE, "expected a number from 0"},
    {"sssp_u32", "delta", NULL, NULL, "delta=nan", 0, ORDO_ERR_USAGE, "expected a number from 0"},
    {"sssp_u32", "delta", NULL, NULL, "delta=5x", 0, ORDO_ERR_USAGE, "delta='5x'"},
    {"sssp_u32", "delta", NULL, NULL, "chain=1.5", 0, ORDO_ERR_USAGE, "expected a whole number"},
    {"sssp_u32", "delta", NULL, NULL, "speed=9", 0, ORDO_ERR_UNKNOWN, "scheduler 'delta' has no tunable 'speed'"},
    {"sssp_u32", "delta", NULL, NULL, "fifo.speed=9", 0, ORDO_ERR_UNKNOWN, "scheduler 'fifo' is unknown"},
    {"sssp_u32", "topology", NULL, NULL, "direction=up", 0, ORDO_ERR_USAGE, "expected one of push|pull"},
    {"sssp_u32", "bsp", NULL, NULL, "direction=pull", 0, ORDO_ERR_UNSOUND, "needs an operator with ORDO_RELAX_FINAL"},
    {"mst_u32", "bsp", NULL, NULL, "direction=pull", 0, ORDO_ERR_UNSOUND, "needs an operator with ORDO_RELAX_FINAL"},
    {"bank", "bsp", NULL, NULL, "direction=pull", 0, ORDO_ERR_UNSOUND, "needs an operator with ORDO_RELAX_FINAL"},
    {"mst_u32", "topology", NULL, NULL, "direction=pull", 0, ORDO_ERR_UNSOUND,
     "scheduler 'topology' with direction=pull needs an operator whose targets are the heads of its edges; 'mst_u32' "
     "has others"},
    {"relabel", "topology", "racy", NULL, "direction=pull", 0, ORDO_ERR_UNSOUND,
     "needs an edge-blind operator, for in-rows number edges otherwise; 'relabel' is not edge-blind"},
    {"kcore", "topology", NULL, NULL, "direction=pull", 0, ORDO_ERR_UNSOUND, "those of 'kcore' sum"},
    {"bank", "topology", NULL, NULL, "direction=pull", 0, ORDO_ERR_UNSOUND, "needs a relax operator; 'bank' is a"},
    {"sssp_u32", "delta", NULL, NULL, NULL, -3, ORDO_ERR_USAGE, "-3 threads"},
    {"sssp_u32", "delta", NULL, NULL, NULL, 100000, ORDO_ERR_USAGE, "100000 threads"},
    {"sssp_f32", "delta", NULL, NULL, NULL, 0, ORDO_ERR_USAGE, "found u32 weights"},
};

/* On a machine with a GPU there is nothing to refuse. */
static bool has_gpu(void)
{
    char name[ORDO_DEVICE_NAME];
    const ordo_backend *backend;
    return ordo_backend_load("cuda", &backend) == ORDO_OK && backend->probe(name) == ORDO_OK;
}

START_TEST(refuses_by_name)
{
    if (refusals[_i].device && !strcmp(refusals[_i].device, "cuda") && has_gpu())
        return;
    make_graph("rmat", 0);
    const char *settings[] = {refusals[_i].setting};
    ordo_options options = {.scheduler = refusals[_i].scheduler,
                            .sync = refusals[_i].sync,
                            .device = refusals[_i].device,
                            .threads = refusals[_i].threads,
                            .settings = settings,
                            .setting_count = refusals[_i].setting != NULL};
    refused(&options, refusals[_i].op, refusals[_i].status, refusals[_i].sentence);
    drop_graph();
}
END_TEST

START_TEST(settings_of_other_schedulers_are_passed_over)
{
    make_graph("rmat", 0);
    const char *settings[] = {"topology.direction=pull", "delta.delta=7"};
    ordo_options options = {.scheduler = "delta", .settings = settings, .setting_count = 2};
    ordo_work work = work_for("sssp_u32");
    ordo_stats stats;
    ck_assert_int_eq(ordo_run(&work, &options, &stats), ORDO_OK);
    ck_assert_double_eq(stats.delta_first, 7);
    bool seen = false;
    for (int i = 0; i < stats.setting_count; i++)
        if (!strcmp(stats.settings[i].name, "delta")) {
            ck_assert_str_eq(stats.settings[i].value, "7");
            seen = true;
        }
    ck_assert(seen);
    ordo_stats_free(&stats);
    drop_graph();
}
END_TEST

START_TEST(wrong_work_is_refused)
{
    make_graph("rmat", 0);
    ordo_work work = work_for("sssp_u32");
    ordo_item far = (ordo_item)work.num_items;
    work.initial = &far;
    ck_assert_int_eq(ordo_run(&work, NULL, NULL), ORDO_ERR_USAGE);
    work = work_for("sssp_u32");
    work.targets--;
    ck_assert_int_eq(ordo_run(&work, NULL, NULL), ORDO_ERR_USAGE);
    work = work_for("sssp_u32");
    work.graph = NULL;
    ck_assert_int_eq(ordo_run(&work, NULL, NULL), ORDO_ERR_USAGE);
    work = work_for("sssp_u32");
    work.state = NULL;
    ck_assert_int_eq(ordo_run(&work, NULL, NULL), ORDO_ERR_USAGE);
    work = work_for("no such operator");
    ck_assert_int_eq(ordo_run(&work, NULL, NULL), ORDO_ERR_USAGE);
    drop_graph();
}
END_TEST

/* ---- counts ---- */

static const ordo_scheduler *all[64];
static int schedulers(void)
{
    return (int)ordo_schedulers(all, 64);
}

/* The run sets cells that the caller has not, whatever they hold; those of initial items are the caller's. */
START_TEST(unset_cells_are_set)
{
    int count = schedulers();
    make_graph("road", 40000 / SLOWER);
    const ordo_u64 n = ordo_graph_out(graph)->n, bytes = n * sizeof *cells;
    ordo_u32 *right = malloc(bytes);
    ordo_work work = work_for("sssp_u32");
    ck_assert_int_eq(ordo_run(&work, NULL, NULL), ORDO_OK);
    memcpy(right, cells, bytes);
    const ordo_item both[] = {source, (ordo_item)(n / 2)};
    for (int s = 0; s < count; s++)
        for (int threads = 1; threads < 4; threads += 2) {
            const ordo_options options = {.scheduler = all[s]->name, .threads = threads};
            work = work_for("sssp_u32");
            work.initial = both;
            work.initial_count = 2;
            work.unset = true;
            memset(cells, 0, bytes);
            cells[both[1]] = right[both[1]];
            ck_assert_msg(ordo_run(&work, &options, NULL) == ORDO_OK, "%s", ordo_last_error());
            ck_assert_msg(!memcmp(cells, right, bytes), "%s with %d threads", all[s]->name, threads);
        }
    work = work_for("sssp_u32"); /* all items are initial: all cells are set */
    work.initial = NULL;
    work.unset = true;
    ck_assert_int_eq(ordo_run(&work, NULL, NULL), ORDO_OK);
    ck_assert(!memcmp(cells, right, bytes));
    work = work_for("kcore");
    work.unset = true;
    ck_assert_int_eq(ordo_run(&work, NULL, NULL), ORDO_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "expected an operator that selects"));
    free(right);
    drop_graph();
}
END_TEST

START_TEST(statistics_add_up)
{
    int count = schedulers();
    make_graph("rmat", 0);
    ordo_graph_info info;
    ordo_graph_get_info(graph, &info);
    for (int s = 0; s < count; s++)
        for (int threads = 1; threads < 5; threads += 3) {
            ordo_options options = {.scheduler = all[s]->name, .threads = threads};
            ordo_work work = work_for("sssp_u32");
            ordo_stats stats;
            ck_assert_int_eq(ordo_run(&work, &options, &stats), ORDO_OK);
            ordo_u64 reached = 0, reached_edges = 0;
            const ordo_csr *rows = ordo_graph_out(graph);
            for (ordo_u64 v = 0; v < rows->n; v++)
                if (cells[v] != 0xffffffffu) {
                    reached++;
                    reached_edges += rows->row[v + 1] - rows->row[v];
                }
            ck_assert_str_eq(stats.scheduler, all[s]->name);
            ck_assert_str_eq(stats.backend, "cpu");
            ck_assert_int_eq(stats.threads, threads);
            ck_assert_uint_ge(stats.items, reached);
            if (!(all[s]->pairings->needs & ORDO_BY_WEIGHT)) /* such a scheduler leaves edges out */
                ck_assert_uint_ge(stats.edges, reached_edges);
            ck_assert_uint_ge(stats.useful, reached - 1);
            if (!all[s]->all_items) {
                ck_assert_uint_eq(stats.items + stats.stale, stats.activations + 1); /* nothing is lost or made */
                ck_assert_uint_eq(stats.useful, stats.activations);
                ck_assert_uint_gt(stats.peak_worklist_bytes, 0);
            }
            ck_assert_uint_gt(stats.supersteps, 0);
            ck_assert_double_gt(stats.run_seconds, 0);
            ck_assert_uint_gt(stats.trace_count, 0);
            ck_assert_uint_le(stats.trace_count, ORDO_TRACE_MAX);
            for (size_t i = 1; i < stats.trace_count; i++)
                ck_assert_double_ge(stats.trace[i].seconds, stats.trace[i - 1].seconds);
            ordo_stats_free(&stats);
            ck_assert_ptr_null(stats.trace);
        }
    drop_graph();
}
END_TEST

START_TEST(long_traces_are_thinned)
{
    /* A path against the order of ids under topology: as many rounds as vertices. */
    edge_list list;
    family_make("back-path", 6000, 1, &list);
    graph = family_graph(&list, ORDO_U32, ORDO_AS_STORED);
    cells = malloc(list.n * sizeof *cells);
    source = (ordo_item)list.n - 1;
    const char *settings[] = {"sweep=forward"};
    ordo_options options = {.scheduler = "topology", .threads = 1, .settings = settings, .setting_count = 1};
    ordo_work work = work_for("sssp_u32");
    ordo_stats stats;
    ck_assert_int_eq(ordo_run(&work, &options, &stats), ORDO_OK);
    ck_assert_uint_ge(stats.supersteps, 6000);
    ck_assert_uint_le(stats.trace_count, ORDO_TRACE_MAX);
    ck_assert_uint_ge(stats.trace_count, ORDO_TRACE_MAX / 4);
    ck_assert_uint_ge(stats.trace[stats.trace_count - 1].bucket, 5900);
    ordo_stats_free(&stats);
    family_free(&list);
    drop_graph();
}
END_TEST

/* What runs make once and the graph keeps is made: rows by weight. */
static void make_what_is_kept(void)
{
    const ordo_options options = {.scheduler = "horizon", .threads = 1};
    const ordo_work work = work_for("sssp_u32");
    ck_assert_int_eq(ordo_run(&work, &options, NULL), ORDO_OK);
}

START_TEST(memory_stays_within_the_prediction)
{
    static const char *const kinds[] = {"rmat", "road", "grid", "uniform"};
    int count = schedulers();
    for (size_t k = 0; k < 4; k++) {
        make_graph(kinds[k], !strcmp(kinds[k], "grid") ? 120 : 12000);
        make_what_is_kept();
        for (int s = 0; s < count; s++) {
            ordo_options options = {.scheduler = all[s]->name, .threads = 2};
            ordo_work work = work_for("sssp_u32");
            ordo_u64 expected, at_most, before = ordo_memory_now();
            ck_assert_int_eq(ordo_run_memory(&work, &options, &expected, &at_most), ORDO_OK);
            ck_assert_uint_le(expected, at_most);
            ordo_stats stats;
            ck_assert_int_eq(ordo_run(&work, &options, &stats), ORDO_OK);
            ck_assert_msg(stats.peak_bytes - before <= at_most, "%s on %s: %llu bytes, predicted at most %llu",
                          all[s]->name, kinds[k], (unsigned long long)(stats.peak_bytes - before),
                          (unsigned long long)at_most);
            ordo_stats_free(&stats);
            ck_assert_uint_eq(ordo_memory_now(), before); /* no leak */
        }
        drop_graph();
    }
}
END_TEST

/* The same while rows by weight are made: nothing is kept, or all of it. */
START_TEST(short_memory_for_rows_by_weight)
{
    const ordo_u64 before = ordo_memory_now();
    bool done = false;
    for (ordo_u64 n = 1; !done; n++) {
        ck_assert_uint_lt(n, 200);
        make_graph("rmat", 0);
        const ordo_options options = {.scheduler = "horizon", .threads = 2};
        const ordo_work work = work_for("sssp_u32");
        ordo_memory_fail_after(n);
        const ordo_status status = ordo_run(&work, &options, NULL);
        ordo_memory_fail_after(0);
        ck_assert_msg(status == ORDO_OK || status == ORDO_ERR_MEMORY, "%s", ordo_last_error());
        done = status == ORDO_OK;
        if (!done)
            make_what_is_kept();
        drop_graph();
        ck_assert_uint_eq(ordo_memory_now(), before);
    }
}
END_TEST

/* Every allocation of a run fails once: an error, no crash, no leak, no hang. */
START_TEST(short_memory_is_an_error)
{
    int count = schedulers();
    make_graph("rmat", 0);
    make_what_is_kept();
    ordo_u64 before = ordo_memory_now();
    for (int s = 0; s < count; s++)
        for (int threads = 1; threads < 4; threads += BRIEFER) {
            bool done = false;
            for (ordo_u64 n = 1; !done && n < 200; n++) {
                ordo_options options = {.scheduler = all[s]->name, .threads = threads};
                ordo_work work = work_for("sssp_u32");
                ordo_stats stats = {0};
                ordo_memory_fail_after(n);
                ordo_status status = ordo_run(&work, &options, &stats);
                ordo_memory_fail_after(0);
                ck_assert_msg(status == ORDO_OK || status == ORDO_ERR_MEMORY, "%s: %s", all[s]->name,
                              ordo_last_error());
                ordo_stats_free(&stats);
                ck_assert_uint_eq(ordo_memory_now(), before);
                done = status == ORDO_OK;
            }
            ck_assert_msg(done, "%s with %d threads never had memory enough", all[s]->name, threads);
        }
    drop_graph();
}
END_TEST

/* ---- cancelling and progress ---- */

typedef struct watcher {
    int calls, cancel_at;
    volatile int cancel;
    double last;
} watcher;

static void watch(void *arg, const ordo_progress *progress)
{
    watcher *w = arg;
    ck_assert_double_ge(progress->seconds, w->last);
    w->last = progress->seconds;
    if (++w->calls == w->cancel_at)
        __atomic_store_n(&w->cancel, 1, __ATOMIC_RELAXED);
}

/* A run that would take very long: topology on a path against the order of ids, or tiny supersteps. */
START_TEST(a_run_can_be_cancelled)
{
    int count = schedulers();
    edge_list list;
    family_make("back-path", 200000, 1, &list);
    graph = family_graph(&list, ORDO_U32, ORDO_AS_STORED);
    cells = malloc(list.n * sizeof *cells);
    source = (ordo_item)list.n - 1;
    for (int s = 0; s < count; s++)
        for (int threads = 1; threads < 3; threads++) {
            watcher w = {.cancel = 1};
            ordo_options options = {.scheduler = all[s]->name, .threads = threads, .cancel = &w.cancel};
            ordo_work work = work_for("sssp_u32");
            ordo_stats stats = {0};
            ck_assert_int_eq(ordo_run(&work, &options, &stats), ORDO_ERR_CANCELLED);
            ordo_stats_free(&stats);
        }
    const char *settings[] = {"sweep=forward"};
    watcher w = {.cancel_at = 3};
    ordo_options options = {.scheduler = "topology",
                            .threads = 2,
                            .cancel = &w.cancel,
                            .progress = watch,
                            .progress_arg = &w,
                            .settings = settings,
                            .setting_count = 1};
    ordo_work work = work_for("sssp_u32");
    ordo_stats stats = {0};
    ck_assert_int_eq(ordo_run(&work, &options, &stats), ORDO_ERR_CANCELLED);
    ck_assert_int_eq(w.calls, 3);
    ck_assert_uint_gt(stats.supersteps, 0);
    ck_assert_uint_gt(stats.items, 0);
    ck_assert_double_lt(stats.run_seconds, 30);
    ordo_stats_free(&stats);
    family_free(&list);
    drop_graph();
}
END_TEST

/* A limit that nothing can keep ends every run, and says where it was; one that everything keeps ends none. */
START_TEST(a_run_ends_when_its_time_is_up)
{
    int count = schedulers();
    make_graph("road", 20000);
    for (int s = 0; s < count; s++)
        for (int threads = 1; threads < 3; threads++) {
            ordo_options options = {.scheduler = all[s]->name, .threads = threads, .timeout = 1e-9};
            ordo_work work = work_for("sssp_u32");
            ordo_stats stats = {0};
            ck_assert_int_eq(ordo_run(&work, &options, &stats), ORDO_ERR_TIMEOUT);
            char sentence[128];
            snprintf(sentence, sizeof sentence, "sssp_u32 under '%s' did not end within 1e-09 s: superstep ",
                     all[s]->name);
            ck_assert_msg(strstr(ordo_last_error(), sentence) == ordo_last_error(), "'%s'", ordo_last_error());
            ck_assert_str_eq(stats.scheduler, all[s]->name); /* filled nevertheless */
            ordo_stats_free(&stats);
            volatile int cancel = 1; /* a cancelled run is reported as cancelled, not as late */
            options.cancel = &cancel;
            ck_assert_int_eq(ordo_run(&work, &options, NULL), ORDO_ERR_CANCELLED);
            options.cancel = NULL;
            options.timeout = 1000;
            work = work_for("sssp_u32");
            ck_assert_int_eq(ordo_run(&work, &options, NULL), ORDO_OK);
        }
    static const double wrong[] = {-1, -1e-300, (double)NAN, (double)INFINITY, (double)-INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ordo_options options = {.timeout = wrong[i]};
        refused(&options, "sssp_u32", ORDO_ERR_USAGE, "expected seconds");
    }
    drop_graph();
}
END_TEST

/* One hard graph, a thousand times: a ladder on which nearly every vertex improves again and again. */
START_TEST(a_thousand_runs_agree)
{
    int count = schedulers();
    edge_list list;
    family_make("ladder", 120, 1, &list);
    graph = family_graph(&list, ORDO_U32, ORDO_AS_STORED);
    cells = malloc(list.n * sizeof *cells);
    source = 0;
    for (int s = 0; s < count; s++)
        for (int trial = 0; trial < 1000 / SLOWER / BRIEFER; trial++) {
            static const int threads[] = {1, 2, 2, 2, 2, 3, 2, 4};
            ordo_options options = {.scheduler = all[s]->name, .threads = threads[trial % 8]};
            ordo_work work = work_for("sssp_u32");
            ck_assert_int_eq(ordo_run(&work, &options, NULL), ORDO_OK);
            for (ordo_u64 v = 0; v < list.n; v++)
                ck_assert_uint_eq(cells[v], v); /* the cheap way has weight 1 a rung */
        }
    family_free(&list);
    drop_graph();
}
END_TEST

typedef struct killer {
    volatile int cancel;
    unsigned delay; /* microseconds */
} killer;

static void *cancel_later(void *arg)
{
    killer *k = arg;
    usleep(k->delay);
    __atomic_store_n(&k->cancel, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* Whenever a run is cut off, every cell lies between its right value and what it began with: cells only get better, and
 * never better than right. */
START_TEST(cells_are_bounds_whenever_a_run_ends)
{
    int count = schedulers();
    make_graph("road", 100000 / SLOWER);
    ordo_u64 n = ordo_graph_out(graph)->n;
    ordo_u32 *right = malloc(n * sizeof *right);
    ordo_work work = work_for("sssp_u32");
    ck_assert_int_eq(ordo_run(&work, NULL, NULL), ORDO_OK);
    memcpy(right, cells, n * sizeof *right);
    int cut = 0;
    const unsigned step = BRIEFER > 1 ? 3 : 1;
    for (int s = 0; s < count; s++)
        for (unsigned trial = 0; trial < 8; trial += step) {
            killer k = {.delay = 100 + trial * 700};
            pthread_t thread;
            ordo_options options = {.scheduler = all[s]->name, .threads = 2, .cancel = &k.cancel};
            work = work_for("sssp_u32");
            ck_assert_int_eq(pthread_create(&thread, NULL, cancel_later, &k), 0);
            ordo_status status = ordo_run(&work, &options, NULL);
            pthread_join(thread, NULL);
            ck_assert(status == ORDO_OK || status == ORDO_ERR_CANCELLED);
            cut += status == ORDO_ERR_CANCELLED;
            for (ordo_u64 v = 0; v < n; v++)
                ck_assert(status == ORDO_OK ? cells[v] == right[v] : cells[v] >= right[v]);
        }
    ck_assert_int_gt(cut, 0);
    free(right);
    drop_graph();
}
END_TEST

/* ---- registration ---- */

START_TEST(tables_are_checked)
{
    const ordo_operator *op = ordo_operator_find("sssp_u32");
    ck_assert_ptr_nonnull(op);
    ck_assert_int_eq(ordo_operator_register(op), ORDO_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), "registered twice"));
    ordo_operator broken = *op;
    broken.name = "";
    ck_assert_int_ne(ordo_operator_register(&broken), ORDO_OK);
    ck_assert_int_ne(ordo_scheduler_register(ordo_scheduler_find("delta")), ORDO_OK);
    ordo_scheduler odd = *ordo_scheduler_find("delta");
    odd.name = "odd";
    ordo_tunable row = {"speed", ORDO_TUNABLE_INT, "11", 0, 10, NULL, "", "default out of range"};
    odd.tunables = &row;
    odd.tunable_count = 1;
    ck_assert_int_ne(ordo_scheduler_register(&odd), ORDO_OK);
    ck_assert_ptr_null(ordo_scheduler_find("odd"));
    ordo_scheduler old = *ordo_scheduler_find("delta");
    old.name = "old";
    old.interface = ORDO_SCHEDULER_INTERFACE - 1;
    ck_assert_int_eq(ordo_scheduler_register(&old), ORDO_ERR_INTERNAL);
    char wrong[80];
    snprintf(wrong, sizeof wrong, "another version of Ordo: found interface %d, expected %d",
             (int)ORDO_SCHEDULER_INTERFACE - 1, (int)ORDO_SCHEDULER_INTERFACE);
    ck_assert_ptr_nonnull(strstr(ordo_last_error(), wrong));
    ck_assert_ptr_null(ordo_scheduler_find("old"));
    ck_assert_ptr_null(ordo_operator_find("nothing"));
    const ordo_operator *list[4];
    ck_assert_uint_ge(ordo_operators(list, 4), 8);
}
END_TEST

/* Two vertices whose rows have thousands of edges to the same others, and a path behind these. */
static ordo_graph *make_hubs(ordo_u32 leaves)
{
    enum { TAIL = 50 };
    ordo_u64 count = 0, state = 7;
    ordo_graph *g;
    ordo_edge_entry *edge = malloc((2 * leaves + TAIL) * sizeof *edge);
    for (ordo_u32 v = 2; v < leaves + 2; v++)
        for (ordo_u32 hub = 0; hub < 2; hub++)
            edge[count++] = (ordo_edge_entry){hub, v, 1 + (ordo_u32)(next_random(&state) % 90)};
    for (ordo_u32 v = leaves + 1; v < leaves + 1 + TAIL; v++)
        edge[count++] = (ordo_edge_entry){v, v + 1, 3};
    ck_assert_int_eq(ordo_graph_from_edges(leaves + 2 + TAIL, edge, count, ORDO_U32, ORDO_SYMMETRISE, 1, &g), ORDO_OK);
    free(edge);
    return g;
}

/* All members share a long row: answers are those of one thread, with every edge proposed over, and the superstep that
 * the row has for itself shows. Cells that sum, too. */
START_TEST(long_rows_are_shared)
{
    static const char *const schedulers[] = {"bsp", "delta"}, *const syncs[] = {"atomic", "lock"};
    enum { LEAVES = BRIEFER > 1 ? 12000 : 40000, /* above ORDO_LONG_ROW */ APPS = 4 };
    ordo_graph *g = make_hubs(LEAVES);
    const ordo_vid n = ordo_graph_out(g)->n;
    ordo_u32 *expected[APPS], *found = malloc(n * sizeof *found);
    for (int app = 0; app < APPS; app++)
        expected[app] = malloc(n * sizeof **expected);
    for (int threads = 1; threads <= 4; threads++)
        for (int k = 0; k < 4; k++) {
            const ordo_options options = {.scheduler = schedulers[k / 2], .sync = syncs[k % 2], .threads = threads};
            ordo_u64 edges[APPS], supersteps[APPS];
            for (int app = 0; app < APPS; app++) {
                ordo_u32 *out = threads == 1 && k == 0 ? expected[app] : found;
                ordo_stats stats = {0};
                ordo_status status = app == 0   ? ordo_sssp(g, 5, INFINITY, &options, out, NULL, &stats)
                                     : app == 1 ? ordo_bfs(g, 5, INFINITY, &options, out, NULL, &stats)
                                     : app == 2 ? ordo_cc(g, &options, out, &stats)
                                                : ordo_kcore(g, 0, &options, out, &stats);
                ck_assert_msg(status == ORDO_OK, "%s", ordo_last_error());
                ck_assert_msg(!memcmp(out, expected[app], n * sizeof *out), "app %d, %s:%s, %d threads", app,
                              options.scheduler, options.sync, threads);
                edges[app] = stats.edges;
                supersteps[app] = stats.supersteps;
                ordo_stats_free(&stats);
            }
            ck_assert_uint_ge(edges[0], ordo_graph_out(g)->m); /* every vertex is reached, and expanded */
            if (!strcmp(options.scheduler, "delta") && threads > 1)
                ck_assert_uint_gt(supersteps[1], 2);
        }
    for (int app = 0; app < APPS; app++)
        free(expected[app]);
    free(found);
    ordo_graph_free(g);
}
END_TEST

START_TEST(an_operator_runs_only_where_it_was_compiled)
{
    make_graph("rmat", 0);
    static ordo_scheduler other;
    other = *ordo_scheduler_find("delta");
    other.name = "other";
    ck_assert_int_eq(ordo_scheduler_register(&other), ORDO_OK);
    ordo_options options = {.scheduler = "other"};
    refused(&options, "sssp_u32", ORDO_ERR_UNSOUND, "was not compiled for scheduler 'other'");
    drop_graph();
}
END_TEST

START_TEST(version_is_that_of_the_headers)
{
    ck_assert_str_eq(ordo_version(), ORDO_VERSION);
}
END_TEST

/* Edges that a search with `options` looks at, by one thread. */
static ordo_u64 edges_of_search(ordo_options options)
{
    ordo_stats stats = {0};
    ordo_u32 *level = malloc((ordo_graph_out(graph)->n + 1) * sizeof *level);
    options.scheduler = "bsp";
    options.threads = 1;
    ck_assert_int_eq(ordo_bfs(graph, source, INFINITY, &options, level, NULL, &stats), ORDO_OK);
    const ordo_u64 edges = stats.edges;
    ordo_stats_free(&stats);
    free(level);
    return edges;
}

/* A search of a directed graph pulls only once in-rows are there, are said to serve more runs, or would have paid. A
 * search that pulls looks at fewer edges. */
START_TEST(in_rows_are_made_once_they_pay)
{
    static const char *const push = "direction=push", *const pull = "direction=pull";
    const ordo_csr *in;
    make_graph("rmat", 0);
    const ordo_u64 pushed = edges_of_search((ordo_options){.settings = &push, .setting_count = 1});
    ck_assert_uint_eq(edges_of_search((ordo_options){.repeats = 1}), pushed);
    int before = 1; /* runs that have pushed for want of in-rows */
    while (before < 50 && edges_of_search((ordo_options){0}) == pushed)
        before++;
    ck_assert_msg(before >= 4 && before < 50, "%d runs have pushed", before);
    const ordo_u64 both = edges_of_search((ordo_options){0});
    ck_assert_uint_lt(both, pushed);
    ck_assert_uint_eq(edges_of_search((ordo_options){.settings = &push, .setting_count = 1}), pushed);
    drop_graph();
    make_graph("rmat", 0);
    ck_assert_uint_eq(edges_of_search((ordo_options){.repeats = 2}), both);
    drop_graph();
    make_graph("rmat", 0);
    ck_assert_int_eq(ordo_graph_in(graph, 1, &in), ORDO_OK);
    ck_assert_uint_eq(edges_of_search((ordo_options){0}), both);
    drop_graph();
    make_graph("rmat", 0);
    ck_assert_uint_ne(edges_of_search((ordo_options){.settings = &pull, .setting_count = 1}), pushed);
    drop_graph();
}
END_TEST

START_TEST(statuses_have_names)
{
    ck_assert_str_eq(ordo_status_name(ORDO_ERR_INPUT), "ORDO_ERR_INPUT");
    ck_assert_str_eq(ordo_status_text(ORDO_OK), "done");
    ck_assert_int_eq(ordo_status_exit(ORDO_ERR_VERIFY), 1);
    ck_assert_int_eq(ordo_status_exit(ORDO_ERR_UNKNOWN), 2);
    ck_assert_int_eq(ordo_status_exit(ORDO_ERR_INPUT), 3);
    ck_assert_int_eq(ordo_status_exit(ORDO_ERR_MEMORY), 4);
    ck_assert_int_eq(ordo_status_exit(ORDO_ERR_DEVICE), 5);
    ck_assert_int_eq(ordo_status_exit(ORDO_ERR_TIMEOUT), 6);
    ck_assert_str_eq(ordo_status_name((ordo_status)77), "?");
    ck_assert_str_eq(ordo_sync_name(ORDO_SYNC_RACY), "racy");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 300);
    if (!UNDER_TSAN)
        tcase_add_loop_test(tests, refuses_by_name, 0, sizeof refusals / sizeof refusals[0]);
    tcase_add_test(tests, settings_of_other_schedulers_are_passed_over);
    tcase_add_test(tests, wrong_work_is_refused);
    tcase_add_test(tests, unset_cells_are_set);
    tcase_add_test(tests, statistics_add_up);
    if (!UNDER_TSAN)
        tcase_add_test(tests, long_traces_are_thinned);
    tcase_add_test(tests, memory_stays_within_the_prediction);
    if (!UNDER_TSAN) {
        tcase_add_test(tests, short_memory_is_an_error);
        tcase_add_test(tests, short_memory_for_rows_by_weight);
    }
    tcase_add_test(tests, a_run_can_be_cancelled);
    tcase_add_test(tests, a_run_ends_when_its_time_is_up);
    tcase_add_test(tests, cells_are_bounds_whenever_a_run_ends);
    tcase_add_test(tests, a_thousand_runs_agree);
    tcase_add_test(tests, long_rows_are_shared);
    tcase_add_test(tests, tables_are_checked);
    tcase_add_test(tests, an_operator_runs_only_where_it_was_compiled);
    tcase_add_test(tests, version_is_that_of_the_headers);
    tcase_add_test(tests, in_rows_are_made_once_they_pay);
    tcase_add_test(tests, statuses_have_names);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
