/* rounds.cuh -- whether work is left in any of several ranks that do not meet: for schedulers without supersteps.
 *
 * Included by such schedulers, in units for several ranks, behind <ordo/detail/cuda/ranks.cuh>. Messages are those of
 * <ordo/detail/cuda/boxes.cuh>.
 *
 * Problem. A rank without entries may get a message, so that no rank knows by itself that the run is over. No warp that
 * expands items may wait for another rank.
 *
 * Method. One warp of each rank, the monitor, expands nothing and meets the monitors of the other ranks again and again
 * (ordo_dev_round). It says, of its rank,
 *   finished  how many things are finished; read before the meeting, with acquire;
 *   made      how many have been made; read behind the last meeting, and behind `finished`.
 * Things are initial items, entries, bits of spilled items, and messages. The run is over at the meeting at which the
 * sum of `made` is the sum of `finished` of the meeting before. These are Mattern's four counters (Algorithms for
 * distributed termination detection, Distributed Computing 2, 1987): sums of two rounds, of which the later one has
 * what was sent. Sums of one meeting do not do: a rank may read its `made` and then send a message, which another rank
 * finishes before it reads its `finished`.
 *
 * What a scheduler owes.
 *   (1) A thing is counted in `made` before any thread can take it. A message is: when it leaves the stage, before its
 *       chunk is filled.
 *   (2) A thing is counted in `finished` once, behind the counting of all that it has activated. A message is finished
 *       when what it activates at the receiver is counted there, or when the sender has counted it as a bit. A
 *       scheduler that knows only the difference of its own entries, made minus finished at one moment, may count
 *       messages alone in both words, and subtract that difference from `finished`.
 *   (3) Counts of a rank are ordered by releases and acquires at device scope.
 * Proof. Let P be what is counted in the words of `made` that were compared. Each `finished` was read before a meeting
 * that came before all of these reads. What it counts was made before, by (1), so it is in P; as the sums are equal it
 * is all of P. If there were something outside P, the first such thing was activated by something in P, which is
 * finished; by (2) it was counted before that, hence before the reads, and would be in P. Across ranks (3) suffices: a
 * receiver that counts a message as finished has acquired its chunk, which was released behind the addition to `sent`;
 * so the sender's monitor, which reads `sent` behind a meeting that told of that, reads that addition, too.
 *
 * The end. All monitors compute the same from the same words, so all ranks end at the same meeting; a stop request of
 * one host is said there as well. Each tells the workers of its rank. When these have ended, monitors meet once more
 * (ordo_dev_end_rounds): then no rank stores to memory of others, which may be used by the next run.
 *
 * A rank that never meets lets the others wait for ever: the process that has started the ranks ends them.
 *
 * The model tests/models/boxes.pml has these rounds. Functions are called by whole warps, with the same arguments in
 * all lanes.
 */
#ifndef ORDO_DETAIL_CUDA_ROUNDS_CUH
#define ORDO_DETAIL_CUDA_ROUNDS_CUH

#include <ordo/detail/cuda/words.cuh>

enum {
    ORDO_ROUND_NAP = 64, /* nanoseconds, of a monitor that waits for others, */
    ORDO_END_NAP = 500,  /* and for its own workers at the end */
};

/* The words that a rank says. */
enum { ORDO_ROUND_FINISHED, ORDO_ROUND_MADE, ORDO_ROUND_STOP, ORDO_ROUND_FRONT };

/* A monitor's state; the same in all lanes. */
typedef struct ordo_dev_rounds {
    ordo_u64 met;            /* meetings so far, of any kind */
    bool some;               /* there was one of ordo_dev_round */
    ordo_u64 finished, made; /* the sums at the last one */
    double front;            /* the least of what ranks said */
} ordo_dev_rounds;

/* Meets the other ranks. Returns whether the run is over: nothing is left in any rank, or a rank has said `stop`.
 * `front`: the priority up to which the rank has finished its items, for schedulers that want the least of all ranks;
 * INFINITY: it has no items. */
ORDO_DEV bool ordo_dev_round(const ordo_cuda_ranks &r, ordo_dev_rounds *k, ordo_u64 finished, ordo_u64 made, bool stop,
                             double front)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_u64 infinite = ordo_dev_ordered(INFINITY);
    ordo_dev_say(r, ++k->met,
                 lane == ORDO_ROUND_FINISHED ? finished
                 : lane == ORDO_ROUND_MADE   ? made
                 : lane == ORDO_ROUND_STOP   ? (ordo_u64)stop
                 : lane == ORDO_ROUND_FRONT  ? ordo_dev_ordered(front)
                                             : 0,
                 0);
    while (!ordo_dev_all_said(r, k->met))
        __nanosleep(ORDO_ROUND_NAP);
    ordo_cuda_said *const said = &r.words[r.rank]->said[k->met & 1][lane < r.count ? lane : 0];
    const bool there = lane < r.count;
    const ordo_u64 all_finished = ordo_warp_sum(there ? ordo_dev_load(&said->word[ORDO_ROUND_FINISHED].x) : 0);
    const ordo_u64 all_made = ordo_warp_sum(there ? ordo_dev_load(&said->word[ORDO_ROUND_MADE].x) : 0);
    const bool stops = __any_sync(~0u, there && ordo_dev_load(&said->word[ORDO_ROUND_STOP].x));
    ordo_u64 least = there ? ordo_dev_load(&said->word[ORDO_ROUND_FRONT].x) : infinite;
    for (int step = 16; step; step /= 2) {
        const ordo_u64 other = __shfl_xor_sync(~0u, least, step);
        least = other < least ? other : least;
    }
    const bool over = k->some && k->finished == all_made;
    *k = {k->met, true, all_finished, all_made, ordo_dev_unordered(least)};
    return over || stops;
}

/* When the run is over and the rank's workers know it: waits until they have ended, and then for those of all ranks.
 * `ended`: how many of the `workers` have, which each adds to behind its last store. `sent`: messages of this rank,
 * which becomes the run's count of them. */
ORDO_DEV void ordo_dev_end_rounds(const ordo_cuda_ranks &r, ordo_dev_rounds *k, ordo_u64 *ended, ordo_u64 workers,
                                  ordo_u64 *sent)
{
    while (ordo_dev_acquire(ended) < workers)
        __nanosleep(ORDO_END_NAP);
    __syncwarp();
    ordo_dev_say(r, ++k->met, 0, 0);
    while (!ordo_dev_all_said(r, k->met))
        __nanosleep(ORDO_ROUND_NAP);
    if (threadIdx.x % 32 == 0)
        r.words[r.rank]->messages = ordo_dev_load(sent);
}

#endif
