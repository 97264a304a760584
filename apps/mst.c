/* mst.c -- the app of minimum spanning forests: Boruvka's algorithm, one run of operators/mst.h for each round.
 *
 * Problem: find the edges of least total weight, directions ignored, that connect all vertices which can be connected.
 * Ties go to the smaller id, so the forest is unique.
 *
 * Method (Boruvka 1926). In a round, the run finds the lightest edge that leaves each component. Then every component
 * joins the component at the other end of its edge; if two components choose the same edge, the smaller one becomes the
 * root. Chains of joins are shortened by path halving; roots get new, consecutive numbers; and edges whose ends have
 * the same number are removed.
 *
 * Three techniques avoid most of the work. The first round runs on the rows of a symmetric graph without a list: every
 * vertex is a component, so no look-ups are needed, and a list is made only of the edges that are left afterwards.
 * (Where no scheduler, sync or setting is named that round is a loop over rows.) If there are many edges for each
 * vertex, the lightest come first (Osipov, Sanders and Singler, "The filter-Kruskal minimum spanning tree algorithm",
 * ALENEX 2009): when their forest is complete, most heavier edges lie within its trees, nearly all within the largest
 * one. And rows are looked at once for a list: the edges that are counted are kept (in the spare list), and moved to
 * their places when all are counted.
 *
 * The edges of a list are in ascending order of ids, in every round, so their indices break ties as ids do.
 *
 * The result of a run is checked before it is used as an index. A component's best edge must be one of its own edges,
 * and must not be lighter than the best edge of the component at its other end, to which it belongs as well. So along a
 * chain of joins edges only get lighter, and a cycle of joins could only consist of one edge, between two components,
 * of which the smaller one is the root. Hence there is no cycle, chains end, and each chosen edge reduces the number of
 * components by one, whatever the run has done.
 *
 * On a GPU a native program (mst.cu) does all of that in one run, and returns a bit for each edge of the forest. If a
 * scheduler or a sync is named, the runs are made on the GPU, while joining and making lists stay on the CPU: so that
 * the two can be compared. If weights are not u32, these runs are on lists of ordered words from the first round on.
 */
#include "apps/common.h"
#include "apps/mst_session.h"
#include "apps/ordered_weights.h"
#include "apps/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/scheduler/scheduler.h>

#include "framework/graph/graph.h"

#define ORDO_TEMPLATE "operators/mst.h"
#include <ordo/operator/each_weight.h>

enum {
    PIECE = 64,    /* arcs of a list in one row */
    MANY = 4,      /* if there are more edges for each vertex, the lightest come first */
    SAMPLE = 1024, /* size of the sample of weights that determines which edges are light */
    ROWS = 256,    /* rows in a block, when lists are made from rows */
    KEPT = 1024,   /* edges of such a block that are kept together */
    BLOCK = 8192   /* edges of a list in a block */
};

#define NO_EDGE (~(ordo_u64)0)
#define NO_CHUNK 0xffffffffu
#define NOT_KEPT 0xfffffffeu

static const ordo_operator *op_for(const ordo_graph *g)
{
    return ordo_operator_for("mst", g);
}

/* The weight of edge e, mapped to a word so that words compare as weights do. */
static ordo_u32 ordered_weight(const ordo_csr *g, ordo_eid e)
{
    ordo_u32 word = (ordo_u32)ordo_weight_word(g, e);
    ordo_f32 real;
    if (g->weight_type == ORDO_I32)
        return mst_order_i32((ordo_i32)word);
    if (g->weight_type != ORDO_F32)
        return mst_order_u32(word);
    memcpy(&real, &word, sizeof real);
    return mst_order_f32(real);
}

/* An edge in a list. */
typedef struct arc {
    ordo_u32 end, weight; /* the component of an end; the ordered weight, stored for each of the two arcs */
} arc;
typedef struct arc_pair {
    arc side[2];
} arc_pair;

/* Edges between different components. As rows of a graph these are arcs 2 i and 2 i + 1, in pieces. */
typedef struct edge_list {
    ordo_u64 count, capacity;
    arc_pair *arc; /* [capacity] */
    ordo_u32 *id;  /* [capacity] index in the rows of the graph */
} edge_list;

/* Edges of a block of rows, kept in the spare list while they are counted, in ascending order. */
typedef struct kept_chunk {
    ordo_u64 at;
    ordo_u32 count, next; /* the chunk with the edges behind these, or NO_CHUNK */
} kept_chunk;

typedef struct search {
    const ordo_graph *given; /* the caller's */
    const ordo_graph *graph; /* the same, or `ordered` */
    const ordo_csr *g;       /* rows of `graph` */
    ordo_graph *ordered;     /* with words in the place of weights of 8 bytes, or NULL */
    double ordering;         /* seconds that it took to make it */
    bool symmetric; /* symmetric: each edge is stored in two directions; the one out of the smaller end counts */
    bool on_gpu;    /* the runs are */
    bool direct;    /* the first round is lightest_range, not a run */
    ordo_runs runs;

    ordo_u64 components;      /* present number; components are numbered from 0 */
    ordo_u32 *component;      /* [n] component of each vertex, used when lists are made from rows */
    ordo_u64 *best;           /* [n] cells, by component */
    ordo_u32 *parent, *label; /* [n] the component that each one joins; its number in the next round */
    ordo_u8 *has_some;        /* [n] whether a row has edges for the list: few have heavy ones */
    ordo_u64 *chosen;         /* [m / 64 + 1] bits: edges of the forest */
    edge_list list, spare;
    ordo_eid *row; /* [row_capacity] rows of the list as a graph */
    ordo_u64 row_capacity;
    ordo_u64 kept, kept_chunks; /* atomic: places of the spare list and chunks that are taken */
    kept_chunk *chunk;          /* [chunk_capacity] */
    ordo_u64 chunk_capacity;
    ordo_u32 *first_chunk; /* [blocks of rows] NO_CHUNK: it has no edges; NOT_KEPT: there was no place for all */
    ordo_u32 giant;        /* the component of most vertices, while `inside` tells them */
    ordo_u64 *inside;      /* [(n + 63) / 64] bits, or NULL */
    ordo_u64 *counts;      /* [blocks + 1] number of edges of each block, then its first place */
    ordo_u32 low, high;    /* bounds of the ordered weights in a list */
    ordo_u64 useful;       /* atomic: of a direct first round: candidates that improved a cell */
    ordo_u64 odd;          /* atomic: a vertex whose lightest edge has no reverse, or NO_EDGE */
    ordo_u64 bad;          /* atomic: a component whose cell cannot be its lightest edge, or NO_EDGE */
    bool unsorted;         /* atomic */
} search;

