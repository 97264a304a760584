/* topology on a GPU, critical operators: every item in every round, until a whole round requests nothing.
 *
 * Problem. Run an operator with no worklist at all. Activations are ignored: their items are processed anyway.
 *
 * Data structures. Triple-buffered counters of rounds (ordo_cuda_frontier without lists); for sync lock locks in words
 * or in a table, for sync owner bins of requests.
 *
 * Protocol.
 *   lock     a round prepares the items and runs their requests under try-locks, by op_dev_prepares of
 *            <ordo/detail/cuda/critical.cuh>
 *   owner    a round is a superstep of op_dev_owned over all items, with no locks and no atomics on targets
 *            (<ordo/detail/cuda/owner.cuh>)
 *   race     a round is a superstep of op_dev_raced over all items (<ordo/detail/cuda/race.cuh>)
 *
 * Termination. A round in which no block has a request is the last.
 *
 * Memory order. That of the locks, or of the grid barriers between an owner's phases; rounds are separated by grid
 * barriers.
 */
#include "tunables.h"

/* What profilers show carries the operator's name. */
#define topology_lock_kernel ORDO_OP_NAME(topology_lock_kernel)
#define topology_owner_kernel ORDO_OP_NAME(topology_owner_kernel)
#define topology_race_kernel ORDO_OP_NAME(topology_race_kernel)

/* For samples of a trace: the items that are not prepared yet in this round. */
static void topology_glance(const ordo_cuda_seen *seen, const void *, ordo_probed *out)
{
    const ordo_u64 all = seen->live->step * seen->c->job->num_items;
    if (seen->live->step) /* more than a round's items are those of a round that has begun since */
        out->in_flight = all > seen->sum->items ? (all - seen->sum->items) % (seen->c->job->num_items + 1) : 0;
}

/* ---- lock ---- */

typedef struct topology_lock_args {
    op_cuda_sections sections;
    ordo_u64 num_items;
    ordo_cuda_frontier frontier; /* counters only: `count` is not 0 if there was a request */
    ordo_cuda_run run;
} topology_lock_args;

/* By all threads of the grid: returns whether a round is to begin; one thread then begins it. */
ORDO_DEV bool topology_begin(const ordo_cuda_frontier *f, ordo_u32 round, const ordo_cuda_run *run,
                             const ordo_cuda_traced &traced, ordo_u64 num_items)
{
    if (f->counters[round % 3].stop)
        return false;
    if (ordo_dev_reports())
        ordo_dev_begin_step(f, round, run, num_items, round, 0);
    ordo_live_step(traced, round, num_items, round, 0, 0, 0);
    ordo_live_state(traced, ORDO_BUSY);
    return true;
}

template <bool Traced>
static __global__ void __launch_bounds__((ORDO_CUDA_THREADS)) topology_lock_kernel(const topology_lock_args a)
{
    auto grid = cooperative_groups::this_grid();
    ordo_cuda_counters mine = {};
    ordo_u32 rounds = 0;
    const ordo_cuda_traced traced = Traced ? a.run.traced : ordo_cuda_traced{};
    ordo_live_begin(traced, ORDO_BUSY);
    for (ordo_u32 round = 1; topology_begin(&a.frontier, round, &a.run, traced, a.num_items); round++) {
        const ordo_u64 before = mine.edges;
        op_dev_prepares<(int)op_lock_bits != 0>(
            &a.sections, traced, NULL, a.num_items, round, &mine, &rounds,
            [](const ordo_activation &) { return false; }, [] {});
        ordo_live_add(traced, mine);
        ordo_live_state(traced, ORDO_AT_BARRIER);
        ordo_u32 *const asked = &a.frontier.counters[(round + 1) % 3].count;
        if (__syncthreads_or(mine.edges != before) && threadIdx.x == 0)
            ordo_dev_store(asked, 1u);
        grid.sync();
        if (!ordo_dev_load(asked) || ordo_dev_halted(&a.sections.halt, round))
            break;
    }
    ordo_dev_publish(a.run.counters, mine);
}

