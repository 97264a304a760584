/* delta on a GPU: delta-stepping in supersteps over 32 bucket arrays, with local chaining, in one persistent launch.
 *
 * Problem. Expand the items of the lowest bucket (Meyer and Sanders 2003) with all warps, where a grid barrier costs as
 * much as thousands of edges. The arrays, the barrier and the chains are Ordo's own.
 *
 * Data structures. The buckets are a circle of arrays over one pool of blocks (<ordo/detail/cuda/pool.cuh>). Entries
 * farther ahead than the circle reaches are clipped to its last bucket, and sorted again when that becomes the head.
 *   tail[b]  slots of bucket b that were reserved
 *   free     a stack of free blocks
 *   spill    a bit for each item that found the pool exhausted
 *   delta_dev_step   a thread block's copy of the state of the superstep, in shared memory; the same in all blocks
 *
 * Protocol. A superstep distributes the slots from .. to of the head bucket over all warps in portions, which these
 * expand (op_warp_loop). What they activate in the head bucket they keep in their local queues, where there is little
 * work, and expand it next, up to chain_limit steps; the rest is appended to its buckets. So a step along a path of a
 * road network costs a step of one warp and not a barrier. Where rows have more than four edges, eight lanes expand one
 * (op_warp_lanes), and what exceeds a few entries goes to a ring of the block, from which its other warps take entries
 * before they arrive at the barrier (share.cuh). A hub is cut into pieces by the warp that takes it, which reserves
 * slots for them and stores them there (op_warp_cut_hubs); where hubs are, a warp's portion is made of slots that are
 * far apart, since consecutive ones may all be pieces of a hub and take longest. The warp that reserves the first slot
 * of a block maps it; others wait for the table's word. If no block is free it maps `none`: entries for these slots are
 * spilled, and processed when the buckets are empty; a warp that has met `none` reserves no more in that superstep.
 * Between two supersteps, when no warp takes blocks, those whose slots are all done return to the stack. A bucket that
 * is left keeps its last block, and goes on in it later, unless that is `none`. So the blocks that are mapped or void
 * at a time are at most the pool and what all warps can reserve before they meet `none`; tables have words for that
 * many.
 *
 * The barrier. The last block that arrives decides what comes next, by one word: generation, how far the head moves,
 * what to do, and the new `to`. From that word and from what they keep of earlier words, all blocks compute the same
 * `from`, `to` and head, without reading anything else. The last block also changes the width (delta_dev_adapt) and
 * jumps over gaps in priorities (delta_dev_jumps). Entries stay where they are: in buckets that have become wider they
 * are taken late, from narrower ones early, and are sorted again as clipped ones are. That affects order only.
 *
 * Termination. An item that is not done is in a bucket, held by a warp or in the ring of a block that has not arrived,
 * or spilled. When the last block has arrived no warp holds an item and rings are empty, so empty buckets and no
 * spilled item are the end. Exact.
 *
 * Memory order. Every block adds one to `arrived`, after a fence behind its warps' stores; the last one acquires them
 * all with the fence behind its addition, which also makes its store of the word a release of them; it adds a fence
 * where it has itself stored what others read. The others read the word with acquire. Blocks of the pool are freed and
 * mapped again only between supersteps, so the barrier orders one use of a block before the next; within a superstep
 * the table's words order no other accesses, and are relaxed.
 */
#if ORDO_WARP_HAS_ENTRIES
#include <ordo/detail/cuda/pool.cuh>

#include "tunables.h"

/* What profilers show carries the operator's name. */
#define delta_kernel ORDO_OP_NAME(delta_kernel)

enum { DELTA_DEV_THREADS = 256, DELTA_DEV_WARPS = DELTA_DEV_THREADS / 32, DELTA_DEV_BUCKETS = 32 };
enum { DELTA_DEV_RUN, DELTA_DEV_SWEEP, DELTA_DEV_END, DELTA_DEV_JUMP };
enum {
    DELTA_DEV_STAYS,
    DELTA_DEV_DOUBLES,
    DELTA_DEV_HALVES,
    DELTA_DEV_ALONE /* stays; over ranks: without a meeting */
};
/* Bits of the word: the bucket that was the head goes on with the next block; over ranks, messages have come, and
 * ghosts wait to be sent. The bits below are the new `to`. */
#define DELTA_DEV_ROUNDS ((ordo_u64)1 << 45)
#define DELTA_DEV_MAIL ((ordo_u64)1 << 44)
#define DELTA_DEV_WAITS ((ordo_u64)1 << 43)
enum {
    DELTA_DEV_LATENCY_BOUND = 16, /* after this many consecutive supersteps that leave half of the warps idle, the width
                                     doubles */
    DELTA_DEV_SHORT = 24000,      /* if each of them took less than this, in ns; one of a single entry takes 4.6 us on
                                     an H100 */
    DELTA_DEV_FEW = 32768,        /* fewer entries than this are little work for a superstep, on any graph */
    DELTA_DEV_EACH = 12,          /* levels of a bucket, where it has and rows have more than a few edges */
    DELTA_DEV_LANES = 3,          /* log2 of the lanes that expand a row where there is little work, */
    DELTA_DEV_ROWS = 32,          /* if the mean degree is at most this */
    DELTA_DEV_LOCAL = 8,          /* and at most so many entries are in a warp's local queue */
    DELTA_DEV_KEEP = 6,           /* entries that a warp keeps where it shares the others; */
    DELTA_DEV_KEEP_LONG = 4,      /* the same, where rows have more than two edges for each lane, on average; */
    DELTA_DEV_TAKE = 4,           /* and that it takes from its block's ring at least */
    DELTA_DEV_MANY = 4,           /* after this many entries per item the width halves; and again after half as many
                                     more */
};

/* Entries that were sorted again: see delta_dev_jumps. */
typedef struct delta_dev_sorted {
    ordo_u64 again;          /* entries sorted again in this superstep */
    ordo_u64 moved, nearest; /* since the last superstep with other work: number of buckets that the head has passed;
                                least priority, in the form of ordo_warp_note_least() */
} delta_dev_sorted;

