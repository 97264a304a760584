/* trace.c -- traces by time: a thread that samples the counters of a run's members at regular times.
 *
 * Problem. A scheduler's own events (supersteps, buckets, head switches) come at times that differ between schedulers,
 * or hardly at all. Comparing runs over time needs the same columns at regular times, and must not slow the run down.
 *
 * Protocol. Members count in structs of their own, and publish copies in job->counters[member] by relaxed stores
 * (ordo_publish_to in <ordo/detail/cpu/base.h>): at barriers, after a number of turns, and in a traced run once in
 * ORDO_POLL_WORK items and edges, where they poll anyway. The sampler wakes at multiples of the period since the run
 * began, reads these words and those of ordo_run_words by relaxed loads, calls the scheduler's probe, and adds a row.
 *   Invariant 1: every word that the sampler reads has atomic accesses only while it can be read, so a read is defined.
 *   Words are read at slightly different times. So sums are approximate, except in the last row of a run, which is made
 *   when the team has returned and the sampler has been joined.
 *   Invariant 2: the trace's lock is held by the sampler except while it waits for its time. The lock orders the probe
 *   and its argument: ordo_trace_set_probe(NULL) returns only when no probe runs, so what it read may then be freed.
 *   Rows are written by the sampler under the lock, and by the run's thread before it is made and after it is joined.
 *
 * Devices. A back end gives a source (ordo_trace_source) from the moment at which the device begins to work, and takes
 * it away when it has ended. The sampler reads it in the place of the members; that is the only difference, besides the
 * period: a read takes no time of the threads that work, so its own duration bounds the period, and not a share of CPU
 * time. A sample has the time of the middle of its read.
 *   Invariant 3: `source` changes under the lock. `paused` is set before ordo_trace_source_end takes the lock, and the
 *   sampler then waits for a change instead of the next sample; so the lock is free after one read at most.
 *
 * In flight, of schedulers without a probe: what members have put on the worklist, less what they have taken off.
 * Activations of relax operators are not counted where they happen (see op_expand). They are what was put on the
 * worklist, less the initial items; at most the total of the run, which is known at its end.
 *
 * The period. A given one is kept. Otherwise it begins with ORDO_TRACE_FIRST and doubles (1) when ORDO_TRACE_CHOSEN
 * rows are held: every second row is dropped; (2) while the mean CPU time of a sample is more than a share
 * ORDO_TRACE_SHARE of period times threads. The CPU time is the thread's own clock, so it counts waking up, too. With
 * a source it begins with what that says, and doubles while the mean time of a read is more than ORDO_TRACE_READ of it.
 *
 * If no trace is asked for, there is no thread, and members publish as often as progress reports need.
 *
 * Not done: reading the clock when a member changes its state (states are those at the times of samples); sampling
 * native programs, which have a row at their begin and at their end, and their events.
 */
#define _GNU_SOURCE /* PR_SET_TIMERSLACK, pthread_condattr_setclock */
#include "trace.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#include <ordo/memory.h>

static const double ORDO_TRACE_FIRST = 250e-6, ORDO_TRACE_SHARE = 0.01, ORDO_TRACE_READ = 0.8, LEAST_PERIOD = 1e-5,
                    MOST_PERIOD = 3600;
enum { ROWS_FIRST = 1024, ENOUGH = 8 /* samples before their mean CPU time counts */ };

_Static_assert((int)ORDO_TRACE_STATES == (int)ORDO_MEMBER_STATES && (int)ORDO_TRACE_BUSY == (int)ORDO_BUSY &&
                   (int)ORDO_TRACE_STEALING == (int)ORDO_STEALING && (int)ORDO_TRACE_WAITING == (int)ORDO_WAITING &&
                   (int)ORDO_TRACE_BARRIER == (int)ORDO_AT_BARRIER && (int)ORDO_TRACE_MANAGING == (int)ORDO_MANAGING,
               "the states of trace.h are those of members");

struct ordo_trace {
    double asked; /* 0: the period is chosen */
    ordo_trace_sample *rows;
    ordo_u8 *states; /* [capacity][threads] */
    size_t count, capacity;
    int threads;
    ordo_trace_event *events;
    size_t event_count;
    double period, sampler_seconds;
    bool incomplete;

