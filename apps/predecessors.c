/* predecessors.c -- a predecessor for every vertex, from distances.
 *
 * Problem: given final distances, a predecessor for every vertex, the same whatever the number of threads, such that
 * following predecessors always ends at the source.
 *
 * Method: an edge u -> v is tight where dist u + w = dist v. One pass over all rows keeps, by an atomic minimum, the
 * smallest tight parent that is strictly nearer than v. Where weights are positive (and not lost in rounding) that is
 * all. The remaining vertices have only tight edges from equally distant vertices; those may form cycles, so they are
 * added in layers, breadth first from the vertices that have a predecessor: a parent is always in the layer before.
 *
 * By hops, for weights of either sign: a tight parent may be farther than its child, so all vertices are added in
 * layers, breadth first from the sources over tight edges.
 *
 * O(n + m) work; the layers take 8 bytes for each vertex.
 */
#include "apps/predecessors.h"

#include <string.h>

#include <ordo/memory.h>

#include "apps/common.h"

#define UNSET 0xffffffffu /* layer: not added yet */

typedef struct search {
    ordo_paths p;
    ordo_u64 unreached;
    ordo_vid *pred;    /* atomic minimum; ORDO_NO_VERTEX is the largest */
    ordo_u64 left;     /* atomic: reached vertices without a predecessor */
    ordo_u32 *layer;   /* [n] atomic: 0 for those that had a predecessor before the layers, or UNSET */
    ordo_vid *queue;   /* [left] vertices in the order in which layers took them */
    ordo_u64 queued;   /* atomic */
    ordo_u32 adding;   /* the layer that is being added */
    ordo_u64 from, to; /* the part of the queue that is the layer before */
} search;

static inline void keep_least(ordo_vid *least, ordo_vid value)
{
    ordo_vid old = __atomic_load_n(least, __ATOMIC_RELAXED);
    while (value < old && !__atomic_compare_exchange_n(least, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* Whether du + w = dv, for weights and distances of either sign. */
static bool tight_signed(ordo_type type, ordo_u64 du, ordo_u64 w, ordo_u64 dv)
{
    ordo_i64 sum;
    if (ordo_is_real(type))
        return ordo_is_tight(type, du, w, dv);
    return !__builtin_add_overflow(ordo_word_whole(type, du), ordo_word_whole(type, w), &sum) &&
           sum == ordo_word_whole(type, dv);
}

/* The word of a weight of that type. */
static inline __attribute__((always_inline)) ordo_u64 weight_of(const ordo_csr *g, ordo_type type, ordo_eid e)
{
    return ordo_is_wide(type) ? ordo_weight_word(g, e) : ((const ordo_u32 *)g->weight)[e * g->stride];
}

static inline __attribute__((always_inline)) void offer_to_farther(search *t, ordo_u64 begin, ordo_u64 end,
                                                                   ordo_type type, bool weighted)
{
    const ordo_csr *g = t->p.g;
    const void *dist = t->p.dist;
    for (ordo_u64 u = begin; u < end; u++) {
        const ordo_u64 du = ordo_word_at(type, dist, u);
        if (du == t->unreached)
            continue;
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            const ordo_u64 dv = ordo_word_at(type, dist, v);
            if (du < dv && dv != t->unreached && ordo_is_tight(type, du, weighted ? weight_of(g, type, e) : 1, dv))
                keep_least(&t->pred[v], (ordo_vid)u);
        }
    }
}

static void offer_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *t = arg;
    if (!t->p.weighted)
        offer_to_farther(t, begin, end, ORDO_U32, false);
    else if (t->p.type == ORDO_F32)
        offer_to_farther(t, begin, end, ORDO_F32, true);
    else if (t->p.type == ORDO_F64)
        offer_to_farther(t, begin, end, ORDO_F64, true);
    else if (t->p.type == ORDO_I64)
        offer_to_farther(t, begin, end, ORDO_I64, true);
    else
        offer_to_farther(t, begin, end, ORDO_U32, true); /* sums of i32 that fit are the same bits */
}

static ordo_u64 dist_of(const search *t, ordo_u64 v)
{
    return ordo_word_at(t->p.type, t->p.dist, v);
}

static bool lacks_parent(const search *t, ordo_u64 v)
{
    return t->pred[v] == ORDO_NO_VERTEX && dist_of(t, v) != t->unreached &&
           !(dist_of(t, v) == 0 && ordo_sources_has(t->p.sources, (ordo_vid)v));
}

static void count_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *t = arg;
    ordo_u64 left = 0;
    for (ordo_u64 v = begin; v < end; v++)
        left += lacks_parent(t, v);
    __atomic_fetch_add(&t->left, left, __ATOMIC_RELAXED);
}

static void layer_zero_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *t = arg;
    for (ordo_u64 v = begin; v < end; v++)
        t->layer[v] = lacks_parent(t, v) ? UNSET : 0;
}

/* Offers u as a parent to the heads of its tight edges that are in no earlier layer; unless by hops, to those that are
 * equally distant. The thread that adds a vertex to the layer queues it. */
