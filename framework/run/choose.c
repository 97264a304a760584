/* choose.c -- chooses scheduler, sync, device and tunables of a run, from the options, the operator and the graph.
 *
 * Problem: callers may name any of these, and what they name must be used or refused by name. Which scheduler is
 * fastest depends on operator, graph and device; only the schedulers can predict it.
 *
 * Method: the pairs of scheduler and sync that the options leave open, and that are sound for the operator, are
 * candidates. Their schedulers predict a cost from the facts of the run (ordo_scheduler.suit). In ascending order of
 * cost each is tried: whether it has the tunables that are set, runs on the device, and allows what they ask for. The
 * first that passes is chosen. If a GPU is preferred and not required, all are tried there before any is tried on the
 * CPU.
 *
 * This file names no scheduler, so a scheduler compiled out of tree is treated like the others.
 */
#include "framework/graph/graph.h"
#include "framework/graph/levels.h"
#include "number.h"
#include "plan.h"

#include <stdio.h>
#include <string.h>

#include "distributed.h"
#include "registry.h"
#include "session.h"

static const char *const sync_names[ORDO_SYNCS] = {"default", "atomic", "racy", "lock", "owner", "server", "race"};

const char *ordo_sync_name(ordo_sync sync)
{
    return (int)sync >= 0 && (int)sync < ORDO_SYNCS ? sync_names[sync] : "?";
}

const char *ordo_kind_name(int kind)
{
    return kind == ORDO_KIND_RELAX ? "relax" : kind == ORDO_KIND_GATHER ? "gather" : "critical";
}

void ordo_property_names(unsigned properties, char *out, size_t capacity)
{
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {{ORDO_MONOTONE, "monotone"},        {ORDO_IDEMPOTENT, "idempotent"},
                 {ORDO_ASSOCIATIVE, "associative"},  {ORDO_UNIFORM, "uniform"},
                 {ORDO_EDGE_BLIND, "edge-blind"},    {ORDO_SELECTIVE, "selective"},
                 {ORDO_TWO_TARGETS, "two-target"},   {ORDO_IN_PLACE, "in-place"},
                 {ORDO_RESIDUAL, "residual-driven"}, {ORDO_BOTH_DIRECTIONS, "for symmetric graphs"},
                 {ORDO_GROWING, "growing"},          {ORDO_BY_WEIGHT, "by-weight"}};
    out[0] = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (properties & names[i].bit)
            snprintf(out + strlen(out), capacity - strlen(out), "%s%s", out[0] ? ", " : "", names[i].name);
}

static bool is(const char *word, const char *name)
{
    return word && !strcmp(word, name);
}

/* ---- what items are ---- */

const char *ordo_item_name(int item)
{
    return item == ORDO_ITEMS_VERTICES ? "vertices" : item == ORDO_ITEMS_EDGES ? "edges" : NULL;
}

/* The items asked for, or vertices before edges. */
static ordo_status choose_items(const ordo_operator *op, const char *asked, int *out)
{
    const int first = op->items & ORDO_ITEMS_VERTICES ? ORDO_ITEMS_VERTICES : op->items;
    const int item = !asked ? first : is(asked, "vertices") ? ORDO_ITEMS_VERTICES : ORDO_ITEMS_EDGES;
    if (asked && !is(asked, ordo_item_name(item)))
        return ordo_fail(ORDO_ERR_UNKNOWN, "items '%s' are unknown, expected vertices or edges", asked);
    if (asked && !(op->items & item))
        return ordo_fail(ORDO_ERR_UNSOUND, "operator '%s' has no items that are %s: its items are %s", op->name, asked,
                         op->items ? ordo_item_name(first) : "what its app says");
    *out = op->kind == ORDO_KIND_RELAX ? item : 0;
    return ORDO_OK;
}

/* Writes the schedulers that have something on a device, "topology, bsp", to out[capacity]; "none" where there is none.
 * `has`: where a descriptor says so. */