    bool began;           /* the time axis */
    struct timespec zero; /* when the first run began */
    /* the run that is recorded */
    ordo_traced_run run;
    struct timespec start;
    double offset;          /* seconds from `zero` to `start` */
    ordo_trace_sample base; /* totals of the runs before */
    size_t first;           /* its first row */
    /* the thread */
    bool has_thread, running, stop; /* the last two under the lock */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    ordo_probe_fn *probe; /* under the lock */
    const void *probe_arg;
    ordo_u64 taken; /* samples in this run */
    /* a run on a device */
    ordo_trace_source source; /* under the lock; `read` NULL: none */
    ordo_u32 paused;          /* atomic: the sampler is to wait until there is a source */
    ordo_probed last;         /* as of the last read */
    double reading;           /* seconds that all reads of the run took */
    double ended;             /* seconds from the begin of the run to the end of the device's work */
};

const char *ordo_trace_state_name(ordo_trace_state state)
{
    static const char *const names[ORDO_TRACE_STATES] = {"ended", "busy", "stealing", "waiting", "barrier", "managing"};
    return (int)state >= 0 && (int)state < ORDO_TRACE_STATES ? names[state] : "?";
}

static double seconds_between(const struct timespec *a, const struct timespec *b)
{
    return (double)(b->tv_sec - a->tv_sec) + 1e-9 * (double)(b->tv_nsec - a->tv_nsec);
}

/* Seconds since the run began. */
static double run_seconds(const ordo_trace *t)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return seconds_between(&t->start, &now);
}

/* ---- making ---- */

static void make_waiting(ordo_trace *t)
{
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, &clock);
    pthread_condattr_destroy(&clock);
}

ordo_status ordo_trace_make(double period, ordo_trace **out)
{
    if (period != 0 && !(period >= LEAST_PERIOD && period <= MOST_PERIOD))
        return ordo_fail(ORDO_ERR_USAGE, "period of a trace %g s, expected %g to %g (0: chosen)", period, LEAST_PERIOD,
                         MOST_PERIOD);
    ordo_trace *t = ordo_alloc_zero(1, sizeof *t);
    if (!t)
        return ORDO_ERR_MEMORY;
    t->asked = period;
    t->capacity = period > 0 ? ROWS_FIRST : ORDO_TRACE_CHOSEN + 1;
    t->rows = ordo_alloc(t->capacity, sizeof *t->rows);
    t->events = ordo_alloc(2 * (size_t)ORDO_TRACE_MAX, sizeof *t->events);
    make_waiting(t);
    if (!t->rows || !t->events) {
        ordo_trace_free(t);
        return ORDO_ERR_MEMORY;
    }
    memset(t->rows, 0, t->capacity * sizeof *t->rows); /* so that the sampler does not wait for pages */
    ordo_trace_clear(t);
    *out = t;
    return ORDO_OK;
}

void ordo_trace_clear(ordo_trace *trace)
{
    trace->count = trace->event_count = 0;
    trace->period = trace->asked > 0 ? trace->asked : ORDO_TRACE_FIRST;
    trace->sampler_seconds = 0;
    trace->incomplete = trace->began = false;
    trace->base = (ordo_trace_sample){0};
}

void ordo_trace_free(ordo_trace *trace)
{
    if (!trace)
        return;
    pthread_cond_destroy(&trace->changed);
    pthread_mutex_destroy(&trace->lock);
    ordo_free(trace->rows);
    ordo_free(trace->states);
    ordo_free(trace->events);
    ordo_free(trace);
}

ordo_trace_view ordo_trace_look(const ordo_trace *trace)
{
    return (ordo_trace_view){.samples = trace->rows,
                             .sample_count = trace->count,
                             .states = trace->states,
                             .threads = trace->threads,
                             .events = trace->events,
                             .event_count = trace->event_count,
                             .period = trace->period,
                             .sampler_seconds = trace->sampler_seconds,
                             .incomplete = trace->incomplete};
}

