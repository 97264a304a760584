/* maxflow.c -- the app of maximum flows: push-relabel in two phases, each a sequence of runs between global relabels.
 *
 * Problem: a flow from a source to a sink, as large as possible within the capacities of edges, and a minimum cut,
 * which proves that no flow is larger.
 *
 * Method (Goldberg and Tarjan 1988). First all edges out of the source are saturated. Then excess is pushed towards the
 * sink until no vertex that can reach the sink has excess. That is a maximum preflow, and its residual edges give the
 * minimum cut. The second phase returns the remaining excess: it is the same algorithm, with the source in the place of
 * the sink. A phase alternates global relabels, which are runs of operators/relabel.h and set heights to exact
 * distances, and runs of operators/discharge.h, each of which ends when no vertex is active or when its budget of work
 * is used up. The phase ends when a global relabel finds no active vertex.
 *
 * If the caller names no scheduler, sync or setting, or the scheduler "native", a native program runs instead: on the
 * CPU push_relabel.c, with one run for each phase; on a GPU maxflow.cu, with both phases in one run. Under a scheduler
 * the network stays on the device of the runs from the first preflow to the flow, by a session; between a search and
 * the discharges after it passes over all vertices set what these need (maxflow_passes.h).
 */
#include "apps/app.h"
#include "apps/common.h"
#include "apps/maxflow_passes.h"
#include "apps/network.h"
#include "apps/runs.h"

#include <stdio.h>
#include <string.h>

#include <ordo/flows.h>
#include <ordo/memory.h>
#include <ordo/scheduler/scheduler.h>

#include "framework/run/reserved.h"

#include "operators/relabel.h"

enum {
    MANY = 1 << 16,   /* vertices from which on the native program takes several threads */
    RELABEL_EVERY = 6 /* work between global relabels: so many times n, plus the residual edges (as in the native
                         program) */
};

typedef struct search {
    const ordo_graph *graph;
    ordo_network net;
    ordo_flow_options how;
    ordo_runs runs;
    bool native;     /* by the CPU's native program, not under a scheduler */
    bool whole;      /* by the GPU's native program: both phases in one run */
    bool flows;      /* they are wanted */
    double prepared; /* seconds that the network took, or what the host made of it ahead of a run on a GPU */

    /* under a scheduler: the network as a graph, and in the session */
    ordo_graph *rows;
    ordo_eid *row;         /* [n + 1] */
    ordo_vid *head;        /* [edges] */
    maxflow_arrays arrays; /* of the session, as `queue` is */
    ordo_item *queue;      /* [n] active vertices */

    ordo_u64 active; /* active vertices found so far */

    /* in a run of the CPU's native program */
    ordo_job *job;
    ordo_vid to;
    ordo_u64 relabels_before;
} search;

/* ---- under a scheduler ---- */

static ordo_status make_graph(search *s)
{
    const ordo_network *net = &s->net;
    const ordo_u64 edges = net->row[net->n];
    s->row = ordo_alloc((ordo_u64)net->n + 1, sizeof *s->row);
    s->head = ordo_alloc(edges, sizeof *s->head);
    if (!s->row || !s->head)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 v = 0; v <= net->n; v++)
        s->row[v] = net->row[v];
    for (ordo_u64 e = 0; e < edges; e++)
        s->head[e] = net->edge[e].head;
    ordo_csr csr = {.n = net->n, .m = edges, .row = s->row, .head = s->head, .stride = 1};
    return ordo_graph_borrow(&csr, false, &s->rows);
}

