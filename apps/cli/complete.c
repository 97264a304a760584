/* complete.c -- candidates for the last word of a command line, for the completion of a shell: one on each line.
 *
 * `ordo complete -- WORD...` gets the words after "ordo" up to the one that is being typed, which may be empty, and
 * prints its possible completions. They come from the tables that the command itself uses, so none can be missing. Each
 * candidate is printed once, and only if the command would accept it: schedulers, syncs, devices and tunables are tried
 * on a graph of one vertex, as the command itself does before it reads a graph; options that were given, or that are
 * excluded by one that was, are left out. The line "<files>" means that a file name is possible. Bash splits words at
 * "=", so they are joined again, and of such a word only the part after its last "=" is printed. apps/cli/ordo.bash is
 * the shell's part.
 *
 * Not done: words within the quotes of --generate after the kind; what follows a name in --schedulers.
 */
#include "apps/cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include <ordo/scheduler/scheduler.h>

enum { LONGEST = 256 };

/* The word that is being typed, and what the words before it mean. `kept` is printed before each candidate: the names
 * before the last comma of a list. */
typedef struct typing {
    const char *part;
    char kept[LONGEST];
    option_scope scope;
    const cli_verb *verb;                      /* NULL: an app */
    const ordo_app *app;                       /* of the verb or of compare; NULL: none yet */
    const char *scheduler, *schedulers, *sync; /* NULL: not given */
    const char *first;                         /* the first word that is not an option, or NULL */
    int words;                                 /* how many of these there are */
    bool made;                                 /* a graph was named by an option */
    char given[MAX_OPTIONS][48];               /* names of options */
    int given_count;
    unsigned groups; /* of which one was given, by bit */
} typing;

/* Prints each word once: several schedulers have tunables of the same name. */
static void offer(const typing *t, const char *word, const char *suffix)
{
    enum { MOST = 256 };
    static char offered[MOST][64];
    static int count;
    if (strncmp(word, t->part, strlen(t->part)) != 0)
        return;
    for (int i = 0; i < count; i++)
        if (!strcmp(offered[i], word))
            return;
    if (count < MOST)
        snprintf(offered[count++], sizeof offered[0], "%s", word);
    printf("%s%s%s\n", t->kept, word, suffix);
}

static void offer_all(const typing *t, const char *const *names)
{
    for (; *names; names++)
        offer(t, *names, "");
}

static void offer_files(void)
{
    printf("<files>\n");
}

static void offer_kinds(const typing *t)
{
    for (int i = 0; options_kind(i); i++)
        offer(t, options_kind(i), "");
}

/* The words of "a|b|c", which may be in brackets; none for other text. */
static void offer_choices(const typing *t, const char *text)
{
    if (!strchr(text, '|'))
        return;
    text += text[0] == '[';
    while (*text && *text != ']' && *text != ' ') {
        char word[LONGEST];
        size_t length = strcspn(text, "|] ");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        offer(t, word, "");
        text += length + (text[length] == '|');
    }
}

/* ---- what the command would accept ---- */

/* The operator of a benchmark. */
static const ordo_operator *operator_of(const char *benchmark)
{
    return ordo_operator_find(!strcmp(benchmark, "sgd") ? "sgd" : !strcmp(benchmark, "atm") ? "bank" : "hash_table");
}

/* Whether runs with these options would be refused before a graph is read. What cannot be checked yet is accepted. */
static bool is_taken(const typing *t, const char *scheduler, const char *sync, const char *device, const char *setting)
{
    const char *settings[] = {setting};
    const ordo_options run = {
        .scheduler = scheduler, .sync = sync, .device = device, .settings = settings, .setting_count = setting != NULL};
    if (t->app) {
        options o = {.app = t->app};
        return check_options_early(&o, &run) == ORDO_OK;
    }
    if (t->scope.verb == VERB_BENCH && t->first) {
        const ordo_work work = {.op = operator_of(t->first), .state = (void *)(size_t)t, .targets = 1}; /* no items */
        return ordo_run_check(&work, &run) == ORDO_OK;
    }
    return true;
}

