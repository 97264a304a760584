/* adds/manager.h -- the manager of `adds`: assigns work, switches the head bucket, sets delta, detects termination.
 *
 * Wang's thesis, sections 5.4 (assignment flags, grain), 5.5 (many buckets, switching, several of them dequeued at
 * once) and 5.7 (delta from clip point and utilisation). Does not depend on the operator. On a GPU the manager is a
 * thread block; here it is a role: of member 0 only (manager=dedicated), or of any member that has nothing to do, for a
 * moment, under a try-lock (manager=combining). Members of adds_control that are not atomic below are accessed under
 * that role only.
 *
 * Assignment flags. One 64-bit word for each worker: 0 when it can take work, else location, size and bucket; all ones:
 * the end. The manager stores it with release after it has probed (R4), the worker reads it with acquire and sets it to
 * 0. Only the manager changes it from 0, only the worker sets it back to 0.
 *
 * Mapping priority -> bucket. (base, 1/delta, head) is published through a sequence lock: odd while it changes; words
 * are stored with release and read with acquire, so that a reader that read a new word reads a new sequence after it. A
 * worker copies the mapping at the start of an assignment and reads the sequence again when it flushes. A copy may
 * nevertheless be outdated when the entries are pushed. Then an entry lies in a bucket that now means another priority:
 * it is read later or sooner than it should be, but it is read, because every bucket becomes the head again while any
 * of them has work, and the run does not end before all are quiet. Priorities never decide what is correct.
 *
 * Termination. An unfinished item is in a bucket (pushed, DWC not yet counted), or in a member's overflow (spilled, not
 * yet counted out), or not yet pushed by the member that holds it, which then has neither counted DWC (D2) nor its
 * overflow out. So all is done at a moment when DWC == resv_ptr for every bucket and out == in for every overflow.
 * adds_quiet reads every DWC and `out` first, with acquire, and every resv_ptr and `in` after. All of them only grow
 * and done never passes reserved: done(read) <= done(t) <= reserved(t) <= reserved(read) for a moment t between.
 * Equality of what was read is equality at t, for all buckets at once: exact, without repeated empty sweeps. In terms
 * of happens-before: an item that the manager has not seen reserved was activated by one that it has not seen done,
 * whose reservation it has not seen either (the two were equal), and so on back to an initial item, whose reservation
 * comes before its holder's `out`, which the manager has seen. (Modular equality is equality: while the manager reads,
 * alloc_ptr does not change, so resv_ptr moves by less than the pool.)
 */
#ifndef ORDO_ADDS_MANAGER_H
#define ORDO_ADDS_MANAGER_H

#include <ordo/scheduler/scheduler.h>

#include "delta_controller.h"
#include "queue.h"

#define ADDS_END (~(ordo_u64)0)
enum { ADDS_MAX_GRAIN = 16384, ADDS_GAP = 32 /* ADDS_GAP is in circles of buckets */ };

ADDS_FN ordo_u64 adds_flag(ordo_u32 location, ordo_u32 size, ordo_u32 bucket)
{
    return location | (ordo_u64)size << 32 | (ordo_u64)bucket << 48;
}
ADDS_FN ordo_u32 adds_flag_location(ordo_u64 flag)
{
    return (ordo_u32)flag;
}
ADDS_FN ordo_u32 adds_flag_size(ordo_u64 flag)
{
    return (ordo_u32)(flag >> 32) & 0xffff;
}
ADDS_FN ordo_u32 adds_flag_bucket(ordo_u64 flag)
{
    return (ordo_u32)(flag >> 48) & 0xff;
}

/* Shared words of a member, on two cache lines: those that the manager writes, and those that the member writes. */
typedef struct adds_worker {
    ordo_u64 flag;
    ordo_u32 size, idle; /* used by the manager: items last assigned; whether the member can take work now */
    ordo_u32 padding0[12];
    ordo_u64 in, out;  /* overflow: entries added since the start, and entries removed */
    double tail_least; /* least priority that the member has put into the tail bucket since the last head switch */
    ordo_u32 waiting;  /* 1: the member has nothing to do */
    ordo_u32 padding1[9];
} adds_worker;

typedef struct adds_map {
    double base, per_delta;
    ordo_u32 head, sequence;
} adds_map;

