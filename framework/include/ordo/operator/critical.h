/* critical.h -- ends the file of a critical operator: reads its list of parts, derives what schedulers use.
 *
 * Problem. An operator has to read and write several words together, which no single atomic instruction does.
 *
 * Method. A critical operator processes an item in two steps.
 *   prepare   The prepare function reads the state, owning nothing, and writes requests. A request names one or two
 *             targets, or up to ORDO_MOST_TARGETS, and carries up to two arguments.
 *   commit    The framework gives the request exclusive ownership of its targets and runs the critical section (the
 *             commit function). It may write the words of the targets and may activate items.
 * Anything may have changed between the two steps, so the critical section checks again before it acts. How ownership
 * is obtained is the framework's choice (--sync): by locks, by the thread that owns a part of the targets, or by a
 * server.
 *
 * Edges. An operator whose items are vertices may give a function for an edge instead of a prepare function. The
 * framework then traverses the item's row, hands on each edge, and runs the requests of an edge before it drops it: a
 * row of any length is one activation. Items may also be edges, by their ids. Either way an edge may ask for an
 * activation instead of a critical section (ordo_request_activate), so a critical section that activates an item can
 * have all its neighbours activated.
 *
 * Not done: critical sections that request further targets while they run.
 *
 * Notation: `s` is a `const state *`, `r` a request; functions are ORDO_FN. Items are below ordo_work.num_items,
 * targets below ordo_work.targets. The state and its arrays are the caller's and must live as long as the run.
 *
 * required
 *   ORDO_CRITICAL              the operator's name, an identifier
 *   ORDO_CRITICAL_SUMMARY      one line for people
 *   ORDO_CRITICAL_STATE        struct of pointers to the operator's arrays, and of parameters. A run does not change
 *                              the struct; what it points at may be written, by the rules below
 *   ORDO_CRITICAL_PREPARE      u32 f(s, ordo_item item, ordo_request *out): writes at most ORDO_CRITICAL_REQUESTS
 *                              requests to out[] and returns their number. Words that critical sections write are read
 *                              with ordo_load_u32() or ordo_load_u64()
 *   ORDO_CRITICAL_COMMIT       u32 f(s, const ordo_request *r, ordo_activation *out): the critical section. Owns the
 *                              targets of r. Writes at most ORDO_CRITICAL_ACTIVATIONS activations to out[] and returns
 *                              their number. May also write words that belong to r->item alone
 *   ORDO_CRITICAL_REQUESTS     the most requests of one call of prepare, 1 to 16. An item with more to do activates
 *                              itself
 *   ORDO_CRITICAL_ACTIVATIONS  the most activations of one critical section, 0 to 16
 *   ORDO_CRITICAL_PROPERTIES   ORDO_IDEMPOTENT, or 0. Idempotent: an item may be processed any number of times; one
 *                              whose work is done makes a request only if its critical section then changes nothing,
 *                              and none when all work is done, since `topology` ends with a round without requests
 * optional
 *   ORDO_CRITICAL_TARGETS      the most targets of a request, 1 to ORDO_MOST_TARGETS (default 2). With 1, servers need
 *                              no locks. With more than 2, requests are ordo_request_many in all functions here; no
 *                              halves, COMBINE or LOCK, and servers refuse the operator
 *   ORDO_CRITICAL_EDGE         u32 f(s, ordo_edge_TYPE e, ordo_request *out), instead of ORDO_CRITICAL_PREPARE: the
 *                              requests of one edge, at most ORDO_CRITICAL_REQUESTS. Needs ORDO_CRITICAL_EDGES
 *   ORDO_CRITICAL_EDGES        the member of the state that holds the graph's edges, of type ordo_edges; its arrays are
 *                              not listed in ORDO_CRITICAL_ARRAYS
 *   ORDO_CRITICAL_ITEMS        with ORDO_CRITICAL_EDGE: what items are, ORDO_ITEMS_VERTICES (default) or
 *                              ORDO_ITEMS_EDGES
 *   ORDO_CRITICAL_WEIGHT       with ORDO_CRITICAL_EDGE: the type of weights, `none` (default), u32, i32 or f32
 *   ORDO_CRITICAL_FILTER       with ORDO_CRITICAL_EDGE, where items are vertices: int f(s, ordo_item v), whether the
 *                              edges of v are looked at at all (default: yes)
 *   ORDO_CRITICAL_FIRST        u32 f(s, ordo_request *r, ordo_activation *out, int *more), with ORDO_CRITICAL_SECOND
 *   ORDO_CRITICAL_SECOND       u32 f(s, const ordo_request *r, ordo_activation *out): the critical section of two
 *                              targets in two halves, for operators that need no isolation between the targets: another
 *                              critical section may own either target between the halves. FIRST owns r->target[0].
 *                              Where it sets *more, SECOND runs later, owns r->target[1] and gets the request as FIRST
 *                              left it (FIRST may change r->word). Together at most ORDO_CRITICAL_ACTIVATIONS
 *                              activations
 *   ORDO_CRITICAL_COMBINE      int f(s, ordo_request *a, const ordo_request *b): two requests of the same target. Makes
 *                              `a` stand for both, in any order, and returns nonzero; returns 0 where that is not
 *                              possible. The critical section of `a` then counts for both. Reads and writes words of
 *                              the two items alone
 *   ORDO_CRITICAL_STILL_VALID  int f(s, const ordo_request *r): whether the request is still wanted. Called owning the
 *                              target, for an item that was processed more than once may have made the same request
 *                              more than once. Reads words of the item alone. Critical sections, halves and COMBINE
 *                              (for its `b`) run only where it returns nonzero. Schedulers leave the call out where no
 *                              item can have made a request more than once
 *   ORDO_CRITICAL_REBUILD_ARGS void f(s, ordo_request *r): sets r->word from r->item as prepare did, reading only what
 *                              no critical section writes. With it FIRST must not change r->word, and SECOND must not
 *                              read anything that FIRST wrote. Messages between blocks of a GPU then leave the
 *                              arguments out
 *   ORDO_CRITICAL_WORDS        how many of r->word are used, 0 to 2 (default 2)
 *   ORDO_CRITICAL_WORD_BITS    32 where the upper halves of those are always 0 (default 64)
 *   ORDO_CRITICAL_ARRAYS       the arrays of the state, for back ends with memory of their own, which refuse operators
 *                              without it. A macro of X with one X(member, per, each, access) for every pointer of the
 *                              state: an array of `each` elements (an expression that may use s, but follow no pointer
 *                              of it: in a session the host cannot) for each ITEM, TARGET or RUN; at most
 *                              ORDO_MOST_ARRAYS. `access` is
 *                                READ   no critical section writes it
 *                                WRITE  critical sections write it
 *                                OWNED  per TARGET; prepare does not read it; critical sections, halves and COMBINE use
 *                                       target numbers only to index such arrays. The words of a target may then be
 *                                       kept elsewhere during a run, under another number
 *   ORDO_CRITICAL_LOCK         the OWNED array, if it is the only one, has one u32 or u64 for each target, and the top
 *                              bit of its words is always 0. That bit may then be the target's lock
 *   ORDO_CRITICAL_PRIORITY     u32 f(s, ordo_item item): the priority of an initial item, which no critical section has
 *                              activated (default 0). Smaller runs earlier
 *   ORDO_CRITICAL_DELTA        double f(void): the width of a bucket in units of priority, where a scheduler is to
 *                              choose one; positive (default 1)
 *
 * read by `ordo run FILE` and its relatives alone, which compile the file at run time (docs/run_time_operators.md); a
 * program that runs the operator does itself what these say. Items and targets are the graph's vertices
 *   ORDO_CRITICAL_FILL         void f(state *s, const ordo_csr *graph, ordo_vid source): fills the arrays of the state,
 *                              ahead of every run, as ORDO_RELAX_FILL does (relax.h); `source` is ORDO_NO_VERTEX. It
 *                              may have a pointer point at an array of the graph instead
 *   ORDO_CRITICAL_RESULT       the array of the state that is the answer: a u32, i32, f32, u64, i64 or f64 for each
 * vertex ORDO_CRITICAL_CHECK        ordo_vid f(s, const ordo_csr *graph): ORDO_NO_VERTEX if the state after a run is
 * right, else a vertex where it is wrong ORDO_CRITICAL_BEGINS       int f(s, ordo_item item): whether an item is
 * initial (default: all are). Optional ORDO_CRITICAL_SETTINGS     the numbers of the state that --set-state sets, as
 * ORDO_RELAX_SETTINGS. Optional
 *
 * Derived where ORDO_OP is defined, as the operator's name (see relax.h): op_state, op_request (types); op_properties,
 * op_requests, op_activations, op_activates, op_ordered, op_targets, op_words, op_word_bits, op_halves, op_combines,
 * op_rebuilds_args, op_array_count, op_owned_arrays, op_lock_bits, op_weight_type, op_many, op_hands_edges, op_expands
 * (enumerators); op_summary; op_edges, op_units, op_prepare_unit, op_prepare, op_still_valid, op_commit,
 * op_commit_valid, op_first, op_first_valid, op_second, op_first_priority, op_combine, op_combine_valid,
 * op_rebuild_args, op_arrays, op_owned_bytes, op_owned_use, op_owned_copy, op_lock_words, op_lock_use, op_delta
 * (functions). Functions whose names end in _valid expect that the caller has checked op_still_valid.
 *
 * ORDO_OP_KIND is left as ORDO_KIND_CRITICAL, ORDO_OP_ON_CUDA as 1 where the operator lists its arrays, else 0.
 */
