/* hop_limited.c -- shortest paths of at most k edges: k runs of hop_limited.h, a run for each edge.
 *
 * A distance alone does not say how many edges it took, and a cell has one value. So the number of edges is the number
 * of the run. Only vertices that the last run improved are processed in the next one.
 */
#include <ordo/memory.h>

#include "drivers.h"
#include "hop_limited.h"

extern const ordo_operator hop_limited_operator;

/* Copies improved distances to before[n]; lists their vertices. */
static ordo_u64 keep_improved(ordo_u64 n, const ordo_u32 *dist, ordo_u32 *before, ordo_item *improved)
{
    ordo_u64 count = 0;
    for (ordo_u64 v = 0; v < n; v++)
        if (dist[v] != before[v]) {
            before[v] = dist[v];
            improved[count++] = (ordo_item)v;
        }
    return count;
}

ordo_status hop_limited_run(const ordo_graph *graph, ordo_vid source, ordo_u32 hops, const ordo_options *options,
                            ordo_u32 *dist, ordo_stats *total)
{
    const ordo_u64 n = ordo_graph_out(graph)->n;
    if (source >= n)
        return ordo_fail(ORDO_ERR_USAGE, "source %u: expected a vertex below %llu", source, (unsigned long long)n);
    ordo_u32 *before = ordo_alloc(n, sizeof *before);
    ordo_item *initial = ordo_alloc(n, sizeof *initial);
    ordo_status status = before && initial ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status) {
        for (ordo_u64 v = 0; v < n; v++)
            before[v] = dist[v] = ordo_highest_u32();
        dist[source] = 0;
        const hop_limited_state state = {before};
        ordo_work work = {.op = &hop_limited_operator,
                          .graph = graph,
                          .cells = dist,
                          .state = &state,
                          .num_items = n,
                          .targets = n,
                          .initial = initial};
        while (hops-- && !status && (work.initial_count = keep_improved(n, dist, before, initial)))
            status = run_and_add(&work, options, total);
    }
    ordo_free(before);
    ordo_free(initial);
    return status;
}
