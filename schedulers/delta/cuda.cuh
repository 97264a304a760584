/* delta on a GPU: delta-stepping in supersteps over 32 bucket arrays, with local chaining, in one persistent launch.
 *
 * Meyer and Sanders 2003; the arrays, the barrier and the chains are Ordo's own. Buckets lie in a circle over one pool
 * (<ordo/cuda_pool.cuh>). A superstep gives the slots from .. to of the head bucket to all warps in portions
 * (<ordo/cuda_warp.cuh>); what they activate in the head bucket they keep for their next hop where there is little
 * work, up to `hops` of them, and the rest goes to the end of its bucket. So a chain of a road network costs a hop and
 * not a barrier. What lies farther ahead than the circle reaches is clipped to its tail and sorted again when that is
 * the head.
 *
 * Words. tail[b]: slots of bucket b that were reserved. Who reserves the first slot of a block maps it, from a stack of
 * free ones; others wait for the table's word. A dry pool maps `none`: what belongs there is spilled, a bit an item,
 * and swept when the buckets are empty; a warp that has met `none` reserves no more in that superstep. Blocks whose
 * slots are all behind go back to the stack between two supersteps, when nobody takes any. So what is mapped or void at
 * a time are the pool and what all warps can reserve before they know, and for so many numbers the table has room.
 * Blocks change hands only between supersteps, so the barrier orders one use of a block after the other; within a
 * superstep the table's words stand for nothing but themselves, and are relaxed.
 *
 * The barrier decides. Every block adds one to `arrived`, after a fence behind its warps' stores; the last one to
 * arrive acquires them all with the fence behind its addition, reads the tails, and stores one word with release:
 * generation, how far the head moves, what to do, and the new `to`. All others wait for the generation, with acquire.
 * From that word and what they keep of the words before, all blocks know `from`, `to` and the head alike, without
 * reading anything else.
 *
 * The width follows the work: short supersteps that leave warps idle, one after the other, double it; more entries than
 * a few an item, which a better order would save, halve it. Entries stay where they are. In buckets that have become
 * wider they come late, in narrower ones early, and are sorted again as clipped ones are: order only.
 *
 * A gap in priorities is jumped over. Warps that sort again count that, and note the least; where supersteps have done
 * nothing else while the head went round once, that is the least of all that waits, and the next head begins there.
 *
 * The end. Items are in buckets, in the hands of a warp that has not arrived, or spilled. When the last block has
 * arrived nobody has any in hand, so empty buckets and no spilled item are the end. Exact.
 */
#include <ordo/cuda_pool.cuh>

#include "tunables.h"

#define MY(_part) ORDO_JOIN3(ORDO_OP, _delta_cuda_, _part)

#ifndef ORDO_DELTA_CUDA_ONCE
#define ORDO_DELTA_CUDA_ONCE
enum { DELTA_DEV_THREADS = 256, DELTA_DEV_WARPS = DELTA_DEV_THREADS / 32, DELTA_DEV_BUCKETS = 32 };
enum { DELTA_DEV_RUN, DELTA_DEV_SWEEP, DELTA_DEV_END, DELTA_DEV_JUMP };
enum { DELTA_DEV_STAYS, DELTA_DEV_DOUBLES, DELTA_DEV_HALVES };
enum {
    DELTA_DEV_THIN = 16,     /* supersteps in a row, before the width doubles, that leave half of the warps idle */
    DELTA_DEV_SHORT = 24000, /* and take less than that, ns; an empty one takes 6 to 8 us on an H100 */
    DELTA_DEV_FEW = 32768,   /* entries of a superstep that are little work on any graph */
    DELTA_DEV_MANY = 4,      /* entries an item, before the width halves; and again after half as many more */
};

/* What was sorted again. */
typedef struct delta_dev_sorted {
    ordo_u64 again;          /* entries, in this superstep */
    ordo_u64 moved, nearest; /* since the last superstep with other work: buckets that the head has passed; the least
                                priority, as ordo_warp_note_least() keeps it */
} delta_dev_sorted;

