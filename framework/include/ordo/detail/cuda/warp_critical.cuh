/* cuda_warp_critical.cuh -- critical operators on independent warps: the part of cuda_warp.cuh, which includes it, that
 * prepares the entries' items and runs the sections that these request, under locks.
 *
 * A lane has an item, its requests, and what the last section activated. An iteration tries each lane's next request
 * once (op_dev_try: all locks or none, and no wait), and moves up to PASS activations per lane to the store or the
 * local queue. What found its lock taken is tried again in the next iteration, by the whole warp, as cuda_critical.cuh
 * requires; where no lane got its locks the warp sleeps, longer each time, because tries slow down the lock's holder. A
 * batch that the store has no more room for goes on where it was when the store is empty again.
 *
 * Memory order. A section's words are written before its locks are given back, and that before what it activates is put
 * anywhere. Within the warp, the local queue is read behind a barrier of the warp. Between warps the scheduler's queue
 * must order what was written before a put before what is read after the take (op_warp_ordered): an item whose
 * `prepare` misses what it was activated for would make no request, and would not be activated again.
 *
 * Termination. A section's activations are in the store or the local queue before the warp's batch counts as done.
 *
 * All functions are called by whole warps, as those of cuda_warp.cuh.
 */

enum { op_warp_pass = op_activations < ORDO_WARP_TURN / 32 ? op_activations : ORDO_WARP_TURN / 32 };

/* A lane's own: its item's requests, and what the last section activated. */
typedef struct op_batch {
    ordo_request request[op_requests];
    ordo_activation out[op_activations + 1];
    ordo_u32 asked, next;     /* requests, and how many of them are done */
    ordo_u32 activated, told; /* activations of the last section, and how many of them were moved */
} op_batch;

/* Makes the items of lanes with `there` the warp's batch: `prepare` says what they request. */
ORDO_DEV void op_warp_gather(const op_warp_ctx &g, op_warp *w, op_batch *t, bool there, ordo_u32 item, op_value value,
                             bool fresh)
{
    (void)value; /* order only */
    (void)fresh;
    t->asked = t->next = t->activated = t->told = 0;
    if (there) {
        t->asked = op_prepare(&g.state, item, t->request);
        w->items++;
        w->edges += t->asked;
    }
}

/* Critical operators have no edge records: the entry is left. */
template <typename Between>
ORDO_DEV bool op_warp_chain(const op_warp_ctx &g, op_warp *w, bool there, op_entry *entry, bool fresh, Between between)
{
    return there;
}

/* Moves up to op_warp_pass activations per lane to the store or the local queue. */
ORDO_DEV void op_warp_tell(const op_warp_ctx &g, op_warp *w, op_batch *t)
{
    constexpr int N = (int)op_warp_pass ? (int)op_warp_pass : 1;
    constexpr bool whole =
        (int)op_activations <= N; /* all at once: then indices are constants, and the array stays in registers */
    bool has[N];
    ordo_u32 item[N];
    op_value value[N];
#pragma unroll
    for (int u = 0; u < N; u++) {
        const ordo_u32 at = whole ? u : t->told + u;
        has[u] = at < t->activated;
        const ordo_activation a = has[u] ? t->out[at] : ordo_activation{};
        item[u] = a.item;
        value[u] = a.priority;
        w->activations += has[u];
    }
    t->told = whole || t->told + N > t->activated ? t->activated : t->told + N;
    op_warp_push(g, w, has, item, value, item);
}

/* Runs requests of the batch, while the store has room. Returns whether anything is left. */
template <bool narrow> ORDO_DEV bool op_warp_work(const op_warp_ctx &g, op_warp *w, op_batch *t)
{
    enum { NAP = 32, LONGEST = 1024 }; /* ns */
    for (ordo_u32 nap = NAP; __any_sync(~0u, t->next < t->asked || t->told < t->activated) && !op_warp_full(w);) {
        bool got = false;
        if (t->next < t->asked && t->told == t->activated) {
            t->activated = t->told = 0;
            /* where an item has one request the index is a constant, and the array stays in registers */
            const ordo_request *now = (int)op_requests == 1 ? &t->request[0] : &t->request[t->next];
            got = op_dev_try<(int)op_lock_bits != 0>(&g.state, &g.locks, now, t->out, &t->activated);
            t->next += got;
            w->useful += got;
        }
        if constexpr ((int)op_activates != 0)
            if (__any_sync(~0u, t->told < t->activated)) {
                op_warp_tell(g, w, t);
                continue;
            }
        if (__any_sync(~0u, got)) {
            nap = NAP;
        } else {
            __nanosleep(nap);
            nap = nap < LONGEST ? 2 * nap : nap;
        }
    }
    return __any_sync(~0u, t->next < t->asked || t->told < t->activated);
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
    return status ? status : ordo_cuda_locks_make(c, (int)op_lock_bits == 0, &a->ctx.locks);
}
