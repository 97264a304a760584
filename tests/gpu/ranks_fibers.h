/* ranks_fibers.h -- schedulers over several ranks, each a process with a grid of fibers, of one block but for adds,
 * whose first block is the manager: see block_fibers.h. A unit names the operator, includes this file, and is linked
 * with fake_runtime.cc; the memory that ranks share is that of fake_peers.c.
 */
#define ORDO_OVER_RANKS 1
static int fiber_fit(const void *kernel);
#define FIBER_FIT(_kernel) fiber_fit(_kernel)
#include "tests/gpu/block_fibers.h"

#include "tests/gpu/relax_fibers.h"

#include "tests/gpu/system_fibers.h"

#include <ordo/detail/cuda/ranks.cuh>

#include <ordo/detail/cuda/bulk.cuh>

#if ORDO_OP_ORDER != ORDO_SUM && ORDO_OP_ACTIVATES
#include <ordo/detail/cuda/boxes.cuh>

#include <ordo/detail/cuda/warp.cuh>

#include "schedulers/bsp/cuda.cuh"
#include "schedulers/delta/cuda.cuh"
#include "schedulers/near_far/cuda.cuh"

#include "schedulers/broker/cuda.cuh"

#include "schedulers/inbox/cuda.cuh"

#include "schedulers/adds/cuda.cuh"

static int fiber_fit(const void *kernel)
{
    return kernel == (const void *)adds_kernel<false> ? 2 : 1;
}
#else
#include "schedulers/bsp/cuda.cuh"

static int fiber_fit(const void *)
{
    return 1;
}
#endif

static const ordo_cuda_step *fiber_step;
template <typename Args> static void fiber_rank_body(const void *)
{
    fiber_body<Args>(fiber_step);
}

template <int Exchange> static bool fiber_is_bsp(const void *kernel)
{
    return kernel == (const void *)bsp_ranks_kernel<Exchange, false> ||
           kernel == (const void *)bsp_ranks_kernel<Exchange, bsp_pulls_over_ranks != 0>;
}

static void (*fiber_body_of(const void *kernel))(const void *)
{
    if (fiber_is_bsp<BSP_BULK>(kernel))
        return fiber_rank_body<bsp_args>;
#if ORDO_OP_ORDER != ORDO_SUM && ORDO_OP_ACTIVATES
    if (fiber_is_bsp<BSP_EAGER>(kernel) || fiber_is_bsp<BSP_REMOTE>(kernel))
        return fiber_rank_body<bsp_args>;
    if (kernel == (const void *)delta_kernel<false, false> || kernel == (const void *)delta_kernel<false, true>)
        return fiber_rank_body<delta_args>;
    if (kernel == (const void *)near_far_ranks_kernel)
        return fiber_rank_body<near_far_ranks_args>;
    if (kernel == (const void *)broker_kernel<false>)
        return fiber_rank_body<broker_args>;
    if (kernel == (const void *)inbox_kernel<false>)
        return fiber_rank_body<inbox_args>;
    if (kernel == (const void *)adds_kernel<false>)
        return fiber_rank_body<adds_args>;
#endif
    abort();
}

static void fiber_kernel(const void *arg)
{
    static ordo_u64 runs;
    fiber_step = (const ordo_cuda_step *)arg;
    const void *const kernel = fiber_step->kernel;
    fiber_run_blocks((unsigned)fiber_fit(kernel), (unsigned)fiber_step->threads, ++runs, fiber_body_of(kernel));
}
