/* near_far on a GPU: two piles and a moving threshold in one persistent launch (Davidson et al. 2014).
 *
 * Problem. Expand items roughly in the order of their priorities with no more than two worklists.
 *
 * Data structures. The near pile is a frontier of supersteps, as in bsp. The far pile is a list that holds each item at
 * most once per epoch, double-buffered by epoch.
 *   Relax: `far_word` is the last epoch in which an item was pushed far. The list holds no values: an item's cell is
 *   read when the pile is split, and a bucket under the old threshold means that the item is done already (an
 *   improvement across the threshold pushed it near); this does not apply to operators whose items have no cells. Where
 *   cells sum (ORDO_SUM) an item is done if its cell has no level: an offer that does not raise the level pushes
 *   nothing, though it may carry the item across the threshold. Such an item becomes near at the next split.
 *   Critical: there are no cells, so `far_word` is the least priority with which an item was pushed far, and tells
 *   whether it is in the pile. Nothing is dropped at a split: a critical section that activated an item after it was
 *   last processed may have found it in the pile, and pushed nothing. Invariant: between phases every item with a word
 *   is on the far list, once, and every activation has put its item there or on the frontier of the next phase. No
 *   word's bucket is under the threshold, because it was not when it was pushed, and the threshold moves at splits
 *   only, which process all words.
 *
 * Protocol. Supersteps, while the near pile has items. When it is empty the threshold moves past the least bucket that
 * was pushed far, and all blocks split the pile: items under the new threshold become near, the rest goes to the other
 * far list, that of the next epoch.
 *
 * Termination. Both piles are empty. All blocks make the same decision what a phase (a superstep or a split) is, from
 * words that no thread writes during it.
 *
 * Memory order. Phases are separated by grid barriers. Counters of the far pile are triple-buffered by epoch, as those
 * of the frontier are by phase: a split reads those of its epoch, fills the next's and clears those of the one after.
 */
#include "tunables.h"

/* What profilers show carries the operator's name. */
#define near_far_kernel ORDO_OP_NAME(near_far_kernel)

typedef struct ordo_near_far_epoch {
    ordo_u32 count, padding0[ORDO_CUDA_LINE - 1];
    ordo_u64 lowest, padding1[ORDO_CUDA_LINE / 2 - 1]; /* number of a bucket, inverted, so that 0 means none */
} ordo_near_far_epoch;

typedef struct near_far_args {
#if ORDO_OP_KIND == ORDO_KIND_RELAX
    ordo_cuda_rows rows;
    op_cell *cells;
    op_state state;
#else
    op_cuda_sections sections;
    typedef ordo_cuda_frontier op_dev_frontier;
#endif
    double delta, per_delta;
    op_dev_frontier frontier;
    ordo_u32 *far[2];           /* [num_items] each, used by epochs of alternating parity */
    ordo_u32 *far_word;         /* [num_items], initially 0 */
    ordo_near_far_epoch *epoch; /* [3] */
    ordo_cuda_run run;
} near_far_args;

/* The buffer of near items. Items of critical operators have no rows, so none is a hub. */
#if ORDO_OP_KIND == ORDO_KIND_RELAX
typedef op_dev_queue near_far_queue;
#else
typedef ordo_dev_queue near_far_queue;
#endif

/* A block's part of a phase: where its threads push items. */
typedef struct near_far_phase {
    near_far_queue *near;
    ordo_dev_queue *far;
    ordo_u32 number, epoch; /* of the far pile */
    ordo_u64 threshold;     /* buckets below it are near */
    ordo_u64 *lowest;       /* the lowest bucket that the thread has pushed far, inverted */
} near_far_phase;

/* By one thread: the bucket of a priority. */
ORDO_DEV ordo_u64 near_far_bucket(const near_far_args *a, double priority)
{
    double b = priority * a->per_delta;
    return !(b > 0) ? 0 : b < 4e18 ? (ordo_u64)b : (ordo_u64)1 << 62;
}

/* By a whole block: lowers the epoch's lowest bucket to the lowest of its threads. */
ORDO_DEV void near_far_publish_lowest(ordo_near_far_epoch *epoch, ordo_u64 lowest)
{
    for (int step = 16; step; step /= 2) {
        ordo_u64 other = __shfl_down_sync(0xffffffffu, lowest, step);
        lowest = other > lowest ? other : lowest;
    }
    if (threadIdx.x % 32 == 0 && lowest > ordo_dev_load(&epoch->lowest))
        ordo_dev_max(&epoch->lowest, lowest);
}

