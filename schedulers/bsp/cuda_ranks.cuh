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
 * sent so. With exchange=atomic all ranks see each other's cells: what improves a ghost is collected as messages are,
 * and before it is sent the lanes of a warp apply it to the owners' cells, all at once, since each waits for the link.
 * It is sent only if it has improved the owner's cell, so owners and senders process nothing that another rank has made
 * futile before; else the ghost becomes what the owner has. The message says only that the item is to be listed.
 * Pulling (cuda_pull.cuh), a rank searches the in-edges of its own items for tails on the frontier, and writes the bits
 * of those that it finds to all ranks' copies of the next frontier. There is nothing else to send. Where the step
 * before has pushed, bits are made from the list, ahead of one more meeting. Ghosts have no current cells while ranks
 * pull. Their value is known nevertheless: only operators with ORDO_UNIFORM pull over ranks, of which all cells on a
 * frontier are equal, and a rank that has one says it. That is not so any more once a message has found no place in its
 * box, and comes a step late: then all further steps push.
 *
 * Termination. Work is what is on a rank's next list, and messages and spilled ghosts. The run ends behind a meeting at
 * which no rank has any.
 *
 * Memory order. As in cuda.cuh within a rank; bits: see cuda_part.cuh. Atomics of other ranks' cells are ordered by the
 * meeting: the owner, which takes a message behind it, reads what the sender had made of the cell. Changes of cells are
 * of system scope, so those of several ranks exclude each other; tests of a cell ahead of a change may race with them,
 * and get a value that it had. With exchange=atomic see tests/models/ranks_atomic.pml.
 */
#define bsp_ranks_kernel ORDO_OP_NAME(bsp_ranks_kernel)

enum { bsp_pulls_over_ranks = (int)bsp_pulls && ((int)op_properties & ORDO_UNIFORM) };

/* Whether all exchanges are in bulk. */
enum { bsp_only_bulk = (int)op_order == ORDO_SUM || !op_activates };

/* The words that a rank says. */
enum { BSP_WORK, BSP_EDGES, BSP_HAS, BSP_VALUE, BSP_STOP, BSP_LATE };

/* By a warp of the rank, when all its blocks have arrived: the lane's word, of what is on the frontier of step `next`.
 * `bits`: that has bits, and no list. */
ORDO_DEV ordo_u64 bsp_say(const bsp_args &a, ordo_u32 next, bool bits)
{
    const ordo_cuda_ranks &r = a.ranks;
    const op_dev_frontier *const f = &a.frontier;
    ordo_cuda_superstep_counters *const c = &f->counters[next % 3];
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_u32 count = ordo_dev_load(bits ? &a.bits.found[next % 3 * ORDO_CUDA_LINE] : &c->count);
    const ordo_u32 segments = ordo_dev_load(&c->segments);
    ordo_u64 sent = lane < r.count ? ordo_dev_load(&r.words[r.rank]->sent[lane].count) : 0;
    for (int step = 16; step; step /= 2)
        sent += __shfl_xor_sync(~0u, sent, step);
    if (lane == BSP_WORK)
        return (ordo_u64)count + segments + sent + ordo_dev_load(&r.words[r.rank]->spilled);
    if (lane == BSP_EDGES)
        return ordo_dev_load(&c->edges);
    if (lane == BSP_HAS)
        return (ordo_u64)count + segments;
    if (lane == BSP_STOP)
        return ordo_dev_load(&c->stop);
    if (lane == BSP_LATE)
        return ordo_dev_load(&r.words[r.rank]->spilled);
    ordo_u64 word = 0;
    if (lane == BSP_VALUE && bsp_pulls_over_ranks && (count || segments)) {
        const ordo_vid item = bits    ? ordo_dev_load(a.some)
                              : count ? f->list[next & 1][0]
                                      : (ordo_vid)(f->segment[next & 1][0] >> 32);
        const op_cell value = ordo_dev_load(&a.cells[item]);
        memcpy(&word, &value, sizeof value);
    }
    return word;
}

/* What all ranks together have said. */
typedef struct bsp_agreed {
    ordo_u64 work;
    ordo_u64 has;   /* of these: on the next frontier, not in messages */
    ordo_u64 edges; /* those of the items, as many for each message as for each of the others */
    op_cell value;  /* of an item on the next frontier, if `has` */
    bool stop;
    bool late; /* messages will come later than they should */
} bsp_agreed;