typedef struct delta_dev_words {
    ordo_u64 tail[DELTA_DEV_BUCKETS];
    ordo_u64 word, padding0[15];    /* generation << 56 | width << 54 | phase << 52 | steps of the head << 46 | to */
    ordo_u32 arrived, padding1[31]; /* blocks, all generations together */
    ordo_u32 free_count, padding2[31];
    ordo_u64 spilled, padding3[15];
    ordo_u64 swept;         /* what `spilled` was when the last sweep began; this and the next three by who decides */
    ordo_u64 taken, enough; /* entries; how many of them are too many */
    ordo_u64 decided;       /* when that was done last */
    delta_dev_sorted sorted;
    ordo_u64 base;          /* of the head after a jump, a double's bits: stored before `word` */
    ordo_u32 thin;          /* supersteps in a row */
    ordo_u32 stop;          /* block 0, for who decides: the host wants an end */
} delta_dev_words;

typedef struct delta_dev_queue {
    ordo_dev_pool pool;
    delta_dev_words *words;
    ordo_u32 *free; /* [blocks] stack */
    ordo_dev_spill spill;
    ordo_u32 items;
    double least, most; /* between which the width may change */
} delta_dev_queue;

/* What all threads of a block know of the superstep, in shared memory; changed between its barriers by one warp. */
typedef struct delta_dev_step {
    ordo_u64 from, to;
    ordo_u64 begins[DELTA_DEV_BUCKETS]; /* first slot of each bucket's first block that is not free */
    ordo_u64 generation;
    double base, delta, per_delta;
    ordo_u32 head, phase;
} delta_dev_step;

/* Maps the blocks that begin in slots first .. first + count - 1 of bucket b; by the lane that reserved them. */
ORDO_DEV void delta_dev_map_blocks(const delta_dev_queue &q, ordo_u32 b, ordo_u64 first, ordo_u32 count)
{
    const ordo_u64 size = (ordo_u64)1 << q.pool.block_shift;
    for (ordo_u64 at = (first + size - 1) & ~(size - 1); at < first + count; at += size) {
        const int left = (int)ordo_dev_add(&q.words->free_count, ~0u);
        ordo_u32 block = ORDO_POOL_NONE;
        if (left > 0)
            block = ordo_dev_load(&q.free[left - 1]);
        else
            ordo_dev_add(&q.words->free_count, 1u);
        const ordo_u64 number = ordo_pool_number(q.pool, at);
        ordo_dev_store(ordo_pool_word(q.pool, b, number), ordo_pool_make(number, block));
    }
}

/* By a whole warp: puts `held` entries of its store at the ends of their buckets. Returns whether the pool is dry. */
template <typename Entry>
ORDO_DEV bool delta_dev_flush(const delta_dev_queue &q, ordo_dev_pool_cache *cache, ordo_warp_store<Entry> *s,
                              ordo_u32 held, bool dry)
{
    const ordo_u32 lane = threadIdx.x % 32;
    __syncwarp();
    const ordo_u32 count = s->count[lane];
    s->count[lane] = 0;
    bool none = false;
    ordo_u64 first = 0;
    if (count && !dry) {
        first = ordo_dev_add(&q.words->tail[lane], (ordo_u64)count);
        delta_dev_map_blocks(q, lane, first, count);
    }
    for (ordo_u32 i = lane; i < held + lane; i += 32) { /* i - lane < held: all lanes go round alike */
        const bool there = i < held;
        const ordo_u32 tag = there ? s->tag[i] : 0, b = tag >> 8;
        const ordo_u64 at = __shfl_sync(~0u, first, b) + (tag & 0xff);
        if (there) {
            const Entry entry = s->held[i];
            const ordo_u32 block = dry ? (ordo_u32)ORDO_POOL_NONE : ordo_pool_translate<false>(q.pool, cache, b, at);
            if (block == ORDO_POOL_NONE)
                ordo_spill(q.spill, entry.item);
            else
                ordo_pool_put(q.pool, block, at, entry);
            none = none || block == ORDO_POOL_NONE;
        }
    }
    return __any_sync(~0u, none);
}

/* Lanes with `far` sort an entry of that priority again. */
ORDO_DEV void delta_dev_note(const delta_dev_queue &q, bool far, double priority)
{
    const ordo_u32 count = __popc(__ballot_sync(~0u, far));
    ordo_warp_note_least(&q.words->sorted.nearest, far, priority);
    if (threadIdx.x % 32 == 0 && count)
        ordo_dev_add(&q.words->sorted.again, (ordo_u64)count);
}

