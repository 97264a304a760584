/* fibers.h -- a simulated grid on the host: the names of cuda.cuh that a kernel's file uses; each GPU thread is a fiber
 * of one host thread.
 *
 * Serves to test the logic of kernels without a GPU. A fiber runs until it waits at a barrier, or yields at a word that
 * others may change; the next fiber is drawn at random. So blocks, warps and lanes run in different orders for
 * different seeds. The simulation detects a barrier that not all threads reach (the process ends and reports where),
 * and shows races on words that other lanes change. It does not simulate memory orders.
 *
 * Shared memory is any memory that the unit passes to its threads; atomics are plain operations, since no fiber runs in
 * between.
 */
#ifndef TESTS_GPU_FIBERS_H
#define TESTS_GPU_FIBERS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#include <cuda_runtime.h>
#include <ordo/scheduler/cuda_host.h>

enum { FIBER_STACK = 64 << 10, FIBER_YIELD = 24 }; /* one of this many accesses yields */

typedef struct fiber_barrier {
    unsigned arrived, generation;
} fiber_barrier;

typedef struct fiber {
    ucontext_t context; /* where it begins */
    void *at[5];        /* where it goes on */
    bool begun;
    unsigned thread, block;
    const unsigned *word; /* ready when it is not `value` any more; NULL: ready */
    unsigned value;
    bool done;
} fiber;

typedef struct fiber_warp {
    unsigned long long value[32];
    fiber_barrier barrier[33]; /* by the lowest lane of a part; the last one of all */
} fiber_warp;

typedef struct fiber_grid {
    unsigned blocks, threads;
    fiber *all, *now;
    fiber_warp *warp;
    fiber_barrier *block, grid;
    int *any; /* [blocks] of __syncthreads_or */
    void (*body)(const void *arg);
    const void *arg;
    void *back[5];
    unsigned long long random;
    unsigned left; /* threads that have not returned */
} fiber_grid;

/* A unit whose blocks are threads of the host, of which one runs at a time, defines FIBER_LOCAL as thread_local;
 * FIBER_PASS, which lets others run, and is false if none can; and FIBER_SYNC, a barrier of the grid. */
#ifndef FIBER_LOCAL
#define FIBER_LOCAL
#define FIBER_PASS(_ran) ((_ran) != 0)
#define FIBER_SYNC() fiber_wait(&fibers.grid, fibers.blocks *fibers.threads)
#endif
static FIBER_LOCAL fiber_grid fibers;

typedef struct fiber_index {
    unsigned x;
} fiber_index;
#define threadIdx (fiber_index{fibers.now->thread})
#define blockIdx (fiber_index{fibers.now->block})
#define gridDim (fiber_index{fibers.blocks})

static inline unsigned fiber_random(unsigned below)
{
    fibers.random = fibers.random * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((fibers.random >> 33) % below);
}

/* Jumps of the compiler's, since swapcontext makes a system call each time, which took half of what tests took. The
 * compiler must not look into these functions: what runs in between it does not see. */
static __attribute__((noipa)) void fiber_jump(void **to)
{
    __builtin_longjmp(to, 1);
}

static __attribute__((noipa)) void fiber_yield(void)
{
    if (!__builtin_setjmp(fibers.now->at))
        fiber_jump(fibers.back);
}

/* Returns when the fiber yields. */
static __attribute__((noipa)) void fiber_resume(fiber *f)
{
    if (__builtin_setjmp(fibers.back))
        return;
    if (f->begun)
        fiber_jump(f->at);
    f->begun = true;
    setcontext(&f->context);
}

static inline void fiber_touch(void)
{
    if (fiber_random(FIBER_YIELD) == 0)
        fiber_yield();
}

static inline void fiber_wait(fiber_barrier *b, unsigned expected)
{
    if (++b->arrived == expected) {
        b->arrived = 0;
        b->generation++;
        return;
    }
    fibers.now->word = &b->generation;
    fibers.now->value = b->generation;
    fiber_yield();
    fibers.now->word = NULL;
}

