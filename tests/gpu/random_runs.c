/* random_runs.c -- many runs under every scheduler of a device that has buckets: random graphs, many sources, and runs
 * that are ended early.
 *
 *   random_runs DEVICE random  COUNT [SCHEDULER ...]          COUNT small multigraphs, all operators on each
 *   random_runs DEVICE apps    COUNT [SCHEDULER ...]          likewise, an app on each, all tunables drawn
 *   random_runs DEVICE sources GRAPH COUNT [OPERATOR:SCHEDULER ...]    (sssp_u32 and bfs under all three)
 *   random_runs DEVICE gaps    COUNT [SCHEDULER ...]          likewise, where priorities lie very far apart
 *   random_runs DEVICE work    COUNT [SCHEDULER ...]          likewise, where buckets are far too wide
 *   random_runs DEVICE exits   [SCHEDULER ...]                time that is up and cancelling, at moments all over a run
 *
 * Schedulers: delta, inbox and adds, where none is named; for apps all that there are. seed:NUMBER instead of COUNT is
 * that one graph alone. random: graphs of tests/common/families.c, every second one with adverse settings (harness.h);
 * answers are compared with those of a loop over the edges. apps: on such graphs an app, a sync and every tunable of
 * the scheduler, drawn (app_trials.h); answers are verified serially. gaps: some such graphs joined by edges up to 2^29
 * times as long as their own, under buckets of width 1 that may not become wider, every second time with all items on
 * the worklist, most of which are infinitely far: a scheduler that passes such gaps bucket by bucket does not end.
 * work: grids whose few long edges make buckets so wide that all other paths lie in one, under defaults and under
 * widths of 10^9, dynamic or not: a run may expand only a small multiple of the items that bsp does, which takes them
 * level by level, or that delta does, whichever is less. An order that is last in, first out fails there.
 * sources: the first answer to a source is proved right by a pass over the edges, or else compared with the CPU's, and
 * the others with it. exits: a run that is stopped ends in time and says so, its cells are never better than right, and
 * the next run is right; at least one of them must have been stopped on its way.
 *
 * One line a scheduler. Ends with 1 where anything is wrong, 77 where there is no such device.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app_trials.h"
#include "tests/common/families.h"
#include "harness.h"

enum {
    MOST_CASES = 16,
    ENOUGH = 20 /* failures: no use in going on */,
    SLOW = 3,
    SLOW_CPU = 60 /* seconds that an end may take; cores may be others' */
};

static const char *device;
static unsigned failures;

static void wrong(const char *format, const char *a, const char *b, const char *c)
{
    printf("WRONG: ");
    printf(format, a, b, c);
    printf("\n");
    fflush(stdout);
    failures++;
}

/* The sentence of a failed run; a device that failed once fails from then on. */
static void failed(const char *where, const char *op, const char *settings, ordo_status status)
{
    wrong("%s %s %s: ", where, op, settings);
    printf("  %s: %s\n", ordo_status_name(status), ordo_last_error());
    if (status == ORDO_ERR_DEVICE)
        exit(1);
}

/* Compares; says which cell is wrong. */
static bool same(const char *where, const char *op, const char *settings, const ordo_u32 *cells, const ordo_u32 *right,
                 ordo_vid n)
{
    ordo_vid first = 0;
    const ordo_u64 bad = trial_differ(cells, right, n, &first);
    if (bad) {
        wrong("%s %s %s", where, op, settings);
        printf("  %llu cells, the first is %u: %u, expected %u\n", (unsigned long long)bad, first, cells[first],
               right[first]);
    }
    return !bad;
}

static ordo_u32 *words(ordo_u64 n)
{
    ordo_u32 *p = ordo_alloc(n + 1, sizeof *p);
    if (!p) {
        fprintf(stderr, "%s\n", ordo_last_error());
        exit(1);
    }
    return p;
}

/* ---- random graphs ---- */

