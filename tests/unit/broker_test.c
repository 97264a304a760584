/* broker_test.c -- the Broker Queue alone, its linearizability by recorded histories, and the scheduler `broker`.
 *
 * The queue is compiled here with random delays at every step of its protocol. Histories are checked by
 * tests/common/fifo_check.h, which is itself compared with a search through all orders. The Broker Work Distributor and
 * queues with seeded faults must be caught by the same check.
 */
#define _GNU_SOURCE /* usleep, pthreads */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void delay(const char *step);
#define ORDO_BROKER_HOOK(_step) delay(_step)
#include <ordo/scheduler/broker_queue.h>

#include <ordo/graph.h>
#include <ordo/run.h>

#define ORDO_WEIGHT u32
#include "operators/sssp.h"
#undef ORDO_WEIGHT
#include "operators/bfs.h"

#include "tests/common/fifo_check.h"
#include "tests/common/random.h"
#include "tests/common/suite.h"

static ordo_u32 delay_one_in; /* set before threads start */
static _Thread_local const char *held_before;
static ordo_u32 holding, released;

static void delay(const char *step)
{
    if (held_before && !strcmp(held_before, step)) {
        held_before = NULL;
        __atomic_store_n(&holding, 1, __ATOMIC_RELEASE);
        for (int ms = 0; ms < 50 && !__atomic_load_n(&released, __ATOMIC_ACQUIRE); ms++)
            usleep(1000);
    }
    if (delay_one_in && next_random() % delay_one_in == 0)
        sched_yield();
}

static ordo_u64 clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t); /* orders nothing between threads, so that TSan sees what the queue orders */
    return (ordo_u64)t.tv_sec * 1000000000u + (ordo_u64)t.tv_nsec;
}

/* ---- the check ---- */

/* Whether calls can be put in an order that a FIFO queue has, and that agrees with time; by trying all. */
static bool some_order(const fifo_call *call, int count, unsigned done, ordo_u32 *queue, int head, int tail)
{
    if (done == (1u << count) - 1)
        return true;
    for (int i = 0; i < count; i++) {
        bool first = !(done >> i & 1);
        for (int k = 0; k < count && first; k++)
            first = (done >> k & 1) || k == i || call[k].end >= call[i].begin;
        if (!first)
            continue;
        const unsigned then = done | 1u << i;
        if (call[i].kind == FIFO_PUT) {
            queue[tail] = call[i].value;
            if (some_order(call, count, then, queue, head, tail + 1))
                return true;
        } else if (call[i].kind == FIFO_TAKEN ? head < tail && queue[head] == call[i].value : head == tail) {
            if (some_order(call, count, then, queue, head + (call[i].kind == FIFO_TAKEN), tail))
                return true;
        }
    }
    return false;
}

START_TEST(the_check_agrees_with_a_search)
{
    enum { MOST = 7 };
    int right = 0, wrong = 0;
    for (int trial = 0; trial < 60000 / SLOWER; trial++) {
        fifo_call call[MOST];
        ordo_u32 queue[MOST + 1] = {0};
        const int count = 2 + (int)(next_random() % (MOST - 1));
        ordo_u32 values = 0;
        const ordo_u32 span = 1 + next_random() % 6;
        for (int i = 0; i < count; i++) {
            const ordo_u64 begin = next_random() % 12;
            const ordo_u32 kind = next_random() % 8;
            call[i] = (fifo_call){begin, begin + next_random() % span, FIFO_PUT, values};
            if (kind < 4 || !values) {
                values++;
            } else {
                call[i].kind = kind < 7 ? FIFO_TAKEN : FIFO_EMPTY;
                call[i].value = next_random() % values;
            }
        }
        const char *found = fifo_violation(call, (size_t)count, values, 0);
        const bool expected = some_order(call, count, 0, queue, 0, 0);
        ck_assert_msg(!found == expected, "trial %d: found %s, a search finds %s", trial, found ? found : "nothing",
                      expected ? "an order" : "none");
        *(expected ? &right : &wrong) += 1;
    }
    ck_assert_int_gt(right, 1000 / SLOWER);
    ck_assert_int_gt(wrong, 1000 / SLOWER);
}
END_TEST

START_TEST(full_needs_as_many_values_as_places)
{
    const fifo_call call[] = {{1, 2, FIFO_PUT, 0}, {3, 4, FIFO_PUT, 1}, {5, 6, FIFO_TAKEN, 0}, {7, 8, FIFO_FULL, 0}};
    ck_assert_ptr_null(fifo_violation(call, 4, 2, 1));
    ck_assert_str_eq(fifo_violation(call, 4, 2, 2), "VFull");
}
END_TEST

