/* gather_mode.cuh -- rounds of gather operators with ORDO_MODE on a GPU: the most frequent value of every row.
 *
 * A template, included by <ordo/scheduler/cuda.cuh> in place of gather.cuh. Expects the names that
 * <ordo/operator/gather.h> derives from the operator.
 *
 * Problem. The most frequent of a row's values needs a table of counts, and rows have from one to millions of edges.
 *
 * Method. One cooperative launch. Before the first round, rows are put into classes by length; each has its own table:
 *   MODE_THREAD   one thread a row, which compares its values with each other, in registers
 *   MODE_MATCH    one warp a row, a value a lane: lanes of equal values find each other (match.any)
 *   MODE_WARP     one warp a row, a hash table of the warp's part of shared memory
 *   MODE_BLOCK    one block a row, a hash table of the block's shared memory
 *   longer        all blocks, by pieces of MODE_PIECE edges. A block counts the values of a piece in shared memory, and
 *                 adds the counts to a hash table of the row in global memory, which has two places for each edge. So
 *                 where all neighbours agree, a piece is one atomic. These rows come first in a round; behind a barrier
 *                 their tables have been filled, and are read and cleared
 * A table is open, probed linearly, a place a word: the value above, and its count below. A place is taken by
 * compare-and-swap, and counts are added; a table has at least twice as many places as its row has edges, so a search
 * ends. The answer is the greatest key (count above, inverted value below): the most frequent value, of several the
 * least. It is a function of the set of values, so it is the same for any order of atomics.
 *
 * Memory order. Double-buffered, no share is read and written in the same round; grid barriers order rounds, and within
 * a round the filling and the reading of global tables. Tables of shared memory are ordered by barriers of the warp or
 * the block that owns them.
 *
 * Termination. As in gather.cuh: warps add their changes to a sum of the round, all threads read it behind the barrier.
 * Sums and the host's stop are triple-buffered by round.
 *
 * Over several GPUs a rank computes its own vertices, and all ranks wait for each other between rounds (ghosts.cuh).
 *
 * Not done: totals; shares of vertices with many edges side by side.
 */

#include <ordo/memory.h>

#include <ordo/detail/cuda/ghosts.cuh>

enum {
    MODE_THREAD = 6,
    MODE_MATCH = 32,
    MODE_WARP = 256,
    MODE_BLOCK = 2048,
    MODE_PIECE = 2048,
    MODE_PLACES = 4096, /* of a block's table; a warp's part is one of MODE_WARPS */
    MODE_WARPS = ORDO_CUDA_THREADS / 32,
    MODE_CLASSES = 4 /* of rows in lists: those of a match, of a warp, of a block, and longer ones */
};
static_assert((int)MODE_PLACES / (int)MODE_WARPS >= 2 * (int)MODE_WARP, "a warp's table has two places for each edge");

typedef unsigned long long op_counted; /* count below, value above; 0: empty */

/* A row of more than MODE_BLOCK edges. */
typedef struct op_mode_long {
    ordo_u64 place;    /* of its table */
    op_counted best;   /* the greatest key of a round */
    ordo_u32 v, shift; /* the table has 2^(32 - shift) places */
} op_mode_long;

typedef struct op_mode_args {
    ordo_cuda_rows rows; /* in-rows */
    op_state state;
    op_cell *cells;
    op_share *share[2]; /* [n] round r reads share[r & 1] and writes the other; the same twice: in place */
    ordo_u32 *list[MODE_CLASSES];
    ordo_u32 *size;    /* [MODE_CLASSES] */
    op_mode_long *row; /* [longs] */
    ordo_u32 *piece;   /* [2 * pieces] index of its row, number within the row */
    op_counted *table; /* of all these rows; 0 between rounds */
    ordo_u32 longs, pieces;
    double *change; /* [3] */
    ordo_u32 *stop; /* [3], each on a separate cache line */
    ordo_cuda_run run;
#if ORDO_OVER_RANKS
    op_ghosts ghosts;
#endif
} op_mode_args;

/* By one thread: the class of a row, -1 where a thread does it by itself. */
ORDO_DEV int op_mode_class(ordo_u64 edges)
{
    return edges <= MODE_THREAD ? -1 : edges <= MODE_MATCH ? 0 : edges <= MODE_WARP ? 1 : edges <= MODE_BLOCK ? 2 : 3;
}

