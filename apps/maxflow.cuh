/* maxflow.cuh -- a phase of a maximum flow on a GPU: the kernel. maxflow.cu launches it, once a phase.
 *
 * Problem: from a preflow on, push excess towards `to` (the sink, then the source) until no vertex that can reach it
 * has any; heights are exact distances then.
 *
 * Method: push-relabel (Goldberg and Tarjan 1988) in pulses of two halves (after Anderson and Setubal 1995, and
 * Baumstark, Blelloch and Shun, "Efficient implementation of a synchronous parallel push-relabel algorithm", ESA 2015):
 *   push     every active vertex, by the heights of before: what its admissible edges take. Some lanes have a vertex;
 *            a prefix sum over residuals shares the excess out among them.
 *   relabel  every vertex that is active then: where no edge is admissible, to the lowest height that makes one so.
 * Global relabels by work done (Cherkassky and Goldberg 1997): distances to `to` by a search over residual edges.
 * Everything in one cooperative launch, a grid barrier after each half of a pulse.
 *
 * Why it is right. Push: heights stand still, so of a pair of edges one at most is admissible, and the two residuals
 * have one writer. Relabel: residuals stand still; heights only rise, so one that is read early is too low, which makes
 * the new one too low, which is a valid one. With valid labels a vertex at height n cannot reach `to`; it is left alone
 * until the next global relabel. A vertex is listed once: by whoever lifts its excess from 0, or by itself if there is
 * some after it took off what it has sent; the atomic on its excess decides which.
 *
 * The search. A level costs a barrier and a chain of loads, and a deep network has thousands of levels of a few hundred
 * vertices. So where the frontier is thin a block goes on with what it has found, FLOW_HOPS levels between barriers.
 * A height is lowered by an atomic minimum, and whoever lowers one puts the vertex on a list: so it ends with
 * distances, in whatever order. Then a vertex may be listed more than once, and lists may be too small: the search
 * begins anew, level by level, where each vertex is listed once.
 *
 * Memory order: relaxed words within a half or a level; what the next one reads is passed on by a barrier. Nothing that
 * changes is read through the first-level cache.
 *
 * Not done: gaps (counting vertices at each height cost more than it spared, in pulses as in time).
 */
#ifndef ORDO_MAXFLOW_CUH
#define ORDO_MAXFLOW_CUH

#include "apps/network.h"

/* A test compiles this for the host and brings what of cuda.cuh is used here (tests/gpu/fibers.h). */
#ifndef ORDO_DEV
#define ORDO_OP relabel
#include "operators/relabel.h"
#include <ordo/cuda.cuh>
#endif

#ifndef FLOW_THREADS
#define FLOW_THREADS 512 /* of a block; one a multiprocessor: more make barriers dearer (measured) */
#endif
#ifndef FLOW_HOPS
#define FLOW_HOPS 16
#endif
#ifndef FLOW_RELABEL_EVERY
#define FLOW_RELABEL_EVERY 1 /* global relabels: work of so many times r + 4 n, of r residual edges */
#endif

enum {
    FLOW_LANES = 8, /* with a vertex */
    FLOW_GROUPS = FLOW_THREADS / FLOW_LANES,
    FLOW_HUB = FLOW_THREADS / 2,  /* a row of more edges has a block in pulses */
    FLOW_HUBS = FLOW_GROUPS,      /* of a block that wait for it; what finds no room has its lanes alone */
    FLOW_PIECE = FLOW_THREADS / 8, /* edges of an entry in a search */
    FLOW_HELD = 2 * FLOW_THREADS, /* entries of a block's list */
    FLOW_THIN = 4 * FLOW_GROUPS,  /* entries a block, up to which it goes on by itself */
    FLOW_ALONE = FLOW_GROUPS,     /* active vertices, up to which one block pulses alone; it stops at twice as many */
    FLOW_AT_ONCE = 4,             /* loads of a thread on their way together */
    FLOW_RELABEL = 12,            /* work of a relabel, beside its edges */
    FLOW_LOOK = 200000,           /* nanoseconds between two looks at the mailbox, which is on the host */
    FLOW_LINE = 32                /* words */
};

