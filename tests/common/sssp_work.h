/* sssp_work.h -- shortest paths as a run of an operator, for tests of runs. */
#ifndef TESTS_SSSP_WORK_H
#define TESTS_SSSP_WORK_H

#include <ordo/graph.h>
#include <ordo/run.h>

/* A run of `op`, whose state is a limit and whose cells are u32, from *source; sets all cells to what they begin with.
 */
static inline ordo_work sssp_work(const char *op, const ordo_graph *graph, ordo_u32 *cells, const ordo_item *source)
{
    static const ordo_u32 no_limit = 0xfffffffe;
    const ordo_vid n = ordo_graph_out(graph)->n;
    for (ordo_u64 v = 0; v < n; v++)
        cells[v] = 0xffffffffu;
    cells[*source] = 0;
    return (ordo_work){.op = ordo_operator_find(op),
                       .graph = graph,
                       .cells = cells,
                       .state = &no_limit,
                       .num_items = n,
                       .targets = n,
                       .initial = source,
                       .initial_count = 1};
}

#endif
