/* cells.c -- the contract of cells of 64 bits and of structs (far.h): the matrix, and the references.
 *
 * Reference of shortest paths: those over weights without potentials, found by loops over all edges; then
 * d'(v) = d(v) + h(v) - h(source). All numbers are exact, those of f64 too: few bits, and multiples of a power of two.
 */
#include <math.h>
#include <stdlib.h>

#include <ordo/scheduler/scheduler.h>

#include "tests/contract/contract.h"

#include "far.h"

#ifndef CELLS_EACH /* a program may have some of them */
#define CELLS_EACH(X) X(i64) X(u64) X(f64) X(half) X(one) X(two)
#endif
#define CELLS_OPERATOR(_type) extern const ordo_operator far_##_type##_operator;
CELLS_EACH(CELLS_OPERATOR)
__attribute__((unused)) static contract_reference check_i64, check_u64, check_f64, check_half, check_one, check_two;
#define CELLS_ROW(_type) {"far_" #_type, check_##_type, 150, &far_##_type##_operator},
const contract_row contract_rows[] = {CELLS_EACH(CELLS_ROW){NULL, NULL, 0, NULL}};

/* The word of an edge's weight. */
static ordo_u32 word(const ordo_csr *rows, ordo_eid e)
{
    return ((const ordo_u32 *)rows->weight)[e * rows->stride];
}

/* Distances by loops over all edges; weights are not negative. */
static double *distances(const ordo_csr *rows, ordo_vid source)
{
    double *d = contract_alloc(rows->n, sizeof *d);
    for (ordo_vid v = 0; v < rows->n; v++)
        d[v] = v == source ? 0 : (double)INFINITY;
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_vid u = 0; u < rows->n; u++)
            for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++) {
                const double w = rows->weight_type == ORDO_F32 ? (double)((const float *)rows->weight)[e * rows->stride]
                                                               : (double)word(rows, e);
                double *to = &d[rows->head[e * rows->stride]];
                changed = changed || d[u] + w < *to;
                *to = fmin(*to, d[u] + w);
            }
    }
    return d;
}

/* Runs t->op from source; frees the graph. */
static void run_from(trial *t, ordo_graph *g, const void *state, void *cells, ordo_vid source)
{
    const ordo_u64 n = ordo_graph_out(g)->n;
    ordo_work work = {.graph = g,
                      .cells = cells,
                      .state = state,
                      .num_items = n,
                      .targets = n,
                      .initial = &source,
                      .initial_count = n ? 1 : 0};
    contract_run(t, &work);
    ordo_graph_free(g);
}

static void check_i64(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_I32, contract_direction(t));
    const ordo_u64 n = list->n;
    const ordo_vid source = (ordo_vid)(t->seed % (n ? n : 1));
    ordo_i64 *cells = contract_alloc(n, sizeof *cells), *potential = contract_alloc(n, sizeof *potential);
    double *expected = distances(ordo_graph_out(g), source);
    ordo_u64 r = t->seed;
    for (ordo_u64 v = 0; v < n; v++) {
        potential[v] = (ordo_i64)(next_random(&r) % (1ull << 45)) - (1ll << 44);
        cells[v] = v == source ? 0 : 0x7fffffffffffffff;
    }
    const far_i64_state state = {potential};
    run_from(t, g, &state, cells, source);
    for (ordo_u64 v = 0; v < n; v++)
        if (cells[v] !=
            (isinf(expected[v]) ? 0x7fffffffffffffff : (ordo_i64)expected[v] + potential[v] - potential[source]))
            contract_fail(t, "a distance is wrong");
    free(expected);
    free(potential);
    free(cells);
}

static void check_f64(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_F32, contract_direction(t));
    const ordo_u64 n = list->n;
    const ordo_vid source = (ordo_vid)(t->seed % (n ? n : 1));
    double *cells = contract_alloc(n, sizeof *cells), *potential = contract_alloc(n, sizeof *potential);
    double *expected = distances(ordo_graph_out(g), source);
    ordo_u64 r = t->seed;
    for (ordo_u64 v = 0; v < n; v++) {
        potential[v] = (double)(next_random(&r) % 4000000) / 1024 - 2000;
        cells[v] = v == source ? 0 : (double)INFINITY;
    }
    const far_f64_state state = {potential};
    run_from(t, g, &state, cells, source);
    for (ordo_u64 v = 0; v < n; v++)
        if (cells[v] != expected[v] + potential[v] - potential[source])
            contract_fail(t, "a distance is wrong");
    free(expected);
    free(potential);
    free(cells);
}

