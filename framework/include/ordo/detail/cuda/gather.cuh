/* gather.cuh -- rounds of gather operators on a GPU: one cooperative launch, a grid barrier between rounds.
 *
 * A template, included by <ordo/scheduler/cuda.cuh>. Expects the names that <ordo/operator/gather.h> derives from the
 * operator.
 *
 * Problem. A round loads a share for every edge, at addresses without order: it is fast if as many loads as possible
 * are under way, whatever the lengths of rows are, and if few of them reach the second-level cache.
 *
 * Method. Rows of at most ORDO_CUDA_SHORT edges are many. Where degrees are about alike a warp takes a group of
 * consecutive rows: their edges are consecutive, too. It copies the edges' tails to shared memory, asynchronously, one
 * group ahead, and each row is added up by one lane or by a few, which take the tails from there. In meshes and road
 * networks neighbours of consecutive vertices are consecutive, so that the loads of a warp meet in few cache lines. On
 * graphs with hubs rows are listed by their number of edges (ordo_cuda_order), and a row is added up by one, four or
 * eight lanes; the shares of the hottest vertices are copied to shared memory in each round.
 * Where nearly all rows have at most four edges (ordo_cuda_fours), as in road networks, a thread loads the tails of a
 * row at once, without its begin; other rows are listed. A longer row is added up by a warp, and one of more than
 * ORDO_CUDA_PIECE edges by several, a piece of it each: the warp that arrives last adds up the pieces. So no warp has
 * much more than a piece at once, and warps wait for each other at the end of a round alone.
 *
 * Memory order. Double-buffered, no word is read and written in the same round; grid barriers order rounds. In place, a
 * share is loaded while it may be written, by a plain load that the first-level cache may answer: it holds nothing from
 * before the last barrier. Words are whole, so a load gets the value of the round before or of this one, as
 * ORDO_IN_PLACE allows; copies in shared memory are of the round before. Pieces of a row are stored, then counted
 * behind a fence; the warp that counts last reads them behind another.
 *
 * Termination. Blocks add their changes to a sum of the round; behind the barrier all threads read it. Sums and the
 * host's stop are triple-buffered by round: those of the round after next are cleared where no thread uses them.
 *
 * Over several GPUs a rank computes its own vertices, and all ranks wait for each other between rounds (ghosts.cuh).
 */
#include <ordo/detail/cuda/ghosts.cuh>

enum { GATHER_AT_ONCE = 4, GATHER_SUMS = 8 };
/* Words of shared memory for the tails of a group, of which those before an aligned address are not used, and how many
 * groups a warp takes from each stretch of consecutive ones. */
enum { GATHER_STAGE = 512, GATHER_WINDOW = GATHER_STAGE - 4, GATHER_TILE = 8 };
/* A block on graphs with hubs, and what it has of hot shares. */
#ifndef GATHER_HUB_THREADS
#define GATHER_HUB_THREADS 1024
#define GATHER_HUB_BLOCKS 2
#endif
#ifndef GATHER_HOT_BYTES
#define GATHER_HOT_BYTES (GATHER_HUB_BLOCKS == 1 ? 192 * 1024 : GATHER_HUB_BLOCKS == 2 ? 96 * 1024 : 64 * 1024)
#endif
enum { GATHER_HOT = GATHER_HOT_BYTES / (int)sizeof(op_share) };
/* How short rows are added up: by groups of consecutive ones, all from lists, or most of them as rows of four. */
enum { GATHER_GROUPS, GATHER_HUBS, GATHER_FOURS, GATHER_KINDS };
/* Rows of four that a thread has at once, and blocks of such threads on a multiprocessor. */
enum { GATHER_ROWS = 2, GATHER_ROWS_BLOCKS = 5 };
enum { GATHER_WARPS = ORDO_CUDA_THREADS / 32, GATHER_TOTALS = (int)op_totals > 0 ? (int)op_totals : 1 };

typedef struct op_gather_args {
    ordo_cuda_rows rows; /* in-rows */
    op_state state;
    op_cell *cells;
    op_share *share[2]; /* [n] round r reads share[r & 1] and writes the other; the same twice: in place */
    ordo_cuda_tails hot;
    ordo_cuda_order order;
    const uint4 *four;    /* [n] for GATHER_FOURS; else NULL */
    const ordo_u32 *tail; /* positions of the tails of in-edges, tail_stride words each */
    ordo_u32 tail_stride;
    ordo_u32 shift;     /* a group has 2^shift rows, at most 32 */
    ordo_u32 hot_count; /* shares in shared memory */
    ordo_u32 *begin;    /* begins of own rows, and the end of the last, for GATHER_GROUPS; else NULL */
    op_value *piece;    /* [pieces] */
    ordo_u32 *arrived;  /* [pieces] of each row's first piece: how many are added up */
    double *sums;       /* [3][GATHER_SUMS] change and totals */
    ordo_u32 *stop;     /* [3], each on a separate cache line */
    ordo_cuda_run run;
#if ORDO_OVER_RANKS
    op_ghosts ghosts;
#endif
} op_gather_args;