/* ---- rows ---- */

/* Drops every second row; the first one of all, and of the run, stay or move to the next even place. */
static void thin(ordo_trace *t)
{
    const size_t threads = (size_t)t->threads;
    for (size_t i = 0; 2 * i < t->count; i++) {
        t->rows[i] = t->rows[2 * i];
        memmove(t->states + i * threads, t->states + 2 * i * threads, threads);
    }
    t->count = (t->count + 1) / 2;
    t->first = (t->first + 1) / 2;
    t->period *= 2;
}

/* Reserves one more row; false where there is none. */
static bool reserve_row(ordo_trace *t)
{
    if (!(t->asked > 0)) {
        if (t->count >= ORDO_TRACE_CHOSEN)
            thin(t);
        return true;
    }
    if (t->count < t->capacity)
        return true;
    const size_t capacity = 2 * t->capacity;
    ordo_trace_sample *rows = t->count < ORDO_TRACE_SAMPLES ? ordo_realloc(t->rows, capacity, sizeof *rows) : NULL;
    if (rows)
        t->rows = rows;
    ordo_u8 *states = rows ? ordo_realloc(t->states, capacity, (size_t)t->threads) : NULL;
    if (!states)
        return false;
    t->states = states;
    t->capacity = capacity;
    return true;
}

static void add_members(const ordo_job *job, ordo_counters *sum)
{
    for (int m = 0; m < job->threads; m++) {
        const ordo_counters *c = &job->counters[m];
        double work;
        sum->items += __atomic_load_n(&c->items, __ATOMIC_RELAXED);
        sum->edges += __atomic_load_n(&c->edges, __ATOMIC_RELAXED);
        sum->useful += __atomic_load_n(&c->useful, __ATOMIC_RELAXED);
        sum->stale += __atomic_load_n(&c->stale, __ATOMIC_RELAXED);
        sum->activations += __atomic_load_n(&c->activations, __ATOMIC_RELAXED);
        sum->put += __atomic_load_n(&c->put, __ATOMIC_RELAXED);
        __atomic_load(&c->work_seconds, &work, __ATOMIC_RELAXED);
        sum->work_seconds += work;
    }
}

/* Sets what is not counted where it happens. */
static void derive(const ordo_job *job, bool all_items, ordo_counters *sum)
{
    if (job->op->kind == ORDO_KIND_RELAX && job->op->activates && !all_items && job->item != ORDO_ITEMS_EDGES) {
        const ordo_u64 taken = sum->items + sum->stale;
        sum->useful = sum->activations = taken > job->initial_count ? taken - job->initial_count : 0;
    }
}

void ordo_counters_sum(const ordo_job *job, bool all_items, ordo_counters *sum)
{
    *sum = (ordo_counters){0};
    add_members(job, sum);
    derive(job, all_items, sum);
}

/* What the trace shows of the worklist; `sum` of the counters at about the same time. */
static ordo_probed probe(const ordo_trace *t, const ordo_counters *sum)
{
    const ordo_run_words *words = t->run.words;
    const ordo_u64 gone = sum->items + sum->stale;
    ordo_probed p = {.bucket = __atomic_load_n(&words->bucket, __ATOMIC_RELAXED),
                     .concurrent = __atomic_load_n(&words->concurrent, __ATOMIC_RELAXED),
                     .worklist_bytes = __atomic_load_n(&words->worklist_bytes, __ATOMIC_RELAXED)};
    __atomic_load(&words->delta, &p.delta, __ATOMIC_RELAXED);
    if (sum->put)
        p.in_flight = sum->put > gone ? sum->put - gone : 0;
    else /* a scheduler that does not say what it puts */
        p.in_flight = gone ? __atomic_load_n(&words->in_flight, __ATOMIC_RELAXED) : t->run.job->initial_count;
    if (t->probe)
        t->probe(t->probe_arg, &p);
    return p;
}

/* What does not balance when members have published for the last time: what was left on the worklist of a run that was
 * ended early, else 0. */
static ordo_u64 left_over(const ordo_counters *sum)
{
    const ordo_u64 gone = sum->items + sum->stale;
    return !sum->put ? 0 : sum->put > gone ? sum->put - gone : gone - sum->put;
}

