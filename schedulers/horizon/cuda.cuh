/* horizon on a GPU: pushes within a horizon, then pulls, in supersteps of one persistent launch.
 *
 * Problem. Where degrees have hubs, a search looks at nearly all edges although nearly all improve nothing. A hub's row
 * is long, so one warp must have no more than a piece of it; and lists must not grow with the number of improvements.
 *
 * Method. Rows are in the order of weights (ordo_cuda_by_weight). The horizon T is a value of cells; "within T" means
 * better than T, and "beyond T" not better. Only candidates within T are offered; of a row they are the first ones, as
 * ORDO_BY_WEIGHT says. How many these are at most is computed from the vertex' record: the share of its edges up to
 * each of 16 quantiles of all weights. When nothing is left within T, then T moves on: every vertex within the old T
 * pushes the edges that end between the two. Once the vertices beyond T have less than a share of all in-edges, they
 * pull: each goes through its in-row in the order of weights and stops where no further edge can improve it.
 *
 * Exact. No candidate is better than the value that it is made from. So a cell within T is final when nothing is left
 * within T: all tails on the way to it are within T, and have pushed all that ends there. A pull stops at a weight
 * whose candidate from the best of all cells does not improve the cell. If a row has a tail beyond T, whose candidate
 * from T itself would improve the cell, the vertex is listed. Listed vertices pull again, up to a weight whose
 * candidate from T does not improve them, until a round has changed none. The others have their final values after the
 * first pull, since tails beyond T end no better than T.
 *
 * Data structures.
 *   list     items to be pushed in a superstep, each once: `stamp` holds the last superstep for which it was listed. A
 *            warp reads the item's cell when it pushes. So n places are enough.
 *   range    edges to be pushed of one item, where they are more than HORIZON_LONG, with its value; cut into chunks. A
 *            range gets its place and its chunks by one addition to a word of 64 bits, place << 40 | chunks. `before`
 *            holds the number of chunks of the ranges before it, which ascends with the place; a warp that takes chunk
 *            c finds its range there by bisection over 32 lanes. Ranges that find no place are listed as items.
 *   words    counters of a superstep, triple-buffered as those of ordo_cuda_frontier are
 *   piece    what is left of very long in-rows, shared by all warps behind a barrier
 *
 * Ranges. A listed item whose edges are many by now is skipped: the warp that has improved its cell to that value has
 * made a range of it, in this superstep or for the next. A range whose item has a better cell is stale, for the same
 * reason. If ranges of a superstep found no place, its list is pushed whole.
 *
 * The move. Warps note the best of what they have seen beyond T, or of what an edge beyond T might be at best, by its
 * quantile. T moves on to a step behind the best of these, so a gap costs one move. A step is wider than the last one
 * (`grow`) while few vertices come within T. In random graphs their number grows exponentially with T until most are
 * within it: too wide a step then pushes most of the graph at once, in no order, which takes several times as long. So
 * where degrees are similar a step is no wider than a logistic curve through the last two moves allows: up to
 * HORIZON_HALFWAY of all in-edges, and from there up to HORIZON_LANDING, behind which vertices pull.
 *
 * Termination. All blocks decide from the same words, which no thread changes between two barriers. The run ends when
 * nothing is left within T, and nothing is beyond T; or when a round of pulling has changed nothing. T moves behind
 * what is beyond it, so it comes to the end.
 *
 * Memory order. Cells are relaxed: they only get better, and every improvement is pushed, or pulled again, behind it.
 * Lists, ranges and counters pass from block to block over grid barriers. In a pull a cell is written by one lane, and
 * behind the next barrier by atomics.
 */
#include <ordo/detail/cuda/words.cuh>

#include "tunables.h"

#if ORDO_OP_KIND == ORDO_KIND_RELAX && ORDO_OP_ACTIVATES && !ORDO_OVER_RANKS &&                                        \
    (ORDO_OP_ORDER == ORDO_MIN || ORDO_OP_ORDER == ORDO_MAX)

/* What profilers show carries the operator's name. */
#define horizon_kernel ORDO_OP_NAME(horizon_kernel)

enum {
    HORIZON_DEV_THREADS = 256,
    HORIZON_DEV_WARPS = HORIZON_DEV_THREADS / 32,
    HORIZON_LONG = 64,        /* of more edges an item's are a range */
    HORIZON_CHUNK_EDGES = 64, /* of a range, for a lane */
    HORIZON_AHEAD = 4,        /* edges of a lane in an iteration */
    HORIZON_STAGED = 160,     /* improved vertices that a warp keeps, of which 32 at a time are activated */
    HORIZON_HELD = 128,       /* items that a warp keeps before it lists them */
    HORIZON_QUEUED = 96,      /* batches that it keeps when T has moved, of which 32 at a time are expanded */
    HORIZON_TOGETHER = 2,     /* rows that a lane looks at together then */
    HORIZON_GROUP = 128,      /* vertices that a warp looks at for those that pull */
    HORIZON_OWN = 16,         /* in-edges that a lane tests alone, by HORIZON_AHEAD at a time */
    HORIZON_IN_PIECE = 1024,  /* in-edges that a warp tests of what is left at most, and of a piece of more */
    HORIZON_MOST = 1 << 21,   /* most ranges: with what all warps reserve beyond them a place has 24 bits */
    HORIZON_FEW = 16384, /* in-edges that come within T by a move: of less, or a thousandth of all, its step grows */
    HORIZON_MOVES_EACH = 64, /* after each so many moves it doubles at least */
    HORIZON_LOOK = 4,        /* supersteps between two looks into the mailbox, at least */
    HORIZON_WEIGHTS = 17,    /* the first weight, 15 quantiles, and the last weight */
};
#define HORIZON_CHUNK_MASK (((ordo_u64)1 << 40) - 1)
#define HORIZON_BETWEEN                                                                                                \
    0x80000000u /* in a range's upper half of `first`: edges that end below the earlier T are left out */
#define HORIZON_LISTED 0xffffffffu /* stamp of what pulls again */
/* Shares of all in-edges that a step of T is to bring within T: at first HALFWAY, and LANDING once UNDER_WAY are. */
#define HORIZON_UNDER_WAY 0.16f
#define HORIZON_HALFWAY 0.4f
#define HORIZON_LANDING 0.85f

/* What a superstep does. */
enum {
    HORIZON_BEGIN,
    HORIZON_PUSHES,
    HORIZON_MOVES,
    HORIZON_PULLS,
    HORIZON_PIECES,
    HORIZON_ROUND,
    HORIZON_END,
    HORIZON_LIST /* of a horizon_source alone */
};

/* The best of some values, each changed by atomics; the worst value at first. What edges beyond T propose at best takes
 * turns with every move of T: one is read, one is written, and one is cleared. */
enum { HORIZON_OF_CELLS, HORIZON_OF_INITIAL, HORIZON_BEYOND, HORIZON_BESTS = HORIZON_BEYOND + 3 };

typedef struct horizon_counters {
    ordo_u32 count, padding0[ORDO_CUDA_LINE - 1];      /* items on the list */
    ordo_u64 ranges, padding1[ORDO_CUDA_LINE / 2 - 1]; /* place << 40 | chunks */
    ordo_u64 within, padding2[ORDO_CUDA_LINE / 2 - 1]; /* in-edges of vertices that have come within T */
    ordo_u32 changed, padding3[ORDO_CUDA_LINE - 1];    /* a round of pulling has changed a cell */
    ordo_u32 stop, padding4[ORDO_CUDA_LINE - 1];       /* the mailbox's `stop` as read in the step before */
} horizon_counters;

