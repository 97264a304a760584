/* words.cuh -- words of a warp's lanes: sums, and the lane that has a number; doubles as words that have the same
 * order.
 */
#ifndef ORDO_DETAIL_CUDA_WORDS_CUH
#define ORDO_DETAIL_CUDA_WORDS_CUH

#include <ordo/detail/cuda/atomics.cuh>

/* By a whole warp: the sum of the lanes' own x, valid in all lanes. */
template <typename T> ORDO_DEV T ordo_warp_sum(T x)
{
    for (int step = 16; step; step /= 2)
        x += __shfl_xor_sync(~0u, x, step);
    return x;
}

/* By a whole warp: the sum of x of the lane and of those before it. */
template <typename T> ORDO_DEV T ordo_warp_sum_up_to(T x)
{
    const ordo_u32 lane = threadIdx.x % 32;
#pragma unroll
    for (ordo_u32 back = 1; back < 32; back *= 2) {
        const T other = __shfl_up_sync(~0u, x, back);
        x += lane >= back ? other : 0;
    }
    return x;
}

/* By a whole warp: the last lane whose offset is at most the caller's `i`. Offsets ascend with the lanes; the first is
 * at most any `i`. So if lanes have parts of a sequence, that lane has its i-th. */
ORDO_DEV ordo_u32 ordo_warp_owner(ordo_u32 offset, ordo_u32 i)
{
    ordo_u32 owner = 0;
#pragma unroll
    for (ordo_u32 step = 16; step; step /= 2) {
        const ordo_u32 other = __shfl_sync(~0u, offset, owner + step);
        owner += other <= i ? step : 0;
    }
    return owner;
}

/* By one thread: maps a double to a word that keeps the order of doubles; and back. */
ORDO_DEV ordo_u64 ordo_dev_ordered(double x)
{
    ordo_u64 bits = (ordo_u64)__double_as_longlong(x);
    return bits >> 63 ? ~bits : bits | (ordo_u64)1 << 63;
}
ORDO_DEV double ordo_dev_unordered(ordo_u64 bits)
{
    return __longlong_as_double((long long)(bits >> 63 ? bits & ~((ordo_u64)1 << 63) : ~bits));
}

#endif
