/* queue_ranks.cu -- runs of a queue on each of several GPUs, for `ordo bench queue --device cuda --gpus N`.
 *
 * Problem: how many operations a second several GPUs reach, a queue on each, where a share of what a GPU puts goes to
 * the queues of others; and what collecting it is worth.
 *
 * Method: as `broker` over ranks (schedulers/broker/cuda_ranks.cuh), without a graph. Entries for other ranks travel in
 * boxes (<ordo/detail/cuda/boxes.cuh>), from which the warps of the other rank take them and put them into its queue.
 * `staged`: a block collects what goes to a rank and sends it by chunks of 32, and a warp collects what goes to the
 * rank's own queue, its own entries and those that have come, and puts QUEUE_STORE of them with one reservation.
 * Otherwise each entry for another rank is a chunk of its own, and what a warp has at a turn is put at once.
 *
 * Which entries. Rank r owns the values begin[r] .. begin[r + 1] - 1, equally many; they are those that go to its
 * queue. The rank that puts the i-th value of owner t is the one `distance(i)` places before t in the circle of ranks.
 * So a rank puts one value of each number i, and gets one: each value is put exactly once, and each rank knows how many
 * it is to take. The distance is 0, or with probability `remote` one of 1 .. ranks - 1, by the number alone.
 *
 * `phases` is one kernel here: the takes of a rank begin when the puts of all ranks are in queues. `mixed`: a warp
 * puts, receives, and takes, over and over. The time is from when the kernels of all ranks have met to when all have
 * taken everything (ordo_dev_end_rounds), with the rounds that find the end.
 *
 * The end of the puts in `phases`, and of all in `mixed`: <ordo/detail/cuda/rounds.cuh>. Things are entries; all of
 * them are made in the beginning, and finished when they are in their queue, or, mixed, taken. Messages are how they
 * travel, and are no things: so rule (1) holds from the start, and (2) as nothing is activated. The words of the queue
 * need no order beside their own, and nothing else passes from a rank to another, so (3) is about `finished` alone,
 * which is added to with a fence.
 *
 * Progress. All blocks are resident (a cooperative launch). No call waits for another rank: a warp whose box is full
 * goes on receiving, putting and, mixed, taking, until there is place. In `phases` a queue has places for all of its
 * entries, so it is never full and boxes are emptied. In `mixed` it is full only while it holds entries; then some lane
 * of the rank has not taken its part, which together are what comes, and its warp takes at every turn, also at those
 * where it waits for a box. So a queue is emptied, stores are, and with them boxes.
 *
 * Not done: calls of each lane for itself.
 */
#include "queue.h"

#include <math.h>

#include "queue.cuh"
#include "ranks.h"

/* What boxes.cuh, a template for operators, needs of one: a message is a value and its item, here both the entry's. */
#define ORDO_OP_ORDER ORDO_MIN
typedef ordo_u32 op_cell;
#include <ordo/operator/operator.h>

#include <ordo/detail/cuda/block_queue.cuh>

#include <ordo/detail/cuda/ranks.cuh>

#include <ordo/detail/cuda/boxes.cuh>

#include <ordo/detail/cuda/rounds.cuh>

enum {
    QUEUE_THREADS = 1024,          /* the most of a block */
    QUEUE_STORE = 64,              /* entries for which a warp reserves places at once */
    QUEUE_HELD = QUEUE_STORE + 32, /* it gets up to 32 at a time */
    QUEUE_NAP = 100,               /* nanoseconds, of a warp that has nothing to put, */
    QUEUE_ROUND_NAP = 500          /* and of the monitor between rounds */
};

/* Words of a rank; changed by different warps, hence on lines of their own. */
typedef struct ranks_words {
    ordo_u64 finished, padding0[15];
    ordo_u64 sent, padding1[15];
    ordo_u64 stop, padding2[15];
    ordo_u64 ended, padding3[15]; /* warps */
} ranks_words;

