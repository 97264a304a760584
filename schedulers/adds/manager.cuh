/* adds/manager.cuh -- the manager of `adds` on a GPU: block 0 of the launch, a warp for each task; and how workers take
 * work.
 *
 * Problem. Assign readable entries of the current buckets to idle worker blocks, decide when the head moves on, adapt
 * delta, and detect termination; Wang's thesis, sections 5.3 to 5.5 and 5.7. Does not depend on the operator.
 *
 * Data structures. Warps of the manager's block:
 *   0 .. 3   probe: bucket b belongs to warp b % 4, so up to four consecutive buckets are probed in parallel (5.5)
 *   4        assign: assigns readable slots to worker blocks (5.4), and ranges of spilled items if there are any
 *   5        memory (5.6), and reading the host's stop request
 *   6        control: head switches and termination (5.5), delta (5.7)
 *   7        the trace, and progress for the host
 * They share adds_dev_manager in shared memory: each of its words has one writer.
 *   Assignment flags (AF): one 64-bit word per worker block, 0 when it can take work, else an assignment; all ones: the
 *   end. location (32 bits: slot of the pool, or first word of spill bits) | size << 32 | bucket << 48 | shift << 56
 *
 * Protocol. The assign warp stores a flag. A worker block has a copy of its flag in shared memory, `work`, from which
 * its warps take portions of 1 << shift items by compare-and-swap. A warp that finds the copy used up and gets the
 * block's lock reads the flag, clears it with a compare-and-swap (so an end that was stored meanwhile is not lost) and
 * makes it the new copy. So one assignment can wait while the block works on the last one. `left` counts, for a few
 * assignments at once, the items that are not done; the warp that ends an assignment's last portion does D1 and D2.
 *
 * Termination. What is not finished is in a bucket (reserved, DWC not counted), spilled (counted in `spilled`, not yet
 * in `swept`), or an initial item of a block that has not counted `started`. A worker counts DWC, swept or started only
 * after a fence behind the reservations and spills of what the items activated. The control warp reads started, swept
 * and every DWC first, with acquire, then spilled and every resv_ptr. All only grow, and what is done never passes what
 * is reserved: so equality of what was read is equality at a moment between, for all at once, and nothing is left.
 * Exact, without repeated empty sweeps.
 *
 * Memory order. read[] is stored with release and read with acquire (R4); other shared words are hints, or counters
 * with one writer. Where all lanes of a warp must decide alike, one lane reads for all. The assign warp stores a flag
 * after a fence that follows its acquire of read[] (R4: so the worker that acquires the flag sees what a probe warp saw
 * written). The mapping of priorities to buckets, (base, 1/delta, head), is stored by the control warp and read by
 * workers relaxed, word by word. A torn or outdated copy puts an entry into a bucket that means another priority; it is
 * read later or sooner than it should be, but it is read: every bucket becomes the head again while any has work.
 * Priorities never decide what is correct.
 *
 * Functions are called by whole warps, unless they say otherwise.
 */
#ifndef ORDO_ADDS_MANAGER_CUH
#define ORDO_ADDS_MANAGER_CUH

#include "delta_controller.h"
#include "queue.cuh"

enum {
    /* threads of a block: with two blocks a thread has 96 registers, or 128 over several GPUs, enough to spill none */
    ADDS_DEV_THREADS = ORDO_OVER_RANKS ? 256 : 320,
    ADDS_DEV_WARPS = ADDS_DEV_THREADS / 32,
    ADDS_DEV_PORTION = 32, /* the most items of a warp's portion */
    ADDS_DEV_WORKERS = 1024,
    ADDS_DEV_PROBES = 4,
    ADDS_DEV_ASSIGNER = ADDS_DEV_PROBES,
    ADDS_DEV_MEMORY,
    ADDS_DEV_CONTROL,
    ADDS_DEV_TRACER,       /* over several GPUs the ranks warp of cuda_ranks.cuh */
    ADDS_DEV_LOADS = 9,    /* flags that a lane loads at once */
    ADDS_DEV_LOOKS = 16,   /* loads of the block's flag by the warp that has the block's lock, before it releases the
                              lock */
    ADDS_DEV_SLOTS = 8,    /* assignments on which a block works at once */
    ADDS_DEV_SWEEP = 63,   /* marks a range of spill bits, in place of a bucket's number */
    ADDS_DEV_RANGE = 1024, /* words of spill bits in a range */
};
#define ADDS_DEV_END (~(ordo_u64)0)
#define ADDS_DEV_IS_THIN (1u << 8)

