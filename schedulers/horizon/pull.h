/* horizon/pull.h -- vertices beyond the horizon pull, on the CPU. cpu.h says how, and why the answer is exact.
 *
 * A part of the template cpu.h.
 */

enum { HORIZON_TILE = 512 }; /* vertices that a member takes at once */

/* In-edges of a vertex: at .. end - 1 of its in-row. */
typedef struct horizon_span {
    ordo_item item;
    ordo_eid at, end;
} horizon_span;

/* The first value behind T, where there is no other between the two; T itself where cells are reals. */
ORDO_INLINE op_cell horizon_following(const horizon_member *me)
{
    if (ORDO_OP_REAL || me->horizon == op_worst())
        return me->horizon;
    return ORDO_OP_ORDER == ORDO_MIN ? me->horizon + 1 : me->horizon - 1;
}

/* The best candidate of the in-edges of a span, or the cell if that is better. *again: a tail beyond T might still
 * improve it. */
ORDO_INLINE op_cell horizon_gather(horizon_member *me, const horizon_span *span, bool *again)
{
    const ordo_rows *r = &me->in;
    const op_state *state = (const op_state *)me->job->state;
    const op_cell *cell = (const op_cell *)me->job->cells;
    const op_cell following = horizon_following(me);
    op_cell best = op_load(cell + span->item), hope = op_worst();
    ordo_eid e = span->at;
    enum { AHEAD = 8 };
    for (; e < span->end && best != following; e++) {
        const ordo_vid tail = r->head[e * r->head_stride];
        op_edge edge = op_make_edge(e, tail, span->item, r->weight + e * r->weight_stride);
        if (e + AHEAD < span->end)
            __builtin_prefetch(cell + r->head[(e + AHEAD) * r->head_stride]);
        if (!op_better(op_candidate(state, me->base, edge), best))
            break;
        if (!op_filter(state, tail))
            continue;
        const op_cell from = op_load(cell + tail);
        if (!horizon_reaches(me, from) && !op_better(hope, op_worst()))
            hope = op_candidate(state, me->horizon, edge); /* the first is the best */
        best = horizon_better(best, op_candidate(state, from, edge));
    }
    ORDO_COUNT(me->count.edges += e - span->at);
    me->count.unpolled += e - span->at;
    *again = op_better(hope, best);
    return best;
}

/* Improves the cell of a vertex that pulls, which then counts as an item that was activated and processed. Returns
 * whether it did. */
ORDO_INLINE bool horizon_take(horizon_member *me, ordo_item item, op_cell best)
{
    op_cell *cell = (op_cell *)me->job->cells + item, old = op_load(cell);
    while (op_better(best, old))
        if (op_swap(cell, &old, &best)) {
            me->count.put++;
            ORDO_COUNT(me->count.items++);
            return true;
        }
    return false;
}

ORDO_INLINE void horizon_list(horizon_member *me, ordo_bin *list, const horizon_span *span)
{
    if (horizon_room(me->job, list, sizeof *span))
        ((horizon_span *)list->data)[list->count++] = *span;
}

/* The first look at a span. */
ORDO_INLINE void horizon_look(horizon_member *me, ordo_bin *listed, const horizon_span *span)
{
    bool again;
    const op_cell best = horizon_gather(me, span, &again);
    horizon_take(me, span->item, best);
    if (again)
        horizon_list(me, listed, span);
}

/* Writes those of vertices first .. last - 1 that are beyond T and have in-edges to open[]; returns their number. First
 * all of them are found, without a branch, so that what they read can be prefetched. */
ORDO_INLINE ordo_u32 horizon_find_open(const horizon_member *me, ordo_vid first, ordo_vid last, ordo_vid *open)
{
    const ordo_eid *row = me->in.row;
    const op_cell *cell = (const op_cell *)me->job->cells;
    ordo_u32 count = 0;
    for (ordo_vid v = first; v < last; v++) {
        open[count] = v;
        count += !horizon_reaches(me, op_load(cell + v)) & (row[v] < row[v + 1]);
    }
    return count;
}

/* Pulls for vertices first .. last - 1, at most HORIZON_TILE, but those with long rows, which are appended to `later`
 * in pieces. */
