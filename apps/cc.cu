/* cc.cu -- connected components on a GPU: the native program of cc.c, by linking trees.
 *
 * Problem: that of links.h, which states the forest, the phases and the invariant. Here a phase is a kernel, and the
 * host reads nothing in between.
 *
 * Data structures. parent[] are the run's cells. second[] holds another head of each vertex. Rows outside the largest
 * component that have many edges are on a list, in pieces.
 *
 * Protocol. The kernels in order:
 *   cc_first      parents and second heads, without atomics
 *   cc_second     of one warp in CC_SOME, or in CC_FEW where there are hubs. While nearly all vertices are roots, links
 *                 of all of them would meet at few words, one compare-and-swap after the other; afterwards some trees
 *                 are large, and most other links find equal parents
 *   cc_compress, cc_second of all, cc_compress   the last of these also finds the root of the largest component: a
 *                 block takes a sample while the others compress
 *   cc_rest, cc_pieces   edges of the vertices outside
 *   cc_compress   labels
 * Where there are hubs the largest tree has most vertices after the links of few, so the first cc_compress takes the
 * sample, and cc_outside is in place of all between it and cc_pieces: it links the vertices outside with their second
 * heads, and then along their rows until they are inside.
 * Where nearly every vertex' first head is a smaller one, as in a mesh whose ids follow space, the trees of first heads
 * are few: no second heads are linked. Of a deep graph (a road network) neither, and cc_rest takes every edge at its
 * larger end: trees of first heads are small, and few vertices have a third edge. Of directed rows cc_rest takes all
 * edges.
 *
 * Memory order. An outdated parent is in the same tree, above the vertex. So parents are read by weak loads, through
 * the first-level cache, whose words may be outdated; before a compare-and-swap from the second-level cache. What one
 * phase needs of the one before is ordered by the end of a kernel.
 *
 * Memory in addition to the rows and the cells: 8 bytes for every 256 edges, and 4 bytes a vertex for second heads.
 */
/* A test compiles this file for the host; it defines the names of grid.cuh that are used here (tests/gpu/fibers.h). */
#ifndef ORDO_DEV
#include <ordo/detail/cuda/grid.cuh>
#endif

#include <ordo/detail/backend.h>
#include <ordo/detail/program.h>

#include "apps/steps.cuh"

enum {
    CC_THREADS = 512,
    CC_AT_ONCE = 4, /* vertices of a thread whose loads are in flight at once */
    CC_DOWN = 2,    /* likewise, where first heads lead down */
    CC_TILE = CC_THREADS * CC_AT_ONCE,
    CC_FEW = 256,
    CC_SOME = 16,
    CC_LONG = 32,   /* a row with more edges is processed by a warp */
    CC_PIECE = 512, /* one with more than this is on the list, in pieces of so many */
    CC_PIECES = 8,  /* of a warp, where all rows are long: more blocks take longer to start than to find nothing */
    CC_TRIES = 4,   /* edges of a row that one lane takes before a warp does */
    CC_SAMPLE = 256
};

typedef struct cc_words {
    ordo_u32 pieces; /* on the list */
    ordo_u32 largest;
    ordo_u32 stop;
} cc_words;

typedef struct cc_args {
    ordo_cuda_rows rows;
    ordo_u32 *parent; /* [n] */
    ordo_u32 *second; /* [n], or NULL where they are not linked */
    uint2 *piece;     /* vertex, number */
    cc_words *words;
    ordo_u32 kernels;
    bool leaves_out; /* the largest component is left out: rows are symmetric */
    bool halves;     /* else: each edge counts at its larger end: rows are symmetric */
    ordo_cuda_run run;
} cc_args;

ORDO_DEV ordo_u32 cc_parent(const cc_args &a, ordo_u32 v)
{
    return ordo_dev_peek(&a.parent[v]);
}

ORDO_DEV ordo_u32 cc_head(const cc_args &a, ordo_u64 e)
{
    return __ldg(a.rows.edge + e * a.rows.stride);
}

/* The root of v's tree, or a vertex that was it a moment ago. Halves the path. */
ORDO_DEV ordo_u32 cc_root(const cc_args &a, ordo_u32 v)
{
    ordo_u32 up = cc_parent(a, v);
    for (ordo_u32 above; up != v && up > (above = cc_parent(a, up)); up = above) {
        ordo_dev_store(&a.parent[v], above);
        v = up;
    }
    return up;
}

