/* sssp_fibers.cc -- broker, delta and horizon on a grid of fibers, with shortest paths: see relax_fibers.h. The queue
 * of broker alone, with calls of several blocks: broker_histories.cu.
 */
#include "tests/gpu/launch_fibers.h"

#define ORDO_OP sssp_u32
#define ORDO_WEIGHT u32
#include "operators/sssp.h"

#define ORDO_OVER_RANKS 0
#include "tests/gpu/relax_fibers.h"

#include <ordo/detail/cuda/warp.cuh>

#include "schedulers/broker/cuda.cuh"
#include "schedulers/delta/cuda.cuh"
#include "schedulers/horizon/cuda.cuh"

static void fiber_kernel(const void *arg)
{
    const ordo_cuda_step *const step = (const ordo_cuda_step *)arg;
    if (!fiber_is(step, broker_kernel<false>) && !fiber_is(step, delta_kernel<false, false>) &&
        !fiber_is(step, delta_kernel<false, true>) &&
        !fiber_is(step, horizon_kernel<false>))
        abort();
}
