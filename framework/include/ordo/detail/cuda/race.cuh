/* race.cuh -- critical operators on the device: race and resolve, without locks and without atomics on targets.
 *
 * Included by critical.cuh, once per operator. The CPU's counterpart, with the argument why it is sound, is
 * <ordo/detail/cpu/race.h>.
 *
 *   op_dev_raced        a superstep over a list of items
 *   op_cuda_run_raced   launches a kernel of such supersteps
 *
 * Method. A superstep prepares all items and lists their requests. Then it runs rounds, whose phases are separated by
 * grid barriers: every pending request stores its key, which is its number in the list plus 1, in the marks of all its
 * targets; of two targets or more, those that find no greater key store their own again over smaller ones; those run
 * that find their key in all marks. The others are listed for the next round. If a round has no winner, one thread runs
 * one of them alone, between two barriers.
 *
 * Memory order. Marks are relaxed stores and loads of one word. The grid barriers order marks before looks, and the
 * critical sections of a round before those of the next: so sections use plain loads and stores, and need no fence.
 *
 * Places in the list of requests, and in that of losers, are assigned by an atomic addition: there is one list for the
 * grid. Marks and targets have no atomics.
 */
struct op_cuda_races {
    op_state state;
    bool may_repeat;
    op_request *request;  /* [requests] */
    ordo_u32 *mark;       /* [targets] */
    ordo_u32 *pending[2]; /* [requests] those of even and odd rounds, but for the first */
    ordo_u32 *left;       /* [3] their numbers, by rounds; triple-buffered */
    ordo_u32 *won;        /* [3] likewise: whether a request has run */
    ordo_cuda_halt halt;  /* its steps are rounds, counted through all supersteps */
};

/* By one thread: runs a request whose targets it owns. */
template <typename Sink>
ORDO_DEV void op_dev_race_run(const op_cuda_races *o, const op_request *request, ordo_cuda_counters *mine, Sink sink)
{
    ordo_activation out[op_activations + 1];
    const ordo_u32 activated = op_dev_commit(&o->state, o->may_repeat, request, out);
    mine->useful++;
    if (op_activates)
        for (ordo_u32 k = 0; k < activated; k++)
            mine->activations += sink(out[k]);
}

/* By one thread: a request's marks: whether all are its key, and whether one is greater. */
ORDO_DEV bool op_dev_race_has(const op_cuda_races *o, const op_request *r, ordo_u32 key, bool *greater)
{
    bool all = true;
    for (ordo_u32 k = 0; k < r->targets; k++) {
        const ordo_u32 mark = ordo_dev_load(&o->mark[r->target[k]]);
        all = all && mark == key;
        *greater = *greater || mark > key;
    }
    return all;
}

/* By the whole grid: marks the targets of pending requests, and lets those outbid that may. Ends with a barrier.
 * `pending`: NULL for all. */
ORDO_DEV void op_dev_race_mark(const op_cuda_races *o, const ordo_u32 *pending, ordo_u64 left)
{
    auto grid = cooperative_groups::this_grid();
    const ordo_u64 threads = (ordo_u64)gridDim.x * ORDO_CUDA_THREADS;
    const ordo_u64 first = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS + threadIdx.x;
    for (ordo_u64 i = first; i < left; i += threads) {
        const ordo_u32 at = pending ? pending[i] : (ordo_u32)i;
        for (ordo_u32 k = 0; k < o->request[at].targets; k++)
            ordo_dev_store(&o->mark[o->request[at].target[k]], at + 1);
    }
    grid.sync();
    if constexpr ((int)op_targets > 1) {
        for (ordo_u64 i = first; i < left; i += threads) {
            const ordo_u32 at = pending ? pending[i] : (ordo_u32)i;
            bool greater = false;
            if (op_dev_race_has(o, &o->request[at], at + 1, &greater) || greater)
                continue;
            for (ordo_u32 k = 0; k < o->request[at].targets; k++)
                if (ordo_dev_load(&o->mark[o->request[at].target[k]]) < at + 1)
                    ordo_dev_store(&o->mark[o->request[at].target[k]], at + 1);
        }
        grid.sync();
    }
}

/* By the whole grid: superstep over `count` items of `list`, or 0 .. count - 1. *given, a counter for this superstep
 * only, must be 0 before. For each activation one thread calls `sink(activation)`, which returns whether the item is
 * new on a worklist; whole blocks call `done()` in every round, to flush. *round counts rounds, from 1 on. Returns
 * false, in all threads alike, if there was no request or the run is to end. Ends with a barrier. */