#include <ordo/operator/operator.h>

#ifndef ORDO_CRITICAL
#error "critical.h is included at the end of an operator file, after its ORDO_CRITICAL_... list (see critical.h)"
#endif
#if !defined(ORDO_CRITICAL_SUMMARY) || !defined(ORDO_CRITICAL_STATE) ||                                                \
    (!defined(ORDO_CRITICAL_PREPARE) && !defined(ORDO_CRITICAL_EDGE)) || !defined(ORDO_CRITICAL_COMMIT) ||             \
    !defined(ORDO_CRITICAL_REQUESTS) || !defined(ORDO_CRITICAL_ACTIVATIONS) || !defined(ORDO_CRITICAL_PROPERTIES)
#error                                                                                                                 \
    "a critical operator defines ORDO_CRITICAL_SUMMARY, _STATE, _PREPARE, _COMMIT, _REQUESTS, _ACTIVATIONS, _PROPERTIES"
#endif
#if ORDO_CRITICAL_REQUESTS < 1 || ORDO_CRITICAL_REQUESTS > 16 || ORDO_CRITICAL_ACTIVATIONS < 0 ||                      \
    ORDO_CRITICAL_ACTIVATIONS > 16
#error "ORDO_CRITICAL_REQUESTS is 1 to 16, ORDO_CRITICAL_ACTIVATIONS 0 to 16"
#endif

