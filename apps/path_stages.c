/* path_stages.c -- see path_stages.h.
 *
 * Problem: a search that is to end once certain vertices are final, under every scheduler, also those that have no
 * order of work by which a vertex would be known to be final.
 *
 * Method: a sequence of complete runs, each with a larger limit. A run with limit L ends when no edge improves anything
 * within L, so that its cells satisfy: (1) every cell that is reached is the length of a path; (2) for every edge
 * u -> v whose sum of cell u and weight is at most L, cell v is at most that sum. By induction along a shortest path of
 * length at most L, whose prefixes are no longer since weights are not negative (and rounding is monotone), (2) gives
 * that each of its vertices has its distance or less, and (1) that it has no less. So all distances up to L are in the
 * cells, and they are final; this needs nothing of the scheduler but that it ends. Only edges whose sum exceeds L were
 * left out: the next run begins with the tails of those that lead to vertices which are not reached, and nothing else,
 * with the same cells. Each limit is larger than the last one by a factor, and reaches the least sum that was left out,
 * so every run reaches a vertex.
 *
 * The distance D at which the search ends does not depend on the limits: it is the largest distance of the targets, or
 * that of the K-th vertex in order of distance, whichever is less. The cells of farther vertices are set to
 * "unreached", so the answer is that of a search with limit D.
 *
 * After each run one pass over the cells finds the vertices that it reached. On a road network a run covers about
 * GROWTH * GROWTH times the vertices of the last one, so that at most about twice as many are processed as are needed.
 */
#include "apps/path_stages.h"

#include <math.h>
#include <string.h>

#include <ordo/memory.h>

#include "apps/common.h"
#include "apps/runs.h"
#include "framework/run/plan.h"

static const double GROWTH = 1.4;
/* The first limit, in mean weights: far enough to be worth a run, and near where few edges lead everywhere. */
static const double FIRST_DEEP = 32, FIRST_OTHER = 0.5;

bool ordo_stops_early(const ordo_path_query *query)
{
    return query->target_count || query->stop_after;
}

/* ---- between two runs ---- */

typedef struct scan {
    const ordo_stages *s;
    const ordo_csr *g;
    void *cells;
    ordo_u64 unreached;
    double before;       /* the limit of the run before the last one; -1: none */
    const ordo_vid *old; /* [old_count] tails of edges that the run before left out */
    ordo_u64 old_count;
    ordo_vid *left;      /* [n] those that the last one left out */
    ordo_u64 left_count; /* atomic */
    ordo_u64 reached;    /* atomic: cells */
    ordo_u64 least;      /* atomic: the least sum that was left out, as a word */
} scan;

static ordo_u64 cell_of(const scan *c, ordo_u64 v)
{
    return ordo_word_at(c->s->type, c->cells, v);
}

/* Whether a distance is at most `most`, a double, which is not rounded for that. */
static bool within(ordo_i64 whole, double most)
{
    return most >= 0x1p63 || whole <= (ordo_i64)most;
}

static bool beyond(ordo_type type, ordo_u64 cell, double limit)
{
    return ordo_is_real(type) ? ordo_word_value(type, cell) > limit : !within(ordo_word_whole(type, cell), limit);
}

/* The word of the distance over an edge; "unreached" where it is beyond all limits. */
static ordo_u64 sum_over(const scan *c, ordo_u64 du, ordo_eid e)
{
    const ordo_type type = c->s->type;
    const ordo_u64 weight = c->s->weighted ? ordo_weight_word(c->g, e) : 1;
    double real = ordo_word_value(type, du) + ordo_word_value(type, weight);
    ordo_i64 whole = 0;
    if (type == ORDO_F32)
        real = (double)(ordo_f32)real;
    const bool fits =
        ordo_is_real(type) || !__builtin_add_overflow(ordo_word_whole(type, du), ordo_word_whole(type, weight), &whole);
    if (!fits || !(ordo_is_real(type) ? real <= c->s->most : within(whole, c->s->most)))
        return c->unreached;
    return ordo_word_of(type, whole, real);
}

/* Puts u on the list if an edge of it was left out. */
static void look_at(scan *c, ordo_vid u)
{
    ordo_u64 least = c->unreached;
    for (ordo_eid e = c->g->row[u]; e < c->g->row[u + 1]; e++) {
        if (cell_of(c, c->g->head[e * c->g->stride]) != c->unreached)
            continue;
        const ordo_u64 sum = sum_over(c, cell_of(c, u), e);
        least = sum < least ? sum : least;
    }
    if (least == c->unreached)
        return;
    c->left[__atomic_fetch_add(&c->left_count, 1, __ATOMIC_RELAXED)] = u;
    ordo_keep_least_u64(&c->least, least);
}

static void new_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    scan *c = arg;
    ordo_u64 reached = 0;
    for (ordo_u64 v = begin; v < end; v++) {
        if (cell_of(c, v) == c->unreached)
            continue;
        reached++;
        if (beyond(c->s->type, cell_of(c, v), c->before))
            look_at(c, (ordo_vid)v);
    }
    __atomic_fetch_add(&c->reached, reached, __ATOMIC_RELAXED);
}

static void old_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    scan *c = arg;
    for (ordo_u64 i = begin; i < end; i++)
        look_at(c, c->old[i]);
}

static ordo_status find_left(scan *c, int threads)
{
    c->left_count = c->reached = 0;
    c->least = c->unreached;
    ordo_status status = ordo_for_ranges(threads, c->g->n, 16 * ORDO_GRAIN, new_range, c);
    return status ? status : ordo_for_ranges(threads, c->old_count, ORDO_GRAIN, old_range, c);
}

