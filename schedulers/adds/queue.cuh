/* adds/queue.cuh -- the buckets of `adds` on a GPU: multi-writer, single-reader FIFOs over one pool of blocks.
 *
 * Problem. Thousands of warps append to a bucket while the manager reads it. This is the GPU's version of queue.h
 * (Wang's thesis, sections 5.4 and 5.6), and like that independent of the operator. Two things differ. Indices have 64
 * bits and never wrap; only a bucket's table of blocks is circular. And space is reserved by *credits*: a bucket's
 * `capacity` is the number of slots that are mapped and that no writer has claimed. A writer takes credits first (and
 * gives back those that it cannot have), then reserves with one addition: slots reserved <= credits taken <= credits
 * granted = slots mapped, so a slot that is reserved always has its block, and no writer waits for one. (On the CPU a
 * compare-and-swap on both ends does that; here thousands of warps would make it fail.) A warp keeps unused credits, in
 * the register of the lane that has the bucket's number, so that most reservations are a single addition.
 *
 * Data structures. A writer is a warp, whose lane b counts for bucket b.
 *   resv[b]      resv_ptr: slots reserved
 *   done[b]      DWC: slots whose items are processed, with the activations that these made
 *   capacity[b]  credits; negative for moments
 *   table        bk_ptr, circular: number << 24 | wholly read << 23 | block
 *   written      WFC, one per segment
 *   read         RDC, one per block
 *   of the manager only, in its shared memory: read_ptr, alloc_ptr, dealloc_ptr, and what is assigned
 *
 * Protocol and memory order.
 * Writing (adds_dev_flush)
 *   W0 credits: an addition to capacity, relaxed: the block is found through the table, not through the credit.
 *   W1 reserve: one addition to resv for all of the warp's entries of a bucket, relaxed.
 *   W2 translate: the table's word has the block's number in the bucket, so a warp sees whether it is the one that it
 *      needs, and waits if the memory warp's store is not visible yet (it was made before the credits were granted).
 *      Acquire: the zeroed counters and the reads of the block's last use come before W3. A thread block caches words
 *      in shared memory (the paper's translation cache), stored with release, read with acquire.
 *   W3 store the entries: no other thread accesses these slots.
 *   W4 fence (acquire and release, device scope), then WFC += slots. The warp barrier before it orders the other lanes'
 *      W3 before the fence. This is the paper's first fence.
 * Reading (adds_dev_probe), as on the CPU
 *   R1 WFC, acquire.
 *   R2 full segments are readable.
 *   R3 else resv_ptr, read after R1 (its acquire is the paper's second fence): a segment whose WFC is the number of its
 *      slots reserved is readable up to resv_ptr.
 *   R4 read_ptr goes to the assign warp by a release in shared memory, and from there to a worker's flag after a fence.
 * Done (by the warp that ends an assignment, manager.cuh)
 *   D1 RDC += slots, acquire and release; the warp whose addition makes it the block's size zeroes the block's counters
 *      and marks its word.
 *   D2 fence, DWC += slots: after every reservation and spill of the assignment's items.
 * Memory (adds_dev_memory)
 *   M1 if a bucket's credits are below two blocks, a free block is mapped (table's word, release), then its slots are
 *      granted.
 *   M2 the oldest block of a bucket is free when its word is marked (acquire).
 *
 * Termination. An entry that finds no memory is *spilled*: counted in `spilled`, then a bit of its item. If the bit was
 * set already, it is counted as swept. The manager assigns ranges of bits later; an item then has the value of its
 * cell. See manager.cuh.
 */
#ifndef ORDO_ADDS_QUEUE_CUH
#define ORDO_ADDS_QUEUE_CUH

#include <ordo/detail/cuda/pool.cuh>

#include "layout.h"

enum { ADDS_DEV_PATIENCE = 64 };                        /* tries to get credits before entries are spilled */
#define ADDS_DEV_MOST (((ordo_u64)1 << 32) - (1 << 24)) /* slots of the largest pool: a location has 32 bits */