#ifndef ORDO_CRITICAL_TARGETS
#define ORDO_CRITICAL_TARGETS 2
#endif
#if ORDO_CRITICAL_TARGETS < 1 || ORDO_CRITICAL_TARGETS > 8
#error "ORDO_CRITICAL_TARGETS is 1 to 8 (ORDO_MOST_TARGETS)"
#endif
#if ORDO_CRITICAL_TARGETS > 2 &&                                                                                       \
    (defined(ORDO_CRITICAL_FIRST) || defined(ORDO_CRITICAL_COMBINE) || defined(ORDO_CRITICAL_LOCK))
#error "ORDO_CRITICAL_FIRST, _SECOND, _COMBINE and _LOCK are for requests of one or two targets"
#endif
#ifdef ORDO_CRITICAL_EDGE
#if defined(ORDO_CRITICAL_PREPARE) || !defined(ORDO_CRITICAL_EDGES)
#error "ORDO_CRITICAL_EDGE stands in place of ORDO_CRITICAL_PREPARE, and needs ORDO_CRITICAL_EDGES"
#endif
#ifndef ORDO_CRITICAL_ITEMS
#define ORDO_CRITICAL_ITEMS ORDO_ITEMS_VERTICES
#endif
#ifndef ORDO_CRITICAL_WEIGHT
#define ORDO_CRITICAL_WEIGHT none
#endif
#endif
#if defined(ORDO_CRITICAL_FIRST) != defined(ORDO_CRITICAL_SECOND)
#error "ORDO_CRITICAL_FIRST and ORDO_CRITICAL_SECOND come together"
#endif

#ifndef ORDO_CRITICAL_WORDS
#define ORDO_CRITICAL_WORDS 2
#endif
#if ORDO_CRITICAL_WORDS < 0 || ORDO_CRITICAL_WORDS > 2
#error "ORDO_CRITICAL_WORDS is 0 to 2"
#endif
#ifndef ORDO_CRITICAL_WORD_BITS
#define ORDO_CRITICAL_WORD_BITS 64
#endif
#if ORDO_CRITICAL_WORD_BITS != 32 && ORDO_CRITICAL_WORD_BITS != 64
#error "ORDO_CRITICAL_WORD_BITS is 32 or 64"
#endif

