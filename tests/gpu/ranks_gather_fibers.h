/* ranks_gather_fibers.h -- gather operators under bsp over several ranks, each a process with a grid of fibers of two
 * blocks: see block_fibers.h. A unit names the operator, includes this file, and is linked with fake_runtime.cc; the
 * memory that ranks share is that of fake_peers.c. Few shares are hot, and blocks have few threads.
 */
#define ORDO_OVER_RANKS 1
enum { FIBER_GRID = 2 };
#define FIBER_FIT(_kernel) ((void)(_kernel), (int)FIBER_GRID)
#include "tests/gpu/block_fibers.h"

enum { ORDO_CUDA_THREADS = 64, ORDO_CUDA_LINE = 32, ORDO_BUSY_STATE = 0 };
#define GATHER_HUB_THREADS 128
#define GATHER_HUB_BLOCKS 1
#define GATHER_HOT_BYTES 256
#include "tests/gpu/gather_fibers.h"
#include "tests/gpu/residual_fibers.h"
#include "tests/gpu/system_fibers.h"
#pragma GCC diagnostic ignored "-Wextra" /* enumerators of several types in an expression */
#pragma GCC diagnostic ignored "-Wunused-function"

#include <ordo/detail/backend.h>

#if ORDO_OP_COMBINE == ORDO_MODE
ORDO_DEV unsigned __match_any_sync(unsigned mask, ordo_u32 value)
{
    unsigned same = 0;
    for (int lane = 0; lane < 32; lane++)
        same |= (unsigned)(__shfl_sync(mask, value, lane) == value) << lane;
    return same;
}
#include <ordo/detail/cuda/gather_mode.cuh>
#else
#include <ordo/detail/cuda/gather.cuh>
#endif

#include "schedulers/bsp/cuda_gather.cuh"
#undef ordo_cuda_launch_all

static const ordo_cuda_step *fiber_step;
static void fiber_rank_body(const void *)
{
#if ORDO_OP_COMBINE == ORDO_MODE
    fiber_body<op_mode_args>(fiber_step);
#else
    fiber_body<op_gather_args>(fiber_step);
#endif
}

static void fiber_kernel(const void *arg)
{
    static ordo_u64 runs;
    fiber_step = (const ordo_cuda_step *)arg;
    fiber_run_blocks(FIBER_GRID, (unsigned)fiber_step->threads, ++runs, fiber_rank_body);
}

FIBER_LAUNCH_BY(fiber_kernel)

static ordo_status fiber_start(const ordo_cuda_step *, size_t)
{
    return ORDO_ERR_INTERNAL;
}
