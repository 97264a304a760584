/* run.c -- the verb of every app: load, choose sources, run, verify, report. */
#include "apps/cli/cli.h"
#include "apps/cli/run_time/operator.h"
#include "apps/cli/trace_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/scheduler/scheduler.h>

/* ---- what run, compare and bench share ---- */

static bool has_tunable(const char *scheduler, const char *name)
{
    const ordo_scheduler *s = ordo_scheduler_find(scheduler);
    for (int i = 0; s && i < s->tunable_count; i++)
        if (!strcmp(s->tunables[i].name, name))
            return true;
    if (!strcmp(scheduler, "auto")) /* takes one of those that have it */
        for (const char *const *any = scheduler_names(); *any; any++)
            if (has_tunable(*any, name))
                return true;
    return false;
}

/* Whether a setting without a scheduler's name applies to this scheduler, for compare and bench; NULL: the app's
 * default. */
static bool setting_reaches(const char *scheduler, const char *setting)
{
    char name[64];
    size_t length = strcspn(setting, "=");
    if (!scheduler || length >= sizeof name || memchr(setting, '.', length))
        return true;
    snprintf(name, sizeof name, "%.*s", (int)length, setting);
    return has_tunable(scheduler, name);
}

ordo_options run_options(const options *o, const char *scheduler, const char *sync, const char **settings)
{
    static char delta[64]; /* one -d for each process */
    size_t count = 0;
    if (o->delta) {
        snprintf(delta, sizeof delta, "delta=%.50s", o->delta);
        if (!(o->verb & (VERB_COMPARE | VERB_BENCH)) || setting_reaches(scheduler, delta))
            settings[count++] = delta;
    }
    for (int i = 0; i < o->setting_count; i++)
        if (!(o->verb & (VERB_COMPARE | VERB_BENCH)) || setting_reaches(scheduler, o->settings[i]))
            settings[count++] = o->settings[i];
    return (ordo_options){
        .scheduler = scheduler,
        .sync = sync,
        .items = o->items,
        .device = o->device,
        .threads = o->threads,
        .settings = settings,
        .setting_count = count,
        .timeout = o->timeout,
        .hardware = o->counters,
        .group = group_here(),
        .cancel = &cancelled,
        .progress = progress_wanted(o) ? show_progress : NULL,
        .progress_arg = o->app ? (void *)(size_t)o->app->name : NULL,
    };
}

/* Whether all sources of --sources are of one run. */
static bool takes_all(const ordo_app *app)
{
    return app->sums_sources || app->takes_list;
}

ordo_status choose_sources(const options *o, const loaded *g, size_t count, ordo_vid **out, size_t *chosen)
{
    ordo_u64 asked;
    if (o->sources_at_once)
        return read_vertices(g, o->sources_at_once, "source", out, chosen);
    const bool all = o->sources && takes_all(o->app) && !strcmp(o->sources, "all");
    if (o->sources && !all && !parse_u64(o->sources, &asked))
        return read_vertices(g, o->sources, "source", out, chosen);
    if (all)
        asked = g->info.vertices;
    else if (o->sources && (asked == 0 || asked > MOST_SOURCES))
        return ordo_fail(ORDO_ERR_USAGE, "--sources %s, expected a number from 1 to %d, or a file", o->sources,
                         MOST_SOURCES);
    if (o->sources)
        count = (size_t)asked;
    ordo_status status = ORDO_OK;
    ordo_vid *list = malloc(count * sizeof *list);
    ordo_twister64 random;
    ordo_twister64_start(&random, o->seed);
    if (!list)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for %zu sources", count);
    if (o->source)
        count = 1;
    for (size_t i = 0; i < count && !status; i++) {
        list[i] = all ? (ordo_vid)i : 0;
        if (o->app->needs_terminals)
            list[i] = ordo_graph_vertex_data(g->graph)->source;
        if (o->source)
            status = parse_vertex(g, "--source", o->source, &list[i]);
        else if (o->app->needs_source && !all)
            status = pick_source(&random, g->graph, &list[i]);
    }
    if (status) {
        free(list);
        return status;
    }
    *out = list;
    *chosen = count;
    return ORDO_OK;
}

