/* grid.cuh -- grid scope: initial items, counters, the trace, and ending a run in the middle of a step.
 */
#ifndef ORDO_DETAIL_CUDA_GRID_CUH
#define ORDO_DETAIL_CUDA_GRID_CUH

#include <ordo/detail/cuda/block_queue.cuh>
#include <ordo/detail/cuda/live.cuh>

/* By one thread: the i-th initial item of the run. */
ORDO_DEV ordo_item ordo_dev_initial(const ordo_cuda_run *run, ordo_u64 i)
{
    return run->initial ? run->initial[i] : (ordo_item)i;
}

/* By a whole warp: adds the counters of its lanes to those of the run. */
ORDO_DEV void ordo_dev_publish(ordo_cuda_counter_line *counters, ordo_cuda_counters mine)
{
    ordo_cuda_counter_line *const to = &counters[(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) % ORDO_CUDA_COUNTER_LINES];
    ordo_u64 values[5] = {mine.items, mine.edges, mine.useful, mine.stale, mine.activations};
    for (int i = 0; i < 5; i++) {
        for (int step = 16; step; step /= 2)
            values[i] += __shfl_down_sync(0xffffffffu, values[i], step);
        if (threadIdx.x % 32 == 0 && values[i])
            ordo_dev_add(&to->items + i, values[i]);
    }
}

/* Counters of one thread, in half of the registers, for kernels that spill. */
typedef struct ordo_dev_counters {
    ordo_u32 items, edges, useful, stale, activations;
    __device__ __forceinline__ operator ordo_cuda_counters() const
    {
        return {items, edges, useful, stale, activations};
    }
} ordo_dev_counters;

/* By a whole warp, in each step: if a lane has counted 2^31 of something, adds the counts of all lanes to those of the
 * grid, so that 32 bits do not overflow. */
ORDO_DEV void ordo_dev_publish_large(ordo_cuda_counter_line *to, ordo_dev_counters *mine)
{
    if (__any_sync(~0u, (mine->edges | mine->items) >> 31)) {
        ordo_dev_publish(to, *mine);
        *mine = {};
    }
}
ORDO_DEV void ordo_dev_publish_large(ordo_cuda_counter_line *, ordo_cuda_counters *)
{
    /* 64 bits do not overflow */
}

/* By one thread of the grid: adds a sample to the trace. When the trace is full, every second sample is dropped. */
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

/* By a thread: whether it is the one of the grid that reports, when a step begins. It is of the last block: blocks take
 * the items of a step in the order of their numbers, so where a step has few items this one has none, and what it waits
 * for delays no other. */
ORDO_DEV bool ordo_dev_reports(void)
{
    return blockIdx.x == gridDim.x - 1 && threadIdx.x == 0;
}

/* Nanoseconds between two looks into the mailbox. */
enum { ORDO_CUDA_MAIL = 10000 };

/* By the thread that reports: tells the host where the run is; returns whether the run is to end. The mailbox is in the
 * host's memory, where a read takes as long as a short step, so most calls leave it alone and return false. */
ORDO_DEV bool ordo_dev_mail(const ordo_cuda_run *run, ordo_u64 step, ordo_u64 in_flight)
{
    run->record->supersteps = step;
    const ordo_u64 now = ordo_dev_clock();
    if (now - run->record->looked < ORDO_CUDA_MAIL)
        return false;
    run->record->looked = now;
    run->mailbox->supersteps = step;
    run->mailbox->in_flight = in_flight;
    return run->mailbox->stop;
}

/* ---- ending in the middle of a step ---- */

/* How the host ends a run in the middle of a step: by one word, which every thread that waits or works for long reads.
 * It holds the step in which it was set, so that all blocks leave after the same barrier: a word that is set in a step
 * is visible to all threads behind that step's barrier, and a word that a faster block sets in the next step is
 * recognised by its number and not obeyed yet. */
typedef struct ordo_cuda_halt {
    ordo_u32 *word; /* 0 at first */
    ordo_cuda_mailbox *mailbox;
} ordo_cuda_halt;

enum { ORDO_CUDA_LOOK = 64, ORDO_CUDA_ASK = 4096 };

/* By one thread: whether the run has been told to end. Reads the word once in ORDO_CUDA_LOOK calls, and returns false
 * in all others. *rounds counts the thread's calls. Threads with `asks` also read the host's mailbox: one thread of a
 * block, or all of them if some may work long after that one has ended. */
ORDO_DEV bool ordo_dev_told(const ordo_cuda_halt *halt, ordo_u32 step, ordo_u32 *rounds, bool asks = threadIdx.x == 0)
{
    if (++*rounds % ORDO_CUDA_LOOK)
        return false;
    if (asks && *rounds % ORDO_CUDA_ASK == 0 && halt->mailbox->stop)
        atomicCAS(halt->word, 0u, step);
    return ordo_dev_load(halt->word) != 0;
}

/* By one thread, after ordo_dev_told: shows what it has counted, as often as that function reads the word. */
ORDO_DEV void ordo_dev_told_show(const ordo_cuda_traced &to, ordo_u32 rounds, const ordo_cuda_counters &mine)
{
    if (to.live && rounds % ORDO_CUDA_LOOK == 0)
        ordo_live_add(to, mine);
}

/* By one thread, behind the barrier of `step`: whether the run ends there; the same in all threads of the grid. */
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
