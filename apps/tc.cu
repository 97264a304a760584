/* tc.cu -- triangles on a GPU: the native program of tc.c.
 *
 * Problem: that of oriented.h. A triangle is found once, at its vertex u of highest rank, as two heads of the row of u
 * of which one is in the row of the other. On a GPU the rows of vertices of many edges are looked up most, and should
 * cost a bit each; the others should fit the memory of a block.
 *
 * Data structures. Vertices have ranks by degree, in bins. The vertices of most edges, at most TC_CORE, are the core:
 * the bins above a threshold. A core vertex has a slot, which is its rank. Its row is also a row of bits, one for each
 * lower slot: a triangular matrix. An entry of a row, in list[], is a slot, or TC_CORE plus the id of a vertex outside
 * the core. Rows stand where the graph's rows begin; count[] is their length. Core vertices have core entries alone.
 *
 * Protocol. The kernels in order; the host reads nothing in between:
 *   tc_bins       vertices by degree
 *   tc_threshold  which bins are the core
 *   tc_keys       keys[]: ascending with the rank; two vertices outside the core of one bin have the same, and their
 *                 ids decide. Clears the matrix
 *   tc_orient, tc_orient_hubs   rows, and the matrix. Also finds out whether rows are in order and simple. Where rows
 *                 are short and ranks are the ids, tc_orient_ids: a thread counts the heads below its vertex
 *   tc_blocks     vertices of more than TC_WARP entries: a block marks the core entries in a bitmap and puts the others
 *                 into a hash table, both in shared memory. Rows of core entries are intersected as bits; rows of the
 *                 others are looked up
 *   tc_warps      of more than TC_SMALL: a warp; entries that are both of the core are pairs to be looked up in the
 *                 matrix
 *   tc_small      of more than TC_TINY: some lanes, likewise
 *   tc_tiny       of 2 and more: a thread, which compares
 *   tc_end
 *
 * Memory order. What one kernel needs of the one before is ordered by the end of a kernel. Within a kernel, words that
 * several blocks change are counters of lists and bits of the matrix, which are read by later kernels.
 *
 * Memory in addition to the rows: 4 bytes an edge, 20 a vertex, and the matrix, up to 257 MiB.
 *
 * Not done: triangles at each vertex.
 */
/* A test compiles this file for the host; it defines the names of grid.cuh that are used here (tests/gpu/fibers.h). */
#ifndef ORDO_DEV
#include <ordo/detail/cuda/grid.cuh>
#endif

#include <ordo/detail/backend.h>
#include <ordo/detail/program.h>

#include "apps/steps.cuh"
#include "apps/tc.h"

enum {
    TC_THREADS = 256,
    TC_BINS = 256,
    TC_OCTAVE = 8,   /* bins for a factor of two */
    TC_CORE = 65536, /* entries from here on are vertices outside the core */
    TC_HUB = 1024,   /* a row of more edges is oriented by a block */
    TC_LONG = 64,    /* likewise, where others are by a thread each */
    TC_SHORT = 4,    /* edges of a thread that are loaded at once */
    TC_TINY = 4,     /* entries: by a thread */
    TC_SMALL = 16,   /* by some lanes */
    TC_WARP = 64,    /* by a warp; more: by a block */
    TC_HASH = 4096,  /* words of a block's hash table */
    TC_PART = 2048,  /* entries that are in it at once */
    TC_LANES = 8     /* of a block for one of its rows */
};
/* The most vertices of the core, at most TC_CORE, of a graph of so many edges; a test chooses others. */
#ifndef TC_SLOTS
#define TC_SLOTS(_edges) ((_edges) < 1 << 24 ? TC_CORE / 4 : TC_CORE)
#endif
/* Whether ranks are the ids: where degrees are about alike, and rows fit small hash tables. A test chooses others. */
#ifndef TC_BY_ID
#define TC_BY_ID(_kind, _n, _m) ((_kind) != ORDO_GRAPH_HUBS && (_m) <= 32 * (_n))
#endif
static const ordo_u32 TC_EMPTY = 0xffffffffu;

typedef struct tc_words {
    ordo_u64 triangles;
    ordo_u32 warps, blocks, hubs; /* vertices on the lists */
    ordo_u32 threshold, core;     /* the lowest bin of the core; its vertices */
    ordo_u32 stop, fault;         /* fault: rows are not in order, or have loops or parallel edges */
    ordo_u32 bin[TC_BINS];        /* vertices of a bin; from tc_threshold on the next slot of a bin of the core */
} tc_words;

