/* operator.h -- types and functions for operator files, in the common subset of C11, C++17 and CUDA C++.
 *
 * Problem. One text of an operator has to be compiled into the inner loop of every scheduler, for the CPU and for a
 * GPU.
 *
 * Method. An operator file includes this header, declares its state, defines its functions with ORDO_FN, lists its
 * parts as ORDO_RELAX_*, ORDO_CRITICAL_* or ORDO_GATHER_* macros, and ends with `#include <ordo/operator/relax.h>`,
 * `#include <ordo/operator/critical.h>` or `#include <ordo/operator/gather.h>`. That include derives everything that
 * schedulers need and undefines the list, so that several operators can be included side by side. docs/operators.md is
 * the guide; operators/sssp.h and operators/bank.h are the models.
 *
 * The list is macros and not a table because neither GCC nor nvcc inlines through a table of functions once the loop
 * is in a thread function or on a device (see docs/schedulers.md, "Inlining").
 */
#ifndef ORDO_OPERATOR_H
#define ORDO_OPERATOR_H

#include <ordo/types.h>

/* ---- algebraic properties (Nasre, Burtscher and Pingali 2013, section 4) ----
 * What an operator promises, as a sum of bits. A scheduler's pairings say which they need; an operator that lacks one
 * is refused by name (ORDO_ERR_UNSOUND). */
enum {
    ORDO_MONOTONE = 1 << 0,    /* cells only get better, and a better source never proposes a worse candidate */
    ORDO_IDEMPOTENT = 1 << 1,  /* processing an item once more, with nothing changed, changes nothing */
    ORDO_ASSOCIATIVE = 1 << 2, /* updates of a cell may be regrouped and reordered */
    ORDO_UNIFORM = 1 << 3,     /* all candidates that a cell gets within one superstep are equal (BFS levels) */
    ORDO_EDGE_BLIND = 1 << 4,  /* candidates do not look at the id of their edge: needed for pulling, of sums too */
    ORDO_SELECTIVE = 1 << 5,   /* a cell holds one of its candidates, so a lost update can be offered again. Derived:
                                * every order but ORDO_SUM is; operators do not declare it */
    ORDO_IN_PLACE = 1 << 6,    /* gather operators: a round may read cells of the same round (Gauss-Seidel) */
    ORDO_RESIDUAL = 1 << 7,    /* gather operators: vertices may be computed in the order of their residuals. Derived:
                                * ORDO_GATHER_INFLUENCE is declared */
    ORDO_TWO_TARGETS = 1 << 8, /* critical operators: a request has one or two targets. Derived, as ORDO_SELECTIVE is */
    ORDO_BOTH_DIRECTIONS = 1 << 9, /* not a promise but a need: rows that have both directions of every edge. A run on
                                    * a graph that is not known to be symmetric is refused (ORDO_ERR_INPUT) */
    ORDO_GROWING = 1 << 10,  /* not a promise but a need: a run that takes new edges and items (ordo_additions), under a
                              * scheduler that has them. Derived: ORDO_RELAX_GROW is declared */
    ORDO_BY_WEIGHT = 1 << 11 /* with ORDO_MIN or ORDO_MAX: no candidate is better than the value that it is made from,
                              * and of two edges, whichever their ends and ids, the one of less weight (ORDO_MAX: more)
                              * proposes a candidate at least as good from the same value; so edges of equal weights,
                              * and all edges where no weights are read, propose the same */
};

/* Orders of cells: which of two values a cell keeps (the smaller, the larger, the better by a function of the
 * operator), or that it keeps their sum. */
#define ORDO_MIN 1
#define ORDO_MAX 2
#define ORDO_BY_COMPARATOR 3
#define ORDO_SUM 4
/* Of what gather operators combine (gather.h): the most frequent value. */
#define ORDO_MODE 5

/* The tokens of types as numbers, for the preprocessor and to branch on at compile time: as ordo_type, `none` 0. */
#define ORDO_TYPE_NUMBER_none 0
#define ORDO_TYPE_NUMBER_u32 1
#define ORDO_TYPE_NUMBER_i32 2
#define ORDO_TYPE_NUMBER_f32 3
#define ORDO_TYPE_NUMBER_u64 4
#define ORDO_TYPE_NUMBER_f64 5
#define ORDO_TYPE_NUMBER_i64 6

/* Kinds of operators: values of ORDO_OP_KIND, for the preprocessor, and of ordo_operator.kind. */
#define ORDO_KIND_RELAX 1
#define ORDO_KIND_CRITICAL 2
#define ORDO_KIND_GATHER 4
/* What ordo_job.op says of a program (<ordo/detail/program.h>), which is no operator. */
#define ORDO_KIND_PROGRAM 3

