/* negative_cycle.c -- see negative_cycle.h.
 *
 * A look at a stopped search. Call an edge (u, v) tight if d(u) + w <= d(v), sums as the operator makes them. A vertex
 * v got d(v) over an edge that is tight from then on, for d(u) only goes down and d(v) stays. So every reached vertex
 * has a tight edge into it, except for a source that still is at 0.
 *
 * Existence. If no cycle is negative, the edges over which vertices got their distances last form a forest with the
 * sources as roots (CLRS lemma 24.16): every reached vertex is reachable from a source at 0 over tight edges. So a
 * breadth-first search over tight edges that misses a reached vertex proves that there is one. It is proven at the
 * latest when some distance is below that of every simple path, since tight edges from a source at 0 to v bound d(v)
 * from below. The search also visits every edge that improves its head, so a look tells from where the run goes on.
 *
 * Extraction. Around a cycle of tight edges the distances cancel out, so its weight is at most 0, and less where an
 * edge improves its head. Of the vertices that were missed each has a tight edge into it from another one of them;
 * taking for each the one that improves it most, and following these backwards, ends in a cycle. Its weight is added up
 * again, exactly. It may be 0; then a cycle is known to exist, but is found by the serial search.
 *
 * Serial search. Bellman and Ford's algorithm with a first-in, first-out queue (Moore 1959), whose parents are kept. As
 * soon as parents form a cycle it is one of negative weight (CLRS lemma 24.16); they are looked at once in n steps, so
 * that this costs as much as the steps themselves. Whole numbers are added up in 128 bits, reals as their type rounds.
 * The sum of rounded reals can go down around a cycle whose exact weight is not negative; that is refused.
 */
#include "apps/negative_cycle.h"

#include <math.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/operator/operator.h>

#include "apps/common.h"
#include "framework/run/phase.h"

#define NEGATIVE_INLINE static inline __attribute__((always_inline))
#define NO_EDGE (~(ordo_eid)0)

/* ---- numbers of a type that is a constant in every call ---- */

typedef union number {
    __int128 whole;
    double real;
} number;

NEGATIVE_INLINE bool is_real(ordo_type type)
{
    return type == ORDO_F32 || type == ORDO_F64;
}

NEGATIVE_INLINE number number_in(ordo_type type, const void *at)
{
    if (type == ORDO_F32)
        return (number){.real = (double)*(const ordo_f32 *)at};
    if (type == ORDO_F64)
        return (number){.real = ordo_get_f64(at)};
    return (number){.whole = type == ORDO_I64 ? ordo_get_i64(at) : *(const ordo_i32 *)at};
}

NEGATIVE_INLINE number number_at(ordo_type type, const void *words, ordo_u64 i)
{
    return number_in(type, (const char *)words + i * ordo_type_bytes(type));
}

NEGATIVE_INLINE number weight_at(ordo_type type, const ordo_csr *g, ordo_eid e)
{
    return number_in(type, ordo_csr_weight_at(g, e));
}

/* Does _DO(type) with the type as a constant. */
#define OF_TYPE(_type, _DO)                                                                                            \
    do {                                                                                                               \
        if ((_type) == ORDO_F32)                                                                                       \
            _DO(ORDO_F32);                                                                                             \
        else if ((_type) == ORDO_F64)                                                                                  \
            _DO(ORDO_F64);                                                                                             \
        else if ((_type) == ORDO_I64)                                                                                  \
            _DO(ORDO_I64);                                                                                             \
        else                                                                                                           \
            _DO(ORDO_I32);                                                                                             \
    } while (0)

NEGATIVE_INLINE bool less(ordo_type type, number a, number b)
{
    return is_real(type) ? a.real < b.real : a.whole < b.whole;
}

/* A sum without bounds, of reals rounded to the type. (Of two f32 a double rounds twice and still rounds right:
 * Figueroa, SIGNUM 1995.) */
NEGATIVE_INLINE number plus(ordo_type type, number a, number b)
{
    if (is_real(type))
        return (number){.real = type == ORDO_F64 ? a.real + b.real : (double)(ordo_f32)(a.real + b.real)};
    return (number){.whole = a.whole + b.whole};
}

/* The type's largest value, which means unreached. */
NEGATIVE_INLINE number most(ordo_type type)
{
    return is_real(type) ? (number){.real = (double)INFINITY}
                         : (number){.whole = type == ORDO_I64 ? ORDO_UNREACHED_I64 : ORDO_UNREACHED_I32};
}
NEGATIVE_INLINE number least(ordo_type type)
{
    return is_real(type) ? (number){.real = -(double)INFINITY} : (number){.whole = -most(type).whole - 1};
}

