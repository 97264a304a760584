/* near_far on a GPU: two piles and a moving threshold in one persistent launch (Davidson et al. 2014).
 *
 * The near pile is a frontier of supersteps, as in bsp. The far pile is a list that holds each item at most once an
 * epoch. When the near pile is empty the threshold moves past the least bucket that was pushed far, and all blocks
 * split the pile: items under the new threshold become near, the rest goes to the other far list, the next epoch's.
 *
 * Relax: `far_word` is the epoch in which an item was pushed far last. It has no value of its own there: its cell is
 * read when the pile is split, and a bucket under the old threshold says that it was done already (an improvement
 * across the threshold pushed it near); but not of an item that has no cell.
 *
 * Critical: there are no cells, so `far_word` keeps the least priority that an item was pushed far with, and says
 * whether it is in the pile. Nothing is dropped at a split: whoever activated an item after its last visit may have
 * found it in the pile and left it at that. Invariant: between phases every item with a word is on the far list, once,
 * and every activation has put its item there or on the frontier of the next phase. No word's bucket is under the
 * threshold, for it was not when it was pushed, and the threshold moves at splits alone, which look at all of them.
 *
 * Phases (supersteps and splits) are separated by grid barriers, and words of the far pile come in three by turns of
 * the epoch as those of the frontier do by phase: a split reads those of its epoch, fills the next's and clears the
 * one's after that. All blocks decide alike what a phase is, from words that nobody writes during it.
 */
#include "tunables.h"

#define MY(_part) ORDO_JOIN3(ORDO_OP, _near_far_cuda_, _part)

#ifndef ORDO_NEAR_FAR_CUDA_ONCE
#define ORDO_NEAR_FAR_CUDA_ONCE
typedef struct ordo_near_far_epoch {
    ordo_u32 count, padding0[ORDO_CUDA_LINE - 1];
    ordo_u64 lowest, padding1[ORDO_CUDA_LINE / 2 - 1]; /* bucket, inverted: 0 at first, larger is lower */
} ordo_near_far_epoch;
#endif

typedef struct MY(args) {
#if ORDO_OP_KIND == ORDO_KIND_RELAX
    ordo_cuda_rows rows;
    OP(cell) * cells;
    OP(state) state;
#else
    OP(cuda_sections) sections;
#endif
    double delta, per_delta;
    ordo_cuda_frontier frontier;
    ordo_u32 *far[2];           /* [universe], by parity of the epoch */
    ordo_u32 *far_word;         /* [universe], 0 at first */
    ordo_near_far_epoch *epoch; /* [3] */
    ordo_cuda_run run;
} MY(args);

/* A block's part of a phase: what its threads push, and where. */
typedef struct MY(phase) {
    ordo_dev_queue *near, *far;
    ordo_u32 number, epoch; /* of the far pile */
    ordo_u64 threshold;     /* buckets below it are near */
    ordo_u64 *lowest;       /* bucket that the thread has pushed far, inverted */
} MY(phase);

ORDO_DEV ordo_u64 MY(bucket)(const MY(args) * a, double priority)
{
    double b = priority * a->per_delta;
    return !(b > 0) ? 0 : b < 4e18 ? (ordo_u64)b : (ordo_u64)1 << 62;
}

/* The block's lowest to the grid's, by all threads. */
ORDO_DEV void MY(tell_lowest)(ordo_near_far_epoch *epoch, ordo_u64 lowest)
{
    for (int step = 16; step; step /= 2) {
        ordo_u64 other = __shfl_down_sync(0xffffffffu, lowest, step);
        lowest = other > lowest ? other : lowest;
    }
    if (threadIdx.x % 32 == 0 && lowest > ordo_dev_load(&epoch->lowest))
        ordo_dev_max(&epoch->lowest, lowest);
}

ORDO_DEV void MY(append_far)(const MY(args) * a, const MY(phase) * p, ordo_item item)
{
    ordo_dev_append(p->far, item, a->far[p->epoch & 1], &a->epoch[p->epoch % 3].count);
}