#ifdef ORDO_OP /* this file is a unit of the operator: derive */

#define ORDO_ARRAY_IF_READ(_code)
#define ORDO_ARRAY_IF_WRITE(_code)
#define ORDO_ARRAY_IF_OWNED(_code) _code
#define ORDO_ARRAY_OWNED(_member, _per, _each, _access) ORDO_ARRAY_IF_##_access(+1)

/* ORDO_OP must be ORDO_CRITICAL; <ordo/scheduler/cpu.h> and <ordo/scheduler/cuda.cuh> look for this name. */
enum { ORDO_JOIN(ordo_operator_is_, ORDO_CRITICAL) = 1 };

typedef ORDO_CRITICAL_STATE op_state;
#if ORDO_CRITICAL_TARGETS > 2
typedef ordo_request_many op_request;
#else
typedef ordo_request op_request;
#endif
enum {
    op_properties = (ORDO_CRITICAL_PROPERTIES) | (ORDO_CRITICAL_TARGETS > 2 ? 0 : ORDO_TWO_TARGETS),
    op_requests = ORDO_CRITICAL_REQUESTS,
    op_activations = ORDO_CRITICAL_ACTIVATIONS,
    op_activates = ORDO_CRITICAL_ACTIVATIONS > 0,
#ifdef ORDO_CRITICAL_PRIORITY
    op_ordered = 1, /* an order of items can matter */
#else
    op_ordered = ORDO_CRITICAL_ACTIVATIONS > 0,
#endif
    op_weight_type = 0, /* rows are the operator's own */
    op_many = ORDO_CRITICAL_TARGETS > 2,
#ifdef ORDO_CRITICAL_EDGE
    op_hands_edges = 1,
    op_expands = ORDO_CRITICAL_ITEMS == ORDO_ITEMS_VERTICES, /* an item has a row of edges */
    op_items = ORDO_CRITICAL_ITEMS,
#else
    op_hands_edges = 0,
    op_expands = 0,
    op_items = 0, /* what the items of its app are */
#endif
    op_targets = ORDO_CRITICAL_TARGETS,
    op_words = ORDO_CRITICAL_WORDS,
    op_word_bits = ORDO_CRITICAL_WORD_BITS,
#ifdef ORDO_CRITICAL_FIRST
    op_halves = 1,
#else
    op_halves = 0,
#endif
#ifdef ORDO_CRITICAL_COMBINE
    op_combines = 1,
#else
    op_combines = 0,
#endif
#ifdef ORDO_CRITICAL_REBUILD_ARGS
    op_rebuilds_args = 1,
#else
    op_rebuilds_args = 0,
#endif
#ifdef ORDO_CRITICAL_ARRAYS
    op_array_count = 0 ORDO_CRITICAL_ARRAYS(ORDO_ARRAY_ONE) + 4 * (int)op_hands_edges,
    op_owned_arrays = 0 ORDO_CRITICAL_ARRAYS(ORDO_ARRAY_OWNED),
#else
    op_array_count = 0,
    op_owned_arrays = 0,
#endif
#ifdef ORDO_CRITICAL_LOCK
    op_lock_bits = 8 * sizeof(*((op_state *)0)->ORDO_CRITICAL_LOCK), /* of a word that has a lock; 0: none has */
#else
    op_lock_bits = 0,
#endif
};

#ifndef __CUDA_ARCH__
__attribute__((unused)) static const char op_summary[] = ORDO_CRITICAL_SUMMARY;
#endif

#ifdef ORDO_CRITICAL_EDGE
/* Edge e of tail v, with its weight. */
ORDO_FN ORDO_EDGE_OF(ORDO_CRITICAL_WEIGHT) op_edge_of(const op_state *s, ordo_vid v, ordo_eid id)
{
    const ordo_edges *g = &s->ORDO_CRITICAL_EDGES;
    ORDO_EDGE_OF(ORDO_CRITICAL_WEIGHT) e;
    e.id = id;
    e.tail = v;
    e.head = g->head[id * g->stride];
#if ORDO_JOIN(ORDO_TYPE_NUMBER_, ORDO_CRITICAL_WEIGHT)
    const ordo_u32 *weight = g->stride == 2 ? g->head + 2 * id + 1 : g->weight + id;
    if (g->stride == 2 || g->weight)
        ORDO_SET_WEIGHT(ORDO_CRITICAL_WEIGHT);
    else
        e.weight = 1;
#endif
    return e;
}
#endif

