/* topology on a GPU: every edge in every round until a whole round changes nothing.
 *
 * Problem. Run an operator with no worklist at all.
 *
 * Data structures. The rows; and `changed` and `stop`, triple-buffered by round.
 *
 * Protocol. A round's edges are distributed over the threads in pieces of equal size, whatever rows they belong to, so
 * hubs need no special treatment: a thread finds the row of its first edge by bisection and continues from there.
 * Pulling, where a cell has one writer, and sync race: cuda_one_writer.cuh.
 *
 * Edges as items. Neighbouring threads take neighbouring edges, so that tails, heads and weights are each read by
 * coalesced loads, several of a thread at once; tails come from an array that is made once for the graph. The cells of
 * tails, which are sorted, are mostly those of a few vertices for a warp.
 *
 *   Where cells sum (ORDO_SUM) a round has two phases with a barrier between them: a thread takes the cells of its
 * items that have a level, and notes what candidates are computed from and the round; then edges whose tails have been
 * taken in this round are processed as above. So all edges of an item use the same value, and no cell is taken while
 * others add to it. A round that takes nothing is the last.
 *
 * Termination. See cpu.h: a round that improves no cell (in any block) is the last, and every lost racy store is made
 * up for, since its edge is compared once more in the next round. If nothing is activated and no store is lost, the
 * first round is the last: candidates do not change.
 *
 * Memory order. Cells are relaxed. Rounds are separated by grid barriers: a round sets its own `changed`, reads it
 * after the barrier, and clears that of the round after next, which no thread has used since the barrier before last.
 */
#include "tunables.h"

/* What profilers show carries the operator's name. */
#define topology_kernel ORDO_OP_NAME(topology_kernel)
#define topology_edge_kernel ORDO_OP_NAME(topology_edge_kernel)

typedef struct topology_args {
    ordo_cuda_rows rows;
    op_cell *cells;
    op_state state;
    bool racy, pull;         /* pull: `rows` are in-rows */
    ordo_u64 num_items, all; /* vertices; items of a round */
    const ordo_u32 *tail;    /* [rows.m] where items are edges */
#if ORDO_OP_ORDER == ORDO_SUM
    op_dev_round round;
#endif
    ordo_u32 *changed; /* [3], each on a separate cache line */
    ordo_u32 *stop;    /* [3], likewise */
    ordo_cuda_run run;
} topology_args;

/* By one thread: the row that holds an edge. */
ORDO_DEV ordo_vid topology_row_of(const ordo_cuda_rows *rows, ordo_u64 edge)
{
    ordo_u64 low = 0, high = rows->n;
    while (high - low > 1) {
        ordo_u64 middle = low + (high - low) / 2;
        if (__ldg(rows->row + middle) <= edge)
            low = middle;
        else
            high = middle;
    }
    return (ordo_vid)low;
}

/* By one thread of the grid, when a round begins: clears the words of the next round, and reports. */
ORDO_DEV void topology_begin_round(const topology_args &a, const ordo_cuda_traced &traced, ordo_u64 round)
{
    enum { LINE = 32 };
    ordo_dev_sample(a.run.record, a.all, round, 0, 1, -1);
    ordo_live_report(traced, round, a.all, round, 0, 1);
    a.changed[(round + 1) % 3 * LINE] = 0;
    a.stop[(round + 1) % 3 * LINE] = ordo_dev_mail(&a.run, round, a.all);
}

#if ORDO_OP_ORDER == ORDO_SUM