static const char *random_family(ordo_u64 *r)
{
    size_t families = 0;
    while (family_names[families])
        families++;
    return family_names[next_random(r) % families];
}

/* All operators on that graph, from sources by chance; `all` items on the worklist at first, or the source alone. */
static void try_graph(const edge_list *list, ordo_direction direction, const ordo_options *options, bool all,
                      const char *where, const char *text, ordo_u64 *r, unsigned *runs, double *seconds)
{
    ordo_graph *graphs[2] = {family_graph(list, ORDO_U32, direction), family_graph(list, ORDO_F32, direction)};
    const ordo_vid n = ordo_graph_out(graphs[0])->n;
    ordo_u32 *cells = words(n), *right = words(n);
    for (int o = 0; o < TRIAL_OPERATORS && n; o++) {
        const char *op = trial_operators[o];
        const ordo_graph *g = graphs[!strcmp(op, "sssp_f32")];
        const ordo_item source = (ordo_item)(next_random(r) % n);
        ordo_stats stats = {0};
        trial_naive(g, op, source, right);
        ordo_status status = (all ? trial_run_all : trial_run)(g, op, source, options, cells, &stats);
        *seconds += stats.run_seconds;
        ordo_stats_free(&stats);
        ++*runs;
        if (status)
            failed(where, op, text, status);
        else
            same(where, op, text, cells, right, n);
    }
    ordo_free(cells);
    ordo_free(right);
    for (int i = 0; i < 2; i++)
        ordo_graph_free(graphs[i]);
}

static void random_graph(ordo_u64 seed, const char *scheduler, unsigned *runs, double *seconds)
{
    ordo_u64 r = seed * 0x9e3779b97f4a7c15u;
    size_t hards;
    const char *family = random_family(&r);
    const unsigned size = 1 + (unsigned)(next_random(&r) % (next_random(&r) % 16 ? 400 : 3000));
    const ordo_direction direction = next_random(&r) % 2 ? ORDO_SYMMETRISE : ORDO_AS_STORED;
    edge_list list;
    family_make(family, size, next_random(&r), &list);
    trial_settings *hard = trial_hard(scheduler, &hards), none = {NULL};
    const size_t chosen = hards ? next_random(&r) % hards : 0;
    ordo_options options = {.scheduler = scheduler, .device = device, .timeout = 10, .repeats = seed % 4};
    char text[160], where[256];
    trial_set(&options, hards && seed % 2 ? hard[chosen] : none, text, sizeof text);
    snprintf(where, sizeof where, "%s, graph %llu (%s of %u)", scheduler, (unsigned long long)seed, family, size);
    try_graph(&list, direction, &options, false, where, text, &r, runs, seconds);
    family_free(&list);
}

/* ---- gaps ---- */

/* Islands, of a family each, one behind the other, and long bridges from each to the next. */
static edge_list archipelago(ordo_u64 *r)
{
    enum { MOST_ISLANDS = 4, BRIDGES = 3 };
    const unsigned islands = 2 + (unsigned)(next_random(r) % (MOST_ISLANDS - 1));
    edge_list island[MOST_ISLANDS], all = {0};
    for (unsigned i = 0; i < islands; i++) {
        family_make(random_family(r), 1 + (unsigned)(next_random(r) % 300), next_random(r), &island[i]);
        all.count += island[i].count + BRIDGES;
    }
    all.edge = malloc(all.count * sizeof *all.edge);
    if (!all.edge)
        abort();
    all.count = 0;
    ordo_u64 before = 0, size = 0; /* where the last island begins, and its vertices */
    for (unsigned i = 0; i < islands; i++) {
        for (unsigned b = 0; b < BRIDGES && size && island[i].n; b++)
            all.edge[all.count++] = (ordo_edge_entry){(ordo_vid)(before + next_random(r) % size),
                                                      (ordo_vid)(all.n + next_random(r) % island[i].n),
                                                      (ordo_u32)1 << (10 + next_random(r) % 20)};
        for (ordo_u64 e = 0; e < island[i].count; e++) {
            const ordo_edge_entry edge = island[i].edge[e];
            all.edge[all.count++] =
                (ordo_edge_entry){(ordo_vid)(all.n + edge.tail), (ordo_vid)(all.n + edge.head), edge.weight};
        }
        before = all.n;
        size = island[i].n;
        all.n += size;
        family_free(&island[i]);
    }
    return all;
}

