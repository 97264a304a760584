/* levels.h -- how many levels a breadth-first search has, about. */
#ifndef ORDO_RUN_LEVELS_H
#define ORDO_RUN_LEVELS_H

#include <ordo/graph.h>

/* A guess from some thousand vertices and their rows, right within a small factor on graphs that are alike everywhere.
 * 0: none, since the graph is small, or nothing of some size is reached. */
double ordo_guess_levels(const ordo_csr *g);

#endif
