/* cuda_part.cuh -- the items whose bits a GPU writes in steps that pull; included by cuda_pull.cuh. One GPU has all
 * items; a rank has those that it owns, in consecutive words, and every rank has a copy of the whole frontier.
 *
 * Memory order. The owner of a word is the only one that writes it, to its own copy and by plain stores across the link
 * to the others. Within a step that is a warp, or, behind a barrier of the owner's grid, atomics of its device. No rank
 * reads a word before the meeting behind that (<ordo/detail/cuda/meet.cuh>), which orders plain stores, too.
 */

/* The first item, a multiple of 32. */
ORDO_DEV ordo_u32 bsp_first_item(const bsp_args *a)
{
#if ORDO_OVER_RANKS
    return a->ranks.first;
#else
    (void)a;
    return 0;
#endif
}

/* The groups that have any: from which on, and below which. */
ORDO_DEV ordo_u32 bsp_first_group(const bsp_args *a)
{
    return bsp_first_item(a) / BSP_GROUP;
}
ORDO_DEV ordo_u32 bsp_end_group(const bsp_args *a)
{
#if ORDO_OVER_RANKS
    return (ordo_u32)(((ordo_u64)a->ranks.first + a->ranks.owned + BSP_GROUP - 1) / BSP_GROUP);
#else
    return (ordo_u32)((a->num_items + BSP_GROUP - 1) / BSP_GROUP);
#endif
}

/* Whether a word of a group is one of these; one GPU has memory for whole groups. */
ORDO_DEV bool bsp_has_word(const bsp_args *a, ordo_u32 word)
{
#if ORDO_OVER_RANKS
    return ordo_dev_owns(a->ranks, 32 * word);
#else
    (void)a, (void)word;
    return true;
#endif
}

/* Whether `item`, which is not before the first group, is one of them. */
ORDO_DEV bool bsp_has_item(const bsp_args *a, ordo_u64 item)
{
#if ORDO_OVER_RANKS
    return item - a->ranks.first < a->ranks.owned;
#else
    return item < a->num_items;
#endif
}

/* By a whole warp: writes the group's words of the frontier of `step` to all copies. Each of the first lanes has one
 * word. */
ORDO_DEV void bsp_publish_words(const bsp_args *a, ordo_u32 first_word, ordo_u32 mine, ordo_u32 step)
{
    const ordo_u32 lane = threadIdx.x % 32;
#if ORDO_OVER_RANKS
    const ordo_u32 i = lane % BSP_WORDS, word = __shfl_sync(~0u, mine, (int)i);
    if (bsp_has_word(a, first_word + i))
        for (ordo_u32 to = lane / BSP_WORDS; to < a->ranks.count; to += 32 / BSP_WORDS)
            a->ranks.frontier[step & 1][to][first_word + i] = word;
#else
    if (lane < BSP_WORDS)
        a->bits.frontier[step & 1][first_word + lane] = mine;
#endif
}

#if ORDO_OVER_RANKS
/* By the whole grid: writes the GPU's words of the frontier of `step`, which are in its own copy, to the others. */
ORDO_DEV void bsp_publish_own(const bsp_args *a, ordo_u32 step)
{
    const ordo_u32 *const own = a->bits.frontier[step & 1];
    const ordo_u64 threads = (ordo_u64)gridDim.x * blockDim.x;
    for (ordo_u64 i = bsp_first_item(a) / 32 + (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x; bsp_has_item(a, i * 32);
         i += threads)
        for (ordo_u32 to = 0; to < a->ranks.count; to++)
            if (to != a->ranks.rank)
                a->ranks.frontier[step & 1][to][i] = own[i];
}
#endif

/* By one thread: adds the item to the frontier of `step`, in all copies. */
ORDO_DEV void bsp_publish_item(const bsp_args *a, ordo_vid item, ordo_u32 step)
{
#if ORDO_OVER_RANKS
    for (ordo_u32 to = 0; to < a->ranks.count; to++)
        ordo_dev_or(&a->ranks.frontier[step & 1][to][item / 32], 1u << item % 32);
#else
    ordo_dev_or(&a->bits.frontier[step & 1][item / 32], 1u << item % 32);
#endif
}

/* By the whole grid: ends a step. That of a rank ends where all ranks meet. */
ORDO_DEV void bsp_end(const bsp_args *)
{
#if !ORDO_OVER_RANKS
    cooperative_groups::this_grid().sync();
#endif
}
