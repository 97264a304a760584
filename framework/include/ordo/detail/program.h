/* program.h -- programs: what solves an app's whole problem by itself, in one run and under no scheduler.
 *
 * Where a problem has an algorithm that is faster than any schedule of its operator, the app can bring it along as a
 * program. It runs with the services of a run (<ordo/scheduler/scheduler.h>, <ordo/detail/backend.h>): memory, polling
 * for cancellation and time, the trace, statistics. These say scheduler "native", sync "none". A program has no
 * tunables.
 */
#ifndef ORDO_PROGRAM_H
#define ORDO_PROGRAM_H

#include <ordo/scheduler/scheduler.h>

ORDO_BEGIN_DECLS

/* What options and statistics call the scheduler of programs. No scheduler has this name. */
#define ORDO_NATIVE "native"

typedef struct ordo_program {
    const char *name, *summary;        /* the name is the app's */
    ordo_status (*run)(ordo_job *job); /* on the CPU; NULL: it has none there */
    bool on_cuda; /* the CUDA back end has it, as the instance that find(name, ORDO_NATIVE) gives (ordo_backend) */
} ordo_program;

/* Runs it as ordo_run runs an operator. work->op is not looked at; what cells and state are is between the app and its
 * program. Of the options the scheduler is not looked at, a sync other than "auto" and a setting that is not of another
 * scheduler are refused. */
ORDO_API ordo_status ordo_program_run(const ordo_program *program, const ordo_work *work, const ordo_options *options,
                                      ordo_stats *stats);
/* The same checks, and nothing else. */
ORDO_API ordo_status ordo_program_check(const ordo_program *program, const ordo_options *options);

ORDO_END_DECLS

#endif
