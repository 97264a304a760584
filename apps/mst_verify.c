/* mst_verify.c -- checks spanning forests: serially by Kruskal's algorithm, or by a certificate. Neither shares code
 * with the app.
 *
 * Kruskal 1956: edges sorted by (weight, id), radix sort; each that joins two trees of a union-find is taken. The
 * answer must be the same ids. O(m), 36 bytes an edge.
 *
 * Certificate: (1) ids ascend, exist, are no loops and not the larger id of two directions, and their weights, added in
 * that order, give the sum; (2) no edge closes a cycle; (3) no other edge joins two trees; (4) no other edge precedes,
 * by (weight, id), the last edge on the path between its ends in the forest. For (4) the edges of the forest are joined
 * in order by a union-find by size without path compression, which keeps with every link the edge that made it: the
 * last edge on a path is the last link on the paths from its ends to the root, of at most log n links each. O(m log n),
 * 24 bytes for each vertex and 32 for each edge of the forest.
 */
#include "apps/verify.h"

#include <string.h>

#include <ordo/memory.h>

#include "framework/run/phase.h"

/* An edge: its weight, mapped so that keys compare as weights do, then its id. */
typedef struct ranked {
    ordo_u64 key;
    ordo_u32 id;
} ranked;

static bool precedes(ranked a, ranked b)
{
    return a.key != b.key ? a.key < b.key : a.id < b.id;
}

typedef struct weight {
    ordo_i64 whole;
    double real;
} weight;

/* The weight, as a whole number or as a real, by the type. */
static weight weight_of(const ordo_csr *g, ordo_eid e)
{
    weight w = {0};
    ordo_u32 word = 1;
    ordo_f32 real;
    if (!g->weight)
        return (weight){.whole = 1, .real = 1};
    const void *at = ordo_csr_weight_at(g, e);
    if (g->weight_type == ORDO_I64)
        memcpy(&w.whole, at, sizeof w.whole);
    else if (g->weight_type == ORDO_F64)
        memcpy(&w.real, at, sizeof w.real);
    else
        memcpy(&word, at, sizeof word);
    if (g->weight_type == ORDO_F32) {
        memcpy(&real, at, sizeof real);
        w.real = (double)real;
    } else if (g->weight_type == ORDO_I32 || g->weight_type == ORDO_U32) {
        w.whole = g->weight_type == ORDO_I32 ? (ordo_i64)(ordo_i32)word : (ordo_i64)word;
    }
    return w;
}

static bool is_real(const ordo_csr *g)
{
    return g->weight_type == ORDO_F32 || g->weight_type == ORDO_F64;
}

static double weight_value(const ordo_csr *g, ordo_eid e)
{
    const weight w = weight_of(g, e);
    return is_real(g) ? w.real : (double)w.whole;
}

static ranked rank_of(const ordo_csr *g, ordo_eid e)
{
    const ordo_u64 middle = (ordo_u64)1 << 63;
    const weight w = weight_of(g, e);
    ordo_u64 key;
    if (!is_real(g))
        return (ranked){(ordo_u64)w.whole ^ middle, (ordo_u32)e};
    const double size = w.real < 0 ? -w.real : w.real + 0.0; /* 0 of -0 */
    memcpy(&key, &size, sizeof key);
    return (ranked){w.real < 0 ? middle - key : middle + key, (ordo_u32)e};
}

static bool counts(const ordo_csr *g, bool symmetric, ordo_vid u, ordo_eid e)
{
    ordo_vid v = g->head[e * g->stride];
    return symmetric ? u < v : u != v;
}

/* ---- numbers and ids ---- */

static ordo_status check_numbers(const ordo_csr *g, bool symmetric, const ordo_eid *edge, const ordo_forest *f)
{
    ordo_type type = g->weight_type == ORDO_NONE ? ORDO_U32 : g->weight_type;
    if (f->type != type)
        return ordo_fail(ORDO_ERR_VERIFY, "sum of type %d, expected %d", (int)f->type, (int)type);
    if (f->edges > g->n || f->trees != g->n - f->edges)
        return ordo_fail(ORDO_ERR_VERIFY, "found %llu trees and %llu edges, expected %u together",
                         (unsigned long long)f->trees, (unsigned long long)f->edges, g->n);
    double real = 0;
    __int128 whole = 0;
    for (ordo_u64 i = 0; i < f->edges; i++) {
        ordo_eid e = edge[i];
        if (e >= g->m || (i && e <= edge[i - 1]))
            return ordo_fail(ORDO_ERR_VERIFY,
                             "edge %llu of the forest: found id %llu, expected ascending ids below %llu",
                             (unsigned long long)i, (unsigned long long)e, (unsigned long long)g->m);
        ordo_vid u = ordo_csr_tail(g, e);
        if (!counts(g, symmetric, u, e))
            return ordo_fail(ORDO_ERR_VERIFY, "edge %llu of the forest: id %llu is %u -> %u, expected %s",
                             (unsigned long long)i, (unsigned long long)e, u, g->head[e * g->stride],
                             symmetric ? "the direction out of the smaller end" : "no loop");
        const weight w = weight_of(g, e);
        real += w.real;
        whole += w.whole;
    }
    if (is_real(g)) {
        if (real != f->weight.f64)
            return ordo_fail(ORDO_ERR_VERIFY, "found weight %.17g, expected %.17g", f->weight.f64, real);
    } else if (type == ORDO_U32 ? whole != f->weight.u32 : whole != f->weight.i64) {
        return ordo_fail(ORDO_ERR_VERIFY,
                         type == ORDO_U32 ? "found weight %llu, expected %llu" : "found weight %lld, expected %lld",
                         (unsigned long long)f->weight.u32, (unsigned long long)whole);
    }
    return ORDO_OK;
}

