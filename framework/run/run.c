/* run.c -- one run: checks the work, prepares the job, calls the instance that choose.c has chosen, sums up statistics.
 * The end of the file has the services that schedulers call with their ordo_job.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <ordo/run.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ordo/detail/backend.h>
#include <ordo/memory.h>
#include <ordo/detail/program.h>

#include "framework/graph/graph.h"
#include "framework/graph/levels.h"
#include "distributed.h"
#include "grow.h"
#include "hardware.h"
#include "number.h"
#include "phase.h"
#include "plan.h"
#include "registry.h"
#include "reserved.h"
#include "session.h"
#include "trace.h"
#include "unset.h"

struct ordo_job_private {
    const ordo_graph *graph;
    ordo_session *session;
    const ordo_options *options;
    const char *scheduler;
    struct timespec start;
    ordo_phase phase; /* counts items */
    double prepare_seconds, last_progress, transfer_seconds;
    pthread_t caller;     /* member 0 */
    ordo_u64 supersteps;  /* at the last ordo_job_poll, for ordo_job_poll_within */
    ordo_remote counted;  /* over several processes: messages, critical edges */
    double run_seconds;   /* 0: the elapsed time less preparation and transfer */
    pthread_mutex_t lock; /* protects the failure */
    ordo_status failure;
    char sentence[1024];
    ordo_run_words words; /* in_flight: for ordo_job_poll_within, too */
    ordo_u64 peak_worklist_bytes;
    ordo_hardware hardware;
    ordo_sample *trace;
    size_t trace_count;
    ordo_u64 trace_step, trace_skipped;
    bool unset; /* the back end sets the cells: ordo_work::unset */
};

/* ---- checks ---- */

ordo_status ordo_operator_check_pull(const ordo_operator *op, int item, const char *scheduler)
{
    const char *needs, *but;
    if (item == ORDO_ITEMS_EDGES)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler '%s' with direction=pull needs vertices as items; those of '%s' are edges in this "
                         "run, which push",
                         scheduler, op->name);
    if (op->kind != ORDO_KIND_RELAX) {
        needs = "a relax operator;";
        but = op->kind == ORDO_KIND_GATHER ? "is a gather operator" : "is a critical one";
    } else if (!(op->properties & ORDO_SELECTIVE)) {
        needs = "an operator whose cells keep the better value; those of";
        but = "sum";
    } else if (!op->activates) {
        needs = "an operator whose targets are the heads of its edges;";
        but = "has others";
    } else if (op->properties & ORDO_GROWING) {
        needs = "an operator without new edges, which would be missing in in-rows;";
        but = "makes some";
    } else if (!(op->properties & ORDO_EDGE_BLIND)) {
        needs = "an edge-blind operator, for in-rows number edges otherwise;";
        but = "is not edge-blind";
    } else {
        return ORDO_OK;
    }
    return ordo_fail(ORDO_ERR_UNSOUND, "scheduler '%s' with direction=pull needs %s '%s' %s", scheduler, needs,
                     op->name, but);
}

static ordo_status check_options(const ordo_options *options)
{
    if (options->threads < 0 || options->threads > ORDO_MAX_THREADS)
        return ordo_fail(ORDO_ERR_USAGE, "%d threads asked for, 1 to %d are possible (0: one a core)", options->threads,
                         ORDO_MAX_THREADS);
    if (!(options->timeout >= 0) || isinf(options->timeout))
        return ordo_fail(ORDO_ERR_USAGE, "timeout %g, expected seconds that are finite and not negative (0: none)",
                         options->timeout);
    return ORDO_RESERVED_CHECK(ordo_options, options);
}

