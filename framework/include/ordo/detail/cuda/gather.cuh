/* gather.cuh -- rounds of gather operators on a GPU: one cooperative launch, a grid barrier between rounds.
 *
 * A template, included by <ordo/scheduler/cuda.cuh>. Expects the names that <ordo/operator/gather.h> derives from the
 * operator.
 *
 * Problem. A round loads a share for every edge, at addresses without order: it is fast if as many loads as possible
 * are under way, whatever the lengths of rows are.
 *
 * Method. Edges are cut into chunks of GATHER_EDGES; a row belongs to the chunk in which it begins. A block loads the
 * shares of a chunk's edges to shared memory, all threads side by side, without regard to rows; then threads add up
 * rows from there, one or several threads a row. A row that is longer than a chunk is cut by the chunks: each block
 * adds up its piece, and the block that arrives last adds up the pieces. So no block has much more than a chunk at
 * once.
 *
 * Memory order. Double-buffered, no word is read and written in the same round; grid barriers order rounds. In place, a
 * share is loaded while it may be written, by a plain load that the first-level cache may answer: it holds nothing from
 * before the last barrier. Words are whole, so a load gets the value of the round before or of this one, as
 * ORDO_IN_PLACE allows. Pieces of a row are stored, then counted behind a fence; the block that counts last reads them
 * behind another.
 *
 * Termination. Blocks add their changes to a sum of the round; behind the barrier all threads read it. Sums and the
 * host's stop are triple-buffered by round: those of the round after next are cleared where no thread uses them.
 */

enum { GATHER_EDGES = 2048, GATHER_STAGE = GATHER_EDGES + GATHER_EDGES / 4, GATHER_AT_ONCE = 8, GATHER_SUMS = 8 };
/* Hot vertices, whose shares the first-level cache can hold: 96 KB of f32. */
enum { GATHER_HOT = 24 * 1024 };
enum { GATHER_WARPS = ORDO_CUDA_THREADS / 32, GATHER_TOTALS = (int)op_totals > 0 ? (int)op_totals : 1 };

typedef struct op_gather_args {
    ordo_cuda_rows rows; /* in-rows */
    op_state state;
    op_cell *cells;
    op_share *share[2]; /* [n] round r reads share[r & 1] and writes the other; the same twice: in place */
    ordo_cuda_tails hot;
    const ordo_u32 *tail; /* positions of the tails of in-edges, tail_stride words each */
    ordo_u32 tail_stride;
    ordo_u32 *begin;   /* [n + 1] begins of rows, modulo 2^32 */
    ordo_u32 *first;   /* [chunks + 1] a chunk's first row */
    op_value *piece;   /* [2 * chunks] of a row that began before the chunk, and of one that ends behind it */
    ordo_u32 *arrived; /* [chunks] pieces of the row that ends behind the chunk */
    ordo_u64 chunks;
    double *sums;   /* [3][GATHER_SUMS] change and totals */
    ordo_u32 *stop; /* [3], each on a separate cache line */
    ordo_cuda_run run;
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
} op_gather_step;

/* By one thread: a word that is read once, and should not displace shares in the first-level cache. */
ORDO_DEV ordo_u32 op_dev_once(const ordo_u32 *p)
{
    ordo_u32 u;
    asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(u) : "l"(p));
    return u;
}

/* By one thread: where v's share is. Hot vertices have theirs side by side: scattered, each would take 32 bytes of the
 * first-level cache. */
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

/* By a whole block: joins the values of all threads; valid in thread 0. Ends with no barrier. */
ORDO_DEV op_value op_dev_join_block(op_value x, op_value *warp)
{
    x = op_dev_join_lanes(x, 32);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warp[threadIdx.x / 32] = x;
    __syncthreads();
    for (int i = 1; threadIdx.x == 0 && i < GATHER_WARPS; i++)
        x = op_join(x, warp[i]);
    return x;
}

/* By one thread: the shares of N edges, `step` apart, from `at` on; of those that are not below `count` none. All loads
 * are under way before the first is used. */
