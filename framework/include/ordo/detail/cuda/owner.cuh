/* owner.cuh -- critical operators on the device: owner-computes, without locks, and without atomics on targets.
 *
 * Included by critical.cuh, once per operator. The CPU's counterpart is <ordo/detail/cpu/owner.h>.
 *
 *   op_dev_owned        a superstep over a list of items
 *   op_dev_goes_on      the barrier after a superstep
 *   op_cuda_run_owned   launches a kernel of such supersteps
 *
 * Method. Targets are split among owners, a thread each. A superstep
 *   counts    prepares all items and counts their requests in bins, one bin for each pair of owners;
 *   reserves  places for the requests, by a prefix sum over the bins of a block, whose first place an atomic assigns;
 *   fills     prepares all items again. No critical section has run since, so the requests are the same, and each is
 *             written to its bin;
 *   serves    runs the requests, in phases separated by grid barriers. In phase 0 an owner runs the requests whose
 *             targets are all its own; in later phases owners are paired as in a round-robin tournament, by the circle
 *             method, and the owner with the smaller number runs the requests of the pair. Phases without requests are
 *             skipped. With one target per request there is only phase 0.
 *
 * The circle method: with an even number P of owners, all but the last stand on a circle of P - 1. In phase 1 + k
 * owners a and b of the circle meet if a + b = k (mod P - 1), and the last one meets the owner a with 2 a = k, which
 * would meet itself. For each a there is one such b, and for each k one such a with a = b, as P - 1 is odd: so no owner
 * is in two pairs of a phase, and every pair meets in one phase. A bin is therefore found by its phase and its smaller
 * owner, and an owner finds its bins without computing its partners.
 *
 * Requests of more than two targets run by race-and-resolve instead, in rounds: every pending request claims its
 * targets, by an atomic minimum of their words and its key; behind a grid barrier those run that find their key in all
 * of their words; the others are listed for the next round. <ordo/detail/cpu/owner.h> has the argument. A round is
 * numbered by the barriers between phases, and keys of later rounds are smaller.
 *
 * Memory order. During a phase a target is accessed by one thread only, and a bin by its owner. The grid barrier before
 * the phase is acquire and release for all threads of the grid: so that thread sees what other threads have written to
 * its targets, to the bins and to the requests, and critical sections, which use plain loads and stores, need no fence.
 * Critical sections of one item's requests may run at the same time if they own different targets, as on the CPU.
 * Requests of a bin run in any order, since their places are reserved by an atomic.
 *
 * Ownership: targets are assigned to owners round-robin, because hot targets often have consecutive numbers (users
 * before things, hubs with small numbers). The default number of owners is odd or two times an odd number, since
 * otherwise hot targets whose numbers differ by powers of two, as in RMAT graphs, would share few owners. Owners are
 * assigned to blocks first, then to warps, and to lanes last, so that consecutive owners wait for memory at the same
 * time.
 *   A phase costs a barrier, and a critical section costs its owner one or two round trips to memory: so with two
 * targets per request the number of owners is about the square root of the number of items.
 *
 * Not done: requests that wait for memory. There is memory for all requests that the items can make.
 */
#ifndef ORDO_CUDA_OWNER_ONCE
#define ORDO_CUDA_OWNER_ONCE

/* The place of a bin's requests. `end` first counts them, then is the place of the next one; 0 after they have run. */
typedef struct ordo_cuda_bin {
    ordo_u64 begin, end;
} ordo_cuda_bin;

/* Of requests of many targets; of others nothing. */
typedef struct ordo_cuda_claims {
    ordo_u64 *claim;      /* [targets] race-and-resolve: the least key; initially ~0 */
    ordo_u32 *pending[2]; /* [requests] those of even and odd rounds, but for the first */
    ordo_u32 *left;       /* [3] their numbers, by rounds; triple-buffered */
} ordo_cuda_claims;
typedef struct ordo_cuda_no_claims {
} ordo_cuda_no_claims;

enum { ORDO_CUDA_OWNERS_PAIRED = 1022 }; /* two times an odd number: see above */

/* The number of owners: `asked`, or the default if that is 0. */
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

struct op_cuda_owners : ordo_dev_either<(int)op_many != 0, ordo_cuda_claims, ordo_cuda_no_claims>::type {
    op_state state;
    bool may_repeat;
    ordo_u32 owners, phases;
    ordo_cuda_bin *bin;  /* [phases][owners], indexed by the smaller owner of the pair; all 0 between supersteps */
    op_request *request; /* [num_items * op_requests], or of all edges: [m * op_requests] */
    ordo_u32 *busy;      /* [phases] the last superstep in which the phase had a request; initially 0 */
    ordo_cuda_halt halt; /* its steps are the barriers between phases */
};

