/* hits.c -- the app of hubs and authorities: two runs of operators/hits.h a round, on the graph and on the reversed
 * one.
 *
 *   a = A^T h,  h = A a,  each scaled to add up to 1; at the start every hub is 1 / n        [Kleinberg, JACM 46(5),
 * 1999]
 *
 * Where all sums are 0 (no edge leads on), scores stay 0. A round whose hubs differ from those before by CHANGE at
 * most, in L1, is the last one.
 *
 * Scores stay on the device of the runs, by a session; between two runs passes (hits_passes.h) add them up and scale
 * them. The host sees a sum for each 4096 vertices.
 *
 * Rounding: all numbers are positive, so each operation changes an entry by a factor of 1 + 2^-53 at most, and nothing
 * cancels. So two computations of the same number of rounds differ in every entry by a factor of at most
 * 1 + e, e = rounds (2 d + 8) 2^-52 and a little, with d the largest degrees in and out together: scaling divides all
 * entries by the same number. ordo_hits_verify() allows that.
 *
 * Not done: a bound on the distance to the limit, which depends on the gap between the two largest singular values.
 */
#include <math.h>

#include <ordo/memory.h>

#include "apps/common.h"
#include "apps/hits_passes.h"
#include "apps/runs.h"
#include "framework/graph/graph.h"
#include "framework/run/in_rows.h"

static const double CHANGE = 1e-12;

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return ordo_operator_find("hits");
}

typedef struct iteration {
    ordo_runs runs;
    const ordo_graph *graph[2];     /* with the edges, and with reversed ones */
    double *hub, *next, *authority; /* [n] these arrays are the session's */
    double *far;                    /* [n] differences between a round's hubs and those before */
    double *piece[2];               /* [pieces of n] sums; [pieces of that] sums of these */
    double *sums;                   /* [pieces of pieces] the host's copy */
} iteration;

/* ---- sums whose order does not depend on threads or device: of pieces, of pieces of these, then by the host ---- */

enum { PIECE = 64 };

static ordo_u64 pieces(ordo_u64 n)
{
    return (n + PIECE - 1) / PIECE;
}

static ordo_u64 vertices(const iteration *it)
{
    return ordo_graph_out(it->graph[0])->n;
}

static ordo_status visit(iteration *it, const ordo_pass *pass, const hits_arrays *state, ordo_u64 count)
{
    return ordo_session_each(it->runs.session, &(ordo_each){.pass = pass, .state = state, .count = count}, NULL);
}

/* *sum becomes the sum of the n numbers. */
static ordo_status add_up(iteration *it, const double *from, double *sum)
{
    const ordo_u64 n = vertices(it), few = pieces(n), fewer = pieces(few);
    const hits_arrays first = {.from = from, .to = it->piece[0], .n = n, .count = few};
    const hits_arrays second = {.from = it->piece[0], .to = it->piece[1], .n = few, .count = fewer};
    ordo_status status = visit(it, &hits_add_pass, &first, few);
    if (!status)
        status = visit(it, &hits_add_pass, &second, fewer);
    if (!status)
        status = ordo_runs_read(&it->runs, it->sums, it->piece[1], fewer * sizeof *it->sums);
    *sum = 0;
    for (ordo_u64 i = 0; i < fewer && !status; i++)
        *sum += it->sums[i];
    return status;
}

/* Scales the scores so that they add up to 1; *change becomes their difference from `before`, in L1, where that is
 * given. */
static ordo_status scale(iteration *it, double *score, const double *before, double *change)
{
    double sum;
    ordo_status status = add_up(it, score, &sum);
    if (status)
        return status;
    if (!isfinite(sum))
        return ordo_fail(ORDO_ERR_OVERFLOW, "hits: sums of scores do not fit");
    const hits_arrays state = {
        .to = score, .from = before, .far = before ? it->far : NULL, .factor = sum > 0 ? 1 / sum : 0};
    status = visit(it, &hits_scale_pass, &state, vertices(it));
    return status || !before ? status : add_up(it, it->far, change);
}

/* ---- rounds ---- */

/* Makes `to` of `from`: one run, which computes cells from cells. */
static ordo_status half_round(iteration *it, int way, const double *from, double *to, const double *before,
                              double *change)
{
    const ordo_no_state none = {0};
    const hits_arrays copy = {.from = from, .to = to};
    ordo_status status = visit(it, &hits_copy_pass, &copy, vertices(it));
    if (status)
        return status;
    const ordo_work work = ordo_vertex_work(op_for(NULL), it->graph[way], &none, to, NULL);
    if (ordo_runs_late(&it->runs))
        return ordo_fail(ORDO_ERR_TIMEOUT, "hits under '%s' did not end within %g s", it->runs.options.scheduler,
                         it->runs.options.timeout);
    status = ordo_runs_one(&it->runs, &work);
    return status ? status : scale(it, to, before, change);
}

static ordo_status iterate(iteration *it, ordo_u64 rounds, ordo_hits_found *found)
{
    const hits_arrays begin = {.to = it->hub, .n = vertices(it)};
    ordo_status status = visit(it, &hits_begin_pass, &begin, vertices(it));
    *found = (ordo_hits_found){.change = 2};
    while (!status && found->rounds < rounds && found->change > CHANGE) {
        status = half_round(it, 0, it->hub, it->authority, NULL, NULL);
        if (!status)
            status = half_round(it, 1, it->authority, it->next, it->hub, &found->change);
        double *const hub = it->next;
        it->next = it->hub;
        it->hub = hub;
        found->rounds++;
    }
    return status;
}

