/* forests.c -- references of mst: the lightest edge of every component, over rows of vertices, over a list, and over
 * rows with the component of each vertex. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ORDO_TEMPLATE "operators/mst.h"
#include <ordo/operator/each_weight.h>

#include "contract.h"

/* ---- mst: cells are components; items are vertices, or pieces of a list of edges ---- */

static ordo_type weight_type(const trial *t)
{
    return !strcmp(t->op, "mst_i32") ? ORDO_I32 : !strcmp(t->op, "mst_f32") ? ORDO_F32 : ORDO_U32;
}

/* The upper half of a cell: unsigned, in the order of weight i. Floating-point numbers of one sign are in the order of
 * their words, downwards below 0. */
static ordo_u64 rank_of(ordo_type type, const void *weight, ordo_u64 i)
{
    const ordo_u64 middle = (ordo_u64)1 << 31;
    if (type == ORDO_U32)
        return ((const ordo_u32 *)weight)[i];
    if (type == ORDO_I32)
        return (ordo_u64)((long long)middle + ((const ordo_i32 *)weight)[i]);
    const ordo_f32 w = ((const ordo_f32 *)weight)[i], size = fabsf(w);
    ordo_u32 word;
    memcpy(&word, &size, sizeof word);
    return w < 0 ? middle - 1 - word : middle + word;
}

/* Rows of vertices: each takes the lightest of its own edges, then the nearest head. */
static void try_vertices(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, weight_type(t), ORDO_SYMMETRISE);
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_u64 n = list->n;
    ordo_u64 *cells = contract_alloc(n, 8), *expected = contract_alloc(n, 8);
    for (ordo_u64 u = 0; u < n; u++) {
        cells[u] = expected[u] = ~(ordo_u64)0;
        for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++) {
            ordo_vid v = rows->head[e * rows->stride];
            ordo_u64 key = rank_of(rows->weight_type, rows->weight, e * rows->stride) << 32 | v;
            if (v != u && key < expected[u])
                expected[u] = key;
        }
    }
    mst_state state = {0};
    ordo_work work = {.graph = g, .cells = cells, .state = &state, .num_items = n, .targets = n};
    contract_run(t, &work);
    for (ordo_u64 u = 0; u < n; u++)
        if (cells[u] != expected[u])
            contract_fail(t, "a vertex' lightest edge is wrong");
    /* Racy rounds repeat until nothing changes; on a GPU an edge that has lost a race is tried again with its item. */
    const bool again = !strcmp(t->options.sync, "racy") || !strcmp(t->options.sync, "race");
    if (t->stats.items < n || (t->stats.items != n && !again))
        contract_fail(t, "an item that activates nothing was not processed exactly once");
    free(cells);
    free(expected);
    ordo_graph_free(g);
}

/* A list in pieces of five arcs: more vertices than components, so cells and items are of different numbers. */
static void try_listed(trial *t, const edge_list *list)
{
    enum { PIECE = 5 };
    ordo_u64 arcs = 2 * list->count, components = list->n / 3 + 1, pieces = (arcs + PIECE - 1) / PIECE, r = t->seed;
    ordo_u64 rows = pieces > components ? pieces : components;
    ordo_eid *row = contract_alloc(rows + 1, sizeof *row);
    ordo_vid *head = contract_alloc(arcs, sizeof *head);
    const ordo_type type = weight_type(t);
    ordo_u32 *weight = contract_alloc(arcs, sizeof *weight); /* words of that type */
    ordo_u64 *cells = contract_alloc(components, 8), *expected = contract_alloc(components, 8);
    for (ordo_u64 i = 0; i <= rows; i++)
        row[i] = i * PIECE < arcs ? i * PIECE : arcs;
    for (ordo_u64 c = 0; c < components; c++)
        cells[c] = expected[c] = ~(ordo_u64)0;
    for (ordo_u64 a = 0; a < arcs; a++) {
        head[a] = (ordo_vid)(next_random(&r) % components);
        weight[a] = list->edge[a / 2].weight;
        if (type == ORDO_I32)
            weight[a] -= 50; /* below 0, too */
        const ordo_f32 real = (ordo_f32)weight[a] / 4 - 12;
        if (type == ORDO_F32)
            memcpy(&weight[a], &real, sizeof real);
        ordo_u64 key = rank_of(type, weight, a) << 32 | a / 2;
        expected[head[a]] = key < expected[head[a]] ? key : expected[head[a]];
    }
    ordo_csr csr = {
        .n = (ordo_vid)rows, .m = arcs, .row = row, .head = head, .weight = weight, .stride = 1, .weight_type = type};
    ordo_graph *g;
    if (ordo_graph_borrow(&csr, false, &g))
        contract_fail(t, ordo_last_error());
    mst_state state = {.form = MST_LIST};
    ordo_work work = {.graph = g, .cells = cells, .state = &state, .num_items = pieces, .targets = components};
    contract_run(t, &work);
    for (ordo_u64 c = 0; c < components; c++)
        if (cells[c] != expected[c])
            contract_fail(t, "a component's lightest edge is wrong");
    ordo_graph_free(g);
    free(row);
    free(head);
    free(weight);
    free(cells);
    free(expected);
}

/* Rows with components: a run for the ends of one kind, from all vertices or from those with an edge between two
 * components, in descending order. */
static void try_components(trial *t, const edge_list *list)
{
    const bool symmetric = t->seed / 3 % 2, to_heads = t->seed / 6 % 2, all = t->seed / 12 % 2;
    ordo_graph *g = family_graph(list, weight_type(t), symmetric ? ORDO_SYMMETRISE : ORDO_AS_STORED);
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u64 n = list->n;
    ordo_u64 *cells = contract_alloc(n, 8), *expected = contract_alloc(n, 8), r = t->seed, count = 0;
    ordo_u32 *component = contract_alloc(n, sizeof *component);
    ordo_item *from = contract_alloc(n, sizeof *from);
    for (ordo_u64 u = 0; u < n; u++) {
        cells[u] = expected[u] = ~(ordo_u64)0;
        component[u] = (ordo_u32)(next_random(&r) % (n / 3 + 1));
    }
    for (ordo_u64 u = n; u-- > 0;) {
        bool any = false;
        for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++) {
            const ordo_vid v = rows->head[e * rows->stride];
            if (component[u] == component[v] || (symmetric && v < u))
                continue;
            const ordo_u64 key = rank_of(rows->weight_type, rows->weight, e * rows->stride) << 32 | e;
            ordo_u64 *least = &expected[component[to_heads ? v : u]];
            *least = key < *least ? key : *least;
            any = true;
        }
        if (any)
            from[count++] = (ordo_item)u;
    }
    const mst_state state = {
        .form = MST_COMPONENTS, .to_heads = to_heads, .symmetric = symmetric, .component = component};
    ordo_work work = {.graph = g,
                      .cells = cells,
                      .state = &state,
                      .num_items = n,
                      .targets = n,
                      .initial = all ? NULL : from,
                      .initial_count = all ? 0 : count};
    contract_run(t, &work);
    for (ordo_u64 c = 0; c < n; c++)
        if (cells[c] != expected[c])
            contract_fail(t, "a component's lightest edge is wrong, by the components of vertices");
    free(cells);
    free(expected);
    free(component);
    free(from);
    ordo_graph_free(g);
}

void contract_forests(trial *t, const edge_list *list)
{
    if (t->seed % 3 == 0)
        try_components(t, list);
    else
        t->seed % 3 == 1 ? try_vertices(t, list) : try_listed(t, list);
}
