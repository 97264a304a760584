/* words.cuh -- words of a warp's lanes: their sum, and doubles as words that have the same order.
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
