/* locks.cuh -- one thread: locks of targets, at device or block scope.
 */
#ifndef ORDO_DETAIL_CUDA_LOCKS_CUH
#define ORDO_DETAIL_CUDA_LOCKS_CUH

#include <ordo/detail/cuda/grid.cuh>

/* By one thread: tries for a lock of a table (true: the caller has it), gives it back, orders memory after the one and
 * before the other. At device scope or, Near, at that of the block whose shared memory holds the table. A lock of a
 * block is given back by an exchange: that is no slower than a store to a generic address, and racecheck, which reports
 * a store and a concurrent test of the lock as a hazard, leaves out atomics. */
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

/* Locks of a run. */
typedef struct ordo_cuda_locks {
    ordo_u32 *lock; /* [mask + 1] the table, 0 at first; not with locks in words */
    ordo_u32 mask;
    bool may_repeat; /* critical operators: a request may come twice */
} ordo_cuda_locks;

/* On the host: a lock for each target, or one for several where there are very many. `table`: the locks are a table,
 * not bits of the targets' own words. */
static inline ordo_status ordo_cuda_locks_make(ordo_cuda *c, bool table, ordo_cuda_locks *locks)
{
    ordo_u64 size = 1;
    while (size < c->job->targets && size < 1u << 24)
        size *= 2;
    locks->mask = (ordo_u32)(size - 1);
    if (table)
        locks->lock = (ordo_u32 *)ordo_cuda_alloc(c, size, sizeof(ordo_u32), true);
    return !table || locks->lock ? ORDO_OK : ORDO_ERR_MEMORY;
}

#endif
