/* pagerank_pull.h -- PageRank by gathering, as the app calls it (apps/pagerank.c). */
#ifndef ORDO_PAGERANK_PULL_H
#define ORDO_PAGERANK_PULL_H

#include <ordo/apps.h>

/* The operator for a tolerance, and the scheduler where the options name none. */
const ordo_operator *ordo_pagerank_pull_op(double tolerance);
ordo_options ordo_pagerank_pull_options(const ordo_options *options);
/* As ordo_pagerank(), whose checks it leaves out; the options name a scheduler. */
ordo_status ordo_pagerank_pull(const ordo_graph *g, double damping, double tolerance, const ordo_options *options,
                               double *rank, ordo_ranks *ranks, ordo_stats *stats);

#endif
