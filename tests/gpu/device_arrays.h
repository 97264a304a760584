/* device_arrays.h -- arrays on the device, as copies of vectors, and back. A test that gets no memory ends with
 * status 3.
 */
#ifndef ORDO_TESTS_GPU_DEVICE_ARRAYS_H
#define ORDO_TESTS_GPU_DEVICE_ARRAYS_H

#include <stdlib.h>
#include <vector>

#include <cuda_runtime.h>

#include <ordo/types.h>

template <typename Word> static Word *sent(const std::vector<Word> &from)
{
    void *to = NULL;
    const size_t bytes = from.size() * sizeof(Word);
    const bool there = cudaMalloc(&to, bytes ? bytes : 1) == cudaSuccess &&
                       cudaMemcpy(to, from.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess;
    if (!there)
        exit(3);
    return (Word *)to;
}

template <typename Word> static std::vector<Word> back(const Word *from, ordo_u64 count)
{
    std::vector<Word> to(count);
    if (cudaMemcpy(to.data(), from, count * sizeof(Word), cudaMemcpyDeviceToHost) != cudaSuccess)
        exit(3);
    return to;
}

#endif
