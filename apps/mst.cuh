/* mst.cuh -- minimum spanning forests on a GPU: the kernels. mst.cu launches them, one after the other.
 *
 * Problem: the forest that mst.c finds, the same edges: of two edges of one weight the smaller id comes first.
 *
 * Method (Boruvka 1926; lightest edges first: Osipov, Sanders and Singler 2009; giant component left out of a second
 * scan: Sutton, Ben-Nun and Barak 2018 do so for components):
 *   mst_limit    where there are many edges a vertex: a limit that about n edges do not exceed, from a sample.
 *   mst_first    the lightest arc of every vertex: a warp has 32 rows. Rows of hubs go to a list, in pieces. As all
 *                arcs come by, the light edges, those up to the limit (all, where there is none), go to a list, too; of
 *                short rows without what the vertex chose.
 *   mst_hubs, mst_hub_ends   the same for those pieces.
 *   mst_roots    who chose each other is a root, or stands alone.
 *   mst_label_roots   everybody finds their root, and so their component.
 *   mst_ready    the words of components are made ready for their minima.
 *   mst_light    the list's edges between components become the list of the rounds. It comes across the light edges
 *                that a larger end has chosen; some of its blocks look up the ids of heavy ones.
 *   mst_rounds   rounds of Boruvka's on the list, in one cooperative launch.
 *   mst_rename, mst_name_vertices, mst_heavy, mst_rounds   the edges beyond the limit, likewise. Where rows are
 *                symmetric and one component is large, the arcs of all vertices outside it show every edge
 *                that is left; a bit a vertex says which those are, for most arcs lead back into it.
 *
 * An edge's key is its ordered weight (operators/mst.h) above its id, so keys are different and their order is the
 * one that makes the forest unique. Every minimum is one over keys (in mst_first over weight and arc: the arcs of a
 * vertex in sorted rows stand in the order of their edges' ids, whichever end it is), so each round takes edges of the
 * one forest, whatever was left out of its list: those are heavier, or lie inside components. What a component joins is
 * in the key, too, below the id, since weights, ids and components most often fit 64 bits together (mst_shape); else it
 * is in an array by id, of which every edge that may be a minimum writes a word.
 *
 * Levels. Vertices are level 0; the components after round k, level k + 1, those that may still join others, are 0 ..
 * parts[k + 1] - 1. A component without an edge in the list joins nobody any more: it gets a label at once that holds
 * on all later levels, n - 1, n - 2, ... There are never more than n of both, so a label is final where it is parts[k]
 * or more. parent[] holds a level after the other; each is at most half the one before, the first at most n.
 *
 * Memory order: relaxed words within a phase; what the next phase reads is passed on by the end of a kernel or a grid
 * barrier. Minima are tested before the atomic; a test that sees an old, larger word, in the first-level cache even one
 * of some time ago, costs an atomic and nothing else.
 */
#include "apps/mst_vertices.cuh"

/* ---- lists ---- */

/* The component at the other end of the edge of component c. */
ORDO_DEV ordo_u32 mst_other_of(const mst_args *a, const mst_shape *s, ordo_u64 key, ordo_u32 c)
{
    return s->other ? (ordo_u32)(key & ((1ull << s->id) - 1)) : ordo_dev_load(&a->across[(ordo_u32)key]) ^ c;
}

/* Where edges go: a list, and the components of the level that they join. */
typedef struct mst_target {
    uint4 *list;
    ordo_u32 *count, parts;
    ordo_u32 near; /* components, up to which their words are looked at in the first-level cache first */
    bool heavy;    /* keys are of MST_APART_SHAPE */
} mst_target;

/* Lowers a component's word, for lanes that `has`. By whole warps: most may want that of `crowded`, a large component,
 * and would queue for it, so one lane does it for them. */
ORDO_DEV void mst_lower(const mst_args *a, bool has, ordo_u32 part, ordo_u64 key, ordo_u32 crowded)
{
    const bool one = has && part == crowded;
    if (__popc(__ballot_sync(0xffffffffu, one)) > MST_CROWD) {
        const ordo_u64 least = mst_least_of_warp(one ? key : MST_NO_KEY);
        has = one ? least == key : has; /* keys are different, so it is one of them */
    }
    if (has)
        ordo_dev_min(&a->best[part], key);
}

