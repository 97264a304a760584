/* tune.c -- `ordo tune`: searches for settings of a scheduler that are faster than its own choice on one graph.
 *
 * Problem. Run times vary, so a search that takes the least of many times finds luck. The settings found must hold from
 * other sources than those that they were found with.
 *
 * Method. A search by coordinates. One tunable at a time gets other values: choices all, numbers by factors around the
 * current value. Each is a duel of the best settings so far and those with the new value: rounds of both in random
 * order, from the same sources. After two rounds a challenger that is clearly slower is dropped; after five or more it
 * wins where the interval of the ratio (statistics.h) is above 1. It replaces the best if it wins a second time, since
 * of many challengers that are no faster some win once by chance. Where a number wins, the next value in the same
 * direction follows. Passes over all tunables go on, with smaller factors, until none wins or three quarters of the
 * time are used. The rest of the time compares the result with the scheduler's own choice from new sources; that ratio
 * is what is reported, so the search cannot flatter itself.
 *
 * Not done: changes of several tunables that win only together.
 */
#include "apps/cli/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/scheduler/scheduler.h>

#include "framework/run/number.h"

enum { BEST, CHALLENGER, DUELLISTS };
enum { FIRST_LOOK = 2, WINS = 2, MOST_ROUNDS = 15, FINAL_ROUNDS = 7 };

/* After FIRST_LOOK rounds a challenger that is not at least this fast is dropped. */
static const double HOPELESS = 0.85;
/* A challenger that seems that much faster gets more rounds, up to MOST_ROUNDS. */
static const double PROMISING = 1.02;
/* A challenger's run ends after so many times the median of the best, plus SLACK seconds. */
static const double PATIENCE = 10, SLACK = 0.05;
/* The share of the time for the search. */
static const double SEARCH = 0.75;

typedef struct tuner {
    comparison c;     /* the first member: functions of ordo_compare() get its address */
    double end;       /* of the search, or of the last comparison */
    double best_time; /* the median of the best, in seconds */
    double delta;     /* the bucket width of the scheduler's own choice; 0: none */
    int tried;
    bool text;
} tuner;

/* ---- duels ---- */

/* Settings of the entries begin anew. */
static ordo_status reset(tuner *t)
{
    results *r = &t->c.results;
    for (int i = 0; i < r->count; i++) {
        free(r->entries[i].times.at);
        r->entries[i] = (entry){0};
    }
    for (int i = 0; i < DUELLISTS; i++)
        candidate_options(t->c.o, &t->c.candidates[i]);
    return comparison_entries(&t->c);
}

/* Whether a duel is over: the challenger is clearly slower, or it is decided, or does not look promising. */
static bool duel_is_over(void *arg, const ordo_compare_row *rows, size_t rounds)
{
    const tuner *t = arg;
    const ordo_estimate *ratio = &rows[CHALLENGER].speedup;
    const bool undecided = ordo_compare_verdict(ratio) == ORDO_VERDICT_UNKNOWN || //
                           ordo_compare_verdict(ratio) == ORDO_VERDICT_SAME;
    if (rows[BEST].status || rows[CHALLENGER].status || now() > t->end)
        return true;
    return (rounds >= FIRST_LOOK && ratio->value < HOPELESS) ||
           (rounds >= ORDO_MIN_VALUES && (!undecided || ratio->value < PROMISING));
}

/* Rounds of both; how many times as fast the challenger is. */
static ordo_status duel(tuner *t, ordo_estimate *ratio)
{
    comparison *c = &t->c;
    candidate *challenger = &c->candidates[CHALLENGER];
    ordo_compare_plan plan = {.rounds = MOST_ROUNDS, .warmup = -1, .enough = duel_is_over};
    ordo_status status = reset(t);
    const double patience = PATIENCE * t->best_time + SLACK;
    if (t->best_time > 0 && (challenger->run.timeout <= 0 || patience < challenger->run.timeout))
        challenger->run.timeout = patience;
    *ratio = (ordo_estimate){.value = 0};
    if (!status)
        status = comparison_run(c, &plan);
    const entry *best = &c->results.entries[BEST];
    if (!status && best->reason[0])
        status = ordo_fail(best->status, "%s", best->reason);
    if (status)
        return status;
    t->best_time = c->rows[BEST].seconds.value;
    if (!c->rows[CHALLENGER].status)
        *ratio = c->rows[CHALLENGER].speedup;
    return ORDO_OK;
}

static const char *own_setting(const candidate *c, const char *name)
{
    size_t length = strlen(name);
    for (int i = 0; i < c->own_count; i++)
        if (!strncmp(c->own[i], name, length) && c->own[i][length] == '=')
            return c->own[i] + length + 1;
    return NULL;
}

