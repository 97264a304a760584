/* instances.h -- what the installed <ordo/operator/instantiate.h> does for an operator, from the source tree and for
 * the CPU alone. */
#include <ordo/scheduler/cpu.h>
#include <ordo/detail/describe.h>

#include "schedulers/adds/cpu.h"
#include "schedulers/bsp/cpu.h"
#include "schedulers/delta/cpu.h"
#include "schedulers/inbox/cpu.h"
#include "schedulers/lock_server/cpu.h"
#include "schedulers/near_far/cpu.h"
#include "schedulers/topology/cpu.h"

static const ordo_instance *const instances[] = {
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_adds),        &ORDO_JOIN(ORDO_OP, _on_cpu_under_bsp),
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_delta),       &ORDO_JOIN(ORDO_OP, _on_cpu_under_inbox),
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_lock_server), &ORDO_JOIN(ORDO_OP, _on_cpu_under_near_far),
    &ORDO_JOIN(ORDO_OP, _on_cpu_under_topology),    NULL,
};
#if ORDO_OP_KIND == ORDO_KIND_RELAX
ORDO_DESCRIBE_RELAX(instances)
#else
ORDO_DESCRIBE_CRITICAL(instances)
#endif