/* By one thread: the value of edge e of v. */
ORDO_DEV op_value op_mode_value(const op_mode_args &a, const op_share *from, ordo_eid e, ordo_vid v)
{
    const ordo_vid u = a.rows.edge[e * a.rows.stride];
    if constexpr ((int)op_weight_type == ORDO_I64 || (int)op_weight_type == ORDO_F64) {
        const ordo_u64 unit = (int)op_weight_type == ORDO_F64 ? 0x3ff0000000000000u : 1;
        const ordo_u64 wide = a.rows.wide ? a.rows.wide[e] : unit;
        return op_edge_value(&a.state, from[u], op_make_edge(e, u, v, &wide));
    }
    const ordo_u32 one = (int)op_weight_type == ORDO_F32 ? 0x3f800000u : 1;
    const ordo_u32 weight = a.rows.stride == 2 ? a.rows.edge[2 * e + 1] : one;
    return op_edge_value(&a.state, from[u], op_make_edge(e, u, v, &weight));
}

ORDO_DEV op_counted op_mode_key(op_value value, ordo_u32 count)
{
    return (op_counted)count << 32 | (ordo_u32)~value;
}

/* By one thread: v has the value of that key; 0: it has no edges. Returns how far it has moved. */
ORDO_DEV double op_mode_finish(const op_mode_args &a, const op_share *from, op_share *to, ordo_vid v, op_counted key)
{
    const op_value value = key ? (op_value) ~(ordo_u32)key : (op_value)ORDO_NO_VERTEX;
    const double no_totals[4] = {0, 0, 0, 0};
    const op_cell old = op_shares ? a.cells[v] : *(const op_cell *)(const void *)(from + v);
    const op_cell now = op_apply(&a.state, v, old, value, no_totals);
    if (op_shares)
        a.cells[v] = now;
    op_dev_put_share(a, to, v, v, op_share_of(&a.state, v, now));
    return op_change(&a.state, v, old, now);
}

/* By one thread: adds to the count of a value; returns the count after that. A table of 2^(32 - shift) places. */
ORDO_DEV ordo_u32 op_mode_count(op_counted *table, ordo_u32 shift, op_value value, ordo_u32 count)
{
    const ordo_u32 mask = (ordo_u32)((1ull << (32 - shift)) - 1);
    const op_counted mine = (op_counted)value << 32;
    for (ordo_u32 at = (ordo_u32)(value * 0x9e3779b1u) >> shift;; at = (at + 1) & mask) {
        op_counted found = *(volatile op_counted *)&table[at];
        if (!found)
            found = atomicCAS(&table[at], 0ull, mine + count);
        if (!found)
            return count;
        if (found >> 32 == value)
            return (ordo_u32)atomicAdd(&table[at], (op_counted)count) + count;
    }
}

/* By all lanes of a warp: the greatest. */
ORDO_DEV op_counted op_mode_greatest(op_counted key)
{
#pragma unroll
    for (int step = 16; step; step /= 2) {
        const op_counted other = __shfl_xor_sync(0xffffffffu, key, step);
        key = other > key ? other : key;
    }
    return key;
}

/* By one thread: the key of a row of at most MODE_THREAD edges. */
ORDO_DEV op_counted op_mode_short(const op_mode_args &a, const op_share *from, ordo_vid v, ordo_eid e, ordo_u32 edges)
{
    op_value value[MODE_THREAD];
    op_counted best = 0;
#pragma unroll
    for (ordo_u32 i = 0; i < MODE_THREAD; i++)
        value[i] = i < edges ? op_mode_value(a, from, e + i, v) : 0;
#pragma unroll
    for (ordo_u32 i = 0; i < MODE_THREAD; i++) {
        ordo_u32 count = 0;
#pragma unroll
        for (ordo_u32 j = 0; j < MODE_THREAD; j++)
            count += j < edges && value[j] == value[i];
        const op_counted key = op_mode_key(value[i], count);
        best = i < edges && key > best ? key : best;
    }
    return best;
}

