/* gallery.h -- what the references of the gallery share: edges as a plain list, and where answers are compared.
 *
 * Each gallery_NAME is the contract_reference of operators/gallery/NAME.h (tests/contract/contract.h).
 */
#ifndef ORDO_TESTS_GALLERY_H
#define ORDO_TESTS_GALLERY_H

#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>

#include "tests/contract/contract.h"

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

/* A driver's call, with t->options. */
typedef ordo_status gallery_call(const trial *t, void *arg);

/* Makes the call until it refuses no setting; returns its status, which is `other` or ORDO_OK. In some trials, makes it
 * again for each of its allocations, which then fails: it must say so, and leave nothing behind. */
static inline ordo_status run_driver(trial *t, gallery_call *call, void *arg, ordo_status other)
{
    ordo_status status;
    do
        status = call(t, arg);
    while (status != other && contract_again(t, status));
    if (status || t->seed != 1 || t->options.threads != 1 || strcmp(t->family, "disconnected") != 0)
        return status;
    const ordo_u64 before = ordo_memory_now();
    ordo_u64 k = 0;
    do {
        ordo_memory_fail_after(++k);
        status = call(t, arg);
        ordo_memory_fail_after(0);
        if (status && status != ORDO_ERR_MEMORY)
            contract_fail(t, "a failed allocation gives another error");
        if (ordo_memory_now() != before)
            contract_fail(t, "memory is left behind");
    } while (status);
    if (k < 3)
        contract_fail(t, "no allocation failed");
    return status;
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
