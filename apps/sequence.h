/* sequence.h -- an app that is a sequence of runs, with statistics and a timeout as of one. */
#ifndef ORDO_SEQUENCE_H
#define ORDO_SEQUENCE_H

#include <stdbool.h>

#include <ordo/run.h>

typedef struct ordo_sequence {
    const char *app;
    ordo_options options;
    double start;      /* of ordo_clock(): its work began */
    double prepared;   /* seconds since then that were preparation */
    ordo_stats *stats; /* sums, or NULL */
    bool ran;          /* stats holds something */
} ordo_sequence;

/* One run. `left` says in an error what there was still to do, should the time be over before it begins. */
ordo_status ordo_sequence_run(ordo_sequence *s, const ordo_work *work, const char *left);
/* After the last one: run_seconds is all that was no preparation and no transfer. Where `status` says that the app has
 * failed, statistics are freed. */
void ordo_sequence_end(ordo_sequence *s, const ordo_operator *op, ordo_status status);

#endif
