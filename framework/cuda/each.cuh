/* each.cuh -- a body for each of many indices, on the device: by a kernel, or by a loop if a C++ compiler builds this
 * for the tests. A body is an object with `void operator()(ordo_u64 index) const`, an ORDO_EACH_FN, and no index waits
 * for another. Names of bodies differ from file to file.
 */
#ifndef ORDO_CUDA_EACH_CUH
#define ORDO_CUDA_EACH_CUH

#include <cuda_runtime.h>

#include <ordo/types.h>

#ifdef __CUDACC__
#define ORDO_EACH_FN __device__ __forceinline__

enum { ORDO_EACH_THREADS = 256, ORDO_EACH_BLOCKS = 2048 };

template <typename Body>
static __global__ void __launch_bounds__((ORDO_EACH_THREADS)) ordo_each_kernel(const Body body, ordo_u64 count)
{
    for (ordo_u64 i = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (ordo_u64)gridDim.x * blockDim.x)
        body(i);
}
#else
#define ORDO_EACH_FN inline
#endif

/* Calls the body with 0 .. count - 1. Asynchronous. */
template <typename Body> static void ordo_each_index(ordo_u64 count, const Body &body)
{
#ifdef __CUDACC__
    const ordo_u64 blocks = (count + ORDO_EACH_THREADS - 1) / ORDO_EACH_THREADS;
    const unsigned grid = (unsigned)(blocks < ORDO_EACH_BLOCKS ? blocks : ORDO_EACH_BLOCKS);
    if (count)
        ordo_each_kernel<<<grid, ORDO_EACH_THREADS>>>(body, count);
#else
    for (ordo_u64 i = 0; i < count; i++)
        body(i);
#endif
}

/* The first of words begin .. end - 1, `stride` apart, which ascend, that is not below `least`; end: none is. */
template <typename Word>
static ORDO_EACH_FN ordo_u64 ordo_first_from(const Word *word, ordo_u32 stride, ordo_u64 begin, ordo_u64 end,
                                             ordo_u64 least)
{
    while (begin < end) {
        const ordo_u64 middle = begin + (end - begin) / 2;
        if (word[middle * stride] < least)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

#endif