ordo_status app_input(const options *o, const loaded *g, ordo_vid source, ordo_app_input *out)
{
    *out = (ordo_app_input){.graph = g->graph,
                            .source = source,
                            .sink = ORDO_NO_VERTEX,
                            .flow = o->flow,
                            .limit = o->limit,
                            .stop_after = o->stop_after,
                            .want_pred = o->tree || o->path_to,
                            .want_values = o->output != NULL,
                            .want_nearest = o->nearest || (o->sources_at_once && o->path_to),
                            .k = o->k,
                            .damping = o->damping,
                            .tolerance = o->tolerance,
                            .rounds = (ordo_u64)o->rounds};
    if (o->sink)
        return parse_vertex(g, "--sink", o->sink, &out->sink);
    if (o->app->needs_terminals)
        out->sink = ordo_graph_vertex_data(g->graph)->sink;
    return ORDO_OK;
}

void free_answer(ordo_answer *answer)
{
    ordo_free(answer->values);
    ordo_free(answer->pred);
    ordo_free(answer->nearest);
    ordo_free(answer->side);
    ordo_cycle_free(&answer->cycle);
    *answer = (ordo_answer){0};
}

ordo_status one_graph(const options *o, int first, const char **path)
{
    int given = (o->file != NULL) + (o->generate || o->made.kind) + (o->word_count - first);
    if (given == 0)
        return ordo_fail(ORDO_ERR_USAGE, "no graph given: expected a file, '-', --generate, -g or -u");
    if (given > 1)
        return ordo_fail(ORDO_ERR_USAGE, "%d graphs given, expected one", given);
    *path = o->file ? o->file : o->word_count > first ? o->words[first] : NULL;
    return ORDO_OK;
}

ordo_status run_once(record *r, const ordo_app_input *input, const ordo_options *run, bool verify, ordo_answer *answer,
                     ordo_stats *stats)
{
    double start = now();
    process_cancellable_run(run);
    ordo_status status = renumbered_run(r->app, input, run, answer, stats);
    process_cancellable(false);
    double wall = now() - start;
    clear_progress();
    r->stats = stats;
    r->answer = answer;
    r->trial_seconds = wall - stats->prepare_seconds;
    r->verified = -1;
    if (!status)
        status = check_cancelled();
    if (status || !verify)
        return status;
    show_phase(r->o, "verifying", r->app->name);
    start = now();
    process_cancellable(true);
    status = r->app->verify(input, answer, r->o->how);
    process_cancellable(false);
    r->verify_seconds = now() - start;
    clear_progress();
    if (cancelled)
        return check_cancelled();
    r->verified = !status;
    return status == ORDO_ERR_VERIFY ? ORDO_OK : status;
}

/* ---- the verb ---- */

typedef struct outputs {
    sink json, values, tree, nearest, trace, cut;
    ordo_trace *recorded; /* of the last run; NULL: no trace is asked for */
    trace_about about;
    bool keep_trace; /* it has been written */
} outputs;

static ordo_status open_outputs(const options *o, outputs *out)
{
    const struct {
        const char *path;
        sink *sink;
    } all[] = {{o->json, &out->json},       {o->output, &out->values}, {o->tree, &out->tree},
               {o->nearest, &out->nearest}, {o->trace, &out->trace},   {o->cut, &out->cut}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        ordo_status status = all[i].path ? sink_open(all[i].sink, all[i].path) : ORDO_OK;
        if (status)
            return status;
        all[i].sink->threads = o->threads;
    }
    return o->trace ? ordo_trace_make(o->trace_period, &out->recorded) : ORDO_OK;
}

/* A trace is kept also where the run failed: it shows how far it came. */
static ordo_status close_outputs(outputs *out, bool keep)
{
    sink *all[] = {&out->json, &out->values, &out->tree, &out->nearest, &out->trace, &out->cut};
    ordo_status first = ORDO_OK;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const bool own = all[i] == &out->trace && out->keep_trace;
        ordo_status status = sink_close(all[i], (keep || own) && !first);
        first = first ? first : status;
    }
    ordo_trace_free(out->recorded);
    return first;
}

static bool is_stdout(const char *path)
{
    return path && !strcmp(path, "-");
}

