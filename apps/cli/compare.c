/* compare.c -- `ordo compare`: every scheduler on the same graphs from the same sources, checked, side by side.
 *
 * Runs are interleaved (A, B, C, A, B, C, ...) so that drift of the machine is shared. Each scheduler's first answer
 * from a source is verified; later ones must equal the verified one bit for bit (by a 64-bit hash), which costs a pass
 * over the answer instead of a serial run. Of an app whose answers are approximate every one is verified.
 */
#include "apps/cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/scheduler.h>

/* One line of the table. */
typedef struct entry {
    candidate *who;
    char reason[1024];  /* why it cannot run, or is out; empty if it can */
    ordo_status status; /* the one of the reason */
    ordo_u64 expected, at_most;

    double *seconds; /* [runs] */
    size_t runs;
    char used_sync[16], fallback[256];      /* why it is not on a GPU under --device auto */
    double items, edges, stale, supersteps; /* summed over runs */
    ordo_u64 peak_worklist;
    bool failed;
} entry;

typedef struct comparison {
    const options *o;
    candidate candidates[MAX_CANDIDATES];
    entry entries[MAX_CANDIDATES]; /* one for each of them */
    int count;
    bool any_failed;
    char failure[1024]; /* the first one */
} comparison;

/* ---- who takes part ---- */

/* Unsound pairs are listed with the reason; wrong options end the command. */
static ordo_status check_early(comparison *c)
{
    for (int i = 0; i < c->count; i++) {
        ordo_status status = check_options_early(c->o, &c->candidates[i].run);
        if (status && status != ORDO_ERR_UNSOUND)
            return status;
    }
    return ORDO_OK;
}

static void note_reason(entry *e, ordo_status status)
{
    e->status = status;
    snprintf(e->reason, sizeof e->reason, "%s", ordo_last_error());
}

/* A scheduler that runs out of memory or time is out; others go on. */
static ordo_status goes_on(entry *e, ordo_status status)
{
    if (status != ORDO_ERR_MEMORY && status != ORDO_ERR_TIMEOUT)
        return status;
    note_reason(e, status);
    return ORDO_OK;
}

static ordo_status prepare_entries(comparison *c, const loaded *g, size_t runs)
{
    for (int i = 0; i < c->count; i++) {
        entry *e = &c->entries[i];
        e->reason[0] = 0;
        e->status = ORDO_OK;
        e->fallback[0] = 0;
        e->runs = 0;
        e->items = e->edges = e->stale = e->supersteps = 0;
        e->peak_worklist = 0;
        e->failed = false;
        ordo_status status = c->o->app->memory(g->graph, &e->who->run, &e->expected, &e->at_most);
        if (!status) {
            e->expected += answer_bytes(c->o->app, g, false);
            e->at_most += answer_bytes(c->o->app, g, false);
            status = check_memory(c->o, e->who->scheduler, e->expected);
        }
        if (status == ORDO_ERR_UNSOUND)
            note_reason(e, status);
        else if (goes_on(e, status))
            return status;
        double *seconds = realloc(e->seconds, runs * sizeof *seconds);
        if (!seconds)
            return ordo_fail(ORDO_ERR_MEMORY, "no room for %zu times", runs);
        e->seconds = seconds;
    }
    return ORDO_OK;
}

/* ---- answers ---- */

