/* johnson.c -- shortest paths from each source of a list, over weights of either sign (Johnson 1977).
 *
 * One search by ordo_bellman_ford() from all sources together gives h(v), the least distance from any of them, or a
 * cycle of negative weight. With weights w(u, v) + h(u) - h(v), which are not negative, paths keep their order: the
 * distance from s to v changes by h(s) - h(v). So each source takes one run of operators/sssp.h. (Johnson's own h is
 * from a new vertex with an edge to every vertex. From the sources alone it is as good, since only what they reach
 * counts.)
 *
 * That arithmetic must be exact: i32, in 64 bits, with weights of u32 for the runs; i64, in 128 bits, with weights of
 * i64. For reals, where a potential would change how sums round, and where a weight or a distance leaves that type,
 * each source takes a search by ordo_bellman_ford() instead. Without a negative weight no potentials are needed.
 */
#include "apps/common.h"
#include "apps/predecessors.h"
#include "apps/runs.h"

#include <math.h>

#include <ordo/memory.h>

extern const ordo_app ordo_app_bellman_ford;

/* What a call works on. */
typedef struct johnson {
    const ordo_graph *g;
    const ordo_path_query *query;
    const ordo_path_answer *answer; /* rows of n values, one for each source */
    ordo_runs runs;
    ordo_type type; /* of weights */
    void *shift;    /* [n] h, of that type; NULL: no weight is negative */
    ordo_u32 *edge; /* [m] heads and shifted weights; NULL: bellman_ford from each source */
    ordo_graph *shifted;
} johnson;

static ordo_status check(const ordo_graph *g, const ordo_path_query *query, const ordo_path_answer *answer,
                         const ordo_cycle *cycle)
{
    if (!g || !query || !answer || !answer->value || !cycle)
        return ordo_fail(ORDO_ERR_USAGE, "no %s given",
                         !g       ? "graph"
                         : !query ? "query"
                         : !cycle ? "cycle"
                                  : "place for distances");
    if (answer->nearest)
        return ordo_fail(ORDO_ERR_USAGE, "every row has one source, expected NULL in the place of nearest ones");
    return ORDO_OK;
}

/* The options for a part of the call: what is left of the time. */
static ordo_options options_now(const johnson *j)
{
    ordo_options options = j->runs.options;
    if (options.timeout > 0) {
        const double rest = options.timeout - (ordo_clock() - j->runs.start);
        options.timeout = rest > 1e-9 ? rest : 1e-9;
    }
    return options;
}

/* Adds up the statistics of a part that began at `before`. */
static void add_stats(johnson *j, ordo_status status, ordo_stats *one, double before)
{
    if (status && status != ORDO_ERR_CANCELLED && status != ORDO_ERR_TIMEOUT)
        return;
    if (j->runs.stats)
        ordo_runs_add(&j->runs, one, before - j->runs.start);
    else
        ordo_stats_free(one);
}

/* Shortest paths from `from` into those arrays, by bellman_ford. */
static ordo_status search(johnson *j, const ordo_path_query *from, void *value, ordo_vid *pred, ordo_cycle *cycle)
{
    ordo_stats one = {0};
    const ordo_options options = options_now(j);
    const ordo_path_answer answer = {.value = value, .pred = pred, .stats = &one};
    const double before = ordo_clock();
    ordo_status status = ordo_bellman_ford(j->g, from, &options, &answer, cycle);
    add_stats(j, status, &one, before);
    return status;
}

/* ---- potentials ---- */

/* Of shifted weights. */
static ordo_type shifted_type(ordo_type type)
{
    return type == ORDO_I32 ? ORDO_U32 : ORDO_I64;
}

typedef struct shifting {
    const ordo_csr *g;
    ordo_type type; /* of weights and h */
    const void *shift;
    ordo_u32 *edge;
    ordo_u64 large; /* atomic: 1 where a weight leaves the type of shifted ones */
} shifting;

