/* relax.h -- relax operators on the CPU: applies candidates under each sync, loops over rows of edges, pulls.
 *
 * A template, included by <ordo/scheduler/cpu.h>. Expects the names that <ordo/operator/relax.h> derives from the
 * operator.
 *
 * Memory order. Cells are read and written relaxed. A candidate depends on one shared word only, the cell of its item.
 * A stale read of that cell gives a worse candidate at most, and every improvement of a cell activates its item again,
 * so the last value is always propagated. The mechanism that carries entries from one member to another (a barrier, a
 * queue) provides the ordering that the entries themselves need. The code uses builtins and not <stdatomic.h> because
 * cells are plain arrays of the caller.
 *
 * Sums (ORDO_SUM). Every change of a cell is one read-modify-write, or is made under the cell's lock. So each value of
 * a cell has exactly one successor, and each rise of a level is seen by exactly one offer, the one that makes an entry
 * of the new level. An entry is stale unless its level equals the level of the cell. Invariant: an item of level L > 0
 * has an entry of level L in flight, made by the last rise, or initially. It holds because offers only raise levels,
 * and only a take lowers a level, to 0. So no item is lost, and of the entries that an item has in flight while its
 * level rises, exactly one is not stale. Each addend is taken exactly once, because a take is a compare-and-swap of the
 * whole cell. Relaxed order is enough: the argument uses only the coherence of that one word, and what a take records
 * is read after the run.
 *
 * Not done: combining candidates of one cell before they are applied.
 */
#include <ordo/detail/cpu/cell.h>

typedef struct op_entry {
    op_cell value; /* of the item's cell, when the entry was made */
    ordo_item item;
} op_entry;

enum { op_sums = ORDO_OP_ORDER == ORDO_SUM };

/* Whether this process owns the item (<ordo/detail/cpu/remote.h>). */
ORDO_INLINE bool op_owns(const ordo_job *job, ordo_item item)
{
    if (__builtin_expect(ordo_job_in_own_range(job, item), 1))
        return true;
    return job->remote->part && ordo_owner_of(job->remote, item) == job->remote->rank;
}

/* What is offered to a target, and the words that offers go to. */
typedef op_cell op_offered;
ORDO_INLINE op_cell *op_offers(const ordo_job *job)
{
    return (op_cell *)job->cells;
}

/* Syncs under which an offer writes nothing: the sink sends the candidate to the owner of the cell (server), or posts
 * it (race, <ordo/detail/cpu/race.h>). */
ORDO_INLINE bool op_defers(const ordo_sync sync)
{
    return sync == ORDO_SYNC_SERVER || sync == ORDO_SYNC_RACE;
}

/* Offers a candidate to cell[target]. Returns true if the target is activated: the candidate improved the cell or, for
 * sums, raised its level. *candidate is then the new value of the cell. Under syncs that defer true
 * means that the sink has to do that. Every call passes `sync` as a constant. */
#if ORDO_OP_ORDER == ORDO_SUM
/* Adds to a cell in one atomic step; returns the value before. */
ORDO_INLINE op_cell op_fetch_add(op_cell *cell, op_cell addend)
{
#if ORDO_OP_REAL
    return op_add_real(cell, addend);
#else
    return __atomic_fetch_add(cell, addend, __ATOMIC_RELAXED);
#endif
}

