/* lock_server on a GPU, relax operators: blocks that own cells, and blocks that send them candidates.
 *
 * Problem. Improve cells without atomics on global memory: each cell has one owner, and no other block writes it (Wang,
 * Fussell and Lin, ASPLOS 2019).
 *
 * Data structures. Each server has a ring of messages (message.cuh) and owns cells (owners.cuh). A message is 8 bytes,
 * target and candidate, or 16 for cells of 64 bits. Cells stay in global memory.
 *
 * Protocol. A superstep takes the items of one list. Clients process their edges, test each target's cell, and send
 * candidates that would improve it to the block that owns the cell. A server tests again, stores the better value, and
 * puts the target on the next list, once. As lists are taken from their beginning, items are processed in the order of
 * arrival, superstep by superstep. Threads of a server exclude each other from a cell in one of two ways:
 *   plain    by a lock in shared memory, one of 4096
 *   combine  (or chains; the operator must be associative) candidates of a batch that are for one cell form a chain, by
 *            one exchange each; the thread of the last one finds the best and accesses the cell once
 *
 * Cells that sum (ORDO_SUM). A client sends every addend, and only the owner's block adds; but the client that
 * processes an item takes its cell, so additions are atomic, although no other block adds. Chains add candidates up.
 * What is taken from a hub goes with its pieces to the next step (relax.cuh).
 *
 * Termination. The end of a step is exact: a client counts itself done when its last message is written, and a server
 * has ended when all clients have and its ring is at its end. There is no cycle of waiting blocks: only clients wait,
 * for rings of servers, and servers never wait.
 *
 * Memory order. Clients read cells relaxed: reading an outdated value costs a message and nothing else. What a
 * superstep wrote is visible in the next one by the grid barrier.
 *
 * Not done: items in the order of priorities (see inbox).
 */
#include "message.cuh"
#include "owners.cuh"
#include "tunables.h"

/* What profilers show carries the operator's name. */
#define lock_server_kernel ORDO_OP_NAME(lock_server_kernel)

enum {
    lock_server_words = sizeof(op_cell) / 4,            /* 32-bit words of a message */
    lock_server_each = SERVER_EACH / lock_server_words, /* messages of a thread in a batch */
    lock_server_batch = lock_server_each * SERVER_THREADS,
};

/* Blocks of a multiprocessor that registers suffice for: one where clients compute vertices, unless shares are narrow
 * and the compiler knows capability 9.0. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
enum { lock_server_resident = ORDO_OP_RESIDUALS ? 1 : 2 };
#else
enum { lock_server_resident = ORDO_OP_RESIDUALS && sizeof(op_taken) == 16 ? 1 : 2 };
#endif

typedef struct lock_server_args {
    ordo_cuda_rows rows;
    op_cell *cells;
    op_state state;
    ordo_u32 servers;
    server_owners owners;
    server_rings ring;
    ordo_u32 *done; /* number of clients that have ended a step, summed over all steps */
    op_dev_frontier frontier;
    ordo_cuda_halt halt;
    ordo_cuda_run run;
} lock_server_args;

/* A client's shared memory beside its outbox: the items whose edges it processes, with their edges concatenated. */
typedef struct lock_server_tile {
    ordo_u64 begin[SERVER_THREADS];
    ordo_u32 offset[SERVER_THREADS]; /* number of the item's first edge among all edges of the tile */
    ordo_vid item[SERVER_THREADS];
    op_taken value[SERVER_THREADS];
} lock_server_tile;

/* A server's shared memory. */
typedef struct lock_server_serving {
    ordo_u64 held[lock_server_batch][lock_server_words];
    ordo_u32 next[lock_server_batch];
    ordo_u32 table[SERVER_LINES]; /* the last candidate of each chain; or locks */
} lock_server_serving;

/* By one thread: packs the target and the candidate's first 32 bits into the first word, each further 32 bits into a
 * word; and unpacks them. */