/* Fixed for a run. */
typedef struct adds_dev_params {
    adds_delta_params controller;
    adds_delta_controller start;
    ordo_u32 workers;               /* blocks 1 .. workers */
    ordo_u32 grain_low, grain_high; /* items of an assignment: powers of two */
    ordo_u32 epoch;                 /* assignments */
    double latency_bound;           /* utilisation below which the run is latency-bound */
    ordo_u32 spill_words;           /* 32-bit words of spill bits */
} adds_dev_params;

/* The state of the queue when a run was stopped, for the error message. */
typedef struct adds_dev_state {
    ordo_u64 resv[ADDS_MAX_BUCKETS], done[ADDS_MAX_BUCKETS], read[ADDS_MAX_BUCKETS], assigned[ADDS_MAX_BUCKETS];
    ordo_u64 spilled, swept, switches;
    double delta;
    ordo_u32 head, concurrent, free_blocks, most_used;
} adds_dev_state;

typedef struct adds_dev_manager {
    ordo_u64 read[ADDS_MAX_BUCKETS];     /* probe warps */
    ordo_u64 assigned[ADDS_MAX_BUCKETS]; /* assign warp */
    ordo_u32 assignments;                /* assign warp */
    ordo_u32 now;                        /* control warp: see adds_dev_now */
    ordo_u32 stop;                       /* memory warp: the host wants the run to stop */
    ordo_u32 over;                       /* ranks warp: nothing is left in any rank, or a host wants the run to stop */
    double front;                        /* ranks warp: the least base of the ranks that have entries */
    ordo_u32 told;                       /* control warp: how often it has written the words below for the trace warp */
    ordo_u32 concurrent;
    ordo_u64 switches, in_flight;
    double delta, util;
} adds_dev_manager;

/* State that all lanes of a manager's warp must read alike: one word, which one lane reads for its warp. */
#define ADDS_DEV_SPILLED (1u << 16)
#define ADDS_DEV_ENDED (1u << 17)
ORDO_DEV ordo_u32 adds_dev_now(ordo_u32 head, ordo_u32 concurrent, bool spilled, bool ended)
{
    return head | concurrent << 8 | (spilled ? ADDS_DEV_SPILLED : 0) | (ended ? ADDS_DEV_ENDED : 0);
}
ORDO_DEV ordo_u32 adds_dev_head(ordo_u32 now)
{
    return now & 0xff;
}
ORDO_DEV ordo_u32 adds_dev_concurrent(ordo_u32 now)
{
    return now >> 8 & 0xff;
}
ORDO_DEV ordo_u32 adds_dev_read_now(adds_dev_manager *m)
{
    return __shfl_sync(~0u, ordo_dev_load_block(&m->now), 0);
}

/* Called by all blocks, before the grid barrier. */
ORDO_DEV void adds_dev_manager_start(const adds_dev_queue &q, const adds_dev_params &r, adds_dev_manager *m)
{
    if (threadIdx.x < ADDS_MAX_BUCKETS) {
        m->read[threadIdx.x] = m->assigned[threadIdx.x] = q.layout.start;
        if (blockIdx.x == 0)
            q.words->resv[threadIdx.x] = q.words->done[threadIdx.x] = q.layout.start;
    }
    if (threadIdx.x == 0) {
        m->assignments = m->stop = m->over = 0;
        m->front = -INFINITY;
        m->switches = m->in_flight = m->told = 0;
        m->now = adds_dev_now(0, r.start.concurrent, false, false);
    }
}

/* The distance of bucket b from the head. */
ORDO_DEV ordo_u32 adds_dev_ahead(const adds_dev_queue &q, ordo_u32 b, ordo_u32 head)
{
    return b >= head ? b - head : b + q.layout.buckets - head;
}

/* ---- probe warps ---- */

ORDO_DEV void adds_dev_probe_warp(const adds_dev_queue &q, adds_dev_manager *m, ordo_u32 warp)
{
    ordo_u64 word[ADDS_MAX_BUCKETS / ADDS_DEV_PROBES] = {};
    for (;;) {
        const ordo_u32 now = adds_dev_read_now(m), head = adds_dev_head(now), concurrent = adds_dev_concurrent(now);
        if (now & ADDS_DEV_ENDED)
            break;
#pragma unroll
        for (ordo_u32 i = 0; i < ADDS_MAX_BUCKETS / ADDS_DEV_PROBES; i++) {
            const ordo_u32 b = i * ADDS_DEV_PROBES + warp;
            if (b >= q.layout.buckets || adds_dev_ahead(q, b, head) >= concurrent)
                continue;
            const ordo_u64 read = m->read[b], to = adds_dev_probe(q, b, read, &word[i]);
            if (to != read && threadIdx.x % 32 == 0)
                ordo_dev_release_block(&m->read[b], to);
            __syncwarp();
        }
    }
}

