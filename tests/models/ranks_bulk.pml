/* ranks_bulk.pml -- a model of sums over several GPUs, for Spin: framework/include/ordo/detail/cuda/bulk.cuh, as
 * schedulers/bsp/cuda_ranks.cuh uses it.
 *
 * Two ranks of two blocks each. The blocks of rank 0 add to two ghosts, whose cells rank 1 owns; in which superstep is
 * drawn, and some additions cancel out. Rank 1 adds once to its one ghost when the first message has come. An addition
 * that finds 0 marks the ghost. Behind a barrier of the rank, ghost g is swapped for 0 and sent by block g, if it has a
 * mark. A box holds one message; a value that finds no place is added to its ghost again, with the mark, and counted in
 * `spilled`. The meeting is that of ranks_cuda.pml, which has its faults.
 *
 * Checked: all blocks end behind the same meeting; then owners have every addend once, and no ghost, mark or message is
 * left. At each meeting `spilled` is the number of a rank's marks: an operator that pulls pushes once that is not 0.
 *
 * Variants that hold, too: -DLOAD loads the ghost and stores 0 in two steps, since behind the barrier a ghost is one
 * block's; -DNOT_COUNTED leaves `spilled` out of a rank's work, since a message that finds no place is in `sent`;
 * -DLAST=3 adds in three supersteps.
 * Faults to show that the checks can fail: -DNO_BARRIER has no barrier between additions and messages; -DNO_MARK has a
 * block whose additions make no mark; -DMARK_LATE clears a mark behind sending its ghost; -DLOST marks a ghost whose
 * box is full and drops the value; -DNO_MARK_BACK puts it back without a mark; -DNOT_EMPTIED sends a ghost and leaves
 * it as it is; -DSENT_UNCOUNTED leaves messages out of a rank's work; -DONE_BOX has one set of boxes for all meetings;
 * -DRESET_LATE stores 0 into `spilled` when messages have been sent, -DNOT_RESET never does.
 */
#ifdef ONE_BOX
#define BOX(n) 0
#else
#define BOX(n) ((n) % 2)
#endif
#define EMPTY 9
#ifndef LAST
#define LAST 2 /* the superstep in which all is added, at the latest */
#endif

short ghost[4], cell[4];    /* rank * 2 + ghost; owner * 2 + ghost */
bool mark[4];               /* rank * 2 + ghost */
byte todo[4] = 0;           /* rank * 2 + block: additions that are left */
bool replied;               /* rank 1 has got its addition */
byte sent[2], spilled[2];
byte box[4] = EMPTY;        /* to * 2 + set: the ghost that the message is about */
short boxed[4];             /* the same: its value */
bool work[8];               /* set * 4 + at * 2 + from: what `from` has told `at`, whether it has any */
bool told[8];               /* the same: whether it has sent any */
byte met[4];                /* at * 2 + from: number of the last meeting for which `from` has told `at` */
byte arrived[2], released[2], passed[2]; /* passed: blocks that have reached barriers of the rank */
byte ended, ends[2];        /* blocks that have ended; the meeting at which a rank did */

inline barrier()
{
    d_step {
        barriers++;
        passed[me]++
    }
    passed[me] >= 2 * barriers
}

/* By one thread: an addition, and its mark. */
inline add(g, addend)
{
    d_step {
        todo[me * 2 + number]--;
        value = ghost[me * 2 + g];
        ghost[me * 2 + g] = ghost[me * 2 + g] + addend
    }
    if
#ifdef NO_MARK
    :: value == 0 && number == 0 -> mark[me * 2 + g] = 1
#else
    :: value == 0 -> mark[me * 2 + g] = 1
#endif
    :: else
    fi;
    value = 0
}

/* By the thread that has found the mark of ghost g. */
inline send(g)
{
#ifdef LOAD
    value = ghost[me * 2 + g];
    ghost[me * 2 + g] = 0;
#else
    d_step {
        value = ghost[me * 2 + g];
#ifndef NOT_EMPTIED
        ghost[me * 2 + g] = 0
#endif
    }
#endif
    if
    :: value != 0 ->
        d_step {
            at = sent[me];
            sent[me]++
        }
        if
        :: at == 0 ->
            d_step {
                assert(box[(1 - me) * 2 + BOX(now + 1)] == EMPTY);
                box[(1 - me) * 2 + BOX(now + 1)] = g;
                boxed[(1 - me) * 2 + BOX(now + 1)] = value
            }
        :: else ->
#ifndef LOST
            ghost[me * 2 + g] = ghost[me * 2 + g] + value;
#endif
#ifndef NO_MARK_BACK
            mark[me * 2 + g] = 1;
#endif
            spilled[me]++
        fi
    :: else
    fi;
    d_step {
        value = 0;
        at = 0
    }
}