/* ---- queues under test ---- */

enum kind { BQ, BWD, STACK, LATE, TWICE };

typedef struct subject {
    enum kind kind;
    ordo_broker_queue broker;
    ordo_u64 places;
    /* seeded faults */
    pthread_mutex_t lock;
    ordo_u32 *held;
    ordo_u64 head, tail;
} subject;

static _Thread_local ordo_u32 late_value, late_full; /* LATE: put when the thread puts the next one */

static void subject_make(subject *s, enum kind kind, ordo_u64 places)
{
    *s = (subject){.kind = kind, .places = ordo_broker_places(places)};
    pthread_mutex_init(&s->lock, NULL);
    ck_assert(ordo_broker_init(&s->broker, places, sizeof(ordo_u64), kind != BWD));
    s->held = calloc(1 << 20, sizeof *s->held);
}

static void subject_free(subject *s)
{
    ordo_broker_free(&s->broker);
    pthread_mutex_destroy(&s->lock);
    free(s->held);
}

/* Entries carry their value twice: halves of two writers would show. */
static ordo_u32 subject_put(subject *s, const ordo_u32 *value, ordo_u32 count)
{
    ordo_u64 entry[16];
    if (s->kind <= BWD) {
        for (ordo_u32 i = 0; i < count; i++)
            entry[i] = (ordo_u64)value[i] << 32 | value[i];
        return ordo_broker_enqueue(&s->broker, entry, count, sizeof *entry);
    }
    pthread_mutex_lock(&s->lock);
    ordo_u32 put = *value;
    if (s->kind == LATE) {
        put = late_value;
        late_value = *value;
    }
    if (s->kind != LATE || late_full)
        s->held[s->tail++] = put;
    late_full = 1;
    pthread_mutex_unlock(&s->lock);
    return 1;
}

static ordo_u32 subject_take(subject *s, ordo_u32 *value, ordo_u32 most)
{
    ordo_u64 entry[16];
    ordo_u32 got = 0;
    if (s->kind <= BWD) {
        got = ordo_broker_dequeue(&s->broker, entry, most, sizeof *entry);
        for (ordo_u32 i = 0; i < got; i++) {
            value[i] = (ordo_u32)entry[i];
            ck_assert_uint_eq(entry[i] >> 32, value[i]);
        }
        return got;
    }
    pthread_mutex_lock(&s->lock);
    if (s->head < s->tail) {
        *value = s->held[s->kind == STACK ? s->tail - 1 : s->head];
        got = 1;
        if (s->kind == STACK)
            s->tail--;
        else if (s->kind != TWICE || next_random() % 16)
            s->head++;
    }
    pthread_mutex_unlock(&s->lock);
    return got;
}

/* ---- histories ---- */

enum { THREADS = 4, CALLS = 3000 };

typedef struct recorder {
    subject *s;
    ordo_u32 index, count, puts;
    fifo_call call[CALLS * 4];
    pthread_t thread;
} recorder;

static void record(recorder *r, ordo_u64 begin, fifo_kind kind, const ordo_u32 *value, ordo_u32 count)
{
    const ordo_u64 end = clock_now();
    for (ordo_u32 i = 0; i < count; i++)
        r->call[r->count++] = (fifo_call){begin, end, kind, value ? value[i] : 0};
}

static void *recorder_main(void *arg)
{
    recorder *r = arg;
    seed = 0x9e3779b97f4a7c15u * (r->index + 1);
    late_full = 0;
    for (int i = 0; i < CALLS; i++) {
        ordo_u32 value[4];
        const ordo_u32 want = r->s->kind <= BWD && next_random() % 4 == 0 ? 1 + next_random() % 4 : 1;
        const bool put = next_random() % 2;
        for (ordo_u32 k = 0; k < want; k++)
            value[k] = r->index * CALLS * 4 + r->puts + k;
        const ordo_u64 begin = clock_now();
        const ordo_u32 got = put ? subject_put(r->s, value, want) : subject_take(r->s, value, want);
        if (!got)
            record(r, begin, put ? FIFO_FULL : FIFO_EMPTY, NULL, 1);
        else
            record(r, begin, put ? FIFO_PUT : FIFO_TAKEN, value, got);
        r->puts += put ? got : 0;
    }
    return NULL;
}