/* Whether a key may lower a component's word. Where components are few all ask for the same lines, which lie in few
 * parts of the second-level cache and would be what they wait for: so the first-level one is asked first, `near`. What
 * it has may be old, and then larger. */
ORDO_DEV bool mst_below(const mst_args *a, ordo_u32 part, ordo_u64 key, bool near)
{
    if (near && key >= ordo_dev_load_block(&a->best[part]))
        return false;
    return key < ordo_dev_load(&a->best[part]);
}

/* What is held goes to the list, from place `base` on, and is offered to both components. Where keys do not say it, an
 * edge that may be a component's lightest writes what it joins: the lightest one has found its component's word larger,
 * so it has. */
ORDO_DEV void mst_write(const mst_args *a, mst_store *s, const mst_target *to, ordo_u32 base)
{
    const ordo_u32 lane = threadIdx.x % 32;
    if (!s->count)
        return;
    __syncwarp();
    const uint4 one = s->held[0], two = s->held[s->count / 2]; /* what both join is likely to be large */
    const ordo_u32 mask = to->heavy ? 0 : a->words->shape.other;
    const bool near = to->parts <= to->near;
    const ordo_u32 crowded = one.x == two.x || one.x == two.y ? one.x : one.y;
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
        const ordo_u64 key = mst_key(e.z, e.w);
        const ordo_u32 to_x = e.x & mask, to_y = e.y & mask;
        const bool x = has && mst_below(a, e.x, key | to_y, near), y = has && mst_below(a, e.y, key | to_x, near);
        if (!mask && (x || y))
            a->across[e.w] = e.x ^ e.y;
        mst_lower(a, x, e.x, key | to_y, crowded);
        mst_lower(a, y, e.y, key | to_x, crowded);
    }
    s->count = 0;
    __syncwarp();
}

/* Where there may be no room for MST_AT_ONCE times 32 more: once for several mst_hold, for a kernel that holds many
 * copies of the code waits for instructions. */
ORDO_DEV void mst_make_room(const mst_args *a, mst_store *s, const mst_target *to)
{
    if (mst_full(s))
        mst_write(a, s, to, mst_reserve(s, to->count));
}

/* At the end. */
ORDO_DEV void mst_flush(const mst_args *a, mst_store *s, const mst_target *to)
{
    if (s->count)
        mst_write(a, s, to, mst_reserve(s, to->count));
}

/* How many of 32 words, ascending by lane, are at most `value`; 31 where all are. */
ORDO_DEV ordo_u32 mst_rank(ordo_u32 word, ordo_u32 value)
{
    ordo_u32 rank = 0;
#pragma unroll
    for (ordo_u32 step = 16; step; step /= 2)
        rank += __shfl_sync(0xffffffffu, word, (int)(rank + step - 1)) <= value ? step : 0;
    return rank;
}

/* ---- edges between components ---- */

/* Whether arc e of u, u -> v, is the first one of several alike, where the one before leads to v, too. */
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

/* Chooses the heavy edges that the larger end alone wished for; block `block` of `blocks`. */
ORDO_DEV void mst_choose_heavy(const mst_args *a, ordo_u32 block, ordo_u32 blocks)
{
    const ordo_u32 limit = (ordo_u32)(a->words->limit >> 32), step = blocks * MST_THREADS;
    if (!a->twice || a->words->unsorted)
        return;
    for (ordo_u64 first = block * MST_THREADS + threadIdx.x; first < a->n; first += (ordo_u64)step * MST_AT_ONCE) {
        uint2 wish[MST_AT_ONCE];
        bool alone[MST_AT_ONCE];
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u64 u = first + (ordo_u64)j * step;
            wish[j] = u < a->n ? __ldg(a->wish + u) : make_uint2(MST_NONE, 0);
        }
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u64 u = first + (ordo_u64)j * step;
            alone[j] = wish[j].x < u && wish[j].y >= limit && __ldg(&a->wish[wish[j].x].x) != u;
        }
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++)
            if (alone[j])
                mst_choose(a, mst_find(a, wish[j].x, (ordo_u32)(first + (ordo_u64)j * step), wish[j].y));
    }
}

