/* bsp/cuda_sums.cuh -- supersteps of sums that pull, on a GPU; a part of cuda.cuh, used with direction=pull.
 *
 * Problem. Additions by atomics come in any order, so a sum of reals has other last bits in every run.
 *
 * Protocol. That of sums.h: a superstep has two phases with a barrier after each. In the first a thread takes the cells
 * of its items that have a level. In the second `lanes` threads add up the candidates of a vertex' in-edges from items
 * that were taken, each every lanes-th, then by a tree, and one of them adds the sum to the cell. A superstep that
 * takes nothing is the last. So the order of the additions depends on the rows alone, and a run has the same bits as
 * any other on the same graph, for any number of blocks. `lanes` depends on the mean degree.
 *
 * Memory order. As in sums.h: in a phase a cell has one writer, and no reader besides.
 */
typedef struct bsp_pull_args {
    bsp_args a;
    op_dev_round round;
    ordo_u32 lanes; /* a power of two, at most 32 */
    ordo_u32
        *changed;   /* [3] of a superstep, by its number % 3: whether anything was taken; each on a line of its own */
    ordo_u32 *stop; /* [3] likewise: whether the run ends */
} bsp_pull_args;

/* By a whole warp: the sum of the candidates of the in-edges of the vertex that `lanes` lanes share, if `there`. Valid
 * in the first of these. */
ORDO_DEV op_cell bsp_pull_row(const bsp_pull_args &p, bool there, ordo_vid v, ordo_u32 step, ordo_cuda_counters *mine)
{
    const ordo_cuda_rows *const in = &p.a.in;
    const ordo_u64 end = there ? __ldg(in->row + v + 1) : 0;
    op_cell sum = 0;
    for (ordo_u64 e = there ? __ldg(in->row + v) + threadIdx.x % p.lanes : 0; e < end; e += p.lanes) {
        const op_edge edge = op_dev_edge(in, e, v, true);
        mine->edges++;
        if (p.round.last[edge.tail] == step)
            sum += op_candidate(&p.a.state, p.round.taken[edge.tail], edge);
    }
    __syncwarp();
    for (ordo_u32 distance = p.lanes / 2; distance; distance /= 2)
        sum += __shfl_xor_sync(~0u, sum, (int)distance);
    return sum;
}

template <bool Traced>
static __global__ void __launch_bounds__((ORDO_CUDA_THREADS)) bsp_sums_kernel(const bsp_pull_args p)
{
    enum { LINE = ORDO_CUDA_LINE };
    auto grid = cooperative_groups::this_grid();
    ordo_cuda_counters mine = {};
    const ordo_u64 groups = (ordo_u64)gridDim.x * ORDO_CUDA_THREADS / p.lanes;
    const ordo_u64 me = ((ordo_u64)blockIdx.x * ORDO_CUDA_THREADS + threadIdx.x) / p.lanes;
    const ordo_u64 first = me - threadIdx.x % 32 / p.lanes; /* the same for all lanes of a warp */
    const ordo_cuda_traced traced = Traced ? p.a.run.traced : ordo_cuda_traced{};
    ordo_live_begin(traced, ORDO_BUSY);
    for (ordo_u32 step = 1;; step++) {
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            ordo_dev_sample(p.a.run.record, p.a.num_items, step, 0, 1, -1);
            ordo_live_report(traced, step, p.a.num_items, step, 0, 1);
            p.changed[(step + 1) % 3 * LINE] = 0;
            p.stop[(step + 1) % 3 * LINE] = ordo_dev_mail(&p.a.run, step, p.a.num_items);
        }
        const bool any = op_dev_take_all(&p.round, &p.a.state, p.a.cells, p.a.num_items, step, &mine);
        if (__syncthreads_or(any) && threadIdx.x == 0)
            ordo_dev_store(&p.changed[step % 3 * LINE], 1u);
        grid.sync();
        if (!ordo_dev_load(&p.changed[step % 3 * LINE]) || ordo_dev_load(&p.stop[(step + 1) % 3 * LINE]))
            break;
        for (ordo_u64 at = 0; first + at < p.a.num_items; at += groups) {
            const bool there = me + at < p.a.num_items;
            const ordo_vid v = there ? (ordo_vid)(me + at) : 0;
            const op_cell sum = bsp_pull_row(p, there, v, step, &mine);
            if (there && threadIdx.x % p.lanes == 0 && sum != 0) {
                const op_cell old = ordo_dev_load(&p.a.cells[v]);
                ordo_dev_store(&p.a.cells[v], old + sum);
                mine.useful += op_dev_raises(&p.a.state, old, old + sum);
            }
        }
        if constexpr (Traced)
            ordo_live_barrier<3>(traced, mine);
        else
            grid.sync();
    }
    ordo_dev_publish(p.a.run.counters, mine);
}

/* On the host: the run. */
static ordo_status bsp_pull_sums(ordo_cuda *c, const bsp_args *a)
{
    bsp_pull_args p = {};
    p.a = *a;
    p.lanes = 1;
    while (p.lanes < 32 && p.lanes < c->job->mean_degree / 2)
        p.lanes *= 2;
    p.changed = (ordo_u32 *)ordo_cuda_alloc(c, 6 * ORDO_CUDA_LINE, sizeof *p.changed, true);
    p.stop = p.changed + 3 * ORDO_CUDA_LINE;
    ordo_status status = p.changed ? op_cuda_round_make(c, &p.round) : ORDO_ERR_MEMORY;
    if (status)
        return status;
    void *args[] = {&p};
    const void *const kernel =
        a->run.traced.live ? (const void *)bsp_sums_kernel<true> : (const void *)bsp_sums_kernel<false>;
    return ordo_cuda_launch(c, ordo_cuda_kernel(kernel), ORDO_CUDA_THREADS, (int)c->job->tunable[BSP_BLOCKS], args);
}
