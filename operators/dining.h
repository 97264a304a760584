/* dining.h -- dining philosophers with up to eight forks each: the section of many targets.
 *
 *   EAT(i):  own all forks of i;  count a use of each;  if i is still hungry: eat again         [Dijkstra 1971]
 *
 * Items are philosophers, targets are forks, of which several philosophers have any one. A philosopher asks as long as
 * it has not had its meals, so processing it again after that does nothing. The uses of a fork are plain words: their
 * number is right only if no two sections that share a fork overlap.
 *
 * Not done: fairness. Scheduler and sync determine which philosopher eats last.
 */
#include <ordo/operator/operator.h>

typedef struct dining_state {
    const ordo_u32 *fork;  /* [items][ORDO_MOST_TARGETS] */
    const ordo_u32 *forks; /* [items] how many of these a philosopher has, 1 to ORDO_MOST_TARGETS */
    const ordo_u32 *meals; /* [items] that it wants */
    ordo_u32 *eaten;       /* [items] 0 at the start */
    ordo_u64 *uses;        /* [targets] 0 at the start */
} dining_state;

ORDO_FN ordo_u32 dining_prepare(const dining_state *s, ordo_item i, ordo_request_many *out)
{
    ordo_u32 k;
    if (ordo_load_u32(&s->eaten[i]) >= s->meals[i])
        return 0;
    out[0] = ordo_request_start(0, 0);
    for (k = 0; k < s->forks[i]; k++)
        ordo_request_add(&out[0], s->fork[(ordo_u64)i * ORDO_MOST_TARGETS + k]);
    return 1;
}

ORDO_FN int dining_still_valid(const dining_state *s, const ordo_request_many *r)
{
    return ordo_load_u32(&s->eaten[r->item]) < s->meals[r->item];
}

ORDO_FN ordo_u32 dining_commit(const dining_state *s, const ordo_request_many *r, ordo_activation *out)
{
    ordo_u32 k, eaten = ordo_load_u32(&s->eaten[r->item]) + 1;
    for (k = 0; k < r->targets; k++)
        s->uses[r->target[k]]++;
    ordo_store_u32(&s->eaten[r->item], eaten);
    out[0].item = r->item;
    out[0].priority = eaten;
    return eaten < s->meals[r->item];
}

#define ORDO_CRITICAL dining
#define ORDO_CRITICAL_SUMMARY "dining philosophers (up to eight targets)"
#define ORDO_CRITICAL_STATE dining_state
#define ORDO_CRITICAL_PREPARE dining_prepare
#define ORDO_CRITICAL_COMMIT dining_commit
#define ORDO_CRITICAL_STILL_VALID dining_still_valid
#define ORDO_CRITICAL_REQUESTS 1
#define ORDO_CRITICAL_ACTIVATIONS 1
#define ORDO_CRITICAL_PROPERTIES ORDO_IDEMPOTENT
#define ORDO_CRITICAL_TARGETS 8
#define ORDO_CRITICAL_WORDS 0
#define ORDO_CRITICAL_ARRAYS(X)                                                                                        \
    X(fork, ITEM, ORDO_MOST_TARGETS, READ)                                                                             \
    X(forks, ITEM, 1, READ) X(meals, ITEM, 1, READ) X(eaten, ITEM, 1, WRITE) X(uses, TARGET, 1, WRITE)
#include <ordo/operator/critical.h>
