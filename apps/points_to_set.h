/* points_to_set.h -- sets that grow: sparse bit vectors, lists of chunks of 256 bits in ascending order.
 *
 * A set is the number of its first chunk, 0 where it is empty. Chunks are in blocks of 4096, which are never moved or
 * freed before the end. A member of the team takes a whole block at a time, by one fetch-and-add, and gives chunks of
 * it to the sets that it writes; chunks of sets that it clears it uses again. So a chunk is one member's from its
 * making on, and nothing here is atomic but the number of the next block.
 *
 * Readers. A set may be read by all members in a phase in which it is not written. A block's address is written before
 * any of its chunks is in a set, and read in a later phase: the barrier between them orders the two.
 *
 * Growth ends at `most_blocks`; then `full` is set, and what was to be added is left out. The caller looks at it after
 * each phase.
 */
#ifndef ORDO_POINTS_TO_SET_H
#define ORDO_POINTS_TO_SET_H

#include <stdbool.h>
#include <string.h>

#include <ordo/memory.h>

enum { SET_WORDS = 4, SET_BITS = 64 * SET_WORDS, SET_BLOCK = 4096, SET_BLOCKS = 1 << 20 };

typedef struct set_chunk {
    ordo_u64 word[SET_WORDS];
    ordo_u32 base; /* the first item, over SET_BITS */
    ordo_u32 next; /* 0: none */
} set_chunk;

typedef struct set_pool {
    set_chunk **block; /* [SET_BLOCKS] */
    ordo_u64 most_blocks;
    ordo_u64 next_block; /* atomic */
} set_pool;

/* A member's part of the pool. */
typedef struct set_owner {
    set_pool *pool;
    ordo_u32 next, end; /* chunks of its block that are not used */
    ordo_u32 free;      /* list of chunks that are used no more */
    bool full;
} set_owner;

static inline set_chunk *set_at(const set_pool *pool, ordo_u32 chunk)
{
    return &pool->block[chunk / SET_BLOCK][chunk % SET_BLOCK];
}

/* Another block; number 0 of the first one means no chunk. */
static inline bool set_grow(set_owner *o)
{
    set_pool *const pool = o->pool;
    const ordo_u64 block = __atomic_fetch_add(&pool->next_block, 1, __ATOMIC_RELAXED);
    set_chunk *const made = block < pool->most_blocks ? ordo_alloc(SET_BLOCK, sizeof *made) : NULL;
    if (!made) {
        o->full = true;
        return false;
    }
    pool->block[block] = made;
    o->next = (ordo_u32)(block * SET_BLOCK) + (block == 0);
    o->end = (ordo_u32)((block + 1) * SET_BLOCK - 1);
    return true;
}

/* A chunk without bits, in front of `next`; 0 where there is no memory. The last chunk of a block is left out, so that
 * `end` does not overflow. */
static inline ordo_u32 set_chunk_new(set_owner *o, ordo_u32 base, ordo_u32 next)
{
    ordo_u32 chunk = o->free;
    if (chunk) {
        o->free = set_at(o->pool, chunk)->next;
    } else {
        if (o->next == o->end && (o->full || !set_grow(o)))
            return 0;
        chunk = o->next++;
    }
    set_chunk *const c = set_at(o->pool, chunk);
    *c = (set_chunk){.base = base, .next = next};
    return chunk;
}

/* The chunk with that base, which is made where there is none. *link is where the list may have it: it moves forward,
 * so that ascending bases cost one walk. NULL: no memory. */
static inline set_chunk *set_find(set_owner *o, ordo_u32 **link, ordo_u32 base)
{
    while (**link && set_at(o->pool, **link)->base < base)
        *link = &set_at(o->pool, **link)->next;
    if (!**link || set_at(o->pool, **link)->base != base) {
        const ordo_u32 made = set_chunk_new(o, base, **link);
        if (!made)
            return NULL;
        **link = made;
    }
    return set_at(o->pool, **link);
}

/* Adds an item; true where it is new. By the set's owner. */
static inline bool set_add(set_owner *o, ordo_u32 *set, ordo_u32 item)
{
    ordo_u32 *link = set;
    set_chunk *const c = set_find(o, &link, item / SET_BITS);
    const ordo_u64 bit = (ordo_u64)1 << item % 64;
    ordo_u64 *const word = c ? &c->word[item % SET_BITS / 64] : NULL;
    if (!word || *word & bit)
        return false;
    *word |= bit;
    return true;
}

/* Adds to *set what `from` has and `but` has not. By the owner of *set, in a phase in which the others are not written.
 */
static inline void set_unite(set_owner *o, ordo_u32 *set, ordo_u32 from, ordo_u32 but)
{
    ordo_u32 *link = set;
    for (; from; from = set_at(o->pool, from)->next) {
        const set_chunk *const f = set_at(o->pool, from);
        while (but && set_at(o->pool, but)->base < f->base)
            but = set_at(o->pool, but)->next;
        const set_chunk *const b = but && set_at(o->pool, but)->base == f->base ? set_at(o->pool, but) : NULL;
        ordo_u64 word[SET_WORDS], any = 0;
        for (int i = 0; i < SET_WORDS; i++) {
            word[i] = f->word[i] & ~(b ? b->word[i] : 0);
            any |= word[i];
        }
        set_chunk *const c = any ? set_find(o, &link, f->base) : NULL;
        for (int i = 0; i < SET_WORDS && c; i++)
            c->word[i] |= word[i];
    }
}

/* Makes the set empty. By its owner. */
static inline void set_clear(set_owner *o, ordo_u32 *set)
{
    ordo_u32 *link = set;
    if (!*set)
        return;
    while (*link)
        link = &set_at(o->pool, *link)->next;
    *link = o->free;
    o->free = *set;
    *set = 0;
}

/* A place in a set, for loops: for (set_place p = set_begin(set); set_next(pool, &p, &item);) */
typedef struct set_place {
    ordo_u32 chunk;
    int word;      /* the next one to look at */
    ordo_u64 bits; /* that are left of the word before it */
    ordo_u32 base;
} set_place;

static inline set_place set_begin(ordo_u32 set)
{
    return (set_place){.chunk = set};
}

static inline bool set_next(const set_pool *pool, set_place *p, ordo_u32 *item)
{
    while (!p->bits) {
        if (!p->chunk)
            return false;
        const set_chunk *const c = set_at(pool, p->chunk);
        if (p->word == SET_WORDS) {
            p->chunk = c->next;
            p->word = 0;
            continue;
        }
        p->bits = c->word[p->word];
        p->base = c->base * SET_BITS + (ordo_u32)p->word * 64;
        p->word++;
    }
    *item = p->base + (ordo_u32)__builtin_ctzll(p->bits);
    p->bits &= p->bits - 1;
    return true;
}

#endif
