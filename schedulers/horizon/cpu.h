/* horizon/cpu.h -- a horizon on the CPU: pushes edges in the order of weights, then pulls the rest.
 *
 * Problem. On a graph with hubs and short paths nearly all edges improve nothing, and most of the time goes into
 * looking at them.
 *
 * Method. See README.md. The horizon T is a value of cells; "within" means at least as good as T. Rows are in the order
 * of weights, so the edges of a row whose candidates are within T come first. Every member appends to its own bins; a
 * superstep opens them to all members.
 *   near      what has been activated, to be pushed up to T
 *   parts     rows to be pushed from an edge on: pieces of long rows, and what waited until T had come to it
 *   waiting   vertices whose next edge has a candidate beyond T, with that candidate
 * When near and parts of all members are empty, T moves: a step behind the least of all that waits, so that an empty
 * gap costs nothing and each move has something to push. Then every member moves what lies within T from its waiting
 * bin to its parts. Nothing is pushed for candidates beyond T, so until a pull every vertex beyond T has the cell that
 * it had ahead of the run.
 *
 * Pull. A vertex v beyond T looks at its in-edges in the order of weights. It stops where the candidate of the best
 * initial value is no better than what it has, since no cell is better than that one; and where it has the first value
 * behind T, since what is within T has been pushed to it. It is listed if a tail was beyond T and the candidate of T by
 * that edge would be better than what v has in the end. Behind a barrier what is listed looks at the same edges again,
 * and what improves then waits for T, to be pushed as anything else.
 *
 * Exact. Let all be done, and (u, v) be an edge whose candidate is better than the cell of v. An entry of u with its
 * last value was pushed up to T, or u had this value ahead of the second look. v within T at the pull: then so is the
 * candidate, and u, whose value is at least as good (ORDO_BY_WEIGHT). So u has been pushed up to T ahead of the pull: a
 * contradiction. v beyond T, and u within T: v has looked at the edge, or at a better candidate than it can have. Both
 * beyond T: v looked at the edge, when u may have had a worse value. If u improved in the second look or later, it has
 * been pushed since. If it improved in the first, either v was listed, and read the last value of u behind the barrier;
 * or the candidate of T was no better than the cell of v, and that of u is no better than that of T (ORDO_MONOTONE).
 * Only listed vertices can improve behind the second look, so a candidate that is no better than the worst cell of
 * these is not waited for.
 *
 * Memory order. Cells are relaxed, as <ordo/detail/cpu/relax.h> says: a stale read gives a worse candidate at most, and
 * each improvement makes an entry, or is one of the first look, which a barrier separates from the second. Entries are
 * read by other members behind the release and acquire of the share that holds them (ordo_share), and their memory is
 * kept until the barrier that ends the superstep. Votes are written ahead of a barrier and read behind it; there are
 * two of each, so none is written again before all have read it. `next_vertex` only hands out numbers: relaxed.
 *
 * Termination. Nothing is near or in parts, and nothing waits that can improve a cell, by votes compared across a
 * barrier: exact.
 *
 * A template; expects ORDO_OP and <ordo/scheduler/cpu.h> instantiated for it.
 */
#include "tunables.h"

#if ORDO_OP_KIND == ORDO_KIND_RELAX && ORDO_OP_ACTIVATES && !ORDO_OP_GROWS &&                                          \
    (ORDO_OP_ORDER == ORDO_MIN || ORDO_OP_ORDER == ORDO_MAX)

/* What profilers show carries the operator's name. */
#define horizon_work ORDO_OP_NAME(horizon_work)

typedef struct horizon_entry {
    op_cell value; /* of the item's cell, when the entry was made */
    ordo_item item;
    ordo_u32 first; /* the item was beyond the horizon before: its in-edges are to be counted */
} horizon_entry;

typedef struct horizon_part {
    op_cell value;
    ordo_item item;
    ordo_eid at, end; /* edges at .. end - 1, of which all are within T; or end HORIZON_ROW: from there on */
} horizon_part;

typedef struct horizon_wait {
    op_cell value, next; /* `next`: the candidate of edge `at`; or where it is none, the value */
    ordo_item item;
    ordo_eid at; /* or HORIZON_FIRST, HORIZON_AGAIN: a whole row, whose item is to be counted or not */
} horizon_wait;
#define HORIZON_ROW (~(ordo_eid)0)
#define HORIZON_FIRST (~(ordo_eid)0)
#define HORIZON_AGAIN (~(ordo_eid)0 - 1)

