/* ranks_lp_fibers.cc -- see ranks_gather_fibers.h. */
#define ORDO_OP lp
#include "operators/lp.h"

#include "tests/gpu/ranks_gather_fibers.h"