/* The state of an operator that needs none. */
typedef struct ordo_no_state {
    char unused;
} ordo_no_state;

/* ---- an edge, as candidate functions get it: ordo_edge_TYPE for weights of that type ----
 * Held by the framework for the time of the call. On a graph without weights `weight` is 1. */
#define ORDO_EDGE_FIELDS                                                                                               \
    ordo_eid id;   /* index into the graph's rows, below m */                                                          \
    ordo_vid tail; /* the item that is processed */                                                                    \
    ordo_vid head;
typedef struct ordo_edge_none {
    ORDO_EDGE_FIELDS
} ordo_edge_none;
typedef struct ordo_edge_u32 {
    ORDO_EDGE_FIELDS ordo_u32 weight;
} ordo_edge_u32;
typedef struct ordo_edge_i32 {
    ORDO_EDGE_FIELDS ordo_i32 weight;
} ordo_edge_i32;
typedef struct ordo_edge_f32 {
    ORDO_EDGE_FIELDS ordo_f32 weight;
} ordo_edge_f32;
typedef struct ordo_edge_i64 {
    ORDO_EDGE_FIELDS ordo_i64 weight;
} ordo_edge_i64;
typedef struct ordo_edge_f64 {
    ORDO_EDGE_FIELDS ordo_f64 weight;
} ordo_edge_f64;
#undef ORDO_EDGE_FIELDS

/* A value of 8 bytes that is aligned to 4. */
ORDO_FN ordo_i64 ordo_get_i64(const void *at)
{
    ordo_i64 value;
#if defined(__CUDA_ARCH__)
    memcpy(&value, at, sizeof value);
#else
    __builtin_memcpy(&value, at, sizeof value);
#endif
    return value;
}
ORDO_FN ordo_f64 ordo_get_f64(const void *at)
{
    ordo_f64 value;
#if defined(__CUDA_ARCH__)
    memcpy(&value, at, sizeof value);
#else
    __builtin_memcpy(&value, at, sizeof value);
#endif
    return value;
}

/* Sets e.weight, for weights of that type, from `weight`, which points at one; not read where an operator reads no
 * weights. */
#define ORDO_SET_WEIGHT_none (void)weight
#define ORDO_SET_WEIGHT_u32 e.weight = *(const ordo_u32 *)weight
#define ORDO_SET_WEIGHT_i32 e.weight = *(const ordo_i32 *)weight
#define ORDO_SET_WEIGHT_f32 e.weight = *(const ordo_f32 *)weight
#define ORDO_SET_WEIGHT_i64 e.weight = ordo_get_i64(weight)
#define ORDO_SET_WEIGHT_f64 e.weight = ordo_get_f64(weight)
#define ORDO_SET_WEIGHT(_type) ORDO_JOIN(ORDO_SET_WEIGHT_, _type)

/* ---- arithmetic per type: ORDO_JOIN(ordo_add_sat_, u32) and so on ---- */

/* Saturating sums: the type's largest value where the sum exceeds it. Operands are not negative. */
ORDO_FN ordo_u32 ordo_add_sat_u32(ordo_u32 a, ordo_u32 b)
{
    ordo_u32 sum = a + b;
    return sum < a ? 0xffffffffu : sum;
}
ORDO_FN ordo_u64 ordo_add_sat_u64(ordo_u64 a, ordo_u64 b)
{
    ordo_u64 sum = a + b;
    return sum < a ? ~(ordo_u64)0 : sum;
}
ORDO_FN ordo_i32 ordo_add_sat_i32(ordo_i32 a, ordo_i32 b)
{
    return a > 0x7fffffff - b ? 0x7fffffff : a + b;
}
ORDO_FN ordo_i64 ordo_add_sat_i64(ordo_i64 a, ordo_i64 b)
{
    return a > 0x7fffffffffffffff - b ? 0x7fffffffffffffff : a + b;
}
ORDO_FN ordo_f32 ordo_add_sat_f32(ordo_f32 a, ordo_f32 b)
{
    return a + b; /* infinity is the largest value */
}
ORDO_FN ordo_f64 ordo_add_sat_f64(ordo_f64 a, ordo_f64 b)
{
    return a + b;
}

/* Sums of operands of either sign that keep to the type: its least and its largest value stand for what lies beyond,
 * and absorb. If `a` is one of them, so is the sum. `b` is finite. */
