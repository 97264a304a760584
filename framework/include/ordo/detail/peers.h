/* peers.h -- memory of GPUs that the GPUs of other ranks read and write: a shared object that exports one table and is
 * loaded on demand.
 *
 * Problem. In a run over several GPUs, a process each, kernels store messages into the memory of other GPUs and meet
 * without their hosts. The library must also work where there is no library for that.
 *
 * Method. libordo-nvshmem.so has these calls over the host's part of NVSHMEM, in a table `ordo_nvshmem_peers`. Kernels
 * need no part of NVSHMEM: they use addresses at which the memory of other ranks is mapped.
 *
 * Not done: GPUs whose memory cannot be mapped, such as those of other hosts: at() is NULL for them, and the run is
 * refused.
 */
#ifndef ORDO_PEERS_H
#define ORDO_PEERS_H

#include <ordo/error.h>
#include <ordo/types.h>

ORDO_BEGIN_DECLS

enum { ORDO_PEERS_ABI = 1, ORDO_PEERS_ID = 16, ORDO_PEERS_MOST = 16 /* ranks */ };

typedef struct ordo_peers {
    ordo_u32 abi; /* ORDO_PEERS_ABI */
    const char *name;
    /* By one rank: makes the words by which all ranks find each other. The process must live until all have started.
     * Errors: ORDO_ERR_DEVICE. */
    ordo_status (*make_id)(ordo_u64 id[ORDO_PEERS_ID]);
    /* By all ranks, on the thread that has chosen the device: begins, and waits for all. Errors: ORDO_ERR_DEVICE. */
    ordo_status (*start)(int rank, int count, const ordo_u64 id[ORDO_PEERS_ID]);
    /* By all ranks, after the last call of the others. */
    void (*finish)(void);
    /* By all ranks, with the same `bytes`: device memory that all can see, set to zero. The memory of all is there when
     * the call returns. Errors: ORDO_ERR_MEMORY. */
    ordo_status (*take)(ordo_u64 bytes, void **out);
    /* By all ranks: frees what take() gave. NULL is allowed. */
    void (*give)(void *block);
    /* Where this rank's GPU sees what is at `block` in the memory of `rank`; NULL if it cannot. */
    void *(*at)(const void *block, int rank);
} ordo_peers;

ORDO_END_DECLS

#endif
