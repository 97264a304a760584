/* bellman_ford.c -- the app of shortest paths over weights of either sign: runs of operators/bellman_ford.h, between
 * which it looks for a cycle of negative weight.
 *
 * A run on a graph with such a cycle does not end by itself. So it is stopped when its time is up, and a look at its
 * distances (apps/negative_cycle.c) finds a cycle, or proves that there is one, or tells from which vertices the run
 * goes on, with at least twice the time. A look may take a twentieth of the time that was run before it: the first time
 * is estimated from the graph's size, later ones are at least LOOKS times the last look's. The first look that follows
 * the moment when some distance is below that of every path without a cycle proves it; so a search with a cycle takes
 * about twice as long as one that is looked at continuously.
 *
 * The end is guaranteed: after as many edges as n rounds have, the serial search decides.
 *
 * Stopped runs. A run that is stopped leaves in each cell the weight of some walk, which is what a search may start
 * from. Entries of its worklist are lost; the look finds all edges that improve their heads, of the vertices that are
 * active then. (Edges out of vertices that the look has missed are not needed: it has proven that there is a cycle.)
 *
 * Types. u32, and no weights: nothing is negative, so it is ordo_sssp_from(). A sum that leaves its type shows as the
 * type's least or largest value. If the least one is met, the serial search decides, which adds up in 128 bits. If a
 * vertex is unreached although an edge from a reached one leads to it, its distance does not fit.
 */
#include "apps/common.h"
#include "apps/negative_cycle.h"
#include "apps/predecessors.h"
#include "apps/runs.h"
#include "framework/run/reserved.h"

#include <math.h>
#include <string.h>

#include <ordo/memory.h>

enum { LOOKS = 20 };        /* time between looks, in looks */
#define LOOK_SECONDS 1e-8   /* of a look, for each vertex and edge: an estimate */
#define FIRST_SECONDS 0.002 /* at least */

/* ---- checks ---- */

static ordo_type type_of(const ordo_graph *g)
{
    return ordo_sssp_type(g);
}

static bool may_be_negative(const ordo_graph *g)
{
    return type_of(g) != ORDO_U32;
}

static const ordo_operator *op_for(const ordo_graph *g)
{
    return ordo_operator_for(may_be_negative(g) ? "bellman_ford" : "sssp", g);
}

static ordo_status check_query(const ordo_path_query *query, const ordo_cycle *cycle)
{
    if (!cycle)
        return ordo_fail(ORDO_ERR_USAGE, "cycle is NULL, expected a place for one");
    if (query && (query->limited || query->target_count || query->stop_after))
        return ordo_fail(ORDO_ERR_USAGE,
                         "paths over negative weights have no limit and no early end: any vertex may get nearer again");
    return ORDO_OK;
}

/* ORDO_ERR_INPUT for NaN and infinite weights, which always change the mean. */
static ordo_status check_finite(const ordo_graph *graph, const ordo_graph_info *info)
{
    const ordo_csr *g = ordo_graph_out(graph);
    if (isfinite(info->weight_mean))
        return ORDO_OK;
    for (ordo_eid e = 0; e < g->m; e++) {
        const double w = ordo_word_value(g->weight_type, ordo_weight_word(g, e));
        if (!isfinite(w))
            return ordo_fail(ORDO_ERR_INPUT, "edge %u -> %u has weight %g; shortest paths need finite weights",
                             ordo_csr_tail(g, e), g->head[e * g->stride], isnan(w) ? (double)NAN : w);
    }
    return ORDO_OK;
}

/* ---- the least and the largest distance ---- */

/* Doubles as words that compare as they do. */
static ordo_u64 to_ordered(double x)
{
    ordo_u64 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (ordo_u64)1 << 63;
}
static double from_ordered(ordo_u64 word)
{
    double x;
    word = word >> 63 ? word & ~((ordo_u64)1 << 63) : ~word;
    memcpy(&x, &word, sizeof x);
    return x;
}

