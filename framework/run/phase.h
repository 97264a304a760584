/* phase.h -- a phase of a long call: counts what is done, and reports it to the watch of the thread that made the call
 * (<ordo/watch.h>).
 *
 * Any thread that works on the phase adds to the count; only the caller's thread, which is a member of every team,
 * calls the watch. All fields are read and written relaxed: the count is a report, and the flag to stop only has to be
 * seen some time; a team's end orders it before ordo_phase_end. Without a watch a step costs one test.
 */
#ifndef ORDO_FRAMEWORK_PHASE_H
#define ORDO_FRAMEWORK_PHASE_H

#include <pthread.h>
#include <stdbool.h>

#include <ordo/watch.h>

typedef struct ordo_phase {
    const ordo_watch *watch; /* NULL: none */
    const char *name;
    ordo_u64 total;
    pthread_t caller;
    double reported; /* when; the caller's thread alone */
    ordo_u64 done;   /* atomic */
    int stopped;     /* atomic */
} ordo_phase;

/* By the caller's thread. total 0: not known. */
void ordo_phase_begin(ordo_phase *p, const char *name, ordo_u64 total);
bool ordo_phase_count(ordo_phase *p, ordo_u64 more);

/* Counts that much more as done; true where the phase is to stop. By any thread. Not per edge or item: at least some
 * microseconds of work apart. */
static inline bool ordo_phase_step(ordo_phase *p, ordo_u64 more)
{
    return p->watch && ordo_phase_count(p, more);
}

/* The same for a loop over i = 0, 1, 2 ... */
static inline bool ordo_phase_at(ordo_phase *p, ordo_u64 i)
{
    enum { APART = 1024 };
    return p->watch && i % APART == 0 && ordo_phase_count(p, APART);
}

/* ORDO_ERR_CANCELLED where it was stopped. */
ordo_status ordo_phase_end(const ordo_phase *p);

#endif
