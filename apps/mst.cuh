/* mst.cuh -- minimum spanning forests on a GPU: the kernels. mst.cu launches them, one after the other.
 *
 * Problem: find the same forest as mst.c: of two edges with equal weights the one with the smaller id comes first.
 *
 * Method (Boruvka 1926; lightest edges first: Osipov, Sanders and Singler 2009; the giant component is left out of a
 * second scan, as Sutton, Ben-Nun and Barak 2018 do for components). The kernels in order:
 *   mst_limit          if there are many edges for each vertex: finds a limit that about n weights do not exceed, from
 *                      a sample.
 *   mst_first          finds the lightest arc of every vertex: a warp has 32 rows. Rows of hubs are put on a list, in
 *                      pieces. The same scan puts the light edges, those up to the limit (all, if there is none), on a
 *                      list; of short rows without the edge that the vertex chose.
 *   mst_hubs, mst_hub_ends   do the same for those pieces.
 *   mst_roots          finds roots: one of two vertices that chose each other, and vertices without edges.
 *   mst_label_roots    finds the root, and so the component, of every vertex.
 *   mst_ready          initialises the words of components for their minima.
 *   mst_light          makes the list for the rounds, from the light edges between components. It also finds the ids of
 *                      light edges that only a larger end has chosen; some of its blocks look up the ids of heavy ones.
 *   mst_rounds         Boruvka's rounds on the list, in one cooperative launch; when few components are left, every
 *                      block has them all in its own memory.
 *   mst_rename, mst_name_vertices, mst_heavy, mst_rounds   the same for the edges beyond the limit. If rows are
 *                                                          symmetric and one component is large, the arcs of all
 *                                                          vertices outside it include every edge that is left; a bit
 *                                                          for each vertex tells which vertices are inside, since most
 *                                                          arcs lead there.
 *
 * The key of an edge is its ordered weight (operators/mst.h) above its id, so keys are different and their order is the
 * one that makes the forest unique. Every minimum is taken over keys (in mst_first over weight and arc: in sorted rows,
 * the arcs of a vertex are in the order of their edges' ids, whichever end the vertex is), so each round takes edges of
 * that forest, whatever was left out of its list: those edges are heavier, or lie inside components. The key also holds
 * the component at the other end, below the id, if weights, ids and components together fit 64 bits (mst_shape), as
 * they usually do; otherwise that component is in an array by id, to which every edge that may be a minimum writes a
 * word.
 *
 * Levels. Vertices are level 0. After round k, at level k + 1, the components that may still join others are 0 ..
 * parts[k + 1] - 1. A component without an edge in the list joins no other any more: it gets at once a label that holds
 * on all later levels, n - 1, n - 2, ... Both kinds together are never more than n, so a label is final if it is at
 * least parts[k]. parent[] holds the levels one after the other; each has at most half the components of the one
 * before, the first at most n.
 *
 * Memory order: words are relaxed within a phase; what the next phase reads is ordered by the end of a kernel or a grid
 * barrier. Minima are tested before the atomic. A test may read an outdated, larger word, from the first-level cache
 * even a rather old one; that costs an atomic and nothing else.
 */
#include "apps/mst_vertices.cuh"

/* ---- lists ---- */

/* The component at the other end of the edge of component c. */
ORDO_DEV ordo_u32 mst_other_of(const mst_args *a, const mst_shape *s, ordo_u64 key, ordo_u32 c)
{
    return s->other ? (ordo_u32)(key & ((1ull << s->id) - 1)) : ordo_dev_load(&a->across[(ordo_u32)key]) ^ c;
}

/* A destination of edges: a list, and the components of the level that they join. */
typedef struct mst_target {
    uint4 *list;
    ordo_u32 *count, parts;
    ordo_u32 near; /* up to this many components, their words are first tested in the first-level cache */
    bool heavy;    /* keys are of MST_APART_SHAPE */
    bool alone;    /* no minima: mst_end_rounds or mst_finish has the list next, and finds them itself */
} mst_target;

/* Lowers a component's word to `key`, in lanes that `has`. By whole warps: many lanes may have the same large
 * component, the last argument, and their atomics would be serialised, so one lane does it for all of these. */
ORDO_DEV void mst_lower(const mst_args *a, bool has, ordo_u32 part, ordo_u64 key, ordo_u32 contended)
{
    const bool one = has && part == contended;
    if (__popc(__ballot_sync(0xffffffffu, one)) > MST_CONTENDED) {
        const ordo_u64 least = mst_least_of_warp(one ? key : MST_NO_KEY);
        has = one ? least == key : has; /* keys are different, so this selects one lane */
    }
    if (has)
        ordo_dev_min(&a->best[part], key);
}

/* Whether a key may lower a component's word. If there are few components, all threads read the same cache lines, which
 * lie in few parts of the second-level cache and become the bottleneck: then, with `near`, the first-level cache is
 * read first. Its word may be outdated, and then is larger. */
ORDO_DEV bool mst_below(const mst_args *a, ordo_u32 part, ordo_u64 key, bool near)
{
    if (near && key >= ordo_dev_load_block(&a->best[part]))
        return false;
    return key < ordo_dev_load(&a->best[part]);
}

/* Writes the store's edges to the list, from place `base` on, and offers them to both components, unless the list is
 * all that is wanted. If keys do not hold the component at the other end, an edge that may be a component's lightest
 * writes both components to across[]: the lightest edge has found its component's word larger, so it has written
 * them. */
ORDO_DEV void mst_write(const mst_args *a, mst_store *s, const mst_target *to, ordo_u32 base)
{
    const ordo_u32 lane = threadIdx.x % 32;
    if (!s->count)
        return;
    __syncwarp();
    const uint4 one = s->held[0], two = s->held[s->count / 2]; /* a component that both edges have is probably large */
    const ordo_u32 mask = to->heavy ? 0 : a->words->shape.other;
    const bool near = to->parts <= to->near;
    const ordo_u32 contended = one.x == two.x || one.x == two.y ? one.x : one.y;
#pragma unroll 2
    for (ordo_u32 first = 0; first < s->count; first += 32) {
        const ordo_u32 at = base + first + lane;
        bool has = first + lane < s->count;
        const uint4 e = has ? s->held[first + lane] : make_uint4(0, 0, 0, 0);
        if (has && (at >= a->capacity || e.x >= to->parts || e.y >= to->parts)) {
            ordo_dev_store(&a->words->excess, 1u);
            has = false;
        }
        if (has)
            to->list[at] = e;
        if (to->alone)
            continue;
        const ordo_u64 key = mst_key(e.z, e.w);
        const ordo_u32 to_x = e.x & mask, to_y = e.y & mask;
        const bool x = has && mst_below(a, e.x, key | to_y, near), y = has && mst_below(a, e.y, key | to_x, near);
        if (!mask && (x || y))
            a->across[e.w] = e.x ^ e.y;
        mst_lower(a, x, e.x, key | to_y, contended);
        mst_lower(a, y, e.y, key | to_x, contended);
    }
    s->count = 0;
    __syncwarp();
}