typedef struct extent {
    ordo_type type;
    const void *dist;
    ordo_u64 least, most; /* atomic; ordered, `most` inverted */
} extent;

static void extent_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    extent *x = arg;
    const ordo_u64 unreached = ordo_unreached_word(x->type);
    double least = (double)INFINITY, most = -(double)INFINITY;
    for (ordo_u64 v = begin; v < end; v++) {
        const ordo_u64 word = ordo_word_at(x->type, x->dist, v);
        const double d = ordo_word_value(x->type, word);
        if (word == unreached)
            continue;
        least = d < least ? d : least;
        most = d > most ? d : most;
    }
    ordo_keep_least_u64(&x->least, to_ordered(least));
    ordo_keep_least_u64(&x->most, ~to_ordered(most));
}

/* Of the reached vertices, of which there is one at least. */
static ordo_status find_extent(const ordo_search *s, int threads, double *least, double *most)
{
    extent x = {.type = s->type, .dist = s->dist, .least = ~(ordo_u64)0, .most = ~(ordo_u64)0};
    ordo_status status = ordo_for_ranges(threads, s->g->n, 0, extent_range, &x);
    *least = from_ordered(x.least);
    *most = from_ordered(~x.most);
    return status;
}

/* ---- overflow ---- */

/* Finds an edge from a reached vertex to an unreached one: its sum does not fit. Serial; only where the largest
 * distance and weight make that possible. */
static ordo_status check_overflow(const ordo_search *s, double most, double weight_max)
{
    const ordo_csr *g = s->g;
    const ordo_u64 unreached = ordo_unreached_word(s->type);
    const double sum = most + weight_max; /* of i64: rounded; then the edges are looked at for nothing */
    if (s->type == ORDO_F32   ? isfinite((ordo_f32)sum)
        : s->type == ORDO_F64 ? isfinite(sum)
        : s->type == ORDO_I64 ? sum < 0x1p63
                              : sum < ORDO_UNREACHED_I32)
        return ORDO_OK;
    for (ordo_vid u = 0; u < g->n; u++) {
        const ordo_u64 du = ordo_word_at(s->type, s->dist, u);
        for (ordo_eid e = g->row[u]; du != unreached && e < g->row[u + 1]; e++)
            if (ordo_word_at(s->type, s->dist, g->head[e * g->stride]) == unreached)
                return ordo_fail(ORDO_ERR_OVERFLOW, "edge %u -> %u: distance %s + weight %s does not fit %s", u,
                                 g->head[e * g->stride], ordo_word_print(s->type, du).text,
                                 ordo_word_print(s->type, ordo_weight_word(g, e)).text, ordo_type_text(s->type));
    }
    return ORDO_OK;
}

/* ---- the runs ---- */

static double deadline_of(const ordo_options *asked, double start)
{
    return asked->timeout > 0 ? start + asked->timeout : 0;
}

/* Has the serial search decide. */
static ordo_status decide(ordo_search *s, const ordo_runs *runs, const ordo_options *asked, ordo_cycle *cycle)
{
    s->deadline = deadline_of(asked, runs->start);
    return ordo_search_decide(s, cycle);
}

/* A run and looks at it, in turns, until it ends or a cycle is found. */
static ordo_status run_and_look(ordo_search *s, ordo_work *work, ordo_runs *runs, const ordo_options *asked,
                                ordo_cycle *cycle)
{
    const double most_edges = (double)s->g->n * (double)s->g->m, end = deadline_of(asked, runs->start);
    double budget = LOOKS * LOOK_SECONDS * ((double)s->g->n + (double)s->g->m);
    ordo_stats own = {0};
    ordo_look look = {0};
    ordo_status status;
    budget = budget > FIRST_SECONDS ? budget : FIRST_SECONDS;
    if (!runs->stats)
        runs->stats = &own; /* counts edges */
    for (;;) {
        const double limit = ordo_clock() + budget;
        runs->options.timeout = (end > 0 && end < limit ? end : limit) - runs->start;
        status = ordo_runs_one(runs, work);
        if (status != ORDO_ERR_TIMEOUT || (end > 0 && ordo_clock() >= end))
            break;
        const double before = ordo_clock();
        ordo_free(look.active);
        status = ordo_search_look(s, &look, cycle);
        if (status || cycle->length)
            break;
        if (look.proven || (double)runs->stats->edges > most_edges) {
            status = decide(s, runs, asked, cycle);
            break;
        }
        work->initial = look.active;
        work->initial_count = look.active_count;
        const double spent = ordo_clock() - before;
        budget = 2 * budget > LOOKS * spent ? 2 * budget : LOOKS * spent;
    }
    ordo_free(look.active);
    if (runs->stats == &own) {
        ordo_stats_free(&own);
        runs->stats = NULL;
        runs->ran = false;
    }
    return status;
}