static ordo_status make_plan(const ordo_work *work, const ordo_options *options, ordo_plan *p)
{
    ordo_status status = ordo_registry_check();
    if (status)
        return status;
    const ordo_operator *op = work->op;
    if (!op)
        return ordo_fail(ORDO_ERR_USAGE, "no operator given");
    if ((status = ORDO_RESERVED_CHECK(ordo_work, work)))
        return status;
    if (work->session && (status = ordo_session_check(work)))
        return status;
    if ((status = ordo_unset_check(work)) || (status = ordo_grow_check(work, options)))
        return status;
    ordo_options on = *options;
    if (work->session)
        on.device = ordo_session_device(work->session);
    if ((status = ordo_choose(work, &on, p)))
        return status;
    if (work->session && !p->backend)
        snprintf(p->fallback, sizeof p->fallback, "%s", ordo_session_why(work->session));
    if ((status = check_options(options)) || (options->group && (status = ordo_group_check(options->group, op, p))))
        return status;

    /* the work itself */
    if (op->kind != ORDO_KIND_CRITICAL) {
        const bool of_vertices = op->activates || op->kind == ORDO_KIND_GATHER;
        if (!work->graph || (!work->cells && work->targets))
            return ordo_fail(ORDO_ERR_USAGE, "operator '%s' needs a graph and cells", op->name);
        const ordo_csr *csr = ordo_graph_out(work->graph);
        if (work->graph->part && !options->group)
            return ordo_fail(ORDO_ERR_USAGE,
                             "operator '%s': found one rank's part of a graph, expected a run over ranks", op->name);
        if (op->cell >= ORDO_STRUCT4 && (size_t)work->cells % ordo_type_bytes(op->cell))
            return ordo_fail(ORDO_ERR_USAGE,
                             "operator '%s': cells at %p, expected an address divisible by their %u bytes", op->name,
                             work->cells, ordo_type_bytes(op->cell));
        if (work->num_items > csr->n || (of_vertices && (work->num_items != csr->n || work->targets != csr->n)))
            return ordo_fail(ORDO_ERR_USAGE, "operator '%s': %llu items and %llu cells on a graph of %u vertices",
                             op->name, (unsigned long long)work->num_items, (unsigned long long)work->targets, csr->n);
        if (op->properties & ORDO_BOTH_DIRECTIONS && csr->m && !ordo_graph_symmetric(work->graph))
            return ordo_fail(ORDO_ERR_INPUT,
                             "operator '%s' needs both directions of every edge, and the graph is not known to have "
                             "them (--symmetric checks, --symmetrise makes it so)",
                             op->name);
        if (op->weight != ORDO_NONE && csr->weight_type != ORDO_NONE && csr->weight_type != op->weight)
            return ordo_fail(ORDO_ERR_USAGE, "operator '%s': found %s weights, expected weights of type %s", op->name,
                             ordo_type_name(csr->weight_type), ordo_type_name(op->weight));
    }
    if (!work->state && op->state > sizeof(ordo_no_state))
        return ordo_fail(ORDO_ERR_USAGE, "operator '%s' needs its state", op->name);
    if (work->num_items > ORDO_MAX_VERTICES || work->targets > ORDO_MAX_VERTICES)
        return ordo_fail(ORDO_ERR_USAGE, "operator '%s': more than %llu items or targets", op->name,
                         (unsigned long long)ORDO_MAX_VERTICES);
    return work->session && ordo_session_is_apart(work->session) ? ORDO_OK : ordo_check_initial(work);
}

/* Whether the cells can be had on the device, if they are wanted there. */
static ordo_status check_device_cells(const ordo_work *work, const ordo_options *options, const ordo_plan *p)
{
    if (!options->device_cells)
        return ORDO_OK;
    if (!p->backend)
        return ordo_fail(ORDO_ERR_USAGE, "the answer is wanted on a GPU, and the run is on the CPU%s%s",
                         p->fallback[0] ? ": " : "", p->fallback);
    if (options->group)
        return ordo_fail(ORDO_ERR_USAGE, "the answer is wanted on a GPU, expected a run of one process");
    if (!work->final)
        return ordo_fail(ORDO_ERR_USAGE,
                         "the answer is wanted on a GPU, and is not what one run leaves there; expected "
                         "it on the host alone");
    return ORDO_OK;
}

static const ordo_options no_options;

ordo_status ordo_run_check(const ordo_work *work, const ordo_options *options)
{
    ordo_plan p;
    options = options ? options : &no_options;
    const ordo_status status = make_plan(work, options, &p);
    return status ? status : check_device_cells(work, options, &p);
}

ordo_status ordo_run_choice(const ordo_work *work, const ordo_options *options, ordo_choice *out)
{
    ordo_plan p;
    ordo_status status = make_plan(work, options ? options : &no_options, &p);
    if (!status)
        *out = (ordo_choice){p.scheduler->name, p.sync, p.backend ? ORDO_ON_CUDA : ORDO_ON_CPU};
    return status;
}

ordo_status ordo_run_memory(const ordo_work *work, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    ordo_plan p;
    options = options ? options : &no_options;
    ordo_status status = make_plan(work, options, &p);
    if (status)
        return status;
    int threads = options->threads ? options->threads : ordo_cores();
    ordo_u64 m = work->graph ? ordo_graph_out(work->graph)->m : work->num_items;
    p.scheduler->memory(work->num_items, m, threads, work->op->entry, p.tunable, expected, at_most);
    if (p.item == ORDO_ITEMS_EDGES && !p.scheduler->all_items) { /* frontiers of edges, which may be all; tails */
        *expected += m * (2 * sizeof(ordo_eid) + sizeof(ordo_vid));
        *at_most += m * (4 * sizeof(ordo_eid) + sizeof(ordo_vid));
    }
    ordo_u64 fixed = (ordo_u64)threads * sizeof(ordo_counters) + ORDO_TRACE_MAX * sizeof(ordo_sample);
    if (p.sync == ORDO_SYNC_LOCK)
        fixed += work->targets < (1u << 20) ? 2 * work->targets : 1u << 20;
    if (work->op->properties & ORDO_GROWING)
        fixed += ordo_grow_bytes(work, options);
    *expected += fixed;
    *at_most += fixed;
    return ORDO_OK;
}

