/* relax.h -- ends the file of a relax operator: reads its list of parts, derives what schedulers use.
 *
 * Problem. An update of one cell for each edge is the whole work of many algorithms. It has to be written once, and to
 * run under any order of work and any kind of concurrent update.
 *
 * Method. A relax operator processes an item u (usually a vertex): for every edge (u, v) it proposes a candidate for
 * the cell of a target (v unless it says otherwise). The framework applies the candidate; how (atomically, racily,
 * under a lock or by a server) is its choice (--sync). A target whose cell has improved is activated: it is put on the
 * worklist with a priority. With ORDO_RELAX_ITEMS an item may also be an edge (--items). There are two kinds of cells:
 *   select   (ORDO_MIN, ORDO_MAX, a comparator) the cell keeps the better value
 *   sum      (ORDO_SUM) the cell adds candidates up, and processing an item takes what its cell holds
 *
 * Not done: candidates that depend on the target's cell; updates of more than one cell (see critical.h).
 *
 * Notation: `s` is a `const state *`, `e` an edge (ordo_edge_TYPE, by value), `cell` the type of the cells; functions
 * are ORDO_FN. Items are below ordo_work.num_items, targets below ordo_work.targets. The state and its arrays are the
 * caller's and must live as long as the run.
 *
 * required
 *   ORDO_RELAX             the operator's name, an identifier
 *   ORDO_RELAX_SUMMARY     one line for people: "single-source shortest paths"
 *   ORDO_RELAX_CELL        type of the cells: u32, i32, f32, u64, i64 or f64; or instead of it
 *   ORDO_RELAX_CELL_STRUCT a struct of the operator's own as the type of the cells, of 4, 8 or 16 bytes (two words),
 *                          with ORDO_BY_COMPARATOR and a _PRIORITY of its own, and without padding that is no member.
 *                          The run's cells are aligned to their size. Of 16 bytes on any CPU (without a
 * compare-and-swap of that size under locks and servers alone), and on a GPU of compute capability 9.0
 *   ORDO_RELAX_CELL_BYTES  with ORDO_RELAX_CELL_STRUCT, its size as a number: 4, 8 or 16. The preprocessor cannot ask.
 *                          Optional; the CUDA back end refuses cells that are structs without it
 *   ORDO_RELAX_WEIGHT      type of the edge weights that it reads: u32, i32, f32, i64, f64 or none
 *   ORDO_RELAX_ORDER       ORDO_MIN, ORDO_MAX, ORDO_BY_COMPARATOR with _BETTER and _WORST below,
 *                          or ORDO_SUM with _LEVEL and _TAKE
 *   ORDO_RELAX_PROPERTIES  the properties that it promises: ORDO_MONOTONE | ...
 *   ORDO_RELAX_CANDIDATE   cell f(s, cell cu, e): what edge e proposes; cu is the cell of e.tail. The order's worst
 *                          value proposes nothing. It may be asked of a cell of the worst value, too (schedulers that
 *                          pull or sweep do), and must then propose nothing better
 * optional
 *   ORDO_RELAX_STATE       struct of the operator's own arrays and parameters, read-only during a run (default
 *                          ordo_no_state)
 *   ORDO_RELAX_ARRAYS      the arrays of the state, for back ends with memory of their own, which refuse operators that
 *                          have a state and not this. A macro of X with one X(member, per, each) for every pointer of
 *                          the state: an array of `each` elements (an expression that may use s) for each ITEM, TARGET,
 *                          EDGE (indexed by edge id), RUN, or ROW (items + 1 of them, as in offsets of rows); at most
 *                          ORDO_MOST_ARRAYS. A fourth word, X(member, per, each, WRITE), is for what ORDO_RELAX_TAKE
 *                          writes: it is copied back after the run. An array that is the run's cells, or the graph's
 *                          row[], is the device's there; NULL stays NULL. Empty where the state has no pointers:
 *                          `#define ORDO_RELAX_ARRAYS(X)`
 *   ORDO_RELAX_TARGET      u32 f(s, e): the target of e's candidate, an index of cells (default e.head). With it, cells
 *                          and items are different things: cu is not read, and improved targets are not activated
 *   ORDO_RELAX_ITEMS       what an item may be: ORDO_ITEMS_VERTICES (default), ORDO_ITEMS_EDGES, or both, by |; then
 *                          the run chooses (ordo_options.items; vertices if it does not). Processing an item that is a
 *                          vertex proposes the candidates of all its out-edges. Processing an item that is an edge
 *                          reads the cell of its tail and proposes the candidate of that one edge; if the cell of the
 *                          head improves, the out-edges of the head are activated. The operator's functions are the
 *                          same for both: the items that _FILTER, _PRIORITY, _FINAL and ITEM of _ARRAYS mean are
 *                          vertices, here the tail. So are those of ordo_work: out-edges of initial vertices are
 *                          initial. Not with _TARGET, whose improved targets activate nothing, nor under ORDO_SUM,
 *                          where a cell is taken once for all out-edges of its vertex
 *   ORDO_RELAX_GROW        void f(s, item, cell, ordo_growing *g): the operator adds edges and items to the graph of
 *                          its run. Called whenever an item is processed, with the value that it is processed with, and
 *                          so any number of times with the same one; it adds what is missing by the calls of
 *                          <ordo/operator/grow.h>, which the file includes. Then `item` may be a new one, from the
 *                          graph's vertices on: arrays of the state have room for ordo_additions.most_items more, and
 * the id of an added edge is the graph's number of edges and more. Not with _TARGET, _FINAL, ORDO_UNIFORM,
 * ORDO_ITEMS_EDGES or ORDO_SUM: an added edge proposes at any time ORDO_RELAX_KEY         with _GROW: u64 f(s, item):
 * the key of a vertex of the graph, for ordo_item_of() ORDO_RELAX_FILTER      int f(s, item): 0 skips the item
 *   ORDO_RELAX_PRIORITY    double f(s, item, cell): smaller runs earlier. It may be negative: on the CPU buckets count
 *                          from the least priority of an initial item, and what is below that counts as that; on a GPU
 *                          `near_far` counts from 0. Default: where smaller cells are better (ORDO_MIN, or a comparator
 *                          that puts 1 before 2) the cell; where larger ones are, how far it lies below the type's
 *                          largest value, in 256ths of a factor of two (ordo_steps_below()); 0 under ORDO_SUM
 *   ORDO_RELAX_DELTA       double f(n, m): width of a bucket in units of priority, where a scheduler is to choose one;
 *                          n vertices, m edges. For operators whose weights say nothing about it. 0: mean weight over
 *                          mean degree, times the scheduler's factor. Default: 1 where there are no weights, or where
 *                          larger cells are better and the priority is the default; else 0
 *   ORDO_RELAX_FINAL       int f(s, item, cell): whether, in breadth-first supersteps, this cell cannot improve any
 *                          more. Allows `bsp` to pull and to stop at the first active in-neighbour, so all edges out of
 *                          the vertices that one superstep has improved must propose the same value. Only with
 *                          ORDO_UNIFORM and ORDO_EDGE_BLIND (without the latter `bsp` only pushes), not with _TARGET
 *   ORDO_RELAX_BETTER      int f(a, b): a is strictly better than b (with ORDO_BY_COMPARATOR)
 *   ORDO_RELAX_WORST       cell f(void): no value is worse (with ORDO_BY_COMPARATOR)
 *
 * sums: a sum of whole numbers is the same in any order; the caller must make sure that it fits the type. A sum of
 * reals (f32, f64) depends on the order: n addends x of one cell add up to within (n - 1) u / (1 - (n - 1) u) of their
 * exact sum, times the sum of |x|, where u is 2^-24 or 2^-53, and on a GPU what is smaller than the least normal f32
 * counts as 0 in f32. docs/operators.md says how to get the same bits in every run.
 *   ORDO_RELAX_LEVEL       u32 f(s, cell): 0 where the item has nothing to do. An offer that raises the level activates
 *                          its target with the new sum. That entry is valid as long as the item's level stays the same.
 *                          ORDO_MONOTONE promises that offers never lower a level: only a take does
 *   ORDO_RELAX_TAKE        cell f(s, item, taken): an item of level 1 or more is processed by taking its cell, in one
 *                          step that leaves _SPENT in it. This function records `taken` in the state's arrays, by
 *                          ordo_add_u64() and its relatives, or by a store where an item is taken once. It returns the
 *                          `cu` of the item's candidates
 *   ORDO_RELAX_SPENT       cell f(void): what a take leaves in the cell; its level is 0 (default 0)
 *   Not with _TARGET, _FINAL, _BETTER or _WORST. Never racy, since a lost update would be a lost addend.
 *
 * read by `ordo run FILE` and its relatives alone, which compile the file at run time (docs/run_time_operators.md); a
 * program that runs the operator does itself what these say
 *   ORDO_RELAX_BEGIN       cell f(s, item): what a cell begins with (default: the order's worst value)
 *   ORDO_RELAX_SOURCE      cell f(s): what the source's cell begins with. The operator then has a source, which is the
 *                          only initial item. Without this and _BEGIN it is 0 under ORDO_MIN and the type's largest
 *                          value under ORDO_MAX; with _BEGIN alone there is no source, and all items are initial.
 *                          Sums: all items of level 1 or more are initial, and one of the two must be defined (_BEGIN
 *                          is _SPENT by default). With _TARGET there is no source
 *   ORDO_RELAX_PRINT       int f(s, item, cell, char *out, size_t size): writes a cell as text of one line, as
 *                          snprintf() does (default: the number; "inf" for the type's largest value under ORDO_MIN)
 *   ORDO_RELAX_RESULT      of sums: the array of the state, with an element for each item, that is the answer: what
 *                          takes have recorded, of type u32, i32, f32, u64, i64 or f64 (default: the cells). _PRINT
 *                          gets its elements. Arrays of an operator that sums are 0 ahead of every run, or as a file
 *                          says
 *   ORDO_RELAX_WITHIN      of sums: double f(s, const ordo_csr *graph): how far a value of the answer may be from that
 *                          of a run in another order, at least 0 (default 0), beside rounding (reals: 2^-18 of an f32
 *                          value, 2^-40 of an f64)
 *   ORDO_RELAX_CHECK       ordo_vid f(s, const ordo_csr *graph, ordo_vid source, const cell *cells): ORDO_NO_VERTEX if
 *                          an answer is right, else a vertex whose cell is wrong. `source` is ORDO_NO_VERTEX where
 *                          there is none. It runs beside the generic check. ordo_csr is in <ordo/graph.h>
 *   ORDO_RELAX_FILL        void f(state *s, const ordo_csr *graph, ordo_vid source): fills the arrays of the state,
 *                          ahead of every run. They are there, as ORDO_RELAX_ARRAYS lists them, and hold 0, or what a
 *                          file says (--set-state NAME=@FILE), or what the last call on that graph left. It is a
 *                          function of the host; `source` is ORDO_NO_VERTEX where there is none
 *   ORDO_RELAX_SETTINGS    the numbers of the state that --set-state sets; the other members are 0. A macro of X with
 *                          one X(member, type, initial, help) for each: `type` is u32, i32, u64, f32 or f64 (double),
 *                          as the member is declared; `initial` is a constant expression, `help` a string
 *
 * Derived where ORDO_OP is defined, as the operator's name: the file is then included to compile that operator under
 * schedulers, one operator in a translation unit. op_cell, op_edge, op_state (types); op_cell_type, op_weight_type,
 * op_order, op_properties, op_items, op_activates, op_ordered, op_can_pull, op_can_gather, op_knows_final,
 * op_array_count (enumerators); op_summary; op_make_edge, op_candidate, op_target, op_filter, op_priority, op_delta,
 * op_is_final, op_arrays, and op_better, op_worst or, for sums, op_level, op_take, op_spent (functions). Without
 * ORDO_OP nothing is derived, so that a program can include the files of several operators, for their states.
 *
 * ORDO_OP_KIND is left as ORDO_KIND_RELAX, ORDO_OP_ORDER as the order, ORDO_OP_REAL as 1 where cells are reals, else 0,
 * ORDO_OP_STRUCT as 1 where cells are a struct, else 0, ORDO_OP_GROWS and ORDO_OP_HAS_KEYS as 1 where _GROW and _KEY
 * are defined, else 0, ORDO_OP_CELL_BYTES as _CELL_BYTES or 0, ORDO_OP_ON_CUDA as 1 where the CUDA back end supports
 * the operator, else 0.
 */
