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
 * CPU push_relabel_serial.c, by one thread, with one run for each phase; on a GPU maxflow.cu, with both phases in one
 * run. If a scheduler is named on a GPU, the network is copied to the GPU and back for each run of discharge.h, and
 * global relabels run on the CPU.
 */
#include "apps/app.h"
#include "apps/network.h"
#include "apps/runs.h"
#include "apps/common.h"

#include <stdio.h>
#include <string.h>

#include <ordo/flows.h>
#include <ordo/memory.h>
#include <ordo/scheduler/scheduler.h>

#include "framework/run/reserved.h"

#include "operators/relabel.h"

enum {
    RELABEL_EVERY =
        6,       /* work between global relabels: so many times n, plus the residual edges (as in the serial program) */
    GATHER = 256 /* active vertices that a thread appends to net.queue together */
};

typedef struct search {
    ordo_network net;
    ordo_flow_options how;
    ordo_runs runs;
    bool native;                                        /* by the CPU's native program, not under a scheduler */
    bool whole;                                         /* by the GPU's native program: both phases in one run */
    const ordo_options *asked;                          /* if a GPU is used: the caller's options; else NULL */
    char why_not[sizeof((ordo_stats *)NULL)->fallback]; /* why no GPU is used */

    /* under a scheduler: the network as a graph */
    ordo_graph *rows;
    ordo_eid *row;   /* [n + 1] */
    ordo_vid *head;  /* [edges] */
    ordo_u8 *open;   /* [edges] */
    ordo_u32 *count; /* [n + 1] vertices at each height */
    ordo_u64 active; /* atomic: active vertices found so far, in net.queue */
    bool exact;      /* heights are exact distances */

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
    s->open = ordo_alloc(edges, sizeof *s->open);
    s->count = ordo_alloc((ordo_u64)net->n + 1, sizeof *s->count);
    if (!s->row || !s->head || !s->open || !s->count)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 v = 0; v <= net->n; v++)
        s->row[v] = net->row[v];
    for (ordo_u64 e = 0; e < edges; e++)
        s->head[e] = net->edge[e].head;
    ordo_csr csr = {.n = net->n, .m = edges, .row = s->row, .head = s->head, .stride = 1};
    return ordo_graph_borrow(&csr, false, &s->rows);
}

static void open_range(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *s = arg;
    const ordo_network *net = &s->net;
    for (ordo_u64 v = begin; v < end; v++) {
        net->height[v] = ordo_highest_u32();
        s->count[v] = 0;
        for (ordo_u32 e = net->row[v]; e < net->row[v + 1]; e++)
            s->open[e] = net->edge[net->edge[e].reverse].residual > 0;
    }
}

static void take_active(search *s, ordo_vid *found, ordo_u64 *count)
{
    ordo_u64 at = __atomic_fetch_add(&s->active, *count, __ATOMIC_RELAXED);
    memcpy(&s->net.queue[at], found, *count * sizeof *found);
    *count = 0;
}

static void init_heights(void *arg, ordo_u64 begin, ordo_u64 end)
{
    search *s = arg;
    const ordo_network *net = &s->net;
    ordo_vid found[GATHER];
    ordo_u64 active = 0;
    for (ordo_u64 v = begin; v < end; v++) {
        if (net->height[v] > net->n)
            net->height[v] = net->n;
        net->current[v] = net->row[v];
        __atomic_fetch_add(&s->count[net->height[v]], 1, __ATOMIC_RELAXED);
        if (net->height[v] < net->n && net->excess[v] && v != net->source && v != net->sink)
            found[active++] = (ordo_vid)v;
        if (active == GATHER)
            take_active(s, found, &active);
    }
    take_active(s, found, &active);
}

static ordo_status late(const search *s)
{
    return ordo_fail(ORDO_ERR_TIMEOUT, "maxflow under '%s' did not end within %g s: %llu active vertices left",
                     s->native ? ORDO_NATIVE : s->runs.options.scheduler, s->runs.options.timeout,
                     (unsigned long long)s->active);
}

/* A global relabel, on the CPU: exact heights, and the active vertices in net.queue. The sync and the tunables in the
 * caller's options are meant for discharge.h; this run uses the scheduler's defaults. */
