/* distributed.h -- what run.c needs of distributed.c. */
#ifndef ORDO_RUN_DISTRIBUTED_H
#define ORDO_RUN_DISTRIBUTED_H

#include <ordo/distributed.h>
#include <ordo/scheduler/scheduler.h>

#include "plan.h"

/* Whether the work can run over ranks as planned; sets the plan's instance to the one for that. Errors:
 * ORDO_ERR_UNSOUND, by name; ORDO_ERR_USAGE. */
ordo_status ordo_group_check(const ordo_group *group, const ordo_work *work, ordo_plan *p);

/* Before the instance runs, when the team is there: sets job->remote and what the job owns. All ranks compare what they
 * are about to run. Errors: ORDO_ERR_USAGE in all ranks where they differ; ORDO_ERR_MEMORY. */
ordo_status ordo_group_begin(ordo_group *group, ordo_job *job, const ordo_plan *p);
/* After it, whatever its status: frees, and where all ranks have come to the end puts the cells and the counters
 * together; *messages: sent by all ranks. A status that only this rank has ends the job (ordo_group_abort). */
ordo_status ordo_group_end(ordo_group *group, ordo_job *job, ordo_status status, ordo_u64 *messages);

#endif
