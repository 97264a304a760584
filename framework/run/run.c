/* run.c -- one run: checks the triple of operator, scheduler and sync, prepares the job, calls the instance, keeps the
 * books. Schedulers reach the services at the end of the file through ordo_job.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <ordo/run.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <ordo/backend.h>
#include <ordo/memory.h>

#include "registry.h"

static const char *const sync_names[ORDO_SYNCS] = {"default", "atomic", "racy", "lock", "owner", "server"};

const char *ordo_sync_name(ordo_sync sync)
{
    return (int)sync >= 0 && (int)sync < ORDO_SYNCS ? sync_names[sync] : "?";
}

/* What options mean for one operator. */
typedef struct plan {
    const ordo_scheduler *scheduler;
    const ordo_instance *instance;
    const ordo_backend *backend; /* NULL: the CPU */
    char device[ORDO_DEVICE_NAME];
    bool automatic;     /* the back end may be given up for the CPU */
    char fallback[256]; /* why it was */
    char why[96];       /* the scheduler was chosen by us: why */
    ordo_sync sync;
    double tunable[ORDO_MAX_TUNABLES];
} plan;

struct ordo_job_private {
    const ordo_graph *graph;
    const ordo_options *options;
    const char *scheduler;
    struct timespec start;
    double prepare_seconds, last_progress, transfer_seconds;
    double run_seconds;   /* 0: what the clock says, less preparation and transfer */
    pthread_mutex_t lock; /* the failure */
    ordo_status failure;
    char sentence[1024];
    ordo_u64 worklist_bytes, peak_worklist_bytes;
    ordo_sample *trace;
    size_t trace_count;
    ordo_u64 trace_step, trace_skipped;
};

/* ---- checks ---- */

void ordo_property_names(unsigned properties, char *out, size_t room)
{
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {{ORDO_MONOTONE, "monotone"}, {ORDO_IDEMPOTENT, "idempotent"}, {ORDO_ASSOCIATIVE, "associative"},
                 {ORDO_UNIFORM, "uniform"},   {ORDO_EDGE_BLIND, "edge-blind"}, {ORDO_SELECTIVE, "selective"}};
    out[0] = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (properties & names[i].bit)
            snprintf(out + strlen(out), room - strlen(out), "%s%s", out[0] ? ", " : "", names[i].name);
}

static const char *kind_name(int kind)
{
    return kind == ORDO_KIND_RELAX ? "relax" : "critical";
}

static ordo_status find_sync(const char *name, ordo_sync *out)
{
    for (int i = 1; i < ORDO_SYNCS; i++)
        if (!strcmp(sync_names[i], name)) {
            *out = (ordo_sync)i;
            return ORDO_OK;
        }
    return ordo_fail(ORDO_ERR_UNKNOWN, "sync '%s' is unknown, expected auto, atomic, racy, lock, owner or server",
                     name);
}

/* The sync asked for, or the first that is sound. */
static ordo_status choose_sync(const ordo_operator *op, const char *name, plan *p)
{
    ordo_sync asked = ORDO_SYNC_DEFAULT;
    if (name && find_sync(name, &asked))
        return ORDO_ERR_UNKNOWN;
    char offered[128] = "";
    const ordo_pairing *unsound = NULL; /* the first */
    for (const ordo_pairing *pair = p->scheduler->pairings; pair->kind; pair++) {
        if (pair->kind != op->kind)
            continue;
        if (asked == ORDO_SYNC_DEFAULT || asked == pair->sync) {
            if (!(pair->needs & ~op->properties)) {
                p->sync = pair->sync;
                return ORDO_OK;
            }
            unsound = unsound ? unsound : pair;
        }
        snprintf(offered + strlen(offered), sizeof offered - strlen(offered), "%s%s", offered[0] ? ", " : "",
                 ordo_sync_name(pair->sync));
    }
    if (unsound) {
        char needs[96], lacking[96];
        ordo_property_names(unsound->needs, needs, sizeof needs);
        ordo_property_names(unsound->needs & ~op->properties, lacking, sizeof lacking);
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler '%s' with sync '%s' needs a %s operator; '%s' is not %s",
                         p->scheduler->name, ordo_sync_name(unsound->sync), needs, op->name, lacking);
    }
    if (!offered[0])
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler '%s' does not run %s operators; '%s' is one", p->scheduler->name,
                         kind_name(op->kind), op->name);
    return ordo_fail(ORDO_ERR_UNSOUND,
                     "scheduler '%s' does not offer sync '%s' for %s operators such as '%s'; it offers %s",
                     p->scheduler->name, name, kind_name(op->kind), op->name, offered);
}

