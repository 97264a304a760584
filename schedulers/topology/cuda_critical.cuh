/* topology on a GPU, critical operators: every item in every round, until a whole round asks for nothing. Activations
 * mean nothing here: whatever they are for is visited anyway.
 *
 * lock: a round visits the items and runs what they ask for under try-locks, by OP(dev_visits) of cuda_critical.cuh.
 *
 * owner: without locks, and without atomics on targets (<ordo/owner.h> is the CPU's). Targets are split among owners, a
 * thread each. A round
 *   counts    visits all items and counts their requests in bins, one for each pair of owners that has to do with them;
 *   makes room, by a prefix sum over the bins of a block's turn, whose beginning an atomic gives out;
 *   fills     visits again. No section has run since, so visits ask for the same: each request goes to its bin's place;
 *   serves    in phases that grid barriers separate. In phase 0 an owner serves the requests whose targets are all its
 *             own; in those after it owners are paired off as in a round-robin tournament, by the circle method, and
 *             the smaller one of a pair serves what is between the two. Phases in which nobody has anything are passed
 *             over. With one target a request, phase 0 is all.
 *
 * The circle method: with an even number P of owners all but the last stand on a circle of P - 1. In phase 1 + k owners
 * a and b of the circle meet if a + b = k (mod P - 1), and the last one meets him who would meet himself, 2 a = k. For
 * each a there is one such b, and one such a for each k, as P - 1 is odd: nobody is in two pairs of a phase, and every
 * pair meets in one. So a bin is found by its phase and its smaller owner, and an owner finds its bins without asking
 * whom it meets.
 *
 * Invariant: during a phase a target is touched by one thread only, and a bin by its owner. The grid barrier before it
 * gives that thread what others have written to its targets, to the bins and to the requests: it is acquire and release
 * for all threads of the grid, so sections, which load and store plainly, need no fence of their own. Sections of one
 * item's requests may run at the same time where they own different targets, as they do on the CPU.
 *
 * A bin is served in any order: places are taken by an atomic.
 *
 * Who owns what: targets are dealt out in turn, for hot ones are often neighbours (users before things, hubs with small
 * numbers); and where the number of owners is ours it is odd or twice an odd one, for else hot ones that differ by
 * powers of two, as in RMAT graphs, would have few owners. Owners are dealt out to blocks first, then to warps, and to
 * lanes last: neighbours wait for memory side by side.
 *
 * A phase costs a barrier, a section an owner's round trip to memory or two. So with two targets a request the number
 * of owners is about the root of the number of items.
 *
 * Not done: requests that wait for room; there is room for as many as all items may make.
 */
#include "tunables.h"

#define MY(_part) ORDO_JOIN3(ORDO_OP, _topology_cuda_, _part)

#ifndef ORDO_TOPOLOGY_CRITICAL_ONCE
#define ORDO_TOPOLOGY_CRITICAL_ONCE

/* Where a bin's requests are: `end` counts them first, then where the next one goes; 0 when they are served. */
typedef struct ordo_topology_bin {
    ordo_u64 begin, end;
} ordo_topology_bin;

/* Twice an odd number: see above. */
enum { ORDO_TOPOLOGY_MOST_PAIRED = 1022 };

static inline ordo_u32 ordo_topology_owners(ordo_u32 asked, bool pairs, ordo_u64 items, ordo_u64 targets,
                                            ordo_u64 threads)
{
    if (asked)
        return pairs ? asked + asked % 2 : asked;
    ordo_u64 count = pairs ? (ordo_u64)sqrt((double)items) : threads;
    count = count < targets ? count : targets;
    if (!pairs)
        return (ordo_u32)(count ? count - (count % 2 == 0) : 1);
    return (ordo_u32)(count < ORDO_TOPOLOGY_MOST_PAIRED ? count / 4 * 4 + 2 : ORDO_TOPOLOGY_MOST_PAIRED);
}

#endif

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
    if ((round > 1 && !f->turn[round % 3].count) || f->turn[round % 3].stop)
        return false;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        ordo_dev_begin_step(f, round, run, universe, round, 0);
    return true;
}