static void fiber_begin(void)
{
    fibers.body(fibers.arg);
    fibers.now->done = true;
    fiber_yield();
}

/* Runs `body(arg)` on all threads of a grid until all have returned. */
static inline void fibers_run(unsigned blocks, unsigned threads, void (*body)(const void *), const void *arg)
{
    const unsigned count = blocks * threads;
    fibers.left = count;
    fibers.blocks = blocks;
    fibers.threads = threads;
    fibers.body = body;
    fibers.arg = arg;
    fibers.all = (fiber *)calloc(count, sizeof *fibers.all);
    fibers.warp = (fiber_warp *)calloc(count / 32 + 1, sizeof *fibers.warp);
    fibers.block = (fiber_barrier *)calloc(blocks, sizeof *fibers.block);
    fibers.any = (int *)calloc(blocks, sizeof *fibers.any);
    fibers.grid = fiber_barrier{0, 0};
    /* not by malloc, which fills what it gives and takes where MALLOC_PERTURB_ is set, as under meson */
    char *const stacks = (char *)mmap(NULL, (size_t)count * FIBER_STACK, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED) {
        perror("fibers: stacks");
        abort();
    }
    for (unsigned i = 0; i < count; i++) {
        fiber *f = &fibers.all[i];
        f->thread = i % threads;
        f->block = i / threads;
        getcontext(&f->context);
        f->context.uc_stack.ss_sp = stacks + (size_t)i * FIBER_STACK;
        f->context.uc_stack.ss_size = FIBER_STACK;
        makecontext(&f->context, fiber_begin, 0);
    }
    while (fibers.left) {
        const unsigned first = fiber_random(count);
        unsigned ran = 0;
        for (unsigned i = 0; i < count; i++) {
            fiber *f = &fibers.all[(first + i) % count];
            if (f->done || (f->word && *f->word == f->value))
                continue;
            fibers.now = f;
            ran++;
            fiber_resume(f);
            fibers.left -= f->done;
        }
        if (!FIBER_PASS(ran)) {
            fprintf(stderr, "fibers: %u of %u threads wait for what does not come\n", fibers.left, count);
            abort();
        }
    }
    munmap(stacks, (size_t)count * FIBER_STACK);
    free(fibers.all);
    free(fibers.warp);
    free(fibers.block);
    free(fibers.any);
}

/* ---- what kernels call ---- */

#define ORDO_DEV static inline

ORDO_DEV void __syncthreads(void)
{
    fiber_wait(&fibers.block[fibers.now->block], fibers.threads);
}

ORDO_DEV int __syncthreads_or(int mine)
{
    int *const any = &fibers.any[fibers.now->block];
    *any |= mine;
    __syncthreads();
    const int found = *any;
    __syncthreads();
    *any = 0;
    __syncthreads();
    return found;
}

ORDO_DEV int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
ORDO_DEV int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
ORDO_DEV int __ffs(int x)
{
    return __builtin_ffs(x);
}
ORDO_DEV float __uint_as_float(unsigned x)
{
    float real;
    memcpy(&real, &x, sizeof real);
    return real;
}

namespace cooperative_groups
{
namespace /* barriers differ from unit to unit */
{
struct fiber_all {
    void sync()
    {
        FIBER_SYNC();
    }
};
static inline fiber_all this_grid()
{
    return fiber_all{};
}
/* Lanes that are at a place together: fibers are there one by one. */
struct fiber_one {
    unsigned size() const
    {
        return 1;
    }
    unsigned thread_rank() const
    {
        return 0;
    }
    template <typename T> T shfl(T value, int) const
    {
        return value;
    }
};
} // namespace
static inline fiber_one coalesced_threads()
{
    return fiber_one{};
}
} // namespace cooperative_groups

