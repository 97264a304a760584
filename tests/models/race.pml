/* race.pml -- a model of race and resolve with plain stores, for Spin: framework/include/ordo/detail/cpu/race.h.
 *
 * MEMBERS members post EACH requests. In the AND form a request names one to three of TARGETS targets, in all ways, and
 * runs when it has all of them. With -DOR it is a candidate, 1 or 2, for the cell of one target: a smaller one is better,
 * and a loser stays only while it is better than the cell. Members run rounds of mark, barrier, outbid (AND), barrier,
 * resolve, barrier until nothing is pending. What is one access of a word in the code is one step here; a load and a store
 * are two. Memory order is not modelled: that is argued there.
 *
 * Checked: sections that share a target do not overlap, and with -DOR no two members are between the comparison and the
 * store of one cell; every round removes a request, so that there are at most as many rounds as requests; nobody waits at
 * a barrier for ever; every request has run, or with -DOR each cell is the least of its candidates in the end.
 * Faults to show that the checks can fail: -DNO_BARRIER resolves without waiting for the marks of others; -DANY runs a
 * request that has one of its targets; -DONE_KEY gives the requests of all members the same keys; -DNOT_ALONE
 * lets a round end without a winner, of which it takes three members; -DDROP drops losers. -DHOT: all candidates are for
 * one target.
 */
#ifndef MEMBERS
#define MEMBERS 2
#endif
#ifndef EACH
#define EACH 1
#endif
#define TARGETS 3
#define REQUESTS (MEMBERS * EACH)

byte mark[TARGETS];
byte owned;           /* the set of targets in critical sections */
byte wants[REQUESTS]; /* a set of targets; 0: pending no more */
byte arrived, generation, ran, wins;
#ifdef OR
byte cell[TARGETS] = 9;
byte value[REQUESTS];
byte least[TARGETS] = 9;
#endif

inline barrier()
{
    atomic {
        seen = generation;
        arrived++;
        if
        :: arrived == MEMBERS -> arrived = 0; generation++
        :: else
        fi
    }
    generation != seen
}

#ifdef ONE_KEY
#define KEY(i) 7
#else
#define KEY(i) ((i) + 1)
#endif

inline store_marks(q)
{
    t = 0;
    do
    :: t < TARGETS ->
        if
        :: wants[q] >> t & 1 -> mark[t] = KEY(q)
        :: else
        fi;
        t++
    :: else -> break
    od
}

/* The greatest mark of a request's targets is looked up first; then smaller ones are overwritten. */
inline outbid(q)
{
    t = 0;
    held = 0;
    do
    :: t < TARGETS ->
        if
        :: (wants[q] >> t & 1) && mark[t] > KEY(q) -> held = 1
        :: else
        fi;
        t++
    :: else -> break
    od;
    t = 0;
    do
    :: t < TARGETS && held == 0 ->
        if
        :: (wants[q] >> t & 1) && mark[t] < KEY(q) -> mark[t] = KEY(q)
        :: else
        fi;
        t++
    :: else -> break
    od
}

#ifdef OR
inline settle(q)
{
    assert((owned & wants[q]) == 0);
    owned = owned | wants[q];
    t = (wants[q] == 1 -> 0 : (wants[q] == 2 -> 1 : 2));
    if
    :: value[q] < cell[t] -> cell[t] = value[q]; wins++
    :: else
    fi;
    atomic {
        owned = owned & ~wants[q];
        wants[q] = 0;
        ran++
    }
}
#else
inline settle(q)
{
    atomic {
        assert((owned & wants[q]) == 0);
        owned = owned | wants[q]
    }
    atomic {
        owned = owned & ~wants[q];
        wants[q] = 0;
        wins++;
        ran++
    }
}
#endif

inline resolve(q)
{
    t = 0;
    held = 0;
    do
    :: t < TARGETS ->
        if
        :: (wants[q] >> t & 1) && mark[t] == KEY(q) -> held = held | 1 << t
        :: else
        fi;
#ifdef OR
        if
        :: (wants[q] >> t & 1) && value[q] >= cell[t] -> atomic { wants[q] = 0; ran++ } /* not better any more */
        :: else
        fi;
#endif
        t++
    :: else -> break
    od;
    if
#ifdef ANY
    :: held != 0 -> settle(q)
#else
    :: wants[q] != 0 && held == wants[q] -> settle(q)
#endif
    :: else
#ifdef DROP
        ; if
        :: wants[q] != 0 -> atomic { wants[q] = 0; ran++ }
        :: else
        fi
#endif
    fi
}

inline choose(q)
{
#ifdef OR
    if
    :: wants[q] = 1
#ifndef HOT
    :: wants[q] = 2
#endif
    fi;
    if
    :: value[q] = 1
    :: value[q] = 2
    :: value[q] = 3
    fi;
    t = (wants[q] == 1 -> 0 : 1);
    atomic {
        if
        :: value[q] < least[t] -> least[t] = value[q]
        :: else
        fi
    }
#else
    if
    :: wants[q] = 1
    :: wants[q] = 3
    :: wants[q] = 5
    :: wants[q] = 6
    :: wants[q] = 7
    fi
#endif
}

active [MEMBERS] proctype member()
{
    byte i, t, seen, held, left, before, round = 0;
    i = 0;
    do
    :: i < EACH -> choose(_pid * EACH + i); i++
    :: else -> break
    od;
    barrier();
    do
    :: true ->
        assert(round < REQUESTS);
        before = ran;
        i = 0;
        do
        :: i < EACH -> store_marks(_pid * EACH + i); i++
        :: else -> break
        od;
#ifndef NO_BARRIER
        barrier();
#endif
#ifndef OR
        i = 0;
        do
        :: i < EACH -> outbid(_pid * EACH + i); i++
        :: else -> break
        od;
#ifndef NO_BARRIER
        barrier();
#endif
#endif
        i = 0;
        do
        :: i < EACH -> resolve(_pid * EACH + i); i++
        :: else -> break
        od;
        barrier();
        left = REQUESTS - ran; /* the same for all: nobody runs a section between these barriers */
        held = wins;
        barrier();
#ifndef NOT_ALONE
        if
        :: left > 0 && held == 0 ->
            i = 0;
            do
            :: i < REQUESTS && wants[i] == 0 -> i++
            :: else -> break
            od;
            barrier();
            if
            :: i / EACH == _pid -> settle(i)
            :: else
            fi
        :: else
        fi;
#endif
        barrier();
        wins = 0;
        left = REQUESTS - ran;
        barrier();
        round++;
        if
        :: left == 0 -> break
        :: else
        fi
    od;
    assert(ran == REQUESTS);
#ifdef OR
    assert(cell[0] == least[0] && cell[1] == least[1])
#endif
}
