/* bsp_fibers.cc -- bsp of one process over fibers, with breadth-first search: see launch_fibers.h. */
#include "tests/gpu/launch_fibers.h"

#define ORDO_OP bfs
#include "operators/bfs.h"

#define ORDO_OVER_RANKS 0
#include "tests/gpu/relax_fibers.h"

#include "schedulers/bsp/cuda.cuh"

static void fiber_kernel(const void *arg)
{
    const ordo_cuda_step *const step = (const ordo_cuda_step *)arg;
    fiber_blocks = 1;
    fiber_block = 0;
    if (step->kernel == (const void *)bsp_kernel<false, false>)
        fibers_run(1, (unsigned)step->threads, fiber_body<bsp_args>, step);
    else if (step->kernel == (const void *)bsp_list_kernel || step->kernel == (const void *)bsp_place_kernel)
        fibers_run(1, (unsigned)step->threads, fiber_body<bsp_list_args>, step);
    else
        abort();
}
