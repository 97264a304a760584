/* mesh_passes.h -- the parts of a superstep of mesh refinement in a session: each a pass over slots, items, triangles
 * or points. apps/mesh/refine_session.c starts them, in the order in which they stand here.
 *
 * What an item does is in apps/mesh/item.h, and is that of the CPU (refine.c).
 *
 * Protocol (claim.h). Passes follow one another, and the end of each is a barrier. Invariants:
 *   mesh_look    reads the mesh, which no one changes, and marks by atomic minima. A slot writes its own cavity alone
 *   mesh_check   reads marks, which no one changes
 *   mesh_apply   a winner changes the triangles of its cavity, the side of those around it that leads there, and new
 *                triangles and a point of its own. Marks say that no other winner has any of these; and a winner reads
 * no other triangle. It reads points and what they are on: of corners of its own triangles, which are old or its own
 * What is numbered is numbered by prefix sums, not by atomics: so numbers of points and triangles, and the order of
 * the next list, are those of the CPU, and so is the mesh. The one counter (places) decides where a cavity is kept.
 */
#include <ordo/operator/pass.h>

#include "apps/mesh/item.h"

#ifndef ORDO_MESH_PASSES_H
#define ORDO_MESH_PASSES_H

enum { MESH_CHUNK = 64 /* numbers that one item of a prefix sum adds up */ };

/* A slot: an item that is looked at in this superstep. */
typedef enum mesh_slot_state {
    MESH_OUT,    /* it was replaced, or cannot be refined */
    MESH_WAITS,  /* its cavity was larger than its place */
    MESH_CLAIMS, /* it has found its cavity, and marked it */
    MESH_WON
} mesh_slot_state;

typedef struct mesh_slot {
    cavity found;
    mesh_slot_state state;
    ordo_u32 bad;   /* triangles of the fan that are items now: they are in found.stack */
    ordo_u32 again; /* 1: it is an item of the next superstep, too */
} mesh_slot;

/* Where cavities are kept: `capacity` elements for each place. */
typedef struct mesh_places {
    ordo_u32 *next; /* NULL: a slot's place is its number; else a counter of places that are taken */
    ordo_u32 *inside, *stack;
    ring_edge *ring;
    ordo_u32 capacity;
} mesh_places;

/* The state of all passes but those of prefix sums. Arrays are of the session. */
typedef struct mesh_stage {
    mesh_view view;
    mesh_arrays own; /* those of the view */
    ordo_u64 points, triangles;
    mesh_item *item; /* [items] */
    mesh_item *next; /* items of the next superstep */
    ordo_u64 items;
    ordo_u32 superstep;
    mesh_slot *slot; /* [slots] */
    ordo_u64 *won;   /* [slots] points that slots add, and beyond bit 32 triangles; then those of slots before */
    ordo_u64 *place; /* [items + slots] entries of the next list, then where they begin: of items whose turn it was not,
                        which come first; then of slots. Of the first list: [triangles + 1] */
    mesh_places places;
    mesh_arrays larger; /* of mesh_move_points and mesh_move_triangles */
} mesh_stage;

/* ---- the first list ---- */

/* For the larger of the numbers of points and triangles. */
ORDO_FN ordo_u64 mesh_begin_visit(const mesh_stage *s, ordo_item i, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    if (i < s->points)
        s->own.on[i] = ORDO_NO_SEGMENT;
    if (i < s->triangles)
        s->own.mark[i] = ORDO_UNCLAIMED;
    return 0;
}

/* For the triangles and one more. */
ORDO_FN ordo_u64 mesh_first_visit(const mesh_stage *s, ordo_item t, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->place[t] = t < s->triangles && mesh_is_bad(&s->view, t);
    return 0;
}

ORDO_FN ordo_u64 mesh_list_visit(const mesh_stage *s, ordo_item t, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    if (s->place[t + 1] != s->place[t]) {
        s->next[s->place[t]].triangle = t;
        s->next[s->place[t]].born = s->own.triangle[t].born;
    }
    return 0;
}

/* ---- a superstep ---- */

/* Finds the cavity of a slot's item, and claims it. Slots that need a larger place are selected. Returns 1 for each
 * that claims. */
