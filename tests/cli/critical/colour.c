/* colour.c -- operators/colour.h for `ordo check-operator`: of a symmetric graph; edges are handed to it. */
#include <ordo/graph.h>

struct colour_state;
static void colour_fill(struct colour_state *s, const ordo_csr *graph, ordo_vid source);
static ordo_vid colour_check(const struct colour_state *s, const ordo_csr *graph);
#define ORDO_CRITICAL_FILL colour_fill
#define ORDO_CRITICAL_CHECK colour_check
static int colour_begins(const struct colour_state *s, ordo_item v);
#define ORDO_CRITICAL_BEGINS colour_begins
#define ORDO_CRITICAL_RESULT colour
#include "../../../operators/colour.h"

static int colour_begins(const colour_state *s, ordo_item v)
{
    return s->colour[v] == 0;
}

static void colour_fill(colour_state *s, const ordo_csr *graph, ordo_vid source)
{
    ordo_vid v;
    ordo_eid e;
    ordo_u64 *rank = (ordo_u64 *)(size_t)s->rank;
    (void)source;
    for (v = 0; v < graph->n; v++)
        rank[v] = (v * 7 + 3) % 5 * graph->n + v;
    for (v = 0; v < graph->n; v++) {
        s->awaited[v] = COLOUR_NONE;
        for (e = graph->row[v]; e < graph->row[v + 1] && s->awaited[v] == COLOUR_NONE; e++)
            if (rank[graph->head[e * graph->stride]] < rank[v]) {
                s->awaited[v] = graph->head[e * graph->stride];
                s->next[v] = e;
            }
        s->colour[v] = s->awaited[v] == COLOUR_NONE ? 0 : COLOUR_NONE;
    }
}

/* No two neighbours have the same colour, and no vertex a larger one than it has edges. */
static ordo_vid colour_check(const colour_state *s, const ordo_csr *graph)
{
    ordo_vid v;
    ordo_eid e;
    for (v = 0; v < graph->n; v++) {
        if (s->colour[v] > graph->row[v + 1] - graph->row[v])
            return v;
        for (e = graph->row[v]; e < graph->row[v + 1]; e++)
            if (graph->head[e * graph->stride] != v && s->colour[graph->head[e * graph->stride]] == s->colour[v])
                return v;
    }
    return ORDO_NO_VERTEX;
}
