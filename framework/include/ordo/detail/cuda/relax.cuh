/* relax.cuh -- relax operators on a GPU: offers candidates, expands rows by blocks, runs supersteps over a frontier.
 *
 * A template, included by <ordo/scheduler/cuda.cuh>. Expects the names that <ordo/operator/relax.h> derives from the
 * operator.
 *
 * Sums (ORDO_SUM). The protocol and its invariant are those of <ordo/detail/cpu/relax.h>: every change of a cell is one
 * atomic, or is made under the cell's lock; an offer is an addition that activates its target if it raises the level; a
 * take is a compare-and-swap of the whole cell. The argument uses the coherence of that one word, which relaxed atomics
 * of device scope have, too. What it needs besides is that a thread that takes an entry reads a cell that is not older
 * than the entry; otherwise it would drop the entry as stale, and the item would be lost. Entries pass over a grid
 * barrier, within a warp behind __syncwarp, or through a queue whose entries are stored with release and loaded with
 * acquire (op_warp_ordered). Lists without values (op_dev_step). The entry is the item alone, and is never stale while
 * the item has a level. An item that is on the list of a step already is not put there again: what is added before that
 * step's take is taken with it. Hubs. The pieces of a hub need what was taken from its cell. So the thread that takes
 * the cell puts the pieces on the list of the next step, each with that value; there they are never stale.
 */
#include <cooperative_groups.h>

#include <ordo/detail/cuda/block_scan.cuh>
#include <ordo/detail/cuda/cell.cuh>
#include <ordo/detail/cuda/frontier.cuh>
#include <ordo/detail/cuda/locks.cuh>
#include <ordo/detail/cuda/warp_reduce.cuh>

#if !ORDO_OP_RESIDUALS /* <ordo/detail/cuda/residual.cuh> has its own */
#include <ordo/detail/written.h>

typedef op_cell op_taken; /* what candidates are computed from */

/* On the host: begins a run that reads out-rows alone. */
static inline ordo_status op_cuda_begin(ordo_job *job, ordo_cuda *c)
{
    return ordo_cuda_begin(job, sizeof(op_cell), false, c);
}

/* On the host, after op_cuda_begin: the words to which candidates are applied. */
static inline op_cell *op_cuda_cells_of(const ordo_cuda *c, const op_state *)
{
    return (op_cell *)c->cells;
}

/* On the host, after op_cuda_begin: the run's state, with its arrays on the device. The caller copies back what takes
 * have written, by ordo_cuda_arrays_out(). */
static inline ordo_status op_cuda_state(ordo_cuda *c, op_state *state, ordo_cuda_arrays *arrays)
{
    ordo_status status = op_cuda_cells();
    if (!status && c->job->remote)
        status = op_note_written(c->job);
    if (status)
        return status;
    *state = *(const op_state *)c->job->state;
    arrays->count = op_arrays(state, c->job->num_items, c->job->targets, c->job->out->m, arrays->array);
    return ordo_cuda_arrays_in(c, arrays);
}

/* Of sums, for code that serves both: what is there before a take. */
ORDO_DEV op_taken op_not_taken(op_cell cell)
{
    return cell;
}

#endif

/* The same for the arguments of a kernel that have the members rows, cells, state and run: sets all four. */
template <typename Args> static ordo_status op_cuda_arguments(ordo_cuda *c, Args *a, ordo_cuda_arrays *arrays)
{
    a->rows = c->out;
    a->run = c->run;
    const ordo_status status = op_cuda_state(c, &a->state, arrays);
    a->cells = op_cuda_cells_of(c, &a->state);
    return status;
}

#if ORDO_OP_ORDER != ORDO_SUM
/* The same where nothing is written: for selects. */
template <typename Args> static ordo_status op_cuda_arguments(ordo_cuda *c, Args *a)
{
    ordo_cuda_arrays arrays = {};
    return op_cuda_arguments(c, a, &arrays);
}
#endif

#if ORDO_OP_ORDER == ORDO_SUM
/* The value that proposes nothing. */
ORDO_DEV op_cell op_worst(void)
{
    return 0;
}
#endif

/* By one thread: the value from which an item's candidates are computed: its cell, if items have cells. */
ORDO_DEV op_cell op_dev_cell(op_cell *cells, ordo_item item)
{
    return op_activates ? ordo_dev_load(&cells[item]) : op_worst();
}