/* Replaces the counts of blocks by their first places; returns the sum. A block has `grain` elements; little work is
 * one block. */
static ordo_u64 counts_to_places(ordo_u64 *counts, ordo_u64 of, ordo_u64 grain)
{
    ordo_u64 blocks = of / grain + 1, sum = 0;
    for (ordo_u64 b = 0; b < blocks; b++) {
        ordo_u64 count = counts[b];
        counts[b] = sum;
        sum += count;
    }
    counts[blocks] = sum;
    return sum;
}

static ordo_status for_all(const search *s, ordo_u64 count, ordo_u64 grain, ordo_range_fn *fn)
{
    memset(s->counts, 0, (count / grain + 2) * sizeof *s->counts); /* little work is one block; other counts stay 0 */
    return ordo_for_ranges(s->runs.options.threads, count, grain, fn, (void *)(size_t)s);
}

/* ---- the runs ---- */

static void reset_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const search *s = arg;
    for (ordo_u64 c = begin; c < end; c++)
        s->best[c] = NO_EDGE;
}

static ordo_status find_best(search *s, const ordo_graph *rows, bool listed, ordo_u64 items)
{
    mst_state state = {.form = listed ? MST_LIST : MST_ROWS};
    ordo_work work = {.op = listed ? ordo_operator_find("mst_u32") : op_for(rows),
                      .graph = rows,
                      .cells = s->best,
                      .state = &state,
                      .num_items = items,
                      .targets = s->components};
    ordo_status status = ordo_for_ranges(s->runs.options.threads, s->components, BLOCK, reset_range, s);
    if (status)
        return status;
    if (ordo_runs_late(&s->runs))
        return ordo_fail(ORDO_ERR_TIMEOUT, "mst under '%s' did not end within %g s: %llu components, %llu edges left",
                         s->runs.options.scheduler, s->runs.options.timeout, (unsigned long long)s->components,
                         (unsigned long long)s->list.count);
    return ordo_runs_one(&s->runs, &work);
}

/* ---- joining ---- */

static void choose(const search *s, ordo_eid id)
{
    __atomic_fetch_or(&s->chosen[id / 64], (ordo_u64)1 << (id % 64), __ATOMIC_RELAXED);
}

static void join_listed_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *s = arg;
    for (ordo_u64 c = begin; c < end; c++) {
        ordo_u64 key = s->best[c];
        s->parent[c] = (ordo_u32)c;
        if (key == NO_EDGE)
            continue;
        ordo_u32 at = (ordo_u32)key;
        const bool listed = at < s->list.count && key >> 32 == s->list.arc[at].side[0].weight;
        const ordo_u32 low = listed ? s->list.arc[at].side[0].end : 0, high = listed ? s->list.arc[at].side[1].end : 0;
        ordo_u32 other = low ^ high ^ (ordo_u32)c;
        if (!listed || (low != c && high != c) || s->best[other] > key) {
            ordo_keep_least_u64(&s->bad, c);
            continue;
        }
        if (s->best[other] == key && c < other)
            continue; /* the other component joins this one */
        s->parent[c] = other;
        choose(s, s->list.id[at]);
    }
}

/* The first edge low -> high of that weight, or m. Rows are sorted. */
static ordo_eid find_edge(const ordo_csr *g, ordo_vid low, ordo_vid high, ordo_u32 weight)
{
    for (ordo_eid e = ordo_csr_find(g, low, high); e < g->row[low + 1] && g->head[e * g->stride] == high; e++)
        if (ordered_weight(g, e) == weight)
            return e;
    return g->m;
}

/* Prefetches the cell of the other end of c's edge, and the bounds of the row in which join_vertices looks for the
 * edge's id. */
static void prefetch_bounds(const search *s, ordo_u64 c)
{
    const ordo_vid other = (ordo_vid)s->best[c];
    if (other < s->g->n) {
        __builtin_prefetch(&s->best[other]);
        __builtin_prefetch(&s->g->row[other < c ? other : c]);
    }
}
/* Prefetches that row, or the middle of a long one, where the search begins. */
static void prefetch_row(const search *s, ordo_u64 c)
{
    enum { MOST = 8 }; /* lines */
    const ordo_csr *g = s->g;
    const ordo_vid other = (ordo_vid)s->best[c];
    const ordo_u64 low = other < c ? other : c;
    if (other >= g->n)
        return;
    const ordo_u64 line = 64 / sizeof *g->head / g->stride, lines = (g->row[low + 1] - g->row[low]) / line + 1;
    for (ordo_u64 i = 0; i < lines && i < MOST; i++)
        __builtin_prefetch(
            &g->head[(lines <= MOST ? g->row[low] + i * line : (g->row[low] + g->row[low + 1]) / 2) * g->stride]);
}

static void join_vertices(search *s, ordo_u64 begin, ordo_u64 end)
{
    for (ordo_u64 c = begin; c < end; c++) {
        ordo_u64 key = s->best[c];
        s->parent[c] = (ordo_u32)c;
        if (key == NO_EDGE)
            continue;
        ordo_vid other = (ordo_vid)key;
        ordo_u32 weight = (ordo_u32)(key >> 32);
        if (other >= s->g->n || other == c) {
            ordo_keep_least_u64(&s->bad, c);
            continue;
        }
        const ordo_u64 reverse = (key & ~(ordo_u64)0xffffffff) | c; /* the key that the other end has for this edge */
        if (s->best[other] == reverse && c < other)
            continue;
        if (s->best[other] > reverse) {
            ordo_keep_least_u64(find_edge(s->g, other, (ordo_vid)c, weight) == s->g->m ? &s->odd : &s->bad, c);
            continue;
        }
        ordo_eid id =
            c < other ? find_edge(s->g, (ordo_vid)c, other, weight) : find_edge(s->g, other, (ordo_vid)c, weight);
        if (id == s->g->m) {
            ordo_keep_least_u64(&s->odd, c);
            continue;
        }
        s->parent[c] = other;
        choose(s, id);
    }
}

static void join_vertices_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    enum { AHEAD = 16 };
    search *s = arg;
    for (ordo_u64 at = begin; at < end; at += AHEAD) {
        const ordo_u64 last = at + AHEAD < end ? at + AHEAD : end;
        for (ordo_u64 c = at; c < last; c++)
            prefetch_bounds(s, c);
        for (ordo_u64 c = at; c < last; c++)
            prefetch_row(s, c);
        join_vertices(s, at, last);
    }
}

static ordo_u32 parent_of(const search *s, ordo_u32 c)
{
    return __atomic_load_n(&s->parent[c], __ATOMIC_RELAXED);
}