#include <ordo/operator/operator.h>

#ifndef ORDO_RELAX
#error "relax.h is included at the end of an operator file, after its ORDO_RELAX_... list (see the top of relax.h)"
#endif
#if defined(ORDO_RELAX_CELL_STRUCT) && !defined(ORDO_RELAX_CELL)
#define ORDO_RELAX_CELL own
#define ORDO_RELAX_IS_STRUCT 1
#elif defined(ORDO_RELAX_CELL_STRUCT)
#error "an operator has ORDO_RELAX_CELL or ORDO_RELAX_CELL_STRUCT, not both"
#else
#define ORDO_RELAX_IS_STRUCT 0
#endif
#if !defined(ORDO_RELAX_SUMMARY) || !defined(ORDO_RELAX_CELL) || !defined(ORDO_RELAX_WEIGHT) ||                        \
    !defined(ORDO_RELAX_ORDER) || !defined(ORDO_RELAX_PROPERTIES) || !defined(ORDO_RELAX_CANDIDATE)
#error "a relax operator defines ORDO_RELAX_SUMMARY, _CELL, _WEIGHT, _ORDER, _PROPERTIES and _CANDIDATE"
#endif

/* What is not of the lists has no number, which the preprocessor takes for 0. After a message u32 stands in, so that
 * the compiler does not go on about the type that it does not know. */
