/* lock_server on a GPU, relax operators that select, roles=both: every block is client and server; no supersteps.
 *
 * Problem. Between supersteps all blocks wait for the slowest, and a step of few items is too short to be worth its
 * barrier. (Wang, Fussell and Lin, ASPLOS 2019, section 4.1: maximum flow without a worklist of the whole grid.)
 *
 * Data structures. Every block owns cells (owners.cuh), has a ring to which all blocks write (message.cuh), and a
 * worklist of its own: a ring in global memory that no other block reads, with a flag for each item, so that an item is
 * there once and each worklist has places for all items that its block owns.
 *
 * Protocol. A block repeats two parts.
 *   serve    It takes the messages that have arrived. Under a lock in shared memory it compares each candidate with its
 *            cell, and stores the better value. It puts the target on its own worklist, unless the target is there.
 *   expand   It takes up to 512 items of its worklist, first in, first out. It clears their flags, then reads their
 *            cells. It processes their edges in batches, and sends candidates that would improve their targets to the
 *            owners of these targets.
 * A candidate is the activation, too: there is no list of the grid. All blocks put the first entries on the worklists
 * of their owners, ahead of one grid barrier, the only one.
 *
 * No block waits for ever. Only a sender waits, for places in a ring, and it serves its own ring meanwhile. Serving
 * waits for nothing: worklists have places. A reservation is at most a batch, which a ring can hold; so the first
 * reservation of a ring that is not written waits for the owner of that ring alone, which serves, whatever it does
 * otherwise.
 *
 * Termination. By the exact count of both.cuh (C1 to C4): things are messages that are not served and entries of
 * worklists that are not expanded.
 *
 * Memory order. A message is its words, whose laps say that they are there. Cells and worklists are read and written by
 * their own block alone, behind its barriers; clients read cells of others relaxed: an outdated value costs a message
 * and nothing else, since values only improve. tests/models/server_both.pml is a model of the count and of the rings.
 *
 * Not done: sums, and operators that activate nothing; hubs are expanded by the one block that owns them; order by
 * priorities.
 */
#define lock_server_both_kernel ORDO_OP_NAME(lock_server_both_kernel)

typedef struct lock_server_both_args {
    ordo_cuda_rows rows;
    op_cell *cells;
    op_state state;
    server_owners owners;
    server_rings ring;
    server_worklists work;
    ordo_cuda_halt halt;
    ordo_cuda_run run;
} lock_server_both_args;

/* A block's words in shared memory. */
typedef struct lock_server_both_shared {
    ordo_u32 lock[SERVER_LINES];
    lock_server_tile tile;
    ordo_u32 tail; /* of the worklist */
    int verdict, quiet;
} lock_server_both_shared;

/* What all threads of a block know alike. */
typedef struct lock_server_both_block {
    ordo_u32 head; /* of the worklist */
    ordo_u64 credit;
    ordo_u32 *list;
    server_taking taking;
} lock_server_both_block;

/* By one thread that holds the target's lock: offers a candidate, and puts an improved target on the worklist. */
ORDO_DEV void lock_server_both_improve(const lock_server_both_args *a, lock_server_both_shared *s, ordo_u32 *list,
                                       ordo_u32 target, op_cell candidate, server_counters *mine)
{
    if (!op_better(candidate, ordo_dev_load(&a->cells[target])))
        return;
    ordo_dev_store(&a->cells[target], candidate);
    mine->useful++;
    if (ordo_dev_load(&a->work.queued[target]))
        return;
    ordo_dev_store(&a->work.queued[target], 1u);
    ordo_dev_store(&list[ordo_dev_add_block(&s->tail, 1u) & ((1u << a->work.log) - 1)], target);
    mine->activations++;
}

