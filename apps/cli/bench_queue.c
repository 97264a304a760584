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
 *
 * Over several GPUs every process is a rank with one of them, and makes the same runs. There a row is run in three
 * ways: by rank 0 alone; over all GPUs, each of which has a queue and puts its share of the entries, some of them into
 * the queues of others; and the same where these are collected and sent several at once. The time is that of the
 * slowest rank, and what is checked is the sum over all.
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

/* Over several GPUs. */
enum { ALONE, SINGLY, STAGED, WAYS };

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
    double *rate[WAYS][CELLS];
    ordo_group *group; /* NULL: one GPU, or the CPU; then ALONE is the only way */
    ordo_remote ranks;
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

/* The entries that a GPU puts in, and the places of its queue. */
static ordo_u64 entries_of(const load *l, int way)
{
    return way == ALONE ? l->entries : l->entries / l->ranks.count;
}
static ordo_u64 places_of(const load *l, int way, int pattern)
{
    return pattern == 0 ? entries_of(l, way) : l->places[pattern];
}

static ordo_status run_on_gpu(const load *l, int way, int form, int pattern, ordo_queue_taken *out)
{
    const ordo_queue_load run = {.entries = entries_of(l, way),
                                 .places = places_of(l, way, pattern),
                                 .blocks = (ordo_u32)l->row.blocks,
                                 .threads = (ordo_u32)l->row.threads,
                                 .lanes = (ordo_u32)l->row.lanes,
                                 .together = l->row.batch > 1,
                                 .certain = form == 0,
                                 .mixed = pattern == 1,
                                 .ranks = way == ALONE ? NULL : &l->ranks,
                                 .remote = l->o->remote,
                                 .staged = way == STAGED};
    return l->gpu->queue(&run, out);
}

/* What a rank tells the others behind a run. */
typedef struct told {
    ordo_u64 status, cancelled, count, sum, squares, messages;
    double seconds;
} told;

/* Makes *out of the ranks' the sums, and the longest time. In all ranks: one that is cancelled cancels all. */
static ordo_status add_ranks(const load *l, ordo_status status, ordo_queue_taken *out)
{
    enum { WORDS = sizeof(told) / sizeof(ordo_u64) };
    const told mine = {(ordo_u64)status, cancelled != 0, out->count,  out->sum,
                       out->squares,     out->messages,  out->seconds};
    ordo_u64 words[WORDS], *all = ordo_alloc(l->ranks.count, sizeof words);
    memcpy(words, &mine, sizeof words);
    const ordo_status collected = all ? ordo_group_collect(l->group, words, WORDS, all) : ORDO_ERR_MEMORY;
    status = status ? status : collected;
    *out = (ordo_queue_taken){0};
    for (ordo_u32 r = 0; r < l->ranks.count && !status; r++) {
        told of;
        memcpy(&of, all + r * WORDS, sizeof of);
        out->count += of.count;
        out->sum += of.sum;
        out->squares += of.squares;
        out->messages += of.messages;
        out->seconds = of.seconds > out->seconds ? of.seconds : out->seconds;
        if (of.status)
            status = ordo_fail((ordo_status)of.status, "rank %u has failed", r);
        else if (of.cancelled)
            status = ordo_fail(ORDO_ERR_CANCELLED, "cancelled");
    }
    ordo_free(all);
    return status;
}

/* A run on GPUs; over several, one by rank 0 alone is waited for by the others. A rank that fails in a run of all makes
 * no more calls: the others may be anywhere in theirs. */
static ordo_status run_on_gpus(const load *l, int way, int form, int pattern, ordo_queue_taken *out)
{
    ordo_status status = ORDO_OK;
    *out = (ordo_queue_taken){0};
    if (way != ALONE || l->ranks.rank == 0)
        status = run_on_gpu(l, way, form, pattern, out);
    return l->group && (way == ALONE || !status) ? add_ranks(l, status, out) : status;
}

