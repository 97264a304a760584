/* server_ring.pml -- a model of schedulers/lock_server/ring.h for Spin: single-writer rings, the balance, the end.
 *
 * M members, each client and server; a ring of SIZE places for each ordered pair. An entry is a depth, and processing
 * one of depth d > 0 sends a message of depth d - 1 to each of two members, any. Serving a message of depth d keeps an
 * entry of depth d. A member publishes whenever it likes, and must before it idles: that covers every size of a buffer.
 * Steps are those that ring.h names; what is one atomic access there is one step here. Memory order is not modelled.
 *
 * Checked: nobody is blocked for ever; a member that leaves has missed nothing (`live` counts things, and no member
 * looks at it); a message is read as it was sent; at the end pending is 0 and everything was served once.
 * Faults, to show that the checks can fail: -DCOUNT_LATE nets after publishing; -DDEAF does not serve while it waits for
 * room; -DVALID_EARLY publishes before the message is in its place; -DFREE_EARLY gives a place back before it is read.
 */
#ifndef M
#define M 2
#endif
#ifndef SIZE
#define SIZE 1
#endif
#ifndef DEPTH
#define DEPTH 2
#endif
#define EMPTY 255

#define RING(to, from) ((to) * M + (from))
#define UNREAD(m, k) (write[RING(m, k)] != read[RING(m, k)])
#if M > 2
#define ARRIVED(m) (UNREAD(m, 0) || UNREAD(m, 1) || UNREAD(m, 2))
#else
#define ARRIVED(m) (UNREAD(m, 0) || UNREAD(m, 1))
#endif

byte slot[M * M * SIZE] = EMPTY;
byte write[M * M], read[M * M]; /* not modulo: small numbers */
short pending = 1;
byte live = 1, served = 0, ended = 0;

/* R1 to R3: one message of one ring. */
inline serve(m)
{
    k = 0;
    do
    :: k < M ->
        if
        :: UNREAD(m, k) -> /* R1 */
#ifdef FREE_EARLY
            read[RING(m, k)] = read[RING(m, k)] + 1;
            got = slot[RING(m, k) * SIZE + (read[RING(m, k)] - 1) % SIZE];
#else
            got = slot[RING(m, k) * SIZE + read[RING(m, k)] % SIZE];
#endif
            assert(got < EMPTY);
            atomic { own[got]++; mine++; served++ } /* R2: one thing goes, one comes: the balance stays */
#ifndef FREE_EARLY
            atomic {
                slot[RING(m, k) * SIZE + read[RING(m, k)] % SIZE] = EMPTY;
                read[RING(m, k)] = read[RING(m, k)] + 1 /* R3 */
            }
#endif
            got = 0
        :: else
        fi;
        k++
    :: else -> break
    od;
    k = 0
}

inline net()
{
    atomic { pending = pending + balance; balance = 0 }
}

inline publish(m, to)
{
    if
    :: next[to] != write[RING(to, m)] ->
#ifndef COUNT_LATE
        net();
#endif
        write[RING(to, m)] = next[to]; /* W3 */
#ifdef COUNT_LATE
        net();
#endif
    :: else
    fi
}

inline send(m, to, d)
{
    if
    :: to == m -> atomic { own[d]++; mine++; balance++; live++; served++ }
    :: else ->
        if
        :: next[to] - read[RING(to, m)] == SIZE -> publish(m, to)
        :: else
        fi;
        do /* W1 */
        :: next[to] - read[RING(to, m)] < SIZE -> break
#ifndef DEAF
        :: next[to] - read[RING(to, m)] == SIZE && ARRIVED(m) -> serve(m)
#endif
        od;
#ifdef VALID_EARLY
        balance++;
        next[to]++;
        net();
        write[RING(to, m)] = next[to];
        slot[RING(to, m) * SIZE + (next[to] - 1) % SIZE] = d;
        live++;
#else
        atomic { slot[RING(to, m) * SIZE + next[to] % SIZE] = d; live++; next[to]++; balance++ } /* W2 */
#endif
        if /* a full buffer, or not yet */
        :: publish(m, to)
        :: skip
        fi
    fi
}

proctype member(byte m)
{
    byte own[DEPTH + 1];
    byte next[M];
    short balance;
    byte mine, got, k, depth, left, to;
    if
    :: m == 0 -> atomic { own[DEPTH] = 1; mine = 1 }
    :: else
    fi;
    do
    :: serve(m);
        if
        :: mine > 0 ->
            if /* any of its own */
            :: own[0] > 0 -> depth = 0
            :: own[1] > 0 -> depth = 1
#if DEPTH > 1
            :: own[2] > 0 -> depth = 2
#endif
            fi;
            atomic { own[depth]--; mine-- }
            left = (depth > 0 -> 2 : 0);
            do
            :: left > 0 ->
                left--;
                if
                :: to = 0
                :: to = 1
#if M > 2
                :: to = 2
#endif
                fi;
                send(m, to, depth - 1);
                to = 0
            :: else -> break
            od;
            atomic { balance--; live--; depth = 0 }
        :: else -> /* idles */
            to = 0;
            do
            :: to < M -> publish(m, to); to++
            :: else -> break
            od;
            to = 0;
            net();
            if
            :: pending == 0 -> break
            :: ARRIVED(m) /* else it waits until something changes */
            fi
        fi
    od;
    assert(live == 0);
    assert(mine == 0);
    ended++
}

init {
    byte i;
    atomic {
        do
        :: i < M -> run member(i); i++
        :: else -> break
        od
    }
    ended == M;
    assert(pending == 0);
    assert(served == (1 << (DEPTH + 1)) - 2);
}
