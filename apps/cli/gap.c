/* gap.c -- `ordo gap`: the six kernels of the GAP Benchmark Suite (Beamer, Asanovic and Patterson 2015) on one graph,
 * by its rules and in its lines, so that scripts for its programs read the output.
 *
 * The rules: bfs and sssp from 64 sources, a trial each; bc from 4 sources a trial; pr until a step changes ranks by
 * less than 1e-4 in all (here residuals add up to less); tc with all that it prepares, apart from a simple copy.
 * Sources are those of GAP's SourcePicker, from the beginning for each kernel. Weights of sssp are those of the graph,
 * or of a file without any drawn, 1 to 255. A trial's time is that of the call without what is done once for a graph.
 *
 * Verification is Ordo's own, and stricter than GAP's: every value is compared, not a part of them.
 */
#include "apps/cli/cli.h"
#include "apps/cli/options/table.h"

#include <stdlib.h>
#include <string.h>

enum { KERNELS = 6, MOST_LISTED = 64 };

typedef struct kernel {
    const char *name, *app;
    int trials, sources; /* sources of a trial */
    bool weights;
} kernel;

static const kernel kernels[KERNELS] = {{"bfs", "bfs", 64, 1, false},     {"sssp", "sssp", 64, 1, true},
                                        {"pr", "pagerank", 16, 0, false}, {"cc", "cc", 16, 0, false},
                                        {"bc", "bc", 16, 4, false},       {"tc", "tc", 3, 0, false}};
static const double GAP_TOLERANCE = 1e-4;

/* What is chosen: kernels in the order in which they run. */
typedef struct chosen {
    const kernel *kernel[MOST_LISTED];
    int count;
} chosen;

typedef struct suite {
    options *o;
    const char *path; /* NULL: a made graph */
    loaded g;
    bool is_loaded, has_weights; /* has_weights: those that sssp reads */
    sink json;
    bool any_whole;
    char failure[1024]; /* of the first answer that was wrong */
} suite;

static ordo_status choose_kernels(const char *list, chosen *out)
{
    static const char *names[KERNELS + 1];
    out->count = 0;
    for (int i = 0; i < KERNELS; i++)
        names[i] = kernels[i].name;
    if (!list) {
        for (int i = 0; i < KERNELS; i++)
            out->kernel[out->count++] = &kernels[i];
        return ORDO_OK;
    }
    for (const char *at = list;; at += strcspn(at, ",") + 1) {
        char word[24];
        snprintf(word, sizeof word, "%.*s", (int)(strcspn(at, ",") < 23 ? strcspn(at, ",") : 23), at);
        int which = 0;
        while (which < KERNELS && strcmp(kernels[which].name, word) != 0)
            which++;
        if (which == KERNELS)
            return unknown("kernel", word, names, "ordo help gap");
        if (out->count == MOST_LISTED)
            return ordo_fail(ORDO_ERR_USAGE, "--kernels '%s', expected %d at most", list, MOST_LISTED);
        out->kernel[out->count++] = &kernels[which];
        if (!at[strcspn(at, ",")])
            return ORDO_OK;
    }
}

/* Loads the graph with weights or without, unless it is there as wanted. */
static ordo_status load(suite *s, bool weights)
{
    if (s->is_loaded && s->has_weights == weights)
        return ORDO_OK;
    if (s->is_loaded)
        load_free(&s->g);
    s->is_loaded = false;
    ordo_status status = load_graph(s->o, s->path, weights, &s->g);
    if (!status && weights && s->path && s->g.info.weight_type == ORDO_NONE && !s->o->drop_weights) {
        const option_scope scope = {.name = "gap", .verb = VERB_GAP};
        options drawn = *s->o;
        drawn.given[option_named(&scope, "weights", strlen("weights")) - option_rows] = true;
        drawn.edges.low = 1;
        drawn.edges.high = GAP_WEIGHT;
        load_free(&s->g);
        status = load_graph(&drawn, s->path, true, &s->g);
    }
    s->is_loaded = !status;
    s->has_weights = weights;
    return status;
}

static void print_kernel(const suite *s, const kernel *k)
{
    const ordo_graph_info *i = &s->g.info;
    const ordo_u64 edges = i->symmetric ? i->edges / 2 : i->edges;
    print_label("Kernel", k->name);
    print_time(s->g.generated ? "Generate Time" : "Read Time", i->load_seconds);
    print_time("Build Time", i->build_seconds);
    printf("Graph has %llu nodes and %llu %sdirected edges for degree: %llu\n", (unsigned long long)i->vertices,
           (unsigned long long)edges, i->symmetric ? "un" : "",
           (unsigned long long)(i->vertices ? edges / i->vertices : 0));
}

static void print_trial(const record *r)
{
    print_time("Trial Time", r->trial_seconds);
    if (r->verified >= 0) {
        print_label("Verification", r->verified ? "PASS" : "FAIL");
        print_time("Verification Time", r->verify_seconds);
    }
}

