/* heap.h -- a heap of vertices with four children for each node, the least key first: for serial references. */
#ifndef ORDO_HEAP_H
#define ORDO_HEAP_H

#include <math.h>

#include <ordo/error.h>
#include <ordo/memory.h>

enum { ORDO_HEAP_CHILDREN = 4 };

/* Every child of slot i is in CHILDREN i + 1 .. CHILDREN i + CHILDREN. */
typedef struct ordo_heap {
    long double *key; /* [n] INFINITY: never in the heap */
    ordo_vid *slot;   /* [n] where a vertex is in the heap */
    ordo_vid *at;     /* [count] */
    ordo_u64 count;
} ordo_heap;

static inline ordo_status ordo_heap_make(ordo_vid n, ordo_heap *h)
{
    *h = (ordo_heap){.key = (long double *)ordo_alloc(n, sizeof *h->key),
                     .slot = (ordo_vid *)ordo_alloc(n, sizeof *h->slot),
                     .at = (ordo_vid *)ordo_alloc(n, sizeof *h->at)};
    return h->key && h->slot && h->at ? ORDO_OK : ORDO_ERR_MEMORY;
}

static inline void ordo_heap_free(ordo_heap *h)
{
    ordo_free(h->key);
    ordo_free(h->slot);
    ordo_free(h->at);
}

static inline void ordo_heap_put(ordo_heap *h, ordo_u64 i, ordo_vid v)
{
    h->at[i] = v;
    h->slot[v] = (ordo_vid)i;
}

/* Lowers the key of v; inserts v where its key is INFINITY. */
static inline void ordo_heap_lower(ordo_heap *h, ordo_vid v, long double key)
{
    ordo_u64 i = isinf(h->key[v]) && h->key[v] > 0 ? h->count++ : h->slot[v];
    h->key[v] = key;
    for (; i > 0 && key < h->key[h->at[(i - 1) / ORDO_HEAP_CHILDREN]]; i = (i - 1) / ORDO_HEAP_CHILDREN)
        ordo_heap_put(h, i, h->at[(i - 1) / ORDO_HEAP_CHILDREN]);
    ordo_heap_put(h, i, v);
}

static inline ordo_vid ordo_heap_take(ordo_heap *h)
{
    ordo_vid least = h->at[0], last = h->at[--h->count];
    ordo_u64 i = 0;
    for (ordo_u64 first; (first = ORDO_HEAP_CHILDREN * i + 1) < h->count;) {
        ordo_u64 best = first;
        for (ordo_u64 child = first + 1; child < first + ORDO_HEAP_CHILDREN && child < h->count; child++)
            if (h->key[h->at[child]] < h->key[h->at[best]])
                best = child;
        if (h->key[last] <= h->key[h->at[best]])
            break;
        ordo_heap_put(h, i, h->at[best]);
        i = best;
    }
    if (h->count)
        ordo_heap_put(h, i, last);
    return least;
}

#endif
