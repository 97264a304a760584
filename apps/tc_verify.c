/* tc_verify.c -- checks numbers of triangles by the serial algorithm of Chiba and Nishizeki (SIAM J. Comput. 14(1),
 * 1985): in descending order of degrees, a vertex marks its neighbours, counts the edges between them, and is removed.
 *
 * O(m^1.5), 8 bytes an edge: each edge is looked at from the end of fewer neighbours. It is the certificate as well.
 * Neighbours count once, whatever directions, loops and parallel edges there are: they are listed first.
 */
#include "apps/verify.h"

#include <ordo/memory.h>

#include "framework/run/phase.h"

typedef struct triangles {
    const ordo_csr *way[2]; /* out-rows, and in-rows where the graph is not symmetric */
    int ways;
    ordo_vid n;
    ordo_u64 *begin;     /* [n + 1] of a vertex' neighbours in `neighbour` */
    ordo_vid *neighbour; /* each once */
    ordo_vid *order;     /* [n] by degree, the largest first */
    ordo_vid *mark;      /* [n] the vertex whose neighbour it is and that has not seen it */
    ordo_u8 *removed;    /* [n] */
    ordo_u64 *corner;    /* [n] */
    ordo_u64 count, wedges;
} triangles;

/* Counts the neighbours of v, and lists them where `list` is not NULL. */
static ordo_u64 neighbours_of(triangles *t, ordo_vid v, ordo_vid *list)
{
    ordo_u64 count = 0;
    t->mark[v] = v;
    for (int w = 0; w < t->ways; w++) {
        const ordo_csr *g = t->way[w];
        for (ordo_eid e = g->row[v]; e < g->row[v + 1]; e++) {
            const ordo_vid u = g->head[e * g->stride];
            if (t->mark[u] == v)
                continue;
            t->mark[u] = v;
            if (list)
                list[count] = u;
            count++;
        }
    }
    return count;
}

static void clear_marks(triangles *t)
{
    for (ordo_vid v = 0; v < t->n; v++)
        t->mark[v] = ORDO_NO_VERTEX;
}

static ordo_status list_neighbours(triangles *t)
{
    clear_marks(t);
    for (ordo_vid v = 0; v < t->n; v++) {
        const ordo_u64 degree = neighbours_of(t, v, NULL);
        t->begin[v + 1] = t->begin[v] + degree;
        t->wedges += degree ? degree * (degree - 1) / 2 : 0;
    }
    t->neighbour = ordo_alloc(t->begin[t->n], sizeof *t->neighbour);
    if (!t->neighbour)
        return ORDO_ERR_MEMORY;
    clear_marks(t);
    for (ordo_vid v = 0; v < t->n; v++)
        neighbours_of(t, v, t->neighbour + t->begin[v]);
    clear_marks(t);
    return ORDO_OK;
}

/* Sorts by degree, by counting. */
static ordo_status sort(triangles *t)
{
    ordo_u64 *first = ordo_alloc_zero((size_t)t->n + 1, sizeof *first); /* by n - degree */
    if (!first)
        return ORDO_ERR_MEMORY;
    for (ordo_vid v = 0; v < t->n; v++)
        first[t->n - (t->begin[v + 1] - t->begin[v])]++;
    ordo_u64 sum = 0;
    for (ordo_u64 d = 0; d <= t->n; d++) {
        const ordo_u64 count = first[d];
        first[d] = sum;
        sum += count;
    }
    for (ordo_vid v = 0; v < t->n; v++)
        t->order[first[t->n - (t->begin[v + 1] - t->begin[v])]++] = v;
    ordo_free(first);
    return ORDO_OK;
}

