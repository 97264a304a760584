/* cc_fibers.cc -- cc.cu over fibers: see launch_fibers.h. */
#include "tests/gpu/launch_fibers.h"

#include "apps/cc.cu"
#undef ordo_cuda_launch_all

FIBER_LAUNCH(cc_args)
