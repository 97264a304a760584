/* bsp/cpu.h -- bulk-synchronous supersteps on the CPU.
 *
 * Problem. Process a worklist in parallel, with nothing shared but a barrier.
 *
 * Method. See README.md. Every member appends to its own `next` bin. At the end of a superstep members vote how many
 * items and edges they have for the next one; after the barrier each opens its bin (ordo_share), so that members
 * contend only for chunks that they take from members that lag. Pull supersteps (Beamer et al. 2012) read the frontier
 * as a bitmap and write the next one; a word of it belongs to one chunk of vertices, so plain stores suffice. Sums pull
 * otherwise: sums.h. Rows of many edges are put off to a superstep of their own, in which all members take pieces of
 * them; nothing of the next frontier is processed before. Where items are edges, the frontier is one of edges: edges.h.
 * Other ways of listing what is activated, to be compared with this one: append.h.
 *
 * Over several processes every rank runs these supersteps on its own items. Ranks meet at the end of each superstep
 * (<ordo/detail/cpu/remote.h>), and are in the same kind of superstep: rows are put off by all of them, and all pull or
 * push. Before they pull, each sets the bits of its items, and gets those of the others. A vertex that pulls reads its
 * in-neighbours' cells, of which some are ghosts, so these get the owners' values, of items on the frontier. In a
 * search all of them have the same value, so one word is sent; otherwise all cells are. An owner's cell is as good as
 * its ghosts then, since nothing is under way. Where ranks share cells only the bits are sent. The direction is chosen
 * by what ranks have before they meet, so items that several ranks have found count as many times; they pull a
 * superstep early at worst. Sums are pushed.
 *
 * Where a cell may improve again, a rank that offers it a value that another one has just bettered makes an item in
 * vain, unless they share cells. So where they do not, a large frontier is processed in two halves, each a superstep
 * with a meeting behind it. The next frontier is begun only when both are done.
 *
 * Termination. No member has an item, by votes compared across a barrier: exact. Over several processes op_meet says
 * so.
 *
 * A template; expects ORDO_OP and <ordo/scheduler/cpu.h> instantiated for it.
 */
#include "tunables.h"

/* What profilers show carries the operator's name. */
#define bsp_work_atomic ORDO_OP_NAME(bsp_work_atomic)
#define bsp_work_lock ORDO_OP_NAME(bsp_work_lock)
#define bsp_work_racy ORDO_OP_NAME(bsp_work_racy)
#define bsp_work_owner ORDO_OP_NAME(bsp_work_owner)
#define bsp_work_race ORDO_OP_NAME(bsp_work_race)
#define bsp_edges_race ORDO_OP_NAME(bsp_edges_race)
#define bsp_edges_atomic ORDO_OP_NAME(bsp_edges_atomic)
#define bsp_edges_lock ORDO_OP_NAME(bsp_edges_lock)
#define bsp_edges_racy ORDO_OP_NAME(bsp_edges_racy)
#define bsp_list_atomic ORDO_OP_NAME(bsp_list_atomic)
#define bsp_list_lock ORDO_OP_NAME(bsp_list_lock)
#define bsp_list_racy ORDO_OP_NAME(bsp_list_racy)