ORDO_DEV void lock_server_pack(ordo_u32 target, op_cell candidate, ordo_u64 (&word)[lock_server_words])
{
    ordo_u32 half[lock_server_words];
    memcpy(half, &candidate, sizeof half);
    word[0] = (ordo_u64)target << 32 | half[0];
#pragma unroll
    for (int w = 1; w < lock_server_words; w++)
        word[w] = half[w];
}
ORDO_DEV ordo_u32 lock_server_unpack(const ordo_u64 (&word)[lock_server_words], op_cell *candidate)
{
    ordo_u32 half[lock_server_words];
    half[0] = (ordo_u32)word[0];
#pragma unroll
    for (int w = 1; w < lock_server_words; w++)
        half[w] = (ordo_u32)word[w];
    memcpy(candidate, half, sizeof half);
    return (ordo_u32)(server_low(word[0], SERVER_BITS) >> 32);
}

/* ---- clients ---- */

/* By a whole block: the candidates of a batch of a tile's edges, from number `base` on, that would improve their
 * targets; to[k] becomes the owner, or SERVER_NONE. */
template <typename Args>
ORDO_DEV void lock_server_propose(const Args *a, const lock_server_tile *tile, ordo_u32 base, ordo_u32 total,
                                  ordo_u64 (&word)[lock_server_each][lock_server_words],
                                  ordo_u32 (&to)[lock_server_each], server_counters *mine)
{
#if ORDO_OP_ORDER != ORDO_SUM
    op_cell now[lock_server_each];
#endif
#pragma unroll
    for (int k = 0; k < lock_server_each; k++) {
        const ordo_u32 i = base + (ordo_u32)k * SERVER_THREADS + threadIdx.x;
        to[k] = SERVER_NONE;
        if (i >= total)
            continue;
        ordo_u32 owner = 0; /* the last item whose offset is at most i */
#pragma unroll 1
        for (ordo_u32 half = SERVER_THREADS / 2; half; half /= 2)
            owner += tile->offset[owner + half] <= i ? half : 0;
        const op_edge edge =
            op_dev_edge(&a->rows, tile->begin[owner] + (i - tile->offset[owner]), tile->item[owner], false);
        const ordo_u32 target = op_target(&a->state, edge);
        lock_server_pack(target, op_candidate(&a->state, tile->value[owner], edge), word[k]);
#if ORDO_OP_ORDER != ORDO_SUM
        now[k] = ordo_dev_load(&a->cells[target]);
#endif
        to[k] = 0;
        mine->edges++;
    }
#pragma unroll
    for (int k = 0; k < lock_server_each; k++) {
        op_cell candidate;
        const ordo_u32 target = lock_server_unpack(word[k], &candidate);
        ordo_u32 local;
#if ORDO_OP_ORDER == ORDO_SUM
        const bool sends = candidate != 0;
#else
        const bool sends = op_better(candidate, now[k]);
#endif
        if (to[k] != SERVER_NONE)
            to[k] = sends ? server_split(&a->owners, server_number(&a->owners, target), &local) : SERVER_NONE;
    }
}

/* By a whole block: processes the edges of a tile in batches; sends candidates that would improve their targets to the
 * owners of these. False if the run ends early. */
ORDO_DEV bool lock_server_expand(const lock_server_args *a, const server_outbox *out, const lock_server_tile *tile,
                                 ordo_u32 total, server_sending *sending, ordo_u32 step, server_counters *mine,
                                 ordo_u32 *rounds)
{
    for (ordo_u32 base = 0; base < total; base += lock_server_batch) {
        ordo_u64 word[lock_server_each][lock_server_words] = {};
        ordo_u32 to[lock_server_each];
        lock_server_propose(a, tile, base, total, word, to, mine);
        if (!server_deliver<lock_server_words, lock_server_each>(out, &a->ring, a->servers, to, word, sending, &a->halt,
                                                                 step, rounds))
            return false;
    }
    return true;
}

#if ORDO_OP_ORDER == ORDO_SUM
/* By one thread, by residual by a whole warp, of which lanes with `has` have an item: takes the cell of an item of the
 * list, and what candidates are computed from. Returns the number of its edges to process in this step; of a hub that
 * is none. */
