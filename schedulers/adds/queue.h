/* adds/queue.h -- the buckets of `adds`: multi-writer, single-reader FIFOs over one pool of blocks.
 *
 * Problem. Many threads push into 32 buckets whose sizes are not known beforehand. One thread at a time, the manager,
 * reads the buckets. An entry may be read as soon as it is written, without a superstep between.
 *
 * Method (Wang's thesis, sections 5.4 and 5.6). A bucket is an unbounded array of slots, of which only the blocks
 * between its two ends have memory. Writers reserve slots in order, fill them in any order, and count for each segment
 * how many they have filled; the manager reads only these counters, never entries. Does not depend on the operator: an
 * entry is `entry` bytes.
 *
 * Roles. Writers are any threads. The *manager* is the thread that holds the manager role; one thread holds it at a
 * time (a lock or a dedicated thread gives the order between two managers). It probes, assigns, and does memory.
 * Readers are the threads that work on an assignment: a run of slots that the manager gave to one reader only.
 *
 * Words of a bucket, all indices modulo 2^32 (ADDS_INDEX_BITS; tests take 16, to wrap often):
 *   ends      resv_ptr in the low half, alloc_ptr in the high half: slots reserved, slots that have a block
 *   done      DWC: slots whose items are processed, including their activations
 *   table     bk_ptr, circular: block number -> block of the pool << 1 | whether it was read to its end
 *   read      manager only: slots below are written
 *   assigned  manager only: slots below are assigned
 *   freed     manager only: dealloc_ptr
 * and of a block of the pool: WFC per segment (slots written), RDC (slots read).
 *
 * Invariants, modular: freed <= assigned <= read <= resv_ptr <= alloc_ptr, done <= resv_ptr,
 * alloc_ptr - freed <= slots of the pool <= 2^(bits - 1), so that differences are never ambiguous.
 *
 * Writing (adds_push)
 *   W1 reserve. One compare-and-swap moves resv_ptr, and never beyond the alloc_ptr *in the same word*: a slot that is
 *      reserved always has its block, so a writer never waits between reserving and writing, whatever the pool does.
 *      That makes an exhausted pool harmless: a writer that could reserve nothing keeps its entries, and no reader
 *      expects them. Acquire: the mapping was stored before alloc_ptr grew (M3, release; the swaps of other writers in
 *      between continue its release sequence).
 *   W2 translate: block number -> block, from the writer's cache or the table. Plain relaxed read, ordered by W1.
 *   W3 write the entries: plain stores; no other thread may access the slots.
 *   W4 WFC += slots, release: publishes W3, and W1 with it.
 * Reading (adds_probe; the rule of section 5.4)
 *   R1 WFC, acquire. All additions are releases in one release sequence, so what was counted is visible.
 *   R2 WFC == segment: the whole segment is readable.
 *   R3 else resv_ptr, read after R1 (R1's acquire is the paper's second fence). Each slot that R1 counted was reserved
 *      before, so resv_ptr is at least as recent as they are; WFC == slots reserved in the segment means that those
 *      counted are exactly those reserved: readable to resv_ptr. Otherwise no slot of this segment is readable yet.
 *   R4 the location goes to a reader through a word stored with release and read with acquire.
 * Done
 *   D1 the reader no longer needs the slots: RDC += slots, acquire and release. The thread whose addition makes RDC the
 *      block's size owns the block: every slot was read, so every slot was written and no writer accesses it again. It
 *      zeroes WFCs and RDC, then marks the table's word, release.
 *   D2 after the activations were pushed: DWC += slots, release. So a thread that sees DWC (acquire) and then reads
 *      resv_ptr sees the pushes of the work that DWC counts: DWC == resv_ptr in that order means that the bucket was
 *      quiet at a moment between the two reads.
 * Memory (adds_memory)
 *   M1 the manager serves buckets whose bit in `needs_blocks` is set. A writer sets the bit when it leaves fewer than
 * two blocks of free slots and the bit is clear; a reader when it marks a block. The relaxed test of the bit may miss
 *      a top-up once; a writer that finds no free slot sets it unconditionally (release, after its read of `ends`), so
 *      no top-up is missed a second time.
 *   M2 free blocks in FIFO order while the oldest block is marked (acquire: D1's zeroes come before the next mapping).
 *   M3 map blocks until two lie ahead of resv_ptr: table's word, then alloc_ptr, release.
 *
 * Translation caches are private to a writer. A cached pair would become wrong when the index has wrapped once, so
 * `lap` counts such wraps, before the mapping that begins a lap (M3); a writer that has reserved in the new lap sees it
 * by W1 and empties its cache. A pair cached in a lap is thus never read in the next one.
 */