/* The graph's edges in the state; NULL where the framework hands on none. */
ORDO_FN const ordo_edges *op_edges(const op_state *s)
{
#ifdef ORDO_CRITICAL_EDGE
    return &s->ORDO_CRITICAL_EDGES;
#else
    (void)s;
    return 0;
#endif
}

/* The units of an item are what it prepares in one call: *first .. (returned) - 1. One of any item but a vertex whose
 * edges are handed on: those are its units. */
ORDO_FN ordo_eid op_units(const op_state *s, ordo_item item, ordo_eid *first)
{
#if defined(ORDO_CRITICAL_EDGE) && ORDO_CRITICAL_ITEMS == ORDO_ITEMS_VERTICES
    *first = s->ORDO_CRITICAL_EDGES.row[item];
#ifdef ORDO_CRITICAL_FILTER
    if (!ORDO_CRITICAL_FILTER(s, item))
        return *first;
#endif
    return s->ORDO_CRITICAL_EDGES.row[item + 1];
#else
    (void)s;
    (void)item;
    *first = 0;
    return 1;
#endif
}

/* Writes the requests of a unit of an item to out[op_requests], each with its item filled in; returns their number. */
ORDO_FN ordo_u32 op_prepare_unit(const op_state *s, ordo_item item, ordo_eid unit, op_request *out)
{
#if !defined(ORDO_CRITICAL_EDGE)
    ordo_u32 count = ORDO_CRITICAL_PREPARE(s, item, out);
    (void)unit;
#elif ORDO_CRITICAL_ITEMS == ORDO_ITEMS_EDGES
    ordo_u32 count = ORDO_CRITICAL_EDGE(s, op_edge_of(s, s->ORDO_CRITICAL_EDGES.tail[item], item), out);
    (void)unit;
#else
    ordo_u32 count = ORDO_CRITICAL_EDGE(s, op_edge_of(s, item, unit), out);
#endif
    for (ordo_u32 i = 0; i < count; i++)
        out[i].item = item;
    return count;
}

/* The same of an item that has one unit. */
ORDO_FN ordo_u32 op_prepare(const op_state *s, ordo_item item, op_request *out)
{
    return op_prepare_unit(s, item, 0, out);
}

/* Whether the request is still wanted. The caller owns the target. */
ORDO_FN int op_still_valid(const op_state *s, const op_request *r)
{
#ifdef ORDO_CRITICAL_STILL_VALID
    return ORDO_CRITICAL_STILL_VALID(s, r);
#else
    (void)s;
    (void)r;
    return 1;
#endif
}

/* Runs the critical section of a request that is valid; writes activations to out[op_activations], returns their
 * number. The caller owns all targets. */
ORDO_FN ordo_u32 op_commit_valid(const op_state *s, const op_request *r, ordo_activation *out)
{
    if (op_hands_edges && op_activates && r->targets == 0) { /* ordo_request_activate */
        out[0].item = r->target[0];
        out[0].priority = (ordo_u32)r->word[0];
        return 1;
    }
    return ORDO_CRITICAL_COMMIT(s, r, out);
}

/* The same for any request: one that is no longer valid does nothing. */
ORDO_FN ordo_u32 op_commit(const op_state *s, const op_request *r, ordo_activation *out)
{
    return (op_hands_edges && r->targets == 0) || op_still_valid(s, r) ? op_commit_valid(s, r, out) : 0;
}

/* The first half of a critical section, of a request that is valid. The caller owns target[0], and target[1] too where
 * the operator has no halves. *more is set to whether the second half is to run. */
ORDO_FN ordo_u32 op_first_valid(const op_state *s, op_request *r, ordo_activation *out, int *more)
{
#ifdef ORDO_CRITICAL_FIRST
    return ORDO_CRITICAL_FIRST(s, r, out, more);
#else
    *more = 0;
    return op_commit_valid(s, r, out);
#endif
}

/* The same for any request. */
ORDO_FN ordo_u32 op_first(const op_state *s, op_request *r, ordo_activation *out, int *more)
{
    *more = 0;
    return op_still_valid(s, r) ? op_first_valid(s, r, out, more) : 0;
}

