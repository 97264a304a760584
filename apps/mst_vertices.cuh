/* mst_vertices.cuh -- minimum spanning forests on a GPU: code that all kernels share, and the first round, in which
 * every vertex is a component. See mst.cuh.
 */
#define ORDO_WEIGHT u32
#include "operators/mst.h"
/* A test compiles this file for the host; it defines the names of <ordo/scheduler/cuda.cuh> that are used here
 * (tests/gpu/fibers.h). */
#ifndef ORDO_DEV
#include <cooperative_groups.h>
#include <cub/block/block_scan.cuh>

#include <ordo/detail/cuda/frontier.cuh>
#include <ordo/detail/cuda/warp_reduce.cuh>
#endif
#include <ordo/detail/cuda/words.cuh>
#undef ORDO_WEIGHT

enum {
    MST_THREADS = 256, /* threads of a block that reads rows */
    MST_WARPS = MST_THREADS / 32,
    MST_ROUND_THREADS = 512, /* threads of a block that works on lists */
    MST_FIRST_THREADS = 64,  /* threads of a block of mst_first: rows differ, and a block occupies the multiprocessor
                                until its last warp ends */
    MST_FIRST_WARPS = MST_FIRST_THREADS / 32,
    MST_ROUND_TILES = 2, /* a list of up to this many tiles for each block is short */
    MST_CHUNK = 1024,    /* arcs of a piece of a hub */
    MST_HUB = 256,       /* a row with more arcs is processed in pieces: see mst_is_hub */
    MST_LONG = 64,       /* a row with more arcs is read by a warp */
    MST_STAGE = 320,     /* arcs whose weights a warp puts into shared memory: any row fits except those of hubs, and
                            as a rule 32 rows with 8 arcs each */
    MST_STAGED = MST_STAGE / 32, /* loads of a lane in flight at once for that */
    MST_AT_ONCE = 4,             /* loads of a lane in flight at once elsewhere */
    MST_FINDS = 2,               /* searches of a lane at the same time */
    MST_HELD = 160,        /* edges that a warp buffers before it appends them: 32, and MST_AT_ONCE times 32 more */
    MST_FIRST_HELD = 256,  /* the same when rows are read */
    MST_SPARSE_HELD = 384, /* and have few arcs, so that there is more shared memory */
    MST_TILES = 2,         /* tiles of 32 vertices that a warp of mst_heavy takes one after the other */
    MST_DENSE = 2,         /* if there are more edges for each vertex, the lightest come first */
    MST_SAMPLE = 512,      /* size of the samples of edges, for the limit, and of vertices, for the largest component */
    MST_BINNED = 32768,    /* see mst_target */
    MST_BINNED_LIGHT = 1 << 20, /* the same for mst_light, whose blocks are many and short */
    MST_CONTENDED = 4,          /* if more lanes of a warp lower one word, one of them does it for all */
    MST_APART = 65536,          /* with more components, their words are reset in a separate phase */
    MST_STEPS = 16,             /* steps to a root before paths are shortened in memory */
    MST_IDS = 2,                /* one of this many blocks of mst_light looks up ids */
    MST_LAST_PARTS = 3072,      /* up to this many components every block has them all in shared memory; and with up to
                                   MST_LAST_EDGES edges, one block does the rest */
    MST_LAST_OFFERS = 32,       /* and with fewer edges for each thread of the grid */
    MST_LAST_WORDS = 3,         /* sets of their words: of a round, of the next one, and one that is reset meanwhile */
    MST_LAST_EACH = 4,          /* edges of a thread of this block */
    MST_LOOK = 20000,           /* nanoseconds between two reads of the mailbox, which is on the host */
    MST_LEVELS = 72             /* 2 times 32, since a level has at most half the components of the one before; and some
                                   spare ones */
};

/* Blocks of mst_heavy per multiprocessor, for which registers must suffice. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define MST_HEAVY_BLOCKS 4
#else
#define MST_HEAVY_BLOCKS 5
#endif

#define MST_ROOT 0x80000000u /* flag of a root: the other bits of its parent are a label of the next level */
#define MST_NONE 0xffffffffu
#define MST_AGAIN MST_ROOT /* flag of a light edge's smaller end: the arc before has the same head */
#define MST_NO_KEY (~(ordo_u64)0)
#ifndef MST_KEY_BITS
#define MST_KEY_BITS 63 /* bits of a complete key: fewer than those of MST_NO_KEY, so that no key equals that */
#endif

#ifndef MST_LAST_EDGES
#define MST_LAST_EDGES (MST_LAST_EACH * MST_ROUND_THREADS)
#endif

#ifndef MST_FEW_PARTS
#define MST_FEW_PARTS MST_LAST_PARTS
#endif

/* The layout of a key in the word of a component, from the top: the edge's weight, without bits that are the same for
 * all, a bit that is 0, the id, and the component at the other end. If these do not fit, and for heavy edges, which are
 * few: the weight and the id, and the component is in across[]. */
typedef struct mst_shape {
    int weight, id; /* lowest bit of the weight and of the id */
    ordo_u32 other; /* mask of the component: all bits, or none */
} mst_shape;
#define MST_APART_SHAPE (mst_shape{32, 0, 0}) /* the layout without the component: see mst_key */

/* Words that all blocks share; initially zero. */
typedef struct mst_words {
    ordo_u64 limit;  /* edges with keys up to this one come first */
    ordo_u64 odd;    /* ~(u << 32 | v) of an arc u -> v without a reverse; 0: none was found */
    ordo_u32 excess; /* not 0: more edges than symmetric rows can have, or an edge to a component that has none */
    ordo_u32 unsorted, filtered, stop;
    ordo_u32 differ;         /* bits in which ordered weights differ from that of 0, if all edges are light */
    ordo_u32 hubs;           /* pieces */
    ordo_u32 light;          /* number of edges up to the limit, found in the first round */
    ordo_u32 giant;          /* the giant component, or MST_NONE */
    ordo_u32 level;          /* 1; after the rounds of light edges the last level of these */
    ordo_u32 final_parts[2]; /* for light edges, for heavy edges */
    mst_shape shape;         /* of light edges' keys */
    ordo_u32 parts[MST_LEVELS], edges[MST_LEVELS];
    ordo_u64 base[MST_LEVELS]; /* first place of each level in parent[] */
} mst_words;

