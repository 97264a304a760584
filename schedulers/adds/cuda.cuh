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
 * A warp expands a portion of up to 32 items: its lanes look at an item each, then their edges are laid end to end and
 * dealt out to the lanes. Entries are {value, item}; one whose item's cell has become better meanwhile is stale.
 *
 * Chaining, where depth binds (thin: the workers' hands are nearly empty). What a warp activates in a bucket that is
 * dequeued from now, it keeps, as much as two small portions, and expands it next, up to `chain` hops; the rest goes to
 * the buckets. Ordo's own addition: a hop through bucket and manager costs several times one that stays. chain=0 is the
 * paper's. Nothing else changes: what is kept belongs to the assignment, which is done when the chain is.
 *
 * Hubs. The edges of an item of more than HUB are not walked by who took it: they are cut at multiples of PIECE into
 * entries of their own, which any block may take. Piece j of the graph's edges is the item universe + 2j, or + 1 where
 * it is the first one of its hub (a piece of edges may hold the end of one hub and the start of another, and no third);
 * `owner` says whose it is, written, always with the same value, before the entry is.
 */
#include "manager.cuh"
#include "rules.h"

#define MY(_part) ORDO_JOIN3(ORDO_OP, _adds_cuda_, _part)

#ifndef ORDO_ADDS_CUDA_ONCE
#define ORDO_ADDS_CUDA_ONCE
enum { ADDS_DEV_HUB = 512, ADDS_DEV_PIECE = 256, ADDS_DEV_UNROLL = 2 };

/* Doubles as words of the same order. */
ORDO_DEV ordo_u64 adds_dev_ordered(double x)
{
    ordo_u64 bits = (ordo_u64)__double_as_longlong(x);
    return bits >> 63 ? ~bits : bits | (ordo_u64)1 << 63;
}
ORDO_DEV double adds_dev_unordered(ordo_u64 bits)
{
    return __longlong_as_double((long long)(bits >> 63 ? bits & ~((ordo_u64)1 << 63) : ~bits));
}

typedef struct adds_dev_map {
    double base, per_delta;
    ordo_u32 head, window; /* buckets that are dequeued from at once */
    bool thin;
} adds_dev_map;

ORDO_DEV adds_dev_map adds_dev_read_map(const adds_dev_queue &q)
{
    const ordo_u32 head = ordo_dev_load(&q.words->head);
    adds_dev_map map = {ordo_dev_load(&q.words->base), ordo_dev_load(&q.words->per_delta), head & 0xff,
                        head >> 16, (head & ADDS_DEV_IS_THIN) != 0};
    return map;
}

/* How far from the head the bucket of a priority is: late ones go to the head, far ones are clipped to the tail. */
ORDO_DEV ordo_u32 adds_dev_distance(const adds_dev_map &map, ordo_u32 buckets, double priority)
{
    const double ahead = (priority - map.base) * map.per_delta;
    return ahead > 0 ? (ahead < (double)(buckets - 1) ? (ordo_u32)ahead : buckets - 1) : 0;
}
#endif

typedef struct __align__(2 * sizeof(OP(cell))) MY(entry)
{
    OP(cell) value;
    ordo_u32 item;
}
MY(entry);

typedef struct MY(args) {
    adds_dev_queue queue;
    adds_dev_rules rules;
    ordo_cuda_rows rows;
    OP(cell) * cells;
    OP(state) state;
    const ordo_item *initial;
    ordo_u64 initial_count;
    ordo_u32 universe;
    ordo_u32 chain;   /* hops that a warp follows its own activations; tunable */
    ordo_u32 near;    /* items that it keeps for that, at most 32 */
    ordo_u32 *owner;  /* [2 * (m / PIECE + 1)] */
    ordo_u64 *flag;   /* [workers] */
    ordo_u64 *lowest; /* least priority of the initial items, ordered, inverted: 0 at first */
    adds_dev_state *state_out;
    ordo_cuda_counters *counters;
    ordo_cuda_record *record;
    ordo_cuda_mailbox *mailbox;
} MY(args);

/* What a worker's warp carries along; all lanes alike but for `credit` and `mine`. */
typedef struct MY(warp) {
    adds_dev_store<MY(entry)> *store;
    adds_dev_cache *cache;
    adds_dev_map map;
    ordo_u32 held, credit;
    MY(entry) * nearby;     /* [32] what is kept for the next hop */
    ordo_u32 near, hops;    /* how many; hops that are left */
    bool surplus;           /* something in the store is worth others' time now */
    ordo_u32 items, edges, useful, stale; /* since the last count */
} MY(warp);

ORDO_DEV MY(entry) MY(read)(const adds_dev_queue &q, ordo_u64 location)
{
    MY(entry) entry; /* past the first-level cache, which may have kept what was here before */
    if constexpr (sizeof(entry) == 8) {
        ordo_u64 word = __ldcg((const unsigned long long *)q.pool + location);
        memcpy(&entry, &word, sizeof entry);
    } else {
        ulonglong2 word = __ldcg((const ulonglong2 *)q.pool + location);
        memcpy(&entry, &word, sizeof entry);
    }
    return entry;
}

/* Lanes with `has` put an entry into the warp's store, or keep it for the warp's next hop. */
ORDO_DEV void MY(push)(const MY(args) & a, MY(warp) * w, bool has, ordo_u32 item, OP(cell) value, ordo_vid vertex)
{
    const ordo_u32 all = __ballot_sync(~0u, has), below = (1u << threadIdx.x % 32) - 1;
    if (!all)
        return;
    const ordo_u32 buckets = a.queue.shape.buckets;
    ordo_u32 distance = buckets;
    if (has)
        distance = adds_dev_distance(w->map, buckets, OP(priority)(&a.state, vertex, value));
    const MY(entry) entry = {value, item};
    ordo_u32 kept = 0;
    if (w->hops) {
        const bool soon = distance < w->map.window && item < a.universe;
        const ordo_u32 at = w->near + __popc(__ballot_sync(~0u, soon) & below);
        const bool keep = soon && at < a.near;
        if (keep)
            w->nearby[at] = entry;
        kept = __ballot_sync(~0u, keep);
        w->near += __popc(kept);
        w->surplus = w->surplus || __any_sync(~0u, soon && !keep);
    }
    const ordo_u32 rest = all & ~kept;
    if (rest >> threadIdx.x % 32 & 1) {
        const ordo_u32 at = w->held + __popc(rest & below);
        const ordo_u32 b = w->map.head + distance < buckets ? w->map.head + distance : w->map.head + distance - buckets;
        w->store->held[at] = entry;
        w->store->tag[at] = (unsigned short)(b << 8 | atomicAdd(&w->store->count[b], 1u));
    }
    w->held += __popc(rest);
}

ORDO_DEV void MY(flush)(const MY(args) & a, MY(warp) * w, ordo_u32 room)
{
    if (w->held + room > ADDS_DEV_ROOM || (room == 0 && w->held)) {
        adds_dev_flush(a.queue, w->cache, w->store, w->held, &w->credit);
        w->held = 0;
    }
}

/* Puts the pieces of a hub on the worklist; by a whole warp, arguments alike in all lanes. */
ORDO_DEV void MY(cut)(const MY(args) & a, MY(warp) * w, ordo_vid v, OP(cell) value, ordo_u64 begin, ordo_u64 degree)
{
    const ordo_u64 first = begin / ADDS_DEV_PIECE, last = (begin + degree - 1) / ADDS_DEV_PIECE;
    for (ordo_u64 j = first; j <= last; j += 32) {
        const ordo_u64 mine = j + threadIdx.x % 32;
        const bool has = mine <= last;
        const ordo_u32 piece = (ordo_u32)(2 * mine + (mine == first));
        if (has)
            ordo_dev_store(&a.owner[piece], v);
        MY(flush)(a, w, 32);
        MY(push)(a, w, has, a.universe + piece, value, v);
    }
}

/* By a whole warp: up to one item a lane. */
ORDO_DEV void MY(expand)(const MY(args) & a, MY(warp) * w, bool there, ordo_u32 item, OP(cell) value, bool fresh)
{
    ordo_vid v = item;
    ordo_u64 from = 0, to = ~(ordo_u64)0;
    if (there && item >= a.universe) { /* a piece */
        const ordo_u32 piece = item - a.universe;
        v = ordo_dev_load(&a.owner[piece]);
        from = (ordo_u64)(piece / 2) * ADDS_DEV_PIECE;
        to = from + ADDS_DEV_PIECE;
    }
    ordo_u64 begin = 0;
    ordo_u32 degree = 0;
    if (there) {
        const OP(cell) now = ordo_dev_load(&a.cells[v]);
        const ordo_u64 row = __ldg(a.rows.row + v), end = __ldg(a.rows.row + v + 1);
        if (fresh)
            value = now;
        if (OP(activates) && OP(better)(now, value)) {
            w->stale++;
        } else if (OP(filter)(&a.state, v)) {
            begin = row > from ? row : from;
            to = to < end ? to : end;
            w->items += item < a.universe;
            degree = to - begin < 0xffffffffu ? (ordo_u32)(to - begin) : 0xffffffffu;
        }
    }
    for (ordo_u32 hubs = __ballot_sync(~0u, degree > ADDS_DEV_HUB); hubs; hubs &= hubs - 1) {
        const int lane = __ffs(hubs) - 1;
        MY(cut)
        (a, w, __shfl_sync(~0u, v, lane), __shfl_sync(~0u, value, lane), __shfl_sync(~0u, begin, lane),
         __shfl_sync(~0u, to, lane) - __shfl_sync(~0u, begin, lane));
        if (threadIdx.x % 32 == (ordo_u32)lane)
            degree = 0;
    }
    ordo_u32 offset = degree;
    for (int step = 1; step < 32; step *= 2) {
        const ordo_u32 other = __shfl_up_sync(~0u, offset, step);
        offset += threadIdx.x % 32 >= (ordo_u32)step ? other : 0;
    }
    const ordo_u32 total = __shfl_sync(~0u, offset, 31);
    offset -= degree;
    begin -= offset; /* so that edge i of all lies at its owner's begin + i */
    for (ordo_u32 first = 0; first < total; first += 32 * ADDS_DEV_UNROLL) {
        OP(edge) edge[ADDS_DEV_UNROLL];
        OP(cell) candidate[ADDS_DEV_UNROLL];
        bool has[ADDS_DEV_UNROLL];
#pragma unroll
        for (int u = 0; u < ADDS_DEV_UNROLL; u++) {
            const ordo_u32 i = first + 32 * u + threadIdx.x % 32;
            ordo_u32 owner = 0; /* the last lane whose offset is at most i */
#pragma unroll
            for (ordo_u32 step = 16; step; step /= 2) {
                const ordo_u32 other = __shfl_sync(~0u, offset, owner + step);
                owner += other <= i ? step : 0;
            }
            has[u] = i < total;
            const ordo_u64 e = __shfl_sync(~0u, begin, owner) + i;
            const ordo_vid tail = __shfl_sync(~0u, v, owner);
            const OP(cell) of = __shfl_sync(~0u, value, owner);
            if (has[u]) {
                edge[u] = OP(dev_edge)(&a.rows, e, tail, false);
                candidate[u] = OP(candidate)(&a.state, of, edge[u]);
            }
        }
        MY(flush)(a, w, 32 * ADDS_DEV_UNROLL);
#pragma unroll
        for (int u = 0; u < ADDS_DEV_UNROLL; u++) {
            ordo_u32 target = 0;
            bool won = false;
            if (has[u]) {
                w->edges++;
                target = OP(target)(&a.state, edge[u]);
                /* where depth binds, the test is a hop more, and the target's row is fetched meanwhile */
                won = w->map.thin ? OP(dev_improve)(a.cells, target, candidate[u])
                                  : OP(dev_offer)(a.cells, target, candidate[u], false);
                w->useful += won;
                if (OP(activates) && won && w->map.thin)
                    ordo_dev_prefetch(a.rows.row + target);
            }
            if (OP(activates))
                MY(push)(a, w, won, target, candidate[u], target);
        }
    }
}

ORDO_DEV void MY(work)(const MY(args) & a, MY(warp) * w, adds_dev_worker *block, ordo_u64 *flag)
{
    for (;;) {
        const adds_dev_portion p = adds_dev_take(block, flag);
        const ordo_u32 lane = threadIdx.x % 32;
        if (p.end || __any_sync(~0u, w->edges >> 30)) { /* 32 bits are enough for now and then */
            const ordo_cuda_counters mine = {w->items, w->edges, w->useful, w->stale, 0};
            ordo_dev_publish(a.counters, mine);
            w->items = w->edges = w->useful = w->stale = 0;
        }
        if (p.end)
            break;
        w->map = adds_dev_read_map(a.queue);
        if (p.bucket != ADDS_DEV_SWEEP) {
            MY(entry) entry = {};
            if (lane < p.size)
                entry = MY(read)(a.queue, (ordo_u64)p.location + lane);
            w->hops = w->map.thin ? a.chain : 0;
            MY(expand)(a, w, lane < p.size, entry.item, entry.value, false);
            while (w->near) { /* another hop with what the last one activated here */
                const ordo_u32 count = w->near;
                __syncwarp();
                if (lane < count)
                    entry = w->nearby[lane];
                __syncwarp();
                if (w->surplus || w->held >= 32)
                    MY(flush)(a, w, 0);
                w->near = 0;
                w->surplus = false;
                w->map = adds_dev_read_map(a.queue);
                w->hops--;
                MY(expand)(a, w, lane < count, entry.item, entry.value, false);
            }
            w->hops = 0;
            MY(flush)(a, w, 0);
        } else {
            ordo_u32 bits = 0, count = 0;
            if (lane < p.size)
                bits = ordo_dev_exchange(&a.queue.spill[p.location + lane], 0u);
            ordo_dev_fence(); /* what set the bits comes before what their cells are */
            count = __popc(bits);
            while (__any_sync(~0u, bits != 0)) {
                const ordo_u32 item = (p.location + lane) * 32 + (bits ? __ffs(bits) - 1 : 0);
                MY(expand)(a, w, bits != 0, item, OP(worst)(), true);
                bits &= bits - 1;
            }
            MY(flush)(a, w, 0);
            count = adds_dev_sum(count);
            if (lane == 0 && count) {
                ordo_dev_fence();
                ordo_dev_add(&a.queue.words->swept, (ordo_u64)count);
            }
        }
        adds_dev_finish(a.queue, block, p);
    }
}

/* A worker's share of the initial items, to their buckets. */
ORDO_DEV void MY(start)(const MY(args) & a, MY(warp) * w, adds_dev_worker *block, double base, ordo_u32 workers)
{
    const ordo_u32 warps = workers * ADDS_DEV_WARPS;
    const ordo_u32 warp = (blockIdx.x - 1) + workers * (threadIdx.x / 32); /* the first items to different blocks */
    w->map.base = base;
    w->map.per_delta = 1 / a.rules.start.delta;
    w->map.head = 0;
    w->map.window = 1;
    for (ordo_u64 first = (ordo_u64)warp * 32; first < a.initial_count; first += (ordo_u64)warps * 32) {
        const ordo_u64 i = first + threadIdx.x % 32;
        const bool has = i < a.initial_count;
        const ordo_u32 item = !has ? 0 : a.initial ? a.initial[i] : (ordo_u32)i;
        MY(flush)(a, w, 32);
        MY(push)(a, w, has, item, has ? ordo_dev_load(&a.cells[item]) : OP(worst)(), item);
    }
    MY(flush)(a, w, 0);
    if (threadIdx.x % 32 == 0 && ordo_dev_add_near(&block->begun, 1u) == ADDS_DEV_WARPS - 1) {
        ordo_dev_fence();
        ordo_dev_add(&a.queue.words->started, 1u);
    }
    __syncwarp();
}

static __global__ void __launch_bounds__(ADDS_DEV_THREADS, 2) MY(kernel)(const __grid_constant__ MY(args) a)
{
    __shared__ adds_dev_store<MY(entry)> store[ADDS_DEV_WARPS];
    __shared__ MY(entry) nearby[ADDS_DEV_WARPS][32];
    __shared__ adds_dev_cache cache;
    __shared__ adds_dev_worker block;
    __shared__ adds_dev_manager manager;
    const ordo_u32 warp = threadIdx.x / 32, workers = a.rules.workers;
    for (ordo_u32 i = threadIdx.x; i < ADDS_MAX_BUCKETS * ADDS_CACHE; i += ADDS_DEV_THREADS)
        cache.word[i / ADDS_CACHE][i % ADDS_CACHE] = 0;
    store[warp].count[threadIdx.x % 32] = 0;
    if (threadIdx.x < ADDS_DEV_SLOTS)
        block.left[threadIdx.x] = block.size[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        block.work = 0;
        block.lock = block.begun = 0;
    }
    adds_dev_manager_start(a.queue, a.rules, &manager);
    ordo_u64 lowest = 0;
    for (ordo_u64 i = (ordo_u64)blockIdx.x * ADDS_DEV_THREADS + threadIdx.x; i < a.initial_count;
         i += (ordo_u64)gridDim.x * ADDS_DEV_THREADS) {
        const ordo_u32 item = a.initial ? a.initial[i] : (ordo_u32)i;
        const ordo_u64 priority = ~adds_dev_ordered(OP(priority)(&a.state, item, ordo_dev_load(&a.cells[item])));
        lowest = priority > lowest ? priority : lowest;
    }
    for (int step = 16; step; step /= 2) {
        const ordo_u64 other = __shfl_xor_sync(~0u, lowest, step);
        lowest = other > lowest ? other : lowest;
    }
    if (threadIdx.x % 32 == 0 && lowest)
        cuda::atomic_ref<ordo_u64, cuda::thread_scope_device>(*a.lowest).fetch_max(lowest, cuda::memory_order_relaxed);
    cooperative_groups::this_grid().sync();
    lowest = ordo_dev_load(a.lowest);
    double base = lowest ? adds_dev_unordered(~lowest) : 0;
    base = isfinite(base) ? base : 0;

    if (blockIdx.x == 0) {
        if (warp < ADDS_DEV_PROBES)
            adds_dev_probe_warp(a.queue, &manager, warp);
        else if (warp == ADDS_DEV_ASSIGNER)
            adds_dev_assign_warp(a.queue, a.rules, &manager, a.flag);
        else if (warp == ADDS_DEV_MEMORY)
            adds_dev_memory_warp(a.queue, &manager, a.mailbox, a.state_out);
        else if (warp == ADDS_DEV_CONTROL)
            adds_dev_control_warp(a.queue, a.rules, &manager, base, a.record, a.state_out);
        else if (warp == ADDS_DEV_TRACER)
            adds_dev_trace_warp(&manager, a.record, a.mailbox);
    } else if (blockIdx.x <= workers) {
        MY(warp) w = {};
        w.store = &store[warp];
        w.cache = &cache;
        w.nearby = nearby[warp];
        MY(start)(a, &w, &block, base, workers);
        MY(work)(a, &w, &block, &a.flag[blockIdx.x - 1]);
    }
}

/* Starting width in units of mean weight over mean degree. A warp's width is the paper's; with hubs the paths are short
 * and a narrow bucket has enough to do, where degrees are small depth binds and wide ones pay. */
static double MY(factor)(const ordo_job *job)
{
    if (job->tunable[ADDS_FACTOR] > 0)
        return job->tunable[ADDS_FACTOR];
    return job->mean_degree < 4 ? 64 : 8;
}

static ordo_u32 MY(power)(ordo_u32 x) /* of two, at most x */
{
    return (ordo_u32)1 << adds_log2(x);
}

static ordo_status MY(run_job)(ordo_job *job)
{
    const double *t = job->tunable;
    ordo_cuda c;
    MY(args) a = {};
    adds_dev_queue *q = &a.queue;
    double own = OP(delta)((double)job->out->n, (double)job->out->m);
    double delta = ordo_job_delta(job, t[ADDS_DELTA], own, MY(factor)(job));
    if (t[ADDS_DELTA] == 0) /* a power of two (5.7) */
        delta = exp2(ceil(log2(delta)));
    int blocks = 0;
    ordo_status status = ordo_cuda_begin(job, sizeof(OP(cell)), false, &c);
    if (!status)
        status = ordo_cuda_grid((const void *)MY(kernel), ADDS_DEV_THREADS, (int)t[ADDS_BLOCKS], &blocks);
    const ordo_u64 pieces = job->out->m / ADDS_DEV_PIECE + 1;
    if (!status && job->universe + 2 * pieces > 0xffffffffu)
        status = ordo_fail(
            ORDO_ERR_DEVICE,
            "device 'cuda': scheduler 'adds' found %llu items and %llu edges, expected items + edges / 128 below 2^32",
            (unsigned long long)job->universe, (unsigned long long)job->out->m);
    if (!status) {
        q->shape = adds_shape_for((ordo_u32)t[ADDS_BUCKETS], (ordo_u64)t[ADDS_POOL], (ordo_u64)t[ADDS_BLOCK],
                                  (ordo_u64)t[ADDS_SEGMENT], job->out->m, sizeof(MY(entry)), ADDS_DEV_MOST);
        while (q->shape.blocks > ADDS_DEV_BLOCKS) {
            q->shape.block_shift++;
            q->shape.blocks /= 2;
            q->shape.table_shift--;
        }
        q->shape.start = (ordo_u32)t[ADDS_START_INDEX] >> q->shape.block_shift << q->shape.block_shift;
        const ordo_u64 slots = (ordo_u64)q->shape.blocks << q->shape.block_shift;
        a.rules.workers = adds_clamp((ordo_u32)blocks - 1, 1, ADDS_DEV_WORKERS);
        if (t[ADDS_WORKERS] > 0)
            a.rules.workers = adds_clamp((ordo_u32)t[ADDS_WORKERS], 1, a.rules.workers);
        a.rules.pace = adds_pace_rules_of(job, delta);
        a.rules.start = adds_pace_of(job, &a.rules.pace, delta);
        a.rules.grain_low = MY(power)(adds_clamp(adds_grain_low(job), 1, ADDS_DEV_PORTION));
        a.rules.grain_high = MY(power)(adds_clamp((ordo_u32)t[ADDS_GRAIN], a.rules.grain_low, 2 * ADDS_DEV_THREADS - 1));
        a.rules.epoch = t[ADDS_EPOCH] > 0 ? (ordo_u32)t[ADDS_EPOCH] : 2 * a.rules.workers;
        a.rules.spill_words = (ordo_u32)((job->universe + 2 * pieces + 31) / 32);
        const ordo_u64 hoarders = (ordo_u64)a.rules.workers * ADDS_DEV_WARPS * q->shape.buckets * 8;
        q->batch = slots / hoarders < 256 ? (ordo_u32)(slots / hoarders) : 256;
        q->cached = t[ADDS_TRANSLATION] > 0;
        q->alone = !(t[ADDS_RESERVE] > 0);
        a.universe = (ordo_u32)job->universe;
        a.chain = (ordo_u32)t[ADDS_CHAIN];
        a.near = adds_clamp(2 * a.rules.grain_low, 1, 32);
        struct {
            void **to;
            ordo_u64 count;
            size_t size;
            bool zero;
        } const needs[] = {
            {(void **)&q->words, 1, sizeof *q->words, true},
            {(void **)&q->table, (ordo_u64)q->shape.buckets << q->shape.table_shift, sizeof *q->table, true},
            {(void **)&q->home, q->shape.blocks, sizeof *q->home, false},
            {(void **)&q->written, slots >> q->shape.segment_shift, sizeof *q->written, true},
            {(void **)&q->read, q->shape.blocks, sizeof *q->read, true},
            {(void **)&q->free, q->shape.blocks, sizeof *q->free, false},
            {&q->pool, slots, sizeof(MY(entry)), false},
            {(void **)&q->spill, a.rules.spill_words, sizeof *q->spill, true},
            {(void **)&a.owner, 2 * pieces, sizeof *a.owner, false},
            {(void **)&a.flag, a.rules.workers, sizeof *a.flag, true},
            {(void **)&a.lowest, 1, sizeof *a.lowest, true},
            {(void **)&a.state_out, 1, sizeof *a.state_out, true},
        };
        for (size_t i = 0; i < sizeof needs / sizeof needs[0] && !status; i++)
            if (!(*needs[i].to = ordo_cuda_alloc(&c, needs[i].count, needs[i].size, needs[i].zero)))
                status = ORDO_ERR_MEMORY;
    }
    if (!status) {
        a.rows = c.out;
        a.cells = (OP(cell) *)c.cells;
        a.state = *(const OP(state) *)job->state;
        a.initial = c.initial;
        a.initial_count = job->initial_count;
        a.counters = c.counters;
        a.record = c.record;
        a.mailbox = c.mailbox;
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, (const void *)MY(kernel), ADDS_DEV_THREADS, (int)t[ADDS_BLOCKS], args);
    }
    status = ordo_cuda_end(&c, status);
    return status;
}

ORDO_CUDA_INSTANCE(adds, MY(run_job), 1u << ORDO_SYNC_ATOMIC)
#undef MY