/* Puts u and v into one tree, and returns a vertex of it, near the root. */
ORDO_DEV ordo_u32 cc_link(const cc_args &a, ordo_u32 u, ordo_u32 v)
{
    ordo_u32 x = cc_parent(a, u), y = cc_parent(a, v);
    if (x == y)
        return x;
    x = cc_root(a, x);
    y = cc_root(a, y);
    while (x != y) {
        const ordo_u32 low = x < y ? x : y, high = x < y ? y : x;
        ordo_u32 up = ordo_dev_load(&a.parent[high]);
        if (up == high && ordo_dev_swap(&a.parent[high], &up, low))
            return low;
        x = cc_root(a, up);
        y = low;
    }
    return x;
}

template <bool Second, int AtOnce>
static __global__ void __launch_bounds__(CC_THREADS) cc_first(const __grid_constant__ cc_args a)
{
    const ordo_u64 n = a.rows.n, per = (ordo_u64)CC_THREADS * AtOnce;
    ordo_u32 edges = 0;
    for (ordo_u64 tile = blockIdx.x * per; tile < n; tile += gridDim.x * per) {
        ordo_u64 from[AtOnce], to[AtOnce];
        ordo_u32 first[AtOnce], other[AtOnce];
#pragma unroll
        for (int i = 0; i < AtOnce; i++) {
            const ordo_u64 v = tile + i * CC_THREADS + threadIdx.x;
            from[i] = v < n ? __ldg(a.rows.row + v) : 0;
            to[i] = v < n ? __ldg(a.rows.row + v + 1) : 0;
        }
#pragma unroll
        for (int i = 0; i < AtOnce; i++) {
            first[i] = from[i] < to[i] ? cc_head(a, from[i]) : ORDO_NO_VERTEX;
            other[i] = Second && from[i] + 1 < to[i] ? cc_head(a, from[i] + 1) : ORDO_NO_VERTEX;
        }
#pragma unroll
        for (int i = 0; i < AtOnce; i++) {
            const ordo_u64 v = tile + i * CC_THREADS + threadIdx.x;
            if (v >= n)
                continue;
            const ordo_u64 degree = to[i] - from[i], read = Second ? 2 : 1;
            edges += (ordo_u32)(degree < read ? degree : read);
            a.parent[v] = first[i] < v ? first[i] : (ordo_u32)v;
            if (Second)
                a.second[v] = other[i] != ORDO_NO_VERTEX || first[i] < v ? other[i] : first[i];
        }
    }
    ordo_steps_add(&a.run.counters->edges, edges);
}

/* Links every vertex, or those of one warp in Apart, with its second head. */
template <int Apart> static __global__ void __launch_bounds__(CC_THREADS) cc_second(const __grid_constant__ cc_args a)
{
    const ordo_u64 n = a.rows.n, apart = Apart;
    for (ordo_u64 t = (ordo_u64)blockIdx.x * CC_THREADS + threadIdx.x;; t += (ordo_u64)gridDim.x * CC_THREADS) {
        const ordo_u64 v = t / 32 * apart * 32 + t % 32;
        if (v >= n)
            break;
        const ordo_u32 head = a.second[v];
        if (head != ORDO_NO_VERTEX)
            cc_link(a, (ordo_u32)v, head);
    }
}

/* By one block: the root that most heads of a sample of edges have. Nothing is linked meanwhile, so roots stay roots.
 */
ORDO_DEV void cc_sample(const cc_args &a)
{
    __shared__ ordo_u32 root[CC_SAMPLE], most;
    const ordo_u32 t = threadIdx.x;
    if (a.rows.m == 0) /* nothing to leave out */
        return;
    ordo_u64 x = (t + 1) * 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9ull;
    x ^= x >> 29;
    if (t == 0)
        most = 0;
    if (t == CC_THREADS - 1)
        ordo_steps_ask(a.run, &a.words->stop);
    ordo_u32 v = 0, same = 0;
    if (t < CC_SAMPLE) {
        v = cc_head(a, x % a.rows.m);
        for (ordo_u32 up; (up = cc_parent(a, v)) != v; v = up) {
        }
        root[t] = v;
    }
    __syncthreads();
    for (int i = 0; i < CC_SAMPLE; i++)
        same += root[i] == v;
    if (t < CC_SAMPLE)
        atomicMax_block(&most, same);
    __syncthreads();
    if (t < CC_SAMPLE && same == most) /* of several any one */
        ordo_dev_store(&a.words->largest, v);
}