/* lock_order=fifo: locks are passed on in the order of asking. */
ORDO_INLINE ordo_status bsp_order_locks(ordo_job *job)
{
    if (!job->locks.lock || (int)job->tunable[BSP_LOCK_ORDER] != 1)
        return ORDO_OK;
    job->locks.ticket = (ordo_ticket_lock *)ordo_alloc_zero((size_t)job->locks.mask + 1, sizeof *job->locks.ticket);
    return job->locks.ticket ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* A member's work for the next superstep, and the long rows that it has put off. There are two, for even and odd
 * supersteps: one is read while the other is written. */
typedef struct ordo_bsp_vote {
    struct {
        ordo_u64 items, edges, rows;
    } of[2];
    ordo_u64 span[2]; /* over several processes, before a pull: the least and the greatest cell of the items that the
                       * member has put on the frontier, as words */
} ordo_bsp_vote;
enum { ORDO_BSP_PULL_WORDS = 16, BSP_DENSE = 4 };

/* A frontier is processed in halves if it has as many items as that for each rank (an exchange takes as long as some
 * hundred), and that part of all: where few are on it, as in a grid, what ranks find hardly meets. */
enum { BSP_HALVED = 1 << 14, BSP_HALVED_PART = 8 };

typedef struct bsp_run {
    ordo_job *job;
    ordo_share *shares;   /* [threads] */
    ordo_bsp_vote *votes; /* [threads] */
#if ORDO_OP_KIND == ORDO_KIND_RELAX
    ordo_u64 *front[2]; /* [words] bitmaps of vertices, if pulling is possible; else NULL */
    ordo_u64 words;
    bool only_pushes;      /* for want of in-rows, which may be made for a later run */
    ordo_u64 pushed;       /* edges, at the end; by member 0 */
    ordo_u64 next_word[2]; /* first word not taken, for even and odd supersteps */
    ordo_u64 span[2];      /* of all ranks; see ordo_bsp_vote */
    op_cell *taken;        /* [items] for sums, if pulling is possible; see sums.h */
    ordo_u32 *stamp;       /* [vertices] where items are edges; see edges.h */
#else
    ordo_owners owners;
#endif
#if ORDO_OP_KIND != ORDO_KIND_RELAX || ORDO_OP_ORDER != ORDO_SUM
    op_race race;
#endif
} bsp_run;

typedef struct bsp_member {
    ordo_job *job;
    bsp_run *run;
    int index;
    ordo_bin next;
    ordo_bin later;      /* entries with long rows, which all members share in a superstep of their own */
    ordo_u64 next_edges; /* sum of the out-degrees of the items in `next`, if the direction is chosen by it */
    ordo_counters count;
    ordo_u64 opened; /* entries of the open bin that were opened to all members */
    bool halved;     /* only a half of them, in all members of all ranks; the rest is for the next superstep */
} bsp_member;

/* Votes, waits for all members, adds up the votes. *rows: of long rows that were put off. False when the run is over.
 */
ORDO_INLINE bool bsp_agree(bsp_run *run, int index, ordo_u64 superstep, bsp_member *me, ordo_u64 my_items,
                           ordo_u64 *items, ordo_u64 *edges, ordo_u64 *rows)
{
    ordo_job *job = run->job;
    ordo_publish_counters(job, index, &me->count);
    run->votes[index].of[superstep & 1].items = my_items;
    run->votes[index].of[superstep & 1].edges = me->next_edges;
    run->votes[index].of[superstep & 1].rows = me->later.count;
    if (index == 0) {
        ordo_job_poll(job, *items);
        ordo_job_agree_stop(job, superstep);
    }
    ordo_member_barrier(job, index);
    *items = *edges = *rows = 0;
    for (int t = 0; t < job->threads; t++) {
        *items += run->votes[t].of[superstep & 1].items;
        *edges += run->votes[t].of[superstep & 1].edges;
        *rows += run->votes[t].of[superstep & 1].rows;
    }
    return *items + *rows > 0 && !ordo_job_stop_agreed(job, superstep);
}

ORDO_INLINE void bsp_begin_superstep(const bsp_run *run, int index, ordo_u64 superstep, ordo_u64 items)
{
    if (index != 0)
        return;
    run->job->supersteps = superstep;
    ORDO_COUNT(ordo_job_sample(run->job, items, superstep, 0, 1, -1));
}

/* Opens all that is left of the open bin, or half of it. */
ORDO_INLINE void bsp_open(bsp_run *run, int index, ordo_u64 superstep, bsp_member *me, const ordo_bin *open, bool half)
{
    const ordo_u64 left = open->count - me->opened;
    ordo_bin now = *open;
    now.data = (char *)open->data + me->opened * sizeof(op_entry);
    now.count = half ? left / 2 : left;
    me->opened += now.count;
    ordo_share_open(&run->shares[index], &now, superstep);
}

/* Makes `next` the open bin of this superstep, and the bin that was open before the new, empty `next`; opens it, or
 * half of it. */
ORDO_INLINE void bsp_flip(bsp_run *run, int index, ordo_u64 superstep, bsp_member *me, ordo_bin *open, bool half)
{
    ordo_bin swap = *open;
    me->count.put += me->next.count;
    *open = me->next;
    me->next = swap;
    me->next.count = 0;
    me->next_edges = 0;
    me->opened = 0;
    bsp_open(run, index, superstep, me, open, half);
}

#if ORDO_OP_KIND == ORDO_KIND_RELAX

/* Operators for which supersteps may pull; for others the scheduler's check refuses direction=pull. */
enum { bsp_pulls = ((int)op_knows_final && (int)op_can_pull) || (int)op_can_gather };

ORDO_INLINE void bsp_push(void *arg, op_entry entry)
{
    bsp_member *me = (bsp_member *)arg;
    if (op_can_gather)
        me->next_edges += me->job->out->row[entry.item + 1] - me->job->out->row[entry.item];
    if (op_keep(me->job, me->index, entry))
        op_append(me->job, &me->next, entry);
}

#if ORDO_OP_ORDER == ORDO_SUM
#include "sums.h"
ORDO_INLINE void bsp_resolve(bsp_run *run, int index, bsp_member *me)
{
    (void)run;
    (void)index;
    (void)me;
}
ORDO_INLINE void bsp_post(void *arg, op_entry offered)
{
    (void)arg;
    (void)offered;
}
#else
/* Sync race: the sink of what is offered, and the end of a superstep. */
ORDO_INLINE void bsp_post(void *arg, op_entry offered)
{
    bsp_member *me = (bsp_member *)arg;
    op_race_post(&me->run->race, me->index, &offered);
}
ORDO_INLINE void bsp_resolve(bsp_run *run, int index, bsp_member *me)
{
    const ordo_u64 won = op_race_serve(&run->race, index, &me->count, bsp_push, me);
    if (!op_activates)
        ORDO_COUNT(me->count.useful += won);
}

/* Of the bits of 64 vertices those that this rank owns. */
ORDO_INLINE ordo_u64 bsp_own_bits(const ordo_job *job, ordo_u64 base, ordo_u64 bits)
{
    if (!job->remote || !bits)
        return bits;
    if (!job->remote->part) { /* a range */
        const ordo_u64 begin = job->first_owned, end = begin + job->owned;
        const ordo_u64 from = begin > base ? begin - base : 0, to = end > base ? end - base : 0;
        return bits & (to < 64 ? ((ordo_u64)1 << to) - 1 : ~(ordo_u64)0) & (from < 64 ? ~(ordo_u64)0 << from : 0);
    }
    if (job->remote->block_bits >= 6) /* all in one block */
        return op_owns(job, (ordo_item)base) ? bits : 0;
    ordo_u64 own = 0;
    for (ordo_u64 left = bits; left; left &= left - 1)
        own |= op_owns(job, (ordo_item)(base + (ordo_u64)__builtin_ctzll(left))) ? left & -left : 0;
    return own;
}

/* Whether this rank may own one of 64 vertices. */
ORDO_INLINE bool bsp_may_own(const ordo_job *job, ordo_u64 base)
{
    if (job->remote && job->remote->part)
        return job->remote->block_bits < 6 || op_owns(job, (ordo_item)base);
    return !job->remote || (base + 64 > job->first_owned && base < (ordo_u64)job->first_owned + job->owned);
}

/* A cell as a word, where it has at most 8 bytes. */
ORDO_INLINE ordo_u64 bsp_word_of(op_cell cell)
{
    ordo_u64 word = 0;
    __builtin_memcpy(&word, &cell, sizeof cell < sizeof word ? sizeof cell : sizeof word);
    return word;
}

ORDO_INLINE void bsp_span_begin(ordo_u64 span[2])
{
    span[0] = ~(ordo_u64)0;
    span[1] = 0;
}

ORDO_INLINE void bsp_span_add(ordo_u64 span[2], op_cell cell)
{
    const ordo_u64 value = bsp_word_of(cell);
    span[0] = value < span[0] ? value : span[0];
    span[1] = value > span[1] ? value : span[1];
}

/* Over several processes: the frontier of all ranks, of which each has set the bits of its own items, and its cells.
 * Members write the bits, and the spans of their items' cells, before the barrier that is behind the last superstep or
 * in bsp_next_to_bits, so no barrier is needed here before member 0 reads them. */
ORDO_NOINLINE void bsp_unite(bsp_run *run, int index, ordo_u64 superstep)
{
    ordo_job *job = run->job;
    ordo_u64 *front = run->front[superstep & 1], begin, end;
    op_cell *cell = (op_cell *)job->cells;
    ordo_split(run->words, job->threads, index, &begin, &end);
    if (index == 0) {
        bsp_span_begin(run->span);
        for (int t = 0; t < job->threads; t++) {
            run->span[0] = run->votes[t].span[0] < run->span[0] ? run->votes[t].span[0] : run->span[0];
            run->span[1] = run->votes[t].span[1] > run->span[1] ? run->votes[t].span[1] : run->span[1];
        }
        ordo_job_unite(job, front, run->words, run->span);
        if (!job->remote->shared && (run->span[0] != run->span[1] || sizeof(op_cell) > sizeof(ordo_u64)))
            ordo_job_refresh(job);
    }
    ordo_member_barrier(job, index);
    op_cell value;
    __builtin_memcpy(&value, &run->span[0], sizeof value < sizeof run->span[0] ? sizeof value : sizeof run->span[0]);
    if (!job->remote->shared && run->span[0] == run->span[1] && sizeof(op_cell) <= sizeof(ordo_u64))
        for (ordo_u64 word = begin; word < end; word++)
            for (ordo_u64 bits = front[word] & ~bsp_own_bits(job, word * 64, front[word]); bits; bits &= bits - 1)
                op_store(cell + word * 64 + (ordo_u64)__builtin_ctzll(bits), value);
    ordo_member_barrier(job, index);
}

/* One pull superstep: members take words of 64 vertices and own them. *found: the span of the cells that it sets, over
 * several processes. */
ORDO_INLINE ordo_u64 bsp_pull(bsp_run *run, ordo_u64 superstep, const ordo_rows *in, ordo_counters *count,
                              ordo_u64 *found)
{
    ordo_job *job = run->job;
    const op_state *state = (const op_state *)job->state;
    op_cell *cell = (op_cell *)job->cells;
    const ordo_u64 *front = run->front[superstep & 1];
    ordo_u64 *next = run->front[(superstep + 1) & 1];
    ordo_u64 awake = 0, looked = 0, first, span[2];
    bsp_span_begin(span);
    while (ordo_go_on(job, count, looked) &&
           (first = __atomic_fetch_add(&run->next_word[superstep & 1], ORDO_BSP_PULL_WORDS, __ATOMIC_RELAXED)) <
               run->words) {
        looked = ORDO_BSP_PULL_WORDS * 64;
        ordo_u64 last = first + ORDO_BSP_PULL_WORDS < run->words ? first + ORDO_BSP_PULL_WORDS : run->words;
        for (ordo_u64 word = first; word < last; word++) {
            ordo_u64 bits = 0, open = 0;
            const ordo_u64 base = word * 64, here = base + 64 < job->num_items ? 64 : job->num_items - base;
            if (!bsp_may_own(job, base)) {
                next[word] = 0;
                continue;
            }
            /* first finds all vertices that search, without a branch; their rows are then prefetched while the first is
             * searched */
            for (ordo_u64 i = 0; i < here; i++)
                open |= (ordo_u64)(!op_is_final(state, (ordo_item)(base + i), op_load(cell + base + i)) &
                                   (in->row[base + i] < in->row[base + i + 1]))
                        << i;
            open = bsp_own_bits(job, base, open);
            for (ordo_u64 left = open; left; left &= left - 1)
                __builtin_prefetch(&in->head[in->row[base + (ordo_u64)__builtin_ctzll(left)] * in->head_stride]);
            for (ordo_u64 left = open; left; left &= left - 1) {
                const ordo_u64 v = base + (ordo_u64)__builtin_ctzll(left);
                ordo_eid e = in->row[v], row_end = in->row[v + 1];
                for (; e < row_end; e++) {
                    ordo_vid u = in->head[e * in->head_stride];
                    if (!(front[u / 64] >> (u % 64) & 1))
                        continue;
                    op_cell old = op_load(cell + v);
                    op_cell c = op_gather_edge(job, e, u, (ordo_vid)v, in->weight + e * in->weight_stride, old);
                    if (!op_better(c, old))
                        continue;
                    op_store(cell + v, c);
                    bits |= (ordo_u64)1 << (v % 64);
                    if (op_is_final(state, (ordo_item)v, c)) {
                        e++;
                        break;
                    }
                }
                if (job->remote && bits >> (v % 64) & 1)
                    bsp_span_add(span, op_load(cell + v));
                looked += e - in->row[v];
                ORDO_COUNT(count->edges += e - in->row[v]);
            }
            next[word] = bits;
            awake += (ordo_u64)__builtin_popcountll(bits);
        }
    }
    found[0] = span[0];
    found[1] = span[1];
    return awake;
}
/* Adds the vertices of the member's part of the bitmap to `next`. */
ORDO_INLINE void bsp_bits_to_next(bsp_run *run, int index, const ordo_u64 *front, bsp_member *me)
{
    ordo_u64 begin, end;
    ordo_split(run->words, run->job->threads, index, &begin, &end);
    for (ordo_u64 word = begin; word < end; word++)
        for (ordo_u64 bits = front[word]; bits; bits &= bits - 1)
            op_append(me->job, &me->next,
                      op_entry_now(me->job, (ordo_item)(word * 64 + (ordo_u64)__builtin_ctzll(bits))));
}

/* Sets the bits of all members' `next` in a bitmap. All members call it; it returns when all have finished. */
ORDO_INLINE void bsp_next_to_bits(bsp_run *run, int index, ordo_u64 *front, bsp_member *me)
{
    ordo_u64 *span = run->votes[index].span, begin, end;
    ordo_split(run->words, run->job->threads, index, &begin, &end);
    for (ordo_u64 word = begin; word < end; word++)
        front[word] = 0;
    ordo_member_barrier(run->job, index);
    bsp_span_begin(span);
    me->count.put += me->next.count; /* they leave `next` for the bitmap */
    for (ordo_u64 i = 0; i < me->next.count; i++) {
        const op_entry entry = ((const op_entry *)me->next.data)[i];
        __atomic_fetch_or(&front[entry.item / 64], (ordo_u64)1 << (entry.item % 64), __ATOMIC_RELAXED);
        if (run->job->remote) /* each improvement makes an entry: no cell is outside of the entries' span */
            bsp_span_add(span, entry.value);
    }
    ordo_member_barrier(run->job, index);
}

/* A pull superstep; `begins`: the one before did not pull. Returns the number of items that the member has put on the
 * next frontier. */
ORDO_INLINE ordo_u64 bsp_pull_superstep(bsp_run *run, int index, ordo_u64 superstep, bool begins, ordo_u64 items,
                                        bsp_member *me)
{
    const ordo_rows in = ordo_rows_of(run->job->in, op_weight_type);
    if (begins)
        bsp_next_to_bits(run, index, run->front[superstep & 1], me);
    me->next.count = 0;
    me->next_edges = 0;
    if (run->job->remote)
        bsp_unite(run, index, superstep);
    if (index == 0) /* the processed items are those of the frontier, although the others search */
        ORDO_COUNT(me->count.items += items);
    return bsp_pull(run, superstep, &in, &me->count, run->votes[index].span);
}

/* Before a superstep that pushes, after one that pulled: puts the frontier back into `next`. */
ORDO_INLINE void bsp_pull_ends(bsp_run *run, int index, ordo_u64 superstep, bsp_member *me)
{
    bsp_bits_to_next(run, index, run->front[superstep & 1], me);
}
#endif

/* Whether the next superstep pulls; `pulling`: the last one did. Every member computes the same decision from the same
 * votes. A pull searches all vertices that are left, so it pays if most of them are on the next frontier. A frontier
 * that does not grow, as in a mesh, exceeds 1/alpha of what is left only because little is left. Of sums a pull reads
 * all edges. */
ORDO_INLINE bool bsp_will_pull(const ordo_job *job, bool pulling, ordo_u64 items, ordo_u64 edges, ordo_u64 last_items,
                               ordo_u64 edges_left)
{
    const double alpha = job->tunable[BSP_ALPHA],
                 beta = job->tunable[BSP_BETA] > 0 ? job->tunable[BSP_BETA] : (double)BSP_BETA_CPU;
    if (op_can_gather)
        return edges > job->out->m / BSP_DENSE;
    if (pulling)
        return items >= last_items || (double)items > (double)job->num_items / beta;
    return (double)edges > (double)edges_left / alpha && items > BSP_GROWTH * last_items;
}

/* Puts the member's part of the initial items into its bin. */
ORDO_INLINE void bsp_put_initial(bsp_member *me, int index)
{
    ordo_job *job = me->job;
    ordo_u64 begin, end;
    ordo_split(job->initial_count, job->threads, index, &begin, &end);
    for (ordo_u64 i = begin; i < end && (i % ORDO_POLL_BATCH || ordo_go_on(job, &me->count, ORDO_POLL_BATCH)); i++) {
        ordo_item item = op_initial(job, i);
        if (!op_owns(job, item))
            continue;
        op_append(job, &me->next, op_entry_now(job, item));
        if (op_can_gather)
            me->next_edges += job->out->row[item + 1] - job->out->row[item];
    }
}

/* What is to be done in a superstep. */
typedef struct bsp_due {
    ordo_u64 items, edges, rows; /* of all members */
    ordo_u64 own;                /* items of this rank */
} bsp_due;

/* The sum of the out-degrees of a bin's items. */
ORDO_INLINE ordo_u64 bsp_edges_of(const ordo_job *job, const ordo_bin *bin)
{
    const op_entry *entry = (const op_entry *)bin->data;
    const ordo_u64 *row = job->out->row;
    ordo_u64 edges = 0;
    for (ordo_u64 i = 0; i < bin->count; i++) {
        if (i + ORDO_AHEAD_HEAD < bin->count)
            __builtin_prefetch(&row[entry[i + ORDO_AHEAD_HEAD].item]);
        edges += row[entry[i].item + 1] - row[entry[i].item];
    }
    return edges;
}

/* Where the direction is chosen by edges and no sums are gathered: counts those of the member's next items, also of
 * those that it is about to send. By a pass of its own, since a push would wait for each row. */
ORDO_INLINE void bsp_count_edges(const bsp_run *run, bsp_member *me)
{
    const ordo_job *job = run->job;
    if (!bsp_pulls || op_can_gather || !(run->front[0] || run->only_pushes))
        return;
    me->next_edges = bsp_edges_of(job, &me->next);
    for (ordo_u32 to = 0; job->remote && to < job->remote->count; to++)
        me->next_edges += bsp_edges_of(job, &job->remote->out[(ordo_u32)me->index * job->remote->count + to]);
}

/* bsp_agree, over several processes with what other ranks have sent: *my_items is then the number of the member's items
 * with that, and every rank goes on while one has work. The lowest bucket says whether a rank has put off rows. */
ORDO_INLINE bool bsp_agree_with_ranks(bsp_run *run, int index, ordo_u64 superstep, bsp_member *me, ordo_u64 *my_items,
                                      bsp_due *due, const ordo_sync sync)
{
    ordo_remote *remote = run->job->remote;
    bsp_count_edges(run, me);
    if (!remote) {
        const bool more = bsp_agree(run, index, superstep, me, *my_items, &due->items, &due->edges, &due->rows);
        due->own = due->items;
        return more;
    }
    const ordo_u64 before = me->next.count;
    remote->said[index].edges = me->next_edges;
    const ordo_agreed all =
        op_meet(run->job, index, *my_items + me->later.count, me->later.count ? 0 : 1, sync, bsp_push, me);
    *my_items += me->next.count - before; /* after a superstep that pulled they are in the bitmap */
    bsp_agree(run, index, superstep, me, *my_items, &due->own, &due->edges, &due->rows);
    due->items = all.work;
    due->edges = all.edges;
    due->rows = all.lowest == 0;
    return all.work && !all.ended;
}

/* A superstep for the rows that the one before has put off. Returns the number of the member's next items. */
ORDO_INLINE ordo_u64 bsp_share_rows(bsp_run *run, int index, ordo_u64 superstep, bsp_member *me, const ordo_rows *rows,
                                    const ordo_sync sync)
{
    const double before = ORDO_CLOCK(run->job);
    if (bsp_pulls && index == 0)
        run->next_word[(superstep + 1) & 1] = 0;
    if (sync == ORDO_SYNC_RACE) {
        op_drain_rows(run->job, run->shares, index, superstep, rows, &me->later, &me->count, sync, bsp_post, me);
        bsp_resolve(run, index, me);
    } else {
        op_drain_rows(run->job, run->shares, index, superstep, rows, &me->later, &me->count, sync, bsp_push, me);
    }
    me->later.count = 0; /* others may still read its entries, which stay until the next barrier */
    me->count.work_seconds += ORDO_CLOCK(run->job) - before;
    return me->next.count;
}

/* How many items of a frontier a thread takes at once: `most`, or fewer, where these would have more than an eighth of
 * the edges that are a thread's part. The second frontier of a search may be some dozen hubs with a tenth of the
 * graph's edges. `edges` is the frontier's number, 0 if nothing has counted them. */
ORDO_INLINE ordo_u64 bsp_chunk(ordo_u64 most, ordo_u64 items, ordo_u64 edges, int threads)
{
    const ordo_u64 least = 512; /* edges that are worth an access to what all threads take from */
    const ordo_u64 part = edges / (8 * (ordo_u64)threads), want = part > least ? part : least;
    const ordo_u64 chunk = edges ? want * items / edges : most;
    return chunk > most ? most : chunk ? chunk : 1;
}

/* Whether a frontier of that many items, of all ranks, is processed in halves; the same in all members of all ranks. */
ORDO_INLINE bool bsp_halves(const ordo_job *job, ordo_u64 items)
{
    return !bsp_pulls && !op_sums && job->remote && !job->remote->shared &&
           items >= (ordo_u64)BSP_HALVED * job->remote->count && items >= job->num_items / BSP_HALVED_PART;
}

/* A superstep that pushes. Returns the number of items that the member has for the next ones. */
ORDO_INLINE ordo_u64 bsp_push_superstep(bsp_run *run, int index, ordo_u64 superstep, const bsp_due *due,
                                        const ordo_rows *rows, ordo_bin *open, bsp_member *me, const ordo_sync sync)
{
    ordo_job *job = run->job;
    const bool half = !me->halved && bsp_halves(job, due->items);
    if (me->halved)
        bsp_open(run, index, superstep, me, open, false);
    else
        bsp_flip(run, index, superstep, me, open, half);
    me->halved = half;
    ordo_bin *const later = job->long_rows ? &me->later : NULL;
    const ordo_u64 chunk = bsp_chunk((ordo_u64)job->tunable[BSP_CHUNK], due->items, due->edges, job->threads);
    if (sync == ORDO_SYNC_RACE) {
        op_drain_short(job, run->shares, index, superstep, chunk, rows, &me->count, later, sync, bsp_post, me);
        bsp_resolve(run, index, me);
    } else {
        op_drain_short(job, run->shares, index, superstep, chunk, rows, &me->count, later, sync, bsp_push, me);
    }
    return me->next.count + open->count - me->opened;
}

ORDO_INLINE void bsp_work(bsp_run *run, int index, const ordo_sync sync)
{
    ordo_job *job = run->job;
    const ordo_rows rows = ordo_rows_of(job->out, op_weight_type);
    const int direction = run->front[0] ? (int)job->tunable[BSP_DIRECTION] : BSP_PUSH;
    bsp_member me = {.job = job, .run = run, .index = index};
    ordo_bin open = {0};
    ordo_count_from(job, index, &me.count, &me.next, 1, NULL);

    bsp_put_initial(&me, index);
    ordo_u64 last_items = 0, edges_left = job->out->m;
    bool pulling = false;
    bsp_due due = {0, 0, 0, 0};
    ordo_u64 my_items = me.next.count;
    for (ordo_u64 superstep = 1; bsp_agree_with_ranks(run, index, superstep, &me, &my_items, &due, sync); superstep++) {
        bsp_begin_superstep(run, index, superstep, due.items + due.rows);
        if (due.rows) {
            my_items = bsp_share_rows(run, index, superstep, &me, &rows, sync) + open.count - me.opened;
            continue;
        }
        const bool pull =
            direction == BSP_PULL ||
            (direction == BSP_AUTO && bsp_will_pull(job, pulling, due.items, due.edges, last_items, edges_left));
        edges_left -= due.edges < edges_left ? due.edges : edges_left;
        last_items = due.items;
        double before = ORDO_CLOCK(job);
        if (bsp_pulls && index == 0)
            run->next_word[(superstep + 1) & 1] = 0;
        if (bsp_pulls && pulling && !pull) {
            me.count.put -= my_items; /* all members together have them in `next` again */
            bsp_pull_ends(run, index, superstep, &me);
        }
        if (bsp_pulls && pull) {
            my_items = bsp_pull_superstep(run, index, superstep, !pulling, due.own, &me);
            me.count.put += my_items;
        } else {
            my_items = bsp_push_superstep(run, index, superstep, &due, &rows, &open, &me, sync);
        }
        pulling = bsp_pulls && pull;
        me.count.work_seconds += ORDO_CLOCK(job) - before;
    }
    if (index == 0)
        run->pushed = job->out->m - edges_left;
    ordo_bin_free(job, &me.next, sizeof(op_entry));
    ordo_bin_free(job, &me.later, sizeof(op_entry));
    ordo_bin_free(job, &open, sizeof(op_entry));
    ordo_count_to(job, index, &me.count);
}

ORDO_NOINLINE void bsp_work_atomic(void *run, int index)
{
    bsp_work((bsp_run *)run, index, ORDO_SYNC_ATOMIC);
}
ORDO_NOINLINE void bsp_work_lock(void *run, int index)
{
    bsp_work((bsp_run *)run, index, ORDO_SYNC_LOCK);
}
ORDO_NOINLINE void bsp_work_racy(void *run, int index)
{
    bsp_work((bsp_run *)run, index, ORDO_SYNC_RACY);
}
#if ORDO_OP_ORDER != ORDO_SUM
ORDO_NOINLINE void bsp_work_race(void *run, int index)
{
    bsp_work((bsp_run *)run, index, ORDO_SYNC_RACE);
}
#endif

/* Calls `work` on all members, with what sync race needs. */
static ordo_status bsp_run_team(bsp_run *run, ordo_team_fn *work)
{
#if ORDO_OP_ORDER != ORDO_SUM
    const bool races = ordo_job_sync(run->job) == ORDO_SYNC_RACE;
    const ordo_status status = races ? op_race_make(run->job, &run->race) : ORDO_OK;
    if (!status)
        ordo_team_run(run->job->team, work, run);
    if (races)
        op_race_free(&run->race);
    return status;
#else
    ordo_team_run(run->job->team, work, run);
    return ORDO_OK;
#endif
}

/* The function of a run's sync. */
#if ORDO_OP_ORDER != ORDO_SUM
#define BSP_OF_SYNC(_job, _lock, _racy, _race, _atomic)                                                                \
    (ordo_job_sync(_job) == ORDO_SYNC_LOCK   ? _lock                                                                   \
     : ordo_job_sync(_job) == ORDO_SYNC_RACY ? _racy                                                                   \
     : ordo_job_sync(_job) == ORDO_SYNC_RACE ? _race                                                                   \
                                             : _atomic)
#else /* sums have no sync race */
#define BSP_OF_SYNC(_job, _lock, _racy, _race, _atomic)                                                                \
    (ordo_job_sync(_job) == ORDO_SYNC_LOCK ? _lock : ordo_job_sync(_job) == ORDO_SYNC_RACY ? _racy : _atomic)
#endif

/* Makes bitmaps and in-rows, if pulling is possible and allowed. */
static ordo_status bsp_prepare(ordo_job *job, bsp_run *run)
{
    if (job->remote && (int)job->tunable[BSP_EXCHANGE] != BSP_CHOSEN && (int)job->tunable[BSP_EXCHANGE] != BSP_BULK)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'bsp': ranks on CPUs send lists behind a superstep, found exchange=%s",
                         (int)job->tunable[BSP_EXCHANGE] == BSP_EAGER ? "eager" : "atomic");
    if (job->remote && op_sums && (int)job->tunable[BSP_DIRECTION] == BSP_PULL)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'bsp' with direction=pull does not run '%s', whose cells sum, over "
                         "ranks",
                         job->op->name);
    if (!bsp_pulls || (job->remote && op_sums) || (int)job->tunable[BSP_DIRECTION] == BSP_PUSH)
        return ORDO_OK;
    run->only_pushes =
        (int)job->tunable[BSP_DIRECTION] == BSP_AUTO && !op_can_gather && !ordo_job_in_pays_ranks(job, BSP_TRANSPOSE);
    if (run->only_pushes)
        return ORDO_OK;
    run->words = (job->num_items + 63) / 64;
    for (int i = 0; i < 2; i++) {
        run->front[i] = (ordo_u64 *)ordo_alloc(run->words, sizeof(ordo_u64));
        if (!run->front[i])
            return ORDO_ERR_MEMORY;
        ordo_job_account(job, (long long)(run->words * sizeof(ordo_u64)));
    }
    if (op_can_gather && !(run->taken = (op_cell *)ordo_alloc_zero(job->num_items, sizeof(op_cell))))
        return ORDO_ERR_MEMORY;
    ordo_job_account(job, run->taken ? (long long)(job->num_items * sizeof(op_cell)) : 0);
    return ordo_job_need_in(job);
}