/* The next of the schedulers that take part: of the list that was given, or all. *at starts at 0. */
static const char *next_scheduler(const typing *t, size_t *at, char capacity[48])
{
    const char *const *names = scheduler_names();
    const bool one = t->scope.verb & (VERB_APP | VERB_INFO | VERB_TUNE | VERB_PARTITION);
    if (one || !t->schedulers || !strcmp(t->schedulers, "all")) {
        if (one && t->scheduler)
            return (*at)++ ? NULL : t->scheduler;
        const char *name = names[*at];
        *at += name != NULL;
        return name;
    }
    if (*at >= strlen(t->schedulers))
        return NULL;
    const char *from = t->schedulers + *at;
    size_t length = strcspn(from, ",");
    *at += length + 1;
    snprintf(capacity, 48, "%.*s", (int)strcspn(from, ":,"), from);
    return capacity;
}

/* Whether any of the schedulers that take part would accept that sync or setting. For an app without --scheduler only
 * its default scheduler counts. */
static bool some_take(const typing *t, const char *sync, const char *setting)
{
    char capacity[48];
    const char *name;
    if (t->scope.verb == VERB_APP && !t->scheduler)
        return is_taken(t, NULL, sync, NULL, setting);
    for (size_t at = 0; (name = next_scheduler(t, &at, capacity));)
        if (is_taken(t, name, sync, NULL, setting))
            return true;
    return false;
}

/* ---- values ---- */

static bool in_list(const char *name, const char *list)
{
    size_t length = strlen(name);
    for (; *list; list += strcspn(list, ",") + (list[strcspn(list, ",")] == ','))
        if (!strncmp(list, name, length) && strchr(",:", list[length]))
            return true;
    return false;
}

/* Keeps the words before the last comma of a list; false where there are none. */
static bool split_list(typing *t)
{
    const char *comma = strrchr(t->part, ',');
    if (comma) {
        snprintf(t->kept, sizeof t->kept, "%.*s", (int)(comma + 1 - t->part), t->part);
        t->part = comma + 1;
    }
    return comma != NULL;
}

static void offer_schedulers(typing *t, bool list)
{
    const bool later = list && split_list(t);
    for (const char *const *name = scheduler_names(); *name; name++)
        if (!in_list(*name, t->kept) && is_taken(t, *name, t->sync, NULL, NULL))
            offer(t, *name, "");
    if (list && !later)
        offer(t, "all", "");
    if (!list && is_taken(t, "auto", t->sync, NULL, NULL))
        offer(t, "auto", "");
    if (t->app && t->app->program && !in_list(ORDO_NATIVE, t->kept) &&
        (list || is_taken(t, ORDO_NATIVE, t->sync, NULL, NULL)))
        offer(t, ORDO_NATIVE, "");
}

static void offer_syncs(const typing *t)
{
    if (some_take(t, "auto", NULL))
        offer(t, "auto", "");
    for (int i = ORDO_SYNC_DEFAULT + 1; i < ORDO_SYNCS; i++)
        if (!in_list(ordo_sync_name((ordo_sync)i), t->kept) && some_take(t, ordo_sync_name((ordo_sync)i), NULL))
            offer(t, ordo_sync_name((ordo_sync)i), "");
}

/* Tunables that a scheduler which takes part has; `name` given: the values of that one. */
static void offer_tunables(const typing *t, const char *name)
{
    char capacity[48], setting[LONGEST];
    const char *scheduler;
    for (size_t at = 0; (scheduler = next_scheduler(t, &at, capacity));) {
        const ordo_scheduler *s = ordo_scheduler_find(scheduler);
        for (int i = 0; s && i < s->tunable_count; i++) {
            const ordo_tunable *row = &s->tunables[i];
            size_t length = 0;
            if (!name) {
                snprintf(setting, sizeof setting, "%s=%s", row->name, row->initial);
                if (some_take(t, NULL, setting))
                    offer(t, row->name, "=");
            } else if (!strcmp(name, row->name) && row->type == ORDO_TUNABLE_CHOICE) {
                for (const char *word = row->choices; *word; word += length + (word[length] == '|')) {
                    length = strcspn(word, "|");
                    int used = snprintf(setting, sizeof setting, "%s=", row->name);
                    snprintf(setting + used, sizeof setting - (size_t)used, "%.*s", (int)length, word);
                    if (some_take(t, NULL, setting))
                        offer(t, setting + used, "");
                }
            }
        }
    }
}

