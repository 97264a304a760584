/* flow_fibers.cc -- maxflow.cu for machines without a GPU: its kernel runs on fibers. Linked with fake_runtime.cc and
 * the host's part of the back end, it does what `--device cuda` asks of maxflow, slowly.
 */
#include "tests/gpu/fibers.h"

enum { BLOCKS = 3 };
static unsigned strict, alone, most; /* drawn at random for each launch */

#define FLOW_THREADS 64
#define FLOW_HOPS 4
#define FLOW_STRICT strict
#define FLOW_ALONE alone
#define FLOW_CAPACITY(a) ((a)->capacity < most ? (a)->capacity : most)
#include "apps/maxflow.cuh"

static flow_store stores[BLOCKS];

static void body(const void *arg)
{
    flow_run((const flow_args *)arg, &stores[blockIdx.x]);
}

/* Has the signature by which the fake runtime calls kernels. In one launch in four lists count as overflowed early. */
static void flow_cuda_kernel(const void *arg)
{
    memset((void *)stores, 0xa5, sizeof stores);
    strict = fiber_random(3) ? 1000 : fiber_random(3);
    alone = fiber_random(3) * FLOW_GROUPS;
    most = fiber_random(4) ? ~0u : 1 + fiber_random(8);
    fibers_run(BLOCKS, FLOW_THREADS, body, arg);
}

#include "apps/maxflow.cu"