#if ORDO_OP_ORDER != ORDO_SUM
#include "edges.h"
#endif
#include "append.h"

#if ORDO_OP_ORDER != ORDO_SUM
/* Racy stores: all that a superstep stores to a cell must be one value, so the initial items must have one. Those with
 * the worst value propose nothing; an item that improves within the superstep is processed in the next one. */
static ordo_status bsp_check_racy(const ordo_job *job)
{
    const op_cell *cell = (const op_cell *)job->cells, worst = op_worst();
    const op_cell *first = NULL;
    for (ordo_u64 i = 0; op_activates && ordo_job_sync(job) == ORDO_SYNC_RACY && i < job->initial_count; i++) {
        const op_cell *const now = &cell[op_initial(job, i)];
        if (!op_better(*now, worst))
            continue;
        first = first ? first : now;
        if (op_better(*now, *first) || op_better(*first, *now))
            return ordo_fail(ORDO_ERR_UNSOUND,
                             "scheduler 'bsp' with sync 'racy' needs initial items of one value, found "
                             "others in cells %llu and %llu",
                             (unsigned long long)(first - cell), (unsigned long long)(now - cell));
    }
    return ORDO_OK;
}
#endif

static ordo_status bsp_run_here(ordo_job *job)
{
#if ORDO_OP_ORDER != ORDO_SUM
    const ordo_status racy = bsp_check_racy(job);
    if (racy)
        return racy;
#endif
    if ((int)job->tunable[BSP_APPEND] != BSP_BUFFER || (int)job->tunable[BSP_DEDUP] == BSP_ONCE ||
        (int)job->tunable[BSP_BALANCE] == BSP_DONATE)
        return bsp_run_lists(job);
#if ORDO_OP_ORDER != ORDO_SUM
    if ((int)op_items & ORDO_ITEMS_EDGES && job->item == ORDO_ITEMS_EDGES)
        return bsp_run_edges(job);
#endif
    bsp_run run = {.job = job,
                   .shares = (ordo_share *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_share)),
                   .votes = (ordo_bsp_vote *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_bsp_vote))};
    ordo_status status = run.shares && run.votes ? bsp_prepare(job, &run) : ORDO_ERR_MEMORY;
    if (!status)
        status = bsp_run_team(&run, BSP_OF_SYNC(job, bsp_work_lock, bsp_work_racy, bsp_work_race, bsp_work_atomic));
    if (run.only_pushes)
        ordo_job_pushed(job, run.pushed);
    ordo_free(run.front[0]);
    ordo_free(run.front[1]);
    ordo_free(run.taken);
    ordo_free(run.shares);
    ordo_free(run.votes);
    return status;
}

