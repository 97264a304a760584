/* critical.h -- ends the file of a critical operator: reads its list of parts, derives what schedulers use.
 *
 * A critical operator processes an item in two steps. Its *visit* looks around, owning nothing, and emits requests:
 * "run my section owning these one or two targets". Its *section* runs with the request's targets owned exclusively,
 * and may activate items. Between the two anything may have changed: the section looks again before it acts. Exclusive
 * ownership by locks, by the thread that owns a part of the targets, or by a server is the framework's business
 * (--sync).
 *
 * required
 *   ORDO_CRITICAL              the operator's name, an identifier
 *   ORDO_CRITICAL_SUMMARY      one line for people
 *   ORDO_CRITICAL_STATE        struct of pointers to its arrays; what they point at may be written, by the rules below
 *   ORDO_CRITICAL_VISIT        u32 f(const state *s, ordo_item item, ordo_request *out): writes at most
 *                              ORDO_CRITICAL_REQUESTS requests to out[], returns how many. Words that sections write
 *                              are read with ordo_load_*
 *   ORDO_CRITICAL_SECTION      u32 f(const state *s, const ordo_request *r, ordo_activation *out): owns the targets;
 *                              writes at most ORDO_CRITICAL_ACTIVATIONS activations, returns how many. May also write
 *                              words that belong to r->item alone
 *   ORDO_CRITICAL_REQUESTS     most requests of one visit, 1 to 16; an item with more to do activates itself again
 *   ORDO_CRITICAL_ACTIVATIONS  most activations of one section, 0 to 16
 *   ORDO_CRITICAL_PROPERTIES   ORDO_IDEMPOTENT: visiting an item whose work is done emits nothing or changes nothing
 * optional
 *   ORDO_CRITICAL_TARGETS      most targets of a request, 1 or 2 (2): with 1 servers need no locks
 *   ORDO_CRITICAL_FIRST        u32 f(const state *s, ordo_request *r, ordo_activation *out, int *more), and
 *   ORDO_CRITICAL_SECOND       u32 f(const state *s, const ordo_request *r, ordo_activation *out): a section of two
 *                              targets in two halves, for operators of which nobody needs isolation: others may own
 *                              either target in between. FIRST owns r->target[0]; where it sets *more, SECOND runs
 *                              later and owns r->target[1], with the request as FIRST left it (it may change words).
 *                              Together at most ORDO_CRITICAL_ACTIVATIONS activations
 *   ORDO_CRITICAL_COMBINE      int f(const state *s, ordo_request *a, const ordo_request *b): of one and the same
 *                              target; makes `a` stand for both, in any order; 0 where that cannot be. The section of
 *                              `a` then counts for both. Looks at words of the two items alone
 *   ORDO_CRITICAL_OPEN         int f(const state *s, const ordo_request *r): owning the target, whether the item still
 *                              wants this: one that is visited twice may ask twice. Looks at words of the item alone.
 *                              Sections, halves and COMBINE (for its `b`) run only where it is so; where no item can
 *                              have asked twice nobody looks
 *   ORDO_CRITICAL_RECALL       void f(const state *s, ordo_request *r): sets r->word from r->item as the visit did,
 *                              from what no section writes. FIRST then changes no words, and SECOND looks at nothing
 *                              that FIRST wrote. Messages between blocks of a GPU need not carry words
 *   ORDO_CRITICAL_WORDS        how many of r->word it uses, 0 to 2 (2)
 *   ORDO_CRITICAL_WORD_BITS    32 where the upper halves of those are always 0 (64)
 *   ORDO_CRITICAL_ARRAYS       for back ends with memory of their own, which refuse operators without it: a macro of X
 *                              with X(member, per, each, access) for every pointer of the state: an array of `each`
 *                              elements (it may use s) per ITEM, TARGET or RUN. Access is READ (no section writes it),
 *                              WRITE, or OWNED: per TARGET, no visit reads it, and sections, halves and COMBINE use
 *                              numbers of targets for nothing else than to index such arrays. So a target's words may
 *                              be kept elsewhere during a run, under another number
 *   ORDO_CRITICAL_LOCK         the OWNED array, if it is the only one and has one u32 or u64 a target, and if the top
 *                              bit of its words is always 0: that may then be the target's lock
 *   ORDO_CRITICAL_PRIORITY     u32 f(const state *s, ordo_item item): of an initial item, which no section has
 *                              activated (default 0); smaller runs earlier
 *   ORDO_CRITICAL_DELTA        double f(void): width of a bucket of priorities where a scheduler is to choose one
 *                              (default 1)
 *
 * Derived, for schedulers, all starting with the operator's name: x_op_state, x_op_properties, x_op_requests,
 * x_op_activations, x_op_activates, x_op_ordered, x_op_targets, x_op_halves, x_op_combines, x_op_weight_type,
 * x_op_summary, x_op_visit, x_op_section, x_op_first, x_op_second, x_op_combine, x_op_first_priority, x_op_delta;
 * x_op_section_open, x_op_first_open and x_op_combine_open, for requests that are known to be open; x_op_recalls,
 * x_op_recall, x_op_words, x_op_word_bits; x_op_array_count, x_op_arrays, x_op_owned_bytes, x_op_owned_use,
 * x_op_owned_copy; x_op_lock_bits, x_op_lock_words, x_op_lock_use. ORDO_OP_KIND is left as ORDO_KIND_CRITICAL,
 * ORDO_OP_ON_CUDA as 1 where it lists its arrays, else 0.
 */
