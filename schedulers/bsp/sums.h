/* bsp/sums.h -- supersteps of sums that pull, on the CPU.
 *
 * Problem. Pushing a sum is an atomic addition to a cell that other members add to as well, and that is in no cache
 * close by. If most items are on the frontier, it is cheaper that every vertex adds up what its tails have taken: plain
 * loads, and one store for each vertex.
 *
 * Protocol. While supersteps pull, no bin has entries: the frontier is the set of items whose cell has a level. That is
 * the same set, since an item with a level has an entry in flight (<ordo/detail/cpu/relax.h>). Entries are dropped when
 * pulling begins, and made for all these items when it ends. A superstep has two phases with a barrier between them:
 *   take     a member takes the frontier's cells of its part of the items: taken[u] is what op_take has returned, and a
 *            bit says that u has it
 *   gather   a member that has taken a chunk of vertices adds the candidates of their in-edges from tails with a bit to
 *            their cells, and counts those that have a level afterwards
 *
 * Memory order. In a phase a cell has one writer, and no reader besides; taken[] and bits are written in one phase and
 * read in the other. The barriers order all of it.
 *
 * Expects cpu.h.
 */

enum { BSP_GATHER_WORDS = 4 }; /* 64 vertices each that a member takes at once: every edge of theirs is read */

/* Whether item i is on the frontier with this cell. */
ORDO_INLINE bool bsp_is_due(const op_state *state, ordo_item i, op_cell cell)
{
    return op_level(state, cell) > 0 && op_filter(state, i);
}

/* The member's part of `take`; returns the number of items taken. */
ORDO_INLINE ordo_u64 bsp_take_all(bsp_run *run, int index, ordo_counters *count)
{
    const ordo_job *job = run->job;
    const op_state *state = (const op_state *)job->state;
    op_cell *cell = (op_cell *)job->cells;
    const op_cell spent = op_spent();
    ordo_u64 begin, end, items = 0;
    ordo_split(run->words, job->threads, index, &begin, &end);
    for (ordo_u64 word = begin; word < end; word++) {
        const ordo_u64 base = word * 64, here = base + 64 < job->num_items ? 64 : job->num_items - base;
        ordo_u64 bits = 0;
        for (ordo_u64 i = 0; i < here; i++) {
            const op_cell value = op_load(cell + base + i);
            if (!bsp_is_due(state, (ordo_item)(base + i), value))
                continue;
            __atomic_store(cell + base + i, &spent, __ATOMIC_RELAXED);
            run->taken[base + i] = op_take(state, (ordo_item)(base + i), value);
            bits |= (ordo_u64)1 << i;
        }
        run->front[0][word] = bits;
        items += (ordo_u64)__builtin_popcountll(bits);
    }
    ORDO_COUNT(count->items += items);
    return items;
}

/* The sum of the candidates of v's in-edges. */
ORDO_INLINE op_cell bsp_gather_row(const bsp_run *run, const ordo_rows *in, ordo_vid v)
{
    const op_state *state = (const op_state *)run->job->state;
    const ordo_u64 *front = run->front[0];
    ordo_eid e = in->row[v];
    const ordo_eid end = in->row[v + 1];
    const ordo_vid *tail = in->head + e * in->head_stride;
    const ordo_u32 *weight = in->weight + e * in->weight_stride;
    op_cell sum = 0;
    for (; e < end; e++, tail += in->head_stride, weight += in->weight_stride) {
        const ordo_vid u = *tail;
        if (e + ORDO_AHEAD_HEAD < end)
            __builtin_prefetch(&run->taken[tail[ORDO_AHEAD_HEAD * in->head_stride]]);
        const op_cell c = op_candidate(state, run->taken[u], op_make_edge(e, u, v, weight));
        sum += front[u / 64] >> (u % 64) & 1 ? c : 0;
    }
    return sum;
}

/* The member's part of `gather`. Returns the number of vertices that are on the next frontier; *edges becomes the
 * number of their edges. */
ORDO_INLINE ordo_u64 bsp_gather_all(bsp_run *run, ordo_u64 superstep, const ordo_rows *in, ordo_counters *count,
                                    ordo_u64 *edges)
{
    ordo_job *job = run->job;
    const op_state *state = (const op_state *)job->state;
    op_cell *cell = (op_cell *)job->cells;
    ordo_u64 due = 0, due_edges = 0, looked = 0, first;
    while (ordo_go_on(job, count, looked) &&
           (first = __atomic_fetch_add(&run->next_word[superstep & 1], BSP_GATHER_WORDS, __ATOMIC_RELAXED)) <
               run->words) {
        const ordo_u64 last = first + BSP_GATHER_WORDS < run->words ? first + BSP_GATHER_WORDS : run->words;
        const ordo_u64 stop = last * 64 < job->num_items ? last * 64 : job->num_items;
        for (ordo_u64 v = first * 64; v < stop; v++) {
            const op_cell old = op_load(cell + v), sum = old + bsp_gather_row(run, in, (ordo_vid)v);
            if (sum != old)
                __atomic_store(cell + v, &sum, __ATOMIC_RELAXED);
            if (bsp_is_due(state, (ordo_item)v, sum)) {
                due++;
                due_edges += job->out->row[v + 1] - job->out->row[v];
            }
            ORDO_COUNT(count->useful += op_level(state, sum) > op_level(state, old));
        }
        looked = in->row[stop] - in->row[first * 64];
        ORDO_COUNT(count->edges += looked);
        looked += stop - first * 64;
    }
    *edges = due_edges;
    return due;
}

/* A pull superstep; `begins`: the one before did not pull. Returns the number of items that the member has put on the
 * next frontier. */
ORDO_INLINE ordo_u64 bsp_pull_superstep(bsp_run *run, int index, ordo_u64 superstep, bool begins, ordo_u64 items,
                                        bsp_member *me)
{
    const ordo_rows in = ordo_rows_of(run->job->in, op_weight_type);
    (void)items;
    me->next.count = 0;
    const ordo_u64 taken = bsp_take_all(run, index, &me->count);
    me->count.put += begins ? taken : 0; /* later ones were put by the superstep before */
    ordo_member_barrier(run->job, index);
    return bsp_gather_all(run, superstep, &in, &me->count, &me->next_edges);
}

/* Before a superstep that pushes, after one that pulled: appends entries for the frontier's items in the member's part.
 * Returns when all members have done so, since then cells change. */
ORDO_INLINE void bsp_pull_ends(bsp_run *run, int index, ordo_u64 superstep, bsp_member *me)
{
    const op_state *state = (const op_state *)run->job->state;
    ordo_u64 begin, end;
    (void)superstep;
    ordo_split(run->job->num_items, run->job->threads, index, &begin, &end);
    for (ordo_u64 i = begin; i < end; i++) {
        const op_entry entry = op_entry_now(run->job, (ordo_item)i);
        if (bsp_is_due(state, (ordo_item)i, entry.value))
            op_append(run->job, &me->next, entry);
    }
    ordo_member_barrier(run->job, index);
}
