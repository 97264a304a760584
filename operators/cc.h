/* cc.h -- connected components by propagating the smallest vertex id.
 *
 *   label(v) = min(label(v), label(u))                       [Bellman-Ford on labels; Nasre et al. 2013, section 2]
 *
 * Cells are labels. Initially label(v) = v, and every vertex is an initial item. On a symmetric graph the fixed point
 * is the smallest id of the component. For a directed graph the app (apps/cc.c) makes a symmetric copy first (weak
 * components).
 *
 * Not done: strong components.
 */
#include <ordo/operator/operator.h>

ORDO_FN ordo_u32 cc_candidate(const ordo_no_state *s, ordo_u32 label, ordo_edge_none e)
{
    (void)s;
    (void)e;
    return label;
}

/* Labels are ids. Eight buckets keep a rough order, and few of them are empty where there are many components. */
ORDO_FN double cc_delta(double n, double m)
{
    (void)m;
    return n / 8;
}

#define ORDO_RELAX cc
#define ORDO_RELAX_SUMMARY "connected components"
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT none
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND | ORDO_BY_WEIGHT)
#define ORDO_RELAX_CANDIDATE cc_candidate
#define ORDO_RELAX_DELTA cc_delta
#include <ordo/operator/relax.h>