/* Empties the store if MST_AT_ONCE times 32 more edges might not fit. Called once for several calls of mst_hold,
 * because a kernel with many copies of the code waits for instructions. */
ORDO_DEV void mst_flush_if_full(const mst_args *a, mst_store *s, const mst_target *to)
{
    if (mst_full(s))
        mst_write(a, s, to, mst_reserve(s, to->count));
}

/* Empties the store; called at the end. */
ORDO_DEV void mst_flush(const mst_args *a, mst_store *s, const mst_target *to)
{
    if (s->count)
        mst_write(a, s, to, mst_reserve(s, to->count));
}

/* ---- edges between components ---- */

/* Whether arc e of u, u -> v, is the first of several equal ones, given that the arc before it leads to v, too. */
ORDO_DEV bool mst_comes_first(const mst_args *a, ordo_u32 u, ordo_u32 e, ordo_u32 v, ordo_u32 weight)
{
    for (const ordo_u32 row = mst_row(a, u); e > row; e--) {
        const uint2 before = mst_load(a, e - 1);
        if (before.x != v)
            break;
        if (mst_ordered(a, before.y) == weight)
            return false;
    }
    return true;
}

/* Chooses the edges of a warp's store, whose ids are not known: smaller end, larger end, ordered weight. A lane
 * searches for several at the same time, because each step of a search waits for a load. */
ORDO_DEV void mst_choose_held(const mst_args *a, mst_store *s)
{
    __syncwarp();
    for (ordo_u32 at = threadIdx.x % 32; at < s->count; at += 32 * MST_FINDS) {
        uint4 edge[MST_FINDS];
        ordo_u32 e[MST_FINDS], top[MST_FINDS], end[MST_FINDS], head[MST_FINDS];
#pragma unroll
        for (int j = 0; j < MST_FINDS; j++)
            edge[j] = at + 32 * j < s->count ? s->held[at + 32 * j] : make_uint4(0, 0, 0, 0);
#pragma unroll
        for (int j = 0; j < MST_FINDS; j++) {
            e[j] = mst_row(a, edge[j].x);
            top[j] = end[j] = edge[j].y ? mst_row(a, edge[j].x + 1) : e[j];
        }
        for (bool open = true; open;) {
            open = false;
#pragma unroll
            for (int j = 0; j < MST_FINDS; j++)
                head[j] = e[j] < top[j] ? mst_head(a, e[j] + (top[j] - e[j]) / 2) : 0;
#pragma unroll
            for (int j = 0; j < MST_FINDS; j++) {
                const ordo_u32 middle = e[j] + (top[j] - e[j]) / 2;
                const bool below = e[j] < top[j] && head[j] < edge[j].y;
                e[j] = below ? middle + 1 : e[j];
                top[j] = below ? top[j] : middle;
                open |= e[j] < top[j];
            }
        }
#pragma unroll
        for (int j = 0; j < MST_FINDS; j++)
            if (edge[j].y)
                mst_choose(a, mst_find_among(a, edge[j].x, e[j], end[j], edge[j].y, edge[j].z));
    }
    s->count = 0;
    __syncwarp();
}

/* Chooses the heavy edges that only their larger end chose; for block `block` of `blocks`. */
ORDO_DEV void mst_choose_heavy(const mst_args *a, mst_store *s, ordo_u32 block, ordo_u32 blocks)
{
    const ordo_u32 limit = (ordo_u32)(a->words->limit >> 32), step = blocks * MST_THREADS;
    if (!a->symmetric || a->words->unsorted)
        return;
    for (ordo_u64 first = block * MST_THREADS; first < a->n; first += (ordo_u64)step * MST_AT_ONCE) {
        ordo_u32 wish[MST_AT_ONCE], wished[MST_AT_ONCE];
        bool alone[MST_AT_ONCE];
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u64 u = first + (ordo_u64)j * step + threadIdx.x;
            wish[j] = u < a->n ? __ldg(a->wish + u) : MST_NONE;
            wished[j] = u < a->n ? __ldg(a->wished + u) : 0;
        }
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u64 u = first + (ordo_u64)j * step + threadIdx.x;
            alone[j] = wish[j] < u && wished[j] >= limit && __ldg(a->wish + wish[j]) != u;
        }
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++)
            mst_hold(s, alone[j],
                     make_uint4(wish[j], (ordo_u32)(first + (ordo_u64)j * step) + threadIdx.x, wished[j], 0));
        if (mst_full(s))
            mst_choose_held(a, s);
    }
    mst_choose_held(a, s);
}

/* Puts light edges between components on the list of the rounds, and those that only a larger end chose into the
 * forest. Edges that are in the forest already were chosen by the smaller end, so they lie inside a component. */
