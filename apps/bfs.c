/* bfs.c -- the app of breadth-first search: one run of operators/bfs.h, then predecessors. Weights are ignored.
 */
#include "apps/common.h"
#include "apps/path_stages.h"
#include "apps/predecessors.h"

#include <math.h>

#include "operators/bfs.h"

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return ordo_operator_find("bfs");
}

static void set_limit(void *s, ordo_type type, double limit)
{
    (void)type;
    ((bfs_state *)s)->limit = ordo_limit_u32(limit);
}

static ordo_status levels(const ordo_graph *g, const ordo_path_query *query, const ordo_sources *from,
                          const ordo_options *options, const ordo_path_answer *answer)
{
    bfs_state s = {.limit = ordo_limit_u32(from->limit)};
    ordo_options chosen = ordo_options_or(options, "auto");
    ordo_work work = ordo_vertex_work(op_for(g), g, &s, answer->value, from);
    work.final = !ordo_stops_early(query);
    work.unset = true;
    ordo_status status = ordo_run_check(&work, &chosen);
    if (status)
        return status;
    ordo_sources_set(from, ORDO_U32, answer->value, 0);
    double within = (double)INFINITY;
    if (ordo_stops_early(query)) {
        const ordo_stages stages = {.graph = g,
                                    .type = ORDO_U32,
                                    .query = query,
                                    .from = from,
                                    .work = &work,
                                    .state = &s,
                                    .most = s.limit,
                                    .set_limit = set_limit};
        status = ordo_stages_run(&stages, &chosen, answer->stats, &within);
    } else {
        status = ordo_run(&work, &chosen, answer->stats);
    }
    if (status)
        return status;
    if (answer->within)
        *answer->within = within;
    const ordo_paths paths = {.g = ordo_graph_out(g), .type = ORDO_U32, .sources = from, .dist = answer->value};
    return ordo_trees(&paths, chosen.threads, answer->pred, answer->nearest);
}

ordo_status ordo_bfs_from(const ordo_graph *g, const ordo_path_query *query, const ordo_options *options,
                          const ordo_path_answer *answer)
{
    ordo_sources from;
    ordo_status status = ordo_sources_make(g, query, answer, &from);
    if (status)
        return status;
    status = levels(g, query, &from, options, answer);
    ordo_sources_free(&from);
    return status;
}

ordo_status ordo_bfs(const ordo_graph *g, ordo_vid source, double limit, const ordo_options *options, ordo_u32 *level,
                     ordo_vid *pred, ordo_stats *stats)
{
    const ordo_path_query query = {.sources = &source, .source_count = 1, .limited = true, .limit = limit};
    const ordo_path_answer answer = {.value = level, .pred = pred, .stats = stats};
    return ordo_bfs_from(g, &query, options, &answer);
}

ordo_status ordo_bfs_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    const ordo_sources source = ORDO_FIRST_VERTEX;
    bfs_state s = {.limit = ordo_limit_u32(INFINITY)};
    ordo_options chosen = ordo_options_or(options, "auto");
    ordo_work work = ordo_vertex_work(op_for(g), g, &s, &s.limit, &source); /* cells are not read */
    return ordo_run_memory(&work, &chosen, expected, at_most);
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    const ordo_path_query query = ordo_input_query(input);
    ordo_path_answer paths;
    ordo_status status = ordo_answer_paths(answer, ORDO_U32, input, stats, &paths);
    if (!status)
        status = ordo_bfs_from(input->graph, &query, options, &paths);
    if (!status)
        ordo_answer_sum(answer, options->threads);
    return status;
}

static ordo_status trees(const ordo_app_input *input, int threads, ordo_answer *answer)
{
    return ordo_answer_trees(input, (ordo_paths){0}, threads, answer);
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    const ordo_path_query query = ordo_input_query(input);
    const ordo_path_answer paths = ordo_answer_claimed(answer, input);
    return ordo_bfs_from_verify(input->graph, &query, &paths, how);
}

extern const ordo_app ordo_app_bfs;
const ordo_app ordo_app_bfs = {
    .name = "bfs",
    .summary = "breadth-first search from one source",
    .value_name = "level",
    .needs_source = true,
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
    .memory = ordo_bfs_memory,
};
