/* wide.c -- references of sssp, bellman_ford and widest for weights of 8 bytes: loops over all edges until nothing
 * changes, in the type's own arithmetic. Weights are those of the families times a constant of 33 bits, so that sums
 * need more than 32 bits, and of f64 are multiples of an eighth that no sum rounds. Every second graph is borrowed:
 * heads and weights are then separate arrays.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ORDO_WIDE_WEIGHTS
#define ORDO_TEMPLATE "operators/sssp.h"
#include <ordo/operator/each_weight.h>
#define ORDO_WIDE_WEIGHTS
#define ORDO_TEMPLATE "operators/widest.h"
#include <ordo/operator/each_weight.h>

#include "contract.h"

#include <ordo/arrays.h>

enum { MOST_SHIFT = 1000 };
static const ordo_i64 FACTOR = 4294967297; /* 2^32 + 1 */

/* A number of the problem as a word of the type. */
static ordo_u64 word_of(ordo_type type, ordo_i64 number)
{
    const double real = (double)(number * FACTOR) / 8;
    ordo_u64 word = (ordo_u64)(number * FACTOR);
    if (type == ORDO_F64)
        memcpy(&word, &real, sizeof word);
    return word;
}

static ordo_u64 highest(ordo_type type)
{
    const double real = INFINITY;
    ordo_u64 word = INT64_MAX;
    if (type == ORDO_F64)
        memcpy(&word, &real, sizeof word);
    return word;
}

/* Weights of the families go up to 2^32; sums of 2000 of these times FACTOR must fit. */
static ordo_i64 weight_of(const edge_list *list, ordo_u64 e)
{
    return list->edge[e].weight % 100000;
}

/* What borrowed rows refer to. */
typedef struct separate {
    ordo_u32 *head;
    ordo_u64 *weight;
    ordo_graph *rows;
} separate;

static void release(void *arg)
{
    separate *s = arg;
    free(s->head);
    free(s->weight);
    ordo_graph_free(s->rows);
    free(s);
}

static ordo_graph *separated(ordo_graph *g)
{
    const ordo_csr *rows = ordo_graph_out(g);
    separate *s = contract_alloc(1, sizeof *s);
    *s = (separate){contract_alloc(rows->m, sizeof *s->head), contract_alloc(rows->m, sizeof *s->weight), g};
    for (ordo_eid e = 0; e < rows->m; e++) {
        s->head[e] = rows->head[e * rows->stride];
        memcpy(&s->weight[e], ordo_csr_weight_at(rows, e), sizeof *s->weight);
    }
    const ordo_row_arrays arrays = {.n = rows->n,
                                    .m = rows->m,
                                    .row = rows->row,
                                    .head = s->head,
                                    .weight_type = rows->weight_type,
                                    .weight = s->weight,
                                    .release = release,
                                    .release_arg = s};
    if (ordo_graph_borrow_arrays(&arrays, &g))
        abort();
    return g;
}

/* The list with weights w(u, v) + h(v) - h(u). */
static ordo_graph *graph_of(const trial *t, const edge_list *list, ordo_type type, const ordo_i64 *shift)
{
    ordo_u32 *tail = contract_alloc(list->count, sizeof *tail), *head = contract_alloc(list->count, sizeof *head);
    ordo_u64 *weight = contract_alloc(list->count, sizeof *weight);
    for (ordo_u64 e = 0; e < list->count; e++) {
        tail[e] = list->edge[e].tail;
        head[e] = list->edge[e].head;
        weight[e] = word_of(type, weight_of(list, e) + shift[head[e]] - shift[tail[e]]);
    }
    const ordo_edge_arrays arrays = {.n = list->n,
                                     .count = list->count,
                                     .tail = tail,
                                     .head = head,
                                     .weight_type = type,
                                     .weight = weight,
                                     .edges = {.weight_type = type},
                                     .threads = 1};
    ordo_graph *g;
    if (ordo_graph_from_arrays(&arrays, &g))
        abort();
    free(tail);
    free(head);
    free(weight);
    return t->seed % 2 ? separated(g) : g;
}