/* Sorts by weight, stably; ids ascend before. Digits in which all keys agree are left out. `scratch` has the same size;
 * the result is in `list`. */
static void sort_ranked(ranked *list, ranked *scratch, ordo_u64 count)
{
    enum { DIGIT = 8, DIGITS = 1 << DIGIT };
    ranked *from = list, *to = scratch;
    for (int shift = 0; shift < 64 && count; shift += DIGIT) {
        ordo_u64 place[DIGITS + 1] = {0};
        for (ordo_u64 i = 0; i < count; i++)
            place[(from[i].key >> shift) % DIGITS + 1]++;
        if (place[(from[0].key >> shift) % DIGITS + 1] == count)
            continue;
        for (int d = 0; d < DIGITS; d++)
            place[d + 1] += place[d];
        for (ordo_u64 i = 0; i < count; i++)
            to[place[(from[i].key >> shift) % DIGITS]++] = from[i];
        ranked *swap = from;
        from = to;
        to = swap;
    }
    if (from != list && count)
        memcpy(list, from, count * sizeof *list);
}

/* ---- Kruskal ---- */

static ordo_vid root_of(ordo_vid *parent, ordo_vid v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]]; /* halving */
        v = parent[v];
    }
    return v;
}

typedef struct kruskal {
    ranked *list, *scratch; /* [edges] */
    ordo_vid *tail;         /* [m] of each edge */
    ordo_vid *parent;       /* [n] */
    ordo_u64 *taken;        /* [m / 64 + 1] bits */
} kruskal;

static ordo_status compare_with(const ordo_csr *g, bool symmetric, const ordo_eid *edge, const ordo_forest *f,
                                kruskal *k)
{
    ordo_u64 count = 0, edges = 0;
    ordo_phase phase;
    ordo_phase_begin(&phase, "verifying", g->n);
    for (ordo_vid u = 0; u < g->n && !ordo_phase_at(&phase, u); u++) {
        k->parent[u] = u;
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            k->tail[e] = u;
            if (counts(g, symmetric, u, e))
                k->list[count++] = rank_of(g, e);
        }
    }
    ordo_status status = ordo_phase_end(&phase);
    if (status)
        return status;
    sort_ranked(k->list, k->scratch, count);
    ordo_phase_begin(&phase, "verifying", count);
    for (ordo_u64 i = 0; i < count && !ordo_phase_at(&phase, i); i++) {
        ordo_eid e = k->list[i].id;
        ordo_vid a = root_of(k->parent, k->tail[e]), b = root_of(k->parent, g->head[e * g->stride]);
        if (a == b)
            continue;
        k->parent[a > b ? a : b] = a > b ? b : a;
        k->taken[e / 64] |= (ordo_u64)1 << (e % 64);
        edges++;
    }
    if ((status = ordo_phase_end(&phase)))
        return status;
    if (edges != f->edges)
        return ordo_fail(ORDO_ERR_VERIFY, "found %llu edges, expected %llu", (unsigned long long)f->edges,
                         (unsigned long long)edges);
    for (ordo_u64 i = 0; i < f->edges; i++)
        if (!(k->taken[edge[i] / 64] >> (edge[i] % 64) & 1))
            return ordo_fail(ORDO_ERR_VERIFY, "edge %u -> %u (id %llu) of weight %.9g is not in the minimum forest",
                             k->tail[edge[i]], g->head[edge[i] * g->stride], (unsigned long long)edge[i],
                             weight_value(g, edge[i]));
    return ORDO_OK;
}

static ordo_status check_serially(const ordo_csr *g, bool symmetric, const ordo_eid *edge, const ordo_forest *f)
{
    ordo_u64 most = symmetric ? g->m / 2 + 1 : g->m;
    kruskal k = {.list = ordo_alloc(most, sizeof *k.list),
                 .scratch = ordo_alloc(most, sizeof *k.scratch),
                 .tail = ordo_alloc(g->m, sizeof *k.tail),
                 .parent = ordo_alloc(g->n, sizeof *k.parent),
                 .taken = ordo_alloc_zero(g->m / 64 + 1, sizeof *k.taken)};
    ordo_status status = ORDO_ERR_MEMORY;
    if (k.list && k.scratch && k.tail && k.parent && k.taken)
        status = compare_with(g, symmetric, edge, f, &k);
    ordo_free(k.list);
    ordo_free(k.scratch);
    ordo_free(k.tail);
    ordo_free(k.parent);
    ordo_free(k.taken);
    return status;
}

