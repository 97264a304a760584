/* inbox_cuda.pml -- a model of schedulers/inbox/cuda.cuh for Spin: rings of a bucket and owner each, spilling, the
 * end, and being told to stop.
 *
 * W workers (warps), 2 buckets, so 2 W rings of SIZE places. An entry is a depth; who processes one of depth d > 0
 * activates two of depth d - 1, each in any bucket of anybody, itself among them, or keeps it in hand for its next hop
 * (near). A depth is an item, too: it has a bit among the spilled ones, and two entries of one depth meet in it. A
 * store holds two entries. Window 0: an owner takes from its lowest bucket, and only while nobody counts in a lower
 * one.
 *
 * Memory order. Processes take turns, so one access is one step. What the code orders by a fence comes in that order
 * here; between two fences the order of words that others wait for is open: P1 before the P2s or after them, the P4s
 * in any order. Credit is that of the code, with SPARE taken beyond what is needed; heads are told where it tells
 * them. In a spill the bit comes before `spilled`, which is added to only where the bit's exchange says so. The value
 * and the item of an entry are two words with -DWIDE, as they are of 16 bytes; of 8 bytes they are one. So a fault is
 * a fence that is left out, not one that is too weak: that is argued in the code. Not modelled: stale reads of
 * `waiting` and of the hint (they cost order only), buckets' movement along the circle and what is clipped there (it
 * is published again: P1 to P4), lanes (a warp's entries are published at once: places first, then what is free, then
 * all that wait are polled), hubs, cells.
 *
 * -DCROWD: entries of bucket 0 may become bits when they are published, at any time: how many wait is order only.
 *
 * A wait is a guard: who would look, find nothing and look again is blocked. So an invalid end state is a set of
 * workers that wait for ever, in P3, in R2, or with nothing to do.
 *
 * Checked: that; that who ends because pending is 0 has missed nothing (`live`, which no worker looks at, counts
 * entries that exist); at the end places and bits are empty, `waiting` is 0 and every entry was processed once or met
 * another one in its bit; with -DSTOP, that after a wish to stop, whenever it comes, everybody ends.
 *
 * Faults, to show that the checks can fail:
 *   -DCOUNT_LATE    an entry can be seen before its credit is counted (no fence between P1 and P4)
 *   -DOVERDRAWN     a worker takes no credit while it has some, though it needs more
 *   -DCREDIT_KEPT   who has nothing to do does not give its credit back
 *   -DHOP_FORGOTTEN what is done becomes credit while entries are in hand for another hop
 *   -DUNTOLD        who sees that others wait for its places does not make its heads known
 *   -DNOT_PRESSED   an owner does not look whether others wait for places of its rings
 *   -DDEAF          who waits for a place does not spill what is in its own rings
 *   -DTOLD_EARLY    `spilled` grows before the bit is set
 *   -DMET           an entry whose bit was set already stays in pending
 *   -DHEAD_EARLY    a head is known before the place is empty
 *   -DITEM_FIRST    (with -DWIDE) an item is stored before its value
 *   -DCROWD_WAITS   (with -DCROWD) `waiting` counts entries that become bits
 *   -DCROWD_EARLY   (with -DCROWD) bits are set before their credit is counted
 *   -DCROWD_PAID    (with -DCROWD) the credit of an entry whose bit was set already is spent
 *   -DDEAF_STOP     (with -DSTOP) who waits for an entry that a stopped writer owes it does not look at `stop`
 */
#ifndef W
#define W 2
#endif
#ifndef SIZE
#define SIZE 1
#endif
#ifndef DEPTH
#define DEPTH 1
#endif
#ifndef START
#define START W
#endif
#ifndef SPARE
#define SPARE 1
#endif
#define RING(w, b) (2 * (w) + (b))
#define AT(ring, place) ((ring) * SIZE + (place) % SIZE)
#define TREE(depth) ((2 << (depth)) - 1) /* entries that one of that depth stands for */

byte item[2 * W * SIZE]; /* depth + 1; 0: none */
#ifdef WIDE
byte value[2 * W * SIZE] = 255;
#define VALUE(at, depth) value[at] = depth
#else
#define VALUE(at, depth) skip
#endif
byte tail[2 * W], head[2 * W]; /* one word in the code; not modulo: small numbers */
bool bits[DEPTH + 1];
byte spilled, waiting[2], pending = START;
bool stop;
byte live = START, processed, ended; /* the model's own */

/* P4. */
inline fill(i)
{
#ifdef ITEM_FIRST
    item[AT(to[i], place[i])] = depth[i] + 1;
    VALUE(AT(to[i], place[i]), depth[i]);
#else
    VALUE(AT(to[i], place[i]), depth[i]);
    item[AT(to[i], place[i])] = depth[i] + 1;
#endif
    todo[i] = 0
}

