/* graph_set.h -- graphs on which an app's answer is compared with a reference: thousands of small ones of all families,
 * types of weights and directions, and some large ones of shapes that are hard for parallel code. */
#ifndef TESTS_GRAPH_SET_H
#define TESTS_GRAPH_SET_H

#include <ordo/graph.h>

/* Called with each graph, which belongs to the set; NULL where it could not be made (ordo_last_error() says why).
 * what: its description. small: up to some thousand vertices, for references that are slow. */
typedef void graph_set_fn(void *arg, const ordo_graph *g, const char *what, bool small);

void graph_set_small(int graphs, graph_set_fn *fn, void *arg);
void graph_set_large(graph_set_fn *fn, void *arg);

#endif
