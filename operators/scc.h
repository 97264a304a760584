/* scc.h -- one search of forward-backward strong components: labels spread along edges, but not out of their part.
 *
 *   l(v) = max(l(v), l(u))  for every edge (u, v) whose ends are in one part
 *                                        [Fleischer, Hendrickson and Pinar 2000; with labels: Orzan 2004]
 *
 * Parts are disjoint sets of vertices. Cells are labels, 0 where there is none. Forward, all vertices have a label of
 * their own, and get the largest one that reaches them. Backward, on the reversed edges, the root of each part alone
 * has one, and the vertices that get it are its component. One run searches all parts at once.
 *
 * Not done: parts and roots (apps/scc.c).
 */
#include <ordo/operator/operator.h>

typedef struct scc_state {
    const ordo_u32 *part; /* [n] */
} scc_state;

ORDO_FN ordo_u32 scc_candidate(const scc_state *s, ordo_u32 label, ordo_edge_none e)
{
    return s->part[e.tail] == s->part[e.head] ? label : ordo_lowest_u32();
}

#define ORDO_RELAX scc
#define ORDO_RELAX_SUMMARY "strong components: labels spread within parts"
#define ORDO_RELAX_STATE scc_state
#define ORDO_RELAX_ARRAYS(X) X(part, ITEM, 1)
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT none
#define ORDO_RELAX_ORDER ORDO_MAX
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE scc_candidate
#include <ordo/operator/relax.h>