#include <ordo/operator.h>

#ifndef ORDO_CRITICAL
#error "critical.h is included at the end of an operator file, after its ORDO_CRITICAL_... list (see critical.h)"
#endif
#if !defined(ORDO_CRITICAL_SUMMARY) || !defined(ORDO_CRITICAL_STATE) || !defined(ORDO_CRITICAL_VISIT) ||               \
    !defined(ORDO_CRITICAL_SECTION) || !defined(ORDO_CRITICAL_REQUESTS) || !defined(ORDO_CRITICAL_ACTIVATIONS) ||      \
    !defined(ORDO_CRITICAL_PROPERTIES)
#error                                                                                                                 \
    "a critical operator defines ORDO_CRITICAL_SUMMARY, _STATE, _VISIT, _SECTION, _REQUESTS, _ACTIVATIONS, _PROPERTIES"
#endif
#if ORDO_CRITICAL_REQUESTS < 1 || ORDO_CRITICAL_REQUESTS > 16 || ORDO_CRITICAL_ACTIVATIONS < 0 ||                      \
    ORDO_CRITICAL_ACTIVATIONS > 16
#error "ORDO_CRITICAL_REQUESTS is 1 to 16, ORDO_CRITICAL_ACTIVATIONS 0 to 16"
#endif

#ifndef ORDO_CRITICAL_TARGETS
#define ORDO_CRITICAL_TARGETS 2
#endif
#if ORDO_CRITICAL_TARGETS != 1 && ORDO_CRITICAL_TARGETS != 2
#error "ORDO_CRITICAL_TARGETS is 1 or 2"
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

#define OP_(_part) ORDO_JOIN3(ORDO_CRITICAL, _op_, _part)

typedef ORDO_CRITICAL_STATE OP_(state);
enum {
    OP_(properties) = ORDO_CRITICAL_PROPERTIES,
    OP_(requests) = ORDO_CRITICAL_REQUESTS,
    OP_(activations) = ORDO_CRITICAL_ACTIVATIONS,
    OP_(activates) = ORDO_CRITICAL_ACTIVATIONS > 0,
#ifdef ORDO_CRITICAL_PRIORITY
    OP_(ordered) = 1, /* an order of items can matter */
#else
    OP_(ordered) = ORDO_CRITICAL_ACTIVATIONS > 0,
#endif
    OP_(weight_type) = 0, /* rows are the operator's own */
    OP_(targets) = ORDO_CRITICAL_TARGETS,
    OP_(words) = ORDO_CRITICAL_WORDS,
    OP_(word_bits) = ORDO_CRITICAL_WORD_BITS,
#ifdef ORDO_CRITICAL_FIRST
    OP_(halves) = 1,
#else
    OP_(halves) = 0,
#endif
#ifdef ORDO_CRITICAL_COMBINE
    OP_(combines) = 1,
#else
    OP_(combines) = 0,
#endif
#ifdef ORDO_CRITICAL_RECALL
    OP_(recalls) = 1,
#else
    OP_(recalls) = 0,
#endif
#ifdef ORDO_CRITICAL_ARRAYS
    OP_(array_count) = 0 ORDO_CRITICAL_ARRAYS(ORDO_ARRAY_ONE),
#else
    OP_(array_count) = 0,
#endif
#ifdef ORDO_CRITICAL_LOCK
    OP_(lock_bits) = 8 * sizeof(*((OP_(state) *)0)->ORDO_CRITICAL_LOCK), /* of a word that has a lock; 0: none has */
#else
    OP_(lock_bits) = 0,
#endif
};

