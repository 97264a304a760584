/* copy.h -- between the host's memory and the device's, through pinned staging. */
#ifndef ORDO_CUDA_COPY_H
#define ORDO_CUDA_COPY_H

#include <ordo/scheduler/cuda_host.h>

/* Writes elements begin .. begin + count - 1 of `from` to `to`. Several threads may be at it, each in a part of its
 * own. */
typedef void ordo_copy_fill(const void *from, void *to, ordo_u64 begin, ordo_u64 count);

/* `count` elements of `size` bytes to the device. fill NULL: they lie in `from` as they are to lie there. */
ordo_status ordo_copy_in(void *to, const void *from, ordo_u64 count, size_t size, ordo_copy_fill *fill, int threads,
                         const char *what);
ordo_status ordo_copy_out(void *to, const void *from, ordo_u64 bytes, int threads, const char *what);

#endif