/* The sum as the operator makes it. */
NEGATIVE_INLINE number candidate(ordo_type type, number du, number w)
{
    if (!less(type, least(type), du) || !less(type, du, most(type)))
        return du;
    const number sum = plus(type, du, w);
    return !less(type, sum, most(type)) ? most(type) : !less(type, least(type), sum) ? least(type) : sum;
}

/* ---- exact weights ---- */

/* An exact sum of doubles, as parts that do not overlap (Shewchuk 1997, grow-expansion). */
typedef struct exact {
    double part[64];
    int count;
} exact;

static void exact_add(exact *x, double b)
{
    int used = 0;
    for (int i = 0; i < x->count; i++) {
        const double a = x->part[i], sum = a + b, rest = sum - a;
        const double error = (a - (sum - rest)) + (b - rest);
        b = sum;
        if (error != 0)
            x->part[used++] = error;
    }
    if (b != 0 || used == 0)
        x->part[used++] = b;
    x->count = used;
}

/* The parts ascend, so the sum is right to the last bit but one, and its sign is exact. */
static double exact_value(const exact *x)
{
    double sum = 0;
    for (int i = 0; i < x->count; i++)
        sum += x->part[i];
    return sum;
}

/* Adds up cycle->edge. */
static void weigh(const ordo_search *s, ordo_cycle *cycle)
{
    exact sum = {.count = 0};
    __int128 whole = 0;
    for (ordo_u64 i = 0; i < cycle->length; i++) {
        const number w = weight_at(s->type, s->g, cycle->edge[i]);
        if (is_real(s->type))
            exact_add(&sum, w.real);
        else
            whole += w.whole;
    }
    cycle->type = s->type;
    cycle->whole = (ordo_i64)(whole < INT64_MIN ? INT64_MIN : whole > INT64_MAX ? INT64_MAX : whole);
    cycle->real = exact_value(&sum);
}

static bool is_negative(const ordo_cycle *cycle)
{
    return is_real(cycle->type) ? cycle->real < 0 : cycle->whole < 0;
}

/* ---- cycles of parents ---- */

/* The edge over which a vertex got its distance, for each vertex. */
typedef struct parents {
    ordo_vid *tail; /* [n]; ORDO_NO_VERTEX: none */
    ordo_eid *edge; /* [n] */
    ordo_u32 *walk; /* [n] the walk that has visited a vertex; 0: none */
} parents;

static ordo_status parents_make(ordo_vid n, parents *p)
{
    *p = (parents){ordo_alloc(n, sizeof *p->tail), ordo_alloc(n, sizeof *p->edge), ordo_alloc(n, sizeof *p->walk)};
    if (!p->tail || !p->edge || !p->walk)
        return ORDO_ERR_MEMORY;
    memset(p->tail, 0xff, n * sizeof *p->tail);
    return ORDO_OK;
}

static void parents_free(parents *p)
{
    ordo_free(p->tail);
    ordo_free(p->edge);
    ordo_free(p->walk);
}

/* The cycle that has vertex v, from its least vertex on. */
static ordo_status make_cycle(const ordo_search *s, const parents *p, ordo_vid v, ordo_cycle *cycle)
{
    ordo_u64 length = 0;
    ordo_vid first = v;
    for (ordo_vid u = v; !length || u != v; u = p->tail[u], length++)
        first = u < first ? u : first;
    ordo_cycle_free(cycle);
    cycle->vertex = ordo_alloc(length, sizeof *cycle->vertex);
    cycle->edge = ordo_alloc(length, sizeof *cycle->edge);
    if (!cycle->vertex || !cycle->edge)
        return ORDO_ERR_MEMORY;
    cycle->length = length;
    ordo_vid head = first; /* backwards: the last edge leads to the first vertex */
    for (ordo_u64 i = length; i-- > 0; head = p->tail[head]) {
        cycle->edge[i] = p->edge[head];
        cycle->vertex[i] = p->tail[head];
    }
    weigh(s, cycle);
    return ORDO_OK;
}

/* Finds a cycle of parents whose weight is negative; where there is none, leaves another one, or length 0. */
static ordo_status find_cycle(const ordo_search *s, const parents *p, ordo_cycle *cycle)
{
    const ordo_vid n = s->g->n;
    memset(p->walk, 0, n * sizeof *p->walk);
    for (ordo_vid begin = 0; begin < n; begin++) {
        ordo_vid v = begin;
        while (v != ORDO_NO_VERTEX && !p->walk[v]) {
            p->walk[v] = begin + 1;
            v = p->tail[v];
        }
        if (v == ORDO_NO_VERTEX || p->walk[v] != begin + 1)
            continue;
        ordo_status status = make_cycle(s, p, v, cycle);
        if (status || is_negative(cycle))
            return status;
    }
    return ORDO_OK;
}

