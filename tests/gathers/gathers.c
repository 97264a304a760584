/* gathers.c -- the contract of gather operators by the least, by the greatest, and with totals (gathers.h).
 *
 * References: loops over all edges until nothing changes; and the same rounds, one vertex after the other. All numbers
 * are exact.
 */
#include <math.h>
#include <stdlib.h>

#include <ordo/scheduler/scheduler.h>

#include "tests/contract/contract.h"

/* As gathers.h declares it, which defines one operator. */
typedef struct gathers_state {
    ordo_u64 rounds;
} gathers_state;

static contract_reference check_nearest, check_highest, check_mixed;
extern const ordo_operator nearest_operator, highest_operator, mixed_operator;
const contract_row contract_rows[] = {{"nearest", check_nearest, 150, &nearest_operator},
                                      {"highest", check_highest, 150, &highest_operator},
                                      {"mixed", check_mixed, 150, &mixed_operator},
                                      {NULL, NULL, 0, NULL}};

static void run_cells(trial *t, ordo_graph *g, void *cells, ordo_u64 rounds)
{
    const ordo_u64 n = ordo_graph_out(g)->n;
    const gathers_state state = {rounds};
    ordo_work work = {.graph = g, .cells = cells, .state = &state, .num_items = n, .targets = n};
    contract_run(t, &work);
}

/* Nothing changes in the last round, which any scheduler needs. */
static void check_end(const trial *t, ordo_u64 n)
{
    if (n && t->stats.change != 0)
        contract_fail(t, "it ended before nothing changed");
    if (n && t->stats.items < n)
        contract_fail(t, "the last round is missing");
}

static void check_nearest(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_U32, contract_direction(t));
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u64 n = rows->n;
    ordo_u32 *x = contract_alloc(n, sizeof *x), *expected = contract_alloc(n, sizeof *expected);
    for (ordo_u64 v = 0; v < n; v++)
        x[v] = expected[v] = v % 13 == t->seed % 13 ? (ordo_u32)v : 0xffffffffu;
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 u = 0; u < n; u++)
            for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++) {
                const ordo_u64 far = (ordo_u64)expected[u] + ((const ordo_u32 *)rows->weight)[e * rows->stride];
                ordo_u32 *to = &expected[rows->head[e * rows->stride]];
                changed = changed || far < *to;
                *to = far < *to ? (ordo_u32)far : *to;
            }
    }
    run_cells(t, g, x, 1000000);
    check_end(t, n);
    contract_check_u32(t, x, expected, n);
    free(x);
    free(expected);
    ordo_graph_free(g);
}

static void check_highest(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_F32, contract_direction(t));
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u64 n = rows->n;
    ordo_f32 *x = contract_alloc(n, sizeof *x), *expected = contract_alloc(n, sizeof *expected);
    for (ordo_u64 v = 0; v < n; v++)
        x[v] = expected[v] = v % 11 == t->seed % 11 ? (ordo_f32)INFINITY : (ordo_f32)-INFINITY;
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 u = 0; u < n; u++)
            for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++) {
                const ordo_f32 wide = fminf(expected[u], ((const ordo_f32 *)rows->weight)[e * rows->stride]);
                ordo_f32 *to = &expected[rows->head[e * rows->stride]];
                changed = changed || wide > *to;
                *to = fmaxf(wide, *to);
            }
    }
    run_cells(t, g, x, 1000000);
    check_end(t, n);
    for (ordo_u64 v = 0; v < n; v++)
        if (x[v] < expected[v] || x[v] > expected[v])
            contract_fail(t, "a width is wrong");
    free(x);
    free(expected);
    ordo_graph_free(g);
}

static void check_mixed(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_NONE, contract_direction(t));
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u64 n = rows->n, rounds = 1 + t->seed % 9;
    ordo_u64 *x = contract_alloc(n, sizeof *x), *now = contract_alloc(n, sizeof *now);
    ordo_u64 *sum = contract_alloc(n, sizeof *sum);
    for (ordo_u64 v = 0; v < n; v++)
        x[v] = now[v] = (v * 37 + t->seed) % 1009;
    bool same = n == 0;
    ordo_u64 done = 0;
    for (; done < rounds && !same; done++) {
        ordo_u64 total = 0;
        for (ordo_u64 v = 0; v < n; v++) {
            total += now[v] + now[v] * now[v];
            sum[v] = 0;
        }
        for (ordo_u64 u = 0; u < n; u++)
            for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++)
                sum[rows->head[e * rows->stride]] += now[u];
        same = true;
        for (ordo_u64 v = 0; v < n; v++) {
            const ordo_u64 then = (3 * sum[v] + v + total) % 1009;
            same = same && then == now[v];
            now[v] = then;
        }
    }
    run_cells(t, g, x, rounds);
    if (n && t->stats.supersteps != done)
        contract_fail(t, "the number of rounds is wrong");
    for (ordo_u64 v = 0; v < n; v++)
        if (x[v] != now[v])
            contract_fail(t, "a number is wrong");
    free(x);
    free(now);
    free(sum);
    ordo_graph_free(g);
}