#ifndef __CUDA_ARCH__
__attribute__((unused)) static const char OP_(summary)[] = ORDO_CRITICAL_SUMMARY;
#endif

ORDO_FN ordo_u32 OP_(visit)(const OP_(state) * s, ordo_item item, ordo_request *out)
{
    ordo_u32 count = ORDO_CRITICAL_VISIT(s, item, out);
    for (ordo_u32 i = 0; i < count; i++)
        out[i].item = item;
    return count;
}

/* Whether the item still wants what it asked for. */
ORDO_FN int OP_(open)(const OP_(state) * s, const ordo_request *r)
{
#ifdef ORDO_CRITICAL_OPEN
    return ORDO_CRITICAL_OPEN(s, r);
#else
    (void)s;
    (void)r;
    return 1;
#endif
}

ORDO_FN ordo_u32 OP_(section_open)(const OP_(state) * s, const ordo_request *r, ordo_activation *out)
{
    return ORDO_CRITICAL_SECTION(s, r, out);
}

ORDO_FN ordo_u32 OP_(section)(const OP_(state) * s, const ordo_request *r, ordo_activation *out)
{
    return OP_(open)(s, r) ? OP_(section_open)(s, r, out) : 0;
}

ORDO_FN ordo_u32 OP_(first_open)(const OP_(state) * s, ordo_request *r, ordo_activation *out, int *more)
{
#ifdef ORDO_CRITICAL_FIRST
    return ORDO_CRITICAL_FIRST(s, r, out, more);
#else
    *more = 0;
    return OP_(section_open)(s, r, out);
#endif
}

ORDO_FN ordo_u32 OP_(first)(const OP_(state) * s, ordo_request *r, ordo_activation *out, int *more)
{
    *more = 0;
    return OP_(open)(s, r) ? OP_(first_open)(s, r, out, more) : 0;
}

ORDO_FN ordo_u32 OP_(second)(const OP_(state) * s, const ordo_request *r, ordo_activation *out)
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

ORDO_FN ordo_u32 OP_(first_priority)(const OP_(state) * s, ordo_item item)
{
#ifdef ORDO_CRITICAL_PRIORITY
    return ORDO_CRITICAL_PRIORITY(s, item);
#else
    (void)s;
    (void)item;
    return 0;
#endif
}

ORDO_FN int OP_(combine_open)(const OP_(state) * s, ordo_request *a, const ordo_request *b)
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

ORDO_FN int OP_(combine)(const OP_(state) * s, ordo_request *a, const ordo_request *b)
{
    return OP_(combines) ? !OP_(open)(s, b) || OP_(combine_open)(s, a, b) : 0;
}

ORDO_FN void OP_(recall)(const OP_(state) * s, ordo_request *r)
{
#ifdef ORDO_CRITICAL_RECALL
    ORDO_CRITICAL_RECALL(s, r);
#else
    (void)s;
    (void)r;
#endif
}

/* ---- arrays of the state ---- */

#ifdef ORDO_CRITICAL_ARRAYS
#define ORDO_ARRAY_IF_READ(_code)
#define ORDO_ARRAY_IF_WRITE(_code)
#define ORDO_ARRAY_IF_OWNED(_code) _code
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