/* The session's arrays: on the CPU those of the network, where it has them. */
static ordo_status make_arrays(search *s)
{
    ordo_network *net = &s->net;
    discharge_state *f = &s->arrays.flow;
    const ordo_u64 n = net->n, edges = net->row[n];
    const struct {
        void **array;
        void *host;
        ordo_u64 count;
        size_t size;
        bool copied;
    } list[] = {{(void **)&f->row, net->row, n + 1, sizeof *f->row, true},
                {(void **)&f->edge, net->edge, edges, sizeof *f->edge, true},
                {(void **)&f->excess, net->excess, n, sizeof *f->excess, true},
                {(void **)&f->height, net->height, n, sizeof *f->height, false},
                {(void **)&f->current, net->current, n, sizeof *f->current, false},
                {(void **)&s->queue, net->queue, n, sizeof *s->queue, false},
                {(void **)&f->count, NULL, n + 1, sizeof *f->count, false},
                {(void **)&f->progress, NULL, 1, sizeof *f->progress, false},
                {(void **)&s->arrays.open, NULL, edges, sizeof *s->arrays.open, false},
                {(void **)&s->arrays.first, NULL, 1, sizeof *s->arrays.first, false}};
    ordo_status status = ORDO_OK;
    *f = (discharge_state){.budget = RELABEL_EVERY * n + edges,
                           .vertices = net->n,
                           .edges = net->row[n],
                           .heights = net->n + 1,
                           .source = net->source,
                           .sink = net->sink};
    for (size_t i = 0; i < sizeof list / sizeof list[0] && !status; i++) {
        status = ordo_session_array(s->runs.session, list[i].host, list[i].count, list[i].size, list[i].array);
        if (!status && list[i].copied)
            status = ordo_runs_write(&s->runs, *list[i].array, list[i].host, list[i].count * list[i].size);
    }
    return status;
}

static ordo_status late(const search *s)
{
    return ordo_fail(ORDO_ERR_TIMEOUT, "maxflow under '%s' did not end within %g s: %llu active vertices left",
                     s->native ? ORDO_NATIVE : s->runs.options.scheduler, s->runs.options.timeout,
                     (unsigned long long)s->active);
}

/* The operator: with the setting pairs=halves, which servers have, what flows is a message between halves. So it is
 * with roles=both on a GPU, too, unless pairs=nested is set: where all blocks are servers and clients, messages are the
 * worklist. */
static const ordo_operator *discharges(const ordo_options *options)
{
    bool halves = false, nested = false, both = false;
    for (size_t i = 0; i < options->setting_count; i++) {
        const char *dot = strchr(options->settings[i], '.'), *name = dot ? dot + 1 : options->settings[i];
        if (!strncmp(name, "pairs=", 6)) {
            halves = !strcmp(name, "pairs=halves");
            nested = !strcmp(name, "pairs=nested");
        }
        if (!strncmp(name, "roles=", 6))
            both = !strcmp(name, "roles=both");
    }
    return ordo_operator_find(halves || (both && !nested && ordo_is_for_gpu(options)) ? "discharge_apart"
                                                                                      : "discharge");
}

/* Discharges of the active vertices, until none is active or the budget is used up. Without `items`, a run of none. */
static ordo_status discharge(search *s, ordo_vid items)
{
    const ordo_work work = {.op = discharges(&s->runs.options),
                            .state = &s->arrays.flow,
                            .num_items = items,
                            .targets = items,
                            .initial = s->queue,
                            .initial_count = items ? s->active : 0};
    return ordo_runs_one(&s->runs, &work);
}

/* The options of a search: the caller's sync and tunables are meant for discharges, and on a GPU the scheduler too.
 * There a search made runs longer under the other schedulers than under bsp (lab 0037). */
static ordo_options search_options(const ordo_options *given)
{
    ordo_options options = *given;
    options.sync = NULL;
    options.setting_count = 0;
    if (ordo_is_for_gpu(given))
        options.scheduler = "bsp";
    return options;
}

static ordo_status search_heights(search *s)
{
    const ordo_options given = s->runs.options;
    const relabel_state state = {s->arrays.open, s->net.source == s->arrays.to ? ORDO_NO_VERTEX : s->net.source};
    ordo_work work = ordo_vertex_work(ordo_operator_find("relabel"), s->rows, &state, s->arrays.flow.height, NULL);
    work.initial = s->arrays.first;
    work.initial_count = 1;
    s->runs.options = search_options(&given);
    const ordo_status status = ordo_runs_one(&s->runs, &work);
    s->runs.options = given;
    return status;
}

