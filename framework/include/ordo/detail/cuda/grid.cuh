/* grid.cuh -- the grid: what a run begins with, counters, the trace, and ends in the middle of a step.
 */
#ifndef ORDO_DETAIL_CUDA_GRID_CUH
#define ORDO_DETAIL_CUDA_GRID_CUH

#include <ordo/detail/cuda/block_queue.cuh>

/* By one thread: the i-th of the items that a run begins with. */
ORDO_DEV ordo_item ordo_dev_initial(const ordo_cuda_run *run, ordo_u64 i)
{
    return run->initial ? run->initial[i] : (ordo_item)i;
}

/* By a whole warp: adds the lanes' own counters to the grid's. */
ORDO_DEV void ordo_dev_publish(ordo_cuda_counters *to, ordo_cuda_counters mine)
{
    ordo_u64 values[5] = {mine.items, mine.edges, mine.useful, mine.stale, mine.activations};
    for (int i = 0; i < 5; i++) {
        for (int step = 16; step; step /= 2)
            values[i] += __shfl_down_sync(0xffffffffu, values[i], step);
        if (threadIdx.x % 32 == 0 && values[i])
            ordo_dev_add(&to->items + i, values[i]);
    }
}

/* By one thread of the grid: a sample of the trace; where the trace is full, every second one is dropped. */
ORDO_DEV void ordo_dev_sample(ordo_cuda_record *r, ordo_u64 in_flight, ordo_u64 bucket, double delta,
                              ordo_u32 concurrent, float utilisation)
{
    if (r->step == 0) {
        r->step = 1;
        r->began = ordo_dev_clock();
    }
    if (++r->skipped < r->step)
        return;
    r->skipped = 0;
    if (r->taken == ORDO_CUDA_MOMENTS) {
        for (int i = 0; i < ORDO_CUDA_MOMENTS / 2; i++)
            r->moment[i] = r->moment[2 * i];
        r->taken = ORDO_CUDA_MOMENTS / 2;
        r->step *= 2;
    }
    ordo_cuda_moment m = {ordo_dev_clock(), in_flight, bucket, delta, concurrent, utilisation};
    r->moment[r->taken++] = m;
}

/* ---- ends in the middle of a step ---- */

/* How a run ends in the middle of a step when the host wants it: one word, which every thread that waits or works long
 * looks at. It holds the step in which it was set, so that all blocks leave after the same barrier: what is set in a
 * step is visible to all threads behind that step's barrier, and a word that a faster block sets in the next step is
 * recognised by its number and not obeyed yet. */
typedef struct ordo_cuda_halt {
    ordo_u32 *word; /* 0 at first */
    ordo_cuda_mailbox *mailbox;
} ordo_cuda_halt;

enum { ORDO_CUDA_LOOK = 64, ORDO_CUDA_ASK = 4096 };

/* By one thread: whether the run has been told to end; true in a thread that has just looked, every ORDO_CUDA_LOOK
 * calls. *rounds is the thread's own count of calls. Threads with `asks` look at the host's mailbox as well: one of a
 * block, or all where some may work long after that one has ended. */
ORDO_DEV bool ordo_dev_told(const ordo_cuda_halt *halt, ordo_u32 step, ordo_u32 *rounds, bool asks = threadIdx.x == 0)
{
    if (++*rounds % ORDO_CUDA_LOOK)
        return false;
    if (asks && *rounds % ORDO_CUDA_ASK == 0 && halt->mailbox->stop)
        atomicCAS(halt->word, 0u, step);
    return ordo_dev_load(halt->word) != 0;
}

/* By one thread, behind the barrier of `step`: whether the run ends there; alike in all threads of the grid. */
ORDO_DEV bool ordo_dev_halted(const ordo_cuda_halt *halt, ordo_u32 step)
{
    const ordo_u32 word = ordo_dev_load(halt->word);
    return word != 0 && word <= step;
}

static inline ordo_status ordo_cuda_halt_make(ordo_cuda *c, ordo_cuda_halt *halt)
{
    halt->mailbox = c->run.mailbox;
    halt->word = (ordo_u32 *)ordo_cuda_alloc(c, ORDO_CUDA_LINE, sizeof(ordo_u32), true);
    return halt->word ? ORDO_OK : ORDO_ERR_MEMORY;
}

#endif