/* By a whole block: serves a part of what has arrived; returns how many messages. C1 */
ORDO_DEV ordo_u32 lock_server_both_serve(const lock_server_both_args *a, lock_server_both_shared *s,
                                         lock_server_both_block *b, server_counters *mine)
{
    ordo_u64 word[lock_server_each][lock_server_words];
    const ordo_u32 before = s->tail; /* the same for all threads: entries are added between barriers below */
    const ordo_u32 count =
        server_take<lock_server_words, lock_server_each>(&a->ring, blockIdx.x, &b->taking, word, false);
    if (!count)
        return 0;
#pragma unroll 1
    for (int k = 0; k < lock_server_each; k++) {
        ordo_u64 now[lock_server_words] = {};
        server_pick(word, k, now);
        bool has = (ordo_u32)k * SERVER_THREADS + threadIdx.x < count;
        op_cell candidate;
        const ordo_u32 target = lock_server_unpack(now, &candidate);
        ordo_u32 *const lock = &s->lock[server_line(target)];
        while (__any_sync(0xffffffffu, has)) /* holders end within the round: no lane waits for another */
            if (has && ordo_dev_lock<true>(lock)) {
                ordo_dev_order<true>();
                lock_server_both_improve(a, s, b->list, target, candidate, mine);
                ordo_dev_order<true>();
                ordo_dev_unlock<true>(lock);
                has = false;
            }
    }
    __syncthreads();
    b->credit += count - (s->tail - before);
    __syncthreads();
    return count;
}

/* By a whole block: processes the edges of a tile in batches. False if the run ends early. */
ORDO_DEV bool lock_server_both_expand(const lock_server_both_args *a, const server_outbox *out,
                                      lock_server_both_shared *s, lock_server_both_block *b, ordo_u32 total,
                                      server_counters *mine, ordo_u32 *rounds)
{
    server_sending sending = {};
    for (ordo_u32 base = 0; base < total; base += lock_server_batch) {
        ordo_u64 word[lock_server_each][lock_server_words] = {};
        ordo_u32 to[lock_server_each];
        const ordo_u32 most = total - base < lock_server_batch ? total - base : (ordo_u32)lock_server_batch;
        lock_server_propose(a, &s->tile, base, total, word, to, mine);
        server_cover(a->work.pending, &b->credit, most);
        b->credit -= server_fill<lock_server_words, lock_server_each>(out, &a->ring, gridDim.x, to, word, &sending);
        while (__syncthreads_or(server_send<lock_server_words>(out, &a->ring, &sending))) {
            lock_server_both_serve(a, s, b, mine);
            if (__syncthreads_or(ordo_dev_told(&a->halt, 1, rounds)))
                return false;
        }
    }
    return true;
}

/* By a whole block: takes items of the worklist into the tile; returns their number, and that of their edges. */
ORDO_DEV ordo_u32 lock_server_both_take(const lock_server_both_args *a, lock_server_both_shared *s,
                                        lock_server_both_block *b, ordo_u32 *total, server_counters *mine)
{
    __shared__ ordo_dev_scan<ordo_u32, SERVER_THREADS> scan;
    const ordo_u32 there = s->tail - b->head, count = there < SERVER_THREADS ? there : (ordo_u32)SERVER_THREADS;
    lock_server_tile *const tile = &s->tile;
    ordo_u32 degree = 0;
    if (!count)
        return 0;
    tile->begin[threadIdx.x] = 0;
    if (threadIdx.x < count) {
        const ordo_vid item = ordo_dev_load(&b->list[(b->head + threadIdx.x) & ((1u << a->work.log) - 1)]);
        ordo_dev_store(&a->work.queued[item], 0u);
        tile->item[threadIdx.x] = item;
        tile->value[threadIdx.x] = op_dev_cell(a->cells, item);
        if (op_filter(&a->state, item)) {
            tile->begin[threadIdx.x] = __ldg(a->rows.row + item);
            degree = (ordo_u32)(__ldg(a->rows.row + item + 1) - tile->begin[threadIdx.x]);
            mine->items++;
        }
    }
    tile->offset[threadIdx.x] = ordo_dev_sum_before(&scan, degree, total);
    b->head += count;
    __syncthreads();
    return count;
}

