/* betweenness.c -- betweenness by Brandes' algorithm: for each source ordo_bfs() and two runs of
 * betweenness.h.
 *
 * The dependency of the source on v is the sum over w of sigma(v) / sigma(w) (1 + dependency(w)), with w one level
 * further along an edge. Divided by sigma(v), x(v) = (1 + dependency(v)) / sigma(v) is a plain sum. Cells of sums are
 * whole numbers, so x is kept in fixed point, in units of 2^-shift, with as many bits as keep the largest x, which is
 * at most n, below 2^62. Each 1 / sigma(w) is rounded down by less than a unit and counts sigma(w) times at most in
 * all, so a dependency is too small by less than the sum of all sigma, in units.
 */
#include <math.h>

#include <ordo/apps.h>
#include <ordo/memory.h>

#include "betweenness.h"
#include "drivers.h"

extern const ordo_operator betweenness_operator;

typedef struct sweep {
    const ordo_graph *out, *in; /* in: with reversed edges */
    const ordo_options *options;
    ordo_stats *total;
    ordo_u64 n;
    int shift;
    ordo_u32 *level;     /* [n] */
    ordo_u64 *cells;     /* [n] */
    ordo_u64 *paths, *x; /* [n] sigma; x in units */
    ordo_u32 deepest;
} sweep;

static ordo_status find_levels(sweep *s, ordo_vid source)
{
    ordo_stats stats;
    const ordo_status status = ordo_bfs(s->out, source, INFINITY, s->options, s->level, NULL, s->total ? &stats : NULL);
    if (status)
        return status;
    if (s->total)
        add_stats(s->total, &stats);
    s->deepest = 0;
    for (ordo_u64 v = 0; v < s->n; v++)
        if (s->level[v] != ORDO_UNREACHED_U32 && s->level[v] > s->deepest)
            s->deepest = s->level[v];
    return ORDO_OK;
}

/* Passes on what the cells hold, into sum[n]. */
static ordo_status add_up(const sweep *s, bool backward, ordo_u64 *sum)
{
    const betweenness_state state = {s->level, sum, backward, s->deepest};
    const ordo_work work = {.op = &betweenness_operator,
                            .graph = backward ? s->in : s->out,
                            .cells = s->cells,
                            .state = &state,
                            .num_items = s->n,
                            .targets = s->n};
    for (ordo_u64 v = 0; v < s->n; v++)
        sum[v] = 0;
    return run_and_add(&work, s->options, s->total);
}

/* Sums wrap. If no vertex's count differs from the sum of the counts before it, none has wrapped: by induction over the
 * levels, as long as the sums here do not wrap. */
static ordo_status check_paths(const sweep *s, ordo_vid source)
{
    const ordo_csr *in = ordo_graph_out(s->in);
    for (ordo_vid v = 0; v < s->n; v++) {
        ordo_u64 sum = v == source;
        bool wraps = false;
        for (ordo_eid e = in->row[v]; e < in->row[v + 1]; e++) {
            ordo_vid u = in->head[e * in->stride];
            if (s->level[u] < s->level[v] && s->level[v] - s->level[u] == 1)
                wraps |= __builtin_add_overflow(sum, s->paths[u], &sum);
        }
        if (wraps || sum != s->paths[v])
            return ordo_fail(ORDO_ERR_OVERFLOW, "vertex %u: more than 2^64 - 1 shortest paths lead there", v);
    }
    return ORDO_OK;
}

static ordo_status add_source(sweep *s, ordo_vid source, double *score, double *error)
{
    ordo_status status = find_levels(s, source);
    for (ordo_u64 v = 0; v < s->n; v++)
        s->cells[v] = v == source;
    if (!status)
        status = add_up(s, false, s->paths);
    if (!status)
        status = check_paths(s, source);
    for (ordo_u64 v = 0; v < s->n && !status; v++)
        s->cells[v] = s->paths[v] ? ((ordo_u64)1 << s->shift) / s->paths[v] : 0;
    if (!status)
        status = add_up(s, true, s->x);
    for (ordo_u64 v = 0; v < s->n && !status; v++) {
        const double dependency = (double)s->paths[v] * ldexp((double)s->x[v], -s->shift) - 1;
        *error += ldexp((double)s->paths[v], -s->shift);
        if (v != source && dependency > 0)
            score[v] += dependency;
    }
    return status;
}

ordo_status betweenness_run(const ordo_graph *graph, const ordo_vid *sources, ordo_u64 count,
                            const ordo_options *options, double *score, double *error, ordo_stats *total)
{
    const ordo_csr *in;
    ordo_graph *reversed = NULL;
    ordo_status status = ordo_graph_in(graph, options ? options->threads : 0, &in);
    if (!status)
        status = ordo_graph_borrow(in, ordo_graph_symmetric(graph), &reversed);
    if (status)
        return status;
    sweep s = {.out = graph, .in = reversed, .options = options, .total = total, .n = in->n, .shift = 62};
    while (s.n >> (62 - s.shift))
        s.shift--;
    s.level = ordo_alloc(s.n, sizeof *s.level);
    s.cells = ordo_alloc(s.n, sizeof *s.cells);
    s.paths = ordo_alloc(s.n, sizeof *s.paths);
    s.x = ordo_alloc(s.n, sizeof *s.x);
    status = s.level && s.cells && s.paths && s.x ? ORDO_OK : ORDO_ERR_MEMORY;
    *error = 0;
    for (ordo_u64 i = 0; i < count && !status; i++)
        status = sources[i] < s.n ? add_source(&s, sources[i], score, error)
                                  : ordo_fail(ORDO_ERR_USAGE, "source %u: expected a vertex below %llu", sources[i],
                                              (unsigned long long)s.n);
    ordo_free(s.level);
    ordo_free(s.cells);
    ordo_free(s.paths);
    ordo_free(s.x);
    ordo_graph_free(reversed);
    return status;
}
