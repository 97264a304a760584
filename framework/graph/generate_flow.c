/* generate_flow.c -- generated flow networks, in the shape of the generators of the first DIMACS challenge: rlg,
 * genrmf. Vertex 0 is the source, the last one the sink; weights are capacities.
 *
 *   rlg      the random level graph of the Washington generator: levels of `width` vertices, each with three edges to
 *            different vertices of the next level; the source reaches all of the first level, all of the last one reach
 *            the sink, with three times the largest capacity
 *   genrmf   Goldfarb and Grigoriadis (Annals of Operations Research 13, 1988): `depth` frames of a x a vertices; in a
 *            frame each vertex has an edge to each of its neighbours, of capacity high * a * a, and one of capacity
 *            low..high to a vertex of the next frame, which is another for each: a random permutation. The minimum cut
 *            lies between two frames
 *
 * Not done: the random streams of those programs; their files are not reproduced.
 */
#include "generate.h"

static inline ordo_u32 capacity_of(const ordo_maker *m, ordo_u64 edge)
{
    ordo_u64 low = m->o->edges.low, many = (ordo_u64)m->o->edges.high - low + 1;
    return (ordo_u32)(low + ordo_below(ordo_maker_hash(m, ORDO_USE_WEIGHT, edge), many));
}

static void set_terminals(ordo_maker *m)
{
    m->vertices.source = 0;
    m->vertices.sink = (ordo_vid)(m->n - 1);
    m->random = m->capacities = true;
}

/* The largest capacity is `times` that of options. */
static ordo_status check_capacity(const ordo_maker *m, ordo_u64 times, const char *of)
{
    ordo_u64 high = m->o->edges.high;
    if (high == 0 || times <= UINT32_MAX / high)
        return ORDO_OK;
    return ordo_fail(ORDO_ERR_USAGE, "%s: found capacities up to %llu, expected at most %llu: %s have %llu times that",
                     m->o->kind, (unsigned long long)high, (unsigned long long)(UINT32_MAX / times), of,
                     (unsigned long long)times);
}

/* ---- rlg ---- */

enum { RLG_EDGES = 3 }; /* out-edges of a vertex; also the factor of the capacities of source and sink */

/* `count` different numbers below `limit`, every set as likely (Floyd: Bentley, CACM 30(9), 1987). */
static inline void draw_heads(const ordo_maker *m, ordo_u64 item, ordo_u64 limit, ordo_u64 count, ordo_u64 *out)
{
    for (ordo_u64 k = 0; k < count; k++) {
        ordo_u64 last = limit - count + k;
        ordo_u64 head = ordo_below(ordo_maker_hash(m, ORDO_USE_EDGE, RLG_EDGES * item + k), last + 1);
        for (ordo_u64 i = 0; i < k; i++)
            if (out[i] == head) {
                head = last;
                break;
            }
        out[k] = head;
    }
}

static void make_rlg(const ordo_maker *m, ordo_u64 begin, ordo_u64 end, bool ends_only, ordo_batch *to)
{
    (void)ends_only;
    ordo_u64 inner = m->n - 2, sink = m->n - 1, head[RLG_EDGES];
    ordo_u32 wide = RLG_EDGES * m->o->edges.high;
    for (ordo_u64 i = begin; i < end; i++) {
        ordo_u64 v = i + 1;
        if (i < m->width)
            ordo_batch_put(to, 0, v, wide);
        if (i + m->width >= inner) {
            ordo_batch_put(to, v, sink, wide);
            continue;
        }
        draw_heads(m, i, m->width, m->degree, head);
        ordo_u64 next_level = v - i % m->width + m->width;
        for (ordo_u64 k = 0; k < m->degree; k++)
            ordo_batch_put(to, v, next_level + head[k], capacity_of(m, RLG_EDGES * i + k));
    }
}

ordo_status ordo_make_rlg(ordo_maker *m)
{
    m->width = m->o->width;
    m->height = m->o->height;
    m->depth = 1;
    ordo_status status = ordo_maker_box(m, 2);
    if (!status)
        status = check_capacity(m, RLG_EDGES, "source and sink");
    if (status)
        return status;
    m->items = m->n - 2;
    m->degree = m->width < RLG_EDGES ? m->width : RLG_EDGES;
    m->edges = 2 * m->width + m->degree * m->width * (m->height - 1);
    m->make = make_rlg;
    set_terminals(m);
    ordo_maker_describe(m, "rlg --width %llu --height %llu", (unsigned long long)m->width,
                        (unsigned long long)m->height);
    return ORDO_OK;
}

/* ---- genrmf ---- */

/* The image of x under a permutation of 0 .. limit - 1: a permutation of a power of two, applied until the result is
 * below limit (cycle walking). */
static inline ordo_u64 permuted_below(const ordo_u64 keys[3], ordo_u64 limit, ordo_u64 x)
{
    ordo_u32 bits = limit > 1 ? 64 - (ordo_u32)__builtin_clzll(limit - 1) : 0;
    do
        x = ordo_permuted(keys, bits, x);
    while (x >= limit);
    return x;
}

static void make_genrmf(const ordo_maker *m, ordo_u64 begin, ordo_u64 end, bool ends_only, ordo_batch *to)
{
    (void)ends_only;
    ordo_u64 a = m->width, of_frame = a * a, keyed = ~(ordo_u64)0, keys[3] = {0};
    ordo_u32 wide = (ordo_u32)(m->o->edges.high * of_frame);
    for (ordo_u64 v = begin; v < end; v++) {
        ordo_u64 frame = v / of_frame, place = v % of_frame, x = place % a, y = place / a;
        if (frame + 1 < m->depth) {
            for (ordo_u64 i = 0; i < 3 && frame != keyed; i++)
                keys[i] = ordo_maker_hash(m, ORDO_USE_NAME, 3 * frame + i);
            keyed = frame;
            ordo_batch_put(to, v, (frame + 1) * of_frame + permuted_below(keys, of_frame, place), capacity_of(m, v));
        }
        if (y > 0)
            ordo_batch_put(to, v, v - a, wide);
        if (x > 0)
            ordo_batch_put(to, v, v - 1, wide);
        if (x + 1 < a)
            ordo_batch_put(to, v, v + 1, wide);
        if (y + 1 < a)
            ordo_batch_put(to, v, v + a, wide);
    }
}

ordo_status ordo_make_genrmf(ordo_maker *m)
{
    m->width = m->height = m->o->width;
    m->depth = m->o->depth ? m->o->depth : 1;
    ordo_status status = ordo_maker_box(m, 0);
    if (!status && m->n < 2)
        status = ordo_fail(ORDO_ERR_USAGE, "genrmf: found 1 vertex, expected a source and a sink");
    if (!status)
        status = check_capacity(m, m->width * m->width, "edges within a frame");
    if (status)
        return status;
    m->items = m->n;
    m->edges = 4 * m->width * (m->width - 1) * m->depth + m->width * m->width * (m->depth - 1);
    m->make = make_genrmf;
    set_terminals(m);
    ordo_maker_describe(m, "genrmf --width %llu --depth %llu", (unsigned long long)m->width,
                        (unsigned long long)m->depth);
    return ORDO_OK;
}
