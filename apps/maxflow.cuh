/* maxflow.cuh -- a phase of a maximum flow on a GPU: the kernel. maxflow.cu launches it, once a phase.
 *
 * Problem: from a preflow on, push excess towards `to` (the sink, then the source) until no vertex that can reach it
 * has any; heights are exact distances then.
 *
 * Method: push-relabel (Goldberg and Tarjan 1988) in pulses, with global relabels by work done (Cherkassky and Goldberg
 * 1997): distances to `to` by a search over residual edges. All in one cooperative launch, a grid barrier after each
 * pulse. Some lanes have an active vertex; a prefix sum over residuals shares its excess out among downward edges, and
 * what is left lifts the vertex, some times over.
 *
 * Why it is right. A vertex is listed once: by whoever lifts its excess from 0, or by the one that has it, if there is
 * some after it took off what it has sent; the atomic on its excess decides which. So a height has one writer, and a
 * residual is made smaller by one, who takes no more than was there; the sum of a pair's does not change. That is a
 * preflow, whatever heights say. The end is a global relabel that finds no active vertex: then there is no way from an
 * excess to `to`, whatever was done before.
 *
 * Why it ends. While a vertex is lifted, somebody may push to it by the height that it had: then a residual edge may
 * lead down by more than one, and the height at its tail may be above the distance. That costs work at worst (a vertex
 * at height n is left alone until the next global relabel), but nobody has proved that the sequence of global relabels
 * ends. So from the FLOW_STRICT-th one on a pulse has two halves and a barrier between them, in the first of which
 * heights stand still and in the second residuals (Anderson and Setubal 1995): labels are valid then, which is what the
 * proof needs. Heights only rise in a half, so one that is read early is too low, which makes the new one too low,
 * which is a valid one.
 *
 * Thin work. A step costs a barrier and a chain of loads, and networks have thousands of levels of a few hundred
 * vertices. So with few active vertices one block goes on by itself, its list in shared memory, while others wait. And
 * in a search whose frontier is thin every block goes on with what it has found, FLOW_HOPS levels between barriers. A
 * height is lowered by an atomic minimum, and whoever lowers one puts the vertex on a list: so it ends with distances,
 * in whatever order. Then a vertex may be listed more than once, and lists may be too small: the search begins anew,
 * level by level, where each vertex is listed once.
 *
 * Memory order: relaxed words within a step; what the next one reads is passed on by a barrier. Nothing that changes is
 * read through the first-level cache.
 *
 * Not done: gaps (counting vertices at each height cost more than it spared, in pulses as in time).
 */
#ifndef ORDO_MAXFLOW_CUH
#define ORDO_MAXFLOW_CUH

#include "apps/network.h"

/* A test compiles this for the host and brings what of cuda.cuh is used here (tests/gpu/fibers.h). */
#ifndef ORDO_DEV
#include <cooperative_groups.h>

#include <ordo/detail/cuda/frontier.cuh>

#include "operators/relabel.h"
#endif

/* What the test has of its own. */
#ifndef FLOW_THREADS
#define FLOW_THREADS 512             /* of a block; one a multiprocessor: more make barriers dearer (measured) */
#define FLOW_HOPS 12                 /* levels of a search between barriers, where it is thin */
#define FLOW_STRICT 1000             /* global relabels */
#define FLOW_ALONE (FLOW_GROUPS / 2) /* active vertices, up to which one block is alone; it stops at twice as many */
#endif

enum {
    FLOW_LANES = 8, /* with a vertex */
    FLOW_GROUPS = FLOW_THREADS / FLOW_LANES,
    FLOW_HUB = FLOW_THREADS / 2,   /* a row of more edges has a block in pulses */
    FLOW_HUBS = FLOW_GROUPS,       /* of a block that wait for it; what finds no room has its lanes alone */
    FLOW_PIECE = FLOW_THREADS / 8, /* edges of an entry in a search */
    FLOW_HELD = 2 * FLOW_THREADS,  /* entries of a block's list */
    FLOW_THIN = 4 * FLOW_GROUPS,   /* entries a block, up to which it goes on by itself in a search */
    FLOW_AT_ONCE = 4,              /* loads of a thread on their way together */
    FLOW_LIFTS = 4,                /* of a vertex in a pulse, at most */
    FLOW_RELABEL_EVERY = 2,        /* global relabels: work of so many times r + 4 n, of r residual edges; or */
    FLOW_SEARCHED = 3,             /* a pulse for each so many levels of the last search: that takes about as long */
    FLOW_WORK = 12,                /* of a relabel, beside its edges */
    FLOW_MOST = 1 << 24,           /* work of a pulse, beside its relabels */
    FLOW_BESIDES = 24,             /* levels that the rest of a global relabel is worth */
    FLOW_STREAM = 100000,          /* vertices and edges that a search goes over in the time of a level, where many */
    FLOW_LOOK = 64,                /* pulses or steps of a search between two looks at the mailbox: it is on the host */
    FLOW_LINE = 32                 /* words */
};