ORDO_DEV ordo_u32 lock_server_begin(const lock_server_args *a, bool has, ordo_vid item, ordo_u64 edges, ordo_u32 step,
                                    op_taken *value, server_counters *mine)
{
#if ORDO_OP_RESIDUALS
    if (!op_dev_compute(&a->state, has && op_level(&a->state, op_dev_cell(a->cells, item)) > 0, item, value, mine))
        return 0;
#else
    if (!has || !op_dev_begin(&a->state, a->cells, NULL, item, value))
        return 0;
    mine->items++;
#endif
    if (edges <= ORDO_CUDA_SEGMENT)
        return (ordo_u32)edges;
    op_dev_cut(&a->frontier, item, *value, edges, step + 1);
    return 0;
}
#endif

/* By a whole block: the thread's part of piece of work `now` of a step: an item, and the number of its edges from
 * *begin on; of sums the value from which candidates are computed goes to the tile. Pieces of hubs come first, then
 * tiles of items, which are narrower if there are few items. False: there is no such piece. */
ORDO_DEV bool lock_server_take(const lock_server_args *a, ordo_u32 now, ordo_u32 step, ordo_vid *item, ordo_u64 *begin,
                               ordo_u32 *degree, lock_server_tile *tile, server_counters *mine)
{
    const ordo_cuda_superstep_counters *counters = &a->frontier.counters[step % 3];
    const ordo_u32 count = counters->count, segments = counters->segments;
    ordo_u32 width = SERVER_THREADS;
    while (width > 32 && (ordo_u64)(gridDim.x - a->servers) * width > count)
        width /= 2;
    *item = 0;
    *begin = 0;
    *degree = 0;
    (void)tile;
    if (now < segments) {
        const ordo_u64 piece = a->frontier.segment[step & 1][now];
        *item = (ordo_vid)(piece >> 32);
#if ORDO_OP_ORDER == ORDO_SUM
        tile->value[threadIdx.x] = a->frontier.taken[step & 1][now];
        const bool open = threadIdx.x == 0;
#else
        const bool open = threadIdx.x == 0 && op_filter(&a->state, *item);
#endif
        if (open) {
            const ordo_u64 end = __ldg(a->rows.row + *item + 1);
            *begin = __ldg(a->rows.row + *item) + (piece & 0xffffffffu) * ORDO_CUDA_SEGMENT;
            *degree = (ordo_u32)(*begin + ORDO_CUDA_SEGMENT < end ? ORDO_CUDA_SEGMENT : end - *begin);
#if ORDO_OP_ORDER != ORDO_SUM
            mine->items += (piece & 0xffffffffu) == 0;
#endif
        }
        return true;
    }
    const ordo_u64 i = (ordo_u64)(now - segments) * width;
    const bool there = threadIdx.x < width && i + threadIdx.x < count;
#if ORDO_OP_RESIDUALS
    *item = there ? a->frontier.list[step & 1][i + threadIdx.x] : 0;
    *begin = __ldg(a->rows.row + *item);
    *degree = lock_server_begin(a, there && op_filter(&a->state, *item), *item, __ldg(a->rows.row + *item + 1) - *begin,
                                step, &tile->value[threadIdx.x], mine);
#else
    if (there) {
        *item = a->frontier.list[step & 1][i + threadIdx.x];
        if (op_filter(&a->state, *item)) {
            *begin = __ldg(a->rows.row + *item);
#if ORDO_OP_ORDER == ORDO_SUM
            *degree = lock_server_begin(a, true, *item, __ldg(a->rows.row + *item + 1) - *begin, step,
                                        &tile->value[threadIdx.x], mine);
#else
            *degree = (ordo_u32)(__ldg(a->rows.row + *item + 1) - *begin);
            mine->items++;
#endif
        }
    }
#endif
    return i < count;
}

/* By a whole block: a client's step. Its first piece of work is the one with the client's number; it gets the others by
 * ticket. Returns whether it had any. */
