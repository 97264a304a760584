/* bsp on a GPU, critical operators: supersteps over a frontier of items, sections under locks.
 *
 * A superstep visits the items of one list, runs the sections that they ask for under try-locks (cuda_critical.cuh),
 * and puts what those activate on the other list, each item once. A thread has one request at a time and goes through
 * one loop: take an item where it has none, try its request once. So a lane whose lock is taken holds nobody up, and
 * lanes that got theirs go on with other items. Where targets have several words and sections are long, both are done
 * in one pass: a third faster for gradient descent, while short sections on one word gain nothing (measured).
 *
 * The more threads try for few locks, the slower their holders: what fails queues in front of the unlocking store. So
 * fewer threads than there are run sections (`rivals`); how many, where nothing is said, a sample of the requests tells
 * by how few targets they share (docs/performance.md). All there are (2048) with `lock_place=table` is the baseline of
 * the paper on the lock server (Wang, Fussell and Lin, ASPLOS 2019).
 *
 * Does not: change the number of rivals while it runs.
 */
#include "tunables.h"

#define MY(_part) ORDO_JOIN3(ORDO_OP, _bsp_cuda_, _part)

#ifndef BSP_CRITICAL_ONCE
#define BSP_CRITICAL_ONCE

/* The best of 32, 48 (for pairs), 128, 512 and 1024 threads a multiprocessor for so many targets. Where sections need
 * two, they get into each other's way as if there were a quarter. */
static inline ordo_u64 bsp_usual_rivals(double targets, bool pairs)
{
    if (targets <= 0)
        return 512;
    targets /= pairs ? 4 : 1;
    if (targets < 256)
        return pairs && targets > 100 ? 48 : 32;
    return targets < 4096 ? 128 : targets < 1 << 19 ? 512 : 1024;
}

#endif

typedef struct MY(args) {
    OP(state) state;
    ordo_cuda_locks locks;
    ordo_u32 width; /* threads of a block that run sections */
    ordo_u32 sleep; /* most, in ns */
    ordo_cuda_frontier frontier;
    ordo_cuda_halt halt;
    ordo_cuda_run run;
} MY(args);

/* A thread's part of a superstep: items first, first + stride, ... below end. False where the run ends early. */
template <bool Word>
ORDO_DEV bool MY(work)(const MY(args) * a, ordo_dev_queue *queue, ordo_u32 step, ordo_u64 first, ordo_u64 end,
                       ordo_u64 stride, ordo_cuda_counters *mine, ordo_u32 *rounds)
{
    const ordo_item *list = step == 1 ? a->run.initial : a->frontier.list[step & 1];
    ordo_request request[OP(requests)];
    ordo_activation out[OP(activations) + 1];
    ordo_u32 asked = 0, next = 0, nap = 32;
    while (first < end || next < asked) {
        if (ordo_dev_told(&a->halt, step, rounds))
            return false;
        if (next == asked) {
            next = 0;
            asked = OP(visit)(&a->state, list ? list[first] : (ordo_item)first, request);
            first += stride;
            mine->items++;
            mine->edges += asked;
            if (asked == 0 || (int)OP(lock_bits) != 0)
                continue;
        }
        ordo_u32 activated = 0;
        /* of one that can only be the first the place is known, and it stays in registers */
        const ordo_request *now = (int)OP(requests) == 1 ? &request[0] : &request[next];
        if (OP(dev_try) < Word > (&a->state, &a->locks, now, out, &activated)) {
            next++;
            nap = 32;
            mine->useful++;
            if (OP(activates))
                for (ordo_u32 i = 0; i < activated; i++)
                    mine->activations += OP(dev_push)(&a->frontier, queue, out[i].item, step + 1);
        } else if (a->sleep) {
            __nanosleep(nap);
            nap = 2 * nap < a->sleep ? 2 * nap : a->sleep;
        }
    }
    return true;
}