#if !ORDO_RELAX_IS_STRUCT && !ORDO_JOIN(ORDO_TYPE_NUMBER_, ORDO_RELAX_CELL)
#error "ORDO_RELAX_CELL is no type of cells: expected u32, i32, f32, u64, i64 or f64"
#undef ORDO_RELAX_CELL
#define ORDO_RELAX_CELL u32
#endif
#define ORDO_READS_none 1
#define ORDO_READS_u32 1
#define ORDO_READS_i32 1
#define ORDO_READS_f32 1
#define ORDO_READS_i64 1
#define ORDO_READS_f64 1
#if !ORDO_JOIN(ORDO_READS_, ORDO_RELAX_WEIGHT)
#error "ORDO_RELAX_WEIGHT is no type of weights: expected u32, i32, f32, i64, f64 or none"
#undef ORDO_RELAX_WEIGHT
#define ORDO_RELAX_WEIGHT u32
#endif

#if ORDO_RELAX_IS_STRUCT && (ORDO_RELAX_ORDER != ORDO_BY_COMPARATOR || !defined(ORDO_RELAX_BETTER) ||                  \
                             !defined(ORDO_RELAX_WORST) || !defined(ORDO_RELAX_PRIORITY))
#error "ORDO_RELAX_CELL_STRUCT needs ORDO_BY_COMPARATOR, with ORDO_RELAX_BETTER, _WORST and _PRIORITY"
#endif
#ifndef ORDO_RELAX_ITEMS
#define ORDO_RELAX_ITEMS ORDO_ITEMS_VERTICES
#endif
#if !((ORDO_RELAX_ITEMS) & (ORDO_ITEMS_VERTICES | ORDO_ITEMS_EDGES)) ||                                                \
    ((ORDO_RELAX_ITEMS) & ~(ORDO_ITEMS_VERTICES | ORDO_ITEMS_EDGES))