enum { CC_BETWEEN, CC_SAMPLING, CC_LAST };

/* Replaces parents by roots. */
template <int Which, int AtOnce>
static __global__ void __launch_bounds__(CC_THREADS) cc_compress(const __grid_constant__ cc_args a)
{
    const ordo_u64 n = a.rows.n, per = (ordo_u64)CC_THREADS * AtOnce;
    ordo_u32 joined = 0;
    if (Which == CC_LAST && ordo_steps_stopped(&a.words->stop)) /* kernels before the sample are not told */
        return;
    if (Which == CC_SAMPLING && blockIdx.x == 0)
        cc_sample(a);
    for (ordo_u64 tile = blockIdx.x * per; tile < n; tile += gridDim.x * per) {
        ordo_u32 old[AtOnce], at[AtOnce], up[AtOnce];
        bool more = true;
#pragma unroll
        for (int i = 0; i < AtOnce; i++) {
            const ordo_u64 v = tile + i * CC_THREADS + threadIdx.x;
            old[i] = at[i] = v < n ? cc_parent(a, (ordo_u32)v) : 0;
        }
        while (more) {
            more = false;
#pragma unroll
            for (int i = 0; i < AtOnce; i++)
                up[i] = cc_parent(a, at[i]);
#pragma unroll
            for (int i = 0; i < AtOnce; i++) {
                more |= up[i] != at[i];
                at[i] = up[i];
            }
        }
#pragma unroll
        for (int i = 0; i < AtOnce; i++) {
            const ordo_u64 v = tile + i * CC_THREADS + threadIdx.x;
            if (v < n && at[i] != old[i])
                ordo_dev_store(&a.parent[v], at[i]);
            if (Which == CC_LAST)
                joined += v < n && at[i] != v;
        }
    }
    if (Which == CC_LAST) {
        ordo_steps_add(&a.run.counters->useful, joined); /* every link leaves one root less */
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            a.run.counters->items = n;
            a.run.record->supersteps = a.kernels;
        }
    }
}

/* Links v with the heads of `count` edges, `step` edges from one to the next. Halves: with smaller ones. */
template <bool Halves>
ORDO_DEV void cc_edges(const cc_args &a, ordo_u32 v, ordo_u64 first, ordo_u32 count, ordo_u32 step)
{
    const ordo_u32 *at = a.rows.edge + first * a.rows.stride;
    for (ordo_u32 i = 0; i < count; i++, at += step * a.rows.stride) {
        const ordo_u32 head = __ldg(at);
        if (!Halves || head < v)
            cc_link(a, v, head);
    }
}

/* By a whole warp: the edges from .. to - 1 of each lane's vertex. Rows of many edges are put on the list. */
template <bool Halves> ORDO_DEV void cc_rows(const cc_args &a, ordo_u32 v, ordo_u64 from, ordo_u64 to)
{
    const ordo_u32 lane = threadIdx.x % 32;
    if (to - from > CC_PIECE) {
        const ordo_u32 pieces = (ordo_u32)((to - from + CC_PIECE - 1) / CC_PIECE);
        const ordo_u32 at = ordo_dev_add(&a.words->pieces, pieces);
        for (ordo_u32 i = 0; i < pieces; i++)
            a.piece[at + i] = make_uint2(v, i);
        to = from;
    }
    __syncwarp();
    for (ordo_u32 rows = __ballot_sync(~0u, to - from > CC_LONG); rows; rows &= rows - 1) {
        const int owner = __ffs((int)rows) - 1;
        const ordo_u32 tail = __shfl_sync(~0u, v, owner), all = __shfl_sync(~0u, (ordo_u32)(to - from), owner);
        const ordo_u64 first = __shfl_sync(~0u, from, owner);
        cc_edges<Halves>(a, tail, first + lane, (all - lane + 31) / 32, 32); /* all > CC_LONG > lane */
    }
    if (to - from <= CC_LONG)
        cc_edges<Halves>(a, v, from, (ordo_u32)(to - from), 1);
    __syncwarp();
}

