/* bc.c -- the app of betweenness: a native program (bc_program.c; bc.cu on a GPU), or under a named scheduler for each
 * source a breadth-first search by operators/bfs.h and two runs of operators/bc.h. [Brandes 2001]
 *
 * The operator. The dependency of the source on v is the sum over w of paths(v) / paths(w) (1 + dependency(w)), with w
 * one level further along an edge. Divided by paths(v), x(v) = (1 + dependency(v)) / paths(v) is a plain sum. Cells of
 * sums are whole numbers, so x is kept in fixed point, in units of 2^-shift, with as many bits as keep the largest x,
 * which is at most n, below 2^62. Each 1 / paths(w) is rounded down by less than a unit and counts paths(w) times at
 * most in all, so a dependency is too small by less than the sum of all numbers of paths, in units. That sum, over all
 * sources, is the error.
 *
 * The program counts in f64: numbers of paths beyond 2^53 are rounded, as sums of positive numbers are, and beyond
 * 2^1023 refused.
 *
 * Scores are sums over the sources that are given. Each ordered pair of ends counts once. Parallel edges are paths of
 * their own; weights are not used.
 */
#include "apps/bc.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include <ordo/memory.h>

#include "apps/bc_program.h"
#include "apps/common.h"
#include "apps/runs.h"
#include "operators/bc.h"
#include "operators/bfs.h"

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return ordo_operator_find("bc");
}

static const ordo_program program = {.name = "bc",
                                     .summary =
                                         "numbers of shortest paths by levels, dependencies back; no fixed point",
                                     .run = ordo_bc_program,
                                     .on_cuda = true};

/* ---- by runs of operators ---- */

typedef struct sweep {
    ordo_runs runs;
    const ordo_graph *out, *in; /* in: with reversed edges */
    ordo_u64 n;
    int shift;
    ordo_u32 *level;     /* [n] */
    ordo_u64 *cells;     /* [n] */
    ordo_u64 *paths, *x; /* [n] x in units */
    ordo_u32 deepest;
    ordo_betweenness_found *found;
} sweep;

static ordo_status find_levels(sweep *s, ordo_vid source)
{
    const bfs_state state = {.limit = ordo_limit_u32((double)INFINITY)};
    const ordo_sources from = {.vertex = &source, .count = 1};
    const ordo_work work = ordo_vertex_work(ordo_operator_find("bfs"), s->out, &state, s->level, &from);
    ordo_status status = ordo_fill(s->runs.options.threads, s->level, s->n, ORDO_UNREACHED_U32);
    s->level[source] = 0;
    if (!status)
        status = ordo_runs_one(&s->runs, &work);
    s->deepest = 0;
    for (ordo_u64 v = 0; v < s->n; v++)
        if (s->level[v] != ORDO_UNREACHED_U32 && s->level[v] > s->deepest)
            s->deepest = s->level[v];
    return status;
}

/* Passes on what the cells hold, into sum[n]. */
static ordo_status add_up(sweep *s, bool backward, ordo_u64 *sum)
{
    const bc_state state = {s->level, sum, backward, s->deepest};
    const ordo_work work = ordo_vertex_work(op_for(s->out), backward ? s->in : s->out, &state, s->cells, NULL);
    for (ordo_u64 v = 0; v < s->n; v++)
        sum[v] = 0;
    return ordo_runs_one(&s->runs, &work);
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
            const ordo_vid u = in->head[e * in->stride];
            if (s->level[u] < s->level[v] && s->level[v] - s->level[u] == 1)
                wraps |= __builtin_add_overflow(sum, s->paths[u], &sum);
        }
        if (wraps || sum != s->paths[v])
            return ordo_fail(
                ORDO_ERR_OVERFLOW,
                "source %u: more than 2^64 - 1 shortest paths lead to vertex %u; scheduler 'native' counts more",
                source, v);
    }
    return ORDO_OK;
}

static ordo_status add_source(sweep *s, ordo_vid source, double *score)
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
        s->found->error += ldexp((double)s->paths[v], -s->shift);
        s->found->most_paths = fmax(s->found->most_paths, (double)s->paths[v]);
        if (v != source && dependency > 0)
            score[v] += dependency;
    }
    return status;
}

