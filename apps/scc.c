/* scc.c -- the app of strong components: runs of operators/scc.h, forward and backward, between passes over vertices.
 *
 *   trim    a vertex without an edge to, or from, another vertex of its part is a component by itself. Passes are
 *           repeated while they find many.                                     [McLendon et al. 2005]
 *   pivot   one search forward and one backward from a vertex of many edges. What both reach is its component, on most
 *           graphs the largest one; the others are three parts.                 [Fleischer, Hendrickson and Pinar 2000]
 *   rounds  for all parts at once, until no vertex is left. Forward, every vertex gets the largest rank that reaches it
 *           in its part; vertices with one rank are a part from then on. The vertex of that rank, the root, is one of
 *           them. Backward, what reaches the root is its component.             [Orzan 2004; Slota, Rajamanickam and
 *           Madduri 2014 for the sequence]
 *
 * No component is ever split between parts: its vertices are reached by the same vertices, and reach the same ones.
 * Every part loses the component of its root in a round, so the rounds end; a path of n vertices takes O(log n) rounds,
 * expected, since ranks look random (random_ranks.h). A component's name is its smallest vertex, so the answer does not
 * depend on the method.
 *
 * Not done: parts of few vertices on one thread each, by a serial algorithm.
 */
#include <ordo/memory.h>

#include "apps/common.h"
#include "apps/random_ranks.h"
#include "apps/runs.h"
#include "apps/scc_passes.h"
#include "framework/graph/graph.h"
#include "framework/run/in_rows.h"
#include "operators/scc.h"

enum { TRIMMED_SHARE = 64 /* a pass that finds a smaller share of the vertices left is the last */ };

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return ordo_operator_find("scc");
}

typedef struct search {
    ordo_runs runs;
    const ordo_graph *graph[2]; /* with the edges, and with reversed ones */
    ordo_vid n;
    ordo_u64 left;         /* vertices whose component is not known */
    ordo_item *live;       /* [left] these; NULL: all. Arrays are the session's */
    ordo_item *list[2];    /* [n] one of them holds these */
    ordo_item *root, *one; /* [n] [1] where a search begins */
    scc_arrays arrays;
    ordo_u64 trimmed; /* components found by trimming */
} search;

/* A pass over the vertices left. */
static ordo_status pass(search *s, const ordo_pass *visit, ordo_found *found)
{
    const ordo_each each = {.pass = visit,
                            .state = &s->arrays,
                            .items = s->live,
                            .count = s->left,
                            .graph = s->graph[0],
                            .reversed = s->graph[1]};
    return ordo_session_each(s->runs.session, &each, found);
}

/* The same that lists what it selects. */
static ordo_status list(search *s, const ordo_pass *visit, ordo_item *to, ordo_u64 *count)
{
    ordo_found found;
    const ordo_each each = {.pass = visit, .state = &s->arrays, .items = s->live, .count = s->left, .selected = to};
    const ordo_status status = ordo_session_each(s->runs.session, &each, &found);
    if (!status)
        *count = found.count;
    return status;
}

/* Drops what is done from the list, and clears its cells. */
static ordo_status drop_done(search *s)
{
    ordo_item *to = s->list[s->live == s->list[0]];
    const ordo_status status = list(s, &scc_left_pass, to, &s->left);
    s->live = to;
    return status;
}

/* ---- searches ---- */

static ordo_status search_from(search *s, int way, const ordo_item *initial, ordo_u64 count)
{
    const scc_state state = {s->arrays.part};
    ordo_work work = ordo_vertex_work(op_for(s->graph[way]), s->graph[way], &state, s->arrays.cells, NULL);
    work.initial = initial;
    work.initial_count = count;
    if (ordo_runs_late(&s->runs))
        return ordo_fail(ORDO_ERR_TIMEOUT, "scc under '%s' did not end within %g s: %llu vertices left",
                         s->runs.options.scheduler, s->runs.options.timeout, (unsigned long long)s->left);
    return ordo_runs_one(&s->runs, &work);
}

