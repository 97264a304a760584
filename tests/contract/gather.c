/* gather.c -- references of gather operators. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ORDO_WEIGHT f32
#include "operators/pagerank_pull.h"
#undef ORDO_WEIGHT
#define ORDO_WEIGHT f64
#include "operators/pagerank_pull.h"
#undef ORDO_WEIGHT

#include "operators/lp.h"
#include "operators/survey.h"

#include "contract.h"

/* ---- pagerank_pull: ranks against the fixed point by iteration, in double; no farther than the last change allows
 * ---- */

static const double DAMPING = 0.75;

static double degree_of(const ordo_csr *rows, ordo_u64 u)
{
    return (double)(rows->row[u + 1] - rows->row[u]);
}

/* The fixed point, pushed along out-edges. */
static double *fixed_point(const ordo_csr *rows)
{
    enum { ITERATIONS = 150 };
    const ordo_u64 n = rows->n;
    double *x = contract_alloc(n, sizeof *x), *next = contract_alloc(n, sizeof *next);
    for (int i = 0; i < ITERATIONS; i++) {
        for (ordo_u64 v = 0; v < n; v++)
            next[v] = (1 - DAMPING) / (double)n;
        for (ordo_u64 u = 0; u < n; u++)
            for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++)
                next[rows->head[e * rows->stride]] += DAMPING * x[u] / degree_of(rows, u);
        double *swap = x;
        x = next;
        next = swap;
    }
    free(next);
    return x;
}

/* Else by residual: items are bounded, and the last are a round. */
static bool in_rounds(const trial *t)
{
    return t->options.sync && !strcmp(t->options.sync, "racy");
}

/* `rounding`: of a rank in a round, relative. `relaxation`: how many times as far as the step a vertex went. */
static void check_ranks(trial *t, const ordo_csr *rows, const double *rank, double tolerance, ordo_u64 rounds,
                        double rounding, double relaxation)
{
    double *x = fixed_point(rows), far = 0, whole = 0;
    for (ordo_u64 v = 0; v < rows->n; v++) {
        far += fabs(rank[v] - x[v]);
        whole += fabs(rank[v]);
    }
    /* the most may be near without being reached: by residual, what is left of it may be less than the last round */
    const ordo_u64 spent = in_rounds(t) ? t->stats.supersteps : rows->n ? t->stats.items / rows->n + 1 : rounds;
    if (!(t->stats.change >= 0) || (t->stats.change > tolerance && spent < rounds))
        contract_fail(t, "it ended early");
    if ((in_rounds(t) && t->stats.supersteps > rounds) || t->stats.supersteps < 1)
        contract_fail(t, "the number of rounds is wrong");
    if (in_rounds(t) &&
        (t->stats.items != t->stats.supersteps * rows->n || t->stats.edges != t->stats.supersteps * rows->m))
        contract_fail(t, "a round does not have every vertex and every edge once");
    if (!in_rounds(t) && (t->stats.items < rows->n || t->stats.edges < rows->m))
        contract_fail(t, "the round that measures is missing");
    if (far * (1 - DAMPING) > (DAMPING + 1 - 1 / relaxation) * t->stats.change * (1 + 1e-6) + rounding * whole + 1e-13)
        contract_fail(t, "ranks are farther from the exact ones than the last change allows");
    free(x);
}

static double scale_of(const ordo_csr *rows, ordo_u64 v)
{
    return degree_of(rows, v) > 0 ? DAMPING / degree_of(rows, v) : 1;
}

static void pagerank_pull(trial *t, const edge_list *list, bool wide)
{
    ordo_graph *g = family_graph(list, ORDO_NONE, contract_direction(t));
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u64 n = rows->n, most = 1 + t->seed % 100;
    const double tolerance = t->seed % 5 == 0 ? 0 : pow(10, -(double)(t->seed % 7)), base = (1 - DAMPING) / (double)n;
    double *rank = contract_alloc(n, sizeof *rank), *scale64 = contract_alloc(n, sizeof *scale64);
    ordo_f32 *cell = contract_alloc(n, sizeof *cell), *scale32 = contract_alloc(n, sizeof *scale32);
    for (ordo_u64 v = 0; v < n; v++) {
        scale64[v] = scale_of(rows, v);
        scale32[v] = (ordo_f32)scale64[v];
        rank[v] = scale64[v] / (double)n;
        cell[v] = (ordo_f32)rank[v];
    }
    /* the bound holds whether over-relaxed rounds converge or not */
    const double relaxation = in_rounds(t) && t->seed % 3 == 0 ? 1.3 : 1;
    const pagerank_pull_state_f32 s32 = {scale32, base, relaxation, tolerance, most};
    const pagerank_pull_state_f64 s64 = {scale64, base, relaxation, tolerance, most};
    ordo_work work = {.graph = g,
                      .cells = wide ? (void *)rank : cell,
                      .state = wide ? (const void *)&s64 : &s32,
                      .num_items = n,
                      .targets = n};
    contract_run(t, &work);
    for (ordo_u64 v = 0; v < n; v++)
        rank[v] = (wide ? rank[v] : (double)cell[v]) / scale64[v];
    check_ranks(t, rows, rank, tolerance, most, wide ? 1e-14 : 4 * 0x1p-24, relaxation);
    free(rank);
    free(cell);
    free(scale32);
    free(scale64);
    ordo_graph_free(g);
}

