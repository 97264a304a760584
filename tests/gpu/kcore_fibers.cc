/* kcore_fibers.cc -- kcore.cu over fibers: see launch_fibers.h. */
#include "tests/gpu/launch_fibers.h"

#include "apps/kcore.cu"
#undef ordo_cuda_launch_all

FIBER_LAUNCH(kcore_args)