/* How the width should change after a superstep; by a warp, alike in all lanes. */
ORDO_DEV ordo_u64 delta_dev_adapt(const delta_dev_queue &q, const delta_dev_step *s)
{
    delta_dev_words *const words = q.words;
    const ordo_u64 count = s->to - s->from, warps = (ordo_u64)gridDim.x * DELTA_DEV_WARPS;
    const ordo_u64 taken = ordo_dev_load(&words->taken) + count, now = ordo_dev_clock();
    const ordo_u64 enough = ordo_dev_load(&words->enough), until = ordo_dev_load(&words->decided) + DELTA_DEV_SHORT;
    const ordo_u64 many = enough ? enough : (ordo_u64)DELTA_DEV_MANY * q.items;
    const ordo_u32 thin = count < warps / 2 && now < until ? ordo_dev_load(&words->thin) + 1 : 0;
    const bool doubles = thin == DELTA_DEV_THIN, halves = !doubles && taken > many;
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        ordo_dev_store(&words->taken, taken);
        ordo_dev_store(&words->decided, now);
        ordo_dev_store(&words->thin, doubles ? 0 : thin);
        if (halves)
            ordo_dev_store(&words->enough, many + (ordo_u64)DELTA_DEV_MANY * q.items / 2);
    }
    const ordo_u64 change = doubles && 2 * s->delta <= q.most   ? DELTA_DEV_DOUBLES
                            : halves && s->delta / 2 >= q.least ? DELTA_DEV_HALVES
                                                                : DELTA_DEV_STAYS;
    return __shfl_sync(~0u, change, 0) << 54; /* lanes read different clocks */
}

/* Whether the next head, `steps` on, begins at the least that was sorted again; by a warp, after every superstep. */
ORDO_DEV bool delta_dev_jumps(const delta_dev_queue &q, const delta_dev_step *s, delta_dev_sorted sorted,
                              ordo_u64 steps)
{
    delta_dev_sorted *const words = &q.words->sorted;
    const bool futile = sorted.again && sorted.again == s->to - s->from;
    const ordo_u64 moved = futile ? sorted.moved + steps : 0;
    const double base = ordo_dev_unordered(~sorted.nearest);
    const bool jumps = moved >= q.pool.buckets - 1 && base > s->base + steps * s->delta;
    __syncwarp();
    if (sorted.nearest && threadIdx.x % 32 == 0) {
        ordo_dev_store(&words->again, (ordo_u64)0);
        ordo_dev_store(&words->moved, jumps ? 0 : moved);
        if (jumps || !futile)
            ordo_dev_store(&words->nearest, (ordo_u64)0);
        if (jumps)
            ordo_dev_store(&q.words->base, (ordo_u64)__double_as_longlong(base));
    }
    return jumps;
}

