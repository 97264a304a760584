/* lp.c -- the app of label propagation: one run of operators/lp.h, in which every vertex begins with its own id.
 *
 * Neighbours are those of both directions: of a directed graph a symmetric copy is made first, so that the two ends of
 * every stored edge look at each other. The labels after a number of rounds are determined by the graph alone.
 *
 * Not done: keeping that copy for a later call; communities of several levels.
 */
#include <ordo/memory.h>

#include "apps/common.h"
#include "apps/undirected.h"
#include "operators/lp.h"

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return ordo_operator_find("lp");
}

/* As ordo_labels, where each vertex begins with its name; names NULL: its number. */
static ordo_status labels_of(const ordo_graph *g, const ordo_vid *names, ordo_u64 rounds, const ordo_options *options,
                             ordo_u32 *label, ordo_stats *stats)
{
    if (!g || (!label && ordo_graph_out(g)->n))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", g ? "room for labels" : "graph");
    if (!rounds)
        return ordo_fail(ORDO_ERR_USAGE, "0 rounds, expected 1 or more");
    const lp_state state = {.rounds = rounds};
    const ordo_options chosen = ordo_options_or(options, "bsp");
    ordo_work work = ordo_vertex_work(op_for(g), g, &state, label, NULL);
    work.final = true;
    ordo_status status = ordo_run_check(&work, &chosen);
    if (status)
        return status;
    ordo_graph *copy;
    const double before = ordo_clock();
    status = ordo_undirected_make(g, chosen.threads, &work.graph, &copy);
    const double prepared = ordo_clock() - before;
    if (!status && names)
        memcpy(label, names, work.targets * sizeof *label);
    else if (!status)
        status = ordo_fill_ids(chosen.threads, label, work.targets);
    if (!status)
        status = ordo_run(&work, &chosen, stats);
    if (stats && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT))
        stats->prepare_seconds += prepared;
    ordo_graph_free(copy);
    return status;
}

ordo_status ordo_labels(const ordo_graph *g, ordo_u64 rounds, const ordo_options *options, ordo_u32 *label,
                        ordo_stats *stats)
{
    return labels_of(g, NULL, rounds, options, label, stats);
}

ordo_status ordo_labels_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    const lp_state state = {.rounds = 1};
    ordo_u32 none = 0;
    const ordo_options chosen = ordo_options_or(options, "bsp");
    const ordo_work work = ordo_vertex_work(op_for(g), g, &state, &none, NULL); /* cells are not looked at */
    ordo_status status = ordo_run_memory(&work, &chosen, expected, at_most);
    if (status)
        return status;
    ordo_undirected_memory(g, expected, at_most);
    return ORDO_OK;
}

/* The number of labels that some vertex has, and the vertices of the most frequent one. */
static ordo_status count_labels(const ordo_u32 *label, ordo_u64 n, ordo_u64 *labels, ordo_u64 *largest)
{
    ordo_u32 *size = ordo_alloc_zero(n, sizeof *size);
    if (!size)
        return ORDO_ERR_MEMORY;
    *labels = *largest = 0;
    for (ordo_u64 v = 0; v < n; v++) {
        const ordo_u32 now = ++size[label[v]];
        *labels += now == 1;
        *largest = now > *largest ? now : *largest;
    }
    ordo_free(size);
    return ORDO_OK;
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    ordo_status status = ordo_answer_capacity(answer, ORDO_U32, ordo_graph_out(input->graph)->n, false);
    if (!status)
        status = labels_of(input->graph, input->names, input->rounds, options, answer->values, stats);
    ordo_u64 labels, largest;
    if (!status && (status = count_labels(answer->values, answer->n, &labels, &largest)))
        ordo_stats_free(stats);
    if (status)
        return status;
    answer->fields[0] = (ordo_field){.name = "labels", .type = ORDO_U64, .whole = labels};
    answer->fields[1] = (ordo_field){.name = "largest", .type = ORDO_U64, .whole = largest};
    answer->field_count = 2;
    return ORDO_OK;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    return ordo_labels_verify(input->graph, input->rounds, answer->values, how);
}

extern const ordo_app ordo_app_lp;
const ordo_app ordo_app_lp = {
    .name = "lp",
    .summary = "communities by label propagation; directions are not looked at",
    .value_name = "label",
    .has_rounds = true,
    .values_are_vertices = true,
    .by_names = true,
    .op = op_for,
    .own_rows_suffice = ordo_own_rows_symmetric,
    .run = run,
    .verify = verify,
    .memory = ordo_labels_memory,
};