static ordo_status check_use(options *o, const char **path)
{
    ordo_status status = one_graph(o, 0, path);
    if (status)
        return status;
    option_scope scope = scope_of_app(VERB_APP, o->app);
    if ((status = options_suit(o, &scope)))
        return status;
    const char *files[] = {o->json, o->output, o->tree, o->nearest, o->trace, o->cut};
    int on_stdout = 0;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        on_stdout += is_stdout(files[i]);
        for (size_t j = 0; j < i; j++)
            if (files[i] && files[j] && !strcmp(files[i], files[j]))
                return ordo_fail(ORDO_ERR_USAGE, "two outputs go to '%s', expected different files", files[i]);
    }
    if (options_given(o, "trace-period") && !o->trace)
        return ordo_fail(ORDO_ERR_USAGE, "--trace-period without --trace FILE");
    o->stdout_taken = on_stdout > 0;
    o->quiet = o->quiet || o->stdout_taken;
    if (is_stdout(*path) && is_stdout(o->sources))
        return ordo_fail(ORDO_ERR_USAGE, "graph and --sources both from standard input");
    if (is_stdout(*path) && is_stdout(o->sources_at_once))
        return ordo_fail(ORDO_ERR_USAGE, "graph and --sources-at-once both from standard input");
    return ORDO_OK;
}

static void print_head(const ordo_stats *s)
{
    printf("Scheduler:           %s, sync %s, %s, %s;", s->scheduler, s->sync, s->backend, s->device);
    for (int i = 0; i < s->setting_count; i++)
        printf(" %s=%s", s->settings[i].name, s->settings[i].value);
    putchar('\n');
    if (s->item && !strcmp(s->item, "edges"))
        print_label("Items", s->item);
    if (s->fallback[0])
        print_label("Not on a GPU", s->fallback);
    if (s->chosen[0]) {
        char text[sizeof s->chosen + 96], delta[32] = "";
        if (s->delta_first > 0)
            snprintf(delta, sizeof delta, ", delta %.4g", s->delta_first);
        snprintf(text, sizeof text, "%s%s (%s)", s->scheduler, delta, s->chosen);
        print_label("Chosen", text);
    }
}

static ordo_status find_path(record *r, const ordo_answer *answer, ordo_vid target, ordo_vid **capacity)
{
    ordo_u64 n = answer->n;
    const ordo_vid source = r->at_once ? answer->nearest[target] : r->source; /* no vertex: no path */
    ordo_u64 length = ordo_path(answer->pred, n, source, target, NULL, 0);
    ordo_vid *path = realloc(*capacity, (length ? length : 1) * sizeof *path);
    if (!path)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for a path of %llu vertices", (unsigned long long)length);
    *capacity = path;
    ordo_path(answer->pred, n, source, target, path, length);
    r->path = path;
    r->path_length = length;
    r->path_to = target;
    return ORDO_OK;
}

static void print_path(const record *r)
{
    printf("Path:               ");
    for (ordo_u64 i = 0; i < r->path_length; i++)
        printf(" %llu", (unsigned long long)(r->path[i] + r->graph->id_base));
    printf(r->path_length ? "\n" : " none\n");
}

static void print_cycle(const record *r)
{
    const ordo_cycle *c = &r->answer->cycle;
    printf("Negative Cycle:     ");
    for (ordo_u64 i = 0; i <= c->length && c->length; i++)
        printf(" %llu", (unsigned long long)(c->vertex[i % c->length] + r->graph->id_base));
    printf("\nEdges:              ");
    for (ordo_u64 i = 0; i < c->length; i++)
        printf(" %llu", (unsigned long long)c->edge[i]);
    putchar('\n');
}

/* The memory that a run needs, which must be there. */
static ordo_status expect_memory(record *r, const ordo_options *run)
{
    const options *o = r->o;
    ordo_status status = r->app->memory(r->graph->graph, run, &r->expected, &r->at_most);
    if (status)
        return status;
    const ordo_u64 answer = answer_bytes(r->app, r->graph, o->tree || o->path_to) +
                            (o->nearest || o->sources_at_once ? 2 * r->graph->info.vertices * sizeof(ordo_vid) : 0) +
                            (o->target || o->stop_after ? 2 * r->graph->info.vertices * sizeof(ordo_vid) : 0);
    r->expected += answer;
    r->at_most += answer;
    return check_memory(r->o, r->app->name, r->expected);
}

