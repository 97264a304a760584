/* compile.h -- an operator's file to a table of functions: compiled by the system's compiler, kept, and loaded. */
#ifndef ORDO_CLI_RUN_TIME_COMPILE_H
#define ORDO_CLI_RUN_TIME_COMPILE_H

#include <ordo/detail/run_time.h>

/* Sets *out to the table of an operator's file, with its instance under a scheduler and a sync, or if `scheduler` is
 * NULL with none. The object stays loaded until the process ends. Messages of the compiler go to standard error.
 * Errors: ORDO_ERR_INPUT (not compiled, or no operator), ORDO_ERR_IO (no file, no compiler, no headers, no folder). */
ordo_status run_time_compile(const char *file, const char *scheduler, ordo_sync sync, const ordo_run_time **out);

#endif
