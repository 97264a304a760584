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
 * Not done: several devices.
 */
#include "queue.h"

#include <ordo/scheduler/cuda_host.h>

/* What came out; the thread's own, and of all. */
typedef struct taken {
    ordo_u64 count, sum, squares;
} taken;

#ifdef __CUDACC__
#include <ordo/scheduler/broker_queue.cuh>

/* The arguments of both kernels: one struct, so that a test's runtime, where a kernel is a function of the host, can
 * pass them. */
typedef struct order {
    ordo_dev_broker queue;
    ordo_u64 entries;
    ordo_u32 lanes;
    bool puts, takes; /* both: mixed */
    taken *taken;
} order;

/* Entries are of 8 bytes, as worklist entries are. */
typedef struct entry {
    ordo_u32 value, item;
} entry;

template <bool Together> static __global__ void call_queue(const order o)
{
    const ordo_u32 lane = threadIdx.x % 32, each = (31 + o.lanes) / o.lanes; /* lanes of a warp that call */
    const ordo_u64 warps = (ordo_u64)gridDim.x * (blockDim.x / 32);
    const ordo_u64 warp = (ordo_u64)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    const ordo_u64 first = warp * each + lane / o.lanes, step = warps * each;
    const ordo_u64 share = lane % o.lanes || first >= o.entries ? 0 : (o.entries - first - 1) / step + 1;
    taken t = {};
    ordo_u64 put = o.puts ? 0 : share;
    const ordo_u64 wanted = o.takes ? share : 0;
    while (__any_sync(~0u, put < share || t.count < wanted)) {
        if (o.puts) {
            const ordo_u32 value = (ordo_u32)(first + put * step);
            put += ordo_dev_broker_put_one<Together>(o.queue, put < share, entry{value, value});
        }
        if (o.takes) {
            entry e = {};
            const bool got = ordo_dev_broker_take_one<Together>(o.queue, t.count < wanted, &e);
            t.count += got;
            t.sum += got ? e.value : 0;
            t.squares += got ? (ordo_u64)e.value * e.item : 0;
        }
    }
    if (t.count) {
        ordo_dev_add(&o.taken->count, t.count);
        ordo_dev_add(&o.taken->sum, t.sum);
        ordo_dev_add(&o.taken->squares, t.squares);
    }
}

static ordo_status launch(const ordo_queue_load *l, order o, double *seconds)
{
    void *args[] = {&o};
    const void *kernel = l->together ? (const void *)call_queue<true> : (const void *)call_queue<false>;
    cudaEvent_t before = NULL, after = NULL;
    float milliseconds = 0;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(l->blocks);
    config.blockDim = dim3(l->threads);
    cudaError_t error = cudaEventCreate(&before);
    if (!error)
        error = cudaEventCreate(&after);
    if (!error)
        error = cudaEventRecord(before, 0);
    if (!error)
        error = cudaLaunchKernelExC(&config, kernel, args);
    if (!error)
        error = cudaEventRecord(after, 0);
    if (!error)
        error = cudaEventSynchronize(after);
    if (!error)
        error = cudaEventElapsedTime(&milliseconds, before, after);
    *seconds += 1e-3 * (double)milliseconds;
    cudaEventDestroy(before);
    cudaEventDestroy(after);
    return error ? ordo_cuda_failed(error, "running a queue") : ORDO_OK;
}

static cudaError_t make(order *o)
{
    const size_t places = (size_t)1 << o->queue.shift;
    cudaError_t error = cudaMalloc((void **)&o->queue.words, sizeof *o->queue.words);
    if (!error)
        error = cudaMalloc((void **)&o->queue.place, places * sizeof *o->queue.place);
    if (!error)
        error = cudaMalloc((void **)&o->taken, sizeof *o->taken);
    if (!error)
        error = cudaMemset(o->queue.words, 0, sizeof *o->queue.words);
    if (!error)
        error = cudaMemset(o->queue.place, 0, places * sizeof *o->queue.place);
    if (!error)
        error = cudaMemset(o->taken, 0, sizeof *o->taken);
    return error ? error : cudaDeviceSynchronize();
}

ordo_status ordo_cuda_queue(const ordo_queue_load *l, ordo_queue_taken *out)
{
    order o = {};
    taken t = {};
    while ((ordo_u64)1 << o.queue.shift < l->places)
        o.queue.shift++;
    o.queue.certain = l->certain;
    o.entries = l->entries;
    o.lanes = l->lanes;
    out->seconds = 0;
    cudaError_t error = make(&o);
    ordo_status status = error ? ordo_cuda_failed(error, "making a queue") : ORDO_OK;
    for (int phase = l->mixed; phase < 2 && !status; phase++) {
        o.puts = l->mixed || phase == 0;
        o.takes = phase == 1;
        status = launch(l, o, &out->seconds);
    }
    if (!status && (error = cudaMemcpy(&t, o.taken, sizeof t, cudaMemcpyDeviceToHost)))
        status = ordo_cuda_failed(error, "copying what came out of a queue");
    out->count = t.count;
    out->sum = t.sum;
    out->squares = t.squares;
    cudaFree(o.queue.words);
    cudaFree(o.queue.place);
    cudaFree(o.taken);
    return status;
}
#else /* a test of the host's part, which has no kernels */
ordo_status ordo_cuda_queue(const ordo_queue_load *, ordo_queue_taken *)
{
    return ordo_fail(ORDO_ERR_DEVICE, "this back end has no kernels");
}
#endif
