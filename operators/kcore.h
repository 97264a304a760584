/* kcore.h -- one level of peeling: removes the vertices that are not in the k-core, given the (k-1)-core.
 *
 *   REMOVE(v) where d(v) < k:  core(v) = k - 1;  d(w) = d(w) - 1  for every neighbour w          [Seidman 1983]
 *
 * Cells sum: d(v) is the number of remaining neighbours, and decreases by one for each that is removed. A vertex is
 * activated by the one removal that lowers d(v) from k to k - 1. It is taken once; from then on its cell is below 0,
 * where removals of its other neighbours have no effect. Every neighbour is removed once, so the result does not depend
 * on the order. Expects a symmetric graph without loops and parallel edges; the app (apps/kcore.c) runs it level by
 * level.
 *
 * Not done: several levels in one run.
 */
#include <ordo/operator/operator.h>

typedef struct kcore_state {
    ordo_u32 *core; /* [n] written where a vertex is removed */
    ordo_i32 k;     /* at least 1 */
} kcore_state;

ORDO_FN ordo_u32 kcore_level(const kcore_state *s, ordo_i32 left)
{
    return left >= 0 && left < s->k;
}

ORDO_FN ordo_i32 kcore_take(const kcore_state *s, ordo_item v, ordo_i32 left)
{
    (void)left;
    ordo_store_u32(&s->core[v], (ordo_u32)s->k - 1);
    return 0;
}

ORDO_FN ordo_i32 kcore_candidate(const kcore_state *s, ordo_i32 unused, ordo_edge_none e)
{
    (void)s;
    (void)unused;
    (void)e;
    return -1;
}

ORDO_FN ordo_i32 kcore_spent(void)
{
    return -1;
}

#define ORDO_RELAX kcore
#define ORDO_RELAX_SUMMARY "k-core: removes vertices with fewer than k neighbours left"
#define ORDO_RELAX_STATE kcore_state
#define ORDO_RELAX_ARRAYS(X) X(core, ITEM, 1, WRITE)
#define ORDO_RELAX_CELL i32
#define ORDO_RELAX_WEIGHT none
#define ORDO_RELAX_ORDER ORDO_SUM
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE)
#define ORDO_RELAX_CANDIDATE kcore_candidate
#define ORDO_RELAX_LEVEL kcore_level
#define ORDO_RELAX_TAKE kcore_take
#define ORDO_RELAX_SPENT kcore_spent
#include <ordo/operator/relax.h>
