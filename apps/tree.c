/* tree.c -- helpers of the apps: checks, loops on all threads, answers, and predecessors from distances.
 *
 * Problem: given final distances, a predecessor for every vertex, the same whatever the number of threads, such that
 * following predecessors always ends at the source.
 *
 * Method: an edge u -> v is tight where dist u + w = dist v. One pass over all rows keeps, by an atomic minimum, the
 * smallest tight parent that is strictly nearer than v. Where weights are positive (and not lost in rounding) that is
 * all. The remaining vertices have only tight edges from equally distant vertices; those may form cycles, so they are
 * added in layers, breadth first from the vertices that have a predecessor: a parent is always in the layer before.
 *
 * O(n + m) work; the layers take 8 bytes for each vertex.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "apps/tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <ordo/detail/backend.h>
#include <ordo/memory.h>
#include <ordo/scheduler/team.h>

/* ---- checks ---- */

ordo_status ordo_check_paths(const ordo_graph *g, ordo_vid source, double limit)
{
    if (!g)
        return ordo_fail(ORDO_ERR_USAGE, "no graph given");
    ordo_vid n = ordo_graph_out(g)->n;
    if (source >= n)
        return ordo_fail(ORDO_ERR_USAGE, "source %u is no vertex: the graph has %u, numbered from 0", source, n);
    if (!(limit >= 0))
        return ordo_fail(ORDO_ERR_USAGE, "limit %g, expected a number that is not negative", limit);
    return ORDO_OK;
}

ordo_status ordo_check_weights(const ordo_graph *graph, const char *paths)
{
    const ordo_csr *g = ordo_graph_out(graph);
    if (g->weight_type == ORDO_NONE || g->weight_type == ORDO_U32 || !g->m)
        return ORDO_OK;
    ordo_graph_info info;
    ordo_graph_get_info(graph, &info);
    if (info.weight_min >= 0 && isfinite(info.weight_mean)) /* NaN and infinity always change the mean */
        return ORDO_OK;
    for (ordo_vid u = 0; u < g->n; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            double w = ordo_word_value(g->weight_type, ordo_weight_word(g, e));
            if (w < 0)
                return ordo_fail(ORDO_ERR_NEGATIVE_WEIGHT,
                                 "edge %u -> %u has weight %.9g; %s need weights that are not negative", u, v, w,
                                 paths);
            if (!isfinite(w))
                return ordo_fail(ORDO_ERR_INPUT, "edge %u -> %u has weight %g; %s need finite weights", u, v,
                                 isnan(w) ? (double)NAN : w, paths);
        }
    return ORDO_OK;
}

ordo_options ordo_options_or(const ordo_options *options, const char *scheduler)
{
    ordo_options chosen = options ? *options : (ordo_options){0};
    if (!chosen.scheduler)
        chosen.scheduler = scheduler;
    return chosen;
}

static bool wants_gpu(const ordo_options *options)
{
    char name[ORDO_DEVICE_NAME];
    const ordo_backend *backend;
    if (!options || !options->device || !strcmp(options->device, "cpu"))
        return false;
    return !strcmp(options->device, "cuda") ||
           (ordo_backend_load("cuda", &backend) == ORDO_OK && backend->probe(name) == ORDO_OK);
}

ordo_options ordo_options_or_auto(const ordo_options *options, const char *scheduler)
{
    return ordo_options_or(options, wants_gpu(options) ? "auto" : scheduler);
}

const ordo_operator *ordo_operator_for(const char *name, const ordo_graph *g)
{
    const ordo_type type = ordo_graph_out(g)->weight_type;
    char instance[64];
    snprintf(instance, sizeof instance, "%s_%s", name, type == ORDO_F32 ? "f32" : type == ORDO_I32 ? "i32" : "u32");
    return ordo_operator_find(instance);
}

ordo_work ordo_vertex_work(const ordo_operator *op, const ordo_graph *g, const void *state, void *cells,
                           const ordo_vid *source)
{
    const ordo_vid n = ordo_graph_out(g)->n;
    return (ordo_work){.op = op,
                       .graph = g,
                       .cells = cells,
                       .state = state,
                       .num_items = n,
                       .targets = n,
                       .initial = source,
                       .initial_count = source && n ? 1 : 0};
}

