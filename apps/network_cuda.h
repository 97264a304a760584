/* network_cuda.h -- the residual network of a graph, made on a GPU. */
#ifndef ORDO_NETWORK_CUDA_H
#define ORDO_NETWORK_CUDA_H

#include <ordo/scheduler/cuda_host.h>

#include "apps/network.h"

/* On the device; to be freed by cudaFree. */
typedef struct ordo_network_made {
    discharge_edge *edge; /* [row[n]]; NULL: not made */
    ordo_u32 *row;        /* [n + 1] */
    ordo_u32 edges;       /* row[n] */
} ordo_network_made;

/* Makes the edges and rows that ordo_network_fill() makes, of `rows`, those of the graph on the device. Reads of *net
 * what ordo_network_begin() has set. Has ended on return. Not made, which is no error, where there is too little
 * memory, where rows are not sorted by head, and where a graph said to be symmetric is not (`symmetric`); the host then
 * makes them, or refuses. Errors: ORDO_ERR_DEVICE. */
ordo_status ordo_network_on_cuda(const ordo_network *net, ordo_cuda_rows rows, bool symmetric, ordo_network_made *out);

/* Saturates the edges out of the source, as ordo_network_start() does for all but serial programs. excess: [n], on the
 * device. Asynchronous. */
void ordo_network_saturate(const ordo_network *net, ordo_network_made made, ordo_u64 *excess);

#endif
