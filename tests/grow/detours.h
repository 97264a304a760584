/* detours.h -- an operator of the tests that adds edges with weights between any items, and items without keys.
 *
 *   d(v) = min(d(v), d(u) + w)  for every edge (u, v)
 *   the first time that a vertex u of the graph is processed, by u mod 4:
 *     0   adds an item x, edges u -> x -> far(u)
 *     1   adds an edge left(u) -> right(u), whose tail is another vertex, which may be processed meanwhile
 *     2   both, and x -> x
 *     3   adds nothing
 *
 * So what is added depends on nothing but which vertices are reached, and the answer is that of one graph.
 */
#include <ordo/operator/grow.h>

typedef struct detours_state {
    ordo_u32 n; /* vertices of the graph */
} detours_state;

ORDO_FN ordo_u32 detours_mix(ordo_u32 u, ordo_u32 salt)
{
    return ((u + salt) * 2654435761u) >> 8;
}
ORDO_FN ordo_u32 detours_left(ordo_u32 n, ordo_u32 u)
{
    return detours_mix(u, 1) % n;
}
ORDO_FN ordo_u32 detours_right(ordo_u32 n, ordo_u32 u)
{
    return detours_mix(u, 2) % n;
}
ORDO_FN ordo_u32 detours_far(ordo_u32 n, ordo_u32 u)
{
    return detours_mix(u, 3) % n;
}
ORDO_FN ordo_u32 detours_weight(ordo_u32 u, ordo_u32 which)
{
    return detours_mix(u, 4 + which) % 50;
}

ORDO_FN ordo_u32 detours_candidate(const detours_state *s, ordo_u32 d, ordo_edge_u32 e)
{
    (void)s;
    return ordo_add_sat_u32(d, e.weight);
}

ORDO_FN void detours_grow(const detours_state *s, ordo_item u, ordo_u32 d, ordo_growing *g)
{
    (void)d;
    if (u >= s->n || !ordo_first_visit(g))
        return;
    if (u % 4 == 0 || u % 4 == 2) {
        const ordo_item x = ordo_add_item(g);
        ordo_add_edge_u32(g, u, x, detours_weight(u, 0));
        ordo_add_edge_u32(g, x, detours_far(s->n, u), detours_weight(u, 1));
        if (u % 4 == 2)
            ordo_add_edge_u32(g, x, x, 0);
    }
    if (u % 4 == 1 || u % 4 == 2)
        ordo_add_edge_u32(g, detours_left(s->n, u), detours_right(s->n, u), detours_weight(u, 2));
}

#define ORDO_RELAX detours
#define ORDO_RELAX_SUMMARY "shortest paths over edges that are added"
#define ORDO_RELAX_STATE detours_state
#define ORDO_RELAX_ARRAYS(X)
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT u32
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE detours_candidate
#define ORDO_RELAX_GROW detours_grow
#include <ordo/operator/relax.h>