static void shift_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    shifting *s = arg;
    const ordo_csr *g = s->g;
    const bool wide = ordo_is_wide(s->type);
    const ordo_u64 unreached = ordo_unreached_word(s->type), stride = wide ? 3 : 2;
    const ordo_u64 most = ordo_unreached_word(shifted_type(s->type));
    ordo_u64 large = 0;
    for (ordo_u64 u = begin; u < end; u++) {
        const ordo_u64 hu = ordo_word_at(s->type, s->shift, u);
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            const ordo_vid v = g->head[e * g->stride];
            const __int128 weight = (__int128)ordo_word_whole(s->type, ordo_weight_word(g, e)) +
                                    ordo_word_whole(s->type, hu) -
                                    ordo_word_whole(s->type, ordo_word_at(s->type, s->shift, v));
            const bool reached = hu != unreached;
            const ordo_u64 word = reached ? (ordo_u64)weight : 0; /* what is not reached is not read */
            large |= (ordo_u64)(reached && weight >= (__int128)most);
            s->edge[stride * e] = v;
            s->edge[stride * e + 1] = (ordo_u32)word;
            if (wide)
                s->edge[stride * e + 2] = (ordo_u32)(word >> 32);
        }
    }
    if (large)
        __atomic_store_n(&s->large, 1, __ATOMIC_RELAXED);
}

/* Makes the graph of shifted weights, unless one of these does not fit. */
static ordo_status make_shifted(johnson *j)
{
    const ordo_csr *g = ordo_graph_out(j->g);
    const ordo_u32 stride = ordo_is_wide(j->type) ? 3 : 2;
    j->edge = ordo_alloc(stride * (g->m ? g->m : 1), sizeof *j->edge);
    if (!j->edge)
        return ORDO_ERR_MEMORY;
    shifting s = {.g = g, .type = j->type, .shift = j->shift, .edge = j->edge};
    ordo_status status = ordo_for_ranges(j->runs.options.threads, g->n, ORDO_GRAIN, shift_range, &s);
    if (status || s.large)
        return status;
    const ordo_csr rows = {.n = g->n,
                           .m = g->m,
                           .row = g->row,
                           .head = j->edge,
                           .weight = j->edge + 1,
                           .stride = stride,
                           .weight_type = shifted_type(j->type)};
    return ordo_graph_borrow(&rows, false, &j->shifted);
}

static ordo_status prepare(johnson *j, ordo_cycle *cycle)
{
    ordo_graph_info info;
    ordo_graph_get_info(j->g, &info);
    if (j->type == ORDO_U32 || ordo_is_real(j->type) || info.weight_min >= 0)
        return ORDO_OK;
    j->shift = ordo_alloc(info.vertices, ordo_type_bytes(j->type));
    if (!j->shift)
        return ORDO_ERR_MEMORY;
    ordo_status status = search(j, j->query, j->shift, NULL, cycle);
    return status || cycle->length ? status : make_shifted(j);
}

/* ---- a source ---- */

/* One run over shifted weights, and back. ORDO_ERR_OVERFLOW where a shifted distance does not fit. */
static ordo_status run_shifted(johnson *j, ordo_vid source, void *value)
{
    ordo_stats one = {0};
    const ordo_options options = options_now(j);
    const ordo_path_query from = {.sources = &source, .source_count = 1};
    const ordo_path_answer answer = {.value = value, .stats = &one};
    const double before = ordo_clock();
    ordo_status status = ordo_sssp_from(j->shifted, &from, &options, &answer);
    add_stats(j, status, &one, before);
    const ordo_u64 unreached = ordo_unreached_word(j->type), none = ordo_unreached_word(shifted_type(j->type));
    const __int128 most = ordo_word_whole(j->type, unreached);
    const ordo_i64 from_h = ordo_word_whole(j->type, ordo_word_at(j->type, j->shift, source));
    for (ordo_u64 v = 0; !status && v < ordo_graph_out(j->g)->n; v++) {
        const ordo_u64 word = ordo_word_at(j->type, value, v);
        const __int128 d = (__int128)ordo_word_whole(shifted_type(j->type), word) - from_h +
                           ordo_word_whole(j->type, ordo_word_at(j->type, j->shift, v));
        if (word == none)
            ordo_word_set(j->type, value, v, unreached);
        else if (d <= -most - 1 || d >= most)
            status = ORDO_ERR_OVERFLOW; /* bellman_ford says it of the edge */
        else
            ordo_word_set(j->type, value, v, ordo_word_of(j->type, (ordo_i64)d, 0));
    }
    return status;
}

