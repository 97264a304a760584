/* push.h -- an operator whose cells are sums of reals: PageRank by pushing residuals, without fixed point. CELL is the
 * type of the cells; the operator is push_CELL.
 *
 *   PUSH(u) where r(u) >= least:  t = r(u);  r(u) = 0;  x(u) = x(u) + t;  r(v) = r(v) + d t / deg(u) for every edge (u,
 * v)
 *
 * Four levels, so that items that grow while they wait get further entries.
 */
#include <ordo/operator/operator.h>

#undef PUSH_STATE
#undef PUSH
#undef PUSH_TYPE
#define PUSH_STATE ORDO_JOIN3(push_, CELL, _state)
#define PUSH(_part) ORDO_JOIN(ORDO_JOIN3(push_, CELL, _), _part)
#define PUSH_TYPE ORDO_TYPE_OF(CELL)

typedef struct PUSH_STATE {
    const ordo_eid *row; /* [n + 1] the graph's: edges out */
    PUSH_TYPE *rank;     /* [n] x, 0 at the start */
    PUSH_TYPE least, damping;
} PUSH_STATE;

ORDO_FN ordo_u32 PUSH(level)(const PUSH_STATE *s, PUSH_TYPE r)
{
    return (ordo_u32)((r >= s->least) + (r >= 4 * s->least) + (r >= 16 * s->least) + (r >= 64 * s->least));
}

ORDO_FN PUSH_TYPE PUSH(take)(const PUSH_STATE *s, ordo_item u, PUSH_TYPE t)
{
    const ordo_u64 degree = s->row[u + 1] - s->row[u];
    ORDO_JOIN(ordo_add_, CELL)(&s->rank[u], t);
    return degree ? s->damping * t / (PUSH_TYPE)degree : 0;
}

ORDO_FN PUSH_TYPE PUSH(candidate)(const PUSH_STATE *s, PUSH_TYPE share, ordo_edge_none e)
{
    (void)s;
    (void)e;
    return share;
}

ORDO_FN double PUSH(priority)(const PUSH_STATE *s, ordo_item u, PUSH_TYPE r)
{
    (void)u;
    return 8.0 - PUSH(level)(s, r);
}

#define ORDO_RELAX ORDO_JOIN(push_, CELL)
#define ORDO_RELAX_SUMMARY "pushes residuals that are reals"
#define ORDO_RELAX_STATE PUSH_STATE
#define ORDO_RELAX_ARRAYS(X) X(row, ROW, 1) X(rank, ITEM, 1, WRITE)
#define ORDO_RELAX_CELL CELL
#define ORDO_RELAX_WEIGHT none
#define ORDO_RELAX_ORDER ORDO_SUM
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE PUSH(candidate)
#define ORDO_RELAX_LEVEL PUSH(level)
#define ORDO_RELAX_TAKE PUSH(take)
#define ORDO_RELAX_PRIORITY PUSH(priority)
#include <ordo/operator/relax.h>
