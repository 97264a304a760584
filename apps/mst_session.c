/* mst_session.c -- spanning forests by runs whose arrays stay on the device from the first round to the last.
 *
 * Problem: find the same forest as mst.c. There, lists of edges are made by the host between the runs, from which the
 * next run takes its edges; on a GPU these lists, and the cells, would be copied for each round.
 *
 * Method (Boruvka 1926). Runs of operators/mst.h are on the rows of the graph, which are copied once, in its third
 * form: with the component of each vertex in an array of the session, and the id of an edge as the tie-breaker. So
 * nothing depends on the order of items, which a list that was selected on a GPU does not keep. A round is two runs, to
 * the components of tails and to those of heads, and passes (mst_passes.h): components join along their edges, paths to
 * roots are shortened, every vertex gets the name of its root, and vertices all of whose edges are within a component
 * drop out of the next round. A component that is the only one left, or has no edge to another one, is complete.
 *
 * A cell is checked before it is followed, as in mst.c and with the same argument: whatever a run has left in cells,
 * joins make no cycle. So is its edge in a graph that is said to be symmetric: one of the same weight must lead back,
 * where that is a row of at most MST_LOOKED_AT arcs.
 *
 * Memory on the device: 36 bytes a vertex beside the rows.
 *
 * Not done: lightest edges first. Rows that are longer than MST_LOOKED_AT stay in all rounds.
 */
#include "apps/mst_session.h"

#include <stdio.h>

#include <ordo/memory.h>

#include "apps/common.h"
#include "apps/mst_passes.h"

#define ORDO_TEMPLATE "operators/mst.h"
#include <ordo/operator/each_weight.h>

typedef struct rounds {
    ordo_runs *runs;
    const ordo_graph *graph;
    mst_arrays arrays;
    ordo_item *list[2], *roots[2]; /* [n] of the session, used in turn: vertices, and components */
    const ordo_item *vertices;     /* that may have an edge to another component; NULL: all */
    const ordo_item *components;   /* that may join another one; NULL: all */
    ordo_u64 vertex_count, component_count, edges;
} rounds;

static ordo_status pass(const rounds *r, const ordo_pass *pass, const ordo_item *items, ordo_u64 count,
                        ordo_item *selected, ordo_found *found)
{
    const ordo_each each = {
        .pass = pass, .state = &r->arrays, .items = items, .count = count, .graph = r->graph, .selected = selected};
    return ordo_session_each(r->runs->session, &each, found);
}

/* Finds the best edge of every component. */
static ordo_status find_best(const rounds *r)
{
    const ordo_vid n = r->arrays.n;
    ordo_status status = ORDO_OK;
    for (ordo_u32 to_heads = 0; to_heads < 2 && !status; to_heads++) {
        const mst_state state = {.form = MST_COMPONENTS,
                                 .to_heads = to_heads,
                                 .symmetric = r->arrays.symmetric,
                                 .component = r->arrays.component};
        const ordo_work work = {.op = ordo_operator_find("mst_u32"),
                                .graph = r->graph,
                                .cells = r->arrays.best,
                                .state = &state,
                                .num_items = n,
                                .targets = n,
                                .initial = r->vertices,
                                .initial_count = r->vertices ? r->vertex_count : 0};
        if (ordo_runs_late(r->runs))
            return ordo_fail(ORDO_ERR_TIMEOUT, "mst under '%s' did not end within %g s: %llu components left",
                             r->runs->options.scheduler, r->runs->options.timeout,
                             (unsigned long long)r->component_count);
        status = ordo_runs_one(r->runs, &work);
    }
    return status;
}

/* Fails for component c, whose edge no other one leads back along. */
static ordo_status has_no_reverse(const rounds *r, ordo_u64 c)
{
    const ordo_csr *g = ordo_graph_out(r->graph);
    ordo_u64 key;
    const ordo_status status = ordo_runs_read(r->runs, &key, &r->arrays.best[c], sizeof key);
    return status ? status
                  : ordo_fail(ORDO_ERR_INPUT,
                              "edge %u -> %u has no reverse of the same weight, in a graph said to be symmetric",
                              ordo_csr_tail(g, (ordo_u32)key), g->head[(ordo_u32)key * (ordo_u64)g->stride]);
}

