/* ghosts_cuda.pml -- a model of rounds over several GPUs, for Spin: framework/include/ordo/detail/cuda/ghosts.cuh, with
 * the meeting of meet.cuh.
 *
 * Two ranks of two blocks each, and a vertex for each block, which reads the shares of all four. A share is the number
 * of the round that has computed it. A block computes first shares of two vertices, and meets the others. In a round it
 * reads the shares one by one, stores its own to both ranks, one after the other, and adds 1 to the sum of the round;
 * the first block of a rank clears the sum of the next round, and asks whether the host of its rank wants to end, which
 * that of rank 0 does at some time. Behind the meeting a block reads the sum and the stop. The first block of a rank
 * makes them those of all ranks.
 *
 * Checked: each share that a round reads is of the round before; each sum has all blocks; all blocks end behind the
 * same round; no rank stores to one whose kernel has ended. -DROUNDS=3 has one more.
 * Faults to show that the checks can fail: -DONE_ARRAY has one array of shares; -DNOT_WAITED releases the blocks without
 * waiting for the other rank; -DNOT_SENT has a block that stores to its own rank alone; -DSENT_LATE stores to the other
 * rank behind arriving; -DRELEASED_EARLY releases the blocks ahead of the sums; -DTWO_SUMS has sums for two rounds;
 * -DOWN_STOP ends by the stop of the own host; -DNO_FIRST has no meeting behind the first shares.
 */
#ifndef ROUNDS
#define ROUNDS 2 /* at most */
#endif
#ifdef ONE_ARRAY
#define SIDE(n) 0
#else
#define SIDE(n) ((n) % 2)
#endif
#ifdef TWO_SUMS
#define SLOT(n) ((n) % 2)
#else
#define SLOT(n) ((n) % 3)
#endif
#define SHARE(rank, n, v) share[(rank) * 8 + SIDE(n) * 4 + (v)] /* what round n reads */

byte share[16] = 99;
byte sum[6];                /* rank * 3 + slot */
bool stop[6];               /* the same, by the round behind the one that ends */
byte said[8];               /* set * 4 + at * 2 + from: the sum that `from` has said to `at` */
bool asks[8];               /* the same: its stop */
byte met[4];                /* at * 2 + from: number of the last meeting for which `from` has told `at` */
byte arrived[2], released[2];
bool asked;                 /* by the host of rank 0 */
byte ended[2], ends[2];     /* blocks of a rank that have ended; the round behind which they did */

/* By a block, behind its part of a round. */
inline meet()
{
    d_step {
        now++;
        arrived[me]++
    }
#ifdef SENT_LATE
    if
    :: round > 0 -> SHARE(1 - me, round + 1, me * 2 + number) = round
    :: else
    fi;
#endif
    if
    :: number == 0 ->
        arrived[me] == 2 * now;
        d_step { /* the other rank reads it behind `met` */
            said[now % 2 * 4 + me * 2 + me] = sum[me * 3 + SLOT(round)];
            said[now % 2 * 4 + (1 - me) * 2 + me] = sum[me * 3 + SLOT(round)];
            asks[now % 2 * 4 + me * 2 + me] = stop[me * 3 + SLOT(round + 1)];
            asks[now % 2 * 4 + (1 - me) * 2 + me] = stop[me * 3 + SLOT(round + 1)];
            met[me * 2 + me] = now
        }
        met[(1 - me) * 2 + me] = now;
#ifndef NOT_WAITED
        met[me * 2 + 1 - me] >= now;
#endif
#ifdef RELEASED_EARLY
        released[me] = now;
#endif
        d_step {
            sum[me * 3 + SLOT(round)] = said[now % 2 * 4 + me * 2] + said[now % 2 * 4 + me * 2 + 1];
#ifndef OWN_STOP
            stop[me * 3 + SLOT(round + 1)] = asks[now % 2 * 4 + me * 2] || asks[now % 2 * 4 + me * 2 + 1]
#endif
        }
        released[me] = now
    :: else -> released[me] >= now
    fi
}

proctype block(byte me, number)
{
    byte now = 0, round = 0, v;
    d_step {
        SHARE(me, 1, number * 2) = 0;
        SHARE(me, 1, number * 2 + 1) = 0
    }
#ifndef NO_FIRST
    meet();
#endif
    do
    :: round++;
        if
        :: number == 0 ->
            d_step {
                sum[me * 3 + SLOT(round + 1)] = 0;
                stop[me * 3 + SLOT(round + 1)] = me == 0 && asked
            }
        :: else
        fi;
        for (v : 0 .. 3) {
            assert(SHARE(me, round, v) == round - 1)
        }
        v = 0;
        SHARE(me, round + 1, me * 2 + number) = round;
#ifdef NOT_SENT
        if
        :: me == 1 || number == 0 -> SHARE(1 - me, round + 1, me * 2 + number) = round
        :: else
        fi;
#elif !defined(SENT_LATE)
        d_step {
            assert(ended[1 - me] == 0);
            SHARE(1 - me, round + 1, me * 2 + number) = round
        }
#endif
        sum[me * 3 + SLOT(round)]++;
        meet();
        assert(sum[me * 3 + SLOT(round)] == 4);
        if
        :: round == ROUNDS || stop[me * 3 + SLOT(round + 1)] -> break
        :: else
        fi
    od;
    skip; /* a jump may not lead into d_step */
    d_step {
        assert(ends[1 - me] == 0 || ends[1 - me] == round);
        assert(ends[me] == 0 || ends[me] == round);
        ends[me] = round;
        ended[me]++
    }
}

proctype host()
{
    asked = 1
}

init
{
    atomic {
        run block(0, 0);
        run block(0, 1);
        run block(1, 0);
        run block(1, 1);
        run host()
    }
    ended[0] + ended[1] == 4
}