ORDO_DEV bool lock_server_client(const lock_server_args *a, const ordo_cuda_traced &traced, const server_outbox *out,
                                 lock_server_tile *tile, ordo_u32 index, ordo_u32 step, server_counters *mine,
                                 ordo_u32 *rounds)
{
    __shared__ ordo_dev_scan<ordo_u32, SERVER_THREADS> scan;
    __shared__ ordo_u32 taken;
    server_sending sending = {};
    ordo_u32 tiles = 0;
    for (ordo_u32 now = index;;) {
        ordo_vid item;
        ordo_u64 begin;
        ordo_u32 degree, total;
        if (!lock_server_take(a, now, step, &item, &begin, &degree, tile, mine))
            break;
        if (!tiles++)
            ordo_live_state(traced, ORDO_BUSY);
        tile->offset[threadIdx.x] = ordo_dev_sum_before(&scan, degree, &total);
        tile->begin[threadIdx.x] = begin;
        tile->item[threadIdx.x] = item;
#if ORDO_OP_ORDER != ORDO_SUM
        tile->value[threadIdx.x] = degree ? op_dev_cell(a->cells, item) : op_worst();
#endif
        __syncthreads();
#if ORDO_OP_RESIDUALS
        ordo_dev_fence(); /* releases what other warps have written, ahead of offers */
#endif
        if (!lock_server_expand(a, out, tile, total, &sending, step, mine, rounds))
            break;
        ordo_live_tile<3>(traced, server_counted(mine), now);
        if (threadIdx.x == 0)
            taken = gridDim.x - a->servers + ordo_dev_add(&a->frontier.counters[step % 3].ticket, 1u);
        __syncthreads();
        now = taken;
        __syncthreads();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        ordo_dev_fence();
        ordo_dev_add(a->done, 1u);
    }
    return tiles;
}

/* ---- servers ---- */

/* By one thread: offers a candidate to a cell that no other thread of a server may write. */
ORDO_DEV void lock_server_improve(const lock_server_args *a, ordo_dev_queue *queue, ordo_u32 target, op_cell candidate,
                                  ordo_u32 step, server_counters *mine)
{
#if ORDO_OP_ORDER == ORDO_SUM
    if (!op_dev_apply(&a->state, a->cells, target, &candidate, false, false))
        return;
#else
    if (!op_better(candidate, ordo_dev_load(&a->cells[target])))
        return;
    ordo_dev_store(&a->cells[target], candidate);
#endif
    mine->useful++;
    if (op_activates)
        op_dev_push(&a->frontier, queue, &a->rows, target, step + 1, false);
}

/* By a whole block: serves `count` candidates under locks. Whole warps stay in the loop: see
 * <ordo/detail/cuda/critical.cuh>. */
ORDO_DEV void lock_server_serve_plain(const lock_server_args *a, lock_server_serving *s, ordo_dev_queue *queue,
                                      const ordo_u64 (&word)[lock_server_each][lock_server_words], ordo_u32 count,
                                      ordo_u32 step, server_counters *mine)
{
#pragma unroll 1
    for (int k = 0; k < lock_server_each; k++) {
        ordo_u64 now[lock_server_words];
        server_pick(word, k, now);
        bool has = (ordo_u32)k * SERVER_THREADS + threadIdx.x < count;
        op_cell candidate;
        const ordo_u32 target = lock_server_unpack(now, &candidate);
        ordo_u32 *const lock = &s->table[server_line(target)];
        for (ordo_u32 tries = 1; __any_sync(0xffffffffu, has); tries++) {
            if (has && ordo_dev_lock<true>(lock)) {
                ordo_dev_order<true>();
                lock_server_improve(a, queue, target, candidate, step, mine);
                ordo_dev_order<true>();
                ordo_dev_unlock<true>(lock);
                has = false;
            }
            if (tries % 1024 == 0 && ordo_dev_load(a->halt.word)) /* the run ends early */
                has = false;
        }
    }
}

/* Whether the second of two candidates for one cell replaces the first. Of sums the first becomes their sum. */
ORDO_DEV bool lock_server_replaces(op_cell *first, op_cell second)
{
#if ORDO_OP_ORDER == ORDO_SUM
    *first += second;
    return false;
#else
    return op_better(second, *first);
#endif
}

