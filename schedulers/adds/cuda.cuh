/* adds on a GPU: asynchronous dynamic delta-stepping (Wang, Fussell and Lin, PPoPP 2021; Wang's thesis, chapter 5).
 *
 * Problem. Delta-stepping needs a good bucket width for each graph, and a barrier after each bucket. Here items are
 * taken from several buckets at once, without barriers, and the width changes during the run.
 *
 * Data structures.
 *   queue.cuh    buckets over a pool of blocks, credits, counters: sections 5.4 and 5.6
 *   manager.cuh  the manager (block 0): probing, assigning, head switches, termination, delta; and how a worker block
 *                takes work
 *   this file    a worker's warp: takes a portion, expands it, pushes activations; all that depends on the operator
 *
 * Protocol. One cooperative launch holds the manager and its workers: all blocks are resident, so no thread waits for a
 * block that does not run. Its grid barrier is used once, at the start. The warps of a worker are independent of each
 * other: their loop, op_warp_loop, has no block barrier.
 *   Chaining, while the run is latency-bound (the workers hold few items). A warp keeps what it activates in a bucket
 *   that is being dequeued, up to the capacity of its local queue, and expands it next, up to `chain` steps; the rest
 *   goes to the buckets. This is Ordo's own addition: a step through bucket and manager takes several times as long as
 *   one within the warp. chain=0 is the paper's method. Nothing else changes: entries in the local queue belong to the
 *   assignment, which is done when the chain is.
 *
 * Termination. Exact, by counters of what is reserved and what is done: manager.cuh.
 *
 * Over several GPUs, in units for that: cuda_ranks.cuh.
 *
 * Memory order. Entries are published and taken by W0 to W4, R1 to R4, D1 and D2: queue.cuh. Cells need no order: an
 * entry whose cell has become better since is stale.
 */
#if ORDO_WARP_HAS_ENTRIES
#include <stdio.h>

#include "manager.cuh"
#include "params.h"

/* What profilers show carries the operator's name. */
#define adds_kernel ORDO_OP_NAME(adds_kernel)

/* By a warp's lanes: the mapping of priorities to buckets that the control warp has published; see manager.cuh. It
 * changes at any time, so lanes may get different ones. Whole warps branch on `latency_bound`, so that is passed on. */
ORDO_DEV ordo_dev_map adds_dev_map_of(const adds_dev_queue &q, ordo_u32 head, bool latency_bound)
{
    const ordo_dev_map map = {ordo_dev_load(&q.words->base),
                              ordo_dev_load(&q.words->per_delta),
                              ordo_dev_load(&q.words->limit),
                              q.layout.buckets,
                              head & 0xff,
                              q.layout.buckets - 1,
                              latency_bound};
    return map;
}

/* By a whole warp between two portions: the same; whether the run is latency-bound is what the first lane reads. */
ORDO_DEV ordo_dev_map adds_dev_read_map(const adds_dev_queue &q)
{
    const ordo_u32 head = ordo_dev_load(&q.words->head);
    return adds_dev_map_of(q, head, (__shfl_sync(~0u, head, 0) & ADDS_DEV_IS_THIN) != 0);
}

typedef struct adds_args {
    adds_dev_queue queue;
    adds_dev_params params;
    op_warp_ctx ctx;
    ordo_u32 chain;   /* the most hops of a chain */
    ordo_u64 *flag;   /* [workers] */
    ordo_u64 *lowest; /* see op_warp_lowest */
    adds_dev_state *state_out;
    ordo_cuda_run run;
} adds_args;

/* State of a worker's warp beside its op_warp. */
typedef struct adds_warp {
    adds_dev_portion portion;
    ordo_u32 credit; /* lane b's credit for bucket b: see adds_dev_flush */
    ordo_u32 swept;  /* items of the lane's bits, if the portion is one of spilled items */
    bool started;    /* the warp has pushed its initial items */
#if ORDO_OVER_RANKS
    bool looks;     /* it looks for messages: the last portion was empty, or there were some when it last looked */
    ordo_u32 turns; /* counts them; begins with a number of the warp */
    ordo_u32 mail;  /* messages that were taken and are not counted as finished */
#endif
} adds_warp;

