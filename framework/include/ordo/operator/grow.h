/* grow.h -- for operators that add edges and items to the graph of their run (ORDO_RELAX_GROW): the calls that the
 * operator makes, and where the framework keeps what it adds. docs/graphs_that_change.md is the guide.
 *
 * Problem. Some algorithms find edges and items while they run: shortcuts, states of a search space. The rows of a
 * graph are arrays that other runs share, so they cannot grow, and members process items meanwhile.
 *
 * Method. Rows stay as they are. An edge that is added is a record of one pool; records of one tail form a list, whose
 * newest record the tail's word names. A record gets its place by one fetch-and-add, and joins its list by a
 * compare-and-swap; none is ever changed or removed after that. New items have the numbers behind the graph's vertices,
 * and get them by one fetch-and-add, too. Both pools are bounded; a run that needs more fails (ORDO_ERR_MEMORY).
 *
 * Seeing an edge. The framework processes an item x in the order
 *   read the cell of x; fence; follow the list of x; call ORDO_RELAX_GROW; propose along the row of x
 * and for the edges (x, y) that a call has added, in the order
 *   link the edges; fence; read the cell of x; propose to y.
 * Invariant: when nothing is in flight, every edge (x, y) has proposed the candidate of the last value of x. Let v be
 * that value. Some member P has processed x with v, because every improvement makes an entry. Both sides have a
 * sequentially consistent fence. If that of P is the first of the two, the cell is read behind the other one, and so
 * holds v (a cell only gets better, and coherence orders the read of P before it): the member that added the edge has
 * proposed the candidate of v. If it is the second, P finds the edge in the list. (C11 7.17.3, C++20 [atomics.order]:
 * the two fences are ordered, and reads behind the later one see what precedes the earlier one.)
 * So its tail need not be activated: the edge alone catches up. tests/models/grow.pml is a model of it.
 *
 * Memory order. A record is written before the compare-and-swap that links it, which releases; a list is entered by a
 * load that acquires. All later changes of the word are compare-and-swaps, which continue the release sequence, so
 * a member that reads the newest record sees all older ones. The key of a new item is written before the word of its
 * slot is stored, which releases; who finds the item by its key acquires that word.
 *
 * Waiting. ordo_item_of() waits while another member is between claiming a key and storing its item, some instructions.
 *
 * Not done: removing; lists in blocks of several edges; members sharing the list of one item.
 */
#ifndef ORDO_OPERATOR_GROW_H
#define ORDO_OPERATOR_GROW_H

#include <ordo/operator/operator.h>

ORDO_BEGIN_DECLS
ORDO_API void ordo_yield(void); /* <ordo/scheduler/team.h>, which is for the host alone */
ORDO_END_DECLS

/* Why a run cannot go on, bits of ordo_grow_pool.failed. */
enum {
    ORDO_GROW_MORE_EDGES = 1, /* than most_edges */
    ORDO_GROW_MORE_ITEMS = 2, /* than most_items */
    ORDO_GROW_NO_ITEM = 4,    /* an edge from or to something that is no item */
    ORDO_GROW_NO_WEIGHT = 8   /* an edge of another weight type than the operator's */
};

/* What a run adds. Owned by the framework; members use it through the calls below. Slots of tables are found by linear
 * probing; there are at least twice as many as entries. */
typedef struct ordo_grow_pool {
    ordo_new_edge *edge; /* [most_edges] */
    ordo_u32 *newest;    /* [vertices + most_items] number + 1 of the last edge of the item's list; 0: none */
    ordo_u32 *visited;   /* [(vertices + most_items) / 32 + 1] bits: ordo_first_visit() has said so */
    ordo_u64 *pair;      /* [pair_mask + 1] complements of from << 32 | to; 0: free */
    ordo_u64 *key;       /* [vertices + most_items] of items */
    ordo_u64 *slot_key;  /* [slot_mask + 1] complements of keys; 0: free */
    ordo_u32 *slot_item; /* [slot_mask + 1] item + 1; 0: being added; ~0: the bound was reached */
    ordo_u64 pair_mask, slot_mask;
    ordo_u32 vertices; /* of the graph */
    ordo_u32 most_edges, most_items;
    int weight;           /* the operator's type of weights, ORDO_TYPE_NUMBER_... */
    ordo_u32 padding[16]; /* what members write is on lines of its own */
    ordo_u32 edges;       /* taken; at most most_edges count */
    ordo_u32 spare[15];
    ordo_u32 items; /* likewise */
    ordo_u32 failed;
} ordo_grow_pool;

/* What a call of ORDO_RELAX_GROW adds to; valid during that call. */
typedef struct ordo_growing {
    ordo_grow_pool *pool;
    ordo_item item; /* the one that is processed */
    ordo_u32 last;  /* number + 1 of the last edge that this call has added; 0: none */
} ordo_growing;

/* ---- what the calls are made of ---- */

