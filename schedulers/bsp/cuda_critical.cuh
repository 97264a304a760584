/* bsp on a GPU, critical operators: supersteps over a frontier of items.
 *
 * A superstep visits the items of one list, runs the sections that they ask for, and puts what those activate on the
 * other list, each item once.
 *
 * lock: under try-locks (OP(dev_visits) of cuda_critical.cuh). The more threads try for few locks, the slower their
 * holders: what fails queues in front of the unlocking store. So fewer threads than there are run sections (`rivals`);
 * how many, where nothing is said, a sample of the requests tells by how few targets they share (docs/performance.md).
 * All there are (2048) with `lock_place=table` is the baseline of the paper on the lock server (Wang, Fussell and Lin,
 * ASPLOS 2019).
 *
 * owner: by the threads that own their targets, without locks (OP(dev_owned) of cuda_owner.cuh).
 *
 * Does not: change the number of rivals while it runs.
 */
#include "tunables.h"

#define MY(_part) ORDO_JOIN3(ORDO_OP, _bsp_cuda_, _part)

typedef struct MY(lock_args) {
    OP(cuda_sections) sections;
    ordo_cuda_frontier frontier;
    ordo_cuda_run run;
} MY(lock_args);

/* Whether a superstep is to begin, over *count items of *list; if so, that it does. */
ORDO_DEV bool MY(begin)(const ordo_cuda_frontier *f, const ordo_cuda_run *run, ordo_u32 step, const ordo_item **list,
                        ordo_u64 *count)
{
    *list = step == 1 ? run->initial : f->list[step & 1];
    *count = step == 1 ? run->initial_count : f->turn[step % 3].count;
    if (*count == 0 || f->turn[step % 3].stop)
        return false;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        ordo_dev_begin_step(f, step, run, *count, step, 0);
    return true;
}

template <bool Word> ORDO_KERNEL(ORDO_CUDA_THREADS) MY(lock_kernel)(const MY(lock_args) a)
{
    __shared__ ordo_dev_queue queue;
    auto grid = cooperative_groups::this_grid();
    const ordo_cuda_frontier *f = &a.frontier;
    const ordo_item *list;
    ordo_u64 count;
    ordo_cuda_counters mine = {};
    ordo_u32 rounds = 0;
    ordo_dev_start(&queue);
    for (ordo_u32 step = 1; MY(begin)(f, &a.run, step, &list, &count); step++) {
        ordo_u32 *next = f->list[(step + 1) & 1], *next_count = &f->turn[(step + 1) % 3].count;
        OP(dev_visits)<Word>(
            &a.sections, list, count, step, &mine, &rounds,
            [&](const ordo_activation &to) { return OP(dev_push)(f, &queue, to.item, step + 1); },
            [&] { ordo_dev_flush(&queue, next, next_count, false); });
        if (!OP(activates))
            break;
        ordo_dev_flush(&queue, next, next_count, true);
        grid.sync();
        if (ordo_dev_halted(&a.sections.halt, step))
            break;
    }
    ordo_dev_publish(a.run.counters, mine);
}

typedef struct MY(owner_args) {
    OP(cuda_owners) owners;
    ordo_cuda_frontier frontier;
    ordo_cuda_run run;
} MY(owner_args);

ORDO_KERNEL(ORDO_CUDA_THREADS) MY(owner_kernel)(const MY(owner_args) a)
{
    __shared__ ordo_dev_queue queue;
    const ordo_cuda_frontier *f = &a.frontier;
    const ordo_item *list;
    ordo_u64 count;
    ordo_cuda_counters mine = {};
    ordo_u32 rounds = 0, barrier = 1;
    ordo_dev_start(&queue);
    for (ordo_u32 step = 1; MY(begin)(f, &a.run, step, &list, &count); step++) {
        ordo_u32 *next = f->list[(step + 1) & 1];
        ordo_cuda_turn *turn = &f->turn[(step + 1) % 3];
        const bool some = OP(dev_owned)(
            &a.owners, list, count, step, &turn->edges, &barrier, &mine, &rounds,
            [&](const ordo_activation &to) { return OP(dev_push)(f, &queue, to.item, step + 1); },
            [&] { ordo_dev_flush(&queue, next, &turn->count, false); });
        if (!OP(activates) || !some)
            break;
        ordo_dev_flush(&queue, next, &turn->count, true);
        if (!OP(dev_goes_on)(&a.owners, &barrier))
            break;
    }
    ordo_dev_publish(a.run.counters, mine);
}

/* Locks in words where the operator has them: else that kernel is not instantiated. */
template <bool Has> static const void *MY(lock_kernel_of)(bool word)
{
    if constexpr (Has)
        return word ? (const void *)MY(lock_kernel)<true> : (const void *)MY(lock_kernel)<false>;
    return (const void *)MY(lock_kernel)<false>;
}

static ordo_status MY(run_lock)(ordo_cuda *c, ordo_cuda_arrays *arrays)
{
    int blocks = (int)c->job->tunable[BSP_BLOCKS];
    const ordo_job *job = c->job;
    MY(lock_args) a = {};
    const int locks = (int)job->tunable[BSP_LOCK_PLACE];
    const bool word = OP(lock_bits) && locks != 1;
    if (locks == 2 && !word)
        return ordo_fail(
            ORDO_ERR_UNSOUND,
            "scheduler 'bsp' with lock_place=word needs an operator whose targets' words have a bit to spare; "
            "'%s' has none",
            job->op->name);
    ordo_status status =
        OP(cuda_sections_make)(c, word, (ordo_u64)job->tunable[BSP_RIVALS], &blocks, arrays, &a.sections);
    if (!status)
        status = OP(cuda_frontier)(c, OP(activates), &a.frontier, &a.sections.halt);
    if (status)
        return status;
    a.sections.sleep = (ordo_u32)job->tunable[BSP_SLEEP];
    a.run = c->run;
    void *args[] = {&a};
    const void *kernel = ordo_cuda_kernel(MY(lock_kernel_of) < (int)OP(lock_bits) != 0 > (word));
    return ordo_cuda_launch(c, kernel, ORDO_CUDA_THREADS, blocks, args);
}

static ordo_status MY(run_owner)(ordo_cuda *c, ordo_cuda_arrays *arrays)
{
    MY(owner_args) a = {};
    return OP(cuda_run_owned)(c, (const void *)MY(owner_kernel), 0, (int)c->job->tunable[BSP_BLOCKS], OP(activates),
                              arrays, &a);
}

static ordo_status MY(run_job)(ordo_job *job)
{
    return OP(cuda_run)(job, job->sync == ORDO_SYNC_LOCK ? MY(run_lock) : MY(run_owner));
}

ORDO_CUDA_INSTANCE(bsp, MY(run_job), 1u << ORDO_SYNC_OWNER | 1u << ORDO_SYNC_LOCK)
#undef MY
