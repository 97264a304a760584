/* widest_verify.c -- checks widest paths: serially, widest vertex first (Dijkstra's algorithm with the minimum in place
 * of the sum), or by a certificate.
 *
 * Certificate: (1) the width of sources is unlimited, others are not negative; (2) no edge u -> v gives v a larger
 * width, so every width is at least that of any path; (3) a breadth-first search from them over edges that give v
 * exactly its width finds every vertex of a width above 0, so every width is that of a path.
 *
 * Serial: O((n + m) log n), 24 bytes a vertex; certificate: O(n + m), 5 bytes a vertex.
 */
#include <ordo/memory.h>

#include "apps/heap.h"
#include "apps/common.h"
#include "apps/verify.h"
#include "framework/run/phase.h"

/* What fits through edge e after `width`; the type's largest value means no limit. */
static ordo_real through(const ordo_claim *c, ordo_real width, ordo_eid e)
{
    ordo_real capacity = ordo_claim_weight(c, e);
    if (c->weighted && ordo_weight_word(c->g, e) == ordo_unreached_word(c->type))
        capacity = ORDO_REAL_INFINITY;
    return width < capacity ? width : capacity;
}

/* "inf" where nothing limits it. */
static ordo_claim_text print_width(ordo_real width)
{
    ordo_claim_text unlimited = {"inf"};
    return isinf(width) && width > 0 ? unlimited : ordo_claim_print(width);
}

static ordo_status compare(const ordo_claim *c, ordo_vid v, ordo_real right)
{
    ordo_real width = ordo_claim_value(c, v);
    return width == right ? ORDO_OK
                          : ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found width %s, expected %s", v,
                                      print_width(width).text, print_width(right).text);
}

/* Keys are widths, negated. */
static ordo_status check_serially(const ordo_claim *c)
{
    const ordo_csr *g = c->g;
    ordo_heap h;
    ordo_status status = ordo_heap_make(g->n, &h);
    for (ordo_vid v = 0; !status && v < g->n; v++)
        h.key[v] = ORDO_REAL_INFINITY;
    if (!status)
        for (ordo_u64 i = 0; i < c->sources->count; i++)
            ordo_heap_lower(&h, c->sources->vertex[i], -ORDO_REAL_INFINITY);
    ordo_phase phase;
    ordo_u64 taken = 0;
    ordo_phase_begin(&phase, "verifying", g->n);
    while (!status && h.count && !ordo_phase_at(&phase, taken++)) {
        ordo_vid u = ordo_heap_take(&h);
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            ordo_real width = through(c, -h.key[u], e);
            if (width > 0 && -width < h.key[v])
                ordo_heap_lower(&h, v, -width);
        }
    }
    if (!status)
        status = ordo_phase_end(&phase);
    for (ordo_vid v = 0; !status && v < g->n; v++)
        status = compare(c, v, h.key[v] == ORDO_REAL_INFINITY ? 0 : -h.key[v]);
    ordo_heap_free(&h);
    return status;
}

static ordo_status check_edges(const ordo_claim *c)
{
    const ordo_csr *g = c->g;
    ordo_phase phase;
    ordo_phase_begin(&phase, "verifying", g->n);
    for (ordo_vid u = 0; u < g->n && !ordo_phase_at(&phase, u); u++) {
        ordo_real width = ordo_claim_value(c, u);
        if (!(width >= 0))
            return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found width %s, expected one that is not negative", u,
                             print_width(width).text);
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            ordo_real least = through(c, width, e);
            if (ordo_claim_value(c, v) < least)
                return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found width %s, expected at least %s, by edge %u -> %u",
                                 v, print_width(ordo_claim_value(c, v)).text, print_width(least).text, u, v);
        }
    }
    ordo_status status = ordo_phase_end(&phase);
    for (ordo_u64 i = 0; !status && i < c->sources->count; i++)
        status = compare(c, c->sources->vertex[i], ORDO_REAL_INFINITY);
    return status;
}

/* Tight paths, and with them the source of each vertex. */
static ordo_status check_paths(const ordo_claim *c)
{
    const ordo_vid n = c->g->n;
    ordo_vid *root = c->nearest ? ordo_alloc(n, sizeof *root) : NULL;
    if (c->nearest && !root)
        return ORDO_ERR_MEMORY;
    ordo_status status = ordo_claim_ground(c, through, 0, root);
    for (ordo_vid v = 0; !status && root && v < n; v++)
        status = ordo_claim_compare_source(c, v, root[v]);
    ordo_free(root);
    return status;
}

ordo_status ordo_widest_from_verify(const ordo_graph *g, const ordo_path_query *query, const ordo_path_answer *answer,
                                    ordo_verify_how how)
{
    bool serial = true, certificate = true;
    ordo_sources sources;
    ordo_claim c;
    ordo_status status =
        ordo_claim_make(g, query, answer, "width", "widest paths", how, &sources, &c, &serial, &certificate);
    if (status)
        return status;
    status = ordo_sources_refuse(query, answer, "widest paths");
    if (!status && serial)
        status = check_serially(&c);
    if (!status && certificate)
        status = check_edges(&c);
    if (!status && (certificate || c.nearest))
        status = check_paths(&c);
    ordo_sources_free(&sources);
    return status;
}

ordo_status ordo_widest_verify(const ordo_graph *g, ordo_vid source, const void *width, ordo_verify_how how)
{
    const ordo_path_query query = {.sources = &source, .source_count = 1};
    const ordo_path_answer answer = {.value = (void *)(size_t)width};
    return ordo_widest_from_verify(g, &query, &answer, how);
}