typedef struct tc_args {
    ordo_cuda_rows rows;
    ordo_u32 *key;        /* [n] */
    ordo_u32 *count;      /* [n] entries */
    ordo_u32 *own;        /* [m] entries, or NULL: ranks are the ids */
    const ordo_u32 *list; /* the same, or the graph's heads */
    ordo_u32 outside;     /* entries from here on are vertices outside the core */
    ordo_u32 *lists;      /* [3][n] vertices for warps, blocks, and hubs */
    uint4 *matrix;
    ordo_u32 slots; /* the most vertices of the core */
    tc_words *words;
    ordo_u64 *cell; /* [out] */
    ordo_u32 kernels;
    ordo_cuda_run run;
} tc_args;

ORDO_DEV ordo_u32 tc_bin(ordo_u64 degree)
{
    if (degree < TC_OCTAVE)
        return (ordo_u32)degree;
    const int log = degree >> 32 ? 63 - __clz((int)(degree >> 32)) : 31 - __clz((int)degree);
    return (ordo_u32)(log - 2) * TC_OCTAVE + ((ordo_u32)(degree >> (log - 3)) & (TC_OCTAVE - 1));
}

ORDO_DEV ordo_u32 tc_head(const tc_args &a, ordo_u64 e)
{
    return __ldg(a.rows.edge + e * a.rows.stride);
}

/* The matrix' row of a slot, in units of 128 bits: slots below 128 have one unit, the next 128 two, and so on. */
ORDO_DEV ordo_u32 tc_unit(ordo_u32 slot)
{
    const ordo_u32 block = slot / 128;
    return 64 * block * (block + 1) + slot % 128 * (block + 1);
}

ORDO_DEV ordo_u32 tc_bit(const tc_args &a, ordo_u32 slot, ordo_u32 lower)
{
    return __ldg((const ordo_u32 *)(a.matrix + tc_unit(slot)) + lower / 32) >> lower % 32 & 1;
}

/* ---- ranks ---- */

static __global__ void __launch_bounds__(TC_THREADS) tc_bins(const __grid_constant__ tc_args a)
{
    __shared__ ordo_u32 bin[TC_BINS];
    const ordo_u64 n = a.rows.n;
    if (ordo_steps_stopped(&a.words->stop))
        return;
    bin[threadIdx.x] = 0;
    __syncthreads();
    for (ordo_u64 first = (ordo_u64)blockIdx.x * TC_THREADS; first < n; first += (ordo_u64)gridDim.x * TC_THREADS) {
        const ordo_u64 v = first + threadIdx.x;
        const ordo_u32 mine = v < n ? tc_bin(__ldg(a.rows.row + v + 1) - __ldg(a.rows.row + v)) : (ordo_u32)TC_BINS;
        const ordo_u32 common = __shfl_sync(~0u, mine, 0); /* most lanes have it: one addition for them */
        const ordo_u32 same = __ballot_sync(~0u, mine == common);
        if (mine < TC_BINS && (mine != common || threadIdx.x % 32 == 0))
            ordo_dev_add_block(&bin[mine], mine == common ? (ordo_u32)__popc(same) : 1u);
    }
    __syncthreads();
    if (bin[threadIdx.x])
        ordo_dev_add(&a.words->bin[threadIdx.x], bin[threadIdx.x]);
}

/* By one block: the core is as many bins from the top as have at most a.slots vertices. */
static __global__ void __launch_bounds__(TC_BINS) tc_threshold(const __grid_constant__ tc_args a)
{
    __shared__ ordo_u64 sum[TC_BINS];
    const ordo_u32 t = threadIdx.x, mine = TC_BINS - 1 - t;
    if (blockIdx.x > 0)
        return;
    const ordo_u64 vertices = ordo_dev_load(&a.words->bin[mine]);
    sum[t] = vertices;
    __syncthreads();
    for (ordo_u32 step = 1; step < TC_BINS; step *= 2) {
        const ordo_u64 below = t >= step ? sum[t - step] : 0;
        __syncthreads();
        sum[t] += below;
        __syncthreads();
    }
    const bool in = sum[t] <= a.slots && mine > 1;
    const bool last = in && (mine == 2 || sum[t + 1] > a.slots);
    if (in)
        ordo_dev_store(&a.words->bin[mine], (ordo_u32)(sum[t] - vertices));
    if (last) {
        ordo_dev_store(&a.words->threshold, mine);
        ordo_dev_store(&a.words->core, (ordo_u32)sum[t]);
    }
    if (t == 0 && !in)
        ordo_dev_store(&a.words->threshold, (ordo_u32)TC_BINS);
}

