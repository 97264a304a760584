/* gathers.h -- gather operators that combine by the least, by the greatest, and with totals: what no operator of the
 * library does.
 *
 *   nearest   x(v) = min(x(v), min of x(u) + w over edges (u, v)), u32: shortest paths. In place, by residual
 *   highest   x(v) = max(x(v), max of min(x(u), w) over edges (u, v)), cells f32, shares f64: widest paths. In place
 *   mixed     x(v) = (3 sum of x(u) + v + T0 + T1) mod 1009, u64, with T0 the sum and T1 the sum of squares of all x of
 *             the round before: whole numbers, so that sums are exact in any order
 *
 * A template by name: one of GATHERS_nearest, GATHERS_highest and GATHERS_mixed is defined.
 */
#include <ordo/operator/operator.h>

typedef struct gathers_state {
    ordo_u64 rounds; /* the most, at least 1 */
} gathers_state;

ORDO_FN ordo_u64 gathers_rounds(const gathers_state *s)
{
    return s->rounds;
}

#if defined(GATHERS_nearest)

ORDO_FN ordo_u32 nearest_edge(const gathers_state *s, ordo_u32 share, ordo_edge_u32 e)
{
    (void)s;
    return ordo_add_sat_u32(share, e.weight);
}
ORDO_FN ordo_u32 nearest_apply(const gathers_state *s, ordo_item v, ordo_u32 old, ordo_u32 least, const double *total)
{
    (void)s;
    (void)v;
    (void)total;
    return least < old ? least : old;
}
ORDO_FN double nearest_influence(const gathers_state *s, ordo_u32 before, ordo_u32 now, ordo_edge_u32 e)
{
    (void)s;
    (void)e;
    return before != now;
}
#define ORDO_GATHER nearest
#define ORDO_GATHER_SUMMARY "shortest paths, by the least of the in-edges"
#define ORDO_GATHER_CELL u32
#define ORDO_GATHER_WEIGHT u32
#define ORDO_GATHER_PROPERTIES ORDO_IN_PLACE
#define ORDO_GATHER_COMBINE ORDO_MIN
#define ORDO_GATHER_VALUE u32
#define ORDO_GATHER_EDGE nearest_edge
#define ORDO_GATHER_APPLY nearest_apply
#define ORDO_GATHER_INFLUENCE nearest_influence

#elif defined(GATHERS_highest)

ORDO_FN double highest_share(const gathers_state *s, ordo_item u, ordo_f32 x)
{
    (void)s;
    (void)u;
    return (double)x;
}
ORDO_FN double highest_edge(const gathers_state *s, double share, ordo_edge_f32 e)
{
    (void)s;
    return share < (double)e.weight ? share : (double)e.weight;
}
ORDO_FN ordo_f32 highest_apply(const gathers_state *s, ordo_item v, ordo_f32 old, double greatest, const double *total)
{
    (void)s;
    (void)v;
    (void)total;
    return greatest > (double)old ? (ordo_f32)greatest : old;
}
ORDO_FN double highest_influence(const gathers_state *s, double before, double now, ordo_edge_f32 e)
{
    (void)s;
    (void)e;
    return now > before;
}
#define ORDO_GATHER highest
#define ORDO_GATHER_SUMMARY "widest paths, by the greatest of the in-edges"
#define ORDO_GATHER_CELL f32
#define ORDO_GATHER_WEIGHT f32
#define ORDO_GATHER_PROPERTIES ORDO_IN_PLACE
#define ORDO_GATHER_COMBINE ORDO_MAX
#define ORDO_GATHER_VALUE f64
#define ORDO_GATHER_SHARE highest_share
#define ORDO_GATHER_SHARE_TYPE f64
#define ORDO_GATHER_EDGE highest_edge
#define ORDO_GATHER_APPLY highest_apply
#define ORDO_GATHER_INFLUENCE highest_influence

#else

ORDO_FN ordo_u64 mixed_apply(const gathers_state *s, ordo_item v, ordo_u64 old, ordo_u64 sum, const double *total)
{
    (void)s;
    (void)old;
    return (3 * sum + v + (ordo_u64)total[0] + (ordo_u64)total[1]) % 1009;
}
ORDO_FN void mixed_total(const gathers_state *s, ordo_item v, ordo_u64 x, double *total)
{
    (void)s;
    (void)v;
    total[0] += (double)x;
    total[1] += (double)(x * x);
}
#define ORDO_GATHER mixed
#define ORDO_GATHER_SUMMARY "numbers that depend on two totals"
#define ORDO_GATHER_CELL u64
#define ORDO_GATHER_WEIGHT none
#define ORDO_GATHER_PROPERTIES 0
#define ORDO_GATHER_COMBINE ORDO_SUM
#define ORDO_GATHER_VALUE u64
#define ORDO_GATHER_APPLY mixed_apply
#define ORDO_GATHER_TOTALS 2
#define ORDO_GATHER_TOTAL mixed_total

#endif

#define ORDO_GATHER_STATE gathers_state
#define ORDO_GATHER_ARRAYS(X)
#define ORDO_GATHER_ROUNDS gathers_rounds
#include <ordo/operator/gather.h>
