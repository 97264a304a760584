/* queue.cuh -- what runs of a queue on one GPU and over several have in common: queue.cu, queue_ranks.cu.
 *
 * Kernels take one struct as their argument, so that a test's runtime, where a kernel is a function of the host, can
 * pass it.
 */
#ifndef ORDO_CUDA_QUEUE_CUH
#define ORDO_CUDA_QUEUE_CUH

#include <ordo/scheduler/broker_queue.cuh>
#include <ordo/scheduler/cuda_host.h>

/* What came out; the thread's own, and of all. */
typedef struct taken {
    ordo_u64 count, sum, squares;
} taken;

/* Entries are of 8 bytes, as worklist entries are. */
typedef struct entry {
    ordo_u32 value, item;
} entry;

/* The numbers of a lane: first, first + step, ... */
typedef struct part {
    ordo_u64 first, step, count;
} part;

/* The lane's part of the numbers below `entries`; none where it is not one that calls, the first of each `lanes`. */
ORDO_DEV part part_of(ordo_u64 warp, ordo_u64 warps, ordo_u32 lanes, ordo_u64 entries)
{
    const ordo_u32 lane = threadIdx.x % 32, each = (31 + lanes) / lanes; /* lanes of a warp that call */
    const ordo_u64 first = warp * each + lane / lanes, step = warps * each;
    return {first, step, lane % lanes || first >= entries ? 0 : (entries - first - 1) / step + 1};
}

/* Adds an entry, if the thread `got` one. */
ORDO_DEV void add_entry(taken *t, bool got, const entry &e)
{
    t->count += got;
    t->sum += got ? e.value : 0;
    t->squares += got ? (ordo_u64)e.value * e.item : 0;
}

/* By a whole warp: tries to take an entry for each lane that `wants` one. Returns whether the lane got it. */
template <bool Together, typename Queue> ORDO_DEV bool take_one(const Queue &queue, bool wants, taken *t)
{
    entry e = {};
    const bool got = ordo_dev_broker_take_one<Together>(queue, wants, &e);
    add_entry(t, got, e);
    return got;
}

ORDO_DEV void add_taken(taken *to, const taken &t)
{
    if (t.count) {
        ordo_dev_add(&to->count, t.count);
        ordo_dev_add(&to->sum, t.sum);
        ordo_dev_add(&to->squares, t.squares);
    }
}

/* Runs a kernel, and adds its time. `resident`: all of its blocks at once, or it is an error. */
static ordo_status launch_queue(const ordo_queue_load *l, const void *kernel, bool resident, void **args,
                                double *seconds)
{
    cudaEvent_t before = NULL, after = NULL;
    float milliseconds = 0;
    cudaLaunchAttribute attribute = {};
    const cudaLaunchConfig_t config = {dim3(l->blocks), dim3(l->threads), 0, 0, &attribute, resident};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
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

/* Device memory, set to zero; `error`: of what came before, and then of this. */
template <typename T> static void make_zero(cudaError_t *error, T **out, size_t count)
{
    if (!*error)
        *error = cudaMalloc((void **)out, count * sizeof **out);
    if (!*error)
        *error = cudaMemset(*out, 0, count * sizeof **out);
}

/* log2 of the places of the queue. */
static ordo_u32 queue_shift(const ordo_queue_load *l)
{
    ordo_u32 shift = 0;
    while ((ordo_u64)1 << shift < l->places)
        shift++;
    return shift;
}

static ordo_status copy_taken(const taken *from, ordo_queue_taken *out)
{
    taken t = {};
    const cudaError_t error = cudaMemcpy(&t, from, sizeof t, cudaMemcpyDeviceToHost);
    out->count = t.count;
    out->sum = t.sum;
    out->squares = t.squares;
    return error ? ordo_cuda_failed(error, "copying what came out of a queue") : ORDO_OK;
}

#endif
