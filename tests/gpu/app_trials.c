/* app_trials.c -- see app_trials.h.
 *
 * Tunables: a choice is drawn from all of its values; a number is its least value, its largest, its default, or
 * between least and largest with its logarithm evenly spread. What sizes memory is capped (see caps).
 *
 * A trial that crashes or hangs says which one it was: its text is kept where a signal's handler finds it.
 */
#define _POSIX_C_SOURCE 200809L
#include "app_trials.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ordo/ordo.h>
#include <ordo/scheduler/scheduler.h>

#include "tests/common/families.h"

enum {
    GUARD = 64,       /* words behind an answer */
    TIMEOUT = 10,     /* seconds of a run */
    TIMEOUT_CPU = 60, /* there; cores may be others' */
    HANGS = 300,      /* seconds of a trial, its verification included */
    THREADS = 4       /* at most */
};
#define PATTERN 0xa5a5a5a5u

enum { SSSP, BFS, CC, MST, WIDEST, KCORE, PAGERANK, MAXFLOW, APPS };
static const char *const app_names[APPS] = {"sssp", "bfs", "cc", "mst", "widest", "kcore", "pagerank", "maxflow"};
/* By its weight type; others have one name. */
static const char *const operator_names[APPS] = {"sssp",   "bfs",   "cc",       "mst",
                                                 "widest", "kcore", "pagerank", "discharge"};

typedef struct app_case {
    int app;
    ordo_graph *graph;
    const ordo_operator *op;
    ordo_vid source, sink;
    double limit;
    ordo_u32 k;
    bool with_pred;
    ordo_flow_options flow;
    ordo_options options;
    const char *settings[ORDO_MAX_TUNABLES];
    char text[ORDO_MAX_TUNABLES][64];
} app_case;

/* ---- what a signal's handler prints ---- */

static char current[4096];