ordo_u32 ordo_limit_u32(double limit)
{
    ordo_u32 largest = ORDO_UNREACHED_U32 - 1;
    return limit < (double)largest ? (ordo_u32)limit : largest;
}

double ordo_word_value(ordo_type type, ordo_u32 word)
{
    ordo_f32 real;
    if (type == ORDO_I32)
        return (ordo_i32)word;
    if (type != ORDO_F32)
        return word;
    memcpy(&real, &word, sizeof real);
    return (double)real;
}

ordo_u32 ordo_unreached_word(ordo_type type)
{
    return type == ORDO_F32 ? 0x7f800000u : type == ORDO_I32 ? (ordo_u32)ORDO_UNREACHED_I32 : ORDO_UNREACHED_U32;
}

double ordo_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- loops ---- */

typedef struct ranges {
    ordo_team *team;
    ordo_u64 count, grain;
    ordo_range_fn *fn;
    void *arg;
    _Alignas(64) ordo_u64 next; /* atomic */
} ranges;

static void do_ranges(void *arg, int member)
{
    ranges *r = arg;
    ordo_u64 begin, end;
    if (!r->grain) {
        ordo_split(r->count, ordo_team_size(r->team), member, &begin, &end);
        r->fn(r->arg, begin, end);
        return;
    }
    while ((begin = __atomic_fetch_add(&r->next, r->grain, __ATOMIC_RELAXED)) < r->count)
        r->fn(r->arg, begin, r->count - begin < r->grain ? r->count : begin + r->grain);
}

ordo_status ordo_for_ranges(int threads, ordo_u64 count, ordo_u64 grain, ordo_range_fn *fn, void *arg)
{
    if (count <= 2 * ORDO_GRAIN) { /* done before a second thread wakes up */
        fn(arg, 0, count);
        return ORDO_OK;
    }
    ranges r = {.count = count, .grain = grain, .fn = fn, .arg = arg};
    ordo_status status = ordo_team_lease(threads, &r.team);
    if (status)
        return status;
    ordo_team_run(r.team, do_ranges, &r);
    ordo_team_return(r.team);
    return ORDO_OK;
}

typedef struct fill {
    ordo_u32 *words, value;
} fill;

static void fill_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const fill *f = arg;
    for (ordo_u64 i = begin; i < end; i++)
        f->words[i] = f->value;
}

static void fill_ids_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const fill *f = arg;
    for (ordo_u64 i = begin; i < end; i++)
        f->words[i] = (ordo_u32)i;
}

ordo_status ordo_fill(int threads, ordo_u32 *words, ordo_u64 count, ordo_u32 value)
{
    fill f = {.words = words, .value = value};
    return ordo_for_ranges(threads, count, 0, fill_range, &f);
}

ordo_status ordo_fill_ids(int threads, ordo_u32 *words, ordo_u64 count)
{
    fill f = {.words = words};
    return ordo_for_ranges(threads, count, 0, fill_ids_range, &f);
}

/* ---- copies ---- */

typedef struct listing {
    const ordo_csr *g;
    ordo_edge_entry *list; /* [m] */
} listing;

static void list_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const listing *l = arg;
    const ordo_csr *g = l->g;
    for (ordo_u64 u = begin; u < end; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++)
            l->list[e] = (ordo_edge_entry){.tail = (ordo_vid)u, .head = g->head[e * g->stride]};
}

ordo_status ordo_copy_rows(const ordo_graph *graph, ordo_direction direction, int threads, ordo_graph **out)
{
    const ordo_csr *g = ordo_graph_out(graph);
    listing l = {.g = g, .list = ordo_alloc(g->m, sizeof *l.list)};
    if (!l.list)
        return ORDO_ERR_MEMORY;
    ordo_status status = ordo_for_ranges(threads, g->n, ORDO_GRAIN, list_range, &l);
    if (!status)
        status = ordo_graph_from_edges(g->n, l.list, g->m, ORDO_NONE, direction, threads, out);
    ordo_free(l.list);
    return status;
}

