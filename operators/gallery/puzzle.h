/* puzzle.h -- shortest solutions of a sliding puzzle: a graph that is not there before the run makes it.
 *
 *   d(t) = min(d(t), d(s) + 1)  for every move from position s to position t      [breadth-first search, Moore 1959]
 *
 * The board has `wide` columns and `high` rows, at most 16 squares, and one of them is empty. A move slides a neighbour
 * into it. A position is an item, and its key has four bits for each square. Vertex 0 of the graph is the solved one,
 * d = 0, the only initial item; the graph has no edges and no other vertex. When a position is processed for the first
 * time it finds the positions that a move leads to, by their keys, and adds an edge to each. So at the end there is an
 * item for every position that can be solved, and its cell is the number of moves that this takes.
 *
 * A board of 3 by 3 has 181 440 such positions, and the hardest takes 31 moves (Reinefeld 1993).
 */
#include <ordo/operator/grow.h>

typedef struct puzzle_state {
    ordo_u32 wide, high;
} puzzle_state;

ORDO_FN ordo_u32 puzzle_candidate(const puzzle_state *s, ordo_u32 moves, ordo_edge_none e)
{
    (void)s;
    (void)e;
    return ordo_add_sat_u32(moves, 1);
}

/* Vertex 0: square i holds i, and 0 is the empty one. */
ORDO_FN ordo_u64 puzzle_key(const puzzle_state *s, ordo_item v)
{
    ordo_u64 key = 0;
    for (ordo_u32 i = 0; i < s->wide * s->high; i++)
        key |= (ordo_u64)i << 4 * i;
    return key + v; /* other vertices are not asked for */
}

/* The position after the tile of square `from` has moved to the empty square. */
ORDO_FN ordo_u64 puzzle_move(ordo_u64 key, ordo_u32 empty, ordo_u32 from)
{
    const ordo_u64 tile = key >> 4 * from & 15;
    return (key & ~((ordo_u64)15 << 4 * from)) | tile << 4 * empty;
}

ORDO_FN void puzzle_grow(const puzzle_state *s, ordo_item item, ordo_u32 moves, ordo_growing *g)
{
    (void)moves;
    if (!ordo_first_visit(g))
        return;
    const ordo_u64 key = ordo_key_of(g, item);
    ordo_u32 empty = 0;
    while (key >> 4 * empty & 15)
        empty++;
    if (empty % s->wide > 0)
        ordo_add_edge_none(g, item, ordo_item_of(g, puzzle_move(key, empty, empty - 1)));
    if (empty % s->wide < s->wide - 1)
        ordo_add_edge_none(g, item, ordo_item_of(g, puzzle_move(key, empty, empty + 1)));
    if (empty >= s->wide)
        ordo_add_edge_none(g, item, ordo_item_of(g, puzzle_move(key, empty, empty - s->wide)));
    if (empty < s->wide * (s->high - 1))
        ordo_add_edge_none(g, item, ordo_item_of(g, puzzle_move(key, empty, empty + s->wide)));
}

/* For `ordo run`. */
ORDO_FN ordo_u32 puzzle_source(const puzzle_state *s)
{
    (void)s;
    return 0;
}

#define ORDO_RELAX puzzle
#define ORDO_RELAX_SUMMARY "shortest solutions of a sliding puzzle, whose positions are found on the way"
#define ORDO_RELAX_STATE puzzle_state
#define ORDO_RELAX_ARRAYS(X)
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT none
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE puzzle_candidate
#define ORDO_RELAX_GROW puzzle_grow
#define ORDO_RELAX_KEY puzzle_key
#define ORDO_RELAX_SOURCE puzzle_source
#define ORDO_RELAX_SETTINGS(X)                                                                                         \
    X(wide, u32, 3, "columns of the board")                                                                            \
    X(high, u32, 3, "rows of the board")
#include <ordo/operator/relax.h>