/* Finds roots, with path halving: a parent is only replaced by an ancestor, so relaxed order is enough. Without halving
 * a path of ascending weights would take quadratic time. A slow member may overwrite a root, stored by another member,
 * with a lower ancestor: so afterwards a parent is usually the root, or else close to it. */
static void find_roots(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const search *s = arg;
    ordo_u64 roots = 0;
    for (ordo_u64 c = begin; c < end; c++) {
        ordo_u32 at = (ordo_u32)c;
        for (ordo_u32 up = parent_of(s, at); up != at; up = parent_of(s, at)) {
            ordo_u32 above = parent_of(s, up);
            __atomic_store_n(&s->parent[at], above, __ATOMIC_RELAXED);
            at = above;
        }
        __atomic_store_n(&s->parent[c], at, __ATOMIC_RELAXED);
        roots += at == c;
    }
    s->counts[begin / BLOCK] = roots;
}

static void label_roots_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const search *s = arg;
    ordo_u64 next = s->counts[begin / BLOCK];
    for (ordo_u64 c = begin; c < end; c++)
        if (s->parent[c] == c)
            s->label[c] = (ordo_u32)next++;
}

/* Parents are followed up to the root: find_roots may have left a lower ancestor. */
static void label_others_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const search *s = arg;
    for (ordo_u64 c = begin; c < end; c++) {
        ordo_u32 root = (ordo_u32)c;
        while (s->parent[root] != root)
            root = s->parent[root];
        if (root != c)
            s->label[c] = s->label[root];
    }
}

/* After a run: joins components, and numbers those that remain. */
static ordo_status join(search *s, ordo_range_fn *fn)
{
    int threads = s->runs.options.threads;
    ordo_status status = ordo_for_ranges(threads, s->components, BLOCK, fn, s);
    if (!status && s->odd != NO_EDGE)
        return ordo_fail(ORDO_ERR_INPUT,
                         "edge %llu -> %u has no reverse of the same weight, in a graph said to be symmetric",
                         (unsigned long long)s->odd, (ordo_vid)s->best[s->odd]);
    if (!status && s->bad != NO_EDGE)
        return ordo_fail(ORDO_ERR_INTERNAL,
                         "mst: a run under scheduler '%s' has left component %llu of %llu an edge that is not its "
                         "lightest",
                         s->runs.options.scheduler, (unsigned long long)s->bad, (unsigned long long)s->components);
    if (!status)
        status = for_all(s, s->components, BLOCK, find_roots);
    if (status)
        return status;
    ordo_u64 left = counts_to_places(s->counts, s->components, BLOCK);
    status = ordo_for_ranges(threads, s->components, BLOCK, label_roots_range, s);
    if (!status)
        status = ordo_for_ranges(threads, s->components, BLOCK, label_others_range, s);
    s->components = left;
    return status;
}

static void compose_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const search *s = arg;
    for (ordo_u64 v = begin; v < end; v++)
        s->component[v] = s->label[s->component[v]];
}

/* ---- lists ---- */

static ordo_status list_capacity(edge_list *list, ordo_u64 count)
{
    list->count = count;
    if (list->arc && count <= list->capacity)
        return ORDO_OK;
    ordo_free(list->arc);
    ordo_free(list->id);
    list->arc = ordo_alloc(count, sizeof *list->arc);
    list->id = ordo_alloc(count, sizeof *list->id);
    list->capacity = count;
    return list->arc && list->id ? ORDO_OK : ORDO_ERR_MEMORY;
}

static arc_pair arcs_of(ordo_u32 a, ordo_u32 b, ordo_u32 weight)
{
    return (arc_pair){{{a, weight}, {b, weight}}};
}

static void put_edge(edge_list *list, ordo_u64 at, arc_pair arcs, ordo_u32 id)
{
    list->arc[at] = arcs;
    list->id[at] = id;
}

static void swap_lists(search *s)
{
    const edge_list list = s->list;
    s->list = s->spare;
    s->spare = list;
}

/* A buffer for edges of a block of rows. It is filled from its end, since the block is scanned backwards. */
typedef struct keeping {
    ordo_u32 count, chunk; /* edges in the buffer; the chunk that was moved last, whose edges follow these */
    ordo_u32 id[KEPT];
    arc_pair arc[KEPT];
} keeping;

/* Moves the buffer's edges to the spare list, as a chunk. If the list is full, the block is NOT_KEPT: put_rows_range
 * scans it again. */
static void keep_chunk(search *s, keeping *k)
{
    if (k->chunk == NOT_KEPT || !k->count)
        return;
    const ordo_u64 at = __atomic_fetch_add(&s->kept, k->count, __ATOMIC_RELAXED);
    const ordo_u64 chunk = __atomic_fetch_add(&s->kept_chunks, 1, __ATOMIC_RELAXED);
    if (at + k->count > s->spare.capacity || chunk >= s->chunk_capacity) {
        k->chunk = NOT_KEPT;
        return;
    }
    memcpy(s->spare.arc + at, k->arc + KEPT - k->count, k->count * sizeof *k->arc);
    memcpy(s->spare.id + at, k->id + KEPT - k->count, k->count * sizeof *k->id);
    s->chunk[chunk] = (kept_chunk){at, k->count, k->chunk};
    k->chunk = (ordo_u32)chunk;
    k->count = 0;
}

/* Finds the edges of rows that join different components and whose weight is between `low` and `high`. Counts and keeps
 * them or, with `put`, puts them into the list. Goes backwards: in sorted rows of a symmetric graph, the arcs out of
 * the smaller end are at the end of a row. */
static inline void scan_rows(search *s, ordo_u64 begin, ordo_u64 end, keeping *keep, const bool put)
{
    const ordo_csr g = *s->g; /* a copy, which no store to the list can change */
    const ordo_u32 *component = s->component, low = s->low, high = s->high;
    const ordo_u64 *inside = s->inside;
    const bool symmetric = s->symmetric, sorted = !s->unsorted;
    ordo_u64 *counts = &s->counts[begin / ROWS], at = put ? counts[1] : 0;
    for (ordo_u64 u = end; u-- > begin;) {
        const ordo_u32 mine = component[u];
        const bool in_giant = inside && mine == s->giant;
        const ordo_u64 before = at;
        if (put && !s->has_some[u])
            continue;
        for (ordo_eid e = g.row[u + 1]; e-- > g.row[u];) {
            ordo_vid v = g.head[e * g.stride];
            if (symmetric && sorted && v <= u)
                break;
            if (symmetric ? v <= u : v == u)
                continue;
            ordo_u32 weight = ordered_weight(&g, e);
            if (weight < low || weight > high)
                continue;
            if (in_giant ? inside[v / 64] >> (v % 64) & 1 : component[v] == mine)
                continue;
            if (put) {
                put_edge(&s->list, --at, arcs_of(mine, component[v], weight), (ordo_u32)e);
                continue;
            }
            at++;
            if (keep->count == KEPT)
                keep_chunk(s, keep);
            if (keep->chunk == NOT_KEPT)
                continue;
            const ordo_u32 place = KEPT - ++keep->count;
            keep->arc[place] = arcs_of(mine, component[v], weight);
            keep->id[place] = (ordo_u32)e;
        }
        if (!put)
            s->has_some[u] = at > before;
    }
    if (!put)
        counts[0] = at;
}

