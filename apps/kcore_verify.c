/* kcore_verify.c -- checks core numbers against the serial algorithm of Batagelj and Zaversnik (2003): vertices are
 * kept in order of their remaining neighbours, by swapping a vertex to the front of its bin when it loses one.
 *
 * O(n + m), 24 bytes for each vertex; fast enough to be the serial reference and the certificate. Neighbours count
 * once: a mark is the vertex for which a neighbour was last counted, and a vertex is first marked as its own neighbour.
 */
#include "apps/verify.h"

#include <ordo/memory.h>

#include "framework/run/phase.h"

typedef struct bins {
    const ordo_csr *way[2]; /* out-rows, and in-rows where the graph is not symmetric */
    int ways;
    ordo_u32 *degree;   /* [n] neighbours left; in the end the core number */
    ordo_vid *order;    /* [n] vertices by degree */
    ordo_u32 *position; /* [n] in order */
    ordo_u64 *begin;    /* [n + 1] where the bin of a degree begins in order */
    ordo_vid *mark;     /* [n] */
} bins;

typedef void visit_fn(bins *b, ordo_vid v, ordo_vid neighbour);

static void for_neighbours(bins *b, ordo_vid v, visit_fn *visit)
{
    b->mark[v] = v;
    for (int w = 0; w < b->ways; w++) {
        const ordo_csr *g = b->way[w];
        for (ordo_eid e = g->row[v]; e < g->row[v + 1]; e++) {
            ordo_vid u = g->head[e * g->stride];
            if (b->mark[u] == v)
                continue;
            b->mark[u] = v;
            visit(b, v, u);
        }
    }
}

static void count_one(bins *b, ordo_vid v, ordo_vid neighbour)
{
    (void)neighbour;
    b->degree[v]++;
}

/* A neighbour above v's level loses v: it moves to the front of its bin, and the bin then begins after it. */
static void lose_one(bins *b, ordo_vid v, ordo_vid u)
{
    if (b->degree[u] <= b->degree[v])
        return;
    ordo_u64 front = b->begin[b->degree[u]]++, at = b->position[u];
    ordo_vid first = b->order[front];
    b->order[front] = u;
    b->order[at] = first;
    b->position[u] = (ordo_u32)front;
    b->position[first] = (ordo_u32)at;
    b->degree[u]--;
}

static void sort_by_degree(bins *b, ordo_vid n)
{
    for (ordo_vid v = 0; v < n; v++)
        b->begin[b->degree[v] + 1]++;
    for (ordo_vid d = 1; d <= n; d++)
        b->begin[d] += b->begin[d - 1];
    for (ordo_vid v = 0; v < n; v++) {
        b->position[v] = (ordo_u32)b->begin[b->degree[v]]++;
        b->order[b->position[v]] = v;
    }
    for (ordo_vid d = n; d > 0; d--)
        b->begin[d] = b->begin[d - 1];
    b->begin[0] = 0;
}

/* Sets degree[] to core numbers. */
static ordo_status find_cores(bins *b, ordo_vid n)
{
    ordo_phase phase;
    ordo_phase_begin(&phase, "verifying", 2 * (ordo_u64)n);
    for (ordo_vid v = 0; v < n && !ordo_phase_at(&phase, v); v++)
        for_neighbours(b, v, count_one);
    ordo_status status = ordo_phase_end(&phase);
    if (status)
        return status;
    sort_by_degree(b, n);
    for (ordo_vid v = 0; v < n; v++)
        b->mark[v] = ORDO_NO_VERTEX;
    for (ordo_vid i = 0; i < n && !ordo_phase_at(&phase, i); i++)
        for_neighbours(b, b->order[i], lose_one);
    return ordo_phase_end(&phase);
}

static ordo_status compare(const bins *b, ordo_vid n, ordo_u32 k, const ordo_u32 *core)
{
    for (ordo_vid v = 0; v < n; v++) {
        ordo_u32 right = k ? b->degree[v] >= k : b->degree[v];
        if (core[v] == right)
            continue;
        if (k)
            return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found %u, expected %u: its core number is %u", v, core[v],
                             right, b->degree[v]);
        return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found core number %u, expected %u", v, core[v], right);
    }
    return ORDO_OK;
}

ordo_status ordo_kcore_verify(const ordo_graph *graph, ordo_u32 k, const ordo_u32 *core, ordo_verify_how how)
{
    if (!graph || (!core && ordo_graph_out(graph)->n))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", graph ? "core numbers" : "graph");
    bool serial, certificate; /* the same here */
    ordo_status status = ordo_verify_choose(ordo_graph_out(graph), how, &serial, &certificate);
    if (status)
        return status;
    const ordo_vid n = ordo_graph_out(graph)->n;
    bins b = {.way = {ordo_graph_out(graph)}, .ways = ordo_graph_symmetric(graph) ? 1 : 2};
    if (b.ways == 2 && (status = ordo_graph_in(graph, 0, &b.way[1])))
        return status;
    b.degree = ordo_alloc_zero(n, sizeof *b.degree);
    b.order = ordo_alloc(n, sizeof *b.order);
    b.position = ordo_alloc(n, sizeof *b.position);
    b.begin = ordo_alloc_zero((size_t)n + 1, sizeof *b.begin);
    b.mark = ordo_alloc(n, sizeof *b.mark);
    if (!b.degree || !b.order || !b.position || !b.begin || !b.mark)
        status = ORDO_ERR_MEMORY;
    for (ordo_vid v = 0; !status && v < n; v++)
        b.mark[v] = ORDO_NO_VERTEX;
    if (!status)
        status = find_cores(&b, n);
    if (!status)
        status = compare(&b, n, k, core);
    ordo_free(b.degree);
    ordo_free(b.order);
    ordo_free(b.position);
    ordo_free(b.begin);
    ordo_free(b.mark);
    return status;
}
