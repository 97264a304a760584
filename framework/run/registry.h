/* registry.h -- the tables of schedulers and operators, built in and registered: checks, and finding entries by name.
 */
#ifndef ORDO_RUN_REGISTRY_H
#define ORDO_RUN_REGISTRY_H

#include <ordo/scheduler/scheduler.h>

enum { ORDO_MOST_SCHEDULERS = 256 };

/* Checks, once in a process, that the built-in tables are consistent. Errors: ORDO_ERR_INTERNAL, with a message that
 * names the fault. */
ordo_status ordo_registry_check(void);

/* The instance that an operator lists for a scheduler and a device (ORDO_ON_...); NULL if there is none. */
const ordo_instance *ordo_instance_find(const ordo_operator *op, const char *scheduler, unsigned device);

/* Makes the instance of an operator under a scheduler on a device (ORDO_ON_...) that the operator does not list; *out
 * is NULL if it makes none. What it returns lives as long as the process. Its errors end the run that asks. */
typedef ordo_status ordo_provide_fn(const ordo_operator *op, const char *scheduler, unsigned device,
                                    const ordo_instance **out);
/* Sets the function that makes them, for the command, which compiles schedulers from folders. Called before runs start.
 */
ORDO_API void ordo_instance_provider(ordo_provide_fn *provide);
/* Asks it; it is asked once for each operator, scheduler and device. *out is NULL where there is no such function.
 * Called by the thread that starts a run. */
ordo_status ordo_instance_provide(const ordo_operator *op, const char *scheduler, unsigned device,
                                  const ordo_instance **out);

/* Parses a value of a tunable and sets *out as ordo_job.tunable holds it. Errors: ORDO_ERR_USAGE, with a message that
 * says what is expected. */
ordo_status ordo_tunable_parse(const char *scheduler, const ordo_tunable *tunable, const char *text, double *out);
/* Writes a value of a tunable in the form that --set accepts. */
void ordo_tunable_print(const ordo_tunable *tunable, double value, char out[ORDO_MAX_SETTING]);

#endif