/* The arrays, at most ORDO_MOST_ARRAYS; how many. */
ORDO_FN int OP_(arrays)(OP_(state) * s, ordo_u64 items, ordo_u64 targets, ordo_array *out)
{
    int size = 0;
    (void)s;
    (void)items;
    (void)targets;
    (void)out;
    ORDO_ARRAYS_OF(ORDO_ARRAY_ROW)
    return size;
}

/* Bytes of a target's words in the OWNED arrays. */
ORDO_FN ordo_u64 OP_(owned_bytes)(const OP_(state) * s)
{
    ordo_u64 bytes = 0;
    (void)s;
    ORDO_ARRAYS_OF(ORDO_ARRAY_BYTES)
    return bytes;
}

/* From now on the OWNED arrays lie one after the other at `at`, which is a multiple of 8, each rounded up to 8 bytes,
 * with room for `count` targets. */
ORDO_FN void OP_(owned_use)(OP_(state) * s, char *at, ordo_u64 count)
{
    (void)s;
    (void)at;
    (void)count;
    ORDO_ARRAYS_OF(ORDO_ARRAY_USE)
}

/* Words of target j of `s` to target i of `to`. */
ORDO_FN void OP_(owned_copy)(const OP_(state) * to, ordo_u64 i, const OP_(state) * s, ordo_u64 j)
{
    (void)to;
    (void)i;
    (void)s;
    (void)j;
    ORDO_ARRAYS_OF(ORDO_ARRAY_COPY)
}

ORDO_FN void *OP_(lock_words)(const OP_(state) * s)
{
#ifdef ORDO_CRITICAL_LOCK
    return (void *)s->ORDO_CRITICAL_LOCK;
#else
    (void)s;
    return 0;
#endif
}

ORDO_FN void OP_(lock_use)(OP_(state) * s, void *words)
{
#ifdef ORDO_CRITICAL_LOCK
    s->ORDO_CRITICAL_LOCK = (__typeof__(s->ORDO_CRITICAL_LOCK))words;
#else
    (void)s;
    (void)words;
#endif
}

ORDO_FN double OP_(delta)(double n, double m)
{
    (void)n;
    (void)m;
#ifdef ORDO_CRITICAL_DELTA
    return ORDO_CRITICAL_DELTA();
#else
    return 1.0;
#endif
}

#undef OP_
#undef ORDO_OP_ON_CUDA
#ifdef ORDO_CRITICAL_ARRAYS
#define ORDO_OP_ON_CUDA 1
#else
#define ORDO_OP_ON_CUDA 0
#endif
#undef ORDO_ARRAYS_OF
#undef ORDO_ARRAY_IF_READ
#undef ORDO_ARRAY_IF_WRITE
#undef ORDO_ARRAY_IF_OWNED
#undef ORDO_ARRAY_BYTES
#undef ORDO_ARRAY_USE
#undef ORDO_ARRAY_COPY
#undef ORDO_CRITICAL_OPEN
#undef ORDO_CRITICAL_RECALL
#undef ORDO_CRITICAL_WORDS
#undef ORDO_CRITICAL_WORD_BITS
#undef ORDO_CRITICAL_ARRAYS
#undef ORDO_CRITICAL_LOCK
#undef ORDO_CRITICAL
#undef ORDO_CRITICAL_SUMMARY
#undef ORDO_CRITICAL_STATE
#undef ORDO_CRITICAL_VISIT
#undef ORDO_CRITICAL_SECTION
#undef ORDO_CRITICAL_REQUESTS
#undef ORDO_CRITICAL_ACTIVATIONS
#undef ORDO_CRITICAL_PROPERTIES
#undef ORDO_CRITICAL_TARGETS
#undef ORDO_CRITICAL_FIRST
#undef ORDO_CRITICAL_SECOND
#undef ORDO_CRITICAL_COMBINE
#undef ORDO_OP_ORDER
#undef ORDO_CRITICAL_PRIORITY
#undef ORDO_CRITICAL_DELTA
#undef ORDO_OP_KIND
#define ORDO_OP_KIND ORDO_KIND_CRITICAL