/* Light edges between components go to the list of the rounds, those that a larger end alone wished for into the
 * forest. What is in the forest already the smaller end chose, so it lies inside. */
static __global__ void __launch_bounds__(MST_THREADS) mst_light(const mst_args a)
{
    __shared__ uint4 held[MST_WARPS][MST_HELD];
    const ordo_u32 warp = threadIdx.x / 32, others = a.dense ? (gridDim.x + MST_IDS - 1) / MST_IDS : 0;
    const ordo_u32 block = a.dense ? blockIdx.x - blockIdx.x / MST_IDS - 1 : blockIdx.x, blocks = gridDim.x - others;
    const ordo_u32 count = a.words->light;
    const mst_target to = {a.list[0], &a.words->edges[1], a.words->parts[1], MST_NEAR_LIGHT, false};
    const mst_shape shape = a.words->shape;
    mst_store store = {held[warp], MST_HELD, 0};
    if (mst_halted(&a))
        return;
    if (a.dense && blockIdx.x % MST_IDS == 0) {
        mst_choose_heavy(&a, blockIdx.x / MST_IDS, others);
        return;
    }
    for (ordo_u64 tile = block; tile * MST_THREADS * MST_AT_ONCE < count; tile += blocks) {
        uint4 e[MST_AT_ONCE];
        ordo_u32 chosen[MST_AT_ONCE], mine[MST_AT_ONCE], other[MST_AT_ONCE];
        uint2 wish[MST_AT_ONCE];
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u64 i = (tile * MST_AT_ONCE + j) * MST_THREADS + threadIdx.x;
            e[j] = i < count ? __ldg(&a.list[1][i]) : make_uint4(0, 0, 0, MST_NONE);
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
            wish[j] = !chosen[j] && a.twice && other[j] == mine[j] ? __ldg(a.wish + e[j].y) : make_uint2(MST_NONE, 0);
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u32 u = e[j].x & ~MST_AGAIN;
            bool wished = wish[j].x == u && wish[j].y == e[j].z;
            if (wished && e[j].x & MST_AGAIN)
                wished = mst_comes_first(&a, u, e[j].w, e[j].y, e[j].z);
            mst_choose_in_order(&a, wished, e[j].w);
        }
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++)
            mst_hold(&store, mine[j] != other[j],
                     mst_edge(&shape, mine[j] & ~MST_ROOT, other[j] & ~MST_ROOT, e[j].z, e[j].w));
        mst_make_room(&a, &store, &to);
    }
    mst_flush(&a, &store, &to);
}

/* ---- rounds ---- */

