/* sssp_verify.c -- checks shortest paths: serially by Dijkstra's algorithm, or by a certificate.
 *
 * Certificate: (1) values are numbers from 0 to the limit, or "unreached"; (2) the sources are at 0; (3) no edge
 * u -> v gives v a smaller value, so every value is at most the distance; (4) a breadth-first search from them
 * over tight edges (those that give v exactly its value) finds every reached vertex, so every value is the length of a
 * path. "Every vertex has a tight parent" would not be enough: vertices of a cycle of zero weights are parents of each
 * other.
 *
 * Predecessors are computed again from the values, serially, and compared.
 *
 * Dijkstra: O((n + m) log n), 24 bytes a vertex; certificate: O(n + m), 5 bytes a vertex; predecessors: O(n + m), 12.
 */
#include "apps/verify.h"

#include <stdio.h>

#include <ordo/memory.h>

#include "framework/run/number.h"

#include "apps/heap.h"
#include "apps/common.h"
#include "apps/path_stages.h"
#include "framework/run/phase.h"

/* ---- error messages ---- */

/* Whole numbers that ten digits do not tell are printed in full. */
static void print_number(ordo_claim_text *t, ordo_real value)
{
    const ordo_real size = value < 0 ? -value : value;
    if (size >= 1e10L && size < 0x1p63L && value == (ordo_real)(ordo_i64)value)
        snprintf(t->text, sizeof t->text, "%lld", (long long)value);
    else
        ordo_format(t->text, sizeof t->text, "%.10g", (double)value);
}

ordo_claim_text ordo_claim_print(ordo_real value)
{
    ordo_claim_text t;
    if (isinf(value) && value > 0)
        snprintf(t.text, sizeof t.text, "unreached");
    else if (isnan(value))
        snprintf(t.text, sizeof t.text, "NaN");
    else
        print_number(&t, value);
    return t;
}

ordo_status ordo_claim_compare(const ordo_claim *c, ordo_vid v, ordo_real right)
{
    ordo_real value = ordo_claim_value(c, v);
    return value == right ? ORDO_OK
                          : ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found %s %s, expected %s", v, c->noun,
                                      ordo_claim_print(value).text, ordo_claim_print(right).text);
}

ordo_status ordo_verify_choose(const ordo_csr *g, ordo_verify_how how, bool *serial, bool *certificate)
{
    bool small = g->n + g->m <= (ordo_u64)1 << 26;
    switch (how) {
    case ORDO_VERIFY_AUTO:
    case ORDO_VERIFY_SERIAL:
    case ORDO_VERIFY_CERTIFICATE:
    case ORDO_VERIFY_BOTH:
        *serial = how == ORDO_VERIFY_SERIAL || how == ORDO_VERIFY_BOTH || (how == ORDO_VERIFY_AUTO && small);
        *certificate = how == ORDO_VERIFY_BOTH || !*serial;
        return ORDO_OK;
    }
    return ordo_fail(ORDO_ERR_USAGE, "found way of verifying %d, expected one of ordo_verify_how", (int)how);
}

ordo_status ordo_claim_make(const ordo_graph *g, const ordo_path_query *query, const ordo_path_answer *answer,
                            const char *noun, const char *what, ordo_verify_how how, ordo_sources *sources,
                            ordo_claim *out, bool *serial, bool *certificate)
{
    ordo_status status = ordo_sources_make(g, query, answer, sources);
    if (status)
        return status;
    *out = (ordo_claim){.g = ordo_graph_out(g),
                        .type = ordo_sssp_type(g),
                        .weighted = ordo_graph_out(g)->weight_type != ORDO_NONE,
                        .sources = sources,
                        .limit = sources->limit,
                        .values = answer->value,
                        .pred = answer->pred,
                        .nearest = answer->nearest,
                        .noun = noun};
    if (ordo_stops_early(query) && *answer->within < out->limit)
        out->limit = *answer->within;
    status = ordo_verify_choose(out->g, how, serial, certificate);
    if (!status && !answer->value)
        status = ordo_fail(ORDO_ERR_USAGE, "no %ss given", noun);
    if (!status && what)
        status = ordo_check_weights(g, what, NULL);
    if (status)
        ordo_sources_free(sources);
    return status;
}

/* ---- Dijkstra's algorithm ---- */