static void gap(ordo_u64 seed, const char *scheduler, unsigned *runs, double *seconds)
{
    static trial_settings narrow = {"delta=1", "dynamic=off"}, few = {"delta=1", "dynamic=off", "buckets=3"};
    ordo_u64 r = seed * 0x9e3779b97f4a7c15u + 1;
    edge_list list = archipelago(&r);
    ordo_options options = {.scheduler = scheduler, .device = device, .timeout = 10};
    char text[160], where[256];
    trial_set(&options, seed % 4 == 3 && strcmp(scheduler, "inbox") ? few : narrow, text, sizeof text);
    const bool all = seed % 2;
    snprintf(where, sizeof where, "%s, gaps %llu%s", scheduler, (unsigned long long)seed, all ? ", all items" : "");
    try_graph(&list, next_random(&r) % 2 ? ORDO_SYMMETRISE : ORDO_AS_STORED, &options, all, where, text, &r, runs,
              seconds);
    family_free(&list);
}

/* ---- work ---- */

/* A grid in both directions: weights of 1 to 100, but one in a hundred is 4 10^9. */
static edge_list grid_with_long_edges(unsigned side, ordo_u64 *r)
{
    edge_list all = {.n = (ordo_u64)side * side};
    all.edge = malloc(4 * all.n * sizeof *all.edge);
    if (!all.edge)
        abort();
    for (unsigned v = 0; v < all.n; v++)
        for (int down = 0; down < 2; down++) {
            const unsigned to = down ? v + side : v + 1;
            if (down ? to >= all.n : to % side == 0)
                continue;
            const ordo_u64 draw = next_random(r);
            const ordo_u32 weight = draw % 100 ? 1 + (ordo_u32)(draw / 100 % 100) : 4000000000u;
            all.edge[all.count++] = (ordo_edge_entry){v, to, weight};
            all.edge[all.count++] = (ordo_edge_entry){to, v, weight};
        }
    return all;
}

/* Items that a run expands; 0 where it failed. */
static ordo_u64 expanded(const ordo_graph *g, const char *op, ordo_item source, const ordo_options *options,
                         ordo_u32 *cells, double *seconds)
{
    ordo_stats stats = {0};
    const ordo_status status = trial_run(g, op, source, options, cells, &stats);
    const ordo_u64 items = status ? 0 : stats.items;
    *seconds += stats.run_seconds;
    ordo_stats_free(&stats);
    if (status)
        failed(options->scheduler, op, "", status);
    return items;
}

