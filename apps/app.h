/* app.h -- an app as the command `ordo` uses it: one table row for each verb. The build generates the table from its
 * list of apps (apps/meson.build); a new app is a new file and one word there.
 */
#ifndef ORDO_APP_H
#define ORDO_APP_H

#include <ordo/apps.h>
#include <ordo/detail/program.h>

/* One number of a result, by which answers can be compared. */
typedef struct ordo_field {
    const char *name; /* "reached" */
    ordo_type type;   /* ORDO_U64, ORDO_I32 (a signed number of 64 bits) or ORDO_F32 (then `real` holds it) */
    ordo_u64 whole;
    double real;
} ordo_field;

enum { ORDO_MAX_FIELDS = 8 };

typedef struct ordo_app_input {
    const ordo_graph *graph;
    ordo_vid source;        /* where needs_source; needs_terminals: may be ORDO_NO_VERTEX, as the graph says */
    ordo_vid sink;          /* where needs_terminals, likewise */
    ordo_flow_options flow; /* likewise */
    double limit;           /* INFINITY: none */
    bool want_pred;
    ordo_u32 k;                /* where has_k; 0: core numbers */
    double damping, tolerance; /* where has_ranks */
} ordo_app_input;

/* An answer. All zero at first; owned by the caller. The app allocates the arrays (ordo_alloc) on first use, and uses
 * them again when the answer is passed in again for the same graph. */
typedef struct ordo_answer {
    ordo_type type; /* of values: ORDO_U32, ORDO_I32, ORDO_F32 or ORDO_F64; ORDO_U64 where they are edges or on edges */
    size_t size;    /* of one */
    void *values; /* [n] one for each vertex; edges: allocated for n, of which `used` are set; on edges: n is the number
                     of edges */
    ordo_vid *pred; /* [n], or NULL */
    ordo_u8 *side;  /* [side_count] of a cut: 1 a vertex on the source side, or NULL */
    ordo_u64 n, used, side_count;
    ordo_field fields[ORDO_MAX_FIELDS]; /* docs/json.md, `result` */
    int field_count;
} ordo_answer;

typedef struct ordo_app {
    const char *name, *summary;
    const char *value_name; /* "distance", "level", "component", "edge", "flow", "width", "core", "rank" */
    bool needs_source;
    bool needs_terminals;        /* a source and a sink: the graph's, unless others are given */
    bool has_paths;              /* takes a limit, and gives predecessors */
    bool has_k, has_ranks;       /* takes k; takes damping and tolerance */
    bool wants_weights;          /* reads weights; otherwise the command loads the graph without them */
    bool has_infinity;           /* the type's largest value says "infinity": not reached, or, of widths, no edge */
    bool values_are_wide;        /* values are of 8 bytes and not 4, edges or not */
    bool is_approximate;         /* answers of different schedulers differ, within what verification allows */
    bool values_are_vertices;    /* values are ids, and follow --ids */
    bool values_are_edges;       /* values are indices in the graph's rows, ascending, and not one a vertex */
    bool values_on_edges;        /* one a stored edge; they may differ from run to run, fields and side do not */
    const ordo_program *program; /* what the scheduler "native" stands for; NULL: nothing */
    /* The operator that it would run on this graph: for checking options and predicting memory before loading more. */
    const ordo_operator *(*op)(const ordo_graph *g);
    ordo_status (*run)(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer,
                       ordo_stats *stats);
    ordo_status (*verify)(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how);
    ordo_status (*memory)(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most);
} ordo_app;

/* Generated: ends with NULL. */
extern const ordo_app *const ordo_built_apps[];

#endif