static __global__ void __launch_bounds__(MST_THREADS, 6) mst_light(const mst_args a)
{
    __shared__ uint4 held[MST_WARPS][MST_HELD];
    const ordo_u32 warp = threadIdx.x / 32, others = a.dense ? (gridDim.x + MST_IDS - 1) / MST_IDS : 0;
    const ordo_u32 block = a.dense ? blockIdx.x - blockIdx.x / MST_IDS - 1 : blockIdx.x, blocks = gridDim.x - others;
    const ordo_u32 count = a.words->light;
    const mst_target to = {a.list[0], &a.words->edges[1], a.words->parts[1], MST_BINNED_LIGHT, false, false};
    const mst_shape shape = a.words->shape;
    mst_store store = {held[warp], MST_HELD, 0, 0};
    if (mst_halted(&a))
        return;
    if (a.dense && blockIdx.x % MST_IDS == 0) {
        mst_choose_heavy(&a, &store, blockIdx.x / MST_IDS, others);
        return;
    }
    for (ordo_u64 tile = block; tile * MST_THREADS * MST_AT_ONCE < count; tile += blocks) {
        uint4 e[MST_AT_ONCE];
        ordo_u32 chosen[MST_AT_ONCE], mine[MST_AT_ONCE], other[MST_AT_ONCE];
        ordo_u32 wish[MST_AT_ONCE];
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u64 i = (tile * MST_AT_ONCE + j) * MST_THREADS + threadIdx.x;
            e[j] = i < count ? __ldcs(&a.list[1][i]) : make_uint4(0, 0, 0, MST_NONE); /* read once */
        }
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            chosen[j] = e[j].w != MST_NONE ? ordo_dev_load(&a.chosen[e[j].w / 32]) >> e[j].w % 32 & 1 : 1;
            mine[j] = __ldg(a.parent + (e[j].x & ~MST_AGAIN));
        }
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++)
            other[j] = chosen[j] ? mine[j] : __ldg(a.parent + e[j].y);
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++)
            wish[j] = !chosen[j] && a.symmetric && other[j] == mine[j] ? __ldg(a.wish + e[j].y) : MST_NONE;
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u32 u = e[j].x & ~MST_AGAIN;
            bool wished = wish[j] == u && __ldg(a.wished + e[j].y) == e[j].z;
            if (wished && e[j].x & MST_AGAIN)
                wished = mst_comes_first(&a, u, e[j].w, e[j].y, e[j].z);
            mst_choose_in_order(&a, wished, e[j].w);
        }
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++)
            mst_hold(&store, mine[j] != other[j],
                     mst_edge(&shape, mine[j] & ~MST_ROOT, other[j] & ~MST_ROOT, e[j].z, e[j].w));
        mst_flush_if_full(&a, &store, &to);
    }
    mst_flush(&a, &store, &to);
}

/* ---- rounds ---- */

/* Each component joins the one at the other end of its lightest edge; of two with the same edge the smaller one becomes
 * a root. In place, since no thread reads parents in this phase. */
ORDO_DEV void mst_join(const mst_args *a, mst_numbering<MST_ROUND_THREADS> *s, ordo_u32 k, ordo_u32 parts,
                       ordo_u32 *parent)
{
    enum { AT_ONCE = 2, TILE = MST_ROUND_THREADS * AT_ONCE };
    const mst_shape shape = a->heavy ? MST_APART_SHAPE : a->words->shape;
    for (ordo_u32 first = blockIdx.x * TILE; first < parts; first += gridDim.x * TILE) {
        ordo_u64 best[AT_ONCE], others[AT_ONCE];
        ordo_u32 other[AT_ONCE], roots = 0, finals = 0;
        bool root[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) { /* these words are final: the first-level cache has them from this phase */
            const ordo_u32 c = first + j * MST_ROUND_THREADS + threadIdx.x;
            best[j] = c < parts ? ordo_dev_load_block(&a->best[c]) : MST_NO_KEY;
            finals += c < parts && best[j] == MST_NO_KEY;
        }
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {
            const ordo_u32 c = first + j * MST_ROUND_THREADS + threadIdx.x;
            other[j] = best[j] != MST_NO_KEY ? mst_other_of(a, &shape, best[j], c) : c;
        }
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            others[j] = best[j] != MST_NO_KEY ? ordo_dev_load_block(&a->best[other[j]]) : 0;
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {
            const ordo_u32 c = first + j * MST_ROUND_THREADS + threadIdx.x;
            root[j] = best[j] != MST_NO_KEY && c < other[j] && (others[j] ^ best[j]) >> shape.id == 0;
            roots += root[j];
        }
        mst_number(s, &roots, &finals, &a->words->parts[k + 1], &a->words->final_parts[a->heavy]);
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {
            const ordo_u32 c = first + j * MST_ROUND_THREADS + threadIdx.x;
            if (c >= parts)
                continue;
            if (root[j]) {
                ordo_dev_store(&parent[c], MST_ROOT | roots++);
            } else if (best[j] == MST_NO_KEY) {
                ordo_dev_store(&parent[c], MST_ROOT | (a->n - 1 - finals++));
            } else {
                ordo_dev_store(&parent[c], other[j]);
                mst_choose(a, mst_id_of(&shape, best[j]));
            }
        }
    }
}

/* Moves the edges that still join different components to the next list, with their new labels, which no thread changes
 * in this phase. A short list is split into equal pieces, one for each block; of a long list blocks take tiles
 * round-robin, so that adjacent edges are processed at the same time. */
ORDO_DEV void mst_contract(const mst_args *a, uint4 *held, const ordo_u32 *parent, const uint4 *from, ordo_u32 count,
                           mst_target to)
{
    mst_store store = {held, MST_HELD, 0, 0};
    const ordo_u32 tile = MST_ROUND_THREADS * MST_AT_ONCE, tiles = gridDim.x * tile;
    const bool few = count <= MST_ROUND_TILES * tiles;
    const ordo_u32 begin = few ? (ordo_u32)((ordo_u64)count * blockIdx.x / gridDim.x) : blockIdx.x * tile;
    const ordo_u32 end = few ? (ordo_u32)((ordo_u64)count * (blockIdx.x + 1) / gridDim.x) : count;
    for (ordo_u64 first = begin + threadIdx.x; first - threadIdx.x < end; first += few ? tile : tiles) {
        uint4 e[MST_AT_ONCE];
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u64 i = first + j * MST_ROUND_THREADS;
            e[j] = i < end ? __ldcs(&from[i]) : make_uint4(0, 0, 0, 0); /* read once */
        }
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++)
            if (e[j].x != e[j].y) {
                e[j].x = parent[e[j].x] & ~MST_ROOT;
                e[j].y = parent[e[j].y] & ~MST_ROOT;
            }
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++)
            mst_hold(&store, e[j].x != e[j].y, e[j]);
        mst_flush_if_full(a, &store, &to);
    }
    mst_flush(a, &store, &to);
}

/* A component's number among all that are left when the list is empty, of which `parts` are on the last level. */
ORDO_DEV ordo_u32 mst_dense(const mst_args *a, ordo_u32 label, ordo_u32 parts)
{
    return label < parts ? label : parts + (a->n - 1 - label);
}

