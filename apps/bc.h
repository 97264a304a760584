/* bc.h -- what the app of betweenness and its native programs agree on. */
#ifndef ORDO_BC_H
#define ORDO_BC_H

#include <ordo/types.h>

/* The state of a run of the program. Its cells are double: the scores, 0 at the start. */
typedef struct bc_request {
    const ordo_vid *source; /* [count] */
    ordo_u64 count;
    double *most_paths; /* [out] of one source to one vertex */
} bc_request;

#endif
