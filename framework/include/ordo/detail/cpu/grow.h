/* grow.h -- edges that a run has added, on the CPU: proposes along them, and has the operator add more.
 *
 * A part of relax.h, for operators with ORDO_RELAX_GROW; for others nothing of it is compiled. Why no edge is missed is
 * at the top of <ordo/operator/grow.h>.
 */
#include <ordo/operator/grow.h>

/* What edge number `number` proposes, made from the value of its tail; as a row of op_expand_row. */
ORDO_INLINE bool op_offer_new(const ordo_job *job, const ordo_new_edge *e, op_cell tail, const ordo_sync sync,
                              op_sink push, void *arg)
{
    const op_state *state = (const op_state *)job->state;
    const ordo_eid id = job->out->m + (ordo_eid)(e - job->grow->edge);
    op_cell c = op_candidate(state, tail, op_make_edge(id, e->from, e->to, e->weight));
    if (!op_offer(job, (op_cell *)job->cells, e->to, &c, sync))
        return false;
    op_entry activated = {c, e->to};
    push(arg, activated);
    return true;
}

/* The edges that a call has just added: each catches up with its tail. Returns the number of offers that activate. */
ORDO_INLINE ordo_u64 op_offer_added(const ordo_job *job, ordo_u32 last, ordo_u64 *edges, const ordo_sync sync,
                                    op_sink push, void *arg)
{
    const ordo_new_edge *edge = job->grow->edge;
    ordo_u64 improved = 0;
    ordo_fence(); /* the edges are on their lists, before cells are read */
    for (; last; last = edge[last - 1].also) {
        const ordo_new_edge *e = &edge[last - 1];
        const op_entry tail = op_entry_now(job, e->from);
        if (op_idle(job, tail) || !op_filter((const op_state *)job->state, e->from))
            continue;
        improved += op_offer_new(job, e, tail.value, sync, push, arg);
        ++*edges;
    }
    return improved;
}

/* Processes an item but for its row: proposes along the edges that were added to it, and has the operator add more. The
 * caller has read the item's value. Returns the number of offers that activate; *edges counts offers. */
ORDO_INLINE ordo_u64 op_expand_new(ordo_job *job, op_entry entry, ordo_u64 *edges, const ordo_sync sync, op_sink push,
                                   void *arg)
{
    ordo_grow_pool *pool = job->grow;
    ordo_growing growing = {pool, entry.item, 0};
    ordo_u64 improved = 0;
    ordo_fence(); /* the value was read, before the list is */
    for (ordo_u32 number = ordo_grow_read(&pool->newest[entry.item]); number; ++*edges) {
        const ordo_new_edge *e = &pool->edge[number - 1];
        number = e->next;
        improved += op_offer_new(job, e, entry.value, sync, push, arg);
    }
    op_grow((const op_state *)job->state, entry.item, entry.value, &growing);
    if (growing.last)
        improved += op_offer_added(job, growing.last, edges, sync, push, arg);
    if (__builtin_expect(ordo_load_u32(&pool->failed) != 0, 0))
        ordo_job_grow_failed(job);
    return improved;
}
