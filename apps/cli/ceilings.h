/* ceilings.h -- what the machine can do at most, measured by `ordo bench machine` and kept, for the column `of ceiling`
 * of `ordo compare`.
 *
 * A relaxation of an edge reads the edge, in order, and loads the cell of its head, at random. So a run that proposes
 * so many candidates takes at least the time for streaming the edges, and at least the time for as many independent
 * random loads from an array of the size of the cells. A run's share of the ceiling is
 * the larger of the two over its time. Chains of dependent loads, atomics and barriers come on top, so a run on a deep
 * graph has a small share.
 */
#ifndef ORDO_CLI_CEILINGS_H
#define ORDO_CLI_CEILINGS_H

#include "apps/cli/cli.h"

enum { FOOTPRINTS = 5 };

typedef struct ceilings {
    char cpu[128];
    int cores, threads;
    double stream;                                                  /* bytes a second, read in order */
    double footprint[FOOTPRINTS];                                   /* bytes of the arrays below, ascending */
    double loads[FOOTPRINTS], atomics[FOOTPRINTS], hop[FOOTPRINTS]; /* random loads and atomic additions a second, by
                                                                       all threads; seconds of a dependent load */
    double barrier;                                                 /* seconds */
} ceilings;

/* Measures, for `ordo bench machine`. Errors: ORDO_ERR_MEMORY, ORDO_ERR_CANCELLED. */
ordo_status ceilings_measure(const options *o, ceilings *out);
/* The file that keeps them (apps/cli/cache.h). False where there is no folder for it. */
bool ceilings_path(char *out, size_t size);
/* Reads those of this machine and number of threads. False where none are kept. */
bool ceilings_read(int threads, ceilings *out);
/* Seconds that `edges` relaxations take at least, of edges of `edge_bytes` and cells of `cell_bytes` in all. */
double ceilings_least_time(const ceilings *c, double edges, double edge_bytes, double cell_bytes);

#endif