static void count_rows_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *s = arg;
    keeping keep;
    keep.count = 0;
    keep.chunk = NO_CHUNK;
    scan_rows(s, begin, end, &keep, false);
    keep_chunk(s, &keep);
    s->first_chunk[begin / ROWS] = keep.chunk;
}

static void put_rows_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *s = arg;
    const ordo_u64 block = begin / ROWS;
    ordo_u64 at = s->counts[block];
    if (s->first_chunk[block] == NOT_KEPT)
        scan_rows(s, begin, end, NULL, true);
    else
        for (ordo_u32 c = s->first_chunk[block]; c != NO_CHUNK; c = s->chunk[c].next) {
            const kept_chunk *chunk = &s->chunk[c];
            memcpy(s->list.arc + at, s->spare.arc + chunk->at, chunk->count * sizeof *s->list.arc);
            memcpy(s->list.id + at, s->spare.id + chunk->at, chunk->count * sizeof *s->list.id);
            at += chunk->count;
        }
}

static ordo_status list_rows(search *s)
{
    ordo_u64 n = s->g->n;
    s->kept = s->kept_chunks = 0;
    if (s->list.capacity > s->spare.capacity) /* the larger one keeps more */
        swap_lists(s);
    ordo_status status = for_all(s, n, ROWS, count_rows_range);
    if (!status)
        status = list_capacity(&s->list, counts_to_places(s->counts, n, ROWS));
    const ordo_new_block list[] = {{s->list.arc, s->list.count * sizeof *s->list.arc},
                                   {s->list.id, s->list.count * sizeof *s->list.id}};
    if (!status)
        status = ordo_prefault(s->runs.options.threads, list, 2);
    return status ? status : ordo_for_ranges(s->runs.options.threads, n, ROWS, put_rows_range, s);
}

/* Counts the edges of the list that still join different components, or puts them into the spare list. */
static inline void scan_list(search *s, ordo_u64 begin, ordo_u64 end, const bool put)
{
    const edge_list *from = &s->list;
    ordo_u64 *count = &s->counts[begin / BLOCK], at = put ? *count : 0;
    for (ordo_u64 i = begin; i < end; i++) {
        ordo_u32 a = s->label[from->arc[i].side[0].end], b = s->label[from->arc[i].side[1].end];
        if (a == b)
            continue;
        if (put)
            put_edge(&s->spare, at, arcs_of(a, b, from->arc[i].side[0].weight), from->id[i]);
        at++;
    }
    if (!put)
        *count = at;
}

static void count_list_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    scan_list(arg, begin, end, false);
}

static void put_list_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    scan_list(arg, begin, end, true);
}

static ordo_status filter_list(search *s)
{
    ordo_u64 count = s->list.count;
    ordo_status status = for_all(s, count, BLOCK, count_list_range);
    if (!status)
        status = list_capacity(&s->spare, counts_to_places(s->counts, count, BLOCK));
    if (!status)
        status = ordo_for_ranges(s->runs.options.threads, count, BLOCK, put_list_range, s);
    swap_lists(s);
    return status;
}

/* ---- rounds ---- */

static void rows_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const search *s = arg;
    const ordo_u64 arcs = 2 * s->list.count;
    for (ordo_u64 r = begin; r < end; r++)
        s->row[r] = r * PIECE < arcs ? r * PIECE : arcs;
}

/* A run on the list as a graph. Heads are components, so there are at least as many rows; the last ones may be empty.
 */
static ordo_status run_on_list(search *s)
{
    const ordo_u64 arcs = 2 * s->list.count, pieces = (arcs + PIECE - 1) / PIECE;
    const ordo_u64 rows = pieces > s->components ? pieces : s->components;
    if (rows + 1 > s->row_capacity) {
        ordo_free(s->row);
        s->row_capacity = rows + 1;
        s->row = ordo_alloc(s->row_capacity, sizeof *s->row);
        if (!s->row)
            return ORDO_ERR_MEMORY;
    }
    ordo_status status = ordo_for_ranges(s->runs.options.threads, rows + 1, BLOCK, rows_range, s);
    if (status)
        return status;
    ordo_csr csr = {.n = (ordo_vid)rows,
                    .m = arcs,
                    .row = s->row,
                    .head = &s->list.arc[0].side[0].end,
                    .weight = &s->list.arc[0].side[0].weight,
                    .stride = 2,
                    .weight_type = ORDO_U32};
    ordo_graph *graph;
    status = ordo_graph_over_own(&csr, false, arcs < PIECE ? arcs : PIECE, &graph);
    if (status)
        return status;
    status = find_best(s, graph, true, pieces);
    ordo_graph_free(graph);
    return status;
}

/* Rounds until no edge of the list joins two components. At least one round is made, so that statistics are filled. */
static ordo_status rounds(search *s, bool last)
{
    ordo_status status = ORDO_OK;
    while (!status && (s->list.count || (s->runs.stats && !s->runs.ran))) {
        const ordo_u64 before = s->components;
        status = run_on_list(s);
        if (!status)
            status = join(s, join_listed_range);
        if (!status && s->list.count && s->components == before)
            status =
                ordo_fail(ORDO_ERR_INTERNAL,
                          "mst: a run under scheduler '%s' has left all of %llu components without an edge, of "
                          "%llu between them",
                          s->runs.options.scheduler, (unsigned long long)before, (unsigned long long)s->list.count);
        if (!status && !last)
            status = ordo_for_ranges(s->runs.options.threads, s->g->n, BLOCK, compose_range, s);
        if (!status)
            status = filter_list(s);
    }
    return status;
}

/* ---- which edges come first ---- */

static int by_word(const void *a, const void *b)
{
    ordo_u32 x = *(const ordo_u32 *)a, y = *(const ordo_u32 *)b;
    return (x > y) - (x < y);
}

/* The number of light edges: 1.5 times the number of vertices that have edges, which a sample estimates. With fewer
 * light edges more trees are left, and more heavy edges lie between them; with more, the first list is longer (lab
 * 0086). */
