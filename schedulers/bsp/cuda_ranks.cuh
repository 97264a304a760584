/* bsp over several GPUs, a rank each: supersteps of which a rank does the part of its own items.
 *
 * Problem. What cuda.cuh does, where targets may be items of other ranks, and where all ranks must agree on the
 * direction and on the end.
 *
 * Protocol. Pushing, a rank expands its own items, and sends what improves a ghost to its owner
 * (<ordo/detail/cuda/ranks.cuh>). Behind the meeting it takes the messages that have come: those that improve a cell
 * put their items on the list of the next step. A step costs one meeting of all ranks and one barrier of a rank's own
 * grid. With exchange=bulk (<ordo/detail/cuda/bulk.cuh>) ghosts are only marked, and are sent behind one more barrier,
 * so each is one message however often it improves. Cells that sum, and cells of targets that are no items, are always
 * sent so. With exchange=atomic all ranks see each other's cells: what improves a ghost is applied to the owner's cell
 * at once, and sent only if it has improved that, so owners and senders process nothing that another rank has made
 * futile before; else the ghost becomes what the owner has. The message says only that the item is to be listed.
 * Pulling, a rank searches the in-edges of its own vertices for tails on the frontier. The frontier of a step is a
 * bitmap, of which each rank has a copy. The owner of a vertex writes its bit to all copies: while a step pulls, for
 * the next one; or, where the step before has pushed, from the stamps, ahead of one more meeting. Ghosts have no
 * current cells while ranks pull. Their value is known nevertheless: only operators with ORDO_UNIFORM pull over ranks,
 * of which all cells on a frontier are equal, and a rank that has one says it. That is not so any more once a message
 * has found no place in its box, and comes a step late: then all further steps push.
 *
 * Termination. Work is what is on a rank's next list, and messages and spilled ghosts. The run ends behind a meeting at
 * which no rank has any.
 *
 * Memory order. As in cuda.cuh within a rank. Bits of the frontier are stores that a meeting orders, and so are atomics
 * of other ranks' cells: the owner, which takes a message behind the meeting, reads what the sender had made of the
 * cell. Changes of cells are of system scope, so those of several ranks exclude each other; tests of a cell ahead of a
 * change may race with them, and get a value that it had. With exchange=atomic see tests/models/ranks_atomic.pml.
 */
#define bsp_ranks_kernel ORDO_OP_NAME(bsp_ranks_kernel)

enum { bsp_pulls_over_ranks = (int)bsp_pulls && ((int)op_properties & ORDO_UNIFORM) };

/* Whether all exchanges are in bulk. */
enum { bsp_only_bulk = (int)op_order == ORDO_SUM || !op_activates };

typedef struct bsp_ranks_args {
    bsp_args of;
    ordo_cuda_ranks ranks;
} bsp_ranks_args;

/* The words that a rank says. */
enum { BSP_WORK, BSP_EDGES, BSP_HAS, BSP_VALUE, BSP_STOP, BSP_LATE };

/* By a warp of the rank, when all its blocks have arrived: the lane's word, of what is on the list of step `next`. */
ORDO_DEV ordo_u64 bsp_say(const bsp_ranks_args &a, ordo_u32 next)
{
    const ordo_cuda_ranks &r = a.ranks;
    const op_dev_frontier *const f = &a.of.frontier;
    ordo_cuda_superstep_counters *const c = &f->counters[next % 3];
    const ordo_u32 lane = threadIdx.x % 32, count = ordo_dev_load(&c->count), segments = ordo_dev_load(&c->segments);
    ordo_u64 sent = lane < r.count ? ordo_dev_load(&r.words[r.rank]->sent[lane].count) : 0;
    for (int step = 16; step; step /= 2)
        sent += __shfl_xor_sync(~0u, sent, step);
    if (lane == BSP_WORK)
        return (ordo_u64)count + segments + sent + ordo_dev_load(&r.words[r.rank]->spilled);
    if (lane == BSP_EDGES)
        return ordo_dev_load(&c->edges);
    if (lane == BSP_HAS)
        return count || segments;
    if (lane == BSP_STOP)
        return ordo_dev_load(&c->stop);
    if (lane == BSP_LATE)
        return ordo_dev_load(&r.words[r.rank]->spilled);
    ordo_u64 bits = 0;
    if (lane == BSP_VALUE && bsp_pulls_over_ranks && (count || segments)) {
        const ordo_vid item = count ? f->list[next & 1][0] : (ordo_vid)(f->segment[next & 1][0] >> 32);
        const op_cell value = ordo_dev_load(&a.of.cells[item]);
        memcpy(&bits, &value, sizeof value);
    }
    return bits;
}