/* What a thread adds up in a round. */
typedef struct op_gather_mine {
    double change, total[GATHER_TOTALS];
} op_gather_mine;

/* A round as its blocks see it. */
typedef struct op_gather_step {
    const op_share *from;
    op_share *to;
    const double *total;
    const op_share *hot; /* [hot_count] in shared memory, of positions 0 .. hot_count - 1 */
    ordo_u32 hot_count;
} op_gather_step;

/* By one thread: a word that is read once, and should not displace shares in the first-level cache. */
ORDO_DEV ordo_u32 op_dev_once(const ordo_u32 *p)
{
#ifdef __CUDA_ARCH__
    ordo_u32 u;
    asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(u) : "l"(p));
    return u;
#else
    return *p;
#endif
}

/* By one thread: where v's share is. Hot vertices have theirs side by side. */
ORDO_DEV ordo_u32 op_dev_position(const op_gather_args &a, ordo_vid v)
{
    return a.hot.count ? __ldg(a.hot.position + v) : v;
}

/* By one thread: what edge e makes of a share. Heads and weights are loaded only where the operator reads them. */
ORDO_DEV op_value op_dev_value(const op_gather_args &a, op_share share, ordo_eid e, ordo_vid v)
{
    if constexpr ((int)op_weight_type == ORDO_I64 || (int)op_weight_type == ORDO_F64) {
        const ordo_u64 one = (int)op_weight_type == ORDO_F64 ? 0x3ff0000000000000u : 1;
        const ordo_u64 wide = a.rows.wide ? a.rows.wide[e] : one;
        return op_edge_value(&a.state, share, op_make_edge(e, a.rows.edge[e], v, &wide));
    }
    const ordo_u32 one = (int)op_weight_type == ORDO_F32 ? 0x3f800000u : 1;
    const ordo_u32 weight = a.rows.stride == 2 ? a.rows.edge[2 * e + 1] : one;
    return op_edge_value(&a.state, share, op_make_edge(e, a.rows.edge[e * a.rows.stride], v, &weight));
}

/* By all lanes of a warp: joins the values of groups of `lanes` lanes, a power of two. */
ORDO_DEV op_value op_dev_join_lanes(op_value x, ordo_u32 lanes)
{
    for (ordo_u32 step = lanes / 2; step; step /= 2)
        x = op_join(x, __shfl_xor_sync(0xffffffffu, x, step));
    return x;
}

/* By one thread: the cell of v, whose share is at `at`. */
ORDO_DEV op_cell op_dev_cell(const op_gather_args &a, const op_gather_step &step, ordo_vid v, ordo_u32 at)
{
    return op_shares ? a.cells[v] : *(const op_cell *)(const void *)(step.from + at);
}

/* By one thread: stores v's new cell. */
ORDO_DEV void op_dev_keep(const op_gather_args &a, const op_gather_step &step, ordo_vid v, ordo_u32 at, op_cell now)
{
    if (op_shares)
        a.cells[v] = now;
    op_dev_put_share(a, step.to, v, at, op_share_of(&a.state, v, now));
}

/* By one thread: counts v's change and its part of the totals. */
ORDO_DEV void op_dev_count(const op_gather_args &a, ordo_vid v, op_cell old, op_cell now, op_gather_mine *mine)
{
    mine->change = op_join_changes(mine->change, op_change(&a.state, v, old, now));
    if (op_totals)
        op_add_total(&a.state, v, now, mine->total);
}

/* By one thread: v, whose cell is `old`, has that value. Counts the change, and returns the new cell, which is not
 * stored yet. */
ORDO_DEV op_cell op_dev_apply(const op_gather_args &a, const op_gather_step &step, ordo_vid v, op_cell old,
                              op_value value, op_gather_mine *mine)
{
    const op_cell now = op_apply(&a.state, v, old, value, step.total);
    op_dev_count(a, v, old, now, mine);
    return now;
}

/* By one thread: v, whose share is at `at`, has that value. It is counted before it is stored: else what is loaded
 * for that is loaded again behind the store (docs/lab/0041-fewer-rounds-and-rows-of-four.md has figures). */
ORDO_DEV void op_dev_finish(const op_gather_args &a, const op_gather_step &step, ordo_vid v, ordo_u32 at,
                            op_value value, op_gather_mine *mine)
{
    const op_cell old = op_dev_cell(a, step, v, at);
    op_dev_keep(a, step, v, at, op_dev_apply(a, step, v, old, value, mine));
}

/* By one thread: joins the values of the edges e + at, e + at + step, ... below e + count of v. All loads of
 * GATHER_AT_ONCE edges are under way before the first is used. */