/* One trial from sources first .. of the list, which begins again where it ends. */
static ordo_status run_trial(suite *s, const kernel *k, record *r, const ordo_vid *source, size_t count, size_t first,
                             const ordo_options *run, ordo_answer *answer)
{
    ordo_app_input input;
    ordo_stats stats = {0};
    ordo_vid own[8];
    for (int i = 0; i < k->sources; i++)
        own[i] = source[(first + (size_t)i) % count];
    ordo_status status = app_input(s->o, &s->g, own[0], &input);
    if (status)
        return status;
    if (k->sources > 1) {
        input.sources = own;
        input.source_count = (ordo_u64)k->sources;
    }
    r->source = input.source;
    r->at_once = input.source_count;
    progress_step();
    status = run_once(r, &input, run, s->o->verify, answer, &stats);
    if (!status && !r->verified && !s->failure[0])
        snprintf(s->failure, sizeof s->failure, "%s: %.1000s", k->name, ordo_last_error());
    if (!status && !s->o->quiet)
        print_trial(r);
    if (!status && s->json.file) {
        status = json_write_run(&s->json, r);
        if (!status)
            status = sink_whole(&s->json);
        s->any_whole = true;
    }
    ordo_stats_free(&stats);
    return status ? status : flush_stdout();
}

static ordo_status expect_memory(const suite *s, record *r, const ordo_options *run)
{
    ordo_status status = r->app->memory(s->g.graph, run, &r->expected, &r->at_most);
    const ordo_u64 answer = answer_bytes(r->app, &s->g, false);
    r->expected += answer;
    r->at_most += answer;
    return status ? status : check_memory(s->o, r->app->name, r->expected);
}

static ordo_status run_kernel(suite *s, const kernel *k)
{
    options *o = s->o;
    const char *settings[MAX_SETTINGS];
    size_t trials = (size_t)(o->repeat ? o->repeat : k->trials), count = 1;
    ordo_vid *source = NULL;
    o->app = find_app(k->app);
    ordo_status status = load(s, k->weights);
    ordo_options run = run_options(o, NULL, NULL, settings);
    record r = {.graph = &s->g, .app = o->app, .o = o};
    if (!status)
        status = expect_memory(s, &r, &run);
    if (!status && k->sources)
        status = choose_sources(o, &s->g, trials * (size_t)k->sources, &source, &count);
    if (status)
        return status;
    if (k->sources == 1 && !o->repeat && o->sources)
        trials = count;
    run.repeats = trials;
    if (!o->quiet)
        print_kernel(s, k);
    ordo_answer answer = {0};
    double total = 0;
    for (size_t t = 0; t < trials && !status; t++) {
        r.trial = (int)t + 1;
        status = run_trial(s, k, &r, source, count, t * (size_t)k->sources, &run, &answer);
        total += r.trial_seconds;
    }
    if (!status && !o->quiet)
        print_time("Average Time", total / (double)trials);
    free(source);
    free_answer(&answer);
    return status;
}

/* Refuses before a graph is read what some kernel does not take. */
static ordo_status check_kernels(options *o, const chosen *list)
{
    const char *settings[MAX_SETTINGS];
    for (int i = 0; i < list->count; i++) {
        o->app = find_app(list->kernel[i]->app);
        const ordo_options run = run_options(o, NULL, NULL, settings);
        const ordo_status status = check_options_early(o, &run);
        if (status) {
            char reason[900];
            snprintf(reason, sizeof reason, "%.800s", ordo_last_error());
            return ordo_fail(status, "%s: %s", list->kernel[i]->name, reason);
        }
    }
    return ORDO_OK;
}

static ordo_status run_suite(suite *s, const chosen *list)
{
    ordo_status status = one_graph(s->o, 0, &s->path);
    if (!status)
        status = check_kernels(s->o, list);
    if (!status && s->path && !strcmp(s->path, "-"))
        status = ordo_fail(ORDO_ERR_USAGE, "gap reads its graph more than once, so it takes no standard input");
    if (!status && s->o->json)
        status = sink_open(&s->json, s->o->json);
    s->o->quiet = s->o->quiet || s->json.file == stdout;
    for (int i = 0; i < list->count && !status; i++)
        status = run_kernel(s, list->kernel[i]);
    return status;
}

ordo_status verb_gap(const options *given)
{
    static suite s;
    chosen list;
    ordo_status status = choose_kernels(given->kernels, &list);
    if (status)
        return status;
    s.o = malloc(sizeof *s.o);
    if (!s.o)
        return ordo_fail(ORDO_ERR_MEMORY, "no memory for options");
    *s.o = *given;
    s.o->tolerance = GAP_TOLERANCE;
    status = run_suite(&s, &list);
    if (!status && s.failure[0])
        status = ordo_fail(ORDO_ERR_VERIFY, "%s", s.failure);
    char failure[1024];
    snprintf(failure, sizeof failure, "%s", ordo_last_error());
    const bool keep = !status || status == ORDO_ERR_VERIFY || (status == ORDO_ERR_CANCELLED && s.any_whole);
    const ordo_status closed = sink_close(&s.json, keep);
    if (closed && !status)
        status = closed;
    else if (status)
        ordo_fail(status, "%s", failure);
    if (s.is_loaded)
        load_free(&s.g);
    free(s.o);
    return status;
}
