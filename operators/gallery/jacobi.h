/* jacobi.h -- a system of linear equations by iteration: every unknown from the others as they were, or as they are.
 *
 *   GATHER(v):  x(v) = (b(v) - scale sum of w(u, v) x(u) over edges (u, v)) / d(v)
 *                              [Jacobi 1845; in place: Gauss and Seidel; any mixture: Chazan and Miranker 1969]
 *
 * The matrix has d on its diagonal, and scale w(u, v) in row v and column u. Cells are x. Where every row is dominated
 * by its diagonal, scale sum of |w| <= q d with q < 1, the error in the greatest norm is at most q / (1 - q) times the
 * change of the last round, double-buffered or in place. With a graph's weights, scale -1 and d the sum of the weights
 * into v plus something, this is a Laplacian.
 *
 * Not done: matrices that are not dominated, where it may not converge: `rounds` ends it then.
 */
#include <ordo/operator/operator.h>

typedef struct jacobi_state {
    const double *right;    /* [n] b */
    const double *diagonal; /* [n] d, not 0 */
    double scale;
    double tolerance; /* a round in which no x changes by more is the last */
    ordo_u64 rounds;  /* the most, at least 1 */
} jacobi_state;

ORDO_FN double jacobi_share(const jacobi_state *s, ordo_item u, double x)
{
    (void)u;
    return s->scale * x;
}

ORDO_FN double jacobi_edge(const jacobi_state *s, double share, ordo_edge_f32 e)
{
    (void)s;
    return share * (double)e.weight;
}

ORDO_FN double jacobi_apply(const jacobi_state *s, ordo_item v, double old, double sum, const double *total)
{
    (void)old;
    (void)total;
    return (s->right[v] - sum) / s->diagonal[v];
}

ORDO_FN double jacobi_change(const jacobi_state *s, ordo_item v, double old, double now)
{
    (void)s;
    (void)v;
    return __builtin_fabs(now - old);
}

ORDO_FN double jacobi_influence(const jacobi_state *s, double before, double now, ordo_edge_f32 e)
{
    return __builtin_fabs((now - before) * (double)e.weight / s->diagonal[e.head]);
}

ORDO_FN double jacobi_tolerance(const jacobi_state *s)
{
    return s->tolerance;
}

ORDO_FN ordo_u64 jacobi_rounds(const jacobi_state *s)
{
    return s->rounds;
}

#define ORDO_GATHER jacobi
#define ORDO_GATHER_SUMMARY "linear equations by Jacobi or Gauss-Seidel iteration"
#define ORDO_GATHER_STATE jacobi_state
#define ORDO_GATHER_ARRAYS(X) X(right, ITEM, 1) X(diagonal, ITEM, 1)
#define ORDO_GATHER_CELL f64
#define ORDO_GATHER_WEIGHT f32
#define ORDO_GATHER_PROPERTIES ORDO_IN_PLACE
#define ORDO_GATHER_COMBINE ORDO_SUM
#define ORDO_GATHER_VALUE f64
#define ORDO_GATHER_SHARE jacobi_share
#define ORDO_GATHER_SHARE_TYPE f64
#define ORDO_GATHER_EDGE jacobi_edge
#define ORDO_GATHER_APPLY jacobi_apply
#define ORDO_GATHER_CHANGE jacobi_change
#define ORDO_GATHER_INFLUENCE jacobi_influence
#define ORDO_GATHER_NORM ORDO_MAX
#define ORDO_GATHER_TOLERANCE jacobi_tolerance
#define ORDO_GATHER_ROUNDS jacobi_rounds
#include <ordo/operator/gather.h>