static ordo_status run_source(johnson *j, ordo_u64 i, ordo_cycle *cycle)
{
    const ordo_u64 n = ordo_graph_out(j->g)->n;
    const ordo_path_query from = {.sources = &j->query->sources[i], .source_count = 1};
    void *value = (char *)j->answer->value + i * n * ordo_type_bytes(j->type);
    ordo_vid *pred = j->answer->pred ? j->answer->pred + i * n : NULL;
    ordo_status status = ORDO_ERR_OVERFLOW;
    if (j->shifted)
        status = run_shifted(j, from.sources[0], value);
    if (!status && pred) {
        const ordo_sources source = {.vertex = from.sources, .count = 1, .limit = (double)INFINITY};
        const ordo_paths paths = {.g = ordo_graph_out(j->g),
                                  .type = j->type,
                                  .weighted = true,
                                  .by_hops = true,
                                  .sources = &source,
                                  .dist = value};
        status = ordo_predecessors(&paths, j->runs.options.threads, pred);
    }
    return status == ORDO_ERR_OVERFLOW ? search(j, &from, value, pred, cycle) : status;
}

/* With a cycle there are no distances. */
static ordo_status clear_answer(const johnson *j)
{
    const ordo_u64 count = j->query->source_count * ordo_graph_out(j->g)->n;
    const int threads = j->runs.options.threads;
    ordo_status status = ordo_fill_words(threads, j->type, j->answer->value, count, ordo_unreached_word(j->type));
    return status || !j->answer->pred ? status : ordo_fill(threads, j->answer->pred, count, ORDO_NO_VERTEX);
}

ordo_status ordo_johnson(const ordo_graph *g, const ordo_path_query *query, const ordo_options *options,
                         const ordo_path_answer *answer, ordo_cycle *cycle)
{
    ordo_cycle found = {0};
    ordo_sources sources;
    ordo_status status = check(g, query, answer, cycle);
    if (!status)
        status = ordo_sources_make(g, query, answer, &sources); /* checks them */
    if (status)
        return status;
    ordo_sources_free(&sources);
    johnson j = {
        .g = g,
        .type = ordo_sssp_type(g),
        .query = query,
        .answer = answer,
        .runs = {.options = options ? *options : (ordo_options){0}, .stats = answer->stats, .start = ordo_clock()}};
    status = prepare(&j, &found);
    for (ordo_u64 i = 0; !status && !found.length && i < query->source_count; i++)
        status = run_source(&j, i, &found);
    if (!status && found.length)
        status = clear_answer(&j);
    ordo_runs_end(&j.runs, ordo_operator_name(ordo_app_bellman_ford.op(g)), status);
    ordo_graph_free(j.shifted);
    ordo_free(j.edge);
    ordo_free(j.shift);
    if (status)
        ordo_cycle_free(&found);
    else
        *cycle = found;
    return status;
}

ordo_status ordo_johnson_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_type type = ordo_sssp_type(g);
    const ordo_u64 bytes = ordo_type_bytes(type);
    const ordo_u64 own =
        type == ORDO_I32 || type == ORDO_I64 ? rows->n * bytes + rows->m * (sizeof(ordo_vid) + bytes) : 0;
    ordo_status status = ordo_bellman_ford_memory(g, options, expected, at_most);
    *expected += status ? 0 : own;
    *at_most += status ? 0 : own;
    return status;
}

/* ---- the app ---- */

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    const ordo_path_query query = ordo_input_query(input);
    const ordo_u64 n = ordo_graph_out(input->graph)->n;
    ordo_cycle_free(&answer->cycle);
    ordo_status status = ordo_answer_capacity(answer, ordo_sssp_type(input->graph), n * query.source_count, false);
    const ordo_path_answer paths = {.value = answer->values, .stats = stats};
    if (!status)
        status = ordo_johnson(input->graph, &query, options, &paths, &answer->cycle);
    if (!status)
        ordo_answer_sum_signed(answer);
    return status;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    const ordo_path_query query = ordo_input_query(input);
    const ordo_path_answer paths = {.value = answer->values};
    return ordo_johnson_verify(input->graph, &query, &paths, &answer->cycle, how);
}

static const ordo_operator *op_for(const ordo_graph *g)
{
    return ordo_app_bellman_ford.op(g);
}

extern const ordo_app ordo_app_johnson;
const ordo_app ordo_app_johnson = {
    .name = "johnson",
    .summary = "shortest paths from each source of a list, weights of either sign; or a negative cycle",
    .value_name = "distance",
    .needs_source = true,
    .takes_list = true,
    .wants_weights = true,
    .has_cycle = true,
    .has_infinity = true,
    .by_names = true,
    .op = op_for,
    .run = run,
    .verify = verify,
    .memory = ordo_johnson_memory,
};
