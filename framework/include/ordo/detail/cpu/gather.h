/* gather.h -- rounds of gather operators on the CPU. Included by <ordo/scheduler/cpu.h>. Expects the names that
 * <ordo/operator/gather.h> derives from the operator.
 *
 * Problem. A round reads every in-edge and writes every cell once, so it is bound by memory: the vertices have to be
 * shared by edges, not by number, and little may be read beside the edges.
 *
 * Method. Chunks of consecutive vertices with about the same number of edges are found once. A member first takes those
 * of its own part of the vertices, the same in every round, so that neighbours with near numbers and their cells stay
 * with one processor; then those that others have left, by the same fetch-and-add. A member keeps its sum of changes,
 * and votes with it; every member adds up the votes in the same order, so all decide the same. Shares are kept in
 * arrays of their own: one, read and written in place, or two, of which a round reads one and writes the other. Where
 * the operator has no shares, its cells are one of these arrays.
 *
 * Sums of short rows, as of lattices and roads, cost more than their edges: in place a vertex waits for the one before
 * it, and lengths that differ are branches that are predicted wrongly. In place, a chunk of them is computed in four
 * parts, a vertex of each part in turn: four sums that do not wait for each other, of up to four edges each. One branch
 * tells four full rows, as all are inside a grid, from others, whose edges are chosen without branches.
 *
 * Memory order. A cell and its share have one writer in a round, the member that has taken the vertex. Double-buffered,
 * no word is read and written in the same round, and barriers order the rounds. In place, a share is read while it may
 * be written: relaxed, and whole, so that a reader gets the value of the round before or of this one, which
 * ORDO_IN_PLACE allows.
 *
 * Over several processes a rank computes its own vertices, and shares travel between rounds (ghosts.h).
 *
 * Not done: sharing one row between members: a chunk has at least one row, however long.
 */
#include <ordo/detail/cpu/base.h>

enum { GATHER_CHUNK = 1 << 18, GATHER_LEAST = 1 << 8, GATHER_PARTS = 16, GATHER_LANES = 4, GATHER_SHORT = 32 };
enum { GATHER_FEW = 4 /* edges of a row */, GATHER_TURNS = 4 /* parts of a chunk */ };

/* A member's part of a round's change and totals, and how many chunks of its part of the vertices have been taken.
 * There are two, for even and odd rounds: one is read while the other is written. */
typedef struct op_vote {
    struct {
        double change, total[4];
    } of[2];
    ordo_u64 padding[6];
    ordo_u64 taken[2], more_padding[14]; /* atomic; chunks that were asked for in vain count, too */
} op_vote;

typedef struct op_gather_run {
    ordo_job *job;
    op_share *share[2]; /* [n] round r reads share[r & 1] and writes the other; the same array twice: in place */
    op_share *own[2];   /* what of these was allocated */
    op_vote *votes;     /* [threads] */
    ordo_vid *bound;    /* [chunks + 1] first vertices of chunks */
    ordo_u64 chunks;
    double change;   /* of the last round; written by member 0 */
    double sum[5];   /* likewise, over several processes: the change and totals of all ranks */
    ordo_bin *lists; /* [threads * ranks] over several processes: vertices that are ghosts elsewhere */
    ordo_u64 rounds;
    ordo_u64 most; /* rounds */
} op_gather_run;

ORDO_INLINE op_share op_load_share(const op_share *share)
{
    op_share value;
    __atomic_load(share, &value, __ATOMIC_RELAXED);
    return value;
}

#if ORDO_OP_COMBINE == ORDO_MODE
#include <ordo/detail/cpu/mode.h>
#else
typedef struct op_scratch {
    char unused;
} op_scratch;
ORDO_INLINE void op_scratch_make(ordo_job *job, op_scratch *scratch)
{
    (void)job;
    (void)scratch;
}
ORDO_INLINE void op_scratch_free(op_scratch *scratch)
{
    (void)scratch;
}

/* Edge e = (u, v) as a value. */
ORDO_INLINE op_value op_gather_edge(const op_state *state, const ordo_rows *in, const op_share *share, ordo_eid e,
                                    ordo_vid v)
{
    const ordo_vid u = in->head[e * in->head_stride];
    return op_edge_value(state, op_load_share(share + u), op_make_edge(e, u, v, in->weight + e * in->weight_stride));
}