/* Words of a turn, by turns of three: turn t uses those of t % 3, lists entries for t + 1, and clears the count of
 * t + 2, which was last used in t - 1; everybody has passed a barrier since. A turn is a pulse, or a level or some. */
typedef struct flow_turn {
    ordo_u32 count, stop, padding[FLOW_LINE - 2]; /* entries; what the mailbox said before this turn */
} flow_turn;

/* Words that all blocks share; zero at first. */
typedef struct flow_words {
    flow_turn turn[3];
    ordo_u64 work, padding0[FLOW_LINE / 2 - 1]; /* of relabels, since the beginning */
    ordo_u32 full, padding1[FLOW_LINE - 1];     /* a list was too small: searches go level by level from now on */
    ordo_u32 slot, parity;                      /* where the block that was alone has ended */
    ordo_u32 stopped;                           /* the launch has ended early */
    ordo_u32 active;                            /* vertices after the last global relabel */
    ordo_u64 pulses, global_relabels;
} flow_words;

typedef struct flow_args {
    discharge_edge *edge;
    const ordo_u32 *row; /* [n + 1] */
    ordo_u64 *excess;    /* [n] */
    ordo_u32 *height;    /* [n] */
    uint4 *list;         /* [2 * room] by parity of the turn: vertex, a part of its row */
    ordo_u32 n, room, source, sink, to;
    ordo_u64 budget, hand_over;
    flow_words *words;
    ordo_u32 *left; /* active vertices that the CPU is to go on with, or 0 */
    ordo_cuda_counters *counters;
    ordo_cuda_record *record;
    ordo_cuda_mailbox *mailbox;
} flow_args;

/* A block's, in shared memory. `count` by turns as above, of hops. */
typedef struct flow_store {
    uint4 held[2][FLOW_HELD];
    ordo_u32 count[3], base, work;
    ordo_u32 hubs, hub[FLOW_HUBS];
    ordo_u64 sum[FLOW_THREADS / 32], word;
} flow_store;

/* What a thread knows of where the run is; the same in all. */
typedef struct flow_place {
    ordo_u32 slot, parity; /* of the turn */
    bool alone;            /* one block, the others wait */
    bool chained;          /* in searches */
} flow_place;

ORDO_DEV ordo_u32 flow_next(ordo_u32 slot)
{
    return slot == 2 ? 0 : slot + 1;
}

ORDO_DEV void flow_barrier(flow_place *p)
{
    if (p->alone)
        __syncthreads();
    else
        cooperative_groups::this_grid().sync();
    p->slot = flow_next(p->slot);
    p->parity ^= 1;
}

ORDO_DEV void flow_half_barrier(const flow_place *p)
{
    flow_place same = *p;
    flow_barrier(&same);
}

/* One thread, of a block that is never left waiting; its lanes have least to do. */
ORDO_DEV bool flow_keeper(void)
{
    return blockIdx.x == 0 && threadIdx.x == FLOW_THREADS - 1;
}

/* The keeper's, at the begin of a turn: the words of later turns, and now and then the mailbox. */
typedef struct flow_books {
    ordo_u64 looked, pulses;
    ordo_u32 stop;
} flow_books;

ORDO_DEV void flow_begin_turn(const flow_args *a, const flow_place *p, flow_books *books, ordo_u32 in_flight)
{
    flow_turn *const turn = a->words->turn;
    const ordo_u32 next = flow_next(p->slot);
    const ordo_u64 now = ordo_dev_clock();
    if (now - books->looked > FLOW_LOOK) {
        books->looked = now;
        books->stop = a->mailbox->stop;
        a->mailbox->supersteps = books->pulses;
        a->mailbox->in_flight = in_flight;
    }
    ordo_dev_store(&turn[next].stop, books->stop);
    ordo_dev_store(&turn[flow_next(next)].count, 0u);
}