/* Between two supersteps, by the first warp of the block that arrived last: what comes next. */
ORDO_DEV ordo_u64 delta_dev_decide(const delta_dev_queue &q, const delta_dev_step *s)
{
    const ordo_u32 lane = threadIdx.x % 32, head = s->head;
    const ordo_u64 size = (ordo_u64)1 << q.pool.block_shift;
    ordo_u64 tail = ordo_dev_load(&q.words->tail[lane]);
    const ordo_u64 end = __shfl_sync(~0u, tail, head), generation = s->generation << 56;
    const delta_dev_sorted sorted = {ordo_dev_load(&q.words->sorted.again), ordo_dev_load(&q.words->sorted.moved),
                                     ordo_dev_load(&q.words->sorted.nearest)};
    if (__any_sync(~0u, ordo_dev_load(&q.words->stop) != 0))
        return generation | (ordo_u64)DELTA_DEV_END << 52;
    /* blocks whose slots are all behind are free; where the head is done, its next slot begins a block */
    const bool stays = end > s->to;
    const ordo_u64 first = ordo_pool_number(q.pool, s->begins[head]);
    const ordo_u64 numbers = (s->to - s->begins[head] + (stays ? 0 : size - 1)) >> q.pool.block_shift;
    ordo_u32 free_count = ordo_dev_load(&q.words->free_count);
    for (ordo_u64 i = 0; i < numbers; i += 32) {
        ordo_u32 block = ORDO_POOL_NONE;
        if (i + lane < numbers)
            block = ordo_pool_block(ordo_dev_load(ordo_pool_word(q.pool, head, first + i + lane)));
        const ordo_u32 some = __ballot_sync(~0u, block != ORDO_POOL_NONE);
        if (block != ORDO_POOL_NONE)
            ordo_dev_store(&q.free[free_count + __popc(some & ((1u << lane) - 1))], block);
        free_count += __popc(some);
    }
    if (numbers && lane == 0)
        ordo_dev_store(&q.words->free_count, free_count);
    const ordo_u64 change = s->phase == DELTA_DEV_RUN ? delta_dev_adapt(q, s) : 0;
    if (stays) {
        delta_dev_jumps(q, s, sorted, 0);
        return generation | change | end;
    }
    if (lane == head) {
        tail = (end + size - 1) & ~(size - 1);
        ordo_dev_store(&q.words->tail[lane], tail);
    }
    const ordo_u32 waiting = __ballot_sync(~0u, lane < q.pool.buckets && lane != head && tail > s->begins[lane]);
    if (waiting) {
        const ordo_u32 after = waiting & ~((2u << head) - 1);
        const ordo_u32 next = __ffs(after ? after : waiting) - 1;
        const ordo_u64 steps = next > head ? next - head : next + q.pool.buckets - head;
        const ordo_u64 phase = delta_dev_jumps(q, s, sorted, steps) ? DELTA_DEV_JUMP : DELTA_DEV_RUN;
        return generation | change | phase << 52 | steps << 46 | __shfl_sync(~0u, tail, next);
    }
    const ordo_u64 spilled = ordo_dev_load(q.spill.count);
    if (__any_sync(~0u, spilled != ordo_dev_load(&q.words->swept))) {
        __syncwarp();
        if (lane == 0)
            ordo_dev_store(&q.words->swept, spilled);
        return generation | (ordo_u64)DELTA_DEV_SWEEP << 52 | __shfl_sync(~0u, tail, head);
    }
    return generation | (ordo_u64)DELTA_DEV_END << 52;
}

/* The barrier between two supersteps, by all threads; `s` is of the next one afterwards. */
ORDO_DEV void delta_dev_barrier(const delta_dev_queue &q, delta_dev_step *s)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_u64 size = (ordo_u64)1 << q.pool.block_shift, most = ((ordo_u64)1 << 46) - 1;
    __syncthreads();
    if (threadIdx.x < 32) {
        ordo_u32 before = 0;
        if (lane == 0) {
            ordo_dev_fence();
            before = ordo_dev_add(&q.words->arrived, 1u);
            ordo_dev_fence();
        }
        ordo_u64 word = 0;
        __syncwarp();
        /* `arrived` wraps with 2^32; so does the product */
        if (__shfl_sync(~0u, before, 0) + 1 == gridDim.x * (ordo_u32)s->generation) {
            word = delta_dev_decide(q, s);
            __syncwarp();
            if (lane == 0) {
                ordo_dev_fence();
                ordo_dev_release(&q.words->word, word);
            }
        } else if (lane == 0) {
            while ((word = ordo_dev_load(&q.words->word)) >> 56 != (s->generation & 0xff))
                ;
            ordo_dev_fence();
        }
        word = __shfl_sync(~0u, word, 0);
        if (lane == 0) {
            const ordo_u32 steps = (ordo_u32)(word >> 46) & 63, phase = (ordo_u32)(word >> 52) & 3;
            const ordo_u32 change = (ordo_u32)(word >> 54) & 3;
            const bool left = steps || phase == DELTA_DEV_SWEEP; /* the head is done: its next slot begins a block */
            s->begins[s->head] = (s->to + (left ? size - 1 : 0)) & ~(size - 1);
            s->head = s->head + steps < q.pool.buckets ? s->head + steps : s->head + steps - q.pool.buckets;
            if (phase == DELTA_DEV_JUMP)
                s->base = __longlong_as_double((long long)ordo_dev_load(&q.words->base));
            else
                s->base += steps * s->delta; /* as wide as the buckets were that it has passed */
            if (change) {
                s->delta *= change == DELTA_DEV_DOUBLES ? 2 : 0.5;
                s->per_delta = 1 / s->delta;
            }
            s->from = left ? s->begins[s->head] : s->to;
            s->to = phase == DELTA_DEV_END ? s->from : word & most;
            s->phase = phase == DELTA_DEV_JUMP ? DELTA_DEV_RUN : phase;
            s->generation++;
        }
    }
    __syncthreads();
}