#if defined(__CUDA_ARCH__)
#define ORDO_GROW_LOAD(_p) (*(const volatile __typeof__(*(_p)) *)(_p))
#define ORDO_GROW_FENCE() __threadfence()
#else
#define ORDO_GROW_LOAD(_p) __atomic_load_n((_p), __ATOMIC_ACQUIRE)
#define ORDO_GROW_FENCE() ((void)0)
#endif
/* Acquires. */
ORDO_FN ordo_u32 ordo_grow_read(const ordo_u32 *p)
{
    const ordo_u32 value = ORDO_GROW_LOAD(p);
    ORDO_GROW_FENCE();
    return value;
}
/* Releases. */
ORDO_FN void ordo_grow_write(ordo_u32 *p, ordo_u32 value)
{
#if defined(__CUDA_ARCH__)
    __threadfence();
    *(volatile ordo_u32 *)p = value;
#else
    __atomic_store_n(p, value, __ATOMIC_RELEASE);
#endif
}
/* Releases where it succeeds; *expected becomes what was there. */
ORDO_FN int ordo_grow_swap(ordo_u32 *p, ordo_u32 *expected, ordo_u32 value)
{
#if defined(__CUDA_ARCH__)
    const ordo_u32 before = *expected;
    __threadfence();
    *expected = atomicCAS(p, before, value);
    return *expected == before;
#else
    return __atomic_compare_exchange_n(p, expected, value, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
#endif
}
/* Makes a free slot `value`; returns what was there. Relaxed. */
ORDO_FN ordo_u64 ordo_grow_claim(ordo_u64 *slot, ordo_u64 value)
{
#if defined(__CUDA_ARCH__)
    return atomicCAS((unsigned long long *)slot, 0ull, (unsigned long long)value);
#else
    ordo_u64 before = 0;
    (void)__atomic_compare_exchange_n(slot, &before, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return before;
#endif
}
ORDO_FN ordo_u32 ordo_grow_or(ordo_u32 *p, ordo_u32 bits)
{
#if defined(__CUDA_ARCH__)
    return atomicOr(p, bits);
#else
    return __atomic_fetch_or(p, bits, __ATOMIC_RELAXED);
#endif
}
#undef ORDO_GROW_LOAD
#undef ORDO_GROW_FENCE

/* The next number below `most`; `most` where there is none. */
ORDO_FN ordo_u32 ordo_grow_take(ordo_grow_pool *pool, ordo_u32 *counter, ordo_u32 most, ordo_u32 failure)
{
    /* read first, so that the counter stays near the bound */
    const ordo_u32 number = ordo_load_u32(counter) < most ? ordo_add_u32(counter, 1) : most;
    if (number < most)
        return number;
    ordo_grow_or(&pool->failed, failure);
    return most;
}

/* A place in a table of mask + 1 slots, by the finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit of the
 * key has a part in every bit of the place, so pairs of near numbers do not meet. */
ORDO_FN ordo_u64 ordo_grow_slot(ordo_u64 key, ordo_u64 mask)
{
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9ull;
    key = (key ^ key >> 27) * 0x94d049bb133111ebull;
    return (key ^ key >> 31) & mask;
}

/* Numbers of items that the run may have by now: a bound of what an end of an edge may be. */
ORDO_FN int ordo_grow_is_item(const ordo_grow_pool *pool, ordo_item item)
{
    const ordo_u32 number = item - pool->vertices;
    return item < pool->vertices || (number < pool->most_items && number < ordo_load_u32(&pool->items));
}

/* A record for the edge (from, to); NULL where the bound is reached or an end is no item. */
ORDO_FN ordo_new_edge *ordo_grow_edge(ordo_growing *g, ordo_item from, ordo_item to, int weight)
{
    ordo_grow_pool *pool = g->pool;
    if (from == ORDO_NO_VERTEX || to == ORDO_NO_VERTEX) /* an item that could not be added: the run has failed */
        return 0;
    if (weight != pool->weight || !ordo_grow_is_item(pool, from) || !ordo_grow_is_item(pool, to)) {
        ordo_grow_or(&pool->failed, weight != pool->weight ? ORDO_GROW_NO_WEIGHT : ORDO_GROW_NO_ITEM);
        return 0;
    }
    const ordo_u32 number = ordo_grow_take(pool, &pool->edges, pool->most_edges, ORDO_GROW_MORE_EDGES);
    if (number == pool->most_edges)
        return 0;
    ordo_new_edge *e = &pool->edge[number];
    e->from = from;
    e->to = to;
    e->weight[0] = 1; /* of an edge without one */
    e->weight[1] = 0;
    e->also = g->last;
    g->last = number + 1;
    return e;
}

/* Puts the record, which is complete, on the list of its tail. */
ORDO_FN void ordo_grow_link(ordo_growing *g, ordo_new_edge *e)
{
    ordo_u32 *newest = &g->pool->newest[e->from], first = ordo_load_u32(newest);
    do
        e->next = first;
    while (!ordo_grow_swap(newest, &first, g->last));
}

/* ---- the operator's calls ---- */

/* Adds an edge; ordo_add_edge_u32() and its relatives one with a weight, of the type that ORDO_RELAX_WEIGHT says. The
 * edge proposes at once what its tail's cell allows, and again whenever that cell improves. Ends are items of the run,
 * new ones included. An edge from or to ORDO_NO_VERTEX is not added. Nothing is compared: the same edge may be added
 * more than once. */
ORDO_FN void ordo_add_edge_none(ordo_growing *g, ordo_item from, ordo_item to)
{
    ordo_new_edge *e = ordo_grow_edge(g, from, to, ORDO_TYPE_NUMBER_none);
    if (e)
        ordo_grow_link(g, e);
}
#if defined(__CUDA_ARCH__)
#define ORDO_GROW_COPY memcpy
#else
#define ORDO_GROW_COPY __builtin_memcpy
#endif
#define ORDO_ADD_EDGE(_type)                                                                                           \
    ORDO_FN void ordo_add_edge_##_type(ordo_growing *g, ordo_item from, ordo_item to, ordo_##_type weight)             \
    {                                                                                                                  \
        ordo_new_edge *e = ordo_grow_edge(g, from, to, ORDO_TYPE_NUMBER_##_type);                                      \
        if (e) {                                                                                                       \
            ORDO_GROW_COPY(e->weight, &weight, sizeof weight);                                                         \
            ordo_grow_link(g, e);                                                                                      \
        }                                                                                                              \
    }
ORDO_ADD_EDGE(u32)
ORDO_ADD_EDGE(i32)
ORDO_ADD_EDGE(f32)
ORDO_ADD_EDGE(i64)
ORDO_ADD_EDGE(f64)
#undef ORDO_ADD_EDGE
#undef ORDO_GROW_COPY

/* Nonzero for the first call of the run with these ends, in any member: `if (ordo_is_new_pair(g, u, v)) add it`.
 * Edges of the graph are not looked at. */
ORDO_FN int ordo_is_new_pair(ordo_growing *g, ordo_item from, ordo_item to)
{
    ordo_grow_pool *pool = g->pool;
    const ordo_u64 key = (ordo_u64)from << 32 | to, stored = ~key;
    ordo_u64 at = ordo_grow_slot(key, pool->pair_mask);
    for (ordo_u64 probes = 0; probes <= pool->pair_mask; probes++, at = (at + 1) & pool->pair_mask) {
        const ordo_u64 there = ordo_grow_claim(&pool->pair[at], stored);
        if (there == 0 || there == stored)
            return there == 0;
        if (ordo_load_u32(&pool->failed)) /* the table may be full */
            return 0;
    }
    ordo_grow_or(&pool->failed, ORDO_GROW_MORE_EDGES);
    return 0;
}

/* Nonzero for the first call of the run for the item that is processed. */
ORDO_FN int ordo_first_visit(ordo_growing *g)
{
    const ordo_u32 bit = 1u << (g->item & 31);
    return !(ordo_grow_or(&g->pool->visited[g->item >> 5], bit) & bit);
}

/* A new item. Its cell holds the order's worst value, so it is processed when an edge to it has proposed a better one.
 * ORDO_NO_VERTEX where the bound is reached: the run fails then. */
ORDO_FN ordo_item ordo_add_item(ordo_growing *g)
{
    ordo_grow_pool *pool = g->pool;
    const ordo_u32 number = ordo_grow_take(pool, &pool->items, pool->most_items, ORDO_GROW_MORE_ITEMS);
    return number == pool->most_items ? ORDO_NO_VERTEX : pool->vertices + number;
}

/* The item with that key, which is added where there is none: so several members that find the same thing get the same
 * item. Any key but 2^64 - 1. Vertices of the graph have the keys of ORDO_RELAX_KEY; without that part they have none.
 * ORDO_NO_VERTEX where the bound is reached. */
ORDO_FN ordo_item ordo_item_of(ordo_growing *g, ordo_u64 key)
{
    ordo_grow_pool *pool = g->pool;
    ordo_u64 at = ordo_grow_slot(key, pool->slot_mask), there = 0;
    while ((there = ordo_grow_claim(&pool->slot_key[at], ~key)) != 0 && there != ~key) {
        if (ordo_load_u32(&pool->failed)) /* the table may be full */
            return ORDO_NO_VERTEX;
        at = (at + 1) & pool->slot_mask;
    }
    ordo_u32 *word = &pool->slot_item[at], item = 0;
    if (there == 0) {
        const ordo_item made = ordo_add_item(g);
        if (made != ORDO_NO_VERTEX)
            pool->key[made] = key;
        ordo_grow_write(word, made + 1 ? made + 1 : 0xffffffffu);
        return made;
    }
    for (ordo_u32 spins = 1; !(item = ordo_grow_read(word)); spins++) {
#if !defined(__CUDACC__)
        if (spins % 64 == 0)
            ordo_yield();
#endif
    }
    return item == 0xffffffffu ? ORDO_NO_VERTEX : item - 1;
}

/* The key of an item that ordo_item_of() has returned, or of a vertex of the graph where ORDO_RELAX_KEY is defined. */
ORDO_FN ordo_u64 ordo_key_of(const ordo_growing *g, ordo_item item)
{
    return g->pool->key[item];
}

#endif
