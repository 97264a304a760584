/* residual.cuh -- gather operators on a worklist, on a GPU: presents them to schedulers as relax operators whose cells
 * sum.
 *
 * A template, included behind the schedulers that run gather operators in rounds, where ORDO_OP_BY_RESIDUAL is 1, and
 * ahead of the others' cuda.cuh. Expects <ordo/detail/cuda/gather.cuh>.
 *
 * Problem. That of <ordo/detail/cpu/residual.h>: vertices are to be computed in the order of their residuals. The
 * schedulers' kernels take items whose cells sum (ORDO_SUM): offers add to a cell, an offer that raises its level
 * activates the item, a take empties the cell, and what was taken makes candidates for the out-edges.
 *
 * Method. The cells of the relax operator are the residuals. Who takes one computes the vertex at once: it gathers the
 * row of in-edges, and writes the cell and the share of the operator. What was taken (op_taken) is the share before and
 * now, from which the influence on the head of each out-edge follows: the candidate. A warp computes the vertices of
 * its lanes together, because rows differ in length: a lane adds up a short row, all lanes a long one. Levels,
 * priorities and the end of a run: <ordo/detail/residual.h>. From here on the names op_cell, op_value and op_state are
 * those of the relax operator; the gather operator is op_gather_args::state.
 *
 * One writer. What sums lack is a single writer for what a take leads to. `turn` of a vertex is 0 where no warp
 * computes it. Who takes an entry adds 1:
 *   begin    it was 0: the warp computes the vertex. It was more: the warp that does so will compute it once more, so
 *            the entry is done with
 *   take     exchange of the residual by 0; gather; write cell and share
 *   end      compare-and-swap of `turn`, from the value that it had when the take began, to 0. It fails if an entry has
 *            come since: the warp takes again. The share before is that before the first take
 * Offers follow the end: the next writer may begin meanwhile, and what both offer adds up.
 *
 * Memory order. All accesses are relaxed, of device scope, with fences (acquire and release) as follows.
 *   before begin         releases what the entry's lane has seen: the offer that made the entry
 *   between take and gather   acquires what the writer before had written, and the shares whose changes were taken
 *   between write and end     releases cell and share to the next writer, and, as offers follow, to who takes them.
 *                        All lanes of the warp fence behind a __syncwarp, and op_dev_expand and lock_server's clients
 *                        once more behind their barrier: so the fence of every thread that offers has all writes of
 *                        its block's warps before it
 *   before another take  acquires what the entry's fence had released
 * Invariants. (1) A vertex has one writer at a time, and sees what the one before it wrote: only the begin that finds 0
 * computes, and the next one that does reads the 0 of its end. (2) A vertex of a level above 0 has an entry in flight,
 * or a warp that will take again: offers that raise the level make an entry; an entry is dropped as stale where the
 * level is 0 or has another entry, or begins, or adds to `turn` ahead of an end, which then fails; and the take that
 * follows has the offer, by the fences. Only takes lower a level. So none is lost. (3) Who takes a residual sees the
 * shares whose changes it sums up. A share that is stored while it is loaded gives the value before or after; its
 * change then reaches the residual later. A message (sync `server`) carries the order by its ring. Work that is
 * repeated is bounded: each further take uses up an entry, which only the offers of other vertices make.
 *
 * Past the budget items are dropped (op_filter). Their number is read before and added to after, so a run may exceed it
 * by what its warps have begun.
 *
 * Not done: rows of hubs shared by several warps.
 */
#include <ordo/detail/residual.h>

enum { RESIDUAL_ROW = 16 }; /* most in-edges that one lane adds up */

/* The names of the gather operator, before they are those of the relax operator. */
typedef op_cell op_gather_cell;
typedef op_value op_gather_value;
typedef op_state op_gather_state;

/* What candidates are computed from. */
typedef struct op_taken {
    op_share before, now;
} op_taken;

/* The state of the relax operator. */
typedef struct op_residual_state {
    op_gather_args own;  /* rows, state, cells and share[0], in place */
    const ordo_u64 *out; /* [n + 1] begins of rows of out-edges */
    double *residual;    /* [n] the cells of the relax operator */
    ordo_u32 *turn;      /* [n] */
    ordo_u64 *computed;  /* items, so far */
    op_residual_limits limits;
} op_residual_state;

#define op_cell op_residual_cell
#define op_value op_residual_value
#define op_state op_residual_state
typedef double op_cell;

#undef ORDO_OP_KIND
#undef ORDO_OP_ORDER
#undef ORDO_OP_REAL
#undef ORDO_OP_STRUCT
#undef ORDO_OP_CELL_BYTES
#undef ORDO_OP_RESIDUALS
#define ORDO_OP_KIND ORDO_KIND_RELAX
#define ORDO_OP_ORDER ORDO_SUM
#define ORDO_OP_REAL 1
#define ORDO_OP_STRUCT 0
#define ORDO_OP_CELL_BYTES 0
#define ORDO_OP_RESIDUALS 1

enum { op_order = ORDO_SUM, op_ordered = 1 };

/* ---- the relax operator ---- */