static ordo_status write_record(load *l, int way, int form, int pattern, int trial, const ordo_queue_taken *out,
                                bool verified)
{
    const queue_record r = {.queue = forms[form],
                            .pattern = patterns[pattern],
                            .threads = (int)l->row.threads,
                            .trial = trial,
                            .batch = (ordo_u32)l->row.batch,
                            .blocks = (ordo_u32)l->row.blocks,
                            .lanes = (ordo_u32)l->row.lanes,
                            .places = ordo_broker_places(places_of(l, way, pattern)),
                            .operations = 2 * l->entries,
                            .gpus = !l->group      ? 0
                                    : way == ALONE ? 1
                                                   : (int)l->ranks.count,
                            .staged = way == STAGED,
                            .remote = l->o->remote,
                            .messages = out->messages,
                            .seconds = out->seconds,
                            .verified = verified};
    ordo_status written = json_write_queue(&l->json, &r);
    if (!written)
        written = sink_whole(&l->json);
    l->any_whole = true;
    return written;
}

static ordo_status run_cell(load *l, int way, int form, int pattern, int trial)
{
    ordo_queue_taken out = {0};
    taken all = {0};
    ordo_status status = ORDO_OK;
    progress_step();
    show_phase(l->o, "queue", forms[form]);
    /* ranks end together, behind the run */
    process_cancellable_run(&(ordo_options){.device = l->group ? "cuda" : NULL});
    if (l->gpu) {
        status = run_on_gpus(l, way, form, pattern, &out);
        all = (taken){.count = out.count, .sum = out.sum, .squares = out.squares};
    } else {
        run_on_cpu(l, form, pattern, &out.seconds, &all);
    }
    process_cancellable(false);
    clear_progress();
    if (!status && !l->group) /* ranks have agreed on that */
        status = check_cancelled();
    if (!status)
        status = check_taken(l, forms[form], patterns[pattern], &all);
    if (trial < 1 || (status && status != ORDO_ERR_VERIFY))
        return status;
    l->rate[way][form * PATTERNS + pattern][trial - 1] = 2 * (double)l->entries / out.seconds;
    if (l->json.file) {
        const ordo_status written = write_record(l, way, form, pattern, trial, &out, !status);
        status = status ? status : written;
    }
    return status;
}

static int ways_of(const load *l)
{
    return l->group ? WAYS : 1;
}

/* Columns of a cell; over several GPUs with its ratio to one. */
enum { WIDTH = 25, RATIO = 8 };

static void print_heads(const load *l)
{
    printf(
        "queue: %llu operations a run, million operations a second: median (least to most) of %d runs, all checked\n",
        (unsigned long long)(2 * l->entries), l->o->repeat);
    if (l->group)
        printf("over %u GPUs, a queue on each: %g of what a GPU puts goes to the queues of others, one by one, or "
               "staged; in brackets, times one GPU\n",
               l->ranks.count, l->o->remote);
    printf("\n%s%7s  %5s%s%s", l->gpu ? "blocks  " : "", "threads", "batch", l->gpu ? "  1 lane in" : "",
           l->group ? "       GPUs" : "");
    for (int cell = 0; cell < CELLS; cell++) {
        char who[32];
        snprintf(who, sizeof who, "%s %s", forms[cell / PATTERNS], patterns[cell % PATTERNS]);
        printf("  %*s%*s", WIDTH, who, l->group ? RATIO : 0, "");
    }
    putchar('\n');
}

