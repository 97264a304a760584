/* hits.c -- the app of hubs and authorities: two runs of operators/hits.h a round, on the graph and on the reversed
 * one.
 *
 *   a = A^T h,  h = A a,  each scaled to add up to 1; at the start every hub is 1 / n        [Kleinberg, JACM 46(5),
 * 1999]
 *
 * Where all sums are 0 (no edge leads on), scores stay 0. A round whose hubs differ from those before by CHANGE at
 * most, in L1, is the last one.
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
#include "apps/runs.h"

static const double CHANGE = 1e-12;

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return ordo_operator_find("hits");
}

/* ---- sums whose order does not depend on threads: of pieces of ORDO_GRAIN, then of these ---- */

typedef struct scaling {
    double *score;        /* [n] */
    const double *before; /* [n] or NULL */
    double factor;
    double *piece[2]; /* [pieces] sums of scores; of differences from `before` */
    ordo_u64 n;
} scaling;

static void sum_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    scaling *s = arg;
    for (ordo_u64 first = begin; first < end; first += ORDO_GRAIN) {
        double sum = 0;
        for (ordo_u64 v = first; v < end && v < first + ORDO_GRAIN; v++)
            sum += s->score[v];
        s->piece[0][first / ORDO_GRAIN] = sum;
    }
}

static void scale_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    scaling *s = arg;
    for (ordo_u64 first = begin; first < end; first += ORDO_GRAIN) {
        double far = 0;
        for (ordo_u64 v = first; v < end && v < first + ORDO_GRAIN; v++) {
            s->score[v] *= s->factor;
            far += s->before ? fabs(s->score[v] - s->before[v]) : 0;
        }
        s->piece[1][first / ORDO_GRAIN] = far;
    }
}

static double add_pieces(const scaling *s, int which)
{
    double sum = 0;
    for (ordo_u64 i = 0; i < (s->n + ORDO_GRAIN - 1) / ORDO_GRAIN; i++)
        sum += s->piece[which][i];
    return sum;
}

/* Scales the scores so that they add up to 1; *change becomes their difference from `before`, in L1. */
static ordo_status scale(scaling *s, int threads, double *change)
{
    ordo_status status = ordo_for_ranges(threads, s->n, ORDO_GRAIN, sum_range, s);
    if (status)
        return status;
    const double sum = add_pieces(s, 0);
    if (!isfinite(sum))
        return ordo_fail(ORDO_ERR_OVERFLOW, "hits: sums of scores do not fit");
    s->factor = sum > 0 ? 1 / sum : 0;
    status = ordo_for_ranges(threads, s->n, ORDO_GRAIN, scale_range, s);
    *change = add_pieces(s, 1);
    return status;
}

/* ---- rounds ---- */

typedef struct iteration {
    ordo_runs runs;
    const ordo_graph *graph[2]; /* with the edges, and with reversed ones */
    double *hub, *authority;    /* [n] */
    scaling scaling;
} iteration;

/* Makes `to` of `from`: one run, which computes cells from cells. */
static ordo_status half_round(iteration *it, int way, const double *from, double *to, double *change)
{
    const ordo_vid n = ordo_graph_out(it->graph[0])->n;
    const int threads = it->runs.options.threads;
    const ordo_no_state none = {0};
    for (ordo_vid v = 0; v < n; v++)
        to[v] = from[v];
    const ordo_work work = ordo_vertex_work(op_for(NULL), it->graph[way], &none, to, NULL);
    if (ordo_runs_late(&it->runs))
        return ordo_fail(ORDO_ERR_TIMEOUT, "hits under '%s' did not end within %g s", it->runs.options.scheduler,
                         it->runs.options.timeout);
    const ordo_status status = ordo_runs_one(&it->runs, &work);
    it->scaling.score = to;
    return status ? status : scale(&it->scaling, threads, change);
}

static ordo_status iterate(iteration *it, ordo_u64 rounds, ordo_hits_found *found)
{
    const ordo_vid n = ordo_graph_out(it->graph[0])->n;
    double *next = ordo_alloc(n, sizeof *next), unused;
    ordo_status status = next ? ORDO_OK : ORDO_ERR_MEMORY;
    for (ordo_vid v = 0; v < n; v++)
        it->hub[v] = 1.0 / n;
    *found = (ordo_hits_found){.change = 2};
    while (!status && found->rounds < rounds && found->change > CHANGE) {
        it->scaling.before = NULL;
        status = half_round(it, 0, it->hub, it->authority, &unused);
        it->scaling.before = it->hub;
        if (!status)
            status = half_round(it, 1, it->authority, next, &found->change);
        for (ordo_vid v = 0; v < n && !status; v++)
            it->hub[v] = next[v];
        found->rounds++;
    }
    ordo_free(next);
    return status;
}

static ordo_status run_all(iteration *it, ordo_u64 rounds, ordo_hits_found *found)
{
    const ordo_u64 n = ordo_graph_out(it->graph[0])->n;
    it->scaling.n = n;
    for (int i = 0; i < 2; i++)
        it->scaling.piece[i] = ordo_alloc(n / ORDO_GRAIN + 1, sizeof *it->scaling.piece[i]);
    const ordo_status status =
        it->scaling.piece[0] && it->scaling.piece[1] ? iterate(it, rounds, found) : ORDO_ERR_MEMORY;
    ordo_free(it->scaling.piece[0]);
    ordo_free(it->scaling.piece[1]);
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
    iteration it = {.runs = {.options = ordo_options_or(options, "bsp"), .stats = stats},
                    .graph = {g},
                    .hub = hub,
                    .authority = authority};
    const ordo_work work = ordo_vertex_work(op_for(g), g, &none, &cell, NULL); /* cells are not looked at */
    ordo_status status = ordo_run_check(&work, &it.runs.options);
    if (status)
        return status;
    const ordo_csr *in;
    ordo_graph *reversed = NULL;
    const double before = ordo_clock();
    status = ordo_graph_in(g, it.runs.options.threads, &in);
    if (!status)
        status = ordo_graph_borrow(in, ordo_graph_symmetric(g), &reversed);
    it.graph[1] = reversed;
    it.runs.start = ordo_clock();
    if (!status)
        status = run_all(&it, rounds, found);
    ordo_runs_end(&it.runs, ordo_operator_name(work.op), status);
    if (it.runs.ran && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT))
        stats->prepare_seconds += it.runs.start - before;
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
    const ordo_u64 fixed = work.num_items * 2 * sizeof(double) + ORDO_TRACE_MAX * sizeof(ordo_sample);
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
    .op = op_for,
    .run = run,
    .verify = verify,
    .memory = ordo_hits_memory,
};