/* Fixed for a run. */
typedef struct adds_params {
    ordo_u32 first_worker, workers; /* members first_worker .. workers - 1 work */
    bool combining;
    ordo_u32 grain_low, grain_high;
    ordo_u32 epoch; /* assignments */
    adds_delta_params controller;
    ordo_job *job;     /* the job whose trace is written; NULL: none */
    ordo_u64 overflow; /* initial items, which begin as overflow and are no spills */
} adds_params;

typedef struct adds_control {
    adds_queue queue;
    adds_params params;
    adds_worker *worker; /* [workers] */
    ordo_u64 padding0[8];
    adds_map map; /* the published mapping, under a sequence lock */
    ordo_u64 padding1[8];
    ordo_u32 lock; /* manager=combining: the lock of the manager role */
    ordo_u32 padding2[15];
    ordo_u64 switches;  /* head switches; read by member 0 */
    ordo_u64 in_flight; /* in the last epoch; read by member 0 */

    /* accessed by the manager only */
    ordo_u32 head, next_worker, assignments;
    adds_delta_controller controller;
    double base, util, util_sum;
    ordo_u32 util_count;
    bool ended;
    ordo_u32 seen[ADDS_MAX_BUCKETS], seen_tail; /* resv_ptr when the epoch began; that of the tail when it became the
                                                   tail */
    ordo_u64 tail_pushes, switches_before;      /* values at the end of the last epoch */
} adds_control;

/* ---- the mapping ---- */

ADDS_FN void adds_publish_map(adds_control *c)
{
    adds_map *map = &c->map;
    double per_delta = 1 / c->controller.delta;
    ordo_u32 sequence = __atomic_load_n(&map->sequence, __ATOMIC_RELAXED);
    __atomic_store_n(&map->sequence, sequence + 1, __ATOMIC_RELAXED);
    __atomic_store(&map->base, &c->base, __ATOMIC_RELEASE);
    __atomic_store(&map->per_delta, &per_delta, __ATOMIC_RELEASE);
    __atomic_store_n(&map->head, c->head, __ATOMIC_RELEASE);
    __atomic_store_n(&map->sequence, sequence + 2, __ATOMIC_RELEASE);
}

/* Makes a consistent copy; if the manager keeps changing the mapping, one that may be torn, which is harmless: see
 * above. */
ADDS_FN void adds_read_map(const adds_control *c, adds_map *copy)
{
    for (int tries = 0; tries < 100; tries++) {
        copy->sequence = __atomic_load_n(&c->map.sequence, __ATOMIC_ACQUIRE);
        __atomic_load(&c->map.base, &copy->base, __ATOMIC_ACQUIRE);
        __atomic_load(&c->map.per_delta, &copy->per_delta, __ATOMIC_ACQUIRE);
        copy->head = __atomic_load_n(&c->map.head, __ATOMIC_ACQUIRE);
        if (!(copy->sequence & 1) && copy->sequence == __atomic_load_n(&c->map.sequence, __ATOMIC_RELAXED))
            return;
    }
}

ADDS_FN bool adds_map_is_old(const adds_control *c, const adds_map *copy)
{
    return __atomic_load_n(&c->map.sequence, __ATOMIC_RELAXED) != copy->sequence;
}

/* The bucket of a priority: those below the head's go to the head, those too far away are clipped to the tail. */
ADDS_FN ordo_u32 adds_bucket_of(const adds_map *map, ordo_u32 buckets, double priority)
{
    double ahead = (priority - map->base) * map->per_delta;
    ordo_u32 i = ahead > 0 ? (ahead < (double)(buckets - 1) ? (ordo_u32)ahead : buckets - 1) : 0;
    i += map->head;
    return i >= buckets ? i - buckets : i;
}

ADDS_FN ordo_u32 adds_tail_of(const adds_map *map, ordo_u32 buckets)
{
    return map->head ? map->head - 1 : buckets - 1;
}

/* ---- set-up ---- */

ADDS_FN ordo_u32 adds_nth(const adds_control *c, ordo_u32 ahead)
{
    ordo_u32 b = c->head + ahead;
    return b >= c->queue.layout.buckets ? b - c->queue.layout.buckets : b;
}
ADDS_FN ordo_u32 adds_resv_of(const adds_control *c, ordo_u32 b)
{
    return adds_resv(__atomic_load_n(&c->queue.bucket[b].ends, __ATOMIC_RELAXED));
}