static ordo_status dijkstra(const ordo_claim *c, ordo_heap *h)
{
    ordo_phase phase;
    ordo_u64 taken = 0;
    const ordo_csr *g = c->g;
    for (ordo_vid v = 0; v < g->n; v++)
        h->key[v] = ORDO_REAL_INFINITY;
    for (ordo_u64 i = 0; i < c->sources->count; i++)
        ordo_heap_lower(h, c->sources->vertex[i], 0);
    ordo_phase_begin(&phase, "verifying", g->n);
    while (h->count && !ordo_phase_at(&phase, taken++)) {
        ordo_vid u = ordo_heap_take(h);
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            ordo_real dv = ordo_claim_reach(c, h->key[u], e);
            if (dv < h->key[v])
                ordo_heap_lower(h, v, dv);
        }
    }
    return ordo_phase_end(&phase);
}

static ordo_status check_serially(const ordo_claim *c)
{
    ordo_vid n = c->g->n;
    ordo_heap h;
    ordo_status status = ordo_heap_make(n, &h);
    if (!status)
        status = dijkstra(c, &h);
    for (ordo_vid v = 0; !status && v < n; v++)
        status = ordo_claim_compare(c, v, h.key[v]);
    ordo_heap_free(&h);
    return status;
}

/* ---- the certificate ---- */

static ordo_status check_values(const ordo_claim *c)
{
    for (ordo_vid v = 0; v < c->g->n; v++) {
        ordo_real value = ordo_claim_value(c, v);
        if (!(value >= 0))
            return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found %s %s, expected one that is not negative", v, c->noun,
                             ordo_claim_print(value).text);
        if (value > c->limit && !isinf(value))
            return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found %s %s, expected at most the limit %.10g", v, c->noun,
                             ordo_claim_print(value).text, c->limit);
    }
    ordo_status status = ORDO_OK;
    for (ordo_u64 i = 0; !status && i < c->sources->count; i++)
        status = ordo_claim_compare(c, c->sources->vertex[i], 0);
    return status;
}

ordo_status ordo_claim_check_edges(const ordo_claim *c)
{
    const ordo_csr *g = c->g;
    ordo_phase phase;
    ordo_phase_begin(&phase, "verifying", g->n);
    for (ordo_vid u = 0; u < g->n && !ordo_phase_at(&phase, u); u++) {
        ordo_real du = ordo_claim_value(c, u);
        for (ordo_eid e = g->row[u]; !isinf(du) && e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            ordo_real dv = ordo_claim_reach(c, du, e);
            if (ordo_claim_value(c, v) > dv)
                return ordo_fail(ORDO_ERR_VERIFY,
                                 "vertex %u: found %s %s, expected at most %s, by edge %u -> %u of weight %s", v,
                                 c->noun, ordo_claim_print(ordo_claim_value(c, v)).text, ordo_claim_print(dv).text, u,
                                 v, ordo_claim_print(ordo_claim_weight(c, e)).text);
        }
    }
    return ordo_phase_end(&phase);
}

/* "7", or "a source" where there are several. */
static const char *name_sources(const ordo_claim *c, char text[32])
{
    if (c->sources->count > 1)
        return "a source";
    snprintf(text, 32, "%u", c->sources->vertex[0]);
    return text;
}

ordo_status ordo_claim_ground(const ordo_claim *c, ordo_real (*reach)(const ordo_claim *c, ordo_real tail, ordo_eid e),
                              ordo_real unreached, ordo_vid *root)
{
    const ordo_csr *g = c->g;
    ordo_u8 *found = ordo_alloc_zero(g->n, 1);
    ordo_vid *queue = found ? ordo_alloc(g->n, sizeof *queue) : NULL;
    ordo_status status = queue ? ORDO_OK : ORDO_ERR_MEMORY;
    ordo_u64 count = 0;
    char text[32];
    for (ordo_vid v = 0; root && v < g->n; v++)
        root[v] = ORDO_NO_VERTEX;
    for (ordo_u64 i = 0; !status && i < c->sources->count; i++) {
        const ordo_vid source = c->sources->vertex[i];
        queue[count++] = source;
        found[source] = 1;
        if (root)
            root[source] = source;
    }
    ordo_phase phase;
    ordo_phase_begin(&phase, "verifying", g->n);
    for (ordo_u64 i = 0; i < count && !ordo_phase_at(&phase, i); i++) {
        ordo_vid u = queue[i];
        ordo_real du = ordo_claim_value(c, u);
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            ordo_real dv = ordo_claim_value(c, v);
            if (found[v] || dv == unreached || reach(c, du, e) != dv)
                continue;
            found[v] = 1;
            queue[count++] = v;
            if (root)
                root[v] = root[u];
        }
    }
    if (!status)
        status = ordo_phase_end(&phase);
    for (ordo_vid v = 0; !status && v < g->n; v++)
        if (!found[v] && ordo_claim_value(c, v) != unreached)
            status = ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found %s %s, expected that of a path; none from %s has it",
                               v, c->noun, ordo_claim_print(ordo_claim_value(c, v)).text, name_sources(c, text));
    ordo_free(queue);
    ordo_free(found);
    return status;
}