typedef struct delta_dev_words {
    ordo_u64 tail[DELTA_DEV_BUCKETS];
    ordo_u64 word, padding0[15]; /* generation << 56 | width << 54 | phase << 52 | steps of the head << 46 | three bits
                                    (DELTA_DEV_ROUNDS ...) | to */
    ordo_u32 arrived, padding1[31]; /* number of arrivals of blocks, in all generations */
    ordo_u32 free_count, padding2[31];
    ordo_u64 spilled, padding3[15];
    ordo_u64 swept; /* `spilled` when the last sweep began. This and the next three are written by the block that
                       arrives last */
    ordo_u64 taken, enough; /* number of entries taken; the number that is too large for this width */
    ordo_u64 decided;       /* time at which the last superstep ended */
    delta_dev_sorted sorted;
    ordo_u64 base;          /* priority at which the head begins after a jump, the bits of a double; stored before
                               `word` */
    ordo_u32 latency_bound; /* number of consecutive latency-bound supersteps */
    ordo_u32 stop;          /* written by block 0, for the last block: the host wants the run to stop */
    ordo_u64 balance;       /* of a traced run: sum of all tails, less the entries that wait when a superstep begins */
#if ORDO_OVER_RANKS
    ordo_u64 alone_taken; /* number of entries taken since ranks have met, without the last superstep's, */
    ordo_u32 alone;       /* and of supersteps */
#endif
} delta_dev_words;

typedef struct delta_dev_queue {
    ordo_dev_pool pool;
    delta_dev_words *words;
    ordo_u32 *free; /* [blocks] stack */
    ordo_dev_spill spill;
    ordo_u32 items;
    double least, most; /* bounds of the width */
#if ORDO_OVER_RANKS
    ordo_cuda_ranks ranks;
#endif
} delta_dev_queue;

/* A block's copy of the state of the superstep, in shared memory; one warp changes it between the block's barriers. */
typedef struct delta_dev_step {
    ordo_u64 from, to;
    ordo_u64 done[DELTA_DEV_BUCKETS]; /* for each bucket: the first slot that was not taken */
    ordo_u64 generation;
    double base, delta, per_delta;
    ordo_u32 head, phase;
#if ORDO_OVER_RANKS
    ordo_u64 met;  /* number of meetings of ranks */
    ordo_u64 mail; /* messages that have come to this rank before this superstep */
    bool alone;    /* the superstep has begun without a meeting */
    bool waits;    /* ghosts wait to be sent */
#endif
    ordo_share *share; /* the block's; NULL: entries are not shared */
} delta_dev_step;

/* The least multiple of the slots of a block that is not below `slot`. */
ORDO_DEV ordo_u64 delta_dev_round(const delta_dev_queue &q, ordo_u64 slot)
{
    const ordo_u64 size = (ordo_u64)1 << q.pool.block_shift;
    return (slot + size - 1) & ~(size - 1);
}

/* By one thread: maps the blocks that begin in slots first .. first + count - 1 of bucket b, which it has reserved. */
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

/* By a whole warp: appends `held` entries of its store to their buckets, and sends ghosts. Returns whether it met
 * `none`. */
