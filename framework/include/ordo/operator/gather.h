/* gather.h -- ends the file of a gather operator: reads its list of parts, derives what schedulers use.
 *
 * Problem. Many iterations compute a value of every vertex from the values of its in-neighbours, over and over, until
 * little changes: PageRank, Jacobi and Gauss-Seidel iteration, label propagation, HITS. A worklist gains little where
 * every vertex changes in every round, and pushing would make each edge an atomic update.
 *
 * Method. Rounds over all items, the graph's vertices. In a round every item v combines what its in-neighbours u offer
 * into one value (the sum, the least, the greatest or the most frequent), and computes its new cell from its old cell
 * and that value. A cell has one writer, so nothing is atomic. What a vertex offers is the same for all its edges:
 * its *share*, computed once a round, so that the inner loop is one load and one addition an edge. The changes of the
 * items are added up; a round that changes little enough is the last. There are two ways to read:
 *   double-buffered  a round reads the shares of the round before (Jacobi iteration); scheduler `bsp`
 *   in place         a round reads what is there, of the round before or already of this one (Gauss-Seidel iteration;
 *                    chaotic relaxation: Chazan and Miranker 1969). Fewer rounds, and one array less; scheduler
 *                    `topology`. For operators that promise ORDO_IN_PLACE
 * Schedulers with a worklist compute single vertices in place instead, in the order of their residuals, where the
 * operator declares ORDO_GATHER_INFLUENCE (<ordo/detail/cpu/residual.h>, <ordo/detail/cuda/residual.cuh>).
 *
 * Not done: rows of out-edges; combinations of an operator's own.
 *
 * Notation: `s` is a `const state *`, `e` an edge (ordo_edge_TYPE, by value) from e.tail to the item e.head, whose id
 * counts in-rows; `cell` the type of the cells; functions are ORDO_FN. Items and cells are the graph's vertices, and
 * every item is initial. The caller sets the cells to what the iteration begins with. The state and its arrays are the
 * caller's and must live as long as the run.
 *
 * required
 *   ORDO_GATHER             the operator's name, an identifier
 *   ORDO_GATHER_SUMMARY     one line for people
 *   ORDO_GATHER_CELL        type of the cells: u32, i32, f32, u64 or f64
 *   ORDO_GATHER_WEIGHT      type of the edge weights that it reads: u32, i32, f32, i64, f64 or none
 *   ORDO_GATHER_PROPERTIES  ORDO_IN_PLACE, or 0. In place: the iteration converges to the same answer whichever mixture
 *                           of this round's shares and the last one's it reads
 *   ORDO_GATHER_COMBINE     ORDO_SUM, ORDO_MIN, ORDO_MAX, or ORDO_MODE, the most frequent value, of several the least
 *   ORDO_GATHER_VALUE       type of what is combined, one of those of cells. With ORDO_MODE u32
 *   ORDO_GATHER_APPLY       cell f(s, item, cell old, value, const double *total): the item's new cell. `value`: of all
 *                           in-edges; of none: 0 (ORDO_SUM), the greatest value (ORDO_MIN), the least (ORDO_MAX),
 *                           ORDO_NO_VERTEX (ORDO_MODE). `total`: see _TOTAL
 * optional
 *   ORDO_GATHER_STATE       struct of the operator's own arrays and parameters, read-only during a run (default
 *                           ordo_no_state)
 *   ORDO_GATHER_ARRAYS      the arrays of the state, as ORDO_RELAX_ARRAYS (relax.h). Back ends with memory of their own
 *                           refuse operators that have a state and not this
 *   ORDO_GATHER_SHARE       share f(s, item, cell): what the item offers to all its out-edges (default: its cell)
 *   ORDO_GATHER_SHARE_TYPE  type of the shares, one of those of cells. With _SHARE
 *   ORDO_GATHER_EDGE        value f(s, share, e): what edge e makes of it (default: the share itself)
 *   ORDO_GATHER_CHANGE      double f(s, item, cell old, cell now): how far the item has moved, at least 0 (default: 1
 *                           if the two differ, else 0)
 *   ORDO_GATHER_NORM        how changes make one number for a round: ORDO_SUM (default) or ORDO_MAX, the greatest
 *   ORDO_GATHER_INFLUENCE   double f(s, share before, share now, e): how far e.head moves at most, as _CHANGE measures
 *                           it, when the share of e.tail goes from one to the other; at least 0. The id of e counts
 *                           out-rows here. With it the operator also runs under schedulers with a worklist, which
 *                           compute vertices in the order of what their in-neighbours have changed. It decides the
 *                           time, and never the answer: a round measures the change at the end. Needs ORDO_IN_PLACE,
 *                           and neither totals nor ORDO_MODE
 *   ORDO_GATHER_TOLERANCE   double f(s): a round whose change is at most this is the last (default 0: until nothing
 *                           changes)
 *   ORDO_GATHER_ROUNDS      u64 f(s): the most rounds, at least 1 (default: no limit)
 *   ORDO_GATHER_TOTALS      how many totals of all cells _APPLY needs, 0 to 4 (default 0), and
 *   ORDO_GATHER_TOTAL       void f(s, item, cell, double *total): adds the item's part to total[0 .. TOTALS - 1]. The
 *                           totals that a round's _APPLY gets are those of the cells before the round; for norms, and
 *                           for mass that goes to every vertex
 *
 * for `ordo run` alone (docs/run_time_operators.md)
 *   ORDO_GATHER_BEGIN       cell f(s, item): what the item's cell begins with (default 0)
 *   ORDO_GATHER_SETTINGS    numbers of the state that the command sets, as ORDO_RELAX_SETTINGS (relax.h)
 *   ORDO_GATHER_FILL        void f(state *s, const ordo_csr *graph, ordo_vid source): fills the arrays; there is no
 *                           source
 *   ORDO_GATHER_CHECK       vid f(s, const ordo_csr *graph, const cell *cells): a vertex whose cell is wrong, or
 *                           ORDO_NO_VERTEX
 *
 * After a run, ordo_stats.change is the change of the last round and ordo_stats.supersteps the number of rounds. Sums
 * of reals depend on their order, which is not specified, so answers differ by rounding between schedulers, devices and
 * numbers of threads; under `bsp` on the CPU they are the same for any number of threads.
 *
 * Derived where ORDO_OP is defined, as the operator's name (see relax.h): op_cell, op_share, op_value, op_edge,
 * op_state (types); op_cell_type, op_weight_type, op_properties, op_shares, op_edges, op_totals, op_combine,
 * op_activates, op_array_count (enumerators); op_summary; op_make_edge, op_share_of, op_edge_value, op_apply,
 * op_change, op_join_changes, op_tolerance, op_most_rounds, op_add_total, op_arrays and, but for ORDO_MODE, op_none and
 * op_join (functions).
 *
 * ORDO_OP_KIND is left as ORDO_KIND_GATHER, ORDO_OP_COMBINE as the combination, ORDO_OP_BY_RESIDUAL as 1 where an
 * influence is declared (op_influence), ORDO_OP_ON_CUDA as 1 where the CUDA back end supports the operator, else 0.
 */
