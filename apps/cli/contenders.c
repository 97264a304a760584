/* contenders.c -- who takes part in a comparison: the list of schedulers, multiplied by the other lists.
 *
 * --schedulers names schedulers with a sync and settings of their own. --sync, --device and --threads may be lists, and
 * --sweep gives a tunable several values; each multiplies those that it concerns. A contender's label is its scheduler
 * with all that tells it from others, in the form of --schedulers: "adds:delta=4096", "bsp:lock", "bsp:edges",
 * "delta@cuda", "delta/8" (threads).
 */
#include "apps/cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/scheduler/scheduler.h>

#include "framework/run/number.h"

/* ---- lists ---- */

/* The next word of a list with commas; false after the last. *at starts at the list. */
static bool next_word(const char **at, char *out, size_t size)
{
    if (!*at)
        return false;
    size_t length = strcspn(*at, ",");
    snprintf(out, size, "%.*s", (int)(length < size - 1 ? length : size - 1), *at);
    *at = (*at)[length] ? *at + length + 1 : NULL;
    return true;
}

static ordo_status add_own(candidate *c, const char *setting)
{
    if (c->own_count == MAX_OWN || strlen(setting) >= sizeof c->own[0])
        return ordo_fail(ORDO_ERR_USAGE,
                         "--schedulers '%.60s': setting '%.40s', expected %d settings of up to %d letters", c->label,
                         setting, MAX_OWN, (int)sizeof c->own[0] - 1);
    snprintf(c->own[c->own_count++], sizeof c->own[0], "%s", setting);
    return ORDO_OK;
}

static bool is_items(const char *word)
{
    return !strcmp(word, "vertices") || !strcmp(word, "edges");
}

/* NAME[:SYNC][:ITEMS][:TUNABLE=VALUE]... */
static ordo_status parse_contender(const char *text, candidate *c)
{
    ordo_status status = ORDO_OK;
    *c = (candidate){0};
    snprintf(c->label, sizeof c->label, "%s", text);
    size_t length = strcspn(text, ":");
    snprintf(c->scheduler, sizeof c->scheduler, "%.*s", (int)(length < 47 ? length : 47), text);
    if (!known_scheduler(c->scheduler))
        return unknown("scheduler", c->scheduler, scheduler_names(), "ordo schedulers");
    for (const char *at = text + length; *at && !status;) {
        char part[64];
        length = strcspn(++at, ":");
        snprintf(part, sizeof part, "%.*s", (int)(length < 63 ? length : 63), at);
        at += length;
        if (strchr(part, '='))
            status = add_own(c, part);
        else if (is_items(part) && !c->items[0])
            memcpy(c->items, part, strlen(part) + 1);
        else if (c->sync[0] || strlen(part) >= sizeof c->sync)
            status = ordo_fail(ORDO_ERR_USAGE, "--schedulers '%.80s', expected NAME[:SYNC][:ITEMS][:TUNABLE=VALUE]...",
                               text);
        else
            memcpy(c->sync, part, strlen(part) + 1);
    }
    return status;
}

static ordo_status add(const candidate *c, candidate *list, int *count)
{
    if (*count == MAX_CANDIDATES)
        return ordo_fail(ORDO_ERR_USAGE, "--schedulers, with what multiplies them: more than %d", MAX_CANDIDATES);
    for (int i = 0; i < *count; i++)
        if (!strcmp(list[i].label, c->label))
            return ordo_fail(ORDO_ERR_USAGE, "--schedulers: '%s' is listed twice", c->label);
    list[(*count)++] = *c;
    return ORDO_OK;
}

/* Replaces every contender by one for each word of a list; `each` sets what the word says, and may leave one as it is.
 */
static ordo_status multiply(const char *words, candidate *list, int *count,
                            ordo_status (*each)(candidate *c, const char *word, bool several, bool *changed))
{
    candidate *old = malloc((size_t)(*count + 1) * sizeof *old);
    if (!old)
        return ordo_fail(ORDO_ERR_MEMORY, "no memory for a list of schedulers");
    const int before = *count;
    const bool several = strchr(words, ',') != NULL;
    ordo_status status = ORDO_OK;
    memcpy(old, list, (size_t)before * sizeof *old);
    *count = 0;
    for (int i = 0; i < before && !status; i++) {
        char word[64];
        bool changed = true;
        for (const char *at = words; changed && !status && next_word(&at, word, sizeof word);) {
            candidate c = old[i];
            status = each(&c, word, several, &changed);
            if (!status)
                status = add(&c, list, count);
        }
    }
    free(old);
    return status;
}

static void extend_label(candidate *c, const char *before, const char *word)
{
    size_t used = strlen(c->label);
    snprintf(c->label + used, sizeof c->label - used, "%s%s", before, word);
}

static ordo_status with_sync(candidate *c, const char *word, bool several, bool *changed)
{
    if (c->sync[0]) {
        *changed = false; /* it has its own */
        return ORDO_OK;
    }
    if (!word[0])
        return ordo_fail(ORDO_ERR_UNKNOWN, "sync '' is unknown (see: ordo help)");
    snprintf(c->sync, sizeof c->sync, "%s", word);
    if (several)
        extend_label(c, ":", word);
    return ORDO_OK;
}

