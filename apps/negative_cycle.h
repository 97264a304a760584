/* negative_cycle.h -- finds a cycle of negative weight, from tentative distances or by a serial search. */
#ifndef ORDO_NEGATIVE_CYCLE_H
#define ORDO_NEGATIVE_CYCLE_H

#include <stdbool.h>

#include <ordo/paths.h>

#include "apps/path_query.h"

/* A search of shortest paths that was stopped. */
typedef struct ordo_search {
    const ordo_csr *g;
    ordo_type type; /* of weights and distances: ORDO_I32, ORDO_F32, ORDO_I64 or ORDO_F64 */
    const ordo_sources *sources;
    void *dist;      /* [n] each the weight of a walk from a source, or unreached, or the type's least value */
    double deadline; /* by ordo_clock(), of ordo_search_decide; 0: none */
} ordo_search;

/* What a look at a stopped search tells. */
typedef struct ordo_look {
    bool proven;      /* there is a cycle of negative weight, or a distance that does not fit, as far as distances are
                       * those of operators/bellman_ford.h without lost updates */
    ordo_vid *active; /* [active_count] the vertices with an edge that improves its head; from ordo_alloc */
    ordo_u64 active_count;
} ordo_look;

/* Looks for a cycle of negative weight; cycle->length is 0 where none was found. O(n + m), serial. */
ordo_status ordo_search_look(const ordo_search *s, ordo_look *look, ordo_cycle *cycle);
/* Searches again from the beginning, serially: fills s->dist or finds a cycle. O(n m) at most. Errors:
 * ORDO_ERR_OVERFLOW; ORDO_ERR_INPUT where rounded sums go down without end; ORDO_ERR_TIMEOUT; ORDO_ERR_CANCELLED;
 * ORDO_ERR_MEMORY. */
ordo_status ordo_search_decide(const ordo_search *s, ordo_cycle *cycle);
#endif