typedef struct ranks_order {
    ordo_dev_broker queue;
    ordo_u64 entries; /* of a rank */
    ordo_u64 remote;  /* of 2^32 */
    ordo_u32 lanes;
    bool mixed;
    taken *all;
    ranks_words *words;
    ordo_cuda_ranks ranks;
    ordo_cuda_boxes boxes;
} ranks_order;

/* A warp's state; the same in all lanes but for `mine`, `put` and `got`. */
typedef struct ranks_worker {
    part mine;
    ordo_u64 put;
    taken got;
    entry *held;       /* [QUEUE_HELD] the store, in shared memory */
    ordo_u32 count;    /* of the store */
    ordo_u32 enough;   /* so many are put into the queue */
    ordo_u32 finished; /* not yet added to the rank's */
    ordo_u32 index, looks;
} ranks_worker;

/* How many ranks further the owner of a rank's i-th entry is. */
ORDO_DEV ordo_u32 distance(const ranks_order &o, ordo_u64 i)
{
    ordo_u64 x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return x >> 32 < o.remote ? 1 + (ordo_u32)x % (o.ranks.count - 1) : 0;
}

/* ---- a warp ---- */

/* Adds the entries of lanes with `has` to the store, where there is place for them. */
ORDO_DEV void hold(ranks_worker *w, bool has, const entry &e)
{
    const ordo_u32 those = __ballot_sync(~0u, has), below = those & ((1u << threadIdx.x % 32) - 1);
    if (has)
        w->held[w->count + (ordo_u32)__popc(below)] = e;
    w->count += (ordo_u32)__popc(those);
}

/* Puts the store into the queue, as much as there are places for. */
ORDO_DEV void give(const ranks_order &o, ranks_worker *w)
{
    const ordo_u32 lane = threadIdx.x % 32, got = ordo_dev_broker_put(o.queue, w->held, w->count, false);
    for (ordo_u32 at = got; got && at < w->count; at += 32) { /* the rest moves to the front */
        const bool there = at + lane < w->count;
        const entry e = w->held[there ? at + lane : at];
        __syncwarp();
        if (there)
            w->held[at - got + lane] = e;
        __syncwarp();
    }
    w->count -= got;
    w->finished += o.mixed ? 0 : got;
    __syncwarp();
}

/* What a warp does at every turn, also where it waits for a box. Returns whether it has got anything. */
ORDO_DEV bool serve(const ranks_order &o, ranks_worker *w)
{
    ordo_u32 some = 0;
    if (w->count < w->enough) {
        op_dev_message m = {};
        some = op_dev_take_chunk(o.ranks, o.boxes, w->index + w->looks++, &m);
        if (some)
            hold(w, threadIdx.x % 32 < some, entry{m.value, m.item});
    }
    if (w->count >= w->enough)
        give(o, w);
    if (o.mixed) {
        const bool got = take_one<true>(o.queue, w->got.count < w->mine.count, &w->got);
        const ordo_u32 all = (ordo_u32)__popc(__ballot_sync(~0u, got));
        w->finished += all;
        some += all;
    }
    return some != 0;
}

/* Sends a chunk, one message of each lane with `has`, those of the first lanes, all for one rank. They are counted. */
ORDO_DEV void send_chunk(const ranks_order &o, ranks_worker *w, bool has, ordo_u32 value)
{
    const ordo_u32 to = __shfl_sync(~0u, ordo_dev_owner(o.ranks, value), 0);
    while (!op_dev_send_chunk(o.boxes, to, has, op_dev_message{value, value}))
        serve(o, w);
}

