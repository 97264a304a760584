/* peel.c -- removes the vertices that are not in the k-core, again and again [Seidman 1983]: cells that sum, with whole
 * numbers. A cell is the number of neighbours that are left. The answer is 1 where a vertex is removed. */
#include <ordo/graph.h>
#include <ordo/operator/operator.h>

typedef struct peel_state {
    ordo_u32 *gone;
    const ordo_eid *row; /* the graph's */
    ordo_i32 k;
} peel_state;

ORDO_FN ordo_i32 peel_begin(const peel_state *s, ordo_item v)
{
    return (ordo_i32)(s->row[v + 1] - s->row[v]);
}

ORDO_FN ordo_u32 peel_level(const peel_state *s, ordo_i32 left)
{
    return left >= 0 && left < s->k;
}

ORDO_FN ordo_i32 peel_take(const peel_state *s, ordo_item v, ordo_i32 left)
{
    (void)left;
    ordo_store_u32(&s->gone[v], 1);
    return 0;
}

ORDO_FN ordo_i32 peel_candidate(const peel_state *s, ordo_i32 unused, ordo_edge_none e)
{
    (void)s;
    (void)unused;
    (void)e;
    return -1;
}

ORDO_FN ordo_i32 peel_spent(void)
{
    return -1;
}

static void peel_fill(peel_state *s, const ordo_csr *graph, ordo_vid source)
{
    (void)source;
    s->row = graph->row;
}

#define ORDO_RELAX peel
#define ORDO_RELAX_SUMMARY "vertices that are not in the k-core"
#define ORDO_RELAX_STATE peel_state
#define ORDO_RELAX_ARRAYS(X) X(gone, ITEM, 1, WRITE) X(row, ROW, 1)
#define ORDO_RELAX_SETTINGS(X) X(k, i32, 3, "neighbours that a vertex of the core has")
#define ORDO_RELAX_CELL i32
#define ORDO_RELAX_WEIGHT none
#define ORDO_RELAX_ORDER ORDO_SUM
#define ORDO_RELAX_PROPERTIES                                                                                          \
    (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND | ORDO_BOTH_DIRECTIONS)
#define ORDO_RELAX_CANDIDATE peel_candidate
#define ORDO_RELAX_LEVEL peel_level
#define ORDO_RELAX_TAKE peel_take
#define ORDO_RELAX_SPENT peel_spent
#define ORDO_RELAX_BEGIN peel_begin
#define ORDO_RELAX_FILL peel_fill
#define ORDO_RELAX_RESULT gone
#include <ordo/operator/relax.h>