/* By a whole warp: the key of a row of at most MODE_MATCH edges. */
ORDO_DEV op_counted op_mode_match(const op_mode_args &a, const op_share *from, ordo_vid v, ordo_eid e, ordo_u32 edges)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const bool has = lane < edges;
    const op_value value = has ? op_mode_value(a, from, e + lane, v) : 0;
    const unsigned lanes = __ballot_sync(0xffffffffu, has);
    const unsigned same = __match_any_sync(0xffffffffu, value) & lanes;
    return op_mode_greatest(has ? op_mode_key(value, (ordo_u32)__popc(same)) : 0);
}

/* The places for a row of so many edges, as 32 less their binary logarithm; at least 64. */
ORDO_DEV ordo_u32 op_mode_shift(ordo_u32 edges)
{
    const ordo_u32 shift = (ordo_u32)__clz((int)(edges - 1)) - 1;
    return shift < 26 ? shift : 26;
}

/* By a whole warp: the key of a row of at most MODE_WARP edges, by the warp's table. */
ORDO_DEV op_counted op_mode_warp(const op_mode_args &a, const op_share *from, ordo_vid v, ordo_eid e, ordo_u32 edges,
                                 op_counted *table)
{
    const ordo_u32 shift = op_mode_shift(edges), places = 1u << (32 - shift), lane = threadIdx.x % 32;
    op_counted best = 0;
    for (ordo_u32 i = lane; i < places; i += 32)
        table[i] = 0;
    __syncwarp();
    for (ordo_u32 i = lane; i < edges; i += 32) {
        const op_value value = op_mode_value(a, from, e + i, v);
        const op_counted key = op_mode_key(value, op_mode_count(table, shift, value, 1));
        best = key > best ? key : best;
    }
    __syncwarp();
    return op_mode_greatest(best);
}

/* By a whole block: counts the values of edges e .. e + edges - 1 of v in the block's table. Returns each thread's
 * greatest key of counts so far; the greatest of all is that of the edges. Ends with a barrier. */
ORDO_DEV op_counted op_mode_block(const op_mode_args &a, const op_share *from, ordo_vid v, ordo_eid e, ordo_u32 edges,
                                  op_counted *table)
{
    const ordo_u32 shift = op_mode_shift(edges), places = 1u << (32 - shift);
    op_counted best = 0;
    for (ordo_u32 i = threadIdx.x; i < places; i += ORDO_CUDA_THREADS)
        table[i] = 0;
    __syncthreads();
    for (ordo_u32 i = threadIdx.x; i < edges; i += ORDO_CUDA_THREADS) {
        const op_value value = op_mode_value(a, from, e + i, v);
        const op_counted key = op_mode_key(value, op_mode_count(table, shift, value, 1));
        best = key > best ? key : best;
    }
    __syncthreads();
    return best;
}

/* By a whole block: the greatest key of its threads; valid in thread 0. Ends with a barrier. */
ORDO_DEV op_counted op_mode_block_greatest(op_counted key, op_counted *warp)
{
    key = op_mode_greatest(key);
    if (threadIdx.x % 32 == 0)
        warp[threadIdx.x / 32] = key;
    __syncthreads();
    for (int i = 1; threadIdx.x == 0 && i < MODE_WARPS; i++)
        key = warp[i] > key ? warp[i] : key;
    __syncthreads();
    return key;
}

/* By the whole grid: the pieces of long rows. */
ORDO_DEV void op_mode_pieces(const op_mode_args &a, const op_share *from, op_counted *table, op_counted *warp)
{
    for (ordo_u32 p = blockIdx.x; p < a.pieces; p += gridDim.x) {
        op_mode_long *const row = &a.row[a.piece[2 * p]];
        const ordo_vid v = row->v;
        const ordo_eid e = a.rows.row[v] + (ordo_eid)a.piece[2 * p + 1] * MODE_PIECE, left = a.rows.row[v + 1] - e;
        const ordo_u32 edges = left < MODE_PIECE ? (ordo_u32)left : (ordo_u32)MODE_PIECE;
        op_counted best = 0;
        op_mode_block(a, from, v, e, edges, table);
        for (ordo_u32 i = threadIdx.x; i < 1u << (32 - op_mode_shift(edges)); i += ORDO_CUDA_THREADS)
            if (table[i]) {
                const op_value value = (op_value)(table[i] >> 32);
                const ordo_u32 count = op_mode_count(a.table + row->place, row->shift, value, (ordo_u32)table[i]);
                const op_counted key = op_mode_key(value, count);
                best = key > best ? key : best;
            }
        best = op_mode_block_greatest(best, warp);
        if (threadIdx.x == 0)
            atomicMax(&row->best, best);
    }
}