typedef struct horizon_words {
    horizon_counters step[3];
    ordo_u32 listed, padding0[ORDO_CUDA_LINE - 1]; /* vertices that pull again */
    ordo_u32 pieces, padding1[ORDO_CUDA_LINE - 1];
} horizon_words;

typedef struct horizon_args {
    ordo_cuda_rows rows, in;
    const uint4 *record; /* [2 * n] see ordo_cuda_by_weight */
    op_cell *cells;
    op_state state;
    op_dev_weight weight[HORIZON_WEIGHTS];
    ordo_u32 num_items, capacity; /* of ranges */
    ordo_u32 *list[2], *stamp;    /* [num_items] */
    uint4 *range[2];              /* [capacity] first edge, in two words; item; number of edges */
    op_cell *value[2];            /* [capacity] */
    ordo_u32 *before[2];          /* [capacity] chunks of the ranges before */
    ordo_u64 *piece;              /* [2 * m / HORIZON_IN_PIECE + 1] vertex << 32 | number of the piece */
    op_cell *best;                /* [HORIZON_BESTS] */
    horizon_words *words;
    double width, grow, pull;
    bool predicts; /* steps are no wider than a curve allows: where degrees are similar */
    ordo_cuda_run run;
} horizon_args;

/* The state of a superstep, in shared memory; the same in all blocks. */
typedef struct horizon_state {
    op_cell horizon, before; /* T, and what it was before it moved */
    double width;            /* of the last step of T */
    ordo_u64 within;         /* in-edges of vertices within T */
    ordo_u64 earlier;        /* the same when T last moved */
    ordo_u64 gained;         /* in this superstep, by this block */
    ordo_u64 ranges;
    ordo_u32 count, step, phase, moves; /* `moves`: how often T has moved */
} horizon_state;

/* A warp's shared memory. */
typedef struct horizon_store {
    op_cell value[HORIZON_STAGED];
    ordo_u32 item[HORIZON_STAGED];
    ordo_u32 held[HORIZON_HELD];
    ordo_u64 batch_first[HORIZON_QUEUED];
    op_cell batch_value[HORIZON_QUEUED];
    ordo_u32 batch_count[HORIZON_QUEUED];
    unsigned char fresh[HORIZON_STAGED]; /* whether the cell was no better than T before */
    unsigned char open[HORIZON_GROUP];
} horizon_store;

/* A warp's registers; the same in all lanes but for the counters. */
typedef struct horizon_warp {
    horizon_store *s;
    op_cell horizon, before;
    op_cell
        beyond; /* the lane's: the best that it has seen that is beyond T, or something better than that but beyond T */
    ordo_u32 staged, held, queued, step;
    bool dry;        /* a range has found no place in this superstep */
    bool changed;    /* a round of pulling has changed a cell of the lane */
    ordo_u64 within; /* the lane's, in this superstep */
    ordo_u32 items, edges, useful, stale;
} horizon_warp;

/* A lane's edges to be pushed. */
typedef struct horizon_batch {
    op_cell value;
    ordo_u64 first;
    ordo_u32 count;
    bool between;
} horizon_batch;

/* ---- rows by weight ---- */

/* A vertex' record. */
typedef struct horizon_row {
    ordo_u64 first;
    ordo_u32 degree, in_degree;
    uint4 share; /* bytes: 255ths of the edges up to each quantile, rounded up */
} horizon_row;

ORDO_DEV horizon_row horizon_read(const horizon_args &a, ordo_vid v)
{
    const uint4 head = __ldg(a.record + 2 * (ordo_u64)v), share = __ldg(a.record + 2 * (ordo_u64)v + 1);
    return {(ordo_u64)head.y << 32 | head.x, head.z, head.w, share};
}

/* What an edge of that weight proposes: nothing else of an edge counts (ORDO_BY_WEIGHT). */
ORDO_DEV op_cell horizon_candidate(const horizon_args &a, op_cell value, const op_dev_weight *weight)
{
    return op_candidate(&a.state, value, op_make_edge(0, 0, 0, weight));
}

ORDO_DEV ordo_u32 horizon_share(const horizon_row &row, ordo_u32 k)
{
    const ordo_u32 word = k < 8 ? (k < 4 ? row.share.x : row.share.y) : (k < 12 ? row.share.z : row.share.w);
    return word >> 8 * (k % 4) & 0xff;
}

/* How many of these weights propose something better than `end`. */
ORDO_DEV ordo_u32 horizon_class(const horizon_args &a, op_cell value, op_cell end)
{
    ordo_u32 k = 0;
#pragma unroll
    for (int i = 0; i < HORIZON_WEIGHTS; i++)
        k += op_better(horizon_candidate(a, value, &a.weight[i]), end) ? 1 : 0;
    return k;
}

/* Edges of a row that end within T. */
typedef struct horizon_reach {
    ordo_u32 count; /* at most; those from there on do not */
    op_cell beyond; /* what those from there on propose is no better */
} horizon_reach;

ORDO_DEV horizon_reach horizon_up_to(const horizon_args &a, const horizon_row &row, op_cell value, op_cell end)
{
    const ordo_u32 k = horizon_class(a, value, end);
    if (k >= HORIZON_WEIGHTS - 1) /* the next end is that of the row */
        return {row.degree, op_worst()};
    const ordo_u32 count = k ? (ordo_u32)(((ordo_u64)row.degree * horizon_share(row, k - 1) + 254) / 255) : 0;
    return {count, count < row.degree ? horizon_candidate(a, value, &a.weight[k]) : op_worst()};
}

/* By one thread: notes what it has seen beyond T. */
ORDO_DEV void horizon_note(horizon_warp *w, bool has, op_cell value)
{
    w->beyond = has && op_better(value, w->beyond) ? value : w->beyond;
}

/* At least so many edges of the row propose something better than `end`. */
ORDO_DEV ordo_u32 horizon_from(const horizon_args &a, const horizon_row &row, op_cell value, op_cell end)
{
    const ordo_u32 k = horizon_class(a, value, end);
    if (k == HORIZON_WEIGHTS)
        return row.degree;
    const ordo_u32 share = k > 1 ? horizon_share(row, k - 2) : 0;
    return share < 2 ? 0 : (ordo_u32)((ordo_u64)row.degree * (share - 1) / 255);
}

/* ---- pushing ---- */

/* By a whole warp: lists the items that it holds. */
ORDO_DEV void horizon_flush(const horizon_args &a, horizon_warp *w)
{
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_u32 at = 0;
    __syncwarp();
    if (lane == 0)
        at = ordo_dev_add(&a.words->step[(w->step + 1) % 3].count, w->held);
    at = __shfl_sync(~0u, at, 0);
    for (ordo_u32 i = lane; i < w->held; i += 32)
        a.list[(w->step + 1) & 1][at + i] = w->s->held[i];
    w->held = 0;
    __syncwarp();
}