static ordo_status relabel(search *s, ordo_vid to)
{
    ordo_network *net = &s->net;
    const int threads = s->runs.options.threads;
    if (ordo_runs_late(&s->runs))
        return late(s);
    s->active = 0;
    s->count[net->n] = 0;
    ordo_status status = ordo_for_ranges(threads, net->n, ORDO_GRAIN, open_range, s);
    if (status)
        return status;
    net->height[to] = 0;
    relabel_state state = {s->open, net->source == to ? ORDO_NO_VERTEX : net->source};
    ordo_work work = {.op = ordo_operator_find("relabel"),
                      .graph = s->rows,
                      .cells = net->height,
                      .state = &state,
                      .num_items = net->n,
                      .targets = net->n,
                      .initial = &to,
                      .initial_count = 1};
    const ordo_runs given = s->runs;
    s->runs.options.sync = NULL;
    s->runs.options.setting_count = 0;
    s->runs.options.device = NULL;
    if (s->runs.on_gpu)
        s->runs.stats = NULL; /* work of the host between runs on a GPU: not in the sums */
    status = ordo_runs_one(&s->runs, &work);
    s->runs.options = given.options;
    s->runs.stats = given.stats;
    net->global_relabels++;
    if (!status)
        status = ordo_for_ranges(threads, net->n, ORDO_GRAIN, init_heights, s);
    s->exact = !status;
    return status;
}

/* Makes a run without items, so that the statistics say how the app runs: scheduler, sync, device, settings. */
static ordo_status begin(search *s)
{
    discharge_progress progress = {0};
    discharge_state state = {.progress = &progress};
    ordo_work work = {.op = ordo_operator_find("discharge"), .state = &state, .initial = s->net.queue};
    return s->native ? ORDO_OK : ordo_runs_one(&s->runs, &work);
}

/* After a failure on a GPU: if the options allow it, the app continues on the CPU. Otherwise returns the status. */
static ordo_status fall_back(search *s, ordo_status status)
{
    if (!status || !s->asked || !ordo_may_fall_back(s->asked, status))
        return status;
    snprintf(s->why_not, sizeof s->why_not, "%s", ordo_last_error());
    s->asked = NULL;
    s->runs.options.device = "cpu";
    s->runs.on_gpu = s->whole = false;
    if (!s->runs.ran)
        return ORDO_OK;
    ordo_stats_free(s->runs.stats);
    s->runs.ran = false;
    return begin(s);
}

static ordo_status discharge(search *s)
{
    ordo_network *net = &s->net;
    discharge_progress progress = {.limit = net->n};
    discharge_state state = {.row = net->row,
                             .edge = net->edge,
                             .height = net->height,
                             .current = net->current,
                             .excess = net->excess,
                             .count = s->count,
                             .progress = &progress,
                             .budget = RELABEL_EVERY * (ordo_u64)net->n + net->row[net->n],
                             .vertices = net->n,
                             .edges = net->row[net->n],
                             .heights = net->n + 1,
                             .source = net->source,
                             .sink = net->sink};
    ordo_status status;
    ordo_work work = {.op = ordo_operator_find("discharge"),
                      .state = &state,
                      .num_items = net->n,
                      .targets = net->n,
                      .initial = net->queue,
                      .initial_count = s->active};
    s->exact = false;
    status = ordo_runs_one(&s->runs, &work);
    if (!status || !s->asked)
        return status;
    /* a run that failed has copied nothing back, so the CPU can repeat it */
    status = fall_back(s, status);
    return status ? status : ordo_runs_one(&s->runs, &work);
}

/* ---- by one thread ---- */

static bool stop(void *arg, ordo_u64 active, bool relabeled)
{
    search *s = arg;
    ordo_job *job = s->job;
    s->active = active;
    job->supersteps = s->net.global_relabels - s->relabels_before;
    job->counters[0].items = s->net.discharges;
    if (relabeled)
        ordo_job_sample(job, active, s->net.global_relabels, 0, 1, -1);
    if (ordo_runs_late(&s->runs) && !ordo_job_stopped(job))
        ordo_job_fail(job, late(s));
    ordo_job_poll(job, active);
    return ordo_job_stopped(job);
}