/* By one thread: the bin of a request. */
ORDO_DEV ordo_cuda_bin *op_dev_bin(const op_cuda_owners *o, const op_request *r)
{
    const ordo_u32 x = r->target[0] % o->owners, y = op_dev_other(r) % o->owners;
    if ((int)op_targets == 1 || x == y)
        return &o->bin[x];
    const ordo_u32 low = x < y ? x : y, high = x < y ? y : x, circle = o->owners - 1;
    const ordo_u32 phase = 1 + (low + (high == circle ? low : high)) % circle;
    return &o->bin[phase * o->owners + low];
}

/* By the whole grid: prepares the items, each in one thread, and calls `each(request)` for their requests. Returns the
 * number of items that the calling thread has prepared. */
template <typename Each>
ORDO_DEV ordo_u64 op_dev_ask(const op_state *state, const ordo_item *list, ordo_u64 count, Each each)
{
    const ordo_u64 threads = (ordo_u64)gridDim.x * ORDO_CUDA_THREADS;
    ordo_u64 items = 0;
    if constexpr ((int)op_expands != 0) { /* whole warps, whose lanes share the rows */
        op_request request[op_requests];
        op_dev_rows rows;
        const ordo_u64 begin = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS + threadIdx.x / 32 * 32;
        for (ordo_u64 i = begin; i < count; i += threads) {
            const ordo_u64 at = i + threadIdx.x % 32;
            op_dev_rows_begin(state, &rows, at < count, at < count ? (list ? list[at] : (ordo_item)at) : 0);
            items += at < count;
            while (rows.first < rows.total) {
                const ordo_u32 asked = op_dev_rows_next(state, &rows, request);
                for (ordo_u32 k = 0; k < asked; k++)
                    each(&request[k]);
            }
        }
    } else {
        for (ordo_u64 i = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS + threadIdx.x; i < count; i += threads, items++) {
            op_request request[op_requests];
            const ordo_u32 asked = op_prepare(state, list ? list[i] : (ordo_item)i, request);
            for (ordo_u32 k = 0; k < asked; k++)
                each((int)op_requests == 1 ? &request[0]
                                           : &request[k]); /* a constant index keeps the array in registers */
        }
    }
    return items;
}

