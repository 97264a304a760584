/* operator.h -- an operator from a file that is compiled at run time, as an app (docs/run_time_operators.md).
 *
 * A process has one such operator at a time: the functions of an app have no argument by which they could tell two
 * apart. Making the next one ends the use of the last one.
 */
#ifndef ORDO_CLI_RUN_TIME_OPERATOR_H
#define ORDO_CLI_RUN_TIME_OPERATOR_H

#include <ordo/detail/run_time.h>

#include "apps/cli/cli.h"
#include "framework/run/plan.h"

enum { RUN_TIME_SCHEDULERS = 64, RUN_TIME_TEXT = 128 };
/* Elements of 0 behind every array of a state, so that a check sees what is written there. */
enum { RUN_TIME_SPARE = 4 };

/* The place of an instance, which is compiled when a run needs it. */
typedef struct run_time_slot {
    ordo_instance instance;                             /* `run` is that of the sync that is used next */
    ordo_status (*compiled[ORDO_SYNCS])(ordo_job *job); /* NULL: not yet; on a GPU the same for all syncs */
} run_time_slot;

typedef struct run_time_operator {
    const char *file;
    const ordo_run_time *table;
    ordo_operator op; /* that of the table, with the instances below */
    run_time_slot slots[3 * RUN_TIME_SCHEDULERS];
    const ordo_instance *instances[3 * RUN_TIME_SCHEDULERS + 1]; /* those of the slots; NULL ends them */
    char not_on_gpu[sizeof((ordo_stats *)0)->fallback]; /* why --device auto has to take the CPU; "": not known to have
                                                           to */
    void *state;
    void *array[ORDO_MOST_ARRAYS]; /* of the state; NULL: none yet */
    ordo_u64 array_bytes[ORDO_MOST_ARRAYS];
    const ordo_eid *filled_for; /* the rows of the graph that files were read for; NULL: none yet */
    void *initial;              /* the state ahead of ORDO_RELAX_FILL and its like */
    ordo_type type;             /* of a value of the answer: a cell, or what ORDO_CRITICAL_RESULT or ORDO_RELAX_RESULT
                                   is an array of */
    size_t value;               /* bytes of a value */
    size_t cell;                /* bytes of a cell of the run */
    void *cells;                /* of the last run, where the answer is an array of the state; NULL: none yet */
    ordo_u64 cells_count;
    ordo_additions growth; /* of an operator that adds edges and items: the bounds, and what the last run has added */
    const options *o;
} run_time_operator;

/* A value of the state. */
typedef struct run_time_number {
    ordo_type type;
    double real;    /* ORDO_F32, ORDO_F64 */
    ordo_u64 whole; /* the others; signed ones: as 64 bits, signed */
} run_time_number;

/* The largest cell, as any type; aligned as a run's cells are. */
typedef union run_time_cell {
    ordo_u64 u64;
    ordo_i64 i64;
    ordo_f64 f64;
    ordo_u32 u32;
    ordo_i32 i32;
    ordo_f32 f32;
    _Alignas(16) ordo_u64 words[2]; /* of a struct */
} run_time_cell;

/* Whether cells add candidates up. */
static inline bool run_time_sums(const run_time_operator *op)
{
    return op->op.kind == ORDO_KIND_RELAX && op->table->order == ORDO_SUM;
}

/* Whether cells keep the better of two values. */
static inline bool run_time_selects(const run_time_operator *op)
{
    return op->op.kind == ORDO_KIND_RELAX && op->table->order != ORDO_SUM;
}

/* The type of the weights that the operator reads, itself or by edges that it is handed; ORDO_NONE: it reads none. */
static inline ordo_type run_time_weight(const run_time_operator *op)
{
    return op->op.hands_edges ? op->table->sections->weight : op->op.weight;
}

/* Whether it adds edges or items in a run (docs/graphs_that_change.md). */
static inline bool run_time_grows(const run_time_operator *op)
{
    return (op->op.properties & ORDO_GROWING) != 0;
}

/* The number of items of a run. */
static inline ordo_u64 run_time_items(const run_time_operator *op, const ordo_csr *g)
{
    return op->op.hands_edges && op->op.items == ORDO_ITEMS_EDGES ? g->m : g->n;
}

