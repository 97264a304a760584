/* near_far on a GPU: two piles and a moving threshold in one persistent launch (Davidson et al. 2014).
 *
 * The near pile is a frontier of supersteps, as in bsp. The far pile is a list that holds each item at most once an
 * epoch (`far_stamp`); an item there has no value of its own, its cell is read when the pile is split. When the near
 * pile is empty the threshold moves past the least bucket that was pushed far, and all blocks split the pile: items
 * whose bucket is under the old threshold were done already (an improvement across the threshold pushed them near),
 * those under the new one become near, the rest goes to the other far list, the next epoch's.
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
    ordo_cuda_rows rows;
    OP(cell) * cells;
    OP(state) state;
    double delta, per_delta;
    ordo_cuda_frontier frontier;
    ordo_u32 *far[2];           /* [universe], by parity of the epoch */
    ordo_u32 *far_stamp;        /* [universe]: last epoch an item was pushed far in; 0 at first */
    ordo_near_far_epoch *epoch; /* [3] */
    ordo_cuda_run run;
} MY(args);

ORDO_DEV ordo_u64 MY(bucket)(const MY(args) * a, ordo_vid item, OP(cell) value)
{
    double b = OP(priority)(&a->state, item, value) * a->per_delta;
    return !(b > 0) ? 0 : b < 4e18 ? (ordo_u64)b : (ordo_u64)1 << 62;
}