#if ORDO_OVER_RANKS
#include "cuda_ranks.cuh"
#endif

/* Counts the warp's portion, or its initial items, as done: what these activated is reserved or spilled. Called by
 * whole warps. */
ORDO_DEV void adds_end_portion(const adds_dev_queue &q, adds_dev_worker *block, adds_warp *hand)
{
    const ordo_u32 lane = threadIdx.x % 32;
    if (!hand->started) {
        if (lane == 0) {
            ordo_dev_fence();
            if (ordo_dev_add_block(&block->begun, 1u) == ADDS_DEV_WARPS - 1) {
                ordo_dev_fence();
                ordo_dev_add(&q.words->started, 1u);
            }
        }
        hand->started = true;
        return;
    }
    if (ORDO_OVER_RANKS && !hand->portion.size)
        return;
    if (hand->portion.bucket == ADDS_DEV_SWEEP) {
        hand->swept = ordo_warp_sum(hand->swept);
        if (lane == 0 && hand->swept) {
            ordo_dev_fence();
            ordo_dev_add(&q.words->swept, (ordo_u64)hand->swept);
        }
    }
    adds_dev_finish(q, block, hand->portion);
}

/* Hook `take`: ends the last portion, and waits for another one or the end. Called by whole warps. */
ORDO_DEV int adds_take(const adds_args &a, op_warp *w, adds_dev_worker *block, ordo_u64 *flag, adds_warp *hand,
                       bool *there, op_entry *entry, ordo_u32 *bits)
{
    const ordo_u32 lane = threadIdx.x % 32;
#if ORDO_OVER_RANKS
    adds_ranks_finish(a, w, hand);
#endif
    adds_end_portion(a.queue, block, hand);
#if ORDO_OVER_RANKS
    hand->portion.size = 0;
    if (adds_ranks_take_mail(a, w, hand))
        return ORDO_WARP_AGAIN;
#endif
    if (hand->portion.location / 32 % 4 == 0) /* one portion in four */
        op_warp_show(w, a.run, ORDO_LIVE_KEEP);
    bool waits = false; /* of lane 0 */
    hand->portion = adds_dev_take(block, flag, [&] {
        if (w->live && !waits)
            ordo_live_state(a.run.traced, ORDO_WAITING);
        waits = true;
    });
    if (waits)
        op_warp_show_state(w, a.run, ORDO_BUSY);
    const adds_dev_portion &p = hand->portion;
#if ORDO_OVER_RANKS
    if (!p.size && !p.end) {
        hand->looks = true;
        return ORDO_WARP_AGAIN;
    }
#endif
    if (p.end || __any_sync(~0u, w->edges >> 30)) /* publish before the lanes' 32-bit counters wrap */
        op_warp_publish(w, a.run);
    if (p.end)
        return ORDO_WARP_END;
    w->map = adds_dev_read_map(a.queue);
    if (p.bucket == ADDS_DEV_SWEEP) {
        *bits = ordo_warp_take_bits(a.queue.spill.bits, p.location + lane, lane < p.size);
        hand->swept = __popc(*bits);
#if ORDO_OVER_RANKS
        *bits = op_warp_send_kept(a.ctx, w, p.location + lane, *bits);
#endif
        w->chain_limit = 0;
        return ORDO_WARP_AGAIN;
    }
    *there = lane < p.size;
    if (*there)
        *entry = ordo_pool_get<op_entry>(a.queue.pool, (ordo_u64)p.location + lane);
    w->chain_limit = w->map.latency_bound ? a.chain : 0;
    return ORDO_WARP_ENTRIES;
}

/* The hooks of op_warp_loop. */
struct adds_hooks {
    static constexpr bool narrow = false, gives_surplus = true, expands_initial = false;
    static constexpr bool lanes = false, cuts = false;
    static constexpr ordo_u32 enough = 32;
    const adds_args &a;
    ordo_dev_pool_cache *cache;
    adds_dev_worker *block;
    ordo_u64 *flag;
    adds_warp hand;

