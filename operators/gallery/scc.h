/* scc.h -- one search of forward-backward strong components: reachability that does not leave a part.
 *
 *   r(v) = r(v) or r(u)  for every edge (u, v) whose ends are in one part       [Fleischer, Hendrickson and Pinar 2000]
 *
 * Parts are disjoint sets of vertices. Cells are 0, and 1 at one vertex of each part, its pivot; the pivots are the
 * initial items. So one run searches all parts at once.
 *
 * ORDO_UNIFORM holds, for all candidates are 1. ORDO_RELAX_FINAL is not declared, unlike in reach.h: a puller that
 * stops at its first reached in-neighbour would miss one of its own part behind it.
 *
 * Not done: choosing pivots and splitting parts (scc.c).
 */
#include <ordo/operator/operator.h>

typedef struct scc_state {
    const ordo_u32 *part; /* [n] */
} scc_state;

ORDO_FN ordo_u32 scc_candidate(const scc_state *s, ordo_u32 reached, ordo_edge_none e)
{
    return s->part[e.tail] == s->part[e.head] ? reached : ordo_lowest_u32();
}

#define ORDO_RELAX scc
#define ORDO_RELAX_SUMMARY "strong components: reachability within parts"
#define ORDO_RELAX_STATE scc_state
#define ORDO_RELAX_ARRAYS(X) X(part, ITEM, 1)
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT none
#define ORDO_RELAX_ORDER ORDO_MAX
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_UNIFORM | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE scc_candidate
#include <ordo/operator/relax.h>
