/* far.h -- operators with cells that no operator of the library has. A template over CELL, the type of the cells.
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
typedef struct far_two {
    ordo_u64 distance;
    ordo_u32 hops, parent;
} far_two;
typedef struct far_one {
    ordo_u32 distance, hops;
} far_one;
typedef struct far_half {
    unsigned short distance, hops;
} far_half;
#define FAR_BYTES_half 4
#define FAR_BYTES_one 8
#define FAR_BYTES_two 16
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

ORDO_FN far_two far_two_candidate(const ordo_no_state *s, far_two cu, ordo_edge_u32 e)
{
    const far_two c = {cu.distance + e.weight, cu.hops + 1, e.tail};
    (void)s;
    return cu.distance == ordo_highest_u64() ? cu : c;
}
ORDO_FN int far_two_better(far_two a, far_two b)
{
    if (a.distance != b.distance)
        return a.distance < b.distance;
    return a.hops != b.hops ? a.hops < b.hops : a.parent < b.parent;
}
ORDO_FN far_two far_two_worst(void)
{
    const far_two c = {ordo_highest_u64(), ordo_highest_u32(), ordo_highest_u32()};
    return c;
}
ORDO_FN double far_two_priority(const ordo_no_state *s, ordo_item item, far_two c)
{
    (void)s;
    (void)item;
    return (double)c.distance;
}
ORDO_FN far_one far_one_candidate(const ordo_no_state *s, far_one cu, ordo_edge_u32 e)
{
    const far_one c = {cu.distance + e.weight, cu.hops + 1};
    (void)s;
    return cu.distance == ordo_highest_u32() ? cu : c;
}
ORDO_FN int far_one_better(far_one a, far_one b)
{
    return a.distance != b.distance ? a.distance < b.distance : a.hops < b.hops;
}
ORDO_FN far_one far_one_worst(void)
{
    const far_one c = {ordo_highest_u32(), ordo_highest_u32()};
    return c;
}
ORDO_FN double far_one_priority(const ordo_no_state *s, ordo_item item, far_one c)
{
    (void)s;
    (void)item;
    return c.distance;
}

/* Both numbers stop short of the worst value, which is no distance; a distance that has stopped has no number of edges,
 * so that a better source never proposes a worse candidate. */
ORDO_FN far_half far_half_candidate(const ordo_no_state *s, far_half cu, ordo_edge_u32 e)
{
    const ordo_u32 distance = cu.distance + (e.weight < 0xffff ? e.weight : 0xffff), hops = cu.hops + 1u;
    far_half c;
    (void)s;
    c.distance = (unsigned short)(distance < 0xfffe ? distance : 0xfffe);
    c.hops = (unsigned short)(hops < 0xfffe && distance < 0xfffe ? hops : 0xfffe);
    return cu.distance == 0xffff ? cu : c;
}
ORDO_FN int far_half_better(far_half a, far_half b)
{
    return a.distance != b.distance ? a.distance < b.distance : a.hops < b.hops;
}
ORDO_FN far_half far_half_worst(void)
{
    const far_half c = {0xffff, 0xffff};
    return c;
}
ORDO_FN double far_half_priority(const ordo_no_state *s, ordo_item item, far_half c)
{
    (void)s;
    (void)item;
    return c.distance;
}

#define FAR_WEIGHT_i64 i32
#define FAR_WEIGHT_f64 f32
#define FAR_WEIGHT_u64 u32
#define FAR_ORDER_i64 ORDO_MIN
#define FAR_ORDER_f64 ORDO_MIN
#define FAR_ORDER_u64 ORDO_MAX
#endif

#ifdef STRUCT
#define ORDO_RELAX ORDO_JOIN(far_, STRUCT)
#define ORDO_RELAX_SUMMARY "cells of a struct"
#define ORDO_RELAX_CELL_STRUCT ORDO_JOIN(far_, STRUCT)
#define ORDO_RELAX_CELL_BYTES ORDO_JOIN(FAR_BYTES_, STRUCT)
#define ORDO_RELAX_WEIGHT u32
#define ORDO_RELAX_ORDER ORDO_BY_COMPARATOR
#define ORDO_RELAX_BETTER ORDO_JOIN3(far_, STRUCT, _better)
#define ORDO_RELAX_WORST ORDO_JOIN3(far_, STRUCT, _worst)
#define ORDO_RELAX_PRIORITY ORDO_JOIN3(far_, STRUCT, _priority)
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE ORDO_JOIN3(far_, STRUCT, _candidate)
#include <ordo/operator/relax.h>
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