static ordo_status run_operators(const ordo_graph *g, const bc_request *request, const ordo_options *options,
                                 double *score, ordo_betweenness_found *found, ordo_stats *stats)
{
    const ordo_csr *in;
    ordo_graph *reversed = NULL;
    sweep s = {.runs = {.options = *options, .stats = stats}, .out = g, .n = ordo_graph_out(g)->n, .shift = 62};
    const double before = ordo_clock();
    ordo_status status = ordo_graph_in(g, options->threads, &in);
    if (!status)
        status = ordo_graph_borrow(in, ordo_graph_symmetric(g), &reversed);
    if (status)
        return status;
    s.in = reversed;
    s.found = found;
    while (s.n >> (62 - s.shift))
        s.shift--;
    s.level = ordo_alloc(s.n, sizeof *s.level);
    s.cells = ordo_alloc(s.n, sizeof *s.cells);
    s.paths = ordo_alloc(s.n, sizeof *s.paths);
    s.x = ordo_alloc(s.n, sizeof *s.x);
    status = s.level && s.cells && s.paths && s.x ? ORDO_OK : ORDO_ERR_MEMORY;
    s.runs.start = ordo_clock();
    const double prepared = s.runs.start - before;
    for (ordo_u64 i = 0; i < request->count && !status; i++) {
        if (ordo_runs_late(&s.runs))
            status = ordo_fail(ORDO_ERR_TIMEOUT, "bc under '%s' did not end within %g s: %llu of %llu sources",
                               options->scheduler, options->timeout, (unsigned long long)i,
                               (unsigned long long)request->count);
        else
            status = add_source(&s, request->source[i], score);
    }
    ordo_runs_end(&s.runs, ordo_operator_name(op_for(g)), status);
    if (s.runs.ran && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT))
        stats->prepare_seconds += prepared;
    ordo_free(s.level);
    ordo_free(s.cells);
    ordo_free(s.paths);
    ordo_free(s.x);
    ordo_graph_free(reversed);
    return status;
}

/* ---- the app ---- */

static bool is_native(const ordo_options *options)
{
    return ordo_is_native(options) || ordo_may_be_native(options, true);
}

static ordo_options chosen_for(const ordo_options *options)
{
    const bool native = is_native(options);
    ordo_options chosen = ordo_options_or_auto(options, native ? ORDO_NATIVE : "bsp");
    if (native)
        chosen.scheduler = ORDO_NATIVE;
    return chosen;
}

static ordo_status check(const ordo_graph *g, const ordo_options *options)
{
    const bc_state unused = {0};
    const bfs_state levels = {0};
    ordo_u64 none = 0;
    if (ordo_is_native(options))
        return ordo_program_check(&program, options);
    const ordo_work work = ordo_vertex_work(op_for(g), g, &unused, &none, NULL); /* cells are not looked at */
    const ordo_work first = ordo_vertex_work(ordo_operator_find("bfs"), g, &levels, &none, NULL);
    const ordo_status status = ordo_run_check(&work, options);
    return status ? status : ordo_run_check(&first, options);
}

static ordo_status check_sources(const ordo_graph *g, const ordo_vid *source, ordo_u64 count)
{
    const ordo_vid n = ordo_graph_out(g)->n;
    for (ordo_u64 i = 0; i < count && source; i++)
        if (source[i] >= n)
            return ordo_fail(ORDO_ERR_USAGE, "source %u: expected a vertex below %u", source[i], n);
    return ORDO_OK;
}

static ordo_status run_program(const ordo_graph *g, const bc_request *request, const ordo_options *options,
                               double *score, ordo_betweenness_found *found, ordo_stats *stats)
{
    const ordo_vid n = ordo_graph_out(g)->n;
    double *cells = ordo_alloc_zero((size_t)n + 1, sizeof *cells);
    if (!cells)
        return ORDO_ERR_MEMORY;
    const ordo_work work = {.graph = g, .cells = cells, .state = request, .num_items = n, .targets = (ordo_u64)n + 1};
    ordo_status status = ordo_program_run(&program, &work, options, stats);
    if (!status && !isfinite(cells[n])) {
        status = ordo_fail(ORDO_ERR_OVERFLOW, "more than 1e308 shortest paths lead from a source to a vertex");
        ordo_stats_free(stats);
    }
    found->most_paths = cells[n];
    for (ordo_vid v = 0; v < n && !status; v++)
        score[v] = cells[v];
    ordo_free(cells);
    return status;
}

