/* bsp on a GPU: double-buffered supersteps in one persistent launch, a grid barrier between them.
 *
 * A superstep takes the items of one list in tiles, walks their edges balanced by degree, and pushes what improved to
 * the other list, each item once (ordo_cuda_frontier). It ends with a grid barrier; the run ends when a list is empty,
 * which all blocks see alike since nobody writes a step's words after the barrier before it.
 *
 * Pulling (Beamer, Asanovic and Patterson 2012), where the operator settles vertices: every vertex that is not settled
 * looks through its in-edges for a tail of this step's frontier and stops at the first, as all candidates of a step are
 * equal. Who is on the frontier is told by `stamp`, so nothing is converted from one direction to the other. A warp has
 * 32 vertices: each lane looks at a few edges of its own, the rest of long rows is looked at by all lanes together. A
 * cell is written by one lane only, and frontier cells do not change during the step.
 *
 * Locked: every improvement is a store under the lock of its cell, one of a table. It is there to be compared: an
 * atomic does the same.
 */
#include "tunables.h"

#define MY(_part) ORDO_JOIN3(ORDO_OP, _bsp_cuda_, _part)

typedef struct MY(args) {
    ordo_cuda_rows rows;
    OP(cell) * cells;
    OP(state) state;
    bool racy;
    ordo_cuda_locks locks; /* of the kernel under locks */
    ordo_cuda_rows in;     /* where pulling is allowed */
    int direction;         /* as the tunable: auto, push, pull */
    double alpha, beta;
    ordo_u64 universe;
    ordo_cuda_frontier frontier;
    ordo_cuda_run run;
} MY(args);

/* What a vertex gets from the frontier of `step`, if it gets anything: the edge to take, or m. By whole warps. */
ORDO_DEV ordo_eid MY(find)(const MY(args) * a, bool there, ordo_vid v, ordo_u32 step, ordo_cuda_counters *mine)
{
    enum { OWN = 8 };
    const ordo_u32 lane = threadIdx.x & 31;
    ordo_eid e = there ? __ldg(a->in.row + v) : 0, end = there ? __ldg(a->in.row + v + 1) : 0, found = a->in.m;
    for (ordo_eid last = e + OWN < end ? e + OWN : end; e < last && found == a->in.m; e++) {
        mine->edges++;
        if (ordo_dev_load(&a->frontier.stamp[__ldg(a->in.edge + e * a->in.stride)]) == step)
            found = e;
    }
    for (ordo_u32 open = __ballot_sync(0xffffffffu, found == a->in.m && e < end); open; open &= open - 1) {
        int owner = __ffs((int)open) - 1;
        ordo_eid at = __shfl_sync(0xffffffffu, e, owner), stop = __shfl_sync(0xffffffffu, end, owner);
        for (; at < stop; at += 32) {
            bool hit = false;
            if (at + lane < stop) {
                mine->edges++;
                hit = ordo_dev_load(&a->frontier.stamp[__ldg(a->in.edge + (at + lane) * a->in.stride)]) == step;
            }
            ordo_u32 hits = __ballot_sync(0xffffffffu, hit);
            if (hits) {
                if ((int)lane == owner)
                    found = at + (ordo_u32)__ffs((int)hits) - 1;
                break;
            }
        }
    }
    return found;
}

/* A block's part of a step that pulls. */
ORDO_DEV ordo_u64 MY(pull)(const MY(args) * a, ordo_dev_queue *queue, ordo_u32 step, ordo_cuda_counters *mine)
{
    const ordo_cuda_frontier *f = &a->frontier;
    const ordo_u64 threads = (ordo_u64)gridDim.x * ORDO_CUDA_THREADS;
    ordo_u64 pushed = 0;
    for (ordo_u64 first = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS; first < a->universe; first += threads) {
        ordo_u64 i = first + threadIdx.x;
        ordo_vid v = (ordo_vid)i;
        bool there = i < a->universe && !OP(settled)(&a->state, v, ordo_dev_load(&a->cells[i]));
        ordo_eid e = MY(find)(a, there, v, step, mine);
        if (e < a->in.m) {
            OP(edge) edge = OP(dev_edge)(&a->in, e, v, true);
            OP(cell) candidate = OP(candidate)(&a->state, ordo_dev_load(&a->cells[edge.tail]), edge);
            if (OP(better)(candidate, ordo_dev_load(&a->cells[v]))) {
                ordo_dev_store(&a->cells[v], candidate);
                mine->useful++;
                pushed += OP(dev_push)(f, queue, &a->rows, v, step + 1, true);
            }
        }
        ordo_dev_flush(queue, f->list[(step + 1) & 1], &f->turn[(step + 1) % 3].count, false);
    }
    return pushed;
}

/* A thread's pushed edges to those of a step. */
ORDO_DEV void MY(add_edges)(ordo_cuda_turn *turn, ordo_u64 pushed)
{
    for (int step = 16; step; step /= 2)
        pushed += __shfl_down_sync(0xffffffffu, pushed, step);
    if (threadIdx.x % 32 == 0 && pushed)
        ordo_dev_add(&turn->edges, pushed);
}