/* By one thread: puts an item on the far list, and lowers the lowest bucket that was pushed far. */
ORDO_DEV void near_far_append_far(const near_far_args *a, const near_far_phase *p, ordo_item item)
{
    ordo_dev_append(p->far, item, a->far[p->epoch & 1], &a->epoch[p->epoch % 3].count);
}

ORDO_DEV void near_far_lower(const near_far_phase *p, ordo_u64 bucket)
{
    *p->lowest = ~bucket > *p->lowest ? ~bucket : *p->lowest;
}

/* By a whole block, between tiles: moves its buffers to the lists, if they are half full or if `all`. */
ORDO_DEV void near_far_flush_far(const near_far_args *a, const near_far_phase *p, bool all)
{
    ordo_dev_flush(p->far, a->far[p->epoch & 1], &a->epoch[p->epoch % 3].count, all);
}
ORDO_DEV void near_far_flush_near(const near_far_args *a, const near_far_phase *p, bool all)
{
    ordo_dev_flush(p->near, &a->frontier, p->number + 1, all);
}

/* For each kind of operators there are: near_far_begin, by one thread: pushes an initial item far; near_far_split_one,
 * by one thread: removes an item from the far pile when the threshold moves on from `before`; near_far_superstep, by a
 * whole block: its part of a superstep; near_far_resident: how many blocks a multiprocessor is to hold (0: the
 * compiler's choice, which spills registers if requests are many). */
#if ORDO_OP_KIND == ORDO_KIND_RELAX

enum { near_far_resident = ORDO_OP_RESIDUALS ? 3 : 0 };

/* By the whole grid: the barrier of a traced run. */
ORDO_DEV void near_far_barrier(const ordo_cuda_traced &traced, const ordo_cuda_counters &mine, ordo_u32 phase,
                               bool worked)
{
    ordo_live_barrier<4>(traced, mine, phase, worked);
}

ORDO_DEV ordo_u64 near_far_bucket_of(const near_far_args *a, ordo_vid item, op_cell value)
{
    return near_far_bucket(a, op_priority(&a->state, item, value));
}

ORDO_DEV void near_far_push_near(const near_far_args *a, const near_far_phase *p, ordo_vid item)
{
    op_dev_push(&a->frontier, p->near, &a->rows, item, p->number + 1, false);
}

ORDO_DEV void near_far_push_far(const near_far_args *a, const near_far_phase *p, ordo_vid item, ordo_u64 bucket)
{
    ordo_u32 *const stamp = &a->far_word[item];
    near_far_lower(p, bucket);
    if (ordo_dev_load(stamp) != p->epoch && ordo_dev_exchange(stamp, p->epoch) != p->epoch)
        near_far_append_far(a, p, item); /* otherwise it is on the list already, perhaps with a higher bucket */
}

/* By one thread: puts an item whose cell has become `value` into its pile. */
ORDO_DEV void near_far_push(const near_far_args *a, const near_far_phase *p, ordo_vid item, op_cell value)
{
    const ordo_u64 bucket = near_far_bucket_of(a, item, value);
    if (bucket < p->threshold)
        near_far_push_near(a, p, item);
    else
        near_far_push_far(a, p, item, bucket);
}

ORDO_DEV void near_far_begin(const near_far_args *a, const near_far_phase *p, ordo_vid item)
{
    near_far_push_far(a, p, item, near_far_bucket_of(a, item, op_dev_cell(a->cells, item)));
}

ORDO_DEV void near_far_split_one(const near_far_args *a, const near_far_phase *p, ordo_vid item, ordo_u64 before,
                                 ordo_cuda_counters *mine)
{
    const op_cell value = op_dev_cell(a->cells, item);
    const ordo_u64 bucket = near_far_bucket_of(a, item, value);
#if ORDO_OP_ORDER == ORDO_SUM
    const bool done = op_level(&a->state, value) == 0;
    (void)before;
#else
    const bool done = op_activates && bucket < before;
#endif
    if (done)
        mine->stale++;
    else if (bucket < p->threshold)
        near_far_push_near(a, p, item);
    else
        near_far_push_far(a, p, item, bucket);
}

