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
#include <stdio.h>

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
    adds_dev_map map = {ordo_dev_load(&q.words->base), ordo_dev_load(&q.words->per_delta), head & 0xff, head >> 16,
                        (head & ADDS_DEV_IS_THIN) != 0};
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
    MY(entry) * nearby;                   /* [32] what is kept for the next hop */
    ordo_u32 near, hops;                  /* how many; hops that are left */
    bool surplus;                         /* something in the store is worth others' time now */
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

/* What a warp is expanding: an item a lane, their edges laid end to end. */
typedef struct MY(batch) {
    ordo_vid v;
    OP(cell) value;
    ordo_u64 begin;        /* edge i of all lies at its owner's begin + i; a hub's: its first edge */
    ordo_u32 offset;       /* number of the lane's first edge among all */
    ordo_u32 total, first; /* edges of all, and those that are behind */
    ordo_u32 hubs, piece;  /* lanes whose items are hubs; pieces that the first of them has been cut into */
} MY(batch);

/* Lanes that are `there` bring an item each. Fresh: with the value that its cell has now. */
ORDO_DEV void MY(gather)(const MY(args) & a, MY(warp) * w, MY(batch) * t, bool there, ordo_u32 item, OP(cell) value,
                         bool fresh)
{
    ordo_u64 from = 0, to = ~(ordo_u64)0, begin = 0;
    ordo_u32 degree = 0;
    t->v = item;
    if (there && item >= a.universe) { /* a piece */
        const ordo_u32 piece = item - a.universe;
        t->v = ordo_dev_load(&a.owner[piece]);
        from = (ordo_u64)(piece / 2) * ADDS_DEV_PIECE;
        to = from + ADDS_DEV_PIECE;
    }
    bool hub = false;
    if (there) {
        const OP(cell) now = ordo_dev_load(&a.cells[t->v]);
        const ordo_u64 row = __ldg(a.rows.row + t->v), end = __ldg(a.rows.row + t->v + 1);
        if (fresh)
            value = now;
        if (OP(activates) && OP(better)(now, value)) {
            w->stale++;
        } else if (OP(filter)(&a.state, t->v)) {
            begin = row > from ? row : from;
            to = to < end ? to : end;
            w->items += item < a.universe;
            hub = to - begin > ADDS_DEV_HUB;
            degree = hub ? 0 : (ordo_u32)(to - begin);
        }
    }
    t->value = value;
    t->hubs = __ballot_sync(~0u, hub);
    t->piece = t->first = 0;
    ordo_u32 offset = degree;
    for (int step = 1; step < 32; step *= 2) {
        const ordo_u32 other = __shfl_up_sync(~0u, offset, step);
        offset += threadIdx.x % 32 >= (ordo_u32)step ? other : 0;
    }
    t->total = __shfl_sync(~0u, offset, 31);
    t->offset = offset - degree;
    t->begin = begin - (hub ? 0 : t->offset);
}