ordo_status ordo_claim_certify(const ordo_claim *c)
{
    ordo_status status = check_values(c);
    if (!status)
        status = ordo_claim_check_edges(c);
    return status ? status : ordo_claim_ground(c, ordo_claim_reach, ORDO_REAL_INFINITY, NULL);
}

/* ---- an early end ---- */

/* Checks that the distance at which the search ended is the one that the query asks for; the values must be right. */
ordo_status ordo_claim_check_end(const ordo_claim *c, const ordo_path_query *query, const ordo_path_answer *answer)
{
    if (!ordo_stops_early(query))
        return ORDO_OK;
    const ordo_real end = *answer->within;
    ordo_u64 nearer = 0, as_near = 0;
    ordo_real farthest = query->target_count ? 0 : ORDO_REAL_INFINITY;
    for (ordo_vid v = 0; v < c->g->n; v++) {
        const ordo_real value = ordo_claim_value(c, v);
        nearer += value < end;
        as_near += value == end && !isinf(value);
    }
    for (ordo_u64 i = 0; i < query->target_count; i++)
        farthest = fmaxl(farthest, ordo_claim_value(c, query->targets[i]));
    const ordo_u64 k = query->stop_after;
    const bool reached_k = k && !isinf(end) && nearer < k && k <= nearer + as_near;
    const bool too_late = k && nearer >= k;
    if (farthest < end || too_late)
        return ordo_fail(ORDO_ERR_VERIFY, "found the end at distance %s, expected a nearer one",
                         ordo_claim_print(end).text);
    if (!isinf(end) && farthest != end && !reached_k)
        return ordo_fail(ORDO_ERR_VERIFY, "found the end at distance %s, expected a farther one",
                         ordo_claim_print(end).text);
    return ORDO_OK;
}

/* ---- predecessors ---- */

/* The expected predecessors: the smallest of the tight parents that are strictly nearer or else have the fewest hops.
 * hops[v]: edges between equally distant vertices at the end of v's path. */
typedef struct parents {
    ordo_vid *best;  /* [n] */
    ordo_u32 *hops;  /* [n] */
    ordo_vid *queue; /* [n] */
    ordo_u64 count;
} parents;

static bool is_source(const ordo_claim *c, ordo_vid v)
{
    return ordo_claim_value(c, v) == 0 && ordo_sources_has(c->sources, v);
}

/* Finds parents that are strictly nearer; vertices that have one, and the sources, start the queue. */
static ordo_status find_nearer(const ordo_claim *c, parents *p)
{
    const ordo_csr *g = c->g;
    ordo_phase phase;
    ordo_phase_begin(&phase, "verifying", g->n);
    for (ordo_vid v = 0; v < g->n; v++)
        p->best[v] = ORDO_NO_VERTEX;
    for (ordo_vid u = 0; u < g->n && !ordo_phase_at(&phase, u); u++) { /* ascending: the first is the smallest */
        ordo_real du = ordo_claim_value(c, u);
        for (ordo_eid e = g->row[u]; !isinf(du) && e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            ordo_real dv = ordo_claim_value(c, v);
            if (p->best[v] == ORDO_NO_VERTEX && du < dv && !isinf(dv) && ordo_claim_reach(c, du, e) == dv)
                p->best[v] = u;
        }
    }
    for (ordo_vid v = 0; v < g->n; v++)
        if (p->best[v] != ORDO_NO_VERTEX || is_source(c, v)) {
            p->hops[v] = 0;
            p->queue[p->count++] = v;
        }
    return ordo_phase_end(&phase);
}

/* Finds, by breadth-first search, equally distant parents with the fewest hops, and of these the smallest. */
static void find_equal(const ordo_claim *c, parents *p)
{
    const ordo_csr *g = c->g;
    for (ordo_u64 i = 0; i < p->count; i++) {
        ordo_vid u = p->queue[i];
        ordo_real du = ordo_claim_value(c, u);
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            if (is_source(c, v) || ordo_claim_value(c, v) != du || ordo_claim_reach(c, du, e) != du)
                continue;
            if (p->best[v] == ORDO_NO_VERTEX) {
                p->best[v] = u;
                p->hops[v] = p->hops[u] + 1;
                p->queue[p->count++] = v;
            } else if (p->hops[v] == p->hops[u] + 1 && u < p->best[v]) {
                p->best[v] = u;
            }
        }
    }
}

