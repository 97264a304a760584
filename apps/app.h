/* app.h -- an app as the command `ordo` calls it: a descriptor for each verb that runs an app. The build generates the
 * table of descriptors from the list in apps/meson.build, so a new app is a new file and one word in that list.
 */
#ifndef ORDO_APP_H
#define ORDO_APP_H

#include <ordo/apps.h>
#include <ordo/paths.h>
#include <ordo/detail/program.h>

/* One number of a result; answers are compared by these. */
typedef struct ordo_field {
    const char *name; /* "reached" */
    ordo_type type;   /* ORDO_F32: the number is in `real`; ORDO_U64, ORDO_I32 (64 bits, signed): in `whole` */
    ordo_u64 whole;
    double real;
} ordo_field;

enum { ORDO_MAX_FIELDS = 8 };

typedef struct ordo_app_input {
    const ordo_graph *graph;
    const ordo_vid *names;  /* [n] the ids of vertices, where they have other numbers in `graph`; NULL: they have not.
                             * If by_names */
    ordo_vid source;        /* if needs_source; if needs_terminals, ORDO_NO_VERTEX means that of the graph */
    ordo_vid sink;          /* if needs_terminals; ORDO_NO_VERTEX likewise */
    ordo_flow_options flow; /* likewise */
    double limit;           /* INFINITY: none */
    bool want_pred;
    bool want_values;        /* if values_on_request: the values are wanted, not only the fields */
    const ordo_vid *sources; /* [source_count] several sources at once, instead of `source`; source_count 0: none */
    ordo_u64 source_count;
    const ordo_vid *targets; /* [target_count] the run ends once these are final; has_paths */
    ordo_u64 target_count;
    ordo_u64 stop_after;       /* or so many vertices; 0: no number; has_paths */
    bool want_nearest;         /* the source that each vertex's path comes from */
    ordo_u32 k;                /* if has_k; 0: core numbers */
    double damping, tolerance; /* if has_ranks */
    ordo_u64 rounds;           /* if has_rounds */
} ordo_app_input;

/* An answer, owned by the caller, all zero before the first run. The app allocates the arrays (ordo_alloc) in the first
 * run, and reuses them when the same answer is passed in again for the same graph. */
typedef struct ordo_answer {
    ordo_type type; /* of the values: ORDO_U32, ORDO_I32, ORDO_F32, ORDO_F64; ORDO_U64 for edge ids and flows */
    size_t size;    /* bytes of one value */
    void *values; /* [n] one for each vertex. values_are_edges: [n], of which the first `used` are set. values_on_edges:
                     one for each stored edge, n is their number */
    ordo_vid *pred;    /* [n], or NULL */
    ordo_vid *nearest; /* [n], or NULL */
    ordo_cycle cycle;  /* what was found instead of values; of length 0 where there is none. has_cycle */
    ordo_u8 *side;     /* [side_count] the sides of a cut, 1 for a vertex on the source side; or NULL */
    double within; /* of a run that ends early: what is farther is not known; INFINITY: all is known. has_infinity */
    ordo_u64 n, used, side_count;
    ordo_field fields[ORDO_MAX_FIELDS]; /* docs/json.md, `result` */
    int field_count;
} ordo_answer;

typedef struct ordo_app {
    const char *name, *summary;
    const char *value_name; /* "distance", "level", "component", "edge", "flow", "width", "core", "rank" */
    bool needs_source;
    bool needs_terminals;     /* a source and a sink; by default those of the graph */
    bool has_paths;           /* takes a limit and ends early; has_tree */
    bool has_tree;            /* gives predecessors */
    bool has_cycle;           /* may find a cycle instead of values, which are "unknown" then */
    bool takes_list;          /* one run from a list of sources, with a row of values for each; needs_source */
    bool has_k, has_ranks;    /* takes k; takes damping and tolerance */
    bool has_rounds;          /* takes the most rounds */
    bool wants_weights;       /* reads weights; otherwise the command loads the graph without them */
    bool has_infinity;        /* the type's largest value means infinity: unreached, or the width at the source */
    bool values_are_wide;     /* a value has 8 bytes instead of 4 */
    bool is_approximate;      /* answers may differ between schedulers, within what verification allows */
    bool values_are_vertices; /* values are vertex ids, printed as --ids asks for */
    bool values_are_edges;    /* values are edge ids in ascending order, not one for each vertex */
    bool values_on_edges;     /* one for each stored edge; may differ between runs, unlike fields and side */
    bool sums_sources;        /* the sources of --sources are those of one run, over which it sums */
    bool by_names;            /* its values are the same on a renumbered graph: it breaks ties by the input's names, and
                               * values that are vertices are such names */
    bool values_on_request;   /* values are made where they are wanted; else an answer has none */
    ordo_type weight;         /* the type of weights that its operator reads; ORDO_NONE: it has one for each type */
    /* Writes value v of an answer as text of one line, as snprintf() does. NULL: the value is a number. */
    int (*print)(const ordo_answer *answer, ordo_u64 v, char *out, size_t size);
    const ordo_program *program; /* the program that the scheduler "native" runs; NULL: the app has none */
    /* The operator that the app would run on this graph. Serves to check options, and to predict memory, before a graph
     * is loaded in full. */
    const ordo_operator *(*op)(const ordo_graph *g);
    /* Over ranks: whether, with these options, runs on the graph and all beside them read the edges of own rows alone.
     * Of a graph of which a rank has these. NULL: they never do. */
    bool (*own_rows_suffice)(const ordo_graph *g, const ordo_options *options);
    bool own_rows_cyclic; /* own rows may be block-cyclic: all runs are of operators that activate items */
    ordo_status (*run)(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer,
                       ordo_stats *stats);
    /* by_names, with predecessors or nearest sources: fills those that the input wants of an answer whose values are
     * those of the graph, since of several right ones the ids of vertices choose. NULL: it has none. */
    ordo_status (*trees)(const ordo_app_input *input, int threads, ordo_answer *answer);
    ordo_status (*verify)(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how);
    ordo_status (*memory)(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most);
} ordo_app;

/* All apps of the build; ends with NULL. Generated. */
extern const ordo_app *const ordo_built_apps[];

#endif
