/* undirected.h -- for apps on undirected graphs where loops and parallel edges do no harm: the graph itself where it is
 * symmetric, else a copy without weights that has the reverse of every edge.
 */
#ifndef ORDO_UNDIRECTED_H
#define ORDO_UNDIRECTED_H

#include "apps/common.h"

/* *graph is the one to use, *copy what is to be freed. */
static inline ordo_status ordo_undirected_make(const ordo_graph *g, int threads, const ordo_graph **graph,
                                               ordo_graph **copy)
{
    *graph = g;
    *copy = NULL;
    if (ordo_graph_symmetric(g))
        return ORDO_OK;
    const ordo_status status = ordo_copy_rows(g, ORDO_SYMMETRISE, threads, copy);
    *graph = *copy;
    return status;
}

/* Bytes that the copy adds to what a run on it needs. */
static inline void ordo_undirected_memory(const ordo_graph *g, ordo_u64 *expected, ordo_u64 *at_most)
{
    if (ordo_graph_symmetric(g))
        return;
    ordo_u64 lists;
    const ordo_u64 copy = ordo_copy_memory(g, ORDO_SYMMETRISE, &lists);
    *expected = copy + (*expected > lists ? *expected : lists);
    *at_most = copy + (2 * *at_most > lists ? 2 * *at_most : lists);
}

#endif
