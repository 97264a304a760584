/* astar.h -- A*: the distance from a source to one target, given lower bounds of the rest of the way.
 *
 *   d(v) = min(d(v), d(u) + w(u, v)),  the smallest d(v) + h(v) first        [Hart, Nilsson and Raphael 1968]
 *
 * h(v) is at most the distance from v to the target, and 0 at the target. Cells are the type's largest value, and 0 at
 * the source, which is the only initial item. A candidate that cannot lead to less than d(target) as it stands proposes
 * nothing. Hence d(target) is right after the run, in any order of work; other cells are upper bounds only. The order
 * decides how much is left out.
 *
 * d(target) may be read late. It only decreases, so an old value leaves out less, never more.
 *
 * Not done: computing h. tests/install/projects/astar takes it from coordinates.
 */
#include <ordo/operator/operator.h>

typedef struct astar_state {
    const ordo_u32 *bound; /* [n] h; the type's largest value: the target cannot be reached from there */
    const ordo_u32 *dist;  /* the run's cells */
    ordo_vid target;
} astar_state;

ORDO_FN ordo_u32 astar_candidate(const astar_state *s, ordo_u32 du, ordo_edge_u32 e)
{
    ordo_u32 dv = ordo_add_sat_u32(du, e.weight);
    ordo_u32 best = ordo_load_u32(&s->dist[s->target]);
    return ordo_add_sat_u32(dv, s->bound[e.head]) < best ? dv : ordo_highest_u32();
}

ORDO_FN double astar_priority(const astar_state *s, ordo_item v, ordo_u32 dv)
{
    return (double)dv + s->bound[v];
}

#define ORDO_RELAX astar
#define ORDO_RELAX_SUMMARY "A*: the distance to one target"
#define ORDO_RELAX_STATE astar_state
#define ORDO_RELAX_ARRAYS(X) X(bound, ITEM, 1) X(dist, TARGET, 1)
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT u32
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE astar_candidate
#define ORDO_RELAX_PRIORITY astar_priority
#include <ordo/operator/relax.h>
