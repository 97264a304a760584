/* min_label.h -- label propagation: the smallest label of any vertex that has a path to v.
 *
 *   l(v) = min(l(v), l(u))  for every edge (u, v)                       [Kang, Tsourakakis and Faloutsos 2009]
 *
 * Labels are the caller's: any whole numbers below the type's largest value, which says "no label". Cells are the
 * labels, and vertices that have one are the initial items. On a symmetric graph where l(v) = v this is connected
 * components (operators/cc.h); on a directed one with few labels, the best of the sources that reach a vertex.
 *
 * Not done: taking the most frequent label of the neighbours (Raghavan et al. 2007). That depends on all of them at
 * once, and on the order of work.
 */
#include <ordo/operator/operator.h>

ORDO_FN ordo_i32 min_label_candidate(const ordo_no_state *s, ordo_i32 label, ordo_edge_none e)
{
    (void)s;
    (void)e;
    return label;
}

/* Eight buckets, if there are about n different labels. */
ORDO_FN double min_label_delta(double n, double m)
{
    (void)m;
    return n / 8;
}

#define ORDO_RELAX min_label
#define ORDO_RELAX_SUMMARY "label propagation: the smallest label that reaches a vertex"
#define ORDO_RELAX_CELL i32
#define ORDO_RELAX_WEIGHT none
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND | ORDO_BY_WEIGHT)
#define ORDO_RELAX_CANDIDATE min_label_candidate
#define ORDO_RELAX_DELTA min_label_delta
#include <ordo/operator/relax.h>
