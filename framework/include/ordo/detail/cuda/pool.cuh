/* pool.cuh -- buckets over one pool of memory blocks, for schedulers on a GPU: finds the memory of a numbered slot.
 *
 * A bucket is an unbounded array of slots with 64-bit numbers, of which only some blocks have memory. Each bucket has a
 * circular table with a word for each block, which holds the block's number in the bucket and its index in the pool. So
 * a reader can tell whether a word belongs to the block that it needs; if not, it waits until the word is stored. The
 * scheduler decides when blocks are mapped and freed, and by which threads.
 *
 * Memory order. If a block of the pool may be freed and mapped again between two grid barriers, words are stored with
 * release and read with acquire: so accesses of the block's former use come before those of its present use. A thread
 * block caches words that it has read in shared memory (the translation cache), with release and acquire of block
 * scope; an outdated one is recognised by its number.
 *
 * All functions are called by one thread, unless they say otherwise.
 *
 * To be included after <ordo/scheduler/cuda.cuh>.
 */
#ifndef ORDO_CUDA_POOL_CUH
#define ORDO_CUDA_POOL_CUH

#include <ordo/detail/cuda/spill.cuh>

enum {
    ORDO_POOL_BUCKETS = 32, /* the most buckets: one per lane */
    ORDO_POOL_CACHE = 4,
    ORDO_POOL_MARK = 1 << 23,
    ORDO_POOL_BLOCKS = (1 << 23) - 1,    /* the most blocks */
    ORDO_POOL_NONE = ORDO_POOL_MARK - 1, /* in a word: the pool was exhausted, so these slots have no memory */
};

typedef struct ordo_dev_pool {
    ordo_u32 buckets, blocks, block_shift, table_shift;
    ordo_u64 *table; /* [buckets << table_shift] number << 24 | mark << 23 | block */
    void *slots;     /* [blocks << block_shift] entries */
    ordo_u32 cached; /* whether words are kept in shared memory */
} ordo_dev_pool;

/* A thread block's translation cache: words, direct-mapped by their number. */
typedef struct ordo_dev_pool_cache {
    ordo_u64 word[ORDO_POOL_BUCKETS][ORDO_POOL_CACHE];
} ordo_dev_pool_cache;

/* By a whole block: empties the cache. A barrier must follow. */
ORDO_DEV void ordo_pool_start(ordo_dev_pool_cache *cache)
{
    for (ordo_u32 i = threadIdx.x; i < ORDO_POOL_BUCKETS * ORDO_POOL_CACHE; i += blockDim.x)
        cache->word[i / ORDO_POOL_CACHE][i % ORDO_POOL_CACHE] = 0;
}

/* The number of a slot's block. Numbers begin at 1, so a word of 0 belongs to no block. */
ORDO_DEV ordo_u64 ordo_pool_number(const ordo_dev_pool &p, ordo_u64 slot)
{
    return (slot >> p.block_shift) + 1;
}
ORDO_DEV ordo_u64 *ordo_pool_word(const ordo_dev_pool &p, ordo_u32 b, ordo_u64 number)
{
    return &p.table[((ordo_u64)b << p.table_shift) + (number & (((ordo_u64)1 << p.table_shift) - 1))];
}
ORDO_DEV ordo_u64 ordo_pool_make(ordo_u64 number, ordo_u32 block)
{
    return number << 24 | block;
}
ORDO_DEV bool ordo_pool_is(ordo_u64 word, ordo_u64 number)
{
    return word >> 24 == (number & 0xffffffffffull);
}
ORDO_DEV ordo_u32 ordo_pool_block(ordo_u64 word)
{
    return (ordo_u32)word & (ORDO_POOL_MARK - 1);
}

/* The pool's block that holds a slot. Waits while another thread maps it. `ordered`: the block may have been freed by
 * another use since the last grid barrier. Otherwise that barrier orders all accesses, and loads are relaxed, because
 * an acquire invalidates the first-level cache. */
template <bool ordered>
ORDO_DEV ordo_u32 ordo_pool_translate(const ordo_dev_pool &p, ordo_dev_pool_cache *cache, ordo_u32 b, ordo_u64 slot)
{
    const ordo_u64 number = ordo_pool_number(p, slot);
    ordo_u64 *const cached = &cache->word[b][number % ORDO_POOL_CACHE], *const entry = ordo_pool_word(p, b, number);
    ordo_u64 word = !p.cached ? 0 : ordered ? ordo_dev_acquire_block(cached) : ordo_dev_load_block(cached);
    if (ordo_pool_is(word, number))
        return ordo_pool_block(word);
    do
        word = ordered ? ordo_dev_acquire(entry) : ordo_dev_load(entry);
    while (!ordo_pool_is(word, number));
    if (p.cached && ordered)
        ordo_dev_release_block(cached, word);
    else if (p.cached)
        ordo_dev_store_block(cached, word);
    return ordo_pool_block(word);
}

/* The index of a slot in `slots`. */
ORDO_DEV ordo_u64 ordo_pool_at(const ordo_dev_pool &p, ordo_u32 block, ordo_u64 slot)
{
    return ((ordo_u64)block << p.block_shift) + (slot & (((ordo_u64)1 << p.block_shift) - 1));
}
template <typename Entry>
ORDO_DEV void ordo_pool_put(const ordo_dev_pool &p, ordo_u32 block, ordo_u64 slot, Entry entry)
{
    ((Entry *)p.slots)[ordo_pool_at(p, block, slot)] = entry;
}
/* Loads an entry. Bypasses the first-level cache, which may hold outdated contents. */
template <typename Entry> ORDO_DEV Entry ordo_pool_get(const ordo_dev_pool &p, ordo_u64 at)
{
    Entry entry;
    static_assert(sizeof entry == 8 || sizeof entry == 16, "an entry is one load");
    if constexpr (sizeof(Entry) == 8) {
        unsigned long long word = __ldcg((const unsigned long long *)p.slots + at);
        memcpy(&entry, &word, sizeof entry);
    } else {
        ulonglong2 word = __ldcg((const ulonglong2 *)p.slots + at);
        memcpy(&entry, &word, sizeof entry);
    }
    return entry;
}

#endif