/* ---- the job ---- */

static double since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static double weight_number(const ordo_csr *g, ordo_eid e)
{
    const void *word = ordo_csr_weight_at(g, e);
    return g->weight_type == ORDO_F32   ? (double)*(const ordo_f32 *)word
           : g->weight_type == ORDO_I32 ? (double)*(const ordo_i32 *)word
           : g->weight_type == ORDO_I64 ? (double)ordo_get_i64(word)
           : g->weight_type == ORDO_F64 ? ordo_get_f64(word)
                                        : (double)*(const ordo_u32 *)word;
}

/* Mean weight, without its sign, and degree, from an evenly spaced sample, so that they are the same for the same
 * graph. */
static void sample_graph(ordo_job *job)
{
    const ordo_csr *g = job->out;
    job->mean_weight = 1;
    job->mean_degree = g->n ? (double)g->m / (double)g->n : 0;
    if (!g->weight || !g->m)
        return;
    if (job->own->graph->part) { /* a sample would differ from rank to rank */
        ordo_graph_info info;
        ordo_graph_get_info(job->own->graph, &info);
        job->mean_weight = fabs(info.weight_mean);
        return;
    }
    ordo_u64 step = g->m / 4096 + 1, taken = 0;
    double sum = 0;
    for (ordo_eid e = 0; e < g->m; e += step, taken++)
        sum += fabs(weight_number(g, e));
    job->mean_weight = sum / (double)taken;
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double ordo_job_weight_quantile(const ordo_job *job, double quantile)
{
    enum { MOST = 4096 };
    double weight[MOST];
    const ordo_csr *g = job->out;
    const ordo_u64 count = g->m < MOST ? g->m : MOST;
    if (!g->weight || !count)
        return 1;
    for (ordo_u64 i = 0; i < count; i++)
        weight[i] = weight_number(g, (ordo_eid)((double)i * (double)g->m / (double)count));
    qsort(weight, count, sizeof *weight, compare_numbers);
    return weight[(ordo_u64)(quantile * (double)(count - 1))];
}

ordo_graph_kind ordo_job_graph_kind(const ordo_job *job)
{
    return ordo_graph_kind_of(job->out);
}

ordo_u64 ordo_job_longest_row(const ordo_job *job)
{
    return job->own->graph ? ordo_graph_longest_row(job->own->graph) : 0;
}

double ordo_job_levels(const ordo_job *job)
{
    return job->own->graph ? ordo_graph_levels(job->own->graph) : 0;
}

/* Another thread may set the flag meanwhile. */
static bool cancelled(const ordo_job_private *own)
{
    const ordo_options *options = own->options;
    return (options->cancel && __atomic_load_n(options->cancel, __ATOMIC_RELAXED)) ||
           __atomic_load_n(&own->phase.stopped, __ATOMIC_RELAXED);
}

static ordo_status make_locks(ordo_job *job)
{
    if (job->sync != ORDO_SYNC_LOCK)
        return ORDO_OK;
    ordo_u64 size = 1;
    while (size < job->targets && size < 1u << 20)
        size *= 2;
    job->locks.mask = (ordo_u32)(size - 1);
    job->locks.lock = ordo_alloc_zero(size, 1);
    return job->locks.lock ? ORDO_OK : ORDO_ERR_MEMORY;
}

static void fill_stats(const ordo_job *job, const ordo_plan *p, double seconds, ordo_u64 peak, ordo_stats *stats)
{
    *stats = (ordo_stats){
        .op = job->op->name,
        .scheduler = p->scheduler->name,
        .sync = p->sync == ORDO_SYNC_DEFAULT ? "none" : ordo_sync_name(p->sync), /* a program has no sync */
        .item = ordo_item_name(p->item ? p->item : job->op->items),
        .backend = p->backend ? p->backend->name : "cpu",
        .threads = job->threads,
        .setting_count = p->scheduler->tunable_count,
        .run_seconds = job->own->run_seconds > 0 ? job->own->run_seconds
                                                 : seconds - job->own->prepare_seconds - job->own->transfer_seconds,
        .prepare_seconds = job->own->prepare_seconds,
        .transfer_seconds = job->own->transfer_seconds,
        .supersteps = job->supersteps,
        .peak_worklist_bytes = job->own->peak_worklist_bytes,
        .peak_bytes = peak,
        .delta_first = job->delta_first,
        .delta_last = job->delta_last,
        .change = job->change,
        .messages = job->own->counted.messages,
        .critical_edges = job->own->counted.critical_edges,
        .hardware = job->own->hardware,
        .trace = job->own->trace,
        .trace_count = job->own->trace_count,
    };
    if (p->backend)
        snprintf(stats->device, sizeof stats->device, "%s", p->device);
    else
        snprintf(stats->device, sizeof stats->device, "%d thread%s", job->threads, job->threads == 1 ? "" : "s");
    snprintf(stats->fallback, sizeof stats->fallback, "%s", p->fallback);
    snprintf(stats->chosen, sizeof stats->chosen, "%s", p->why);
    for (int i = 0; i < p->scheduler->tunable_count; i++) {
        stats->settings[i].name = p->scheduler->tunables[i].name;
        ordo_tunable_print(&p->scheduler->tunables[i], p->tunable[i], stats->settings[i].value);
    }
    ordo_counters sum;
    ordo_counters_sum(job, p->scheduler->all_items, &sum);
    stats->items = sum.items;
    stats->edges = sum.edges;
    stats->useful = sum.useful;
    stats->stale = sum.stale;
    stats->activations = sum.activations;
    stats->work_seconds = sum.work_seconds;
}

/* Calls the instance, and records it where a trace is asked for; *seconds is the time that it took. */
static ordo_status run_instance(ordo_job *job, const ordo_plan *p, double *seconds)
{
    ordo_job_private *own = job->own;
    ordo_trace *trace = own->options->trace;
    const ordo_traced_run traced = {.job = job,
                                    .words = &own->words,
                                    .by_time = job->op->kind != ORDO_KIND_PROGRAM,
                                    .on_device = p->backend != NULL,
                                    .all_items = p->scheduler->all_items};
    ordo_status status = trace ? ordo_trace_ready(trace, &traced) : ORDO_OK;
    if (status)
        return status;
    job->traced = trace && traced.by_time;
    const bool counted = own->options->hardware && !p->backend;
    ordo_hardware_run *hardware = counted ? ordo_hardware_start(job->team) : NULL;
    clock_gettime(CLOCK_MONOTONIC, &own->start);
    ordo_phase_begin(&own->phase, "running", 0);
    if (trace && !(traced.by_time && traced.on_device))
        ordo_trace_start(trace, &own->start);
    status = cancelled(own) ? ordo_fail(ORDO_ERR_CANCELLED, "cancelled before it began") : p->instance->run(job);
    *seconds = since(&own->start);
    ordo_hardware_stop(job->team, hardware, &own->hardware);
    if (trace)
        ordo_trace_stop(trace, own->trace, own->trace_count);
    return status;
}

/* The same over a group whose rank 0 makes the run by itself, as one process would; the others wait for the answer in
 * ordo_group_end. */
static ordo_status run_alone(ordo_job *job, const ordo_plan *p, double *seconds)
{
    ordo_remote *const remote = job->remote;
    ordo_plan alone = *p;
    if (ordo_group_rank(job->own->options->group) > 0) {
        clock_gettime(CLOCK_MONOTONIC, &job->own->start);
        *seconds = 0;
        return ORDO_OK;
    }
    alone.instance = ordo_instance_on_gpu(p->backend, job->op, p->scheduler->name);
    job->remote = NULL;
    const ordo_status status = run_instance(job, &alone, seconds);
    job->remote = remote;
    return status;
}

/* The same, over several processes where the options ask for it. */
static ordo_status run_in_group(ordo_job *job, const ordo_plan *p, double *seconds)
{
    ordo_group *group = job->own->options->group;
    if (!group)
        return run_instance(job, p, seconds);
    ordo_status status = ordo_group_begin(group, job, p);
    if (status)
        return status;
    status = ordo_group_was_alone(group) ? run_alone(job, p, seconds) : run_instance(job, p, seconds);
    status = job->own->failure ? ordo_fail(job->own->failure, "%s", job->own->sentence) : status;
    status = ordo_group_end(group, job, status, &job->own->counted);
    *seconds = since(&job->own->start); /* with the transfer of the answer, which fill_stats takes off again */
    return status;
}

/* Sets the cells that the caller has left unset, or notes that the back end does. */
static ordo_status fill_unset(const ordo_work *work, const ordo_options *options, const ordo_plan *p,
                              ordo_job_private *own)
{
    own->unset = work->unset && p->backend && !options->group && work->initial;
    return work->unset && !own->unset ? ordo_unset_fill(work, options->threads) : ORDO_OK;
}

static ordo_status run_plan(const ordo_work *work, const ordo_options *options, const ordo_plan *p, ordo_stats *stats)
{
    static const ordo_csr no_rows;
    static const ordo_u64 no_state[8];
    ordo_memory_reset_peak();
    ordo_job_private own = {.graph = work->graph,
                            .session = work->session,
                            .options = options,
                            .scheduler = p->scheduler->name,
                            .caller = pthread_self(),
                            .trace_step = 1,
                            .lock = PTHREAD_MUTEX_INITIALIZER};
    ordo_job job = {
        .op = work->op,
        .out = work->graph ? ordo_graph_out(work->graph) : &no_rows,
        .cells = work->cells,
        .state = work->state ? work->state : no_state,
        .initial = work->initial,
        .initial_count = work->initial ? work->initial_count : work->num_items,
        .num_items = work->num_items,
        .targets = work->targets,
        .owned = ~(ordo_u32)0, /* more than there are items */
        .owned_mask = ~(ordo_u32)0,
        .sync = p->sync,
        .item = p->item,
        .tunable = p->tunable,
        .own = &own,
    };
    ordo_grown grown = {0};
    ordo_status status = fill_unset(work, options, p, &own);
    status = status ? status : ordo_team_lease(p->backend ? 1 : options->threads, &job.team);
    if (status)
        return status;
    sample_graph(&job);
    job.threads = ordo_team_size(job.team);
    job.long_rows = !p->backend && job.threads > 1 && work->graph && work->op->kind == ORDO_KIND_RELAX &&
                    ordo_graph_longest_row(work->graph) >= ORDO_LONG_ROW;
    job.counters = ordo_alloc_zero((size_t)job.threads, sizeof(ordo_counters));
    own.trace = ordo_alloc(ORDO_TRACE_MAX, sizeof(ordo_sample));
    status = job.counters && own.trace ? ORDO_OK : ORDO_ERR_MEMORY;
    if (!status && work->op->properties & ORDO_GROWING)
        status = ordo_grow_begin(&job, options->additions, &grown);
    status = status ? status : make_locks(&job);
    if (!status) {
        double seconds = 0;
        status = run_in_group(&job, p, &seconds);
        if (own.failure)
            status = ordo_fail(own.failure, "%s", own.sentence);
        if (stats && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT)) {
            fill_stats(&job, p, seconds, ordo_memory_peak(), stats);
            own.trace = NULL; /* now owned by the caller */
        }
        if (!status && grown.pool)
            ordo_grow_end(&grown, options->additions);
    }
    ordo_grow_free(&grown);
    ordo_free(own.trace);
    ordo_free(job.locks.lock);
    ordo_free(job.locks.ticket);
    ordo_free(job.counters);
    ordo_team_return(job.team);
    return status;
}