static void name_schedulers(unsigned device, size_t has, char *out, size_t capacity)
{
    const ordo_scheduler *all[ORDO_MOST_SCHEDULERS];
    const size_t count = ordo_schedulers(all, ORDO_MOST_SCHEDULERS);
    out[0] = 0;
    for (size_t i = 0; i < count && i < ORDO_MOST_SCHEDULERS; i++)
        if (*(const unsigned *)(const void *)((const char *)all[i] + has) & 1u << device)
            snprintf(out + strlen(out), capacity - strlen(out), "%s%s", out[0] ? ", " : "", all[i]->name);
    if (!out[0])
        snprintf(out, capacity, "none");
}

/* Whether the scheduler runs operators that add edges and items, if this one does. */
static ordo_status check_growing(const ordo_operator *op, unsigned device, const ordo_plan *p)
{
    char others[128];
    if (!(op->properties & ORDO_GROWING) || p->scheduler->growing & 1u << device)
        return ORDO_OK;
    name_schedulers(device, offsetof(ordo_scheduler, growing), others, sizeof others);
    return ordo_fail(ORDO_ERR_UNSOUND,
                     "scheduler '%s' on device '%s' does not run '%s', which makes new edges or items: not built; "
                     "such operators run there under: %s",
                     p->scheduler->name, device == ORDO_ON_CPU ? "cpu" : "cuda", op->name, others);
}

/* Whether the scheduler has these items on a device, and runs operators that grow. */
static ordo_status check_item(const ordo_operator *op, unsigned device, const ordo_plan *p)
{
    char others[128];
    const ordo_status grows = check_growing(op, device, p);
    if (grows || p->item != ORDO_ITEMS_EDGES || p->scheduler->edge_items & 1u << device)
        return grows;
    name_schedulers(device, offsetof(ordo_scheduler, edge_items), others, sizeof others);
    return ordo_fail(ORDO_ERR_UNSOUND,
                     "scheduler '%s' on device '%s' does not run '%s' with edges as items: its worklist there holds "
                     "vertices and their cells; with edges: %s",
                     p->scheduler->name, device == ORDO_ON_CPU ? "cpu" : "cuda", op->name, others);
}

/* ---- the sync of a scheduler ---- */

static ordo_status find_sync(const char *name, ordo_sync *out)
{
    for (int i = 1; i < ORDO_SYNCS; i++)
        if (!strcmp(sync_names[i], name)) {
            *out = (ordo_sync)i;
            return ORDO_OK;
        }
    return ordo_fail(ORDO_ERR_UNKNOWN, "sync '%s' is unknown, expected auto, atomic, racy, lock, owner, server or race",
                     name);
}

static bool is_sound(const ordo_pairing *pair, const ordo_operator *op)
{
    return pair->kind == op->kind && !(pair->needs & ~op->properties);
}

/* The sync asked for, or the first that is sound and in `syncs`, bits 1 << ORDO_SYNC_...; 0: all are. */
static ordo_status choose_sync(const ordo_operator *op, const ordo_scheduler *s, ordo_sync asked, unsigned syncs,
                               ordo_sync *out)
{
    char offered[128] = "";
    const ordo_pairing *unsound = NULL; /* the first */
    for (const ordo_pairing *pair = s->pairings; pair->kind; pair++) {
        if (pair->kind != op->kind || (syncs && !(syncs & 1u << pair->sync)))
            continue;
        if (asked == ORDO_SYNC_DEFAULT || asked == pair->sync) {
            if (is_sound(pair, op)) {
                *out = pair->sync;
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
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler '%s' with sync '%s' needs %s %s operator; '%s' is not %s",
                         s->name, ordo_sync_name(unsound->sync), strchr("aeiou", needs[0]) ? "an" : "a", needs,
                         op->name, lacking);
    }
    if (!offered[0])
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler '%s' does not run %s operators; '%s' is one", s->name,
                         ordo_kind_name(op->kind), op->name);
    return ordo_fail(ORDO_ERR_UNSOUND,
                     "scheduler '%s' does not offer sync '%s' for %s operators such as '%s'; it offers %s", s->name,
                     ordo_sync_name(asked), ordo_kind_name(op->kind), op->name, offered);
}

/* ---- tunables ---- */

