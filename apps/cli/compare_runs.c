/* compare_runs.c -- the runs of a comparison on one graph, which ordo_compare() asks for.
 *
 * Each contender's first answer from a source is verified; later ones must equal the verified one bit for bit (by a
 * 64-bit hash), which costs a pass over the answer instead of a serial run. Where answers are approximate, every one is
 * verified.
 */
#include "apps/cli/compare.h"

#include <stdlib.h>
#include <string.h>

/* ---- who takes part ---- */

static void note_reason(entry *e, ordo_status status)
{
    e->status = status;
    snprintf(e->reason, sizeof e->reason, "%s", ordo_last_error());
}

/* Whether a status leaves a contender out, while the others continue. */
static bool leaves_out(ordo_status status)
{
    return status == ORDO_ERR_UNSOUND || status == ORDO_ERR_MEMORY || status == ORDO_ERR_TIMEOUT;
}

ordo_status comparison_entries(comparison *c)
{
    const loaded *g = c->graph;
    for (int i = 0; i < c->count; i++) {
        entry *e = &c->results.entries[i];
        e->who = &c->candidates[i];
        e->checked = true;
        snprintf(e->label, sizeof e->label, "%s", e->who->label);
        ordo_status status = c->o->app->memory(g->graph, &e->who->run, &e->expected, &e->at_most);
        if (!status) {
            e->expected += answer_bytes(c->o->app, g, false);
            e->at_most += answer_bytes(c->o->app, g, false);
            status = check_memory(c->o, e->who->scheduler, e->expected);
        }
        if (status && !leaves_out(status))
            return status;
        if (status)
            note_reason(e, status);
    }
    return ORDO_OK;
}

/* ---- answers ---- */

