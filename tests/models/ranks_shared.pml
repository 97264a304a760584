/* ranks_shared.pml -- a model of ranks of one host that work on one array of cells, for Spin:
 * framework/include/ordo/detail/cpu/remote.h, "Shared cells".
 *
 * Two ranks own two vertices each, of which the first is a source. Distances only get shorter: an edge u -> v of length
 * d offers (distance of u) + d to v. Whether an edge is 1 or 4 long, and whether there are edges between the two vertices
 * that are no sources, is drawn; with -DANY whether there is any. A rank processes the entries of its worklist in any
 * order. An offer is one step on the cell; that an improvement makes an entry, for the owner, is a step of its own.
 * Between supersteps ranks meet: each drops entries that have been overtaken, says how much it has, and sends; the owner
 * takes what comes unless its cell is better by now. The other rank may be in the next superstep then.
 *
 * Checked: when the ranks end, every cell has the shortest distance, all ranks end together, and no entry is left.
 * Faults to show that the checks can fail: -DTWO_STEPS makes an offer of a look and a store; -DOFFERED takes only what
 * is better than the cell, as where ranks have cells of their own; -DDROP_EQUAL drops entries whose value the cell has;
 * -DSENT_UNCOUNTED leaves entries for others out of what a rank says; -DOWN_LEFT says what is left before the worklist
 * is empty, without what it holds.
 */
#define V 4
#define FAR 30
#define OWNER(v) ((v) / 2)
#define EITHER (i == 3 || i == 7 || i == 9 || i == 13) /* 0 -> 3, 1 -> 3, 2 -> 1, 3 -> 1; the others: 0 -> 1, 2 -> 3 */

byte edge[V * V]; /* lengths; 0: no edge */
byte shortest[V] = FAR;
byte cell[V] = FAR;  /* shared */
byte waits[V] = FAR; /* the value of the entry on the owner's worklist; FAR: none */
byte out[V] = FAR;   /* of an entry that waits for the owner of the vertex, which another rank has */
byte coming[V] = FAR;
byte said, met, work, generation;

inline draw()
{
    i = 0;
    do
    :: i < V * V ->
        if
#ifdef ANY
        :: edge[i] = 0
        :: EITHER || i == 1 || i == 11 -> edge[i] = 1
        :: EITHER || i == 1 || i == 11 -> edge[i] = 4
#else
        :: i == 1 || i == 11 -> edge[i] = 4
        :: i == 3 || i == 9 -> edge[i] = 1
        :: EITHER -> edge[i] = 4
        :: i == 7 || i == 13 -> edge[i] = 1
        :: i != 1 && i != 3 && i != 9 && i != 11 -> edge[i] = 0
#endif
        fi;
        i++
    :: else -> break
    od;
    shortest[0] = 0;
    shortest[2] = 0;
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

inline put(place, value)
{
    if
    :: value < place -> place = value
    :: else
    fi
}

proctype rank(byte me)
{
    byte v, u, value, offered, mine, seen;
superstep:
    do /* own entries, in any order */
    :: waits[2 * me] != FAR -> u = 2 * me; goto process
    :: waits[2 * me + 1] != FAR -> u = 2 * me + 1; goto process
    :: waits[2 * me] == FAR && waits[2 * me + 1] == FAR -> break
#ifdef OWN_LEFT
    :: break
#endif
    od;
    goto meet;
process:
    skip;
    d_step {
        value = waits[u];
        waits[u] = FAR;
        v = 0
    }
    do
    :: v < V && !edge[u * V + v] -> v++
    :: v < V && edge[u * V + v] ->
        offered = value + edge[u * V + v];
        if
#ifdef TWO_STEPS
        :: offered < cell[v] -> cell[v] = offered;
#else
        :: d_step { offered < cell[v] -> cell[v] = offered };
#endif
            if
            :: OWNER(v) == me -> d_step { put(waits[v], offered) }
            :: else -> d_step { put(out[v], offered) }
            fi
        :: !(offered < cell[v])
        fi;
        v++
    :: v == V -> break
    od;
    skip;
    d_step {
        v = 0;
        offered = 0;
        value = 0
    }
    goto superstep;
meet:
    mine = 0;
    do /* drops what has been overtaken, and says how much there is */
    :: v < V ->
        d_step {
            if
            :: OWNER(v) != me && out[v] != FAR && cell[v] < out[v] -> out[v] = FAR
#ifdef DROP_EQUAL
            :: OWNER(v) != me && out[v] != FAR && cell[v] == out[v] -> out[v] = FAR
#endif
            :: else
            fi;
#ifndef SENT_UNCOUNTED
            mine = mine + (OWNER(v) != me && out[v] != FAR);
#endif
#ifndef OWN_LEFT
            mine = mine + (OWNER(v) == me && waits[v] != FAR);
#endif
            v++
        }
    :: v == V -> break
    od;
    skip;
    d_step {
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
        :: v < V ->
            coming[v] = out[v];
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
    mine = met; /* the next exchange needs this rank */
    v = 2 * me;
    do
    :: v < 2 * me + 2 ->
        d_step {
            if
#ifdef OFFERED
            :: coming[v] < cell[v] -> put(waits[v], coming[v])
#else
            :: coming[v] != FAR && !(cell[v] < coming[v]) -> put(waits[v], coming[v])
#endif
            :: else
            fi;
            coming[v] = FAR;
            v++
        }
    :: v == 2 * me + 2 -> break
    od;
    v = 0;
    if
    :: mine != 0 -> goto superstep
    :: else
    fi;
    skip;
    d_step {
        v = 2 * me;
        do
        :: v < 2 * me + 2 ->
            assert(cell[v] == shortest[v] && waits[v] == FAR && out[v] == FAR);
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
        cell[2] = 0;
        waits[0] = 0;
        waits[2] = 0;
        run rank(0);
        run rank(1)
    }
}
