/* colour.h -- greedy colouring: vertices by rank, each with the smallest colour that no coloured neighbour has.
 *
 *   COLOUR(v)  where all neighbours of a lower rank have a colour            [Jones and Plassmann 1993]
 *
 * A vertex v waits for one neighbour of a lower rank at a time. When that one has a colour it tells v so, in a critical
 * section that owns v and looks for the next one in v's row that has none. At the end of the row it colours v, with the
 * smallest colour that is missing among its neighbours of a lower rank, and activates it. So most edges ask for
 * nothing. The colours depend on the ranks alone, not on the order of work. At most one more colour is used than a
 * vertex has neighbours. Expects a symmetric graph; loops do nothing. Initial items are the vertices that wait for
 * nothing.
 *
 * Memory order. No telling is lost. The item u reads that u has a colour, passes a fence, and reads for whom v waits;
 * the section of v writes that v waits for u, passes a fence, and reads whether u has a colour. Whichever fence is
 * first, the other thread sees what was ahead of it. So u tells v, or the section of v goes on by itself. Colours are
 * written once. A section has seen that each neighbour of a lower rank has a colour, or a section of v before it has.
 *
 * Not done: choosing ranks (apps/colour.c).
 */
#include <ordo/operator/operator.h>

#define COLOUR_NONE 0xffffffffu
/* Edges of a row that are read at once, and words of 64 colours that one pass over a row looks at. A core overlaps the
 * loads of one edge with those of the next by itself. A thread of a GPU does not, and its rows of hubs are long. */
#if defined(__CUDA_ARCH__)
#define COLOUR_AT_ONCE 8
#define COLOUR_WORDS 4
#else
#define COLOUR_AT_ONCE 1
#define COLOUR_WORDS 1
#endif

typedef struct colour_state {
    ordo_edges edges;     /* the graph's */
    const ordo_u64 *rank; /* [n] distinct */
    ordo_u32 *colour;     /* [n] at the start 0 for the initial items, else COLOUR_NONE */
    ordo_u32 *awaited;    /* [n] the neighbour that a vertex waits for, COLOUR_NONE: none. At the start the first of a
                             lower rank in its row */
    ordo_u64 *next;       /* [n] the edge to that neighbour; not read where there is none */
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
    int coloured = ordo_load_u32(&s->colour[u]) != COLOUR_NONE;
    ordo_fence(); /* ahead of all loads of colour_tell */
    return coloured;
}

ORDO_FN ordo_u32 colour_tell(const colour_state *s, ordo_edge_none e, ordo_request *out)
{
    out[0] = ordo_request_one(e.head, 0, 0);
    return ordo_load_u32(&s->awaited[e.head]) == e.tail;
}

/* Reads the colours of the heads of up to COLOUR_AT_ONCE edges, from e on; COLOUR_NONE past the end. The loads do not
 * depend on each other, so a hub's row, which one thread reads, costs as many waits for memory as it has such blocks.
 */
ORDO_FN void colour_read(const colour_state *s, ordo_eid e, ordo_eid end, ordo_vid *head, ordo_u32 *colour)
{
    const ordo_edges *g = &s->edges;
    for (ordo_u32 i = 0; i < COLOUR_AT_ONCE; i++)
        head[i] = g->head[(e + i < end ? e + i : e) * g->stride];
    for (ordo_u32 i = 0; i < COLOUR_AT_ONCE; i++)
        colour[i] = ordo_load_u32(&s->colour[head[i]]);
    for (ordo_u32 i = 0; i < COLOUR_AT_ONCE; i++)
        colour[i] = e + i < end ? colour[i] : COLOUR_NONE;
}

/* The smallest colour that no neighbour of v has. Neighbours of a higher rank have none: they wait for v. */
ORDO_FN ordo_u32 colour_smallest(const colour_state *s, ordo_vid v)
{
    const ordo_eid end = s->edges.row[v + 1];
    ordo_vid head[COLOUR_AT_ONCE];
    ordo_u32 colour[COLOUR_AT_ONCE], base = 0;
    for (;; base += 64 * COLOUR_WORDS) {
        ordo_u64 used[COLOUR_WORDS] = {0};
        for (ordo_eid e = s->edges.row[v]; e < end; e += COLOUR_AT_ONCE) {
            colour_read(s, e, end, head, colour);
            for (ordo_u32 i = 0; i < COLOUR_AT_ONCE; i++) {
                const ordo_u32 c = colour[i] - base; /* wraps below base; COLOUR_NONE is past all words */
                for (ordo_u32 k = 0; k < COLOUR_WORDS; k++)
                    used[k] |= (ordo_u64)(c / 64 == k) << c % 64;
            }
        }
        for (ordo_u32 k = 0; k < COLOUR_WORDS; k++)
            if (~used[k])
                return base + 64 * k + colour_lowest(~used[k]);
    }
}

/* The first edge from e on whose head v has to wait for, and that head; `end` where there is none. */
ORDO_FN ordo_eid colour_next(const colour_state *s, ordo_vid v, ordo_eid e, ordo_eid end, ordo_vid *out)
{
    ordo_vid head[COLOUR_AT_ONCE];
    ordo_u32 colour[COLOUR_AT_ONCE];
    for (; e < end; e += COLOUR_AT_ONCE) {
        colour_read(s, e, end, head, colour);
        for (ordo_u32 i = 0; i < COLOUR_AT_ONCE && e + i < end; i++)
            if (colour[i] == COLOUR_NONE && s->rank[head[i]] < s->rank[v]) {
                *out = head[i];
                return e + i;
            }
    }
    return end;
}

/* Finds the next neighbour that v, which is owned, has to wait for, from the one on that it waits for now. */
ORDO_FN int colour_waits(const colour_state *s, ordo_vid v)
{
    ordo_vid w = ordo_load_u32(&s->awaited[v]);
    const ordo_eid end = s->edges.row[v + 1];
    while (ordo_load_u32(&s->colour[w]) != COLOUR_NONE) {
        const ordo_eid e = colour_next(s, v, s->next[v] + 1, end, &w);
        if (e == end)
            return 0;
        s->next[v] = e;
        ordo_store_u32(&s->awaited[v], w);
        ordo_fence(); /* and looks again */
    }
    return 1;
}

ORDO_FN ordo_u32 colour_commit(const colour_state *s, const ordo_request *r, ordo_activation *out)
{
    ordo_vid v = r->target[0];
    if (ordo_load_u32(&s->colour[v]) != COLOUR_NONE || colour_waits(s, v))
        return 0;
    ordo_store_u32(&s->awaited[v], COLOUR_NONE);
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
    X(rank, RUN, s->edges.vertices, READ)                                                                              \
    X(colour, TARGET, 1, WRITE) X(awaited, TARGET, 1, WRITE) X(next, TARGET, 1, WRITE)
#include <ordo/operator/critical.h>