static __global__ void __launch_bounds__(TC_THREADS) tc_keys(const __grid_constant__ tc_args a)
{
    const ordo_u64 n = a.rows.n, threads = (ordo_u64)gridDim.x * TC_THREADS;
    const ordo_u64 self = (ordo_u64)blockIdx.x * TC_THREADS + threadIdx.x;
    const ordo_u32 threshold = ordo_dev_load(&a.words->threshold), core = ordo_dev_load(&a.words->core);
    if (ordo_steps_stopped(&a.words->stop))
        return;
    for (ordo_u64 v = self; v < n; v += threads) {
        const ordo_u32 bin = tc_bin(__ldg(a.rows.row + v + 1) - __ldg(a.rows.row + v));
        a.key[v] = bin >= threshold ? ordo_dev_add(&a.words->bin[bin], 1u) : TC_CORE + (TC_BINS - 1 - bin);
    }
    for (ordo_u64 i = self; i < (core ? tc_unit(core) : 0); i += threads)
        a.matrix[i] = make_uint4(0, 0, 0, 0);
}

/* ---- rows ---- */

/* An edge of a row that is being oriented. */
typedef struct tc_edge {
    ordo_u32 head, key;
    bool taken; /* the head has the lower rank */
} tc_edge;

ORDO_DEV tc_edge tc_look(const tc_args &a, ordo_u32 u, ordo_u32 key, ordo_u64 from, ordo_u64 e, ordo_u64 to,
                         bool *fault)
{
    tc_edge edge = {0, TC_EMPTY, false};
    if (e < to) {
        edge.head = tc_head(a, e);
        *fault |= edge.head == u || (e > from && tc_head(a, e - 1) >= edge.head);
        if (!a.own) {
            edge.taken = edge.head < u;
            return edge;
        }
        edge.key = __ldg(a.key + edge.head);
        edge.taken = edge.key < key || (edge.key == key && edge.head > u);
    }
    return edge;
}

ORDO_DEV void tc_take(const tc_args &a, ordo_u32 key, const tc_edge &edge, ordo_u64 at)
{
    if (!edge.taken || !a.own)
        return;
    a.own[at] = edge.key < TC_CORE ? edge.key : TC_CORE + edge.head;
    if (key < TC_CORE)
        ordo_dev_or((ordo_u32 *)(a.matrix + tc_unit(key)) + edge.key / 32, 1u << edge.key % 32);
}

/* By one thread, when the row of u is complete. */
ORDO_DEV void tc_complete(const tc_args &a, ordo_u32 u, ordo_u32 count)
{
    a.count[u] = count;
    if (count > TC_WARP)
        a.lists[a.rows.n + ordo_dev_add(&a.words->blocks, 1u)] = u;
    else if (count > TC_SMALL)
        a.lists[ordo_dev_add(&a.words->warps, 1u)] = u;
}

ORDO_DEV void tc_report(const tc_args &a, bool fault)
{
    if (fault) {
        ordo_dev_store(&a.words->fault, 1u);
        ordo_dev_store(&a.words->stop, 1u);
    }
}

/* Lanes of a group: L of a warp. */
template <int L> ORDO_DEV ordo_u32 tc_group(void)
{
    const ordo_u32 lane = threadIdx.x % 32;
    return L == 32 ? ~0u : ((1u << L % 32) - 1) << lane / L * L;
}

/* L lanes orient a row. */
template <int L> static __global__ void __launch_bounds__(TC_THREADS) tc_orient(const __grid_constant__ tc_args a)
{
    const ordo_u32 n = a.rows.n, lane = threadIdx.x % 32, mine = threadIdx.x % L;
    const ordo_u32 group = tc_group<L>(), below = group & ((1u << lane) - 1);
    bool fault = false;
    if (ordo_steps_stopped(&a.words->stop))
        return;
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        ordo_steps_ask(a.run, &a.words->stop);
    for (ordo_u64 first = (ordo_u64)blockIdx.x * (TC_THREADS / L); first < n;
         first += (ordo_u64)gridDim.x * (TC_THREADS / L)) {
        const ordo_u64 u = first + threadIdx.x / L;
        const ordo_u64 from = u < n ? __ldg(a.rows.row + u) : 0;
        ordo_u64 to = u < n ? __ldg(a.rows.row + u + 1) : 0;
        const ordo_u32 key = u < n && a.own ? __ldg(a.key + u) : 0;
        const bool hub = to - from > TC_HUB;
        ordo_u32 count = 0;
        if (hub && mine == 0)
            a.lists[2 * (ordo_u64)n + ordo_dev_add(&a.words->hubs, 1u)] = (ordo_u32)u;
        if (hub)
            to = from;
        for (ordo_u64 at = from; __ballot_sync(~0u, at < to); at += 2 * L) {
            const tc_edge x = tc_look(a, (ordo_u32)u, key, from, at + mine, to, &fault);
            const tc_edge y = tc_look(a, (ordo_u32)u, key, from, at + L + mine, to, &fault);
            const ordo_u32 xs = __ballot_sync(~0u, x.taken) & group, ys = __ballot_sync(~0u, y.taken) & group;
            tc_take(a, key, x, from + count + __popc(xs & below));
            count += __popc(xs);
            tc_take(a, key, y, from + count + __popc(ys & below));
            count += __popc(ys);
        }
        if (u < n && !hub && mine == 0)
            tc_complete(a, (ordo_u32)u, count);
    }
    tc_report(a, fault);
}