ORDO_DEV void near_far_superstep(const near_far_args *a, const near_far_phase *p, const ordo_cuda_traced &traced,
                                 ordo_cuda_counters *mine, ordo_u32 *)
{
    __shared__ op_dev_tile tile;
    op_dev_step(
        &tile, &a->frontier, &a->rows, a->cells, &a->state, p->number, mine,
        [&](ordo_vid item, op_taken value, ordo_u64 e) {
            op_edge edge = op_dev_edge(&a->rows, e, item, false);
            mine->edges++;
            ordo_u32 target = op_target(&a->state, edge);
            op_cell candidate = op_candidate(&a->state, value, edge);
            if (!op_dev_apply(&a->state, a->cells, target, &candidate, false, false))
                return;
            mine->useful++;
            if (op_activates)
                near_far_push(a, p, target, candidate);
        },
        [&] {
            near_far_flush_near(a, p, false);
            near_far_flush_far(a, p, false);
        },
        [&](ordo_u32 number) { ordo_live_tile<4>(traced, *mine, number); });
}

#else

/* By the whole grid: the barrier of a traced run. Lanes leave loops one by one, so each shows its own counters. */
ORDO_DEV void near_far_barrier(const ordo_cuda_traced &traced, const ordo_cuda_counters &mine, ordo_u32, bool)
{
    ordo_live_add(traced, mine);
    ordo_live_state(traced, ORDO_AT_BARRIER);
    cooperative_groups::this_grid().sync();
}

enum { near_far_resident = (int)op_requests > 1 ? 3 : 0 };

/* By one thread: pushes an item far; returns whether it was not in the pile. A word is the inverted priority, so that 0
 * means none; the largest priority is treated as the one before it. */
ORDO_DEV bool near_far_push_far(const near_far_args *a, const near_far_phase *p, ordo_item item, ordo_u32 priority)
{
    const ordo_u32 word = ~priority ? ~priority : 1;
    near_far_lower(p, near_far_bucket(a, ~word));
    const bool added = ordo_dev_max(&a->far_word[item], word) == 0;
    if (added)
        near_far_append_far(a, p, item);
    return added;
}

ORDO_DEV void near_far_begin(const near_far_args *a, const near_far_phase *p, ordo_item item)
{
    near_far_push_far(a, p, item, op_first_priority(&a->sections.state, item));
}

/* No other thread accesses the item: it is in the pile once, and nothing is activated during a split. */
ORDO_DEV void near_far_split_one(const near_far_args *a, const near_far_phase *p, ordo_item item, ordo_u64,
                                 ordo_cuda_counters *)
{
    const ordo_u64 bucket = near_far_bucket(a, ~ordo_dev_load(&a->far_word[item]));
    if (bucket < p->threshold) {
        ordo_dev_store(&a->far_word[item], 0u);
        op_dev_push(&a->frontier, p->near, item, p->number + 1);
    } else {
        near_far_lower(p, bucket);
        near_far_append_far(a, p, item);
    }
}

ORDO_DEV void near_far_superstep(const near_far_args *a, const near_far_phase *p, const ordo_cuda_traced &traced,
                                 ordo_cuda_counters *mine, ordo_u32 *rounds)
{
    const ordo_cuda_frontier *f = &a->frontier;
    op_dev_prepares<(int)op_lock_bits != 0>(
        &a->sections, traced, f->list[p->number & 1], f->counters[p->number % 3].count, p->number, mine, rounds,
        [&](const ordo_activation &to) {
            if (near_far_bucket(a, to.priority) < p->threshold)
                return op_dev_push(f, p->near, to.item, p->number + 1);
            return near_far_push_far(a, p, to.item, to.priority);
        },
        [&] {
            near_far_flush_near(a, p, false);
            near_far_flush_far(a, p, false);
        });
}

#endif