/* By a whole warp: makes ranges of the edges of lanes that have some. Returns whether the lane's has a place. */
ORDO_DEV bool horizon_reserve(const horizon_args &a, horizon_warp *w, bool has, ordo_vid v, op_cell value,
                              ordo_u64 first, ordo_u32 count, bool between)
{
    const ordo_u32 lane = threadIdx.x % 32, some = __ballot_sync(~0u, has), next = (w->step + 1) & 1;
    if (!some || w->dry)
        return false;
    const ordo_u32 chunks = has ? (ordo_u32)(((ordo_u64)count + HORIZON_CHUNK_EDGES - 1) / HORIZON_CHUNK_EDGES) : 0;
    const ordo_u32 up_to = ordo_warp_sum_up_to(chunks);
    ordo_u64 word = 0;
    if (lane == 31)
        word = ordo_dev_add(&a.words->step[(w->step + 1) % 3].ranges, (ordo_u64)__popc(some) << 40 | up_to);
    word = __shfl_sync(~0u, word, 31);
    const ordo_u64 place = (word >> 40) + __popc(some & ((1u << lane) - 1));
    const bool stays = has && place < a.capacity;
    if (stays) {
        a.range[next][place] =
            uint4{(ordo_u32)first, (ordo_u32)(first >> 32) | (between ? HORIZON_BETWEEN : 0), v, count};
        a.value[next][place] = value;
        a.before[next][place] = (ordo_u32)(word & HORIZON_CHUNK_MASK) + up_to - chunks;
    }
    w->dry = (word >> 40) + __popc(some) > a.capacity;
    return stays;
}

/* By a whole warp: has the edges below T of lanes with `has` pushed in the next superstep. */
ORDO_DEV void horizon_put(const horizon_args &a, horizon_warp *w, bool has, ordo_vid v, op_cell value,
                          const horizon_row &row)
{
    const horizon_reach reach = horizon_up_to(a, row, value, w->horizon);
    const ordo_u32 count = has ? reach.count : 0, lane = threadIdx.x % 32;
    horizon_note(w, has, reach.beyond);
    const bool ranged = horizon_reserve(a, w, count > HORIZON_LONG, v, value, row.first, count, false);
    const bool lists = count && !ranged && ordo_dev_exchange(&a.stamp[v], w->step + 1) != w->step + 1;
    const ordo_u32 some = __ballot_sync(~0u, lists);
    if (lists)
        w->s->held[w->held + __popc(some & ((1u << lane) - 1))] = v;
    w->held += __popc(some);
    if (w->held > HORIZON_HELD - 32)
        horizon_flush(a, w);
}

/* By a whole warp: activates up to 32 of the vertices that it has improved. */
ORDO_DEV void horizon_activate(const horizon_args &a, horizon_warp *w)
{
    const ordo_u32 lane = threadIdx.x % 32, count = w->staged < 32 ? w->staged : 32;
    __syncwarp();
    w->staged -= count;
    const ordo_u32 i = w->staged + (lane < count ? lane : 0);
    const ordo_vid v = w->s->item[i];
    const op_cell value = w->s->value[i];
    const bool has = lane < count && op_filter(&a.state, v);
    const horizon_row row = horizon_read(a, v);
    w->within += lane < count && w->s->fresh[i] ? row.in_degree : 0;
    horizon_put(a, w, has, v, value, row);
    __syncwarp();
}

/* By a whole warp: keeps vertices that lanes have improved. `fresh`: beyond T before. */
ORDO_DEV void horizon_stage(horizon_warp *w, bool has, ordo_vid v, op_cell value, bool fresh)
{
    const ordo_u32 some = __ballot_sync(~0u, has), at = w->staged + __popc(some & ((1u << threadIdx.x % 32) - 1));
    if (has) {
        w->s->item[at] = v;
        w->s->value[at] = value;
        w->s->fresh[at] = fresh;
    }
    w->staged += __popc(some);
}

/* By a whole warp: offers what the next 32 * N edges of the lanes' batches propose. `up_to`: edges of the lanes before
 * this one; `total`: of all. */
template <int N>
ORDO_DEV void horizon_offer(const horizon_args &a, horizon_warp *w, const horizon_batch &t, ordo_u32 up_to,
                            ordo_u32 total, ordo_u32 begin)
{
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_u32 head[N];
    op_dev_weight weight[N];
    op_cell candidate[N], of[N], old[N];
    ordo_eid e[N];
    bool has[N], between[N];
#pragma unroll
    for (int u = 0; u < N; u++) {
        ordo_u32 i = begin + 32 * u + lane;
        has[u] = i < total;
        i = has[u] ? i : total - 1;
        const ordo_u32 owner = ordo_warp_owner(up_to, i);
        e[u] = __shfl_sync(~0u, t.first - up_to, owner) + i;
        of[u] = __shfl_sync(~0u, t.value, owner);
        between[u] = __shfl_sync(~0u, (int)t.between, owner);
    }
    op_dev_edges(&a.rows, e, head, weight);
#pragma unroll
    for (int u = 0; u < N; u++) {
        w->edges += has[u];
        candidate[u] = horizon_candidate(a, of[u], &weight[u]);
        const bool below = op_better(candidate[u], w->horizon);
        horizon_note(w, has[u] && !below, candidate[u]);
        has[u] = has[u] && below && !(between[u] && op_better(candidate[u], w->before));
        old[u] = has[u] ? ordo_dev_load(&a.cells[head[u]]) : candidate[u];
    }
#pragma unroll
    for (int u = 0; u < N; u++) {
        has[u] = has[u] && op_better(candidate[u], old[u]);
        op_dev_improve(a.cells, has[u], head[u], candidate[u], &old[u]);
    }
#pragma unroll
    for (int u = 0; u < N; u++) {
        has[u] = has[u] && op_better(candidate[u], old[u]);
        w->useful += has[u];
        horizon_stage(w, has[u], head[u], candidate[u], !op_better(old[u], w->horizon));
    }
}

/* A warp's number, by which consecutive portions go to different blocks; the number of all. */
ORDO_DEV ordo_u32 horizon_number(void)
{
    return blockIdx.x + gridDim.x * (threadIdx.x / 32);
}
ORDO_DEV ordo_u32 horizon_warps(void)
{
    return gridDim.x * HORIZON_DEV_WARPS;
}
ORDO_DEV ordo_u32 horizon_grain(ordo_u64 count)
{
    const ordo_u32 warps = horizon_warps();
    return count > (ordo_u64)31 * warps ? 32 : count <= warps ? 1 : ((ordo_u32)count + warps - 1) / warps;
}

/* Where a warp takes its batches from in a superstep: portions `at`, at + stride ... of what all warps share. */
typedef struct horizon_source {
    ordo_u64 at, end;
    ordo_u32 grain, places;
    ordo_u32 kind; /* HORIZON_BEGIN: initial items; HORIZON_PUSHES: ranges; HORIZON_LIST; HORIZON_MOVES: all vertices */
} horizon_source;

ORDO_DEV void horizon_set(horizon_source *from, ordo_u32 kind, ordo_u64 end, ordo_u32 grain)
{
    from->kind = kind;
    from->end = end;
    from->grain = grain;
    /* the list begins with other warps than ranges do: where both are few, none has a part of both */
    const ordo_u32 warps = horizon_warps(), number = horizon_number() + (kind == HORIZON_LIST ? warps / 2 : 0);
    from->at = (ordo_u64)(number < warps ? number : number - warps) * grain;
}

/* By a whole warp: the next items of the list. Long ones only where ranges found no place. */
ORDO_DEV horizon_batch horizon_take_listed(const horizon_args &a, horizon_warp *w, const horizon_source &from, bool all)
{
    const ordo_u64 at = from.at + threadIdx.x % 32;
    horizon_batch t = {};
    if (threadIdx.x % 32 < from.grain && at < from.end) {
        const ordo_vid v = ordo_dev_load(&a.list[w->step & 1][at]);
        t.value = ordo_dev_load(&a.cells[v]);
        const horizon_row row = horizon_read(a, v);
        t.first = row.first;
        t.count = horizon_up_to(a, row, t.value, w->horizon).count;
        t.count = t.count > HORIZON_LONG && !all ? 0 : t.count;
        w->items += t.count > 0;
    }
    return t;
}