/* A global relabel: exact heights, and the active vertices in the queue. */
static ordo_status relabel(search *s, ordo_vid to)
{
    const ordo_u64 n = s->net.n, edges = s->net.row[n];
    ordo_each each = {.pass = &maxflow_begin_pass, .state = &s->arrays, .count = edges > n ? edges : n};
    ordo_found found = {0};
    if (ordo_runs_late(&s->runs))
        return late(s);
    s->arrays.to = to;
    ordo_status status = ordo_session_each(s->runs.session, &each, NULL);
    if (!status)
        status = search_heights(s);
    each = (ordo_each){.pass = &maxflow_active_pass, .state = &s->arrays, .count = n, .selected = s->queue};
    if (!status)
        status = ordo_session_each(s->runs.session, &each, &found);
    s->active = found.count;
    s->net.global_relabels++;
    return status;
}

/* Makes the session, and a run without items, so that the statistics say how the app runs: scheduler, sync, device,
 * settings. A run with items would go over all of them under some schedulers, and heights are not set. */
static ordo_status begin(search *s)
{
    const ordo_options *options = &s->runs.options;
    ordo_status status = ordo_session_make(options->device, options->threads, &s->runs.session);
    if (!status)
        status = make_arrays(s);
    if (!status)
        status = make_graph(s);
    return status ? status : discharge(s, 0);
}

/* After the first phase: what the value and the cut are computed from. */
static ordo_status read_heights(search *s)
{
    ordo_network *net = &s->net;
    const discharge_state *f = &s->arrays.flow;
    ordo_status status = ordo_runs_read(&s->runs, net->height, f->height, net->n * sizeof *f->height);
    return status ? status
                  : ordo_runs_read(&s->runs, &net->excess[net->sink], &f->excess[net->sink], sizeof *f->excess);
}

static ordo_status read_edges(search *s)
{
    return ordo_runs_read(&s->runs, s->net.edge, s->arrays.flow.edge, s->net.row[s->net.n] * sizeof *s->net.edge);
}

/* ---- the native program on a CPU ---- */

/* Threads of a phase of the CPU's native program: as many as the caller allows, or one where the network is small,
 * unless the caller has named both the program and a number. */
static int threads_for(const ordo_options *options, ordo_u64 n)
{
    const bool named = options->threads && ordo_is_native(options);
    return n < MANY && !named ? 1 : options->threads ? options->threads : ordo_cores();
}

/* Called by member 0. */
static bool stop(void *arg, ordo_u64 active, bool relabeled)
{
    search *s = arg;
    ordo_job *job = s->job;
    s->active = active;
    job->supersteps = s->net.global_relabels - s->relabels_before;
    if (relabeled)
        ordo_job_sample(job, active, s->net.global_relabels, 0, (ordo_u32)job->threads, -1);
    if (ordo_runs_late(&s->runs) && !ordo_job_stopped(job))
        ordo_job_fail(job, late(s));
    ordo_job_poll(job, active);
    return ordo_job_stopped(job);
}

static ordo_status run_natively(ordo_job *job)
{
    search *s = (search *)(size_t)job->state;
    ordo_network *net = &s->net;
    bool stopped;
    s->relabels_before = net->global_relabels;
    s->job = job;
    const ordo_status status = ordo_preflow(net, s->to, job, stop, s, &stopped);
    job->supersteps = net->global_relabels - s->relabels_before;
    return status;
}

/* The app's native program. On the CPU its state is the search, and a run is one phase. On a GPU it is maxflow.cu, its
 * state is an ordo_flow_state, and a run is both phases. */
static const ordo_program program = {
    .name = "maxflow",
    .summary = "push-relabel with vertices handed over on request; on a GPU both phases in one run",
    .run = run_natively,
    .on_cuda = true};

static ordo_status natively(search *s, ordo_vid to)
{
    const ordo_options given = s->runs.options;
    s->to = to;
    s->runs.options.device = NULL;
    s->runs.options.threads = threads_for(&s->runs.options, s->net.n);
    s->runs.options.sync = NULL;
    s->runs.options.setting_count = 0;
    ordo_status status = ordo_runs_program(&s->runs, &program, &(ordo_work){.state = s});
    s->runs.options = given;
    return status;
}

/* ---- the app ---- */

static ordo_status phase(search *s, ordo_vid to)
{
    ordo_status status = ORDO_OK;
    while (!status && !s->native) {
        if ((status = relabel(s, to)) || s->active == 0)
            return status;
        status = discharge(s, s->net.n);
    }
    return status ? status : natively(s, to);
}

