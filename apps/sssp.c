/* sssp.c -- the app of shortest paths: one run of operators/sssp.h, then predecessors.
 *
 * Distances have the type of the weights. A sum that does not fit that type improves nothing during the run. If a path
 * ended for that reason, and not because of the limit, "unreached" would be a wrong answer: the app finds the edge and
 * fails. That scan is made only where the largest distance and weight make an overflow possible.
 */
#include "apps/common.h"
#include "apps/path_stages.h"
#include "apps/predecessors.h"

#include <float.h>
#include <math.h>

#define ORDO_WIDE_WEIGHTS
#define ORDO_TEMPLATE "operators/sssp.h"
#include <ordo/operator/each_weight.h>

ordo_type ordo_sssp_type(const ordo_graph *g)
{
    ordo_type type = ordo_graph_out(g)->weight_type;
    return type == ORDO_NONE ? ORDO_U32 : type;
}

static const ordo_operator *op_for(const ordo_graph *g)
{
    return ordo_operator_for("sssp", g);
}

typedef union state {
    sssp_state_u32 u32;
    sssp_state_i32 i32;
    sssp_state_f32 f32;
    sssp_state_i64 i64;
    sssp_state_f64 f64;
} state;

/* The largest distance of the type that is within the limit and does not mean "unreached". */
static state state_for(ordo_type type, double limit)
{
    state s;
    if (type == ORDO_F32) {
        s.f32.limit = limit < (double)FLT_MAX ? (ordo_f32)limit : FLT_MAX;
        if ((double)s.f32.limit > limit)
            s.f32.limit = nextafterf(s.f32.limit, 0);
    } else if (type == ORDO_I32) {
        s.i32.limit = limit < ORDO_UNREACHED_I32 - 1 ? (ordo_i32)limit : ORDO_UNREACHED_I32 - 1;
    } else if (type == ORDO_I64) {
        s.i64.limit = limit < 0x1p63 ? (ordo_i64)limit : ORDO_UNREACHED_I64 - 1;
    } else if (type == ORDO_F64) {
        s.f64.limit = limit < DBL_MAX ? limit : DBL_MAX;
    } else {
        s.u32.limit = ordo_limit_u32(limit);
    }
    return s;
}

/* ---- overflow ---- */

typedef struct overflow {
    const ordo_csr *g;
    ordo_type type;
    const void *dist;
    double limit;
    ordo_u64 max;   /* atomic: the least complement of a distance's word */
    ordo_u64 first; /* atomic: the first edge at fault; m if none */
} overflow;

static void max_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    overflow *o = arg;
    ordo_keep_least_u64(&o->max, ~ordo_total_words(o->type, o->dist, begin, end).max);
}

/* Of a sum of i64, which is rounded: false where it may not fit. */
static bool fits(ordo_type type, double sum)
{
    return type == ORDO_F32   ? isfinite((ordo_f32)sum)
           : type == ORDO_F64 ? isfinite(sum)
           : type == ORDO_I64 ? sum < 0x1p63
           : type == ORDO_I32 ? sum < ORDO_UNREACHED_I32
                              : sum < (double)ORDO_UNREACHED_U32;
}

/* Whether dist u + w is beyond the type, and not because of the limit: exact for integers. */
static bool exceeds(const overflow *o, ordo_u64 du, ordo_u64 w)
{
    const double sum = ordo_word_value(o->type, du) + ordo_word_value(o->type, w);
    ordo_i64 whole;
    if (o->type == ORDO_I64 && !__builtin_add_overflow((ordo_i64)du, (ordo_i64)w, &whole))
        return whole == ORDO_UNREACHED_I64 && sum <= o->limit;
    return !fits(o->type, sum) && sum <= o->limit;
}

static void overflow_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    overflow *o = arg;
    const ordo_csr *g = o->g;
    const ordo_u64 unreached = ordo_unreached_word(o->type);
    for (ordo_u64 u = begin; u < end; u++) {
        const ordo_u64 du = ordo_word_at(o->type, o->dist, u);
        for (ordo_eid e = g->row[u]; du != unreached && e < g->row[u + 1]; e++)
            if (ordo_word_at(o->type, o->dist, g->head[e * g->stride]) == unreached &&
                exceeds(o, du, ordo_weight_word(g, e)))
                ordo_keep_least_u64(&o->first, e);
    }
}

static ordo_status check_overflow(const ordo_graph *graph, double limit, const void *dist, int threads)
{
    const ordo_csr *g = ordo_graph_out(graph);
    if (g->weight_type == ORDO_NONE)
        return ORDO_OK; /* fewer than n edges always fit */
    overflow o = {.g = g, .type = g->weight_type, .dist = dist, .limit = limit, .max = ~(ordo_u64)0, .first = g->m};
    if (fits(o.type, limit))
        return ORDO_OK;
    ordo_graph_info info;
    ordo_graph_get_info(graph, &info);
    /* No distance exceeds this: a path has fewer than n edges, and rounding adds at most a weight to each sum. */
    if (fits(o.type, info.weight_max * g->n * (ordo_is_real(o.type) ? 2 : 1)))
        return ORDO_OK;
    ordo_status status = ordo_for_ranges(threads, g->n, 0, max_range, &o);
    if (status)
        return status;
    if (fits(o.type, ordo_word_value(o.type, ~o.max) + info.weight_max))
        return ORDO_OK;
    status = ordo_for_ranges(threads, g->n, ORDO_GRAIN, overflow_range, &o);
    if (status || o.first == g->m)
        return status;
    ordo_vid u = 0;
    while (g->row[u + 1] <= o.first)
        u++;
    return ordo_fail(ORDO_ERR_OVERFLOW, "edge %u -> %u: distance %s + weight %s does not fit %s", u,
                     g->head[o.first * g->stride], ordo_word_print(o.type, ordo_word_at(o.type, dist, u)).text,
                     ordo_word_print(o.type, ordo_weight_word(g, o.first)).text, ordo_type_text(o.type));
}

