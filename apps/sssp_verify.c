/* sssp_verify.c -- checks shortest paths: serially by Dijkstra's algorithm, or by a certificate.
 *
 * Certificate: (1) values are numbers from 0 to the limit, or "unreached"; (2) the source is at 0; (3) no edge
 * u -> v gives v a smaller value, so every value is at most the distance; (4) a breadth-first search from the source
 * over tight edges (those that give v exactly its value) finds every reached vertex, so every value is the length of a
 * path. "Every vertex has a tight parent" would not be enough: vertices of a cycle of zero weights are parents of each
 * other.
 *
 * Predecessors are computed again from the values, serially, and compared.
 *
 * Dijkstra: O((n + m) log n), 16 bytes a vertex; certificate: O(n + m), 5 bytes a vertex; predecessors: O(n + m), 12.
 */
#include "apps/verify.h"

#include <stdio.h>

#include <ordo/memory.h>

#include "framework/run/number.h"

#include "apps/heap.h"
#include "apps/common.h"

/* ---- error messages ---- */

ordo_claim_text ordo_claim_print(double value)
{
    ordo_claim_text t;
    if (isinf(value) && value > 0)
        snprintf(t.text, sizeof t.text, "unreached");
    else if (isnan(value))
        snprintf(t.text, sizeof t.text, "NaN");
    else
        ordo_format(t.text, sizeof t.text, "%.10g", value);
    return t;
}

ordo_status ordo_claim_compare(const ordo_claim *c, ordo_vid v, double right)
{
    double value = ordo_claim_value(c, v);
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

ordo_status ordo_claim_make(const ordo_graph *g, ordo_vid source, double limit, const void *values, const char *noun,
                            const char *what, ordo_verify_how how, ordo_claim *out, bool *serial, bool *certificate)
{
    ordo_status status = ordo_check_paths(g, source, limit);
    if (status || (status = ordo_verify_choose(ordo_graph_out(g), how, serial, certificate)))
        return status;
    if (!values)
        return ordo_fail(ORDO_ERR_USAGE, "no %ss given", noun);
    *out = (ordo_claim){.g = ordo_graph_out(g),
                        .type = ordo_sssp_type(g),
                        .weighted = ordo_graph_out(g)->weight_type != ORDO_NONE,
                        .source = source,
                        .limit = limit,
                        .values = values,
                        .noun = noun};
    return what ? ordo_check_weights(g, what) : ORDO_OK;
}

/* ---- Dijkstra's algorithm ---- */

static void dijkstra(const ordo_claim *c, ordo_heap *h)
{
    const ordo_csr *g = c->g;
    for (ordo_vid v = 0; v < g->n; v++)
        h->key[v] = (double)INFINITY;
    ordo_heap_lower(h, c->source, 0);
    while (h->count) {
        ordo_vid u = ordo_heap_take(h);
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            double dv = ordo_claim_reach(c, h->key[u], e);
            if (dv < h->key[v])
                ordo_heap_lower(h, v, dv);
        }
    }
}

static ordo_status check_serially(const ordo_claim *c)
{
    ordo_vid n = c->g->n;
    ordo_heap h;
    ordo_status status = ordo_heap_make(n, &h);
    if (!status)
        dijkstra(c, &h);
    for (ordo_vid v = 0; !status && v < n; v++)
        status = ordo_claim_compare(c, v, h.key[v]);
    ordo_heap_free(&h);
    return status;
}

/* ---- the certificate ---- */

static ordo_status check_values(const ordo_claim *c)
{
    for (ordo_vid v = 0; v < c->g->n; v++) {
        double value = ordo_claim_value(c, v);
        if (!(value >= 0))
            return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found %s %s, expected one that is not negative", v, c->noun,
                             ordo_claim_print(value).text);
        if (value > c->limit && !isinf(value))
            return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found %s %s, expected at most the limit %.10g", v, c->noun,
                             ordo_claim_print(value).text, c->limit);
    }
    return ordo_claim_compare(c, c->source, 0);
}

static ordo_status check_edges(const ordo_claim *c)
{
    const ordo_csr *g = c->g;
    for (ordo_vid u = 0; u < g->n; u++) {
        double du = ordo_claim_value(c, u);
        for (ordo_eid e = g->row[u]; !isinf(du) && e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            double dv = ordo_claim_reach(c, du, e);
            if (ordo_claim_value(c, v) > dv)
                return ordo_fail(ORDO_ERR_VERIFY,
                                 "vertex %u: found %s %s, expected at most %s, by edge %u -> %u of weight %.10g", v,
                                 c->noun, ordo_claim_print(ordo_claim_value(c, v)).text, ordo_claim_print(dv).text, u,
                                 v, ordo_claim_weight(c, e));
        }
    }
    return ORDO_OK;
}

