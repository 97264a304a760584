/* compare.h -- what compare.c, which makes the runs, and compare_table.c, which prints, share. */
#ifndef ORDO_CLI_COMPARE_H
#define ORDO_CLI_COMPARE_H

#include "apps/cli/cli.h"

/* One scheduler on one graph: a line of the table. */
typedef struct entry {
    candidate *who;
    char reason[1024];  /* why it cannot run, or is left out; empty if it can */
    ordo_status status; /* of the reason */
    ordo_u64 expected, at_most;

    double *seconds;                        /* [sources * repeat]; times from source s begin at s * repeat */
    size_t *done;                           /* [sources] the number of runs from each source */
    size_t runs;                            /* in all */
    char used_sync[16], fallback[256];      /* why it is not on a GPU under --device auto */
    double items, edges, stale, supersteps; /* summed over runs */
    ordo_u64 peak_worklist;
    bool failed;
} entry;

typedef struct comparison {
    const options *o;
    candidate candidates[MAX_CANDIDATES];
    entry entries[MAX_CANDIDATES]; /* one for each of them */
    int count;
    bool any_failed;
    char failure[1024]; /* the first one */
    sink json;
    bool text;      /* standard output is text for people */
    bool any_whole; /* a record is in the JSON */

    /* the current graph */
    const loaded *graph;
    ordo_vid *sources; /* [source_count] */
    size_t source_count;
    ordo_answer *results; /* [source_count] the fields alone */
    double *scratch;      /* [repeat + source_count] */
    int lines_shown;      /* of the table, on a terminal */
    double last_shown;
} comparison;

bool took_part(const entry *e);
/* The value of a field of an answer, or `otherwise`. */
double answer_field(const ordo_answer *a, const char *name, double otherwise);
/* After a run: draws the table where standard output is a terminal, and saves its text for a signal that ends the
 * process. */
void table_update(comparison *c);
/* Prints everything, at the end. `interrupted`: not all runs were made. */
void table_finish(comparison *c, bool interrupted);

#endif
