/* maxflow.cuh -- one phase of a maximum flow on a GPU: the kernel. maxflow.cu launches it once for each phase.
 *
 * Problem: given a preflow, push excess towards `to` (the sink in the first phase, the source in the second) until no
 * vertex from which `to` can be reached over residual edges has excess. Heights are then exact distances to `to`.
 *
 * Method: push-relabel (Goldberg and Tarjan 1988) in pulses, with global relabels by work done (Cherkassky and Goldberg
 * 1997). A pulse discharges all active vertices. A global relabel computes the distances to `to` by a search over
 * residual edges. The whole phase is one cooperative launch, with a grid barrier after each pulse. A group of
 * FLOW_LANES lanes discharges a vertex: a prefix sum over residuals distributes the excess over the edges that lead to
 * lower heights. If excess is left, the vertex is relabelled and discharged again, up to FLOW_LIFTS times in a pulse.
 *
 * Why the answer is right. A vertex is on the list of a step at most once. The push that raises the excess of a vertex
 * from 0 lists it. A group that has discharged a vertex subtracts what it sent, and lists the vertex again if excess
 * remains. The atomic operations on the excess order the two, so exactly one of them lists the vertex. Hence in a pulse
 * only one group writes the height of a vertex, and only one group decreases the residual of an edge, by no more than
 * the residual that it read; all others can only increase that residual. The sum of the two residuals of a pair is
 * constant. So the state is a preflow, whatever the heights are. A phase ends only with a global relabel that finds no
 * active vertex: then no residual path leads from a vertex with excess to `to`, whatever happened before.
 *
 * Why the phase ends. While a vertex is being relabelled, another group may push to it on account of its old height.
 * The new residual edge may then lead down by more than one, and the height of its tail may be above the distance. At
 * worst that costs work: a vertex at height n is skipped until the next global relabel. But there is no proof that the
 * sequence of global relabels then ends. So after FLOW_STRICT global relabels in a launch, a pulse has two halves with
 * a grid barrier between them: heights do not change in the first half, and residuals do not change in the second
 * (Anderson and Setubal 1995). With that, pushes and relabels keep the labelling valid, as the proof requires: in the
 * second half heights only rise, so a height that is read early is too low, the new label computed from it is too low,
 * and a label that is too low is valid.
 *
 * Few active vertices. A step costs a grid barrier and a chain of dependent loads, and networks can have thousands of
 * levels of a few hundred vertices each. So if few vertices are active, block 0 runs pulse after pulse on its own, with
 * its list in shared memory, while the other blocks wait at the barrier. And if the frontier of a search is small, each
 * block continues from the vertices that it has reached, for FLOW_HOPS levels between two barriers. A height is lowered
 * by an atomic minimum, and the thread that lowers it lists the vertex. So the search ends with the distances, in
 * whatever order vertices are processed. But a vertex may then be listed more than once, and a list may overflow. In
 * that case the search starts again, level by level: then each vertex is listed once, and the lists are large enough.
 *
 * Memory order: accesses within a step are relaxed. What one step writes for the next is ordered by the grid barrier
 * between them. Words that change are never read through the first-level cache.
 *
 * Not done: the gap heuristic. Counting the vertices at each height did not pay, neither in pulses nor in time.
 */
#ifndef ORDO_MAXFLOW_CUH
#define ORDO_MAXFLOW_CUH

#include "apps/network.h"

/* A test compiles this file for the host. tests/gpu/fibers.h then replaces the headers of the GPU. */
#ifndef ORDO_DEV
#include <cooperative_groups.h>

#include <ordo/detail/cuda/frontier.cuh>

#include "operators/relabel.h"
#endif

/* The test defines smaller values. */
#ifndef FLOW_THREADS
#define FLOW_THREADS 512             /* per block; one block per multiprocessor: more make barriers slower (measured) */
#define FLOW_HOPS 12                 /* levels of a search between two grid barriers, if its frontier is small */
#define FLOW_STRICT 1000             /* global relabels in a launch, after which pulses have two halves */
#define FLOW_ALONE (FLOW_GROUPS / 2) /* active vertices up to which block 0 works alone; above twice that it stops */
#define FLOW_CAPACITY(a) (a)->capacity /* entries of a list; chained searches begin again if there are more */
#endif