/* Words of a step, by steps of three: step t uses those of t % 3, adds to those of t + 1, and clears those of t + 2,
 * which were last used in t - 1; everybody has passed a barrier since. A step is a pulse, or a level or some. */
typedef struct flow_counters {
    ordo_u32 count; /* entries of the list */
    ordo_u32 stop;  /* what the mailbox said in the step before: the same for all */
    ordo_u64 work;  /* of the step before */
    ordo_u32 padding[FLOW_LINE - 4];
} flow_counters;

/* Words that all blocks share; zero at first. */
typedef struct flow_words {
    flow_counters counters[3];
    ordo_u32 full;    /* a list was too small: searches go level by level from now on */
    ordo_u32 stopped; /* the launch has ended early */
    ordo_u32 active;  /* vertices after the last global relabel */
    ordo_u64 pulses, global_relabels;
} flow_words;

typedef struct flow_args {
    discharge_edge *edge;
    const ordo_u32 *row; /* [n + 1] */
    ordo_u64 *excess;    /* [n] */
    ordo_u32 *height;    /* [n] */
    uint4 *list;         /* [2 * room] by parity of the step: vertex, a part of its row */
    ordo_u32 n, capacity, source, sink, to;
    ordo_u64 budget;
    flow_words *words;
    ordo_cuda_run run;
} flow_args;

/* A block's, in shared memory: two lists by parity, their counts by steps of three as above, of hops. */
typedef struct flow_store {
    uint4 held[2][FLOW_HELD];
    ordo_u32 count[3], base, work, stop;
    ordo_u32 hubs, hub[FLOW_HUBS];
    ordo_u64 sum[FLOW_THREADS / 32], word;
} flow_store;

/* What a thread knows of where the run is; the same in all. */
typedef struct flow_place {
    ordo_u32 slot, parity; /* of the step */
    ordo_u64 work;         /* since the last global relabel */
    ordo_u32 pulse;        /* work of a pulse, beside that of its relabels */
    bool chained;          /* in searches */
    bool strict;           /* pulses of two halves */
} flow_place;

/* One thread, of the block that may be alone; its lanes have least to do. */
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

/* Ends a step. */
ORDO_DEV void flow_barrier(flow_place *p)
{
    cooperative_groups::this_grid().sync();
    p->slot = flow_next(p->slot);
    p->parity ^= 1;
}

/* The keeper looks at the mailbox, now and then. */
ORDO_DEV void flow_look(const flow_args *a, flow_totals *totals, ordo_u32 in_flight)
{
    if (++totals->looks % FLOW_LOOK)
        return;
    totals->stop = a->run.mailbox->stop;
    a->run.mailbox->supersteps = totals->pulses;
    a->run.mailbox->in_flight = in_flight;
}

/* The keeper's part of a step: words of later ones. */
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

/* Where entries go: a list of the block, and what finds no room there to that of the next step. */
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
    else
        ordo_dev_store(&a->words->full, 1u);
}

/* By all threads: empties a list of the block into that of the next step, if it is half full or `all`. Begins and ends
 * with a barrier. */
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
            else
                ordo_dev_store(&a->words->full, 1u);
        if (threadIdx.x == 0)
            s->count[from.slot] = 0;
    }
    __syncthreads();
}

/* How many of `count` entries a block has, and the i-th of them: dealt out one by one, so that few are on many blocks.
 */
ORDO_DEV ordo_u32 flow_share(ordo_u32 count)
{
    return blockIdx.x < count ? (count - blockIdx.x - 1) / gridDim.x + 1 : 0;
}

ORDO_DEV uint4 flow_read_share(const flow_args *a, const flow_place *p, ordo_u32 i)
{
    return flow_read(a, p, blockIdx.x + i * gridDim.x);
}

/* ---- lanes with a row ---- */

/* Head, reverse, and residual of an edge, past the first-level cache. */
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

/* Sums of `amount` over lower lanes, and over all: never more than `most`, below 2^63, to which amounts are cut
 * already. */
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

/* The least word of all lanes, in all. */
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

/* The first lane's word in all: what others may change meanwhile, one of them reads. */
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

