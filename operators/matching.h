/* matching.h -- a maximal matching: edges that share no end, to which none can be added.
 *
 *   MATCH(u, v):  own u and v;  if neither has an edge: edge(u) = edge(v) = (u, v)
 *
 * Items are edges, targets are vertices. An edge asks once, and again only where it was overtaken and both its ends are
 * still free; so it may be processed any number of times. Loops are never taken. Which matching is found depends on the
 * order of work: it has at least half the edges of a largest one.
 *
 * Not done: augmenting paths.
 */
#include <ordo/operator/operator.h>

#define MATCHING_NONE 0xffffffffu

typedef struct matching_state {
    ordo_edges edges; /* the graph's, with tails */
    ordo_u32 *edge;   /* [n] of a vertex: the edge that it is matched by, MATCHING_NONE at the start */
} matching_state;

ORDO_FN ordo_u32 matching_propose(const matching_state *s, ordo_edge_none e, ordo_request *out)
{
    out[0] = ordo_request_two(e.tail, e.head, 0, 0);
    return e.tail != e.head && ordo_load_u32(&s->edge[e.tail]) == MATCHING_NONE &&
           ordo_load_u32(&s->edge[e.head]) == MATCHING_NONE;
}

ORDO_FN ordo_u32 matching_commit(const matching_state *s, const ordo_request *r, ordo_activation *out)
{
    ordo_u32 *a = &s->edge[r->target[0]], *b = &s->edge[r->target[1]];
    (void)out;
    if (ordo_load_u32(a) == MATCHING_NONE && ordo_load_u32(b) == MATCHING_NONE) {
        ordo_store_u32(a, r->item);
        ordo_store_u32(b, r->item);
    }
    return 0;
}

#define ORDO_CRITICAL matching
#define ORDO_CRITICAL_SUMMARY "maximal matching by edges (two targets)"
#define ORDO_CRITICAL_STATE matching_state
#define ORDO_CRITICAL_ITEMS ORDO_ITEMS_EDGES
#define ORDO_CRITICAL_EDGES edges
#define ORDO_CRITICAL_EDGE matching_propose
#define ORDO_CRITICAL_COMMIT matching_commit
#define ORDO_CRITICAL_REQUESTS 1
#define ORDO_CRITICAL_ACTIVATIONS 0
#define ORDO_CRITICAL_PROPERTIES ORDO_IDEMPOTENT
#define ORDO_CRITICAL_WORDS 0
#define ORDO_CRITICAL_ARRAYS(X) X(edge, TARGET, 1, WRITE)
#include <ordo/operator/critical.h>