/* A program has no items. */
static ordo_status with_items(candidate *c, const char *word, bool several, bool *changed)
{
    if (!is_items(word))
        return ordo_fail(ORDO_ERR_USAGE, "--items '%s', expected one of vertices, edges", word);
    if (c->items[0] || !strcmp(c->scheduler, ORDO_NATIVE)) {
        *changed = false;
        return ORDO_OK;
    }
    snprintf(c->items, sizeof c->items, "%s", word);
    if (several)
        extend_label(c, ":", word);
    return ORDO_OK;
}

static ordo_status with_device(candidate *c, const char *word, bool several, bool *changed)
{
    (void)changed;
    if (strcmp(word, "cpu") != 0 && strcmp(word, "cuda") != 0 && strcmp(word, "auto") != 0)
        return ordo_fail(ORDO_ERR_USAGE, "--device '%s', expected one of cpu, cuda, auto", word);
    snprintf(c->device, sizeof c->device, "%s", word);
    if (several)
        extend_label(c, "@", word);
    return ORDO_OK;
}

static ordo_status with_threads(candidate *c, const char *word, bool several, bool *changed)
{
    ordo_u64 threads = 0;
    (void)changed;
    ordo_status status = parse_whole("--threads", word, 1, MOST_THREADS, &threads);
    c->threads = (int)threads;
    if (several)
        extend_label(c, "/", word);
    return status;
}

/* ---- sweeps ---- */

/* A number, or 2^N. */
static bool parse_power(const char *text, double *out)
{
    ordo_u64 exponent;
    if (strncmp(text, "2^", 2) != 0)
        return ordo_parse_real(text, out);
    if (!parse_u64(text + 2, &exponent) || exponent > 63)
        return false;
    *out = ldexp(1, (int)exponent);
    return true;
}

static void append_number(char *list, size_t size, double value)
{
    size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%.*g", used ? "," : "", value == floor(value) ? 17 : 6, value);
}

/* Writes the values of "A..B" (each twice the last) or "A..B:K" (K of them, by equal factors), or copies a list. */
static ordo_status sweep_values(const char *text, const char *values, char *list, size_t size)
{
    const char *dots = strstr(values, ".."), *colon = strchr(values, ':');
    char low[32], high[32];
    double from, to;
    ordo_u64 steps = 0;
    list[0] = 0;
    if (!dots) {
        snprintf(list, size, "%s", values);
        return ORDO_OK;
    }
    snprintf(low, sizeof low, "%.*s", (int)(dots - values < 31 ? dots - values : 31), values);
    snprintf(high, sizeof high, "%.*s", (int)strcspn(dots + 2, ":"), dots + 2);
    if (!parse_power(low, &from) || !parse_power(high, &to) || !(from > 0) || !(to > from) || isinf(to) ||
        (colon && (!parse_u64(colon + 1, &steps) || steps < 2 || steps > MAX_CANDIDATES)))
        return ordo_fail(
            ORDO_ERR_USAGE,
            "--sweep '%s', expected TUNABLE=A..B, each value twice the last, A..B:COUNT, or A,B,C; 0 < A < B", text);
    if (!colon) {
        for (double value = from; value <= to && strlen(list) + 32 < size; value *= 2)
            append_number(list, size, value);
        return ORDO_OK;
    }
    for (ordo_u64 i = 0; i < steps && strlen(list) + 32 < size; i++) {
        double value = from * pow(to / from, (double)i / (double)(steps - 1));
        append_number(list, size, from == floor(from) && to == floor(to) ? floor(value + 0.5) : value);
    }
    return ORDO_OK;
}

static const ordo_tunable *find_tunable(const char *scheduler, const char *name)
{
    const ordo_scheduler *s = ordo_scheduler_find(scheduler);
    for (int i = 0; s && i < s->tunable_count; i++)
        if (!strcmp(s->tunables[i].name, name))
            return &s->tunables[i];
    return NULL;
}

/* --sweep [SCHEDULER.]TUNABLE=VALUES: of those that have the tunable. */
static ordo_status sweep(const char *text, candidate *list, int *count)
{
    char name[64], values[2048];
    const size_t length = strcspn(text, "=");
    if (!text[length] || length >= sizeof name)
        return ordo_fail(ORDO_ERR_USAGE, "--sweep '%s', expected TUNABLE=VALUES", text);
    ordo_status status = sweep_values(text, text + length + 1, values, sizeof values);
    candidate *old = status ? NULL : malloc((size_t)(*count + 1) * sizeof *old);
    if (!old)
        return status ? status : ordo_fail(ORDO_ERR_MEMORY, "no memory for a list of schedulers");
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    const char *dot = strchr(name, '.'), *tunable = dot ? dot + 1 : name;
    const int before = *count;
    bool reaches = false;
    memcpy(old, list, (size_t)before * sizeof *old);
    *count = 0;
    for (int i = 0; i < before && !status; i++) {
        const bool meant = !dot || (strlen(old[i].scheduler) == (size_t)(dot - name) &&
                                    !strncmp(name, old[i].scheduler, (size_t)(dot - name)));
        if (!meant || !find_tunable(old[i].scheduler, tunable)) {
            status = add(&old[i], list, count);
            continue;
        }
        char word[40], setting[112];
        reaches = true;
        for (const char *at = values; !status && next_word(&at, word, sizeof word);) {
            candidate c = old[i];
            snprintf(setting, sizeof setting, "%s=%s", tunable, word);
            extend_label(&c, ":", setting);
            status = add_own(&c, setting);
            status = status ? status : add(&c, list, count);
        }
    }
    free(old);
    if (!status && !reaches)
        status = ordo_fail(ORDO_ERR_UNKNOWN, "--sweep '%s': none of these schedulers has that tunable", text);
    return status;
}

