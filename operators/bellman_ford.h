/* bellman_ford.h -- single-source shortest paths over weights that may be negative.
 *
 *   RELAX(u, v):  d(v) = min(d(v), d(u) + w(u, v))         [Bellman 1958; Ford 1956; CLRS section 24.1]
 *
 * Cells are tentative distances, worst at the start, 0 at the source, which is the only item at first. A template over
 * the type of weights and distances, ORDO_WEIGHT: i32, f32, i64 or f64 (without negative weights operators/sssp.h does
 * the same).
 *
 * Sums that leave the type become its least or its largest value. Both absorb: whatever is added to them changes
 * nothing. The largest one proposes nothing, so that a vertex stays unreached; the least one stays in its cell. So a
 * run never holds a wrong distance, only one of these two values, and the app looks for them (apps/bellman_ford.c).
 *
 * An item is a vertex, which relaxes all of its out-edges, or an edge, which is relaxed by itself: both forms of the
 * algorithm are in the literature, the second as rounds over all edges (CLRS) and with a queue of edges.
 *
 * A run ends unless the source reaches a cycle of negative weight; then cells go down until they hold the least value.
 * The app stops it long before. Every order of work that processes an improved item again leads to the same distances;
 * an order by distances, as for sssp, may process items more often than Bellman and Ford's does, for a vertex can
 * improve after it was the nearest one.
 */
#include <ordo/operator/operator.h>

#ifndef ORDO_WEIGHT
#error "bellman_ford.h is a template: define ORDO_WEIGHT as i32, f32, i64 or f64"
#endif

ORDO_FN ORDO_TYPE_OF(ORDO_WEIGHT)
    ORDO_INSTANCE(bellman_ford_candidate)(const ordo_no_state *s, ORDO_TYPE_OF(ORDO_WEIGHT) du,
                                          ORDO_EDGE_OF(ORDO_WEIGHT) e)
{
    (void)s;
    return ORDO_JOIN(ordo_add_ends_, ORDO_WEIGHT)(du, e.weight);
}

#define ORDO_RELAX ORDO_INSTANCE(bellman_ford)
#define ORDO_RELAX_SUMMARY "single-source shortest paths, weights of either sign"
#define ORDO_RELAX_CELL ORDO_WEIGHT
#define ORDO_RELAX_WEIGHT ORDO_WEIGHT
#define ORDO_RELAX_ORDER ORDO_MIN
#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)
#define ORDO_RELAX_CANDIDATE ORDO_INSTANCE(bellman_ford_candidate)
#define ORDO_RELAX_ITEMS (ORDO_ITEMS_VERTICES | ORDO_ITEMS_EDGES)
#include <ordo/operator/relax.h>