enum {
    FLOW_LANES = 8, /* of a group, which discharges a vertex */
    FLOW_GROUPS = FLOW_THREADS / FLOW_LANES,
    FLOW_HUB = FLOW_THREADS / 2,   /* in pulses, a row of more edges is processed by a whole block */
    FLOW_HUBS = FLOW_GROUPS,       /* such rows that wait for the block; a group processes the rest */
    FLOW_PIECE = FLOW_THREADS / 8, /* edges of an entry in a search, at most */
    FLOW_HELD = 2 * FLOW_THREADS,  /* entries of a block's list in shared memory */
    FLOW_SMALL = 4 * FLOW_GROUPS,  /* entries per block up to which it continues a search on its own */
    FLOW_AT_ONCE = 4,              /* independent loads that a thread issues together */
    FLOW_LIFTS = 4,                /* relabels of a vertex in a pulse, at most */
    FLOW_RELABEL_EVERY = 2,        /* work between global relabels: so many times r + 4 n, of r residual edges */
    FLOW_SEARCHED = 3,             /* or one pulse for so many levels of the last search: about the same time */
    FLOW_WORK = 12,                /* work of a relabel, in addition to the number of edges */
    FLOW_MOST = 1 << 24,           /* work of a pulse, in addition to its relabels, at most */
    FLOW_BESIDES = 24,             /* levels that take as long as the rest of a global relabel */
    FLOW_STREAM = 100000,          /* vertices and edges of large levels that take as long as one small level */
    FLOW_LOOK = 64,                /* pulses, or steps of a search, between accesses to the mailbox in host memory */
    FLOW_LINE = 32                 /* words of a cache line */
};

/* Counters of a step, in threes: step t reads those of t % 3, writes those of (t + 1) % 3, and clears those of (t + 2)
 * % 3, which were last used in step t - 1: all threads have passed a grid barrier since then. A step is the interval
 * between two grid barriers: a pulse, or one or more levels of a search. (A pulse of two halves is one step, with a
 * barrier more.) */
typedef struct flow_counters {
    ordo_u32 count; /* entries of the grid's list; more than its capacity: the others were dropped */
    ordo_u32 stop;  /* the mailbox's `stop`, as the keeper read it before this step: the same for all threads */
    ordo_u64 work;  /* of pulses in the step before */
    ordo_u32 padding[FLOW_LINE - 4];
} flow_counters;

/* Words that all blocks of both launches share; zero before the first launch. */
typedef struct flow_words {
    flow_counters counters[3];
    ordo_u32 stopped; /* the launch was stopped early: the next one does nothing */
    ordo_u32 active;  /* active vertices after the last global relabel */
    ordo_u64 pulses, global_relabels;
} flow_words;

typedef struct flow_args {
    discharge_edge *edge;
    const ordo_u32 *row; /* [n + 1] */
    ordo_u64 *excess;    /* [n] */
    ordo_u32 *height;    /* [n] */
    uint4 *list;         /* [2 * capacity] by parity of the step: a vertex; begin and end of a part of its row */
    ordo_u32 n, capacity, source, sink, to;
    ordo_u64 budget;
    flow_words *words;
    ordo_cuda_run run;
} flow_args;

/* Shared memory of a block: two lists, used alternately, and their lengths, in threes as above. Here the unit is a hop
 * of a search or a pulse of flow_alone(), and the barrier is the block's. */
typedef struct flow_store {
    uint4 held[2][FLOW_HELD];
    ordo_u32 count[3], base, work, stop;
    ordo_u32 hubs, hub[FLOW_HUBS];
    ordo_u64 sum[FLOW_THREADS / 32], word;
} flow_store;

/* The state of the run. Every thread has a copy; all copies are equal. */
typedef struct flow_place {
    ordo_u32 slot, parity; /* of the step */
    ordo_u64 work;         /* of pulses since the last global relabel */
    ordo_u32 pulse;        /* work that a pulse counts as, in addition to its relabels */
    bool chained;          /* searches may process several levels a step, until a list overflows */
    bool strict;           /* pulses have two halves */
} flow_place;

/* Kept by one thread, the keeper. It belongs to block 0, which is the block that may run alone, and to the last group,
 * which has the fewest entries. */
typedef struct flow_totals {
    ordo_u64 pulses;
    ordo_u32 looks, stop;
} flow_totals;

ORDO_DEV bool flow_keeper(void)
{
    return blockIdx.x == 0 && threadIdx.x == FLOW_THREADS - 1;
}

ORDO_DEV ordo_u32 flow_next(ordo_u32 slot)
{
    return slot == 2 ? 0 : slot + 1;
}

/* Ends a step: a grid barrier; then slot and parity are those of the next step. */
ORDO_DEV void flow_barrier(flow_place *p)
{
    cooperative_groups::this_grid().sync();
    p->slot = flow_next(p->slot);
    p->parity ^= 1;
}

/* By the keeper: accesses the mailbox in one call of FLOW_LOOK. */
ORDO_DEV void flow_look(const flow_args *a, flow_totals *totals, ordo_u32 in_flight)
{
    if (++totals->looks % FLOW_LOOK)
        return;
    totals->stop = a->run.mailbox->stop;
    a->run.mailbox->supersteps = totals->pulses;
    a->run.mailbox->in_flight = in_flight;
}