/* By one thread: processes edges begin .. end - 1, those of items that were taken in this round. */
ORDO_DEV void topology_add(const topology_args &a, ordo_u64 begin, ordo_u64 end, ordo_u32 round,
                           ordo_cuda_counters *mine)
{
    ordo_vid u = topology_row_of(&a.rows, begin);
    for (ordo_u64 e = begin; e < end; u++) {
        const ordo_u64 row_end = __ldg(a.rows.row + u + 1), last = row_end < end ? row_end : end;
        if (e < last && u < a.num_items && a.round.last[u] == round) {
            const op_cell value = a.round.taken[u];
            mine->edges += last - e;
            for (; e < last; e++) {
                const op_edge edge = op_dev_edge(&a.rows, e, u, false);
                op_cell candidate = op_candidate(&a.state, value, edge);
                mine->useful += op_dev_apply(&a.state, a.cells, op_target(&a.state, edge), &candidate, false, false);
            }
        }
        e = last;
    }
}

template <bool Traced>
static __global__ void __launch_bounds__(ORDO_CUDA_THREADS) topology_kernel(const topology_args a)
{
    enum { LINE = 32, RUN = 8 };
    auto grid = cooperative_groups::this_grid();
    ordo_cuda_counters mine = {};
    const ordo_u64 threads = (ordo_u64)gridDim.x * blockDim.x, me = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x;
    const ordo_cuda_traced traced = Traced ? a.run.traced : ordo_cuda_traced{};
    ordo_live_begin(traced, ORDO_BUSY);
    for (ordo_u64 round = 1;; round++) {
        ordo_u32 *changed = a.changed + round % 3 * LINE;
        if (me == 0)
            topology_begin_round(a, traced, round);
        ordo_live_state(traced, ORDO_BUSY);
        const bool any = op_dev_take_all(&a.round, &a.state, a.cells, a.num_items, (ordo_u32)round, &mine);
        if (__syncthreads_or(any) && threadIdx.x == 0)
            ordo_dev_store(changed, 1u);
        grid.sync();
        if (!ordo_dev_load(changed) || ordo_dev_load(a.stop + (round + 1) % 3 * LINE))
            break;
        for (ordo_u64 begin = me * RUN; begin < a.rows.m; begin += threads * RUN)
            topology_add(a, begin, begin + RUN < a.rows.m ? begin + RUN : a.rows.m, (ordo_u32)round, &mine);
        __syncthreads();
        if constexpr (Traced)
            ordo_live_barrier<3>(traced, mine);
        else
            grid.sync();
    }
    ordo_dev_publish(a.run.counters, mine);
}

/* Not of sums. */
template <bool Edges> static const void *topology_kernel_by_edges(bool)
{
    return NULL;
}

#else

/* By one thread: offers the candidates of N edges, which are there; returns how many improved their heads. Loads of all
 * are issued before the first is used. */
template <int N>
ORDO_DEV ordo_u32 topology_offer(const topology_args &a, const ordo_eid (&e)[N], ordo_cuda_counters *mine)
{
    ordo_u32 tail[N], head[N], useful = 0;
    op_dev_weight weight[N];
    op_cell value[N];
#pragma unroll
    for (int u = 0; u < N; u++)
        tail[u] = __ldg(a.tail + e[u]);
    op_dev_edges(&a.rows, e, head, weight);
#pragma unroll
    for (int u = 0; u < N; u++)
        value[u] = op_dev_cell(a.cells, tail[u]);
#pragma unroll
    for (int u = 0; u < N; u++) {
        if (!op_better(value[u], op_worst()) || !op_filter(&a.state, tail[u]))
            continue; /* it has nothing to propose yet */
        const op_edge edge = op_make_edge(e[u], tail[u], head[u], &weight[u]);
        useful +=
            op_dev_offer(a.cells, op_target(&a.state, edge), op_candidate(&a.state, value[u], edge), a.racy, false);
    }
    mine->edges += N;
    mine->useful += useful;
    return useful;
}

