/* residual_fibers.h -- what relax.cuh, warp.cuh and the schedulers use of a GPU besides, over fibers; after
 * gather_fibers.h.
 */
#ifndef TESTS_GPU_RESIDUAL_FIBERS_H
#define TESTS_GPU_RESIDUAL_FIBERS_H

#include <math.h>

#include "tests/gpu/system_fibers.h"

static ordo_status fiber_start(const ordo_cuda_step *step, size_t shared);
#define ordo_cuda_start fiber_start

ORDO_DEV ordo_u32 min(ordo_u64 a, ordo_u32 b)
{
    return a < b ? (ordo_u32)a : b;
}
ORDO_DEV ordo_u32 max(ordo_u32 a, ordo_u32 b)
{
    return a > b ? a : b;
}

/* ---- atomics.cuh ---- */

template <typename T> ORDO_DEV T ordo_dev_acquire(T *p)
{
    return ordo_dev_load(p);
}
template <typename T> ORDO_DEV void ordo_dev_release(T *p, T value)
{
    ordo_dev_store(p, value);
}
template <typename T> ORDO_DEV T ordo_dev_acquire_block(T *p)
{
    return ordo_dev_load(p);
}
template <typename T> ORDO_DEV void ordo_dev_release_block(T *p, T value)
{
    ordo_dev_store(p, value);
}
ORDO_DEV void ordo_dev_fence(void)
{
    fiber_touch();
}
ORDO_DEV void ordo_dev_fence_block(void)
{
}
ORDO_DEV void ordo_dev_fence_seq_cst(void)
{
    fiber_touch();
}
ORDO_DEV ulonglong2 ordo_dev_load_wide(const ulonglong2 *p)
{
    fiber_touch();
    return *p;
}
ORDO_DEV void ordo_dev_store_wide(ulonglong2 *p, ulonglong2 value)
{
    ordo_dev_store(p, value);
}
ORDO_DEV void __nanosleep(ordo_u32)
{
    fiber_yield();
}
ORDO_DEV void ordo_dev_prefetch(bool, const void *)
{
}
template <typename T> ORDO_DEV T atomicAdd(T *p, T value)
{
    return ordo_dev_add(p, value);
}

/* ---- warp_reduce.cuh, grid.cuh, live.cuh ---- */

ORDO_DEV ordo_item ordo_dev_initial(const ordo_cuda_run *run, ordo_u64 i)
{
    return run->initial ? run->initial[i] : (ordo_item)i;
}
ORDO_DEV bool ordo_dev_reports(void)
{
    return threadIdx.x == 0;
}
enum { ORDO_LIVE_STEPS = 16, ORDO_LIVE_KEEP = ORDO_MEMBER_STATES };
ORDO_DEV bool ordo_live_shows(void)
{
    return false;
}
template <int N, typename... A> ORDO_DEV void ordo_live_tile(const A &...)
{
}
template <typename... A> ORDO_DEV void ordo_live_step(const A &...)
{
}
template <int N, typename... A> ORDO_DEV ordo_u32 ordo_live_sums(const A &...)
{
    return 0;
}
template <typename... A> ORDO_DEV void ordo_live_add(const A &...)
{
}
template <int N, typename... A> ORDO_DEV void ordo_live_put(const A &...)
{
}

/* ---- intrinsics ---- */

/* Shared memory is static: a word is a distance from one of these. */
static char fiber_shared;
ORDO_DEV size_t __cvta_generic_to_shared(const void *p)
{
    return (size_t)((const char *)p - &fiber_shared);
}
ORDO_DEV void *__cvta_shared_to_generic(size_t word)
{
    return &fiber_shared + (ptrdiff_t)(int)(ordo_u32)word;
}
ORDO_DEV ordo_u64 __double2uint_rz(double x)
{
    return !(x > 0) ? 0 : x < 4294967295.0 ? (ordo_u64)x : 4294967295u;
}
/* The lanes that call together; only under locks, which no kernel here takes. */
ORDO_DEV ordo_u32 __activemask(void)
{
    abort();
}

#endif