/* The second half, after a first half that set *more. The caller owns target[1]. */
ORDO_FN ordo_u32 op_second(const op_state *s, const op_request *r, ordo_activation *out)
{
#ifdef ORDO_CRITICAL_SECOND
    return ORDO_CRITICAL_SECOND(s, r, out);
#else
    (void)s;
    (void)r;
    (void)out;
    return 0;
#endif
}

/* The priority of an initial item. */
ORDO_FN ordo_u32 op_first_priority(const op_state *s, ordo_item item)
{
#ifdef ORDO_CRITICAL_PRIORITY
    return ORDO_CRITICAL_PRIORITY(s, item);
#else
    (void)s;
    (void)item;
    return 0;
#endif
}

/* Makes `a` stand for both requests, of which `b` is valid; 0 where that is not possible. */
ORDO_FN int op_combine_valid(const op_state *s, op_request *a, const op_request *b)
{
#ifdef ORDO_CRITICAL_COMBINE
    return ORDO_CRITICAL_COMBINE(s, a, b);
#else
    (void)s;
    (void)a;
    (void)b;
    return 0;
#endif
}

/* The same for any `b`: one that is no longer valid is dropped, which is success. */
ORDO_FN int op_combine(const op_state *s, op_request *a, const op_request *b)
{
    return op_combines ? !op_still_valid(s, b) || op_combine_valid(s, a, b) : 0;
}

/* Sets r->word from r->item; nothing where the operator cannot (op_rebuilds_args is 0). */
ORDO_FN void op_rebuild_args(const op_state *s, op_request *r)
{
#ifdef ORDO_CRITICAL_REBUILD_ARGS
    ORDO_CRITICAL_REBUILD_ARGS(s, r);
#else
    (void)s;
    (void)r;
#endif
}

/* ---- arrays of the state ---- */

#ifdef ORDO_CRITICAL_ARRAYS
#define ORDO_ARRAY_BYTES(_member, _per, _each, _access)                                                                \
    ORDO_ARRAY_IF_##_access(bytes += (ordo_u64)(_each) * sizeof *s->_member;)
#define ORDO_ARRAY_USE(_member, _per, _each, _access)                                                                  \
    ORDO_ARRAY_IF_##_access(s->_member = (__typeof__(s->_member))(void *)at;                                           \
                            at += (count * (ordo_u64)(_each) * sizeof *s->_member + 7) / 8 * 8;)
#define ORDO_ARRAY_COPY(_member, _per, _each, _access)                                                                 \
    ORDO_ARRAY_IF_##_access(for (ordo_u64 k = 0; k < (ordo_u64)(_each); k++) to->_member[i * (ordo_u64)(_each) + k] =  \
                                s->_member[j * (ordo_u64)(_each) + k];)
#define ORDO_ARRAYS_OF(_row) ORDO_CRITICAL_ARRAYS(_row)
#else
#define ORDO_ARRAYS_OF(_row)
#endif

/* Writes the arrays of the state to out[ORDO_MOST_ARRAYS]; returns their number, op_array_count. `items` and `targets`
 * are those of the run. */
ORDO_FN int op_arrays(op_state *s, ordo_u64 items, ordo_u64 targets, ordo_array *out)
{
    int size = 0;
    (void)s;
    (void)items;
    (void)targets;
    (void)out;
    ORDO_ARRAYS_OF(ORDO_ARRAY_ROW)
#ifdef ORDO_CRITICAL_EDGE
    ORDO_ARRAY_ROW(ORDO_CRITICAL_EDGES.row, RUN, (ordo_u64)s->ORDO_CRITICAL_EDGES.vertices + 1, READ)
    ORDO_ARRAY_ROW(ORDO_CRITICAL_EDGES.head, RUN, s->ORDO_CRITICAL_EDGES.edges * s->ORDO_CRITICAL_EDGES.stride, READ)
    ORDO_ARRAY_ROW(ORDO_CRITICAL_EDGES.weight, RUN, s->ORDO_CRITICAL_EDGES.edges, READ)
    ORDO_ARRAY_ROW(ORDO_CRITICAL_EDGES.tail, RUN, s->ORDO_CRITICAL_EDGES.edges, READ)
#endif
    return size;
}

/* Bytes of one target's words in the OWNED arrays. */
ORDO_FN ordo_u64 op_owned_bytes(const op_state *s)
{
    ordo_u64 bytes = 0;
    (void)s;
    ORDO_ARRAYS_OF(ORDO_ARRAY_BYTES)
    return bytes;
}