/* What a member says at the end of a superstep, on separate cache lines. */
typedef struct ordo_horizon_vote {
    struct {
        ordo_u64 near_items, parts;
        ordo_u64 within; /* in-edges of vertices within T, so far */
        op_cell least;   /* the best candidate that waits; the worst value: none */
        op_cell limit;
    } of[2];
    ordo_u64 padding[8];
} ordo_horizon_vote;

typedef struct horizon_run {
    ordo_job *job;
    const ordo_csr *out, *in; /* by weight; in: NULL where the run does not pull */
    ordo_share *near_shares;  /* [threads] */
    ordo_share *part_shares;  /* [threads] */
    ordo_horizon_vote *votes; /* [threads] */
    double step;              /* the first one */
    ordo_u64 padding0[8];
    ordo_u64 next_vertex; /* the first vertex that no member has taken to pull; on a separate cache line */
    ordo_u64 padding1[7];
} horizon_run;

typedef struct horizon_member {
    horizon_run *run;
    ordo_job *job;
    int index;
    ordo_rows out, in;
    ordo_bin near_items, parts, waiting;
    ordo_bin open_items, open_parts; /* of this superstep, open to all members */
    op_cell horizon, base;           /* T; the best initial value */
    op_cell least;                   /* of `waiting` */
    op_cell limit;                   /* what is not better than that improves nothing */
    double step;
    ordo_u64 within, within_before, due_first, superstep;
    bool pulled;
    ordo_counters count;
} horizon_member;

ORDO_INLINE bool horizon_reaches(const horizon_member *me, op_cell value)
{
    return !op_better(me->horizon, value);
}

ORDO_INLINE op_cell horizon_better(op_cell a, op_cell b)
{
    return op_better(b, a) ? b : a;
}

/* The value a step behind another one, at least as bad. */
ORDO_INLINE op_cell horizon_behind(op_cell from, double step)
{
    const double worst = (double)op_worst(), to = ORDO_OP_ORDER == ORDO_MIN ? (double)from + step : (double)from - step;
    if (ORDO_OP_ORDER == ORDO_MIN ? !(to < worst) : !(to > worst))
        return op_worst();
    return op_better((op_cell)to, from) ? from : (op_cell)to; /* rounded */
}

/* Whether a bin has, or now gets, a place for one more. */
ORDO_INLINE bool horizon_room(ordo_job *job, ordo_bin *bin, size_t size)
{
    return __builtin_expect(bin->count < bin->capacity, 1) || ordo_bin_grow(job, bin, size);
}

ORDO_INLINE void horizon_activate(horizon_member *me, ordo_item item, op_cell value, bool first)
{
    const horizon_entry entry = {value, item, first};
    if (horizon_room(me->job, &me->near_items, sizeof entry))
        ((horizon_entry *)me->near_items.data)[me->near_items.count++] = entry;
}

ORDO_INLINE void horizon_put_part(horizon_member *me, op_cell value, ordo_item item, ordo_eid at, ordo_eid end)
{
    const horizon_part part = {value, item, at, end};
    if (horizon_room(me->job, &me->parts, sizeof part))
        ((horizon_part *)me->parts.data)[me->parts.count++] = part;
}

/* The item has an edge `at` whose candidate, `next`, is beyond T. */
ORDO_INLINE void horizon_put_wait(horizon_member *me, op_cell value, ordo_item item, ordo_eid at, op_cell next)
{
    const horizon_wait wait = {value, next, item, at};
    if (!op_better(next, me->limit))
        return;
    me->least = horizon_better(me->least, next);
    if (horizon_room(me->job, &me->waiting, sizeof wait))
        ((horizon_wait *)me->waiting.data)[me->waiting.count++] = wait;
}

/* ---- pushing ---- */

ORDO_INLINE op_cell horizon_candidate(const horizon_member *me, const ordo_rows *r, op_cell value, ordo_item item,
                                      ordo_eid e)
{
    const op_edge edge = op_make_edge(e, item, r->head[e * r->head_stride], r->weight + e * r->weight_stride);
    return op_candidate((const op_state *)me->job->state, value, edge);
}

