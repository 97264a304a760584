/* lightest.c -- the lightest edge out of every group of vertices: targets of the operator's own, as in a round of
 * Boruvka's algorithm [Boruvka 1926]. Vertex v is of group v / size. */
#include <ordo/operator/operator.h>

typedef struct lightest_state {
    ordo_u32 size; /* of a group */
} lightest_state;

ORDO_FN ordo_u32 lightest_group(const lightest_state *s, ordo_u32 v)
{
    return s->size ? v / s->size : v;
}

ORDO_FN ordo_u32 lightest_target(const lightest_state *s, ordo_edge_u32 e)
{
    return lightest_group(s, e.tail);
}

ORDO_FN ordo_u64 lightest_candidate(const lightest_state *s, ordo_u64 unread, ordo_edge_u32 e)
{
    (void)unread;
    if (lightest_group(s, e.tail) == lightest_group(s, e.head))
        return ordo_highest_u64();
    return (ordo_u64)e.weight << 32 | e.head;
}

#define ORDO_RELAX lightest
#define ORDO_RELAX_SUMMARY "the lightest edge out of every group"
#define ORDO_RELAX_STATE lightest_state
#define ORDO_RELAX_ARRAYS(X)
#define ORDO_RELAX_SETTINGS(X) X(size, u32, 4, "vertices of a group")
#define ORDO_RELAX_CELL u64
#define ORDO_RELAX_WEIGHT u32
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE lightest_candidate
#define ORDO_RELAX_TARGET lightest_target
#include <ordo/operator/relax.h>