static void remove_one(triangles *t, ordo_vid v)
{
    for (ordo_u64 i = t->begin[v]; i < t->begin[v + 1]; i++)
        if (!t->removed[t->neighbour[i]])
            t->mark[t->neighbour[i]] = v;
    for (ordo_u64 i = t->begin[v]; i < t->begin[v + 1]; i++) {
        const ordo_vid u = t->neighbour[i];
        if (t->removed[u])
            continue;
        t->mark[u] = ORDO_NO_VERTEX;
        for (ordo_u64 k = t->begin[u]; k < t->begin[u + 1]; k++) {
            const ordo_vid w = t->neighbour[k];
            if (t->mark[w] != v)
                continue;
            t->corner[v]++;
            t->corner[u]++;
            t->corner[w]++;
            t->count++;
        }
    }
    t->removed[v] = 1;
}

static ordo_status count(triangles *t)
{
    ordo_phase phase;
    ordo_phase_begin(&phase, "verifying", t->n);
    for (ordo_vid i = 0; i < t->n && !ordo_phase_at(&phase, i); i++)
        remove_one(t, t->order[i]);
    return ordo_phase_end(&phase);
}

static bool differs(double found, double right)
{
    return !(fabs(found - right) <= 1e-9 * fabs(right));
}

static ordo_status compare(const triangles *t, const ordo_u64 *corner, const ordo_triangles_found *found)
{
    double clustering = 0;
    for (ordo_vid v = 0; v < t->n && corner; v++) {
        const double degree = (double)(t->begin[v + 1] - t->begin[v]);
        clustering += degree < 2 ? 0 : (double)t->corner[v] / (degree * (degree - 1) / 2) / t->n;
        if (corner[v] != t->corner[v])
            return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found %llu triangles, expected %llu", v,
                             (unsigned long long)corner[v], (unsigned long long)t->corner[v]);
    }
    if (found->triangles != t->count)
        return ordo_fail(ORDO_ERR_VERIFY, "found %llu triangles, expected %llu", (unsigned long long)found->triangles,
                         (unsigned long long)t->count);
    if (found->wedges != t->wedges)
        return ordo_fail(ORDO_ERR_VERIFY, "found %llu wedges, expected %llu", (unsigned long long)found->wedges,
                         (unsigned long long)t->wedges);
    const double transitivity = t->wedges ? 3.0 * (double)t->count / (double)t->wedges : 0;
    if (differs(found->transitivity, transitivity))
        return ordo_fail(ORDO_ERR_VERIFY, "found transitivity %.17g, expected %.17g", found->transitivity,
                         transitivity);
    if (corner && differs(found->clustering, clustering))
        return ordo_fail(ORDO_ERR_VERIFY, "found mean clustering %.17g, expected %.17g", found->clustering, clustering);
    return ORDO_OK;
}

ordo_status ordo_triangles_verify(const ordo_graph *graph, const ordo_u64 *corner, const ordo_triangles_found *found,
                                  ordo_verify_how how)
{
    if (!graph || !found)
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", graph ? "number of triangles" : "graph");
    bool serial, certificate; /* the same here */
    ordo_status status = ordo_verify_choose(ordo_graph_out(graph), how, &serial, &certificate);
    if (status)
        return status;
    const ordo_vid n = ordo_graph_out(graph)->n;
    triangles t = {.way = {ordo_graph_out(graph)}, .ways = ordo_graph_symmetric(graph) ? 1 : 2, .n = n};
    if (t.ways == 2 && (status = ordo_graph_in(graph, 0, &t.way[1])))
        return status;
    t.begin = ordo_alloc_zero((size_t)n + 1, sizeof *t.begin);
    t.order = ordo_alloc(n, sizeof *t.order);
    t.mark = ordo_alloc(n, sizeof *t.mark);
    t.removed = ordo_alloc_zero(n, sizeof *t.removed);
    t.corner = ordo_alloc_zero(n, sizeof *t.corner);
    if (!t.begin || !t.order || !t.mark || !t.removed || !t.corner)
        status = ORDO_ERR_MEMORY;
    if (!status)
        status = list_neighbours(&t);
    if (!status)
        status = sort(&t);
    if (!status)
        status = count(&t);
    if (!status)
        status = compare(&t, corner, found);
    ordo_free(t.begin);
    ordo_free(t.neighbour);
    ordo_free(t.order);
    ordo_free(t.mark);
    ordo_free(t.removed);
    ordo_free(t.corner);
    return status;
}
