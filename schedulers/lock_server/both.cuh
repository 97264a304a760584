/* lock_server/both.cuh -- blocks that are both client and server: when a run without supersteps has ended.
 *
 * What cuda_both.cuh (relax operators) and cuda_both_critical.cuh share: a worklist for each block, and an exact count.
 *
 * Data structures. A block processes the items that it owns (owners.cuh). Its worklist is a ring in global memory, with
 * a flag for each item, so that an item is there once, and each worklist has places for all items of its block.
 *
 * Termination. *Things* are messages that are not served, and entries of worklists that are not processed. `pending` of
 * the grid is the number of things and the sum of the blocks' credit: things that a block may make without counting
 * them.
 *   C1   A thing that has ended without a trace becomes credit, and a thing that is made takes from the credit. What
 *        came of a thing is made before it ends: a message that is served becomes entries and further messages, or
 *        credit; an entry whose messages are all sent becomes credit.
 *   C2   A block has credit for all that a part of a round can make, before another block can see the first of it. What
 *        it lacks, and SPARE more, it adds to `pending` first.
 *   C3   A block that has nothing to do subtracts its credit from `pending`.
 *   C4   A block that reads pending = 0 ends.
 * So `pending` is never less than the number of things. If it is 0 there is no thing, none can be made (C1 and C2 need
 * one), and it stays 0. If there is no thing, all blocks come to C3, and then it is 0.
 *
 * Memory order. C2 comes before a message is seen by a fence of one thread between two barriers of its block; what a
 * block has read from its rings comes before its C2 and C3 by the same fence, or that of C3. So along every chain of
 * messages the addition for the first is ordered before the subtraction that follows from the last, also where blocks
 * between passed them on by credit: no order in which `pending` changes has a subtraction ahead of its addition.
 */
#ifndef SERVER_BOTH_ONCE
#define SERVER_BOTH_ONCE

enum {
    BOTH_SPARE = 4 * SERVER_EACH * SERVER_THREADS, /* credit that is taken beyond what is needed */
    BOTH_LOOK = 4                                  /* an idle block looks at `pending` once in so many rounds */
};

typedef struct server_worklists {
    ordo_u32 *list;    /* [blocks][1 << log] */
    ordo_u32 *queued;  /* [items] 1: it is on its owner's */
    ordo_u32 *first;   /* [blocks] each on a separate cache line: number of the first entries */
    ordo_u64 *pending; /* C1 to C4 */
    ordo_u32 log;
} server_worklists;

/* By a whole block: C2 for `most` things. A barrier must follow before the first of them is made. */
ORDO_DEV void server_cover(ordo_u64 *pending, ordo_u64 *credit, ordo_u64 most)
{
    const ordo_u64 more = *credit < most ? most - *credit + BOTH_SPARE : 0;
    if (threadIdx.x == 0) {
        if (more)
            ordo_dev_add(pending, more);
        ordo_dev_fence();
    }
    *credit += more;
}

/* By a whole block without anything to do: C3. */
ORDO_DEV void server_settle(ordo_u64 *pending, ordo_u64 *credit)
{
    if (*credit && threadIdx.x == 0) {
        ordo_dev_fence();
        ordo_dev_add(pending, 0 - *credit);
    }
    *credit = 0;
}

/* By all blocks: puts the initial items on the worklists of their owners, and counts them. A grid barrier must follow.
 */
ORDO_DEV void server_begin_worklists(const server_worklists *w, const server_owners *owners, const ordo_cuda_run *run)
{
    ordo_u64 counted = 0;
    const ordo_u64 threads = (ordo_u64)gridDim.x * SERVER_THREADS;
    for (ordo_u64 i = (ordo_u64)blockIdx.x * SERVER_THREADS + threadIdx.x; i < run->initial_count; i += threads) {
        const ordo_item item = ordo_dev_initial(run, i);
        ordo_u32 local;
        if (ordo_dev_exchange(&w->queued[item], 1u))
            continue;
        const ordo_u32 owner = server_split(owners, server_number(owners, item), &local);
        const ordo_u32 at = ordo_dev_add(&w->first[owner * ORDO_CUDA_LINE], 1u);
        ordo_dev_store(&w->list[((ordo_u64)owner << w->log) + at], (ordo_u32)item);
        counted++;
    }
    if (counted)
        ordo_dev_add(w->pending, counted);
}

/* ---- the host's part ---- */

/* Worklists for `most` items of a block, flags and counts. */
static inline ordo_status server_worklists_make(ordo_cuda *c, ordo_u32 blocks, ordo_u32 most, ordo_u64 items,
                                                server_worklists *w)
{
    w->log = server_bits_of(most ? most : 1);
    w->list = (ordo_u32 *)ordo_cuda_alloc(c, (ordo_u64)blocks << w->log, sizeof(ordo_u32), false);
    w->queued = w->list ? (ordo_u32 *)ordo_cuda_alloc(c, items + 1, sizeof(ordo_u32), true) : NULL;
    w->first =
        w->queued ? (ordo_u32 *)ordo_cuda_alloc(c, (ordo_u64)blocks * ORDO_CUDA_LINE, sizeof(ordo_u32), true) : NULL;
    w->pending = w->first ? (ordo_u64 *)ordo_cuda_alloc(c, ORDO_CUDA_LINE / 2, sizeof(ordo_u64), true) : NULL;
    return w->pending ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* Chooses the number of blocks of a multiprocessor: as many as asked for, or two if they fit, else one. `shared(all)`
 * is the bytes of shared memory of a block, if there are so many blocks. */
template <typename Shared>
static ordo_status server_choose_blocks(ordo_cuda *c, const void *kernel, Shared shared, int *blocks, ordo_u32 *all)
{
    const int asked = (int)c->job->tunable[SERVER_BLOCKS];
    int units = 0, resident = 0;
    size_t unit, most;
    ordo_status status = ordo_cuda_size(&units, &unit, &most);
    for (*blocks = asked ? asked : 2; !status; --*blocks) {
        *all = (ordo_u32)(units * *blocks);
        status = ordo_cuda_share(c, kernel, SERVER_THREADS, shared(*all), &resident);
        if (status || (resident >= *blocks && *all <= SERVER_MOST))
            return status;
        if (asked || *blocks == 1)
            return ordo_fail(ORDO_ERR_DEVICE,
                             "device 'cuda': %d blocks a multiprocessor of %d asked for, %d fit; expected at most %d "
                             "blocks in all",
                             *blocks, units, resident, SERVER_MOST);
    }
    return status;
}

#endif
