/* Traces by time (<ordo/trace.h>): what holds for every trace, under every scheduler and sync, also while threads
 * outnumber cores. Where the sampler has not got a core before the end of a run, the run is repeated, with twice the
 * work each time: a run that takes longer than the time slices of all that runs here is sampled for certain. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ordo/ordo.h>
#include <ordo/scheduler/scheduler.h>

#include "tests/common/sssp_work.h"
#include "tests/common/suite.h"
#include "operators/bank.h"

enum { ATTEMPTS = 8, ACCOUNTS = 97, TRANSFERS = 30000 / SLOWER, MOST_TRANSFERS = TRANSFERS << (ATTEMPTS - 1) };
static const double PERIOD = 200e-6;

static ordo_graph *graph;
static ordo_u32 *cells;
static ordo_item source;
static int effort; /* each one doubles the work */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void make_graph(ordo_generate_options options)
{
    ck_assert_int_eq(ordo_graph_generate(&options, &graph), ORDO_OK);
    const ordo_csr *rows = ordo_graph_out(graph);
    cells = malloc((rows->n + 1) * sizeof *cells);
    for (source = 0; rows->row[source + 1] - rows->row[source] < 2;)
        source++;
}

static void make_grid(unsigned side)
{
    make_graph((ordo_generate_options){
        .kind = "grid", .width = side, .height = side, .edges = {.low = 1, .high = 100, .seed = 3}});
}

static void make_rmat(int scale)
{
    make_graph((ordo_generate_options){.kind = "rmat",
                                       .scale = (ordo_u32)scale,
                                       .edges = {.low = 1, .high = 100, .seed = 3, .direction = ORDO_SYMMETRISE}});
}

static void drop_graph(void)
{
    ordo_graph_free(graph);
    free(cells);
    graph = NULL;
    cells = NULL;
}

static ordo_work work_for(const char *op)
{
    return sssp_work(op, graph, cells, &source);
}

/* ---- what holds for every trace ---- */

static void counters_never_fall(const ordo_trace_view *v)
{
    for (size_t i = 1; i < v->sample_count; i++) {
        const ordo_trace_sample *a = &v->samples[i - 1], *b = &v->samples[i];
        ck_assert_double_ge(b->seconds, a->seconds);
        ck_assert_uint_ge(b->items, a->items);
        ck_assert_uint_ge(b->edges, a->edges);
        ck_assert_uint_ge(b->useful, a->useful);
        ck_assert_uint_ge(b->stale, a->stale);
        ck_assert_uint_ge(b->activations, a->activations);
        ck_assert_uint_ge(b->spills, a->spills);
    }
    for (size_t i = 1; i < v->event_count; i++)
        ck_assert_double_ge(v->events[i].at.seconds, v->events[i - 1].at.seconds);
}

static void states_agree(const ordo_trace_view *v)
{
    for (size_t i = 0; i < v->sample_count; i++) {
        ordo_u32 busy = 0;
        for (int t = 0; t < v->threads; t++) {
            const unsigned char state = v->states[i * (size_t)v->threads + (size_t)t];
            ck_assert_int_lt(state, ORDO_TRACE_STATES);
            busy += state == ORDO_TRACE_BUSY || state == ORDO_TRACE_STEALING || state == ORDO_TRACE_MANAGING;
        }
        ck_assert_uint_eq(busy, v->samples[i].busy);
    }
}

static void ends_with_totals(const ordo_trace_view *v, const ordo_stats *s)
{
    const ordo_trace_sample *last = &v->samples[v->sample_count - 1];
    ck_assert_uint_eq(last->items, s->items);
    ck_assert_uint_eq(last->edges, s->edges);
    ck_assert_uint_eq(last->useful, s->useful);
    ck_assert_uint_eq(last->stale, s->stale);
    ck_assert_uint_eq(last->activations, s->activations);
    ck_assert_uint_eq(last->busy, 0);
}

/* A given period is kept: the i-th sample after the first is at the i-th multiple of it, or later. */
static void period_is_kept(const ordo_trace_view *v)
{
    ck_assert_double_eq(v->period, PERIOD);
    for (size_t i = 1; i + 1 < v->sample_count; i++)
        ck_assert_double_ge(v->samples[i].seconds, (double)i * PERIOD - 2e-6);
}

