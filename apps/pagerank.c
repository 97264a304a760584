/* pagerank.c -- the app of PageRank: one run, then ranks and their error.
 *
 * There are two operators: operators/pagerank_pull.h gathers (apps/pagerank_pull.c has the rest of it), and
 * operators/pagerank.h pushes, which is below: from all vertices. The app takes the first that the options allow, so it
 * pushes where they name a scheduler, a sync or a tunable that is for pushing alone.
 *
 * A random walk follows a random out-edge with probability d; otherwise, and where there is no out-edge, it jumps to a
 * random vertex. The ranks are its stationary distribution: they add up to 1. Pushing solves the same problem without
 * the jumps out of dangling vertices:
 *
 *   y = (1 - d) / n + d P' y,   P'(u, v) = 1 / deg(u) for every edge, nothing for vertices without one
 *
 * The ranks are y / |y|, since dangling vertices give the same to all vertices (Del Corso, Gulli and Romani 2005). The
 * error follows from the residuals r that the run leaves and the losses l of rounding down: with x the sums of what was
 * taken, y - x = (I - d P')^-1 (r + l). No term is negative, and no column of the inverse adds up to more than
 * 1 / (1 - d). |r + l| follows from x alone, in whole numbers: it is the initial sum less what x has passed on. x + r
 * is used for y, since it is nearer than x.
 *
 * Not done: tolerances that the fixed point, in units of 2^-62, cannot give; they are refused.
 */
#include "apps/common.h"

#include <float.h>
#include <math.h>

#include <ordo/memory.h>
#include <ordo/ranks.h>

#include "apps/pagerank_pull.h"
#include "framework/graph/graph.h"
#include "framework/run/plan.h"
#include "framework/run/reserved.h"

#include "operators/pagerank.h"

enum { UNIT_BITS = 62, DAMPING_BITS = 64 };

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return ordo_operator_find("pagerank");
}

/* Tolerance and damping in units of the fixed point, for n vertices. */
static ordo_status state_for(const ordo_csr *g, double damping, double tolerance, pagerank_state *s)
{
    if (!(damping >= 0 && damping <= 1 - 0x1p-20))
        return ordo_fail(ORDO_ERR_USAGE, "damping %.9g, expected 0 to %.7g", damping, 1 - 0x1p-20);
    const double units = ldexp(tolerance, UNIT_BITS) / (g->n ? g->n : 1);
    if (!(units >= 1) || tolerance > 1)
        return ordo_fail(ORDO_ERR_USAGE, "tolerance %g, expected %g to 1 for %u vertices", tolerance,
                         ldexp(g->n, -UNIT_BITS), g->n);
    *s = (pagerank_state){.row = g->row, .least = (ordo_u64)units, .damping = (ordo_u64)ldexp(damping, DAMPING_BITS)};
    return ORDO_OK;
}

typedef struct filling {
    ordo_u64 *residual, *rank, first;
} filling;

static void fill_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const filling *f = arg;
    for (ordo_u64 v = begin; v < end; v++) {
        f->residual[v] = f->first;
        f->rank[v] = 0;
    }
}

typedef struct totals {
    const pagerank_state *s;
    const ordo_u64 *residual; /* [n] */
    ordo_u64 taken, stuck;    /* atomic: of x with edges out, and without */
    ordo_u64 left, dangling;  /* atomic: of r; vertices without edges out */
    double whole;             /* |x + r| */
    double *rank;             /* [n] */
} totals;

static void total_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    totals *t = arg;
    const pagerank_state *s = t->s;
    ordo_u64 taken = 0, stuck = 0, left = 0, dangling = 0;
    for (ordo_u64 v = begin; v < end; v++) {
        bool out = s->row[v + 1] > s->row[v];
        taken += out ? s->rank[v] : 0;
        stuck += out ? 0 : s->rank[v];
        left += t->residual[v];
        dangling += !out;
    }
    ordo_add_u64(&t->taken, taken);
    ordo_add_u64(&t->stuck, stuck);
    ordo_add_u64(&t->left, left);
    ordo_add_u64(&t->dangling, dangling);
}

static void rank_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const totals *t = arg;
    for (ordo_u64 v = begin; v < end; v++)
        t->rank[v] = (double)(t->s->rank[v] + t->residual[v]) / t->whole;
}