/* By the whole grid, behind a barrier: long rows, whose tables have been filled. Clears these. */
ORDO_DEV double op_mode_longs(const op_mode_args &a, const op_share *from, op_share *to, ordo_u64 me, ordo_u64 threads)
{
    double change = 0;
    for (ordo_u64 i = me; i < a.longs; i += threads) {
        op_mode_long *const row = &a.row[i];
        change = op_join_changes(change, op_mode_finish(a, from, to, row->v, row->best));
        row->best = 0;
    }
    const ordo_u64 places = a.longs ? a.row[a.longs - 1].place + (1ull << (32 - a.row[a.longs - 1].shift)) : 0;
    for (ordo_u64 i = me; i < places; i += threads)
        a.table[i] = 0;
    return change;
}

/* By the whole grid: all other rows of a round. */
ORDO_DEV double op_mode_rows(const op_mode_args &a, const op_share *from, op_share *to, ordo_u64 me, ordo_u64 threads,
                             op_counted *table, op_counted *warp)
{
    double change = 0;
    for (ordo_u64 i = blockIdx.x; i < a.size[2]; i += gridDim.x) {
        const ordo_vid v = a.list[2][i];
        const ordo_eid e = a.rows.row[v];
        const op_counted best = op_mode_block(a, from, v, e, (ordo_u32)(a.rows.row[v + 1] - e), table);
        const op_counted key = op_mode_block_greatest(best, warp);
        if (threadIdx.x == 0)
            change = op_join_changes(change, op_mode_finish(a, from, to, v, key));
    }
    __syncthreads();
    op_counted *const part = table + threadIdx.x / 32 * (MODE_PLACES / MODE_WARPS);
    for (int c = 0; c < 2; c++)
        for (ordo_u64 i = me / 32; i < a.size[c]; i += threads / 32) {
            const ordo_vid v = a.list[c][i];
            const ordo_eid e = a.rows.row[v];
            const ordo_u32 edges = (ordo_u32)(a.rows.row[v + 1] - e);
            const op_counted key =
                c == 0 ? op_mode_match(a, from, v, e, edges) : op_mode_warp(a, from, v, e, edges, part);
            if (threadIdx.x % 32 == 0)
                change = op_join_changes(change, op_mode_finish(a, from, to, v, key));
        }
    for (ordo_u64 v = op_dev_own(a).first + me; v < op_dev_own(a).end; v += threads) {
        const ordo_eid e = a.rows.row[v];
        const ordo_u64 edges = a.rows.row[v + 1] - e;
        if (op_mode_class(edges) < 0)
            change = op_join_changes(change, op_mode_finish(a, from, to, (ordo_vid)v,
                                                            op_mode_short(a, from, (ordo_vid)v, e, (ordo_u32)edges)));
    }
    return change;
}

/* By the whole grid, before the first round: lists of rows, first shares. The lists' order is not specified. */
ORDO_DEV void op_mode_begin(const op_mode_args &a, ordo_u64 me, ordo_u64 threads)
{
    const op_own own = op_dev_own(a);
    for (ordo_u64 v = me; v < a.rows.n; v += threads) {
        const int c = v >= own.first && v < own.end ? op_mode_class(a.rows.row[v + 1] - a.rows.row[v]) : -1;
        if (c >= 0 && c < 3)
            a.list[c][atomicAdd(&a.size[c], 1u)] = (ordo_u32)v;
        if (op_shares || ORDO_OVER_RANKS)
            a.share[1][v] = op_share_of(&a.state, (ordo_item)v, a.cells[v]);
    }
}

/* By all lanes of a warp: adds their changes to that of the round. */
ORDO_DEV void op_mode_add_change(double *to, double change)
{
#pragma unroll
    for (int step = 16; step; step /= 2)
        change = op_join_changes(change, __shfl_xor_sync(0xffffffffu, change, step));
    if (threadIdx.x % 32)
        return;
    if (op_join_changes(1, 1) > 1)
        atomicAdd(to, change);
    else /* the greatest: the bits of numbers that are not negative are ordered as they are */
        atomicMax((unsigned long long *)to, (unsigned long long)__double_as_longlong(change));
}

