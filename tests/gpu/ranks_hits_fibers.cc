/* ranks_hits_fibers.cc -- see ranks_gather_fibers.h. */
#define ORDO_OP hits
#include "operators/hits.h"

#include "tests/gpu/ranks_gather_fibers.h"
