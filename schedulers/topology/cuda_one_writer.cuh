/* topology on a GPU: cells that have one writer, so that nothing is atomic: pulling, and sync race.
 *
 * A part of cuda.cuh, for relax operators that select.
 *
 * Pulling (Nasre, Burtscher and Pingali 2013, section 5.1, the single-writer policy). A block has tiles of vertices;
 * every vertex belongs to one thread of one block, which takes the best candidate of the vertex's in-edges and is the
 * only one that writes its cell. Rows of more than TOPOLOGY_OWN edges are read by a warp, of more than TOPOLOGY_LONG by
 * the block; the best of the lanes is found by shuffles, the best of the warps in shared memory, and one thread stores
 * it.
 *
 * In place, and asynchronous: cells are read as they are, of the last round or of this one. With sweeps=N a block
 * goes over a tile up to N times before it takes its next one, as long as that changes anything, while other blocks do
 * the same: no barrier separates these. Values only improve, so reading an older one costs a later pass and nothing
 * else. A round in which no pass of any block has changed a cell has read the same cells in all of them: it is a fixed
 * point.
 *
 * Sync race (section 3.2, OR form; the argument is in <ordo/detail/cpu/race.h>). A round goes over all edges twice,
 * with a barrier between. An edge whose candidate is better than the cell of its target stores its number in the
 * target's mark. Then the one that finds its number there stores the candidate. Edges that have lost are tried again in
 * the next round, as all edges are; a round is the last if no candidate was better in its second pass. Items that are
 * edges run the same way.
 *
 * Memory order. As in cuda.cuh: cells and marks are relaxed, and grid barriers separate passes and rounds.
 */

#define topology_pull_kernel ORDO_OP_NAME(topology_pull_kernel)
#define topology_race_kernel ORDO_OP_NAME(topology_race_kernel)

enum { TOPOLOGY_LINE = 32, TOPOLOGY_OWN = 16, TOPOLOGY_LONG = 4096 };

/* A block's shared memory. */
typedef struct topology_tile {
    op_cell best[ORDO_CUDA_THREADS / 32];
    ordo_u32 has_long[ORDO_CUDA_THREADS / 32]; /* a bit for each vertex */
} topology_tile;

/* By one thread: the best of `best` and the candidates of in-edges e, e + step, ... below `end` of v. */
ORDO_DEV op_cell topology_best(const topology_args &a, ordo_vid v, ordo_u64 e, ordo_u64 end, ordo_u64 step,
                               op_cell best)
{
    for (; e < end; e += step) {
        const op_edge edge = op_dev_edge(&a.rows, e, v, true);
        if (edge.tail >= a.num_items || !op_filter(&a.state, edge.tail))
            continue;
        const op_cell candidate = op_candidate(&a.state, op_dev_cell(a.cells, edge.tail), edge);
        best = op_better(candidate, best) ? candidate : best;
    }
    return best;
}

/* By a whole warp: the best of the lanes' values. */
ORDO_DEV op_cell topology_best_of_warp(op_cell best)
{
    for (int step = 16; step; step /= 2) {
        const op_cell other = op_dev_shuffle(best, (int)(threadIdx.x % 32) ^ step);
        best = op_better(other, best) ? other : best;
    }
    return best;
}

/* By the thread that a vertex belongs to: stores what is better than its cell. */
ORDO_DEV bool topology_take(const topology_args &a, ordo_vid v, op_cell best, ordo_cuda_counters *mine)
{
    if (!op_better(best, ordo_dev_load(&a.cells[v])))
        return false;
    ordo_dev_store(&a.cells[v], best);
    mine->useful++;
    return true;
}

/* By a whole block: a pass over the tile of vertices first .. first + ORDO_CUDA_THREADS - 1. Returns whether the thread
 * has changed a cell. Ends with a barrier. */
