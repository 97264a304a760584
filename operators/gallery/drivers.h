/* drivers.h -- problems of the gallery that take several runs of an operator: what their drivers are called with.
 *
 * Graphs are not changed. `options` are those of every run, as of ordo_run(); NULL: defaults. `total` may be NULL;
 * items, edges, supersteps and run_seconds of the runs are added to its members, and the others are left as they are. A
 * driver returns the status of the first run that fails, with its sentence in ordo_last_error(), or an error of its
 * own; what it has written to its outputs is then unspecified. Operators are linked with the program: include
 * <ordo/operator/instantiate.h> behind NAME.h in one file for each (docs/operators.md).
 */
#ifndef ORDO_GALLERY_DRIVERS_H
#define ORDO_GALLERY_DRIVERS_H

#include <ordo/graph.h>
#include <ordo/run.h>

/* Adds the counts of a run, and frees its statistics. */
static inline void add_stats(ordo_stats *total, ordo_stats *stats)
{
    total->items += stats->items;
    total->edges += stats->edges;
    total->supersteps += stats->supersteps;
    total->run_seconds += stats->run_seconds;
    ordo_stats_free(stats);
}

/* A run whose counts are added to *total, where that is not NULL. */
static inline ordo_status run_and_add(const ordo_work *work, const ordo_options *options, ordo_stats *total)
{
    ordo_stats stats;
    const ordo_status status = ordo_run(work, options, total ? &stats : NULL);
    if (total && !status)
        add_stats(total, &stats);
    return status;
}

/* Shortest paths of at most `hops` edges. `graph` has u32 weights, or none: every edge then weighs 1. `source` is below
 * n. dist[n]: the distance, or 0xffffffff where there is no such path whose length is less than that.
 * ORDO_ERR_USAGE: a source that is no vertex; ORDO_ERR_MEMORY. */
ordo_status hop_limited_run(const ordo_graph *graph, ordo_vid source, ordo_u32 hops, const ordo_options *options,
                            ordo_u32 *dist, ordo_stats *total);

#endif