/* By a whole warp: the last of `places` ranges that has at most `chunk` chunks before it. */
ORDO_DEV ordo_u32 horizon_find(ordo_u32 *before, ordo_u32 places, ordo_u32 chunk)
{
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_u32 from = 0, size = places;
    for (;;) {
        const ordo_u32 step = (size + 31) / 32;
        const ordo_u64 probe = from + (ordo_u64)lane * step;
        const bool below = probe < from + (ordo_u64)size && ordo_dev_load(&before[probe]) <= chunk;
        from += (__popc(__ballot_sync(~0u, below)) - 1) * step; /* the first lane's is below */
        if (step == 1)
            return from;
        size = places - from < step ? places - from : step;
    }
}

/* Sets the warp's source to the ranges of the superstep. `word`: see horizon_counters. */
ORDO_DEV void horizon_set_ranges(const horizon_args &a, horizon_warp *w, horizon_source *from, ordo_u64 word)
{
    const ordo_u32 side = w->step & 1;
    ordo_u32 chunks = (ordo_u32)(word & HORIZON_CHUNK_MASK);
    from->places = word >> 40 < a.capacity ? (ordo_u32)(word >> 40) : a.capacity;
    if (from->places < word >> 40) { /* what found no place had chunks */
        const uint4 last = __ldcg(&a.range[side][from->places - 1]);
        chunks = ordo_dev_load(&a.before[side][from->places - 1]) +
                 (ordo_u32)(((ordo_u64)last.w + HORIZON_CHUNK_EDGES - 1) / HORIZON_CHUNK_EDGES);
    }
    horizon_set(from, HORIZON_PUSHES, chunks, horizon_grain(chunks));
}

/* By a whole warp: the next chunks of ranges. */
ORDO_DEV horizon_batch horizon_take_chunks(const horizon_args &a, horizon_warp *w, const horizon_source &from)
{
    const ordo_u32 lane = threadIdx.x % 32, side = w->step & 1, chunk = (ordo_u32)from.at + lane;
    const ordo_u32 first = horizon_find(a.before[side], from.places, (ordo_u32)from.at);
    /* every range has a chunk, so 32 of them are enough */
    const ordo_u32 window = first + lane < from.places ? ordo_dev_load(&a.before[side][first + lane]) : ~0u;
    const ordo_u32 owner = ordo_warp_owner(window, chunk);
    const ordo_u32 number = chunk - __shfl_sync(~0u, window, owner);
    horizon_batch t = {};
    if (lane < from.grain && chunk < from.end) {
        const uint4 range = __ldcg(&a.range[side][first + owner]);
        const ordo_u32 skip = number * HORIZON_CHUNK_EDGES;
        t.value = ordo_dev_load(&a.value[side][first + owner]);
        t.first = ((ordo_u64)(range.y & ~HORIZON_BETWEEN) << 32 | range.x) + skip;
        t.between = (range.y & HORIZON_BETWEEN) != 0;
        t.count = range.w - skip < HORIZON_CHUNK_EDGES ? range.w - skip : HORIZON_CHUNK_EDGES;
        const bool stale = op_better(ordo_dev_load(&a.cells[range.z]), t.value);
        t.count = stale ? 0 : t.count;
        w->items += !stale && number == 0;
        w->stale += stale && number == 0;
    }
    return t;
}

/* By a whole warp: the next initial items count as improved if they are within T. */
ORDO_DEV void horizon_take_initial(const horizon_args &a, horizon_warp *w, const horizon_source &from)
{
    const ordo_u64 at = from.at + threadIdx.x % 32;
    const bool there = at < from.end;
    const ordo_vid v = ordo_dev_initial(&a.run, there ? at : from.at);
    const op_cell value = ordo_dev_load(&a.cells[v]);
    const bool has = there && op_better(value, w->horizon);
    if (there && !has && op_filter(&a.state, v) && horizon_read(a, v).degree)
        horizon_note(w, true, horizon_candidate(a, value, &a.weight[0]));
    horizon_stage(w, has, v, value, true);
}

/* By one thread: a vertex, when T has moved: the edges that it is to push. */
ORDO_DEV horizon_batch horizon_moved(const horizon_args &a, horizon_warp *w, ordo_vid v, op_cell value,
                                     const horizon_row &row)
{
    const bool has = op_better(value, w->horizon); /* else it is an initial item that waits */
    if (!op_filter(&a.state, v))
        return {};
    const horizon_reach reach = horizon_up_to(a, row, value, w->horizon);
    const ordo_u32 end = has ? reach.count : 0, begin = horizon_from(a, row, value, w->before);
    w->within += has && !op_better(value, w->before) ? row.in_degree : 0; /* it was beyond the old T */
    w->items += end > begin;
    horizon_note(w, true, reach.beyond);
    return {value, row.first + begin, end > begin ? end - begin : 0, true};
}

/* By a whole warp: long batches of the lanes become ranges; others, and those that found no place, are queued. */
ORDO_DEV void horizon_queue(const horizon_args &a, horizon_warp *w, ordo_vid v, horizon_batch t)
{
    const ordo_u32 lane = threadIdx.x % 32;
    if (horizon_reserve(a, w, t.count > HORIZON_LONG, v, t.value, t.first, t.count, true))
        t.count = 0;
    const ordo_u32 some = __ballot_sync(~0u, t.count);
    if (t.count) {
        const ordo_u32 at = w->queued + __popc(some & ((1u << lane) - 1));
        w->s->batch_value[at] = t.value;
        w->s->batch_first[at] = t.first;
        w->s->batch_count[at] = t.count;
    }
    w->queued += __popc(some);
}

/* By a whole warp: T has moved: queues what the next vertices within the old T have between the two. */
ORDO_DEV void horizon_take_vertices(const horizon_args &a, horizon_warp *w, const horizon_source &from)
{
    op_cell value[HORIZON_TOGETHER];
    horizon_row row[HORIZON_TOGETHER];
#pragma unroll
    for (int u = 0; u < HORIZON_TOGETHER; u++) {
        const ordo_u64 v = from.at + 32 * u + threadIdx.x % 32;
        value[u] = v < a.num_items ? ordo_dev_load(&a.cells[v]) : op_worst();
    }
#pragma unroll
    for (int u = 0; u < HORIZON_TOGETHER; u++) { /* all loads are issued before the first is used */
        const ordo_vid v = (ordo_vid)(from.at + 32 * u + threadIdx.x % 32);
        row[u] = op_better(value[u], op_worst()) ? horizon_read(a, v) : horizon_row{};
    }
#pragma unroll
    for (int u = 0; u < HORIZON_TOGETHER; u++) {
        const ordo_vid v = (ordo_vid)(from.at + 32 * u + threadIdx.x % 32);
        const bool there = op_better(value[u], op_worst());
        if (__any_sync(~0u, there))
            horizon_queue(a, w, v, there ? horizon_moved(a, w, v, value[u], row[u]) : horizon_batch{});
    }
}

/* By a whole warp: takes up to 32 of the batches that it has queued; one, if it is long. */
ORDO_DEV horizon_batch horizon_take_queued(horizon_warp *w)
{
    const ordo_u32 lane = threadIdx.x % 32;
    horizon_batch t = {};
    __syncwarp();
    ordo_u32 count = w->queued < 32 ? w->queued : 32;
    if (__any_sync(~0u, lane < count && w->s->batch_count[w->queued - count + lane] > HORIZON_LONG))
        count = 1;
    w->queued -= count;
    if (lane < count)
        t = {w->s->batch_value[w->queued + lane], w->s->batch_first[w->queued + lane],
             w->s->batch_count[w->queued + lane], true};
    __syncwarp();
    return t;
}

