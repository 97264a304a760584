/* sort.cu -- sorting and adding up on the device, by CUB; or by the C++ library, if a C++ compiler builds this for the
 * tests.
 *
 * This file alone includes CUB, which takes longer to compile than an operator. The number of pairs is a word of 8
 * bytes for all, so that there are two instances: CUB's passes over parts count in 4 bytes anyway.
 */
#include "sort.h"

#ifdef __CUDACC__
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

template <typename Value> static cudaError_t sort_pairs(ordo_sort *s, void *room, size_t *bytes)
{
    cub::DoubleBuffer<ordo_u32> key(s->key[0], s->key[1]);
    cub::DoubleBuffer<Value> value((Value *)s->value[0], (Value *)s->value[1]);
    const cudaError_t error = cub::DeviceRadixSort::SortPairs(room, *bytes, key, value, s->count, 0, s->bits);
    s->key[0] = key.Current();
    s->key[1] = key.Alternate();
    s->value[0] = value.Current();
    s->value[1] = value.Alternate();
    return error;
}
cudaError_t ordo_sum_before(ordo_u32 *word, ordo_u64 count, void *room, size_t *bytes)
{
    return cub::DeviceScan::ExclusiveSum(room, *bytes, word, word, count);
}
#else
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

/* Writes to place 1, as a sort with an odd number of passes does. */
template <typename Value> static cudaError_t sort_pairs(ordo_sort *s, void *room, size_t *bytes)
{
    if (!room) {
        *bytes = 1;
        return cudaSuccess;
    }
    const cudaError_t error = cudaDeviceSynchronize(); /* copies that came before */
    const ordo_u32 *const key = s->key[0], most = s->bits < 32 ? (1u << s->bits) - 1 : ~0u;
    std::vector<ordo_u64> order(s->count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [=](ordo_u64 a, ordo_u64 b) { return (key[a] & most) < (key[b] & most); });
    for (ordo_u64 i = 0; i < s->count; i++) {
        s->key[1][i] = key[order[i]];
        ((Value *)s->value[1])[i] = ((const Value *)s->value[0])[order[i]];
    }
    std::swap(s->key[0], s->key[1]);
    std::swap(s->value[0], s->value[1]);
    return error;
}

cudaError_t ordo_sum_before(ordo_u32 *word, ordo_u64 count, void *room, size_t *bytes)
{
    ordo_u32 sum = 0;
    *bytes = 1;
    for (ordo_u64 i = 0; i < count && room; i++)
        sum += std::exchange(word[i], sum);
    return cudaSuccess;
}
#endif

cudaError_t ordo_sort_pairs(ordo_sort *sort, void *room, size_t *bytes)
{
    return sort->width == sizeof(ordo_u64) ? sort_pairs<ordo_u64>(sort, room, bytes)
                                           : sort_pairs<ordo_u32>(sort, room, bytes);
}
