/* compare_runs.c -- the runs of a comparison on one graph.
 *
 * Runs are made in rounds. In a round every contender runs once from every source, in a random order that is drawn
 * anew, so that neither changes of the machine's speed nor the run before favour one of them. Each contender's first
 * answer from a source is verified; later ones must equal the verified one bit for bit (by a 64-bit hash), which costs
 * a pass over the answer instead of a serial run. Where answers are approximate, every one is verified.
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

/* A contender that runs out of memory or time is left out; the others continue. */
static ordo_status goes_on(entry *e, ordo_status status)
{
    if (status != ORDO_ERR_MEMORY && status != ORDO_ERR_TIMEOUT)
        return status;
    note_reason(e, status);
    return ORDO_OK;
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

/* Makes one run, from the source of that index. */
static ordo_status run_entry(comparison *c, entry *e, size_t which, size_t round, ordo_answer *answer)
{
    const options *o = c->o;
    ordo_stats stats = {0};
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
                .trial = (int)round + 1,
                .label = e->label,
                .session = c->session,
                .row = (int)(e - c->results.entries) + 1};
    const bool first = c->verify_once ? !c->known[which].set : round == 0;
    const bool verify = (first || o->app->is_approximate) && !o->no_verify;
    status = run_once(&r, &input, &e->who->run, verify, answer, &stats);
    if (status) {
        ordo_stats_free(&stats);
        return status;
    }
    judge_answer(c, e, &r, &c->known[which]);
    results_count(e, round, which, stats.run_seconds + stats.transfer_seconds, &stats);
    if (r.verified || !c->results.answer[which].field_count) {
        memcpy(c->results.answer[which].fields, answer->fields, sizeof answer->fields);
        c->results.answer[which].field_count = answer->field_count;
    }
    status = write_record(&c->json, &r);
    c->any_whole = true;
    if (!status)
        status = write_record(&c->save, &r);
    ordo_stats_free(&stats);
    table_update(&c->table, &c->results);
    return status;
}

/* ---- rounds ---- */

ordo_status comparison_warm_up(comparison *c, ordo_answer *answer)
{
    const options *o = c->o;
    ordo_status status = ORDO_OK;
    for (int i = 0; i < o->warmup && !status; i++)
        for (int k = 0; k < c->count && !status; k++) {
            progress_step();
            if (c->results.entries[k].reason[0])
                continue;
            ordo_stats stats = {0};
            ordo_app_input input;
            record r = {.graph = c->graph, .app = o->app, .o = o};
            status = app_input(o, c->graph, c->sources[0], &input);
            if (!status)
                status =
                    goes_on(&c->results.entries[k], run_once(&r, &input, &c->candidates[k].run, false, answer, &stats));
            ordo_stats_free(&stats);
        }
    return status;
}

/* A new random order of a round's runs. */
static void shuffle(comparison *c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        c->order[i] = (ordo_u32)i;
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)(ordo_twister64_next(&c->random) % i);
        ordo_u32 swapped = c->order[i - 1];
        c->order[i - 1] = c->order[other];
        c->order[other] = swapped;
    }
}

ordo_status comparison_round(comparison *c, size_t round, ordo_answer *answer)
{
    const size_t count = c->results.source_count * (size_t)c->count;
    ordo_status status = results_rounds(&c->results, round + 1);
    shuffle(c, count);
    for (size_t i = 0; i < count && !status; i++) {
        entry *e = &c->results.entries[c->order[i] % (size_t)c->count];
        progress_step();
        if (!e->reason[0])
            status = goes_on(e, run_entry(c, e, c->order[i] / (size_t)c->count, round, answer));
    }
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
    c->order = malloc(r->source_count * (size_t)c->count * sizeof *c->order);
    if (!r->entries || !r->source || !r->answer || !c->known || !c->order)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for the results of %zu sources", r->source_count);
    for (size_t s = 0; s < r->source_count; s++)
        r->source[s] = c->sources[s] + g->id_base;
    status = comparison_entries(c);
    return status ? status : results_baseline(r, c->o->baseline);
}

void comparison_end(comparison *c, loaded *g)
{
    process_last_words(NULL);
    results_free(&c->results);
    free(c->sources);
    free(c->known);
    free(c->order);
    c->sources = NULL;
    c->known = NULL;
    c->order = NULL;
    load_free(g);
}
