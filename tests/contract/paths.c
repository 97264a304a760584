/* paths.c -- references of sssp, bfs, cc and widest: loops over all edges until nothing changes, in the type's own
 * arithmetic.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ORDO_TEMPLATE "operators/sssp.h"
#include <ordo/operator/each_weight.h>
#include "operators/bfs.h"
#include "operators/cc.h"
#define ORDO_TEMPLATE "operators/widest.h"
#include <ordo/operator/each_weight.h>

#include "contract.h"

void contract_integers(trial *t, const edge_list *list)
{
    bool labels = !strcmp(t->op, "cc"), levels = !strcmp(t->op, "bfs"), is_signed = !strcmp(t->op, "sssp_i32");
    const ordo_direction direction = labels ? ORDO_SYMMETRISE : contract_direction(t);
    const ordo_u32 worst = is_signed ? 0x7fffffffu : 0xffffffffu;
    ordo_graph *g = family_graph(list, labels || levels ? ORDO_NONE : is_signed ? ORDO_I32 : ORDO_U32, direction);
    ordo_u64 n = list->n;
    ordo_u32 *expected = contract_alloc(n, 4), *cells = contract_alloc(n, 4);
    ordo_item source = (ordo_item)(t->seed % (n ? n : 1));
    ordo_u32 limit = t->seed % 5 == 1 ? (ordo_u32)(t->seed % 97) : worst - 1;
    for (ordo_u64 v = 0; v < n; v++)
        expected[v] = cells[v] = labels ? (ordo_u32)v : v == source ? 0 : worst;
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 e = 0; e < list->count; e++)
            for (int way = 0; way < (direction == ORDO_SYMMETRISE ? 2 : 1); way++) {
                ordo_vid u = way ? list->edge[e].head : list->edge[e].tail,
                         v = way ? list->edge[e].tail : list->edge[e].head;
                ordo_u32 c = expected[u] == worst ? worst
                             : labels             ? expected[u]
                                                  : expected[u] + (levels ? 1 : list->edge[e].weight);
                if (!labels && c > limit)
                    c = worst;
                if (c < expected[v]) {
                    expected[v] = c;
                    changed = true;
                }
            }
    }
    sssp_state_u32 unsigned_state = {limit};
    sssp_state_i32 signed_state = {(ordo_i32)limit};
    bfs_state bfs = {limit};
    const void *state = labels      ? NULL
                        : levels    ? (const void *)&bfs
                        : is_signed ? (const void *)&signed_state
                                    : (const void *)&unsigned_state;
    contract_run_cells(t, g, state, labels ? NULL : &source, cells, expected);
}

void contract_floats(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_F32, ORDO_AS_STORED);
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_u64 n = list->n;
    ordo_f32 *expected = contract_alloc(n, 4), *cells = contract_alloc(n, 4);
    ordo_item source = (ordo_item)(t->seed % (n ? n : 1));
    for (ordo_u64 v = 0; v < n; v++)
        expected[v] = cells[v] = v == source ? 0 : INFINITY;
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 u = 0; u < n; u++)
            for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++) {
                ordo_vid v = rows->head[e * rows->stride];
                float c = expected[u] + ((const float *)rows->weight)[e * rows->stride];
                if (c < expected[v]) {
                    expected[v] = c;
                    changed = true;
                }
            }
    }
    sssp_state_f32 state = {3.402823466e38f};
    ordo_work work = {.graph = g,
                      .cells = cells,
                      .state = &state,
                      .num_items = n,
                      .targets = n,
                      .initial = &source,
                      .initial_count = n ? 1 : 0};
    contract_run(t, &work);
    for (ordo_u64 v = 0; v < n; v++)
        if (cells[v] != expected[v])
            contract_fail(t, "a distance is wrong");
    free(expected);
    free(cells);
    ordo_graph_free(g);
}

/* ---- bellman_ford: weights w(u, v) + h(v) - h(u), which shift distances by h(v) - h(source); all numbers are few
 * eighths and so exact in f32, too ---- */