/* By one thread of the grid, at the begin of a round. */
ORDO_DEV void op_mode_open_round(const op_mode_args &a, const ordo_cuda_traced &traced, ordo_u64 round,
                                 ordo_cuda_counters *mine)
{
    const op_own own = op_dev_own(a);
    const ordo_u32 n = own.end - own.first;
    ordo_dev_sample(a.run.record, n, round, 0, 1, -1);
    ordo_live_report(traced, round, n, round, 0, 1);
    ordo_dev_store(a.change + (round + 1) % 3, 0.0);
    ordo_dev_store(a.stop + (round + 1) % 3 * ORDO_CUDA_LINE, (ordo_u32)a.run.mailbox->stop);
    a.run.record->supersteps = round;
    a.run.mailbox->supersteps = round;
    a.run.mailbox->in_flight = n;
    mine->items += n;
    mine->edges += own.edges;
}

/* What profilers show carries the operator's name. */
#define op_mode_kernel ORDO_OP_NAME(op_mode_kernel)

template <bool Traced>
static __global__ void __launch_bounds__((ORDO_CUDA_THREADS)) op_mode_kernel(const op_mode_args a)
{
    __shared__ op_counted table[MODE_PLACES];
    __shared__ op_counted warp[MODE_WARPS];
    auto grid = cooperative_groups::this_grid();
    const ordo_u64 threads = (ordo_u64)gridDim.x * blockDim.x, me = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x;
    const ordo_cuda_traced traced = Traced ? a.run.traced : ordo_cuda_traced{};
    const double tolerance = op_tolerance(&a.state);
    const ordo_u64 most = op_most_rounds(&a.state);
    ordo_cuda_counters count = {};
    ordo_live_begin(traced, ORDO_BUSY);
    op_dev_met met = op_dev_begin_ranks(a);
    op_mode_begin(a, me, threads);
    op_dev_end_round<0>(a, grid, &met, a.change, a.stop + ORDO_CUDA_LINE);
    ordo_u64 round = 1;
    for (;; round++) {
        const op_share *const from = a.share[round & 1];
        op_share *const to = a.share[(round + 1) & 1];
        double *const sum = a.change + round % 3;
        if (me == 0)
            op_mode_open_round(a, traced, round, &count);
        ordo_live_state(traced, ORDO_BUSY);
        double change = 0;
        if (a.longs) {
            op_mode_pieces(a, from, table, warp);
            grid.sync();
            change = op_mode_longs(a, from, to, me, threads);
        }
        change = op_join_changes(change, op_mode_rows(a, from, to, me, threads, table, warp));
        op_mode_add_change(sum, change);
        if constexpr (Traced)
            ordo_live_barrier<3>(traced, count);
        else
            op_dev_end_round<0>(a, grid, &met, sum, a.stop + (round + 1) % 3 * ORDO_CUDA_LINE);
        if (!(ordo_dev_load(sum) > tolerance) || round >= most ||
            ordo_dev_load(a.stop + (round + 1) % 3 * ORDO_CUDA_LINE))
            break;
    }
    op_dev_end_ranks(a, met, round);
    if (me == 0)
        a.run.record->change = ordo_dev_load(a.change + round % 3);
    const op_share *const final = a.share[(round + 1) & 1]; /* what the last round wrote */
    if (!op_shares && final != (op_share *)a.cells)
        for (ordo_u64 v = op_dev_own(a).first + me; v < op_dev_own(a).end; v += threads)
            a.cells[v] = *(const op_cell *)(const void *)(final + v);
    ordo_dev_publish(a.run.counters, count);
}

/* On the host: the long rows, of which `in` has the offsets, their tables and pieces. Counts first, then writes where
 * `row` is not NULL. */