static void check_u64(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_U32, contract_direction(t));
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u64 n = list->n;
    const ordo_vid source = (ordo_vid)(t->seed % (n ? n : 1));
    const far_u64_state state = {1ull << 40 | 1};
    ordo_u64 *cells = contract_alloc(n, sizeof *cells), *expected = contract_alloc(n, sizeof *expected);
    if (n)
        cells[source] = expected[source] = ~0ull;
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_vid u = 0; u < n; u++)
            for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++) {
                const ordo_u64 width = state.unit * word(rows, e), c = width < expected[u] ? width : expected[u];
                ordo_u64 *to = &expected[rows->head[e * rows->stride]];
                changed = changed || c > *to;
                *to = c > *to ? c : *to;
            }
    }
    run_from(t, g, &state, cells, source);
    for (ordo_u64 v = 0; v < n; v++)
        if (cells[v] != expected[v])
            contract_fail(t, "a width is wrong");
    free(expected);
    free(cells);
}

/* ---- structs: triples that are compared from left to right; the smaller struct lacks the last one ---- */

static bool is_less(far_two a, far_two b)
{
    return a.distance < b.distance || (a.distance == b.distance && a.hops < b.hops) ||
           (a.distance == b.distance && a.hops == b.hops && a.parent < b.parent);
}

/* By loops over all edges. */
static far_two *triples(const ordo_csr *rows, ordo_vid source)
{
    far_two *best = contract_alloc(rows->n, sizeof *best);
    for (ordo_vid v = 0; v < rows->n; v++)
        best[v] = v == source ? (far_two){0, 0, 0xffffffffu} : (far_two){~0ull, 0xffffffffu, 0xffffffffu};
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_vid u = 0; u < rows->n; u++)
            for (ordo_eid e = rows->row[u]; best[u].distance != ~0ull && e < rows->row[u + 1]; e++) {
                const far_two c = {best[u].distance + word(rows, e), best[u].hops + 1, u};
                far_two *to = &best[rows->head[e * rows->stride]];
                changed = changed || is_less(c, *to);
                *to = is_less(c, *to) ? c : *to;
            }
    }
    return best;
}

static void check_two(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_U32, contract_direction(t));
    const ordo_u64 n = list->n;
    const ordo_vid source = (ordo_vid)(t->seed % (n ? n : 1));
    far_two *expected = triples(ordo_graph_out(g), source);
    far_two *cells = aligned_alloc(16, (n + 1) * sizeof *cells);
    for (ordo_u64 v = 0; v < n; v++)
        cells[v] = v == source ? (far_two){0, 0, 0xffffffffu} : (far_two){~0ull, 0xffffffffu, 0xffffffffu};
    run_from(t, g, NULL, cells, source);
    for (ordo_u64 v = 0; v < n; v++)
        if (is_less(cells[v], expected[v]) || is_less(expected[v], cells[v]))
            contract_fail(t, "a distance, number of edges or predecessor is wrong");
    free(expected);
    free(cells);
}

/* Of 16 bits each, which saturate: the reference saturates likewise. */
static void check_half(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_U32, contract_direction(t));
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u64 n = list->n;
    const ordo_vid source = (ordo_vid)(t->seed % (n ? n : 1));
    far_half *cells = contract_alloc(n, sizeof *cells), *expected = contract_alloc(n, sizeof *expected);
    for (ordo_u64 v = 0; v < n; v++)
        cells[v] = expected[v] = v == source ? (far_half){0, 0} : far_half_worst();
    const ordo_no_state none = {0};
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_vid u = 0; u < n; u++)
            for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++) {
                const ordo_edge_u32 edge = {
                    .id = e, .tail = u, .head = rows->head[e * rows->stride], .weight = word(rows, e)};
                const far_half c = far_half_candidate(&none, expected[u], edge);
                const bool better = far_half_better(c, expected[edge.head]) != 0;
                changed = changed || better;
                expected[edge.head] = better ? c : expected[edge.head];
            }
    }
    run_from(t, g, NULL, cells, source);
    for (ordo_u64 v = 0; v < n; v++)
        if (cells[v].distance != expected[v].distance || cells[v].hops != expected[v].hops)
            contract_fail(t, "a distance or number of edges is wrong");
    free(expected);
    free(cells);
}

static void check_one(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_U32, contract_direction(t));
    const ordo_u64 n = list->n;
    const ordo_vid source = (ordo_vid)(t->seed % (n ? n : 1));
    far_two *expected = triples(ordo_graph_out(g), source);
    far_one *cells = aligned_alloc(8, (n + 1) * sizeof *cells);
    for (ordo_u64 v = 0; v < n; v++)
        cells[v] = v == source ? (far_one){0, 0} : (far_one){0xffffffffu, 0xffffffffu};
    run_from(t, g, NULL, cells, source);
    for (ordo_u64 v = 0; v < n; v++)
        if (cells[v].distance != (ordo_u32)expected[v].distance || cells[v].hops != expected[v].hops)
            contract_fail(t, "a distance or number of edges is wrong");
    free(expected);
    free(cells);
}
