/* kcore.c -- the app of core numbers: runs of operators/kcore.h, one for each level.
 *
 * The k-core is what remains when vertices with fewer than k remaining neighbours are removed until there are none; the
 * core number of a vertex is the largest k whose core contains it. Levels are peeled in ascending order: the next k is
 * one more than the smallest number of remaining neighbours, so levels without a vertex cost nothing, and a run starts
 * from the vertices that have exactly that many. Between two runs, a pass over the list of remaining vertices finds
 * them (kcore_passes.h). Everything stays on the device of the runs, by a session.
 *
 * Neighbours are counted once: directions, loops and parallel edges do not matter. A graph that is symmetric and has no
 * loops and no parallel edges is used as it is; otherwise such a copy without weights is made first, counted as
 * preparation.
 *
 * On a GPU a native program (kcore.cu) peels all levels in one run, unless a scheduler or sync is named.
 *
 * Not done: keeping that copy for a later call.
 */
#include "apps/kcore.h"
#include "apps/common.h"
#include "apps/kcore_passes.h"
#include "apps/runs.h"
#include "apps/simple.h"

#include <stdio.h>
#include <string.h>

#include <ordo/memory.h>

#include "operators/kcore.h"

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return ordo_operator_find("kcore");
}

/* ---- peeling ---- */

enum { LEVELS = 4 /* between two times that removed vertices are dropped from the list */ };

typedef struct peeling {
    ordo_runs runs;
    const ordo_graph *graph;
    ordo_i32 *left;               /* [n] cells; these arrays are the session's */
    ordo_u32 *core;               /* [n] ORDO_NO_VERTEX while the vertex remains */
    ordo_item *list[2], *initial; /* [n] remaining vertices, one list at a time; those that are removed first */
    const ordo_item *alive;       /* the list that holds them, and some that were removed; NULL: all vertices */
    ordo_u64 alive_count;         /* of these */
    ordo_u32 k;                   /* 0, or those with fewer are looked for */
} peeling;

static ordo_status drop_removed(peeling *p, const kcore_remain *remain)
{
    ordo_found found;
    ordo_item *to = p->list[p->alive == p->list[0]];
    const ordo_each each = {
        .pass = &kcore_remaining_pass, .state = remain, .items = p->alive, .count = p->alive_count, .selected = to};
    const ordo_status status = ordo_session_each(p->runs.session, &each, &found);
    if (status)
        return status;
    p->alive = to;
    p->alive_count = found.count;
    return ORDO_OK;
}

/* Lists the vertices with fewer than remain->k neighbours. found->value: the fewest that a vertex has, the type's
 * greatest value where none remains. */
static ordo_status list_next(peeling *p, const kcore_remain *remain, ordo_found *found)
{
    const ordo_each each = {
        .pass = &kcore_next_pass, .state = remain, .items = p->alive, .count = p->alive_count, .selected = p->initial};
    return ordo_session_each(p->runs.session, &each, found);
}

/* Removes `count` vertices that were listed, and those that have fewer than k neighbours then. */
static ordo_status remove_listed(peeling *p, ordo_i32 k, ordo_u64 count)
{
    const kcore_state state = {.core = p->core, .k = k};
    ordo_work work = ordo_vertex_work(op_for(p->graph), p->graph, &state, p->left, NULL);
    work.initial = p->initial;
    work.initial_count = count;
    if (ordo_runs_late(&p->runs))
        return ordo_fail(ORDO_ERR_TIMEOUT, "kcore under '%s' did not end within %g s: level %d",
                         p->runs.options.scheduler, p->runs.options.timeout, (int)k);
    return ordo_runs_one(&p->runs, &work);
}

static ordo_status peel(peeling *p)
{
    kcore_remain remain = {p->left, p->k ? (ordo_i32)p->k : 1};
    ordo_status status = ORDO_OK;
    ordo_found found;
    for (int level = 0; !status; level++) {
        const ordo_u64 done = level ? (ordo_u64)remain.k - 1 : 0; /* no vertex with fewer should remain */
        if ((status = list_next(p, &remain, &found)))
            break;
        const bool any = found.value != ~(ordo_u64)0;
        if (any && found.value < done)
            return ordo_fail(ORDO_ERR_INTERNAL, "kcore: a run under scheduler '%s' has left a vertex with %llu of %d",
                             p->runs.options.scheduler, (unsigned long long)found.value, (int)remain.k);
        if (!any && level)
            break;
        if (!found.count && any && !p->k) { /* levels without a vertex */
            remain.k = (ordo_i32)found.value + 1;
            status = list_next(p, &remain, &found);
        }
        if (!status)
            status = remove_listed(p, remain.k, found.count);
        if (p->k || !any)
            break;
        remain.k++;
        if (!status && level % LEVELS == 0)
            status = drop_removed(p, &remain);
    }
    return status;
}