/* A thread orients a row: where ranks are the ids, the heads below u are its entries, and stay where they are. */
static __global__ void __launch_bounds__(TC_THREADS) tc_orient_ids(const __grid_constant__ tc_args a)
{
    const ordo_u64 n = a.rows.n;
    bool fault = false;
    if (ordo_steps_stopped(&a.words->stop))
        return;
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        ordo_steps_ask(a.run, &a.words->stop);
    for (ordo_u64 u = (ordo_u64)blockIdx.x * TC_THREADS + threadIdx.x; u < n; u += (ordo_u64)gridDim.x * TC_THREADS) {
        const ordo_u64 from = __ldg(a.rows.row + u), to = __ldg(a.rows.row + u + 1);
        if (to - from > TC_LONG) {
            a.lists[2 * n + ordo_dev_add(&a.words->hubs, 1u)] = (ordo_u32)u;
            continue;
        }
        ordo_u32 count = 0, before = 0;
        for (ordo_u64 at = from; at < to; at += TC_SHORT) {
            ordo_u32 head[TC_SHORT];
#pragma unroll
            for (int i = 0; i < TC_SHORT; i++)
                head[i] = at + i < to ? tc_head(a, at + i) : TC_EMPTY;
#pragma unroll
            for (int i = 0; i < TC_SHORT; i++) {
                fault |= head[i] == u || (at + i > from && at + i < to && before >= head[i]);
                count += head[i] < u;
                before = head[i];
            }
        }
        tc_complete(a, (ordo_u32)u, count);
    }
    tc_report(a, fault);
}

/* A block orients a row. */
static __global__ void __launch_bounds__(TC_THREADS) tc_orient_hubs(const __grid_constant__ tc_args a)
{
    __shared__ ordo_u32 count;
    const ordo_u32 lane = threadIdx.x % 32, hubs = ordo_dev_load(&a.words->hubs);
    bool fault = false;
    if (ordo_steps_stopped(&a.words->stop))
        return;
    for (ordo_u32 i = blockIdx.x; i < hubs; i += gridDim.x) {
        const ordo_u32 u = a.lists[2 * (ordo_u64)a.rows.n + i], key = a.own ? a.key[u] : 0;
        const ordo_u64 from = __ldg(a.rows.row + u), to = __ldg(a.rows.row + u + 1);
        if (threadIdx.x == 0)
            count = 0;
        __syncthreads();
        for (ordo_u64 at = from; at < to; at += TC_THREADS) {
            const tc_edge x = tc_look(a, u, key, from, at + threadIdx.x, to, &fault);
            const ordo_u32 xs = __ballot_sync(~0u, x.taken);
            ordo_u32 begin = 0;
            if (lane == 0 && xs)
                begin = ordo_dev_add_block(&count, (ordo_u32)__popc(xs));
            begin = __shfl_sync(~0u, begin, 0);
            tc_take(a, key, x, from + begin + __popc(xs & ((1u << lane) - 1)));
        }
        __syncthreads();
        if (threadIdx.x == 0)
            tc_complete(a, u, count);
        __syncthreads();
    }
    tc_report(a, fault);
}

/* ---- a hash table in shared memory: words, TC_EMPTY where there is none ---- */

ORDO_DEV ordo_u32 tc_place(ordo_u32 entry, ordo_u32 size)
{
    return entry * 2654435769u >> 16 & (size - 1);
}

ORDO_DEV void tc_put(ordo_u32 *hash, ordo_u32 size, ordo_u32 entry)
{
    ordo_u32 at = tc_place(entry, size);
    for (ordo_u32 found = TC_EMPTY; !ordo_dev_swap_block(&hash[at], &found, entry); found = TC_EMPTY)
        at = (at + 1) & (size - 1);
}

