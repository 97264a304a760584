/* claims.pml -- a model of race-and-resolve for requests of many targets, for Spin: framework/include/ordo/detail/cpu/
 * owner.h and the same in detail/cuda/owner.cuh.
 *
 * MEMBERS members post EACH requests; each names two or three of TARGETS targets, in all ways. Members run
 * rounds of claim, barrier, resolve, barrier until no request is left. What is one atomic access in the code is one step
 * here. Memory order is not modelled: that is argued there.
 *
 * Checked: critical sections that share a target do not overlap; some request wins in every round, so the number of
 * rounds is at most that of requests; nobody waits at a barrier for ever; every request has run once.
 * Faults to show that the checks can fail: -DNO_BARRIER resolves without waiting for the claims of others; -DANY lets a
 * request win by one of its targets; -DSTALE has keys without rounds, so those of requests that have run stay in the
 * way; -DTORN takes a minimum by a load and a store.
 */
#ifndef MEMBERS
#define MEMBERS 2
#endif
#ifndef EACH
#define EACH 1
#endif
#define TARGETS 3
#define REQUESTS (MEMBERS * EACH)
#define NONE 255

byte word[TARGETS] = NONE;
byte owned; /* the set of targets in critical sections */
byte wants[REQUESTS]; /* a set of targets; 0: has run */
byte arrived, generation, left, ran, wins;

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

#ifdef STALE
#define KEY(i) (i)
#else
#define KEY(i) ((REQUESTS - round) * REQUESTS + (i))
#endif

inline claim(q)
{
    t = 0;
    do
    :: t < TARGETS ->
        if
        :: wants[q] >> t & 1 ->
#ifdef TORN
            old = word[t];
            if
            :: KEY(q) < old -> word[t] = KEY(q)
            :: else
            fi
#else
            atomic {
                if
                :: KEY(q) < word[t] -> word[t] = KEY(q)
                :: else
                fi
            }
#endif
        :: else
        fi;
        t++
    :: else -> break
    od
}

inline resolve(q)
{
    t = 0;
    held = 0;
    do
    :: t < TARGETS ->
        if
        :: (wants[q] >> t & 1) && word[t] == KEY(q) -> held = held | 1 << t
        :: else
        fi;
        t++
    :: else -> break
    od;
    if
#ifdef ANY
    :: held != 0 ->
#else
    :: wants[q] != 0 && held == wants[q] ->
#endif
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
    :: else
    fi
}

active [MEMBERS] proctype member()
{
    byte i, t, seen, held, old, round = 0;
    i = 0;
    do
    :: i < EACH ->
        if /* all sets of two or three of the first three targets */
        :: wants[_pid * EACH + i] = 3
        :: wants[_pid * EACH + i] = 5
        :: wants[_pid * EACH + i] = 6
        :: wants[_pid * EACH + i] = 7
        fi;
        i++
    :: else -> break
    od;
    barrier();
    do
    :: true ->
        assert(round < REQUESTS);
        i = 0;
        do
        :: i < EACH -> claim(_pid * EACH + i); i++
        :: else -> break
        od;
#ifndef NO_BARRIER
        barrier();
#endif
        i = 0;
        do
        :: i < EACH -> resolve(_pid * EACH + i); i++
        :: else -> break
        od;
        barrier();
        left = REQUESTS - ran; /* the same for all: nobody resolves between these barriers */
        held = wins;
        barrier();
        assert(held > 0);
        wins = 0;
        barrier();
        round++;
        if
        :: left == 0 -> break
        :: else
        fi
    od;
    assert(ran == REQUESTS)
}
