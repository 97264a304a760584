/* adds/layout.h -- sizes of the queue of `adds`, the same on both back ends. */
#ifndef ORDO_ADDS_SHAPE_H
#define ORDO_ADDS_SHAPE_H

#include <stddef.h>

#include <ordo/types.h>

enum { ADDS_MAX_BUCKETS = 32, ADDS_CACHE = 4, ADDS_MIN_BLOCK = 64, ADDS_AHEAD = 2 };

/* Sizes, fixed for a run; powers of two as shifts. */
typedef struct adds_layout {
    ordo_u32 buckets, blocks; /* blocks: of the pool */
    ordo_u32 block_shift, segment_shift, table_shift;
    ordo_u32 start; /* the first index of every bucket, rounded down to a block; near the top in tests */
    size_t entry;   /* bytes */
} adds_layout;

ORDO_FN ordo_u32 adds_log2(ordo_u64 x) /* rounded down; x > 0 */
{
    ordo_u32 log = 0;
    while (x >>= 1)
        log++;
    return log;
}

/* The shape for wishes in entries. `pool` 0: half of m, but three blocks a bucket at least; never more than `most`. A
 * block is made smaller where the pool would hold fewer than eight a bucket: otherwise most of a small pool lies in
 * blocks set ahead. */
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
