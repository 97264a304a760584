/* inbox over several GPUs, a rank each: rings on each, and messages that are taken as they come.
 *
 * Problem. What cuda.cuh does, where activated items may be those of other ranks. A ring that warps of two GPUs change
 * would need an atomic operation across the link for each entry.
 *
 * Method. What improves a ghost is staged by the block and sent by chunks of 32 (<ordo/detail/cuda/boxes.cuh>); a warp
 * sends what its block has staged when it has finished what it held. Ahead of its rings a warp takes chunks that have
 * come until there are none: it offers the values to the cells, and publishes the items of those that improve to their
 * owners' rings. Messages come first because what a rank does with outdated values is done again, and because full
 * boxes make senders send again. Fronts and widths are those of each rank alone, so there is an order within a rank and
 * none between ranks. A message that finds its box full becomes a bit of its ghost; the worker that takes the bit sends
 * the value that the ghost then has.
 *
 * Termination, exact: <ordo/detail/cuda/rounds.cuh>. `pending` is the difference of what the rank has made and finished
 * of its own. So made are messages (sent) and bits of ghosts (kept); finished are those that are (remote_done), less
 * `pending`. A worker's messages leave the stage before its entries become credit. Workers do not look at `pending`:
 * the monitor tells them.
 *
 * Progress. No worker waits for another rank.
 *
 * Memory order. `remote_done` is added to behind a fence that follows the additions to `pending` for what was
 * activated; the monitor reads it with acquire, and then `pending`.
 */
#include <ordo/detail/cuda/rounds.cuh>

/* Turns of an idle worker between looks: thousands of them would keep the memory busy. */
enum { INBOX_RANKS_IDLE = 8 };

/* By the whole grid, before it meets: `pending` is the number of initial items that the rank owns. */
ORDO_DEV void inbox_ranks_start(const inbox_args &a)
{
    ordo_u64 own = 0;
    for (ordo_u64 i = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.run.initial_count;
         i += (ordo_u64)gridDim.x * blockDim.x)
        own += ordo_dev_owns(a.ctx.ranks, ordo_dev_initial(&a.run, i));
    own = ordo_warp_sum(own);
    if (threadIdx.x % 32 == 0 && own)
        ordo_dev_add(&a.words->pending, own);
}

/* By a whole warp whose store is empty: counts messages and bits of ghosts as finished. */
ORDO_DEV void inbox_ranks_finish(const inbox_args &a, op_warp *w, inbox_worker *me)
{
    if (!me->remote && !w->unsent)
        return;
    op_warp_unstage(a.ctx, w); /* what ghosts had, and what was staged before */
    const ordo_u32 finished = me->remote + w->unsent;
    me->remote = w->unsent = 0;
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        ordo_dev_fence();
        ordo_dev_add(&a.words->remote_done, (ordo_u64)finished);
    }
}

/* By a whole warp: takes a chunk of messages that has come, if there is one and it is this warp's turn to look. */
ORDO_DEV bool inbox_ranks_take_mail(const inbox_args &a, op_warp *w, inbox_worker *me, ordo_u32 idle)
{
    const ordo_u32 turn = me->index + me->looks++;
    if (idle && !me->found && turn % INBOX_RANKS_IDLE)
        return false;
    /* a number that grows by one from look to look: else some ranks might never be looked at */
    me->remote = op_warp_take_mail(a.ctx, w, idle ? turn / INBOX_RANKS_IDLE : turn);
    me->found = me->remote != 0;
    return me->found;
}

/* By a whole warp that has taken the lane's bits of word `word`: sends the ghosts among them. Returns the other bits.
 */
ORDO_DEV ordo_u32 inbox_ranks_send_kept(const inbox_args &a, op_warp *w, inbox_worker *me, ordo_u32 word, ordo_u32 bits)
{
    const ordo_u32 own = op_warp_send_kept(a.ctx, w, word, bits);
    me->remote += ordo_warp_sum((ordo_u32)__popc(bits) - (ordo_u32)__popc(own));
    return own;
}

/* By the monitor: meets the other ranks; returns whether the run is over. */
ORDO_DEV bool inbox_ranks_round(const inbox_args &a, ordo_dev_rounds *k)
{
    ordo_u64 finished = ordo_dev_acquire(&a.words->remote_done);
    __syncwarp();
    finished -= ordo_dev_load(&a.words->pending);
    finished = __shfl_sync(~0u, finished, 0);
    __syncwarp(); /* all that is finished is read before what has been made */
    const ordo_u64 made = __shfl_sync(~0u, ordo_dev_load(&a.words->sent) + ordo_dev_load(&a.words->kept), 0);
    return ordo_dev_round(a.ctx.ranks, k, finished, made, a.run.mailbox->stop != 0, INFINITY);
}

/* By the monitor, when the run is over and it has told the workers. */
ORDO_DEV void inbox_ranks_end(const inbox_args &a, ordo_dev_rounds *k, ordo_u64 began)
{
    const ordo_cuda_ranks &r = a.ctx.ranks;
    if (threadIdx.x % 32 == 0)
        r.words[r.rank]->nanoseconds = ordo_dev_clock() - began;
    ordo_dev_end_rounds(r, k, &a.words->ended, a.workers, &a.words->sent);
}
