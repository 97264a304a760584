/* cell.h -- loads, stores and compare-and-swap of one cell on the CPU, relaxed, each of the whole cell.
 *
 * A template, included by <ordo/detail/cpu/relax.h>. Numbers take the compiler's atomics. A struct takes those of a
 * word of its size, through a type that may alias it, since the compiler has none for a struct that is aligned to less
 * than its size. A cell of 16 bytes takes cmpxchg16b for all three, on x86-64, where every processor of the last twenty
 * years has it: a load that is no compare-and-swap is not known to be whole, and a store has to be ordered with the
 * swaps of others. So a load writes what it has read, and costs as much as a swap. For other processors cells of 16
 * bytes are refused.
 */
#include <ordo/detail/cpu/base.h>

#if ORDO_OP_STRUCT

#if defined(__cplusplus)
#define ORDO_CELL_ASSERT(_holds, _text) static_assert(_holds, _text)
#else
#define ORDO_CELL_ASSERT(_holds, _text) _Static_assert(_holds, _text)
#endif

#if defined(__x86_64__)
enum { op_has_swap16 = 1 };
/* If the 16 bytes at p are `expected`, makes them `value` and returns true; else *expected becomes what they are. */
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
enum { op_has_swap16 = 0 };
ORDO_INLINE bool ordo_swap16(void *p, ordo_u64 expected[2], const ordo_u64 value[2])
{
    (void)p;
    (void)expected;
    (void)value;
    return false;
}
#endif
ORDO_CELL_ASSERT(sizeof(op_cell) != 16 || op_has_swap16,
                 "cells of 16 bytes need a compare-and-swap of 16 bytes, which this processor is not known to have");

typedef ordo_u32 op_word4 __attribute__((may_alias));
typedef ordo_u64 op_word8 __attribute__((may_alias));
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
        static const ordo_u64 zero[2] = {0, 0};
        now.word16[0] = now.word16[1] = 0;
        ordo_swap16((void *)(size_t)cell, now.word16, zero);
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