/* Offers a candidate that is within T. As op_offer under ORDO_SYNC_ATOMIC, which does not tell what the cell was. */
ORDO_INLINE void horizon_offer(horizon_member *me, ordo_vid target, op_cell candidate)
{
    op_cell *cell = (op_cell *)me->job->cells + target, old = op_load(cell);
    do {
        if (!op_better(candidate, old))
            return;
    } while (!op_swap(cell, &old, &candidate));
    horizon_activate(me, target, candidate, !horizon_reaches(me, old));
}

/* The first edge from e to end - 1 whose candidate is beyond T; `end` if there is none. */
ORDO_INLINE ordo_eid horizon_search(const horizon_member *me, op_cell value, ordo_item item, ordo_eid e, ordo_eid end)
{
    while (e < end) {
        const ordo_eid middle = e + (end - e) / 2;
        if (horizon_reaches(me, horizon_candidate(me, &me->out, value, item, middle)))
            e = middle + 1;
        else
            end = middle;
    }
    return e;
}

/* Pushes edges e .. end - 1 of a row, up to T. What is beyond it waits, if `waits`. Returns the edges looked at. */
ORDO_INLINE ordo_u64 horizon_push(horizon_member *me, op_cell value, ordo_item item, ordo_eid e, ordo_eid end,
                                  bool waits)
{
    const ordo_rows *r = &me->out;
    const ordo_eid begin = e;
    enum { AHEAD = 8 };
    for (; e < end; e++) {
        const op_cell c = horizon_candidate(me, r, value, item, e);
        if (e + AHEAD < end)
            __builtin_prefetch((op_cell *)me->job->cells + r->head[(e + AHEAD) * r->head_stride], 1);
        if (!horizon_reaches(me, c)) {
            if (waits)
                horizon_put_wait(me, value, item, e, c);
            return e + 1 - begin;
        }
        horizon_offer(me, r->head[e * r->head_stride], c);
    }
    return e - begin;
}

/* The same for the rest of a row. If members can share it and it is long, all but the first piece is put into parts. */
ORDO_INLINE ordo_u64 horizon_push_row(horizon_member *me, op_cell value, ordo_item item, ordo_eid e)
{
    const ordo_eid row_end = me->out.row[item + 1];
    const ordo_u64 piece = (ordo_u64)me->job->tunable[HORIZON_PIECE];
    if (me->job->threads == 1 || row_end - e <= piece)
        return horizon_push(me, value, item, e, row_end, true);
    const ordo_eid end = horizon_search(me, value, item, e, row_end);
    for (ordo_eid at = e + piece; at < end; at += piece)
        horizon_put_part(me, value, item, at, end - at < piece ? end : at + piece);
    if (end < row_end)
        horizon_put_wait(me, value, item, end, horizon_candidate(me, &me->out, value, item, end));
    return horizon_push(me, value, item, e, end - e < piece ? end : e + piece, false);
}

/* Prefetches the cells of the heads of the first edges of a row, from e on. */
ORDO_INLINE void horizon_prefetch_cells(const horizon_member *me, ordo_eid e, ordo_eid end)
{
    enum { FEW = 4 };
    for (const ordo_eid few = e + FEW; e < end && e < few; e++)
        __builtin_prefetch((const op_cell *)me->job->cells + me->out.head[e * me->out.head_stride], 1);
}

/* Prefetches for entries behind entry[i], in three stages: cell and row bounds, edges, cells of the first edges. */
ORDO_INLINE void horizon_prefetch(const horizon_member *me, const horizon_entry *entry, ordo_u64 i, ordo_u64 count)
{
    const ordo_rows *r = &me->out;
    if (i + ORDO_AHEAD_ROW < count) {
        __builtin_prefetch(&r->row[entry[i + ORDO_AHEAD_ROW].item]);
        __builtin_prefetch((const op_cell *)me->job->cells + entry[i + ORDO_AHEAD_ROW].item);
    }
    if (i + ORDO_AHEAD_EDGES < count)
        __builtin_prefetch(&r->head[r->row[entry[i + ORDO_AHEAD_EDGES].item] * r->head_stride]);
    if (i + ORDO_AHEAD_CELLS < count)
        horizon_prefetch_cells(me, r->row[entry[i + ORDO_AHEAD_CELLS].item],
                               r->row[entry[i + ORDO_AHEAD_CELLS].item + 1]);
}

