/* cuda.cuh -- the CUDA back end's part of the contract: from what an operator declares, every way of applying it.
 *
 * The device's cpu.h: a template by inclusion. Expects ORDO_OP, the operator's name, whose file was included just
 * before, and is included once per operator and unit, ahead of the schedulers' cuda.cuh. For relax operators; what
 * critical ones get is in cuda_critical.cuh.
 *
 * Leaves OP(part) as cpu.h does, and
 *   OP(dev_offer)    applies one candidate: tests the cell, then the atomic (or, racy, a plain store)
 *   OP(dev_offer_locked)   the same with a store under a lock
 *   OP(dev_expand)   a block takes up to ORDO_CUDA_THREADS items and walks their edges, balanced by degree
 *   ordo_dev_queue   appends from a block: one touch of the shared counter for up to ORDO_CUDA_ROOM items
 *   OP(dev_push), OP(dev_step)   supersteps over a frontier (ordo_cuda_frontier): what bsp and near_far have in common
 *
 * Memory order. As on the CPU cells are read and written relaxed, at device scope (libcu++): a stale cell proposes a
 * worse candidate at most, and every improvement puts its target on a worklist again. Worklists pass from block to
 * block only over a grid barrier, which orders everything.
 */
#include <cooperative_groups.h>
#include <cub/block/block_scan.cuh>
#include <cuda/std/type_traits>

#include <ordo/cuda_host.h>

#ifndef ORDO_OP
#error "cuda.cuh expects ORDO_OP, the name of the operator whose file was included before"
#endif

#ifndef ORDO_CUDA_ONCE
#define ORDO_CUDA_ONCE

#define OP(_part) ORDO_JOIN3(ORDO_OP, _op_, _part)
#define ORDO_DEV static __device__ __forceinline__
#define ORDO_KERNEL(...) static __global__ void __launch_bounds__(__VA_ARGS__) /* threads, least blocks that fit */

