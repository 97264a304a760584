/* lightest_edge.h -- the first step of a round of Boruvka's minimum spanning forest: every component learns of the
 * lightest edge that leaves it.
 *
 *   best(C(u)) = min(best(C(u)), (w(u, v), id(u, v)))  over edges with C(u) != C(v)                   [Boruvka 1926]
 *
 * A cell is a component's best edge: weight in the upper half, id of the undirected edge in the lower, so that ties
 * fall to the smaller id, all keys differ, and the forest is unique. Items are vertices; targets are components.
 */
#include <ordo/operator.h>

typedef struct lightest_edge_state {
    const ordo_u32 *component;  /* [n] component of each vertex, an index of cells */
    const ordo_u32 *undirected; /* [m] id of the undirected edge; the same for both directions */
} lightest_edge_state;

ORDO_FN ordo_u64 lightest_edge_candidate(const lightest_edge_state *s, ordo_u64 unused, ordo_edge_u32 e)
{
    (void)unused;
    if (s->component[e.tail] == s->component[e.head])
        return ordo_highest_u64(); /* inside: proposes nothing */
    return (ordo_u64)e.weight << 32 | s->undirected[e.id];
}

ORDO_FN ordo_u32 lightest_edge_target(const lightest_edge_state *s, ordo_edge_u32 e)
{
    return s->component[e.tail];
}

#define ORDO_RELAX lightest_edge
#define ORDO_RELAX_SUMMARY "lightest edge out of every component (Boruvka)"
#define ORDO_RELAX_STATE lightest_edge_state
#define ORDO_RELAX_CELL u64
#define ORDO_RELAX_WEIGHT u32
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE)
#define ORDO_RELAX_CANDIDATE lightest_edge_candidate
#define ORDO_RELAX_TARGET lightest_edge_target
#include <ordo/relax.h>