/* ---- lists ---- */

ORDO_DEV uint4 *flow_list(const flow_args *a, ordo_u32 parity)
{
    return a->list + (parity ? a->room : 0);
}

ORDO_DEV uint4 flow_read(const flow_args *a, const flow_place *p, ordo_u32 i)
{
    return __ldcg(flow_list(a, p->parity) + i);
}

/* To the list of the next turn, past the block's own. */
ORDO_DEV void flow_put(const flow_args *a, const flow_place *p, uint4 entry)
{
    const ordo_u32 at = ordo_dev_add(&a->words->turn[flow_next(p->slot)].count, 1u);
    if (at < a->room)
        flow_list(a, p->parity ^ 1)[at] = entry;
    else
        ordo_dev_store(&a->words->full, 1u);
}

/* To a list of the block, or past it. */
ORDO_DEV void flow_append(const flow_args *a, flow_store *s, const flow_place *p, ordo_u32 which, ordo_u32 slot,
                          uint4 entry)
{
    const ordo_u32 at = ordo_dev_add_near(&s->count[slot], 1u);
    if (at < FLOW_HELD)
        s->held[which][at] = entry;
    else
        flow_put(a, p, entry);
}

/* By all threads: empties a list of the block into that of the next turn, if it is half full or `all`. Begins and ends
 * with a barrier. */
ORDO_DEV void flow_flush(const flow_args *a, flow_store *s, const flow_place *p, ordo_u32 which, ordo_u32 slot,
                         bool all)
{
    __syncthreads();
    const ordo_u32 held = s->count[slot] < FLOW_HELD ? s->count[slot] : FLOW_HELD;
    if (held >= (all ? 1 : FLOW_HELD / 2)) {
        if (threadIdx.x == 0)
            s->base = ordo_dev_add(&a->words->turn[flow_next(p->slot)].count, held);
        __syncthreads();
        uint4 *list = flow_list(a, p->parity ^ 1);
        const ordo_u32 base = s->base;
        for (ordo_u32 i = threadIdx.x; i < held; i += FLOW_THREADS)
            if (base + i < a->room)
                list[base + i] = s->held[which][i];
            else
                ordo_dev_store(&a->words->full, 1u);
        if (threadIdx.x == 0)
            s->count[slot] = 0;
    }
    __syncthreads();
}

/* How many of `count` entries a block has, and its i-th: dealt out one by one, so that few are on many blocks. */
ORDO_DEV ordo_u32 flow_share(const flow_place *p, ordo_u32 count)
{
    if (p->alone)
        return count;
    return blockIdx.x < count ? (count - blockIdx.x - 1) / gridDim.x + 1 : 0;
}

