/* pagerank_pull.c -- PageRank by gathering: one run of operators/pagerank_pull.h.
 *
 * The equation and its solution y are those of apps/pagerank.c: jumps out of dangling vertices are left out, and the
 * ranks are y / |y|.
 *
 * The error follows from the last round, which made x' of x; x(u) is defined as what the cell of u says, c(u) deg(u) /
 * d. What an edge (u, v) has passed on is d z(u) / deg(u), where z(u) is x(u) or x'(u): the operator may run in place.
 * Rounding aside, x'(v) - y(v) is the sum of d (z(u) - y(u)) / deg(u). |z(u) - y(u)| is at most |x'(u) - y(u)| +
 * |x'(u) - x(u)|, and a vertex passes on at most d of what it has, so in L1 |x' - y| <= d (|x' - y| + |x' - x|). With e
 * for the relative rounding error of a round:
 *
 *   |x' - y| <= (d |x' - x| + e |x'|) / (1 - d)
 *
 * e has two roundings to the type of cells (the scale d / deg and the cell), and those of a sum in double of at most m
 * addends. To divide both by their sums makes at most twice the error, relative to |x'|.
 *
 * Over-relaxation. Where rows are short, as on roads and grids, what a region has too much of leaves it slowly: by a
 * factor of d^2 a round in place. With w = 2 / (1 + sqrt(1 - d^2)), best for lattices and trees [Young 1954], rounds in
 * place go w times as far as the step, x' = x + w (step - x), and that factor becomes w - 1 (0.31 for d = 0.85). In
 * terms of what an edge passes on, symmetric rows make the equation one of a matrix that is symmetric and positive
 * definite, D - d A. A vertex that is computed from current cells then takes the quadratic form nearer to its minimum,
 * in any order, for w between 0 and 2. Only neighbours that are computed in the same instant read cells that are not
 * current; so a few threads are a sequence nearly always, and a GPU, bsp and directed edges keep to w = 1. Should half
 * of the most rounds not be enough, the ranks are computed again with w = 1. Where rows are long the ranks are smooth
 * after few rounds, and w > 1 takes more. As x' - step = (1 - 1 / w) (x' - x), the bound has d + 1 - 1 / w in place of
 * the first d, and a third rounding, for the step is not exactly x'.
 *
 * A damping of less than 2^-40 is taken for 2^-40, for a cell must hold a rank; that moves y by at most 2^-39.
 *
 * Where a run begins. Where degrees differ, equal ranks are far off: a rank is nearly linear in the in-degree. Expected
 * ranks are those of a graph whose edges all pass on the same: base + d S in(v) / m, where S is what the senders, the
 * vertices with out-edges, have in all. If a share q of the edges ends at senders, S = base senders + d q S. Expected
 * ranks change less in the first round, but they give regions of the graph too much or too little in all, and a round
 * mends that by a factor of d at best. Equal ranks give every component with symmetric rows the right sum, and
 * double-buffered rounds keep it; rounds in place do not. So the first round of both is tried on a sample of the
 * vertices, which also estimates S and q: expected ranks are taken if it would change TIMES_LESS times less, and for
 * fine tolerances only in place.
 *
 * Not done: reusing the ranks of an earlier run.
 */
#include "apps/pagerank_pull.h"

#include "apps/common.h"
#include "apps/runs.h"
#include "framework/graph/graph.h"
#include "framework/run/in_rows.h"
#include "framework/run/plan.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include <ordo/memory.h>

#define ORDO_WEIGHT f32
#include "operators/pagerank_pull.h"
#undef ORDO_WEIGHT
#define ORDO_WEIGHT f64
#include "operators/pagerank_pull.h"
#undef ORDO_WEIGHT

/* Ranks of f32 are exact enough down to this tolerance. */
static const double FINEST_F32 = 1e-6;
static const double LEAST_DAMPING = 0x1p-40;
/* For expected ranks: how many times less the first round changes; the finest tolerance of double-buffered rounds; the
 * vertices of the sample, at most. */
static const double TIMES_LESS = 9, FINEST_EXPECTED = 1e-5;
enum { SAMPLE = 4096 };
/* Edges of a vertex, on average at most, for over-relaxation. */
enum { SHORT_ROWS = 4 };

const ordo_operator *ordo_pagerank_pull_op(double tolerance)
{
    return ordo_operator_find(tolerance >= FINEST_F32 ? "pagerank_pull_f32" : "pagerank_pull_f64");
}

ordo_options ordo_pagerank_pull_options(const ordo_options *options)
{
    /* over ranks rounds are double-buffered */
    return options && options->group ? ordo_options_or(options, "bsp") : ordo_options_or_auto(options, "topology");
}