static ordo_status compare_pred(const ordo_claim *c, ordo_vid v, ordo_vid right)
{
    ordo_vid found = c->pred[v];
    if (found == right)
        return ORDO_OK;
    if (right == ORDO_NO_VERTEX)
        return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found predecessor %u, expected none", v, found);
    if (found == ORDO_NO_VERTEX)
        return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found no predecessor, expected %u", v, right);
    return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found predecessor %u, expected %u", v, found, right);
}

ordo_status ordo_claim_compare_source(const ordo_claim *c, ordo_vid v, ordo_vid right)
{
    const ordo_vid found = c->nearest[v];
    if (found == right)
        return ORDO_OK;
    char text[2][24];
    for (int i = 0; i < 2; i++)
        if ((i ? right : found) == ORDO_NO_VERTEX)
            snprintf(text[i], sizeof text[i], "no source");
        else
            snprintf(text[i], sizeof text[i], "source %u", i ? right : found);
    return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found %s, expected %s", v, text[0], text[1]);
}

/* Compares the source of each vertex with the root that its parents lead to. Vertices on the way get it too, in
 * p->queue, which is not needed any more. */
static ordo_status compare_roots(const ordo_claim *c, parents *p)
{
    const ordo_vid n = c->g->n;
    ordo_vid *root = p->queue;
    ordo_status status = ORDO_OK;
    for (ordo_vid v = 0; v < n; v++)
        root[v] = ORDO_NO_VERTEX;
    for (ordo_u64 i = 0; i < c->sources->count; i++)
        root[c->sources->vertex[i]] = c->sources->vertex[i];
    for (ordo_vid v = 0; !status && v < n; v++) {
        ordo_vid top = v;
        while (root[top] == ORDO_NO_VERTEX && p->best[top] != ORDO_NO_VERTEX)
            top = p->best[top];
        const ordo_vid found = root[top];
        for (ordo_vid u = v; u != top; u = p->best[u])
            root[u] = found;
        status = ordo_claim_compare_source(c, v, found);
    }
    return status;
}

ordo_status ordo_claim_check_trees(const ordo_claim *c)
{
    ordo_vid n = c->g->n;
    if (!c->pred && !c->nearest)
        return ORDO_OK;
    parents p = {.best = ordo_alloc(n, sizeof *p.best),
                 .hops = ordo_alloc(n, sizeof *p.hops),
                 .queue = ordo_alloc(n, sizeof *p.queue)};
    ordo_status status = p.best && p.hops && p.queue ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status)
        status = find_nearer(c, &p);
    if (!status)
        find_equal(c, &p);
    for (ordo_vid v = 0; !status && c->pred && v < n; v++)
        status = compare_pred(c, v, p.best[v]);
    if (!status && c->nearest)
        status = compare_roots(c, &p);
    ordo_free(p.best);
    ordo_free(p.hops);
    ordo_free(p.queue);
    return status;
}

/* ---- the call ---- */

ordo_status ordo_sssp_from_verify(const ordo_graph *g, const ordo_path_query *query, const ordo_path_answer *answer,
                                  ordo_verify_how how)
{
    bool serial = true, certificate = true;
    ordo_sources sources;
    ordo_claim c;
    ordo_status status =
        ordo_claim_make(g, query, answer, "distance", "shortest paths", how, &sources, &c, &serial, &certificate);
    if (status)
        return status;
    if (serial)
        status = check_serially(&c);
    if (!status && certificate)
        status = ordo_claim_certify(&c);
    if (!status)
        status = ordo_claim_check_end(&c, query, answer);
    if (!status)
        status = ordo_claim_check_trees(&c);
    ordo_sources_free(&sources);
    return status;
}

ordo_status ordo_sssp_verify(const ordo_graph *g, ordo_vid source, double limit, const void *dist, const ordo_vid *pred,
                             ordo_verify_how how)
{
    const ordo_path_query query = {.sources = &source, .source_count = 1, .limited = true, .limit = limit};
    const ordo_path_answer answer = {.value = (void *)(size_t)dist, .pred = (ordo_vid *)(size_t)pred};
    return ordo_sssp_from_verify(g, &query, &answer, how);
}
