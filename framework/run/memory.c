/* memory.c -- allocation that is counted, aligned, and can be made to fail by tests.
 *
 * Every block is preceded by its size. Large blocks are aligned to huge pages and offered to the kernel as such. They
 * do not all begin at the same offset in a huge page: places of equal index in several arrays would be in the same set
 * of a cache, and have equal low bits of their addresses, by which processors compare a load with the stores before it.
 */
#define _DEFAULT_SOURCE /* madvise */
#include <ordo/memory.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <ordo/error.h>

/* The size of a block, in front of it, so that memory can be accounted for without help of the C library. */
typedef struct header {
    _Alignas(64) size_t bytes; /* the caller's */
    void *base;                /* what the C library gave */
} header;

/* Large blocks begin at one of OFFSETS places in a huge page: STEP apart, which are a page and some lines. */
enum { HUGE_PAGE = 2 << 20, HUGE_FROM = 1 << 20, STEP = 4096 + 320, OFFSETS = 12 };

static ordo_u64 now_bytes, peak_bytes;
static unsigned large_blocks;   /* so far */
static ordo_u64 fail_countdown; /* 0: never */

static int told_to_fail(void)
{
    ordo_u64 left = __atomic_load_n(&fail_countdown, __ATOMIC_RELAXED);
    while (left > 1)
        if (__atomic_compare_exchange_n(&fail_countdown, &left, left - 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return 0;
    return left == 1;
}

static void account(size_t bytes)
{
    ordo_u64 total = __atomic_add_fetch(&now_bytes, bytes, __ATOMIC_RELAXED);
    ordo_u64 peak = __atomic_load_n(&peak_bytes, __ATOMIC_RELAXED);
    while (peak < total &&
           !__atomic_compare_exchange_n(&peak_bytes, &peak, total, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static header *header_of(void *block)
{
    return (header *)block - 1;
}

void *ordo_alloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - 2 * (size_t)HUGE_PAGE) {
        ordo_fail(ORDO_ERR_MEMORY, "not enough memory: %zu elements of %zu bytes asked for", count, size);
        return NULL;
    }
    const bool large = bytes >= HUGE_FROM;
    const size_t align = large ? HUGE_PAGE : sizeof(header);
    const size_t offset =
        large ? __atomic_fetch_add(&large_blocks, 1, __ATOMIC_RELAXED) % (unsigned)OFFSETS * (size_t)STEP : 0;
    const size_t whole = (offset + sizeof(header) + bytes + align - 1) / align * align;
    char *base = told_to_fail() ? NULL : aligned_alloc(align, whole);
    if (!base) {
        ordo_fail(ORDO_ERR_MEMORY, "not enough memory: %zu bytes asked for, %llu held", bytes,
                  (unsigned long long)ordo_memory_now());
        return NULL;
    }
    if (large)
        madvise(base, whole, MADV_HUGEPAGE); /* advice: a refusal changes nothing */
    header *const h = (header *)(void *)(base + offset);
    *h = (header){.bytes = bytes, .base = base};
    account(bytes);
    return h + 1;
}

void *ordo_alloc_zero(size_t count, size_t size)
{
    void *block = ordo_alloc(count, size);
    if (block)
        memset(block, 0, header_of(block)->bytes);
    return block;
}

void *ordo_realloc(void *block, size_t count, size_t size)
{
    void *fresh = ordo_alloc(count, size);
    if (fresh && block) {
        size_t old = header_of(block)->bytes, new = header_of(fresh)->bytes;
        memcpy(fresh, block, old < new ? old : new);
        ordo_free(block);
    }
    return fresh;
}

void ordo_free(void *block)
{
    if (!block)
        return;
    __atomic_sub_fetch(&now_bytes, header_of(block)->bytes, __ATOMIC_RELAXED);
    free(header_of(block)->base);
}

ordo_u64 ordo_memory_now(void)
{
    return __atomic_load_n(&now_bytes, __ATOMIC_RELAXED);
}

ordo_u64 ordo_memory_peak(void)
{
    return __atomic_load_n(&peak_bytes, __ATOMIC_RELAXED);
}

void ordo_memory_reset_peak(void)
{
    __atomic_store_n(&peak_bytes, ordo_memory_now(), __ATOMIC_RELAXED);
}

void ordo_memory_fail_after(ordo_u64 n)
{
    __atomic_store_n(&fail_countdown, n, __ATOMIC_RELAXED);
}