/* Called after the queue and the parameters are set up, before any member starts. */
ADDS_FN void adds_control_init(adds_control *c, adds_delta_controller controller)
{
    c->controller = controller;
    for (ordo_u32 w = 0; w < c->params.workers; w++)
        c->worker[w].tail_least = __builtin_huge_val();
    c->next_worker = c->params.first_worker;
    adds_memory(&c->queue, 0);
    for (ordo_u32 b = 0; b < c->queue.layout.buckets; b++)
        c->seen[b] = adds_resv_of(c, b);
    c->seen_tail = c->seen[c->queue.layout.buckets - 1];
    adds_publish_map(c);
}

/* ---- the role ---- */

ADDS_FN bool adds_try_lock(adds_control *c)
{
    return !__atomic_load_n(&c->lock, __ATOMIC_RELAXED) && !__atomic_exchange_n(&c->lock, 1, __ATOMIC_ACQUIRE);
}
ADDS_FN void adds_unlock(adds_control *c)
{
    __atomic_store_n(&c->lock, 0, __ATOMIC_RELEASE);
}

/* ---- section 5.7: delta ---- */

/* Number of items that all workers together can hold. */
ADDS_FN double adds_workers_capacity(const adds_params *r)
{
    return (double)(r->workers - r->first_worker) * r->grain_high;
}

/* Adds a sample to the trace: after a head switch, and after a change of delta. */
ADDS_FN void adds_sample_trace(const adds_control *c)
{
#ifndef ORDO_NO_STATS
    if (c->params.job)
        ordo_job_sample(c->params.job, c->in_flight, c->switches, c->controller.delta, c->controller.concurrent,
                        (float)c->util);
#else
    (void)c;
#endif
}

/* Called at the end of an epoch. */
ADDS_FN void adds_adapt(adds_control *c)
{
    ordo_u32 tail = adds_nth(c, c->queue.layout.buckets - 1);
    ordo_u64 pushes = 0, head_pushes = 0, in_flight = 0, waiting = 0;
    c->tail_pushes += adds_ahead(adds_resv_of(c, tail), c->seen_tail);
    for (ordo_u32 b = 0; b < c->queue.layout.buckets; b++) {
        ordo_u32 done = adds_dwc(&c->queue, b), resv = adds_resv_of(c, b);
        pushes += adds_ahead(resv, c->seen[b]);
        head_pushes += b == c->head ? adds_ahead(resv, c->seen[b]) : 0;
        in_flight += adds_ahead(resv, done);
        c->seen[b] = resv;
    }
    for (ordo_u32 i = c->controller.concurrent; i < c->queue.layout.buckets; i++) {
        ordo_u32 b = adds_nth(c, i);
        waiting += adds_ahead(c->seen[b], adds_dwc(&c->queue, b));
    }
    c->seen_tail = c->seen[tail];
    ordo_u64 tail_pushes = c->tail_pushes;
    c->tail_pushes = 0;
    __atomic_store_n(&c->in_flight, in_flight, __ATOMIC_RELAXED);
    c->util = c->util_count ? c->util_sum / c->util_count : 0;
    c->util_sum = 0;
    c->util_count = 0;
    if (c->switches == c->switches_before &&
        adds_delta_controller_narrow(&c->params.controller, &c->controller, pushes, pushes - head_pushes, c->util,
                                     c->queue.layout.buckets, c->switches)) {
        adds_publish_map(c);
        adds_sample_trace(c);
        return;
    }
    c->switches_before = c->switches;
    if (adds_delta_controller_epoch(&c->params.controller, &c->controller, pushes, tail_pushes, c->util,
                                    (double)waiting / adds_workers_capacity(&c->params), c->switches)) {
        adds_publish_map(c);
        adds_sample_trace(c);
    }
}

/* ---- section 5.5: switching, and the end ---- */

/* Whether all work is done; *unfinished gets a bit for each bucket that had work at some moment meanwhile. */
ADDS_FN bool adds_quiet(const adds_control *c, ordo_u32 *unfinished)
{
    const adds_queue *q = &c->queue;
    ordo_u32 done[ADDS_MAX_BUCKETS];
    ordo_u64 out = 0, in = 0; /* sums grow with their terms, so the argument above holds for them, too */
    for (ordo_u32 b = 0; b < q->layout.buckets; b++)
        done[b] = adds_dwc(q, b);
    for (ordo_u32 w = 0; w < c->params.workers; w++)
        out += __atomic_load_n(&c->worker[w].out, __ATOMIC_ACQUIRE);
    ADDS_HOOK("quiet");
    *unfinished = 0;
    for (ordo_u32 b = 0; b < q->layout.buckets; b++)
        if (done[b] != adds_resv_of(c, b))
            *unfinished |= (ordo_u32)1 << b;
    for (ordo_u32 w = 0; w < c->params.workers; w++)
        in += __atomic_load_n(&c->worker[w].in, __ATOMIC_RELAXED);
    return !*unfinished && in == out;
}

