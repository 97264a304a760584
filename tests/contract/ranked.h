/* ranked.h -- edges as a plain list, and random ranks of vertices: for references. */
#ifndef ORDO_TESTS_RANKED_H
#define ORDO_TESTS_RANKED_H

#include <stdlib.h>

#include "contract.h"

/* Every stored edge of a graph, in the order of rows. */
typedef struct arc {
    ordo_vid tail, head;
    ordo_u32 weight; /* its word; 1 on a graph without weights */
} arc;
typedef struct arcs {
    ordo_u64 count;
    arc *arc;
} arcs;

static inline arcs arcs_of(const ordo_graph *g)
{
    const ordo_csr *rows = ordo_graph_out(g);
    arcs list = {rows->m, contract_alloc(rows->m, sizeof *list.arc)};
    for (ordo_vid u = 0; u < rows->n; u++)
        for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++)
            list.arc[e] = (arc){u, rows->head[e * rows->stride],
                                rows->weight ? ((const ordo_u32 *)rows->weight)[e * rows->stride] : 1};
    return list;
}

/* Distinct ranks of n vertices, at random. */
static inline ordo_u32 *random_ranks(const trial *t, ordo_u64 n)
{
    ordo_u32 *rank = contract_alloc(n, sizeof *rank);
    ordo_u64 r = t->seed * 1000003 + n;
    for (ordo_u64 v = 0; v < n; v++) {
        const ordo_u64 other = next_random(&r) % (v + 1);
        rank[v] = rank[other];
        rank[other] = (ordo_u32)v;
    }
    return rank;
}

/* vertex[n] so that their ranks ascend. */
static inline ordo_vid *by_rank(const ordo_u32 *rank, ordo_u64 n)
{
    ordo_vid *order = contract_alloc(n, sizeof *order);
    for (ordo_u64 v = 0; v < n; v++)
        order[rank[v]] = (ordo_vid)v;
    return order;
}

/* Edges to neighbours of a lower rank, for each vertex. */
static inline ordo_u32 *lower_neighbours(const arcs *list, const ordo_u32 *rank, ordo_u64 n)
{
    ordo_u32 *lower = contract_alloc(n, sizeof *lower);
    for (ordo_u64 i = 0; i < list->count; i++)
        lower[list->arc[i].tail] += rank[list->arc[i].head] < rank[list->arc[i].tail];
    return lower;
}

#endif