static ordo_status topology_run_lock(ordo_cuda *c, ordo_cuda_arrays *arrays)
{
    int blocks = (int)c->job->tunable[TOPOLOGY_BLOCKS];
    topology_lock_args a = {};
    ordo_status status = op_cuda_sections_make(c, (int)op_lock_bits != 0, 0, &blocks, arrays, &a.sections);
    if (!status)
        status = op_cuda_frontier(c, false, &a.frontier, &a.sections.halt);
    if (status)
        return status;
    a.num_items = c->job->num_items;
    a.run = c->run;
    c->glance.show = topology_glance;
    void *args[] = {&a};
    const void *kernel =
        a.run.traced.live ? (const void *)topology_lock_kernel<true> : (const void *)topology_lock_kernel<false>;
    return ordo_cuda_launch(c, ordo_cuda_kernel(kernel), ORDO_CUDA_THREADS, blocks, args);
}

/* ---- owner ---- */

typedef struct topology_owner_args {
    op_cuda_owners owners;
    ordo_u64 num_items;
    ordo_cuda_frontier frontier; /* counters only: `edges` is the number of reserved places for requests */
    ordo_cuda_run run;
} topology_owner_args;

template <bool Traced>
static __global__ void __launch_bounds__((ORDO_CUDA_THREADS)) topology_owner_kernel(const topology_owner_args a)
{
    ordo_cuda_counters mine = {};
    ordo_u32 rounds = 0, barrier = 1;
    const ordo_cuda_traced traced = Traced ? a.run.traced : ordo_cuda_traced{};
    ordo_live_begin(traced, ORDO_BUSY);
    for (ordo_u32 round = 1; topology_begin(&a.frontier, round, &a.run, traced, a.num_items); round++) {
        if (!op_dev_owned(
                &a.owners, traced, NULL, a.num_items, round, &a.frontier.counters[(round + 1) % 3].edges, &barrier,
                &mine, &rounds, [](const ordo_activation &) { return false; }, [] {}))
            break;
        if (!op_dev_goes_on(&a.owners, &barrier))
            break;
    }
    ordo_dev_publish(a.run.counters, mine);
}

static ordo_status topology_run_owner(ordo_cuda *c, ordo_cuda_arrays *arrays)
{
    const double *t = c->job->tunable;
    topology_owner_args a = {};
    a.num_items = c->job->num_items;
    c->glance.show = topology_glance;
    return op_cuda_run_owned(c, (const void *)topology_owner_kernel<false>, (const void *)topology_owner_kernel<true>,
                             (ordo_u32)t[TOPOLOGY_OWNERS], (int)t[TOPOLOGY_BLOCKS], false, arrays, &a);
}

/* ---- race ---- */

typedef struct topology_race_args {
    op_cuda_races races;
    ordo_u64 num_items;
    ordo_cuda_frontier frontier; /* counters only: `edges` is the number of requests */
    ordo_cuda_run run;
} topology_race_args;

template <bool Traced>
static __global__ void __launch_bounds__((ORDO_CUDA_THREADS)) topology_race_kernel(const topology_race_args a)
{
    ordo_cuda_counters mine = {};
    ordo_u32 rounds = 0, number = 1;
    const ordo_cuda_traced traced = Traced ? a.run.traced : ordo_cuda_traced{};
    ordo_live_begin(traced, ORDO_BUSY);
    for (ordo_u32 round = 1; topology_begin(&a.frontier, round, &a.run, traced, a.num_items); round++)
        if (!op_dev_raced(
                &a.races, traced, NULL, a.num_items, &a.frontier.counters[(round + 1) % 3].edges, &number, &mine,
                &rounds, [](const ordo_activation &) { return false; }, [] {}))
            break;
    ordo_dev_publish(a.run.counters, mine);
}

static ordo_status topology_run_race(ordo_cuda *c, ordo_cuda_arrays *arrays)
{
    topology_race_args a = {};
    a.num_items = c->job->num_items;
    c->glance.show = topology_glance;
    return op_cuda_run_raced(c, (const void *)topology_race_kernel<false>, (const void *)topology_race_kernel<true>,
                             (int)c->job->tunable[TOPOLOGY_BLOCKS], false, arrays, &a);
}

static ordo_status topology_run_job(ordo_job *job)
{
    return op_cuda_run(job, job->sync == ORDO_SYNC_LOCK   ? topology_run_lock
                            : job->sync == ORDO_SYNC_RACE ? topology_run_race
                                                          : topology_run_owner);
}

ORDO_CUDA_INSTANCE(topology, topology_run_job, 1u << ORDO_SYNC_OWNER | 1u << ORDO_SYNC_LOCK | 1u << ORDO_SYNC_RACE)