#if ORDO_OP_ORDER == ORDO_SUM

/* By any lanes of a warp: calls `change()` under the lock of the target. Lanes that call together stay in one loop
 * until all of them are done: a critical section runs in the iteration in which its lock was acquired, so no lane that
 * holds a lock waits for a lane that wants it (see critical.cuh). */
template <typename Change> ORDO_DEV void op_dev_under_lock(const ordo_cuda_locks *locks, ordo_u32 target, Change change)
{
    const ordo_u32 here = __activemask();
    ordo_u32 *const lock = &locks->lock[target & locks->mask];
    bool open = true;
    do {
        if (open && ordo_dev_lock<false>(lock)) {
            ordo_dev_order<false>();
            change();
            ordo_dev_order<false>();
            ordo_dev_unlock<false>(lock);
            open = false;
        }
    } while (__any_sync(here, open));
}

/* By one thread: adds to a cell in one atomic step; returns the value before. */
ORDO_DEV op_cell op_dev_add(op_cell *cell, op_cell addend)
{
#if ORDO_OP_REAL
    return op_add_real(cell, addend);
#else
    return ordo_dev_add(cell, addend);
#endif
}

/* By one thread: whether an addition has raised the level, that is, activates its target. */
ORDO_DEV bool op_dev_raises(const op_state *state, op_cell old, op_cell sum)
{
    return op_level(state, sum) > op_level(state, old);
}

/* By one thread: adds a candidate to its target's cell; true if the target is activated. *candidate becomes the new
 * sum. The last two arguments are those of selects. */
ORDO_DEV bool op_dev_apply(const op_state *state, op_cell *cells, ordo_u32 target, op_cell *candidate, bool, bool)
{
    if (*candidate == 0)
        return false;
    const op_cell old = op_dev_add(&cells[target], *candidate);
    *candidate = old + *candidate;
    return op_dev_raises(state, old, *candidate);
}

/* By any lanes of a warp: the same under the lock of the target. */
ORDO_DEV bool op_dev_apply_locked(const op_state *state, op_cell *cells, const ordo_cuda_locks *locks, ordo_u32 target,
                                  op_cell *candidate)
{
    op_cell old = 0, sum = 0;
    op_dev_under_lock(locks, target, [&] {
        old = ordo_dev_load(&cells[target]);
        sum = old + *candidate;
        ordo_dev_store(&cells[target], sum);
    });
    *candidate = sum;
    return op_dev_raises(state, old, sum);
}

#if !ORDO_OP_RESIDUALS /* op_dev_compute in place of op_dev_begin; topology alone takes all */

/* By one thread, or with locks by any lanes of a warp: takes an item's cell, if it has a level. Returns whether it had;
 * *value is then what the item's candidates are computed from. `locks`: NULL unless cells change under locks. */
ORDO_DEV bool op_dev_begin(const op_state *state, op_cell *cells, const ordo_cuda_locks *locks, ordo_item item,
                           op_cell *value)
{
    op_cell taken = ordo_dev_load(&cells[item]);
    bool has = op_level(state, taken) > 0;
    if (locks) {
        if (has)
            op_dev_under_lock(locks, item, [&] {
                taken = ordo_dev_load(&cells[item]);
                if ((has = op_level(state, taken) > 0))
                    ordo_dev_store(&cells[item], op_spent());
            });
    } else {
        while (has && !ordo_dev_swap(&cells[item], &taken, op_spent()))
            has = op_level(state, taken) > 0;
    }
    if (has)
        *value = op_take(state, item, taken);
    return has;
}

/* What was taken in the rounds of a scheduler that takes all items in one phase, and adds in another. */
typedef struct op_dev_round {
    op_cell *taken; /* [num_items] what candidates are computed from */
    ordo_u32 *last; /* [num_items] the last round in which the item was taken; 0: in none */
} op_dev_round;

