/* atomics.cuh -- one thread: loads, stores and atomics at device and block scope, prefetching, the clock.
 *
 * Called by single threads; no function waits for other threads.
 */
#ifndef ORDO_DETAIL_CUDA_ATOMICS_CUH
#define ORDO_DETAIL_CUDA_ATOMICS_CUH

#include <ordo/scheduler/cuda_host.h>

#define ORDO_DEV static __device__ __forceinline__

/* 32-bit words in a cache line: words that different blocks change lie this far apart. */
enum { ORDO_CUDA_LINE = 32 };

#include <ordo/detail/cuda/swaps.cuh>

/* Operations of one thread on one word, at three scopes: device scope, for global memory; block scope (_block), for
 * words in the shared memory of the thread's block; system scope (_system), for memory that other GPUs access. All are
 * relaxed but for acquire, release and the fences. Loads and stores are the compiler's scoped intrinsics.
 * Read-modify-write operations are CUDA's functions, relaxed by definition: these know the memory space of the address,
 * whereas the intrinsics add a check and a loop to every 64-bit operation. */
/* Relaxed load and store of a word in the shared memory of the thread's block, as volatile accesses. The scoped
 * intrinsics use a generic address; these use a shared-memory address if the compiler knows that it is one, which is
 * faster. */
template <typename T> ORDO_DEV T ordo_dev_load_shared(const T *p)
{
    return *(const volatile T *)p;
}
template <typename T> ORDO_DEV void ordo_dev_store_shared(T *p, T value)
{
    *(volatile T *)p = value;
}

/* Device scope: words that other blocks read and write. */