static ordo_status bsp_run_job(ordo_job *job)
{
    ordo_status status = bsp_order_locks(job);
    return status ? status : op_run_among_ranks(job, bsp_run_here);
}

#else /* critical */

ORDO_INLINE void bsp_push(void *arg, op_entry activated)
{
    bsp_member *me = (bsp_member *)arg;
    op_append(me->job, &me->next, activated);
}

ORDO_INLINE void bsp_visit(bsp_run *run, int index, bsp_member *me, ordo_item item, const ordo_sync sync)
{
    ordo_job *job = run->job;
    op_request request[op_requests];
    ordo_eid unit, end = op_units((const op_state *)job->state, item, &unit);
    if (op_expands)
        ORDO_COUNT(me->count.items++);
    for (; unit < end; unit++) {
        ordo_u32 size = op_prepare_unit((const op_state *)job->state, item, unit, request);
        if (!op_expands)
            ORDO_COUNT(me->count.items++);
        ORDO_COUNT(me->count.edges += size);
        for (ordo_u32 k = 0; k < size; k++) {
            if (sync == ORDO_SYNC_LOCK || (op_hands_edges && request[k].targets == 0))
                me->count.activations += op_serve(job, &request[k], &me->count, bsp_push, me);
            else if (sync == ORDO_SYNC_RACE)
                op_race_post(&run->race, index, &request[k]);
            else
                op_owners_post(&run->owners, index, &request[k]);
        }
    }
}