/* ---- on a GPU ---- */

static ordo_status fill_and_start(ordo_network *net, const ordo_graph *graph, int threads)
{
    const ordo_status status = ordo_network_fill(net, graph, threads);
    if (!status)
        ordo_network_start(net, false);
    return status;
}

static ordo_status run_on_gpu(search *s, bool cut_only)
{
    const ordo_options given = s->runs.options;
    ordo_flow_state state = {&s->net, s->graph, cut_only, s->flows, fill_and_start};
    const ordo_work work = {.graph = s->graph, .state = &state};
    const double before = ordo_clock();
    memset(s->net.pushed, true, s->net.n * sizeof *s->net.pushed); /* the GPU does not note it */
    s->runs.options.device = "cuda"; /* for "auto" the app goes on itself where it fails */
    const ordo_status status = ordo_runs_program(&s->runs, &program, &work);
    ordo_stats *stats = s->runs.stats;
    s->runs.options = given;
    if (s->runs.ran) /* all other time outside the kernels counts as transfer */
        stats->transfer_seconds = ordo_clock() - before - stats->run_seconds - stats->prepare_seconds;
    return status;
}

/* ---- the whole ---- */

static ordo_status first_phase(search *s, bool cut_only)
{
    if (s->whole)
        return run_on_gpu(s, cut_only);
    ordo_network_start(&s->net, s->native);
    ordo_status status = s->native ? ORDO_OK : begin(s);
    if (!status)
        status = phase(s, s->net.sink);
    return status || s->native ? status : read_heights(s);
}

static ordo_status find_flow(search *s, ordo_u64 *flow, ordo_u8 *side, ordo_flow *result)
{
    ordo_network *net = &s->net;
    const bool cut_only = s->how.cut_only || !flow, by_runs = !s->native && !s->whole;
    s->flows = flow != NULL;
    ordo_status status = first_phase(s, cut_only);
    if (status)
        return status;
    result->value = net->excess[net->sink];
    status = ordo_network_cut(net, s->runs.options.threads, side, &result->source_side, &result->cut_capacity);
    if (!status && !cut_only && !s->whole) {
        ordo_network_return(net);
        status = phase(s, net->source);
    }
    if (!status && flow && by_runs)
        status = read_edges(s);
    if (!status && flow)
        status = ordo_network_flow(net, s->runs.options.threads, flow);
    return status;
}

static ordo_vid terminal(ordo_vid given, ordo_vid named)
{
    return given == ORDO_NO_VERTEX ? named : given;
}

/* That discharges and searches can run under these options. */
static ordo_status check_options(const ordo_graph *g, const ordo_options *options)
{
    static const ordo_item nothing = 0;
    discharge_progress progress = {0};
    ordo_u32 none = 0;
    const discharge_state state = {.progress = &progress};
    const relabel_state unused = {0};
    const ordo_options plain = search_options(options);
    const ordo_work work = {.op = discharges(options), .state = &state, .initial = &nothing};
    const ordo_work heights = ordo_vertex_work(ordo_operator_find("relabel"), g, &unused, &none, NULL);
    const ordo_status status = ordo_run_check(&work, options);
    return status ? status : ordo_run_check(&heights, &plain);
}

/* Decides how the device is used, and checks that it can be. */
static ordo_status check(search *s, const ordo_graph *g, const ordo_options *given)
{
    ordo_options options = s->runs.options;
    const bool gpu = ordo_is_for_gpu(&options);
    s->whole = gpu && (ordo_is_native(given) || ordo_may_be_native(given, true));
    if (gpu && !strcmp(options.device, "auto"))
        options.device = "cuda"; /* so that the statistics can say why "auto" took the CPU */
    return s->whole || (s->native && !gpu) ? ordo_program_check(&program, &options) : check_options(g, &options);
}

static void free_network(search *s)
{
    ordo_session_free(s->runs.session);
    s->runs.session = NULL;
    ordo_graph_free(s->rows);
    s->rows = NULL;
    ordo_free(s->row);
    ordo_free(s->head);
    s->row = NULL;
    s->head = NULL;
    ordo_network_free(&s->net);
}