/* ---- all together ---- */

/* A setting without a scheduler's name must apply to at least one scheduler. */
static ordo_status check_settings(const options *o, const candidate *list, int count)
{
    for (int i = 0; i < o->setting_count; i++) {
        bool reaches = false;
        for (int j = 0; j < count; j++)
            for (size_t k = 0; k < list[j].run.setting_count; k++)
                reaches = reaches || list[j].settings[k] == o->settings[i];
        if (!reaches)
            return ordo_fail(ORDO_ERR_UNKNOWN, "setting '%s': none of these schedulers has that tunable",
                             o->settings[i]);
    }
    return ORDO_OK;
}

/* Whether the app has a native program for a device on which it is to run. */
static bool has_program(const options *o)
{
    const ordo_program *program = o->app ? o->app->program : NULL;
    const bool cpu = !o->device || strstr(o->device, "cpu"), gpu = o->device && strcmp(o->device, "cpu") != 0;
    return program && ((cpu && program->run != NULL) || (gpu && program->on_cuda));
}

static bool overrides(const candidate *c, const char *setting)
{
    const char *dot = strchr(setting, '.');
    const size_t length = strcspn(setting, "=");
    const char *name = dot && (size_t)(dot - setting) < length ? dot + 1 : setting;
    for (int i = 0; i < c->own_count; i++)
        if (!strncmp(c->own[i], name, length + 1 - (size_t)(name - setting)))
            return true;
    return false;
}

void candidate_options(const options *o, candidate *c)
{
    c->run = run_options(o, c->scheduler, c->sync[0] ? c->sync : NULL, c->settings);
    c->run.repeats = 2; /* at least: runs that are compared are to be alike from the first on */
    size_t count = 0;
    for (size_t i = 0; i < c->run.setting_count; i++) /* its own come before those of all */
        if (!overrides(c, c->settings[i]))
            c->settings[count++] = c->settings[i];
    for (int i = 0; i < c->own_count && count < MAX_SETTINGS; i++)
        c->settings[count++] = c->own[i];
    c->run.setting_count = count;
    if (c->items[0] || o->verb & VERB_COMPARE) /* there --items is a list */
        c->run.items = c->items[0] ? c->items : NULL;
    if (c->device[0])
        c->run.device = c->device;
    if (c->threads)
        c->run.threads = c->threads;
}

static bool is_listed(const char *names, const char *name)
{
    char word[128];
    for (const char *at = names; next_word(&at, word, sizeof word);)
        if (!strcmp(word, name))
            return true;
    return false;
}

/* Adds every scheduler, and the app's program, but those that the list names itself. */
static ordo_status add_all(const options *o, const char *names, candidate *list, int *count)
{
    candidate c;
    ordo_status status = ORDO_OK;
    for (const char *const *name = scheduler_names(); *name && !status; name++) {
        if (is_listed(names, *name))
            continue;
        status = parse_contender(*name, &c);
        status = status ? status : add(&c, list, count);
    }
    if (!status && has_program(o) && !is_listed(names, ORDO_NATIVE)) {
        status = parse_contender(ORDO_NATIVE, &c);
        status = status ? status : add(&c, list, count);
    }
    return status;
}

static ordo_status find_named(const options *o, const char *names, candidate *list, int *count)
{
    char word[128];
    candidate c;
    ordo_status status = ORDO_OK;
    for (const char *at = names; !status && next_word(&at, word, sizeof word);) {
        if (!strcmp(word, "all")) {
            status = add_all(o, names, list, count);
            continue;
        }
        status = parse_contender(word, &c);
        status = status ? status : add(&c, list, count);
    }
    return status;
}

ordo_status find_candidates(const options *o, const char *names, candidate *list, int *count)
{
    *count = 0;
    ordo_status status = find_named(o, names, list, count);
    if (!status && o->sync)
        status = multiply(o->sync, list, count, with_sync);
    if (!status && o->items)
        status = multiply(o->items, list, count, with_items);
    for (int i = 0; i < o->sweep_count && !status; i++)
        status = sweep(o->sweeps[i], list, count);
    if (!status && o->device)
        status = multiply(o->device, list, count, with_device);
    if (!status && o->thread_list)
        status = multiply(o->thread_list, list, count, with_threads);
    for (int i = 0; i < *count && !status; i++)
        candidate_options(o, &list[i]);
    return status ? status : check_settings(o, list, *count);
}
