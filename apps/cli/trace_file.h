/* trace_file.h -- traces by time as files; see docs/trace.md. */
#ifndef ORDO_CLI_TRACE_FILE_H
#define ORDO_CLI_TRACE_FILE_H

#include "apps/cli/cli.h"

typedef enum trace_format { TRACE_CSV, TRACE_JSON, TRACE_PERFETTO } trace_format;
/* By the end of the name: .json, .perfetto or .perfetto.json; any other is CSV. */
trace_format trace_format_of(const char *path);

/* What a trace is of. */
typedef struct trace_about {
    const char *app, *op, *scheduler, *sync;
    const char *label; /* of a contender; NULL: none */
    const char *graph; /* its file, or the words that generated it; as long as the graph is there */
    ordo_u64 checksum; /* of the graph */
    char device[96];
} trace_about;
/* By the statistics of a run, or by the options where an error has left none. */
trace_about trace_about_run(const record *r, const ordo_stats *stats);

/* Writes one trace. Errors are those of the file. */
void trace_write(FILE *file, trace_format format, const trace_about *about, const ordo_trace_view *view);
/* The same for several runs in one file for a viewer: begin, each run with a number from 1 of its own, end. */
void trace_viewer_begin(FILE *file);
void trace_viewer_run(FILE *file, int pid, const trace_about *about, const ordo_trace_view *view);
void trace_viewer_end(FILE *file);

/* How many samples there are, and their period. */
void print_trace(const ordo_trace_view *view);

#endif
