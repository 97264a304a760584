/* partition.c -- divides vertices into parts of about equal size with few edges between them.
 *
 * Method: METIS (Karypis and Kumar, SIAM J. Sci. Comput. 20(1), 1998) on the graph with directions, loops and parallel
 * edges left out, every vertex and every edge counting 1, always from the same seed. Graphs of fewer than 16 vertices
 * for each part, or without edges, are cut into ranges. A graph keeps the partitions that were made.
 *
 * Not done: weights; several threads; a choice of imbalance.
 */
#include "framework/graph/graph.h"

#ifdef HAVE_METIS
#include <metis.h>
#endif

struct ordo_partition {
    ordo_partition *next;
    ordo_u32 parts;
    ordo_u32 part[]; /* [n] */
};

#ifdef HAVE_METIS

/* Writes the neighbours of u in either direction, each once, without u; returns their number. `seen[v]` is the last
 * u + 1 of which v was a neighbour. */
static ordo_u64 neighbours(const ordo_csr *const rows[2], ordo_vid u, ordo_u32 *seen, idx_t *to)
{
    ordo_u64 count = 0;
    seen[u] = u + 1;
    for (int i = 0; i < 2 && rows[i]; i++)
        for (ordo_eid e = rows[i]->row[u]; e < rows[i]->row[u + 1]; e++) {
            ordo_vid v = rows[i]->head[e * rows[i]->stride];
            if (seen[v] == u + 1)
                continue;
            seen[v] = u + 1;
            if (to)
                to[count] = (idx_t)v;
            count++;
        }
    return count;
}

static ordo_status cut(const ordo_csr *const rows[2], ordo_u32 parts, ordo_u32 *part)
{
    const ordo_vid n = rows[0]->n;
    ordo_u32 *seen = ordo_alloc_zero(n, sizeof *seen);
    idx_t *row = ordo_alloc((size_t)n + 1, sizeof *row), *found = ordo_alloc(n, sizeof *found), *head = NULL;
    ordo_status status = seen && row && found ? ORDO_OK : ORDO_ERR_MEMORY;
    ordo_u64 edges = 0;
    for (ordo_vid u = 0; !status && u < n; u++) {
        row[u] = (idx_t)edges;
        edges += neighbours(rows, u, seen, NULL);
    }
    if (!status && edges > (ordo_u64)IDX_MAX)
        status = ordo_fail(ORDO_ERR_INPUT, "%llu edges to partition, METIS was built for at most %llu",
                           (unsigned long long)edges, (unsigned long long)IDX_MAX);
    if (!status && !(head = ordo_alloc(edges, sizeof *head)))
        status = ORDO_ERR_MEMORY;
    if (!status) {
        row[n] = (idx_t)edges;
        for (ordo_vid u = 0; u < n; u++)
            seen[u] = 0;
        for (ordo_vid u = 0; u < n; u++)
            neighbours(rows, u, seen, head + row[u]);
        idx_t options[METIS_NOPTIONS], vertices = (idx_t)n, constraints = 1, wanted = (idx_t)parts, crossing;
        METIS_SetDefaultOptions(options);
        options[METIS_OPTION_SEED] = 1;
        int result = edges ? METIS_PartGraphKway(&vertices, &constraints, row, head, NULL, NULL, NULL, &wanted, NULL,
                                                 NULL, options, &crossing, found)
                           : METIS_OK;
        if (result == METIS_ERROR_MEMORY)
            status = ordo_fail(ORDO_ERR_MEMORY, "METIS has not enough memory for %u vertices and %llu edges", n,
                               (unsigned long long)edges);
        else if (result != METIS_OK)
            status = ordo_fail(ORDO_ERR_INTERNAL, "METIS ends with %d", result);
    }
    for (ordo_vid v = 0; !status && v < n; v++) {
        part[v] = edges ? (ordo_u32)found[v] : (ordo_u32)((ordo_u64)v * parts / n);
        if (part[v] >= parts)
            status = ordo_fail(ORDO_ERR_INTERNAL, "METIS puts vertex %u into part %u of %u", v, part[v], parts);
    }
    ordo_free(seen);
    ordo_free(row);
    ordo_free(found);
    ordo_free(head);
    return status;
}

#else

static ordo_status cut(const ordo_csr *const rows[2], ordo_u32 parts, ordo_u32 *part)
{
    (void)rows;
    (void)parts;
    (void)part;
    return ordo_fail(ORDO_ERR_USAGE, "a partition was asked for, and this build has no METIS (see -Dmetis)");
}

#endif

ordo_status ordo_graph_partition(const ordo_graph *g, ordo_u32 parts, int threads, const ordo_u32 **out)
{
    if (parts == 0)
        return ordo_fail(ORDO_ERR_USAGE, "a partition into 0 parts was asked for");
    const ordo_csr *rows[2] = {ordo_graph_out(g), NULL};
    ordo_status status = g->symmetric ? ORDO_OK : ordo_graph_in(g, threads, &rows[1]);
    if (status)
        return status;
    ordo_graph *me = (ordo_graph *)(size_t)g; /* as in ordo_graph_in */
    pthread_mutex_lock(&me->lock);
    ordo_partition *p = me->partitions;
    while (p && p->parts != parts)
        p = p->next;
    if (!p) {
        const ordo_vid n = rows[0]->n;
        p = ordo_alloc(sizeof *p + (size_t)n * sizeof p->part[0], 1);
        status = p ? ORDO_OK : ORDO_ERR_MEMORY;
        if (!status && (parts == 1 || n < (ordo_u64)16 * parts)) /* METIS divides by the logarithm of parts */
            for (ordo_vid v = 0; v < n; v++)
                p->part[v] = (ordo_u32)((ordo_u64)v * parts / n);
        else if (!status)
            status = cut(rows, parts, p->part);
        if (status) {
            ordo_free(p);
        } else {
            p->parts = parts;
            p->next = me->partitions;
            me->partitions = p;
        }
    }
    pthread_mutex_unlock(&me->lock);
    if (!status)
        *out = p->part;
    return status;
}

void ordo_partitions_free(ordo_partition *list)
{
    while (list) {
        ordo_partition *next = list->next;
        ordo_free(list);
        list = next;
    }
}
