/* sums.c -- references of operators whose cells sum: kcore, pagerank, tc and bc. */
#include <stdlib.h>
#include <string.h>

#include "operators/bc.h"
#include "operators/kcore.h"
#include "operators/pagerank.h"
#include "operators/tc.h"

#include "contract.h"

/* ---- kcore: one level, with parallel edges, against removing vertices until none has too few neighbours ---- */

void contract_kcore(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_NONE, ORDO_SYMMETRISE);
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_u64 n = list->n, k = 1 + t->seed % 7, low = 0;
    ordo_u32 *core = contract_alloc(n, 4), *expected = contract_alloc(n, 4);
    ordo_i32 *left = contract_alloc(n, 4);
    ordo_item *initial = contract_alloc(n, 4);
    for (ordo_u64 v = 0; v < n; v++) {
        core[v] = expected[v] = ORDO_NO_VERTEX;
        for (ordo_eid e = rows->row[v]; e < rows->row[v + 1]; e++)
            left[v] += rows->head[e * rows->stride] != v;
        if (left[v] < (ordo_i32)k)
            initial[low++] = (ordo_item)v;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 v = 0; v < n; v++) {
            ordo_u64 degree = 0;
            for (ordo_eid e = rows->row[v]; e < rows->row[v + 1]; e++) {
                ordo_vid w = rows->head[e * rows->stride];
                degree += w != v && expected[w] == ORDO_NO_VERTEX;
            }
            if (expected[v] == ORDO_NO_VERTEX && degree < k) {
                expected[v] = (ordo_u32)k - 1;
                changed = true;
            }
        }
    }
    kcore_state state = {core, (ordo_i32)k};
    ordo_work work = {.graph = g, .cells = left, .state = &state, .num_items = n, .targets = n};
    if (t->seed % 2) { /* otherwise all items: those with enough neighbours are not removed */
        work.initial = initial;
        work.initial_count = low;
    }
    contract_run(t, &work);
    contract_check_u32(t, core, expected, n);
    free(core);
    free(expected);
    free(left);
    free(initial);
    ordo_graph_free(g);
}

/* ---- pagerank: x against the fixed point by iteration, in double; what is missing against what was not pushed ---- */

void contract_pagerank(trial *t, const edge_list *list)
{
    enum { ITERATIONS = 250 };
    const double unit = 0x1p-62, damping = 0.75; /* a power of 2 times a whole number: exact in either arithmetic */
    ordo_graph *g = family_graph(list, ORDO_NONE, contract_direction(t));
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_u64 n = list->n, first = n ? ((ordo_u64)1 << 60) / n : 0;
    ordo_u64 *rank = contract_alloc(n, 8), *residual = contract_alloc(n, 8), least = first / (2 + t->seed % 1000) + 1;
    double *x = contract_alloc(n, sizeof *x), *next = contract_alloc(n, sizeof *next), slack = 1e-12, missing = 0,
           sent = 0;
    for (ordo_u64 v = 0; v < n; v++)
        residual[v] = first;
    for (int i = 0; i < ITERATIONS; i++) {
        for (ordo_u64 v = 0; v < n; v++)
            next[v] = (double)first * unit;
        for (ordo_u64 u = 0; u < n; u++)
            for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++)
                next[rows->head[e * rows->stride]] += damping * x[u] / (double)(rows->row[u + 1] - rows->row[u]);
        double *swap = x;
        x = next;
        next = swap;
    }
    pagerank_state state = {rows->row, rank, least, (ordo_u64)(damping * 0x1p64)};
    ordo_work work = {.graph = g, .cells = residual, .state = &state, .num_items = n, .targets = n};
    contract_run(t, &work);
    for (ordo_u64 v = 0; v < n; v++) {
        if (residual[v] >= least)
            contract_fail(t, "a residual that is not below the least was left");
        if ((double)rank[v] * unit > x[v] + slack)
            contract_fail(t, "a rank is beyond the exact one");
        missing += x[v] - (double)rank[v] * unit;
        sent += (double)first * unit - (rows->row[v + 1] > rows->row[v] ? 1 - damping : 1) * (double)rank[v] * unit;
    }
    if (missing * (1 - damping) > sent + slack || sent > (double)(n * least) * unit + slack)
        contract_fail(t, "more is missing than was not pushed");
    free(rank);
    free(residual);
    free(x);
    free(next);
    ordo_graph_free(g);
}

/* ---- tc: all triples of an adjacency matrix ---- */

