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
 * Termination, exact. The argument of cuda.cuh, with things of all ranks: initial items, tickets (tail), bits (spilled)
 * and messages (sent) are what has been made; `done` counts what is finished, by then all that it has activated is
 * counted. A message is made when its sender takes it out of the stage, ahead of its chunk's publication; it is
 * finished when its receiver has put what it activated, or when it has become a bit. Monitors meet again and again
 * (ordo_dev_say), and each says
 *   D   done, read before the meeting, with acquire;
 *   M   tail + spilled + sent, read behind the last meeting.
 * The run is over at the meeting at which the sum of M, and the initial items, is the sum of D of the meeting before.
 * Let P be the initial items and what was counted in the words when M was read. Each D was read before a meeting that
 * came before every read of M. What D counts was made, and had its activations made, before it was added to done, hence
 * before the reads of M: so it is in P, and as the sums are equal it is all of P. If there were something outside P,
 * the first such thing was activated by something in P, which D counts; so it was made before the reads, and would be
 * in P. This is Mattern's method of four counters (Distributed Computing 2, 1987): sums of two rounds, of which the
 * later one has what was sent. Sums of one meeting do not do: a rank may read its M and then send a message, which
 * another rank finishes before it reads its D. A message may be finished by its receiver
 * before its sender reports the item behind it. That is not in the way: it was counted in `sent` before its chunk was
 * published.
 *
 * The end. All monitors compute the same from the same words, so all ranks end at the same meeting; a stop request of
 * one host is said there as well. Each tells the rank's workers by `stop`. When these have ended, monitors meet once
 * more: then no rank stores to memory of others, which may be used by the next run.
 *
 * Memory order. Words of a rank as in cuda.cuh, at device scope; other ranks get them by the monitors' meeting, whose
 * releases and acquires are of system scope. A receiver that adds to done has acquired the chunk, which was released
 * behind the addition to `sent`; so a monitor of the sender, which reads sent behind a meeting that told it of that
 * done, reads that addition, too.
 *
 * A rank that never meets lets the others wait for ever: the process that has started the ranks ends them.
 */

/* The words that a rank says. */
enum { BROKER_RANKS_DONE, BROKER_RANKS_MADE, BROKER_RANKS_STOP };

/* What all ranks together have said. */
typedef struct broker_ranks_agreed {
    ordo_u64 done, made, stop;
} broker_ranks_agreed;

/* By a whole warp: a lane's sum, in all lanes. */
ORDO_DEV broker_ranks_agreed broker_ranks_agree(const ordo_cuda_ranks &r, ordo_u64 number)
{
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_cuda_said *const said = &r.words[r.rank]->said[number & 1][lane < r.count ? lane : 0];
    broker_ranks_agreed mine = {};
    if (lane < r.count)
        mine = {ordo_dev_load(&said->word[BROKER_RANKS_DONE]), ordo_dev_load(&said->word[BROKER_RANKS_MADE]),
                ordo_dev_load(&said->word[BROKER_RANKS_STOP])};
    return {ordo_warp_sum(mine.done), ordo_warp_sum(mine.made), ordo_warp_sum(mine.stop)};
}

/* By the monitor: meets the other ranks, who hear the lane's word. */
ORDO_DEV void broker_ranks_meet(const ordo_cuda_ranks &r, ordo_u64 number, ordo_u64 word)
{
    ordo_dev_say(r, number, word);
    while (!ordo_dev_all_said(r, number))
        __nanosleep(BROKER_DEV_NAP);
}

/* By one whole warp of the rank's grid: the monitor, behind meeting `met`; returns when all ranks have ended. Passes
 * are counted as in cuda.cuh, but from what all ranks have finished: what is in flight at a moment is about a pass. */
ORDO_DEV void broker_ranks_monitor(const broker_args &a, ordo_u64 met)
{
    const ordo_cuda_ranks &r = a.ctx.ranks;
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_u64 began = ordo_dev_clock();
    ordo_u64 passes = 0, end = 0, done = 0, known = 0; /* done: of the meeting before, if `known` */
    for (;;) {
        const broker_glance g = broker_look(a);
        const ordo_u64 made = g.tail + g.spilled + ordo_dev_load(&a.words->sent), stop = a.run.mailbox->stop;
        broker_ranks_meet(r, ++met,
                          lane == BROKER_RANKS_DONE   ? g.done
                          : lane == BROKER_RANKS_MADE ? made
                          : lane == BROKER_RANKS_STOP ? stop
                                                      : 0);
        const broker_ranks_agreed all = broker_ranks_agree(r, met);
        const ordo_u64 things = all.made + a.run.initial_count;
        if (all.stop || (known && done == things))
            break;
        known = 1;
        done = all.done;
        if (done >= end) {
            end = things;
            passes++;
        }
        if (lane == 0) {
            const ordo_u64 in_flight = things > done ? things - done : 1;
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
    while (ordo_dev_acquire(&a.words->ended) < a.workers)
        __nanosleep(BROKER_DEV_NAP);
    __syncwarp();
    broker_ranks_meet(r, ++met, 0);
    if (lane == 0)
        r.words[r.rank]->messages = ordo_dev_load(&a.words->sent);
}

/* By a whole warp: sends what the block has staged. Messages that found their box full are bits then, and finished. */
ORDO_DEV void broker_ranks_unstage(const broker_args &a, op_warp *w, broker_worker *me)
{
    op_dev_unstage(a.ctx.ranks, a.ctx.boxes, w->stage,
                   [&](ordo_u32 item, bool there) { op_warp_keep(a.ctx, w, there, item); });
    me->finished += w->unsent;
    w->unsent = 0;
}

/* By a whole warp: takes a chunk of messages that has come, if there is one, and puts what they improve into the
 * store. */
ORDO_DEV bool broker_ranks_take_mail(const broker_args &a, op_warp *w, broker_worker *me)
{
    op_dev_message message = {};
    const ordo_u32 count = op_dev_take_chunk(a.ctx.ranks, a.ctx.boxes, me->index + me->looks++, &message);
    const bool there = threadIdx.x % 32 < count;
    if (!count)
        return false;
    const bool improves = there && op_dev_apply(&a.ctx.state, a.ctx.cells, message.item, &message.value, false, false);
    w->useful += improves;
    op_warp_put(a.ctx, w, improves, message.item, message.value, message.item);
    me->taken += count;
    me->turns++;
    return true;
}

/* By a whole warp that has taken the lane's bits of word `word`: sends the values of those that are ghosts. Returns the
 * other bits. */
ORDO_DEV ordo_u32 broker_ranks_send_kept(const broker_args &a, op_warp *w, ordo_u32 word, ordo_u32 bits)
{
    const ordo_u64 first = (ordo_u64)word * 32, items = a.ctx.num_items; /* parts begin at multiples of 32 */
    ordo_u32 ghosts = 0;
    if (bits && first < items && !ordo_dev_owns(a.ctx.ranks, (ordo_u32)first))
        ghosts = items - first >= 32 ? bits : bits & ((1u << (items - first)) - 1); /* above are pieces of hubs */
    const ordo_u32 others = bits & ~ghosts;
    while (__any_sync(~0u, ghosts != 0)) {
        const bool has = ghosts != 0;
        const ordo_u32 item = has ? (ordo_u32)first + (ordo_u32)__ffs((int)ghosts) - 1 : 0;
        op_cell value = {};
        if (has)
            value = ordo_dev_load(&a.ctx.cells[item]);
        op_warp_post(a.ctx, w, has, item, value);
        ghosts &= ghosts - 1;
    }
    return others;
}
