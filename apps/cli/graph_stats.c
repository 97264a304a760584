/* graph_stats.c -- statistics of `ordo info` beyond those that reading gives: degrees, weak components, a lower bound
 * of the diameter.
 *
 * The bound comes from double sweeps: a vertex farthest from a random one is usually peripheral, so the distance from
 * it to its farthest vertex is usually large. In a directed graph the second sweep goes against the edges, so that both
 * sweeps find lengths of shortest paths of the graph. It is only a lower bound: longer shortest paths may exist.
 */
#include "apps/cli/cli.h"

#include <math.h>
#include <stdlib.h>

static void count_degrees(const ordo_csr *g, graph_stats *s)
{
    s->least = g->n ? ~(ordo_u64)0 : 0;
    for (ordo_u64 v = 0; v < g->n; v++) {
        ordo_u64 degree = g->row[v + 1] - g->row[v];
        int bucket = degree ? 64 - __builtin_clzll(degree) : 0;
        s->histogram[bucket]++;
        s->least = degree < s->least ? degree : s->least;
    }
    s->without = s->histogram[0];
    for (int i = 0; i < DEGREE_BUCKETS; i++)
        s->buckets = s->histogram[i] ? i + 1 : s->buckets;
}

static ordo_options plain_run(const options *o)
{
    return (ordo_options){.threads = o->threads, .cancel = &cancelled};
}

/* ---- components ---- */

ordo_status find_components(const options *o, const loaded *g, ordo_u32 **out)
{
    ordo_options run = plain_run(o);
    ordo_u64 expected, at_most;
    ordo_status status = ordo_cc_memory(g->graph, &run, &expected, &at_most);
    if (!status)
        status = check_memory(o, "counting components", expected + answer_bytes(NULL, g, false));
    if (status)
        return status;
    ordo_u32 *component = malloc((g->info.vertices + 1) * sizeof *component);
    if (!component)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for the components of %llu vertices",
                         (unsigned long long)g->info.vertices);
    show_phase(o, "counting components of", g->info.source);
    process_cancellable(true);
    status = g->info.vertices ? ordo_cc(g->graph, &run, component, NULL) : ORDO_OK;
    process_cancellable(false);
    clear_progress();
    if (!status)
        status = check_cancelled();
    if (status)
        free(component);
    else
        *out = component;
    return status;
}

ordo_status largest_component(const ordo_u32 *component, ordo_u64 n, ordo_vid *which, ordo_u64 *size, ordo_u64 *count)
{
    ordo_vid *sizes = calloc(n + 1, sizeof *sizes);
    if (!sizes)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for the sizes of components");
    for (ordo_u64 v = 0; v < n; v++)
        sizes[component[v]]++;
    *which = 0;
    *count = 0;
    for (ordo_u64 v = 0; v < n; v++) {
        *count += sizes[v] > 0;
        if (sizes[v] > sizes[*which])
            *which = (ordo_vid)v;
    }
    *size = sizes[*which];
    free(sizes);
    return ORDO_OK;
}

static ordo_status count_components(const options *o, const loaded *g, graph_stats *s)
{
    ordo_u32 *component;
    ordo_vid which;
    ordo_status status = find_components(o, g, &component);
    if (status)
        return status;
    status = largest_component(component, g->info.vertices, &which, &s->largest, &s->components);
    free(component);
    return status;
}

/* ---- the diameter ---- */

/* The vertex farthest from `from` (of those the one with the least id). */
static ordo_status sweep(const options *o, const ordo_graph *g, ordo_vid from, ordo_u32 *level, ordo_vid *farthest,
                         ordo_u64 *hops)
{
    ordo_options run = plain_run(o);
    ordo_status status = ordo_bfs(g, from, INFINITY, &run, level, NULL, NULL);
    if (!status)
        status = check_cancelled();
    if (status)
        return status;
    *farthest = from;
    for (ordo_vid v = 0; v < ordo_graph_out(g)->n; v++)
        if (level[v] != ORDO_UNREACHED_U32 && level[v] > level[*farthest])
            *farthest = v;
    *hops = level[*farthest] > *hops ? level[*farthest] : *hops;
    return ORDO_OK;
}

static ordo_status sweep_twice(const options *o, const loaded *g, const ordo_graph *back, ordo_u32 *level,
                               graph_stats *s)
{
    ordo_twister64 random;
    ordo_twister64_start(&random, o->seed);
    ordo_status status = ORDO_OK;
    for (int i = 0; i < SWEEPS && !status; i++) {
        ordo_vid from, end, ignored;
        status = pick_source(&random, g->graph, &from);
        if (!status)
            status = sweep(o, g->graph, from, level, &end, &s->hops);
        if (!status)
            status = sweep(o, back, end, level, &ignored, &s->hops);
        s->sweeps = i + 1;
    }
    return status;
}

static ordo_status bound_diameter(const options *o, const loaded *g, graph_stats *s)
{
    if (g->info.vertices == 0)
        return ORDO_OK;
    ordo_options run = plain_run(o);
    ordo_u64 expected, at_most;
    bool symmetric = g->info.symmetric;
    ordo_status status = ordo_bfs_memory(g->graph, &run, &expected, &at_most);
    if (!status)
        status = check_memory(o, "bounding the diameter",
                              expected + answer_bytes(NULL, g, false) + (symmetric ? 0 : g->info.bytes));
    if (status)
        return status;
    const ordo_csr *in;
    ordo_graph *back = NULL;
    ordo_u32 *level = malloc(g->info.vertices * sizeof *level);
    if (!level)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for the levels of %llu vertices",
                         (unsigned long long)g->info.vertices);
    show_phase(o, "bounding the diameter of", g->info.source);
    if (!symmetric)
        status = ordo_graph_in(g->graph, o->threads, &in);
    if (!status && !symmetric)
        status = ordo_graph_borrow(in, false, &back);
    process_cancellable(true);
    if (!status)
        status = sweep_twice(o, g, back ? back : g->graph, level, s);
    process_cancellable(false);
    clear_progress();
    ordo_graph_free(back);
    free(level);
    return status;
}

/* ---- all of it ---- */

ordo_status graph_stats_of(const options *o, const loaded *g, graph_stats *out)
{
    *out = (graph_stats){0};
    count_degrees(ordo_graph_out(g->graph), out);
    if (o->quick)
        return ORDO_OK;
    ordo_status status = count_components(o, g, out);
    if (!status)
        status = bound_diameter(o, g, out);
    out->ran = !status;
    if (status != ORDO_ERR_MEMORY)
        return status;
    snprintf(out->why, sizeof out->why, "%s", ordo_last_error());
    return ORDO_OK;
}