/* The value of v's in-edges. Of a long row several sums, since one would wait for each addition before the next. Of a
 * short one that wait is spent on other rows, and a second loop would be a second branch that is predicted wrongly. */
ORDO_INLINE op_value op_gather_row(const op_state *state, const ordo_rows *in, const op_share *share, ordo_vid v,
                                   ordo_eid e, ordo_eid end, op_scratch *scratch)
{
    op_value a = op_none();
    (void)scratch;
    if (end - e >= GATHER_SHORT) {
        op_value b = a, c = a, d = a;
        for (; end - e >= GATHER_LANES; e += GATHER_LANES) {
            a = op_join(a, op_gather_edge(state, in, share, e, v));
            b = op_join(b, op_gather_edge(state, in, share, e + 1, v));
            c = op_join(c, op_gather_edge(state, in, share, e + 2, v));
            d = op_join(d, op_gather_edge(state, in, share, e + 3, v));
        }
        a = op_join(op_join(a, b), op_join(c, d));
    }
    for (; e < end; e++)
        a = op_join(a, op_gather_edge(state, in, share, e, v));
    return a;
}
#endif

#if ORDO_OP_COMBINE == ORDO_SUM
enum { op_gather_turns = !op_edges };

/* What the row's edge e + k offers; nothing where the row has `edges` <= k. Chosen by a mask: a condition would be a
 * branch, and lengths of rows are not predicted well. */
ORDO_INLINE op_value op_gather_offer(const ordo_rows *in, const op_share *share, ordo_eid e, ordo_u64 k, ordo_u64 edges)
{
    static const op_share nothing = 0;
    const size_t none = (size_t)&nothing, some = (size_t)(share + in->head[(e + k) * in->head_stride]);
    return (op_value)op_load_share((const op_share *)(none + ((some - none) & -(size_t)(k < edges))));
}

/* op_gather_row() of GATHER_FEW edges. */
ORDO_INLINE op_value op_gather_full(const ordo_rows *in, const op_share *share, ordo_eid e)
{
    const ordo_u32 *const head = in->head + e * in->head_stride;
    return op_join(op_join(op_join((op_value)op_load_share(share + head[0]),
                                   (op_value)op_load_share(share + head[in->head_stride])),
                           (op_value)op_load_share(share + head[2 * in->head_stride])),
                   (op_value)op_load_share(share + head[3 * in->head_stride]));
}

/* The same of at most GATHER_FEW edges without a branch: heads beyond the row are read, what they offer is not. To add
 * 0 changes nothing, so the sum is the same. */
ORDO_INLINE op_value op_gather_few(const ordo_rows *in, const op_share *share, ordo_eid e, ordo_u64 edges)
{
    return op_join(op_join(op_join(op_gather_offer(in, share, e, 0, edges), op_gather_offer(in, share, e, 1, edges)),
                           op_gather_offer(in, share, e, 2, edges)),
                   op_gather_offer(in, share, e, 3, edges));
}
#else
enum { op_gather_turns = 0 };
ORDO_INLINE op_value op_gather_full(const ordo_rows *in, const op_share *share, ordo_eid e)
{
    (void)in;
    (void)share;
    (void)e;
    return (op_value)0;
}
ORDO_INLINE op_value op_gather_few(const ordo_rows *in, const op_share *share, ordo_eid e, ordo_u64 edges)
{
    (void)in;
    (void)share;
    (void)e;
    (void)edges;
    return (op_value)0;
}
#endif

#include <ordo/detail/cpu/ghosts.h>

/* Own vertices and their edges before vertex v. */
ORDO_INLINE ordo_u64 op_gather_before(const ordo_job *job, ordo_vid v)
{
    const ordo_vid first = job->first_owned;
    return v - first + job->in->row[v] - job->in->row[first];
}

/* Sets the bounds of a member's chunks: chunk i begins at the first v where the own vertices and edges before v are
 * i * work or more. */