ORDO_DEV ordo_u32 flow_index(const flow_place *p, ordo_u32 i)
{
    return p->alone ? i : blockIdx.x + i * gridDim.x;
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
template <int Lanes>
ORDO_DEV ordo_u64 flow_before(flow_store *s, ordo_u64 amount, ordo_u64 most, ordo_u64 *all)
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

ORDO_DEV void flow_list_active(const flow_args *a, flow_store *s, const flow_place *p, ordo_u32 v, ordo_u32 begin,
                               ordo_u32 end)
{
    flow_append(a, s, p, 0, 0, make_uint4(v, begin, end, 0));
}

/* Pushes what admissible edges of a row take. */
template <int Lanes>
ORDO_DEV void flow_push(const flow_args *a, flow_store *s, const flow_place *p, uint4 entry, ordo_cuda_counters *mine)
{
    const ordo_u32 v = entry.x, lane = threadIdx.x % Lanes;
    const ordo_u32 height = ordo_dev_load(&a->height[v]);
    const ordo_u64 excess = flow_first<Lanes>(s, lane == 0 ? ordo_dev_load(&a->excess[v]) : 0);
    ordo_u64 sent = 0;
    if (height >= a->n)
        return;
    for (ordo_u32 first = entry.y; first < entry.z && sent < excess; first += Lanes) {
        const ordo_u32 e = first + lane;
        discharge_edge edge = {0, 0, 0};
        if (e < entry.z)
            edge = flow_edge(a, e);
        ordo_u64 amount = 0, all;
        if (edge.residual && ordo_dev_load(&a->height[edge.head]) + 1 == height)
            amount = flow_less(edge.residual, excess);
        const ordo_u64 before = flow_less(flow_before<Lanes>(s, amount, excess, &all) + sent, excess);
        amount = flow_less(amount, excess - before);
        sent = flow_less(sent + all, excess);
        if (!amount)
            continue;
        const ordo_u32 begin = __ldg(&a->row[edge.head]), end = __ldg(&a->row[edge.head + 1]); /* on their way, too */
        ordo_dev_store(&a->edge[e].residual, edge.residual - amount);
        ordo_dev_add(&a->edge[edge.reverse].residual, amount);
        if (ordo_dev_add(&a->excess[edge.head], amount) == 0 && edge.head != a->source && edge.head != a->sink)
            flow_list_active(a, s, p, edge.head, begin, end);
        mine->edges++;
    }
    if (lane == 0) {
        const ordo_u64 had = sent ? ordo_dev_add(&a->excess[v], 0 - sent) : excess;
        if (had > sent)
            flow_list_active(a, s, p, v, entry.y, entry.z);
        mine->items++;
    }
}

template <int Lanes>
ORDO_DEV void flow_relabel(const flow_args *a, flow_store *s, uint4 entry, ordo_cuda_counters *mine)
{
    const ordo_u32 v = entry.x, lane = threadIdx.x % Lanes;
    const ordo_u32 height = ordo_dev_load(&a->height[v]); /* nobody else changes it */
    ordo_u32 lowest = a->n;
    for (ordo_u32 first = entry.y; first < entry.z; first += Lanes) {
        const ordo_u32 e = first + lane;
        if (e >= entry.z)
            break;
        const discharge_edge edge = flow_edge(a, e);
        const ordo_u32 there = ordo_dev_load(&a->height[edge.head]);
        if (edge.residual && there < lowest)
            lowest = there;
    }
    lowest = flow_least<Lanes>(s, lowest);
    if (lane == 0 && lowest >= height && height < a->n) {
        ordo_dev_store(&a->height[v], lowest < a->n ? lowest + 1 : a->n);
        ordo_dev_add_near(&s->work, FLOW_RELABEL + entry.z - entry.y);
        mine->edges++;
    }
}

/* Remembers a row that a block is to do. False where there is no room. */
ORDO_DEV bool flow_keep_hub(flow_store *s, ordo_u32 i)
{
    const ordo_u32 at = ordo_dev_add_near(&s->hubs, 1u);
    if (at < FLOW_HUBS)
        s->hub[at] = i;
    return at < FLOW_HUBS;
}

/* All entries of a turn: `few(entry)` by the lanes that have one, `many(entry)` by the block; `between()` after each
 * round, by all threads. */
template <typename Few, typename Many, typename Between>
ORDO_DEV void flow_each(const flow_args *a, flow_store *s, const flow_place *p, ordo_u32 count, Few few, Many many,
                        Between between)
{
    const ordo_u32 share = flow_share(p, count), group = threadIdx.x / FLOW_LANES;
    for (ordo_u32 base = 0; base < share; base += FLOW_GROUPS) {
        if (base + group < share) {
            const ordo_u32 i = flow_index(p, base + group);
            const uint4 entry = flow_read(a, p, i);
            bool later = entry.z - entry.y > FLOW_HUB;
            if (later)
                later = flow_first<FLOW_LANES>(
                    s, threadIdx.x % FLOW_LANES == 0 ? (ordo_u64)flow_keep_hub(s, i) : 0);
            if (!later)
                few(entry);
        }
        __syncthreads();
        const ordo_u32 hubs = s->hubs < FLOW_HUBS ? s->hubs : FLOW_HUBS;
        between(); /* ends with a barrier: all have read how many hubs there are */
        for (ordo_u32 h = 0; h < hubs; h++)
            many(flow_read(a, p, s->hub[h]));
        if (hubs) {
            __syncthreads();
            if (threadIdx.x == 0)
                s->hubs = 0;
            __syncthreads();
        }
    }
}

/* A pulse: entries of this turn push, those of the next one are relabeled. */
ORDO_DEV void flow_pulse(const flow_args *a, flow_store *s, flow_place *p, flow_books *books, ordo_u32 count,
                         ordo_cuda_counters *mine)
{
    if (flow_keeper()) {
        books->pulses++;
        flow_begin_turn(a, p, books, count);
    }
    flow_each(
        a, s, p, count, [&](uint4 entry) { flow_push<FLOW_LANES>(a, s, p, entry, mine); },
        [&](uint4 entry) { flow_push<FLOW_THREADS>(a, s, p, entry, mine); },
        [&] { flow_flush(a, s, p, 0, 0, false); });
    flow_flush(a, s, p, 0, 0, true);
    flow_half_barrier(p);
    flow_place next = *p;
    next.slot = flow_next(p->slot);
    next.parity ^= 1;
    flow_each(
        a, s, &next, ordo_dev_load(&a->words->turn[next.slot].count),
        [&](uint4 entry) { flow_relabel<FLOW_LANES>(a, s, entry, mine); },
        [&](uint4 entry) { flow_relabel<FLOW_THREADS>(a, s, entry, mine); }, [&] { __syncthreads(); });
    __syncthreads();
    if (threadIdx.x == 0 && s->work) {
        ordo_dev_add(&a->words->work, (ordo_u64)s->work);
        s->work = 0;
    }
    flow_barrier(p);
}

/* ---- global relabels ---- */

/* A row, in pieces. */
ORDO_DEV void flow_found(const flow_args *a, flow_store *s, const flow_place *p, ordo_u32 which, ordo_u32 slot,
                         ordo_u32 v, ordo_u32 begin, ordo_u32 end)
{
    for (; begin < end; begin += FLOW_PIECE)
        flow_append(a, s, p, which, slot,
                    make_uint4(v, begin, end - begin < FLOW_PIECE ? end : begin + FLOW_PIECE, 0));
}

/* Lowers the heights of vertices with a residual edge to that of the entry. The source has none but to be looked for. */
ORDO_DEV void flow_search(const flow_args *a, flow_store *s, const flow_place *p, uint4 entry, ordo_u32 which,
                          ordo_u32 slot)
{
    const ordo_u32 height = ordo_dev_load(&a->height[entry.x]) + 1;
    for (ordo_u32 e = entry.y + threadIdx.x % FLOW_LANES; e < entry.z; e += FLOW_LANES) {
        const uint2 edge = __ldcg((const uint2 *)&a->edge[e]); /* head, reverse */
        const ordo_u64 residual = ordo_dev_load(&a->edge[edge.y].residual);
        if (ordo_dev_load(&a->height[edge.x]) <= height || !residual || edge.x == a->source)
            continue;
        const ordo_u32 begin = __ldg(&a->row[edge.x]), end = __ldg(&a->row[edge.x + 1]); /* on their way, too */
        if (ordo_dev_min(&a->height[edge.x], height) > height)
            flow_found(a, s, p, which, slot, edge.x, begin, end);
    }
}

/* Some levels by each block by itself, from its share of the frontier on. */
ORDO_DEV void flow_search_near(const flow_args *a, flow_store *s, const flow_place *p, ordo_u32 count)
{
    const ordo_u32 group = threadIdx.x / FLOW_LANES, share = flow_share(p, count);
    ordo_u32 which = 0, slot = 0; /* of what is found */
    for (ordo_u32 i = group; i < share; i += FLOW_GROUPS)
        flow_search(a, s, p, flow_read(a, p, flow_index(p, i)), which, slot);
    __syncthreads();
    for (int hop = 1; hop < FLOW_HOPS; hop++) {
        const ordo_u32 here = s->count[slot], next = flow_next(slot);
        if (here == 0 || here > FLOW_THIN)
            break;
        if (threadIdx.x == 0)
            s->count[flow_next(next)] = 0; /* of the hop before */
        for (ordo_u32 i = group; i < here; i += FLOW_GROUPS)
            flow_search(a, s, p, s->held[which][i], which ^ 1, next);
        which ^= 1;
        slot = next;
        __syncthreads();
    }
    flow_flush(a, s, p, which, slot, true);
    if (threadIdx.x < 3)
        s->count[threadIdx.x] = 0;
    __syncthreads();
}

ORDO_DEV void flow_search_level(const flow_args *a, flow_store *s, const flow_place *p, ordo_u32 count)
{
    const ordo_u32 group = threadIdx.x / FLOW_LANES, share = flow_share(p, count);
    for (ordo_u32 base = 0; base < share; base += FLOW_GROUPS) {
        if (base + group < share)
            flow_search(a, s, p, flow_read(a, p, flow_index(p, base + group)), 0, 0);
        flow_flush(a, s, p, 0, 0, false);
    }
    flow_flush(a, s, p, 0, 0, true);
}

/* Every height to n but that of `to`, which is the first entry of the next turn. */
ORDO_DEV void flow_reset(const flow_args *a, flow_place *p)
{
    const ordo_u32 begin = a->row[a->to], end = a->row[a->to + 1], next = flow_next(p->slot);
    const ordo_u64 thread = (ordo_u64)blockIdx.x * FLOW_THREADS + threadIdx.x, threads = (ordo_u64)gridDim.x * FLOW_THREADS;
    for (ordo_u64 v = thread; v < a->n; v += threads)
        ordo_dev_store(&a->height[v], v == a->to ? 0 : a->n);
    for (ordo_u64 i = thread; begin + i * FLOW_PIECE < end; i += threads) {
        const ordo_u32 at = begin + (ordo_u32)i * FLOW_PIECE;
        flow_list(a, p->parity ^ 1)[i] = make_uint4(a->to, at, end - at < FLOW_PIECE ? end : at + FLOW_PIECE, 0);
    }
    if (flow_keeper()) {
        ordo_dev_store(&a->words->turn[next].count, (end - begin + FLOW_PIECE - 1) / FLOW_PIECE);
        ordo_dev_store(&a->words->turn[flow_next(next)].count, 0u);
    }
    flow_barrier(p);
}

/* Vertices with excess from which there is a way. */
ORDO_DEV void flow_gather(const flow_args *a, flow_store *s, flow_place *p)
{
    const ordo_u64 threads = (ordo_u64)gridDim.x * FLOW_THREADS, step = threads * FLOW_AT_ONCE;
    if (flow_keeper())
        ordo_dev_store(&a->words->turn[flow_next(flow_next(p->slot))].count, 0u);
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
                flow_list_active(a, s, p, v, a->row[v], a->row[v + 1]);
        }
        flow_flush(a, s, p, 0, 0, false);
    }
    flow_flush(a, s, p, 0, 0, true);
    flow_barrier(p);
}

