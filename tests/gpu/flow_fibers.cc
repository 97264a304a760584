/* flow_fibers.cc -- maxflow.cu for machines without a GPU: its kernel over fibers. Linked with fake_runtime.cc and the
 * host's part of the back end, it runs whatever `--device cuda` asks of maxflow, slowly.
 */
#include "tests/gpu/fibers.h"

enum { BLOCKS = 3 };
static unsigned strict, alone; /* drawn for every launch */

#define FLOW_THREADS 64
#define FLOW_HOPS 4
#define FLOW_STRICT strict
#define FLOW_ALONE alone
#include "apps/maxflow.cuh"

static flow_store stores[BLOCKS];

static void body(const void *arg)
{
    flow_run((const flow_args *)arg, &stores[blockIdx.x]);
}

/* As the fake runtime calls kernels. Now and then a list was too small before. */
static void flow_cuda_kernel(const void *arg)
{
    memset((void *)stores, 0xa5, sizeof stores);
    strict = fiber_random(3) ? 1000 : fiber_random(3);
    alone = fiber_random(3) * FLOW_GROUPS;
    ((const flow_args *)arg)->words->full |= fiber_random(4) == 0;
    fibers_run(BLOCKS, FLOW_THREADS, body, arg);
}

#include "apps/maxflow.cu"
