/* bsp on a GPU: double-buffered supersteps in one persistent launch, a grid barrier between them.
 *
 * Problem. Expand all items of a worklist in parallel, whatever their degrees, and collect what they activate.
 *
 * Data structures. Two lists of items, and of pieces of hubs, with triple-buffered counters (ordo_cuda_frontier).
 * `stamp` holds the last superstep for which an item was pushed, so each item is on a list once.
 *
 * Protocol. A superstep takes the items of one list in tiles, processes their edges balanced by degree, and pushes
 * improved targets to the other list.
 *   Pulling (Beamer, Asanovic and Patterson 2012), if the operator declares ORDO_RELAX_FINAL and is edge-blind: every
 *   vertex whose cell can still improve searches its in-edges for a tail on this step's frontier and stops at the
 *   first, as all candidates of a step are equal. The frontier is then a bitmap (cuda_pull.cuh).
 *   Cells that sum push, unless direction=pull asks for the other (cuda_sums.cuh).
 *   Sync race, and other ways of listing what is activated: cuda_lists.cuh.
 *   Sync lock: every improvement is a store under the lock of its cell, one of a table. It exists to be compared with
 *   atomics.
 *
 * Termination. The run ends when a list is empty. All blocks see the same, since no thread writes a step's counters
 * after the barrier before it.
 *
 * Memory order. Cells are relaxed; lists pass from block to block over a grid barrier. While pulling, a cell is written
 * by one lane only, and frontier cells do not change during the step.
 */
#include "tunables.h"

/* What profilers show carries the operator's name. */
#define bsp_kernel ORDO_OP_NAME(bsp_kernel)

/* Operators for which supersteps may pull; for others the scheduler's check refuses direction=pull. */
enum { bsp_pulls = (int)op_knows_final && (int)op_can_pull };

/* Threads of a block. A barrier of half as many blocks takes 1.65 us for 1.9 (H200), which is a twentieth of a step of
 * a search that has little to do. Over ranks outboxes take the shared memory that this costs. */
enum { BSP_DEV_THREADS = bsp_pulls && !ORDO_OVER_RANKS ? 512 : (int)ORDO_CUDA_THREADS };
/* How many blocks of BSP_DEV_THREADS threads have the threads of so many blocks of 256. */
constexpr int bsp_blocks(int of_256)
{
    return of_256 * 256 / BSP_DEV_THREADS;
}
typedef op_dev_tile_of<BSP_DEV_THREADS> bsp_tile;
typedef op_dev_queue_of<op_dev_capacity<BSP_DEV_THREADS>> bsp_queue;

/* The frontier of steps that pull. */
typedef struct bsp_bits {
    ordo_u32 *frontier[2];   /* [words] a bit for each item; of steps of alternating parity */
    ordo_u32 *closed;        /* [words] items that no step has to look at; valid from one step that pulls to the next */
    ordo_u64 *piece;         /* [m / BSP_LONG + 1] item << 32 | number of the piece; of rows that are very long */
    ordo_u32 *found;         /* [3 * ORDO_CUDA_LINE] items on the frontier, if it has bits and no list */
    ordo_u32 *pieces;        /* [3 * ORDO_CUDA_LINE] */
    const ordo_vid *leading; /* [n] a tail that is tested first, or NULL; see bsp_take_led */
} bsp_bits;

typedef struct bsp_args {
    ordo_cuda_rows rows;
    op_cell *cells;
    op_state state;
    bool racy;
    ordo_cuda_locks locks; /* for sync lock */
    ordo_cuda_rows in;     /* if pulling is allowed */
    int direction;         /* BSP_AUTO, BSP_PUSH or BSP_PULL */
    double alpha, beta;
    ordo_u64 num_items;
    op_dev_frontier frontier;
    ordo_cuda_run run;
    bsp_bits bits; /* if pulling is allowed */
#if ORDO_OVER_RANKS
    ordo_cuda_ranks ranks;
    ordo_u32 *some; /* an item on the frontier, if it has bits and the rank has any */
#endif
} bsp_args;

#if ORDO_OP_ORDER != ORDO_SUM
#include "cuda_pull.cuh"
static_assert(sizeof(bsp_pull_space) <= sizeof bsp_queue::held, "a step that pulls has the buffer's memory");
#endif

/* By a whole warp: adds the lanes' numbers of pushed edges to that of a step. */
ORDO_DEV void bsp_add_edges(ordo_cuda_superstep_counters *counters, ordo_u64 pushed)
{
    for (int step = 16; step; step /= 2)
        pushed += __shfl_down_sync(0xffffffffu, pushed, step);
    if (threadIdx.x % 32 == 0 && pushed)
        ordo_dev_add(&counters->edges, pushed);
}

