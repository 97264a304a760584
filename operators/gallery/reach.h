/* reach.h -- reachability: the vertices that some path from an initial item ends in.
 *
 *   r(v) = r(v) or r(u)  for every edge (u, v)                                                      [Moore 1959]
 *
 * Cells are 0, and 1 at the sources, which are the initial items. All candidates are 1, so any one of them is final.
 *
 * Not done: which source reaches a vertex (min_label.h), and in how many edges (operators/bfs.h).
 */
#include <ordo/operator/operator.h>

ORDO_FN ordo_u32 reach_candidate(const ordo_no_state *s, ordo_u32 reached, ordo_edge_none e)
{
    (void)s;
    (void)e;
    return reached;
}

ORDO_FN int reach_is_final(const ordo_no_state *s, ordo_item v, ordo_u32 reached)
{
    (void)s;
    (void)v;
    return reached != 0;
}

#define ORDO_RELAX reach
#define ORDO_RELAX_SUMMARY "reachability from the initial items"
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT none
#define ORDO_RELAX_ORDER ORDO_MAX
#define ORDO_RELAX_PROPERTIES                                                                                          \
    (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_UNIFORM | ORDO_EDGE_BLIND | ORDO_BY_WEIGHT)
#define ORDO_RELAX_CANDIDATE reach_candidate
#define ORDO_RELAX_FINAL reach_is_final
#include <ordo/operator/relax.h>
