/* runs.h -- for apps that are a sequence of runs: sums their statistics, and applies one time limit to all of them. */
#ifndef ORDO_RUNS_H
#define ORDO_RUNS_H

#include <stdbool.h>

#include <ordo/detail/program.h>
#include <ordo/session.h>

typedef struct ordo_runs {
    ordo_options options;  /* options of every run; the timeout is for all runs together */
    double start;          /* the time of ordo_clock() at the start */
    ordo_stats *stats;     /* sums, or NULL */
    bool ran;              /* stats holds something */
    bool on_gpu;           /* without a session: run_seconds counts kernels only; work of the host is preparation */
    ordo_session *session; /* of every run, or NULL; the app's to free */
    char why_not[256];     /* why the runs are not on the GPU that device "auto" stands for; else "" */
    double transfer;       /* seconds of copies by the calls below */
} ordo_runs;

/* Whether the time limit has passed. */
bool ordo_runs_late(const ordo_runs *runs);
/* Makes a run within the time that is left, and adds its statistics to the sums. */
ordo_status ordo_runs_one(ordo_runs *runs, const ordo_work *work);
/* The same for a native program. */
ordo_status ordo_runs_program(ordo_runs *runs, const ordo_program *program, const ordo_work *work);
/* ordo_session_read and _write, whose time counts as transfer where the session is on a GPU. */
ordo_status ordo_runs_read(ordo_runs *runs, void *to, const void *from, ordo_u64 bytes);
ordo_status ordo_runs_write(ordo_runs *runs, void *to, const void *from, ordo_u64 bytes);
/* Adds the statistics of a run that began `later` seconds after the start, and takes over its trace. */
void ordo_runs_add(ordo_runs *runs, ordo_stats *one, double later);
/* ordo_is_auto, ordo_is_native: whether options name the scheduler "auto", or "native". ordo_may_be_native: whether an
 * app that has a native program should use it: no scheduler or "auto" is named, and nothing that only schedulers have:
 * no ranks, no items, no sync (with any_sync, "auto" counts as none), and no setting that does not name a scheduler. */
bool ordo_is_auto(const ordo_options *options);
bool ordo_is_native(const ordo_options *options);
bool ordo_may_be_native(const ordo_options *options, bool any_sync);
/* Whether options name another device than the CPU: "cuda", or "auto". */
bool ordo_is_for_gpu(const ordo_options *options);
/* Whether device "auto" should continue on the CPU, after a run on a GPU or a check of one that returned this status.
 */
bool ordo_may_fall_back(const ordo_options *options, ordo_status status);
/* Statistics, which may be NULL, of a call that ended with that status before a run filled them: cleared where the
 * caller frees them, which is after a cancel. */
void ordo_runs_none(ordo_stats *stats, ordo_status status);
/* After an app's work in a session: whether it is to be done again on the CPU, since device was "auto" and this status
 * says that a GPU cannot do it. The sums are then empty again, and the options name the CPU. */
bool ordo_runs_fall_back(ordo_runs *runs, ordo_status status);
/* Completes the sums: seconds and peak over all runs, and the operator's name; frees the statistics if the app's status
 * leaves none. */
void ordo_runs_end(ordo_runs *runs, const char *op, ordo_status status);

#endif