/* ---- the assign warp ---- */

/* Number of items of an assignment: a power of two between the bounds. It is a worker's share among all workers, not
 * among the idle ones: idle workers ask again, and busy ones ask later. A worker that gets more than its warps can take
 * at once would withhold the rest from both. */
ORDO_DEV ordo_u32 adds_dev_grain(const adds_dev_params &r, ordo_u64 available)
{
    ordo_u64 each = (available + r.workers - 1) / r.workers;
    if (each >= r.grain_high)
        return r.grain_high;
    if (each <= r.grain_low)
        return r.grain_low;
    return 1u << (32 - __clz((ordo_u32)each - 1));
}

/* By one thread: log2 of the portion for an assignment of `grain` items. */
ORDO_DEV ordo_u32 adds_dev_shift(const adds_dev_params &r, ordo_u32 grain)
{
    ordo_u32 portion = grain / ADDS_DEV_WARPS;
    portion = portion < r.grain_low ? r.grain_low : portion;
    return 31 - __clz(portion < ADDS_DEV_PORTION ? portion : ADDS_DEV_PORTION);
}

/* Assigns `chunks` pieces of `grain` units each, `size` in total, from `location` on, to idle workers: worker lane + 32
 * i is idle if bit i of the lane's *idle is set. */
ORDO_DEV void adds_dev_give(ordo_u64 *flag, ordo_u32 *idle, ordo_u32 chunks, ordo_u64 location, ordo_u32 size,
                            ordo_u32 grain, ordo_u32 bucket, ordo_u32 shift)
{
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_u32 mine = __popc(*idle), before = mine;
    for (int step = 1; step < 32; step *= 2) {
        ordo_u32 other = __shfl_up_sync(~0u, before, step);
        before += lane >= (ordo_u32)step ? other : 0;
    }
    ordo_dev_fence(); /* R4 */
    for (ordo_u32 c = before - mine; c < before && c < chunks; c++) {
        ordo_u32 i = __ffs(*idle) - 1, at = c * grain, piece = size - at < grain ? size - at : grain;
        *idle &= *idle - 1;
        ordo_dev_store(&flag[lane + 32 * i],
                       (location + at) | (ordo_u64)piece << 32 | (ordo_u64)bucket << 48 | (ordo_u64)shift << 56);
    }
    __syncwarp();
}

/* Sets bits in the lane's *idle for those of its `count` workers that can take work. */
ORDO_DEV void adds_dev_find_idle(ordo_u64 *flag, ordo_u32 count, ordo_u32 *idle)
{
    const ordo_u32 lane = threadIdx.x % 32;
    for (ordo_u32 first = 0; first < count; first += ADDS_DEV_LOADS) {
        bool free[ADDS_DEV_LOADS]; /* all loads are issued at once: one after the other they would take a round trip
                                      each */
#pragma unroll
        for (ordo_u32 i = 0; i < ADDS_DEV_LOADS; i++)
            free[i] =
                first + i < count && !(*idle >> (first + i) & 1) && ordo_dev_load(&flag[lane + 32 * (first + i)]) == 0;
#pragma unroll
        for (ordo_u32 i = 0; i < ADDS_DEV_LOADS; i++)
            *idle |= free[i] ? 1u << (first + i) : 0;
    }
    __syncwarp();
}

/* A sweep over the words of spill bits: number of its ranges, and of those assigned. 0 ranges: there is no sweep. */
typedef struct adds_dev_sweep {
    ordo_u32 ranges, assigned;
} adds_dev_sweep;

/* Begins a sweep, or assigns ranges of the current one to idle workers, or ends it if all ranges are done. */
ORDO_DEV void adds_dev_assign_ranges(const adds_dev_queue &q, const adds_dev_params &r, ordo_u64 *flag, ordo_u32 *idle,
                                     ordo_u32 workers, adds_dev_sweep *sweep)
{
    if (sweep->ranges && sweep->assigned == sweep->ranges) {
        if (__all_sync(~0u, ordo_dev_load(&q.words->ranges) == sweep->ranges)) {
            if (threadIdx.x % 32 == 0)
                ordo_dev_store(&q.words->ranges, 0u);
            sweep->ranges = sweep->assigned = 0;
        }
        return;
    }
    sweep->ranges = (r.spill_words + ADDS_DEV_RANGE - 1) / ADDS_DEV_RANGE;
    const ordo_u32 at = sweep->assigned * ADDS_DEV_RANGE, left = sweep->ranges - sweep->assigned;
    const ordo_u32 chunks = left < workers ? left : workers;
    adds_dev_give(flag, idle, chunks, at, r.spill_words - at, ADDS_DEV_RANGE, ADDS_DEV_SWEEP, 5);
    sweep->assigned += chunks;
}