/* Ends a scheduler's cuda.cuh: defines the instance that the back end's table names. */
#define ORDO_CUDA_INSTANCE(_scheduler, _run, _syncs)                                                                   \
    extern const ordo_instance ORDO_JOIN3(ORDO_OP, _on_cuda_under_, _scheduler);                                       \
    const ordo_instance ORDO_JOIN3(ORDO_OP, _on_cuda_under_, _scheduler) = {#_scheduler, _run, _syncs, ORDO_ON_CUDA};

enum {
    ORDO_CUDA_THREADS = 256,  /* of a block */
    ORDO_CUDA_ROOM = 2048,    /* items that a block holds back before it appends them */
    ORDO_CUDA_FEW = 4,        /* edges that the lanes of an item walk one after the other */
    ORDO_CUDA_NARROW = 8,     /* items of the smallest tile */
    ORDO_CUDA_SEGMENT = 4096, /* edges that a block takes of a hub; what has more is one */
};

/* ---- words of other blocks ---- */

/* Atomics of two scopes: the plain ones for device memory, `near` ones for the block's own, in shared memory. All are
 * relaxed but for acquire, release and the fences. Loads and stores are the compiler's scoped ones, those that
 * cuda::atomic_ref stands for; what changes a word is CUDA's function, relaxed by definition, which (unlike them) knows
 * in which memory the word is: otherwise operations on 64 bits carry a check and a loop wherever they are inlined. */
template <typename T> struct ordo_dev_word { /* as CUDA's functions know it */
    static constexpr bool is_signed = (T)-1 < (T)0;
    using bits = cuda::std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
    using number =
        cuda::std::conditional_t<sizeof(T) == 8, cuda::std::conditional_t<is_signed, long long, unsigned long long>,
                                 cuda::std::conditional_t<is_signed, int, unsigned>>;
};
#define ORDO_DEV_SCOPED(_suffix, _scope, _block)                                                                       \
    template <typename T> ORDO_DEV T ordo_dev_load##_suffix(T *p)                                                      \
    {                                                                                                                  \
        T value;                                                                                                       \
        __nv_atomic_load(p, &value, __NV_ATOMIC_RELAXED, _scope);                                                      \
        return value;                                                                                                  \
    }                                                                                                                  \
    template <typename T> ORDO_DEV void ordo_dev_store##_suffix(T *p, T value)                                         \
    {                                                                                                                  \
        __nv_atomic_store(p, &value, __NV_ATOMIC_RELAXED, _scope);                                                     \
    }                                                                                                                  \
    template <typename T> ORDO_DEV T ordo_dev_acquire##_suffix(T *p)                                                   \
    {                                                                                                                  \
        T value;                                                                                                       \
        __nv_atomic_load(p, &value, __NV_ATOMIC_ACQUIRE, _scope);                                                      \
        return value;                                                                                                  \
    }                                                                                                                  \
    template <typename T> ORDO_DEV void ordo_dev_release##_suffix(T *p, T value)                                       \
    {                                                                                                                  \
        __nv_atomic_store(p, &value, __NV_ATOMIC_RELEASE, _scope);                                                     \
    }                                                                                                                  \
    template <typename T> ORDO_DEV T ordo_dev_add##_suffix(T *p, T value)                                              \
    {                                                                                                                  \
        using bits = typename ordo_dev_word<T>::bits;                                                                  \
        return (T)atomicAdd##_block((bits *)p, (bits)value);                                                           \
    }                                                                                                                  \
    template <typename T> ORDO_DEV T ordo_dev_or##_suffix(T *p, T value)                                               \
    {                                                                                                                  \
        using bits = typename ordo_dev_word<T>::bits;                                                                  \
        return (T)atomicOr##_block((bits *)p, (bits)value);                                                            \
    }                                                                                                                  \
    template <typename T> ORDO_DEV T ordo_dev_min##_suffix(T *p, T value)                                              \
    {                                                                                                                  \
        using number = typename ordo_dev_word<T>::number;                                                              \
        return (T)atomicMin##_block((number *)p, (number)value);                                                       \
    }                                                                                                                  \
    template <typename T> ORDO_DEV T ordo_dev_max##_suffix(T *p, T value)                                              \
    {                                                                                                                  \
        using number = typename ordo_dev_word<T>::number;                                                              \
        return (T)atomicMax##_block((number *)p, (number)value);                                                       \
    }                                                                                                                  \
    template <typename T> ORDO_DEV T ordo_dev_exchange##_suffix(T *p, T value)                                         \
    {                                                                                                                  \
        using bits = typename ordo_dev_word<T>::bits;                                                                  \
        return (T)atomicExch##_block((bits *)p, (bits)value);                                                          \
    }                                                                                                                  \
    template <typename T> ORDO_DEV bool ordo_dev_swap##_suffix(T *p, T *expected, T value)                             \
    {                                                                                                                  \
        using bits = typename ordo_dev_word<T>::bits;                                                                  \
        bits was, from, to;                                                                                            \
        memcpy(&from, expected, sizeof from);                                                                          \
        memcpy(&to, &value, sizeof to);                                                                                \
        was = atomicCAS##_block((bits *)p, from, to);                                                                  \
        memcpy(expected, &was, sizeof was);                                                                            \
        return was == from;                                                                                            \
    }                                                                                                                  \
    ORDO_DEV void ordo_dev_fence##_suffix(void) /* acquire and release */                                              \
    {                                                                                                                  \
        __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, _scope);                                                         \
    }
ORDO_DEV_SCOPED(, __NV_THREAD_SCOPE_DEVICE, )
ORDO_DEV_SCOPED(_near, __NV_THREAD_SCOPE_BLOCK, _block)
#undef ORDO_DEV_SCOPED

/* Load and store of a word of the block's own shared memory, relaxed, as volatile ones are here. The scoped ones go to
 * an address of any kind of memory, these to one in shared memory where the compiler knows it, which is faster. */
template <typename T> ORDO_DEV T ordo_dev_peek_near(const T *p)
{
    return *(const volatile T *)p;
}
template <typename T> ORDO_DEV void ordo_dev_put_near(T *p, T value)
{
    *(volatile T *)p = value;
}

/* Brings a line on its way to the second-level cache, where `has`. */
ORDO_DEV void ordo_dev_prefetch(bool has, const void *p)
{
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p prefetch.global.L2 [%1]; }" ::"r"((unsigned)has),
                 "l"(__cvta_generic_to_global(p)));
}

/* The same to the first-level cache, for what nobody changes: a load, which has to be of use to be one. */
ORDO_DEV ordo_u32 ordo_dev_fetch(const void *p)
{
    ordo_u32 word;
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(word) : "l"(__cvta_generic_to_global(p)));
    return word;
}

/* Minimum and maximum as above, and only where `has`, without a branch: several in a row are on their way together, and
 * a lane that has none costs nothing. *old becomes what the word was, and stays what it is where not `has`. */