/* The kernel of runs whose items are edges. Edges: true; that only operators which allow them have it. */
template <bool Edges, bool Traced>
static __global__ void __launch_bounds__((ORDO_CUDA_THREADS), Traced ? ordo_live_resident(4) : 0)
    topology_edge_kernel(const topology_args a)
{
    enum { LINE = 32, AT_ONCE = 4 };
    auto grid = cooperative_groups::this_grid();
    ordo_cuda_counters mine = {};
    const ordo_u64 threads = (ordo_u64)gridDim.x * blockDim.x, me = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x;
    const ordo_u64 edges = a.rows.m;
    const ordo_cuda_traced traced = Traced ? a.run.traced : ordo_cuda_traced{};
    ordo_live_begin(traced, ORDO_BUSY);
    for (ordo_u64 round = 1;; round++) {
        ordo_u32 *changed = a.changed + round % 3 * LINE;
        if (me == 0) {
            topology_begin_round(a, traced, round);
            mine.items += edges;
        }
        ordo_u32 improved = 0, pieces = 0;
        ordo_live_state(traced, ORDO_BUSY);
        for (ordo_u64 first = me; first < edges; first += threads * AT_ONCE) {
            if (Traced && ++pieces % 16 == 0 && first + (31 - me % 32) < edges) /* the whole warp is here */
                ordo_live_publish<3>(traced, mine, ORDO_LIVE_KEEP);
            if (first + threads * (AT_ONCE - 1) < edges) {
                ordo_eid e[AT_ONCE];
#pragma unroll
                for (int u = 0; u < AT_ONCE; u++)
                    e[u] = first + u * threads;
                improved += topology_offer(a, e, &mine);
            } else {
                for (ordo_u64 last = first; last < edges; last += threads) {
                    const ordo_eid e[1] = {last};
                    improved += topology_offer(a, e, &mine);
                }
            }
        }
        if (__syncthreads_or(improved != 0) && threadIdx.x == 0)
            ordo_dev_store(changed, 1u);
        if constexpr (Traced)
            ordo_live_barrier<3>(traced, mine);
        else
            grid.sync();
        if (!ordo_dev_load(changed) || ordo_dev_load(a.stop + (round + 1) % 3 * LINE))
            break;
    }
    ordo_dev_publish(a.run.counters, mine);
}

/* That kernel, for operators whose items may be edges. */
template <bool Edges> static const void *topology_kernel_by_edges(bool traced)
{
    if constexpr (Edges)
        return traced ? (const void *)topology_edge_kernel<Edges, true>
                      : (const void *)topology_edge_kernel<Edges, false>;
    else
        return NULL;
}

/* One function: a round is one loop over edges, whose counters stay in registers. */
template <bool Traced>
static __global__ void __launch_bounds__((ORDO_CUDA_THREADS), Traced ? ordo_live_resident(8) : 0)
    topology_kernel(const topology_args a)
{
    enum { LINE = 32, RUN = 8 };
    auto grid = cooperative_groups::this_grid();
    ordo_cuda_counters mine = {};
    const ordo_u64 threads = (ordo_u64)gridDim.x * blockDim.x, me = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x;
    const ordo_u64 edges = a.rows.m;
    const ordo_cuda_traced traced = Traced ? a.run.traced : ordo_cuda_traced{};
    ordo_live_begin(traced, ORDO_BUSY);
    for (ordo_u64 round = 1;; round++) {
        ordo_u32 *changed = a.changed + round % 3 * LINE;
        if (me == 0) {
            topology_begin_round(a, traced, round);
            mine.items += a.num_items;
        }
        bool any = false;
        ordo_u32 pieces = 0;
        ordo_live_state(traced, ORDO_BUSY);
        for (ordo_u64 begin = me * RUN; begin < edges; begin += threads * RUN) {
            if (Traced && ++pieces % 8 == 0 && begin + (31 - me % 32) * RUN < edges) /* the whole warp is here */
                ordo_live_publish<3>(traced, mine, ORDO_LIVE_KEEP);
            ordo_u64 end = begin + RUN < edges ? begin + RUN : edges;
            ordo_vid u = topology_row_of(&a.rows, begin);
            ordo_u64 last = __ldg(a.rows.row + u + 1);
            for (ordo_u64 e = begin; e < end; e++) {
                while (last <= e)
                    last = __ldg(a.rows.row + ++u + 1);
                op_edge edge = op_dev_edge(&a.rows, e, u, false);
                if (edge.tail >= a.num_items || !op_filter(&a.state, edge.tail))
                    continue;
                mine.edges++;
                op_cell value = op_dev_cell(a.cells, edge.tail);
                op_cell candidate = op_candidate(&a.state, value, edge);
                if (op_dev_offer(a.cells, op_target(&a.state, edge), candidate, a.racy, false)) {
                    mine.useful++;
                    any = true;
                }
            }
        }
        if (__syncthreads_or(any) && threadIdx.x == 0)
            ordo_dev_store(changed, 1u);
        if constexpr (Traced)
            ordo_live_barrier<3>(traced, mine);
        else
            grid.sync();
        const bool again = ordo_dev_load(changed) && ((int)op_activates || a.racy); /* otherwise the first round is the
                                                                                       whole run */
        if (!again || ordo_dev_load(a.stop + (round + 1) % 3 * LINE))
            break;
    }
    ordo_dev_publish(a.run.counters, mine);
}

