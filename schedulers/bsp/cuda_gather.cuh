/* bsp on a GPU, gather operators: double-buffered rounds (<ordo/detail/cuda/gather.cuh>). */
#include "tunables.h"

static ordo_status bsp_run_job(ordo_job *job)
{
    return op_gather_job(job, false, (int)job->tunable[BSP_BLOCKS]);
}

ORDO_CUDA_INSTANCE(bsp, bsp_run_job, 1u << ORDO_SYNC_RACY)