/* Counters of all buckets are adjacent, so that a warp's lanes access one line and the manager reads them at once. */
typedef struct adds_dev_words {
    ordo_u64 resv[ADDS_MAX_BUCKETS];
    ordo_u64 done[ADDS_MAX_BUCKETS];
    ordo_u64 capacity[ADDS_MAX_BUCKETS]; /* read as signed */
    ordo_u64 spilled, padding0[15];      /* number of entries that became bits */
    ordo_u64 swept, padding1[15];   /* of those: whose bit was set already, or was cleared and its item processed */
    ordo_u32 started, padding2[31]; /* number of worker blocks that have pushed their initial items */
    ordo_u32 ranges, padding3[31];  /* number of ranges of the current sweep that are done */
    ordo_u32 dry, padding4[31];     /* the pool has no free block */
    /* over several GPUs: messages that the rank has sent, messages that are finished, and warps that have ended */
    ordo_u64 sent, padding5[15], received, padding6[15], ended, padding7[15];
    /* the mapping of priorities to buckets, see manager.cuh */
    double base, per_delta, limit;
    ordo_u32 head;
} adds_dev_words;

typedef struct adds_dev_queue {
    adds_layout layout;
    ordo_dev_pool pool;
    adds_dev_words *words;
    ordo_u32 *home;    /* [blocks] index of its word in the table */
    ordo_u32 *written; /* [blocks << (block_shift - segment_shift)] */
    ordo_u32 *read;    /* [blocks] */
    ordo_u32 *free;    /* [blocks] stack of the memory warp */
    ordo_dev_spill spill;
    ordo_u32 batch; /* credits that a warp takes beyond its needs */
    ordo_u32 alone; /* reserve=thread: every thread reserves its own slots */
} adds_dev_queue;

/* By one thread: the WFC of a slot's segment. */
ORDO_DEV ordo_u32 *adds_dev_wfc(const adds_dev_queue &q, ordo_u32 block, ordo_u64 index)
{
    ordo_u32 in_block = (ordo_u32)index & ((1u << q.layout.block_shift) - 1);
    return &q.written[((ordo_u64)block << (q.layout.block_shift - q.layout.segment_shift)) +
                      (in_block >> q.layout.segment_shift)];
}

/* ---- writing ---- */

/* By one thread: an entry that finds no memory becomes a bit. */
ORDO_DEV void adds_dev_spill(const adds_dev_queue &q, ordo_u32 item)
{
    if (ordo_spill(q.spill, item))
        ordo_dev_add(&q.words->swept, (ordo_u64)1);
}

/* W0, by one thread: raises *credit to at least `need`; false if the bucket gets no memory. */
ORDO_DEV bool adds_dev_claim(const adds_dev_queue &q, ordo_u32 b, ordo_u32 need, ordo_u32 *credit)
{
    for (int look = 0; *credit < need; look++) {
        const long long want = need - *credit + q.batch;
        const long long there = (long long)ordo_dev_add(&q.words->capacity[b], (ordo_u64)-want);
        const long long got = there >= want ? want : there > 0 ? there : 0;
        if (got < want)
            ordo_dev_add(&q.words->capacity[b], (ordo_u64)(want - got));
        *credit += (ordo_u32)got;
        if (*credit < need) {
            if (look >= ADDS_DEV_PATIENCE || ordo_dev_load(&q.words->dry)) {
                if (*credit)
                    ordo_dev_add(&q.words->capacity[b], (ordo_u64)*credit);
                *credit = 0;
                return false;
            }
            __nanosleep(200);
        }
    }
    return true;
}

/* W0 to W4, by one thread for one entry: for the ablation reserve=thread. */
template <typename Entry>
ORDO_DEV void adds_dev_push_alone(const adds_dev_queue &q, ordo_dev_pool_cache *cache, ordo_u32 b, Entry entry)
{
    ordo_u32 credit = 0;
    adds_dev_queue one = q;
    one.batch = 0;
    if (!adds_dev_claim(one, b, 1, &credit)) {
        adds_dev_spill(q, entry.item);
        return;
    }
    ordo_u64 at = ordo_dev_add(&q.words->resv[b], (ordo_u64)1);
    ordo_u32 block = ordo_pool_translate<true>(q.pool, cache, b, at);
    ordo_pool_put(q.pool, block, at, entry);
    ordo_dev_fence();
    ordo_dev_add(adds_dev_wfc(q, block, at), 1u);
}

