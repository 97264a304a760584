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

/* The locks of a run. */
typedef struct ordo_cuda_locks {
    ordo_u32 *lock; /* [mask + 1] the table, initially 0; unused with locks in words */
    ordo_u32 mask;
    bool may_repeat; /* critical operators: a request may be made more than once */
} ordo_cuda_locks;

/* On the host: makes a lock for each target, or one for several targets where there are very many. `table`: the locks
 * are a table, not bits in the targets' words. */
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
