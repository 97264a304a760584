/* discharge_apart.h -- push-relabel maximum flow in halves: discharge.h where no critical section owns two vertices.
 *
 *   PUSH(u, v), owning u:     amount = min(e(u), c_f(u, v));  e(u) -= amount;  c_f(u, v) -= amount
 *               owning v:     c_f(v, u) += amount;  e(v) += amount            [Wang, Fussell and Lin 2019, section 4.1;
 *                                                              heights that may be outdated: Hong and He 2011]
 *
 * What flows is a message between the halves. Excess and residuals are exact once all halves have run, whatever comes
 * between. Heights are not: u reads the height of v, which may rise before the second half, so that a residual edge
 * (v, u) can appear that is steeper than a valid labelling allows. So u pushes to any lower vertex, not only to one
 * that is lower by 1, and the second half makes (v, u) the current edge of v if it comes ahead of it: v can push what
 * it got back at once. Heights only rise in a run, and u relabels only where no residual edge leads to a lower vertex,
 * so a run ends. But a height may be more than the distance to the sink, and a vertex may be skipped that could reach
 * it. So the result is final only after exact distances, by a global relabel, leave no active vertex; every run from
 * exact distances on makes some push before any height is outdated.
 *
 * Every request's first target is its item; the first half activates u alone, the second v alone.
 */
#define DISCHARGE_APART
#include "discharge.h"
#undef DISCHARGE_APART

ORDO_FN ordo_u32 discharge_apart_prepare(const discharge_state *s, ordo_item u, ordo_request *out)
{
    return discharge_wanted(s, u, 1, out);
}

/* Leaves the amount in word[1]. */
ORDO_FN ordo_u32 discharge_apart_first(const discharge_state *s, ordo_request *r, ordo_activation *out, int *more)
{
    const ordo_vid u = r->target[0];
    const ordo_u64 last = r->word[1];
    *more = 0;
    if (r->word[0] == DISCHARGE_NO_EDGE) {
        discharge_relabel(s, u);
    } else {
        discharge_edge *edge = &s->edge[(ordo_u32)r->word[0]];
        const ordo_u64 amount = s->excess[u] < edge->residual ? s->excess[u] : edge->residual;
        if (amount > 0 && ordo_load_u32(&s->height[edge->head]) < s->height[u]) {
            ordo_store_u64(&edge->residual, edge->residual - amount);
            ordo_store_u64(&s->excess[u], s->excess[u] - amount);
            ordo_store_u32(&s->current[u], (ordo_u32)r->word[0] + (edge->residual == 0));
            r->word[1] = amount;
            *more = 1;
        }
    }
    if (!last || !discharge_active(s, u))
        return 0;
    out[0].item = u;
    out[0].priority = discharge_priority(s, u);
    return 1;
}

ORDO_FN ordo_u32 discharge_apart_second(const discharge_state *s, const ordo_request *r, ordo_activation *out)
{
    const ordo_vid v = r->target[1];
    const ordo_u32 back = s->edge[(ordo_u32)r->word[0]].reverse;
    const int idle = s->excess[v] == 0;
    ordo_store_u64(&s->edge[back].residual, s->edge[back].residual + r->word[1]);
    ordo_store_u64(&s->excess[v], s->excess[v] + r->word[1]);
    if (back < s->current[v])
        ordo_store_u32(&s->current[v], back);
    if (!idle || v == s->source || v == s->sink)
        return 0;
    out[0].item = v;
    out[0].priority = discharge_priority(s, v);
    return 1;
}

/* Both halves, owning both vertices. */
ORDO_FN ordo_u32 discharge_apart_commit(const discharge_state *s, const ordo_request *r, ordo_activation *out)
{
    ordo_request whole = *r;
    int more;
    const ordo_u32 first = discharge_apart_first(s, &whole, out, &more);
    return more ? first + discharge_apart_second(s, &whole, out + first) : first;
}

#define ORDO_CRITICAL discharge_apart
#define ORDO_CRITICAL_SUMMARY "push-relabel discharge in halves (maximum flow)"
#define ORDO_CRITICAL_STATE discharge_state
#define ORDO_CRITICAL_PREPARE discharge_apart_prepare
#define ORDO_CRITICAL_COMMIT discharge_apart_commit
#define ORDO_CRITICAL_PRIORITY discharge_priority
#define ORDO_CRITICAL_DELTA discharge_delta
#define ORDO_CRITICAL_REQUESTS DISCHARGE_REQUESTS
#define ORDO_CRITICAL_ACTIVATIONS 2
#define ORDO_CRITICAL_PROPERTIES ORDO_IDEMPOTENT
#define ORDO_CRITICAL_FIRST discharge_apart_first
#define ORDO_CRITICAL_SECOND discharge_apart_second
#define ORDO_CRITICAL_ARRAYS(X) DISCHARGE_ARRAYS(X)
#include <ordo/operator/critical.h>
