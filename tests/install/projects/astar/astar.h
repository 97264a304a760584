/* astar.h -- A*: the distance from a source to one target, in a graph whose vertices have coordinates.
 *
 *   d(v) = min(d(v), d(u) + w(u, v)),  the smallest d(v) + h(v) first       [Hart, Nilsson and Raphael 1968]
 *
 * h(v) is a length that no path from v to the target is below: the straight line, times the least weight of a unit of
 * length. What would not come to less than d(target) as it stands is left out, so d(target) is right in the end and the
 * other cells are only bounds. That holds in whatever order vertices come; the order decides how much is left out.
 */
#include <math.h>

#include <ordo/operator/operator.h>

typedef struct astar_state {
    const ordo_i32 *place; /* [n][2] */
    const ordo_u32 *dist;  /* the cells: that of the target is looked at */
    ordo_vid target;
    double rate; /* the least weight / length of all edges */
} astar_state;

ORDO_FN ordo_u32 astar_ahead(const astar_state *s, ordo_vid v)
{
    double x = (double)s->place[2 * v] - s->place[2 * s->target];
    double y = (double)s->place[2 * v + 1] - s->place[2 * s->target + 1];
    return (ordo_u32)(s->rate * sqrt(x * x + y * y));
}

ORDO_FN ordo_u32 astar_candidate(const astar_state *s, ordo_u32 du, ordo_edge_u32 e)
{
    ordo_u32 dv = ordo_add_sat_u32(du, e.weight);
    ordo_u32 best = ordo_load_u32(&s->dist[s->target]);
    return ordo_add_sat_u32(dv, astar_ahead(s, e.head)) < best ? dv : ordo_highest_u32();
}

ORDO_FN double astar_priority(const astar_state *s, ordo_vid v, ordo_u32 dv)
{
    return (double)dv + astar_ahead(s, v);
}

#define ORDO_RELAX astar
#define ORDO_RELAX_SUMMARY "the distance to one target, by coordinates"
#define ORDO_RELAX_STATE astar_state
#define ORDO_RELAX_ARRAYS(X) X(place, ITEM, 2) X(dist, TARGET, 1)
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT u32
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE astar_candidate
#define ORDO_RELAX_PRIORITY astar_priority
#include <ordo/operator/relax.h>