/* Runs until there is a sample in the middle of the run that shows work; `reset` makes the work, by `effort`. */
static void sampled(ordo_work (*reset)(void), ordo_options *options)
{
    ordo_trace *trace;
    bool seen = false;
    ck_assert_int_eq(ordo_trace_make(PERIOD, &trace), ORDO_OK);
    options->trace = trace;
    for (effort = 0; effort < ATTEMPTS && !seen; effort++) {
        ordo_work work = reset();
        ordo_stats stats;
        ordo_trace_clear(trace);
        const double begin = seconds_now();
        ck_assert_msg(ordo_run(&work, options, &stats) == ORDO_OK, "%s", ordo_last_error());
        const double wall = seconds_now() - begin;
        const ordo_trace_view v = ordo_trace_look(trace);
        ck_assert_int_eq(v.threads, options->threads);
        ck_assert_uint_ge(v.sample_count, 2);
        ck_assert(v.samples[0].seconds == 0 && v.samples[0].items == 0 && !v.incomplete);
        ck_assert_uint_eq(v.samples[0].in_flight, work.initial ? work.initial_count : work.num_items);
        ck_assert_double_le(v.samples[v.sample_count - 1].seconds, wall);
        ck_assert_msg(v.samples[v.sample_count - 1].in_flight == 0, "%s: %llu left", options->scheduler,
                      (unsigned long long)v.samples[v.sample_count - 1].in_flight);
        ck_assert_uint_eq(v.event_count, stats.trace_count);
        for (size_t i = 0; i < v.event_count; i++)
            ck_assert(v.events[i].at.seconds >= 0 && v.events[i].at.seconds <= wall);
        counters_never_fall(&v);
        states_agree(&v);
        ends_with_totals(&v, &stats);
        period_is_kept(&v);
        for (size_t i = 1; i + 1 < v.sample_count; i++)
            seen = seen || (v.samples[i].busy && v.samples[i].items + v.samples[i].in_flight > 0);
        ordo_stats_free(&stats);
    }
    effort = 0;
    ck_assert_msg(seen, "%s, sync %s: no sample in %d runs", options->scheduler, options->sync, ATTEMPTS);
    options->trace = NULL;
    ordo_trace_free(trace);
}

/* ---- under every scheduler and sync ---- */

static ordo_work reset_sssp(void)
{
    static int made = -1; /* the effort of the graph */
    if (!graph || made != effort) {
        drop_graph();
        made = effort;
        make_grid((unsigned)(100 / SLOWER * pow(2, effort / 2.0)));
    }
    return work_for("sssp_u32");
}

static ordo_work reset_bfs(void)
{
    drop_graph();
    make_rmat((SLOWER == 1 ? 14 : 12) + effort);
    return work_for("bfs");
}

static bank_transfer transfers[MOST_TRANSFERS];
static ordo_u32 outcomes[MOST_TRANSFERS];
static ordo_u64 balances[ACCOUNTS];

static ordo_work reset_bank(void)
{
    static bank_state state = {transfers, outcomes, balances};
    const ordo_u32 count = (ordo_u32)TRANSFERS << effort;
    for (ordo_u32 i = 0; i < count; i++) {
        transfers[i] = (bank_transfer){i * 7919 % ACCOUNTS, (i * 7919 + 1 + i % 90) % ACCOUNTS, 1};
        outcomes[i] = BANK_OPEN;
    }
    for (int a = 0; a < ACCOUNTS; a++)
        balances[a] = 1000;
    return (ordo_work){.op = ordo_operator_find("bank"), .state = &state, .num_items = count, .targets = ACCOUNTS};
}

static void under_all(ordo_work (*reset)(void), int threads)
{
    const ordo_scheduler *all[16];
    const size_t count = ordo_schedulers(all, 16);
    for (size_t s = 0; s < count; s++)
        for (int sync = 1; sync < ORDO_SYNCS; sync++) {
            ordo_options options = {
                .scheduler = all[s]->name, .sync = ordo_sync_name((ordo_sync)sync), .threads = threads};
            ordo_work work = reset();
            if (!ordo_run_check(&work, &options))
                sampled(reset, &options);
        }
}

static const int teams[] = {1, 2, 5};

START_TEST(every_scheduler_and_sync)
{
    under_all(reset_sssp, teams[_i]);
    drop_graph();
}
END_TEST

START_TEST(critical_operators)
{
    under_all(reset_bank, teams[_i]);
}
END_TEST

/* bsp pulls here, and goes back to pushing. */
START_TEST(supersteps_that_pull)
{
    ordo_options options = {.scheduler = "bsp", .sync = "atomic", .threads = teams[_i]};
    sampled(reset_bfs, &options);
    drop_graph();
}
END_TEST

