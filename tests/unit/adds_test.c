/* adds_test.c -- the scheduler `adds`: its queue alone under random delays, and operators under hard tunables.
 *
 * The queue is compiled here with 16-bit indices, which wrap round every 65536 entries, and with delays at every step
 * of its protocol. Operators run through the library, with the indices of the buckets starting near 2^32.
 */
#define _GNU_SOURCE /* usleep, pthreads */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void delay(void);
#define ADDS_HOOK(_step) delay()
#define ADDS_INDEX_BITS 16
#include "schedulers/adds/queue.h"

#include <ordo/graph.h>
#include <ordo/run.h>

#define ORDO_WEIGHT u32
#include "operators/sssp.h"
#undef ORDO_WEIGHT
#include "operators/bfs.h"

#include "tests/common/random.h"
#include "tests/common/settings.h"
#include "tests/common/suite.h"

static ordo_u32 delay_one_in; /* set before threads start */
static void delay(void)
{
    if (!delay_one_in)
        return;
    ordo_u32 r = next_random();
    if (r % (delay_one_in * 32) == 0)
        usleep(r % 97);
    else if (r % delay_one_in == 0)
        sched_yield();
}

/* Waits for other threads: more of them than cores yield to each other for long. */
static void wait_for_others(ordo_u32 *tries)
{
    if (++*tries % 8)
        sched_yield();
    else
        usleep(20);
}

/* ---- the queue alone ---- */

/* FEWER: in short. At least half of the values are in the first bucket, whose 16 bits of places must wrap. */
enum { FEWER = BRIEFER > 1, WRITERS = 3, READERS = 2, QUEUE_BUCKETS = 4 };

typedef struct station { /* what the manager gives to a reader: location + 1 | size << 32 | bucket << 48 */
    _Alignas(64) ordo_u64 flag;
} station;

typedef struct exercise {
    adds_queue q;
    ordo_u64 each; /* values a writer */
    ordo_u32 *seen;
    ordo_u32 writers_done;
    station reader[READERS];
    ordo_u64 starved; /* pushes that found no free slots */
} exercise;

typedef struct actor {
    exercise *e;
    ordo_u32 index;
    pthread_t thread;
} actor;

