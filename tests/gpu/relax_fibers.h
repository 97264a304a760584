/* relax_fibers.h -- what schedulers of relax operators use of a GPU, over fibers: see launch_fibers.h. A unit names the
 * operator, defines ORDO_OVER_RANKS, includes this file and then its schedulers, and is linked with fake_runtime.cc.
 */
#include "tests/gpu/launch_fibers.h"

/* Files that gather_fibers.h and residual_fibers.h stand for. */
#define ORDO_DETAIL_CUDA_ATOMICS_CUH
#define ORDO_DETAIL_CUDA_GRID_CUH
#define ORDO_DETAIL_CUDA_WARP_REDUCE_CUH
#define ORDO_FAST_COMPILE
enum { ORDO_CUDA_LINE = 32 };
#define GATHER_HOT_BYTES 256
#include "tests/gpu/gather_fibers.h"
#include "tests/gpu/residual_fibers.h"
#pragma GCC diagnostic ignored "-Wextra" /* enumerators of several types in an expression */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wtautological-compare" /* a test of NaN */

template <typename T> ORDO_DEV void ordo_dev_min_where(bool has, T *p, T value, T *old)
{
    if (has)
        *old = ordo_dev_min(p, value);
}
template <typename T> ORDO_DEV void ordo_dev_max_where(bool has, T *p, T value, T *old)
{
    if (has)
        *old = ordo_dev_max(p, value);
}
#if ORDO_OVER_RANKS /* real atomics: other ranks are other processes */
template <typename T, typename F> ORDO_DEV T fiber_change_system(T *p, F change)
{
    fiber_touch();
    T was = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(p, &was, (T)change(was), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return was;
}
template <typename T> ORDO_DEV void ordo_dev_min_where_system(bool has, T *p, T value, T *old)
{
    if (has)
        *old = fiber_change_system(p, [&](T was) { return value < was ? value : was; });
}
template <typename T> ORDO_DEV void ordo_dev_max_where_system(bool has, T *p, T value, T *old)
{
    if (has)
        *old = fiber_change_system(p, [&](T was) { return value > was ? value : was; });
}
#endif
ORDO_DEV ordo_u32 ordo_dev_fetch(const void *p)
{
    return *(const ordo_u32 *)p;
}
template <typename T> ORDO_DEV bool ordo_dev_lock(T *)
{
    abort();
}

#include <ordo/detail/cuda/block_queue.cuh>

#include <ordo/detail/backend.h>

/* What <ordo/scheduler/cuda.cuh> defines and includes; its header of asynchronous copies is for nvcc alone. */
#define ORDO_OP_RESIDUALS 0
#include <ordo/detail/cuda/relax.cuh>

/* The launch of a unit that defines fiber_kernel, which runs a step. */
static void fiber_kernel(const void *arg);

#undef ordo_cuda_launch_all
FIBER_LAUNCH_BY(fiber_kernel)
#define ordo_cuda_launch_all fiber_launch_all

static ordo_status fiber_start(const ordo_cuda_step *, size_t)
{
    return ORDO_ERR_INTERNAL;
}
