/* warp_reduce.cuh -- a warp: reductions. All 32 lanes call, and all get the result.
 */
#ifndef ORDO_DETAIL_CUDA_WARP_REDUCE_CUH
#define ORDO_DETAIL_CUDA_WARP_REDUCE_CUH

#include <ordo/detail/cuda/atomics.cuh>

/* By a whole warp: the smallest and the largest of the lanes' x, their sum modulo 2^32, and the disjunction of their
 * bits. One instruction from compute capability 8.0 on. */
ORDO_DEV ordo_u32 ordo_dev_warp_min(ordo_u32 x)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(0xffffffffu, x);
#else
    for (int step = 16; step; step /= 2)
        x = min(x, __shfl_xor_sync(0xffffffffu, x, step));
    return x;
#endif
}
ORDO_DEV ordo_u32 ordo_dev_warp_max(ordo_u32 x)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(0xffffffffu, x);
#else
    for (int step = 16; step; step /= 2)
        x = max(x, __shfl_xor_sync(0xffffffffu, x, step));
    return x;
#endif
}
ORDO_DEV ordo_u32 ordo_dev_warp_add(ordo_u32 x)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffffu, x);
#else
    for (int step = 16; step; step /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, step);
    return x;
#endif
}
ORDO_DEV ordo_u32 ordo_dev_warp_or(ordo_u32 x)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(0xffffffffu, x);
#else
    for (int step = 16; step; step /= 2)
        x |= __shfl_xor_sync(0xffffffffu, x, step);
    return x;
#endif
}

#endif