typedef struct mst_hub {
    ordo_u32 vertex, piece;
} mst_hub;

typedef struct mst_args {
    ordo_cuda_rows rows;
    int type;          /* of weights */
    bool symmetric;    /* symmetric: an edge's id is that of its arc out of the smaller end */
    ordo_u32 n, m;     /* < 2^31, <= MST_MOST_ARCS */
    ordo_u32 capacity; /* of a list */
    bool dense;        /* the lightest edges come first */
    bool heavy;        /* mst_rounds: runs on the heavy edges */
    ordo_u32 *chosen;  /* bits, by id */
    ordo_u32 words_of_chosen;
    ordo_u32 *parent; /* [3 * n] */
    ordo_u32 *wish;   /* [n] the head of a vertex' lightest arc, or MST_NONE */
    ordo_u32 *wished; /* [n] its ordered weight */
    ordo_u32 *inner;  /* [n / 32 + 1] bits: vertices of the giant component, or without edges; in the memory of `wish`,
                         which is no longer needed then */
    ordo_u64 *best;   /* [n] keys, by component */
    ordo_u32 *across; /* [m] by id, of edges that a component may choose: exclusive or of both components' numbers; used
                         if keys do not hold the component */
    uint4 *list[2];   /* [capacity] component, component, upper and lower half of the key without the component. The
                         second list first holds light edges: vertex (with MST_AGAIN), vertex, ordered weight, arc */
    mst_hub *hub;
    mst_words *words;
    ordo_cuda_run run;
    ordo_u64 *few; /* [(MST_LAST_WORDS - 1) * MST_LAST_PARTS] keys, by component, for mst_end_rounds */
} mst_args;

/* Sums of the index of an arc and the stride of a warp must fit 32 bits. */
#define MST_MOST_ARCS 0xffff0000u

/* ---- rows ---- */

ORDO_DEV ordo_u32 mst_row(const mst_args *a, ordo_u32 u)
{
    return (ordo_u32)__ldg(a->rows.row + u);
}

ORDO_DEV bool mst_is_hub(ordo_u32 degree)
{
    return degree > MST_HUB;
}

ORDO_DEV ordo_u32 mst_head(const mst_args *a, ordo_u32 e)
{
    return __ldg(a->rows.edge + (ordo_u64)e * a->rows.stride);
}

/* The head, and the weight as stored. */
ORDO_DEV uint2 mst_load(const mst_args *a, ordo_u32 e)
{
    return a->rows.stride == 2 ? __ldg((const uint2 *)a->rows.edge + e) : make_uint2(__ldg(a->rows.edge + e), 1);
}

/* Loads several arcs at once. One branch for all: with one for each arc, loading takes as many instructions as what is
 * done with the arcs. */
template <int COUNT> ORDO_DEV void mst_load_all(const mst_args *a, const ordo_u32 (&e)[COUNT], uint2 (&arc)[COUNT])
{
    if (a->rows.stride == 2) {
#pragma unroll
        for (int j = 0; j < COUNT; j++)
            arc[j] = __ldg((const uint2 *)a->rows.edge + e[j]);
    } else {
#pragma unroll
        for (int j = 0; j < COUNT; j++)
            arc[j] = make_uint2(__ldg(a->rows.edge + e[j]), 1);
    }
}

/* Loads arcs e + j * STEP; instead of each after `last`, that one again. */
template <ordo_u32 STEP, int COUNT>
ORDO_DEV void mst_load_row(const mst_args *a, ordo_u32 e, ordo_u32 last, uint2 (&arc)[COUNT])
{
    ordo_u32 at[COUNT];
#pragma unroll
    for (int j = 0; j < COUNT; j++)
        at[j] = e + j * STEP < last ? e + j * STEP : last;
    mst_load_all(a, at, arc);
}

ORDO_DEV ordo_u32 mst_ordered(const mst_args *a, ordo_u32 word)
{
    return a->type == ORDO_F32   ? mst_order_f32(__uint_as_float(word))
           : a->type == ORDO_I32 ? mst_order_i32((ordo_i32)word)
                                 : mst_order_u32(word);
}

ORDO_DEV ordo_u64 mst_key(ordo_u32 ordered, ordo_u32 id)
{
    return (ordo_u64)ordered << 32 | id;
}

ORDO_DEV int mst_bits(ordo_u32 most)
{
    return most ? 32 - __clz((int)most) : 1;
}

/* The layout of light edges' keys for components below `parts`. */
ORDO_DEV mst_shape mst_shape_of(const mst_args *a, ordo_u32 parts)
{
    const bool has_sign = a->type == ORDO_I32 || a->type == ORDO_F32; /* then a limit says little of smaller words */
    const ordo_u32 limit = has_sign ? 0xffffffffu : (ordo_u32)(a->words->limit >> 32);
    const ordo_u32 differ = a->dense ? limit : a->words->differ;
    const int weight = mst_bits(differ), id = mst_bits(a->m), other = mst_bits(parts);
    return weight + id + other <= MST_KEY_BITS ? mst_shape{64 - weight, other, 0xffffffffu} : MST_APART_SHAPE;
}

/* An edge between two components, as lists hold it. */
ORDO_DEV uint4 mst_edge(const mst_shape *s, ordo_u32 one, ordo_u32 other, ordo_u32 ordered, ordo_u32 id)
{
    const ordo_u64 key = (ordo_u64)ordered << s->weight | (ordo_u64)id << s->id;
    return make_uint4(one, other, (ordo_u32)(key >> 32), (ordo_u32)key);
}
ORDO_DEV ordo_u32 mst_id_of(const mst_shape *s, ordo_u64 key)
{
    return (ordo_u32)((key & ((1ull << s->weight) - 1)) >> s->id);
}

ORDO_DEV ordo_u64 mst_scatter(ordo_u64 i) /* splitmix64 */
{
    i = (i + 1) * 0x9e3779b97f4a7c15ull;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9ull;
    i = (i ^ i >> 27) * 0x94d049bb133111ebull;
    return i ^ i >> 31;
}

/* Of arcs e .. end - 1, which are the rest of the row of `low` from the first arc to `high` on: the first of that
 * weight, which is the id of the edge. */