/* The next 32 * UNROLL edges of the batch. */
ORDO_DEV void MY(relax)(const MY(args) & a, MY(warp) * w, MY(batch) * t)
{
    ordo_u32 target[ADDS_DEV_UNROLL];
    OP(cell) candidate[ADDS_DEV_UNROLL];
    bool has[ADDS_DEV_UNROLL];
#pragma unroll
    for (int u = 0; u < ADDS_DEV_UNROLL; u++) {
        const ordo_u32 i = t->first + 32 * u + threadIdx.x % 32;
        ordo_u32 owner = 0; /* the last lane whose offset is at most i */
#pragma unroll
        for (ordo_u32 step = 16; step; step /= 2) {
            const ordo_u32 other = __shfl_sync(~0u, t->offset, owner + step);
            owner += other <= i ? step : 0;
        }
        has[u] = i < t->total;
        const ordo_u64 e = __shfl_sync(~0u, t->begin, owner) + i;
        const ordo_vid tail = __shfl_sync(~0u, t->v, owner);
        const OP(cell) of = __shfl_sync(~0u, t->value, owner);
        target[u] = 0;
        if (has[u]) {
            const OP(edge) edge = OP(dev_edge)(&a.rows, e, tail, false);
            candidate[u] = OP(candidate)(&a.state, of, edge);
            target[u] = OP(target)(&a.state, edge);
        }
    }
    t->first += 32 * ADDS_DEV_UNROLL;
    bool won[ADDS_DEV_UNROLL];
#pragma unroll
    for (int u = 0; u < ADDS_DEV_UNROLL; u++) {
        won[u] = false;
        if (has[u]) { /* where depth binds, the test is a hop more, and the target's row is fetched meanwhile */
            won[u] = w->map.thin ? OP(dev_improve)(a.cells, target[u], candidate[u])
                                 : OP(dev_offer)(a.cells, target[u], candidate[u], false);
            w->edges++;
            w->useful += won[u];
            if (OP(activates) && won[u] && w->map.thin)
                ordo_dev_prefetch(a.rows.row + target[u]);
        }
    }
    if (OP(activates))
#pragma unroll
        for (int u = 0; u < ADDS_DEV_UNROLL; u++)
            MY(push)(a, w, won[u], target[u], candidate[u], target[u]);
}

/* Puts the next 32 pieces of a hub on the worklist. */
ORDO_DEV void MY(cut)(const MY(args) & a, MY(warp) * w, MY(batch) * t)
{
    const int lane = __ffs(t->hubs) - 1;
    const ordo_vid v = __shfl_sync(~0u, t->v, lane);
    const OP(cell) value = __shfl_sync(~0u, t->value, lane);
    const ordo_u64 first = __shfl_sync(~0u, t->begin, lane) / ADDS_DEV_PIECE;
    const ordo_u64 last = (__ldg(a.rows.row + v + 1) - 1) / ADDS_DEV_PIECE;
    const ordo_u64 mine = first + t->piece + threadIdx.x % 32;
    const bool has = mine <= last;
    const ordo_u32 piece = (ordo_u32)(2 * mine + (mine == first));
    if (has)
        ordo_dev_store(&a.owner[piece], v);
    MY(push)(a, w, has, a.universe + piece, value, v);
    t->piece += 32;
    if (first + t->piece > last) {
        t->hubs &= t->hubs - 1;
        t->piece = 0;
    }
}

/* The life of a worker's warp. Written as one loop in which everything has one place: the code is long where the
 * compiler inlines, and a warp that waits for its instructions is as slow as one that waits for memory. In each turn it
 * flushes if it must, and then does the first that there is to do of: edges of its batch, pieces of its hubs, initial
 * items, what it kept for another hop, spilled items of its range; else its portion is done, and it takes another one.
 */