ORDO_DEV void adds_dev_assign_warp(const adds_dev_queue &q, const adds_dev_params &r, adds_dev_manager *m,
                                   ordo_u64 *flag)
{
    const ordo_u32 lane = threadIdx.x % 32, buckets = q.layout.buckets;
    const ordo_u32 count = r.workers > lane ? (r.workers - lane + 31) / 32 : 0; /* workers of this lane */
    ordo_u32 idle = 0;                                                          /* mask of those that can take work */
    const ordo_u64 size = (ordo_u64)1 << q.layout.block_shift;
    adds_dev_sweep sweep = {};
    ordo_u64 assigned = q.layout.start, word = 0;
    for (;;) {
        const ordo_u32 now = adds_dev_read_now(m), head = adds_dev_head(now), concurrent = adds_dev_concurrent(now);
        if (now & ADDS_DEV_ENDED)
            break;
        ordo_u64 there = 0;
        if (lane < buckets && adds_dev_ahead(q, lane, head) < concurrent)
            there = ordo_dev_acquire_block(&m->read[lane]) - assigned;
        const ordo_u64 total = ordo_warp_sum(there);
        ordo_u32 workers = ordo_warp_sum((ordo_u32)__popc(idle));
        if (2 * workers < r.workers || (workers < r.workers && workers * r.grain_low < total)) {
            adds_dev_find_idle(flag, count, &idle);
            workers = ordo_warp_sum((ordo_u32)__popc(idle));
        }
        if (workers == 0)
            continue;
        if (total == 0) {
            if (sweep.ranges || now & ADDS_DEV_SPILLED)
                adds_dev_assign_ranges(q, r, flag, &idle, workers, &sweep);
            continue;
        }
        const ordo_u32 grain = adds_dev_grain(r, total);
        const ordo_u32 shift = adds_dev_shift(r, grain);
        ordo_u32 assignments = 0;
        for (ordo_u32 k = 0; k < concurrent && workers; k++) {
            const ordo_u32 b = head + k < buckets ? head + k : head + k - buckets;
            if (lane == b && there && !ordo_pool_is(word, ordo_pool_number(q.pool, assigned)))
                word = ordo_dev_acquire(ordo_pool_word(q.pool, b, ordo_pool_number(q.pool, assigned)));
            const ordo_u64 at = __shfl_sync(~0u, assigned, b), in_block = at & (size - 1);
            const ordo_u64 location =
                ((ordo_u64)ordo_pool_block(__shfl_sync(~0u, word, b)) << q.layout.block_shift) + in_block;
            ordo_u64 some = __shfl_sync(~0u, there, b);
            some = some < size - in_block ? some : size - in_block;
            if (!some)
                continue;
            const ordo_u64 pieces = (some + grain - 1) / grain;
            const ordo_u32 chunks = pieces < workers ? (ordo_u32)pieces : workers;
            some = some < (ordo_u64)chunks * grain ? some : (ordo_u64)chunks * grain;
            adds_dev_give(flag, &idle, chunks, location, (ordo_u32)some, grain, b, shift);
            if (lane == b) {
                assigned += some;
                m->assigned[b] = assigned;
            }
            workers -= chunks;
            assignments += chunks;
        }
        if (lane == 0)
            ordo_dev_store_block(&m->assignments, m->assignments + assignments);
        __syncwarp();
    }
    for (ordo_u32 i = 0; i < count; i++)
        ordo_dev_store(&flag[lane + 32 * i], ADDS_DEV_END);
}

/* ---- the memory warp ---- */

