/* warp_critical.cuh -- critical operators on independent warps: the part of warp.cuh, which includes it, that prepares
 * the entries' items and runs the critical sections that these request, under locks.
 *
 * Of operators whose items have rows (op_expands) a lane has an edge instead of an item: the rows of the batch's items
 * are concatenated, and when all lanes are done with their edges they take the next 32.
 *
 * A lane has an item, its requests, and what the last critical section activated. An iteration tries each lane's next
 * request once (op_dev_try: all locks or none, and no wait), and moves up to PASS activations per lane to the store or
 * the local queue. A request whose lock was held is tried again in the next iteration, by the whole warp, as
 * critical.cuh requires; if no lane got its locks the warp sleeps, longer each time, because tries slow down the lock's
 * holder. A batch for whose activations the store has no capacity left continues when the store is empty again.
 *
 * Memory order. A critical section's words are written before its locks are released, and that before its activations
 * are put anywhere. Within the warp, the local queue is read behind a barrier of the warp. Between warps the
 * scheduler's queue must order what was written before a put before what is read after the take (op_warp_ordered):
 * otherwise `prepare` could miss what its item was activated for, make no request, and the item would not be activated
 * again.
 *
 * Termination. The activations of critical sections are in the store or the local queue before the warp's batch counts
 * as done.
 *
 * All functions are called by whole warps, as those of warp.cuh.
 */

enum { op_warp_pass = op_activations < ORDO_WARP_ITERATION / 32 ? op_activations : ORDO_WARP_ITERATION / 32 };

/* For items that have no rows. */
struct op_no_rows {
};
ORDO_DEV void op_dev_rows_begin(const op_state *, op_no_rows *, bool, ordo_item)
{
}
ORDO_DEV ordo_u32 op_dev_rows_next(const op_state *, op_no_rows *, op_request *)
{
    return 0;
}
ORDO_DEV bool op_dev_rows_left(const op_no_rows &)
{
    return false;
}
ORDO_DEV bool op_dev_rows_left(const op_dev_rows &r)
{
    return r.first < r.total;
}
typedef ordo_dev_either<(int)op_expands != 0, op_dev_rows, op_no_rows>::type op_batch_rows;

/* State of a lane, beside its part of the rows: its item's requests, and the activations of the last critical section.
 */
struct op_batch : op_batch_rows {
    op_request request[op_requests];
    ordo_activation out[op_activations + 1];
    ordo_u32 asked, next;      /* number of requests, and of those that are done */
    ordo_u32 activated, moved; /* number of activations of the last critical section, and of those that were moved */
};

/* Makes the items of lanes with `there` the warp's batch, and prepares their requests. */
ORDO_DEV void op_warp_gather(const op_warp_ctx &g, op_warp *w, op_batch *t, bool there, ordo_u32 item, op_value value,
                             bool fresh)
{
    (void)value; /* the priority; used for the order only */
    (void)fresh;
    t->asked = t->next = t->activated = t->moved = 0;
    if constexpr ((int)op_expands != 0) {
        w->items += there;
        op_dev_rows_begin(&g.state, (op_batch_rows *)t, there, item);
    } else if (there) {
        t->asked = op_prepare(&g.state, item, t->request);
        w->items++;
        w->edges += t->asked;
    }
}

/* Critical operators have no edge records: the entry is left. */
template <bool Lanes> ORDO_DEV bool op_warp_chains(const op_warp_ctx &g, const op_warp *w)
{
    return false;
}
template <bool Lanes, typename Between>
ORDO_DEV bool op_warp_chain(const op_warp_ctx &g, op_warp *w, bool there, op_entry *entry, bool fresh, bool hop,
                            Between between)
{
    return there;
}

/* Moves up to op_warp_pass activations per lane to the store or the local queue. */
ORDO_DEV void op_warp_move_activations(const op_warp_ctx &g, op_warp *w, op_batch *t)
{
    constexpr int N = (int)op_warp_pass ? (int)op_warp_pass : 1;
    constexpr bool whole =
        (int)op_activations <= N; /* all at once: the indices are then constants, and the array stays in registers */
    bool has[N];
    ordo_u32 item[N];
    op_value value[N];
#pragma unroll
    for (int u = 0; u < N; u++) {
        const ordo_u32 at = whole ? u : t->moved + u;
        has[u] = at >= t->moved && at < t->activated; /* a lane may have moved its own in an earlier call */
        const ordo_activation a = has[u] ? t->out[at] : ordo_activation{};
        item[u] = a.item;
        value[u] = a.priority;
        w->activations += has[u];
    }
    t->moved = whole || t->moved + N > t->activated ? t->activated : t->moved + N;
    op_warp_push(g, w, has, item, value, item);
}

/* Runs requests of the batch, while the store has capacity. Returns whether any are left. */
template <bool narrow, bool hubs> ORDO_DEV bool op_warp_work(const op_warp_ctx &g, op_warp *w, op_batch *t)
{
    enum { NAP = 32, LONGEST = 1024 }; /* ns */
    for (ordo_u32 nap = NAP; (__any_sync(~0u, t->next < t->asked || t->moved < t->activated) || op_dev_rows_left(*t)) &&
                             !op_warp_full(w);) {
        bool got = false;
        if constexpr ((int)op_expands != 0)
            if (!__any_sync(~0u, t->next < t->asked || t->moved < t->activated)) {
                t->next = 0;
                t->asked = op_dev_rows_next(&g.state, (op_batch_rows *)t, t->request);
                w->edges += t->asked;
                nap = NAP;
            }
        if (t->next < t->asked && t->moved == t->activated) {
            t->activated = t->moved = 0;
            /* for an item with one request the index is a constant, so the array stays in registers */
            const op_request *now = (int)op_requests == 1 ? &t->request[0] : &t->request[t->next];
            got = op_dev_try<(int)op_lock_bits != 0>(&g.state, &g.locks, now, t->out, &t->activated);
            t->next += got;
            w->useful += got;
        }
        if constexpr ((int)op_activates != 0)
            if (__any_sync(~0u, t->moved < t->activated)) {
                op_warp_move_activations(g, w, t);
                continue;
            }
        if (__any_sync(~0u, got)) {
            nap = NAP;
        } else {
            __nanosleep(nap);
            nap = nap < LONGEST ? 2 * nap : nap;
        }
    }
    return __any_sync(~0u, t->next < t->asked || t->moved < t->activated) || op_dev_rows_left(*t);
}

/* ---- the host's part ---- */

static bool op_warp_classes(const ordo_job *job)
{
    (void)job;
    return false;
}

/* The bucket width that the operator declares. */
static double op_warp_width(const ordo_job *job, double deep, double even)
{
    (void)deep;
    (void)even;
    return op_delta((double)job->out->n, (double)job->out->m);
}

/* Fills the members of a scheduler's kernel arguments that hold the operator and the run; `arrays` are copied back
 * after it. */
template <typename Args>
static ordo_status op_warp_arguments(ordo_cuda *c, bool records, Args *a, ordo_cuda_arrays *arrays)
{
    (void)records;
    a->ctx.num_items = (ordo_u32)c->job->num_items;
    a->ctx.locks.may_repeat = op_cuda_may_repeat(c->job);
    a->run = c->run;
    const ordo_status status = op_cuda_state(c, &a->ctx.state, arrays);
    return status ? status : ordo_cuda_locks_make(c, op_lock_bits ? ORDO_LOCK_WORD : ORDO_LOCK_TABLE, &a->ctx.locks);
}
