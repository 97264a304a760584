/* residual_fibers.cc -- residual.cuh over fibers, with PageRank under near_far, delta and broker: see launch_fibers.h.
 * Of its block's warps several take entries of one vertex, at times while another computes it.
 */
#include "tests/gpu/launch_fibers.h"

/* Files that residual_fibers.h stands for. */
#define ORDO_DETAIL_CUDA_ATOMICS_CUH
#define ORDO_DETAIL_CUDA_GRID_CUH
#define ORDO_DETAIL_CUDA_WARP_REDUCE_CUH
#define ORDO_FAST_COMPILE
enum { ORDO_CUDA_LINE = 32 };
#define GATHER_HUB_THREADS 256
#define GATHER_HUB_BLOCKS 1
#define GATHER_HOT_BYTES 256
#include "tests/gpu/gather_fibers.h"
#include "tests/gpu/residual_fibers.h"
#pragma GCC diagnostic ignored "-Wextra" /* enumerators of several types in an expression */
#pragma GCC diagnostic ignored "-Wunused-function"
#include <ordo/detail/cuda/block_queue.cuh>

#define ORDO_OP pagerank_pull_f32
#define ORDO_WEIGHT f32
#include "operators/pagerank_pull.h"

#include <ordo/detail/backend.h>

#define ORDO_OP_RESIDUALS 0
#define ORDO_OVER_RANKS 0
#include <ordo/detail/cuda/gather.cuh>

#include <ordo/detail/cuda/residual.cuh>

#include "schedulers/broker/cuda.cuh"
#include "schedulers/delta/cuda.cuh"
#include "schedulers/near_far/cuda.cuh"
#undef ordo_cuda_launch_all

static void fiber_kernel(const void *arg)
{
    const ordo_cuda_step *const step = (const ordo_cuda_step *)arg;
    if (!fiber_is(step, near_far_kernel<false>) && !fiber_is(step, delta_kernel<false, false>) &&
        !fiber_is(step, broker_kernel<false>) && !fiber_is(step, op_gather_kernel<true, false, GATHER_GROUPS>) &&
        !fiber_is(step, op_gather_kernel<true, false, GATHER_HUBS>) &&
        !fiber_is(step, op_gather_kernel<true, false, GATHER_FOURS>))
        abort();
}

FIBER_LAUNCH_BY(fiber_kernel)

/* Nothing else runs on the device then. */
static ordo_status fiber_start(const ordo_cuda_step *step, size_t)
{
    return fiber_is(step, op_residual_kernel) ? ORDO_OK : ORDO_ERR_INTERNAL;
}