/* What a history of THREADS threads breaks, NULL if nothing. */
static const char *history(enum kind kind, ordo_u64 places, ordo_u32 one_in)
{
    subject s;
    static recorder r[THREADS];
    static fifo_call call[THREADS * CALLS * 4];
    size_t count = 0;
    subject_make(&s, kind, places);
    delay_one_in = one_in;
    for (ordo_u32 i = 0; i < THREADS; i++) {
        r[i].s = &s;
        r[i].index = i;
        r[i].count = r[i].puts = 0;
        ck_assert(!pthread_create(&r[i].thread, NULL, recorder_main, &r[i]));
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(r[i].thread, NULL);
        memcpy(call + count, r[i].call, r[i].count * sizeof *call);
        count += r[i].count;
    }
    delay_one_in = 0;
    const char *found = fifo_violation(call, count, THREADS * CALLS * 4, kind <= BWD ? s.places : 0);
    subject_free(&s);
    return found;
}

START_TEST(the_broker_queue_is_linearizable)
{
    static const ordo_u64 places[] = {1, 2, 3, 16, 1024};
    for (int i = 0; i < 40 / SLOWER; i++) {
        const char *found = history(BQ, places[i % 5], i / 5 % 4 ? 2u + (ordo_u32)i % 7 : 0);
        ck_assert_msg(!found, "history %d, %llu places: %s", i, (unsigned long long)places[i % 5], found);
    }
}
END_TEST

static bool is_caught(enum kind kind, const char *as)
{
    for (int i = 0; i < 40; i++) {
        const char *found = history(kind, 16, 4);
        ck_assert_msg(!found || strstr(as, found), "%s, expected %s", found, as);
        if (found)
            return true;
    }
    return false;
}

START_TEST(seeded_faults_are_caught)
{
    ck_assert(is_caught(STACK, "VOrd"));
    ck_assert(is_caught(LATE, "VOrd VWit"));
    ck_assert(is_caught(TWICE, "VRepet"));
}
END_TEST

static ordo_u64 tick(void) /* so that the next call begins later than the last ended */
{
    usleep(10);
    return clock_now();
}

/* One call, recorded. */
static void put_one(recorder *r, ordo_u32 value)
{
    const ordo_u64 begin = tick();
    const ordo_u32 got = subject_put(r->s, &value, 1);
    record(r, begin, got ? FIFO_PUT : FIFO_FULL, &value, 1);
}
static void take_one(recorder *r)
{
    ordo_u32 value = 0;
    const ordo_u64 begin = tick();
    const ordo_u32 got = subject_take(r->s, &value, 1);
    record(r, begin, got ? FIFO_TAKEN : FIFO_EMPTY, &value, 1);
}

/* A thread that is held between assurance and ticket, of one call. */
static void *held_taker(void *arg)
{
    held_before = "D2";
    take_one(arg);
    return NULL;
}
static void *held_putter(void *arg)
{
    held_before = "E2";
    put_one(arg, 1);
    return NULL;
}

/* What another thread's calls meanwhile break.
 * A taker is held: the queue has one value, of which the held thread is assured. The Broker Work Distributor says
 * `empty`, and then, after a further put, gives that value to a call that began later.
 * A putter is held: it is assured of the second of two places. The distributor says `full`; then a value is taken, and
 * a put that began later overtakes the held one.
 * The Broker Queue waits for the held thread before it answers. */
static const char *calls_while_one_is_held(enum kind kind, bool taker)
{
    subject s;
    static recorder held, mine;
    static fifo_call call[16];
    subject_make(&s, kind, 2);
    held = mine = (recorder){.s = &s};
    holding = released = 0;
    put_one(&mine, 0);
    ck_assert(!pthread_create(&held.thread, NULL, taker ? held_taker : held_putter, &held));
    while (!__atomic_load_n(&holding, __ATOMIC_ACQUIRE))
        usleep(10);
    if (taker) {
        take_one(&mine);
        put_one(&mine, 2);
        take_one(&mine);
    } else {
        put_one(&mine, 2);
        take_one(&mine);
        put_one(&mine, 3);
        take_one(&mine);
    }
    __atomic_store_n(&released, 1, __ATOMIC_RELEASE);
    pthread_join(held.thread, NULL);
    take_one(&mine);
    memcpy(call, mine.call, mine.count * sizeof *call);
    memcpy(call + mine.count, held.call, held.count * sizeof *call);
    const char *found = fifo_violation(call, mine.count + held.count, 4, s.places);
    subject_free(&s);
    return found;
}

START_TEST(the_work_distributor_is_not)
{
    for (int taker = 0; taker < 2; taker++) {
        const char *found = calls_while_one_is_held(BWD, taker);
        ck_assert_msg(found && !strcmp(found, taker ? "VWit" : "VFull"), "%s", found ? found : "linearizable");
        found = calls_while_one_is_held(BQ, taker);
        ck_assert_msg(!found, "%s", found);
    }
}
END_TEST

