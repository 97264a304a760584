/* bsp on a GPU, critical operators: supersteps over a frontier of items.
 *
 * Problem. Run the critical sections that the items of a worklist request, under mutual exclusion, and collect what
 * they activate.
 *
 * Data structures. Two lists of items with triple-buffered counters (ordo_cuda_frontier); for sync lock a table of
 * locks, or bits of the targets' words (ordo_cuda_locks); for sync owner bins of requests (op_cuda_owners).
 *
 * Protocol. A superstep prepares the items of one list, runs the critical sections that they request, and puts what
 * those activate on the other list, each item once.
 *   lock     under try-locks (op_dev_prepares of <ordo/detail/cuda/critical.cuh>). The more threads try for few locks,
 *            the slower their holders: failing tries queue in front of the store that unlocks. So only max_contenders
 *            threads run critical sections; the default follows from how few targets a sample of the requests shares.
 *            All threads (2048) with lock_place=table is the baseline of the paper on the lock server (Wang, Fussell
 *            and Lin, ASPLOS 2019)
 *   owner    by the threads that own their targets, without locks (op_dev_owned of <ordo/detail/cuda/owner.cuh>)
 *   race     by race and resolve, in rounds (op_dev_raced of <ordo/detail/cuda/race.cuh>)
 *
 * Termination. The next list is empty, or items activate nothing, or all blocks see that the run was halted in this
 * step.
 *
 * Memory order. That of the locks, or the grid barriers between an owner's phases; lists pass over a grid barrier.
 *
 * Not done: changing max_contenders during a run.
 */
#include "tunables.h"

/* What profilers show carries the operator's name. */
#define bsp_lock_kernel ORDO_OP_NAME(bsp_lock_kernel)
#define bsp_owner_kernel ORDO_OP_NAME(bsp_owner_kernel)
#define bsp_race_kernel ORDO_OP_NAME(bsp_race_kernel)

typedef struct bsp_lock_args {
    op_cuda_sections sections;
    ordo_cuda_frontier frontier;
    ordo_cuda_run run;
} bsp_lock_args;

/* By all threads of the grid: whether a superstep is to begin, over *count items of *list; one thread then begins it.
 */
ORDO_DEV bool bsp_begin(const ordo_cuda_frontier *f, const ordo_cuda_run *run, const ordo_cuda_traced &traced,
                        ordo_u32 step, const ordo_item **list, ordo_u64 *count)
{
    *list = step == 1 ? run->initial : f->list[step & 1];
    *count = step == 1 ? run->initial_count : f->counters[step % 3].count;
    if (*count == 0 || f->counters[step % 3].stop)
        return false;
    if (ordo_dev_reports())
        ordo_dev_begin_step(f, step, run, *count, step, 0);
    ordo_live_step(traced, step, *count, step, 0, 0, 0);
    ordo_live_state(traced, ORDO_BUSY);
    return true;
}

template <int How, bool Traced>
static __global__ void __launch_bounds__((ORDO_CUDA_THREADS)) bsp_lock_kernel(const bsp_lock_args a)
{
    __shared__ ordo_dev_queue queue;
    auto grid = cooperative_groups::this_grid();
    const ordo_cuda_frontier *f = &a.frontier;
    const ordo_item *list;
    ordo_u64 count;
    ordo_cuda_counters mine = {};
    ordo_u32 rounds = 0;
    const ordo_cuda_traced traced = Traced ? a.run.traced : ordo_cuda_traced{};
    ordo_dev_start(&queue);
    ordo_live_begin(traced, ORDO_BUSY);
    for (ordo_u32 step = 1; bsp_begin(f, &a.run, traced, step, &list, &count); step++) {
        ordo_u32 *next = f->list[(step + 1) & 1], *next_count = &f->counters[(step + 1) % 3].count;
        op_dev_prepares<How>(
            &a.sections, traced, list, count, step, &mine, &rounds,
            [&](const ordo_activation &to) { return op_dev_push(f, &queue, to.item, step + 1); },
            [&] { ordo_dev_flush(&queue, next, next_count, false); });
        ordo_live_add(traced, mine);
        ordo_live_state(traced, ORDO_AT_BARRIER);
        if (!op_activates)
            break;
        ordo_dev_flush(&queue, next, next_count, true);
        grid.sync();
        if (ordo_dev_halted(&a.sections.halt, step))
            break;
    }
    ordo_dev_publish(a.run.counters, mine);
}

typedef struct bsp_owner_args {
    op_cuda_owners owners;
    ordo_cuda_frontier frontier;
    ordo_cuda_run run;
} bsp_owner_args;

template <bool Traced>
static __global__ void __launch_bounds__((ORDO_CUDA_THREADS)) bsp_owner_kernel(const bsp_owner_args a)
{
    __shared__ ordo_dev_queue queue;
    const ordo_cuda_frontier *f = &a.frontier;
    const ordo_item *list;
    ordo_u64 count;
    ordo_cuda_counters mine = {};
    ordo_u32 rounds = 0, barrier = 1;
    const ordo_cuda_traced traced = Traced ? a.run.traced : ordo_cuda_traced{};
    ordo_dev_start(&queue);
    ordo_live_begin(traced, ORDO_BUSY);
    for (ordo_u32 step = 1; bsp_begin(f, &a.run, traced, step, &list, &count); step++) {
        ordo_u32 *next = f->list[(step + 1) & 1];
        ordo_cuda_superstep_counters *counters = &f->counters[(step + 1) % 3];
        const bool some = op_dev_owned(
            &a.owners, traced, list, count, step, &counters->edges, &barrier, &mine, &rounds,
            [&](const ordo_activation &to) { return op_dev_push(f, &queue, to.item, step + 1); },
            [&] { ordo_dev_flush(&queue, next, &counters->count, false); });
        if (!op_activates || !some)
            break;
        ordo_dev_flush(&queue, next, &counters->count, true);
        if (!op_dev_goes_on(&a.owners, &barrier))
            break;
    }
    ordo_dev_publish(a.run.counters, mine);
}

