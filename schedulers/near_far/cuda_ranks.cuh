/* near_far over several GPUs, a rank each: piles of a rank hold its own items, and all ranks have the same threshold.
 *
 * Problem. What cuda.cuh does, where activated items may be those of other ranks, and where all ranks must agree on
 * what a phase is.
 *
 * Protocol. Behind each meeting ranks know how many items are near and far in all of them, the least bucket that was
 * pushed far, and how many messages have been sent (<ordo/detail/cuda/ranks.cuh>). While there are items near,
 * messages, or ghosts that wait, the phase is a superstep: a rank first takes the messages that have come for it, which
 * put items into this phase's near pile or into the far pile, and then expands the near pile. Otherwise it is a split
 * of all far piles, by a threshold that all compute from the same words. No message comes in a split, since none was
 * sent in the phase before.
 *
 * Termination. No rank has an item in a pile, a message or a ghost that waits.
 *
 * Memory order. As in cuda.cuh within a rank, with a meeting in place of the barrier between phases, and a barrier of
 * the rank's own grid between taking messages and expanding what they have made near.
 */
#define near_far_ranks_kernel ORDO_OP_NAME(near_far_ranks_kernel)

typedef struct near_far_ranks_args {
    near_far_args of;
    ordo_cuda_ranks ranks;
} near_far_ranks_args;

/* The words that a rank says. Those of a bucket are inverted, so that 0 means none. */
enum { NEAR_FAR_NEAR, NEAR_FAR_FAR, NEAR_FAR_LOWEST, NEAR_FAR_STOP };

/* What all ranks together have said. */
typedef struct near_far_agreed {
    ordo_u64 near, far, lowest, stop;
} near_far_agreed;

/* By a warp of the rank, when all its blocks have arrived: the lane's word, for phase `number` and the far pile of
 * `epoch`. */
ORDO_DEV ordo_u64 near_far_say(const near_far_ranks_args &a, ordo_u32 number, ordo_u32 epoch)
{
    ordo_cuda_superstep_counters *const c = &a.of.frontier.counters[number % 3];
    ordo_cuda_words *const own = a.ranks.words[a.ranks.rank];
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_u64 sent = lane < a.ranks.count ? ordo_dev_load(&own->sent[lane].count) : 0;
    for (int step = 16; step; step /= 2)
        sent += __shfl_xor_sync(~0u, sent, step);
    return lane == NEAR_FAR_NEAR
               ? (ordo_u64)ordo_dev_load(&c->count) + ordo_dev_load(&c->segments) + sent + ordo_dev_load(&own->spilled)
           : lane == NEAR_FAR_FAR    ? ordo_dev_load(&a.of.epoch[epoch % 3].count)
           : lane == NEAR_FAR_LOWEST ? ordo_dev_load(&a.of.epoch[epoch % 3].lowest)
           : lane == NEAR_FAR_STOP   ? ordo_dev_load(&c->stop)
                                     : 0;
}

ORDO_DEV near_far_agreed near_far_agree(const ordo_cuda_ranks &r, const ordo_cuda_said *said)
{
    near_far_agreed all = {};
    for (ordo_u32 i = 0; i < r.count; i++) {
        const ordo_u64 lowest = ordo_dev_said_word(said[i], NEAR_FAR_LOWEST);
        all.near += ordo_dev_said_word(said[i], NEAR_FAR_NEAR);
        all.far += ordo_dev_said_word(said[i], NEAR_FAR_FAR);
        all.lowest = lowest > all.lowest ? lowest : all.lowest;
        all.stop |= ordo_dev_said_word(said[i], NEAR_FAR_STOP);
    }
    return all;
}

/* By the whole grid, behind meeting `met` at which ranks said `said`: offers the messages that have come, and puts what
 * they improve into the piles of phase `p`. Ends with a barrier of the grid. */
ORDO_DEV void near_far_receive(const near_far_ranks_args &a, const near_far_phase &p, ordo_u64 met,
                               const ordo_cuda_said *said, ordo_cuda_counters *mine)
{
    near_far_phase before = p; /* what a phase pushes near is for the one behind it */
    before.number--;
    op_dev_receive(
        a.ranks, met, said,
        [&](ordo_u32 item, op_cell value) {
            if (!op_dev_apply(&a.of.state, a.of.cells, item, &value, false, false))
                return;
            mine->useful++;
            near_far_push(&a.of, &before, item, value);
        },
        [&] {
            near_far_flush_near(&a.of, &before, false);
            near_far_flush_far(&a.of, &before, false);
        });
    near_far_flush_near(&a.of, &before, true);
    cooperative_groups::this_grid().sync();
}

