/* ranks.cuh -- relax operators over several GPUs, a rank each: what is sent to owners.
 *
 * A template, included by <ordo/scheduler/cuda.cuh> for relax operators, where ORDO_OVER_RANKS is 1. It is the
 * counterpart of <ordo/detail/cpu/remote.h>, which has the argument why nothing is lost and why the end is exact: cells
 * of items that a rank does not own are ghosts, which offers improve as they improve others; what an improved ghost
 * activates is a message {item, value} for its owner, which offers the value to the cell itself. Where targets are not
 * the heads of edges, cells are owned by ranges of targets, and a message is about a target.
 *
 * Sending. A warp collects messages in shared memory (op_dev_post; under delta in its store), and stores those for one
 * owner into the owner's memory together (op_dev_dispatch): an addition to a counter of this rank gives their places in
 * the owner's box for this rank, and the stores cross the link while the sender goes on. An addition for each message
 * would cost more than all else: additions to one address by warps of which few lanes take part are executed at 0.5 to
 * 4 G/s. Boxes are double-buffered by meetings. A message that finds its box full is a bit of `spill`, and the ghost's
 * value, whatever it is by then, is sent behind the next meeting (op_dev_send_spilled).
 *
 * Meetings are those of <ordo/detail/cuda/meet.cuh>; what orders its words orders messages, too. Why two sets of boxes
 * are enough. A rank stores messages of the time before meeting k + 2 only behind meeting k + 1, at which all threads
 * of all ranks have arrived; they have read the messages of meeting k before.
 */
#include <ordo/detail/cuda/meet.cuh>

#ifndef ORDO_DETAIL_CUDA_RANKS_ONCE
#define ORDO_DETAIL_CUDA_RANKS_ONCE

/* Whether this rank owns the item. */
ORDO_DEV bool ordo_dev_owns(const ordo_cuda_ranks &r, ordo_u32 item)
{
    return item - r.first < r.owned; /* operands of instructions, where begin[rank] would be two loads in each hop */
}

/* The rank that owns the cell of a target. */
ORDO_DEV ordo_u32 ordo_dev_owner(const ordo_cuda_ranks &r, ordo_u32 target)
{
    ordo_u32 owner = 0;
    while (owner + 1 < r.count && r.first_target[owner + 1] <= target)
        owner++;
    return owner;
}

#endif

/* A message. */
typedef struct __align__(sizeof(op_cell) <= 4 ? 8 : 16) op_dev_message
{
    op_cell value;
    ordo_u32 item;
}
op_dev_message;

/* Messages that are sent whatever they say. */
struct op_dev_always {
    __device__ __forceinline__ bool operator()(ordo_u32, const op_dev_message &) const
    {
        return true;
    }
};

/* By one thread: stores a message into place `at` of the box that rank `to` has for this rank, or notes that the ghost
 * waits if the box is full. */
ORDO_DEV void op_dev_store_message(const ordo_cuda_ranks &r, ordo_u64 number, ordo_u32 to, ordo_u32 at,
                                   const op_dev_message &message)
{
    if (at < r.capacity) {
        ((op_dev_message *)r.box[(number + 1) & 1][to])[at] = message;
        return;
    }
#if ORDO_OP_ORDER == ORDO_SUM
    op_dev_add(&((op_cell *)r.cells)[message.item], message.value);
#endif
    const ordo_u32 bit = 1u << message.item % 32;
    if (!(ordo_dev_or(&r.spill[message.item / 32], bit) & bit))
        ordo_dev_add(&r.words[r.rank]->spilled, (ordo_u64)1);
}

/* By one thread: sends the value of a ghost to its owner, behind meeting `number`. */
ORDO_DEV void op_dev_send(const ordo_cuda_ranks &r, ordo_u64 number, ordo_u32 item, const op_cell &value)
{
    const ordo_u32 to = ordo_dev_owner(r, item);
    op_dev_store_message(r, number, to, ordo_dev_add(&r.words[r.rank]->sent[to].count, 1u),
                         op_dev_message{value, item});
}

/* A warp's messages that are not sent yet, in shared memory; initially count is 0. The barrier of the warp in
 * op_dev_dispatch orders what lanes have written before what it reads. There are places for what op_dev_dispatch leaves
 * and for ORDO_CUDA_FEW messages of each lane, which is the most that schedulers post before they call it again; of 16
 * bytes for one of each lane, since a block has 48 KiB of shared memory. Lanes that find no place send at once. */
enum {
    op_dev_outbox_full = 32,
    op_dev_outbox_places = op_dev_outbox_full - 1 + 32 * (sizeof(op_dev_message) == 8 ? ORDO_CUDA_FEW : 1)
};
typedef struct op_dev_outbox {
    op_dev_message held[op_dev_outbox_places];
    ordo_u32 count; /* more than there are places if some were sent at once */
} op_dev_outbox;

/* By one thread of the warp: sends the value of a ghost to its owner with the next op_dev_dispatch, if `goes(to,
 * message)` then. */
