/* cuda_owner.cuh -- critical operators on the device: owner-computes, without locks, and without atomics on targets.
 *
 * Included by cuda_critical.cuh, once per operator. <ordo/owner.h> is the CPU's.
 *
 *   OP(dev_owned)        a superstep over a list of items, by all threads of the grid
 *   OP(dev_goes_on)      the barrier behind it
 *   OP(cuda_run_owned)   launches a kernel of such supersteps
 *
 * Targets are split among owners, a thread each. A superstep
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
#ifndef ORDO_CUDA_OWNER_ONCE
#define ORDO_CUDA_OWNER_ONCE

/* Where a bin's requests are: `end` counts them first, then where the next one goes; 0 when they are served. */
typedef struct ordo_cuda_bin {
    ordo_u64 begin, end;
} ordo_cuda_bin;

enum { ORDO_CUDA_OWNERS_PAIRED = 1022 }; /* twice an odd number: see above */

/* How many, where `asked` is 0. */
static inline ordo_u32 ordo_cuda_owner_count(ordo_u32 asked, bool pairs, ordo_u64 items, ordo_u64 targets,
                                             ordo_u64 threads)
{
    if (asked)
        return pairs ? asked + asked % 2 : asked;
    ordo_u64 count = pairs ? (ordo_u64)sqrt((double)items) : threads;
    count = count < targets ? count : targets;
    if (!pairs)
        return (ordo_u32)(count ? count - (count % 2 == 0) : 1);
    return (ordo_u32)(count < ORDO_CUDA_OWNERS_PAIRED ? count / 4 * 4 + 2 : ORDO_CUDA_OWNERS_PAIRED);
}

#endif

typedef struct OP(cuda_owners) {
    OP(state) state;
    bool twice;
    ordo_u32 owners, phases;
    ordo_cuda_bin *bin;    /* [phases][owners], by the smaller one; all 0 between supersteps */
    ordo_request *request; /* [universe * OP(requests)] */
    ordo_u32 *busy;        /* [phases] the last superstep in which it had a request; 0 at first */
    ordo_cuda_halt halt;   /* goes by barriers between phases */
} OP(cuda_owners);

ORDO_DEV ordo_cuda_bin *OP(dev_bin)(const OP(cuda_owners) * o, const ordo_request *r)
{
    const ordo_u32 x = r->target[0] % o->owners, y = OP(dev_other)(r) % o->owners;
    if ((int)OP(targets) == 1 || x == y)
        return &o->bin[x];
    const ordo_u32 low = x < y ? x : y, high = x < y ? y : x, circle = o->owners - 1;
    const ordo_u32 phase = 1 + (low + (high == circle ? low : high)) % circle;
    return &o->bin[phase * o->owners + low];
}

/* A thread's part of visiting the items: `each(request)` for what they ask for. How many items. */
template <typename Each>
ORDO_DEV ordo_u64 OP(dev_ask)(const OP(cuda_owners) * o, const ordo_item *list, ordo_u64 count, Each each)
{
    const ordo_u64 threads = (ordo_u64)gridDim.x * ORDO_CUDA_THREADS;
    ordo_u64 items = 0;
    for (ordo_u64 i = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS + threadIdx.x; i < count; i += threads, items++) {
        ordo_request request[OP(requests)];
        const ordo_u32 asked = OP(visit)(&o->state, list ? list[i] : (ordo_item)i, request);
        for (ordo_u32 k = 0; k < asked; k++)
            each((int)OP(requests) == 1 ? &request[0] : &request[k]); /* a known place stays in registers */
    }
    return items;
}

/* Room for what was counted, by all threads; *given says how much, in all. */
ORDO_DEV void OP(dev_make_room)(const OP(cuda_owners) * o, ordo_u32 step, ordo_u64 *given)
{
    __shared__ typename cub::BlockScan<ordo_u64, ORDO_CUDA_THREADS>::TempStorage scan;
    __shared__ ordo_u64 base;
    const ordo_u64 bins = (ordo_u64)o->phases * o->owners;
    for (ordo_u64 first = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS; first < bins;
         first += (ordo_u64)gridDim.x * ORDO_CUDA_THREADS) {
        const ordo_u64 i = first + threadIdx.x, count = i < bins ? o->bin[i].end : 0;
        ordo_u64 offset, total;
        cub::BlockScan<ordo_u64, ORDO_CUDA_THREADS>(scan).ExclusiveSum(count, offset, total);
        if (threadIdx.x == 0)
            base = total ? ordo_dev_add(given, total) : 0;
        __syncthreads();
        if (count) {
            o->bin[i].begin = o->bin[i].end = base + offset;
            ordo_dev_store(&o->busy[i / o->owners], step);
        }
        __syncthreads();
    }
}

