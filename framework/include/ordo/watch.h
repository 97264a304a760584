/**
 * @file
 * Watching long calls: how far they are, and cancelling them.
 *
 * A thread sets a watch once. All long calls that it makes from then on report to it: reading, making, transposing,
 * transforming and borrowing graphs, runs of every app, and verifying.
 */
#ifndef ORDO_WATCH_H
#define ORDO_WATCH_H

#include <ordo/error.h>

ORDO_BEGIN_DECLS

/**
 * Called at the begin of each phase of a long call, and then at most once in an interval, always by the thread that set
 * the watch. It may not make long calls of its own.
 * @param arg    ordo_watch::arg
 * @param phase  static; a word or two: "decompressing", "reading", "building rows", "sorting rows", "transforming",
 *               "checking", "transposing", "symmetrising", "verifying", "running", ...
 * @param done   how much of the phase is done; in parts of the phase's own, such as pieces of a file, vertices, items
 * @param total  how much there is; 0 where that is not known in advance, as in runs
 * @return 0 to go on; anything else cancels: the call ends with ORDO_ERR_CANCELLED, and has freed what it allocated.
 *         Graphs that it was given are as they were; outputs are untouched, those of runs unspecified
 */
typedef int ordo_watch_fn(void *arg, const char *phase, ordo_u64 done, ordo_u64 total);

/** A watch. */
typedef struct ordo_watch {
    ordo_watch_fn *report; /**< not NULL */
    void *arg;             /**< its first argument */
    double interval;       /**< seconds between reports of a phase, at least; 0: 0.05 */
    ordo_u64 reserved[4];  /**< 0 */
} ordo_watch;

/**
 * Sets the watch of the calling thread, in place of the one before.
 * @param watch  must exist until another one is set; NULL: none
 * @return ORDO_OK; ORDO_ERR_USAGE for reserved words, an interval that is negative or NaN, and no function: then the
 * one before stays
 */
ORDO_API ordo_status ordo_watch_set(const ordo_watch *watch);

/**
 * The watch of the calling thread.
 * @return NULL: none
 */
ORDO_API const ordo_watch *ordo_watch_get(void);

ORDO_END_DECLS

#endif