/* By a block, behind all that it has done: waits for all blocks of both ranks. */
inline meet()
{
    d_step {
        now++;
        arrived[me]++
    }
    if
    :: number == 0 ->
        arrived[me] == 2 * now;
        d_step { /* no other block of the rank does anything, and the other rank reads it behind `met` */
            assert(spilled[me] == mark[me * 2] + mark[me * 2 + 1]);
            at = todo[me * 2] + todo[me * 2 + 1];
#ifndef NOT_COUNTED
            at = at + spilled[me];
#endif
#ifndef SENT_UNCOUNTED
            at = at + sent[me];
#endif
            work[now % 2 * 4 + me * 2 + me] = at > 0;
            work[now % 2 * 4 + (1 - me) * 2 + me] = at > 0;
            told[now % 2 * 4 + (1 - me) * 2 + me] = sent[me] > 0;
            sent[me] = 0;
            at = 0;
            met[me * 2 + me] = now
        }
        met[(1 - me) * 2 + me] = now;
        met[me * 2 + 1 - me] >= now;
        released[me] = now
    :: else -> released[me] >= now
    fi
}

proctype block(byte me, number)
{
    byte now = 0, barriers = 0, at;
    short value;
superstep:
    meet();
    if
    :: !work[now % 2 * 4 + me * 2] && !work[now % 2 * 4 + me * 2 + 1] ->
        d_step {
            assert(ends[1 - me] == 0 || ends[1 - me] == now);
            ends[me] = now;
            ended++
        }
        goto end
    :: else
    fi;
    if /* messages: one block takes them, there is one at most */
    :: number == 1 && told[now % 2 * 4 + me * 2 + 1 - me] ->
        d_step {
            assert(box[me * 2 + BOX(now)] != EMPTY);
            cell[me * 2 + box[me * 2 + BOX(now)]] = cell[me * 2 + box[me * 2 + BOX(now)]] + boxed[me * 2 + BOX(now)];
            box[me * 2 + BOX(now)] = EMPTY;
            boxed[me * 2 + BOX(now)] = 0;
            if
            :: me == 1 && !replied ->
                todo[3] = 1;
                replied = 1
            :: else
            fi
        }
    :: else
    fi;
    barrier();
#if !defined(RESET_LATE) && !defined(NOT_RESET)
    if
    :: number == 0 -> spilled[me] = 0
    :: else
    fi;
#endif
    do
    :: me == 0 && number == 0 && todo[0] == 2 -> add(0, 1)
    :: me == 0 && number == 0 && todo[0] == 1 -> add(1, 1)
    :: me == 0 && number == 1 && todo[1] == 2 -> add(0, -1)
    :: me == 0 && number == 1 && todo[1] == 1 -> add(0, 2)
    :: me == 1 && todo[2 + number] > 0 -> add(0, 1)
    :: todo[me * 2 + number] == 0 || now < LAST -> break
    od;
#ifndef NO_BARRIER
    barrier();
#endif
    if
    :: mark[me * 2 + number] ->
#ifdef MARK_LATE
        send(number);
        mark[me * 2 + number] = 0
#else
        mark[me * 2 + number] = 0;
        send(number)
#endif
    :: else
    fi;
#ifdef RESET_LATE
    if
    :: number == 0 -> spilled[me] = 0
    :: else
    fi;
#endif
    goto superstep;
end:
    skip
}

init
{
    atomic {
        todo[0] = 2;
        todo[1] = 2;
        run block(0, 0);
        run block(0, 1);
        run block(1, 0);
        run block(1, 1)
    }
    ended == 4;
    assert(cell[2] == 2 && cell[3] == 1 && cell[0] == 1 && todo[0] + todo[1] + todo[2] + todo[3] == 0);
    assert(ghost[0] == 0 && ghost[1] == 0 && ghost[2] == 0 && !mark[0] && !mark[1] && !mark[2] && !mark[3]);
    assert(box[0] == EMPTY && box[1] == EMPTY && box[2] == EMPTY && box[3] == EMPTY)
}
