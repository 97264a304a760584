/* adds over several GPUs, a rank each: a manager on each, and messages that are taken as they come.
 *
 * Problem. What cuda.cuh does, where activated items may be those of other ranks. A manager assigns work to the blocks
 * of its own GPU; one manager for all would wait for a link at each assignment.
 *
 * Method. What improves a ghost is staged by the block and sent by chunks of 32 (<ordo/detail/cuda/boxes.cuh>); what is
 * staged is sent when a warp ends a portion. Ahead of a portion a warp takes chunks that have come until there are
 * none: offers their values to the cells, and pushes the items of those that improve, as it pushes what it activates
 * itself. Messages come first because what a rank does with outdated values is done again. Where the run is
 * latency-bound, a busy warp looks once in ADDS_RANKS_LOOKS portions, since a look takes as long as a hop. Managers
 * change delta and heads of their own rank alone. So there is an order within each rank and none between ranks, except
 * that a rank without entries moves its buckets up to the least front of the others: what it gets next comes from there
 * (adds_dev_follow). A message that finds its box full becomes a bit of its ghost; the warp that sweeps that bit sends
 * the value that the ghost then has.
 *
 * Termination, exact: <ordo/detail/cuda/rounds.cuh>. In the place of the trace warp, whose samples it writes, the
 * manager has the ranks warp: the monitor. What has been made is slots (resv), bits (spilled), messages (sent) and the
 * initial items of each worker block; what is finished is slots (DWC), bits (swept), messages (received) and the blocks
 * that have started. A
 * portion is counted as done when its messages have left the stage. When the ranks warp finds the end it tells the
 * control warp, and waits for the warps of workers.
 *
 * Progress. No worker waits for another rank: a warp without a portion returns to look for messages.
 *
 * Memory order. As in manager.cuh, at device scope: `received` is added to behind a fence that follows the
 * reservations.
 */
#include <ordo/detail/cuda/rounds.cuh>

enum {
    ADDS_RANKS_LOOKS = 4, /* portions of a busy warp between two looks for messages, where the run is latency-bound */
};

/* By a whole warp that has pushed all that its portion activated, or the messages that it took: sends what the block
 * has staged, and counts messages as finished. */
ORDO_DEV void adds_ranks_finish(const adds_args &a, op_warp *w, adds_warp *hand)
{
    op_warp_unstage(a.ctx, w);
    const ordo_u32 finished = hand->mail + w->unsent;
    hand->mail = w->unsent = 0;
    __syncwarp();
    if (threadIdx.x % 32 == 0 && finished) {
        ordo_dev_fence();
        ordo_dev_add(&a.queue.words->received, (ordo_u64)finished);
    }
}

/* By a whole warp between two portions: takes a chunk of messages that has come, if there is one and it is this warp's
 * turn to look. */
ORDO_DEV bool adds_ranks_take_mail(const adds_args &a, op_warp *w, adds_warp *hand)
{
    if (++hand->turns % ADDS_RANKS_LOOKS && !hand->looks && w->map.latency_bound)
        return false;
    w->map = adds_dev_read_map(a.queue);
    hand->mail =
        op_warp_take_mail(a.ctx, w, hand->turns / ADDS_RANKS_LOOKS); /* grows by one, however rarely it looks */
    hand->looks = hand->mail != 0;
    return hand->looks;
}

/* The ranks warp, behind meeting `met`; returns when all ranks have ended. */
ORDO_DEV void adds_ranks_warp(const adds_args &a, adds_dev_manager *m, ordo_u64 met)
{
    const adds_dev_queue &q = a.queue;
    const ordo_cuda_ranks &r = a.ctx.ranks;
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_u64 began = ordo_dev_clock();
    ordo_dev_rounds k = {};
    ordo_u32 seen = 0;
    k.met = met;
    for (;;) {
        const ordo_u64 received = ordo_dev_acquire(&q.words->received);
        ordo_u64 finished = lane < q.layout.buckets ? ordo_dev_acquire(&q.words->done[lane]) : 0;
        if (lane == 0)
            finished += ordo_dev_acquire(&q.words->swept) + ordo_dev_acquire(&q.words->started);
        finished = ordo_warp_sum(finished);
        __syncwarp(); /* all that is finished is read before what has been made */
        ordo_u64 made = lane < q.layout.buckets ? ordo_dev_load(&q.words->resv[lane]) : 0;
        if (lane == 0)
            made += ordo_dev_load(&q.words->spilled) + a.params.workers;
        made = ordo_warp_sum(made);
        const ordo_u64 sent = ordo_dev_load(&q.words->sent);
        const double front = made == finished ? (double)INFINITY : ordo_dev_load(&q.words->base);
        finished += __shfl_sync(~0u, received, 0);
        made += __shfl_sync(~0u, sent, 0);
        if (ordo_dev_round(r, &k, finished, made, __any_sync(~0u, ordo_dev_load_block(&m->stop) != 0), front))
            break;
        if (lane == 0)
            ordo_dev_store_block(&m->front, k.front);
        adds_dev_trace<false>(m, a.run, &seen);
    }
    if (lane == 0) {
        ordo_dev_store_block(&m->over, 1u);
        r.words[r.rank]->nanoseconds = ordo_dev_clock() - began;
    }
    ordo_dev_end_rounds(r, &k, &q.words->ended, (ordo_u64)a.params.workers * ADDS_DEV_WARPS, &q.words->sent);
}