/* "name=value", or "scheduler.name=value", which other schedulers pass over. */
static ordo_status apply_setting(const ordo_scheduler *s, const char *setting, double *tunable)
{
    const char *equals = strchr(setting, '=');
    if (!equals)
        return ordo_fail(ORDO_ERR_USAGE, "setting '%s', expected NAME=VALUE", setting);
    const char *name = setting;
    const char *dot = memchr(setting, '.', (size_t)(equals - setting));
    if (dot) {
        char scheduler[64];
        snprintf(scheduler, sizeof scheduler, "%.*s", (int)(dot - setting), setting);
        if (strcmp(scheduler, s->name) != 0)
            return ordo_scheduler_find(scheduler)
                       ? ORDO_OK
                       : ordo_fail(ORDO_ERR_UNKNOWN, "setting '%s': scheduler '%s' is unknown", setting, scheduler);
        name = dot + 1;
    }
    size_t length = (size_t)(equals - name);
    for (int i = 0; i < s->tunable_count; i++)
        if (strlen(s->tunables[i].name) == length && !memcmp(s->tunables[i].name, name, length))
            return ordo_tunable_parse(s->name, &s->tunables[i], equals + 1, &tunable[i]);
    return ordo_fail(ORDO_ERR_UNKNOWN, "scheduler '%s' has no tunable '%.*s' (see: ordo help %s)", s->name, (int)length,
                     name, s->name);
}

/* What the operator brings along for a GPU, or else what the back end has under its name: not for an operator that only
 * has the name of a registered one. */
static const ordo_instance *find_on(const ordo_backend *backend, const ordo_operator *op, const char *scheduler)
{
    const ordo_instance *own = ordo_instance_find(op, scheduler, ORDO_ON_CUDA);
    const ordo_operator *named = ordo_operator_find(op->name);
    return own || (named && named != op) ? own : backend->find(op->name, scheduler);
}

/* Where the run will be. "auto" is a GPU where one is found that has the instance, else the CPU. */
static ordo_status choose_instance(const ordo_operator *op, const char *device, plan *p)
{
    const char *scheduler = p->scheduler->name;
    p->backend = NULL;
    p->instance = ordo_instance_find(op, scheduler, ORDO_ON_CPU);
    const bool automatic = p->automatic = device && !strcmp(device, "auto");
    p->fallback[0] = 0;
    if (device && strcmp(device, "cpu") != 0) {
        const char *name = automatic ? "cuda" : device;
        const ordo_backend *backend;
        ordo_status status = ordo_backend_load(name, &backend);
        if (!status)
            status = backend->probe(p->device);
        const ordo_instance *found = status ? NULL : find_on(backend, op, scheduler);
        if (!status && !found)
            status = ordo_fail(ORDO_ERR_UNSOUND, "operator '%s' under scheduler '%s' was not compiled for device '%s'",
                               op->name, scheduler, name);
        else if (!status && found->syncs && !(found->syncs & 1u << p->sync))
            status = ordo_fail(ORDO_ERR_UNSOUND, "scheduler '%s' on device '%s' does not offer sync '%s'", scheduler,
                               name, ordo_sync_name(p->sync));
        if (status && !automatic)
            return status;
        if (status) {
            snprintf(p->fallback, sizeof p->fallback, "%s", ordo_last_error());
        } else {
            p->backend = backend;
            p->instance = found;
        }
    }
    if (!p->instance || !p->instance->run)
        return ordo_fail(ORDO_ERR_UNSOUND, "operator '%s' was not compiled for scheduler '%s'", op->name, scheduler);
    return ORDO_OK;
}

/* ---- the scheduler, where the caller leaves it to us ---- */

static ordo_status bad_initial(const ordo_work *work, ordo_u64 i)
{
    return ordo_fail(ORDO_ERR_USAGE, "operator '%s': initial item %u, expected less than %llu", work->op->name,
                     work->initial[i], (unsigned long long)work->universe);
}