ORDO_DEV op_value op_dev_edges(const op_gather_args &a, const op_gather_step &s, ordo_vid v, ordo_eid e, ordo_u32 at,
                               ordo_u32 step, ordo_u32 count)
{
    const ordo_u32 bytes = a.tail_stride * (ordo_u32)sizeof *a.tail;
    const char *const tail = (const char *)a.tail + e * bytes;
    op_value sum = op_none();
    for (; at < count; at += GATHER_AT_ONCE * step) {
        ordo_u32 u[GATHER_AT_ONCE];
        op_share share[GATHER_AT_ONCE];
#pragma unroll
        for (int i = 0; i < GATHER_AT_ONCE; i++)
            u[i] = at + i * step < count ? op_dev_once((const ordo_u32 *)(tail + (ordo_u64)(at + i * step) * bytes))
                                         : ORDO_NO_VERTEX;
#pragma unroll
        for (int i = 0; i < GATHER_AT_ONCE; i++)
            share[i] = u[i] != ORDO_NO_VERTEX && u[i] >= s.hot_count ? s.from[u[i]] : op_share{};
#pragma unroll
        for (int i = 0; i < GATHER_AT_ONCE; i++)
            if (u[i] < s.hot_count)
                share[i] = s.hot[u[i]];
#pragma unroll
        for (int i = 0; i < GATHER_AT_ONCE; i++)
            if (u[i] != ORDO_NO_VERTEX)
                sum = op_join(sum, op_dev_value(a, share[i], e + at + i * step, v));
    }
    return sum;
}

/* By a whole warp: piece i of the long rows. The warp that finishes the last piece of a row joins them all. */
ORDO_DEV void op_dev_piece(const op_gather_args &a, const op_gather_step &step, ordo_u32 i, op_gather_mine *mine)
{
    const ordo_vid v = __ldg(&a.order.piece[i].x);
    const ordo_u32 number = __ldg(&a.order.piece[i].y), first = i - number, lane = threadIdx.x % 32;
    const ordo_eid begin = __ldg(a.rows.row + v), degree = __ldg(a.rows.row + v + 1) - begin;
    const ordo_eid from = (ordo_eid)number * ORDO_CUDA_PIECE, left = degree - from;
    const ordo_u32 count = (ordo_u32)(left < ORDO_CUDA_PIECE ? left : (ordo_eid)ORDO_CUDA_PIECE);
    const ordo_u32 pieces = (ordo_u32)((degree + ORDO_CUDA_PIECE - 1) / ORDO_CUDA_PIECE);
    op_value all = op_dev_join_lanes(op_dev_edges(a, step, v, begin + from, lane, 32, count), 32);
    ordo_u32 done = 0;
    if (lane == 0) {
        ordo_dev_store(&a.piece[i], all);
        __threadfence();
        done = ordo_dev_add(&a.arrived[first], 1u) + 1;
        __threadfence();
    }
    if (__shfl_sync(0xffffffffu, done, 0) < pieces)
        return;
    all = op_none();
    for (ordo_u32 k = lane; k < pieces; k += 32)
        all = op_join(all, ordo_dev_load(&a.piece[first + k]));
    all = op_dev_join_lanes(all, 32);
    if (lane == 0) {
        ordo_dev_store(&a.arrived[first], 0u);
        op_dev_finish(a, step, v, op_dev_position(a, v), all, mine);
    }
}

/* The warp's number in the grid: consecutive ones are on different blocks, so that a few tasks are for all
 * multiprocessors. */
ORDO_DEV ordo_u32 op_dev_warp(void)
{
    return blockIdx.x + gridDim.x * (threadIdx.x / 32);
}

/* By the whole grid: the listed rows of a class, some lanes a row. */
template <int Lanes>
ORDO_DEV void op_dev_listed(const op_gather_args &a, const op_gather_step &step, int c, op_gather_mine *mine)
{
    const ordo_u32 first = c ? a.order.end[c - 1] : 0, end = a.order.end[c], rows = 32 / Lanes;
    const ordo_u32 warp = op_dev_warp(), warps = gridDim.x * (blockDim.x / 32);
    const ordo_u32 lane = threadIdx.x % Lanes, row = threadIdx.x % 32 / Lanes;
    for (ordo_u64 at = first + (ordo_u64)warp * rows; at < end; at += (ordo_u64)warps * rows) {
        const bool has = at + row < end;
        const uint4 entry = has ? __ldg(a.order.row + at + row) : make_uint4(0, 0, 0, 0);
        const ordo_u32 count = entry.w & ((1u << ORDO_CUDA_COUNT_BITS) - 1);
        const ordo_eid e = (ordo_eid)(entry.w >> ORDO_CUDA_COUNT_BITS) << 32 | entry.z;
        op_value sum = op_dev_edges(a, step, entry.x, e, lane, Lanes, count);
        __syncwarp();
        sum = op_dev_join_lanes(sum, Lanes);
        if (has && lane == 0)
            op_dev_finish(a, step, entry.x, entry.y, sum, mine);
    }
}

/* The groups of a warp: stretches of consecutive groups, which a block's warps take in turn. */
typedef struct op_gather_walk {
    ordo_u32 group, left; /* the next one; how many of this stretch are left to the warp */
    ordo_u32 tile, jump;  /* all of a stretch; from the last one to the first of the next stretch */
} op_gather_walk;

ORDO_DEV op_gather_walk op_dev_walk(ordo_u32 groups)
{
    const ordo_u32 one = gridDim.x * GATHER_WARPS, tiles = groups / (one * GATHER_TILE) + 1;
    op_gather_walk w;
    w.left = w.tile = groups / (one * tiles) + 1;
    w.group = blockIdx.x * GATHER_WARPS * w.tile + threadIdx.x / 32;
    w.jump = one * w.tile - (w.tile - 1) * GATHER_WARPS;
    return w;
}

