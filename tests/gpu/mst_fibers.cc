/* mst_fibers.cc -- mst.cu over fibers, cooperative launches on a grid of three blocks: see block_fibers.h. */
#define FIBER_FIT(_kernel) ((void)(_kernel), 3)
#include "tests/gpu/block_fibers.h"

#define ORDO_DETAIL_CUDA_ATOMICS_CUH
ORDO_DEV ordo_u32 ordo_dev_warp_min(ordo_u32 x)
{
    for (int step = 16; step; step /= 2)
        x = std::min(x, __shfl_xor_sync(0xffffffffu, x, step));
    return x;
}

namespace cub
{
template <typename T, int THREADS> struct BlockScan {
    struct TempStorage {
        T value[THREADS];
    } & shared;
    explicit BlockScan(TempStorage &s) : shared(s)
    {
    }
    void ExclusiveSum(T mine, T &before, T &total)
    {
        shared.value[threadIdx.x] = mine;
        __syncthreads();
        before = total = 0;
        for (unsigned i = 0; i < THREADS; i++) {
            before += i < threadIdx.x ? shared.value[i] : 0;
            total += shared.value[i];
        }
        __syncthreads();
    }
};
} // namespace cub

/* Keys of small graphs always hold the component, and one block does all their rounds; so every second run uses keys
 * without it, and of each kind some runs have rounds of the grid down to few edges, or to few components. */
static int fiber_key_bits = 63;
static ordo_u32 fiber_runs, fiber_last_edges, fiber_few_parts;
#define MST_KEY_BITS fiber_key_bits
#define MST_LAST_EDGES fiber_last_edges
#define MST_FEW_PARTS fiber_few_parts
#define mst_native_on_cuda mst_program
#include "apps/mst.cu"
#undef mst_native_on_cuda
#undef ordo_cuda_launch_all

FIBER_LAUNCH(mst_args)

static ordo_status run_by_turns(ordo_job *job)
{
    fiber_key_bits = fiber_runs % 2 ? 63 : 0;
    fiber_last_edges = fiber_runs / 2 % 2 ? MST_LAST_EACH * MST_ROUND_THREADS : 8;
    fiber_few_parts = fiber_runs / 4 % 2 ? MST_LAST_PARTS : 8;
    fiber_runs++;
    return run(job);
}

extern const ordo_instance mst_native_on_cuda;
const ordo_instance mst_native_on_cuda = {ORDO_NATIVE, run_by_turns, 0, ORDO_ON_CUDA};
