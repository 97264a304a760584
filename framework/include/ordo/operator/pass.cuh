/* pass.cuh -- a pass on a GPU: <ordo/operator/pass.h> includes it where nvcc compiles a file of passes.
 *
 * Method. Threads visit items in strides of the grid. Values are folded in registers, then by warps, then by one atomic
 * of each warp. Selected items are appended to the list by one atomic of each warp and stride, so that their order is
 * not determined.
 */
#ifndef ORDO_PASS_CUH
#define ORDO_PASS_CUH

#include <cuda_runtime.h>

/* By one lane: folds into a word. */
static __device__ __forceinline__ void ordo_dev_fold(int fold, unsigned long long *word, unsigned long long value)
{
    if (fold == ORDO_SUM)
        atomicAdd(word, value);
    else if (fold == ORDO_MIN)
        atomicMin(word, value);
    else
        atomicMax(word, value);
}

/* The kernel's parameter, of which the host writes the bytes. Pass: a pass's functions as a type. */
template <typename Pass> struct ordo_pass_args {
    ordo_pass_head head;
    typename Pass::state state;
};

template <typename Pass> static __global__ void __launch_bounds__(256) ordo_pass_kernel(const ordo_pass_args<Pass> args)
{
    const ordo_visit &visit = args.head.visit;
    unsigned long long *const found = (unsigned long long *)args.head.found; /* selected items, the folded value */
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_u64 stride = (ordo_u64)gridDim.x * blockDim.x;
    unsigned long long value = ordo_fold_start(Pass::fold), count = 0;
    for (ordo_u64 first = (ordo_u64)blockIdx.x * blockDim.x; first < visit.count; first += stride) {
        const ordo_u64 i = first + threadIdx.x;
        ordo_item item = 0;
        ordo_u64 seen = ORDO_NO_VALUE;
        if (i < visit.count) {
            item = visit.items ? visit.items[i] : (ordo_item)i;
            seen = Pass::visit(&args.state, item, &visit.out, &visit.in);
        }
        if (seen != ORDO_NO_VALUE)
            value = ordo_fold(Pass::fold, value, seen);
        const bool has = seen != ORDO_NO_VALUE && Pass::select(&args.state, seen);
        if (!visit.selected) {
            count += has;
            continue;
        }
        const ordo_u32 all = __ballot_sync(~0u, has);
        unsigned long long at = 0;
        if (lane == 0 && all)
            at = atomicAdd(found, (unsigned long long)__popc(all));
        at = __shfl_sync(~0u, at, 0);
        if (has)
            visit.selected[at + (ordo_u32)__popc(all & ((1u << lane) - 1))] = item;
    }
    for (int step = 16; step; step /= 2) {
        count += __shfl_down_sync(~0u, count, step);
        value = ordo_fold(Pass::fold, value, __shfl_down_sync(~0u, value, step));
    }
    if (lane == 0 && count)
        atomicAdd(found, count);
    if (lane == 0 && value != ordo_fold_start(Pass::fold))
        ordo_dev_fold(Pass::fold, found + 1, value);
}

/* The driver's handle of a kernel of this object, which all CUDA runtimes of the process know; NULL: an error, which
 * the runtime's last one names. */
static inline const void *ordo_pass_handle(const void *function)
{
    cudaKernel_t kernel;
    return cudaGetKernel(&kernel, function) == cudaSuccess ? (const void *)kernel : NULL;
}

/* The instance of a pass. */
#define ORDO_CUDA_PASS(_name, _state, _visit, _fold, _select)                                                          \
    struct ORDO_JOIN(_name, _on_device) {                                                                              \
        typedef _state state;                                                                                          \
        enum { fold = _fold };                                                                                         \
        static __device__ __forceinline__ ordo_u64 visit(const state *s, ordo_item item, const ordo_rows *out,         \
                                                         const ordo_rows *in)                                          \
        {                                                                                                              \
            return _visit(s, item, out, in);                                                                           \
        }                                                                                                              \
        static __device__ __forceinline__ bool select(const state *s, ordo_u64 value)                                  \
        {                                                                                                              \
            return _select(s, value) != 0;                                                                             \
        }                                                                                                              \
    };                                                                                                                 \
    static const void *ORDO_JOIN(_name, _kernel)(void)                                                                 \
    {                                                                                                                  \
        return ordo_pass_handle((const void *)ordo_pass_kernel<ORDO_JOIN(_name, _on_device)>);                         \
    }                                                                                                                  \
    extern "C" const ordo_pass_instance ORDO_JOIN(_name, _pass_on_cuda);                                               \
    extern "C" const ordo_pass_instance ORDO_JOIN(_name, _pass_on_cuda) = {ORDO_PASS_TEXT(_name), _fold,               \
                                                                           sizeof(_state), ORDO_JOIN(_name, _kernel)};

#endif