/* ---- a look at a stopped search ---- */

typedef struct visit {
    ordo_u8 *found;  /* [n] */
    ordo_vid *queue; /* [n] */
    ordo_u64 count, reached;
    bool low; /* some distance is the least value */
} visit;

/* Finds what tight edges lead to from the sources at 0, and the vertices with an edge that improves its head. */
NEGATIVE_INLINE void visit_tight(const ordo_search *s, ordo_type type, visit *b, ordo_look *look)
{
    const ordo_csr *g = s->g;
    const number zero = {.whole = 0}, worst = most(type);
    for (ordo_vid v = 0; v < g->n; v++) {
        const number d = number_at(type, s->dist, v);
        b->reached += less(type, d, worst);
        b->low = b->low || !less(type, least(type), d);
    }
    for (ordo_u64 i = 0; i < s->sources->count; i++) {
        const ordo_vid v = s->sources->vertex[i];
        const number d = number_at(type, s->dist, v);
        if (!less(type, d, is_real(type) ? (number){.real = 0} : zero)) {
            b->found[v] = 1;
            b->queue[b->count++] = v;
        }
    }
    for (ordo_u64 i = 0; i < b->count; i++) {
        const ordo_vid u = b->queue[i];
        const number du = number_at(type, s->dist, u);
        bool improves = false;
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            const ordo_vid v = g->head[e * g->stride];
            const number dv = number_at(type, s->dist, v);
            const number c = candidate(type, du, weight_at(type, g, e));
            improves = improves || less(type, c, dv);
            if (b->found[v] || less(type, dv, c) || !less(type, dv, worst))
                continue;
            b->found[v] = 1;
            b->queue[b->count++] = v;
        }
        if (improves)
            look->active[look->active_count++] = u;
    }
}

/* For each vertex that was missed, the tight edge that improves it most. */
NEGATIVE_INLINE void take_parents(const ordo_search *s, ordo_type type, const visit *b, parents *p)
{
    const ordo_csr *g = s->g;
    for (ordo_vid u = 0; u < g->n; u++) {
        const number du = number_at(type, s->dist, u);
        if (b->found[u] || !less(type, du, most(type)))
            continue;
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            const ordo_vid v = g->head[e * g->stride], before = p->tail[v];
            const number c = candidate(type, du, weight_at(type, g, e));
            if (b->found[v] || less(type, number_at(type, s->dist, v), c))
                continue;
            if (before != ORDO_NO_VERTEX &&
                !less(type, c, candidate(type, number_at(type, s->dist, before), weight_at(type, g, p->edge[v]))))
                continue;
            p->tail[v] = u;
            p->edge[v] = e;
        }
    }
}

static ordo_status extract(const ordo_search *s, const visit *b, ordo_cycle *cycle)
{
    parents p;
    ordo_status status = parents_make(s->g->n, &p);
    if (!status) {
#define TAKE(_type) take_parents(s, _type, b, &p)
        OF_TYPE(s->type, TAKE);
#undef TAKE
        status = find_cycle(s, &p, cycle);
    }
    parents_free(&p);
    if (status || (cycle->length && !is_negative(cycle)))
        ordo_cycle_free(cycle);
    return status;
}

ordo_status ordo_search_look(const ordo_search *s, ordo_look *look, ordo_cycle *cycle)
{
    const ordo_vid n = s->g->n;
    visit b = {.found = ordo_alloc_zero(n, 1), .queue = ordo_alloc(n, sizeof *b.queue)};
    *look = (ordo_look){.active = ordo_alloc(n, sizeof *look->active)};
    ordo_status status = b.found && b.queue && look->active ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status) {
#define VISIT(_type) visit_tight(s, _type, &b, look)
        OF_TYPE(s->type, VISIT);
#undef VISIT
        look->proven = b.low || b.count < b.reached;
    }
    if (!status && look->proven)
        status = extract(s, &b, cycle);
    ordo_free(b.found);
    ordo_free(b.queue);
    if (status) {
        ordo_free(look->active);
        *look = (ordo_look){0};
    }
    return status;
}

/* ---- the serial search ---- */

typedef struct fifo {
    number *dist;    /* [n] */
    ordo_vid *queue; /* [n] a ring; a vertex is there once */
    ordo_u8 *queued; /* [n] */
    ordo_u64 begin, count;
    parents p;
} fifo;

static ordo_status fifo_make(ordo_vid n, fifo *f)
{
    *f = (fifo){.dist = ordo_alloc(n, sizeof *f->dist),
                .queue = ordo_alloc(n, sizeof *f->queue),
                .queued = ordo_alloc_zero(n, 1)};
    ordo_status status = parents_make(n, &f->p);
    return f->dist && f->queue && f->queued ? status : ORDO_ERR_MEMORY;
}