/* By the keeper, in a step: sets `stop` of the next step, and clears `count` and `work` of the step after that. */
ORDO_DEV void flow_keep(const flow_args *a, const flow_place *p, flow_totals *totals, ordo_u32 in_flight)
{
    flow_counters *const next = &a->words->counters[flow_next(p->slot)];
    flow_counters *const later = &a->words->counters[flow_next(flow_next(p->slot))];
    flow_look(a, totals, in_flight);
    ordo_dev_store(&next->stop, totals->stop);
    ordo_dev_store(&later->count, 0u);
    ordo_dev_store(&later->work, (ordo_u64)0);
}

/* ---- lists ---- */

ORDO_DEV uint4 *flow_list(const flow_args *a, ordo_u32 parity)
{
    return a->list + (parity ? a->capacity : 0);
}

ORDO_DEV uint4 flow_read(const flow_args *a, const flow_place *p, ordo_u32 i)
{
    return __ldcg(flow_list(a, p->parity) + i);
}

/* The destination of entries: list `which` of the block, with length count[slot]. Entries that do not fit go to the
 * grid's list of the next step. */
typedef struct flow_target {
    ordo_u32 which, slot;
} flow_target;

ORDO_DEV void flow_append(const flow_args *a, flow_store *s, const flow_place *p, flow_target to, uint4 entry)
{
    const ordo_u32 held = ordo_dev_add_block(&s->count[to.slot], 1u);
    if (held < FLOW_HELD) {
        s->held[to.which][held] = entry;
        return;
    }
    const ordo_u32 at = ordo_dev_add(&a->words->counters[flow_next(p->slot)].count, 1u);
    if (at < a->capacity)
        flow_list(a, p->parity ^ 1)[at] = entry;
}

/* By all threads of a block: moves a list of the block to the grid's list of the next step, if it is at least half full
 * or `all` is set. Begins and ends with a barrier of the block. */
ORDO_DEV void flow_flush(const flow_args *a, flow_store *s, const flow_place *p, flow_target from, bool all)
{
    __syncthreads();
    ordo_u32 held = s->count[from.slot];
    held = held < FLOW_HELD ? held : (ordo_u32)FLOW_HELD;
    if (held >= (all ? 1 : FLOW_HELD / 2)) {
        if (threadIdx.x == 0)
            s->base = ordo_dev_add(&a->words->counters[flow_next(p->slot)].count, held);
        __syncthreads();
        uint4 *list = flow_list(a, p->parity ^ 1);
        const ordo_u32 base = s->base;
        for (ordo_u32 i = threadIdx.x; i < held; i += FLOW_THREADS)
            if (base + i < a->capacity)
                list[base + i] = s->held[from.which][i];
        if (threadIdx.x == 0)
            s->count[from.slot] = 0;
    }
    __syncthreads();
}

/* The number of entries, out of `count`, that this block processes, and the i-th of them. Entries are assigned
 * round-robin, so that a few entries are spread over many blocks. */
ORDO_DEV ordo_u32 flow_share(ordo_u32 count)
{
    return blockIdx.x < count ? (count - blockIdx.x - 1) / gridDim.x + 1 : 0;
}

ORDO_DEV uint4 flow_read_share(const flow_args *a, const flow_place *p, ordo_u32 i)
{
    return flow_read(a, p, blockIdx.x + i * gridDim.x);
}

/* ---- groups of lanes: FLOW_LANES of a warp, or a whole block ---- */

/* Head, reverse and residual of an edge. Bypasses the first-level cache. */
ORDO_DEV discharge_edge flow_edge(const flow_args *a, ordo_u32 e)
{
    const uint4 word = __ldcg((const uint4 *)&a->edge[e]);
    discharge_edge edge = {word.x, word.y, (ordo_u64)word.w << 32 | word.z};
    return edge;
}

template <int Lanes> ORDO_DEV unsigned flow_mask(void)
{
    return Lanes >= 32 ? 0xffffffffu : ((1u << (Lanes & 31)) - 1) << (threadIdx.x % 32 / Lanes * Lanes);
}

ORDO_DEV ordo_u64 flow_less(ordo_u64 a, ordo_u64 b)
{
    return a < b ? a : b;
}

/* Sums of `amount`: over the lower lanes of the group, and in *all over all its lanes. Sums are cut at `most`. No
 * amount exceeds `most`, and `most` is below 2^63, so additions do not overflow. */
template <int Lanes> ORDO_DEV ordo_u64 flow_before(flow_store *s, ordo_u64 amount, ordo_u64 most, ordo_u64 *all)
{
    enum { WIDTH = Lanes < 32 ? Lanes : 32 };
    const unsigned mask = flow_mask<Lanes>();
    const int lane = threadIdx.x % WIDTH;
    ordo_u64 sum = amount;
#pragma unroll
    for (int step = 1; step < WIDTH; step *= 2) {
        const ordo_u64 lower = __shfl_up_sync(mask, sum, step, WIDTH);
        if (lane >= step)
            sum = flow_less(sum + lower, most);
    }
    ordo_u64 before = __shfl_up_sync(mask, sum, 1, WIDTH), total = __shfl_sync(mask, sum, WIDTH - 1, WIDTH);
    before = lane ? before : 0;
    if (Lanes > 32) {
        const int warp = threadIdx.x / 32;
        __syncthreads();
        if (lane == 31)
            s->sum[warp] = sum;
        __syncthreads();
        ordo_u64 lower = 0;
        total = 0;
        for (int w = 0; w < FLOW_THREADS / 32; w++) {
            lower = w == warp ? total : lower;
            total = flow_less(total + s->sum[w], most);
        }
        before = flow_less(lower + before, most);
    }
    *all = total;
    return before;
}