ORDO_DEV ordo_u32 tc_has(const ordo_u32 *hash, ordo_u32 size, ordo_u32 entry)
{
    ordo_u32 at = tc_place(entry, size);
    for (ordo_u32 found; (found = hash[at]) != TC_EMPTY; at = (at + 1) & (size - 1))
        if (found == entry)
            return 1;
    return 0;
}

/* ---- counting ---- */

/* L lanes count at u, which has `count` entries, at most MOST; 0: at none. S of them share a row. By whole warps. */
template <int L, int MOST, int SIZE, int S>
ORDO_DEV ordo_u32 tc_lanes(const tc_args &a, ordo_u32 u, ordo_u32 count, ordo_u32 *entry, ordo_u32 *hash)
{
    const ordo_u32 lane = threadIdx.x % 32, mine = threadIdx.x % L;
    const ordo_u32 group = tc_group<L>(), below = group & ((1u << lane) - 1);
    const ordo_u64 from = count ? __ldg(a.rows.row + u) : 0;
    ordo_u32 core = 0, others = 0, found = 0;
    for (ordo_u32 i = mine; i - mine < MOST; i += L) { /* core entries from the front, others from the back */
        const ordo_u32 x = i < count ? __ldg(a.list + from + i) : TC_EMPTY;
        const ordo_u32 cores = __ballot_sync(~0u, x < a.outside) & group;
        const ordo_u32 rest = __ballot_sync(~0u, x >= a.outside && x != TC_EMPTY) & group;
        if (x < a.outside)
            entry[core + __popc(cores & below)] = x;
        else if (x != TC_EMPTY)
            entry[MOST - 1 - others - __popc(rest & below)] = x;
        core += __popc(cores);
        others += __popc(rest);
    }
    __syncwarp();
    for (ordo_u32 i = mine; i < count && others; i += L)
        tc_put(hash, SIZE, entry[i < core ? i : MOST - 1 - (i - core)]);
    __syncwarp();
    for (ordo_u32 j = 0; j < core; j++)
        for (ordo_u32 i = mine; i < core; i += L)
            if (entry[i] < entry[j])
                found += tc_bit(a, entry[j], entry[i]);
    for (ordo_u32 j = mine / S; j < others; j += L / S) {
        const ordo_u32 v = entry[MOST - 1 - j] - a.outside;
        const ordo_u32 length = __ldg(a.count + v);
        const ordo_u64 begin = __ldg(a.rows.row + v);
        for (ordo_u32 i = mine % S; i < length; i += S)
            found += tc_has(hash, SIZE, __ldg(a.list + begin + i));
    }
    __syncwarp();
    for (ordo_u32 i = mine; i < SIZE && others; i += L)
        hash[i] = TC_EMPTY;
    __syncwarp();
    return found;
}

/* A warp takes AT_ONCE consecutive vertices; those that are small are shared by its groups of L lanes. Where few are,
 * many at once are looked through faster. */
template <int L, int S, int AT_ONCE>
static __global__ void __launch_bounds__(TC_THREADS, 8) tc_small(const __grid_constant__ tc_args a)
{
    enum { GROUPS = TC_THREADS / L, SIZE = 64, TILE = TC_THREADS / 32 * AT_ONCE };
    __shared__ ordo_u32 entry[GROUPS][TC_SMALL], hash[GROUPS][SIZE];
    const ordo_u32 n = a.rows.n, which = threadIdx.x / L, lane = threadIdx.x % 32;
    ordo_u64 found = 0;
    if (ordo_steps_stopped(&a.words->stop))
        return;
    for (ordo_u32 i = threadIdx.x % L; i < SIZE; i += L)
        hash[which][i] = TC_EMPTY;
    __syncwarp();
    for (ordo_u64 tile = (ordo_u64)blockIdx.x * TILE; tile < n; tile += (ordo_u64)gridDim.x * TILE) {
        const ordo_u64 first = tile + threadIdx.x / 32 * AT_ONCE;
        const ordo_u32 count = lane < AT_ONCE && first + lane < n ? __ldg(a.count + first + lane) : 0;
        ordo_u32 left = __ballot_sync(~0u, count > TC_TINY && count <= TC_SMALL);
        while (left) { /* a lane's group takes the first one in `mine`; after it `left` has those of no group */
            ordo_u32 mine = 0;
#pragma unroll
            for (ordo_u32 i = 0; i < 32 / L; i++, left &= left - 1)
                mine = i == lane / L ? left : mine;
            const ordo_u32 owner = mine ? (ordo_u32)__ffs((int)mine) - 1 : 0;
            const ordo_u32 entries = __shfl_sync(~0u, count, owner);
            found += tc_lanes<L, TC_SMALL, SIZE, S>(a, (ordo_u32)first + owner, mine ? entries : 0, entry[which],
                                                    hash[which]);
        }
    }
    ordo_steps_add(&a.words->triangles, found);
}