/* The parts of "name=value" and "scheduler.name=value". */
typedef struct setting {
    char scheduler[64]; /* "": no scheduler is named */
    const char *name, *value;
    size_t length; /* length of the name */
} setting;

static ordo_status read_setting(const char *text, setting *out)
{
    const char *equals = strchr(text, '=');
    if (!equals)
        return ordo_fail(ORDO_ERR_USAGE, "setting '%s', expected NAME=VALUE", text);
    const char *dot = memchr(text, '.', (size_t)(equals - text));
    *out = (setting){.name = dot ? dot + 1 : text, .value = equals + 1};
    out->length = (size_t)(equals - out->name);
    if (dot)
        snprintf(out->scheduler, sizeof out->scheduler, "%.*s", (int)(dot - text), text);
    return ORDO_OK;
}

/* The index among the scheduler's rows from `begin` to `end`, or -1. */
static int find_row(const ordo_scheduler *s, int begin, int end, const setting *set)
{
    for (int i = begin; i < end; i++)
        if (strlen(s->tunables[i].name) == set->length && !memcmp(s->tunables[i].name, set->name, set->length))
            return i;
    return -1;
}

/* The index of the scheduler's tunable, or -1. */
static int find_tunable(const ordo_scheduler *s, const setting *set)
{
    return find_row(s, 0, s->tunable_count, set);
}

static ordo_status no_tunable(const ordo_scheduler *s, const setting *set)
{
    const bool constant = find_row(s, s->tunable_count, s->tunable_count + s->constant_count, set) >= 0;
    return ordo_fail(ORDO_ERR_UNKNOWN, "scheduler '%s' has no tunable '%.*s' (%s%s)", s->name, (int)set->length,
                     set->name, constant ? "a constant; a build with -Dablation=true takes it" : "see: ordo help ",
                     constant ? "" : s->name);
}

/* Applies a setting; ignores settings of other schedulers. */
static ordo_status apply_setting(const ordo_scheduler *s, const char *text, double *tunable)
{
    setting set;
    ordo_status status = read_setting(text, &set);
    if (status)
        return status;
    if (set.scheduler[0] && strcmp(set.scheduler, s->name) != 0)
        return ordo_scheduler_find(set.scheduler)
                   ? ORDO_OK
                   : ordo_fail(ORDO_ERR_UNKNOWN, "setting '%s': scheduler '%s' is unknown", text, set.scheduler);
    const int i = find_tunable(s, &set);
    if (i < 0)
        return no_tunable(s, &set);
    return ordo_tunable_parse(s->name, &s->tunables[i], set.value, &tunable[i]);
}

static ordo_status set_tunables(const ordo_operator *op, const ordo_options *options, ordo_plan *p)
{
    const ordo_scheduler *s = p->scheduler;
    ordo_status status = ORDO_OK;
    for (int i = 0; i < s->tunable_count + s->constant_count && !status; i++)
        status = ordo_tunable_parse(s->name, &s->tunables[i], s->tunables[i].initial, &p->tunable[i]);
    for (size_t i = 0; i < options->setting_count && !status; i++)
        status = apply_setting(s, options->settings[i], p->tunable);
    return status || !s->check ? status : s->check(op, p->item, p->tunable);
}

/* If no scheduler is named: a setting that names a scheduler must be valid for that one, any other for at least one. */
static ordo_status check_settings(const ordo_options *options)
{
    for (size_t i = 0; i < options->setting_count; i++) {
        const ordo_scheduler *all[ORDO_MOST_SCHEDULERS];
        const size_t count = ordo_schedulers(all, ORDO_MOST_SCHEDULERS);
        double ignored[ORDO_MAX_TUNABLES];
        bool found = false;
        setting set;
        ordo_status status = read_setting(options->settings[i], &set);
        if (status)
            return status;
        const ordo_scheduler *named = set.scheduler[0] ? ordo_scheduler_find(set.scheduler) : NULL;
        if (set.scheduler[0] && (status = apply_setting(named ? named : all[0], options->settings[i], ignored)))
            return status;
        for (size_t k = 0; k < count && !named && !found; k++)
            found = find_tunable(all[k], &set) >= 0;
        if (!named && !found)
            return ordo_fail(ORDO_ERR_UNKNOWN, "setting '%s': no scheduler has a tunable '%.*s'", options->settings[i],
                             (int)set.length, set.name);
    }
    return ORDO_OK;
}

