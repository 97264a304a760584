/* bench_lock.c -- `ordo bench lock-transfer`: how long a lock takes from one party to the next, by ways of locking.
 *
 * Problem. Where few targets are hot, the time is that of handing locks over (Wang, Fussell and Lin, ASPLOS 2019,
 * section 5.3).
 *
 * Method. Critical sections of given length choose one lock of some, or two, by the seed (operators/lock_transfer.h),
 * and keep when they asked, began and ended. Each contender is a way of locking: test-and-set, in the order of asking,
 * or servers; with two locks the nested ones of each. A line is a contender at a number of locks, of locks held at
 * once, and a length of sections. Runs are interleaved, and every one is checked: each section has run once, and each
 * lock counts as many sections as chose it, which it would not if two of them had run at a time.
 *
 * Locks are apart in memory, as the targets of the other benchmarks are.
 */
#include "apps/cli/bench.h"

#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>

#include "operators/lock_transfer.h"

enum { TABLE = 1 << 14, MOST_VALUES = 16, MOST_STEPS = 1 << 20 };

/* What is counted through. */
typedef struct row {
    ordo_u64 locks, held, steps;
} row;

typedef struct problem {
    row row;
    ordo_u64 sections, stride, seed;
    ordo_work work;
    lock_transfer_state state;
    ordo_u32 *first, *second, *done;
    ordo_u64 *word, *chosen;
} problem;

/* What the runs of a contender have shown: a value a run, sorted by ordo_median(). */
typedef struct seen {
    double *handover, *share, *wait, *longest, *longest_served, *held;
} seen;
enum { SERIES = sizeof(seen) / sizeof(double *) };

static void free_problem(problem *p)
{
    if (p->second != p->first)
        ordo_free(p->second);
    ordo_free(p->first);
    ordo_free(p->done);
    ordo_free(p->word);
    ordo_free(p->chosen);
    *p = (problem){0};
}

static ordo_u32 lock_of(const problem *p, ordo_u64 number)
{
    return (ordo_u32)(number * p->stride);
}

static ordo_status make_problem(problem *p, const bench *b, row r)
{
    *p = (problem){.row = r, .sections = b->o->operations, .seed = b->o->seed};
    p->stride = r.locks < TABLE ? TABLE / r.locks : 1;
    const ordo_u64 targets = r.locks * p->stride;
    p->first = ordo_alloc(p->sections, sizeof *p->first);
    p->second = r.held == 2 ? ordo_alloc(p->sections, sizeof *p->second) : p->first;
    p->done = ordo_alloc(p->sections, sizeof *p->done);
    p->word = ordo_alloc(targets * LOCK_TRANSFER_WORDS, sizeof *p->word);
    p->chosen = ordo_alloc_zero(targets, sizeof *p->chosen);
    if (!p->first || !p->second || !p->done || !p->word || !p->chosen)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 i = 0; i < p->sections; i++) {
        const ordo_u64 a = bench_pick(p->seed, 2 * i, r.locks);
        const ordo_u64 b_ = r.locks > 1 ? (a + 1 + bench_pick(p->seed, 2 * i + 1, r.locks - 1)) % r.locks : a;
        p->first[i] = lock_of(p, a);
        p->chosen[p->first[i]]++;
        if (r.held == 2) {
            p->second[i] = lock_of(p, b_);
            p->chosen[p->second[i]] += b_ != a;
        }
    }
    p->state = (lock_transfer_state){p->first, p->second, p->done, p->word, (ordo_u32)r.steps};
    p->work = (ordo_work){.op = ordo_operator_find(r.held == 2 ? "lock_transfer_pair" : "lock_transfer"),
                          .state = &p->state,
                          .num_items = p->sections,
                          .targets = targets};
    return ORDO_OK;
}