static ordo_u64 light_edges(const ordo_csr *g)
{
    ordo_u64 with_edges = 0;
    for (ordo_u64 i = 0; i < SAMPLE; i++) {
        const ordo_u64 v = g->n * i / SAMPLE;
        with_edges += g->row[v] < g->row[v + 1];
    }
    return (ordo_u64)g->n * with_edges / SAMPLE * 3 / 2 + 1;
}

/* The ordered weight that about so many edges do not exceed; the largest word if all edges are to come at once. */
static ordo_u32 light_weight(const search *s, ordo_u64 count)
{
    const ordo_csr *g = s->g;
    ordo_u32 word[SAMPLE];
    ordo_u64 edges = s->symmetric ? g->m / 2 : g->m;
    if (edges <= MANY * (ordo_u64)g->n || edges < SAMPLE)
        return 0xffffffffu;
    for (ordo_u64 i = 0; i < SAMPLE; i++)
        word[i] = ordered_weight(g, g->m / SAMPLE * i);
    qsort(word, SAMPLE, sizeof *word, by_word);
    ordo_u32 light = word[SAMPLE * count / edges];
    return light == word[SAMPLE - 1] ? 0xffffffffu : light;
}

/* ---- the app ---- */

static void sorted_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *s = arg;
    const ordo_csr *g = s->g;
    bool unsorted = false;
    for (ordo_u64 u = begin; u < end; u++)
        for (ordo_eid e = g->row[u] + 1; e < g->row[u + 1]; e++)
            unsorted |= g->head[e * g->stride] < g->head[(e - 1) * g->stride];
    if (unsorted)
        __atomic_store_n(&s->unsorted, true, __ATOMIC_RELAXED);
}

/* Sets s->unsorted. The graph keeps the result, since rows do not change. */
static ordo_status find_order(search *s)
{
    ordo_graph *const g = (ordo_graph *)(size_t)s->graph; /* the member is no part of what callers see */
    const ordo_u32 known = __atomic_load_n(&g->order, __ATOMIC_RELAXED);
    s->unsorted = !s->symmetric || known == ORDO_ROWS_UNSORTED;
    if (!s->symmetric || known != ORDO_ORDER_UNKNOWN)
        return ORDO_OK;
    const ordo_status status = ordo_for_ranges(s->runs.options.threads, s->g->n, ORDO_GRAIN, sorted_range, s);
    if (!status)
        __atomic_store_n(&g->order, s->unsorted ? ORDO_ROWS_UNSORTED : ORDO_ROWS_SORTED, __ATOMIC_RELAXED);
    return status;
}

/* Finds what the run of the first round finds. In that round only the row of vertex c offers edges to cell c, so a loop
 * needs no atomic operation, and there is nothing to schedule. */
static void lightest_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *s = arg;
    const ordo_csr g = *s->g;
    ordo_u64 useful = 0;
    for (ordo_u64 c = begin; c < end; c++) {
        ordo_u64 best = NO_EDGE;
        for (ordo_eid e = g.row[c]; e < g.row[c + 1]; e++) {
            const ordo_vid other = g.head[e * g.stride];
            const ordo_u64 key = other == c ? NO_EDGE : (ordo_u64)ordered_weight(&g, e) << 32 | other;
            useful += key < best;
            best = key < best ? key : best;
        }
        s->best[c] = best;
    }
    __atomic_fetch_add(&s->useful, useful, __ATOMIC_RELAXED);
}

/* Adds a direct first round to the statistics of the runs. */
static void count_direct(const search *s)
{
    ordo_stats *const stats = s->runs.stats;
    stats->items += s->g->n;
    stats->edges += s->g->m;
    stats->useful += s->useful;
    stats->supersteps += s->g->n > 0;
}

/* The first round, in which every vertex is a component, on the rows of the graph; makes no list. */
static ordo_status first_round(search *s)
{
    int threads = s->runs.options.threads;
    ordo_u64 n = s->components = s->g->n;
    ordo_status status = find_order(s);
    if (status)
        return status;
    s->direct &= !s->unsorted;
    if (s->unsorted) /* or rows have one direction only: then a vertex does not have all of its edges */
        return ordo_fill_ids(threads, s->component, n);
    status = s->direct ? ordo_for_ranges(threads, n, ROWS, lightest_range, s) : find_best(s, s->graph, false, n);
    if (!status)
        status = join(s, join_vertices_range);
    ordo_u32 *swap = s->component;
    s->component = s->label;
    s->label = swap;
    return status;
}

/* Allocates the spare list for the edges that list_rows keeps: for `light` edges, or for all where none are heavy. */
static ordo_status make_spare(search *s, ordo_u64 light)
{
    const ordo_u64 n = s->g->n, edges = s->symmetric ? s->g->m / 2 : s->g->m;
    const ordo_u64 most = s->high == 0xffffffffu || light > edges ? edges : light;
    s->chunk_capacity = n / ROWS + 1 + most / KEPT;
    s->chunk = ordo_alloc(s->chunk_capacity, sizeof *s->chunk);
    s->first_chunk = ordo_alloc(n / ROWS + 1, sizeof *s->first_chunk);
    return s->chunk && s->first_chunk ? list_capacity(&s->spare, most) : ORDO_ERR_MEMORY;
}

static ordo_status prefault_arrays(const search *s)
{
    const ordo_u64 n = s->g->n, kept = s->spare.capacity;
    const ordo_new_block all[] = {{s->best, n * sizeof *s->best},           {s->component, n * sizeof *s->component},
                                  {s->parent, n * sizeof *s->parent},       {s->label, n * sizeof *s->label},
                                  {s->has_some, n * sizeof *s->has_some},   {s->spare.arc, kept * sizeof *s->spare.arc},
                                  {s->spare.id, kept * sizeof *s->spare.id}};
    return ordo_prefault(s->runs.options.threads, all, sizeof all / sizeof *all);
}

static void inside_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const search *s = arg;
    for (ordo_u64 word = begin; word < end; word++) {
        const ordo_u64 base = word * 64, here = s->g->n - base < 64 ? s->g->n - base : 64;
        ordo_u64 bits = 0;
        for (ordo_u64 i = 0; i < here; i++)
            bits |= (ordo_u64)(s->component[base + i] == s->giant) << i;
        s->inside[word] = bits;
    }
}

/* Finds the giant component, if there is one with half of the vertices of a sample, and sets `inside`. Most heavy edges
 * lie within it. Bits of all vertices stay in the cache, where their components do not. */
