/* claim.h -- race and resolve: items of a superstep claim sets of targets, and those that got all of theirs go on.
 *
 * Problem. An item changes a set of targets that is only known once it has looked: a cavity of a mesh, say. Items whose
 * sets meet must not both change them. Locks for each target in turn would need an order, or a way back.
 *
 * Method (Nasre, Burtscher and Pingali 2013). A superstep has three parts, with barriers between them:
 *   mark     an item looks at the structure, which no item changes, and marks each of its targets with its key;
 *   check    it reads its marks. It has won if all are its own. No item marks;
 *   apply    winners change their targets; losers try again in a later superstep.
 * A mark keeps the smallest key. A key is the superstep, later ones smaller, then the item's priority; so marks of
 * earlier supersteps lose against every mark of this one, and need not be cleared.
 *
 * Sound: after the barrier a mark is the smallest key of all that marked that target, whatever the order of the marks.
 * Two items whose sets meet see the same mark at the common target, and it can be the key of one of them only, since
 * keys differ. So sets of winners are disjoint, and what a winner read in the first part is still true when it writes.
 *
 * Progress: the item with the smallest key of the superstep has the smallest key at all of its targets: it wins. So
 * each superstep in which an item marks has a winner, and losers try again finitely often. Who wins depends on keys
 * alone, not on threads: results can be the same for any number of them.
 *
 * Memory order: marks are relaxed. The barrier orders them before the reads of the check.
 *
 * The sync `owner` runs requests of many targets by the same protocol (detail/cpu/owner.h); tests/models/claims.pml is
 * a model of it, with seeded faults.
 *
 * Not done: marks by plain stores, with which no item may win; targets that may be shared by items that only read.
 */
#ifndef ORDO_SCHEDULER_CLAIM_H
#define ORDO_SCHEDULER_CLAIM_H

#include <ordo/types.h>

/* A mark that is not set. */
#define ORDO_UNCLAIMED (~(ordo_u64)0)

/* The key of an item. superstep: below 2^32 - 1, growing; priority: different for each item of the superstep. */
ORDO_FN ordo_u64 ordo_claim_key(ordo_u32 superstep, ordo_u32 priority)
{
    return (ordo_u64)(0xfffffffeu - superstep) << 32 | priority;
}

/* A priority for item i of a superstep: a permutation of the 32-bit numbers that mixes them well. Neighbours in a list
 * are often neighbours in the structure; if the first of them went first, they would win one after another. */
ORDO_FN ordo_u32 ordo_claim_priority(ordo_u32 i)
{
    i ^= i >> 16; /* each step can be undone, so no two numbers become one */
    i *= 0x7feb352du;
    i ^= i >> 15;
    i *= 0x846ca68bu;
    i ^= i >> 16;
    return i;
}

/* Marks a target. In the first part. */
ORDO_FN void ordo_claim_mark(ordo_u64 *mark, ordo_u64 key)
{
#if defined(__CUDA_ARCH__)
    atomicMin((unsigned long long *)mark, (unsigned long long)key);
#else
    ordo_u64 seen = __atomic_load_n(mark, __ATOMIC_RELAXED);
    while (key < seen && !__atomic_compare_exchange_n(mark, &seen, key, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
#endif
}

/* Whether a target is this item's. In the second part. */
ORDO_FN int ordo_claim_holds(const ordo_u64 *mark, ordo_u64 key)
{
#if defined(__CUDA_ARCH__)
    return *(const volatile ordo_u64 *)mark == key;
#else
    return __atomic_load_n(mark, __ATOMIC_RELAXED) == key;
#endif
}

#endif