#error "ORDO_RELAX_ITEMS is ORDO_ITEMS_VERTICES, ORDO_ITEMS_EDGES or both, by |"
#endif
#if (ORDO_RELAX_ITEMS) & ORDO_ITEMS_EDGES && (ORDO_RELAX_ORDER == ORDO_SUM || defined(ORDO_RELAX_TARGET))
#error                                                                                                                 \
    "ORDO_ITEMS_EDGES is of operators that select, for the heads of their edges: not under ORDO_SUM, nor with _TARGET"
#endif
#if defined(ORDO_RELAX_GROW) && (ORDO_RELAX_ORDER == ORDO_SUM || defined(ORDO_RELAX_TARGET) ||                         \
                                 defined(ORDO_RELAX_FINAL) || ((ORDO_RELAX_ITEMS)&ORDO_ITEMS_EDGES))
#error "ORDO_RELAX_GROW is of operators that select, for the heads of edges of vertices, and have no ORDO_RELAX_FINAL"
#endif
#if defined(ORDO_RELAX_GROW) && !defined(ORDO_OPERATOR_GROW_H)
#error "ORDO_RELAX_GROW needs #include <ordo/operator/grow.h> at the top of the file"
#endif
#if defined(ORDO_RELAX_KEY) && !defined(ORDO_RELAX_GROW)
#error "ORDO_RELAX_KEY is of operators that add items: with ORDO_RELAX_GROW"
#endif
#if defined(ORDO_RELAX_CELL_BYTES) && !ORDO_RELAX_IS_STRUCT
#error "ORDO_RELAX_CELL_BYTES is for ORDO_RELAX_CELL_STRUCT"
#endif
#if ORDO_RELAX_ORDER == ORDO_SUM
#if !defined(ORDO_RELAX_LEVEL) || !defined(ORDO_RELAX_TAKE)
#error "ORDO_SUM needs ORDO_RELAX_LEVEL and ORDO_RELAX_TAKE"
#endif
#if defined(ORDO_RELAX_TARGET) || defined(ORDO_RELAX_FINAL) || defined(ORDO_RELAX_BETTER) || defined(ORDO_RELAX_WORST)
#error "ORDO_SUM takes no ORDO_RELAX_TARGET, _FINAL, _BETTER or _WORST"
#endif
#elif defined(ORDO_RELAX_TARGET) && defined(ORDO_RELAX_FINAL)
#error "ORDO_RELAX_FINAL is of operators whose targets are the heads of edges: not with ORDO_RELAX_TARGET"
#elif defined(ORDO_RELAX_TARGET) && defined(ORDO_RELAX_SOURCE)
#error "ORDO_RELAX_SOURCE is of operators that activate: with ORDO_RELAX_TARGET every item is processed once"
#elif defined(ORDO_RELAX_LEVEL) || defined(ORDO_RELAX_TAKE) || defined(ORDO_RELAX_SPENT) ||                            \
    defined(ORDO_RELAX_RESULT) || defined(ORDO_RELAX_WITHIN)
