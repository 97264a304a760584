/* block_scan.cuh -- a block: sums of what the threads before each thread have.
 *
 * Method. Every warp adds up by shuffles, in five steps, and leaves its sum in shared memory; behind one barrier each
 * thread adds the sums of the warps before its own. CUB's BlockScan does the same. It is not used because its headers
 * take nvcc longer than everything else in an operator's unit, and operators are compiled at run time, too.
 */
#ifndef ORDO_DETAIL_CUDA_BLOCK_SCAN_CUH
#define ORDO_DETAIL_CUDA_BLOCK_SCAN_CUH

#include <ordo/detail/cuda/atomics.cuh>

/* Shared memory of ordo_dev_scan: the sum of each warp. */
template <typename T, int THREADS> struct ordo_dev_scan_sums {
    T of_warp[THREADS / 32];
};

/* By a whole block of THREADS threads: the sum of `x` over the threads before this one; *total is that over all. There
 * must be a barrier between two calls with the same `sums`. */
template <typename T, int THREADS> ORDO_DEV T ordo_dev_scan(ordo_dev_scan_sums<T, THREADS> *sums, T x, T *total)
{
    const ordo_u32 lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    T up_to = x; /* the sum of the lanes up to this one */
#pragma unroll
    for (ordo_u32 step = 1; step < 32; step *= 2) {
        const T other = __shfl_up_sync(0xffffffffu, up_to, step);
        up_to += lane >= step ? other : 0;
    }
    if (lane == 31)
        sums->of_warp[warp] = up_to;
    __syncthreads();
    T before = 0, all = 0;
#pragma unroll
    for (ordo_u32 w = 0; w < THREADS / 32; w++) {
        before = w == warp ? all : before;
        all += sums->of_warp[w];
    }
    *total = all;
    return before + up_to - x;
}

#endif
