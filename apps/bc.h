/* bc.h -- what the app of betweenness and its native programs agree on. */
#ifndef ORDO_BC_H
#define ORDO_BC_H

#include <ordo/types.h>

/* The state of a run of the program. Its cells are double, n + 1: the scores, 0 at the start; then the largest number
 * of shortest paths from one source to one vertex. */
typedef struct bc_request {
    const ordo_vid *source; /* [count] */
    ordo_u64 count;
} bc_request;

#endif
