/* verify.c -- checks an answer of an operator from a file. See operator.h.
 *
 * Certificate: no edge improves a cell; for a monotone operator also that every cell got its value along a path from
 * one that is as it begins, which together are sufficient. Serial: the definition of the answer of a monotone operator,
 * at the cost of Bellman-Ford's algorithm.
 */
#include "apps/cli/run_time/operator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SERIAL_EDGES = 1 << 17 }; /* "auto" also runs serially on graphs of no more */

static bool is_same(const run_time_operator *op, const void *a, const void *b)
{
    return !op->table->better(a, b) && !op->table->better(b, a);
}

void run_time_candidate(const run_time_operator *op, const ordo_csr *g, ordo_vid u, ordo_eid e, const void *tail_cell,
                        run_time_cell *out)
{
    static const ordo_u32 one = 1;
    static const ordo_f32 one_real = 1;
    const void *weight = op->op.weight == ORDO_F32 ? (const void *)&one_real : &one;
    if (g->weight)
        weight = (const ordo_u32 *)g->weight + e * g->stride;
    op->table->candidate(op->state, tail_cell, e, u, g->head[e * g->stride], weight, out);
}

/* Whether an item with that cell proposes anything. */
static bool proposes(const run_time_operator *op, ordo_vid u, const void *cell)
{
    run_time_cell worst;
    op->table->worst(&worst);
    return op->table->better(cell, &worst) && op->table->filter(op->state, u);
}

static ordo_status wrong(const run_time_operator *op, ordo_vid v, const void *found, const char *expected,
                         const void *right)
{
    char first[RUN_TIME_TEXT], second[RUN_TIME_TEXT] = "";
    run_time_text(op, v, found, first);
    if (right)
        run_time_text(op, v, right, second);
    return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found %s, expected %s%s", v, first, expected, second);
}

/* ---- queues ---- */

/* A queue of vertices, each at most once: a ring of n places. */
typedef struct queue {
    ordo_vid *vertex; /* [n] */
    ordo_u8 *in;      /* [n] */
    ordo_u64 head, count, n;
} queue;

static void enqueue(queue *q, ordo_vid v)
{
    if (q->in[v])
        return;
    q->in[v] = 1;
    q->vertex[(q->head + q->count++) % q->n] = v;
}

static ordo_vid dequeue(queue *q)
{
    const ordo_vid v = q->vertex[q->head];
    q->head = (q->head + 1) % q->n;
    q->count--;
    q->in[v] = 0;
    return v;
}

/* Errors: ORDO_ERR_MEMORY; the queue is to be freed nevertheless. */
static ordo_status make_queue(queue *q, ordo_u64 n)
{
    *q = (queue){.vertex = calloc(n + 1, sizeof(ordo_vid)), .in = calloc(n + 1, 1), .n = n};
    return q->vertex && q->in
               ? ORDO_OK
               : ordo_fail(ORDO_ERR_MEMORY, "no memory for a check of %llu vertices", (unsigned long long)n);
}

static void free_queue(queue *q)
{
    free(q->vertex);
    free(q->in);
}

/* ---- certificate ---- */

/* What the cell of v begins with. */
static void first_cell(const run_time_operator *op, ordo_vid source, ordo_vid v, run_time_cell *out)
{
    op->table->begin(op->state, v, out);
    if (v == source)
        op->table->source(op->state, out);
}

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
                return wrong(op, v, there, what, &c);
            }
        }
    }
    return ORDO_OK;
}

/* Marks in q->in every vertex that a path leads to from a cell that is as it begins, over edges that propose just the
 * cell of their head. */
static void mark_grounded(const run_time_operator *op, const ordo_csr *g, ordo_vid source, const void *cells, queue *q)
{
    for (ordo_vid v = 0; v < g->n; v++) {
        run_time_cell first;
        first_cell(op, source, v, &first);
        if (is_same(op, run_time_at(op, cells, v), &first))
            enqueue(q, v);
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
                enqueue(q, v);
        }
    }
}