ORDO_DEV ordo_u32 mst_find_among(const mst_args *a, ordo_u32 low, ordo_u32 e, ordo_u32 end, ordo_u32 high,
                                 ordo_u32 weight)
{
    for (; e < end; e++) {
        const uint2 arc = mst_load(a, e);
        if (arc.x != high)
            break;
        if (mst_ordered(a, arc.y) == weight)
            return e;
    }
    ordo_dev_max(&a->words->odd, ~((ordo_u64)high << 32 | low));
    return MST_NONE;
}

/* The id of an edge of that weight between low and high, low < high, in symmetric rows, which are sorted: the first
 * such arc out of low. */
ORDO_DEV ordo_u32 mst_find(const mst_args *a, ordo_u32 low, ordo_u32 high, ordo_u32 weight)
{
    const ordo_u32 end = mst_row(a, low + 1);
    ordo_u32 e = mst_row(a, low);
    for (ordo_u32 top = end; e < top;) {
        const ordo_u32 middle = e + (top - e) / 2;
        if (mst_head(a, middle) < high)
            e = middle + 1;
        else
            top = middle;
    }
    return mst_find_among(a, low, e, end, high, weight);
}

ORDO_DEV void mst_choose(const mst_args *a, ordo_u32 id)
{
    if (id != MST_NONE)
        ordo_dev_or(&a->chosen[id / 32], 1u << id % 32);
}

/* The same by a whole warp, for lanes that `has`; ids ascend by lane, and lanes without an edge pass an id in between:
 * one atomic for each word. */
ORDO_DEV void mst_choose_in_order(const mst_args *a, bool has, ordo_u32 id)
{
    const ordo_u32 word = id / 32, lane = threadIdx.x % 32;
    ordo_u32 bits = has ? 1u << id % 32 : 0;
    if (!__any_sync(0xffffffffu, has))
        return;
#pragma unroll
    for (ordo_u32 step = 1; step < 32; step *= 2) {
        const ordo_u32 more = __shfl_down_sync(0xffffffffu, bits, step);
        const ordo_u32 there = __shfl_down_sync(0xffffffffu, word, step);
        bits |= lane + step < 32 && there == word ? more : 0;
    }
    const ordo_u32 before = __shfl_up_sync(0xffffffffu, word, 1);
    if (bits && (lane == 0 || before != word))
        ordo_dev_or(&a->chosen[word], bits);
}

/* Whether a fault was found, or the run is to end. By whole warps, because lanes must agree. Only words set before this
 * kernel are certain to be seen. */
ORDO_DEV bool mst_halted(const mst_args *a)
{
    mst_words *w = a->words;
    return __any_sync(0xffffffffu, ordo_dev_load(&w->odd) || ordo_dev_load(&w->excess) || ordo_dev_load(&w->stop));
}

/* ---- the first round: vertices ---- */

/* Finds the limit that about n edges do not exceed, from a sample; each warp ranks one element of the sample. */
static __global__ void __launch_bounds__(MST_THREADS) mst_limit(const mst_args a)
{
    __shared__ ordo_u64 sample[MST_SAMPLE];
    const ordo_u64 edges = a.symmetric ? a.m / 2 : a.m;
    for (ordo_u32 i = threadIdx.x; i < MST_SAMPLE; i += MST_THREADS) {
        const ordo_u32 e = (ordo_u32)(mst_scatter(i) % a.m);
        sample[i] = mst_key(mst_ordered(&a, mst_load(&a, e).y), e);
    }
    __syncthreads();
    const ordo_u32 wanted = (ordo_u32)(MST_SAMPLE * (ordo_u64)a.n / edges);
    for (ordo_u32 i = blockIdx.x * MST_WARPS + threadIdx.x / 32; i < MST_SAMPLE; i += gridDim.x * MST_WARPS) {
        ordo_u32 rank = 0;
        for (ordo_u32 j = threadIdx.x % 32; j < MST_SAMPLE; j += 32)
            rank += (ordo_u32)__popc(
                __ballot_sync(0xffffffffu, sample[j] < sample[i] || (sample[j] == sample[i] && j < i)));
        if (rank == wanted && threadIdx.x % 32 == 0) {
            a.words->limit = sample[i];
            a.words->filtered = 1;
        }
    }
}

ORDO_DEV ordo_u64 mst_limit_of(const mst_args *a)
{
    return a->dense ? a->words->limit : MST_NO_KEY;
}

/* What a lane has found out about the arcs that it has read; about weights only if there is no limit. */
typedef struct mst_seen {
    bool unsorted;
    ordo_u32 differ;
} mst_seen;

template <bool Dense> ORDO_DEV void mst_see_weight(const mst_args *a, mst_seen *seen, ordo_u32 ordered)
{
    if (!Dense)
        seen->differ |= ordered ^ mst_ordered(a, 0);
}

/* By whole warps: adds the findings to the words of all blocks. Bits are only added, and an outdated word costs an
 * atomic and nothing else. */
ORDO_DEV void mst_publish_seen(const mst_args *a, const mst_seen *seen)
{
    if (__any_sync(0xffffffffu, seen->unsorted) && threadIdx.x % 32 == 0)
        ordo_dev_store(&a->words->unsorted, 1u);
    if (seen->differ & ~ordo_dev_load_block(&a->words->differ))
        ordo_dev_or(&a->words->differ, seen->differ);
}

/* ---- stores ---- */

/* A warp's buffer in front of a list, in shared memory. An atomic on a list's counter takes about 1.6 ns, and these are
 * serialised: so there must be few of them. */
typedef struct mst_store {
    uint4 *held; /* [most] */
    ordo_u32 most, count;
    ordo_u32 settled; /* in mst_first: edges without a tail begin here, see mst_settle */
} mst_store;

/* By all lanes of a warp; at most MST_AT_ONCE times before the capacity is checked again. */
ORDO_DEV void mst_hold(mst_store *s, bool has, uint4 edge)
{
    const ordo_u32 who = __ballot_sync(0xffffffffu, has);
    if (!who)
        return;
    if (has)
        s->held[s->count + (ordo_u32)__popc(who & ((1u << threadIdx.x % 32) - 1))] = edge;
    s->count += (ordo_u32)__popc(who);
}

