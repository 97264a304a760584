/* runs.h -- an app that is a sequence of runs: their statistics as one, and one clock over all of them. */
#ifndef ORDO_RUNS_H
#define ORDO_RUNS_H

#include <stdbool.h>

#include <ordo/detail/program.h>

typedef struct ordo_runs {
    ordo_options options; /* of every run; the timeout is that of all together */
    double start;         /* of ordo_clock() */
    ordo_stats *stats;    /* sums, or NULL */
    bool ran;             /* stats holds something */
    bool on_gpu;          /* seconds.run is the kernels'; what the host does between them is preparing */
} ordo_runs;

/* Whether time is over. */
bool ordo_runs_late(const ordo_runs *runs);
/* A run within what is left of the time, added to the sums. */
ordo_status ordo_runs_one(ordo_runs *runs, const ordo_work *work);
/* The same of a program. */
ordo_status ordo_runs_program(ordo_runs *runs, const ordo_program *program, const ordo_work *work);
/* Adds what was done `later` seconds after the start, and takes its trace. */
void ordo_runs_add(ordo_runs *runs, ordo_stats *one, double later);
/* Whether options name the scheduler, or leave it to the app: NULL or "auto" is then its program, where it has one and
 * nothing is asked for that only schedulers have: a sync (`any_sync`: "auto" is none), a setting for whichever it is.
 */
bool ordo_is_auto(const ordo_options *options);
bool ordo_is_native(const ordo_options *options);
bool ordo_may_be_native(const ordo_options *options, bool any_sync);
/* Whether device "auto" is to go on on the CPU after a run on a GPU, or a check of one, that gave this status. */
bool ordo_may_fall_back(const ordo_options *options, ordo_status status);
/* Seconds and peak over all, under that operator's name; frees the statistics where the app's status allows none. */
void ordo_runs_end(ordo_runs *runs, const char *op, ordo_status status);

#endif
