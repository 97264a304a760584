/* ranks_pagerank_pull_fibers.cc -- see ranks_gather_fibers.h. */
#define ORDO_OP pagerank_pull_f32
#define ORDO_WEIGHT f32
#include "operators/pagerank_pull.h"

#include "tests/gpu/ranks_gather_fibers.h"
