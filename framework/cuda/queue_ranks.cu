/* queue_ranks.cu -- runs of a queue on each of several GPUs, for `ordo bench queue --device cuda --gpus N`.
 *
 * Problem: how many operations a second several GPUs reach, a queue on each, where a share of what a GPU puts goes to
 * the queues of others; and what collecting it is worth.
 *
 * Method. Words and places of a queue are in memory that all GPUs see, and its operations have system scope
 * (<ordo/scheduler/broker_queue.cuh>, Several GPUs). A rank puts an entry straight into the queue of another one: it
 * draws the ticket there, and stores the entry into the place. It takes from its own queue alone.
 *   `staged`    a block collects entries in shared memory, by the queue to which they go. When there are enough for one
 *               (due_of), and at the end, one of its threads draws tickets for all of them, and all store them. So a
 *               link is crossed by few requests that a block waits for; entries cross it together. Likewise one thread
 *               draws the tickets of the entries that the block's threads take.
 *   otherwise   each entry for another rank is a call of its own lane; those for the rank's own queue are calls of
 *               warps, as on one GPU.
 *
 * Which entries. Rank r owns the values begin[r] .. begin[r + 1] - 1, equally many; they are those that go to its
 * queue. The rank that puts the i-th value of owner t is the one `distance(i)` places before t in the circle of ranks.
 * So a rank puts one value of each number i, and gets one: each value is put exactly once, and each rank knows how many
 * it is to take. The distance is 0, or with probability `remote` one of 1 .. ranks - 1, by the number alone.
 *
 * The end. A lane has as many entries to take as to put, and a rank's lanes together as many as come. So a kernel ends
 * when its lanes have put and taken theirs, and ranks need not tell each other. `phases` is one kernel here: all ranks
 * meet between puts and takes. `mixed`: a warp, or a block where that is staged, puts and takes, over and over. The
 * time is from when the kernels of all ranks have met to when all have met again behind their last take.
 *
 * Progress. All blocks are resident (a cooperative launch). A call waits only as the queue's header says; a block
 * draws tickets in several queues, and its threads write them queue by queue, in the order of ranks. So of all tickets
 * that are drawn and not written, or not read, the least by queue and then by number waits for none. In `phases` a
 * queue has places for all of its entries. In `mixed` entries stay in shared memory while their queue is full, which
 * then holds entries; some lane of its rank has not taken its part, and takes at every turn, also while its block has
 * entries that find no place. So a queue that is full is emptied.
 *
 * Not done: calls of each lane for itself.
 */
#include "queue.h"

#include "queue.cuh"
#include "ranks.h"

#include <ordo/detail/cuda/meet.cuh>

enum {
    QUEUE_THREADS = 1024, /* the most of a block */
    QUEUE_STAGE = 4096    /* entries that a block collects */
};

typedef struct ranks_order {
    ordo_dev_broker_system queue[ORDO_CUDA_RANKS]; /* of each rank */
    ordo_u64 entries;                              /* of a rank */
    ordo_u64 remote;                               /* of 2^32 */
    ordo_u32 lanes;
    ordo_u32 room; /* of a block's stage, for each queue */
    ordo_u32 due;  /* entries for a queue that a block puts at once */
    bool mixed;
    taken *all;
    ordo_cuda_ranks ranks;
} ranks_order;

/* A thread's state. */
typedef struct ranks_worker {
    part mine;
    ordo_u64 put, sent; /* in all, and to other ranks */
    taken got;
} ranks_worker;

/* What a block has collected, in shared memory. Those for rank r lie in a ring of `room` places, held[r * room ...],
 * count[r] of them from place first[r] on. A count is higher for a moment, by the threads that have found no place. */
typedef struct ranks_stage {
    entry held[QUEUE_STAGE];
    ordo_u32 first[ORDO_CUDA_RANKS], count[ORDO_CUDA_RANKS];
    struct {
        ordo_u64 ticket;
        ordo_u32 from, count;
    } leaves[ORDO_CUDA_RANKS]; /* what is written now */
    ordo_u32 wanted, got;      /* threads that want an entry, and how many of them get one, */
    ordo_u64 ticket;           /* from this ticket on */
} ranks_stage;

/* How many ranks further the owner of a rank's i-th entry is. */
ORDO_DEV ordo_u32 distance(const ranks_order &o, ordo_u64 i)
{
    ordo_u64 x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return x >> 32 < o.remote ? 1 + (ordo_u32)x % (o.ranks.count - 1) : 0;
}

