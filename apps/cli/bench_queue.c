/* bench_queue.c -- `ordo bench queue`: operations a second of the Broker Queue and of the Broker Work Distributor, on
 * the CPU or on a GPU.
 *
 * Two patterns, each with as many enqueues as dequeues. `phases`: all threads enqueue, meet, and dequeue; the queue
 * holds all entries between. `mixed`: every thread enqueues a batch and then tries to dequeue one, over and over, on a
 * queue of MIXED_PLACES. Entries are of 8 bytes, as worklist entries are. Runs are interleaved. Every one is checked:
 * the number of entries that came out, their sum, and the sum of their squares are those of what was put in.
 *
 * On a GPU the back end runs the kernels (ordo_backend.queue). There a row is a number of blocks, of threads of each,
 * of entries that a call of a warp is for (1: every lane calls for itself), and which lanes call.
 */
#include "apps/cli/bench.h"

#include <stdlib.h>
#include <string.h>

#include <ordo/detail/backend.h>
#include <ordo/memory.h>
#include <ordo/scheduler/broker_queue.h>

enum { MOST_ROWS = 32, MOST_BATCH = 4096, MIXED_PLACES = 65536 };
enum { WARP = 32, MOST_BLOCKS = 65535, MOST_BLOCK = 1024 };
enum { FORMS = 2, PATTERNS = 2, CELLS = FORMS * PATTERNS };
static const char *const forms[FORMS] = {"bq", "bwd"}, *const patterns[PATTERNS] = {"phases", "mixed"};

typedef struct entry {
    ordo_u32 value, item;
} entry;

/* What a member has taken. */
typedef struct taken {
    ordo_u64 count, sum, squares, padding[5];
} taken;

/* What is counted through; on a CPU threads and batch alone. */
typedef struct row {
    ordo_u64 blocks, threads, batch, lanes;
} row;

