/* share.cuh -- a ring in shared memory by which the warps of a block share words of work before they meet.
 *
 * Problem. Where a superstep has few items, one warp may activate many while the others of its block wait at the
 * barrier. Work that goes through global memory to the next superstep takes microseconds more than a word that goes to
 * a neighbour.
 *
 * Data structures.
 *   place[i]  a word of work, or ORDO_SHARE_NONE
 *   ends      how many words were claimed, and how many places were reserved: 16 bits each, modulo 2^16. Place number t
 *             is t % PLACES
 *   working   number of warps that may put words
 *
 * Protocol. A warp that puts words reserves places for all of them by one addition to `ends`, and exchanges each NONE
 * for a word. A warp that takes words adds itself to `working`, claims what it wants by one swap of `ends`, and
 * exchanges each word for NONE. Both wait where the other one has reserved or claimed the place and not exchanged yet.
 * So each word that was put is taken exactly once, also where a warp is delayed while others use the whole ring. A warp
 * that checks finds at most LIMIT words not claimed, and each of the block's warps adds at most MOST after its check:
 * at most PLACES are reserved and not claimed at a time. Both numbers are read together, so what a warp finds was true
 * at one time. A swap that succeeds although 2^16 words were put and claimed since `ends` was read changes the same
 * state as if they had not been.
 *
 * Termination. A warp that has no work takes itself from `working`, and looks at the ring until it claims words, or
 * until it has found first that no warp works and then that the ring is empty. It never leaves while a word that it
 * has put is not claimed, since `ends` has changed before; the warp that claims a word looks again later. So all words
 * are taken before all warps have left. A warp may leave while another one still puts words: these are then taken by
 * the others, at worst by the one that puts them.
 *
 * Memory order. A word carries all that its taker needs, so all accesses are relaxed. A warp that leaves reads
 * `working` before `ends`: a fence of the block orders these two loads of one thread.
 */
#ifndef ORDO_DETAIL_CUDA_SHARE_CUH
#define ORDO_DETAIL_CUDA_SHARE_CUH

#include <ordo/detail/cuda/atomics.cuh>

enum {
    ORDO_SHARE_PLACES = 1024, /* divides 2^16 */
    ORDO_SHARE_WARPS = 8,     /* most warps of a block */
    ORDO_SHARE_MOST = 64,     /* most words that a warp puts at once */
    ORDO_SHARE_LIMIT = ORDO_SHARE_PLACES - ORDO_SHARE_WARPS * ORDO_SHARE_MOST,
};
#define ORDO_SHARE_NONE (~(ordo_u64)0)

typedef struct ordo_share {
    ordo_u64 place[ORDO_SHARE_PLACES];
    ordo_u32 ends; /* reserved << 16 | claimed */
    ordo_u32 working;
} ordo_share;

/* By a whole block, before a barrier of the block. `warps`: of the block. */
ORDO_DEV void ordo_share_start(ordo_share *s, ordo_u32 warps)
{
    for (ordo_u32 i = threadIdx.x; i < ORDO_SHARE_PLACES; i += blockDim.x)
        s->place[i] = ORDO_SHARE_NONE;
    if (threadIdx.x == 0) {
        s->ends = 0;
        s->working = warps;
    }
}

/* The number of words that are not claimed. */
ORDO_DEV ordo_u32 ordo_share_count(ordo_u32 ends)
{
    return ((ends >> 16) - ends) & 0xffff;
}

/* By a whole warp that works: puts N words of each lane, those with `has`. Returns whether they were put: all, or none,
 * because the ring has too few free places, or they are more than MOST. */
template <int N> ORDO_DEV bool ordo_share_put(ordo_share *s, const bool (&has)[N], const ordo_u64 (&word)[N])
{
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_u32 some[N], total = 0, first = 0, fits = 0;
#pragma unroll
    for (int u = 0; u < N; u++)
        total += __popc(some[u] = __ballot_sync(~0u, has[u]));
    if (!total || total > (ordo_u32)ORDO_SHARE_MOST)
        return !total;
    if (lane == 0) {
        fits = ordo_share_count(ordo_dev_load_block(&s->ends)) <= (ordo_u32)ORDO_SHARE_LIMIT;
        if (fits)
            first = ordo_dev_add_block(&s->ends, total << 16) >> 16;
    }
    if (!__shfl_sync(~0u, fits, 0))
        return false;
    first = __shfl_sync(~0u, first, 0);
#pragma unroll
    for (int u = 0; u < N; u++) {
        const ordo_u32 at = first + __popc(some[u] & ((1u << lane) - 1));
        first += __popc(some[u]);
        if (has[u]) {
            ordo_u64 none = ORDO_SHARE_NONE;
            while (!ordo_dev_swap_block(&s->place[at % ORDO_SHARE_PLACES], &none, word[u]))
                none = ORDO_SHARE_NONE;
        }
    }
    __syncwarp();
    return true;
}

/* By one thread: whether the ring has words that are not claimed. */
ORDO_DEV bool ordo_share_some(ordo_share *s)
{
    return ordo_share_count(ordo_dev_load_block(&s->ends)) != 0;
}

/* By one thread of a warp that does not work: claims up to `most` words. Returns their number, and the first in *first;
 * if it is not 0, the warp works again. */
ORDO_DEV ordo_u32 ordo_share_claim(ordo_share *s, ordo_u32 most, ordo_u32 *first)
{
    ordo_dev_add_block(&s->working, 1u);
    ordo_u32 ends = ordo_dev_load_block(&s->ends), count;
    do {
        const ordo_u32 there = ordo_share_count(ends);
        const ordo_u32 fair = there / 8 < 32 ? there / 8 : 32, part = fair > most ? fair : most;
        count = there < part ? there : part;
        *first = ends & 0xffff;
    } while (count && !ordo_dev_swap_block(&s->ends, &ends, (ends & 0xffff0000) | ((ends + count) & 0xffff)));
    if (!count)
        ordo_dev_add_block(&s->working, ~0u);
    return count;
}

/* By a whole warp that works: takes up to `most` words, at most 32, one per lane. If it is to wait, it waits until
 * there are some, and may have no other work; then 0 means that none are left and no warp works. The warp works
 * afterwards, except then. */
ORDO_DEV ordo_u32 ordo_share_take(ordo_share *s, bool wait, ordo_u32 most, ordo_u64 *word)
{
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_u32 count = 0, first = 0;
    __syncwarp();
    if (lane == 0) {
        ordo_dev_add_block(&s->working, ~0u);
        for (;;) {
            const bool none = ordo_dev_load_block(&s->working) == 0;
            ordo_dev_fence_block();
            const bool some = ordo_share_some(s);
            if (some && (count = ordo_share_claim(s, most, &first)) != 0)
                break;
            if (!wait)
                ordo_dev_add_block(&s->working, 1u);
            if (!wait || (none && !some))
                break;
        }
    }
    count = __shfl_sync(~0u, count, 0);
    first = __shfl_sync(~0u, first, 0);
    if (lane < count)
        while ((*word = ordo_dev_exchange_block(&s->place[(first + lane) % ORDO_SHARE_PLACES], ORDO_SHARE_NONE)) ==
               ORDO_SHARE_NONE)
            ;
    __syncwarp();
    return count;
}

/* By one thread of the block, when all its warps have left and before they go on. */
ORDO_DEV void ordo_share_again(ordo_share *s, ordo_u32 warps)
{
    s->working = warps;
}

#endif