/* By a whole block: the same by chains. */
ORDO_DEV void lock_server_serve_chains(const lock_server_args *a, lock_server_serving *s, ordo_dev_queue *queue,
                                       const ordo_u64 (&word)[lock_server_each][lock_server_words], ordo_u32 count,
                                       ordo_u32 step, server_counters *mine)
{
    ordo_u32 mine_last = 0; /* bit k is set if the thread's k-th message is the last of its chain */
#pragma unroll
    for (int k = 0; k < lock_server_each; k++) {
        const ordo_u32 at = (ordo_u32)k * SERVER_THREADS + threadIdx.x;
        op_cell ignored;
        if (at < count) {
#pragma unroll
            for (int w = 0; w < lock_server_words; w++)
                s->held[at][w] = word[k][w];
            s->next[at] = atomicExch(&s->table[server_line(lock_server_unpack(word[k], &ignored))], at);
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < lock_server_each; k++) {
        const ordo_u32 at = (ordo_u32)k * SERVER_THREADS + threadIdx.x;
        op_cell ignored;
        if (at < count)
            mine_last |= (ordo_u32)(s->table[server_line(lock_server_unpack(word[k], &ignored))] == at) << k;
    }
    __syncthreads();
#pragma unroll 1
    for (; mine_last; mine_last &= mine_last - 1) {
        ordo_u32 at = ((ordo_u32)__ffs((int)mine_last) - 1) * SERVER_THREADS + threadIdx.x;
        op_cell best, candidate;
        ordo_u32 target = lock_server_unpack(s->held[at], &best);
        s->table[server_line(target)] = SERVER_NONE; /* the best of the whole chain */
        while ((at = s->next[at]) != SERVER_NONE) {
            const ordo_u32 other = lock_server_unpack(s->held[at], &candidate);
            if (other != target)
                lock_server_improve(a, queue, target, best, step, mine);
            if (other != target || lock_server_replaces(&best, candidate))
                best = candidate;
            target = other;
        }
        lock_server_improve(a, queue, target, best, step, mine);
    }
    __syncthreads();
}

/* By a whole block: a server's step. Returns whether it has served any. */
template <bool Combine>
ORDO_DEV bool lock_server_server(const lock_server_args *a, const ordo_cuda_traced &traced, lock_server_serving *s,
                                 server_taking *taking, ordo_dev_queue *queue, ordo_u32 index, ordo_u32 step,
                                 server_counters *mine, ordo_u32 *rounds)
{
    __shared__ int verdict;
    ordo_u32 turns = 0, looks = 0, idle = 16;
    bool served = false;
    for (;;) {
        ordo_u64 word[lock_server_each][lock_server_words];
        const ordo_u32 count = server_take<lock_server_words, lock_server_each>(&a->ring, index, taking, word, false);
        if (count && Combine)
            lock_server_serve_chains(a, s, queue, word, count, step, mine);
        else if (count)
            lock_server_serve_plain(a, s, queue, word, count, step, mine);
        if (op_activates && count)
            ordo_dev_flush(queue, a->frontier.list[(step + 1) & 1], &a->frontier.counters[(step + 1) % 3].count, false);
        if (count ? idle >= 16 : ++idle == 16)
            ordo_live_state(traced, count ? ORDO_BUSY : ORDO_WAITING);
        idle = count ? 0 : idle;
        served |= count != 0;
        if (count && ++looks % 16 == 0)
            ordo_live_tile<3>(traced, server_counted(mine), 0);
        if (count && ++turns % ORDO_CUDA_LOOK)
            continue;
        if (threadIdx.x == 0) {
            verdict = !count && server_dry(&a->ring, index, taking, a->done, step * (gridDim.x - a->servers));
            *rounds += count ? ORDO_CUDA_LOOK - 1 : 0;
            if (ordo_dev_told(&a->halt, step, rounds))
                verdict = true;
        }
        __syncthreads();
        const bool ended = verdict;
        __syncthreads();
        if (ended)
            return served;
    }
}

/* ---- the kernel ---- */

template <bool Combine, bool Traced>
static __global__ void __launch_bounds__(SERVER_THREADS, (int)lock_server_resident)
    lock_server_kernel(const lock_server_args a)
{
    ORDO_CUDA_DYNAMIC(ordo_u64, capacity);
    __shared__ ordo_dev_queue queue;
    __shared__ ordo_u32 least[3];
    auto grid = cooperative_groups::this_grid();
    const op_dev_frontier *f = &a.frontier;
    server_counters mine = {};
    ordo_u32 rounds = 0, index;
    const bool serves = server_role(a.servers, &index);
    server_outbox out = server_outbox_at(capacity, a.servers);
    lock_server_tile *tile =
        (lock_server_tile *)(capacity + server_outbox_words(a.servers, lock_server_words * lock_server_batch));
    lock_server_serving *serving = (lock_server_serving *)capacity;
    if (serves)
        for (ordo_u32 i = threadIdx.x; i < SERVER_LINES; i += SERVER_THREADS)
            serving->table[i] = Combine ? SERVER_NONE : 0;
    server_taking taking = server_taking_begin(least);
    const ordo_cuda_traced traced = Traced ? a.run.traced : ordo_cuda_traced{};
    if (ordo_live_shows())
        ordo_live_begin(traced, ORDO_BUSY);
    ordo_dev_start(&queue); /* has a barrier */
    const ordo_u64 threads = (ordo_u64)gridDim.x * SERVER_THREADS;
    for (ordo_u64 first = (ordo_u64)blockIdx.x * SERVER_THREADS; first < a.run.initial_count; first += threads) {
        const ordo_u64 i = first + threadIdx.x;
        if (i < a.run.initial_count)
            op_dev_push(f, &queue, &a.rows, ordo_dev_initial(&a.run, i), 1, false);
        ordo_dev_flush(&queue, f->list[1], &f->counters[1].count, false);
    }
    ordo_dev_flush(&queue, f->list[1], &f->counters[1].count, true);
    grid.sync();
    for (ordo_u32 step = 1;; step++) {
        const ordo_cuda_superstep_counters *counters = &f->counters[step % 3];
        if ((counters->count == 0 && counters->segments == 0) || counters->stop)
            break;
        if (ordo_dev_reports())
            ordo_dev_begin_step(f, step, &a.run, (ordo_u64)counters->count + counters->segments, step, 0);
        /* servers and clients say themselves when they are busy */
        ordo_live_step(traced, step, (ordo_u64)counters->count + counters->segments, step, 0, 0, 0);
        const bool worked =
            serves ? lock_server_server<Combine>(&a, traced, serving, &taking, &queue, index, step, &mine, &rounds)
                   : lock_server_client(&a, traced, &out, tile, index, step, &mine, &rounds);
        ordo_dev_flush(&queue, f->list[(step + 1) & 1], &f->counters[(step + 1) % 3].count, true);
        if constexpr (Traced)
            ordo_live_barrier<3>(traced, server_counted(&mine), step, worked);
        else
            grid.sync();
        if (ordo_dev_halted(&a.halt, step))
            break;
    }
    ordo_dev_publish(a.run.counters, server_counted(&mine));
}

#if ORDO_OP_ORDER != ORDO_SUM
#include "both.cuh"
#include "cuda_both.cuh"
#endif

/* ---- the host's part ---- */

static ordo_status lock_server_refuse(const ordo_job *job)
{
    const int form = (int)job->tunable[SERVER_FORM];
    if (form >= 2 && !((int)op_properties & ORDO_ASSOCIATIVE))
        return ordo_fail(
            ORDO_ERR_UNSOUND,
            "scheduler 'lock_server' with form=combine or chains needs an associative operator; '%s' is not",
            job->op->name);
    if ((int)job->tunable[SERVER_DATA] == 2)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' on device 'cuda' has data=global alone for relax operators, since "
                         "clients look at cells; '%s' is one",
                         job->op->name);
    if ((int)job->tunable[SERVER_ROLES] == 1 && ORDO_OP_ORDER == ORDO_SUM)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' on device 'cuda' has roles=apart alone for operators that sum; '%s' "
                         "is one",
                         job->op->name);
    if (job->targets >> 30)
        return ordo_fail(ORDO_ERR_USAGE,
                         "scheduler 'lock_server' on device 'cuda': %llu targets, expected fewer than 2^30",
                         (unsigned long long)job->targets);
    return ORDO_OK;
}