/* The least word of all lanes of the group, returned to all of them. */
template <int Lanes> ORDO_DEV ordo_u32 flow_least(flow_store *s, ordo_u32 word)
{
    enum { WIDTH = Lanes < 32 ? Lanes : 32 };
    const unsigned mask = flow_mask<Lanes>();
#pragma unroll
    for (int step = WIDTH / 2; step; step /= 2) {
        const ordo_u32 other = __shfl_xor_sync(mask, word, step, WIDTH);
        word = other < word ? other : word;
    }
    if (Lanes > 32) {
        __syncthreads();
        if (threadIdx.x % 32 == 0)
            s->sum[threadIdx.x / 32] = word;
        __syncthreads();
        for (int w = 0; w < FLOW_THREADS / 32; w++)
            word = s->sum[w] < word ? (ordo_u32)s->sum[w] : word;
    }
    return word;
}

/* The first lane's word, returned to all lanes of the group. If other groups may change a word meanwhile, one lane
 * reads it, so that all lanes use the same value. */
template <int Lanes> ORDO_DEV ordo_u64 flow_first(flow_store *s, ordo_u64 word)
{
    if (Lanes <= 32)
        return __shfl_sync(flow_mask<Lanes>(), word, 0, Lanes <= 32 ? Lanes : 32);
    __syncthreads();
    if (threadIdx.x == 0)
        s->word = word;
    __syncthreads();
    return s->word;
}

/* ---- pulses ---- */

/* A push whose atomic operations have been issued: the head's excess before the push, and the head's entry. The result
 * is used as late as possible, to hide the latency of the atomic. */
typedef struct flow_sent {
    ordo_u64 had; /* not 0: the head is not to be listed */
    uint4 entry;
} flow_sent;

/* Lists the head of a push if the push raised its excess from 0, and it is neither the source nor the sink. */
ORDO_DEV void flow_arrive(const flow_args *a, flow_store *s, const flow_place *p, flow_target out, flow_sent *sent)
{
    if (sent->had == 0 && sent->entry.x != a->source && sent->entry.x != a->sink)
        flow_append(a, s, p, out, sent->entry);
    sent->had = 1;
}

/* Pushes `amount`, which is not 0, along edge e. */
ORDO_DEV flow_sent flow_push(const flow_args *a, ordo_u32 e, discharge_edge edge, ordo_u64 amount)
{
    flow_sent sent;
    ordo_dev_add(&a->edge[e].residual, 0 - amount);
    ordo_dev_add(&a->edge[edge.reverse].residual, amount);
    sent.had = ordo_dev_add(&a->excess[edge.head], amount);
    sent.entry = make_uint4(edge.head, __ldg(&a->row[edge.head]), __ldg(&a->row[edge.head + 1]), 0);
    return sent;
}

/* By one lane: relabels a vertex to lowest + 1, at most n. Returns the new height. */
ORDO_DEV ordo_u32 flow_lift(const flow_args *a, flow_store *s, uint4 entry, ordo_u32 lowest, ordo_cuda_counters *mine)
{
    const ordo_u32 height = lowest < a->n ? lowest + 1 : a->n;
    ordo_dev_store(&a->height[entry.x], height);
    ordo_dev_add_block(&s->work, FLOW_WORK + entry.z - entry.y);
    mine->edges++;
    return height;
}

/* Discharges a vertex: pushes its excess along residual edges to lower heights. With `lift`, a vertex with excess left
 * is relabelled to one above its lowest residual neighbour, and discharged again. If the row has no more edges than the
 * group has lanes, the lanes keep edges and neighbours' heights in registers, as they were first read. Lists the vertex
 * if excess remains and its height is below n. */
