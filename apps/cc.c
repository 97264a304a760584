/* cc.c -- the app of connected components: one run of operators/cc.h from all vertices.
 *
 * Labels travel along edges, so every edge must have its reverse: of a directed graph a symmetrised copy without
 * weights is made first, counted as preparation, and freed after.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "apps/tree.h"

#include <time.h>

#include <ordo/memory.h>

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return ordo_operator_find("cc");
}

static ordo_work work_for(const ordo_graph *g, ordo_u32 *component)
{
    ordo_vid n = ordo_graph_out(g)->n;
    return (ordo_work){.op = op_for(g), .graph = g, .cells = component, .universe = n, .targets = n};
}

/* ---- symmetrising ---- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct listing {
    const ordo_csr *g;
    ordo_edge_entry *list; /* [m] */
} listing;

static void list_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const listing *l = arg;
    const ordo_csr *g = l->g;
    for (ordo_u64 u = begin; u < end; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++)
            l->list[e] = (ordo_edge_entry){.tail = (ordo_vid)u, .head = g->head[e * g->stride]};
}

static ordo_status symmetrise(const ordo_csr *g, int threads, ordo_graph **out)
{
    listing l = {.g = g, .list = ordo_alloc(g->m, sizeof *l.list)};
    if (!l.list)
        return ORDO_ERR_MEMORY;
    ordo_status status = ordo_for_ranges(threads, g->n, ORDO_GRAIN, list_range, &l);
    if (!status)
        status = ordo_graph_from_edges(g->n, l.list, g->m, ORDO_NONE, ORDO_SYMMETRISE, threads, out);
    ordo_free(l.list);
    return status;
}

/* ---- the app ---- */

ordo_status ordo_cc(const ordo_graph *g, const ordo_options *options, ordo_u32 *component, ordo_stats *stats)
{
    if (!g)
        return ordo_fail(ORDO_ERR_USAGE, "no graph given");
    ordo_options chosen = ordo_options_or(options, "delta");
    ordo_work work = work_for(g, component);
    ordo_status status = ordo_run_check(&work, &chosen);
    if (status)
        return status;

    ordo_graph *copy = NULL;
    double start = seconds();
    if (!ordo_graph_symmetric(g)) {
        status = symmetrise(ordo_graph_out(g), chosen.threads, &copy);
        if (status)
            return status;
        work.graph = copy;
    }
    double prepared = seconds();
    status = ordo_fill_ids(chosen.threads, component, work.targets);
    if (!status)
        status = ordo_run(&work, &chosen, stats);
    if (stats && copy && (!status || status == ORDO_ERR_CANCELLED))
        stats->prepare_seconds += prepared - start;
    ordo_graph_free(copy);
    return status;
}

ordo_status ordo_cc_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    ordo_u32 none = 0;
    ordo_options chosen = ordo_options_or(options, "delta");
    ordo_work work = work_for(g, &none); /* cells are not looked at */
    ordo_status status = ordo_run_memory(&work, &chosen, expected, at_most);
    if (status || ordo_graph_symmetric(g))
        return status;
    /* The copy has twice the edges. While it is made there are a list of its edges and one of twice that as well. */
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_u64 copy = ((ordo_u64)rows->n + 1) * sizeof(ordo_eid) + 2 * rows->m * sizeof(ordo_vid);
    ordo_u64 lists = 3 * rows->m * sizeof(ordo_edge_entry);
    *expected = copy + (*expected > lists ? *expected : lists);
    *at_most = copy + (2 * *at_most > lists ? 2 * *at_most : lists);
    return ORDO_OK;
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    ordo_status status = ordo_answer_room(answer, ORDO_U32, ordo_graph_out(input->graph)->n, false);
    if (!status)
        status = ordo_cc(input->graph, options, answer->values, stats);
    if (status)
        return status;
    const ordo_u32 *component = answer->values;
    ordo_u64 count = 0;
    for (ordo_u64 v = 0; v < answer->n; v++)
        count += component[v] == v;
    answer->fields[0] = (ordo_field){.name = "components", .type = ORDO_U64, .whole = count};
    answer->field_count = 1;
    return ORDO_OK;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    return ordo_cc_verify(input->graph, answer->values, how);
}

extern const ordo_app ordo_app_cc;
const ordo_app ordo_app_cc = {
    .name = "cc",
    .summary = "connected components; of a directed graph the weak ones",
    .value_name = "component",
    .op = op_for,
    .run = run,
    .verify = verify,
    .memory = ordo_cc_memory,
};
