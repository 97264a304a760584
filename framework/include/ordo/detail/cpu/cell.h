/* cell.h -- loads, stores and compare-and-swap of one cell on the CPU, relaxed, each of the whole cell.
 *
 * A template, included by <ordo/detail/cpu/relax.h>. Numbers take the compiler's atomics. A struct takes those of a
 * word of its size, through a type that may alias it, since the compiler has none for a struct that is aligned to less
 * than its size.
 *
 * Cells of 16 bytes. The compilers' own atomics of that size are calls of a library, which may lock, and
 * __atomic_always_lock_free(16) is false with GCC 12 for x86-64, AArch64 and RISC-V. So:
 *   x86-64   cmpxchg16b, which every processor of the last twenty years has
 *   AArch64  ldxp and stxp, which every processor has. Where words differ from those expected, what was read is
 *            stored again: the two words of an ldxp are known to be of one moment only if the stxp succeeds (Arm
 *            Architecture Reference Manual, "Requirements for single-copy atomicity"). The compare-and-swap of GCC
 *            12 and of its libgcc leaves that store out
 *   others   versions, below. Then sync `atomic` and `racy` are refused, since their accesses would wait for each
 *            other; `lock` and `server` run. -DORDO_NO_SWAP16 takes this form on any processor, for tests
 * In the first two a load writes what it has read, and costs as much as a swap: a load that is no compare-and-swap is
 * not known to be whole, and a store has to be ordered with the swaps of others.
 */
#include <ordo/detail/cpu/base.h>

#if ORDO_OP_STRUCT

typedef ordo_u32 op_word4 __attribute__((may_alias));
typedef ordo_u64 op_word8 __attribute__((may_alias));

#if defined(ORDO_NO_SWAP16) || !(defined(__x86_64__) || defined(__aarch64__))
enum { op_has_swap16 = 0 };

/* Versions (a sequence lock: Boehm, Can seqlocks get along with programming language memory models, MSPC 2012). A
 * version belongs to the cells of some addresses. It is odd while one of these is written. A writer makes it odd by a
 * compare-and-swap, which excludes other writers, stores both words, and makes it the next even number. A reader loads
 * the version, both words, and the version again, until it has read the same even number twice.
 *
 * Memory order. The first load of a version acquires from the store that made it even, so the words are as that writer
 * left them, or newer. If one is newer, its load acquires from its store, which comes behind the compare-and-swap of
 * its writer: so the second load of the version finds that odd number, or a later one, and the reader tries again. The
 * words are atomic themselves, so nothing is a data race. A version of 64 bits does not come round. No thread holds one
 * while it waits for anything. */
enum { ORDO_VERSIONS = 1 << 12 };
__attribute__((unused)) static ordo_u64 op_versions[ORDO_VERSIONS];

ORDO_INLINE ordo_u64 *op_version_of(const void *p)
{
    return &op_versions[(size_t)p / 16 % ORDO_VERSIONS];
}

ORDO_INLINE void op_wait_version(int *spins)
{
    ordo_pause();
    if (++*spins % 64 == 0)
        ordo_yield();
}

ORDO_INLINE void ordo_load16(const void *p, ordo_u64 out[2])
{
    const ordo_u64 *version = op_version_of(p);
    const op_word8 *word = (const op_word8 *)p;
    for (int spins = 0;; op_wait_version(&spins)) {
        const ordo_u64 before = __atomic_load_n(version, __ATOMIC_ACQUIRE);
        out[0] = __atomic_load_n(&word[0], __ATOMIC_ACQUIRE);
        out[1] = __atomic_load_n(&word[1], __ATOMIC_ACQUIRE);
        if (before % 2 == 0 && __atomic_load_n(version, __ATOMIC_RELAXED) == before)
            return;
    }
}