static ordo_status run_serially(ordo_job *job)
{
    search *s = (search *)(size_t)job->state;
    ordo_network *net = &s->net;
    const double before = ordo_job_seconds(job);
    bool stopped;
    net->discharges = net->pushes = net->relabels = 0;
    s->relabels_before = net->global_relabels;
    s->job = job;
    ordo_job_account(job, 3 * (long long)sizeof(ordo_u32) * net->n);
    ordo_status status = ordo_preflow(net, s->to, stop, s, &s->exact, &stopped);
    job->supersteps = net->global_relabels - s->relabels_before;
    job->counters[0] = (ordo_counters){.items = net->discharges,
                                       .edges = net->pushes + net->relabels,
                                       .useful = net->pushes + net->relabels,
                                       .activations = net->discharges,
                                       .work_seconds = ordo_job_seconds(job) - before};
    return status;
}

/* The app's native program. On the CPU its state is the search, and a run is one phase. On a GPU it is maxflow.cu, its
 * state is an ordo_flow_state, and a run is both phases. */
static const ordo_program program = {.name = "maxflow",
                                     .summary = "push-relabel by one thread; on a GPU both phases in one run",
                                     .run = run_serially,
                                     .on_cuda = true};

static ordo_status serially(search *s, ordo_vid to)
{
    const ordo_options given = s->runs.options;
    s->to = to;
    s->runs.options.device = NULL;
    s->runs.options.threads = 1;
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
        status = discharge(s);
    }
    return status ? status : serially(s, to);
}

/* ---- on a GPU ---- */

static ordo_status run_on_gpu(search *s, bool cut_only)
{
    static const ordo_eid no_row[1];
    static const ordo_csr nothing = {.row = no_row, .stride = 1}; /* the state holds the rows */
    ordo_flow_state state = {&s->net, cut_only};
    ordo_graph *rows;
    ordo_status status = ordo_graph_borrow(&nothing, false, &rows);
    if (status)
        return status;
    const ordo_work work = {.graph = rows, .state = &state};
    const double before = ordo_clock();
    status = ordo_runs_program(&s->runs, &program, &work);
    if (s->runs.ran) /* all time outside the kernels counts as transfer */
        s->runs.stats->transfer_seconds = ordo_clock() - before - s->runs.stats->run_seconds;
    ordo_graph_free(rows);
    return status;
}

/* ---- the whole ---- */

static ordo_status first_phase(search *s, bool cut_only)
{
    ordo_status status = ORDO_OK;
    ordo_network_start(&s->net);
    if (s->whole) {
        status = fall_back(s, run_on_gpu(s, cut_only));
        s->exact = true;
        if (status || s->whole)
            return status;
    }
    status = begin(s);
    if (status && s->asked && !(status = fall_back(s, status)))
        status = begin(s);
    if (!status && !s->native)
        status = make_graph(s);
    return status ? status : phase(s, s->net.sink);
}

static ordo_status find_flow(search *s, ordo_u64 *flow, ordo_u8 *side, ordo_flow *result)
{
    ordo_network *net = &s->net;
    const bool cut_only = s->how.cut_only || !flow;
    ordo_status status = first_phase(s, cut_only);
    if (status)
        return status;
    if (!s->exact)
        ordo_network_relabel(net, net->sink);
    result->value = net->excess[net->sink];
    result->source_side = ordo_network_cut(net, side, &result->cut_capacity);
    if (!cut_only && !s->whole)
        status = phase(s, net->source);
    if (!status && flow)
        status = ordo_network_flow(net, s->runs.options.threads, flow);
    return status;
}

static ordo_vid terminal(ordo_vid given, ordo_vid named)
{
    return given == ORDO_NO_VERTEX ? named : given;
}

static ordo_status check_options(const ordo_options *options)
{
    static const ordo_item nothing = 0;
    discharge_progress progress = {0};
    discharge_state state = {.progress = &progress};
    ordo_work work = {.op = ordo_operator_find("discharge"), .state = &state, .initial = &nothing};
    return ordo_run_check(&work, options);
}