/* Sends the values of lanes with `far`, each to its owner, at once or with others of the block. */
template <bool Staged>
ORDO_DEV void send(const ranks_order &o, op_dev_stage *stage, ranks_worker *w, bool far, ordo_u32 value)
{
    if constexpr (Staged) {
        op_dev_post_staged(o.ranks, o.boxes, stage, far, value, value,
                           [&](ordo_u32 item, bool there) { send_chunk(o, w, there, item); });
    } else {
        for (ordo_u32 left = __ballot_sync(~0u, far); left; left &= left - 1) {
            const ordo_u32 one = __shfl_sync(~0u, value, __ffs((int)left) - 1);
            if (threadIdx.x % 32 == 0)
                ordo_dev_add(o.boxes.sent, (ordo_u64)1);
            send_chunk(o, w, threadIdx.x % 32 == 0, one);
        }
    }
}

/* Puts an entry of each lane that has one left, unless the store is full because the queue is. */
template <bool Staged> ORDO_DEV void put_some(const ranks_order &o, op_dev_stage *stage, ranks_worker *w)
{
    if (w->count >= w->enough)
        return;
    const bool has = w->put < w->mine.count;
    const ordo_u64 i = w->mine.first + w->put * w->mine.step;
    const ordo_u32 further = has ? distance(o, i) : 0, to = o.ranks.rank + further;
    const ordo_u32 value = o.ranks.begin[to < o.ranks.count ? to : to - o.ranks.count] + (ordo_u32)i;
    w->put += has;
    hold(w, has && !further, entry{value, value});
    if (w->count >= w->enough)
        give(o, w);
    send<Staged>(o, stage, w, further != 0, value);
}

/* When all of its entries are put: sends and puts what is collected, and tells what is finished. Returns whether the
 * monitor has told the warp to end. */
template <bool Staged> ORDO_DEV bool put_rest(const ranks_order &o, op_dev_stage *stage, ranks_worker *w)
{
    if (Staged)
        op_dev_unstage(o.ranks, o.boxes, stage, [&](ordo_u32 item, bool there) { send_chunk(o, w, there, item); });
    if (w->count)
        give(o, w);
    if (w->finished) {
        ordo_dev_fence();
        if (threadIdx.x % 32 == 0)
            ordo_dev_add(&o.words->finished, (ordo_u64)w->finished);
        w->finished = 0;
    }
    return __shfl_sync(~0u, ordo_dev_acquire(&o.words->stop), 0) != 0;
}

template <bool Staged> ORDO_DEV void work(const ranks_order &o, op_dev_stage *stage, ranks_worker *w)
{
    for (;;) {
        const bool puts = __any_sync(~0u, w->put < w->mine.count);
        if (puts)
            put_some<Staged>(o, stage, w);
        else if (put_rest<Staged>(o, stage, w))
            break;
        if (!serve(o, w) && !puts)
            __nanosleep(QUEUE_NAP);
    }
    while (__any_sync(~0u, w->got.count < w->mine.count)) /* in phases */
        take_one<true>(o.queue, w->got.count < w->mine.count, &w->got);
    add_taken(o.all, w->got);
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        ordo_dev_fence();
        ordo_dev_add(&o.words->ended, (ordo_u64)1);
    }
}

/* By one warp of the rank, behind meeting `met`: finds the end, and returns when all warps of all ranks have ended. */
ORDO_DEV void monitor(const ranks_order &o, ordo_u64 met, ordo_u64 workers)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_u64 began = ordo_dev_clock();
    ordo_dev_rounds k = {};
    k.met = met;
    while (!ordo_dev_round(o.ranks, &k, ordo_dev_acquire(&o.words->finished), o.entries, false, INFINITY))
        __nanosleep(QUEUE_ROUND_NAP);
    if (lane == 0)
        ordo_dev_release(&o.words->stop, (ordo_u64)1);
    ordo_dev_end_rounds(o.ranks, &k, &o.words->ended, workers, &o.words->sent);
    if (lane == 0)
        o.ranks.words[o.ranks.rank]->nanoseconds = ordo_dev_clock() - began;
}