/* Checks a run, and sums up what its locks have seen. */
static ordo_status sum_up(const problem *p, lock_transfer_seen *out)
{
    ordo_u64 served = 0, handing = 0, waited = 0, held = 0;
    *out = (lock_transfer_seen){.locks_held = (int)p->row.held, .steps = p->row.steps};
    for (ordo_u64 i = 0; i < p->sections; i++)
        if (!p->done[i])
            return ordo_fail(ORDO_ERR_VERIFY, "lock-transfer: section %llu has not run", (unsigned long long)i);
    for (ordo_u64 t = 0; t < p->work.targets; t++) {
        const ordo_u64 *w = p->word + t * LOCK_TRANSFER_WORDS;
        if (w[LOCK_TRANSFER_SERVED] != p->chosen[t])
            return ordo_fail(ORDO_ERR_VERIFY, "lock-transfer: lock %llu counts %llu sections, expected %llu",
                             (unsigned long long)t, (unsigned long long)w[LOCK_TRANSFER_SERVED],
                             (unsigned long long)p->chosen[t]);
        served += w[LOCK_TRANSFER_SERVED];
        out->handovers += w[LOCK_TRANSFER_HANDOVERS];
        handing += w[LOCK_TRANSFER_HANDING];
        waited += w[LOCK_TRANSFER_WAITED];
        held += w[LOCK_TRANSFER_HELD];
        if (w[LOCK_TRANSFER_LONGEST] > out->longest_wait_ns)
            out->longest_wait_ns = w[LOCK_TRANSFER_LONGEST];
        if (w[LOCK_TRANSFER_LONGEST_SERVED] > out->longest_wait_served)
            out->longest_wait_served = w[LOCK_TRANSFER_LONGEST_SERVED];
    }
    out->handover_ns = out->handovers ? (double)handing / (double)out->handovers : 0;
    out->share = (double)out->handovers / (double)served;
    out->wait_ns = (double)waited / (double)served;
    out->held_ns = (double)held / (double)served;
    return ORDO_OK;
}

static void note(seen *s, size_t run, const lock_transfer_seen *found)
{
    s->handover[run] = found->handover_ns;
    s->share[run] = found->share;
    s->wait[run] = found->wait_ns;
    s->longest[run] = (double)found->longest_wait_ns;
    s->longest_served[run] = (double)found->longest_wait_served;
    s->held[run] = found->held_ns;
}

static ordo_status run_once_more(bench *b, problem *p, seen *s, int which, int trial)
{
    ordo_stats stats = {0};
    lock_transfer_seen found;
    record r = {.o = b->o,
                .bench = b->name,
                .stats = &stats,
                .collisions = p->row.locks,
                .operations = p->sections,
                .transfer = &found,
                .trial = trial < 1 ? 1 : trial};
    memset(p->done, 0, p->sections * sizeof *p->done);
    memset(p->word, 0, p->work.targets * LOCK_TRANSFER_WORDS * sizeof *p->word);
    ordo_status status = bench_run(b, which, &p->work, &stats);
    if (!status) {
        status = sum_up(p, &found);
        r.verified = !status;
        if (trial > 0)
            note(s, b->seen[which].runs, &found);
        bench_note(b, which, trial, &stats, (double)p->sections / stats.run_seconds);
        if (trial > 0 && b->json.file) {
            ordo_status written = bench_record(b, &r);
            status = status ? status : written;
        }
    }
    ordo_stats_free(&stats);
    return status;
}

static void print_head(const bench *b)
{
    printf(
        "lock-transfer: %llu critical sections a run; medians of %d runs, longest waits of all, all checked. handover: "
        "from a release to the\nbeginning of a section that waited for it, of another party; share: of all sections\n\n"
        "%6s  %5s  %6s  %8s  %11s  %6s  %8s  %9s  %12s  %9s  %s\n",
        (unsigned long long)b->o->operations, b->o->repeat, "locks", "held", "steps", "M/s", "handover ns", "share",
        "held ns", "wait us", "longest us", "sections", "");
}

static void print_line(bench *b, const problem *p, seen *s, int which)
{
    bench_seen *rates = &b->seen[which];
    const size_t n = rates->runs;
    if (!n)
        return;
    rates->median = ordo_median(rates->rate, n);
    const double handover = ordo_median(s->handover, n), share = ordo_median(s->share, n),
                 held = ordo_median(s->held, n), wait = ordo_median(s->wait, n);
    ordo_median(s->longest, n);
    ordo_median(s->longest_served, n);
    printf("%6llu  %5llu  %6llu  %8.3f  %11.0f  %6.3f  %8.0f  %9.2f  %12.1f  %9.0f  %s\n",
           (unsigned long long)p->row.locks, (unsigned long long)p->row.held, (unsigned long long)p->row.steps,
           rates->median / 1e6, handover, share, held, wait / 1e3, s->longest[n - 1] / 1e3, s->longest_served[n - 1],
           b->candidates[which].label);
}

