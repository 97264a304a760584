/* bc_verify.c -- checks betweenness by the serial algorithm as Brandes (2001) wrote it: a queue whose order is the
 * stack, numbers of paths and dependencies passed along edges, one source after the other.
 *
 * O(n + m) for each source, 32 bytes a vertex. It is the certificate as well. A score may differ by the error that the
 * answer claims and by rounding: sums of positive numbers in another order, a relative 1e-9.
 */
#include "apps/verify.h"

#include <ordo/memory.h>

#include "framework/run/phase.h"

typedef struct brandes {
    const ordo_csr *g;
    ordo_u32 *distance; /* [n] */
    ordo_vid *queue;    /* [n] */
    double *sigma;      /* [n] numbers of shortest paths */
    double *delta;      /* [n] dependencies */
    double *sum;        /* [n] over sources */
} brandes;

static ordo_u64 search(brandes *b, ordo_vid source)
{
    ordo_u64 count = 0;
    for (ordo_vid v = 0; v < b->g->n; v++) {
        b->distance[v] = ORDO_UNREACHED_U32;
        b->sigma[v] = b->delta[v] = 0;
    }
    b->distance[source] = 0;
    b->sigma[source] = 1;
    b->queue[count++] = source;
    for (ordo_u64 i = 0; i < count; i++) {
        const ordo_vid u = b->queue[i];
        for (ordo_eid e = b->g->row[u]; e < b->g->row[u + 1]; e++) {
            const ordo_vid v = b->g->head[e * b->g->stride];
            if (b->distance[v] == ORDO_UNREACHED_U32) {
                b->distance[v] = b->distance[u] + 1;
                b->queue[count++] = v;
            }
            if (b->distance[v] == b->distance[u] + 1)
                b->sigma[v] += b->sigma[u];
        }
    }
    return count;
}

static void add_source(brandes *b, ordo_vid source)
{
    for (ordo_u64 i = search(b, source); i-- > 1;) { /* not the source, which is first */
        const ordo_vid u = b->queue[i];
        for (ordo_eid e = b->g->row[u]; e < b->g->row[u + 1]; e++) {
            const ordo_vid v = b->g->head[e * b->g->stride];
            if (b->distance[v] == b->distance[u] + 1)
                b->delta[u] += b->sigma[u] / b->sigma[v] * (1 + b->delta[v]);
        }
        b->sum[u] += b->delta[u];
    }
}

static ordo_status compare(const brandes *b, const double *score, double error)
{
    for (ordo_vid v = 0; v < b->g->n; v++)
        if (!(fabs(score[v] - b->sum[v]) <= error + 1e-9 * b->sum[v]))
            return ordo_fail(ORDO_ERR_VERIFY, "vertex %u: found betweenness %.17g, expected %.17g", v, score[v],
                             b->sum[v]);
    return ORDO_OK;
}

static ordo_status verify_all(brandes *b, const ordo_vid *source, ordo_u64 count, const double *score, double error)
{
    const ordo_u64 sources = source ? count : b->g->n;
    ordo_phase phase;
    ordo_phase_begin(&phase, "verifying", sources);
    for (ordo_u64 i = 0; i < sources && !ordo_phase_step(&phase, 1); i++)
        add_source(b, source ? source[i] : (ordo_vid)i);
    const ordo_status status = ordo_phase_end(&phase);
    return status ? status : compare(b, score, error);
}

ordo_status ordo_betweenness_verify(const ordo_graph *graph, const ordo_vid *source, ordo_u64 count,
                                    const double *score, double error, ordo_verify_how how)
{
    if (!graph || (!score && ordo_graph_out(graph)->n))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", graph ? "scores" : "graph");
    bool serial, certificate; /* the same here */
    ordo_status status = ordo_verify_choose(ordo_graph_out(graph), how, &serial, &certificate);
    if (status)
        return status;
    brandes b = {.g = ordo_graph_out(graph)};
    for (ordo_u64 i = 0; i < count && source; i++)
        if (source[i] >= b.g->n)
            return ordo_fail(ORDO_ERR_USAGE, "source %u: expected a vertex below %u", source[i], b.g->n);
    b.distance = ordo_alloc(b.g->n, sizeof *b.distance);
    b.queue = ordo_alloc(b.g->n, sizeof *b.queue);
    b.sigma = ordo_alloc(b.g->n, sizeof *b.sigma);
    b.delta = ordo_alloc(b.g->n, sizeof *b.delta);
    b.sum = ordo_alloc_zero(b.g->n, sizeof *b.sum);
    status = b.distance && b.queue && b.sigma && b.delta && b.sum ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status)
        status = verify_all(&b, source, count, score, error);
    ordo_free(b.distance);
    ordo_free(b.queue);
    ordo_free(b.sigma);
    ordo_free(b.delta);
    ordo_free(b.sum);
    return status;
}
