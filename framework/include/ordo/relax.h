/* relax.h -- ends the file of a relax operator: reads its list of parts, derives what schedulers use.
 *
 * An operator `x` processes an item u (a vertex): for every edge (u, v) it proposes a candidate for the cell of a
 * target (v unless it says otherwise), and the cell keeps the better value. An improved target is activated: put on
 * the worklist, with a priority. It never says how cells are updated: atomically, racily, under a lock or by a server
 * is the framework's business (--sync).
 *
 * Cells either select (ORDO_MIN, ORDO_MAX, a comparator: the cell keeps the better value) or sum (ORDO_SUM: the cell
 * adds candidates up, and processing an item takes what its cell holds). See "sums" below.
 *
 * required
 *   ORDO_RELAX             the operator's name, an identifier
 *   ORDO_RELAX_SUMMARY     one line for people: "single-source shortest paths"
 *   ORDO_RELAX_CELL        type of the cells: u32, i32, f32 or u64
 *   ORDO_RELAX_WEIGHT      type of the edge weights it reads: u32, i32, f32 or none
 *   ORDO_RELAX_ORDER       ORDO_MIN, ORDO_MAX, ORDO_BY_COMPARATOR with _BETTER and _WORST below,
 *                          or ORDO_SUM with _LEVEL and _TAKE
 *   ORDO_RELAX_PROPERTIES  the ORDO_MONOTONE ... it promises
 *   ORDO_RELAX_CANDIDATE   cell f(const state *s, cell cu, edge e): what edge e proposes, cu being the cell of
 *                          e.tail; the order's worst value proposes nothing
 * optional
 *   ORDO_RELAX_STATE       struct of arrays of its own (default ordo_no_state); read-only during a run
 *   ORDO_RELAX_ARRAYS      for back ends with memory of their own, which refuse operators that have a state and not
 *                          this: a macro of X with X(member, per, each) for every pointer of the state, an array of
 *                          `each` elements (it may use s) per ITEM, TARGET, EDGE (by its id) or RUN. One that is the
 *                          run's cells is that on the device, too; NULL stays NULL. Empty where the state has no
 *                          pointers: `#define ORDO_RELAX_ARRAYS(X)`
 *   ORDO_RELAX_TARGET      u32 f(s, e): the target of e's candidate, an index of cells (default e.head). With it, cu
 *                          is not read, and improved targets are not activated: cells and items are different things
 *   ORDO_RELAX_FILTER      int f(s, item): 0 skips the item altogether
 *   ORDO_RELAX_PRIORITY    double f(s, item, cell): smaller runs earlier, and what is below 0 counts as 0 for most
 *                          schedulers (default: the cell, negated under ORDO_MAX; 0 under ORDO_SUM)
 *   ORDO_RELAX_DELTA       double f(n, m): width of a bucket of priorities where a scheduler is to choose one; for
 *                          operators whose weights say nothing about it (default 0: mean weight over mean degree, times
 *                          the scheduler's factor; 1 where there are no weights)
 *   ORDO_RELAX_SETTLED     int f(s, item, cell): in breadth-first supersteps this cell can get no better any more;
 *                          allows `bsp` to pull and to stop at the first hit. Only with ORDO_UNIFORM
 *   ORDO_RELAX_BETTER      int f(a, b): a is strictly better than b (with ORDO_BY_COMPARATOR)
 *   ORDO_RELAX_WORST       cell f(void) (with ORDO_BY_COMPARATOR)
 *
 * sums: cells are u32, i32 or u64, whole numbers, so that a sum is the same in any order; sums must fit the type
 *   ORDO_RELAX_LEVEL       u32 f(s, cell): 0 where the item has nothing to do. An offer activates its target where it
 *                          raises the level, with the new sum; the entry is good as long as that is the item's level.
 *                          ORDO_MONOTONE promises that offers never lower a level: only a take does
 *   ORDO_RELAX_TAKE        cell f(s, item, taken): an item is processed by taking its cell, at level 1 or more, in one
 *                          step that leaves _SPENT behind. Books `taken`, with ordo_add_u64() or a store where an item
 *                          is taken once; what it returns is the `cu` of the item's candidates
 *   ORDO_RELAX_SPENT       cell f(void): what a take leaves, of level 0 (default 0)
 *   Not with _TARGET, _SETTLED, _BETTER or _WORST; on the CPU only, and never racy: no sum survives a lost update.
 *
 * Derived, for schedulers, all starting with the operator's name: x_op_cell, x_op_weight, x_op_edge, x_op_state
 * (types); x_op_facts (enumerators), x_op_summary; x_op_candidate, x_op_target, x_op_filter, x_op_priority,
 * x_op_delta, x_op_settled, x_op_arrays (x_op_array_count), and x_op_better, x_op_worst or, for sums, x_op_level,
 * x_op_take, x_op_spent (functions). ORDO_OP_KIND is left as ORDO_KIND_RELAX, ORDO_OP_ORDER as the order,
 * ORDO_OP_ON_CUDA as 1 where the CUDA back end's engines run such an operator, else 0.
 */