/* With a cycle there are no distances. */
static ordo_status clear_answer(const ordo_search *s, int threads, const ordo_path_answer *answer)
{
    ordo_vid *lists[] = {answer->pred, answer->nearest};
    ordo_status status = ordo_fill_words(threads, s->type, answer->value, s->g->n, ordo_unreached_word(s->type));
    for (int i = 0; i < 2; i++)
        if (!status && lists[i])
            status = ordo_fill(threads, lists[i], s->g->n, ORDO_NO_VERTEX);
    return status;
}

/* The paths of an answer without a cycle. */
static ordo_paths paths_of(const ordo_search *s, const ordo_graph_info *info)
{
    return (ordo_paths){.g = s->g,
                        .type = s->type,
                        .weighted = true,
                        .by_hops = info->weight_min < 0,
                        .sources = s->sources,
                        .dist = s->dist};
}

/* The exponent of the lowest bit that a weight has, over all edges: every sum is a multiple of 2 to its power. */
typedef struct grain {
    const ordo_csr *g;
    ordo_u64 least; /* atomic; plus GRAIN_BIAS */
} grain;
enum { GRAIN_BIAS = 2048 };

static void grain_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    grain *x = arg;
    const bool wide = x->g->weight_type == ORDO_F64;
    const int digits = wide ? 52 : 23;
    const ordo_u64 implied = (ordo_u64)1 << digits, fields = wide ? 0x7ff : 0xff;
    ordo_u64 least = ~(ordo_u64)0;
    for (ordo_u64 e = begin; e < end; e++) {
        const ordo_u64 bits = ordo_weight_word(x->g, e), field = bits >> digits & fields;
        const ordo_u64 mantissa = (bits & (implied - 1)) | (field ? implied : 0);
        if (!mantissa)
            continue; /* 0 has no bits */
        const ordo_u64 lowest =
            (ordo_u64)(GRAIN_BIAS - (wide ? 1075 : 150)) + (field ? field : 1) + (ordo_u64)__builtin_ctzll(mantissa);
        least = lowest < least ? lowest : least;
    }
    ordo_keep_least_u64(&x->least, least);
}

/* Whether no distance was rounded; `most` is the largest final one without its sign.
 *
 * Let all weights be multiples of q, a power of two, and B = 2^p q, p the bits of the type's mantissa. Sums, rounded or
 * not, are multiples of q; a sum below B, without its sign, is not rounded, and the others stay at B or above. So the
 * test is most < B, and that larger sums were rounded on the way does not matter:
 * (1) At the end d(v) <= d(u) + w for every edge of a reached u, without rounding. A sum below B is not rounded; one
 *     from B on exceeds d(v); one down to -B is impossible, since d(v) would be as low. So no cycle is negative.
 * (2) Let p(v) be the edge over which v got d(v) last, from u when its distance was d'(u) >= d(u). Then d(v) = d'(u) +
 *     w, not rounded, as d(v) is below B; by (1) d'(u) = d(u). So these edges are tight.
 * (3) They form no cycle: let x be the vertex of it that got its distance last, and z the next one. z got d(z) from a
 *     distance of x before that, which was larger than d(x), in contradiction to (2). So they lead from the sources,
 *     and every distance is the exact weight of a path. */
