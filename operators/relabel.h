/* relabel.h -- the global relabel of push-relabel: exact distances to one vertex over residual edges.
 *
 *   h(u) = min(h(u), h(v) + 1)  for residual edges (u, v)             [Cherkassky and Goldberg, Algorithmica 19, 1997]
 *
 * The search starts at that vertex and goes against the residual edges: edge e from v to u is open where its reverse
 * (u, v) has residual capacity. The source of the flow is excluded, so paths do not go through it.
 *
 * Not done: heights of vertices that the search does not reach, which the app (apps/maxflow.c) sets.
 */
#include <ordo/operator/operator.h>

typedef struct relabel_state {
    const ordo_u8 *open; /* [m] */
    ordo_vid shut;       /* the excluded vertex: the source */
} relabel_state;

ORDO_FN ordo_u32 relabel_candidate(const relabel_state *s, ordo_u32 height, ordo_edge_none e)
{
    return s->open[e.id] && e.head != s->shut ? ordo_add_sat_u32(height, 1) : ordo_highest_u32();
}

#define ORDO_RELAX relabel
#define ORDO_RELAX_SUMMARY "global relabeling (maximum flow): distances over residual edges"
#define ORDO_RELAX_STATE relabel_state
#define ORDO_RELAX_ARRAYS(X) X(open, EDGE, 1)
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT none
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_UNIFORM)
#define ORDO_RELAX_CANDIDATE relabel_candidate
#include <ordo/operator/relax.h>