static void too_wide(ordo_u64 seed, const char *scheduler, unsigned *runs, double *seconds)
{
    enum { MULTIPLE = 5 };
    static const char *const operators[] = {"sssp_u32", "widest_u32"};
    static trial_settings settings[] = {{NULL}, {"delta=1e9"}, {"delta=1e9", "dynamic=off"}};
    ordo_u64 r = seed * 0x9e3779b97f4a7c15u + 2;
    edge_list list = grid_with_long_edges(300 + (unsigned)(next_random(&r) % 150), &r);
    ordo_graph *g = family_graph(&list, ORDO_U32, ORDO_AS_STORED);
    const ordo_vid n = ordo_graph_out(g)->n;
    ordo_u32 *cells = words(n), *right = words(n);
    for (int o = 0; o < 2; o++) {
        const ordo_item source = (ordo_item)(next_random(&r) % n);
        const ordo_options plain = {.scheduler = "bsp", .device = device, .timeout = 10};
        double others = 0;
        const ordo_u64 level_by_level = expanded(g, operators[o], source, &plain, right, &others);
        for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
            char text[160], where[256];
            ordo_options options = {.scheduler = "delta", .device = device, .timeout = 10};
            if (i) /* of what is asked for, all that it has */
                trial_set(&options, settings[1], text, sizeof text);
            const ordo_u64 by_delta = expanded(g, operators[o], source, &options, cells, &others);
            ordo_u64 least = level_by_level < by_delta ? level_by_level : by_delta;
            least = least > n ? least : n;
            options.scheduler = scheduler;
            trial_set(&options, settings[i], text, sizeof text);
            snprintf(where, sizeof where, "%s, work %llu", scheduler, (unsigned long long)seed);
            const ordo_u64 items = expanded(g, operators[o], source, &options, cells, seconds);
            ++*runs;
            if (items)
                same(where, operators[o], text, cells, right, n);
            if (items > MULTIPLE * least) {
                wrong("%s %s %s: too much work", where, operators[o], text);
                printf("  %llu items, expected at most %d times %llu\n", (unsigned long long)items, MULTIPLE,
                       (unsigned long long)least);
            }
        }
    }
    ordo_free(cells);
    ordo_free(right);
    ordo_graph_free(g);
    family_free(&list);
}

/* Seeds of a part: first to last. */
typedef struct seed_range {
    ordo_u64 first, last;
} seed_range;

static seed_range seeds_of(const char *word)
{
    static const char one[] = "seed:";
    if (strncmp(word, one, sizeof one - 1) != 0)
        return (seed_range){1, strtoul(word, NULL, 10)};
    const ordo_u64 seed = strtoul(word + sizeof one - 1, NULL, 10);
    return (seed_range){seed, seed};
}

/* An app a graph. */
static void apps(const char *scheduler, seed_range seeds)
{
    app_tally tally = {0};
    unsigned before = failures;
    double start = trial_now();
    ordo_u64 seed = seeds.first;
    for (; seed <= seeds.last && failures - before < ENOUGH; seed++)
        failures += !app_trial(device, scheduler, seed, &tally);
    printf("%-7s %-11s %llu trials, %u runs, %u wrong, %u settings refused, %.1f s, %.1f of them in runs\n", "apps",
           scheduler, (unsigned long long)(seed - seeds.first), tally.runs, failures - before, tally.refusals,
           trial_now() - start, tally.seconds);
    fflush(stdout);
}

/* Graphs of a part. */
static void graphs(const char *part, void (*one)(ordo_u64, const char *, unsigned *, double *), const char *scheduler,
                   seed_range seeds)
{
    unsigned done = 0, runs = 0, before = failures;
    double seconds = 0, start = trial_now();
    for (ordo_u64 seed = seeds.first; seed <= seeds.last && failures - before < ENOUGH; seed++, done++)
        one(seed, scheduler, &runs, &seconds);
    printf("%-7s %-11s %u graphs, %u runs, %u wrong, %.1f s, %.1f of them in runs\n", part, scheduler, done, runs,
           failures - before, trial_now() - start, seconds);
    fflush(stdout);
}

/* ---- sources ---- */

typedef struct source_case {
    char op[32], scheduler[32];
    ordo_graph *graph;
    ordo_u32 *words;
    unsigned wrong;
    double seconds;
} source_case;

/* A first answer is proved, or replaced by the CPU's. */
static bool know(const ordo_graph *g, const char *op, ordo_vid source, ordo_u32 *right, unsigned *proved)
{
    const ordo_options on_cpu = {.scheduler = "delta"};
    if (trial_certify(g, op, source, right) == TRIAL_RIGHT) {
        ++*proved;
        return true;
    }
    return !trial_run(g, op, source, &on_cpu, right, NULL);
}