ORDO_DEV bool mst_full(const mst_store *s)
{
    return s->count > s->most - 32 * MST_AT_ONCE;
}

/* Reserves places for the edges that a warp holds; returns the first one. */
ORDO_DEV ordo_u32 mst_reserve(const mst_store *s, ordo_u32 *counter)
{
    ordo_u32 base = 0;
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        base = ordo_dev_add(counter, s->count);
    return __shfl_sync(0xffffffffu, base, 0);
}

/* The same by all warps of a block, with one atomic on the counter. Between two barriers the first warp uses all of
 * `first`, at other times each warp uses its own word. */
template <int WARPS> ORDO_DEV ordo_u32 mst_reserve_all(ordo_u32 (&first)[WARPS], const mst_store *s, ordo_u32 *counter)
{
    const ordo_u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0)
        first[warp] = s->count;
    __syncthreads();
    if (warp == 0) {
        const ordo_u32 mine = lane < WARPS ? first[lane] : 0;
        ordo_u32 sum = mine, base = 0;
        for (ordo_u32 step = 1; step < WARPS; step *= 2) {
            const ordo_u32 before = __shfl_up_sync(0xffffffffu, sum, step);
            sum += lane >= step ? before : 0;
        }
        if (lane == WARPS - 1 && sum)
            base = ordo_dev_add(counter, sum);
        base = __shfl_sync(0xffffffffu, base, WARPS - 1);
        if (lane < WARPS)
            first[lane] = base + sum - mine;
    }
    __syncthreads();
    return first[warp];
}

/* Holds arc e, u -> arc.x of ordered weight arc.y, if its edge is light; `before`: the head of the arc before. */
ORDO_DEV void mst_hold_light(const mst_args *a, mst_store *s, ordo_u64 limit, bool has, ordo_u32 u, ordo_u32 e,
                             uint2 arc, ordo_u32 before)
{
    const ordo_u32 low = a->symmetric ? u + 1 : 0; /* a symmetric edge is held by its smaller end */
    mst_hold(s, has && arc.x != u && arc.x >= low && mst_key(arc.y, e) <= limit,
             make_uint4(u | (arc.x == before ? MST_AGAIN : 0), arc.x, arc.y, e));
}

/* Writes the store's edges to the list of light edges, from place `base` on. */
ORDO_DEV void mst_write_light(const mst_args *a, mst_store *s, ordo_u32 base)
{
    for (ordo_u32 i = threadIdx.x % 32; i < s->count; i += 32) {
        if (base + i < a->capacity)
            a->list[1][base + i] = s->held[i];
        else
            ordo_dev_store(&a->words->excess, 1u);
    }
    s->count = s->settled = 0;
    __syncwarp();
}

/* Empties the store if MST_AT_ONCE times 32 more edges might not fit. */
ORDO_DEV void mst_make_room_light(const mst_args *a, mst_store *s)
{
    if (mst_full(s))
        mst_write_light(a, s, mst_reserve(s, &a->words->light));
}

ORDO_DEV void mst_keep_least(ordo_u64 *least, ordo_u64 key)
{
    *least = key < *least ? key : *least;
}

ORDO_DEV ordo_u64 mst_least_of_warp(ordo_u64 key)
{
    const ordo_u32 upper = ordo_dev_warp_min((ordo_u32)(key >> 32));
    return mst_key(upper, ordo_dev_warp_min(key >> 32 == upper ? (ordo_u32)key : MST_NONE));
}

/* Replaces weights by ordered ones. One branch for all arcs, since those of most graphs are the same. */
template <int COUNT> ORDO_DEV void mst_order_all(const mst_args *a, uint2 (&arc)[COUNT])
{
    if (a->type == ORDO_U32)
        return;
#pragma unroll
    for (int j = 0; j < COUNT; j++)
        arc[j].y = mst_ordered(a, arc[j].y);
}

/* By whole warps, for consecutive arcs: the head of the arc before this lane's. `last`: in the first lane, that of the
 * arc before the warp's; is set there to that of the warp's last arc. */
ORDO_DEV ordo_u32 mst_before(ordo_u32 head, ordo_u32 *last)
{
    const ordo_u32 turned = __shfl_sync(0xffffffffu, head, (int)((threadIdx.x + 31) % 32));
    const ordo_u32 before = threadIdx.x % 32 ? turned : *last;
    *last = turned;
    return before;
}

/* The lightest of arcs that a thread sees in ascending order; initially {MST_NONE, MST_NONE}. */
typedef struct mst_lightest_arc {
    ordo_u32 weight, arc;
} mst_lightest_arc;

/* True if the arc is the lightest so far. */
ORDO_DEV bool mst_offer(mst_lightest_arc *s, bool has, ordo_u32 weight, ordo_u32 arc)
{
    const bool is = has && (weight < s->weight || s->arc == MST_NONE);
    s->weight = is ? weight : s->weight;
    s->arc = is ? arc : s->arc;
    return is;
}

/* By a whole warp, with the same arguments in all lanes: finds the lightest of arcs begin .. end - 1 of u, whose row
 * begins at `row`, and puts light edges into the store. */
template <bool Dense>
ORDO_DEV ordo_u64 mst_lightest(const mst_args *a, ordo_u32 u, ordo_u32 row, ordo_u32 begin, ordo_u32 end,
                               mst_store *store, ordo_u64 limit, mst_seen *seen)
{
    const ordo_u32 lane = threadIdx.x % 32;
    mst_lightest_arc least = {MST_NONE, MST_NONE};
    ordo_u32 last = begin > row ? mst_head(a, begin - 1) : 0; /* the head of the arc before */
    for (ordo_u32 at = begin; at < end; at += 32 * MST_AT_ONCE) {
        uint2 arc[MST_AT_ONCE];
        mst_load_row<32>(a, at + lane, end - 1, arc);
        mst_order_all(a, arc);
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u32 e = at + 32 * j + lane, before = mst_before(arc[j].x, &last);
            seen->unsorted |= arc[j].x < before;
            mst_see_weight<Dense>(a, seen, arc[j].y);
            mst_offer(&least, arc[j].x != u, arc[j].y, e); /* behind the end, as an arc that another lane offers */
            mst_hold_light(a, store, limit, e < end, u, e, arc[j], before);
        }
        mst_make_room_light(a, store);
    }
    return mst_least_of_warp(mst_key(least.weight, least.arc));
}

