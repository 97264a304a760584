/* tc.h -- what the app of triangles and its native programs agree on. */
#ifndef ORDO_TC_H
#define ORDO_TC_H

#include <stdbool.h>

#include <ordo/types.h>

/* The cell of a run on a GPU that has counted nothing: a row has a loop, parallel edges or no order. */
#define TC_NOT_SIMPLE 0xffffffffffffffffu

/* The state of a run of the program. Its cells are ordo_u64: one, the number of triangles; with `corners` [n], those
 * at each vertex. */
typedef struct tc_request {
    bool corners;        /* on the CPU */
    ordo_u64 *triangles; /* [out] on the CPU; with corners */
    bool *is_simple;     /* [out] false: nothing was counted, a row has a loop, parallel edges or no order */
} tc_request;

#endif