/* Computes ranks from x and r, and a bound of their error. */
static ordo_status conclude(totals *t, ordo_vid n, ordo_u64 first, int threads, ordo_ranks *ranks)
{
    ordo_status status = ordo_for_ranges(threads, n, ORDO_GRAIN, total_range, t);
    if (status)
        return status;
    ordo_u64 passed = pagerank_damped(t->s->damping, t->taken); /* and less than 1 more */
    double stays = 1 - ldexp((double)t->s->damping, -DAMPING_BITS);
    double missing = (double)(first * n + passed + 1 - t->taken - t->stuck) / stays - (double)t->left;
    missing = missing > 0 ? missing : 0;
    t->whole = (double)(t->taken + t->stuck + t->left);
    *ranks = (ordo_ranks){.error = n ? 2 * missing / (t->whole + missing) + 8 * DBL_EPSILON / stays : 0,
                          .residual = ldexp((double)t->left, -UNIT_BITS),
                          .dangling = t->dangling};
    return ordo_for_ranges(threads, n, ORDO_GRAIN, rank_range, t);
}

/* Whether the options allow the operator that gathers, in rounds: by residual, it reads the in-edges of a vertex beside
 * the out-edges that pushing takes. */
static bool may_pull(const ordo_graph *g, double tolerance, const ordo_options *options, ordo_options *chosen)
{
    const ordo_u64 any = 0; /* cells and state are not read */
    const ordo_work work = ordo_vertex_work(ordo_pagerank_pull_op(tolerance), g, &any, (void *)(size_t)&any, NULL);
    *chosen = ordo_pagerank_pull_options(options);
    ordo_choice choice;
    return ordo_run_choice(&work, chosen, &choice) == ORDO_OK && choice.sync == ORDO_SYNC_RACY;
}

static ordo_status push(const ordo_graph *g, double damping, double tolerance, const ordo_options *options,
                        double *rank, ordo_ranks *ranks, ordo_stats *stats)
{
    const ordo_csr *csr = ordo_graph_out(g);
    const ordo_vid n = csr->n;
    pagerank_state s;
    ordo_options chosen = ordo_options_or(options, "bsp");
    ordo_work work = ordo_vertex_work(op_for(g), g, &s, &s.least, NULL); /* cells are not read yet */
    ordo_status status = state_for(csr, damping, tolerance, &s);
    if (status || (status = ordo_run_check(&work, &chosen)))
        return status;
    filling f = {.residual = ordo_alloc(n, sizeof *f.residual),
                 .rank = ordo_alloc(n, sizeof *f.rank),
                 .first = (ordo_u64)ldexp(1 - damping, UNIT_BITS) / (n ? n : 1)};
    status = f.residual && f.rank ? ordo_for_ranges(chosen.threads, n, 0, fill_range, &f) : ORDO_ERR_MEMORY;
    s.rank = f.rank;
    work.cells = f.residual;
    if (!status)
        status = ordo_run(&work, &chosen, stats);
    totals t = {.s = &s, .residual = f.residual, .rank = rank};
    if (!status)
        status = conclude(&t, n, f.first, chosen.threads, ranks);
    ordo_free(f.residual);
    ordo_free(f.rank);
    return status;
}

ordo_status ordo_pagerank(const ordo_graph *g, double damping, double tolerance, const ordo_options *options,
                          double *rank, ordo_ranks *ranks, ordo_stats *stats)
{
    if (!g || !ranks || (!rank && ordo_graph_out(g)->n))
        return ordo_fail(ORDO_ERR_USAGE, "the array of ranks or the graph is NULL");
    pagerank_state s;
    ordo_options chosen;
    ordo_status status = state_for(ordo_graph_out(g), damping, tolerance, &s);
    if (status)
        return status;
    return may_pull(g, tolerance, options, &chosen)
               ? ordo_pagerank_pull(g, damping, tolerance, &chosen, rank, ranks, stats)
               : push(g, damping, tolerance, options, rank, ranks, stats);
}