#define ORDO_DEV_WHERE(_name, _type, _ptx, _reg)                                                                       \
    ORDO_DEV void _name(bool has, _type *p, _type value, _type *old)                                                   \
    {                                                                                                                  \
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p atom.relaxed.gpu.global." _ptx " %0, [%2], %3; }"       \
                     : "+" _reg(*old)                                                                                  \
                     : "r"((unsigned)has), "l"(__cvta_generic_to_global(p)), _reg(value));                             \
    }
ORDO_DEV_WHERE(ordo_dev_min_where, unsigned, "min.u32", "r")
ORDO_DEV_WHERE(ordo_dev_max_where, unsigned, "max.u32", "r")
ORDO_DEV_WHERE(ordo_dev_min_where, int, "min.s32", "r")
ORDO_DEV_WHERE(ordo_dev_max_where, int, "max.s32", "r")
ORDO_DEV_WHERE(ordo_dev_min_where, unsigned long long, "min.u64", "l")
ORDO_DEV_WHERE(ordo_dev_max_where, unsigned long long, "max.u64", "l")
ORDO_DEV_WHERE(ordo_dev_min_where, long long, "min.s64", "l")
ORDO_DEV_WHERE(ordo_dev_max_where, long long, "max.s64", "l")
#undef ORDO_DEV_WHERE

ORDO_DEV ordo_u64 ordo_dev_clock(void)
{
    ordo_u64 t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
}

/* Over a whole warp: the largest, and all bits. One instruction from compute capability 8.0 on. */
ORDO_DEV ordo_u32 ordo_dev_warp_max(ordo_u32 x)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(0xffffffffu, x);
#else
    for (int step = 16; step; step /= 2)
        x = max(x, __shfl_xor_sync(0xffffffffu, x, step));
    return x;
#endif
}
ORDO_DEV ordo_u32 ordo_dev_warp_or(ordo_u32 x)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(0xffffffffu, x);
#else
    for (int step = 16; step; step /= 2)
        x |= __shfl_xor_sync(0xffffffffu, x, step);
    return x;
#endif
}

/* ---- appending ---- */

/* A worklist that the whole grid appends to and a block's store in front of it, in shared memory.
 *
 * Invariant: slots below min(count, ROOM) of `held` that were taken since the last flush are written before the
 * barrier that begins the next flush; what found no slot went to the list itself. The list's counter hands out each
 * place once. Readers come after a grid barrier. */
typedef struct ordo_dev_queue {
    ordo_u32 held[ORDO_CUDA_ROOM];
    ordo_u32 count;
    ordo_u32 base;
} ordo_dev_queue;

/* By all threads, before the first append. */
ORDO_DEV void ordo_dev_start(ordo_dev_queue *q)
{
    if (threadIdx.x == 0)
        q->count = 0;
    __syncthreads();
}

ORDO_DEV void ordo_dev_append(ordo_dev_queue *q, ordo_u32 item, ordo_u32 *list, ordo_u32 *count)
{
    ordo_u32 slot = atomicAdd(&q->count, 1u);
    if (slot < ORDO_CUDA_ROOM)
        q->held[slot] = item;
    else
        list[ordo_dev_add(count, 1u)] = item; /* rare: the block had more than it has room for */
}

/* By all threads: puts what is held on the list, if it is half a store full or `all`. Begins and ends with a barrier.
 */
ORDO_DEV void ordo_dev_flush(ordo_dev_queue *q, ordo_u32 *list, ordo_u32 *count, bool all)
{
    __syncthreads();
    ordo_u32 held = q->count < ORDO_CUDA_ROOM ? q->count : ORDO_CUDA_ROOM;
    if (held >= ORDO_CUDA_ROOM / 2 || (all && held)) {
        if (threadIdx.x == 0)
            q->base = ordo_dev_add(count, held);
        __syncthreads();
        for (ordo_u32 i = threadIdx.x; i < held; i += blockDim.x)
            list[q->base + i] = q->held[i];
        __syncthreads();
        if (threadIdx.x == 0)
            q->count = 0;
    }
    __syncthreads();
}

/* ---- a run ---- */

/* The i-th item that a run begins with. */
ORDO_DEV ordo_item ordo_dev_initial(const ordo_cuda_run *run, ordo_u64 i)
{
    return run->initial ? run->initial[i] : (ordo_item)i;
}