/* The greater one: words of several members are read at different times, but what a column shows never falls. */
static ordo_u64 rise(ordo_u64 before, ordo_u64 now)
{
    return now > before ? now : before;
}

/* Reads the members of the team. */
static ordo_probed read_team(const ordo_trace *t, ordo_counters *sum, ordo_u8 *states, ordo_u32 *busy)
{
    ordo_counters_sum(t->run.job, t->run.all_items, sum);
    const ordo_probed p = probe(t, sum);
    memset(states, ORDO_ENDED, (size_t)t->threads);
    for (int m = 0; m < t->run.job->threads; m++) {
        states[m] = (ordo_u8)__atomic_load_n(&t->run.job->counters[m].state, __ATOMIC_RELAXED);
        *busy += states[m] == ORDO_BUSY || states[m] == ORDO_STEALING || states[m] == ORDO_MANAGING;
    }
    return p;
}

/* Reads the source, if there is one; the counters of the job are those of runs that have ended. */
static ordo_probed read_device(ordo_trace *t, ordo_counters *sum, ordo_u8 *states, ordo_u32 *busy)
{
    const ordo_job *job = t->run.job;
    memset(states, ORDO_ENDED, (size_t)t->threads);
    add_members(job, sum);
    if (t->source.read) {
        t->last = probe(t, sum);
        *busy = t->source.read(t->source.arg, sum, states, &t->last);
    }
    derive(job, t->run.all_items, sum);
    return t->last;
}

/* Adds a row; `ended`: the last one of a run. */
static void add_row(ordo_trace *t, double seconds, bool ended)
{
    const ordo_job *job = t->run.job;
    if (!reserve_row(t)) {
        t->incomplete = true;
        if (!ended)
            return;
        t->count--; /* the last row has the totals, whatever is missing before */
    }
    ordo_counters sum = {0};
    ordo_u32 busy = 0;
    ordo_u8 *const states = t->states + t->count * (size_t)t->threads;
    const ordo_probed p = t->run.on_device ? read_device(t, &sum, states, &busy) : read_team(t, &sum, states, &busy);
    if (t->source.read) { /* the sample has the time of the middle of its read */
        const double after = run_seconds(t);
        t->reading += after - seconds;
        seconds = (seconds + after) / 2;
    }
    const ordo_trace_sample *b = &t->base, *before = t->count > t->first ? &t->rows[t->count - 1] : b;
    ordo_u64 activations = sum.activations;
    if (!ended && job->op->kind == ORDO_KIND_RELAX && job->op->activates && !t->run.all_items) {
        const ordo_u64 put = sum.items + sum.stale + p.in_flight;
        activations = put > job->initial_count ? put - job->initial_count : 0;
        sum.useful = activations;
    }
    ordo_trace_sample row = {.seconds = t->offset + seconds,
                             .in_flight = ended ? left_over(&sum) : p.in_flight,
                             .items = rise(before->items, b->items + sum.items),
                             .edges = rise(before->edges, b->edges + sum.edges),
                             .useful = b->useful + sum.useful,
                             .stale = rise(before->stale, b->stale + sum.stale),
                             .activations = b->activations + activations,
                             .spills = rise(before->spills, b->spills + p.spills),
                             .bucket = p.bucket,
                             .delta = p.delta,
                             .worklist_bytes = p.worklist_bytes,
                             .concurrent = p.concurrent,
                             .busy = busy};
    if (!ended) {
        row.useful = rise(before->useful, row.useful);
        row.activations = rise(before->activations, row.activations);
    }
    t->rows[t->count++] = row;
}

/* Activations before the end were estimates, and may have been above the total by what was counted twice. */
static void clamp_to_total(ordo_trace *t)
{
    const ordo_trace_sample *end = &t->rows[t->count - 1];
    for (size_t i = t->first; i + 1 < t->count; i++) {
        ordo_trace_sample *row = &t->rows[i];
        row->useful = row->useful < end->useful ? row->useful : end->useful;
        row->activations = row->activations < end->activations ? row->activations : end->activations;
    }
}

