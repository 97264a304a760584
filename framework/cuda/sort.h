/* sort.h -- sorts pairs of words on the device, stably. */
#ifndef ORDO_CUDA_SORT_H
#define ORDO_CUDA_SORT_H

#include <ordo/scheduler/cuda_host.h>

/* `count` keys of which `bits` bits count, 1 or more, and a value of `width` bytes for each, 4 or 8. In place 0 of both
 * arrays, on the device; place 1 is room for as many. */
typedef struct ordo_sort {
    ordo_u32 *key[2];
    void *value[2];
    ordo_u64 count;
    size_t width;
    int bits;
} ordo_sort;

/* Sorts the values by their keys; values of equal keys keep their order. Exchanges the places so that 0 has the result.
 * `room` is *bytes of the device; NULL: only sets *bytes, and reads of *sort but count, width and bits nothing.
 * Asynchronous. */
cudaError_t ordo_sort_pairs(ordo_sort *sort, void *room, size_t *bytes);

#endif
