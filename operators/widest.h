/* widest.h -- widest paths from one source: the largest width of a path, which is its smallest capacity.
 *
 *   RELAX(u, v):  b(v) = max(b(v), min(b(u), c(u, v)))                                              [Pollack 1960]
 *
 * Cells are widths: initially 0, and the type's largest value at the source, which is the only initial item. A template
 * over the type of capacities and widths, ORDO_WEIGHT: u32, i32, f32, i64 or f64, not negative. Widest first: the
 * priority of a width is the largest capacity minus the width, in 512ths of the largest capacity, a bucket each
 * (measured: docs/lab/0012-other-relax-operators-on-a-gpu.md).
 */
#include <ordo/operator/operator.h>

#ifndef ORDO_WEIGHT
#error "widest.h is a template: define ORDO_WEIGHT as u32, i32, f32, i64 or f64"
#endif

typedef struct ORDO_INSTANCE(widest_state) {
    ORDO_TYPE_OF(ORDO_WEIGHT) most; /* the largest capacity */
    double scale;                   /* 512 / most */
} ORDO_INSTANCE(widest_state);

ORDO_FN ORDO_TYPE_OF(ORDO_WEIGHT)
    ORDO_INSTANCE(widest_candidate)(const ORDO_INSTANCE(widest_state) * s, ORDO_TYPE_OF(ORDO_WEIGHT) bu,
                                    ORDO_EDGE_OF(ORDO_WEIGHT) e)
{
    (void)s;
    return bu < e.weight ? bu : e.weight;
}

ORDO_FN double ORDO_INSTANCE(widest_priority)(const ORDO_INSTANCE(widest_state) * s, ordo_item v,
                                              ORDO_TYPE_OF(ORDO_WEIGHT) b)
{
    (void)v;
    return b < s->most ? ((double)s->most - (double)b) * s->scale : 0;
}

ORDO_FN double ORDO_INSTANCE(widest_delta)(double n, double m)
{
    (void)n;
    (void)m;
    return 1;
}

#define ORDO_RELAX ORDO_INSTANCE(widest)
#define ORDO_RELAX_SUMMARY "widest paths from one source"
#define ORDO_RELAX_STATE ORDO_INSTANCE(widest_state)
#define ORDO_RELAX_ARRAYS(X)
#define ORDO_RELAX_CELL ORDO_WEIGHT
#define ORDO_RELAX_WEIGHT ORDO_WEIGHT
#define ORDO_RELAX_ORDER ORDO_MAX
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND | ORDO_BY_WEIGHT)
#define ORDO_RELAX_CANDIDATE ORDO_INSTANCE(widest_candidate)
#define ORDO_RELAX_PRIORITY ORDO_INSTANCE(widest_priority)
#define ORDO_RELAX_DELTA ORDO_INSTANCE(widest_delta)
#include <ordo/operator/relax.h>
