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
#include "operators/scc.h"

enum { TRIMMED_SHARE = 64 /* a pass that finds a smaller share of the vertices left is the last */ };
enum { DONE = 0, ALL = 1, FORWARD = 2, BACKWARD = 3 }; /* parts before the first round */

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return ordo_operator_find("scc");
}

typedef struct search {
    ordo_runs runs;
    const ordo_graph *graph[2]; /* with the edges, and with reversed ones */
    int threads;
    ordo_vid n;
    ordo_u64 left;       /* vertices whose component is not known: live[0 .. left - 1] */
    ordo_item *live;     /* [n] */
    ordo_item *root;     /* [n] */
    ordo_u32 *part;      /* [n] DONE where the component is known */
    ordo_u32 *cells;     /* [n] */
    ordo_vid *component; /* [n] a vertex of the component, where it is known */
    ordo_u64 trimmed;    /* components found by trimming */
    ordo_u64 count;      /* atomic: what a pass counts */
    ordo_u64 best;       /* atomic: see pick_range */
} search;

/* ---- passes over the vertices left ---- */

static bool has_neighbour(const ordo_csr *g, const ordo_u32 *part, ordo_vid v)
{
    for (ordo_eid e = g->row[v]; e < g->row[v + 1]; e++) {
        const ordo_vid u = g->head[e * g->stride];
        if (u != v && __atomic_load_n(&part[u], __ATOMIC_RELAXED) == part[v])
            return true;
    }
    return false;
}

/* Vertices that leave during the pass may or may not be seen as gone: both are right. */
static void trim_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *s = arg;
    ordo_u64 trimmed = 0;
    for (ordo_u64 i = begin; i < end; i++) {
        const ordo_vid v = s->live[i];
        if (has_neighbour(ordo_graph_out(s->graph[0]), s->part, v) &&
            has_neighbour(ordo_graph_out(s->graph[1]), s->part, v))
            continue;
        s->component[v] = v;
        __atomic_store_n(&s->part[v], DONE, __ATOMIC_RELAXED);
        trimmed++;
    }
    ordo_add_u64(&s->count, trimmed);
}

/* The vertex with the largest product of the degrees both ways; of equal ones the largest id. Degrees count up to
 * 65 535. */
static void pick_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *s = arg;
    ordo_u64 best = 0;
    for (ordo_u64 i = begin; i < end; i++) {
        const ordo_vid v = s->live[i];
        ordo_u64 product = 1;
        for (int way = 0; way < 2; way++) {
            const ordo_csr *g = ordo_graph_out(s->graph[way]);
            const ordo_u64 degree = g->row[v + 1] - g->row[v];
            product *= degree < 65535 ? degree : 65535;
        }
        const ordo_u64 here = product << 32 | v;
        best = here > best ? here : best;
    }
    ordo_u64 old = __atomic_load_n(&s->best, __ATOMIC_RELAXED);
    while (best > old && !__atomic_compare_exchange_n(&s->best, &old, best, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* After the pivot's search forward: the part of what it has reached, in place of the rank. */
static void reached_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *s = arg;
    for (ordo_u64 i = begin; i < end; i++) {
        const ordo_vid v = s->live[i];
        s->component[v] = s->cells[v]; /* kept until the search backward has ended */
        s->cells[v] = 0;
    }
}

/* After its search backward. */
static void divide_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *s = arg;
    ordo_u64 done = 0;
    for (ordo_u64 i = begin; i < end; i++) {
        const ordo_vid v = s->live[i];
        const bool forward = s->component[v] != 0, backward = s->cells[v] != 0;
        if (forward && backward) {
            s->component[v] = ordo_vertex_of(s->cells[v]);
            done++;
        }
        s->part[v] = forward && backward ? DONE : forward ? FORWARD : backward ? BACKWARD : ALL;
    }
    ordo_add_u64(&s->count, done);
}

/* Before a search forward: every vertex left has its rank. */
static void rank_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const search *s = arg;
    for (ordo_u64 i = begin; i < end; i++)
        s->cells[s->live[i]] = ordo_rank_of(s->live[i]);
}

/* After it: parts are by rank, and roots keep theirs. */
static void root_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *s = arg;
    for (ordo_u64 i = begin; i < end; i++) {
        const ordo_vid v = s->live[i];
        s->part[v] = s->cells[v];
        if (s->cells[v] == ordo_rank_of(v))
            s->root[__atomic_fetch_add(&s->count, 1, __ATOMIC_RELAXED)] = v;
        else
            s->cells[v] = 0;
    }
}

/* After a round's search backward. */
static void finish_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *s = arg;
    ordo_u64 done = 0;
    for (ordo_u64 i = begin; i < end; i++) {
        const ordo_vid v = s->live[i];
        if (!s->cells[v])
            continue;
        s->component[v] = ordo_vertex_of(s->cells[v]);
        s->part[v] = DONE;
        done++;
    }
    ordo_add_u64(&s->count, done);
}

/* Calls fn for all vertices left, with count 0 before. */
static ordo_status pass(search *s, ordo_range_fn *fn)
{
    s->count = 0;
    return ordo_for_ranges(s->threads, s->left, ORDO_GRAIN, fn, s);
}