#include <ordo/operator/operator.h>

#ifndef ORDO_GATHER
#error "gather.h is included at the end of an operator file, after its ORDO_GATHER_... list (see the top of gather.h)"
#endif
#if !defined(ORDO_GATHER_SUMMARY) || !defined(ORDO_GATHER_CELL) || !defined(ORDO_GATHER_WEIGHT) ||                     \
    !defined(ORDO_GATHER_PROPERTIES) || !defined(ORDO_GATHER_COMBINE) || !defined(ORDO_GATHER_VALUE) ||                \
    !defined(ORDO_GATHER_APPLY)
#error "a gather operator defines ORDO_GATHER_SUMMARY, _CELL, _WEIGHT, _PROPERTIES, _COMBINE, _VALUE and _APPLY"
#endif
#if ORDO_GATHER_COMBINE != ORDO_SUM && ORDO_GATHER_COMBINE != ORDO_MIN && ORDO_GATHER_COMBINE != ORDO_MAX &&           \
    ORDO_GATHER_COMBINE != ORDO_MODE
#error "ORDO_GATHER_COMBINE is ORDO_SUM, ORDO_MIN, ORDO_MAX or ORDO_MODE"
#endif
#if defined(ORDO_GATHER_SHARE) != defined(ORDO_GATHER_SHARE_TYPE)
#error "ORDO_GATHER_SHARE and ORDO_GATHER_SHARE_TYPE come together"
#endif
#ifndef ORDO_GATHER_TOTALS
#define ORDO_GATHER_TOTALS 0
#endif
#if ORDO_GATHER_TOTALS < 0 || ORDO_GATHER_TOTALS > 4 || (ORDO_GATHER_TOTALS > 0) != defined(ORDO_GATHER_TOTAL)
#error "ORDO_GATHER_TOTALS is 0 to 4, with ORDO_GATHER_TOTAL where it is not 0"
#endif
#ifndef ORDO_GATHER_NORM
#define ORDO_GATHER_NORM ORDO_SUM
#endif

#if defined(ORDO_GATHER_INFLUENCE) && (ORDO_GATHER_TOTALS || ORDO_GATHER_COMBINE == ORDO_MODE)
#error "ORDO_GATHER_INFLUENCE: there are no totals without rounds, and no order of residuals for ORDO_MODE"
#endif

