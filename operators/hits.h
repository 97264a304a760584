/* hits.h -- half a round of HITS: every vertex adds up the scores of its in-neighbours.
 *
 *   GATHER(v):  score(v) = sum of score(u) over edges (u, v)                                        [Kleinberg 1999]
 *
 * On the graph this makes authorities of hubs; on the reversed graph it makes hubs of authorities. Cells are the
 * scores. A run is one round, double-buffered: in place, a vertex would read sums of this round beside scores of the
 * last.
 *
 * Not done: scaling, and when to stop (apps/hits.c).
 */
#include <ordo/operator/operator.h>

ORDO_FN double hits_apply(const ordo_no_state *s, ordo_item v, double old, double sum, const double *total)
{
    (void)s;
    (void)v;
    (void)old;
    (void)total;
    return sum;
}

ORDO_FN ordo_u64 hits_rounds(const ordo_no_state *s)
{
    (void)s;
    return 1;
}

#define ORDO_GATHER hits
#define ORDO_GATHER_SUMMARY "hubs and authorities, half a round"
#define ORDO_GATHER_CELL f64
#define ORDO_GATHER_WEIGHT none
#define ORDO_GATHER_PROPERTIES 0
#define ORDO_GATHER_COMBINE ORDO_SUM
#define ORDO_GATHER_VALUE f64
#define ORDO_GATHER_APPLY hits_apply
#define ORDO_GATHER_ROUNDS hits_rounds
#include <ordo/operator/gather.h>