template <typename Sink, typename Done>
ORDO_DEV bool op_dev_raced(const op_cuda_races *o, const ordo_cuda_traced &traced, const ordo_item *list,
                           ordo_u64 count, ordo_u64 *given, ordo_u32 *round, ordo_cuda_counters *mine, ordo_u32 *rounds,
                           Sink sink, Done done)
{
    auto grid = cooperative_groups::this_grid();
    const ordo_u64 threads = (ordo_u64)gridDim.x * ORDO_CUDA_THREADS;
    const ordo_u64 first = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS + threadIdx.x;
    ordo_live_state(traced, ORDO_BUSY);
    mine->items += op_dev_ask(&o->state, list, count, [&](const op_request *r) {
        o->request[ordo_dev_add(given, (ordo_u64)1)] = *r;
        mine->edges++;
    });
    grid.sync();
    ordo_u64 left = ordo_dev_load(given);
    if (!left)
        return false;
    const ordo_u32 *pending = NULL; /* those of the first round are all */
    for (bool going = true; left && going; (*round)++) {
        const ordo_u32 now = *round % 3;
        ordo_u32 *const later = o->pending[*round & 1];
        if (first == 0) /* those of the round before were read behind its last barrier but one */
            o->left[(*round + 1) % 3] = o->won[(*round + 1) % 3] = 0;
        op_dev_race_mark(o, pending, left);
        for (ordo_u64 i = first; i < left; i += threads) {
            if (ordo_dev_told(&o->halt, *round, rounds, true))
                break;
            ordo_dev_told_show(traced, *rounds, *mine);
            const ordo_u32 at = pending ? pending[i] : (ordo_u32)i;
            const op_request request = o->request[at];
            bool greater = false;
            if (op_dev_race_has(o, &request, at + 1, &greater)) {
                ordo_dev_store(&o->won[now], 1u);
                op_dev_race_run(o, &request, mine, sink);
            } else {
                later[ordo_dev_add(&o->left[now], 1u)] = at;
            }
        }
        if (op_activates)
            done();
        grid.sync();
        left = ordo_dev_load(&o->left[now]);
        if (left && !ordo_dev_load(&o->won[now])) {
            if (first == 0) { /* alone: the others wait */
                const op_request request = o->request[later[0]];
                later[0] = later[left - 1];
                op_dev_race_run(o, &request, mine, sink);
            }
            left--;
            if (op_activates)
                done();
            grid.sync();
        }
        pending = later;
        going = !ordo_dev_halted(&o->halt, *round);
        if (!going)
            return false;
    }
    ordo_live_add(traced, *mine);
    ordo_live_state(traced, ORDO_AT_BARRIER);
    return true;
}

/* On the host: launches `function`, or `traced` in a traced run, a kernel whose arguments have `races`, `frontier`
 * (with lists of items, or counters only) and `run`. */
template <typename Args>
static ordo_status op_cuda_run_raced(ordo_cuda *c, const void *function, const void *traced, int blocks, bool lists,
                                     ordo_cuda_arrays *arrays, Args *a)
{
    const ordo_job *job = c->job;
    op_cuda_races *const o = &a->races;
    ordo_status status = op_cuda_state(c, &o->state, arrays);
    if (!status)
        status = op_cuda_frontier(c, lists, &a->frontier, &o->halt);
    if (status)
        return status;
    const ordo_u64 units = op_expands ? op_edges((const op_state *)job->state)->edges : job->num_items;
    const ordo_u64 requests = units * (ordo_u64)op_requests;
    if (requests >> 32)
        return ordo_fail(ORDO_ERR_DEVICE, "device 'cuda': sync 'race' found %llu requests, expected fewer than 2^32",
                         (unsigned long long)requests);
    o->may_repeat = op_cuda_may_repeat(job);
    a->run = c->run;
    if (!(o->request = (op_request *)ordo_cuda_alloc(c, requests, sizeof *o->request, false)) ||
        !(o->mark = (ordo_u32 *)ordo_cuda_alloc(c, job->targets, sizeof(ordo_u32), true)) ||
        !(o->pending[0] = (ordo_u32 *)ordo_cuda_alloc(c, requests, sizeof(ordo_u32), false)) ||
        !(o->pending[1] = (ordo_u32 *)ordo_cuda_alloc(c, requests, sizeof(ordo_u32), false)) ||
        !(o->left = (ordo_u32 *)ordo_cuda_alloc(c, 3, sizeof(ordo_u32), true)) ||
        !(o->won = (ordo_u32 *)ordo_cuda_alloc(c, 3, sizeof(ordo_u32), true)))
        return ORDO_ERR_MEMORY;
    void *args[] = {a};
    const void *kernel = ordo_cuda_kernel(c->run.traced.live ? traced : function);
    return ordo_cuda_launch(c, kernel, ORDO_CUDA_THREADS, blocks, args);
}