/* The lightest arc of a lane's row, and its head. */
template <bool Dense>
ORDO_DEV ordo_u64 mst_lightest_by_lane(const mst_args *a, ordo_u32 u, ordo_u32 begin, ordo_u32 end, mst_seen *seen,
                                       ordo_u32 *head)
{
    mst_lightest_arc least = {MST_NONE, MST_NONE};
    ordo_u32 before = 0;
    for (ordo_u32 e = begin; e < end; e += MST_AT_ONCE) {
        uint2 arc[MST_AT_ONCE];
        mst_load_row<1>(a, e, end - 1, arc);
        mst_order_all(a, arc);
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            mst_see_weight<Dense>(a, seen, arc[j].y);
            seen->unsorted |= arc[j].x < before;
            before = arc[j].x;
            if (mst_offer(&least, arc[j].x != u, arc[j].y, e + j))
                *head = arc[j].x;
        }
    }
    return mst_key(least.weight, least.arc);
}

/* By whole warps: puts light edges of the lanes' rows into the store, except for arc `chosen`. */
ORDO_DEV void mst_hold_rows(const mst_args *a, mst_store *store, ordo_u64 limit, ordo_u32 u, ordo_u32 begin,
                            ordo_u32 end, ordo_u32 chosen)
{
    ordo_u32 before = MST_NONE;
    for (ordo_u32 e = begin; __any_sync(0xffffffffu, e < end); e += MST_AT_ONCE) {
        uint2 arc[MST_AT_ONCE];
        mst_load_row<1>(a, e, e < end ? end - 1 : 0, arc);
        mst_order_all(a, arc);
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            mst_hold_light(a, store, limit, e + j < end && e + j != chosen, u, e + j, arc[j], before);
            before = arc[j].x;
        }
        mst_make_room_light(a, store);
    }
}

/* By a warp whose lanes have consecutive rows, most of them short: finds the lightest arc of each lane's row, and its
 * head. Each lane scans its own row, the warp a long one; rows of hubs are left out. Puts edges into the store, except
 * for the one that the vertex of a short row chooses. */
ORDO_DEV ordo_u64 mst_lightest_of_short(const mst_args *a, mst_store *store, ordo_u32 u, ordo_u32 begin, ordo_u32 end,
                                        mst_seen *seen, ordo_u32 *head)
{
    const ordo_u32 degree = end - begin, stop = degree <= MST_LONG ? end : begin;
    ordo_u64 least = mst_lightest_by_lane<false>(a, u, begin, stop, seen, head);
    mst_hold_rows(a, store, MST_NO_KEY, u, begin, stop, a->symmetric ? (ordo_u32)least : MST_NONE);
    for (ordo_u32 rest = __ballot_sync(0xffffffffu, degree > MST_LONG && !mst_is_hub(degree)); rest; rest &= rest - 1) {
        const int who = __ffs((int)rest) - 1;
        const ordo_u32 from = __shfl_sync(0xffffffffu, begin, who), to = __shfl_sync(0xffffffffu, end, who);
        const ordo_u64 key =
            mst_lightest<false>(a, __shfl_sync(0xffffffffu, u, who), from, from, to, store, MST_NO_KEY, seen);
        if ((int)(threadIdx.x % 32) == who && key != MST_NO_KEY) {
            least = key;
            *head = mst_head(a, (ordo_u32)key);
        }
    }
    return least;
}

/* Shared memory of a warp: ordered weights of consecutive rows, and the beginnings of rows. */
typedef struct mst_stage {
    ordo_u32 weight[MST_STAGE], begins[MST_STAGE / 32];
} mst_stage;

/* 32 consecutive rows of a warp, one of each lane: the first vertex, and this lane's row. */
typedef struct mst_tile {
    ordo_u32 first, begin, end;
} mst_tile;

/* By whole warps: of the store's last edges, which mst_put has put there, keeps those that are light, and adds their
 * tails. Few arcs come here, so this is not done for each arc. */
ORDO_DEV void mst_settle(const mst_args *a, mst_store *store, ordo_u64 limit, const mst_tile *tile)
{
    const ordo_u32 lane = threadIdx.x % 32;
    ordo_u32 kept = store->settled;
    __syncwarp();
    for (ordo_u32 at = kept; at < store->count; at += 32) {
        bool has = at + lane < store->count;
        uint4 e = has ? store->held[at + lane] : make_uint4(0, 0, 0, 0);
        const ordo_u32 tail = tile->first + ordo_warp_owner(tile->begin, e.w);
        has = has && mst_key(e.z, e.w) <= limit && (a->symmetric ? tail < e.y : tail != e.y);
        const ordo_u32 who = __ballot_sync(0xffffffffu, has);
        e.x |= tail;
        __syncwarp(); /* all lanes have read theirs */
        if (has)
            store->held[kept + (ordo_u32)__popc(who & ((1u << lane) - 1))] = e;
        kept += (ordo_u32)__popc(who);
        __syncwarp(); /* the next edges are read when these are written */
    }
    store->count = kept;
    mst_make_room_light(a, store);
    store->settled = store->count;
}

/* Stages arcs from .. from + count - 1, which are whole rows of the warp, `mine` of them this lane's. Puts those that
 * may be light edges into the store, for mst_settle: in symmetric rows none whose head is before the warp's rows. */
ORDO_DEV void mst_put(const mst_args *a, mst_stage *stage, mst_store *store, ordo_u64 limit, const mst_tile *tile,
                      bool mine, ordo_u32 from, ordo_u32 count, mst_seen *seen)
{
    const ordo_u32 lane = threadIdx.x % 32, begin = tile->begin - from, low = a->symmetric ? tile->first + 1 : 0;
    ordo_u32 last = 0, falls = 0;
    if (lane < MST_STAGE / 32)
        stage->begins[lane] = 0;
    uint2 arc[MST_STAGED];
    mst_load_row<32>(a, from + lane, from + count - 1, arc);
    __syncwarp();
    if (mine && tile->begin < tile->end)
        ordo_dev_or_block(&stage->begins[begin / 32], 1u << begin % 32);
    __syncwarp();
    mst_order_all(a, arc);
#pragma unroll
    for (int j = 0; j < MST_STAGED; j++) {
        const ordo_u32 i = 32 * j + lane;
        if (i - lane >= count)
            break;
        const ordo_u32 before = mst_before(arc[j].x, &last);
        falls |= __ballot_sync(0xffffffffu, arc[j].x < before) & ~stage->begins[j];
        stage->weight[i] = arc[j].y;
        mst_hold(store, i < count && arc[j].y <= (ordo_u32)(limit >> 32) && arc[j].x >= low,
                 make_uint4(arc[j].x == before ? MST_AGAIN : 0, arc[j].x, arc[j].y, from + i));
        if (j % MST_AT_ONCE == MST_AT_ONCE - 1 && mst_full(store))
            mst_settle(a, store, limit, tile);
    }
    if (mst_full(store))
        mst_settle(a, store, limit, tile);
    seen->unsorted |= falls != 0;
    __syncwarp();
}