ORDO_INLINE bool op_offer(const ordo_job *job, op_cell *cell, ordo_u32 target, op_cell *candidate, const ordo_sync sync)
{
    const op_state *state = (const op_state *)job->state;
    op_cell old, sum;
    if (*candidate == 0)
        return false;
    if (sync == ORDO_SYNC_SERVER)
        return true;
    if (sync == ORDO_SYNC_LOCK) {
        ordo_lock(&job->locks, target & job->locks.mask);
        old = op_load(cell + target);
        sum = old + *candidate;
        op_store(cell + target, sum);
        ordo_unlock(&job->locks, target & job->locks.mask);
    } else {
        old = op_fetch_add(cell + target, *candidate);
        sum = old + *candidate;
    }
    *candidate = sum;
    if (__builtin_expect(!ordo_job_in_own_range(job, target), 0) && !op_owns(job, target))
        return old == 0; /* a ghost, which has no entry yet (remote.h) */
    return op_level(state, sum) > op_level(state, old);
}
#else
ORDO_INLINE bool op_offer(const ordo_job *job, op_cell *cell, ordo_u32 target, op_cell *candidate, const ordo_sync sync)
{
    op_cell c = *candidate, old = op_load(cell + target);
    if (!op_better(c, old))
        return false;
    if (op_defers(sync))
        return true;
    if (sync == ORDO_SYNC_RACY) {
        /* This may overwrite a better value of another member. Sound where every item is processed again until nothing
         * changes, or where all candidates of a superstep are equal; pairings require one of the two. */
        op_store(cell + target, c);
        return true;
    }
    if (sync == ORDO_SYNC_LOCK) {
        ordo_lock(&job->locks, target & job->locks.mask);
        old = op_load(cell + target);
        bool improved = op_better(c, old);
        if (improved)
            op_store(cell + target, c);
        ordo_unlock(&job->locks, target & job->locks.mask);
        return improved;
    }
    do {
        if (op_swap(cell + target, &old, &c))
            return true;
    } while (op_better(c, old));
    return false;
}
#endif

/* Whether an entry can be skipped: its item has been processed since the entry was made, or has a newer entry. */
ORDO_INLINE bool op_stale(const ordo_job *job, op_entry entry)
{
    const op_cell *cell = (const op_cell *)job->cells;
#if ORDO_OP_ORDER == ORDO_SUM
    const op_state *state = (const op_state *)job->state;
    ordo_u32 level = op_level(state, op_load(&cell[entry.item]));
    return level == 0 || level != op_level(state, entry.value);
#else
    return op_activates && op_better(op_load(&cell[entry.item]), entry.value);
#endif
}

/* Whether the item of an entry has nothing to propose: its cell holds the worst value or, for sums, a value of level 0.
 */
ORDO_INLINE bool op_idle(const ordo_job *job, op_entry entry)
{
#if ORDO_OP_ORDER == ORDO_SUM
    return op_level((const op_state *)job->state, entry.value) == 0;
#else
    (void)job;
    return op_activates && !op_better(entry.value, op_worst());
#endif
}

/* Begins processing an entry: sets entry->value to the value that candidates are computed from. For sums this takes the
 * cell; returns false if another member has taken it meanwhile. */
ORDO_INLINE bool op_begin(const ordo_job *job, op_entry *entry, const ordo_sync sync)
{
#if ORDO_OP_ORDER == ORDO_SUM
    const op_state *state = (const op_state *)job->state;
    op_cell *cell = (op_cell *)job->cells + entry->item, spent = op_spent(), taken;
    bool has;
    if (sync == ORDO_SYNC_LOCK) {
        ordo_lock(&job->locks, entry->item & job->locks.mask);
        taken = op_load(cell);
        if ((has = op_level(state, taken) > 0))
            op_store(cell, spent);
        ordo_unlock(&job->locks, entry->item & job->locks.mask);
    } else {
        taken = op_load(cell);
        while ((has = op_level(state, taken) > 0) && !op_swap(cell, &taken, &spent))
            ;
    }
    if (has)
        entry->value = op_take(state, entry->item, taken);
    return has;
#else
    (void)job;
    (void)entry;
    (void)sync;
    return true;
#endif
}

/* A function that receives activated entries. Passed to the functions below as a compile-time constant. */
typedef void op_sink(void *arg, op_entry activated);

/* Offers the candidates of edges e .. end - 1 of one row. Returns the number of offers that activate their target, or
 * improve it where the operator activates nothing. Prefetches the cells of later edges, since these accesses miss the
 * cache. */
ORDO_INLINE ordo_u64 op_expand_row(const ordo_job *job, const ordo_rows *r, op_cell *cell, op_entry entry, ordo_eid e,
                                   ordo_eid end, const ordo_sync sync, op_sink push, void *arg)
{
    const op_state *state = (const op_state *)job->state;
    const ordo_vid *head = r->head + e * r->head_stride;
    const ordo_u32 *weight = r->weight + e * r->weight_stride;
    ordo_u64 improved = 0;
    for (; e < end; e++, head += r->head_stride, weight += r->weight_stride) {
        if (e + ORDO_AHEAD_HEAD < end && op_activates)
            __builtin_prefetch(&cell[head[ORDO_AHEAD_HEAD * r->head_stride]], 1);
        op_edge edge = op_make_edge(e, entry.item, *head, weight);
        op_cell c = op_candidate(state, entry.value, edge);
        ordo_u32 target = op_target(state, edge);
        if (op_offer(job, cell, target, &c, sync)) {
            improved++;
            if (op_activates || op_defers(sync)) {
                op_entry activated = {c, target};
                push(arg, activated);
            }
        }
    }
    return improved;
}

