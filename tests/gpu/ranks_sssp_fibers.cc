/* ranks_sssp_fibers.cc -- see ranks_fibers.h. */
#define ORDO_OP sssp_u32
#define ORDO_WEIGHT u32
#include "operators/sssp.h"

#include "tests/gpu/ranks_fibers.h"