static __global__ void __launch_bounds__(TC_THREADS) tc_warps(const __grid_constant__ tc_args a)
{
    enum { WARPS = TC_THREADS / 32, SIZE = 256 };
    __shared__ ordo_u32 entry[WARPS][TC_WARP], hash[WARPS][SIZE];
    const ordo_u32 warps = ordo_dev_load(&a.words->warps), which = threadIdx.x / 32;
    ordo_u64 found = 0;
    if (ordo_steps_stopped(&a.words->stop))
        return;
    for (ordo_u32 i = threadIdx.x % 32; i < SIZE; i += 32)
        hash[which][i] = TC_EMPTY;
    __syncwarp();
    for (ordo_u32 i = blockIdx.x * WARPS + which; i < warps; i += gridDim.x * WARPS) {
        const ordo_u32 u = a.lists[i];
        found += tc_lanes<32, TC_WARP, SIZE, 8>(a, u, __ldg(a.count + u), entry[which], hash[which]);
    }
    ordo_steps_add(&a.words->triangles, found);
}

/* A thread: each row of an entry outside the core is compared with all entries. */
static __global__ void __launch_bounds__(TC_THREADS) tc_tiny(const __grid_constant__ tc_args a)
{
    const ordo_u64 n = a.rows.n;
    ordo_u64 found = 0;
    if (ordo_steps_stopped(&a.words->stop))
        return;
    for (ordo_u64 u = (ordo_u64)blockIdx.x * TC_THREADS + threadIdx.x; u < n; u += (ordo_u64)gridDim.x * TC_THREADS) {
        const ordo_u32 count = __ldg(a.count + u);
        if (count < 2 || count > TC_TINY)
            continue;
        const ordo_u64 from = __ldg(a.rows.row + u);
        ordo_u32 entry[TC_TINY];
#pragma unroll
        for (ordo_u32 i = 0; i < TC_TINY; i++)
            entry[i] = i < count ? __ldg(a.list + from + i) : TC_EMPTY;
#pragma unroll
        for (ordo_u32 j = 0; j < TC_TINY; j++) {
            if (entry[j] < a.outside) {
#pragma unroll
                for (ordo_u32 i = 0; i < TC_TINY; i++)
                    if (entry[i] < entry[j])
                        found += tc_bit(a, entry[j], entry[i]);
            } else if (entry[j] != TC_EMPTY) {
                const ordo_u64 begin = __ldg(a.rows.row + (entry[j] - a.outside));
                const ordo_u32 length = __ldg(a.count + (entry[j] - a.outside));
                for (ordo_u32 k = 0; k < length; k++) {
                    const ordo_u32 x = __ldg(a.list + begin + k);
#pragma unroll
                    for (ordo_u32 i = 0; i < TC_TINY; i++)
                        found += entry[i] == x;
                }
            }
        }
    }
    ordo_steps_add(&a.words->triangles, found);
}

ORDO_DEV ordo_u32 tc_common(uint4 x, uint4 y)
{
    return (ordo_u32)(__popc(x.x & y.x) + __popc(x.y & y.y) + __popc(x.z & y.z) + __popc(x.w & y.w));
}

/* By TC_LANES lanes, of which the calling one is `mine`: entries of u that are in the row of slot v. Bit by bit where
 * that is fewer words. */
ORDO_DEV ordo_u32 tc_in_core(const tc_args &a, ordo_u32 v, const uint4 *mark, ordo_u64 from, ordo_u32 count,
                             ordo_u32 mine)
{
    const uint4 *row = a.matrix + tc_unit(v);
    const ordo_u32 units = v / 128 + 1;
    ordo_u32 found = 0;
    if (units > 2 * count) {
        for (ordo_u32 i = mine; i < count; i += TC_LANES) {
            const ordo_u32 x = __ldg(a.list + from + i);
            if (x < v)
                found += tc_bit(a, v, x);
        }
        return found;
    }
    ordo_u32 i = mine;
    for (; i + TC_LANES < units; i += 2 * TC_LANES) {
        const uint4 x = __ldg(row + i), y = __ldg(row + i + TC_LANES);
        found += tc_common(x, mark[i]) + tc_common(y, mark[i + TC_LANES]);
    }
    return i < units ? found + tc_common(__ldg(row + i), mark[i]) : found;
}