/* ---- the app ---- */

static void set_limit(void *s, ordo_type type, double limit)
{
    *(state *)s = state_for(type, limit);
}

static double limit_of(ordo_type type, const state *s)
{
    return type == ORDO_F32   ? (double)s->f32.limit
           : type == ORDO_I32 ? (double)s->i32.limit
           : type == ORDO_I64 ? (double)s->i64.limit
           : type == ORDO_F64 ? s->f64.limit
                              : (double)s->u32.limit;
}

static ordo_status distances(const ordo_graph *g, const ordo_path_query *query, const ordo_sources *from,
                             const ordo_options *options, const ordo_path_answer *answer)
{
    const ordo_type type = ordo_sssp_type(g);
    state s = state_for(type, from->limit);
    ordo_options chosen = ordo_options_or_auto(options, "delta");
    ordo_work work = ordo_vertex_work(op_for(g), g, &s, answer->value, from);
    work.final = !ordo_stops_early(query);
    work.unset = true;
    ordo_status status = ordo_run_check(&work, &chosen);
    if (status || (status = ordo_check_weights(g, "shortest paths", "; the app bellman-ford takes them")))
        return status;
    ordo_sources_set(from, type, answer->value, 0); /* the same word for all types */
    double limit = from->limit, within = (double)INFINITY;
    if (ordo_stops_early(query)) {
        const ordo_stages stages = {.graph = g,
                                    .type = type,
                                    .weighted = ordo_graph_out(g)->weight_type != ORDO_NONE,
                                    .query = query,
                                    .from = from,
                                    .work = &work,
                                    .state = &s,
                                    .most = limit_of(type, &s),
                                    .set_limit = set_limit};
        status = ordo_stages_run(&stages, &chosen, answer->stats, &within);
        limit = within < limit ? within : limit;
    } else {
        status = ordo_run(&work, &chosen, answer->stats);
    }
    if (status || (status = check_overflow(g, limit, answer->value, chosen.threads)))
        return status;
    if (answer->within)
        *answer->within = within;
    const ordo_paths paths = {.g = ordo_graph_out(g),
                              .type = type,
                              .weighted = ordo_graph_out(g)->weight_type != ORDO_NONE,
                              .sources = from,
                              .dist = answer->value};
    return ordo_trees(&paths, chosen.threads, answer->pred, answer->nearest);
}

ordo_status ordo_sssp_from(const ordo_graph *g, const ordo_path_query *query, const ordo_options *options,
                           const ordo_path_answer *answer)
{
    ordo_sources from;
    ordo_status status = ordo_sources_make(g, query, answer, &from);
    if (status)
        return status;
    status = distances(g, query, &from, options, answer);
    ordo_sources_free(&from);
    return status;
}

ordo_status ordo_sssp(const ordo_graph *g, ordo_vid source, double limit, const ordo_options *options, void *dist,
                      ordo_vid *pred, ordo_stats *stats)
{
    const ordo_path_query query = {.sources = &source, .source_count = 1, .limited = true, .limit = limit};
    const ordo_path_answer answer = {.value = dist, .pred = pred, .stats = stats};
    return ordo_sssp_from(g, &query, options, &answer);
}

ordo_status ordo_sssp_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    const ordo_sources source = ORDO_FIRST_VERTEX;
    state s = state_for(ordo_sssp_type(g), INFINITY);
    ordo_options chosen = ordo_options_or_auto(options, "delta");
    ordo_work work = ordo_vertex_work(op_for(g), g, &s, &s, &source); /* cells are not read */
    ordo_status status = ordo_run_memory(&work, &chosen, expected, at_most);
    if (!status && *at_most < ordo_predecessors_memory(work.targets)) /* after the run has freed its own */
        *at_most = ordo_predecessors_memory(work.targets);
    return status;
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    const ordo_path_query query = ordo_input_query(input);
    ordo_path_answer paths;
    ordo_status status = ordo_answer_paths(answer, ordo_sssp_type(input->graph), input, stats, &paths);
    if (!status)
        status = ordo_sssp_from(input->graph, &query, options, &paths);
    if (!status)
        ordo_answer_sum(answer, options->threads);
    return status;
}

static ordo_status trees(const ordo_app_input *input, int threads, ordo_answer *answer)
{
    const bool weighted = ordo_graph_out(input->graph)->weight_type != ORDO_NONE;
    return ordo_answer_trees(input, (ordo_paths){.weighted = weighted}, threads, answer);
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    const ordo_path_query query = ordo_input_query(input);
    const ordo_path_answer paths = ordo_answer_claimed(answer, input);
    return ordo_sssp_from_verify(input->graph, &query, &paths, how);
}

extern const ordo_app ordo_app_sssp;
const ordo_app ordo_app_sssp = {
    .name = "sssp",
    .summary = "shortest paths from one source",
    .value_name = "distance",
    .needs_source = true,
    .wants_weights = true,
    .has_paths = true,
    .has_tree = true,
    .has_infinity = true,
    .by_names = true,
    .op = op_for,
    .own_rows_suffice = ordo_own_rows_always,
    .own_rows_cyclic = true,
    .run = run,
    .trees = trees,
    .verify = verify,
    .memory = ordo_sssp_memory,
};