ORDO_DEV void op_dev_walk_on(op_gather_walk *w)
{
    const bool stays = w->left > 1;
    w->group += stays ? (ordo_u32)GATHER_WARPS : w->jump;
    w->left = stays ? w->left - 1 : w->tile;
}

/* A row of a group: edges begin .. end - 1. */
typedef struct op_gather_row {
    ordo_u32 begin, end;
} op_gather_row;

/* By one thread: the vertex of its lane in a group. */
ORDO_DEV ordo_u32 op_dev_vertex(const op_gather_args &a, ordo_u32 group)
{
    return op_dev_own(a).first + (group << a.shift) + (threadIdx.x % 32 >> (5 - a.shift));
}

/* By one thread: the row of its lane in a group; of a group that there is not no edges. */
ORDO_DEV op_gather_row op_dev_row(const op_gather_args &a, ordo_u32 group, ordo_u32 groups)
{
    const ordo_u32 end = op_dev_own(a).end, v = op_dev_vertex(a, group < groups ? group : groups);
    return op_gather_row{a.begin[v < end ? v : end], a.begin[v < end ? v + 1 : end]};
}

/* By all lanes of a warp: the first edge of a group, and *count, the number of its edges. */
ORDO_DEV ordo_u32 op_dev_first(op_gather_row row, ordo_u32 *count)
{
    const ordo_u32 first = __shfl_sync(0xffffffffu, row.begin, 0);
    *count = __shfl_sync(0xffffffffu, row.end, 31) - first;
    return first;
}

/* By one thread: where in stage[] the tail of a group's first edge is: copies are of 16 bytes, aligned. */
ORDO_DEV ordo_u32 op_dev_lead(const op_gather_args &a, ordo_u32 first)
{
#if ORDO_OVER_RANKS
    return a.tail_stride == 1 ? (ordo_u32)((size_t)(a.tail + first) / sizeof *a.tail % 4)
                              : 0; /* of a part of the rows */
#else
    return a.tail_stride == 1 ? first % 4 : 0;
#endif
}

/* By all lanes of a warp: begins to copy the tails of a group to stage[], if they fit. */
ORDO_DEV void op_dev_stage(const op_gather_args &a, op_gather_row row, ordo_u32 *stage)
{
    ordo_u32 count;
    const ordo_u32 first = op_dev_first(row, &count), lead = op_dev_lead(a, first), lane = threadIdx.x % 32;
    if (count <= GATHER_WINDOW && a.tail_stride == 1) {
        const ordo_u32 *const tail = a.tail + (first - lead);
        const ordo_u32 words = count ? lead + count : 0;
        for (ordo_u32 i = 4 * lane; i < words; i += 128) /* what is behind the last edge is padding of the list */
            __pipeline_memcpy_async(stage + i, tail + i, 16);
    } else if (count <= GATHER_WINDOW) {
        const ordo_u32 *const tail = a.tail + (ordo_u64)first * a.tail_stride;
        for (ordo_u32 i = lane; i < count; i += 32)
            __pipeline_memcpy_async(stage + i, tail + (ordo_u64)i * a.tail_stride, 4);
    }
    __pipeline_commit();
}

/* By one thread: joins the values of every `lanes`-th edge of a row of `count` edges from the lane's on. stage[0]: the
 * tail of the row's first edge. */
ORDO_DEV op_value op_dev_staged(const op_gather_args &a, const op_gather_step &s, ordo_vid v, ordo_u32 begin,
                                ordo_u32 count, const ordo_u32 *stage, ordo_u32 lanes)
{
    op_value sum = op_none();
    for (ordo_u32 at = threadIdx.x & (lanes - 1); at < count; at += GATHER_AT_ONCE * lanes) {
        op_share share[GATHER_AT_ONCE];
#pragma unroll
        for (int i = 0; i < GATHER_AT_ONCE; i++)
            if (at + i * lanes < count)
                share[i] = s.from[stage[at + i * lanes]];
#pragma unroll
        for (int i = 0; i < GATHER_AT_ONCE; i++)
            if (at + i * lanes < count)
                sum = op_join(sum, op_dev_value(a, share[i], (ordo_eid)begin + at + i * lanes, v));
    }
    return sum;
}

/* By a whole warp: the rows of a group, whose tails are in stage[] if they fit. */
ORDO_DEV void op_dev_group(const op_gather_args &a, const op_gather_step &step, ordo_u32 group, op_gather_row row,
                           const ordo_u32 *stage, op_gather_mine *mine)
{
    const ordo_u32 lanes = 32u >> a.shift, lane = threadIdx.x & (lanes - 1);
    const ordo_u32 v = op_dev_vertex(a, group), count = row.end - row.begin;
    const bool has = v < op_dev_own(a).end && count <= ORDO_CUDA_SHORT;
    ordo_u32 all;
    const ordo_u32 first = op_dev_first(row, &all);
    op_value sum = op_none();
    if (has && all <= GATHER_WINDOW)
        sum = op_dev_staged(a, step, v, row.begin, count, stage + op_dev_lead(a, first) + (row.begin - first), lanes);
    else if (has)
        sum = op_dev_edges(a, step, v, row.begin, lane, lanes, count);
    __syncwarp();
    sum = op_dev_join_lanes(sum, lanes);
    if (has && lane == 0)
        op_dev_finish(a, step, v, v, sum, mine);
}