#endif

typedef struct MY(args) {
    delta_dev_queue queue;
    OP(sight) sight;
    ordo_u64 spill_words;
    double delta;
    ordo_u32 hops; /* that a warp follows its own activations; tunable */
    ordo_u64 thin; /* items of a superstep below which depth binds */
    ordo_u64 *lowest;
    ordo_cuda_run run;
} MY(args);

/* Entries that a warp keeps: shared memory is what limits it. */
enum { MY(near) = sizeof(OP(entry)) == 8 ? 128 : 32 };

/* One loop in which everything has one place, as in schedulers/adds/cuda.cuh. */
static __global__ void __launch_bounds__(DELTA_DEV_THREADS, 2) MY(kernel)(const __grid_constant__ MY(args) a)
{
    __shared__ ordo_warp_store<OP(entry)> store[DELTA_DEV_WARPS];
    __shared__ OP(entry) nearby[DELTA_DEV_WARPS][MY(near)];
    __shared__ ordo_dev_pool_cache cache;
    __shared__ delta_dev_step step;
    const ordo_u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    /* neighbouring portions go to different blocks */
    const ordo_u64 warps = (ordo_u64)gridDim.x * DELTA_DEV_WARPS, number = blockIdx.x + (ordo_u64)gridDim.x * warp;
    ordo_pool_start(&cache);
    for (ordo_u32 i = blockIdx.x * DELTA_DEV_THREADS + threadIdx.x; i < a.queue.pool.blocks;
         i += gridDim.x * DELTA_DEV_THREADS)
        a.queue.free[i] = i;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        a.queue.words->free_count = a.queue.pool.blocks;
    OP(warp_lowest)(a.sight, &a.run, a.lowest);
    cooperative_groups::this_grid().sync();
    if (threadIdx.x < DELTA_DEV_BUCKETS)
        step.begins[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        step.from = step.to = step.head = step.phase = 0;
        step.generation = 1;
        step.base = OP(warp_base)(a.lowest);
        step.delta = a.delta;
        step.per_delta = 1 / a.delta;
    }
    __syncthreads();

    OP(warp) w;
    OP(batch) t = {};
    OP(warp_start)(&w, &store[warp], nearby[warp]);
    w.map.base = step.base;
    w.map.per_delta = step.per_delta;
    w.map.buckets = a.queue.pool.buckets;
    w.map.last = w.map.buckets - 1;
    w.map.limit = step.base + a.delta;
    ordo_u64 initial = number * 32, from = 0, to = 0, at = 0, grain = 1, steps = 0;
    ordo_u32 bits = 0;
    bool sweep = false, dry = false;
    for (;;) {
        const bool busy = OP(warp_work)<true>(a.sight, &w, &t), sweeping = __any_sync(~0u, bits != 0);
        const bool drained = !busy && !w.near && !sweeping && initial >= a.run.initial_count && from + at >= to;
        if (w.held && (OP(warp_full)(&w) || drained || (!busy && w.near && w.held >= 64))) {
            dry = delta_dev_flush(a.queue, &cache, w.store, w.held, dry);
            w.held = 0;
        }
        if (busy)
            continue;
        if (initial < a.run.initial_count) {
            OP(warp_begin)(a.sight, &w, a.run, initial);
            initial += warps * 32;
            continue;
        }
        bool there = false, fresh = false;
        OP(entry) entry = {};
        if (w.near) {
            there = OP(warp_hop)(a.sight, &w, &entry);
        } else if (sweeping) {
            there = bits != 0;
            fresh = true;
            entry.item = (ordo_u32)(from + at - warps * 32 + lane) * 32 + (bits ? __ffs(bits) - 1 : 0);
            bits &= bits - 1;
        } else if (from + at < to) {
            w.hops = w.map.thin ? a.hops : 0;
            if (sweep) {
                if (from + at + lane < to)
                    bits = ordo_dev_exchange(&a.queue.spill.bits[from + at + lane], 0u);
                ordo_dev_fence(); /* what set the bits comes before what their cells are */
                at += warps * 32;
                continue;
            }
            const ordo_u64 slot = from + at + lane;
            there = lane < grain && slot < to;
            if (there) {
                const ordo_u32 block = ordo_pool_translate<false>(a.queue.pool, &cache, w.map.head, slot);
                there = block != ORDO_POOL_NONE;
                if (there)
                    entry = ordo_pool_get<OP(entry)>(a.queue.pool, ordo_pool_at(a.queue.pool, block, slot));
            }
            at += warps * grain;
            /* what was clipped to the tail goes where it belongs */
            ordo_vid v = entry.item;
            if (there && v >= a.sight.universe)
                v = ordo_dev_load(&a.sight.owner[v - a.sight.universe]);
            const double priority = OP(priority)(&a.sight.state, v, entry.value);
            bool far = there && ordo_map_distance(w.map, priority) > 0;
            if (__any_sync(~0u, far)) {
                far = far && isfinite(priority); /* what is infinitely far is as near as it gets */
                delta_dev_note(a.queue, far, priority);
                const ordo_u32 hops = w.hops;
                w.hops = 0;
                OP(warp_put)(a.sight, &w, far, entry.item, entry.value, v);
                w.hops = hops;
                there = there && !far;
            }
        } else {
            /* the superstep is done here */
            w.hops = 0;
            dry = false;
            if (__any_sync(~0u, w.edges >> 30)) /* 32 bits are enough for now and then */
                OP(warp_publish)(&w, a.run.counters);
            delta_dev_barrier(a.queue, &step);
            steps++;
            if (step.phase == DELTA_DEV_END)
                break;
            sweep = step.phase == DELTA_DEV_SWEEP;
            w.map.base = step.base;
            w.map.per_delta = step.per_delta;
            w.map.limit = step.base + step.delta;
            w.map.head = step.head;
            const ordo_u64 count = step.to - step.from;
            w.map.thin = sweep || count < a.thin;
            from = sweep ? 0 : step.from;
            to = sweep ? a.spill_words : step.to;
            grain = sweep ? 32 : (count + warps - 1) / warps;
            grain = grain < 32 ? grain : 32;
            at = number * grain;
            if (blockIdx.x == 0 && threadIdx.x == DELTA_DEV_THREADS - 1 && steps % 16 == 1) {
                /* for people and from them; a look at the host takes as long as a thin superstep */
                ordo_dev_sample(a.run.record, count,
                                (ordo_u64)((step.base - OP(warp_base)(a.lowest)) * w.map.per_delta), step.delta, 1, -1);
                if (a.run.mailbox->stop)
                    ordo_dev_store(&a.queue.words->stop, 1u);
                a.run.mailbox->supersteps = steps;
                a.run.mailbox->in_flight = count;
            }
            __syncwarp();
            continue;
        }
        there = OP(warp_chain)(a.sight, &w, there, &entry, fresh, [] { return true; });
        OP(warp_gather)(a.sight, &w, &t, there, entry.item, entry.value, fresh);
    }
    OP(warp_publish)(&w, a.run.counters);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        a.run.record->supersteps = steps - 1;
        a.run.record->delta_first = a.delta;
        a.run.record->delta_last = step.delta;
    }
}

