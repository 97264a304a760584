/* item.h -- what an item of a superstep does: whose turn it is, what it claims, what a winner changes. In C, by
 * refine.c, and on a GPU, by apps/mesh_passes.h.
 *
 * An item is a triangle and the superstep that wrote it: if another item has replaced the triangle since, the item is
 * dropped, since the other has made items of what is bad there.
 */
#ifndef ORDO_MESH_ITEM_H
#define ORDO_MESH_ITEM_H

#include <ordo/scheduler/claim.h>

#include "apps/mesh/quality.h"

enum { MESH_TURNS = 8, MESH_FEW = 2048 /* items, of which all are looked at */ };

typedef struct mesh_item {
    ordo_u32 triangle, born;
} mesh_item;

/* What winners change. */
typedef struct mesh_arrays {
    geometry_point *point;
    ordo_u32 *on; /* of a point that splits a piece: which; else ORDO_NO_SEGMENT */
    mesh_triangle *triangle;
    ordo_u64 *mark; /* of a triangle: claim.h */
} mesh_arrays;

/* Neighbours in a long list, which are often neighbours in the mesh, take turns: if all items looked, five of six would
 * lose. So slot 0, 1, 2 ... of a superstep is an item of the list. */
ORDO_FN ordo_u64 item_turns(ordo_u64 items)
{
    return items > MESH_FEW ? MESH_TURNS : 1;
}
ORDO_FN bool item_has_turn(ordo_u64 i, ordo_u64 items, ordo_u32 superstep)
{
    return i % item_turns(items) == superstep % item_turns(items);
}
ORDO_FN ordo_u64 item_of_slot(ordo_u64 slot, ordo_u64 items, ordo_u32 superstep)
{
    return slot * item_turns(items) + superstep % item_turns(items);
}
/* How many slots there are. */
ORDO_FN ordo_u64 item_slots(ordo_u64 items, ordo_u32 superstep)
{
    return (items + item_turns(items) - 1 - superstep % item_turns(items)) / item_turns(items);
}

ORDO_FN ordo_u64 item_key(ordo_u64 i, ordo_u32 superstep)
{
    return ordo_claim_key(superstep, ordo_claim_priority((ordo_u32)i));
}

/* Claims the triangles of a cavity, and those around it. */
ORDO_FN void cavity_claim(const cavity *c, ordo_u64 *mark, ordo_u64 key)
{
    for (ordo_u32 j = 0; j < c->insides; j++)
        ordo_claim_mark(&mark[c->inside[j]], key);
    for (ordo_u32 j = 0; j < c->edges; j++)
        if (c->ring[j].outside != MESH_NONE)
            ordo_claim_mark(&mark[c->ring[j].outside], key);
}

/* Whether all of these are the item's. */
ORDO_FN bool cavity_is_held(const cavity *c, const ordo_u64 *mark, ordo_u64 key)
{
    for (ordo_u32 j = 0; j < c->insides; j++)
        if (!ordo_claim_holds(&mark[c->inside[j]], key))
            return false;
    for (ordo_u32 j = 0; j < c->edges; j++)
        if (c->ring[j].outside != MESH_NONE && !ordo_claim_holds(&mark[c->ring[j].outside], key))
            return false;
    return true;
}

/* A winner adds its point, and replaces its cavity. fresh: the first of cavity_growth() new triangles. */
ORDO_FN void cavity_replace(const cavity *c, const mesh_arrays *a, ordo_u32 point, ordo_u32 fresh, ordo_u32 superstep)
{
    a->point[point] = c->at;
    a->on[point] = c->segment;
    for (ordo_u32 j = 0; j < cavity_growth(c); j++)
        a->mark[fresh + j] = ORDO_UNCLAIMED;
    cavity_fill(c, a->triangle, point, fresh, superstep);
}

/* Whether a cavity has triangle t. Where a segment was split, the item's triangle may be there still. */
ORDO_FN bool cavity_has(const cavity *c, ordo_u32 t)
{
    for (ordo_u32 j = 0; j < c->insides; j++)
        if (c->inside[j] == t)
            return true;
    return false;
}

#endif