/* What finds the pool of `adds` full is counted. */
START_TEST(spills_are_counted)
{
    make_rmat(13);
    const char *settings[] = {"pool=64"};
    ordo_trace *trace;
    ck_assert_int_eq(ordo_trace_make(PERIOD, &trace), ORDO_OK);
    ordo_options options = {
        .scheduler = "adds", .threads = 2, .settings = settings, .setting_count = 1, .trace = trace};
    ordo_u64 spills = 0;
    for (int attempt = 0; attempt < 50 && !spills; attempt++) { /* the end of a run may come between samples */
        ordo_work work = work_for("sssp_u32");
        ck_assert_int_eq(ordo_run(&work, &options, NULL), ORDO_OK);
        const ordo_trace_view v = ordo_trace_look(trace);
        counters_never_fall(&v);
        spills = v.samples[v.sample_count - 1].spills;
    }
    ck_assert_uint_gt(spills, 0);
    ordo_trace_free(trace);
    drop_graph();
}
END_TEST

/* ---- several runs, and runs that fail ---- */

START_TEST(runs_are_put_on_one_axis)
{
    enum { RUNS = 1500 / SLOWER };
    make_grid(8);
    ordo_trace *trace;
    ck_assert_int_eq(ordo_trace_make(0, &trace), ORDO_OK);
    ordo_options options = {.scheduler = "delta", .threads = 2, .trace = trace};
    ordo_u64 items = 0, activations = 0;
    size_t most = 0;
    for (int i = 0; i < RUNS; i++) {
        ordo_work work = work_for("sssp_u32");
        ordo_stats stats;
        ck_assert_int_eq(ordo_run(&work, &options, &stats), ORDO_OK);
        items += stats.items;
        activations += stats.activations;
        most += 2;
        ordo_stats_free(&stats);
        const ordo_trace_view v = ordo_trace_look(trace);
        ck_assert_uint_le(v.sample_count, ORDO_TRACE_CHOSEN + 1);
        ck_assert_uint_le(v.event_count, ORDO_TRACE_MAX);
        ck_assert_uint_eq(v.samples[v.sample_count - 1].items, items);
        ck_assert_uint_eq(v.samples[v.sample_count - 1].activations, activations);
    }
    const ordo_trace_view v = ordo_trace_look(trace);
    counters_never_fall(&v);
    states_agree(&v);
    if (most > ORDO_TRACE_CHOSEN)
        ck_assert_double_ge(v.period, 2 * 250e-6); /* it has been thinned */
    ordo_trace_clear(trace);
    ck_assert_uint_eq(ordo_trace_look(trace).sample_count, 0);
    ordo_trace_free(trace);
    drop_graph();
}
END_TEST

START_TEST(runs_that_are_ended_keep_their_samples)
{
    make_grid(400);
    const ordo_scheduler *all[16];
    const size_t count = ordo_schedulers(all, 16);
    for (size_t s = 0; s < count; s++) {
        ordo_trace *trace;
        ck_assert_int_eq(ordo_trace_make(PERIOD, &trace), ORDO_OK);
        ordo_options options = {.scheduler = all[s]->name, .threads = 2, .timeout = 0.002, .trace = trace};
        ordo_work work = work_for("sssp_u32");
        ordo_stats stats;
        ck_assert_int_eq(ordo_run(&work, &options, &stats), ORDO_ERR_TIMEOUT);
        const ordo_trace_view v = ordo_trace_look(trace);
        ck_assert_uint_ge(v.sample_count, 2);
        counters_never_fall(&v);
        ends_with_totals(&v, &stats);
        ordo_stats_free(&stats);
        ordo_trace_free(trace);
    }
    drop_graph();
}
END_TEST

START_TEST(wrong_periods_are_refused)
{
    const double wrong[] = {-1, 1e-6, 1e5, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ordo_trace *trace;
        ck_assert_int_eq(ordo_trace_make(wrong[i], &trace), ORDO_ERR_USAGE);
        ck_assert_ptr_nonnull(strstr(ordo_last_error(), "period of a trace"));
    }
    ordo_trace_free(NULL);
    ck_assert_str_eq(ordo_trace_state_name(ORDO_TRACE_STEALING), "stealing");
    ck_assert_str_eq(ordo_trace_state_name((ordo_trace_state)99), "?");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trace");
    TCase *tests = tcase_create("all");
    const int sizes = sizeof teams / sizeof teams[0];
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, every_scheduler_and_sync, 0, sizes);
    tcase_add_loop_test(tests, critical_operators, 0, sizes);
    tcase_add_loop_test(tests, supersteps_that_pull, 0, sizes);
    tcase_add_test(tests, spills_are_counted);
    tcase_add_test(tests, runs_are_put_on_one_axis);
    tcase_add_test(tests, runs_that_are_ended_keep_their_samples);
    tcase_add_test(tests, wrong_periods_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