#include <ordo/operator.h>

#ifndef ORDO_RELAX
#error "relax.h is included at the end of an operator file, after its ORDO_RELAX_... list (see the top of relax.h)"
#endif
#if !defined(ORDO_RELAX_SUMMARY) || !defined(ORDO_RELAX_CELL) || !defined(ORDO_RELAX_WEIGHT) ||                        \
    !defined(ORDO_RELAX_ORDER) || !defined(ORDO_RELAX_PROPERTIES) || !defined(ORDO_RELAX_CANDIDATE)
#error "a relax operator defines ORDO_RELAX_SUMMARY, _CELL, _WEIGHT, _ORDER, _PROPERTIES and _CANDIDATE"
#endif

#if ORDO_RELAX_ORDER == ORDO_SUM
#define ORDO_SUMS_u32 1
#define ORDO_SUMS_i32 1
#define ORDO_SUMS_u64 1
#if !ORDO_JOIN(ORDO_SUMS_, ORDO_RELAX_CELL)
#error "ORDO_SUM needs cells of u32, i32 or u64: sums of reals depend on their order"
#endif
#if !defined(ORDO_RELAX_LEVEL) || !defined(ORDO_RELAX_TAKE)
#error "ORDO_SUM needs ORDO_RELAX_LEVEL and ORDO_RELAX_TAKE"
#endif
#if defined(ORDO_RELAX_TARGET) || defined(ORDO_RELAX_SETTLED) || defined(ORDO_RELAX_BETTER) || defined(ORDO_RELAX_WORST)
#error "ORDO_SUM takes no ORDO_RELAX_TARGET, _SETTLED, _BETTER or _WORST"
#endif
#elif defined(ORDO_RELAX_LEVEL) || defined(ORDO_RELAX_TAKE) || defined(ORDO_RELAX_SPENT)
#error "ORDO_RELAX_LEVEL, _TAKE and _SPENT are for ORDO_SUM"
#endif

#define OP_(_part) ORDO_JOIN3(ORDO_RELAX, _op_, _part)

#ifdef ORDO_RELAX_STATE
typedef ORDO_RELAX_STATE OP_(state);
#else
typedef ordo_no_state OP_(state);
#endif
typedef ORDO_TYPE_OF(ORDO_RELAX_CELL) OP_(cell);
typedef ORDO_EDGE_OF(ORDO_RELAX_WEIGHT) OP_(edge);

/* The type tokens as numbers, to branch on at compile time; `none` has weight_type 0. */
#define ORDO_TYPE_NUMBER_none 0
#define ORDO_TYPE_NUMBER_u32 1
#define ORDO_TYPE_NUMBER_i32 2
#define ORDO_TYPE_NUMBER_f32 3
#define ORDO_TYPE_NUMBER_u64 4
enum {
    OP_(cell_type) = ORDO_JOIN(ORDO_TYPE_NUMBER_, ORDO_RELAX_CELL),
    OP_(weight_type) = ORDO_JOIN(ORDO_TYPE_NUMBER_, ORDO_RELAX_WEIGHT),
    OP_(order) = ORDO_RELAX_ORDER,
    OP_(properties) = (ORDO_RELAX_PROPERTIES) | (ORDO_RELAX_ORDER == ORDO_SUM ? 0 : ORDO_SELECTIVE),
#ifdef ORDO_RELAX_TARGET
    OP_(activates) = 0,
#else
    OP_(activates) = 1,
#endif
#if defined(ORDO_RELAX_TARGET) && !defined(ORDO_RELAX_PRIORITY)
    OP_(ordered) = 0,
#else
    OP_(ordered) = 1, /* an order of items can matter */
#endif
#ifdef ORDO_RELAX_ARRAYS
    OP_(array_count) = 0 ORDO_RELAX_ARRAYS(ORDO_ARRAY_ONE),
#else
    OP_(array_count) = 0,
#endif
#ifdef ORDO_RELAX_SETTLED
    OP_(can_settle) = 1
#else
    OP_(can_settle) = 0
#endif
};

#ifndef __CUDA_ARCH__
__attribute__((unused)) static const char OP_(summary)[] = ORDO_RELAX_SUMMARY;
#endif