    ORDO_HOOK ordo_u64 stride() const
    {
        return (ordo_u64)a.params.workers * ADDS_DEV_WARPS * 32;
    }
    ORDO_HOOK bool exhausted() const
    {
        return true;
    }
    ORDO_HOOK bool holds(const op_warp *w) const
    {
        return w->held;
    }
    ORDO_HOOK void begun(ordo_u32) const
    {
    }
    ORDO_HOOK ordo_u32 swept_word() const
    {
        return hand.portion.location + threadIdx.x % 32;
    }
    ORDO_HOOK void give(op_warp *w, bool)
    {
        adds_dev_flush(a.queue, cache, w->store, w->held, &hand.credit);
        w->held = 0;
    }
    ORDO_HOOK bool between_hops(op_warp *w) const
    {
        w->map = adds_dev_map_of(a.queue, ordo_dev_load(&a.queue.words->head), w->map.latency_bound);
        return !w->surplus && w->held < enough;
    }
    ORDO_HOOK int take(op_warp *w, bool *there, op_entry *entry, ordo_u32 *bits)
    {
        return adds_take(a, w, block, flag, &hand, there, entry, bits);
    }
};

/* The manager's block: each warp has its own part, until the end of the run. `met`: meetings of ranks so far. */
template <bool Traced>
ORDO_DEV void adds_manage(const adds_args &a, adds_dev_manager *manager, double base, ordo_u64 met)
{
    const ordo_u32 warp = threadIdx.x / 32;
    if (Traced && warp <= ADDS_DEV_TRACER)
        ordo_live_begin(a.run.traced, ORDO_MANAGING);
    if (warp < ADDS_DEV_PROBES)
        adds_dev_probe_warp(a.queue, manager, warp);
    else if (warp == ADDS_DEV_ASSIGNER)
        adds_dev_assign_warp(a.queue, a.params, manager, a.flag);
    else if (warp == ADDS_DEV_MEMORY)
        adds_dev_memory_warp(a.queue, manager, a.run.mailbox, a.state_out);
    else if (warp == ADDS_DEV_CONTROL)
        adds_dev_control_warp(a.queue, a.params, manager, base, a.run.record, a.state_out);
    else if (warp == ADDS_DEV_TRACER) {
#if ORDO_OVER_RANKS
        adds_ranks_warp(a, manager, met);
#else
        (void)met;
        adds_dev_trace_warp<Traced>(manager, a.run);
#endif
    }
}

template <bool Traced>
static __global__ void __launch_bounds__(ADDS_DEV_THREADS, 2) adds_kernel(const __grid_constant__ adds_args a)
{
    __shared__ ordo_warp_store<op_entry> store[ADDS_DEV_WARPS];
    __shared__ op_entry local_queue[ADDS_DEV_WARPS][32];
    __shared__ ordo_dev_pool_cache cache;
    __shared__ adds_dev_worker block;
    __shared__ adds_dev_manager manager;
    __shared__ ordo_u32 live[Traced ? (int)ADDS_DEV_WARPS : 1][5];
    const ordo_u32 warp = threadIdx.x / 32, workers = a.params.workers;
    ordo_pool_start(&cache);
    if (threadIdx.x < ADDS_DEV_SLOTS)
        block.left[threadIdx.x] = block.size[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        block.work = block.last = 0;
        block.lock = block.begun = 0;
    }
    adds_dev_manager_start(a.queue, a.params, &manager);
    op_warp_lowest(a.ctx, &a.run, a.lowest);
    ordo_u64 met = 0;
#if ORDO_OVER_RANKS
    __shared__ op_dev_stage stage;
    op_dev_stage_start(&stage);
    ordo_dev_meet(a.ctx.ranks, &met, [] { return (ordo_u64)0; }); /* all kernels run */
#else
    cooperative_groups::this_grid().sync();
#endif
    const double base = op_warp_base(a.lowest);

    if (blockIdx.x == 0) {
        adds_manage<Traced>(a, &manager, base, met);
    } else if (blockIdx.x <= workers) {
        op_warp w;
        op_warp_start(&w, &store[warp], local_queue[warp], Traced ? live[warp] : NULL);
        if (Traced)
            ordo_live_begin(a.run.traced, ORDO_BUSY);
        w.map.base = base;
        w.map.per_delta = 1 / a.params.start.delta;
        w.map.buckets = a.queue.layout.buckets;
        w.map.last = a.queue.layout.buckets - 1;
        w.map.limit = base + a.params.start.delta;
        adds_hooks hooks = {a, &cache, &block, &a.flag[blockIdx.x - 1], {}};
        /* consecutive initial items go to different blocks */
        const ordo_u64 initial = ((blockIdx.x - 1) + (ordo_u64)workers * warp) * 32;
#if ORDO_OVER_RANKS
        op_warp_start_stage(&w, &stage);
        hooks.hand.turns = blockIdx.x * ADDS_DEV_WARPS + warp;
#endif
        op_warp_loop(a.ctx, a.run, &w, hooks, initial);
#if ORDO_OVER_RANKS
        __syncwarp();
        ordo_dev_fence();
        if (threadIdx.x % 32 == 0)
            ordo_dev_add(&a.queue.words->ended, (ordo_u64)1);
#endif
    }
}

