/* run_time_instance.h -- the rest of a unit that is compiled at run time for one scheduler: the operator's instance.
 *
 * For an operator's file this stands at its end, as <ordo/detail/run_time_unit.h> does: ORDO_RUN_TIME is its quoted
 * name. For an operator of the tree, under a scheduler from a folder, the compiler reads this file as the unit, and
 * ORDO_RUN_TIME_OPERATOR is the quoted name of the operator's file; ORDO_OP and, for templates, ORDO_WEIGHT are defined
 * as for every unit. ORDO_RUN_TIME_SCHEDULER is the scheduler's name, ORDO_RUN_TIME_CODE the quoted name of its cpu.h
 * or, where nvcc compiles the unit, of its cuda.cuh. ORDO_ONLY_SYNC may be the one sync that is compiled;
 * ORDO_RUN_TIME_BY_RESIDUAL says that nvcc compiles a gather operator for a scheduler that takes relax operators, and
 * ORDO_OVER_RANKS, where it is 1, that the unit is for several GPUs.
 */
#include <ordo/detail/run_time.h>

#ifdef ORDO_RUN_TIME_OPERATOR
#include ORDO_RUN_TIME_OPERATOR
#else
/* The check of <ordo/scheduler/cpu.h>, which is for files where ORDO_OP has to be the operator's name. */
enum { ORDO_JOIN(ordo_operator_is_, ORDO_OP) = 1 };
#endif

#ifdef __CUDACC__
#include <ordo/scheduler/cuda.cuh>
#if ORDO_OVER_RANKS && ORDO_OP_KIND == ORDO_KIND_RELAX && (ORDO_OP_ORDER == ORDO_SUM || !ORDO_OP_ACTIVATES)
/* `bsp` alone, which sends ghosts in bulk */
#elif ORDO_OP_KIND != ORDO_KIND_GATHER
#include <ordo/detail/cuda/warp.cuh>
#elif defined(ORDO_RUN_TIME_BY_RESIDUAL)
#include <ordo/detail/cuda/residual.cuh>
#endif
#define ORDO_RUN_TIME_ON ORDO_CUDA_UNDER
#else
#include <ordo/scheduler/cpu.h>
#define ORDO_RUN_TIME_ON _on_cpu_under_
#endif

#include ORDO_RUN_TIME_CODE

const ordo_run_time_instance ordo_run_time_code = {ORDO_RUN_TIME_INTERFACE,
                                                   &ORDO_JOIN3(ORDO_OP, ORDO_RUN_TIME_ON, ORDO_RUN_TIME_SCHEDULER)};