/* The arrays of a run; those of one type are used. */
typedef struct arrays {
    const ordo_csr *g, *in;
    bool own_rows;              /* alone: edges of others are not there */
    bool wide;                  /* f64 */
    double damping, base;       /* d; (1 - d) / n */
    double relaxation;          /* of the operator */
    double first, each;         /* v's rank begins as first + each in(v) */
    ordo_f32 *cell32, *scale32; /* [n] */
    ordo_f64 *cell64, *scale64; /* [n] */
    ordo_u64 dangling;          /* atomic: vertices without an out-edge */
    double *part;               /* [parts] sums of ranks, of ranges of ORDO_GRAIN vertices */
    double whole, *out;         /* their sum; [n] ranks over their sum */
} arrays;

static ordo_u64 degree_of(const ordo_csr *g, ordo_u64 v)
{
    return g->row[v + 1] - g->row[v];
}

/* d / deg(v); 1 for a vertex without out-edges. */
static double scale_of(const arrays *a, ordo_u64 v)
{
    const ordo_u64 degree = degree_of(a->g, v);
    return degree ? a->damping / (double)degree : 1;
}

/* By a product, which takes less time than a division by scale_of(). */
static double rank_of(const arrays *a, double inverse, ordo_u64 v)
{
    const ordo_u64 degree = a->g->row[v + 1] - a->g->row[v];
    return (a->wide ? a->cell64[v] : (double)a->cell32[v]) * (degree ? (double)degree * inverse : 1);
}

/* Chooses equal or expected ranks. */
static void choose_begin(arrays *a, double tolerance, bool double_buffered)
{
    const ordo_csr *in = a->in;
    const ordo_u64 n = in->n, m = in->m, step = n / SAMPLE + 1;
    a->first = 1.0 / (double)(n ? n : 1);
    if (m == 0 || a->own_rows || (double_buffered && tolerance < FINEST_EXPECTED))
        return;
    double sampled = 0, seen = 0, dangling = 0, lost = 0; /* vertices, in-edges; those without out-edges, of these */
    for (ordo_u64 v = 0; v < n; v += step) {
        const double edges = (double)degree_of(in, v);
        const bool sends = degree_of(a->g, v) > 0;
        sampled++;
        seen += edges;
        dangling += !sends;
        lost += sends ? 0 : edges;
    }
    const double senders = (double)n * (1 - dangling / sampled), q = seen > 0 ? 1 - lost / seen : 1;
    const double each = a->damping * a->base * senders / (1 - a->damping * q) / (double)m;
    double equal = 0, expected = 0; /* how far the first round moves the sample */
    for (ordo_u64 v = 0; v < n; v += step) {
        double one = 0, more = 0; /* what v gets if every rank is 1; if it is the in-degree */
        for (ordo_eid e = in->row[v]; e < in->row[v + 1]; e++) {
            const ordo_vid u = in->head[e * in->stride];
            one += scale_of(a, u);
            more += scale_of(a, u) * (double)degree_of(in, u);
        }
        equal += fabs(a->base + a->first * one - a->first);
        expected += fabs(a->base * one + each * (more - (double)degree_of(in, v)));
    }
    if (TIMES_LESS * expected > equal)
        return;
    a->first = a->base;
    a->each = each;
}

static void fill_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    arrays *a = arg;
    ordo_u64 dangling = 0;
    for (ordo_u64 v = begin; v < end; v++) {
        dangling += degree_of(a->g, v) == 0;
        const double scale = scale_of(a, v), rank = a->first + a->each * (double)degree_of(a->in, v);
        if (a->wide) {
            a->cell64[v] = rank * scale;
            a->scale64[v] = scale;
        } else {
            a->cell32[v] = (ordo_f32)(rank * scale);
            a->scale32[v] = (ordo_f32)scale;
        }
    }
    ordo_add_u64(&a->dangling, dangling);
}

static void sum_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    arrays *a = arg;
    const double inverse = 1 / a->damping;
    for (ordo_u64 first = begin; first < end; first += ORDO_GRAIN) {
        const ordo_u64 last = first + ORDO_GRAIN < end ? first + ORDO_GRAIN : end;
        double sum = 0;
        for (ordo_u64 v = first; v < last; v++)
            sum += rank_of(a, inverse, v);
        a->part[first / ORDO_GRAIN] = sum;
    }
}

static void divide_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const arrays *a = arg;
    const double inverse = 1 / a->damping, share = 1 / a->whole;
    for (ordo_u64 v = begin; v < end; v++)
        a->out[v] = rank_of(a, inverse, v) * share;
}

/* Computes ranks, and a bound of their error. */
static ordo_status conclude(arrays *a, double change, int threads, ordo_ranks *ranks)
{
    const ordo_vid n = a->g->n;
    ordo_status status = ordo_for_ranges(threads, n, ORDO_GRAIN, sum_range, a);
    if (status)
        return status;
    a->whole = 0;
    for (ordo_u64 i = 0; i * ORDO_GRAIN < n; i++)
        a->whole += a->part[i];
    const double unit = (a->wide ? DBL_EPSILON : (double)FLT_EPSILON) / 2;
    const double rounding = 4 * unit + (double)a->g->m * DBL_EPSILON / 2;
    const double sums = 1 + 1e-6; /* the roundings of |x'| and of the change, in double */
    const double step = a->damping + 1 - 1 / a->relaxation;
    const double error = sums * (step * change + rounding * a->whole) / (1 - a->damping) +
                         (a->damping > LEAST_DAMPING ? 0 : 2 * LEAST_DAMPING);
    *ranks = (ordo_ranks){.error = n ? 2 * error / a->whole + 16 * DBL_EPSILON / (1 - a->damping) : 0,
                          .residual = change,
                          .dangling = a->dangling};
    return ordo_for_ranges(threads, n, ORDO_GRAIN, divide_range, a);
}

