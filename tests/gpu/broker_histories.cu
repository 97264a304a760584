/* broker_histories.cu -- recorded calls of the Broker Queue on a GPU, checked for linearizability on the host by
 * tests/common/fifo_check.h; the Broker Work Distributor must be caught by the same check. Built by nvcc for a GPU; and
 * by itself as C++, where threads are fibers (fibers.h), which run in an order by chance.
 *
 * Every warp makes calls by chance: puts and takes, for one to 32 lanes together, or each lane for itself. A call is
 * recorded with its times, an entry of a call of several lanes as a call. An entry is its value two times, so that
 * halves of two writers would show. Every second history is of a queue at system scope, as of several GPUs.
 *
 * Clock. On a GPU the global timer, which orders nothing between warps. It is read once the values of the lane's last
 * call are there, and again once those of this one are. Calls within one tick of it count as overlapping. Of fibers:
 * reads of the clock, counted.
 *
 * usage: broker_histories [HISTORIES [CALLS]]. Ends with 77 where there is no GPU.
 */
#ifdef __CUDACC__
#include <ordo/detail/cuda/atomics.cuh>
#else
#include "tests/gpu/launch_fibers.h"
#define ORDO_DETAIL_CUDA_ATOMICS_CUH
#define blockDim (fiber_index{fibers.threads})
#include "tests/gpu/residual_fibers.h"
#undef blockIdx
#undef gridDim
#define blockIdx (fiber_index{fibers.now->block})
#define gridDim (fiber_index{fibers.blocks})
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

/* Some calls stay long between assurance and ticket. */
ORDO_DEV void delay(void)
{
#ifdef __CUDACC__
    const ordo_u32 draw = (ordo_u32)ordo_dev_clock() * 0x9e3779b1u >> 28;
    if (draw < 4)
        __nanosleep(draw * 3000);
#else
    for (unsigned i = fiber_random(4) ? 0 : fiber_random(64); i > 0; i--)
        fiber_yield();
#endif
}
#define ORDO_DEV_BROKER_HOOK() delay()
#include <ordo/scheduler/broker_queue.cuh>

#include <stdio.h>

#include "tests/common/fifo_check.h"

typedef struct entry {
    ordo_u32 value, again;
} entry;

template <bool System> struct order {
    ordo_dev_broker_at<System> queue;
    ordo_u32 calls, seed;
    ordo_u32 takes;  /* of 8 calls, so many are takes */
    fifo_call *call; /* [threads][calls] */
    ordo_u32 *count; /* [threads] calls recorded */
    ordo_u32 *torn;  /* entries whose halves differ */
};

#ifdef __CUDACC__
/* The time when `value` is there: a vote of the warp needs it. */
ORDO_DEV ordo_u64 time_after(ordo_u32 value)
{
    __any_sync(~0u, value == 0xffffffffu);
    return ordo_dev_clock();
}
#define PROCEDURE __global__
#else
static ordo_u64 reads;
ORDO_DEV ordo_u64 time_after(ordo_u32)
{
    fiber_touch();
    return reads++;
}
#define PROCEDURE static
#endif

/* By a whole warp: a number of its own, the same in all lanes. */
ORDO_DEV ordo_u32 by_chance(ordo_u64 *state, ordo_u32 below)
{
    *state = *state * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
    return (ordo_u32)(*state >> 33) % below;
}

template <bool System> PROCEDURE void call_by_chance(const order<System> o)
{
    const ordo_u32 lane = threadIdx.x % 32, thread = blockIdx.x * blockDim.x + threadIdx.x;
    ordo_u64 state = ((ordo_u64)o.seed << 32 | thread / 32) * 0x9e3779b97f4a7c15u + 1;
    fifo_call *const mine = o.call + (ordo_u64)thread * o.calls;
    ordo_u32 count = 0, puts = 0, torn = 0;
    for (ordo_u32 i = 0; i < o.calls; i++) {
        const bool takes = by_chance(&state, 8) < o.takes, together = by_chance(&state, 2);
        const ordo_u32 lanes = by_chance(&state, 2) ? 1 : 1 + by_chance(&state, 32), from = by_chance(&state, 32);
        const bool calls = (lane - from) % 32 < lanes;
        const ordo_u32 value = thread * o.calls + puts;
        entry e = {value, value};
        const ordo_u64 begin = time_after(count);
        bool done;
        if (takes)
            done = together ? ordo_dev_broker_take_one<true>(o.queue, calls, &e)
                            : ordo_dev_broker_take_one<false>(o.queue, calls, &e);
        else
            done = together ? ordo_dev_broker_put_one<true>(o.queue, calls, e)
                            : ordo_dev_broker_put_one<false>(o.queue, calls, e);
        const ordo_u64 end = time_after(e.value + done);
        const bool any = __any_sync(~0u, done);
        torn += done && e.value != e.again;
        puts += done && !takes;
        /* lanes that together got less than they asked for have no answer, unless none got anything: then it is one */
        const bool answer = calls && !done && (together ? !any && lane == from : true);
        if (done || answer)
            mine[count++] = fifo_call{begin, end,
                                      done    ? (takes ? FIFO_TAKEN : FIFO_PUT)
                                      : takes ? FIFO_EMPTY
                                              : FIFO_FULL,
                                      done ? e.value : 0};
    }
    o.count[thread] = count;
    if (torn)
        ordo_dev_add(o.torn, torn);
}