/* By the whole grid: a superstep, behind meeting `met`. */
ORDO_DEV void near_far_expand(const near_far_ranks_args &a, const near_far_phase &p, ordo_u64 met,
                              op_dev_outbox *outbox, ordo_cuda_counters *mine)
{
    __shared__ op_dev_tile tile;
    const ordo_cuda_ranks &r = a.ranks;
    if (ordo_dev_load(&r.words[r.rank]->spilled))
        op_dev_send_spilled(r, met, a.of.cells, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
    op_dev_step(
        &tile, &a.of.frontier, &a.of.rows, a.of.cells, &a.of.state, p.number, mine,
        [&](ordo_vid item, op_cell value, ordo_u64 e) {
            const op_edge edge = op_dev_edge(&a.of.rows, e, item, false);
            mine->edges++;
            const ordo_u32 target = op_target(&a.of.state, edge);
            op_cell candidate = op_candidate(&a.of.state, value, edge);
            if (!op_dev_apply(&a.of.state, a.of.cells, target, &candidate, false, false))
                return;
            mine->useful++;
            if (ordo_dev_owns(r, target))
                near_far_push(&a.of, &p, target, candidate);
            else
                op_dev_post(r, met, outbox, target, candidate);
        },
        [&] {
            near_far_flush_near(&a.of, &p, false);
            near_far_flush_far(&a.of, &p, false);
        },
        [](ordo_u32) {}, NULL, [&] { op_dev_dispatch(r, met, outbox, false); });
    op_dev_dispatch(r, met, outbox, true);
}

static __global__ void __launch_bounds__((ORDO_CUDA_THREADS), 4)
    near_far_ranks_kernel(const __grid_constant__ near_far_ranks_args a)
{
    __shared__ near_far_queue near;
    __shared__ ordo_dev_queue far;
    __shared__ op_dev_outbox outboxes[ORDO_CUDA_THREADS / 32];
    op_dev_outbox *const outbox = &outboxes[threadIdx.x / 32];
    const ordo_cuda_ranks &r = a.ranks;
    const bool first_thread = blockIdx.x == 0 && threadIdx.x == 0;
    ordo_cuda_counters mine = {};
    ordo_u64 lowest = 0, met = 0;
    near_far_phase p = {&near, &far, 0, 1, 0, &lowest};
    outbox->count = 0;
    ordo_dev_start(&near);
    ordo_dev_start(&far);
    ordo_dev_meet(r, &met, [] { return (ordo_u64)0; }); /* all kernels run */
    const ordo_u64 began = ordo_dev_clock();
    near_far_initial(&a.of, &p, [&](ordo_item item) { return ordo_dev_owns(r, item); });
    for (p.number = 1;; p.number++) {
        const ordo_cuda_said *const said = ordo_dev_meet(r, &met, [&] { return near_far_say(a, p.number, p.epoch); });
        const near_far_agreed all = near_far_agree(r, said);
        if ((all.near == 0 && all.far == 0) || all.stop)
            break;
        lowest = 0;
        if (all.near) {
            near_far_receive(a, p, met, said, &mine);
            if (ordo_dev_reports())
                ordo_dev_begin_step(&a.of.frontier, p.number, &a.of.run, all.near + all.far, p.threshold, a.of.delta);
            near_far_expand(a, p, met, outbox, &mine);
        } else {
            if (ordo_dev_reports())
                ordo_dev_begin_step(&a.of.frontier, p.number, &a.of.run, all.far, p.threshold, a.of.delta);
            near_far_split(&a.of, &p, ~all.lowest, &mine);
        }
        near_far_flush_far(&a.of, &p, true);
        near_far_publish_lowest(&a.of.epoch[p.epoch % 3], lowest);
        near_far_flush_near(&a.of, &p, true);
    }
    if (first_thread)
        r.words[r.rank]->nanoseconds = ordo_dev_clock() - began;
    ordo_dev_publish(a.of.run.counters, mine);
}

static ordo_status near_far_launch(ordo_cuda *c, near_far_args *of, int blocks)
{
    near_far_ranks_args a = {*of, {}};
    const ordo_status status = ordo_cuda_ranks_make(c, sizeof(op_dev_message), false, &a.ranks);
    if (status)
        return status;
    void *args[] = {&a};
    return ordo_cuda_launch(c, ordo_cuda_kernel((const void *)near_far_ranks_kernel), ORDO_CUDA_THREADS, blocks, args);
}
