/* app_trials.h -- every app under every scheduler, with every tunable drawn: `random_runs DEVICE apps`. */
#ifndef TESTS_GPU_APP_TRIALS_H
#define TESTS_GPU_APP_TRIALS_H

#include <stdbool.h>

#include <ordo/run.h>

/* Totals of trials. */
typedef struct app_tally {
    unsigned runs, refusals; /* runs that were not refused; refusals, each of which took a setting away */
    double seconds;          /* in runs */
} app_tally;

/* One trial: draws an app, a graph, a sync, items, threads and all tunables from (seed, scheduler), runs it, and checks
 * the answer with the app's serial verification, and that nothing beyond the answer's arrays was written. A setting
 * that is refused for the pair is left out, one after the other, by chance. False where anything is wrong; then it has
 * printed what, and the command that repeats it. */
bool app_trial(const char *device, const char *scheduler, ordo_u64 seed, app_tally *tally);

#endif