ORDO_DEV bsp_agreed bsp_agree(const bsp_args &a, const ordo_cuda_said *said)
{
    bsp_agreed all = {};
    for (ordo_u32 r = 0; r < a.ranks.count; r++) {
        all.work += ordo_dev_said_word(said[r], BSP_WORK);
        all.edges += ordo_dev_said_word(said[r], BSP_EDGES);
        all.stop = all.stop || ordo_dev_said_word(said[r], BSP_STOP);
        all.late = all.late || ordo_dev_said_word(said[r], BSP_LATE);
        if (ordo_dev_said_word(said[r], BSP_HAS) && !all.has)
            memcpy(&all.value, &said[r].word[BSP_VALUE], sizeof all.value);
        all.has += ordo_dev_said_word(said[r], BSP_HAS);
    }
    if (all.has && all.has < all.work)
        all.edges = (ordo_u64)((double)all.edges * (double)all.work / (double)all.has);
    return all;
}

/* By one thread, with exchange=atomic: applies what has improved a ghost to the cell of its owner, rank `to`. Returns
 * whether it has improved that; else the ghost becomes at least as good. */
ORDO_DEV bool bsp_improve_owner(const bsp_args &a, ordo_u32 to, const op_dev_message &m)
{
#if ORDO_OP_ORDER != ORDO_SUM
    op_cell old;
    op_dev_improve((op_cell *)a.ranks.cells_at[to], true, m.item, m.value, &old);
    if (op_better(m.value, old))
        return true;
    op_dev_offer(a.cells, m.item, old, false, true);
#else
    (void)a, (void)to, (void)m;
#endif
    return false;
}

/* One function: the parts of a step share the frontier, the buffer and the counters, which stay in registers. Five
 * blocks fit on a multiprocessor, since random accesses to cells bind: with four, rmat 2^24 took 15.2 ms for 14.3 (two
 * H200, exchange=eager). */