#error "ORDO_RELAX_LEVEL, _TAKE, _SPENT, _RESULT and _WITHIN are for ORDO_SUM"
#endif

#undef ORDO_OP_REAL
#if ORDO_JOIN(ORDO_TYPE_NUMBER_, ORDO_RELAX_CELL) == ORDO_TYPE_NUMBER_f32 ||                                           \
    ORDO_JOIN(ORDO_TYPE_NUMBER_, ORDO_RELAX_CELL) == ORDO_TYPE_NUMBER_f64
#define ORDO_OP_REAL 1
#else
#define ORDO_OP_REAL 0
#endif
#undef ORDO_OP_ACTIVATES
#ifdef ORDO_RELAX_TARGET
#define ORDO_OP_ACTIVATES 0
#else
#define ORDO_OP_ACTIVATES 1
#endif

#ifdef ORDO_OP /* this file is a unit of the operator: derive */

/* ORDO_OP must be ORDO_RELAX; <ordo/scheduler/cpu.h> and <ordo/scheduler/cuda.cuh> look for this name. */
enum { ORDO_JOIN(ordo_operator_is_, ORDO_RELAX) = 1 };

#ifdef ORDO_RELAX_STATE
typedef ORDO_RELAX_STATE op_state;
#else
typedef ordo_no_state op_state;
#endif
#if ORDO_RELAX_IS_STRUCT
typedef ORDO_RELAX_CELL_STRUCT op_cell;
#define ORDO_CELL_NUMBER (sizeof(op_cell) == 4 ? 7 : sizeof(op_cell) == 8 ? 8 : 9) /* ORDO_STRUCT4 ... */
#if defined(__cplusplus)
static_assert
#else
_Static_assert
#endif
    (sizeof(op_cell) == 4 || sizeof(op_cell) == 8 || sizeof(op_cell) == 16,
     "ORDO_RELAX_CELL_STRUCT is no struct of 4, 8 or 16 bytes");
#ifdef ORDO_RELAX_CELL_BYTES
#if defined(__cplusplus)
static_assert
#else
_Static_assert
#endif
    (sizeof(op_cell) == ORDO_RELAX_CELL_BYTES, "ORDO_RELAX_CELL_BYTES is not the size of ORDO_RELAX_CELL_STRUCT");
#endif
#else
typedef ORDO_TYPE_OF(ORDO_RELAX_CELL) op_cell;
#define ORDO_CELL_NUMBER ORDO_JOIN(ORDO_TYPE_NUMBER_, ORDO_RELAX_CELL)
#endif
typedef ORDO_EDGE_OF(ORDO_RELAX_WEIGHT) op_edge;