/* By the whole grid: pushes the initial items far for which `has(item)` is true. */
template <typename Has> ORDO_DEV void near_far_initial(const near_far_args *a, const near_far_phase *p, Has has)
{
    const ordo_u64 threads = (ordo_u64)gridDim.x * ORDO_CUDA_THREADS;
    for (ordo_u64 first = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS; first < a->run.initial_count; first += threads) {
        const ordo_u64 i = first + threadIdx.x;
        const ordo_item item = i < a->run.initial_count ? ordo_dev_initial(&a->run, i) : 0;
        if (i < a->run.initial_count && has(item))
            near_far_begin(a, p, item);
        near_far_flush_far(a, p, false);
    }
    near_far_flush_far(a, p, true);
    near_far_publish_lowest(&a->epoch[1], *p->lowest);
}

/* By the whole grid: moves the threshold past `least`, the least bucket of the far pile, and splits the pile. Begins
 * the next epoch. */
ORDO_DEV void near_far_split(const near_far_args *a, near_far_phase *p, ordo_u64 least, ordo_cuda_counters *mine)
{
    const ordo_u64 threads = (ordo_u64)gridDim.x * ORDO_CUDA_THREADS, before = p->threshold;
    const ordo_u32 *const pile = a->far[p->epoch & 1], count = ordo_dev_load(&a->epoch[p->epoch % 3].count);
    p->threshold = least < before ? before : least + 1; /* the items of the lowest bucket may be done already */
    p->threshold = p->threshold > before ? p->threshold : before + 1;
    p->epoch++;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        a->epoch[(p->epoch + 1) % 3].count = 0;
        a->epoch[(p->epoch + 1) % 3].lowest = 0;
    }
    for (ordo_u64 first = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS; first < count; first += threads) {
        const ordo_u64 i = first + threadIdx.x;
        if (i < count)
            near_far_split_one(a, p, pile[i], before, mine);
        near_far_flush_near(a, p, false);
        near_far_flush_far(a, p, false);
    }
}

#if !ORDO_OVER_RANKS
/* One function: supersteps and splits share the buffers and the counters, which stay in registers. */
template <bool Traced>
static __global__ void __launch_bounds__((ORDO_CUDA_THREADS), near_far_resident) near_far_kernel(const near_far_args a)
{
    __shared__ near_far_queue near;
    __shared__ ordo_dev_queue far;
    auto grid = cooperative_groups::this_grid();
    const ordo_cuda_frontier *f = &a.frontier;
    ordo_cuda_counters mine = {};
    ordo_u64 lowest = 0;
    ordo_u32 rounds = 0;
    near_far_phase p = {&near, &far, 0, 1, 0, &lowest};
    ordo_dev_start(&near);
    ordo_dev_start(&far);
    if constexpr (Traced)
        if (ORDO_OP_KIND != ORDO_KIND_RELAX || ordo_live_shows())
            ordo_live_begin(a.run.traced, ORDO_BUSY);
    near_far_initial(&a, &p, [](ordo_item) { return true; });
    grid.sync();

    for (p.number = 1;; p.number++) {
        const ordo_cuda_superstep_counters *counters = &f->counters[p.number % 3];
        const ordo_u32 waiting = counters->count + counters->segments,
                       far_count = ordo_dev_load(&a.epoch[p.epoch % 3].count);
        if ((waiting == 0 && far_count == 0) || counters->stop)
            break;
        if (ordo_dev_reports())
            ordo_dev_begin_step(f, p.number, &a.run, (ordo_u64)waiting + far_count, p.threshold, a.delta);
        const bool works = waiting ? ordo_dev_may_work(counters) : blockIdx.x <= far_count / ORDO_CUDA_THREADS;
        if constexpr (Traced && ORDO_OP_KIND != ORDO_KIND_RELAX)
            if (works)
                ordo_live_state(a.run.traced, ORDO_BUSY);
        if constexpr (Traced)
            ordo_live_step(a.run.traced, p.number, (ordo_u64)waiting + far_count, p.threshold, a.delta,
                           waiting ? p.epoch : 0,
                           ORDO_OP_KIND != ORDO_KIND_RELAX ? 0
                           : waiting                       ? ordo_dev_workers(counters)
                                                           : far_count / ORDO_CUDA_THREADS + 1);
        lowest = 0;
        if (waiting) {
            near_far_superstep(&a, &p, Traced ? a.run.traced : ordo_cuda_traced{}, &mine, &rounds);
        } else {
            near_far_split(&a, &p, ~ordo_dev_load(&a.epoch[p.epoch % 3].lowest), &mine);
        }
        near_far_flush_far(&a, &p, true);
        near_far_publish_lowest(&a.epoch[p.epoch % 3], lowest);
        near_far_flush_near(&a, &p, true);
        if constexpr (Traced)
            near_far_barrier(a.run.traced, mine, p.number, works);
        else
            grid.sync();
#if ORDO_OP_KIND != ORDO_KIND_RELAX
        if (ordo_dev_halted(&a.sections.halt, p.number))
            break;
#endif
    }
    ordo_dev_publish(a.run.counters, mine);
}

