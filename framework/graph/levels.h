/* levels.h -- how many levels a breadth-first search has, about. */
#ifndef ORDO_GRAPH_LEVELS_H
#define ORDO_GRAPH_LEVELS_H

#include <ordo/graph.h>

/* A guess from some thousand vertices and their rows, right within a small factor on graphs that are alike everywhere;
 * made once and kept with the graph. 0: none, since the graph is small, nothing of some size is reached, or rows of
 * other ranks are not here. */
double ordo_graph_levels(const ordo_graph *g);

/* Rows that are not in memory, or not all of them. */
typedef struct ordo_row_source {
    ordo_u64 n, m;
    const ordo_eid *row;                                /* [n + 1] their bounds */
    ordo_vid (*head)(const void *edges, ordo_eid edge); /* at least n: the edge is left out */
    const void *edges;
} ordo_row_source;

/* The same guess. */
double ordo_guess_levels(const ordo_row_source *rows);

#endif
