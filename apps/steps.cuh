/* steps.cuh -- native programs that are a sequence of kernels (cc.cu, tc.cu): ending early, adding up, and the plan of
 * launches.
 *
 * Kernels are launched one after the other, and the host reads nothing in between; so what has been told to one kernel
 * is passed on to those behind it by a word in device memory.
 */
#ifndef ORDO_STEPS_CUH
#define ORDO_STEPS_CUH

#include <ordo/detail/backend.h>

/* By one thread: passes the host's word on to the kernels behind. A read of the mailbox takes 8 microseconds, so only
 * one kernel of a run asks, or a few. */
ORDO_DEV void ordo_steps_ask(const ordo_cuda_run &run, ordo_u32 *stop)
{
    if (run.mailbox->stop)
        ordo_dev_store(stop, 1u);
}

/* By every block of a kernel: whether the run has been told to end; the same in all threads of the block. */
ORDO_DEV bool ordo_steps_stopped(ordo_u32 *stop)
{
    return __syncthreads_or(ordo_dev_load(stop) != 0);
}

/* By a whole block, once in a kernel: adds the threads' numbers to a word of the grid. */
ORDO_DEV void ordo_steps_add(ordo_u64 *to, ordo_u64 mine)
{
    __shared__ ordo_u64 sum;
    if (threadIdx.x == 0)
        sum = 0;
    for (int step = 16; step; step /= 2)
        mine += __shfl_down_sync(~0u, mine, step);
    __syncthreads();
    if (threadIdx.x % 32 == 0 && mine)
        ordo_dev_add_block(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0 && sum)
        ordo_dev_add(to, sum);
}

/* The kernels of a run; all zero but args[0], which is what each of them takes. */
typedef struct ordo_steps {
    ordo_cuda_step step[12];
    int count;
    void *args[1];
    ordo_status status;
} ordo_steps;

/* Adds a kernel for `items` at `each` a block: at most as many blocks as fit at once, `times` over. */
static inline void ordo_steps_then(ordo_steps *p, const void *kernel, int threads, ordo_u64 items, ordo_u64 each,
                                   int times)
{
    int fit = 0;
    const void *handle = p->status ? NULL : ordo_cuda_kernel(kernel);
    if (!handle) {
        p->status = p->status ? p->status : ORDO_ERR_DEVICE;
        return;
    }
    p->status = ordo_cuda_grid(handle, threads, 0, &fit);
    const ordo_u64 wanted = items / each + 1, most = (ordo_u64)fit * (ordo_u64)times;
    p->step[p->count++] = ordo_cuda_step{handle, threads, (int)(wanted < most ? wanted : most), false, p->args};
}

#endif