/* ---- the queue alone ---- */

START_TEST(one_thread_sees_a_bounded_fifo)
{
    for (ordo_u64 places = 1; places <= 20; places++) {
        ordo_broker_queue q;
        ck_assert(ordo_broker_init(&q, places, sizeof(ordo_u64), places % 2));
        const ordo_u64 size = ordo_broker_places(places);
        ck_assert_uint_ge(size, places);
        ordo_u64 put = 0, taken = 0, entry[40];
        for (int i = 0; i < 2000; i++) {
            const ordo_u32 want = 1 + next_random() % 40;
            if (next_random() % 2) {
                for (ordo_u32 k = 0; k < want; k++)
                    entry[k] = put + k;
                const ordo_u32 got = ordo_broker_enqueue(&q, entry, want, sizeof *entry);
                ck_assert_uint_eq(got, want < size - (put - taken) ? want : size - (put - taken));
                put += got;
            } else {
                const ordo_u32 got = ordo_broker_dequeue(&q, entry, want, sizeof *entry);
                ck_assert_uint_eq(got, want < put - taken ? want : put - taken);
                for (ordo_u32 k = 0; k < got; k++)
                    ck_assert_uint_eq(entry[k], taken++);
            }
            ck_assert_uint_eq(ordo_broker_count(&q), put - taken);
        }
        ordo_broker_free(&q);
    }
}
END_TEST

/* Turns are counted modulo 2^32: the queue goes on where they and the lower halves of tickets wrap. */
START_TEST(turns_wrap)
{
    ordo_broker_queue q;
    ordo_u64 value = 7;
    ck_assert(ordo_broker_init(&q, 2, sizeof value, true));
    q.head = q.tail = ((ordo_u64)1 << 32) - 4;
    q.turn[0] = q.turn[1] = 2 * (ordo_u32)(q.tail >> q.shift);
    for (ordo_u64 i = 0; i < 20; i++) {
        ck_assert_uint_eq(ordo_broker_enqueue(&q, &i, 1, sizeof i), 1);
        ck_assert_uint_eq(ordo_broker_dequeue(&q, &value, 1, sizeof value), 1);
        ck_assert_uint_eq(value, i);
    }
    ordo_broker_free(&q);
}
END_TEST

/* ---- the scheduler ---- */

static ordo_stats run_once(const char *op, const ordo_graph *graph, ordo_u32 *cells, int threads,
                           const char *const *settings, size_t count)
{
    static const sssp_state_u32 no_limit = {0xfffffffeu};
    static const bfs_state no_depth = {0xfffffffeu};
    const ordo_vid n = ordo_graph_out(graph)->n;
    const ordo_item source = 0;
    memset(cells, 0xff, n * sizeof *cells);
    cells[source] = 0;
    ordo_work work = {.op = ordo_operator_find(op),
                      .graph = graph,
                      .cells = cells,
                      .state = op[0] == 'b' ? (const void *)&no_depth : (const void *)&no_limit,
                      .num_items = n,
                      .targets = n,
                      .initial = &source,
                      .initial_count = 1};
    ordo_options options = {.scheduler = "broker", .threads = threads, .settings = settings, .setting_count = count};
    ordo_stats stats;
    ck_assert_msg(ordo_run(&work, &options, &stats) == ORDO_OK, "%s", ordo_last_error());
    return stats;
}

/* One thread processes vertices in the order of a breadth-first search, however small the queue and the batches are: so
 * what does not fit keeps its order. */
START_TEST(one_thread_is_in_order_whatever_fits)
{
    static const char *const rings[] = {"ring=1", "ring=2", "ring=37", "ring=0"};
    static const char *const batches[] = {"batch=1", "batch=64"}, *const stages[] = {"stage=1", "stage=7", "stage=64"};
    ordo_generate_options make = {.kind = "rmat", .scale = 10, .degree = 8, .edges.seed = 7};
    ordo_graph *graph;
    ck_assert_msg(!ordo_graph_generate(&make, &graph), "%s", ordo_last_error());
    const ordo_vid n = ordo_graph_out(graph)->n;
    ordo_u32 *cells = malloc(n * sizeof *cells);
    for (int i = 0; i < 24; i++) {
        const char *settings[] = {rings[i % 4], batches[i / 4 % 2], stages[i / 8]};
        ordo_stats stats = run_once("bfs", graph, cells, 1, settings, 3);
        ordo_u64 reached = 0;
        for (ordo_vid v = 0; v < n; v++)
            reached += cells[v] != 0xffffffffu;
        ck_assert_uint_gt(reached, 100);
        ck_assert_uint_eq(stats.items, reached);
        ck_assert_uint_eq(stats.stale, 0);
        /* staged activations, and the capacity of the backlog: at most 2 times, while it grows 3 times, what waits */
        ck_assert_uint_lt(stats.peak_worklist_bytes, 4 * n * 12 + 65536);
        ordo_stats_free(&stats);
    }
    free(cells);
    ordo_graph_free(graph);
}
END_TEST