/* ---- the host ---- */

typedef struct shape {
    ordo_u32 blocks, threads, calls, shift, takes;
} shape;

#ifdef __CUDACC__
static bool failed(cudaError_t error)
{
    if (error)
        printf("FAILED: %s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
static void *take_memory(size_t bytes)
{
    void *at = NULL;
    return failed(cudaMallocManaged(&at, bytes)) || failed(cudaMemset(at, 0, bytes)) ? NULL : at;
}
static void give_memory(void *at)
{
    cudaFree(at);
}
template <bool System> static bool run(const shape *s, order<System> *o)
{
    void *args[] = {o};
    return !failed(cudaLaunchCooperativeKernel((const void *)call_by_chance<System>, dim3(s->blocks), dim3(s->threads),
                                               args, 0, 0)) &&
           !failed(cudaDeviceSynchronize());
}
#else
static void *take_memory(size_t bytes)
{
    void *at = NULL;
    return posix_memalign(&at, 64, bytes) ? NULL : memset(at, 0, bytes);
}
static void give_memory(void *at)
{
    free(at);
}
template <bool System> static void run_fiber(const void *arg)
{
    call_by_chance(*(const order<System> *)arg);
}
template <bool System> static bool run(const shape *s, order<System> *o)
{
    fibers.random = o->seed + 1;
    fibers_run(s->blocks, s->threads, run_fiber<System>, o);
    return true;
}
/* No runtime is linked. */
static ordo_status fiber_launch_all(ordo_cuda *, const ordo_cuda_step *, int)
{
    return ORDO_ERR_INTERNAL;
}
static ordo_status fiber_start(const ordo_cuda_step *, size_t)
{
    return ORDO_ERR_INTERNAL;
}
#endif

/* What a history breaks, NULL if nothing; *calls becomes the number of calls. */
template <bool System> static const char *history(const shape *s, bool certain, ordo_u32 seed, size_t *calls)
{
    const ordo_u32 threads = s->blocks * s->threads;
    const char *found = "no memory";
    order<System> o = {};
    o.queue.words = (ordo_dev_broker_words *)take_memory(sizeof *o.queue.words);
    o.queue.place = (ulonglong2 *)take_memory(sizeof *o.queue.place << s->shift);
    o.queue.shift = s->shift;
    o.queue.certain = certain;
    o.calls = s->calls;
    o.seed = seed;
    o.takes = s->takes;
    o.call = (fifo_call *)take_memory((size_t)threads * s->calls * sizeof *o.call);
    o.count = (ordo_u32 *)take_memory(threads * sizeof *o.count);
    o.torn = (ordo_u32 *)take_memory(sizeof *o.torn);
    *calls = 0;
    if (o.queue.words && o.queue.place && o.call && o.count && o.torn && run(s, &o)) {
        for (ordo_u32 t = 0; t < threads; t++)
            for (ordo_u32 i = 0; i < o.count[t]; i++)
                o.call[(*calls)++] = o.call[(size_t)t * s->calls + i];
        found = *o.torn ? "torn entries" : fifo_violation(o.call, *calls, threads * s->calls, (ordo_u64)1 << s->shift);
    }
    give_memory(o.queue.words);
    give_memory(o.queue.place);
    give_memory(o.call);
    give_memory(o.count);
    give_memory(o.torn);
    return found;
}

int main(int argc, char **argv)
{
#ifdef __CUDACC__
    const ordo_u32 blocks = 8;
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("skipped: no GPU\n");
        return 77;
    }
#else
    const ordo_u32 blocks = 2;
#endif
    const int histories = argc > 1 ? atoi(argv[1]) : 12;
    const ordo_u32 calls = argc > 2 ? (ordo_u32)atoi(argv[2]) : 20;
    int wrong = 0, caught = 0;
    size_t all = 0, some = 0;
    for (int i = 0; i < 2 * histories; i++) {
        const shape s = {1 + i % blocks, 64, calls, (ordo_u32)(i * 5) % 8, i % 3 ? 4u : 5u};
        const bool certain = i < histories;
        const char *found =
            i % 2 ? history<true>(&s, certain, (ordo_u32)i, &some) : history<false>(&s, certain, (ordo_u32)i, &some);
        all += some;
        caught += !certain && found;
        if (certain && found) {
            wrong++;
            printf("FAILED: history %d, %u blocks, %u places: %s\n", i, s.blocks, 1u << s.shift, found);
        }
    }
    printf("%d histories of the Broker Queue, %d wrong; %d of %d of the distributor are caught; %zu calls\n", histories,
           wrong, caught, histories, all);
    return wrong || !caught;
}
