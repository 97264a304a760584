/* mst_verify.c -- checks spanning forests: serially by Kruskal's algorithm, or by a certificate. Neither shares code
 * with the app.
 *
 * Kruskal 1956: edges sorted by (weight, id), radix sort; each that joins two trees of a union-find is taken. The
 * answer must be the same ids. O(m), 24 bytes an edge.
 *
 * Certificate: (1) ids ascend, exist, are no loops and not the larger id of two directions, and their weights, added in
 * that order, give the sum; (2) no edge closes a cycle; (3) no other edge joins two trees; (4) no other edge precedes,
 * by (weight, id), the last edge on the path between its ends in the forest. For (4) the edges of the forest are joined
 * in order by a union-find by size without path compression, which keeps with every link the edge that made it: the
 * last edge on a path is the last link on the paths from its ends to the root, of at most log n links each. O(m log n),
 * 20 bytes for each vertex and 24 for each edge of the forest.
 */
#include "apps/verify.h"

#include <string.h>

#include <ordo/memory.h>

#include "framework/run/phase.h"

/* An edge with its rank: the weight in the upper half, mapped so that words compare as weights do, the id in the lower
 * half. */
typedef ordo_u64 ranked;

static ordo_u32 weight_word(const ordo_csr *g, ordo_eid e)
{
    return g->weight ? ((const ordo_u32 *)g->weight)[e * g->stride] : 1;
}

static double weight_value(const ordo_csr *g, ordo_eid e)
{
    ordo_u32 word = weight_word(g, e);
    ordo_f32 real;
    memcpy(&real, &word, sizeof real);
    return g->weight_type == ORDO_F32 ? (double)real : g->weight_type == ORDO_I32 ? (double)(ordo_i32)word : word;
}

static ranked rank_of(const ordo_csr *g, ordo_eid e)
{
    ordo_u32 word = weight_word(g, e);
    if (g->weight_type == ORDO_F32 && word == 0x80000000u)
        word = 0; /* -0 */
    if (g->weight_type == ORDO_I32 || (g->weight_type == ORDO_F32 && !(word >> 31)))
        word ^= 0x80000000u;
    else if (g->weight_type == ORDO_F32)
        word = ~word;
    return (ranked)word << 32 | (ordo_u32)e;
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
    ordo_u64 whole = 0;
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
        if (type == ORDO_F32)
            real += weight_value(g, e);
        else
            whole += type == ORDO_I32 ? (ordo_u64)(int64_t)(ordo_i32)weight_word(g, e) : weight_word(g, e);
    }
    if (type == ORDO_F32 && real != f->weight.f32)
        return ordo_fail(ORDO_ERR_VERIFY, "found weight %.17g, expected %.17g", f->weight.f32, real);
    if (type == ORDO_I32 && (int64_t)whole != f->weight.i32)
        return ordo_fail(ORDO_ERR_VERIFY, "found weight %lld, expected %lld", (long long)f->weight.i32,
                         (long long)(int64_t)whole);
    if (type == ORDO_U32 && whole != f->weight.u32)
        return ordo_fail(ORDO_ERR_VERIFY, "found weight %llu, expected %llu", (unsigned long long)f->weight.u32,
                         (unsigned long long)whole);
    return ORDO_OK;
}

/* Sorts by weight, stably; ids ascend before. `scratch` has the same size; the result is in `list`. */
static void sort_ranked(ranked *list, ranked *scratch, ordo_u64 count)
{
    enum { DIGIT = 8, DIGITS = 1 << DIGIT };
    for (int shift = 32; shift < 64; shift += DIGIT) {
        ordo_u64 place[DIGITS + 1] = {0};
        for (ordo_u64 i = 0; i < count; i++)
            place[(list[i] >> shift) % DIGITS + 1]++;
        for (int d = 0; d < DIGITS; d++)
            place[d + 1] += place[d];
        for (ordo_u64 i = 0; i < count; i++)
            scratch[place[(list[i] >> shift) % DIGITS]++] = list[i];
        ranked *swap = list;
        list = scratch;
        scratch = swap;
    }
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
        ordo_eid e = (ordo_u32)k->list[i];
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

/* The last edge, by rank, on the path between two vertices; ~0 where there is no path. Links nearer to the root are
 * later, so the vertex whose link is earlier moves up; a root's link is later than all. */
static ranked last_between(const links *l, ordo_vid a, ordo_vid b)
{
    ranked last = 0;
    while (a != b) {
        bool a_is_root = l->parent[a] == a, b_is_root = l->parent[b] == b;
        if (a_is_root && b_is_root)
            return ~(ranked)0;
        if (b_is_root || (!a_is_root && l->by[a] < l->by[b])) {
            last = l->by[a];
            a = l->parent[a];
        } else {
            last = l->by[b];
            b = l->parent[b];
        }
    }
    return last;
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
        ordo_eid e = (ordo_u32)list[i];
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
            ranked last = last_between(l, u, v);
            if (last == ~(ranked)0)
                return ordo_fail(ORDO_ERR_VERIFY, "edge %u -> %u (id %llu) joins two trees", u, v,
                                 (unsigned long long)e);
            if (rank_of(g, e) < last)
                return ordo_fail(ORDO_ERR_VERIFY,
                                 "edge %u -> %u (id %llu) of weight %.9g comes before id %llu of weight %.9g, which "
                                 "it could replace",
                                 u, v, (unsigned long long)e, weight_value(g, e), (unsigned long long)(ordo_u32)last,
                                 weight_value(g, (ordo_u32)last));
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