#ifndef ORDO_ADDS_QUEUE_H
#define ORDO_ADDS_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/types.h>

#include "layout.h"

#define ADDS_FN static inline __attribute__((unused))

#ifndef ADDS_INDEX_BITS
#define ADDS_INDEX_BITS 32
#endif
/* Tests put delays here; the argument names the step that comes next. */
#ifndef ADDS_HOOK
#define ADDS_HOOK(_step) ((void)0)
#endif

#define ADDS_INDEX_MASK ((ordo_u32)(0xffffffffu >> (32 - ADDS_INDEX_BITS)))
/* Slots of the largest pool. */
#define ADDS_MOST (((ordo_u64)ADDS_INDEX_MASK + 1) / 2)

/* The number of slots from b to a. */
ADDS_FN ordo_u32 adds_ahead(ordo_u32 a, ordo_u32 b)
{
    return (a - b) & ADDS_INDEX_MASK;
}

typedef struct adds_bucket {
    ordo_u64 ends; /* resv_ptr | alloc_ptr << 32 */
    ordo_u64 padding0[7];
    ordo_u32 done; /* DWC */
    ordo_u32 padding1[15];
    ordo_u32 read, assigned, freed; /* the manager's */
    ordo_u32 padding2[13];
} adds_bucket;

typedef struct adds_block {
    ordo_u32 read; /* RDC */
    ordo_u32 home; /* index of its word in `table` */
} adds_block;

typedef struct adds_queue {
    adds_layout layout;
    char *pool;           /* [blocks << block_shift] entries */
    adds_block *block;    /* [blocks] */
    ordo_u32 *written;    /* WFC, [blocks << (block_shift - segment_shift)] */
    ordo_u32 *table;      /* bk_ptr, [buckets << table_shift] */
    adds_bucket *bucket;  /* [buckets] */
    ordo_u32 *free;       /* [blocks] the manager's stack: the last used block is reused first, since it may be in the
                             cache */
    ordo_u32 free_count;  /* changed by the manager alone, by adds_set_free; a probe reads it */
    ordo_u32 blocks_used; /* the most blocks that were mapped at once */
    ordo_u64 padding0[8];
    ordo_u32 needs_blocks; /* a bit for each bucket that the memory role should serve */
    ordo_u32 dry;          /* the pool has no free block */
    ordo_u32 lap;
    ordo_u32 padding1[13];
} adds_queue;

/* A writer's private translation cache: block number << 32 | block, direct-mapped; all ones: empty. */
typedef struct adds_writer {
    ordo_u64 cache[ADDS_MAX_BUCKETS][ADDS_CACHE];
    ordo_u32 lap;
} adds_writer;

ADDS_FN void adds_writer_init(adds_writer *w)
{
    memset(w->cache, 0xff, sizeof w->cache);
    w->lap = 0;
}

/* Bytes of a queue with that layout: the pool and its tables. */
ADDS_FN ordo_u64 adds_bytes(const adds_layout *s)
{
    ordo_u64 slots = (ordo_u64)s->blocks << s->block_shift;
    return slots * s->entry + (slots >> s->segment_shift) * sizeof(ordo_u32) +
           s->blocks * (sizeof(adds_block) + sizeof(ordo_u32)) +
           ((ordo_u64)s->buckets << s->table_shift) * sizeof(ordo_u32) + s->buckets * sizeof(adds_bucket);
}