#undef ORDO_OP_BY_RESIDUAL
#ifdef ORDO_GATHER_INFLUENCE
#define ORDO_OP_BY_RESIDUAL 1
#else
#define ORDO_OP_BY_RESIDUAL 0
#endif

#ifdef ORDO_OP /* this file is a unit of the operator: derive */

/* ORDO_OP must be ORDO_GATHER; <ordo/scheduler/cpu.h> and <ordo/scheduler/cuda.cuh> look for this name. */
enum { ORDO_JOIN(ordo_operator_is_, ORDO_GATHER) = 1 };
#ifdef ORDO_GATHER_INFLUENCE
/* If the compiler reports a negative size here, the operator declares an influence and not ORDO_IN_PLACE. */
typedef char op_residual_needs_in_place[(ORDO_GATHER_PROPERTIES)&ORDO_IN_PLACE ? 1 : -1];
#endif

#ifdef ORDO_GATHER_STATE
typedef ORDO_GATHER_STATE op_state;
#else
typedef ordo_no_state op_state;
#endif
typedef ORDO_TYPE_OF(ORDO_GATHER_CELL) op_cell;
typedef ORDO_EDGE_OF(ORDO_GATHER_WEIGHT) op_edge;
typedef ORDO_TYPE_OF(ORDO_GATHER_VALUE) op_value;
#ifdef ORDO_GATHER_SHARE
typedef ORDO_TYPE_OF(ORDO_GATHER_SHARE_TYPE) op_share;
#else
typedef op_cell op_share;
#endif

enum {
    op_cell_type = ORDO_JOIN(ORDO_TYPE_NUMBER_, ORDO_GATHER_CELL),
    op_weight_type = ORDO_JOIN(ORDO_TYPE_NUMBER_, ORDO_GATHER_WEIGHT),
#ifdef ORDO_GATHER_INFLUENCE
    op_properties = ORDO_GATHER_PROPERTIES | ORDO_RESIDUAL,
#else
    op_properties = ORDO_GATHER_PROPERTIES,
#endif
    op_combine = ORDO_GATHER_COMBINE,
    op_totals = ORDO_GATHER_TOTALS,
    op_activates = ORDO_OP_BY_RESIDUAL,
#ifdef ORDO_GATHER_SHARE
    op_shares = 1, /* shares differ from cells */
#else
    op_shares = 0,
#endif
#ifdef ORDO_GATHER_EDGE
    op_edges = 1, /* values are those of edges, not the shares */
#else
    op_edges = 0,
#endif
#ifdef ORDO_GATHER_ARRAYS
    op_array_count = 0 ORDO_GATHER_ARRAYS(ORDO_ARRAY_ONE)
#else
    op_array_count = 0
#endif
};

#ifndef __CUDA_ARCH__
__attribute__((unused)) static const char op_summary[] = ORDO_GATHER_SUMMARY;
#endif

/* An edge as functions of the operator get it; `weight` points at its weight, of the operator's type. */
ORDO_FN op_edge op_make_edge(ordo_eid id, ordo_vid tail, ordo_vid head, const void *weight)
{
    op_edge e;
    e.id = id;
    e.tail = tail;
    e.head = head;
    ORDO_SET_WEIGHT(ORDO_GATHER_WEIGHT);
    return e;
}

/* What the item offers to its out-edges. */
ORDO_FN op_share op_share_of(const op_state *s, ordo_item item, op_cell cell)
{
#ifdef ORDO_GATHER_SHARE
    return ORDO_GATHER_SHARE(s, item, cell);
#else
    (void)s;
    (void)item;
    return cell;
#endif
}

/* What edge e makes of the share of its tail. */
ORDO_FN op_value op_edge_value(const op_state *s, op_share share, op_edge e)
{
#ifdef ORDO_GATHER_EDGE
    return ORDO_GATHER_EDGE(s, share, e);
#else
    (void)s;
    (void)e;
    return (op_value)share;
#endif
}

#if ORDO_GATHER_COMBINE != ORDO_MODE
/* The value of no edges. */
ORDO_FN op_value op_none(void)
{
#if ORDO_GATHER_COMBINE == ORDO_SUM
    return 0;
#elif ORDO_GATHER_COMBINE == ORDO_MIN
    return ORDO_JOIN(ordo_highest_, ORDO_GATHER_VALUE)();
#else
    return ORDO_JOIN(ordo_lowest_, ORDO_GATHER_VALUE)();
#endif
}

/* Two values as one. */
ORDO_FN op_value op_join(op_value a, op_value b)
{
#if ORDO_GATHER_COMBINE == ORDO_SUM
    return a + b;
#elif ORDO_GATHER_COMBINE == ORDO_MIN
    return b < a ? b : a;
#else
    return b > a ? b : a;
#endif
}
#endif

/* The item's new cell. */
ORDO_FN op_cell op_apply(const op_state *s, ordo_item item, op_cell old, op_value value, const double *total)
{
    return ORDO_GATHER_APPLY(s, item, old, value, total);
}