/* The session's arrays: of the host those that are given. */
static ordo_status make_arrays(iteration *it, double *authority)
{
    const ordo_u64 n = vertices(it), few = pieces(n), fewer = pieces(few);
    ordo_session *s = it->runs.session;
    const struct {
        double **to, *host;
        ordo_u64 count;
    } array[] = {{&it->authority, authority, n}, {&it->hub, NULL, n},         {&it->next, NULL, n}, {&it->far, NULL, n},
                 {&it->piece[0], NULL, few},     {&it->piece[1], NULL, fewer}};
    ordo_status status = ORDO_OK;
    for (size_t i = 0; i < sizeof array / sizeof *array && !status; i++)
        status = ordo_session_array(s, array[i].host, array[i].count, sizeof(double), (void **)array[i].to);
    it->sums = ordo_alloc(fewer, sizeof *it->sums);
    return status || it->sums ? status : ORDO_ERR_MEMORY;
}

static ordo_status run_all(iteration *it, ordo_u64 rounds, double *hub, double *authority, ordo_hits_found *found)
{
    const size_t bytes = vertices(it) * sizeof *hub;
    ordo_status status = ordo_session_make(it->runs.options.device, it->runs.options.threads, &it->runs.session);
    if (!status)
        status = make_arrays(it, authority);
    if (!status)
        status = iterate(it, rounds, found);
    if (!status)
        status = ordo_runs_read(&it->runs, authority, it->authority, bytes);
    if (!status)
        status = ordo_runs_read(&it->runs, hub, it->hub, bytes);
    ordo_free(it->sums);
    it->sums = NULL;
    ordo_session_free(it->runs.session);
    it->runs.session = NULL;
    return status;
}

ordo_status ordo_hits(const ordo_graph *g, ordo_u64 rounds, const ordo_options *options, double *hub, double *authority,
                      ordo_hits_found *found, ordo_stats *stats)
{
    if (!g || !found || ((!hub || !authority) && ordo_graph_out(g)->n))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", g ? "room for scores" : "graph");
    if (!rounds)
        return ordo_fail(ORDO_ERR_USAGE, "0 rounds, expected 1 or more");
    const ordo_no_state none = {0};
    double cell = 0;
    iteration it = {.runs = {.options = ordo_options_or(options, "bsp"), .stats = stats}, .graph = {g}};
    const ordo_work work = ordo_vertex_work(op_for(g), g, &none, &cell, NULL); /* cells are not looked at */
    ordo_status status = ordo_run_check(&work, &it.runs.options);
    if (status)
        return status;
    const ordo_csr *in;
    ordo_graph *reversed = NULL;
    double prepared;
    status = ordo_in_rows(g, &it.runs.options, &in, &prepared);
    if (!status)
        status = ordo_graph_over_own(in, ordo_graph_symmetric(g), 0, &reversed);
    it.graph[1] = reversed;
    it.runs.start = ordo_clock();
    if (!status)
        do
            status = run_all(&it, rounds, hub, authority, found);
        while (ordo_runs_fall_back(&it.runs, status));
    ordo_runs_end(&it.runs, ordo_operator_name(work.op), status);
    if (it.runs.ran && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT))
        stats->prepare_seconds += prepared;
    ordo_graph_free(reversed);
    return status;
}

ordo_status ordo_hits_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    const ordo_no_state none = {0};
    double cell = 0;
    const ordo_options chosen = ordo_options_or(options, "bsp");
    const ordo_work work = ordo_vertex_work(op_for(g), g, &none, &cell, NULL); /* cells are not looked at */
    ordo_status status = ordo_run_memory(&work, &chosen, expected, at_most);
    if (status)
        return status;
    ordo_u64 lists, copy = ordo_copy_memory(g, ORDO_AS_STORED, &lists); /* rows of both directions */
    copy = ordo_graph_symmetric(g) ? 0 : 2 * copy;
    const ordo_u64 fixed = work.num_items * 4 * sizeof(double) + ORDO_TRACE_MAX * sizeof(ordo_sample);
    *expected += fixed + copy;
    *at_most = fixed + copy + 2 * *at_most;
    return ORDO_OK;
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    const ordo_vid n = ordo_graph_out(input->graph)->n;
    ordo_hits_found found;
    ordo_status status = ordo_answer_capacity(answer, ORDO_F64, n, false);
    double *hub = status ? NULL : ordo_alloc(n, sizeof *hub), *authority = answer->values;
    if (!status)
        status = hub ? ordo_hits(input->graph, input->rounds, options, hub, authority, &found, stats) : ORDO_ERR_MEMORY;
    double most[2] = {0, 0};
    for (ordo_vid v = 0; v < n && !status; v++) {
        most[0] = hub[v] > most[0] ? hub[v] : most[0];
        most[1] = authority[v] > most[1] ? authority[v] : most[1];
    }
    ordo_free(hub);
    if (status)
        return status;
    answer->fields[0] = (ordo_field){.name = "rounds", .type = ORDO_U64, .whole = found.rounds};
    answer->fields[1] = (ordo_field){.name = "change", .type = ORDO_F32, .real = found.change};
    answer->fields[2] = (ordo_field){.name = "max", .type = ORDO_F32, .real = most[1]};
    answer->fields[3] = (ordo_field){.name = "max_hub", .type = ORDO_F32, .real = most[0]};
    answer->field_count = 4;
    return ORDO_OK;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    const ordo_hits_found found = {.rounds = answer->fields[0].whole, .change = answer->fields[1].real};
    return ordo_hits_verify(input->graph, NULL, answer->values, &found, how);
}

extern const ordo_app ordo_app_hits;
const ordo_app ordo_app_hits = {
    .name = "hits",
    .summary = "hubs and authorities; values are authorities",
    .value_name = "authority",
    .has_rounds = true,
    .values_are_wide = true,
    .is_approximate = true,
    .by_names = true,
    .op = op_for,
    .run = run,
    .verify = verify,
    .memory = ordo_hits_memory,
};
