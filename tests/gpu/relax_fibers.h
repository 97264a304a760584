/* relax_fibers.h -- what relax operators use of a GPU, over fibers, but for the schedulers: see launch_fibers.h. A unit
 * names the operator and includes this file; then what <ordo/scheduler/cuda.cuh> defines and includes, whose header of
 * asynchronous copies is for nvcc alone.
 */
#ifndef TESTS_GPU_RELAX_FIBERS_H
#define TESTS_GPU_RELAX_FIBERS_H

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

template <typename T> struct ordo_dev_word {
    static constexpr bool is_signed = (T)-1 < (T)0;
    using bits = typename ordo_dev_either<sizeof(T) == 8, unsigned long long, unsigned>::type;
    using number = typename ordo_dev_either<sizeof(T) == 8, typename ordo_dev_either<is_signed, long long, bits>::type,
                                            typename ordo_dev_either<is_signed, int, bits>::type>::type;
};
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

#define ORDO_OP_RESIDUALS 0

#endif
