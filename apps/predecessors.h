/* predecessors.h -- a predecessor for every vertex, from distances. */
#ifndef ORDO_PREDECESSORS_H
#define ORDO_PREDECESSORS_H

#include <stdbool.h>

#include <ordo/graph.h>

#include "apps/path_query.h"

/* Distances of one type on rows whose weights are of the same type; not weighted: every edge
 * counts 1. */
typedef struct ordo_paths {
    const ordo_csr *g;
    ordo_type type;
    bool weighted;
    bool by_hops; /* of any sign: the tight parent on a path of the fewest edges, and of these the smallest. Else as
                   * <ordo/apps.h> specifies for weights that are not negative */
    const ordo_sources *sources;
    const void *dist; /* [n] of that type, final */
} ordo_paths;

/* Fills pred[n] as <ordo/apps.h> specifies. O(n + m). */
ordo_status ordo_predecessors(const ordo_paths *paths, int threads, ordo_vid *pred);
/* The same; *missed: the reached vertices to which no tight edges lead from a source at 0, which then have none. */
ordo_status ordo_predecessors_some(const ordo_paths *paths, int threads, ordo_vid *pred, ordo_u64 *missed);
/* The same as ordo_predecessors, and fills nearest[n] with the source that predecessors lead to; NULL: not wanted,
 * either of them. */
ordo_status ordo_trees(const ordo_paths *paths, int threads, ordo_vid *pred, ordo_vid *nearest);
/* Bytes that ordo_predecessors may allocate. */
ordo_u64 ordo_predecessors_memory(ordo_u64 n);

#endif