START_TEST(nothing_is_lost_with_few_places)
{
    ordo_generate_options make = {
        .kind = "rmat", .scale = 9, .degree = 8, .edges.low = 1, .edges.high = 255, .edges.seed = 7};
    ordo_graph *graph;
    ck_assert_msg(!ordo_graph_generate(&make, &graph), "%s", ordo_last_error());
    const ordo_vid n = ordo_graph_out(graph)->n;
    ordo_u32 *expected = malloc(n * sizeof *expected), *cells = malloc(n * sizeof *cells);
    ordo_stats stats = run_once("sssp_u32", graph, expected, 1, NULL, 0);
    ordo_stats_free(&stats);
    for (int i = 0; i < 200 / SLOWER; i++) {
        char ring[16];
        snprintf(ring, sizeof ring, "ring=%d", 1 + i % 9);
        const char *settings[] = {i % 2 ? "queue=bwd" : "queue=bq", ring, i % 3 ? "batch=3" : "batch=64", "stage=5"};
        stats = run_once("sssp_u32", graph, cells, 1 + i % 4, settings, 4);
        ck_assert_mem_eq(cells, expected, n * sizeof *cells);
        ck_assert_uint_eq(stats.items + stats.stale, stats.activations + 1); /* nothing lost, nothing twice */
        ordo_stats_free(&stats);
    }
    free(cells);
    free(expected);
    ordo_graph_free(graph);
}
END_TEST

/* A failing allocation, whichever it is, ends the run with its error and leaks nothing. */
START_TEST(short_memory_is_an_error)
{
    static const sssp_state_u32 no_limit = {0xfffffffeu};
    ordo_generate_options make = {
        .kind = "rmat", .scale = 8, .degree = 8, .edges.low = 1, .edges.high = 255, .edges.seed = 7};
    ordo_graph *graph;
    ck_assert_msg(!ordo_graph_generate(&make, &graph), "%s", ordo_last_error());
    const ordo_vid n = ordo_graph_out(graph)->n;
    ordo_u32 *cells = malloc(n * sizeof *cells);
    const ordo_u64 before = ordo_memory_now();
    static const char *const settings[] = {"ring=1"};
    ordo_status status = ORDO_ERR_MEMORY;
    for (ordo_u64 nth = 1; status && nth < 60; nth++) {
        const ordo_item source = 0;
        memset(cells, 0xff, n * sizeof *cells);
        cells[0] = 0;
        ordo_work work = {.op = ordo_operator_find("sssp_u32"),
                          .graph = graph,
                          .cells = cells,
                          .state = &no_limit,
                          .num_items = n,
                          .targets = n,
                          .initial = &source,
                          .initial_count = 1};
        ordo_options options = {.scheduler = "broker", .threads = 2, .settings = settings, .setting_count = 1};
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
    Suite *suite = suite_create("broker");
    TCase *queue = tcase_create("queue"), *histories = tcase_create("histories"),
          *scheduler = tcase_create("scheduler");
    tcase_set_timeout(histories, 120);
    tcase_set_timeout(scheduler, 120);
    tcase_add_test(queue, one_thread_sees_a_bounded_fifo);
    tcase_add_test(queue, turns_wrap);
    tcase_add_test(histories, the_check_agrees_with_a_search);
    tcase_add_test(histories, full_needs_as_many_values_as_places);
    tcase_add_test(histories, the_broker_queue_is_linearizable);
    tcase_add_test(histories, the_work_distributor_is_not);
    tcase_add_test(histories, seeded_faults_are_caught);
    tcase_add_test(scheduler, one_thread_is_in_order_whatever_fits);
    tcase_add_test(scheduler, nothing_is_lost_with_few_places);
    tcase_add_test(scheduler, short_memory_is_an_error);
    suite_add_tcase(suite, queue);
    suite_add_tcase(suite, histories);
    suite_add_tcase(suite, scheduler);
    return run_suite(suite);
}