template <int Lanes>
ORDO_DEV void flow_discharge(const flow_args *a, flow_store *s, const flow_place *p, flow_target out, uint4 entry,
                             bool lift, ordo_cuda_counters *mine)
{
    const ordo_u32 v = entry.x, lane = threadIdx.x % Lanes;
    const bool fits = entry.z - entry.y <= Lanes;
    discharge_edge edge = {0, 0, 0};
    if (entry.y + lane < entry.z)
        edge = flow_edge(a, entry.y + lane);
    ordo_u32 height = ordo_dev_load(&a->height[v]); /* no other group changes it */
    ordo_u64 excess = lane == 0 ? ordo_dev_load(&a->excess[v]) : 0, sent = 0;
    ordo_u32 there = edge.residual ? ordo_dev_load(&a->height[edge.head]) : a->n;
    excess = flow_first<Lanes>(s, excess);
    flow_sent last = {1, {0, 0, 0, 0}};
    for (int lifts = 0; height < a->n; lifts++) {
        ordo_u32 lowest = a->n;
        for (ordo_u32 first = entry.y; first < entry.z && sent < excess; first += Lanes) {
            const ordo_u32 e = first + lane;
            if (!fits && lifts + first > entry.y) { /* the first edges have been loaded above */
                edge.residual = 0;
                if (e < entry.z)
                    edge = flow_edge(a, e);
                there = edge.residual ? ordo_dev_load(&a->height[edge.head]) : a->n;
            }
            ordo_u64 amount = edge.residual && there < height ? flow_less(edge.residual, excess) : 0, all;
            const ordo_u64 before = flow_less(flow_before<Lanes>(s, amount, excess, &all) + sent, excess);
            amount = flow_less(amount, excess - before);
            sent = flow_less(sent + all, excess);
            if (amount) {
                flow_arrive(a, s, p, out, &last);
                last = flow_push(a, e, edge, amount);
                edge.residual -= amount;
                mine->edges++;
            }
            if (edge.residual && there < lowest)
                lowest = there;
        }
        if (!lift || sent == excess || lifts == FLOW_LIFTS)
            break;
        lowest = flow_least<Lanes>(s, lowest); /* at least the height: edges that lead down are saturated */
        height = (ordo_u32)flow_first<Lanes>(s, lane == 0 ? flow_lift(a, s, entry, lowest, mine) : 0);
    }
    ordo_u64 had = excess;
    if (lane == 0 && sent)
        had = ordo_dev_add(&a->excess[v], 0 - sent);
    flow_arrive(a, s, p, out, &last);
    if (lane == 0) {
        if (had > sent && height < a->n)
            flow_append(a, s, p, out, entry);
        mine->items++;
    }
}

/* The second half of a strict pulse: relabels a vertex from which no residual edge leads to a lower height. */
template <int Lanes>
ORDO_DEV void flow_relabel(const flow_args *a, flow_store *s, uint4 entry, ordo_cuda_counters *mine)
{
    const ordo_u32 lane = threadIdx.x % Lanes, height = ordo_dev_load(&a->height[entry.x]);
    ordo_u32 lowest = a->n;
    for (ordo_u32 e = entry.y + lane; e < entry.z; e += Lanes) {
        const discharge_edge edge = flow_edge(a, e);
        const ordo_u32 there = edge.residual ? ordo_dev_load(&a->height[edge.head]) : a->n;
        lowest = there < lowest ? there : lowest;
    }
    lowest = flow_least<Lanes>(s, lowest);
    if (lane == 0 && lowest >= height && height < a->n)
        flow_lift(a, s, entry, lowest, mine);
}

/* Notes that the whole block is to process entry i, a row of many edges. Returns false if the list of such rows is
 * full. */
ORDO_DEV bool flow_keep_hub(flow_store *s, ordo_u32 i)
{
    const ordo_u32 at = ordo_dev_add_block(&s->hubs, 1u);
    if (at < FLOW_HUBS)
        s->hub[at] = i;
    return at < FLOW_HUBS;
}

/* By all threads of a block, for entries 0 .. count - 1 of `read`: a group calls `few(entry)`, or the block calls
 * `many(entry)` if the row has more than FLOW_HUB edges and the list of such rows is not full. A round is FLOW_GROUPS
 * entries. In each round `between()` is called before `many`, and ends with a barrier of the block. So flow_each() ends
 * with a barrier, unless `count` is 0. */
template <typename Read, typename Few, typename Many, typename Between>
ORDO_DEV void flow_each(flow_store *s, ordo_u32 count, Read read, Few few, Many many, Between between)
{
    const ordo_u32 group = threadIdx.x / FLOW_LANES;
    for (ordo_u32 base = 0; base < count; base += FLOW_GROUPS) {
        if (base + group < count) {
            const uint4 entry = read(base + group);
            bool later = entry.z - entry.y > FLOW_HUB;
            if (later)
                later = flow_first<FLOW_LANES>(
                    s, threadIdx.x % FLOW_LANES == 0 ? (ordo_u64)flow_keep_hub(s, base + group) : 0);
            if (!later)
                few(entry);
        }
        __syncthreads();
        const ordo_u32 hubs = s->hubs < FLOW_HUBS ? s->hubs : (ordo_u32)FLOW_HUBS;
        between(); /* its barrier: all threads have read s->hubs before it changes */
        for (ordo_u32 h = 0; h < hubs; h++)
            many(read(s->hub[h]));
        if (hubs) {
            __syncthreads();
            if (threadIdx.x == 0)
                s->hubs = 0;
            __syncthreads();
        }
    }
}