ORDO_DEV void MY(lower)(const MY(phase) * p, ordo_u64 bucket)
{
    *p->lowest = ~bucket > *p->lowest ? ~bucket : *p->lowest;
}

/* Between tiles, or `all`: what is held goes to the lists. */
ORDO_DEV void MY(flush_far)(const MY(args) * a, const MY(phase) * p, bool all)
{
    ordo_dev_flush(p->far, a->far[p->epoch & 1], &a->epoch[p->epoch % 3].count, all);
}
ORDO_DEV void MY(flush_near)(const MY(args) * a, const MY(phase) * p, bool all)
{
    ordo_dev_flush(p->near, a->frontier.list[(p->number + 1) & 1], &a->frontier.turn[(p->number + 1) % 3].count, all);
}

/* Of each kind: begin, pushes an initial item far; split_one, takes an item off the far pile, whose threshold was
 * `before`; superstep, a block's part of one; resident, how many blocks a multiprocessor shall hold (0: the compiler's
 * choice, which spills registers where requests are many). */
#if ORDO_OP_KIND == ORDO_KIND_RELAX

enum { MY(resident) = 0 };

ORDO_DEV ordo_u64 MY(bucket_of)(const MY(args) * a, ordo_vid item, OP(cell) value)
{
    return MY(bucket)(a, OP(priority)(&a->state, item, value));
}

ORDO_DEV void MY(push_near)(const MY(args) * a, const MY(phase) * p, ordo_vid item)
{
    OP(dev_push)(&a->frontier, p->near, &a->rows, item, p->number + 1, false);
}

ORDO_DEV void MY(push_far)(const MY(args) * a, const MY(phase) * p, ordo_vid item, ordo_u64 bucket)
{
    ordo_u32 *const stamp = &a->far_word[item];
    MY(lower)(p, bucket);
    if (ordo_dev_load(stamp) != p->epoch && ordo_dev_exchange(stamp, p->epoch) != p->epoch)
        MY(append_far)(a, p, item); /* else it is there already, perhaps with a higher one */
}

ORDO_DEV void MY(begin)(const MY(args) * a, const MY(phase) * p, ordo_vid item)
{
    MY(push_far)(a, p, item, MY(bucket_of)(a, item, OP(dev_cell)(a->cells, item)));
}

ORDO_DEV void MY(split_one)(const MY(args) * a, const MY(phase) * p, ordo_vid item, ordo_u64 before,
                            ordo_cuda_counters *mine)
{
    const ordo_u64 bucket = MY(bucket_of)(a, item, OP(dev_cell)(a->cells, item));
    if (OP(activates) && bucket < before)
        mine->stale++;
    else if (bucket < p->threshold)
        MY(push_near)(a, p, item);
    else
        MY(push_far)(a, p, item, bucket);
}

ORDO_DEV void MY(superstep)(const MY(args) * a, const MY(phase) * p, ordo_cuda_counters *mine, ordo_u32 *)
{
    __shared__ OP(dev_tile) tile;
    OP(dev_step)
    (
        &tile, &a->frontier, &a->rows, a->cells, &a->state, p->number, mine,
        [&](ordo_vid item, OP(cell) value, ordo_u64 e) {
            OP(edge) edge = OP(dev_edge)(&a->rows, e, item, false);
            mine->edges++;
            ordo_u32 target = OP(target)(&a->state, edge);
            OP(cell) candidate = OP(candidate)(&a->state, value, edge);
            if (!OP(dev_offer)(a->cells, target, candidate, false, false))
                return;
            mine->useful++;
            if (!OP(activates))
                return;
            ordo_u64 bucket = MY(bucket_of)(a, target, candidate);
            if (bucket < p->threshold)
                MY(push_near)(a, p, target);
            else
                MY(push_far)(a, p, target, bucket);
        },
        [&] {
            MY(flush_near)(a, p, false);
            MY(flush_far)(a, p, false);
        });
}