/* By a whole warp: puts `held` entries of its store into their buckets, W0 to W4. *credit is that of the lane. */
template <typename Entry>
ORDO_DEV void adds_dev_flush(const adds_dev_queue &q, ordo_dev_pool_cache *cache, ordo_warp_store<Entry> *s,
                             ordo_u32 held, ordo_u32 *credit)
{
    const ordo_u32 lane = threadIdx.x % 32;
    __syncwarp();
    const ordo_u32 count = s->count[lane];
    s->count[lane] = 0;
    ordo_u64 first = 0;
    bool fits = false;
    if (count && !q.alone && adds_dev_claim(q, lane, count, credit)) {
        *credit -= count;
        first = ordo_dev_add(&q.words->resv[lane], (ordo_u64)count);
        fits = true;
    }
    const ordo_u32 fitting = __ballot_sync(~0u, fits);
    for (ordo_u32 i = lane; i < held + lane; i += 32) { /* i - lane < held: all lanes run the same iterations */
        const bool there = i < held;
        const ordo_u32 tag = there ? s->tag[i] : 0, b = tag >> 8;
        const ordo_u64 at = __shfl_sync(~0u, first, b) + (tag & 0xff);
        if (there) {
            Entry entry = s->held[i];
            if (fitting >> b & 1)
                ordo_pool_put(q.pool, ordo_pool_translate<true>(q.pool, cache, b, at), at, entry);
            else if (q.alone)
                adds_dev_push_alone(q, cache, b, entry);
            else
                adds_dev_spill(q, entry.item);
        }
    }
    __syncwarp();
    if (fits) {
        ordo_dev_fence();
        const ordo_u64 segment = (ordo_u64)1 << q.layout.segment_shift;
        for (ordo_u64 at = first; at < first + count;) {
            ordo_u64 end = (at | (segment - 1)) + 1;
            end = end < first + count ? end : first + count;
            ordo_dev_add(adds_dev_wfc(q, ordo_pool_translate<true>(q.pool, cache, lane, at), at), (ordo_u32)(end - at));
            at = end;
        }
    }
    __syncwarp();
}

/* ---- done ---- */

/* D1, by a whole warp, after a fence: counts `size` slots of one block as read. */
ORDO_DEV void adds_dev_done_reading(const adds_dev_queue &q, ordo_u32 location, ordo_u32 size)
{
    const ordo_u32 lane = threadIdx.x % 32, block = location >> q.layout.block_shift;
    ordo_u32 last = 0;
    if (lane == 0)
        last = ordo_dev_add(&q.read[block], size) + size == 1u << q.layout.block_shift;
    if (!__shfl_sync(~0u, last, 0))
        return;
    ordo_dev_fence();
    const ordo_u32 segments = 1u << (q.layout.block_shift - q.layout.segment_shift);
    for (ordo_u32 i = lane; i < segments; i += 32)
        q.written[(ordo_u64)block * segments + i] = 0;
    __syncwarp();
    if (lane == 0) {
        q.read[block] = 0;
        ordo_dev_fence();
        ordo_dev_or(&q.pool.table[q.home[block]], (ordo_u64)ORDO_POOL_MARK);
    }
}

/* ---- the manager's: probe and memory ---- */

/* R1 to R3, by a whole warp: the end of the readable slots of bucket b, from `read` on, within one block; valid in all
 * lanes. *word is the caller's copy of the table's word for `read`. */
