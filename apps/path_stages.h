/* path_stages.h -- shortest paths and levels that end early: once targets are reached, or a number of vertices. */
#ifndef ORDO_PATH_STAGES_H
#define ORDO_PATH_STAGES_H

#include "apps/path_query.h"

/* A search whose cells are words that compare as distances do; at first 0 at the sources, "unreached" elsewhere. */
typedef struct ordo_stages {
    const ordo_graph *graph;
    ordo_type type; /* of distances */
    bool weighted;  /* otherwise every edge counts 1 */
    const ordo_path_query *query;
    const ordo_sources *from;
    ordo_work *work; /* with the sources as initial items; these are changed */
    void *state;     /* of the operator, in *work */
    double most;     /* the largest distance that the query and the type allow */
    /* Sets the operator's state: distances beyond the limit propose nothing. */
    void (*set_limit)(void *state, ordo_type type, double limit);
} ordo_stages;

/* Whether the query asks for it. */
bool ordo_stops_early(const ordo_path_query *query);
/* Runs until the query's condition holds, and sets cells of vertices that are farther to "unreached". *within as of
 * ordo_path_answer. */
ordo_status ordo_stages_run(const ordo_stages *s, const ordo_options *options, ordo_stats *stats, double *within);

#endif