static inline ordo_status op_cuda_round_make(ordo_cuda *c, op_dev_round *r)
{
    r->taken = (op_cell *)ordo_cuda_alloc(c, c->job->num_items, sizeof *r->taken, false);
    r->last = r->taken ? (ordo_u32 *)ordo_cuda_alloc(c, c->job->num_items, sizeof *r->last, true) : NULL;
    return r->last ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* By the whole grid: takes the cells of all items that have a level. Returns whether the thread has taken any. */
ORDO_DEV bool op_dev_take_all(const op_dev_round *r, const op_state *state, op_cell *cells, ordo_u64 num_items,
                              ordo_u32 round, ordo_cuda_counters *mine)
{
    bool any = false;
    for (ordo_u64 i = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x; i < num_items;
         i += (ordo_u64)gridDim.x * blockDim.x) {
        op_cell value;
        if (!op_filter(state, (ordo_item)i) || !op_dev_begin(state, cells, NULL, (ordo_item)i, &value))
            continue;
        r->taken[i] = value;
        r->last[i] = round;
        mine->items++;
        any = true;
    }
    return any;
}

#endif

#else

/* What changes cells is of device scope; of system scope in runs over several GPUs, where other GPUs may change them,
 * too. */
#if ORDO_OVER_RANKS
#define OP_DEV_SCOPED(_name) _name##_system
#else
#define OP_DEV_SCOPED(_name) _name
#endif

/* By one thread: applies a candidate atomically, if `has`. Sets *old to the cell's old value if `has`; otherwise it is
 * undefined. */
ORDO_DEV void op_dev_improve(op_cell *cells, bool has, ordo_u32 target, op_cell candidate, op_cell *old)
{
    op_cell *const cell = &cells[target];
#if !ORDO_OP_STRUCT /* all branches compile for every number */
    constexpr bool min = (int)op_order == ORDO_MIN, max = (int)op_order == ORDO_MAX;
    if constexpr (((int)op_cell_type == ORDO_F32 || (int)op_cell_type == ORDO_F64) && (min || max)) {
        /* The bits of non-negative floats are ordered as integers, those of negative floats in reverse, and as signed
         * integers the former are above the latter. So the candidate's sign decides which integer operation to use. */
        using bits = typename ordo_dev_word<op_cell>::bits;
        using number = typename ordo_dev_word<op_cell>::number; /* signed, for reals have a sign */
        bits word, was;
        memcpy(&word, &candidate, sizeof word);
        const bool negative =
            word >> (8 * sizeof word - 1) != 0; /* no test of a sign: bits of unsigned cells have none */
        has = has && candidate == candidate;
        was = word; /* one of the two operations writes it; for a NaN none does */
        if (min) {
            OP_DEV_SCOPED(ordo_dev_min_where)(has && !negative, (number *)cell, (number)word, (number *)&was);
            OP_DEV_SCOPED(ordo_dev_max_where)(has && negative, (bits *)cell, word, &was);
        } else {
            OP_DEV_SCOPED(ordo_dev_max_where)(has && !negative, (number *)cell, (number)word, (number *)&was);
            OP_DEV_SCOPED(ordo_dev_min_where)(has && negative, (bits *)cell, word, &was);
        }
        memcpy(old, &was, sizeof was);
    } else if constexpr (min || max) {
        using number = typename ordo_dev_word<op_cell>::number;
        number was = {};
        if (min)
            OP_DEV_SCOPED(ordo_dev_min_where)(has, (number *)cell, (number)candidate, &was);
        else
            OP_DEV_SCOPED(ordo_dev_max_where)(has, (number *)cell, (number)candidate, &was);
        *old = (op_cell)was;
    } else
#endif
        if (has) {
        *old = OP_DEV_SCOPED(ordo_dev_load)(cell);
        while (op_better(candidate, *old) && !OP_DEV_SCOPED(ordo_dev_swap)(cell, old, candidate))
            ;
    }
}

/* By one thread: applies one candidate; true if it improved the cell. Unless `blind`, it tests the cell first, because
 * most candidates improve nothing and a load costs half as much as an atomic. `racy`: writes by a plain store. */
ORDO_DEV bool op_dev_offer(op_cell *cells, ordo_u32 target, op_cell candidate, bool racy, bool blind)
{
    if (!blind && !op_better(candidate, ordo_dev_load(&cells[target])))
        return false;
    if (racy) {
        ordo_dev_store(&cells[target], candidate);
        return true;
    }
    op_cell old;
    op_dev_improve(cells, true, target, candidate, &old);
    return op_better(candidate, old);
}

/* By any lanes of a warp: the same under the lock of the target. A lane takes the lock only if its candidate would
 * improve the cell, and tests the cell again under the lock. Lanes that call together stay in one loop until all of
 * them are done: a critical section runs in the iteration in which its lock was acquired, so no lane that holds a lock
 * waits for a lane that wants it (see critical.cuh). */
ORDO_DEV bool op_dev_offer_locked(op_cell *cells, const ordo_cuda_locks *locks, ordo_u32 target, op_cell candidate)
{
    const ordo_u32 here = __activemask();
    ordo_u32 *const lock = &locks->lock[target & locks->mask];
    bool open = true, improved = false;
    do {
        open = open && op_better(candidate, ordo_dev_load(&cells[target]));
        if (open && ordo_dev_lock<false>(lock)) {
            ordo_dev_order<false>();
            improved = op_better(candidate, ordo_dev_load(&cells[target]));
            if (improved)
                ordo_dev_store(&cells[target], candidate);
            ordo_dev_order<false>();
            ordo_dev_unlock<false>(lock);
            open = false;
        }
    } while (__any_sync(here, open));
    return improved;
}

/* By one thread: op_dev_offer, for selects and sums alike. True if the target is activated: the candidate improved the
 * cell or, for sums, raised its level; *candidate is then the new value of the cell. */
ORDO_DEV bool op_dev_apply(const op_state *state, op_cell *cells, ordo_u32 target, op_cell *candidate, bool racy,
                           bool blind)
{
    (void)state;
    return op_dev_offer(cells, target, *candidate, racy, blind);
}

/* By any lanes of a warp: the same under the lock of the target. */
ORDO_DEV bool op_dev_apply_locked(const op_state *state, op_cell *cells, const ordo_cuda_locks *locks, ordo_u32 target,
                                  op_cell *candidate)
{
    (void)state;
    return op_dev_offer_locked(cells, locks, target, *candidate);
}

#endif

/* The bits of a weight as the operator reads it. */
enum { op_dev_wide = (int)op_weight_type == ORDO_I64 || (int)op_weight_type == ORDO_F64 };
using op_dev_weight = ordo_dev_either<op_dev_wide != 0, unsigned long long, ordo_u32>::type;

/* By one thread: loads heads and weights of N edges. All loads are issued before the first value is used. */
template <int N>
ORDO_DEV void op_dev_edges(const ordo_cuda_rows *rows, const ordo_eid (&e)[N], ordo_u32 (&head)[N],
                           op_dev_weight (&weight)[N])
{
    if constexpr (op_dev_wide != 0) {
#pragma unroll
        for (int u = 0; u < N; u++) {
            head[u] = __ldg(rows->edge + e[u]);
            weight[u] = rows->wide ? __ldg((const unsigned long long *)rows->wide + e[u])
                                   : (op_dev_weight)((int)op_weight_type == ORDO_F64 ? 0x3ff0000000000000u : 1);
        }
    } else if (rows->stride == 2) {
        uint2 both[N];
#pragma unroll
        for (int u = 0; u < N; u++)
            both[u] = __ldg((const uint2 *)rows->edge + e[u]);
#pragma unroll
        for (int u = 0; u < N; u++) {
            head[u] = both[u].x;
            weight[u] = both[u].y;
        }
    } else {
#pragma unroll
        for (int u = 0; u < N; u++) {
            head[u] = __ldg(rows->edge + e[u]);
            weight[u] = (int)op_weight_type == ORDO_F32 ? 0x3f800000u /* 1.0f */ : 1;
        }
    }
}

/* By one thread: edge `e`, of the row of `tail`. `turned`: the rows are in-rows, and the edge leads to `tail`. */
ORDO_DEV op_edge op_dev_edge(const ordo_cuda_rows *rows, ordo_eid e, ordo_vid tail, bool turned)
{
    const ordo_eid edge[1] = {e};
    ordo_u32 head[1];
    op_dev_weight weight[1];
    op_dev_edges(rows, edge, head, weight);
    return turned ? op_make_edge(e, head[0], tail, weight) : op_make_edge(e, tail, head[0], weight);
}

/* By one thread: an edge of rows without weights. Its number is not known, so it is 0. */
ORDO_DEV op_edge op_dev_bare_edge(ordo_vid tail, ordo_vid head)
{
    const op_dev_weight weight[1] = {(int)op_weight_type == ORDO_F64   ? (op_dev_weight)0x3ff0000000000000u
                                     : (int)op_weight_type == ORDO_F32 ? (op_dev_weight)0x3f800000u
                                                                       : (op_dev_weight)1};
    return op_make_edge(0, tail, head, weight);
}

/* Shared memory of op_dev_expand, for blocks of Threads threads, a power of two. */
template <int Threads> struct op_dev_tile_of {
    ordo_dev_scan<ordo_u32, Threads> scan;
    ordo_u32 offset[Threads]; /* number of the item's first edge among all edges of the tile */
    ordo_u64 begin[Threads];
    ordo_vid item[Threads];
    op_taken value[Threads];
};
typedef op_dev_tile_of<ORDO_CUDA_THREADS> op_dev_tile;

/* What threads do between edges if nothing is asked for. */
struct op_dev_nothing {
    __device__ __forceinline__ void operator()() const
    {
    }
};

/* Items that a block of so many threads buffers: those that its threads activate between two calls of `done()`, and as
 * many that were there. */
template <int Threads> constexpr int op_dev_capacity = ORDO_CUDA_CAPACITY / ORDO_CUDA_THREADS * Threads;

template <typename Pause> constexpr bool op_dev_pauses = true;
template <> constexpr bool op_dev_pauses<op_dev_nothing> = false;

/* Whether steps are as a search has them: with few items that have thousands of edges each, so blocks share an item,
 * and with tiles that activate more than a block's buffer holds, so it is flushed within a tile. Elsewhere such steps
 * are a small part of a run, and for what this costs in registers a multiprocessor would have a block less. */
#if ORDO_OP_ORDER == ORDO_SUM
enum { op_dev_searches = 0 };
#else
enum { op_dev_searches = (int)op_knows_final };
#endif

/* By a whole block: calls `each(i)` for begin <= i < end, in rounds in which each thread has one. All warps call
 * `pause()` behind a round; in searches the block calls `done()` behind ORDO_CUDA_FEW rounds if more come. Threads that
 * call something together stay in the loop together: those of a block, of a warp, or none. */
template <int Threads, typename Number, typename Each, typename Done, typename Pause>
ORDO_DEV void op_dev_deal(Number begin, Number end, Each each, Done done, Pause pause)
{
    const ordo_u32 together = op_dev_searches ? threadIdx.x : op_dev_pauses<Pause> ? threadIdx.x % 32 : 0;
    ordo_u32 round = 0;
    for (Number i = begin + threadIdx.x; i - together < end; i += Threads) {
        if (!together || i < end) /* the first of those, or one alone, is in the loop for itself */
            each(i);
        pause();
        if (op_dev_searches && ++round % ORDO_CUDA_FEW == 0 && i - together + Threads < end)
            done();
    }
}

/* By a whole block. `lanes` consecutive threads share an item, or none (degree 0), and pass the same item, value, begin
 * and degree. One thread calls `sink(item, value, e)` for each edge begin .. begin + degree - 1 of each item. Items
 * with few edges are processed by the threads that share them; the edges of the other items are concatenated and
 * distributed over all threads of the block. Whole warps call `pause()`, and in searches the block `done()`, when their
 * lanes have called `sink` at most ORDO_CUDA_FEW times, but `done()` not at the end. */
template <int Threads, typename Sink, typename Done = op_dev_nothing, typename Pause = op_dev_nothing>
ORDO_DEV void op_dev_expand(op_dev_tile_of<Threads> *tile, ordo_vid item, op_taken value, ordo_u64 begin,
                            ordo_u32 degree, ordo_u32 lanes, Sink sink, Done done = {}, Pause pause = {})
{
    const ordo_u32 lane = threadIdx.x & (lanes - 1);
    const bool few = degree <= ORDO_CUDA_FEW * lanes;
    if (few)
        for (ordo_u32 i = lane; i < degree; i += lanes)
            sink(item, value, begin + i);
    pause();
    if (!__syncthreads_or(!few))
        return;
    ordo_u32 total;
    tile->offset[threadIdx.x] = ordo_dev_sum_before(&tile->scan, few || lane ? 0u : degree, &total);
    tile->begin[threadIdx.x] = begin;
    tile->item[threadIdx.x] = item;
    tile->value[threadIdx.x] = value;
    __syncthreads();
#if ORDO_OP_RESIDUALS
    ordo_dev_fence(); /* releases what other warps have written, ahead of offers */
#endif
    if (op_dev_searches && total > op_dev_capacity<Threads> / 2)
        done();
    auto one = [&](ordo_u32 i) {
        ordo_u32 owner = 0; /* the last item whose offset is at most i */
        for (ordo_u32 step = Threads / 2; step; step /= 2)
            owner += tile->offset[owner + step] <= i ? step : 0;
        sink(tile->item[owner], tile->value[owner], tile->begin[owner] + (i - tile->offset[owner]));
    };
    op_dev_deal<Threads>((ordo_u32)0, total, one, done, pause);
    __syncthreads();
}

/* ---- supersteps ---- */

/* A block's buffer in front of a frontier, for as many items. Hubs of sums are cut when their cell has been taken. */
#if ORDO_OP_ORDER == ORDO_SUM
template <int Capacity> using op_dev_queue_of = ordo_dev_queue_of<Capacity>;
#else
template <int Capacity> using op_dev_queue_of = ordo_dev_frontier_queue_of<Capacity>;
#endif
typedef op_dev_queue_of<ORDO_CUDA_CAPACITY> op_dev_queue;

/* A frontier; where cells sum with what was taken for each piece of a hub. */
#if ORDO_OP_ORDER == ORDO_SUM
typedef struct op_dev_frontier : ordo_cuda_frontier {
    op_taken *taken[2]; /* beside `segment` */
} op_dev_frontier;
#else
typedef ordo_cuda_frontier op_dev_frontier;
#endif

/* On the host: makes the frontier of a run. */
static inline ordo_status op_cuda_frontier_make(ordo_cuda *c, op_dev_frontier *f)
{
    ordo_status status = ordo_cuda_frontier_make(c, c->job->num_items, c->out.m, f);
#if ORDO_OP_ORDER == ORDO_SUM
    for (int i = 0; i < 2 && !status; i++)
        if (!(f->taken[i] = (op_taken *)ordo_cuda_alloc(c, ordo_cuda_pieces(c->out.m), sizeof(op_taken), false)))
            status = ORDO_ERR_MEMORY;
#endif
    return status;
}

#if ORDO_OP_ORDER == ORDO_SUM

/* By one thread: puts an item on the frontier of step `step`, unless it is there: returns 0 if it was, else 1. */
template <typename Queue>
ORDO_DEV ordo_u64 op_dev_push(const op_dev_frontier *f, Queue *q, const ordo_cuda_rows *, ordo_vid item, ordo_u32 step,
                              bool)
{
    if (ordo_dev_exchange(&f->stamp[item], step) == step)
        return 0;
    ordo_dev_append(q, item, f->list[step & 1], &f->counters[step % 3].count);
    return 1;
}

/* By one thread: puts the pieces of a hub whose cell it has taken on the frontier of step `step`. */
ORDO_DEV void op_dev_cut(const op_dev_frontier *f, ordo_vid item, op_taken value, ordo_u64 degree, ordo_u32 step)
{
    const ordo_u32 pieces = (ordo_u32)((degree + ORDO_CUDA_SEGMENT - 1) / ORDO_CUDA_SEGMENT);
    const ordo_u32 at = ordo_dev_add(&f->counters[step % 3].segments, pieces);
    for (ordo_u32 i = 0; i < pieces; i++) {
        f->segment[step & 1][at + i] = (ordo_u64)item << 32 | i;
        f->taken[step & 1][at + i] = value;
    }
}

/* By a whole warp, whose lanes share items by `lanes`: begins the item, if `there`. Sets *value and *degree, the number
 * of its edges to process in this step; of a hub that is none. */
ORDO_DEV void op_dev_begin_shared(const op_dev_frontier *f, op_cell *cells, const op_state *state,
                                  const ordo_cuda_locks *locks, bool there, ordo_vid item, ordo_u32 lanes,
                                  ordo_u32 step, ordo_u64 edges, op_taken *value, ordo_u32 *degree,
                                  ordo_cuda_counters *mine)
{
    const int first = threadIdx.x % 32 & ~(lanes - 1);
    bool has = false;
#if ORDO_OP_RESIDUALS
    (void)locks;
    const bool begins = there && threadIdx.x % lanes == 0,
               due = begins && op_level(state, op_dev_cell(cells, item)) > 0;
    mine->stale += begins && !due;
    has = op_dev_compute(state, due, item, value, mine);
    if (has && edges > ORDO_CUDA_SEGMENT)
        op_dev_cut(f, item, *value, edges, step + 1);
#else
    if (there && threadIdx.x % lanes == 0) {
        has = op_dev_begin(state, cells, locks, item, value);
        mine->items += has;
        mine->stale += !has;
        if (has && edges > ORDO_CUDA_SEGMENT)
            op_dev_cut(f, item, *value, edges, step + 1);
    }
#endif
    __syncwarp();
    *value = op_dev_shuffle(*value, first);
    has = __shfl_sync(~0u, (int)has, first);
    *degree = has && edges <= ORDO_CUDA_SEGMENT ? (ordo_u32)edges : 0;
}

#else

/* By one thread: puts an item, or the pieces of a hub, on the frontier of step `step`, unless it is there. Returns its
 * number of edges, or the frontier's mean degree if it has one, or 0 if it was there already. `alone`: no other thread puts
 * this item there in this step, so it needs no stamp; over ranks the frontier's bits are made from stamps. */
template <typename Queue>
ORDO_DEV ordo_u64 op_dev_push(const ordo_cuda_frontier *f, Queue *q, const ordo_cuda_rows *rows, ordo_vid item,
                              ordo_u32 step, bool alone)
{
    const ordo_u64 degree = f->mean_degree ? f->mean_degree /* else loaded while the stamp is exchanged */
                                    : __ldg(rows->row + item + 1) - __ldg(rows->row + item);
    if (alone && ORDO_OVER_RANKS)
        ordo_dev_store(&f->stamp[item], step);
    else if (!alone && ordo_dev_exchange(&f->stamp[item], step) == step)
        return 0;
    if (degree <= ORDO_CUDA_SEGMENT) {
        ordo_dev_append(q, item, f->list[step & 1], &f->counters[step % 3].count);
        return degree;
    }
    ordo_dev_append_hub(q, f, step, item, (ordo_u32)((degree + ORDO_CUDA_SEGMENT - 1) / ORDO_CUDA_SEGMENT));
    return degree;
}

#endif

/* Items of the narrowest tile. Items of sums are begun by a warp at most (op_dev_begin_shared). */
enum { op_dev_narrow = ORDO_OP_ORDER == ORDO_SUM ? (int)ORDO_CUDA_NARROW : 1 };

/* By a whole block: its part of a superstep. Takes tiles of items and pieces of hubs until none is left; one thread
 * calls `sink(item, value, e)` for each edge. The whole block calls `done()` behind each tile, to flush (and within:
 * see op_dev_deal), and `between()` where it may get another one. A block's first tile or piece is the one with the
 * block's number; only later ones are taken from the shared counter, so that steps with little work do not access that.
 * In steps with few items tiles are narrower, as even as can be, and several threads share an item, so that every block
 * has a tile; pieces are cut into parts likewise. `mine` are the counters of the calling thread. `locks`: as in
 * op_dev_begin. `pause`: as in op_dev_expand. `dealt`: tiles are assigned by the numbers of blocks, and no counter is
 * touched. One function: pieces of hubs and tiles share the block's registers and the loop that takes them. */
template <int Threads, typename Sink, typename Done, typename Between, typename Pause = op_dev_nothing,
          typename Counters>
ORDO_DEV void op_dev_step(op_dev_tile_of<Threads> *tile, const op_dev_frontier *f, const ordo_cuda_rows *rows,
                          op_cell *cells, const op_state *state, ordo_u32 step, Counters *mine, Sink sink, Done done,
                          Between between, const ordo_cuda_locks *locks = NULL, Pause pause = {},
                          const bool dealt = false)
{
    (void)locks; /* of sums alone */
    /* log2 of the parts of a piece, and of those of an item: in registers they cost a block of those that fit */
    __shared__ ordo_u32 taken, shift, spread;
    ordo_cuda_superstep_counters *counters = &f->counters[step % 3];
    const ordo_u32 count = counters->count, segments = counters->segments;
    ordo_u32 share = 0, parts = 0; /* log2 of the threads of an item */
    while (((ordo_u32)op_dev_narrow << share) < Threads &&
           (ordo_u64)gridDim.x * (Threads / 2) >= (ordo_u64)count << share)
        share++;
    const ordo_u32 lanes = 1u << share;
    const ordo_u32 even = (count + gridDim.x - 1) / gridDim.x; /* items a block, where each has one tile */
    const ordo_u32 most = (ordo_u32)Threads >> share, width = even && even < most ? even : most;
    ordo_u32 tiles = (count + width - 1) / width;
    const bool alone = op_dev_searches && width == 1; /* each item has a block at least */
    if (segments || alone) {
        if (threadIdx.x == 0) {
            shift = ordo_cuda_parts(segments, tiles, gridDim.x);
            spread = alone ? ordo_cuda_spread(segments << shift, tiles, gridDim.x) : 0;
        }
        __syncthreads();
        parts = segments << shift;
        tiles <<= spread;
    }
    for (ordo_u32 now = blockIdx.x; now < parts + tiles;) {
        if (now < parts) { /* pieces of hubs are processed first */
            const ordo_u64 piece = f->segment[step & 1][now >> shift], part = now & ((1u << shift) - 1);
            const ordo_vid item = (ordo_vid)(piece >> 32);
            const ordo_u64 edges = ORDO_CUDA_SEGMENT >> shift;
            const ordo_u64 begin = rows->row[item] + (piece & 0xffffffffu) * ORDO_CUDA_SEGMENT + part * edges;
            const ordo_u64 row_end = rows->row[item + 1], end = begin + edges < row_end ? begin + edges : row_end;
#if ORDO_OP_ORDER == ORDO_SUM
            auto one = [&](ordo_u64 e) { sink(item, f->taken[step & 1][now >> shift], e); };
            op_dev_deal<Threads>(begin, end, one, done, pause);
#else
            const op_cell value = op_dev_cell(cells, item);
            auto one = [&](ordo_u64 e) { sink(item, value, e); };
            if (op_filter(state, item)) /* the same in all threads */
                op_dev_deal<Threads>(begin, end, one, done, pause);
            if (threadIdx.x == 0 && (piece & 0xffffffffu) == 0 && part == 0)
                mine->items++;
#endif
        } else {
            ordo_u32 i = alone ? (now - parts) >> spread : (now - parts) * width + (threadIdx.x >> share);
            bool there = i < count && (alone || threadIdx.x >> share < width);
            ordo_vid item = there ? f->list[step & 1][i] : 0;
            there = there && op_filter(state, item);
            ordo_u64 begin = there ? __ldg(rows->row + item) : 0;
#if ORDO_OP_ORDER == ORDO_SUM
            const ordo_u64 edges = there ? __ldg(rows->row + item + 1) - begin : 0;
            op_taken value = op_not_taken(op_worst());
            ordo_u32 degree;
            op_dev_begin_shared(f, cells, state, locks, there, item, lanes, step, edges, &value, &degree, mine);
#else
            ordo_u32 degree = there ? (ordo_u32)(__ldg(rows->row + item + 1) - begin) : 0;
            op_cell value = there ? op_dev_cell(cells, item) : op_worst();
            ordo_u32 part = 0;
            if (alone) {
                part = (now - parts) & ((1u << spread) - 1);
                const ordo_u32 each = ((degree >> spread) / Threads + 1) * Threads;
                const ordo_u32 before = part * each;
                begin += before;
                degree = before < degree ? (degree - before < each ? degree - before : each) : 0;
            }
            mine->items += there && part == 0 && threadIdx.x % lanes == 0;
#endif
            op_dev_expand(tile, item, value, begin, degree, lanes, sink, done, pause);
        }
        done(); /* begins and ends with a barrier */
        if (dealt) {
            now += gridDim.x;
        } else if (gridDim.x < parts + tiles) {
            between(now);
            if (threadIdx.x == 0)
                taken = gridDim.x + ordo_dev_add(&counters->ticket, 1u);
            __syncthreads();
            now = taken;
            __syncthreads();
        } else {
            break;
        }
    }
}
