/* runs.h -- an app that is a sequence of runs: their statistics as one, and one clock over all of them. */
#ifndef ORDO_RUNS_H
#define ORDO_RUNS_H

#include <stdbool.h>

#include <ordo/run.h>
#include <ordo/scheduler.h>

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
/* Adds what was done `later` seconds after the start, and takes its trace. */
void ordo_runs_add(ordo_runs *runs, ordo_stats *one, double later);
/* Whether a GPU is to do all at once, by a program of the app's own: neither another scheduler than its bsp is named,
 * nor another sync than that program has (`sync`; NULL: nor any). */
bool ordo_runs_whole(const ordo_options *options, const char *sync);
/* Whether device "auto" is to go on on the CPU after a run on a GPU, or a check of one, that gave this status. */
bool ordo_may_fall_back(const ordo_options *options, ordo_status status);
/* Seconds and peak over all, under that operator's name; frees the statistics where the app's status allows none. */
void ordo_runs_end(ordo_runs *runs, const char *op, ordo_status status);

/* An app's own operator: what a unit of a GPU's back end that does the whole app in one launch is found by. It has no
 * code for the CPU, and is in no list; the fields that a unit needs beside these follow. */
#define ORDO_WHOLE_APP(_name, _summary)                                                                                \
    .name = _name, .summary = _summary, .kind = ORDO_KIND_RELAX, .cell = ORDO_U32, .instances = ordo_no_instances,     \
    .properties = ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_SELECTIVE
extern const ordo_instance *const ordo_no_instances[];

#endif