ORDO_DEV ordo_u64 adds_dev_probe(const adds_dev_queue &q, ordo_u32 b, ordo_u64 read, ordo_u64 *word)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_u64 number = ordo_pool_number(q.pool, read), segment = (ordo_u64)1 << q.layout.segment_shift;
    if (!ordo_pool_is(*word, number)) {
        *word = ordo_dev_acquire(ordo_pool_word(q.pool, b, number));
        if (!ordo_pool_is(*word, number))
            return read; /* not mapped, so not written */
    }
    const ordo_u64 base = read & ~(segment - 1), at = base + lane * segment;
    const bool inside = ordo_pool_number(q.pool, at) == number;
    const ordo_u32 count = inside ? ordo_dev_acquire(adds_dev_wfc(q, ordo_pool_block(*word), at)) : 0;
    const ordo_u32 full = __ballot_sync(~0u, count == segment);
    const ordo_u32 run = full == ~0u ? 32 : __ffs(~full) - 1; /* number of consecutive full segments */
    ordo_u64 to = base + run * segment;
    const ordo_u32 part =
        run < 32 ? __shfl_sync(~0u, count, run) : 0; /* slots written in the next segment; 0 past the block */
    if (part > (to < read ? (ordo_u32)(read - to) : 0)) {
        const ordo_u64 resv = ordo_dev_load(&q.words->resv[b]);
        if (resv - to == part)
            to += part;
    }
    to = __shfl_sync(~0u, to, run % 32); /* the lane that acquired the segment's WFC decides */
    return to > read ? to : read;
}

/* State of the memory warp: that of bucket b in lane b; free_count and most_used belong to the pool and are the same in
 * all lanes. */
typedef struct adds_dev_mapped {
    ordo_u64 alloc, freed; /* alloc_ptr, dealloc_ptr */
    ordo_u32 free_count, most_used;
} adds_dev_mapped;

/* M2, then M1, by a whole warp. Buckets close to the head come first; if few blocks are left, fewer are mapped ahead.
 */
ORDO_DEV void adds_dev_memory(const adds_dev_queue &q, adds_dev_mapped *m, ordo_u32 head)
{
    const ordo_u32 lane = threadIdx.x % 32, buckets = q.layout.buckets;
    const ordo_u64 size = (ordo_u64)1 << q.layout.block_shift;
    const bool mine = lane < buckets;
    ordo_u64 word = 0;
    if (mine && m->freed < m->alloc)
        word = ordo_dev_acquire(ordo_pool_word(q.pool, lane, ordo_pool_number(q.pool, m->freed)));
    const bool gone = word & ORDO_POOL_MARK;
    const ordo_u32 all_gone = __ballot_sync(~0u, gone);
    if (gone) {
        q.free[m->free_count + __popc(all_gone & ((1u << lane) - 1))] = ordo_pool_block(word);
        m->freed += size;
    }
    m->free_count += __popc(all_gone);
    __syncwarp();

    const long long ahead = m->free_count > 2 * buckets ? (long long)(ADDS_AHEAD * size)
                            : m->free_count > buckets   ? (long long)size
                                                        : (long long)(size / 2);
    const bool needs_blocks = mine && (long long)ordo_dev_load(&q.words->capacity[lane]) < ahead;
    const ordo_u32 all_hungry = __ballot_sync(~0u, needs_blocks);
    if (!all_hungry)
        return;
    /* buckets from the head on come first */
    const ordo_u32 from_head = all_hungry & ~((1u << head) - 1), below = (1u << lane) - 1;
    const ordo_u32 rank = lane >= head ? __popc(from_head & below) : __popc(from_head) + __popc(all_hungry & below);
    if (needs_blocks && rank < m->free_count) {
        const ordo_u32 block = q.free[m->free_count - 1 - rank];
        ordo_u64 *to = ordo_pool_word(q.pool, lane, ordo_pool_number(q.pool, m->alloc));
        q.home[block] = (ordo_u32)(to - q.pool.table);
        ordo_dev_release(to, ordo_pool_make(ordo_pool_number(q.pool, m->alloc), block));
        m->alloc += size;
        ordo_dev_add(&q.words->capacity[lane], size);
    }
    const ordo_u32 wanted = __popc(all_hungry);
    m->free_count -= wanted < m->free_count ? wanted : m->free_count;
    m->most_used = q.layout.blocks - m->free_count > m->most_used ? q.layout.blocks - m->free_count : m->most_used;
    if (lane == 0)
        ordo_dev_store(&q.words->dry, m->free_count == 0 ? 1u : 0u);
    __syncwarp();
}

#endif