/* Joins components along their edges. `seen`: whether there is an edge between two of them. */
static ordo_status join(rounds *r, bool seen)
{
    ordo_found found;
    ordo_item *roots = r->roots[r->components == r->roots[0]];
    ordo_status status = pass(r, &mst_join_pass, r->components, r->component_count, roots, &found);
    if (!status && (ordo_u32)found.value == MST_ODD)
        return has_no_reverse(r, found.value >> 32);
    if (!status && (ordo_u32)found.value == MST_WRONG)
        return ordo_fail(ORDO_ERR_INTERNAL,
                         "mst: a run under scheduler '%s' has left component %llu of %llu an edge that is not its "
                         "lightest",
                         r->runs->options.scheduler, (unsigned long long)(found.value >> 32),
                         (unsigned long long)r->component_count);
    if (!status && seen && !found.count)
        return ordo_fail(ORDO_ERR_INTERNAL,
                         "mst: a run under scheduler '%s' has left all of %llu components without an edge",
                         r->runs->options.scheduler, (unsigned long long)r->component_count);
    if (!status)
        status = pass(r, &mst_halve_pass, r->components, r->component_count, NULL, NULL);
    if (!status)
        status = pass(r, &mst_name_pass, NULL, r->arrays.n, NULL, NULL);
    r->components = roots;
    r->component_count = found.count;
    return status;
}

static ordo_status do_rounds(rounds *r)
{
    ordo_found live;
    ordo_status status = pass(r, &mst_start_pass, NULL, r->arrays.n, NULL, NULL);
    for (bool first = true; !status; first = false) {
        ordo_item *list = r->list[r->vertices == r->list[0]];
        status = pass(r, &mst_live_pass, r->vertices, r->vertex_count, list, &live);
        r->vertices = list;
        r->vertex_count = live.count;
        if (status || (!first && (!live.count || r->component_count < 2)))
            break; /* one round is made in any case, for its statistics */
        status = find_best(r);
        if (!status)
            status = join(r, live.value > 0);
    }
    return status;
}

static ordo_status make_arrays(rounds *r)
{
    const struct {
        void **to;
        size_t size;
    } array[] = {{(void **)&r->arrays.best, sizeof *r->arrays.best},
                 {(void **)&r->arrays.component, sizeof *r->arrays.component},
                 {(void **)&r->arrays.parent, sizeof *r->arrays.parent},
                 {(void **)&r->arrays.edge, sizeof *r->arrays.edge},
                 {(void **)&r->list[0], sizeof *r->list[0]},
                 {(void **)&r->list[1], sizeof *r->list[1]},
                 {(void **)&r->roots[0], sizeof *r->roots[0]},
                 {(void **)&r->roots[1], sizeof *r->roots[1]}};
    ordo_status status = ORDO_OK;
    for (size_t i = 0; i < sizeof array / sizeof array[0] && !status; i++)
        status = ordo_session_array(r->runs->session, NULL, r->arrays.n, array[i].size, array[i].to);
    return status;
}

/* Copies the edges to the host, and sets their bits. */
static ordo_status read_edges(const rounds *r, ordo_u64 *chosen, ordo_u64 *components)
{
    const ordo_vid n = r->arrays.n;
    ordo_u32 *edge = ordo_alloc(n, sizeof *edge);
    ordo_status status =
        edge ? ordo_runs_read(r->runs, edge, r->arrays.edge, n * (ordo_u64)sizeof *edge) : ORDO_ERR_MEMORY;
    *components = n;
    for (ordo_vid c = 0; c < n && !status; c++)
        if (edge[c] != ORDO_NO_VERTEX) {
            chosen[edge[c] / 64] |= (ordo_u64)1 << (edge[c] % 64); /* mst_other() has checked it */
            --*components;
        }
    ordo_free(edge);
    return status;
}

ordo_status ordo_mst_in_session(ordo_runs *runs, const ordo_graph *graph, ordo_u64 *chosen, ordo_u64 *components)
{
    const ordo_csr *g = ordo_graph_out(graph);
    rounds r = {.runs = runs,
                .graph = graph,
                .arrays = {.m = g->m, .n = g->n, .symmetric = ordo_graph_symmetric(graph)},
                .vertex_count = g->n,
                .component_count = g->n};
    ordo_status status = ordo_session_make(runs->options.device, runs->options.threads, &runs->session);
    if (!status)
        status = make_arrays(&r);
    if (!status)
        status = do_rounds(&r);
    if (!status)
        status = read_edges(&r, chosen, components);
    ordo_session_free(runs->session);
    runs->session = NULL;
    return status;
}
