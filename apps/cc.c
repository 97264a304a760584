/* cc.c -- the app of connected components: a head start by linking, then one run of operators/cc.h from all vertices.
 *
 * The head start: every vertex is linked with its first two neighbours in a forest of parents whose roots are smallest
 * ids (Sutton, Ben-Nun and Barak, IPDPS 2018: two edges of each vertex already connect most of a large component). The
 * root of a vertex is a label that propagation could have given it, so the run starts from these labels, and most edges
 * then change nothing. Without the head start labels move one edge at a time, and on a road network nearly every vertex
 * improves many times.
 *
 * Labels move along edges, so every edge must have its reverse: for a directed graph a symmetric copy without weights
 * is made first, counted as preparation, and freed afterwards.
 *
 * Not done: strong components.
 */
#include "apps/common.h"
#include "apps/runs.h"

#include <ordo/memory.h>

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return ordo_operator_find("cc");
}

/* ---- the head start ---- */

typedef struct linking {
    const ordo_csr *g;
    ordo_u32 *parent; /* [n] the cells; parent[v] <= v always, so that there is no cycle */
} linking;

static ordo_u32 parent_of(const linking *l, ordo_u32 v)
{
    return __atomic_load_n(&l->parent[v], __ATOMIC_RELAXED);
}

/* The root of v, with path halving. Every thread replaces a parent only by one of its ancestors, so relaxed order is
 * enough. */
static ordo_u32 root_of(const linking *l, ordo_u32 v)
{
    for (ordo_u32 up = parent_of(l, v); up != v; up = parent_of(l, v)) {
        ordo_u32 above = parent_of(l, up);
        __atomic_store_n(&l->parent[v], above, __ATOMIC_RELAXED);
        v = above;
    }
    return v;
}

/* Makes the smaller of two roots the parent of the larger one. Only a root ever gets another parent, by
 * compare-and-swap. */
static void link_two(const linking *l, ordo_u32 a, ordo_u32 b)
{
    for (;;) {
        a = root_of(l, a);
        b = root_of(l, b);
        if (a == b)
            return;
        ordo_u32 low = a < b ? a : b, high = a < b ? b : a, expected = high;
        if (__atomic_compare_exchange_n(&l->parent[high], &expected, low, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return;
    }
}

/* Rows are sorted by head, so parallel edges are adjacent: they count once. */
static void link_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    enum { NEIGHBOURS = 2 };
    const linking *l = arg;
    for (ordo_u64 u = begin; u < end; u++) {
        ordo_vid last = (ordo_vid)u;
        int linked = 0;
        for (ordo_eid e = l->g->row[u]; e < l->g->row[u + 1] && linked < NEIGHBOURS; e++) {
            ordo_vid head = l->g->head[e * l->g->stride];
            if (head == last || head == u)
                continue;
            link_two(l, (ordo_u32)u, head);
            last = head;
            linked++;
        }
    }
}

static void compress(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const linking *l = arg;
    for (ordo_u64 v = begin; v < end; v++)
        __atomic_store_n(&l->parent[v], root_of(l, (ordo_u32)v), __ATOMIC_RELAXED);
}

static ordo_status head_start(const ordo_csr *g, int threads, ordo_u32 *component)
{
    linking l = {.g = g, .parent = component};
    ordo_status status = ordo_fill_ids(threads, component, g->n);
    if (!status)
        status = ordo_for_ranges(threads, g->n, ORDO_GRAIN, link_range, &l);
    return status ? status : ordo_for_ranges(threads, g->n, ORDO_GRAIN, compress, &l);
}

/* ---- the app ---- */

ordo_status ordo_cc(const ordo_graph *g, const ordo_options *options, ordo_u32 *component, ordo_stats *stats)
{
    if (!g)
        return ordo_fail(ORDO_ERR_USAGE, "no graph given");
    ordo_options chosen = ordo_options_or_auto(options, "bsp");
    ordo_work work = ordo_vertex_work(op_for(g), g, NULL, component, NULL);
    work.nearly_done = true; /* after head_start */
    ordo_status status = ordo_run_check(&work, &chosen);
    if (status)
        return status;

    ordo_graph *copy = NULL;
    double start = ordo_clock();
    if (!ordo_graph_symmetric(g)) {
        status = ordo_copy_rows(g, ORDO_SYMMETRISE, chosen.threads, &copy);
        work.graph = copy;
    }
    double prepared = ordo_clock();
    if (!status)
        status = head_start(ordo_graph_out(work.graph), chosen.threads, component);
    double linked = ordo_clock();
    if (status) {
        ordo_runs_none(stats, status);
        ordo_graph_free(copy);
        return status;
    }
    status = ordo_run(&work, &chosen, stats);
    if (stats && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT)) {
        stats->prepare_seconds += prepared - start;
        stats->run_seconds += linked - prepared;
    }
    ordo_graph_free(copy);
    return status;
}

ordo_status ordo_cc_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    ordo_u32 none = 0;
    ordo_options chosen = ordo_options_or_auto(options, "bsp");
    ordo_work work = ordo_vertex_work(op_for(g), g, NULL, &none, NULL); /* cells are not read */
    work.nearly_done = true;
    ordo_status status = ordo_run_memory(&work, &chosen, expected, at_most);
    if (status || ordo_graph_symmetric(g))
        return status;
    ordo_u64 lists, copy = ordo_copy_memory(g, ORDO_SYMMETRISE, &lists);
    *expected = copy + (*expected > lists ? *expected : lists);
    *at_most = copy + (2 * *at_most > lists ? 2 * *at_most : lists);
    return ORDO_OK;
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    ordo_status status = ordo_answer_capacity(answer, ORDO_U32, ordo_graph_out(input->graph)->n, false);
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
    .values_are_vertices = true,
    .op = op_for,
    .run = run,
    .verify = verify,
    .memory = ordo_cc_memory,
};