template <typename Goes>
ORDO_DEV void op_dev_post_if(const ordo_cuda_ranks &r, ordo_u64 number, op_dev_outbox *outbox, ordo_u32 item,
                             const op_cell &value, Goes goes)
{
    const ordo_u32 at = atomicAdd(&outbox->count, 1u);
    if (at < op_dev_outbox_places)
        outbox->held[at] = op_dev_message{value, item};
    else if (goes(ordo_dev_owner(r, item), op_dev_message{value, item}))
        op_dev_send(r, number, item, value);
}
ORDO_DEV void op_dev_post(const ordo_cuda_ranks &r, ordo_u64 number, op_dev_outbox *outbox, ordo_u32 item,
                          const op_cell &value)
{
    op_dev_post_if(r, number, outbox, item, value, op_dev_always());
}

/* By the whole warp, behind meeting `number`, as its posts were: sends what is held if that is a message for each lane,
 * or if `all`. Lanes call `goes(to, message)` for each; those for which it is false are not sent. */
template <typename Goes>
ORDO_DEV void op_dev_dispatch_if(const ordo_cuda_ranks &r, ordo_u64 number, op_dev_outbox *outbox, bool all, Goes goes)
{
    __syncwarp();
    /* lane 0's look counts for all: a lane that returns may post before a slower one looks */
    const ordo_u32 count = __shfl_sync(~0u, outbox->count, 0), lane = threadIdx.x % 32;
    const ordo_u32 held = count < op_dev_outbox_places ? count : (ordo_u32)op_dev_outbox_places;
    if (held == 0 || (!all && held < op_dev_outbox_full))
        return;
    for (ordo_u32 first = 0; first < held; first += 32) {
        const bool there = first + lane < held;
        const op_dev_message message = outbox->held[there ? first + lane : 0];
        ordo_u32 owner = there ? ordo_dev_owner(r, message.item) : r.count;
        if (there && !goes(owner, message))
            owner = r.count;
        for (ordo_u32 to = 0; to < r.count; to++) {
            const ordo_u32 some = __ballot_sync(~0u, owner == to);
            if (!some)
                continue;
            ordo_u32 at = 0;
            if (lane == 0)
                at = ordo_dev_add(&r.words[r.rank]->sent[to].count, (ordo_u32)__popc(some));
            at = __shfl_sync(~0u, at, 0);
            if (owner == to)
                op_dev_store_message(r, number, to, at + (ordo_u32)__popc(some & ((1u << lane) - 1)), message);
        }
    }
    __syncwarp();
    if (lane == 0)
        outbox->count = 0;
    __syncwarp();
}
ORDO_DEV void op_dev_dispatch(const ordo_cuda_ranks &r, ordo_u64 number, op_dev_outbox *outbox, bool all)
{
    op_dev_dispatch_if(r, number, outbox, all, op_dev_always());
}

/* By any threads, `thread` of `threads`, behind meeting `number`: sends the ghosts that have waited. */
ORDO_DEV void op_dev_send_spilled(const ordo_cuda_ranks &r, ordo_u64 number, op_cell *cells, ordo_u32 thread,
                                  ordo_u32 threads)
{
    const ordo_u32 words = r.first_target[r.count] / 32 + 1;
    for (ordo_u32 w = thread; w < words; w += threads) {
        ordo_u32 bits = ordo_dev_load(&r.spill[w]) ? ordo_dev_exchange(&r.spill[w], 0u) : 0;
        if (bits)
            ordo_dev_add(&r.words[r.rank]->spilled, -(ordo_u64)__popc(bits));
        for (; bits; bits &= bits - 1) {
            const ordo_u32 item = 32 * w + (ordo_u32)__ffs((int)bits) - 1;
            op_dev_send(r, number, item, ordo_dev_load(&cells[item]));
        }
    }
}

/* How many messages of a rank this one has got: what did not find a place is not among them. */
ORDO_DEV ordo_u32 ordo_dev_came(const ordo_cuda_ranks &r, const ordo_cuda_said *said, ordo_u32 from)
{
    const ordo_u32 count = from == r.rank ? 0 : ordo_dev_said_sent(said[from], r.rank);
    return count < r.capacity ? count : r.capacity;
}

/* By the whole grid, behind a meeting: calls `take(item, value)` for each message that has come before it, by one
 * thread, and `done()` by whole blocks in between. `said`: what ranks said at meeting `number`. */
template <typename Take, typename Done>
ORDO_DEV void op_dev_receive(const ordo_cuda_ranks &r, ordo_u64 number, const ordo_cuda_said *said, Take take,
                             Done done)
{
    for (ordo_u32 from = 0; from < r.count; from++) {
        const ordo_u32 count = ordo_dev_came(r, said, from);
        const op_dev_message *const mail = (const op_dev_message *)r.mail[number & 1] + (ordo_u64)from * r.capacity;
        for (ordo_u32 first = blockIdx.x * blockDim.x; first < count; first += gridDim.x * blockDim.x) {
            const ordo_u32 i = first + threadIdx.x;
            if (i < count) {
                const op_dev_message m = mail[i]; /* not written any more: a plain load */
                take(m.item, m.value);
            }
            done();
        }
    }
}