ORDO_DEV bool topology_pull_tile(const topology_args &a, topology_tile *tile, ordo_u64 first, ordo_cuda_counters *mine)
{
    const ordo_u64 v = first + threadIdx.x;
    const bool there = v < a.num_items && v < a.rows.n;
    const ordo_u64 begin = there ? a.rows.row[v] : 0, end = there ? a.rows.row[v + 1] : 0, degree = end - begin;
    bool changed = false;
    mine->items += there;
    mine->edges += degree;
    const ordo_u32 has_long = __ballot_sync(~0u, degree > TOPOLOGY_LONG);
    if (threadIdx.x % 32 == 0)
        tile->has_long[threadIdx.x / 32] = has_long;
    if (there && degree <= TOPOLOGY_OWN)
        changed = topology_take(a, (ordo_vid)v,
                                topology_best(a, (ordo_vid)v, begin, end, 1, ordo_dev_load(&a.cells[v])), mine);
    for (ordo_u32 left = __ballot_sync(~0u, degree > TOPOLOGY_OWN && degree <= TOPOLOGY_LONG); left; left &= left - 1) {
        const int lane = __ffs((int)left) - 1, me = threadIdx.x % 32;
        const ordo_vid of = (ordo_vid)(first + threadIdx.x / 32 * 32 + lane);
        const ordo_u64 from = __shfl_sync(~0u, begin, lane), to = __shfl_sync(~0u, end, lane);
        const op_cell best =
            topology_best_of_warp(topology_best(a, of, from + me, to, 32, ordo_dev_load(&a.cells[of])));
        if (me == lane)
            changed |= topology_take(a, of, best, mine);
    }
    const bool any_long = __syncthreads_or(has_long != 0);
    for (int k = 0; any_long && k < ORDO_CUDA_THREADS; k++) {
        if (!(tile->has_long[k / 32] >> k % 32 & 1))
            continue;
        const ordo_vid of = (ordo_vid)(first + k);
        const op_cell best = topology_best_of_warp(topology_best(
            a, of, a.rows.row[of] + threadIdx.x, a.rows.row[of + 1], ORDO_CUDA_THREADS, ordo_dev_load(&a.cells[of])));
        if (threadIdx.x % 32 == 0)
            tile->best[threadIdx.x / 32] = best;
        __syncthreads();
        if (of == v) {
            op_cell all = tile->best[0];
            for (int w = 1; w < ORDO_CUDA_THREADS / 32; w++)
                all = op_better(tile->best[w], all) ? tile->best[w] : all;
            changed |= topology_take(a, of, all, mine);
        }
        __syncthreads();
    }
    return changed;
}

/* By the whole grid: the barrier behind a round, in which the thread has changed a cell or not; whether there is to be
 * another. */
ORDO_DEV bool topology_go_on(const topology_args &a, ordo_u64 round, bool changed)
{
    ordo_u32 *const word = a.changed + round % 3 * TOPOLOGY_LINE;
    if (__syncthreads_or(changed) && threadIdx.x == 0)
        ordo_dev_store(word, 1u);
    cooperative_groups::this_grid().sync();
    return ordo_dev_load(word) && !ordo_dev_load(a.stop + (round + 1) % 3 * TOPOLOGY_LINE);
}

static __global__ void __launch_bounds__((ORDO_CUDA_THREADS))
    topology_pull_kernel(const topology_args a, ordo_u32 sweeps)
{
    __shared__ topology_tile tile;
    ordo_cuda_counters mine = {};
    bool changed = true;
    ordo_live_begin(a.run.traced, ORDO_BUSY);
    for (ordo_u64 round = 1; changed; round++) {
        if (blockIdx.x == 0 && threadIdx.x == 0)
            topology_begin_round(a, a.run.traced, round);
        bool any = false;
        for (ordo_u64 first = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS; first < a.num_items;
             first += (ordo_u64)gridDim.x * ORDO_CUDA_THREADS)
            for (ordo_u32 sweep = 0; sweep < sweeps; sweep++) {
                const bool here = __syncthreads_or(topology_pull_tile(a, &tile, first, &mine));
                any |= here;
                if (!here)
                    break;
            }
        ordo_live_add(a.run.traced, mine);
        changed = topology_go_on(a, round, any);
    }
    ordo_dev_publish(a.run.counters, mine);
}