static ordo_status find_giant(search *s)
{
    ordo_u32 component[SAMPLE];
    const ordo_u64 n = s->g->n, words = (n + 63) / 64;
    for (ordo_u64 i = 0; i < SAMPLE; i++)
        component[i] = s->component[n * i / SAMPLE];
    qsort(component, SAMPLE, sizeof *component, by_word);
    s->giant = component[SAMPLE / 2];
    ordo_u64 of_giant = 0;
    for (ordo_u64 i = 0; i < SAMPLE; i++)
        of_giant += component[i] == s->giant;
    if (of_giant < SAMPLE / 2)
        return ORDO_OK;
    s->inside = ordo_alloc(words, sizeof *s->inside);
    return s->inside ? ordo_for_ranges(s->runs.options.threads, words, BLOCK / 64, inside_range, s) : ORDO_ERR_MEMORY;
}

static ordo_status find_forest(search *s)
{
    const ordo_u64 light = s->g->n ? light_edges(s->g) : 0;
    s->low = 0;
    s->high = light_weight(s, light);
    ordo_status status = make_spare(s, light);
    if (!status)
        status = prefault_arrays(s);
    if (!status)
        status = first_round(s);
    for (bool last = false; !status && !last; s->low = s->high + 1, s->high = 0xffffffffu) {
        last = s->high == 0xffffffffu;
        status = list_rows(s);
        if (!status)
            status = rounds(s, last);
        if (!status && !last)
            status = find_giant(s);
    }
    return status;
}

/* ---- the answer ---- */

/* Reads the chosen edges, in blocks of BLOCK words of bits, and then their weights, in blocks of BLOCK edges. */
typedef struct reading {
    const search *s;
    const ordo_csr *g; /* the caller's rows */
    ordo_u64 *counts;  /* [blocks + 1] edges of each block, then its first place */
    ordo_eid *edge;
    __int128 *sums; /* [blocks] of whole weights */
} reading;

static void count_chosen_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const reading *r = arg;
    ordo_u64 edges = 0;
    for (ordo_u64 i = begin; i < end; i++)
        edges += (ordo_u64)__builtin_popcountll(r->s->chosen[i]);
    r->counts[begin / BLOCK] = edges;
}

static void put_chosen_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const reading *r = arg;
    ordo_u64 at = r->counts[begin / BLOCK];
    for (ordo_u64 i = begin; i < end; i++)
        for (ordo_u64 bits = r->s->chosen[i]; bits; bits &= bits - 1)
            r->edge[at++] = i * 64 + (ordo_u64)__builtin_ctzll(bits);
}

static void add_weights_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const reading *r = arg;
    const ordo_type type = r->g->weight_type == ORDO_NONE ? ORDO_U32 : r->g->weight_type;
    __int128 sum = 0;
    for (ordo_u64 i = begin; i < end; i++)
        sum += ordo_word_whole(type, ordo_weight_word(r->g, r->edge[i]));
    r->sums[begin / BLOCK] = sum;
}

/* The caller's array can hold the edges that join n vertices to `components` components. The number of edges that a GPU
 * has chosen is checked before they are written there. */
static ordo_status check_count(const search *s, ordo_u64 components, ordo_u64 edges)
{
    const ordo_csr *g = s->g;
    const ordo_u64 beyond = s->chosen[g->m / 64] >> g->m % 64;
    if (beyond || (components ? edges != g->n - components : edges > (g->n ? g->n - 1 : 0)))
        return ordo_fail(ORDO_ERR_INTERNAL, "mst under scheduler '%s': a forest of %llu edges%s on %u vertices",
                         s->runs.options.scheduler, (unsigned long long)edges, beyond ? ", some of them none," : "",
                         g->n);
    return ORDO_OK;
}

static ordo_status set_weight(ordo_forest *f, __int128 whole, double real)
{
    const bool fits = f->type == ORDO_F64 ? isfinite(real) : f->type != ORDO_I64 || whole == (ordo_i64)whole;
    if (ordo_is_real(f->type))
        f->weight.f64 = real;
    else
        f->weight.u32 = (ordo_u64)whole; /* i32 and i64 likewise */
    return fits ? ORDO_OK
                : ordo_fail(ORDO_ERR_INPUT, "the weights of the forest's %llu edges add up to more than %s holds",
                            (unsigned long long)f->edges, ordo_type_text(f->type));
}

/* Adds up the weights of the edges. Those that are reals in one thread, since their sum depends on the order. */
static ordo_status add_weights(reading *r, ordo_forest *f)
{
    double real = 0;
    __int128 whole = 0;
    ordo_status status = ORDO_OK;
    if (ordo_is_real(f->type)) {
        for (ordo_u64 i = 0; i < f->edges; i++)
            real += ordo_word_value(f->type, ordo_weight_word(r->g, r->edge[i]));
    } else {
        status = ordo_for_ranges(r->s->runs.options.threads, f->edges, BLOCK, add_weights_range, r);
        for (ordo_u64 b = 0; b < (f->edges + BLOCK - 1) / BLOCK && !status; b++)
            whole += r->sums[b];
    }
    return status ? status : set_weight(f, whole, real);
}

/* Writes the answer. `components`: trees of the forest; 0: not known. */
static ordo_status read_out(const search *s, ordo_u64 components, ordo_eid *edge, ordo_forest *forest)
{
    const ordo_csr *g = ordo_graph_out(s->given);
    const ordo_u64 words = g->m / 64 + 1;
    const int threads = s->runs.options.threads;
    ordo_forest f = {.type = g->weight_type == ORDO_NONE ? ORDO_U32 : g->weight_type};
    reading r = {.s = s, .g = g, .edge = edge};
    r.counts = ordo_alloc_zero(words / BLOCK + 2, sizeof *r.counts);
    r.sums = ordo_alloc(g->n / BLOCK + 1, sizeof *r.sums);
    ordo_status status = r.counts && r.sums ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status)
        status = ordo_for_ranges(threads, words, BLOCK, count_chosen_range, &r);
    if (!status) {
        f.edges = counts_to_places(r.counts, words, BLOCK);
        status = check_count(s, components, f.edges);
    }
    if (!status)
        status = ordo_for_ranges(threads, words, BLOCK, put_chosen_range, &r);
    f.trees = g->n - f.edges;
    if (!status)
        status = add_weights(&r, &f);
    if (!status)
        *forest = f;
    ordo_free(r.counts);
    ordo_free(r.sums);
    return status;
}

static ordo_status check_input(const ordo_graph *graph)
{
    const ordo_csr *g = ordo_graph_out(graph);
    if (g->m >> 32)
        return ordo_fail(ORDO_ERR_INPUT, "the graph has %llu stored edges; mst takes fewer than 2^32",
                         (unsigned long long)g->m);
    if (g->weight_type != ORDO_F32 || !g->m)
        return ORDO_OK;
    ordo_graph_info info;
    ordo_graph_get_info(graph, &info);
    if (isfinite(info.weight_mean)) /* NaN and infinity always show in the mean */
        return ORDO_OK;
    for (ordo_vid u = 0; u < g->n; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            double w = ordo_word_value(ORDO_F32, ordo_weight_word(g, e));
            if (!isfinite(w))
                return ordo_fail(ORDO_ERR_INPUT, "edge %u -> %u has weight %g; spanning forests need finite weights", u,
                                 g->head[e * g->stride], isnan(w) ? (double)NAN : w);
        }
    return ORDO_OK;
}