ordo_status ordo_run(const ordo_work *work, const ordo_options *options, ordo_stats *stats)
{
    ordo_plan p;
    options = options ? options : &no_options;
    ordo_status status = make_plan(work, options, &p);
    if (status || (status = check_device_cells(work, options, &p)))
        return status;
    status = ordo_session_note(work->session, run_plan(work, options, &p, stats));
    const ordo_instance *on_cpu = ordo_instance_find(work->op, p.scheduler->name, ORDO_ON_CPU);
    if (status == ORDO_ERR_MEMORY && p.automatic && p.backend && on_cpu && on_cpu->run &&
        !options->device_cells) { /* the cells are unharmed */
        p.backend = NULL;
        p.instance = on_cpu;
        snprintf(p.fallback, sizeof p.fallback, "%s", ordo_last_error());
        status = run_plan(work, options, &p, stats);
    }
    return status;
}

/* ---- programs ---- */

ordo_status ordo_program_check(const ordo_program *program, const ordo_options *options)
{
    ordo_plan p;
    options = options ? options : &no_options;
    ordo_status status = ordo_choose_program(program, options, &p);
    return status ? status : check_options(options);
}

ordo_status ordo_program_run(const ordo_program *program, const ordo_work *work, const ordo_options *options,
                             ordo_stats *stats)
{
    const ordo_operator none = {.name = program->name, .summary = program->summary, .kind = ORDO_KIND_PROGRAM};
    ordo_work own = *work;
    ordo_plan p;
    if (work->session)
        return ordo_fail(ORDO_ERR_USAGE, "program '%s' has no part in a session", program->name);
    options = options ? options : &no_options;
    ordo_status status = ordo_choose_program(program, options, &p);
    if (!status && options->group)
        status = ordo_fail(ORDO_ERR_UNSOUND, "program '%s' does not run over ranks; under a scheduler the operator may",
                           program->name);
    if (status || (status = check_options(options)) || (status = check_device_cells(work, options, &p)))
        return status;
    own.op = &none;
    own.unset = false;
    status = run_plan(&own, options, &p, stats);
    if (status == ORDO_ERR_MEMORY && p.automatic && p.backend && program->run &&
        !options->device_cells) { /* the cells are unharmed */
        p.backend = NULL;
        p.instance = &p.program;
        snprintf(p.fallback, sizeof p.fallback, "%s", ordo_last_error());
        status = run_plan(&own, options, &p, stats);
    }
    return status;
}