/* Exact heights, and the list of active vertices for this turn. False where the run is to end. */
ORDO_DEV bool flow_relabel_all(const flow_args *a, flow_store *s, flow_place *p, flow_books *books)
{
    flow_reset(a, p);
    for (;;) {
        flow_turn *turn = &a->words->turn[p->slot];
        const ordo_u32 count = ordo_dev_load(&turn->count), full = ordo_dev_load(&a->words->full);
        if (ordo_dev_load(&turn->stop))
            return false;
        if (full && p->chained) {
            p->chained = false;
            flow_reset(a, p);
            continue;
        }
        if (!count)
            break;
        if (flow_keeper())
            flow_begin_turn(a, p, books, count);
        if (p->chained && count <= gridDim.x * FLOW_THIN)
            flow_search_near(a, s, p, count);
        else
            flow_search_level(a, s, p, count);
        flow_barrier(p);
    }
    flow_gather(a, s, p);
    return true;
}

/* ---- the whole ---- */

/* Pulses of one block while few vertices are active; the others wait. It begins when all have read the words that it
 * changes. */
ORDO_DEV void flow_alone(const flow_args *a, flow_store *s, flow_place *p, flow_books *books, ordo_u64 limit,
                         ordo_cuda_counters *mine)
{
    flow_half_barrier(p);
    if (blockIdx.x == 0) {
        p->alone = true;
        for (;;) {
            flow_turn *turn = &a->words->turn[p->slot];
            const ordo_u32 count = ordo_dev_load(&turn->count);
            if (!count || count > 2 * FLOW_ALONE || ordo_dev_load(&a->words->work) > limit || ordo_dev_load(&turn->stop))
                break;
            flow_pulse(a, s, p, books, count, mine);
        }
        p->alone = false;
        if (threadIdx.x == 0) {
            ordo_dev_store(&a->words->slot, p->slot);
            ordo_dev_store(&a->words->parity, p->parity);
        }
    }
    flow_half_barrier(p);
    p->slot = ordo_dev_load(&a->words->slot);
    p->parity = ordo_dev_load(&a->words->parity);
}

