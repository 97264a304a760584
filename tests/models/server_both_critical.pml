/* server_both_critical.pml -- a model of schedulers/lock_server/cuda_both_critical.cuh for Spin: blocks that are both
 * client and server, two rings to each, parts of a round that are left out where an outbox is not free, calls, the count
 * with credit, the end.
 *
 * B blocks. An entry is a depth; expanding one of depth d > 0 makes a request, for any block; its own it runs at once,
 * another's is sent. A request that is run activates an item of depth d - 1 of any block (or none), and may send a second
 * half, to any block; a second half that is run activates likewise. An activation for the block itself is an entry; for
 * another it is a call: a flag, a place, and the item in that place are three steps. (That an item is once on lists is
 * not modelled: each activation is an item of its own, so lists need more places, not fewer.) Outboxes hold one message;
 * a ring of SIZE places is for messages of all blocks. Steps are those that the header names; what is one atomic access
 * there is one step here. Blocks are one process each, as barriers order what their threads do. Memory order is not
 * modelled.
 *
 * Checked: no block is blocked for ever; a block that ends has missed nothing (`live` counts things, and no block looks
 * at it); a place is written once, before it is read; at the end pending is 0.
 * With -DQUIET nothing is activated, so that there can be more messages. Faults, to show that the checks can fail: -DCOUNT_LATE covers what a part made after it was made; -DONE_BOX has
 * requests and second halves wait in one outbox, and serves second halves only if it is free; -DFIRST_FIRST takes second
 * halves only where no request is there; -DKEPT
 * subtracts its credit and keeps it; -DCALL_UNCOUNTED does not take credit for a call; -DCALL_EARLY takes a call whose
 * place is reserved and not written; -DFREE_EARLY gives a place back before it is read.
 */
#ifndef B
#define B 2
#endif
#ifndef SIZE
#define SIZE 1
#endif
#ifndef DEPTH
#define DEPTH 1
#endif
#ifndef SPARE
#define SPARE 0
#endif
#ifndef START
#define START 1 /* initial entries of each block */
#endif
#define CALLS 8
#define EMPTY 255
#define NONE 255
#define RING(kind, of) ((kind) * B + (of))
#define PLACE(kind, of, at) (RING(kind, of) * SIZE + (at) % SIZE)
#define THERE(kind, of) (slot[PLACE(kind, of, taken[RING(kind, of)])] != EMPTY)
#ifdef CALL_EARLY
#define CALLED(m) (heard[m] != called[m])
#else
#define CALLED(m) (call[m * CALLS + heard[m] % CALLS] != EMPTY)
#endif

byte slot[2 * B * SIZE] = EMPTY; /* of requests, of second halves */
byte write[2 * B], read[2 * B], taken[2 * B]; /* not modulo: small numbers; `taken` is the owner's */
byte call[B * CALLS] = EMPTY;
byte called[B], heard[B];
short pending = 0;
byte live = 0, ended = 0;

inline cover(most)
{
    if
    :: credit < most -> atomic { pending = pending + most - credit + SPARE; credit = most + SPARE }
    :: else
    fi
}

/* An activation of depth d, for any block; or none. */
inline activate(m, d)
{
#ifndef QUIET
    if
    :: true
    :: atomic { true -> live++; own[d]++; mine++; made++ }
    :: atomic { true -> live++ }; /* the flag */
        if
        :: other = (m + 1) % B
#if B > 2
        :: other = (m + 2) % B
#endif
        fi;
        atomic { place = called[other]; called[other]++ };
        atomic { call[other * CALLS + place % CALLS] = d };
#ifndef CALL_UNCOUNTED
        made++;
#endif
        place = 0;
        other = 0
    fi
#else
    skip
#endif
}

inline pick(to)
{
    if
    :: to = 0
    :: to = 1
#if B > 2
    :: to = 2
#endif
    fi
}

/* A request of depth d is run: its second half may be put into the outbox, which is free. */
inline run_first(m, d)
{
    activate(m, d - 1);
    if
    :: true
    :: true ->
        pick(to[1]);
        atomic { at[1] = write[RING(1, to[1])]; write[RING(1, to[1])]++; live++; made++; depth[1] = d }
    fi
}

/* By the owner: takes a message of a ring into `got`. */
inline take(kind, m)
{
#ifdef FREE_EARLY
    read[RING(kind, m)] = read[RING(kind, m)] + 1;
#endif
    atomic {
        got = slot[PLACE(kind, m, taken[RING(kind, m)])];
        assert(got < EMPTY);
        slot[PLACE(kind, m, taken[RING(kind, m)])] = EMPTY;
        taken[RING(kind, m)]++
    }
#ifndef FREE_EARLY
    read[RING(kind, m)] = taken[RING(kind, m)];
#endif
}

