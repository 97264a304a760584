/* queue_fibers.cc -- `ordo bench queue` on a grid of fibers, on one GPU and over ranks, each a process: see
 * block_fibers.h for blocks, of which QUEUE_BLOCKS fit. Linked with fake_runtime.cc; the memory that ranks share is
 * that of fake_peers.c. FAKE_SHIFT: a queue over ranks has 2^FAKE_SHIFT places in `mixed`, so that it is full at times.
 * FAKE_ROOM: of the entries that a block collects for a rank.
 */
enum { QUEUE_BLOCKS = 4 };
#define FIBER_FIT(_kernel) ((void)(_kernel), (int)QUEUE_BLOCKS)
#pragma GCC diagnostic ignored "-Wextra" /* enumerators of several types in an expression */
#pragma GCC diagnostic ignored "-Wunused-function"
#include "tests/gpu/block_fibers.h"

/* Files that gather_fibers.h and residual_fibers.h stand for. */
#define ORDO_DETAIL_CUDA_ATOMICS_CUH
#define GATHER_HOT_BYTES 256
#include "tests/gpu/gather_fibers.h"
#include "tests/gpu/residual_fibers.h"

static cudaError_t fiber_launch_queue(const cudaLaunchConfig_t *config, const void *kernel, void **args);
#define cudaLaunchKernelExC fiber_launch_queue

#include "framework/cuda/queue.cu"
#include "framework/cuda/queue_ranks.cu"

#undef cudaLaunchKernelExC

static const void *fiber_call, *fiber_order; /* the runtime's thread reads them after the call has begun */
template <typename Order> static void fiber_call_body(const void *)
{
    ((void (*)(Order))fiber_call)(*(const Order *)fiber_order);
}

template <typename Order> static void fiber_queue(const void *arg)
{
    static ordo_u64 runs;
    const auto &[grid, block, shared, stream, attributes, count] = *(const cudaLaunchConfig_t *)arg;
    (void)shared, (void)stream, (void)attributes, (void)count;
    fiber_run_blocks(grid.x, block.x, ++runs, fiber_call_body<Order>);
}

static cudaError_t fiber_launch_queue(const cudaLaunchConfig_t *config, const void *kernel, void **args)
{
    static cudaLaunchConfig_t now;
    void *all[] = {&now};
    now = *config;
    const char *const shift = config->numAttrs ? getenv("FAKE_SHIFT") : NULL;
    const char *const room = config->numAttrs ? getenv("FAKE_ROOM") : NULL;
    if (shift && ((ranks_order *)args[0])->mixed)
        for (ordo_dev_broker_system &queue : ((ranks_order *)args[0])->queue)
            queue.shift = (ordo_u32)atoi(shift);
    if (room) { /* less than a block has threads, so what is there is put at each turn */
        ((ranks_order *)args[0])->room = (ordo_u32)atoi(room);
        ((ranks_order *)args[0])->due = 1;
    }
    fiber_call = kernel;
    fiber_order = args[0];
    return cudaLaunchKernelExC(
        config, config->numAttrs ? (const void *)fiber_queue<ranks_order> : (const void *)fiber_queue<order>, all);
}
