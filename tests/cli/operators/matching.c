/* matching.c -- a maximal matching: no two of its edges share a vertex, and no edge can be added.
 *
 *   MATCH(u, v)   where both are free
 *
 * A free vertex asks for itself and its first free neighbour. The critical section owns both, and looks again: where
 * only the neighbour was taken meanwhile, the vertex is processed once more. Expects a symmetric graph.
 */
#include <ordo/graph.h>
#include <ordo/operator/operator.h>

#define MATCHING_FREE 0xffffffffu

typedef struct matching_state {
    const ordo_eid *row;  /* [n + 1] the graph's */
    const ordo_vid *head; /* [m * stride] the graph's */
    ordo_u32 *mate;       /* [n] */
    ordo_u64 m;
    ordo_vid n;
    ordo_u32 stride;
} matching_state;

ORDO_FN ordo_u32 matching_prepare(const matching_state *s, ordo_item u, ordo_request *out)
{
    ordo_eid e;
    if (ordo_load_u32(&s->mate[u]) != MATCHING_FREE)
        return 0;
    for (e = s->row[u]; e < s->row[u + 1]; e++) {
        const ordo_vid v = s->head[e * s->stride];
        if (v != u && ordo_load_u32(&s->mate[v]) == MATCHING_FREE) {
            out[0] = ordo_request_two(u, v, 0, 0);
            return 1;
        }
    }
    return 0;
}

ORDO_FN ordo_u32 matching_commit(const matching_state *s, const ordo_request *r, ordo_activation *out)
{
    const ordo_vid u = r->target[0], v = r->target[1];
    if (ordo_load_u32(&s->mate[u]) != MATCHING_FREE)
        return 0;
    if (ordo_load_u32(&s->mate[v]) != MATCHING_FREE) {
        out[0].item = u;
        out[0].priority = 0;
        return 1;
    }
    ordo_store_u32(&s->mate[u], v);
    ordo_store_u32(&s->mate[v], u);
    return 0;
}

/* The rest is for the command alone. */
static void matching_fill(matching_state *s, const ordo_csr *graph, ordo_vid source)
{
    ordo_vid v;
    (void)source;
    s->row = graph->row;
    s->head = graph->head;
    s->m = graph->m;
    s->n = graph->n;
    s->stride = graph->stride;
    for (v = 0; v < graph->n; v++)
        s->mate[v] = MATCHING_FREE;
}

static ordo_vid matching_check(const matching_state *s, const ordo_csr *graph)
{
    ordo_vid u;
    ordo_eid e;
    for (u = 0; u < graph->n; u++) {
        if (s->mate[u] != MATCHING_FREE && (s->mate[u] >= graph->n || s->mate[s->mate[u]] != u))
            return u;
        for (e = graph->row[u]; e < graph->row[u + 1]; e++) {
            const ordo_vid v = graph->head[e * graph->stride];
            if (v != u && s->mate[u] == MATCHING_FREE && s->mate[v] == MATCHING_FREE)
                return u;
        }
    }
    return ORDO_NO_VERTEX;
}

#define ORDO_CRITICAL matching
#define ORDO_CRITICAL_SUMMARY "a maximal matching"
#define ORDO_CRITICAL_STATE matching_state
#define ORDO_CRITICAL_ARRAYS(X)                                                                                        \
    X(row, RUN, s->n + 1, READ)                                                                                        \
    X(head, RUN, s->m * s->stride, READ)                                                                               \
    X(mate, TARGET, 1, WRITE)
#define ORDO_CRITICAL_PREPARE matching_prepare
#define ORDO_CRITICAL_COMMIT matching_commit
#define ORDO_CRITICAL_REQUESTS 1
#define ORDO_CRITICAL_ACTIVATIONS 1
#define ORDO_CRITICAL_PROPERTIES ORDO_IDEMPOTENT
#define ORDO_CRITICAL_FILL matching_fill
#define ORDO_CRITICAL_RESULT mate
#define ORDO_CRITICAL_CHECK matching_check
#include <ordo/operator/critical.h>
