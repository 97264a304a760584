/* bsp_fibers.cc -- bsp and horizon of one process over fibers, with breadth-first search: see launch_fibers.h. */
#include "tests/gpu/launch_fibers.h"

#define ORDO_OP bfs
#include "operators/bfs.h"

#define ORDO_OVER_RANKS 0
#include "tests/gpu/relax_fibers.h"

#include "schedulers/bsp/cuda.cuh"
#include "schedulers/horizon/cuda.cuh"

static void fiber_kernel(const void *arg)
{
    const ordo_cuda_step *const step = (const ordo_cuda_step *)arg;
    if (!fiber_is(step, bsp_kernel<false, false, false>) && !fiber_is(step, bsp_kernel<false, true, false>) &&
        !fiber_is(step, bsp_list_kernel) && !fiber_is(step, bsp_place_kernel) && !fiber_is(step, horizon_kernel<false>))
        abort();
}