static ordo_work work_of(const arrays *a, double tolerance, const ordo_graph *g, const void *state)
{
    void *cells = a->wide ? (void *)a->cell64 : a->cell32;
    return ordo_vertex_work(ordo_pagerank_pull_op(tolerance), g, state, cells, NULL);
}

/* Rounds that are enough, and a margin: in exact arithmetic round i changes at most 2 d^(i - 1) where it is not in
 * place. Rounding may keep a change above the tolerance for ever. */
static ordo_u64 most_rounds(double damping, double tolerance)
{
    return 16 + 2 * (ordo_u64)ceil(log(tolerance / 2) / log(damping));
}

/* One run, from the first ranks on. */
static ordo_status run_once(arrays *a, double tolerance, ordo_u64 rounds, const ordo_graph *g, ordo_runs *runs)
{
    const pagerank_pull_state_f32 s32 = {a->scale32, a->base, a->relaxation, tolerance, rounds};
    const pagerank_pull_state_f64 s64 = {a->scale64, a->base, a->relaxation, tolerance, rounds};
    const ordo_work work = work_of(a, tolerance, g, a->wide ? (const void *)&s64 : &s32);
    a->dangling = 0;
    const ordo_status status = ordo_for_ranges(runs->options.threads, a->g->n, 0, fill_range, a);
    return status ? status : ordo_runs_one(runs, &work);
}

/* Whether a run goes farther than a step: in place on a CPU, symmetric, and rows short, so that regions differ. */
static bool may_relax(const arrays *a, const ordo_graph *g, const ordo_choice *choice)
{
    return choice->device == ORDO_ON_CPU && !strcmp(choice->scheduler, "topology") && ordo_graph_symmetric(g) &&
           a->g->m <= SHORT_ROWS * (ordo_u64)a->g->n;
}

static ordo_status run(arrays *a, double tolerance, const ordo_graph *g, const ordo_options *options, ordo_stats *stats)
{
    const ordo_u64 rounds = most_rounds(a->damping, tolerance), any = 0; /* the state is not read */
    const ordo_work work = work_of(a, tolerance, g, &any);
    ordo_runs runs = {.options = *options, .start = ordo_clock(), .stats = stats};
    ordo_choice choice;
    ordo_status status = ordo_run_choice(&work, options, &choice);
    if (status)
        return status;
    choose_begin(a, tolerance, !strcmp(choice.scheduler, "bsp"));
    a->relaxation = 1;
    if (may_relax(a, g, &choice)) {
        a->relaxation = 2 / (1 + sqrt(1 - a->damping * a->damping));
        status = run_once(a, tolerance, rounds / 2, g, &runs);
        if (status || stats->change <= tolerance)
            return status;
        a->relaxation = 1;
    }
    return run_once(a, tolerance, rounds, g, &runs);
}

ordo_status ordo_pagerank_pull(const ordo_graph *g, double damping, double tolerance, const ordo_options *options,
                               double *rank, ordo_ranks *ranks, ordo_stats *stats)
{
    const ordo_vid n = ordo_graph_out(g)->n;
    const ordo_csr *in;
    double prepared;
    ordo_stats own = {0}, *used = stats ? stats : &own;
    *used = own; /* also where nothing runs */
    ordo_status status = ordo_in_rows(g, options, &in, &prepared);
    if (status)
        return status;
    arrays a = {.g = ordo_graph_out(g),
                .in = in,
                .own_rows = g->part,
                .wide = tolerance < FINEST_F32,
                .damping = (damping > LEAST_DAMPING) ? damping : LEAST_DAMPING,
                .part = ordo_alloc(n / ORDO_GRAIN + 1, sizeof(double)),
                .out = rank};
    a.base = (1 - a.damping) / (n ? n : 1);
    void *values = a.wide ? (void *)(a.cell64 = ordo_alloc(n, sizeof(ordo_f64)))
                          : (void *)(a.cell32 = ordo_alloc(n, sizeof(ordo_f32)));
    /* Scales are not read again once ranks are written, and so are kept where ranks will be. */
    a.scale64 = rank;
    a.scale32 = (ordo_f32 *)(void *)rank;
    status = a.part && values ? run(&a, tolerance, g, options, used) : ORDO_ERR_MEMORY;
    used->prepare_seconds += prepared;
    if (!status)
        status = conclude(&a, used->change, options->threads, ranks);
    ordo_stats_free(&own);
    ordo_free(a.part);
    ordo_free(values);
    return status;
}