static ordo_graph_kind kind_of(const ordo_csr *g)
{
    const ordo_vid step = g->n / 16384 + 1;
    const double mean = g->n ? (double)g->m / (double)g->n : 0;
    double squares = 0, taken = 0;
    for (ordo_u64 v = 0; v < g->n; v += step, taken++) {
        double degree = (double)(g->row[v + 1] - g->row[v]);
        squares += degree * degree;
    }
    /* the mean degree that a random edge begins at, over that of a random vertex: 1 where all are alike */
    if (squares > 3 * taken * mean * mean)
        return ORDO_GRAPH_HUBS;
    return mean < 4 ? ORDO_GRAPH_DEEP : ORDO_GRAPH_EVEN;
}

/* What was fastest for operators of its kind on such graphs, the best first (docs/performance.md): `list` of at most
 * CHOICES names, and why in words. Every operator runs under the last one or the one before. */
enum { CHOICES = 4 };
static void prefer(const ordo_work *work, bool gpu, const char *list[CHOICES], char *why, size_t room)
{
    static const char *const kinds[] = {"small degrees, long paths", "degrees about alike", "hubs"};
    const ordo_operator *op = work->op;
    const bool rows = op->kind == ORDO_KIND_RELAX && work->graph;
    const ordo_csr *g = rows ? ordo_graph_out(work->graph) : NULL;
    const double mean = g && g->n ? (double)g->m / (double)g->n : 0;
    const ordo_graph_kind kind = g ? kind_of(g) : ORDO_GRAPH_EVEN;
    const char *first = "bsp";
    if (rows && op->activates) {
        if (op->properties & ORDO_UNIFORM)
            first = kind == ORDO_GRAPH_HUBS ? "bsp" : gpu || kind == ORDO_GRAPH_DEEP ? "delta" : "bsp";
        else if (gpu)
            first = kind == ORDO_GRAPH_HUBS ? "adds" : kind == ORDO_GRAPH_EVEN && mean >= 8 ? "inbox" : "delta";
        else
            first = op->weight == ORDO_NONE ? "bsp" : "delta";
    }
    list[0] = first;
    list[1] = "delta";
    list[2] = "bsp";
    list[3] = "topology";
    if (g)
        snprintf(why, room, "%s, mean degree %.3g", kinds[kind], mean);
    else
        snprintf(why, room, "a %s operator", kind_name(op->kind));
}

/* How a critical operator's targets are kept apart, where the caller leaves it to us: by what was fastest for as many
 * (docs/performance.md, "Critical sections"). Servers, which combine where targets are very few, where no section needs
 * two targets at once, and few enough are asked for, or servers can keep the words of all: up to SERVED_ON_GPU targets
 * or SERVED_NEAR bytes, which is what an H100's hold; on the CPU up to SERVED_A_THREAD for each thread, from where on
 * locks are rarely contended. Sections that need two are served on a GPU alone, where one server has them all: up to
 * ISOLATED_ON_GPU. */
enum { SERVED_ON_GPU = 1 << 19, SERVED_NEAR = 1 << 24, ISOLATED_ON_GPU = 256, SERVED_A_THREAD = 32 };
static bool prefer_servers(const ordo_work *work, const ordo_survey *survey, bool gpu, int threads)
{
    const ordo_operator *op = work->op;
    const double one = gpu ? SERVED_ON_GPU : threads > 1 ? (double)SERVED_A_THREAD * threads : 0;
    const double two = gpu ? ISOLATED_ON_GPU : 0;
    const double bytes = op->owned_bytes ? (double)op->owned_bytes(work->state) * (double)work->targets : 0;
    const bool fit = gpu && bytes > 0 && bytes <= SERVED_NEAR;
    return survey->targets > 0 && (fit || survey->targets <= (op->apart ? one : two));
}

static ordo_status choose_named(const ordo_operator *op, const char *name, const char *sync, const char *device,
                                plan *p)
{
    p->scheduler = ordo_scheduler_find(name);
    if (!p->scheduler)
        return ordo_fail(ORDO_ERR_UNKNOWN, "scheduler '%s' is unknown (see: ordo schedulers)", name);
    ordo_status status = choose_sync(op, sync, p);
    return status ? status : choose_instance(op, device, p);
}

/* The same with a sync that is only preferred, or NULL. */
static ordo_status choose_preferred(const ordo_operator *op, const char *name, const char *sync, const char *device,
                                    plan *p)
{
    ordo_status status = choose_named(op, name, sync, device, p);
    return status == ORDO_ERR_UNSOUND && sync ? choose_named(op, name, NULL, device, p) : status;
}