template <typename Entry>
ORDO_DEV bool delta_dev_flush(const delta_dev_queue &q, const delta_dev_step *step, ordo_dev_pool_cache *cache,
                              ordo_warp_store<Entry> *s, ordo_u32 held, bool dry)
{
    (void)step;
    const ordo_u32 lane = threadIdx.x % 32;
    __syncwarp();
    const ordo_u32 count = s->count[lane];
    s->count[lane] = 0;
    bool none = false;
    ordo_u64 first = 0;
#if ORDO_OVER_RANKS
    op_warp_send_ghosts(q.ranks, step->met, s, held);
#endif
    if (count && !dry) {
        first = ordo_dev_add(&q.words->tail[lane], (ordo_u64)count);
        delta_dev_map_blocks(q, lane, first, count);
    }
    for (ordo_u32 i = lane; i < held + lane; i += 32) { /* i - lane < held: all lanes run the same iterations */
        const ordo_u32 tag = i < held ? s->tag[i] : 0, b = tag >> 8;
        const bool there = i < held && (!ORDO_OVER_RANKS || tag != ORDO_WARP_GHOST);
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

/* By a whole warp: reserves `count` slots of bucket b, and returns the first. */
ORDO_DEV ordo_u64 delta_dev_reserve(const delta_dev_queue &q, ordo_u32 b, ordo_u32 count)
{
    ordo_u64 first = 0;
    if (threadIdx.x % 32 == 0) {
        first = ordo_dev_add(&q.words->tail[b], (ordo_u64)count);
        delta_dev_map_blocks(q, b, first, count);
    }
    return __shfl_sync(~0u, first, 0);
}

/* By a whole warp: puts the lane's entry, if it is `there`, into slot first + i, or spills it if there is none (~0).
 * Returns whether a lane met `none`. */
template <typename Entry>
ORDO_DEV bool delta_dev_place(const delta_dev_queue &q, ordo_dev_pool_cache *cache, bool there, ordo_u32 b,
                              ordo_u64 first, ordo_u32 i, const Entry &entry)
{
    ordo_u32 block = ORDO_POOL_NONE;
    if (there && first != ~(ordo_u64)0)
        block = ordo_pool_translate<false>(q.pool, cache, b, first + i);
    const bool none = there && block == ORDO_POOL_NONE;
    if (none)
        ordo_spill(q.spill, entry.item);
    else if (there)
        ordo_pool_put(q.pool, block, first + i, entry);
    return __any_sync(~0u, none);
}

/* By a whole warp: counts lanes with `far`, whose entries are sorted again, and notes their least priority. */
ORDO_DEV void delta_dev_note(const delta_dev_queue &q, bool far, double priority)
{
    const ordo_u32 count = __popc(__ballot_sync(~0u, far));
    ordo_warp_note_least(&q.words->sorted.nearest, far, priority);
    if (threadIdx.x % 32 == 0 && count)
        ordo_dev_add(&q.words->sorted.again, (ordo_u64)count);
}

/* What the block that arrives last reads when a superstep has ended, a bucket's tail and a block of the head per lane.
 * All loads are issued before the first result is used, since the whole grid waits for them. */
typedef struct delta_dev_seen {
    ordo_u64 tail, block;
    delta_dev_sorted sorted;
    ordo_u64 spilled, swept, taken, enough, decided, now;
    ordo_u32 free_count, latency_bound, stop;
    bool stored; /* something that blocks read after the word was stored */
} delta_dev_seen;

ORDO_DEV delta_dev_seen delta_dev_look(const delta_dev_queue &q, const delta_dev_step *s)
{
    delta_dev_words *const words = q.words;
    const ordo_u32 lane = threadIdx.x % 32;
    delta_dev_seen seen;
    seen.tail = ordo_dev_load(&words->tail[lane]);
    seen.block = ordo_dev_load(ordo_pool_word(q.pool, s->head, ordo_pool_number(q.pool, s->done[s->head]) + lane));
    seen.free_count = ordo_dev_load(&words->free_count);
    seen.stop = ordo_dev_load(&words->stop);
    seen.sorted.again = ordo_dev_load(&words->sorted.again);
    seen.sorted.moved = ordo_dev_load(&words->sorted.moved);
    seen.sorted.nearest = ordo_dev_load(&words->sorted.nearest);
    seen.spilled = ordo_dev_load(q.spill.count);
    seen.swept = ordo_dev_load(&words->swept);
    seen.taken = ordo_dev_load(&words->taken);
    seen.enough = ordo_dev_load(&words->enough);
    seen.decided = ordo_dev_load(&words->decided);
    seen.latency_bound = ordo_dev_load(&words->latency_bound);
    seen.now = __shfl_sync(~0u, ordo_dev_clock(), 0); /* lanes may read different times */
    seen.stored = false;
    return seen;
}

/* By a whole warp, after a superstep: how the width is to change, as bits of the word; *seen is then what is to be
 * kept. Consecutive short supersteps that leave warps idle double it; more than a few entries per item, which a better
 * order would save, halve it. */
ORDO_DEV ordo_u64 delta_dev_adapt(const delta_dev_queue &q, const delta_dev_step *s, delta_dev_seen *seen)
{
    const ordo_u64 count = s->to - s->from, warps = (ordo_u64)gridDim.x * DELTA_DEV_WARPS;
    const ordo_u64 many = seen->enough ? seen->enough : (ordo_u64)DELTA_DEV_MANY * q.items;
    seen->taken += count;
    seen->latency_bound =
        count < warps / 2 && seen->now < seen->decided + DELTA_DEV_SHORT ? seen->latency_bound + 1 : 0;
    const bool doubles = seen->latency_bound == DELTA_DEV_LATENCY_BOUND, halves = !doubles && seen->taken > many;
    if (doubles)
        seen->latency_bound = 0;
    if (halves)
        seen->enough = many + (ordo_u64)DELTA_DEV_MANY * q.items / 2;
    const ordo_u64 change = doubles && 2 * s->delta <= q.most   ? DELTA_DEV_DOUBLES
                            : halves && s->delta / 2 >= q.least ? DELTA_DEV_HALVES
                                                                : DELTA_DEV_STAYS;
    return change << 54;
}

/* By a whole warp, after every superstep: whether the next head, `steps` buckets on, is to begin at the least priority
 * that was sorted again. Warps count entries that they sort again, and track their least priority. If supersteps have
 * done nothing else while the head went once round the circle, that is the least priority of all waiting entries, and
 * the gap is jumped over. */
ORDO_DEV bool delta_dev_jumps(const delta_dev_queue &q, const delta_dev_step *s, const delta_dev_sorted &sorted,
                              ordo_u64 steps)
{
    delta_dev_sorted *const words = &q.words->sorted;
    const bool futile = sorted.again && sorted.again == s->to - s->from;
    const ordo_u64 moved = futile ? sorted.moved + steps : 0;
    const double base = ordo_dev_unordered(~sorted.nearest);
    const bool jumps = moved >= q.pool.buckets - 1 && base > s->base + steps * s->delta;
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

/* By a whole warp: returns the head's first `numbers` blocks, whose slots are all done, to the stack. `word`: the
 * table's word of the lane-th block. */
ORDO_DEV void delta_dev_free(const delta_dev_queue &q, const delta_dev_step *s, ordo_u64 numbers, ordo_u64 word,
                             ordo_u32 free_count)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_u64 first = ordo_pool_number(q.pool, s->done[s->head]);
    for (ordo_u64 i = 0; i < numbers; i += 32) {
        ordo_u32 block = ORDO_POOL_NONE;
        if (i + lane < numbers)
            block = ordo_pool_block(i ? ordo_dev_load(ordo_pool_word(q.pool, s->head, first + i + lane)) : word);
        const ordo_u32 some = __ballot_sync(~0u, block != ORDO_POOL_NONE);
        if (block != ORDO_POOL_NONE)
            ordo_dev_store(&q.free[free_count + __popc(some & ((1u << lane) - 1))], block);
        free_count += __popc(some);
    }
    if (numbers && lane == 0)
        ordo_dev_store(&q.words->free_count, free_count);
}

/* By a whole warp, when the head is done: whether its last slots belong to a block that is not there, and no entry can
 * be put behind them. `blocks`: number of blocks before that one. */
ORDO_DEV bool delta_dev_void(const delta_dev_queue &q, const delta_dev_step *s, ordo_u64 blocks, ordo_u64 word)
{
    if (s->to == delta_dev_round(q, s->to))
        return false;
    word = blocks < 32 ? __shfl_sync(~0u, word, (int)blocks)
                       : ordo_dev_load(ordo_pool_word(q.pool, s->head, ordo_pool_number(q.pool, s->to)));
    return ordo_pool_block(word) == ORDO_POOL_NONE;
}

/* By the first warp of the block that arrived last, between two supersteps: computes the word that says what comes
 * next, and stores what blocks read after it. *seen is then what the block that arrives last the next time is to read.
 */
ORDO_DEV ordo_u64 delta_dev_decide(const delta_dev_queue &q, const delta_dev_step *s, delta_dev_seen *seen)
{
    const ordo_u32 lane = threadIdx.x % 32, head = s->head;
    const ordo_u64 end = __shfl_sync(~0u, seen->tail, head);
    ordo_u64 word = s->generation << 56;
    if (__any_sync(~0u, seen->stop != 0))
        return word | (ordo_u64)DELTA_DEV_END << 52;
    const bool stays = end > s->to;
    const ordo_u64 blocks = (s->to >> q.pool.block_shift) - (s->done[head] >> q.pool.block_shift);
    delta_dev_free(q, s, blocks, seen->block, seen->free_count);
    seen->stored = blocks || seen->sorted.nearest;
    word |= s->phase == DELTA_DEV_RUN ? delta_dev_adapt(q, s, seen) : 0;
    if (stays) {
        delta_dev_jumps(q, s, seen->sorted, 0);
        return word | end;
    }
    if (delta_dev_void(q, s, blocks, seen->block)) {
        word |= DELTA_DEV_ROUNDS;
        seen->stored = true;
        if (lane == head)
            ordo_dev_store(&q.words->tail[lane], delta_dev_round(q, end));
    }
    const ordo_u32 waiting = __ballot_sync(~0u, lane < q.pool.buckets && lane != head && seen->tail > s->done[lane]);
    if (waiting) {
        const ordo_u32 after = waiting & ~((2u << head) - 1);
        const ordo_u32 next = __ffs(after ? after : waiting) - 1;
        const ordo_u64 steps = next > head ? next - head : next + q.pool.buckets - head;
        const ordo_u64 phase = delta_dev_jumps(q, s, seen->sorted, steps) ? DELTA_DEV_JUMP : DELTA_DEV_RUN;
        return word | phase << 52 | steps << 46 | __shfl_sync(~0u, seen->tail, next);
    }
    if (__any_sync(~0u, seen->spilled != seen->swept)) {
        seen->swept = __shfl_sync(~0u, seen->spilled, 0);
        return word | (ordo_u64)DELTA_DEV_SWEEP << 52 | (word & DELTA_DEV_ROUNDS ? delta_dev_round(q, end) : end);
    }
    return word | (ordo_u64)DELTA_DEV_END << 52;
}

#if ORDO_OVER_RANKS
#include "cuda_ranks.cuh" /* has the next one for ranks */
#else
/* By the first warp of the block that arrived last: decides, and stores the word. What the next block that arrives last
 * reads is stored behind the word, for which the others wait; that block's addition comes after this block's. The word
 * is a release of what this block has stored, if it has stored anything; of what all blocks had stored before, the
 * fence behind the addition makes any later store a release. */
ORDO_DEV ordo_u64 delta_dev_next(const delta_dev_queue &q, const delta_dev_step *s, bool traced)
{
    delta_dev_words *const words = q.words;
    const ordo_u32 lane = threadIdx.x % 32;
    delta_dev_seen seen = delta_dev_look(q, s);
    const ordo_u64 word = delta_dev_decide(q, s, &seen);
    __syncwarp();
    if (traced) {
        const ordo_u64 balance = ordo_warp_sum(lane != s->head           ? s->done[lane]
                                               : word & DELTA_DEV_ROUNDS ? delta_dev_round(q, s->to)
                                                                         : s->to);
        if (lane == 0)
            ordo_dev_store(&words->balance, balance);
    }
    if (lane == 0) {
        if (seen.stored)
            ordo_dev_fence();
        ordo_dev_store(&words->word, word);
        ordo_dev_store(&words->taken, seen.taken);
        ordo_dev_store(&words->enough, seen.enough);
        ordo_dev_store(&words->decided, seen.now);
        ordo_dev_store(&words->latency_bound, seen.latency_bound);
        ordo_dev_store(&words->swept, seen.swept);
    }
    return word;
}
#endif

/* By the whole grid: the barrier between two supersteps; afterwards *s describes the next one. In a traced
 * run warps call `waits()` when their block has arrived, but for the one that decides. */
template <typename Waits>
ORDO_DEV void delta_dev_barrier(const delta_dev_queue &q, delta_dev_step *s, bool traced, Waits waits)
{
    const ordo_u32 lane = threadIdx.x % 32;
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
        if (traced && __shfl_sync(~0u, before, 0) + 1 != gridDim.x * (ordo_u32)s->generation)
            waits();
        /* `arrived` wraps with 2^32; so does the product */
        if (__shfl_sync(~0u, before, 0) + 1 == gridDim.x * (ordo_u32)s->generation) {
            word = delta_dev_next(q, s, traced);
        } else if (lane == 0) {
            while ((word = ordo_dev_load(&q.words->word)) >> 56 != (s->generation & 0xff))
                ;
            ordo_dev_fence();
        }
        word = __shfl_sync(~0u, word, 0);
        if (lane == 0) {
            const ordo_u32 steps = (ordo_u32)(word >> 46) & 63, phase = (ordo_u32)(word >> 52) & 3;
            const ordo_u32 change = (ordo_u32)(word >> 54) & 3;
            s->done[s->head] = word & DELTA_DEV_ROUNDS ? delta_dev_round(q, s->to) : s->to;
            s->head = s->head + steps < q.pool.buckets ? s->head + steps : s->head + steps - q.pool.buckets;
            if (phase == DELTA_DEV_JUMP)
                s->base = __longlong_as_double((long long)ordo_dev_load(&q.words->base));
            else
                s->base += steps * s->delta; /* by the width of the buckets that it has passed */
#if ORDO_OVER_RANKS
            s->alone = change == DELTA_DEV_ALONE;
            s->met += !s->alone;
            s->waits = word & DELTA_DEV_WAITS;
            s->mail = word & DELTA_DEV_MAIL ? delta_ranks_mail(q.ranks, s->met) : 0;
#endif
            if (change == DELTA_DEV_DOUBLES || change == DELTA_DEV_HALVES) {
                s->delta *= change == DELTA_DEV_DOUBLES ? 2 : 0.5;
                s->per_delta = 1 / s->delta;
            }
            s->from = s->done[s->head];
            s->to = phase == DELTA_DEV_END ? s->from : word & (DELTA_DEV_WAITS - 1);
            s->phase = phase == DELTA_DEV_JUMP ? DELTA_DEV_RUN : phase;
            s->generation++;
            if (s->share)
                ordo_share_again(s->share, DELTA_DEV_WARPS);
        }
    }
    if (traced && threadIdx.x >= 32)
        waits();
    __syncthreads();
}

typedef struct delta_args {
    delta_dev_queue queue;
    op_warp_ctx ctx;
    ordo_u64 spill_words;
    double delta;
    ordo_u32 chain_limit;   /* the most hops of a chain */
    bool spreads;           /* a portion's slots are not consecutive */
    ordo_u32 takes;         /* most entries that a warp takes from its block's ring; 0: entries are not shared */
    ordo_u64 latency_bound; /* with fewer items in a superstep the run is latency-bound */
    ordo_u64 *lowest;
    ordo_cuda_run run;
} delta_args;

/* Capacity of a warp's local queue, in entries: as large as shared memory allows. */
enum { delta_local = sizeof(op_entry) == 8 ? 128 : 32 };

/* A warp's part of the superstep, beside its op_warp: slots from + at .. to of the head bucket, or words of bits. */
typedef struct delta_portion {
    ordo_u64 from, to;      /* slots of all warps */
    ordo_u64 at;            /* the warp's next portion */
    ordo_u64 grain;         /* entries of a portion, */
    ordo_u64 apart;         /* so many slots from each other */
    ordo_u64 number, warps; /* number of the warp, and of all warps */
    ordo_u64 steps;         /* number of supersteps that have begun */
#if ORDO_OVER_RANKS
    ordo_u64 mail, mail_at; /* messages that have come, and the warp's next; */
    ordo_u64 mail_grain;    /* it takes so many at once */
#endif
    bool sweep;  /* the superstep takes spilled items */
    bool works;  /* the warp has a part of the superstep */
    bool shares; /* the warps of a block share entries in this superstep */
    bool dry;    /* the warp has found the pool exhausted in this superstep */
} delta_portion;

/* How many of so many entries a warp takes at once: no more than all get, so that chains are followed side by side. */
ORDO_DEV ordo_u64 delta_grain(ordo_u64 count, ordo_u64 warps)
{
    if (count <= warps) /* a division would take as long as a hop */
        return 1;
    return count > 31 * warps ? 32 : ((ordo_u32)count + (ordo_u32)warps - 1) / (ordo_u32)warps;
}

/* Whether the warp has taken its part of the superstep. */
ORDO_DEV bool delta_exhausted(const delta_portion &hand)
{
#if ORDO_OVER_RANKS
    if (hand.mail_at < hand.mail)
        return false;
#endif
    return hand.from + hand.at >= hand.to;
}

#if ORDO_OVER_RANKS
/* By whole warps, when a superstep begins: finds out what messages have come, and sends what waits to be sent. */
ORDO_DEV void delta_ranks_begin(const delta_args &a, op_warp *w, const delta_dev_step *step, delta_portion *hand)
{
    hand->mail = step->mail;
    hand->mail_grain = delta_grain(hand->mail, hand->warps);
    hand->mail_at = (hand->warps - 1 - hand->number) * hand->mail_grain; /* the last warps may have no slots */
    if (hand->to - hand->from + hand->mail >= a.latency_bound)
        w->map.latency_bound = hand->sweep;
    if (step->waits) {
        op_dev_send_spilled(a.queue.ranks, step->met, a.ctx.cells, blockIdx.x * DELTA_DEV_THREADS + threadIdx.x,
                            gridDim.x * DELTA_DEV_THREADS);
        __syncwarp();
    }
}

/* By whole warps: offers the warp's next messages to the cells that the rank owns. Returns whether the lane's has
 * improved one and belongs to the head: then *entry is to be expanded in this superstep, as if this rank had activated
 * it in the last one. Others go to the store. */
ORDO_DEV bool delta_ranks_take(const delta_args &a, op_warp *w, const delta_dev_step *step, delta_portion *hand,
                               op_entry *entry)
{
    const ordo_u64 i = hand->mail_at + threadIdx.x % 32;
    bool improved = false;
    hand->mail_at += hand->warps * hand->mail_grain;
    if (threadIdx.x % 32 < hand->mail_grain && i < hand->mail) {
        op_dev_message m = delta_ranks_message(a.queue.ranks, step->met, i);
        improved = op_dev_apply(&a.ctx.state, a.ctx.cells, m.item, &m.value, false, false);
        w->useful += improved;
        *entry = op_entry{m.value, m.item};
    }
    __syncwarp();
    return op_warp_resort(a.ctx, w, improved, *entry, 0, [](bool, double) {});
}
#endif

/* Waits for the next superstep. False at the end of the run. Called by whole warps, and by all of the grid. */
ORDO_DEV bool delta_next_superstep(const delta_args &a, op_warp *w, delta_dev_step *step, delta_portion *hand)
{
    w->chain_limit = 0;
    hand->dry = false;
    /* behind the arrival, which a store before it would delay */
    delta_dev_barrier(a.queue, step, w->live != NULL, [&] {
        if (hand->steps % (w->map.latency_bound ? ORDO_LIVE_STEPS : ORDO_LIVE_STEPS / 4) == 0)
            op_warp_show(w, a.run, ORDO_AT_BARRIER);
        else if (hand->works)
            op_warp_show_state(w, a.run, ORDO_AT_BARRIER);
    });
    const bool ends = step->phase == DELTA_DEV_END;
    if (ends || __any_sync(~0u, w->edges >> 30)) /* publish before the lanes' 32-bit counters wrap */
        op_warp_publish(w, a.run);
    if (ends)
        return false;
    hand->steps++;
    hand->sweep = step->phase == DELTA_DEV_SWEEP;
    w->map.base = step->base;
    w->map.per_delta = step->per_delta;
    w->map.limit = step->base + step->delta;
    w->map.head = step->head;
    const ordo_u64 count = step->to - step->from;
    w->map.latency_bound = hand->sweep || count < a.latency_bound;
    hand->from = hand->sweep ? 0 : step->from;
    hand->to = hand->sweep ? a.spill_words : step->to;
    hand->grain = hand->sweep ? 32 : delta_grain(count, hand->warps);
#if ORDO_OVER_RANKS
    delta_ranks_begin(a, w, step, hand);
#endif
    hand->shares = op_warp_shares && w->share && w->map.latency_bound;
    w->chain_limit = hand->shares ? a.chain_limit : 0;
    hand->apart = a.spreads && !hand->sweep ? hand->warps : 1;
    hand->at = a.spreads && !hand->sweep ? hand->number : hand->number * hand->grain;
    hand->works = !delta_exhausted(*hand);
    if (hand->works)
        op_warp_show_state(w, a.run, ORDO_BUSY);
    if (w->live && blockIdx.x == 0 && threadIdx.x == DELTA_DEV_THREADS - 1)
        ordo_live_report(a.run.traced, hand->steps, count,
                         (ordo_u64)((step->base - op_warp_base(a.lowest)) * w->map.per_delta), step->delta, 1);
    if (blockIdx.x == 0 && threadIdx.x == DELTA_DEV_THREADS - 1 && hand->steps % 16 == 1) {
        /* the trace and the host's stop request; reading the mailbox takes as long as a superstep with few items */
        ordo_dev_sample(a.run.record, count, (ordo_u64)((step->base - op_warp_base(a.lowest)) * w->map.per_delta),
                        step->delta, 1, -1);
        if (a.run.mailbox->stop)
            ordo_dev_store(&a.queue.words->stop, 1u);
        a.run.mailbox->supersteps = hand->steps;
        a.run.mailbox->in_flight = count;
    }
    __syncwarp();
    return true;
}

/* By a whole warp that has taken its part of a superstep in which warps share: fills its local queue with what other
 * warps of the block have put into the ring. The hops that its chain has left go on, so that what a bucket's few
 * entries activate does not stay with one block. False if there is nothing, and if it is to wait, when none of them
 * works any more. */
ORDO_DEV bool delta_take_shared(const delta_args &a, op_warp *w, bool wait)
{
    ordo_u64 word = 0;
    const ordo_u32 count = ordo_share_take(w->share, wait, a.takes, &word);
    if (threadIdx.x % 32 < count)
        memcpy(&w->local_queue[(w->local_begin + threadIdx.x % 32) & (a.ctx.local_capacity - 1)], &word, sizeof word);
    w->local_count = count;
    return count;
}

/* Hook `take`: the warp's next portion of the superstep, or the next superstep. Called by whole warps. */
ORDO_DEV int delta_take(const delta_args &a, op_warp *w, ordo_dev_pool_cache *cache, delta_dev_step *step,
                        delta_portion *hand, bool *there, op_entry *entry, ordo_u32 *bits)
{
    if (delta_exhausted(*hand)) {
        /* a warp that holds entries does not wait: it gives them away when the ring is empty */
        if (hand->shares && (delta_take_shared(a, w, w->held == 0) || w->held))
            return ORDO_WARP_AGAIN;
        return delta_next_superstep(a, w, step, hand) ? ORDO_WARP_AGAIN : ORDO_WARP_END;
    }
    w->chain_limit = w->map.latency_bound ? a.chain_limit : 0;
#if ORDO_OVER_RANKS
    if (hand->mail_at < hand->mail) {
        *there = delta_ranks_take(a, w, step, hand, entry);
        return ORDO_WARP_ENTRIES;
    }
#endif
    if (hand->sweep) {
        const ordo_u64 word = hand->from + hand->at + threadIdx.x % 32;
        *bits = ordo_warp_take_bits(a.queue.spill.bits, word, word < hand->to);
        hand->at += hand->warps * 32;
        return ORDO_WARP_AGAIN;
    }
    const ordo_u64 slot = hand->from + hand->at + threadIdx.x % 32 * hand->apart;
    hand->at += hand->warps * hand->grain;
    *there = threadIdx.x % 32 < hand->grain && slot < hand->to;
    if (*there) {
        const ordo_u32 block = ordo_pool_translate<false>(a.queue.pool, cache, w->map.head, slot);
        *there = block != ORDO_POOL_NONE;
        if (*there)
            *entry = ordo_pool_get<op_entry>(a.queue.pool, ordo_pool_at(a.queue.pool, block, slot));
    }
    *there = op_warp_resort(a.ctx, w, *there, *entry, 0,
                            [&](bool far, double priority) { delta_dev_note(a.queue, far, priority); });
    return ORDO_WARP_ENTRIES;
}

/* Whether rows may be expanded by several lanes, and entries shared within a block. There is a kernel of its own for
 * that: in one for all, the loop of a chain over records has 743 instructions, not 443, and road networks take 10.7 ms
 * for 10.4 (one H200). */
enum { delta_shares = ORDO_OP_KIND == ORDO_KIND_RELAX && !op_warp_sums };

/* The hooks of op_warp_loop. */
template <bool Shares> struct delta_hooks {
    static constexpr bool narrow = true, gives_surplus = false, expands_initial = false;
    static constexpr bool lanes = Shares;
    static constexpr bool cuts = ORDO_OP_KIND == ORDO_KIND_RELAX && !op_warp_sums;
    static constexpr ordo_u32 enough = 64;
    const delta_args &a;
    ordo_dev_pool_cache *cache;
    delta_dev_step *step;
    delta_portion hand;

    ORDO_HOOK ordo_u64 stride() const
    {
        return hand.warps * 32;
    }
    ORDO_HOOK bool exhausted() const
    {
        if (!delta_exhausted(hand) || !hand.shares)
            return delta_exhausted(hand);
        return !__shfl_sync(~0u, ordo_share_some(step->share), 0); /* lanes may read at different times */
    }
    ORDO_HOOK bool holds(const op_warp *w) const
    {
        return w->held;
    }
    ORDO_HOOK void begun(ordo_u32) const
    {
    }
    ORDO_HOOK bool between_hops(const op_warp *) const
    {
        return true;
    }
    ORDO_HOOK ordo_u32 swept_word() const
    {
        return (ordo_u32)(hand.from + hand.at - hand.warps * 32 + threadIdx.x % 32);
    }
    ORDO_HOOK void give(op_warp *w, bool)
    {
        hand.dry = delta_dev_flush(a.queue, step, cache, w->store, w->held, hand.dry);
        w->held = 0;
    }
    ORDO_HOOK ordo_u64 reserve(ordo_u32 b, ordo_u32 count)
    {
        return hand.dry ? ~(ordo_u64)0 : delta_dev_reserve(a.queue, b, count);
    }
    ORDO_HOOK void place(bool there, ordo_u32 b, ordo_u64 first, ordo_u32 i, op_entry entry)
    {
        hand.dry = delta_dev_place(a.queue, cache, there, b, first, i, entry) || hand.dry;
    }
    ORDO_HOOK int take(op_warp *w, bool *there, op_entry *entry, ordo_u32 *bits)
    {
        return delta_take(a, w, cache, step, &hand, there, entry, bits);
    }
};

/* By a whole block: the state before the first superstep. `share`: the block's ring, if there is one. Ends with a
 * barrier. */
ORDO_DEV void delta_begin(const delta_args &a, delta_dev_step *step, ordo_share *share)
{
    if (threadIdx.x < DELTA_DEV_BUCKETS)
        step->done[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        step->from = step->to = step->head = step->phase = 0;
        step->generation = 1;
#if ORDO_OVER_RANKS
        step->met = 1; /* that of the kernels */
        step->mail = 0;
        step->alone = step->waits = false;
#endif
        step->base = op_warp_base(a.lowest);
        step->delta = a.delta;
        step->per_delta = 1 / a.delta;
        step->share = a.takes ? share : NULL;
    }
    if (share && a.takes)
        ordo_share_start(share, DELTA_DEV_WARPS);
    __syncthreads();
}

template <bool Traced, bool Shares>
static __global__ void __launch_bounds__(DELTA_DEV_THREADS, 2) delta_kernel(const __grid_constant__ delta_args a)
{
    __shared__ ordo_warp_store<op_entry> store[DELTA_DEV_WARPS];
    __shared__ op_entry local_queue[DELTA_DEV_WARPS][delta_local];
    __shared__ ordo_dev_pool_cache cache;
    __shared__ delta_dev_step step;
    constexpr bool rings = Shares && op_warp_shares;
    __shared__ typename ordo_dev_either<rings, ordo_share, ordo_u32>::type share;
    __shared__ ordo_u32 live[Traced ? (int)DELTA_DEV_WARPS : 1][5];
    const ordo_u32 warp = threadIdx.x / 32;
    ordo_pool_start(&cache);
    for (ordo_u32 i = blockIdx.x * DELTA_DEV_THREADS + threadIdx.x; i < a.queue.pool.blocks;
         i += gridDim.x * DELTA_DEV_THREADS)
        a.queue.free[i] = i;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        a.queue.words->free_count = a.queue.pool.blocks;
    op_warp_lowest(a.ctx, &a.run, a.lowest);
    cooperative_groups::this_grid().sync();
#if ORDO_OVER_RANKS
    ordo_u64 met = 0;
    ordo_dev_meet(a.queue.ranks, &met, [] { return (ordo_u64)0; }); /* all kernels run */
    const ordo_u64 began = ordo_dev_clock();
#endif
    delta_begin(a, &step, rings ? (ordo_share *)&share : NULL);

    op_warp w;
    op_warp_start(&w, &store[warp], local_queue[warp], Traced ? live[warp] : NULL);
    if (Traced)
        ordo_live_begin(a.run.traced, ORDO_BUSY);
    if constexpr (rings)
        w.share = a.takes ? ordo_warp_pinned((ordo_share *)&share) : NULL;
    w.map.base = step.base;
    w.map.per_delta = step.per_delta;
    w.map.buckets = a.queue.pool.buckets;
    w.map.last = w.map.buckets - 1;
    w.map.limit = step.base + a.delta;
    delta_hooks<Shares> hooks = {a, &cache, &step, {}};
    hooks.hand.grain = 1;
    hooks.hand.warps = (ordo_u64)gridDim.x * DELTA_DEV_WARPS;
    hooks.hand.number = blockIdx.x + (ordo_u64)gridDim.x * warp; /* consecutive portions go to different blocks */
    op_warp_loop(a.ctx, a.run, &w, hooks, hooks.hand.number * 32);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        a.run.record->supersteps = hooks.hand.steps;
        a.run.record->delta_first = a.delta;
        a.run.record->delta_last = step.delta;
#if ORDO_OVER_RANKS
        a.queue.ranks.words[a.queue.ranks.rank]->nanoseconds = ordo_dev_clock() - began;
#endif
    }
}