ORDO_DEV void adds_dev_memory_warp(const adds_dev_queue &q, adds_dev_manager *m, ordo_cuda_mailbox *mailbox,
                                   adds_dev_state *state)
{
    const ordo_u32 lane = threadIdx.x % 32;
    adds_dev_mapped mapped = {q.layout.start, q.layout.start, q.layout.blocks, 0};
    for (ordo_u32 i = lane; i < q.layout.blocks; i += 32)
        q.free[i] = q.layout.blocks - 1 - i;
    __syncwarp();
    for (ordo_u32 round = 0;; round++) {
        const ordo_u32 now = adds_dev_read_now(m);
        if (now & ADDS_DEV_ENDED)
            break;
        adds_dev_memory(q, &mapped, adds_dev_head(now));
        if (round % 64 == 63 && __any_sync(~0u, mailbox->stop != 0)) {
            state->resv[lane] = ordo_dev_load(&q.words->resv[lane]);
            state->done[lane] = ordo_dev_load(&q.words->done[lane]);
            state->read[lane] = ordo_dev_load_block(&m->read[lane]);
            state->assigned[lane] = ordo_dev_load_block(&m->assigned[lane]);
            if (lane == 0)
                ordo_dev_store_block(&m->stop, 1u);
        }
    }
    if (lane == 0) {
        state->spilled = ordo_dev_load(&q.words->spilled);
        state->swept = ordo_dev_load(&q.words->swept);
        state->free_blocks = mapped.free_count;
        state->most_used = mapped.most_used;
    }
}

/* ---- the control warp ---- */

ORDO_DEV void adds_dev_publish_map(const adds_dev_queue &q, double base, double delta, ordo_u32 head,
                                   ordo_u32 concurrent, bool latency_bound)
{
    ordo_dev_store(&q.words->base, base);
    ordo_dev_store(&q.words->per_delta, 1 / delta);
    ordo_dev_store(&q.words->limit, base + concurrent * delta);
    ordo_dev_store(&q.words->head, head | (latency_bound ? ADDS_DEV_IS_THIN : 0));
}

/* By one thread: passes a sample to the trace warp. The trace and the mailbox have a separate warp, because a sample
 * costs a few round trips, and a store to the host microseconds. The words that the trace warp reads may belong to
 * different moments; they are statistics only. */
ORDO_DEV void adds_dev_publish_statistics(adds_dev_manager *m, ordo_u64 in_flight, ordo_u64 switches,
                                          const adds_delta_controller &controller, double util)
{
    ordo_dev_store_block(&m->concurrent, controller.concurrent);
    ordo_dev_store_block(&m->switches, switches);
    ordo_dev_store_block(&m->in_flight, in_flight);
    ordo_dev_store_block(&m->delta, controller.delta);
    ordo_dev_store_block(&m->util, util);
    ordo_dev_store_block(&m->told, m->told + 1);
}

/* By a whole warp: writes a sample, if there is a new one; *seen is the caller's copy of `told`. */
template <bool Traced> ORDO_DEV void adds_dev_trace(adds_dev_manager *m, const ordo_cuda_run &run, ordo_u32 *seen)
{
    const ordo_u32 told = ordo_dev_load_block(&m->told);
    if (threadIdx.x % 32 == 0 && told != *seen) {
        const ordo_u64 in_flight = ordo_dev_load_block(&m->in_flight), switches = ordo_dev_load_block(&m->switches);
        ordo_dev_sample(run.record, in_flight, switches, ordo_dev_load_block(&m->delta),
                        ordo_dev_load_block(&m->concurrent), (float)ordo_dev_load_block(&m->util));
        if (Traced)
            ordo_live_report(run.traced, told, in_flight, switches, ordo_dev_load_block(&m->delta),
                             ordo_dev_load_block(&m->concurrent));
        run.mailbox->supersteps = switches;
        run.mailbox->in_flight = in_flight;
    }
    *seen = told;
    __nanosleep(500);
}

template <bool Traced> ORDO_DEV void adds_dev_trace_warp(adds_dev_manager *m, const ordo_cuda_run &run)
{
    ordo_u32 seen = 0;
    while (!(adds_dev_read_now(m) & ADDS_DEV_ENDED))
        adds_dev_trace<Traced>(m, run, &seen);
}

/* The counters that decide termination and head switches, as the control warp has read them; done and resv are those of
 * bucket b in lane b. */
typedef struct adds_dev_counts {
    ordo_u64 done, resv, swept, spilled;
    ordo_u32 started, unfinished; /* unfinished: bit b is set if bucket b is not done */
} adds_dev_counts;

/* Reads the counters. If the head seems to be done, reads them again in order: first what is done, then what is
 * reserved. */