/* Maps a label of level 1 to one of the last level, or a final one. */
ORDO_DEV ordo_u32 mst_last_label(const mst_args *a, ordo_u32 label, ordo_u32 last)
{
    const mst_words *w = a->words;
    for (ordo_u32 k = 1; k < last && label < w->parts[k]; k++)
        label = ordo_dev_peek(a->parent + w->base[k] + label) & ~MST_ROOT;
    return label;
}

/* Shared memory of mst_finish. */
typedef struct mst_finishing {
    ordo_u64 best[MST_LAST_PARTS];
    ordo_u32 parent[MST_LAST_PARTS], roots, offers;
} mst_finishing;

/* By one thread: makes the root of component c its parent, in shared memory. Other threads shorten paths meanwhile: the
 * parent before and the one after lead to the same root. */
ORDO_DEV void mst_point_to_root(ordo_u32 *parent, ordo_u32 c)
{
    ordo_u32 root = ordo_dev_load_block(&parent[c]), above;
    while ((above = ordo_dev_load_block(&parent[root])) != root)
        root = above;
    ordo_dev_store_block(&parent[c], root);
}

/* A round of mst_finish: components choose their lightest edges and join. True in all threads if edges are left. */
ORDO_DEV bool mst_finish_round(const mst_args *a, mst_finishing *s, const mst_shape *shape, ordo_u32 parts,
                               ordo_u32 (&ends)[MST_LAST_EACH], const ordo_u64 (&key)[MST_LAST_EACH])
{
    bool left = false;
#pragma unroll
    for (int j = 0; j < MST_LAST_EACH; j++) {
        const ordo_u32 x = ends[j] & 0xffff, y = ends[j] >> 16;
        if (x != y && key[j] < ordo_dev_load_block(&s->best[x]))
            ordo_dev_min_block(&s->best[x], key[j]);
        if (x != y && key[j] < ordo_dev_load_block(&s->best[y]))
            ordo_dev_min_block(&s->best[y], key[j]);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < MST_LAST_EACH; j++) {
        const ordo_u32 x = ends[j] & 0xffff, y = ends[j] >> 16;
        const bool by_x = x != y && ordo_dev_load_block(&s->best[x]) == key[j];
        const bool by_y = x != y && ordo_dev_load_block(&s->best[y]) == key[j];
        if (!by_x && !by_y)
            continue;
        const bool down = by_x && (!by_y || x > y); /* of two with the same edge the smaller one stays a root */
        ordo_dev_store_block(&s->parent[down ? x : y], down ? y : x);
        mst_choose(a, mst_id_of(shape, key[j]));
    }
    __syncthreads();
    for (ordo_u32 c = threadIdx.x; c < parts; c += MST_ROUND_THREADS) {
        mst_point_to_root(s->parent, c);
        s->best[c] = MST_NO_KEY;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < MST_LAST_EACH; j++) {
        ends[j] = s->parent[ends[j] & 0xffff] | s->parent[ends[j] >> 16] << 16;
        left |= (ends[j] & 0xffff) != ends[j] >> 16;
    }
    return __syncthreads_or(left);
}

/* All rounds that are left, by one block, when few components and edges are left: barriers of the grid would take most
 * of the time. Edges are in registers, components in shared memory. */
ORDO_DEV void mst_finish(const mst_args *a, mst_finishing *s, ordo_u32 k, ordo_u32 parts, ordo_u32 edges,
                         ordo_u32 *parent, const uint4 *from)
{
    const mst_shape shape = a->heavy ? MST_APART_SHAPE : a->words->shape;
    ordo_u32 ends[MST_LAST_EACH], offers = 0;
    ordo_u64 key[MST_LAST_EACH];
#pragma unroll
    for (int j = 0; j < MST_LAST_EACH; j++) {
        const ordo_u32 i = (ordo_u32)j * MST_ROUND_THREADS + threadIdx.x;
        const uint4 e = i < edges ? __ldcg(&from[i]) : make_uint4(0, 0, 0, 0);
        ends[j] = e.x | e.y << 16;
        key[j] = mst_key(e.z, e.w);
    }
    for (ordo_u32 c = threadIdx.x; c < parts; c += MST_ROUND_THREADS) {
        s->best[c] = MST_NO_KEY;
        s->parent[c] = c;
    }
    if (threadIdx.x == 0)
        s->roots = s->offers = 0;
    do {
        __syncthreads();
#pragma unroll
        for (int j = 0; j < MST_LAST_EACH; j++)
            offers += (ends[j] & 0xffff) != ends[j] >> 16 ? 2 : 0;
    } while (mst_finish_round(a, s, &shape, parts, ends, key));
    for (ordo_u32 c = threadIdx.x; c < parts; c += MST_ROUND_THREADS)
        if (s->parent[c] == c)
            s->best[c] = ordo_dev_add_block(&s->roots, 1u);
    ordo_dev_add_block(&s->offers, offers);
    __syncthreads();
    for (ordo_u32 c = threadIdx.x; c < parts; c += MST_ROUND_THREADS)
        ordo_dev_store(&parent[c], MST_ROOT | (ordo_u32)s->best[s->parent[c]]);
    if (threadIdx.x == 0) {
        ordo_dev_store(&a->words->parts[k + 1], s->roots);
        ordo_dev_add(&a->run.counters->edges, (ordo_u64)s->offers);
    }
}

/* Shared memory of mst_end_rounds: by component, its lightest edge's key in two halves, and its parent; between two
 * rounds a parent is a root. */
typedef struct mst_ending {
    ordo_u32 upper[MST_LAST_PARTS], lower[MST_LAST_PARTS], parent[MST_LAST_PARTS], roots, offers;
} mst_ending;

/* A block's part of the list, for mst_end_rounds. */
typedef struct mst_piece_of_list {
    const uint4 *from;
    ordo_u32 begin, end;
} mst_piece_of_list;

/* By all blocks, each for itself and with the same result: components join along the edges in `best`, which the first
 * block chooses. False in all threads if there are no such edges. */
