/* grow.c -- the contract of operators that add edges and items (docs/graphs_that_change.md): the matrix, and what must
 * hold of every run. References: reference.h.
 */
#include <stdio.h>

#include <ordo/scheduler/scheduler.h>

#include "tests/contract/contract.h"
#include "tests/grow/reference.h"

static contract_reference check_shortcuts, check_puzzle, check_detours;
const contract_row contract_rows[] = {{"shortcuts", check_shortcuts, 60, &shortcuts_operator},
                                      {"puzzle", check_puzzle, 60, &puzzle_operator},
                                      {"detours", check_detours, 150, &detours_operator},
                                      {NULL, NULL, 0, NULL}};

/* Every record is on the list of its tail, once. */
static void check_lists(const trial *t, const ordo_additions *growth)
{
    ordo_u64 linked = 0;
    for (ordo_u64 i = 0; i < growth->edges; i++) {
        const ordo_new_edge *e = &growth->edge[i];
        linked += e->next != 0;
        if (e->from >= growth->vertices + growth->items || e->to >= growth->vertices + growth->items)
            contract_fail(t, "an added edge has an end that is no item");
        if (e->next && growth->edge[e->next - 1].from != e->from)
            contract_fail(t, "a list has an edge of another tail");
    }
    ordo_u8 *has = contract_alloc(growth->vertices + growth->items, 1);
    ordo_u64 tails = 0;
    for (ordo_u64 i = 0; i < growth->edges; i++) {
        tails += !has[growth->edge[i].from];
        has[growth->edge[i].from] = 1;
    }
    free(has);
    if (linked + tails != growth->edges)
        contract_fail(t, "lists have not as many ends as there are tails");
}

static void check_shortcuts(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_NONE, ORDO_SYMMETRISE), *grown;
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_u32 *cells = contract_alloc(rows->n, 4), *expected = contract_alloc(rows->n, 4);
    ordo_u32 *again = contract_alloc(rows->n, 4);
    ordo_additions growth = {.most_edges = 40 * (ordo_u64)rows->n + 1};
    for (ordo_vid v = 0; v < rows->n; v++)
        cells[v] = v;
    reference_labels(rows, expected);
    ordo_work work = {.graph = g, .cells = cells, .num_items = rows->n, .targets = rows->n};
    t->options.additions = &growth;
    contract_run(t, &work);
    t->options.additions = NULL;
    contract_check_u32(t, cells, expected, rows->n);
    check_lists(t, &growth);
    for (ordo_u64 i = 0; i < growth.edges; i++)
        if (expected[growth.edge[i].from] != expected[growth.edge[i].to])
            contract_fail(t, "an added edge leaves its component");
    if (ordo_additions_graph(g, &growth, 1, &grown))
        contract_fail(t, ordo_last_error());
    if (ordo_graph_out(grown)->m != rows->m + growth.edges)
        contract_fail(t, "the grown graph has another number of edges");
    reference_labels(ordo_graph_out(grown), again);
    contract_check_u32(t, again, expected, rows->n);
    ordo_graph_free(grown);
    ordo_additions_free(&growth);
    free(cells);
    free(expected);
    free(again);
    ordo_graph_free(g);
}

static void check_detours(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_U32, contract_direction(t));
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_vid n = rows->n;
    const ordo_item source = n ? (ordo_item)(t->seed % n) : 0;
    ordo_additions growth = {.most_edges = 4 * (ordo_u64)n + 1, .most_items = n};
    ordo_u32 *cells = contract_alloc(2 * (ordo_u64)n, 4), *expected = contract_alloc(n, 4);
    const detours_state state = {n};
    ordo_u64 items = 0, edges = 0;
    memset(cells, 0xff, n * sizeof *cells);
    if (n)
        cells[source] = 0;
    reference_detours(rows, source, expected);
    for (ordo_vid u = 0; u < n; u++) {
        items += expected[u] != ~0u && u % 2 == 0;
        edges += expected[u] == ~0u ? 0 : u % 4 == 0 ? 2 : u % 4 == 1 ? 1 : u % 4 == 2 ? 4 : 0;
    }
    ordo_work work = {.graph = g,
                      .cells = cells,
                      .state = &state,
                      .num_items = n,
                      .targets = n,
                      .initial = &source,
                      .initial_count = n ? 1 : 0};
    t->options.additions = &growth;
    contract_run(t, &work);
    t->options.additions = NULL;
    contract_check_u32(t, cells, expected, n);
    check_lists(t, &growth);
    if (growth.items != items || growth.edges != edges)
        contract_fail(t, "another number of items or edges was added");
    for (ordo_u64 i = 0; i < growth.edges; i++) {
        const ordo_new_edge *e = &growth.edge[i];
        if (cells[e->from] != ~0u && cells[e->to] > cells[e->from] + e->weight[0])
            contract_fail(t, "an added edge improves its head");
    }
    ordo_additions_free(&growth);
    free(cells);
    free(expected);
    ordo_graph_free(g);
}

/* The families do not matter: the graph has one vertex and no edge. */
static void check_puzzle(trial *t, const edge_list *list)
{
    static const ordo_u32 sides[][2] = {{2, 2}, {3, 2}, {1, 5}, {2, 3}, {1, 1}};
    static const ordo_eid row[2] = {0, 0};
    const ordo_u32 *side = sides[t->size % 5];
    const puzzle_state state = {side[0], side[1]};
    const ordo_csr one = {.n = 1, .row = row, .stride = 1};
    const ordo_item source = 0;
    ordo_additions growth = {.most_edges = 1600, .most_items = 399};
    ordo_u32 *cells = contract_alloc(400, 4);
    reference_board board;
    ordo_graph *g;
    (void)list;
    if (ordo_graph_borrow(&one, false, &g))
        contract_fail(t, ordo_last_error());
    reference_puzzle(side[0], side[1], &board);
    ordo_work work = {.graph = g,
                      .cells = cells,
                      .state = &state,
                      .num_items = 1,
                      .targets = 1,
                      .initial = &source,
                      .initial_count = 1};
    t->options.additions = &growth;
    contract_run(t, &work);
    t->options.additions = NULL;
    check_lists(t, &growth);
    if (growth.items + 1 != board.count)
        contract_fail(t, "another number of positions was found");
    for (ordo_u32 i = 0; i < board.count; i++) {
        ordo_u32 found = 0, at = 0;
        for (ordo_u32 k = 0; k < board.count; k++)
            if (growth.key[k] == board.key[i]) {
                found++;
                at = k;
            }
        if (found != 1 || cells[at] != board.moves[i])
            contract_fail(t, "a position is missing, is there twice, or has another number of moves");
    }
    ordo_additions_free(&growth);
    free(cells);
    ordo_graph_free(g);
}