/* ---- the thread ---- */

/* Doubles the period while a sample takes too large a share of it: of the CPU time of the run's threads, or where a
 * device works, of the time. */
static void obey_share(ordo_trace *t)
{
    if (t->asked > 0 || t->taken < ENOUGH)
        return;
    if (t->run.on_device) {
        const double each = t->reading / (double)t->taken;
        while (each > ORDO_TRACE_READ * t->period && t->period < MOST_PERIOD)
            t->period *= 2;
        return;
    }
    struct timespec cpu;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    const double each = ((double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec) / (double)t->taken;
    while (each > ORDO_TRACE_SHARE * t->period * t->threads && t->period < MOST_PERIOD)
        t->period *= 2;
}

static void *sampler_main(void *arg)
{
    ordo_trace *t = arg;
    struct timespec cpu;
    prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); /* wakes within a microsecond, not 50; where refused, later */
    pthread_mutex_lock(&t->lock);
    while (!t->running && !t->stop)
        pthread_cond_wait(&t->changed, &t->lock);
    for (double next = t->period; !t->stop;) {
        if (__atomic_load_n(&t->paused, __ATOMIC_RELAXED)) {
            pthread_cond_wait(&t->changed, &t->lock);
            continue;
        }
        struct timespec due = t->start;
        const double whole = floor(next);
        due.tv_sec += (time_t)whole;
        due.tv_nsec += (long)((next - whole) * 1e9);
        if (due.tv_nsec >= 1000000000) {
            due.tv_sec++;
            due.tv_nsec -= 1000000000;
        }
        pthread_cond_timedwait(&t->changed, &t->lock, &due);
        const double seconds = run_seconds(t);
        if (t->stop || seconds < next - 1e-6 || __atomic_load_n(&t->paused, __ATOMIC_RELAXED))
            continue;
        t->taken++;
        add_row(t, seconds, false);
        obey_share(t);
        /* The next multiple of the period: a sample that is late is not made up for. The small number is for rounding.
         */
        next = (floor(fmax(seconds, next) / t->period + 1e-9) + 1) * t->period;
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    t->sampler_seconds += (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec;
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* Signals are for the threads of the caller. */
static ordo_status make_thread(ordo_trace *t)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&t->thread, NULL, sampler_main, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error)
        return ordo_fail(ORDO_ERR_MEMORY, "cannot make the thread of the trace: %s", strerror(error));
    t->has_thread = true;
    return ORDO_OK;
}

/* ---- a run ---- */

/* Makes rows of states for a run of `workers`. Runs before it may have had fewer or more: rows have the most. */
static ordo_status make_states(ordo_trace *t, int workers)
{
    const int before = t->count ? t->threads : 0, threads = workers > before ? workers : before;
    if (!t->states || threads != t->threads) {
        ordo_u8 *states = ordo_alloc(t->capacity, (size_t)threads);
        if (!states)
            return ORDO_ERR_MEMORY;
        memset(states, ORDO_ENDED, t->capacity * (size_t)threads);
        for (size_t i = 0; before && i < t->count; i++)
            memcpy(states + i * (size_t)threads, t->states + i * (size_t)before, (size_t)before);
        ordo_free(t->states);
        t->states = states;
    }
    t->threads = threads;
    t->first = t->count;
    t->base = t->count ? t->rows[t->count - 1] : (ordo_trace_sample){0};
    return ORDO_OK;
}

ordo_status ordo_trace_ready(ordo_trace *trace, const ordo_traced_run *run)
{
    ordo_status status = ORDO_OK;
    const bool on_device = run->by_time && run->on_device;
    if (!on_device) /* else the number of workers is not known yet */
        status = make_states(trace, run->job->threads);
    if (status)
        return status;
    trace->run = *run;
    trace->run.on_device = on_device;
    trace->running = trace->stop = trace->has_thread = false;
    trace->taken = 0;
    trace->probe = NULL;
    trace->source = (ordo_trace_source){0};
    trace->paused = 0;
    trace->reading = trace->ended = 0;
    return run->by_time ? make_thread(trace) : ORDO_OK;
}

/* Under the lock. */
static void start(ordo_trace *trace, const struct timespec *start)
{
    if (!trace->began)
        trace->zero = *start;
    trace->began = trace->running = true;
    trace->start = *start;
    trace->offset = seconds_between(&trace->zero, start);
    add_row(trace, 0, false);
}

void ordo_trace_start(ordo_trace *trace, const struct timespec *when)
{
    pthread_mutex_lock(&trace->lock);
    start(trace, when);
    pthread_cond_signal(&trace->changed);
    pthread_mutex_unlock(&trace->lock);
}

ordo_status ordo_trace_source_begin(ordo_trace *trace, const ordo_trace_source *source)
{
    ordo_status status = ORDO_OK;
    pthread_mutex_lock(&trace->lock);
    if (!trace->running) {
        status = make_states(trace, source->workers);
        if (!status) {
            struct timespec now;
            if (!(trace->asked > 0) && !trace->began)
                trace->period = source->period;
            trace->last =
                (ordo_probed){.in_flight = trace->run.job->initial_count,
                              .worklist_bytes = __atomic_load_n(&trace->run.words->worklist_bytes, __ATOMIC_RELAXED)};
            clock_gettime(CLOCK_MONOTONIC, &now);
            start(trace, &now);
        }
    }
    if (!status) {
        trace->source = *source;
        __atomic_store_n(&trace->paused, 0, __ATOMIC_RELAXED);
        pthread_cond_signal(&trace->changed);
    }
    pthread_mutex_unlock(&trace->lock);
    return status;
}

void ordo_trace_source_end(ordo_trace *trace, double seconds)
{
    __atomic_store_n(&trace->paused, 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&trace->lock);
    if (trace->running && trace->source.read) {
        const double now = run_seconds(trace);
        ordo_counters ignored = {0};
        ordo_u32 busy;
        if (reserve_row(trace)) /* for what the last row shows of the worklist */
            read_device(trace, &ignored, trace->states + trace->count * (size_t)trace->threads, &busy);
        trace->ended = seconds > 0 && trace->ended + seconds < now ? trace->ended + seconds : now;
    }
    trace->source = (ordo_trace_source){0};
    pthread_mutex_unlock(&trace->lock);
}

/* Adds the events of the run; if there are too many, every second one is dropped, as in a run. */
static void add_events(ordo_trace *t, const ordo_sample *events, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ordo_trace_event *e = &t->events[t->event_count++];
        *e = (ordo_trace_event){.at = events[i], .width_changed = i > 0 && events[i].delta != events[i - 1].delta};
        e->at.seconds += t->offset;
    }
    while (t->event_count > ORDO_TRACE_MAX) {
        for (size_t i = 0; i < t->event_count / 2; i++)
            t->events[i] = t->events[2 * i];
        t->event_count /= 2;
    }
}

void ordo_trace_stop(ordo_trace *trace, const ordo_sample *events, size_t count)
{
    pthread_mutex_lock(&trace->lock);
    trace->stop = true;
    pthread_cond_signal(&trace->changed);
    pthread_mutex_unlock(&trace->lock);
    if (trace->has_thread)
        pthread_join(trace->thread, NULL);
    trace->has_thread = false;
    trace->probe = NULL;
    trace->source = (ordo_trace_source){0};
    if (!trace->running)
        return; /* the run never began */
    double seconds = run_seconds(trace);
    if (trace->run.on_device) { /* the end of the device's work, or what was sampled after it */
        const double sampled = trace->rows[trace->count - 1].seconds - trace->offset;
        seconds = fmax(trace->ended, sampled);
    }
    add_row(trace, seconds, true);
    clamp_to_total(trace);
    add_events(trace, events, count);
    trace->running = false;
    trace->run = (ordo_traced_run){0};
}

void ordo_trace_set_probe(ordo_trace *trace, ordo_probe_fn *fn, const void *arg)
{
    pthread_mutex_lock(&trace->lock);
    trace->probe = fn;
    trace->probe_arg = arg;
    pthread_mutex_unlock(&trace->lock);
}
