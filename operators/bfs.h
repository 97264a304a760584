/* bfs.h -- breadth-first search: the least number of edges from the source.
 *
 *   level(v) = min(level(v), level(u) + 1)                                             [Moore 1959]
 *
 * In supersteps all candidates of one step are equal, so the first one is final: `bsp` may pull and stop at the first
 * active in-neighbour (Beamer, Asanovic and Patterson 2012), and plain stores are as good as atomics (Nasre et al.
 * 2013, 3.3). Vertices at the limit propose nothing; without a limit it is the largest value that is not the worst.
 *
 * Not done: predecessors, which the app (apps/bfs.c) chooses after the run.
 */
#include <ordo/operator/operator.h>

typedef struct bfs_state {
    ordo_u32 limit; /* the largest level looked for */
} bfs_state;

ORDO_FN ordo_u32 bfs_candidate(const bfs_state *s, ordo_u32 level, ordo_edge_none e)
{
    (void)e;
    return level < s->limit ? level + 1 : ordo_highest_u32();
}

ORDO_FN int bfs_is_final(const bfs_state *s, ordo_item v, ordo_u32 level)
{
    (void)s;
    (void)v;
    return level != ordo_highest_u32();
}

#define ORDO_RELAX bfs
#define ORDO_RELAX_SUMMARY "breadth-first search"
#define ORDO_RELAX_STATE bfs_state
#define ORDO_RELAX_ARRAYS(X)
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT none
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES                                                                                          \
    (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_UNIFORM | ORDO_EDGE_BLIND | ORDO_BY_WEIGHT)
#define ORDO_RELAX_CANDIDATE bfs_candidate
#define ORDO_RELAX_FINAL bfs_is_final
#include <ordo/operator/relax.h>
