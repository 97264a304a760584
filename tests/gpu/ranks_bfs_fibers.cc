/* ranks_bfs_fibers.cc -- see ranks_fibers.h. */
#define ORDO_OP bfs
#include "operators/bfs.h"

#include "tests/gpu/ranks_fibers.h"