/* The first that runs; where it can be on a GPU or not, the first that runs there. `sync`: asked for, or NULL; `survey`
 * where it is ours to choose. */
static ordo_status choose_free(const ordo_work *work, const ordo_options *options, const char *sync,
                               const ordo_survey *survey, plan *p)
{
    const char *list[CHOICES];
    ordo_status status = ORDO_OK;
    const bool cpu = !options->device || !strcmp(options->device, "cpu");
    const int threads = options->threads ? options->threads : ordo_cores();
    for (int gpu = !cpu; gpu >= 0; gpu--) {
        prefer(work, gpu, list, p->why, sizeof p->why);
        if (survey && work->op->kind == ORDO_KIND_CRITICAL) {
            const bool servers = prefer_servers(work, survey, gpu, threads);
            snprintf(p->why, sizeof p->why, "a critical operator, about %.3g targets asked for", survey->targets);
            list[0] = servers ? "lock_server" : list[0];
            sync = servers ? "server" : "lock";
        }
        for (int i = 0; i < CHOICES; i++) {
            status = survey ? choose_preferred(work->op, list[i], sync, options->device, p)
                            : choose_named(work->op, list[i], sync, options->device, p);
            if (!status && (!gpu || p->backend))
                return ORDO_OK;
            if (status && status != ORDO_ERR_UNSOUND)
                return status;
        }
        if (gpu && strcmp(options->device, "auto") != 0)
            break;
    }
    return status;
}

/* The sync of a scheduler that was named. */
static ordo_status choose_sync_of(const ordo_work *work, const ordo_options *options, const ordo_survey *survey,
                                  plan *p)
{
    const bool critical = work->op->kind == ORDO_KIND_CRITICAL;
    const bool gpu = options->device && strcmp(options->device, "cpu") != 0;
    const int threads = options->threads ? options->threads : ordo_cores();
    const char *sync = !critical ? NULL : prefer_servers(work, survey, gpu, threads) ? "server" : "lock";
    ordo_status status = choose_preferred(work->op, options->scheduler, sync, options->device, p);
    if (!status && critical)
        snprintf(p->why, sizeof p->why, "sync: about %.3g targets asked for", survey->targets);
    else if (!status)
        snprintf(p->why, sizeof p->why, "sync: a relax operator");
    return status;
}

static ordo_status choose_scheduler(const ordo_work *work, const ordo_options *options, plan *p)
{
    const bool any_sync = options->sync && !strcmp(options->sync, "auto");
    const bool any = options->scheduler ? !strcmp(options->scheduler, "auto") : any_sync;
    p->why[0] = 0;
    if (!any && !any_sync)
        return choose_named(work->op, options->scheduler ? options->scheduler : "delta", options->sync, options->device,
                            p);
    if (!any_sync)
        return choose_free(work, options, options->sync, NULL, p);
    ordo_survey survey;
    ordo_status status = ORDO_OK;
    if (!work->state && work->op->state > sizeof(ordo_no_state))
        return ordo_fail(ORDO_ERR_USAGE, "operator '%s' needs its state", work->op->name);
    for (ordo_u64 i = 0; work->initial && i < work->initial_count; i++)
        if (work->initial[i] >= work->universe)
            return bad_initial(work, i);
    status = ordo_survey_make(work->op, work->state, work->initial,
                              work->initial ? work->initial_count : work->universe, &survey);
    if (!status)
        status = any ? choose_free(work, options, NULL, &survey, p) : choose_sync_of(work, options, &survey, p);
    ordo_survey_free(&survey);
    return status;
}

