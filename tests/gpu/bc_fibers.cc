/* bc_fibers.cc -- bc.cu over fibers: see launch_fibers.h. */
#include "tests/gpu/launch_fibers.h"

#include "apps/bc.cu"
#undef ordo_cuda_launch_all

FIBER_LAUNCH(bc_args)
