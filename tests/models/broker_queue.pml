/* broker_queue.pml -- a model of <ordo/scheduler/broker_queue.h> for Spin: assurance, tickets, turns, answers.
 *
 * THREADS threads make CALLS calls each, any: enqueues and dequeues of 1 to BATCH entries, on N places. An entry is its
 * ticket. Steps are those that the header names; what is one atomic access there is one step here, and a
 * compare-and-swap with the read before it is one, too, since it repeats until no other came between. Memory order is not
 * modelled: that is argued there.
 *
 * -DTWO_COUNTS is <ordo/scheduler/broker_queue.cuh>: a counter for each side, additions that are given back, and promises
 * after the tickets.
 *
 * Checked: no thread is blocked for ever, though threads end at any time; a dequeue reads the entry of its ticket; count is
 * 0 .. N; `empty` and `full` are right at the moment in which they take effect.
 * Faults, to show that the checks can fail: -DGIVE_BACK adds to count first and gives back what was too much, as in the
 * paper; -DONCE answers at once, as the Broker Work Distributor; -DHEAD_LAST reads tail before head where it asks for
 * empty; -DUNASSURED draws tickets of entries that it is not assured of; -DTURN_EARLY advances the turn before the entry
 * is read; -DPROMISE_EARLY, with two counters, promises entries before it is assured of places, and takes back what it
 * gets none for.
 */
#ifndef N
#define N 1
#endif
#ifndef THREADS
#define THREADS 3
#endif
#ifndef CALLS
#define CALLS 2
#endif
#ifndef BATCH
#define BATCH 1
#endif
#define LAP(t) ((t) / N)
#define MIN(a, b) ((a) < (b) -> (a) : (b))

#ifdef TWO_COUNTS
#define GIVES_BACK
#define ENTRIES entries
#define USED used
short entries, used;
#else
#define ENTRIES count
#define USED count
short count;
#endif
#ifdef GIVE_BACK
#define GIVES_BACK
#endif
byte tail, head; /* not modulo: small numbers */
byte turn[N], entry[N];

/* E1 and D1: `left` is what there is to be assured of by `counter`; `truth`: what an answer says. */
#ifdef ONCE
#define ANSWER(truth) if :: got == 0 -> assert(truth) :: else fi
#else
#define ANSWER(truth) skip
#endif
#define IS_FULL (tail >= head && tail - head >= N)
#define IS_EMPTY (head >= tail)
#ifdef GIVES_BACK
#define ASSURE(counter, left, sign, truth)                         \
    got = 0;                                                       \
    if                                                             \
    :: left > 0 ->                                                 \
        atomic {                                                   \
            got = (left > 0 -> MIN(want, left) : 0);               \
            counter = counter + sign * want                        \
        }                                                          \
        if                                                         \
        :: got < want -> counter = counter - sign * (want - got)   \
        :: else                                                    \
        fi                                                         \
    :: else                                                        \
    fi
#else
#define ASSURE(counter, left, sign, truth)                         \
    atomic {                                                       \
        got = (left > 0 -> MIN(want, left) : 0);                   \
        counter = counter + sign * got;                            \
        assert(counter >= 0 && counter <= N);                      \
        ANSWER(truth)                                              \
    }
#endif

inline enqueue()
{
    do
    ::
#ifdef PROMISE_EARLY
        entries = entries + want;
#endif
        ASSURE(USED, (N - USED), 1, IS_FULL);
#ifdef PROMISE_EARLY
        entries = entries - (want - got);
#endif
        if
        :: got > 0 -> break
        :: else
        fi;
#ifdef ONCE
        break;
#endif
        first = tail;
        if /* Answers */
        :: atomic { first >= head && first - head >= N -> assert(IS_FULL) }; break
        :: else
        fi
    od;
    atomic { first = tail; tail = tail + got } /* E2 */
#if defined(TWO_COUNTS) && !defined(PROMISE_EARLY)
    entries = entries + got;
#endif
    i = 0;
    do
    :: i < got ->
        turn[(first + i) % N] == 2 * LAP(first + i); /* E3 waits */
        entry[(first + i) % N] = first + i;
        turn[(first + i) % N] = 2 * LAP(first + i) + 1;
        i++
    :: else -> break
    od
}

inline dequeue()
{
    do
    ::
#ifdef UNASSURED
        got = want;
#else
        ASSURE(ENTRIES, ENTRIES, -1, IS_EMPTY);
#endif
        if
        :: got > 0 -> break
        :: else
        fi;
#ifdef ONCE
        break;
#endif
#ifdef HEAD_LAST
        first = tail;
        if
        :: atomic { head >= first -> assert(IS_EMPTY) }; break
        :: else
        fi
#else
        first = head;
        if /* Answers */
        :: atomic { first >= tail -> assert(IS_EMPTY) }; break
        :: else
        fi
#endif
    od;
    atomic { first = head; head = head + got } /* D2 */
#ifdef TWO_COUNTS
    used = used - got;
#endif
    i = 0;
    do
    :: i < got ->
        turn[(first + i) % N] == 2 * LAP(first + i) + 1; /* D3 waits */
#ifdef TURN_EARLY
        turn[(first + i) % N] = 2 * LAP(first + i) + 2;
#endif
        assert(entry[(first + i) % N] == first + i);
#ifndef TURN_EARLY
        turn[(first + i) % N] = 2 * LAP(first + i) + 2;
#endif
        i++
    :: else -> break
    od
}

proctype thread()
{
    byte calls, want, got, first, i;
    do
    :: calls < CALLS ->
        calls++;
        want = 1;
        if
        :: want < BATCH -> want++
        :: true
        fi;
        if
        :: enqueue()
        :: dequeue()
        fi;
        atomic { want = 0; got = 0; first = 0; i = 0 }
    :: else -> break
    od
}

init {
    byte i;
    atomic {
        do
        :: i < THREADS -> run thread(); i++
        :: else -> break
        od
    }
}