static void sources(ordo_graph *g, unsigned count, source_case *cases, size_t case_count)
{
    const ordo_vid n = ordo_graph_out(g)->n;
    ordo_vid *source = words(count);
    ordo_u32 *cells = words(n), *right = words(n);
    unsigned proved = 0;
    double start = trial_now();
    if (!trial_sources(g, 1, count, source))
        failed("sources", "", "", ORDO_ERR_INTERNAL);
    for (unsigned i = 0; i < count && failures < ENOUGH; i++)
        for (size_t c = 0; c < case_count; c++) {
            source_case *at = &cases[c];
            const bool first = !c || strcmp(cases[c - 1].op, at->op) != 0;
            const ordo_options options = {.scheduler = at->scheduler, .device = device, .timeout = 60};
            char where[128];
            ordo_stats stats = {0};
            ordo_status status = trial_run(at->graph, at->op, source[i], &options, cells, &stats);
            at->seconds += stats.run_seconds;
            ordo_stats_free(&stats);
            snprintf(where, sizeof where, "%s, source %u", at->scheduler, source[i]);
            if (status) {
                failed(where, at->op, "", status);
                at->wrong++;
            }
            if (first) {
                memcpy(right, cells, n * sizeof *right);
                if (!know(at->graph, at->op, source[i], right, &proved))
                    failed("the CPU's answer", at->op, "", ORDO_ERR_INTERNAL);
            }
            if (!status)
                at->wrong += !same(where, at->op, "", cells, right, n);
        }
    for (size_t c = 0; c < case_count; c++)
        printf("sources %-10s %-6s %u sources, %u wrong, %.3f ms a run\n", cases[c].op, cases[c].scheduler, count,
               cases[c].wrong, 1e3 * cases[c].seconds / count);
    printf("%u answers proved from themselves, %.1f s in all\n", proved, trial_now() - start);
    ordo_free(source);
    ordo_free(cells);
    ordo_free(right);
}

static void sources_of(const char *path, unsigned count, char **names, int name_count)
{
    static source_case cases[MOST_CASES];
    static const char *const ordinary[] = {"sssp_u32:delta", "sssp_u32:inbox", "sssp_u32:adds",
                                           "bfs:delta",      "bfs:inbox",      "bfs:adds"};
    size_t case_count = 0;
    ordo_graph *g;
    if (ordo_graph_read(path, NULL, &g)) {
        fprintf(stderr, "%s\n", ordo_last_error());
        exit(3);
    }
    printf("%s: %u vertices, %llu edges\n", path, ordo_graph_out(g)->n, (unsigned long long)ordo_graph_out(g)->m);
    for (int i = 0; i < (name_count ? name_count : 6) && case_count < MOST_CASES; i++) {
        source_case *c = &cases[case_count];
        const char *name = name_count ? names[i] : ordinary[i], *colon = strchr(name, ':');
        if (!colon || !count) {
            fprintf(stderr, "found '%s', expected OPERATOR:SCHEDULER\n", name);
            exit(2);
        }
        snprintf(c->op, sizeof c->op, "%.*s", (int)(colon - name), name);
        snprintf(c->scheduler, sizeof c->scheduler, "%s", colon + 1);
        c->graph =
            case_count && !strcmp(c[-1].op, c->op) ? ordo_graph_ref(c[-1].graph) : trial_graph(g, c->op, &c->words);
        if (!c->graph) {
            fprintf(stderr, "%s\n", ordo_last_error());
            exit(1);
        }
        case_count++;
    }
    sources(g, count, cases, case_count);
    for (size_t c = 0; c < case_count; c++)
        ordo_graph_free(cases[c].graph);
    for (size_t c = 0; c < case_count; c++)
        ordo_free(cases[c].words);
    ordo_graph_free(g);
}

/* ---- exits ---- */

static int cancelled;

