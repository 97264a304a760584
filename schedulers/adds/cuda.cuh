/* adds on a GPU: asynchronous dynamic delta-stepping (Wang, Fussell and Lin, PPoPP 2021; Wang's thesis, chapter 5).
 *
 *   queue.cuh    buckets, blocks, credits, counters: sections 5.4 and 5.6
 *   manager.cuh  block 0: probing, assigning, head switches, the end, delta; and how a worker block takes work
 *   this file    a worker's warp: takes a portion, expands it, pushes activations; what touches the operator
 *
 * One cooperative launch holds the manager and its workers: all blocks are resident, so nobody waits for a block that
 * is not there. Its grid barrier is used once, at the start. A worker's warps are independent of each other: there is
 * no barrier of a block in their loop.
 *
 * Chaining, where depth binds (thin: the workers' hands are nearly empty). What a warp activates in a bucket that is
 * dequeued from now, it keeps, as much as two small portions, and expands it next, up to `chain` hops; the rest goes to
 * the buckets. Ordo's own addition: a hop through bucket and manager costs several times one that stays. chain=0 is the
 * paper's. Nothing else changes: what is kept belongs to the assignment, which is done when the chain is.
 */
#include <stdio.h>

#include "manager.cuh"
#include "rules.h"

#define MY(_part) ORDO_JOIN3(ORDO_OP, _adds_cuda_, _part)

#ifndef ORDO_ADDS_CUDA_ONCE
#define ORDO_ADDS_CUDA_ONCE
ORDO_DEV ordo_dev_map adds_dev_read_map(const adds_dev_queue &q)
{
    const ordo_u32 head = ordo_dev_load(&q.words->head);
    const ordo_dev_map map = {ordo_dev_load(&q.words->base),
                              ordo_dev_load(&q.words->per_delta),
                              ordo_dev_load(&q.words->limit),
                              q.shape.buckets,
                              head & 0xff,
                              q.shape.buckets - 1,
                              (head & ADDS_DEV_IS_THIN) != 0};
    return map;
}
#endif

typedef struct MY(args) {
    adds_dev_queue queue;
    adds_dev_rules rules;
    OP(sight) sight;
    ordo_u32 chain;   /* hops that a warp follows its own activations; tunable */
    ordo_u64 *flag;   /* [workers] */
    ordo_u64 *lowest; /* see OP(warp_lowest) */
    adds_dev_state *state_out;
    ordo_cuda_run run;
} MY(args);

/* The life of a worker's warp. Written as one loop in which everything has one place: the code is long where the
 * compiler inlines, and a warp that waits for its instructions is as slow as one that waits for memory. In each turn it
 * works on its batch, flushes if it must, and then does the first that there is to do of: the rest of its batch,
 * initial items, what it kept for another hop, spilled items of its range; else its portion is done, and it takes
 * another one.
 */
