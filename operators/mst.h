/* mst.h -- a round of Boruvka's minimum spanning forest: finds the lightest edge that leaves each component.
 *
 *   best(C) = min(best(C), (w(u, v), tie(u, v)))  over edges with one end in C                        [Boruvka 1926]
 *
 * A cell is a component's best edge: the weight in the upper half, mapped so that unsigned order is the order of
 * weights; a tie-breaker in the lower half, by which all components agree on one order of edges. The graph of a run has
 * one of three forms:
 *
 *   rows of vertices   every vertex is a component. The tie-breaker is the head, which is also the component to join.
 *                      Loops propose nothing.
 *   a list of edges    rows are only pieces of the list. Edge i is stored as the arcs 2 i and 2 i + 1, whose heads are
 *                      the components of its two ends; each arc proposes to its own head. The tie-breaker is i.
 *   rows, components   rows of vertices, with the component of each. The tie-breaker is the edge's id, of which the
 *                      arc back has another; so an edge proposes by one arc, to the component of its tail in one run
 *                      and to that of its head in another. Which vertices are items, and in which order, does not
 *                      matter, if those with edges between components are among them.
 *
 * A template over the weight type: ORDO_WEIGHT is u32, i32 or f32.
 *
 * Not done: joining components and renumbering, which the app (apps/mst.c) does between runs.
 */
#include <ordo/operator/operator.h>

#ifndef ORDO_WEIGHT
#error "ORDO_WEIGHT is u32, i32 or f32"
#endif

#ifndef ORDO_MST_ONCE
#define ORDO_MST_ONCE
enum { MST_ROWS, MST_LIST, MST_COMPONENTS }; /* forms, in the order of the comment above */

typedef struct mst_state {
    ordo_u32 form;
    ordo_u32 to_heads;         /* rows, components: 1: proposes to the components of heads; 0: of tails */
    ordo_u32 symmetric;        /* likewise: 1: of an edge's two arcs the one out of the smaller end counts */
    const ordo_u32 *component; /* [items] likewise: of each vertex; NULL in the other forms */
} mst_state;

ORDO_FN ordo_u32 mst_order_u32(ordo_u32 weight)
{
    return weight;
}
ORDO_FN ordo_u32 mst_order_i32(ordo_i32 weight)
{
    return (ordo_u32)weight ^ 0x80000000u;
}
/* Maps a float, not NaN, so that unsigned order is the order of floats: with the sign set, larger words are smaller
 * numbers. 0 and -0 are equal. */
ORDO_FN ordo_u32 mst_order_f32(ordo_f32 weight)
{
    ordo_u32 word;
    weight += 0.0f;
    __builtin_memcpy(&word, &weight, sizeof word);
    return word & 0x80000000u ? ~word : word | 0x80000000u;
}
#endif

ORDO_FN ordo_u64 ORDO_INSTANCE(mst_candidate)(const mst_state *s, ordo_u64 unused, ORDO_EDGE_OF(ORDO_WEIGHT) e)
{
    ordo_u64 weight = ORDO_INSTANCE(mst_order)(e.weight);
    (void)unused;
    if (s->form == MST_ROWS)
        return e.tail == e.head ? ordo_highest_u64() : weight << 32 | e.head;
    if (s->form == MST_LIST)
        return weight << 32 | (ordo_u32)(e.id >> 1);
    const int counts = !s->symmetric || e.tail < e.head;
    return counts && s->component[e.tail] != s->component[e.head] ? weight << 32 | (ordo_u32)e.id : ordo_highest_u64();
}

ORDO_FN ordo_u32 ORDO_INSTANCE(mst_target)(const mst_state *s, ORDO_EDGE_OF(ORDO_WEIGHT) e)
{
    if (s->form == MST_ROWS)
        return e.tail;
    return s->form == MST_LIST ? e.head : s->component[s->to_heads ? e.head : e.tail];
}

#define ORDO_RELAX ORDO_INSTANCE(mst)
#define ORDO_RELAX_SUMMARY "minimum spanning forest: the lightest edge out of every component (Boruvka)"
#define ORDO_RELAX_STATE mst_state
#define ORDO_RELAX_ARRAYS(X) X(component, ITEM, 1)
#define ORDO_RELAX_CELL u64
#define ORDO_RELAX_WEIGHT ORDO_WEIGHT
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE)
#define ORDO_RELAX_CANDIDATE ORDO_INSTANCE(mst_candidate)
#define ORDO_RELAX_TARGET ORDO_INSTANCE(mst_target)
#include <ordo/operator/relax.h>
