/* program.h -- native programs: code that solves an app's whole problem in one run, without a scheduler.
 *
 * If a problem has an algorithm that is faster than any schedule of its operator, the app can provide that as a
 * program. A program uses the services of a run (<ordo/scheduler/scheduler.h>, <ordo/detail/backend.h>): memory,
 * polling for cancellation and the time limit, the trace, statistics. Statistics report scheduler "native", sync
 * "none". A program has no tunables.
 */
#ifndef ORDO_PROGRAM_H
#define ORDO_PROGRAM_H

#include <ordo/scheduler/scheduler.h>

ORDO_BEGIN_DECLS

/* The name that options and statistics use instead of a scheduler's. No scheduler may have this name. */
#define ORDO_NATIVE "native"

typedef struct ordo_program {
    const char *name, *summary;        /* `name` is that of the app */
    ordo_status (*run)(ordo_job *job); /* the program on the CPU; NULL: there is none */
    bool on_cuda; /* the CUDA back end has the program: its ordo_backend.find(name, ORDO_NATIVE) returns it */
} ordo_program;

/* Runs a program as ordo_run runs an operator. work->op is ignored; the app and its program agree on the meaning of
 * cells and state. options->scheduler is ignored; a sync other than "auto", and a setting that is not one of another
 * scheduler, are refused. */
ORDO_API ordo_status ordo_program_run(const ordo_program *program, const ordo_work *work, const ordo_options *options,
                                      ordo_stats *stats);
/* Only the checks of ordo_program_run. */
ORDO_API ordo_status ordo_program_check(const ordo_program *program, const ordo_options *options);

ORDO_END_DECLS

#endif
