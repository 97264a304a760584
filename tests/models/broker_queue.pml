/* broker_queue.pml -- a model of <ordo/scheduler/broker_queue.h> for Spin: assurance, tickets, turns, answers.
 *
 * THREADS threads make CALLS calls each, any: enqueues and dequeues of 1 to BATCH entries, on N places. An entry is its
 * ticket. Steps are those that the header names; what is one atomic access there is one step here, and a
 * compare-and-swap with the read before it is one, too, since it repeats until no other came between. Memory order is not
 * modelled: that is argued there.
 *
 * Checked: no thread is blocked for ever, though threads end at any time; a dequeue reads the entry of its ticket; count is
 * 0 .. N; `empty` and `full` are right at the moment in which they take effect.
 * Faults, to show that the checks can fail: -DGIVE_BACK adds to count first and gives back what was too much, as in the
 * paper; -DONCE answers at once, as the Broker Work Distributor; -DHEAD_LAST reads tail before head where it asks for
 * empty; -DUNASSURED draws tickets of entries that it is not assured of; -DTURN_EARLY advances the turn before the entry
 * is read.
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

short count;
byte tail, head; /* not modulo: small numbers */
byte turn[N], entry[N];

/* E1 and D1: `left` is what there is to be assured of; `truth`: what an answer says. */
#ifdef ONCE
#define ANSWER(truth) if :: got == 0 -> assert(truth) :: else fi
#else
#define ANSWER(truth) skip
#endif
#define IS_FULL (tail >= head && tail - head >= N)
#define IS_EMPTY (head >= tail)
#ifdef GIVE_BACK
#define ASSURE(left, sign, truth)                              \
    got = 0;                                                   \
    if                                                         \
    :: left > 0 ->                                             \
        atomic {                                               \
            got = (left > 0 -> MIN(want, left) : 0);           \
            count = count + sign * want                        \
        }                                                      \
        if                                                     \
        :: got < want -> count = count - sign * (want - got)   \
        :: else                                                \
        fi                                                     \
    :: else                                                    \
    fi
#else
#define ASSURE(left, sign, truth)                              \
    atomic {                                                   \
        got = (left > 0 -> MIN(want, left) : 0);               \
        count = count + sign * got;                            \
        assert(count >= 0 && count <= N);                      \
        ANSWER(truth)                                          \
    }
#endif

inline enqueue()
{
    do
    :: ASSURE((N - count), 1, IS_FULL);
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
        ASSURE(count, -1, IS_EMPTY);
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
