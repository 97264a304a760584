/* lp_verify.c -- checks labels against label propagation by sorting: in each round the labels of a vertex' neighbours
 * are sorted, and the longest stretch of equal ones, the first of several, is its next label.
 *
 * O(rounds m log(degree)); 8 bytes for each vertex and 4 for each edge of the longest row. There is no certificate: it
 * does not show in labels which rounds they come from.
 */
#include "apps/verify.h"

#include <stdlib.h>

#include <ordo/memory.h>

#include "framework/run/phase.h"

typedef struct propagation {
    const ordo_csr *way[2]; /* out-rows, and in-rows where the graph is not symmetric */
    int ways;
    ordo_u32 *label[2]; /* [n] before and after a round */
    ordo_u32 *near;     /* [the most edges of a vertex] labels of its neighbours */
} propagation;

static int compare_labels(const void *a, const void *b)
{
    const ordo_u32 x = *(const ordo_u32 *)a, y = *(const ordo_u32 *)b;
    return (x > y) - (x < y);
}

/* The edges of v, in all ways. */
static ordo_u64 edges_of(const propagation *p, ordo_vid v)
{
    ordo_u64 edges = 0;
    for (int w = 0; w < p->ways; w++)
        edges += p->way[w]->row[v + 1] - p->way[w]->row[v];
    return edges;
}

static ordo_u32 next_label(propagation *p, ordo_vid v)
{
    ordo_u64 count = 0, longest = 0;
    ordo_u32 best = p->label[0][v];
    for (int w = 0; w < p->ways; w++) {
        const ordo_csr *g = p->way[w];
        for (ordo_eid e = g->row[v]; e < g->row[v + 1]; e++)
            if (w == 0 || g->head[e * g->stride] != v) /* a loop counts once */
                p->near[count++] = p->label[0][g->head[e * g->stride]];
    }
    qsort(p->near, count, sizeof *p->near, compare_labels);
    for (ordo_u64 begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && p->near[end] == p->near[begin];)
            end++;
        if (end - begin > longest) {
            longest = end - begin;
            best = p->near[begin];
        }
    }
    return best;
}

static ordo_status propagate(propagation *p, ordo_u64 rounds)
{
    const ordo_vid n = p->way[0]->n;
    ordo_phase phase;
    ordo_phase_begin(&phase, "verifying", 0); /* when labels no longer change is not known */
    bool changed = true;
    for (ordo_u64 round = 0; round < rounds && changed; round++) {
        changed = false;
        for (ordo_vid v = 0; v < n && !ordo_phase_step(&phase, 1); v++) {
            p->label[1][v] = next_label(p, v);
            changed |= p->label[1][v] != p->label[0][v];
        }
        ordo_u32 *swap = p->label[0];
        p->label[0] = p->label[1];
        p->label[1] = swap;
    }
    return ordo_phase_end(&phase);
}

ordo_status ordo_labels_verify(const ordo_graph *graph, ordo_u64 rounds, const ordo_u32 *label, ordo_verify_how how)
{
    if (!graph || (!label && ordo_graph_out(graph)->n))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", graph ? "labels" : "graph");
    bool serial, certificate; /* the same here */
    propagation p = {.way = {ordo_graph_out(graph)}, .ways = ordo_graph_symmetric(graph) ? 1 : 2};
    const ordo_vid n = p.way[0]->n;
    ordo_status status = ordo_verify_choose(p.way[0], how, &serial, &certificate);
    if (!status && p.ways == 2)
        status = ordo_graph_in(graph, 0, &p.way[1]);
    if (status)
        return status;
    ordo_u64 most = 0;
    for (ordo_vid v = 0; v < n; v++)
        most = edges_of(&p, v) > most ? edges_of(&p, v) : most;
    p.near = ordo_alloc(most, sizeof *p.near);
    for (int i = 0; i < 2; i++)
        p.label[i] = ordo_alloc(n, sizeof *p.label[i]);
    if (!p.near || !p.label[0] || !p.label[1])
        status = ORDO_ERR_MEMORY;
    for (ordo_vid v = 0; v < n && !status; v++)
        p.label[0][v] = v;
    if (!status)
        status = propagate(&p, rounds);
    for (ordo_vid v = 0; v < n && !status; v++)
        if (label[v] != p.label[0][v])
            status = ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found label %u, expected %u", v, label[v], p.label[0][v]);
    ordo_free(p.near);
    ordo_free(p.label[0]);
    ordo_free(p.label[1]);
    return status;
}
