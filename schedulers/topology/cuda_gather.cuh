/* topology on a GPU, gather operators: rounds in place (<ordo/detail/cuda/gather.cuh>). */
#include "tunables.h"

static ordo_status topology_run_job(ordo_job *job)
{
    return op_gather_job(job, true, (int)job->tunable[TOPOLOGY_BLOCKS]);
}

ORDO_CUDA_INSTANCE(topology, topology_run_job, 1u << ORDO_SYNC_RACY)
