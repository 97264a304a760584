/* bsp on a GPU: sync race, and ways of listing what is activated that are there to be compared.
 *
 * A part of cuda.cuh, for relax operators. The CPU's counterparts, with the arguments: append.h, and
 * <ordo/detail/cpu/race.h> for sync race. All push, and none shares its frontier with steps that pull.
 *
 * append=atomic, warp (bsp_list_kernel). Steps are those of cuda.cuh; what is activated takes its place in the list by
 * an addition of its own, or by one of all lanes that list something at the same time. Hubs are cut as there.
 *
 * append=prefix, scatter (bsp_place_kernel), for operators that select. No atomics but those of the sync: with sync
 * racy none at all. The edges of the frontier are numbered from 0 on, by a sum of degrees; a block has an even part of
 * these numbers, whatever rows they belong to. So hubs need no pieces, and there is nothing to donate.
 *   scatter  edge number j has place j: for the item that it activates, or a mark that there is none
 *   prefix   a block adds up over its threads which of them activate, and fills its places without holes
 *
 * Behind a barrier blocks add up how many items they have, and how many edges these have; behind another one each knows
 * where its items go in the list, and where their edges' numbers begin.
 *
 * Duplicates. dedup=on: by the stamp of the item, exchanged (atomic, warp); or by race and resolve in its OR form
 * (prefix, scatter): who activates an item stores the number of its place in the item's mark, and behind the barrier
 * that place stays whose number is there. dedup=off: a list is a multiset. An item is then processed several times,
 * which needs an idempotent operator. Lists have room for as many entries as there are items, and places for as many
 * edges; if a step has more, the next one processes all items, as topology does, which includes every item that would
 * have been listed.
 *
 * Sync racy needs a step whose stores to a cell are all one value: then it does not matter whose is the last. That is
 * so while all items of a step have one value. It is not where a step has processed all items, nor at the beginning if
 * there are several initial items, since one may improve another within the first step. From there on all steps process
 * all items, until one changes nothing: the item whose better store was lost offers it again. So runs with several
 * initial items are those of bsp_list_kernel or bsp_place_kernel, whatever `append` says.
 *
 * Sync race (bsp_race_kernel), OR form. A step goes over its edges twice, with a barrier between. An edge whose
 * candidate is better than the cell of its target first stores its number in the target's mark. Then the edge that
 * finds its number there is the only writer of the cell, stores, and activates the target; one that does not, and is
 * still better, has lost: its tail is put on the next frontier, so the edge is tried again then. Candidates are
 * computed anew in the second pass: their tail may have improved, which makes them better.
 *
 * Exclusion: an edge is in a step once, numbers differ, and marks do not change in the second pass. That a mark is left
 * from an earlier step does no harm: it names one edge.
 *
 * Progress: of the edges that want a target, one is in its mark, and nothing but it changes the cell. So it stores.
 *
 * Memory order. As in cuda.cuh. Places, marks and sums are plain or relaxed, and pass over grid barriers.
 *
 * Not done: balance=donate (blocks take tiles when they have finished one, or have even parts); sync lock.
 */

#define bsp_list_kernel ORDO_OP_NAME(bsp_list_kernel)
#define bsp_place_kernel ORDO_OP_NAME(bsp_place_kernel)
#define bsp_race_kernel ORDO_OP_NAME(bsp_race_kernel)

typedef struct bsp_list_args : bsp_args {
    int append;
    bool once, mixed;              /* mixed: items of the first step may have several values, and stores are racy */
    ordo_u32 pieces;               /* room for pieces of hubs */
    ordo_u64 *mark;                /* [items], or for race [targets] */
    ordo_u32 *place;               /* [edges] */
    ordo_u64 *offset;              /* [items + 1] the number of the first edge of the i-th item of the list */
    ordo_u64 *items_of, *edges_of; /* [blocks] for the next list */
} bsp_list_args;

#define BSP_HOLE (~(ordo_u32)0)