typedef struct load {
    const options *o;
    const ordo_backend *gpu; /* NULL: the CPU */
    ordo_broker_queue queue[PATTERNS];
    ordo_broker_queue *used;
    ordo_team *team;
    ordo_u64 entries;          /* put in and taken in a run */
    ordo_u64 sum, squares;     /* of all values */
    ordo_u64 places[PATTERNS]; /* that were asked for */
    row row;
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

static ordo_status check_taken(const load *l, const char *form, const char *pattern, const taken *all)
{
    if (all->count != l->entries || all->sum != l->sum || all->squares != l->squares)
        return ordo_fail(ORDO_ERR_VERIFY,
                         "queue: %s, %s: %llu entries came out with the sum %llu, expected %llu and %llu", form,
                         pattern, (unsigned long long)all->count, (unsigned long long)all->sum,
                         (unsigned long long)l->entries, (unsigned long long)l->sum);
    return ORDO_OK;
}

static void run_on_cpu(load *l, int form, int pattern, double *seconds, taken *all)
{
    l->used = &l->queue[pattern];
    l->used->certain = form == 0;
    l->mixed = pattern == 1;
    const double start = now();
    ordo_team_run(l->team, part, l);
    *seconds = now() - start;
    for (int i = 0; i < ordo_team_size(l->team); i++) {
        all->count += l->of[i].count;
        all->sum += l->of[i].sum;
        all->squares += l->of[i].squares;
    }
}

static ordo_status run_on_gpu(const load *l, int form, int pattern, double *seconds, taken *all)
{
    const ordo_queue_load run = {.entries = l->entries,
                                 .places = l->places[pattern],
                                 .blocks = (ordo_u32)l->row.blocks,
                                 .threads = (ordo_u32)l->row.threads,
                                 .lanes = (ordo_u32)l->row.lanes,
                                 .together = l->row.batch > 1,
                                 .certain = form == 0,
                                 .mixed = pattern == 1};
    ordo_queue_taken out = {0};
    const ordo_status status = l->gpu->queue(&run, &out);
    *seconds = out.seconds;
    *all = (taken){.count = out.count, .sum = out.sum, .squares = out.squares};
    return status;
}

static ordo_status run_cell(load *l, int form, int pattern, int trial)
{
    taken all = {0};
    double seconds = 0;
    ordo_status status = ORDO_OK;
    progress_step();
    show_phase(l->o, "queue", forms[form]);
    process_cancellable_run(&(ordo_options){.device = NULL});
    if (l->gpu)
        status = run_on_gpu(l, form, pattern, &seconds, &all);
    else
        run_on_cpu(l, form, pattern, &seconds, &all);
    process_cancellable(false);
    clear_progress();
    if (!status)
        status = check_cancelled();
    if (!status)
        status = check_taken(l, forms[form], patterns[pattern], &all);
    if (trial < 1 || (status && status != ORDO_ERR_VERIFY))
        return status;
    l->rate[form * PATTERNS + pattern][trial - 1] = 2 * (double)l->entries / seconds;
    if (l->json.file) {
        const queue_record r = {forms[form],
                                patterns[pattern],
                                (int)l->row.threads,
                                trial,
                                (ordo_u32)l->row.batch,
                                (ordo_u32)l->row.blocks,
                                (ordo_u32)l->row.lanes,
                                ordo_broker_places(l->places[pattern]),
                                2 * l->entries,
                                seconds,
                                !status};
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
           "\n%s%7s  %5s%s",
           (unsigned long long)(2 * l->entries), l->o->repeat, l->gpu ? "blocks  " : "", "threads", "batch",
           l->gpu ? "  1 lane in" : "");
    for (int cell = 0; cell < CELLS; cell++) {
        char who[32];
        snprintf(who, sizeof who, "%s %s", forms[cell / PATTERNS], patterns[cell % PATTERNS]);
        printf("  %*s", WIDTH, who);
    }
    putchar('\n');
}

static void print_row(load *l)
{
    if (l->gpu)
        printf("%6llu  ", (unsigned long long)l->row.blocks);
    printf("%7llu  %5llu", (unsigned long long)l->row.threads, (unsigned long long)l->row.batch);
    if (l->gpu)
        printf("  %9llu", (unsigned long long)l->row.lanes);
    for (int cell = 0; cell < CELLS; cell++) {
        char shown[64];
        const double median = ordo_median(l->rate[cell], (size_t)l->o->repeat);
        snprintf(shown, sizeof shown, "%.2f (%.2f to %.2f)", median / 1e6, l->rate[cell][0] / 1e6,
                 l->rate[cell][l->o->repeat - 1] / 1e6);
        printf("  %*s", WIDTH, shown);
    }
    putchar('\n');
}

static ordo_status run_row(load *l, row r, bool text)
{
    ordo_status status = l->gpu ? ORDO_OK : ordo_team_lease((int)r.threads, &l->team);
    if (status)
        return status;
    l->row = r;
    if (!l->gpu) {
        l->row.threads = (ordo_u64)ordo_team_size(l->team);
        l->batch = (ordo_u32)r.batch;
        l->of = ordo_alloc_zero(r.threads, sizeof *l->of);
        if (!l->of)
            status = ORDO_ERR_MEMORY;
    }
    for (int trial = 1 - l->o->warmup; trial <= l->o->repeat && !status; trial++)
        for (int cell = 0; cell < CELLS && !status; cell++)
            status = run_cell(l, cell / PATTERNS, cell % PATTERNS, trial);
    if (!status && text) {
        print_row(l);
        status = flush_stdout();
    }
    if (!l->gpu) {
        ordo_free(l->of);
        ordo_team_return(l->team);
    }
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
    if (operations < 2 || operations > ORDO_BROKER_MOST)
        return ordo_fail(ORDO_ERR_USAGE, "bench queue: --operations %llu, expected 2 to %d",
                         (unsigned long long)operations, ORDO_BROKER_MOST);
    l->entries = operations / 2;
    l->places[0] = operations / 2;
    l->places[1] = MIXED_PLACES;
    for (ordo_u64 i = 0; i < l->entries; i++) {
        l->sum += i;
        l->squares += i * i;
    }
    ordo_status status =
        l->gpu ? ORDO_OK : check_memory(o, "bench queue", ordo_broker_bytes(l->places[0], sizeof(entry)));
    for (int p = 0; p < PATTERNS && !status && !l->gpu; p++) {
        if (!ordo_broker_init(&l->queue[p], l->places[p], sizeof(entry), true))
            return ORDO_ERR_MEMORY;
        memset(l->queue[p].entry, 0, sizeof(entry) << l->queue[p].shift);
        memset(l->queue[p].turn, 0, sizeof(ordo_u32) << l->queue[p].shift);
    }
    for (int cell = 0; cell < CELLS && !status; cell++)
        if (!(l->rate[cell] = malloc((size_t)o->repeat * sizeof *l->rate[cell])))
            status = ordo_fail(ORDO_ERR_MEMORY, "not enough memory for %d rates", o->repeat);
    return status;
}

/* The rows: every combination of the numbers of the options, or of their defaults. */
typedef struct rows {
    ordo_u64 blocks[MOST_ROWS], threads[MOST_ROWS], batch[MOST_ROWS], lanes[MOST_ROWS];
    int block_count, thread_count, batches, lane_count;
} rows;

static ordo_status rows_on_gpu(const options *o, rows *r)
{
    ordo_status status = bench_numbers("--blocks", o->block_list ? o->block_list : "64,108,132,216", MOST_BLOCKS,
                                       r->blocks, MOST_ROWS, &r->block_count);
    if (!status)
        status = bench_numbers("--threads", o->thread_list ? o->thread_list : "32,128,512", MOST_BLOCK, r->threads,
                               MOST_ROWS, &r->thread_count);
    if (!status)
        status = bench_numbers("--batch", o->batches ? o->batches : "1,32", WARP, r->batch, MOST_ROWS, &r->batches);
    if (!status)
        status = bench_numbers("--lanes", o->lane_list ? o->lane_list : "1", WARP, r->lanes, MOST_ROWS, &r->lane_count);
    for (int i = 0; i < r->thread_count && !status; i++)
        if (r->threads[i] % WARP)
            status = ordo_fail(ORDO_ERR_USAGE, "--threads '%llu', expected a multiple of %d on a GPU",
                               (unsigned long long)r->threads[i], WARP);
    for (int i = 0; i < r->batches && !status; i++)
        if (r->batch[i] != 1 && r->batch[i] != WARP)
            status = ordo_fail(ORDO_ERR_USAGE, "--batch '%llu', expected 1 or %d on a GPU",
                               (unsigned long long)r->batch[i], WARP);
    return status;
}

static ordo_status rows_on_cpu(const options *o, rows *r)
{
    if (o->block_list || o->lane_list)
        return ordo_fail(ORDO_ERR_USAGE, "bench queue takes %s with --device cuda alone",
                         o->block_list ? "--blocks" : "--lanes");
    r->block_count = r->lane_count = 1;
    ordo_status status =
        bench_numbers("--batch", o->batches ? o->batches : "1,64", MOST_BATCH, r->batch, MOST_ROWS, &r->batches);
    if (o->thread_list && !status)
        status = bench_numbers("--threads", o->thread_list, MOST_THREADS, r->threads, MOST_ROWS, &r->thread_count);
    else
        threads_by_default(r->threads, &r->thread_count);
    return status;
}

static ordo_status run_rows(load *l, const options *o, bool text)
{
    rows r = {0};
    ordo_status status = bench_gpu(o, &l->gpu);
    if (!status && l->gpu && !l->gpu->queue)
        status = ordo_fail(ORDO_ERR_DEVICE, "device 'cuda': its back end has no queue to measure");
    if (!status)
        status = l->gpu ? rows_on_gpu(o, &r) : rows_on_cpu(o, &r);
    if (!status)
        status = make_load(l, o);
    if (!status && o->json)
        status = sink_open(&l->json, o->json);
    text = text && l->json.file != stdout;
    if (!status && text)
        print_heads(l);
    const int all = r.block_count * r.thread_count * r.batches * r.lane_count;
    if (!status)
        progress_steps((size_t)all * CELLS * (size_t)(o->repeat + o->warmup));
    for (int i = 0; i < all && !status; i++) {
        const int batch = i / r.lane_count, thread = batch / r.batches;
        const row one = {r.blocks[thread / r.thread_count], r.threads[thread % r.thread_count],
                         r.batch[batch % r.batches], r.lanes[i % r.lane_count]};
        status = run_row(l, one, text);
    }
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
