/* mst.c -- the app of minimum spanning forests: Boruvka's algorithm, a run of operators/mst.h a round.
 *
 * Problem: of the edges of a graph, directions aside, the forest of least weight that joins what can be joined; ties
 * fall to the smaller id, so there is one.
 *
 * Method (Boruvka 1926). A round: every component learns of its lightest edge (the run); it joins the component at the
 * other end, where two choose the same edge the smaller one stays; chains of joins are halved down to their roots;
 * roots get new, dense numbers; edges whose ends now have one number are left out.
 *
 * Two things spare most of the work. The first round runs on the rows of a symmetric graph as they are: every vertex is
 * a component, so nothing needs to be looked up, and there is a list of edges only of what is left afterwards. And
 * where there are many edges a vertex, the lightest come first (Osipov, Sanders and Singler, "The filter-Kruskal
 * minimum spanning tree algorithm", ALENEX 2009): when their forest is done, most heavier edges lie within its trees.
 *
 * Edges in a list stand in ascending order of ids, in every round, so their places break ties as ids do.
 *
 * What a run leaves is checked before it is used as an index. A component's best edge must be one of its own, and no
 * lighter than the best edge of the component at its other end, whose own it is too. So along a chain of joins edges
 * only get lighter, and a chain that came back to where it began would be of one edge: of two components, of which the
 * smaller one stays. Hence there is no cycle, chains end, and each edge taken leaves one component fewer, whatever the
 * run has done.
 *
 * On a GPU a program (mst.cu, "native") does all that in one run, and gives back the bits of the forest's edges. Where
 * a scheduler or a sync is named, the runs are made there, and joining and lists stay here: so that they can be
 * compared. Weights that are not u32 come to it as lists of ordered words from the first round on.
 */
#include "apps/runs.h"
#include "apps/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/scheduler/scheduler.h>

#define ORDO_TEMPLATE "operators/mst.h"
#include <ordo/operator/each_weight.h>

enum {
    PIECE = 64,    /* arcs of a list in one row */
    MANY = 4,      /* edges a vertex, beyond which the lightest come first */
    SAMPLE = 1024, /* weights looked at to find out which those are */
    ROWS = 256,    /* rows at once, where lists are made of them */
    BLOCK = 8192   /* edges of a list at once */
};

#define NO_EDGE (~(ordo_u64)0)

static const ordo_operator *op_for(const ordo_graph *g)
{
    return ordo_operator_for("mst", g);
}

/* The word of edge e's weight such that words compare as weights do. */
static ordo_u32 ordered_weight(const ordo_csr *g, ordo_eid e)
{
    ordo_u32 word = ordo_weight_word(g, e);
    ordo_f32 real;
    if (g->weight_type == ORDO_I32)
        return mst_order_i32((ordo_i32)word);
    if (g->weight_type != ORDO_F32)
        return mst_order_u32(word);
    memcpy(&real, &word, sizeof real);
    return mst_order_f32(real);
}

/* Edges between different components. As rows of a graph these are arcs 2 i and 2 i + 1, in pieces. */
typedef struct edge_list {
    ordo_u64 count, capacity;
    struct {
        ordo_u32 end, weight; /* the component of an end; the ordered weight, twice: each arc has its own */
    } (*arc)[2];              /* [room] */
    ordo_u32 *id;             /* [room] index in the rows of the graph */
} edge_list;

typedef struct search {
    const ordo_graph *graph;
    const ordo_csr *g;
    bool twice;  /* symmetric: of the two directions that out of the smaller end counts */
    bool on_gpu; /* the runs are */
    ordo_runs runs;

    ordo_u64 components;      /* now, dense */
    ordo_u32 *component;      /* [n] of a vertex, where lists are made from rows */
    ordo_u64 *best;           /* [n] cells, by component */
    ordo_u32 *parent, *label; /* [n] whom a component joins; its number in the next round */
    ordo_u8 *has_some;        /* [n] a row with edges for the list: among heavy edges few have */
    ordo_u64 *chosen;         /* [m / 64 + 1] bits: edges of the forest */
    edge_list list, spare;
    ordo_eid *row; /* [row_room] of the list as a graph */
    ordo_u64 row_capacity;
    ordo_u64 *counts;   /* [blocks + 1] of what each block has, then where it begins */
    ordo_u32 low, high; /* ordered weights that a list is made of */
    ordo_u64 odd;       /* atomic: a vertex whose lightest edge has no reverse, or NO_EDGE */
    ordo_u64 bad;       /* atomic: a component whose cell cannot be its lightest edge, or NO_EDGE */
    bool unsorted;      /* atomic */
} search;