ORDO_DEV void MY(push_far)(const MY(args) * a, ordo_dev_queue *q, ordo_vid item, ordo_u64 bucket, ordo_u32 epoch,
                           ordo_u64 *lowest)
{
    if (ordo_dev_load(&a->far_stamp[item]) == epoch || ordo_dev_exchange(&a->far_stamp[item], epoch) == epoch) {
        *lowest = ~bucket > *lowest ? ~bucket : *lowest; /* there already, perhaps with a higher one */
        return;
    }
    *lowest = ~bucket > *lowest ? ~bucket : *lowest;
    ordo_dev_append(q, item, a->far[epoch & 1], &a->epoch[epoch % 3].count);
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

ORDO_KERNEL(ORDO_CUDA_THREADS) MY(kernel)(const MY(args) a)
{
    __shared__ OP(dev_tile) tile;
    __shared__ ordo_dev_queue near, far;
    auto grid = cooperative_groups::this_grid();
    const ordo_cuda_frontier *f = &a.frontier;
    const ordo_u64 threads = (ordo_u64)gridDim.x * ORDO_CUDA_THREADS;
    ordo_cuda_counters mine = {};
    ordo_u64 lowest = 0;
    ordo_dev_start(&near);
    ordo_dev_start(&far);
    for (ordo_u64 first = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS; first < a.run.initial_count; first += threads) {
        ordo_u64 i = first + threadIdx.x;
        if (i < a.run.initial_count) {
            ordo_item item = ordo_dev_initial(&a.run, i);
            MY(push_far)(&a, &far, item, MY(bucket)(&a, item, ordo_dev_load(&a.cells[item])), 1, &lowest);
        }
        ordo_dev_flush(&far, a.far[1], &a.epoch[1].count, false);
    }
    ordo_dev_flush(&far, a.far[1], &a.epoch[1].count, true);
    MY(tell_lowest)(&a.epoch[1], lowest);
    grid.sync();

    ordo_u64 threshold = 0; /* buckets below it are near */
    ordo_u32 epoch = 1;
    for (ordo_u32 phase = 1;; phase++) {
        const ordo_cuda_turn *turn = &f->turn[phase % 3];
        const ordo_u32 waiting = turn->count + turn->segments, far_count = ordo_dev_load(&a.epoch[epoch % 3].count);
        if ((waiting == 0 && far_count == 0) || turn->stop)
            break;
        if (blockIdx.x == 0 && threadIdx.x == 0)
            ordo_dev_begin_step(f, phase, &a.run, (ordo_u64)waiting + far_count, threshold, a.delta);
        ordo_u32 *next = f->list[(phase + 1) & 1], *next_count = &f->turn[(phase + 1) % 3].count;
        if (waiting) {
            lowest = 0;
            ordo_u32 *pile = a.far[epoch & 1], *pile_count = &a.epoch[epoch % 3].count;
            OP(dev_step)
            (
                &tile, f, &a.rows, a.cells, &a.state, phase, &mine,
                [&](ordo_vid item, OP(cell) value, ordo_u64 e) {
                    OP(edge) edge = OP(dev_edge)(&a.rows, e, item, false);
                    mine.edges++;
                    ordo_u32 target = OP(target)(&a.state, edge);
                    OP(cell) candidate = OP(candidate)(&a.state, value, edge);
                    if (!OP(dev_offer)(a.cells, target, candidate, false, false))
                        return;
                    mine.useful++;
                    if (!OP(activates))
                        return;
                    ordo_u64 bucket = MY(bucket)(&a, target, candidate);
                    if (bucket < threshold)
                        OP(dev_push)(f, &near, &a.rows, target, phase + 1, false);
                    else
                        MY(push_far)(&a, &far, target, bucket, epoch, &lowest);
                },
                [&] {
                    ordo_dev_flush(&near, next, next_count, false);
                    ordo_dev_flush(&far, pile, pile_count, false);
                });
            ordo_dev_flush(&far, pile, pile_count, true);
            MY(tell_lowest)(&a.epoch[epoch % 3], lowest);
        } else {
            const ordo_u32 *pile = a.far[epoch & 1];
            ordo_u32 *rest = a.far[(epoch + 1) & 1], *rest_count = &a.epoch[(epoch + 1) % 3].count;
            const ordo_u64 before = threshold, least = ~ordo_dev_load(&a.epoch[epoch % 3].lowest);
            threshold = least < before ? before : least + 1; /* the lowest may have been done since */
            threshold = threshold > before ? threshold : before + 1;
            if (blockIdx.x == 0 && threadIdx.x == 0) {
                a.epoch[(epoch + 2) % 3].count = 0;
                a.epoch[(epoch + 2) % 3].lowest = 0;
            }
            lowest = 0;
            for (ordo_u64 first = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS; first < far_count; first += threads) {
                ordo_u64 i = first + threadIdx.x;
                if (i < far_count) {
                    ordo_vid item = pile[i];
                    ordo_u64 bucket = MY(bucket)(&a, item, ordo_dev_load(&a.cells[item]));
                    if (bucket < before)
                        mine.stale++;
                    else if (bucket < threshold)
                        OP(dev_push)(f, &near, &a.rows, item, phase + 1, false);
                    else
                        MY(push_far)(&a, &far, item, bucket, epoch + 1, &lowest);
                }
                ordo_dev_flush(&near, next, next_count, false);
                ordo_dev_flush(&far, rest, rest_count, false);
            }
            ordo_dev_flush(&far, rest, rest_count, true);
            MY(tell_lowest)(&a.epoch[(epoch + 1) % 3], lowest);
            epoch++;
        }
        ordo_dev_flush(&near, next, next_count, true);
        grid.sync();
    }
    ordo_dev_publish(a.run.counters, mine);
}

static ordo_status MY(run_job)(ordo_job *job)
{
    ordo_cuda c;
    MY(args) a = {};
    double own = OP(delta)((double)job->out->n, (double)job->out->m);
    a.delta = ordo_job_delta(job, job->tunable[NEAR_FAR_DELTA], own, job->tunable[NEAR_FAR_FACTOR]);
    a.per_delta = 1 / a.delta;
    ordo_status status = ordo_cuda_begin(job, sizeof(OP(cell)), false, &c);
    if (!status)
        status = ordo_cuda_frontier_make(&c, job->universe, c.out.m, &a.frontier);
    for (int i = 0; i < 2 && !status; i++)
        if (!(a.far[i] = (ordo_u32 *)ordo_cuda_alloc(&c, job->universe, sizeof(ordo_u32), false)))
            status = ORDO_ERR_MEMORY;
    if (!status && !(a.far_stamp = (ordo_u32 *)ordo_cuda_alloc(&c, job->universe, sizeof(ordo_u32), true)))
        status = ORDO_ERR_MEMORY;
    if (!status && !(a.epoch = (ordo_near_far_epoch *)ordo_cuda_alloc(&c, 3, sizeof(ordo_near_far_epoch), true)))
        status = ORDO_ERR_MEMORY;
    if (!status)
        status = OP(cuda_arguments)(&c, &a);
    if (!status) {
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, ordo_cuda_kernel((const void *)MY(kernel)), ORDO_CUDA_THREADS,
                                  (int)job->tunable[NEAR_FAR_BLOCKS], args);
    }
    status = ordo_cuda_end(&c, status);
    job->delta_first = job->delta_last = a.delta;
    return status;
}

ORDO_CUDA_INSTANCE(near_far, MY(run_job), 1u << ORDO_SYNC_ATOMIC)
#undef MY
