/* hardware.h -- hardware counters of a run: see ordo_hardware in <ordo/run.h>. */
#ifndef ORDO_RUN_HARDWARE_H
#define ORDO_RUN_HARDWARE_H

#include <ordo/run.h>
#include <ordo/scheduler/team.h>

typedef struct ordo_hardware_run ordo_hardware_run;

/* Starts the counters of every member of a team. Returns NULL where there are none: that is no error. To be ended by
 * ordo_hardware_stop. */
ordo_hardware_run *ordo_hardware_start(ordo_team *team);
/* Stops and adds them up over members; a counter that any member lacks is absent. `run` may be NULL: all are absent. */
void ordo_hardware_stop(ordo_team *team, ordo_hardware_run *run, ordo_hardware *out);

#endif
