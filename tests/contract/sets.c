/* sets.c -- references of mis and colour: loops over the vertices by rank, and what must hold of any such set or
 * colouring; and of scc: labels that reach a vertex within its part, until nothing changes. */
#include <string.h>

#include "operators/colour.h"
#include "operators/mis.h"
#include "operators/scc.h"

#include "ranked.h"

void contract_mis(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_NONE, ORDO_SYMMETRISE);
    arcs edges = arcs_of(g);
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u64 n = list->n;
    ordo_u32 *rank = random_ranks(t, n), *lower = lower_neighbours(&edges, rank, n);
    ordo_vid *order = by_rank(rank, n);
    ordo_u32 *member = contract_alloc(n, 4), *expected = contract_alloc(n, 4), *covered = contract_alloc(n, 4);
    ordo_u64 *cells = contract_alloc(n, sizeof *cells);
    for (ordo_u64 v = 0; v < n; v++) {
        cells[v] = mis_start(lower[v]);
        member[v] = 2; /* undecided */
    }
    for (ordo_u64 i = 0; i < n; i++) {
        const ordo_vid v = order[i];
        expected[v] = !covered[v];
        for (ordo_eid e = rows->row[v]; e < rows->row[v + 1]; e++)
            covered[rows->head[e * rows->stride]] |= expected[v];
    }
    mis_state state = {rank, member};
    ordo_work work = {.graph = g, .cells = cells, .state = &state, .num_items = n, .targets = n};
    contract_run(t, &work);
    memset(covered, 0, n * sizeof *covered);
    for (ordo_u64 i = 0; i < edges.count; i++) {
        const arc *a = &edges.arc[i];
        if (a->tail != a->head && member[a->tail] == 1 && member[a->head] == 1)
            contract_fail(t, "two neighbours are in the set");
        covered[a->head] |= a->tail != a->head && member[a->tail] == 1;
    }
    for (ordo_u64 v = 0; v < n; v++)
        if (member[v] != 1 && !covered[v])
            contract_fail(t, "a vertex could be added to the set");
    contract_check_u32(t, member, expected, n);
    free(edges.arc);
    free(rank);
    free(lower);
    free(order);
    free(member);
    free(expected);
    free(covered);
    free(cells);
    ordo_graph_free(g);
}

/* Vertices by rank, each with the smallest colour that no neighbour has so far. */
static ordo_u32 *colour_by_rank(const ordo_csr *rows, const ordo_u32 *rank)
{
    const ordo_u64 n = rows->n;
    ordo_u32 *colour = contract_alloc(n, sizeof *colour);
    ordo_vid *order = by_rank(rank, n);
    memset(colour, 0xff, n * sizeof *colour);
    for (ordo_u64 i = 0; i < n; i++) {
        const ordo_vid v = order[i];
        ordo_u8 *used = contract_alloc(n + 1, 1);
        for (ordo_eid e = rows->row[v]; e < rows->row[v + 1]; e++)
            if (colour[rows->head[e * rows->stride]] != COLOUR_NONE)
                used[colour[rows->head[e * rows->stride]]] = 1;
        ordo_u32 c = 0;
        while (used[c])
            c++;
        colour[v] = c;
        free(used);
    }
    free(order);
    return colour;
}

static void check_colouring(const trial *t, const ordo_csr *rows, const arcs *edges, const ordo_u32 *colour)
{
    ordo_u64 most = 0;
    for (ordo_u64 v = 0; v < rows->n; v++)
        most = rows->row[v + 1] - rows->row[v] > most ? rows->row[v + 1] - rows->row[v] : most;
    for (ordo_u64 v = 0; v < rows->n; v++)
        if (colour[v] > most)
            contract_fail(t, "a vertex has no colour, or there are more than the largest degree and one");
    for (ordo_u64 i = 0; i < edges->count; i++)
        if (edges->arc[i].tail != edges->arc[i].head && colour[edges->arc[i].tail] == colour[edges->arc[i].head])
            contract_fail(t, "two neighbours have one colour");
}

/* More vertices than the colours that the operator looks at in one pass, all of them neighbours. */
static ordo_graph *large_clique(void)
{
    const ordo_generate_options options = {.kind = "complete", .vertices = 70, .threads = 1};
    ordo_graph *g;
    if (ordo_graph_generate(&options, &g))
        abort();
    return g;
}

void contract_colour(trial *t, const edge_list *list)
{
    ordo_graph *g =
        strcmp(t->family, "complete") != 0 ? family_graph(list, ORDO_NONE, ORDO_SYMMETRISE) : large_clique();
    arcs edges = arcs_of(g);
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u64 n = rows->n;
    ordo_u32 *rank = random_ranks(t, n), *waits = lower_neighbours(&edges, rank, n);
    ordo_u64 *wide = contract_alloc(n, sizeof *wide);
    ordo_u32 *colour = contract_alloc(n, sizeof *colour), *expected = colour_by_rank(rows, rank);
    ordo_u64 *next = contract_alloc(n, sizeof *next);
    ordo_edges handed;
    if (ordo_edges_of(g, false, 1, &handed))
        abort();
    ordo_item *initial = contract_alloc(n, sizeof *initial);
    ordo_u64 first = 0;
    for (ordo_u64 v = 0; v < n; v++) {
        next[v] = rows->row[v];
        wide[v] = (ordo_u64)rank[v] << 20;
        colour[v] = waits[v] ? COLOUR_NONE : 0;
        if (!waits[v])
            initial[first++] = (ordo_item)v;
    }
    colour_state state = {handed, wide, colour, next};
    ordo_work work = {.state = &state, .num_items = n, .targets = n, .initial = initial, .initial_count = first};
    contract_run(t, &work);
    check_colouring(t, rows, &edges, colour);
    contract_check_u32(t, colour, expected, n);
    free(edges.arc);
    free(rank);
    free(waits);
    free(colour);
    free(expected);
    free(wide);
    free(next);
    free(initial);
    ordo_graph_free(g);
}

/* One search: forward from all vertices, or from some, in random parts, of which 0 has no labels. */
void contract_scc(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_NONE, contract_direction(t));
    arcs edges = arcs_of(g);
    const ordo_u64 n = list->n;
    ordo_u32 *rank = random_ranks(t, n), *part = contract_alloc(n, sizeof *part);
    ordo_u32 *cells = contract_alloc(n, sizeof *cells), *expected = contract_alloc(n, sizeof *expected);
    ordo_item *initial = contract_alloc(n, sizeof *initial);
    ordo_u64 r = t->seed, count = 0;
    for (ordo_u64 v = 0; v < n; v++) {
        part[v] = (ordo_u32)(next_random(&r) % (1 + t->seed % 4));
        const bool begins = part[v] && (t->seed % 2 || rank[v] % 3 == 0);
        cells[v] = expected[v] = begins ? rank[v] + 1 : 0;
        if (begins)
            initial[count++] = (ordo_item)v;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 i = 0; i < edges.count; i++) {
            const ordo_vid u = edges.arc[i].tail, v = edges.arc[i].head;
            if (part[u] != part[v] || expected[u] <= expected[v])
                continue;
            expected[v] = expected[u];
            changed = true;
        }
    }
    scc_state state = {part};
    ordo_work work = {.graph = g,
                      .cells = cells,
                      .state = &state,
                      .num_items = n,
                      .targets = n,
                      .initial = initial,
                      .initial_count = count};
    contract_run(t, &work);
    contract_check_u32(t, cells, expected, n);
    free(edges.arc);
    free(rank);
    free(part);
    free(cells);
    free(expected);
    free(initial);
    ordo_graph_free(g);
}
