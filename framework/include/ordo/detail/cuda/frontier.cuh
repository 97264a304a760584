/* frontier.cuh -- grid scope: the frontier of supersteps, double-buffered, and its counters.
 */
#ifndef ORDO_DETAIL_CUDA_FRONTIER_CUH
#define ORDO_DETAIL_CUDA_FRONTIER_CUH

#include <ordo/detail/cuda/block_queue.cuh>
#include <ordo/detail/cuda/grid.cuh>

/* Counters of a superstep, triple-buffered, each on a separate cache line: step s uses those of s % 3 and pushes to
 * those of (s + 1) % 3, and one thread clears those of (s + 2) % 3, which were last used in step s - 1: all threads
 * have passed a barrier since then. */
typedef struct ordo_cuda_superstep_counters {
    ordo_u32 count, padding0[ORDO_CUDA_LINE - 1];     /* items */
    ordo_u32 segments, padding1[ORDO_CUDA_LINE - 1];  /* pieces of hubs */
    ordo_u32 ticket, padding2[ORDO_CUDA_LINE - 1];    /* number of tiles and pieces that blocks have taken */
    ordo_u32 stop, padding3[ORDO_CUDA_LINE - 1];      /* the mailbox's `stop`, as read in the step before: the same for
                                                         all threads */
    ordo_u64 edges, padding4[ORDO_CUDA_LINE / 2 - 1]; /* edges of the items, if the scheduler sums them */
} ordo_cuda_superstep_counters;

/* Each vertex is on the frontier of a step at most once: `stamp` holds the last step for which it was pushed. So n
 * items are enough for a list, and m / SEGMENT + (number of hubs) pieces for a list of pieces. */
typedef struct ordo_cuda_frontier {
    ordo_u32 *list[2];                      /* [num_items] each, used by steps of alternating parity */
    ordo_u64 *segment[2];                   /* item << 32 | number of the piece */
    ordo_u32 *stamp;                        /* [num_items], 0 at first */
    ordo_cuda_superstep_counters *counters; /* [3], 0 at first */
    ordo_u32 mean_degree;                   /* edges that each item counts for; 0: as many as its row has */
} ordo_cuda_frontier;

static inline ordo_u64 ordo_cuda_pieces(ordo_u64 m)
{
    return m / ORDO_CUDA_SEGMENT * 2 + 1;
}