/* The weight word of an edge, or nothing: fills the edge that a candidate sees. `weight` points at e's word. */
ORDO_FN OP_(edge) OP_(make_edge)(ordo_eid id, ordo_vid tail, ordo_vid head, const void *weight)
{
    OP_(edge) e;
    e.id = id;
    e.tail = tail;
    e.head = head;
#define ORDO_SET_WEIGHT_none (void)weight
#define ORDO_SET_WEIGHT_u32 e.weight = *(const ordo_u32 *)weight
#define ORDO_SET_WEIGHT_i32 e.weight = *(const ordo_i32 *)weight
#define ORDO_SET_WEIGHT_f32 e.weight = *(const ordo_f32 *)weight
    ORDO_JOIN(ORDO_SET_WEIGHT_, ORDO_RELAX_WEIGHT);
#undef ORDO_SET_WEIGHT_none
#undef ORDO_SET_WEIGHT_u32
#undef ORDO_SET_WEIGHT_i32
#undef ORDO_SET_WEIGHT_f32
    return e;
}

ORDO_FN OP_(cell) OP_(candidate)(const OP_(state) * s, OP_(cell) cu, OP_(edge) e)
{
    return ORDO_RELAX_CANDIDATE(s, cu, e);
}

ORDO_FN ordo_u32 OP_(target)(const OP_(state) * s, OP_(edge) e)
{
#ifdef ORDO_RELAX_TARGET
    return ORDO_RELAX_TARGET(s, e);
#else
    (void)s;
    return e.head;
#endif
}

ORDO_FN int OP_(filter)(const OP_(state) * s, ordo_item item)
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
ORDO_FN ordo_u32 OP_(level)(const OP_(state) * s, OP_(cell) cell)
{
    return ORDO_RELAX_LEVEL(s, cell);
}

ORDO_FN OP_(cell) OP_(take)(const OP_(state) * s, ordo_item item, OP_(cell) taken)
{
    return ORDO_RELAX_TAKE(s, item, taken);
}

ORDO_FN OP_(cell) OP_(spent)(void)
{
#ifdef ORDO_RELAX_SPENT
    return ORDO_RELAX_SPENT();
#else
    return 0;
#endif
}
#else
ORDO_FN int OP_(better)(OP_(cell) a, OP_(cell) b)
{
#if ORDO_RELAX_ORDER == ORDO_MIN
    return a < b;
#elif ORDO_RELAX_ORDER == ORDO_MAX
    return a > b;
#else
    return ORDO_RELAX_BETTER(a, b);
#endif
}

ORDO_FN OP_(cell) OP_(worst)(void)
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

ORDO_FN double OP_(priority)(const OP_(state) * s, ordo_item item, OP_(cell) cell)
{
#ifdef ORDO_RELAX_PRIORITY
    return ORDO_RELAX_PRIORITY(s, item, cell);
#elif ORDO_RELAX_ORDER == ORDO_MAX
    (void)s;
    (void)item;
    return -(double)cell;
#elif ORDO_RELAX_ORDER == ORDO_SUM
    (void)s;
    (void)item;
    (void)cell;
    return 0;
#else
    (void)s;
    (void)item;
    return (double)cell;
#endif
}

ORDO_FN double OP_(delta)(double n, double m)
{
#ifdef ORDO_RELAX_DELTA
    return ORDO_RELAX_DELTA(n, m);
#else
    (void)n;
    (void)m;
    return OP_(weight_type) != 0 ? 0.0 : 1.0;
#endif
}

ORDO_FN int OP_(settled)(const OP_(state) * s, ordo_item item, OP_(cell) cell)
{
#ifdef ORDO_RELAX_SETTLED
    return ORDO_RELAX_SETTLED(s, item, cell);
#else
    (void)s;
    (void)item;
    (void)cell;
    return 0;
#endif
}

/* The arrays, at most ORDO_MOST_ARRAYS; how many. */
ORDO_FN int OP_(arrays)(OP_(state) * s, ordo_u64 items, ordo_u64 targets, ordo_u64 edges, ordo_array *out)
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

#undef OP_
#undef ORDO_OP_ON_CUDA
#if ORDO_RELAX_ORDER == ORDO_SUM || (defined(ORDO_RELAX_STATE) && !defined(ORDO_RELAX_ARRAYS))
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
#undef ORDO_RELAX
#undef ORDO_RELAX_SUMMARY
#undef ORDO_RELAX_STATE
#undef ORDO_RELAX_ARRAYS
#undef ORDO_RELAX_CELL
#undef ORDO_RELAX_WEIGHT
#undef ORDO_RELAX_ORDER
#undef ORDO_RELAX_PROPERTIES
#undef ORDO_RELAX_CANDIDATE
#undef ORDO_RELAX_TARGET
#undef ORDO_RELAX_FILTER
#undef ORDO_RELAX_PRIORITY
#undef ORDO_RELAX_DELTA
#undef ORDO_RELAX_SETTLED
#undef ORDO_RELAX_BETTER
#undef ORDO_RELAX_WORST
#undef ORDO_RELAX_LEVEL
#undef ORDO_RELAX_TAKE
#undef ORDO_RELAX_SPENT
#undef ORDO_OP_KIND
#define ORDO_OP_KIND ORDO_KIND_RELAX