/* The memory of the further rows of an answer that has one for each source. */
static ordo_status expect_rows(record *r, size_t count)
{
    const ordo_u64 more = count ? (count - 1) * answer_bytes(r->app, r->graph, false) : 0;
    r->expected += more;
    r->at_most += more;
    return check_memory(r->o, r->app->name, r->expected);
}

/* Prints and writes what there is of each trial, and what there is of the first and the last one only. */
static ordo_status report_trial(const record *r, bool first, bool last, outputs *out)
{
    const options *o = r->o;
    if (!o->quiet) {
        if (first)
            print_head(r->stats);
        print_run(r);
        if (o->analysis && last)
            print_analysis(r);
    }
    if (group_here() && !o->quiet)
        printf("Ranks:               %d, which have sent %llu messages%s\n", ordo_group_size(group_here()),
               (unsigned long long)r->stats->messages,
               ordo_group_was_alone(group_here())
                   ? " (rank 0 ran alone, since a level has few edges; --partition divides the graph)"
                   : "");
    if (o->path_to && !o->stdout_taken)
        print_path(r);
    if (r->answer->cycle.length && !o->quiet)
        print_cycle(r);
    ordo_status status = out->json.file ? json_write_run(&out->json, r) : ORDO_OK;
    if (status)
        return status;
    return flush_stdout();
}

/* run_once, which is recorded where a trace is asked for. */
static ordo_status run_recorded(record *r, const ordo_app_input *input, const ordo_options *run, bool verify,
                                ordo_answer *answer, ordo_stats *stats, outputs *out)
{
    if (out->recorded)
        ordo_trace_clear(out->recorded);
    const ordo_status status = run_once(r, input, run, verify, answer, stats);
    out->about = trace_about_run(r, stats);
    return status;
}

/* Writes the trace of the last run that began, however it ended. */
static void write_trace(const options *o, outputs *out)
{
    if (!out->recorded)
        return;
    const ordo_trace_view view = ordo_trace_look(out->recorded);
    if (!view.sample_count)
        return;
    trace_write(out->trace.file, trace_format_of(o->trace), &out->about, &view);
    out->keep_trace = true;
    if (!o->quiet)
        print_trace(&view);
}

/* Writes the answer of the last trial. */
static void write_answer(const record *r, const ordo_answer *answer, outputs *out)
{
    if (out->values.file)
        write_values(&out->values, r->graph, r->app, answer);
    if (out->tree.file)
        write_vertices(&out->tree, r->graph, answer->pred, answer->n);
    if (out->nearest.file)
        write_vertices(&out->nearest, r->graph, answer->nearest, answer->n);
    if (out->cut.file)
        write_cut(&out->cut, answer);
}

/* The vertices of --target and --path-to; unchanged where they are not given. */
static ordo_status parse_ends(const options *o, const loaded *g, ordo_vid *stop, ordo_vid *path_to)
{
    ordo_status status = o->target ? parse_vertex(g, "--target", o->target, stop) : ORDO_OK;
    return status || !o->path_to ? status : parse_vertex(g, "--path-to", o->path_to, path_to);
}

/* What does not change from trial to trial. With --sources-at-once, and in apps that sum over sources, all sources are
 * of one trial, and *count is 1. */
static ordo_status input_of_all(const options *o, const loaded *g, const ordo_vid *sources, size_t *count,
                                const ordo_vid *stop, ordo_app_input *input)
{
    ordo_status status = app_input(o, g, sources[0], input);
    input->targets = stop;
    input->target_count = o->target != NULL;
    if (o->sources_at_once || takes_all(o->app)) {
        input->sources = sources;
        input->source_count = *count;
        *count = 1;
    }
    return status;
}

