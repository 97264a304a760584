/* ranks.pml -- a model of a run over several processes, for Spin: framework/include/ordo/detail/cpu/remote.h.
 *
 * Two ranks own two vertices each. Distances only get shorter: an edge u -> v of length d offers cell[u] + d to v.
 * Which edges there are, and whether one is 1 or 4 long, is drawn. A rank processes the entries of its worklist in any order; an offer that improves a ghost makes an entry
 * for the owner. Between supersteps ranks meet: each drops entries that have been overtaken, says how much it has, and
 * sends; what comes is offered to own cells. MPI is a step that begins when all have said what they have.
 *
 * Checked: when the ranks end, every cell has the shortest distance, all ranks end together, and no entry is left.
 * Faults to show that the checks can fail: -DSENT_UNCOUNTED leaves entries for others out of what a rank says;
 * -DGHOST_SILENT sends an improvement of a ghost only if the ghost had no value before; -DDROP_EQUAL drops entries whose
 * value the ghost has, too; -DNOT_OFFERED stores what comes without comparing; -DOWN_LEFT says what is left before the
 * worklist is empty, without what it holds.
 */
#define V 4
#define FAR 30
#define OWNER(v) ((v) / 2)

byte edge[V * V]; /* lengths; 0: no edge */
byte shortest[V] = FAR;
byte cell[2 * V] = FAR; /* rank * V + vertex: own cells and ghosts */
bool waits[2 * V];      /* an entry on the rank's worklist; its value is the cell's when it is taken */
byte out[2 * V] = FAR;  /* entries for the owner, of each ghost the last value; FAR: none */
byte coming[2 * V] = FAR;
byte said, met, work, generation;
bool ended[2];

inline draw()
{
    i = 0;
    do
    :: i < V * V ->
        if
        :: edge[i] = 0
        :: i / V != i % V && i % V != 0 && i != 3 && i != 14 -> /* not from 0 to 3, nor from 3 to 2 */
            if
            :: edge[i] = 1
            :: edge[i] = 4
            fi
        fi;
        i++
    :: else -> break
    od;
    shortest[0] = 0;
    k = 0;
    do /* rounds over all edges */
    :: k < V ->
        i = 0;
        do
        :: i < V * V ->
            if
            :: edge[i] && shortest[i / V] + edge[i] < shortest[i % V] ->
                shortest[i % V] = shortest[i / V] + edge[i]
            :: else
            fi;
            i++
        :: else -> break
        od;
        k++
    :: else -> break
    od;
    i = 0;
    k = 0
}

proctype rank(byte me)
{
    byte v, u, mine, seen;
    bool any;
superstep:
    do /* own entries, in any order */
    :: waits[me * V + 2 * me] -> u = 2 * me; goto process
    :: waits[me * V + 2 * me + 1] -> u = 2 * me + 1; goto process
    :: !waits[me * V + 2 * me] && !waits[me * V + 2 * me + 1] -> break
#ifdef OWN_LEFT
    :: break
#endif
    od;
    goto meet;
process:
    skip;
    d_step {
        waits[me * V + u] = 0;
        v = 0;
        do
        :: v < V ->
            if
            :: edge[u * V + v] && cell[me * V + u] + edge[u * V + v] < cell[me * V + v] ->
#ifdef GHOST_SILENT
                any = cell[me * V + v] == FAR;
#else
                any = 1;
#endif
                cell[me * V + v] = cell[me * V + u] + edge[u * V + v];
                if
                :: OWNER(v) == me -> waits[me * V + v] = 1
                :: OWNER(v) != me && any -> out[me * V + v] = cell[me * V + v]
                :: else
                fi
            :: else
            fi;
            v++
        :: else -> break
        od;
        v = 0
    }
    goto superstep;
meet:
    skip;
    d_step { /* drops what has been overtaken, and says how much there is */
        mine = 0;
        v = 0;
        do
        :: v < V ->
            if
            :: out[me * V + v] != FAR && cell[me * V + v] < out[me * V + v] -> out[me * V + v] = FAR
#ifdef DROP_EQUAL
            :: out[me * V + v] != FAR && cell[me * V + v] == out[me * V + v] -> out[me * V + v] = FAR
#endif
            :: else
            fi;
#ifndef SENT_UNCOUNTED
            mine = mine + (out[me * V + v] != FAR);
#endif
#ifndef OWN_LEFT
            mine = mine + waits[me * V + v];
#endif
            v++
        :: else -> break
        od;
        v = 0;
        seen = generation;
        work = work + mine;
        said++
    }
    if /* the exchange: the last to come carries it out */
    :: d_step {
        said == 2 && generation == seen ->
        v = 0;
        do
        :: v < 2 * V ->
            coming[(1 - v / V) * V + v % V] = out[v];
            out[v] = FAR;
            v++
        :: else -> break
        od;
        v = 0;
        said = 0;
        met = work;
        work = 0;
        generation++
       }
    :: generation != seen
    fi;
    d_step { /* offers what has come */
        v = 2 * me;
        do
        :: v < 2 * me + 2 ->
            if
#ifdef NOT_OFFERED
            :: coming[me * V + v] != FAR ->
#else
            :: coming[me * V + v] < cell[me * V + v] ->
#endif
                cell[me * V + v] = coming[me * V + v];
                waits[me * V + v] = 1
            :: else
            fi;
            coming[me * V + v] = FAR;
            v++
        :: else -> break
        od;
        v = 0
    }
    if
    :: met != 0 -> goto superstep
    :: else
    fi;
    d_step {
        ended[me] = 1;
        v = 2 * me;
        do
        :: v < 2 * me + 2 ->
            assert(cell[me * V + v] == shortest[v] && !waits[me * V + v]);
            v++
        :: else -> break
        od
    }
}

init
{
    byte i, k;
    draw();
    atomic {
        cell[0] = 0;
        cell[V] = 0; /* cells are the same in all ranks at first */
        waits[0] = 1;
        run rank(0);
        run rank(1)
    }
}
