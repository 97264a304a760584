/* units.h -- the units that are compiled at run time: an operator's file, a scheduler's folder, and an operator of the
 * tree under such a scheduler; for the CPU and for a GPU. */
#ifndef ORDO_CLI_RUN_TIME_UNITS_H
#define ORDO_CLI_RUN_TIME_UNITS_H

#include <ordo/detail/run_time.h>

#include "framework/run/plan.h"

/* Sets *out to the table of an operator's file. Errors: those of unit_load(); ORDO_ERR_INPUT if the file declares no
 * operator. */
ordo_status run_time_describe(const char *file, const ordo_run_time **out);

/* Sets *out to the instance of an operator's file, of a kind (ORDO_KIND_...), for a choice. On the CPU it has that sync
 * alone; on a GPU all that the scheduler offers there. Errors: those of unit_load(), run_time_has_code(), and on a
 * GPU those of ordo_backend.probe(). */
ordo_status run_time_instance(const char *file, int kind, const ordo_choice *choice, const ordo_instance **out);

/* Compiles what the choices ask for, several units at once, so that run_time_instance() finds them. Errors and messages
 * are left to that. */
void run_time_compile_ahead(const char *file, int kind, const ordo_choice *choices, int count);

/* Whether a scheduler has code for operators of a kind on the device, in its folder or among Ordo's headers. Errors:
 * ORDO_ERR_UNSOUND if not, with a message that names the file. */
ordo_status run_time_has_code(const char *scheduler, unsigned device, int kind);

/* Compiles and registers the scheduler of a folder, unless that is done; *name is its name, static. Its instances are
 * compiled when a run asks for them. Errors: those of unit_load(); ORDO_ERR_INPUT if the folder declares no scheduler,
 * one of another name or one of another version; ORDO_ERR_USAGE if the name is taken. */
ordo_status run_time_scheduler(const char *folder, const char **name);

#endif
