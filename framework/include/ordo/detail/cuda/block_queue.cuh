/* block_queue.cuh -- a block: appending to a worklist that the whole grid shares.
 */
#ifndef ORDO_DETAIL_CUDA_BLOCK_QUEUE_CUH
#define ORDO_DETAIL_CUDA_BLOCK_QUEUE_CUH

#include <ordo/detail/cuda/atomics.cuh>

enum {
    ORDO_CUDA_THREADS = 256,   /* threads of a block */
    ORDO_CUDA_CAPACITY = 8 * ORDO_CUDA_THREADS, /* items that a block buffers before it appends them */
    ORDO_CUDA_FEW = 4,         /* most edges per thread of an item that is processed by its own threads */
    ORDO_CUDA_NARROW = 8,      /* items in the smallest tile */
    ORDO_CUDA_SEGMENT = 4096,  /* edges in a piece of a hub; an item with more edges is a hub */
};

/* A block's buffer, in shared memory, in front of a worklist that the whole grid appends to.
 *
 * Invariant: slots of `held` below min(count, Capacity) that were reserved since the last flush are written
 * before the barrier that begins the next flush; items that found no slot are already in the list. The list's counter
 * assigns each place once. Lists are read after a grid barrier. */
template <int Capacity> struct ordo_dev_queue_of {
    ordo_u32 held[Capacity];
    ordo_u32 count;
    ordo_u32 base;
};
typedef ordo_dev_queue_of<ORDO_CUDA_CAPACITY> ordo_dev_queue;

/* By a whole block, before the first append; ends with a barrier. */
template <int Capacity> ORDO_DEV void ordo_dev_start(ordo_dev_queue_of<Capacity> *q)
{
    if (threadIdx.x == 0)
        q->count = 0;
    __syncthreads();
}

/* By one thread: appends an item. `list` and `count` must be those that are passed to the next flush. */
template <int Capacity>
ORDO_DEV void ordo_dev_append(ordo_dev_queue_of<Capacity> *q, ordo_u32 item, ordo_u32 *list, ordo_u32 *count)
{
    ordo_u32 slot = atomicAdd(&q->count, 1u);
    if (slot < Capacity)
        q->held[slot] = item;
    else
        list[ordo_dev_add(count, 1u)] = item; /* rare: the buffer is full */
}

/* By a whole block: appends the first `held` items of the buffer to the list. Ends with a barrier. */
template <int Capacity>
ORDO_DEV void ordo_dev_move(ordo_dev_queue_of<Capacity> *q, ordo_u32 held, ordo_u32 *list, ordo_u32 *count)
{
    if (threadIdx.x == 0)
        q->base = ordo_dev_add(count, held);
    __syncthreads();
    for (ordo_u32 i = threadIdx.x; i < held; i += blockDim.x)
        list[q->base + i] = q->held[i];
    __syncthreads();
}

/* By a whole block: moves the buffer to the list, if it is at least half full or if `all`. Begins and ends with a
 * barrier. */
template <int Capacity>
ORDO_DEV void ordo_dev_flush(ordo_dev_queue_of<Capacity> *q, ordo_u32 *list, ordo_u32 *count, bool all)
{
    __syncthreads();
    ordo_u32 held = q->count < Capacity ? q->count : Capacity;
    if (held >= Capacity / 2 || (all && held)) {
        ordo_dev_move(q, held, list, count);
        if (threadIdx.x == 0)
            q->count = 0;
    }
    __syncthreads();
}

#endif