void ordo_stats_free(ordo_stats *stats)
{
    if (stats) {
        ordo_free(stats->trace);
        *stats = (ordo_stats){0};
    }
}

/* ---- services ---- */

void ordo_job_fail(ordo_job *job, ordo_status status)
{
    pthread_mutex_lock(&job->own->lock);
    if (!job->own->failure) {
        job->own->failure = status;
        snprintf(job->own->sentence, sizeof job->own->sentence, "%s", ordo_last_error());
    }
    pthread_mutex_unlock(&job->own->lock);
    __atomic_store_n(&job->stop, 1, __ATOMIC_RELAXED);
}

ordo_status ordo_job_failure(const ordo_job *job)
{
    pthread_mutex_lock(&job->own->lock);
    ordo_status status = job->own->failure;
    pthread_mutex_unlock(&job->own->lock);
    return status;
}

void ordo_job_explain(ordo_job *job, const char *text)
{
    ordo_job_private *own = job->own;
    pthread_mutex_lock(&own->lock);
    size_t used = strlen(own->sentence);
    if (own->failure)
        snprintf(own->sentence + used, sizeof own->sentence - used, "; %s", text);
    pthread_mutex_unlock(&own->lock);
}

double ordo_job_seconds(const ordo_job *job)
{
    return since(&job->own->start);
}