/* Each component joins the one at the other end of its lightest edge; of two with the same edge the smaller one stays.
 * In place, as nobody reads parents here. */
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
        for (int j = 0; j < AT_ONCE; j++) { /* these words are final: what the first-level cache has is of this phase */
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

/* The edges that still join components, by their new labels, which nobody changes now, to the next list. Of a short
 * list each block has as large a piece; of a long one tiles by turns, so that neighbours come at the same time. */
ORDO_DEV void mst_contract(const mst_args *a, uint4 *held, const ordo_u32 *parent, const uint4 *from, ordo_u32 count,
                           mst_target to)
{
    mst_store store = {held, MST_HELD, 0};
    const ordo_u32 tile = MST_ROUND_THREADS * MST_AT_ONCE, tiles = gridDim.x * tile;
    const bool few = count <= MST_ROUND_TILES * tiles;
    const ordo_u32 begin = few ? (ordo_u32)((ordo_u64)count * blockIdx.x / gridDim.x) : blockIdx.x * tile;
    const ordo_u32 end = few ? (ordo_u32)((ordo_u64)count * (blockIdx.x + 1) / gridDim.x) : count;
    for (ordo_u64 first = begin + threadIdx.x; first - threadIdx.x < end; first += few ? tile : tiles) {
        uint4 e[MST_AT_ONCE];
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u64 i = first + j * MST_ROUND_THREADS;
            e[j] = i < end ? __ldcg(&from[i]) : make_uint4(0, 0, 0, 0);
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
        mst_make_room(a, &store, &to);
    }
    mst_flush(a, &store, &to);
}

/* A component's number among all that are left when the list is empty, `parts` of them on the last level. */
ORDO_DEV ordo_u32 mst_dense(const mst_args *a, ordo_u32 label, ordo_u32 parts)
{
    return label < parts ? label : parts + (a->n - 1 - label);
}

/* By all blocks: labels of level 2 become those of the last level, or final ones. From above, so that each level reads
 * one that is done. */
template <typename Grid>
ORDO_DEV void mst_compose(const mst_args *a, ordo_u32 last, ordo_u32 thread, ordo_u32 threads, Grid grid)
{
    mst_words *w = a->words;
    for (ordo_u32 k = last; k-- > 3;) {
        ordo_u32 *parent = a->parent + ordo_dev_load(&w->base[k - 1]), *above = a->parent + ordo_dev_load(&w->base[k]);
        const ordo_u32 parts = ordo_dev_load(&w->parts[k - 1]), there = ordo_dev_load(&w->parts[k]);
        for (ordo_u64 c = thread; c < parts; c += threads) {
            const ordo_u32 label = ordo_dev_load(&parent[c]) & ~MST_ROOT;
            if (label < there)
                ordo_dev_store(&parent[c], ordo_dev_load(&above[label]));
        }
        grid.sync();
    }
}

/* After that: a label of level 1 as one of the last level, or a final one. */
ORDO_DEV ordo_u32 mst_last_label(const mst_args *a, ordo_u32 label, ordo_u32 last)
{
    mst_words *w = a->words;
    for (ordo_u32 k = 1; k < last && k < 3 && label < w->parts[k]; k++)
        label = __ldcg(a->parent + w->base[k] + label) & ~MST_ROOT;
    return label;
}

/* A block: the component that most of a sample are in, ends of arcs and so most likely in a large one. */
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
    for (int i = 0; i < MST_SAMPLE; i++)
        count += sample[i] == mine;
    atomicMax(&most, count);
    __syncthreads();
    if (count == most)
        a->words->giant = mine; /* any of them, where there are several */
}

/* Ends when a list is empty, or when it is to. All blocks read a round's words after the barrier that ends the round
 * before, and they are not written again until another one. One function: a round's steps are functions, and what is
 * left is their order between grid barriers, with what the keeper counts over all rounds in registers. */
static __global__ void __launch_bounds__(MST_ROUND_THREADS, 2) mst_rounds(const mst_args a)
{
    __shared__ mst_numbering<MST_ROUND_THREADS> numbering;
    __shared__ uint4 held[MST_ROUND_THREADS / 32][MST_HELD];
    auto grid = cooperative_groups::this_grid();
    mst_words *w = a.words;
    const ordo_u32 thread = blockIdx.x * MST_ROUND_THREADS + threadIdx.x, threads = gridDim.x * MST_ROUND_THREADS;
    const ordo_u32 first_level = w->level + a.heavy;
    const bool keeper = thread == threads - 1; /* of the books: it has least to do */
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
        mst_join(&a, &numbering, k, parts, parent);
        grid.sync();
        mst_find_roots<MST_ROUND_THREADS>(&a, parent, parts);
        if (parts > MST_APART) /* see mst_ready */
            grid.sync();
        for (ordo_u64 c = thread; c < parts; c += threads)
            ordo_dev_store(&a.best[c], MST_NO_KEY); /* after both ends have been read, before the next minima */
        if (keeper) { /* stores that nobody waits for; the mailbox is far away, and looked at now and then */
            const ordo_u64 now = ordo_dev_clock();
            w->base[k] = base;
            items += parts;
            offers += 2 * (ordo_u64)edges;
            a.run.record->moment[k - a.heavy] = ordo_cuda_moment{now, edges, k - a.heavy, 0, 1, -1};
            if (now - looked > MST_LOOK) {
                looked = now;
                ordo_dev_store(&w->stop, a.run.mailbox->stop);
                a.run.mailbox->supersteps = k;
                a.run.mailbox->in_flight = edges;
            }
        }
        grid.sync();
        const mst_target to = {a.list[(k + 1 - first_level) & 1], &w->edges[k + 1], ordo_dev_load(&w->parts[k + 1]),
                               MST_NEAR, a.heavy};
        mst_contract(&a, held[threadIdx.x / 32], parent, from, edges, to);
        base += parts;
        grid.sync();
    }
    if (keeper) {
        const ordo_u32 before = a.heavy ? ordo_dev_load(&w->parts[first_level]) : a.n;
        a.run.counters->items += items;
        a.run.counters->edges += offers;
        a.run.counters->useful += before - parts - ordo_dev_load(&w->final_parts[a.heavy]);
        a.run.record->taken = a.run.record->supersteps = k - a.heavy;
    }
    if (!a.heavy && w->filtered)
        mst_compose(&a, k, thread, threads, grid);
    if (blockIdx.x || a.heavy)
        return;
    if (threadIdx.x == 0)
        w->giant = MST_NONE;
    __syncthreads();
    if (threadIdx.x == 0)
        w->level = k;
    if (w->filtered && a.twice && !w->unsorted)
        mst_find_giant(&a, (ordo_u32 *)held, k);
}

