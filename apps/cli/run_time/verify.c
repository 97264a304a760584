/* verify.c -- checks an answer of an operator from a file. See operator.h.
 *
 * Certificate: no edge improves a cell; for a monotone operator also that every cell got its value along a path from
 * one that is as it begins, which together are sufficient. Serial: the definition of the answer of a monotone operator,
 * at the cost of Bellman-Ford's algorithm. Of an operator with targets of its own candidates do not depend on cells, so
 * one pass over all edges is its definition. Sums: verify_sum.c.
 */
#include "apps/cli/run_time/operator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>

enum { SERIAL_EDGES = 1 << 17 }; /* "auto" also runs serially on graphs of no more */

static bool is_same(const run_time_operator *op, const void *a, const void *b)
{
    return !op->table->better(a, b) && !op->table->better(b, a);
}

static const void *weight_of(const run_time_operator *op, const ordo_csr *g, ordo_eid e)
{
    static const ordo_u32 one = 1;
    static const ordo_i64 one_wide = 1;
    static const ordo_f32 one_real = 1;
    static const double one_wide_real = 1;
    if (g->weight)
        return (const ordo_u32 *)g->weight + e * g->stride;
    return op->op.weight == ORDO_F32   ? (const void *)&one_real
           : op->op.weight == ORDO_F64 ? (const void *)&one_wide_real
           : op->op.weight == ORDO_I64 ? (const void *)&one_wide
                                       : &one;
}

void run_time_candidate_as(const run_time_operator *op, const ordo_csr *g, ordo_vid u, ordo_eid e, ordo_eid id,
                           const void *tail_cell, run_time_cell *out)
{
    op->table->candidate(op->state, tail_cell, id, u, g->head[e * g->stride], weight_of(op, g, e), out);
}

void run_time_candidate(const run_time_operator *op, const ordo_csr *g, ordo_vid u, ordo_eid e, const void *tail_cell,
                        run_time_cell *out)
{
    run_time_candidate_as(op, g, u, e, e, tail_cell, out);
}

/* Whether an item with that cell proposes anything. */
static bool proposes(const run_time_operator *op, ordo_vid u, const void *cell)
{
    run_time_cell worst;
    op->table->worst(&worst);
    return op->table->better(cell, &worst) && op->table->filter(op->state, u);
}

ordo_status run_time_wrong(const run_time_operator *op, ordo_vid v, const void *found, const char *expected,
                           const void *right)
{
    char first[RUN_TIME_TEXT], second[RUN_TIME_TEXT] = "";
    run_time_text(op, v, found, first);
    if (right)
        run_time_text(op, v, right, second);
    return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found %s, expected %s%s", v, first, expected, second);
}

/* ---- queues ---- */

void run_time_enqueue(run_time_queue *q, ordo_vid v)
{
    if (q->in[v])
        return;
    q->in[v] = 1;
    q->vertex[(q->head + q->count++) % q->n] = v;
}

ordo_vid run_time_dequeue(run_time_queue *q)
{
    const ordo_vid v = q->vertex[q->head];
    q->head = (q->head + 1) % q->n;
    q->count--;
    q->in[v] = 0;
    return v;
}

ordo_status run_time_make_queue(run_time_queue *q, ordo_u64 n)
{
    *q = (run_time_queue){.vertex = calloc(n + 1, sizeof(ordo_vid)), .in = calloc(n + 1, 1), .n = n};
    return q->vertex && q->in
               ? ORDO_OK
               : ordo_fail(ORDO_ERR_MEMORY, "no memory for a check of %llu vertices", (unsigned long long)n);
}

void run_time_free_queue(run_time_queue *q)
{
    free(q->vertex);
    free(q->in);
}

/* ---- certificate ---- */

/* No edge improves a cell. */
static ordo_status check_edges(const run_time_operator *op, const ordo_csr *g, const void *cells)
{
    for (ordo_vid u = 0; u < g->n; u++) {
        const void *cell = run_time_at(op, cells, u);
        if (!proposes(op, u, cell))
            continue;
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            const ordo_vid v = g->head[e * g->stride];
            const void *there = run_time_at(op, cells, v);
            run_time_cell c;
            run_time_candidate(op, g, u, e, cell, &c);
            if (op->table->better(&c, there)) {
                char what[64];
                snprintf(what, sizeof what, "what edge %u -> %u proposes: ", u, v);
                return run_time_wrong(op, v, there, what, &c);
            }
        }
    }
    return ORDO_OK;
}

/* Marks in q->in every vertex that a path leads to from a cell that is as it begins, over edges that propose just the
 * cell of their head. */