/* Chooses the number of blocks of a multiprocessor (as many as asked for, or two if they fit, else one), and how many
 * of all blocks are servers. */
static ordo_status lock_server_choose(ordo_cuda *c, const void *kernel, int *blocks, ordo_u32 *servers)
{
    const int asked = (int)c->job->tunable[SERVER_BLOCKS];
    const double ratio = c->job->tunable[SERVER_RATIO];
    int units = 0, resident = 0;
    size_t unit, most;
    ordo_status status = ordo_cuda_size(&units, &unit, &most);
    for (*blocks = asked ? asked : 2; !status; --*blocks) {
        *servers = server_share(units * *blocks, ratio > 0 ? ratio : 1);
        const size_t client = 8 * server_outbox_words(*servers, (ordo_u32)(lock_server_words * lock_server_batch)) +
                              sizeof(lock_server_tile);
        status =
            ordo_cuda_share(c, kernel, SERVER_THREADS,
                            client > sizeof(lock_server_serving) ? client : sizeof(lock_server_serving), &resident);
        if (status || (resident >= *blocks && units * *blocks >= 2))
            return status;
        if (asked || *blocks == 1)
            return ordo_fail(ORDO_ERR_DEVICE,
                             "device 'cuda': %d blocks a multiprocessor of %d asked for, %d fit; expected room for a "
                             "client and a server",
                             *blocks, units, resident);
    }
    return status;
}

