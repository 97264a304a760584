/* broker.pml -- a model of schedulers/broker/cpu.h for Spin: batches, staging, the backlog, pending, the end.
 *
 * MEMBERS members and a queue of SIZE places, whose calls are one step each (broker_queue.pml is about these). An entry
 * is a depth, and processing one of depth d > 0 activates two of depth d - 1. The first entry is in the backlog of
 * member 0, as initial items are. -DHINTS: the queue may answer empty or full at any time, as the Broker Work
 * Distributor may.
 *
 * Checked: no member is blocked for ever; a member that ends has missed nothing (`live`, which no member looks at, counts
 * entries that exist); in the end everything was processed once and the queue is empty.
 * Faults, to show that the checks can fail: -DCOUNT_LATE counts entries when they are in the queue; -DDONE_EARLY
 * subtracts a batch before what it activated is counted; -DWAITS waits for room instead of keeping entries.
 */
#ifndef MEMBERS
#define MEMBERS 2
#endif
#ifndef SIZE
#define SIZE 1
#endif
#ifndef DEPTH
#define DEPTH 2
#endif

chan queue = [SIZE] of { byte };
byte pending = 1;
byte live = 1, processed = 0, ended = 0;

/* Puts an entry into the queue, or, if there is no room, into the backlog; `now`: it may do the first. */
inline put(depth, now)
{
    if
    :: atomic { now && nfull(queue) -> queue!depth }
#ifndef WAITS
    :: atomic { full(queue) || !now -> kept[depth]++; backlog++ }
#ifdef HINTS
    :: atomic { nfull(queue) && now -> kept[depth]++; backlog++ }
#endif
#endif
    fi
}

/* Moves one entry of the backlog, any: orders are all covered. */
inline move_backlog()
{
    if
    :: atomic { nfull(queue) && kept[0] > 0 -> kept[0]--; backlog--; queue!0 }
    :: atomic { nfull(queue) && DEPTH > 0 && kept[1] > 0 -> kept[1]--; backlog--; queue!1 }
    :: atomic { nfull(queue) && DEPTH > 1 && kept[2] > 0 -> kept[2]--; backlog--; queue!2 }
    :: full(queue)
#ifdef HINTS
    :: true
#endif
    fi
}

proctype member(byte m)
{
    byte kept[3];
    byte backlog, depth, left, got;
    if
    :: m == 0 -> atomic { kept[DEPTH] = 1; backlog = 1 }
    :: else
    fi;
    do
    ::
        if
        :: backlog > 0 -> move_backlog()
        :: else
        fi;
        if
        :: atomic { nempty(queue) -> queue?depth; got = 1 }
        :: empty(queue)
#ifdef HINTS
        :: true
#endif
        fi;
        if
        :: got ->
            left = (depth > 0 -> 2 : 0);
            atomic { live = live + left - 1; processed++ } /* exists from here on, though no member sees it */
#ifdef DONE_EARLY
            pending--;
#endif
#ifndef COUNT_LATE
#ifdef DONE_EARLY
            pending = pending + left;
#else
            pending = pending + left - 1;
#endif
#endif
            do
            :: left > 0 ->
                put((depth - 1), backlog == 0);
#ifdef COUNT_LATE
                pending++;
#endif
                left--
            :: else -> break
            od;
#ifdef COUNT_LATE
            pending--;
#endif
            atomic { got = 0; depth = 0 }
        :: !got && pending == 0 -> break
        :: !got && pending > 0 /* asks again */
        fi
    od;
    assert(live == 0);
    assert(backlog == 0);
    ended++
}

init {
    byte i;
    atomic {
        do
        :: i < MEMBERS -> run member(i); i++
        :: else -> break
        od
    }
    ended == MEMBERS;
    assert(pending == 0);
    assert(processed == (1 << (DEPTH + 1)) - 1);
    assert(empty(queue))
}
