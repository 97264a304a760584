/* critical_fibers.h -- what critical.cuh and critical operators' schedulers use of a GPU, over fibers; after
 * residual_fibers.h and server_fibers.h.
 */
#ifndef TESTS_GPU_CRITICAL_FIBERS_H
#define TESTS_GPU_CRITICAL_FIBERS_H

ORDO_DEV int __syncthreads_and(int mine)
{
    return !__syncthreads_or(!mine);
}
template <typename T> ORDO_DEV unsigned __match_any_sync(unsigned mask, T value)
{
    unsigned same = 0;
    for (int lane = 0; lane < 32; lane++)
        same |= (unsigned)(__shfl_sync(mask, value, lane) == value) << lane;
    return same;
}
template <typename T> ORDO_DEV T ordo_dev_load_shared(const T *p)
{
    return ordo_dev_load((T *)(size_t)p);
}
template <typename T> ORDO_DEV void ordo_dev_store_shared(T *p, T value)
{
    ordo_dev_store(p, value);
}
template <typename... A> static inline void ordo_dev_told_show(const A &...)
{
}
template <int N, typename... A> static inline void ordo_live_publish(const A &...)
{
}
template <typename... A>
static inline bool ordo_dev_told(const ordo_cuda_halt *halt, ordo_u32 step, ordo_u32 *rounds, bool)
{
    return ordo_dev_told(halt, step, rounds);
}

static ordo_status fiber_launch_all(ordo_cuda *, const ordo_cuda_step *, int)
{
    return ORDO_ERR_INTERNAL;
}
static ordo_status fiber_start(const ordo_cuda_step *, size_t)
{
    return ORDO_ERR_INTERNAL;
}

#include <ordo/detail/cuda/block_queue.cuh>
#include <ordo/detail/cuda/block_scan.cuh>
#include <ordo/detail/cuda/frontier.cuh>

#include <ordo/detail/cuda/critical.cuh>

#endif
