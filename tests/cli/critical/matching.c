/* matching.c -- operators/matching.h for `ordo check-operator`: edges are items. */
#include <ordo/graph.h>

struct matching_state;
static void matching_fill(struct matching_state *s, const ordo_csr *graph, ordo_vid source);
static ordo_vid matching_check(const struct matching_state *s, const ordo_csr *graph);
#define ORDO_CRITICAL_FILL matching_fill
#define ORDO_CRITICAL_CHECK matching_check
#define ORDO_CRITICAL_RESULT edge
#include "../../../operators/matching.h"

static void matching_fill(matching_state *s, const ordo_csr *graph, ordo_vid source)
{
    ordo_vid v;
    (void)source;
    for (v = 0; v < graph->n; v++)
        s->edge[v] = MATCHING_NONE;
}

/* Both ends of an edge that a vertex is matched by are matched by it, and no edge has two free ends. */
static ordo_vid matching_check(const matching_state *s, const ordo_csr *graph)
{
    ordo_vid v;
    ordo_eid e;
    for (v = 0; v < graph->n; v++) {
        if (s->edge[v] != MATCHING_NONE &&
            (s->edge[v] >= graph->m || s->edge[s->edges.tail[s->edge[v]]] != s->edge[v] ||
             s->edge[graph->head[s->edge[v] * graph->stride]] != s->edge[v]))
            return v;
        for (e = graph->row[v]; e < graph->row[v + 1]; e++) {
            const ordo_vid head = graph->head[e * graph->stride];
            if (head != v && s->edge[v] == MATCHING_NONE && s->edge[head] == MATCHING_NONE)
                return v;
        }
    }
    return ORDO_NO_VERTEX;
}
