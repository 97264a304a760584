/* flow_answer.h -- what a maximum flow is returned in, for the programs that check one. */
#ifndef ORDO_TESTS_FLOW_ANSWER_H
#define ORDO_TESTS_FLOW_ANSWER_H

#include <stdlib.h>

#include <ordo/apps.h>
#include <ordo/graph.h>

typedef struct answer {
    ordo_u64 *flow; /* [m] */
    ordo_u8 *side;  /* [n] */
    ordo_flow f;
    ordo_stats stats;
} answer;

static answer answer_capacity(const ordo_graph *graph)
{
    const ordo_csr *g = ordo_graph_out(graph);
    answer a = {.flow = calloc(g->m + 1, sizeof *a.flow), .side = calloc((size_t)g->n + 1, 1)};
    if (!a.flow || !a.side)
        abort();
    return a;
}

static void answer_free(answer *a)
{
    free(a->flow);
    free(a->side);
    ordo_stats_free(&a->stats);
}

#endif