void contract_tc(trial *t, const edge_list *list)
{
    const ordo_u64 n = list->n;
    ordo_u8 *edge = contract_alloc(n * n, 1);
    edge_list simple = {.n = n, .edge = contract_alloc(2 * list->count, sizeof *simple.edge)};
    for (ordo_u64 i = 0; i < list->count; i++) {
        const ordo_vid u = list->edge[i].tail, v = list->edge[i].head;
        if (u == v || edge[u * n + v])
            continue;
        edge[u * n + v] = edge[v * n + u] = 1;
        simple.edge[simple.count++] = (ordo_edge_entry){u, v, 1};
    }
    ordo_graph *g = family_graph(&simple, t->seed % 2 ? ORDO_NONE : ORDO_U32, ORDO_SYMMETRISE);
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_u64 *cells = contract_alloc(n, sizeof *cells), *count = contract_alloc(n, sizeof *count);
    for (ordo_u64 v = 0; v < n; v++)
        cells[v] = TC_OPEN;
    tc_state state = {rows->row, rows->head, count, rows->stride};
    ordo_work work = {.graph = g, .cells = cells, .state = &state, .num_items = n, .targets = n};
    contract_run(t, &work);
    for (ordo_u64 v = 0; v < n; v++) {
        ordo_u64 expected = 0;
        for (ordo_u64 u = 0; u < v; u++)
            for (ordo_u64 w = v + 1; w < n && edge[u * n + v]; w++)
                expected += edge[u * n + w] && edge[v * n + w];
        if (count[v] + cells[v] != expected)
            contract_fail(t, "a number of triangles is wrong");
    }
    free(edge);
    free(simple.edge);
    free(cells);
    free(count);
    ordo_graph_free(g);
}

/* ---- bc: both sums by levels, one edge after the other. They are whole numbers and wrap, so they must be equal ----
 */

typedef struct bc_graph {
    const ordo_csr *rows;
    ordo_u32 *level, deepest;
    ordo_u64 *sum; /* what is expected */
} bc_graph;

static void bc_levels(bc_graph *b, ordo_vid source)
{
    const ordo_u32 none = 0xffffffffu;
    for (ordo_vid v = 0; v < b->rows->n; v++)
        b->level[v] = v == source ? 0 : none;
    bool more = true;
    for (ordo_u32 depth = 0; more; depth++) {
        more = false;
        for (ordo_vid u = 0; u < b->rows->n; u++)
            for (ordo_eid e = b->rows->row[u]; e < b->rows->row[u + 1]; e++) {
                const ordo_vid v = b->rows->head[e * b->rows->stride];
                if (b->level[u] != depth || b->level[v] != none)
                    continue;
                b->level[v] = b->deepest = depth + 1;
                more = true;
            }
    }
}

/* Along the edges between two levels, upwards or downwards. */
static void bc_add(bc_graph *b, ordo_u32 low, bool backward)
{
    for (ordo_vid u = 0; u < b->rows->n; u++)
        for (ordo_eid e = b->rows->row[u]; e < b->rows->row[u + 1]; e++) {
            const ordo_vid v = b->rows->head[e * b->rows->stride];
            if (b->level[u] == low && b->level[v] == low + 1)
                b->sum[backward ? u : v] += b->sum[backward ? v : u];
        }
}

static void bc_check(trial *t, ordo_graph *g, bc_graph *b, ordo_u64 *cells, bool backward)
{
    const ordo_u64 n = b->rows->n;
    ordo_u64 *sum = contract_alloc(n, sizeof *sum);
    const bc_state state = {b->level, sum, backward, b->deepest};
    ordo_work work = {.graph = g, .cells = cells, .state = &state, .num_items = n, .targets = n};
    for (ordo_u64 v = 0; v < n; v++)
        b->sum[v] = cells[v];
    for (ordo_u32 i = 0; i < b->deepest; i++)
        bc_add(b, backward ? b->deepest - 1 - i : i, backward);
    contract_run(t, &work);
    for (ordo_u64 v = 0; v < n; v++)
        if (sum[v] != b->sum[v] || cells[v])
            contract_fail(t, backward ? "a sum of dependencies is wrong" : "a number of shortest paths is wrong");
    free(sum);
}

void contract_bc(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_NONE, contract_direction(t)), *reversed;
    const ordo_csr *rows = ordo_graph_out(g), *in;
    const ordo_u64 n = list->n;
    if (!n || !strcmp(t->family, "parallel")) { /* there are too many paths in these */
        ordo_graph_free(g);
        return;
    }
    if (ordo_graph_in(g, 1, &in) || ordo_graph_borrow(in, false, &reversed))
        abort();
    bc_graph b = {.rows = rows, .level = contract_alloc(n, 4), .sum = contract_alloc(n, 8)};
    ordo_u64 *cells = contract_alloc(n, sizeof *cells);
    bc_levels(&b, (ordo_vid)(t->seed % n));
    cells[t->seed % n] = 1;
    bc_check(t, g, &b, cells, false);
    for (ordo_u64 v = 0; v < n; v++)
        cells[v] = b.sum[v] ? ((ordo_u64)1 << 50) / b.sum[v] : 0;
    bc_check(t, reversed, &b, cells, true);
    free(b.level);
    free(b.sum);
    free(cells);
    ordo_graph_free(reversed);
    ordo_graph_free(g);
}