ORDO_INLINE void op_gather_bounds(op_gather_run *run, int index, ordo_u64 work)
{
    const ordo_job *job = run->job;
    ordo_u64 begin, end;
    ordo_split(run->chunks, job->threads, index, &begin, &end);
    for (ordo_u64 i = begin; i < end; i++) {
        ordo_u64 low = job->first_owned, high = op_own_end(job);
        while (low < high) {
            const ordo_u64 middle = (low + high) / 2;
            if (op_gather_before(job, (ordo_vid)middle) < i * work)
                low = middle + 1;
            else
                high = middle;
        }
        run->bound[i] = (ordo_vid)low;
    }
    if (index == 0)
        run->bound[run->chunks] = op_own_end(job);
}

/* The first shares and totals, of a member's part of the vertices. */
ORDO_INLINE void op_gather_begin(op_gather_run *run, int index)
{
    ordo_job *job = run->job;
    const op_state *state = (const op_state *)job->state;
    const op_cell *cell = (const op_cell *)job->cells;
    op_vote *vote = &run->votes[index];
    ordo_u64 begin, end;
    ordo_split(job->num_items, job->threads, index, &begin, &end);
    for (ordo_u64 v = begin; v < end; v++) {
        if (op_shares)
            run->share[1][v] = op_share_of(state, (ordo_item)v, cell[v]);
        if (op_totals && v - job->first_owned < job->owned)
            op_add_total(state, (ordo_item)v, cell[v], vote->of[0].total);
    }
}

/* A round as its chunks see it. */
typedef struct op_gather_round {
    const op_state *state;
    const op_share *from;
    op_share *to;
    op_cell *cell;
    const double *total; /* [op_totals] before the round */
    double *next_total;  /* [op_totals] the member's part */
    op_scratch *scratch;
} op_gather_round;

/* Gives vertex v what its row adds up to. Returns its change, which is computed before the stores: what it reads has
 * been read for the cell already, and a processor that compares the low bits of addresses would hold a later load of
 * the same place of another array back until the store has been done. */
ORDO_INLINE double op_gather_put(const op_gather_round *g, ordo_vid v, op_value value)
{
    const op_cell old = op_shares ? g->cell[v] : *(const op_cell *)(const void *)(g->from + v);
    const op_cell now = op_apply(g->state, v, old, value, g->total);
    const double change = op_change(g->state, v, old, now);
    op_share share = op_share_of(g->state, v, now);
    if (op_shares)
        g->cell[v] = now;
    __atomic_store(g->to + v, &share, __ATOMIC_RELAXED);
    if (op_totals)
        op_add_total(g->state, v, now, g->next_total);
    return change;
}

/* Vertices begin .. end - 1 of a round. Returns the sum of their changes. */
ORDO_INLINE double op_gather_range(const op_gather_round *g, const ordo_rows *in, ordo_vid begin, ordo_vid end)
{
    ordo_eid e = in->row[begin];
    double change = 0;
    for (ordo_vid v = begin; v < end; v++) {
        const ordo_eid last = in->row[v + 1];
        change =
            op_join_changes(change, op_gather_put(g, v, op_gather_row(g->state, in, g->from, v, e, last, g->scratch)));
        e = last;
    }
    return change;
}

ORDO_INLINE ordo_u64 op_gather_edges(const ordo_rows *in, ordo_vid v)
{
    return in->row[v + 1] - in->row[v];
}

/* Vertices of a round at once, each of few edges. `full`: of GATHER_FEW. Returns the sum of their changes. */
ORDO_INLINE double op_gather_put_few(const op_gather_round *g, const ordo_rows *in, const ordo_vid *turn, bool full)
{
    double change[GATHER_TURNS];
    for (int i = 0; i < GATHER_TURNS; i++) {
        const ordo_vid v = turn[i];
        change[i] = op_gather_put(g, v,
                                  full ? op_gather_full(in, g->from, in->row[v])
                                       : op_gather_few(in, g->from, in->row[v], op_gather_edges(in, v)));
    }
    return op_join_changes(op_join_changes(change[0], change[1]), op_join_changes(change[2], change[3]));
}

