/* frontier.cuh -- grid scope: the frontier of supersteps, double-buffered, and its counters.
 */
#ifndef ORDO_DETAIL_CUDA_FRONTIER_CUH
#define ORDO_DETAIL_CUDA_FRONTIER_CUH

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
} ordo_cuda_frontier;

static inline ordo_u64 ordo_cuda_pieces(ordo_u64 m)
{
    return m / ORDO_CUDA_SEGMENT * 2 + 1;
}

static inline ordo_status ordo_cuda_frontier_make(ordo_cuda *c, ordo_u64 num_items, ordo_u64 m, ordo_cuda_frontier *f)
{
    const ordo_u64 pieces = ordo_cuda_pieces(m);
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