/* Whether paths are long: supersteps have little work then, whatever their number, so buckets are wide. */
static bool delta_deep(const ordo_job *job, ordo_graph_kind kind)
{
    return kind == ORDO_GRAPH_DEEP || (kind == ORDO_GRAPH_EVEN && ordo_job_levels(job) >= ORDO_LEVELS_LONG);
}

/* Starting width in units of mean weight over mean degree: wide for deep graphs, more so where paths branch little. */
static double delta_factor(const ordo_job *job, ordo_graph_kind kind)
{
    if (job->tunable[DELTA_FACTOR] > 0)
        return job->tunable[DELTA_FACTOR];
    if (delta_deep(job, kind))
        return job->mean_degree < 3 ? 75 : job->mean_degree < 5 ? 32 : 80;
    if (kind == ORDO_GRAPH_EVEN)
        return job->remote            ? 3 /* what owners learn late costs more than meetings do */
               : job->mean_degree < 8 ? 6
                                      : 8;
    return 2;
}

static ordo_u32 delta_chain_limit(const ordo_job *job)
{
    const ordo_graph_kind kind = ordo_job_graph_kind(job);
    if (job->tunable[DELTA_CHAIN_LIMIT] >= 0)
        return (ordo_u32)job->tunable[DELTA_CHAIN_LIMIT];
    if (kind == ORDO_GRAPH_EVEN && op_warp_classes(job))
        return 8;
    return kind == ORDO_GRAPH_HUBS ? 0 : kind == ORDO_GRAPH_DEEP ? 128 : 64;
}