/* Seconds of the run without transfer, and without what is done once for a graph. */
static double run_seconds(const ordo_job *job)
{
    return ordo_job_seconds(job) - job->own->prepare_seconds - job->own->transfer_seconds;
}

/* By any member: ends the run if it is cancelled or its time is up. */
static void look_for_end(ordo_job *job, ordo_u64 supersteps, ordo_u64 in_flight)
{
    const ordo_options *options = job->own->options;
    if (cancelled(job->own) && !ordo_job_stopped(job)) {
        ordo_fail(ORDO_ERR_CANCELLED, "cancelled after %.3f s", ordo_job_seconds(job));
        ordo_job_fail(job, ORDO_ERR_CANCELLED);
    }
    if (options->timeout > 0 && !ordo_job_stopped(job) && run_seconds(job) >= options->timeout) {
        ordo_fail(ORDO_ERR_TIMEOUT, "%s under '%s' did not end within %g s: superstep %llu, %llu items in flight",
                  job->op->name, job->own->scheduler, options->timeout, (unsigned long long)supersteps,
                  (unsigned long long)in_flight);
        ordo_job_fail(job, ORDO_ERR_TIMEOUT);
    }
}

static ordo_u64 items_so_far(const ordo_job *job)
{
    ordo_u64 items = 0;
    for (int t = 0; t < job->threads; t++)
        items += __atomic_load_n(&job->counters[t].items, __ATOMIC_RELAXED);
    return items;
}

void ordo_job_poll(ordo_job *job, ordo_u64 in_flight)
{
    const ordo_options *options = job->own->options;
    __atomic_store_n(&job->own->supersteps, job->supersteps, __ATOMIC_RELAXED);
    __atomic_store_n(&job->own->words.in_flight, in_flight, __ATOMIC_RELAXED);
    if (job->own->phase.watch && !ordo_job_stopped(job)) {
        const ordo_u64 items = items_so_far(job);
        ordo_phase_step(&job->own->phase, items - __atomic_load_n(&job->own->phase.done, __ATOMIC_RELAXED));
    }
    look_for_end(job, job->supersteps, in_flight);
    if (!options->progress || ordo_job_stopped(job)) /* no report after the end */
        return;
    double now = ordo_job_seconds(job);
    if (now - job->own->last_progress < 0.1)
        return;
    job->own->last_progress = now;
    ordo_progress progress = {.scheduler = job->own->scheduler,
                              .seconds = now,
                              .supersteps = job->supersteps,
                              .in_flight = in_flight,
                              .items = items_so_far(job)};
    options->progress(options->progress_arg, &progress);
}

void ordo_job_poll_within(ordo_job *job)
{
    const ordo_u64 in_flight = __atomic_load_n(&job->own->words.in_flight, __ATOMIC_RELAXED);
    if (pthread_equal(pthread_self(), job->own->caller))
        ordo_job_poll(job, in_flight);
    else
        look_for_end(job, __atomic_load_n(&job->own->supersteps, __ATOMIC_RELAXED), in_flight);
}

