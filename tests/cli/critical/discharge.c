/* discharge.c -- operators/discharge.h for `ordo check-operator`: a flow from the first vertex to the last. For the
 * small graphs of that command alone. */
#include <ordo/graph.h>

struct discharge_state;
static void discharge_fill(struct discharge_state *s, const ordo_csr *graph, ordo_vid source);
static ordo_vid discharge_check(const struct discharge_state *s, const ordo_csr *graph);
#define ORDO_CRITICAL_FILL discharge_fill
#define ORDO_CRITICAL_CHECK discharge_check
#define ORDO_CRITICAL_RESULT height
#include "../../../operators/discharge.h"

enum { MOST_VERTICES = 64, MOST_EDGES = 1024 };
static ordo_u32 row[MOST_VERTICES + 1];
static discharge_edge edge[MOST_EDGES];
static ordo_u64 capacity[MOST_EDGES]; /* of a residual edge at the beginning */
static discharge_progress progress;

/* Both directions of every edge that is no loop. */
static void make_edges(const ordo_csr *graph)
{
    ordo_u32 count = 0, side, i;
    ordo_vid u, v;
    ordo_eid e;
    static ordo_eid id[MOST_EDGES]; /* of the edge that a residual edge comes from */
    for (u = 0; u < graph->n; u++) {
        row[u] = count;
        for (v = 0; v < graph->n; v++)
            for (e = graph->row[v]; e < graph->row[v + 1]; e++)
                for (side = 0; side < 2; side++) {
                    const ordo_vid head = graph->head[e * graph->stride];
                    if (v == head || u != (side ? head : v))
                        continue;
                    edge[count].head = side ? v : head;
                    edge[count].residual = capacity[count] = side ? 0 : 1 + e % 5;
                    edge[count].reverse = MOST_EDGES;
                    id[count] = e;
                    for (i = 0; i < count; i++)
                        if (id[i] == e && edge[i].reverse == MOST_EDGES) {
                            edge[i].reverse = count;
                            edge[count].reverse = i;
                        }
                    count++;
                }
    }
    row[graph->n] = count;
}

static void discharge_fill(discharge_state *s, const ordo_csr *graph, ordo_vid source)
{
    ordo_vid v;
    ordo_u32 e;
    (void)source;
    make_edges(graph);
    s->row = row;
    s->edge = edge;
    s->count = NULL; /* without gaps a run ends with a maximum flow */
    s->progress = &progress;
    s->budget = ~(ordo_u64)0;
    s->vertices = graph->n;
    s->edges = row[graph->n];
    s->heights = 2 * graph->n + 1;
    s->source = 0;
    s->sink = graph->n - 1;
    progress.work = 0;
    progress.limit = 2 * graph->n;
    for (v = 0; v < graph->n; v++) {
        s->height[v] = v == s->source ? graph->n : 0;
        s->current[v] = row[v];
        s->excess[v] = 0;
    }
    for (e = row[0]; e < row[1] && graph->n > 1; e++) {
        s->excess[edge[e].head] += edge[e].residual;
        edge[edge[e].reverse].residual += edge[e].residual;
        edge[e].residual = 0;
    }
}

/* No vertex between has excess, and no path of residual edges leads to the sink. */
static ordo_vid discharge_check(const discharge_state *s, const ordo_csr *graph)
{
    ordo_vid v, reached[MOST_VERTICES] = {1};
    ordo_u32 e, round;
    if (graph->n < 2)
        return ORDO_NO_VERTEX;
    for (v = 0; v < graph->n; v++) {
        ordo_u64 excess = 0;
        for (e = row[v]; e < row[v + 1]; e++)
            excess += edge[e].residual - capacity[e];
        if ((v != s->source && s->excess[v] != excess) || (v != s->source && v != s->sink && excess))
            return v;
    }
    for (round = 0; round < graph->n; round++)
        for (v = 0; v < graph->n; v++)
            for (e = row[v]; e < row[v + 1]; e++)
                reached[edge[e].head] |= reached[v] && edge[e].residual;
    return reached[s->sink] ? s->sink : ORDO_NO_VERTEX;
}