/* Starting width in units of mean weight over mean degree. In graphs with hubs, paths are short and a narrow bucket has
 * enough items; where degrees are small the run is latency-bound, and wide buckets are faster. */
static double adds_factor(const ordo_job *job)
{
    if (job->tunable[ADDS_FACTOR] > 0)
        return job->tunable[ADDS_FACTOR];
    switch (ordo_job_graph_kind(job)) {
    case ORDO_GRAPH_DEEP:
        return 128;
    case ORDO_GRAPH_EVEN:
        return 8;
    default:
        return 2;
    }
}

#ifndef ORDO_ADDS_CUDA_EXPLAIN
#define ORDO_ADDS_CUDA_EXPLAIN
/* The state of the queue after a run was stopped, as a sentence. */
static void adds_dev_explain(ordo_cuda *c, void *state_on_device, char *text, size_t capacity)
{
    (void)c;
    adds_dev_state s;
    if (cudaMemcpy(&s, state_on_device, sizeof s, cudaMemcpyDeviceToHost) != cudaSuccess)
        return;
    int at = snprintf(text, capacity,
                      "head bucket %u after %llu switches, delta %g, %u buckets at once, %u blocks free, %llu items "
                      "spilled and %llu of them swept; buckets (reserved, readable, assigned, done):",
                      s.head, (unsigned long long)s.switches, s.delta, s.concurrent, s.free_blocks,
                      (unsigned long long)s.spilled, (unsigned long long)s.swept);
    for (int b = 0; b < ADDS_MAX_BUCKETS; b++)
        if (s.resv[b] != s.done[b] && at > 0 && (size_t)at < capacity)
            at += snprintf(text + at, capacity - (size_t)at, " %d (%llu, %llu, %llu, %llu)", b,
                           (unsigned long long)s.resv[b], (unsigned long long)s.read[b],
                           (unsigned long long)s.assigned[b], (unsigned long long)s.done[b]);
}
#endif

/* For samples of a trace: entries that are reserved and not done, and spilled items. */
static void adds_glance(const ordo_cuda_seen *seen, const void *, ordo_probed *out)
{
    const adds_dev_words *const words = (const adds_dev_words *)seen->copy[0];
    if (!words)
        return;
    out->in_flight = words->spilled > words->swept ? words->spilled - words->swept : 0;
    for (int b = 0; b < ADDS_MAX_BUCKETS; b++)
        out->in_flight += words->resv[b] > words->done[b] ? words->resv[b] - words->done[b] : 0;
    out->spills = words->spilled;
}