/* The lightest staged arc of each lane's row, in lanes row .. stop - 1, whose rows are in the stage. `from`: the first
 * arc of the stage. As many lanes read a row as there are for each; a row that is long even so is read by the warp. */
ORDO_DEV ordo_u64 mst_lightest_of_stage(const mst_stage *stage, ordo_u32 row, ordo_u32 stop, ordo_u32 begin,
                                        ordo_u32 end, ordo_u32 from)
{
    const ordo_u32 lane = threadIdx.x % 32, bits = (ordo_u32)(5 - mst_bits(stop - row - 1)), step = 1u << bits;
    const ordo_u32 who = row + (lane >> bits), first = __shfl_sync(0xffffffffu, begin, (int)(who % 32)) - from;
    const ordo_u32 last = __shfl_sync(0xffffffffu, end, (int)(who % 32)) - from;
    const bool is_long = last - first > (ordo_u32)MST_LONG << bits;
    ordo_u32 i = first + lane % step, weight = MST_NONE, at = MST_NONE;
    if (who < stop && !is_long && i < last) {
        weight = stage->weight[i];
        at = i;
#pragma unroll 4
        for (i += step; i < last; i += step)
            if (stage->weight[i] < weight) {
                weight = stage->weight[i];
                at = i;
            }
    }
    ordo_u64 least = at == MST_NONE ? MST_NO_KEY : mst_key(weight, from + at);
    for (ordo_u32 half = 1; half < step; half *= 2)
        mst_keep_least(&least, __shfl_xor_sync(0xffffffffu, least, (int)half));
    least = __shfl_sync(0xffffffffu, least, (int)(((lane - row) << bits) % 32));
    for (ordo_u32 rest = __ballot_sync(0xffffffffu, who < stop && is_long && lane % step == 0); rest;
         rest &= rest - 1) {
        const ordo_u32 one = (ordo_u32)__ffs((int)rest) - 1;
        const ordo_u32 end_of_one = __shfl_sync(0xffffffffu, last, (int)one);
        mst_lightest_arc mine = {MST_NONE, MST_NONE};
        for (i = __shfl_sync(0xffffffffu, first, (int)one) + lane; i < end_of_one; i += 32)
            mst_offer(&mine, true, stage->weight[i], from + i);
        const ordo_u64 key = mst_least_of_warp(mst_key(mine.weight, mine.arc));
        least = lane == row + (one >> bits) ? key : least;
    }
    return least;
}

/* By a warp whose lanes have consecutive rows: finds the lightest arc of each lane's row, and its head; rows of hubs
 * are left out. Rows that fit together are staged, so that loads are coalesced; then each lane scans its own row. Puts
 * light edges into the store. */
ORDO_DEV ordo_u64 mst_lightest_of_tile(const mst_args *a, mst_stage *stage, mst_store *store, ordo_u64 limit,
                                       ordo_u32 u, ordo_u32 begin, ordo_u32 end, mst_seen *seen, ordo_u32 *head)
{
    const mst_tile tile = {u - threadIdx.x % 32, begin, end};
    ordo_u64 least = MST_NO_KEY;
    for (ordo_u32 row = 0; row < 32;) {
        const ordo_u32 from = __shfl_sync(0xffffffffu, begin, (int)row);
        const bool mine = threadIdx.x % 32 >= row && end - from <= MST_STAGE && !mst_is_hub(end - begin);
        const ordo_u32 others = ~__ballot_sync(0xffffffffu, mine) & ~0u << row;
        const ordo_u32 stop = others ? (ordo_u32)__ffs((int)others) - 1 : 32;
        if (stop == row) { /* a hub */
            row++;
            continue;
        }
        const ordo_u32 first = row;
        row = stop;
        const ordo_u32 count = __shfl_sync(0xffffffffu, end, (int)row - 1) - from;
        if (!count)
            continue;
        const bool staged = mine && threadIdx.x % 32 < row && begin < end;
        mst_put(a, stage, store, limit, &tile, staged, from, count, seen);
        const ordo_u64 key = mst_lightest_of_stage(stage, first, row, begin, end, from);
        least = staged ? key : least;
        __syncwarp();
    }
    mst_settle(a, store, limit, &tile);
    if (least == MST_NO_KEY)
        return least;
    *head = mst_head(a, (ordo_u32)least);
    if (*head != u)
        return least;
    *head = MST_NONE; /* a loop is lightest */
    return mst_lightest_by_lane<true>(a, u, begin, end, seen, head);
}