static void set_own(candidate *c, const char *name, const char *value)
{
    int at = 0;
    size_t length = strlen(name);
    while (at < c->own_count && (strncmp(c->own[at], name, length) != 0 || c->own[at][length] != '='))
        at++;
    if (at == MAX_OWN)
        return;
    snprintf(c->own[at], sizeof c->own[at], "%s=%s", name, value);
    c->own_count = at == c->own_count ? at + 1 : c->own_count;
}

/* The label in records: the settings, or that there are none. */
static void label(candidate *c)
{
    size_t used = (size_t)snprintf(c->label, sizeof c->label, "%s", c->own_count ? c->scheduler : "own choice");
    for (int i = 0; i < c->own_count && used < sizeof c->label; i++)
        used += (size_t)snprintf(c->label + used, sizeof c->label - used, ":%s", c->own[i]);
}

/* Whether best with that value is faster; then it is the best. */
static ordo_status challenge(tuner *t, const char *name, const char *value, bool *won)
{
    candidate *best = &t->c.candidates[BEST], *challenger = &t->c.candidates[CHALLENGER];
    ordo_estimate ratio = {0};
    *challenger = *best;
    set_own(challenger, name, value);
    label(challenger);
    ordo_status status = ORDO_OK;
    *won = true;
    for (int i = 0; i < WINS && !status && *won; i++) {
        status = duel(t, &ratio);
        *won = !status && ratio.known && ratio.low > 1;
    }
    t->tried += !status;
    if (*won) {
        *best = *challenger;
        if (t->text)
            printf("  %s=%s: %.2f (%.2f to %.2f) times as fast as the best before\n", name, value, ratio.value,
                   ratio.low, ratio.high);
        if (t->text)
            status = flush_stdout();
    }
    return status;
}

/* ---- values ---- */

static bool time_is_up(const tuner *t)
{
    return now() > t->end;
}

static ordo_status try_choices(tuner *t, const ordo_tunable *row, bool *any)
{
    ordo_status status = ORDO_OK;
    for (const char *at = row->choices; at && !status && !time_is_up(t);) {
        char word[ORDO_MAX_SETTING];
        size_t length = strcspn(at, "|");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        at = at[length] ? at + length + 1 : NULL;
        const char *current = own_setting(&t->c.candidates[BEST], row->name);
        if (!strcmp(word, current ? current : row->initial))
            continue;
        bool won;
        status = challenge(t, row->name, word, &won);
        *any = *any || won;
    }
    return status;
}

/* Writes a value that the tunable takes; false where rounding and the range give `current` again. */
static bool write_value(const ordo_tunable *row, double value, double current, char *out, size_t size)
{
    value = value < row->min ? row->min : value > row->max ? row->max : value;
    const double unit = row->type == ORDO_TUNABLE_INT ? 1 : pow(10, floor(log10(fabs(value) + 1e-300)) - 3);
    value = floor(value / unit + 0.5) * unit; /* whole, or four digits */
    snprintf(out, size, "%.*g", row->type == ORDO_TUNABLE_INT ? 17 : 12, value);
    return !isinf(value) && value != current;
}

/* The number from which factors start: where the tunable is 0, which has a meaning of its own, the width that the
 * scheduler chose, or 1. */
static double current_value(const tuner *t, const ordo_tunable *row)
{
    const char *text = own_setting(&t->c.candidates[BEST], row->name);
    double value = 0;
    if (!ordo_parse_real(text ? text : row->initial, &value) || isinf(value))
        value = 0;
    if (value == 0 && !strcmp(row->name, "delta"))
        value = t->delta;
    return value;
}

static ordo_status try_numbers(tuner *t, const ordo_tunable *row, double factor, bool *any)
{
    ordo_status status = ORDO_OK;
    for (int way = 0; way < 2 && !status; way++) {
        bool won = true, first = true;
        while (won && !status && !time_is_up(t)) {
            char word[ORDO_MAX_SETTING];
            const double current = current_value(t, row), start = current > 0 ? current : 1;
            const double value = way ? start / factor : current > 0 ? start * factor : start;
            if (!write_value(row, value, current, word, sizeof word))
                break;
            status = challenge(t, row->name, word, &won);
            *any = *any || won;
            if (won && !first)
                continue;
            first = false;
        }
        if (*any && !first && won)
            break;
    }
    return status;
}

static bool is_fixed(const options *o, const char *name)
{
    for (int i = 0; i < o->setting_count; i++) {
        const char *dot = memchr(o->settings[i], '.', strcspn(o->settings[i], "="));
        const char *at = dot ? dot + 1 : o->settings[i];
        if (!strncmp(at, name, strlen(name)) && at[strlen(name)] == '=')
            return true;
    }
    return o->delta && !strcmp(name, "delta");
}