/* The same for parts. */
ORDO_INLINE void horizon_prefetch_part(const horizon_member *me, const horizon_part *part, ordo_u64 i, ordo_u64 count)
{
    const ordo_rows *r = &me->out;
    if (i + ORDO_AHEAD_ROW < count) {
        const horizon_part *p = &part[i + ORDO_AHEAD_ROW];
        __builtin_prefetch((const op_cell *)me->job->cells + p->item);
        __builtin_prefetch(&r->row[p->item + 1]);
        __builtin_prefetch(&r->head[p->at * r->head_stride]);
    }
    if (i + ORDO_AHEAD_CELLS < count)
        horizon_prefetch_cells(me, part[i + ORDO_AHEAD_CELLS].at, r->row[part[i + ORDO_AHEAD_CELLS].item + 1]);
}

/* A member's work on near items: its own, then those of others. */
ORDO_INLINE void horizon_drain_items(horizon_member *me, ordo_u64 superstep)
{
    ordo_job *job = me->job;
    const op_state *state = (const op_state *)job->state;
    const ordo_eid *degrees = me->run->in ? me->in.row : me->out.row;
    const ordo_u64 chunk = (ordo_u64)job->tunable[HORIZON_CHUNK];
    ordo_u64 begin, end;
    for (int k = 0; k < job->threads; k++) {
        ordo_share *share = &me->run->near_shares[(me->index + k) % job->threads];
        if (!ordo_share_wait(job, share, superstep))
            return;
        const horizon_entry *entry = (const horizon_entry *)share->data;
        while (ordo_share_take(share, chunk, &begin, &end)) {
            ordo_u64 stale = 0, edges = 0, within = 0;
            for (ordo_u64 i = begin; i < end; i++) {
                const ordo_item item = entry[i].item;
                horizon_prefetch(me, entry, i, share->count);
                if (entry[i].first)
                    within += degrees[item + 1] - degrees[item];
                if (op_better(op_load((const op_cell *)job->cells + item), entry[i].value))
                    stale++;
                else if (op_filter(state, item))
                    edges += horizon_push_row(me, entry[i].value, item, me->out.row[item]);
            }
            me->within += within;
            ORDO_COUNT(me->count.stale += stale);
            ORDO_COUNT(me->count.items += end - begin - stale);
            ORDO_COUNT(me->count.edges += edges);
            if (!ordo_go_on(job, &me->count, end - begin + edges))
                return;
        }
    }
}

/* The same on parts. */
ORDO_INLINE void horizon_drain_parts(horizon_member *me, ordo_u64 superstep)
{
    ordo_job *job = me->job;
    enum { AT_ONCE = 16 };
    ordo_u64 begin, end;
    for (int k = 0; k < job->threads; k++) {
        ordo_share *share = &me->run->part_shares[(me->index + k) % job->threads];
        if (!ordo_share_wait(job, share, superstep))
            return;
        const horizon_part *part = (const horizon_part *)share->data;
        while (ordo_share_take(share, AT_ONCE, &begin, &end)) {
            for (ordo_u64 i = begin; i < end; i++) {
                const horizon_part p = part[i];
                ordo_u64 edges = 0; /* 0: there is a newer entry */
                horizon_prefetch_part(me, part, i, share->count);
                if (!op_better(op_load((const op_cell *)job->cells + p.item), p.value))
                    edges = p.end == HORIZON_ROW ? horizon_push_row(me, p.value, p.item, p.at)
                                                 : horizon_push(me, p.value, p.item, p.at, p.end, false);
                ORDO_COUNT(me->count.edges += edges);
                if (!ordo_go_on(job, &me->count, 1 + edges))
                    return;
            }
        }
    }
}

/* ---- moving T ---- */

/* Moves T behind what waits, and puts what is within it now into near items and parts. `within`, `all`: in-edges of
 * vertices within T, and of all vertices. */
