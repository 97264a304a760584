/* bench_queue.c -- `ordo bench queue`: operations a second of the Broker Queue and of the Broker Work Distributor.
 *
 * Two patterns, each with as many enqueues as dequeues. `phases`: all threads enqueue, meet, and dequeue; the queue
 * holds all entries between. `mixed`: every thread enqueues a batch and then tries to dequeue one, over and over, on a
 * queue of MIXED_PLACES. Entries are of 8 bytes, as worklist entries are. Runs are interleaved. Every one is checked:
 * the number of entries that came out, their sum, and the sum of their squares are those of what was put in.
 */
#include "apps/cli/bench.h"

#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/scheduler/broker_queue.h>

enum { MOST_ROWS = 32, MOST_BATCH = 4096, MIXED_PLACES = 65536 };
enum { FORMS = 2, PATTERNS = 2, CELLS = FORMS * PATTERNS };
static const char *const forms[FORMS] = {"bq", "bwd"}, *const patterns[PATTERNS] = {"phases", "mixed"};

typedef struct entry {
    ordo_u32 value, item;
} entry;

/* What a member has taken. */
typedef struct taken {
    ordo_u64 count, sum, squares, padding[5];
} taken;

typedef struct load {
    const options *o;
    ordo_broker_queue queue[PATTERNS];
    ordo_broker_queue *used;
    ordo_team *team;
    ordo_u64 entries;      /* put in and taken in a run */
    ordo_u64 sum, squares; /* of all values */
    ordo_u32 batch;
    bool mixed;
    taken *of; /* [threads] */
    double *rate[CELLS];
    sink json;
    bool any_whole;
} load;

/* Puts up to a batch of the values from `first` on, below `end`; returns how many. */
static ordo_u32 put(load *l, ordo_u64 first, ordo_u64 end)
{
    entry e[MOST_BATCH];
    const ordo_u32 want = end - first < l->batch ? (ordo_u32)(end - first) : l->batch;
    for (ordo_u32 i = 0; i < want; i++)
        e[i] = (entry){(ordo_u32)first + i, (ordo_u32)first + i};
    return want ? ordo_broker_enqueue(l->used, e, want, sizeof *e) : 0;
}

static void take(load *l, taken *t, ordo_u64 share)
{
    entry e[MOST_BATCH];
    const ordo_u32 most = share - t->count < l->batch ? (ordo_u32)(share - t->count) : l->batch;
    const ordo_u32 got = most ? ordo_broker_dequeue(l->used, e, most, sizeof *e) : 0;
    for (ordo_u32 i = 0; i < got; i++) {
        t->sum += e[i].value;
        t->squares += (ordo_u64)e[i].value * e[i].item;
    }
    t->count += got;
}

/* A member's share: as many entries to put as to take. A member that has put all of its own may wait for entries of
 * others, which put theirs whatever they find. */
static void part(void *arg, int member)
{
    load *l = arg;
    taken t = {0};
    ordo_u64 begin, end;
    ordo_split(l->entries, ordo_team_size(l->team), member, &begin, &end);
    ordo_u64 next = begin;
    while (!l->mixed && next < end && !cancelled)
        next += put(l, next, end);
    if (!l->mixed)
        ordo_team_barrier(l->team);
    while (t.count < end - begin && !cancelled) {
        next += put(l, next, end);
        take(l, &t, end - begin);
    }
    l->of[member] = t;
}

static ordo_status check_taken(const load *l, const char *form, const char *pattern)
{
    taken all = {0};
    for (int i = 0; i < ordo_team_size(l->team); i++) {
        all.count += l->of[i].count;
        all.sum += l->of[i].sum;
        all.squares += l->of[i].squares;
    }
    if (all.count != l->entries || all.sum != l->sum || all.squares != l->squares)
        return ordo_fail(ORDO_ERR_VERIFY,
                         "queue: %s, %s: %llu entries came out with the sum %llu, expected %llu and %llu", form,
                         pattern, (unsigned long long)all.count, (unsigned long long)all.sum,
                         (unsigned long long)l->entries, (unsigned long long)l->sum);
    return ORDO_OK;
}

static ordo_status run_cell(load *l, int form, int pattern, int trial)
{
    l->used = &l->queue[pattern];
    l->used->certain = form == 0;
    l->mixed = pattern == 1;
    progress_step();
    show_phase(l->o, "queue", forms[form]);
    process_cancellable_run(&(ordo_options){.device = NULL});
    const double start = now();
    ordo_team_run(l->team, part, l);
    const double seconds = now() - start;
    process_cancellable(false);
    clear_progress();
    ordo_status status = check_cancelled();
    if (!status)
        status = check_taken(l, forms[form], patterns[pattern]);
    if (trial < 1 || (status && status != ORDO_ERR_VERIFY))
        return status;
    l->rate[form * PATTERNS + pattern][trial - 1] = 2 * (double)l->entries / seconds;
    if (l->json.file) {
        const queue_record r = {forms[form],    patterns[pattern], ordo_team_size(l->team),
                                trial,          l->batch,          (ordo_u64)1 << l->used->shift,
                                2 * l->entries, seconds,           !status};
        ordo_status written = json_write_queue(&l->json, &r);
        if (!written)
            written = sink_whole(&l->json);
        l->any_whole = true;
        status = status ? status : written;
    }
    return status;
}

/* Columns of a cell. */
enum { WIDTH = 25 };