/* Starting width in units of mean weight over mean degree (docs/performance.md): wide where depth binds. */
static double MY(factor)(const ordo_job *job)
{
    if (job->tunable[DELTA_FACTOR] > 0)
        return job->tunable[DELTA_FACTOR];
    switch (ordo_job_graph_kind(job)) {
    case ORDO_GRAPH_DEEP:
        return 75;
    case ORDO_GRAPH_EVEN:
        return 8;
    default:
        return 2;
    }
}

static ordo_status MY(run_job)(ordo_job *job)
{
    const double *t = job->tunable;
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    MY(args) a = {};
    ordo_dev_pool *p = &a.queue.pool;
    const double own = OP(warp_width)(job, 4, job->mean_degree < 8 ? 32 : 16);
    a.delta = ordo_job_delta(job, t[DELTA_DELTA], own, MY(factor)(job));
    const bool dynamic = t[DELTA_DYNAMIC] > 0;
    /* a declared width is a class or a level, where a better order would not be found below */
    a.queue.least = dynamic && own <= 0 ? a.delta / 1024 : a.delta;
    a.queue.most = dynamic ? a.delta * 1024 : a.delta;
    int blocks = 0;
    ordo_status status = ordo_cuda_begin(job, OP(warp_cell_size), false, &c);
    const void *kernel = status ? NULL : ordo_cuda_kernel((const void *)MY(kernel));
    if (!status)
        status = ordo_cuda_grid(kernel, DELTA_DEV_THREADS, (int)t[DELTA_BLOCKS], &blocks);
    ordo_u64 ids = 0;
    if (!status)
        status = ordo_warp_ids(job, "delta", &ids);
    if (!status) {
        /* small blocks: each bucket may hold one that is nearly empty */
        const ordo_u64 most = ((ordo_u64)1 << 32) - (1 << 24);
        ordo_u64 slots = t[DELTA_POOL] > 0 ? (ordo_u64)t[DELTA_POOL] : job->out->m / 2 + job->universe;
        slots = slots < most ? slots : most;
        p->block_shift = 16;
        while (p->block_shift > 5 && slots >> p->block_shift < 512)
            p->block_shift--;
        p->blocks = (ordo_u32)(slots >> p->block_shift);
        p->blocks = p->blocks ? p->blocks : 1;
        /* void numbers: what all warps reserve before they know that the pool is dry, in two supersteps */
        const ordo_u64 reserved = 2ull * (ordo_u64)blocks * DELTA_DEV_WARPS * ORDO_WARP_ROOM;
        while ((ordo_u64)1 << p->table_shift < p->blocks + (reserved >> p->block_shift) + 64)
            p->table_shift++;
        p->buckets = (ordo_u32)t[DELTA_BUCKETS] < DELTA_DEV_BUCKETS ? (ordo_u32)t[DELTA_BUCKETS] : DELTA_DEV_BUCKETS;
        p->cached = 1;
        a.queue.items = job->universe;
        a.spill_words = (ids + 31) / 32;
        /* With hubs paths are short: chains only unbalance. Classes on even degrees come as avalanches of many edges,
         * which a warp had better share than follow. Levels lie 64 in a bucket of a deep graph. */
        const ordo_graph_kind kind = ordo_job_graph_kind(job);
        const bool classes = kind == ORDO_GRAPH_EVEN && OP(warp_classes)(job);
        const ordo_u32 hops = kind == ORDO_GRAPH_HUBS ? 0 : classes ? 8 : kind == ORDO_GRAPH_DEEP ? 128 : 64;
        a.sight.near = classes ? 16 : MY(near);
        a.hops = t[DELTA_HOPS] >= 0 ? (ordo_u32)t[DELTA_HOPS] : hops;
        const ordo_u64 thin = job->universe / 64 > DELTA_DEV_FEW ? job->universe / 64 : DELTA_DEV_FEW;
        a.thin = !a.hops ? 0 : t[DELTA_THIN] >= 0 ? (ordo_u64)t[DELTA_THIN] : thin;
    }
    const ordo_warp_need needs[] = {
        {(void **)&a.queue.words, 1, sizeof *a.queue.words, true},
        {(void **)&p->table, (ordo_u64)p->buckets << p->table_shift, sizeof *p->table, true},
        {&p->slots, (ordo_u64)p->blocks << p->block_shift, sizeof(OP(entry)), false},
        {(void **)&a.queue.free, p->blocks, sizeof *a.queue.free, false},
        {(void **)&a.queue.spill.bits, a.spill_words, sizeof(ordo_u32), true},
        {(void **)&a.sight.owner, ids - job->universe, sizeof(ordo_u32), false},
        {(void **)&a.lowest, 1, sizeof *a.lowest, true},
    };
    if (!status)
        status = ordo_warp_alloc(&c, needs, sizeof needs / sizeof needs[0]);
    if (!status)
        status = OP(warp_arguments)(&c, t[DELTA_RECORDS] > 0, &a, &arrays);
    if (!status) {
        a.queue.spill.count = &a.queue.words->spilled;
        c.keep_cells = true;
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, kernel, DELTA_DEV_THREADS, (int)t[DELTA_BLOCKS], args);
    }
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}

ORDO_CUDA_INSTANCE(delta, MY(run_job), 1u << OP(warp_sync))
#undef MY
