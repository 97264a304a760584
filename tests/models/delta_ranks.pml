/* delta_ranks.pml -- a model of ranks that go on alone, for Spin: schedulers/delta/cuda_ranks.cuh, with the meeting of
 * <ordo/detail/cuda/meet.cuh> and the boxes of ranks.cuh.
 *
 * Two ranks, of which all threads are one process: what blocks do between them is ranks_cuda.pml's. An item has a depth: 2 makes
 * an item of depth 1 of the same rank, and may send one of depth 1, or of depth 0; 1 makes or sends one of depth 0, which is an
 * item without more. A superstep takes the items that a rank has, and behind a meeting the messages that have come. Then the rank
 * goes on alone if it has items, unless the other one waits, and one has sent to the other. Else it says what it has and has
 * sent, and waits for the other one.
 *
 * Checked: both ranks end at the same meeting, with nothing left; no message is lost, taken again, or overwritten before it is
 * taken; a run has no more supersteps than its items can make.
 * Faults to show that the checks can fail: -DSTEP_BOX chooses the set of boxes by supersteps, not by meetings; -DMAIL_AGAIN takes
 * messages in a superstep that began alone; -DSENT_LOST forgets what was sent when it goes on alone; -DNOT_SAID does not say what it
 * has sent; -DWITHOUT goes on alone without items.
 */
#define MOST 12 /* supersteps of a rank */

byte items[6];  /* rank * 3 + depth */
byte sent[2];   /* by a rank to the other one, since the last meeting */
byte box[12];   /* (to * 2 + set) * 3 + depth: messages */
bool fresh[4];  /* to * 2 + set: there are messages that were not taken */
byte told[8];   /* set * 4 + at * 2 + from: sent */
byte said[8];   /* the same: work */
byte met[4];    /* at * 2 + from */
byte left;      /* items and messages anywhere */
byte ended, ends[2];

#ifdef STEP_BOX
#define SET ((steps + 1) % 2)
#define OPEN (steps % 2)
#else
#define SET ((now + 1) % 2)
#define OPEN (now % 2)
#endif

inline send(depth)
{
    sent[me]++;
    box[((1 - me) * 2 + SET) * 3 + depth]++;
    fresh[(1 - me) * 2 + SET] = true
}

/* One item of each depth after the other, as they were when the superstep began. */
inline superstep(zero, one, two)
{
    do
    :: d_step { zero > 0 -> zero--; left-- }
    :: atomic { one > 0 -> one--;
        if
        :: items[me * 3]++
        :: send(0)
        fi }
    :: atomic { two > 0 -> two--; items[me * 3 + 1]++;
        if
        :: true
        :: left++; send(1)
        :: left++; send(0)
        fi }
    :: zero == 0 && one == 0 && two == 0 -> break
    od
}

proctype rank(byte me)
{
    byte now = 0, steps = 0, zero, one, two, have, total;
    bool alone = false, waits;
    do
    :: true ->
        assert(steps < MOST);
        d_step {
            zero = items[me * 3]; one = items[me * 3 + 1]; two = items[me * 3 + 2];
            items[me * 3] = 0; items[me * 3 + 1] = 0; items[me * 3 + 2] = 0
        }
        if
        :: d_step { (now > 0
#ifndef MAIL_AGAIN
            && !alone
#endif
            && told[now % 2 * 4 + me * 2 + 1 - me] > 0) ->
            assert(fresh[me * 2 + OPEN]);
            zero = zero + box[(me * 2 + OPEN) * 3];
            one = one + box[(me * 2 + OPEN) * 3 + 1];
            assert(box[(me * 2 + OPEN) * 3] + box[(me * 2 + OPEN) * 3 + 1] == told[now % 2 * 4 + me * 2 + 1 - me]);
            box[(me * 2 + OPEN) * 3] = 0; box[(me * 2 + OPEN) * 3 + 1] = 0;
            fresh[me * 2 + OPEN] = false
            }
        :: else
        fi;
        superstep(zero, one, two);
        steps++;
        have = items[me * 3] + items[me * 3 + 1] + items[me * 3 + 2];
        waits = met[me * 2 + 1 - me] > now;
        waits = waits && (sent[me] > 0 || told[(now + 1) % 2 * 4 + me * 2 + 1 - me] > 0);
#ifdef WITHOUT
        alone = !waits && (have > 0 || left > 0);
#else
        alone = !waits && have > 0;
#endif
        if
        :: alone
#ifdef SENT_LOST
            -> sent[me] = 0
#endif
        :: !alone ->
            now++;
            total = have;
#ifndef NOT_SAID
            total = total + sent[me];
#endif
            said[now % 2 * 4 + (1 - me) * 2 + me] = total;
            told[now % 2 * 4 + (1 - me) * 2 + me] = sent[me];
            sent[me] = 0;
            met[(1 - me) * 2 + me] = now;
            met[me * 2 + 1 - me] >= now;
            total = total + said[now % 2 * 4 + me * 2 + 1 - me];
            if
            :: total == 0 -> break
            :: else
            fi
        fi
    od;
    skip;
    d_step {
        assert(left == 0);
        assert(ends[1 - me] == 0 || ends[1 - me] == now);
        ends[me] = now;
        ended++
    }
}

init
{
    atomic {
        if
        :: items[2] = 1; left = 1
        :: items[2] = 1; items[5] = 1; left = 2
        :: items[2] = 2; items[4] = 1; left = 3
        fi;
        run rank(0);
        run rank(1)
    }
    ended == 2
}
