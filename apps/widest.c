/* widest.c -- the app of widest paths from one source: one run of operators/widest.h.
 *
 * Widths have the type of the weights, which are capacities here and not negative. 0: there is no path, or only paths
 * with an edge of 0. The type's largest value, at the source: no edge limits the width. Without weights every edge has
 * width 1.
 *
 * Not done: predecessors; widths are equal so often that a tree would say little.
 */
#include "apps/common.h"

#include <math.h>

#define ORDO_WIDE_WEIGHTS
#define ORDO_TEMPLATE "operators/widest.h"
#include <ordo/operator/each_weight.h>

static const ordo_operator *op_for(const ordo_graph *g)
{
    return ordo_operator_for("widest", g);
}

typedef union state {
    widest_state_u32 u32;
    widest_state_i32 i32;
    widest_state_f32 f32;
    widest_state_i64 i64;
    widest_state_f64 f64;
} state;

static state state_for(const ordo_graph *g)
{
    ordo_graph_info info;
    ordo_graph_get_info(g, &info);
    const double most = info.weight_type == ORDO_NONE ? 1 : info.weight_max;
    const double scale = most > 0 ? 512 / most : 0;
    state s;
    if (info.weight_type == ORDO_F32)
        s.f32 = (widest_state_f32){(ordo_f32)most, scale};
    else if (info.weight_type == ORDO_I32)
        s.i32 = (widest_state_i32){(ordo_i32)most, scale};
    else if (info.weight_type == ORDO_I64) /* of 2^63 - 1 the nearest double is larger */
        s.i64 = (widest_state_i64){most < 0x1p63 ? (ordo_i64)most : ORDO_UNREACHED_I64, scale};
    else if (info.weight_type == ORDO_F64)
        s.f64 = (widest_state_f64){most, scale};
    else
        s.u32 = (widest_state_u32){(ordo_u32)most, scale};
    return s;
}

static ordo_options options_for(const ordo_options *options)
{
    return ordo_options_or_auto(options, "delta");
}

static ordo_status widths(const ordo_graph *g, const ordo_sources *from, const ordo_options *options,
                          const ordo_path_answer *answer)
{
    ordo_options chosen = options_for(options);
    state s;
    ordo_work work = ordo_vertex_work(op_for(g), g, &s, answer->value, from);
    work.final = true;
    ordo_status status = ordo_run_check(&work, &chosen);
    if (status || (status = ordo_check_weights(g, "widest paths", NULL)))
        return status;
    s = state_for(g);
    const ordo_type type = ordo_sssp_type(g);
    if ((status = ordo_fill_words(chosen.threads, type, answer->value, work.targets, 0)))
        return status;
    ordo_sources_set(from, type, answer->value, ordo_unreached_word(type));
    status = ordo_run(&work, &chosen, answer->stats);
    if (!status && answer->within)
        *answer->within = (double)INFINITY;
    return status || !answer->nearest ? status : ordo_nearest_by_width(from, g, answer->value, answer->nearest);
}

ordo_status ordo_widest_from(const ordo_graph *g, const ordo_path_query *query, const ordo_options *options,
                             const ordo_path_answer *answer)
{
    ordo_sources from;
    ordo_status status = ordo_sources_make(g, query, answer, &from);
    if (status)
        return status;
    status = ordo_sources_refuse(query, answer, "widest paths");
    if (!status)
        status = widths(g, &from, options, answer);
    ordo_sources_free(&from);
    return status;
}

ordo_status ordo_widest(const ordo_graph *g, ordo_vid source, const ordo_options *options, void *width,
                        ordo_stats *stats)
{
    const ordo_path_query query = {.sources = &source, .source_count = 1};
    const ordo_path_answer answer = {.value = width, .stats = stats};
    return ordo_widest_from(g, &query, options, &answer);
}

ordo_status ordo_widest_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    const ordo_sources source = ORDO_FIRST_VERTEX;
    state s;
    ordo_options chosen = options_for(options);
    ordo_work work = ordo_vertex_work(op_for(g), g, &s, &s, &source); /* neither cells nor state are read */
    return ordo_run_memory(&work, &chosen, expected, at_most);
}

/* Counts reached vertices, with the sources, and computes the least width and the sum of the others. */
static void sum_up(ordo_answer *answer, const ordo_sources *from)
{
    const ordo_type words = answer->type;
    const bool is_real = ordo_is_real(words);
    ordo_u64 least = ~(ordo_u64)0;              /* words of widths compare as widths do */
    ordo_u64 reached = from->count, passed = 0; /* sources */
    unsigned __int128 whole = 0;
    double real = 0;
    for (ordo_u64 v = 0; v < answer->n; v++) {
        if (passed < from->count && v == from->vertex[passed]) {
            passed++;
            continue;
        }
        const ordo_u64 word = ordo_word_at(words, answer->values, v);
        if (word == 0)
            continue;
        reached++;
        least = word < least ? word : least;
        if (is_real)
            real += ordo_word_value(words, word);
        else
            whole += word;
    }
    least = reached > from->count ? least : 0;
    const ordo_type type = is_real ? ORDO_F32 : ORDO_U64;
    answer->fields[0] = (ordo_field){.name = "reached", .type = ORDO_U64, .whole = reached};
    answer->fields[1] =
        (ordo_field){.name = "min", .type = type, .whole = least, .real = is_real ? ordo_word_value(words, least) : 0};
    const bool large = !is_real && whole > INT64_MAX; /* of i64: a double tells its size */
    answer->fields[2] = (ordo_field){
        .name = "sum", .type = large ? ORDO_F32 : type, .whole = (ordo_u64)whole, .real = large ? (double)whole : real};
    answer->field_count = 3;
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    const ordo_path_query query = ordo_input_query(input);
    ordo_path_answer paths;
    ordo_status status = ordo_answer_paths(answer, ordo_sssp_type(input->graph), input, stats, &paths);
    if (!status)
        status = ordo_widest_from(input->graph, &query, options, &paths);
    ordo_sources from = {0};
    if (!status)
        status = ordo_sources_make(input->graph, &query, &paths, &from);
    if (!status)
        sum_up(answer, &from);
    ordo_sources_free(&from);
    return status;
}

static ordo_status trees(const ordo_app_input *input, int threads, ordo_answer *answer)
{
    const ordo_path_query query = ordo_input_query(input);
    const ordo_path_answer paths = ordo_answer_claimed(answer, input);
    ordo_sources from;
    (void)threads;
    ordo_status status = ordo_answer_lists(answer, input);
    if (!status)
        status = ordo_sources_make(input->graph, &query, &paths, &from);
    if (status)
        return status;
    status = answer->nearest ? ordo_nearest_by_width(&from, input->graph, answer->values, answer->nearest) : ORDO_OK;
    ordo_sources_free(&from);
    return status;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    const ordo_path_query query = ordo_input_query(input);
    const ordo_path_answer paths = ordo_answer_claimed(answer, input);
    return ordo_widest_from_verify(input->graph, &query, &paths, how);
}

extern const ordo_app ordo_app_widest;
const ordo_app ordo_app_widest = {
    .name = "widest",
    .summary = "widest paths from one source; weights are capacities",
    .value_name = "width",
    .needs_source = true,
    .wants_weights = true,
    .has_infinity = true,
    .by_names = true,
    .op = op_for,
    .own_rows_suffice = ordo_own_rows_always,
    .own_rows_cyclic = true,
    .run = run,
    .trees = trees,
    .verify = verify,
    .memory = ordo_widest_memory,
};
