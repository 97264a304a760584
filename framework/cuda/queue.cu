/* queue.cu -- runs of the Broker Queue and the Broker Work Distributor on a GPU, for `ordo bench queue --device cuda`.
 *
 * Problem: how many operations a second a queue reaches, by the number of threads, and of lanes of a warp that call.
 *
 * Method: as apps/cli/bench_queue.c on the CPU, with a thread in place of a member and an entry a call. Lane i of a
 * warp calls if i is a multiple of `lanes`; calls of a warp are made together, one of its lanes for all, or each lane
 * for itself. `phases` is two kernels, whose times are added up: the queue has places for all entries, so no thread
 * waits. `mixed` is one; a block that has not begun yet has put nothing, and those that have begun take no more than
 * they put, so it does not need all of them to be resident. What each thread took is summed up.
 *
 * Several devices: queue_ranks.cu.
 */
#include "queue.h"

#include "queue.cuh"

/* The arguments of both kernels. */
typedef struct order {
    ordo_dev_broker queue;
    ordo_u64 entries;
    ordo_u32 lanes;
    bool puts, takes; /* both: mixed */
    taken *all;
} order;

template <bool Together> static __global__ void call_queue(const order o)
{
    const ordo_u64 warps = (ordo_u64)gridDim.x * (blockDim.x / 32);
    const ordo_u64 warp = (ordo_u64)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    const part mine = part_of(warp, warps, o.lanes, o.entries);
    taken t = {};
    ordo_u64 put = o.puts ? 0 : mine.count;
    const ordo_u64 wanted = o.takes ? mine.count : 0;
    while (__any_sync(~0u, put < mine.count || t.count < wanted)) {
        if (o.puts) {
            const ordo_u32 value = (ordo_u32)(mine.first + put * mine.step);
            put += ordo_dev_broker_put_one<Together>(o.queue, put < mine.count, entry{value, value});
        }
        if (o.takes)
            take_one<Together>(o.queue, t.count < wanted, &t);
    }
    add_taken(o.all, t);
}

static cudaError_t make_queue(const ordo_queue_load *l, ordo_dev_broker *queue, taken **all)
{
    cudaError_t error = cudaSuccess;
    queue->shift = queue_shift(l);
    queue->certain = l->certain;
    make_zero(&error, &queue->words, 1);
    make_zero(&error, &queue->place, (size_t)1 << queue->shift);
    make_zero(&error, all, 1);
    return error;
}

ordo_status ordo_cuda_queue(const ordo_queue_load *l, ordo_queue_taken *out)
{
    if (l->ranks)
        return ordo_cuda_queue_ranks(l, out);
    const void *const kernel = l->together ? (const void *)call_queue<true> : (const void *)call_queue<false>;
    order o = {};
    void *args[] = {&o};
    *out = ordo_queue_taken{};
    o.entries = l->entries;
    o.lanes = l->lanes;
    cudaError_t error = make_queue(l, &o.queue, &o.all);
    if (!error)
        error = cudaDeviceSynchronize();
    ordo_status status = error ? ordo_cuda_failed(error, "making a queue") : ORDO_OK;
    for (int phase = l->mixed; phase < 2 && !status; phase++) {
        o.puts = l->mixed || phase == 0;
        o.takes = phase == 1;
        status = launch_queue(l, kernel, false, args, &out->seconds);
    }
    if (!status)
        status = copy_taken(o.all, out);
    cudaFree(o.queue.words);
    cudaFree(o.queue.place);
    cudaFree(o.all);
    return status;
}
