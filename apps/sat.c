/* sat.c -- satisfying assignments by survey propagation and decimation.
 *
 * A try: unit propagation; then, until no clause is left, surveys are iterated, the variables that they say most about
 * are fixed, unit propagation fixes what follows, and the formula shrinks. Where surveys say nothing, as on formulas
 * that are easy, WalkSAT (sat_walk.c) does the rest [Braunstein, Mezard and Zecchina 2005]. A try fails where unit
 * propagation leaves a clause without a literal, or WalkSAT gives up. The next one begins from other surveys, and fixes
 * half as many variables at once. After the last one WalkSAT tries the whole formula.
 *
 * A round of surveys is a run of operators/survey.h, which multiplies, under the scheduler and on the device that the
 * options name, and a pass over the clauses (sat_passes.h). Arrays stay on that device for the rounds of a decimation,
 * by a session. Fixing variables is the work of one thread of the host.
 *
 * A decimation whose surveys still change after the most rounds is made with what they are, a guess, and counted.
 * The rounds after the first half of these keep a part of the old surveys, which ends cycles of two.
 *
 * That there is no assignment is said in one case: unit propagation of the formula as it is leaves an empty clause.
 *
 * Not done: taking back single variables (backtracking survey propagation); proofs.
 */
#include <math.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/sat.h>

#include "apps/common.h"
#include "apps/runs.h"
#include "apps/sat_part.h"
#include "apps/sat_passes.h"
#include "framework/graph/graph.h"
#include "operators/survey.h"

static const double CONVERGED = 0.01;    /* by which a survey may still change */
static const double SAYS_NOTHING = 0.01; /* mean bias of a variable below which surveys are left for WalkSAT */
static const ordo_f32 DAMPING = 0.5F;

typedef struct search {
    const ordo_formula *f;
    ordo_sat_query query;
    ordo_sat_found *found;
    ordo_runs runs;
    sat_part part;
    ordo_u8 *value;
    double prepared; /* seconds of making graphs */
} search;

/* ---- surveys ---- */

/* The graph of a decimation: an edge from each occurrence to its literal. */
typedef struct factors {
    ordo_graph *graph;
    ordo_eid *row;
    ordo_vid *head;
    /* of the session */
    ordo_f32 *cell;
    survey_arrays arrays;
} factors;

static ordo_status make_factors(search *s, factors *f)
{
    const sat_part *p = &s->part;
    const double before = ordo_clock();
    const ordo_u64 n = (ordo_u64)p->occurrences + 2 * (ordo_u64)p->variables;
    *f = (factors){.row = ordo_alloc(n + 1, sizeof *f->row), .head = ordo_alloc(p->occurrences, sizeof *f->head)};
    if (!f->row || !f->head)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 v = 0; v <= n; v++)
        f->row[v] = v < p->occurrences ? v : p->occurrences;
    for (ordo_u32 o = 0; o < p->occurrences; o++)
        f->head[o] = p->occurrences + p->literal[o];
    const ordo_csr csr = {.n = (ordo_vid)n, .m = p->occurrences, .row = f->row, .head = f->head, .stride = 1};
    const ordo_csr *in;
    ordo_status status = ordo_graph_borrow(&csr, false, &f->graph);
    if (!status)
        status = ordo_graph_in(f->graph, s->runs.options.threads, &in);
    s->prepared += ordo_clock() - before;
    return status;
}

static void free_factors(factors *f)
{
    ordo_graph_free(f->graph);
    ordo_free(f->row);
    ordo_free(f->head);
}

/* The arrays of the session: of the host those that it has. */
static ordo_status make_arrays(search *s, factors *f)
{
    sat_part *p = &s->part;
    const ordo_u64 cells = (ordo_u64)p->occurrences + 2 * (ordo_u64)p->variables;
    struct {
        void *host, **to;
        ordo_u64 count;
        bool set;
    } array[] = {{p->cell, (void **)&f->cell, cells, true},
                 {p->row, (void **)&f->arrays.row, (ordo_u64)p->clauses + 1, true},
                 {p->literal, (void **)&f->arrays.literal, p->occurrences, true},
                 {NULL, (void **)&f->arrays.factor, p->occurrences, false}};
    ordo_status status = ORDO_OK;
    for (size_t i = 0; i < sizeof array / sizeof *array && !status; i++) {
        status = ordo_session_array(s->runs.session, array[i].host, array[i].count, sizeof(ordo_u32), array[i].to);
        if (!status && array[i].set)
            status = ordo_runs_write(&s->runs, *array[i].to, array[i].host, array[i].count * sizeof(ordo_u32));
    }
    f->arrays.cell = f->cell;
    f->arrays.literals = p->occurrences;
    return status;
}

