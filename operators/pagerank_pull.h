/* pagerank_pull.h -- PageRank by power iteration: a vertex adds up what its in-neighbours pass on.
 *
 *   GATHER(v):  x(v) = base + sum of d x(u) / deg(u) over edges (u, v)         [Page, Brin, Motwani and Winograd 1999]
 *
 * A cell is what a vertex passes on to each out-edge, c(v) = x(v) scale(v), with scale(v) = d / deg(v). A vertex
 * without out-edges passes nothing on, so that its cell may be its rank: its scale is 1. So the inner loop is one load
 * and one addition, and a vertex takes 8 bytes besides its row. The app (apps/pagerank_pull.c) makes ranks of cells.
 *
 * The step is a contraction by d, in L1, of the ranks, whatever mixture of old and new cells it reads; so it may run in
 * place. The change is that of the rank.
 *
 * A run in place may go `relaxation` w times as far as the step says (successive over-relaxation [Young 1954]); 1
 * elsewhere. With w > 1 not every mixture converges, so the caller sees to it (apps/pagerank_pull.c).
 *
 * A template over the type of cells, ORDO_WEIGHT: f32 or f64. Sums are f64 for both: what f32 rounds is the scale and
 * the cell, each by at most 2^-24 of it, however many edges a vertex has.
 *
 * Not done: ranks of dangling vertices and the error bound, which the app computes after the run.
 */
#include <ordo/operator/operator.h>

#ifndef ORDO_WEIGHT
#error "pagerank_pull.h is a template: define ORDO_WEIGHT as f32 or f64"
#endif

typedef struct ORDO_INSTANCE(pagerank_pull_state) {
    const ORDO_TYPE_OF(ORDO_WEIGHT) * scale; /* [n] positive */
    double base;                             /* (1 - d) / n */
    double relaxation;                       /* w, from 1 to less than 2; 1 on a GPU, which does not read it */
    double tolerance;                        /* the change of the last round, in L1 */
    ordo_u64 rounds;                         /* the most */
} ORDO_INSTANCE(pagerank_pull_state);

ORDO_FN ORDO_TYPE_OF(ORDO_WEIGHT)
    ORDO_INSTANCE(pagerank_pull_apply)(const ORDO_INSTANCE(pagerank_pull_state) * s, ordo_item v,
                                       ORDO_TYPE_OF(ORDO_WEIGHT) old, double sum, const double *total)
{
    (void)total;
#ifdef __CUDA_ARCH__ /* thousands of vertices at once are no sequence */
    (void)old;
    return (ORDO_TYPE_OF(ORDO_WEIGHT))((s->base + sum) * (double)s->scale[v]);
#else
    const double w = s->relaxation;
    return (ORDO_TYPE_OF(ORDO_WEIGHT))((s->base + sum) * ((double)s->scale[v] * w) + (1 - w) * (double)old);
#endif
}

ORDO_FN double ORDO_INSTANCE(pagerank_pull_change)(const ORDO_INSTANCE(pagerank_pull_state) * s, ordo_item v,
                                                   ORDO_TYPE_OF(ORDO_WEIGHT) old, ORDO_TYPE_OF(ORDO_WEIGHT) now)
{
    return __builtin_fabs((double)((now - old) / s->scale[v]));
}

/* Both the change of a rank and what edges pass on are free of the scale of the head. */
ORDO_FN double ORDO_INSTANCE(pagerank_pull_influence)(const ORDO_INSTANCE(pagerank_pull_state) * s,
                                                      ORDO_TYPE_OF(ORDO_WEIGHT) before, ORDO_TYPE_OF(ORDO_WEIGHT) now,
                                                      ordo_edge_none e)
{
    (void)s;
    (void)e;
    return __builtin_fabs((double)now - (double)before);
}

ORDO_FN double ORDO_INSTANCE(pagerank_pull_tolerance)(const ORDO_INSTANCE(pagerank_pull_state) * s)
{
    return s->tolerance;
}

ORDO_FN ordo_u64 ORDO_INSTANCE(pagerank_pull_rounds)(const ORDO_INSTANCE(pagerank_pull_state) * s)
{
    return s->rounds;
}

#define ORDO_GATHER ORDO_INSTANCE(pagerank_pull)
#define ORDO_GATHER_SUMMARY "PageRank by power iteration"
#define ORDO_GATHER_STATE ORDO_INSTANCE(pagerank_pull_state)
#define ORDO_GATHER_ARRAYS(X) X(scale, ITEM, 1)
#define ORDO_GATHER_CELL ORDO_WEIGHT
#define ORDO_GATHER_WEIGHT none
#define ORDO_GATHER_PROPERTIES ORDO_IN_PLACE
#define ORDO_GATHER_COMBINE ORDO_SUM
#define ORDO_GATHER_VALUE f64
#define ORDO_GATHER_APPLY ORDO_INSTANCE(pagerank_pull_apply)
#define ORDO_GATHER_CHANGE ORDO_INSTANCE(pagerank_pull_change)
#define ORDO_GATHER_INFLUENCE ORDO_INSTANCE(pagerank_pull_influence)
#define ORDO_GATHER_TOLERANCE ORDO_INSTANCE(pagerank_pull_tolerance)
#define ORDO_GATHER_ROUNDS ORDO_INSTANCE(pagerank_pull_rounds)
#include <ordo/operator/gather.h>
