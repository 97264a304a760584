/* maxflow_passes.h -- a global relabel of maxflow.c, around the search by operators/relabel.h: what the search reads
 * and where it begins; heights, current edges and active vertices after it.
 */
#include <ordo/operator/pass.h>

#ifndef ORDO_MAXFLOW_PASSES_H
#define ORDO_MAXFLOW_PASSES_H

#include "apps/network.h"

typedef struct maxflow_arrays {
    discharge_state flow;
    ordo_u8 *open;   /* [flow.edges] whether the reverse of an edge has residual capacity */
    ordo_vid *first; /* [1] where the search begins */
    ordo_vid to;     /* what that is */
} maxflow_arrays;

/* Ahead of the search. Items are edges, and as many vertices: one thread that visited a whole row would take long where
 * a terminal has edges to all vertices. */
ORDO_FN ordo_u64 maxflow_begin_visit(const maxflow_arrays *s, ordo_item i, const ordo_rows *out, const ordo_rows *in)
{
    const discharge_state *f = &s->flow;
    (void)out;
    (void)in;
    if (i < f->edges)
        s->open[i] = f->edge[f->edge[i].reverse].residual > 0;
    if (i < f->vertices) {
        f->height[i] = i == s->to ? 0 : ordo_highest_u32();
        f->count[i] = 0;
    }
    if (i == 0) {
        s->first[0] = s->to;
        f->progress->work = 0;
        f->progress->limit = f->vertices;
    }
    return ORDO_NO_VALUE;
}

/* After it. Active vertices have a value. Vertices that were not reached are not counted: no discharge looks at them.
 */
ORDO_FN ordo_u64 maxflow_active_visit(const maxflow_arrays *s, ordo_item v, const ordo_rows *out, const ordo_rows *in)
{
    const discharge_state *f = &s->flow;
    (void)out;
    (void)in;
    f->current[v] = f->row[v];
    if (f->height[v] >= f->vertices) {
        f->height[v] = f->vertices;
        return ORDO_NO_VALUE;
    }
    ordo_add_u32(&f->count[f->height[v]], 1);
    return f->excess[v] && v != f->source && v != f->sink ? 0 : ORDO_NO_VALUE;
}

#endif

#define ORDO_PASS maxflow_begin
#define ORDO_PASS_STATE maxflow_arrays
#define ORDO_PASS_EACH maxflow_begin_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS maxflow_active
#define ORDO_PASS_STATE maxflow_arrays
#define ORDO_PASS_EACH maxflow_active_visit
#include <ordo/operator/pass.h>