/* How far the item has moved. */
ORDO_FN double op_change(const op_state *s, ordo_item item, op_cell old, op_cell now)
{
#ifdef ORDO_GATHER_CHANGE
    return ORDO_GATHER_CHANGE(s, item, old, now);
#else
    (void)s;
    (void)item;
    return old != now;
#endif
}

#ifdef ORDO_GATHER_INFLUENCE
/* How far e.head moves at most when the share of e.tail changes. */
ORDO_FN double op_influence(const op_state *s, op_share before, op_share now, op_edge e)
{
    return ORDO_GATHER_INFLUENCE(s, before, now, e);
}
#endif

/* The change of two sets of items together. */
ORDO_FN double op_join_changes(double a, double b)
{
#if ORDO_GATHER_NORM == ORDO_MAX
    return a > b ? a : b;
#else
    return a + b;
#endif
}

/* A round that changes at most this is the last. */
ORDO_FN double op_tolerance(const op_state *s)
{
#ifdef ORDO_GATHER_TOLERANCE
    return ORDO_GATHER_TOLERANCE(s);
#else
    (void)s;
    return 0;
#endif
}

/* The most rounds. */
ORDO_FN ordo_u64 op_most_rounds(const op_state *s)
{
#ifdef ORDO_GATHER_ROUNDS
    return ORDO_GATHER_ROUNDS(s);
#else
    (void)s;
    return ~(ordo_u64)0;
#endif
}

/* Adds the item's part to total[op_totals]. */
ORDO_FN void op_add_total(const op_state *s, ordo_item item, op_cell cell, double *total)
{
#ifdef ORDO_GATHER_TOTAL
    ORDO_GATHER_TOTAL(s, item, cell, total);
#else
    (void)s;
    (void)item;
    (void)cell;
    (void)total;
#endif
}

/* Writes the arrays of the state to out[ORDO_MOST_ARRAYS]; returns their number, op_array_count. */
ORDO_FN int op_arrays(op_state *s, ordo_u64 items, ordo_u64 targets, ordo_u64 edges, ordo_array *out)
{
    int size = 0;
    (void)s;
    (void)items;
    (void)targets;
    (void)edges;
    (void)out;
#ifdef ORDO_GATHER_ARRAYS
    ORDO_GATHER_ARRAYS(ORDO_ARRAY_ROW_READ)
#endif
    return size;
}

#endif /* ORDO_OP */

#undef ORDO_OP_ON_CUDA
#if (ORDO_GATHER_COMBINE == ORDO_MODE && ORDO_GATHER_TOTALS) ||                                                        \
    (defined(ORDO_GATHER_STATE) && !defined(ORDO_GATHER_ARRAYS))
#define ORDO_OP_ON_CUDA 0
#else
#define ORDO_OP_ON_CUDA 1
#endif
#undef ORDO_OP_COMBINE
#if ORDO_GATHER_COMBINE == ORDO_MODE
#define ORDO_OP_COMBINE ORDO_MODE
#elif ORDO_GATHER_COMBINE == ORDO_MAX
#define ORDO_OP_COMBINE ORDO_MAX
#elif ORDO_GATHER_COMBINE == ORDO_MIN
#define ORDO_OP_COMBINE ORDO_MIN
#else
#define ORDO_OP_COMBINE ORDO_SUM
#endif
#undef ORDO_OP_KIND
#define ORDO_OP_KIND ORDO_KIND_GATHER
#ifdef ORDO_RUN_TIME /* `ordo run` compiles this file: the rest of its unit, ahead of the end of the list */
#include ORDO_RUN_TIME
#endif
#undef ORDO_GATHER
#undef ORDO_GATHER_SUMMARY
#undef ORDO_GATHER_STATE
#undef ORDO_GATHER_ARRAYS
#undef ORDO_GATHER_CELL
#undef ORDO_GATHER_WEIGHT
#undef ORDO_GATHER_PROPERTIES
#undef ORDO_GATHER_COMBINE
#undef ORDO_GATHER_VALUE
#undef ORDO_GATHER_APPLY
#undef ORDO_GATHER_SHARE
#undef ORDO_GATHER_SHARE_TYPE
#undef ORDO_GATHER_EDGE
#undef ORDO_GATHER_CHANGE
#undef ORDO_GATHER_NORM
#undef ORDO_GATHER_INFLUENCE
#undef ORDO_GATHER_TOLERANCE
#undef ORDO_GATHER_ROUNDS
#undef ORDO_GATHER_TOTALS
#undef ORDO_GATHER_TOTAL
#undef ORDO_GATHER_BEGIN
#undef ORDO_GATHER_SETTINGS
#undef ORDO_GATHER_FILL
#undef ORDO_GATHER_CHECK