ORDO_FN ordo_i32 ordo_add_ends_i32(ordo_i32 a, ordo_i32 b)
{
    const ordo_i64 most = 0x7fffffff, least = -most - 1, sum = (ordo_i64)a + b;
    return a == most || a == least ? a : (ordo_i32)(sum > most ? most : sum < least ? least : sum);
}
ORDO_FN ordo_i64 ordo_add_ends_i64(ordo_i64 a, ordo_i64 b)
{
    const ordo_i64 most = 0x7fffffffffffffff, least = -most - 1;
    if (a == most || a == least)
        return a;
    return b > 0 ? (a > most - b ? most : a + b) : (a < least - b ? least : a + b);
}
ORDO_FN ordo_u32 ordo_add_ends_u32(ordo_u32 a, ordo_u32 b)
{
    return ordo_add_sat_u32(a, b);
}
ORDO_FN ordo_f32 ordo_add_ends_f32(ordo_f32 a, ordo_f32 b)
{
    return a + b;
}
ORDO_FN ordo_f64 ordo_add_ends_f64(ordo_f64 a, ordo_f64 b)
{
    return a + b;
}

/* The worst value of each order: `highest` under ORDO_MIN, `lowest` under ORDO_MAX. A cell holds it before any
 * candidate is applied; a candidate of this value proposes nothing. */
ORDO_FN ordo_u32 ordo_highest_u32(void)
{
    return 0xffffffffu;
}
ORDO_FN ordo_u64 ordo_highest_u64(void)
{
    return ~(ordo_u64)0;
}
ORDO_FN ordo_i32 ordo_highest_i32(void)
{
    return 0x7fffffff;
}
ORDO_FN ordo_i64 ordo_highest_i64(void)
{
    return 0x7fffffffffffffff;
}
ORDO_FN ordo_f32 ordo_highest_f32(void)
{
    return __builtin_huge_valf();
}
ORDO_FN ordo_f64 ordo_highest_f64(void)
{
    return __builtin_huge_val();
}
ORDO_FN ordo_u32 ordo_lowest_u32(void)
{
    return 0;
}
ORDO_FN ordo_u64 ordo_lowest_u64(void)
{
    return 0;
}
ORDO_FN ordo_i32 ordo_lowest_i32(void)
{
    return -0x7fffffff - 1;
}
ORDO_FN ordo_i64 ordo_lowest_i64(void)
{
    return -0x7fffffffffffffff - 1;
}
ORDO_FN ordo_f32 ordo_lowest_f32(void)
{
    return -__builtin_huge_valf();
}
ORDO_FN ordo_f64 ordo_lowest_f64(void)
{
    return -__builtin_huge_val();
}

/* How far x lies below the best value of an order that keeps the larger one, in ORDO_STEPS steps a factor of two: 0 for
 * the best, more for less, the same for values that f32 does not tell apart. The bits of an f32, read as a whole
 * number, grow with it where it is positive, and by as much for each factor of two. */
enum { ORDO_STEPS = 256 };
ORDO_FN ordo_u32 ordo_ordered_f32(ordo_f32 x)
{
    ordo_u32 bits;
#if defined(__CUDA_ARCH__)
    bits = __float_as_uint(x);
#else
    __builtin_memcpy(&bits, &x, sizeof bits);
#endif
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}
ORDO_FN double ordo_steps_below(ordo_f32 best, ordo_f32 x)
{
    return (double)(ordo_ordered_f32(best) - ordo_ordered_f32(x)) * (ORDO_STEPS / 8388608.0);
}

/* Leading zero bits of x, which is not 0. */
ORDO_FN ordo_u32 ordo_leading_zeros_u64(ordo_u64 x)
{
#if defined(__CUDA_ARCH__)
    return (ordo_u32)__clzll((long long)x);
#else
    return (ordo_u32)__builtin_clzll(x);
#endif
}

/* ---- words that several threads use at the same time ----
 * Relaxed on both back ends: a word is read and written whole, and nothing is ordered. Prepare functions read with
 * these what critical sections write; critical sections write with these what prepare functions, or critical sections
 * of other targets, read. `p` is aligned to its type. */
