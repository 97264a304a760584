/* memory.h -- the framework's one way to the heap: counted, aligned, and able to fail on purpose.
 *
 * For schedulers, readers and apps. Blocks of a megabyte and more are offered to the kernel as huge
 * pages: random access to cells and rows is bound by address translation otherwise. Nothing is initialised
 * unless said: the thread that writes a page first decides the node that holds it.
 */
#ifndef ORDO_MEMORY_H
#define ORDO_MEMORY_H

#include <stddef.h>

#include <ordo/types.h>

ORDO_BEGIN_DECLS

/* `count` elements of `size` bytes, at least 64-byte aligned. count == 0 gives a valid block. NULL where the product
 * overflows or memory is short; the sentence for ordo_last_error() is set, the caller returns ORDO_ERR_MEMORY. */
ORDO_API void *ordo_alloc(size_t count, size_t size);
ORDO_API void *ordo_alloc_zero(size_t count, size_t size);
/* Grows or shrinks a block of ordo_alloc, keeping what fits. On NULL the old block stays as it is. */
ORDO_API void *ordo_realloc(void *block, size_t count, size_t size);
ORDO_API void ordo_free(void *block);

/* Bytes in blocks of the functions above now, and the most since ordo_memory_reset_peak(). Whole process. */
ORDO_API ordo_u64 ordo_memory_now(void);
ORDO_API ordo_u64 ordo_memory_peak(void);
ORDO_API void ordo_memory_reset_peak(void);

/* For tests: the n-th allocation from now on (1 is the next) fails, and so do all after it, until called with 0. */
ORDO_API void ordo_memory_fail_after(ordo_u64 n);

ORDO_END_DECLS

#endif
