/* simple.h -- simple graphs: rows in which every neighbour stands once, for apps where directions, loops and parallel
 * edges do not matter.
 *
 * A graph that is symmetric, in order of heads, and has no loops and no parallel edges is used as it is. Otherwise such
 * a copy without weights is made.
 */
#ifndef ORDO_SIMPLE_H
#define ORDO_SIMPLE_H

#include <ordo/graph.h>

enum { ORDO_MOST_NEIGHBOURS = 0x7fffffff };

/* A graph made for an app; where it only borrows arrays, they are ours to free. */
typedef struct ordo_simple {
    const ordo_graph *graph; /* the one to use */
    ordo_graph *copy, *packed;
    ordo_eid *row;
    ordo_vid *head;
} ordo_simple;

/* Makes *s, which is to be freed in any case. Writes the numbers of neighbours to neighbours[n]. `app`: the name, for
 * messages. Errors: ORDO_ERR_INPUT for a vertex with more than ORDO_MOST_NEIGHBOURS, ORDO_ERR_MEMORY. */
ordo_status ordo_simple_make(const ordo_graph *g, int threads, const char *app, ordo_i32 *neighbours, ordo_simple *s);
void ordo_simple_free(ordo_simple *s);

#endif