static ordo_u64 hash_word(ordo_u64 hash, ordo_u64 word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* What flows on edges is not unique: the numbers and the cut stand for it. */
static ordo_u64 hash_answer(const ordo_app *app, const ordo_answer *a)
{
    const ordo_u32 *word = a->values;
    ordo_u64 words = a->used * (a->size / sizeof *word);
    ordo_u64 hash = a->used ^ (ordo_u64)a->type << 56;
    for (ordo_u64 v = 0; v < words && !app->values_on_edges; v++)
        hash = hash_word(hash, word[v]);
    for (int i = 0; i < a->field_count && app->values_on_edges; i++)
        hash = hash_word(hash, a->fields[i].whole);
    for (ordo_u64 v = 0; v < a->side_count; v++)
        hash = hash_word(hash, a->side[v]);
    return hash;
}

static void note_failure(comparison *c, entry *e, const char *sentence)
{
    e->failed = true;
    if (!c->any_failed)
        snprintf(c->failure, sizeof c->failure, "%s: %.900s", e->who->scheduler, sentence);
    c->any_failed = true;
}

/* The first answer from a source; what others are held against. */
typedef struct reference {
    bool set;
    ordo_u64 hash;
    int entry;
} reference;

static ordo_status run_entry(comparison *c, entry *e, const loaded *g, ordo_vid source, int round, bool first,
                             reference *known, ordo_answer *answer, sink *json)
{
    const options *o = c->o;
    ordo_stats stats = {0};
    ordo_app_input input;
    ordo_status status = app_input(o, g, source, &input);
    if (status)
        return status;
    record r = {.graph = g,
                .app = o->app,
                .source = source,
                .sink = input.sink,
                .o = o,
                .expected = e->expected,
                .at_most = e->at_most,
                .trial = round};
    bool verify = (first || o->app->is_approximate) && !o->no_verify;
    status = run_once(&r, &input, &e->who->run, verify, answer, &stats);
    if (status) {
        ordo_stats_free(&stats);
        return status;
    }
    ordo_u64 hash = hash_answer(o->app, answer);
    int index = (int)(e - c->entries);
    if (r.verified == 0) {
        note_failure(c, e, ordo_last_error());
    } else if (o->app->is_approximate) {
        known->set = true;
    } else if (!known->set) {
        *known = (reference){true, hash, index};
    } else if (known->hash != hash) {
        char sentence[160];
        snprintf(sentence, sizeof sentence, "its answer in round %d differs from that of %s", round,
                 c->candidates[known->entry].scheduler);
        note_failure(c, e, sentence);
        r.verified = 0;
    } else if (!o->no_verify) {
        r.verified = 1; /* equal to a verified one */
    }
    e->seconds[e->runs++] = stats.run_seconds + stats.transfer_seconds;
    snprintf(e->used_sync, sizeof e->used_sync, "%s", stats.sync);
    snprintf(e->fallback, sizeof e->fallback, "%s", stats.fallback);
    e->items += (double)stats.items;
    e->edges += (double)stats.edges;
    e->stale += (double)stats.stale;
    e->supersteps += (double)stats.supersteps;
    e->peak_worklist = stats.peak_worklist_bytes > e->peak_worklist ? stats.peak_worklist_bytes : e->peak_worklist;
    if (json->file)
        status = json_write_run(json, &r);
    ordo_stats_free(&stats);
    return status;
}

/* ---- the table ---- */

enum { COLUMNS = 13, FIRST_NUMBER = 3, CELL = 40 };
typedef char row_cells[COLUMNS][CELL];

static const char *const heads[COLUMNS] = {"",           "scheduler", "sync",          "median ms", "min..max ms",
                                           "speed-up",   "items",     "items/reached", "edges/m",   "stale",
                                           "supersteps", "peak MB",   "verified"};

static double median(const entry *e)
{
    return median_of(e->seconds, e->runs);
}

static bool took_part(const entry *e)
{
    return !e->reason[0] && e->runs > 0;
}

static void fill_row(const comparison *c, const entry *e, const loaded *g, double reached, double slowest, bool best,
                     row_cells cells)
{
    double runs = (double)e->runs;
    char count[32];
    snprintf(cells[0], CELL, "%s", best ? "*" : "");
    snprintf(cells[1], CELL, "%.39s", e->who->scheduler);
    snprintf(cells[2], CELL, "%s", e->used_sync);
    snprintf(cells[3], CELL, "%.3f", 1e3 * median(e));
    snprintf(cells[4], CELL, "%.3f..%.3f", 1e3 * e->seconds[0], 1e3 * e->seconds[e->runs - 1]);
    snprintf(cells[5], CELL, "%.2fx", median(e) > 0 ? slowest / median(e) : 1);
    format_count((ordo_u64)(e->items / runs), count);
    snprintf(cells[6], CELL, "%s", count);
    snprintf(cells[7], CELL, "%.2f", reached > 0 ? e->items / runs / reached : 0);
    snprintf(cells[8], CELL, "%.2f", g->info.edges ? e->edges / runs / (double)g->info.edges : 0);
    format_count((ordo_u64)(e->stale / runs), count);
    snprintf(cells[9], CELL, "%s", count);
    format_count((ordo_u64)(e->supersteps / runs), count);
    snprintf(cells[10], CELL, "%s", count);
    snprintf(cells[11], CELL, "%.1f", (double)e->peak_worklist / 1e6);
    snprintf(cells[12], CELL, "%s", e->failed ? "FAIL" : c->o->no_verify ? "-" : "PASS");
}

static void print_rows(const row_cells *rows, int count)
{
    size_t width[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) {
        width[i] = strlen(heads[i]);
        for (int r = 0; r < count; r++)
            width[i] = strlen(rows[r][i]) > width[i] ? strlen(rows[r][i]) : width[i];
    }
    for (int r = -1; r < count; r++) {
        for (int i = 0; i < COLUMNS; i++) {
            const char *text = r < 0 ? heads[i] : rows[r][i];
            int cell = (int)width[i];
            if (i < FIRST_NUMBER)
                printf("%-*s ", i == 0 ? 1 : cell, text);
            else
                printf(" %*s", cell + 1, text);
        }
        putchar('\n');
    }
}

static void print_table(comparison *c, const loaded *g, double reached, size_t sources)
{
    const entry *best = NULL, *slow = NULL;
    for (int i = 0; i < c->count; i++) {
        entry *e = &c->entries[i];
        if (!took_part(e))
            continue;
        if (!e->failed && (!best || median(e) < median(best)))
            best = e;
        if (!slow || median(e) > median(slow))
            slow = e;
    }
    static row_cells rows[MAX_CANDIDATES];
    int count = 0;
    for (int i = 0; i < c->count; i++)
        if (took_part(&c->entries[i]))
            fill_row(c, &c->entries[i], g, reached, median(slow), &c->entries[i] == best, rows[count++]);
    putchar('\n');
    print_rows((const row_cells *)rows, count);
    for (int i = 0; i < c->count; i++)
        if (c->entries[i].reason[0])
            printf("  %s %s: %s\n", c->candidates[i].scheduler,
                   c->entries[i].status == ORDO_ERR_TIMEOUT ? "left out" : "cannot run", c->entries[i].reason);
    for (int i = 0; i < c->count; i++)
        if (c->entries[i].fallback[0])
            printf("  %s not on a GPU: %s\n", c->candidates[i].scheduler, c->entries[i].fallback);
    if (best)
        printf("Best:                %s, %.2f times as fast as %s; each from %zu run%s and %zu source%s\n",
               best->who->scheduler, median(best) > 0 ? median(slow) / median(best) : 1, slow->who->scheduler,
               best->runs, best->runs == 1 ? "" : "s", sources, sources == 1 ? "" : "s");
}

/* ---- one graph ---- */

static double field(const ordo_answer *a, const char *name, double otherwise)
{
    for (int i = 0; i < a->field_count; i++)
        if (!strcmp(a->fields[i].name, name))
            return a->fields[i].type == ORDO_F32 ? a->fields[i].real : (double)a->fields[i].whole;
    return otherwise;
}

static ordo_status run_rounds(comparison *c, const loaded *g, const ordo_vid *sources, size_t count,
                              ordo_answer *answer, double *reached, sink *json)
{
    const options *o = c->o;
    int rounds = o->repeat;
    ordo_status status = ORDO_OK;
    for (int i = 0; i < o->warmup && !status; i++)
        for (int k = 0; k < c->count && !status; k++) {
            if (c->entries[k].reason[0])
                continue;
            ordo_stats stats = {0};
            ordo_app_input input;
            record r = {.graph = g, .app = o->app, .o = o};
            status = app_input(o, g, sources[0], &input);
            if (!status)
                status = goes_on(&c->entries[k], run_once(&r, &input, &c->candidates[k].run, false, answer, &stats));
            ordo_stats_free(&stats);
        }
    double total = 0;
    for (size_t s = 0; s < count && !status; s++) {
        reference known = {0};
        for (int round = 1; round <= rounds && !status; round++)
            for (int k = 0; k < c->count && !status; k++) {
                entry *e = &c->entries[k];
                if (e->reason[0])
                    continue;
                status = goes_on(e, run_entry(c, e, g, sources[s], round, round == 1, &known, answer, json));
            }
        total += field(answer, "reached", (double)g->info.vertices);
    }
    *reached = total / (double)count;
    return status;
}

static ordo_status compare_graph(comparison *c, const char *path, sink *json)
{
    const options *o = c->o;
    bool text = !o->quiet && json->file != stdout;
    loaded g;
    ordo_status status = load_graph(o, path, o->app->wants_weights, &g);
    if (status)
        return status;
    if (text) {
        print_graph(&g);
        status = flush_stdout();
    }
    ordo_vid *sources = NULL;
    size_t count = 0;
    if (!status)
        status = choose_sources(o, &g, 1, &sources, &count);
    if (!status)
        status = prepare_entries(c, &g, count * (size_t)o->repeat);
    ordo_answer answer = {0};
    double reached = 0;
    if (!status && text && (o->app->needs_source || o->source) && count == 1)
        printf("Source:              %7llu\n", (unsigned long long)(sources[0] + g.id_base));
    if (!status)
        status = run_rounds(c, &g, sources, count, &answer, &reached, json);
    int ran = 0;
    for (int i = 0; i < c->count; i++)
        ran += took_part(&c->entries[i]);
    if (!status && !ran)
        status =
            ordo_fail(c->entries[0].status, "no scheduler can run %s here: %.400s", o->app->name, c->entries[0].reason);
    if (!status && text) {
        printf("Result:              ");
        print_fields(&answer);
        print_table(c, &g, reached, count);
        status = flush_stdout();
    }
    free_answer(&answer);
    free(sources);
    load_free(&g);
    return status;
}

/* ---- the verb ---- */

ordo_status verb_compare(const options *given)
{
    if (given->word_count == 0)
        return ordo_fail(ORDO_ERR_USAGE, "compare needs an app and a graph");
    options *o = malloc(sizeof *o);
    comparison *c = calloc(1, sizeof *c);
    if (!o || !c) {
        free(o);
        free(c);
        return ordo_fail(ORDO_ERR_MEMORY, "no memory for a comparison");
    }
    *o = *given;
    o->repeat = o->repeat ? o->repeat : DEFAULT_REPEAT;
    c->o = o;
    sink json = {0};
    ordo_status status = ORDO_OK;
    bool made = o->generate || o->made.kind;
    o->app = find_app(o->words[0]);
    if (!o->app)
        status = unknown("app", o->words[0], verb_names(), "ordo help");
    else if ((status = options_suit(o, o->app)))
        ;
    else if (o->word_count + made < 2)
        status = ordo_fail(ORDO_ERR_USAGE, "no graph given: expected files, '-', --generate, -g or -u");
    if (!status)
        status = find_candidates(o, o->schedulers ? o->schedulers : "all", c->candidates, &c->count);
    for (int i = 0; i < c->count; i++)
        c->entries[i].who = &c->candidates[i];
    if (!status)
        status = check_early(c);
    if (!status && o->json)
        status = sink_open(&json, o->json);
    if (!status && made)
        status = compare_graph(c, NULL, &json);
    for (int i = 1; i < o->word_count && !status; i++) {
        if ((i > 1 || made) && !o->quiet && json.file != stdout)
            putchar('\n');
        status = compare_graph(c, o->words[i], &json);
    }
    if (!status && c->any_failed)
        status = ordo_fail(ORDO_ERR_VERIFY, "%s", c->failure);
    char failure[1024];
    snprintf(failure, sizeof failure, "%s", ordo_last_error());
    bool keep = !status || status == ORDO_ERR_VERIFY;
    ordo_status closed = sink_close(&json, keep);
    if (closed && keep)
        status = closed;
    else if (status)
        ordo_fail(status, "%s", failure);
    for (int i = 0; i < c->count; i++)
        free(c->entries[i].seconds);
    free(c);
    free(o);
    return status;
}
