/* gather_fibers.h -- what gather.cuh uses of a GPU and of cuda.cuh, over fibers; after launch_fibers.h, with
 * ORDO_CUDA_THREADS, ORDO_CUDA_LINE and the GATHER_ constants defined. No run is traced.
 */
#ifndef TESTS_GPU_GATHER_FIBERS_H
#define TESTS_GPU_GATHER_FIBERS_H

#ifndef ORDO_OVER_RANKS
#define ORDO_OVER_RANKS 0
#endif
#define blockDim (fiber_index{fibers.threads})

static inline void ordo_live_begin(const ordo_cuda_traced &, ordo_u32)
{
}
static inline void ordo_live_state(const ordo_cuda_traced &, ordo_u32)
{
}
template <typename... A> static inline void ordo_live_report(const A &...)
{
}
static inline bool ordo_dev_mail(const ordo_cuda_run *run, ordo_u64 step, ordo_u64 in_flight)
{
    run->record->supersteps = step;
    run->mailbox->supersteps = step;
    run->mailbox->in_flight = in_flight;
    return run->mailbox->stop;
}
template <int Words, typename... A> static inline void ordo_live_barrier(const A &...)
{
    cooperative_groups::this_grid().sync();
}
static constexpr int ordo_live_resident(int blocks)
{
    return blocks;
}
static inline void __threadfence(void)
{
}
static inline ordo_u32 ordo_dev_warp_max(ordo_u32 x)
{
    for (int step = 16; step; step /= 2) {
        const ordo_u32 y = __shfl_xor_sync(0xffffffffu, x, step);
        x = y > x ? y : x;
    }
    return x;
}

/* A copy is made when it is waited for, so that what is read too early shows. */
struct fiber_copy {
    void *to;
    const void *from;
    size_t bytes, zero;
    int batch;
};
enum { FIBER_COPIES = 64, FIBER_THREADS = 256 };
static FIBER_LOCAL fiber_copy fiber_copies[FIBER_THREADS][FIBER_COPIES];
static FIBER_LOCAL int fiber_copied[FIBER_THREADS], fiber_batch[FIBER_THREADS];

static inline void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zero = 0)
{
    const unsigned t = fibers.now->thread;
    if (fiber_copied[t] == FIBER_COPIES || (size_t)to % bytes || (size_t)from % bytes || bytes < zero) {
        fprintf(stderr, "fibers: a copy of %zu bytes, to %p from %p, %d before it\n", bytes, to, from, fiber_copied[t]);
        abort();
    }
    fiber_copies[t][fiber_copied[t]++] = fiber_copy{to, from, bytes, zero, fiber_batch[t]};
}
static inline void __pipeline_commit(void)
{
    fiber_batch[fibers.now->thread]++;
}
static inline void __pipeline_wait_prior(int batches)
{
    const unsigned t = fibers.now->thread;
    int left = 0;
    for (int i = 0; i < fiber_copied[t]; i++) {
        const fiber_copy c = fiber_copies[t][i];
        if (c.batch >= fiber_batch[t] - batches) {
            fiber_copies[t][left++] = c;
        } else {
            memcpy(c.to, c.from, c.bytes - c.zero);
            memset((char *)c.to + c.bytes - c.zero, 0, c.zero);
        }
    }
    fiber_copied[t] = left;
}

static ordo_status fiber_launch(ordo_cuda *c, const void *kernel, int threads, int blocks, void **args)
{
    ordo_cuda_step step = {kernel, threads, 1, true, args};
    (void)blocks;
    return fiber_launch_all(c, &step, 1);
}
static inline ordo_status fiber_share(ordo_cuda *c, const void *kernel, int threads, size_t bytes, int *resident)
{
    (void)c, (void)kernel, (void)threads, (void)bytes;
    *resident = 1;
    return ORDO_OK;
}
#define ordo_cuda_launch fiber_launch
#define ordo_cuda_share fiber_share
#define ORDO_CUDA_DYNAMIC(_type, _name) alignas(16) static FIBER_LOCAL _type _name[GATHER_HOT_BYTES / sizeof(_type)]
#if ORDO_OVER_RANKS
#define FIBER_INSTANCE(_op, _scheduler) ORDO_JOIN3(_op, _over_ranks_under_, _scheduler)
#else
#define FIBER_INSTANCE(_op, _scheduler) ORDO_JOIN3(_op, _on_cuda_under_, _scheduler)
#endif
#define ORDO_CUDA_INSTANCE_OF(_scheduler, _run, _syncs)                                                                \
    extern const ordo_instance FIBER_INSTANCE(ORDO_OP, _scheduler);                                                    \
    const ordo_instance FIBER_INSTANCE(ORDO_OP, _scheduler) = {#_scheduler, _run, _syncs, ORDO_ON_CUDA};
#define ORDO_CUDA_INSTANCE(_scheduler, _run, _syncs) ORDO_CUDA_INSTANCE_OF(_scheduler, _run, _syncs)

#endif
