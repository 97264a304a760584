/* clock.h -- the clock of the framework. */
#ifndef ORDO_RUN_CLOCK_H
#define ORDO_RUN_CLOCK_H

/* Seconds of a monotonic clock, since a moment that does not change while the process runs. */
double ordo_seconds(void);

#endif