static ordo_status make_plan(const ordo_work *work, const ordo_options *options, plan *p)
{
    ordo_status status = ordo_registry_check();
    if (status)
        return status;
    const ordo_operator *op = work->op;
    if (!op)
        return ordo_fail(ORDO_ERR_USAGE, "no operator given");
    if ((status = choose_scheduler(work, options, p)))
        return status;
    for (int i = 0; i < p->scheduler->tunable_count; i++)
        ordo_tunable_parse(p->scheduler->name, &p->scheduler->tunables[i], p->scheduler->tunables[i].initial,
                           &p->tunable[i]);
    for (size_t i = 0; i < options->setting_count; i++)
        if ((status = apply_setting(p->scheduler, options->settings[i], p->tunable)))
            return status;
    if (options->threads < 0 || options->threads > ORDO_MAX_THREADS)
        return ordo_fail(ORDO_ERR_USAGE, "%d threads asked for, 1 to %d are possible (0: one a core)", options->threads,
                         ORDO_MAX_THREADS);

    if (!(options->timeout >= 0) || isinf(options->timeout))
        return ordo_fail(ORDO_ERR_USAGE, "timeout %g, expected seconds that are finite and not negative (0: none)",
                         options->timeout);

    /* the work itself */
    if (op->kind == ORDO_KIND_RELAX) {
        if (!work->graph || (!work->cells && work->targets))
            return ordo_fail(ORDO_ERR_USAGE, "operator '%s' needs a graph and cells", op->name);
        const ordo_csr *csr = ordo_graph_out(work->graph);
        if (work->universe > csr->n || (op->activates && work->targets != csr->n))
            return ordo_fail(ORDO_ERR_USAGE, "operator '%s': %llu items and %llu cells on a graph of %u vertices",
                             op->name, (unsigned long long)work->universe, (unsigned long long)work->targets, csr->n);
        if (op->weight != ORDO_NONE && csr->weight_type != ORDO_NONE && csr->weight_type != op->weight)
            return ordo_fail(ORDO_ERR_USAGE, "operator '%s': the graph's weights are of another type", op->name);
    }
    if (!work->state && op->state > sizeof(ordo_no_state))
        return ordo_fail(ORDO_ERR_USAGE, "operator '%s' needs its state", op->name);
    if (work->universe > ORDO_MAX_VERTICES || work->targets > ORDO_MAX_VERTICES)
        return ordo_fail(ORDO_ERR_USAGE, "operator '%s': more than %llu items or targets", op->name,
                         (unsigned long long)ORDO_MAX_VERTICES);
    for (ordo_u64 i = 0; work->initial && i < work->initial_count; i++)
        if (work->initial[i] >= work->universe)
            return bad_initial(work, i);
    return ORDO_OK;
}

static const ordo_options no_options;

ordo_status ordo_run_check(const ordo_work *work, const ordo_options *options)
{
    plan p;
    return make_plan(work, options ? options : &no_options, &p);
}