/* ---- heavy edges ---- */

/* Labels of level 1 become components of a new level: all that are left. */
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
    if (first == 0)
        a.words->parts[last + 1] = all;
}

/* Vertices get those new components, and a bit if theirs is the giant one, or if they have had no edge at all. */
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

/* What a warp needs of the state when it looks at arcs. */
typedef struct mst_view {
    mst_store store;
    mst_target to;
    ordo_u32 giant;
} mst_view;

ORDO_DEV bool mst_is_inner(const mst_args *a, ordo_u32 v)
{
    return __ldg(a->inner + v / 32) >> v % 32 & 1;
}

/* Some arcs a lane, of vertices outside the giant component. Of those into it only the lightest of a vertex may ever
 * count: into[j] becomes the key of such an arc, which is not held. It is seen from this end alone; edges between
 * others are seen from both. */
ORDO_DEV void mst_examine(const mst_args *a, mst_view *view, const bool (&has)[MST_AT_ONCE],
                          const ordo_u32 (&u)[MST_AT_ONCE], const ordo_u32 (&mine)[MST_AT_ONCE],
                          const ordo_u32 (&e)[MST_AT_ONCE], ordo_u64 (&into)[MST_AT_ONCE])
{
    uint2 arc[MST_AT_ONCE];
    ordo_u32 other[MST_AT_ONCE];
    bool giant[MST_AT_ONCE];
#pragma unroll
    for (int j = 0; j < MST_AT_ONCE; j++)
        arc[j] = has[j] ? mst_load(a, e[j]) : make_uint2(0, 0);
#pragma unroll
    for (int j = 0; j < MST_AT_ONCE; j++)
        giant[j] = has[j] && mst_is_inner(a, arc[j].x);
#pragma unroll
    for (int j = 0; j < MST_AT_ONCE; j++) {
        const bool counts = has[j] && !giant[j] && (!a->twice || u[j] < arc[j].x);
        other[j] = counts ? __ldg(a->parent + arc[j].x) : mine[j];
    }
#pragma unroll
    for (int j = 0; j < MST_AT_ONCE; j++) {
        const ordo_u32 weight = mst_ordered(a, arc[j].y);
        into[j] = giant[j] ? mst_key(weight, e[j]) : MST_NO_KEY;
        mst_hold(&view->store, other[j] != mine[j], make_uint4(mine[j], other[j], weight, e[j]));
    }
    mst_make_room(a, &view->store, &view->to);
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
    mst_make_room(a, &view->store, &view->to);
}

