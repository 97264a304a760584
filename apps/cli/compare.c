/* compare.c -- `ordo compare`: runs contenders on the same graphs from the same sources, verified, and says which
 * differ. If the command is interrupted, it prints and keeps the runs that have finished.
 */
#define _DEFAULT_SOURCE /* getentropy */
#include "apps/cli/compare.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ordo/memory.h>
#include <ordo/scheduler/scheduler.h>

#include "apps/cli/run_time/operator.h"

/* ---- one graph ---- */

static ordo_status make_runs(comparison *c)
{
    const options *o = c->o;
    const size_t each = c->results.source_count * (size_t)c->count;
    const bool open_end = o->adaptive > 0; /* the number of runs is not known before */
    progress_steps(open_end ? 0 : (size_t)o->repeat * each + (size_t)o->warmup * (size_t)c->count);
    c->results.wanted = (size_t)o->repeat * each;
    ordo_compare_plan plan = {.rounds = o->repeat, .warmup = o->warmup ? o->warmup : -1, .adaptive = o->adaptive};
    ordo_status status = comparison_run(c, &plan);
    progress_steps(0);
    return status;
}

static ordo_status compare_graph(comparison *c, const char *path)
{
    const options *o = c->o;
    loaded g;
    ordo_status status = load_graph(o, path, o->app->wants_weights, &g);
    if (status)
        return status;
    c->graph = &g;
    if (c->table.text)
        print_graph(&g);
    status = comparison_begin(c);
    results *r = &c->results;
    if (!status && c->table.text && r->starts && r->source_count == 1)
        printf("Source:              %7llu\n", (unsigned long long)r->source[0]);
    if (!status && c->table.text)
        status = flush_stdout();
    if (!status)
        status = make_runs(c);
    if (!status && o->trace)
        status = comparison_trace(c);
    int ran = 0;
    for (int i = 0; i < r->count && r->entries; i++)
        ran += took_part(&r->entries[i]);
    if (status == ORDO_ERR_VERIFY) /* the table shows it; the next graph follows */
        status = ORDO_OK;
    else if (!ran && r->entries && r->entries[0].reason[0] && status == r->entries[0].status)
        status =
            ordo_fail(r->entries[0].status, "no scheduler can run %s here: %.400s", o->app->name, r->entries[0].reason);
    if (ran && (!status || status == ORDO_ERR_CANCELLED)) {
        ordo_status written = table_finish(&c->table, r, status != ORDO_OK);
        status = status ? status : written;
    }
    comparison_end(c, &g);
    return status;
}

/* ---- the verb ---- */

/* Unsound pairs are listed with the reason; wrong options end the command. */
static ordo_status check_early(comparison *c)
{
    const ordo_options *runs[MAX_CANDIDATES];
    for (int i = 0; i < c->count; i++)
        runs[i] = &c->candidates[i].run;
    run_time_ahead(c->o, c->o->app, runs, c->count);
    for (int i = 0; i < c->count; i++) {
        ordo_status status = check_options_early(c->o, &c->candidates[i].run);
        if (status && status != ORDO_ERR_UNSOUND)
            return status;
    }
    return ORDO_OK;
}

/* All graphs, by one app. */
static ordo_status compare_app(comparison *c, const char *name, bool first)
{
    options *o = c->o;
    const bool made = o->generate || o->made.kind;
    ordo_status status = find_app_or_file(o, name, &o->app);
    if (status)
        return status;
    if (o->word_count + made < 2)
        return ordo_fail(ORDO_ERR_USAGE, "no graph given: expected files, '-', --generate, -g or -u");
    option_scope scope = scope_of_app(VERB_COMPARE, o->app);
    status = options_suit(o, &scope);
    if (!status)
        status = find_candidates(o, o->schedulers ? o->schedulers : "all", c->candidates, &c->count);
    if (!status)
        status = check_early(c);
    for (int i = made ? 0 : 1; i < o->word_count && !status; i++) {
        if (c->table.text && !(first && i == (made ? 0 : 1)))
            putchar('\n');
        status = compare_graph(c, i ? o->words[i] : NULL);
    }
    return status;
}

static ordo_status compare_apps(comparison *c)
{
    char name[1024];
    ordo_status status = ORDO_OK;
    bool first = true;
    for (const char *at = c->o->words[0]; at && !status; first = false) {
        size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 1023 ? length : 1023), at);
        at = at[length] ? at + length + 1 : NULL;
        status = compare_app(c, name, first);
    }
    if (!status && c->table.text)
        table_means(&c->table);
    return status;
}