/* The session's arrays: of the host those that are given. */
static ordo_status make_arrays(peeling *p, ordo_i32 *left, ordo_u32 *core)
{
    const ordo_u64 n = ordo_graph_out(p->graph)->n;
    ordo_session *s = p->runs.session;
    ordo_status status = ordo_session_array(s, left, n, sizeof *left, (void **)&p->left);
    if (!status)
        status = ordo_session_array(s, core, n, sizeof *core, (void **)&p->core);
    for (int i = 0; i < 3 && !status; i++)
        status = ordo_session_array(s, NULL, n, sizeof(ordo_item), (void **)(i < 2 ? &p->list[i] : &p->initial));
    if (!status)
        status = ordo_runs_write(&p->runs, p->left, left, n * sizeof *left);
    if (!status)
        status = ordo_fill(p->runs.options.threads, core, n, ORDO_NO_VERTEX);
    if (!status)
        status = ordo_runs_write(&p->runs, p->core, core, n * sizeof *core);
    p->alive_count = n;
    return status;
}

/* With k, core numbers become whether the vertex is in the k-core. */
static void mark_members(ordo_u32 k, ordo_vid n, ordo_u32 *core)
{
    for (ordo_vid v = 0; k && v < n; v++)
        core[v] = core[v] == ORDO_NO_VERTEX;
}

static ordo_status by_runs(const ordo_graph *g, ordo_u32 k, const ordo_options *options, ordo_u32 *core,
                           ordo_stats *stats)
{
    const ordo_vid n = ordo_graph_out(g)->n;
    kcore_state unused = {0};
    ordo_i32 none = 0;
    peeling p = {.runs = {.options = ordo_options_or(options, "bsp"), .stats = stats}, .k = k};
    ordo_work work = ordo_vertex_work(op_for(g), g, &unused, &none, NULL); /* cells are not looked at */
    ordo_status status = ordo_run_check(&work, &p.runs.options);
    if (status)
        return status;
    const int threads = p.runs.options.threads;
    ordo_simple s = {0};
    const double before = ordo_clock();
    ordo_i32 *left = ordo_alloc(n, sizeof *left);
    status = left ? ordo_simple_make(g, threads, "kcore", left, &s) : ORDO_ERR_MEMORY;
    p.graph = s.graph;
    p.runs.start = ordo_clock();
    const double prepared = p.runs.start - before;
    if (!status)
        status = ordo_session_make(p.runs.options.device, threads, &p.runs.session);
    if (!status)
        status = make_arrays(&p, left, core);
    if (!status)
        status = peel(&p);
    if (!status)
        status = ordo_runs_read(&p.runs, core, p.core, n * sizeof *core);
    if (!status)
        mark_members(k, n, core);
    ordo_session_free(p.runs.session);
    ordo_runs_end(&p.runs, ordo_operator_name(work.op), status);
    if (p.runs.ran && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT))
        stats->prepare_seconds += prepared;
    ordo_simple_free(&s);
    ordo_free(left);
    return status;
}

/* ---- on a GPU ---- */

static const ordo_program program = {.name = "kcore", .summary = "all levels in one run", .on_cuda = true};

static ordo_status by_program(const ordo_graph *g, ordo_u32 k, const ordo_options *options, ordo_u32 *core,
                              ordo_stats *stats)
{
    const ordo_vid n = ordo_graph_out(g)->n;
    const bool any = ordo_is_auto(options);
    ordo_options chosen = ordo_options_or(options, ORDO_NATIVE);
    chosen.scheduler = ORDO_NATIVE;
    ordo_status status = ordo_program_check(&program, &chosen);
    if (status)
        return status;
    ordo_simple s = {0};
    const double before = ordo_clock();
    ordo_i32 *left = ordo_alloc(n, sizeof *left);
    status = left ? ordo_simple_make(g, chosen.threads, "kcore", left, &s) : ORDO_ERR_MEMORY;
    ordo_free(left);
    if (!status)
        status = ordo_fill(chosen.threads, core, n, ORDO_NO_VERTEX);
    const double prepared = ordo_clock() - before;
    ordo_kcore_state state = {k};
    const ordo_work work = {
        .graph = s.graph, .state = &state, .cells = core, .num_items = n, .targets = n, .final = !k};
    if (status)
        ordo_runs_none(stats, status);
    else
        status = ordo_program_run(&program, &work, &chosen, stats);
    if (!status)
        mark_members(k, n, core);
    if (stats && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT)) {
        stats->prepare_seconds += prepared;
        if (any)
            snprintf(stats->chosen, sizeof stats->chosen, "kcore's program for a GPU, all levels in one run");
    }
    ordo_simple_free(&s);
    return status;
}

