/* tc.h -- counts triangles, each at its middle vertex.
 *
 *   t(v) = sum over edges (u, v), u < v, of |{w > v : w is a neighbour of u and of v}|
 *                                                  [the forward algorithm: Schank and Wagner 2005; Latapy 2008]
 *
 * Cells sum. The candidate of an edge (u, v) is the number of triangles u < v < w, by merging two rows. A cell is
 * TC_OPEN at the start: the item has not been processed. Processing takes that away, and what was added before
 * it; later additions stay in the cell and activate nothing. So t(v) is count[v] plus the cell, after the run. Expects
 * a symmetric graph without loops and parallel edges, or one that stores each edge once, in the row of its lower end;
 * heads of a row ascend. The bound O(m^1.5) holds where ids ascend with degrees; the app (apps/tc.c) makes such a
 * graph.
 *
 * Not done: the other two corners of a triangle. A candidate goes to one cell.
 */
#include <ordo/operator/operator.h>

#define TC_OPEN ((ordo_u64)1 << 63)

typedef struct tc_state {
    const ordo_eid *row;  /* [n + 1] the graph's */
    const ordo_vid *head; /* [m * stride] the graph's */
    ordo_u64 *count;      /* [n] 0 at the start */
    ordo_u32 stride;      /* 1 or 2 */
} tc_state;

ORDO_FN ordo_u32 tc_level(const tc_state *s, ordo_u64 cell)
{
    (void)s;
    return cell >= TC_OPEN;
}

ORDO_FN ordo_u64 tc_take(const tc_state *s, ordo_item u, ordo_u64 cell)
{
    ordo_add_u64(&s->count[u], cell - TC_OPEN);
    return 0;
}

/* Heads above v, in the rows of u (behind this edge) and of v. */
ORDO_FN ordo_u64 tc_candidate(const tc_state *s, ordo_u64 unused, ordo_edge_none e)
{
    ordo_eid i = e.id + 1, i_end = s->row[e.tail + 1], k = s->row[e.head], k_end = s->row[e.head + 1];
    ordo_u64 found = 0;
    (void)unused;
    if (e.head <= e.tail)
        return 0;
    while (i < i_end && k < k_end) {
        ordo_vid a = s->head[i * s->stride], b = s->head[k * s->stride];
        found += a == b;
        i += a <= b;
        k += b <= a;
    }
    return found;
}

#define ORDO_RELAX tc
#define ORDO_RELAX_SUMMARY "triangles, counted at their middle vertex"
#define ORDO_RELAX_STATE tc_state
#define ORDO_RELAX_ARRAYS(X) X(row, ROW, 1) X(head, EDGE, s->stride) X(count, ITEM, 1, WRITE)
#define ORDO_RELAX_CELL u64
#define ORDO_RELAX_WEIGHT none
#define ORDO_RELAX_ORDER ORDO_SUM
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE)
#define ORDO_RELAX_CANDIDATE tc_candidate
#define ORDO_RELAX_LEVEL tc_level
#define ORDO_RELAX_TAKE tc_take
#include <ordo/operator/relax.h>