/* Fills in defaults. */
static ordo_status check_query(const ordo_rank_query *query, const ordo_rank_answer *a, ordo_rank_query *out)
{
    static const double DAMPING = 0.85, TOLERANCE = 1e-6;
    if (!a)
        return ordo_fail(ORDO_ERR_USAGE, "no answer given");
    *out = query ? *query : (ordo_rank_query){0};
    out->damping = out->damping == 0 ? DAMPING : out->damping;
    out->tolerance = out->tolerance == 0 ? TOLERANCE : out->tolerance;
    ordo_status status = ORDO_RESERVED_CHECK(ordo_rank_query, out);
    return status ? status : ORDO_RESERVED_CHECK(ordo_rank_answer, a);
}

ordo_status ordo_pagerank_of(const ordo_graph *g, const ordo_rank_query *query, const ordo_options *options,
                             const ordo_rank_answer *answer)
{
    ordo_rank_query q;
    ordo_status status = check_query(query, answer, &q);
    return status ? status
                  : ordo_pagerank(g, q.damping, q.tolerance, options, answer->rank, answer->ranks, answer->stats);
}

ordo_status ordo_pagerank_of_verify(const ordo_graph *g, const ordo_rank_query *query, const ordo_rank_answer *answer,
                                    ordo_verify_how how)
{
    ordo_rank_query q;
    ordo_status status = check_query(query, answer, &q);
    if (!status && !answer->ranks)
        status = ordo_fail(ORDO_ERR_USAGE, "no ranks given");
    return status ? status : ordo_pagerank_verify(g, q.damping, answer->rank, answer->ranks->error, how);
}

/* The tolerance is not known: as for cells of f64, which take more, unless these cannot run. */
ordo_status ordo_pagerank_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                 ordo_u64 *at_most)
{
    static const double WIDE = 0, NARROW = 1; /* tolerances for f64, f32 */
    pagerank_state s = {0};
    ordo_options chosen;
    const bool wide = may_pull(g, WIDE, options, &chosen), pulls = wide || may_pull(g, NARROW, options, &chosen);
    const ordo_operator *const pull = ordo_pagerank_pull_op(wide ? WIDE : NARROW);
    if (!pulls)
        chosen = ordo_options_or(options, "bsp");
    ordo_work work = ordo_vertex_work(pulls ? pull : op_for(g), g, &s, &s.least, NULL);
    ordo_status status = ordo_run_memory(&work, &chosen, expected, at_most); /* cells are not read */
    if (status)
        return status;
    if (pulls) {
        const ordo_u64 arrays = work.num_items * sizeof(ordo_f64);
        *expected = arrays + work.num_items * 2 * work.op->entry;
        *at_most = *expected;
        return ORDO_OK;
    }
    /* With buckets, each push may leave a stale entry in a later bucket: 5 times the memory of one improvement for each
     * edge was seen. */
    ordo_u64 fixed = work.num_items * 2 * sizeof(ordo_u64);
    *expected += fixed;
    *at_most = fixed + 8 * *at_most;
    return ORDO_OK;
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    ordo_ranks ranks;
    ordo_status status = ordo_answer_capacity(answer, ORDO_F64, ordo_graph_out(input->graph)->n, false);
    if (!status)
        status = ordo_pagerank(input->graph, input->damping, input->tolerance, options, answer->values, &ranks, stats);
    if (status)
        return status;
    answer->fields[0] = (ordo_field){.name = "error", .type = ORDO_F32, .real = ranks.error};
    answer->fields[1] = (ordo_field){.name = "residual", .type = ORDO_F32, .real = ranks.residual};
    answer->fields[2] = (ordo_field){
        .name = "max", .type = ORDO_F32, .real = ordo_largest(options->threads, answer->values, answer->n)};
    answer->fields[3] = (ordo_field){.name = "dangling", .type = ORDO_U64, .whole = ranks.dangling};
    answer->field_count = 4;
    return ORDO_OK;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    return ordo_pagerank_verify(input->graph, input->damping, answer->values, answer->fields[0].real, how);
}

extern const ordo_app ordo_app_pagerank;
const ordo_app ordo_app_pagerank = {
    .name = "pagerank",
    .summary = "PageRank, with a bound on its error",
    .value_name = "rank",
    .has_ranks = true,
    .values_are_wide = true,
    .is_approximate = true,
    .by_names = true,
    .op = op_for,
    .own_rows_suffice = ordo_own_rows_always,
    .run = run,
    .verify = verify,
    .memory = ordo_pagerank_memory,
};