template <bool Word> ORDO_KERNEL(ORDO_CUDA_THREADS) MY(kernel)(const MY(args) a)
{
    enum { SHARE = 4 }; /* items of a thread between flushes */
    __shared__ ordo_dev_queue queue;
    auto grid = cooperative_groups::this_grid();
    const ordo_cuda_frontier *f = &a.frontier;
    const ordo_u64 width = a.width;
    ordo_cuda_counters mine = {};
    ordo_u32 rounds = 0;
    ordo_dev_start(&queue);
    for (ordo_u32 step = 1;; step++) {
        const ordo_u64 count = step == 1 ? a.run.initial_count : f->turn[step % 3].count;
        if (count == 0 || f->turn[step % 3].stop)
            break;
        if (blockIdx.x == 0 && threadIdx.x == 0)
            ordo_dev_begin_step(f, step, &a.run, count, step, 0);
        if (!OP(activates)) {
            if (threadIdx.x < width)
                MY(work)<Word>(&a, &queue, step, blockIdx.x * width + threadIdx.x, count, gridDim.x * width, &mine,
                               &rounds);
            break;
        }
        bool going = true;
        for (ordo_u64 first = blockIdx.x * width * SHARE; first < count; first += gridDim.x * width * SHARE) {
            const ordo_u64 end = first + width * SHARE < count ? first + width * SHARE : count;
            if (threadIdx.x < width && going)
                going = MY(work)<Word>(&a, &queue, step, first + threadIdx.x, end, width, &mine, &rounds);
            if (!__syncthreads_and(going))
                break;
            ordo_dev_flush(&queue, f->list[(step + 1) & 1], &f->turn[(step + 1) % 3].count, false);
        }
        ordo_dev_flush(&queue, f->list[(step + 1) & 1], &f->turn[(step + 1) % 3].count, true);
        grid.sync();
        if (ordo_dev_halted(&a.halt, step))
            break;
    }
    ordo_dev_publish(a.run.counters, mine);
}

/* Locks in words where the operator has them: else that kernel is not instantiated. */
template <bool Has> static const void *MY(kernel_of)(bool word)
{
    if constexpr (Has)
        return word ? (const void *)MY(kernel)<true> : (const void *)MY(kernel)<false>;
    return (const void *)MY(kernel)<false>;
}

static ordo_status MY(run_job)(ordo_job *job)
{
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    MY(args) a = {};
    ordo_u64 rivals = (ordo_u64)job->tunable[BSP_RIVALS];
    ordo_survey survey = {};
    const int locks = (int)job->tunable[BSP_LOCK_PLACE];
    const bool word = OP(lock_bits) && locks != 1;
    int blocks = (int)job->tunable[BSP_BLOCKS];
    if (locks == 2 && !word)
        return ordo_fail(
            ORDO_ERR_UNSOUND,
            "scheduler 'bsp' with lock_place=word needs an operator whose targets' words have a bit to spare; "
            "'%s' has none",
            job->op->name);
    ordo_status status = ordo_cuda_begin(job, 0, false, &c);
    if (!status && !rivals)
        status = ordo_survey_make(job->op, job->state, job->initial, job->initial_count, &survey);
    rivals = rivals ? rivals : bsp_usual_rivals(survey.targets, OP(targets) == 2);
    ordo_survey_free(&survey);
    if (!status)
        status = OP(cuda_state)(&c, &a.state, &arrays);
    if (!status)
        status = OP(cuda_frontier)(&c, &a.frontier, &a.halt);
    if (!status)
        status = ordo_cuda_locks_make(&c, !word, &a.locks);
    a.locks.twice = OP(cuda_twice)(job);
    if (!status) {
        /* as few blocks as have them, and of these all threads but for what is too many */
        const int needed = (int)((rivals + ORDO_CUDA_THREADS - 1) / ORDO_CUDA_THREADS);
        blocks = blocks && blocks < needed ? blocks : needed;
        a.width = (ordo_u32)((rivals + (ordo_u64)blocks - 1) / (ordo_u64)blocks);
        a.width = a.width < ORDO_CUDA_THREADS ? a.width : ORDO_CUDA_THREADS;
        a.sleep = (ordo_u32)job->tunable[BSP_SLEEP];
        a.run = c.run;
        void *args[] = {&a};
        const void *kernel = ordo_cuda_kernel(MY(kernel_of) < (int)OP(lock_bits) != 0 > (word));
        status = ordo_cuda_launch(&c, kernel, ORDO_CUDA_THREADS, blocks, args);
    }
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}

ORDO_CUDA_INSTANCE(bsp, MY(run_job), 1u << ORDO_SYNC_LOCK)
#undef MY