/* The list with such weights, as words of the type. */
static ordo_graph *shifted_graph(const edge_list *list, ordo_type type, const ordo_i32 *shift)
{
    ordo_edge_entry *edge = contract_alloc(list->count, sizeof *edge);
    ordo_graph *g;
    for (ordo_u64 i = 0; i < list->count; i++) {
        edge[i] = list->edge[i];
        const ordo_i32 weight = (ordo_i32)edge[i].weight + shift[edge[i].head] - shift[edge[i].tail];
        const ordo_f32 real = (ordo_f32)weight / 8;
        memcpy(&edge[i].weight, type == ORDO_F32 ? (const void *)&real : &weight, sizeof edge[i].weight);
    }
    if (ordo_graph_from_edges(list->n, edge, list->count, type, ORDO_AS_STORED, 1, &g))
        abort();
    free(edge);
    return g;
}

void contract_signed(trial *t, const edge_list *list)
{
    const ordo_type type = !strcmp(t->op, "bellman_ford_f32") ? ORDO_F32 : ORDO_I32;
    const ordo_f32 no_path = INFINITY;
    ordo_u64 n = list->n, r = t->seed;
    ordo_u32 *expected = contract_alloc(n, 4), *cells = contract_alloc(n, 4), worst = 0x7fffffffu;
    ordo_i32 *shift = contract_alloc(n, 4), *plain = contract_alloc(n, 4);
    ordo_item source = (ordo_item)(t->seed % (n ? n : 1));
    if (type == ORDO_F32)
        memcpy(&worst, &no_path, sizeof worst);
    for (ordo_u64 v = 0; v < n; v++) {
        shift[v] = t->seed % 4 ? (ordo_i32)(next_random(&r) % 2000) - 1000 : 0;
        plain[v] = v == source ? 0 : 0x3fffffff;
        cells[v] = v == source ? 0 : worst;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 i = 0; i < list->count; i++) {
            const ordo_i32 c = plain[list->edge[i].tail] + (ordo_i32)list->edge[i].weight;
            changed = changed || c < plain[list->edge[i].head];
            if (c < plain[list->edge[i].head])
                plain[list->edge[i].head] = c;
        }
    }
    for (ordo_u64 v = 0; v < n; v++) {
        const ordo_i32 whole = plain[v] + shift[v] - shift[source];
        const ordo_f32 real = (ordo_f32)whole / 8;
        memcpy(&expected[v],
               plain[v] >= 0x3fffffff ? (const void *)&worst
               : type == ORDO_F32     ? (const void *)&real
                                      : &whole,
               4);
    }
    ordo_graph *g = shifted_graph(list, type, shift);
    free(shift);
    free(plain);
    contract_run_cells(t, g, NULL, &source, cells, expected);
}

/* ---- widest: words of widths that are not negative compare as the widths do, whatever their type ---- */

void contract_widest(trial *t, const edge_list *list)
{
    const bool is_signed = !strcmp(t->op, "widest_i32"), is_real = !strcmp(t->op, "widest_f32");
    ordo_graph *g = family_graph(list, is_real ? ORDO_F32 : is_signed ? ORDO_I32 : ORDO_U32, contract_direction(t));
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u32 *capacity = rows->weight;
    const ordo_f32 no_limit = INFINITY;
    ordo_u64 n = list->n;
    ordo_u32 *expected = contract_alloc(n, 4), *cells = contract_alloc(n, 4), most = 0,
             at_source = is_signed ? 0x7fffffffu : 0xffffffffu;
    ordo_item source = (ordo_item)(t->seed % (n ? n : 1));
    if (is_real)
        memcpy(&at_source, &no_limit, sizeof at_source);
    expected[source] = cells[source] = at_source;
    for (ordo_eid e = 0; e < rows->m; e++)
        most = capacity[e * rows->stride] > most ? capacity[e * rows->stride] : most;
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 u = 0; u < n; u++)
            for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++) {
                ordo_u32 c = capacity[e * rows->stride], *to = &expected[rows->head[e * rows->stride]];
                c = c < expected[u] ? c : expected[u];
                changed = changed || c > *to;
                *to = c > *to ? c : *to;
            }
    }
    const double scale = t->seed % 3 ? 1 : 0.01; /* of priorities: any will do */
    widest_state_u32 unsigned_state = {most, scale};
    widest_state_i32 signed_state = {(ordo_i32)most, scale};
    widest_state_f32 real_state = {0, scale};
    memcpy(&real_state.most, &most, sizeof most);
    const void *state = is_real     ? (const void *)&real_state
                        : is_signed ? (const void *)&signed_state
                                    : (const void *)&unsigned_state;
    contract_run_cells(t, g, state, &source, cells, expected);
}