/* Counts of blocks to places; returns their sum. Blocks are of `grain`, or one where there is little. */
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
    memset(s->counts, 0, (count / grain + 2) * sizeof *s->counts); /* little work is one block: others stay 0 */
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
    mst_state state = {.listed = listed};
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
        const bool listed = at < s->list.count && key >> 32 == s->list.arc[at][0].weight;
        const ordo_u32 low = listed ? s->list.arc[at][0].end : 0, high = listed ? s->list.arc[at][1].end : 0;
        ordo_u32 other = low ^ high ^ (ordo_u32)c;
        if (!listed || (low != c && high != c) || s->best[other] > key) {
            ordo_keep_least_u64(&s->bad, c);
            continue;
        }
        if (s->best[other] == key && c < other)
            continue; /* the other one joins this one */
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

static void join_vertices_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *s = arg;
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
        const ordo_u64 reverse = (key & ~(ordo_u64)0xffffffff) | c; /* what the other end was offered */
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

static ordo_u32 parent_of(const search *s, ordo_u32 c)
{
    return __atomic_load_n(&s->parent[c], __ATOMIC_RELAXED);
}

/* To the root, halving the way: a parent is only ever replaced by an ancestor, so relaxed words do. Without halving a
 * path of ascending weights would take quadratic time. A member that was late may put an ancestor below the root back
 * where another one has put the root: so after this a parent is near the root, and mostly it. */
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

/* A thread that halved a way may have put an ancestor that it had read before in the place of a root that had come
 * since, so parents are followed up to it. */
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

/* After a run: components join, those that remain are numbered. */
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

static void put_edge(edge_list *list, ordo_u64 at, ordo_u32 a, ordo_u32 b, ordo_u32 weight, ordo_u32 id)
{
    list->arc[at][0].end = a;
    list->arc[at][1].end = b;
    list->arc[at][0].weight = list->arc[at][1].weight = weight;
    list->id[at] = id;
}

/* Edges out of rows that join components and have a weight in question: counted, or put where they belong. From the
 * last one back: where rows are sorted, what counts of a symmetric graph's is at their ends. */
static inline void scan_rows(search *s, ordo_u64 begin, ordo_u64 end, const bool put)
{
    const ordo_csr g = *s->g; /* a copy, which no store to the list can change */
    const ordo_u32 *component = s->component, low = s->low, high = s->high;
    const bool twice = s->twice, sorted = !s->unsorted;
    ordo_u64 *counts = &s->counts[begin / ROWS], at = put ? counts[1] : 0;
    if (put && counts[1] == counts[0])
        return;
    for (ordo_u64 u = end; u-- > begin;) {
        const ordo_u32 mine = component[u];
        const ordo_u64 before = at;
        if (put && !s->has_some[u])
            continue;
        for (ordo_eid e = g.row[u + 1]; e-- > g.row[u];) {
            ordo_vid v = g.head[e * g.stride];
            if (twice && sorted && v <= u)
                break;
            if (twice ? v <= u : v == u)
                continue;
            ordo_u32 weight = ordered_weight(&g, e);
            if (weight < low || weight > high || component[v] == mine)
                continue;
            if (put)
                put_edge(&s->list, --at, mine, component[v], weight, (ordo_u32)e);
            else
                at++;
        }
        if (!put)
            s->has_some[u] = at > before;
    }
    if (!put)
        counts[0] = at;
}

static void count_rows_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    scan_rows(arg, begin, end, false);
}

static void put_rows_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    scan_rows(arg, begin, end, true);
}

static ordo_status list_rows(search *s)
{
    ordo_u64 n = s->g->n;
    ordo_status status = for_all(s, n, ROWS, count_rows_range);
    if (!status)
        status = list_capacity(&s->list, counts_to_places(s->counts, n, ROWS));
    return status ? status : ordo_for_ranges(s->runs.options.threads, n, ROWS, put_rows_range, s);
}