ORDO_DEV ordo_u32 op_level(const op_state *s, op_cell residual)
{
    return (ordo_u32)op_residual_steps(s->limits.per_threshold, residual);
}

ORDO_DEV double op_priority(const op_state *s, ordo_item item, op_cell residual)
{
    return op_residual_priority(op_residual_doublings(s->limits.per_threshold, residual),
                                __ldg(s->out + item + 1) - __ldg(s->out + item));
}

/* Whether the item may be computed. */
ORDO_DEV bool op_filter(const op_state *s, ordo_item)
{
    return s->limits.budget == ~(ordo_u64)0 || ordo_dev_load(s->computed) < s->limits.budget;
}

ORDO_DEV op_cell op_candidate(const op_state *s, op_taken of, op_edge e)
{
    const double influence = op_influence(&s->own.state, of.before, of.now, e);
    return influence > 0 ? influence : 0;
}

ORDO_DEV ordo_u32 op_target(const op_state *, op_edge e)
{
    return e.head;
}

ORDO_DEV op_cell op_add_real(op_cell *cell, op_cell addend)
{
    return ordo_add_f64(cell, addend);
}

ORDO_DEV op_taken op_not_taken(op_cell)
{
    return op_taken{};
}

/* By a whole warp: the value of lane `lane`. */
ORDO_DEV op_taken op_dev_shuffle(op_taken of, int lane)
{
    return op_taken{__shfl_sync(~0u, of.before, lane), __shfl_sync(~0u, of.now, lane)};
}

/* ---- computing vertices ---- */

/* By one thread: joins the values of the in-edges e, e + step, ... before `end` of v. All loads of GATHER_AT_ONCE edges
 * are under way before the first is used. */
ORDO_DEV op_gather_value op_dev_row_value(const op_state *s, ordo_vid v, ordo_eid e, ordo_eid end, ordo_u32 step)
{
    const ordo_cuda_rows &in = s->own.rows;
    op_gather_value all = op_none();
    for (; e < end; e += GATHER_AT_ONCE * step) {
        op_share share[GATHER_AT_ONCE];
#pragma unroll
        for (int i = 0; i < GATHER_AT_ONCE; i++)
            if (e + i * step < end)
                share[i] = ordo_dev_load(s->own.share[0] + __ldg(in.edge + (e + i * step) * in.stride));
#pragma unroll
        for (int i = 0; i < GATHER_AT_ONCE; i++)
            if (e + i * step < end)
                all = op_join(all, op_dev_value(s->own, share[i], e + i * step, v));
    }
    return all;
}

/* By a whole warp: what the in-edges of each lane's item make, where `has`. *edges is their number. */
ORDO_DEV op_gather_value op_dev_row_values(const op_state *s, bool has, ordo_item item, ordo_u64 *edges)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_eid begin = has ? __ldg(s->own.rows.row + item) : 0, end = has ? __ldg(s->own.rows.row + item + 1) : 0;
    const bool is_long = end - begin > RESIDUAL_ROW;
    op_gather_value mine = op_dev_row_value(s, item, begin, is_long ? begin : end, 1);
    *edges = end - begin;
    for (ordo_u32 left = __ballot_sync(~0u, is_long); left; left &= left - 1) {
        const int of = __ffs((int)left) - 1;
        const ordo_item v = __shfl_sync(~0u, item, of);
        const ordo_eid from = __shfl_sync(~0u, begin, of), to = __shfl_sync(~0u, end, of);
        const op_gather_value all = op_dev_join_lanes(op_dev_row_value(s, v, from + lane, to, 32), 32);
        mine = (int)lane == of ? all : mine;
    }
    return mine;
}

/* By a whole warp: takes the residual of each lane's item, where `has`, and computes it. Returns whether the lane has
 * changed a share, which *taken then says. Counts items and edges. */
template <typename Counters>
ORDO_DEV bool op_dev_compute(const op_state *s, bool has, ordo_item item, op_taken *taken, Counters *mine)
{
    const double no_totals[GATHER_TOTALS] = {};
    ordo_u32 turns = 1, count = 0, all = 0; /* items of the lane, and of the warp */
    __syncwarp();
    ordo_dev_fence();
    bool open = has && ordo_dev_add(&s->turn[item], 1u) == 0;
    *taken = op_taken{};
    for (bool again = false; __any_sync(~0u, open); again = true) {
        ordo_u64 edges;
        all += __popc(__ballot_sync(~0u, open));
        if (again)
            ordo_dev_fence();
        if (open)
            ordo_dev_exchange((ordo_u64 *)&s->residual[item], (ordo_u64)0); /* 0.0 */
        __syncwarp();
        ordo_dev_fence();
        const op_share old = open ? ordo_dev_load(s->own.share[0] + item) : op_share{};
        const op_gather_value value = op_dev_row_values(s, open, item, &edges);
        if (open) {
            op_gather_cell *const cell = s->own.cells + item;
            const op_gather_cell now =
                op_apply(&s->own.state, item, op_shares ? *cell : (op_gather_cell)old, value, no_totals);
            const op_share share = op_share_of(&s->own.state, item, now);
            if (op_shares)
                *cell = now;
            ordo_dev_store(s->own.share[0] + item, share);
            if (!again)
                taken->before = old;
            taken->now = share;
            mine->edges += edges;
            count++;
        }
        __syncwarp();
        ordo_dev_fence();
        open = open && !ordo_dev_swap(&s->turn[item], &turns, 0u);
    }
    mine->items += count;
    if (threadIdx.x % 32 == 0 && all && s->limits.budget != ~(ordo_u64)0)
        ordo_dev_add(s->computed, (ordo_u64)all);
    return taken->now < taken->before || taken->now > taken->before;
}

