/* paths.c -- references of the gallery's searches: loops over all edges until nothing changes. */
#include <math.h>
#include <string.h>

#include "operators/gallery/astar.h"
#include "operators/gallery/drivers.h"

#include "gallery.h"

/* ---- reach ---- */

void gallery_reach(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_NONE, contract_direction(t));
    arcs edges = arcs_of(g);
    const ordo_u64 n = list->n;
    ordo_u32 *cells = contract_alloc(n, 4), *expected = contract_alloc(n, 4);
    ordo_item source[3];
    ordo_u64 sources = 0, r = t->seed;
    for (; n && sources < 1 + t->seed % 3; sources++) {
        source[sources] = (ordo_item)(next_random(&r) % n);
        cells[source[sources]] = expected[source[sources]] = 1;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 i = 0; i < edges.count; i++)
            if (expected[edges.arc[i].tail] && !expected[edges.arc[i].head]) {
                expected[edges.arc[i].head] = 1;
                changed = true;
            }
    }
    ordo_work work = {
        .graph = g, .cells = cells, .num_items = n, .targets = n, .initial = source, .initial_count = sources};
    contract_run(t, &work);
    for (ordo_u64 i = 0; i < edges.count; i++)
        if (cells[edges.arc[i].tail] > cells[edges.arc[i].head])
            contract_fail(t, "an edge leaves what is reached");
    contract_check_u32(t, cells, expected, n);
    free(edges.arc);
    free(cells);
    free(expected);
    ordo_graph_free(g);
}

/* ---- reliable_path: the same products in f32, and within rounding of those in double ---- */

/* The list as a graph whose weights are probabilities: 0, 1 and between. */
static ordo_graph *probabilities(const edge_list *list, ordo_direction direction)
{
    ordo_edge_entry *copy = contract_alloc(list->count, sizeof *copy);
    for (ordo_u64 i = 0; i < list->count; i++) {
        const ordo_f32 q = (ordo_f32)(list->edge[i].weight % 101) / 100;
        copy[i] = list->edge[i];
        memcpy(&copy[i].weight, &q, sizeof q);
    }
    ordo_graph *g;
    if (ordo_graph_from_edges(list->n, copy, list->count, ORDO_F32, direction, 1, &g))
        abort();
    free(copy);
    return g;
}

void gallery_reliable_path(trial *t, const edge_list *list)
{
    ordo_graph *g = probabilities(list, contract_direction(t));
    arcs edges = arcs_of(g);
    const ordo_u64 n = list->n;
    ordo_item source = (ordo_item)(t->seed % (n ? n : 1));
    ordo_f32 *cells = contract_alloc(n, sizeof *cells), *expected = contract_alloc(n, sizeof *expected);
    double *exact = contract_alloc(n, sizeof *exact);
    cells[source] = expected[source] = 1;
    exact[source] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 i = 0; i < edges.count; i++) {
            const ordo_vid u = edges.arc[i].tail, v = edges.arc[i].head;
            ordo_f32 q;
            memcpy(&q, &edges.arc[i].weight, sizeof q);
            if (expected[u] * q > expected[v]) {
                expected[v] = expected[u] * q;
                changed = true;
            }
            if (exact[u] * (double)q > exact[v]) {
                exact[v] = exact[u] * (double)q;
                changed = true;
            }
        }
    }
    ordo_work work = {
        .graph = g, .cells = cells, .num_items = n, .targets = n, .initial = &source, .initial_count = n ? 1 : 0};
    contract_run(t, &work);
    for (ordo_u64 v = 0; v < n; v++) {
        if (cells[v] != expected[v])
            contract_fail(t, "a probability differs from the best rounded product");
        if (fabs((double)cells[v] - exact[v]) > exact[v] * (double)n * 0x1p-24 + 0x1p-140)
            contract_fail(t, "a probability is off by more than rounding");
    }
    free(edges.arc);
    free(cells);
    free(expected);
    free(exact);
    ordo_graph_free(g);
}

/* ---- distances: to all vertices, forward or against the edges ---- */

static ordo_u32 *distances(const arcs *edges, ordo_u64 n, ordo_vid source, bool backward)
{
    ordo_u32 *dist = contract_alloc(n, sizeof *dist);
    memset(dist, 0xff, n * sizeof *dist);
    if (n)
        dist[source] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 i = 0; i < edges->count; i++) {
            const arc *a = &edges->arc[i];
            const ordo_vid u = backward ? a->head : a->tail, v = backward ? a->tail : a->head;
            if (dist[u] != 0xffffffffu && dist[u] + a->weight < dist[v]) {
                dist[v] = dist[u] + a->weight;
                changed = true;
            }
        }
    }
    return dist;
}

/* ---- astar: bounds are the exact distances, or eighths of them ---- */