/* By one thread: puts an item on the frontier of `step`. */
ORDO_DEV void bsp_put(const bsp_list_args *a, ordo_u32 item, ordo_u32 step)
{
    const op_dev_frontier *f = &a->frontier;
    ordo_cuda_superstep_counters *counters = &f->counters[step % 3];
    if (a->once && ordo_dev_exchange(&f->stamp[item], step) == step)
        return;
#if ORDO_OP_ORDER != ORDO_SUM
    const ordo_u64 degree = __ldg(a->rows.row + item + 1) - __ldg(a->rows.row + item);
    if (degree > ORDO_CUDA_SEGMENT) {
        const ordo_u32 pieces = (ordo_u32)((degree + ORDO_CUDA_SEGMENT - 1) / ORDO_CUDA_SEGMENT);
        const ordo_u32 at = ordo_dev_add(&counters->segments, pieces);
        for (ordo_u32 i = 0; i < pieces && at + pieces <= a->pieces; i++)
            f->segment[step & 1][at + i] = (ordo_u64)item << 32 | i;
        return;
    }
#endif
    ordo_u32 at;
    if (a->append == BSP_WARP) {
        auto here = cooperative_groups::coalesced_threads();
        at = here.thread_rank() == 0 ? ordo_dev_add(&counters->count, (ordo_u32)here.size()) : 0;
        at = here.shfl(at, 0) + here.thread_rank();
    } else {
        at = ordo_dev_add(&counters->count, 1u);
    }
    if (at < a->num_items)
        f->list[step & 1][at] = item;
}

/* By the whole grid, behind the barrier of a step: makes the next frontier, `step`, all items if what was to be listed
 * did not fit, or if the frontier before was so and some item was listed by racy stores. Whether it has. */
ORDO_DEV bool bsp_list_all(const bsp_list_args *a, ordo_u32 step, bool before)
{
    ordo_cuda_superstep_counters *counters = &a->frontier.counters[step % 3];
    const ordo_u64 first = (ordo_u64)blockIdx.x * BSP_DEV_THREADS + threadIdx.x;
    const ordo_u32 count = ordo_dev_load(&counters->count), segments = ordo_dev_load(&counters->segments);
    if (!(a->racy && before && (count || segments)) && count <= a->num_items && segments <= a->pieces)
        return false;
    for (ordo_u64 i = first; i < a->num_items; i += (ordo_u64)gridDim.x * BSP_DEV_THREADS)
        a->frontier.list[step & 1][i] = (ordo_u32)i;
    cooperative_groups::this_grid().sync();
    if (first == 0) {
        ordo_dev_store(&counters->count, (ordo_u32)a->num_items);
        ordo_dev_store(&counters->segments, 0u);
    }
    cooperative_groups::this_grid().sync();
    return true;
}

/* append=atomic, warp. */
static __global__ void __launch_bounds__((BSP_DEV_THREADS), bsp_blocks(4)) bsp_list_kernel(const bsp_list_args a)
{
    __shared__ bsp_tile tile;
    auto grid = cooperative_groups::this_grid();
    const op_dev_frontier *f = &a.frontier;
    const ordo_u64 threads = (ordo_u64)gridDim.x * BSP_DEV_THREADS;
    ordo_cuda_counters mine = {};
    ordo_live_begin(a.run.traced, ORDO_BUSY);
    for (ordo_u64 i = (ordo_u64)blockIdx.x * BSP_DEV_THREADS + threadIdx.x; i < a.run.initial_count; i += threads)
        bsp_put(&a, ordo_dev_initial(&a.run, i), 1);
    grid.sync();
    bool all = bsp_list_all(&a, 1, a.mixed);
    for (ordo_u32 step = 1;; step++) {
        const ordo_cuda_superstep_counters *counters = &f->counters[step % 3];
        const ordo_u64 items = (ordo_u64)counters->count + counters->segments;
        if (items == 0 || counters->stop)
            break;
        if (ordo_dev_reports())
            ordo_dev_begin_step(f, step, &a.run, items, step, 0);
        ordo_live_step(a.run.traced, step, items, step, 0, 0, ordo_dev_workers(counters, op_dev_searches));
        op_dev_step(
            &tile, f, &a.rows, a.cells, &a.state, step, &mine,
            [&](ordo_vid item, op_taken value, ordo_u64 e) {
                op_edge edge = op_dev_edge(&a.rows, e, item, false);
                mine.edges++;
                const ordo_u32 target = op_target(&a.state, edge);
                op_cell candidate = op_candidate(&a.state, value, edge);
                if (op_dev_apply(&a.state, a.cells, target, &candidate, a.racy, false)) {
                    mine.useful++;
                    if (op_activates)
                        bsp_put(&a, target, step + 1);
                }
            },
            [] { __syncthreads(); }, [](ordo_u32) {});
        ordo_live_add(a.run.traced, mine);
        grid.sync();
        all = bsp_list_all(&a, step + 1, all);
    }
    ordo_dev_publish(a.run.counters, mine);
}