enum {
    op_cell_type = ORDO_CELL_NUMBER,
    op_weight_type = ORDO_JOIN(ORDO_TYPE_NUMBER_, ORDO_RELAX_WEIGHT),
    op_order = ORDO_RELAX_ORDER,
#ifdef ORDO_RELAX_GROW
    op_properties = (ORDO_RELAX_PROPERTIES) | ORDO_SELECTIVE | ORDO_GROWING,
#else
    op_properties = (ORDO_RELAX_PROPERTIES) | (ORDO_RELAX_ORDER == ORDO_SUM ? 0 : ORDO_SELECTIVE),
#endif
    op_items = ORDO_RELAX_ITEMS,
/* whether candidates can be pulled over in-edges, whose ids differ: see ordo_operator_check_pull */
#if defined(ORDO_RELAX_TARGET) || ORDO_RELAX_ORDER == ORDO_SUM || defined(ORDO_RELAX_GROW)
    op_can_pull = 0,
#else
    op_can_pull = ((ORDO_RELAX_PROPERTIES)&ORDO_EDGE_BLIND) != 0,
#endif
    /* whether a vertex can add up the candidates of its in-edges, likewise */
    op_can_gather = ORDO_RELAX_ORDER == ORDO_SUM && ((ORDO_RELAX_PROPERTIES)&ORDO_EDGE_BLIND) != 0,
    op_activates = ORDO_OP_ACTIVATES,
#if defined(ORDO_RELAX_TARGET) && !defined(ORDO_RELAX_PRIORITY)
    op_ordered = 0,
#else
    op_ordered = 1, /* an order of items can matter */
#endif
/* whether a priority can be negative: an operator's own, or a signed cell */
#ifdef ORDO_RELAX_PRIORITY
    op_priority_signed = 1,
#else
    op_priority_signed = ORDO_RELAX_ORDER != ORDO_SUM && (int)op_cell_type != ORDO_TYPE_NUMBER_u32 &&
                         (int)op_cell_type != ORDO_TYPE_NUMBER_u64,
#endif
#ifdef ORDO_RELAX_ARRAYS
    op_array_count = 0 ORDO_RELAX_ARRAYS(ORDO_ARRAY_ONE),
#else
    op_array_count = 0,
#endif
#ifdef ORDO_RELAX_FINAL
    op_knows_final = 1
#else
    op_knows_final = 0
#endif
};

#ifndef __CUDA_ARCH__
__attribute__((unused)) static const char op_summary[] = ORDO_RELAX_SUMMARY;
#endif

/* An edge as functions of the operator get it; `weight` points at its weight, of the operator's type. */
ORDO_FN op_edge op_make_edge(ordo_eid id, ordo_vid tail, ordo_vid head, const void *weight)
{
    op_edge e;
    e.id = id;
    e.tail = tail;
    e.head = head;
    ORDO_SET_WEIGHT(ORDO_RELAX_WEIGHT);
    return e;
}

/* What edge e proposes; cu is the cell of its tail or, for sums, what op_take returned. */
ORDO_FN op_cell op_candidate(const op_state *s, op_cell cu, op_edge e)
{
    return ORDO_RELAX_CANDIDATE(s, cu, e);
}

/* The index of the cell that e's candidate is for. */
ORDO_FN ordo_u32 op_target(const op_state *s, op_edge e)
{
#ifdef ORDO_RELAX_TARGET
    return ORDO_RELAX_TARGET(s, e);
#else
    (void)s;
    return e.head;
#endif
}

/* 0: the item is skipped. */
ORDO_FN int op_filter(const op_state *s, ordo_item item)
{
#ifdef ORDO_RELAX_FILTER
    return ORDO_RELAX_FILTER(s, item);
#else
    (void)s;
    (void)item;
    return 1;
#endif
}

#if ORDO_RELAX_ORDER == ORDO_SUM
/* 0 where an item with that cell has nothing to do. */
ORDO_FN ordo_u32 op_level(const op_state *s, op_cell cell)
{
    return ORDO_RELAX_LEVEL(s, cell);
}

/* Records what was taken from the item's cell; returns what its candidates are made from. */
ORDO_FN op_cell op_take(const op_state *s, ordo_item item, op_cell taken)
{
    return ORDO_RELAX_TAKE(s, item, taken);
}

/* What a take leaves in a cell. */
ORDO_FN op_cell op_spent(void)
{
#ifdef ORDO_RELAX_SPENT
    return ORDO_RELAX_SPENT();
#else
    return 0;
#endif
}

