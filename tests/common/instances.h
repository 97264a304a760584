/* instances.h -- what the installed <ordo/operator/instantiate.h> does for an operator, from the source tree. For the
 * CPU alone, unless ORDO_WITH_CUDA is defined, for relax and gather operators: then the same unit is compiled by nvcc
 * as well. */
#define INSTANCES_EXTERN(_scheduler) extern const ordo_instance ORDO_JOIN3(ORDO_OP, _on_cuda_under_, _scheduler);
#define INSTANCES_ROW(_scheduler) &ORDO_JOIN3(ORDO_OP, _on_cuda_under_, _scheduler),
#define INSTANCES_WORKLISTS(X) X(adds) X(broker) X(delta) X(inbox) X(lock_server) X(near_far)
#ifdef __CUDACC__
#include <ordo/scheduler/cuda.cuh>
#if ORDO_OP_KIND == ORDO_KIND_GATHER
#include "schedulers/bsp/cuda_gather.cuh"
#include "schedulers/topology/cuda_gather.cuh"
#else
#include <ordo/detail/cuda/warp.cuh>

#include "schedulers/bsp/cuda.cuh"
#include "schedulers/topology/cuda.cuh"
#endif
#if ORDO_OP_KIND != ORDO_KIND_GATHER || ORDO_OP_BY_RESIDUAL
#if ORDO_OP_KIND == ORDO_KIND_GATHER
#include <ordo/detail/cuda/residual.cuh>
#endif
#include "schedulers/adds/cuda.cuh"
#include "schedulers/broker/cuda.cuh"
#include "schedulers/delta/cuda.cuh"
#include "schedulers/inbox/cuda.cuh"
#include "schedulers/lock_server/cuda.cuh"
#include "schedulers/near_far/cuda.cuh"
#endif
#elif ORDO_OP_KIND == ORDO_KIND_GATHER
#include <ordo/scheduler/cpu.h>
#include <ordo/detail/describe.h>

#include "schedulers/bsp/gather.h"
#include "schedulers/topology/gather.h"
#if ORDO_OP_BY_RESIDUAL
#include "schedulers/adds/cpu.h"
#include "schedulers/broker/cpu.h"
#include "schedulers/delta/cpu.h"
#include "schedulers/horizon/cpu.h"
#include "schedulers/inbox/cpu.h"
#include "schedulers/lock_server/cpu.h"
#include "schedulers/near_far/cpu.h"
#endif

#if defined(ORDO_WITH_CUDA) && ORDO_OP_ON_CUDA && ORDO_OP_BY_RESIDUAL
#define INSTANCES_CUDA(X) X(bsp) X(topology) INSTANCES_WORKLISTS(X)
#elif defined(ORDO_WITH_CUDA) && ORDO_OP_ON_CUDA
#define INSTANCES_CUDA(X) X(bsp) X(topology)
#else
#define INSTANCES_CUDA(X)
#endif
INSTANCES_CUDA(INSTANCES_EXTERN)

static const ordo_instance *const instances[] = {
    INSTANCES_CUDA(INSTANCES_ROW) & ORDO_JOIN(ORDO_OP, _on_cpu_under_bsp),
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_topology),
#if ORDO_OP_BY_RESIDUAL
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_adds),
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_broker),
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_delta),
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_horizon),
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_inbox),
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_lock_server),
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_near_far),
#endif
    NULL,
};
ORDO_DESCRIBE_GATHER(instances)
#else
#include <ordo/scheduler/cpu.h>
#include <ordo/detail/describe.h>

#include "schedulers/adds/cpu.h"
#include "schedulers/broker/cpu.h"
#include "schedulers/bsp/cpu.h"
#include "schedulers/delta/cpu.h"
#include "schedulers/horizon/cpu.h"
#include "schedulers/inbox/cpu.h"
#include "schedulers/lock_server/cpu.h"
#include "schedulers/near_far/cpu.h"
#include "schedulers/topology/cpu.h"

#if defined(ORDO_WITH_CUDA) && ORDO_OP_ON_CUDA
#define INSTANCES_CUDA(X) X(bsp) X(topology) INSTANCES_WORKLISTS(X)
INSTANCES_CUDA(INSTANCES_EXTERN)
#else
#define INSTANCES_CUDA(X)
#endif

static const ordo_instance *const instances[] = {
    INSTANCES_CUDA(INSTANCES_ROW) & ORDO_JOIN(ORDO_OP, _on_cpu_under_adds),
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_broker),
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_bsp),
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_delta),
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_horizon),
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_inbox),
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_lock_server),
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_near_far),
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_topology),
    NULL,
};
#if ORDO_OP_KIND == ORDO_KIND_RELAX
ORDO_DESCRIBE_RELAX(instances)
#else
ORDO_DESCRIBE_CRITICAL(instances)
#endif
#endif