/* By a whole warp: the lanes' next batches; or counts initial items as improved. False: nothing is left. */
ORDO_DEV bool horizon_next(const horizon_args &a, horizon_warp *w, const horizon_state &s, horizon_source *from,
                           horizon_batch *t)
{
    const bool all = s.ranges >> 40 > a.capacity;
    *t = {};
    if (from->kind == HORIZON_PUSHES && from->at >= from->end) /* of the list that is pushed whole one at a time */
        horizon_set(from, HORIZON_LIST, s.count, all ? 1 : horizon_grain(s.count));
    if (from->kind == HORIZON_MOVES && (w->queued >= 32 || (w->queued && from->at >= from->end))) {
        *t = horizon_take_queued(w);
        return true;
    }
    if (from->at >= from->end)
        return false;
    if (from->kind == HORIZON_PUSHES)
        *t = horizon_take_chunks(a, w, *from);
    else if (from->kind == HORIZON_LIST)
        *t = horizon_take_listed(a, w, *from, all);
    else if (from->kind == HORIZON_MOVES)
        horizon_take_vertices(a, w, *from);
    else
        horizon_take_initial(a, w, *from);
    from->at += (ordo_u64)horizon_warps() * from->grain;
    return true;
}

/* By the whole grid: a superstep that pushes. Each of its parts is in one place, as the code is inlined. */
ORDO_DEV void horizon_push(const horizon_args &a, horizon_warp *w, const horizon_state &s)
{
    horizon_source from = {};
    horizon_batch t = {};
    ordo_u32 before = 0, total = 0, begin = 0; /* edges of the lanes before this one, of all; the next one */
    if (s.phase == HORIZON_PUSHES)
        horizon_set_ranges(a, w, &from, s.ranges);
    else if (s.phase == HORIZON_MOVES)
        horizon_set(&from, HORIZON_MOVES, a.num_items, 32 * HORIZON_TOGETHER);
    else
        horizon_set(&from, HORIZON_BEGIN, a.run.initial_count, 32);
    for (bool more = true;;) {
        if (w->staged >= 32 || (!more && w->staged)) {
            horizon_activate(a, w);
        } else if (begin < total) {
            horizon_offer<HORIZON_AHEAD>(a, w, t, before, total, begin);
            begin += 32 * HORIZON_AHEAD;
        } else if (more) {
            more = horizon_next(a, w, s, &from, &t);
            const ordo_u32 up_to = ordo_warp_sum_up_to(t.count);
            before = up_to - t.count;
            total = __shfl_sync(~0u, up_to, 31);
            begin = 0;
        } else {
            break;
        }
    }
    if (w->held)
        horizon_flush(a, w);
}

/* ---- pulling ---- */

/* What a vertex has pulled. */
typedef struct horizon_pulled {
    op_cell best;
    op_dev_weight open; /* the first weight of an edge whose tail is beyond T, */
    bool some;          /* if there is one */
    bool over;          /* no further edge can improve `best` */
} horizon_pulled;

/* By one thread: N in-edges from e on, of which those below `end` count. `bound`: what tails have at best. */
template <int N>
ORDO_DEV void horizon_look(const horizon_args &a, horizon_warp *w, ordo_eid first, ordo_eid end, op_cell bound,
                           horizon_pulled *p)
{
    ordo_u32 tail[N];
    op_dev_weight weight[N];
    op_cell value[N];
    ordo_eid e[N];
    bool has[N];
#pragma unroll
    for (int u = 0; u < N; u++)
        e[u] = first + u < end ? first + u : end - 1;
    op_dev_edges(&a.in, e, tail, weight);
#pragma unroll
    for (int u = 0; u < N; u++) {
        has[u] = first + u < end && op_better(horizon_candidate(a, bound, &weight[u]), p->best);
        p->over = p->over || !has[u];
        w->edges += has[u];
        value[u] = has[u] && op_filter(&a.state, tail[u]) ? ordo_dev_load(&a.cells[tail[u]]) : op_worst();
        has[u] = has[u] && op_filter(&a.state, tail[u]);
    }
#pragma unroll
    for (int u = 0; u < N; u++) {
        const op_cell candidate = horizon_candidate(a, value[u], &weight[u]);
        const bool opens = has[u] && !p->some && !op_better(value[u], w->horizon);
        p->open = opens ? weight[u] : p->open;
        p->some = p->some || opens;
        p->best = has[u] && op_better(candidate, p->best) ? candidate : p->best;
    }
}

/* By a whole warp: the rest of one vertex' row, all arguments the same. */
ORDO_DEV void horizon_look_together(const horizon_args &a, horizon_warp *w, ordo_eid first, ordo_eid end, op_cell bound,
                                    horizon_pulled *p)
{
    const ordo_u32 lane = threadIdx.x % 32;
    for (; first < end && !p->over; first += 32) {
        horizon_pulled one = *p;
        const bool there = first + lane < end, knew = p->some;
        one.some = false;
        if (there)
            horizon_look<1>(a, w, first + lane, first + lane + 1, bound, &one);
        p->over = __any_sync(~0u, there && one.over); /* weights ascend */
        const ordo_u32 open = __ballot_sync(~0u, there && one.some);
        if (open && !knew) {
            p->open = __shfl_sync(~0u, one.open, __ffs((int)open) - 1);
            p->some = true;
        }
        for (int far = 16; far; far /= 2) {
            const op_cell other = __shfl_xor_sync(~0u, one.best, far);
            one.best = op_better(other, one.best) ? other : one.best;
        }
        p->best = one.best;
    }
}

/* Whether a tail beyond T might still improve the vertex. */
ORDO_DEV bool horizon_again(const horizon_args &a, const horizon_warp *w, const horizon_pulled &p)
{
    return p.some && op_better(horizon_candidate(a, w->horizon, &p.open), p.best);
}

/* By a whole warp: a vertex of each lane with `has` pulls, whose cell is `value`. `whole`: all of its row; else what is
 * left of very long rows becomes pieces. Returns whether the cell was improved. */
ORDO_DEV bool horizon_pull(const horizon_args &a, horizon_warp *w, bool has, ordo_vid v, op_cell value, op_cell bound,
                           bool whole, bool *again)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_eid first = has ? __ldg(a.in.row + v) : 0, end = has ? __ldg(a.in.row + v + 1) : 0;
    horizon_pulled p = {value, {}, false, first >= end};
    ordo_eid at = first;
    for (; !p.over && at < end && at - first < HORIZON_OWN; at += HORIZON_AHEAD)
        horizon_look<HORIZON_AHEAD>(a, w, at, end, bound, &p);
    __syncwarp();
    for (ordo_u32 rest = __ballot_sync(~0u, !p.over && at < end); rest; rest &= rest - 1) {
        const int owner = __ffs((int)rest) - 1;
        const ordo_eid from = __shfl_sync(~0u, at, owner), to = __shfl_sync(~0u, end, owner);
        if (!whole && to - from > HORIZON_IN_PIECE) {
            const ordo_u32 pieces = (ordo_u32)((to - from + HORIZON_IN_PIECE - 1) / HORIZON_IN_PIECE);
            const ordo_vid of = __shfl_sync(~0u, v, owner);
            ordo_u32 place = 0;
            if (lane == 0)
                place = ordo_dev_add(&a.words->pieces, pieces);
            place = __shfl_sync(~0u, place, 0);
            for (ordo_u32 i = lane; i < pieces; i += 32)
                a.piece[place + i] = (ordo_u64)of << 32 | i;
            continue;
        }
        horizon_pulled one = {__shfl_sync(~0u, p.best, owner), __shfl_sync(~0u, p.open, owner),
                              __shfl_sync(~0u, (int)p.some, owner) != 0, false};
        horizon_look_together(a, w, from, to, bound, &one);
        if ((int)lane == owner)
            p = one;
    }
    const bool improved = has && op_better(p.best, value);
    if (improved)
        ordo_dev_store(&a.cells[v], p.best);
    w->useful += improved;
    w->items += improved;
    *again = has && horizon_again(a, w, p);
    return improved;
}