ORDO_DEV void MY(work)(const MY(args) & a, MY(warp) * w, adds_dev_worker *block, ordo_u64 *flag, double base,
                       ordo_u32 workers)
{
    const ordo_u32 lane = threadIdx.x % 32;
    const ordo_u64 stride = (ordo_u64)workers * ADDS_DEV_WARPS * 32;
    /* the first initial items go to different blocks */
    ordo_u64 initial = ((blockIdx.x - 1) + (ordo_u64)workers * (threadIdx.x / 32)) * 32;
    ordo_u32 bits = 0, swept = 0;
    bool begun = false;
    adds_dev_portion p = {};
    MY(batch) t = {};
    w->map.base = base;
    w->map.per_delta = 1 / a.rules.start.delta;
    w->map.window = 1;
    for (;;) {
        const bool busy = t.first < t.total || t.hubs, sweeping = __any_sync(~0u, bits != 0);
        const bool drained = !busy && !w->near && !sweeping && initial >= a.initial_count;
        if (w->held && (w->held > ADDS_DEV_ROOM - 32 * ADDS_DEV_UNROLL || drained ||
                        (!busy && (w->surplus || (w->near && w->held >= 32))))) {
            adds_dev_flush(a.queue, w->cache, w->store, w->held, &w->credit);
            w->held = 0;
            w->surplus = false;
        }
        if (t.first < t.total) {
            MY(relax)(a, w, &t);
            continue;
        }
        if (t.hubs) {
            MY(cut)(a, w, &t);
            continue;
        }
        if (initial < a.initial_count) {
            const bool has = initial + lane < a.initial_count;
            const ordo_u32 item = !has ? 0 : a.initial ? a.initial[initial + lane] : (ordo_u32)initial + lane;
            MY(push)(a, w, has, item, has ? ordo_dev_load(&a.cells[item]) : OP(worst)(), item);
            initial += stride;
            continue;
        }
        bool there = false, fresh = false;
        MY(entry) entry = {};
        if (w->near) {
            there = lane < w->near;
            __syncwarp();
            if (there)
                entry = w->nearby[lane];
            __syncwarp();
            w->near = 0;
            w->hops--;
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
                    swept = adds_dev_sum(swept);
                    if (lane == 0 && swept) {
                        ordo_dev_fence();
                        ordo_dev_add(&a.queue.words->swept, (ordo_u64)swept);
                    }
                }
                adds_dev_finish(a.queue, block, p);
            }
            p = adds_dev_take(block, flag);
            if (p.end || __any_sync(~0u, w->edges >> 30)) { /* 32 bits are enough for now and then */
                const ordo_cuda_counters mine = {w->items, w->edges, w->useful, w->stale, 0};
                ordo_dev_publish(a.counters, mine);
                w->items = w->edges = w->useful = w->stale = 0;
            }
            if (p.end)
                break;
            w->map = adds_dev_read_map(a.queue);
            if (p.bucket == ADDS_DEV_SWEEP) {
                bits = lane < p.size ? ordo_dev_exchange(&a.queue.spill[p.location + lane], 0u) : 0;
                ordo_dev_fence(); /* what set the bits comes before what their cells are */
                swept = __popc(bits);
                w->hops = 0;
                continue;
            }
            there = lane < p.size;
            if (there)
                entry = MY(read)(a.queue, (ordo_u64)p.location + lane);
            w->hops = w->map.thin ? a.chain : 0;
        }
        MY(gather)(a, w, &t, there, entry.item, entry.value, fresh);
    }
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
        block.work = block.last = 0;
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
        ordo_dev_max(a.lowest, lowest);
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
        MY(work)(a, &w, &block, &a.flag[blockIdx.x - 1], base, workers);
    }
}

/* Starting width in units of mean weight over mean degree. A warp's width is the paper's; with hubs the paths are short
 * and a narrow bucket has enough to do, where degrees are small depth binds and wide ones pay. */
static double MY(factor)(const ordo_job *job)
{
    if (job->tunable[ADDS_FACTOR] > 0)
        return job->tunable[ADDS_FACTOR];
    return job->mean_degree < 4 ? 128 : 8;
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
        a.rules.grain_low = MY(power)(adds_clamp(
            adds_grain_low(job), 1, job->tunable[ADDS_GRAIN_MIN] > 0 ? ADDS_DEV_PORTION : ADDS_DEV_PORTION / 4));
        a.rules.grain_high =
            MY(power)(adds_clamp((ordo_u32)t[ADDS_GRAIN], a.rules.grain_low, 2 * ADDS_DEV_THREADS - 1));
        a.rules.epoch = t[ADDS_EPOCH] > 0 ? (ordo_u32)t[ADDS_EPOCH] : 2 * a.rules.workers;
        a.rules.thin = t[ADDS_THIN];
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
        c.explain = adds_dev_explain;
        c.explain_arg = a.state_out;
        void *args[] = {&a};
        status = ordo_cuda_launch(&c, (const void *)MY(kernel), ADDS_DEV_THREADS, (int)t[ADDS_BLOCKS], args);
    }
    status = ordo_cuda_end(&c, status);
    return status;
}

ORDO_CUDA_INSTANCE(adds, MY(run_job), 1u << ORDO_SYNC_ATOMIC)
#undef MY