/* The thread's next entry. Returns the rank to whose queue it goes. */
ORDO_DEV ordo_u32 next_entry(const ranks_order &o, const ranks_worker &w, entry *e)
{
    const ordo_u64 i = w.mine.first + w.put * w.mine.step;
    const ordo_u32 further = o.ranks.rank + distance(o, i);
    const ordo_u32 to = further < o.ranks.count ? further : further - o.ranks.count;
    const ordo_u32 value = o.ranks.begin[to] + (ordo_u32)i;
    *e = entry{value, value};
    return to;
}

/* ---- staged: by whole blocks ---- */

/* By one thread for each rank: draws tickets for what the block has collected for it, if that is enough or `all`. */
ORDO_DEV void draw_tickets(const ranks_order &o, ranks_stage *s, ordo_u32 to, bool all)
{
    const ordo_u32 count = s->count[to] < o.room ? s->count[to] : o.room, from = s->first[to];
    ordo_u32 got = 0;
    if (count && (all || count >= o.due))
        got = ordo_dev_broker_to_write(o.queue[to], count, &s->leaves[to].ticket);
    s->leaves[to].from = from;
    s->leaves[to].count = got;
    s->first[to] = from + got < o.room ? from + got : from + got - o.room;
    s->count[to] = count - got;
}

/* A turn: collects an entry of each thread that has one left, and puts what is due. Returns whether the block has any
 * left, the same in all threads. */
ORDO_DEV bool put_staged(const ranks_order &o, ranks_stage *s, ranks_worker *w)
{
    if (w->put < w->mine.count) {
        entry e;
        const ordo_u32 to = next_entry(o, *w, &e), at = ordo_dev_add_block(&s->count[to], 1u);
        if (at < o.room) { /* else again, at the next turn */
            const ordo_u32 place = s->first[to] + at;
            s->held[to * o.room + (place < o.room ? place : place - o.room)] = e;
            w->put++;
            w->sent += to != o.ranks.rank;
        }
    }
    const bool all = !__syncthreads_or(w->put < w->mine.count);
    if (threadIdx.x < o.ranks.count)
        draw_tickets(o, s, threadIdx.x, all);
    __syncthreads();
    bool left = !all, some = false;
    for (ordo_u32 to = 0; to < o.ranks.count; to++) {
        const ordo_u32 from = s->leaves[to].from, count = s->leaves[to].count;
        const entry *const held = &s->held[to * o.room];
        ordo_dev_broker_write_all(o.queue[to], s->leaves[to].ticket, count, threadIdx.x / 32, blockDim.x / 32,
                                  [&](ordo_u32 i) { return held[from + i < o.room ? from + i : from + i - o.room]; });
        some = some || count;
        left = left || s->count[to]; /* read only if `all`: then no thread collects any more */
    }
    if (some)
        __syncthreads(); /* `held` is read */
    return left;
}

/* A turn: takes an entry for each thread that wants one, by one call. */
ORDO_DEV void take_staged(const ranks_order &o, ranks_stage *s, ranks_worker *w)
{
    const ordo_dev_broker_system &own = o.queue[o.ranks.rank];
    const bool wants = w->got.count < w->mine.count;
    const ordo_u32 before = wants ? ordo_dev_add_block(&s->wanted, 1u) : 0;
    entry e = {};
    __syncthreads();
    if (threadIdx.x == 0) {
        s->got = s->wanted ? ordo_dev_broker_to_read(own, s->wanted, 1, &s->ticket) : 0;
        s->wanted = 0;
    }
    __syncthreads();
    const bool gets = wants && before < s->got;
    ordo_dev_broker_read(own, gets, s->ticket + before, &e);
    add_entry(&w->got, gets, e);
}

/* ---- one by one: by whole warps ---- */

/* A turn. Returns whether the warp has any left. */
ORDO_DEV bool put_singly(const ranks_order &o, ranks_worker *w)
{
    const bool has = w->put < w->mine.count;
    entry e = {};
    const ordo_u32 to = has ? next_entry(o, *w, &e) : o.ranks.rank;
    const bool far = to != o.ranks.rank;
    const bool near_put = ordo_dev_broker_put_one<true>(o.queue[o.ranks.rank], has && !far, e);
    const bool far_put = ordo_dev_broker_put_one<false>(o.queue[to], has && far, e);
    w->put += near_put || far_put;
    w->sent += far_put;
    return __any_sync(~0u, w->put < w->mine.count);
}

/* ---- */