/* By all threads of a block: adds the work that the block has done to the next step's counters. */
ORDO_DEV void flow_report(const flow_args *a, flow_store *s, const flow_place *p)
{
    __syncthreads();
    if (threadIdx.x)
        return;
    if (s->work)
        ordo_dev_add(&a->words->counters[flow_next(p->slot)].work, (ordo_u64)s->work);
    s->work = 0;
}

/* A pulse, which is one step: discharges all entries of the list. `ahead` is the entry of the block's share whose index
 * is the number of the thread's group; it has been loaded in advance. In a strict pulse the vertices to be relabelled
 * are those that the first half has listed for the next step. */
ORDO_DEV void flow_pulse(const flow_args *a, flow_store *s, flow_place *p, flow_totals *totals, ordo_u32 count,
                         uint4 ahead, ordo_cuda_counters *mine)
{
    const flow_target out = {0, 0};
    const bool lift = !p->strict;
    if (flow_keeper()) {
        totals->pulses++;
        flow_keep(a, p, totals, count);
        ordo_dev_add_block(&s->work, p->pulse);
    }
    flow_each(
        s, flow_share(count),
        [&](ordo_u32 i) { return i == threadIdx.x / FLOW_LANES ? ahead : flow_read_share(a, p, i); },
        [&](uint4 entry) { flow_discharge<FLOW_LANES>(a, s, p, out, entry, lift, mine); },
        [&](uint4 entry) { flow_discharge<FLOW_THREADS>(a, s, p, out, entry, lift, mine); },
        [&] { flow_flush(a, s, p, out, false); });
    flow_flush(a, s, p, out, true);
    if (p->strict) {
        flow_place next = *p;
        flow_barrier(&next);
        flow_each(
            s, flow_share(ordo_dev_load(&a->words->counters[next.slot].count)),
            [&](ordo_u32 i) { return flow_read_share(a, &next, i); },
            [&](uint4 entry) { flow_relabel<FLOW_LANES>(a, s, entry, mine); },
            [&](uint4 entry) { flow_relabel<FLOW_THREADS>(a, s, entry, mine); }, [&] { __syncthreads(); });
    }
    flow_report(a, s, p);
    flow_barrier(p);
}

/* One step in which block 0 alone runs pulses, until no vertex is active, more than 2 * FLOW_ALONE are, the work since
 * the last global relabel exceeds `limit`, or the run is to stop. */
ORDO_DEV void flow_alone(const flow_args *a, flow_store *s, flow_place *p, flow_totals *totals, ordo_u32 count,
                         ordo_u64 limit, ordo_cuda_counters *mine)
{
    if (blockIdx.x == 0) {
        flow_target in = {0, 0};
        for (ordo_u32 i = threadIdx.x; i < count; i += FLOW_THREADS)
            s->held[0][i] = flow_read(a, p, i);
        if (threadIdx.x == 0) {
            s->count[0] = count;
            s->stop = 0;
        }
        if (flow_keeper())
            flow_keep(a, p, totals, count);
        for (;;) {
            __syncthreads();
            const ordo_u32 here = s->count[in.slot];
            const bool enough = p->work + s->work > limit || s->stop || s->work >> 31;
            const flow_target out = {in.which ^ 1, flow_next(in.slot)};
            __syncthreads(); /* all threads have read the words that change below */
            if (!here || here > 2 * FLOW_ALONE || enough)
                break;
            if (threadIdx.x == 0)
                s->count[flow_next(out.slot)] = 0; /* last used in the pulse before */
            if (flow_keeper()) {
                totals->pulses++;
                flow_look(a, totals, here);
                s->stop = totals->stop;
                ordo_dev_add_block(&s->work, p->pulse);
            }
            flow_each(
                s, here, [&](ordo_u32 i) { return s->held[in.which][i]; },
                [&](uint4 entry) { flow_discharge<FLOW_LANES>(a, s, p, out, entry, true, mine); },
                [&](uint4 entry) { flow_discharge<FLOW_THREADS>(a, s, p, out, entry, true, mine); },
                [&] { __syncthreads(); });
            in = out;
        }
        flow_flush(a, s, p, in, true);
        if (threadIdx.x < 3)
            s->count[threadIdx.x] = 0;
        if (flow_keeper())
            ordo_dev_store(&a->words->counters[flow_next(p->slot)].stop, totals->stop);
        flow_report(a, s, p);
    }
    flow_barrier(p);
}

/* ---- global relabels ---- */

/* Lowers the height of each vertex that has a residual edge to the entry's vertex to one above the height of that
 * vertex. If the height was higher before, the vertex's row is listed, in pieces. The source is excluded, so paths do
 * not lead through it; if `to` is the source, the search starts there, at height 0. */
