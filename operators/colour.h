/* colour.h -- greedy colouring: vertices by rank, each with the smallest colour that no coloured neighbour has.
 *
 *   COLOUR(v)  where all neighbours of a lower rank have a colour            [Jones and Plassmann 1993]
 *
 * A coloured item tells each neighbour of a higher rank so, in a critical section that owns that neighbour and counts
 * down the colours it waits for. The section that comes to 0 colours it: the smallest colour that is missing among its
 * neighbours of a lower rank. The colours depend on the ranks alone, not on the order of work. At most one more colour
 * is used than a vertex has neighbours. Expects a symmetric graph; loops do nothing.
 *
 * A hub has more neighbours than one item may make requests: the last request of a batch moves the item's place in its
 * row, and activates it again. An item must not be processed by two threads at a time, so the initial items are the
 * vertices that wait for nothing, each once.
 *
 * Memory order. A colour is written once. The section for edge (u, v) runs after its item has read that u has a colour.
 * Sections that own v come one after the other, so the last one finds each of these colours, by coherence.
 *
 * Not done: choosing ranks (apps/colour.c).
 */
#include <ordo/operator/operator.h>

#define COLOUR_NONE 0xffffffffu
#define COLOUR_REQUESTS 16

typedef struct colour_state {
    const ordo_eid *row;  /* [n + 1] the graph's */
    const ordo_vid *head; /* [m * stride] the graph's */
    const ordo_u64 *rank; /* [n] distinct */
    ordo_u32 *colour;     /* [n] at the start 0 for the initial items, else COLOUR_NONE */
    ordo_u32 *waits;      /* [n] edges to neighbours of a lower rank that have not told of their colour */
    ordo_u64 *next;       /* [n] the next edge to tell along: row[v] at the start */
    ordo_u64 edges;       /* m */
    ordo_vid vertices;    /* n */
    ordo_u32 stride;      /* 1 or 2 */
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

/* word[0] is the edge behind that of the last request of an item's batch, or 0: not the last. */
ORDO_FN ordo_u32 colour_prepare(const colour_state *s, ordo_item u, ordo_request *out)
{
    ordo_u32 requests = 0;
    ordo_eid e = ordo_load_u64(&s->next[u]), end = s->row[u + 1];
    if (ordo_load_u32(&s->colour[u]) == COLOUR_NONE)
        return 0;
    for (; e < end && requests < COLOUR_REQUESTS; e++) {
        ordo_vid v = s->head[e * s->stride];
        if (s->rank[u] < s->rank[v])
            out[requests++] = ordo_request_one(v, 0, 0);
    }
    if (requests)
        out[requests - 1].word[0] = e;
    return requests;
}

/* The smallest colour that no neighbour of a lower rank has; 64 colours at a time. */
ORDO_FN ordo_u32 colour_smallest(const colour_state *s, ordo_vid v)
{
    ordo_u32 base = 0;
    for (;; base += 64) {
        ordo_u64 used = 0;
        ordo_eid e;
        for (e = s->row[v]; e < s->row[v + 1]; e++) {
            ordo_vid w = s->head[e * s->stride];
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
    ordo_vid v = r->target[0], u = r->item;
    ordo_u32 activations = 0;
    if (--s->waits[v] == 0) {
        ordo_store_u32(&s->colour[v], colour_smallest(s, v));
        out[activations].item = v;
        out[activations++].priority = 0;
    }
    if (r->word[0]) {
        ordo_store_u64(&s->next[u], r->word[0]);
        out[activations].item = u;
        out[activations++].priority = 0;
    }
    return activations;
}

#define ORDO_CRITICAL colour
#define ORDO_CRITICAL_SUMMARY "greedy colouring by rank (one target)"
#define ORDO_CRITICAL_STATE colour_state
#define ORDO_CRITICAL_PREPARE colour_prepare
#define ORDO_CRITICAL_COMMIT colour_commit
#define ORDO_CRITICAL_REQUESTS COLOUR_REQUESTS
#define ORDO_CRITICAL_ACTIVATIONS 2
#define ORDO_CRITICAL_PROPERTIES ORDO_IDEMPOTENT
#define ORDO_CRITICAL_TARGETS 1
#define ORDO_CRITICAL_WORDS 1
#define ORDO_CRITICAL_ARRAYS(X)                                                                                        \
    X(row, RUN, (ordo_u64)s->vertices + 1, READ)                                                                       \
    X(head, RUN, s->edges * s->stride, READ)                                                                           \
    X(rank, RUN, s->vertices, READ)                                                                                    \
    X(colour, TARGET, 1, WRITE)                                                                                        \
    X(waits, TARGET, 1, OWNED)                                                                                         \
    X(next, ITEM, 1, WRITE)
#include <ordo/operator/critical.h>
