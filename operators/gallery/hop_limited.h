/* hop_limited.h -- a round of shortest paths of at most k edges: paths get one edge longer.
 *
 *   d_i(v) = min(d_{i-1}(v), d_{i-1}(u) + w(u, v))                                              [Bellman 1958]
 *
 * Cells are d_i, a copy of d_{i-1} at the start. Candidates are computed from d_{i-1}, which the run does not change,
 * so a path never gains two edges in a round, whatever the order of work. With ORDO_RELAX_TARGET improved targets are
 * not activated: every initial item is processed once. A sum that does not fit becomes the type's largest value, which
 * proposes nothing.
 *
 * Not done: the rounds, k runs of this operator (hop_limited.c).
 */
#include <ordo/operator/operator.h>

typedef struct hop_limited_state {
    const ordo_u32 *before; /* [n] d_{i-1} */
} hop_limited_state;

ORDO_FN ordo_u32 hop_limited_candidate(const hop_limited_state *s, ordo_u32 unused, ordo_edge_u32 e)
{
    (void)unused;
    return ordo_add_sat_u32(s->before[e.tail], e.weight);
}

ORDO_FN ordo_u32 hop_limited_target(const hop_limited_state *s, ordo_edge_u32 e)
{
    (void)s;
    return e.head;
}

#define ORDO_RELAX hop_limited
#define ORDO_RELAX_SUMMARY "shortest paths of at most k edges: one more edge"
#define ORDO_RELAX_STATE hop_limited_state
#define ORDO_RELAX_ARRAYS(X) X(before, ITEM, 1)
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT u32
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE hop_limited_candidate
#define ORDO_RELAX_TARGET hop_limited_target
#include <ordo/operator/relax.h>
