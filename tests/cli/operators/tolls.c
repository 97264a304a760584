/* tolls.c -- cheapest routes: every edge costs its length, at so much a unit, and a toll.
 *
 *   cost(v) = min(cost(v), cost(u) + rate * length(u, v) + toll)
 */
#include <stdio.h>

#include <ordo/operator/operator.h>

typedef struct tolls_state {
    ordo_u32 rate; /* of a unit of length */
    ordo_u32 toll; /* of an edge */
} tolls_state;

ORDO_FN ordo_u32 tolls_candidate(const tolls_state *s, ordo_u32 cost, ordo_edge_u32 e)
{
    const ordo_u64 sum = cost + (ordo_u64)s->rate * e.weight + s->toll;
    return sum < 0xffffffffu ? (ordo_u32)sum : 0xffffffffu;
}

/* For the command alone: how a cell is printed. */
static int tolls_print(const tolls_state *s, ordo_item v, ordo_u32 cost, char *out, size_t size)
{
    (void)s;
    (void)v;
    return cost == 0xffffffffu ? snprintf(out, size, "unreached")
                               : snprintf(out, size, "%u.%02u", cost / 100, cost % 100);
}

#define ORDO_RELAX tolls
#define ORDO_RELAX_SUMMARY "cheapest routes with tolls"
#define ORDO_RELAX_STATE tolls_state
#define ORDO_RELAX_ARRAYS(X)
#define ORDO_RELAX_SETTINGS(X)                                                                                         \
    X(rate, u32, 1, "cost of a unit of length")                                                                        \
    X(toll, u32, 0, "cost of an edge")
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT u32
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE tolls_candidate
#define ORDO_RELAX_PRINT tolls_print
#include <ordo/operator/relax.h>