/* The least priority that workers have put into the tail bucket; resets these for the next tail. */
ADDS_FN double adds_take_tail_least(adds_control *c)
{
    double none = __builtin_huge_val();
    double least = none;
    for (ordo_u32 w = 0; w < c->params.workers; w++) {
        double its;
        __atomic_load(&c->worker[w].tail_least, &its, __ATOMIC_RELAXED);
        least = its < least ? its : least;
        __atomic_store(&c->worker[w].tail_least, &none, __ATOMIC_RELAXED);
    }
    return least;
}

/* While the head is quiet and another bucket is not, makes the next such bucket the head. Ends the run when all work is
 * done. */
ADDS_FN void adds_switch_head(adds_control *c)
{
    const ordo_u32 buckets = c->queue.layout.buckets;
    while (!c->ended && adds_complete(&c->queue, c->head)) {
        ordo_u32 steps = 1;
        if (adds_complete(&c->queue, adds_nth(c, 1))) {
            ordo_u32 unfinished;
            c->ended = adds_quiet(c, &unfinished);
            if (!unfinished)
                return; /* the end; or what is left is overflow, or has not been pushed yet */
            while (steps < buckets && !(unfinished >> adds_nth(c, steps) & 1))
                steps++;
            if (steps == buckets)
                continue; /* the head has new work */
        }
        ordo_u32 tail = adds_nth(c, buckets - 1);
        c->tail_pushes += adds_ahead(adds_resv_of(c, tail), c->seen_tail);
        c->head = adds_nth(c, steps);
        c->base += steps * c->controller.delta;
        /* If all that is left lies in the tail, and farther ahead than doubling delta bridges in a few epochs, the
         * circle is moved to begin there: otherwise delta would double until buckets are far too wide. */
        const double least = adds_take_tail_least(c);
        if (steps == buckets - 1 && least - c->base > ADDS_GAP * buckets * c->controller.delta &&
            __builtin_isfinite(least))
            c->base = least;
        c->seen_tail = adds_resv_of(c, adds_nth(c, buckets - 1));
        __atomic_store_n(&c->switches, c->switches + 1, __ATOMIC_RELAXED);
        adds_publish_map(c);
        adds_sample_trace(c);
    }
}

/* What the trace samples (ordo_probe_fn), from words that members and the manager change meanwhile: acquire for what is
 * done before relaxed for what is reserved, as adds_quiet does, so that no difference is below 0. */
ADDS_FN void adds_probe_run(const void *arg, ordo_probed *out)
{
    const adds_control *c = (const adds_control *)arg;
    const adds_layout *s = &c->queue.layout;
    ordo_u32 done[ADDS_MAX_BUCKETS];
    ordo_u64 in = 0, waits = 0;
    for (ordo_u32 b = 0; b < s->buckets; b++)
        done[b] = adds_dwc(&c->queue, b);
    for (ordo_u32 w = 0; w < c->params.workers; w++)
        waits -= __atomic_load_n(&c->worker[w].out, __ATOMIC_ACQUIRE);
    for (ordo_u32 b = 0; b < s->buckets; b++)
        waits += adds_ahead(adds_resv_of(c, b), done[b]);
    for (ordo_u32 w = 0; w < c->params.workers; w++)
        in += __atomic_load_n(&c->worker[w].in, __ATOMIC_RELAXED);
    adds_map map;
    adds_read_map(c, &map);
    out->in_flight = waits + in;
    out->spills = in - c->params.overflow;
    out->bucket = __atomic_load_n(&c->switches, __ATOMIC_RELAXED);
    out->delta = 1 / map.per_delta;
    const ordo_u64 blocks = s->blocks - __atomic_load_n(&c->queue.free_count, __ATOMIC_RELAXED);
    out->worklist_bytes += (blocks << s->block_shift) * s->entry;
}

/* ---- section 5.4: assigning ---- */

