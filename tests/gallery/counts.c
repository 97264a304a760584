/* counts.c -- the reference of betweenness: by definition, from matrices of n by n. */
#include <math.h>
#include <string.h>

#include "operators/gallery/drivers.h"

#include "gallery.h"

/* ---- betweenness: for each pair the share of shortest paths that pass a vertex ---- */

/* Levels from a vertex, -1 where there is no path, and numbers of shortest paths. */
static void count_paths(const arcs *edges, ordo_u64 n, ordo_u64 source, int *level, double *paths)
{
    for (ordo_u64 v = 0; v < n; v++) {
        level[v] = -1;
        paths[v] = 0;
    }
    level[source] = 0;
    paths[source] = 1;
    bool more = true;
    for (int depth = 0; more; depth++) {
        more = false;
        for (ordo_u64 i = 0; i < edges->count; i++) {
            const ordo_vid u = edges->arc[i].tail, v = edges->arc[i].head;
            if (level[u] != depth || (level[v] >= 0 && level[v] <= depth))
                continue;
            level[v] = depth + 1;
            paths[v] += paths[u];
            more = true;
        }
    }
}

/* A path of 33 edges, each 4 times: 2^66 shortest paths, which do not fit. */
static ordo_graph *many_paths(void)
{
    enum { EDGES = 33, TIMES = 4 };
    ordo_edge_entry edge[EDGES * TIMES];
    for (ordo_u32 i = 0; i < EDGES * TIMES; i++)
        edge[i] = (ordo_edge_entry){i / TIMES, i / TIMES + 1, 1};
    ordo_graph *g;
    if (ordo_graph_from_edges(EDGES + 1, edge, EDGES * TIMES, ORDO_NONE, ORDO_AS_STORED, 1, &g))
        abort();
    return g;
}

typedef struct betweenness_call {
    const ordo_graph *graph;
    const ordo_vid *source;
    ordo_u64 count;
    double *score, error;
} betweenness_call;

static ordo_status call_betweenness(const trial *t, void *arg)
{
    betweenness_call *c = arg;
    memset(c->score, 0, ordo_graph_out(c->graph)->n * sizeof *c->score);
    return betweenness_run(c->graph, c->source, c->count, &t->options, c->score, &c->error, NULL);
}

void gallery_betweenness(trial *t, const edge_list *list)
{
    const bool many = !strcmp(t->family, "parallel") && t->seed % 2;
    ordo_graph *g = many ? many_paths() : family_graph(list, ORDO_NONE, contract_direction(t));
    arcs edges = arcs_of(g);
    const ordo_u64 n = ordo_graph_out(g)->n, count = n < 2 ? n : 2;
    int *level = contract_alloc(n * n, sizeof *level);
    double *paths = contract_alloc(n * n, sizeof *paths), *score = contract_alloc(n, sizeof *score);
    ordo_vid source[2];
    for (ordo_u64 v = 0; v < n; v++)
        count_paths(&edges, n, v, level + v * n, paths + v * n);
    for (ordo_u64 i = 0; i < count; i++)
        source[i] = (ordo_vid)(many ? i : (t->seed + i * (n / 2)) % n);
    betweenness_call call = {g, source, count, score, 0};
    const ordo_status status = run_driver(t, call_betweenness, &call, ORDO_ERR_OVERFLOW);
    const double error = call.error;
    double most = 0; /* parallel edges multiply paths */
    for (ordo_u64 i = 0; i < count; i++)
        for (ordo_u64 v = 0; v < n; v++)
            most = fmax(most, paths[source[i] * n + v]);
    if ((status == ORDO_ERR_OVERFLOW) != (most >= 0x1p64))
        contract_fail(t, "numbers of paths that do not fit must be refused, and no others");
    if (error > (double)n * (double)count * most * 0x1p-55) /* n < 128: 55 bits */
        contract_fail(t, "the bound of the error is too large");
    for (ordo_u64 v = 0; v < n && !status; v++) {
        double expected = 0;
        for (ordo_u64 i = 0; i < count; i++)
            for (ordo_u64 w = 0, s = source[i]; w < n; w++)
                if (v != s && v != w && level[s * n + v] >= 0 && level[v * n + w] >= 0 &&
                    level[s * n + v] + level[v * n + w] == level[s * n + w])
                    expected += paths[s * n + v] * paths[v * n + w] / paths[s * n + w];
        if (score[v] > expected * (1 + 1e-12) + 1e-9 || score[v] < expected * (1 - 1e-12) - error - 1e-9)
            contract_fail(t, "a score is wrong");
    }
    free(edges.arc);
    free(level);
    free(paths);
    free(score);
    ordo_graph_free(g);
}
