/* adds/layout.h -- sizes of the queue of `adds`, the same on both back ends. */
#ifndef ORDO_ADDS_LAYOUT_H
#define ORDO_ADDS_LAYOUT_H

#include <stddef.h>

#include <ordo/types.h>

enum { ADDS_MAX_BUCKETS = 32, ADDS_CACHE = 4, ADDS_MIN_BLOCK = 64, ADDS_AHEAD = 2 };

/* Sizes, fixed for a run; powers of two as shifts. */
typedef struct adds_layout {
    ordo_u32 buckets, blocks; /* number of buckets; blocks of the pool */
    ordo_u32 block_shift, segment_shift, table_shift;
    ordo_u32 start; /* the first index of every bucket, rounded down to a block; tests choose one shortly before the
                       wrap */
    size_t entry;   /* bytes of an entry */
} adds_layout;

ORDO_FN ordo_u32 adds_log2(ordo_u64 x) /* log2, rounded down; x > 0 */
{
    ordo_u32 log = 0;
    while (x >>= 1)
        log++;
    return log;
}

/* The layout for a pool of `pool` entries. 0: half of m, but at least three blocks per bucket; never more than `most`.
 * Blocks are smaller if the pool would hold fewer than eight per bucket: otherwise most of a small pool would lie in
 * blocks mapped ahead. */
ORDO_FN adds_layout adds_layout_for(ordo_u32 buckets, ordo_u64 pool, ordo_u64 block, ordo_u64 segment, ordo_u64 m,
                                    size_t entry, ordo_u64 most)
{
    adds_layout s;
    ordo_u64 size = pool ? pool : m / 2;
    size = size < most ? size : most;
    s.buckets = buckets;
    s.entry = entry;
    s.start = 0;
    s.block_shift = adds_log2(block > ADDS_MIN_BLOCK ? block : (ordo_u64)ADDS_MIN_BLOCK);
    while (s.block_shift > adds_log2(ADDS_MIN_BLOCK) && size >> s.block_shift < (ordo_u64)8 * buckets)
        s.block_shift--;
    s.segment_shift = adds_log2(segment ? segment : 1);
    if (s.segment_shift > s.block_shift)
        s.segment_shift = s.block_shift;
    ordo_u64 blocks = size >> s.block_shift;
    if (!pool && blocks < (ordo_u64)3 * buckets)
        blocks = (ordo_u64)3 * buckets;
    s.blocks = blocks ? (ordo_u32)blocks : 1;
    s.table_shift = adds_log2(s.blocks) + (s.blocks & (s.blocks - 1) ? 1 : 0);
    return s;
}

#endif