ORDO_DEV adds_dev_counts adds_dev_count(const adds_dev_queue &q, ordo_u32 head)
{
    const ordo_u32 lane = threadIdx.x % 32, buckets = q.layout.buckets;
    adds_dev_counts c;
    c.started = ordo_dev_load(&q.words->started);
    c.swept = ordo_dev_load(&q.words->swept);
    c.done = lane < buckets ? ordo_dev_load(&q.words->done[lane]) : 0;
    c.resv = lane < buckets ? ordo_dev_load(&q.words->resv[lane]) : 0;
    c.spilled = ordo_dev_load(&q.words->spilled);
    c.unfinished = __ballot_sync(~0u, c.resv != c.done);
    if (!(c.unfinished >> head & 1)) {
        c.started = ordo_dev_acquire(&q.words->started);
        c.swept = ordo_dev_acquire(&q.words->swept);
        c.done = lane < buckets ? ordo_dev_acquire(&q.words->done[lane]) : 0;
        __syncwarp();
        c.resv = lane < buckets ? ordo_dev_load(&q.words->resv[lane]) : 0;
        c.spilled = ordo_dev_load(&q.words->spilled);
        c.unfinished = __ballot_sync(~0u, c.resv != c.done);
    }
    return c;
}

/* The control warp's state; the same in all lanes except for `seen`. */
typedef struct adds_dev_control {
    adds_delta_controller delta;
    double base;                       /* priority at which the head begins */
    ordo_u64 switches, in_flight;      /* head switches; items that are reserved and not done */
    ordo_u64 seen, tail_seen;          /* resv of bucket b, in lane b, when the epoch began; that of the tail */
    ordo_u64 tail_pushes;              /* pushes of this epoch into the bucket that was the tail at that time */
    double busy, util;                 /* sum of the samples of held items; utilisation in the last epoch */
    ordo_u32 head, assignments, looks; /* assignments when the epoch began; samples taken since */
    bool latency_bound;
} adds_dev_control;

ORDO_DEV void adds_dev_publish_control(const adds_dev_queue &q, const adds_dev_control &c)
{
    adds_dev_publish_map(q, c.base, c.delta.delta, c.head, c.delta.concurrent, c.latency_bound);
}

/* Makes the next bucket with unfinished entries the head. */
ORDO_DEV void adds_dev_switch_head(const adds_dev_queue &q, adds_dev_manager *m, adds_dev_control *c,
                                   const adds_dev_counts &counts)
{
    const ordo_u32 buckets = q.layout.buckets, after = counts.unfinished & ~((2u << c->head) - 1);
    const ordo_u32 next = __ffs(after ? after : counts.unfinished) - 1;
    const ordo_u32 old_tail = c->head ? c->head - 1 : buckets - 1, tail = next ? next - 1 : buckets - 1;
    c->tail_pushes += __shfl_sync(~0u, counts.resv, old_tail) - c->tail_seen;
    c->tail_seen = __shfl_sync(~0u, counts.resv, tail);
    c->base += adds_dev_ahead(q, next, c->head) * c->delta.delta;
    c->head = next;
    c->switches++;
    if (threadIdx.x % 32 == 0) {
        adds_dev_publish_control(q, *c);
        adds_dev_publish_statistics(m, c->in_flight, c->switches, c->delta, c->util);
    }
    __syncwarp();
}

/* Takes a sample of the items that workers hold, of the `capacity` that they can hold; tells workers when the run
 * becomes latency-bound, or no longer is. */
ORDO_DEV void adds_dev_look(const adds_dev_queue &q, const adds_dev_params &r, adds_dev_manager *m, adds_dev_control *c,
                            ordo_u64 done, double capacity)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_u64 assigned = lane < q.layout.buckets ? ordo_dev_load_block(&m->assigned[lane]) : 0;
    const ordo_u64 in_hand = ordo_warp_sum(assigned > done ? assigned - done : 0);
    c->busy += (double)in_hand;
    c->looks++;
    const bool latency_bound = (double)in_hand < r.latency_bound * capacity;
    if (latency_bound != c->latency_bound) {
        c->latency_bound = latency_bound;
        if (lane == 0)
            adds_dev_publish_control(q, *c);
    }
}