#if ORDO_OP_ORDER != ORDO_SUM

typedef struct bsp_place_space {
    ordo_dev_scan<ordo_u64, BSP_DEV_THREADS> scan;
    ordo_u64 first, last; /* items of the list that have a tile's first and last edge */
} bsp_place_space;

/* By a block: the sum over its threads. */
ORDO_DEV ordo_u64 bsp_sum(bsp_place_space *s, ordo_u64 x)
{
    ordo_u64 total;
    __syncthreads();
    ordo_dev_sum_before(&s->scan, x, &total);
    return total;
}

/* By one thread: the item of the list, low or a later one below `high`, that has edge number j. */
ORDO_DEV ordo_u64 bsp_item_of(const bsp_list_args *a, ordo_u64 low, ordo_u64 high, ordo_u64 j)
{
    while (high - low > 1) {
        const ordo_u64 middle = low + (high - low) / 2;
        if (a->offset[middle] <= j)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* By the whole grid: makes the list of `step` all items, whose edges have the numbers that they have in the rows. */
ORDO_DEV void bsp_place_all(const bsp_list_args *a, ordo_u32 step)
{
    for (ordo_u64 i = (ordo_u64)blockIdx.x * BSP_DEV_THREADS + threadIdx.x; i <= a->num_items;
         i += (ordo_u64)gridDim.x * BSP_DEV_THREADS) {
        a->offset[i] = i < a->num_items ? a->rows.row[i] : a->rows.m;
        if (i < a->num_items)
            a->frontier.list[step & 1][i] = (ordo_u32)i;
    }
}

/* By the whole grid: makes the list of `step` from the block's candidates begin .. end - 1, of which `candidate(i)` is
 * the item or BSP_HOLE; or all items, as bsp_list_all does. Sets the numbers of its items and of their edges, and *all,
 * whether that is so, the same in all threads. Begins with a barrier and ends with one. */
template <typename Candidate>
ORDO_DEV void bsp_gather_list(const bsp_list_args *a, bsp_place_space *s, ordo_u32 step, ordo_u64 begin, ordo_u64 end,
                              Candidate candidate, ordo_u64 *items, ordo_u64 *edges, bool *all_items)
{
    auto grid = cooperative_groups::this_grid();
    const ordo_u64 *row = (const ordo_u64 *)a->rows.row;
    const auto degree = [&](ordo_u32 item) { return __ldg(row + item + 1) - __ldg(row + item); };
    const auto stays = [&](ordo_u64 i, ordo_u32 item) {
        return item != BSP_HOLE && (!a->once || ordo_dev_load(&a->mark[item]) == i);
    };
    ordo_u64 my_items = 0, my_edges = 0;
    grid.sync();
    for (ordo_u64 i = begin + threadIdx.x; i < end; i += BSP_DEV_THREADS) {
        const ordo_u32 item = candidate(i);
        if (stays(i, item)) {
            my_items++;
            my_edges += degree(item);
        }
    }
    const ordo_u64 block_items = bsp_sum(s, my_items), block_edges = bsp_sum(s, my_edges);
    if (threadIdx.x == 0) {
        a->items_of[blockIdx.x] = block_items;
        a->edges_of[blockIdx.x] = block_edges;
    }
    grid.sync();
    ordo_u64 before[2] = {0, 0}, all[2] = {0, 0};
    for (ordo_u32 b = threadIdx.x; b < gridDim.x; b += BSP_DEV_THREADS) {
        const ordo_u64 of[2] = {a->items_of[b], a->edges_of[b]};
        for (int k = 0; k < 2; k++) {
            all[k] += of[k];
            before[k] += b < blockIdx.x ? of[k] : 0;
        }
    }
    *items = bsp_sum(s, all[0]);
    *edges = bsp_sum(s, all[1]);
    ordo_u64 place = bsp_sum(s, before[0]), number = bsp_sum(s, before[1]);
    *all_items = (a->racy && *all_items && *items) || *items > a->num_items || *edges > a->rows.m;
    if (*all_items) { /* their edges have the numbers of the rows */
        *items = a->num_items;
        *edges = a->rows.m;
        bsp_place_all(a, step);
    } else {
        for (ordo_u64 first = begin; first < end; first += BSP_DEV_THREADS) {
            const ordo_u64 i = first + threadIdx.x;
            const ordo_u32 item = i < end ? candidate(i) : BSP_HOLE;
            const bool here = stays(i, item);
            ordo_u64 tile_items, tile_edges;
            __syncthreads();
            const ordo_u64 at = place + ordo_dev_sum_before(&s->scan, (ordo_u64)here, &tile_items);
            __syncthreads();
            const ordo_u64 from = number + ordo_dev_sum_before(&s->scan, here ? degree(item) : 0, &tile_edges);
            if (here) {
                a->frontier.list[step & 1][at] = item;
                a->offset[at] = from;
            }
            place += tile_items;
            number += tile_edges;
        }
        if (blockIdx.x == 0 && threadIdx.x == 0)
            a->offset[*items] = *edges;
    }
    grid.sync();
}

/* By a block: processes edges begin .. end - 1 of the frontier, by number. Returns the end of the block's candidates
 * for the next list, which are at places from `begin` on. */
ORDO_DEV ordo_u64 bsp_expand_numbers(const bsp_list_args *a, bsp_place_space *s, ordo_u32 step, ordo_u64 items,
                                     ordo_u64 begin, ordo_u64 end, ordo_cuda_counters *mine)
{
    ordo_u64 filled = begin;
    for (ordo_u64 tile = begin; tile < end; tile += BSP_DEV_THREADS) {
        const ordo_u64 j = tile + threadIdx.x, last = tile + BSP_DEV_THREADS < end ? tile + BSP_DEV_THREADS : end;
        __syncthreads();
        if (threadIdx.x == 0)
            s->first = bsp_item_of(a, 0, items, tile);
        if (threadIdx.x == 32)
            s->last = bsp_item_of(a, 0, items, last - 1);
        __syncthreads();
        ordo_u32 activated = BSP_HOLE;
        if (j < end) {
            const ordo_u64 i = bsp_item_of(a, s->first, s->last + 1, j);
            const ordo_vid item = a->frontier.list[step & 1][i];
            if (op_filter(&a->state, item)) {
                const ordo_u64 e = a->rows.row[item] + (j - a->offset[i]);
                const op_edge edge = op_dev_edge(&a->rows, e, item, false);
                const ordo_u32 target = op_target(&a->state, edge);
                op_cell candidate = op_candidate(&a->state, op_dev_cell(a->cells, item), edge);
                mine->edges++;
                if (op_dev_apply(&a->state, a->cells, target, &candidate, a->racy, false)) {
                    mine->useful++;
                    activated = op_activates ? target : BSP_HOLE;
                }
            }
        }
        ordo_u64 at = j;
        if (a->append == BSP_PREFIX) {
            ordo_u64 total;
            at = filled + ordo_dev_sum_before(&s->scan, (ordo_u64)(activated != BSP_HOLE), &total);
            filled += total;
        }
        if (activated != BSP_HOLE || (a->append == BSP_SCATTER && j < end))
            a->place[at] = activated;
        if (activated != BSP_HOLE && a->once)
            ordo_dev_store(&a->mark[activated], at);
    }
    return a->append == BSP_PREFIX ? filled : end;
}

/* append=prefix, scatter. */
static __global__ void __launch_bounds__((BSP_DEV_THREADS)) bsp_place_kernel(const bsp_list_args a)
{
    __shared__ bsp_place_space space;
    const op_dev_frontier *f = &a.frontier;
    ordo_cuda_counters mine = {};
    ordo_u64 items, edges, begin, end;
    bool all = a.mixed;
    const auto part = [&](ordo_u64 of) {
        begin = of / gridDim.x * blockIdx.x + of % gridDim.x * blockIdx.x / gridDim.x;
        end = of / gridDim.x * (blockIdx.x + 1) + of % gridDim.x * (blockIdx.x + 1) / gridDim.x;
    };
    ordo_live_begin(a.run.traced, ORDO_BUSY);
    part(a.run.initial_count);
    for (ordo_u64 i = begin + threadIdx.x; a.once && i < end; i += BSP_DEV_THREADS)
        ordo_dev_store(&a.mark[ordo_dev_initial(&a.run, i)], i);
    bsp_gather_list(
        &a, &space, 1, begin, end, [&](ordo_u64 i) { return (ordo_u32)ordo_dev_initial(&a.run, i); }, &items, &edges,
        &all);
    for (ordo_u32 step = 1; items && !f->counters[step % 3].stop; step++) {
        if (ordo_dev_reports()) {
            ordo_dev_begin_step(f, step, &a.run, items, step, 0);
            mine.items += items;
        }
        ordo_live_step(a.run.traced, step, items, step, 0, 0, gridDim.x);
        part(edges);
        end = bsp_expand_numbers(&a, &space, step, items, begin, end, &mine);
        ordo_live_add(a.run.traced, mine);
        bsp_gather_list(
            &a, &space, step + 1, begin, end, [&](ordo_u64 i) { return a.place[i]; }, &items, &edges, &all);
    }
    ordo_dev_publish(a.run.counters, mine);
}

/* Sync race. */
static __global__ void __launch_bounds__((BSP_DEV_THREADS)) bsp_race_kernel(const bsp_list_args a)
{
    __shared__ bsp_tile tile;
    alignas(8) __shared__ bsp_queue queue;
    auto grid = cooperative_groups::this_grid();
    const op_dev_frontier *f = &a.frontier;
    ordo_cuda_counters mine = {}, again = {}; /* of the first pass: not reported */
    ordo_dev_start(&queue);
    ordo_live_begin(a.run.traced, ORDO_BUSY);
    bsp_push_initial(&a, &queue);
    grid.sync();
    for (ordo_u32 step = 1;; step++) {
        const ordo_cuda_superstep_counters *counters = &f->counters[step % 3];
        const ordo_u64 items = (ordo_u64)counters->count + counters->segments;
        if (items == 0 || counters->stop)
            break;
        if (ordo_dev_reports())
            ordo_dev_begin_step(f, step, &a.run, items, step, 0);
        ordo_live_step(a.run.traced, step, items, step, 0, 0, ordo_dev_workers(counters, op_dev_searches));
        op_dev_step(
            &tile, f, &a.rows, a.cells, &a.state, step, &again,
            [&](ordo_vid item, op_cell value, ordo_u64 e) {
                const op_edge edge = op_dev_edge(&a.rows, e, item, false);
                const ordo_u32 target = op_target(&a.state, edge);
                if (op_better(op_candidate(&a.state, value, edge), ordo_dev_load(&a.cells[target])))
                    ordo_dev_store(&a.mark[target], e);
            },
            [] { __syncthreads(); }, [](ordo_u32) {}, NULL, op_dev_nothing{}, true);
        grid.sync();
        op_dev_step(
            &tile, f, &a.rows, a.cells, &a.state, step, &mine,
            [&](ordo_vid item, op_cell value, ordo_u64 e) {
                const op_edge edge = op_dev_edge(&a.rows, e, item, false);
                const ordo_u32 target = op_target(&a.state, edge);
                const op_cell candidate = op_candidate(&a.state, value, edge);
                mine.edges++;
                if (!op_better(candidate, ordo_dev_load(&a.cells[target])))
                    return;
                const bool won = ordo_dev_load(&a.mark[target]) == e;
                if (won) {
                    ordo_dev_store(&a.cells[target], candidate);
                    mine.useful++;
                }
                if (op_activates || !won)
                    op_dev_push(f, &queue, &a.rows, won ? target : item, step + 1, false);
            },
            [&] { ordo_dev_flush(&queue, f, step + 1, false); }, [](ordo_u32) {}, NULL, op_dev_nothing{}, true);
        ordo_dev_flush(&queue, f, step + 1, true);
        ordo_live_add(a.run.traced, mine);
        grid.sync();
    }
    ordo_dev_publish(a.run.counters, mine);
}

#endif

/* What of these a GPU does not run. */
static ordo_status bsp_lists_check(const ordo_job *job, bool listed)
{
    const int append = (int)job->tunable[BSP_APPEND];
    const bool races = job->sync == ORDO_SYNC_RACE;
    if (races && (int)job->tunable[BSP_DIRECTION] == BSP_PULL)
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler 'bsp' on device 'cuda' with sync 'race' pushes alone, found "
                                           "direction=pull");
    if ((int)job->tunable[BSP_BALANCE] == BSP_DONATE)
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler 'bsp' on device 'cuda' does not have balance=donate: blocks take "
                                           "tiles when they have finished one");
    if (listed && (races || job->sync == ORDO_SYNC_LOCK))
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'bsp' on device 'cuda' with sync '%s' has append=buffer and dedup=auto alone",
                         ordo_sync_name(job->sync));
    if ((int)job->tunable[BSP_DEDUP] == BSP_EACH && append == BSP_BUFFER)
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler 'bsp' on device 'cuda' with append=buffer lists an item once, "
                                           "found dedup=off");
    if (ORDO_OP_ORDER == ORDO_SUM && (append == BSP_PREFIX || append == BSP_SCATTER))
        return ordo_fail(
            ORDO_ERR_UNSOUND,
            "scheduler 'bsp' on device 'cuda' with %s does not run '%s', whose cells sum: an item is taken "
            "once, and edges are dealt out one by one",
            append == BSP_PREFIX ? "append=prefix" : "append=scatter", job->op->name);
    return ORDO_OK;
}