static void offer_devices(const typing *t)
{
    static const char *const names[] = {"cpu", "cuda", "auto", NULL};
    for (const char *const *name = names; *name; name++)
        if (!in_list(*name, t->kept) && !strncmp(*name, t->part, strlen(t->part)) &&
            is_taken(t, NULL, NULL, *name, NULL))
            offer(t, *name, "");
}

static void offer_value(typing *t, const cli_option *o)
{
    const char *name = o->name ? o->name : "";
    if (!strcmp(name, "scheduler") || !strcmp(name, "schedulers")) {
        offer_schedulers(t, name[strlen("scheduler")]);
    } else if (!strcmp(name, "sync") || !strcmp(name, "device")) {
        if (!strcmp(o->argument, "LIST"))
            split_list(t);
        if (name[0] == 's')
            offer_syncs(t);
        else
            offer_devices(t);
    } else if (!strcmp(name, "sweep") && !strchr(t->part, '=')) {
        offer_tunables(t, NULL);
    } else if (!strcmp(name, "set")) {
        char tunable[LONGEST];
        const char *equals = strchr(t->part, '=');
        snprintf(tunable, sizeof tunable, "%.*s", equals ? (int)(equals - t->part) : 0, t->part);
        t->part = equals ? equals + 1 : t->part;
        offer_tunables(t, equals ? tunable : NULL);
    } else if (!strcmp(name, "generate")) {
        offer_kinds(t);
    } else if (!strncmp(o->argument, "FILE", strlen("FILE"))) {
        offer_files();
    } else {
        offer_choices(t, o->argument);
    }
}

/* ---- options ---- */

/* The option that a word names, without its value. */
static bool find_option(const option_scope *s, const char *word, cli_option *out)
{
    size_t length = strcspn(word, "=");
    for (int at = 0; options_next(s, &at, out);) {
        char letter[3] = {'-', (char)out->letter, 0};
        if (out->name && length > 2 && !strncmp(word, "--", 2) && strlen(out->name) == length - 2 &&
            !memcmp(out->name, word + 2, length - 2))
            return true;
        if (out->letter && !strcmp(letter, word))
            return true;
    }
    return false;
}

static bool was_given(const typing *t, const cli_option *o)
{
    for (int i = 0; i < t->given_count; i++)
        if (!strcmp(t->given[i], o->name))
            return true;
    return o->group && t->groups & 1u << o->group;
}

static void offer_options(const typing *t)
{
    cli_option o;
    for (int at = 0; options_next(&t->scope, &at, &o);) {
        char name[LONGEST];
        snprintf(name, sizeof name, "--%s", o.name ? o.name : "");
        if (!o.name || (was_given(t, &o) && !o.repeats))
            continue;
        if (t->scope.verb == VERB_GENERATE && t->first && !options_kind_takes(t->first, o.name))
            continue;
        offer(t, name, "");
    }
}

static void note_option(typing *t, const cli_option *o, const char *value)
{
    const char *name = o->name ? o->name : "";
    if (t->given_count < MAX_OPTIONS)
        snprintf(t->given[t->given_count++], sizeof t->given[0], "%s", name);
    t->groups |= 1u << o->group;
    t->made |= !strcmp(name, "file") || !strcmp(name, "generate") || o->letter == 'g' || o->letter == 'u';
    if (!strcmp(name, "scheduler"))
        t->scheduler = value;
    else if (!strcmp(name, "schedulers"))
        t->schedulers = value;
    else if (!strcmp(name, "sync"))
        t->sync = value;
}

/* ---- words ---- */

