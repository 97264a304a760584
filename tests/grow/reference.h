/* reference.h -- what the tests of graphs that change compare with. Shares nothing with the framework's runs. */
#ifndef ORDO_TESTS_GROW_REFERENCE_H
#define ORDO_TESTS_GROW_REFERENCE_H

#include <stdlib.h>
#include <string.h>

#include <ordo/ordo.h>

#include "operators/gallery/puzzle.h"
#include "tests/grow/detours.h"

extern const ordo_operator shortcuts_operator, puzzle_operator, detours_operator;

/* The least label of every component of a symmetric graph, by loops over all edges. label: [n]. */
static inline void reference_labels(const ordo_csr *g, ordo_u32 *label)
{
    for (ordo_vid v = 0; v < g->n; v++)
        label[v] = v;
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_vid u = 0; u < g->n; u++)
            for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++)
                if (label[u] < label[g->head[e * g->stride]]) {
                    label[g->head[e * g->stride]] = label[u];
                    changed = true;
                }
    }
}

static inline bool reference_relax(ordo_u32 *d, ordo_u32 from, ordo_u32 to, ordo_u32 weight)
{
    if (d[from] == ~0u || d[to] <= d[from] + weight)
        return false;
    d[to] = d[from] + weight;
    return true;
}

/* What `detours` leaves in the vertices of the graph. d: [n], ~0 where not reached. */
static inline void reference_detours(const ordo_csr *g, ordo_vid source, ordo_u32 *d)
{
    for (ordo_vid v = 0; v < g->n; v++)
        d[v] = v == source ? 0 : ~0u;
    for (bool changed = g->n > 0; changed;) {
        changed = false;
        for (ordo_vid u = 0; u < g->n; u++) {
            if (d[u] == ~0u)
                continue;
            for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
                const ordo_u32 weight = g->weight ? *(const ordo_u32 *)ordo_csr_weight_at(g, e) : 1;
                changed |= reference_relax(d, u, g->head[e * g->stride], weight);
            }
            if (u % 2 == 0)
                changed |= reference_relax(d, u, detours_far(g->n, u), detours_weight(u, 0) + detours_weight(u, 1));
            if (u % 4 == 1 || u % 4 == 2)
                changed |= reference_relax(d, detours_left(g->n, u), detours_right(g->n, u), detours_weight(u, 2));
        }
    }
}

/* Positions of a board, squares as bytes; found in order of their moves. */
typedef struct reference_board {
    ordo_u32 count, moves[400];
    ordo_u64 key[400];
} reference_board;

static inline void reference_find(reference_board *b, const ordo_u8 *square, ordo_u32 squares, ordo_u32 moves)
{
    ordo_u64 key = 0;
    for (ordo_u32 i = squares; i-- > 0;)
        key = key * 16 + square[i];
    for (ordo_u32 i = 0; i < b->count; i++)
        if (b->key[i] == key)
            return;
    if (b->count == 400)
        abort();
    b->key[b->count] = key;
    b->moves[b->count++] = moves;
}

/* All positions of a board of at most 6 squares, by a queue. */
static inline void reference_puzzle(ordo_u32 wide, ordo_u32 high, reference_board *b)
{
    ordo_u8 square[16] = {0};
    const ordo_u32 squares = wide * high;
    memset(b, 0, sizeof *b);
    for (ordo_u32 i = 0; i < squares; i++)
        square[i] = (ordo_u8)i;
    reference_find(b, square, squares, 0);
    for (ordo_u32 at = 0; at < b->count; at++)
        for (ordo_u32 from = 0; from < squares; from++) {
            ordo_u32 empty = 0;
            for (ordo_u32 i = 0; i < squares; i++) {
                square[i] = (ordo_u8)(b->key[at] >> 4 * i & 15);
                empty = square[i] ? empty : i;
            }
            const ordo_u32 across =
                from % wide > empty % wide ? from % wide - empty % wide : empty % wide - from % wide;
            const ordo_u32 down = from / wide > empty / wide ? from / wide - empty / wide : empty / wide - from / wide;
            if (across + down != 1)
                continue;
            square[empty] = square[from];
            square[from] = 0;
            reference_find(b, square, squares, b->moves[at] + 1);
        }
}

#endif