static void op_mode_list_long(const ordo_u64 *in, op_own own, op_mode_args *a, op_mode_long *row, ordo_u32 *piece,
                              ordo_u64 *places)
{
    a->longs = a->pieces = 0;
    *places = 0;
    for (ordo_vid v = own.first; v < own.end; v++) {
        const ordo_u64 edges = in[v + 1] - in[v];
        if (edges <= MODE_BLOCK)
            continue;
        ordo_u32 bits = 12;
        while (bits < 32 && 1ull << bits < 2 * edges)
            bits++;
        if (row)
            row[a->longs] = {*places, 0, v, 32 - bits};
        for (ordo_u64 i = 0; i * MODE_PIECE < edges; i++, a->pieces++)
            if (row) {
                piece[2 * a->pieces] = a->longs;
                piece[2 * a->pieces + 1] = (ordo_u32)i;
            }
        *places += 1ull << bits;
        a->longs++;
    }
}

/* On the host: copies them to the device. */
static ordo_status op_mode_long_rows(ordo_cuda *c, op_mode_args *a)
{
    const ordo_u64 *in;
    const op_own own = op_own_of(c);
    ordo_u64 places;
    const ordo_status status = ordo_cuda_in_offsets(c, &in);
    if (status)
        return status;
    op_mode_list_long(in, own, a, NULL, NULL, &places);
    if (!a->longs)
        return ORDO_OK;
    op_mode_long *row = (op_mode_long *)ordo_alloc(a->longs, sizeof *row);
    ordo_u32 *piece = (ordo_u32 *)ordo_alloc(a->pieces, 2 * sizeof *piece);
    if (row && piece) {
        op_mode_list_long(in, own, a, row, piece, &places);
        a->row = (op_mode_long *)ordo_cuda_copy(c, row, a->longs, sizeof *row);
        a->piece = (ordo_u32 *)ordo_cuda_copy(c, piece, a->pieces, 2 * sizeof *piece);
        a->table = (op_counted *)ordo_cuda_alloc(c, places, sizeof *a->table, true);
    }
    ordo_free(row);
    ordo_free(piece);
    return a->row && a->piece && a->table ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* On the host, after ordo_cuda_begin: allocates what a run needs, and sets the arguments. */
static ordo_status op_mode_arguments(ordo_cuda *c, bool in_place, op_mode_args *a)
{
    static const ordo_u64 least[MODE_CLASSES - 1] = {MODE_THREAD + 1, MODE_MATCH + 1, MODE_WARP + 1};
    const ordo_u64 n = c->in.n;
    ordo_cuda_arrays arrays = {};
    a->rows = c->in;
    a->cells = (op_cell *)c->cells;
    a->run = c->run;
    a->state = *(const op_state *)c->job->state;
    arrays.count = op_arrays(&a->state, n, n, c->in.m, arrays.array);
    ordo_status status = ordo_cuda_arrays_in(c, &arrays);
    if (!status)
        status = op_mode_long_rows(c, a);
    if (!status)
        status = op_shares_make(c, in_place, NULL, a);
    if (status)
        return status;
    bool enough = true;
    const op_own own = op_own_of(c);
    for (int i = 0; i < MODE_CLASSES - 1; i++) {
        const ordo_u64 rows = own.edges / least[i] + 1, most = own.end - own.first;
        enough =
            (a->list[i] = (ordo_u32 *)ordo_cuda_alloc(c, rows < most ? rows : most, sizeof(ordo_u32), false)) && enough;
    }
    a->size = (ordo_u32 *)ordo_cuda_alloc(c, MODE_CLASSES, sizeof(ordo_u32), true);
    a->change = (double *)ordo_cuda_alloc(c, 3, sizeof(double), true);
    a->stop = (ordo_u32 *)ordo_cuda_alloc(c, 3 * ORDO_CUDA_LINE, sizeof(ordo_u32), true);
    return enough && a->size && a->change && a->stop ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* A run, as gather.cuh's. */
static ordo_status op_gather_job(ordo_job *job, bool in_place, int blocks)
{
    ordo_cuda c;
    op_mode_args a = {};
    ordo_status status = ordo_cuda_begin(job, sizeof(op_cell), true, &c);
    if (!status)
        status = op_mode_arguments(&c, in_place, &a);
    if (!status) {
        void *args[] = {&a};
        const void *kernel = (const void *)op_mode_kernel<false>;
#if !ORDO_OVER_RANKS
        if (a.run.traced.live)
            kernel = (const void *)op_mode_kernel<true>;
#endif
        status = ordo_cuda_launch(&c, ordo_cuda_kernel(kernel), ORDO_CUDA_THREADS, blocks, args);
    }
    return ordo_cuda_end(&c, status);
}
