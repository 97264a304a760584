/* spill.cuh -- entries for which a queue has no place, on a GPU: a bit for each item. */
#ifndef ORDO_DETAIL_CUDA_SPILL_CUH
#define ORDO_DETAIL_CUDA_SPILL_CUH

/* An item for which there is no place is spilled: it becomes a bit, and later gets the value that its cell then has. */
typedef struct ordo_dev_spill {
    ordo_u32 *bits;
    ordo_u64 *count; /* calls */
    ordo_u64 *set;   /* bits that were set, for threads that look for bits when it has changed; or NULL */
} ordo_dev_spill;

/* By one thread. Returns whether the bit was set already: then nothing will be taken for this call, and a caller that
 * compares `count` with what is finished counts it as finished.
 *   The count comes before the bit. Another thread, which sweeps because of an earlier bit, may take and finish the
 * item at once; if the count came later, more would be finished than had been made, and the end be found while other
 * things are left. The fence between them also orders the cell before the bit, for a thread that takes bits with an
 * exchange and a fence. `set` comes behind the bit, and a fence: a thread that reads it, and then takes bits behind a
 * fence, finds the bit. */
ORDO_DEV bool ordo_spill(const ordo_dev_spill &s, ordo_u32 item)
{
    const ordo_u32 bit = 1u << item % 32;
    ordo_dev_add(s.count, (ordo_u64)1);
    ordo_dev_fence();
    if (ordo_dev_or(&s.bits[item / 32], bit) & bit)
        return true;
    if (s.set) {
        ordo_dev_fence();
        ordo_dev_add(s.set, (ordo_u64)1);
    }
    return false;
}

#endif