/* What all ranks together have said. */
typedef struct bsp_agreed {
    ordo_u64 work, edges;
    op_cell value; /* of an item on the next frontier, if `has` */
    bool has, stop;
    bool late; /* messages will come later than they should */
} bsp_agreed;

ORDO_DEV bsp_agreed bsp_agree(const bsp_ranks_args &a, const ordo_cuda_said *said)
{
    bsp_agreed all = {};
    for (ordo_u32 r = 0; r < a.ranks.count; r++) {
        all.work += said[r].word[BSP_WORK];
        all.edges += said[r].word[BSP_EDGES];
        all.stop = all.stop || said[r].word[BSP_STOP];
        all.late = all.late || said[r].word[BSP_LATE];
        if (said[r].word[BSP_HAS] && !all.has) {
            memcpy(&all.value, &said[r].word[BSP_VALUE], sizeof all.value);
            all.has = true;
        }
    }
    return all;
}

/* By a whole warp, whose lanes have consecutive items from a multiple of 32: tells all ranks which of them are on the
 * frontier of `step`. */
ORDO_DEV void bsp_tell(const bsp_ranks_args &a, ordo_u32 item, bool on, ordo_u32 step)
{
    const ordo_u32 bits = __ballot_sync(~0u, on), to = threadIdx.x % 32;
    if (to < a.ranks.count)
        ordo_dev_store(&a.ranks.frontier[step & 1][to][item / 32], bits);
}

/* By the whole grid: calls `each(item, there)` for the rank's own items, by whole warps as bsp_tell expects, and
 * `done()` by whole blocks between. */
