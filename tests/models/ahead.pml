/* ahead.pml -- a model of members that process entries of their own while they wait at the barrier, for Spin:
 * schedulers/delta/cpu.h.
 *
 * -DMEMBERS=N members (2), buckets 0 to -DLAST=N (2). Member 0 begins with two entries in bucket 0. An entry becomes one
 * of the next bucket or of the one behind it. A member that has arrived takes entries of its own from the current bucket
 * or the next one, until all have arrived, or earlier: how fast it is, is not known.
 *
 * Checked: when a member ends since all have voted for none, no entry exists; no member waits for ever.
 * Faults to show that the checks can fail: -DVOTE_LATE votes after the member has arrived; -DVOTE_AGAIN votes anew when
 * the member has taken an entry, before it has put what the entry becomes.
 */
#ifndef MEMBERS
#define MEMBERS 2
#endif
#ifndef LAST
#define LAST 2
#endif
#define NONE 99
#define VOTE(step, m) vote[((step) % 2) * MEMBERS + (m)]
#define OWN(m, b) own[(m) * (LAST + 1) + (b)]

byte own[MEMBERS * (LAST + 1)]; /* entries of a member in a bucket */
byte share[MEMBERS], opened[MEMBERS];
byte vote[2 * MEMBERS];
byte live = 2, arrived, phase;

/* The lowest bucket in which the member has an entry. */
inline look()
{
    d_step {
        lowest = 0;
        do
        :: lowest <= LAST && OWN(me, lowest) == 0 -> lowest++
        :: else -> break
        od;
        if
        :: lowest > LAST -> lowest = NONE
        :: else
        fi
    }
}

/* An entry of the bucket, which the member has taken. */
inline process(bucket)
{
    if
    :: bucket + 1 <= LAST -> OWN(me, bucket + 1)++
    :: bucket + 2 <= LAST -> OWN(me, bucket + 2)++
    :: bucket == LAST -> live--
    fi
}

proctype member(byte me)
{
    byte step = 1, current, lowest, i, which, before;
    do
    :: look();
#ifndef VOTE_LATE
       VOTE(step, me) = lowest;
#endif
       before = phase;
       d_step {
           arrived++;
           if
           :: arrived == MEMBERS -> arrived = 0; phase++
           :: else
           fi
       }
#ifdef VOTE_LATE
       VOTE(step, me) = lowest;
#endif
       do
       :: phase == before ->
           look();
           if
           :: lowest <= current + 1 ->
               OWN(me, lowest)--;
#ifdef VOTE_AGAIN
               which = lowest;
               look();
               VOTE(step, me) = lowest;
               lowest = which;
#endif
               process(lowest)
           :: else -> break
           fi
       :: break
       od;
       phase != before;
       lowest = NONE;
       for (i : 0 .. MEMBERS - 1) {
           if
           :: VOTE(step, i) < lowest -> lowest = VOTE(step, i)
           :: else
           fi
       }
       if
       :: lowest == NONE -> break
       :: else
       fi;
       current = lowest;
       d_step {
           share[me] = OWN(me, current);
           OWN(me, current) = 0;
           opened[me] = step
       }
       for (i : 0 .. MEMBERS - 1) {
           which = (me + i) % MEMBERS;
           opened[which] == step;
           do
           :: d_step { share[which] > 0 -> share[which]-- }
              process(current)
           :: share[which] == 0 -> break
           od
       }
       step++
    od;
    assert(live == 0)
}

init {
    atomic {
        own[0] = 2;
        run member(0);
        run member(1)
#if MEMBERS == 3
        ;
        run member(2)
#endif
    }
}