ORDO_DEV void flow_search(const flow_args *a, flow_store *s, const flow_place *p, flow_target out, uint4 entry)
{
    const ordo_u32 height = ordo_dev_load(&a->height[entry.x]) + 1;
    for (ordo_u32 e = entry.y + threadIdx.x % FLOW_LANES; e < entry.z; e += FLOW_LANES) {
        const uint2 edge = __ldcg((const uint2 *)&a->edge[e]); /* head, reverse */
        const ordo_u64 residual = ordo_dev_load(&a->edge[edge.y].residual);
        if (ordo_dev_load(&a->height[edge.x]) <= height || !residual || edge.x == a->source)
            continue;
        ordo_u32 begin = __ldg(&a->row[edge.x]), end = __ldg(&a->row[edge.x + 1]); /* loads overlap the atomic */
        if (ordo_dev_min(&a->height[edge.x], height) <= height)
            continue;
        for (; begin < end; begin += FLOW_PIECE)
            flow_append(a, s, p, out,
                        make_uint4(edge.x, begin, end - begin < FLOW_PIECE ? end : begin + FLOW_PIECE, 0));
    }
}

/* A step: each block processes up to FLOW_HOPS levels on its own, starting from its share of the frontier. */
ORDO_DEV void flow_search_levels(const flow_args *a, flow_store *s, const flow_place *p, ordo_u32 count)
{
    const ordo_u32 group = threadIdx.x / FLOW_LANES, share = flow_share(count);
    flow_target out = {0, 0};
    for (ordo_u32 i = group; i < share; i += FLOW_GROUPS)
        flow_search(a, s, p, out, flow_read_share(a, p, i));
    __syncthreads();
    for (int hop = 1; hop < FLOW_HOPS; hop++) {
        const ordo_u32 here = s->count[out.slot];
        const flow_target in = out;
        if (here == 0 || here > FLOW_SMALL)
            break;
        out = flow_target{in.which ^ 1, flow_next(in.slot)};
        if (threadIdx.x == 0)
            s->count[flow_next(out.slot)] = 0; /* last used in the hop before */
        for (ordo_u32 i = group; i < here; i += FLOW_GROUPS)
            flow_search(a, s, p, out, s->held[in.which][i]);
        __syncthreads();
    }
    flow_flush(a, s, p, out, true);
    if (threadIdx.x < 3)
        s->count[threadIdx.x] = 0;
    __syncthreads();
}

/* A step: one level, by all blocks. */
ORDO_DEV void flow_search_level(const flow_args *a, flow_store *s, const flow_place *p, ordo_u32 count)
{
    const ordo_u32 group = threadIdx.x / FLOW_LANES, share = flow_share(count);
    const flow_target out = {0, 0};
    for (ordo_u32 base = 0; base < share; base += FLOW_GROUPS) {
        if (base + group < share)
            flow_search(a, s, p, out, flow_read_share(a, p, base + group));
        flow_flush(a, s, p, out, false);
    }
    flow_flush(a, s, p, out, true);
}

/* A step that begins a search: sets all heights to n, except that of `to`, which is 0. The row of `to` is the list of
 * the next step. */
ORDO_DEV void flow_reset(const flow_args *a, flow_place *p)
{
    const ordo_u32 begin = a->row[a->to], end = a->row[a->to + 1], next = flow_next(p->slot);
    const ordo_u64 threads = (ordo_u64)gridDim.x * FLOW_THREADS;
    const ordo_u64 thread = (ordo_u64)blockIdx.x * FLOW_THREADS + threadIdx.x;
    for (ordo_u64 v = thread; v < a->n; v += threads)
        ordo_dev_store(&a->height[v], v == a->to ? 0 : a->n);
    for (ordo_u64 i = thread; i * FLOW_PIECE < end - begin; i += threads) {
        const ordo_u32 at = begin + (ordo_u32)i * FLOW_PIECE;
        flow_list(a, p->parity ^ 1)[i] = make_uint4(a->to, at, end - at < FLOW_PIECE ? end : at + FLOW_PIECE, 0);
    }
    if (flow_keeper()) {
        ordo_dev_store(&a->words->counters[next].count, (end - begin + FLOW_PIECE - 1) / FLOW_PIECE);
        ordo_dev_store(&a->words->counters[flow_next(next)].count, 0u);
        ordo_dev_store(&a->words->counters[flow_next(next)].work, (ordo_u64)0);
    }
    flow_barrier(p);
}

/* A step that ends a search: lists the active vertices, those with excess and a residual path to `to`. */
ORDO_DEV void flow_gather(const flow_args *a, flow_store *s, flow_place *p)
{
    const ordo_u64 threads = (ordo_u64)gridDim.x * FLOW_THREADS, step = threads * FLOW_AT_ONCE;
    const ordo_u32 later = flow_next(flow_next(p->slot));
    const flow_target out = {0, 0};
    if (flow_keeper()) {
        ordo_dev_store(&a->words->counters[later].count, 0u);
        ordo_dev_store(&a->words->counters[later].work, (ordo_u64)0);
    }
    for (ordo_u64 base = (ordo_u64)blockIdx.x * FLOW_THREADS; base < a->n; base += step) {
        ordo_u64 excess[FLOW_AT_ONCE];
        ordo_u32 height[FLOW_AT_ONCE];
#pragma unroll
        for (int j = 0; j < FLOW_AT_ONCE; j++) {
            const ordo_u64 v = base + threadIdx.x + j * threads;
            excess[j] = v < a->n ? ordo_dev_load(&a->excess[v]) : 0;
            height[j] = v < a->n ? ordo_dev_load(&a->height[v]) : 0;
        }
#pragma unroll
        for (int j = 0; j < FLOW_AT_ONCE; j++) {
            const ordo_u32 v = (ordo_u32)(base + threadIdx.x + j * threads);
            if (excess[j] && height[j] < a->n && v != a->source && v != a->sink)
                flow_append(a, s, p, out, make_uint4(v, a->row[v], a->row[v + 1], 0));
        }
        flow_flush(a, s, p, out, false);
    }
    flow_flush(a, s, p, out, true);
    flow_barrier(p);
}