ORDO_DEV bool mst_join_few(const mst_args *a, mst_ending *s, const mst_shape *shape, ordo_u32 parts, ordo_u64 *best)
{
    enum { EACH = MST_LAST_PARTS / MST_ROUND_THREADS };
    ordo_u32 up[EACH];
    bool any = false;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const ordo_u32 c = (ordo_u32)j * MST_ROUND_THREADS + threadIdx.x;
        const ordo_u64 key = c < parts && s->parent[c] == c ? ordo_dev_load(&best[c]) : MST_NO_KEY;
        any |= key != MST_NO_KEY;
        up[j] = key != MST_NO_KEY ? mst_other_of(a, shape, key, c) : MST_NONE;
        if (c < parts) {
            s->upper[c] = (ordo_u32)(key >> 32);
            s->lower[c] = (ordo_u32)key;
        }
    }
    if (!__syncthreads_or(any))
        return false;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const ordo_u32 c = (ordo_u32)j * MST_ROUND_THREADS + threadIdx.x;
        if (up[j] == MST_NONE)
            continue;
        const ordo_u64 key = mst_key(s->upper[c], s->lower[c]);
        up[j] = s->parent[up[j]];
        if (c < up[j] && (key ^ mst_key(s->upper[up[j]], s->lower[up[j]])) >> shape->id == 0)
            up[j] = MST_NONE; /* of two with the same edge the smaller one stays a root */
        else if (blockIdx.x == 0)
            mst_choose(a, mst_id_of(shape, key));
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < EACH; j++)
        if (up[j] != MST_NONE)
            s->parent[(ordo_u32)j * MST_ROUND_THREADS + threadIdx.x] = up[j];
    __syncthreads();
    for (ordo_u32 c = threadIdx.x; c < parts; c += MST_ROUND_THREADS) {
        mst_point_to_root(s->parent, c);
        s->upper[c] = s->lower[c] = MST_NONE;
    }
    __syncthreads();
    return true;
}

/* Lowers a word of all blocks to the key of an edge if the edge is the lightest of the block's for component c. */
ORDO_DEV void mst_offer_lightest(const mst_args *a, const mst_ending *s, const mst_shape *shape, ordo_u64 *best,
                                 ordo_u32 c, ordo_u32 other, ordo_u64 key)
{
    if (s->upper[c] != (ordo_u32)(key >> 32) || s->lower[c] != (ordo_u32)key || key >= ordo_dev_load(&best[c]))
        return;
    if (!shape->other)
        a->across[(ordo_u32)key] = c ^ other;
    ordo_dev_min(&best[c], key);
}

/* Finds the lightest edges of components in the block's piece of the list, and offers them to all blocks. First by the
 * upper halves of keys, then, among few edges, by the lower ones: shared memory has atomics for these. Returns how many
 * of the thread's edges join two components. */
ORDO_DEV ordo_u32 mst_offer_few(const mst_args *a, mst_ending *s, const mst_shape *shape,
                                const mst_piece_of_list *piece, ordo_u64 *best)
{
    const ordo_u32 first = piece->begin + threadIdx.x;
    ordo_u32 low = 0, live = 0; /* low: bits of the thread's edges that were not heavier */
#pragma unroll 4
    for (ordo_u32 i = first, bit = 1; i < piece->end; i += MST_ROUND_THREADS, bit <<= 1) {
        const uint4 e = __ldcg(&piece->from[i]);
        const ordo_u32 x = s->parent[e.x], y = s->parent[e.y];
        if (x == y)
            continue;
        const bool by_x = e.z <= ordo_dev_load_block(&s->upper[x]), by_y = e.z <= ordo_dev_load_block(&s->upper[y]);
        if (by_x)
            ordo_dev_min_block(&s->upper[x], e.z);
        if (by_y)
            ordo_dev_min_block(&s->upper[y], e.z);
        low |= by_x || by_y ? bit : 0;
        live++;
    }
    __syncthreads();
    for (int step = 0; step < 2; step++) {
        for (ordo_u32 rest = low; rest; rest &= rest - 1) {
            const uint4 e = __ldcg(&piece->from[first + MST_ROUND_THREADS * (ordo_u32)(__ffs((int)rest) - 1)]);
            const ordo_u32 x = s->parent[e.x], y = s->parent[e.y];
            const ordo_u32 from_x = e.w | (e.y & shape->other), from_y = e.w | (e.x & shape->other);
            if (x == y)
                continue;
            if (step == 1) {
                mst_offer_lightest(a, s, shape, best, x, y, mst_key(e.z, from_x));
                mst_offer_lightest(a, s, shape, best, y, x, mst_key(e.z, from_y));
                continue;
            }
            if (e.z == s->upper[x])
                ordo_dev_min_block(&s->lower[x], from_x);
            if (e.z == s->upper[y])
                ordo_dev_min_block(&s->lower[y], from_y);
        }
        __syncthreads();
    }
    return live;
}

/* Whether mst_end_rounds or mst_finish does the rounds that are left. With more edges, of which each round reads all,
 * shorter lists are better. */
ORDO_DEV bool mst_is_ending(ordo_u32 parts, ordo_u32 edges)
{
    return parts <= MST_FEW_PARTS && edges / (gridDim.x * MST_ROUND_THREADS) < MST_LAST_OFFERS - 1;
}

/* All rounds that are left, by all blocks, when few components are left but many edges, which as a rule join few pairs
 * of them, again and again. Every block has all components, so a round needs one barrier of the grid, and the list
 * stays as it is. */
template <typename Grid>
ORDO_DEV void mst_end_rounds(const mst_args *a, mst_ending *s, Grid &grid, ordo_u32 k, ordo_u32 parts, ordo_u32 edges,
                             ordo_u32 *parent, const uint4 *from)
{
    const mst_shape shape = a->heavy ? MST_APART_SHAPE : a->words->shape;
    const mst_piece_of_list piece = {from, (ordo_u32)((ordo_u64)edges * blockIdx.x / gridDim.x),
                                     (ordo_u32)((ordo_u64)edges * (blockIdx.x + 1) / gridDim.x)};
    ordo_u64 *best = a->best, *before = NULL;
    ordo_u32 offers = 0;
    for (ordo_u32 c = threadIdx.x; c < parts; c += MST_ROUND_THREADS) {
        s->parent[c] = c;
        s->upper[c] = s->lower[c] = MST_NONE;
    }
    if (threadIdx.x == 0)
        s->roots = s->offers = 0;
    __syncthreads();
    for (ordo_u32 next = 0;; next = (next + 1) % MST_LAST_WORDS) {
        offers += 2 * mst_offer_few(a, s, &shape, &piece, best);
        grid.sync();
        if (!mst_join_few(a, s, &shape, parts, best))
            break;
        if (before && blockIdx.x == gridDim.x - 1) /* all blocks have read them */
            for (ordo_u32 c = threadIdx.x; c < parts; c += MST_ROUND_THREADS)
                ordo_dev_store(&before[c], MST_NO_KEY);
        before = best;
        best = next < MST_LAST_WORDS - 1 ? a->few + next * MST_LAST_PARTS : a->best;
    }
    ordo_dev_add_block(&s->offers, offers);
    if (blockIdx.x == 0)
        for (ordo_u32 c = threadIdx.x; c < parts; c += MST_ROUND_THREADS)
            if (s->parent[c] == c)
                s->upper[c] = ordo_dev_add_block(&s->roots, 1u);
    __syncthreads();
    if (blockIdx.x == 0)
        for (ordo_u32 c = threadIdx.x; c < parts; c += MST_ROUND_THREADS)
            ordo_dev_store(&parent[c], MST_ROOT | s->upper[s->parent[c]]);
    if (threadIdx.x == 0 && s->offers)
        ordo_dev_add(&a->run.counters->edges, (ordo_u64)s->offers);
    if (threadIdx.x == 0 && blockIdx.x == 0)
        ordo_dev_store(&a->words->parts[k + 1], s->roots);
}