/* The same of GATHER_TURNS parts of `each` vertices, from `begin` on, a vertex of each part in turn. */
ORDO_INLINE double op_gather_in_turn(const op_gather_round *g, const ordo_rows *in, ordo_vid begin, ordo_vid each)
{
    double change = 0;
    for (ordo_vid v = begin; v < begin + each; v++) {
        const ordo_vid turn[GATHER_TURNS] = {v, v + each, v + 2 * each, v + 3 * each};
        const ordo_u64 a = op_gather_edges(in, turn[0]), b = op_gather_edges(in, turn[1]),
                       c = op_gather_edges(in, turn[2]), d = op_gather_edges(in, turn[3]);
        if ((a == GATHER_FEW) & (b == GATHER_FEW) & (c == GATHER_FEW) & (d == GATHER_FEW)) {
            change = op_join_changes(change, op_gather_put_few(g, in, turn, true));
        } else if ((a <= GATHER_FEW) & (b <= GATHER_FEW) & (c <= GATHER_FEW) & (d <= GATHER_FEW)) {
            change = op_join_changes(change, op_gather_put_few(g, in, turn, false));
        } else {
            for (int i = 0; i < GATHER_TURNS; i++)
                change = op_join_changes(change, op_gather_range(g, in, turn[i], turn[i] + 1));
        }
    }
    return change;
}

/* Vertices begin .. end - 1 of a round, whose rows are short, in turn. By copies of the state and of the pointers: as
 * far as the compiler knows, storing a share could change the originals. */
ORDO_INLINE double op_gather_short_range(const op_gather_round *round, const ordo_rows *in, ordo_vid begin,
                                         ordo_vid end)
{
    const op_state state = *round->state;
    op_gather_round g = *round;
    g.state = &state;
    const ordo_vid each = (end - begin) / GATHER_TURNS;
    const double change = op_gather_in_turn(&g, in, begin, each);
    return op_join_changes(change, op_gather_range(&g, in, begin + each * GATHER_TURNS, end));
}

/* Not inlined: what it keeps in registers costs long rows theirs. */
#define op_gather_short_chunk ORDO_OP_NAME(op_gather_short_chunk)
ORDO_NOINLINE double op_gather_short_chunk(const op_gather_round *g, const ordo_rows *in, ordo_vid begin, ordo_vid end)
{
    ordo_rows rows = *in;
    if (rows.head_stride != 1)
        return op_gather_short_range(g, &rows, begin, end);
    rows.head_stride = 1;
    return op_gather_short_range(g, &rows, begin, end);
}

/* A chunk of a round over n vertices; code of its own for rows without weights between the heads. In turn where that is
 * in place and rows are short; no head is read beyond the last row. */
ORDO_INLINE double op_gather_chunk(const op_gather_round *g, const ordo_rows *in, ordo_vid n, ordo_vid begin,
                                   ordo_vid end)
{
    ordo_rows rows = *in;
    if (op_gather_turns && g->from == g->to && in->row[end] - in->row[begin] <= (ordo_u64)(end - begin) * GATHER_FEW &&
        in->row[end] + GATHER_FEW <= in->row[n])
        return op_gather_short_chunk(g, in, begin, end);
    if (rows.head_stride != 1)
        return op_gather_range(g, &rows, begin, end);
    rows.head_stride = 1;
    return op_gather_range(g, &rows, begin, end);
}

/* Adds up the votes of all members, behind a barrier: sum[0] is the change, the others are totals. */
ORDO_INLINE void op_gather_sum(const op_gather_run *run, ordo_u64 round, double sum[5])
{
    for (int i = 0; i <= op_totals; i++)
        sum[i] = 0;
    for (int t = 0; t < run->job->threads; t++) {
        sum[0] = op_join_changes(sum[0], run->votes[t].of[round & 1].change);
        for (int i = 0; i < op_totals; i++)
            sum[1 + i] += run->votes[t].of[round & 1].total[i];
    }
}

/* Over several processes, behind a barrier: what the round has written goes to the ranks that read it, and sums become
 * those of all ranks. Returns whether a rank ends the run. */
ORDO_INLINE bool op_gather_meet(op_gather_run *run, int index, ordo_u64 round, double sum[5])
{
    ordo_job *job = run->job;
    op_ghosts_exchange(job, index, run->lists, run->share[(round + 1) & 1]);
    if (index == 0) {
        op_ghosts_sum(job, sum, 1 + op_totals);
        __builtin_memcpy(run->sum, sum, sizeof run->sum);
    }
    ordo_member_barrier(job, index);
    __builtin_memcpy(sum, run->sum, sizeof run->sum);
    return job->remote->all.ended != 0;
}

