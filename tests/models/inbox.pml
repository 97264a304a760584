/* inbox.pml -- a model of schedulers/inbox/ring.h for Spin: rings, the pending counter, the front, the end.
 *
 * Workers with rings of SIZE places; an entry is a depth, and processing one of depth d > 0 activates two of depth d - 1,
 * each anybody's. Depths DEPTH, DEPTH - 1, DEPTH - 2 are buckets 0, 1, 1: an entry activates others in its own bucket or
 * a later one. A worker processes entries in the front's bucket only (window 0), any of them. Steps are those that ring.h
 * names; what is one atomic access there is one step here. Memory order is not modelled: that is argued there.
 *
 * Checked: nobody is blocked for ever (an invalid end state); a worker that ends has missed nothing (`live`, which no
 * worker looks at, counts entries whose work is not done); who raises the front knows of all entries before it (with two
 * workers: with more, an entry can move on while it looks); at the end places are empty and everything was processed
 * once. Faults to show that the checks can fail: -DCOUNT_LATE grows pending after an entry can be seen; -DDEAF does not
 * empty the own ring while it waits for room in another; -DRESET_FIRST resets arrived before lowest has fallen;
 * -DSHOW_EARLY shows a later bucket as lowest before what was activated is published. -DBY_PENDING is no fault: workers
 * end by pending alone, on which the proof rests; the code asks for it where the front says that nothing is left.
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
#define BUCKET(depth) ((DEPTH - (depth) + 1) / 2)
#define NONE 9

byte slot[W * SIZE] = EMPTY;
byte tail[W], head[W]; /* not modulo: small numbers */
byte pending = 1;
byte live = 1, processed = 0, ended = 0;
byte lowest[W], arrived[W] = NONE, front;
byte exist[DEPTH + 1]; /* entries of each bucket, which no worker looks at */

/* R0 to R3. */
inline receive(w)
{
    if
    :: arrived[w] != NONE ->
#ifdef RESET_FIRST
        atomic { got = arrived[w]; arrived[w] = NONE }
#else
        got = arrived[w];
#endif
        if
        :: got < lowest[w] -> lowest[w] = got
        :: else
        fi;
#ifndef RESET_FIRST
        arrived[w] = NONE
#endif
    :: else
    fi;
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

/* P2 to P5 for one entry. */
inline publish(w, to, depth)
{
    atomic { place = tail[to]; tail[to]++ } /* P2 */
    do /* P3 */
    :: place - head[to] < SIZE -> break
#ifndef DEAF
    :: place - head[to] >= SIZE && tail[w] != head[w] -> receive(w)
#endif
    od;
    slot[to * SIZE + place % SIZE] = depth; /* P4 */
    place = 0;
    if /* P5 */
    :: atomic { BUCKET(depth) < arrived[to] -> arrived[to] = BUCKET(depth) }
    :: BUCKET(depth) >= arrived[to]
    fi
}

/* Both words of a worker; with more than two in one step, so that there are fewer states. */
inline ask(t)
{
#if W > 2
    atomic {
#endif
    least = (arrived[t] < least -> arrived[t] : least);
    least = (lowest[t] < least -> lowest[t] : least);
#if W > 2
    }
#endif
}

/* Asks the others, then itself. */
inline least_of_all(w)
{
    ask((w + 1) % W);
#if W > 2
    ask((w + 2) % W);
#endif
    ask(w)
}

/* F3. */
inline look(w)
{
    do
    :: front == NONE -> break
    :: seen = front;
        least = NONE;
        least_of_all(w);
        if
        :: least > seen -> least_of_all(w)
        :: else
        fi;
        if
        :: least <= seen -> break
        :: else
        fi;
        atomic {
            if
            :: front == seen ->
                front = least;
#if W == 2
                assert(exist[0] == 0 || least == 0);
                assert(DEPTH == 0 || exist[1] == 0 || least <= 1)
#endif
            :: else
            fi
        }
    od;
    seen = 0;
    least = 0
}

/* The lowest bucket of its own. */
#if DEPTH > 1
#define LOWEST (own[2] -> 0 : (own[1] || own[0] -> 1 : NONE))
#else
#define LOWEST (own[1] -> 0 : (own[0] -> 1 : NONE))
#endif

/* F1 to F3. */
inline tell(w)
{
    before = lowest[w];
    if
    :: lowest[w] != LOWEST -> lowest[w] = LOWEST
    :: else
    fi;
    if
    :: before <= front && LOWEST > front -> look(w)
    :: else
    fi;
    before = 0;
    if
    :: atomic { LOWEST < front -> front = LOWEST }
    :: LOWEST >= front
    fi
}

proctype worker(byte w)
{
    byte own[DEPTH + 1];
    byte mine, count, got, place, depth, left, to, before, seen, least;
    if
    :: w == 0 -> atomic { own[DEPTH] = 1; mine = 1; exist[0] = 1 }
    :: else
    fi;
    do
    :: tail[w] != head[w] || arrived[w] != NONE || lowest[w] != LOWEST -> receive(w); tell(w)
    :: mine > 0 && LOWEST <= front ->
        if /* any of its lowest bucket */
        :: own[0] > 0 && BUCKET(0) == LOWEST -> depth = 0
        :: DEPTH > 0 && own[1] > 0 && BUCKET(1) == LOWEST -> depth = 1
        :: DEPTH > 1 && own[2] > 0 -> depth = 2
        fi;
        atomic {
            own[depth]--;
            mine--;
            left = (depth > 0 -> 2 : 0);
            live = live + left - 1;
            processed++;
            exist[BUCKET(depth)]--;
            if
            :: depth > 0 -> exist[BUCKET(depth - 1)] = exist[BUCKET(depth - 1)] + 2
            :: else
            fi;
#ifndef COUNT_LATE
            pending = pending + left - 1 /* P1 and netting */
#endif
        }
#ifdef SHOW_EARLY
        tell(w);
#endif
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
            :: to == w -> atomic { own[depth - 1]++; mine++ }
            :: else -> publish(w, to, depth - 1)
            fi;
            to = 0
        :: else -> break
        od;
#ifdef COUNT_LATE
        pending = pending + (depth > 0 -> 2 : 0) - 1;
#endif
        depth = 0;
        tell(w)
    /* it waits, and the front is not what it should be: a look now and then */
    :: LOWEST > front && front != NONE && lowest[0] > front && arrived[0] > front && lowest[1] > front &&
       arrived[1] > front && (W == 2 || (lowest[W - 1] > front && arrived[W - 1] > front)) -> look(w)
#ifdef BY_PENDING
    :: mine == 0 && pending == 0 -> break
#else
    :: mine == 0 && front == NONE && pending == 0 -> break
#endif
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