/* By all threads: there was a request of this round. */
ORDO_DEV void MY(asked)(const ordo_cuda_frontier *f, ordo_u32 round, bool any)
{
    if (__syncthreads_or(any) && threadIdx.x == 0)
        ordo_dev_store(&f->turn[(round + 1) % 3].count, 1u);
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
        MY(asked)(&a.frontier, round, mine.edges != before);
        grid.sync();
        if (ordo_dev_halted(&a.sections.halt, round))
            break;
    }
    ordo_dev_publish(a.run.counters, mine);
}

static ordo_status MY(run_lock)(ordo_cuda *c, ordo_cuda_arrays *arrays, int blocks)
{
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
    OP(state) state;
    bool twice;
    ordo_u64 universe;
    ordo_u32 owners, phases;
    ordo_topology_bin *bin;      /* [phases][owners], by the smaller one; all 0 between rounds */
    ordo_request *request;       /* [universe * OP(requests)] */
    ordo_u32 *busy;              /* [phases] the last round in which it had a request; 0 at first */
    ordo_cuda_frontier frontier; /* its words alone: `count` as above, `edges` is the room given out */
    ordo_cuda_halt halt;
    ordo_cuda_run run;
} MY(owner_args);

ORDO_DEV ordo_topology_bin *MY(bin)(const MY(owner_args) * a, const ordo_request *r)
{
    const ordo_u32 x = r->target[0] % a->owners, y = OP(dev_other)(r) % a->owners;
    if ((int)OP(targets) == 1 || x == y)
        return &a->bin[x];
    const ordo_u32 low = x < y ? x : y, high = x < y ? y : x, circle = a->owners - 1;
    const ordo_u32 phase = 1 + (low + (high == circle ? low : high)) % circle;
    return &a->bin[phase * a->owners + low];
}

/* A thread's part of visiting all items: `each(request)` for what they ask for. How many items. */
template <typename Each>
ORDO_DEV ordo_u64 MY(visit)(const MY(owner_args) * a, ordo_u64 me, ordo_u64 threads, Each each)
{
    ordo_u64 items = 0;
    for (ordo_u64 item = me; item < a->universe; item += threads, items++) {
        ordo_request request[OP(requests)];
        const ordo_u32 asked = OP(visit)(&a->state, (ordo_item)item, request);
        for (ordo_u32 k = 0; k < asked; k++)
            each((int)OP(requests) == 1 ? &request[0] : &request[k]); /* a known place stays in registers */
    }
    return items;
}

/* Room for what was counted, by all threads. */
ORDO_DEV void MY(make_room)(const MY(owner_args) * a, ordo_u32 round)
{
    __shared__ typename cub::BlockScan<ordo_u64, ORDO_CUDA_THREADS>::TempStorage scan;
    __shared__ ordo_u64 base;
    const ordo_u64 bins = (ordo_u64)a->phases * a->owners;
    for (ordo_u64 first = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS; first < bins;
         first += (ordo_u64)gridDim.x * ORDO_CUDA_THREADS) {
        const ordo_u64 i = first + threadIdx.x, count = i < bins ? a->bin[i].end : 0;
        ordo_u64 offset, total;
        cub::BlockScan<ordo_u64, ORDO_CUDA_THREADS>(scan).ExclusiveSum(count, offset, total);
        if (threadIdx.x == 0)
            base = total ? ordo_dev_add(&a->frontier.turn[(round + 1) % 3].edges, total) : 0;
        __syncthreads();
        if (count) {
            a->bin[i].begin = a->bin[i].end = base + offset;
            ordo_dev_store(&a->busy[i / a->owners], round);
        }
        __syncthreads();
    }
}

/* An owner's bin of a phase. It asks the host for itself: others may be waiting at the barrier by then. */
ORDO_DEV void MY(serve)(const MY(owner_args) * a, ordo_topology_bin *bin, ordo_u32 barrier, ordo_cuda_counters *mine,
                        ordo_u32 *rounds)
{
    const ordo_u64 end = bin->end;
    if (!end)
        return;
    ordo_request next = a->request[bin->begin]; /* on its way while the one before it is served */
    for (ordo_u64 i = bin->begin; i < end; i++) {
        if (ordo_dev_told(&a->halt, barrier, rounds, true))
            return;
        const ordo_request request = next;
        ordo_activation out[OP(activations) + 1];
        if (i + 1 < end)
            next = a->request[i + 1];
        OP(dev_section)(&a->state, a->twice, &request, out);
        mine->useful++;
    }
    bin->end = 0;
}

