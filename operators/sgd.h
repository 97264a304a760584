/* sgd.h -- stochastic gradient descent for matrix factorisation: the SGD benchmark of the lock-server paper.
 *
 *   STEP(u, v, r):  own u and v;  e = r - m - p(u) . q(v)
 *                   p(u) += g (e q(v) - l p(u)),  q(v) += g (e p(u) - l q(v)), both with the old vectors
 *                                       [Koren, Bell and Volinsky 2009; Kaleem, Pai and Pingali 2015: a lock an edge]
 *
 * Items are ratings; targets are users (0 .. users - 1) and, after them, the things that they rate. A run is an epoch:
 * every rating is used once in it, so processing it again does nothing. The result depends on the order, within noise.
 *
 * Not done: averaging over several orders; a schedule of step sizes (the caller sets `rate` for each epoch).
 */
#include <ordo/operator/operator.h>

typedef struct sgd_rating {
    ordo_u32 user, thing;
    ordo_f32 value;
} sgd_rating;

typedef struct sgd_state {
    const sgd_rating *rating; /* [items] */
    ordo_u32 *done;           /* [items] the epoch that used it last */
    ordo_f32 *factor;         /* [targets][rank] p and q */
    ordo_u32 users, rank, epoch;
    ordo_f32 mean, rate, decay; /* m, g, l */
} sgd_state;

ORDO_FN ordo_u32 sgd_prepare(const sgd_state *s, ordo_item i, ordo_request *out)
{
    if (ordo_load_u32(&s->done[i]) == s->epoch)
        return 0;
    out[0] = ordo_request_two(s->rating[i].user, s->users + s->rating[i].thing, 0, 0);
    return 1;
}

ORDO_FN int sgd_still_valid(const sgd_state *s, const ordo_request *r)
{
    return s->done[r->item] != s->epoch;
}

ORDO_FN ordo_f32 sgd_error(const sgd_state *s, const sgd_rating *r)
{
    const ordo_f32 *p = s->factor + (ordo_u64)r->user * s->rank;
    const ordo_f32 *q = s->factor + (ordo_u64)(s->users + r->thing) * s->rank;
    ordo_f32 e = r->value - s->mean;
    for (ordo_u32 k = 0; k < s->rank; k++)
        e -= p[k] * q[k];
    return e;
}

ORDO_FN ordo_u32 sgd_commit(const sgd_state *s, const ordo_request *r, ordo_activation *out)
{
    const sgd_rating *rating = &s->rating[r->item];
    ordo_f32 *p = s->factor + (ordo_u64)r->target[0] * s->rank;
    ordo_f32 *q = s->factor + (ordo_u64)r->target[1] * s->rank;
    (void)out;
    ordo_f32 e = sgd_error(s, rating);
    for (ordo_u32 k = 0; k < s->rank; k++) {
        ordo_f32 old = p[k];
        p[k] += s->rate * (e * q[k] - s->decay * old);
        q[k] += s->rate * (e * old - s->decay * q[k]);
    }
    ordo_store_u32(&s->done[r->item], s->epoch);
    return 0;
}

#define ORDO_CRITICAL sgd
#define ORDO_CRITICAL_SUMMARY "stochastic gradient descent on ratings (two targets)"
#define ORDO_CRITICAL_STATE sgd_state
#define ORDO_CRITICAL_PREPARE sgd_prepare
#define ORDO_CRITICAL_COMMIT sgd_commit
#define ORDO_CRITICAL_REQUESTS 1
#define ORDO_CRITICAL_ACTIVATIONS 0
#define ORDO_CRITICAL_PROPERTIES ORDO_IDEMPOTENT
#define ORDO_CRITICAL_STILL_VALID sgd_still_valid
#define ORDO_CRITICAL_WORDS 0
#define ORDO_CRITICAL_ARRAYS(X) X(rating, ITEM, 1, READ) X(done, ITEM, 1, WRITE) X(factor, TARGET, s->rank, WRITE)
#include <ordo/operator/critical.h>