static void offer_to_equal(search *t, ordo_vid u)
{
    const ordo_csr *g = t->p.g;
    const ordo_u64 du = dist_of(t, u);
    for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
        ordo_vid v = g->head[e * g->stride];
        const ordo_u64 dv = dist_of(t, v), w = ordo_weight_word(g, e);
        if (t->p.by_hops ? dv == t->unreached || !tight_signed(t->p.type, du, w, dv)
                         : dv != du || !ordo_is_tight(t->p.type, du, w, du))
            continue;
        ordo_u32 layer = UNSET;
        if (__atomic_compare_exchange_n(&t->layer[v], &layer, t->adding, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            t->queue[__atomic_fetch_add(&t->queued, 1, __ATOMIC_RELAXED)] = v;
        else if (layer != t->adding)
            continue;
        keep_least(&t->pred[v], u);
    }
}

static void first_layer_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *t = arg;
    for (ordo_u64 u = begin; u < end; u++)
        if (dist_of(t, u) != t->unreached && __atomic_load_n(&t->layer[u], __ATOMIC_RELAXED) == 0)
            offer_to_equal(t, (ordo_vid)u);
}

static void layer_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *t = arg;
    for (ordo_u64 i = begin; i < end; i++)
        offer_to_equal(t, t->queue[t->from + i]);
}

static ordo_status add_layers(search *t, int threads)
{
    t->layer = ordo_alloc(t->p.g->n, sizeof *t->layer);
    t->queue = t->layer ? ordo_alloc(t->left, sizeof *t->queue) : NULL;
    ordo_status status = t->queue ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status)
        status = ordo_for_ranges(threads, t->p.g->n, 0, layer_zero_range, t);
    t->adding = 1;
    if (!status)
        status = ordo_for_ranges(threads, t->p.g->n, ORDO_GRAIN, first_layer_range, t);
    while (!status && t->to < t->queued) {
        t->from = t->to;
        t->to = t->queued;
        t->adding++;
        status = ordo_for_ranges(threads, t->to - t->from, ORDO_GRAIN, layer_range, t);
    }
    ordo_free(t->queue);
    ordo_free(t->layer);
    return status;
}

ordo_status ordo_predecessors_some(const ordo_paths *paths, int threads, ordo_vid *pred, ordo_u64 *missed)
{
    search t = {.p = *paths, .unreached = ordo_unreached_word(paths->type), .pred = pred};
    ordo_vid n = paths->g->n;
    ordo_status status = ordo_fill(threads, pred, n, ORDO_NO_VERTEX);
    if (!status && !paths->by_hops)
        status = ordo_for_ranges(threads, n, ORDO_GRAIN, offer_range, &t);
    if (!status)
        status = ordo_for_ranges(threads, n, 0, count_range, &t);
    if (!status && t.left)
        status = add_layers(&t, threads);
    *missed = t.left - t.queued;
    return status;
}

ordo_status ordo_predecessors(const ordo_paths *paths, int threads, ordo_vid *pred)
{
    ordo_u64 missed;
    ordo_status status = ordo_predecessors_some(paths, threads, pred, &missed);
    if (!status && missed)
        status = ordo_fail(ORDO_ERR_INTERNAL, "%llu reached vertices have no path from a source",
                           (unsigned long long)missed);
    return status;
}

ordo_status ordo_trees(const ordo_paths *paths, int threads, ordo_vid *pred, ordo_vid *nearest)
{
    const ordo_vid n = paths->g->n;
    ordo_vid *own = NULL;
    if (!pred && !nearest)
        return ORDO_OK;
    if (!pred && !(pred = own = ordo_alloc(n, sizeof *own)))
        return ORDO_ERR_MEMORY;
    ordo_status status = ordo_predecessors(paths, threads, pred);
    if (!status && nearest)
        status = ordo_nearest_by_pred(paths->sources, n, pred, threads, nearest);
    ordo_free(own);
    return status;
}

ordo_status ordo_answer_trees(const ordo_app_input *input, ordo_paths paths, int threads, ordo_answer *answer)
{
    const ordo_path_query query = ordo_input_query(input);
    ordo_sources from;
    ordo_status status = ordo_answer_lists(answer, input);
    if (status)
        return status;
    const ordo_path_answer claimed = ordo_answer_claimed(answer, input);
    status = ordo_sources_make(input->graph, &query, &claimed, &from);
    if (status)
        return status;
    paths.g = ordo_graph_out(input->graph);
    paths.type = answer->type;
    paths.sources = &from;
    paths.dist = answer->values;
    status = ordo_trees(&paths, threads, claimed.pred, claimed.nearest);
    ordo_sources_free(&from);
    return status;
}

ordo_u64 ordo_predecessors_memory(ordo_u64 n)
{
    return n * (sizeof(ordo_u32) + sizeof(ordo_vid));
}

ordo_u64 ordo_path(const ordo_vid *pred, ordo_u64 n, ordo_vid source, ordo_vid target, ordo_vid *path,
                   ordo_u64 capacity)
{
    if (!pred || source >= n || target >= n)
        return 0;
    ordo_u64 count = 1;
    for (ordo_vid v = target; v != source; v = pred[v], count++)
        if (count == n || pred[v] >= n) /* a cycle, or no path */
            return 0;
    ordo_u64 i = count;
    for (ordo_vid v = target; path && i-- > 0; v = pred[v])
        if (i < capacity)
            path[i] = v;
    return count;
}