static ordo_status sums_are_exact(const ordo_search *s, int threads, double most, bool *exact)
{
    grain x = {.g = s->g, .least = ~(ordo_u64)0};
    ordo_status status = ordo_for_ranges(threads, s->g->m, 0, grain_range, &x);
    const int bits = s->type == ORDO_F64 ? 53 : 24;
    *exact = x.least == ~(ordo_u64)0 || most < ldexp(1, bits + (int)x.least - GRAIN_BIAS);
    return status;
}

/* Rounded sums can stay as they are although a cycle is negative: then a vertex is reached to which no tight edges lead
 * from a source. Looks for such a cycle, unless sums are exact. */
static ordo_status check_rounding(ordo_search *s, const ordo_graph_info *info, const ordo_runs *runs,
                                  const ordo_options *asked, double most, const ordo_path_answer *answer,
                                  ordo_cycle *cycle)
{
    bool exact = false;
    if (!ordo_is_real(s->type) || info->weight_min >= 0)
        return ORDO_OK;
    ordo_status status = sums_are_exact(s, asked->threads, most, &exact);
    if (status || exact)
        return status;
    ordo_u64 missed = 0;
    ordo_look look = {0};
    ordo_vid *own = answer->pred ? NULL : ordo_alloc(s->g->n, sizeof *own);
    const ordo_paths paths = paths_of(s, info);
    if (!answer->pred && !own)
        return ORDO_ERR_MEMORY;
    status = ordo_predecessors_some(&paths, asked->threads, own ? own : answer->pred, &missed);
    ordo_free(own);
    if (!status && missed)
        status = ordo_search_look(s, &look, cycle);
    ordo_free(look.active);
    return status || !missed || cycle->length ? status : decide(s, runs, asked, cycle);
}

static ordo_status search(ordo_search *s, const ordo_graph *g, const ordo_graph_info *info, ordo_runs *runs,
                          const ordo_options *asked, const ordo_path_answer *answer, ordo_cycle *cycle)
{
    const int threads = asked->threads;
    ordo_work work = ordo_vertex_work(op_for(g), g, NULL, answer->value, s->sources);
    ordo_status status = ordo_run_check(&work, asked);
    if (!status)
        status = check_finite(g, info);
    if (!status)
        status = ordo_fill_words(threads, s->type, answer->value, work.targets, ordo_unreached_word(s->type));
    if (status)
        return status;
    ordo_sources_set(s->sources, s->type, answer->value, 0); /* the same word for all types */
    status = run_and_look(s, &work, runs, asked, cycle);
    double least = 0, most = 0;
    if (!status && !cycle->length)
        status = find_extent(s, threads, &least, &most);
    const bool low = ordo_is_real(s->type) ? isinf(least)
                     : s->type == ORDO_I64 ? least <= -0x1p63 /* or near it: rounded */
                                           : least < -(double)ORDO_UNREACHED_I32;
    if (!status && !cycle->length && low) {
        status = decide(s, runs, asked, cycle);
        if (!status && !cycle->length)
            status = find_extent(s, threads, &least, &most);
    }
    if (!status && !cycle->length)
        status = check_rounding(s, info, runs, asked, fmax(-least, most), answer, cycle);
    if (!status && cycle->length)
        return clear_answer(s, threads, answer);
    return status ? status : check_overflow(s, most, info->weight_max);
}