/* By a block: the most frequent component in a sample of ends of arcs, which are probably in a large one. */
ORDO_DEV void mst_find_giant(const mst_args *a, ordo_u32 *sample, ordo_u32 last)
{
    static_assert(MST_SAMPLE == MST_ROUND_THREADS, "one each");
    __shared__ ordo_u32 most;
    const ordo_u32 v = mst_head(a, (ordo_u32)(mst_scatter(threadIdx.x) % a->m));
    const ordo_u32 label = mst_last_label(a, a->parent[v] & ~MST_ROOT, last);
    const ordo_u32 mine = mst_dense(a, label, ordo_dev_load(&a->words->parts[last]));
    ordo_u32 count = 0;
    sample[threadIdx.x] = mine;
    if (threadIdx.x == 0)
        most = 0;
    __syncthreads();
#pragma unroll 4
    for (int i = 0; i < MST_SAMPLE / 4; i++) {
        const uint4 four = ((const uint4 *)sample)[i];
        count += (four.x == mine) + (four.y == mine) + (four.z == mine) + (four.w == mine);
    }
    atomicMax(&most, count);
    __syncthreads();
    if (count == most)
        a->words->giant = mine; /* any of them, if there are several */
}

/* Ends when a list is empty, or when the run is to end. All blocks read a round's words after the barrier that ends the
 * round before, and these are not written again before another barrier. One function: a round's steps are functions,
 * and what is left is their order between grid barriers, with what the keeper counts over all rounds in registers. The
 * rounds of mst_finish count as one, and so do those of mst_end_rounds. */
static __global__ void __launch_bounds__(MST_ROUND_THREADS, 2) mst_rounds(const mst_args a)
{
    __shared__ mst_numbering<MST_ROUND_THREADS> numbering;
    __shared__ uint4 held[MST_ROUND_THREADS / 32][MST_HELD];
    static_assert(sizeof(mst_finishing) <= sizeof held && sizeof(mst_ending) <= sizeof held, "their memory");
    auto grid = cooperative_groups::this_grid();
    mst_words *w = a.words;
    const ordo_u32 thread = blockIdx.x * MST_ROUND_THREADS + threadIdx.x, threads = gridDim.x * MST_ROUND_THREADS;
    const ordo_u32 first_level = w->level + a.heavy;
    const bool keeper = thread == threads - 1; /* does the bookkeeping: the last thread has the least work */
    ordo_u64 base = a.n, items = 0, offers = 0, looked = keeper ? ordo_dev_clock() : 0;
    ordo_u32 k = first_level, parts;
    if (a.heavy && !w->filtered)
        return;
    for (;; k++) {
        const ordo_u32 edges = ordo_dev_load(&w->edges[k]);
        const uint4 *from = a.list[(k - first_level) & 1];
        parts = ordo_dev_load(&w->parts[k]);
        if (!edges || ordo_dev_load(&w->odd) || ordo_dev_load(&w->excess) || ordo_dev_load(&w->stop))
            break;
        ordo_u32 *parent = a.parent + base;
        const bool last = mst_is_ending(parts, edges);
        if (last && edges > MST_LAST_EDGES)
            mst_end_rounds(&a, (mst_ending *)(void *)held, grid, k, parts, edges, parent, from);
        else if (last && blockIdx.x == 0)
            mst_finish(&a, (mst_finishing *)(void *)held, k, parts, edges, parent, from);
        if (!last) {
            mst_join(&a, &numbering, k, parts, parent);
            grid.sync();
            mst_find_roots<MST_ROUND_THREADS>(&a, parent, parts);
            if (parts > MST_APART) /* see mst_ready */
                grid.sync();
            for (ordo_u64 c = thread; c < parts; c += threads)
                ordo_dev_store(&a.best[c], MST_NO_KEY); /* after both ends were read, before the next minima */
        }
        if (keeper) { /* stores for which no thread waits; the mailbox is on the host, and is read only from time to
                         time */
            const ordo_u64 now = ordo_dev_clock();
            w->base[k] = base;
            items += parts;
            offers += last ? 0 : 2 * (ordo_u64)edges;
            a.run.record->moment[k - a.heavy] = ordo_cuda_moment{now, edges, k - a.heavy, 0, 1, -1};
            if (now - looked > MST_LOOK) {
                looked = now;
                ordo_dev_store(&w->stop, a.run.mailbox->stop);
                a.run.mailbox->supersteps = k;
                a.run.mailbox->in_flight = edges;
            }
        }
        grid.sync();
        base += parts;
        if (last)
            continue;
        const mst_target to = {a.list[(k + 1 - first_level) & 1],
                               &w->edges[k + 1],
                               ordo_dev_load(&w->parts[k + 1]),
                               MST_BINNED,
                               a.heavy,
                               mst_is_ending(ordo_dev_load(&w->parts[k + 1]), edges)};
        mst_contract(&a, held[threadIdx.x / 32], parent, from, edges, to);
        grid.sync();
    }
    if (keeper) {
        const ordo_u32 before = a.heavy ? ordo_dev_load(&w->parts[first_level]) : a.n;
        a.run.counters->items += items;
        a.run.counters->edges += offers;
        a.run.counters->useful += before - parts - ordo_dev_load(&w->final_parts[a.heavy]);
        a.run.record->taken = a.run.record->supersteps = k - a.heavy;
    }
    if (blockIdx.x || a.heavy)
        return;
    if (threadIdx.x == 0)
        w->giant = MST_NONE;
    __syncthreads();
    if (threadIdx.x == 0)
        w->level = k;
    if (w->filtered && a.symmetric && !w->unsorted)
        mst_find_giant(&a, (ordo_u32 *)held, k);
}