template <bool Locked>
static __global__ void __launch_bounds__(ORDO_CUDA_THREADS, Locked ? 1 : 0) MY(kernel)(const MY(args) a)
{
    __shared__ OP(dev_tile) tile;
    __shared__ ordo_dev_queue queue;
    auto grid = cooperative_groups::this_grid();
    const ordo_cuda_frontier *f = &a.frontier;
    ordo_cuda_counters mine = {};
    ordo_u64 pushed = 0;
    ordo_dev_start(&queue);
    const ordo_u64 threads = (ordo_u64)gridDim.x * ORDO_CUDA_THREADS;
    for (ordo_u64 first = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS; first < a.run.initial_count; first += threads) {
        ordo_u64 i = first + threadIdx.x;
        if (i < a.run.initial_count)
            pushed += OP(dev_push)(f, &queue, &a.rows, ordo_dev_initial(&a.run, i), 1, false);
        ordo_dev_flush(&queue, f->list[1], &f->turn[1].count, false);
    }
    ordo_dev_flush(&queue, f->list[1], &f->turn[1].count, true);
    MY(add_edges)(&f->turn[1], pushed);
    grid.sync();
    bool pulling = false; /* all blocks decide alike, from the same words */
    ordo_u64 edges_left = a.rows.m, last_items = 0;
    for (ordo_u32 step = 1;; step++) {
        const ordo_cuda_turn *turn = &f->turn[step % 3];
        if ((turn->count == 0 && turn->segments == 0) || turn->stop)
            break;
        const ordo_u64 items = (ordo_u64)turn->count + turn->segments, edges = turn->edges;
        if (OP(can_settle) && a.direction != 1)
            pulling = a.direction == 2 ? true
                      : pulling        ? items >= last_items || (double)items > (double)a.universe / a.beta
                                       : (double)edges > (double)edges_left / a.alpha;
        edges_left -= edges < edges_left ? edges : edges_left;
        last_items = items;
        pushed = 0;
        if (blockIdx.x == 0 && threadIdx.x == 0)
            ordo_dev_begin_step(f, step, &a.run, items, step, 0);
        /* where depth binds, a test before the atomic is a round trip more */
        const bool thin = !a.racy && items < (ordo_u64)gridDim.x * 64;
        /* all candidates of a step are equal: one atomic improves a cell */
        const bool once = ((int)OP(properties) & ORDO_UNIFORM) && !a.racy;
        ordo_u32 *next = f->list[(step + 1) & 1], *count = &f->turn[(step + 1) % 3].count;
        if (OP(can_settle) && pulling) {
            if (blockIdx.x == 0 && threadIdx.x == 0)
                mine.items += items; /* the frontier is what is processed, whoever looks at it */
            pushed = MY(pull)(&a, &queue, step, &mine);
        } else {
            OP(dev_step)
            (
                &tile, f, &a.rows, a.cells, &a.state, step, &mine,
                [&](ordo_vid item, OP(cell) value, ordo_u64 e) {
                    OP(edge) edge = OP(dev_edge)(&a.rows, e, item, false);
                    mine.edges++;
                    ordo_u32 target = OP(target)(&a.state, edge);
                    const OP(cell) candidate = OP(candidate)(&a.state, value, edge);
                    const bool improved = Locked ? OP(dev_offer_locked)(a.cells, &a.locks, target, candidate)
                                                 : OP(dev_offer)(a.cells, target, candidate, a.racy, thin && !a.racy);
                    if (improved) {
                        mine.useful++;
                        if (OP(activates))
                            pushed += OP(dev_push)(f, &queue, &a.rows, target, step + 1, once);
                    }
                },
                [&] { ordo_dev_flush(&queue, next, count, false); });
        }
        if (OP(can_settle))
            MY(add_edges)(&f->turn[(step + 1) % 3], pushed);
        ordo_dev_flush(&queue, next, count, true);
        grid.sync();
    }
    ordo_dev_publish(a.run.counters, mine);
}

static ordo_status MY(run_job)(ordo_job *job)
{
    ordo_cuda c;
    ordo_status status = ORDO_OK;
    MY(args) a = {};
    const bool locked = job->sync == ORDO_SYNC_LOCK;
    a.direction = (int)job->tunable[BSP_DIRECTION];
    if (a.direction == 2 && !OP(can_settle))
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'bsp' with direction=pull needs an operator that settles vertices; '%s' does not",
                         job->op->name);
    status = ordo_cuda_begin(job, sizeof(OP(cell)), OP(can_settle) && a.direction != 1, &c);
    if (!status)
        status = ordo_cuda_frontier_make(&c, job->universe, c.out.m, &a.frontier);
    if (!status)
        status = OP(cuda_arguments)(&c, &a);
    if (!status && locked)
        status = ordo_cuda_locks_make(&c, true, &a.locks);
    if (!status) {
        a.in = c.in;
        a.alpha = job->tunable[BSP_ALPHA];
        a.beta = job->tunable[BSP_BETA];
        a.universe = job->universe;
        a.racy = job->sync == ORDO_SYNC_RACY;
        void *args[] = {&a};
        const void *kernel = locked ? (const void *)MY(kernel)<true> : (const void *)MY(kernel)<false>;
        status = ordo_cuda_launch(&c, ordo_cuda_kernel(kernel), ORDO_CUDA_THREADS, (int)job->tunable[BSP_BLOCKS], args);
    }
    return ordo_cuda_end(&c, status);
}

ORDO_CUDA_INSTANCE(bsp, MY(run_job), 1u << ORDO_SYNC_ATOMIC | 1u << ORDO_SYNC_RACY | 1u << ORDO_SYNC_LOCK)
#undef MY
