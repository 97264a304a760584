/* What <ordo/operator/instantiate.h> does for an operator, and our scheduler besides, on both back ends. */
#include <ordo/scheduler/scheduler.h>

#define ORDO_EXTRA_SCHEDULERS "lifo/cpu.h"
#define ORDO_EXTRA_CUDA_SCHEDULERS "lifo/cuda.cuh"
#ifdef ORDO_WITH_CUDA
extern const ordo_instance ORDO_JOIN(ORDO_OP, _on_cuda_under_lifo);
#define ORDO_EXTRA_INSTANCES &ORDO_JOIN(ORDO_OP, _on_cpu_under_lifo), &ORDO_JOIN(ORDO_OP, _on_cuda_under_lifo),
#else
#define ORDO_EXTRA_INSTANCES &ORDO_JOIN(ORDO_OP, _on_cpu_under_lifo),
#endif
#include <ordo/operator/instantiate.h>
