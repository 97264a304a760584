/* longest.c -- paths whose longest edge is as short as possible, for vehicles that cannot go far without a stop.
 *
 *   l(v) = min(l(v), max(l(u), weight(u, v)))
 */
#include <ordo/operator/operator.h>

ORDO_FN ordo_u32 longest_candidate(const ordo_no_state *s, ordo_u32 longest, ordo_edge_u32 e)
{
    (void)s;
    return e.weight > longest ? e.weight : longest;
}

#define ORDO_RELAX longest
#define ORDO_RELAX_SUMMARY "paths whose longest edge is as short as possible"
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT u32
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE longest_candidate
#include <ordo/operator/relax.h>