/* Lanes of `mask`, which must all come; lane `from` of each part of `width`. */
template <typename T> ORDO_DEV T fiber_shuffle(unsigned mask, T value, int from)
{
    fiber_warp *w = &fibers.warp[(fibers.now->block * fibers.threads + fibers.now->thread) / 32];
    fiber_barrier *b = &w->barrier[mask == 0xffffffffu ? 32 : __builtin_ctz(mask)];
    const unsigned expected = (unsigned)__builtin_popcount(mask);
    if (!(mask >> fibers.now->thread % 32 & 1)) {
        fprintf(stderr, "fibers: a lane that the mask leaves out\n");
        abort();
    }
    T found;
    static_assert(sizeof value <= sizeof *w->value, "lanes exchange words of at most 8 bytes");
    memcpy(&w->value[fibers.now->thread % 32], &value, sizeof value);
    fiber_wait(b, expected);
    memcpy(&found, &w->value[from], sizeof found);
    fiber_wait(b, expected);
    return found;
}
template <typename T> ORDO_DEV T __shfl_up_sync(unsigned mask, T value, int step, int width = 32)
{
    const int lane = (int)(fibers.now->thread % 32);
    return fiber_shuffle(mask, value, lane % width >= step ? lane - step : lane);
}
template <typename T> ORDO_DEV T __shfl_sync(unsigned mask, T value, int from, int width = 32)
{
    const int lane = (int)(fibers.now->thread % 32);
    return fiber_shuffle(mask, value, lane / width * width + from % width);
}
template <typename T> ORDO_DEV T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32)
{
    (void)width;
    return fiber_shuffle(mask, value, (int)(fibers.now->thread % 32) ^ bits);
}

template <typename T> ORDO_DEV T __shfl_down_sync(unsigned mask, T value, int step)
{
    const int lane = (int)(fibers.now->thread % 32);
    return fiber_shuffle(mask, value, lane + step < 32 ? lane + step : lane);
}

/* By whole warps. */
ORDO_DEV unsigned __ballot_sync(unsigned mask, bool mine)
{
    fiber_warp *w = &fibers.warp[(fibers.now->block * fibers.threads + fibers.now->thread) / 32];
    unsigned bits = 0;
    (void)mask;
    w->value[fibers.now->thread % 32] = mine;
    fiber_wait(&w->barrier[32], 32);
    for (int i = 0; i < 32; i++)
        bits |= (unsigned)w->value[i] << i;
    fiber_wait(&w->barrier[32], 32);
    return bits;
}
ORDO_DEV bool __any_sync(unsigned mask, bool mine)
{
    return __ballot_sync(mask, mine) != 0;
}
ORDO_DEV bool __all_sync(unsigned mask, bool mine)
{
    return !__any_sync(mask, !mine);
}
ORDO_DEV unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> by % 32);
}
ORDO_DEV void __syncwarp(void)
{
    __ballot_sync(0xffffffffu, false);
}