/* Whether several lanes expand a row, and entries are shared, unless edges are in records. Not where buckets are single
 * levels, of which none activates entries of its own, nor where they are classes, of which one may activate most of the
 * graph. */
static bool delta_by_lanes(const ordo_job *job, double delta)
{
    return delta_shares && job->tunable[DELTA_LANES] > 0 && ordo_job_owned_edges(job) && delta_chain_limit(job) &&
           ordo_job_graph_kind(job) == ORDO_GRAPH_EVEN && job->mean_degree <= DELTA_DEV_ROWS && !op_warp_classes(job) &&
           !((int)op_weight_type == ORDO_NONE && delta <= 1);
}

/* The kernel of the run; over ranks there are no traces. */
static const void *delta_kernel_for(const ordo_cuda *c, bool shares)
{
    constexpr bool may = delta_shares, traces = !ORDO_OVER_RANKS;
    const void *kernel = shares ? (const void *)delta_kernel<false, may> : (const void *)delta_kernel<false, false>;
    if (c->run.traced.live)
        kernel = shares ? (const void *)delta_kernel<traces, may> : (const void *)delta_kernel<traces, false>;
    return ordo_cuda_kernel(kernel);
}

/* Behind op_warp_arguments, for a run by lanes; returns whether it is one: with records a lane expands a row of up to
 * four edges, and a warp has nothing to share. */
