/* Traces of runs on a device, by a back end that needs none: tests/gpu/trace_backend.c, in the place of the real one
 * (tests/gpu/fake_test.py). What is sampled, when, and that nothing is read before the begin or after the end. */
#include <stdlib.h>
#include <string.h>

#include <ordo/ordo.h>
#include <ordo/scheduler/scheduler.h>

#include "tests/common/sssp_work.h"
#include "tests/common/suite.h"
#include "tests/gpu/trace_backend.h"

static ordo_graph *graph;
static ordo_u32 cells[64];
static ordo_item source;
static ordo_trace *trace;

static void set_up(void)
{
    const ordo_generate_options options = {.kind = "path", .vertices = 64};
    ck_assert_int_eq(ordo_graph_generate(&options, &graph), ORDO_OK);
}

static void tear_down(void)
{
    ordo_trace_free(trace);
    ordo_graph_free(graph);
    trace = NULL;
}

static ordo_status run(const char *scheduler, const char *device, ordo_stats *stats)
{
    const ordo_options options = {.scheduler = scheduler, .device = device, .threads = 2, .trace = trace};
    const ordo_work work = sssp_work("sssp_u32", graph, cells, &source);
    return ordo_run(&work, &options, stats);
}

static void check_rising(const ordo_trace_view *v)
{
    for (size_t i = 1; i < v->sample_count; i++) {
        const ordo_trace_sample *a = &v->samples[i - 1], *b = &v->samples[i];
        ck_assert(b->seconds >= a->seconds && b->items >= a->items && b->edges >= a->edges && b->useful >= a->useful);
        ck_assert(b->stale >= a->stale && b->activations >= a->activations && b->spills >= a->spills);
    }
}

/* Samples in the middle show what the source said, with sums that agree with each other. */
static void check_middle(const ordo_trace_view *v, size_t first)
{
    for (size_t i = first + 1; i + 1 < v->sample_count; i++) {
        const ordo_trace_sample *s = &v->samples[i], *base = &v->samples[first];
        const unsigned char *state = v->states + i * TRACED_WORKERS;
        ck_assert_uint_eq((s->items - base->items) * TRACED_EDGES, (s->edges - base->edges) * TRACED_ITEMS);
        ck_assert_uint_eq(s->in_flight, TRACED_IN_FLIGHT);
        ck_assert_uint_eq(s->busy, 1);
        ck_assert_uint_eq(s->concurrent, 2);
        ck_assert(s->delta == TRACED_DELTA);
        ck_assert_int_eq(state[0], ORDO_TRACE_BUSY);
        ck_assert(state[1] == ORDO_TRACE_WAITING || state[1] == ORDO_TRACE_BARRIER);
        ck_assert_int_eq(state[2], ORDO_TRACE_ENDED);
    }
}

static void check_end(const ordo_trace_view *v, ordo_u64 runs)
{
    const ordo_trace_sample *last = &v->samples[v->sample_count - 1];
    ck_assert_uint_eq(last->items, runs * TRACED_TURNS * TRACED_ITEMS);
    ck_assert_uint_eq(last->edges, runs * TRACED_TURNS * TRACED_EDGES);
    ck_assert_uint_eq(last->stale, runs * TRACED_TURNS);
    ck_assert_uint_eq(last->activations, runs * (TRACED_TURNS * (TRACED_ITEMS + 1) - 1)); /* but for the source */
    ck_assert_uint_eq(last->spills, runs * (TRACED_TURNS / 2));
    ck_assert_uint_eq(last->in_flight, 0);
    ck_assert_uint_eq(last->busy, 0);
    ck_assert(last->delta == TRACED_DELTA);
    for (int w = 0; w < TRACED_WORKERS; w++)
        ck_assert_int_eq(v->states[(v->sample_count - 1) * TRACED_WORKERS + (size_t)w], ORDO_TRACE_ENDED);
}

START_TEST(a_run_is_sampled)
{
    ck_assert_int_eq(ordo_trace_make(0, &trace), ORDO_OK);
    ordo_stats stats;
    ck_assert_msg(run("delta", "cuda", &stats) == ORDO_OK, "%s", ordo_last_error());
    const ordo_trace_view v = ordo_trace_look(trace);
    ck_assert_int_eq(v.threads, TRACED_WORKERS);
    ck_assert_uint_ge(v.sample_count, 10);
    ck_assert(v.samples[0].seconds == 0 && v.samples[0].items == 0 && v.samples[0].in_flight == 1);
    ck_assert_double_ge(v.period, 1e-4);
    check_rising(&v);
    check_middle(&v, 0);
    check_end(&v, 1);
    ck_assert_uint_eq(v.event_count, 1);
    ck_assert_double_ge(v.samples[v.sample_count - 1].seconds, TRACED_TURNS * 0.5e-3);
    ordo_stats_free(&stats);
}
END_TEST