static ordo_u32 adds_power(ordo_u32 x) /* the largest power of two that is at most x */
{
    return (ordo_u32)1 << adds_log2(x);
}

/* Computes sizes of the queue and the manager's parameters, for `blocks` resident blocks and a first width of `delta`.
 */
static void adds_plan(const ordo_job *job, int blocks, double delta, bool classes, ordo_u64 ids, adds_args *a)
{
    const double *t = job->tunable;
    const ordo_graph_kind kind = ordo_job_graph_kind(job);
    adds_dev_queue *const q = &a->queue;
    q->layout = adds_layout_for((ordo_u32)t[ADDS_BUCKETS], (ordo_u64)t[ADDS_POOL], (ordo_u64)t[ADDS_BLOCK],
                                (ordo_u64)t[ADDS_SEGMENT], ordo_job_owned_edges(job), sizeof(op_entry), ADDS_DEV_MOST);
    while (q->layout.blocks > ORDO_POOL_BLOCKS) {
        q->layout.block_shift++;
        q->layout.blocks /= 2;
        q->layout.table_shift--;
    }
    q->layout.start = (ordo_u32)t[ADDS_START_INDEX] >> q->layout.block_shift << q->layout.block_shift;
    const ordo_u64 slots = (ordo_u64)q->layout.blocks << q->layout.block_shift;
    a->params.workers = adds_clamp((ordo_u32)blocks - 1, 1, ADDS_DEV_WORKERS);
    if (t[ADDS_WORKERS] > 0)
        a->params.workers = adds_clamp((ordo_u32)t[ADDS_WORKERS], 1, a->params.workers);
    a->params.controller = adds_delta_params_of(job, delta, job->mean_degree < 8 && !classes ? 2 : 4, 0.6);
    /* dequeuing one more bucket costs little with so many workers: it is tried before delta becomes wider */
    a->params.controller.util_more = (a->params.controller.util_low + a->params.controller.util_high) / 2;
    a->params.start = adds_delta_controller_of(job, &a->params.controller, delta);
    a->params.grain_low =
        adds_power(adds_clamp(adds_grain_low(job), job->tunable[ADDS_GRAIN_MIN] > 0 ? 1 : 4,
                              job->tunable[ADDS_GRAIN_MIN] > 0 ? ADDS_DEV_PORTION : ADDS_DEV_PORTION / 4));
    a->params.grain_high =
        adds_power(adds_clamp((ordo_u32)t[ADDS_GRAIN], a->params.grain_low, 2 * ADDS_DEV_THREADS - 1));
    a->params.epoch = t[ADDS_EPOCH] > 0 ? (ordo_u32)t[ADDS_EPOCH] : 2 * a->params.workers;
    a->params.latency_bound = t[ADDS_LATENCY_BOUND];
    a->params.spill_words = (ordo_u32)((ids + 31) / 32);
    const ordo_u64 hoarders = (ordo_u64)a->params.workers * ADDS_DEV_WARPS * q->layout.buckets * 8;
    q->batch = slots / hoarders < 256 ? (ordo_u32)(slots / hoarders) : 256;
    q->pool.buckets = q->layout.buckets;
    q->pool.blocks = q->layout.blocks;
    q->pool.block_shift = q->layout.block_shift;
    q->pool.table_shift = q->layout.table_shift;
    q->pool.cached = t[ADDS_TRANSLATION] > 0;
    q->alone = !(t[ADDS_RESERVE] > 0);
    a->chain = t[ADDS_CHAIN] >= 0 ? (ordo_u32)t[ADDS_CHAIN] : classes ? 8 : 64;
    /* more for deep graphs, fewer where other workers would have nothing to do */
    a->ctx.local_capacity = kind == ORDO_GRAPH_DEEP ? 32 : adds_power(adds_clamp(2 * a->params.grain_low, 1, 32));
}

