/* mis.c -- the app of maximal independent sets: one run of operators/mis.h, with ranks that look random.
 *
 * The set is the one that a loop over the vertices by rank (random_ranks.h) finds, so it is the same under every
 * scheduler. With random ranks no vertex waits for a chain of more than O(log^2 n) others, with high probability
 * (Blelloch, Fineman and Shun, SPAA 2012).
 *
 * Not done: looking for a large set. Finding the largest is NP-hard.
 */
#include <ordo/memory.h>

#include "apps/common.h"
#include "apps/random_ranks.h"
#include "apps/undirected.h"
#include "operators/mis.h"

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return ordo_operator_find("mis");
}

typedef struct start {
    const ordo_csr *g;
    const ordo_vid *names; /* by which vertices are ranked; NULL: by their numbers */
    ordo_u64 *cells;       /* [n] */
    ordo_u32 *rank;        /* [n] */
    ordo_u64 huge;         /* atomic: the first vertex with too many edges; n if none */
} start;

enum { MOST_EDGES = (1 << 30) - 1 };

static ordo_u32 rank_of(const start *s, ordo_vid v)
{
    return ordo_rank_of(s->names ? s->names[v] : v);
}

static void start_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    start *s = arg;
    const ordo_csr *g = s->g;
    for (ordo_u64 v = begin; v < end; v++) {
        const ordo_u32 rank = rank_of(s, (ordo_vid)v);
        ordo_u64 lower = 0;
        if (g->row[v + 1] - g->row[v] > MOST_EDGES)
            ordo_keep_least_u64(&s->huge, v);
        for (ordo_eid e = g->row[v]; e < g->row[v + 1]; e++)
            lower += rank_of(s, g->head[e * g->stride]) < rank;
        s->cells[v] = mis_start(lower);
        s->rank[v] = rank;
    }
}

/* On a symmetric graph. */
static ordo_status run_on(const ordo_graph *g, const ordo_vid *names, const ordo_options *options, ordo_u32 *member,
                          ordo_stats *stats)
{
    const ordo_vid n = ordo_graph_out(g)->n;
    start s = {.g = ordo_graph_out(g),
               .names = names,
               .cells = ordo_alloc(n, sizeof *s.cells),
               .rank = ordo_alloc(n, sizeof *s.rank),
               .huge = n};
    ordo_status status = s.cells && s.rank ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status)
        status = ordo_for_ranges(options->threads, n, ORDO_GRAIN, start_range, &s);
    if (!status && s.huge < n)
        status = ordo_fail(ORDO_ERR_INPUT, "vertex %llu has 2^30 edges or more; mis takes fewer",
                           (unsigned long long)s.huge);
    const mis_state state = {s.rank, member};
    const ordo_work work = ordo_vertex_work(op_for(g), g, &state, s.cells, NULL);
    if (!status)
        status = ordo_run(&work, options, stats);
    ordo_free(s.cells);
    ordo_free(s.rank);
    return status;
}

static ordo_status independent_set(const ordo_graph *g, const ordo_vid *names, const ordo_options *options,
                                   ordo_u32 *member, ordo_stats *stats)
{
    if (!g || (!member && ordo_graph_out(g)->n))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", g ? "room for the members" : "graph");
    const mis_state unused = {0};
    ordo_u64 none = 0;
    ordo_options chosen = ordo_options_or_auto(options, "bsp");
    const ordo_work work = ordo_vertex_work(op_for(g), g, &unused, &none, NULL); /* cells are not looked at */
    ordo_status status = ordo_run_check(&work, &chosen);
    if (status)
        return status;
    const ordo_graph *graph;
    ordo_graph *copy;
    const double before = ordo_clock();
    status = ordo_undirected_make(g, chosen.threads, &graph, &copy);
    const double prepared = ordo_clock() - before;
    if (!status)
        status = run_on(graph, names, &chosen, member, stats);
    if (stats && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT))
        stats->prepare_seconds += prepared;
    ordo_graph_free(copy);
    return status;
}

ordo_status ordo_mis(const ordo_graph *g, const ordo_options *options, ordo_u32 *member, ordo_stats *stats)
{
    return independent_set(g, NULL, options, member, stats);
}

ordo_status ordo_mis_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    const mis_state unused = {0};
    ordo_u64 none = 0;
    const ordo_options chosen = ordo_options_or_auto(options, "bsp");
    const ordo_work work = ordo_vertex_work(op_for(g), g, &unused, &none, NULL); /* cells are not looked at */
    ordo_status status = ordo_run_memory(&work, &chosen, expected, at_most);
    if (status)
        return status;
    const ordo_u64 fixed = work.num_items * (sizeof(ordo_u64) + sizeof(ordo_u32));
    *expected += fixed;
    *at_most += fixed;
    ordo_undirected_memory(g, expected, at_most);
    return ORDO_OK;
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    ordo_status status = ordo_answer_capacity(answer, ORDO_U32, ordo_graph_out(input->graph)->n, false);
    if (!status)
        status = independent_set(input->graph, input->names, options, answer->values, stats);
    if (status)
        return status;
    const ordo_u32 *member = answer->values;
    ordo_u64 members = 0;
    for (ordo_u64 v = 0; v < answer->n; v++)
        members += member[v];
    answer->fields[0] = (ordo_field){.name = "members", .type = ORDO_U64, .whole = members};
    answer->field_count = 1;
    return ORDO_OK;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    return ordo_mis_verify(input->graph, answer->values, how);
}

extern const ordo_app ordo_app_mis;
const ordo_app ordo_app_mis = {
    .name = "mis",
    .summary = "a maximal independent set; directions are not looked at",
    .value_name = "member",
    .by_names = true,
    .op = op_for,
    .run = run,
    .verify = verify,
    .memory = ordo_mis_memory,
};