static void fifo_free(fifo *f)
{
    ordo_free(f->dist);
    ordo_free(f->queue);
    ordo_free(f->queued);
    parents_free(&f->p);
}

static void fifo_put(fifo *f, ordo_vid n, ordo_vid v)
{
    if (f->queued[v])
        return;
    f->queued[v] = 1;
    f->queue[(f->begin + f->count++) % n] = v;
}

NEGATIVE_INLINE void relax_row(const ordo_search *s, ordo_type type, fifo *f, ordo_vid u)
{
    const ordo_csr *g = s->g;
    for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
        const ordo_vid v = g->head[e * g->stride];
        const number c = plus(type, f->dist[u], weight_at(type, g, e));
        if (!less(type, c, f->dist[v]))
            continue;
        f->dist[v] = c;
        f->p.tail[v] = u;
        f->p.edge[v] = e;
        fifo_put(f, g->n, v);
    }
}

/* Whether a cycle was found after some n steps; ORDO_ERR_INPUT for one of rounding. */
static ordo_status look_at_parents(const ordo_search *s, fifo *f, ordo_cycle *cycle)
{
    ordo_status status = find_cycle(s, &f->p, cycle);
    if (status || !cycle->length || is_negative(cycle))
        return status;
    const ordo_vid v = cycle->vertex[0];
    const double weight = cycle->real;
    ordo_cycle_free(cycle);
    return ordo_fail(ORDO_ERR_INPUT,
                     "rounded sums go down without end around a cycle through vertex %u of weight %.9g: weights differ "
                     "too much in size for their type",
                     v, weight);
}

NEGATIVE_INLINE ordo_status search_serially(const ordo_search *s, ordo_type type, fifo *f, ordo_cycle *cycle)
{
    const ordo_vid n = s->g->n;
    ordo_u64 steps = 0;
    ordo_status status = ORDO_OK;
    ordo_phase phase;
    for (ordo_vid v = 0; v < n; v++)
        f->dist[v] = is_real(type) ? (number){.real = (double)INFINITY} : (number){.whole = (__int128)1 << 126};
    for (ordo_u64 i = 0; i < s->sources->count; i++) {
        f->dist[s->sources->vertex[i]] = is_real(type) ? (number){.real = 0} : (number){.whole = 0};
        fifo_put(f, n, s->sources->vertex[i]);
    }
    ordo_phase_begin(&phase, "searching serially", 0);
    while (f->count && !cycle->length && !status && !ordo_phase_at(&phase, steps)) {
        const ordo_vid u = f->queue[f->begin];
        f->begin = f->begin + 1 == n ? 0 : f->begin + 1;
        f->count--;
        f->queued[u] = 0;
        relax_row(s, type, f, u);
        if (++steps % n == 0)
            status = look_at_parents(s, f, cycle);
        if (steps % 4096 == 0 && s->deadline > 0 && ordo_clock() >= s->deadline)
            status = ordo_fail(ORDO_ERR_TIMEOUT, "the search did not end in time");
    }
    if (!status)
        status = ordo_phase_end(&phase);
    return status || cycle->length || !is_real(type) ? status : look_at_parents(s, f, cycle);
}

/* Writes the distances; ORDO_ERR_OVERFLOW for one that the type cannot hold. */
NEGATIVE_INLINE ordo_status write_distances(const ordo_search *s, ordo_type type, const fifo *f)
{
    for (ordo_vid v = 0; v < s->g->n; v++) {
        const number d = f->dist[v];
        const bool reached = f->p.tail[v] != ORDO_NO_VERTEX || ordo_sources_has(s->sources, v);
        if (reached && (!less(type, least(type), d) || !less(type, d, most(type))))
            return ordo_fail(ORDO_ERR_OVERFLOW, "vertex %u: its distance, %.10g, does not fit %s", v,
                             is_real(type) ? d.real : (double)d.whole, ordo_type_text(type));
        const number kept = reached ? d : most(type);
        ordo_word_set(type, s->dist, v,
                      is_real(type) ? ordo_word_of(type, 0, kept.real) : ordo_word_of(type, (ordo_i64)kept.whole, 0));
    }
    return ORDO_OK;
}

ordo_status ordo_search_decide(const ordo_search *s, ordo_cycle *cycle)
{
#define SEARCH(_type) status = search_serially(s, _type, &f, cycle)
#define WRITE(_type) status = write_distances(s, _type, &f)
    fifo f;
    ordo_status status = fifo_make(s->g->n, &f);
    if (!status)
        OF_TYPE(s->type, SEARCH);
    if (!status && !cycle->length)
        OF_TYPE(s->type, WRITE);
#undef SEARCH
#undef WRITE
    fifo_free(&f);
    return status;
}
