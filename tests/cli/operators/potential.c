/* potential.c -- a potential on a symmetric graph that few vertices feed: most of it changes near them alone.
 *
 *   GATHER(v):  x(v) = (b(v) + sum of x(u) over edges (u, v)) / (1.5 (deg(v) + 1)), b(v) = 1 for every `apart`-th
 * vertex
 *
 * A contraction by 2/3 in the greatest norm, since a vertex has as many edges in as out.
 */
#include <ordo/graph.h>
#include <ordo/operator/operator.h>

typedef struct potential_state {
    double *scale; /* [n] 1 / (1.5 (deg + 1)) */
    double tolerance;
    ordo_u64 rounds, apart;
} potential_state;

ORDO_FN double potential_apply(const potential_state *s, ordo_item v, double old, double sum, const double *total)
{
    (void)old;
    (void)total;
    return ((v % s->apart == 0 ? 1 : 0) + sum) * s->scale[v];
}

ORDO_FN double potential_change(const potential_state *s, ordo_item v, double old, double now)
{
    (void)s;
    (void)v;
    return __builtin_fabs(now - old);
}

ORDO_FN double potential_influence(const potential_state *s, double before, double now, ordo_edge_none e)
{
    return __builtin_fabs(now - before) * s->scale[e.head];
}

ORDO_FN double potential_tolerance(const potential_state *s)
{
    return s->tolerance;
}

ORDO_FN ordo_u64 potential_rounds(const potential_state *s)
{
    return s->rounds;
}

/* For the command alone: fills the array. */
static void potential_fill(potential_state *s, const ordo_csr *graph, ordo_vid source)
{
    (void)source;
    for (ordo_vid v = 0; v < graph->n; v++)
        s->scale[v] = 1 / (1.5 * (double)(graph->row[v + 1] - graph->row[v] + 1));
}

#define ORDO_GATHER potential
#define ORDO_GATHER_SUMMARY "a potential with few sources"
#define ORDO_GATHER_STATE potential_state
#define ORDO_GATHER_ARRAYS(X) X(scale, ITEM, 1)
#define ORDO_GATHER_FILL potential_fill
#define ORDO_GATHER_SETTINGS(X)                                                                                        \
    X(tolerance, f64, 1e-9, "the change of the last round")                                                            \
    X(rounds, u64, 1000, "the most")                                                                                   \
    X(apart, u64, 1000000, "vertices from one source to the next")
#define ORDO_GATHER_CELL f64
#define ORDO_GATHER_WEIGHT none
#define ORDO_GATHER_PROPERTIES ORDO_IN_PLACE
#define ORDO_GATHER_COMBINE ORDO_SUM
#define ORDO_GATHER_VALUE f64
#define ORDO_GATHER_APPLY potential_apply
#define ORDO_GATHER_CHANGE potential_change
#define ORDO_GATHER_NORM ORDO_MAX
#define ORDO_GATHER_INFLUENCE potential_influence
#define ORDO_GATHER_TOLERANCE potential_tolerance
#define ORDO_GATHER_ROUNDS potential_rounds
#include <ordo/operator/gather.h>
