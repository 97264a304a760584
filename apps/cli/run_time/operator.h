/* operator.h -- an operator from a file that is compiled at run time, as an app (docs/run_time_operators.md).
 *
 * A process has one such operator at a time: the functions of an app have no argument by which they could tell two
 * apart. Making the next one ends the use of the last one.
 */
#ifndef ORDO_CLI_RUN_TIME_OPERATOR_H
#define ORDO_CLI_RUN_TIME_OPERATOR_H

#include <ordo/detail/run_time.h>

#include "apps/cli/cli.h"

enum { RUN_TIME_SCHEDULERS = 64, RUN_TIME_TEXT = 128 };

typedef struct run_time_operator {
    const char *file;
    const ordo_run_time *table;
    ordo_operator op;                         /* that of the table, with the instances below */
    ordo_instance slots[RUN_TIME_SCHEDULERS]; /* a scheduler each; `run` is that of the sync that is used next */
    const ordo_instance *instances[RUN_TIME_SCHEDULERS + 1];
    ordo_status (*compiled[RUN_TIME_SCHEDULERS][ORDO_SYNCS])(ordo_job *job); /* NULL: not yet */
    void *state;
    size_t cell; /* bytes of a cell */
    const options *o;
} run_time_operator;

/* A value of the state. */
typedef struct run_time_number {
    ordo_type type;
    double real;    /* ORDO_F32, ORDO_F64 */
    ordo_u64 whole; /* the others; ORDO_I32: as 64 bits, signed */
} run_time_number;

/* The largest cell, as any type. */
typedef union run_time_cell {
    ordo_u64 u64;
    ordo_u32 u32;
    ordo_i32 i32;
    ordo_f32 f32;
} run_time_cell;

/* Whether a word names a file, and not an app: it has a slash or a dot. */
bool run_time_is_file(const char *word);

/* Compiles and registers the schedulers whose folders the options name, and puts their names in the place of these
 * (options.c). Errors: those of run_time_scheduler(). */
ordo_status run_time_options(options *o);

/* ---- operator.c ---- */

/* Compiles what describes the operator, and sets its state as the options ask. Errors: those of run_time_compile();
 * ORDO_ERR_UNSOUND for an operator of a kind that cannot be compiled at run time; ORDO_ERR_USAGE for --set-state. */
ordo_status run_time_open(const options *o, const char *file, run_time_operator *out);
void run_time_close(run_time_operator *op);
/* Compiles the instance under a scheduler and a sync, unless that is done, and has the operator use it. */
ordo_status run_time_need(run_time_operator *op, const char *scheduler, ordo_sync sync);
run_time_number run_time_state(const run_time_operator *op, const ordo_state_field *field);
/* Fills the cells of a run from that source; ORDO_NO_VERTEX: the operator has none. */
void run_time_begin(const run_time_operator *op, ordo_vid source, ordo_vid n, void *cells);
/* The address of cell v. */
static inline const void *run_time_at(const run_time_operator *op, const void *cells, ordo_u64 v)
{
    return (const char *)cells + v * op->cell;
}
/* A cell as text of one line. */
void run_time_text(const run_time_operator *op, ordo_vid v, const void *cell, char out[RUN_TIME_TEXT]);

/* ---- app.c ---- */

/* Sets *out to the app of an operator's file. It is valid until the next call. Errors: those of run_time_open(). */
ordo_status run_time_app(const options *o, const char *file, const ordo_app **out);
/* The operator of such an app; NULL for any other app. */
const run_time_operator *run_time_of(const ordo_app *app);

/* ---- verify.c ---- */

/* Checks an answer. Certificate: no edge improves a cell and, for a monotone operator, each cell got its value along a
 * path from a cell that is as it begins. Serial: the cells are those of a run on one thread, first in, first out. Then
 * the operator's own check. Errors: ORDO_ERR_VERIFY, which names the first wrong vertex; ORDO_ERR_MEMORY. */
ordo_status run_time_verify(const run_time_operator *op, const ordo_csr *g, ordo_vid source, const void *cells,
                            ordo_verify_how how);
/* What edge e of the row of u proposes, if u's cell is `tail_cell`. */
void run_time_candidate(const run_time_operator *op, const ordo_csr *g, ordo_vid u, ordo_eid e, const void *tail_cell,
                        run_time_cell *out);
/* Runs the operator on one thread until no cell improves. `cells` are as they begin. Errors: ORDO_ERR_MEMORY. */
ordo_status run_time_serial(const run_time_operator *op, const ordo_csr *g, ordo_vid source, void *cells);

#endif
