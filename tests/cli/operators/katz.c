/* katz.c -- Katz centrality: walks that end at a vertex, each edge of them worth alpha [Katz 1953].
 *
 *   GATHER(v):  x(v) = 1 + alpha sum of x(u) over edges (u, v)
 *
 * A contraction in the greatest norm where alpha times the greatest in-degree is less than 1.
 */
#include <ordo/operator/operator.h>

typedef struct katz_state {
    double alpha, tolerance;
    ordo_u64 rounds;
} katz_state;

ORDO_FN double katz_share(const katz_state *s, ordo_item u, double x)
{
    (void)u;
    return s->alpha * x;
}

ORDO_FN double katz_apply(const katz_state *s, ordo_item v, double old, double sum, const double *total)
{
    (void)s;
    (void)v;
    (void)old;
    (void)total;
    return 1 + sum;
}

ORDO_FN double katz_change(const katz_state *s, ordo_item v, double old, double now)
{
    (void)s;
    (void)v;
    return __builtin_fabs(now - old);
}

ORDO_FN double katz_influence(const katz_state *s, double before, double now, ordo_edge_none e)
{
    (void)s;
    (void)e;
    return __builtin_fabs(now - before);
}

ORDO_FN double katz_tolerance(const katz_state *s)
{
    return s->tolerance;
}

ORDO_FN ordo_u64 katz_rounds(const katz_state *s)
{
    return s->rounds;
}

#define ORDO_GATHER katz
#define ORDO_GATHER_SUMMARY "Katz centrality"
#define ORDO_GATHER_STATE katz_state
#define ORDO_GATHER_ARRAYS(X)
#define ORDO_GATHER_SETTINGS(X)                                                                                        \
    X(alpha, f64, 0.001, "what an edge is worth")                                                                      \
    X(tolerance, f64, 1e-9, "the change of the last round")                                                            \
    X(rounds, u64, 1000, "the most")
#define ORDO_GATHER_CELL f64
#define ORDO_GATHER_WEIGHT none
#define ORDO_GATHER_PROPERTIES ORDO_IN_PLACE
#define ORDO_GATHER_COMBINE ORDO_SUM
#define ORDO_GATHER_VALUE f64
#define ORDO_GATHER_SHARE katz_share
#define ORDO_GATHER_SHARE_TYPE f64
#define ORDO_GATHER_APPLY katz_apply
#define ORDO_GATHER_CHANGE katz_change
#define ORDO_GATHER_NORM ORDO_MAX
#define ORDO_GATHER_INFLUENCE katz_influence
#define ORDO_GATHER_TOLERANCE katz_tolerance
#define ORDO_GATHER_ROUNDS katz_rounds
#include <ordo/operator/gather.h>
