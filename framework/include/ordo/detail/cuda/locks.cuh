/* locks.cuh -- thread scope: locks of targets, at device or block scope.
 */
#ifndef ORDO_DETAIL_CUDA_LOCKS_CUH
#define ORDO_DETAIL_CUDA_LOCKS_CUH

#include <ordo/detail/cuda/grid.cuh>

/* By one thread: tries to acquire a lock of a table (true: acquired), releases it, and orders memory after the
 * acquisition and before the release. At device scope or, with Near, at the scope of the block whose shared memory
 * holds the table. A lock in shared memory is released by an exchange: that is not slower than a store to a generic
 * address, and racecheck, which reports a store and a concurrent test of the lock as a hazard, ignores atomics. */
template <bool Near> ORDO_DEV bool ordo_dev_lock(ordo_u32 *lock)
{
    ordo_u32 open = 0;
    const bool got = Near ? ordo_dev_swap_block(lock, &open, 1u) : ordo_dev_swap(lock, &open, 1u);
    return got;
}
template <bool Near> ORDO_DEV void ordo_dev_unlock(ordo_u32 *lock)
{
    if (Near)
        ordo_dev_exchange_block(lock, 0u);
    else
        ordo_dev_store(lock, 0u);
}
template <bool Near> ORDO_DEV void ordo_dev_order(void)
{
    if (Near)
        ordo_dev_fence_block();
    else
        ordo_dev_fence();
}

/* Ticket locks, which pass on in the order of asking, at device scope: two words for each, the ticket of the next
 * thread that asks and the one whose turn it is. A thread that has drawn a ticket must look again until its turn:
 * nothing else passes the lock on. So lanes of a warp look once each in a round of a loop, and no lane waits for
 * another within a round. A thread takes several locks in ascending order, and waits while it holds lower ones. All
 * threads of the grid are resident, so the one that waits for the highest lock waits for a thread that holds all of its
 * own. */
typedef struct ordo_dev_ticket {
    ordo_u32 mine;      /* the ticket that was drawn last, */
    bool drawn;         /* for a lock that is not held yet */
    unsigned char held; /* number of locks that are held */
} ordo_dev_ticket;
ORDO_DEV bool ordo_dev_look_ticket(ordo_u32 *lock, ordo_dev_ticket *t)
{
    if (!t->drawn) {
        t->mine = ordo_dev_add(&lock[0], 1u);
        t->drawn = true;
    }
    if (ordo_dev_load(&lock[1]) != t->mine)
        return false;
    t->drawn = false;
    t->held++;
    return true;
}
ORDO_DEV void ordo_dev_pass_ticket(ordo_u32 *lock)
{
    ordo_dev_store(&lock[1], ordo_dev_load(&lock[1]) + 1); /* the holder alone writes it */
}

/* How a run locks: by a table of try-locks, by bits of the targets' words, by a table of ticket locks. */
enum { ORDO_LOCK_TABLE, ORDO_LOCK_WORD, ORDO_LOCK_TICKETS };

/* The locks of a run. */
typedef struct ordo_cuda_locks {
    ordo_u32 *lock; /* [mask + 1] the table, initially 0, with tickets two words each; unused with
                       locks in words */
    ordo_u32 mask;
    bool may_repeat; /* critical operators: a request may be made more than once */
} ordo_cuda_locks;

/* On the host: makes a lock for each target, or one for several targets where there are very many. `how`: ORDO_LOCK_*.
 */
static inline ordo_status ordo_cuda_locks_make(ordo_cuda *c, int how, ordo_cuda_locks *locks)
{
    ordo_u64 size = 1;
    while (size < c->job->targets && size < 1u << 24)
        size *= 2;
    locks->mask = (ordo_u32)(size - 1);
    if (how != ORDO_LOCK_WORD)
        locks->lock =
            (ordo_u32 *)ordo_cuda_alloc(c, how == ORDO_LOCK_TICKETS ? 2 * size : size, sizeof(ordo_u32), true);
    return how == ORDO_LOCK_WORD || locks->lock ? ORDO_OK : ORDO_ERR_MEMORY;
}

#endif
