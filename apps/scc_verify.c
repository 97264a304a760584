/* scc_verify.c -- checks strong components against Tarjan's algorithm (SIAM J. Comput. 1(2), 1972), with a stack of its
 * own in place of recursion.
 *
 * O(n + m), 20 bytes for each vertex; fast enough to be the serial reference and the certificate.
 */
#include "apps/verify.h"

#include <ordo/memory.h>

#include "framework/run/phase.h"

typedef struct tarjan {
    const ordo_csr *g;
    ordo_vid *index; /* [n] order of discovery, from 1; 0: not found yet */
    ordo_vid *low;   /* [n] the smallest index that is known to be reached within the component */
    ordo_vid *stack; /* [n] found, component not known */
    ordo_vid *path;  /* [n] from the root of the search to the vertex that is looked at */
    ordo_eid *next;  /* [n] the next edge of a vertex on the path */
    ordo_vid *right; /* [n] the component's smallest vertex; ORDO_NO_VERTEX while it is not known */
    ordo_u64 found, stacked, depth;
} tarjan;

static void enter(tarjan *t, ordo_vid v)
{
    t->index[v] = t->low[v] = (ordo_vid)++t->found;
    t->next[v] = t->g->row[v];
    t->stack[t->stacked++] = v;
    t->path[t->depth++] = v;
}

/* Takes the component of v, which is its root, from the stack. */
static void close_component(tarjan *t, ordo_vid v)
{
    ordo_u64 first = t->stacked;
    ordo_vid least = v;
    do {
        first--;
        least = t->stack[first] < least ? t->stack[first] : least;
    } while (t->stack[first] != v);
    for (ordo_u64 i = first; i < t->stacked; i++)
        t->right[t->stack[i]] = least;
    t->stacked = first;
}

static void search_from(tarjan *t, ordo_vid root)
{
    const ordo_csr *g = t->g;
    enter(t, root);
    while (t->depth) {
        const ordo_vid v = t->path[t->depth - 1];
        if (t->next[v] < g->row[v + 1]) {
            const ordo_vid u = g->head[t->next[v]++ * g->stride];
            if (!t->index[u])
                enter(t, u);
            else if (t->right[u] == ORDO_NO_VERTEX && t->index[u] < t->low[v])
                t->low[v] = t->index[u];
            continue;
        }
        t->depth--;
        if (t->low[v] == t->index[v])
            close_component(t, v);
        if (t->depth && t->low[v] < t->low[t->path[t->depth - 1]])
            t->low[t->path[t->depth - 1]] = t->low[v];
    }
}

static ordo_status compare(tarjan *t, const ordo_vid *component)
{
    const ordo_vid n = t->g->n;
    ordo_phase phase;
    ordo_phase_begin(&phase, "verifying", n);
    for (ordo_vid v = 0; v < n; v++)
        t->right[v] = ORDO_NO_VERTEX;
    for (ordo_vid v = 0; v < n && !ordo_phase_at(&phase, v); v++)
        if (!t->index[v])
            search_from(t, v);
    ordo_status status = ordo_phase_end(&phase);
    for (ordo_vid v = 0; v < n && !status; v++)
        if (component[v] != t->right[v])
            status =
                ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found component %u, expected %u", v, component[v], t->right[v]);
    return status;
}

ordo_status ordo_scc_verify(const ordo_graph *graph, const ordo_u32 *component, ordo_verify_how how)
{
    if (!graph)
        return ordo_fail(ORDO_ERR_USAGE, "no graph given");
    bool serial, certificate; /* the same here */
    tarjan t = {.g = ordo_graph_out(graph)};
    const ordo_vid n = t.g->n;
    ordo_status status = ordo_verify_choose(t.g, how, &serial, &certificate);
    if (status)
        return status;
    if (!component && n)
        return ordo_fail(ORDO_ERR_USAGE, "no components given");
    t.index = ordo_alloc_zero(n, sizeof *t.index);
    t.low = ordo_alloc(n, sizeof *t.low);
    t.stack = ordo_alloc(n, sizeof *t.stack);
    t.path = ordo_alloc(n, sizeof *t.path);
    t.next = ordo_alloc(n, sizeof *t.next);
    t.right = ordo_alloc(n, sizeof *t.right);
    status = t.index && t.low && t.stack && t.path && t.next && t.right ? compare(&t, component) : ORDO_ERR_MEMORY;
    ordo_free(t.index);
    ordo_free(t.low);
    ordo_free(t.stack);
    ordo_free(t.path);
    ordo_free(t.next);
    ordo_free(t.right);
    return status;
}