/* Halves: with four blocks at once on a multiprocessor; short rows wait for parents only. */
template <bool Halves>
static __global__ void __launch_bounds__((CC_THREADS), (Halves ? 4 : 3)) cc_rest(const __grid_constant__ cc_args a)
{
    const ordo_u64 n = a.rows.n;
    const ordo_u32 largest = a.leaves_out ? ordo_dev_load(&a.words->largest) : ORDO_NO_VERTEX;
    ordo_u64 edges = 0;
    if (ordo_steps_stopped(&a.words->stop))
        return;
    if (!a.leaves_out && blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        ordo_steps_ask(a.run, &a.words->stop); /* else the sample has */
    for (ordo_u64 tile = (ordo_u64)blockIdx.x * CC_TILE; tile < n; tile += (ordo_u64)gridDim.x * CC_TILE) {
        ordo_u64 from[CC_AT_ONCE], to[CC_AT_ONCE];
        bool outside[CC_AT_ONCE];
#pragma unroll
        for (int i = 0; i < CC_AT_ONCE; i++) {
            const ordo_u64 v = tile + i * CC_THREADS + threadIdx.x;
            outside[i] = v < n && (!a.leaves_out || cc_parent(a, (ordo_u32)v) != largest);
        }
#pragma unroll
        for (int i = 0; i < CC_AT_ONCE; i++) {
            const ordo_u64 v = tile + i * CC_THREADS + threadIdx.x;
            from[i] = outside[i] ? __ldg(a.rows.row + v) : 0;
            to[i] = outside[i] ? __ldg(a.rows.row + v + 1) : 0;
            edges += to[i] - from[i];
        }
#pragma unroll
        for (int i = 0; i < CC_AT_ONCE; i++)
            cc_rows<Halves>(a, (ordo_u32)(tile + i * CC_THREADS + threadIdx.x), from[i], to[i]);
    }
    ordo_steps_add(&a.run.counters->edges, edges);
}

/* By one thread: links u and v. Whether they are in the tree of *top then, which becomes its root. */
ORDO_DEV bool cc_joins(const cc_args &a, ordo_u32 u, ordo_u32 v, ordo_u32 *top)
{
    const ordo_u32 at = cc_link(a, u, v);
    return at == *top || at == (*top = cc_root(a, *top)) || cc_root(a, at) == *top;
}

/* By one thread: links v with its second head and, while it is outside the largest component, with those of its row.
 * [*from, *to) is what is left of the row for a warp. Returns how many edges of the row were taken. */
ORDO_DEV ordo_u32 cc_enter(const cc_args &a, ordo_u32 v, ordo_u32 second, ordo_u32 *top, ordo_u64 *from, ordo_u64 *to)
{
    ordo_u32 taken = 0;
    bool inside = cc_joins(a, v, second, top);
    if (!inside) {
        *from = __ldg(a.rows.row + v);
        *to = __ldg(a.rows.row + v + 1);
    }
    for (; !inside && *from < *to && taken < CC_TRIES; taken++)
        inside = cc_joins(a, v, cc_head(a, (*from)++), top);
    if (inside)
        *from = *to;
    return taken;
}

/* Where there are hubs, after the links of few: the vertices outside the largest component. A vertex without a second
 * head has no edge that is not linked. An edge may be left out where its end has entered the largest component: its
 * other end has, too, or takes the edge itself. One lane in six or so has a vertex, so a warp lists those of several
 * groups of 32 first. */
static __global__ void __launch_bounds__(CC_THREADS, 3) cc_outside(const __grid_constant__ cc_args a)
{
    __shared__ uint2 list[CC_THREADS / 32][32 * CC_AT_ONCE];
    uint2 *const mine = list[threadIdx.x / 32];
    const ordo_u64 n = a.rows.n;
    const ordo_u32 lane = threadIdx.x % 32, largest = ordo_dev_load(&a.words->largest);
    ordo_u32 top = largest;
    ordo_u64 edges = 0;
    if (ordo_steps_stopped(&a.words->stop))
        return;
    for (ordo_u64 tile = (ordo_u64)blockIdx.x * CC_TILE; tile < n; tile += (ordo_u64)gridDim.x * CC_TILE) {
        ordo_u32 head[CC_AT_ONCE], parent[CC_AT_ONCE], count = 0;
#pragma unroll
        for (int i = 0; i < CC_AT_ONCE; i++) {
            const ordo_u64 v = tile + i * CC_THREADS + threadIdx.x;
            head[i] = v < n ? a.second[v] : ORDO_NO_VERTEX;
            parent[i] = v < n ? cc_parent(a, (ordo_u32)v) : largest;
        }
#pragma unroll
        for (int i = 0; i < CC_AT_ONCE; i++) {
            const bool outside = head[i] != ORDO_NO_VERTEX && parent[i] != largest;
            const ordo_u32 all = __ballot_sync(~0u, outside);
            if (outside)
                mine[count + __popc(all & ((1u << lane) - 1))] =
                    make_uint2((ordo_u32)(tile + i * CC_THREADS + threadIdx.x), head[i]);
            count += (ordo_u32)__popc(all);
        }
        __syncwarp();
        for (ordo_u32 k = lane; k - lane < count; k += 32) {
            const uint2 link = k < count ? mine[k] : make_uint2(0, 0);
            ordo_u64 from = 0, to = 0;
            if (k < count)
                edges += cc_enter(a, link.x, link.y, &top, &from, &to);
            __syncwarp();
            edges += to - from;
            cc_rows<false>(a, link.x, from, to);
        }
        __syncwarp();
    }
    ordo_steps_add(&a.run.counters->edges, edges);
}

/* A warp takes a piece. */
template <bool Halves> static __global__ void __launch_bounds__(CC_THREADS) cc_pieces(const __grid_constant__ cc_args a)
{
    const ordo_u32 pieces = ordo_dev_load(&a.words->pieces), lane = threadIdx.x % 32;
    if (ordo_steps_stopped(&a.words->stop))
        return;
    for (ordo_u64 i = ((ordo_u64)blockIdx.x * CC_THREADS + threadIdx.x) / 32; i < pieces;
         i += (ordo_u64)gridDim.x * CC_THREADS / 32) {
        const uint2 piece = a.piece[i];
        const ordo_u64 row_end = __ldg(a.rows.row + piece.x + 1);
        const ordo_u64 first = __ldg(a.rows.row + piece.x) + (ordo_u64)piece.y * CC_PIECE, left = row_end - first;
        const ordo_u32 count = (ordo_u32)(left < (ordo_u64)CC_PIECE ? left : (ordo_u64)CC_PIECE);
        if (lane < count)
            cc_edges<Halves>(a, piece.x, first + lane, (count - lane + 31) / 32, 32);
    }
}

/* ---- on the host ---- */

/* Whether few of a sample of the vertices have a smallest neighbour, their first head, that is larger than themselves:
 * then the trees of first heads are few. */
static bool leads_down(const ordo_csr *g)
{
    const ordo_vid step = g->n / 1024 + 1;
    ordo_u64 taken = 0, up = 0;
    for (ordo_u64 v = 0; v < g->n; v += step, taken++)
        up += g->row[v] < g->row[v + 1] && g->head[g->row[v] * g->stride] > v;
    return 64 * up < taken;
}

static ordo_status prepare(ordo_cuda *c, bool second, cc_args *a)
{
    const ordo_u64 n = c->out.n, pieces = 2 * (c->out.m / CC_PIECE) + 1; /* rows, each with a last piece */
    a->rows = c->out;
    a->parent = (ordo_u32 *)c->cells;
    a->run = c->run;
    a->words = (cc_words *)ordo_cuda_alloc(c, 1, sizeof *a->words, true);
    a->piece = a->words ? (uint2 *)ordo_cuda_alloc(c, pieces, sizeof *a->piece, false) : NULL;
    if (a->piece && second)
        a->second = (ordo_u32 *)ordo_cuda_alloc(c, n, sizeof *a->second, false);
    return a->piece && (a->second || !second) ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* How many blocks, times those that fit at once. Links of one kernel take unlike times: with ALL blocks at once the GPU
 * starts the next one where one has ended. */
enum { EVEN = 4, UNEVEN = 8, ALL = 1 << 20 };

template <int Which> static void then_compress(ordo_steps *p, const cc_args *a, int times)
{
    ordo_steps_then(p, (const void *)cc_compress<Which, CC_AT_ONCE>, CC_THREADS, a->rows.n, CC_TILE, times);
}

static void then_outside(ordo_steps *p, const cc_args *a)
{
    const ordo_u64 n = a->rows.n;
    ordo_steps_then(p, (const void *)cc_second<CC_FEW>, CC_THREADS, n / CC_FEW, CC_THREADS, UNEVEN);
    then_compress<CC_SAMPLING>(p, a, EVEN);
    ordo_steps_then(p, (const void *)cc_outside, CC_THREADS, n, CC_TILE, ALL);
}

static void then_second_heads(ordo_steps *p, const cc_args *a)
{
    const ordo_u64 n = a->rows.n;
    ordo_steps_then(p, (const void *)cc_second<CC_SOME>, CC_THREADS, n / CC_SOME, CC_THREADS, ALL);
    then_compress<CC_BETWEEN>(p, a, EVEN);
    ordo_steps_then(p, (const void *)cc_second<1>, CC_THREADS, n, CC_THREADS, ALL);
    then_compress<CC_SAMPLING>(p, a, EVEN);
}

/* Where first heads lead down. */
static void then_first_heads(ordo_steps *p, const cc_args *a)
{
    const ordo_u64 each = (ordo_u64)CC_THREADS * CC_DOWN;
    ordo_steps_then(p, (const void *)cc_first<false, CC_DOWN>, CC_THREADS, a->rows.n, each, EVEN);
    ordo_steps_then(p, (const void *)cc_compress<CC_SAMPLING, CC_DOWN>, CC_THREADS, a->rows.n, each, EVEN);
}

static ordo_status launch(ordo_cuda *c, ordo_graph_kind kind, cc_args *a)
{
    const ordo_u64 n = c->out.n, long_pieces = (ordo_u64)CC_PIECES * CC_THREADS / 32;
    const bool hubs = kind == ORDO_GRAPH_HUBS && a->second;
    ordo_steps p = {};
    p.args[0] = a;
    if (a->second) {
        ordo_steps_then(&p, (const void *)cc_first<true, CC_AT_ONCE>, CC_THREADS, n, CC_TILE, EVEN);
        if (hubs)
            then_outside(&p, a);
        else
            then_second_heads(&p, a);
    } else if (a->leaves_out) {
        then_first_heads(&p, a);
    } else {
        ordo_steps_then(&p, (const void *)cc_first<false, CC_AT_ONCE>, CC_THREADS, n, CC_TILE, EVEN);
        then_compress<CC_BETWEEN>(&p, a, a->halves ? ALL : EVEN);
    }
    const void *const rest = a->halves ? (const void *)cc_rest<true> : (const void *)cc_rest<false>,
                      *const pieces = a->halves ? (const void *)cc_pieces<true> : (const void *)cc_pieces<false>;
    if (!hubs)
        ordo_steps_then(&p, rest, CC_THREADS, n, CC_TILE, a->halves ? ALL : UNEVEN);
    ordo_steps_then(&p, pieces, CC_THREADS, c->out.m / CC_PIECE, long_pieces, 1);
    then_compress<CC_LAST>(&p, a, a->halves ? ALL : EVEN);
    a->kernels = (ordo_u32)p.count;
    return p.status ? p.status : ordo_cuda_launch_all(c, p.step, p.count);
}

static ordo_status run(ordo_job *job)
{
    ordo_cuda c;
    cc_args a = {};
    const ordo_graph *g = ordo_job_graph(job);
    const ordo_graph_kind kind = ordo_job_graph_kind(job);
    const bool symmetric = ordo_graph_symmetric(g), deep = kind == ORDO_GRAPH_DEEP;
    const bool down = kind == ORDO_GRAPH_EVEN && leads_down(ordo_graph_out(g));
    a.leaves_out = symmetric && !deep;
    a.halves = symmetric && deep;
    ordo_status status = ordo_cuda_begin(job, sizeof(ordo_u32), false, &c);
    if (!status)
        status = prepare(&c, a.leaves_out && !down, &a);
    if (!status)
        status = launch(&c, kind, &a);
    return ordo_cuda_end(&c, status);
}

extern const ordo_instance cc_native_on_cuda;
const ordo_instance cc_native_on_cuda = {ORDO_NATIVE, run, 0, ORDO_ON_CUDA};
