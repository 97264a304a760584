/* ranks_pagerank_fibers.cc -- see ranks_fibers.h. */
#define ORDO_OP pagerank
#include "operators/pagerank.h"

#include "tests/gpu/ranks_fibers.h"