/* Votes, waits for all members, adds up the votes. False when the run is over. */
ORDO_INLINE bool op_gather_agree(op_gather_run *run, int index, ordo_u64 round, ordo_counters *count, double *total)
{
    ordo_job *job = run->job;
    const op_state *state = (const op_state *)job->state;
    double sum[5] = {0};
    ordo_publish_counters(job, index, count);
    if (index == 0) {
        job->supersteps = round;
        ordo_job_poll(job, job->num_items);
        ordo_job_agree_stop(job, round);
    }
    ordo_member_barrier(job, index);
    op_gather_sum(run, round, sum);
    const bool stop = job->remote ? op_gather_meet(run, index, round, sum) : ordo_job_stop_agreed(job, round);
    for (int i = 0; i < op_totals; i++)
        total[i] = sum[1 + i];
    if (index == 0) {
        run->change = sum[0];
        run->rounds = round;
    }
    return !stop && (round == 0 || sum[0] > op_tolerance(state)) && round < run->most;
}

/* The next chunk for a member, of the part of *victim or of those behind it; run->chunks: none is left. */
ORDO_INLINE ordo_u64 op_gather_take(op_gather_run *run, int index, ordo_u64 round, int *victim)
{
    const int threads = run->job->threads;
    for (; *victim < index + threads; ++*victim) {
        ordo_u64 begin, end;
        ordo_split(run->chunks, threads, *victim % threads, &begin, &end);
        const ordo_u64 chunk =
            begin + __atomic_fetch_add(&run->votes[*victim % threads].taken[round & 1], 1, __ATOMIC_RELAXED);
        if (chunk < end)
            return chunk;
    }
    return run->chunks;
}

/* A member's work. Round 0 is the preparation. */
ORDO_INLINE void op_gather_work(op_gather_run *run, int index)
{
    ordo_job *job = run->job;
    const ordo_rows in = ordo_rows_of(job->in, op_weight_type);
    ordo_counters count = {0};
    op_scratch scratch = {0};
    double total[4] = {0};
    ordo_count_from(job, index, &count, NULL, 0, NULL);
    op_gather_bounds(run, index, op_gather_before(job, op_own_end(job)) / run->chunks + 1);
    op_gather_begin(run, index);
    if (job->remote)
        op_ghosts_list(job, index, run->lists);
    op_scratch_make(job, &scratch);
    for (ordo_u64 round = 1; op_gather_agree(run, index, round - 1, &count, total); round++) {
        double change = 0, sums[4] = {0};
        const op_gather_round g = {(const op_state *)job->state,
                                   run->share[round & 1],
                                   run->share[(round + 1) & 1],
                                   (op_cell *)job->cells,
                                   total,
                                   sums,
                                   &scratch};
        ordo_u64 chunk;
        int victim = index;
        const double before = ORDO_CLOCK(job);
        __atomic_store_n(&run->votes[index].taken[(round + 1) & 1], 0, __ATOMIC_RELAXED); /* a probe may read it */
        if (index == 0)
            ORDO_COUNT(ordo_job_sample(job, job->num_items, round, 0, 1, -1));
        while ((chunk = op_gather_take(run, index, round, &victim)) < run->chunks) {
            const ordo_vid begin = run->bound[chunk], end = run->bound[chunk + 1];
            const ordo_u64 edges = in.row[end] - in.row[begin];
            if (!ordo_go_on(job, &count, end - begin + edges))
                break;
            change = op_join_changes(change, op_gather_chunk(&g, &in, job->in->n, begin, end));
            ORDO_COUNT(count.items += end - begin);
            ORDO_COUNT(count.edges += edges);
        }
        run->votes[index].of[round & 1].change = change;
        for (int i = 0; i < op_totals; i++)
            run->votes[index].of[round & 1].total[i] = sums[i];
        count.work_seconds += ORDO_CLOCK(job) - before;
    }
    op_scratch_free(&scratch);
    ordo_count_to(job, index, &count);
}

