/* by_weight.h -- rows on the device in the order of weights. */
#ifndef ORDO_CUDA_BY_WEIGHT_H
#define ORDO_CUDA_BY_WEIGHT_H

#include <ordo/scheduler/cuda_host.h>

/* Sets *bytes to the most that making the rows takes at a time, with those of the rows. Errors: ORDO_ERR_DEVICE. */
ordo_status ordo_by_weight_bytes(ordo_cuda_rows out, bool same, ordo_u64 *bytes);
/* Makes out-rows and in-rows with edges in that order, which is not ORDO_CUDA_ANY_ORDER, and by->weight. Edges of equal
 * weights stay in the order of their tails. `same`: the graph is symmetric, so that the rows are one. `type`: of the
 * weights, 4 bytes each, which `out` has. Rows are the caller's to free, by ordo_by_weight_drop. Has ended on return.
 * Errors: ORDO_ERR_MEMORY; ORDO_ERR_DEVICE. */
ordo_status ordo_by_weight_make(ordo_cuda_rows out, ordo_type type, ordo_cuda_row_order order, bool same,
                                ordo_cuda_by_weight *by);
/* Makes by->record of by->out and by->in. `type`: ORDO_NONE: all edges are of the first quantile. Likewise. */
ordo_status ordo_by_weight_records(ordo_cuda_row_order order, ordo_type type, ordo_cuda_by_weight *by);
/* Frees what the two have made; `out`: the graph's own rows. */
void ordo_by_weight_drop(ordo_cuda_rows out, ordo_cuda_by_weight *by);

#endif