ordo_status ordo_betweenness(const ordo_graph *g, const ordo_vid *source, ordo_u64 count, const ordo_options *options,
                             double *score, ordo_betweenness_found *found, ordo_stats *stats)
{
    if (!g || !found || (!score && ordo_graph_out(g)->n))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", !g ? "graph" : "room for scores");
    const ordo_vid n = ordo_graph_out(g)->n;
    const ordo_options chosen = chosen_for(options);
    ordo_status status = check_sources(g, source, count);
    if (status || (status = check(g, &chosen)))
        return status;
    ordo_vid *all = NULL;
    if (!source && !(all = ordo_alloc(n, sizeof *all)))
        return ORDO_ERR_MEMORY;
    if (!source)
        status = ordo_fill_ids(chosen.threads, all, n);
    ordo_betweenness_found out = {.sources = source ? count : n};
    const bc_request request = {source ? source : all, out.sources};
    for (ordo_u64 v = 0; v < n; v++)
        score[v] = 0;
    if (!status)
        status = ordo_is_native(&chosen) ? run_program(g, &request, &chosen, score, &out, stats)
                                         : run_operators(g, &request, &chosen, score, &out, stats);
    ordo_free(all);
    if (status)
        return status;
    for (ordo_u64 v = 0; v < n; v++)
        out.largest = fmax(out.largest, score[v]);
    *found = out;
    if (stats && ordo_is_native(&chosen) && ordo_is_auto(options))
        snprintf(stats->chosen, sizeof stats->chosen, "bc's program, which needs no atomics for most edges");
    return ORDO_OK;
}

ordo_status ordo_betweenness_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                    ordo_u64 *at_most)
{
    const ordo_options chosen = chosen_for(options);
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_status status = check(g, &chosen);
    if (status)
        return status;
    ordo_u64 fixed = ORDO_TRACE_MAX * sizeof(ordo_sample) + rows->n * (ordo_u64)sizeof(ordo_vid);
    if (!ordo_graph_symmetric(g))
        fixed += (rows->n + 1) * (ordo_u64)sizeof(ordo_eid) + rows->m * rows->stride * sizeof(ordo_vid);
    if (ordo_is_native(&chosen)) {
        *expected = *at_most = fixed + ordo_bc_program_memory(rows) + rows->n * (ordo_u64)sizeof(double);
        return ORDO_OK;
    }
    const bc_state unused = {0};
    ordo_u64 none = 0;
    const ordo_work work = ordo_vertex_work(op_for(g), g, &unused, &none, NULL); /* cells are not looked at */
    status = ordo_run_memory(&work, &chosen, expected, at_most);
    fixed += rows->n * (ordo_u64)(sizeof(ordo_u32) + 3 * sizeof(ordo_u64));
    *expected += fixed;
    *at_most = fixed + 8 * *at_most; /* a vertex may be put on the worklist several times */
    return status;
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    ordo_betweenness_found found;
    ordo_status status = ordo_answer_capacity(answer, ORDO_F64, ordo_graph_out(input->graph)->n, false);
    const bool several = input->source_count > 0;
    if (!status)
        status = ordo_betweenness(input->graph, several ? input->sources : &input->source,
                                  several ? input->source_count : 1, options, answer->values, &found, stats);
    if (status)
        return status;
    answer->fields[0] = (ordo_field){.name = "sources", .type = ORDO_U64, .whole = found.sources};
    answer->fields[1] = (ordo_field){.name = "max", .type = ORDO_F32, .real = found.largest};
    answer->fields[2] = (ordo_field){.name = "error", .type = ORDO_F32, .real = found.error};
    answer->fields[3] = (ordo_field){.name = "paths", .type = ORDO_F32, .real = found.most_paths};
    answer->field_count = 4;
    return ORDO_OK;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    const bool several = input->source_count > 0;
    return ordo_betweenness_verify(input->graph, several ? input->sources : &input->source,
                                   several ? input->source_count : 1, answer->values, answer->fields[2].real, how);
}

extern const ordo_app ordo_app_bc;
const ordo_app ordo_app_bc = {
    .name = "bc",
    .summary = "betweenness, from some sources or from all; weights are not used",
    .value_name = "betweenness",
    .needs_source = true,
    .sums_sources = true,
    .values_are_wide = true,
    .is_approximate = true,
    .op = op_for,
    .run = run,
    .verify = verify,
    .memory = ordo_betweenness_memory,
    .program = &program,
};
