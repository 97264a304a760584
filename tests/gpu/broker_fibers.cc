/* broker_fibers.cc -- broker on a grid of fibers, with shortest paths: see relax_fibers.h. The queue alone, with calls
 * of several blocks: broker_histories.cu.
 */
#define ORDO_OP sssp_u32
#define ORDO_WEIGHT u32
#include "operators/sssp.h"

#include "tests/gpu/relax_fibers.h"
#define ORDO_OVER_RANKS 0
#include <ordo/detail/cuda/relax.cuh>

#include <ordo/detail/cuda/warp.cuh>

#include "schedulers/broker/cuda.cuh"
#undef ordo_cuda_launch_all

static void fiber_kernel(const void *arg)
{
    const ordo_cuda_step *const step = (const ordo_cuda_step *)arg;
    fiber_blocks = 1;
    fiber_block = 0;
    if (step->kernel != (const void *)broker_kernel<false>)
        abort();
    fibers_run(1, (unsigned)step->threads, fiber_body<broker_args>, step);
}

static ordo_status fiber_launch_all(ordo_cuda *c, const ordo_cuda_step *step, int count)
{
    static ordo_cuda_step now; /* the runtime's thread reads it after the call has begun */
    static void *args[] = {&now};
    (void)count;
    now = *step;
    ordo_cuda_step one = {(const void *)fiber_kernel, step->threads, step->grid, true, args};
    return (ordo_cuda_launch_all)(c, &one, 1);
}

static ordo_status fiber_start(const ordo_cuda_step *, size_t)
{
    return ORDO_ERR_INTERNAL;
}
