/* pairs.h -- which syncs the library offers for an operator under a scheduler, for tests that run all of them. */
#ifndef ORDO_TESTS_PAIRS_H
#define ORDO_TESTS_PAIRS_H

#include <ordo/scheduler/scheduler.h>

/* Asks ordo_run_check, whose answer must agree with the descriptors of operator, scheduler and instance: otherwise
 * prints a line with FAILED and ends the program with 1. Ends it with 77 if there is no such device. `device` NULL:
 * "cpu". */
bool pair_is_offered(const ordo_operator *op, const ordo_scheduler *s, ordo_sync sync, const char *device);
/* The same with items that are asked for: ORDO_ITEMS_VERTICES or ORDO_ITEMS_EDGES. */
bool pair_has_items(const ordo_operator *op, const ordo_scheduler *s, ordo_sync sync, const char *device, int item);

#endif