/* A thread's counters to the grid's, once a kernel. */
ORDO_DEV void ordo_dev_publish(ordo_cuda_counters *to, ordo_cuda_counters mine)
{
    ordo_u64 values[5] = {mine.items, mine.edges, mine.useful, mine.stale, mine.activations};
    for (int i = 0; i < 5; i++) {
        for (int step = 16; step; step /= 2)
            values[i] += __shfl_down_sync(0xffffffffu, values[i], step);
        if (threadIdx.x % 32 == 0 && values[i])
            ordo_dev_add(&to->items + i, values[i]);
    }
}

/* A moment of the trace, by one thread of the grid; every second one goes when there is no room left. */
ORDO_DEV void ordo_dev_sample(ordo_cuda_record *r, ordo_u64 in_flight, ordo_u64 bucket, double delta,
                              ordo_u32 concurrent, float utilisation)
{
    if (r->step == 0) {
        r->step = 1;
        r->began = ordo_dev_clock();
    }
    if (++r->skipped < r->step)
        return;
    r->skipped = 0;
    if (r->taken == ORDO_CUDA_MOMENTS) {
        for (int i = 0; i < ORDO_CUDA_MOMENTS / 2; i++)
            r->moment[i] = r->moment[2 * i];
        r->taken = ORDO_CUDA_MOMENTS / 2;
        r->step *= 2;
    }
    ordo_cuda_moment m = {ordo_dev_clock(), in_flight, bucket, delta, concurrent, utilisation};
    r->moment[r->taken++] = m;
}

/* ---- supersteps over a frontier ---- */

/* Words of a superstep, lines apart, three of each by turns: step s uses those of s % 3, pushes to those of (s + 1) %
 * 3, and one thread clears those of (s + 2) % 3, which were last used in s - 1: everybody has passed a barrier since.
 */
enum { ORDO_CUDA_LINE = 32 };
typedef struct ordo_cuda_turn {
    ordo_u32 count, padding0[ORDO_CUDA_LINE - 1];     /* items */
    ordo_u32 segments, padding1[ORDO_CUDA_LINE - 1];  /* pieces of hubs */
    ordo_u32 ticket, padding2[ORDO_CUDA_LINE - 1];    /* tiles and pieces that blocks have taken */
    ordo_u32 stop, padding3[ORDO_CUDA_LINE - 1];      /* what the mailbox said before this step: the same for all */
    ordo_u64 edges, padding4[ORDO_CUDA_LINE / 2 - 1]; /* of the items, where a scheduler adds them up */
} ordo_cuda_turn;

/* Each vertex is on the frontier of a step at most once: `stamp` holds the last step that it was pushed for. So a list
 * of n items is long enough, and one of m / SEGMENT + hubs pieces. */
typedef struct ordo_cuda_frontier {
    ordo_u32 *list[2];    /* [universe], by parity of the step */
    ordo_u64 *segment[2]; /* item << 32 | number of the piece */
    ordo_u32 *stamp;      /* [universe], 0 at first */
    ordo_cuda_turn *turn; /* [3], 0 at first */
} ordo_cuda_frontier;

