/* widest.h -- widest paths from one source: the most that fits through all edges of some path.
 *
 *   RELAX(u, v):  b(v) = max(b(v), min(b(u), c(u, v)))                                              [Pollack 1960]
 *
 * Cells are widths, 0 where nothing gets to, the type's largest value at the source, which is the only item at first. A
 * template over the type of capacities and widths, ORDO_WEIGHT: u32, i32 or f32, not negative. Widest first: a width's
 * priority is what it lacks of the largest capacity, in 512ths of that, a bucket each (measured:
 * docs/lab/0012-other-relax-operators-on-a-gpu.md).
 */
#include <ordo/operator/operator.h>

#ifndef ORDO_WEIGHT
#error "widest.h is a template: define ORDO_WEIGHT as u32, i32 or f32"
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
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE ORDO_INSTANCE(widest_candidate)
#define ORDO_RELAX_PRIORITY ORDO_INSTANCE(widest_priority)
#define ORDO_RELAX_DELTA ORDO_INSTANCE(widest_delta)
#include <ordo/operator/relax.h>
