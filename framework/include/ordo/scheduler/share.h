/* share.h -- one member's entries of a superstep, from which all members of a team take chunks.
 *
 * Problem. Members end a superstep with different numbers of entries, and the next superstep should keep all of them
 * busy, without copying entries and without a lock.
 *
 * Method. Every member opens its bin as a share; a member that has finished its own share takes chunks of the others'
 * by fetch-and-add.
 *
 * Not done: entries that are added during the superstep; those go to a bin for the next one.
 */
#ifndef ORDO_SCHEDULER_SHARE_H
#define ORDO_SCHEDULER_SHARE_H

#include <ordo/detail/cpu/base.h>

/* A share: all zero before the first superstep, which is number 1.
 *
 * Invariant: between opening for superstep g and the barrier that ends g, `data` and `count` do not change, and every
 * index below `count` is taken by exactly one member, since only fetch-and-add changes `next`. `opened` is stored with
 * release after the other fields and read with acquire before them, so a member that reads g sees the bin of g. A
 * member that reads an older value waits: the owner has left the barrier before g and is about to open. The owner keeps
 * the memory of the bin until the barrier that ends g. */
typedef struct ordo_share {
    ordo_u64 opened;  /* the last superstep that it was opened for; 0: none */
    const void *data; /* [count] entries, the owner's bin */
    ordo_u64 count;
    ordo_u64 padding0[5];
    ordo_u64 next; /* first index not taken; on a separate cache line */
    ordo_u64 padding1[7];
} ordo_share;

/* Opens the share for a superstep with the entries of a bin. By its owner, after the barrier that ends the superstep
 * before. */
ORDO_INLINE void ordo_share_open(ordo_share *share, const ordo_bin *bin, ordo_u64 superstep)
{
    share->data = bin->data;
    share->count = bin->count;
    share->next = 0;
    __atomic_store_n(&share->opened, superstep, __ATOMIC_RELEASE);
}

/* Waits until the share is open for this superstep; false where the run must end early. */
ORDO_INLINE bool ordo_share_wait(const ordo_job *job, const ordo_share *share, ordo_u64 superstep)
{
    for (int spins = 1; __atomic_load_n(&share->opened, __ATOMIC_ACQUIRE) != superstep; spins++) {
        ordo_pause();
        if (spins % 64 == 0) {
            if (ordo_job_stopped(job))
                return false;
            ordo_yield();
        }
    }
    return true;
}

/* How many entries a member takes at once where it then follows what they activate while others wait: a quarter of
 * what it has opened itself for this superstep, 16 to `most`. Larger pieces leave members without work, and the chains
 * of the others are long. */
ORDO_INLINE ordo_u64 ordo_share_piece(const ordo_share *own, ordo_u64 superstep, ordo_u64 most)
{
    const ordo_u64 quarter = own->opened == superstep ? own->count / 4 : 0, piece = quarter > 16 ? quarter : 16;
    return piece < most ? piece : most;
}

/* Takes the indices *begin to *end - 1, at most `chunk`; false when none is left. By any member, after
 * ordo_share_wait. */
ORDO_INLINE bool ordo_share_take(ordo_share *share, ordo_u64 chunk, ordo_u64 *begin, ordo_u64 *end)
{
    if (__atomic_load_n(&share->next, __ATOMIC_RELAXED) >= share->count)
        return false;
    *begin = __atomic_fetch_add(&share->next, chunk, __ATOMIC_RELAXED);
    *end = *begin + chunk < share->count ? *begin + chunk : share->count;
    return *begin < share->count;
}

#endif