template <bool Traced>
static __global__ void __launch_bounds__(SERVER_THREADS, (int)lock_server_resident)
    lock_server_both_kernel(const lock_server_both_args a)
{
    ORDO_CUDA_DYNAMIC(ordo_u64, capacity);
    __shared__ ordo_u32 least[3];
    auto grid = cooperative_groups::this_grid();
    const ordo_cuda_traced traced = Traced ? a.run.traced : ordo_cuda_traced{};
    const server_outbox out = server_outbox_at(capacity, gridDim.x);
    lock_server_both_shared *const s =
        (lock_server_both_shared *)(capacity + server_outbox_words(gridDim.x, lock_server_words * lock_server_batch));
    lock_server_both_block b = {0, 0, a.work.list + ((ordo_u64)blockIdx.x << a.work.log), server_taking_begin(least)};
    server_counters mine = {};
    ordo_u32 rounds = 0, idle = 0;
    bool quiet = false; /* an idle block has seen that no place is reserved: it need not look at places */
    for (ordo_u32 i = threadIdx.x; i < SERVER_LINES; i += SERVER_THREADS)
        s->lock[i] = 0;
    if (ordo_live_shows())
        ordo_live_begin(traced, ORDO_BUSY);
    server_begin_worklists(&a.work, &a.owners, &a.run);
    grid.sync();
    if (threadIdx.x == 0)
        s->tail = ordo_dev_load(&a.work.first[blockIdx.x * ORDO_CUDA_LINE]);
    __syncthreads();
    for (;;) {
        ordo_u32 total = 0;
        const ordo_u32 served = quiet ? 0 : lock_server_both_serve(&a, s, &b, &mine);
        const ordo_u32 taken = lock_server_both_take(&a, s, &b, &total, &mine);
        if (taken && !lock_server_both_expand(&a, &out, s, &b, total, &mine, &rounds))
            break;
        b.credit += taken; /* C1 */
        if (served || taken ? idle >= 16 : ++idle == 16)
            ordo_live_state(traced, served || taken ? ORDO_BUSY : ORDO_WAITING);
        idle = served || taken ? 0 : idle;
        if (!served && !taken)
            server_settle(a.work.pending, &b.credit); /* C3 */
        if (threadIdx.x == 0) {                       /* C4 */
            s->verdict =
                ordo_dev_told(&a.halt, 1, &rounds) || (idle % BOTH_LOOK == 1 && !ordo_dev_acquire(a.work.pending));
            s->quiet = idle && ordo_dev_load(&a.ring.write[blockIdx.x * ORDO_CUDA_LINE]) == b.taking.taken;
        }
        __syncthreads();
        const bool ends = s->verdict;
        quiet = s->quiet;
        __syncthreads();
        if (ends)
            break;
    }
    ordo_dev_publish(a.run.counters, server_counted(&mine));
}

/* ---- the host's part ---- */

static ordo_status lock_server_both_refuse(const ordo_job *job)
{
    if (!op_activates)
        return ordo_fail(
            ORDO_ERR_UNSOUND,
            "scheduler 'lock_server' with roles=both on device 'cuda' needs an operator that activates its "
            "targets; '%s' does not",
            job->op->name);
    if ((int)job->tunable[SERVER_FORM] >= 2)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' with roles=both on device 'cuda' has form=plain alone");
    if (job->out->m >> 32)
        return ordo_fail(
            ORDO_ERR_USAGE,
            "scheduler 'lock_server' with roles=both on device 'cuda': %llu edges, expected fewer than 2^32",
            (unsigned long long)job->out->m);
    if (job->tunable[SERVER_RATIO] > 0)
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler 'lock_server' with roles=both has no ratio: every block is both");
    return ORDO_OK;
}

static ordo_status lock_server_run_both(ordo_job *job)
{
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    lock_server_both_args a = {};
    const ordo_contention_sample nothing = {};
    int blocks = 0;
    ordo_u32 all = 0;
    const void *kernel = NULL;
    ordo_status status = lock_server_both_refuse(job);
    if (status)
        return status;
    status = op_cuda_begin(job, &c);
    if (!status) {
        kernel = ordo_cuda_kernel(c.run.traced.live ? (const void *)lock_server_both_kernel<true>
                                                    : (const void *)lock_server_both_kernel<false>);
        status = server_choose_blocks(
            &c, kernel,
            [](ordo_u32 n) {
                return 8 * server_outbox_words(n, (ordo_u32)(lock_server_words * lock_server_batch)) +
                       sizeof(lock_server_both_shared);
            },
            &blocks, &all);
    }
    if (!status)
        status = server_owners_make(&c, server_partition((int)job->tunable[SERVER_PARTITION], &nothing, all), all, 0,
                                    &nothing, &a.owners);
    if (!status)
        status = op_cuda_arguments(&c, &a, &arrays);
    if (!status)
        status = server_worklists_make(&c, all, a.owners.most, job->targets, &a.work);
    if (!status)
        status = ordo_cuda_halt_make(&c, &a.halt);
    if (!status)
        status = server_rings_make(&c, all, server_ring_log(job->tunable[SERVER_RING], (ordo_u32)lock_server_batch),
                                   lock_server_words, &a.ring);
    if (!status) {
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, kernel, SERVER_THREADS, blocks, args);
    }
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}
