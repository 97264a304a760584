/* share.pml -- a model of the ring by which warps of a block share work, for Spin:
 * framework/include/ordo/detail/cuda/share.cuh, under delta.
 *
 * -DWARPS=N warps (2) and a ring of -DPLACES=N places (2). A word of depth d is two of depth d - 1: the warp keeps one and
 * puts the other, or, if the ring is nearly full, gives it away. Warp 0 begins with a word of depth -DDEPTH=N (3), warp
 * 1 with one less. A take claims one word.
 *
 * Checked: when all warps have left, every word was worked on once or was given away once, and the ring is empty; no
 * warp is blocked for ever.
 * Faults to show that the checks can fail: -DPLAIN_PUT stores a word without waiting for the place to be empty;
 * -DPLAIN_TAKE takes what is there without waiting for a word; -DPLAIN_CLAIM stores `head` where it should swap `ends`;
 * -DNO_LIMIT does not look whether there is room; -DNOT_LOOKED leaves when no warp works, whatever the ring has.
 */
#ifndef WARPS
#define WARPS 2
#endif
#ifndef PLACES
#define PLACES 2
#endif
#ifndef DEPTH
#define DEPTH 3
#endif
#define LIMIT (PLACES - WARPS)

byte place[PLACES]; /* depth + 1; 0: no word */
byte head, tail, working = WARPS, left;
byte live; /* words that exist: nobody looks at it */

inline look()
{
    d_step { h = head; t = tail } /* one word */
}

inline put(word)
{
    look();
    if
#ifndef NO_LIMIT
    :: t - h > LIMIT -> live-- /* given away */
#endif
    :: else ->
        d_step { first = tail; tail++ }
#ifdef PLAIN_PUT
        place[first % PLACES] = word
#else
        d_step { place[first % PLACES] == 0 -> place[first % PLACES] = word }
#endif
    fi
}

inline take()
{
    working--;
    do
    :: none = (working == 0);
       some = (tail != head);
#ifdef NOT_LOOKED
       if
       :: none -> break
       :: else
       fi;
#endif
       if
       :: some ->
           working++;
           got = false;
#ifdef PLAIN_CLAIM
           look();
           if
           :: t != h -> head = h + 1; got = true
           :: else
           fi;
#else
           d_step { /* a swap that fails has read the word again */
               h = head;
               if
               :: tail != h -> head = h + 1; got = true
               :: else
               fi
           }
#endif
           if
           :: got ->
#ifdef PLAIN_TAKE
               d_step { mine = place[h % PLACES]; place[h % PLACES] = 0 }
#else
               d_step { place[h % PLACES] != 0 -> mine = place[h % PLACES]; place[h % PLACES] = 0 }
#endif
               break
           :: else -> working--
           fi
       :: !some && none -> break
       :: !some && !none
       fi
    od
}

proctype warp(byte mine)
{
    byte h, t, first;
    bit none, some, got;
    do
    :: mine > 1 -> d_step { live++; mine-- } put(mine)
    :: mine == 1 -> d_step { live--; mine = 0 }
    :: mine == 0 ->
        take();
        if
        :: mine == 0 -> break
        :: else
        fi
    od;
    atomic {
        left++;
        assert(left < WARPS || (live == 0 && head == tail))
    }
}

init {
    atomic {
        live = 2;
        run warp(DEPTH + 1);
        run warp(DEPTH)
#if WARPS == 3
        ;
        run warp(0)
#endif
    }
}
