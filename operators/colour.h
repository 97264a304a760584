/* colour.h -- greedy colouring: vertices by rank, each with the smallest colour that no coloured neighbour has.
 *
 *   COLOUR(v)  where all neighbours of a lower rank have a colour            [Jones and Plassmann 1993]
 *
 * A coloured item tells each neighbour of a higher rank so, in a critical section that owns that neighbour v. The
 * section moves v's place in its row on, past all neighbours that v need not wait for: those of a higher rank, and
 * those with a colour. At the end of the row it colours v, with the smallest colour that is missing among its
 * neighbours of a lower rank, and activates it. The colours depend on the ranks alone, not on the order of work. At
 * most one more colour is used than a vertex has neighbours. Expects a symmetric graph; loops do nothing. Initial items
 * are the vertices that wait for nothing.
 *
 * Memory order. A colour is written once. The section for edge (u, v) runs after its item has read that u has a colour.
 * Sections that own v come one after the other, so the last one finds each of these colours, by coherence, and reaches
 * the end of the row. A place only moves on, so all sections of v together look at each edge of v once.
 *
 * Not done: choosing ranks (apps/colour.c).
 */
#include <ordo/operator/operator.h>

#define COLOUR_NONE 0xffffffffu

typedef struct colour_state {
    ordo_edges edges;     /* the graph's */
    const ordo_u64 *rank; /* [n] distinct */
    ordo_u32 *colour;     /* [n] at the start 0 for the initial items, else COLOUR_NONE */
    ordo_u64 *next;       /* [n] the edge to the neighbour that a vertex waits for: row[v] at the start */
} colour_state;

/* The least bit that is set; there is one. */
ORDO_FN ordo_u32 colour_lowest(ordo_u64 bits)
{
#if defined(__CUDA_ARCH__)
    return (ordo_u32)__ffsll((long long)bits) - 1;
#else
    return (ordo_u32)__builtin_ctzll(bits);
#endif
}

ORDO_FN int colour_filter(const colour_state *s, ordo_item u)
{
    return ordo_load_u32(&s->colour[u]) != COLOUR_NONE;
}

ORDO_FN ordo_u32 colour_tell(const colour_state *s, ordo_edge_none e, ordo_request *out)
{
    out[0] = ordo_request_one(e.head, 0, 0);
    return s->rank[e.tail] < s->rank[e.head] && ordo_load_u32(&s->colour[e.head]) == COLOUR_NONE;
}

/* The smallest colour that no neighbour of a lower rank has; 64 colours at a time. */
ORDO_FN ordo_u32 colour_smallest(const colour_state *s, ordo_vid v)
{
    const ordo_edges *g = &s->edges;
    ordo_u32 base = 0;
    for (;; base += 64) {
        ordo_u64 used = 0;
        ordo_eid e;
        for (e = g->row[v]; e < g->row[v + 1]; e++) {
            ordo_vid w = g->head[e * g->stride];
            ordo_u32 c = ordo_load_u32(&s->colour[w]) - base; /* wraps below base */
            if (s->rank[w] < s->rank[v] && c < 64)
                used |= (ordo_u64)1 << c;
        }
        if (~used)
            return base + colour_lowest(~used);
    }
}

ORDO_FN ordo_u32 colour_commit(const colour_state *s, const ordo_request *r, ordo_activation *out)
{
    const ordo_edges *g = &s->edges;
    ordo_vid v = r->target[0];
    ordo_eid e = s->next[v], end = g->row[v + 1];
    if (ordo_load_u32(&s->colour[v]) != COLOUR_NONE)
        return 0;
    for (; e < end; e++) {
        ordo_vid w = g->head[e * g->stride];
        if (s->rank[w] < s->rank[v] && ordo_load_u32(&s->colour[w]) == COLOUR_NONE)
            break;
    }
    s->next[v] = e;
    if (e < end)
        return 0;
    ordo_store_u32(&s->colour[v], colour_smallest(s, v));
    out[0].item = v;
    out[0].priority = 0;
    return 1;
}

#define ORDO_CRITICAL colour
#define ORDO_CRITICAL_SUMMARY "greedy colouring by rank (one target)"
#define ORDO_CRITICAL_STATE colour_state
#define ORDO_CRITICAL_EDGES edges
#define ORDO_CRITICAL_FILTER colour_filter
#define ORDO_CRITICAL_EDGE colour_tell
#define ORDO_CRITICAL_COMMIT colour_commit
#define ORDO_CRITICAL_REQUESTS 1
#define ORDO_CRITICAL_ACTIVATIONS 1
#define ORDO_CRITICAL_PROPERTIES ORDO_IDEMPOTENT
#define ORDO_CRITICAL_TARGETS 1
#define ORDO_CRITICAL_WORDS 0
#define ORDO_CRITICAL_ARRAYS(X)                                                                                        \
    X(rank, RUN, s->edges.vertices, READ) X(colour, TARGET, 1, WRITE) X(next, TARGET, 1, WRITE)
#include <ordo/operator/critical.h>
