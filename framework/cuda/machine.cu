/* machine.cu -- what a GPU can do at most, for `ordo bench machine --device cuda`.
 *
 * Problem: a run on a GPU is bound by its memory, its atomics, the latency of a chain of loads, its barriers or its
 * bus. Which of them leaves room shows only beside what this GPU reaches when it does nothing else.
 *
 * Method: a small kernel for each figure, with as many blocks as are resident, between two events; a pass that does not
 * count, and then PASSES. All loads go past the first-level cache (.cg), as those of cells do in a run. Random places
 * are drawn by each thread itself, so no index is read. Dependent loads follow one cycle through the first words of all
 * 128-byte lines: place(0), place(1), ... for a bijection `place` that mixes, so the cycle is written in parallel, and
 * the next place is known only to the load. A pass goes on where the one before has ended, so that on an array larger
 * than the cache no line is met twice.
 *
 * Not done: several devices; unified memory; clocks that are locked.
 */
#include "machine.h"

#ifdef __CUDACC__
#include <cooperative_groups.h>
#endif
#include <stdio.h>

#include <ordo/scheduler/cuda_host.h>
#include <ordo/watch.h>

#include "framework/run/clock.h"

enum {
    PASSES = 7,
    THREADS = 256,
    LINE = 32,      /* words */
    LOADS = 256,    /* a thread's loads or atomics at random places */
    CONTENDED = 16, /* the same on one address */
    HOPS = 1 << 13, /* as many as the least array has lines */
    BARRIERS = 1000,
    LAUNCHES = 500,
    TRIPS = 50,
    CACHED_ROUNDS = 64 /* over the array that the cache holds, so that a launch is short beside them */
};
static const ordo_u64 CACHED = 16 << 20, COPIED = 64 << 20, LEAST = 128 << 20;
static const ordo_u64 footprints[] = {1 << 20, 16 << 20, 32 << 20, LEAST, 1ull << 30, 4ull << 30};
enum { COUNT = sizeof footprints / sizeof *footprints };

/* ---- kernels ---- */

/* The arguments of every kernel: one struct, so that a test's runtime, where a kernel is a function of the host, can
 * pass them. */
typedef struct order {
    ordo_u32 *cell;
    ordo_u64 count;  /* cells, a power of two */
    ordo_u32 rounds; /* what a thread repeats */
    ordo_u32 *kept;  /* [2] the place where `follow` is; a word that keeps results from being left out as unused */
} order;