/* From the graph to the flow; the network is made anew if a GPU has failed before. */
static ordo_status attempt(search *s, const ordo_graph *g, ordo_vid source, ordo_vid sink, ordo_u64 *flow,
                           ordo_u8 *side, ordo_flow *result)
{
    const double before = ordo_clock();
    ordo_status status = s->whole
                             ? ordo_network_begin(g, source, sink, s->how.infinite, &s->net)
                             : ordo_network_make(g, source, sink, s->how.infinite, s->runs.options.threads, &s->net);
    if (status)
        return status;
    s->runs.start = ordo_clock();
    s->prepared = s->runs.start - before;
    status = find_flow(s, flow, side, result);
    free_network(s);
    return status;
}

static void finish(search *s, const ordo_options *given, ordo_status status)
{
    ordo_stats *stats = s->runs.stats;
    const bool by_program = s->native || s->whole;
    ordo_runs_end(&s->runs, by_program ? program.name : discharges(given)->name, status);
    if (!s->runs.ran || (status && status != ORDO_ERR_CANCELLED && status != ORDO_ERR_TIMEOUT))
        return;
    stats->prepare_seconds += s->prepared;
    if (ordo_is_auto(given) && by_program)
        snprintf(stats->chosen, sizeof stats->chosen, "%s",
                 s->whole ? "maxflow's program for a GPU" : "maxflow's program was fastest on all that was measured");
}

ordo_status ordo_maxflow(const ordo_graph *g, ordo_vid source, ordo_vid sink, const ordo_flow_options *how,
                         const ordo_options *options, ordo_u64 *flow, ordo_u8 *side, ordo_flow *result,
                         ordo_stats *stats)
{
    if (!g || !result || (!side && ordo_graph_out(g)->n))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", !g ? "graph" : !result ? "result" : "room for the cut");
    const ordo_vertex_data *named = ordo_graph_vertex_data(g);
    const ordo_vid from = terminal(source, named->source), to = terminal(sink, named->sink);
    ordo_status status = how ? ORDO_RESERVED_CHECK(ordo_flow_options, how) : ORDO_OK;
    if (status)
        return status;
    search s = {.graph = g,
                .how = how ? *how : (ordo_flow_options){0},
                .native = ordo_is_native(options) || ordo_may_be_native(options, false),
                .runs = {.options = ordo_options_or(options, "bsp"), .stats = stats}};
    ordo_flow found = {0};
    status = check(&s, g, options);
    if (ordo_runs_fall_back(&s.runs, status))
        status = check(&s, g, options);
    if (status)
        return status;
    status = attempt(&s, g, from, to, flow, side, &found);
    if (ordo_runs_fall_back(&s.runs, status) && !(status = check(&s, g, options)))
        status = attempt(&s, g, from, to, flow, side, &found);
    if (!status)
        *result = found;
    finish(&s, options, status);
    return status;
}

static ordo_status check_query(const ordo_flow_query *q, const ordo_flow_answer *a)
{
    if (!a)
        return ordo_fail(ORDO_ERR_USAGE, "no answer given");
    ordo_status status = ORDO_RESERVED_CHECK(ordo_flow_query, q);
    return status ? status : ORDO_RESERVED_CHECK(ordo_flow_answer, a);
}

static const ordo_flow_query plain_query;

ordo_status ordo_maxflow_from(const ordo_graph *g, const ordo_flow_query *query, const ordo_options *options,
                              const ordo_flow_answer *answer)
{
    const ordo_flow_query *q = query ? query : &plain_query;
    ordo_status status = check_query(q, answer);
    return status ? status
                  : ordo_maxflow(g, q->terminals ? q->source : ORDO_NO_VERTEX, q->terminals ? q->sink : ORDO_NO_VERTEX,
                                 &q->how, options, answer->flow, answer->side, answer->result, answer->stats);
}

ordo_status ordo_maxflow_from_verify(const ordo_graph *g, const ordo_flow_query *query, const ordo_flow_answer *answer,
                                     ordo_verify_how how)
{
    const ordo_flow_query *q = query ? query : &plain_query;
    ordo_status status = check_query(q, answer);
    return status ? status
                  : ordo_maxflow_verify(g, q->terminals ? q->source : ORDO_NO_VERTEX,
                                        q->terminals ? q->sink : ORDO_NO_VERTEX, &q->how, answer->flow, answer->side,
                                        answer->result, how);
}

