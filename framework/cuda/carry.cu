/* carry.cu -- hosts carry what ranks say and send, where a GPU does not see the memory of another one.
 *
 * Problem. Kernels store messages into the memory of other ranks and meet by words there (ranks.cuh, meet.cuh). GPUs of
 * other hosts, or without a link, have no addresses for that.
 *
 * Method. A kernel stores the messages for such a rank into its own memory (`staged`), and what it says into its own
 * words alone. When it tells the other ranks that it has come to meeting k, it also tells its host, by a word in pinned
 * memory. The host, which waits for the kernel anyway, puts the messages, this rank's part of an array where one was
 * asked for, and the words to where the other rank expects them, waits until all is there, and then puts the number k:
 * the signal for which a warp of the other rank waits. The words of this rank stand at the same place in the memory of
 * all, so they are put from there; the number is put from a word beside them, not from `met`, which may be k + 1 by
 * then. Everything else of the protocol is as between GPUs that see each other, whose kernels store directly.
 *
 * Invariant. What is put for meeting k does not change until its signal has arrived. The kernel writes the places of
 * meeting k again for meeting k + 2, once it has passed meeting k + 1. To that the other rank came behind meeting k, so
 * behind the signal of meeting k, ahead of which this host had waited for all puts to all ranks.
 *
 * Memory order. The kernel's stores come before its release at system scope, and that before the host's acquire of the
 * number; so what the host then puts has them. A rank that acquires the signal at system scope finds what was waited
 * for before it was put. The host clears `array` ahead of the signal, for the kernel sets it for meeting k + 2.
 *
 * The protocol is a model for Spin, tests/models/carry.pml.
 *
 * Not done: messages that leave before the meeting; runs that have no meetings (boxes.cuh).
 */
#include "carry.h"

#include <string.h>

/* Of the process, which is one rank. */
static ordo_cuda_cargo cargo;
static ordo_cuda_carried *asked; /* pinned; made once */
static ordo_u64 carried;         /* the last meeting that was carried */
static bool carries;             /* whether there is a rank to put to */

ordo_status ordo_cuda_carry_begin(const ordo_cuda_cargo *of, ordo_cuda_carried **out)
{
    cargo = *of;
    carried = 0;
    carries = false;
    *out = NULL;
    for (ordo_u32 r = 0; r < cargo.count; r++)
        carries = carries || !cargo.seen[r];
    if (!carries)
        return ORDO_OK;
    ordo_status status = ORDO_OK;
    if (!asked)
        status = ordo_cuda_failed(cudaHostAlloc((void **)&asked, sizeof *asked, cudaHostAllocMapped),
                                  "taking pinned memory");
    if (status)
        return status;
    memset(asked, 0, sizeof *asked);
    return ordo_cuda_failed(cudaHostGetDevicePointer((void **)out, asked, 0), "mapping pinned memory");
}

/* What goes to one rank at meeting `number`, but for the signal. */
static void put_to(ordo_u32 to, ordo_u64 number, ordo_u32 array)
{
    const ordo_u64 turn = number & 1;
    const ordo_u32 sent = asked->of[turn].sent[to], count = sent < cargo.capacity ? sent : cargo.capacity;
    const ordo_u64 box = (ordo_u64)cargo.capacity * cargo.message, set = turn * cargo.count * box;
    ordo_cuda_said *const said = &cargo.words->said[turn][cargo.rank];
    if (cargo.staged && count)
        cargo.peers->put(cargo.mail + set + cargo.rank * box, cargo.staged + set + to * box, count * cargo.message,
                         (int)to);
    if (array && cargo.bytes) {
        ordo_u8 *const part = cargo.array[array - 1] + cargo.at;
        cargo.peers->put(part, part, cargo.bytes, (int)to);
    }
    cargo.peers->put(said, said, sizeof *said, (int)to);
}

/* All that goes out at a meeting. */
static void carry(ordo_u64 number)
{
    const ordo_u64 turn = number & 1;
    const ordo_u32 array = asked->of[turn].array;
    for (ordo_u32 to = 0; to < cargo.count; to++)
        if (!cargo.seen[to])
            put_to(to, number, array);
    asked->of[turn].array = 0;
    cargo.peers->quiet();
    for (ordo_u32 to = 0; to < cargo.count; to++)
        if (!cargo.seen[to])
            cargo.peers->put(&cargo.words->met[cargo.rank].number, &cargo.words->said[turn][cargo.rank].word[0].y,
                             sizeof number, (int)to);
    cargo.peers->quiet();
}

bool ordo_cuda_carry(void)
{
    while (carries && __atomic_load_n(&asked->number, __ATOMIC_ACQUIRE) > carried)
        carry(++carried);
    return carries;
}

void ordo_cuda_carry_end(void)
{
    carries = false;
}