template <bool Staged>
static __global__ void __launch_bounds__((QUEUE_THREADS)) call_queues(const __grid_constant__ ranks_order o)
{
    __shared__ op_dev_stage stage;
    __shared__ entry held[QUEUE_THREADS / 32][QUEUE_HELD];
    const ordo_u32 warps = blockDim.x / 32, workers = gridDim.x * warps - 1;
    const ordo_u32 warp = blockIdx.x * warps + threadIdx.x / 32;
    ordo_u64 met = 0;
    op_dev_stage_start(&stage);
    ordo_dev_meet(o.ranks, &met, [] { return (ordo_u64)0; });
    if (warp == workers) {
        monitor(o, met, workers);
        return;
    }
    ranks_worker w = {};
    w.mine = part_of(warp, workers, o.lanes, o.entries);
    w.held = held[threadIdx.x / 32];
    w.enough = Staged ? QUEUE_STORE : 1;
    w.index = warp;
    work<Staged>(o, &stage, &w);
}

/* ---- the host ---- */

/* All blocks must be resident, and one of their warps is the monitor. */
static ordo_status check_grid(const ordo_queue_load *l, const void *kernel)
{
    int most = 0;
    if (l->blocks * (l->threads / 32) < 2)
        return ordo_fail(ORDO_ERR_USAGE, "a queue over several GPUs: found one warp, expected two at least");
    const void *const handle = ordo_cuda_kernel(kernel);
    const ordo_status status = handle ? ordo_cuda_grid(handle, (int)l->threads, 0, &most) : ORDO_ERR_DEVICE;
    if (!status && l->blocks > (ordo_u32)most)
        return ordo_fail(ORDO_ERR_USAGE,
                         "a queue over several GPUs: %u blocks of %u threads, expected %d at most, which are there at "
                         "once",
                         l->blocks, l->threads, most);
    return status;
}

static ordo_status make_ranks(const ordo_queue_load *l, const ordo_remote *remote, ranks_order *o)
{
    ordo_cuda_side *side = NULL;
    cudaError_t error = make_queue(l, &o->queue, &o->all);
    make_zero(&error, &o->words, 1);
    make_zero(&error, &side, (size_t)remote->count * ORDO_CUDA_RINGS);
    ordo_status status = error ? ordo_cuda_failed(error, "making a queue") : ORDO_OK;
    if (!status)
        status = ordo_cuda_boxes_map(remote, sizeof(op_dev_message), &o->ranks, &o->boxes);
    o->boxes.side = side; /* the map clears what it fills in */
    o->boxes.sent = o->words ? &o->words->sent : NULL;
    return status ? status : ordo_cuda_ranks_meet(remote);
}

ordo_status ordo_cuda_queue_ranks(const ordo_queue_load *l, ordo_queue_taken *out)
{
    const void *const kernel = l->staged ? (const void *)call_queues<true> : (const void *)call_queues<false>;
    ordo_vid begin[ORDO_CUDA_RANKS + 1];
    ordo_remote remote = *l->ranks;
    ranks_order o = {};
    void *args[] = {&o};
    double with_launch = 0;
    float milliseconds = 0;
    *out = ordo_queue_taken{};
    for (ordo_u32 r = 0; r <= remote.count; r++)
        begin[r] = (ordo_vid)(r * l->entries);
    remote.begin = begin;
    o.entries = l->entries;
    o.remote = (ordo_u64)(l->remote * 4294967296.0);
    o.lanes = l->lanes;
    o.mixed = l->mixed;
    ordo_status status = check_grid(l, kernel);
    if (!status)
        status = make_ranks(l, &remote, &o);
    if (!status)
        status = launch_queue(l, kernel, true, args, &with_launch);
    if (!status)
        status = ordo_cuda_ranks_result(&remote, &milliseconds);
    if (!status)
        status = copy_taken(o.all, out);
    out->seconds = 1e-3 * (double)milliseconds;
    out->messages = remote.messages;
    drop_queue(&o.queue, o.all);
    cudaFree(o.words);
    cudaFree(o.boxes.side);
    return status;
}