static void *writer_main(void *arg)
{
    actor *a = arg;
    exercise *e = a->e;
    seed = 0x9e3779b97f4a7c15u * (a->index + 1);
    adds_writer w;
    adds_writer_init(&w);
    ordo_u64 value[64];
    ordo_u32 tries = 0;
    for (ordo_u64 i = 0; i < e->each;) {
        ordo_u32 count = 1 + next_random() % 64, pushed = 0;
        if (count > e->each - i)
            count = (ordo_u32)(e->each - i);
        for (ordo_u32 k = 0; k < count; k++)
            value[k] = a->index * e->each + i + k;
        while (pushed < count) { /* if the bucket has no free slots, another one may have some */
            ordo_u32 b = next_random() % 8 ? 0 : next_random() % QUEUE_BUCKETS, more;
            more = adds_push(&e->q, &w, b, value + pushed, count - pushed, sizeof *value);
            pushed += more;
            if (!more) {
                __atomic_fetch_add(&e->starved, 1, __ATOMIC_RELAXED);
                adds_call_memory(&e->q, b);
                wait_for_others(&tries);
            }
        }
        i += count;
    }
    __atomic_fetch_add(&e->writers_done, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void *reader_main(void *arg)
{
    actor *a = arg;
    exercise *e = a->e;
    seed = 0x517cc1b727220a95u * (a->index + 1);
    for (ordo_u32 tries = 0;;) {
        ordo_u64 flag = __atomic_load_n(&e->reader[a->index].flag, __ATOMIC_ACQUIRE);
        if (!flag) {
            wait_for_others(&tries);
            continue;
        }
        if (flag == ~(ordo_u64)0)
            return NULL;
        __atomic_store_n(&e->reader[a->index].flag, 0, __ATOMIC_RELAXED);
        ordo_u32 location = (ordo_u32)flag - 1, size = (ordo_u32)(flag >> 32) & 0xffff;
        const ordo_u64 *value = (const ordo_u64 *)(const void *)e->q.pool + location;
        for (ordo_u32 i = 0; i < size; i++) {
            ck_assert_uint_lt(value[i], WRITERS * e->each);
            __atomic_fetch_add(&e->seen[value[i]], 1, __ATOMIC_RELAXED);
        }
        adds_done_reading(&e->q, location, size);
        adds_done_work(&e->q, (ordo_u32)(flag >> 48), size);
    }
}

/* Every value that is pushed is read exactly once, and all blocks come back. */
static void exercise_queue(ordo_u32 blocks, ordo_u64 each, ordo_u32 one_in)
{
    delay_one_in = one_in;
    exercise e = {.each = each};
    adds_layout layout = adds_layout_for(QUEUE_BUCKETS, blocks * 64, 64, 16, 0, sizeof(ordo_u64), ADDS_MOST);
    ck_assert_uint_eq(layout.blocks, blocks);
    ck_assert_uint_eq(layout.block_shift, 6);
    layout.start = 0xfff0;
    ck_assert(adds_queue_init(&e.q, &layout));
    e.seen = calloc(WRITERS * each, sizeof *e.seen);
    actor writer[WRITERS], reader[READERS];
    for (ordo_u32 i = 0; i < WRITERS; i++) {
        writer[i] = (actor){.e = &e, .index = i};
        ck_assert(!pthread_create(&writer[i].thread, NULL, writer_main, &writer[i]));
    }
    for (ordo_u32 i = 0; i < READERS; i++) {
        reader[i] = (actor){.e = &e, .index = i};
        ck_assert(!pthread_create(&reader[i].thread, NULL, reader_main, &reader[i]));
    }
    bool most_ready = false, ended = false;
    ordo_u32 tries = 0;
    while (!ended) { /* the manager */
        adds_memory(&e.q, next_random() % QUEUE_BUCKETS);
        ordo_u32 idle = 0;
        for (ordo_u32 r = 0; r < READERS; r++) {
            if (__atomic_load_n(&e.reader[r].flag, __ATOMIC_RELAXED))
                continue;
            for (ordo_u32 k = 0, b = next_random() % QUEUE_BUCKETS; k < QUEUE_BUCKETS;
                 k++, b = (b + 1) % QUEUE_BUCKETS) {
                ordo_u32 location, size;
                adds_probe(&e.q, b);
                if ((size = adds_take(&e.q, b, 1 + next_random() % 100, &location)) != 0) {
                    ordo_u64 flag = ((ordo_u64)location + 1) | (ordo_u64)size << 32 | (ordo_u64)b << 48;
                    __atomic_store_n(&e.reader[r].flag, flag, __ATOMIC_RELEASE);
                    idle = 0;
                    break;
                }
                idle++;
            }
        }
        if (!idle)
            continue;
        wait_for_others(&tries);
        if (most_ready) { /* writers were done before this look */
            ended = true;
            for (ordo_u32 b = 0; b < QUEUE_BUCKETS; b++)
                ended = ended && adds_complete(&e.q, b);
        }
        most_ready = __atomic_load_n(&e.writers_done, __ATOMIC_ACQUIRE) == WRITERS;
    }
    for (ordo_u32 r = 0; r < READERS; r++) {
        __atomic_store_n(&e.reader[r].flag, ~(ordo_u64)0, __ATOMIC_RELEASE);
        pthread_join(reader[r].thread, NULL);
    }
    for (ordo_u32 i = 0; i < WRITERS; i++)
        pthread_join(writer[i].thread, NULL);
    for (ordo_u64 v = 0; v < WRITERS * each; v++)
        ck_assert_msg(e.seen[v] == 1, "value %llu was read %u times", (unsigned long long)v, e.seen[v]);
    ordo_u32 mapped = 0;
    ordo_u64 total = 0;
    adds_memory(&e.q, 0);
    for (ordo_u32 b = 0; b < QUEUE_BUCKETS; b++) {
        adds_memory_of(&e.q, b);
        mapped += adds_ahead(adds_alloc(e.q.bucket[b].ends), e.q.bucket[b].freed) >> 6;
        total += e.q.bucket[b].done - 0xffc0u;
    }
    ck_assert_uint_eq(mapped + e.q.free_count, blocks);
    ck_assert_uint_eq(total, WRITERS * each);
    ck_assert_uint_gt(e.q.bucket[0].done, 2 * 65536u); /* bucket 0 has gone round */
    if (blocks < 8)
        ck_assert_uint_gt(e.starved, 0);
    adds_queue_free(&e.q);
    free(e.seen);
    delay_one_in = 0;
}

START_TEST(queue_reads_every_value_once)
{
    exercise_queue(64, FEWER ? 50000 : 70000, 64); /* as many as take the first bucket round */
}
END_TEST

START_TEST(queue_with_a_pool_that_runs_dry)
{
    /* more than half may go to other buckets, when the first has no free slots */
    exercise_queue(5, FEWER ? 75000 : 130000, 64);
}
END_TEST

START_TEST(queue_without_delays)
{
    exercise_queue(16, FEWER ? 55000 : SLOWER > 1 ? 75000 : 300000, 0); /* 16 bits of places wrap in each bucket */
}
END_TEST

START_TEST(shapes_keep_in_proportion)
{
    adds_layout s = adds_layout_for(32, 0, 65536, 256, 100, 8, ADDS_MOST);
    ck_assert_uint_eq(s.block_shift, 6);
    ck_assert_uint_eq(s.blocks, 96);
    s = adds_layout_for(32, 1, 64, 256, 0, 8, ADDS_MOST);
    ck_assert_uint_eq(s.blocks, 1);
    ck_assert_uint_eq(s.segment_shift, 6);
    ck_assert_uint_eq(s.table_shift, 0);
    ck_assert_uint_eq(adds_ahead(3, 0xfffe), 5); /* 16 bits here */
}
END_TEST

/* ---- operators ---- */

/* Serial Dijkstra with an array for a queue: n is small. `unit`: every edge counts 1. */
static void reference(const ordo_csr *g, ordo_vid source, bool unit, ordo_u32 *dist)
{
    char *done = calloc(g->n, 1);
    for (ordo_vid v = 0; v < g->n; v++)
        dist[v] = 0xffffffffu;
    dist[source] = 0;
    for (;;) {
        ordo_vid u = ORDO_NO_VERTEX;
        for (ordo_vid v = 0; v < g->n; v++)
            if (!done[v] && dist[v] != 0xffffffffu && (u == ORDO_NO_VERTEX || dist[v] < dist[u]))
                u = v;
        if (u == ORDO_NO_VERTEX)
            break;
        done[u] = 1;
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_u32 d = dist[u] + (unit ? 1 : ((const ordo_u32 *)g->weight)[e * g->stride]);
            if (d < dist[g->head[e * g->stride]])
                dist[g->head[e * g->stride]] = d;
        }
    }
    free(done);
}

/* sssp_u32 or bfs from one vertex, of which the cells know nothing else. */
static ordo_work work_from(const ordo_item *source, const char *op, const ordo_graph *graph, ordo_u32 *cells)
{
    static const sssp_state_u32 no_limit = {0xfffffffeu};
    static const bfs_state no_depth = {0xfffffffeu};
    const ordo_csr *g = ordo_graph_out(graph);
    bool bfs = op[0] == 'b';
    for (ordo_vid v = 0; v < g->n; v++)
        cells[v] = 0xffffffffu;
    cells[*source] = 0;
    return (ordo_work){.op = ordo_operator_find(op),
                       .graph = graph,
                       .cells = cells,
                       .state = bfs ? (const void *)&no_depth : (const void *)&no_limit,
                       .num_items = g->n,
                       .targets = g->n,
                       .initial = source,
                       .initial_count = 1};
}

static ordo_stats run_once(const char *op, const ordo_graph *graph, ordo_u32 *cells, ordo_vid source, int threads,
                           const char *const *settings, size_t count)
{
    ordo_work work = work_from(&source, op, graph, cells);
    const char *taken[16];
    ordo_options options = {.scheduler = "adds",
                            .threads = threads,
                            .settings = taken,
                            .setting_count = settings_taken("adds", settings, count, taken)};
    ordo_stats stats;
    ck_assert_msg(ordo_run(&work, &options, &stats) == ORDO_OK, "%s", ordo_last_error());
    return stats;
}

static void compare_with_reference(const ordo_generate_options *make, int repeats)
{
    static const char *const ops[] = {"sssp_u32", "bfs"};
    static const char *const managers[] = {"manager=combining", "manager=dedicated"};
    static const char *const pools[] = {"pool=1", "pool=640", "pool=6400", "pool=0"};
    static const int threads[] = {1, 2, 3, 8};
    ordo_graph *graph;
    ck_assert_msg(!ordo_graph_generate(make, &graph), "%s", ordo_last_error());
    ordo_vid n = ordo_graph_out(graph)->n;
    ordo_u32 *expected[2], *cells = calloc(n, sizeof *cells);
    for (int o = 0; o < 2; o++)
        reference(ordo_graph_out(graph), 0, o == 1, expected[o] = calloc(n, sizeof *cells));
    for (int i = 0; i < repeats; i++) {
        char start[40], delta[40];
        snprintf(start, sizeof start, "start_index=%u", 0xffffffffu - (ordo_u32)(i % 7) * 64);
        snprintf(delta, sizeof delta, "delta=%d", 1 << (i % 11));
        const char *settings[] = {managers[i % 2],   pools[i / 2 % 4], start,     delta,        "block=64",
                                  "segment=16",      "epoch=2",        "grain=8", "cooldown=0", "concurrent_min=4",
                                  "concurrent_max=4"};
        int o = i / 32 % 2;
        ordo_stats stats =
            run_once(ops[o], graph, cells, 0, threads[i / 8 % 4], settings, sizeof settings / sizeof settings[0]);
        for (ordo_vid v = 0; v < n; v++)
            ck_assert_msg(cells[v] == expected[o][v], "repeat %d, %s: vertex %u has %u, expected %u", i, ops[o], v,
                          cells[v], expected[o][v]);
        ck_assert_uint_eq(stats.items + stats.stale, stats.activations + 1); /* nothing lost, nothing twice */
        ordo_stats_free(&stats);
    }
    for (int o = 0; o < 2; o++)
        free(expected[o]);
    free(cells);
    ordo_graph_free(graph);
}

START_TEST(hard_tunables_on_rmat)
{
    ordo_generate_options make = {
        .kind = "rmat", .scale = 9, .degree = 8, .edges.low = 1, .edges.high = 255, .edges.seed = 7};
    compare_with_reference(&make, 1000 / SLOWER);
}
END_TEST

START_TEST(hard_tunables_on_a_grid)
{
    ordo_generate_options make = {
        .kind = "grid", .width = 40, .height = 12, .edges.low = 0, .edges.high = 100, .edges.seed = 3};
    compare_with_reference(&make, 256 / SLOWER);
}
END_TEST

static void cancel_at_once(void *arg, const ordo_progress *progress)
{
    (void)progress;
    __atomic_store_n((volatile int *)arg, 1, __ATOMIC_RELAXED);
}

/* A path takes long: one item is in flight at a time. Cancelled from the first report, after a tenth of a second. */
START_TEST(a_run_is_cancelled_while_it_runs)
{
    static const char *const managers[] = {"manager=combining", "manager=dedicated"};
    ordo_generate_options make = {
        .kind = "grid", .width = 3000000 / BRIEFER, .height = 1, .edges.low = 5, .edges.high = 5, .edges.seed = 1};
    ordo_graph *graph;
    ck_assert_msg(!ordo_graph_generate(&make, &graph), "%s", ordo_last_error());
    ordo_u32 *cells = malloc(ordo_graph_out(graph)->n * sizeof *cells);
    for (int i = 0; i < 6; i++) {
        volatile int cancel = 0;
        const char *settings[] = {managers[i % 2], i < 4 ? "pool=0" : "pool=1", "block=64"}, *taken[3];
        ordo_item source = 0;
        ordo_work work = work_from(&source, "sssp_u32", graph, cells);
        ordo_options options = {.scheduler = "adds",
                                .threads = i < 2 ? 2 : 3,
                                .settings = taken,
                                .setting_count = settings_taken("adds", settings, 3, taken),
                                .cancel = &cancel,
                                .progress = cancel_at_once,
                                .progress_arg = (void *)(size_t)&cancel};
        ck_assert_int_eq(ordo_run(&work, &options, NULL), ORDO_ERR_CANCELLED);
    }
    free(cells);
    ordo_graph_free(graph);
}
END_TEST

/* A failing allocation, whichever it is, ends the run with its error and leaks nothing. */
START_TEST(short_memory_is_an_error)
{
    ordo_generate_options make = {
        .kind = "rmat", .scale = 8, .degree = 8, .edges.low = 1, .edges.high = 255, .edges.seed = 7};
    ordo_graph *graph;
    ck_assert_msg(!ordo_graph_generate(&make, &graph), "%s", ordo_last_error());
    ordo_u32 *cells = malloc(ordo_graph_out(graph)->n * sizeof *cells);
    ordo_u64 before = ordo_memory_now();
    const char *settings[] = {"pool=1", "block=64"}, *taken[2];
    const size_t count = settings_taken("adds", settings, 2, taken);
    ordo_status status = ORDO_ERR_MEMORY;
    for (ordo_u64 nth = 1; status && nth < 60; nth++) {
        ordo_item source = 0;
        ordo_work work = work_from(&source, "sssp_u32", graph, cells);
        ordo_options options = {.scheduler = "adds", .threads = 2, .settings = taken, .setting_count = count};
        ordo_memory_fail_after(nth);
        status = ordo_run(&work, &options, NULL);
        ordo_memory_fail_after(0);
        ck_assert(status == ORDO_OK || status == ORDO_ERR_MEMORY);
        ck_assert_uint_eq(ordo_memory_now(), before);
    }
    ck_assert_int_eq(status, ORDO_OK);
    free(cells);
    ordo_graph_free(graph);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("adds");
    TCase *queue = tcase_create("queue"), *operators = tcase_create("operators");
    tcase_set_timeout(queue, 300);
    tcase_set_timeout(operators, 300);
    tcase_add_test(queue, shapes_keep_in_proportion);
    tcase_add_test(queue, queue_reads_every_value_once);
    tcase_add_test(queue, queue_with_a_pool_that_runs_dry);
    tcase_add_test(queue, queue_without_delays);
    tcase_add_test(operators, hard_tunables_on_rmat);
    tcase_add_test(operators, hard_tunables_on_a_grid);
    tcase_add_test(operators, a_run_is_cancelled_while_it_runs);
    tcase_add_test(operators, short_memory_is_an_error);
    suite_add_tcase(suite, queue);
    suite_add_tcase(suite, operators);
    return run_suite(suite);
}