/* Whether runs are on a graph whose weights are words in the order of those that it has: they have 8 bytes, or the runs
 * are on a GPU, where the operator is compiled for u32. */
static bool needs_words(const search *s)
{
    const ordo_type type = ordo_graph_out(s->given)->weight_type;
    return type != ORDO_NONE && (ordo_is_wide(type) || (s->on_gpu && type != ORDO_U32));
}

/* Checks the graph and, where it is needed, goes on with one with words. */
static ordo_status take_graph(search *s)
{
    ordo_status status = check_input(s->given);
    if (status || !needs_words(s))
        return status;
    const double before = ordo_clock();
    status = ordo_ordered_weights(s->given, s->runs.options.threads, "spanning forests", &s->ordered);
    if (status)
        return status;
    s->graph = s->ordered;
    s->g = ordo_graph_out(s->ordered);
    s->ordering = ordo_clock() - before;
    return ORDO_OK;
}

/* Adds the seconds that it took to make the graph to those of the statistics that a call leaves. */
static void count_ordering(const search *s, ordo_status status)
{
    if (s->runs.stats && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT))
        s->runs.stats->prepare_seconds += s->ordering;
}

/* ---- on a GPU ---- */

/* The native program: mst.cu on a GPU, whose cells are the words of `chosen`. */
static const ordo_program program = {
    .name = "mst", .summary = "all rounds of Boruvka's algorithm in one run", .on_cuda = true};

static ordo_status find_on_gpu(search *s, ordo_eid *edge, ordo_forest *forest)
{
    const bool any = ordo_is_auto(&s->runs.options);
    ordo_stats *stats = s->runs.stats;
    if (!ordo_is_native(&s->runs.options) && !strcmp(s->runs.options.device, "auto"))
        s->runs.options.device = "cuda"; /* its error is the reason that "auto" reports */
    s->runs.options.scheduler = ORDO_NATIVE;
    const ordo_options options = s->runs.options;
    ordo_status status = ordo_program_check(&program, &options);
    if (status)
        return status;
    if ((status = take_graph(s))) {
        ordo_runs_none(stats, status);
        return status;
    }
    s->chosen = ordo_alloc_zero(s->g->m / 64 + 1, sizeof *s->chosen);
    const ordo_work work = {
        .graph = s->graph, .cells = s->chosen, .num_items = s->g->n, .targets = 2 * (s->g->m / 64 + 1)};
    status = s->chosen ? ordo_program_run(&program, &work, &options, stats) : ORDO_ERR_MEMORY;
    if (s->chosen)
        count_ordering(s, status);
    const bool ran = !status;
    if (stats && !status && any)
        snprintf(stats->chosen, sizeof stats->chosen,
                 "mst's program for a GPU, ahead of runs of its operator, or level with them, wherever measured");
    if (!status)
        status = read_out(s, 0, edge, forest);
    if (ran && status && stats)
        ordo_stats_free(stats);
    ordo_free(s->chosen);
    ordo_graph_free(s->ordered);
    return status;
}

/* ---- by runs ---- */

/* Makes the checks of ordo_run. */
static ordo_status check_runs(const search *s)
{
    static const ordo_eid no_rows[1];
    mst_state state = {0};
    ordo_u64 none = 0;
    ordo_graph *empty = NULL; /* in the place of one with words, which is made after the checks */
    const bool words = needs_words(s);
    ordo_status status = words ? ordo_graph_borrow(&(ordo_csr){.row = no_rows, .stride = 1}, false, &empty) : ORDO_OK;
    if (status)
        return status;
    const ordo_operator *op = words ? ordo_operator_find("mst_u32") : op_for(s->graph);
    const ordo_work work = ordo_vertex_work(op, words ? empty : s->graph, &state, &none, NULL); /* cells are not read */
    status = ordo_run_check(&work, &s->runs.options);
    ordo_graph_free(empty);
    return status;
}

/* On the CPU, with lists of edges. */
static ordo_status find_by_lists(search *s)
{
    const ordo_u64 n = s->g->n, m = s->g->m;
    s->component = ordo_alloc(n, sizeof *s->component);
    s->best = ordo_alloc(n, sizeof *s->best);
    s->parent = ordo_alloc(n, sizeof *s->parent);
    s->label = ordo_alloc(n, sizeof *s->label);
    s->has_some = ordo_alloc(n, sizeof *s->has_some);
    s->counts = ordo_alloc((m > n ? m : n) / ROWS + 3, sizeof *s->counts);
    const ordo_status status =
        s->component && s->best && s->parent && s->label && s->has_some && s->counts ? find_forest(s) : ORDO_ERR_MEMORY;
    void *all[] = {s->component, s->best,      s->parent,   s->label, s->has_some, s->counts,      s->list.arc,
                   s->list.id,   s->spare.arc, s->spare.id, s->row,   s->chunk,    s->first_chunk, s->inside};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ordo_free(all[i]);
    return status;
}

static ordo_status find_by_runs(search *s, ordo_eid *edge, ordo_forest *forest)
{
    const ordo_operator *op = needs_words(s) ? ordo_operator_find("mst_u32") : op_for(s->graph);
    ordo_status status = check_runs(s);
    if (status)
        return status;
    if ((status = take_graph(s))) {
        ordo_runs_none(s->runs.stats, status);
        return status;
    }
    s->runs.start = ordo_clock();
    s->chosen = ordo_alloc_zero(s->g->m / 64 + 1, sizeof *s->chosen);
    if (!s->chosen)
        status = ORDO_ERR_MEMORY;
    else if (s->on_gpu)
        status = ordo_mst_in_session(&s->runs, s->graph, s->chosen, &s->components);
    else
        status = find_by_lists(s);
    if (!status)
        status = read_out(s, s->components, edge, forest);
    if (s->runs.ran && s->direct)
        count_direct(s);
    ordo_runs_end(&s->runs, ordo_operator_name(op), status);
    if (s->runs.ran)
        count_ordering(s, status);
    ordo_graph_free(s->ordered);
    ordo_free(s->chosen);
    return status;
}