/* Two instances: for graphs with many arcs per vertex, of which the lightest come first, and for graphs with few. */
template <bool Dense> static __global__ void __launch_bounds__(MST_FIRST_THREADS) mst_first(const mst_args a)
{
    constexpr ordo_u32 most = Dense ? MST_FIRST_HELD : MST_SPARSE_HELD;
    __shared__ uint4 held[MST_FIRST_WARPS][most];
    __shared__ ordo_u32 places[MST_FIRST_WARPS];
    __shared__ mst_stage stage[Dense ? MST_FIRST_WARPS : 1];
    const ordo_u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, tiles = (a.n + 31) / 32;
    const ordo_u64 limit = mst_limit_of(&a);
    mst_store store = {held[warp], most, 0, 0};
    mst_seen seen = {};
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        a.run.counters->items = a.symmetric ? a.n : 0;
        a.run.counters->edges = a.symmetric ? a.m : 0;
        ordo_dev_sample(a.run.record, a.symmetric ? a.m / 2 : a.m, 0, 0, 1, -1);
    }
    for (ordo_u32 tile = blockIdx.x * MST_FIRST_WARPS + warp; tile < tiles; tile += gridDim.x * MST_FIRST_WARPS) {
        const ordo_u32 u = tile * 32 + lane;
        const ordo_u32 begin = u < a.n ? mst_row(&a, u) : a.m, end = u < a.n ? mst_row(&a, u + 1) : a.m;
        if (mst_is_hub(end - begin)) {
            const ordo_u32 pieces = (end - begin + MST_CHUNK - 1) / MST_CHUNK;
            const ordo_u32 at = ordo_dev_add(&a.words->hubs, pieces);
            for (ordo_u32 i = 0; i < pieces; i++)
                a.hub[at + i] = mst_hub{u, i};
            a.best[u] = MST_NO_KEY;
        }
        ordo_u32 head = MST_NONE;
        ordo_u64 least;
        if (Dense) {
            least = mst_lightest_of_tile(&a, &stage[warp], &store, limit, u, begin, end, &seen, &head);
        } else {
            least = mst_lightest_of_short(&a, &store, u, begin, end, &seen, &head);
        }
        if (!a.symmetric)
            continue;
        if (u < a.n) {
            a.wish[u] = head;
            a.wished[u] = (ordo_u32)(least >> 32);
        }
        const bool own = head != MST_NONE && u < head; /* its arc is the edge's id */
        mst_choose_in_order(&a, own, own ? (ordo_u32)least : begin);
    }
    mst_write_light(&a, &store, mst_reserve_all(places, &store, &a.words->light));
    mst_publish_seen(&a, &seen);
}

ORDO_DEV void mst_piece(const mst_args *a, mst_hub h, ordo_u32 *row, ordo_u32 *begin, ordo_u32 *end)
{
    *row = mst_row(a, h.vertex);
    *begin = *row + h.piece * MST_CHUNK;
    *end = mst_row(a, h.vertex + 1);
    *end = *begin + MST_CHUNK < *end ? *begin + MST_CHUNK : *end;
}

template <bool Dense> static __global__ void __launch_bounds__(MST_THREADS) mst_hubs(const mst_args a)
{
    __shared__ uint4 held[MST_WARPS][MST_FIRST_HELD];
    __shared__ ordo_u32 places[MST_WARPS];
    const ordo_u32 pieces = a.words->hubs, step = gridDim.x * MST_WARPS;
    const ordo_u64 limit = mst_limit_of(&a);
    mst_store store = {held[threadIdx.x / 32], MST_FIRST_HELD, 0, 0};
    mst_seen seen = {};
    for (ordo_u32 i = blockIdx.x * MST_WARPS + threadIdx.x / 32; i < pieces; i += step) {
        ordo_u32 row, begin, end;
        mst_piece(&a, a.hub[i], &row, &begin, &end);
        const ordo_u64 key = mst_lightest<Dense>(&a, a.hub[i].vertex, row, begin, end, &store, limit, &seen);
        if (threadIdx.x % 32 == 0 && key != MST_NO_KEY)
            ordo_dev_min(&a.best[a.hub[i].vertex], key);
    }
    mst_write_light(&a, &store, mst_reserve_all(places, &store, &a.words->light));
    mst_publish_seen(&a, &seen);
}

static __global__ void __launch_bounds__(MST_THREADS) mst_hub_ends(const mst_args a)
{
    const ordo_u32 pieces = a.symmetric ? a.words->hubs : 0, step = gridDim.x * MST_THREADS;
    for (ordo_u32 i = blockIdx.x * MST_THREADS + threadIdx.x; i < pieces; i += step) {
        const ordo_u32 u = a.hub[i].vertex;
        if (a.hub[i].piece)
            continue;
        const ordo_u64 key = a.best[u];
        const ordo_u32 head = key == MST_NO_KEY ? MST_NONE : mst_head(&a, (ordo_u32)key);
        a.wish[u] = head;
        a.wished[u] = (ordo_u32)(key >> 32);
        if (head != MST_NONE && u < head)
            mst_choose(&a, (ordo_u32)key);
    }
}

/* ---- roots and their labels ---- */

/* Shared memory in which a block numbers the roots of a tile: both counts are in one word, as a tile has fewer than
 * 2^16. */
template <int THREADS> struct mst_numbering {
    typename cub::BlockScan<ordo_u32, THREADS>::TempStorage scan;
    ordo_u32 root, final_part;
};

/* By a whole block: assigns numbers to `roots` labels of the next level and `finals` final ones of each thread. */
template <int THREADS>
ORDO_DEV void mst_number(mst_numbering<THREADS> *s, ordo_u32 *roots, ordo_u32 *finals, ordo_u32 *parts,
                         ordo_u32 *final_parts)
{
    ordo_u32 both = *roots | *finals << 16, at, total;
    cub::BlockScan<ordo_u32, THREADS>(s->scan).ExclusiveSum(both, at, total);
    if (threadIdx.x == 0) /* two warps, so that neither waits for the atomic of the other */
        s->root = total & 0xffff ? ordo_dev_add(parts, total & 0xffff) : 0;
    if (threadIdx.x == 32)
        s->final_part = total >> 16 ? ordo_dev_add(final_parts, total >> 16) : 0;
    __syncthreads();
    *roots = s->root + (at & 0xffff);
    *finals = s->final_part + (at >> 16);
    __syncthreads();
}

/* Puts the edge that a vertex chose, and that mst_lightest_of_short left out, into the list. */
ORDO_DEV void mst_list_chosen(const mst_args *a, ordo_u32 u)
{
    const ordo_u32 wish = a->wish[u], wished = a->wished[u];
    const ordo_u32 end = mst_row(a, u + 1);
    ordo_u32 e = mst_row(a, u);
    if (wish == MST_NONE || wish < u || end - e > MST_LONG)
        return;
    for (; e < end; e++) {
        const uint2 arc = mst_load(a, e);
        if (arc.x == wish && mst_ordered(a, arc.y) == wished)
            break;
    }
    const ordo_u32 at = ordo_dev_add(&a->words->light, 1u);
    if (at < a->capacity)
        a->list[1][at] = make_uint4(u, wish, wished, e);
}

