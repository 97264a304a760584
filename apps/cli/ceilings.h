/* ceilings.h -- what the machine can do at most, measured by `ordo bench machine` and kept, for the column `of ceiling`
 * of `ordo compare`.
 *
 * A relaxation of an edge reads the edge, in order, and loads the cell of its head, at random. So a run that proposes
 * so many candidates takes at least the time for streaming the edges, and at least the time for as many independent
 * random loads from an array of the size of the cells. On a GPU the cells must be copied there before, and back after.
 * A run's share of the ceiling is the larger of the two, with the copies, over its time. Chains of dependent loads,
 * atomics and barriers come on top, so a run on a deep graph has a small share.
 */
#ifndef ORDO_CLI_CEILINGS_H
#define ORDO_CLI_CEILINGS_H

#include <ordo/detail/backend.h>

#include "apps/cli/cli.h"

/* Of a CPU with a number of threads, or of a GPU beside a CPU. */
typedef struct ceilings {
    char cpu[128];
    int cores, threads; /* threads 0: of the GPU */
    ordo_device device; /* name empty: of the CPU */
    ordo_ceilings figures;
} ceilings;

/* The file that keeps them (apps/cli/cache.h). False where there is no folder for it. */
bool ceilings_path(char *out, size_t size);
/* Writes them to the file, in the place of those of the same processor and number of threads, or of the same GPU.
 * `path` is changed meanwhile. Errors: ORDO_ERR_MEMORY, ORDO_ERR_IO. */
ordo_status ceilings_keep(const ceilings *c, char *path);
/* Reads those of this machine: of its CPU with so many threads, or, where `device` is not empty, of the GPU of that
 * name. False where none are kept. */
bool ceilings_read(int threads, const char *device, ceilings *out);
/* Prints medians, each with the range of its passes. */
void ceilings_print(const ceilings *c);
/* Seconds that `edges` relaxations take at least, of edges of `edge_bytes` and cells of `cell_bytes` in all. */
double ceilings_least_time(const ceilings *c, double edges, double edge_bytes, double cell_bytes);

#endif