/* All trials on a loaded graph. */
static ordo_status run_trials(const options *o, const loaded *g, outputs *out)
{
    const char *settings[MAX_SETTINGS];
    ordo_options run = run_options(o, o->scheduler, o->sync, settings);
    run.trace = out->recorded;
    record r = {.graph = g, .app = o->app, .o = o, .trace = out->recorded};
    ordo_status status = expect_memory(&r, &run);
    if (status)
        return status;
    ordo_vid target = 0, stop = 0;
    if ((status = parse_ends(o, g, &stop, &target)))
        return status;

    size_t repeat = o->repeat ? (size_t)o->repeat : 1, warmup = (size_t)o->warmup, count;
    ordo_vid *sources, *path = NULL;
    const bool at_once = takes_all(o->app);
    if ((status = choose_sources(o, g, o->app->sums_sources ? SUMMED_SOURCES : at_once ? 1 : repeat, &sources, &count)))
        return status;
    if (o->app->takes_list && (status = expect_rows(&r, count))) {
        free(sources);
        return status;
    }
    const size_t trials = o->sources && !at_once ? count * repeat : repeat;
    run.repeats = trials + warmup;

    ordo_answer answer = {0};
    ordo_app_input input;
    status = input_of_all(o, g, sources, &count, &stop, &input);
    r.at_once = input.source_count;
    char failure[1024] = "";
    double total = 0;
    progress_steps(trials + warmup);
    for (size_t i = 0; i < trials + warmup && !status; i++) {
        const bool warm = i < warmup;
        const size_t trial = warm ? 0 : i - warmup;
        progress_step();
        ordo_stats stats = {0};
        r.sink = input.sink;
        r.source = input.source = sources[o->sources && !at_once ? trial / repeat : count == 1 ? 0 : trial];
        r.trial = (int)trial + 1;
        status = run_recorded(&r, &input, &run, o->verify && !warm, &answer, &stats, out);
        if (!status && !warm) {
            if (!r.verified && !failure[0])
                snprintf(failure, sizeof failure, "%s", ordo_last_error());
            total += r.trial_seconds;
            if (o->path_to)
                status = find_path(&r, &answer, target, &path);
            if (!status)
                status = report_trial(&r, trial == 0, trial == trials - 1, out);
        }
        ordo_stats_free(&stats);
    }
    if (!status && !o->quiet)
        print_time("Average Time", total / (double)trials);
    if (!status)
        write_answer(&r, &answer, out);
    free(sources);
    free(path);
    free_answer(&answer);
    if (!status && failure[0])
        status = ordo_fail(ORDO_ERR_VERIFY, "%s", failure);
    return status;
}

ordo_status verb_run(const options *given)
{
    options *o = malloc(sizeof *o);
    if (!o)
        return ordo_fail(ORDO_ERR_MEMORY, "no memory for options");
    *o = *given;
    const char *path = NULL, *settings[MAX_SETTINGS];
    ordo_options run = run_options(o, o->scheduler, o->sync, settings);
    outputs out = {0};
    loaded g = {0};
    ordo_status status = check_use(o, &path);
    group_silence(o);
    if (!status)
        status = check_options_early(o, &run);
    if (!status)
        status = open_outputs(o, &out);
    if (!status)
        status = load_graph(o, path, o->app->wants_weights, &g);
    if (!status && group_lacks_rows(o, &run, &g)) {
        load_free(&g);
        status = load_graph(o, path, o->app->wants_weights, &g);
    }
    if (!status)
        status = group_divide(o, &g);
    if (!status && !o->quiet) {
        print_graph(&g);
        status = flush_stdout();
    }
    if (!status)
        status = run_trials(o, &g, &out);

    /* A wrong answer is written, too, so that it can be examined; the exit status marks it. */
    char failure[1024];
    snprintf(failure, sizeof failure, "%s", ordo_last_error());
    write_trace(o, &out);
    ordo_status closed = close_outputs(&out, !status || status == ORDO_ERR_VERIFY);
    if (closed && (!status || status == ORDO_ERR_VERIFY))
        status = closed;
    else if (status)
        ordo_fail(status, "%s", failure);
    renumbered_end();
    load_free(&g);
    free(o);
    return status;
}

ordo_status verb_run_file(const options *given)
{
    static options o;
    if (given->word_count == 0)
        return ordo_fail(ORDO_ERR_USAGE, "run needs an operator's file and a graph");
    o = *given;
    ordo_status status = run_time_app(&o, o.words[0], &o.app);
    if (status)
        return status;
    o.word_count--;
    memmove(o.words, o.words + 1, (size_t)o.word_count * sizeof o.words[0]);
    return verb_run(&o);
}