static void *cancel_later(void *arg)
{
    const double seconds = *(const double *)arg;
    const struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&t, NULL);
    __atomic_store_n(&cancelled, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* One run that is stopped `after` seconds, by time or by the flag; true where it was stopped on its way. */
static bool stop(const ordo_graph *g, const char *op, ordo_item source, ordo_options options, double after,
                 bool by_flag, const char *where, const char *text, const ordo_u32 *right, ordo_u32 *cells)
{
    const ordo_vid n = ordo_graph_out(g)->n;
    const ordo_status meant = by_flag ? ORDO_ERR_CANCELLED : ORDO_ERR_TIMEOUT;
    pthread_t thread;
    cancelled = 0;
    options.timeout = by_flag ? 60 : after;
    options.cancel = &cancelled;
    const double start = trial_now();
    if (by_flag && pthread_create(&thread, NULL, cancel_later, &after))
        exit(1);
    const ordo_status status = trial_run(g, op, source, &options, cells, NULL);
    const double took = trial_now() - start;
    if (by_flag)
        pthread_join(thread, NULL);
    if (status && status != meant)
        failed(where, op, text, status);
    if (!status)
        same(where, op, text, cells, right, n);
    for (ordo_vid v = 0; v < n; v++)
        if (trial_better(op, cells[v], right[v])) {
            wrong("%s %s %s: a cell is better than right", where, op, text);
            break;
        }
    if (took > after + (!strcmp(device, "cpu") ? SLOW_CPU : SLOW))
        wrong("%s %s %s: the end took too long", where, op, text);
    options.timeout = 60;
    options.cancel = NULL;
    const ordo_status next = trial_run(g, op, source, &options, cells, NULL);
    if (next)
        failed(where, op, text, next);
    else
        same(where, op, text, cells, right, n);
    return status != ORDO_OK;
}

/* `moments` of each kind under defaults, and two under each of the settings that hurt. */
static void exits(const char *scheduler, ordo_u64 vertices, ordo_u32 scale, unsigned moments)
{
    const ordo_edge_options weights = {.low = 1, .high = 100, .seed = 5};
    const ordo_generate_options how[] = {{.kind = "rmat", .scale = scale, .edges = weights},
                                         {.kind = "path", .vertices = vertices, .edges = weights}};
    unsigned runs = 0, stopped = 0, before = failures;
    const double start = trial_now();
    for (int k = 0; k < 2; k++) {
        ordo_graph *g;
        if (ordo_graph_generate(&how[k], &g)) {
            fprintf(stderr, "%s\n", ordo_last_error());
            exit(1);
        }
        const ordo_vid n = ordo_graph_out(g)->n;
        const ordo_item source = k ? 0 : trial_busiest(g);
        ordo_u32 *cells = words(n), *right = words(n);
        const ordo_options on_cpu = {.scheduler = "delta"};
        size_t hards;
        trial_settings *hard = trial_hard(scheduler, &hards), none = {NULL};
        if (trial_run(g, "sssp_u32", source, &on_cpu, right, NULL))
            failed("the CPU's answer", "sssp_u32", "", ORDO_ERR_INTERNAL);
        for (size_t h = 0; h <= hards; h++) {
            ordo_options options = {.scheduler = scheduler, .device = device, .timeout = 60};
            char text[160], where[64];
            ordo_stats stats = {0};
            trial_set(&options, h ? hard[h - 1] : none, text, sizeof text);
            snprintf(where, sizeof where, "%s, exits, %s", scheduler, how[k].kind);
            ordo_status status = trial_run(g, "sssp_u32", source, &options, cells, &stats);
            const double whole = stats.run_seconds;
            ordo_stats_free(&stats);
            if (status) {
                failed(where, "sssp_u32", text, status);
                continue;
            }
            const unsigned here = h ? 2 : moments;
            for (unsigned i = 0; i < here; i++, runs++) /* the first at once */
                stopped += stop(g, "sssp_u32", source, options, i ? whole * i / here : 1e-6, (i + h) % 2, where, text,
                                right, cells);
        }
        ordo_free(cells);
        ordo_free(right);
        ordo_graph_free(g);
    }
    if (!stopped)
        wrong("%s%s%s: none of the runs was stopped on its way", scheduler, "", "");
    printf("exits   %-6s %u runs, %u stopped on their way, %u wrong, %.1f s\n", scheduler, runs, stopped,
           failures - before, trial_now() - start);
    fflush(stdout);
}

/* 77 where there is no such device: found out with a graph of one vertex. */
static void find_device(void)
{
    const ordo_generate_options how = {.kind = "path", .vertices = 1};
    const ordo_options options = {.scheduler = "delta", .device = device};
    ordo_graph *g;
    ordo_status status = ordo_graph_generate(&how, &g);
    if (!status)
        status = trial_check(g, "bfs", &options);
    if (status) {
        printf("%s%s\n", status == ORDO_ERR_DEVICE ? "skipped: " : "", ordo_last_error());
        exit(status == ORDO_ERR_DEVICE ? 77 : 2);
    }
    ordo_graph_free(g);
}

int main(int count, char **word)
{
    static const char *const buckets[] = {"delta", "inbox", "adds"};
    const char *names[MOST_CASES];
    const char *part = count > 2 ? word[2] : "";
    const bool is_random = !strcmp(part, "random"), is_gaps = !strcmp(part, "gaps");
    const bool is_work = !strcmp(part, "work");
    const bool is_apps = !strcmp(part, "apps"), is_sources = !strcmp(part, "sources");
    const int used = is_random || is_gaps || is_work || is_apps ? 4 : is_sources ? 5 : 3;
    if (count < used || !(is_random || is_gaps || is_work || is_apps || is_sources || !strcmp(part, "exits"))) {
        fprintf(stderr, "usage: random_runs DEVICE random COUNT|seed:NUMBER [SCHEDULER ...]\n"
                        "       random_runs DEVICE apps COUNT|seed:NUMBER [SCHEDULER ...]\n"
                        "       random_runs DEVICE gaps COUNT|seed:NUMBER [SCHEDULER ...]\n"
                        "       random_runs DEVICE sources GRAPH COUNT [OPERATOR:SCHEDULER ...]\n"
                        "       random_runs DEVICE work COUNT|seed:NUMBER [SCHEDULER ...]\n"
                        "       random_runs DEVICE exits [SCHEDULER ...]\n");
        return 2;
    }
    device = word[1];
    find_device();
    if (is_sources) {
        sources_of(word[3], (unsigned)strtoul(word[4], NULL, 10), word + used, count - used);
    } else {
        const bool cpu = !strcmp(device, "cpu");
        const ordo_scheduler *known[MOST_CASES];
        int some = count - used;
        for (int i = 0; i < some && i < MOST_CASES; i++)
            names[i] = word[used + i];
        if (some <= 0 && is_apps) {
            some = (int)ordo_schedulers(known, MOST_CASES);
            for (int i = 0; i < some && i < MOST_CASES; i++)
                names[i] = known[i]->name;
            if (some < MOST_CASES)
                names[some++] = "native"; /* the programs of apps that have one */
        } else if (some <= 0) {
            some = sizeof buckets / sizeof buckets[0];
            memcpy(names, buckets, sizeof buckets);
        }
        for (int i = 0; i < some && i < MOST_CASES; i++) {
            if (is_apps)
                apps(names[i], seeds_of(word[3]));
            else if (is_random || is_gaps || is_work)
                graphs(part, is_random ? random_graph : is_gaps ? gap : too_wide, names[i], seeds_of(word[3]));
            else
                exits(names[i], cpu ? 5000 : 40000, cpu ? 11 : 18, cpu ? 4 : 8);
        }
    }
    printf("%u wrong\n", failures);
    return failures > 0;
}