void contract_pagerank_pull_f32(trial *t, const edge_list *list)
{
    pagerank_pull(t, list, false);
}

void contract_pagerank_pull_f64(trial *t, const edge_list *list)
{
    pagerank_pull(t, list, true);
}

/* ---- lp: against counting the votes for every label, vertex by vertex ---- */

/* The most frequent label of v's in-neighbours, of several the least; votes[] is zero before and after. */
static ordo_u32 voted(const ordo_csr *rows, const ordo_u32 *label, ordo_u64 v, ordo_u32 *votes)
{
    ordo_u32 best = label[v], most = 0;
    for (ordo_u64 u = 0; u < rows->n; u++)
        for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++)
            votes[label[u]] += rows->head[e * rows->stride] == v;
    for (ordo_u64 l = 0; l < rows->n; l++) {
        if (votes[l] > most) {
            most = votes[l];
            best = (ordo_u32)l;
        }
        votes[l] = 0;
    }
    return best;
}

void contract_lp(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_NONE, contract_direction(t));
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u64 n = rows->n, rounds = 1 + t->seed % 6;
    ordo_u32 *label = contract_alloc(n, 4), *now = contract_alloc(n, 4), *next = contract_alloc(n, 4);
    ordo_u32 *votes = contract_alloc(n, 4);
    for (ordo_u64 v = 0; v < n; v++)
        label[v] = now[v] = (ordo_u32)(t->seed % 2 ? v : v % 7);
    const lp_state state = {.rounds = rounds};
    ordo_work work = {.graph = g, .cells = label, .state = &state, .num_items = n, .targets = n};
    contract_run(t, &work);
    for (ordo_u64 i = 0; i < rounds; i++) {
        for (ordo_u64 v = 0; v < n; v++)
            next[v] = voted(rows, now, v, votes);
        ordo_u32 *swap = now;
        now = next;
        next = swap;
    }
    contract_check_u32(t, label, now, n);
    free(label);
    free(now);
    free(next);
    free(votes);
    ordo_graph_free(g);
}

/* ---- hits: half a round of whole numbers, so that sums are exact ---- */

void contract_hits(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, t->seed % 2 ? ORDO_NONE : ORDO_F32, contract_direction(t));
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u64 n = rows->n;
    double *score = contract_alloc(n, sizeof *score), *expected = contract_alloc(n, sizeof *expected);
    const ordo_no_state none = {0};
    for (ordo_u64 v = 0; v < n; v++)
        score[v] = (double)((v * 7 + t->seed) % 31);
    for (ordo_u64 u = 0; u < n; u++)
        for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++)
            expected[rows->head[e * rows->stride]] += score[u];
    ordo_work work = {.graph = g, .cells = score, .state = &none, .num_items = n, .targets = n};
    contract_run(t, &work);
    for (ordo_u64 v = 0; v < n; v++)
        if (score[v] != expected[v])
            contract_fail(t, "a sum is wrong");
    if (n && t->stats.supersteps != 1)
        contract_fail(t, "it is not one round");
    free(score);
    free(expected);
    ordo_graph_free(g);
}

/* ---- survey: products by multiplication, in double ---- */

void contract_survey(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_NONE, contract_direction(t));
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u64 n = rows->n;
    const survey_state state = {.literals = t->seed % 4 == 0 ? n : n * (t->seed % 7) / 6 % (n + 1)};
    ordo_f32 *cell = contract_alloc(n, sizeof *cell);
    double *expected = contract_alloc(n, sizeof *expected);
    for (ordo_u64 v = 0; v < n; v++) {
        cell[v] = (ordo_f32)((double)((v * 7 + t->seed) % 31 + 1) / 32);
        expected[v] = v < state.literals ? (double)cell[v] : 1;
    }
    for (ordo_u64 u = 0; u < n && u < state.literals; u++)
        for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++)
            if (rows->head[e * rows->stride] >= state.literals)
                expected[rows->head[e * rows->stride]] *= (double)cell[u];
    ordo_work work = {.graph = g, .cells = cell, .state = &state, .num_items = n, .targets = n};
    contract_run(t, &work);
    const double least = exp((double)SURVEY_LEAST_LOG);
    for (ordo_u64 v = 0; v < n; v++) {
        const double right = v >= state.literals && expected[v] < least ? least : expected[v];
        if (!(fabs((double)cell[v] - right) <= 2e-4 * right))
            contract_fail(t, "a product is wrong");
    }
    if (n && t->stats.supersteps != 1)
        contract_fail(t, "it is not one round");
    free(cell);
    free(expected);
    ordo_graph_free(g);
}
