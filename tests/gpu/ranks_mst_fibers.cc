/* ranks_mst_fibers.cc -- see ranks_fibers.h. */
#define ORDO_OP mst_u32
#define ORDO_WEIGHT u32
#include "operators/mst.h"

#include "tests/gpu/ranks_fibers.h"