template <int N>
ORDO_DEV void op_dev_load(const op_gather_args &a, const op_share *from, const ordo_u32 *tail, ordo_u32 at,
                          ordo_u32 step, ordo_u32 count, op_share (&share)[N])
{
    ordo_u32 u[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        u[i] = at + i * step < count ? op_dev_once(tail + (ordo_u64)(at + i * step) * a.tail_stride) : 0;
#pragma unroll
    for (int i = 0; i < N; i++)
        share[i] = at + i * step < count ? from[u[i]] : op_share{};
}

/* By a whole block: the value of edges e .. end - 1 of v; valid in thread 0. */
ORDO_DEV op_value op_dev_block_row(const op_gather_args &a, const op_share *from, ordo_vid v, ordo_eid e, ordo_eid end,
                                   op_value *warp)
{
    const ordo_u32 count = (ordo_u32)(end - e), step = ORDO_CUDA_THREADS;
    op_value sum = op_none();
    for (ordo_u32 at = threadIdx.x; at < count; at += 4 * step) {
        op_share share[4];
        op_dev_load(a, from, a.tail + e * a.tail_stride, at, step, count, share);
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (at + i * step < count)
                sum = op_join(sum, op_dev_value(a, share[i], e + at + i * step, v));
    }
    return op_dev_join_block(sum, warp);
}

/* By one thread: v has that value. */
ORDO_DEV void op_dev_finish(const op_gather_args &a, const op_gather_step &step, ordo_vid v, op_value value,
                            op_gather_mine *mine)
{
    const ordo_u32 at = op_dev_position(a, v);
    const op_cell old = op_shares ? a.cells[v] : *(const op_cell *)(const void *)(step.from + at);
    const op_cell now = op_apply(&a.state, v, old, value, step.total);
    if (op_shares)
        a.cells[v] = now;
    step.to[at] = op_share_of(&a.state, v, now);
    mine->change = op_join_changes(mine->change, op_change(&a.state, v, old, now));
    if (op_totals)
        op_add_total(&a.state, v, now, mine->total);
}

/* A row that a block adds up by itself: edges begin .. end - 1 of v. `cut`: it is longer than a chunk, and each chunk
 * has a piece of it. */
typedef struct op_gather_long {
    ordo_vid v;
    ordo_eid begin, end;
    bool cut;
} op_gather_long;

/* By a whole block: such a row, or its piece in chunk b. The block that finishes the last piece joins them all. */
ORDO_DEV void op_dev_long(const op_gather_args &a, const op_gather_step &step, ordo_u64 b, const op_gather_long &row,
                          op_value *warp, bool *last, op_gather_mine *mine)
{
    const ordo_u64 first = row.begin / GATHER_EDGES, final = (row.end - 1) / GATHER_EDGES, here = b * GATHER_EDGES;
    const ordo_eid e = row.cut && row.begin < here ? here : row.begin;
    const ordo_eid end = row.cut && row.end > here + GATHER_EDGES ? here + GATHER_EDGES : row.end;
    op_value all = op_dev_block_row(a, step.from, row.v, e, end, warp);
    if (row.cut) {
        if (threadIdx.x == 0) {
            ordo_dev_store(&a.piece[2 * b + (b == first)], all);
            __threadfence();
            *last = ordo_dev_add(&a.arrived[first], 1u) == final - first;
            __threadfence();
        }
        __syncthreads();
        if (*last) {
            all = op_none();
            for (ordo_u64 i = first + threadIdx.x; i <= final; i += ORDO_CUDA_THREADS)
                all = op_join(all, ordo_dev_load(&a.piece[2 * i + (i == first)]));
            all = op_dev_join_block(all, warp);
            if (threadIdx.x == 0)
                ordo_dev_store(&a.arrived[first], 0u);
        }
    }
    if (threadIdx.x == 0 && (!row.cut || *last))
        op_dev_finish(a, step, row.v, all, mine);
    __syncthreads();
}

/* By a whole block: loads the shares of `count` edges from e on to stage[]. */
ORDO_DEV void op_dev_stage(const op_gather_args &a, const op_share *from, ordo_eid e, ordo_u32 count, op_share *stage)
{
    const ordo_u32 step = ORDO_CUDA_THREADS;
    const ordo_u32 *const tail = a.tail + e * a.tail_stride;
    for (ordo_u32 at = threadIdx.x; at < count; at += GATHER_AT_ONCE * step) {
        op_share share[GATHER_AT_ONCE];
        op_dev_load(a, from, tail, at, step, count, share);
#pragma unroll
        for (int i = 0; i < GATHER_AT_ONCE; i++)
            if (at + i * step < count)
                stage[at + i * step] = share[i];
    }
    __syncthreads();
}

/* By a whole block: rows first .. first + count - 1, whose shares are in stage[]; `base` is the first edge. */
ORDO_DEV void op_dev_rows(const op_gather_args &a, const op_gather_step &step, ordo_u32 first, ordo_u32 count,
                          ordo_eid base, const op_share *stage, op_gather_mine *mine)
{
    ordo_u32 lanes = 1; /* a row */
    while (lanes < 32 && count * lanes * 2 <= ORDO_CUDA_THREADS)
        lanes *= 2;
    const ordo_u32 lane = threadIdx.x % lanes, low = (ordo_u32)base;
    for (ordo_u32 at = 0; at < count; at += ORDO_CUDA_THREADS / lanes) {
        const ordo_u32 row = at + threadIdx.x / lanes;
        const bool has = row < count;
        const ordo_vid v = first + row;
        ordo_u32 i = 0, end = 0;
        if (has) {
            i = a.begin[v] - low;
            end = a.begin[v + 1] - low;
        }
        op_value sum = op_none();
        for (i += lane; i < end; i += lanes)
            sum = op_join(sum, op_dev_value(a, stage[i], base + i, v));
        sum = op_dev_join_lanes(sum, lanes);
        if (has && lane == 0)
            op_dev_finish(a, step, v, sum, mine);
    }
    __syncthreads();
}

/* By one thread: the long row of chunk b, if *which is 0 that which began before, if 1 that which begins there; false
 * where there is none. Of rows first .. *end - 1 the latter is taken off. */
ORDO_DEV bool op_dev_long_row(const op_gather_args &a, ordo_u64 b, int which, ordo_u32 first, ordo_u32 *end,
                              op_gather_long *row)
{
    if (which == 0 ? first == 0 : first == *end)
        return false;
    row->v = which == 0 ? first - 1 : *end - 1;
    row->begin = __ldg(a.rows.row + row->v);
    row->end = __ldg(a.rows.row + row->v + 1);
    row->cut = row->end - row->begin > GATHER_EDGES;
    if (which == 0)
        return row->cut && row->end > b * GATHER_EDGES;
    const bool fits = row->end - __ldg(a.rows.row + first) <= GATHER_STAGE;
    *end -= row->cut || !fits;
    return row->cut || !fits;
}

/* By a whole block: chunk b of a round. */
ORDO_DEV void op_dev_chunk(const op_gather_args &a, const op_gather_step &step, ordo_u64 b, op_share *stage,
                           op_value *warp, bool *last, op_gather_mine *mine)
{
    const ordo_u32 first = a.first[b];
    ordo_u32 end = a.first[b + 1];
#pragma unroll 1
    for (int which = 0; which < 2; which++) {
        op_gather_long row;
        if (op_dev_long_row(a, b, which, first, &end, &row))
            op_dev_long(a, step, b, row, warp, last, mine);
    }
    if (first == end)
        return;
    const ordo_eid begin = __ldg(a.rows.row + first);
    op_dev_stage(a, step.from, begin, a.begin[end] - (ordo_u32)begin, stage);
    op_dev_rows(a, step, first, end - first, begin, stage, mine);
}

/* By the whole grid, before the first round: chunks, first shares, first totals. */
ORDO_DEV void op_dev_begin(const op_gather_args &a, ordo_u64 me, ordo_u64 threads, op_gather_mine *mine)
{
    const ordo_u64 n = a.rows.n;
    for (ordo_u64 v = me; v <= n; v += threads) {
        const ordo_eid begin = __ldg(a.rows.row + v);
        a.begin[v] = (ordo_u32)begin;
        /* v is the first row of the chunks behind the begin of the row before, up to its own */
        const ordo_u64 last = v == n ? a.chunks : begin / GATHER_EDGES;
        for (ordo_u64 b = v ? __ldg(a.rows.row + v - 1) / GATHER_EDGES + 1 : 0; b <= last; b++)
            a.first[b] = (ordo_u32)v;
        if (v < n && a.share[1] != (op_share *)a.cells)
            a.share[1][op_dev_position(a, (ordo_vid)v)] = op_share_of(&a.state, (ordo_item)v, a.cells[v]);
        if (v < n && op_totals)
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
    for (int w = 1; threadIdx.x == 0 && w < GATHER_WARPS; w++)
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
    ordo_dev_sample(a.run.record, a.rows.n, round, 0, 1, -1);
    ordo_live_report(traced, round, a.rows.n, round, 0, 1);
    for (int i = 0; i < GATHER_SUMS; i++)
        ordo_dev_store(a.sums + (round + 1) % 3 * GATHER_SUMS + i, 0.0);
    ordo_dev_store(a.stop + (round + 1) % 3 * ORDO_CUDA_LINE, (ordo_u32)ordo_dev_mail(&a.run, round, a.rows.n));
    mine->items += a.rows.n;
    mine->edges += a.rows.m;
}

/* Blocks on a multiprocessor: as many as leave a thread the registers for GATHER_AT_ONCE loads, which are 48 for shares
 * of 4 bytes. */
constexpr __host__ __device__ int op_gather_resident(bool traced)
{
#if __CUDA_ARCH__ >= 900
    return traced || sizeof(op_share) > 4 ? 4 : 5;
#else
    return traced ? 3 : 4;
#endif
}

/* What profilers show carries the operator's name. */
#define op_gather_kernel ORDO_OP_NAME(op_gather_kernel)

template <bool Traced>
static __global__ void __launch_bounds__((ORDO_CUDA_THREADS), op_gather_resident(Traced))
    op_gather_kernel(const op_gather_args a)
{
    __shared__ op_share stage[GATHER_STAGE];
    __shared__ op_value warp[GATHER_WARPS];
    __shared__ double sums[GATHER_WARPS];
    __shared__ bool last;
    auto grid = cooperative_groups::this_grid();
    const ordo_u64 threads = (ordo_u64)gridDim.x * blockDim.x, me = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x;
    const ordo_cuda_traced traced = Traced ? a.run.traced : ordo_cuda_traced{};
    const double tolerance = op_tolerance(&a.state);
    const ordo_u64 most = op_most_rounds(&a.state);
    ordo_cuda_counters count = {};
    op_gather_mine mine = {};
    ordo_live_begin(traced, ORDO_BUSY);
    op_dev_begin(a, me, threads, &mine);
    if (op_totals)
        op_dev_add_sums(a.sums, mine, sums);
    grid.sync();
    ordo_u64 round = 1;
    for (;; round++) {
        const op_gather_step step = {a.share[round & 1], a.share[(round + 1) & 1],
                                     a.sums + (round + 2) % 3 * GATHER_SUMS + 1};
        double *const to = a.sums + round % 3 * GATHER_SUMS;
        mine = op_gather_mine{};
        if (me == 0)
            op_dev_open_round(a, traced, round, &count);
        ordo_live_state(traced, ORDO_BUSY);
        for (ordo_u64 b = blockIdx.x; b < a.chunks; b += gridDim.x)
            op_dev_chunk(a, step, b, stage, warp, &last, &mine);
        op_dev_add_sums(to, mine, sums);
        if constexpr (Traced)
            ordo_live_barrier<3>(traced, count);
        else
            grid.sync();
        if (!(ordo_dev_load(to) > tolerance) || round >= most ||
            ordo_dev_load(a.stop + (round + 1) % 3 * ORDO_CUDA_LINE))
            break;
    }
    if (me == 0)
        a.run.record->change = ordo_dev_load(a.sums + round % 3 * GATHER_SUMS);
    const op_share *const final = a.share[(round + 1) & 1]; /* what the last round wrote */
    if (!op_shares && final != (op_share *)a.cells)
        for (ordo_u64 v = me; v < a.rows.n; v += threads)
            a.cells[v] = *(const op_cell *)(const void *)(final + op_dev_position(a, (ordo_vid)v));
    ordo_dev_publish(a.run.counters, count);
}

/* On the host, after ordo_cuda_begin: allocates what a run needs, and sets the arguments. */
static ordo_status op_gather_arguments(ordo_cuda *c, bool in_place, op_gather_args *a)
{
    const ordo_u64 n = c->in.n;
    ordo_cuda_arrays arrays = {};
    a->rows = c->in;
    a->cells = (op_cell *)c->cells;
    a->run = c->run;
    a->chunks = c->in.m / GATHER_EDGES + 1;
    a->state = *(const op_state *)c->job->state;
    arrays.count = op_arrays(&a->state, n, n, c->in.m, arrays.array);
    ordo_status status = ordo_cuda_arrays_in(c, &arrays);
    if (!status)
        status = ordo_cuda_hot(c, GATHER_HOT, &a->hot);
    if (status)
        return status;
    a->tail = a->hot.count ? a->hot.edge : a->rows.edge;
    a->tail_stride = a->hot.count ? 1 : a->rows.stride;
    a->begin = (ordo_u32 *)ordo_cuda_alloc(c, n + 1, sizeof(ordo_u32), false);
    a->first = (ordo_u32 *)ordo_cuda_alloc(c, a->chunks + 1, sizeof(ordo_u32), false);
    a->piece = (op_value *)ordo_cuda_alloc(c, 2 * a->chunks, sizeof(op_value), false);
    a->arrived = (ordo_u32 *)ordo_cuda_alloc(c, a->chunks, sizeof(ordo_u32), true);
    a->sums = (double *)ordo_cuda_alloc(c, 3 * GATHER_SUMS, sizeof(double), true);
    a->stop = (ordo_u32 *)ordo_cuda_alloc(c, 3 * ORDO_CUDA_LINE, sizeof(ordo_u32), true);
    bool enough = a->begin && a->first && a->piece && a->arrived && a->sums && a->stop;
    const ordo_u64 places = n + a->hot.count;
    a->share[1] = (op_share *)c->cells;
    if (op_shares || a->hot.count)
        enough = (a->share[1] = (op_share *)ordo_cuda_alloc(c, places, sizeof(op_share), false)) && enough;
    a->share[0] = a->share[1];
    if (!in_place)
        enough = (a->share[0] = (op_share *)ordo_cuda_alloc(c, places, sizeof(op_share), false)) && enough;
    return enough ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* A run: what a scheduler's cuda_gather.cuh passes as ordo_instance.run does, in place or double-buffered, with so many
 * blocks on a multiprocessor, 0: as many as fit. */
static ordo_status op_gather_job(ordo_job *job, bool in_place, int blocks)
{
    ordo_cuda c;
    op_gather_args a = {};
    ordo_status status = ordo_cuda_begin(job, sizeof(op_cell), true, &c);
    if (!status)
        status = op_gather_arguments(&c, in_place, &a);
    if (!status) {
        void *args[] = {&a};
        const void *kernel =
            a.run.traced.live ? (const void *)op_gather_kernel<true> : (const void *)op_gather_kernel<false>;
        status = ordo_cuda_launch(&c, ordo_cuda_kernel(kernel), ORDO_CUDA_THREADS, blocks, args);
    }
    return ordo_cuda_end(&c, status);
}
