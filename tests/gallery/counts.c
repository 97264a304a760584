/* counts.c -- the reference of scc: by definition, from a matrix of n by n. */
#include <string.h>

#include "operators/gallery/drivers.h"

#include "gallery.h"

/* ---- scc: two vertices are in one component if each has a path to the other ---- */

typedef struct scc_call {
    const ordo_graph *graph;
    ordo_vid *component;
    ordo_u32 rounds;
} scc_call;

static ordo_status call_scc(const trial *t, void *arg)
{
    scc_call *c = arg;
    return scc_run(c->graph, t->seed, &t->options, c->component, &c->rounds, NULL);
}

void gallery_scc(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_NONE, contract_direction(t));
    arcs edges = arcs_of(g);
    const ordo_u64 n = list->n;
    ordo_u8 *path = contract_alloc(n * n, 1);
    ordo_vid *component = contract_alloc(n, sizeof *component);
    for (ordo_u64 s = 0; s < n; s++) {
        path[s * n + s] = 1;
        for (bool changed = true; changed;) {
            changed = false;
            for (ordo_u64 i = 0; i < edges.count; i++)
                if (path[s * n + edges.arc[i].tail] && !path[s * n + edges.arc[i].head]) {
                    path[s * n + edges.arc[i].head] = 1;
                    changed = true;
                }
        }
    }
    memset(component, 0xff, n * sizeof *component);
    scc_call call = {g, component, 0};
    run_driver(t, call_scc, &call, ORDO_OK);
    for (ordo_u64 v = 0; v < n; v++)
        if (component[v] >= n || component[component[v]] != component[v])
            contract_fail(t, "a component is not named by one of its vertices");
    for (ordo_u64 u = 0; u < n; u++)
        for (ordo_u64 v = 0; v < n; v++)
            if ((component[u] == component[v]) != (path[u * n + v] && path[v * n + u]))
                contract_fail(t, "components are not mutual reachability");
    if (call.rounds > n || (edges.count == 0 && call.rounds > 1))
        contract_fail(t, "too many rounds");
    free(edges.arc);
    free(path);
    free(component);
    ordo_graph_free(g);
}