ORDO_DEV void MY(work)(const MY(args) & a, OP(warp) * w, ordo_dev_pool_cache *cache, adds_dev_worker *block,
                       ordo_u64 *flag, double base, ordo_u32 workers)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_u64 stride = (ordo_u64)workers * ADDS_DEV_WARPS * 32;
    /* the first initial items go to different blocks */
    ordo_u64 initial = ((blockIdx.x - 1) + (ordo_u64)workers * (threadIdx.x / 32)) * 32;
    ordo_u32 bits = 0, swept = 0, credit = 0;
    bool begun = false;
    adds_dev_portion p = {};
    OP(batch) t = {};
    w->map.base = base;
    w->map.per_delta = 1 / a.rules.start.delta;
    w->map.buckets = a.queue.shape.buckets;
    w->map.last = a.queue.shape.buckets - 1;
    w->map.limit = base + a.rules.start.delta;
    for (;;) {
        const bool busy = OP(warp_work)<false>(a.sight, w, &t), sweeping = __any_sync(~0u, bits != 0);
        const bool drained = !busy && !w->near && !sweeping && initial >= a.run.initial_count;
        if (w->held && (OP(warp_full)(w) || drained || (!busy && (w->surplus || (w->near && w->held >= 32))))) {
            adds_dev_flush(a.queue, cache, w->store, w->held, &credit);
            w->held = 0;
            w->surplus = false;
        }
        if (busy)
            continue;
        if (initial < a.run.initial_count) {
            OP(warp_begin)(a.sight, w, a.run, initial);
            initial += stride;
            continue;
        }
        bool there = false, fresh = false;
        OP(entry) entry = {};
        if (w->near) {
            there = OP(warp_hop)(a.sight, w, &entry);
            w->map = adds_dev_read_map(a.queue);
        } else if (sweeping) {
            there = bits != 0;
            fresh = true;
            entry.item = (p.location + lane) * 32 + (bits ? __ffs(bits) - 1 : 0);
            bits &= bits - 1;
        } else {
            if (!begun) {
                if (lane == 0) {
                    ordo_dev_fence();
                    if (ordo_dev_add_near(&block->begun, 1u) == ADDS_DEV_WARPS - 1) {
                        ordo_dev_fence();
                        ordo_dev_add(&a.queue.words->started, 1u);
                    }
                }
                begun = true;
            } else {
                if (p.bucket == ADDS_DEV_SWEEP) {
                    swept = ordo_warp_sum(swept);
                    if (lane == 0 && swept) {
                        ordo_dev_fence();
                        ordo_dev_add(&a.queue.words->swept, (ordo_u64)swept);
                    }
                }
                adds_dev_finish(a.queue, block, p);
            }
            p = adds_dev_take(block, flag);
            if (p.end || __any_sync(~0u, w->edges >> 30)) /* 32 bits are enough for now and then */
                OP(warp_publish)(w, a.run.counters);
            if (p.end)
                break;
            w->map = adds_dev_read_map(a.queue);
            if (p.bucket == ADDS_DEV_SWEEP) {
                bits = lane < p.size ? ordo_dev_exchange(&a.queue.spill.bits[p.location + lane], 0u) : 0;
                ordo_dev_fence(); /* what set the bits comes before what their cells are */
                swept = __popc(bits);
                w->hops = 0;
                continue;
            }
            there = lane < p.size;
            if (there)
                entry = ordo_pool_get<OP(entry)>(a.queue.pool, (ordo_u64)p.location + lane);
            w->hops = w->map.thin ? a.chain : 0;
        }
        there = OP(warp_chain)(a.sight, w, there, &entry, fresh, [&] {
            w->map = adds_dev_read_map(a.queue);
            return !w->surplus && w->held < 32;
        });
        OP(warp_gather)(a.sight, w, &t, there, entry.item, entry.value, fresh);
    }
}

static __global__ void __launch_bounds__(ADDS_DEV_THREADS, 2) MY(kernel)(const __grid_constant__ MY(args) a)
{
    __shared__ ordo_warp_store<OP(entry)> store[ADDS_DEV_WARPS];
    __shared__ OP(entry) nearby[ADDS_DEV_WARPS][32];
    __shared__ ordo_dev_pool_cache cache;
    __shared__ adds_dev_worker block;
    __shared__ adds_dev_manager manager;
    const ordo_u32 warp = threadIdx.x / 32, workers = a.rules.workers;
    ordo_pool_start(&cache);
    if (threadIdx.x < ADDS_DEV_SLOTS)
        block.left[threadIdx.x] = block.size[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        block.work = block.last = 0;
        block.lock = block.begun = 0;
    }
    adds_dev_manager_start(a.queue, a.rules, &manager);
    OP(warp_lowest)(a.sight, &a.run, a.lowest);
    cooperative_groups::this_grid().sync();
    const double base = OP(warp_base)(a.lowest);

    if (blockIdx.x == 0) {
        if (warp < ADDS_DEV_PROBES)
            adds_dev_probe_warp(a.queue, &manager, warp);
        else if (warp == ADDS_DEV_ASSIGNER)
            adds_dev_assign_warp(a.queue, a.rules, &manager, a.flag);
        else if (warp == ADDS_DEV_MEMORY)
            adds_dev_memory_warp(a.queue, &manager, a.run.mailbox, a.state_out);
        else if (warp == ADDS_DEV_CONTROL)
            adds_dev_control_warp(a.queue, a.rules, &manager, base, a.run.record, a.state_out);
        else if (warp == ADDS_DEV_TRACER)
            adds_dev_trace_warp(&manager, a.run.record, a.run.mailbox);
    } else if (blockIdx.x <= workers) {
        OP(warp) w;
        OP(warp_start)(&w, &store[warp], nearby[warp]);
        MY(work)(a, &w, &cache, &block, &a.flag[blockIdx.x - 1], base, workers);
    }
}

