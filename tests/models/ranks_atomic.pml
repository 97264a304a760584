/* ranks_atomic.pml -- a model of exchange=atomic of `bsp` over GPUs, for Spin: schedulers/bsp/cuda_ranks.cuh. How ranks
 * meet is ranks_cuda.pml; here a meeting is one step.
 *
 * One item, which rank 0 owns; ranks 1 and 2 have ghosts of its cell. In two supersteps each rank has a candidate for it,
 * 1 to 3 (the owner to 2), in any order; less is better. What improves a ghost is applied to the owner's cell at once: if it improves that,
 * a message follows; else the ghost becomes what the cell was. Full boxes are those of ranks_cuda.pml. The owner applies
 * its own candidate to the cell. It lists the item if that improved it, for the next superstep; or if a message has
 * come, for this one. Then it reads the cell and processes that value.
 *
 * Checked: at the end, which is behind a meeting at which nothing is listed or sent, the best value of all candidates is
 * in the cell and was processed, and no ghost is better.
 * Faults: -DAPPLIED lists the item only if the message's value improves the cell, as other exchanges do; -DLANDS_LATE lets
 * an atomic land behind the meeting, as without the release behind it; -DSENT_ONLY sends a message and applies nothing.
 */
#define WORST 9

byte cell = WORST, ghost[3] = WORST, best = WORST, processed = WORST;
byte box[6];            /* set * 3 + from: a message's value, 0: none */
bool listed[2];         /* by parity of the superstep */
byte late[3];           /* LANDS_LATE: a candidate that has not landed */
byte step = 1, at_meeting, work, ended;

/* All arrive; the last one adds up what is left, and the next superstep begins. */
inline meet()
{
    d_step {
        at_meeting++;
        if
        :: at_meeting == 3 ->
            work = box[((step + 1) % 2) * 3 + 1] + box[((step + 1) % 2) * 3 + 2] + listed[(step + 1) % 2];
            work = work + (step < 3); /* candidates of later supersteps */
            at_meeting = 0;
            step++
        :: else
        fi
    }
    step > now;
    now = step
}

proctype sender(byte me)
{
    byte now = 1, c, old;
    do
    ::
        if
        :: d_step { late[me] ->
            if :: late[me] < cell -> cell = late[me] :: else fi;
            late[me] = 0 }
        :: late[me] == 0
        fi;
        if
        :: now < 3 ->
            if :: c = 1 :: c = 2 :: c = 3 fi;
            d_step { if :: c < best -> best = c :: else fi };
            if
            :: d_step { c < ghost[me] -> ghost[me] = c };
#if defined(LANDS_LATE)
                d_step { late[me] = c; old = WORST };
#elif defined(SENT_ONLY)
                old = WORST;
#else
                d_step { old = cell; if :: c < cell -> cell = c :: else fi };
#endif
                if
                :: c < old -> box[((step + 1) % 2) * 3 + me] = c
                :: else -> d_step { if :: old < ghost[me] -> ghost[me] = old :: else fi; old = 0 }
                fi
            :: c >= ghost[me]
            fi
        :: else
        fi;
        meet();
        if :: work == 0 -> break :: else fi
    od;
    ended++
}

proctype owner()
{
    byte now = 1, c, old, value, from;
    do
    ::
        /* messages of the step before */
        for (from : 1 .. 2) {
            if
            :: box[(now % 2) * 3 + from] ->
#ifdef APPLIED
                d_step {
                    if
                    :: box[(now % 2) * 3 + from] < cell -> cell = box[(now % 2) * 3 + from]; listed[now % 2] = true
                    :: else
                    fi
                };
#else
                listed[now % 2] = true;
#endif
                box[(now % 2) * 3 + from] = 0
            :: else
            fi
        }
        if
        :: listed[now % 2] -> listed[now % 2] = false; value = cell; processed = value
        :: else
        fi;
        if
        :: now < 3 ->
            if :: c = 1 :: c = 2 fi;
            d_step { if :: c < best -> best = c :: else fi };
            d_step { old = cell; if :: c < cell -> cell = c; listed[(now + 1) % 2] = true :: else fi; old = 0 }
        :: else
        fi;
        meet();
        if :: work == 0 -> break :: else fi
    od;
    assert(cell == best && processed == best);
    assert(ghost[1] >= cell && ghost[2] >= cell);
    ended++
}

init
{
    atomic { run owner(); run sender(1); run sender(2) }
    ended == 3
}
