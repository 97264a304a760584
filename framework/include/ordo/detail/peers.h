/* peers.h -- memory of GPUs that the GPUs of other ranks read and write: a shared object that exports one table and is
 * loaded on demand.
 *
 * Problem. In a run over several GPUs, a process each, kernels store messages into the memory of other GPUs and meet
 * without their hosts. The library must also work where there is no library for that.
 *
 * Method. libordo-nvshmem.so has these calls over the host's part of NVSHMEM, in a table `ordo_nvshmem_peers`. Kernels
 * need no part of NVSHMEM: they use addresses at which the memory of other ranks is mapped. Memory that cannot be
 * mapped, such as that of other hosts, is written and read by the host, with put() and get(). Blocks are symmetric: all
 * ranks have one of the same size, so an address in a block of this rank stands for the same place in that of another
 * one.
 */
#ifndef ORDO_PEERS_H
#define ORDO_PEERS_H

#include <ordo/error.h>
#include <ordo/types.h>

ORDO_BEGIN_DECLS

enum { ORDO_PEERS_ABI = 2, ORDO_PEERS_ID = 16, ORDO_PEERS_MOST = 16 /* ranks */ };

typedef struct ordo_peers {
    ordo_u32 abi; /* ORDO_PEERS_ABI */
    const char *name;
    /* By one rank: makes the words by which all ranks find each other. The process must live until all have started.
     * Errors: ORDO_ERR_DEVICE. */
    ordo_status (*make_id)(ordo_u64 id[ORDO_PEERS_ID]);
    /* By all ranks, on the thread that has chosen the device: begins, and waits for all. `here`: how many of the ranks
     * are on this host. Errors: ORDO_ERR_DEVICE. */
    ordo_status (*start)(int rank, int count, int here, const ordo_u64 id[ORDO_PEERS_ID]);
    /* By all ranks, after the last call of the others. */
    void (*finish)(void);
    /* By all ranks, with the same `bytes`: device memory that all can see, set to zero. The memory of all is there when
     * the call returns. Errors: ORDO_ERR_MEMORY. */
    ordo_status (*take)(ordo_u64 bytes, void **out);
    /* By all ranks: frees what take() gave. NULL is allowed. */
    void (*give)(void *block);
    /* Where this rank's GPU sees what is at `block` in the memory of `rank`; NULL if it cannot. */
    void *(*at)(const void *block, int rank);
    /* Begins to copy bytes of a block of this rank, which do not change until quiet(), to the place in the memory of
     * `rank` that `there`, an address in a block of this rank, stands for. Kernels may run. */
    void (*put)(void *there, const void *here, ordo_u64 bytes, int rank);
    /* Returns when what was put is in the memory of its ranks. What is put afterwards arrives later, and 8 bytes at a
     * multiple of 8 arrive together. */
    void (*quiet)(void);
    /* Copies from the memory of `rank` into a block of this rank. Returns when the bytes are there. */
    void (*get)(void *here, const void *there, ordo_u64 bytes, int rank);
} ordo_peers;

ORDO_END_DECLS

#endif
