/* verify_sum.c -- checks an answer of an operator from a file whose cells sum. See operator.h.
 *
 * Certificate: no item has a level at the end. Serial: a run on one thread in another order. An operator by which every
 * item is taken once, or whose sums are of whole numbers and whose answer does not depend on the order, gives the same
 * answer exactly; one that leaves residuals says by ORDO_RELAX_WITHIN how far the answers may be apart.
 *
 * The serial run writes the arrays of the state, so it gets arrays of its own meanwhile.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>

#include "apps/cli/run_time/operator.h"

static ordo_status check_levels(const run_time_operator *op, const ordo_csr *g, const void *cells)
{
    for (ordo_vid v = 0; v < g->n; v++)
        if (op->table->filter(op->state, v) && op->table->level(op->state, run_time_at(op, cells, v)))
            return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: its cell has level %u, expected 0, nothing left to do", v,
                             op->table->level(op->state, run_time_at(op, cells, v)));
    return ORDO_OK;
}

/* Runs on one thread; `cells` are as they begin. */
static void run_queue(const run_time_operator *op, const ordo_csr *g, void *cells, run_time_queue *q)
{
    const ordo_run_time *t = op->table;
    char *const cell = cells;
    for (ordo_vid v = 0; v < g->n; v++)
        if (t->level(op->state, cell + v * op->cell))
            run_time_enqueue(q, v);
    while (q->count) {
        const ordo_vid u = run_time_dequeue(q);
        run_time_cell taken = {0}, c = {0};
        if (!t->filter(op->state, u) || !t->level(op->state, cell + u * op->cell))
            continue;
        t->take(op->state, u, cell + u * op->cell, &taken);
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            const ordo_vid v = g->head[e * g->stride];
            run_time_candidate(op, g, u, e, &taken, &c);
            t->add(cell + v * op->cell, &c);
            if (t->level(op->state, cell + v * op->cell))
                run_time_enqueue(q, v);
        }
    }
}

double run_time_distance(ordo_type type, const void *a, const void *b, double *rounding)
{
    run_time_cell x = {0}, y = {0};
    memcpy(&x, a, ordo_type_bytes(type));
    memcpy(&y, b, ordo_type_bytes(type));
    *rounding = 0;
    if (type == ORDO_F32 || type == ORDO_F64) {
        const double p = type == ORDO_F32 ? (double)x.f32 : x.f64, q = type == ORDO_F32 ? (double)y.f32 : y.f64;
        *rounding = fmax(fabs(p), fabs(q)) * (type == ORDO_F32 ? 0x1p-18 : 0x1p-40);
        return p == q || (isnan(p) && isnan(q)) ? 0 : fabs(p - q);
    }
    if (type == ORDO_I32)
        return fabs((double)x.i32 - (double)y.i32);
    if (type == ORDO_I64)
        return x.i64 > y.i64 ? (double)(x.u64 - y.u64) : (double)(y.u64 - x.u64);
    return x.u64 > y.u64 ? (double)(x.u64 - y.u64) : (double)(y.u64 - x.u64);
}

static ordo_status compare(const run_time_operator *op, const ordo_csr *g, const void *values, const void *right)
{
    const double within = op->table->within(op->state, g);
    for (ordo_vid v = 0; v < g->n; v++) {
        double rounding;
        const void *found = run_time_value_at(op, values, v), *expected = run_time_value_at(op, right, v);
        if (run_time_distance(op->type, found, expected, &rounding) <= within + rounding)
            continue;
        char what[96] = "";
        if (within > 0)
            snprintf(what, sizeof what, "within %g (ORDO_RELAX_WITHIN) of ", within);
        return run_time_wrong(op, v, found, what, expected);
    }
    return ORDO_OK;
}

/* The same run serially, from the state and the cells that it begins with. */
static ordo_status run_again(run_time_operator *op, const ordo_csr *g, ordo_vid source, const void *values)
{
    const void *right = NULL;
    run_time_queue q = {0};
    memcpy(op->state, op->initial, op->op.state);
    ordo_status status = run_time_fill(op, g, NULL, source, true);
    void *cells = ordo_alloc((size_t)g->n + 1, op->cell);
    if (!status && !cells)
        status = ORDO_ERR_MEMORY;
    if (!status)
        status = run_time_make_queue(&q, g->n);
    if (!status) {
        run_time_begin(op, source, g->n, cells);
        run_queue(op, g, cells, &q);
        right = cells;
        if (run_time_has_result(op))
            status = run_time_result(op, g->n, &right);
    }
    if (!status)
        status = compare(op, g, values, right);
    run_time_free_queue(&q);
    ordo_free(cells);
    return status;
}

/* Gives the serial run arrays of its own, and the state the arrays of the run back. */
static ordo_status check_serially(run_time_operator *op, const ordo_csr *g, ordo_vid source, const void *values)
{
    void *kept[ORDO_MOST_ARRAYS], *const state = malloc(op->op.state + 1);
    if (!state)
        return ordo_fail(ORDO_ERR_MEMORY, "no memory for the state of an operator");
    memcpy(state, op->state, op->op.state);
    memcpy(kept, op->array, sizeof kept);
    memset(op->array, 0, sizeof op->array);
    ordo_status status = run_again(op, g, source, values);
    run_time_free_arrays(op);
    memcpy(op->array, kept, sizeof kept);
    memcpy(op->state, state, op->op.state);
    free(state);
    return status;
}

ordo_status run_time_verify_sum(run_time_operator *op, const ordo_csr *g, ordo_vid source, const void *values,
                                ordo_verify_how how)
{
    const void *cells = run_time_has_result(op) ? op->cells : values;
    ordo_status status = check_levels(op, g, cells);
    if (!status && run_time_is_serial(g, how))
        status = check_serially(op, g, source, values);
    return status ? status : run_time_own_check(op, g, source, cells, values);
}