/* ---- devices ---- */

const ordo_instance *ordo_instance_on_gpu(const ordo_backend *backend, const ordo_operator *op, const char *scheduler)
{
    const ordo_instance *own = ordo_instance_find(op, scheduler, ORDO_ON_CUDA);
    const ordo_operator *named = ordo_operator_find(op->name);
    return own || (named && named != op) ? own : backend->find(op->name, scheduler);
}

static ordo_status load_backend(const char *name, ordo_plan *p, const ordo_backend **out)
{
    ordo_status status = ordo_backend_load(name, out);
    return status ? status : (*out)->probe(p->device);
}

static ordo_status place_on_backend(const ordo_operator *op, const ordo_backend *backend, ordo_plan *p)
{
    const char *scheduler = p->scheduler->name;
    ordo_status status = check_item(op, ORDO_ON_CUDA, p);
    if (status)
        return status;
    const ordo_instance *found = ordo_instance_on_gpu(backend, op, scheduler);
    if (!found && (status = ordo_instance_provide(op, scheduler, ORDO_ON_CUDA, &found)))
        return status;
    if (!found)
        return ordo_fail(ORDO_ERR_UNSOUND, "operator '%s' under scheduler '%s' was not compiled for device '%s'",
                         op->name, scheduler, backend->name);
    if (!found->run && op->cell == ORDO_STRUCT16)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "operator '%s' has cells of 16 bytes, scheduler '%s' on device '%s' takes at most 8", op->name,
                         scheduler, backend->name);
    if (found->syncs && !(found->syncs & 1u << p->sync))
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler '%s' on device '%s' does not offer sync '%s'", scheduler,
                         backend->name, ordo_sync_name(p->sync));
    p->backend = backend;
    p->instance = found;
    return ORDO_OK;
}

/* Where the caller leaves the sync to the scheduler, the instance may not have the first one. */
static ordo_status check_cpu_sync(const ordo_operator *op, const ordo_options *options, ordo_plan *p)
{
    const unsigned syncs = p->instance->syncs;
    if (!syncs || syncs & 1u << p->sync)
        return ORDO_OK;
    if (!options->sync)
        return choose_sync(op, p->scheduler, ORDO_SYNC_DEFAULT, syncs, &p->sync);
    return op->cell == ORDO_STRUCT16
               ? ordo_fail(ORDO_ERR_UNSOUND,
                           "operator '%s' has cells of 16 bytes, and this processor no compare-and-swap of 16 bytes, "
                           "which sync '%s' needs: expected lock or server",
                           op->name, ordo_sync_name(p->sync))
               : ordo_fail(ORDO_ERR_UNSOUND, "scheduler '%s' on device 'cpu' does not offer sync '%s' for '%s'",
                           p->scheduler->name, ordo_sync_name(p->sync), op->name);
}

static ordo_status place_on_cpu(const ordo_operator *op, const ordo_options *options, ordo_plan *p)
{
    ordo_status status = check_item(op, ORDO_ON_CPU, p);
    p->backend = NULL;
    if (status)
        return status;
    p->instance = ordo_instance_find(op, p->scheduler->name, ORDO_ON_CPU);
    if (!p->instance && (status = ordo_instance_provide(op, p->scheduler->name, ORDO_ON_CPU, &p->instance)))
        return status;
    return p->instance && p->instance->run
               ? check_cpu_sync(op, options, p)
               : ordo_fail(ORDO_ERR_UNSOUND, "operator '%s' was not compiled for scheduler '%s'", op->name,
                           p->scheduler->name);
}

/* Chooses the device when scheduler and sync are chosen. "auto": a GPU if there is one and the back end has the
 * instance, else the CPU. */