static ordo_status open_outputs(comparison *c, sink *csv, sink *svg)
{
    const options *o = c->o;
    ordo_status status = ORDO_OK;
    unsigned char bytes[8] = {0};
    if (getentropy(bytes, sizeof bytes) != 0)
        return ordo_fail(ORDO_ERR_INTERNAL, "no random bytes for the name of this comparison");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(c->session + 2 * i, 3, "%02x", bytes[i]);
    if (o->json)
        status = sink_open(&c->json, o->json);
    if (!status && o->csv)
        status = sink_open(csv, o->csv);
    if (!status && o->svg)
        status = sink_open(svg, o->svg);
    if (!status && o->save)
        status = sink_append(&c->save, o->save);
    if (!status && o->trace) {
        snprintf(c->viewer_path, sizeof c->viewer_path, "%s.perfetto", o->trace);
        status = sink_open(&c->viewer, c->viewer_path);
    }
    c->table.csv = csv->file;
    c->table.svg = svg->file;
    c->table.text = !o->quiet && c->json.file != stdout && csv->file != stdout && svg->file != stdout;
    return status;
}

/* Closes the outputs; what finished is kept after an interrupt and after a wrong answer. */
static ordo_status close_outputs(comparison *c, sink *csv, sink *svg, ordo_status status)
{
    sink *all[] = {&c->json, csv, svg, &c->save, &c->viewer};
    char failure[1024];
    snprintf(failure, sizeof failure, "%s", ordo_last_error());
    const bool keep = !status || status == ORDO_ERR_VERIFY || (status == ORDO_ERR_CANCELLED && c->any_whole);
    ordo_status closed = keep && svg->file ? plot_write(&c->table.plot, svg->file) : ORDO_OK;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        ordo_status one = sink_close(all[i], keep);
        closed = closed ? closed : one;
    }
    if (closed && keep && status != ORDO_ERR_CANCELLED)
        return closed;
    return status ? ordo_fail(status, "%s", failure) : ORDO_OK;
}

/* Traces are of one app on one graph, so that they belong on one axis. */
static ordo_status check_trace(const options *o)
{
    if (options_given(o, "trace-period") && !o->trace)
        return ordo_fail(ORDO_ERR_USAGE, "--trace-period without --trace PREFIX");
    if (!o->trace)
        return ORDO_OK;
    if (strlen(o->trace) >= TRACE_PATH)
        return ordo_fail(ORDO_ERR_USAGE, "--trace of %zu bytes, expected less than %d", strlen(o->trace), TRACE_PATH);
    if (o->from || o->word_count + (o->generate || o->made.kind) != 2 || strchr(o->words[0], ','))
        return ordo_fail(ORDO_ERR_USAGE, "--trace is of one app on one graph");
    return ORDO_OK;
}

static ordo_status check_use(const options *o)
{
    const char *files[] = {o->json, o->csv, o->svg, o->save};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            if (files[i] && files[j] && !strcmp(files[i], files[j]))
                return ordo_fail(ORDO_ERR_USAGE, "two outputs go to '%s', expected different files", files[i]);
    if (o->from && (o->generate || o->made.kind || o->json || o->save || o->schedulers))
        return ordo_fail(ORDO_ERR_USAGE, "--from makes no runs, so it takes no graph, --schedulers, --json and --save");
    if (!o->from && o->word_count == 0)
        return ordo_fail(ORDO_ERR_USAGE, "compare needs an app and a graph");
    return check_trace(o);
}

ordo_status verb_compare(const options *given)
{
    ordo_status status = check_use(given);
    if (status)
        return status;
    options *o = malloc(sizeof *o);
    comparison *c = calloc(1, sizeof *c);
    candidate *candidates = malloc(MAX_CANDIDATES * sizeof *candidates);
    if (!o || !c || !candidates) {
        free(o);
        free(c);
        free(candidates);
        return ordo_fail(ORDO_ERR_MEMORY, "no memory for a comparison");
    }
    *o = *given;
    o->repeat = o->repeat ? o->repeat : DEFAULT_REPEAT;
    o->warmup = options_given(o, "warmup") ? o->warmup : 1;
    c->o = o;
    c->candidates = candidates;
    c->seed = o->seed;
    sink csv = {0}, svg = {0};
    status = open_outputs(c, &csv, &svg);
    if (!status)
        status = o->from ? compare_saved(o, &c->table) : compare_apps(c);
    if (!status && c->any_failed)
        status = ordo_fail(ORDO_ERR_VERIFY, "%s", c->failure);
    status = close_outputs(c, &csv, &svg, status);
    table_free(&c->table);
    free(candidates);
    free(c);
    free(o);
    return status;
}
