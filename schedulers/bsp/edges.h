/* bsp/edges.h -- supersteps whose items are edges: the frontier is a list of ids of edges.
 *
 * Problem. A superstep shall divide its work by edges, whatever rows they belong to, and an edge shall be what waits.
 *
 * Method. An item is relaxed by itself: it reads the cell of its tail, at that time, and offers to its head. A head
 * that improves puts all of its out-edges on the next frontier, once in a superstep: the first improvement stamps it
 * with the number of the superstep. So a frontier has at most as many entries as there are edges, where entries for
 * each improvement could be as many as in-degrees times out-degrees.
 *
 * Why no improvement is lost. All of a superstep's stores are ordered before the next superstep by the barrier between
 * them, and an item reads its tail in that next superstep. So an improvement that finds its vertex stamped is read by
 * the items that the stamping one has put. An improvement during the next superstep itself stamps anew.
 *
 * Tails are read from an array that is made once for the graph: entries of one frontier come from rows in any order.
 *
 * Not done: pulling, which looks from vertices; priorities; entries that are skipped as stale, since an item has no
 * value of its own.
 *
 * A part of cpu.h, for relax operators that select.
 */

/* What an improved head needs to put its edges. */
typedef struct bsp_edge_sink {
    bsp_member *me;
    ordo_u32 *stamp; /* [vertices] the last superstep in which it put its out-edges; 0: none */
    ordo_u32 superstep;
} bsp_edge_sink;

/* Appends the out-edges of a vertex to a member's bin. */
ORDO_INLINE void bsp_append_edges(bsp_member *me, ordo_vid v)
{
    const ordo_eid begin = me->job->out->row[v], end = me->job->out->row[v + 1];
    ordo_bin *bin = &me->next;
    const ordo_u64 size = bin->count + (end - begin);
    if (__builtin_expect(size > bin->capacity, 0) &&
        !ordo_bin_reserve(me->job, bin, size > 2 * bin->capacity ? size : 2 * bin->capacity, sizeof(ordo_eid)))
        return; /* it has failed the run */
    for (ordo_eid e = begin; e < end; e++)
        ((ordo_eid *)bin->data)[bin->count++] = e;
}

/* The sink: a head has improved. */
ORDO_INLINE void bsp_push_edges(void *arg, op_entry entry)
{
    const bsp_edge_sink *to = (const bsp_edge_sink *)arg;
    ordo_u32 *stamp = &to->stamp[entry.item];
    if (__atomic_load_n(stamp, __ATOMIC_RELAXED) == to->superstep ||
        __atomic_exchange_n(stamp, to->superstep, __ATOMIC_RELAXED) == to->superstep)
        return;
    bsp_append_edges(to->me, entry.item);
}

/* Edges that a member takes at once: more than vertices, but no more than may be processed between two polls. */
ORDO_INLINE ordo_u64 bsp_edge_chunk(const ordo_job *job)
{
    const ordo_u64 edges = 8 * (ordo_u64)job->tunable[BSP_CHUNK];
    return edges < ORDO_POLL_BATCH ? edges : (ordo_u64)ORDO_POLL_BATCH;
}

/* Processes `size` edges of a frontier; false where the run ends early. */
ORDO_INLINE bool bsp_relax_edges(const bsp_edge_sink *to, const ordo_rows *rows, const ordo_eid *edge, ordo_u64 size,
                                 const ordo_sync sync)
{
    ordo_job *job = to->me->job;
    op_cell *cell = (op_cell *)job->cells;
    ordo_u64 useful = 0;
    for (ordo_u64 i = 0; i < size; i++) {
        if (i + ORDO_AHEAD_HEAD < size) {
            const ordo_eid ahead = edge[i + ORDO_AHEAD_HEAD];
            __builtin_prefetch(&job->tail[ahead]);
            __builtin_prefetch(&rows->head[ahead * rows->head_stride]);
        }
        if (i + ORDO_AHEAD_ROW < size)
            __builtin_prefetch(&cell[rows->head[edge[i + ORDO_AHEAD_ROW] * rows->head_stride]], 1);
        const op_entry entry = op_entry_now(job, job->tail[edge[i]]);
        if (op_idle(job, entry) || !op_filter((const op_state *)job->state, entry.item))
            continue;
        if (sync == ORDO_SYNC_RACE)
            op_expand_row(job, rows, cell, entry, edge[i], edge[i] + 1, sync, bsp_post, to->me);
        else
            useful += op_expand_row(job, rows, cell, entry, edge[i], edge[i] + 1, sync, bsp_push_edges, (void *)to);
    }
    ORDO_COUNT(to->me->count.items += size);
    ORDO_COUNT(to->me->count.edges += size);
    ORDO_COUNT(to->me->count.useful += useful);
    return ordo_go_on(job, &to->me->count, size);
}

