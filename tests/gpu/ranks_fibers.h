/* ranks_fibers.h -- bsp, delta, near_far and broker over several ranks, each a process with a grid of fibers: see
 * launch_fibers.h. A unit names the operator, includes this file, and is linked with fake_runtime.cc; the memory that
 * ranks share is that of fake_peers.c. What is simulated of system scope is real: other ranks are other processes.
 */
#define ORDO_OVER_RANKS 1
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

#include <ordo/detail/cuda/boxes.cuh>

#include <ordo/detail/cuda/warp.cuh>

#include "schedulers/bsp/cuda.cuh"
#include "schedulers/delta/cuda.cuh"
#include "schedulers/near_far/cuda.cuh"

#include "schedulers/broker/cuda.cuh"

static void fiber_kernel(const void *arg)
{
    const ordo_cuda_step *const step = (const ordo_cuda_step *)arg;
    fiber_blocks = 1;
    fiber_block = 0;
    if (step->kernel == (const void *)bsp_ranks_kernel)
        fibers_run(1, (unsigned)step->threads, fiber_body<bsp_ranks_args>, step);
    else if (step->kernel == (const void *)delta_kernel<false>)
        fibers_run(1, (unsigned)step->threads, fiber_body<delta_args>, step);
    else if (step->kernel == (const void *)near_far_ranks_kernel)
        fibers_run(1, (unsigned)step->threads, fiber_body<near_far_ranks_args>, step);
    else if (step->kernel == (const void *)broker_kernel<false>)
        fibers_run(1, (unsigned)step->threads, fiber_body<broker_args>, step);
    else
        abort();
}