template <typename Each, typename Done> ORDO_DEV void bsp_own_items(const bsp_ranks_args &a, Each each, Done done)
{
    const ordo_u32 begin = a.ranks.begin[a.ranks.rank], end = a.ranks.begin[a.ranks.rank + 1];
    for (ordo_u64 first = begin + (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS; first < end;
         first += (ordo_u64)gridDim.x * ORDO_CUDA_THREADS) {
        const ordo_u64 item = first + threadIdx.x;
        if (item / 32 * 32 < end) /* the same in all lanes of a warp */
            each((ordo_u32)item, item < end);
        done();
    }
}

/* By a whole warp: as bsp_find, on the bitmap of the frontier. */
ORDO_DEV ordo_eid bsp_find_over_ranks(const bsp_ranks_args &a, bool there, ordo_vid v, ordo_u32 step,
                                      ordo_cuda_counters *mine)
{
    enum { OWN = 8 };
    const ordo_cuda_rows *const in = &a.of.in;
    ordo_u32 *const frontier = a.ranks.frontier[step & 1][a.ranks.rank];
    const ordo_u32 lane = threadIdx.x & 31;
    const auto offers = [&](ordo_eid e) {
        const ordo_vid tail = __ldg(in->edge + e * in->stride);
        mine->edges++;
        return (ordo_dev_load(&frontier[tail / 32]) >> tail % 32 & 1) && op_filter(&a.of.state, tail);
    };
    ordo_eid e = there ? __ldg(in->row + v) : 0, end = there ? __ldg(in->row + v + 1) : 0, found = in->m;
    for (ordo_eid last = e + OWN < end ? e + OWN : end; e < last && found == in->m; e++)
        if (offers(e))
            found = e;
    for (ordo_u32 open = __ballot_sync(~0u, found == in->m && e < end); open; open &= open - 1) {
        const int owner = __ffs((int)open) - 1;
        const ordo_eid stop = __shfl_sync(~0u, end, owner);
        for (ordo_eid at = __shfl_sync(~0u, e, owner); at < stop; at += 32) {
            const ordo_u32 hits = __ballot_sync(~0u, at + lane < stop && offers(at + lane));
            if (hits) {
                if ((int)lane == owner)
                    found = at + (ordo_u32)__ffs((int)hits) - 1;
                break;
            }
        }
    }
    return found;
}

#if ORDO_OP_ORDER != ORDO_SUM
/* By the whole grid: a step that pulls. `value`: that of the cells on the frontier. */
ORDO_DEV ordo_u64 bsp_pull_over_ranks(const bsp_ranks_args &a, ordo_dev_queue *queue, ordo_u32 step,
                                      const op_cell &value, ordo_cuda_counters *mine)
{
    const op_dev_frontier *const f = &a.of.frontier;
    ordo_u64 pushed = 0;
    bsp_own_items(
        a,
        [&](ordo_u32 v, bool there) {
            there = there && !op_is_final(&a.of.state, v, ordo_dev_load(&a.of.cells[there ? v : 0]));
            const ordo_eid e = bsp_find_over_ranks(a, there, v, step, mine);
            bool on = false;
            if (e < a.of.in.m) {
                const op_cell candidate = op_candidate(&a.of.state, value, op_dev_edge(&a.of.in, e, v, true));
                on = op_better(candidate, ordo_dev_load(&a.of.cells[v]));
                if (on) {
                    ordo_dev_store(&a.of.cells[v], candidate);
                    mine->useful++;
                    pushed += op_dev_push(f, queue, &a.of.rows, v, step + 1, true);
                }
            }
            bsp_tell(a, v, on, step + 1);
        },
        [&] { ordo_dev_flush(queue, f->list[(step + 1) & 1], &f->counters[(step + 1) % 3].count, false); });
    return pushed;
}
#endif

/* By one thread, with exchange=atomic: applies a candidate that has improved the target's ghost to its owner's cell.
 * Returns whether it has improved that; else the ghost becomes at least as good. */
ORDO_DEV bool bsp_improve_owner(const bsp_ranks_args &a, ordo_u32 target, const op_cell &candidate)
{
#if ORDO_OP_ORDER != ORDO_SUM
    op_cell old;
    op_dev_improve((op_cell *)a.ranks.cells_at[ordo_dev_owner(a.ranks, target)], true, target, candidate, &old);
    if (op_better(candidate, old))
        return true;
    op_dev_offer(a.of.cells, target, old, false, true);
#else
    (void)a, (void)target, (void)candidate;
#endif
    return false;
}

/* One function: the parts of a step share the frontier, the buffer and the counters, which stay in registers. Five
 * blocks fit on a multiprocessor, since random accesses to cells bind: with four, rmat 2^24 took 15.2 ms for 14.3 (two
 * H200, exchange=eager). */
template <int Exchange>
static __global__ void __launch_bounds__((ORDO_CUDA_THREADS), 5)
    bsp_ranks_kernel(const __grid_constant__ bsp_ranks_args a)
{
    __shared__ op_dev_tile tile;
    __shared__ ordo_dev_queue queue;
    __shared__ op_dev_outbox outboxes[ORDO_CUDA_THREADS / 32];
    op_dev_outbox *const outbox = &outboxes[threadIdx.x / 32];
    auto grid = cooperative_groups::this_grid();
    const op_dev_frontier *const f = &a.of.frontier;
    const ordo_cuda_ranks &r = a.ranks;
    const bool first_thread = blockIdx.x == 0 && threadIdx.x == 0;
    constexpr bool Bulk = Exchange == BSP_BULK;
    ordo_cuda_counters mine = {};
    ordo_u64 met = 0, edges_left = a.of.rows.m, last_work = 0, pushed = 0;
    bool pulling = false, late = false;         /* the same in all threads of all ranks, from the same words */
    [[maybe_unused]] bool has_frontier = false; /* the same; of steps that pull */
    outbox->count = 0;
    ordo_dev_start(&queue);
#if ORDO_OP_ORDER == ORDO_SUM
    op_dev_empty_ghosts(r, a.of.cells);
#endif
    ordo_dev_meet(r, &met, [] { return (ordo_u64)0; }); /* all kernels run */
    const ordo_u64 began = ordo_dev_clock();
    for (ordo_u64 first = (ordo_u64)blockIdx.x * ORDO_CUDA_THREADS; first < a.of.run.initial_count;
         first += (ordo_u64)gridDim.x * ORDO_CUDA_THREADS) {
        const ordo_u64 i = first + threadIdx.x;
        const ordo_item item = i < a.of.run.initial_count ? ordo_dev_initial(&a.of.run, i) : 0;
        if (i < a.of.run.initial_count && ordo_dev_owns(r, item))
            pushed += op_dev_push(f, &queue, &a.of.rows, item, 1, false);
        ordo_dev_flush(&queue, f->list[1], &f->counters[1].count, false);
    }
    ordo_dev_flush(&queue, f->list[1], &f->counters[1].count, true);
    bsp_add_edges(&f->counters[1], pushed);
    for (ordo_u32 step = 1;; step++) {
        /* what ranks have for this step; the messages of the step before are part of it */
        const ordo_cuda_said *const said = ordo_dev_meet(r, &met, [&] { return bsp_say(a, step); });
        const bsp_agreed all = bsp_agree(a, said);
        if (all.work == 0 || all.stop)
            break;
        late = late || all.late;
        op_dev_receive(
            r, met, said,
            [&](ordo_u32 item, op_cell value) {
                if (Exchange == BSP_REMOTE) {
                    op_dev_push(f, &queue, &a.of.rows, item, step, false);
                } else if (op_dev_apply(&a.of.state, a.of.cells, item, &value, false, false)) {
                    mine.useful++;
                    if (op_activates)
                        op_dev_push(f, &queue, &a.of.rows, item, step, false);
                }
            },
            [&] { ordo_dev_flush(&queue, f->list[step & 1], &f->counters[step % 3].count, false); });
        ordo_dev_flush(&queue, f->list[step & 1], &f->counters[step % 3].count, true);
        grid.sync();
        if (Bulk && first_thread)
            ordo_dev_store(&r.words[r.rank]->spilled, (ordo_u64)0); /* those have marks, too */
        if (bsp_pulls_over_ranks && a.of.direction != BSP_PUSH)
            pulling = all.has && !late &&
                      (a.of.direction == BSP_PULL ? step > 1
                       : pulling ? all.work >= last_work || (double)all.work > (double)a.of.num_items / a.of.beta
                                 : (double)all.edges > (double)edges_left / a.of.alpha);
        edges_left -= all.edges < edges_left ? all.edges : edges_left;
        last_work = all.work;
        const ordo_cuda_superstep_counters *const counters = &f->counters[step % 3];
        const ordo_u64 items = (ordo_u64)counters->count + counters->segments;
        if (ordo_dev_reports())
            ordo_dev_begin_step(f, step, &a.of.run, items, step, 0);
        pushed = 0;
#if ORDO_OP_ORDER != ORDO_SUM
        if (bsp_pulls_over_ranks && pulling) {
            if (!has_frontier) {
                bsp_own_items(
                    a,
                    [&](ordo_u32 v, bool there) {
                        bsp_tell(a, v, there && ordo_dev_load(&f->stamp[there ? v : 0]) == step, step);
                    },
                    [] {});
                ordo_dev_meet(r, &met, [] { return (ordo_u64)0; });
            }
            if (first_thread)
                mine.items += items;
            pushed = bsp_pull_over_ranks(a, &queue, step, all.value, &mine);
        } else
#endif
        {
            if (!Bulk && ordo_dev_load(&r.words[r.rank]->spilled))
                op_dev_send_spilled(r, met, a.of.cells, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
            const bool latency_bound = items < (ordo_u64)gridDim.x * 64;
            const bool once = ((int)op_properties & ORDO_UNIFORM) && !late;
            op_dev_step(
                &tile, f, &a.of.rows, a.of.cells, &a.of.state, step, &mine,
                [&](ordo_vid item, op_taken value, ordo_u64 e) {
                    const op_edge edge = op_dev_edge(&a.of.rows, e, item, false);
                    mine.edges++;
                    const ordo_u32 target = op_target(&a.of.state, edge);
                    op_cell candidate = op_candidate(&a.of.state, value, edge);
                    if (Bulk && !op_dev_owns_target(r, target)) {
                        if (op_dev_apply_ghost(&a.of.state, a.of.cells, target, candidate, latency_bound)) {
                            mine.useful++;
                            op_dev_mark(r, target);
                        }
                        return;
                    }
                    if (!op_dev_apply(&a.of.state, a.of.cells, target, &candidate, false, latency_bound))
                        return;
                    mine.useful++;
                    if (Bulk ? (bool)op_activates : ordo_dev_owns(r, target))
                        pushed += op_dev_push(f, &queue, &a.of.rows, target, step + 1, once);
                    else if (!Bulk && (Exchange != BSP_REMOTE || bsp_improve_owner(a, target, candidate)))
                        op_dev_post(r, met, outbox, target, candidate);
                },
                [&] { ordo_dev_flush(&queue, f->list[(step + 1) & 1], &f->counters[(step + 1) % 3].count, false); },
                [](ordo_u32) {}, NULL,
                [&] {
                    if (!Bulk)
                        op_dev_dispatch(r, met, outbox, false);
                });
            if (Bulk) {
                grid.sync();
                op_dev_send_marked(r, met, a.of.cells, outbox);
            } else {
                op_dev_dispatch(r, met, outbox, true);
            }
        }
        has_frontier = pulling;
        bsp_add_edges(&f->counters[(step + 1) % 3], pushed);
        ordo_dev_flush(&queue, f->list[(step + 1) & 1], &f->counters[(step + 1) % 3].count, true);
    }
    if (first_thread)
        r.words[r.rank]->nanoseconds = ordo_dev_clock() - began;
    ordo_dev_publish(a.of.run.counters, mine);
}

/* How the run exchanges. Where all candidates of a superstep are equal no cell improves twice, and what is not applied
 * at once costs least (bfs, rmat 2^24, two H200: eager .78 ms, atomic .86). Else atomically: an owner never works with
 * what another rank has made futile (bellman-ford, one, two, four: rmat 2^24 19.0, 12.5, 8.5 ms, eager 14.1, 9.4 on two
 * and four; uniform 2^24 50.0, 36.0, 19.1, in bulk 39.1, 25.4). */
static int bsp_exchange(const ordo_job *job)
{
    const int asked = (int)job->tunable[BSP_EXCHANGE];
    if (bsp_only_bulk)
        return BSP_BULK;
    if (asked != BSP_CHOSEN)
        return asked;
    return (int)op_properties & ORDO_UNIFORM ? BSP_EAGER : BSP_REMOTE;
}

/* Ahead of op_cuda_arguments: moves cells to where the others see them, if the run needs it. They have at most 8 bytes,
 * or the run was refused. */
static ordo_status bsp_share_cells(ordo_cuda *c)
{
    return bsp_exchange(c->job) == BSP_REMOTE ? ordo_cuda_ranks_share_cells(c, sizeof(op_cell)) : ORDO_OK;
}

static ordo_status bsp_launch(ordo_cuda *c, bsp_args *of)
{
    bsp_ranks_args a = {*of, {}};
    const bool pulls = bsp_pulls_over_ranks && of->direction != BSP_PUSH;
    const ordo_status status = ordo_cuda_ranks_make(c, sizeof(op_dev_message), pulls, &a.ranks);
    if (status)
        return status;
    void *args[] = {&a};
    const int exchange = bsp_exchange(c->job);
    const void *const kernel = exchange == BSP_BULK ? (const void *)bsp_ranks_kernel<BSP_BULK>
                               : exchange == BSP_EAGER
                                   ? (const void *)bsp_ranks_kernel < bsp_only_bulk ? (int)BSP_BULK : (int)BSP_EAGER >
                               : (const void *)bsp_ranks_kernel < bsp_only_bulk ? (int)BSP_BULK
                                                                                : (int)BSP_REMOTE > ;
    return ordo_cuda_launch(c, ordo_cuda_kernel(kernel), ORDO_CUDA_THREADS, (int)c->job->tunable[BSP_BLOCKS], args);
}
