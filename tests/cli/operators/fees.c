/* fees.c -- cheapest routes where entering a place costs a fee, which is higher where many roads meet.
 *
 *   cost(v) = min(cost(v), cost(u) + length(u, v) + fee(v)),   fee(v) = each * degree(v)
 */
#include <ordo/graph.h>
#include <ordo/operator/operator.h>

typedef struct fees_state {
    ordo_u32 *fee; /* [n] */
    ordo_u32 each; /* for each edge that leaves the place */
} fees_state;

ORDO_FN ordo_u32 fees_candidate(const fees_state *s, ordo_u32 cost, ordo_edge_u32 e)
{
    return ordo_add_sat_u32(cost, ordo_add_sat_u32(e.weight, s->fee[e.head]));
}

/* For the command alone: fills the array. */
static void fees_fill(fees_state *s, const ordo_csr *graph, ordo_vid source)
{
    (void)source;
    for (ordo_vid v = 0; v < graph->n; v++)
        s->fee[v] = s->each * (ordo_u32)(graph->row[v + 1] - graph->row[v]);
}

#define ORDO_RELAX fees
#define ORDO_RELAX_SUMMARY "cheapest routes with fees at places"
#define ORDO_RELAX_STATE fees_state
#define ORDO_RELAX_ARRAYS(X) X(fee, ITEM, 1)
#define ORDO_RELAX_FILL fees_fill
#define ORDO_RELAX_SETTINGS(X) X(each, u32, 10, "fee for each road that leaves a place")
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT u32
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE fees_candidate
#include <ordo/operator/relax.h>
