/* block_fibers.h -- a grid of several blocks at the same time: a block is a thread of the host whose GPU threads are
 * fibers (fibers.h). One block runs at a time, and gives way after each round of its fibers; so blocks interleave at
 * any access to a shared word, by the seed. A unit includes this file in the place of launch_fibers.h.
 *
 * A grid that does not end is told by passes without progress, or by the time limit of the test.
 */
#ifndef TESTS_GPU_BLOCK_FIBERS_H
#define TESTS_GPU_BLOCK_FIBERS_H

#include <pthread.h>
#include <sched.h>

static bool fiber_pass(unsigned ran);
static void fiber_sync(void);
static void fiber_blocks_at_once(unsigned blocks, unsigned threads, void (*body)(const void *), const void *arg);
#define FIBER_BLOCKS fiber_blocks_at_once
#define FIBER_LOCAL thread_local
#define FIBER_PASS(_ran) fiber_pass(_ran)
#define FIBER_SYNC() fiber_sync()
#include "tests/gpu/launch_fibers.h"

#include <vector>

static struct fiber_blocks_state {
    pthread_mutex_t token;
    unsigned blocks, threads, arrived, waiting_passes;
    ordo_u64 seed;
    void (*body)(const void *);
    const void *arg;
} fiber_grid_now = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0, 0, 0, NULL, NULL};

static bool fiber_pass(unsigned ran)
{
    fiber_grid_now.waiting_passes = ran ? 0 : fiber_grid_now.waiting_passes + 1;
    const bool alive = fiber_grid_now.waiting_passes < 1000000;
    pthread_mutex_unlock(&fiber_grid_now.token);
    if (fiber_random(4) == 0)
        sched_yield();
    pthread_mutex_lock(&fiber_grid_now.token);
    return alive;
}

/* The barrier of the grid. */
static void fiber_sync(void)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned all = (fiber_grid_now.arrived++ / fiber_grid_now.blocks + 1) * fiber_grid_now.blocks;
        while (fiber_grid_now.arrived < all)
            fiber_yield();
    }
    __syncthreads();
}

static void *fiber_one_block(void *number)
{
    pthread_mutex_lock(&fiber_grid_now.token);
    fiber_block = (unsigned)(size_t)number;
    fiber_blocks = fiber_grid_now.blocks;
    fibers.random = fiber_grid_now.seed * 977 + fiber_block;
    fibers_run(1, fiber_grid_now.threads, fiber_grid_now.body, fiber_grid_now.arg);
    pthread_mutex_unlock(&fiber_grid_now.token);
    return NULL;
}

/* Runs `body(arg)` on a grid until all blocks have ended. */
static void fiber_run_blocks(unsigned blocks, unsigned threads, ordo_u64 seed, void (*body)(const void *),
                             const void *arg = NULL)
{
    std::vector<pthread_t> all(blocks);
    fiber_grid_now.blocks = blocks;
    fiber_grid_now.threads = threads;
    fiber_grid_now.arrived = fiber_grid_now.waiting_passes = 0;
    fiber_grid_now.seed = seed;
    fiber_grid_now.body = body;
    fiber_grid_now.arg = arg;
    for (unsigned b = 0; b < blocks; b++)
        pthread_create(&all[b], NULL, fiber_one_block, (void *)(size_t)b);
    for (unsigned b = 0; b < blocks; b++)
        pthread_join(all[b], NULL);
}

static inline void fiber_blocks_at_once(unsigned blocks, unsigned threads, void (*body)(const void *), const void *arg)
{
    static ordo_u64 runs;
    fiber_run_blocks(blocks, threads, ++runs, body, arg);
}

#endif