/* Whether the answer is an array of the state, and not the cells. */
static inline bool run_time_has_result(const run_time_operator *op)
{
    return op->table->result != ORDO_RUN_TIME_NO_RESULT;
}

/* Whether a word names a file, and not an app: it has a slash or a dot. */
bool run_time_is_file(const char *word);

/* Compiles and registers the schedulers whose folders the options name, and puts their names in the place of these
 * (options.c). Errors: those of run_time_scheduler(). */
ordo_status run_time_options(options *o);

/* ---- operator.c ---- */

/* Compiles what describes the operator, and sets its state as the options ask. Errors: those of run_time_describe();
 * ORDO_ERR_UNSOUND for an operator of a kind that cannot be compiled at run time; ORDO_ERR_USAGE for --set-state;
 * ORDO_ERR_DEVICE where the options ask for a GPU and there is none: nothing is compiled then. */
ordo_status run_time_open(const options *o, const char *file, run_time_operator *out);
void run_time_close(run_time_operator *op);
/* Compiles the instance under a scheduler and a sync for a device (ORDO_ON_...), unless that is done, and has the
 * operator use it. Sets *news where the syncs that it offers have become known, which may change a choice. */
ordo_status run_time_need(run_time_operator *op, const ordo_choice *choice, bool *news);
/* Gives the GPU up: the operator has no instances for it from now on. */
void run_time_leave_gpu(run_time_operator *op, const char *why);
/* Parses a number and stores it at the place of a field. False where it is no number of the field's type. */
bool run_time_parse(void *state, const ordo_state_field *field, const char *text);
run_time_number run_time_state(const run_time_operator *op, const ordo_state_field *field);
/* What cell v begins with: of an item that a run has added the worst value. */
void run_time_begin_cell(const run_time_operator *op, ordo_vid source, ordo_vid v, void *cell);
/* Fills the cells of a run from that source; ORDO_NO_VERTEX: the operator has none. */
void run_time_begin(const run_time_operator *op, ordo_vid source, ordo_vid n, void *cells);
/* The address of cell v. */
static inline const void *run_time_at(const run_time_operator *op, const void *cells, ordo_u64 v)
{
    return (const char *)cells + v * op->cell;
}
/* The address of value v of an answer. */
static inline const void *run_time_value_at(const run_time_operator *op, const void *values, ordo_u64 v)
{
    return (const char *)values + v * op->value;
}
/* A value of the answer as text of one line. */
void run_time_text(const run_time_operator *op, ordo_vid v, const void *value, char out[RUN_TIME_TEXT]);
/* The array of the state that is the answer, of n values. Errors: ORDO_ERR_UNSOUND where it has fewer. */
ordo_status run_time_result(const run_time_operator *op, ordo_u64 n, const void **out);

/* ---- arrays.c ---- */

/* Whether --set-state has a file for an array of that name; then its path, else NULL. */
const char *run_time_array_file(const run_time_operator *op, const char *name);
/* Whether something fills every array of the state. Errors: ORDO_ERR_USAGE, with the name of one that nothing fills. */
ordo_status run_time_check_arrays(const run_time_operator *op);
/* Makes the arrays of the state for a graph and has them filled. `edges`: those of the graph, for an operator to which
 * edges are handed, else NULL. `source`: ORDO_NO_VERTEX if there is none; without `with_files` files are not read, for
 * a graph that they do not belong to, and arrays hold 0 before. Errors: ORDO_ERR_MEMORY; ORDO_ERR_IO and ORDO_ERR_INPUT
 * for files. */
ordo_status run_time_fill(run_time_operator *op, const ordo_csr *g, const ordo_edges *edges, ordo_vid source,
                          bool with_files);
void run_time_free_arrays(run_time_operator *op);

/* ---- app.c ---- */

/* Sets *out to the app of an operator's file. It is valid until the next call. Errors: those of run_time_open(). */
ordo_status run_time_app(const options *o, const char *file, const ordo_app **out);
/* Compiles what these runs will need, several units at once; for other apps does nothing. Errors are left to the runs.
 */