/* Drops what is done from the list, and clears its cells. Serial: in order, and one look a vertex. */
static void drop_done(search *s)
{
    ordo_u64 kept = 0;
    for (ordo_u64 i = 0; i < s->left; i++) {
        const ordo_item v = s->live[i];
        s->live[kept] = v;
        kept += s->part[v] != DONE;
        s->cells[v] = 0;
    }
    s->left = kept;
}

/* ---- searches ---- */

static ordo_status search_from(search *s, int way, const ordo_item *initial, ordo_u64 count)
{
    const scc_state state = {s->part};
    ordo_work work = ordo_vertex_work(op_for(s->graph[way]), s->graph[way], &state, s->cells, NULL);
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
    ordo_u64 before;
    do {
        before = s->left;
        if (!(status = pass(s, trim_range))) {
            s->trimmed += s->count;
            drop_done(s);
        }
    } while (!status && s->left && s->count >= before / TRIMMED_SHARE && s->count);
    return status;
}

static ordo_status search_pivot(search *s)
{
    s->best = 0;
    ordo_status status = pass(s, pick_range);
    const ordo_item pivot = (ordo_item)s->best;
    for (int way = 0; way < 2 && !status; way++) {
        s->cells[pivot] = ordo_rank_of(pivot);
        status = search_from(s, way, &pivot, 1);
        if (!status)
            status = pass(s, way == 0 ? reached_range : divide_range);
    }
    drop_done(s);
    return status;
}

static ordo_status search_round(search *s)
{
    ordo_status status = pass(s, rank_range);
    if (!status)
        status = search_from(s, 0, s->live, s->left);
    if (!status)
        status = pass(s, root_range);
    if (!status)
        status = search_from(s, 1, s->root, s->count);
    if (!status)
        status = pass(s, finish_range);
    if (!status && !s->count)
        status = ordo_fail(ORDO_ERR_INTERNAL, "scc: a round under '%s' has found no component of %llu vertices",
                           s->runs.options.scheduler, (unsigned long long)s->left);
    drop_done(s);
    return status;
}

/* ---- names ---- */

/* cells[r] becomes the smallest vertex of the component that r stands for. */
static void least_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const search *s = arg;
    for (ordo_u64 v = begin; v < end; v++) {
        ordo_u32 *least = &s->cells[s->component[v]], old = __atomic_load_n(least, __ATOMIC_RELAXED);
        while (v < old &&
               !__atomic_compare_exchange_n(least, &old, (ordo_u32)v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            ;
    }
}

static void name_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    const search *s = arg;
    for (ordo_u64 v = begin; v < end; v++)
        s->component[v] = s->cells[s->component[v]];
}

static ordo_status name_components(search *s)
{
    ordo_status status = ordo_fill(s->threads, s->cells, s->n, ORDO_NO_VERTEX);
    if (!status)
        status = ordo_for_ranges(s->threads, s->n, ORDO_GRAIN, least_range, s);
    return status ? status : ordo_for_ranges(s->threads, s->n, ORDO_GRAIN, name_range, s);
}

/* ---- the app ---- */

static ordo_status find_all(search *s)
{
    s->live = ordo_alloc(s->n, sizeof *s->live);
    s->root = ordo_alloc(s->n, sizeof *s->root);
    s->part = ordo_alloc(s->n, sizeof *s->part);
    s->cells = ordo_alloc_zero(s->n, sizeof *s->cells);
    ordo_status status = s->live && s->root && s->part && s->cells ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status)
        status = ordo_fill_ids(s->threads, s->live, s->n);
    if (!status)
        status = ordo_fill(s->threads, s->part, s->n, ALL);
    if (!status)
        status = trim(s);
    if (!status && s->left) {
        status = search_pivot(s);
        if (!status)
            status = trim(s);
    } else if (!status) /* a run of no item, for its statistics */
        status = search_from(s, 0, s->live, 0);
    while (!status && s->left)
        status = search_round(s);
    if (!status)
        status = name_components(s);
    ordo_free(s->live);
    ordo_free(s->root);
    ordo_free(s->part);
    ordo_free(s->cells);
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
                .n = ordo_graph_out(g)->n,
                .left = ordo_graph_out(g)->n,
                .component = component};
    const ordo_work work = ordo_vertex_work(op_for(g), g, &unused, &none, NULL); /* cells are not looked at */
    ordo_status status = ordo_run_check(&work, &s.runs.options);
    if (status)
        return status;
    const ordo_csr *in;
    ordo_graph *reversed = NULL;
    s.threads = s.runs.options.threads;
    const double before = ordo_clock();
    status = ordo_graph_in(g, s.threads, &in);
    if (!status)
        status = ordo_graph_borrow(in, ordo_graph_symmetric(g), &reversed);
    s.graph[1] = reversed;
    s.runs.start = ordo_clock();
    const double prepared = s.runs.start - before;
    if (!status)
        status = find_all(&s);
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
    const ordo_u64 fixed = work.num_items * 4 * sizeof(ordo_u32) + ORDO_TRACE_MAX * sizeof(ordo_sample);
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
    .op = op_for,
    .run = run,
    .verify = verify,
    .memory = ordo_scc_memory,
};
