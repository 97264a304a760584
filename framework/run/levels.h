/* levels.h -- how many levels a breadth-first search has, about. */
#ifndef ORDO_RUN_LEVELS_H
#define ORDO_RUN_LEVELS_H

#include <ordo/graph.h>

/* A guess from some thousand vertices and their rows, right within a small factor on graphs that are alike everywhere;
 * made once and kept with the graph. 0: none, since the graph is small, nothing of some size is reached, or rows of
 * other ranks are not here. */
double ordo_graph_levels(const ordo_graph *g);

#endif