static ordo_u64 hash_word(ordo_u64 hash, ordo_u64 word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* Flows on edges are not unique: the fields and the cut are compared instead. Fields alone where there are no values.
 */
static ordo_u64 hash_answer(const ordo_app *app, const ordo_answer *a)
{
    const ordo_u32 *word = a->values;
    ordo_u64 words = a->used * (a->size / sizeof *word);
    ordo_u64 hash = a->used ^ (ordo_u64)a->type << 56;
    for (ordo_u64 v = 0; v < words && !app->values_on_edges; v++)
        hash = hash_word(hash, word[v]);
    for (int i = 0; i < a->field_count && (app->values_on_edges || app->values_on_request); i++)
        hash = hash_word(hash, a->fields[i].whole);
    for (ordo_u64 v = 0; v < a->side_count; v++)
        hash = hash_word(hash, a->side[v]);
    return hash;
}

static void note_failure(comparison *c, entry *e, const char *sentence)
{
    e->failed = true;
    if (!c->any_failed)
        snprintf(c->failure, sizeof c->failure, "%.160s: %.800s", e->label, sentence);
    c->any_failed = true;
}

/* Whether a run's answer is right: verified, or equal to the first one from the same source, which it may be itself. */
static void judge_answer(comparison *c, entry *e, record *r, reference *known)
{
    ordo_u64 hash = hash_answer(r->app, r->answer);
    if (r->verified == 0) {
        note_failure(c, e, ordo_last_error());
    } else if (r->app->is_approximate) {
        known->set = true;
    } else if (!known->set) {
        *known = (reference){true, hash, (int)(e - c->results.entries)};
    } else if (known->hash != hash) {
        char sentence[320];
        snprintf(sentence, sizeof sentence, "its answer in round %d differs from that of %s", r->trial,
                 c->candidates[known->entry].label);
        note_failure(c, e, sentence);
        r->verified = 0;
    } else if (!r->o->no_verify) {
        r->verified = 1; /* equal to a verified one */
    }
    e->checked = e->checked && r->verified >= 0;
}

static ordo_status write_record(sink *s, const record *r)
{
    if (!s->file)
        return ORDO_OK;
    ordo_status status = json_write_run(s, r);
    return status ? status : sink_whole(s);
}

/* Makes one run that counts. */
static ordo_status run_entry(comparison *c, entry *e, const ordo_compare_turn *turn, ordo_stats *stats)
{
    const options *o = c->o;
    const size_t which = turn->input;
    ordo_answer *answer = &c->answer;
    ordo_app_input input;
    ordo_status status = app_input(o, c->graph, c->sources[which], &input);
    if (status)
        return status;
    record r = {.graph = c->graph,
                .app = o->app,
                .source = c->sources[which],
                .sink = input.sink,
                .o = o,
                .expected = e->expected,
                .at_most = e->at_most,
                .trial = (int)turn->round + 1,
                .label = e->label,
                .session = c->session,
                .row = (int)(e - c->results.entries) + 1};
    const bool first = c->verify_once ? !c->known[which].set : turn->round == 0;
    const bool verify = (first || o->app->is_approximate) && !o->no_verify;
    status = run_once(&r, &input, &e->who->run, verify, answer, stats);
    if (!status)
        status = results_rounds(&c->results, turn->round + 1);
    if (status)
        return status;
    judge_answer(c, e, &r, &c->known[which]);
    results_count(e, turn->round, which, stats->run_seconds + stats->transfer_seconds, stats);
    if (r.verified || !c->results.answer[which].field_count) {
        memcpy(c->results.answer[which].fields, answer->fields, sizeof answer->fields);
        c->results.answer[which].field_count = answer->field_count;
    }
    status = write_record(&c->json, &r);
    c->any_whole = true;
    if (!status)
        status = write_record(&c->save, &r);
    table_update(&c->table, &c->results);
    if (!status && r.verified == 0)
        status = ordo_fail(ORDO_ERR_VERIFY, "%s", c->failure);
    return status;
}

/* A run whose time does not count and whose answer is not looked at. */
static ordo_status warm_up(comparison *c, const ordo_compare_turn *turn, ordo_stats *stats)
{
    ordo_app_input input;
    record r = {.graph = c->graph, .app = c->o->app, .o = c->o};
    ordo_status status = app_input(c->o, c->graph, c->sources[turn->input], &input);
    return status ? status : run_once(&r, &input, &c->candidates[turn->contender].run, false, &c->answer, stats);
}

static ordo_status make_run(void *arg, const ordo_compare_turn *turn, ordo_stats *stats)
{
    comparison *c = arg;
    entry *e = &c->results.entries[turn->contender];
    const size_t each = c->results.source_count * (size_t)c->count;
    if (c->results.wanted < (turn->round + 1) * each)
        c->results.wanted = (turn->round + 1) * each;
    progress_step();
    if (e->reason[0])
        return ordo_fail(e->status, "%s", e->reason);
    ordo_status status = turn->warms_up ? warm_up(c, turn, stats) : run_entry(c, e, turn, stats);
    if (leaves_out(status))
        note_reason(e, status);
    return status;
}

ordo_status comparison_run(comparison *c, ordo_compare_plan *plan)
{
    for (int i = 0; i < c->count; i++)
        c->contenders[i] = (ordo_contender){.label = c->candidates[i].label, .options = c->candidates[i].run};
    plan->contenders = c->contenders;
    plan->contender_count = (size_t)c->count;
    plan->baseline = (size_t)c->results.baseline;
    plan->input_count = c->results.source_count;
    plan->run = make_run;
    plan->arg = c;
    plan->seed = c->seed++;
    plan->cancel = &cancelled;
    process_cancellable_between(true); /* a signal between two runs must not leave records without their row */
    ordo_status status = ordo_compare(plan, c->rows);
    process_cancellable_between(false);
    return status;
}

/* ---- one graph ---- */

ordo_status comparison_begin(comparison *c)
{
    results *r = &c->results;
    const loaded *g = c->graph;
    ordo_status status = choose_sources(c->o, g, 1, &c->sources, &r->source_count);
    if (status)
        return status;
    snprintf(r->app, sizeof r->app, "%s", c->o->app->name);
    snprintf(r->graph, sizeof r->graph, "%s", g->info.source);
    r->vertices = g->info.vertices;
    r->edges = g->info.edges;
    r->edge_bytes = g->info.weight_type == ORDO_NONE ? EDGE_BYTES : WEIGHTED_EDGE_BYTES;
    r->starts = c->o->app->needs_source || c->o->source;
    r->entries = calloc((size_t)c->count, sizeof *r->entries);
    r->count = c->count;
    r->source = malloc(r->source_count * sizeof *r->source);
    r->answer = calloc(r->source_count, sizeof *r->answer);
    c->known = calloc(r->source_count, sizeof *c->known);
    if (!r->entries || !r->source || !r->answer || !c->known)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for the results of %zu sources", r->source_count);
    for (size_t s = 0; s < r->source_count; s++)
        r->source[s] = c->sources[s] + g->id_base;
    status = comparison_entries(c);
    return status ? status : results_baseline(r, c->o->baseline);
}

void comparison_end(comparison *c, loaded *g)
{
    process_last_words(NULL);
    free_answer(&c->answer);
    results_free(&c->results);
    free(c->sources);
    free(c->known);
    c->sources = NULL;
    c->known = NULL;
    load_free(g);
}
