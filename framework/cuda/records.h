/* records.h -- fills what is derived from rows on the device: edge records (see ORDO_RECORD_NONE in
 * <ordo/scheduler/cuda_host.h>), and tails of edges. */
#ifndef ORDO_CUDA_RECORDS_H
#define ORDO_CUDA_RECORDS_H

#include <ordo/scheduler/cuda_host.h>

/* record: [2 * rows.n]; the weight of an unweighted edge is 1, as a float where asked for. Asynchronous. */
void ordo_fill_records(ordo_cuda_rows rows, bool floats, uint4 *record);
/* tail: [rows.m]. Asynchronous. */
void ordo_fill_tails(ordo_cuda_rows rows, ordo_u32 *tail);

#endif
