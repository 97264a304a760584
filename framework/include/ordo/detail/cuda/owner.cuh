/* cuda_owner.cuh -- critical operators on the device: owner-computes, without locks, and without atomics on targets.
 *
 * Included by cuda_critical.cuh, once per operator. <ordo/detail/cpu/owner.h> is the CPU's.
 *
 *   op_dev_owned        a superstep over a list of items
 *   op_dev_goes_on      the barrier behind it
 *   op_cuda_run_owned   launches a kernel of such supersteps
 *
 * Method. Targets are split among owners, a thread each. A superstep
 *   counts    calls `prepare` of all items and counts their requests in bins, one bin for each pair of owners;
 *   makes room, by a prefix sum over the bins of a block, whose beginning an atomic hands out;
 *   fills     calls `prepare` again. No section has run since, so the requests are the same: each goes into its bin;
 *   serves    in phases that grid barriers separate. In phase 0 an owner serves the requests whose targets are all its
 *             own; in later ones owners are paired off as in a round-robin tournament, by the circle method, and the
 *             smaller one of a pair serves the requests for both. Phases without requests are skipped. With one target
 *             per request there is phase 0 alone.
 *
 * The circle method: with an even number P of owners, all but the last stand on a circle of P - 1. In phase 1 + k
 * owners a and b of the circle meet if a + b = k (mod P - 1), and the last one meets the owner a with 2 a = k, which
 * would meet itself. For each a there is one such b, and one such a for each k, as P - 1 is odd: no owner is in two
 * pairs of a phase, and every pair meets in one. So a bin is found by its phase and its smaller owner, and an owner
 * finds its bins without computing whom it meets.
 *
 * Memory order. During a phase a target is accessed by one thread only, and a bin by its owner. The grid barrier before
 * it is acquire and release for all threads of the grid: so that thread sees what others have written to its targets,
 * to the bins and to the requests, and sections, which load and store plainly, need no fence of their own. Sections of
 * one item's requests may run at the same time where they own different targets, as they do on the CPU. A bin is served
 * in any order: places are reserved by an atomic.
 *
 * Ownership: targets are dealt out round-robin, for hot ones are often neighbours (users before things, hubs with small
 * numbers). Where the number of owners is chosen here it is odd or twice an odd number, since otherwise hot targets
 * that differ by powers of two, as in RMAT graphs, would have few owners. Owners are dealt out to blocks first, then to
 * warps, and to lanes last, so that neighbours wait for memory at the same time.
 *   A phase costs a barrier, and a section an owner's round trip to memory or two: so with two targets per request the
 * number of owners is about the square root of the number of items.
 *
 * Not done: requests that wait for room; there is room for as many as all items may make.
 */
#ifndef ORDO_CUDA_OWNER_ONCE
#define ORDO_CUDA_OWNER_ONCE

/* Where a bin's requests are. `end` counts them first, and is then the place of the next one; 0 when they are served.
 */
typedef struct ordo_cuda_bin {
    ordo_u64 begin, end;
} ordo_cuda_bin;

enum { ORDO_CUDA_OWNERS_PAIRED = 1022 }; /* twice an odd number: see above */

/* The number of owners: as many as are asked for, or where that is 0 as the run needs. */
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

typedef struct op_cuda_owners {
    op_state state;
    bool may_repeat;
    ordo_u32 owners, phases;
    ordo_cuda_bin *bin;    /* [phases][owners], by the smaller one; all 0 between supersteps */
    ordo_request *request; /* [num_items * op_requests] */
    ordo_u32 *busy;        /* [phases] the last superstep in which it had a request; 0 at first */
    ordo_cuda_halt halt;   /* its steps are the barriers between phases */
} op_cuda_owners;

/* By one thread: the bin of a request. */
ORDO_DEV ordo_cuda_bin *op_dev_bin(const op_cuda_owners *o, const ordo_request *r)
{
    const ordo_u32 x = r->target[0] % o->owners, y = op_dev_other(r) % o->owners;
    if ((int)op_targets == 1 || x == y)
        return &o->bin[x];
    const ordo_u32 low = x < y ? x : y, high = x < y ? y : x, circle = o->owners - 1;
    const ordo_u32 phase = 1 + (low + (high == circle ? low : high)) % circle;
    return &o->bin[phase * o->owners + low];
}

/* By the whole grid: calls `prepare` of the items, each in one thread, and `each(request)` for their requests. Returns
 * the number of the thread's items. */
template <typename Each>
ORDO_DEV ordo_u64 op_dev_ask(const op_cuda_owners *o, const ordo_item *list, ordo_u64 count, Each each)
{
    const ordo_u64 threads = (ordo_u64)gridDim.x * ORDO_CUDA_THREADS;
    ordo_u64 items = 0;
    for (ordo_u64 i = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS + threadIdx.x; i < count; i += threads, items++) {
        ordo_request request[op_requests];
        const ordo_u32 asked = op_prepare(&o->state, list ? list[i] : (ordo_item)i, request);
        for (ordo_u32 k = 0; k < asked; k++)
            each((int)op_requests == 1 ? &request[0]
                                       : &request[k]); /* with a constant index the array stays in registers */
    }
    return items;
}

/* By the whole grid: reserves room for what was counted; *given becomes how much that is in all. */
ORDO_DEV void op_dev_make_room(const op_cuda_owners *o, ordo_u32 step, ordo_u64 *given)
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

