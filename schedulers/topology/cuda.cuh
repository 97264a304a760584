/* topology on a GPU: every edge in every round until a whole round changes nothing.
 *
 * Rounds are separated by grid barriers. A round's edges are dealt out in pieces of equal size, whatever rows they
 * belong to, so hubs need no care: a thread finds the row of its first edge by bisection and walks on.
 *
 * Progress and end: see cpu.h; a round that improves no cell (in any block) is the last, and every lost racy store is
 * found again, since the cell that it should have improved is compared once more in the next round. Where nothing is
 * activated and no store is lost, the first round is the last: candidates stay what they are. Pulling reads the
 * in-rows: a vertex is written by the threads that hold its edges, and each compares before it writes.
 *
 * `changed` has three places by turns: a round adds to its own, reads its own after the barrier, and clears the one of
 * the round after next, which nobody has used since the barrier before last.
 */
#include "tunables.h"

#define MY(_part) ORDO_JOIN3(ORDO_OP, _topology_cuda_, _part)

typedef struct MY(args) {
    ordo_cuda_rows rows;
    OP(cell) * cells;
    OP(state) state;
    bool racy, pull;
    ordo_u64 universe;
    ordo_u32 *changed; /* [3], lines apart */
    ordo_u32 *stop;    /* [3], likewise */
    ordo_cuda_run run;
} MY(args);

ORDO_KERNEL(ORDO_CUDA_THREADS) MY(kernel)(const MY(args) a)
{
    enum { LINE = 32, RUN = 8 };
    auto grid = cooperative_groups::this_grid();
    ordo_cuda_counters mine = {};
    const ordo_u64 threads = (ordo_u64)gridDim.x * blockDim.x, me = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x;
    const ordo_u64 edges = a.rows.m;
    for (ordo_u64 round = 1;; round++) {
        ordo_u32 *changed = a.changed + round % 3 * LINE;
        if (me == 0) {
            ordo_dev_sample(a.run.record, a.universe, round, 0, 1, -1);
            a.changed[(round + 1) % 3 * LINE] = 0;
            a.stop[(round + 1) % 3 * LINE] = a.run.mailbox->stop;
            a.run.record->supersteps = round;
            a.run.mailbox->supersteps = round;
            a.run.mailbox->in_flight = a.universe;
            mine.items += a.universe;
        }
        bool any = false;
        for (ordo_u64 begin = me * RUN; begin < edges; begin += threads * RUN) {
            ordo_u64 end = begin + RUN < edges ? begin + RUN : edges;
            ordo_u64 low = 0, high = a.rows.n; /* the row that holds `begin` */
            while (high - low > 1) {
                ordo_u64 middle = low + (high - low) / 2;
                if (__ldg(a.rows.row + middle) <= begin)
                    low = middle;
                else
                    high = middle;
            }
            ordo_vid u = (ordo_vid)low;
            ordo_u64 last = __ldg(a.rows.row + u + 1);
            for (ordo_u64 e = begin; e < end; e++) {
                while (last <= e)
                    last = __ldg(a.rows.row + ++u + 1);
                OP(edge) edge = OP(dev_edge)(&a.rows, e, u, a.pull);
                if (edge.tail >= a.universe || !OP(filter)(&a.state, edge.tail))
                    continue;
                mine.edges++;
                OP(cell) value = OP(dev_cell)(a.cells, edge.tail);
                OP(cell) candidate = OP(candidate)(&a.state, value, edge);
                if (OP(dev_offer)(a.cells, OP(target)(&a.state, edge), candidate, a.racy, false)) {
                    mine.useful++;
                    any = true;
                }
            }
        }
        if (__syncthreads_or(any) && threadIdx.x == 0)
            ordo_dev_store(changed, 1u);
        grid.sync();
        const bool again = ordo_dev_load(changed) && ((int)OP(activates) || a.racy); /* else the first round was all */
        if (!again || ordo_dev_load(a.stop + (round + 1) % 3 * LINE))
            break;
    }
    ordo_dev_publish(a.run.counters, mine);
}

static ordo_status MY(run_job)(ordo_job *job)
{
    enum { LINE = 32 };
    ordo_cuda c;
    MY(args) a = {};
    bool pull = (int)job->tunable[TOPOLOGY_DIRECTION] == 1;
    ordo_status status = ordo_cuda_begin(job, sizeof(OP(cell)), pull, &c);
    ordo_u32 *words = status ? NULL : (ordo_u32 *)ordo_cuda_alloc(&c, 6 * LINE, sizeof *words, true);
    if (!status && !words)
        status = ORDO_ERR_MEMORY;
    if (!status)
        status = OP(cuda_arguments)(&c, &a);
    if (!status) {
        a.rows = pull ? c.in : c.out;
        a.racy = job->sync == ORDO_SYNC_RACY;
        a.pull = pull;
        a.universe = job->universe;
        a.changed = words;
        a.stop = words + 3 * LINE;
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, ordo_cuda_kernel((const void *)MY(kernel)), ORDO_CUDA_THREADS,
                                  (int)job->tunable[TOPOLOGY_BLOCKS], args);
    }
    return ordo_cuda_end(&c, status);
}

ORDO_CUDA_INSTANCE(topology, MY(run_job), 1u << ORDO_SYNC_ATOMIC | 1u << ORDO_SYNC_RACY)
#undef MY
