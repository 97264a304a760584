/* Widest paths with cells of u64 that says no order of work. */
#include <ordo/operator/operator.h>

ORDO_FN ordo_u64 widest_u64_candidate(const ordo_no_state *s, ordo_u64 width, ordo_edge_u32 e)
{
    (void)s;
    return width < (ordo_u64)e.weight ? width : (ordo_u64)e.weight;
}

#define ORDO_OP unordered_u64
#define ORDO_RELAX unordered_u64
#define ORDO_RELAX_SUMMARY "widest paths"
#define ORDO_RELAX_CELL u64
#define ORDO_RELAX_WEIGHT u32
#define ORDO_RELAX_ORDER ORDO_MAX
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE)
#define ORDO_RELAX_CANDIDATE widest_u64_candidate
#include <ordo/operator/relax.h>

#include "tests/common/instances.h"
