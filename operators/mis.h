/* mis.h -- a maximal independent set: the one that a greedy loop over the vertices by rank finds.
 *
 *   JOIN(v)   where all neighbours of a lower rank are out                  [Luby 1986; Blelloch et al. 2012]
 *   LEAVE(v)  where one of them is in
 *
 * Cells sum, and say both: a cell is MIS_READY minus the edges to neighbours of a lower rank at the start (mis_start).
 * A neighbour that leaves adds 1, one that joins adds MIS_READY. So a vertex can decide when its cell is MIS_READY or
 * more, and joins where it is exactly that. It decides once, and sends one message along each edge; the set depends on
 * the ranks alone. Expects a symmetric graph in which no vertex has 2^30 edges. Loops do nothing.
 *
 * Not done: choosing ranks (apps/mis.c). Random ones make the chains of waiting vertices short.
 */
#include <ordo/operator/operator.h>

#define MIS_READY ((ordo_u64)1 << 32)
#define MIS_SPENT ((ordo_u64)1 << 62) /* of a vertex that has decided: no message can undo that */

typedef struct mis_state {
    const ordo_u32 *rank; /* [n] distinct */
    ordo_u32 *member;     /* [n] written where a vertex decides: 1 in the set, 0 not */
} mis_state;

/* The cell at the start of a vertex with that many edges to neighbours of a lower rank. */
ORDO_FN ordo_u64 mis_start(ordo_u64 lower)
{
    return MIS_READY - lower;
}

ORDO_FN ordo_u32 mis_level(const mis_state *s, ordo_u64 cell)
{
    (void)s;
    return cell >= MIS_READY && cell < MIS_SPENT;
}

ORDO_FN ordo_u64 mis_take(const mis_state *s, ordo_item v, ordo_u64 cell)
{
    int joins = cell == MIS_READY;
    ordo_store_u32(&s->member[v], (ordo_u32)joins);
    return joins ? MIS_READY : 1;
}

ORDO_FN ordo_u64 mis_candidate(const mis_state *s, ordo_u64 message, ordo_edge_none e)
{
    return s->rank[e.tail] < s->rank[e.head] ? message : 0;
}

ORDO_FN ordo_u64 mis_spent(void)
{
    return MIS_SPENT;
}

#define ORDO_RELAX mis
#define ORDO_RELAX_SUMMARY "maximal independent set, greedy by rank"
#define ORDO_RELAX_STATE mis_state
#define ORDO_RELAX_ARRAYS(X) X(rank, ITEM, 1) X(member, ITEM, 1, WRITE)
#define ORDO_RELAX_CELL u64
#define ORDO_RELAX_WEIGHT none
#define ORDO_RELAX_ORDER ORDO_SUM
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE)
#define ORDO_RELAX_CANDIDATE mis_candidate
#define ORDO_RELAX_LEVEL mis_level
#define ORDO_RELAX_TAKE mis_take
#define ORDO_RELAX_SPENT mis_spent
#include <ordo/operator/relax.h>