ORDO_INLINE void horizon_look_at(horizon_member *me, ordo_vid first, ordo_vid last, ordo_bin *listed, ordo_bin *later)
{
    const ordo_rows *r = &me->in;
    const op_cell *cell = (const op_cell *)me->job->cells;
    const ordo_u64 piece = (ordo_u64)me->job->tunable[HORIZON_PIECE];
    ordo_vid open[HORIZON_TILE];
    const ordo_u32 count = horizon_find_open(me, first, last, open);
    enum { FEW = 4, AHEAD_ROW = 12, AHEAD_CELLS = 4 };
    for (ordo_u32 i = 0; i < count; i++) {
        horizon_span span = {open[i], r->row[open[i]], r->row[open[i] + 1]};
        const ordo_eid end = span.end;
        if (i + AHEAD_ROW < count)
            __builtin_prefetch(&r->head[r->row[open[i + AHEAD_ROW]] * r->head_stride]);
        if (i + AHEAD_CELLS < count) {
            const ordo_eid *bound = &r->row[open[i + AHEAD_CELLS]];
            for (ordo_eid e = bound[0]; e < bound[1] && e < bound[0] + FEW; e++)
                __builtin_prefetch(&cell[r->head[e * r->head_stride]]);
        }
        if (me->job->threads == 1 || end - span.at <= piece) {
            horizon_look(me, listed, &span);
            continue;
        }
        for (; span.at < end; span.at = span.end) {
            span.end = end - span.at < piece ? end : span.at + piece;
            horizon_list(me, later, &span);
        }
    }
}

/* The first look at pieces of long rows. */
ORDO_INLINE void horizon_look_later(horizon_member *me, const ordo_bin *later, ordo_bin *listed)
{
    ordo_u64 begin, end;
    const ordo_u64 superstep = ++me->superstep;
    ordo_share_open(&me->run->part_shares[me->index], later, superstep);
    for (int k = 0; k < me->job->threads; k++) {
        ordo_share *share = &me->run->part_shares[(me->index + k) % me->job->threads];
        if (!ordo_share_wait(me->job, share, superstep))
            return;
        while (ordo_share_take(share, 1, &begin, &end)) {
            horizon_look(me, listed, &((const horizon_span *)share->data)[begin]);
            if (!ordo_go_on(me->job, &me->count, 1))
                return;
        }
    }
}

/* The second look: what improves now waits for T. The worst cell of those that are listed becomes the member's limit.
 */
ORDO_INLINE void horizon_look_again(horizon_member *me, const ordo_bin *listed)
{
    ordo_u64 begin, end;
    bool again;
    const ordo_u64 superstep = ++me->superstep;
    op_cell limit = me->base;
    ordo_share_open(&me->run->near_shares[me->index], listed, superstep);
    for (int k = 0; k < me->job->threads; k++) {
        ordo_share *share = &me->run->near_shares[(me->index + k) % me->job->threads];
        if (!ordo_share_wait(me->job, share, superstep))
            return;
        while (ordo_share_take(share, (ordo_u64)me->job->tunable[HORIZON_CHUNK], &begin, &end)) {
            for (; begin < end; begin++) {
                const horizon_span *span = &((const horizon_span *)share->data)[begin];
                const op_cell best = horizon_gather(me, span, &again);
                if (horizon_take(me, span->item, best))
                    horizon_put_wait(me, best, span->item, HORIZON_AGAIN, best);
                limit = op_better(limit, best) ? best : limit;
                if (!ordo_go_on(me->job, &me->count, 1))
                    return;
            }
        }
    }
    me->limit = limit;
}

/* All vertices beyond T pull; by all members. What waited is dropped: those that it leads to pull. */
ORDO_INLINE void horizon_pull(horizon_member *me)
{
    enum { AT_ONCE = HORIZON_TILE };
    ordo_job *job = me->job;
    ordo_bin listed = {0}, later = {0};
    const ordo_u64 n = job->num_items;
    ordo_u64 first;
    const double before = ORDO_CLOCK(job);
    me->pulled = true;
    me->waiting.count = 0;
    me->least = op_worst();
    while (ordo_go_on(job, &me->count, AT_ONCE) &&
           (first = __atomic_fetch_add(&me->run->next_vertex, AT_ONCE, __ATOMIC_RELAXED)) < n)
        horizon_look_at(me, (ordo_vid)first, (ordo_vid)(n - first < AT_ONCE ? n : first + AT_ONCE), &listed, &later);
    horizon_look_later(me, &later, &listed);
    ordo_member_barrier(job, me->index);
    horizon_look_again(me, &listed);
    ordo_member_barrier(job, me->index); /* ahead of freeing what others read */
    if (me->index == 0)
        job->supersteps = me->superstep;
    ordo_bin_free(job, &listed, sizeof(horizon_span));
    ordo_bin_free(job, &later, sizeof(horizon_span));
    me->count.work_seconds += ORDO_CLOCK(job) - before;
}