/* Makes s use the memory at `at`, a multiple of 8, for the OWNED arrays: one after the other, each of `count` targets
 * and rounded up to 8 bytes. Copies nothing. */
ORDO_FN void op_owned_use(op_state *s, char *at, ordo_u64 count)
{
    (void)s;
    (void)at;
    (void)count;
    ORDO_ARRAYS_OF(ORDO_ARRAY_USE)
}

/* Copies the OWNED words of target j of `s` to target i of `to`. */
ORDO_FN void op_owned_copy(const op_state *to, ordo_u64 i, const op_state *s, ordo_u64 j)
{
    (void)to;
    (void)i;
    (void)s;
    (void)j;
    ORDO_ARRAYS_OF(ORDO_ARRAY_COPY)
}

/* The array whose top bits are locks, or NULL; and the same array replaced by `words`. */
ORDO_FN void *op_lock_words(const op_state *s)
{
#ifdef ORDO_CRITICAL_LOCK
    return (void *)s->ORDO_CRITICAL_LOCK;
#else
    (void)s;
    return 0;
#endif
}

ORDO_FN void op_lock_use(op_state *s, void *words)
{
#ifdef ORDO_CRITICAL_LOCK
    s->ORDO_CRITICAL_LOCK = (__typeof__(s->ORDO_CRITICAL_LOCK))words;
#else
    (void)s;
    (void)words;
#endif
}

/* The width of a bucket in units of priority. */
ORDO_FN double op_delta(double n, double m)
{
    (void)n;
    (void)m;
#ifdef ORDO_CRITICAL_DELTA
    return ORDO_CRITICAL_DELTA();
#else
    return 1.0;
#endif
}

#endif /* ORDO_OP */

#undef ORDO_OP_ON_CUDA
#ifdef ORDO_CRITICAL_ARRAYS
#define ORDO_OP_ON_CUDA 1
#else
#define ORDO_OP_ON_CUDA 0
#endif
#undef ORDO_OP_KIND
#define ORDO_OP_KIND ORDO_KIND_CRITICAL
#ifdef ORDO_RUN_TIME /* `ordo run` compiles this file: the rest of its unit, ahead of the end of the list */
#include ORDO_RUN_TIME
#endif
#undef ORDO_ARRAYS_OF
#undef ORDO_ARRAY_IF_READ
#undef ORDO_ARRAY_IF_WRITE
#undef ORDO_ARRAY_IF_OWNED
#undef ORDO_ARRAY_OWNED
#undef ORDO_ARRAY_BYTES
#undef ORDO_ARRAY_USE
#undef ORDO_ARRAY_COPY
#undef ORDO_CRITICAL_STILL_VALID
#undef ORDO_CRITICAL_REBUILD_ARGS
#undef ORDO_CRITICAL_WORDS
#undef ORDO_CRITICAL_WORD_BITS
#undef ORDO_CRITICAL_ARRAYS
#undef ORDO_CRITICAL_LOCK
#undef ORDO_CRITICAL
#undef ORDO_CRITICAL_SUMMARY
#undef ORDO_CRITICAL_STATE
#undef ORDO_CRITICAL_COMMIT
#undef ORDO_CRITICAL_REQUESTS
#undef ORDO_CRITICAL_ACTIVATIONS
#undef ORDO_CRITICAL_PROPERTIES
#undef ORDO_CRITICAL_TARGETS
#undef ORDO_CRITICAL_PREPARE
#undef ORDO_CRITICAL_EDGE
#undef ORDO_CRITICAL_EDGES
#undef ORDO_CRITICAL_ITEMS
#undef ORDO_CRITICAL_WEIGHT
#undef ORDO_CRITICAL_FILTER
#undef ORDO_CRITICAL_FIRST
#undef ORDO_CRITICAL_SECOND
#undef ORDO_CRITICAL_COMBINE
#undef ORDO_OP_ORDER
#undef ORDO_CRITICAL_PRIORITY
#undef ORDO_CRITICAL_DELTA
#undef ORDO_CRITICAL_FILL
#undef ORDO_CRITICAL_RESULT
#undef ORDO_CRITICAL_CHECK
#undef ORDO_CRITICAL_BEGINS
#undef ORDO_CRITICAL_SETTINGS