#else

enum { MY(resident) = (int)OP(requests) > 1 ? 3 : 0 };

/* Whether it was not there. A word is the priority inverted, so that 0 is none: the last priority of all is taken for
 * the one before it. */
ORDO_DEV bool MY(push_far)(const MY(args) * a, const MY(phase) * p, ordo_item item, ordo_u32 priority)
{
    const ordo_u32 word = ~priority ? ~priority : 1;
    MY(lower)(p, MY(bucket)(a, ~word));
    const bool added = ordo_dev_max(&a->far_word[item], word) == 0;
    if (added)
        MY(append_far)(a, p, item);
    return added;
}

ORDO_DEV void MY(begin)(const MY(args) * a, const MY(phase) * p, ordo_item item)
{
    MY(push_far)(a, p, item, OP(first_priority)(&a->sections.state, item));
}

/* Nobody else has the item: it is in the pile once, and nothing is activated during a split. */
ORDO_DEV void MY(split_one)(const MY(args) * a, const MY(phase) * p, ordo_item item, ordo_u64, ordo_cuda_counters *)
{
    const ordo_u64 bucket = MY(bucket)(a, ~ordo_dev_load(&a->far_word[item]));
    if (bucket < p->threshold) {
        ordo_dev_store(&a->far_word[item], 0u);
        OP(dev_push)(&a->frontier, p->near, item, p->number + 1);
    } else {
        MY(lower)(p, bucket);
        MY(append_far)(a, p, item);
    }
}

ORDO_DEV void MY(superstep)(const MY(args) * a, const MY(phase) * p, ordo_cuda_counters *mine, ordo_u32 *rounds)
{
    const ordo_cuda_frontier *f = &a->frontier;
    OP(dev_visits)<(int)OP(lock_bits) != 0>(
        &a->sections, f->list[p->number & 1], f->turn[p->number % 3].count, p->number, mine, rounds,
        [&](const ordo_activation &to) {
            if (MY(bucket)(a, to.priority) < p->threshold)
                return OP(dev_push)(f, p->near, to.item, p->number + 1);
            return MY(push_far)(a, p, to.item, to.priority);
        },
        [&] {
            MY(flush_near)(a, p, false);
            MY(flush_far)(a, p, false);
        });
}

#endif

ORDO_KERNEL(ORDO_CUDA_THREADS, MY(resident)) MY(kernel)(const MY(args) a)
{
    __shared__ ordo_dev_queue near, far;
    auto grid = cooperative_groups::this_grid();
    const ordo_cuda_frontier *f = &a.frontier;
    const ordo_u64 threads = (ordo_u64)gridDim.x * ORDO_CUDA_THREADS;
    ordo_cuda_counters mine = {};
    ordo_u64 lowest = 0;
    ordo_u32 rounds = 0;
    MY(phase) p = {&near, &far, 0, 1, 0, &lowest};
    ordo_dev_start(&near);
    ordo_dev_start(&far);
    for (ordo_u64 first = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS; first < a.run.initial_count; first += threads) {
        ordo_u64 i = first + threadIdx.x;
        if (i < a.run.initial_count)
            MY(begin)(&a, &p, ordo_dev_initial(&a.run, i));
        MY(flush_far)(&a, &p, false);
    }
    MY(flush_far)(&a, &p, true);
    MY(tell_lowest)(&a.epoch[1], lowest);
    grid.sync();

    for (p.number = 1;; p.number++) {
        const ordo_cuda_turn *turn = &f->turn[p.number % 3];
        const ordo_u32 waiting = turn->count + turn->segments, far_count = ordo_dev_load(&a.epoch[p.epoch % 3].count);
        if ((waiting == 0 && far_count == 0) || turn->stop)
            break;
        if (blockIdx.x == 0 && threadIdx.x == 0)
            ordo_dev_begin_step(f, p.number, &a.run, (ordo_u64)waiting + far_count, p.threshold, a.delta);
        lowest = 0;
        if (waiting) {
            MY(superstep)(&a, &p, &mine, &rounds);
        } else {
            const ordo_u32 *pile = a.far[p.epoch & 1];
            const ordo_u64 before = p.threshold, least = ~ordo_dev_load(&a.epoch[p.epoch % 3].lowest);
            p.threshold = least < before ? before : least + 1; /* the lowest may have been done since */
            p.threshold = p.threshold > before ? p.threshold : before + 1;
            p.epoch++;
            if (blockIdx.x == 0 && threadIdx.x == 0) {
                a.epoch[(p.epoch + 1) % 3].count = 0;
                a.epoch[(p.epoch + 1) % 3].lowest = 0;
            }
            for (ordo_u64 first = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS; first < far_count; first += threads) {
                ordo_u64 i = first + threadIdx.x;
                if (i < far_count)
                    MY(split_one)(&a, &p, pile[i], before, &mine);
                MY(flush_near)(&a, &p, false);
                MY(flush_far)(&a, &p, false);
            }
        }
        MY(flush_far)(&a, &p, true);
        MY(tell_lowest)(&a.epoch[p.epoch % 3], lowest);
        MY(flush_near)(&a, &p, true);
        grid.sync();
#if ORDO_OP_KIND != ORDO_KIND_RELAX
        if (ordo_dev_halted(&a.sections.halt, p.number))
            break;
#endif
    }
    ordo_dev_publish(a.run.counters, mine);
}

