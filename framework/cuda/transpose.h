/* transpose.h -- in-rows on the device, made of the out-rows there. */
#ifndef ORDO_CUDA_TRANSPOSE_H
#define ORDO_CUDA_TRANSPOSE_H

#include <ordo/scheduler/cuda_host.h>

/* Sets *bytes to the most that making the in-rows takes at a time, with those of the in-rows. Errors: ORDO_ERR_DEVICE.
 */
ordo_status ordo_cuda_transpose_bytes(ordo_cuda_rows out, ordo_u64 *bytes);
/* Makes the rows of the reverse edges, which are the caller's to free: the same as ordo_graph_in() makes on the host,
 * each in ascending order of (tail, position). Has ended on return. `out` has the rows of all vertices. Errors:
 * ORDO_ERR_MEMORY; ORDO_ERR_DEVICE. */
ordo_status ordo_cuda_transpose(ordo_cuda_rows out, ordo_cuda_rows *in);

#endif
