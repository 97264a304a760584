/* in_rows.h -- in-rows of a graph on the host, made where runs go. */
#ifndef ORDO_RUN_IN_ROWS_H
#define ORDO_RUN_IN_ROWS_H

#include <ordo/run.h>

/* As ordo_graph_in_ranks(), for an app that reads in-rows on the host and makes runs with these options. If runs go to
 * a GPU, that makes the in-rows, which runs find there afterwards, where it can. Sets *seconds to what counts as
 * preparation: not waking up the GPU. */
ordo_status ordo_in_rows(const ordo_graph *g, const ordo_options *options, const ordo_csr **out, double *seconds);

#endif