void run_time_ahead(const options *o, const ordo_app *app, const ordo_options *const *runs, int count);
/* The operator of such an app; NULL for any other app. */
const run_time_operator *run_time_of(const ordo_app *app);

/* ---- check_device.c ---- */

/* Runs an operator's file on the device of the options under every scheduler that can, and prints a line for each. What
 * the first wrong answer is goes to first[size], unless that has a text already. Errors: those of run_time_app() and of
 * compiling. */
ordo_status run_time_check_device(const options *o, const char *file, char *first, size_t size);

/* ---- verify_sum.c ---- */

/* Checks the answer of an operator that sums, for which the state is still as the run left it: no item has anything
 * left to do and, as run_time_verify() decides, the answer is that of a run on one thread, first in, first out, as
 * near as ORDO_RELAX_WITHIN says; then the operator's own check. Errors: ORDO_ERR_VERIFY, ORDO_ERR_MEMORY. */
ordo_status run_time_verify_sum(run_time_operator *op, const ordo_csr *g, ordo_vid source, const void *values,
                                ordo_verify_how how);

/* How far two values of a type of numbers are apart; *rounding is what such values may differ by rounding. */
double run_time_distance(ordo_type type, const void *a, const void *b, double *rounding);

/* ---- verify.c ---- */

/* Whether a graph is run serially for a check. */
bool run_time_is_serial(const ordo_csr *g, ordo_verify_how how);
/* Whether all targets of an operator that has its own are cells. Errors: ORDO_ERR_INPUT, with the first edge. */
ordo_status run_time_check_targets(const run_time_operator *op, const ordo_csr *g);
/* What the operator's own check says of the cells, or of the state. */
ordo_status run_time_own_check(const run_time_operator *op, const ordo_csr *g, ordo_vid source, const void *cells,
                               const void *values);
/* A line that says which value is wrong. `right`: NULL, or the value that was expected. */
ordo_status run_time_wrong(const run_time_operator *op, ordo_vid v, const void *found, const char *expected,
                           const void *right);

/* A queue of vertices, each at most once: a ring of n places. */
typedef struct run_time_queue {
    ordo_vid *vertex; /* [n] */
    ordo_u8 *in;      /* [n] */
    ordo_u64 head, count, n;
} run_time_queue;
/* Errors: ORDO_ERR_MEMORY; the queue is to be freed nevertheless. */
ordo_status run_time_make_queue(run_time_queue *q, ordo_u64 n);
void run_time_free_queue(run_time_queue *q);
void run_time_enqueue(run_time_queue *q, ordo_vid v);
ordo_vid run_time_dequeue(run_time_queue *q);

/* Checks an answer. Certificate: no edge improves a cell and, for a monotone operator, each cell got its value along a
 * path from a cell that is as it begins. Serial: the cells are those of a run on one thread, first in, first out. Then
 * the operator's own check. Errors: ORDO_ERR_VERIFY, which names the first wrong vertex; ORDO_ERR_MEMORY. */
ordo_status run_time_verify(const run_time_operator *op, const ordo_csr *g, ordo_vid source, const void *cells,
                            ordo_verify_how how);
/* The same of a gather operator: by a further round or, where it may not run in place, by the same rounds, serially. */
ordo_status run_time_verify_gather(const run_time_operator *op, const ordo_graph *graph, const void *cells);
/* What edge e of the row of u proposes, if u's cell is `tail_cell`. */
void run_time_candidate(const run_time_operator *op, const ordo_csr *g, ordo_vid u, ordo_eid e, const void *tail_cell,
                        run_time_cell *out);
/* The same if the edge's id were `id`. */
void run_time_candidate_as(const run_time_operator *op, const ordo_csr *g, ordo_vid u, ordo_eid e, ordo_eid id,
                           const void *tail_cell, run_time_cell *out);
/* Runs the operator on one thread until no cell improves. `cells` are as they begin. Errors: ORDO_ERR_MEMORY. */
ordo_status run_time_serial(const run_time_operator *op, const ordo_csr *g, ordo_vid source, void *cells);

#endif