/* Whether racy stores of the first step may be of several values. */
static bool bsp_is_mixed(const ordo_job *job)
{
    return job->sync == ORDO_SYNC_RACY && op_activates && job->initial_count != 1;
}

/* Runs one of these kernels. */
static ordo_status bsp_launch_list(ordo_cuda *c, const bsp_args *of)
{
    const ordo_job *job = c->job;
    const int append = (int)job->tunable[BSP_APPEND], blocks = (int)job->tunable[BSP_BLOCKS];
    bsp_list_args a = {};
    static_cast<bsp_args &>(a) = *of;
    a.append = append;
    a.once = (int)job->tunable[BSP_DEDUP] != BSP_EACH;
    a.mixed = bsp_is_mixed(job);
    a.pieces = (ordo_u32)ordo_cuda_pieces(c->out.m);
    const void *kernel = (const void *)bsp_list_kernel;
#if ORDO_OP_ORDER != ORDO_SUM
    if (job->sync == ORDO_SYNC_RACE) {
        kernel = (const void *)bsp_race_kernel;
        if (!(a.mark = (ordo_u64 *)ordo_cuda_alloc(c, job->targets, sizeof(ordo_u64), true)))
            return ORDO_ERR_MEMORY;
    } else if (append == BSP_PREFIX || append == BSP_SCATTER) {
        int grid;
        kernel = (const void *)bsp_place_kernel;
        const ordo_status status = ordo_cuda_grid(ordo_cuda_kernel(kernel), BSP_DEV_THREADS, blocks, &grid);
        if (status)
            return status;
        if (!(a.mark = (ordo_u64 *)ordo_cuda_alloc(c, job->num_items, sizeof(ordo_u64), true)) ||
            !(a.place = (ordo_u32 *)ordo_cuda_alloc(c, c->out.m + 1, sizeof(ordo_u32), false)) ||
            !(a.offset = (ordo_u64 *)ordo_cuda_alloc(c, job->num_items + 1, sizeof(ordo_u64), false)) ||
            !(a.items_of = (ordo_u64 *)ordo_cuda_alloc(c, (ordo_u64)grid, sizeof(ordo_u64), false)) ||
            !(a.edges_of = (ordo_u64 *)ordo_cuda_alloc(c, (ordo_u64)grid, sizeof(ordo_u64), false)))
            return ORDO_ERR_MEMORY;
    }
#endif
    void *args[] = {&a};
    ordo_cuda_frontier_watch(c, &a.frontier);
    return ordo_cuda_launch(c, ordo_cuda_kernel(kernel), BSP_DEV_THREADS, blocks, args);
}