ORDO_INLINE void bsp_work(bsp_run *run, int index, const ordo_sync sync)
{
    ordo_job *job = run->job;
    const ordo_u64 chunk = (ordo_u64)job->tunable[BSP_CHUNK];
    bsp_member me = {.job = job};
    ordo_bin open = {0};
    ordo_count_from(job, index, &me.count, &me.next, 1, NULL);
    ordo_u64 begin, end, items = 0, edges = 0, none = 0;
    ordo_split(job->initial_count, job->threads, index, &begin, &end);
    for (ordo_u64 i = begin; i < end && (i % ORDO_POLL_BATCH || ordo_go_on(job, &me.count, ORDO_POLL_BATCH)); i++)
        op_append(job, &me.next, op_entry_now(job, op_initial(job, i)));
    for (ordo_u64 superstep = 1; bsp_agree(run, index, superstep, &me, me.next.count, &items, &edges, &none);
         superstep++) {
        bsp_begin_superstep(run, index, superstep, items);
        bsp_flip(run, index, superstep, &me, &open, false);
        double before = ORDO_CLOCK(job);
        for (int k = 0; k < job->threads; k++) {
            ordo_share *share = &run->shares[(index + k) % job->threads];
            if (!ordo_share_wait(job, share, superstep))
                break;
            while (!ordo_job_stopped(job) && ordo_share_take(share, chunk, &begin, &end))
                for (ordo_u64 i = begin; i < end && ordo_go_on(job, &me.count, op_requests); i++)
                    bsp_visit(run, index, &me, ((const op_entry *)share->data)[i].item, sync);
        }
        if (sync == ORDO_SYNC_OWNER)
            me.count.activations += op_owners_serve(&run->owners, index, &me.count, bsp_push, &me);
        if (sync == ORDO_SYNC_RACE)
            op_race_serve(&run->race, index, &me.count, bsp_push, &me);
        me.count.work_seconds += ORDO_CLOCK(job) - before;
    }
    ordo_bin_free(job, &me.next, sizeof(op_entry));
    ordo_bin_free(job, &open, sizeof(op_entry));
    ordo_count_to(job, index, &me.count);
}