template <bool Staged> ORDO_DEV void take(const ranks_order &o, ranks_stage *s, ranks_worker *w)
{
    if (Staged)
        take_staged(o, s, w);
    else
        take_one<true>(o.queue[o.ranks.rank], w->got.count < w->mine.count, &w->got);
}

template <bool Staged> ORDO_DEV void work(const ranks_order &o, ranks_stage *s, ordo_u64 *met, ranks_worker *w)
{
    for (;;) {
        const bool left = Staged ? put_staged(o, s, w) : put_singly(o, w);
        if (o.mixed)
            take<Staged>(o, s, w);
        if (!left)
            break;
    }
    if (!o.mixed)
        ordo_dev_meet(o.ranks, met, [] { return (ordo_u64)0; });
    while (Staged ? __syncthreads_or(w->got.count < w->mine.count) : __any_sync(~0u, w->got.count < w->mine.count))
        take<Staged>(o, s, w);
}

template <bool Staged>
static __global__ void __launch_bounds__((QUEUE_THREADS), 1) call_queues(const __grid_constant__ ranks_order o)
{
    __shared__ ranks_stage stage;
    const ordo_u32 warps = blockDim.x / 32;
    ordo_u64 met = 0;
    ranks_worker w = {};
    w.mine = part_of(blockIdx.x * warps + threadIdx.x / 32, gridDim.x * warps, o.lanes, o.entries);
    if (threadIdx.x < ORDO_CUDA_RANKS)
        stage.first[threadIdx.x] = stage.count[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        stage.wanted = 0;
    ordo_dev_meet(o.ranks, &met, [] { return (ordo_u64)0; });
    const ordo_u64 began = ordo_dev_clock();
    work<Staged>(o, &stage, &met, &w);
    add_taken(o.all, w.got);
    ordo_cuda_words *const words = o.ranks.words[o.ranks.rank];
    if (w.sent)
        ordo_dev_add(&words->messages, w.sent);
    ordo_dev_meet(o.ranks, &met, [] { return (ordo_u64)0; });
    if (blockIdx.x == 0 && threadIdx.x == 0)
        words->nanoseconds = ordo_dev_clock() - began;
}

/* ---- the host ---- */

/* All blocks must be resident. */
static ordo_status check_grid(const ordo_queue_load *l, const void *kernel)
{
    int most = 0;
    const void *const handle = ordo_cuda_kernel(kernel);
    const ordo_status status = handle ? ordo_cuda_grid(handle, (int)l->threads, 0, &most) : ORDO_ERR_DEVICE;
    if (!status && l->blocks > (ordo_u32)most)
        return ordo_fail(ORDO_ERR_USAGE,
                         "a queue over several GPUs: %u blocks of %u threads, expected %d at most, which are there at "
                         "once",
                         l->blocks, l->threads, most);
    return status;
}

/* How many entries for a queue a block collects before it puts them. At most as many as leave space for one more turn;
 * at most its part of the queue's places, as all blocks put at about the same time: what is more would find the queue
 * full, and meanwhile those that take would find it empty. At least as many as a warp has. */
static ordo_u32 due_of(const ordo_queue_load *l, ordo_u32 room)
{
    const ordo_u64 part = ((ordo_u64)1 << queue_shift(l)) / ((ordo_u64)l->blocks * l->ranks->count);
    const ordo_u32 most = room > l->threads ? room - l->threads + 1 : 1;
    const ordo_u64 due = part > 32 ? part : 32;
    return due < most ? (ordo_u32)due : most;
}

static ordo_status make_ranks(const ordo_queue_load *l, const ordo_remote *remote, ranks_order *o)
{
    const ordo_u32 shift = queue_shift(l);
    void *at[ORDO_CUDA_RANKS] = {};
    cudaError_t error = cudaSuccess;
    make_zero(&error, &o->all, 1);
    ordo_status status = error ? ordo_cuda_failed(error, "making a queue") : ORDO_OK;
    if (!status)
        status =
            ordo_cuda_ranks_map(remote, sizeof(ordo_dev_broker_words) + (sizeof(ulonglong2) << shift), &o->ranks, at);
    for (ordo_u32 r = 0; r < remote->count; r++) {
        ordo_dev_broker_words *const words = (ordo_dev_broker_words *)at[r];
        o->queue[r] = ordo_dev_broker_system{words, (ulonglong2 *)(words + 1), shift, l->certain};
    }
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
    o.room = QUEUE_STAGE / remote.count;
    o.due = due_of(l, o.room);
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
    cudaFree(o.all);
    return status;
}
