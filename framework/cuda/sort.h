/* sort.h -- sorts pairs of words on the device, stably; adds words up. */
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

/* Bits that keys below `n` have. */
static inline int ordo_sort_bits(ordo_u32 n)
{
    int bits = 1;
    while (bits < 32 && n && (n - 1) >> bits)
        bits++;
    return bits;
}

/* Sorts the values by their keys; values of equal keys keep their order. Exchanges the places so that 0 has the result.
 * `room` is *bytes of the device; NULL: only sets *bytes, and reads of *sort but count, width and bits nothing.
 * Asynchronous. */
cudaError_t ordo_sort_pairs(ordo_sort *sort, void *room, size_t *bytes);

/* Each of `count` words becomes the sum of those before it. `room` as above. Asynchronous. */
cudaError_t ordo_sum_before(ordo_u32 *word, ordo_u64 count, void *room, size_t *bytes);

#endif