START_TEST(a_period_is_kept)
{
    ck_assert_int_eq(ordo_trace_make(2e-3, &trace), ORDO_OK);
    ck_assert_int_eq(run("delta", "cuda", NULL), ORDO_OK);
    const ordo_trace_view v = ordo_trace_look(trace);
    ck_assert(v.period == 2e-3);
    for (size_t i = 1; i + 1 < v.sample_count; i++)
        ck_assert_double_ge(v.samples[i].seconds, (double)i * 2e-3 - 2e-6);
}
END_TEST

START_TEST(runs_are_added_up)
{
    ck_assert_int_eq(ordo_trace_make(0, &trace), ORDO_OK);
    for (ordo_u64 runs = 1; runs <= 3; runs++) {
        ck_assert_int_eq(run("delta", "cuda", NULL), ORDO_OK);
        const ordo_trace_view v = ordo_trace_look(trace);
        check_rising(&v);
        check_end(&v, runs);
    }
    const size_t before = ordo_trace_look(trace).sample_count;
    ck_assert_int_eq(run("delta", "cpu", NULL), ORDO_OK); /* has fewer workers */
    const ordo_trace_view v = ordo_trace_look(trace);
    ck_assert_int_eq(v.threads, TRACED_WORKERS);
    ck_assert_uint_ge(v.sample_count, before + 2);
    ck_assert_uint_eq(v.samples[v.sample_count - 1].items, 3 * TRACED_TURNS * TRACED_ITEMS + 64);
    check_rising(&v);
}
END_TEST

START_TEST(more_workers_than_before)
{
    ck_assert_int_eq(ordo_trace_make(0, &trace), ORDO_OK);
    ck_assert_int_eq(run("delta", "cpu", NULL), ORDO_OK);
    const size_t before = ordo_trace_look(trace).sample_count;
    ck_assert_int_eq(run("delta", "cuda", NULL), ORDO_OK);
    const ordo_trace_view v = ordo_trace_look(trace);
    ck_assert_int_eq(v.threads, TRACED_WORKERS);
    ck_assert_uint_ge(v.sample_count, before + 10);
    check_rising(&v);
    check_middle(&v, before);
    for (size_t i = 0; i < before; i++)
        ck_assert_int_eq(v.states[i * TRACED_WORKERS + TRACED_WORKERS - 1], ORDO_TRACE_ENDED);
}
END_TEST

START_TEST(a_run_of_two_parts)
{
    ck_assert_int_eq(ordo_trace_make(0, &trace), ORDO_OK);
    ck_assert_msg(run("adds", "cuda", NULL) == ORDO_OK, "%s", ordo_last_error());
    const ordo_trace_view v = ordo_trace_look(trace);
    check_rising(&v);
    check_middle(&v, 0);
    check_end(&v, 1);
}
END_TEST

START_TEST(runs_without_samples)
{
    ck_assert_int_eq(ordo_trace_make(0, &trace), ORDO_OK);
    ck_assert_int_eq(run("near_far", "cuda", NULL), ORDO_OK);
    ck_assert_uint_eq(ordo_trace_look(trace).sample_count, 0);
    ck_assert_int_eq(run("bsp", "cuda", NULL), ORDO_ERR_DEVICE);
    ck_assert_uint_eq(ordo_trace_look(trace).sample_count, 0);
    ck_assert_int_eq(run("inbox", "cuda", NULL), ORDO_ERR_DEVICE);
    const ordo_trace_view v = ordo_trace_look(trace);
    check_rising(&v);
    check_end(&v, 1);
    ordo_trace *const mine = trace;
    trace = NULL; /* a run that is not traced */
    ck_assert_int_eq(run("delta", "cuda", NULL), ORDO_OK);
    trace = mine;
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trace_source");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_run_is_sampled);
    tcase_add_test(tests, a_period_is_kept);
    tcase_add_test(tests, runs_are_added_up);
    tcase_add_test(tests, more_workers_than_before);
    tcase_add_test(tests, a_run_of_two_parts);
    tcase_add_test(tests, runs_without_samples);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
