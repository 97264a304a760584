/* walks.c -- where a walk from the source goes that ends at every step with probability 1 - d: personalised PageRank,
 * by pushing residuals of reals [Berkhin 2006]. What is not pushed is below `least` at every vertex. */
#include <ordo/graph.h>
#include <ordo/operator/operator.h>

typedef struct walks_state {
    double *rank;
    const ordo_eid *row; /* the graph's */
    double damping, least;
} walks_state;

ORDO_FN double walks_source(const walks_state *s)
{
    return 1 - s->damping;
}

ORDO_FN ordo_u32 walks_level(const walks_state *s, double residual)
{
    return residual >= s->least;
}

ORDO_FN double walks_take(const walks_state *s, ordo_item u, double t)
{
    const ordo_u64 degree = s->row[u + 1] - s->row[u];
    ordo_add_f64(&s->rank[u], t);
    return degree ? s->damping * t / (double)degree : 0;
}

ORDO_FN double walks_candidate(const walks_state *s, double share, ordo_edge_none e)
{
    (void)s;
    (void)e;
    return share;
}

/* A residual r changes ranks by at most r / (1 - d) in all. */
static double walks_within(const walks_state *s, const ordo_csr *graph)
{
    return (double)graph->n * s->least / (1 - s->damping);
}

static void walks_fill(walks_state *s, const ordo_csr *graph, ordo_vid source)
{
    (void)source;
    s->row = graph->row;
}

#define ORDO_RELAX walks
#define ORDO_RELAX_SUMMARY "personalised PageRank by pushing residuals"
#define ORDO_RELAX_STATE walks_state
#define ORDO_RELAX_ARRAYS(X) X(rank, ITEM, 1, WRITE) X(row, ROW, 1)
#define ORDO_RELAX_SETTINGS(X)                                                                                         \
    X(damping, f64, 0.85, "probability that a walk goes on")                                                           \
    X(least, f64, 1e-7, "residuals below it are not pushed")
#define ORDO_RELAX_CELL f64
#define ORDO_RELAX_WEIGHT none
#define ORDO_RELAX_ORDER ORDO_SUM
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE walks_candidate
#define ORDO_RELAX_LEVEL walks_level
#define ORDO_RELAX_TAKE walks_take
#define ORDO_RELAX_SOURCE walks_source
#define ORDO_RELAX_FILL walks_fill
#define ORDO_RELAX_RESULT rank
#define ORDO_RELAX_WITHIN walks_within
#include <ordo/operator/relax.h>