/* By a whole warp: lists the vertices of lanes with `has` to pull again, each once. */
ORDO_DEV void horizon_list_again(const horizon_args &a, bool has, ordo_vid v)
{
    const ordo_u32 lane = threadIdx.x % 32;
    has = has && ordo_dev_exchange(&a.stamp[v], HORIZON_LISTED) != HORIZON_LISTED;
    const ordo_u32 some = __ballot_sync(~0u, has);
    ordo_u32 at = 0;
    if (!some)
        return;
    if (lane == 0)
        at = ordo_dev_add(&a.words->listed, (ordo_u32)__popc(some));
    at = __shfl_sync(~0u, at, 0) + __popc(some & ((1u << lane) - 1));
    if (has)
        a.list[0][at] = v;
}

/* By the whole grid: all vertices beyond T pull. A warp takes a group of vertices, and deals those out to
 * its lanes. */
ORDO_DEV void horizon_pull_all(const horizon_args &a, horizon_warp *w)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const op_cell bound = ordo_dev_load(&a.best[HORIZON_OF_CELLS]);
    for (ordo_u64 base = (ordo_u64)horizon_number() * HORIZON_GROUP; base < a.num_items;
         base += (ordo_u64)horizon_warps() * HORIZON_GROUP) {
        bool opens[HORIZON_GROUP / 32];
        ordo_u32 open = 0;
#pragma unroll
        for (int u = 0; u < HORIZON_GROUP / 32; u++) {
            const ordo_u64 v = base + 32 * u + lane;
            opens[u] = v < a.num_items && !op_better(ordo_dev_load(&a.cells[v]), w->horizon) &&
                       __ldg(a.in.row + v) < __ldg(a.in.row + v + 1);
        }
        __syncwarp();
#pragma unroll
        for (int u = 0; u < HORIZON_GROUP / 32; u++) {
            const ordo_u32 some = __ballot_sync(~0u, opens[u]);
            if (opens[u])
                w->s->open[open + __popc(some & ((1u << lane) - 1))] = (unsigned char)(32 * u + lane);
            open += __popc(some);
        }
        __syncwarp();
        for (ordo_u32 first = 0; first < open; first += 32) {
            const bool has = first + lane < open;
            const ordo_vid v = (ordo_vid)base + (has ? w->s->open[first + lane] : 0u);
            bool again;
            horizon_pull(a, w, has, v, has ? ordo_dev_load(&a.cells[v]) : op_worst(), bound, false, &again);
            horizon_list_again(a, again, v);
        }
    }
}

/* By the whole grid, behind a barrier: what is left of very long rows. */
ORDO_DEV void horizon_pull_pieces(const horizon_args &a, horizon_warp *w, ordo_u32 pieces)
{
    const op_cell bound = ordo_dev_load(&a.best[HORIZON_OF_CELLS]);
    for (ordo_u64 i = horizon_number(); i < pieces; i += horizon_warps()) {
        const ordo_u64 piece = ordo_dev_load(&a.piece[i]);
        const ordo_vid v = (ordo_vid)(piece >> 32);
        const ordo_eid row = __ldg(a.in.row + v), end = __ldg(a.in.row + v + 1);
        const ordo_eid from = row + HORIZON_OWN + (piece & 0xffffffffu) * HORIZON_IN_PIECE;
        const ordo_eid to = end - from < HORIZON_IN_PIECE ? end : from + HORIZON_IN_PIECE;
        const op_cell value = __shfl_sync(~0u, ordo_dev_load(&a.cells[v]), 0); /* others may improve it now */
        horizon_pulled p = {value, {}, false, false};
        horizon_look_together(a, w, from, to, bound, &p);
        if (threadIdx.x % 32 == 0 && op_better(p.best, value))
            w->useful += op_dev_offer(a.cells, v, p.best, false, false);
        horizon_list_again(a, threadIdx.x % 32 == 0 && horizon_again(a, w, p), v);
    }
}

/* By the whole grid: listed vertices pull again. */
ORDO_DEV void horizon_pull_listed(const horizon_args &a, horizon_warp *w, ordo_u32 count)
{
    const ordo_u32 lane = threadIdx.x % 32, grain = horizon_grain(count);
    const ordo_u64 stride = (ordo_u64)horizon_warps() * grain;
    for (ordo_u64 at = (ordo_u64)horizon_number() * grain; at < count; at += stride) {
        const bool has = lane < grain && at + lane < count;
        const ordo_vid v = ordo_dev_load(&a.list[0][has ? at + lane : at]);
        bool again;
        if (horizon_pull(a, w, has, v, has ? ordo_dev_load(&a.cells[v]) : op_worst(), w->horizon, true, &again))
            w->changed = true;
    }
}

/* ---- supersteps ---- */

/* By one thread: a value that is worse by *width, which grows until that is another value; at the end the worst one. */
ORDO_DEV op_cell horizon_worse(op_cell from, double *width)
{
    constexpr bool least = (int)op_order == ORDO_MIN;
    const double worst = (double)op_worst();
    for (;; *width *= 2) {
        const double to = least ? (double)from + *width : (double)from - *width;
        if (!(least ? to < worst : to > worst))
            return op_worst();
        if (op_better(from, (op_cell)to))
            return (op_cell)to;
    }
}

/* The logarithm of the odds of an in-edge to be within T, if so many of `all` are. */
ORDO_DEV float horizon_odds(ordo_u64 within, ordo_u64 all)
{
    const float share = (float)within / (float)all;
    return logf(share / (1 - share));
}

/* By one thread, when T is to move: the step that it is to make, at most `width`. On a logistic curve these odds grow
 * in proportion to T. */
ORDO_DEV double horizon_step(const horizon_args &a, const horizon_state &s, double width)
{
    if (!a.predicts || !s.earlier || s.within <= s.earlier || s.within >= a.in.m)
        return width;
    const float share = (float)s.within / (float)a.in.m, odds = horizon_odds(s.within, a.in.m);
    const float to = share < HORIZON_UNDER_WAY ? HORIZON_HALFWAY : HORIZON_LANDING;
    if (share >= to)
        return width;
    const float last = fabsf((float)s.horizon - (float)s.before), rise = odds - horizon_odds(s.earlier, a.in.m);
    const double most = last * (logf(to / (1 - to)) - odds) / rise;
    const double step = most > a.width ? most : a.width; /* narrower ones save fewer edges than their supersteps cost */
    return step < width ? step : width;
}

/* By the first thread of a block, between two supersteps: what comes next. Nothing that it reads changes before the
 * next barrier, so all blocks decide alike. */