#if defined(__CUDA_ARCH__)
#define ORDO_SHARED_LOAD(_p) (*(const volatile __typeof__(*(_p)) *)(_p))
#define ORDO_SHARED_STORE(_p, _v) (*(volatile __typeof__(*(_p)) *)(_p) = (_v))
#else
#define ORDO_SHARED_LOAD(_p) __atomic_load_n((_p), __ATOMIC_RELAXED)
#define ORDO_SHARED_STORE(_p, _v) __atomic_store_n((_p), (_v), __ATOMIC_RELAXED)
#endif
ORDO_FN ordo_u32 ordo_load_u32(const ordo_u32 *p)
{
    return ORDO_SHARED_LOAD(p);
}
ORDO_FN void ordo_store_u32(ordo_u32 *p, ordo_u32 v)
{
    ORDO_SHARED_STORE(p, v);
}
ORDO_FN ordo_u64 ordo_load_u64(const ordo_u64 *p)
{
    return ORDO_SHARED_LOAD(p);
}
ORDO_FN void ordo_store_u64(ordo_u64 *p, ordo_u64 v)
{
    ORDO_SHARED_STORE(p, v);
}
#undef ORDO_SHARED_LOAD
#undef ORDO_SHARED_STORE
/* Orders the calling thread's loads and stores before it and behind it, for all threads (sequentially consistent): of
 * two threads that each store a word, fence and load the other's word, at least one sees what the other has stored.
 * Under ThreadSanitizer, which knows no fences, an operation on one word of all threads. */