static void mark_grounded(const run_time_operator *op, const ordo_csr *g, ordo_vid source, const void *cells,
                          run_time_queue *q)
{
    for (ordo_vid v = 0; v < g->n; v++) {
        run_time_cell first;
        run_time_begin_cell(op, source, v, &first);
        if (is_same(op, run_time_at(op, cells, v), &first))
            run_time_enqueue(q, v);
    }
    while (q->count) {
        const ordo_vid u = q->vertex[q->head];
        const void *cell = run_time_at(op, cells, u);
        q->head = (q->head + 1) % q->n;
        q->count--; /* it stays marked */
        if (!proposes(op, u, cell))
            continue;
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            const ordo_vid v = g->head[e * g->stride];
            run_time_cell c;
            run_time_candidate(op, g, u, e, cell, &c);
            if (is_same(op, &c, run_time_at(op, cells, v)))
                run_time_enqueue(q, v);
        }
    }
}

/* No cell is worse than it began; one that is better got its value along a path. */
static ordo_status check_ground(const run_time_operator *op, const ordo_csr *g, ordo_vid source, const void *cells)
{
    run_time_queue q;
    ordo_status status = run_time_make_queue(&q, g->n);
    if (!status)
        mark_grounded(op, g, source, cells, &q);
    for (ordo_vid v = 0; !status && v < g->n; v++) {
        const void *cell = run_time_at(op, cells, v);
        run_time_cell first;
        run_time_begin_cell(op, source, v, &first);
        if (op->table->better(&first, cell))
            status = run_time_wrong(op, v, cell, "no worse than what it begins with: ", &first);
        else if (!q.in[v])
            status = run_time_wrong(op, v, cell, "what the edges of a path propose", NULL);
    }
    run_time_free_queue(&q);
    return status;
}

static ordo_status check_certificate(const run_time_operator *op, const ordo_csr *g, ordo_vid source, const void *cells)
{
    ordo_status status = check_edges(op, g, cells);
    return status || !(op->op.properties & ORDO_MONOTONE) ? status : check_ground(op, g, source, cells);
}

/* ---- serial ---- */

ordo_status run_time_serial(const run_time_operator *op, const ordo_csr *g, ordo_vid source, void *cells)
{
    run_time_queue q;
    ordo_status status = run_time_make_queue(&q, g->n);
    for (ordo_vid v = 0; !status && v < g->n; v++)
        if (source == ORDO_NO_VERTEX || v == source)
            run_time_enqueue(&q, v);
    while (!status && q.count) {
        const ordo_vid u = run_time_dequeue(&q);
        run_time_cell cell = {0}, c = {0}; /* a copy: a loop may improve the cell meanwhile */
        memcpy(&cell, run_time_at(op, cells, u), op->cell);
        if (!proposes(op, u, &cell))
            continue;
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            const ordo_vid v = g->head[e * g->stride];
            run_time_candidate(op, g, u, e, &cell, &c);
            if (op->table->better(&c, run_time_at(op, cells, v))) {
                memcpy((char *)cells + v * op->cell, &c, op->cell);
                run_time_enqueue(&q, v);
            }
        }
    }
    run_time_free_queue(&q);
    return status;
}

static ordo_status check_serially(const run_time_operator *op, const ordo_csr *g, ordo_vid source, const void *cells)
{
    void *right = ordo_alloc((size_t)g->n + 1, op->cell); /* aligned for cells of 16 bytes */
    if (!right)
        return ORDO_ERR_MEMORY;
    run_time_begin(op, source, g->n, right);
    ordo_status status = run_time_serial(op, g, source, right);
    for (ordo_vid v = 0; !status && v < g->n; v++)
        if (!is_same(op, run_time_at(op, cells, v), run_time_at(op, right, v)))
            status = run_time_wrong(op, v, run_time_at(op, cells, v), "", run_time_at(op, right, v));
    ordo_free(right);
    return status;
}

/* ---- targets of the operator's own ---- */

ordo_status run_time_check_targets(const run_time_operator *op, const ordo_csr *g)
{
    for (ordo_vid u = 0; u < g->n; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1] && op->table->filter(op->state, u); e++) {
            const ordo_vid v = g->head[e * g->stride];
            const ordo_u32 target = op->table->target(op->state, e, u, v, weight_of(op, g, e));
            if (target >= g->n)
                return ordo_fail(ORDO_ERR_INPUT, "operator '%s': edge %u -> %u has target %u, expected less than %u",
                                 op->op.name, u, v, target, g->n);
        }
    return ORDO_OK;
}