/* One function: the arrays' sizes follow from the plan, the plan from the grid, and each step needs those before. */
static ordo_status adds_run_job(ordo_job *job)
{
    const double *t = job->tunable;
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    adds_args a = {};
    adds_dev_queue *q = &a.queue;
    /* A bucket for each class of weights is enough, since several are dequeued at once; except in graphs with hubs,
     * whose edges fall into all classes, and with even degrees, where a class has few entries: there a bucket holds
     * several classes, more of them if vertices have few edges. */
    const ordo_graph_kind kind = ordo_job_graph_kind(job);
    const bool few = job->mean_degree < 8, classes = kind == ORDO_GRAPH_EVEN && op_warp_classes(job);
    double own = kind == ORDO_GRAPH_HUBS || classes ? op_warp_width(job, 1, few ? 8 : 4)
                                                    : op_delta((double)job->out->n, (double)job->out->m);
    double delta = ordo_job_delta(job, t[ADDS_DELTA], own, adds_factor(job));
    if (t[ADDS_DELTA] == 0) /* a power of two (5.7) */
        delta = exp2(ceil(log2(delta)));
    int blocks = 0;
    ordo_status status = op_cuda_begin(job, &c);
    const void *kernel =
        status ? NULL
               : ordo_cuda_kernel(c.run.traced.live ? (const void *)adds_kernel<!ORDO_OVER_RANKS>
                                                    : (const void *)adds_kernel<false>);
    if (!status)
        status = ordo_cuda_grid(kernel, ADDS_DEV_THREADS, (int)t[ADDS_BLOCKS], &blocks);
    ordo_u64 ids = 0;
    if (!status)
        status = ordo_warp_ids(job, "adds", &ids);
    if (!status) {
        adds_plan(job, blocks, delta, classes, ids, &a);
        const ordo_warp_need needs[] = {
            {(void **)&q->words, 1, sizeof *q->words, true},
            {(void **)&q->pool.table, (ordo_u64)q->layout.buckets << q->layout.table_shift, sizeof(ordo_u64), true},
            {(void **)&q->home, q->layout.blocks, sizeof *q->home, false},
            {(void **)&q->written, (ordo_u64)q->layout.blocks << q->layout.block_shift >> q->layout.segment_shift,
             sizeof *q->written, true},
            {(void **)&q->read, q->layout.blocks, sizeof *q->read, true},
            {(void **)&q->free, q->layout.blocks, sizeof *q->free, false},
            {&q->pool.slots, (ordo_u64)q->layout.blocks << q->layout.block_shift, sizeof(op_entry), false},
            {(void **)&q->spill.bits, a.params.spill_words, sizeof(ordo_u32), true},
            {(void **)&a.ctx.owner, ids - job->num_items, sizeof(ordo_u32), false},
            {(void **)&a.flag, a.params.workers, sizeof *a.flag, true},
            {(void **)&a.lowest, 1, sizeof *a.lowest, true},
            {(void **)&a.state_out, 1, sizeof *a.state_out, true},
        };
        status = ordo_warp_alloc(&c, needs, sizeof needs / sizeof needs[0]);
    }
    if (!status)
        status = op_warp_arguments(&c, t[ADDS_RECORDS] > 0, &a, &arrays);
#if ORDO_OVER_RANKS
    if (!status)
        status = ordo_cuda_boxes_make(&c, sizeof(op_dev_message), &a.ctx.ranks, &a.ctx.boxes);
    if (!status) {
        a.ctx.boxes.sent = &q->words->sent;
        a.ctx.kept = {q->spill.bits, &q->words->spilled, NULL};
    }
#endif
    if (!status) {
        q->spill.count = &q->words->spilled;
        c.keep_cells = true;
        c.glance = {{q->words, NULL}, {sizeof *q->words, 0}, adds_glance, NULL};
        c.explain = adds_dev_explain;
        c.explain_arg = a.state_out;
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, kernel, ADDS_DEV_THREADS, (int)t[ADDS_BLOCKS], args);
    }
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}

ORDO_CUDA_INSTANCE(adds, adds_run_job, 1u << op_warp_sync)
#else
ORDO_CUDA_INSTANCE(adds, NULL, 1u << ORDO_SYNC_DEFAULT /* of no sync */)
#endif