static ordo_status place(const ordo_operator *op, const ordo_options *options, ordo_plan *p)
{
    const char *device = options->device;
    if (!device || is(device, "cpu"))
        return place_on_cpu(op, options, p);
    const ordo_backend *backend;
    ordo_status status = load_backend(p->automatic ? "cuda" : device, p, &backend);
    if (!status)
        status = place_on_backend(op, backend, p);
    if (!status || !p->automatic)
        return status;
    snprintf(p->fallback, sizeof p->fallback, "%s", ordo_last_error());
    return place_on_cpu(op, options, p);
}

/* ---- the situation of a run ---- */

ordo_status ordo_check_initial(const ordo_work *work)
{
    for (ordo_u64 i = 0; work->initial && i < work->initial_count; i++)
        if (work->initial[i] >= work->num_items)
            return ordo_fail(ORDO_ERR_USAGE, "operator '%s': initial item %u, expected less than %llu", work->op->name,
                             work->initial[i], (unsigned long long)work->num_items);
    return ORDO_OK;
}

ordo_graph_kind ordo_graph_kind_of(const ordo_csr *g)
{
    const ordo_vid step = g->n / 16384 + 1;
    const double mean = g->n ? (double)g->m / (double)g->n : 0;
    double squares = 0, taken = 0;
    for (ordo_u64 v = 0; v < g->n; v += step, taken++) {
        double degree = (double)(g->row[v + 1] - g->row[v]);
        squares += degree * degree;
    }
    /* the mean degree of a random edge's tail over that of a random vertex: 1 if all degrees are equal */
    if (squares > 3 * taken * mean * mean)
        return ORDO_GRAPH_HUBS;
    return mean < 4 ? ORDO_GRAPH_DEEP : ORDO_GRAPH_EVEN;
}

/* Whether rows by weight fit into memory, and for a directed graph its in-rows. */
static bool rows_fit(const ordo_graph *g)
{
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u64 bytes = rows->m * sizeof(ordo_vid) * ordo_edge_words(rows->weight_type) + rows->n * sizeof(ordo_eid);
    return ordo_memory_fits(ordo_graph_symmetric(g) ? bytes : 3 * bytes);
}

/* Describes the run. `sample`: takes a sample of a critical operator's requests, unless its arrays are in a session on
 * a device, where the host cannot read them. */
static ordo_status look(const ordo_work *work, const ordo_options *options, int item, bool sample, ordo_situation *s)
{
    const ordo_operator *op = work->op;
    const ordo_csr *rows = op->kind != ORDO_KIND_CRITICAL && work->graph ? ordo_graph_out(work->graph) : NULL;
    *s = (ordo_situation){.op = op,
                          .has_rows = rows != NULL,
                          .items = work->num_items,
                          .targets = work->targets,
                          .nearly_done = work->nearly_done,
                          .item = item,
                          .threads = options->threads ? options->threads : ordo_cores(),
                          .runs = options->repeats > 1 ? options->repeats : 1};
    if (rows) {
        s->graph_kind = ordo_graph_kind_of(rows);
        s->mean_degree = rows->n ? (double)rows->m / (double)rows->n : 0;
        s->vertices = rows->n;
        s->edges = rows->m;
        s->symmetric = ordo_graph_symmetric(work->graph);
        s->by_weight = ordo_graph_has_by_weight(work->graph);
        if (s->runs > 1 && !rows_fit(work->graph))
            s->runs = 1;
        if (s->graph_kind == ORDO_GRAPH_EVEN)
            s->levels = ordo_graph_levels(work->graph);
    }
    if (!sample)
        return ORDO_OK;
    if (!work->state && op->state > sizeof(ordo_no_state))
        return ordo_fail(ORDO_ERR_USAGE, "operator '%s' needs its state", op->name);
    if (op->owned_bytes)
        s->owned_bytes = (double)op->owned_bytes(work->state) * (double)work->targets;
    if (work->session && ordo_session_is_apart(work->session))
        return ORDO_OK;
    ordo_contention_sample seen;
    ordo_status status = ordo_check_initial(work);
    if (!status)
        status = ordo_contention_sample_make(op, work->state, work->initial,
                                             work->initial ? work->initial_count : work->num_items, &seen);
    if (status)
        return status;
    s->hot_targets = seen.targets;
    ordo_contention_sample_free(&seen);
    return ORDO_OK;
}

