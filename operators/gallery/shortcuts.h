/* shortcuts.h -- connected components by labels that jump: a graph that changes.
 *
 *   l(v) = min(l(v), l(u))  for every edge (u, v)              [Stergiou, Rughwani and Tsioutsiouliklis 2018]
 *   when l(v) has become w: add the edges (w, v) and (v, w)
 *
 * Labels are vertices: l(v) = v at first, and every vertex is an initial item. Without new edges a label moves one edge
 * in a superstep, so a path of n vertices takes n of them. A label w of v is a vertex of the same component, nearer to
 * the end than v; so an edge between the two says nothing new about components, and what reaches w reaches v in one
 * step. The distance that labels have come doubles, and supersteps are about the logarithm of the longest path.
 *
 * The graph is symmetric. An edge is added once for each pair, at most two for each label that a vertex has had.
 */
#include <ordo/operator/grow.h>

ORDO_FN ordo_u32 shortcuts_candidate(const ordo_no_state *s, ordo_u32 label, ordo_edge_none e)
{
    (void)s;
    (void)e;
    return label;
}

ORDO_FN void shortcuts_grow(const ordo_no_state *s, ordo_item v, ordo_u32 label, ordo_growing *g)
{
    (void)s;
    if (label == v || !ordo_is_new_pair(g, label, v))
        return;
    ordo_add_edge_none(g, label, v);
    ordo_add_edge_none(g, v, label);
}

/* For `ordo run`: a vertex begins with its own number. */
ORDO_FN ordo_u32 shortcuts_begin(const ordo_no_state *s, ordo_item v)
{
    (void)s;
    return v;
}

#define ORDO_RELAX shortcuts
#define ORDO_RELAX_SUMMARY "connected components, by labels that jump along edges that they add"
#define ORDO_RELAX_CELL u32
#define ORDO_RELAX_WEIGHT none
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES                                                                                          \
    (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND | ORDO_BOTH_DIRECTIONS)
#define ORDO_RELAX_CANDIDATE shortcuts_candidate
#define ORDO_RELAX_GROW shortcuts_grow
#define ORDO_RELAX_BEGIN shortcuts_begin
#include <ordo/operator/relax.h>