#define MESH_NEEDS_MORE ((ordo_u64)1 << 32)
ORDO_FN ordo_u64 mesh_look_visit(const mesh_stage *s, ordo_item at, const ordo_rows *out, const ordo_rows *in)
{
    const ordo_u64 i = item_of_slot(at, s->items, s->superstep);
    const mesh_item of = s->item[i];
    const mesh_triangle *t = &s->view.triangle[of.triangle];
    mesh_slot *slot = &s->slot[at];
    (void)out;
    (void)in;
    slot->state = MESH_OUT;
    if (t->born != of.born)
        return ORDO_NO_VALUE;
    const ordo_u64 first = (ordo_u64)(s->places.next ? ordo_add_u32(s->places.next, 1) : at) * s->places.capacity;
    cavity *c = &slot->found;
    c->capacity = s->places.capacity;
    c->inside = s->places.inside + first;
    c->stack = s->places.stack + first;
    c->ring = s->places.ring + first;
    int side;
    const mesh_state state = mesh_judge(&s->view, t, &side);
    const cavity_result found = cavity_of_item(c, &s->view, of.triangle, state, side);
    if (found == CAVITY_STUCK)
        return ORDO_NO_VALUE;
    slot->state = found == CAVITY_FULL ? MESH_WAITS : MESH_CLAIMS;
    if (found == CAVITY_FULL)
        return MESH_NEEDS_MORE;
    cavity_claim(c, s->own.mark, item_key(i, s->superstep));
    return 1;
}

ORDO_FN int mesh_look_select(const mesh_stage *s, ordo_u64 value)
{
    (void)s;
    return value == MESH_NEEDS_MORE;
}

ORDO_FN ordo_u64 mesh_check_visit(const mesh_stage *s, ordo_item at, const ordo_rows *out, const ordo_rows *in)
{
    mesh_slot *slot = &s->slot[at];
    const ordo_u64 key = item_key(item_of_slot(at, s->items, s->superstep), s->superstep);
    (void)out;
    (void)in;
    if (slot->state == MESH_CLAIMS && cavity_is_held(&slot->found, s->own.mark, key))
        slot->state = MESH_WON;
    s->won[at] = slot->state == MESH_WON ? (ordo_u64)cavity_growth(&slot->found) << 32 | 1 : 0;
    return 0;
}

/* Of an item: whether it stays because it was not its turn. */
ORDO_FN ordo_u64 mesh_wait_visit(const mesh_stage *s, ordo_item i, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->place[i] =
        !item_has_turn(i, s->items, s->superstep) && s->own.triangle[s->item[i].triangle].born == s->item[i].born;
    return 0;
}

/* Winners replace their cavities. */
ORDO_FN ordo_u64 mesh_apply_visit(const mesh_stage *s, ordo_item at, const ordo_rows *out, const ordo_rows *in)
{
    mesh_slot *slot = &s->slot[at];
    const cavity *c = &slot->found;
    (void)out;
    (void)in;
    slot->bad = 0;
    slot->again = slot->state != MESH_OUT;
    if (slot->state == MESH_WON) {
        const ordo_u32 point = (ordo_u32)(s->points + (ordo_u32)s->won[at]);
        const ordo_u32 fresh = (ordo_u32)(s->triangles + (s->won[at] >> 32));
        cavity_replace(c, &s->own, point, fresh, s->superstep);
        for (ordo_u32 j = 0; j < c->edges; j++)
            if (mesh_is_bad(&s->view, fan_triangle(c, j, fresh)))
                c->stack[slot->bad++] = fan_triangle(c, j, fresh);
        slot->again = !cavity_has(c, s->item[item_of_slot(at, s->items, s->superstep)].triangle);
    }
    s->place[s->items + at] = slot->bad + slot->again;
    return 0;
}

/* ---- the next list ---- */

ORDO_FN ordo_u64 mesh_keep_visit(const mesh_stage *s, ordo_item i, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    if (s->place[i + 1] != s->place[i]) /* behind the last item is the first slot */
        s->next[s->place[i]] = s->item[i];
    return 0;
}

ORDO_FN ordo_u64 mesh_put_visit(const mesh_stage *s, ordo_item at, const ordo_rows *out, const ordo_rows *in)
{
    const mesh_slot *slot = &s->slot[at];
    mesh_item *next = s->next + s->place[s->items + at];
    (void)out;
    (void)in;
    for (ordo_u32 k = 0; k < slot->bad; k++, next++) {
        next->triangle = slot->found.stack[k];
        next->born = s->superstep;
    }
    if (slot->again)
        *next = s->item[item_of_slot(at, s->items, s->superstep)];
    return 0;
}

/* ---- growth ---- */

ORDO_FN ordo_u64 mesh_move_points_visit(const mesh_stage *s, ordo_item i, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->larger.point[i] = s->own.point[i];
    s->larger.on[i] = s->own.on[i];
    return 0;
}

ORDO_FN ordo_u64 mesh_move_triangles_visit(const mesh_stage *s, ordo_item i, const ordo_rows *out, const ordo_rows *in)
{
    (void)out;
    (void)in;
    s->larger.triangle[i] = s->own.triangle[i];
    s->larger.mark[i] = s->own.mark[i];
    return 0;
}

/* ---- the end ---- */

