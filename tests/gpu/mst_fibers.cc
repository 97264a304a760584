/* mst_fibers.cc -- mst.cu for machines without a GPU: its kernels over fibers, lanes and warps in an order by chance.
 * Linked with fake_runtime.cc and the host's part of the back end, it runs `--device cuda` of mst, slowly.
 *
 * Blocks run one after the other, so that a kernel's shared memory can be static; the cooperative rounds have one.
 */
#include "tests/gpu/fibers.h"

#include <algorithm>

#undef __global__
#undef __shared__
#undef __launch_bounds__
#define __global__
#define __shared__ static
#define __launch_bounds__(...)

static unsigned fiber_block, fiber_blocks;
#undef blockIdx
#undef gridDim
#define blockIdx (fiber_index{fiber_block})
#define gridDim (fiber_index{fiber_blocks})

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

/* What the host's part of mst.cu calls: a kernel is known by its function, and launches are handed on as one. */
static ordo_status fiber_grid_of(const void *kernel, int threads, int wanted, int *fit)
{
    (void)kernel;
    (void)threads;
    (void)wanted;
    *fit = 1;
    return ORDO_OK;
}
static ordo_status fiber_launch_all(ordo_cuda *c, const ordo_cuda_step *step, int count);
#define ordo_cuda_kernel(_kernel) (_kernel)
#define ordo_cuda_grid fiber_grid_of
#define ordo_cuda_launch_all fiber_launch_all
/* Keys of small graphs always hold the component, so every second run uses keys without it. */
static int fiber_key_bits;
#define MST_KEY_BITS fiber_key_bits
#include "apps/mst.cu"
#undef ordo_cuda_launch_all

typedef struct launches {
    const ordo_cuda_step *step;
    int count;
} launches;

static void body(const void *arg)
{
    const ordo_cuda_step *step = (const ordo_cuda_step *)arg;
    ((void (*)(mst_args))step->kernel)(*(const mst_args *)step->args[0]);
}

/* As the fake runtime calls kernels. */
static void mst_kernels(const void *arg)
{
    const launches *all = (const launches *)arg;
    for (int i = 0; i < all->count; i++) {
        const ordo_cuda_step *step = &all->step[i];
        fiber_blocks = step->cooperative ? 1 : 2 + fiber_random(4);
        for (fiber_block = 0; fiber_block < fiber_blocks; fiber_block++)
            fibers_run(1, (unsigned)step->threads, body, step);
    }
}

static ordo_status fiber_launch_all(ordo_cuda *c, const ordo_cuda_step *step, int count)
{
    static launches all; /* the runtime's thread reads it after the call has begun */
    static void *args[] = {&all};
    all = launches{step, count};
    fiber_key_bits = 63 - fiber_key_bits;
    ordo_cuda_step one = *step;
    one.kernel = (const void *)mst_kernels;
    one.args = args;
    return ordo_cuda_launch_all(c, &one, 1);
}