/* A phase, by all threads. The same words decide for all what comes next: they are read after a barrier, and written
 * again only behind the next one. */
ORDO_DEV void flow_run(const flow_args *a, flow_store *s)
{
    flow_words *const w = a->words;
    flow_place p = {0, 0, false, true};
    flow_books books = {0, 0, 0};
    ordo_cuda_counters mine = {};
    if (threadIdx.x < 3)
        s->count[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        s->hubs = s->work = 0;
    if (w->stopped || *a->left)
        return;
    books.pulses = w->pulses;
    ordo_u64 searches = w->global_relabels;
    __syncthreads();
    for (bool stop = false;;) {
        stop = !flow_relabel_all(a, s, &p, &books);
        const ordo_u32 active = ordo_dev_load(&w->turn[p.slot].count);
        const ordo_u64 limit = ordo_dev_load(&w->work) + a->budget;
        const bool enough = active < a->hand_over;
        if (flow_keeper() && !stop) {
            searches++;
            w->active = active;
            ordo_dev_sample(a->record, active, books.pulses, 0, 1, -1);
            if (active && enough)
                *a->left = active;
        }
        if (stop || !active || enough)
            break;
        for (;;) {
            flow_turn *turn = &w->turn[p.slot];
            const ordo_u32 count = ordo_dev_load(&turn->count);
            stop = ordo_dev_load(&turn->stop);
            if (!count || stop || ordo_dev_load(&w->work) > limit)
                break;
            if (count <= FLOW_ALONE)
                flow_alone(a, s, &p, &books, limit, &mine);
            else
                flow_pulse(a, s, &p, &books, count, &mine);
        }
        if (stop)
            break;
    }
    if (flow_keeper()) {
        w->stopped = books.stop;
        w->pulses = books.pulses;
        w->global_relabels = searches;
        a->record->supersteps = books.pulses;
    }
    mine.useful = mine.edges;
    mine.activations = mine.items;
    ordo_dev_publish(a->counters, mine);
}

#ifdef ORDO_KERNEL /* else the test has one */
static __global__ void __launch_bounds__(FLOW_THREADS, 1) flow_cuda_kernel(const flow_args a)
{
    __shared__ flow_store store;
    flow_run(&a, &store);
}
#endif

#endif
