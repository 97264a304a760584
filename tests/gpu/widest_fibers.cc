/* widest_fibers.cc -- horizon on a grid of three blocks of fibers, where larger cells are better: see relax_fibers.h
 * and block_fibers.h.
 */
enum { BLOCKS = 3 };
#define FIBER_FIT(_kernel) ((void)(_kernel), (int)BLOCKS)
#include "tests/gpu/block_fibers.h"

#define ORDO_OP widest_u32
#define ORDO_WEIGHT u32
#include "operators/widest.h"

#define ORDO_OVER_RANKS 0
#include "tests/gpu/relax_fibers.h"

#include "schedulers/horizon/cuda.cuh"

static const ordo_cuda_step *fiber_step;
static void fiber_block_body(const void *)
{
    fiber_body<horizon_args>(fiber_step);
}

static void fiber_kernel(const void *arg)
{
    static ordo_u64 runs;
    fiber_step = (const ordo_cuda_step *)arg;
    if (fiber_step->kernel != (const void *)horizon_kernel<false>)
        abort();
    fiber_run_blocks(BLOCKS, (unsigned)fiber_step->threads, ++runs, fiber_block_body);
}