/* By the whole grid: makes the frontier of the first step. */
ORDO_DEV void bsp_push_initial(const bsp_args *a, bsp_queue *queue)
{
    const op_dev_frontier *f = &a->frontier;
    const ordo_u64 threads = (ordo_u64)gridDim.x * BSP_DEV_THREADS;
    ordo_u64 pushed = 0;
    for (ordo_u64 first = (ordo_u64)blockIdx.x * BSP_DEV_THREADS; first < a->run.initial_count; first += threads) {
        ordo_u64 i = first + threadIdx.x;
        if (i < a->run.initial_count)
            pushed += op_dev_push(f, queue, &a->rows, ordo_dev_initial(&a->run, i), 1, false);
        ordo_dev_flush(queue, f, 1, false);
    }
    ordo_dev_flush(queue, f, 1, true);
    bsp_add_edges(&f->counters[1], pushed);
}

/* Blocks that are to fit on a multiprocessor; 0: as many as do. Random accesses to cells bind what only pushes: rmat
 * 2^24 with five took 13 % longer than with six (bellman-ford, H200). */
enum { bsp_fit = bsp_pulls ? bsp_blocks(4) : sizeof(op_cell) <= 4 && ORDO_OP_ORDER != ORDO_SUM ? bsp_blocks(6) : 0 };

/* A step with fewer items than this for each block skips the test before an atomic, which is one more round trip to
 * wait for. Searches skip it in fewer steps, since most of their edges improve no cell. */
enum { bsp_few = bsp_pulls ? 32 : 64 };

/* Registers bind this kernel (lab 0079), so counters have 32 bits where they may. Samples of a trace want sums over the
 * whole run. */
template <bool Traced>
using bsp_counters =
    typename ordo_dev_either<Traced || ORDO_OP_ORDER == ORDO_SUM, ordo_cuda_counters, ordo_dev_counters>::type;

/* One function: the parts of a step share the frontier, the buffer and the counters, which stay in registers. `Led`:
 * there may be leading tails. In a kernel of its own, as its code makes all other steps 2 % longer. */
