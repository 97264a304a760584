/* copy.h -- copies between host and device memory, through pinned buffers. */
#ifndef ORDO_CUDA_COPY_H
#define ORDO_CUDA_COPY_H

#include <ordo/scheduler/cuda_host.h>

/* Writes elements begin .. begin + count - 1 of `from` to `to`. Several threads may call it at the same time, each for
 * another part. */
typedef void ordo_copy_fill(const void *from, void *to, ordo_u64 begin, ordo_u64 count);

/* Copies `count` elements of `size` bytes to the device. fill NULL: `from` has the layout of the device. */
ordo_status ordo_copy_in(void *to, const void *from, ordo_u64 count, size_t size, ordo_copy_fill *fill, int threads,
                         const char *what);
ordo_status ordo_copy_out(void *to, const void *from, ordo_u64 bytes, int threads, const char *what);

#endif