#endif

#if ORDO_OVER_RANKS
#include "cuda_ranks.cuh"
#else
#if ORDO_OP_KIND == ORDO_KIND_RELAX
/* For samples of a trace: the near pile as a frontier, and the far pile. A split moves items between the two, and does
 * not change their number. */
static void near_far_glance(const ordo_cuda_seen *seen, const void *arg, ordo_probed *out)
{
    const ordo_near_far_epoch *const epoch = (const ordo_near_far_epoch *)seen->copy[1];
    if (!epoch || !seen->live->detail)
        return;
    ordo_cuda_frontier_show(seen, arg, out);
    out->in_flight += epoch[seen->live->detail % 3].count;
}
#endif

static ordo_status near_far_launch(ordo_cuda *c, near_far_args *a, int blocks)
{
#if ORDO_OP_KIND == ORDO_KIND_RELAX
    ordo_cuda_frontier_watch(c, &a->frontier);
    c->glance.from[1] = a->epoch;
    c->glance.bytes[1] = 3 * sizeof *a->epoch;
    c->glance.show = near_far_glance;
#endif
    void *args[] = {a};
    const void *const kernel =
        a->run.traced.live ? (const void *)near_far_kernel<true> : (const void *)near_far_kernel<false>;
    return ordo_cuda_launch(c, ordo_cuda_kernel(kernel), ORDO_CUDA_THREADS, blocks, args);
}
#endif

static ordo_status near_far_run_job(ordo_job *job)
{
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    near_far_args a = {};
    int blocks = (int)job->tunable[NEAR_FAR_BLOCKS];
    double own = op_delta((double)job->out->n, (double)job->out->m);
    a.delta = ordo_job_delta(job, job->tunable[NEAR_FAR_DELTA], own, job->tunable[NEAR_FAR_FACTOR]);
    a.per_delta = 1 / a.delta;
#if ORDO_OP_KIND == ORDO_KIND_RELAX
    ordo_status status = op_cuda_begin(job, &c);
    if (!status)
        status = op_cuda_arguments(&c, &a, &arrays);
    if (!status)
        status = op_cuda_frontier_make(&c, &a.frontier);
#else
    ordo_status status = op_cuda_begin(job, &c);
    if (!status)
        status = op_cuda_sections_make(&c, (int)op_lock_bits != 0, 0, &blocks, &arrays, &a.sections);
    if (!status)
        status = op_cuda_frontier(&c, true, &a.frontier, &a.sections.halt);
    if (!status)
        a.run = c.run;
#endif
    for (int i = 0; i < 2 && !status; i++)
        if (!(a.far[i] = (ordo_u32 *)ordo_cuda_alloc(&c, job->num_items, sizeof(ordo_u32), false)))
            status = ORDO_ERR_MEMORY;
    if (!status && !(a.far_word = (ordo_u32 *)ordo_cuda_alloc(&c, job->num_items, sizeof(ordo_u32), true)))
        status = ORDO_ERR_MEMORY;
    if (!status && !(a.epoch = (ordo_near_far_epoch *)ordo_cuda_alloc(&c, 3, sizeof(ordo_near_far_epoch), true)))
        status = ORDO_ERR_MEMORY;
    if (!status)
        status = near_far_launch(&c, &a, blocks);
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    status = ordo_cuda_end(&c, status);
    job->delta_first = job->delta_last = a.delta;
    return status;
}

ORDO_CUDA_INSTANCE(near_far, near_far_run_job,
                   1u << (ORDO_OP_KIND == ORDO_KIND_RELAX ? ORDO_SYNC_ATOMIC : ORDO_SYNC_LOCK))
