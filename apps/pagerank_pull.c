/* pagerank_pull.c -- PageRank by gathering: one run of operators/pagerank_pull.h from equal ranks.
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
 * A damping of less than 2^-40 is taken for 2^-40, for a cell must hold a rank; that moves y by at most 2^-39.
 *
 * Not done: reusing the ranks of an earlier run.
 */
#include "apps/pagerank_pull.h"

#include "apps/common.h"

#include <float.h>
#include <math.h>

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

const ordo_operator *ordo_pagerank_pull_op(double tolerance)
{
    return ordo_operator_find(tolerance >= FINEST_F32 ? "pagerank_pull_f32" : "pagerank_pull_f64");
}

ordo_options ordo_pagerank_pull_options(const ordo_options *options)
{
    return ordo_options_or_auto(options, "topology");
}

/* The arrays of a run; those of one type are used. */
typedef struct arrays {
    const ordo_csr *g;
    bool wide;                  /* f64 */
    double damping, first;      /* d; a rank at the start */
    ordo_f32 *cell32, *scale32; /* [n] */
    ordo_f64 *cell64, *scale64; /* [n] */
    ordo_u64 dangling;          /* atomic: vertices without an out-edge */
    double *part;               /* [parts] sums of ranks, of ranges of ORDO_GRAIN vertices */
    double whole, *out;         /* their sum; [n] ranks over their sum */
} arrays;

/* d / deg(v); 1 for a vertex without out-edges. */
static double scale_of(const arrays *a, ordo_u64 v)
{
    const ordo_u64 degree = a->g->row[v + 1] - a->g->row[v];
    return degree ? a->damping / (double)degree : 1;
}

/* By a product, which takes less time than a division by scale_of(). */
static double rank_of(const arrays *a, double inverse, ordo_u64 v)
{
    const ordo_u64 degree = a->g->row[v + 1] - a->g->row[v];
    return (a->wide ? a->cell64[v] : (double)a->cell32[v]) * (degree ? (double)degree * inverse : 1);
}

static void fill_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    arrays *a = arg;
    ordo_u64 dangling = 0;
    for (ordo_u64 v = begin; v < end; v++) {
        const ordo_u64 degree = a->g->row[v + 1] - a->g->row[v];
        const double scale = scale_of(a, v);
        dangling += degree == 0;
        if (a->wide) {
            a->cell64[v] = a->first * scale;
            a->scale64[v] = scale;
        } else {
            a->cell32[v] = (ordo_f32)(a->first * scale);
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
    const double rounding = 3 * unit + (double)a->g->m * DBL_EPSILON / 2;
    const double sums = 1 + 1e-6; /* the roundings of |x'| and of the change, in double */
    const double error = sums * (a->damping * change + rounding * a->whole) / (1 - a->damping) +
                         (a->damping > LEAST_DAMPING ? 0 : 2 * LEAST_DAMPING);
    *ranks = (ordo_ranks){.error = n ? 2 * error / a->whole + 16 * DBL_EPSILON / (1 - a->damping) : 0,
                          .residual = change,
                          .dangling = a->dangling};
    return ordo_for_ranges(threads, n, ORDO_GRAIN, divide_range, a);
}

/* Rounds that are enough, and a margin: in exact arithmetic round i changes at most 2 d^(i - 1) where it is not in
 * place. Rounding may keep a change above the tolerance for ever. */
static ordo_u64 most_rounds(double damping, double tolerance)
{
    return 16 + 2 * (ordo_u64)ceil(log(tolerance / 2) / log(damping));
}

static ordo_status run(arrays *a, double tolerance, const ordo_graph *g, const ordo_options *options, ordo_stats *stats)
{
    const double base = (1 - a->damping) / (a->g->n ? a->g->n : 1);
    const ordo_u64 rounds = most_rounds(a->damping, tolerance);
    const pagerank_pull_state_f32 s32 = {a->scale32, base, tolerance, rounds};
    const pagerank_pull_state_f64 s64 = {a->scale64, base, tolerance, rounds};
    const void *state = a->wide ? (const void *)&s64 : &s32;
    void *cells = a->wide ? (void *)a->cell64 : a->cell32;
    const ordo_work work = ordo_vertex_work(ordo_pagerank_pull_op(tolerance), g, state, cells, NULL);
    return ordo_run(&work, options, stats);
}

ordo_status ordo_pagerank_pull(const ordo_graph *g, double damping, double tolerance, const ordo_options *options,
                               double *rank, ordo_ranks *ranks, ordo_stats *stats)
{
    const ordo_csr *csr = ordo_graph_out(g);
    const ordo_vid n = csr->n;
    arrays a = {.g = csr,
                .wide = tolerance < FINEST_F32,
                .damping = fmax(damping, LEAST_DAMPING),
                .first = 1.0 / (n ? n : 1),
                .part = ordo_alloc(n / ORDO_GRAIN + 1, sizeof(double)),
                .out = rank};
    void *values = a.wide ? (void *)(a.cell64 = ordo_alloc(n, sizeof(ordo_f64)))
                          : (void *)(a.cell32 = ordo_alloc(n, sizeof(ordo_f32)));
    void *scale = a.wide ? (void *)(a.scale64 = ordo_alloc(n, sizeof(ordo_f64)))
                         : (void *)(a.scale32 = ordo_alloc(n, sizeof(ordo_f32)));
    ordo_stats own = {0}, *used = stats ? stats : &own;
    ordo_status status =
        a.part && values && scale ? ordo_for_ranges(options->threads, n, 0, fill_range, &a) : ORDO_ERR_MEMORY;
    if (!status)
        status = run(&a, tolerance, g, options, used);
    if (!status)
        status = conclude(&a, used->change, options->threads, ranks);
    ordo_stats_free(&own);
    ordo_free(a.part);
    ordo_free(values);
    ordo_free(scale);
    return status;
}
