/* slow_edges.h -- levels, where processing an edge takes microseconds: one superstep over a graph of a few million
 * edges takes seconds. No cell is ever final, so that pulling searches all edges. */
#include <ordo/operator/operator.h>

ORDO_FN ordo_u32 slow_edges_candidate(const ordo_no_state *s, ordo_u32 level, ordo_edge_none e)
{
    (void)s;
    (void)e;
    for (volatile int i = 0; i < 2000; i++)
        ;
    return level == 0xffffffffu ? level : level + 1;
}

ORDO_FN int slow_edges_is_final(const ordo_no_state *s, ordo_item v, ordo_u32 level)
{
    (void)s;
    (void)v;
    (void)level;
    return 0;
}

#define ORDO_RELAX slow_edges
#define ORDO_RELAX_SUMMARY "levels, microseconds an edge"
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT none
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES                                                                                          \
    (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_UNIFORM | ORDO_EDGE_BLIND | ORDO_BY_WEIGHT)
#define ORDO_RELAX_CANDIDATE slow_edges_candidate
#define ORDO_RELAX_FINAL slow_edges_is_final
#include <ordo/operator/relax.h>
