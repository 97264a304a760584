/* ranks_cuda.pml -- a model of how ranks meet on GPUs, for Spin: framework/include/ordo/detail/cuda/meet.cuh, with the
 * messages of ranks.cuh beside it.
 *
 * Two ranks of two blocks each. An item has a depth: 2 sends two messages of depth 1 to the other rank, 1 sends one of
 * depth 0, which is an item without more. A box holds one message, so of two at a time one is spilled and is sent in the
 * next superstep. A rank's blocks take its items, arrive, and wait; its first block tells both ranks what is left and
 * what was sent, two words that may be there in either order, each with the number of the meeting; it waits for both
 * words of the other rank, and releases its blocks. Then messages are taken, and the blocks meet once more.
 *
 * Checked: all ranks end at the same meeting, with no item, message or spilled ghost left and none lost or taken twice.
 * Faults to show that the checks can fail: -DONE_SET has one set of words for all meetings, -DONE_BOX one set of boxes;
 * -DONE_WORD waits for one of the two words; -DSENT_KEPT does not clear what was sent; -DNOT_WAITED
 * releases the blocks without waiting for the other rank.
 */
#ifdef ONE_SET
#define SET(n) 0
#else
#define SET(n) ((n) % 2)
#endif
#ifdef ONE_BOX
#define BOX(n) 0
#else
#define BOX(n) ((n) % 2)
#endif
#define EMPTY 9

byte items[6];              /* rank * 3 + depth: on the list of this superstep */
byte spill[6];              /* rank * 3 + depth */
byte sent[2];               /* by a rank since the last meeting, with what found no place */
byte box[4] = EMPTY;        /* to * 2 + set: depth of the message */
byte work[8];               /* set * 4 + at * 2 + from: what `from` has told `at` */
byte told[8];               /* the same: sent */
byte work_of[8], told_of[8]; /* the number of the meeting that is stored with the word */
byte arrived[2], released[2], gone[2]; /* gone: blocks that have passed the second barrier */
byte left;                  /* items, messages and ghosts anywhere */
byte ended, ends[2];        /* blocks that have ended; the meeting at which a rank did */

inline send(depth)
{
    sent[me]++;
    if
    :: sent[me] == 1 ->
        assert(box[(1 - me) * 2 + BOX(now + 1)] == EMPTY);
        box[(1 - me) * 2 + BOX(now + 1)] = depth
    :: else -> spill[me * 3 + depth]++
    fi
}

#define AT(at, from) (SET(now) * 4 + (at) * 2 + (from))
inline say_work(at) { d_step { work[AT(at, me)] = total; work_of[AT(at, me)] = now } }
inline say_sent(at) { d_step { told[AT(at, me)] = s; told_of[AT(at, me)] = now } }

proctype block(byte me, number)
{
    byte now = 0, total, s;
superstep:
    if /* ghosts that wait: one finds a place, if items have not sent before */
    :: d_step { number == 0 && spill[me * 3] -> spill[me * 3]--; send(0) }
    :: d_step { number == 0 && spill[me * 3 + 1] -> spill[me * 3 + 1]--; send(1) }
    :: number == 1 || !(spill[me * 3] || spill[me * 3 + 1])
    fi;
    do
    :: d_step { items[me * 3] -> items[me * 3]--; left-- }
    :: d_step { items[me * 3 + 1] -> items[me * 3 + 1]--; send(0) }
    :: d_step { items[me * 3 + 2] -> items[me * 3 + 2]--; left++; send(1); send(1) }
    :: !items[me * 3] && !items[me * 3 + 1] && !items[me * 3 + 2] -> break
    od;
meet:
    now++;
    arrived[me]++;
    if
    :: number == 0 ->
        arrived[me] == 2 * now;
        total = items[me * 3] + items[me * 3 + 1] + items[me * 3 + 2] + spill[me * 3] + spill[me * 3 + 1];
        s = sent[me];
#ifndef SENT_KEPT
        sent[me] = 0;
#endif
        total = total + s;
        say_work(me);
        say_sent(me);
        if
        :: say_work(1 - me); say_sent(1 - me)
        :: say_sent(1 - me); say_work(1 - me)
        fi;
#ifndef NOT_WAITED
        work_of[AT(me, 1 - me)] >= now;
#ifndef ONE_WORD
        told_of[AT(me, 1 - me)] >= now;
#endif
#endif
        released[me] = now
    :: else -> released[me] >= now
    fi;
    total = work[AT(me, 0)] + work[AT(me, 1)];
    if
    :: total == 0 ->
        d_step {
            assert(left == 0);
            assert(ends[1 - me] == 0 || ends[1 - me] == now);
            ends[me] = now;
            ended++
        }
        goto end
    :: else
    fi;
    if /* messages: one block takes them, there is one at most */
    :: number == 1 && told[AT(me, 1 - me)] > 0 ->
        d_step {
            assert(box[me * 2 + BOX(now)] != EMPTY);
            items[me * 3 + box[me * 2 + BOX(now)]]++;
            box[me * 2 + BOX(now)] = EMPTY
        }
    :: else
    fi;
    gone[me]++;
    gone[me] >= 2 * now;
    goto superstep;
end:
    skip
}

init
{
    atomic {
        if
        :: items[2] = 1; left = 1
        :: items[2] = 1; items[5] = 1; left = 2
        :: items[2] = 1; items[4] = 1; left = 2
        fi;
        run block(0, 0);
        run block(0, 1);
        run block(1, 0);
        run block(1, 1)
    }
    ended == 4
}
