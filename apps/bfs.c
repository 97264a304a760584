/* bfs.c -- the app of breadth-first search: one run of operators/bfs.h, then predecessors. Weights are ignored.
 */
#include "apps/common.h"
#include "apps/predecessors.h"

#include <math.h>

#include "operators/bfs.h"

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return ordo_operator_find("bfs");
}

ordo_status ordo_bfs(const ordo_graph *g, ordo_vid source, double limit, const ordo_options *options, ordo_u32 *level,
                     ordo_vid *pred, ordo_stats *stats)
{
    ordo_status status = ordo_check_paths(g, source, limit);
    if (status)
        return status;
    bfs_state s = {.limit = ordo_limit_u32(limit)};
    ordo_options chosen = ordo_options_or_auto(options, "bsp");
    ordo_work work = ordo_vertex_work(op_for(g), g, &s, level, &source);
    if ((status = ordo_run_check(&work, &chosen)) ||
        (status = ordo_fill(chosen.threads, level, work.targets, ORDO_UNREACHED_U32)))
        return status;
    level[source] = 0;
    status = ordo_run(&work, &chosen, stats);
    ordo_paths paths = {.g = ordo_graph_out(g), .type = ORDO_U32, .source = source, .dist = level};
    return status || !pred ? status : ordo_predecessors(&paths, chosen.threads, pred);
}

ordo_status ordo_bfs_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    ordo_vid source = 0;
    bfs_state s = {.limit = ordo_limit_u32(INFINITY)};
    ordo_options chosen = ordo_options_or_auto(options, "bsp");
    ordo_work work = ordo_vertex_work(op_for(g), g, &s, &s.limit, &source); /* cells are not read */
    return ordo_run_memory(&work, &chosen, expected, at_most);
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    const ordo_graph *g = input->graph;
    ordo_status status = ordo_answer_capacity(answer, ORDO_U32, ordo_graph_out(g)->n, input->want_pred);
    if (!status)
        status = ordo_bfs(g, input->source, input->limit, options, answer->values,
                          input->want_pred ? answer->pred : NULL, stats);
    if (!status)
        ordo_answer_sum(answer);
    return status;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    return ordo_bfs_verify(input->graph, input->source, input->limit, answer->values,
                           input->want_pred ? answer->pred : NULL, how);
}

extern const ordo_app ordo_app_bfs;
const ordo_app ordo_app_bfs = {
    .name = "bfs",
    .summary = "breadth-first search from one source",
    .value_name = "level",
    .needs_source = true,
    .has_paths = true,
    .has_infinity = true,
    .op = op_for,
    .run = run,
    .verify = verify,
    .memory = ordo_bfs_memory,
};