#define op_gather_member ORDO_OP_NAME(op_gather_member)
ORDO_NOINLINE void op_gather_member(void *run, int index)
{
    op_gather_work((op_gather_run *)run, index);
}

/* The trace shows as in flight the items of chunks that no member has taken. */
ORDO_NOINLINE void op_gather_probe(const void *arg, ordo_probed *out)
{
    const op_gather_run *run = (const op_gather_run *)arg;
    out->in_flight = 0;
    for (int t = 0; t < run->job->threads; t++) {
        ordo_u64 begin, end;
        ordo_split(run->chunks, run->job->threads, t, &begin, &end);
        const ordo_u64 taken = begin + __atomic_load_n(&run->votes[t].taken[out->bucket & 1], __ATOMIC_RELAXED);
        const ordo_vid first = taken < end ? run->bound[taken] : 0, last = taken < end ? run->bound[end] : 0;
        out->in_flight += first < last ? last - first : 0;
    }
}

/* Allocates what a run needs. The first round, which is odd, reads share[1]. */
ORDO_NOINLINE ordo_status op_gather_prepare(ordo_job *job, bool in_place, op_gather_run *run)
{
    const ordo_u64 n = job->num_items;
    ordo_status status = ordo_job_need_in(job);
    if (status)
        return status;
    const ordo_u64 work = op_gather_before(job, op_own_end(job)), parts = (ordo_u64)job->threads * GATHER_PARTS;
    const ordo_u64 least = GATHER_LEAST, most = GATHER_CHUNK, even = work / parts;
    const ordo_u64 each = even < least ? least : even > most ? most : even;
    run->job = job;
    run->chunks = work / each + 1;
    run->bound = (ordo_vid *)ordo_alloc_zero(run->chunks + 1, sizeof *run->bound);
    run->votes = (op_vote *)ordo_alloc_zero((size_t)job->threads, sizeof *run->votes);
    bool enough = run->bound && run->votes;
    if (job->remote) {
        job->remote->entry = sizeof(op_message);
        run->lists = (ordo_bin *)ordo_alloc_zero((size_t)job->threads * job->remote->count, sizeof *run->lists);
        enough = enough && run->lists;
    }
    run->share[1] = (op_share *)job->cells;
    if (op_shares)
        run->share[1] = run->own[1] = (op_share *)ordo_alloc(n, sizeof(op_share));
    run->share[0] = run->share[1];
    if (!in_place)
        run->share[0] = run->own[0] = (op_share *)ordo_alloc(n, sizeof(op_share));
    for (int i = 0; i < 2; i++)
        ordo_job_account(job, run->own[i] ? (long long)(n * sizeof(op_share)) : 0);
    return enough && run->share[0] && run->share[1] ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* At most so many rounds, in place or double-buffered. */
ORDO_INLINE ordo_status op_gather_rounds(ordo_job *job, bool in_place, ordo_u64 most)
{
    op_gather_run run = {0};
    if (job->remote && in_place)
        return ordo_fail(ORDO_ERR_UNSOUND, "operator '%s' runs over ranks in double-buffered rounds alone",
                         job->op->name);
    run.most = most;
    ordo_status status = op_gather_prepare(job, in_place, &run);
    if (!status) {
        ordo_job_probe(job, op_gather_probe, &run);
        ordo_team_run(job->team, op_gather_member, &run);
        ordo_job_probe(job, NULL, NULL);
        job->change = run.change;
        if (!op_shares && !in_place && run.rounds % 2) /* the last round wrote the other array */
            for (ordo_u64 v = 0; v < job->num_items; v++)
                ((op_share *)job->cells)[v] = run.own[0][v];
    }
    for (ordo_u64 i = 0; run.lists && i < (ordo_u64)job->threads * job->remote->count; i++)
        ordo_bin_free(job, &run.lists[i], sizeof(ordo_vid));
    ordo_free(run.lists);
    ordo_free(run.own[0]);
    ordo_free(run.own[1]);
    ordo_free(run.votes);
    ordo_free(run.bound);
    return status;
}

/* A run: what a scheduler's gather.h passes as ordo_instance.run does. */
ORDO_INLINE ordo_status op_gather_job(ordo_job *job, bool in_place)
{
    return op_gather_rounds(job, in_place, op_most_rounds((const op_state *)job->state));
}
