/* widest.h -- widest paths: for every vertex the largest w such that a path from the source has no edge under w.
 *
 *   width(v) = max(width(v), min(width(u), w(u, v)))                                   [Pollack 1960]
 */
#include <ordo/operator/operator.h>

ORDO_FN ordo_u32 widest_candidate(const ordo_no_state *s, ordo_u32 width, ordo_edge_u32 e)
{
    (void)s;
    return width < e.weight ? width : e.weight;
}

#define ORDO_RELAX widest
#define ORDO_RELAX_SUMMARY "widest paths"
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT u32
#define ORDO_RELAX_ORDER ORDO_MAX
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE)
#define ORDO_RELAX_CANDIDATE widest_candidate
#include <ordo/operator/relax.h>