/* Every cell holds the best of what it began with and of what is proposed to it. */
static ordo_status check_pass(const run_time_operator *op, const ordo_csr *g, const void *cells)
{
    char *right = ordo_alloc((size_t)g->n + 1, op->cell);
    ordo_status status = right ? ORDO_OK : ORDO_ERR_MEMORY;
    run_time_cell unread, c;
    op->table->worst(&unread);
    if (!status)
        run_time_begin(op, ORDO_NO_VERTEX, g->n, right);
    for (ordo_vid u = 0; u < g->n && !status; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1] && op->table->filter(op->state, u); e++) {
            char *cell =
                right + op->cell * op->table->target(op->state, e, u, g->head[e * g->stride], weight_of(op, g, e));
            run_time_candidate(op, g, u, e, &unread, &c);
            if (op->table->better(&c, cell))
                memcpy(cell, &c, op->cell);
        }
    for (ordo_vid v = 0; !status && v < g->n; v++)
        if (!is_same(op, run_time_at(op, cells, v), run_time_at(op, right, v)))
            status = run_time_wrong(op, v, run_time_at(op, cells, v), "", run_time_at(op, right, v));
    ordo_free(right);
    return status;
}

/* ---- both ---- */

bool run_time_is_serial(const ordo_csr *g, ordo_verify_how how)
{
    return how == ORDO_VERIFY_SERIAL || how == ORDO_VERIFY_BOTH || (how == ORDO_VERIFY_AUTO && g->m <= SERIAL_EDGES);
}

ordo_status run_time_own_check(const run_time_operator *op, const ordo_csr *g, ordo_vid source, const void *cells,
                               const void *values)
{
    if (!op->table->check)
        return ORDO_OK;
    const ordo_vid v = op->table->check(op->state, g, source, cells);
    if (v == ORDO_NO_VERTEX)
        return ORDO_OK;
    if (v >= g->n)
        return ordo_fail(ORDO_ERR_VERIFY, "the check of operator '%s' says vertex %u, of %u", op->op.name, v, g->n);
    return run_time_wrong(op, v, run_time_value_at(op, values, v), "another one, by the operator's own check", NULL);
}

ordo_status run_time_verify(const run_time_operator *op, const ordo_csr *g, ordo_vid source, const void *cells,
                            ordo_verify_how how)
{
    ordo_status status = ORDO_OK;
    if (op->op.kind == ORDO_KIND_CRITICAL) /* its own check alone says what is right */
        return run_time_own_check(op, g, source, cells, cells);
    if (op->table->target) {
        status = check_pass(op, g, cells);
    } else {
        status = how == ORDO_VERIFY_SERIAL ? ORDO_OK : check_certificate(op, g, source, cells);
        if (!status && run_time_is_serial(g, how))
            status = check_serially(op, g, source, cells);
    }
    return status ? status : run_time_own_check(op, g, source, cells, cells);
}

/* ---- gather ---- */

/* In place, any mixture of old and new cells was read: a further round must change little. Otherwise rounds are
 * repeated, from the beginning; `other` and `more` are arrays of as many cells. */
static ordo_status check_rounds(const run_time_operator *op, const ordo_csr *in, const void *cells, void *other,
                                void *more)
{
    const ordo_run_time *t = op->table;
    const double tolerance = t->tolerance(op->state), noise = t->noise(op->state, in->n, cells);
    if (op->op.properties & ORDO_IN_PLACE) {
        const double change = t->round(op->state, in, cells, other);
        return change <= tolerance + noise
                   ? ORDO_OK
                   : ordo_fail(ORDO_ERR_VERIFY, "a further round changes cells by %g, expected at most %g", change,
                               tolerance);
    }
    const ordo_u64 rounds = t->rounds(op->state);
    double change = (double)INFINITY;
    run_time_begin(op, ORDO_NO_VERTEX, in->n, other);
    for (ordo_u64 i = 0; i < rounds && change > tolerance; i++) {
        change = t->round(op->state, in, other, more);
        memcpy(other, more, in->n * op->cell);
    }
    const double far = t->far(op->state, in->n, cells, other);
    return far <= noise ? ORDO_OK
                        : ordo_fail(ORDO_ERR_VERIFY, "cells differ by %g from those of the same rounds, serially", far);
}

ordo_status run_time_verify_gather(const run_time_operator *op, const ordo_graph *graph, const void *cells)
{
    const ordo_csr *in;
    ordo_status status = ordo_graph_in(graph, 0, &in);
    if (status)
        return status;
    void *other = calloc((size_t)in->n + 1, op->cell), *more = calloc((size_t)in->n + 1, op->cell);
    status = other && more ? check_rounds(op, in, cells, other, more)
                           : ordo_fail(ORDO_ERR_MEMORY, "no memory for a check of %u vertices", in->n);
    free(other);
    free(more);
    return status ? status : run_time_own_check(op, ordo_graph_out(graph), ORDO_NO_VERTEX, cells, cells);
}
