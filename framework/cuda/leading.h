/* leading.h -- of each vertex the in-neighbour that most vertices have; see ordo_cuda_leading_tails in
 * <ordo/scheduler/cuda_host.h>. */
#ifndef ORDO_CUDA_LEADING_H
#define ORDO_CUDA_LEADING_H

#include <ordo/scheduler/cuda_host.h>

/* Adds to count[] of each tail the number of in-edges that have it; of in.m edges from `edge` on. Asynchronous. */
void ordo_count_tails(ordo_cuda_rows in, ordo_u64 edge, ordo_u32 *count);
/* leading[v] = of the first tails of row v, v < in.n, the one with the highest count; ORDO_NO_VERTEX where the row has
 * none. Asynchronous. */
void ordo_find_leading(ordo_cuda_rows in, const ordo_u32 *count, ordo_vid *leading);

#endif