/* Triangles that are kept, and beyond bit 32 those that are stuck. */
ORDO_FN ordo_u64 mesh_left_visit(const mesh_stage *s, ordo_item t, const ordo_rows *out, const ordo_rows *in)
{
    int side;
    const mesh_state state = mesh_judge(&s->view, &s->view.triangle[t], &side);
    (void)out;
    (void)in;
    return state == MESH_GOOD ? ORDO_NO_VALUE : state == MESH_KEPT ? 1 : (ordo_u64)1 << 32;
}

/* The bits of the square of a cosine: numbers from 0 to 1 are in the order of their bits. */
ORDO_FN ordo_u64 mesh_sharpest_visit(const mesh_stage *s, ordo_item t, const ordo_rows *out, const ordo_rows *in)
{
    union {
        double real;
        ordo_u64 bits;
    } cos2;
    (void)out;
    (void)in;
    cos2.real = sharpest_cos2(&s->view, &s->view.triangle[t]);
    return cos2.bits;
}

/* ---- prefix sums ---- */

/* A level of a prefix sum: numbers, and the sums of MESH_CHUNK each. */
typedef struct mesh_level {
    ordo_u64 *number; /* [count] */
    ordo_u64 *sum;    /* NULL: all are one chunk */
    ordo_u64 count;
} mesh_level;

ORDO_FN ordo_u64 mesh_sum_visit(const mesh_level *s, ordo_item chunk, const ordo_rows *out, const ordo_rows *in)
{
    const ordo_u64 begin = (ordo_u64)chunk * MESH_CHUNK;
    const ordo_u64 end = s->count - begin < MESH_CHUNK ? s->count : begin + MESH_CHUNK;
    ordo_u64 sum = 0;
    (void)out;
    (void)in;
    for (ordo_u64 i = begin; i < end; i++)
        sum += s->number[i];
    s->sum[chunk] = sum;
    return 0;
}

/* Each number becomes the sum of those before. Returns the sum of all. */
ORDO_FN ordo_u64 mesh_spread_visit(const mesh_level *s, ordo_item chunk, const ordo_rows *out, const ordo_rows *in)
{
    const ordo_u64 begin = (ordo_u64)chunk * MESH_CHUNK;
    const ordo_u64 end = s->count - begin < MESH_CHUNK ? s->count : begin + MESH_CHUNK;
    ordo_u64 sum = s->sum ? s->sum[chunk] : 0;
    (void)out;
    (void)in;
    for (ordo_u64 i = begin; i < end; i++) {
        const ordo_u64 number = s->number[i];
        s->number[i] = sum;
        sum += number;
    }
    return sum;
}

#endif

#define ORDO_PASS mesh_begin
#define ORDO_PASS_STATE mesh_stage
#define ORDO_PASS_EACH mesh_begin_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS mesh_first
#define ORDO_PASS_STATE mesh_stage
#define ORDO_PASS_EACH mesh_first_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS mesh_list
#define ORDO_PASS_STATE mesh_stage
#define ORDO_PASS_EACH mesh_list_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS mesh_look
#define ORDO_PASS_STATE mesh_stage
#define ORDO_PASS_EACH mesh_look_visit
#define ORDO_PASS_SELECT mesh_look_select
#include <ordo/operator/pass.h>

#define ORDO_PASS mesh_check
#define ORDO_PASS_STATE mesh_stage
#define ORDO_PASS_EACH mesh_check_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS mesh_wait
#define ORDO_PASS_STATE mesh_stage
#define ORDO_PASS_EACH mesh_wait_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS mesh_apply
#define ORDO_PASS_STATE mesh_stage
#define ORDO_PASS_EACH mesh_apply_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS mesh_keep
#define ORDO_PASS_STATE mesh_stage
#define ORDO_PASS_EACH mesh_keep_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS mesh_put
#define ORDO_PASS_STATE mesh_stage
#define ORDO_PASS_EACH mesh_put_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS mesh_move_points
#define ORDO_PASS_STATE mesh_stage
#define ORDO_PASS_EACH mesh_move_points_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS mesh_move_triangles
#define ORDO_PASS_STATE mesh_stage
#define ORDO_PASS_EACH mesh_move_triangles_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS mesh_left
#define ORDO_PASS_STATE mesh_stage
#define ORDO_PASS_EACH mesh_left_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS mesh_sharpest
#define ORDO_PASS_STATE mesh_stage
#define ORDO_PASS_EACH mesh_sharpest_visit
#define ORDO_PASS_FOLD ORDO_MAX
#include <ordo/operator/pass.h>

#define ORDO_PASS mesh_sum
#define ORDO_PASS_STATE mesh_level
#define ORDO_PASS_EACH mesh_sum_visit
#include <ordo/operator/pass.h>

#define ORDO_PASS mesh_spread
#define ORDO_PASS_STATE mesh_level
#define ORDO_PASS_EACH mesh_spread_visit
#define ORDO_PASS_FOLD ORDO_MAX
#include <ordo/operator/pass.h>