typedef struct bsp_race_args {
    op_cuda_races races;
    ordo_cuda_frontier frontier;
    ordo_cuda_run run;
} bsp_race_args;

template <bool Traced>
static __global__ void __launch_bounds__((ORDO_CUDA_THREADS)) bsp_race_kernel(const bsp_race_args a)
{
    __shared__ ordo_dev_queue queue;
    const ordo_cuda_frontier *f = &a.frontier;
    const ordo_item *list;
    ordo_u64 count;
    ordo_cuda_counters mine = {};
    ordo_u32 rounds = 0, round = 1;
    const ordo_cuda_traced traced = Traced ? a.run.traced : ordo_cuda_traced{};
    ordo_dev_start(&queue);
    ordo_live_begin(traced, ORDO_BUSY);
    for (ordo_u32 step = 1; bsp_begin(f, &a.run, traced, step, &list, &count); step++) {
        ordo_u32 *next = f->list[(step + 1) & 1];
        ordo_cuda_superstep_counters *counters = &f->counters[(step + 1) % 3];
        const bool some = op_dev_raced(
            &a.races, traced, list, count, &counters->edges, &round, &mine, &rounds,
            [&](const ordo_activation &to) { return op_dev_push(f, &queue, to.item, step + 1); },
            [&] { ordo_dev_flush(&queue, next, &counters->count, false); });
        if (!op_activates || !some)
            break;
        ordo_dev_flush(&queue, next, &counters->count, true);
        cooperative_groups::this_grid().sync();
    }
    ordo_dev_publish(a.run.counters, mine);
}

/* The kernel for a kind of locks; that in words is instantiated only if the operator has such. */
template <bool Has, bool Traced> static const void *bsp_lock_kernel_of(int how)
{
    if (how == ORDO_LOCK_TICKETS)
        return (const void *)bsp_lock_kernel<ORDO_LOCK_TICKETS, Traced>;
    if constexpr (Has)
        if (how == ORDO_LOCK_WORD)
            return (const void *)bsp_lock_kernel<ORDO_LOCK_WORD, Traced>;
    return (const void *)bsp_lock_kernel<ORDO_LOCK_TABLE, Traced>;
}

static ordo_status bsp_run_lock(ordo_cuda *c, ordo_cuda_arrays *arrays)
{
    int blocks = (int)c->job->tunable[BSP_BLOCKS];
    const ordo_job *job = c->job;
    bsp_lock_args a = {};
    const int locks = (int)job->tunable[BSP_LOCK_PLACE];
    const bool tickets = (int)job->tunable[BSP_LOCK_ORDER] == 1;
    const int how = tickets ? ORDO_LOCK_TICKETS : op_lock_bits && locks != 1 ? ORDO_LOCK_WORD : ORDO_LOCK_TABLE;
    if (locks == 2 && tickets)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'bsp' with lock_place=word has lock_order=any alone: ticket locks are in a table");
    if (locks == 2 && how != ORDO_LOCK_WORD)
        return ordo_fail(
            ORDO_ERR_UNSOUND,
            "scheduler 'bsp' with lock_place=word needs an operator whose targets' words have a bit to spare; "
            "'%s' has none",
            job->op->name);
    ordo_status status =
        op_cuda_sections_make(c, how, (ordo_u64)job->tunable[BSP_MAX_CONTENDERS], &blocks, arrays, &a.sections);
    if (!status)
        status = op_cuda_frontier(c, op_activates, &a.frontier, &a.sections.halt);
    if (status)
        return status;
    a.sections.sleep = (ordo_u32)job->tunable[BSP_SLEEP];
    a.run = c->run;
    void *args[] = {&a};
    constexpr bool has = (int)op_lock_bits != 0;
    const void *kernel = a.run.traced.live ? bsp_lock_kernel_of<has, true>(how) : bsp_lock_kernel_of<has, false>(how);
    return ordo_cuda_launch(c, ordo_cuda_kernel(kernel), ORDO_CUDA_THREADS, blocks, args);
}

static ordo_status bsp_run_owner(ordo_cuda *c, ordo_cuda_arrays *arrays)
{
    bsp_owner_args a = {};
    return op_cuda_run_owned(c, (const void *)bsp_owner_kernel<false>, (const void *)bsp_owner_kernel<true>, 0,
                             (int)c->job->tunable[BSP_BLOCKS], op_activates, arrays, &a);
}

static ordo_status bsp_run_race(ordo_cuda *c, ordo_cuda_arrays *arrays)
{
    bsp_race_args a = {};
    return op_cuda_run_raced(c, (const void *)bsp_race_kernel<false>, (const void *)bsp_race_kernel<true>,
                             (int)c->job->tunable[BSP_BLOCKS], op_activates, arrays, &a);
}

static ordo_status bsp_run_job(ordo_job *job)
{
    return op_cuda_run(job, job->sync == ORDO_SYNC_LOCK   ? bsp_run_lock
                            : job->sync == ORDO_SYNC_RACE ? bsp_run_race
                                                          : bsp_run_owner);
}

ORDO_CUDA_INSTANCE(bsp, bsp_run_job, 1u << ORDO_SYNC_OWNER | 1u << ORDO_SYNC_LOCK | 1u << ORDO_SYNC_RACE)
