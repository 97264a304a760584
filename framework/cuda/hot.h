/* hot.h -- positions for the vertices with the most out-edges side by side; see ordo_cuda_hot in
 * <ordo/scheduler/cuda_host.h>. */
#ifndef ORDO_CUDA_HOT_H
#define ORDO_CUDA_HOT_H

#include <ordo/graph.h>
#include <ordo/scheduler/cuda_host.h>

/* Sets position[n] where at most `most` vertices have a quarter of the edges, and returns their number; else returns 0.
 * n + most is at most ORDO_MAX_VERTICES. */
ordo_u32 ordo_hot_positions(const ordo_csr *out, ordo_u32 most, ordo_u32 *position);

/* edge[e] = the position of e's tail, for all in-edges. Asynchronous. */
void ordo_renumber_tails(ordo_cuda_rows in, const ordo_u32 *position, ordo_u32 *edge);

#endif