/* By the whole grid: all rows that are not listed. A warp has three groups at once: the rows of one are loaded, the
 * tails of the next are copied, and the one before is added up. */
ORDO_DEV void op_dev_groups(const op_gather_args &a, const op_gather_step &step, ordo_u32 (*stage)[GATHER_STAGE],
                            op_gather_mine *mine)
{
    const op_own own = op_dev_own(a);
    const ordo_u32 groups = (ordo_u32)(((ordo_u64)(own.end - own.first) + (1u << a.shift) - 1) >> a.shift);
    op_gather_walk walk = op_dev_walk(groups);
    ordo_u32 now = walk.group, side = 0;
    op_gather_row row = op_dev_row(a, now, groups);
    op_dev_stage(a, row, stage[side]);
    op_dev_walk_on(&walk);
    op_gather_row next = op_dev_row(a, walk.group, groups);
    while (now < groups) {
        const ordo_u32 then = walk.group;
        const op_gather_row then_row = next;
        op_dev_stage(a, then_row, stage[side ^ 1]);
        op_dev_walk_on(&walk);
        next = op_dev_row(a, walk.group, groups);
        __pipeline_wait_prior(1);
        __syncwarp();
        op_dev_group(a, step, now, row, stage[side], mine);
        __syncwarp();
        now = then, row = then_row, side ^= 1;
    }
    __pipeline_wait_prior(0);
}

/* By one thread: a row of four that is read once. */
ORDO_DEV uint4 op_dev_four(const uint4 *p)
{
#ifdef __CUDA_ARCH__
    uint4 u;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(u.x), "=r"(u.y), "=r"(u.z), "=r"(u.w)
                 : "l"(p));
    return u;
#else
    return *p;
#endif
}

/* By the whole grid: rows of four. A thread has GATHER_ROWS at once: all their loads are under way together, and stores
 * come last, for a load does not pass a store that may be to the same address. */
ORDO_DEV void op_dev_fours(const op_gather_args &a, const op_gather_step &s, op_gather_mine *mine)
{
    const op_own own = op_dev_own(a);
    const ordo_u32 n = own.end, tile = blockDim.x * GATHER_ROWS;
    for (ordo_u64 first = own.first + (ordo_u64)blockIdx.x * tile + threadIdx.x; first < n;
         first += (ordo_u64)gridDim.x * tile) {
        uint4 row[GATHER_ROWS];
        op_share share[GATHER_ROWS][4];
        op_cell old[GATHER_ROWS], now[GATHER_ROWS];
#pragma unroll
        for (int i = 0; i < GATHER_ROWS; i++) {
            const ordo_u64 v = first + i * blockDim.x;
            row[i] = v < n ? op_dev_four(a.four + v) : make_uint4(ORDO_RECORD_LONG, ORDO_RECORD_LONG, 0, 0);
            old[i] = v < n ? op_dev_cell(a, s, (ordo_vid)v, (ordo_vid)v) : op_cell{};
        }
#pragma unroll
        for (int i = 0; i < GATHER_ROWS; i++) {
            const ordo_u32 u[4] = {row[i].x, row[i].y, row[i].z, row[i].w};
#pragma unroll
            for (int k = 0; k < 4; k++)
                share[i][k] = u[k] < ORDO_RECORD_LONG ? s.from[u[k]] : op_share{};
        }
#pragma unroll
        for (int i = 0; i < GATHER_ROWS; i++) {
            const ordo_u32 u[4] = {row[i].x, row[i].y, row[i].z, row[i].w};
            op_value sum = op_none();
#pragma unroll
            for (int k = 0; k < 4; k++)
                if (u[k] < ORDO_RECORD_LONG)
                    sum = op_join(sum, (op_value)share[i][k]);
            if (row[i].x != ORDO_RECORD_LONG)
                now[i] = op_dev_apply(a, s, (ordo_vid)first + i * blockDim.x, old[i], sum, mine);
        }
#pragma unroll
        for (int i = 0; i < GATHER_ROWS; i++)
            if (row[i].x != ORDO_RECORD_LONG)
                op_dev_keep(a, s, (ordo_vid)first + i * blockDim.x, (ordo_vid)first + i * blockDim.x, now[i]);
    }
}

/* By the whole grid: a round's rows, longest first. `stage`: of the warp; used by GATHER_GROUPS alone. */
template <int Kind>
ORDO_DEV void op_dev_round(const op_gather_args &a, const op_gather_step &step, ordo_u32 (*stage)[GATHER_STAGE],
                           op_gather_mine *mine)
{
    for (ordo_u32 i = op_dev_warp(); i < a.order.pieces; i += gridDim.x * (blockDim.x / 32))
        op_dev_piece(a, step, i, mine);
    op_dev_listed<32>(a, step, 0, mine);
    if constexpr (Kind == GATHER_GROUPS) {
        op_dev_groups(a, step, stage, mine);
    } else {
        op_dev_listed<8>(a, step, 1, mine);
        op_dev_listed<4>(a, step, 2, mine);
        op_dev_listed<1>(a, step, 3, mine);
    }
    if constexpr (Kind == GATHER_FOURS)
        op_dev_fours(a, step, mine);
}

