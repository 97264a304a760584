/* cuda_warp_critical.cuh -- the part of cuda_warp.cuh, which includes it, that is critical operators': warps that visit
 * entries' items and run the sections that these ask for, under locks.
 *
 * A lane has an item, its requests, and what the last section activated. A turn tries each lane's next request once
 * (OP(dev_try): all locks or none, and no wait), and hands over to the store, or keeps for the next hop, up to PASS
 * activations a lane. What could not be had is tried again in the next turn, by the whole warp, as cuda_critical.cuh
 * wants it; where no lane got anything the warp sleeps, longer each time, for whoever tries is in the holders' way. A
 * batch that the store has no more room for goes on where it was after the flush.
 *
 * Memory order. A section's words are written before its locks are given back, and that before what it activates is put
 * anywhere. Within the warp, kept entries are read behind a barrier of the warp. Between warps the scheduler's queue
 * must order what was written before a put before what is read after the take (OP(warp_ordered)): a visit that missed
 * what its item was activated for would ask for nothing, and nobody would come again.
 *
 * The end. A section's activations are in the store, or kept, before the warp's batch counts as done.
 */

enum { OP(warp_pass) = OP(activations) < ORDO_WARP_TURN / 32 ? OP(activations) : ORDO_WARP_TURN / 32 };

/* What a lane has in hand. */
typedef struct OP(batch) {
    ordo_request request[OP(requests)];
    ordo_activation out[OP(activations) + 1];
    ordo_u32 asked, next;     /* requests, and those that are done */
    ordo_u32 activated, told; /* activations of the last section, and those that were handed over */
} OP(batch);

/* Lanes that are `there` bring an item each, whose visit says what it asks for. */
ORDO_DEV void OP(warp_gather)(const OP(sight) & g, OP(warp) * w, OP(batch) * t, bool there, ordo_u32 item,
                              OP(value) value, bool fresh)
{
    (void)value; /* order only */
    (void)fresh;
    t->asked = t->next = t->activated = t->told = 0;
    if (there) {
        t->asked = OP(visit)(&g.state, item, t->request);
        w->items++;
        w->edges += t->asked;
    }
}

/* There are no records. */
template <typename Between>
ORDO_DEV bool OP(warp_chain)(const OP(sight) & g, OP(warp) * w, bool there, OP(entry) * entry, bool fresh,
                             Between between)
{
    return there;
}

/* Activations that wait, up to OP(warp_pass) a lane. */
ORDO_DEV void OP(warp_tell)(const OP(sight) & g, OP(warp) * w, OP(batch) * t)
{
    constexpr int N = (int)OP(warp_pass) ? (int)OP(warp_pass) : 1;
    constexpr bool whole = (int)OP(activations) <= N; /* at once: then their places are known, and stay in registers */
    bool has[N];
    ordo_u32 item[N];
    OP(value) value[N];
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
    OP(warp_push)(g, w, has, item, value, item);
}

/* The batch's requests, while the store has room. Returns whether some are left. */
template <bool narrow> ORDO_DEV bool OP(warp_work)(const OP(sight) & g, OP(warp) * w, OP(batch) * t)
{
    enum { NAP = 32, LONGEST = 1024 }; /* ns */
    for (ordo_u32 nap = NAP; __any_sync(~0u, t->next < t->asked || t->told < t->activated) && !OP(warp_full)(w);) {
        bool got = false;
        if (t->next < t->asked && t->told == t->activated) {
            t->activated = t->told = 0;
            /* of one that can only be the first the place is known, and it stays in registers */
            const ordo_request *now = (int)OP(requests) == 1 ? &t->request[0] : &t->request[t->next];
            got = OP(dev_try) < (int)OP(lock_bits) != 0 > (&g.state, &g.locks, now, t->out, &t->activated);
            t->next += got;
            w->useful += got;
        }
        if constexpr ((int)OP(activates) != 0)
            if (__any_sync(~0u, t->told < t->activated)) {
                OP(warp_tell)(g, w, t);
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

static bool OP(warp_classes)(const ordo_job *job)
{
    (void)job;
    return false;
}

/* The width that the operator declares. */
static double OP(warp_width)(const ordo_job *job, double deep, double even)
{
    (void)deep;
    (void)even;
    return OP(delta)((double)job->out->n, (double)job->out->m);
}

/* What a kernel's arguments hold of the run; `arrays` come back after it. */
template <typename Args>
static ordo_status OP(warp_arguments)(ordo_cuda *c, bool records, Args *a, ordo_cuda_arrays *arrays)
{
    (void)records;
    a->sight.universe = (ordo_u32)c->job->universe;
    a->sight.locks.twice = OP(cuda_twice)(c->job);
    a->run = c->run;
    const ordo_status status = OP(cuda_state)(c, &a->sight.state, arrays);
    return status ? status : ordo_cuda_locks_make(c, (int)OP(lock_bits) == 0, &a->sight.locks);
}