ORDO_INLINE void horizon_move(horizon_member *me, op_cell least, ordo_u64 within, ordo_u64 all)
{
    horizon_wait *wait = (horizon_wait *)me->waiting.data;
    const double gain = (double)(within - me->within_before) / (double)(all ? all : 1);
    const double grow = me->job->tunable[HORIZON_GROW];
    const ordo_u64 count = me->waiting.count;
    if (gain < .001)
        me->step *= grow;
    else if (gain > .1 && grow > 1 && me->step / 2 >= me->run->step / 8)
        me->step /= 2;
    me->within_before = within;
    me->horizon = horizon_behind(least, me->step);
    me->least = op_worst();
    me->waiting.count = 0;
    for (ordo_u64 i = 0; i < count && (i % ORDO_POLL_BATCH || ordo_go_on(me->job, &me->count, ORDO_POLL_BATCH)); i++) {
        if (!horizon_reaches(me, wait[i].next)) {
            me->least = horizon_better(me->least, wait[i].next);
            wait[me->waiting.count++] = wait[i];
        } else if (wait[i].at < HORIZON_AGAIN) {
            horizon_put_part(me, wait[i].value, wait[i].item, wait[i].at, HORIZON_ROW);
        } else {
            me->due_first -= wait[i].at == HORIZON_FIRST;
            horizon_activate(me, wait[i].item, wait[i].value, wait[i].at == HORIZON_FIRST);
        }
    }
}

/* Puts the member's part of the initial items where they belong, and sets T and `base`. */
ORDO_INLINE void horizon_begin(horizon_member *me)
{
    ordo_job *job = me->job;
    ordo_u64 begin, end;
    ordo_split(job->initial_count, job->threads, me->index, &begin, &end);
    me->base = op_worst();
    for (ordo_u64 i = begin; i < end && (i % ORDO_POLL_BATCH || ordo_go_on(job, &me->count, ORDO_POLL_BATCH)); i++)
        me->base = horizon_better(me->base, op_load((const op_cell *)job->cells + op_initial(job, i)));
    me->run->votes[me->index].of[0].least = me->base;
    ordo_member_barrier(job, me->index);
    for (int t = 0; t < job->threads; t++)
        me->base = horizon_better(me->base, me->run->votes[t].of[0].least);
    me->horizon = horizon_behind(me->base, me->step);
    for (ordo_u64 i = begin; i < end && (i % ORDO_POLL_BATCH || ordo_go_on(job, &me->count, ORDO_POLL_BATCH)); i++) {
        const op_entry entry = op_entry_now(job, op_initial(job, i));
        if (horizon_reaches(me, entry.value)) {
            horizon_activate(me, entry.item, entry.value, true);
        } else {
            me->due_first++;
            horizon_put_wait(me, entry.value, entry.item, HORIZON_FIRST, entry.value);
        }
    }
}

#include "pull.h"

/* ---- the loop ---- */

/* What all members have, after the barrier. */
typedef struct horizon_all {
    ordo_u64 near_items, parts, within;
    op_cell least, limit;
} horizon_all;

/* Votes, waits for all members and adds up the votes. */
ORDO_INLINE horizon_all horizon_vote(horizon_member *me, ordo_u64 step)
{
    ordo_job *job = me->job;
    ordo_horizon_vote *votes = me->run->votes;
    horizon_all all = {0, 0, 0, op_worst(), me->base};
    ordo_publish_counters(job, me->index, &me->count);
    votes[me->index].of[step & 1].near_items = me->near_items.count;
    votes[me->index].of[step & 1].parts = me->parts.count;
    votes[me->index].of[step & 1].within = me->within;
    votes[me->index].of[step & 1].least = me->least;
    votes[me->index].of[step & 1].limit = me->limit;
    if (me->index == 0) {
        ordo_job_poll(job, me->open_items.count);
        ordo_job_agree_stop(job, step);
    }
    ordo_member_barrier(job, me->index);
    for (int t = 0; t < job->threads; t++) {
        all.near_items += votes[t].of[step & 1].near_items;
        all.parts += votes[t].of[step & 1].parts;
        all.within += votes[t].of[step & 1].within;
        all.least = horizon_better(all.least, votes[t].of[step & 1].least);
        all.limit = op_better(all.limit, votes[t].of[step & 1].limit) ? votes[t].of[step & 1].limit : all.limit;
    }
    return all;
}

/* A superstep that pushes. */
ORDO_INLINE void horizon_superstep(horizon_member *me, ordo_u64 items)
{
    ordo_job *job = me->job;
    const ordo_bin items_before = me->open_items, parts_before = me->open_parts;
    const ordo_u64 superstep = ++me->superstep;
    if (me->index == 0) {
        job->supersteps = superstep;
        ORDO_COUNT(ordo_job_sample(job, items, superstep, me->step, 1, -1));
    }
    me->count.put += me->near_items.count;
    me->open_items = me->near_items;
    me->open_parts = me->parts;
    me->near_items = items_before;
    me->parts = parts_before;
    me->near_items.count = me->parts.count = 0;
    ordo_share_open(&me->run->near_shares[me->index], &me->open_items, superstep);
    ordo_share_open(&me->run->part_shares[me->index], &me->open_parts, superstep);
    const double before = ORDO_CLOCK(job);
    horizon_drain_items(me, superstep);
    horizon_drain_parts(me, superstep);
    me->count.work_seconds += ORDO_CLOCK(job) - before;
}