static bool delta_set_lanes(const ordo_job *job, delta_args *a)
{
#if ORDO_OP_KIND == ORDO_KIND_RELAX
    if (a->ctx.record)
        return false;
    a->ctx.lanes = DELTA_DEV_LANES;
#endif
    a->takes = op_warp_shares && job->tunable[DELTA_SHARE] > 0 ? DELTA_DEV_TAKE : 0;
    return true;
}

/* Computes sizes of the pool and its tables, and the limit of chains, for `blocks` resident blocks. */
static void delta_plan(const ordo_job *job, int blocks, ordo_u64 ids, delta_args *a)
{
    const double *t = job->tunable;
    ordo_dev_pool *const p = &a->queue.pool;
    /* small blocks, since each bucket may hold one that is nearly empty */
    const ordo_u64 most = ((ordo_u64)1 << 32) - (1 << 24);
    ordo_u64 slots = t[DELTA_POOL] > 0 ? (ordo_u64)t[DELTA_POOL]
                                       : ordo_job_owned_edges(job) / 2 + (job->remote ? job->owned : job->num_items);
    slots = slots < most ? slots : most;
    p->block_shift = 16;
    while (p->block_shift > 5 && slots >> p->block_shift < 512)
        p->block_shift--;
    p->blocks = (ordo_u32)(slots >> p->block_shift);
    p->blocks = p->blocks ? p->blocks : 1;
    if (!(t[DELTA_POOL] > 0)) /* each bucket may hold a block that is nearly empty */
        p->blocks += DELTA_DEV_BUCKETS;
    /* void blocks: those that all warps can reserve before they meet `none`, in two supersteps */
    const ordo_u64 pieces = ordo_job_owned_edges(job) / ORDO_WARP_PIECE / 16;
    a->ctx.pieces = (ordo_u32)(pieces < ORDO_WARP_CAPACITY ? ORDO_WARP_CAPACITY
                               : pieces < ORDO_WARP_PIECES ? pieces
                                                           : ORDO_WARP_PIECES);
    const ordo_u64 reserved = 2ull * (ordo_u64)blocks * DELTA_DEV_WARPS * a->ctx.pieces;
    while ((ordo_u64)1 << p->table_shift < p->blocks + (reserved >> p->block_shift) + 64)
        p->table_shift++;
    p->buckets = (ordo_u32)t[DELTA_BUCKETS] < DELTA_DEV_BUCKETS ? (ordo_u32)t[DELTA_BUCKETS] : DELTA_DEV_BUCKETS;
    p->cached = 1;
    a->queue.items = job->num_items;
    a->spill_words = (ids + 31) / 32;
    /* In graphs with hubs paths are short, and chains only unbalance the warps. Classes of weights on even degrees
     * activate many items at once, which a warp should leave to other warps. A bucket of a deep graph has 64 levels. */
    const ordo_graph_kind kind = ordo_job_graph_kind(job);
    const bool classes = kind == ORDO_GRAPH_EVEN && op_warp_classes(job);
    a->ctx.local_capacity = classes ? 16 : delta_local;
    a->chain_limit = delta_chain_limit(job);
    a->ctx.few = DELTA_DEV_LOCAL;
    a->ctx.keep = job->mean_degree > 2 << DELTA_DEV_LANES ? DELTA_DEV_KEEP_LONG : DELTA_DEV_KEEP;
    a->spreads = kind == ORDO_GRAPH_HUBS && t[DELTA_SPREAD] > 0;
    const ordo_u64 latency_bound = job->num_items / 64 > DELTA_DEV_FEW ? job->num_items / 64 : DELTA_DEV_FEW;
    a->latency_bound = !a->chain_limit               ? 0
                       : t[DELTA_LATENCY_BOUND] >= 0 ? (ordo_u64)t[DELTA_LATENCY_BOUND]
                                                     : latency_bound;
}