/* Starting width in units of mean weight over mean degree. A warp's width is the paper's; with hubs the paths are short
 * and a narrow bucket has enough to do, where degrees are small depth binds and wide ones pay. */
static double MY(factor)(const ordo_job *job)
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
static void adds_dev_explain(ordo_cuda *c, void *state_on_device, char *text, size_t room)
{
    (void)c;
    adds_dev_state s;
    if (cudaMemcpy(&s, state_on_device, sizeof s, cudaMemcpyDeviceToHost) != cudaSuccess)
        return;
    int at = snprintf(text, room,
                      "head bucket %u after %llu switches, delta %g, %u buckets at once, %u blocks free, %llu items "
                      "spilled and %llu of them swept; buckets (reserved, readable, assigned, done):",
                      s.head, (unsigned long long)s.switches, s.delta, s.concurrent, s.free_blocks,
                      (unsigned long long)s.spilled, (unsigned long long)s.swept);
    for (int b = 0; b < ADDS_MAX_BUCKETS; b++)
        if (s.resv[b] != s.done[b] && at > 0 && (size_t)at < room)
            at += snprintf(text + at, room - (size_t)at, " %d (%llu, %llu, %llu, %llu)", b,
                           (unsigned long long)s.resv[b], (unsigned long long)s.read[b],
                           (unsigned long long)s.assigned[b], (unsigned long long)s.done[b]);
}
#endif

static ordo_u32 MY(power)(ordo_u32 x) /* of two, at most x */
{
    return (ordo_u32)1 << adds_log2(x);
}

