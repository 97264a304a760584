/* lp.h -- label propagation: every vertex takes the most frequent label of its neighbours, of several the least.
 *
 *   GATHER(v):  label(v) = the most frequent label(u) over edges (u, v)         [Raghavan, Albert and Kumara 2007]
 *
 * Cells are labels, a vertex' own id at the start. A vertex without in-edges keeps its label. All vertices change at
 * the same time, and of labels that are equally frequent the least counts: the deterministic form, CDLP, of the LDBC
 * Graphalytics benchmark. In place the answer would depend on the order, so it is not.
 *
 * Labels may change for ever (two neighbours that exchange theirs), hence `rounds`.
 *
 * Not done: labels that are known for some vertices; weights as votes.
 */
#include <ordo/operator/operator.h>

typedef struct lp_state {
    ordo_u64 rounds; /* the most, at least 1 */
} lp_state;

ORDO_FN ordo_u32 lp_apply(const lp_state *s, ordo_item v, ordo_u32 old, ordo_u32 most_frequent, const double *total)
{
    (void)s;
    (void)v;
    (void)total;
    return most_frequent == ORDO_NO_VERTEX ? old : most_frequent;
}

ORDO_FN ordo_u64 lp_rounds(const lp_state *s)
{
    return s->rounds;
}

#define ORDO_GATHER lp
#define ORDO_GATHER_SUMMARY "label propagation, in rounds"
#define ORDO_GATHER_STATE lp_state
#define ORDO_GATHER_ARRAYS(X)
#define ORDO_GATHER_CELL u32
#define ORDO_GATHER_WEIGHT none
#define ORDO_GATHER_PROPERTIES 0
#define ORDO_GATHER_COMBINE ORDO_MODE
#define ORDO_GATHER_VALUE u32
#define ORDO_GATHER_APPLY lp_apply
#define ORDO_GATHER_ROUNDS lp_rounds
#include <ordo/operator/gather.h>
