/* range.h -- marks what the host does, for profilers that read NVTX (Nsight Systems): a run, its launches, its copies.
 *
 * NVTX is headers alone. Without a profiler a mark is a call through a pointer that does nothing; a run makes about
 * ten.
 */
#ifndef ORDO_CUDA_RANGE_H
#define ORDO_CUDA_RANGE_H

#include <nvtx3/nvToolsExt.h>

/* Marks the time from here to the end of the block. */
struct ordo_range {
    explicit ordo_range(const char *name)
    {
        nvtxRangePushA(name);
    }
    ~ordo_range()
    {
        nvtxRangePop();
    }
    ordo_range(const ordo_range &) = delete;
    ordo_range &operator=(const ordo_range &) = delete;
};

#endif