template <int Exchange, bool Led>
static __global__ void __launch_bounds__((BSP_DEV_THREADS), bsp_blocks(bsp_pulls_over_ranks ? 4 : 5))
    bsp_ranks_kernel(const __grid_constant__ bsp_args a)
{
    __shared__ bsp_tile tile;
    alignas(8) __shared__ bsp_queue queue;
    __shared__ op_dev_outbox outboxes[BSP_DEV_THREADS / 32];
    op_dev_outbox *const outbox = &outboxes[threadIdx.x / 32];
    auto grid = cooperative_groups::this_grid();
    const op_dev_frontier *const f = &a.frontier;
    const ordo_cuda_ranks &r = a.ranks;
    const bool first_thread = blockIdx.x == 0 && threadIdx.x == 0;
    constexpr bool Bulk = Exchange == BSP_BULK;
    __shared__ ordo_u64 edges_left[2], last_work[2]; /* before a step, by its parity */
    bsp_counters<false> mine = {};
    ordo_u64 met = 0, pushed = 0;
    /* the same in all threads of all ranks, from the same words. `bits`: the frontier has bits, and no list */
    bool late = false, bits = false;
    outbox->count = 0;
    if (threadIdx.x == 0) {
        edges_left[1] = a.rows.m;
        last_work[1] = 0;
    }
    ordo_dev_start(&queue);
#if ORDO_OP_ORDER == ORDO_SUM
    op_dev_empty_ghosts(r, a.cells);
#endif
    ordo_dev_meet(r, &met, [] { return (ordo_u64)0; }); /* all kernels run */
    const ordo_u64 began = ordo_dev_clock();
    for (ordo_u64 first = (ordo_u64)blockIdx.x * BSP_DEV_THREADS; first < a.run.initial_count;
         first += (ordo_u64)gridDim.x * BSP_DEV_THREADS) {
        const ordo_u64 i = first + threadIdx.x;
        const ordo_item item = i < a.run.initial_count ? ordo_dev_initial(&a.run, i) : 0;
        if (i < a.run.initial_count && ordo_dev_owns(r, item))
            pushed += op_dev_push(f, &queue, &a.rows, item, 1, false);
        ordo_dev_flush(&queue, f, 1, false);
    }
    ordo_dev_flush(&queue, f, 1, true);
    bsp_add_edges(&f->counters[1], pushed);
    for (ordo_u32 step = 1;; step++) {
        /* what ranks have for this step; the messages of the step before are part of it */
        const ordo_cuda_said *const said = ordo_dev_meet(r, &met, [&] {
            if (bits)
                ordo_dev_carry(r, met, step & 1);
            return bsp_say(a, step, bits);
        });
        const bsp_agreed all = bsp_agree(a, said);
        if (all.work == 0 || all.stop)
            break;
        late = late || all.late;
        if (!bits) { /* else nothing was sent */
            op_dev_receive(
                r, met, said,
                [&](ordo_u32 item, op_cell value) {
                    if (Exchange == BSP_REMOTE) {
                        op_dev_push(f, &queue, &a.rows, item, step, false);
                    } else if (op_dev_apply(&a.state, a.cells, item, &value, false, false)) {
                        mine.useful++;
                        if (op_activates)
                            op_dev_push(f, &queue, &a.rows, item, step, false);
                    }
                },
                [&] { ordo_dev_flush(&queue, f, step, false); });
            ordo_dev_flush(&queue, f, step, true);
            grid.sync();
        }
        if (Bulk && first_thread)
            ordo_dev_store(&r.words[r.rank]->spilled, (ordo_u64)0); /* those have marks, too */
        [[maybe_unused]] bool pulling = false;
        if (bsp_pulls_over_ranks && a.direction != BSP_PUSH) {
            const ordo_u64 left = edges_left[step & 1], last = last_work[step & 1];
            pulling =
                all.has && !late &&
                (a.direction == BSP_PULL ? step > 1
                 : bits                  ? all.work >= last || (double)all.work > (double)a.num_items / a.beta
                                         : (double)all.edges > (double)left / a.alpha && all.work > BSP_GROWTH * last);
            if (threadIdx.x == 0) { /* read behind the next meeting */
                edges_left[(step + 1) & 1] = left - (all.edges < left ? all.edges : left);
                last_work[(step + 1) & 1] = all.work;
            }
        }
        const ordo_cuda_superstep_counters *const counters = &f->counters[step % 3];
        const ordo_u64 items =
            bits ? a.bits.found[step % 3 * ORDO_CUDA_LINE] : (ordo_u64)counters->count + counters->segments;
        if (ordo_dev_reports()) {
            ordo_dev_begin_step(f, step, &a.run, items, step, 0);
            if (a.bits.found)
                a.bits.found[(step + 2) % 3 * ORDO_CUDA_LINE] = a.bits.pieces[(step + 2) % 3 * ORDO_CUDA_LINE] = 0;
        }
        pushed = 0;
#if ORDO_OP_ORDER != ORDO_SUM
        const bool turns = bsp_pulls_over_ranks && bits != pulling;
        if (turns && pulling) {
            bsp_list_to_bits(&a, step, true);
            bsp_publish_own(&a, step);
            ordo_dev_meet(r, &met, [&] {
                ordo_dev_carry(r, met, step & 1);
                return (ordo_u64)0;
            });
        } else if (turns) {
            bsp_bits_to_list(&a, &queue, step);
        }
        bits = pulling;
        if (bsp_pulls_over_ranks && pulling) {
            if (first_thread)
                mine.items += items;
            bsp_pulled sum = {};
            sum.knows = true;
            sum.value = all.value;
            bsp_pull<Led, false>(&a, (bsp_pull_space *)queue.held, step, turns, sum, &mine);
            ordo_dev_publish_large(a.run.counters, &mine);
            continue;
        } else
#endif
        {
            if (!Bulk && ordo_dev_load(&r.words[r.rank]->spilled))
                op_dev_send_spilled(r, met, a.cells, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
            const bool latency_bound = items < (ordo_u64)gridDim.x * bsp_few;
            const bool once = ((int)op_properties & ORDO_UNIFORM) && !late;
            auto goes = [&](ordo_u32 to, const op_dev_message &m) {
                return Exchange != BSP_REMOTE || bsp_improve_owner(a, to, m);
            };
            op_dev_step(
                &tile, f, &a.rows, a.cells, &a.state, step, &mine,
                [&](ordo_vid item, op_taken value, ordo_u64 e) {
                    const op_edge edge = op_dev_edge(&a.rows, e, item, false);
                    mine.edges++;
                    const ordo_u32 target = op_target(&a.state, edge);
                    op_cell candidate = op_candidate(&a.state, value, edge);
                    if (Bulk && !op_dev_owns_target(r, target)) {
                        if (op_dev_apply_ghost(&a.state, a.cells, target, candidate, latency_bound)) {
                            mine.useful++;
                            op_dev_mark(r, target);
                        }
                        return;
                    }
                    if (!op_dev_apply(&a.state, a.cells, target, &candidate, false, latency_bound))
                        return;
                    mine.useful++;
                    if (Bulk ? (bool)op_activates : ordo_dev_owns(r, target))
                        pushed += op_dev_push(f, &queue, &a.rows, target, step + 1, once);
                    else if (!Bulk)
                        op_dev_post_if(r, met, outbox, target, candidate, goes);
                },
                [&] { ordo_dev_flush(&queue, f, step + 1, false); }, [](ordo_u32) {}, NULL,
                [&] {
                    if (!Bulk)
                        op_dev_dispatch_if(r, met, outbox, false, goes);
                });
            if (Bulk) {
                grid.sync();
                op_dev_send_marked(r, met, a.cells, outbox);
            } else {
                op_dev_dispatch_if(r, met, outbox, true, goes);
            }
        }
        bsp_add_edges(&f->counters[(step + 1) % 3], pushed);
        ordo_dev_publish_large(a.run.counters, &mine);
        ordo_dev_flush(&queue, f, step + 1, true);
    }
    if (first_thread)
        r.words[r.rank]->nanoseconds = ordo_dev_clock() - began;
    ordo_dev_publish(a.run.counters, mine);
}

/* How the run exchanges. Where all candidates of a superstep are equal no cell improves twice, and what is not applied
 * at once costs least (bfs, rmat 2^24, two H200: eager .78 ms, atomic .86). Else atomically: an owner never works with
 * what another rank has made futile (bellman-ford, one, two, four: rmat 2^24 19.0, 12.5, 8.5 ms, eager 14.1, 9.4 on two
 * and four; uniform 2^24 50.0, 36.0, 19.1, in bulk 39.1, 25.4). Where GPUs do not see each other's memory, messages
 * leave behind the superstep anyway, so the fewest are best. */
static ordo_status bsp_exchange(const ordo_job *job, int *out)
{
    const int asked = (int)job->tunable[BSP_EXCHANGE];
    bool all = true;
    *out = bsp_only_bulk ? (int)BSP_BULK : asked == BSP_CHOSEN ? (int)BSP_REMOTE : asked;
    if (!bsp_only_bulk && asked == BSP_CHOSEN && (int)op_properties & ORDO_UNIFORM)
        *out = BSP_EAGER;
    const ordo_status status = *out == BSP_REMOTE ? ordo_cuda_ranks_see(job->remote, &all) : ORDO_OK;
    if (status || all)
        return status;
    *out = BSP_BULK;
    return asked == BSP_CHOSEN
               ? ORDO_OK
               : ordo_fail(ORDO_ERR_UNSOUND, "scheduler 'bsp': exchange=atomic needs GPUs that see each "
                                             "other's memory, expected eager or bulk");
}

/* Ahead of op_cuda_arguments: moves cells to where the others see them, if the run needs it. They have at most 8 bytes,
 * or the run was refused. */
static ordo_status bsp_share_cells(ordo_cuda *c)
{
    int exchange;
    const ordo_status status = bsp_exchange(c->job, &exchange);
    return status || exchange != BSP_REMOTE ? status : ordo_cuda_ranks_share_cells(c, sizeof(op_cell));
}

#if ORDO_OP_ORDER != ORDO_SUM
/* What steps that pull need besides what all ranks see. */
static ordo_status bsp_own_bits_make(ordo_cuda *c, bsp_args *a)
{
    const ordo_csr *const in = c->job->in ? c->job->in : c->job->out;
    const ordo_cuda_ranks *const r = &a->ranks;
    for (int i = 0; i < 2; i++)
        a->bits.frontier[i] = r->frontier[i][r->rank];
    if (!(a->some = (ordo_u32 *)ordo_cuda_alloc(c, 1, sizeof(ordo_u32), true)))
        return ORDO_ERR_MEMORY;
    return bsp_bits_make(c, a->num_items, in->row[r->first + r->owned] - in->row[r->first], &a->bits);
}
#endif

static ordo_status bsp_launch(ordo_cuda *c, bsp_args *a)
{
    const bool pulls = bsp_pulls_over_ranks && a->direction != BSP_PUSH;
    int exchange;
    ordo_status status = bsp_exchange(c->job, &exchange);
    if (!status)
        status = ordo_cuda_ranks_make(c, sizeof(op_dev_message), pulls, &a->ranks);
#if ORDO_OP_ORDER != ORDO_SUM
    if (!status && pulls)
        status = bsp_own_bits_make(c, a);
#endif
    if (status)
        return status;
    void *args[] = {a};
    enum {
        LED = bsp_pulls_over_ranks,
        EAGER = bsp_only_bulk ? (int)BSP_BULK : (int)BSP_EAGER,
        REMOTE = bsp_only_bulk ? (int)BSP_BULK : (int)BSP_REMOTE
    };
    const int row = exchange == BSP_BULK ? 0 : exchange == BSP_EAGER ? 1 : 2;
    const void *const kernels[3][2] = {
        {(const void *)bsp_ranks_kernel<BSP_BULK, false>, (const void *)bsp_ranks_kernel<BSP_BULK, LED>},
        {(const void *)bsp_ranks_kernel<EAGER, false>, (const void *)bsp_ranks_kernel<EAGER, LED>},
        {(const void *)bsp_ranks_kernel<REMOTE, false>, (const void *)bsp_ranks_kernel<REMOTE, LED>},
    };
    const void *const kernel = kernels[row][a->bits.leading != NULL];
    return ordo_cuda_launch(c, ordo_cuda_kernel(kernel), BSP_DEV_THREADS, (int)c->job->tunable[BSP_BLOCKS], args);
}