/* For samples of a trace: `servers` blocks take no tiles. */
static void lock_server_glance(const ordo_cuda_seen *seen, const void *servers, ordo_probed *out)
{
    const ordo_cuda_tiles tiles = {seen->grid - *(const ordo_u32 *)servers, SERVER_THREADS, 32, 1};
    ordo_cuda_frontier_show(seen, &tiles, out);
}

static ordo_status lock_server_run_job(ordo_job *job)
{
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    lock_server_args a = {};
    const ordo_contention_sample nothing = {};
    const int form = (int)job->tunable[SERVER_FORM];
    int blocks = 0;
    const bool combine = form >= 2;
    const void *kernel = NULL;
    ordo_status status = lock_server_refuse(job);
    if (status)
        return status;
#if ORDO_OP_ORDER != ORDO_SUM
    if ((int)job->tunable[SERVER_ROLES] == 1)
        return lock_server_run_both(job);
#endif
    status = op_cuda_begin(job, &c);
    if (!status) {
        const void *const kernels[2][2] = {
            {(const void *)lock_server_kernel<false, false>, (const void *)lock_server_kernel<false, true>},
            {(const void *)lock_server_kernel<true, false>, (const void *)lock_server_kernel<true, true>},
        };
        kernel = ordo_cuda_kernel(kernels[combine][c.run.traced.live != NULL]);
        status = lock_server_choose(&c, kernel, &blocks, &a.servers);
    }
    if (!status)
        status = server_owners_make(&c, server_partition((int)job->tunable[SERVER_PARTITION], &nothing, a.servers),
                                    a.servers, 0, &nothing, &a.owners);
    if (!status)
        status = op_cuda_arguments(&c, &a, &arrays);
    if (!status)
        status = op_cuda_frontier_make(&c, &a.frontier);
    if (!status)
        status = ordo_cuda_halt_make(&c, &a.halt);
    if (!status)
        status =
            server_rings_make(&c, a.servers, server_ring_log(job->tunable[SERVER_RING], (ordo_u32)lock_server_batch),
                              lock_server_words, &a.ring);
    if (!status)
        status = (a.done = (ordo_u32 *)ordo_cuda_alloc(&c, ORDO_CUDA_LINE, sizeof(ordo_u32), true)) ? ORDO_OK
                                                                                                    : ORDO_ERR_MEMORY;
    if (!status) {
        void *args[] = {&a};
        c.glance = {{a.frontier.counters, NULL}, {3 * sizeof *a.frontier.counters, 0}, lock_server_glance, &a.servers};
        status = ordo_cuda_launch(&c, kernel, SERVER_THREADS, blocks, args);
    }
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}

ORDO_CUDA_INSTANCE(lock_server, lock_server_run_job, 1u << ORDO_SYNC_SERVER)