ORDO_DEV ordo_u64 __double_as_longlong(double x)
{
    ordo_u64 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
ORDO_DEV double __longlong_as_double(long long bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
template <typename T> ORDO_DEV T __ldcg(const T *p)
{
    fiber_touch();
    return *p;
}
template <typename T> ORDO_DEV T __ldcs(const T *p)
{
    return __ldcg(p);
}
template <typename T> ORDO_DEV T __ldg(const T *p)
{
    return *p;
}

template <typename T> ORDO_DEV T ordo_dev_load(T *p)
{
    fiber_touch();
    return *p;
}
template <typename T> ORDO_DEV void ordo_dev_store(T *p, T value)
{
    fiber_touch();
    *p = value;
}
template <typename T> ORDO_DEV void ordo_dev_store_block(T *p, T value)
{
    ordo_dev_store(p, value);
}
template <typename T, typename F> ORDO_DEV T fiber_change(T *p, F change)
{
    fiber_touch();
    const T was = *p;
    *p = (T)change(was);
    return was;
}
template <typename T> ORDO_DEV T ordo_dev_add(T *p, T value)
{
    return fiber_change(p, [&](T was) { return was + value; });
}
template <typename T> ORDO_DEV T ordo_dev_add_block(T *p, T value)
{
    return ordo_dev_add(p, value);
}
template <typename T> ORDO_DEV T ordo_dev_min(T *p, T value)
{
    return fiber_change(p, [&](T was) { return value < was ? value : was; });
}
template <typename T> ORDO_DEV T ordo_dev_min_block(T *p, T value)
{
    return ordo_dev_min(p, value);
}
template <typename T> ORDO_DEV T ordo_dev_max(T *p, T value)
{
    return fiber_change(p, [&](T was) { return value > was ? value : was; });
}
template <typename T> ORDO_DEV T atomicMax(T *p, T value)
{
    return ordo_dev_max(p, value);
}
template <typename T> ORDO_DEV T atomicMax_block(T *p, T value)
{
    return ordo_dev_max(p, value);
}
template <typename T> ORDO_DEV T ordo_dev_or(T *p, T value)
{
    return fiber_change(p, [&](T was) { return was | value; });
}
template <typename T> ORDO_DEV T ordo_dev_or_block(T *p, T value)
{
    return ordo_dev_or(p, value);
}
ORDO_DEV ordo_u32 ordo_dev_peek(const ordo_u32 *p)
{
    return ordo_dev_load((ordo_u32 *)(size_t)p);
}

template <typename T> ORDO_DEV T ordo_dev_load_block(T *p)
{
    return ordo_dev_load(p);
}
template <typename T> ORDO_DEV T atomicExch(T *p, T value)
{
    return fiber_change(p, [&](T) { return value; });
}
template <typename T> ORDO_DEV T atomicCAS(T *p, T expected, T value)
{
    return fiber_change(p, [&](T was) { return was == expected ? value : was; });
}
template <typename T> ORDO_DEV T atomicExch_block(T *p, T value)
{
    return atomicExch(p, value);
}
template <typename T> ORDO_DEV T atomicCAS_block(T *p, T expected, T value)
{
    return atomicCAS(p, expected, value);
}
template <typename T> ORDO_DEV T atomicExch_system(T *p, T value) /* real: other ranks are other processes */
{
    fiber_touch();
    return __atomic_exchange_n(p, value, __ATOMIC_RELAXED);
}
template <typename T> ORDO_DEV T atomicCAS_system(T *p, T expected, T value)
{
    fiber_touch();
    __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
#include <ordo/detail/cuda/swaps.cuh>

ORDO_DEV double atomicAdd(double *p, double value)
{
    return fiber_change(p, [&](double was) { return was + value; });
}
ORDO_DEV ordo_u64 ordo_dev_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (ordo_u64)t.tv_sec * 1000000000 + (ordo_u64)t.tv_nsec;
}

ORDO_DEV void ordo_dev_publish(ordo_cuda_counters *to, ordo_cuda_counters mine)
{
    to->items += mine.items;
    to->edges += mine.edges;
    to->useful += mine.useful;
    to->stale += mine.stale;
    to->activations += mine.activations;
}

typedef ordo_cuda_counters ordo_dev_counters;
ORDO_DEV void ordo_dev_publish_large(ordo_cuda_counters *, ordo_dev_counters *)
{
}

/* The first moments alone. */
ORDO_DEV void ordo_dev_sample(ordo_cuda_record *r, ordo_u64 in_flight, ordo_u64 bucket, double delta,
                              ordo_u32 concurrent, float utilisation)
{
    if (r->taken == 0)
        r->began = ordo_dev_clock();
    if (r->taken < ORDO_CUDA_MOMENTS)
        r->moment[r->taken++] = ordo_cuda_moment{ordo_dev_clock(), in_flight, bucket, delta, concurrent, utilisation};
}

#endif
