/* tables.h -- the tables that the build generates from its lists of schedulers and operators, by framework/tables.c.in.
 */
#ifndef ORDO_RUN_TABLES_H
#define ORDO_RUN_TABLES_H

#include <ordo/scheduler/scheduler.h>

extern const ordo_scheduler *const ordo_built_schedulers[]; /* ends with NULL */
extern const ordo_scheduler *const ordo_built_default;
extern const ordo_operator *const ordo_built_operators[]; /* ends with NULL */

#endif