static ordo_status trim(search *s)
{
    ordo_status status = ORDO_OK;
    ordo_found found;
    ordo_u64 before;
    do {
        before = s->left;
        if (!(status = pass(s, &scc_trim_pass, &found))) {
            s->trimmed += found.count;
            status = drop_done(s);
        }
    } while (!status && s->left && found.count >= before / TRIMMED_SHARE && found.count);
    return status;
}

static ordo_status search_pivot(search *s)
{
    ordo_found found = {0, 0};
    ordo_status status = pass(s, &scc_pick_pass, &found);
    const ordo_item pivot = (ordo_item)found.value;
    const ordo_u32 rank = ordo_rank_of(pivot);
    if (!status)
        status = ordo_session_write(s->runs.session, s->one, &pivot, sizeof pivot);
    for (int way = 0; way < 2 && !status; way++) {
        status = ordo_session_write(s->runs.session, s->arrays.cells + pivot, &rank, sizeof rank);
        if (!status)
            status = search_from(s, way, s->one, 1);
        if (!status)
            status = pass(s, way == 0 ? &scc_reached_pass : &scc_divide_pass, NULL);
    }
    return status ? status : drop_done(s);
}

static ordo_status search_round(search *s)
{
    ordo_u64 roots = 0;
    ordo_found found = {0, 0};
    ordo_status status = pass(s, &scc_rank_pass, NULL);
    if (!status)
        status = search_from(s, 0, s->live, s->left);
    if (!status)
        status = list(s, &scc_root_pass, s->root, &roots);
    if (!status)
        status = search_from(s, 1, s->root, roots);
    if (!status)
        status = pass(s, &scc_finish_pass, &found);
    if (!status && !found.count)
        status = ordo_fail(ORDO_ERR_INTERNAL, "scc: a round under '%s' has found no component of %llu vertices",
                           s->runs.options.scheduler, (unsigned long long)s->left);
    return status ? status : drop_done(s);
}

/* ---- the app ---- */

/* Makes the session's arrays. `component`: of the host. */
static ordo_status make_arrays(search *s, ordo_vid *component)
{
    ordo_session *session = s->runs.session;
    void **const arrays[] = {(void **)&s->list[0], (void **)&s->list[1],     (void **)&s->root,
                             (void **)&s->one,     (void **)&s->arrays.part, (void **)&s->arrays.cells};
    ordo_status status = ordo_session_array(session, component, s->n, sizeof *component, (void **)&s->arrays.component);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0] && !status; i++)
        status =
            ordo_session_array(session, NULL, arrays[i] == (void **)&s->one ? 1 : s->n, sizeof(ordo_u32), arrays[i]);
    return status ? status : pass(s, &scc_start_pass, NULL);
}

static ordo_status find_all(search *s, ordo_vid *component)
{
    ordo_status status = make_arrays(s, component);
    if (!status)
        status = trim(s);
    if (!status && s->left) {
        status = search_pivot(s);
        if (!status)
            status = trim(s);
    } else if (!status) { /* a run of no item, for its statistics */
        status = search_from(s, 0, s->one, 0);
    }
    while (!status && s->left)
        status = search_round(s);
    s->live = NULL;
    s->left = s->n;
    const ordo_pass *const names[] = {&scc_forget_pass, &scc_least_pass, &scc_name_pass};
    for (int i = 0; i < 3 && !status; i++)
        status = pass(s, names[i], NULL);
    return status ? status
                  : ordo_runs_read(&s->runs, component, s->arrays.component, s->n * (ordo_u64)sizeof *component);
}

/* On the device that the session is made for. */
static ordo_status find_on(search *s, ordo_vid *component)
{
    s->live = NULL;
    s->left = s->n;
    s->trimmed = 0;
    ordo_status status = ordo_session_make(s->runs.options.device, s->runs.options.threads, &s->runs.session);
    if (!status)
        status = find_all(s, component);
    ordo_session_free(s->runs.session);
    s->runs.session = NULL;
    return status;
}