/* "hubs, mean degree 16" */
static void describe(const ordo_situation *s, char *out, size_t capacity)
{
    static const char *const kinds[ORDO_GRAPH_KINDS] = {"small degrees, long paths", "degrees about alike", "hubs"};
    if (s->has_rows && s->levels > 0)
        ordo_format(out, capacity, "%s, mean degree %.3g, about %.0f levels", kinds[s->graph_kind], s->mean_degree,
                    s->levels);
    else if (s->has_rows)
        ordo_format(out, capacity, "%s, mean degree %.3g", kinds[s->graph_kind], s->mean_degree);
    else if (s->hot_targets > 0)
        ordo_format(out, capacity, "a critical operator, about %.3g targets asked for", s->hot_targets);
    else
        snprintf(out, capacity, "a %s operator", ordo_kind_name(s->op->kind));
}

/* ---- candidates ---- */

enum { CANDIDATES = ORDO_MOST_SCHEDULERS * (ORDO_SYNCS - 1) };

typedef struct candidate {
    const ordo_scheduler *scheduler;
    ordo_sync sync;
    ordo_fit fit;
} candidate;

/* The choices that the options leave open. */
typedef struct range {
    const ordo_scheduler *const *scheduler; /* [count] */
    size_t count;
    bool any_scheduler, any_sync;
    ordo_sync sync; /* the sync asked for; ORDO_SYNC_DEFAULT: each scheduler's first sound one, or any */
} range;

static candidate predict(const ordo_situation *s, const ordo_scheduler *scheduler, ordo_sync sync)
{
    candidate c = {scheduler, sync, {0, NULL}};
    if (scheduler->suit)
        scheduler->suit(s, sync, &c.fit);
    if (!(c.fit.cost > 0)) /* it has not given a valid cost */
        c.fit = (ordo_fit){__builtin_huge_val(), "no other scheduler can run it"};
    return c;
}

/* Sorts the candidates by ascending cost; those of equal cost in the order in which schedulers and pairings are listed.
 */
static size_t rank(const ordo_situation *s, const range *r, candidate list[CANDIDATES])
{
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++) {
        bool taken = false;
        for (const ordo_pairing *pair = r->scheduler[i]->pairings; pair->kind && count < CANDIDATES; pair++) {
            const bool wanted = r->any_sync || (r->sync ? pair->sync == r->sync : !taken);
            if (!wanted || !is_sound(pair, s->op))
                continue;
            taken = true;
            const candidate c = predict(s, r->scheduler[i], pair->sync);
            size_t at = count++;
            for (; at > 0 && list[at - 1].fit.cost > c.fit.cost; at--)
                list[at] = list[at - 1];
            list[at] = c;
        }
    }
    return count;
}

/* The reason why no candidate can run: the error of the one that passed the most checks. */
typedef struct refusal {
    int steps;
    ordo_status status;
    char sentence[512];
} refusal;
enum { NOT_OFFERED, UNSOUND, LACKS_TUNABLE, NOT_THERE, REFUSES_SETTING };

static void note(refusal *r, int steps, ordo_status status)
{
    if (r->status && steps <= r->steps)
        return;
    *r = (refusal){.steps = steps, .status = status};
    snprintf(r->sentence, sizeof r->sentence, "%s", ordo_last_error());
}

/* Whether a candidate can run, on the back end or, if that is NULL, on the CPU. */
static ordo_status try_candidate(const ordo_operator *op, const candidate *c, const ordo_backend *backend,
                                 const ordo_options *options, ordo_plan *p, refusal *why_not)
{
    int steps = LACKS_TUNABLE;
    ordo_status status = ORDO_OK;
    p->scheduler = c->scheduler;
    p->sync = c->sync;
    for (size_t i = 0; i < options->setting_count && !status; i++) {
        setting set;
        status = read_setting(options->settings[i], &set);
        if (!status && !set.scheduler[0] && find_tunable(c->scheduler, &set) < 0)
            status = apply_setting(c->scheduler, options->settings[i], p->tunable); /* which says so */
    }
    if (!status) {
        steps = NOT_THERE;
        status = backend ? place_on_backend(op, backend, p) : place_on_cpu(op, options, p);
        if (!status && options->group)
            status = ordo_group_allows(options->group, op, p);
    }
    if (!status) {
        steps = REFUSES_SETTING;
        status = set_tunables(op, options, p);
    }
    if (status)
        note(why_not, steps, status);
    return status;
}