/* Puts the out-edges of the member's part of the initial vertices into its bin. */
ORDO_INLINE void bsp_put_initial_edges(bsp_member *me, int index)
{
    ordo_u64 begin, end;
    ordo_split(me->job->initial_count, me->job->threads, index, &begin, &end);
    for (ordo_u64 i = begin; i < end && (i % ORDO_POLL_BATCH || ordo_go_on(me->job, &me->count, ORDO_POLL_BATCH)); i++)
        bsp_append_edges(me, op_initial(me->job, i));
}

ORDO_INLINE void bsp_work_edges(bsp_run *run, int index, const ordo_sync sync)
{
    ordo_job *job = run->job;
    const ordo_rows rows = ordo_rows_of(job->out, op_weight_type);
    const ordo_u64 chunk = bsp_edge_chunk(job);
    bsp_member me = {.job = job, .run = run, .index = index};
    bsp_edge_sink to = {&me, run->stamp, 0};
    ordo_bin open = {0};
    ordo_u64 items = 0, edges = 0, none = 0, begin, end;
    ordo_count_from(job, index, &me.count, &me.next, 1, NULL);
    bsp_put_initial_edges(&me, index);
    for (ordo_u64 superstep = 1; bsp_agree(run, index, superstep, &me, me.next.count, &items, &edges, &none);
         superstep++) {
        bsp_begin_superstep(run, index, superstep, items);
        me.count.activations += superstep > 1 ? me.next.count : 0;
        bsp_flip(run, index, superstep, &me, &open, false);
        to.superstep = (ordo_u32)superstep;
        const double before = ORDO_CLOCK(job);
        for (int k = 0; k < job->threads; k++) {
            ordo_share *share = &run->shares[(index + k) % job->threads];
            if (!ordo_share_wait(job, share, superstep))
                break;
            while (!ordo_job_stopped(job) && ordo_share_take(share, chunk, &begin, &end))
                if (!bsp_relax_edges(&to, &rows, (const ordo_eid *)share->data + begin, end - begin, sync))
                    break;
        }
        if (sync == ORDO_SYNC_RACE) {
            const ordo_u64 won = op_race_serve(&run->race, index, &me.count, bsp_push_edges, &to);
            ORDO_COUNT(me.count.useful += won);
        }
        me.count.work_seconds += ORDO_CLOCK(job) - before;
    }
    ordo_bin_free(job, &me.next, sizeof(ordo_eid));
    ordo_bin_free(job, &open, sizeof(ordo_eid));
    ordo_count_to(job, index, &me.count);
}

ORDO_NOINLINE void bsp_edges_atomic(void *run, int index)
{
    bsp_work_edges((bsp_run *)run, index, ORDO_SYNC_ATOMIC);
}
ORDO_NOINLINE void bsp_edges_lock(void *run, int index)
{
    bsp_work_edges((bsp_run *)run, index, ORDO_SYNC_LOCK);
}
ORDO_NOINLINE void bsp_edges_racy(void *run, int index)
{
    bsp_work_edges((bsp_run *)run, index, ORDO_SYNC_RACY);
}
ORDO_NOINLINE void bsp_edges_race(void *run, int index)
{
    bsp_work_edges((bsp_run *)run, index, ORDO_SYNC_RACE);
}

static ordo_status bsp_run_edges(ordo_job *job)
{
    bsp_run run = {.job = job,
                   .shares = (ordo_share *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_share)),
                   .votes = (ordo_bsp_vote *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_bsp_vote)),
                   .stamp = (ordo_u32 *)ordo_alloc_zero(job->num_items, sizeof(ordo_u32))};
    ordo_status status = run.shares && run.votes && run.stamp ? ordo_job_need_tails(job) : ORDO_ERR_MEMORY;
    ordo_job_account(job, run.stamp ? (long long)(job->num_items * sizeof(ordo_u32)) : 0);
    if (!status)
        status = bsp_run_team(&run, BSP_OF_SYNC(job, bsp_edges_lock, bsp_edges_racy, bsp_edges_race, bsp_edges_atomic));
    ordo_free(run.stamp);
    ordo_free(run.shares);
    ordo_free(run.votes);
    return status;
}
