/* grow.h -- runs of operators that add edges and items (ORDO_GROWING), for run.c. */
#ifndef ORDO_FRAMEWORK_GROW_H
#define ORDO_FRAMEWORK_GROW_H

#include <ordo/operator/grow.h>
#include <ordo/run.h>
#include <ordo/scheduler/scheduler.h>

#include "framework/graph/graph.h"
#include "reserved.h"

/* Of one run; all zero before ordo_grow_begin(). */
typedef struct ordo_grown {
    ordo_grow_pool *pool;
    ordo_csr rows; /* with new items: the job's rows */
    ordo_eid *row; /* of `rows` */
} ordo_grown;

/* Whether operator and options agree on growing. Errors: ORDO_ERR_USAGE, ORDO_ERR_UNSOUND. */
ordo_status ordo_grow_check(const ordo_work *work, const ordo_options *options);
/* Bytes of the room that ordo_grow_begin() makes; pages that nothing is added to are not there. */
ordo_u64 ordo_grow_bytes(const ordo_work *work, const ordo_options *options);
/* Makes the pool of what the job is to add, and has it use that. Errors: ORDO_ERR_MEMORY, ORDO_ERR_INPUT (keys); to be
 * freed nevertheless. */
ordo_status ordo_grow_begin(ordo_job *job, const ordo_additions *asked, ordo_grown *grown);
/* Hands what a run has added over to the caller; `out` may be NULL. */
void ordo_grow_end(const ordo_grown *grown, ordo_additions *out);
void ordo_grow_free(ordo_grown *grown);

#endif