/* Number of items for each of `idle` workers: a power of two between the bounds. */
ADDS_FN ordo_u32 adds_grain(const adds_params *r, ordo_u32 available, ordo_u32 idle)
{
    ordo_u32 each = available / idle;
    if (each >= r->grain_high)
        return r->grain_high;
    if (each <= r->grain_low)
        return r->grain_low;
    ordo_u32 grain = (ordo_u32)1 << adds_log2(each);
    return grain < each ? 2 * grain < r->grain_high ? 2 * grain : r->grain_high : grain;
}

/* Whether the manager may give work to worker w now. A dedicated manager keeps one assignment ready for a busy worker;
 * a busy worker that can take the manager role will assign work to itself, so only waiting workers are served. */
ADDS_FN bool adds_takes_work(const adds_control *c, ordo_u32 w, int self)
{
    const adds_worker *worker = &c->worker[w];
    return !__atomic_load_n(&worker->flag, __ATOMIC_RELAXED) &&
           (!c->params.combining || (int)w == self || __atomic_load_n(&worker->waiting, __ATOMIC_RELAXED));
}

/* Stores an assignment of each of `idle` workers, round robin, from the first `probed` buckets, higher priorities
 * first. Returns how many there were entries for. */
ADDS_FN ordo_u32 adds_assign(adds_control *c, int self, ordo_u32 probed, ordo_u32 grain, ordo_u32 idle)
{
    const adds_params *r = &c->params;
    ordo_u32 given = 0, w = c->next_worker;
    for (ordo_u32 k = 0; k < probed && given < idle; k++) {
        ordo_u32 b = adds_nth(c, k), location, size;
        while (given < idle) {
            size = adds_take(&c->queue, b, grain, &location);
            if (!size)
                break;
            /* the managing member first: its thread is running */
            ordo_u32 to = w;
            if (self >= 0 && c->worker[self].idle) {
                to = (ordo_u32)self;
            } else {
                while (!c->worker[to].idle)
                    to = to + 1 == r->workers ? r->first_worker : to + 1;
                w = to + 1 == r->workers ? r->first_worker : to + 1;
            }
            c->worker[to].idle = 0;
            c->worker[to].size = size;
            __atomic_store_n(&c->worker[to].flag, adds_flag(location, size, b), __ATOMIC_RELEASE);
            given++;
        }
    }
    c->next_worker = w;
    return given;
}

/* Adds to the utilisation: items that workers hold over items that all of them can hold, after an assignment. */
ADDS_FN void adds_sample_utilisation(adds_control *c)
{
    const adds_params *r = &c->params;
    ordo_u64 busy = 0;
    for (ordo_u32 i = r->first_worker; i < r->workers; i++)
        if (__atomic_load_n(&c->worker[i].flag, __ATOMIC_RELAXED) ||
            !__atomic_load_n(&c->worker[i].waiting, __ATOMIC_RELAXED))
            busy += c->worker[i].size;
    c->util_sum += (double)busy / adds_workers_capacity(r);
    c->util_count++;
}

/* One iteration of the manager: memory, probe, switch, assign. `self` is the member that manages, or -1 if it only
 * manages. Returns the number of assignments. */
ADDS_FN ordo_u32 adds_manage(adds_control *c, int self)
{
    adds_queue *q = &c->queue;
    const adds_params *r = &c->params;
    if (c->ended)
        return 0;
    adds_memory(q, c->head);
    ordo_u32 idle = 0;
    for (ordo_u32 w = r->first_worker; w < r->workers; w++)
        idle += c->worker[w].idle = adds_takes_work(c, w, self);
    if (!idle)
        return 0;

    /* probe: further buckets after the head only while those before have too few entries for all waiting workers */
    ordo_u32 available = adds_probe(q, c->head), probed = 1;
    if (!available) {
        adds_switch_head(c);
        if (c->ended) {
            for (ordo_u32 w = 0; w < r->workers; w++)
                __atomic_store_n(&c->worker[w].flag, ADDS_END, __ATOMIC_RELEASE);
            return 0;
        }
        available = adds_probe(q, c->head);
    }
    for (; probed < c->controller.concurrent && available < idle * r->grain_low; probed++)
        available += adds_probe(q, adds_nth(c, probed));
    if (!available)
        return 0;

    const ordo_u32 given = adds_assign(c, self, probed, adds_grain(r, available, idle), idle);
    adds_sample_utilisation(c);
    c->assignments += given;
    if (c->assignments >= r->epoch) {
        c->assignments = 0;
        adds_adapt(c);
    }
    return given;
}

#endif
