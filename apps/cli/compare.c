/* compare.c -- `ordo compare`: runs every scheduler on the same graphs from the same sources, verified.
 *
 * Runs are interleaved (A, B, C, A, B, C, ...) so that changes of the machine's speed affect all. Each scheduler's
 * first answer from a source is verified; later ones must equal the verified one bit for bit (by a 64-bit hash), which
 * costs a pass over the answer instead of a serial run. Where answers are approximate, every one is verified. If the
 * command is interrupted, it prints and keeps the runs that have finished.
 */
#include "apps/cli/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>
#include <ordo/scheduler/scheduler.h>

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

/* A scheduler that runs out of memory or time is left out; the others continue. */
static ordo_status goes_on(entry *e, ordo_status status)
{
    if (status != ORDO_ERR_MEMORY && status != ORDO_ERR_TIMEOUT)
        return status;
    note_reason(e, status);
    return ORDO_OK;
}

/* Resets an entry for the next graph. */
static ordo_status clear_entry(comparison *c, entry *e)
{
    const size_t runs = c->source_count * (size_t)c->o->repeat;
    double *seconds = realloc(e->seconds, runs * sizeof *seconds);
    e->seconds = seconds ? seconds : e->seconds;
    size_t *done = realloc(e->done, c->source_count * sizeof *done);
    e->done = done ? done : e->done;
    if (!seconds || !done)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for %zu times", runs);
    *e = (entry){.who = e->who, .seconds = seconds, .done = done};
    memset(done, 0, c->source_count * sizeof *done);
    return ORDO_OK;
}

static ordo_status prepare_entries(comparison *c)
{
    const loaded *g = c->graph;
    for (int i = 0; i < c->count; i++) {
        entry *e = &c->entries[i];
        ordo_status status = clear_entry(c, e);
        if (status)
            return status;
        status = c->o->app->memory(g->graph, &e->who->run, &e->expected, &e->at_most);
        if (!status) {
            e->expected += answer_bytes(c->o->app, g, false);
            e->at_most += answer_bytes(c->o->app, g, false);
            status = check_memory(c->o, e->who->scheduler, e->expected);
        }
        if (status == ORDO_ERR_UNSOUND)
            note_reason(e, status);
        else if (goes_on(e, status))
            return status;
    }
    return ORDO_OK;
}

/* ---- answers ---- */

