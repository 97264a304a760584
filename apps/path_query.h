/* path_query.h -- what the apps of paths share about <ordo/paths.h>: checks of a query, its sources in order, and the
 * source that each vertex's path comes from.
 */
#ifndef ORDO_PATH_QUERY_H
#define ORDO_PATH_QUERY_H

#include <stdbool.h>

#include <ordo/paths.h>

/* A query that was checked. */
typedef struct ordo_sources {
    const ordo_vid *vertex; /* [count] ascending, each once */
    ordo_u64 count;
    double limit;  /* INFINITY: none */
    ordo_vid *own; /* what to free, or NULL */
} ordo_sources;

/* Checks query and answer. ORDO_ERR_USAGE for NULL, reserved words, a source that is no vertex and a limit that is
 * none; ORDO_ERR_MEMORY. To be freed by ordo_sources_free. */
ordo_status ordo_sources_make(const ordo_graph *g, const ordo_path_query *query, const ordo_path_answer *answer,
                              ordo_sources *out);
void ordo_sources_free(ordo_sources *s);
bool ordo_sources_has(const ordo_sources *s, ordo_vid v);
/* Sets the cells of all sources, of that type. */
void ordo_sources_set(const ordo_sources *s, ordo_type type, void *cells, ordo_u64 word);
/* ORDO_ERR_USAGE, by the problem's name ("widest paths"), for what it does not have: predecessors, a limit and an
 * early end. */
ordo_status ordo_sources_refuse(const ordo_path_query *query, const ordo_path_answer *answer, const char *what);

/* Fills nearest[n] with the source that predecessors lead to from each vertex. */
ordo_status ordo_nearest_by_pred(const ordo_sources *s, ordo_u64 n, const ordo_vid *pred, int threads,
                                 ordo_vid *nearest);
/* Fills nearest[n] with the source that a widest path comes from, as <ordo/paths.h> specifies. Widths are words of the
 * graph's type, final. Serial, O(n + m). */
ordo_status ordo_nearest_by_width(const ordo_sources *s, const ordo_graph *g, const void *width, ordo_vid *nearest);

#endif
