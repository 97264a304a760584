/* path_query.c -- see path_query.h.
 *
 * The source of each vertex. From distances: predecessors form a tree below each source, and every round replaces each
 * vertex's ancestor by that one's ancestor, so that after as many rounds as the logarithm of the depth all ancestors
 * are roots. From widths, which have no predecessors: a breadth-first search from all sources over tight edges, those
 * that give their head exactly its width. It finds every vertex of a width above 0. For let v be one of the largest
 * width that it did not find, and take a widest path to v: on it an edge leads from a vertex that was found to one, u,
 * that was not. All widths and capacities on the path are at least that of v, and that of u is no larger, so the edge
 * gives u exactly its width: it is tight, and u would have been found.
 */
#include "apps/path_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>

#include "apps/common.h"
#include "framework/run/reserved.h"

static int compare_ids(const void *a, const void *b)
{
    const ordo_vid x = *(const ordo_vid *)a, y = *(const ordo_vid *)b;
    return (x > y) - (x < y);
}

/* `what`: "source" or "target". */
static ordo_status check_vertices(const char *what, const ordo_vid *list, ordo_u64 count, ordo_vid n)
{
    for (ordo_u64 i = 0; i < count; i++)
        if (list[i] >= n && count == 1)
            return ordo_fail(ORDO_ERR_USAGE, "%s %u is no vertex: the graph has %u, numbered from 0", what, list[i], n);
        else if (list[i] >= n)
            return ordo_fail(ORDO_ERR_USAGE, "%s %llu of the list, %u, is no vertex: the graph has %u, numbered from 0",
                             what, (unsigned long long)i, list[i], n);
    return ORDO_OK;
}

static ordo_status check(const ordo_graph *g, const ordo_path_query *q, const ordo_path_answer *a)
{
    if (!g || !q || !a)
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", !g ? "graph" : !q ? "query" : "answer");
    ordo_status status = ORDO_RESERVED_CHECK(ordo_path_query, q);
    if (!status)
        status = ORDO_RESERVED_CHECK(ordo_path_answer, a);
    if (status)
        return status;
    const ordo_vid n = ordo_graph_out(g)->n;
    if (!q->sources || !q->source_count)
        return ordo_fail(ORDO_ERR_USAGE, "no source given, expected one or more");
    status = check_vertices("source", q->sources, q->source_count, n);
    if (!status && q->target_count && !q->targets)
        status = ordo_fail(ORDO_ERR_USAGE, "targets is NULL");
    if (!status)
        status = check_vertices("target", q->targets, q->target_count, n);
    if (!status && (q->target_count || q->stop_after) && !a->within)
        status = ordo_fail(ORDO_ERR_USAGE, "within is NULL, expected a place for how far the answer is known");
    if (status)
        return status;
    if (q->limited && !(q->limit >= 0))
        return ordo_fail(ORDO_ERR_USAGE, "limit %g, expected a number that is not negative", q->limit);
    return ORDO_OK;
}

ordo_status ordo_sources_make(const ordo_graph *g, const ordo_path_query *query, const ordo_path_answer *answer,
                              ordo_sources *out)
{
    ordo_status status = check(g, query, answer);
    if (status)
        return status;
    *out = (ordo_sources){.vertex = query->sources,
                          .count = query->source_count,
                          .limit = query->limited ? query->limit : (double)INFINITY};
    if (out->count == 1)
        return ORDO_OK;
    out->own = ordo_alloc(out->count, sizeof *out->own);
    if (!out->own)
        return ORDO_ERR_MEMORY;
    memcpy(out->own, query->sources, out->count * sizeof *out->own);
    qsort(out->own, out->count, sizeof *out->own, compare_ids);
    ordo_u64 used = 0;
    for (ordo_u64 i = 0; i < out->count; i++)
        if (!i || out->own[i] != out->own[i - 1])
            out->own[used++] = out->own[i];
    out->vertex = out->own;
    out->count = used;
    return ORDO_OK;
}

void ordo_sources_free(ordo_sources *s)
{
    ordo_free(s->own);
    *s = (ordo_sources){0};
}

bool ordo_sources_has(const ordo_sources *s, ordo_vid v)
{
    return bsearch(&v, s->vertex, s->count, sizeof *s->vertex, compare_ids) != NULL;
}

void ordo_sources_set(const ordo_sources *s, ordo_type type, void *cells, ordo_u64 word)
{
    for (ordo_u64 i = 0; i < s->count; i++)
        ordo_word_set(type, cells, s->vertex[i], word);
}