#include "cuda_one_writer.cuh"
#endif

/* For samples of a trace: the part of the round's edges that is not processed yet, in items. Where the operator's
 * filter leaves edges out, it is too large. */
static void topology_glance(const ordo_cuda_seen *seen, const void *, ordo_probed *out)
{
    const double edges = (double)seen->c->job->out->m, before = edges * ((double)seen->live->step - 1);
    const double done = ((double)seen->sum->edges - before) / (edges > 0 ? edges : 1);
    if (seen->live->step)
        out->in_flight = (ordo_u64)((done < 0 ? 1 : done > 1 ? 0 : 1 - done) * (double)ordo_job_items(seen->c->job));
}

static ordo_status topology_run_job(ordo_job *job)
{
    enum { LINE = 32 };
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    topology_args a = {};
    const bool pull = (int)job->tunable[TOPOLOGY_DIRECTION] == TOPOLOGY_PULL, by_edges = job->item == ORDO_ITEMS_EDGES;
    ordo_status status = ordo_cuda_begin(job, sizeof(op_cell), pull, &c);
    ordo_u32 *words = status ? NULL : (ordo_u32 *)ordo_cuda_alloc(&c, 6 * LINE, sizeof *words, true);
    if (!status && !words)
        status = ORDO_ERR_MEMORY;
    if (!status)
        status = op_cuda_arguments(&c, &a, &arrays);
    if (!status && by_edges)
        status = ordo_cuda_edge_tails(&c, &a.tail);
#if ORDO_OP_ORDER == ORDO_SUM
    if (!status)
        status = op_cuda_round_make(&c, &a.round);
#endif
    if (!status) {
        a.rows = pull ? c.in : c.out;
        a.racy = job->sync == ORDO_SYNC_RACY;
        a.pull = pull;
        a.num_items = job->num_items;
        a.all = ordo_job_items(job);
        a.changed = words;
        a.stop = words + 3 * LINE;
        void *args[] = {&a};
        c.glance.show = topology_glance;
        const void *kernel = by_edges
                                 ? topology_kernel_by_edges<((int)op_items & ORDO_ITEMS_EDGES) != 0>(a.run.traced.live)
                             : a.run.traced.live ? (const void *)topology_kernel<true>
                                                 : (const void *)topology_kernel<false>;
#if ORDO_OP_ORDER != ORDO_SUM
        if (pull || job->sync == ORDO_SYNC_RACE)
            status = topology_launch_one_writer(&c, &a);
        else
#endif
            status = ordo_cuda_launch(&c, ordo_cuda_kernel(kernel), ORDO_CUDA_THREADS,
                                      (int)job->tunable[TOPOLOGY_BLOCKS], args);
    }
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}

ORDO_CUDA_INSTANCE(topology, topology_run_job, 1u << ORDO_SYNC_ATOMIC | 1u << ORDO_SYNC_RACY | 1u << ORDO_SYNC_RACE)