#if ORDO_OP_REAL
/* Adds to a cell in one atomic step; returns the value before. */
ORDO_FN op_cell op_add_real(op_cell *cell, op_cell addend)
{
    return ORDO_JOIN(ordo_add_, ORDO_RELAX_CELL)(cell, addend);
}
#endif
#else
/* Whether a is strictly better than b. */
ORDO_FN int op_better(op_cell a, op_cell b)
{
#if ORDO_RELAX_ORDER == ORDO_MIN
    return a < b;
#elif ORDO_RELAX_ORDER == ORDO_MAX
    return a > b;
#else
    return ORDO_RELAX_BETTER(a, b);
#endif
}

/* The value that proposes nothing. */
ORDO_FN op_cell op_worst(void)
{
#if ORDO_RELAX_ORDER == ORDO_MIN
    return ORDO_JOIN(ordo_highest_, ORDO_RELAX_CELL)();
#elif ORDO_RELAX_ORDER == ORDO_MAX
    return ORDO_JOIN(ordo_lowest_, ORDO_RELAX_CELL)();
#else
    return ORDO_RELAX_WORST();
#endif
}
#endif

/* Whether the default priority puts larger cells first. */
ORDO_FN int op_larger_first(void)
{
#if defined(ORDO_RELAX_PRIORITY) || ORDO_RELAX_ORDER == ORDO_SUM /* as of every struct */
    return 0;
#else
    return op_better((op_cell)2, (op_cell)1);
#endif
}

/* The priority of an item with that cell; smaller runs earlier. */
ORDO_FN double op_priority(const op_state *s, ordo_item item, op_cell cell)
{
#ifdef ORDO_RELAX_PRIORITY
    return ORDO_RELAX_PRIORITY(s, item, cell);
#elif ORDO_RELAX_ORDER == ORDO_SUM
    (void)s;
    (void)item;
    (void)cell;
    return 0;
#else
    (void)s;
    (void)item;
    if (op_larger_first())
        return ordo_steps_below((ordo_f32)ORDO_JOIN(ordo_highest_, ORDO_RELAX_CELL)(), (ordo_f32)cell);
    return (double)cell;
#endif
}

/* The width of a bucket in units of priority; 0: by weights and degrees (ordo_job_delta). */
ORDO_FN double op_delta(double n, double m)
{
#ifdef ORDO_RELAX_DELTA
    return ORDO_RELAX_DELTA(n, m);
#else
    (void)n;
    (void)m;
    return op_weight_type != 0 && !op_larger_first() ? 0.0 : 1.0;
#endif
}

/* Whether the cell cannot improve any more in breadth-first supersteps; 0 where the operator does not say. */
ORDO_FN int op_is_final(const op_state *s, ordo_item item, op_cell cell)
{
#ifdef ORDO_RELAX_FINAL
    return ORDO_RELAX_FINAL(s, item, cell);
#else
    (void)s;
    (void)item;
    (void)cell;
    return 0;
#endif
}

#ifdef ORDO_RELAX_GROW
/* Adds what the item has to add, processed with that value. */
ORDO_FN void op_grow(const op_state *s, ordo_item item, op_cell cell, ordo_growing *g)
{
    ORDO_RELAX_GROW(s, item, cell, g);
}
#endif
#ifdef ORDO_RELAX_KEY
ORDO_FN ordo_u64 op_key(const op_state *s, ordo_item item)
{
    return ORDO_RELAX_KEY(s, item);
}
#endif

/* Writes the arrays of the state to out[ORDO_MOST_ARRAYS]; returns their number, op_array_count. `items`, `targets` and
 * `edges` are those of the run. */
ORDO_FN int op_arrays(op_state *s, ordo_u64 items, ordo_u64 targets, ordo_u64 edges, ordo_array *out)
{
    int size = 0;
    (void)s;
    (void)items;
    (void)targets;
    (void)edges;
    (void)out;
#ifdef ORDO_RELAX_ARRAYS
    ORDO_RELAX_ARRAYS(ORDO_ARRAY_ROW_READ)
#endif
    return size;
}

#ifdef ORDO_RELAX_GROW /* enumerators are not the preprocessor's */
#if defined(__cplusplus)
static_assert
#else
_Static_assert
#endif
    (!((ORDO_RELAX_PROPERTIES)&ORDO_UNIFORM),
     "ORDO_RELAX_GROW: an added edge proposes at any time, so ORDO_UNIFORM cannot be");
#endif

#if !(ORDO_RELAX_ORDER == ORDO_MIN || ORDO_RELAX_ORDER == ORDO_MAX) || defined(ORDO_RELAX_TARGET) ||                   \
    defined(ORDO_RELAX_GROW)