/* Of two vertices that chose each other the larger one is the root: the smaller one's arc is the edge's id, under which
 * the edge has been chosen. If only the larger end chose an edge, its id is not known yet: mst_light scans the edge if
 * it is light, and looks up other ids. */
static __global__ void __launch_bounds__(MST_THREADS) mst_roots(const mst_args a)
{
    __shared__ mst_numbering<MST_THREADS> numbering;
    const ordo_u32 tile = MST_THREADS * MST_AT_ONCE;
    mst_words *w = a.words;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        w->level = 1;
    if (!a.symmetric || w->unsorted) { /* rows do not have all edges of a vertex, or not in order: each vertex stays a
                                      component */
        const ordo_u32 thread = blockIdx.x * MST_THREADS + threadIdx.x, threads = gridDim.x * MST_THREADS;
        for (ordo_u32 u = thread; u < a.n; u += threads) {
            a.parent[u] = MST_ROOT | u;
            if (a.symmetric && !a.dense)
                mst_list_chosen(&a, u);
        }
        for (ordo_u32 i = thread; i < a.words_of_chosen; i += threads)
            a.chosen[i] = 0;
        if (thread == 0)
            w->parts[1] = a.n;
        return;
    }
    for (ordo_u32 first = blockIdx.x * tile; first < a.n; first += gridDim.x * tile) {
        ordo_u32 up[MST_AT_ONCE], roots = 0, finals = 0;
        bool root[MST_AT_ONCE];
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u32 u = first + j * MST_THREADS + threadIdx.x;
            up[j] = u < a.n ? __ldg(a.wish + u) : MST_NONE;
            finals += u < a.n && up[j] == MST_NONE;
        }
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u32 u = first + j * MST_THREADS + threadIdx.x;
            root[j] = up[j] != MST_NONE && u > up[j] && __ldg(a.wish + up[j]) == u;
            roots += root[j];
        }
        mst_number(&numbering, &roots, &finals, &w->parts[1], &w->final_parts[0]);
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u32 u = first + j * MST_THREADS + threadIdx.x;
            if (root[j])
                up[j] = MST_ROOT | roots++;
            else if (up[j] == MST_NONE)
                up[j] = MST_ROOT | (a.n - 1 - finals++);
            if (u < a.n)
                a.parent[u] = up[j];
        }
    }
}

/* The label of the root of `at`, with path halving in memory: without that a path of ascending weights would take
 * quadratic time. A parent is replaced by its own parent only if it is still the one that was read: a label that was
 * stored meanwhile stays. A cycle, which is possible only if rows are not symmetric, becomes shorter until an element
 * is its own grandparent. */
ORDO_DEV ordo_u32 mst_climb(const mst_args *a, ordo_u32 *parent, ordo_u32 at)
{
    for (ordo_u32 hops = 1;; hops++) {
        ordo_u32 up = ordo_dev_load(&parent[at]);
        if (up & MST_ROOT)
            return up;
        const ordo_u32 above = ordo_dev_load(&parent[up]);
        if (above & MST_ROOT)
            return above;
        if (up == at || above == at)
            ordo_dev_max(&a->words->odd, ~((ordo_u64)at << 32 | up));
        if (hops > a->n)
            ordo_dev_max(&a->words->odd, ~((ordo_u64)at << 32 | up));
        if (hops > a->n || (hops % 64 == 0 && (ordo_dev_load(&a->words->odd) || a->run.mailbox->stop)))
            return MST_ROOT;
        ordo_dev_swap(&parent[at], &up, above);
        at = above;
    }
}

/* Replaces the parents of a level by labels; by all blocks. A block has consecutive elements, whose paths share cache
 * lines. A word that is read on a path may be outdated: then it is a parent instead of a label, and the path is longer.
 * So the first-level cache may be used, which pays since many elements share a root. */
template <ordo_u32 THREADS> ORDO_DEV void mst_find_roots(const mst_args *a, ordo_u32 *parent, ordo_u32 count)
{
    constexpr ordo_u32 tile = THREADS * MST_AT_ONCE;
    for (ordo_u64 at = (ordo_u64)blockIdx.x * tile + threadIdx.x; at < count; at += (ordo_u64)gridDim.x * tile) {
        ordo_u32 up[MST_AT_ONCE], open = 0;
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u64 c = at + (ordo_u32)j * THREADS;
            up[j] = c < count ? ordo_dev_load(&parent[c]) : MST_ROOT;
            open |= up[j] & MST_ROOT ? 0 : 1u << j;
        }
        const ordo_u32 below = open;
        for (int hop = 0; hop < MST_STEPS && open; hop++) {
#pragma unroll
            for (int j = 0; j < MST_AT_ONCE; j++)
                if (open >> j & 1)
                    up[j] = ordo_dev_peek(&parent[up[j]]);
#pragma unroll
            for (int j = 0; j < MST_AT_ONCE; j++)
                open &= up[j] & MST_ROOT ? ~(1u << j) : ~0u;
        }
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            if (open >> j & 1)
                up[j] = mst_climb(a, parent, up[j]);
            if (below >> j & 1)
                ordo_dev_store(&parent[at + (ordo_u32)j * THREADS], up[j]);
        }
    }
}

static __global__ void __launch_bounds__(MST_THREADS) mst_label_roots(const mst_args a)
{
    if (!mst_halted(&a) && a.symmetric && !a.words->unsorted)
        mst_find_roots<MST_THREADS>(&a, a.parent, a.n);
}

/* Initialises the words of components and their layout. A separate kernel: beside stores that fill a large array,
 * finding roots takes two to three times as long. */
static __global__ void __launch_bounds__(MST_THREADS) mst_ready(const mst_args a)
{
    const ordo_u32 first = blockIdx.x * MST_THREADS + threadIdx.x, step = gridDim.x * MST_THREADS;
    for (ordo_u64 c = first; c < a.words->parts[1]; c += step)
        a.best[c] = MST_NO_KEY;
    for (ordo_u32 i = first; i < (MST_LAST_WORDS - 1) * MST_LAST_PARTS; i += step)
        a.few[i] = MST_NO_KEY;
    if (first == 0)
        a.words->shape = mst_shape_of(&a, a.words->parts[1]);
}
