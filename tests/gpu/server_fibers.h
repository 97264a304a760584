/* server_fibers.h -- what the kernels of lock_server use of a GPU besides, over fibers: see block_fibers.h.
 */
#ifndef TESTS_GPU_SERVER_FIBERS_H
#define TESTS_GPU_SERVER_FIBERS_H

ORDO_DEV unsigned atomicMin(unsigned *p, unsigned value)
{
    return ordo_dev_min(p, value);
}
ORDO_DEV unsigned atomicExch(unsigned *p, unsigned value)
{
    return ordo_dev_exchange(p, value);
}
#include <ordo/detail/cuda/locks.cuh>

struct ordo_cuda_halt {
    ordo_u32 *word;
    ordo_cuda_mailbox *mailbox;
};
enum { ORDO_CUDA_LOOK = 64, ORDO_CUDA_ASK = 4096 };
ORDO_DEV bool ordo_dev_told(const ordo_cuda_halt *halt, ordo_u32, ordo_u32 *rounds)
{
    return ++*rounds % ORDO_CUDA_LOOK == 0 && ordo_dev_load(halt->word) != 0;
}
ORDO_DEV bool ordo_dev_halted(const ordo_cuda_halt *halt, ordo_u32)
{
    return ordo_dev_load(halt->word) != 0;
}
static inline ordo_status ordo_cuda_halt_make(ordo_cuda *, ordo_cuda_halt *)
{
    return ORDO_ERR_INTERNAL;
}

#endif
