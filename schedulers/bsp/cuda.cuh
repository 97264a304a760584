/* bsp on a GPU: double-buffered supersteps in one persistent launch, a grid barrier between them.
 *
 * A superstep takes the items of one list in tiles, walks their edges balanced by degree, and pushes what improved to
 * the other list, each item once (ordo_cuda_frontier). It ends with a grid barrier; the run ends when a list is empty,
 * which all blocks see alike since nobody writes a step's words after the barrier before it.
 *
 * Not done: pulling.
 */
#include "schedulers/bsp/tunables.h"

#define MY(_part) ORDO_JOIN3(ORDO_OP, _bsp_cuda_, _part)

typedef struct MY(args) {
    ordo_cuda_rows rows;
    OP(cell) *cells;
    OP(state) state;
    bool racy;
    const ordo_item *initial; /* or NULL: all */
    ordo_u64 initial_count;
    ordo_cuda_frontier frontier;
    ordo_cuda_counters *counters;
    ordo_cuda_record *record;
    ordo_cuda_mailbox *mailbox;
} MY(args);

ORDO_KERNEL(ORDO_CUDA_THREADS) MY(kernel)(const MY(args) a)
{
    __shared__ OP(dev_tile) tile;
    __shared__ ordo_dev_queue queue;
    auto grid = cooperative_groups::this_grid();
    const ordo_cuda_frontier *f = &a.frontier;
    ordo_cuda_counters mine = {};
    ordo_dev_start(&queue);
    const ordo_u64 threads = (ordo_u64)gridDim.x * ORDO_CUDA_THREADS;
    for (ordo_u64 first = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS; first < a.initial_count; first += threads) {
        ordo_u64 i = first + threadIdx.x;
        if (i < a.initial_count)
            OP(dev_push)(f, &queue, &a.rows, a.initial ? a.initial[i] : (ordo_item)i, 1);
        ordo_dev_flush(&queue, f->list[1], &f->turn[1].count, false);
    }
    ordo_dev_flush(&queue, f->list[1], &f->turn[1].count, true);
    grid.sync();
    for (ordo_u32 step = 1;; step++) {
        const ordo_cuda_turn *turn = &f->turn[step % 3];
        if ((turn->count == 0 && turn->segments == 0) || turn->stop)
            break;
        if (blockIdx.x == 0 && threadIdx.x == 0)
            ordo_dev_begin_step(f, step, a.record, a.mailbox, turn->count + turn->segments, step, 0);
        ordo_u32 *next = f->list[(step + 1) & 1], *count = &f->turn[(step + 1) % 3].count;
        OP(dev_step)
        (
            &tile, f, &a.rows, a.cells, &a.state, step, &mine,
            [&](ordo_vid item, OP(cell) value, ordo_u64 e) {
                OP(edge) edge = OP(dev_edge)(&a.rows, e, item, false);
                mine.edges++;
                ordo_u32 target = OP(target)(&a.state, edge);
                if (OP(dev_offer)(a.cells, target, OP(candidate)(&a.state, value, edge), a.racy)) {
                    mine.useful++;
                    if (OP(activates))
                        OP(dev_push)(f, &queue, &a.rows, target, step + 1);
                }
            },
            [&] { ordo_dev_flush(&queue, next, count, false); });
        ordo_dev_flush(&queue, next, count, true);
        grid.sync();
    }
    ordo_dev_publish(a.counters, mine);
}

static ordo_status MY(run_job)(ordo_job *job)
{
    ordo_cuda c;
    ordo_status status = ORDO_OK;
    MY(args) a = {};
    if ((int)job->tunable[BSP_DIRECTION] == 2)
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler 'bsp' on device 'cuda' does not pull in this version");
    status = ordo_cuda_begin(job, sizeof(OP(cell)), false, &c);
    if (!status)
        status = ordo_cuda_frontier_make(&c, job->universe, c.out.m, &a.frontier);
    if (!status) {
        a.rows = c.out;
        a.cells = (OP(cell) *)c.cells;
        a.state = *(const OP(state) *)job->state;
        a.racy = job->sync == ORDO_SYNC_RACY;
        a.initial = c.initial;
        a.initial_count = job->initial_count;
        a.counters = c.counters;
        a.record = c.record;
        a.mailbox = c.mailbox;
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, (const void *)MY(kernel), ORDO_CUDA_THREADS, (int)job->tunable[BSP_BLOCKS], args);
    }
    return ordo_cuda_end(&c, status);
}

ORDO_CUDA_INSTANCE(bsp, MY(run_job), 1u << ORDO_SYNC_ATOMIC | 1u << ORDO_SYNC_RACY)
#undef MY
