/* topology on a GPU, critical operators: every item in every round, until a whole round asks for nothing. Activations
 * mean nothing here: whatever they are for is visited anyway.
 *
 * lock: a round visits the items and runs what they ask for under try-locks, by OP(dev_visits) of cuda_critical.cuh.
 *
 * owner: a round is a superstep of OP(dev_owned) over all items: no locks, and no atomics on targets (cuda_owner.cuh).
 */
#include "tunables.h"

#define MY(_part) ORDO_JOIN3(ORDO_OP, _topology_cuda_, _part)

/* ---- lock ---- */

typedef struct MY(lock_args) {
    OP(cuda_sections) sections;
    ordo_u64 universe;
    ordo_cuda_frontier frontier; /* its words alone: `count` is whether anything was asked for */
    ordo_cuda_run run;
} MY(lock_args);

/* Whether a round is to begin; if so, that it does. */
ORDO_DEV bool MY(begin)(const ordo_cuda_frontier *f, ordo_u32 round, const ordo_cuda_run *run, ordo_u64 universe)
{
    if (f->turn[round % 3].stop)
        return false;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        ordo_dev_begin_step(f, round, run, universe, round, 0);
    return true;
}

ORDO_KERNEL(ORDO_CUDA_THREADS) MY(lock_kernel)(const MY(lock_args) a)
{
    auto grid = cooperative_groups::this_grid();
    ordo_cuda_counters mine = {};
    ordo_u32 rounds = 0;
    for (ordo_u32 round = 1; MY(begin)(&a.frontier, round, &a.run, a.universe); round++) {
        const ordo_u64 before = mine.edges;
        OP(dev_visits)<(int)OP(lock_bits) != 0>(
            &a.sections, NULL, a.universe, round, &mine, &rounds, [](const ordo_activation &) { return false; }, [] {});
        ordo_u32 *const asked = &a.frontier.turn[(round + 1) % 3].count;
        if (__syncthreads_or(mine.edges != before) && threadIdx.x == 0)
            ordo_dev_store(asked, 1u);
        grid.sync();
        if (!ordo_dev_load(asked) || ordo_dev_halted(&a.sections.halt, round))
            break;
    }
    ordo_dev_publish(a.run.counters, mine);
}

static ordo_status MY(run_lock)(ordo_cuda *c, ordo_cuda_arrays *arrays)
{
    int blocks = (int)c->job->tunable[TOPOLOGY_BLOCKS];
    MY(lock_args) a = {};
    ordo_status status = OP(cuda_sections_make)(c, (int)OP(lock_bits) != 0, 0, &blocks, arrays, &a.sections);
    if (!status)
        status = OP(cuda_frontier)(c, false, &a.frontier, &a.sections.halt);
    if (status)
        return status;
    a.universe = c->job->universe;
    a.run = c->run;
    void *args[] = {&a};
    return ordo_cuda_launch(c, ordo_cuda_kernel((const void *)MY(lock_kernel)), ORDO_CUDA_THREADS, blocks, args);
}

/* ---- owner ---- */

typedef struct MY(owner_args) {
    OP(cuda_owners) owners;
    ordo_u64 universe;
    ordo_cuda_frontier frontier; /* its words alone; `edges` is the room given out */
    ordo_cuda_run run;
} MY(owner_args);

ORDO_KERNEL(ORDO_CUDA_THREADS) MY(owner_kernel)(const MY(owner_args) a)
{
    ordo_cuda_counters mine = {};
    ordo_u32 rounds = 0, barrier = 1;
    for (ordo_u32 round = 1; MY(begin)(&a.frontier, round, &a.run, a.universe); round++) {
        if (!OP(dev_owned)(
                &a.owners, NULL, a.universe, round, &a.frontier.turn[(round + 1) % 3].edges, &barrier, &mine, &rounds,
                [](const ordo_activation &) { return false; }, [] {}))
            break;
        if (!OP(dev_goes_on)(&a.owners, &barrier))
            break;
    }
    ordo_dev_publish(a.run.counters, mine);
}

static ordo_status MY(run_owner)(ordo_cuda *c, ordo_cuda_arrays *arrays)
{
    const double *t = c->job->tunable;
    MY(owner_args) a = {};
    a.universe = c->job->universe;
    return OP(cuda_run_owned)(c, (const void *)MY(owner_kernel), (ordo_u32)t[TOPOLOGY_OWNERS], (int)t[TOPOLOGY_BLOCKS],
                              false, arrays, &a);
}

static ordo_status MY(run_job)(ordo_job *job)
{
    return OP(cuda_run)(job, job->sync == ORDO_SYNC_LOCK ? MY(run_lock) : MY(run_owner));
}

ORDO_CUDA_INSTANCE(topology, MY(run_job), 1u << ORDO_SYNC_OWNER | 1u << ORDO_SYNC_LOCK)
#undef MY