/* By the whole grid: calls `each(edge, target, candidate)` for all edges whose candidate is better than the cell of its
 * target; returns whether the thread has had one. */
template <typename Each> ORDO_DEV bool topology_better_edges(const topology_args &a, Each each)
{
    enum { RUN = 8 };
    const ordo_u64 threads = (ordo_u64)gridDim.x * blockDim.x, me = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x;
    bool any = false;
    for (ordo_u64 begin = me * RUN; begin < a.rows.m; begin += threads * RUN) {
        const ordo_u64 end = begin + RUN < a.rows.m ? begin + RUN : a.rows.m;
        ordo_vid u = topology_row_of(&a.rows, begin);
        ordo_u64 last = __ldg(a.rows.row + u + 1);
        for (ordo_u64 e = begin; e < end; e++) {
            while (last <= e)
                last = __ldg(a.rows.row + ++u + 1);
            if (u >= a.num_items || !op_filter(&a.state, u))
                continue;
            const op_edge edge = op_dev_edge(&a.rows, e, u, false);
            const ordo_u32 target = op_target(&a.state, edge);
            const op_cell candidate = op_candidate(&a.state, op_dev_cell(a.cells, u), edge);
            if (op_better(candidate, ordo_dev_load(&a.cells[target]))) {
                each(e, target, candidate);
                any = true;
            }
        }
    }
    return any;
}

static __global__ void __launch_bounds__((ORDO_CUDA_THREADS))
    topology_race_kernel(const topology_args a, ordo_u64 *mark)
{
    ordo_cuda_counters mine = {};
    bool changed = true;
    const bool first = blockIdx.x == 0 && threadIdx.x == 0;
    ordo_live_begin(a.run.traced, ORDO_BUSY);
    for (ordo_u64 round = 1; changed; round++) {
        if (first) {
            topology_begin_round(a, a.run.traced, round);
            mine.items += a.all;
            mine.edges += a.rows.m;
        }
        topology_better_edges(a, [&](ordo_u64 e, ordo_u32 target, op_cell) { ordo_dev_store(&mark[target], e); });
        cooperative_groups::this_grid().sync();
        const bool any = topology_better_edges(a, [&](ordo_u64 e, ordo_u32 target, op_cell candidate) {
            if (ordo_dev_load(&mark[target]) == e) {
                ordo_dev_store(&a.cells[target], candidate);
                mine.useful++;
            }
        });
        ordo_live_add(a.run.traced, mine);
        changed = topology_go_on(a, round, any);
    }
    ordo_dev_publish(a.run.counters, mine);
}

/* Runs one of these kernels. */
static ordo_status topology_launch_one_writer(ordo_cuda *c, topology_args *a)
{
    const int blocks = (int)c->job->tunable[TOPOLOGY_BLOCKS];
    if (a->pull) {
        ordo_u32 sweeps = (ordo_u32)c->job->tunable[TOPOLOGY_SWEEPS];
        void *args[] = {a, &sweeps};
        return ordo_cuda_launch(c, ordo_cuda_kernel((const void *)topology_pull_kernel), ORDO_CUDA_THREADS, blocks,
                                args);
    }
    ordo_u64 *mark = (ordo_u64 *)ordo_cuda_alloc(c, c->job->targets, sizeof(ordo_u64), true);
    void *args[] = {a, &mark};
    return mark ? ordo_cuda_launch(c, ordo_cuda_kernel((const void *)topology_race_kernel), ORDO_CUDA_THREADS, blocks,
                                   args)
                : ORDO_ERR_MEMORY;
}
