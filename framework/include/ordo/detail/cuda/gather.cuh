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

enum { GATHER_EDGES = 2048, GATHER_STAGE = GATHER_EDGES + GATHER_EDGES / 4, GATHER_AT_ONCE = 4, GATHER_SUMS = 8 };
enum { GATHER_WARPS = ORDO_CUDA_THREADS / 32, GATHER_TOTALS = (int)op_totals > 0 ? (int)op_totals : 1 };

typedef struct op_gather_args {
    ordo_cuda_rows rows; /* in-rows */
    op_state state;
    op_cell *cells;
    op_share *share[2]; /* [n] round r reads share[r & 1] and writes the other; the same twice: in place */
    ordo_u32 *begin;    /* [n + 1] begins of rows, modulo 2^32 */
    ordo_u32 *first;    /* [chunks + 1] a chunk's first row */
    op_value *piece;    /* [2 * chunks] of a row that began before the chunk, and of one that ends behind it */
    ordo_u32 *arrived;  /* [chunks] pieces of the row that ends behind the chunk */
    ordo_u64 chunks;
    double *sums;   /* [3][GATHER_SUMS] change and totals */
    ordo_u32 *stop; /* [3], each on a separate cache line */
    bool in_place;
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

/* By one thread: a head that is read once, and should not displace shares in the first-level cache. */
ORDO_DEV ordo_vid op_dev_tail(const ordo_cuda_rows *rows, ordo_eid e)
{
    ordo_u32 u;
    asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(u) : "l"(rows->edge + e * rows->stride));
    return u;
}

