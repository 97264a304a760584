/* Shortest paths from a source whose cell is far below 0, so that all priorities are negative. */
#include <ordo/operator/operator.h>

ORDO_FN ordo_i32 signed_least_candidate(const ordo_no_state *s, ordo_i32 cell, ordo_edge_i32 e)
{
    (void)s;
    return cell == 0x7fffffff ? cell : cell + e.weight;
}

#define ORDO_OP signed_least
#define ORDO_RELAX signed_least
#define ORDO_RELAX_SUMMARY "shortest paths from a cell that is negative"
#define ORDO_RELAX_CELL i32
#define ORDO_RELAX_WEIGHT i32
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE)
#define ORDO_RELAX_CANDIDATE signed_least_candidate
#include <ordo/operator/relax.h>

#include "tests/common/instances.h"