static ordo_status search(tuner *t)
{
    static const double factors[] = {64, 8, 2, 1.4}; /* the first crosses ranges in which nothing changes */
    const ordo_scheduler *s = ordo_scheduler_find(t->c.candidates[BEST].scheduler);
    ordo_status status = ORDO_OK;
    for (size_t f = 0; f < sizeof factors / sizeof factors[0] && !status && !time_is_up(t);) {
        bool any = false;
        for (int i = 0; i < s->tunable_count && !status && !time_is_up(t); i++) {
            const ordo_tunable *row = &s->tunables[i];
            if (is_fixed(t->c.o, row->name))
                continue;
            if (row->type != ORDO_TUNABLE_CHOICE)
                status = try_numbers(t, row, factors[f], &any);
            else if (f == 0)
                status = try_choices(t, row, &any);
        }
        f += !any;
    }
    return status;
}

/* ---- the beginning and the end ---- */

/* A run of the scheduler's own choice: which scheduler, and how wide its buckets are. */
static ordo_status first_run(tuner *t)
{
    comparison *c = &t->c;
    candidate *own = &c->candidates[BEST];
    ordo_stats stats = {0};
    ordo_app_input input;
    record r = {.graph = c->graph, .app = c->o->app, .o = c->o, .source = c->sources[0]};
    candidate_options(c->o, own);
    ordo_status status = check_memory(c->o, own->scheduler, c->results.entries[BEST].expected);
    if (!status)
        status = app_input(c->o, c->graph, c->sources[0], &input);
    if (!status)
        status = run_once(&r, &input, &own->run, !c->o->no_verify, &c->answer, &stats);
    if (!status && r.verified == 0)
        status = ordo_fail(ORDO_ERR_VERIFY, "%s", ordo_last_error());
    if (!status && !ordo_scheduler_find(stats.scheduler))
        status = ordo_fail(ORDO_ERR_USAGE, "'%s' is a program without tunables, expected a scheduler", stats.scheduler);
    if (!status) {
        snprintf(own->scheduler, sizeof own->scheduler, "%s", stats.scheduler);
        snprintf(own->sync, sizeof own->sync, "%s", stats.sync);
        label(own);
        t->delta = stats.delta_first;
        t->best_time = stats.run_seconds + stats.transfer_seconds;
        if (t->text)
            printf("Own choice:          %s, sync %s, %.3f ms%s%s\n", stats.scheduler, stats.sync, 1e3 * t->best_time,
                   stats.chosen[0] ? "; " : "", stats.chosen);
    }
    ordo_stats_free(&stats);
    return status;
}

/* Other random sources, where the user named none. */
static ordo_status change_sources(comparison *c)
{
    options *o = c->o;
    size_t count;
    ordo_u64 number;
    if (!o->app->needs_source || o->source || (o->sources && !parse_u64(o->sources, &number)))
        return ORDO_OK;
    const ordo_u64 seed = o->seed;
    ordo_vid *other;
    o->seed = seed + 1;
    ordo_status status = choose_sources(o, c->graph, c->results.source_count, &other, &count);
    o->seed = seed;
    if (status)
        return status;
    free(c->sources);
    c->sources = other;
    for (size_t s = 0; s < count; s++) {
        c->results.source[s] = other[s] + c->graph->id_base;
        c->known[s] = (reference){0};
    }
    return ORDO_OK;
}

/* With --quiet they are all that is printed. */
static void print_flags(const tuner *t, const candidate *c)
{
    const options *o = t->c.o;
    if (t->c.json.file == stdout)
        return;
    printf("%s--scheduler %s --sync %s", t->text ? "Flags:               " : "", c->scheduler, c->sync);
    if (t->c.o->items)
        printf(" --items %s", t->c.o->items);
    for (int i = 0; i < o->setting_count; i++)
        printf(" --set %s", o->settings[i]);
    for (int i = 0; i < c->own_count; i++)
        printf(" --set %s", c->own[i]);
    putchar('\n');
}

static bool confirmation_is_over(void *arg, const ordo_compare_row *rows, size_t rounds)
{
    const tuner *t = arg;
    return rows[BEST].status || rows[CHALLENGER].status || (rounds >= FINAL_ROUNDS && now() >= t->end);
}