/* ---- the certificate ---- */

typedef struct links {
    ordo_vid *parent; /* [n] */
    ordo_u32 *size;   /* [n] of a root's tree */
    ranked *by;       /* [n] the edge that gave a root its parent */
} links;

/* Whether there is a path between two vertices; *last becomes the last edge on it, by rank. Links nearer to the root
 * are later, so the vertex whose link is earlier moves up; a root's link is later than all. */
static bool last_between(const links *l, ordo_vid a, ordo_vid b, ranked *last)
{
    *last = (ranked){0, 0};
    while (a != b) {
        bool a_is_root = l->parent[a] == a, b_is_root = l->parent[b] == b;
        if (a_is_root && b_is_root)
            return false;
        if (b_is_root || (!a_is_root && precedes(l->by[a], l->by[b]))) {
            *last = l->by[a];
            a = l->parent[a];
        } else {
            *last = l->by[b];
            b = l->parent[b];
        }
    }
    return true;
}

static ordo_vid climb(const links *l, ordo_vid v)
{
    while (l->parent[v] != v)
        v = l->parent[v];
    return v;
}

static ordo_status certify_with(const ordo_csr *g, bool symmetric, const ordo_forest *f, links *l, const ranked *list)
{
    for (ordo_vid v = 0; v < g->n; v++) {
        l->parent[v] = v;
        l->size[v] = 1;
    }
    for (ordo_u64 i = 0; i < f->edges; i++) {
        ordo_eid e = list[i].id;
        ordo_vid u = ordo_csr_tail(g, e), a = climb(l, u), b = climb(l, g->head[e * g->stride]);
        if (a == b)
            return ordo_fail(ORDO_ERR_VERIFY, "edge %u -> %u (id %llu) closes a cycle", u, g->head[e * g->stride],
                             (unsigned long long)e);
        ordo_vid large = l->size[a] < l->size[b] ? b : a, small = a ^ b ^ large;
        l->parent[small] = large;
        l->size[large] += l->size[small];
        l->by[small] = list[i];
    }
    ordo_phase phase;
    ordo_phase_begin(&phase, "verifying", g->n);
    for (ordo_vid u = 0; u < g->n && !ordo_phase_at(&phase, u); u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            if (!counts(g, symmetric, u, e))
                continue;
            ordo_vid v = g->head[e * g->stride];
            ranked last;
            if (!last_between(l, u, v, &last))
                return ordo_fail(ORDO_ERR_VERIFY, "edge %u -> %u (id %llu) joins two trees", u, v,
                                 (unsigned long long)e);
            if (precedes(rank_of(g, e), last))
                return ordo_fail(ORDO_ERR_VERIFY,
                                 "edge %u -> %u (id %llu) of weight %.9g comes before id %llu of weight %.9g, which "
                                 "it could replace",
                                 u, v, (unsigned long long)e, weight_value(g, e), (unsigned long long)last.id,
                                 weight_value(g, last.id));
        }
    return ordo_phase_end(&phase);
}

static ordo_status certify(const ordo_csr *g, bool symmetric, const ordo_eid *edge, const ordo_forest *f)
{
    links l = {.parent = ordo_alloc(g->n, sizeof *l.parent),
               .size = ordo_alloc(g->n, sizeof *l.size),
               .by = ordo_alloc(g->n, sizeof *l.by)};
    ranked *list = ordo_alloc(f->edges, sizeof *list), *scratch = ordo_alloc(f->edges, sizeof *scratch);
    ordo_status status = ORDO_ERR_MEMORY;
    if (l.parent && l.size && l.by && list && scratch) {
        for (ordo_u64 i = 0; i < f->edges; i++)
            list[i] = rank_of(g, edge[i]);
        sort_ranked(list, scratch, f->edges);
        status = certify_with(g, symmetric, f, &l, list);
    }
    ordo_free(l.parent);
    ordo_free(l.size);
    ordo_free(l.by);
    ordo_free(list);
    ordo_free(scratch);
    return status;
}

ordo_status ordo_mst_verify(const ordo_graph *graph, const ordo_eid *edge, const ordo_forest *forest,
                            ordo_verify_how how)
{
    if (!graph || !forest || (!edge && forest->edges))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", !graph ? "graph" : !forest ? "forest" : "edges");
    const ordo_csr *g = ordo_graph_out(graph);
    bool serial, certificate, symmetric = ordo_graph_symmetric(graph);
    ordo_status status = ordo_verify_choose(g, how, &serial, &certificate);
    if (!status && g->m >> 32)
        status = ordo_fail(ORDO_ERR_INPUT, "the graph has %llu stored edges; mst takes fewer than 2^32",
                           (unsigned long long)g->m);
    if (!status)
        status = check_numbers(g, symmetric, edge, forest);
    if (!status && serial)
        status = check_serially(g, symmetric, edge, forest);
    if (!status && certificate)
        status = certify(g, symmetric, edge, forest);
    return status;
}