/* Ends an epoch, after `now` assignments: adapts delta and the number of buckets that are dequeued at once. */
ORDO_DEV void adds_dev_end_epoch(const adds_dev_queue &q, const adds_dev_params &r, adds_dev_manager *m,
                                 adds_dev_control *c, const adds_dev_counts &counts, ordo_u32 now, double capacity)
{
    const ordo_u32 lane = threadIdx.x % 32, buckets = q.layout.buckets, tail = c->head ? c->head - 1 : buckets - 1;
    const ordo_u64 tail_resv = __shfl_sync(~0u, counts.resv, tail);
    const ordo_u64 pushes = ordo_warp_sum(lane < buckets ? counts.resv - c->seen : 0);
    const ordo_u32 before = c->delta.concurrent;
    const bool beyond = lane < buckets && adds_dev_ahead(q, lane, c->head) >= before;
    const ordo_u64 waiting = ordo_warp_sum(beyond ? counts.resv - counts.done : (ordo_u64)0);
    c->assignments = now;
    c->util = c->busy / c->looks / capacity;
    c->util = c->util < 1 ? c->util : 1;
    c->busy = 0;
    c->looks = 0;
    c->in_flight = ordo_warp_sum(counts.resv - counts.done);
    const bool changed =
        adds_delta_controller_epoch(&r.controller, &c->delta, pushes, c->tail_pushes + (tail_resv - c->tail_seen),
                                    c->util, (double)waiting / capacity, c->switches);
    c->tail_seen = tail_resv;
    c->seen = counts.resv;
    c->tail_pushes = 0;
    if (lane == 0) {
        if (changed || c->delta.concurrent != before)
            adds_dev_publish_control(q, *c);
        adds_dev_publish_statistics(m, c->in_flight, c->switches, c->delta, c->util);
    }
    __syncwarp();
}

/* Over several GPUs, where the rank has no entries: moves its buckets to the front of the ranks that have some. */
ORDO_DEV void adds_dev_follow(const adds_dev_queue &q, adds_dev_manager *m, adds_dev_control *c)
{
    const double front = __shfl_sync(~0u, ordo_dev_load_block(&m->front), 0);
    if (!(front > c->base) || front == (double)INFINITY)
        return;
    c->base = front;
    if (threadIdx.x % 32 == 0)
        adds_dev_publish_control(q, *c);
    __syncwarp();
}

ORDO_DEV void adds_dev_control_warp(const adds_dev_queue &q, const adds_dev_params &r, adds_dev_manager *m, double base,
                                    ordo_cuda_record *record, adds_dev_state *state)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const double capacity = (double)r.workers * r.grain_high; /* items that the workers can hold */
    adds_dev_control c = {};
    c.delta = r.start;
    c.base = base;
    c.seen = c.tail_seen = q.layout.start;
    c.latency_bound = true;
    if (lane == 0)
        adds_dev_publish_control(q, c);
    bool ended = false;
    for (ordo_u32 round = 0; !ended; round++) {
        const adds_dev_counts counts = adds_dev_count(q, c.head);
        const bool spills = __any_sync(~0u, counts.spilled != counts.swept);
        if (!counts.unfinished && ORDO_OVER_RANKS)
            adds_dev_follow(q, m, &c);
        else if (!counts.unfinished)
            ended = !spills && __all_sync(~0u, counts.started == r.workers);
        else if (!(counts.unfinished >> c.head & 1))
            adds_dev_switch_head(q, m, &c, counts);
        if (round % 8 == 0)
            adds_dev_look(q, r, m, &c, counts.done, capacity);
        const ordo_u32 now = __shfl_sync(~0u, ordo_dev_load_block(&m->assignments), 0);
        if (now - c.assignments >= r.epoch && c.looks)
            adds_dev_end_epoch(q, r, m, &c, counts, now, capacity);
        ended = ended || __any_sync(~0u, ordo_dev_load_block(ORDO_OVER_RANKS ? &m->over : &m->stop) != 0);
        if (lane == 0)
            ordo_dev_store_block(&m->now, adds_dev_now(c.head, c.delta.concurrent, spills, ended));
        __syncwarp();
    }
    if (lane == 0) {
        record->supersteps = c.switches;
        record->delta_first = r.start.delta;
        record->delta_last = c.delta.delta;
        state->switches = c.switches;
        state->delta = c.delta.delta;
        state->head = c.head;
        state->concurrent = c.delta.concurrent;
    }
}

/* ---- workers ---- */

/* A worker block's shared words. */
typedef struct adds_dev_worker {
    ordo_u64
        work; /* the copy of the flag: the part that is not taken yet, with the slot of the assignment in bits 60 to 62
               */
    ordo_u64 last; /* the flag when it was last read; 0: it is cleared. Accessed under the lock */
    ordo_u32 lock;
    ordo_u32 left[ADDS_DEV_SLOTS]; /* items of each assignment that are not done; */
    ordo_u32 size[ADDS_DEV_SLOTS]; /* items that it had at first; 0: the slot is free */
    ordo_u32 begun;                /* warps that have pushed their initial items */
} adds_dev_worker;

