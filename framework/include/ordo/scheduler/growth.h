/* growth.h -- arrays that grow between the parts of a superstep: room for what items add to the structure.
 *
 * Problem. Items add vertices, edges or triangles while they run. How many is known only after they have looked, and
 * members must not move arrays that others read.
 *
 * Method. Elements are numbered from 0, and new ones follow the last. A superstep has, with barriers between them:
 *   demand   each member says how many elements it is to add (ordo_growth_demand);
 *   room     one member grows the arrays for all of them (ordo_growth_make_room): arrays move only here;
 *   fill     each member writes the elements from its own first one on (ordo_growth_first), the prefix sum of demands;
 *   count    one member counts them (ordo_growth_count).
 * No counter is shared, so nothing is atomic. If members have items in contiguous ranges of a list, in the order of
 * members, numbers of new elements depend on the list alone and not on the number of members.
 *
 * Recycling: an item that removes elements reuses their numbers for those that it adds, and demands the rest only.
 *
 * Bounds: beyond `limit` elements, or without memory, ordo_growth_make_room fails and changes nothing.
 *
 * Not done: shrinking; elements that are freed by one item and reused by another.
 */
#ifndef ORDO_SCHEDULER_GROWTH_H
#define ORDO_SCHEDULER_GROWTH_H

#include <ordo/error.h>
#include <ordo/memory.h>
#include <ordo/scheduler/team.h>

enum { ORDO_GROWTH_ARRAYS = 4 };

/* An array that grows: where its pointer is, and the bytes of an element. */
typedef struct ordo_growth_array {
    void **at;
    ordo_u64 size;
} ordo_growth_array;

/* A member's demand, on a cache line of its own. */
typedef struct ordo_growth_demand {
    ordo_u64 count;
    ordo_u64 padding[7];
} ordo_growth_demand;

typedef struct ordo_growth {
    const char *what; /* "triangles": for messages */
    ordo_u64 count, capacity, limit;
    int members;
    ordo_growth_demand *demand;                  /* [members], the caller's */
    ordo_growth_array array[ORDO_GROWTH_ARRAYS]; /* blocks of ordo_alloc(); the first without `at` ends the list */
} ordo_growth;

/* The number of the first element that a member adds. After the barrier that follows the demands. */
static inline ordo_u64 ordo_growth_first(const ordo_growth *g, int member)
{
    ordo_u64 first = g->count;
    for (int m = 0; m < member; m++)
        first += g->demand[m].count;
    return first;
}

/* Grows the arrays for all demands; they may move. By one member, between two barriers. Errors: ORDO_ERR_MEMORY. */
static inline ordo_status ordo_growth_make_room(ordo_growth *g)
{
    const ordo_u64 needed = ordo_growth_first(g, g->members);
    if (needed > g->limit)
        return ordo_fail(ORDO_ERR_MEMORY, "found a need of %llu %s, expected at most %llu", (unsigned long long)needed,
                         g->what, (unsigned long long)g->limit);
    if (needed <= g->capacity)
        return ORDO_OK;
    ordo_u64 capacity = needed + needed / 2;
    if (capacity > g->limit)
        capacity = g->limit;
    for (int i = 0; i < ORDO_GROWTH_ARRAYS && g->array[i].at; i++) {
        void *moved = ordo_realloc(*g->array[i].at, capacity, g->array[i].size);
        if (!moved)
            return ORDO_ERR_MEMORY; /* arrays before it are larger than they need be, and that is all */
        *g->array[i].at = moved;
    }
    g->capacity = capacity;
    return ORDO_OK;
}

/* Counts what was added, and forgets the demands. By one member, after the barrier that follows the fill. */
static inline void ordo_growth_count(ordo_growth *g)
{
    g->count = ordo_growth_first(g, g->members);
    for (int m = 0; m < g->members; m++)
        g->demand[m].count = 0;
}

#endif