/* P2, and whether the place is free. */
inline reserve(i)
{
    if
    :: i < held && todo[i] == 0 -> atomic {
           place[i] = tail[to[i]];
           tail[to[i]]++;
           todo[i] = (place[i] - head[to[i]] < SIZE -> 1 : 2)
       }
    :: else
    fi
}

/* P1: credit that is lacking, and some more. */
inline count()
{
    if
    :: lacks > 0 -> pending = pending + lacks; lacks = 0
    :: else
    fi
}

/* A fence, then heads. */
inline tell()
{
    if
    :: head[RING(w, 0)] != at[0] -> head[RING(w, 0)] = at[0]
    :: else
    fi;
    if
    :: head[RING(w, 1)] != at[1] -> head[RING(w, 1)] = at[1]
    :: else
    fi
}

/* P3: this worker's ring of bucket b to a bit; `item` is there. */
inline spill(b)
{
    d = item[AT(RING(w, b), at[b])] - 1;
#ifdef TOLD_EARLY
    spilled++;
#endif
    atomic { met = bits[d]; bits[d] = true }
    if
    :: met ->
        atomic {
#ifndef MET
            pending--;
#endif
            live--;
            processed = processed + TREE(d)
        }
    :: else ->
#ifndef TOLD_EARLY
        spilled++
#endif
    fi;
    atomic { waiting[b]--; item[AT(RING(w, b), at[b])] = 0; at[b]++; d = 0; met = false }
    head[RING(w, b)] = at[b]
}

/* An entry of the store for a crowded bucket to a bit, in place of P2 to P4. */
inline scatter(i)
{
    if
    :: i < held && to[i] % 2 == 0 -> atomic {
           met = bits[depth[i]];
           bits[depth[i]] = true;
           if
           :: met ->
#ifndef CROWD_PAID
               credit++;
#endif
               live--;
               processed = processed + TREE(depth[i])
           :: else -> spilled++
           fi;
           met = false;
           todo[i] = 3
       }
    :: else
    fi
}

/* Netting, P1 to P4. */
inline publish_pending()
{
#ifdef CROWD
    if
    :: crowded = true
    :: skip
    fi;
#endif
    atomic {
        i = 0;
        do
#ifdef CROWD_WAITS
        :: i < held -> waiting[to[i] % 2]++; i++
#else
        :: i < held -> waiting[to[i] % 2] = waiting[to[i] % 2] + (crowded && to[i] % 2 == 0 -> 0 : 1); i++
#endif
        :: else -> break
        od;
        i = 0;
        if
#ifdef HOP_FORGOTTEN
        :: done > 0 ->
#else
        :: done > 0 && hand == 0 ->
#endif
            waiting[0] = waiting[0] - taken[0];
            waiting[1] = waiting[1] - taken[1];
            taken[0] = 0;
            taken[1] = 0;
            credit = credit + done;
            done = 0
        :: else
        fi;
        if
#ifdef OVERDRAWN
        :: held > 0 && credit == 0 ->
#else
        :: credit < held ->
#endif
            lacks = held - credit + SPARE;
            credit = SPARE;
            fenced = true
        :: else -> credit = credit - held
        fi;
#ifdef OVERDRAWN
        credit = (credit > 100 -> 0 : credit);
#endif
#ifdef WIDE
        fenced = held > 0;
#endif
        fenced = fenced || (held > 0 && (2 * (at[0] - head[RING(w, 0)]) >= SIZE ||
                                         2 * (at[1] - head[RING(w, 1)]) >= SIZE))
    }
#ifdef CROWD
    if
    :: crowded ->
#ifndef CROWD_EARLY
        count();
#endif
        scatter(0);
        scatter(1);
        crowded = false
    :: else
    fi;
#endif
#ifdef COUNT_LATE
    reserve(0);
    reserve(1);
#else
    if
    :: count(); reserve(0); reserve(1)
    :: lacks > 0 -> reserve(0); reserve(1); count()
    fi;
#endif
    if
    :: fenced -> tell(); fenced = false
    :: else
    fi;
    todo[0] = (todo[0] == 3 -> 0 : todo[0]);
    todo[1] = (todo[1] == 3 -> 0 : todo[1]);
    do
    :: todo[0] == 1 -> fill(0)
    :: todo[1] == 1 -> fill(1)
    :: else -> break
    od;
#ifdef COUNT_LATE
    count();
#endif
    if
    :: todo[0] || todo[1] -> tell()
    :: else
    fi;
    do /* P3 */
    :: todo[0] == 0 && todo[1] == 0 -> break
    :: stop -> todo[0] = 0; todo[1] = 0; break
    :: todo[0] && place[0] - head[to[0]] < SIZE -> fill(0)
    :: todo[1] && place[1] - head[to[1]] < SIZE -> fill(1)
#ifndef DEAF
    :: tail[RING(w, 0)] != at[0] && item[AT(RING(w, 0), at[0])] -> spill(0)
    :: tail[RING(w, 1)] != at[1] && item[AT(RING(w, 1), at[1])] -> spill(1)
#endif
    od;
    skip;
    d_step {
        i = 0;
        do
        :: i < 2 -> depth[i] = 0; to[i] = 0; place[i] = 0; i++
        :: else -> break
        od;
        i = 0;
        held = 0
    }
}