static void print_heads(const load *l)
{
    printf("queue: %llu operations a run, million operations a second: median (least to most) of %d runs, all checked\n"
           "\n%7s  %5s",
           (unsigned long long)(2 * l->entries), l->o->repeat, "threads", "batch");
    for (int cell = 0; cell < CELLS; cell++) {
        char who[32];
        snprintf(who, sizeof who, "%s %s", forms[cell / PATTERNS], patterns[cell % PATTERNS]);
        printf("  %*s", WIDTH, who);
    }
    putchar('\n');
}

static ordo_status run_row(load *l, ordo_u64 threads, ordo_u64 batch, bool text)
{
    ordo_status status = ordo_team_lease((int)threads, &l->team);
    if (status)
        return status;
    l->batch = (ordo_u32)batch;
    l->of = ordo_alloc_zero(threads, sizeof *l->of);
    if (!l->of)
        status = ORDO_ERR_MEMORY;
    for (int trial = 1 - l->o->warmup; trial <= l->o->repeat && !status; trial++)
        for (int cell = 0; cell < CELLS && !status; cell++)
            status = run_cell(l, cell / PATTERNS, cell % PATTERNS, trial);
    if (!status && text) {
        printf("%7d  %5u", ordo_team_size(l->team), l->batch);
        for (int cell = 0; cell < CELLS; cell++) {
            char shown[64];
            const double median = ordo_median(l->rate[cell], (size_t)l->o->repeat);
            snprintf(shown, sizeof shown, "%.2f (%.2f to %.2f)", median / 1e6, l->rate[cell][0] / 1e6,
                     l->rate[cell][l->o->repeat - 1] / 1e6);
            printf("  %*s", WIDTH, shown);
        }
        putchar('\n');
        status = flush_stdout();
    }
    ordo_free(l->of);
    ordo_team_return(l->team);
    return status;
}

/* 1, 2, 4, ... and all cores. */
static void threads_by_default(ordo_u64 *out, int *count)
{
    const ordo_u64 cores = (ordo_u64)ordo_cores();
    *count = 0;
    for (ordo_u64 t = 1; t < cores && *count < MOST_ROWS - 1; t *= 2)
        out[(*count)++] = t;
    out[(*count)++] = cores;
}

/* Makes the queues, whose memory is touched before it is measured. */
static ordo_status make_load(load *l, const options *o)
{
    const ordo_u64 operations = options_given(o, "operations") ? o->operations : 10000000;
    const ordo_u64 places[PATTERNS] = {operations / 2, MIXED_PLACES};
    if (operations < 2 || operations > ORDO_BROKER_MOST)
        return ordo_fail(ORDO_ERR_USAGE, "bench queue: --operations %llu, expected 2 to %d",
                         (unsigned long long)operations, ORDO_BROKER_MOST);
    l->entries = operations / 2;
    for (ordo_u64 i = 0; i < l->entries; i++) {
        l->sum += i;
        l->squares += i * i;
    }
    ordo_status status = check_memory(o, "bench queue", ordo_broker_bytes(places[0], sizeof(entry)));
    for (int p = 0; p < PATTERNS && !status; p++) {
        if (!ordo_broker_init(&l->queue[p], places[p], sizeof(entry), true))
            return ORDO_ERR_MEMORY;
        memset(l->queue[p].entry, 0, sizeof(entry) << l->queue[p].shift);
        memset(l->queue[p].turn, 0, sizeof(ordo_u32) << l->queue[p].shift);
    }
    for (int cell = 0; cell < CELLS && !status; cell++)
        if (!(l->rate[cell] = malloc((size_t)o->repeat * sizeof *l->rate[cell])))
            status = ordo_fail(ORDO_ERR_MEMORY, "not enough memory for %d rates", o->repeat);
    return status;
}

static ordo_status run_rows(load *l, const options *o, bool text)
{
    ordo_u64 threads[MOST_ROWS], batch[MOST_ROWS];
    int thread_count, batches;
    ordo_status status =
        bench_numbers("--batch", o->batches ? o->batches : "1,64", MOST_BATCH, batch, MOST_ROWS, &batches);
    if (o->thread_list && !status)
        status = bench_numbers("--threads", o->thread_list, MOST_THREADS, threads, MOST_ROWS, &thread_count);
    else
        threads_by_default(threads, &thread_count);
    if (!status)
        status = make_load(l, o);
    if (!status && o->json)
        status = sink_open(&l->json, o->json);
    text = text && l->json.file != stdout;
    if (!status && text)
        print_heads(l);
    if (!status)
        progress_steps((size_t)(thread_count * batches * CELLS * (o->repeat + o->warmup)));
    for (int row = 0; row < thread_count * batches && !status; row++)
        status = run_row(l, threads[row / batches], batch[row % batches], text);
    return status;
}

ordo_status bench_queue(options *o)
{
    load l = {.o = o};
    o->repeat = o->repeat ? o->repeat : DEFAULT_REPEAT;
    if (o->word_count > 1)
        return ordo_fail(ORDO_ERR_USAGE, "bench queue takes no graph");
    ordo_status status = run_rows(&l, o, !o->quiet);
    status = bench_close(&l.json, status, l.any_whole);
    for (int p = 0; p < PATTERNS; p++)
        ordo_broker_free(&l.queue[p]);
    for (int cell = 0; cell < CELLS; cell++)
        free(l.rate[cell]);
    return status;
}
