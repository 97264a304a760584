/* discharge.h -- push-relabel maximum flow: one step of discharging an active vertex.
 *
 *   DISCHARGE(u): e(u) > 0. Let v be the lowest residual neighbour of u.
 *     h(u) >  h(v):  PUSH(u, v)  min(e(u), c_f(u, v))
 *     h(u) <= h(v):  RELABEL(u)  h(u) = h(v) + 1                       [Goldberg and Tarjan 1988; Hong and He 2011]
 *
 * A push owns both ends; a relabel owns u alone: heights only rise, so a height read late is too low, which makes the
 * new label too low, which is still a valid labelling; and no residual edge (u, v) can appear meanwhile, for that takes
 * a push into u (Anderson and Setubal 1995). The source and the sink ask for
 * nothing.
 */
#include <ordo/operator.h>

typedef struct discharge_state {
    const ordo_eid *row;     /* [n + 1] */
    const ordo_vid *head;    /* [m] */
    const ordo_eid *reverse; /* [m] index of the edge in the other direction */
    ordo_u32 *height;        /* [n] */
    ordo_u64 *excess;        /* [n] */
    ordo_u64 *residual;      /* [m] c_f */
    ordo_u32 n;              /* a vertex at height >= 2n is done */
    ordo_vid source, sink;
} discharge_state;

enum { DISCHARGE_NO_EDGE = 0 };

/* The residual edge out of u whose head is lowest, as id + 1; 0 if there is none. */
ORDO_FN ordo_eid discharge_lowest(const discharge_state *s, ordo_vid u, ordo_u32 *height)
{
    ordo_eid lowest = DISCHARGE_NO_EDGE;
    *height = 2 * s->n;
    for (ordo_eid e = s->row[u]; e < s->row[u + 1]; e++)
        if (ordo_load_u64(&s->residual[e]) > 0 && ordo_load_u32(&s->height[s->head[e]]) < *height) {
            *height = ordo_load_u32(&s->height[s->head[e]]);
            lowest = e + 1;
        }
    return lowest;
}

ORDO_FN ordo_u32 discharge_visit(const discharge_state *s, ordo_item u, ordo_request *out)
{
    ordo_u32 lowest_height;
    ordo_eid lowest;
    if (ordo_load_u64(&s->excess[u]) == 0 || u == s->source || u == s->sink)
        return 0;
    lowest = discharge_lowest(s, u, &lowest_height);
    if (lowest == DISCHARGE_NO_EDGE)
        return 0;
    if (ordo_load_u32(&s->height[u]) > lowest_height)
        out[0] = ordo_request_two(u, s->head[lowest - 1], lowest, 0);
    else
        out[0] = ordo_request_one(u, DISCHARGE_NO_EDGE, 0);
    return 1;
}

ORDO_FN ordo_u32 discharge_section(const discharge_state *s, const ordo_request *r, ordo_activation *out)
{
    ordo_vid u = r->target[0], v = r->target[1];
    ordo_u32 activations = 0, lowest_height;
    if (r->word[0] != DISCHARGE_NO_EDGE) { /* PUSH(u, v) */
        ordo_eid e = r->word[0] - 1;
        ordo_u64 amount = s->excess[u] < s->residual[e] ? s->excess[u] : s->residual[e];
        if (amount > 0 && s->height[u] > s->height[v]) {
            ordo_store_u64(&s->residual[e], s->residual[e] - amount);
            ordo_store_u64(&s->residual[s->reverse[e]], s->residual[s->reverse[e]] + amount);
            ordo_store_u64(&s->excess[u], s->excess[u] - amount);
            if (s->excess[v] == 0 && v != s->source && v != s->sink) {
                out[activations].item = v;
                out[activations++].priority = 2 * s->n - s->height[v]; /* highest label first */
            }
            ordo_store_u64(&s->excess[v], s->excess[v] + amount);
        }
    } else if (discharge_lowest(s, u, &lowest_height) != DISCHARGE_NO_EDGE && s->height[u] <= lowest_height) {
        ordo_store_u32(&s->height[u], lowest_height + 1); /* RELABEL(u) */
    }
    if (s->excess[u] > 0 && s->height[u] < 2 * s->n) {
        out[activations].item = u;
        out[activations++].priority = 2 * s->n - s->height[u];
    }
    return activations;
}

#define ORDO_CRITICAL discharge
#define ORDO_CRITICAL_SUMMARY "push-relabel discharge (maximum flow)"
#define ORDO_CRITICAL_STATE discharge_state
#define ORDO_CRITICAL_VISIT discharge_visit
#define ORDO_CRITICAL_SECTION discharge_section
#define ORDO_CRITICAL_REQUESTS 1
#define ORDO_CRITICAL_ACTIVATIONS 2
#define ORDO_CRITICAL_PROPERTIES ORDO_IDEMPOTENT
#include <ordo/critical.h>