/* Rounds until surveys change by CONVERGED at most; then the products once more, which belong to the last surveys. */
static ordo_status iterate(search *s, factors *f, bool *converged)
{
    const sat_part *p = &s->part;
    const survey_state state = {.literals = p->occurrences};
    const ordo_work work = ordo_vertex_work(ordo_operator_find("survey"), f->graph, &state, f->cell, NULL);
    const ordo_each each = {.pass = &survey_update_pass, .state = &f->arrays, .count = p->clauses};
    ordo_found change = {.value = ~(ordo_u64)0};
    ordo_status status = ORDO_OK;
    *converged = false;
    for (ordo_u32 round = 0; !status && !*converged && round < s->query.rounds; round++) {
        if (ordo_runs_late(&s->runs))
            return ordo_fail(ORDO_ERR_TIMEOUT, "no assignment was found within %g s", s->runs.options.timeout);
        f->arrays.keep = round < s->query.rounds / 2 ? 0 : DAMPING;
        status = ordo_runs_one(&s->runs, &work);
        if (!status)
            status = ordo_session_each(s->runs.session, &each, &change);
        s->found->rounds++;
        *converged = (double)change.value <= CONVERGED * (double)SURVEY_UNIT;
    }
    return status ? status : ordo_runs_one(&s->runs, &work);
}

static ordo_status find_surveys(search *s, bool *converged)
{
    factors f;
    ordo_status status = make_factors(s, &f);
    if (!status)
        status = ordo_session_make(s->runs.options.device, s->runs.options.threads, &s->runs.session);
    if (!status)
        status = make_arrays(s, &f);
    if (!status)
        status = iterate(s, &f, converged);
    if (!status)
        status = ordo_runs_read(&s->runs, s->part.cell, f.cell,
                                ((ordo_u64)s->part.occurrences + 2 * (ordo_u64)s->part.variables) * sizeof(ordo_f32));
    ordo_session_free(s->runs.session);
    s->runs.session = NULL;
    free_factors(&f);
    return status;
}

/* ---- decimation ---- */

/* By how much surveys ask more for v than against it: -1 to 1. */
static double bias_of(const sat_part *p, ordo_u32 v)
{
    const ordo_f32 *const product = p->cell + p->occurrences;
    const double positive = (double)product[2 * (size_t)v], negative = (double)product[2 * (size_t)v + 1];
    const double towards = (1 - positive) * negative, against = (1 - negative) * positive;
    const double all = towards + against + positive * negative;
    return all > 0 ? (towards - against) / all : 0;
}

enum { BINS = 1024 };

static int bin_of(double bias)
{
    const int bin = (int)(fabs(bias) * BINS);
    return bin < BINS ? bin : BINS - 1;
}

/* Fixes variables of which the bin of their bias is from `least` to `most`, until the budget is spent; false where that
 * leaves an empty clause. */
static bool fix_bins(search *s, int least, int most, ordo_u32 *budget)
{
    sat_part *p = &s->part;
    for (ordo_u32 v = 0; v < p->variables && *budget; v++) {
        const double bias = bias_of(p, v);
        if (p->fixed[v] != SAT_FREE || bin_of(bias) < least || bin_of(bias) > most)
            continue;
        --*budget;
        s->found->fixed++;
        if (!sat_part_fix(p, 2 * v + (bias < 0)))
            return false;
    }
    return true;
}

/* Fixes the variables with the greatest biases, about `fraction` of all; false where that leaves an empty clause.
 * *says: whether the surveys say anything; otherwise nothing is fixed. */
static bool decimate(search *s, double fraction, bool *says)
{
    const sat_part *p = &s->part;
    ordo_u32 bins[BINS] = {0};
    double sum = 0;
    for (ordo_u32 v = 0; v < p->variables; v++) {
        sum += fabs(bias_of(p, v));
        bins[bin_of(bias_of(p, v))]++;
    }
    *says = sum >= SAYS_NOTHING * p->variables;
    if (!*says)
        return true;
    const double wanted = ceil(fraction * p->variables);
    ordo_u32 budget = wanted > 1 ? (ordo_u32)wanted : 1;
    int last = BINS - 1; /* the bins above it hold less than the budget, with it enough */
    for (ordo_u64 count = bins[last]; count < budget && last > 0; count += bins[last])
        last--;
    return fix_bins(s, last + 1, BINS, &budget) && fix_bins(s, last, last, &budget);
}

/* ---- tries ---- */

static ordo_status stop_walk(void *arg)
{
    search *s = arg;
    const ordo_options *o = &s->runs.options;
    if (o->cancel && *o->cancel)
        return ordo_fail(ORDO_ERR_CANCELLED, "cancelled");
    if (ordo_runs_late(&s->runs))
        return ordo_fail(ORDO_ERR_TIMEOUT, "no assignment was found within %g s", o->timeout);
    return ORDO_OK;
}

static ordo_status walk(search *s, ordo_u64 seed, bool *done)
{
    s->found->searched = s->part.variables;
    return sat_walk(&s->part, seed, s->query.flips * s->part.variables + 1000, stop_walk, s, s->value, &s->found->flips,
                    done);
}

/* Surveys before anything is known: any but 0 and 1. */
static void begin_surveys(search *s, ordo_u64 key)
{
    for (ordo_u32 o = 0; o < s->part.occurrences; o++)
        s->part.cell[o] = 0.01F + 0.98F * (ordo_f32)((double)(ordo_scramble(key ^ o) >> 11) * 0x1p-53);
}

