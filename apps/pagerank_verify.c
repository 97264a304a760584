/* pagerank_verify.c -- checks ranks against power iteration in double precision, or by one step of it.
 *
 * A step is G x = (1 - d) / n + d (P' x + the sum of x over dangling vertices / n). Serial: iterates from 1 / n until
 * the result is much nearer to the fixed point than the ranks claim to be, then compares, in L1. The length of a step
 * bounds the distance: the error after a step is at most d / (1 - d) times its length (Kamvar et al. 2003).
 * Certificate: one step from the ranks. If their error is at most what they claim, the step is at most 1 + d times as
 * long; and if it is not longer, their error is at most 1 / (1 - d) times its length. That is weaker, by a factor of 12
 * for d = 0.85, but takes only O(n + m).
 */
#include "apps/verify.h"

#include <float.h>

#include <ordo/memory.h>

#include "framework/run/phase.h"

/* One step: sets to[] to G(from); returns |to - from|, in L1. */
static double step(const ordo_csr *g, double damping, const double *from, double *to)
{
    double dangling = 0, length = 0;
    for (ordo_vid v = 0; v < g->n; v++)
        to[v] = 0;
    for (ordo_vid u = 0; u < g->n; u++) {
        ordo_u64 degree = g->row[u + 1] - g->row[u];
        if (!degree)
            dangling += from[u];
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++)
            to[g->head[e * g->stride]] += from[u] / (double)degree;
    }
    for (ordo_vid v = 0; v < g->n; v++) {
        to[v] = (1 - damping + damping * dangling) / g->n + damping * to[v];
        length += fabs(to[v] - from[v]);
    }
    return length;
}

/* A bound of the rounding errors of double arithmetic, in L1. */
static double slack(const ordo_csr *g, double damping)
{
    double per_vertex = 16 + (g->n ? (double)g->m / g->n : 0);
    return per_vertex * DBL_EPSILON / (1 - damping);
}

static ordo_status check_values(const ordo_csr *g, const double *rank)
{
    double sum = 0;
    for (ordo_vid v = 0; v < g->n; v++) {
        if (!(rank[v] >= 0 && rank[v] <= 1 + 1e-9))
            return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found rank %.10g, expected one from 0 to 1", v, rank[v]);
        sum += rank[v];
    }
    if (g->n && fabs(sum - 1) > 1e-9)
        return ordo_fail(ORDO_ERR_VERIFY, "ranks add up to %.15g, expected 1", sum);
    return ORDO_OK;
}

static ordo_status check_serially(const ordo_csr *g, double damping, const double *rank, double error,
                                  double *scratch[2])
{
    const double close = error / 16 > slack(g, damping) ? error / 16 : slack(g, damping);
    double *x = scratch[0], *next = scratch[1];
    for (ordo_vid v = 0; v < g->n; v++)
        x[v] = 1.0 / g->n;
    /* A step's length is at most 2 d^i, so that i is bounded, whatever rounding does. */
    double length = 2, longest = 2;
    ordo_phase phase;
    ordo_phase_begin(&phase, "verifying", 0); /* rounding decides on the number of steps */
    while (!ordo_phase_step(&phase, g->m) && damping > 0 && fmin(length, longest) * damping / (1 - damping) > close) {
        length = step(g, damping, x, next);
        longest *= damping;
        double *swap = x;
        x = next;
        next = swap;
    }
    ordo_status status = ordo_phase_end(&phase);
    if (status)
        return status;
    double distance = 0;
    ordo_vid worst = 0;
    for (ordo_vid v = 0; v < g->n; v++) {
        distance += fabs(rank[v] - x[v]);
        if (fabs(rank[v] - x[v]) > fabs(rank[worst] - x[worst]))
            worst = v;
    }
    if (distance <= error + close + slack(g, damping))
        return ORDO_OK;
    return ordo_fail(ORDO_ERR_VERIFY,
                     "ranks: found L1 distance %.6g from power iteration, expected at most %.6g; most at vertex %u: "
                     "found %.10g, expected %.10g",
                     distance, error, worst, rank[worst], x[worst]);
}

static ordo_status certify(const ordo_csr *g, double damping, const double *rank, double error, double *scratch)
{
    double length = step(g, damping, rank, scratch), most = (1 + damping) * error + slack(g, damping);
    if (length <= most)
        return ORDO_OK;
    return ordo_fail(ORDO_ERR_VERIFY, "ranks: found a step of L1 length %.6g, expected at most %.6g", length, most);
}

ordo_status ordo_pagerank_verify(const ordo_graph *graph, double damping, const double *rank, double error,
                                 ordo_verify_how how)
{
    if (!graph || (!rank && ordo_graph_out(graph)->n))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", graph ? "ranks" : "graph");
    if (!(damping >= 0 && damping < 1) || !(error >= 0))
        return ordo_fail(ORDO_ERR_USAGE, "damping %g and error %g, expected 0 to 1, and 0 or more", damping, error);
    const ordo_csr *g = ordo_graph_out(graph);
    bool serial, certificate;
    ordo_status status = ordo_verify_choose(g, how, &serial, &certificate);
    if (status || (status = check_values(g, rank)) || !g->n)
        return status;
    double *scratch[2] = {ordo_alloc(g->n, sizeof *scratch[0]), ordo_alloc(g->n, sizeof *scratch[1])};
    status = scratch[0] && scratch[1] ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status && serial)
        status = check_serially(g, damping, rank, error, scratch);
    if (!status && certificate)
        status = certify(g, damping, rank, error, scratch[0]);
    ordo_free(scratch[0]);
    ordo_free(scratch[1]);
    return status;
}
