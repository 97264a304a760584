/* far.h -- operators with cells of 64 bits, whose values do not fit 32. A template over CELL, the type of the cells.
 *
 *   i64, f64  shortest paths over weights w(u, v) + h(v) - h(u), which may be negative; no cycle is, for along a cycle
 * the potentials h cancel out u64       widest paths, an edge's width being a large number
 */
#ifndef FAR_H
#define FAR_H
#include <ordo/operator/operator.h>

typedef struct far_i64_state {
    const ordo_i64 *potential; /* [n] */
} far_i64_state;
typedef struct far_f64_state {
    const ordo_f64 *potential;
} far_f64_state;
typedef struct far_u64_state {
    ordo_u64 unit; /* the width of an edge of weight 1 */
} far_u64_state;

ORDO_FN ordo_i64 far_i64_candidate(const far_i64_state *s, ordo_i64 cu, ordo_edge_i32 e)
{
    if (cu == ordo_highest_i64())
        return cu; /* a scheduler that pulls asks this, too */
    return cu + e.weight + s->potential[e.head] - s->potential[e.tail];
}
ORDO_FN ordo_f64 far_f64_candidate(const far_f64_state *s, ordo_f64 cu, ordo_edge_f32 e)
{
    return cu + (double)e.weight + s->potential[e.head] - s->potential[e.tail];
}
ORDO_FN ordo_u64 far_u64_candidate(const far_u64_state *s, ordo_u64 cu, ordo_edge_u32 e)
{
    const ordo_u64 width = s->unit * e.weight;
    return width < cu ? width : cu;
}

#define FAR_WEIGHT_i64 i32
#define FAR_WEIGHT_f64 f32
#define FAR_WEIGHT_u64 u32
#define FAR_ORDER_i64 ORDO_MIN
#define FAR_ORDER_f64 ORDO_MIN
#define FAR_ORDER_u64 ORDO_MAX
#endif

#ifdef CELL
#define ORDO_RELAX ORDO_JOIN(far_, CELL)
#define ORDO_RELAX_SUMMARY "cells of 64 bits"
#define ORDO_RELAX_STATE ORDO_JOIN3(far_, CELL, _state)
#define ORDO_RELAX_CELL CELL
#define ORDO_RELAX_WEIGHT ORDO_JOIN(FAR_WEIGHT_, CELL)
#define ORDO_RELAX_ORDER ORDO_JOIN(FAR_ORDER_, CELL)
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE ORDO_JOIN3(far_, CELL, _candidate)
#include <ordo/operator/relax.h>
#endif
