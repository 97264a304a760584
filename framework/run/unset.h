/* unset.h -- first values of cells that the caller has left to the run (ordo_work::unset), for run.c. */
#ifndef ORDO_FRAMEWORK_UNSET_H
#define ORDO_FRAMEWORK_UNSET_H

#include <ordo/run.h>

/* Whether work may leave cells unset. Errors: ORDO_ERR_USAGE. */
ordo_status ordo_unset_check(const ordo_work *work);
/* Sets all cells but those of initial items to the operator's worst value, by `threads` threads. Errors:
 * ORDO_ERR_MEMORY; those of a team. */
ordo_status ordo_unset_fill(const ordo_work *work, int threads);

#endif