/* No cell is worse than it began; one that is better got its value along a path. */
static ordo_status check_ground(const run_time_operator *op, const ordo_csr *g, ordo_vid source, const void *cells)
{
    queue q;
    ordo_status status = make_queue(&q, g->n);
    if (!status)
        mark_grounded(op, g, source, cells, &q);
    for (ordo_vid v = 0; !status && v < g->n; v++) {
        const void *cell = run_time_at(op, cells, v);
        run_time_cell first;
        first_cell(op, source, v, &first);
        if (op->table->better(&first, cell))
            status = wrong(op, v, cell, "no worse than what it begins with: ", &first);
        else if (!q.in[v])
            status = wrong(op, v, cell, "what the edges of a path propose", NULL);
    }
    free_queue(&q);
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
    queue q;
    ordo_status status = make_queue(&q, g->n);
    for (ordo_vid v = 0; !status && v < g->n; v++)
        if (source == ORDO_NO_VERTEX || v == source)
            enqueue(&q, v);
    while (!status && q.count) {
        const ordo_vid u = dequeue(&q);
        run_time_cell cell = {0}, c = {0}; /* a copy: a loop may improve the cell meanwhile */
        memcpy(&cell, run_time_at(op, cells, u), op->cell);
        if (!proposes(op, u, &cell))
            continue;
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            const ordo_vid v = g->head[e * g->stride];
            run_time_candidate(op, g, u, e, &cell, &c);
            if (op->table->better(&c, run_time_at(op, cells, v))) {
                memcpy((char *)cells + v * op->cell, &c, op->cell);
                enqueue(&q, v);
            }
        }
    }
    free_queue(&q);
    return status;
}

static ordo_status check_serially(const run_time_operator *op, const ordo_csr *g, ordo_vid source, const void *cells)
{
    void *right = calloc((size_t)g->n + 1, op->cell);
    if (!right)
        return ordo_fail(ORDO_ERR_MEMORY, "no memory for a check of %u vertices", g->n);
    run_time_begin(op, source, g->n, right);
    ordo_status status = run_time_serial(op, g, source, right);
    for (ordo_vid v = 0; !status && v < g->n; v++)
        if (!is_same(op, run_time_at(op, cells, v), run_time_at(op, right, v)))
            status = wrong(op, v, run_time_at(op, cells, v), "", run_time_at(op, right, v));
    free(right);
    return status;
}

/* ---- both ---- */

ordo_status run_time_verify(const run_time_operator *op, const ordo_csr *g, ordo_vid source, const void *cells,
                            ordo_verify_how how)
{
    const bool critical = op->op.kind == ORDO_KIND_CRITICAL; /* its own check alone says what is right */
    const bool serial =
        how == ORDO_VERIFY_SERIAL || how == ORDO_VERIFY_BOTH || (how == ORDO_VERIFY_AUTO && g->m <= SERIAL_EDGES);
    ordo_status status = how == ORDO_VERIFY_SERIAL || critical ? ORDO_OK : check_certificate(op, g, source, cells);
    if (!status && serial && !critical)
        status = check_serially(op, g, source, cells);
    if (status || !op->table->check)
        return status;
    const ordo_vid v = op->table->check(op->state, g, source, cells);
    if (v == ORDO_NO_VERTEX)
        return ORDO_OK;
    if (v >= g->n)
        return ordo_fail(ORDO_ERR_VERIFY, "the check of operator '%s' says vertex %u, of %u", op->op.name, v, g->n);
    return wrong(op, v, run_time_at(op, cells, v), "another one, by the operator's own check", NULL);
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
    if (status || !op->table->check)
        return status;
    const ordo_vid v = op->table->check(op->state, ordo_graph_out(graph), ORDO_NO_VERTEX, cells);
    if (v == ORDO_NO_VERTEX)
        return ORDO_OK;
    if (v >= in->n)
        return ordo_fail(ORDO_ERR_VERIFY, "the check of operator '%s' says vertex %u, of %u", op->op.name, v, in->n);
    return wrong(op, v, run_time_at(op, cells, v), "another one, by the operator's own check", NULL);
}