ordo_status ordo_scc(const ordo_graph *g, const ordo_options *options, ordo_u32 *component, ordo_stats *stats)
{
    if (!g || (!component && ordo_graph_out(g)->n))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", g ? "room for components" : "graph");
    const scc_state unused = {0};
    ordo_u32 none = 0;
    search s = {.runs = {.options = ordo_options_or_auto(options, "bsp"), .stats = stats},
                .graph = {g},
                .n = ordo_graph_out(g)->n};
    const ordo_work work = ordo_vertex_work(op_for(g), g, &unused, &none, NULL); /* cells are not looked at */
    ordo_status status = ordo_run_check(&work, &s.runs.options);
    if (status)
        return status;
    const ordo_csr *in;
    ordo_graph *reversed = NULL;
    double prepared;
    status = ordo_in_rows(g, &s.runs.options, &in, &prepared);
    if (!status)
        status = ordo_graph_over_own(in, ordo_graph_symmetric(g), 0, &reversed);
    s.graph[1] = reversed;
    s.runs.start = ordo_clock();
    if (!status) {
        status = find_on(&s, component);
        if (ordo_runs_fall_back(&s.runs, status))
            status = find_on(&s, component);
    }
    ordo_runs_end(&s.runs, ordo_operator_name(work.op), status);
    if (s.runs.ran && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT)) {
        stats->prepare_seconds += prepared;
        stats->items += s.trimmed;
        stats->useful += s.trimmed;
    }
    ordo_graph_free(reversed);
    return status;
}

ordo_status ordo_scc_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    const scc_state unused = {0};
    ordo_u32 none = 0;
    const ordo_options chosen = ordo_options_or_auto(options, "bsp");
    const ordo_work work = ordo_vertex_work(op_for(g), g, &unused, &none, NULL); /* cells are not looked at */
    ordo_status status = ordo_run_memory(&work, &chosen, expected, at_most);
    if (status)
        return status;
    const ordo_u64 fixed = (5 * work.num_items + 1) * sizeof(ordo_u32) + ORDO_TRACE_MAX * sizeof(ordo_sample);
    ordo_u64 lists, copy = ordo_copy_memory(g, ORDO_AS_STORED, &lists); /* the reversed rows */
    copy = ordo_graph_symmetric(g) ? 0 : 2 * copy;
    *expected += fixed + copy;
    *at_most = fixed + copy + 2 * *at_most;
    return ORDO_OK;
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    const ordo_vid n = ordo_graph_out(input->graph)->n;
    ordo_status status = ordo_answer_capacity(answer, ORDO_U32, n, false);
    if (!status)
        status = ordo_scc(input->graph, options, answer->values, stats);
    ordo_u32 *size = status ? NULL : ordo_alloc_zero(n, sizeof *size);
    if (!status && !size)
        status = ORDO_ERR_MEMORY;
    if (status)
        return status;
    const ordo_vid *component = answer->values;
    ordo_u64 components = 0, largest = 0;
    for (ordo_vid v = 0; v < n; v++) {
        components += component[v] == v;
        size[component[v]]++;
        largest = size[component[v]] > largest ? size[component[v]] : largest;
    }
    ordo_free(size);
    if ((status = ordo_name_components(input->names, n, answer->values)))
        return status;
    answer->fields[0] = (ordo_field){.name = "components", .type = ORDO_U64, .whole = components};
    answer->fields[1] = (ordo_field){.name = "largest", .type = ORDO_U64, .whole = largest};
    answer->field_count = 2;
    return ORDO_OK;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    return ordo_scc_verify(input->graph, answer->values, how);
}

extern const ordo_app ordo_app_scc;
const ordo_app ordo_app_scc = {
    .name = "scc",
    .summary = "strong components of a directed graph",
    .value_name = "component",
    .values_are_vertices = true,
    .by_names = true,
    .op = op_for,
    .run = run,
    .verify = verify,
    .memory = ordo_scc_memory,
};
