/* discharge.h -- push-relabel maximum flow: an active vertex is discharged, one step at a time.
 *
 *   DISCHARGE(u): e(u) > 0.   for residual edges (u, v), from the current one on:
 *     h(u) = h(v) + 1:  PUSH(u, v)  min(e(u), c_f(u, v))
 *     none is left:     RELABEL(u)  h(u) = 1 + min h(v)                  [Goldberg and Tarjan 1988; Hong and He 2011]
 *
 * Prepare requests as many pushes as the excess allows, and a relabel where it reaches the end of the row. A push owns
 * both ends; a relabel owns u alone. That is enough, because heights only rise: an outdated height of v is too low, so
 * the new label is too low, and the labelling is still valid; and no residual edge (u, v) can appear meanwhile, since
 * that takes a push into u (Anderson and Setubal 1995). The current edge is a hint: a relabel scans the whole row, and
 * where it finds an edge that a push can use, that edge becomes the current one.
 *
 * Higher vertices come first where the scheduler has an order (Cherkassky and Goldberg, Algorithmica 19, 1997). A run
 * ends when no vertex is active, or soon after `budget` is used up: prepare then makes no request, and the app relabels
 * globally and runs the operator again. Critical sections also count the vertices at each height, and keep the lowest
 * height at which none was left (a gap). Vertices above a gap cannot reach the sink; they are skipped for the rest of
 * the run. Vertices that are lifted there later are skipped as well, although they might reach it; and the counters are
 * relaxed, so that a gap may be seen where there is none. Hence the result is final only after a run whose global
 * relabel finds no active vertex.
 *
 * discharge_apart.h has the same steps in halves, which own one end of an edge at a time.
 *
 * Not done: the global relabel itself (operators/relabel.h).
 */
#include <ordo/operator/operator.h>

#ifndef ORDO_DISCHARGE_STATE
#define ORDO_DISCHARGE_STATE

/* A residual edge; its residual and that of its reverse have a constant sum. */
typedef struct discharge_edge {
    ordo_vid head;
    ordo_u32 reverse; /* index */
    ordo_u64 residual;
} discharge_edge;

/* Words that a run changes besides those of vertices and edges; on a cache line of their own. */
typedef struct discharge_progress {
    ordo_u64 work;  /* of relabels, approximately */
    ordo_u32 limit; /* a vertex at this height or above is skipped */
    ordo_u32 padding[13];
} discharge_progress;

typedef struct discharge_state {
    const ordo_u32 *row;          /* [n + 1] */
    discharge_edge *edge;         /* [row[n]] */
    ordo_u32 *height;             /* [n] */
    ordo_u32 *current;            /* [n] the first edge that may be pushed along */
    ordo_u64 *excess;             /* [n] */
    ordo_u32 *count;              /* [heights] vertices at each height; NULL: gaps are not detected */
    discharge_progress *progress; /* work 0, limit: n, or 2n where excess may also go back to the source */
    ordo_u64 budget;              /* of work */
    ordo_u32 vertices, edges;     /* n and row[n], for back ends with memory of their own */
    ordo_u32 heights;             /* limit at the start + 1; in a session the host cannot read `progress` */
    ordo_vid source, sink;        /* make no requests */
} discharge_state;

/* The arrays of both operators: ORDO_CRITICAL_ARRAYS. */
#define DISCHARGE_ARRAYS(X)                                                                                            \
    X(row, RUN, s->vertices + 1, READ)                                                                                 \
    X(edge, RUN, s->edges, WRITE)                                                                                      \
    X(height, TARGET, 1, WRITE)                                                                                        \
    X(current, TARGET, 1, WRITE)                                                                                       \
    X(excess, TARGET, 1, WRITE) X(count, RUN, s->heights, WRITE) X(progress, RUN, 1, WRITE)

enum {
    DISCHARGE_RELABEL = 12, /* work of a relabel beside its edges (hi_pr's beta) */
    DISCHARGE_SAMPLE = 16   /* one relabel of so many is counted, as so many, since all threads write that counter */
};
#define DISCHARGE_NO_EDGE 0xffffffffu
#define DISCHARGE_REQUESTS 8

ORDO_FN int discharge_active(const discharge_state *s, ordo_vid u)
{
    return ordo_load_u64(&s->excess[u]) > 0 && u != s->source && u != s->sink &&
           ordo_load_u32(&s->height[u]) < ordo_load_u32(&s->progress->limit);
}

ORDO_FN ordo_u32 discharge_priority(const discharge_state *s, ordo_item u)
{
    ordo_u32 limit = ordo_load_u32(&s->progress->limit), height = ordo_load_u32(&s->height[u]);
    return height < limit ? limit - height : 0;
}

/* word[0] is the edge, or DISCHARGE_NO_EDGE for a relabel; word[1] is 1 for the last request of the item, whose
 * critical section activates u again if it is still active. `apart`: any lower vertex will do. */