/* An owner's bin of a phase. It asks the host for itself: others may be waiting at the barrier by then. */
template <typename Sink>
ORDO_DEV void OP(dev_serve)(const OP(cuda_owners) * o, ordo_cuda_bin *bin, ordo_u32 barrier, ordo_cuda_counters *mine,
                            ordo_u32 *rounds, Sink sink)
{
    const ordo_u64 end = bin->end;
    if (!end)
        return;
    ordo_request next = o->request[bin->begin]; /* on its way while the one before it is served */
    for (ordo_u64 i = bin->begin; i < end; i++) {
        if (ordo_dev_told(&o->halt, barrier, rounds, true))
            return;
        const ordo_request request = next;
        ordo_activation out[OP(activations) + 1];
        if (i + 1 < end)
            next = o->request[i + 1];
        const ordo_u32 activated = OP(dev_section)(&o->state, o->twice, &request, out);
        mine->useful++;
        if (OP(activates))
            for (ordo_u32 k = 0; k < activated; k++)
                mine->activations += sink(out[k]);
    }
    bin->end = 0;
}

/* Superstep `step` over `count` items of `list`, or 0 .. count - 1, by all threads of the grid. *given, the superstep's
 * own, is 0 before it. What sections activate goes to `sink(activation)`, which says whether that is new on a worklist;
 * `done()` runs between phases, by all threads: to flush. *barrier counts the barriers that a halt goes by, from 1 on.
 * False, for all alike, where nothing was asked for or the run is to end; else OP(dev_goes_on) must follow. */
template <typename Sink, typename Done>
ORDO_DEV bool OP(dev_owned)(const OP(cuda_owners) * o, const ordo_item *list, ordo_u64 count, ordo_u32 step,
                            ordo_u64 *given, ordo_u32 *barrier, ordo_cuda_counters *mine, ordo_u32 *rounds, Sink sink,
                            Done done)
{
    auto grid = cooperative_groups::this_grid();
    const ordo_u64 threads = (ordo_u64)gridDim.x * ORDO_CUDA_THREADS;
    const ordo_u64 first = (threadIdx.x % 32 * (ORDO_CUDA_THREADS / 32) + threadIdx.x / 32) * gridDim.x + blockIdx.x;
    mine->items += OP(dev_ask)(o, list, count, [&](const ordo_request *r) {
        ordo_dev_add(&OP(dev_bin)(o, r)->end, (ordo_u64)1);
        mine->edges++;
    });
    grid.sync();
    OP(dev_make_room)(o, step, given);
    grid.sync();
    if (!ordo_dev_load(given))
        return false;
    OP(dev_ask)(o, list, count, [&](const ordo_request *r) {
        o->request[ordo_dev_add(&OP(dev_bin)(o, r)->end, (ordo_u64)1)] = *r;
    });
    bool going = true;
    for (ordo_u32 phase = 0; going && phase < o->phases; phase++) {
        if (ordo_dev_load(&o->busy[phase]) != step)
            continue;
        grid.sync();
        going = !ordo_dev_halted(&o->halt, (*barrier)++);
        for (ordo_u64 owner = first; going && owner < o->owners; owner += threads)
            OP(dev_serve)(o, &o->bin[phase * o->owners + owner], *barrier, mine, rounds, sink);
        if (OP(activates))
            done();
    }
    return going;
}

/* The grid barrier that ends a superstep; false where the run is to end. */
ORDO_DEV bool OP(dev_goes_on)(const OP(cuda_owners) * o, ordo_u32 *barrier)
{
    cooperative_groups::this_grid().sync();
    return !ordo_dev_halted(&o->halt, (*barrier)++);
}

/* Launches a kernel whose arguments have `owners`, `frontier` (with lists of items, or its words alone) and `run`.
 * `asked` owners, or as many as are useful on `blocks` blocks a multiprocessor where that is 0. */
template <typename Args>
static ordo_status OP(cuda_run_owned)(ordo_cuda *c, const void *function, ordo_u32 asked, int blocks, bool lists,
                                      ordo_cuda_arrays *arrays, Args *a)
{
    const ordo_job *job = c->job;
    const void *kernel = ordo_cuda_kernel(function);
    const bool pairs = (int)OP(targets) == 2;
    OP(cuda_owners) *const o = &a->owners;
    int grid = 0;
    ordo_status status = ordo_cuda_grid(kernel, ORDO_CUDA_THREADS, blocks, &grid);
    if (!status)
        status = OP(cuda_state)(c, &o->state, arrays);
    if (!status)
        status = OP(cuda_frontier)(c, lists, &a->frontier, &o->halt);
    if (status)
        return status;
    o->twice = OP(cuda_twice)(job);
    o->owners = ordo_cuda_owner_count(asked, pairs, job->universe, job->targets, (ordo_u64)grid * ORDO_CUDA_THREADS);
    o->phases = pairs ? o->owners : 1;
    a->run = c->run;
    const ordo_u64 bins = (ordo_u64)o->phases * o->owners, requests = job->universe * (ordo_u64)OP(requests);
    if (!(o->bin = (ordo_cuda_bin *)ordo_cuda_alloc(c, bins, sizeof *o->bin, true)) ||
        !(o->busy = (ordo_u32 *)ordo_cuda_alloc(c, o->phases, sizeof *o->busy, true)) ||
        !(o->request = (ordo_request *)ordo_cuda_alloc(c, requests, sizeof *o->request, false)))
        return ORDO_ERR_MEMORY;
    void *args[] = {a};
    return ordo_cuda_launch(c, kernel, ORDO_CUDA_THREADS, blocks, args);
}