ADDS_FN void adds_queue_free(adds_queue *q)
{
    ordo_free(q->pool);
    ordo_free(q->block);
    ordo_free(q->written);
    ordo_free(q->table);
    ordo_free(q->bucket);
    ordo_free(q->free);
    *q = (adds_queue){.pool = NULL};
}

/* False if memory is short; adds_queue_free must be called then, too. The pool is not initialised. */
ADDS_FN bool adds_queue_init(adds_queue *q, const adds_layout *s)
{
    ordo_u64 slots = (ordo_u64)s->blocks << s->block_shift;
    *q = (adds_queue){.layout = *s};
    q->pool = (char *)ordo_alloc(slots, s->entry);
    q->block = (adds_block *)ordo_alloc_zero(s->blocks, sizeof(adds_block));
    q->written = (ordo_u32 *)ordo_alloc_zero(slots >> s->segment_shift, sizeof(ordo_u32));
    q->table = (ordo_u32 *)ordo_alloc_zero((size_t)s->buckets << s->table_shift, sizeof(ordo_u32));
    q->bucket = (adds_bucket *)ordo_alloc_zero(s->buckets, sizeof(adds_bucket));
    q->free = (ordo_u32 *)ordo_alloc(s->blocks, sizeof(ordo_u32));
    if (!q->pool || !q->block || !q->written || !q->table || !q->bucket || !q->free)
        return false;
    while (q->free_count < s->blocks) {
        q->free[q->free_count] = s->blocks - 1 - q->free_count;
        q->free_count++;
    }
    ordo_u32 start = s->start & ADDS_INDEX_MASK & ~(((ordo_u32)1 << s->block_shift) - 1);
    for (ordo_u32 b = 0; b < s->buckets; b++) {
        adds_bucket *bucket = &q->bucket[b];
        bucket->ends = start | (ordo_u64)start << 32;
        bucket->done = bucket->read = bucket->assigned = bucket->freed = start;
    }
    q->needs_blocks = s->buckets == 32 ? 0xffffffffu : ((ordo_u32)1 << s->buckets) - 1;
    return true;
}

ADDS_FN ordo_u32 adds_resv(ordo_u64 ends)
{
    return (ordo_u32)ends;
}
ADDS_FN ordo_u32 adds_alloc(ordo_u64 ends)
{
    return (ordo_u32)(ends >> 32);
}
ADDS_FN ordo_u32 *adds_table_word(adds_queue *q, ordo_u32 b, ordo_u32 index)
{
    ordo_u32 number = (index & ADDS_INDEX_MASK) >> q->layout.block_shift;
    return &q->table[(b << q->layout.table_shift) + (number & (((ordo_u32)1 << q->layout.table_shift) - 1))];
}
ADDS_FN ordo_u32 *adds_wfc(adds_queue *q, ordo_u32 block, ordo_u32 index)
{
    ordo_u32 in_block = index & (((ordo_u32)1 << q->layout.block_shift) - 1);
    return &q->written[((ordo_u64)block << (q->layout.block_shift - q->layout.segment_shift)) +
                       (in_block >> q->layout.segment_shift)];
}
ADDS_FN void adds_call_memory(adds_queue *q, ordo_u32 b)
{
    __atomic_fetch_or(&q->needs_blocks, (ordo_u32)1 << b, __ATOMIC_RELEASE);
}

/* ---- writers ---- */