ordo_status ordo_bellman_ford(const ordo_graph *g, const ordo_path_query *query, const ordo_options *options,
                              const ordo_path_answer *answer, ordo_cycle *cycle)
{
    ordo_sources from;
    ordo_graph_info info;
    ordo_cycle found = {0};
    ordo_status status = check_query(query, cycle);
    if (!status)
        status = ordo_sources_make(g, query, answer, &from);
    if (status)
        return status;
    if (!may_be_negative(g)) {
        ordo_sources_free(&from);
        status = ordo_sssp_from(g, query, options, answer);
        if (!status)
            *cycle = found;
        return status;
    }
    ordo_graph_get_info(g, &info);
    const ordo_options chosen = ordo_options_or_auto(options, "delta");
    ordo_runs runs = {.options = chosen, .stats = answer->stats, .start = ordo_clock()};
    ordo_search s = {.g = ordo_graph_out(g), .type = type_of(g), .sources = &from, .dist = answer->value};
    status = search(&s, g, &info, &runs, &chosen, answer, &found);
    ordo_runs_end(&runs, ordo_operator_name(op_for(g)), status);
    if (!status && !found.length) {
        const ordo_paths paths = paths_of(&s, &info);
        status = ordo_trees(&paths, chosen.threads, answer->pred, answer->nearest);
    }
    if (status)
        ordo_cycle_free(&found);
    else
        *cycle = found;
    ordo_sources_free(&from);
    return status;
}

void ordo_cycle_free(ordo_cycle *cycle)
{
    if (!cycle)
        return;
    ordo_free(cycle->vertex);
    ordo_free(cycle->edge);
    *cycle = (ordo_cycle){0};
}

ordo_status ordo_bellman_ford_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                     ordo_u64 *at_most)
{
    if (!may_be_negative(g))
        return ordo_sssp_memory(g, options, expected, at_most);
    const ordo_sources source = ORDO_FIRST_VERTEX;
    const ordo_options chosen = ordo_options_or_auto(options, "delta");
    const ordo_work work = ordo_vertex_work(op_for(g), g, NULL, (void *)&source, &source); /* cells are not read */
    ordo_status status = ordo_run_memory(&work, &chosen, expected, at_most);
    const ordo_u64 serial = work.targets * 41; /* apps/negative_cycle.c: fifo and parents */
    if (!status && *at_most < serial)
        *at_most = serial;
    return status;
}

/* ---- the app ---- */

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    const ordo_path_query query = ordo_input_query(input);
    ordo_path_answer paths;
    ordo_cycle_free(&answer->cycle);
    ordo_status status = ordo_answer_paths(answer, type_of(input->graph), input, stats, &paths);
    if (!status)
        status = ordo_bellman_ford(input->graph, &query, options, &paths, &answer->cycle);
    if (!status)
        ordo_answer_sum_signed(answer);
    return status;
}

static ordo_status trees(const ordo_app_input *input, int threads, ordo_answer *answer)
{
    ordo_graph_info info;
    ordo_graph_get_info(input->graph, &info);
    const ordo_paths paths = {.weighted = info.weight_type != ORDO_NONE, .by_hops = info.weight_min < 0};
    if (!answer->cycle.length)
        return ordo_answer_trees(input, paths, threads, answer);
    const ordo_status status = ordo_answer_lists(answer, input);
    ordo_vid *const lists[] = {answer->pred, answer->nearest};
    for (int i = 0; i < 2 && !status; i++)
        if (lists[i])
            memset(lists[i], 0xff, answer->n * sizeof *lists[i]); /* ORDO_NO_VERTEX */
    return status;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    const ordo_path_query query = ordo_input_query(input);
    const ordo_path_answer paths = ordo_answer_claimed(answer, input);
    return ordo_bellman_ford_verify(input->graph, &query, &paths, &answer->cycle, how);
}

/* Cycles are looked for in all edges. */
static bool own_rows_suffice(const ordo_graph *g, const ordo_options *options)
{
    (void)options;
    return !may_be_negative(g);
}

extern const ordo_app ordo_app_bellman_ford;
const ordo_app ordo_app_bellman_ford = {
    .name = "bellman-ford",
    .summary = "shortest paths from one source, weights of either sign; or a negative cycle",
    .value_name = "distance",
    .needs_source = true,
    .wants_weights = true,
    .has_tree = true,
    .has_cycle = true,
    .has_infinity = true,
    .by_names = true,
    .op = op_for,
    .own_rows_suffice = own_rows_suffice,
    .own_rows_cyclic = true,
    .run = run,
    .trees = trees,
    .verify = verify,
    .memory = ordo_bellman_ford_memory,
};