/* By the whole grid: reserves places for the counted requests; *given becomes their total. */
ORDO_DEV void op_dev_reserve_places(const op_cuda_owners *o, ordo_u32 step, ordo_u64 *given)
{
    __shared__ ordo_dev_scan<ordo_u64, ORDO_CUDA_THREADS> scan;
    __shared__ ordo_u64 base;
    const ordo_u64 bins = (ordo_u64)o->phases * o->owners;
    for (ordo_u64 first = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS; first < bins;
         first += (ordo_u64)gridDim.x * ORDO_CUDA_THREADS) {
        const ordo_u64 i = first + threadIdx.x, count = i < bins ? o->bin[i].end : 0;
        ordo_u64 total;
        const ordo_u64 offset = ordo_dev_sum_before(&scan, count, &total);
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

/* By one thread: runs the requests in an owner's bin of a phase. The thread reads the host's mailbox itself, because
 * the thread that does so otherwise may already wait at the barrier. */
template <typename Sink>
ORDO_DEV void op_dev_serve(const op_cuda_owners *o, const ordo_cuda_traced &traced, ordo_cuda_bin *bin,
                           ordo_u32 barrier, ordo_cuda_counters *mine, ordo_u32 *rounds, Sink sink)
{
    const ordo_u64 end = bin->end;
    if (!end)
        return;
    op_request next = o->request[bin->begin]; /* loaded while the request before it runs */
    for (ordo_u64 i = bin->begin; i < end; i++) {
        if (ordo_dev_told(&o->halt, barrier, rounds, true))
            return;
        ordo_dev_told_show(traced, *rounds, *mine);
        const op_request request = next;
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

/* By one thread: whether request i has won this round. */
ORDO_DEV bool op_dev_won(const ordo_u64 *claim, const op_request *r, ordo_u64 key)
{
    for (ordo_u32 k = 0; k < r->targets; k++)
        if (ordo_dev_load((ordo_u64 *)&claim[r->target[k]]) != key)
            return false;
    return true;
}

/* By the whole grid: op_dev_owned by race-and-resolve. */
template <typename Owners, typename Sink, typename Done>
ORDO_DEV bool op_dev_claimed(const Owners *o, const ordo_cuda_traced &traced, const ordo_item *list, ordo_u64 count,
                             ordo_u64 *given, ordo_u32 *barrier, ordo_cuda_counters *mine, ordo_u32 *rounds, Sink sink,
                             Done done)
{
    auto grid = cooperative_groups::this_grid();
    const ordo_u64 threads = (ordo_u64)gridDim.x * ORDO_CUDA_THREADS;
    const ordo_u64 first = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS + threadIdx.x;
    if (first < 3)
        ordo_dev_store(&o->left[first], 0u);
    mine->items += op_dev_ask(&o->state, list, count, [&](const op_request *r) {
        o->request[ordo_dev_add(given, (ordo_u64)1)] = *r;
        mine->edges++;
    });
    grid.sync();
    ordo_u64 left = ordo_dev_load(given);
    if (!left)
        return false;
    bool going = true;
    for (ordo_u32 round = 0; left && going; round++) {
        const ordo_u32 *const pending = round ? o->pending[round & 1] : NULL;
        const ordo_u64 high = (ordo_u64) ~*barrier << 32;
        if (first == 0) /* read behind the barrier before the last, written by this round's successor */
            ordo_dev_store(&o->left[(round + 1) % 3], 0u);
        for (ordo_u64 i = first; i < left; i += threads) {
            const ordo_u64 index = pending ? ordo_dev_load((ordo_u32 *)&pending[i]) : i;
            const op_request *const r = &o->request[index];
            for (ordo_u32 k = 0; k < r->targets; k++)
                ordo_dev_min(&o->claim[r->target[k]], high | index);
        }
        grid.sync();
        for (ordo_u64 i = first; i < left; i += threads) {
            if (ordo_dev_told(&o->halt, *barrier, rounds, true))
                break;
            ordo_dev_told_show(traced, *rounds, *mine);
            const ordo_u64 index = pending ? ordo_dev_load((ordo_u32 *)&pending[i]) : i;
            const op_request request = o->request[index];
            if (!op_dev_won(o->claim, &request, high | index)) {
                const ordo_u32 at = ordo_dev_add(&o->left[round % 3], 1u);
                ordo_dev_store(&o->pending[(round + 1) & 1][at], (ordo_u32)index);
                continue;
            }
            ordo_activation out[op_activations + 1];
            const ordo_u32 activated = op_dev_commit(&o->state, o->may_repeat, &request, out);
            mine->useful++;
            if (op_activates)
                for (ordo_u32 k = 0; k < activated; k++)
                    mine->activations += sink(out[k]);
        }
        if (op_activates)
            done();
        grid.sync();
        left = ordo_dev_load(&o->left[round % 3]);
        going = !ordo_dev_halted(&o->halt, (*barrier)++);
    }
    ordo_live_add(traced, *mine);
    ordo_live_state(traced, ORDO_AT_BARRIER);
    return going;
}

/* By the whole grid: superstep `step` over `count` items of `list`, or 0 .. count - 1. *given, a counter for this
 * superstep only, must be 0 before. For each activation one thread calls `sink(activation)`, which returns whether the
 * item is new on a worklist; whole blocks call `done()` between phases, to flush. *barrier counts the barriers, from 1
 * on; a halt is numbered by them. Returns false, in all threads alike, if there was no request or the run is to end;
 * else op_dev_goes_on must follow. `traced`: that of the run, or empty. */
template <typename Sink, typename Done>
ORDO_DEV bool op_dev_owned(const op_cuda_owners *o, const ordo_cuda_traced &traced, const ordo_item *list,
                           ordo_u64 count, ordo_u32 step, ordo_u64 *given, ordo_u32 *barrier, ordo_cuda_counters *mine,
                           ordo_u32 *rounds, Sink sink, Done done)
{
    ordo_live_state(traced, ORDO_BUSY);
    if constexpr ((int)op_many != 0)
        return op_dev_claimed(o, traced, list, count, given, barrier, mine, rounds, sink, done);
    auto grid = cooperative_groups::this_grid();
    const ordo_u64 threads = (ordo_u64)gridDim.x * ORDO_CUDA_THREADS;
    const ordo_u64 first = (threadIdx.x % 32 * (ORDO_CUDA_THREADS / 32) + threadIdx.x / 32) * gridDim.x + blockIdx.x;
    mine->items += op_dev_ask(&o->state, list, count, [&](const op_request *r) {
        ordo_dev_add(&op_dev_bin(o, r)->end, (ordo_u64)1);
        mine->edges++;
    });
    ordo_live_add(traced, *mine);
    grid.sync();
    op_dev_reserve_places(o, step, given);
    grid.sync();
    if (!ordo_dev_load(given))
        return false;
    op_dev_ask(&o->state, list, count,
               [&](const op_request *r) { o->request[ordo_dev_add(&op_dev_bin(o, r)->end, (ordo_u64)1)] = *r; });
    bool going = true;
    for (ordo_u32 phase = 0; going && phase < o->phases; phase++) {
        if (ordo_dev_load(&o->busy[phase]) != step)
            continue;
        ordo_live_state(traced, ORDO_AT_BARRIER);
        grid.sync();
        ordo_live_state(traced, ORDO_BUSY);
        going = !ordo_dev_halted(&o->halt, (*barrier)++);
        for (ordo_u64 owner = first; going && owner < o->owners; owner += threads)
            op_dev_serve(o, traced, &o->bin[phase * o->owners + owner], *barrier, mine, rounds, sink);
        if (op_activates)
            done();
    }
    ordo_live_add(traced, *mine);
    ordo_live_state(traced, ORDO_AT_BARRIER);
    return going;
}

/* By the whole grid: the barrier that ends a superstep; false if the run is to end. */
ORDO_DEV bool op_dev_goes_on(const op_cuda_owners *o, ordo_u32 *barrier)
{
    cooperative_groups::this_grid().sync();
    return !ordo_dev_halted(&o->halt, (*barrier)++);
}

/* On the host: allocates what race-and-resolve needs, for that many requests. */
static ordo_status op_cuda_make_claims(ordo_cuda *c, ordo_u64 requests, ordo_cuda_claims *o)
{
    const ordo_job *job = c->job;
    if (requests >> 32)
        return ordo_fail(
            ORDO_ERR_DEVICE,
            "device 'cuda': sync 'owner' found %llu requests of more than two targets, expected fewer than "
            "2^32",
            (unsigned long long)requests);
    for (int i = 0; i < 2; i++)
        if (!(o->pending[i] = (ordo_u32 *)ordo_cuda_alloc(c, requests, sizeof(ordo_u32), false)))
            return ORDO_ERR_MEMORY;
    if (!(o->left = (ordo_u32 *)ordo_cuda_alloc(c, 3, sizeof(ordo_u32), true)) ||
        !(o->claim = (ordo_u64 *)ordo_cuda_alloc(c, job->targets, sizeof(ordo_u64), false)))
        return ORDO_ERR_MEMORY;
    return ordo_cuda_failed(cudaMemset(o->claim, 0xff, job->targets * sizeof(ordo_u64)), "clearing claims");
}

static ordo_status op_cuda_make_claims(ordo_cuda *, ordo_u64, ordo_cuda_no_claims *)
{
    return ORDO_OK;
}

/* On the host: launches `function`, or `traced` in a traced run, a kernel whose arguments have `owners`, `frontier`
 * (with lists of items, or counters only) and `run`. There are `asked` owners, or if that is 0 as many as `blocks`
 * blocks per multiprocessor can use. */
template <typename Args>
static ordo_status op_cuda_run_owned(ordo_cuda *c, const void *function, const void *traced, ordo_u32 asked, int blocks,
                                     bool lists, ordo_cuda_arrays *arrays, Args *a)
{
    const ordo_job *job = c->job;
    const void *kernel = ordo_cuda_kernel(c->run.traced.live ? traced : function);
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
    const ordo_u64 units = op_expands ? op_edges((const op_state *)job->state)->edges : job->num_items;
    const ordo_u64 bins = (ordo_u64)o->phases * o->owners, requests = units * (ordo_u64)op_requests;
    if (!(o->bin = (ordo_cuda_bin *)ordo_cuda_alloc(c, bins, sizeof *o->bin, true)) ||
        !(o->busy = (ordo_u32 *)ordo_cuda_alloc(c, o->phases, sizeof *o->busy, true)) ||
        !(o->request = (op_request *)ordo_cuda_alloc(c, requests, sizeof *o->request, false)))
        return ORDO_ERR_MEMORY;
    if (op_many && (status = op_cuda_make_claims(c, requests, o)))
        return status;
    void *args[] = {a};
    return ordo_cuda_launch(c, kernel, ORDO_CUDA_THREADS, blocks, args);
}