template <bool Locked, bool Led, bool Traced>
static __global__ void __launch_bounds__((BSP_DEV_THREADS), Locked   ? 1
                                                              : Traced ? bsp_blocks(4)
                                                                       : (int)bsp_fit) bsp_kernel(const bsp_args a)
{
    __shared__ bsp_tile tile;
    alignas(8) __shared__ bsp_queue queue;
    __shared__ ordo_u64 edges_left[2], last_items[2]; /* before a step, by its parity */
    auto grid = cooperative_groups::this_grid();
    const op_dev_frontier *f = &a.frontier;
    bsp_counters<Traced> mine = {};
    ordo_dev_start(&queue);
    if constexpr (Traced)
        if (ordo_live_shows())
            ordo_live_begin(a.run.traced, ORDO_BUSY);
    bsp_push_initial(&a, &queue);
    if (threadIdx.x == 0) {
        edges_left[1] = a.rows.m;
        last_items[1] = 0;
    }
    grid.sync();
    /* all blocks make the same decisions, from the same words. `bits`: the frontier has bits, and no list; `used`: it
     * had before */
    [[maybe_unused]] bool bits = false, used = false;
    ordo_u64 pushed;
    for (ordo_u32 step = 1;; step++) {
        const ordo_cuda_superstep_counters *counters = &f->counters[step % 3];
        /* blocks ahead of this one may be making the list of a frontier that has bits, so those are counted apart */
        const bool none = bsp_pulls && bits ? a.bits.found[step % 3 * ORDO_CUDA_LINE] == 0
                                            : counters->count == 0 && counters->segments == 0;
        if (none || counters->stop)
            break;
        const ordo_u64 items = bsp_pulls && bits ? a.bits.found[step % 3 * ORDO_CUDA_LINE]
                                                 : (ordo_u64)counters->count + counters->segments,
                       edges = counters->edges;
        bool pulling = bsp_pulls && a.direction == BSP_PULL;
        if (bsp_pulls && a.direction == BSP_AUTO) {
            const ordo_u64 left = edges_left[step & 1], last = last_items[step & 1];
            pulling = bits ? items >= last || (double)items > (double)a.num_items / a.beta
                           : (double)edges > (double)left / a.alpha && items > BSP_GROWTH * last;
            if (threadIdx.x == 0) { /* read behind the barrier of this step */
                edges_left[(step + 1) & 1] = left - (edges < left ? edges : left);
                last_items[(step + 1) & 1] = items;
            }
        }
        pushed = 0;
        if (ordo_dev_reports()) {
            ordo_dev_begin_step(f, step, &a.run, items, step, 0);
            if (bsp_pulls && a.bits.found)
                a.bits.found[(step + 2) % 3 * ORDO_CUDA_LINE] = a.bits.pieces[(step + 2) % 3 * ORDO_CUDA_LINE] = 0;
        }
#if ORDO_OP_ORDER != ORDO_SUM
        const bool turns = bsp_pulls && bits != pulling;
        if (turns && pulling)
            bsp_list_to_bits(&a, step, used);
        else if (turns)
            bsp_bits_to_list(&a, &queue, step);
        used = used || (bsp_pulls && pulling);
        bits = bsp_pulls && pulling;
#endif
        const bool works = (bsp_pulls && pulling) || ordo_dev_may_work(counters, op_dev_searches);
        if constexpr (Traced)
            ordo_live_step(a.run.traced, step, items, step, 0, 0,
                           bsp_pulls && pulling ? gridDim.x : ordo_dev_workers(counters, op_dev_searches));
        /* in a step with few items, a test before the atomic is one more round trip to wait for */
        const bool latency_bound = !a.racy && items < (ordo_u64)gridDim.x * bsp_few;
        /* all candidates of a step are equal: one atomic improves a cell */
        const bool once = ((int)op_properties & ORDO_UNIFORM) && (int)op_order != ORDO_SUM && !a.racy;
#if ORDO_OP_ORDER != ORDO_SUM
        if (bsp_pulls && pulling) {
            if (blockIdx.x == 0 && threadIdx.x == 0)
                mine.items += items; /* the processed items are those of the frontier, in both directions */
            bsp_pull<Led, Traced>(&a, (bsp_pull_space *)queue.held, step, turns, {}, &mine);
            ordo_dev_publish_large(a.run.counters, &mine);
            if constexpr (Traced)
                ordo_live_barrier<3>(a.run.traced, mine, step, works);
            continue; /* behind a barrier */
        } else
#endif
        {
            op_dev_step(
                &tile, f, &a.rows, a.cells, &a.state, step, &mine,
                [&](ordo_vid item, op_cell value, ordo_u64 e) {
                    op_edge edge = op_dev_edge(&a.rows, e, item, false);
                    mine.edges++;
                    ordo_u32 target = op_target(&a.state, edge);
                    op_cell candidate = op_candidate(&a.state, value, edge);
                    const bool improved =
                        Locked ? op_dev_apply_locked(&a.state, a.cells, &a.locks, target, &candidate)
                               : op_dev_apply(&a.state, a.cells, target, &candidate, a.racy, latency_bound && !a.racy);
                    if (improved) {
                        mine.useful++;
                        if (op_activates)
                            pushed += op_dev_push(f, &queue, &a.rows, target, step + 1, once);
                    }
                },
                [&] { ordo_dev_flush(&queue, f, step + 1, false); },
                [&](ordo_u32 number) {
                    if constexpr (Traced)
                        ordo_live_tile<3>(a.run.traced, mine, number);
                },
                Locked ? &a.locks : NULL);
        }
        if (bsp_pulls)
            bsp_add_edges(&f->counters[(step + 1) % 3], pushed);
        ordo_dev_publish_large(a.run.counters, &mine);
        ordo_dev_flush(&queue, f, step + 1, true);
        if constexpr (Traced)
            ordo_live_barrier<3>(a.run.traced, mine, step, works);
        else
            grid.sync();
    }
    ordo_dev_publish(a.run.counters, mine);
}

#if ORDO_OP_ORDER == ORDO_SUM
#define bsp_sums_kernel ORDO_OP_NAME(bsp_sums_kernel)
#include "cuda_sums.cuh"
#endif

#if ORDO_OVER_RANKS
#include "cuda_ranks.cuh"
#else
/* The kernel of a run that pushes, or changes its direction. */
static ordo_status bsp_launch(ordo_cuda *c, bsp_args *a)
{
    void *args[] = {a};
    enum { LED = bsp_pulls };
    const bool traced = a->run.traced.live != NULL;
    const void *const kernels[3][2] = {
        {(const void *)bsp_kernel<false, false, false>, (const void *)bsp_kernel<false, false, true>},
        {(const void *)bsp_kernel<false, LED, false>, (const void *)bsp_kernel<false, LED, true>},
        {(const void *)bsp_kernel<true, false, false>, (const void *)bsp_kernel<true, false, true>},
    };
    const void *const kernel = kernels[c->job->sync == ORDO_SYNC_LOCK ? 2 : a->bits.leading ? 1 : 0][traced];
    ordo_cuda_frontier_watch(c, &a->frontier);
    return ordo_cuda_launch(c, ordo_cuda_kernel(kernel), BSP_DEV_THREADS, (int)c->job->tunable[BSP_BLOCKS], args);
}