/* By the whole grid, before the first round: begins of rows, first shares, first totals. */
ORDO_DEV void op_dev_begin(const op_gather_args &a, ordo_u64 me, ordo_u64 threads, op_gather_mine *mine)
{
    const ordo_u64 n = a.rows.n;
    const op_own own = op_dev_own(a);
    for (ordo_u64 v = me; v <= n; v += threads) {
        if (a.begin && v >= own.first && v <= own.end)
            a.begin[v] = (ordo_u32)__ldg(a.rows.row + v);
        if (v < n && a.share[1] != (op_share *)a.cells)
            a.share[1][op_dev_position(a, (ordo_vid)v)] = op_share_of(&a.state, (ordo_item)v, a.cells[v]);
        if (v >= own.first && v < own.end && op_totals)
            op_add_total(&a.state, (ordo_item)v, a.cells[v], mine->total);
    }
}

/* By one thread: adds to a sum of changes, which are not negative. */
ORDO_DEV void op_dev_add_change(double *to, double change)
{
    if (op_join_changes(1, 1) > 1)
        atomicAdd(to, change);
    else /* the greatest: the bits of numbers that are not negative are ordered as they are */
        atomicMax((unsigned long long *)to, (unsigned long long)__double_as_longlong(change));
}

/* By a whole block: the sum of the threads' x, or with `join` their changes joined; valid in thread 0. */
ORDO_DEV double op_dev_block_sum(double x, bool join, double *warp)
{
#pragma unroll
    for (int step = 16; step; step /= 2) {
        const double y = __shfl_xor_sync(0xffffffffu, x, step);
        x = join ? op_join_changes(x, y) : x + y;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warp[threadIdx.x / 32] = x;
    __syncthreads();
    for (ordo_u32 w = 1; threadIdx.x == 0 && w < blockDim.x / 32; w++)
        x = join ? op_join_changes(x, warp[w]) : x + warp[w];
    return x;
}

/* By a whole block: adds what its threads have to the sums of a round. */
ORDO_DEV void op_dev_add_sums(double *sums, const op_gather_mine &mine, double *warp)
{
    const double change = op_dev_block_sum(mine.change, true, warp);
    if (threadIdx.x == 0)
        op_dev_add_change(sums, change);
#pragma unroll
    for (int i = 0; i < (int)op_totals; i++) {
        const double total = op_dev_block_sum(mine.total[i], false, warp);
        if (threadIdx.x == 0)
            atomicAdd(sums + 1 + i, total);
    }
}

/* By one thread of the grid, at the begin of a round. */
ORDO_DEV void op_dev_open_round(const op_gather_args &a, const ordo_cuda_traced &traced, ordo_u64 round,
                                ordo_cuda_counters *mine)
{
    const op_own own = op_dev_own(a);
    const ordo_u32 n = own.end - own.first;
    ordo_dev_sample(a.run.record, n, round, 0, 1, -1);
    ordo_live_report(traced, round, n, round, 0, 1);
    for (int i = 0; i < GATHER_SUMS; i++)
        ordo_dev_store(a.sums + (round + 1) % 3 * GATHER_SUMS + i, 0.0);
    ordo_dev_store(a.stop + (round + 1) % 3 * ORDO_CUDA_LINE, (ordo_u32)ordo_dev_mail(&a.run, round, n));
    mine->items += n;
    mine->edges += own.edges;
}

/* Threads of a block, and blocks on a multiprocessor: as many as leave a thread the registers that it needs. */
constexpr __host__ __device__ int op_gather_threads(int kind)
{
    return kind == GATHER_HUBS ? (int)GATHER_HUB_THREADS : (int)ORDO_CUDA_THREADS;
}

constexpr __host__ __device__ int op_gather_resident(int kind)
{
    return ordo_live_resident(kind == GATHER_HUBS    ? GATHER_HUB_BLOCKS * GATHER_HUB_THREADS / ORDO_CUDA_THREADS
                              : kind == GATHER_FOURS ? GATHER_ROWS_BLOCKS
                                                     : 4) *
           ORDO_CUDA_THREADS / op_gather_threads(kind);
}

/* The same, for __launch_bounds__. */
static constexpr int op_gather_most[GATHER_KINDS] = {op_gather_threads(0), op_gather_threads(1), op_gather_threads(2)};
static constexpr int op_gather_least[GATHER_KINDS] = {op_gather_resident(0), op_gather_resident(1),
                                                      op_gather_resident(2)};

/* By a whole block: copies the hot shares to shared memory. */
ORDO_DEV void op_dev_copy_hot(const op_share *from, ordo_u32 count, op_share *hot)
{
    const ordo_u32 each = 16 / sizeof(op_share), wide = count / each;
    __syncthreads();
    for (ordo_u32 i = threadIdx.x; i < wide; i += blockDim.x)
        ((uint4 *)hot)[i] = ((const uint4 *)from)[i];
    for (ordo_u32 i = wide * each + threadIdx.x; i < count; i += blockDim.x)
        hot[i] = from[i];
    __syncthreads();
}

/* Dynamic shared memory; a test defines it otherwise. */
#ifndef ORDO_CUDA_DYNAMIC
#define ORDO_CUDA_DYNAMIC(_type, _name) extern __shared__ _type _name[]
#endif

/* What profilers show carries the operator's name. */
#define op_gather_kernel ORDO_OP_NAME(op_gather_kernel)

/* GATHER_HUBS: all rows are listed. Once: one round, whatever ORDO_GATHER_ROUNDS says. */
template <bool Once, bool Traced, int Kind>
static __global__ void __launch_bounds__((op_gather_most[Kind]), op_gather_least[Kind])
    op_gather_kernel(const __grid_constant__ op_gather_args a)
{
    constexpr bool Hubs = Kind == GATHER_HUBS, Groups = Kind == GATHER_GROUPS;
    ORDO_CUDA_DYNAMIC(uint4, dynamic);
    __shared__ uint4 stage[Groups ? GATHER_WARPS : 1][2][GATHER_STAGE / (Groups ? 4 : GATHER_STAGE)];
    __shared__ double sums[32];
    auto grid = cooperative_groups::this_grid();
    const ordo_u64 threads = (ordo_u64)gridDim.x * blockDim.x, me = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x;
    const ordo_cuda_traced traced = Traced ? a.run.traced : ordo_cuda_traced{};
    const double tolerance = op_tolerance(&a.state);
    const ordo_u64 most = Once ? 1 : op_most_rounds(&a.state);
    ordo_cuda_counters count = {};
    op_gather_mine mine = {};
    ordo_live_begin(traced, ORDO_BUSY);
    op_dev_met met = op_dev_begin_ranks(a);
    op_dev_begin(a, me, threads, &mine);
    if (op_totals)
        op_dev_add_sums(a.sums, mine, sums);
    op_dev_end_round<op_totals>(a, grid, &met, a.sums, a.stop + ORDO_CUDA_LINE);
    ordo_u64 round = 1;
    for (;; round++) {
        const op_gather_step step = {a.share[round & 1], a.share[(round + 1) & 1],
                                     a.sums + (round + 2) % 3 * GATHER_SUMS + 1, (const op_share *)dynamic,
                                     Hubs ? a.hot_count : 0};
        double *const to = a.sums + round % 3 * GATHER_SUMS;
        mine = op_gather_mine{};
        if (me == 0)
            op_dev_open_round(a, traced, round, &count);
        ordo_live_state(traced, ORDO_BUSY);
        if constexpr (Hubs)
            op_dev_copy_hot(step.from, step.hot_count, (op_share *)dynamic);
        op_dev_round<Kind>(a, step, (ordo_u32(*)[GATHER_STAGE])stage[Groups ? threadIdx.x / 32 : 0], &mine);
        op_dev_add_sums(to, mine, sums);
        if constexpr (Traced)
            ordo_live_barrier<3>(traced, count);
        else
            op_dev_end_round<op_totals>(a, grid, &met, to, a.stop + (round + 1) % 3 * ORDO_CUDA_LINE);
        if (!(ordo_dev_load(to) > tolerance) || round >= most ||
            ordo_dev_load(a.stop + (round + 1) % 3 * ORDO_CUDA_LINE))
            break;
    }
    op_dev_end_ranks(a, met, round);
    if (me == 0)
        a.run.record->change = ordo_dev_load(a.sums + round % 3 * GATHER_SUMS);
    const op_share *const final = a.share[(round + 1) & 1]; /* what the last round wrote */
    if (!op_shares && final != (op_share *)a.cells)
        for (ordo_u64 v = op_dev_own(a).first + me; v < op_dev_own(a).end; v += threads)
            a.cells[v] = *(const op_cell *)(const void *)(final + op_dev_position(a, (ordo_vid)v));
    ordo_dev_publish(a.run.counters, count);
}

/* On the host: rows of a group such that a group's tails fit its part of shared memory, of most groups. */
static ordo_u32 op_gather_shift(const ordo_cuda_rows *rows)
{
    ordo_u32 shift = 5;
    while (shift > 0 && (rows->m << shift) / (rows->n ? rows->n : 1) > GATHER_WINDOW / 8 * 7)
        shift--;
    return shift;
}

/* On the host: *out becomes how many of the hottest vertices may have positions of their own: `most`, or none where the
 * host carries shares, which are those of a range of vertices. */
static ordo_status op_most_hot(const ordo_cuda *c, ordo_u32 most, ordo_u32 *out)
{
    bool all = true;
    ordo_status status = ORDO_OK;
    if (ORDO_OVER_RANKS)
        status = ordo_cuda_ranks_see(c->job->remote, &all);
    *out = all ? most : 0;
    return status;
}

/* On the host, after ordo_cuda_begin: allocates what a run needs, and sets the arguments. */
static ordo_status op_gather_arguments(ordo_cuda *c, bool in_place, op_gather_args *a)
{
    const ordo_u64 n = c->in.n;
    ordo_u32 most_hot;
    ordo_cuda_arrays arrays = {};
    a->rows = c->in;
    a->cells = (op_cell *)c->cells;
    a->run = c->run;
    a->shift = op_gather_shift(&a->rows);
    a->state = *(const op_state *)c->job->state;
    arrays.count = op_arrays(&a->state, n, n, c->in.m, arrays.array);
    ordo_status status = ordo_cuda_arrays_in(c, &arrays);
    if (!status)
        status = op_most_hot(c, GATHER_HOT, &most_hot);
    if (!status)
        status = ordo_cuda_order_rows(c, most_hot, &a->order, &a->hot);
    if (!status && !op_edges && !a->order.all)
        status = ordo_cuda_fours(c, &a->four);
    if (!status)
        status = op_shares_make(c, in_place, a->hot.position, a);
    if (status)
        return status;
    a->tail = a->hot.count ? a->hot.edge : a->rows.edge;
    a->tail_stride = a->hot.count ? 1 : a->rows.stride;
    a->piece = (op_value *)ordo_cuda_alloc(c, a->order.pieces, sizeof(op_value), false);
    a->arrived = (ordo_u32 *)ordo_cuda_alloc(c, a->order.pieces, sizeof(ordo_u32), true);
    a->sums = (double *)ordo_cuda_alloc(c, 3 * GATHER_SUMS, sizeof(double), true);
    a->stop = (ordo_u32 *)ordo_cuda_alloc(c, 3 * ORDO_CUDA_LINE, sizeof(ordo_u32), true);
    bool enough = a->piece && a->arrived && a->sums && a->stop;
    const op_own own = op_own_of(c);
    if (!a->order.all && !a->four) { /* at the address that the rows of all would have, as other rows are */
        ordo_u32 *const begin =
            (ordo_u32 *)ordo_cuda_alloc(c, (ordo_u64)(own.end - own.first) + 1, sizeof *begin, false);
        a->begin = begin - own.first;
        enough = begin && enough;
    }
    return enough ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* On the host: the hot shares in shared memory, as many as leave room for as many blocks as registers do. */
static ordo_status op_gather_share(ordo_cuda *c, const void *kernel, op_gather_args *a)
{
    enum { RESERVED = 2048 }; /* a block's static shared memory, and what the device takes */
    int units = 0, resident = 0;
    size_t unit = 0, most = 0;
    ordo_status status = ordo_cuda_size(&units, &unit, &most);
    const size_t each = unit / op_gather_resident(GATHER_HUBS), fits = each < most ? each : most;
    const size_t room = fits > RESERVED ? (fits - RESERVED) / sizeof(op_share) : 0;
    a->hot_count = a->hot.count < room ? a->hot.count : (ordo_u32)room;
    return status
               ? status
               : ordo_cuda_share(c, kernel, op_gather_threads(GATHER_HUBS), a->hot_count * sizeof(op_share), &resident);
}

/* On the host. Runs over ranks are not traced; operators that read edges have no rows of four. */
template <bool Once, int Kind> static const void *op_gather_kernel_for(bool traced)
{
    if constexpr (!ORDO_OVER_RANKS)
        if (traced)
            return (const void *)op_gather_kernel<Once, true, Kind>;
    return (const void *)op_gather_kernel<Once, false, Kind>;
}

template <bool Once> static const void *op_gather_kernel_of(int kind, bool traced)
{
    if (kind == GATHER_HUBS)
        return op_gather_kernel_for<Once, GATHER_HUBS>(traced);
    if (kind == GATHER_GROUPS)
        return op_gather_kernel_for<Once, GATHER_GROUPS>(traced);
    if constexpr (!op_edges)
        return op_gather_kernel_for<Once, GATHER_FOURS>(traced);
    return NULL;
}

/* Rounds in place or double-buffered, with so many blocks on a multiprocessor, 0: as many as fit. */
template <bool Once> static ordo_status op_gather_rounds(ordo_job *job, bool in_place, int blocks)
{
    ordo_cuda c;
    op_gather_args a = {};
    ordo_status status = ordo_cuda_begin(job, sizeof(op_cell), true, &c);
    if (!status)
        status = op_gather_arguments(&c, in_place, &a);
    const int kind = a.order.all ? GATHER_HUBS : a.four ? GATHER_FOURS : GATHER_GROUPS;
    const void *const kernel =
        status ? NULL : ordo_cuda_kernel(op_gather_kernel_of<Once>(kind, a.run.traced.live != NULL));
    if (!status && kind == GATHER_HUBS)
        status = op_gather_share(&c, kernel, &a);
    if (!status) {
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, kernel, op_gather_threads(kind), blocks, args);
    }
    return ordo_cuda_end(&c, status);
}

/* A run: what a scheduler's cuda_gather.cuh passes as ordo_instance.run does. */
static ordo_status op_gather_job(ordo_job *job, bool in_place, int blocks)
{
    return op_gather_rounds<false>(job, in_place, blocks);
}