void ordo_job_sample_at(ordo_job *job, double seconds, ordo_u64 in_flight, ordo_u64 bucket, double delta,
                        ordo_u32 concurrent, float utilisation)
{
    ordo_job_private *own = job->own;
    if (++own->trace_skipped < own->trace_step)
        return;
    own->trace_skipped = 0;
    if (own->trace_count == ORDO_TRACE_MAX) { /* drops every second sample, and doubles the distance of later ones */
        for (size_t i = 0; i < ORDO_TRACE_MAX / 2; i++)
            own->trace[i] = own->trace[2 * i];
        own->trace_count = ORDO_TRACE_MAX / 2;
        own->trace_step *= 2;
    }
    own->trace[own->trace_count++] = (ordo_sample){.seconds = seconds,
                                                   .in_flight = in_flight,
                                                   .bucket = bucket,
                                                   .delta = delta,
                                                   .utilisation = utilisation,
                                                   .concurrent = concurrent};
}

void ordo_job_sample(ordo_job *job, ordo_u64 in_flight, ordo_u64 bucket, double delta, ordo_u32 concurrent,
                     float utilisation)
{
    ordo_job_private *own = job->own;
    __atomic_store_n(&own->words.bucket, bucket, __ATOMIC_RELAXED);
    __atomic_store(&own->words.delta, &delta, __ATOMIC_RELAXED);
    __atomic_store_n(&own->words.concurrent, concurrent, __ATOMIC_RELAXED);
    if (own->trace_skipped + 1 < own->trace_step) { /* does not read the clock for samples that are left out */
        own->trace_skipped++;
        return;
    }
    ordo_job_sample_at(job, ordo_job_seconds(job), in_flight, bucket, delta, concurrent, utilisation);
}

void ordo_job_probe(ordo_job *job, ordo_probe_fn *probe, const void *arg)
{
    if (job->traced)
        ordo_trace_set_probe(job->own->options->trace, probe, arg);
}

bool ordo_job_is_traced(const ordo_job *job)
{
    return job->traced != 0;
}

ordo_status ordo_job_trace_begin(ordo_job *job, const ordo_trace_source *source)
{
    return job->traced ? ordo_trace_source_begin(job->own->options->trace, source) : ORDO_OK;
}

void ordo_job_trace_end(ordo_job *job, double seconds)
{
    if (job->traced)
        ordo_trace_source_end(job->own->options->trace, seconds);
}

const ordo_graph *ordo_job_graph(const ordo_job *job)
{
    return job->own->graph;
}

ordo_session *ordo_job_session(const ordo_job *job, void **own)
{
    *own = job->own->session ? ordo_session_own(job->own->session) : NULL;
    return job->own->session;
}

bool ordo_job_cells_are_unset(const ordo_job *job)
{
    return job->own->unset;
}

void *ordo_job_device_cells(const ordo_job *job, ordo_u64 *bytes)
{
    *bytes = job->own->options->device_bytes;
    return job->own->options->device_cells;
}

int ordo_job_host_threads(const ordo_job *job)
{
    int asked = job->own->options->threads;
    return asked ? asked : ordo_cores();
}

void ordo_job_add_transfer(ordo_job *job, double seconds)
{
    job->own->transfer_seconds += seconds;
}

void ordo_job_add_prepare(ordo_job *job, double seconds)
{
    job->own->prepare_seconds += seconds;
}

double ordo_job_set_run(ordo_job *job, double seconds)
{
    const double before = job->own->run_seconds;
    job->own->run_seconds = before + seconds;
    return before;
}

ordo_status ordo_job_need_in(ordo_job *job)
{
    double before = ordo_job_seconds(job);
    ordo_status status = ordo_graph_in_ranks(job->own->graph, job->remote ? job->remote->group : NULL,
                                             ordo_job_host_threads(job), &job->in);
    job->own->prepare_seconds += ordo_job_seconds(job) - before;
    return status;
}

ordo_status ordo_job_need_by_weight(ordo_job *job, bool heaviest_first, const ordo_csr **out, const ordo_csr **in)
{
    const ordo_graph *g = job->own->graph;
    const double before = ordo_job_seconds(job);
    ordo_status status = ORDO_OK;
    if (job->op->weight != ORDO_NONE)
        status = ordo_graph_by_weight(g, false, heaviest_first, ordo_job_host_threads(job), out);
    else
        *out = job->out;
    if (!status && in)
        status = job->op->weight != ORDO_NONE
                     ? ordo_graph_by_weight(g, true, heaviest_first, ordo_job_host_threads(job), in)
                     : ordo_graph_in(g, ordo_job_host_threads(job), in);
    job->own->prepare_seconds += ordo_job_seconds(job) - before;
    return status;
}