/* The edges of the list that still join components, into the spare one. */
static inline void scan_list(search *s, ordo_u64 begin, ordo_u64 end, const bool put)
{
    const edge_list *from = &s->list;
    ordo_u64 *count = &s->counts[begin / BLOCK], at = put ? *count : 0;
    for (ordo_u64 i = begin; i < end; i++) {
        ordo_u32 a = s->label[from->arc[i][0].end], b = s->label[from->arc[i][1].end];
        if (a == b)
            continue;
        if (put)
            put_edge(&s->spare, at, a, b, from->arc[i][0].weight, from->id[i]);
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
    edge_list swap = s->list;
    s->list = s->spare;
    s->spare = swap;
    return status;
}

/* ---- rounds ---- */

/* The list as a graph. Heads are components, so there are at least as many rows, the last ones empty. */
static ordo_status run_on_list(search *s)
{
    ordo_u64 arcs = 2 * s->list.count, pieces = (arcs + PIECE - 1) / PIECE;
    ordo_u64 rows = pieces > s->components ? pieces : s->components;
    if (rows + 1 > s->row_capacity) {
        ordo_free(s->row);
        s->row_capacity = rows + 1;
        s->row = ordo_alloc(s->row_capacity, sizeof *s->row);
        if (!s->row)
            return ORDO_ERR_MEMORY;
    }
    for (ordo_u64 r = 0; r <= rows; r++)
        s->row[r] = r < pieces ? r * PIECE : arcs;
    ordo_csr csr = {.n = (ordo_vid)rows,
                    .m = arcs,
                    .row = s->row,
                    .head = &s->list.arc[0][0].end,
                    .weight = &s->list.arc[0][0].weight,
                    .stride = 2,
                    .weight_type = ORDO_U32};
    ordo_graph *graph;
    ordo_status status = ordo_graph_borrow(&csr, false, &graph);
    if (status)
        return status;
    status = find_best(s, graph, true, pieces);
    ordo_graph_free(graph);
    return status;
}

/* Rounds until no edge of the list joins two components. One at least, for the statistics of a run that is empty. */
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

/* The ordered weight that about n edges do not exceed; the largest word where all are to come at once. */
static ordo_u32 light_weight(const search *s)
{
    const ordo_csr *g = s->g;
    ordo_u32 word[SAMPLE];
    ordo_u64 edges = s->twice ? g->m / 2 : g->m;
    if (edges <= MANY * (ordo_u64)g->n || edges < SAMPLE)
        return 0xffffffffu;
    for (ordo_u64 i = 0; i < SAMPLE; i++)
        word[i] = ordered_weight(g, g->m / SAMPLE * i);
    qsort(word, SAMPLE, sizeof *word, by_word);
    ordo_u32 light = word[SAMPLE * (ordo_u64)g->n / edges];
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

/* Where every vertex is a component, and where joining them by their own lightest edges has led. */
static ordo_status first_round(search *s)
{
    int threads = s->runs.options.threads;
    ordo_u64 n = s->components = s->g->n;
    const ordo_type type = s->g->weight_type;
    s->unsorted = !s->twice;
    ordo_status status = s->twice ? ordo_for_ranges(threads, n, ORDO_GRAIN, sorted_range, s) : ORDO_OK;
    if (status)
        return status;
    /* rows of one direction do not show a vertex all of its edges; and not all weights can be a GPU's */
    if (s->unsorted || (s->on_gpu && type != ORDO_U32 && type != ORDO_NONE))
        return ordo_fill_ids(threads, s->component, n);
    if (!status)
        status = find_best(s, s->graph, false, n);
    if (!status)
        status = join(s, join_vertices_range);
    ordo_u32 *swap = s->component;
    s->component = s->label;
    s->label = swap;
    return status;
}

static ordo_status find_forest(search *s)
{
    ordo_status status = first_round(s);
    s->low = 0;
    s->high = light_weight(s);
    for (bool last = false; !status && !last; s->low = s->high + 1, s->high = 0xffffffffu) {
        last = s->high == 0xffffffffu;
        status = list_rows(s);
        if (!status)
            status = rounds(s, last);
    }
    return status;
}

/* The caller's array has room for as many edges as join n components to `components`. What a GPU has chosen is counted
 * before it is written there. */
static ordo_status check_count(const search *s, ordo_u64 components)
{
    const ordo_csr *g = s->g;
    const ordo_u64 words = g->m / 64 + 1, beyond = s->chosen[words - 1] >> g->m % 64;
    ordo_u64 edges = 0;
    for (ordo_u64 i = 0; i < words; i++)
        edges += (ordo_u64)__builtin_popcountll(s->chosen[i]);
    if (beyond || (components ? edges != g->n - components : edges > (g->n ? g->n - 1 : 0)))
        return ordo_fail(ORDO_ERR_INTERNAL, "mst under scheduler '%s': a forest of %llu edges%s on %u vertices",
                         s->runs.options.scheduler, (unsigned long long)edges, beyond ? ", some of them none," : "",
                         g->n);
    return ORDO_OK;
}

/* Serially, for sums of f32 have an order; the bits are few and the weights lie in order too. `components`: of the
 * forest; 0: not known. */
static ordo_status read_out(const search *s, ordo_u64 components, ordo_eid *edge, ordo_forest *forest)
{
    const ordo_csr *g = s->g;
    ordo_forest f = {.type = g->weight_type == ORDO_NONE ? ORDO_U32 : g->weight_type};
    double real = 0;
    ordo_u64 whole = 0;
    ordo_status status = check_count(s, components);
    if (status)
        return status;
    for (ordo_u64 i = 0; i < g->m / 64 + 1; i++)
        for (ordo_u64 bits = s->chosen[i]; bits; bits &= bits - 1) {
            ordo_eid e = i * 64 + (ordo_u64)__builtin_ctzll(bits);
            ordo_u32 word = ordo_weight_word(g, e);
            edge[f.edges++] = e;
            if (f.type == ORDO_F32)
                real += ordo_word_value(ORDO_F32, word);
            else
                whole += f.type == ORDO_I32 ? (ordo_u64)(int64_t)(ordo_i32)word : word;
        }
    f.trees = g->n - f.edges;
    if (f.type == ORDO_F32)
        f.weight.f32 = real;
    else if (f.type == ORDO_I32)
        f.weight.i32 = (int64_t)whole;
    else
        f.weight.u32 = whole;
    *forest = f;
    return ORDO_OK;
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

/* ---- on a GPU ---- */

/* On a GPU it is mst.cu: its cells are the words of `chosen`. */
static const ordo_program program = {
    .name = "mst", .summary = "all rounds of Boruvka's algorithm in one run", .on_cuda = true};

static ordo_status find_on_gpu(search *s, ordo_eid *edge, ordo_forest *forest)
{
    const bool any = ordo_is_auto(&s->runs.options);
    ordo_stats *stats = s->runs.stats;
    if (!ordo_is_native(&s->runs.options) && !strcmp(s->runs.options.device, "auto"))
        s->runs.options.device = "cuda"; /* what is wrong there is what auto has to say */
    s->runs.options.scheduler = ORDO_NATIVE;
    const ordo_options options = s->runs.options;
    ordo_status status = ordo_program_check(&program, &options);
    if (status || (status = check_input(s->graph)))
        return status;
    s->chosen = ordo_alloc_zero(s->g->m / 64 + 1, sizeof *s->chosen);
    if (!s->chosen)
        return ORDO_ERR_MEMORY;
    const ordo_work work = {
        .graph = s->graph, .cells = s->chosen, .num_items = s->g->n, .targets = 2 * (s->g->m / 64 + 1)};
    status = ordo_program_run(&program, &work, &options, stats);
    if (stats && !status && any)
        snprintf(stats->chosen, sizeof stats->chosen,
                 "mst's program for a GPU, ahead of runs of its operator, or level with them, wherever measured");
    if (!status)
        status = read_out(s, 0, edge, forest);
    ordo_free(s->chosen);
    s->chosen = NULL;
    return status;
}

/* ---- by runs ---- */

/* What ordo_run would refuse. On a GPU lists of u32 are the most that is needed, whatever the graph has. */
static ordo_status check_runs(const search *s)
{
    static const ordo_eid no_rows[1];
    mst_state state = {.listed = 1};
    ordo_u64 none = 0;
    ordo_graph *empty = NULL;
    ordo_work work = ordo_vertex_work(op_for(s->graph), s->graph, &state, &none, NULL); /* cells are not looked at */
    if (s->on_gpu) {
        ordo_status status = ordo_graph_borrow(&(ordo_csr){.row = no_rows, .stride = 1}, false, &empty);
        if (status)
            return status;
        work = ordo_vertex_work(ordo_operator_find("mst_u32"), empty, &state, &none, NULL);
    }
    ordo_status status = ordo_run_check(&work, &s->runs.options);
    ordo_graph_free(empty);
    return status;
}

static ordo_status find_by_runs(search *s, ordo_eid *edge, ordo_forest *forest)
{
    const ordo_u64 n = s->g->n, m = s->g->m;
    ordo_status status = check_runs(s);
    if (status || (status = check_input(s->graph)))
        return status;
    s->runs.start = ordo_clock();
    s->runs.on_gpu = s->on_gpu;
    s->component = ordo_alloc(n, sizeof *s->component);
    s->best = ordo_alloc(n, sizeof *s->best);
    s->parent = ordo_alloc(n, sizeof *s->parent);
    s->label = ordo_alloc(n, sizeof *s->label);
    s->has_some = ordo_alloc(n, sizeof *s->has_some);
    s->chosen = ordo_alloc_zero(m / 64 + 1, sizeof *s->chosen);
    s->counts = ordo_alloc((m > n ? m : n) / ROWS + 3, sizeof *s->counts);
    status = s->component && s->best && s->parent && s->label && s->has_some && s->chosen && s->counts
                 ? find_forest(s)
                 : ORDO_ERR_MEMORY;
    if (!status)
        status = read_out(s, s->components, edge, forest);
    ordo_runs_end(&s->runs, ordo_operator_name(op_for(s->graph)), status);
    void *all[] = {s->component, s->best,     s->parent,  s->label,     s->has_some, s->chosen,
                   s->counts,    s->list.arc, s->list.id, s->spare.arc, s->spare.id, s->row};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ordo_free(all[i]);
    return status;
}

static bool is_for_gpu(const ordo_options *options)
{
    return options && options->device && strcmp(options->device, "cpu") != 0;
}

ordo_status ordo_mst(const ordo_graph *g, const ordo_options *options, ordo_eid *edge, ordo_forest *forest,
                     ordo_stats *stats)
{
    if (!g || !forest || (!edge && ordo_graph_out(g)->n))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", !g ? "graph" : !forest ? "forest" : "room for edges");
    const search fresh = {.graph = g,
                          .g = ordo_graph_out(g),
                          .twice = ordo_graph_symmetric(g),
                          .runs = {.options = ordo_options_or(options, "bsp"), .stats = stats},
                          .odd = NO_EDGE,
                          .bad = NO_EDGE};
    search s = fresh;
    char why_not[sizeof stats->fallback] = "";
    const bool native = ordo_is_native(options);
    if (native && !is_for_gpu(options))
        return ordo_program_check(&program, options); /* which says that there is none */
    if (is_for_gpu(options)) {
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

ordo_status ordo_mst_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    ordo_u64 none = 0;
    mst_state state = {0};
    ordo_options chosen = ordo_options_or(options, "bsp");
    ordo_work work = ordo_vertex_work(op_for(g), g, &state, &none, NULL);
    const bool on_gpu = chosen.device && !strcmp(chosen.device, "cuda");
    if (ordo_is_native(options) || (on_gpu && ordo_may_be_native(options, true))) {
        *expected = *at_most = /* of the host's memory it takes the bits */
            (ordo_graph_out(g)->m / 64 + 1) * sizeof(ordo_u64) + ORDO_TRACE_MAX * sizeof(ordo_sample);
        return ordo_program_check(&program, options);
    }
    if (on_gpu)
        chosen.device = "cpu"; /* lists are here, and no more is held than by runs here */
    ordo_status status = ordo_run_memory(&work, &chosen, expected, at_most);
    if (status)
        return status;
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_u64 n = rows->n, m = rows->m, edges = ordo_graph_symmetric(g) ? m / 2 : m;
    ordo_u64 an_edge = 2 * sizeof(ordo_u64) + sizeof(ordo_u32);
    ordo_u64 fixed = n * (3 * sizeof(ordo_u32) + sizeof(ordo_u64) + 1) + m / 8 + (n + m) / ROWS * sizeof(ordo_u64) +
                     ORDO_TRACE_MAX * sizeof(ordo_sample) + 4096;
    /* A list of the edges that the first round leaves, or the lightest ones, and a shorter one made from it; the most:
     * all edges twice. A directed graph's arcs are twice its edges. */
    ordo_u64 light = edges > MANY * n ? n : edges / (ordo_graph_symmetric(g) ? 2 : 1);
    *expected += fixed + light * an_edge * 3 / 2 + n / 2 * sizeof(ordo_eid);
    *at_most = 2 * *at_most + fixed + 2 * edges * an_edge + (n > edges / 32 ? n : edges / 32) * sizeof(ordo_eid);
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
    answer->fields[2] = (ordo_field){.name = "weight", .type = forest.type == ORDO_U32 ? ORDO_U64 : forest.type};
    if (forest.type == ORDO_F32)
        answer->fields[2].real = forest.weight.f32;
    else
        answer->fields[2].whole = forest.type == ORDO_I32 ? (ordo_u64)forest.weight.i32 : forest.weight.u32;
    answer->field_count = 3;
    return ORDO_OK;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    const ordo_field *weight = &answer->fields[2];
    ordo_forest forest = {.trees = answer->fields[0].whole,
                          .edges = answer->fields[1].whole,
                          .type = weight->type == ORDO_U64 ? ORDO_U32 : weight->type};
    if (forest.type == ORDO_F32)
        forest.weight.f32 = weight->real;
    else if (forest.type == ORDO_I32)
        forest.weight.i32 = (int64_t)weight->whole;
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
