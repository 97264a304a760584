/* johnson_verify.c -- checks shortest paths from each source of a list: every row as an answer of bellman-ford from
 * that source, and a cycle as one that is found from all of them together (apps/bellman_ford_verify.c).
 */
#include <ordo/paths.h>

ordo_status ordo_johnson_verify(const ordo_graph *g, const ordo_path_query *query, const ordo_path_answer *answer,
                                const ordo_cycle *cycle, ordo_verify_how how)
{
    if (!g || !query || !answer || !cycle || !answer->value)
        return ordo_fail(ORDO_ERR_USAGE, "no %s given",
                         !g       ? "graph"
                         : !query ? "query"
                         : !cycle ? "cycle"
                                  : "distances");
    if (cycle->length)
        return ordo_bellman_ford_verify(g, query, answer, cycle, how);
    const ordo_u64 n = ordo_graph_out(g)->n;
    ordo_status status = ORDO_OK;
    for (ordo_u64 i = 0; !status && i < query->source_count; i++) {
        const ordo_path_query from = {.sources = &query->sources[i], .source_count = 1};
        const ordo_path_answer row = {.value = (char *)answer->value + i * n * ordo_type_bytes(ordo_sssp_type(g)),
                                      .pred = answer->pred ? answer->pred + i * n : NULL};
        status = ordo_bellman_ford_verify(g, &from, &row, cycle, how);
    }
    return status;
}