#if defined(__cplusplus)
static_assert
#else
_Static_assert
#endif
    (!((ORDO_RELAX_PROPERTIES)&ORDO_BY_WEIGHT), "ORDO_BY_WEIGHT: with ORDO_MIN or ORDO_MAX, for the heads of the edges "
                                                "of the graph: not with ORDO_RELAX_TARGET, _GROW");
#endif

#endif /* ORDO_OP */

#undef ORDO_OP_STRUCT
#define ORDO_OP_STRUCT 0
#if ORDO_RELAX_IS_STRUCT
#undef ORDO_OP_STRUCT
#define ORDO_OP_STRUCT 1
#endif
#undef ORDO_OP_CELL_BYTES
#if !defined(ORDO_RELAX_CELL_BYTES)
#define ORDO_OP_CELL_BYTES 0
#elif ORDO_RELAX_CELL_BYTES == 16
#define ORDO_OP_CELL_BYTES 16
#elif ORDO_RELAX_CELL_BYTES == 8
#define ORDO_OP_CELL_BYTES 8
#else
#define ORDO_OP_CELL_BYTES 4
#endif
#undef ORDO_OP_GROWS
#undef ORDO_OP_HAS_KEYS
#ifdef ORDO_RELAX_GROW
#define ORDO_OP_GROWS 1
#else
#define ORDO_OP_GROWS 0
#endif
#ifdef ORDO_RELAX_KEY
#define ORDO_OP_HAS_KEYS 1
#else
#define ORDO_OP_HAS_KEYS 0
#endif
#undef ORDO_OP_ON_CUDA
#if (ORDO_OP_STRUCT && !ORDO_OP_CELL_BYTES) || (defined(ORDO_RELAX_STATE) && !defined(ORDO_RELAX_ARRAYS)) ||           \
    ORDO_OP_GROWS
#define ORDO_OP_ON_CUDA 0
#else
#define ORDO_OP_ON_CUDA 1
#endif
#undef ORDO_OP_ORDER
#if ORDO_RELAX_ORDER == ORDO_SUM
#define ORDO_OP_ORDER ORDO_SUM
#elif ORDO_RELAX_ORDER == ORDO_MAX
#define ORDO_OP_ORDER ORDO_MAX
#elif ORDO_RELAX_ORDER == ORDO_MIN
#define ORDO_OP_ORDER ORDO_MIN
#else
#define ORDO_OP_ORDER ORDO_BY_COMPARATOR
#endif
#undef ORDO_OP_KIND
#define ORDO_OP_KIND ORDO_KIND_RELAX
#ifdef ORDO_RUN_TIME /* `ordo run` compiles this file: the rest of its unit, ahead of the end of the list */
#include ORDO_RUN_TIME
#endif
#undef ORDO_RELAX
#undef ORDO_RELAX_SUMMARY
#undef ORDO_RELAX_STATE
#undef ORDO_RELAX_ARRAYS
#undef ORDO_RELAX_CELL
#undef ORDO_RELAX_CELL_STRUCT
#undef ORDO_RELAX_CELL_BYTES
#undef ORDO_RELAX_IS_STRUCT
#undef ORDO_CELL_NUMBER
#undef ORDO_RELAX_WEIGHT
#undef ORDO_RELAX_ORDER
#undef ORDO_RELAX_PROPERTIES
#undef ORDO_RELAX_CANDIDATE
#undef ORDO_RELAX_ITEMS
#undef ORDO_RELAX_TARGET
#undef ORDO_RELAX_GROW
#undef ORDO_RELAX_KEY
#undef ORDO_RELAX_FILTER
#undef ORDO_RELAX_PRIORITY
#undef ORDO_RELAX_DELTA
#undef ORDO_RELAX_FINAL
#undef ORDO_RELAX_BETTER
#undef ORDO_RELAX_WORST
#undef ORDO_RELAX_LEVEL
#undef ORDO_RELAX_TAKE
#undef ORDO_RELAX_SPENT
#undef ORDO_RELAX_BEGIN
#undef ORDO_RELAX_SOURCE
#undef ORDO_RELAX_PRINT
#undef ORDO_RELAX_CHECK
#undef ORDO_RELAX_RESULT
#undef ORDO_RELAX_WITHIN
#undef ORDO_RELAX_FILL
#undef ORDO_RELAX_SETTINGS
