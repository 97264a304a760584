/* registry.h -- schedulers and operators by name, built in or registered, and checks of their tables. */
#ifndef ORDO_RUN_REGISTRY_H
#define ORDO_RUN_REGISTRY_H

#include <ordo/scheduler/scheduler.h>

enum { ORDO_MOST_SCHEDULERS = 256 };

/* ORDO_OK where every built-in table is consistent; otherwise ORDO_ERR_INTERNAL with what is wrong. Checked once. */
ordo_status ordo_registry_check(void);

/* The instance that an operator lists for a scheduler and a device (ORDO_ON_...); NULL where there is none. */
const ordo_instance *ordo_instance_find(const ordo_operator *op, const char *scheduler, unsigned device);

/* Parses a value of a tunable; *out as in ordo_job.tunable. ORDO_ERR_USAGE with what is expected. */
ordo_status ordo_tunable_parse(const char *scheduler, const ordo_tunable *tunable, const char *text, double *out);
/* The inverse: the value as --set would take it. */
void ordo_tunable_print(const ordo_tunable *tunable, double value, char out[ORDO_MAX_SETTING]);

#endif