ordo_status ordo_maxflow_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    ordo_options chosen = ordo_options_or(options, "bsp");
    static const ordo_item nothing = 0;
    discharge_progress progress = {0};
    discharge_state state = {.progress = &progress};
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u64 n = rows->n, m = rows->m, wide = rows->weight_type == ORDO_I64 ? 8 : 4;
    const bool cuda = chosen.device && !strcmp(chosen.device, "cuda");
    const bool native = ordo_is_native(options) || ordo_may_be_native(options, cuda);
    ordo_work work = {.op = discharges(&chosen), .state = &state, .num_items = n, .targets = n, .initial = &nothing};
    if (cuda && !native)
        chosen.device = "cpu"; /* the host holds no more than for runs on the CPU */
    ordo_status status =
        native ? ordo_program_check(&program, &chosen) : ordo_run_memory(&work, &chosen, expected, at_most);
    if (status)
        return status;
    /* In-rows, the network, and either lists or the network's rows as a graph. The cut's n bytes are the caller's. */
    ordo_u64 fixed = ordo_network_memory(n, m) + 2 * ORDO_TRACE_MAX * sizeof(ordo_sample);
    fixed += ordo_graph_symmetric(g) ? 0 : n * sizeof(ordo_eid) + (4 + wide) * m;
    if (native)
        *expected = *at_most = 0;
    if (!cuda || !native) /* for the GPU's native program the host holds only the network */
        fixed += native ? ordo_preflow_memory(n, threads_for(&chosen, n)) : n * 12 + 2 * m * 5;
    *expected += fixed;
    *at_most = 2 * *at_most + fixed + (ordo_graph_symmetric(g) ? 0 : m * sizeof(ordo_edge_entry) + 16 * m);
    return ORDO_OK;
}

/* ---- for the command `ordo` ---- */

static const ordo_operator *op_for(const ordo_graph *g)
{
    (void)g;
    return ordo_operator_find("discharge");
}

static ordo_status run(const ordo_app_input *input, const ordo_options *options, ordo_answer *answer, ordo_stats *stats)
{
    ordo_flow flow;
    const ordo_csr *rows = ordo_graph_out(input->graph);
    ordo_status status = ordo_answer_capacity(answer, ORDO_U64, rows->m, false);
    if (!answer->side)
        answer->side = ordo_alloc(rows->n, sizeof *answer->side);
    answer->side_count = rows->n;
    if (!status && !answer->side)
        status = ORDO_ERR_MEMORY;
    if (!status)
        status = ordo_maxflow(input->graph, input->source, input->sink, &input->flow, options, answer->values,
                              answer->side, &flow, stats);
    if (status)
        return status;
    answer->fields[0] = (ordo_field){.name = "value", .type = ORDO_U64, .whole = flow.value};
    answer->fields[1] = (ordo_field){.name = "cut_capacity", .type = ORDO_U64, .whole = flow.cut_capacity};
    answer->fields[2] = (ordo_field){.name = "source_side", .type = ORDO_U64, .whole = flow.source_side};
    answer->field_count = 3;
    return ORDO_OK;
}

static ordo_status verify(const ordo_app_input *input, const ordo_answer *answer, ordo_verify_how how)
{
    ordo_flow flow = {.value = answer->fields[0].whole,
                      .cut_capacity = answer->fields[1].whole,
                      .source_side = answer->fields[2].whole};
    return ordo_maxflow_verify(input->graph, input->source, input->sink, &input->flow, answer->values, answer->side,
                               &flow, how);
}

extern const ordo_app ordo_app_maxflow;
const ordo_app ordo_app_maxflow = {
    .name = "maxflow",
    .summary = "maximum flow and minimum cut from a source to a sink; weights are capacities",
    .value_name = "flow",
    .needs_terminals = true,
    .wants_weights = true,
    .values_on_edges = true,
    .program = &program,
    .op = op_for,
    .run = run,
    .verify = verify,
    .memory = ordo_maxflow_memory,
};
