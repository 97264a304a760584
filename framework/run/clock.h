/* clock.h -- the clock of the framework and of its back ends. */
#ifndef ORDO_RUN_CLOCK_H
#define ORDO_RUN_CLOCK_H

#include <ordo/types.h>

ORDO_BEGIN_DECLS

/* Seconds of a monotonic clock, since a moment that does not change while the process runs. */
ORDO_API double ordo_seconds(void);

ORDO_END_DECLS

#endif