/* The first candidate that can run on a device. */
static ordo_status choose_on(const ordo_operator *op, const ordo_situation *s, const range *r,
                             const ordo_backend *backend, const ordo_options *options, ordo_plan *p)
{
    candidate list[CANDIDATES];
    const size_t count = rank(s, r, list);
    refusal why_not = {.status = ORDO_OK};
    for (size_t i = 0; i < count; i++)
        if (!try_candidate(op, &list[i], backend, options, p, &why_not)) {
            char facts[96];
            describe(s, facts, sizeof facts);
            snprintf(p->why, sizeof p->why, "%s%s: %s", r->any_scheduler ? "" : "sync: ", facts, list[i].fit.reason);
            return ORDO_OK;
        }
    for (size_t i = 0; i < r->count && !count; i++) {
        ordo_sync ignored;
        bool offered = false;
        for (const ordo_pairing *pair = r->scheduler[i]->pairings; pair->kind; pair++)
            offered |= pair->kind == op->kind && (!r->sync || pair->sync == r->sync);
        note(&why_not, offered ? UNSOUND : NOT_OFFERED, choose_sync(op, r->scheduler[i], r->sync, 0, &ignored));
    }
    return r->any_scheduler
               ? ordo_fail(why_not.status, "no scheduler can run '%s' as asked: %s", op->name, why_not.sentence)
               : ordo_fail(why_not.status, "%s", why_not.sentence);
}

static ordo_status choose_among(const ordo_work *work, const ordo_options *options, const range *r, ordo_plan *p)
{
    ordo_situation s;
    ordo_status status = look(work, options, p->item, r->any_sync, &s);
    if (status)
        return status;
    if (options->device && !is(options->device, "cpu")) {
        const ordo_backend *backend;
        s.on_gpu = true;
        status = load_backend(p->automatic ? "cuda" : options->device, p, &backend);
        if (!status)
            status = choose_on(work->op, &s, r, backend, options, p);
        if (!status || !p->automatic)
            return status;
        snprintf(p->fallback, sizeof p->fallback, "%s", ordo_last_error());
    }
    s.on_gpu = false;
    return choose_on(work->op, &s, r, NULL, options, p);
}

/* The scheduler of a run that names none: the default one or, over ranks on GPUs, where that does not run all
 * operators, the first one that does. */
static const ordo_scheduler *default_for(const ordo_operator *op, const ordo_options *options, ordo_plan *p)
{
    const ordo_scheduler *all[ORDO_MOST_SCHEDULERS], *const usual = ordo_scheduler_default();
    const ordo_backend *backend;
    if (!options->group || !options->device || is(options->device, "cpu") ||
        load_backend(p->automatic ? "cuda" : options->device, p, &backend) ||
        ordo_runs_over_ranks(options->group, op, usual, backend))
        return usual; /* an error is found again */
    const size_t count = ordo_schedulers(all, ORDO_MOST_SCHEDULERS);
    for (size_t i = 0; i < count; i++)
        if (ordo_runs_over_ranks(options->group, op, all[i], backend))
            return all[i];
    return usual;
}

