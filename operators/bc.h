/* bc.h -- sums over the shortest paths of one source: along their edges, or against them.
 *
 *   counts         sigma(v) = sum of sigma(u)                over edges (u, v) with level(v) = level(u) + 1
 *   dependencies   x(v) = 1 / sigma(v) + sum of x(w)         over edges (v, w) with level(w) = level(v) + 1
 *                                                      [Brandes 2001, with x(v) = (1 + dependency(v)) / sigma(v)]
 *
 * One operator, two runs: the second one on the reversed edges. Cells sum what has not been passed on: 1 at the source,
 * or 1 / sigma everywhere, in fixed point. Processing a vertex takes its cell, adds it to the vertex's sum, and adds it
 * to the cells of the next level. Sums are linear, so a vertex may be processed before all has arrived: the rest is
 * passed on later. Any order gives the same sums, and the order by levels processes each vertex once.
 *
 * Not done: levels, fixed point, and adding up over sources (apps/bc.c).
 */
#include <ordo/operator/operator.h>

typedef struct bc_state {
    const ordo_u32 *level; /* [n] edges from the source; the type's largest value where there is no path */
    ordo_u64 *sum;         /* [n] 0 at the start */
    ordo_u32 backward;     /* 1: dependencies, over reversed edges; 0: counts */
    ordo_u32 deepest;      /* the largest level */
} bc_state;

ORDO_FN ordo_u32 bc_level(const bc_state *s, ordo_u64 cell)
{
    (void)s;
    return cell > 0;
}

ORDO_FN ordo_u64 bc_take(const bc_state *s, ordo_item v, ordo_u64 cell)
{
    ordo_add_u64(&s->sum[v], cell);
    return cell;
}

/* Levels rise by at most one along an edge, so those of the two ends differ by exactly one where they rise. */
ORDO_FN ordo_u64 bc_candidate(const bc_state *s, ordo_u64 taken, ordo_edge_none e)
{
    ordo_vid u = s->backward ? e.head : e.tail, v = s->backward ? e.tail : e.head; /* the edge (u, v) */
    return s->level[u] < s->level[v] ? taken : 0;
}

ORDO_FN double bc_priority(const bc_state *s, ordo_item v, ordo_u64 cell)
{
    (void)cell;
    return s->backward ? (double)s->deepest - s->level[v] : (double)s->level[v];
}

#define ORDO_RELAX bc
#define ORDO_RELAX_SUMMARY "betweenness: sums over shortest paths"
#define ORDO_RELAX_STATE bc_state
#define ORDO_RELAX_ARRAYS(X) X(level, ITEM, 1) X(sum, ITEM, 1, WRITE)
#define ORDO_RELAX_CELL u64
#define ORDO_RELAX_WEIGHT none
#define ORDO_RELAX_ORDER ORDO_SUM
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE)
#define ORDO_RELAX_CANDIDATE bc_candidate
#define ORDO_RELAX_LEVEL bc_level
#define ORDO_RELAX_TAKE bc_take
#define ORDO_RELAX_PRIORITY bc_priority
#include <ordo/operator/relax.h>