ordo_u64 ordo_copy_memory(const ordo_graph *graph, ordo_direction direction, ordo_u64 *lists)
{
    const ordo_csr *g = ordo_graph_out(graph);
    ordo_u64 edges = direction == ORDO_SYMMETRISE ? 2 * g->m : g->m;
    *lists = (g->m + edges) * sizeof(ordo_edge_entry); /* the copy, and the rows that it is made from */
    return ((ordo_u64)g->n + 1) * sizeof(ordo_eid) + edges * sizeof(ordo_vid);
}

/* ---- predecessors ---- */

#define UNSET 0xffffffffu /* layer: not added yet */

typedef struct tree {
    ordo_paths p;
    ordo_u32 unreached;
    ordo_vid *pred;    /* atomic minimum; ORDO_NO_VERTEX is the largest */
    ordo_u64 left;     /* atomic: reached vertices without a predecessor */
    ordo_u32 *layer;   /* [n] atomic: 0 for those that had a predecessor before the layers, or UNSET */
    ordo_vid *queue;   /* [left] vertices in the order in which layers took them */
    ordo_u64 queued;   /* atomic */
    ordo_u32 adding;   /* the layer that is being added */
    ordo_u64 from, to; /* the part of the queue that is the layer before */
} tree;

static inline void keep_least(ordo_vid *least, ordo_vid value)
{
    ordo_vid old = __atomic_load_n(least, __ATOMIC_RELAXED);
    while (value < old && !__atomic_compare_exchange_n(least, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* Whether du + w = dv, where du <= dv. A sum that wraps is less than du, hence not dv. */
static inline __attribute__((always_inline)) bool tight(ordo_type type, ordo_u32 du, ordo_u32 w, ordo_u32 dv)
{
    ordo_f32 a, b;
    if (type != ORDO_F32)
        return du + w == dv;
    memcpy(&a, &du, sizeof a);
    memcpy(&b, &w, sizeof b);
    a += b;
    memcpy(&du, &a, sizeof du);
    return du == dv;
}

static inline __attribute__((always_inline)) void offer_to_farther(tree *t, ordo_u64 begin, ordo_u64 end,
                                                                   ordo_type type, bool weighted)
{
    const ordo_csr *g = t->p.g;
    const ordo_u32 *dist = t->p.dist, *weight = g->weight;
    for (ordo_u64 u = begin; u < end; u++) {
        ordo_u32 du = dist[u];
        if (du == t->unreached)
            continue;
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            ordo_u32 dv = dist[v];
            if (du < dv && dv != t->unreached && tight(type, du, weighted ? weight[e * g->stride] : 1, dv))
                keep_least(&t->pred[v], (ordo_vid)u);
        }
    }
}

static void offer_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    tree *t = arg;
    if (!t->p.weighted)
        offer_to_farther(t, begin, end, ORDO_U32, false);
    else if (t->p.type == ORDO_F32)
        offer_to_farther(t, begin, end, ORDO_F32, true);
    else
        offer_to_farther(t, begin, end, ORDO_U32, true); /* sums of i32 that fit are the same bits */
}

static bool lacks_parent(const tree *t, ordo_u64 v)
{
    return t->pred[v] == ORDO_NO_VERTEX && t->p.dist[v] != t->unreached && v != t->p.source;
}

static void count_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    tree *t = arg;
    ordo_u64 left = 0;
    for (ordo_u64 v = begin; v < end; v++)
        left += lacks_parent(t, v);
    __atomic_fetch_add(&t->left, left, __ATOMIC_RELAXED);
}

static void layer_zero_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    tree *t = arg;
    for (ordo_u64 v = begin; v < end; v++)
        t->layer[v] = lacks_parent(t, v) ? UNSET : 0;
}

/* Offers u as a parent to the equally distant heads of its tight edges that are in no earlier layer. The thread that
 * adds a vertex to the layer queues it. */