/* For samples of a trace: entries in buckets that were not taken when the superstep began, and spilled items. */
static void delta_glance(const ordo_cuda_seen *seen, const void *, ordo_probed *out)
{
    const delta_dev_words *const words = (const delta_dev_words *)seen->copy[0];
    ordo_u64 reserved = 0;
    if (!words)
        return;
    for (int b = 0; b < DELTA_DEV_BUCKETS; b++)
        reserved += words->tail[b];
    out->in_flight = reserved > words->balance ? reserved - words->balance : 0;
    out->in_flight += words->spilled > words->swept ? words->spilled - words->swept : 0;
    out->spills = words->spilled;
}

static ordo_status delta_run_job(ordo_job *job)
{
    const double *t = job->tunable;
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    delta_args a = {};
    ordo_dev_pool *p = &a.queue.pool;
    const ordo_graph_kind kind = ordo_job_graph_kind(job);
    double own = op_warp_width(job, 4, job->mean_degree < 8 ? 32 : 16);
    if (own == 1 && kind == ORDO_GRAPH_EVEN && delta_deep(job, kind))
        own = DELTA_DEV_EACH; /* levels */
    a.delta = ordo_job_delta(job, t[DELTA_DELTA], own, delta_factor(job, kind));
    const bool dynamic = t[DELTA_DYNAMIC] > 0;
    /* a declared width is a class or a level: narrower buckets would not give a better order */
    a.queue.least = dynamic && own <= 0 ? a.delta / 1024 : a.delta;
    a.queue.most = dynamic ? a.delta * 1024 : a.delta;
    int blocks = 0;
    ordo_status status = op_cuda_begin(job, &c);
    const bool shares = delta_by_lanes(job, a.delta);
    const void *kernel = status ? NULL : delta_kernel_for(&c, shares);
    if (!status)
        status = ordo_cuda_grid(kernel, DELTA_DEV_THREADS, (int)t[DELTA_BLOCKS], &blocks);
    ordo_u64 ids = 0;
    if (!status)
        status = ordo_warp_ids(job, "delta", &ids);
    if (!status)
        delta_plan(job, blocks, ids, &a);
    const ordo_warp_need needs[] = {
        {(void **)&a.queue.words, 1, sizeof *a.queue.words, true},
        {(void **)&p->table, (ordo_u64)p->buckets << p->table_shift, sizeof *p->table, true},
        {&p->slots, (ordo_u64)p->blocks << p->block_shift, sizeof(op_entry), false},
        {(void **)&a.queue.free, p->blocks, sizeof *a.queue.free, false},
        {(void **)&a.queue.spill.bits, a.spill_words, sizeof(ordo_u32), true},
        {(void **)&a.ctx.owner, ids - job->num_items, sizeof(ordo_u32), false},
        {(void **)&a.lowest, 1, sizeof *a.lowest, true},
    };
    if (!status)
        status = ordo_warp_alloc(&c, needs, sizeof needs / sizeof needs[0]);
    if (!status)
        status = op_warp_arguments(&c, t[DELTA_RECORDS] > 0, &a, &arrays);
    if (!status && shares && !delta_set_lanes(job, &a))
        kernel = delta_kernel_for(&c, false);
#if ORDO_OVER_RANKS
    if (!status)
        status = ordo_cuda_ranks_make(&c, sizeof(op_dev_message), false, &a.queue.ranks);
    a.ctx.ranks = a.queue.ranks;
#endif
    if (!status) {
        a.queue.spill.count = &a.queue.words->spilled;
        c.keep_cells = true;
        c.glance = {{a.queue.words, NULL}, {sizeof *a.queue.words, 0}, delta_glance, NULL};
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, kernel, DELTA_DEV_THREADS, blocks, args);
    }
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}

ORDO_CUDA_INSTANCE(delta, delta_run_job, 1u << op_warp_sync)
#else
ORDO_CUDA_INSTANCE(delta, NULL, 1u << ORDO_SYNC_DEFAULT /* of no sync */)
#endif