/* A push that has been sent: what the head had, and its row. Looked at as late as can be, for it is on its way. */
typedef struct flow_sent {
    ordo_u64 had; /* 1: nothing to be done */
    uint4 entry;
} flow_sent;

ORDO_DEV void flow_arrive(const flow_args *a, flow_store *s, const flow_place *p, flow_target out, flow_sent *sent)
{
    if (sent->had == 0 && sent->entry.x != a->source && sent->entry.x != a->sink)
        flow_append(a, s, p, out, sent->entry);
    sent->had = 1;
}

/* Sends `amount`, which is not 0, along edge e. */
ORDO_DEV flow_sent flow_push(const flow_args *a, ordo_u32 e, discharge_edge edge, ordo_u64 amount)
{
    flow_sent sent;
    ordo_dev_add(&a->edge[e].residual, 0 - amount);
    ordo_dev_add(&a->edge[edge.reverse].residual, amount);
    sent.had = ordo_dev_add(&a->excess[edge.head], amount);
    sent.entry = make_uint4(edge.head, __ldg(&a->row[edge.head]), __ldg(&a->row[edge.head + 1]), 0);
    return sent;
}

/* A lifted vertex, by one lane. */
ORDO_DEV ordo_u32 flow_lift(const flow_args *a, flow_store *s, uint4 entry, ordo_u32 lowest, ordo_cuda_counters *mine)
{
    const ordo_u32 height = lowest < a->n ? lowest + 1 : a->n;
    ordo_dev_store(&a->height[entry.x], height);
    ordo_dev_add_block(&s->work, FLOW_WORK + entry.z - entry.y);
    mine->edges++;
    return height;
}

/* Pushes what edges that lead down take; where `lift`, a vertex that has some left is lifted over the lowest residual
 * edge and goes on, with heights as it has seen them where its lanes hold the row. */