/* A new part of the formula, with what unit propagation says of it. *possible: false where that is no assignment. */
static ordo_status begin_try(search *s, bool *possible)
{
    sat_part_free(&s->part);
    const ordo_status status = sat_part_make(s->f, &s->part);
    if (status)
        return status;
    memset(s->value, 0, s->f->variables);
    s->found->fixed = s->found->searched = 0;
    *possible = sat_part_units(&s->part);
    s->found->implied = *possible ? sat_part_shrink(&s->part, s->value) : 0;
    return ORDO_OK;
}

/* From what begin_try() left. */
static ordo_status try_once(search *s, double fraction, ordo_u64 seed, bool *done)
{
    ordo_status status = ORDO_OK;
    begin_surveys(s, ordo_scramble(seed));
    while (!status && !*done) {
        bool converged, says;
        if (s->part.clauses == 0) {
            *done = true;
            break;
        }
        status = find_surveys(s, &converged);
        if (status)
            break;
        const ordo_u64 before = s->found->fixed;
        if (!decimate(s, fraction, &says))
            break;
        if (!says) {
            status = walk(s, seed, done);
            break;
        }
        s->found->decimations++;
        s->found->unconverged += !converged;
        s->found->implied += sat_part_shrink(&s->part, s->value) - (s->found->fixed - before);
    }
    return status;
}

static ordo_status run_tries(search *s)
{
    bool possible, done = false;
    ordo_status status = begin_try(s, &possible);
    if (!status && !possible) {
        s->found->answer = ORDO_SAT_UNSATISFIABLE;
        return ORDO_OK;
    }
    double fraction = s->query.fraction;
    for (ordo_u32 i = 0; i < s->query.tries && !status && !done; i++, fraction /= 2) {
        s->found->tries++;
        if (i)
            status = begin_try(s, &possible);
        if (!status)
            status = try_once(s, fraction, ordo_scramble(s->query.seed + i), &done);
    }
    if (!status && !done)
        status = begin_try(s, &possible);
    if (!status && !done)
        status = walk(s, s->query.seed, &done);
    if (done)
        s->found->answer = ORDO_SAT_SATISFIABLE;
    return status;
}

static ordo_status check(const ordo_formula *f, const ordo_sat_query *query, const ordo_options *options)
{
    if (!(query->fraction > 0 && query->fraction <= 1))
        return ordo_fail(ORDO_ERR_USAGE, "fraction %g, expected above 0 to 1", query->fraction);
    if (f->variables > ORDO_MAX_VARIABLES || (f->clauses && f->row[f->clauses] > ORDO_MAX_OCCURRENCES))
        return ordo_fail(ORDO_ERR_USAGE, "a formula of %u variables, expected at most %llu, and %llu literals",
                         f->variables, (unsigned long long)ORDO_MAX_VARIABLES,
                         (unsigned long long)ORDO_MAX_OCCURRENCES);
    const ordo_vid none = 0;
    const ordo_eid row[2] = {0, 0};
    const ordo_csr csr = {.n = 1, .row = row, .head = &none, .stride = 1};
    ordo_graph *tiny;
    ordo_f32 cell = 1;
    const survey_state state = {.literals = 1};
    ordo_status status = ordo_graph_borrow(&csr, false, &tiny);
    if (status)
        return status;
    const ordo_work work = ordo_vertex_work(ordo_operator_find("survey"), tiny, &state, &cell, NULL);
    status = ordo_run_check(&work, options);
    ordo_graph_free(tiny);
    return status;
}

ordo_status ordo_sat(const ordo_formula *f, const ordo_sat_query *query, const ordo_options *options, ordo_u8 *value,
                     ordo_sat_found *found, ordo_stats *stats)
{
    if (!f || !found || (!value && f->variables))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given",
                         !f       ? "formula"
                         : !found ? "room for the answer"
                                  : "room for values");
    search s = {.f = f,
                .query = query ? *query : (ordo_sat_query){0},
                .found = found,
                .runs = {.options = ordo_options_or(options, "bsp"), .stats = stats},
                .value = value};
    s.query.fraction = s.query.fraction == 0 ? 0.02 : s.query.fraction;
    s.query.tries = s.query.tries ? s.query.tries : 4;
    s.query.rounds = s.query.rounds ? s.query.rounds : 300;
    s.query.flips = s.query.flips ? s.query.flips : 200;
    if (stats)
        *stats = (ordo_stats){0};
    ordo_status status = check(f, &s.query, &s.runs.options);
    if (status)
        return status;
    s.runs.start = ordo_clock();
    do {
        *found = (ordo_sat_found){0};
        status = run_tries(&s);
    } while (ordo_runs_fall_back(&s.runs, status));
    sat_part_free(&s.part);
    if (s.runs.ran && stats)
        stats->prepare_seconds += s.prepared;
    ordo_runs_end(&s.runs, "survey", status);
    return status;
}