/* By TC_LANES lanes: entries of u that are in the row of the vertex v outside the core; of those in the core only where
 * that is asked for. */
ORDO_DEV ordo_u32 tc_outside(const tc_args &a, ordo_u32 v, const ordo_u32 *mark, const ordo_u32 *hash, bool core,
                             ordo_u32 mine)
{
    const ordo_u64 begin = __ldg(a.rows.row + v);
    const ordo_u32 length = __ldg(a.count + v);
    ordo_u32 found = 0;
    for (ordo_u32 i = mine; i < length; i += TC_LANES) {
        const ordo_u32 x = __ldg(a.list + begin + i);
        if (x >= a.outside)
            found += tc_has(hash, TC_HASH, x);
        else if (core)
            found += mark[x / 32] >> x % 32 & 1;
    }
    return found;
}

/* By a whole block: the triangles at u. The entries outside the core are in the hash table part by part; the table is
 * empty before and after. */
ORDO_DEV ordo_u32 tc_block(const tc_args &a, ordo_u32 u, uint4 *mark, ordo_u32 *hash)
{
    const ordo_u64 from = __ldg(a.rows.row + u);
    const ordo_u32 count = __ldg(a.count + u), mine = threadIdx.x % TC_LANES;
    ordo_u32 found = 0;
    for (ordo_u32 i = threadIdx.x; i < TC_CORE / 128; i += TC_THREADS)
        mark[i] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    for (ordo_u32 i = threadIdx.x; i < count; i += TC_THREADS) {
        const ordo_u32 x = __ldg(a.list + from + i);
        if (x < a.outside)
            ordo_dev_or_block((ordo_u32 *)mark + x / 32, 1u << x % 32);
    }
    for (ordo_u32 part = 0; part < count; part += TC_PART) {
        const ordo_u32 end = count - part < TC_PART ? count : part + TC_PART;
        bool any = false;
        for (ordo_u32 i = part + threadIdx.x; i < end; i += TC_THREADS) {
            const ordo_u32 x = __ldg(a.list + from + i);
            if (x >= a.outside)
                tc_put(hash, TC_HASH, x);
            any |= x >= a.outside;
        }
        any = __syncthreads_or(any);
        for (ordo_u32 j = threadIdx.x / TC_LANES; j < count && (any || part == 0); j += TC_THREADS / TC_LANES) {
            const ordo_u32 v = __ldg(a.list + from + j);
            if (v >= a.outside)
                found += tc_outside(a, v - a.outside, (const ordo_u32 *)mark, hash, part == 0, mine);
            else if (part == 0)
                found += tc_in_core(a, v, mark, from, count, mine);
        }
        __syncthreads();
        for (ordo_u32 i = threadIdx.x; i < TC_HASH && any; i += TC_THREADS)
            hash[i] = TC_EMPTY;
        __syncthreads();
    }
    return found;
}

static __global__ void __launch_bounds__(TC_THREADS) tc_blocks(const __grid_constant__ tc_args a)
{
    __shared__ uint4 mark[TC_CORE / 128];
    __shared__ ordo_u32 hash[TC_HASH];
    const ordo_u32 blocks = ordo_dev_load(&a.words->blocks);
    ordo_u64 found = 0;
    for (ordo_u32 i = threadIdx.x; i < TC_HASH; i += TC_THREADS)
        hash[i] = TC_EMPTY;
    for (ordo_u32 i = blockIdx.x; i < blocks && !ordo_steps_stopped(&a.words->stop); i += gridDim.x) {
        if (blockIdx.x == 0 && threadIdx.x == 0)
            ordo_steps_ask(a.run, &a.words->stop);
        found += tc_block(a, a.lists[a.rows.n + (ordo_u64)i], mark, hash);
    }
    __syncthreads();
    ordo_steps_add(&a.words->triangles, found);
}

static __global__ void __launch_bounds__(32) tc_end(const __grid_constant__ tc_args a)
{
    if (blockIdx.x > 0 || threadIdx.x > 0)
        return;
    const ordo_u64 triangles = ordo_dev_load(&a.words->triangles);
    *a.cell = ordo_dev_load(&a.words->fault) ? TC_NOT_SIMPLE : triangles;
    a.run.counters->items = a.rows.n;
    a.run.counters->edges = a.rows.m;
    a.run.counters->useful = triangles;
    a.run.record->supersteps = a.kernels;
}

/* ---- on the host ---- */

