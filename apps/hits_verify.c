/* hits_verify.c -- checks scores against the same number of rounds, serially: along out-edges, scores are scattered,
 * and scaled by the largest one, so that nothing overflows; at the end they are scaled to add up to 1.
 *
 * O(rounds (n + m)), 24 bytes for each vertex. There is no certificate: it does not show in scores which round they
 * come from. How far entries may differ by rounding is derived at the top of apps/hits.c; the bound is that for both
 * sides.
 */
#include "apps/verify.h"

#include <float.h>
#include <math.h>

#include <ordo/memory.h>

#include "framework/run/phase.h"

typedef struct scores {
    const ordo_csr *g;
    double *hub, *authority, *last; /* [n]; the hubs before the last round */
} scores;

static void divide(double *x, ordo_vid n, double by)
{
    for (ordo_vid v = 0; v < n && by > 0; v++)
        x[v] /= by;
}

static double largest(const double *x, ordo_vid n)
{
    double most = 0;
    for (ordo_vid v = 0; v < n; v++)
        most = x[v] > most ? x[v] : most;
    return most;
}

static double total(const double *x, ordo_vid n)
{
    long double sum = 0;
    for (ordo_vid v = 0; v < n; v++)
        sum += (long double)x[v];
    return (double)sum;
}

static void one_round(scores *s)
{
    const ordo_csr *g = s->g;
    for (ordo_vid v = 0; v < g->n; v++) {
        s->authority[v] = 0;
        s->last[v] = s->hub[v];
    }
    for (ordo_vid u = 0; u < g->n; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++)
            s->authority[g->head[e * g->stride]] += s->hub[u];
    divide(s->authority, g->n, largest(s->authority, g->n));
    for (ordo_vid u = 0; u < g->n; u++) {
        s->hub[u] = 0;
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++)
            s->hub[u] += s->authority[g->head[e * g->stride]];
    }
    divide(s->hub, g->n, largest(s->hub, g->n));
}

static ordo_status compare(const double *found, const double *right, ordo_vid n, double allowed, const char *what)
{
    for (ordo_vid v = 0; v < n && found; v++)
        if (!(fabs(found[v] - right[v]) <= allowed * right[v] + DBL_MIN))
            return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found %s %.17g, expected %.17g", v, what, found[v], right[v]);
    return ORDO_OK;
}

static ordo_u64 largest_degree(const ordo_csr *g)
{
    ordo_u64 most = 0;
    for (ordo_vid v = 0; v < g->n; v++)
        most = g->row[v + 1] - g->row[v] > most ? g->row[v + 1] - g->row[v] : most;
    return most;
}

static ordo_status check(scores *s, const ordo_csr *in, const double *hub, const double *authority,
                         const ordo_hits_found *found)
{
    const ordo_vid n = s->g->n;
    const double degrees = (double)(largest_degree(s->g) + largest_degree(in));
    const double allowed = 2 * (double)(found->rounds + 1) * (2 * degrees + 8) * DBL_EPSILON;
    ordo_phase phase;
    ordo_phase_begin(&phase, "verifying", found->rounds);
    for (ordo_vid v = 0; v < n; v++)
        s->hub[v] = 1;
    for (ordo_u64 i = 0; i < found->rounds && !ordo_phase_at(&phase, i); i++)
        one_round(s);
    ordo_status status = ordo_phase_end(&phase);
    if (status)
        return status;
    divide(s->authority, n, total(s->authority, n));
    divide(s->hub, n, total(s->hub, n));
    divide(s->last, n, total(s->last, n));
    double change = 0;
    for (ordo_vid v = 0; v < n; v++)
        change += fabs(s->hub[v] - s->last[v]);
    status = compare(authority, s->authority, n, allowed, "authority");
    if (!status)
        status = compare(hub, s->hub, n, allowed, "hub");
    if (!status && n && !(fabs(found->change - change) <= 4 * allowed + 1e-15))
        status = ordo_fail(ORDO_ERR_VERIFY, "found a change of %.17g in the last round, expected %.17g", found->change,
                           change);
    return status;
}

ordo_status ordo_hits_verify(const ordo_graph *graph, const double *hub, const double *authority,
                             const ordo_hits_found *found, ordo_verify_how how)
{
    if (!graph || !found)
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", graph ? "number of rounds" : "graph");
    bool serial, certificate; /* the same here */
    scores s = {.g = ordo_graph_out(graph)};
    const ordo_vid n = s.g->n;
    const ordo_csr *in = s.g;
    ordo_status status = ordo_verify_choose(s.g, how, &serial, &certificate);
    if (!status && !authority && n)
        status = ordo_fail(ORDO_ERR_USAGE, "no authorities given");
    if (!status && found->rounds < 1)
        status = ordo_fail(ORDO_ERR_VERIFY, "found 0 rounds, expected 1 or more");
    if (!status)
        status = ordo_graph_in(graph, 0, &in);
    if (status)
        return status;
    s.hub = ordo_alloc(n, sizeof *s.hub);
    s.authority = ordo_alloc(n, sizeof *s.authority);
    s.last = ordo_alloc(n, sizeof *s.last);
    status = s.hub && s.authority && s.last ? check(&s, in, hub, authority, found) : ORDO_ERR_MEMORY;
    ordo_free(s.hub);
    ordo_free(s.authority);
    ordo_free(s.last);
    return status;
}
