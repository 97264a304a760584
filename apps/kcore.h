/* kcore.h -- what the app of core numbers (kcore.c) hands to its native program on a GPU (kcore.cu). */
#ifndef ORDO_APPS_KCORE_H
#define ORDO_APPS_KCORE_H

#include <ordo/types.h>

/* The state of the program's run. Its cells are core numbers, u32, ORDO_NO_VERTEX at first, and afterwards where the
 * vertex was not removed. The graph must be symmetric, without loops and parallel edges. */
typedef struct ordo_kcore_state {
    ordo_u32 k; /* 0: all levels are peeled; else only the vertices that are not in the k-core are removed */
} ordo_kcore_state;

#endif