template <int Lanes>
ORDO_DEV void flow_discharge(const flow_args *a, flow_store *s, const flow_place *p, flow_target out, uint4 entry,
                             bool lift, ordo_cuda_counters *mine)
{
    const ordo_u32 v = entry.x, lane = threadIdx.x % Lanes;
    const bool fits = entry.z - entry.y <= Lanes;
    discharge_edge edge = {0, 0, 0};
    if (entry.y + lane < entry.z)
        edge = flow_edge(a, entry.y + lane);
    ordo_u32 height = ordo_dev_load(&a->height[v]); /* nobody else changes it */
    ordo_u64 excess = lane == 0 ? ordo_dev_load(&a->excess[v]) : 0, sent = 0;
    ordo_u32 there = edge.residual ? ordo_dev_load(&a->height[edge.head]) : a->n;
    excess = flow_first<Lanes>(s, excess);
    flow_sent last = {1, {0, 0, 0, 0}};
    for (int lifts = 0; height < a->n; lifts++) {
        ordo_u32 lowest = a->n;
        for (ordo_u32 first = entry.y; first < entry.z && sent < excess; first += Lanes) {
            const ordo_u32 e = first + lane;
            if (!fits && lifts + first > entry.y) { /* not the ones that are here already */
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
        lowest = flow_least<Lanes>(s, lowest); /* not below the height: edges that lead down are full */
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

/* The second half of a strict pulse: lifts a vertex that no residual edge leads down from. */
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

/* Remembers a row that a block is to do. False where there is no room. */
ORDO_DEV bool flow_keep_hub(flow_store *s, ordo_u32 i)
{
    const ordo_u32 at = ordo_dev_add_block(&s->hubs, 1u);
    if (at < FLOW_HUBS)
        s->hub[at] = i;
    return at < FLOW_HUBS;
}

/* By all threads, entries 0 .. count - 1 of `read`: `few(entry)` by the lanes that have one, `many(entry)` by the
 * block, `between()` after each round. Ends with a barrier. */
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
        between(); /* ends with a barrier: all have read how many hubs there are */
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

/* Work that the block has done, to the next step's words; by all threads. */
ORDO_DEV void flow_report(const flow_args *a, flow_store *s, const flow_place *p)
{
    __syncthreads();
    if (threadIdx.x)
        return;
    if (s->work)
        ordo_dev_add(&a->words->counters[flow_next(p->slot)].work, (ordo_u64)s->work);
    s->work = 0;
}

/* A step in which all entries are discharged. `ahead`: of the block's share, that of the number of the lanes' group. */
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

/* A step in which block 0 discharges, pulse after pulse, until many are active, or none, or `limit` is reached. */
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
            __syncthreads(); /* all have read what now changes */
            if (!here || here > 2 * FLOW_ALONE || enough)
                break;
            if (threadIdx.x == 0)
                s->count[flow_next(out.slot)] = 0; /* of the pulse before */
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

/* Lowers the heights of vertices with a residual edge to that of the entry; where they had been higher their rows are
 * listed, in pieces. The source is not on a way, but where that is what is looked for. */
ORDO_DEV void flow_search(const flow_args *a, flow_store *s, const flow_place *p, flow_target out, uint4 entry)
{
    const ordo_u32 height = ordo_dev_load(&a->height[entry.x]) + 1;
    for (ordo_u32 e = entry.y + threadIdx.x % FLOW_LANES; e < entry.z; e += FLOW_LANES) {
        const uint2 edge = __ldcg((const uint2 *)&a->edge[e]); /* head, reverse */
        const ordo_u64 residual = ordo_dev_load(&a->edge[edge.y].residual);
        if (ordo_dev_load(&a->height[edge.x]) <= height || !residual || edge.x == a->source)
            continue;
        ordo_u32 begin = __ldg(&a->row[edge.x]), end = __ldg(&a->row[edge.x + 1]); /* on their way meanwhile */
        if (ordo_dev_min(&a->height[edge.x], height) <= height)
            continue;
        for (; begin < end; begin += FLOW_PIECE)
            flow_append(a, s, p, out,
                        make_uint4(edge.x, begin, end - begin < FLOW_PIECE ? end : begin + FLOW_PIECE, 0));
    }
}

/* Some levels by each block by itself, from its share of the frontier on. */
ORDO_DEV void flow_search_near(const flow_args *a, flow_store *s, const flow_place *p, ordo_u32 count)
{
    const ordo_u32 group = threadIdx.x / FLOW_LANES, share = flow_share(count);
    flow_target out = {0, 0};
    for (ordo_u32 i = group; i < share; i += FLOW_GROUPS)
        flow_search(a, s, p, out, flow_read_share(a, p, i));
    __syncthreads();
    for (int hop = 1; hop < FLOW_HOPS; hop++) {
        const ordo_u32 here = s->count[out.slot];
        const flow_target in = out;
        if (here == 0 || here > FLOW_THIN)
            break;
        out = flow_target{in.which ^ 1, flow_next(in.slot)};
        if (threadIdx.x == 0)
            s->count[flow_next(out.slot)] = 0; /* of the hop before */
        for (ordo_u32 i = group; i < here; i += FLOW_GROUPS)
            flow_search(a, s, p, out, s->held[in.which][i]);
        __syncthreads();
    }
    flow_flush(a, s, p, out, true);
    if (threadIdx.x < 3)
        s->count[threadIdx.x] = 0;
    __syncthreads();
}

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

/* A step: every height to n but that of `to`, which is the first entry of the next one. */
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

/* A step: lists vertices with excess from which there is a way. */
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

/* Exact heights, and the list of active vertices for this step. False where the run is to end. */
ORDO_DEV bool flow_relabel_all(const flow_args *a, flow_store *s, flow_place *p, flow_totals *totals)
{
    ordo_u64 levels = FLOW_BESIDES + ((ordo_u64)a->n + a->row[a->n]) / FLOW_STREAM;
    flow_reset(a, p);
    for (;;) {
        flow_counters *counters = &a->words->counters[p->slot];
        const ordo_u32 count = ordo_dev_load(&counters->count), full = ordo_dev_load(&a->words->full);
        if (ordo_dev_load(&counters->stop))
            return false;
        if (full && p->chained) {
            p->chained = false;
            flow_reset(a, p);
            continue;
        }
        if (!count)
            break;
        if (flow_keeper())
            flow_keep(a, p, totals, count);
        const bool thin = p->chained && count <= gridDim.x * FLOW_THIN;
        if (thin)
            flow_search_near(a, s, p, count);
        else
            flow_search_level(a, s, p, count);
        levels += thin ? FLOW_HOPS : 1;
        flow_barrier(p);
    }
    flow_gather(a, s, p);
    p->work = 0;
    p->pulse = (ordo_u32)flow_less(a->budget / (levels / FLOW_SEARCHED + 1), FLOW_MOST);
    return true;
}

/* ---- the whole ---- */

/* A phase, by all threads. What they decide by is read after a barrier, and written again only behind the next one. */
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
                mine_at < a->capacity ? flow_read(a, &p, mine_at) : make_uint4(0, 0, 0, 0); /* if it is one */
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

#ifdef __CUDACC__ /* the test on fibers has one of its own */
static __global__ void __launch_bounds__(FLOW_THREADS, 1) flow_cuda_kernel(const flow_args a)
{
    __shared__ flow_store store;
    flow_run(&a, &store);
}
#endif

#endif