/* Rows of a warp's 32 vertices that are no hubs, laid end to end. `least`: of each into the giant component. */
ORDO_DEV void mst_examine_tile(const mst_args *a, mst_view *view, ordo_u64 *least, ordo_u32 tile)
{
    const ordo_u32 lane = threadIdx.x % 32, u = tile * 32 + lane;
    const bool wanted = u < a->n && !mst_is_inner(a, u);
    const ordo_u32 label = wanted ? __ldg(a->parent + u) : view->giant;
    const ordo_u32 begin = wanted ? mst_row(a, u) : 0, degree = wanted ? mst_row(a, u + 1) - begin : 0;
    ordo_u32 sum = mst_is_hub(degree) ? 0 : degree;
    const ordo_u32 mine = sum;
    for (int step = 1; step < 32; step *= 2) {
        const ordo_u32 before = __shfl_up_sync(0xffffffffu, sum, (unsigned)step);
        sum += (int)lane >= step ? before : 0;
    }
    const ordo_u32 total = __shfl_sync(0xffffffffu, sum, 31), offset = begin - (sum - mine);
    if (!total)
        return;
    least[lane] = MST_NO_KEY;
    for (ordo_u32 at = 0; at < total; at += 32 * MST_AT_ONCE) {
        bool has[MST_AT_ONCE];
        ordo_u32 tail[MST_AT_ONCE], part[MST_AT_ONCE], e[MST_AT_ONCE];
        ordo_u64 into[MST_AT_ONCE];
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) {
            const ordo_u32 i = at + 32 * j + lane, who = mst_rank(sum, i);
            has[j] = i < total;
            tail[j] = tile * 32 + who;
            part[j] = __shfl_sync(0xffffffffu, label, (int)who);
            e[j] = __shfl_sync(0xffffffffu, offset, (int)who) + i;
        }
        mst_examine(a, view, has, tail, part, e, into);
#pragma unroll
        for (int j = 0; j < MST_AT_ONCE; j++) { /* the least of a row's lanes, which are neighbours, to the first */
            if (!__any_sync(0xffffffffu, into[j] != MST_NO_KEY))
                continue;
#pragma unroll
            for (ordo_u32 step = 1; step < 32; step *= 2) {
                const ordo_u64 key = __shfl_down_sync(0xffffffffu, into[j], step);
                const ordo_u32 row = __shfl_down_sync(0xffffffffu, tail[j], step);
                if (lane + step < 32 && row == tail[j])
                    mst_keep_least(&into[j], key);
            }
            const ordo_u32 before = __shfl_up_sync(0xffffffffu, tail[j], 1);
            __syncwarp();
            if ((lane == 0 || before != tail[j]) && into[j] < least[tail[j] % 32])
                least[tail[j] % 32] = into[j];
        }
    }
    __syncwarp();
    mst_hold_into(a, view, u, label, least[lane]);
    __syncwarp();
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
            e[j] = at + 32 * j + threadIdx.x % 32;
            has[j] = e[j] < end;
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
    __shared__ ordo_u64 least[MST_WARPS][32];
    __shared__ ordo_u32 places[MST_WARPS];
    const mst_words *w = a.words;
    if (!w->filtered || mst_halted(&a))
        return;
    const ordo_u32 warp = threadIdx.x / 32, step = gridDim.x * MST_WARPS, first = blockIdx.x * MST_WARPS + warp;
    const ordo_u32 last = w->level, tiles = (a.n + 31) / 32;
    mst_view view = {{held[warp], MST_HELD, 0},
                     {a.list[0], &a.words->edges[last + 1], w->parts[last + 1], MST_NEAR, true},
                     w->giant};
    for (ordo_u32 group = first; group * MST_TILES < tiles; group += step) {
        const ordo_u32 mine = group * MST_TILES + threadIdx.x % 32;
        const bool open = threadIdx.x % 32 < MST_TILES && mine < tiles && __ldg(a.inner + mine) != 0xffffffffu;
        for (ordo_u32 rest = __ballot_sync(0xffffffffu, open); rest; rest &= rest - 1)
            mst_examine_tile(&a, &view, least[warp], group * MST_TILES + (ordo_u32)__ffs((int)rest) - 1);
    }
    for (ordo_u32 i = first; i < w->hubs; i += step)
        mst_examine_piece(&a, &view, a.hub[i]);
    mst_write(&a, &view.store, &view.to, mst_reserve_all(places, &view.store, view.to.count));
}
