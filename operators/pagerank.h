/* pagerank.h -- PageRank by pushing residuals (PageRank-delta).
 *
 *   PUSH(u) where r(u) >= least:  t = r(u);  r(u) = 0;  x(u) = x(u) + t;
 *                                 r(v) = r(v) + d t / deg(u)  for every edge (u, v)
 *                                 [McSherry 2005; by priority: Zhang et al. 2011; Whang et al. 2015]
 *
 * Cells are the residuals r. At any time the exact answer is x plus the effect of all residuals, so x only grows
 * towards it. Shares are in fixed point, in units of 2^-62, and rounded down. So sums are the same in any order, only
 * rounding loses anything, and the app (apps/pagerank.c) knows exactly how much. A vertex without out-edges keeps what
 * it takes and passes nothing on; the app corrects for it.
 *
 * The priority is the residual for each out-edge, the largest first, in powers of two: the gain of a push for its cost.
 * By the residual alone, vertices of many edges would be pushed repeatedly for little gain. The level of an item
 * increases by one when its residual grows by a factor of 4, so that an item that grows while it waits gets an entry of
 * better priority.
 *
 * Not done: ranks of dangling vertices and the error bound, which the app computes after the run.
 */
#include <ordo/operator/operator.h>

enum { PAGERANK_LEVEL = 2 }; /* doublings of the residual */

typedef struct pagerank_state {
    const ordo_eid *row; /* [n + 1] the graph's: edges out */
    ordo_u64 *rank;      /* [n] x, 0 at the start */
    ordo_u64 least;      /* residuals below it are not pushed; at least 1 */
    ordo_u64 damping;    /* d, 2^-64 to the unit */
} pagerank_state;

ORDO_FN ordo_u32 pagerank_level(const pagerank_state *s, ordo_u64 residual)
{
    if (residual < s->least)
        return 0;
    return 1 + (ordo_leading_zeros_u64(s->least) - ordo_leading_zeros_u64(residual)) / PAGERANK_LEVEL;
}

/* d t rounded down, computed in halves of 32 bits. */
ORDO_FN ordo_u64 pagerank_damped(ordo_u64 d, ordo_u64 t)
{
    ordo_u64 d0 = d & 0xffffffffu, d1 = d >> 32, t0 = t & 0xffffffffu, t1 = t >> 32;
    ordo_u64 middle = d1 * t0 + (d0 * t0 >> 32);
    return d1 * t1 + (middle >> 32) + ((d0 * t1 + (middle & 0xffffffffu)) >> 32);
}

ORDO_FN ordo_u64 pagerank_take(const pagerank_state *s, ordo_item u, ordo_u64 t)
{
    ordo_u64 degree = s->row[u + 1] - s->row[u];
    ordo_add_u64(&s->rank[u], t);
    return degree ? pagerank_damped(s->damping, t) / degree : 0;
}

ORDO_FN ordo_u64 pagerank_candidate(const pagerank_state *s, ordo_u64 share, ordo_edge_none e)
{
    (void)s;
    (void)e;
    return share;
}

ORDO_FN double pagerank_priority(const pagerank_state *s, ordo_item u, ordo_u64 residual)
{
    ordo_u64 degree = s->row[u + 1] - s->row[u];
    return residual ? 64.0 + ordo_leading_zeros_u64(residual) - ordo_leading_zeros_u64(degree + 1) : 128;
}

#define ORDO_RELAX pagerank
#define ORDO_RELAX_SUMMARY "PageRank by pushing residuals (PageRank-delta)"
#define ORDO_RELAX_STATE pagerank_state
#define ORDO_RELAX_ARRAYS(X) X(row, ROW, 1) X(rank, ITEM, 1, WRITE)
#define ORDO_RELAX_CELL u64
#define ORDO_RELAX_WEIGHT none
#define ORDO_RELAX_ORDER ORDO_SUM
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE pagerank_candidate
#define ORDO_RELAX_LEVEL pagerank_level
#define ORDO_RELAX_TAKE pagerank_take
#define ORDO_RELAX_PRIORITY pagerank_priority
#include <ordo/operator/relax.h>