ordo_status ordo_kcore(const ordo_graph *g, ordo_u32 k, const ordo_options *options, ordo_u32 *core, ordo_stats *stats)
{
    if (!g || (!core && ordo_graph_out(g)->n))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", g ? "room for core numbers" : "graph");
    if (k > ORDO_MOST_NEIGHBOURS)
        return ordo_fail(ORDO_ERR_USAGE, "k is %u, expected less than 2^31", k);
    const bool native = ordo_is_native(options);
    if (native && !ordo_is_for_gpu(options))
        return ordo_program_check(&program, options); /* fails with the message that there is none */
    if (!ordo_is_for_gpu(options))
        return by_runs(g, k, options, core, stats);
    char why_not[sizeof stats->fallback] = "";
    ordo_options asked = *options;
    if (!native && !strcmp(asked.device, "auto"))
        asked.device = "cuda"; /* its error is the reason that "auto" reports */
    ordo_status status = native || ordo_may_be_native(options, true) ? by_program(g, k, &asked, core, stats)
                                                                     : by_runs(g, k, &asked, core, stats);
    if (!status || native || !ordo_may_fall_back(options, status))
        return status;
    snprintf(why_not, sizeof why_not, "%s", ordo_last_error());
    asked.device = "cpu";
    status = by_runs(g, k, &asked, core, stats);
    if (stats && !status)
        snprintf(stats->fallback, sizeof stats->fallback, "%s", why_not);
    return status;
}

ordo_status ordo_kcore_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    kcore_state unused = {0};
    ordo_i32 none = 0;
    ordo_options chosen = ordo_options_or(options, "bsp");
    ordo_work work = ordo_vertex_work(op_for(g), g, &unused, &none, NULL); /* cells are not looked at */
    const bool native = ordo_is_native(options) || (ordo_is_for_gpu(options) && ordo_may_be_native(options, true) &&
                                                    !strcmp(options->device, "cuda"));
    *expected = *at_most = 0; /* of the program: on the host it needs what is added below */
    ordo_status status =
        native ? ordo_program_check(&program, options) : ordo_run_memory(&work, &chosen, expected, at_most);
    if (status)
        return status;
    const bool symmetric = ordo_graph_symmetric(g);
    const ordo_csr *rows = ordo_graph_out(g);
    ordo_u64 fixed = rows->n * (ordo_u64)(sizeof(ordo_i32) + 3 * sizeof(ordo_item)) +
                     ORDO_TRACE_MAX * sizeof(ordo_sample); /* the sum's trace */
    ordo_u64 lists, copy = ordo_copy_memory(g, symmetric ? ORDO_AS_STORED : ORDO_SYMMETRISE, &lists);
    ordo_u64 before = copy > lists ? copy : lists; /* packed rows, or the lists, which are freed by then */
    *expected += fixed;
    if (!symmetric)
        *expected = fixed + copy + (*expected > before ? *expected : before);
    *at_most = fixed + copy + before + 2 * *at_most;
    *at_most = *at_most > *expected ? *at_most : *expected;
    return ORDO_OK;
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    ordo_status status = ordo_answer_capacity(answer, ORDO_U32, ordo_graph_out(input->graph)->n, false);
    if (!status)
        status = ordo_kcore(input->graph, input->k, options, answer->values, stats);
    if (status)
        return status;
    const ordo_u32 *core = answer->values;
    ordo_u32 most = 0;
    ordo_u64 count = 0;
    for (ordo_u64 v = 0; v < answer->n; v++)
        most = core[v] > most ? core[v] : most;
    for (ordo_u64 v = 0; v < answer->n; v++)
        count += input->k ? core[v] : core[v] == most;
    answer->fields[0] = (ordo_field){.name = "k", .type = ORDO_U64, .whole = input->k ? input->k : most};
    answer->fields[1] = (ordo_field){.name = "vertices", .type = ORDO_U64, .whole = count};
    answer->field_count = 2;
    return ORDO_OK;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    return ordo_kcore_verify(input->graph, input->k, answer->values, how);
}

extern const ordo_app ordo_app_kcore;
const ordo_app ordo_app_kcore = {
    .name = "kcore",
    .summary = "core numbers, or the vertices of one k-core; directions are not looked at",
    .value_name = "core",
    .has_k = true,
    .by_names = true,
    .op = op_for,
    .run = run,
    .verify = verify,
    .memory = ordo_kcore_memory,
    .program = &program,
};
