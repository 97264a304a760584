/* gather_fibers.cc -- gather.cuh over fibers, with PageRank: see launch_fibers.h. Few shares are hot, so that most
 * kinds of loads come up on small graphs. */
#include "tests/gpu/launch_fibers.h"

enum { ORDO_CUDA_THREADS = 64, ORDO_CUDA_LINE = 32, ORDO_BUSY_STATE = 0 };
#define GATHER_HUB_THREADS 128
#define GATHER_HUB_BLOCKS 1
#define GATHER_HOT_BYTES 256
#include "tests/gpu/gather_fibers.h"

#define ORDO_OP pagerank_pull_f32
#define ORDO_WEIGHT f32
#include "operators/pagerank_pull.h"

#include <ordo/detail/backend.h>

#include <ordo/detail/cuda/gather.cuh>

#include "schedulers/bsp/cuda_gather.cuh"
#include "schedulers/topology/cuda_gather.cuh"
#undef ordo_cuda_launch_all

FIBER_LAUNCH(op_gather_args)