template <typename T> ORDO_DEV T ordo_dev_load(T *p)
{
    T value;
    __nv_atomic_load(p, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    return value;
}

template <typename T> ORDO_DEV void ordo_dev_store(T *p, T value)
{
    __nv_atomic_store(p, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

template <typename T> ORDO_DEV T ordo_dev_acquire(T *p)
{
    T value;
    __nv_atomic_load(p, &value, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    return value;
}

template <typename T> ORDO_DEV void ordo_dev_release(T *p, T value)
{
    __nv_atomic_store(p, &value, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
}

template <typename T> ORDO_DEV T ordo_dev_add(T *p, T value)
{
    using bits = typename ordo_dev_word<T>::bits;
    return (T)atomicAdd((bits *)p, (bits)value);
}

template <typename T> ORDO_DEV T ordo_dev_or(T *p, T value)
{
    using bits = typename ordo_dev_word<T>::bits;
    return (T)atomicOr((bits *)p, (bits)value);
}

template <typename T> ORDO_DEV T ordo_dev_min(T *p, T value)
{
    using number = typename ordo_dev_word<T>::number;
    return (T)atomicMin((number *)p, (number)value);
}

template <typename T> ORDO_DEV T ordo_dev_max(T *p, T value)
{
    using number = typename ordo_dev_word<T>::number;
    return (T)atomicMax((number *)p, (number)value);
}

ORDO_DEV void ordo_dev_fence(void) /* acquire and release */
{
    __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
}

ORDO_DEV void ordo_dev_fence_seq_cst(void) /* besides, all of these have one order */
{
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
}

/* A word of 4 bytes that others may store to meanwhile: some value that it had since the kernel began. Only for callers
 * for whom any of these will do. A weak load neither orders anything nor is ordered; with it `cc` takes 0.8 of the time
 * that it takes with loads of block scope, on a road graph and an H200
 * (docs/lab/0033-components-where-there-are-hubs.md). The memory model leaves open what a weak load gets that races
 * with a store. GPUs store aligned words whole, and the load is one instruction, so it gets one of the values. */
ORDO_DEV ordo_u32 ordo_dev_peek(const ordo_u32 *p)
{
    ordo_u32 value;
    asm volatile("ld.weak.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(p)));
    return value;
}

/* Block scope: words in the shared memory of the thread's block. */

template <typename T> ORDO_DEV T ordo_dev_load_block(T *p)
{
    T value;
    __nv_atomic_load(p, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    return value;
}

template <typename T> ORDO_DEV void ordo_dev_store_block(T *p, T value)
{
    __nv_atomic_store(p, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
}

template <typename T> ORDO_DEV T ordo_dev_acquire_block(T *p)
{
    T value;
    __nv_atomic_load(p, &value, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK);
    return value;
}

template <typename T> ORDO_DEV void ordo_dev_release_block(T *p, T value)
{
    __nv_atomic_store(p, &value, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
}

template <typename T> ORDO_DEV T ordo_dev_add_block(T *p, T value)
{
    using bits = typename ordo_dev_word<T>::bits;
    return (T)atomicAdd_block((bits *)p, (bits)value);
}

template <typename T> ORDO_DEV T ordo_dev_or_block(T *p, T value)
{
    using bits = typename ordo_dev_word<T>::bits;
    return (T)atomicOr_block((bits *)p, (bits)value);
}

template <typename T> ORDO_DEV T ordo_dev_min_block(T *p, T value)
{
    using number = typename ordo_dev_word<T>::number;
    return (T)atomicMin_block((number *)p, (number)value);
}

template <typename T> ORDO_DEV T ordo_dev_max_block(T *p, T value)
{
    using number = typename ordo_dev_word<T>::number;
    return (T)atomicMax_block((number *)p, (number)value);
}

ORDO_DEV void ordo_dev_fence_block(void) /* acquire and release */
{
    __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_BLOCK);
}

/* System scope: words that other GPUs read and write. */

template <typename T> ORDO_DEV T ordo_dev_load_system(T *p)
{
    T value;
    __nv_atomic_load(p, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
    return value;
}

template <typename T> ORDO_DEV T ordo_dev_acquire_system(T *p)
{
    T value;
    __nv_atomic_load(p, &value, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_SYSTEM);
    return value;
}

template <typename T> ORDO_DEV void ordo_dev_release_system(T *p, T value)
{
    __nv_atomic_store(p, &value, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_SYSTEM);
}

template <typename T> ORDO_DEV T ordo_dev_add_system(T *p, T value)
{
    using bits = typename ordo_dev_word<T>::bits;
    return (T)atomicAdd_system((bits *)p, (bits)value);
}

ORDO_DEV void ordo_dev_fence_system(void) /* acquire and release */
{
    __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_SYSTEM);
}

/* By one thread: prefetches a cache line into the second-level cache, if `has`. */
ORDO_DEV void ordo_dev_prefetch(bool has, const void *p)
{
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p prefetch.global.L2 [%1]; }" ::"r"((unsigned)has),
                 "l"(__cvta_generic_to_global(p)));
}

/* By one thread: loads a word of memory that is constant during the kernel, through the first-level cache. Where the
 * word that is returned is not used, the assembler removes the load. */
ORDO_DEV ordo_u32 ordo_dev_fetch(const void *p)
{
    ordo_u32 word;
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(word) : "l"(__cvta_generic_to_global(p)));
    return word;
}

ORDO_DEV ordo_u64 ordo_dev_clock(void)
{
    ordo_u64 t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
}

/* Relaxed load and store of 16 bytes in global memory, at device scope, and at system scope (_system): one access each
 * by the memory model of PTX (ISA 8.3, compute capability 7.0), so a load never mixes two values. All accesses to such
 * a place must have its size. */
#define ORDO_DEV_WIDE(_scope, _ptx)                                                                                    \
    ORDO_DEV ulonglong2 ordo_dev_load_wide##_scope(const ulonglong2 *p)                                                \
    {                                                                                                                  \
        ulonglong2 value;                                                                                              \
        asm volatile("{ .reg .b128 v; ld.relaxed." _ptx ".global.b128 v, [%2]; mov.b128 {%0, %1}, v; }"                \
                     : "=l"(value.x), "=l"(value.y)                                                                    \
                     : "l"(__cvta_generic_to_global(p))                                                                \
                     : "memory");                                                                                      \
        return value;                                                                                                  \
    }                                                                                                                  \
    ORDO_DEV void ordo_dev_store_wide##_scope(ulonglong2 *p, ulonglong2 value)                                         \
    {                                                                                                                  \
        asm volatile("{ .reg .b128 v; mov.b128 v, {%1, %2}; st.relaxed." _ptx                                          \
                     ".global.b128 [%0], v; }" ::"l"(__cvta_generic_to_global(p)),                                     \
                     "l"(value.x), "l"(value.y)                                                                        \
                     : "memory");                                                                                      \
    }
ORDO_DEV_WIDE(, "gpu")
ORDO_DEV_WIDE(_system, "sys")
#undef ORDO_DEV_WIDE

/* By one thread: minimum and maximum as above, only if `has`, by a predicated instruction instead of a branch: several
 * such operations are in flight together, and lanes without `has` cost nothing. Sets *old to the word's old value if
 * `has`; otherwise it is unchanged. At device scope, and at system scope (_system). */
#define ORDO_DEV_WHERE_AT(_name, _scope, _type, _ptx, _reg)                                                            \
    ORDO_DEV void _name(bool has, _type *p, _type value, _type *old)                                                   \
    {                                                                                                                  \
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p atom.relaxed." _scope ".global." _ptx                   \
                     " %0, [%2], %3; }"                                                                                \
                     : "+" _reg(*old)                                                                                  \
                     : "r"((unsigned)has), "l"(__cvta_generic_to_global(p)), _reg(value));                             \
    }
#define ORDO_DEV_WHERE(_which, _type, _ptx, _reg)                                                                      \
    ORDO_DEV_WHERE_AT(ordo_dev_##_which##_where, "gpu", _type, #_which "." _ptx, _reg)                                 \
    ORDO_DEV_WHERE_AT(ordo_dev_##_which##_where_system, "sys", _type, #_which "." _ptx, _reg)
ORDO_DEV_WHERE(min, unsigned, "u32", "r")
ORDO_DEV_WHERE(max, unsigned, "u32", "r")
ORDO_DEV_WHERE(min, int, "s32", "r")
ORDO_DEV_WHERE(max, int, "s32", "r")
ORDO_DEV_WHERE(min, unsigned long long, "u64", "l")
ORDO_DEV_WHERE(max, unsigned long long, "u64", "l")
ORDO_DEV_WHERE(min, long long, "s64", "l")
ORDO_DEV_WHERE(max, long long, "s64", "l")
#undef ORDO_DEV_WHERE
#undef ORDO_DEV_WHERE_AT

#endif