ORDO_NOINLINE void bsp_work_lock(void *run, int index)
{
    bsp_work((bsp_run *)run, index, ORDO_SYNC_LOCK);
}
ORDO_NOINLINE void bsp_work_owner(void *run, int index)
{
    bsp_work((bsp_run *)run, index, ORDO_SYNC_OWNER);
}
ORDO_NOINLINE void bsp_work_race(void *run, int index)
{
    bsp_work((bsp_run *)run, index, ORDO_SYNC_RACE);
}

static ordo_status bsp_run_job(ordo_job *job)
{
    ordo_status status = bsp_order_locks(job);
    if (status)
        return status;
    bsp_run run = {.job = job,
                   .shares = (ordo_share *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_share)),
                   .votes = (ordo_bsp_vote *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_bsp_vote))};
    status = run.shares && run.votes ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status && ordo_job_sync(job) == ORDO_SYNC_OWNER)
        status = ordo_owners_make(job, &run.owners);
    if (!status && ordo_job_sync(job) == ORDO_SYNC_RACE)
        status = op_race_make(job, &run.race);
    if (!status)
        ordo_team_run(job->team,
                      ordo_job_sync(job) == ORDO_SYNC_OWNER ? bsp_work_owner
                      : ordo_job_sync(job) == ORDO_SYNC_RACE ? bsp_work_race
                                                             : bsp_work_lock,
                      &run);
    if (run.race.job)
        op_race_free(&run.race);
    if (run.owners.job)
        ordo_owners_free(&run.owners);
    ordo_free(run.shares);
    ordo_free(run.votes);
    return status;
}

#endif

ORDO_CPU_INSTANCE(bsp, bsp_run_job)