/* If the options ask for a GPU: decides how it is used, and checks that it can be. */
static ordo_status take_gpu(search *s, const ordo_options *asked)
{
    ordo_options *o = &s->runs.options;
    if (!o->device || !strcmp(o->device, "cpu"))
        return ORDO_OK;
    s->asked = asked;
    if (!strcmp(o->device, "auto"))
        o->device = "cuda"; /* so that the statistics can say why "auto" took the CPU */
    s->whole = ordo_is_native(asked) || ordo_may_be_native(asked, true);
    s->runs.on_gpu = !s->whole;
    return fall_back(s, s->whole ? ordo_program_check(&program, o) : check_options(o));
}

ordo_status ordo_maxflow(const ordo_graph *g, ordo_vid source, ordo_vid sink, const ordo_flow_options *how,
                         const ordo_options *options, ordo_u64 *flow, ordo_u8 *side, ordo_flow *result,
                         ordo_stats *stats)
{
    if (!g || !result || (!side && ordo_graph_out(g)->n))
        return ordo_fail(ORDO_ERR_USAGE, "no %s given", !g ? "graph" : !result ? "result" : "room for the cut");
    const ordo_vertex_data *named = ordo_graph_vertex_data(g);
    ordo_status status = how ? ORDO_RESERVED_CHECK(ordo_flow_options, how) : ORDO_OK;
    if (status)
        return status;
    search s = {.how = how ? *how : (ordo_flow_options){0},
                .native = ordo_is_native(options) || ordo_may_be_native(options, false),
                .runs = {.options = ordo_options_or(options, "bsp"), .stats = stats}};
    ordo_flow found = {0};
    status = take_gpu(&s, options);
    if (!status && !s.asked)
        status = s.native ? ordo_program_check(&program, &s.runs.options) : check_options(&s.runs.options);
    if (status)
        return status;
    const double before = ordo_clock();
    status = ordo_network_make(g, terminal(source, named->source), terminal(sink, named->sink), s.how.infinite,
                               s.runs.options.threads, &s.net);
    if (status) {
        ordo_runs_none(stats, status);
        return status;
    }
    const double prepared = ordo_clock() - before;
    s.runs.start = ordo_clock();
    status = find_flow(&s, flow, side, &found);
    if (!status)
        *result = found;
    ordo_runs_end(&s.runs, s.native || s.whole ? program.name : "discharge", status);
    if (s.runs.ran && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT)) {
        stats->prepare_seconds += prepared;
        if (ordo_is_auto(options) && (s.native || s.whole))
            snprintf(stats->chosen, sizeof stats->chosen, "%s",
                     s.whole ? "maxflow's program for a GPU"
                             : "maxflow's program of one thread was fastest on all that was measured");
        if (s.why_not[0])
            snprintf(stats->fallback, sizeof stats->fallback, "%s", s.why_not);
    }
    ordo_graph_free(s.rows);
    void *all[] = {s.row, s.head, s.open, s.count};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ordo_free(all[i]);
    ordo_network_free(&s.net);
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
    const ordo_u64 n = rows->n, m = rows->m;
    const bool cuda = chosen.device && !strcmp(chosen.device, "cuda");
    const bool native = ordo_is_native(options) || ordo_may_be_native(options, cuda);
    ordo_work work = {
        .op = ordo_operator_find("discharge"), .state = &state, .num_items = n, .targets = n, .initial = &nothing};
    if (cuda && !native)
        chosen.device = "cpu"; /* the host holds no more than for runs on the CPU */
    ordo_status status =
        native ? ordo_program_check(&program, &chosen) : ordo_run_memory(&work, &chosen, expected, at_most);
    if (status)
        return status;
    /* In-rows, the network, and either lists or the network's rows as a graph. The cut's n bytes are the caller's. */
    ordo_u64 fixed = ordo_network_memory(n, m) + 2 * ORDO_TRACE_MAX * sizeof(ordo_sample);
    fixed += ordo_graph_symmetric(g) ? 0 : n * sizeof(ordo_eid) + 8 * m;
    if (native)
        *expected = *at_most = 0;
    if (!cuda || !native) /* for the GPU's native program the host holds only the network */
        fixed += native ? 3 * n * sizeof(ordo_u32) : n * 12 + 2 * m * 5;
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