ordo_status ordo_mst(const ordo_graph *g, const ordo_options *options, ordo_eid *edge, ordo_forest *forest,
                     ordo_stats *stats)
{
    if (!g || !forest || (!edge && ordo_graph_out(g)->n))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", !g ? "graph" : !forest ? "forest" : "room for edges");
    const search fresh = {.given = g,
                          .graph = g,
                          .g = ordo_graph_out(g),
                          .symmetric = ordo_graph_symmetric(g),
                          .direct = ordo_may_be_native(options, true),
                          .runs = {.options = ordo_options_or(options, "bsp"), .stats = stats},
                          .odd = NO_EDGE,
                          .bad = NO_EDGE};
    search s = fresh;
    char why_not[sizeof stats->fallback] = "";
    const bool native = ordo_is_native(options);
    if (native && !ordo_is_for_gpu(options))
        return ordo_program_check(&program, options); /* fails with the message that there is none */
    if (ordo_is_for_gpu(options)) {
        ordo_status status;
        if (native || ordo_may_be_native(options, true)) {
            status = find_on_gpu(&s, edge, forest);
        } else {
            s.on_gpu = true;
            if (!strcmp(s.runs.options.device, "auto"))
                s.runs.options.device = "cuda"; /* likewise */
            status = find_by_runs(&s, edge, forest);
        }
        if (!status || native || !ordo_may_fall_back(&fresh.runs.options, status))
            return status;
        snprintf(why_not, sizeof why_not, "%s", ordo_last_error());
        s = fresh;
        s.runs.options.device = "cpu";
    }
    ordo_status status = find_by_runs(&s, edge, forest);
    if (s.runs.ran && !status)
        snprintf(stats->fallback, sizeof stats->fallback, "%s", why_not);
    return status;
}

/* The rows of g without weights. */
static ordo_status borrow_plain(const ordo_graph *g, ordo_graph **out)
{
    const ordo_lent nothing = {0};
    ordo_csr rows = *ordo_graph_out(g);
    rows.weight = NULL;
    rows.weight_type = ORDO_NONE;
    return ordo_graph_lend(&rows, &nothing, ordo_graph_symmetric(g), 0, out);
}

ordo_status ordo_mst_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    ordo_u64 none = 0;
    mst_state state = {0};
    ordo_options chosen = ordo_options_or(options, "bsp");
    const bool on_gpu = chosen.device && !strcmp(chosen.device, "cuda");
    if (ordo_is_native(options) || (on_gpu && ordo_may_be_native(options, true))) {
        *expected = *at_most = /* on the host it needs memory for the bits */
            (ordo_graph_out(g)->m / 64 + 1) * sizeof(ordo_u64) + ORDO_TRACE_MAX * sizeof(ordo_sample);
        return ordo_program_check(&program, options);
    }
    if (on_gpu) { /* lists are on the host, which needs no more memory than by runs on the CPU */
        chosen.device = "cpu";
        chosen.group = NULL;
    }
    const ordo_csr *rows = ordo_graph_out(g);
    const bool wide = ordo_is_wide(rows->weight_type);
    ordo_graph *plain = NULL; /* the same without weights: those of 8 bytes are words by the time of the run */
    ordo_status status = wide ? borrow_plain(g, &plain) : ORDO_OK;
    const ordo_work work = ordo_vertex_work(op_for(g), wide ? plain : g, &state, &none, NULL);
    if (!status)
        status = ordo_run_memory(&work, &chosen, expected, at_most);
    ordo_graph_free(plain);
    if (status)
        return status;
    ordo_u64 n = rows->n, m = rows->m, edges = ordo_graph_symmetric(g) ? m / 2 : m;
    ordo_u64 an_edge = 2 * sizeof(ordo_u64) + sizeof(ordo_u32);
    ordo_u64 fixed = n * (3 * sizeof(ordo_u32) + sizeof(ordo_u64) + 1) + m / 8 + (n + m) / ROWS * sizeof(ordo_u64) +
                     n / 8 + (2 * n / ROWS + m / KEPT) * sizeof(kept_chunk) + ORDO_TRACE_MAX * sizeof(ordo_sample) +
                     4096;
    /* A list of the edges that the first round leaves, or of the lightest ones, and as much to keep them while they are
     * counted; at most two lists of all edges. In lists a directed graph has two arcs for each edge. */
    ordo_u64 light = edges > MANY * n ? n + n / 2 : edges / (ordo_graph_symmetric(g) ? 2 : 1);
    *expected += fixed + light * an_edge * 9 / 4 + n / 2 * sizeof(ordo_eid);
    *at_most = 2 * *at_most + fixed + 2 * edges * an_edge + (n > edges / 32 ? n : edges / 32) * sizeof(ordo_eid);
    if (wide) {
        ordo_u64 lists, copy = ordo_ordered_weights_memory(g, &lists);
        *expected = copy + (*expected > lists ? *expected : lists);
        *at_most += copy + lists;
    }
    *at_most = *at_most > *expected ? *at_most : *expected;
    return ORDO_OK;
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    ordo_forest forest;
    ordo_u64 n = ordo_graph_out(input->graph)->n;
    ordo_status status = ordo_answer_capacity(answer, ORDO_U64, n, false);
    if (!status)
        status = ordo_mst(input->graph, options, answer->values, &forest, stats);
    if (status)
        return status;
    answer->used = forest.edges;
    answer->fields[0] = (ordo_field){.name = "trees", .type = ORDO_U64, .whole = forest.trees};
    answer->fields[1] = (ordo_field){.name = "edges", .type = ORDO_U64, .whole = forest.edges};
    const bool real = ordo_is_real(forest.type);
    answer->fields[2] = (ordo_field){.name = "weight",
                                     .type = real                      ? ORDO_F32
                                             : forest.type == ORDO_U32 ? ORDO_U64
                                                                       : ORDO_I32};
    if (real)
        answer->fields[2].real = forest.weight.f64;
    else
        answer->fields[2].whole = forest.weight.u32;
    answer->field_count = 3;
    return ORDO_OK;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    const ordo_field *weight = &answer->fields[2];
    const ordo_type type = ordo_graph_out(input->graph)->weight_type;
    ordo_forest forest = {.trees = answer->fields[0].whole,
                          .edges = answer->fields[1].whole,
                          .type = type == ORDO_NONE ? ORDO_U32 : type};
    if (ordo_is_real(forest.type))
        forest.weight.f64 = weight->real;
    else
        forest.weight.u32 = weight->whole;
    return ordo_mst_verify(input->graph, answer->values, &forest, how);
}

extern const ordo_app ordo_app_mst;
const ordo_app ordo_app_mst = {
    .name = "mst",
    .summary = "minimum spanning forest; directions are not looked at",
    .value_name = "edge",
    .wants_weights = true,
    .values_are_edges = true,
    .values_are_wide = true,
    .program = &program,
    .op = op_for,
    .run = run,
    .verify = verify,
    .memory = ordo_mst_memory,
};