ORDO_DEV void horizon_decide(const horizon_args &a, horizon_state *s)
{
    horizon_counters *const now = &a.words->step[++s->step % 3];
    const ordo_u32 stop = ordo_dev_load(&now->stop), changed = ordo_dev_load(&now->changed);
    const ordo_u32 pieces = ordo_dev_load(&a.words->pieces), listed = ordo_dev_load(&a.words->listed);
    const op_cell beyond = ordo_dev_load(&a.best[HORIZON_BEYOND + s->moves % 3]);
    s->count = ordo_dev_load(&now->count);
    s->ranges = ordo_dev_load(&now->ranges);
    s->within += ordo_dev_load(&now->within);
    s->gained = 0;
    const ordo_u64 left = a.in.m > s->within ? a.in.m - s->within : 0;
    const bool pulls = s->phase >= HORIZON_PULLS;
    const bool ends = stop || (!pulls && !op_better(beyond, op_worst())) || (s->phase == HORIZON_ROUND && !changed) ||
                      (pulls && !listed && !(s->phase == HORIZON_PULLS && pieces));
    if (!stop && !pulls && (s->count || s->ranges)) {
        s->phase = HORIZON_PUSHES;
    } else if (ends) {
        s->phase = HORIZON_END;
    } else if (pulls) {
        s->count = s->phase == HORIZON_PULLS && pieces ? pieces : listed;
        s->phase = s->phase == HORIZON_PULLS && pieces ? HORIZON_PIECES : HORIZON_ROUND;
    } else if ((double)left < a.pull * (double)a.in.m) {
        s->phase = HORIZON_PULLS;
    } else {
        const ordo_u64 gained = s->within - s->earlier;
        if (gained < HORIZON_FEW || 1000 * gained < a.in.m)
            s->width *= s->moves % HORIZON_MOVES_EACH || a.grow > 2 ? a.grow : 2;
        else if (10 * gained > a.in.m && a.grow > 1 && s->width > a.width)
            s->width /= 2;
        s->width = horizon_step(a, *s, s->width);
        s->earlier = s->within;
        s->before = s->horizon;
        s->horizon = horizon_worse(beyond, &s->width);
        s->moves++;
        s->phase = HORIZON_MOVES;
    }
}

/* By a whole warp: a best value becomes that of the lanes, if that is better. */
ORDO_DEV void horizon_best(const horizon_args &a, ordo_u32 which, op_cell mine)
{
    for (int far = 16; far; far /= 2) {
        const op_cell other = __shfl_xor_sync(~0u, mine, far);
        mine = op_better(other, mine) ? other : mine;
    }
    if (threadIdx.x % 32 == 0)
        op_dev_offer(a.best, which, mine, false, false);
}

/* By the whole grid: the best of all cells, and of what the first edges of initial items propose. */
ORDO_DEV void horizon_find_best(const horizon_args &a)
{
    const ordo_u64 thread = (ordo_u64)blockIdx.x * HORIZON_DEV_THREADS + threadIdx.x;
    const ordo_u64 threads = (ordo_u64)gridDim.x * HORIZON_DEV_THREADS;
    op_cell best[2] = {op_worst(), op_worst()};
    for (ordo_u64 v = thread; v < a.num_items; v += HORIZON_AHEAD * threads) {
        op_cell value[HORIZON_AHEAD];
#pragma unroll
        for (int u = 0; u < HORIZON_AHEAD; u++)
            value[u] = v + u * threads < a.num_items ? ordo_dev_load(&a.cells[v + u * threads]) : op_worst();
#pragma unroll
        for (int u = 0; u < HORIZON_AHEAD; u++)
            best[0] = op_better(value[u], best[0]) ? value[u] : best[0];
    }
    for (ordo_u64 i = thread; i < a.run.initial_count; i += threads) {
        const ordo_vid v = ordo_dev_initial(&a.run, i);
        const ordo_eid first = __ldg(a.rows.row + v);
        if (first == __ldg(a.rows.row + v + 1) || !op_filter(&a.state, v))
            continue;
        const op_cell candidate =
            op_candidate(&a.state, ordo_dev_load(&a.cells[v]), op_dev_edge(&a.rows, first, v, false));
        best[1] = op_better(candidate, best[1]) ? candidate : best[1];
    }
    horizon_best(a, HORIZON_OF_CELLS, best[0]);
    horizon_best(a, HORIZON_OF_INITIAL, best[1]);
}

/* By the thread that reports, when a superstep begins: clears the counters of the step after next, which were last used
 * in the step before, and passes on what the host wants. */
ORDO_DEV void horizon_report(const horizon_args &a, const horizon_state &s)
{
    horizon_counters *const later = &a.words->step[(s.step + 2) % 3];
    const ordo_u64 in_flight = s.count + (s.ranges >> 40);
    later->count = later->changed = 0;
    later->ranges = later->within = 0;
    if (s.phase == HORIZON_MOVES) /* read before the move before this one */
        ordo_dev_store(&a.best[HORIZON_BEYOND + (s.moves + 1) % 3], op_worst());
    ordo_dev_sample(a.run.record, in_flight, s.step, s.width, 1, -1);
    /* where it looks into the mailbox its block begins later */
    if (s.step % HORIZON_LOOK == 0 && ordo_dev_mail(&a.run, s.step, in_flight))
        ordo_dev_store(&a.words->step[(s.step + 1) % 3].stop, 1u);
}

/* By the whole grid: a superstep. */
ORDO_DEV void horizon_superstep(const horizon_args &a, horizon_warp *w, const horizon_state &s)
{
    if (s.phase <= HORIZON_MOVES)
        horizon_push(a, w, s);
    else if (s.phase == HORIZON_PULLS)
        horizon_pull_all(a, w);
    else if (s.phase == HORIZON_PIECES)
        horizon_pull_pieces(a, w, s.count);
    else
        horizon_pull_listed(a, w, s.count);
    if (__any_sync(~0u, w->changed) && threadIdx.x % 32 == 0)
        ordo_dev_store(&a.words->step[(w->step + 1) % 3].changed, 1u);
    horizon_best(a, HORIZON_BEYOND + s.moves % 3, w->beyond);
}

template <bool Traced>
static __global__ void __launch_bounds__((HORIZON_DEV_THREADS), sizeof(op_cell) == 8 ? 2 : 3)
    horizon_kernel(const __grid_constant__ horizon_args a)
{
    __shared__ horizon_store store[HORIZON_DEV_WARPS];
    __shared__ horizon_state s;
    auto grid = cooperative_groups::this_grid();
    horizon_warp w = {};
    w.s = &store[threadIdx.x / 32];
    if constexpr (Traced)
        ordo_live_begin(a.run.traced, ORDO_BUSY);
    horizon_find_best(a);
    grid.sync();
    if (threadIdx.x == 0) {
        s = {};
        s.width = a.width;
        s.before = ordo_dev_load(&a.best[HORIZON_OF_INITIAL]);
        s.horizon = horizon_worse(s.before, &s.width);
    }
    __syncthreads();
    while (s.phase != HORIZON_END) {
        w.step = s.step;
        w.horizon = s.horizon;
        w.before = s.before;
        w.dry = w.changed = false;
        w.beyond = op_worst();
        w.within = 0;
        if (ordo_dev_reports())
            horizon_report(a, s);
        if constexpr (Traced)
            ordo_live_step(a.run.traced, s.step, s.count + (s.ranges >> 40), s.step, s.width, 0, gridDim.x);
        horizon_superstep(a, &w, s);
        const ordo_u64 gained = ordo_warp_sum(w.within);
        if (threadIdx.x % 32 == 0 && gained)
            ordo_dev_add_block(&s.gained, gained);
        __syncthreads();
        if (threadIdx.x == 0 && s.gained)
            ordo_dev_add(&a.words->step[(s.step + 1) % 3].within, s.gained);
        if constexpr (Traced)
            ordo_live_barrier<4>(a.run.traced, w, s.step, true);
        else
            grid.sync();
        if (threadIdx.x == 0)
            horizon_decide(a, &s);
        __syncthreads();
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        a.run.record->supersteps = s.step;
        a.run.record->delta_first = a.width;
        a.run.record->delta_last = s.width;
    }
    ordo_dev_publish(a.run.counters, {w.items, w.edges, w.useful, w.stale, 0});
}