static ordo_status run_row(bench *b, seen *s, row r)
{
    problem p;
    ordo_status status = make_problem(&p, b, r);
    for (int i = 0; i < b->count; i++)
        b->seen[i].runs = 0;
    for (int trial = 1 - b->o->warmup; trial <= b->o->repeat && !status; trial++)
        for (int i = 0; i < b->count && !status; i++)
            status = run_once_more(b, &p, &s[i], i, trial);
    for (int i = 0; i < b->count && !status && b->text; i++)
        print_line(b, &p, &s[i], i);
    if (!status && b->text)
        status = flush_stdout();
    free_problem(&p);
    return status;
}

/* Each contender's series, in one block of memory. */
static seen *make_series(const bench *b, double **memory)
{
    const size_t runs = (size_t)b->o->repeat;
    seen *s = calloc(MAX_CANDIDATES, sizeof *s);
    *memory = calloc(MAX_CANDIDATES * SERIES, runs * sizeof **memory);
    for (int i = 0; i < b->count && s && *memory; i++) {
        double *at = *memory + (size_t)i * SERIES * runs;
        s[i] = (seen){at, at + runs, at + 2 * runs, at + 3 * runs, at + 4 * runs, at + 5 * runs};
    }
    return s;
}

/* Whether every contender takes both operators that are asked for. */
static ordo_status check_candidates(const bench *b, const ordo_u64 *held, int count)
{
    for (int k = 0; k < count; k++)
        for (int i = 0; i < b->count; i++) {
            const ordo_work work = {.op = ordo_operator_find(held[k] == 2 ? "lock_transfer_pair" : "lock_transfer"),
                                    .state = b,
                                    .targets = 1}; /* no items */
            ordo_status status = ordo_run_check(&work, &b->candidates[i].run);
            if (status)
                return status;
        }
    return ORDO_OK;
}

const char *bench_ways_of_locking(const options *o)
{
    const bool gpu = o->device && !strcmp(o->device, "cuda");
    return gpu ? "bsp:lock,bsp:lock:max_contenders=1024,bsp:lock:lock_order=fifo,lock_server"
               : "bsp:lock,bsp:lock:lock_order=fifo,lock_server";
}

ordo_status bench_lock_transfer(bench *b)
{
    const options *o = b->o;
    ordo_u64 locks[MOST_VALUES], held[MOST_VALUES], steps[MOST_VALUES];
    int lock_count, held_count, step_count = 0;
    ordo_status status = bench_numbers("--collisions", o->collisions ? o->collisions : "1,32,1K", 1 << 24, locks,
                                       MOST_VALUES, &lock_count);
    if (!status)
        status = bench_numbers("--held", o->held ? o->held : "1,2", 2, held, MOST_VALUES, &held_count);
    if (!status)
        status =
            bench_numbers("--section", o->section ? o->section : "1,100", MOST_STEPS, steps, MOST_VALUES, &step_count);
    if (!status && o->word_count > 1)
        status = ordo_fail(ORDO_ERR_USAGE, "bench %s takes no graph", b->name);
    if (!status)
        status = check_candidates(b, held, held_count);
    if (status)
        return status;
    double *memory = NULL;
    seen *s = make_series(b, &memory);
    if (!s || !memory)
        status = ordo_fail(ORDO_ERR_MEMORY, "not enough memory for %d runs", o->repeat);
    if (!status && b->text)
        print_head(b);
    const int rows = lock_count * held_count * step_count;
    progress_steps((size_t)rows * (size_t)b->count * (size_t)(o->repeat + o->warmup));
    for (int i = 0; i < rows && !status; i++)
        status = run_row(
            b, s, (row){locks[i / step_count % lock_count], held[i / step_count / lock_count], steps[i % step_count]});
    free(memory);
    free(s);
    return status;
}
