/* ranks.h -- what host.cu needs of ranks.cu. */
#ifndef ORDO_CUDA_RANKS_H
#define ORDO_CUDA_RANKS_H

#include <ordo/scheduler/cuda_host.h>

/* After a run over ranks: sets job->remote->messages, and the time from when all ranks had met to the end, which does
 * not have the time by which their kernels began apart. */
ordo_status ordo_cuda_ranks_result(ordo_job *job, float *milliseconds);

#endif