ordo_status ordo_run_memory(const ordo_work *work, const ordo_options *options, ordo_u64 *expected, ordo_u64 *at_most)
{
    plan p;
    options = options ? options : &no_options;
    ordo_status status = make_plan(work, options, &p);
    if (status)
        return status;
    int threads = options->threads ? options->threads : ordo_cores();
    ordo_u64 m = work->graph ? ordo_graph_out(work->graph)->m : work->universe;
    p.scheduler->memory(work->universe, m, threads, work->op->entry, p.tunable, expected, at_most);
    ordo_u64 fixed = (ordo_u64)threads * sizeof(ordo_counters) + ORDO_TRACE_MAX * sizeof(ordo_sample);
    if (p.sync == ORDO_SYNC_LOCK)
        fixed += work->targets < (1u << 20) ? 2 * work->targets : 1u << 20;
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

/* Mean weight and degree from an evenly spaced sample: the same for the same graph. */
static void look_at_graph(ordo_job *job)
{
    const ordo_csr *g = job->out;
    job->mean_weight = 1;
    job->mean_degree = g->n ? (double)g->m / (double)g->n : 0;
    if (!g->weight || !g->m)
        return;
    ordo_u64 step = g->m / 4096 + 1, taken = 0;
    double sum = 0;
    for (ordo_eid e = 0; e < g->m; e += step, taken++) {
        const char *word = (const char *)g->weight + e * g->stride * sizeof(ordo_u32);
        if (g->weight_type == ORDO_F32)
            sum += (double)*(const ordo_f32 *)(const void *)word;
        else if (g->weight_type == ORDO_I32)
            sum += *(const ordo_i32 *)(const void *)word;
        else
            sum += *(const ordo_u32 *)(const void *)word;
    }
    job->mean_weight = sum / (double)taken;
}

ordo_graph_kind ordo_job_graph_kind(const ordo_job *job)
{
    return kind_of(job->out);
}

/* Another thread may set the flag meanwhile. */
static bool cancelled(const ordo_options *options)
{
    return options->cancel && __atomic_load_n(options->cancel, __ATOMIC_RELAXED);
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

static void fill_stats(const ordo_job *job, const plan *p, double seconds, ordo_u64 peak, ordo_stats *stats)
{
    *stats = (ordo_stats){
        .op = job->op->name,
        .scheduler = p->scheduler->name,
        .sync = ordo_sync_name(p->sync),
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
    for (int t = 0; t < job->threads; t++) {
        stats->items += job->counters[t].items;
        stats->edges += job->counters[t].edges;
        stats->useful += job->counters[t].useful;
        stats->stale += job->counters[t].stale;
        stats->activations += job->counters[t].activations;
        stats->work_seconds += job->counters[t].work_seconds;
    }
    /* Where improvements activate, each became an entry that was processed or found stale; see OP(expand). */
    if (job->op->kind == ORDO_KIND_RELAX && job->op->activates && !p->scheduler->all_items) {
        ordo_u64 taken = stats->items + stats->stale;
        stats->useful = stats->activations = taken > job->initial_count ? taken - job->initial_count : 0;
    }
}

static ordo_status run_plan(const ordo_work *work, const ordo_options *options, const plan *p, ordo_stats *stats)
{
    static const ordo_csr no_rows;
    static const ordo_u64 no_state[8];
    ordo_memory_reset_peak();
    ordo_job_private own = {.graph = work->graph,
                            .options = options,
                            .scheduler = p->scheduler->name,
                            .trace_step = 1,
                            .lock = PTHREAD_MUTEX_INITIALIZER};
    ordo_job job = {
        .op = work->op,
        .out = work->graph ? ordo_graph_out(work->graph) : &no_rows,
        .cells = work->cells,
        .state = work->state ? work->state : no_state,
        .initial = work->initial,
        .initial_count = work->initial ? work->initial_count : work->universe,
        .universe = work->universe,
        .targets = work->targets,
        .sync = p->sync,
        .tunable = p->tunable,
        .own = &own,
    };
    look_at_graph(&job);
    ordo_status status = ordo_team_lease(p->backend ? 1 : options->threads, &job.team);
    if (status)
        return status;
    job.threads = ordo_team_size(job.team);
    job.counters = ordo_alloc_zero((size_t)job.threads, sizeof(ordo_counters));
    own.trace = ordo_alloc(ORDO_TRACE_MAX, sizeof(ordo_sample));
    status = job.counters && own.trace ? make_locks(&job) : ORDO_ERR_MEMORY;
    if (!status) {
        clock_gettime(CLOCK_MONOTONIC, &own.start);
        status =
            cancelled(options) ? ordo_fail(ORDO_ERR_CANCELLED, "cancelled before it began") : p->instance->run(&job);
        double seconds = since(&own.start);
        if (own.failure)
            status = ordo_fail(own.failure, "%s", own.sentence);
        if (stats && (!status || status == ORDO_ERR_CANCELLED || status == ORDO_ERR_TIMEOUT)) {
            fill_stats(&job, p, seconds, ordo_memory_peak(), stats);
            own.trace = NULL; /* the caller's now */
        }
    }
    ordo_free(own.trace);
    ordo_free(job.locks.lock);
    ordo_free(job.counters);
    ordo_team_return(job.team);
    return status;
}

ordo_status ordo_run(const ordo_work *work, const ordo_options *options, ordo_stats *stats)
{
    plan p;
    options = options ? options : &no_options;
    ordo_status status = make_plan(work, options, &p);
    if (status)
        return status;
    status = run_plan(work, options, &p, stats);
    const ordo_instance *on_cpu = ordo_instance_find(work->op, p.scheduler->name, ORDO_ON_CPU);
    if (status == ORDO_ERR_MEMORY && p.automatic && p.backend && on_cpu && on_cpu->run) { /* the cells are unharmed */
        p.backend = NULL;
        p.instance = on_cpu;
        snprintf(p.fallback, sizeof p.fallback, "%s", ordo_last_error());
        status = run_plan(work, options, &p, stats);
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

/* Seconds of the run alone: what is done once a graph and transfer do not count. */
static double run_seconds(const ordo_job *job)
{
    return ordo_job_seconds(job) - job->own->prepare_seconds - job->own->transfer_seconds;
}

void ordo_job_poll(ordo_job *job, ordo_u64 in_flight)
{
    const ordo_options *options = job->own->options;
    if (cancelled(options) && !ordo_job_stopped(job)) {
        ordo_fail(ORDO_ERR_CANCELLED, "cancelled after %.3f s", ordo_job_seconds(job));
        ordo_job_fail(job, ORDO_ERR_CANCELLED);
    }
    if (options->timeout > 0 && !ordo_job_stopped(job) && run_seconds(job) >= options->timeout) {
        ordo_fail(ORDO_ERR_TIMEOUT, "%s under '%s' did not end within %g s: superstep %llu, %llu items in flight",
                  job->op->name, job->own->scheduler, options->timeout, (unsigned long long)job->supersteps,
                  (unsigned long long)in_flight);
        ordo_job_fail(job, ORDO_ERR_TIMEOUT);
    }
    if (!options->progress)
        return;
    double now = ordo_job_seconds(job);
    if (now - job->own->last_progress < 0.1)
        return;
    job->own->last_progress = now;
    ordo_progress progress = {
        .scheduler = job->own->scheduler, .seconds = now, .supersteps = job->supersteps, .in_flight = in_flight};
    for (int t = 0; t < job->threads; t++)
        progress.items += __atomic_load_n(&job->counters[t].items, __ATOMIC_RELAXED);
    options->progress(options->progress_arg, &progress);
}

void ordo_job_sample_at(ordo_job *job, double seconds, ordo_u64 in_flight, ordo_u64 bucket, double delta,
                        ordo_u32 concurrent, float utilisation)
{
    ordo_job_private *own = job->own;
    if (++own->trace_skipped < own->trace_step)
        return;
    own->trace_skipped = 0;
    if (own->trace_count == ORDO_TRACE_MAX) { /* every second one goes, and from now on every second one comes */
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
    if (own->trace_skipped + 1 < own->trace_step) { /* no clock is read for what is left out */
        own->trace_skipped++;
        return;
    }
    ordo_job_sample_at(job, ordo_job_seconds(job), in_flight, bucket, delta, concurrent, utilisation);
}

const ordo_graph *ordo_job_graph(const ordo_job *job)
{
    return job->own->graph;
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

void ordo_job_set_run(ordo_job *job, double seconds)
{
    job->own->run_seconds += seconds;
}

ordo_status ordo_job_need_in(ordo_job *job)
{
    double before = ordo_job_seconds(job);
    ordo_status status = ordo_graph_in(job->own->graph, job->threads, &job->in);
    job->own->prepare_seconds += ordo_job_seconds(job) - before;
    return status;
}

ordo_status ordo_job_need_partition(ordo_job *job, ordo_u32 parts, const ordo_u32 **part)
{
    if (!job->own->graph || job->targets != job->out->n || (job->op->kind == ORDO_KIND_RELAX && !job->op->activates))
        return ordo_fail(
            ORDO_ERR_USAGE,
            "operator '%s': its %llu targets are not the vertices of a graph, which is what a partition is of",
            job->op->name, (unsigned long long)job->targets);
    double before = ordo_job_seconds(job);
    ordo_status status = ordo_graph_partition(job->own->graph, parts, job->threads, part);
    job->own->prepare_seconds += ordo_job_seconds(job) - before;
    return status;
}

void ordo_job_book(ordo_job *job, long long bytes)
{
    ordo_job_private *own = job->own;
    ordo_u64 now = __atomic_add_fetch(&own->worklist_bytes, (ordo_u64)bytes, __ATOMIC_RELAXED);
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
    if (job->op->cell != ORDO_F32 && delta < 1)
        return 1;
    return delta > 0 && isfinite(delta) ? delta : 1;
}

bool ordo_bin_reserve(ordo_job *job, ordo_bin *bin, ordo_u64 room, size_t size)
{
    if (room <= bin->room)
        return true;
    void *data = ordo_realloc(bin->data, room, size);
    if (!data) {
        ordo_job_fail(job, ORDO_ERR_MEMORY);
        return false;
    }
    ordo_job_book(job, (long long)((room - bin->room) * size));
    bin->data = data;
    bin->room = room;
    return true;
}

bool ordo_bin_grow(ordo_job *job, ordo_bin *bin, size_t size)
{
    return ordo_bin_reserve(job, bin, bin->room ? 2 * bin->room : 64, size);
}

void ordo_bin_free(ordo_job *job, ordo_bin *bin, size_t size)
{
    ordo_job_book(job, -(long long)(bin->room * size));
    ordo_free(bin->data);
    *bin = (ordo_bin){0};
}