static void offer_to_equal(tree *t, ordo_vid u)
{
    const ordo_csr *g = t->p.g;
    ordo_u32 du = t->p.dist[u];
    for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
        ordo_vid v = g->head[e * g->stride];
        if (t->p.dist[v] != du || !tight(t->p.type, du, ordo_weight_word(g, e), du))
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
    tree *t = arg;
    for (ordo_u64 u = begin; u < end; u++)
        if (t->p.dist[u] != t->unreached && __atomic_load_n(&t->layer[u], __ATOMIC_RELAXED) == 0)
            offer_to_equal(t, (ordo_vid)u);
}

static void layer_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    tree *t = arg;
    for (ordo_u64 i = begin; i < end; i++)
        offer_to_equal(t, t->queue[t->from + i]);
}

static ordo_status add_layers(tree *t, int threads)
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
    if (!status && t->queued != t->left)
        status = ordo_fail(ORDO_ERR_INTERNAL, "%llu reached vertices have no path from source %u",
                           (unsigned long long)(t->left - t->queued), t->p.source);
    ordo_free(t->queue);
    ordo_free(t->layer);
    return status;
}

ordo_status ordo_tree(const ordo_paths *paths, int threads, ordo_vid *pred)
{
    tree t = {.p = *paths, .unreached = ordo_unreached_word(paths->type), .pred = pred};
    ordo_vid n = paths->g->n;
    ordo_status status = ordo_fill(threads, pred, n, ORDO_NO_VERTEX);
    if (!status)
        status = ordo_for_ranges(threads, n, ORDO_GRAIN, offer_range, &t);
    if (!status)
        status = ordo_for_ranges(threads, n, 0, count_range, &t);
    return status || !t.left ? status : add_layers(&t, threads);
}

ordo_u64 ordo_tree_memory(ordo_u64 n)
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

/* ---- answers ---- */

ordo_status ordo_answer_capacity(ordo_answer *answer, ordo_type type, ordo_u64 n, bool want_pred)
{
    size_t size = type == ORDO_U64 || type == ORDO_F64 ? sizeof(ordo_u64) : sizeof(ordo_u32);
    if (answer->n != n || answer->size != size) {
        ordo_free(answer->values);
        ordo_free(answer->pred);
        answer->values = NULL;
        answer->pred = NULL;
    }
    answer->n = n;
    answer->type = type;
    answer->size = size;
    answer->field_count = 0;
    answer->used = n;
    if (!answer->values)
        answer->values = ordo_alloc(n, size);
    if (want_pred && !answer->pred)
        answer->pred = ordo_alloc(n, sizeof *answer->pred);
    return answer->values && (answer->pred || !want_pred) ? ORDO_OK : ORDO_ERR_MEMORY;
}

void ordo_answer_sum(ordo_answer *answer)
{
    const ordo_u32 *word = answer->values;
    const ordo_u32 unreached = ordo_unreached_word(answer->type);
    const bool is_real = answer->type == ORDO_F32;
    ordo_u32 max = 0;
    ordo_u64 reached = 0, whole = 0;
    double real = 0;
    for (ordo_u64 v = 0; v < answer->n; v++) { /* no branch: unreached vertices are unpredictable */
        const ordo_u32 there = (ordo_u32)(word[v] != unreached), w = word[v] & -there;
        reached += there;
        max = w > max ? w : max;
        whole += w;
    }
    for (ordo_u64 v = 0; is_real && v < answer->n; v++)
        real += word[v] == unreached ? 0 : ordo_word_value(ORDO_F32, word[v]);
    answer->fields[0] = (ordo_field){.name = "reached", .type = ORDO_U64, .whole = reached};
    answer->fields[1] = (ordo_field){.name = "max", .type = is_real ? ORDO_F32 : ORDO_U64};
    answer->fields[2] =
        (ordo_field){.name = "sum", .type = is_real ? ORDO_F32 : ORDO_U64, .whole = is_real ? 0 : whole, .real = real};
    if (is_real)
        answer->fields[1].real = ordo_word_value(ORDO_F32, max);
    else
        answer->fields[1].whole = max;
    answer->field_count = 3;
}
