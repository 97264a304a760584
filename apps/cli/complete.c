/* complete.c -- how the last word of a command line may go on, for a shell's completion: one candidate a line.
 *
 * `ordo complete -- WORD...` gets the words after "ordo" up to the one that is being typed, which may be empty, and
 * prints what that may become: out of the tables that the command works by, so that nothing can be missing. The line
 * "<files>" says that a file may stand there. Bash takes "=" for a word of its own, so those are put together again,
 * and of such a word only what comes after its last "=" is printed. apps/cli/ordo.bash is the shell's side.
 *
 * Not done: words within the quotes of --generate after the kind; NAME:SYNC of --schedulers.
 */
#include "apps/cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include <ordo/scheduler.h>

enum { LONGEST = 256 };

/* What is being typed. `kept` is printed before each candidate: the names before the last comma of a list. */
typedef struct typing {
    const char *part;
    char kept[LONGEST];
} typing;

static void offer(const typing *t, const char *word, const char *suffix)
{
    if (!strncmp(word, t->part, strlen(t->part)))
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

/* "a|b|c", which may stand in brackets; other text offers nothing. */
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

/* Tunables of the scheduler, of all where it is NULL; `name` given: the values of that one. */
static void offer_tunables(const typing *t, const char *scheduler, const char *name)
{
    for (const char *const *at = scheduler_names(); *at; at++) {
        const ordo_scheduler *s = ordo_scheduler_find(*at);
        for (int i = 0; i < s->tunable_count; i++) {
            const ordo_tunable *row = &s->tunables[i];
            if (scheduler && strcmp(scheduler, s->name) != 0)
                continue;
            if (!name)
                offer(t, row->name, "=");
            else if (!strcmp(name, row->name) && row->type == ORDO_TUNABLE_CHOICE)
                offer_choices(t, row->choices);
        }
    }
}

static void offer_value(typing *t, const cli_option *o, const char *scheduler)
{
    static const char *const devices[] = {"cpu", "cuda", "auto", NULL};
    const char *name = o->name ? o->name : "";
    if (!strcmp(name, "scheduler") || !strcmp(name, "schedulers")) {
        const char *comma = name[strlen("scheduler")] ? strrchr(t->part, ',') : NULL;
        if (comma) {
            snprintf(t->kept, sizeof t->kept, "%.*s", (int)(comma + 1 - t->part), t->part);
            t->part = comma + 1;
        }
        offer_all(t, scheduler_names());
        offer(t, name[strlen("scheduler")] ? "all" : "auto", "");
    } else if (!strcmp(name, "sync")) {
        offer(t, "auto", "");
        for (int i = ORDO_SYNC_DEFAULT + 1; i < ORDO_SYNCS; i++)
            offer(t, ordo_sync_name((ordo_sync)i), "");
    } else if (!strcmp(name, "device")) {
        offer_all(t, devices);
    } else if (!strcmp(name, "set")) {
        char tunable[LONGEST];
        const char *equals = strchr(t->part, '=');
        snprintf(tunable, sizeof tunable, "%.*s", equals ? (int)(equals - t->part) : 0, t->part);
        t->part = equals ? equals + 1 : t->part;
        offer_tunables(t, scheduler, equals ? tunable : NULL);
    } else if (!strcmp(name, "generate")) {
        offer_kinds(t);
    } else if (!strcmp(o->argument, "FILE")) {
        offer_files();
    } else {
        offer_choices(t, o->argument);
    }
}

/* The option that a word names, its value cut off. */
static bool find_option(int verb, const char *word, cli_option *out)
{
    size_t length = strcspn(word, "=");
    for (int at = 0; options_next(verb, &at, out);) {
        char letter[3] = {'-', (char)out->letter, 0};
        if (out->name && length > 2 && !strncmp(word, "--", 2) && strlen(out->name) == length - 2 &&
            !memcmp(out->name, word + 2, length - 2))
            return true;
        if (out->letter && !strcmp(letter, word))
            return true;
    }
    return false;
}

/* A word that is no option, the `index`-th after the verb. */
static void offer_word(const typing *t, const cli_verb *v, int index)
{
    const int verb = v ? v->verb : VERB_APP;
    if (v && !strcmp(v->name, "help") && index == 0) {
        const ordo_operator *list[LONGEST];
        size_t count = ordo_operators(list, LONGEST);
        offer_all(t, verb_names());
        offer_all(t, scheduler_names());
        for (size_t i = 0; i < count && i < LONGEST; i++)
            if (!find_app(ordo_operator_name(list[i])) && !find_verb(ordo_operator_name(list[i])))
                offer(t, ordo_operator_name(list[i]), "");
    } else if (v && !strcmp(v->name, "man") && index == 0) {
        offer_all(t, verb_names());
    } else if (verb == VERB_COMPARE && index == 0) {
        for (const ordo_app *const *app = ordo_built_apps; *app; app++)
            offer(t, (*app)->name, "");
    } else if (verb == VERB_BENCH && index == 0) {
        offer_choices(t, v->arguments);
    } else if (verb == VERB_GENERATE) {
        offer_kinds(t);
    } else if (verb != VERB_LIST) {
        offer_files();
    }
}

/* Words that bash took apart at "=" in one again; returns their number. */
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
    int count = join(o, word);
    typing t = {.part = count ? word[count - 1] : "", .kept = ""};
    if (count <= 1) {
        offer_all(&t, verb_names());
        return ORDO_OK;
    }
    const cli_verb *v = find_verb(word[0]);
    if (!v && !find_app(word[0]))
        return ORDO_OK;
    const int verb = v ? v->verb : VERB_APP;
    const char *scheduler = NULL;
    int words = 0;
    cli_option option;
    for (int i = 1; i < count - 1; i++) {
        if (word[i][0] != '-' || !word[i][1]) {
            words++;
        } else if (find_option(verb, word[i], &option) && option.argument && !option.optional) {
            const char *equals = strchr(word[i], '=');
            if (!equals && i + 1 == count - 1) {
                offer_value(&t, &option, scheduler);
                return ORDO_OK;
            }
            const char *value = equals ? equals + 1 : word[++i];
            if (option.name && !strcmp(option.name, "scheduler") && ordo_scheduler_find(value))
                scheduler = value;
        }
    }
    const char *equals = strchr(t.part, '=');
    if (t.part[0] == '-' && equals && find_option(verb, t.part, &option) && option.argument) {
        t.part = equals + 1;
        offer_value(&t, &option, scheduler);
    } else if (t.part[0] == '-') {
        for (int at = 0; options_next(verb, &at, &option);) {
            char name[LONGEST];
            snprintf(name, sizeof name, "--%s", option.name ? option.name : "");
            if (option.name)
                offer(&t, name, "");
        }
    } else {
        offer_word(&t, v, words);
    }
    return ORDO_OK;
}