static inline ordo_status ordo_cuda_frontier_make(ordo_cuda *c, ordo_u64 universe, ordo_u64 m, ordo_cuda_frontier *f)
{
    ordo_u64 pieces = m / ORDO_CUDA_SEGMENT * 2 + 1;
    for (int i = 0; i < 2; i++) {
        if (!(f->list[i] = (ordo_u32 *)ordo_cuda_alloc(c, universe, sizeof(ordo_u32), false)) ||
            !(f->segment[i] = (ordo_u64 *)ordo_cuda_alloc(c, pieces, sizeof(ordo_u64), false)))
            return ORDO_ERR_MEMORY;
    }
    f->stamp = (ordo_u32 *)ordo_cuda_alloc(c, universe, sizeof(ordo_u32), true);
    f->turn = f->stamp ? (ordo_cuda_turn *)ordo_cuda_alloc(c, 3, sizeof(ordo_cuda_turn), true) : NULL;
    return f->turn ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* By one thread of the grid at the start of a step: the words of the step after next, the trace, the mailbox. */
ORDO_DEV void ordo_dev_begin_step(const ordo_cuda_frontier *f, ordo_u64 step, const ordo_cuda_run *run,
                                  ordo_u64 in_flight, ordo_u64 bucket, double delta)
{
    ordo_cuda_turn *later = &f->turn[(step + 2) % 3];
    later->count = later->segments = later->ticket = 0;
    later->edges = 0;
    f->turn[(step + 1) % 3].stop = run->mailbox->stop;
    ordo_dev_sample(run->record, in_flight, bucket, delta, 1, -1);
    run->record->supersteps = step;
    run->mailbox->supersteps = step;
    run->mailbox->in_flight = in_flight;
}

/* ---- ends in the middle of a step ---- */

/* How a run that is told to end in the middle of a step ends: one word that all who wait or work long look at. It
 * holds the step in which it was set, so that all blocks leave after the same barrier: what is set in a step is there
 * for everybody behind that step's barrier, and what a faster block sets in the next step is not looked at yet. */
typedef struct ordo_cuda_halt {
    ordo_u32 *word; /* 0 at first */
    ordo_cuda_mailbox *mailbox;
} ordo_cuda_halt;

enum { ORDO_CUDA_LOOK = 64, ORDO_CUDA_ASK = 4096 };

/* Now and then: has the run been told to end? `rounds` is the thread's own count. One thread of a block asks the host
 * for all; where others may be at work long after it has ended, each asks for itself. */
ORDO_DEV bool ordo_dev_told(const ordo_cuda_halt *halt, ordo_u32 step, ordo_u32 *rounds, bool asks = threadIdx.x == 0)
{
    if (++*rounds % ORDO_CUDA_LOOK)
        return false;
    if (asks && *rounds % ORDO_CUDA_ASK == 0 && halt->mailbox->stop)
        atomicCAS(halt->word, 0u, step);
    return ordo_dev_load(halt->word) != 0;
}

/* Behind the barrier of `step`: the same for all. */
ORDO_DEV bool ordo_dev_halted(const ordo_cuda_halt *halt, ordo_u32 step)
{
    const ordo_u32 word = ordo_dev_load(halt->word);
    return word != 0 && word <= step;
}

static inline ordo_status ordo_cuda_halt_make(ordo_cuda *c, ordo_cuda_halt *halt)
{
    halt->mailbox = c->run.mailbox;
    halt->word = (ordo_u32 *)ordo_cuda_alloc(c, ORDO_CUDA_LINE, sizeof(ordo_u32), true);
    return halt->word ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* ---- locks ---- */

/* A lock of a table, at the scope of the device or, Near, of the block that alone uses it. That one is given back by an
 * exchange: it is no slower than a store, which would go to an address of any kind of memory, and racecheck, which
 * takes a store and a look at the lock elsewhere for a hazard, leaves out atomics. */
template <bool Near> ORDO_DEV bool ordo_dev_lock(ordo_u32 *lock)
{
    ordo_u32 open = 0;
    const bool got = Near ? ordo_dev_swap_near(lock, &open, 1u) : ordo_dev_swap(lock, &open, 1u);
    return got;
}
template <bool Near> ORDO_DEV void ordo_dev_unlock(ordo_u32 *lock)
{
    if (Near)
        ordo_dev_exchange_near(lock, 0u);
    else
        ordo_dev_store(lock, 0u);
}
template <bool Near> ORDO_DEV void ordo_dev_order(void)
{
    if (Near)
        ordo_dev_fence_near();
    else
        ordo_dev_fence();
}

/* Locks of a run. */
typedef struct ordo_cuda_locks {
    ordo_u32 *lock; /* [mask + 1] the table, 0 at first; not with locks in words */
    ordo_u32 mask;
    bool twice; /* critical operators: an item may ask twice */
} ordo_cuda_locks;

/* A lock a target, or one for several where there are very many; `table`: not in the targets' own words. */
static inline ordo_status ordo_cuda_locks_make(ordo_cuda *c, bool table, ordo_cuda_locks *locks)
{
    ordo_u64 size = 1;
    while (size < c->job->targets && size < 1u << 24)
        size *= 2;
    locks->mask = (ordo_u32)(size - 1);
    if (table)
        locks->lock = (ordo_u32 *)ordo_cuda_alloc(c, size, sizeof(ordo_u32), true);
    return !table || locks->lock ? ORDO_OK : ORDO_ERR_MEMORY;
}

#endif

/* ---- per operator ---- */

#if !ORDO_OP_ON_CUDA
#error "no engine of the CUDA back end runs this operator: its cells sum, or it does not list its state's arrays"
#endif
static_assert((int)OP(array_count) <= (int)ORDO_MOST_ARRAYS, "a state lists at most ORDO_MOST_ARRAYS arrays");
#if ORDO_OP_KIND != ORDO_KIND_RELAX
#include <ordo/cuda_critical.cuh>
#else

/* On the host, after ordo_cuda_begin: the run's state, with its arrays on the device. */
static inline ordo_status OP(cuda_state)(ordo_cuda *c, OP(state) * state)
{
    ordo_cuda_arrays arrays = {};
    *state = *(const OP(state) *)c->job->state;
    arrays.count = OP(arrays)(state, c->job->universe, c->job->targets, c->job->out->m, arrays.array);
    return ordo_cuda_arrays_in(c, &arrays);
}

/* The same for whatever kernel's arguments have rows, cells, state and run: all that they hold of the job. */
template <typename Args> static ordo_status OP(cuda_arguments)(ordo_cuda *c, Args *a)
{
    a->rows = c->out;
    a->cells = (OP(cell) *)c->cells;
    a->run = c->run;
    return OP(cuda_state)(c, &a->state);
}

/* What an item's candidates are proposed from: its cell, where items have one. */
ORDO_DEV OP(cell) OP(dev_cell)(OP(cell) * cells, ordo_item item)
{
    return OP(activates) ? ordo_dev_load(&cells[item]) : OP(worst)();
}

/* Applies a candidate atomically, where `has`; *old is what the cell was before, and nothing where not `has`. */
ORDO_DEV void OP(dev_improve)(OP(cell) * cells, bool has, ordo_u32 target, OP(cell) candidate, OP(cell) * old)
{
    OP(cell) *const cell = &cells[target];
#if defined(__cplusplus) /* all branches compile for every type */
    constexpr bool min = (int)OP(order) == ORDO_MIN, max = (int)OP(order) == ORDO_MAX;
    if constexpr ((int)OP(cell_type) == ORDO_F32 && (min || max)) {
        /* Floats without a sign are ordered as integers, those with one the other way round, and as signed integers
         * those without are above those with. So one operation of integers does, by the candidate's sign. */
        const bool negative = __float_as_uint(candidate) >> 31;
        has = has && !isnan(candidate);
        ordo_u32 was = __float_as_uint(candidate); /* one of the two writes it, for a NaN none */
        if (min) {
            ordo_dev_min_where(has && !negative, (int *)cell, __float_as_int(candidate), (int *)&was);
            ordo_dev_max_where(has && negative, (ordo_u32 *)cell, __float_as_uint(candidate), &was);
        } else {
            ordo_dev_max_where(has && !negative, (int *)cell, __float_as_int(candidate), (int *)&was);
            ordo_dev_min_where(has && negative, (ordo_u32 *)cell, __float_as_uint(candidate), &was);
        }
        *old = __uint_as_float(was);
    } else if constexpr (min || max) {
        using number = typename ordo_dev_word<OP(cell)>::number;
        number was = {};
        if (min)
            ordo_dev_min_where(has, (number *)cell, (number)candidate, &was);
        else
            ordo_dev_max_where(has, (number *)cell, (number)candidate, &was);
        *old = (OP(cell))was;
    } else
#endif
        if (has) {
        *old = ordo_dev_load(cell);
        while (OP(better)(candidate, *old) && !ordo_dev_swap(cell, old, candidate))
            ;
    }
}

/* The same for one candidate, true where it improved the cell; unless `blind` with a test first, for most candidates
 * improve nothing and a load costs half an atomic. Racy: a plain store. */
ORDO_DEV bool OP(dev_offer)(OP(cell) * cells, ordo_u32 target, OP(cell) candidate, bool racy, bool blind)
{
    if (!blind && !OP(better)(candidate, ordo_dev_load(&cells[target])))
        return false;
    if (racy) {
        ordo_dev_store(&cells[target], candidate);
        return true;
    }
    OP(cell) old;
    OP(dev_improve)(cells, true, target, candidate, &old);
    return OP(better)(candidate, old);
}

/* The same under the lock of its target, which is taken only by who would improve the cell, and looked at again then.
 * The lanes that are here together stay in one loop until none of them is left: a section is run in the pass in which
 * its lock was got, and nobody waits with a lock for a lane that wants it (see cuda_critical.cuh). */
ORDO_DEV bool OP(dev_offer_locked)(OP(cell) * cells, const ordo_cuda_locks *locks, ordo_u32 target, OP(cell) candidate)
{
    const ordo_u32 here = __activemask();
    ordo_u32 *const lock = &locks->lock[target & locks->mask];
    bool open = true, improved = false;
    do {
        open = open && OP(better)(candidate, ordo_dev_load(&cells[target]));
        if (open && ordo_dev_lock<false>(lock)) {
            ordo_dev_order<false>();
            improved = OP(better)(candidate, ordo_dev_load(&cells[target]));
            if (improved)
                ordo_dev_store(&cells[target], candidate);
            ordo_dev_order<false>();
            ordo_dev_unlock<false>(lock);
            open = false;
        }
    } while (__any_sync(here, open));
    return improved;
}

/* Heads and weights of N edges: all are on their way before the first is used. */
template <int N>
ORDO_DEV void OP(dev_edges)(const ordo_cuda_rows *rows, const ordo_eid (&e)[N], ordo_u32 (&head)[N],
                            ordo_u32 (&weight)[N])
{
    if (rows->stride == 2) {
        uint2 both[N];
#pragma unroll
        for (int u = 0; u < N; u++)
            both[u] = __ldg((const uint2 *)rows->edge + e[u]);
#pragma unroll
        for (int u = 0; u < N; u++) {
            head[u] = both[u].x;
            weight[u] = both[u].y;
        }
    } else {
#pragma unroll
        for (int u = 0; u < N; u++) {
            head[u] = __ldg(rows->edge + e[u]);
            weight[u] = (int)OP(weight_type) == ORDO_F32 ? 0x3f800000u /* 1.0f */ : 1;
        }
    }
}

ORDO_DEV OP(edge) OP(dev_edge)(const ordo_cuda_rows *rows, ordo_eid e, ordo_vid tail, bool turned)
{
    const ordo_eid edge[1] = {e};
    ordo_u32 head[1], weight[1];
    OP(dev_edges)(rows, edge, head, weight);
    return turned ? OP(make_edge)(e, head[0], tail, weight) : OP(make_edge)(e, tail, head[0], weight);
}

/* What a block needs to walk the edges of many items at once. */
typedef struct OP(dev_tile) {
    typename cub::BlockScan<ordo_u32, ORDO_CUDA_THREADS>::TempStorage scan;
    ordo_u32 offset[ORDO_CUDA_THREADS]; /* of the item's first edge among all of the tile's */
    ordo_u64 begin[ORDO_CUDA_THREADS];
    ordo_vid item[ORDO_CUDA_THREADS];
    OP(cell) value[ORDO_CUDA_THREADS];
} OP(dev_tile);

/* All threads of the block, `lanes` next to each other with one item (or none: degree 0): `sink(item, value, e)` for
 * each edge begin .. begin + degree - 1 of each. Items of few edges are walked by their lanes; the edges of the others
 * are laid end to end and dealt out to all threads. */
template <typename Sink>
ORDO_DEV void OP(dev_expand)(OP(dev_tile) * tile, ordo_vid item, OP(cell) value, ordo_u64 begin, ordo_u32 degree,
                             ordo_u32 lanes, Sink sink)
{
    const ordo_u32 lane = threadIdx.x & (lanes - 1);
    const bool few = degree <= ORDO_CUDA_FEW * lanes;
    if (few)
        for (ordo_u32 i = lane; i < degree; i += lanes)
            sink(item, value, begin + i);
    if (!__syncthreads_or(!few))
        return;
    ordo_u32 offset, total;
    cub::BlockScan<ordo_u32, ORDO_CUDA_THREADS>(tile->scan).ExclusiveSum(few || lane ? 0u : degree, offset, total);
    tile->offset[threadIdx.x] = offset;
    tile->begin[threadIdx.x] = begin;
    tile->item[threadIdx.x] = item;
    tile->value[threadIdx.x] = value;
    __syncthreads();
    for (ordo_u32 i = threadIdx.x; i < total; i += ORDO_CUDA_THREADS) {
        ordo_u32 owner = 0; /* the last one whose offset is at most i */
        for (ordo_u32 step = ORDO_CUDA_THREADS / 2; step; step /= 2)
            owner += tile->offset[owner + step] <= i ? step : 0;
        sink(tile->item[owner], tile->value[owner], tile->begin[owner] + (i - tile->offset[owner]));
    }
    __syncthreads();
}

/* ---- supersteps ---- */

/* Puts an item on the frontier of step `step`, once. A hub goes there in pieces. Returns its number of edges, or 0
 * where it was there. Alone: nobody else puts it there in this step, so there is no need to wait for what the stamp
 * was. */
ORDO_DEV ordo_u64 OP(dev_push)(const ordo_cuda_frontier *f, ordo_dev_queue *q, const ordo_cuda_rows *rows,
                               ordo_vid item, ordo_u32 step, bool alone)
{
    ordo_u64 degree = __ldg(rows->row + item + 1) - __ldg(rows->row + item); /* on its way meanwhile; the pop has it */
    if (alone)
        ordo_dev_store(&f->stamp[item], step);
    else if (ordo_dev_exchange(&f->stamp[item], step) == step)
        return 0;
    ordo_cuda_turn *turn = &f->turn[step % 3];
    if (degree <= ORDO_CUDA_SEGMENT) {
        ordo_dev_append(q, item, f->list[step & 1], &turn->count);
        return degree;
    }
    ordo_u32 pieces = (ordo_u32)((degree + ORDO_CUDA_SEGMENT - 1) / ORDO_CUDA_SEGMENT);
    ordo_u32 at = ordo_dev_add(&turn->segments, pieces);
    for (ordo_u32 i = 0; i < pieces; i++)
        f->segment[step & 1][at + i] = (ordo_u64)item << 32 | i;
    return degree;
}

/* A block's part of a superstep: takes tiles of items and pieces of hubs while there are any, and gives each edge to
 * `sink(item, value, e)`. `done()` runs between tiles, by all threads: to flush. The first piece of work is the one of
 * the block's own number; only who has done that takes a ticket, so that thin steps touch no shared counter. Tiles are
 * as narrow as gives every block one, and then several lanes have one item. */
template <typename Sink, typename Done>
ORDO_DEV void OP(dev_step)(OP(dev_tile) * tile, const ordo_cuda_frontier *f, const ordo_cuda_rows *rows,
                           OP(cell) * cells, const OP(state) * state, ordo_u32 step, ordo_cuda_counters *mine,
                           Sink sink, Done done)
{
    __shared__ ordo_u32 taken;
    ordo_cuda_turn *turn = &f->turn[step % 3];
    const ordo_u32 count = turn->count, segments = turn->segments;
    ordo_u32 lanes = 1;
    while (lanes < ORDO_CUDA_THREADS / ORDO_CUDA_NARROW &&
           (ordo_u64)gridDim.x * (ORDO_CUDA_THREADS / 2) >= (ordo_u64)count * lanes)
        lanes *= 2;
    const ordo_u32 width = ORDO_CUDA_THREADS / lanes, tiles = (count + width - 1) / width;
    for (ordo_u32 now = blockIdx.x; now < segments + tiles;) {
        if (now < segments) { /* the large ones first */
            ordo_u64 piece = f->segment[step & 1][now];
            ordo_vid item = (ordo_vid)(piece >> 32);
            ordo_u64 begin = rows->row[item] + (piece & 0xffffffffu) * ORDO_CUDA_SEGMENT, end = rows->row[item + 1];
            end = begin + ORDO_CUDA_SEGMENT < end ? begin + ORDO_CUDA_SEGMENT : end;
            OP(cell) value = OP(dev_cell)(cells, item);
            if (OP(filter)(state, item))
                for (ordo_u64 e = begin + threadIdx.x; e < end; e += ORDO_CUDA_THREADS)
                    sink(item, value, e);
            if (threadIdx.x == 0 && (piece & 0xffffffffu) == 0)
                mine->items++;
        } else {
            ordo_u32 i = (now - segments) * width + threadIdx.x / lanes;
            bool there = i < count;
            ordo_vid item = there ? f->list[step & 1][i] : 0;
            there = there && OP(filter)(state, item);
            ordo_u64 begin = there ? __ldg(rows->row + item) : 0;
            ordo_u32 degree = there ? (ordo_u32)(__ldg(rows->row + item + 1) - begin) : 0;
            OP(cell) value = there ? OP(dev_cell)(cells, item) : OP(worst)();
            mine->items += there && threadIdx.x % lanes == 0;
            OP(dev_expand)(tile, item, value, begin, degree, lanes, sink);
        }
        done(); /* begins and ends with a barrier */
        if (gridDim.x < segments + tiles) {
            if (threadIdx.x == 0)
                taken = gridDim.x + ordo_dev_add(&turn->ticket, 1u);
            __syncthreads();
            now = taken;
            __syncthreads();
        } else {
            break;
        }
    }
}

#endif /* ORDO_KIND_RELAX */