/* Compares what was found with the own choice, from other sources, until the time is up. */
static ordo_status confirm(tuner *t, double end)
{
    comparison *c = &t->c;
    candidate *found = &c->candidates[CHALLENGER], *own = &c->candidates[BEST];
    *found = *own;
    own->own_count = 0;
    label(own);
    if (found->own_count == 0) {
        if (t->text)
            printf("Tuned:               nothing is measurably faster than its own choice; %d settings were tried\n",
                   t->tried);
        print_flags(t, own);
        return ORDO_OK;
    }
    ordo_status status = change_sources(c);
    status = status ? status : reset(t);
    ordo_compare_plan plan = {.rounds = MOST_RUNS, .warmup = -1, .enough = confirmation_is_over};
    t->end = end;
    if (!status)
        status = comparison_run(c, &plan);
    if (status)
        return status;
    const ordo_estimate ratio = c->rows[CHALLENGER].speedup;
    const ordo_verdict verdict = ordo_compare_verdict(&ratio);
    const size_t rounds = c->results.entries[BEST].times.rounds;
    const bool won = verdict == ORDO_VERDICT_FASTER, lost = verdict == ORDO_VERDICT_SLOWER;
    if (t->text)
        printf("Tuned:               %.2f (%.2f to %.2f) times as fast as its own choice%s, from %zu %ssource%s, %zu "
               "rounds; %d "
               "settings were tried\n",
               ratio.value, ratio.low, ratio.high,
               won    ? ""
               : lost ? ", which is slower"
                      : ", which is no difference",
               c->results.source_count, c->o->app->needs_source && !c->o->source ? "other " : "",
               c->results.source_count == 1 ? "" : "s", rounds, t->tried);
    print_flags(t, won ? found : own);
    return ORDO_OK;
}

static ordo_status tune_graph(tuner *t, loaded *g)
{
    comparison *c = &t->c;
    const double begin = now();
    c->graph = g;
    c->count = 1;
    snprintf(c->candidates[BEST].scheduler, sizeof c->candidates[BEST].scheduler, "%s",
             c->o->scheduler ? c->o->scheduler : "auto");
    if (c->o->sync)
        snprintf(c->candidates[BEST].sync, sizeof c->candidates[BEST].sync, "%s", c->o->sync);
    candidate_options(c->o, &c->candidates[BEST]);
    c->candidates[CHALLENGER] = c->candidates[BEST];
    candidate_options(c->o, &c->candidates[CHALLENGER]);
    c->count = DUELLISTS;
    ordo_status status = comparison_begin(c);
    if (!status && c->results.entries[BEST].reason[0])
        status = ordo_fail(c->results.entries[BEST].status, "%s", c->results.entries[BEST].reason);
    if (!status)
        status = first_run(t);
    t->end = begin + SEARCH * c->o->search_seconds;
    if (!status)
        status = search(t);
    if (!status)
        status = confirm(t, begin + c->o->search_seconds);
    return status;
}

/* ---- the verb ---- */

static ordo_status check_use(options *o, const char **path)
{
    if (o->word_count == 0)
        return ordo_fail(ORDO_ERR_USAGE, "tune needs an app and a graph");
    ordo_status status = find_app_or_file(o, o->words[0], &o->app);
    if (!status)
        status = one_graph(o, 1, path);
    if (status)
        return status;
    option_scope scope = scope_of_app(VERB_TUNE, o->app);
    return options_suit(o, &scope);
}

ordo_status verb_tune(const options *given)
{
    options *o = malloc(sizeof *o);
    tuner *t = calloc(1, sizeof *t);
    candidate *candidates = calloc(DUELLISTS, sizeof *candidates);
    ordo_status status = o && t && candidates ? ORDO_OK : ordo_fail(ORDO_ERR_MEMORY, "no memory for a search");
    const char *path = NULL;
    loaded g;
    if (!status) {
        *o = *given;
        t->c.o = o;
        t->c.candidates = candidates;
        t->c.verify_once = true;
        t->c.seed = o->seed;
        status = check_use(o, &path);
    }
    if (!status)
        status = check_options_early(o, &(ordo_options){.scheduler = o->scheduler ? o->scheduler : "auto",
                                                        .sync = o->sync,
                                                        .items = o->items,
                                                        .device = o->device});
    if (!status && o->json)
        status = sink_open(&t->c.json, o->json);
    if (!status) {
        t->text = !o->quiet && t->c.json.file != stdout;
        status = load_graph(o, path, o->app->wants_weights, &g);
        if (!status && t->text)
            print_graph(&g);
        status = status ? status : tune_graph(t, &g);
        if (t->c.graph)
            comparison_end(&t->c, &g);
    }
    if (!status && t->c.any_failed)
        status = ordo_fail(ORDO_ERR_VERIFY, "%s", t->c.failure);
    if (t && t->c.json.file) {
        char failure[1024];
        snprintf(failure, sizeof failure, "%s", ordo_last_error());
        ordo_status closed = sink_close(&t->c.json, !status || (status == ORDO_ERR_CANCELLED && t->c.any_whole));
        status = status ? ordo_fail(status, "%s", failure) : closed;
    }
    free(candidates);
    free(t);
    free(o);
    return status;
}
