/* inbox.pml -- a model of schedulers/inbox/ring.h for Spin: rings, the pending counter, the end.
 *
 * Workers with rings of SIZE places; an entry is a depth, and processing one of depth d > 0 activates two of depth d - 1,
 * each anybody's. Buckets have no order here: which entry a worker takes is open, so every order of work is covered. Steps
 * are those that ring.h names; what is one atomic access there is one step here. Memory order is not modelled: that is
 * argued there.
 *
 * Checked: nobody is blocked for ever (an invalid end state); a worker that ends has missed nothing (`live`, which no
 * worker looks at, counts entries that exist); at the end places are empty and everything was processed once.
 * Two faults to show that the checks can fail: -DCOUNT_LATE grows pending after an entry can be seen; -DDEAF does not
 * empty the own ring while it waits for room in another.
 */
#ifndef W
#define W 2
#endif
#ifndef SIZE
#define SIZE 1
#endif
#ifndef DEPTH
#define DEPTH 2
#endif
#define EMPTY 255

byte slot[W * SIZE] = EMPTY;
byte tail[W], head[W]; /* not modulo: small numbers */
byte pending = 1;
byte live = 1, processed = 0, ended = 0;

/* R1 to R3. */
inline receive(w)
{
    count = tail[w] - head[w];
    if
    :: count > SIZE -> count = SIZE
    :: else
    fi;
    got = 0;
    do
    :: got < count ->
        slot[w * SIZE + (head[w] + got) % SIZE] != EMPTY; /* R2 waits */
        atomic {
            own[slot[w * SIZE + (head[w] + got) % SIZE]]++;
            slot[w * SIZE + (head[w] + got) % SIZE] = EMPTY;
            mine++;
            got++
        }
    :: else -> break
    od;
    head[w] = head[w] + count; /* R3 */
    got = 0;
    count = 0
}

/* P1 to P4 for one entry. */
inline publish(w, to, depth)
{
#ifndef COUNT_LATE
    pending++; /* P1 */
#endif
    atomic { place = tail[to]; tail[to]++ } /* P2 */
    do /* P3 */
    :: place - head[to] < SIZE -> break
#ifndef DEAF
    :: place - head[to] >= SIZE && tail[w] != head[w] -> receive(w)
#endif
    od;
    atomic { slot[to * SIZE + place % SIZE] = depth; live++ } /* P4 */
#ifdef COUNT_LATE
    pending++;
#endif
    place = 0
}

proctype worker(byte w)
{
    byte own[DEPTH + 1];
    byte mine, count, got, place, depth, left, to, kept;
    if
    :: w == 0 -> atomic { own[DEPTH] = 1; mine = 1 }
    :: else
    fi;
    do
    :: tail[w] != head[w] -> receive(w)
    :: mine > 0 ->
        if /* any of its own */
        :: own[0] > 0 -> depth = 0
        :: DEPTH > 0 && own[1] > 0 -> depth = 1
        :: DEPTH > 1 && own[2] > 0 -> depth = 2
        fi;
        atomic { own[depth]--; mine-- }
        left = (depth > 0 -> 2 : 0);
        kept = 0;
        do
        :: left > 0 ->
            left--;
            if
            :: to = 0
            :: to = 1
#if W > 2
            :: to = 2
#endif
            fi;
            if
            :: to == w -> atomic { own[depth - 1]++; mine++; kept++; live++ }
            :: else -> publish(w, to, depth - 1)
            fi;
            to = 0
        :: else -> break
        od;
        atomic { live--; processed++ }
        atomic { pending = pending + kept - 1; kept = 0; depth = 0 } /* netting */
    :: mine == 0 && pending == 0 -> break
    od;
    assert(live == 0);
    assert(mine == 0);
    ended++
}

init {
    byte i;
    atomic {
        do
        :: i < W -> run worker(i); i++
        :: else -> break
        od
    }
    ended == W;
    assert(pending == 0);
    assert(processed == (1 << (DEPTH + 1)) - 1);
    i = 0;
    do
    :: i < W * SIZE -> assert(slot[i] == EMPTY); i++
    :: else -> break
    od
}
