/* ordered_weights.h -- a graph whose weights are words of 32 bits that compare as the weights of another graph do. */
#ifndef ORDO_ORDERED_WEIGHTS_H
#define ORDO_ORDERED_WEIGHTS_H

#include <ordo/graph.h>

/* Makes a graph with the rows of g, and with u32 weights: equal where those of g are equal, else in their order.
 * `what`: what needs finite weights, for the message about one that is not: "spanning forests". The rows of g must
 * outlive the graph. ORDO_ERR_INPUT also where there are 2^32 edges or more. */
ordo_status ordo_ordered_weights(const ordo_graph *g, int threads, const char *what, ordo_graph **out);
/* Bytes of that graph; *lists: bytes that may be needed in addition while it is made. */
ordo_u64 ordo_ordered_weights_memory(const ordo_graph *g, ordo_u64 *lists);

#endif