static ordo_status prepare(ordo_cuda *c, tc_args *a)
{
    const ordo_u64 n = c->out.n, m = c->out.m;
    if (n > 0xffffffffu - TC_CORE)
        return ordo_fail(ORDO_ERR_INPUT, "tc: %llu vertices, expected at most %u on a GPU", (unsigned long long)n,
                         0xffffffffu - TC_CORE);
    a->rows = c->out;
    a->run = c->run;
    a->cell = (ordo_u64 *)c->cells;
    a->slots = TC_SLOTS(m);
    const ordo_u64 blocks = a->slots / 128 + 1, units = 64 * blocks * (blocks + 1);
    a->count = (ordo_u32 *)ordo_cuda_alloc(c, n, sizeof *a->count, false);
    a->lists = a->count ? (ordo_u32 *)ordo_cuda_alloc(c, 3 * n, sizeof *a->lists, false) : NULL;
    a->words = a->lists ? (tc_words *)ordo_cuda_alloc(c, 1, sizeof *a->words, true) : NULL;
    a->list = c->out.edge;
    if (!a->words)
        return ORDO_ERR_MEMORY;
    if (c->out.stride == 1 && TC_BY_ID(ordo_job_graph_kind(c->job), n, m))
        return ORDO_OK;
    a->outside = TC_CORE;
    a->key = (ordo_u32 *)ordo_cuda_alloc(c, n, sizeof *a->key, false);
    a->own = a->key ? (ordo_u32 *)ordo_cuda_alloc(c, m, sizeof *a->own, false) : NULL;
    a->matrix = a->own ? (uint4 *)ordo_cuda_alloc(c, units, sizeof *a->matrix, false) : NULL;
    a->list = a->own;
    return a->matrix ? ORDO_OK : ORDO_ERR_MEMORY;
}

template <int L> static void then_orient(ordo_steps *p, ordo_u64 n)
{
    ordo_steps_then(p, (const void *)tc_orient<L>, TC_THREADS, n, TC_THREADS / L, 16);
}

static ordo_status launch(ordo_cuda *c, tc_args *a)
{
    enum { EVEN = 4, UNEVEN = 16 };
    const ordo_u64 n = c->out.n, m = c->out.m;
    ordo_steps p = {};
    p.args[0] = a;
    if (a->own) {
        ordo_steps_then(&p, (const void *)tc_bins, TC_THREADS, n, TC_THREADS, EVEN);
        ordo_steps_then(&p, (const void *)tc_threshold, TC_BINS, 0, 1, 1);
        ordo_steps_then(&p, (const void *)tc_keys, TC_THREADS, n, TC_THREADS, EVEN);
    }
    const bool ids = !a->own && m < 4 * n;
    if (ids)
        ordo_steps_then(&p, (const void *)tc_orient_ids, TC_THREADS, n, TC_THREADS, UNEVEN);
    else if (m < 4 * n)
        then_orient<4>(&p, n);
    else if (m < 12 * n)
        then_orient<8>(&p, n);
    else if (m < 20 * n)
        then_orient<16>(&p, n);
    else
        then_orient<32>(&p, n);
    ordo_steps_then(&p, (const void *)tc_orient_hubs, TC_THREADS, m / (ids ? TC_LONG : TC_HUB), 1, ids ? EVEN : UNEVEN);
    ordo_steps_then(&p, (const void *)tc_blocks, TC_THREADS, m / TC_WARP, 1, EVEN);
    ordo_steps_then(&p, (const void *)tc_warps, TC_THREADS, m / TC_SMALL, TC_THREADS / 32, EVEN);
    ordo_steps_then(&p, (const void *)tc_tiny, TC_THREADS, n, TC_THREADS, UNEVEN);
    if (m < 12 * n)
        ordo_steps_then(&p, (const void *)tc_small<8, 2, 32>, TC_THREADS, n, TC_THREADS, UNEVEN);
    else
        ordo_steps_then(&p, (const void *)tc_small<16, 4, 8>, TC_THREADS, n, TC_THREADS / 32 * 8, UNEVEN);
    ordo_steps_then(&p, (const void *)tc_end, 32, 0, 1, 1);
    a->kernels = (ordo_u32)p.count;
    return p.status ? p.status : ordo_cuda_launch_all(c, p.step, p.count);
}

static ordo_status run(ordo_job *job)
{
    ordo_cuda c;
    tc_args a = {};
    ordo_status status = ordo_cuda_begin(job, sizeof(ordo_u64), false, &c);
    if (!status)
        status = prepare(&c, &a);
    if (!status)
        status = launch(&c, &a);
    return ordo_cuda_end(&c, status);
}

extern const ordo_instance tc_native_on_cuda;
const ordo_instance tc_native_on_cuda = {ORDO_NATIVE, run, 0, ORDO_ON_CUDA};