/* One entry of depth d that this worker activated: kept, or into its store. Two of a turn have no order. */
#define TO(r) atomic { held == 0 || to[0] <= r -> depth[held] = d; to[held] = r; held++ }
inline activate()
{
    live++;
    if
    :: held == 0 -> near[d]++; hand++
    :: TO(0)
    :: TO(1)
    :: TO(2)
    :: TO(3)
#if W > 2
    :: TO(4)
    :: TO(5)
#endif
    fi
}

/* R1 to R3 of bucket b. Heads are made known later. */
inline receive(b)
{
    atomic { /* one look at the ends: who sees that others wait tells its heads, else R2 would wait for them */
        left = tail[RING(w, b)] - at[b];
        left = (left > SIZE -> SIZE : left);
        fenced = tail[RING(w, b)] - head[RING(w, b)] > SIZE
    }
#ifndef UNTOLD
    if
    :: fenced -> tell()
    :: else
    fi;
#endif
    fenced = false;
    do
    :: left > 0 ->
        if /* R2 */
        :: item[AT(RING(w, b), at[b])] ->
            atomic {
                d = item[AT(RING(w, b), at[b])] - 1;
#ifdef WIDE
                assert(value[AT(RING(w, b), at[b])] == d);
#endif
                near[d]++;
                hand++;
                d = 0
            }
#ifdef HEAD_EARLY
            head[RING(w, b)] = at[b] + 1;
#endif
            item[AT(RING(w, b), at[b])] = 0
#ifndef DEAF_STOP
        :: stop
#endif
        fi;
        atomic { at[b]++; taken[b]++; done++; left-- }
    :: else -> break
    od
}

#define FILLED(b) (tail[RING(w, b)] != at[b])
#ifdef NOT_PRESSED
#define PRESSED(b) false
#else
#define PRESSED(b) (tail[RING(w, b)] - head[RING(w, b)] > SIZE)
#endif
#define LOW (PRESSED(0) || (FILLED(0) && !PRESSED(1)))
#define HIGH (!LOW && (PRESSED(1) || (FILLED(1) && waiting[0] == 0)))

proctype worker(byte w)
{
    byte near[DEPTH + 1], hand, done, taken[2], at[2]; /* at: heads, as far as this worker has read */
    byte held, depth[2], to[2], place[2], todo[2];     /* todo: 1 a free place, 2 none yet, 3 a bit */
    byte credit, lacks, left, d, i, swept;
    bool met, fenced, crowded;
    do
    :: held > 0 || (hand == 0 && done > 0) -> publish_pending()
    :: held == 0 && hand > 0 ->
        atomic {
            if /* any of those in hand */
            :: near[0] -> d = 0
            :: DEPTH > 0 && near[1] -> d = 1
            :: DEPTH > 1 && near[2] -> d = 2
            fi;
            near[d]--;
            hand--;
            live--;
            processed++;
            if
            :: d > 0 -> d--; activate(); activate(); d = 0
            :: else
            fi
        }
    :: held == 0 && hand == 0 && done == 0 ->
        if
        :: pending == 0 -> break
        :: stop -> break
#ifndef CREDIT_KEPT
        :: credit > 0 && !FILLED(0) && !FILLED(1) -> pending = pending - credit; credit = 0
#endif
        :: LOW -> receive(0)
        :: HIGH -> receive(1)
        :: !LOW && !HIGH && spilled != swept -> /* its share of the bits */
            swept = spilled;
            atomic {
                d = w;
                do
                :: d <= DEPTH ->
                    near[d] = near[d] + bits[d];
                    hand = hand + bits[d];
                    done = done + bits[d];
                    bits[d] = 0;
                    d = d + W
                :: else -> break
                od;
                d = 0
            }
        fi
    od;
    assert(stop || (live == 0 && hand == 0));
    ended++
}

#ifdef STOP
active proctype watch()
{
    stop = true
}
#endif

init {
    byte i;
    atomic {
        do
        :: i < START -> /* an initial item each, published */
            item[AT(RING(i, 0), 0)] = DEPTH + 1;
            VALUE(AT(RING(i, 0), 0), DEPTH);
            tail[RING(i, 0)] = 1;
            waiting[0]++;
            i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < W -> run worker(i); i++
        :: else -> break
        od
    }
    ended == W;
    if
    :: stop
    :: else ->
        assert(pending == 0 && waiting[0] == 0 && waiting[1] == 0);
        assert(processed == START * TREE(DEPTH));
        i = 0;
        do
        :: i < 2 * W * SIZE -> assert(item[i] == 0); i++
        :: else -> break
        od;
        i = 0;
        do
        :: i <= DEPTH -> assert(!bits[i]); i++
        :: else -> break
        od
    fi
}
