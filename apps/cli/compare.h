/* compare.h -- what the files of `ordo compare` share: compare.c makes the runs, contenders.c says who takes part,
 * saved.c reads runs of earlier comparisons, compare_table.c prints and writes tables,
 * compare_plot.c draws them.
 */
#ifndef ORDO_CLI_COMPARE_H
#define ORDO_CLI_COMPARE_H

#include "apps/cli/cli.h"
#include "framework/compare/statistics.h"

/* One contender on one graph: a line of the table. */
typedef struct entry {
    char label[LABEL], sync[16]; /* sync: as used, once it has run */
    candidate *who;              /* NULL: its runs are read from a file */
    char reason[1024];           /* why it cannot run, or is left out; empty if it can */
    ordo_status status;          /* of the reason */
    ordo_u64 expected, at_most;

    ordo_times times;
    size_t runs;                            /* in all */
    char fallback[256];                     /* why it is not on a GPU under --device auto */
    char chosen[64];                        /* auto: the scheduler that it took */
    int threads;                            /* 0: not on the CPU of this machine */
    char gpu[96];                           /* the GPU of this machine that it ran on; else "" */
    double items, edges, stale, supersteps; /* summed over runs */
    ordo_u64 peak_worklist;
    bool failed, checked; /* an answer was wrong; all answers were verified */
} entry;

/* A head, a head and a weight. */
enum { EDGE_BYTES = 4, WEIGHTED_EDGE_BYTES = 8, CELL_BYTES = 4 };

/* All contenders on one graph. */
typedef struct results {
    char app[48], graph[512], checksum[24];
    ordo_u64 vertices, edges;
    bool starts;         /* the app has a source */
    ordo_u64 *source;    /* [source_count] in the user's ids */
    ordo_answer *answer; /* [source_count] the fields alone */
    size_t source_count;
    entry *entries;
    int count;
    double edge_bytes; /* of a stored edge: its head and weight */
    int baseline;      /* index of the entry that the others are compared with */
    size_t wanted;     /* runs that were to be made */
} results;

/* Makes the tables of results for `rounds` rounds; a later call adds rounds. Errors: ORDO_ERR_MEMORY. */
ordo_status results_rounds(results *r, size_t rounds);
/* Adds a run of an entry in that round from that source. */
void results_count(entry *e, size_t round, size_t source, double seconds, const ordo_stats *stats);
void results_free(results *r);
/* Sets the baseline to the entry of that label (or, if it is the only one, of that scheduler); NULL: the first. Errors:
 * ORDO_ERR_USAGE. */
ordo_status results_baseline(results *r, const char *label);

bool took_part(const entry *e);
/* The value of a field of an answer, or `otherwise`. */
double answer_field(const ordo_answer *a, const char *name, double otherwise);

/* Ratios over the baseline of each contender on each graph, for the means over graphs. */
typedef struct summary {
    char app[48], label[LABEL];
    ordo_estimate ratio;
    double *replicates; /* [ORDO_RESAMPLES] */
} summary;

/* A picture of tables, while it is made. All zero at first. */
typedef struct plot {
    FILE *out; /* into text[size] */
    char *text;
    size_t size;
    double y; /* where the next panel begins */
} plot;

/* Adds a panel: the contenders that ran, with their times and ratios over entry `base`. Errors: ORDO_ERR_MEMORY. */
ordo_status plot_panel(plot *p, const results *r, const ordo_estimate *time, const ordo_estimate *ratio, int base);
/* Writes the picture; nothing where no panel was added. Errors: ORDO_ERR_MEMORY. */
ordo_status plot_write(plot *p, FILE *out);
void plot_free(plot *p);

typedef struct table {
    bool text;       /* tables are printed on standard output */
    int lines_shown; /* on a terminal */
    double last_shown;
    FILE *csv; /* NULL: none */
    FILE *svg; /* likewise */
    plot plot; /* for svg */
    bool csv_begun;
    summary *summaries; /* [summary_count] */
    size_t summary_count;
    int graphs; /* finished */
} table;

/* After a run: draws the table where standard output is a terminal, and saves its text for a signal that ends the
 * process. */
void table_update(table *t, const results *r);
/* Prints everything about one graph, at its end, and keeps the summary. `interrupted`: not all runs were made. */
ordo_status table_finish(table *t, const results *r, bool interrupted);
/* After the last graph: means over graphs, where there were several. */
void table_means(const table *t);
void table_free(table *t);

/* ---- runs (compare_runs.c) ---- */

enum { TRACE_PATH = 4096 }; /* bytes of --trace PREFIX, its end included */

/* The first answer from a source, with which the others are compared. */
typedef struct reference {
    bool set;
    ordo_u64 hash;
    int entry;
} reference;

typedef struct comparison {
    options *o;
    candidate *candidates; /* [MAX_CANDIDATES] */
    int count;
    bool any_failed;
    char failure[1024]; /* the first one */
    sink json, save, viewer;
    char viewer_path[TRACE_PATH + 16];
    bool verify_once; /* the first answer from each source alone */
    bool any_whole;   /* a record is in the JSON */
    char session[24]; /* in all records of this call */
    table table;

    /* the current graph */
    const loaded *graph;
    results results;
    ordo_vid *sources;  /* [results.source_count] */
    reference *known;   /* likewise */
    ordo_answer answer; /* of the last run */
    ordo_u64 seed;      /* of the order of the next runs */
    ordo_contender contenders[MAX_CANDIDATES];
    ordo_compare_row rows[MAX_CANDIDATES];
} comparison;

/* Finds sources and prepares the results of the graph, for the candidates. */
ordo_status comparison_begin(comparison *c);
/* Fills entries anew, for other candidates on the same graph and from the same sources. */
ordo_status comparison_entries(comparison *c);
/* Makes the runs of a plan that has `rounds` and what else ends it; this call sets the rest of it. What ran is in the
 * results also where it ends early. Contenders that cannot run are left out; if none can, the status says why. */
ordo_status comparison_run(comparison *c, ordo_compare_plan *plan);
/* Traces a further run of every contender that took part: PREFIX-ROW-SCHEDULER.json, and all in c->viewer. */
ordo_status comparison_trace(comparison *c);
/* Frees what belongs to the graph, and the graph. */
void comparison_end(comparison *c, loaded *g);

/* Reads runs from files (--save, or --json of compare) and prints their tables. Errors: ORDO_ERR_INPUT where a file is
 * not of that form, or where runs cannot be compared. */
ordo_status compare_saved(const options *o, table *t);

#endif
