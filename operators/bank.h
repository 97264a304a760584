/* bank.h -- transfers between accounts: the two-target critical section of the lock-server paper's ATM benchmark.
 *
 *   TRANSFER(i):  own from(i) and to(i);  if balance(from) >= amount: balance(from) -= amount, balance(to) += amount
 *                                                                          [Wang, Fussell and Lin 2019, section 4]
 *
 * Items are transfers, targets are accounts. A transfer is tried exactly once and its outcome is kept, so processing it
 * again does nothing. The sum of all balances never changes, whatever the order. No critical section reads two accounts
 * at once, so a transfer may also be run as a withdrawal and, later, a deposit. Balances stay below 2^63.
 *
 * Not done: transfers that wait until they are covered; they are refused.
 */
#include <ordo/operator/operator.h>

typedef struct bank_transfer {
    ordo_u32 from, to, amount;
} bank_transfer;

enum { BANK_OPEN = 0, BANK_PAID = 1, BANK_REFUSED = 2 };

typedef struct bank_state {
    const bank_transfer *transfer; /* [items] */
    ordo_u32 *outcome;             /* [items] BANK_OPEN at the start */
    ordo_u64 *balance;             /* [targets] */
} bank_state;

ORDO_FN ordo_u32 bank_prepare(const bank_state *s, ordo_item i, ordo_request *out)
{
    out[0] = ordo_request_two(s->transfer[i].from, s->transfer[i].to, s->transfer[i].amount, 0);
    return ordo_load_u32(&s->outcome[i]) == BANK_OPEN;
}

ORDO_FN void bank_rebuild_args(const bank_state *s, ordo_request *r)
{
    r->word[0] = s->transfer[r->item].amount;
    r->word[1] = 0;
}

ORDO_FN int bank_still_valid(const bank_state *s, const ordo_request *r)
{
    return s->outcome[r->item] == BANK_OPEN;
}

ORDO_FN ordo_u32 bank_commit(const bank_state *s, const ordo_request *r, ordo_activation *out)
{
    ordo_u64 *from = &s->balance[r->target[0]], *to = &s->balance[r->target[1]];
    ordo_u64 amount = r->word[0];
    int covered = *from >= amount;
    (void)out;
    if (covered) {
        *from -= amount;
        *to += amount;
    }
    ordo_store_u32(&s->outcome[r->item], covered ? BANK_PAID : BANK_REFUSED);
    return 0;
}

/* WITHDRAW(i), owning from(i); DEPOSIT(i), owning to(i). */
ORDO_FN ordo_u32 bank_withdraw(const bank_state *s, ordo_request *r, ordo_activation *out, int *more)
{
    ordo_u64 *from = &s->balance[r->target[0]];
    (void)out;
    *more = *from >= r->word[0];
    if (*more)
        *from -= r->word[0];
    ordo_store_u32(&s->outcome[r->item], *more ? BANK_PAID : BANK_REFUSED);
    return 0;
}

ORDO_FN ordo_u32 bank_deposit(const bank_state *s, const ordo_request *r, ordo_activation *out)
{
    (void)out;
    s->balance[r->target[1]] += r->word[0];
    return 0;
}

#define ORDO_CRITICAL bank
#define ORDO_CRITICAL_SUMMARY "bank transfers (two targets)"
#define ORDO_CRITICAL_STATE bank_state
#define ORDO_CRITICAL_PREPARE bank_prepare
#define ORDO_CRITICAL_COMMIT bank_commit
#define ORDO_CRITICAL_REQUESTS 1
#define ORDO_CRITICAL_ACTIVATIONS 0
#define ORDO_CRITICAL_PROPERTIES ORDO_IDEMPOTENT
#define ORDO_CRITICAL_FIRST bank_withdraw
#define ORDO_CRITICAL_SECOND bank_deposit
#define ORDO_CRITICAL_STILL_VALID bank_still_valid
#define ORDO_CRITICAL_REBUILD_ARGS bank_rebuild_args
#define ORDO_CRITICAL_WORDS 1
#define ORDO_CRITICAL_WORD_BITS 32
#define ORDO_CRITICAL_ARRAYS(X) X(transfer, ITEM, 1, READ) X(outcome, ITEM, 1, WRITE) X(balance, TARGET, 1, OWNED)
#define ORDO_CRITICAL_LOCK balance
#include <ordo/operator/critical.h>