static void print_way(load *l, int way, double alone[CELLS])
{
    if (l->gpu)
        printf("%6llu  ", (unsigned long long)l->row.blocks);
    printf("%7llu  %5llu", (unsigned long long)l->row.threads, (unsigned long long)l->row.batch);
    if (l->gpu)
        printf("  %9llu", (unsigned long long)l->row.lanes);
    if (l->group)
        printf("  %2u%7s", way == ALONE ? 1 : l->ranks.count, way == STAGED ? " staged" : "");
    for (int cell = 0; cell < CELLS; cell++) {
        char shown[64], ratio[16] = "";
        double *rate = l->rate[way][cell];
        const double median = ordo_median(rate, (size_t)l->o->repeat);
        snprintf(shown, sizeof shown, "%.2f (%.2f to %.2f)", median / 1e6, rate[0] / 1e6, rate[l->o->repeat - 1] / 1e6);
        if (way == ALONE)
            alone[cell] = median;
        else
            snprintf(ratio, sizeof ratio, " [%.2f]", median / alone[cell]); /* a blank also before a long one */
        printf("  %*s%*s", WIDTH, shown, l->group ? RATIO : 0, ratio);
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
        for (int i = 0; i < ways_of(l) * CELLS && !status; i++)
            status = run_cell(l, i / CELLS, i % CELLS / PATTERNS, i % PATTERNS, trial);
    double alone[CELLS];
    for (int way = 0; way < ways_of(l) && !status && text; way++)
        print_way(l, way, alone);
    if (!status && text)
        status = flush_stdout();
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
    if (l->group) /* as many for each */
        l->entries -= l->entries % l->ranks.count;
    if (!l->entries)
        return ordo_fail(ORDO_ERR_USAGE, "bench queue: --operations %llu, expected 2 at least for each of %u GPUs",
                         (unsigned long long)operations, l->ranks.count);
    l->places[0] = l->entries;
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
    for (int i = 0; i < ways_of(l) * CELLS && !status; i++)
        if (!(l->rate[i / CELLS][i % CELLS] = malloc((size_t)o->repeat * sizeof(double))))
            status = ordo_fail(ORDO_ERR_MEMORY, "not enough memory for %d rates", o->repeat);
    return status;
}

/* The rows: every combination of the numbers of the options, or of their defaults. */
typedef struct rows {
    ordo_u64 blocks[MOST_ROWS], threads[MOST_ROWS], batch[MOST_ROWS], lanes[MOST_ROWS];
    int block_count, thread_count, batches, lane_count;
} rows;

static ordo_status rows_on_gpu(const options *o, bool several, rows *r)
{
    const char *const batches = several ? "32" : "1,32";
    ordo_status status = bench_numbers("--blocks", o->block_list ? o->block_list : "64,108,132,216", MOST_BLOCKS,
                                       r->blocks, MOST_ROWS, &r->block_count);
    if (!status)
        status = bench_numbers("--threads", o->thread_list ? o->thread_list : "32,128,512", MOST_BLOCK, r->threads,
                               MOST_ROWS, &r->thread_count);
    if (!status)
        status = bench_numbers("--batch", o->batches ? o->batches : batches, WARP, r->batch, MOST_ROWS, &r->batches);
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
    for (int i = 0; i < r->batches && !status && several; i++)
        if (r->batch[i] != WARP)
            status = ordo_fail(ORDO_ERR_USAGE, "--batch '%llu', expected %d over several GPUs",
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

/* Over several processes: gives each its GPU. */
static ordo_status join_gpus(load *l)
{
    ordo_group *const group = group_here();
    const bool several = group && ordo_group_size(group) > 1;
    if (!several && options_given(l->o, "remote"))
        return ordo_fail(ORDO_ERR_USAGE, "bench queue takes --remote with several GPUs alone, expected --gpus N");
    if (several && !l->gpu)
        return ordo_fail(ORDO_ERR_USAGE,
                         "bench queue runs over several processes on GPUs alone, expected --device cuda");
    l->group = several ? group : NULL;
    return several ? ordo_group_devices(group, l->gpu, &l->ranks) : ORDO_OK;
}

static ordo_status run_rows(load *l, const options *o, bool text)
{
    rows r = {0};
    ordo_status status = bench_gpu(o, &l->gpu);
    if (!status && l->gpu && !l->gpu->queue)
        status = ordo_fail(ORDO_ERR_DEVICE, "device 'cuda': its back end has no queue to measure");
    if (!status)
        status = join_gpus(l);
    if (!status)
        status = l->gpu ? rows_on_gpu(o, l->group, &r) : rows_on_cpu(o, &r);
    if (!status)
        status = make_load(l, o);
    if (!status && o->json)
        status = sink_open(&l->json, o->json);
    text = text && l->json.file != stdout;
    if (!status && text)
        print_heads(l);
    const int all = r.block_count * r.thread_count * r.batches * r.lane_count;
    if (!status)
        progress_steps((size_t)(all * ways_of(l) * CELLS) * (size_t)(o->repeat + o->warmup));
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
    group_silence(o);
    if (o->word_count > 1)
        return ordo_fail(ORDO_ERR_USAGE, "bench queue takes no graph");
    ordo_status status = run_rows(&l, o, !o->quiet);
    status = bench_close(&l.json, status, l.any_whole);
    for (int p = 0; p < PATTERNS; p++)
        ordo_broker_free(&l.queue[p]);
    for (int i = 0; i < WAYS * CELLS; i++)
        free(l.rate[i / CELLS][i % CELLS]);
    return status;
}