ORDO_INLINE void horizon_end(horizon_member *me)
{
    ordo_job *job = me->job;
    me->count.put += me->due_first; /* initial items that propose nothing better */
    ORDO_COUNT(me->count.stale += me->due_first);
    ordo_bin_free(job, &me->near_items, sizeof(horizon_entry));
    ordo_bin_free(job, &me->open_items, sizeof(horizon_entry));
    ordo_bin_free(job, &me->parts, sizeof(horizon_part));
    ordo_bin_free(job, &me->open_parts, sizeof(horizon_part));
    ordo_bin_free(job, &me->waiting, sizeof(horizon_wait));
    ordo_count_to(job, me->index, &me->count);
    if (me->index == 0)
        job->delta_last = me->step;
}

ORDO_NOINLINE void horizon_work(void *arg, int index)
{
    horizon_run *run = (horizon_run *)arg;
    ordo_job *job = run->job;
    const ordo_u64 edges = job->out->m;
    horizon_member me = {.run = run,
                         .job = job,
                         .index = index,
                         .out = ordo_rows_of(run->out, op_weight_type),
                         .in = ordo_rows_of(run->in ? run->in : run->out, op_weight_type),
                         .least = op_worst(),
                         .limit = op_worst(),
                         .step = run->step};
    ordo_count_from(job, index, &me.count, &me.near_items, 1, NULL);
    horizon_begin(&me);
    for (ordo_u64 step = 1;; step++) {
        const horizon_all all = horizon_vote(&me, step);
        me.limit = me.pulled ? all.limit : me.limit;
        if (ordo_job_stop_agreed(job, step))
            break;
        if (all.near_items + all.parts)
            horizon_superstep(&me, all.near_items);
        else if (!op_better(all.least, me.limit))
            break;
        else if (run->in && !me.pulled && (double)(edges - all.within) < job->tunable[HORIZON_PULL] * (double)edges)
            horizon_pull(&me);
        else
            horizon_move(&me, all.least, all.within, edges);
    }
    horizon_end(&me);
}

/* ---- a run ---- */

/* The first step of T. */
static double horizon_first_step(const ordo_job *job)
{
    const double q = horizon_quantile(job->tunable, 0.015);
    const bool real = op_cell_type == ORDO_TYPE_NUMBER_f32 || op_cell_type == ORDO_TYPE_NUMBER_f64;
    double step = op_delta((double)job->out->n, (double)job->out->m);
    if (op_weight_type != 0)
        step = ORDO_OP_ORDER == ORDO_MIN ? ordo_job_weight_quantile(job, q)
                                         : ordo_job_weight_quantile(job, 1) - ordo_job_weight_quantile(job, 1 - q);
    return step > 0 ? step : real && job->mean_weight > 0 ? job->mean_weight : 1;
}

static ordo_status horizon_run_job(ordo_job *job)
{
    const bool pulls = job->tunable[HORIZON_PULL] > 0;
    horizon_run run = {.job = job,
                       .near_shares = (ordo_share *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_share)),
                       .part_shares = (ordo_share *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_share)),
                       .votes = (ordo_horizon_vote *)ordo_alloc_zero((size_t)job->threads, sizeof(ordo_horizon_vote)),
                       .step = horizon_first_step(job)};
    ordo_status status = run.near_shares && run.part_shares && run.votes ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status)
        status = ordo_job_need_by_weight(job, ORDO_OP_ORDER == ORDO_MAX, &run.out, pulls ? &run.in : NULL);
    job->delta_first = run.step;
    if (!status)
        ordo_team_run(job->team, horizon_work, &run);
    ordo_free(run.near_shares);
    ordo_free(run.part_shares);
    ordo_free(run.votes);
    return status;
}
#define HORIZON_RUN (((int)op_properties & ORDO_BY_WEIGHT) ? horizon_run_job : NULL)

#else
#define HORIZON_RUN NULL
#endif

ORDO_CPU_INSTANCE_OF(horizon, HORIZON_RUN)
#undef HORIZON_RUN
