/**
 * @file
 * Allocation: counted, aligned, and able to fail on purpose.
 *
 * For schedulers, readers and apps. Blocks of a megabyte and more are offered to the kernel as huge
 * pages: random access to cells and rows is bound by address translation otherwise. Memory is not initialised unless a
 * function says so: the thread that first writes a page determines its NUMA node.
 */
#ifndef ORDO_MEMORY_H
#define ORDO_MEMORY_H

#include <stddef.h>

#include <ordo/types.h>

ORDO_BEGIN_DECLS

/**
 * Allocates `count` elements of `size` bytes, at least 64-byte aligned, not initialised.
 * @param count  0 gives a valid block
 * @param size   bytes of an element
 * @return to be freed by ordo_free(). NULL where the product overflows or memory is short: ordo_last_error() says so,
 *         and the caller returns ORDO_ERR_MEMORY
 */
ORDO_API void *ordo_alloc(size_t count, size_t size);
/**
 * As ordo_alloc(), all bytes 0.
 * @param count  0 gives a valid block
 * @param size   bytes of an element
 * @return as of ordo_alloc()
 */
ORDO_API void *ordo_alloc_zero(size_t count, size_t size);
/**
 * Grows or shrinks a block of ordo_alloc(), keeping what fits.
 * @param block  may be NULL
 * @param count  elements
 * @param size   bytes of an element
 * @return the block, which may have moved; NULL where memory is short: the old block is then unchanged
 */
ORDO_API void *ordo_realloc(void *block, size_t count, size_t size);
/**
 * Frees a block of the functions above.
 * @param block  may be NULL
 */
ORDO_API void ordo_free(void *block);

/**
 * Bytes in blocks of the functions above, of the whole process.
 * @return bytes
 */
ORDO_API ordo_u64 ordo_memory_now(void);
/**
 * The most of these since ordo_memory_reset_peak().
 * @return bytes
 */
ORDO_API ordo_u64 ordo_memory_peak(void);
/** Makes the present number the peak. */
ORDO_API void ordo_memory_reset_peak(void);

/**
 * For tests: makes allocations fail.
 * @param n  the n-th allocation from here on (1 is the next) fails, and so do all after it; 0: none fails
 */
ORDO_API void ordo_memory_fail_after(ordo_u64 n);

ORDO_END_DECLS

#endif
