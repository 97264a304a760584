/* lock_transfer_pair.h -- measures how long two locks take from one party to the next: the critical section of
 * lock_transfer.h, of two targets at once. They are isolated: there are no halves.
 */
#define LOCK_TRANSFER_PAIR
#include "lock_transfer.h"
#undef LOCK_TRANSFER_PAIR

ORDO_FN ordo_u32 lock_transfer_pair_prepare(const lock_transfer_state *s, ordo_item i, ordo_request *out)
{
    out[0] = lock_transfer_request(s, s->first[i], s->second[i], 1);
    return ordo_load_u32(&s->done[i]) == 0;
}

#define ORDO_CRITICAL lock_transfer_pair
#define ORDO_CRITICAL_SUMMARY "measures how long two locks take to the next (two targets)"
#define ORDO_CRITICAL_STATE lock_transfer_state
#define ORDO_CRITICAL_PREPARE lock_transfer_pair_prepare
#define ORDO_CRITICAL_COMMIT lock_transfer_commit
#define ORDO_CRITICAL_REQUESTS 1
#define ORDO_CRITICAL_ACTIVATIONS 0
#define ORDO_CRITICAL_PROPERTIES ORDO_IDEMPOTENT
#define ORDO_CRITICAL_STILL_VALID lock_transfer_still_valid
#define ORDO_CRITICAL_ARRAYS(X)                                                                                        \
    X(first, ITEM, 1, READ) X(second, ITEM, 1, READ) X(done, ITEM, 1, WRITE) X(word, TARGET, LOCK_TRANSFER_WORDS, WRITE)
#include <ordo/operator/critical.h>
