/* launch_fibers.h -- a native program for machines without a GPU: its kernels over fibers, lanes and warps in an order
 * by chance. A unit includes this file, then the program's .cu, and ends with FIBER_LAUNCH. Linked with fake_runtime.cc
 * and the host's part of the back end, it runs the program with `--device cuda`, slowly.
 *
 * Blocks run one after the other, so that a kernel's shared memory can be static; cooperative launches have one.
 */
#ifndef TESTS_GPU_LAUNCH_FIBERS_H
#define TESTS_GPU_LAUNCH_FIBERS_H

#include "tests/gpu/fibers.h"

#include <algorithm>

#undef __global__
#undef __shared__
#undef __launch_bounds__
#undef __grid_constant__
#define __global__
#define __shared__ static FIBER_LOCAL
#define __launch_bounds__(...)
#define __grid_constant__

static FIBER_LOCAL unsigned fiber_block, fiber_blocks;
#undef blockIdx
#undef gridDim
#define blockIdx (fiber_index{fiber_block})
#define gridDim (fiber_index{fiber_blocks})

/* How many blocks of a kernel fit. A unit whose blocks run at the same time (block_fibers.h) may have more. */
#ifndef FIBER_FIT
#define FIBER_FIT(_kernel) ((void)(_kernel), 1)
#endif

/* What the host's part of a program calls: a kernel is known by its function, and launches are handed on as one. */
static inline ordo_status fiber_grid_of(const void *kernel, int threads, int wanted, int *fit)
{
    (void)threads;
    (void)wanted;
    *fit = FIBER_FIT(kernel);
    return ORDO_OK;
}
static ordo_status fiber_launch_all(ordo_cuda *c, const ordo_cuda_step *step, int count);
#define ordo_cuda_kernel(_kernel) (_kernel)
#define ordo_cuda_grid fiber_grid_of
#define ordo_cuda_launch_all fiber_launch_all

typedef struct fiber_launches {
    const ordo_cuda_step *step;
    int count;
} fiber_launches;

template <typename Args> static void fiber_body(const void *arg)
{
    const ordo_cuda_step *step = (const ordo_cuda_step *)arg;
    ((void (*)(Args))step->kernel)(*(const Args *)step->args[0]);
}

/* Whether the step is of that kernel, with these arguments; if so, runs one block of it. */
template <typename Args> static bool fiber_is(const ordo_cuda_step *step, void (*kernel)(Args))
{
    if (step->kernel != (const void *)kernel)
        return false;
    fiber_blocks = 1;
    fiber_block = 0;
    fibers_run(1, (unsigned)step->threads, fiber_body<Args>, step);
    return true;
}

/* Runs blocks of a kernel, one after the other. A unit whose blocks run at the same time has another function. */
#ifndef FIBER_BLOCKS
#define FIBER_BLOCKS fiber_blocks_in_turn
static inline void fiber_blocks_in_turn(unsigned blocks, unsigned threads, void (*body)(const void *), const void *arg)
{
    fiber_blocks = blocks;
    for (fiber_block = 0; fiber_block < blocks; fiber_block++)
        fibers_run(1, threads, body, arg);
}
#endif

/* As the fake runtime calls kernels. */
template <typename Args> static void fiber_kernels(const void *arg)
{
    const fiber_launches *all = (const fiber_launches *)arg;
    for (int i = 0; i < all->count; i++) {
        const ordo_cuda_step *step = &all->step[i];
        const unsigned blocks = step->cooperative ? (unsigned)FIBER_FIT(step->kernel) : 2 + fiber_random(4);
        FIBER_BLOCKS(blocks, (unsigned)step->threads, fiber_body<Args>, step);
    }
}

/* Defines the launch of a program whose kernels take one argument of that type. */
#define FIBER_LAUNCH(_args)                                                                                            \
    static ordo_status fiber_launch_all(ordo_cuda *c, const ordo_cuda_step *step, int count)                           \
    {                                                                                                                  \
        static fiber_launches all; /* the runtime's thread reads it after the call has begun */                        \
        static void *args[] = {&all};                                                                                  \
        all = fiber_launches{step, count};                                                                             \
        ordo_cuda_step one = *step;                                                                                    \
        one.kernel = (const void *)fiber_kernels<_args>;                                                               \
        one.args = args;                                                                                               \
        return (ordo_cuda_launch_all)(c, &one, 1);                                                                     \
    }

/* The same of a unit with several kernels: `_run(step)` runs one. */
#define FIBER_LAUNCH_BY(_run)                                                                                          \
    static ordo_status fiber_launch_all(ordo_cuda *c, const ordo_cuda_step *step, int count)                           \
    {                                                                                                                  \
        static ordo_cuda_step now; /* as above */                                                                      \
        static void *args[] = {&now};                                                                                  \
        now = *step;                                                                                                   \
        ordo_cuda_step one = {(const void *)_run, step->threads, step->grid, true, args};                              \
        return (ordo_cuda_launch_all)(c, &one, count);                                                                 \
    }

#endif