/* ---- the host's part ---- */

static inline ordo_status op_cuda_begin(ordo_job *job, ordo_cuda *c)
{
    return ordo_cuda_begin(job, sizeof(op_gather_cell), true, c);
}

/* What profilers show carries the operator's name. */
#define op_residual_kernel ORDO_OP_NAME(op_residual_kernel)

/* The first residuals, more than any that is offered, and the first shares. */
static __global__ void op_residual_kernel(const op_state s)
{
    const ordo_u64 n = s.own.rows.n, threads = (ordo_u64)gridDim.x * blockDim.x;
    for (ordo_u64 v = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += threads) {
        s.residual[v] = __builtin_huge_val();
        if (op_shares)
            s.own.share[0][v] = op_share_of(&s.own.state, (ordo_item)v, s.own.cells[v]);
    }
}

static inline ordo_status op_cuda_state(ordo_cuda *c, op_state *s, ordo_cuda_arrays *arrays)
{
    const ordo_u64 n = c->job->num_items;
    s->own.rows = c->in;
    s->own.cells = (op_gather_cell *)c->cells;
    s->own.state = *(const op_gather_state *)c->job->state;
    s->out = c->out.row;
    s->limits = *(const op_residual_limits *)c->job->adapter;
    arrays->count = op_arrays(&s->own.state, n, n, c->in.m, arrays->array);
    ordo_status status = ordo_cuda_arrays_in(c, arrays);
    s->own.share[0] = op_shares ? (op_share *)ordo_cuda_alloc(c, n, sizeof(op_share), false) : (op_share *)c->cells;
    s->residual = (double *)ordo_cuda_alloc(c, n, sizeof(double), false);
    s->turn = (ordo_u32 *)ordo_cuda_alloc(c, n, sizeof(ordo_u32), true);
    s->computed = (ordo_u64 *)ordo_cuda_alloc(c, 1, sizeof(ordo_u64), true);
    if (!status && !(s->own.share[0] && s->residual && s->turn && s->computed))
        status = ORDO_ERR_MEMORY;
    if (status || !n)
        return status;
    void *args[] = {s};
    const ordo_cuda_step step = {ordo_cuda_kernel((const void *)op_residual_kernel), ORDO_CUDA_THREADS,
                                 (int)(n / ORDO_CUDA_THREADS < 1024 ? n / ORDO_CUDA_THREADS + 1 : 1024), false, args};
    return step.kernel ? ordo_cuda_start(&step, 0) : ORDO_ERR_DEVICE;
}

/* The words to which candidates are added. */
static inline op_cell *op_cuda_cells_of(const ordo_cuda *, const op_state *s)
{
    return s->residual;
}

/* A pass: see op_residual_passes. The worklist's kernel and that of the round are runs of their own on the device. */
static ordo_status op_residual_pass(ordo_job *job, ordo_status (*run_job)(ordo_job *))
{
    op_residual_limits *const limits = (op_residual_limits *)job->adapter;
    const ordo_u64 before = job->counters[0].items;
    ordo_status status = run_job(job);
    const ordo_u64 computed = job->counters[0].items - before, steps = job->supersteps;
    const double first = job->delta_first, last = job->delta_last;
    limits->budget -= computed < limits->budget ? computed : limits->budget;
    if (!status && !ordo_job_stopped(job))
        status = op_gather_rounds<true>(job, false, 0);
    job->supersteps = steps + 1;
    job->delta_first = first;
    job->delta_last = last;
    return status;
}

static ordo_status op_residual_job(ordo_job *job, ordo_status (*run_job)(ordo_job *))
{
    op_residual_limits limits;
    job->adapter = &limits;
    const ordo_status status = op_residual_passes(job, run_job, &limits, op_residual_pass);
    job->adapter = NULL;
    return status;
}

/* Ends a scheduler's cuda.cuh: its run is that of the worklist. */
#undef ORDO_CUDA_INSTANCE
#define ORDO_CUDA_INSTANCE(_scheduler, _run, _syncs)                                                                   \
    static ordo_status ORDO_JOIN(_scheduler, _by_residual)(ordo_job * job)                                             \
    {                                                                                                                  \
        return op_residual_job(job, _run);                                                                             \
    }                                                                                                                  \
    ORDO_CUDA_INSTANCE_OF(_scheduler, ORDO_JOIN(_scheduler, _by_residual), _syncs)

#include <ordo/detail/cuda/relax.cuh>
#include <ordo/detail/cuda/warp.cuh>