/* ---- where it ends ---- */

/* The largest cell of the targets; "unreached" where one is. */
static ordo_u64 farthest_target(const scan *c)
{
    const ordo_path_query *q = c->s->query;
    ordo_u64 most = 0;
    for (ordo_u64 i = 0; i < q->target_count; i++)
        most = cell_of(c, q->targets[i]) > most ? cell_of(c, q->targets[i]) : most;
    return q->target_count ? most : c->unreached;
}

/* The k-th least cell, k from 1; "unreached" where fewer are reached. A histogram of the upper 16 bits of words, then
 * one of the next 16 bits of those with the right upper ones, and so on. */
static ordo_status kth_cell(const scan *c, ordo_u64 k, ordo_u64 *out)
{
    enum { DIGIT = 16, VALUES = 1 << DIGIT };
    *out = c->unreached;
    if (!k || k > c->reached)
        return ORDO_OK;
    ordo_u64 *count = ordo_alloc(VALUES, sizeof *count);
    if (!count)
        return ORDO_ERR_MEMORY;
    const int top = ordo_is_wide(c->s->type) ? 64 - DIGIT : 32 - DIGIT;
    ordo_u64 upper = 0;
    for (int shift = top; shift >= 0; shift -= DIGIT) {
        memset(count, 0, VALUES * sizeof *count);
        for (ordo_u64 v = 0; v < c->g->n; v++) {
            const ordo_u64 cell = cell_of(c, v);
            if (cell != c->unreached && (shift == top || cell >> shift >> DIGIT == upper))
                count[(cell >> shift) % VALUES]++;
        }
        ordo_u64 value = 0;
        for (; count[value] < k; value++)
            k -= count[value];
        upper = upper << DIGIT | value;
    }
    *out = upper;
    ordo_free(count);
    return ORDO_OK;
}

typedef struct trim {
    ordo_type type;
    void *cells;
    ordo_u64 most, unreached;
} trim;

static void trim_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const trim *t = arg;
    for (ordo_u64 v = begin; v < end; v++)
        if (ordo_word_at(t->type, t->cells, v) > t->most)
            ordo_word_set(t->type, t->cells, v, t->unreached);
}

/* Sets *within, and cells beyond it to "unreached". */
static ordo_status finish(const scan *c, int threads, double *within)
{
    ordo_u64 most;
    ordo_status status = kth_cell(c, c->s->query->stop_after, &most);
    const ordo_u64 target = farthest_target(c);
    most = target < most ? target : most;
    *within = most == c->unreached ? (double)INFINITY : ordo_word_value(c->s->type, most);
    if (status || most == c->unreached)
        return status;
    trim t = {c->s->type, c->cells, most, c->unreached};
    return ordo_for_ranges(threads, c->g->n, 0, trim_range, &t);
}

/* ---- the runs ---- */

static double first_limit(const ordo_stages *s)
{
    const ordo_csr *g = ordo_graph_out(s->graph);
    const ordo_u64 step = g->m / 4096 + 1;
    double sum = 0, taken = 0;
    for (ordo_eid e = 0; e < g->m; e += step, taken++)
        sum += s->weighted ? ordo_word_value(s->type, ordo_weight_word(g, e)) : 1;
    return (taken > 0 ? sum / taken : 0) * (ordo_graph_kind_of(g) == ORDO_GRAPH_DEEP ? FIRST_DEEP : FIRST_OTHER);
}

static ordo_status run_stages(const ordo_stages *s, ordo_runs *runs, scan *c, ordo_vid *lists[2])
{
    const ordo_path_query *q = s->query;
    double limit = first_limit(s);
    for (int turn = 0;; turn = !turn) {
        limit = limit < s->most ? limit : s->most;
        s->set_limit(s->state, s->type, limit);
        if (ordo_runs_late(runs))
            return ordo_fail(ORDO_ERR_TIMEOUT, "the search did not end within %g s: all within %g is known",
                             runs->options.timeout, c->before);
        c->left = lists[turn];
        ordo_status status = ordo_runs_one(runs, s->work);
        s->work->unset = false; /* the next stage goes on from these cells */
        if (!status)
            status = find_left(c, runs->options.threads);
        if (status)
            return status;
        if (!c->left_count || (q->stop_after && c->reached >= q->stop_after) || farthest_target(c) != c->unreached)
            return ORDO_OK;
        c->before = limit;
        c->old = s->work->initial = c->left;
        c->old_count = s->work->initial_count = c->left_count;
        const double least = ordo_word_value(s->type, c->least);
        const double reaches = s->type == ORDO_I64 ? nextafter(least, (double)INFINITY) : least; /* it may be rounded */
        limit = GROWTH * limit > reaches ? GROWTH * limit : reaches;
    }
}

ordo_status ordo_stages_run(const ordo_stages *s, const ordo_options *options, ordo_stats *stats, double *within)
{
    const ordo_csr *g = ordo_graph_out(s->graph);
    ordo_vid *lists[2] = {ordo_alloc(g->n, sizeof **lists), ordo_alloc(g->n, sizeof **lists)};
    ordo_runs runs = {.options = *options, .stats = stats, .start = ordo_clock()};
    scan c = {.s = s, .g = g, .cells = s->work->cells, .unreached = ordo_unreached_word(s->type), .before = -1};
    ordo_status status = lists[0] && lists[1] ? run_stages(s, &runs, &c, lists) : ORDO_ERR_MEMORY;
    if (!status)
        status = finish(&c, options->threads, within);
    ordo_runs_end(&runs, ordo_operator_name(s->work->op), status);
    ordo_free(lists[0]);
    ordo_free(lists[1]);
    return status;
}