/* A global relabel: exact heights, and the list of active vertices for the step that follows. Returns false if the run
 * is to stop. */
ORDO_DEV bool flow_relabel_all(const flow_args *a, flow_store *s, flow_place *p, flow_totals *totals)
{
    ordo_u64 levels = FLOW_BESIDES + ((ordo_u64)a->n + a->row[a->n]) / FLOW_STREAM;
    flow_reset(a, p);
    for (;;) {
        flow_counters *counters = &a->words->counters[p->slot];
        const ordo_u32 count = ordo_dev_load(&counters->count);
        if (ordo_dev_load(&counters->stop))
            return false;
        if (p->chained && count > FLOW_CAPACITY(a)) { /* entries were dropped: again, with each vertex listed once */
            p->chained = false;
            flow_reset(a, p);
            continue;
        }
        if (!count)
            break;
        if (flow_keeper())
            flow_keep(a, p, totals, count);
        const bool small = p->chained && count <= gridDim.x * FLOW_SMALL;
        if (small)
            flow_search_levels(a, s, p, count);
        else
            flow_search_level(a, s, p, count);
        levels += small ? FLOW_HOPS : 1;
        flow_barrier(p);
    }
    flow_gather(a, s, p);
    p->work = 0;
    p->pulse = (ordo_u32)flow_less(a->budget / (levels / FLOW_SEARCHED + 1), FLOW_MOST);
    return true;
}

/* ---- the whole ---- */

/* A phase, by all threads of the grid. All threads must take the same branches, since steps contain grid barriers. They
 * decide by the counters of the step, which are written before the barrier that begins the step, and written again only
 * after the barrier that ends it. */
ORDO_DEV void flow_run(const flow_args *a, flow_store *s)
{
    flow_words *const w = a->words;
    flow_place p = {0, 0, 0, 0, true, false};
    flow_totals totals = {0, 0, 0};
    ordo_cuda_counters mine = {};
    if (threadIdx.x < 3)
        s->count[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        s->hubs = s->work = 0;
    if (w->stopped)
        return;
    totals.pulses = w->pulses;
    const ordo_u64 before = w->global_relabels;
    ordo_u64 searches = before;
    __syncthreads();
    for (bool stop = false; !stop;) {
        stop = !flow_relabel_all(a, s, &p, &totals);
        if (stop)
            break;
        searches++;
        p.strict = searches - before > FLOW_STRICT;
        const ordo_u32 active = ordo_dev_load(&w->counters[p.slot].count);
        if (flow_keeper()) {
            w->active = active;
            ordo_dev_sample(a->run.record, active, totals.pulses, 0, 1, -1);
        }
        if (!active)
            break;
        for (;;) {
            flow_counters *counters = &w->counters[p.slot];
            const ordo_u32 mine_at = blockIdx.x + threadIdx.x / FLOW_LANES * gridDim.x;
            const uint4 ahead =
                mine_at < a->capacity ? flow_read(a, &p, mine_at) : make_uint4(0, 0, 0, 0); /* if < count */
            const ordo_u32 count = ordo_dev_load(&counters->count);
            stop = ordo_dev_load(&counters->stop);
            p.work += ordo_dev_load(&counters->work);
            if (!count || stop || p.work > a->budget)
                break;
            if (count <= FLOW_ALONE && !p.strict)
                flow_alone(a, s, &p, &totals, count, a->budget, &mine);
            else
                flow_pulse(a, s, &p, &totals, count, ahead, &mine);
        }
    }
    if (flow_keeper()) {
        w->stopped = totals.stop;
        w->pulses = totals.pulses;
        w->global_relabels = searches;
        a->run.record->supersteps = totals.pulses;
    }
    mine.useful = mine.edges;
    mine.activations = mine.items;
    ordo_dev_publish(a->run.counters, mine);
}

#ifdef __CUDACC__ /* the test on fibers defines its own */
static __global__ void __launch_bounds__(FLOW_THREADS, 1) flow_cuda_kernel(const flow_args a)
{
    __shared__ flow_store store;
    flow_run(&a, &store);
}
#endif

#endif
