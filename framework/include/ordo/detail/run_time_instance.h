/* run_time_instance.h -- an operator of the tree under a scheduler from a folder, compiled at run time.
 *
 * The compiler reads this file as the unit. ORDO_OP and, for templates, ORDO_WEIGHT are defined as for every unit,
 * ORDO_RUN_TIME_OPERATOR as the quoted name of the operator's file, ORDO_RUN_TIME_SCHEDULER as the scheduler's name,
 * and ORDO_RUN_TIME_CODE as the quoted name of its cpu.h.
 */
#include <ordo/detail/run_time.h>

#include ORDO_RUN_TIME_OPERATOR

#include <ordo/scheduler/cpu.h>

#include ORDO_RUN_TIME_CODE

ORDO_API extern const ordo_run_time ordo_run_time_entry;
const ordo_run_time ordo_run_time_entry = {
    .interface = ORDO_RUN_TIME_INTERFACE,
    .instance = &ORDO_JOIN3(ORDO_OP, _on_cpu_under_, ORDO_RUN_TIME_SCHEDULER),
};