ORDO_FN void ordo_fence(void)
{
#if defined(__CUDA_ARCH__)
    __threadfence();
#elif defined(__SANITIZE_THREAD__)
    static ordo_u32 all;
    (void)__atomic_fetch_add(&all, 1, __ATOMIC_SEQ_CST);
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* Adds to a word that critical sections of different targets count in, in one atomic step; returns the value before.
 * Wraps. Relaxed: it orders nothing, so what is read from such a word is a hint. */
ORDO_FN ordo_u32 ordo_add_u32(ordo_u32 *p, ordo_u32 v)
{
#if defined(__CUDA_ARCH__)
    return atomicAdd(p, v);
#else
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
#endif
}

/* The same with the lesser of the two values in place of their sum. */
ORDO_FN ordo_u32 ordo_least_u32(ordo_u32 *p, ordo_u32 v)
{
#if defined(__CUDA_ARCH__)
    return atomicMin(p, v);
#else
    ordo_u32 old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (v < old && !__atomic_compare_exchange_n(p, &old, v, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return old;
#endif
}

/* ordo_add_u32 for 64 bits. */
ORDO_FN ordo_u64 ordo_add_u64(ordo_u64 *p, ordo_u64 v)
{
#if defined(__CUDA_ARCH__)
    return atomicAdd((unsigned long long *)p, (unsigned long long)v);
#else
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
#endif
}

/* The same for reals. */
ORDO_FN ordo_f32 ordo_add_f32(ordo_f32 *p, ordo_f32 v)
{
#if defined(__CUDA_ARCH__)
    return atomicAdd(p, v);
#else
    ordo_f32 old, sum;
    __atomic_load(p, &old, __ATOMIC_RELAXED);
    do
        sum = old + v;
    while (!__atomic_compare_exchange(p, &old, &sum, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
#endif
}
ORDO_FN double ordo_add_f64(double *p, double v)
{
#if defined(__CUDA_ARCH__)
    return atomicAdd(p, v);
#else
    double old, sum;
    __atomic_load(p, &old, __ATOMIC_RELAXED);
    do
        sum = old + v;
    while (!__atomic_compare_exchange(p, &old, &sum, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
#endif
}

/* ---- what critical operators exchange with the framework ---- */

/* A request: "run the critical section owning these targets". The two targets may be equal. Written by the prepare
 * function, through ordo_request_one() or ordo_request_two(). */
typedef struct ordo_request {
    ordo_u32 target[2]; /* below ordo_work.targets; with one target both are that target */
    ordo_u32 targets;   /* 1 or 2 */
    ordo_u32 item;      /* the item that made the request; set by the framework */
    ordo_u64 word[2];   /* arguments of the operator's own */
} ordo_request;

/* The same with up to ORDO_MOST_TARGETS targets, for operators with ORDO_CRITICAL_TARGETS above 2. Written through
 * ordo_request_start() and ordo_request_add(). */
enum { ORDO_MOST_TARGETS = 8 };
typedef struct ordo_request_many {
    ordo_u32 target[ORDO_MOST_TARGETS]; /* the first `targets` are used; the same target may be there twice */
    ordo_u32 targets;                   /* 1 .. ORDO_CRITICAL_TARGETS */
    ordo_u32 item;                      /* the item that made the request; set by the framework */
    ordo_u64 word[2];                   /* arguments of the operator's own */
} ordo_request_many;

/* What the items of a run are: of a relax operator, one of those that ORDO_RELAX_ITEMS lists, as a sum of bits; of a
 * critical operator to which the framework hands edges, ORDO_CRITICAL_ITEMS. */
#define ORDO_ITEMS_VERTICES 1 /* vertices, with all of their out-edges */
#define ORDO_ITEMS_EDGES 2    /* edges, by their ids */

/* "Put this item on the worklist". Smaller priorities run earlier where the scheduler has an order. Written by critical
 * sections. */
typedef struct ordo_activation {
    ordo_item item;
    ordo_u32 priority;
} ordo_activation;

/* An array that a state points at: what ORDO_RELAX_ARRAYS and ORDO_CRITICAL_ARRAYS list. */
enum { ORDO_ARRAY_READ, ORDO_ARRAY_WRITE, ORDO_ARRAY_OWNED, ORDO_MOST_ARRAYS = 16 };
typedef struct ordo_array {
    void *place;           /* address of the state's pointer to it */
    ordo_u64 count;        /* elements */
    ordo_u32 size, access; /* bytes of an element; ORDO_ARRAY_READ, _WRITE or _OWNED */
} ordo_array;

/* One X of such a list, written to out[size++], in a function that has s, items, targets, edges, out and size. */
#define ORDO_ARRAY_PER_ITEM items
#define ORDO_ARRAY_PER_ROW (items + 1)
#define ORDO_ARRAY_PER_TARGET targets
#define ORDO_ARRAY_PER_EDGE edges
#define ORDO_ARRAY_PER_RUN 1
#define ORDO_ARRAY_ROW(_member, _per, _each, _access)                                                                  \
    out[size].place = (void *)&s->_member;                                                                             \
    out[size].count = (ordo_u64)(ORDO_ARRAY_PER_##_per) * (ordo_u64)(_each);                                           \
    out[size].size = (ordo_u32)sizeof *s->_member;                                                                     \
    out[size++].access = ORDO_ARRAY_##_access;
#define ORDO_ARRAY_ONE(...) +1
/* The same where the fourth word may be missing: READ. */
#define ORDO_ARRAY_ROW_READ(_member, _per, ...) ORDO_ARRAY_ROW_FOUR(_member, _per, __VA_ARGS__, READ, )
#define ORDO_ARRAY_ROW_FOUR(_member, _per, _each, _access, ...) ORDO_ARRAY_ROW(_member, _per, _each, _access)

/* A request of one target, or of two (which may be equal), with its arguments. */
ORDO_FN ordo_request ordo_request_one(ordo_u32 target, ordo_u64 word0, ordo_u64 word1)
{
    ordo_request r = {{target, target}, 1, 0, {word0, word1}};
    return r;
}
ORDO_FN ordo_request ordo_request_two(ordo_u32 target, ordo_u32 second, ordo_u64 word0, ordo_u64 word1)
{
    ordo_request r = {{target, second}, 2, 0, {word0, word1}};
    return r;
}

/* A request of many targets: begins without any; adds one. */
ORDO_FN ordo_request_many ordo_request_start(ordo_u64 word0, ordo_u64 word1)
{
    ordo_request_many r = {{0}, 0, 0, {word0, word1}};
    return r;
}
ORDO_FN void ordo_request_add(ordo_request_many *r, ordo_u32 target)
{
    r->target[r->targets++] = target;
}

/* Instead of a request of edge-handing operators: "activate this item", which is run without owning anything. With it
 * an item activates all its neighbours, edge by edge. */
ORDO_FN ordo_request ordo_request_activate(ordo_item item, ordo_u32 priority)
{
    ordo_request r = {{item, item}, 0, 0, {priority, 0}};
    return r;
}

/* A function whose symbol carries the operator's name, for profilers: with `#define f ORDO_OP_NAME(f)` above it f is
 * sssp_u32_f in a unit of sssp_u32, and f everywhere in the source. */
#define ORDO_OP_NAME(_function) ORDO_JOIN3(ORDO_OP, _, _function)

/* The name of an operator that is instantiated per weight type: ORDO_INSTANCE(sssp) is sssp_u32 where ORDO_WEIGHT is
 * u32. ORDO_TYPE_OF(u32) is ordo_u32, ORDO_EDGE_OF(u32) is ordo_edge_u32. */
#define ORDO_INSTANCE(_name) ORDO_JOIN3(_name, _, ORDO_WEIGHT)
#define ORDO_TYPE_OF(_type) ORDO_JOIN(ordo_, _type)
#define ORDO_EDGE_OF(_type) ORDO_JOIN(ordo_edge_, _type)

#endif
