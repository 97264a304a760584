/* ranks_kcore_fibers.cc -- see ranks_fibers.h. */
#define ORDO_OP kcore
#include "operators/kcore.h"

#include "tests/gpu/ranks_fibers.h"
