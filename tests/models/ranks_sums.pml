/* ranks_sums.pml -- a model of sums over several processes, for Spin: framework/include/ordo/detail/cpu/remote.h.
 *
 * One rank has two members, which add 1 to the ghost of an item that another rank owns, in several supersteps; how many
 * times in which is drawn. The member whose addition finds 0 makes an entry. When it meets the other rank it swaps the
 * ghost for 0 and sends what was there, while the other member may still add. The owner adds what comes to its cell, and
 * takes the cell where that is 2 or more. MPI is a step that begins when all have said what they have.
 *
 * Checked: when the ranks end, the owner has every addend once and has taken what it has to, the ghost is 0, and no entry is left.
 * Faults to show that the checks can fail: -DTWO_STEPS reads the ghost and stores 0 in two steps; -DSILENT makes no entry
 * after the first superstep; -DVALUE_OF_ENTRY sends the value that the ghost had when the entry was made;
 * -DSENT_UNCOUNTED leaves entries out of what the rank says; -DNOT_EMPTIED sends the ghost and leaves it as it is.
 */
#define EACH 2 /* additions of a member at most */

byte ghost, cell, taken, added;
byte out[2];   /* entries of each member; values are taken when ranks meet */
byte value[2]; /* what they are sent with, in sum */
byte said, work, met;
bit generation;
byte ended;

inline meet(mine)
{
    skip;
    d_step {
        seen = generation;
        work = work + mine;
        said++
    }
    if /* the exchange: the last of three to come carries it out */
    :: d_step {
        said == 3 && generation == seen ->
        cell = cell + value[0] + value[1];
        value[0] = 0;
        value[1] = 0;
        said = 0;
        met = work;
        work = 0;
        generation = !generation
       }
    :: generation != seen
    fi
}

proctype member(byte me)
{
    byte left = EACH, mine, now;
    bit seen;
    bool later;
superstep:
    do
    :: left > 0 ->
        d_step { /* one atomic addition, and the entry, which no one else sees */
            left--;
            added++;
            now = ghost;
            ghost++;
            if
#ifdef SILENT
            :: now == 0 && !later -> out[me]++
#else
            :: now == 0 -> out[me]++
#endif
#ifdef VALUE_OF_ENTRY
                value[me]++
#endif
            :: else
            fi;
            now = 0
        }
    :: break
    od;
    later = 1;
    mine = left; /* what is on the worklist */
    do
    :: out[me] > 0 ->
#ifdef TWO_STEPS
        now = ghost;
        d_step {
            ghost = 0;
#else
        d_step {
            now = ghost;
#ifndef NOT_EMPTIED
            ghost = 0;
#endif
#endif
            out[me]--;
#ifndef VALUE_OF_ENTRY
            value[me] = value[me] + now;
#endif
#ifndef SENT_UNCOUNTED
            mine = mine + (now > 0);
#endif
            now = 0
        }
    :: else -> break
    od;
    meet(mine);
    mine = 0;
    if
    :: met != 0 -> goto superstep
    :: else
    fi;
    ended++
}

proctype owner()
{
    bit seen;
superstep:
    skip;
    d_step {
        if
        :: cell >= 2 ->
            taken = taken + cell;
            cell = 0
        :: else
        fi
    }
    meet(0);
    if
    :: met != 0 -> goto superstep
    :: else
    fi;
    (ended == 2);
    assert(taken + cell == added && cell < 2 && ghost == 0 && out[0] + out[1] == 0 && added == 2 * EACH)
}

init
{
    atomic {
        run member(0);
        run member(1);
        run owner()
    }
}