/* Completes a word that is not an option, the `index`-th after the verb. */
static void offer_word(const typing *t)
{
    const cli_verb *v = t->verb;
    const int verb = t->scope.verb, index = t->words;
    if (v && !strcmp(v->name, "help") && index == 0) {
        const ordo_operator *list[LONGEST];
        size_t count = ordo_operators(list, LONGEST);
        offer_all(t, verb_names());
        offer_all(t, scheduler_names());
        offer(t, ORDO_NATIVE, "");
        for (size_t i = 0; i < count && i < LONGEST; i++)
            if (!find_app(ordo_operator_name(list[i])) && !find_verb(ordo_operator_name(list[i])))
                offer(t, ordo_operator_name(list[i]), "");
    } else if (v && !strcmp(v->name, "man") && index == 0) {
        for (const char *const *name = verb_names(); *name; name++)
            if (**name != '-')
                offer(t, *name, "");
    } else if (verb & (VERB_COMPARE | VERB_TUNE) && index == 0) {
        if (strpbrk(t->part, "./"))
            offer_files();
        else
            for (const ordo_app *const *app = ordo_built_apps; *app; app++)
                offer(t, (*app)->name, "");
    } else if (verb == VERB_NEW && index == 0) {
        offer(t, "operator", "");
        offer(t, "scheduler", "");
    } else if (verb == VERB_BENCH && index == 0) {
        offer_choices(t, v->arguments);
    } else if (verb == VERB_GENERATE) {
        if (index == 0)
            offer_kinds(t);
    } else if (verb == VERB_COMPARE || verb == VERB_REPORT || (verb & (VERB_CONVERT | VERB_SAMPLE) && index < 2) ||
               (verb & (VERB_APP | VERB_GAP | VERB_INFO | VERB_CHECK | VERB_PARTITION | VERB_SAT | VERB_POINTS) &&
                index == 0 && !t->made) ||
               (v && v->verb == VERB_APP && index < 2) || /* an operator's file, then a graph */
               (verb == VERB_TUNE && index == 1 && !t->made) ||
               (verb == VERB_BENCH && index == 1 && t->scope.traits & TRAIT_GRAPH && !t->made)) {
        offer_files();
    }
}

static void note_word(typing *t, const char *word)
{
    if (t->words++)
        return;
    t->first = word;
    if (t->scope.verb & (VERB_COMPARE | VERB_TUNE) && find_app(word)) {
        t->app = find_app(word);
        t->scope = scope_of_app(t->scope.verb, t->app);
    } else if (t->scope.verb == VERB_BENCH) {
        t->scope = scope_of_benchmark(word);
        if (!t->scope.traits)
            t->first = NULL;
    }
}

/* Joins words that bash has split at "="; returns their number. */
static int join(const options *o, char (*word)[LONGEST])
{
    int count = 0;
    bool glue = false;
    for (int i = 0; i < o->word_count; i++) {
        const bool is_sign = !strcmp(o->words[i], "=");
        if (count && (glue || is_sign)) {
            size_t used = strlen(word[count - 1]);
            snprintf(word[count - 1] + used, LONGEST - used, "%s", o->words[i]);
        } else {
            snprintf(word[count++], LONGEST, "%s", o->words[i]);
        }
        glue = is_sign;
    }
    return count;
}

ordo_status verb_complete(const options *o)
{
    static char word[MAX_GRAPHS][LONGEST];
    static typing t;
    int count = join(o, word);
    t = (typing){.part = count ? word[count - 1] : ""};
    if (count <= 1) {
        offer_all(&t, verb_names());
        return ORDO_OK;
    }
    t.verb = find_verb(word[0]);
    t.app = find_app(word[0]);
    if (!t.verb && !t.app)
        return ORDO_OK;
    t.scope = t.app ? scope_of_app(VERB_APP, t.app) : scope_of_verb(t.verb);
    cli_option option;
    for (int i = 1; i < count - 1; i++) {
        if (word[i][0] != '-' || !word[i][1]) {
            note_word(&t, word[i]);
        } else if (find_option(&t.scope, word[i], &option)) {
            const char *equals = strchr(word[i], '=');
            const bool takes_next = option.argument && !option.optional && !equals;
            if (takes_next && i + 1 == count - 1) {
                offer_value(&t, &option);
                return ORDO_OK;
            }
            note_option(&t, &option, equals ? equals + 1 : takes_next ? word[i + 1] : "");
            i += takes_next;
        }
    }
    const char *equals = strchr(t.part, '=');
    if (t.part[0] == '-' && equals && find_option(&t.scope, t.part, &option) && option.argument) {
        t.part = equals + 1;
        offer_value(&t, &option);
    } else if (t.part[0] == '-') {
        offer_options(&t);
    } else {
        offer_word(&t);
    }
    return ORDO_OK;
}