ordo_status ordo_sources_refuse(const ordo_path_query *query, const ordo_path_answer *answer, const char *what)
{
    if (answer->pred)
        return ordo_fail(ORDO_ERR_USAGE, "%s give no predecessors, expected NULL in their place", what);
    if (query->limited)
        return ordo_fail(ORDO_ERR_USAGE, "%s know no distances, expected no limit", what);
    if (query->target_count || query->stop_after)
        return ordo_fail(ORDO_ERR_USAGE, "%s do not end early, expected neither targets nor a number", what);
    return ORDO_OK;
}

/* ---- by predecessors ---- */

typedef struct climb {
    const ordo_vid *pred;
    ordo_vid *nearest; /* atomic: an ancestor of each vertex, ORDO_NO_VERTEX where there is none */
    int moved;         /* atomic: an ancestor was replaced in this round */
} climb;

static void first_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    climb *c = arg;
    for (ordo_u64 v = begin; v < end; v++)
        c->nearest[v] = c->pred[v];
}

/* Relaxed: whichever ancestor is read, of this round or the last one, is an ancestor; the rounds end when none changes,
 * and the return of a team's function orders each round before the next. */
static void climb_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    climb *c = arg;
    bool moved = false;
    for (ordo_u64 v = begin; v < end; v++) {
        const ordo_vid up = __atomic_load_n(&c->nearest[v], __ATOMIC_RELAXED);
        if (up == ORDO_NO_VERTEX)
            continue;
        const ordo_vid next = __atomic_load_n(&c->nearest[up], __ATOMIC_RELAXED);
        if (next == up)
            continue;
        __atomic_store_n(&c->nearest[v], next, __ATOMIC_RELAXED);
        moved = true;
    }
    if (moved)
        __atomic_store_n(&c->moved, 1, __ATOMIC_RELAXED);
}

ordo_status ordo_nearest_by_pred(const ordo_sources *s, ordo_u64 n, const ordo_vid *pred, int threads,
                                 ordo_vid *nearest)
{
    climb c = {.pred = pred, .nearest = nearest};
    ordo_status status = ordo_for_ranges(threads, n, 0, first_range, &c);
    ordo_u32 *const words = nearest;
    for (ordo_u64 i = 0; !status && i < s->count; i++)
        if (pred[s->vertex[i]] == ORDO_NO_VERTEX) /* not one that another one reaches below 0 */
            words[s->vertex[i]] = s->vertex[i];
    do {
        c.moved = 0;
        if (!status)
            status = ordo_for_ranges(threads, n, 0, climb_range, &c);
    } while (!status && c.moved);
    return status;
}

/* ---- by widths ---- */

ordo_status ordo_nearest_by_width(const ordo_sources *s, const ordo_graph *graph, const void *widths, ordo_vid *nearest)
{
    const ordo_csr *g = ordo_graph_out(graph);
    const ordo_type type = ordo_sssp_type(graph);
    const ordo_u64 minus_zero = type == ORDO_F32 ? 0x80000000u : (ordo_u64)1 << 63; /* of i64 it is no capacity */
    ordo_vid *queue = ordo_alloc(g->n, sizeof *queue);
    ordo_u64 queued = 0;
    if (!queue)
        return ORDO_ERR_MEMORY;
    memset(nearest, 0xff, g->n * sizeof *nearest); /* ORDO_NO_VERTEX */
    for (ordo_u64 i = 0; i < s->count; i++) {      /* ascending, and so are the sources of each layer of the search */
        nearest[s->vertex[i]] = s->vertex[i];
        queue[queued++] = s->vertex[i];
    }
    for (ordo_u64 i = 0; i < queued; i++) {
        const ordo_vid u = queue[i];
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            const ordo_vid v = g->head[e * g->stride];
            const ordo_u64 width = ordo_word_at(type, widths, v), before = ordo_word_at(type, widths, u);
            ordo_u64 capacity = ordo_weight_word(g, e); /* words compare as capacities do, except for -0 */
            if (ordo_is_real(type) && capacity == minus_zero)
                capacity = 0;
            if (nearest[v] != ORDO_NO_VERTEX || !width || (before < capacity ? before : capacity) != width)
                continue;
            nearest[v] = nearest[u];
            queue[queued++] = v;
        }
    }
    ordo_free(queue);
    return ORDO_OK;
}