ORDO_INLINE void op_append(ordo_job *job, ordo_bin *bin, op_entry entry); /* <ordo/scheduler/cpu.h> */

/* An entry for an item, with the present value of the item's cell. */
ORDO_INLINE op_entry op_entry_now(const ordo_job *job, ordo_item item)
{
    op_entry entry;
    entry.item = item;
#if ORDO_OP_ORDER != ORDO_SUM
    entry.value = op_worst();
#endif
    if (op_activates)
        entry.value = op_load((const op_cell *)job->cells + item);
    return entry;
}

enum { op_grows = ORDO_OP_GROWS };
#if ORDO_OP_GROWS
#include <ordo/detail/cpu/grow.h>
#else
ORDO_INLINE ordo_u64 op_expand_new(ordo_job *job, op_entry entry, ordo_u64 *edges, const ordo_sync sync, op_sink push,
                                   void *arg)
{
    (void)job;
    (void)entry;
    (void)edges;
    (void)sync;
    (void)push;
    (void)arg;
    return 0;
}
#endif

/* A batch of op_expand: processes entries[0 .. size - 1], and prefetches for entries[0 .. known - 1]. Entries with long
 * rows are appended to `later` instead, as they are after op_begin, unless that is a constant NULL: a test in this loop
 * costs 3 to 6 % on road networks. Returns the number of entries and of edges that it processed. */
ORDO_INLINE ordo_u64 op_expand_batch(ordo_job *job, const ordo_rows *r, const op_entry *entries, ordo_u64 size,
                                     ordo_u64 known, ordo_counters *count, ordo_bin *later, const ordo_sync sync,
                                     op_sink push, void *arg)
{
    const op_state *state = (const op_state *)job->state;
    op_cell *cell = (op_cell *)job->cells;
    ordo_u64 stale = 0, edges = 0, improved = 0;
    for (ordo_u64 i = 0; i < size; i++) {
        if (i + ORDO_AHEAD_ROW < known) {
            ordo_item ahead = entries[i + ORDO_AHEAD_ROW].item;
            __builtin_prefetch(&r->row[ahead]);
            if (op_activates)
                __builtin_prefetch(&cell[ahead]);
        }
        if (i + ORDO_AHEAD_EDGES < known)
            __builtin_prefetch(&r->head[r->row[entries[i + ORDO_AHEAD_EDGES].item] * r->head_stride]);
        if (op_activates && i + ORDO_AHEAD_CELLS < known) {
            ordo_item ahead = entries[i + ORDO_AHEAD_CELLS].item;
            ordo_eid first = r->row[ahead], last = r->row[ahead + 1];
            if (last > first + ORDO_AHEAD_MOST)
                last = first + ORDO_AHEAD_MOST;
            for (ordo_eid e = first; e < last; e++)
                __builtin_prefetch(&cell[r->head[e * r->head_stride]], 1);
        }
        op_entry entry = entries[i];
        if (op_stale(job, entry)) {
            stale++;
            continue;
        }
        if (!op_filter(state, entry.item))
            continue;
        if (!op_begin(job, &entry, sync)) {
            stale++;
            continue;
        }
        if (op_grows)
            op_expand_new(job, entry, &edges, sync, push, arg);
        ordo_eid begin = r->row[entry.item], end = r->row[entry.item + 1];
        if (later && end - begin >= ORDO_LONG_ROW) {
            op_append(job, later, entry);
            continue;
        }
        edges += end - begin;
        ordo_u64 won = op_expand_row(job, r, cell, entry, begin, end, sync, push, arg);
        if (!op_activates && !op_defers(sync))
            improved += won;
    }
    ORDO_COUNT(count->stale += stale);
    ORDO_COUNT(count->items += size - stale);
    ORDO_COUNT(count->edges += edges);
    ORDO_COUNT(count->useful += improved);
    return size + edges;
}

