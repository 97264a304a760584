/* plan.h -- what the options of a run mean: who runs it, under which sync, where, with which tunables. */
#ifndef ORDO_RUN_PLAN_H
#define ORDO_RUN_PLAN_H

#include <ordo/detail/backend.h>
#include <ordo/detail/program.h>

typedef struct ordo_plan {
    const ordo_scheduler *scheduler;
    const ordo_instance *instance;
    ordo_instance program;       /* on the CPU, where a program is run */
    const ordo_backend *backend; /* NULL: the CPU */
    char device[ORDO_DEVICE_NAME];
    bool automatic;                                   /* the back end may be given up for the CPU */
    char fallback[sizeof((ordo_stats *)0)->fallback]; /* why it was */
    char why[sizeof((ordo_stats *)0)->chosen];        /* the scheduler or the sync was left open: why this one */
    ordo_sync sync;
    int item; /* as in ordo_job */
    double tunable[ORDO_MAX_TUNABLES];
} ordo_plan;

/* Chooses what the options leave open (choose.c). Errors as ordo_run's; the work's graph and cells are not checked. */
ordo_status ordo_choose(const ordo_work *work, const ordo_options *options, ordo_plan *p);

/* The instance for a GPU that the operator lists, or else the one that the back end has under the operator's name; the
 * latter not for an operator that merely has the same name as a registered one. NULL: there is none. */
const ordo_instance *ordo_instance_on_gpu(const ordo_backend *backend, const ordo_operator *op, const char *scheduler);

/* The same for a program: where it runs. */
ordo_status ordo_choose_program(const ordo_program *program, const ordo_options *options, ordo_plan *p);

/* ORDO_ERR_USAGE where an initial item is none. */
ordo_status ordo_check_initial(const ordo_work *work);

/* What ordo_run would use; nothing runs. For the command, which compiles an operator for one scheduler, sync and
 * device.
 */
typedef struct ordo_choice {
    const char *scheduler;
    ordo_sync sync;
    unsigned device; /* ORDO_ON_... */
} ordo_choice;
/* Errors as ordo_run_check's. */
ORDO_API ordo_status ordo_run_choice(const ordo_work *work, const ordo_options *options, ordo_choice *out);

ordo_graph_kind ordo_graph_kind_of(const ordo_csr *g);

/* "relax" or "critical" */
const char *ordo_kind_name(int kind);

/* "vertices", "edges"; NULL for 0 */
const char *ordo_item_name(int item);

#endif
