/* carry.h -- what hosts put into the memory of ranks whose GPUs theirs does not see: see carry.cu. */
#ifndef ORDO_CUDA_CARRY_H
#define ORDO_CUDA_CARRY_H

#include <ordo/detail/peers.h>
#include <ordo/scheduler/cuda_host.h>

/* What a run sends at its meetings. Blocks are those of this rank, in memory that ranks share. */
typedef struct ordo_cuda_cargo {
    const ordo_peers *peers;
    ordo_u32 rank, count;
    const bool *seen;       /* [count] ranks whose memory this rank's GPU sees */
    ordo_cuda_words *words; /* block of words */
    /* Messages: `staged` has what this rank's kernel has for each rank, `mail` is where another rank has them from this
     * one; both of [2][count][capacity] messages, meetings take turns. NULL: none. */
    ordo_u8 *staged, *mail;
    ordo_u32 capacity;
    size_t message; /* bytes */
    /* Two arrays that all ranks have, and this rank's part of them: where it begins, in bytes, and how many. NULL:
     * none.
     */
    ordo_u8 *array[2];
    ordo_u64 at, bytes;
} ordo_cuda_cargo;

/* Makes ready to carry for the next kernel, whose meetings begin with number 1. *out: what the kernel asks for, at the
 * address that it uses; NULL where this rank's GPU sees all ranks. Errors: ORDO_ERR_DEVICE. */
ordo_status ordo_cuda_carry_begin(const ordo_cuda_cargo *cargo, ordo_cuda_carried **out);
/* Puts what the kernel has asked for since the last call; to be called over and over until the kernel has ended, and
 * once behind that. False: there is nothing to carry in this run. */
bool ordo_cuda_carry(void);
/* Ends a run: nothing is carried until the next begins. */
void ordo_cuda_carry_end(void);

#endif