static ordo_status MY(run_job)(ordo_job *job)
{
    ordo_cuda c;
    MY(args) a = {};
    int blocks = (int)job->tunable[NEAR_FAR_BLOCKS];
    double own = OP(delta)((double)job->out->n, (double)job->out->m);
    a.delta = ordo_job_delta(job, job->tunable[NEAR_FAR_DELTA], own, job->tunable[NEAR_FAR_FACTOR]);
    a.per_delta = 1 / a.delta;
#if ORDO_OP_KIND == ORDO_KIND_RELAX
    ordo_status status = ordo_cuda_begin(job, sizeof(OP(cell)), false, &c);
    if (!status)
        status = OP(cuda_arguments)(&c, &a);
    if (!status)
        status = ordo_cuda_frontier_make(&c, job->universe, c.out.m, &a.frontier);
#else
    ordo_cuda_arrays arrays = {};
    ordo_status status = ordo_cuda_begin(job, 0, false, &c);
    if (!status)
        status = OP(cuda_sections_make)(&c, (int)OP(lock_bits) != 0, 0, &blocks, &arrays, &a.sections);
    if (!status)
        status = OP(cuda_frontier)(&c, true, &a.frontier, &a.sections.halt);
    if (!status)
        a.run = c.run;
#endif
    for (int i = 0; i < 2 && !status; i++)
        if (!(a.far[i] = (ordo_u32 *)ordo_cuda_alloc(&c, job->universe, sizeof(ordo_u32), false)))
            status = ORDO_ERR_MEMORY;
    if (!status && !(a.far_word = (ordo_u32 *)ordo_cuda_alloc(&c, job->universe, sizeof(ordo_u32), true)))
        status = ORDO_ERR_MEMORY;
    if (!status && !(a.epoch = (ordo_near_far_epoch *)ordo_cuda_alloc(&c, 3, sizeof(ordo_near_far_epoch), true)))
        status = ORDO_ERR_MEMORY;
    if (!status) {
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, ordo_cuda_kernel((const void *)MY(kernel)), ORDO_CUDA_THREADS, blocks, args);
    }
#if ORDO_OP_KIND != ORDO_KIND_RELAX
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
#endif
    status = ordo_cuda_end(&c, status);
    job->delta_first = job->delta_last = a.delta;
    return status;
}

ORDO_CUDA_INSTANCE(near_far, MY(run_job), 1u << (ORDO_OP_KIND == ORDO_KIND_RELAX ? ORDO_SYNC_ATOMIC : ORDO_SYNC_LOCK))
#undef MY