/* ---- on the host ---- */

/* An edge's weight as a number; 1 where the operator reads none. */
template <typename Edge> static auto horizon_weight_of(const Edge &edge, int) -> decltype((double)edge.weight)
{
    return (double)edge.weight;
}
template <typename Edge> static double horizon_weight_of(const Edge &, long)
{
    return 1;
}
static double horizon_weight(op_dev_weight bits)
{
    return horizon_weight_of(op_make_edge(0, 0, 0, &bits), 0);
}

/* The first step of T: where larger cells are better, how far the quantile lies from the heaviest. At least one where
 * cells are whole numbers. */
static double horizon_width(const ordo_cuda_by_weight *by, double step)
{
    const ordo_u32 last = ORDO_CUDA_QUANTILES - 1, at = (ordo_u32)(step * last + 0.5);
    const double light = horizon_weight(by->weight[0]), heavy = horizon_weight(by->weight[at]);
    const double width = (int)op_order == ORDO_MAX ? light - heavy : heavy, least = ORDO_OP_REAL ? 0 : 1;
    return width > least ? width : ORDO_OP_REAL ? 1e-3 * (light < 0 ? -light : light) + 1e-30 : 1;
}

/* The quantile of the first step, if the caller chooses none. Where degrees are similar, at most four edges of a row
 * are as light: in random graphs a step then brings about e^4 times as many vertices within T. Much wider steps push
 * these in no order. */
static double horizon_first(const ordo_job *job)
{
    const bool few = job->mean_degree <= 32 || ordo_job_graph_kind(job) != ORDO_GRAPH_EVEN;
    return few ? 0.125 : 4 / job->mean_degree;
}

static ordo_status horizon_alloc(ordo_cuda *c, horizon_args *a)
{
    const ordo_u64 n = c->job->num_items;
    op_cell worst[HORIZON_BESTS];
    const ordo_u64 asked = (ordo_u64)c->job->tunable[HORIZON_RANGES], chosen = n / 8 < 4096 ? 4096 : n / 8;
    const ordo_u64 most = asked ? asked : chosen;
    for (op_cell &one : worst)
        one = op_worst();
    a->capacity = (ordo_u32)(most < HORIZON_MOST ? most : HORIZON_MOST);
    for (int i = 0; i < 2; i++)
        if (!(a->list[i] = (ordo_u32 *)ordo_cuda_alloc(c, n, sizeof(ordo_u32), false)) ||
            !(a->range[i] = (uint4 *)ordo_cuda_alloc(c, a->capacity, sizeof(uint4), false)) ||
            !(a->value[i] = (op_cell *)ordo_cuda_alloc(c, a->capacity, sizeof(op_cell), false)) ||
            !(a->before[i] = (ordo_u32 *)ordo_cuda_alloc(c, a->capacity, sizeof(ordo_u32), false)))
            return ORDO_ERR_MEMORY;
    if (!(a->stamp = (ordo_u32 *)ordo_cuda_alloc(c, n, sizeof(ordo_u32), true)) ||
        !(a->piece = (ordo_u64 *)ordo_cuda_alloc(c, 2 * (a->in.m / HORIZON_IN_PIECE) + 1, sizeof(ordo_u64), false)) ||
        !(a->words = (horizon_words *)ordo_cuda_alloc(c, 1, sizeof *a->words, true)) ||
        !(a->best = (op_cell *)ordo_cuda_copy(c, worst, HORIZON_BESTS, sizeof(op_cell))))
        return ORDO_ERR_MEMORY;
    return ORDO_OK;
}

/* A template, so that operators that do not promise what it needs have no kernel. Built: true. */
template <bool Built> static ordo_status horizon_launch(ordo_cuda *c, horizon_args *a)
{
    void *args[] = {a};
    const void *const kernel =
        c->run.traced.live ? (const void *)horizon_kernel<Built> : (const void *)horizon_kernel<!Built>;
    return ordo_cuda_launch(c, ordo_cuda_kernel(kernel), HORIZON_DEV_THREADS, (int)c->job->tunable[HORIZON_BLOCKS],
                            args);
}

/* Whether rows need an order. */
static bool horizon_has_weights(const ordo_job *job)
{
    return (int)op_weight_type != ORDO_NONE && job->out->weight_type != ORDO_NONE;
}

template <bool Built> static ordo_status horizon_run_job(ordo_job *job)
{
    static const int at[HORIZON_WEIGHTS - 2] = ORDO_CUDA_QUANTILES_OF_RECORDS;
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    ordo_cuda_by_weight by = {};
    horizon_args a = {};
    const bool weights = horizon_has_weights(job);
    const ordo_cuda_row_order order = !weights                    ? ORDO_CUDA_ANY_ORDER
                                      : (int)op_order == ORDO_MAX ? ORDO_CUDA_HEAVIEST_FIRST
                                                                  : ORDO_CUDA_LIGHTEST_FIRST;
    ordo_status status = ordo_cuda_begin(job, sizeof(op_cell), !weights, &c);
    if (!status)
        status = ordo_cuda_rows_by_weight(&c, order, &by);
    if (!status)
        status = op_cuda_arguments(&c, &a, &arrays);
    a.rows = by.out;
    a.in = by.in;
    a.record = by.record;
    a.num_items = (ordo_u32)job->num_items;
    for (ordo_u32 &weight : by.weight) /* of an edge of a graph that has none */
        weight = weights ? weight : (int)op_weight_type == ORDO_F32 ? 0x3f800000u : 1;
    for (int i = 0; i < HORIZON_WEIGHTS; i++)
        a.weight[i] = by.weight[i == 0 ? 0 : i == HORIZON_WEIGHTS - 1 ? ORDO_CUDA_QUANTILES - 1 : at[i - 1]];
    a.predicts = ordo_job_graph_kind(job) == ORDO_GRAPH_EVEN;
    a.width = horizon_width(&by, horizon_quantile(job->tunable, horizon_first(job)));
    a.grow = job->tunable[HORIZON_GROW];
    a.pull = job->tunable[HORIZON_PULL];
    if (!status)
        status = horizon_alloc(&c, &a);
    if (!status)
        status = horizon_launch<Built>(&c, &a);
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}

/* The instance of an operator that promises what it needs, and whose weights are words of 4 bytes; else there is none.
 */
enum { horizon_built = ((int)op_properties & ORDO_BY_WEIGHT) != 0 && !op_dev_wide };
typedef ordo_status horizon_run_fn(ordo_job *);
template <bool Built> static constexpr horizon_run_fn *horizon_run(void)
{
    if constexpr (Built)
        return horizon_run_job<Built>;
    else
        return NULL;
}

ORDO_CUDA_INSTANCE(horizon, horizon_run<horizon_built != 0>(),
                   1u << (horizon_built ? ORDO_SYNC_ATOMIC : ORDO_SYNC_DEFAULT /* of no sync */))
#else
ORDO_CUDA_INSTANCE(horizon, NULL, 1u << ORDO_SYNC_DEFAULT /* of no sync */)
#endif