/* Runs from the source and compares; `cells` and `expected` hold words. */
static void run_wide(trial *t, ordo_graph *g, const void *state, ordo_item source, ordo_u64 *cells, ordo_u64 *expected)
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
    for (ordo_u64 v = 0; v < n; v++)
        if (cells[v] != expected[v])
            contract_fail(t, "a cell of 8 bytes is wrong");
    free(expected);
    free(cells);
    ordo_graph_free(g);
}

/* Distances, with potentials if the operator takes negative weights, and a limit of every fifth seed if not. */
static void distances(trial *t, const edge_list *list, ordo_type type, bool is_signed)
{
    const ordo_i64 none = INT64_MAX / 2;
    const ordo_u64 n = list->n;
    ordo_u64 r = t->seed, *expected = contract_alloc(n, 8), *cells = contract_alloc(n, 8);
    ordo_i64 *shift = contract_alloc(n, 8), *plain = contract_alloc(n, 8);
    const ordo_item source = (ordo_item)(t->seed % (n ? n : 1));
    const ordo_i64 limit = !is_signed && t->seed % 5 == 1 ? (ordo_i64)(t->seed % 97) : none - 1;
    for (ordo_u64 v = 0; v < n; v++) {
        shift[v] = is_signed && t->seed % 4 ? (ordo_i64)(next_random(&r) % (2 * MOST_SHIFT)) - MOST_SHIFT : 0;
        plain[v] = v == source ? 0 : none;
        cells[v] = v == source ? 0 : highest(type);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 e = 0; e < list->count; e++) {
            const ordo_i64 c = plain[list->edge[e].tail] + weight_of(list, e);
            ordo_i64 *to = &plain[list->edge[e].head];
            if (plain[list->edge[e].tail] < none && c <= limit && c < *to) {
                *to = c;
                changed = true;
            }
        }
    }
    for (ordo_u64 v = 0; v < n; v++)
        expected[v] = plain[v] == none ? highest(type) : word_of(type, plain[v] + shift[v] - shift[source]);
    ordo_graph *g = graph_of(t, list, type, shift);
    free(shift);
    free(plain);
    const bool limited = limit < none - 1;
    const sssp_state_i64 whole = {limited ? limit * FACTOR : INT64_MAX - 1};
    const sssp_state_f64 real = {limited ? (double)(limit * FACTOR) / 8 : 1.7976931348623157e308};
    run_wide(t, g, is_signed ? NULL : type == ORDO_F64 ? (const void *)&real : &whole, source, cells, expected);
}

static void widths(trial *t, const edge_list *list, ordo_type type)
{
    const ordo_u64 n = list->n;
    ordo_u64 *expected = contract_alloc(n, 8), *cells = contract_alloc(n, 8);
    ordo_i64 *shift = contract_alloc(n, 8), *width = contract_alloc(n, 8), most = 0;
    const ordo_item source = (ordo_item)(t->seed % (n ? n : 1));
    width[source] = INT64_MAX;
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_u64 e = 0; e < list->count; e++) {
            const ordo_i64 w = weight_of(list, e), before = width[list->edge[e].tail];
            ordo_i64 *to = &width[list->edge[e].head];
            most = w > most ? w : most;
            if ((before < w ? before : w) > *to) {
                *to = before < w ? before : w;
                changed = true;
            }
        }
    }
    for (ordo_u64 v = 0; v < n; v++)
        expected[v] = width[v] == INT64_MAX ? highest(type) : word_of(type, width[v]);
    cells[source] = highest(type);
    const double scale = t->seed % 3 ? 1e-9 : 1e-12; /* of priorities: any will do */
    const widest_state_i64 whole = {most * FACTOR, scale};
    const widest_state_f64 real = {(double)(most * FACTOR) / 8, scale};
    ordo_graph *g = graph_of(t, list, type, shift);
    free(shift);
    free(width);
    run_wide(t, g, type == ORDO_F64 ? (const void *)&real : &whole, source, cells, expected);
}

void contract_wide(trial *t, const edge_list *list)
{
    const ordo_type type = strstr(t->op, "_f64") ? ORDO_F64 : ORDO_I64;
    if (!strncmp(t->op, "widest", 6))
        widths(t, list, type);
    else
        distances(t, list, type, !strncmp(t->op, "bellman_ford", 12));
}