static ordo_u64 hash_word(ordo_u64 hash, ordo_u64 word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* Flows on edges are not unique: the fields and the cut are compared instead. */
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

/* The first answer from a source, with which the others are compared. */
typedef struct reference {
    bool set;
    ordo_u64 hash;
    int entry;
} reference;

/* Whether a run's answer is right: verified, or equal to the first one from the same source, which it may be itself. */
static void judge_answer(comparison *c, entry *e, record *r, reference *known)
{
    ordo_u64 hash = hash_answer(r->app, r->answer);
    if (r->verified == 0) {
        note_failure(c, e, ordo_last_error());
    } else if (r->app->is_approximate) {
        known->set = true;
    } else if (!known->set) {
        *known = (reference){true, hash, (int)(e - c->entries)};
    } else if (known->hash != hash) {
        char sentence[160];
        snprintf(sentence, sizeof sentence, "its answer in round %d differs from that of %s", r->trial,
                 c->candidates[known->entry].scheduler);
        note_failure(c, e, sentence);
        r->verified = 0;
    } else if (!r->o->no_verify) {
        r->verified = 1; /* equal to a verified one */
    }
}

/* Adds a run to what is known of its entry. */
static void count_run(entry *e, size_t which, const record *r)
{
    const ordo_stats *s = r->stats;
    e->seconds[which * (size_t)r->o->repeat + e->done[which]++] = s->run_seconds + s->transfer_seconds;
    e->runs++;
    snprintf(e->used_sync, sizeof e->used_sync, "%s", s->sync);
    snprintf(e->fallback, sizeof e->fallback, "%s", s->fallback);
    e->items += (double)s->items;
    e->edges += (double)s->edges;
    e->stale += (double)s->stale;
    e->supersteps += (double)s->supersteps;
    e->peak_worklist = s->peak_worklist_bytes > e->peak_worklist ? s->peak_worklist_bytes : e->peak_worklist;
}

/* Makes one run, from the source of that index. */
static ordo_status run_entry(comparison *c, entry *e, size_t which, int round, reference *known, ordo_answer *answer)
{
    const options *o = c->o;
    const ordo_vid source = c->sources[which];
    ordo_stats stats = {0};
    ordo_app_input input;
    ordo_status status = app_input(o, c->graph, source, &input);
    if (status)
        return status;
    record r = {.graph = c->graph,
                .app = o->app,
                .source = source,
                .sink = input.sink,
                .o = o,
                .expected = e->expected,
                .at_most = e->at_most,
                .trial = round};
    bool verify = (round == 1 || o->app->is_approximate) && !o->no_verify;
    status = run_once(&r, &input, &e->who->run, verify, answer, &stats);
    if (status) {
        ordo_stats_free(&stats);
        return status;
    }
    judge_answer(c, e, &r, known);
    count_run(e, which, &r);
    if (r.verified || !c->results[which].field_count) {
        memcpy(c->results[which].fields, answer->fields, sizeof answer->fields);
        c->results[which].field_count = answer->field_count;
    }
    if (c->json.file)
        status = json_write_run(&c->json, &r);
    if (c->json.file && !status) {
        status = sink_whole(&c->json);
        c->any_whole = true;
    }
    ordo_stats_free(&stats);
    table_update(c);
    return status;
}

/* ---- one graph ---- */

static ordo_status warm_up(comparison *c, ordo_answer *answer)
{
    const options *o = c->o;
    ordo_status status = ORDO_OK;
    for (int i = 0; i < o->warmup && !status; i++)
        for (int k = 0; k < c->count && !status; k++) {
            progress_step();
            if (c->entries[k].reason[0])
                continue;
            ordo_stats stats = {0};
            ordo_app_input input;
            record r = {.graph = c->graph, .app = o->app, .o = o};
            status = app_input(o, c->graph, c->sources[0], &input);
            if (!status)
                status = goes_on(&c->entries[k], run_once(&r, &input, &c->candidates[k].run, false, answer, &stats));
            ordo_stats_free(&stats);
        }
    return status;
}

static ordo_status run_rounds(comparison *c, ordo_answer *answer)
{
    const options *o = c->o;
    progress_steps((c->source_count * (size_t)o->repeat + (size_t)o->warmup) * (size_t)c->count);
    ordo_status status = warm_up(c, answer);
    for (size_t s = 0; s < c->source_count && !status; s++) {
        reference known = {0};
        for (int round = 1; round <= o->repeat && !status; round++)
            for (int k = 0; k < c->count && !status; k++) {
                entry *e = &c->entries[k];
                progress_step();
                if (!e->reason[0])
                    status = goes_on(e, run_entry(c, e, s, round, &known, answer));
            }
    }
    progress_steps(0);
    return status;
}

static ordo_status prepare_graph(comparison *c)
{
    ordo_status status = choose_sources(c->o, c->graph, 1, &c->sources, &c->source_count);
    if (status)
        return status;
    c->results = calloc(c->source_count, sizeof *c->results);
    c->scratch = malloc((c->source_count + (size_t)c->o->repeat) * sizeof *c->scratch);
    if (!c->results || !c->scratch)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for the results of %zu sources", c->source_count);
    return prepare_entries(c);
}

static ordo_status compare_graph(comparison *c, const char *path)
{
    const options *o = c->o;
    loaded g;
    ordo_status status = load_graph(o, path, o->app->wants_weights, &g);
    if (status)
        return status;
    c->graph = &g;
    if (c->text)
        print_graph(&g);
    status = prepare_graph(c);
    if (!status && c->text && (o->app->needs_source || o->source) && c->source_count == 1)
        printf("Source:              %7llu\n", (unsigned long long)(c->sources[0] + g.id_base));
    if (!status && c->text)
        status = flush_stdout();
    ordo_answer answer = {0};
    if (!status)
        status = run_rounds(c, &answer);
    int ran = 0;
    for (int i = 0; i < c->count; i++)
        ran += took_part(&c->entries[i]);
    if (!status && !ran)
        status =
            ordo_fail(c->entries[0].status, "no scheduler can run %s here: %.400s", o->app->name, c->entries[0].reason);
    if (ran && c->text && (!status || status == ORDO_ERR_CANCELLED)) {
        table_finish(c, status != ORDO_OK);
        ordo_status written = flush_stdout();
        status = status ? status : written;
    }
    process_last_words(NULL);
    free_answer(&answer);
    free(c->sources);
    free(c->results);
    free(c->scratch);
    c->sources = NULL;
    c->results = NULL;
    c->scratch = NULL;
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
    ordo_status status = ORDO_OK;
    bool made = o->generate || o->made.kind;
    o->app = find_app(o->words[0]);
    if (!o->app)
        status = unknown("app", o->words[0], verb_names(), "ordo help");
    else if (o->word_count + made < 2)
        status = ordo_fail(ORDO_ERR_USAGE, "no graph given: expected files, '-', --generate, -g or -u");
    if (!status) {
        option_scope scope = scope_of_app(VERB_COMPARE, o->app);
        status = options_suit(o, &scope);
    }
    if (!status)
        status = find_candidates(o, o->schedulers ? o->schedulers : "all", c->candidates, &c->count);
    for (int i = 0; i < c->count; i++)
        c->entries[i].who = &c->candidates[i];
    if (!status)
        status = check_early(c);
    if (!status && o->json)
        status = sink_open(&c->json, o->json);
    c->text = !o->quiet && c->json.file != stdout;
    if (!status && made)
        status = compare_graph(c, NULL);
    for (int i = 1; i < o->word_count && !status; i++) {
        if ((i > 1 || made) && c->text)
            putchar('\n');
        status = compare_graph(c, o->words[i]);
    }
    if (!status && c->any_failed)
        status = ordo_fail(ORDO_ERR_VERIFY, "%s", c->failure);
    char failure[1024];
    snprintf(failure, sizeof failure, "%s", ordo_last_error());
    bool keep = !status || status == ORDO_ERR_VERIFY || (status == ORDO_ERR_CANCELLED && c->any_whole);
    ordo_status closed = sink_close(&c->json, keep);
    if (closed && keep && status != ORDO_ERR_CANCELLED)
        status = closed;
    else if (status)
        ordo_fail(status, "%s", failure);
    for (int i = 0; i < c->count; i++) {
        free(c->entries[i].seconds);
        free(c->entries[i].done);
    }
    free(c);
    free(o);
    return status;
}