/* Number of pieces of an entry's row. */
ORDO_INLINE ordo_u64 op_pieces(const ordo_rows *r, op_entry entry)
{
    return (r->row[entry.item + 1] - r->row[entry.item] + ORDO_ROW_PIECE - 1) / ORDO_ROW_PIECE;
}

/* The same for all entries of a bin. */
ORDO_INLINE ordo_u64 op_all_pieces(const ordo_rows *r, const ordo_bin *later)
{
    ordo_u64 pieces = 0;
    for (ordo_u64 i = 0; i < later->count; i++)
        pieces += op_pieces(r, ((const op_entry *)later->data)[i]);
    return pieces;
}

/* A member's work on long rows, which all members share: opens the rows that it has put off itself, and takes pieces of
 * its own and then of the others'. By all members, after the barrier that ends the superstep in which they were put
 * off. The bin must stay as it is until the next barrier. What has been overtaken since is skipped: there is a newer
 * entry (not for sums, whose entries are what was taken). */
ORDO_INLINE void op_drain_rows(ordo_job *job, ordo_share *shares, int member, ordo_u64 superstep, const ordo_rows *r,
                               const ordo_bin *later, ordo_counters *count, const ordo_sync sync, op_sink push,
                               void *arg)
{
    ordo_bin pieces = *later;
    pieces.count = op_all_pieces(r, later);
    ordo_share_open(&shares[member], &pieces, superstep);
    for (int k = 0; k < job->threads; k++) {
        ordo_share *share = &shares[(member + k) % job->threads];
        if (!ordo_share_wait(job, share, superstep))
            return;
        const op_entry *entry = (const op_entry *)share->data;
        ordo_u64 piece, next, first = 0; /* the piece; the first one of *entry */
        while (!ordo_job_stopped(job) && ordo_share_take(share, 1, &piece, &next)) {
            for (; piece - first >= op_pieces(r, *entry); entry++)
                first += op_pieces(r, *entry);
            if (ORDO_OP_ORDER != ORDO_SUM && op_stale(job, *entry))
                continue;
            const ordo_eid begin = r->row[entry->item] + (piece - first) * ORDO_ROW_PIECE;
            const ordo_eid row_end = r->row[entry->item + 1];
            const ordo_eid end = row_end - begin < ORDO_ROW_PIECE ? row_end : begin + ORDO_ROW_PIECE;
            ordo_u64 improved = op_expand_row(job, r, (op_cell *)job->cells, *entry, begin, end, sync, push, arg);
            ORDO_COUNT(count->edges += end - begin);
            if (!op_activates && !op_defers(sync))
                ORDO_COUNT(count->useful += improved);
            if (!ordo_go_on(job, count, end - begin))
                return;
        }
    }
}

#if ORDO_OP_ORDER != ORDO_SUM
/* The better of `best` and the candidate of in-edge e = (u, v). Only for operators that activate: their cells are
 * indexed by items. */
ORDO_INLINE op_cell op_gather_edge(const ordo_job *job, ordo_eid e, ordo_vid u, ordo_vid v, const ordo_u32 *weight,
                                   op_cell best)
{
    const op_state *state = (const op_state *)job->state;
    if (!op_filter(state, u))
        return best;
    op_cell c = op_candidate(state, op_load((const op_cell *)job->cells + u), op_make_edge(e, u, v, weight));
    return op_better(c, best) ? c : best;
}

/* Pulls: the best of `best` and the candidates of all in-edges of v. Edge ids are indices of the in-rows. */
ORDO_INLINE op_cell op_gather(const ordo_job *job, const ordo_rows *in, ordo_vid v, op_cell best, ordo_counters *count)
{
    ordo_eid e = in->row[v], end = in->row[v + 1];
    const ordo_vid *tail = in->head + e * in->head_stride;
    const ordo_u32 *weight = in->weight + e * in->weight_stride;
    ORDO_COUNT(count->edges += end - e);
    for (; e < end; e++, tail += in->head_stride, weight += in->weight_stride) {
        if (e + ORDO_AHEAD_HEAD < end)
            __builtin_prefetch((const op_cell *)job->cells + tail[ORDO_AHEAD_HEAD * in->head_stride]);
        best = op_gather_edge(job, e, *tail, v, weight, best);
    }
    return best;
}
#endif

ORDO_INLINE double op_entry_priority(const ordo_job *job, op_entry entry)
{
    return op_priority((const op_state *)job->state, entry.item, entry.value);
}
