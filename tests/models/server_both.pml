/* server_both.pml -- a model of schedulers/lock_server/cuda_both.cuh for Spin: blocks that are both client and server, a
 * ring to each that all write to, the count with credit, the end.
 *
 * B blocks; a ring of SIZE places each. An entry is a depth; expanding one of depth d > 0 sends up to two messages of
 * depth d - 1, each to any block. A message that is served becomes an entry, or (its cell was better, or the target was
 * on the worklist) nothing. A batch is the messages of one entry: their places are reserved together, for both blocks,
 * and each is written when there is room. Steps are those that the header names; what is one atomic access there is one
 * step here. Blocks are one process each, as barriers order what their threads do. Memory order is not modelled.
 *
 * Checked: no block is blocked for ever; a block that ends has missed nothing (`live` counts things, and no block looks
 * at it); a place is written once, before it is read; at the end pending is 0.
 * Faults, to show that the checks can fail: -DCOUNT_LATE covers a batch after it was written; -DDEAF does not serve while
 * it waits for room; -DDONE_EARLY has credit for an entry before its messages are sent; -DKEPT subtracts its credit and
 * keeps it; -DLOST has no credit for a message that becomes nothing; -DFREE_EARLY gives a place back before it is read;
 * -DREAD_AHEAD takes a place that was reserved and not written.
 */
#ifndef B
#define B 2
#endif
#ifndef SIZE
#define SIZE 2
#endif
#ifndef DEPTH
#define DEPTH 2
#endif
#ifndef SPARE
#define SPARE 1
#endif
#define EMPTY 255
#define PLACE(to, at) ((to) * SIZE + (at) % SIZE)
#ifdef READ_AHEAD
#define ARRIVED(m) (write[m] != taken[m])
#else
#define ARRIVED(m) (slot[PLACE(m, taken[m])] != EMPTY)
#endif

byte slot[B * SIZE] = EMPTY;
byte write[B], read[B], taken[B]; /* not modulo: small numbers; `taken` is the owner's */
short pending = 1;
byte live = 1, ended = 0;

/* C1: one message. */
inline serve(m)
{
    if
    :: ARRIVED(m) ->
#ifdef FREE_EARLY
        read[m] = read[m] + 1;
#endif
        atomic {
            got = slot[PLACE(m, taken[m])];
            assert(got < EMPTY);
            slot[PLACE(m, taken[m])] = EMPTY;
            taken[m]++
        }
#ifndef FREE_EARLY
        read[m] = taken[m];
#endif
        if
        :: own[got]++; mine++
#ifdef LOST
        :: live--
#else
        :: atomic { credit++; live-- }
#endif
        fi;
        got = 0
    :: else
    fi
}

inline cover(most)
{
    if
    :: credit < most -> atomic { pending = pending + most - credit + SPARE; credit = most + SPARE }
    :: else
    fi
}

/* Writes a message to `to` at the place that is reserved. */
inline write_one(m, to, at, d)
{
    do
    :: at - read[to] < SIZE -> break
#ifndef DEAF
    :: at - read[to] >= SIZE && ARRIVED(m) -> serve(m)
#endif
    od;
    atomic {
        assert(slot[PLACE(to, at)] == EMPTY);
        slot[PLACE(to, at)] = d
    }
}

inline expand(m)
{
    if /* any of its own */
    :: own[0] > 0 -> depth = 0
    :: own[1] > 0 -> depth = 1
#if DEPTH > 1
    :: own[2] > 0 -> depth = 2
#endif
    fi;
    atomic { own[depth]--; mine-- }
#ifdef DONE_EARLY
    credit++;
#endif
    if
    :: depth > 0 ->
#ifndef COUNT_LATE
        cover(2);
#endif
        if /* how many, to whom; reservations */
        :: count = 0
        :: count = 1
        :: count = 2
        fi;
        i = 0;
        do
        :: i < count ->
            if
            :: to[i] = 0
            :: to[i] = 1
#if B > 2
            :: to[i] = 2
#endif
            fi;
            atomic { at[i] = write[to[i]]; write[to[i]]++; live++ }
            i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < count -> write_one(m, to[i], at[i], depth - 1); i++
        :: else -> break
        od;
#ifdef COUNT_LATE
        cover(2);
#endif
        credit = credit - count;
        i = 0;
        count = 0;
        to[0] = 0;
        to[1] = 0;
        at[0] = 0;
        at[1] = 0
    :: else
    fi;
#ifdef DONE_EARLY
    live--;
#else
    atomic { credit++; live-- }
#endif
    depth = 0
}

proctype block(byte m)
{
    byte own[DEPTH + 1];
    byte to[2];
    byte at[2];
    short credit;
    byte mine, got, i, depth, count;
    if
    :: m == 0 -> atomic { own[DEPTH] = 1; mine = 1 }
    :: else
    fi;
    do
    :: serve(m);
        if
        :: mine > 0 -> expand(m)
        :: else ->
            if
            :: ARRIVED(m)
            :: else -> /* idle: C3, C4 */
                atomic {
                    pending = pending - credit;
#ifndef KEPT
                    credit = 0
#endif
                }
                if
                :: pending == 0 -> break
                :: ARRIVED(m) /* else it waits until something changes */
                fi
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
        :: i < B -> run block(i); i++
        :: else -> break
        od
    }
    ended == B;
    assert(pending == 0)
}