/* ---- heavy edges ---- */

/* Replaces labels of level 1 by components of a new level, which are all that are left. */
static __global__ void __launch_bounds__(MST_THREADS) mst_rename(const mst_args a)
{
    const mst_words *w = a.words;
    const ordo_u32 last = w->level, parts = w->parts[last], all = parts + w->final_parts[0];
    const ordo_u64 first = (ordo_u64)blockIdx.x * MST_THREADS + threadIdx.x, step = (ordo_u64)gridDim.x * MST_THREADS;
    if (!w->filtered || mst_halted(&a))
        return;
    for (ordo_u64 c = first; c < w->parts[1]; c += step)
        a.parent[a.n + c] = mst_dense(&a, mst_last_label(&a, (ordo_u32)c, last), parts);
    for (ordo_u64 c = first; c < all; c += step)
        a.best[c] = MST_NO_KEY;
    for (ordo_u64 i = first; i < (MST_LAST_WORDS - 1) * MST_LAST_PARTS; i += step)
        a.few[i] = MST_NO_KEY;
    if (first == 0)
        a.words->parts[last + 1] = all;
}

/* Assigns the new components to vertices, and sets a vertex's bit if its component is the giant one, or if it has no
 * edges. */
static __global__ void __launch_bounds__(MST_THREADS) mst_name_vertices(const mst_args a)
{
    const mst_words *w = a.words;
    const ordo_u32 parts = w->parts[1], left = w->parts[w->level], giant = w->giant;
    if (!w->filtered || mst_halted(&a))
        return;
    for (ordo_u32 first = blockIdx.x * MST_THREADS * MST_AT_ONCE; first < a.n;
         first += gridDim.x * MST_THREADS * MST_AT_ONCE) {
        ordo_u32 label[MST_AT_ONCE], alone = 0;
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u32 v = first + j * MST_THREADS + threadIdx.x;
            label[j] = v < a.n ? a.parent[v] & ~MST_ROOT : MST_NONE;
        }
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            alone |= (ordo_u32)(label[j] >= parts) << j;
            label[j] = label[j] < parts ? __ldg(a.parent + a.n + label[j]) : mst_dense(&a, label[j], left);
        }
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u32 v = first + j * MST_THREADS + threadIdx.x;
            const ordo_u32 bits = __ballot_sync(0xffffffffu, v >= a.n || alone >> j & 1 || label[j] == giant);
            if (v < a.n)
                a.parent[v] = label[j];
            if (v < a.n && v % 32 == 0)
                a.inner[v / 32] = bits;
        }
    }
}

/* The part of the state that a warp needs to examine arcs. */
typedef struct mst_view {
    mst_store store;
    mst_target to;
    ordo_u32 giant;
} mst_view;

ORDO_DEV bool mst_is_inner(const mst_args *a, ordo_u32 v)
{
    return __ldg(a->inner + v / 32) >> v % 32 & 1;
}

/* Examines several arcs of each lane, of vertices outside the giant component. Of a vertex's arcs into the giant
 * component only the lightest can be in the forest: into[j] becomes the key of such an arc, which is not held. Such an
 * edge is scanned from this end only; edges between other components are scanned from both ends. True if a lane of the
 * warp has an arc into the giant component. */
ORDO_DEV bool mst_examine(const mst_args *a, mst_view *view, const bool (&has)[MST_AT_ONCE],
                          const ordo_u32 (&u)[MST_AT_ONCE], const ordo_u32 (&mine)[MST_AT_ONCE],
                          const ordo_u32 (&e)[MST_AT_ONCE], ordo_u64 (&into)[MST_AT_ONCE])
{
    uint2 arc[MST_AT_ONCE];
    ordo_u32 other[MST_AT_ONCE];
    bool giant[MST_AT_ONCE], any = false;
    mst_load_all(a, e, arc);
    mst_order_all(a, arc);
#pragma unroll
    for (int j = 0; j < MST_AT_ONCE; j++) {
        giant[j] = has[j] && mst_is_inner(a, arc[j].x);
        any |= giant[j];
    }
#pragma unroll
    for (int j = 0; j < MST_AT_ONCE; j++) {
        const bool counts = has[j] && !giant[j] && (!a->symmetric || u[j] < arc[j].x);
        other[j] = counts ? __ldg(a->parent + arc[j].x) : mine[j];
    }
#pragma unroll
    for (int j = 0; j < MST_AT_ONCE; j++) {
        into[j] = giant[j] ? mst_key(arc[j].y, e[j]) : MST_NO_KEY;
        mst_hold(&view->store, other[j] != mine[j], make_uint4(mine[j], other[j], arc[j].y, e[j]));
    }
    mst_flush_if_full(a, &view->store, &view->to);
    return __any_sync(0xffffffffu, any);
}

/* Holds the edge of arc (ordo_u32)key of u into the giant component, in lanes that have one. By whole warps. */
ORDO_DEV void mst_hold_into(const mst_args *a, mst_view *view, ordo_u32 u, ordo_u32 mine, ordo_u64 key)
{
    const ordo_u32 weight = (ordo_u32)(key >> 32);
    ordo_u32 id = key == MST_NO_KEY ? MST_NONE : (ordo_u32)key;
    if (id != MST_NONE) {
        const ordo_u32 head = mst_head(a, id);
        id = u < head ? id : mst_find(a, head, u, weight);
    }
    mst_hold(&view->store, id != MST_NONE, make_uint4(mine, view->giant, weight, id));
    mst_flush_if_full(a, &view->store, &view->to);
}

/* Shared memory of a warp, a word of each for each of its 32 rows. */
typedef struct mst_leasts {
    ordo_u32 weight[32], arc[32];
} mst_leasts;

/* By a whole warp: of keys of its lanes, into[j] for row[j], the least one of the lane's own row. Lanes of a row are
 * consecutive. Four of them agree on one key, and the rest is done by atomics of shared memory, on the weight and then
 * on the arc: more steps from lane to lane take more instructions, and more atomics on one word are serialised. */
