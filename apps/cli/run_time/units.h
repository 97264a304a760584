/* units.h -- the units that are compiled at run time: an operator's file, a scheduler's folder, and an operator of the
 * tree under such a scheduler. */
#ifndef ORDO_CLI_RUN_TIME_UNITS_H
#define ORDO_CLI_RUN_TIME_UNITS_H

#include <ordo/detail/run_time.h>

/* Sets *out to the table of an operator's file, with its instance under a scheduler and a sync, or if `scheduler` is
 * NULL with none. Errors: those of unit_load(); ORDO_ERR_INPUT if the file declares no operator. */
ordo_status run_time_compile(const char *file, const char *scheduler, ordo_sync sync, const ordo_run_time **out);

/* Compiles and registers the scheduler of a folder, unless that is done; *name is its name, static. Its instances are
 * compiled when a run asks for them. Errors: those of unit_load(); ORDO_ERR_INPUT if the folder declares no scheduler,
 * one of another name or one of another version; ORDO_ERR_USAGE if the name is taken. */
ordo_status run_time_scheduler(const char *folder, const char **name);

#endif