ordo_status ordo_choose(const ordo_work *work, const ordo_options *options, ordo_plan *p)
{
    const ordo_operator *op = work->op;
    const ordo_scheduler *all[ORDO_MOST_SCHEDULERS], *named = NULL;
    range r = {.scheduler = all, .any_sync = is(options->sync, "auto")};
    r.any_scheduler = options->scheduler ? is(options->scheduler, "auto") : r.any_sync;
    *p = (ordo_plan){.automatic = is(options->device, "auto")};
    ordo_status status = choose_items(op, options->items, &p->item);
    if (status)
        return status;
    r.any_scheduler = r.any_scheduler || (!options->scheduler && p->item == ORDO_ITEMS_EDGES);
    if (is(options->scheduler, ORDO_NATIVE))
        return ordo_fail(ORDO_ERR_UNSOUND, "'%s' runs under a scheduler, and has no program of its own to be '%s'",
                         op->name, ORDO_NATIVE);
    if (options->scheduler && !r.any_scheduler && !(named = ordo_scheduler_find(options->scheduler)))
        return ordo_fail(ORDO_ERR_UNKNOWN, "scheduler '%s' is unknown (see: ordo schedulers)", options->scheduler);
    if (!named)
        named = default_for(op, options, p);
    if (options->sync && !r.any_sync && (status = find_sync(options->sync, &r.sync)))
        return status;
    if (r.any_scheduler || r.any_sync) {
        if (r.any_scheduler && (status = check_settings(options)))
            return status;
        r.count = ordo_schedulers(all, ORDO_MOST_SCHEDULERS);
        if (!r.any_scheduler) {
            all[0] = named;
            r.count = 1;
        }
        return choose_among(work, options, &r, p);
    }
    p->scheduler = named;
    if ((status = choose_sync(op, named, r.sync, 0, &p->sync)) || (status = place(op, options, p)))
        return status;
    return set_tunables(op, options, p);
}

/* ---- programs ---- */

static ordo_status place_program(const ordo_program *program, const ordo_backend *backend, ordo_plan *p)
{
    p->backend = backend;
    p->instance = backend ? backend->find(program->name, ORDO_NATIVE) : &p->program;
    if (!p->instance)
        return ordo_fail(ORDO_ERR_UNSOUND, "the program of '%s' was not compiled for device '%s'", program->name,
                         backend->name);
    if (!p->instance->run)
        return ordo_fail(ORDO_ERR_UNSOUND, "'%s' has a program of its own on a GPU alone (--device cuda)",
                         program->name);
    return ORDO_OK;
}

ordo_status ordo_choose_program(const ordo_program *program, const ordo_options *options, ordo_plan *p)
{
    static const ordo_scheduler native = {.name = ORDO_NATIVE};
    const bool gpu = options->device && !is(options->device, "cpu");
    *p = (ordo_plan){.scheduler = &native,
                     .program = {ORDO_NATIVE, program->run, 0, ORDO_ON_CPU},
                     .automatic = is(options->device, "auto")};
    if (options->items)
        return ordo_fail(ORDO_ERR_UNSOUND, "the program of '%s' has no items, found '%s'; operators do", program->name,
                         options->items);
    if (options->sync && !is(options->sync, "auto"))
        return ordo_fail(ORDO_ERR_UNSOUND, "the program of '%s' offers no sync, found '%s'; schedulers do",
                         program->name, options->sync);
    for (size_t i = 0; i < options->setting_count; i++) {
        setting set;
        ordo_status status = read_setting(options->settings[i], &set);
        if (status)
            return status;
        if (!set.scheduler[0] || is(set.scheduler, ORDO_NATIVE))
            return ordo_fail(ORDO_ERR_UNKNOWN, "setting '%s': the program of '%s' has no tunables",
                             options->settings[i], program->name);
        if (!ordo_scheduler_find(set.scheduler))
            return ordo_fail(ORDO_ERR_UNKNOWN, "setting '%s': scheduler '%s' is unknown", options->settings[i],
                             set.scheduler);
    }
    if (gpu) {
        const ordo_backend *backend;
        ordo_status status = load_backend(p->automatic ? "cuda" : options->device, p, &backend);
        if (!status)
            status = place_program(program, backend, p);
        if (!status || !p->automatic)
            return status;
        snprintf(p->fallback, sizeof p->fallback, "%s", ordo_last_error());
        if (!program->run)
            return ordo_fail(ORDO_ERR_UNSOUND, "'%s' has a program of its own on a GPU alone: %s", program->name,
                             p->fallback);
    }
    return place_program(program, NULL, p);
}