ORDO_DEV ordo_u64 mst_least_of_rows(mst_leasts *s, const ordo_u32 (&row)[MST_AT_ONCE], ordo_u64 (&into)[MST_AT_ONCE])
{
    const ordo_u32 lane = threadIdx.x % 32;
    s->weight[lane] = s->arc[lane] = MST_NONE;
    __syncwarp();
#pragma unroll
    for (int j = 0; j < MST_AT_ONCE; j++) {
        if (!__any_sync(0xffffffffu, into[j] != MST_NO_KEY))
            continue;
#pragma unroll
        for (ordo_u32 step = 1; step < 4; step *= 2) {
            const ordo_u64 key = __shfl_down_sync(0xffffffffu, into[j], step);
            if (__shfl_down_sync(0xffffffffu, row[j], step) == row[j] && lane + step < 32)
                mst_keep_least(&into[j], key);
        }
        if (__shfl_up_sync(0xffffffffu, row[j], 1) == row[j] && lane % 4)
            into[j] = MST_NO_KEY;
        if (into[j] != MST_NO_KEY)
            ordo_dev_min_block(&s->weight[row[j]], (ordo_u32)(into[j] >> 32));
    }
    __syncwarp();
#pragma unroll
    for (int j = 0; j < MST_AT_ONCE; j++)
        if (into[j] != MST_NO_KEY && into[j] >> 32 == s->weight[row[j]])
            ordo_dev_min_block(&s->arc[row[j]], (ordo_u32)into[j]);
    __syncwarp();
    const ordo_u64 least = mst_key(s->weight[lane], s->arc[lane]);
    __syncwarp();
    return least;
}

/* Examines the rows of a warp's 32 vertices, except those of hubs, as if concatenated. */
ORDO_DEV void mst_examine_tile(const mst_args *a, mst_view *view, mst_leasts *leasts, ordo_u32 tile)
{
    const ordo_u32 lane = threadIdx.x % 32, u = tile * 32 + lane;
    const bool wanted = u < a->n && !mst_is_inner(a, u);
    const ordo_u32 label = wanted ? __ldg(a->parent + u) : view->giant;
    const ordo_u32 begin = wanted ? mst_row(a, u) : 0, degree = wanted ? mst_row(a, u + 1) - begin : 0;
    const ordo_u32 mine = mst_is_hub(degree) ? 0 : degree, sum = ordo_warp_sum_up_to(mine);
    const ordo_u32 total = __shfl_sync(0xffffffffu, sum, 31), offset = begin - (sum - mine);
    ordo_u64 least = MST_NO_KEY;
    for (ordo_u32 at = 0; at < total; at += 32 * MST_AT_ONCE) {
        bool has[MST_AT_ONCE];
        ordo_u32 who[MST_AT_ONCE], tail[MST_AT_ONCE], part[MST_AT_ONCE], e[MST_AT_ONCE];
        ordo_u64 into[MST_AT_ONCE];
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u32 place = at + 32 * j + lane, i = place < total ? place : total - 1; /* arcs that are there */
            has[j] = place < total;
            who[j] = e[j] = part[j] = 0;
            if (at + 32 * j < total) {
                who[j] = ordo_warp_owner(sum - mine, i);
                part[j] = __shfl_sync(0xffffffffu, label, (int)who[j]);
                e[j] = __shfl_sync(0xffffffffu, offset, (int)who[j]) + i;
            }
            tail[j] = tile * 32 + who[j];
        }
        if (mst_examine(a, view, has, tail, part, e, into))
            mst_keep_least(&least, mst_least_of_rows(leasts, who, into));
    }
    if (total)
        mst_hold_into(a, view, u, label, least);
}

ORDO_DEV void mst_examine_piece(const mst_args *a, mst_view *view, mst_hub h)
{
    const ordo_u32 label = __ldg(a->parent + h.vertex);
    ordo_u32 row, begin, end;
    ordo_u64 least = MST_NO_KEY;
    if (label == view->giant)
        return;
    mst_piece(a, h, &row, &begin, &end);
    for (ordo_u32 at = begin; at < end; at += 32 * MST_AT_ONCE) {
        bool has[MST_AT_ONCE];
        ordo_u32 tail[MST_AT_ONCE], part[MST_AT_ONCE], e[MST_AT_ONCE];
        ordo_u64 into[MST_AT_ONCE];
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u32 i = at + 32 * j + threadIdx.x % 32;
            has[j] = i < end;
            e[j] = has[j] ? i : at;
            tail[j] = h.vertex;
            part[j] = label;
        }
        mst_examine(a, view, has, tail, part, e, into);
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++)
            mst_keep_least(&least, into[j]);
    }
    least = mst_least_of_warp(least);
    mst_hold_into(a, view, h.vertex, label, threadIdx.x % 32 ? MST_NO_KEY : least);
}

static __global__ void __launch_bounds__(MST_THREADS, MST_HEAVY_BLOCKS) mst_heavy(const mst_args a)
{
    __shared__ uint4 held[MST_WARPS][MST_HELD];
    __shared__ mst_leasts leasts[MST_WARPS];
    __shared__ ordo_u32 places[MST_WARPS];
    const mst_words *w = a.words;
    if (!w->filtered || mst_halted(&a))
        return;
    const ordo_u32 warp = threadIdx.x / 32, step = gridDim.x * MST_WARPS, first = blockIdx.x * MST_WARPS + warp;
    const ordo_u32 last = w->level, tiles = (a.n + 31) / 32;
    mst_view view = {{held[warp], MST_HELD, 0, 0},
                     {a.list[0], &a.words->edges[last + 1], w->parts[last + 1], MST_BINNED, true, false},
                     w->giant};
    for (ordo_u32 group = first; group * MST_TILES < tiles; group += step) {
        const ordo_u32 mine = group * MST_TILES + threadIdx.x % 32;
        const bool open = threadIdx.x % 32 < MST_TILES && mine < tiles && __ldg(a.inner + mine) != 0xffffffffu;
        for (ordo_u32 rest = __ballot_sync(0xffffffffu, open); rest; rest &= rest - 1)
            mst_examine_tile(&a, &view, &leasts[warp], group * MST_TILES + (ordo_u32)__ffs((int)rest) - 1);
    }
    for (ordo_u32 i = first; i < w->hubs; i += step)
        mst_examine_piece(&a, &view, a.hub[i]);
    mst_write(&a, &view.store, &view.to, mst_reserve_all(places, &view.store, view.to.count));
}
