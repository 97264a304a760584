/* distributed.h -- what run.c needs of distributed.c. */
#ifndef ORDO_RUN_DISTRIBUTED_H
#define ORDO_RUN_DISTRIBUTED_H

#include <ordo/detail/transport.h>
#include <ordo/distributed.h>
#include <ordo/scheduler/scheduler.h>

#include "plan.h"

/* Whether the operator can run over ranks as planned. Errors: ORDO_ERR_UNSOUND, by name; ORDO_ERR_USAGE. */
ordo_status ordo_group_allows(const ordo_group *group, const ordo_operator *op, const ordo_plan *p);
/* The same; sets the plan's instance to the one for that, and on GPUs chooses the GPU of this rank. */
ordo_status ordo_group_check(ordo_group *group, const ordo_operator *op, ordo_plan *p);

/* Whether an operator under a scheduler runs over ranks: on CPUs, or on GPUs with `backend`. */
bool ordo_runs_over_ranks(const ordo_group *group, const ordo_operator *op, const ordo_scheduler *s,
                          const struct ordo_backend *backend);

/* Before the instance runs, when the team is there: sets job->remote and what the job owns. All ranks compare what they
 * are about to run. Errors: ORDO_ERR_USAGE in all ranks where they differ; ORDO_ERR_MEMORY. */
ordo_status ordo_group_begin(ordo_group *group, ordo_job *job, const ordo_plan *p);
/* After it, whatever its status: frees, and where all ranks have come to the end puts the cells and the counters
 * together; *counted: its messages and critical edges are those of all ranks. A status that only this rank has ends the
 * job (ordo_group_abort). */
ordo_status ordo_group_end(ordo_group *group, ordo_job *job, ordo_status status, ordo_remote *counted);

/* The vertex at which a rank's range begins: as many vertices and edges together lie before it as ranks * their mean.
 */
ordo_vid ordo_range_begin(const ordo_csr *rows, int rank, int ranks);

/* For graphs of which each rank has a part. All ranks call them. As ordo_transport.all_to_all. */
ordo_status ordo_group_all_to_all(const ordo_group *group, const ordo_parcel *out, const ordo_room *in, size_t unit);
/* Whether any rank says so. */
ordo_status ordo_group_any(const ordo_group *group, bool mine, bool *any);

#endif