#include "cuda_lists.cuh"
#endif

/* Whether a run that may pull only pushes, since in-rows are not there and would not pay. Ranks have their hosts make
 * them, and all decide alike. */
static bool bsp_lacks_in(const ordo_job *job, int direction)
{
    if (ORDO_OP_ORDER == ORDO_SUM || !bsp_pulls || direction != BSP_AUTO)
        return false;
#if ORDO_OVER_RANKS
    return !ordo_job_in_pays_ranks(job, BSP_TRANSPOSE_BUS);
#else
    return !ordo_cuda_in_pays(job, BSP_TRANSPOSE_CUDA, BSP_TRANSPOSE_BUS);
#endif
}

static ordo_status bsp_begin(ordo_job *job, bool needs_in, ordo_cuda *c, bsp_args *a, ordo_cuda_arrays *arrays)
{
    ordo_status status = ordo_cuda_begin(job, sizeof(op_cell), needs_in, c);
#if ORDO_OVER_RANKS
    if (!status)
        status = bsp_share_cells(c);
#endif
    if (!status)
        status = op_cuda_frontier_make(c, &a->frontier);
    if (!status)
        status = op_cuda_arguments(c, a, arrays);
    if (!status && !ORDO_OVER_RANKS)
        a->frontier.mean_degree = ordo_cuda_mean_degree(job, bsp_pulls && a->direction == BSP_AUTO);
    if (!status && job->sync == ORDO_SYNC_LOCK)
        status = ordo_cuda_locks_make(c, ORDO_LOCK_TABLE, &a->locks);
    return status;
}

static ordo_status bsp_run_job(ordo_job *job)
{
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    ordo_status status = ORDO_OK;
    bsp_args a = {};
    bool only_pushes = false;
    const bool locked = job->sync == ORDO_SYNC_LOCK;
    if (locked && (int)job->tunable[BSP_LOCK_ORDER] == 1)
        return ordo_fail(
            ORDO_ERR_UNSOUND,
            "scheduler 'bsp' with lock_order=fifo on device 'cuda' needs a critical operator; '%s' is none",
            job->op->name);
    a.direction = (int)job->tunable[BSP_DIRECTION];
    const bool listed = (int)job->tunable[BSP_APPEND] != BSP_BUFFER || (int)job->tunable[BSP_DEDUP] == BSP_EACH;
#if ORDO_OVER_RANKS
    if (listed)
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler 'bsp' over ranks has append=buffer and dedup=auto alone");
    if (ORDO_OP_ORDER == ORDO_SUM && a.direction == BSP_PULL) /* in-neighbours' cells are of other ranks */
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'bsp' with direction=pull does not run '%s', whose cells sum, over ranks",
                         job->op->name);
#else
    status = bsp_lists_check(job, listed);
    if (status)
        return status;
    const bool by_list = listed || job->sync == ORDO_SYNC_RACE || bsp_is_mixed(job);
    if (by_list)
        a.direction = BSP_PUSH;
#endif
    only_pushes = bsp_lacks_in(job, a.direction);
    a.direction = only_pushes ? BSP_PUSH : a.direction;
    const bool needs_in = ORDO_OP_ORDER == ORDO_SUM ? a.direction == BSP_PULL : bsp_pulls && a.direction != BSP_PUSH;
    status = bsp_begin(job, needs_in, &c, &a, &arrays);
#if ORDO_OP_ORDER != ORDO_SUM && !ORDO_OVER_RANKS
    if (!status && needs_in)
        status = bsp_bits_make(&c, job->num_items, c.in.m, &a.bits);
#endif
    if (!status) {
        a.in = c.in;
        a.alpha = job->tunable[BSP_ALPHA];
        a.beta = job->tunable[BSP_BETA] > 0 ? job->tunable[BSP_BETA] : (double)BSP_BETA_CUDA;
        a.num_items = job->num_items;
        a.racy = job->sync == ORDO_SYNC_RACY;
#if !ORDO_OVER_RANKS
        if (by_list)
            status = bsp_launch_list(&c, &a);
        else
#endif
#if ORDO_OP_ORDER == ORDO_SUM
            status = a.direction == BSP_PULL ? bsp_pull_sums(&c, &a) : bsp_launch(&c, &a);
#else
        status = bsp_launch(&c, &a);
#endif
    }
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    if (only_pushes)
        ordo_job_pushed(job, job->out->m);
    return ordo_cuda_end(&c, status);
}

ORDO_CUDA_INSTANCE(bsp, bsp_run_job,
                   1u << ORDO_SYNC_ATOMIC | 1u << ORDO_SYNC_RACY | 1u << ORDO_SYNC_LOCK | 1u << ORDO_SYNC_RACE)
