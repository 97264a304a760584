/* colour.c -- the app of greedy colouring: one run of operators/colour.h.
 *
 * Vertices are coloured by rank, each with the smallest colour that no neighbour of a lower rank has. Ranks go by the
 * logarithm of the degree, the largest first, and where that is equal look random (random_ranks.h): nearly as few
 * colours as with the largest degrees first, and short chains of vertices that wait for each other (Hasenplaug, Kaler,
 * Schardl and Leiserson, SPAA 2014). The colours depend on the ranks alone.
 *
 * Not done: improving a colouring afterwards.
 */
#include <ordo/memory.h>

#include "apps/common.h"
#include "apps/random_ranks.h"
#include "apps/undirected.h"
#include "operators/colour.h"

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return ordo_operator_find("colour");
}

/* A degree is the number of edges in a vertex' row; loops and parallel ones count. */
static ordo_u64 rank_in(const ordo_csr *g, ordo_vid v)
{
    const ordo_u64 degree = g->row[v + 1] - g->row[v];
    const ordo_u64 length = degree ? 64 - (ordo_u64)__builtin_clzll(degree) : 0; /* of the number in bits */
    return (64 - length) << 32 | ordo_rank_of(v);
}

typedef struct start {
    colour_state state;
    ordo_u64 *rank;
    ordo_item *initial; /* [n] vertices that wait for nothing */
    ordo_u64 count;     /* atomic: of these */
} start;

static void rank_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const start *s = arg;
    const ordo_csr g = {.row = s->state.edges.row};
    for (ordo_u64 v = begin; v < end; v++)
        s->rank[v] = rank_in(&g, (ordo_vid)v);
}

static void start_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    start *s = arg;
    const colour_state *c = &s->state;
    const ordo_edges *g = &c->edges;
    for (ordo_u64 v = begin; v < end; v++) {
        ordo_eid e = g->row[v];
        while (e < g->row[v + 1] && c->rank[g->head[e * g->stride]] >= c->rank[v])
            e++;
        const bool waits = e < g->row[v + 1];
        c->next[v] = g->row[v];
        c->colour[v] = waits ? COLOUR_NONE : 0;
        if (!waits)
            s->initial[__atomic_fetch_add(&s->count, 1, __ATOMIC_RELAXED)] = (ordo_item)v;
    }
}

static ordo_status run_started(const ordo_graph *graph, start *s, const ordo_options *options, ordo_stats *stats)
{
    const ordo_vid n = s->state.edges.vertices;
    const ordo_work work = {.op = op_for(NULL),
                            .graph = graph,
                            .state = &s->state,
                            .num_items = n,
                            .targets = n,
                            .initial = s->initial,
                            .initial_count = s->count};
    return ordo_run(&work, options, stats);
}

/* On a symmetric graph. */
static ordo_status run_on(const ordo_graph *graph, const ordo_options *options, ordo_u32 *colour, ordo_stats *stats)
{
    const ordo_csr *g = ordo_graph_out(graph);
    start s = {.rank = ordo_alloc(g->n, sizeof *s.rank), .initial = ordo_alloc(g->n, sizeof *s.initial)};
    s.state = (colour_state){.rank = s.rank, .colour = colour, .next = ordo_alloc(g->n, sizeof *s.state.next)};
    ordo_status status = s.rank && s.initial && s.state.next ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status)
        status = ordo_edges_of(graph, false, options->threads, &s.state.edges);
    if (!status)
        status = ordo_for_ranges(options->threads, g->n, ORDO_GRAIN, rank_range, &s);
    if (!status)
        status = ordo_for_ranges(options->threads, g->n, ORDO_GRAIN, start_range, &s);
    if (!status)
        status = run_started(graph, &s, options, stats);
    ordo_free(s.rank);
    ordo_free(s.initial);
    ordo_free(s.state.next);
    return status;
}

/* For checks and predictions. */
static ordo_work sample_work(const ordo_csr *g, const colour_state *state)
{
    return (ordo_work){.op = op_for(NULL), .state = state, .num_items = g->n, .targets = g->n};
}

ordo_status ordo_colour(const ordo_graph *g, const ordo_options *options, ordo_u32 *colour, ordo_stats *stats)
{
    if (!g || (!colour && ordo_graph_out(g)->n))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", g ? "room for colours" : "graph");
    const colour_state unused = {0};
    ordo_options chosen = ordo_options_or_auto(options, "bsp");
    const ordo_work work = sample_work(ordo_graph_out(g), &unused);
    ordo_status status = ordo_run_check(&work, &chosen);
    if (status)
        return status;
    const ordo_graph *graph;
    ordo_graph *copy;
    const double before = ordo_clock();
    status = ordo_undirected_make(g, chosen.threads, &graph, &copy);
    const double prepared = ordo_clock() - before;
    if (!status)
        status = run_on(graph, &chosen, colour, stats);
    if (stats && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT))
        stats->prepare_seconds += prepared;
    ordo_graph_free(copy);
    return status;
}

ordo_status ordo_colour_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    const colour_state unused = {0};
    const ordo_options chosen = ordo_options_or_auto(options, "bsp");
    const ordo_work work = sample_work(ordo_graph_out(g), &unused);
    ordo_status status = ordo_run_memory(&work, &chosen, expected, at_most);
    if (status)
        return status;
    const ordo_u64 fixed = work.num_items * (2 * sizeof(ordo_u64) + 2 * sizeof(ordo_u32));
    *expected += fixed;
    *at_most += fixed;
    ordo_undirected_memory(g, expected, at_most);
    return ORDO_OK;
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    ordo_status status = ordo_answer_capacity(answer, ORDO_U32, ordo_graph_out(input->graph)->n, false);
    if (!status)
        status = ordo_colour(input->graph, options, answer->values, stats);
    if (status)
        return status;
    const ordo_u32 *colour = answer->values;
    ordo_u64 colours = 0;
    for (ordo_u64 v = 0; v < answer->n; v++)
        colours = colour[v] >= colours ? (ordo_u64)colour[v] + 1 : colours;
    answer->fields[0] = (ordo_field){.name = "colours", .type = ORDO_U64, .whole = colours};
    answer->field_count = 1;
    return ORDO_OK;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    return ordo_colour_verify(input->graph, answer->values, how);
}

extern const ordo_app ordo_app_colour;
const ordo_app ordo_app_colour = {
    .name = "colour",
    .summary = "a greedy colouring: neighbours differ; directions are not looked at",
    .value_name = "colour",
    .op = op_for,
    .run = run,
    .verify = verify,
    .memory = ordo_colour_memory,
};