/* W1: reserves up to `want` slots, from *first on. Returns their number; 0 if the bucket has no free slots now. */
ADDS_FN ordo_u32 adds_reserve(adds_queue *q, ordo_u32 b, ordo_u32 want, ordo_u32 *first)
{
    adds_bucket *bucket = &q->bucket[b];
    ordo_u64 ends = __atomic_load_n(&bucket->ends, __ATOMIC_RELAXED), next;
    ordo_u32 capacity, take;
    do {
        *first = adds_resv(ends);
        capacity = adds_ahead(adds_alloc(ends), *first);
        take = want < capacity ? want : capacity;
        if (!take)
            return 0;
        next = (ends & ~(ordo_u64)0xffffffffu) | ((*first + take) & ADDS_INDEX_MASK);
        ADDS_HOOK("W1");
    } while (!__atomic_compare_exchange_n(&bucket->ends, &ends, next, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
    if (capacity - take < (ordo_u32)ADDS_AHEAD << q->layout.block_shift &&
        !(__atomic_load_n(&q->needs_blocks, __ATOMIC_RELAXED) >> b & 1))
        adds_call_memory(q, b);
    return take;
}

/* W2. */
ADDS_FN ordo_u32 adds_translate(adds_queue *q, adds_writer *w, ordo_u32 b, ordo_u32 index)
{
    ordo_u32 number = (index & ADDS_INDEX_MASK) >> q->layout.block_shift;
    ordo_u64 *cached = &w->cache[b][number % ADDS_CACHE];
    if (*cached >> 32 == number)
        return (ordo_u32)*cached;
    ordo_u32 block = __atomic_load_n(adds_table_word(q, b, index), __ATOMIC_RELAXED) >> 1;
    *cached = (ordo_u64)number << 32 | block;
    return block;
}

/* W2 to W4: fills the reserved slots. `entry`, the bytes of an entry, is a constant at every call. */
ADDS_FN __attribute__((always_inline)) void adds_write(adds_queue *q, adds_writer *w, ordo_u32 b, ordo_u32 first,
                                                       const void *entries, ordo_u32 count, const size_t entry)
{
    const ordo_u32 segment = (ordo_u32)1 << q->layout.segment_shift, block = (ordo_u32)1 << q->layout.block_shift;
    ordo_u32 lap = __atomic_load_n(&q->lap, __ATOMIC_RELAXED);
    if (lap != w->lap) {
        adds_writer_init(w);
        w->lap = lap;
    }
    const char *from = (const char *)entries;
    while (count) {
        ordo_u32 piece = segment - (first & (segment - 1));
        if (piece > count)
            piece = count;
        ordo_u32 to = adds_translate(q, w, b, first);
        ADDS_HOOK("W3");
        memcpy(q->pool + (((ordo_u64)to << q->layout.block_shift) + (first & (block - 1))) * entry, from,
               piece * entry);
        ADDS_HOOK("W4");
        __atomic_fetch_add(adds_wfc(q, to, first), piece, __ATOMIC_RELEASE);
        first += piece;
        from += piece * entry;
        count -= piece;
    }
}

/* Pushes entries from the front of `entries` while there are free slots; returns their number. */
ADDS_FN __attribute__((always_inline)) ordo_u32 adds_push(adds_queue *q, adds_writer *w, ordo_u32 b,
                                                          const void *entries, ordo_u32 count, const size_t entry)
{
    ordo_u32 pushed = 0, first, take;
    while (pushed < count && (take = adds_reserve(q, b, count - pushed, &first)) != 0) {
        adds_write(q, w, b, first, (const char *)entries + pushed * entry, take, entry);
        pushed += take;
    }
    return pushed;
}

ADDS_FN bool adds_has_room(const adds_queue *q, ordo_u32 b)
{
    ordo_u64 ends = __atomic_load_n(&q->bucket[b].ends, __ATOMIC_RELAXED);
    return adds_alloc(ends) != adds_resv(ends);
}

/* ---- the manager: probe ---- */

/* R1 to R3: moves `read` to the end of the written slots. Returns how many slots are readable and not assigned. */
ADDS_FN ordo_u32 adds_probe(adds_queue *q, ordo_u32 b)
{
    adds_bucket *bucket = &q->bucket[b];
    const ordo_u32 segment = (ordo_u32)1 << q->layout.segment_shift;
    /* While resv_ptr is ahead, the slot at `read` is reserved and so has its block. */
    while (adds_resv(__atomic_load_n(&bucket->ends, __ATOMIC_RELAXED)) != bucket->read) {
        ordo_u32 begin = bucket->read & ~(segment - 1);
        ordo_u32 block = __atomic_load_n(adds_table_word(q, b, begin), __ATOMIC_RELAXED) >> 1;
        ordo_u32 written = __atomic_load_n(adds_wfc(q, block, begin), __ATOMIC_ACQUIRE);
        ADDS_HOOK("R3");
        if (written == segment) {
            bucket->read = (begin + segment) & ADDS_INDEX_MASK;
            continue;
        }
        ordo_u32 resv = adds_resv(__atomic_load_n(&bucket->ends, __ATOMIC_RELAXED));
        if (written == adds_ahead(resv, begin))
            bucket->read = resv;
        break;
    }
    return adds_ahead(bucket->read, bucket->assigned);
}

/* Assigns up to `most` readable slots of one block; returns their number, and sets *location to their place in the
 * pool. */
ADDS_FN ordo_u32 adds_take(adds_queue *q, ordo_u32 b, ordo_u32 most, ordo_u32 *location)
{
    adds_bucket *bucket = &q->bucket[b];
    ordo_u32 size = adds_ahead(bucket->read, bucket->assigned);
    ordo_u32 in_block = bucket->assigned & (((ordo_u32)1 << q->layout.block_shift) - 1);
    ordo_u32 rest = ((ordo_u32)1 << q->layout.block_shift) - in_block;
    size = size < most ? size : most;
    size = size < rest ? size : rest;
    if (!size)
        return 0;
    ordo_u32 block = __atomic_load_n(adds_table_word(q, b, bucket->assigned), __ATOMIC_RELAXED) >> 1;
    *location = (block << q->layout.block_shift) + in_block;
    bucket->assigned = (bucket->assigned + size) & ADDS_INDEX_MASK;
    return size;
}

/* ---- readers ---- */

/* D1: counts `size` slots from `location` on as read. */
ADDS_FN void adds_done_reading(adds_queue *q, ordo_u32 location, ordo_u32 size)
{
    const adds_layout *s = &q->layout;
    ordo_u32 index = location >> s->block_shift;
    adds_block *block = &q->block[index];
    ADDS_HOOK("D1");
    if (__atomic_add_fetch(&block->read, size, __ATOMIC_ACQ_REL) != (ordo_u32)1 << s->block_shift)
        return;
    ordo_u32 *wfc = adds_wfc(q, index, 0), segments = (ordo_u32)1 << (s->block_shift - s->segment_shift);
    for (ordo_u32 i = 0; i < segments; i++)
        __atomic_store_n(&wfc[i], 0, __ATOMIC_RELAXED);
    __atomic_store_n(&block->read, 0, __ATOMIC_RELAXED);
    ordo_u32 home = __atomic_load_n(&block->home, __ATOMIC_RELAXED);
    __atomic_store_n(&q->table[home], index << 1 | 1, __ATOMIC_RELEASE);
    adds_call_memory(q, home >> s->table_shift);
}

/* D2: counts `size` items of bucket b as processed. What they activated must be pushed, or counted elsewhere. */
ADDS_FN void adds_done_work(adds_queue *q, ordo_u32 b, ordo_u32 size)
{
    ADDS_HOOK("D2");
    __atomic_fetch_add(&q->bucket[b].done, size, __ATOMIC_RELEASE);
}

ADDS_FN ordo_u32 adds_dwc(const adds_queue *q, ordo_u32 b)
{
    return __atomic_load_n(&q->bucket[b].done, __ATOMIC_ACQUIRE) & ADDS_INDEX_MASK;
}

/* Whether all slots that were reserved are processed; see D2. */
ADDS_FN bool adds_complete(const adds_queue *q, ordo_u32 b)
{
    ordo_u32 done = adds_dwc(q, b);
    return done == adds_resv(__atomic_load_n(&q->bucket[b].ends, __ATOMIC_RELAXED));
}

/* ---- the manager: memory ---- */

/* Relaxed: the manager reads its own word, and a probe of the trace only its value. */
ADDS_FN void adds_set_free(adds_queue *q, ordo_u32 count)
{
    __atomic_store_n(&q->free_count, count, __ATOMIC_RELAXED);
}

/* M2 and M3 for one bucket; false if it needs a block and none is free. */
ADDS_FN bool adds_memory_of(adds_queue *q, ordo_u32 b)
{
    adds_bucket *bucket = &q->bucket[b];
    const ordo_u32 size = (ordo_u32)1 << q->layout.block_shift;
    for (;;) {
        ordo_u64 ends = __atomic_load_n(&bucket->ends, __ATOMIC_RELAXED);
        ordo_u32 resv = adds_resv(ends), alloc = adds_alloc(ends);
        while (bucket->freed != alloc) {
            ordo_u32 word = __atomic_load_n(adds_table_word(q, b, bucket->freed), __ATOMIC_ACQUIRE);
            if (!(word & 1))
                break;
            q->free[q->free_count] = word >> 1;
            adds_set_free(q, q->free_count + 1);
            bucket->freed = (bucket->freed + size) & ADDS_INDEX_MASK;
        }
        /* If few blocks are left, one block ahead is enough: the last ones are for buckets without free slots. */
        ordo_u32 want = q->free_count > q->layout.buckets ? (ordo_u32)ADDS_AHEAD << q->layout.block_shift : size;
        if (adds_ahead(alloc, resv) >= want)
            return true;
        if (!q->free_count)
            return false;
        adds_set_free(q, q->free_count - 1);
        ordo_u32 block = q->free[q->free_count];
        if (q->layout.blocks - q->free_count > q->blocks_used)
            q->blocks_used = q->layout.blocks - q->free_count;
        ordo_u32 *word = adds_table_word(q, b, alloc);
        __atomic_store_n(&q->block[block].home, (ordo_u32)(word - q->table), __ATOMIC_RELAXED);
        __atomic_store_n(word, block << 1, __ATOMIC_RELAXED);
        if (alloc == 0)
            __atomic_store_n(&q->lap, q->lap + 1, __ATOMIC_RELAXED); /* published by M3 */
        ADDS_HOOK("M3");
        ordo_u64 next;
        do
            next = (ordo_u64)((alloc + size) & ADDS_INDEX_MASK) << 32 | adds_resv(ends);
        while (!__atomic_compare_exchange_n(&bucket->ends, &ends, next, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    }
}

/* M1: serves the buckets whose bit in `needs_blocks` is set, the one at `head` first. */
ADDS_FN void adds_memory(adds_queue *q, ordo_u32 head)
{
    if (!__atomic_load_n(&q->needs_blocks, __ATOMIC_RELAXED))
        return;
    ordo_u32 needs_blocks = __atomic_exchange_n(&q->needs_blocks, 0, __ATOMIC_ACQUIRE), unserved = 0;
    for (ordo_u32 i = 0, b = head; i < q->layout.buckets; i++, b = b + 1 == q->layout.buckets ? 0 : b + 1)
        if (needs_blocks >> b & 1 && !adds_memory_of(q, b))
            unserved |= (ordo_u32)1 << b;
    if (unserved)
        __atomic_fetch_or(&q->needs_blocks, unserved, __ATOMIC_RELAXED);
    __atomic_store_n(&q->dry, unserved != 0, __ATOMIC_RELAXED);
}

#endif