/* By one thread: serves an owner's bin of a phase. It asks the host itself: others may wait at the barrier by then. */
template <typename Sink>
ORDO_DEV void op_dev_serve(const op_cuda_owners *o, ordo_cuda_bin *bin, ordo_u32 barrier, ordo_cuda_counters *mine,
                           ordo_u32 *rounds, Sink sink)
{
    const ordo_u64 end = bin->end;
    if (!end)
        return;
    ordo_request next = o->request[bin->begin]; /* loaded while the one before it is served */
    for (ordo_u64 i = bin->begin; i < end; i++) {
        if (ordo_dev_told(&o->halt, barrier, rounds, true))
            return;
        const ordo_request request = next;
        ordo_activation out[op_activations + 1];
        if (i + 1 < end)
            next = o->request[i + 1];
        const ordo_u32 activated = op_dev_commit(&o->state, o->may_repeat, &request, out);
        mine->useful++;
        if (op_activates)
            for (ordo_u32 k = 0; k < activated; k++)
                mine->activations += sink(out[k]);
    }
    bin->end = 0;
}

/* By the whole grid: superstep `step` over `count` items of `list`, or 0 .. count - 1. *given, the superstep's own
 * counter, is 0 before it. What sections activate goes to `sink(activation)`, in one thread, which returns whether that
 * is new on a worklist; whole blocks call `done()` between phases: to flush. *barrier counts the barriers that a halt
 * is numbered by, from 1 on. Returns false, in all threads alike, where there was no request or the run is to end; else
 * op_dev_goes_on must follow. */
template <typename Sink, typename Done>
ORDO_DEV bool op_dev_owned(const op_cuda_owners *o, const ordo_item *list, ordo_u64 count, ordo_u32 step,
                           ordo_u64 *given, ordo_u32 *barrier, ordo_cuda_counters *mine, ordo_u32 *rounds, Sink sink,
                           Done done)
{
    auto grid = cooperative_groups::this_grid();
    const ordo_u64 threads = (ordo_u64)gridDim.x * ORDO_CUDA_THREADS;
    const ordo_u64 first = (threadIdx.x % 32 * (ORDO_CUDA_THREADS / 32) + threadIdx.x / 32) * gridDim.x + blockIdx.x;
    mine->items += op_dev_ask(o, list, count, [&](const ordo_request *r) {
        ordo_dev_add(&op_dev_bin(o, r)->end, (ordo_u64)1);
        mine->edges++;
    });
    grid.sync();
    op_dev_make_room(o, step, given);
    grid.sync();
    if (!ordo_dev_load(given))
        return false;
    op_dev_ask(o, list, count,
               [&](const ordo_request *r) { o->request[ordo_dev_add(&op_dev_bin(o, r)->end, (ordo_u64)1)] = *r; });
    bool going = true;
    for (ordo_u32 phase = 0; going && phase < o->phases; phase++) {
        if (ordo_dev_load(&o->busy[phase]) != step)
            continue;
        grid.sync();
        going = !ordo_dev_halted(&o->halt, (*barrier)++);
        for (ordo_u64 owner = first; going && owner < o->owners; owner += threads)
            op_dev_serve(o, &o->bin[phase * o->owners + owner], *barrier, mine, rounds, sink);
        if (op_activates)
            done();
    }
    return going;
}

/* By the whole grid: the barrier that ends a superstep; false where the run is to end. */
ORDO_DEV bool op_dev_goes_on(const op_cuda_owners *o, ordo_u32 *barrier)
{
    cooperative_groups::this_grid().sync();
    return !ordo_dev_halted(&o->halt, (*barrier)++);
}

/* On the host: launches a kernel whose arguments have `owners`, `frontier` (with lists of items, or counters alone) and
 * `run`; `asked` owners, or where that is 0 as many as `blocks` blocks per multiprocessor can use. */
template <typename Args>
static ordo_status op_cuda_run_owned(ordo_cuda *c, const void *function, ordo_u32 asked, int blocks, bool lists,
                                     ordo_cuda_arrays *arrays, Args *a)
{
    const ordo_job *job = c->job;
    const void *kernel = ordo_cuda_kernel(function);
    const bool pairs = (int)op_targets == 2;
    op_cuda_owners *const o = &a->owners;
    int grid = 0;
    ordo_status status = ordo_cuda_grid(kernel, ORDO_CUDA_THREADS, blocks, &grid);
    if (!status)
        status = op_cuda_state(c, &o->state, arrays);
    if (!status)
        status = op_cuda_frontier(c, lists, &a->frontier, &o->halt);
    if (status)
        return status;
    o->may_repeat = op_cuda_may_repeat(job);
    o->owners = ordo_cuda_owner_count(asked, pairs, job->num_items, job->targets, (ordo_u64)grid * ORDO_CUDA_THREADS);
    o->phases = pairs ? o->owners : 1;
    a->run = c->run;
    const ordo_u64 bins = (ordo_u64)o->phases * o->owners, requests = job->num_items * (ordo_u64)op_requests;
    if (!(o->bin = (ordo_cuda_bin *)ordo_cuda_alloc(c, bins, sizeof *o->bin, true)) ||
        !(o->busy = (ordo_u32 *)ordo_cuda_alloc(c, o->phases, sizeof *o->busy, true)) ||
        !(o->request = (ordo_request *)ordo_cuda_alloc(c, requests, sizeof *o->request, false)))
        return ORDO_ERR_MEMORY;
    void *args[] = {a};
    return ordo_cuda_launch(c, kernel, ORDO_CUDA_THREADS, blocks, args);
}
