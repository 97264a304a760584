/* Widest paths with cells of i32 that says no order of work. */
#include <ordo/operator/operator.h>

ORDO_FN ordo_i32 widest_i32_candidate(const ordo_no_state *s, ordo_i32 width, ordo_edge_u32 e)
{
    (void)s;
    return width < (ordo_i32)e.weight ? width : (ordo_i32)e.weight;
}

#define ORDO_OP unordered_i32
#define ORDO_RELAX unordered_i32
#define ORDO_RELAX_SUMMARY "widest paths"
#define ORDO_RELAX_CELL i32
#define ORDO_RELAX_WEIGHT u32
#define ORDO_RELAX_ORDER ORDO_MAX
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE)
#define ORDO_RELAX_CANDIDATE widest_i32_candidate
#include <ordo/operator/relax.h>

#include "tests/common/instances.h"