ORDO_INLINE bool ordo_swap16(void *p, ordo_u64 expected[2], const ordo_u64 value[2])
{
    ordo_u64 *version = op_version_of(p), before = 0;
    op_word8 *word = (op_word8 *)p;
    for (int spins = 0;; op_wait_version(&spins)) {
        before = __atomic_load_n(version, __ATOMIC_RELAXED);
        if (before % 2 == 0 &&
            __atomic_compare_exchange_n(version, &before, before + 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            break;
    }
    const ordo_u64 low = __atomic_load_n(&word[0], __ATOMIC_RELAXED);
    const ordo_u64 high = __atomic_load_n(&word[1], __ATOMIC_RELAXED);
    const bool same = low == expected[0] && high == expected[1];
    if (same) {
        __atomic_store_n(&word[0], value[0], __ATOMIC_RELEASE);
        __atomic_store_n(&word[1], value[1], __ATOMIC_RELEASE);
    }
    __atomic_store_n(version, before + 2, __ATOMIC_RELEASE);
    expected[0] = low;
    expected[1] = high;
    return same;
}

#else
enum { op_has_swap16 = 1 };

/* If the 16 bytes at p are `expected`, makes them `value` and returns true; else *expected becomes what they are. */
#if defined(__x86_64__)
ORDO_INLINE bool ordo_swap16(void *p, ordo_u64 expected[2], const ordo_u64 value[2])
{
    bool swapped;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(swapped), "+m"(*(char(*)[16])p), "+a"(expected[0]), "+d"(expected[1])
                     : "b"(value[0]), "c"(value[1])
                     : "memory");
    return swapped;
}
#else
ORDO_INLINE bool ordo_swap16(void *p, ordo_u64 expected[2], const ordo_u64 value[2])
{
    ordo_u64 low, high, low_put, high_put;
    ordo_u32 flag;
    __asm__ volatile("1: ldxp %0, %1, %5\n\t"
                     "cmp %0, %6\n\t"
                     "ccmp %1, %7, #0, eq\n\t"
                     "csel %2, %8, %0, eq\n\t"
                     "csel %3, %9, %1, eq\n\t"
                     "stxp %w4, %2, %3, %5\n\t"
                     "cbnz %w4, 1b\n\t"
                     "cset %w4, eq"
                     : "=&r"(low), "=&r"(high), "=&r"(low_put), "=&r"(high_put), "=&r"(flag), "+Q"(*(char(*)[16])p)
                     : "r"(expected[0]), "r"(expected[1]), "r"(value[0]), "r"(value[1])
                     : "cc", "memory");
    expected[0] = low;
    expected[1] = high;
    return flag != 0;
}
#endif

ORDO_INLINE void ordo_load16(const void *p, ordo_u64 out[2])
{
    static const ordo_u64 zero[2] = {0, 0};
    out[0] = out[1] = 0;
    ordo_swap16((void *)(size_t)p, out, zero);
}
#endif

/* The syncs of an instance, as ordo_instance has them. */
enum { op_cpu_syncs = sizeof(op_cell) == 16 && !op_has_swap16 ? 1 << ORDO_SYNC_LOCK | 1 << ORDO_SYNC_SERVER : 0 };

typedef union op_words {
    op_cell cell;
    ordo_u32 word4;
    ordo_u64 word8;
    ordo_u64 word16[2];
} op_words;

ORDO_INLINE op_cell op_load(const op_cell *cell)
{
    op_words now;
    if (sizeof(op_cell) == 16) {
        ordo_load16(cell, now.word16);
    } else if (sizeof(op_cell) == 8) {
        now.word8 = __atomic_load_n((const op_word8 *)(const void *)cell, __ATOMIC_RELAXED);
    } else {
        now.word4 = __atomic_load_n((const op_word4 *)(const void *)cell, __ATOMIC_RELAXED);
    }
    return now.cell;
}

ORDO_INLINE bool op_swap(op_cell *cell, op_cell *expected, const op_cell *value)
{
    op_words old, now;
    bool swapped;
    old.cell = *expected;
    now.cell = *value;
    if (sizeof(op_cell) == 16)
        swapped = ordo_swap16(cell, old.word16, now.word16);
    else if (sizeof(op_cell) == 8)
        swapped = __atomic_compare_exchange_n((op_word8 *)(void *)cell, &old.word8, now.word8, false, __ATOMIC_RELAXED,
                                              __ATOMIC_RELAXED);
    else
        swapped = __atomic_compare_exchange_n((op_word4 *)(void *)cell, &old.word4, now.word4, false, __ATOMIC_RELAXED,
                                              __ATOMIC_RELAXED);
    *expected = old.cell;
    return swapped;
}

ORDO_INLINE void op_store(op_cell *cell, op_cell value)
{
    op_words now;
    now.cell = value;
    if (sizeof(op_cell) == 16) {
        op_cell old = op_load(cell);
        while (!op_swap(cell, &old, &value))
            ;
    } else if (sizeof(op_cell) == 8) {
        __atomic_store_n((op_word8 *)(void *)cell, now.word8, __ATOMIC_RELAXED);
    } else {
        __atomic_store_n((op_word4 *)(void *)cell, now.word4, __ATOMIC_RELAXED);
    }
}

/* A value in memory that another word publishes: acquire and release of that word order these. */
ORDO_INLINE op_cell op_get(const op_cell *value)
{
    return *value;
}
ORDO_INLINE void op_put(op_cell *place, op_cell value)
{
    *place = value;
}

#else

enum { op_cpu_syncs = 0 }; /* all */

ORDO_INLINE op_cell op_load(const op_cell *cell)
{
    op_cell value;
    __atomic_load(cell, &value, __ATOMIC_RELAXED);
    return value;
}

ORDO_INLINE void op_store(op_cell *cell, op_cell value)
{
    __atomic_store(cell, &value, __ATOMIC_RELAXED);
}

/* May fail for no reason. */
ORDO_INLINE bool op_swap(op_cell *cell, op_cell *expected, op_cell *value)
{
    return __atomic_compare_exchange(cell, expected, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

ORDO_INLINE op_cell op_get(const op_cell *value)
{
    return op_load(value);
}
ORDO_INLINE void op_put(op_cell *place, op_cell value)
{
    op_store(place, value);
}

#endif