void gallery_astar(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_U32, contract_direction(t));
    arcs edges = arcs_of(g);
    const ordo_u64 n = list->n, some = n ? n : 1;
    ordo_u64 r = t->seed;
    ordo_item source = (ordo_item)(next_random(&r) % some), target = (ordo_item)(next_random(&r) % some);
    ordo_u32 *expected = distances(&edges, n, source, false), *bound = distances(&edges, n, target, true);
    ordo_u32 *cells = contract_alloc(n, sizeof *cells);
    const ordo_u32 eighths = (ordo_u32)(next_random(&r) % 9);
    memset(cells, 0xff, n * sizeof *cells);
    cells[source] = 0;
    for (ordo_u64 v = 0; v < n; v++)
        if (bound[v] != 0xffffffffu || eighths == 0)
            bound[v] = (ordo_u32)((ordo_u64)bound[v] * eighths / 8);
    astar_state state = {bound, cells, target};
    ordo_work work = {.graph = g,
                      .cells = cells,
                      .state = &state,
                      .num_items = n,
                      .targets = n,
                      .initial = &source,
                      .initial_count = n ? 1 : 0};
    contract_run(t, &work);
    if (n && cells[target] != expected[target])
        contract_fail(t, "the distance of the target is wrong");
    for (ordo_u64 v = 0; v < n; v++)
        if (cells[v] < expected[v])
            contract_fail(t, "a cell is below the distance of its vertex");
    free(edges.arc);
    free(bound);
    free(cells);
    free(expected);
    ordo_graph_free(g);
}

/* ---- hop_limited: a table of distances by number of edges ---- */

typedef struct hop_limited_call {
    const ordo_graph *graph;
    ordo_vid source;
    ordo_u32 hops, *dist;
} hop_limited_call;

static ordo_status call_hop_limited(const trial *t, void *arg)
{
    const hop_limited_call *c = arg;
    return hop_limited_run(c->graph, c->source, c->hops, &t->options, c->dist, NULL);
}

void gallery_hop_limited(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_U32, contract_direction(t));
    arcs edges = arcs_of(g);
    const ordo_u64 n = list->n;
    const ordo_u32 hops = (ordo_u32)(t->seed % 4 == 3 ? n : t->seed % 9);
    const ordo_vid source = (ordo_vid)(t->seed % (n ? n : 1));
    ordo_u32 *table = contract_alloc((hops + 1) * n, sizeof *table), *dist = contract_alloc(n, sizeof *dist);
    memset(table, 0xff, n * sizeof *table);
    table[source] = 0;
    for (ordo_u32 k = 1; k <= hops; k++) {
        const ordo_u32 *before = table + (k - 1) * n;
        ordo_u32 *now = table + k * n;
        memcpy(now, before, n * sizeof *now);
        for (ordo_u64 i = 0; i < edges.count; i++) {
            const arc *a = &edges.arc[i];
            if (before[a->tail] != 0xffffffffu && before[a->tail] + a->weight < now[a->head])
                now[a->head] = before[a->tail] + a->weight;
        }
    }
    hop_limited_call call = {g, source, hops, dist};
    const ordo_status status = run_driver(t, call_hop_limited, &call, n ? ORDO_OK : ORDO_ERR_USAGE);
    if (!n && status != ORDO_ERR_USAGE)
        contract_fail(t, "a source in a graph without vertices was not refused");
    contract_check_u32(t, dist, table + hops * n, n);
    if (hops >= n) { /* then the limit means nothing */
        ordo_u32 *whole = distances(&edges, n, source, false);
        contract_check_u32(t, dist, whole, n);
        free(whole);
    }
    free(edges.arc);
    free(table);
    free(dist);
    ordo_graph_free(g);
}

/* ---- min_label: any labels, some vertices without one ---- */

void gallery_min_label(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_NONE, contract_direction(t));
    arcs edges = arcs_of(g);
    const ordo_u64 n = list->n;
    ordo_i32 *cells = contract_alloc(n, sizeof *cells), *expected = contract_alloc(n, sizeof *expected);
    ordo_item *initial = contract_alloc(n, sizeof *initial);
    ordo_u64 labelled = 0, r = t->seed;
    for (ordo_u64 v = 0; v < n; v++) {
        cells[v] = 0x7fffffff;
        if (next_random(&r) % 4 <= t->seed % 4) {
            cells[v] = (ordo_i32)(next_random(&r) % (2 * n)) - (ordo_i32)n;
            initial[labelled++] = (ordo_item)v;
        }
        expected[v] = cells[v];
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 i = 0; i < edges.count; i++)
            if (expected[edges.arc[i].tail] < expected[edges.arc[i].head]) {
                expected[edges.arc[i].head] = expected[edges.arc[i].tail];
                changed = true;
            }
    }
    ordo_work work = {
        .graph = g, .cells = cells, .num_items = n, .targets = n, .initial = initial, .initial_count = labelled};
    contract_run(t, &work);
    for (ordo_u64 i = 0; i < edges.count; i++)
        if (cells[edges.arc[i].tail] < cells[edges.arc[i].head])
            contract_fail(t, "a label is larger than that of an in-neighbour");
    for (ordo_u64 v = 0; v < n; v++)
        if (cells[v] != expected[v])
            contract_fail(t, "a label is wrong");
    free(edges.arc);
    free(cells);
    free(expected);
    free(initial);
    ordo_graph_free(g);
}