ordo_status ordo_claim_ground(const ordo_claim *c, double (*reach)(const ordo_claim *c, double tail, ordo_eid e),
                              double unreached)
{
    const ordo_csr *g = c->g;
    ordo_u8 *found = ordo_alloc_zero(g->n, 1);
    ordo_vid *queue = found ? ordo_alloc(g->n, sizeof *queue) : NULL;
    ordo_status status = queue ? ORDO_OK : ORDO_ERR_MEMORY;
    ordo_u64 count = 0;
    if (!status) {
        queue[count++] = c->source;
        found[c->source] = 1;
    }
    for (ordo_u64 i = 0; i < count; i++) {
        ordo_vid u = queue[i];
        double du = ordo_claim_value(c, u);
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            double dv = ordo_claim_value(c, v);
            if (found[v] || dv == unreached || reach(c, du, e) != dv)
                continue;
            found[v] = 1;
            queue[count++] = v;
        }
    }
    for (ordo_vid v = 0; !status && v < g->n; v++)
        if (!found[v] && ordo_claim_value(c, v) != unreached)
            status = ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found %s %s, expected that of a path; none from %u has it",
                               v, c->noun, ordo_claim_print(ordo_claim_value(c, v)).text, c->source);
    ordo_free(queue);
    ordo_free(found);
    return status;
}

ordo_status ordo_claim_certify(const ordo_claim *c)
{
    ordo_status status = check_values(c);
    if (!status)
        status = check_edges(c);
    return status ? status : ordo_claim_ground(c, ordo_claim_reach, (double)INFINITY);
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

/* Finds parents that are strictly nearer; vertices that have one, and the source, start the queue. */
static void find_nearer(const ordo_claim *c, parents *p)
{
    const ordo_csr *g = c->g;
    for (ordo_vid v = 0; v < g->n; v++)
        p->best[v] = ORDO_NO_VERTEX;
    for (ordo_vid u = 0; u < g->n; u++) { /* ascending: the first is the smallest */
        double du = ordo_claim_value(c, u);
        for (ordo_eid e = g->row[u]; !isinf(du) && e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            double dv = ordo_claim_value(c, v);
            if (p->best[v] == ORDO_NO_VERTEX && du < dv && !isinf(dv) && ordo_claim_reach(c, du, e) == dv)
                p->best[v] = u;
        }
    }
    for (ordo_vid v = 0; v < g->n; v++)
        if (p->best[v] != ORDO_NO_VERTEX || v == c->source) {
            p->hops[v] = 0;
            p->queue[p->count++] = v;
        }
}

/* Finds, by breadth-first search, equally distant parents with the fewest hops, and of these the smallest. */
static void find_equal(const ordo_claim *c, parents *p)
{
    const ordo_csr *g = c->g;
    for (ordo_u64 i = 0; i < p->count; i++) {
        ordo_vid u = p->queue[i];
        double du = ordo_claim_value(c, u);
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            if (v == c->source || ordo_claim_value(c, v) != du || ordo_claim_reach(c, du, e) != du)
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

ordo_status ordo_claim_check_pred(const ordo_claim *c)
{
    ordo_vid n = c->g->n;
    parents p = {.best = ordo_alloc(n, sizeof *p.best),
                 .hops = ordo_alloc(n, sizeof *p.hops),
                 .queue = ordo_alloc(n, sizeof *p.queue)};
    ordo_status status = p.best && p.hops && p.queue ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status) {
        find_nearer(c, &p);
        find_equal(c, &p);
    }
    for (ordo_vid v = 0; !status && v < n; v++)
        status = compare_pred(c, v, p.best[v]);
    ordo_free(p.best);
    ordo_free(p.hops);
    ordo_free(p.queue);
    return status;
}

/* ---- the call ---- */

ordo_status ordo_sssp_verify(const ordo_graph *g, ordo_vid source, double limit, const void *dist, const ordo_vid *pred,
                             ordo_verify_how how)
{
    bool serial = true, certificate = true;
    ordo_claim c;
    ordo_status status =
        ordo_claim_make(g, source, limit, dist, "distance", "shortest paths", how, &c, &serial, &certificate);
    if (status)
        return status;
    c.pred = pred;
    if (serial)
        status = check_serially(&c);
    if (!status && certificate)
        status = ordo_claim_certify(&c);
    return status || !pred ? status : ordo_claim_check_pred(&c);
}
