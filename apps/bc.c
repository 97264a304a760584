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

#include "apps/bc_passes.h"
#include "apps/bc_program.h"
#include "apps/common.h"
#include "apps/runs.h"
#include "framework/graph/graph.h"
#include "framework/run/in_rows.h"
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
    bc_arrays arrays; /* of the session, as `one` is */
    ordo_item *one;   /* [1] the source */
    ordo_betweenness_found *found;
} sweep;

/* A pass over all vertices; rows NULL: it reads none. */
static ordo_status pass(sweep *s, const ordo_pass *visit, const ordo_graph *rows, ordo_found *found)
{
    const ordo_each each = {.pass = visit, .state = &s->arrays, .count = s->n, .graph = rows};
    return ordo_session_each(s->runs.session, &each, found);
}

static ordo_status find_levels(sweep *s)
{
    const bfs_state state = {.limit = ordo_limit_u32((double)INFINITY)};
    ordo_work work = ordo_vertex_work(ordo_operator_find("bfs"), s->out, &state, s->arrays.level, NULL);
    work.initial = s->one;
    work.initial_count = 1;
    ordo_status status = ordo_session_write(s->runs.session, s->one, &s->arrays.source, sizeof *s->one);
    if (!status)
        status = pass(s, &bc_levels_pass, NULL, NULL);
    return status ? status : ordo_runs_one(&s->runs, &work);
}

/* Passes on what the cells hold, into sum[n]. */
static ordo_status add_up(sweep *s, bool backward, ordo_u64 *sum, ordo_u64 deepest)
{
    const bc_state state = {s->arrays.level, sum, backward, (ordo_u32)deepest};
    const ordo_work work = ordo_vertex_work(op_for(s->out), backward ? s->in : s->out, &state, s->arrays.cells, NULL);
    return ordo_runs_one(&s->runs, &work);
}

static ordo_status add_source(sweep *s, ordo_vid source)
{
    ordo_found levels = {0}, wrapped = {0}, paths = {0};
    s->arrays.source = source;
    ordo_status status = find_levels(s);
    if (!status)
        status = pass(s, &bc_count_pass, NULL, &levels);
    if (!status)
        status = add_up(s, false, s->arrays.paths, levels.value);
    if (!status)
        status = pass(s, &bc_wrapped_pass, s->in, &wrapped);
    if (!status && wrapped.count)
        status =
            ordo_fail(ORDO_ERR_OVERFLOW,
                      "source %u: more than 2^64 - 1 shortest paths lead to vertex %u; scheduler 'native' counts more",
                      source, (ordo_vid)wrapped.value);
    if (!status)
        status = pass(s, &bc_divide_pass, NULL, NULL);
    if (!status)
        status = add_up(s, true, s->arrays.x, levels.value);
    if (!status)
        status = pass(s, &bc_score_pass, NULL, &paths);
    s->found->most_paths = fmax(s->found->most_paths, (double)paths.value);
    return status;
}

/* The session's arrays; score[n] and error[n] are the host's, and 0. */
static ordo_status make_arrays(sweep *s, double *score, double *error)
{
    ordo_session *session = s->runs.session;
    const struct {
        void **array;
        double *host;
        size_t size;
    } list[] = {{(void **)&s->arrays.level, NULL, sizeof(ordo_u32)},
                {(void **)&s->arrays.cells, NULL, 8},
                {(void **)&s->arrays.paths, NULL, 8},
                {(void **)&s->arrays.x, NULL, 8},
                {(void **)&s->arrays.score, score, 8},
                {(void **)&s->arrays.error, error, 8}};
    ordo_status status = ordo_session_array(session, NULL, 1, sizeof *s->one, (void **)&s->one);
    for (size_t i = 0; i < sizeof list / sizeof list[0] && !status; i++) {
        status = ordo_session_array(session, list[i].host, s->n, list[i].size, list[i].array);
        if (!status && list[i].host)
            status = ordo_runs_write(&s->runs, *list[i].array, list[i].host, s->n * sizeof(double));
    }
    return status;
}

static ordo_status add_sources(sweep *s, const bc_request *request, double *score, double *error)
{
    const ordo_options *options = &s->runs.options;
    ordo_status status = ordo_session_make(options->device, options->threads, &s->runs.session);
    if (!status)
        status = make_arrays(s, score, error);
    for (ordo_u64 i = 0; i < request->count && !status; i++) {
        if (ordo_runs_late(&s->runs))
            status = ordo_fail(ORDO_ERR_TIMEOUT, "bc under '%s' did not end within %g s: %llu of %llu sources",
                               options->scheduler, options->timeout, (unsigned long long)i,
                               (unsigned long long)request->count);
        else
            status = add_source(s, request->source[i]);
    }
    if (!status)
        status = ordo_runs_read(&s->runs, score, s->arrays.score, s->n * sizeof *score);
    if (!status)
        status = ordo_runs_read(&s->runs, error, s->arrays.error, s->n * sizeof *error);
    ordo_session_free(s->runs.session);
    s->runs.session = NULL; /* a second call may fail before it has made one */
    for (ordo_u64 v = 0; v < s->n && !status; v++)
        s->found->error += error[v];
    return status;
}

static ordo_status run_operators(const ordo_graph *g, const bc_request *request, const ordo_options *options,
                                 double *score, ordo_betweenness_found *found, ordo_stats *stats)
{
    const ordo_csr *in;
    ordo_graph *reversed = NULL;
    int shift = 62;
    sweep s = {.runs = {.options = *options, .stats = stats}, .out = g, .n = ordo_graph_out(g)->n, .found = found};
    double prepared;
    ordo_status status = ordo_in_rows(g, options, &in, &prepared);
    if (!status)
        status = ordo_graph_over_own(in, ordo_graph_symmetric(g), 0, &reversed);
    if (status)
        return status;
    s.in = reversed;
    while (s.n >> (62 - shift))
        shift--;
    s.arrays.unit = ldexp(1, -shift);
    s.arrays.one = (ordo_u64)1 << shift;
    double *error = ordo_alloc_zero(s.n, sizeof *error);
    status = error ? ORDO_OK : ORDO_ERR_MEMORY;
    s.runs.start = ordo_clock();
    if (!status) {
        status = add_sources(&s, request, score, error);
        if (ordo_runs_fall_back(&s.runs, status)) {
            for (ordo_u64 v = 0; v < s.n; v++) /* a read that failed half-way may have filled them */
                score[v] = error[v] = 0;
            *found = (ordo_betweenness_found){.sources = found->sources};
            status = add_sources(&s, request, score, error);
        }
    }
    ordo_runs_end(&s.runs, ordo_operator_name(op_for(g)), status);
    if (s.runs.ran && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT))
        stats->prepare_seconds += prepared;
    ordo_free(error);
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
    fixed += rows->n * (ordo_u64)(sizeof(ordo_u32) + 4 * sizeof(ordo_u64));
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
    .by_names = true,
    .op = op_for,
    .run = run,
    .verify = verify,
    .memory = ordo_betweenness_memory,
    .program = &program,
};