static void crashed(int signal_number)
{
    static const char alarmed[] = "WRONG: does not end: ", other[] = "WRONG: crashes: ";
    const char *what = signal_number == SIGALRM ? alarmed : other;
    if (write(1, what, strlen(what)) < 0 || write(1, current, strlen(current)) < 0)
        _exit(3);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void watch(void)
{
    signal(SIGALRM, crashed);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    signal(SIGSEGV, crashed);
    signal(SIGBUS, crashed);
    signal(SIGABRT, crashed);
#endif
}

static void describe(const app_case *t, const char *device, const char *family, ordo_u64 seed)
{
    const ordo_csr *g = ordo_graph_out(t->graph);
    int used = snprintf(
        current, sizeof current,
        "%s (%s) under %s, sync %s, items %s, device %s, %d threads, on %s: %u vertices, %llu edges%s, source %u, "
        "sink %u, limit %g, k %u\n ",
        app_names[t->app], t->op->name, t->options.scheduler, t->options.sync ? t->options.sync : "-",
        t->options.items ? t->options.items : "-", device, t->options.threads, family, g->n, (unsigned long long)g->m,
        ordo_graph_symmetric(t->graph) ? ", symmetric" : "", t->source, t->sink, t->limit, t->k);
    for (size_t i = 0; i < t->options.setting_count && used < (int)sizeof current; i++)
        used += snprintf(current + used, sizeof current - (size_t)used, " --set %s", t->options.settings[i]);
    if (used < (int)sizeof current)
        snprintf(current + used, sizeof current - (size_t)used, "\n  again: random_runs %s apps seed:%llu %s\n", device,
                 (unsigned long long)seed, t->options.scheduler);
}

/* ---- drawing ---- */

static double unit(ordo_u64 *r)
{
    return (double)(next_random(r) >> 11) * 0x1p-53;
}

/* The largest value drawn of tunables that size memory. */
static double cap(const ordo_tunable *row)
{
    static const struct {
        const char *name;
        double most;
    } caps[] = {{"pool", 1 << 20}, {"block", 1 << 20}, {"ring", 1 << 12}};
    for (size_t i = 0; i < sizeof caps / sizeof caps[0]; i++)
        if (!strcmp(row->name, caps[i].name) && caps[i].most < row->max)
            return caps[i].most;
    return row->max;
}

static void draw_tunable(const ordo_tunable *row, ordo_u64 *r, char *text, size_t capacity)
{
    if (row->type == ORDO_TUNABLE_CHOICE) {
        ordo_u64 choices = 1;
        for (const char *c = row->choices; *c; c++)
            choices += *c == '|';
        const char *at = row->choices;
        for (ordo_u64 k = next_random(r) % choices; k; k--)
            at = strchr(at, '|') + 1;
        snprintf(text, capacity, "%s=%.*s", row->name, (int)strcspn(at, "|"), at);
        return;
    }
    const bool whole = row->type == ORDO_TUNABLE_INT;
    const double most = cap(row), least = whole ? 1 : 1e-3, from = row->min > least ? row->min : least;
    double value = from < most ? from * pow(most / from, unit(r)) : row->min;
    const ordo_u64 how = next_random(r) % 4;
    if (how == 0) {
        snprintf(text, capacity, "%s=%s", row->name, row->initial);
        return;
    }
    value = how == 1 ? row->min : how == 2 ? most : whole ? floor(value) : value;
    snprintf(text, capacity, "%s=%.17g", row->name, value);
}

static void draw_settings(app_case *t, ordo_u64 *r)
{
    const ordo_scheduler *s = ordo_scheduler_find(t->options.scheduler);
    t->options.settings = t->settings;
    t->options.setting_count = 0;
    for (int i = 0; s && i < s->tunable_count; i++) {
        draw_tunable(&s->tunables[i], r, t->text[i], sizeof t->text[i]);
        t->settings[t->options.setting_count++] = t->text[i];
    }
}

/* One that the scheduler offers and that is sound, "auto", or none. */
static void draw_sync(app_case *t, ordo_u64 *r)
{
    const ordo_scheduler *s = ordo_scheduler_find(t->options.scheduler);
    const char *found[ORDO_SYNCS + 2] = {NULL, "auto"};
    size_t count = 2;
    for (const ordo_pairing *p = s ? s->pairings : NULL; p && p->kind && count < ORDO_SYNCS + 2; p++)
        if (p->kind == t->op->kind && !(p->needs & ~t->op->properties))
            found[count++] = ordo_sync_name(p->sync);
    t->options.sync = found[next_random(r) % count];
}

/* Edges as items, vertices, or none, where the operator allows both and the scheduler has both on the device. */
static void draw_items(app_case *t, ordo_u64 *r)
{
    static const char *const items[] = {NULL, "vertices", "edges", "edges"};
    const ordo_scheduler *s = ordo_scheduler_find(t->options.scheduler);
    const unsigned device = strcmp(t->options.device, "cpu") ? ORDO_ON_CUDA : ORDO_ON_CPU;
    if (s && t->op->kind == ORDO_KIND_RELAX && t->op->items & ORDO_ITEMS_EDGES && s->edge_items & 1u << device)
        t->options.items = items[next_random(r) % 4];
}

/* Weights of forests: few values, all alike, any word; or as they are. */
static void draw_weights(edge_list *list, ordo_u64 *r)
{
    const ordo_u64 how = next_random(r) % 4;
    for (ordo_u64 e = 0; e < list->count; e++) {
        const ordo_u32 drawn = (ordo_u32)next_random(r);
        ordo_u32 *w = &list->edge[e].weight;
        *w = how == 0 ? drawn % 4 : how == 1 ? 7 : how == 2 ? drawn : *w;
    }
}

static void draw_graph(app_case *t, ordo_u64 *r, const char **family)
{
    static const ordo_type weights[] = {ORDO_U32, ORDO_I32, ORDO_F32, ORDO_NONE};
    size_t families = 0;
    while (family_names[families])
        families++;
    *family = family_names[next_random(r) % families];
    const unsigned size = 2 + (unsigned)(next_random(r) % (next_random(r) % 16 ? 400 : 3000));
    const ordo_direction direction = next_random(r) % 2 ? ORDO_SYMMETRISE : ORDO_AS_STORED;
    edge_list list;
    family_make(*family, size, next_random(r), &list);
    if (t->app == MST)
        draw_weights(&list, r);
    ordo_type type = weights[next_random(r) % 4];
    if (t->app == MAXFLOW && type == ORDO_F32)
        type = ORDO_U32;
    const ordo_u64 needed = t->app == MAXFLOW ? 2 : t->app == SSSP || t->app == BFS || t->app == WIDEST;
    list.n = list.n < needed ? needed : list.n; /* for sources and sinks */
    t->graph = family_graph(&list, type, direction);
    family_free(&list);
}

static void draw(app_case *t, ordo_u64 *r, const char **family)
{
    t->app = (int)(next_random(r) % APPS);
    if (!strcmp(t->options.scheduler, "native")) /* mst has one on a GPU alone */
        t->app = t->app % 2 || !strcmp(t->options.device, "cpu") ? MAXFLOW : MST;
    draw_graph(t, r, family);
    const ordo_csr *g = ordo_graph_out(t->graph);
    char name[32];
    const bool typed = t->app == SSSP || t->app == MST || t->app == WIDEST;
    const ordo_type type = g->weight_type;
    snprintf(name, sizeof name, "%s%s", operator_names[t->app],
             !typed             ? ""
             : type == ORDO_F32 ? "_f32"
             : type == ORDO_I32 ? "_i32"
                                : "_u32");
    t->op = ordo_operator_find(name);
    t->source = g->n ? (ordo_vid)(next_random(r) % g->n) : 0;
    t->sink = g->n > 1 ? (ordo_vid)((t->source + 1 + next_random(r) % (g->n - 1)) % g->n) : 0;
    t->limit = next_random(r) % 4 ? INFINITY : (double)(next_random(r) % 200);
    t->k = next_random(r) % 2 ? 0 : (ordo_u32)(next_random(r) % 7);
    t->with_pred = next_random(r) % 2;
    t->flow = (ordo_flow_options){.cut_only = next_random(r) % 2};
    t->options.threads = 1 + (int)(next_random(r) % THREADS);
    draw_sync(t, r);
    draw_items(t, r);
    draw_settings(t, r);
}

/* ---- running ---- */

/* An array of words with a guard behind it. */
static ordo_u32 *guarded(ordo_u64 words)
{
    ordo_u32 *p = malloc((words + GUARD) * sizeof *p);
    if (!p)
        abort();
    for (ordo_u64 i = 0; i < words + GUARD; i++)
        p[i] = PATTERN;
    return p;
}

/* Whether the guard is whole; frees the array. */
static bool unguard(ordo_u32 *p, ordo_u64 words)
{
    bool whole = true;
    for (ordo_u64 i = words; i < words + GUARD; i++)
        whole = whole && p[i] == PATTERN;
    free(p);
    return whole;
}

typedef struct app_answer {
    ordo_u32 *values, *pred, *side; /* guarded */
    ordo_u64 words, pred_words, side_words;
    ordo_forest forest;
    ordo_ranks ranks;
    ordo_flow flow;
} app_answer;

static void make_answer(const app_case *t, app_answer *a)
{
    const ordo_csr *g = ordo_graph_out(t->graph);
    const ordo_u64 n = g->n;
    *a = (app_answer){.words = t->app == MAXFLOW                     ? 2 * g->m
                               : t->app == MST || t->app == PAGERANK ? 2 * n
                                                                     : n,
                      .pred_words = n,
                      .side_words = t->app == MAXFLOW ? (n + 3) / 4 : 0};
    a->values = guarded(a->words);
    a->pred = guarded(a->pred_words);
    a->side = guarded(a->side_words);
}

static bool free_answer(app_answer *a)
{
    const bool values = unguard(a->values, a->words), pred = unguard(a->pred, a->pred_words);
    return unguard(a->side, a->side_words) && values && pred;
}

static ordo_status run(const app_case *t, app_answer *a, ordo_stats *stats)
{
    const ordo_graph *g = t->graph;
    const ordo_options *o = &t->options;
    ordo_vid *pred = t->with_pred ? a->pred : NULL;
    void *values = a->values;
    switch (t->app) {
    case SSSP:
        return ordo_sssp(g, t->source, t->limit, o, values, pred, stats);
    case BFS:
        return ordo_bfs(g, t->source, t->limit, o, values, pred, stats);
    case CC:
        return ordo_cc(g, o, values, stats);
    case MST:
        return ordo_mst(g, o, values, &a->forest, stats);
    case WIDEST:
        return ordo_widest(g, t->source, o, values, stats);
    case KCORE:
        return ordo_kcore(g, t->k, o, values, stats);
    case PAGERANK:
        return ordo_pagerank(g, 0.85, 1e-6, o, values, &a->ranks, stats);
    default:
        return ordo_maxflow(g, t->source, t->sink, &t->flow, o, values, (ordo_u8 *)(void *)a->side, &a->flow, stats);
    }
}

static ordo_status verify(const app_case *t, const app_answer *a)
{
    const ordo_graph *g = t->graph;
    const ordo_vid *pred = t->with_pred ? a->pred : NULL;
    const void *values = a->values;
    switch (t->app) {
    case SSSP:
        return ordo_sssp_verify(g, t->source, t->limit, values, pred, ORDO_VERIFY_SERIAL);
    case BFS:
        return ordo_bfs_verify(g, t->source, t->limit, values, pred, ORDO_VERIFY_SERIAL);
    case CC:
        return ordo_cc_verify(g, values, ORDO_VERIFY_SERIAL);
    case MST:
        return ordo_mst_verify(g, values, &a->forest, ORDO_VERIFY_SERIAL);
    case WIDEST:
        return ordo_widest_verify(g, t->source, values, ORDO_VERIFY_SERIAL);
    case KCORE:
        return ordo_kcore_verify(g, t->k, values, ORDO_VERIFY_SERIAL);
    case PAGERANK:
        return ordo_pagerank_verify(g, 0.85, values, a->ranks.error, ORDO_VERIFY_SERIAL);
    default:
        return ordo_maxflow_verify(g, t->source, t->sink, &t->flow, values, (const ordo_u8 *)(const void *)a->side,
                                   &a->flow, ORDO_VERIFY_BOTH);
    }
}

/* Whether settings are refused for this operator, so that it may run without them. METIS partitions vertices. */
static bool refused(const app_case *t, ordo_status status)
{
    bool metis = false;
    for (size_t i = 0; i < t->options.setting_count; i++)
        metis = metis || !strcmp(t->settings[i], "partition=metis");
    return t->options.setting_count && (status == ORDO_ERR_UNSOUND || (metis && status == ORDO_ERR_USAGE));
}

/* Takes one of the settings away. */
static void drop_setting(app_case *t, ordo_u64 *r)
{
    const size_t which = next_random(r) % t->options.setting_count;
    t->settings[which] = t->settings[--t->options.setting_count];
}

bool app_trial(const char *device, const char *scheduler, ordo_u64 seed, app_tally *tally)
{
    app_case t = {.options = {.scheduler = scheduler,
                              .device = device,
                              .timeout = strcmp(device, "cpu") ? TIMEOUT : TIMEOUT_CPU}};
    const char *family;
    ordo_u64 r = seed * 0x9e3779b97f4a7c15u;
    for (const char *c = scheduler; *c; c++)
        r = (r ^ (unsigned char)*c) * 0x100000001b3u;
    draw(&t, &r, &family);
    watch();
    ordo_status status;
    bool right = true, again;
    do {
        app_answer answer;
        ordo_stats stats = {0};
        make_answer(&t, &answer);
        describe(&t, device, family, seed);
        alarm(HANGS);
        status = run(&t, &answer, &stats);
        tally->seconds += stats.run_seconds;
        ordo_stats_free(&stats);
        again = refused(&t, status);
        tally->refusals += again;
        if (!status)
            status = verify(&t, &answer);
        alarm(0);
        char sentence[1024];
        snprintf(sentence, sizeof sentence, "%s: %s", ordo_status_name(status), ordo_last_error());
        const bool whole = free_answer(&answer);
        /* the CPU has all pairs, but that horizon needs a property which few operators have */
        const bool missing =
            status == ORDO_ERR_UNSOUND && (strcmp(device, "cpu") != 0 || strcmp(scheduler, "horizon") == 0);
        right = whole && (!status || again || missing);
        if (!right)
            printf("WRONG: %s\n  %s", whole ? sentence : "words beyond an array of the caller's are written", current);
        if (again)
            drop_setting(&t, &r);
    } while (right && again);
    tally->runs += !status;
    fflush(stdout);
    ordo_graph_free(t.graph);
    if (status == ORDO_ERR_DEVICE) /* it fails from then on */
        exit(1);
    return right;
}
