/* rows.h -- what build.c, transform.c and rows.c share about rows. */
#ifndef ORDO_FRAMEWORK_GRAPH_ROWS_H
#define ORDO_FRAMEWORK_GRAPH_ROWS_H

#include "graph.h"

#include "framework/run/phase.h"

/* A counter from which threads take ranges, on a separate cache line. */
typedef struct ordo_shared {
    _Alignas(64) ordo_u64 next; /* atomic */
} ordo_shared;

static inline ordo_u64 ordo_take_next(ordo_shared *s, ordo_u64 count)
{
    return __atomic_fetch_add(&s->next, count, __ATOMIC_RELAXED);
}

/* Takes the next rows begin .. end - 1 that no thread has taken yet; false where there are none, and where the phase,
 * which counts rows, is to stop. */
static inline bool ordo_next_rows(const ordo_csr *g, ordo_shared *s, ordo_phase *phase, ordo_u64 *begin, ordo_u64 *end)
{
    enum { ROWS_AT_ONCE = 1024 };
    if (ordo_phase_step(phase, ROWS_AT_ONCE))
        return false;
    *begin = ordo_take_next(s, ROWS_AT_ONCE);
    *end = *begin + ROWS_AT_ONCE < g->n ? *begin + ROWS_AT_ONCE : g->n;
    return *begin < g->n;
}

/* Memory that sorting needs, kept from row to row. {NULL, 0} at first; block is the caller's to free. */
typedef struct ordo_scratch {
    void *block;
    ordo_u64 capacity; /* edges */
} ordo_scratch;

/* Sorts edges begin .. end - 1 by head, stably. False where memory is short. */
bool ordo_row_sort(ordo_vid *head, ordo_u32 stride, ordo_eid begin, ordo_eid end, ordo_scratch *s);

#endif