typedef struct adds_dev_portion {
    ordo_u32 location, size, bucket, slot;
    bool end;
} adds_dev_portion;

ORDO_DEV ordo_u32 adds_dev_size(ordo_u64 work)
{
    return (ordo_u32)(work >> 32) & 0xffff;
}

/* By one thread, under the block's lock: takes an assignment, or the end, from the block's flag. */
ORDO_DEV void adds_dev_fetch(adds_dev_worker *w, ordo_u64 *flag)
{
    if (adds_dev_size(ordo_dev_acquire_block(&w->work)))
        return; /* another warp was faster */
    ordo_u32 slot = 0;
    while (slot < ADDS_DEV_SLOTS && ordo_dev_acquire_block(&w->size[slot]))
        slot++;
    if (slot == ADDS_DEV_SLOTS)
        return;
    if (w->last) {
        ordo_u64 expected = w->last;
        ordo_dev_swap(flag, &expected, (ordo_u64)0);
        w->last = 0;
    }
    ordo_u64 found = 0; /* relaxed loads: an acquire invalidates the first-level cache */
    for (int look = 0; look < ADDS_DEV_LOOKS && !found; look++)
        found = ordo_dev_load(flag);
    if (!found)
        return;
    ordo_dev_fence();
    if (found == ADDS_DEV_END) {
        ordo_dev_release_block(&w->work, found);
        return;
    }
    w->last = found;
    w->left[slot] = adds_dev_size(found);
    ordo_dev_store_block(&w->size[slot], adds_dev_size(found));
    ordo_dev_release_block(&w->work, found | (ordo_u64)slot << 60);
}

/* Waits for a portion or the end of the run. One thread calls `waits()` each time that it finds nothing. Over several
 * GPUs a warp that has looked at the block's flag and found nothing returns a portion of size 0. */
template <typename Waits> ORDO_DEV adds_dev_portion adds_dev_take(adds_dev_worker *w, ordo_u64 *flag, Waits waits)
{
    ordo_u64 got = 0;
    if (threadIdx.x % 32 == 0) {
        for (;;) {
            ordo_u64 work = ordo_dev_acquire_block(&w->work);
            if (work == ADDS_DEV_END) {
                got = work;
                break;
            }
            const ordo_u32 size = adds_dev_size(work);
            if (size) {
                ordo_u32 portion = 1u << (work >> 56 & 0xf);
                portion = portion < size ? portion : size;
                if (ordo_dev_swap_block(&w->work, &work, work + portion - ((ordo_u64)portion << 32))) {
                    ordo_dev_fence_block();
                    got = (work & ~((ordo_u64)0xffff << 32)) | (ordo_u64)portion << 32;
                    break;
                }
            } else if (ordo_dev_exchange_block(&w->lock, 1u) == 0) {
                waits();
                ordo_dev_fence_block();
                adds_dev_fetch(w, flag);
                ordo_dev_release_block(&w->lock, 0u);
                if (ORDO_OVER_RANKS && !adds_dev_size(ordo_dev_acquire_block(&w->work)))
                    break;
            } else {
                waits();
                __nanosleep(40);
            }
        }
    }
    got = __shfl_sync(~0u, got, 0);
    adds_dev_portion p = {(ordo_u32)got, adds_dev_size(got), (ordo_u32)(got >> 48) & 0xff, (ordo_u32)(got >> 60) & 7,
                          got == ADDS_DEV_END};
    return p;
}

/* Counts a portion as done. All that its items activated must be reserved or spilled. */
ORDO_DEV void adds_dev_finish(const adds_dev_queue &q, adds_dev_worker *w, const adds_dev_portion &p)
{
    ordo_u32 size = 0;
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        ordo_dev_fence_block();
        if (ordo_dev_add_block(&w->left[p.slot], 0u - p.size) == p.size)
            size = w->size[p.slot];
        ordo_dev_fence_block();
    }
    size = __shfl_sync(~0u, size, 0);
    if (!size)
        return;
    if (threadIdx.x % 32 == 0) {
        ordo_dev_release_block(&w->size[p.slot], 0u);
        ordo_dev_fence(); /* for D2, for which a head switch waits, and for D1 */
        if (p.bucket == ADDS_DEV_SWEEP)
            ordo_dev_add(&q.words->ranges, 1u);
        else
            ordo_dev_add(&q.words->done[p.bucket], (ordo_u64)size);
    }
    if (p.bucket != ADDS_DEV_SWEEP)
        adds_dev_done_reading(q, p.location, size);
    __syncwarp();
}

#endif