/* By one thread: what edge e makes of a share. Heads and weights are loaded only where the operator reads them. */
ORDO_DEV op_value op_dev_value(const op_gather_args &a, op_share share, ordo_eid e, ordo_vid v)
{
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

/* By a whole block: the value of edges e .. end - 1 of v; valid in thread 0. */
ORDO_DEV op_value op_dev_block_row(const op_gather_args &a, const op_share *from, ordo_vid v, ordo_eid e, ordo_eid end,
                                   op_value *warp)
{
    op_value sum = op_none();
    for (e += threadIdx.x; e < end; e += GATHER_AT_ONCE * ORDO_CUDA_THREADS) {
        ordo_vid u[GATHER_AT_ONCE];
        op_share share[GATHER_AT_ONCE];
#pragma unroll
        for (int i = 0; i < GATHER_AT_ONCE; i++)
            u[i] = e + i * ORDO_CUDA_THREADS < end ? op_dev_tail(&a.rows, e + i * ORDO_CUDA_THREADS) : ORDO_NO_VERTEX;
#pragma unroll
        for (int i = 0; i < GATHER_AT_ONCE; i++)
            share[i] = u[i] != ORDO_NO_VERTEX ? from[u[i]] : op_share{};
#pragma unroll
        for (int i = 0; i < GATHER_AT_ONCE; i++)
            if (u[i] != ORDO_NO_VERTEX)
                sum = op_join(sum, op_dev_value(a, share[i], e + i * ORDO_CUDA_THREADS, v));
    }
    return op_dev_join_block(sum, warp);
}

/* By one thread: v has that value. */
ORDO_DEV void op_dev_finish(const op_gather_args &a, const op_gather_step &step, ordo_vid v, op_value value,
                            op_gather_mine *mine)
{
    const op_cell old = op_shares ? a.cells[v] : *(const op_cell *)(const void *)(step.from + v);
    const op_cell now = op_apply(&a.state, v, old, value, step.total);
    if (op_shares)
        a.cells[v] = now;
    step.to[v] = op_share_of(&a.state, v, now);
    mine->change = op_join_changes(mine->change, op_change(&a.state, v, old, now));
    if (op_totals)
        op_add_total(&a.state, v, now, mine->total);
}

/* By a whole block: the piece in chunk b of a row that is longer than a chunk, edges e .. end - 1. The row has edges
 * begin .. row_end - 1. The block that finishes the last piece joins them all. */
ORDO_DEV void op_dev_piece(const op_gather_args &a, const op_gather_step &step, ordo_u64 b, ordo_vid v, ordo_eid begin,
                           ordo_eid row_end, op_value *warp, op_gather_mine *mine)
{
    __shared__ bool last;
    const ordo_u64 first = begin / GATHER_EDGES, final = (row_end - 1) / GATHER_EDGES, here = b * GATHER_EDGES;
    const ordo_eid e = begin > here ? begin : here, edge_end = here + GATHER_EDGES;
    const op_value sum = op_dev_block_row(a, step.from, v, e, row_end < edge_end ? row_end : edge_end, warp);
    if (threadIdx.x == 0) {
        ordo_dev_store(&a.piece[2 * b + (b == first)], sum);
        __threadfence();
        last = ordo_dev_add(&a.arrived[first], 1u) == final - first;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        op_value all = op_none();
        for (ordo_u64 i = first + threadIdx.x; i <= final; i += ORDO_CUDA_THREADS)
            all = op_join(all, ordo_dev_load(&a.piece[2 * i + (i == first)]));
        all = op_dev_join_block(all, warp);
        if (threadIdx.x == 0) {
            ordo_dev_store(&a.arrived[first], 0u);
            op_dev_finish(a, step, v, all, mine);
        }
    }
    __syncthreads();
}

/* By a whole block: loads the shares of edges e .. end - 1 to stage[]. */
ORDO_DEV void op_dev_stage(const op_gather_args &a, const op_share *from, ordo_eid e, ordo_u32 count, op_share *stage)
{
    for (ordo_u32 at = threadIdx.x; at < count; at += GATHER_AT_ONCE * ORDO_CUDA_THREADS) {
        ordo_vid u[GATHER_AT_ONCE];
        op_share share[GATHER_AT_ONCE];
#pragma unroll
        for (int i = 0; i < GATHER_AT_ONCE; i++)
            u[i] = at + i * ORDO_CUDA_THREADS < count ? op_dev_tail(&a.rows, e + at + i * ORDO_CUDA_THREADS)
                                                      : ORDO_NO_VERTEX;
#pragma unroll
        for (int i = 0; i < GATHER_AT_ONCE; i++)
            share[i] = u[i] != ORDO_NO_VERTEX ? from[u[i]] : op_share{};
#pragma unroll
        for (int i = 0; i < GATHER_AT_ONCE; i++)
            if (u[i] != ORDO_NO_VERTEX)
                stage[at + i * ORDO_CUDA_THREADS] = share[i];
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

/* By a whole block: chunk b of a round. */
ORDO_DEV void op_dev_chunk(const op_gather_args &a, const op_gather_step &step, ordo_u64 b, op_share *stage,
                           op_value *warp, op_gather_mine *mine)
{
    const ordo_u32 r0 = a.first[b], r1 = a.first[b + 1];
    const ordo_eid here = b * GATHER_EDGES, start = __ldg(a.rows.row + r0);
    if (r0 > 0 && start > here) {
        const ordo_eid before = __ldg(a.rows.row + r0 - 1);
        if (start - before > GATHER_EDGES)
            op_dev_piece(a, step, b, r0 - 1, before, start, warp, mine);
    }
    if (r0 == r1)
        return;
    ordo_u32 count = r1 - r0;
    ordo_eid end = __ldg(a.rows.row + r1);
    if (end - start > GATHER_STAGE || end - start > GATHER_EDGES) {
        const ordo_eid final = __ldg(a.rows.row + r1 - 1);
        if (end - final > GATHER_EDGES) {
            op_dev_piece(a, step, b, r1 - 1, final, end, warp, mine);
            end = final;
            count--;
        } else if (end - start > GATHER_STAGE) {
            const op_value value = op_dev_block_row(a, step.from, r1 - 1, final, end, warp);
            if (threadIdx.x == 0)
                op_dev_finish(a, step, r1 - 1, value, mine);
            end = final;
            count--;
        }
    }
    op_dev_stage(a, step.from, start, (ordo_u32)(end - start), stage);
    op_dev_rows(a, step, r0, count, start, stage, mine);
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
        if (v < n && op_shares)
            a.share[1][v] = op_share_of(&a.state, (ordo_item)v, a.cells[v]);
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
    ordo_dev_store(a.stop + (round + 1) % 3 * ORDO_CUDA_LINE, (ordo_u32)a.run.mailbox->stop);
    a.run.record->supersteps = round;
    a.run.mailbox->supersteps = round;
    a.run.mailbox->in_flight = a.rows.n;
    mine->items += a.rows.n;
    mine->edges += a.rows.m;
}

/* What profilers show carries the operator's name. */
#define op_gather_kernel ORDO_OP_NAME(op_gather_kernel)

template <bool Traced>
static __global__ void __launch_bounds__((ORDO_CUDA_THREADS)) op_gather_kernel(const op_gather_args a)
{
    __shared__ op_share stage[GATHER_STAGE];
    __shared__ op_value warp[GATHER_WARPS];
    __shared__ double sums[GATHER_WARPS];
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
            op_dev_chunk(a, step, b, stage, warp, &mine);
        op_dev_add_sums(to, mine, sums);
        if constexpr (Traced)
            ordo_live_barrier<3>(traced, count, true);
        else
            grid.sync();
        if (!(ordo_dev_load(to) > tolerance) || round >= most ||
            ordo_dev_load(a.stop + (round + 1) % 3 * ORDO_CUDA_LINE))
            break;
    }
    if (me == 0)
        a.run.record->change = ordo_dev_load(a.sums + round % 3 * GATHER_SUMS);
    if (!op_shares && !a.in_place && round % 2) /* the last round wrote the other array */
        for (ordo_u64 v = me; v < a.rows.n; v += threads)
            a.cells[v] = *(const op_cell *)(const void *)(a.share[0] + v);
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
    a->in_place = in_place;
    a->chunks = c->in.m / GATHER_EDGES + 1;
    a->state = *(const op_state *)c->job->state;
    arrays.count = op_arrays(&a->state, n, n, c->in.m, arrays.array);
    ordo_status status = ordo_cuda_arrays_in(c, &arrays);
    if (status)
        return status;
    a->begin = (ordo_u32 *)ordo_cuda_alloc(c, n + 1, sizeof(ordo_u32), false);
    a->first = (ordo_u32 *)ordo_cuda_alloc(c, a->chunks + 1, sizeof(ordo_u32), false);
    a->piece = (op_value *)ordo_cuda_alloc(c, 2 * a->chunks, sizeof(op_value), false);
    a->arrived = (ordo_u32 *)ordo_cuda_alloc(c, a->chunks, sizeof(ordo_u32), true);
    a->sums = (double *)ordo_cuda_alloc(c, 3 * GATHER_SUMS, sizeof(double), true);
    a->stop = (ordo_u32 *)ordo_cuda_alloc(c, 3 * ORDO_CUDA_LINE, sizeof(ordo_u32), true);
    bool enough = a->begin && a->first && a->piece && a->arrived && a->sums && a->stop;
    a->share[1] = (op_share *)c->cells;
    if (op_shares)
        enough = (a->share[1] = (op_share *)ordo_cuda_alloc(c, n, sizeof(op_share), false)) && enough;
    a->share[0] = a->share[1];
    if (!in_place)
        enough = (a->share[0] = (op_share *)ordo_cuda_alloc(c, n, sizeof(op_share), false)) && enough;
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