#ifdef __CUDACC__
static __device__ __forceinline__ ordo_u64 thread_of_grid(void)
{
    return (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x;
}

/* The first number of a thread's sequence (splitmix64), and the next ones (the upper half is used). */
static __device__ __forceinline__ ordo_u64 first_number(void)
{
    ordo_u64 x = (thread_of_grid() + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static __device__ __forceinline__ ordo_u32 next_number(ordo_u64 *x)
{
    *x = *x * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
    return (ordo_u32)(*x >> 32);
}

/* A value that no sum of the passes is likely to have. */
static __device__ __forceinline__ void keep(const order &o, ordo_u32 sum)
{
    if (sum == 0x2545f491u)
        o.kept[1] = sum;
}

static __global__ void read_in_order(const order o)
{
    const uint4 *from = (const uint4 *)o.cell;
    const ordo_u64 count = o.count / 4, step = (ordo_u64)gridDim.x * blockDim.x;
    ordo_u32 sum = 0;
    for (ordo_u32 round = 0; round < o.rounds; round++) {
#pragma unroll 4
        for (ordo_u64 i = thread_of_grid(); i < count; i += step) {
            const uint4 four = __ldcg(&from[i]);
            sum += four.x ^ four.y ^ four.z ^ four.w ^ round;
        }
    }
    keep(o, sum);
}

static __global__ void load_at_random(const order o)
{
    const ordo_u32 mask = (ordo_u32)(o.count - 1);
    ordo_u64 x = first_number();
    ordo_u32 sum = 0;
#pragma unroll 8
    for (ordo_u32 i = 0; i < o.rounds; i++)
        sum += __ldcg(&o.cell[next_number(&x) & mask]);
    keep(o, sum);
}

static __global__ void add_at_random(const order o)
{
    const ordo_u32 mask = (ordo_u32)(o.count - 1);
    ordo_u64 x = first_number();
#pragma unroll 8
    for (ordo_u32 i = 0; i < o.rounds; i++)
        atomicAdd(&o.cell[next_number(&x) & mask], 1u);
}

static __global__ void minimum_at_random(const order o)
{
    const ordo_u32 mask = (ordo_u32)(o.count - 1);
    ordo_u64 x = first_number();
    ordo_u32 sum = 0;
#pragma unroll 8
    for (ordo_u32 i = 0; i < o.rounds; i++) {
        const ordo_u32 at = next_number(&x) & mask;
        sum += atomicMin(&o.cell[at], (ordo_u32)x);
    }
    keep(o, sum);
}

/* With the old value; on one address where there is one cell. The compiler does not know that, or it would add up a
 * warp's additions first. */
static __global__ void take_at_random(const order o)
{
    const ordo_u32 mask = (ordo_u32)(o.count - 1);
    ordo_u64 x = first_number();
    ordo_u32 sum = 0;
#pragma unroll 8
    for (ordo_u32 i = 0; i < o.rounds; i++)
        sum += atomicAdd(&o.cell[next_number(&x) & mask], 1u);
    keep(o, sum);
}

/* A bijection of numbers below 2^bits: each step is one. */
static __device__ __forceinline__ ordo_u32 place(ordo_u32 x, int bits)
{
    const ordo_u32 mask = (ordo_u32)((1ull << bits) - 1);
    const int half = bits / 2;
    x &= mask;
    x ^= x >> half;
    x = x * 0x9e3779b1u & mask;
    x ^= x >> half;
    x = x * 0x85ebca6bu & mask;
    return x ^ x >> half;
}

static __global__ void make_cycle(const order o)
{
    const ordo_u32 lines = (ordo_u32)(o.count / LINE);
    const int bits = 31 - __clz((int)lines);
    for (ordo_u64 i = thread_of_grid(); i < lines; i += (ordo_u64)gridDim.x * blockDim.x)
        o.cell[(ordo_u64)place((ordo_u32)i, bits) * LINE] = place((ordo_u32)i + 1, bits) * LINE;
}

/* By one thread. */
static __global__ void follow(const order o)
{
    ordo_u32 at = *o.kept;
    for (ordo_u32 i = 0; i < o.rounds; i++)
        at = __ldcg(&o.cell[at]);
    *o.kept = at;
}

static __global__ void meet(const order o)
{
    auto grid = cooperative_groups::this_grid();
    for (ordo_u32 i = 0; i < o.rounds; i++)
        grid.sync();
}

static __global__ void nothing(const order o)
{
    (void)o;
}
#else /* a test of the host's part, whose figures mean nothing */
static void idle(const void *o)
{
    (void)o;
}
#define read_in_order idle
#define load_at_random idle
#define add_at_random idle
#define minimum_at_random idle
#define take_at_random idle
#define make_cycle idle
#define follow idle
#define meet idle
#define nothing idle
#endif

/* ---- passes ---- */

typedef struct bench {
    ordo_u32 *cell, *kept, *pinned;
    cudaEvent_t before, after;
    int taken, all; /* figures */
} bench;

/* What is launched, and how often in a pass. */
enum { ALL = 0, ONE_EACH = 1, ONE = -1 }; /* blocks: as many as are resident, one a multiprocessor, one in all */
typedef struct task {
    const void *kernel;
    int threads, blocks, launches;
    bool cooperative;
} task;

static ordo_status failed(cudaError_t error, const char *what)
{
    return ordo_cuda_failed(error, what);
}

/* Reports to the watch, which may cancel. */
static ordo_status count_figure(bench *b)
{
    const ordo_watch *watch = ordo_watch_get();
    if (watch && watch->report(watch->arg, "measuring", (ordo_u64)b->taken++, (ordo_u64)b->all))
        return ordo_fail(ORDO_ERR_CANCELLED, "cancelled");
    return ORDO_OK;
}

/* Number of blocks of a task. */
static ordo_status blocks_of(const task *t, int *blocks)
{
    *blocks = 1;
    if (t->blocks == ONE)
        return ORDO_OK;
    const void *kernel = ordo_cuda_kernel(t->kernel);
    return kernel ? ordo_cuda_grid(kernel, t->threads, t->blocks, blocks) : ORDO_ERR_DEVICE;
}

static ordo_status launch(const task *t, int blocks, order o)
{
    void *args[] = {&o};
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3((unsigned)t->threads);
    config.attrs = &attribute;
    config.numAttrs = 1;
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = t->cooperative;
    ordo_status status = ORDO_OK;
    for (int i = 0; i < t->launches && !status; i++)
        status = failed(cudaLaunchKernelExC(&config, t->kernel, args), "launching a kernel that measures");
    return status;
}

/* Seconds between the events, which are recorded; no less than the clock can tell. */
static ordo_status wait_for(const bench *b, double *seconds)
{
    float milliseconds = 0;
    ordo_status status = failed(cudaEventSynchronize(b->after), "measuring");
    if (!status)
        status = failed(cudaEventElapsedTime(&milliseconds, b->before, b->after), "reading an event");
    *seconds = milliseconds > 1e-6f ? 1e-3 * (double)milliseconds : 1e-9;
    return status;
}

/* The figure of a task: `work` in all threads' rounds of a pass, or, where that is 0, the seconds of one of `parts`. */
static ordo_status measure(bench *b, const task *t, order o, double work, double parts, ordo_figure *out)
{
    double seconds[PASSES + 1];
    int blocks = 0;
    ordo_status status = count_figure(b);
    if (!status)
        status = blocks_of(t, &blocks);
    for (int pass = 0; pass <= PASSES && !status; pass++) {
        status = failed(cudaEventRecord(b->before, 0), "recording an event");
        if (!status)
            status = launch(t, blocks, o);
        if (!status)
            status = failed(cudaEventRecord(b->after, 0), "recording an event");
        if (!status)
            status = wait_for(b, &seconds[pass]);
        seconds[pass] /= parts;
    }
    if (!status)
        *out = ordo_figure_of(seconds + 1, PASSES, work); /* without the first */
    return status;
}

/* The same for `rounds` operations of every resident thread. */
static ordo_status measure_rate(bench *b, const void *kernel, ordo_u64 bytes, ordo_u32 rounds, ordo_figure *out)
{
    const task t = {kernel, THREADS, ALL, 1, false};
    const order o = {b->cell, bytes / sizeof(ordo_u32), rounds, b->kept};
    int blocks = 0;
    ordo_status status = blocks_of(&t, &blocks);
    return status ? status : measure(b, &t, o, (double)blocks * THREADS * rounds, 1, out);
}

/* ---- figures ---- */

static ordo_status measure_stream(bench *b, ordo_u64 bytes, ordo_u32 rounds, ordo_figure *out)
{
    const task t = {(const void *)read_in_order, THREADS, ALL, 1, false};
    const order o = {b->cell, bytes / sizeof(ordo_u32), rounds, b->kept};
    return measure(b, &t, o, (double)bytes * rounds, 1, out);
}

static ordo_status measure_hop(bench *b, ordo_u64 bytes, ordo_figure *out)
{
    const task cycle = {(const void *)make_cycle, THREADS, ALL, 1, false};
    const task hops = {(const void *)follow, 1, ONE, 1, false};
    const task warm = {(const void *)read_in_order, THREADS, ALL, 1, false};
    const order o = {b->cell, bytes / sizeof(ordo_u32), HOPS, b->kept};
    order once = o;
    int blocks = 0;
    once.rounds = 1;
    ordo_status status = failed(cudaMemset(b->kept, 0, sizeof *b->kept), "clearing memory"); /* place(0) is 0 */
    if (!status)
        status = blocks_of(&cycle, &blocks);
    if (!status)
        status = launch(&cycle, blocks, o);
    if (!status)
        status = blocks_of(&warm, &blocks);
    if (!status)
        status = launch(&warm, blocks, once); /* what the cache can hold, it holds */
    return status ? status : measure(b, &hops, o, 0, HOPS, out);
}

static ordo_status measure_footprint(bench *b, ordo_u64 bytes, ordo_footprint *out)
{
    out->bytes = (double)bytes;
    ordo_status status = measure_rate(b, (const void *)load_at_random, bytes, LOADS, &out->loads);
    if (!status)
        status = measure_rate(b, (const void *)add_at_random, bytes, LOADS, &out->additions);
    if (!status)
        status = measure_rate(b, (const void *)minimum_at_random, bytes, LOADS, &out->minimums);
    return status ? status : measure_hop(b, bytes, &out->hop);
}

static ordo_status measure_waiting(bench *b, ordo_ceilings *out)
{
    const task barrier = {(const void *)meet, THREADS, ONE_EACH, 1, true};
    const task empty = {(const void *)nothing, 32, ONE, LAUNCHES, false};
    const order o = {b->cell, 1, BARRIERS, b->kept};
    ordo_status status = measure_rate(b, (const void *)take_at_random, sizeof(ordo_u32), CONTENDED, &out->one_address);
    if (!status)
        status = measure(b, &barrier, o, 0, BARRIERS, &out->barrier);
    return status ? status : measure(b, &empty, o, 0, LAUNCHES, &out->launch);
}

static ordo_status copy(const bench *b, bool in, ordo_u64 bytes)
{
    return failed(in ? cudaMemcpyAsync(b->cell, b->pinned, bytes, cudaMemcpyHostToDevice, 0)
                     : cudaMemcpyAsync(b->pinned, b->cell, bytes, cudaMemcpyDeviceToHost, 0),
                  "copying");
}

static ordo_status measure_copies(bench *b, bool in, ordo_figure *out)
{
    double seconds[PASSES + 1];
    ordo_status status = count_figure(b);
    for (int pass = 0; pass <= PASSES && !status; pass++) {
        status = failed(cudaEventRecord(b->before, 0), "recording an event");
        if (!status)
            status = copy(b, in, COPIED);
        if (!status)
            status = failed(cudaEventRecord(b->after, 0), "recording an event");
        if (!status)
            status = wait_for(b, &seconds[pass]);
    }
    if (!status)
        *out = ordo_figure_of(seconds + 1, PASSES, (double)COPIED);
    return status;
}

/* By the host's clock: what a program waits for a word from the device. */
static ordo_status measure_trips(bench *b, ordo_figure *out)
{
    double seconds[PASSES + 1];
    ordo_status status = count_figure(b);
    for (int pass = 0; pass <= PASSES && !status; pass++) {
        const double start = ordo_seconds();
        for (int i = 0; i < TRIPS && !status; i++) {
            status = copy(b, false, sizeof *b->pinned);
            if (!status)
                status = failed(cudaEventRecord(b->after, 0), "recording an event");
            if (!status)
                status = failed(cudaEventSynchronize(b->after), "copying");
        }
        seconds[pass] = (ordo_seconds() - start) / TRIPS;
    }
    if (!status)
        *out = ordo_figure_of(seconds + 1, PASSES, 0);
    return status;
}

static ordo_status measure_all(bench *b, const ordo_device *device, ordo_ceilings *out)
{
    const ordo_u64 largest = footprints[out->footprints - 1];
    const ordo_u64 half = device->cache > 0 ? (ordo_u64)device->cache / 2 : CACHED;
    ordo_u64 cached = CACHED;
    while (cached > half && cached > footprints[0])
        cached /= 2;
    ordo_status status = failed(cudaMemset(b->cell, 0xff, largest), "filling memory");
    if (!status)
        status = measure_stream(b, largest, 1, &out->stream);
    if (!status)
        status = measure_stream(b, cached, CACHED_ROUNDS, &out->cached);
    for (int i = 0; i < out->footprints && !status; i++)
        status = measure_footprint(b, footprints[i], &out->footprint[i]);
    if (!status)
        status = measure_waiting(b, out);
    if (!status)
        status = measure_copies(b, true, &out->copy_in);
    if (!status)
        status = measure_copies(b, false, &out->copy_out);
    return status ? status : measure_trips(b, &out->round_trip);
}

/* ---- the device ---- */

static ordo_status describe(ordo_device *out)
{
    cudaDeviceProp p;
    int current = 0;
    ordo_status status = failed(cudaGetDevice(&current), "asking for the device");
    if (!status)
        status = failed(cudaGetDeviceProperties(&p, current), "looking at the GPU");
    if (status)
        return status;
    *out = ordo_device{};
    snprintf(out->name, sizeof out->name, "%.90s", p.name);
    out->units = p.multiProcessorCount;
    out->memory = (double)p.totalGlobalMem;
    out->cache = (double)p.l2CacheSize;
    out->runtime = CUDART_VERSION;
    return failed(cudaDriverGetVersion(&out->driver), "asking for the driver's version");
}

/* The arrays that fit into half of what is free: at least LEAST, beyond any cache. */
static ordo_status fit(ordo_ceilings *out)
{
    size_t left = 0, whole = 0;
    ordo_status status = failed(cudaMemGetInfo(&left, &whole), "asking for memory");
    if (status)
        return status;
    while (out->footprints < COUNT && footprints[out->footprints] <= left / 2)
        out->footprints++;
    if (out->footprints == 0 || footprints[out->footprints - 1] < LEAST)
        return ordo_fail(ORDO_ERR_MEMORY, "device 'cuda': measuring needs %llu bytes or more, %llu of %llu are free",
                         2ull * LEAST, (unsigned long long)left, (unsigned long long)whole);
    return ORDO_OK;
}

ordo_status ordo_cuda_measure(ordo_device *device, ordo_ceilings *out)
{
    bench b = {};
    *out = ordo_ceilings{};
    ordo_status status = describe(device);
    if (!status)
        status = fit(out);
    if (status)
        return status;
    b.all = 8 + 4 * out->footprints;
    status = failed(cudaMalloc((void **)&b.cell, footprints[out->footprints - 1]), "taking memory");
    if (!status)
        status = failed(cudaMalloc((void **)&b.kept, 2 * sizeof *b.kept), "taking memory");
    if (!status)
        status = failed(cudaHostAlloc((void **)&b.pinned, COPIED, cudaHostAllocDefault), "taking pinned memory");
    if (!status)
        status = failed(cudaEventCreate(&b.before), "making an event");
    if (!status)
        status = failed(cudaEventCreate(&b.after), "making an event");
    if (!status)
        status = measure_all(&b, device, out);
    if (b.before)
        cudaEventDestroy(b.before);
    if (b.after)
        cudaEventDestroy(b.after);
    cudaFreeHost(b.pinned);
    cudaFree(b.kept);
    cudaFree(b.cell);
    return status;
}