ORDO_KERNEL(ORDO_CUDA_THREADS) MY(owner_kernel)(const MY(owner_args) a)
{
    auto grid = cooperative_groups::this_grid();
    const ordo_u64 threads = (ordo_u64)gridDim.x * ORDO_CUDA_THREADS;
    const ordo_u64 me = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS + threadIdx.x;
    const ordo_u64 first = (threadIdx.x % 32 * (ORDO_CUDA_THREADS / 32) + threadIdx.x / 32) * gridDim.x + blockIdx.x;
    ordo_cuda_counters mine = {};
    ordo_u32 rounds = 0, barrier = 1; /* those of serving, which a halt goes by */
    bool going = true;
    for (ordo_u32 round = 1; going && MY(begin)(&a.frontier, round, &a.run, a.universe); round++) {
        const ordo_u64 before = mine.edges;
        mine.items += MY(visit)(&a, me, threads, [&](const ordo_request *r) {
            ordo_dev_add(&MY(bin)(&a, r)->end, (ordo_u64)1);
            mine.edges++;
        });
        MY(asked)(&a.frontier, round, mine.edges != before);
        grid.sync();
        if (!ordo_dev_load(&a.frontier.turn[(round + 1) % 3].count))
            break;
        MY(make_room)(&a, round);
        grid.sync();
        MY(visit)(&a, me, threads, [&](const ordo_request *r) {
            a.request[ordo_dev_add(&MY(bin)(&a, r)->end, (ordo_u64)1)] = *r;
        });
        for (ordo_u32 phase = 0; going && phase < a.phases; phase++) {
            if (ordo_dev_load(&a.busy[phase]) != round)
                continue;
            grid.sync();
            going = !ordo_dev_halted(&a.halt, barrier++);
            for (ordo_u64 owner = first; going && owner < a.owners; owner += threads)
                MY(serve)(&a, &a.bin[phase * a.owners + owner], barrier, &mine, &rounds);
        }
        if (going) {
            grid.sync();
            going = !ordo_dev_halted(&a.halt, barrier++);
        }
    }
    ordo_dev_publish(a.run.counters, mine);
}

static ordo_status MY(run_owner)(ordo_cuda *c, ordo_cuda_arrays *arrays, int blocks)
{
    const ordo_job *job = c->job;
    const void *kernel = ordo_cuda_kernel((const void *)MY(owner_kernel));
    const bool pairs = (int)OP(targets) == 2;
    MY(owner_args) a = {};
    int grid = 0;
    ordo_status status = ordo_cuda_grid(kernel, ORDO_CUDA_THREADS, blocks, &grid);
    if (!status)
        status = OP(cuda_state)(c, &a.state, arrays);
    if (!status)
        status = OP(cuda_frontier)(c, false, &a.frontier, &a.halt);
    if (status)
        return status;
    a.twice = OP(cuda_twice)(job);
    a.universe = job->universe;
    a.owners = ordo_topology_owners((ordo_u32)job->tunable[TOPOLOGY_OWNERS], pairs, job->universe, job->targets,
                                    (ordo_u64)grid * ORDO_CUDA_THREADS);
    a.phases = pairs ? a.owners : 1;
    a.run = c->run;
    if (!(a.bin = (ordo_topology_bin *)ordo_cuda_alloc(c, (ordo_u64)a.phases * a.owners, sizeof *a.bin, true)) ||
        !(a.busy = (ordo_u32 *)ordo_cuda_alloc(c, a.phases, sizeof *a.busy, true)) ||
        !(a.request = (ordo_request *)ordo_cuda_alloc(c, job->universe * OP(requests), sizeof *a.request, false)))
        return ORDO_ERR_MEMORY;
    void *args[] = {&a};
    return ordo_cuda_launch(c, kernel, ORDO_CUDA_THREADS, blocks, args);
}

static ordo_status MY(run_job)(ordo_job *job)
{
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    const int blocks = (int)job->tunable[TOPOLOGY_BLOCKS];
    ordo_status status = ordo_cuda_begin(job, 0, false, &c);
    if (!status)
        status = job->sync == ORDO_SYNC_LOCK ? MY(run_lock)(&c, &arrays, blocks) : MY(run_owner)(&c, &arrays, blocks);
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}

ORDO_CUDA_INSTANCE(topology, MY(run_job), 1u << ORDO_SYNC_OWNER | 1u << ORDO_SYNC_LOCK)
#undef MY
