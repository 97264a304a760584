/* run_time_gather.h -- what the command knows of a gather operator that is compiled at run time: rounds to
 * check an answer by. Included by run_time_unit.h.
 *
 * A round here is double-buffered, one vertex after the other, and shares no code with those of schedulers: sums are of
 * one addend after the other, the most frequent value is found by sorting.
 */
#include <stdlib.h>

ORDO_DESCRIBE_GATHER(run_time_instances)

/* The value of an in-edge. */
static op_value run_time_edge(const op_state *state, const ordo_csr *in, const op_cell *cell, ordo_eid e, ordo_vid v)
{
    static const ordo_u32 one = 1;
    static const ordo_f32 one_real = 1;
    const ordo_vid u = in->head[e * in->stride];
    const void *weight = op_weight_type == ORDO_F32 ? (const void *)&one_real : &one;
    if (in->weight)
        weight = (const ordo_u32 *)in->weight + e * in->stride;
    return op_edge_value(state, op_share_of(state, u, cell[u]), op_make_edge(e, u, v, weight));
}

#if ORDO_OP_COMBINE == ORDO_MODE
static int run_time_compare(const void *a, const void *b)
{
    const op_value x = *(const op_value *)a, y = *(const op_value *)b;
    return x < y ? -1 : x > y;
}

static op_value run_time_row(const op_state *state, const ordo_csr *in, const op_cell *cell, ordo_vid v)
{
    const ordo_u64 count = in->row[v + 1] - in->row[v];
    op_value best = ORDO_NO_VERTEX, *value = (op_value *)malloc((count + 1) * sizeof *value);
    if (!value)
        return best;
    for (ordo_u64 i = 0; i < count; i++)
        value[i] = run_time_edge(state, in, cell, in->row[v] + i, v);
    qsort(value, count, sizeof *value, run_time_compare);
    for (ordo_u64 i = 0, most = 0, j; i < count; i = j) {
        for (j = i; j < count && value[j] == value[i];)
            j++;
        best = j - i > most ? value[i] : best;
        most = j - i > most ? j - i : most;
    }
    free(value);
    return best;
}
#else
static op_value run_time_row(const op_state *state, const ordo_csr *in, const op_cell *cell, ordo_vid v)
{
    op_value value = op_none();
    for (ordo_eid e = in->row[v]; e < in->row[v + 1]; e++)
        value = op_join(value, run_time_edge(state, in, cell, e, v));
    return value;
}
#endif

static double run_time_round(const void *state_, const ordo_csr *in, const void *from_, void *to_)
{
    const op_state *state = (const op_state *)state_;
    const op_cell *from = (const op_cell *)from_;
    op_cell *to = (op_cell *)to_;
    double total[4] = {0}, change = 0;
    for (ordo_vid v = 0; op_totals && v < in->n; v++)
        op_add_total(state, v, from[v], total);
    for (ordo_vid v = 0; v < in->n; v++) {
        to[v] = op_apply(state, v, from[v], run_time_row(state, in, from, v), total);
        change = op_join_changes(change, op_change(state, v, from[v], to[v]));
    }
    return change;
}

static double run_time_far(const void *state, ordo_vid n, const void *a, const void *b)
{
    double far = 0;
    for (ordo_vid v = 0; v < n; v++)
        far = op_join_changes(far,
                              op_change((const op_state *)state, v, ((const op_cell *)a)[v], ((const op_cell *)b)[v]));
    return far;
}

static double run_time_change(const void *state, ordo_item item, const void *a, const void *b)
{
    return op_change((const op_state *)state, item, *(const op_cell *)a, *(const op_cell *)b);
}

/* By what rounding is taken for: 2^-18 of cells of f32, 2^-40 of f64. */
static double run_time_noise(const void *state, ordo_vid n, const void *cells)
{
    const op_cell *cell = (const op_cell *)cells;
    const double part = (int)op_cell_type == ORDO_TYPE_NUMBER_f32   ? 0x1p-18
                        : (int)op_cell_type == ORDO_TYPE_NUMBER_f64 ? 0x1p-40
                                                                    : 0;
    double far = 0;
    for (ordo_vid v = 0; part > 0 && v < n; v++)
        far = op_join_changes(far,
                              op_change((const op_state *)state, v, cell[v], (op_cell)((double)cell[v] * (1 + part))));
    return far;
}

static double run_time_tolerance(const void *state)
{
    return op_tolerance((const op_state *)state);
}

static ordo_u64 run_time_rounds(const void *state)
{
    return op_most_rounds((const op_state *)state);
}

const ordo_run_time ordo_run_time_entry = {
    ORDO_RUN_TIME_COMMON,      .can_begin = true,       .result = ORDO_RUN_TIME_NO_RESULT, .round = run_time_round,
    .far = run_time_far,       .noise = run_time_noise, .tolerance = run_time_tolerance,   .rounds = run_time_rounds,
    .change = run_time_change,
};