ORDO_FN ordo_u32 discharge_wanted(const discharge_state *s, ordo_item u, int apart, ordo_request *out)
{
    ordo_u32 requests = 0, height, e, end = s->row[u + 1];
    ordo_u64 excess;
    if (!discharge_active(s, u) || ordo_load_u64(&s->progress->work) >= s->budget)
        return 0;
    excess = ordo_load_u64(&s->excess[u]);
    height = ordo_load_u32(&s->height[u]);
    for (e = ordo_load_u32(&s->current[u]); e < end && excess && requests < DISCHARGE_REQUESTS - 1; e++) {
        ordo_u64 residual = ordo_load_u64(&s->edge[e].residual);
        ordo_vid v = s->edge[e].head;
        ordo_u32 lower = ordo_load_u32(&s->height[v]);
        if (residual == 0 || (apart ? lower >= height : lower + 1 != height))
            continue;
        out[requests++] = ordo_request_two(u, v, e, 0);
        excess -= excess < residual ? excess : residual;
    }
    if (excess && e == end)
        out[requests++] = ordo_request_one(u, DISCHARGE_NO_EDGE, 0);
    if (requests)
        out[requests - 1].word[1] = 1;
    return requests;
}

ORDO_FN ordo_u32 discharge_prepare(const discharge_state *s, ordo_item u, ordo_request *out)
{
    return discharge_wanted(s, u, 0, out);
}

ORDO_FN ordo_u32 discharge_push(const discharge_state *s, const ordo_request *r, ordo_activation *out)
{
    ordo_vid u = r->target[0], v = r->target[1];
    ordo_u32 e = (ordo_u32)r->word[0], activations = 0;
    discharge_edge *edge = &s->edge[e], *reverse = &s->edge[edge->reverse];
    ordo_u64 amount = s->excess[u] < edge->residual ? s->excess[u] : edge->residual;
    if (amount == 0 || s->height[u] != s->height[v] + 1)
        return 0;
    ordo_store_u64(&edge->residual, edge->residual - amount);
    ordo_store_u64(&reverse->residual, reverse->residual + amount);
    ordo_store_u64(&s->excess[u], s->excess[u] - amount);
    ordo_store_u32(&s->current[u], edge->residual ? e : e + 1);
    if (s->excess[v] == 0 && v != s->source && v != s->sink) {
        out[0].item = v;
        out[0].priority = discharge_priority(s, v);
        activations = 1;
    }
    ordo_store_u64(&s->excess[v], s->excess[v] + amount);
    return activations;
}

ORDO_FN void discharge_relabel(const discharge_state *s, ordo_vid u)
{
    ordo_u32 old = s->height[u], lowest = 0xffffffffu, at = s->row[u], limit = ordo_load_u32(&s->progress->limit);
    ordo_u32 height, e;
    for (e = s->row[u]; e < s->row[u + 1]; e++) {
        height = ordo_load_u32(&s->height[s->edge[e].head]); /* read once, for it may rise */
        if (s->edge[e].residual > 0 && height < lowest) {
            lowest = height;
            at = e;
        }
    }
    ordo_store_u32(&s->current[u], at);
    if (lowest < old || old >= limit)
        return;                                   /* a push along some edge is possible; or a gap was found meanwhile */
    height = lowest < limit ? lowest + 1 : limit; /* at the limit u is skipped; a lower label is valid, too */
    if (s->count && height < limit)
        ordo_add_u32(&s->count[height], 1);
    ordo_store_u32(&s->height[u], height);
    if (s->count && ordo_add_u32(&s->count[old], 0xffffffffu) == 1 && old + 1 < limit)
        ordo_store_u32(&s->progress->limit, old + 1); /* no vertex is left at that height */
    if (((u ^ old) & (DISCHARGE_SAMPLE - 1)) == 0)
        ordo_store_u64(&s->progress->work, ordo_load_u64(&s->progress->work) +
                                               DISCHARGE_SAMPLE * (DISCHARGE_RELABEL + s->row[u + 1] - s->row[u]));
}

ORDO_FN ordo_u32 discharge_commit(const discharge_state *s, const ordo_request *r, ordo_activation *out)
{
    ordo_vid u = r->target[0];
    ordo_u32 activations = 0;
    if (r->word[0] == DISCHARGE_NO_EDGE)
        discharge_relabel(s, u);
    else
        activations = discharge_push(s, r, out);
    if (r->word[1] && discharge_active(s, u)) {
        out[activations].item = u;
        out[activations++].priority = discharge_priority(s, u);
    }
    return activations;
}

/* Measured on two cores: narrower buckets take more supersteps, wider ones more work. */
ORDO_FN double discharge_delta(void)
{
    return 16;
}

#endif

#ifndef DISCHARGE_APART
#define ORDO_CRITICAL discharge
#define ORDO_CRITICAL_SUMMARY "push-relabel discharge (maximum flow)"
#define ORDO_CRITICAL_STATE discharge_state
#define ORDO_CRITICAL_PREPARE discharge_prepare
#define ORDO_CRITICAL_COMMIT discharge_commit
#define ORDO_CRITICAL_PRIORITY discharge_priority
#define ORDO_CRITICAL_DELTA discharge_delta
#define ORDO_CRITICAL_REQUESTS DISCHARGE_REQUESTS
#define ORDO_CRITICAL_ACTIVATIONS 2
#define ORDO_CRITICAL_PROPERTIES ORDO_IDEMPOTENT
#define ORDO_CRITICAL_ARRAYS(X) DISCHARGE_ARRAYS(X)
#include <ordo/operator/critical.h>
#endif