static ordo_status MY(run_job)(ordo_job *job)
{
    const double *t = job->tunable;
    ordo_cuda c;
    ordo_cuda_arrays arrays = {};
    MY(args) a = {};
    adds_dev_queue *q = &a.queue;
    /* Several buckets at once do for classes, but where hubs end in all of them at once, and where degrees are even
     * and a class's entries few: there they are made of some classes each, of more where those have few edges. */
    const ordo_graph_kind kind = ordo_job_graph_kind(job);
    const bool few = job->mean_degree < 8, classes = kind == ORDO_GRAPH_EVEN && OP(warp_classes)(job);
    double own = kind == ORDO_GRAPH_HUBS || classes ? OP(warp_width)(job, 1, few ? 8 : 4)
                                                    : OP(delta)((double)job->out->n, (double)job->out->m);
    double delta = ordo_job_delta(job, t[ADDS_DELTA], own, MY(factor)(job));
    if (t[ADDS_DELTA] == 0) /* a power of two (5.7) */
        delta = exp2(ceil(log2(delta)));
    int blocks = 0;
    ordo_status status = ordo_cuda_begin(job, OP(warp_cell_size), false, &c);
    const void *kernel = status ? NULL : ordo_cuda_kernel((const void *)MY(kernel));
    if (!status)
        status = ordo_cuda_grid(kernel, ADDS_DEV_THREADS, (int)t[ADDS_BLOCKS], &blocks);
    ordo_u64 ids = 0;
    if (!status)
        status = ordo_warp_ids(job, "adds", &ids);
    if (!status) {
        q->shape = adds_shape_for((ordo_u32)t[ADDS_BUCKETS], (ordo_u64)t[ADDS_POOL], (ordo_u64)t[ADDS_BLOCK],
                                  (ordo_u64)t[ADDS_SEGMENT], job->out->m, sizeof(OP(entry)), ADDS_DEV_MOST);
        while (q->shape.blocks > ORDO_POOL_BLOCKS) {
            q->shape.block_shift++;
            q->shape.blocks /= 2;
            q->shape.table_shift--;
        }
        q->shape.start = (ordo_u32)t[ADDS_START_INDEX] >> q->shape.block_shift << q->shape.block_shift;
        const ordo_u64 slots = (ordo_u64)q->shape.blocks << q->shape.block_shift;
        a.rules.workers = adds_clamp((ordo_u32)blocks - 1, 1, ADDS_DEV_WORKERS);
        if (t[ADDS_WORKERS] > 0)
            a.rules.workers = adds_clamp((ordo_u32)t[ADDS_WORKERS], 1, a.rules.workers);
        a.rules.pace = adds_pace_rules_of(job, delta, few && !classes ? 2 : 4, 0.6);
        /* a bucket more costs little where there are so many workers: before they are as idle as delta needs it */
        a.rules.pace.util_more = (a.rules.pace.util_low + a.rules.pace.util_high) / 2;
        a.rules.start = adds_pace_of(job, &a.rules.pace, delta);
        a.rules.grain_low =
            MY(power)(adds_clamp(adds_grain_low(job), job->tunable[ADDS_GRAIN_MIN] > 0 ? 1 : 4,
                                 job->tunable[ADDS_GRAIN_MIN] > 0 ? ADDS_DEV_PORTION : ADDS_DEV_PORTION / 4));
        a.rules.grain_high =
            MY(power)(adds_clamp((ordo_u32)t[ADDS_GRAIN], a.rules.grain_low, 2 * ADDS_DEV_THREADS - 1));
        a.rules.epoch = t[ADDS_EPOCH] > 0 ? (ordo_u32)t[ADDS_EPOCH] : 2 * a.rules.workers;
        a.rules.thin = t[ADDS_THIN];
        a.rules.spill_words = (ordo_u32)((ids + 31) / 32);
        const ordo_u64 hoarders = (ordo_u64)a.rules.workers * ADDS_DEV_WARPS * q->shape.buckets * 8;
        q->batch = slots / hoarders < 256 ? (ordo_u32)(slots / hoarders) : 256;
        q->pool.buckets = q->shape.buckets;
        q->pool.blocks = q->shape.blocks;
        q->pool.block_shift = q->shape.block_shift;
        q->pool.table_shift = q->shape.table_shift;
        q->pool.cached = t[ADDS_TRANSLATION] > 0;
        q->alone = !(t[ADDS_RESERVE] > 0);
        a.chain = t[ADDS_CHAIN] >= 0 ? (ordo_u32)t[ADDS_CHAIN] : classes ? 8 : 64;
        /* more where depth is all, less where others have nothing to do */
        a.sight.near = kind == ORDO_GRAPH_DEEP ? 32 : MY(power)(adds_clamp(2 * a.rules.grain_low, 1, 32));
        const ordo_warp_need needs[] = {
            {(void **)&q->words, 1, sizeof *q->words, true},
            {(void **)&q->pool.table, (ordo_u64)q->shape.buckets << q->shape.table_shift, sizeof(ordo_u64), true},
            {(void **)&q->home, q->shape.blocks, sizeof *q->home, false},
            {(void **)&q->written, slots >> q->shape.segment_shift, sizeof *q->written, true},
            {(void **)&q->read, q->shape.blocks, sizeof *q->read, true},
            {(void **)&q->free, q->shape.blocks, sizeof *q->free, false},
            {&q->pool.slots, slots, sizeof(OP(entry)), false},
            {(void **)&q->spill.bits, a.rules.spill_words, sizeof(ordo_u32), true},
            {(void **)&a.sight.owner, ids - job->universe, sizeof(ordo_u32), false},
            {(void **)&a.flag, a.rules.workers, sizeof *a.flag, true},
            {(void **)&a.lowest, 1, sizeof *a.lowest, true},
            {(void **)&a.state_out, 1, sizeof *a.state_out, true},
        };
        status = ordo_warp_alloc(&c, needs, sizeof needs / sizeof needs[0]);
    }
    if (!status)
        status = OP(warp_arguments)(&c, t[ADDS_RECORDS] > 0, &a, &arrays);
    if (!status) {
        q->spill.count = &q->words->spilled;
        c.keep_cells = true;
        c.explain = adds_dev_explain;
        c.explain_arg = a.state_out;
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, kernel, ADDS_DEV_THREADS, (int)t[ADDS_BLOCKS], args);
    }
    if (!status)
        status = ordo_cuda_arrays_out(&c, &arrays);
    return ordo_cuda_end(&c, status);
}

ORDO_CUDA_INSTANCE(adds, MY(run_job), 1u << OP(warp_sync))
#undef MY
