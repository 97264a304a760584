/* broker over several GPUs, a rank each: a queue on each, and messages that are taken as they come.
 *
 * Problem. What cuda.cuh does, where activated items may be those of other ranks. The order is first in, first out on
 * each device; one queue for all devices would have its counters at the far end of a link, for a call of most warps.
 *
 * Method. What improves a ghost is staged by the block and sent by chunks of 32 (<ordo/detail/cuda/boxes.cuh>). A warp
 * that looks for work takes a chunk that has come first, offers its values to the cells, and puts the items of those
 * that improve into the rank's queue with one reservation. So a message waits for no superstep, and ranks have none.
 * What is staged is sent when there are 32 for a rank, when a warp of the block finds no entry, and before a warp
 * reports what it has finished. A message that finds its box full becomes the bit of its ghost, beside those of entries
 * without a place; a warp that takes the bit sends the value that the ghost then has.
 *
 * Progress. As in cuda.cuh: no worker waits for another rank. The monitors of ranks wait for each other, and for
 * nothing else; they expand nothing.
 *
 * Termination, exact: <ordo/detail/cuda/rounds.cuh>. Initial items, tickets (tail), bits (spilled) and messages (sent)
 * are what has been made; `done` counts what is finished, by then all that it has activated is counted. A message may
 * be finished by its receiver before its sender reports the item behind it. That is not in the way: it was counted in
 * `sent` before its chunk was published.
 *
 * Memory order. Words of a rank as in cuda.cuh, at device scope; other ranks get them by the monitors' meeting.
 */
#include <ordo/detail/cuda/rounds.cuh>

/* By one whole warp of the rank's grid: the monitor, behind meeting `met`; returns when all ranks have ended. Passes
 * are counted as in cuda.cuh, but from what all ranks have finished: what is in flight at a moment is about a pass. */
ORDO_DEV void broker_ranks_monitor(const broker_args &a, ordo_u64 met)
{
    const ordo_cuda_ranks &r = a.ctx.ranks;
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_u64 began = ordo_dev_clock();
    ordo_u64 passes = 0, end = 0;
    ordo_dev_rounds k = {};
    k.met = met;
    for (;;) {
        const broker_glance g = broker_look(a);
        const ordo_u64 made = g.tail + g.spilled + ordo_dev_load(&a.words->sent);
        /* initial items are known to all ranks, and count once */
        if (ordo_dev_round(r, &k, g.done, made + (r.rank ? 0 : a.run.initial_count), a.run.mailbox->stop != 0, 0))
            break;
        if (k.finished >= end) {
            end = k.made;
            passes++;
        }
        if (lane == 0) {
            const ordo_u64 in_flight = k.made > k.finished ? k.made - k.finished : 1;
            ordo_dev_sample(a.run.record, in_flight, passes, 0, 1, -1);
            a.run.record->supersteps = passes;
            a.run.mailbox->supersteps = passes;
            a.run.mailbox->in_flight = in_flight;
        }
        __nanosleep(BROKER_RANKS_NAP);
    }
    if (lane == 0) {
        ordo_dev_store(&a.words->stop, (ordo_u64)1);
        r.words[r.rank]->nanoseconds = ordo_dev_clock() - began;
    }
    ordo_dev_end_rounds(r, &k, &a.words->ended, a.workers, &a.words->sent);
}

/* By a whole warp: sends what the block has staged. Messages that found their box full are bits then, and finished. */
ORDO_DEV void broker_ranks_unstage(const broker_args &a, op_warp *w, broker_worker *me)
{
    op_warp_unstage(a.ctx, w);
    me->finished += w->unsent;
    w->unsent = 0;
}

/* By a whole warp: takes a chunk of messages that has come, if there is one. */
ORDO_DEV bool broker_ranks_take_mail(const broker_args &a, op_warp *w, broker_worker *me)
{
    const ordo_u32 count = op_warp_take_mail(a.ctx, w, me->index + me->looks++);
    me->taken += count;
    me->turns += count != 0;
    return count != 0;
}
