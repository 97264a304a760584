/* ranks_fibers.h -- schedulers over several ranks, each a process with a grid of fibers, of one block but for adds,
 * whose first block is the manager: see block_fibers.h. A unit names the operator, includes this file, and is linked
 * with fake_runtime.cc; the memory that ranks share is that of fake_peers.c. What is simulated of system scope is real:
 * other ranks are other processes.
 */
#define ORDO_OVER_RANKS 1
static int fiber_fit(const void *kernel);
#define FIBER_FIT(_kernel) fiber_fit(_kernel)
#include "tests/gpu/block_fibers.h"

#include "tests/gpu/relax_fibers.h"

#include <time.h>

template <typename T> ORDO_DEV T ordo_dev_acquire_system(T *p)
{
    static int asked;
    const struct timespec moment = {0, 20000};
    if (++asked % 8 == 0)
        nanosleep(&moment, NULL); /* other ranks may have no core */
    fiber_touch();
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
template <typename T> ORDO_DEV T ordo_dev_load_system(T *p)
{
    fiber_touch();
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}
/* FAKE_DELAY: some of what others wait for comes so many turns of the thread later. */
template <typename T> ORDO_DEV void ordo_dev_release_system(T *p, T value)
{
    static const char *const most = getenv("FAKE_DELAY");
    fiber_touch();
    for (unsigned i = most && fiber_random(2) ? fiber_random(1 + (unsigned)atoi(most)) : 0; i > 0; i--)
        fiber_yield();
    __atomic_store_n(p, value, __ATOMIC_RELEASE);
}
ORDO_DEV void ordo_dev_fence_system(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    fiber_touch();
}

#include <ordo/detail/cuda/ranks.cuh>

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

static void (*fiber_body_of(const void *kernel))(const void *)
{
    if (kernel == (const void *)bsp_ranks_kernel<true>)
        return fiber_rank_body<bsp_ranks_args>;
#if ORDO_OP_ORDER != ORDO_SUM && ORDO_OP_ACTIVATES
    if (kernel == (const void *)bsp_ranks_kernel<false>)
        return fiber_rank_body<bsp_ranks_args>;
    if (kernel == (const void *)delta_kernel<false>)
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