bool ordo_job_in_pays(const ordo_job *job, double times)
{
    return job->own->options->repeats > 1 || ordo_graph_in_pays(job->own->graph, times);
}

bool ordo_job_in_pays_ranks(const ordo_job *job, double times)
{
    bool any = ordo_job_in_pays(job, times);
    if (job->remote && ordo_group_any(job->remote->group, any, &any))
        return true; /* out of memory, as the next call will say */
    return any;
}

void ordo_job_pushed(ordo_job *job, ordo_u64 edges)
{
    ordo_graph *g = (ordo_graph *)(size_t)job->own->graph; /* callers do not see this number */
    __atomic_fetch_add(&g->pushed, edges, __ATOMIC_RELAXED);
}

ordo_status ordo_job_need_tails(ordo_job *job)
{
    const double before = ordo_job_seconds(job);
    ordo_edges edges;
    ordo_status status = ordo_edges_of(job->own->graph, true, ordo_job_host_threads(job), &edges);
    if (!status)
        job->tail = edges.tail;
    job->own->prepare_seconds += ordo_job_seconds(job) - before;
    return status;
}

ordo_status ordo_job_need_partition(ordo_job *job, ordo_u32 parts, const ordo_u32 **part)
{
    static const char wants[] =
        "a partition of the graph's vertices gives every target an owner only where the targets "
        "are these vertices";
    if (!job->own->graph)
        return ordo_fail(ORDO_ERR_USAGE, "%s; operator '%s' works on arrays of its app and not on a graph's rows",
                         wants, job->op->name);
    if (job->grow && job->grow->most_items)
        return ordo_fail(ORDO_ERR_USAGE, "%s; operator '%s' may make new items, which no partition has", wants,
                         job->op->name);
    if (job->targets != job->out->n)
        return ordo_fail(ORDO_ERR_USAGE, "%s; operator '%s' has %llu targets on a graph of %u vertices", wants,
                         job->op->name, (unsigned long long)job->targets, job->out->n);
    if (job->op->kind == ORDO_KIND_RELAX && !job->op->activates)
        return ordo_fail(
            ORDO_ERR_USAGE,
            "%s; operator '%s' computes the target of an edge from its state (it may be another vertex than "
            "the edge's head)",
            wants, job->op->name);
    double before = ordo_job_seconds(job);
    ordo_status status = ordo_graph_partition(job->own->graph, parts, ordo_job_host_threads(job), part);
    job->own->prepare_seconds += ordo_job_seconds(job) - before;
    return status;
}

void ordo_job_account(ordo_job *job, long long bytes)
{
    ordo_job_private *own = job->own;
    ordo_u64 now = __atomic_add_fetch(&own->words.worklist_bytes, (ordo_u64)bytes, __ATOMIC_RELAXED);
    ordo_u64 peak = __atomic_load_n(&own->peak_worklist_bytes, __ATOMIC_RELAXED);
    while (peak < now && !__atomic_compare_exchange_n(&own->peak_worklist_bytes, &peak, now, true, __ATOMIC_RELAXED,
                                                      __ATOMIC_RELAXED))
        ;
}

double ordo_job_delta(const ordo_job *job, double asked, double own, double factor)
{
    if (asked > 0)
        return asked;
    double delta = own > 0 ? own : factor * job->mean_weight / (job->mean_degree > 1 ? job->mean_degree : 1);
    if (job->op->cell != ORDO_F32 && job->op->cell != ORDO_F64 && delta < 1)
        return 1;
    return delta > 0 && isfinite(delta) ? delta : 1;
}

bool ordo_bin_reserve(ordo_job *job, ordo_bin *bin, ordo_u64 capacity, size_t size)
{
    if (capacity <= bin->capacity)
        return true;
    void *data = ordo_realloc(bin->data, capacity, size);
    if (!data) {
        ordo_job_fail(job, ORDO_ERR_MEMORY);
        return false;
    }
    ordo_job_account(job, (long long)((capacity - bin->capacity) * size));
    bin->data = data;
    bin->capacity = capacity;
    return true;
}

bool ordo_bin_grow(ordo_job *job, ordo_bin *bin, size_t size)
{
    return ordo_bin_reserve(job, bin, bin->capacity ? 2 * bin->capacity : 64, size);
}

void ordo_bin_free(ordo_job *job, ordo_bin *bin, size_t size)
{
    ordo_job_account(job, -(long long)(bin->capacity * size));
    ordo_free(bin->data);
    *bin = (ordo_bin){0};
}
