/* tc_fibers.cc -- tc.cu over fibers: see launch_fibers.h. The core of small graphs is small, or empty. */
#include "tests/gpu/launch_fibers.h"

#define TC_SLOTS(_edges) (fiber_random(3) * fiber_random(300))

#define TC_BY_ID(_kind, _n, _m) (fiber_random(3) == 0)

#include "apps/tc.cu"
#undef ordo_cuda_launch_all

FIBER_LAUNCH(tc_args)