static inline ordo_status ordo_cuda_frontier_make(ordo_cuda *c, ordo_u64 num_items, ordo_u64 m, ordo_cuda_frontier *f)
{
    const ordo_u64 pieces = ordo_cuda_pieces(m);
    f->mean_degree = 0;
    for (int i = 0; i < 2; i++) {
        if (!(f->list[i] = (ordo_u32 *)ordo_cuda_alloc(c, num_items, sizeof(ordo_u32), false)) ||
            !(f->segment[i] = (ordo_u64 *)ordo_cuda_alloc(c, pieces, sizeof(ordo_u64), false)))
            return ORDO_ERR_MEMORY;
    }
    f->stamp = (ordo_u32 *)ordo_cuda_alloc(c, num_items, sizeof(ordo_u32), true);
    f->counters =
        f->stamp ? (ordo_cuda_superstep_counters *)ordo_cuda_alloc(c, 3, sizeof(ordo_cuda_superstep_counters), true)
                 : NULL;
    return f->counters ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* On the host: `mean_degree` for a frontier over the job's graph. A push need not load the row of its item if no item is
 * a hub and, where the scheduler counts the edges of a step, degrees are similar. Loading it took a twentieth of a
 * breadth-first search (uniform, degrees four and 16, H200). Otherwise returns 0. */
static inline ordo_u32 ordo_cuda_mean_degree(const ordo_job *job, bool counted)
{
    const ordo_u64 longest = ordo_job_longest_row(job);
    const ordo_u64 mean = job->out->n ? (job->out->m + job->out->n - 1) / job->out->n : 0;
    return longest && longest <= ORDO_CUDA_SEGMENT && (!counted || longest <= 16 * mean) ? (ordo_u32)mean : 0;
}

/* A block's buffer in front of a frontier: of items, and of hubs, whose pieces whole warps write. A thread that wrote
 * them alone would keep its warp waiting: a step that reached most hubs of rmat 2^25 took 116 us that way, for 63
 * (H200).
 *
 * Invariant: that of ordo_dev_queue_of, for `hub` as for `held`: what found no place is on the frontier already. */
template <int Capacity> struct ordo_dev_frontier_queue_of : ordo_dev_queue_of<Capacity> {
    enum : ordo_u32 { HUBS = Capacity / 16 };
    ordo_u64 hub[HUBS]; /* item << 32 | number of its pieces */
    ordo_u32 hubs;
};

/* By a whole block, before the first append; ends with a barrier. */
template <int Capacity> ORDO_DEV void ordo_dev_start(ordo_dev_frontier_queue_of<Capacity> *q)
{
    if (threadIdx.x == 0)
        q->hubs = 0;
    ordo_dev_start((ordo_dev_queue_of<Capacity> *)q);
}

/* By one thread: puts the pieces of a hub on the frontier of `step`: at once, or with the next flush. */
template <int Capacity>
ORDO_DEV void ordo_dev_append_hub(ordo_dev_queue_of<Capacity> *, const ordo_cuda_frontier *f, ordo_u32 step,
                                  ordo_u32 item, ordo_u32 pieces)
{
    const ordo_u32 at = ordo_dev_add(&f->counters[step % 3].segments, pieces);
    for (ordo_u32 i = 0; i < pieces; i++)
        f->segment[step & 1][at + i] = (ordo_u64)item << 32 | i;
}
template <int Capacity>
ORDO_DEV void ordo_dev_append_hub(ordo_dev_frontier_queue_of<Capacity> *q, const ordo_cuda_frontier *f, ordo_u32 step,
                                  ordo_u32 item, ordo_u32 pieces)
{
    const ordo_u32 slot = atomicAdd(&q->hubs, 1u);
    if (slot < q->HUBS)
        q->hub[slot] = (ordo_u64)item << 32 | pieces;
    else /* rare: there is no place left */
        ordo_dev_append_hub((ordo_dev_queue_of<Capacity> *)q, f, step, item, pieces);
}

/* By a whole warp: puts the pieces of up to 32 hubs on the frontier of `step`; each lane has a hub, or 0. */
ORDO_DEV void ordo_dev_cut_hubs(const ordo_cuda_frontier *f, ordo_u32 step, ordo_u64 hub)
{
    const ordo_u32 lane = threadIdx.x & 31, pieces = (ordo_u32)hub;
    ordo_u32 up_to = pieces; /* those of the lanes up to this one */
#pragma unroll
    for (int back = 1; back < 32; back *= 2) {
        const ordo_u32 other = __shfl_up_sync(~0u, up_to, back);
        up_to += lane >= (ordo_u32)back ? other : 0;
    }
    ordo_u32 place = lane == 31 ? ordo_dev_add(&f->counters[step % 3].segments, up_to) : 0;
    place = __shfl_sync(~0u, place, 31);
    const ordo_u32 total = __shfl_sync(~0u, up_to, 31);
    for (ordo_u32 i = lane; i - lane < total; i += 32) {
        int owner = 0; /* the first lane of which up_to is above i */
        for (int far = 16; far; far /= 2)
            owner += __shfl_sync(~0u, up_to, owner + far - 1) <= i ? far : 0;
        const ordo_u32 before = __shfl_sync(~0u, up_to - pieces, owner);
        const ordo_u32 item = __shfl_sync(~0u, (ordo_u32)(hub >> 32), owner);
        if (i < total)
            f->segment[step & 1][place + i] = (ordo_u64)item << 32 | (i - before);
    }
}

/* By a whole block: moves the buffer to the frontier of `step`, if it is at least half full or if `all`. Begins and
 * ends with a barrier. */
template <int Capacity>
ORDO_DEV void ordo_dev_flush(ordo_dev_queue_of<Capacity> *q, const ordo_cuda_frontier *f, ordo_u32 step, bool all)
{
    ordo_dev_flush(q, f->list[step & 1], &f->counters[step % 3].count, all);
}
template <int Capacity>
ORDO_DEV void ordo_dev_flush(ordo_dev_frontier_queue_of<Capacity> *q, const ordo_cuda_frontier *f, ordo_u32 step,
                             bool all)
{
    __syncthreads();
    const ordo_u32 held = q->count < Capacity ? q->count : Capacity, hubs = q->hubs < q->HUBS ? q->hubs : q->HUBS;
    if (held >= Capacity / 2 || hubs >= q->HUBS / 2 || (all && (held || hubs))) {
        for (ordo_u32 first = threadIdx.x & ~31u; first < hubs; first += blockDim.x) {
            const ordo_u32 i = first + (threadIdx.x & 31);
            ordo_dev_cut_hubs(f, step, i < hubs ? q->hub[i] : 0);
        }
        ordo_dev_move(q, held, f->list[step & 1], &f->counters[step % 3].count);
        if (threadIdx.x == 0)
            q->count = q->hubs = 0;
    }
    __syncthreads();
}

/* In a step with little work a piece of a hub is processed in parts, as many as blocks have, but each of so many edges
 * at least that a thread has one. Returns the log2 of the parts of a piece. */
enum { ORDO_CUDA_PARTS = 4 };
ORDO_FN ordo_u32 ordo_cuda_parts(ordo_u32 segments, ordo_u32 tiles, ordo_u32 blocks)
{
    ordo_u32 shift = 0;
    while (shift < ORDO_CUDA_PARTS && ((ordo_u64)segments << shift) + tiles < blocks)
        shift++;
    return shift;
}

/* Likewise for items, if each has a block of its own: the log2 of the blocks that share one. `parts`: of pieces. */
ORDO_FN ordo_u32 ordo_cuda_spread(ordo_u32 parts, ordo_u32 items, ordo_u32 blocks)
{
    ordo_u32 shift = 0;
    while (shift < ORDO_CUDA_PARTS && parts + ((ordo_u64)items << (shift + 1)) <= blocks)
        shift++;
    return shift;
}

/* The most blocks that have a part of a step. `shared`: several may have parts of an item. */
ORDO_DEV ordo_u32 ordo_dev_workers(const ordo_cuda_superstep_counters *counters, bool shared = false)
{
    const ordo_u64 items = (ordo_u64)counters->count << (shared ? ORDO_CUDA_PARTS : 0);
    const ordo_u64 most = ((ordo_u64)counters->segments << ORDO_CUDA_PARTS) + items;
    return most < gridDim.x ? (ordo_u32)most : gridDim.x;
}

/* By a block: whether it may have a part of a step; false: it has none, since blocks are given parts and tiles in the
 * order of their numbers. */
ORDO_DEV bool ordo_dev_may_work(const ordo_cuda_superstep_counters *counters, bool shared = false)
{
    return blockIdx.x < ordo_dev_workers(counters, shared);
}

/* By the thread that reports (ordo_dev_reports), at the start of a step: clears the counters of the step after next,
 * adds a sample to the trace, and reads and writes the mailbox. */
ORDO_DEV void ordo_dev_begin_step(const ordo_cuda_frontier *f, ordo_u64 step, const ordo_cuda_run *run,
                                  ordo_u64 in_flight, ordo_u64 bucket, double delta)
{
    ordo_cuda_superstep_counters *later = &f->counters[(step + 2) % 3];
    later->count = later->segments = later->ticket = 0;
    later->edges = 0;
    ordo_dev_sample(run->record, in_flight, bucket, delta, 1, -1);
    if (ordo_dev_mail(run, step, in_flight))
        f->counters[(step + 1) % 3].stop = 1;
}

/* How a step's items are cut into tiles of `widest` items, or half as many, and so on to `narrowest`, as long as
 * `blocks` blocks (0: the grid's) would not have `share` of a tile's items each. */
typedef struct ordo_cuda_tiles {
    ordo_u32 blocks, widest, narrowest;
    double share;
} ordo_cuda_tiles;

/* On the host, for samples of a trace (ordo_cuda_glance.show), where copy[0] is the frontier's counters and `arg` an
 * ordo_cuda_tiles: items and pieces of hubs that no block has taken, and those of the next step. A block's first tile
 * is not taken by ticket, so it counts as taken at once. */
static inline void ordo_cuda_frontier_show(const ordo_cuda_seen *seen, const void *arg, ordo_probed *out)
{
    const ordo_cuda_superstep_counters *const counters = (const ordo_cuda_superstep_counters *)seen->copy[0];
    const ordo_cuda_tiles *const cut = (const ordo_cuda_tiles *)arg;
    if (!counters || !seen->live->step)
        return;
    const ordo_cuda_superstep_counters *const now = &counters[seen->live->step % 3];
    const ordo_cuda_superstep_counters *const next = &counters[(seen->live->step + 1) % 3];
    const ordo_u32 blocks = cut->blocks ? cut->blocks : seen->grid;
    ordo_u32 width = cut->widest;
    while (width > cut->narrowest && (double)blocks * width * cut->share >= now->count)
        width /= 2;
    const ordo_u32 even = (now->count + blocks - 1) / blocks;
    width = even && even < width ? even : width;
    const ordo_u32 of_items = (now->count + width - 1) / width;
    const double tiles =
        (double)of_items + ((ordo_u64)now->segments << ordo_cuda_parts(now->segments, of_items, blocks));
    const double taken = (double)blocks + now->ticket;
    const double left = taken < tiles ? 1 - taken / tiles : 0;
    out->in_flight = (ordo_u64)(left * ((double)now->count + now->segments)) + next->count + next->segments;
}

/* The same for op_dev_step (<ordo/detail/cuda/relax.cuh>). */
static inline void ordo_cuda_frontier_watch(ordo_cuda *c, const ordo_cuda_frontier *f)
{
    static const ordo_cuda_tiles tiles = {0, ORDO_CUDA_THREADS, 1, 0.5};
    c->glance = ordo_cuda_glance{{f->counters, NULL}, {3 * sizeof *f->counters, 0}, ordo_cuda_frontier_show, &tiles};
}

#endif