/* C1, after a part; `gone`: number of things that have ended. */
inline account(gone)
{
#ifdef COUNT_LATE
    cover(made);
#endif
    atomic { credit = credit + gone - made; live = live - gone; made = 0 }
}

inline send(kind)
{
    if
    :: atomic { to[kind] != NONE && at[kind] - read[RING(kind, to[kind])] < SIZE ->
            assert(slot[PLACE(kind, to[kind], at[kind])] == EMPTY);
            slot[PLACE(kind, to[kind], at[kind])] = depth[kind];
            to[kind] = NONE;
            at[kind] = 0;
            depth[kind] = 0
        }
    :: to[kind] != NONE && at[kind] - read[RING(kind, to[kind])] >= SIZE
    :: to[kind] == NONE
    fi
}

#ifdef ONE_BOX
#define MAY_SECOND (to[0] == NONE && to[1] == NONE)
#define MAY_FIRST (to[0] == NONE && to[1] == NONE)
#elif defined(FIRST_FIRST)
#define MAY_SECOND (!THERE(0, m))
#define MAY_FIRST (to[1] == NONE)
#else
#define MAY_SECOND true
#define MAY_FIRST (to[1] == NONE)
#endif

#ifdef COUNT_LATE
#define COVER(most)
#else
#define COVER(most) cover(most)
#endif

#define WORKS (mine > 0 || THERE(0, m) || THERE(1, m) || CALLED(m) || to[0] != NONE || to[1] != NONE)
#define MAY_SEND(kind) (to[kind] != NONE && at[kind] - read[RING(kind, to[kind])] < SIZE)
#define CAN                                                                                                            \
    (MAY_SEND(0) || MAY_SEND(1) || (THERE(1, m) && MAY_SECOND) || (THERE(0, m) && MAY_FIRST) ||                        \
     (to[0] == NONE && to[1] == NONE && (mine > 0 || CALLED(m))))

proctype block(byte m)
{
    byte own[DEPTH + 1];
    byte to[2] = NONE;
    byte at[2];
    byte depth[2];
    short credit;
    byte mine, got, made, other, place, d;
    atomic { own[DEPTH] = START; mine = START }
    do
    ::  /* second */
        if
        :: THERE(1, m) && MAY_SECOND ->
            COVER(1);
            take(1, m);
            activate(m, got - 1);
            account(1);
            got = 0
        :: else
        fi;
        /* first */
        if
        :: THERE(0, m) && MAY_FIRST ->
            COVER(2);
            take(0, m);
            run_first(m, got);
            account(1);
            got = 0
        :: else
        fi;
        /* expand */
        if
        :: to[0] == NONE && to[1] == NONE && (mine > 0 || CALLED(m)) ->
            COVER(2);
            if
            :: CALLED(m) ->
                atomic {
                    d = call[m * CALLS + heard[m] % CALLS];
                    assert(d < EMPTY);
                    call[m * CALLS + heard[m] % CALLS] = EMPTY;
                    heard[m]++
                }
            :: mine > 0 ->
                if /* any of its own */
                :: own[0] > 0 -> d = 0
                :: own[1] > 0 -> d = 1
#if DEPTH > 1
                :: own[2] > 0 -> d = 2
#endif
                fi;
                atomic { own[d]--; mine-- }
            fi;
            if
            :: d > 0 -> run_first(m, d) /* its own */
            :: d > 0 ->
                if
                :: to[0] = (m + 1) % B
#if B > 2
                :: to[0] = (m + 2) % B
#endif
                fi;
                atomic { at[0] = write[RING(0, to[0])]; write[RING(0, to[0])]++; live++; made++; depth[0] = d }
            :: d == 0
            fi;
            d = 0;
            account(1)
        :: else
        fi;
        send(0);
        send(1);
        if
        :: WORKS -> CAN /* else it goes round until something changes */
        :: else -> /* idle: C3, C4 */
            atomic {
                pending = pending - credit;
#ifndef KEPT
                credit = 0
#endif
            }
            if
            :: pending == 0 -> break
            :: THERE(0, m) || THERE(1, m) || CALLED(m) /* else it waits until something changes */
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
        pending = B * START;
        live = B * START;
        do
        :: i < B -> run block(i); i++
        :: else -> break
        od
    }
    ended == B;
    assert(pending == 0)
}
