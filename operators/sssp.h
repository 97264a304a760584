/* sssp.h -- single-source shortest paths over weights that are not negative.
 *
 *   RELAX(u, v):  d(v) = min(d(v), d(u) + w(u, v))                      [Dijkstra 1959; CLRS section 24.1]
 *
 * Cells are tentative distances, worst at the start, 0 at the source, which is the only item at first. A template over
 * the type of weights and distances, ORDO_WEIGHT: u32, i32, f32, i64 or f64. Distances beyond the limit propose
 * nothing; without a limit it is the largest value that is not the worst. A sum that does not fit becomes the worst
 * value, and so improves nothing, either; the app checks afterwards whether a vertex was left unreached for that reason
 * (apps/sssp.c).
 */
#include <ordo/operator/operator.h>

#ifndef ORDO_WEIGHT
#error "sssp.h is a template: define ORDO_WEIGHT as u32, i32, f32, i64 or f64"
#endif

typedef struct ORDO_INSTANCE(sssp_state) {
    ORDO_TYPE_OF(ORDO_WEIGHT) limit; /* the largest distance looked for */
} ORDO_INSTANCE(sssp_state);

ORDO_FN ORDO_TYPE_OF(ORDO_WEIGHT)
    ORDO_INSTANCE(sssp_candidate)(const ORDO_INSTANCE(sssp_state) * s, ORDO_TYPE_OF(ORDO_WEIGHT) du,
                                  ORDO_EDGE_OF(ORDO_WEIGHT) e)
{
    ORDO_TYPE_OF(ORDO_WEIGHT) dv = ORDO_JOIN(ordo_add_sat_, ORDO_WEIGHT)(du, e.weight);
    return dv <= s->limit ? dv : ORDO_JOIN(ordo_highest_, ORDO_WEIGHT)();
}

#define ORDO_RELAX ORDO_INSTANCE(sssp)
#define ORDO_RELAX_SUMMARY "single-source shortest paths"
#define ORDO_RELAX_STATE ORDO_INSTANCE(sssp_state)
#define ORDO_RELAX_ARRAYS(X)
#define ORDO_RELAX_CELL ORDO_WEIGHT
#define ORDO_RELAX_WEIGHT ORDO_WEIGHT
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND | ORDO_BY_WEIGHT)
#define ORDO_RELAX_CANDIDATE ORDO_INSTANCE(sssp_candidate)
#define ORDO_RELAX_ITEMS (ORDO_ITEMS_VERTICES | ORDO_ITEMS_EDGES)
#include <ordo/operator/relax.h>
