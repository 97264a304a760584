/* block_scan.cuh -- a block: sums of what the threads before each thread have.
 *
 * Method. CUB's BlockScan, by raking or, with WARPS, by a scan of each warp. Its headers take nvcc longer than
 * everything else in an operator's unit. So units that define ORDO_FAST_COMPILE, which are those that the command
 * compiles at run time, have a scan of their own: every warp adds up by shuffles, in five steps, and leaves its sum in
 * shared memory; behind one barrier each thread adds the sums of the warps before its own. With it supersteps take up
 * to 1.03 times as long (measured: bsp and lock_server, shortest paths, an H200).
 */
#ifndef ORDO_DETAIL_CUDA_BLOCK_SCAN_CUH
#define ORDO_DETAIL_CUDA_BLOCK_SCAN_CUH

#ifndef ORDO_FAST_COMPILE
#include <cub/block/block_scan.cuh>
#endif

#include <ordo/detail/cuda/atomics.cuh>

#ifdef ORDO_FAST_COMPILE

/* Shared memory of a scan: the sum of each warp. */
template <typename T, int THREADS, bool WARPS = false> struct ordo_dev_scan {
    T of_warp[THREADS / 32];
};

/* By a whole block of THREADS threads: the sum of `x` over the threads before this one; *total is that over all. There
 * must be a barrier between two calls with the same `shared`. */
template <typename T, int THREADS, bool WARPS>
ORDO_DEV T ordo_dev_sum_before(ordo_dev_scan<T, THREADS, WARPS> *shared, T x, T *total)
{
    const ordo_u32 lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    T up_to = x; /* the sum of the lanes up to this one */
#pragma unroll
    for (ordo_u32 step = 1; step < 32; step *= 2) {
        const T other = __shfl_up_sync(0xffffffffu, up_to, step);
        up_to += lane >= step ? other : 0;
    }
    if (lane == 31)
        shared->of_warp[warp] = up_to;
    __syncthreads();
    T before = 0, all = 0;
#pragma unroll
    for (ordo_u32 w = 0; w < THREADS / 32; w++) {
        before = w == warp ? all : before;
        all += shared->of_warp[w];
    }
    *total = all;
    return before + up_to - x;
}

#else

/* Shared memory of a scan. */
template <typename T, int THREADS, bool WARPS = false> struct ordo_dev_scan {
    using scan = cub::BlockScan<T, THREADS, WARPS ? cub::BLOCK_SCAN_WARP_SCANS : cub::BLOCK_SCAN_RAKING>;
    typename scan::TempStorage storage;
};

/* By a whole block of THREADS threads: the sum of `x` over the threads before this one; *total is that over all. There
 * must be a barrier between two calls with the same `shared`. */
template <typename T, int THREADS, bool WARPS>
ORDO_DEV T ordo_dev_sum_before(ordo_dev_scan<T, THREADS, WARPS> *shared, T x, T *total)
{
    T before;
    typename ordo_dev_scan<T, THREADS, WARPS>::scan(shared->storage).ExclusiveSum(x, before, *total);
    return before;
}

#endif
#endif
