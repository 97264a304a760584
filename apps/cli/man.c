/* man.c -- the manual pages, from the tables that the command itself uses: one of the command, one for each app and
 * verb.
 *
 * The build writes them with `ordo man`, so that pages and help are always the same.
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "apps/cli/cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/scheduler/scheduler.h>

/* Escapes text for troff: backslashes are doubled, hyphens are ASCII ones that can be searched for and copied, and no
 * line begins with what would be a request. */
static void put_text(const char *text)
{
    bool begins = true;
    for (; *text; text++) {
        if (begins && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        begins = *text == '\n';
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '`' || *text == '\'')
            fputs(*text == '`' ? "\\(ga" : "\\(aq", stdout);
        else
            putchar(*text);
    }
}

static void put_upper(const char *text)
{
    for (; *text; text++)
        putchar(toupper((unsigned char)*text));
}

/* A paragraph with a name in front. */
static void put_item(const char *name, const char *words, const char *text)
{
    fputs(".TP\n.B ", stdout);
    put_text(name);
    if (words[0]) {
        putchar(' ');
        put_text(words);
    }
    putchar('\n');
    put_text(text);
    putchar('\n');
}

/* The output of `print`, line by line, unformatted. */
static ordo_status put_verbatim(void (*print)(FILE *out, bool flag), bool flag)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return ordo_fail(ORDO_ERR_MEMORY, "no memory for a manual page");
    print(out, flag);
    if (fclose(out)) {
        free(text);
        return ordo_fail(ORDO_ERR_MEMORY, "no memory for a manual page");
    }
    printf(".nf\n");
    put_text(text);
    printf(".fi\n");
    free(text);
    return ORDO_OK;
}

static void print_kinds(FILE *out, bool flag)
{
    (void)flag;
    options_print_kinds(out);
}

static void put_title(const char *name, const char *summary)
{
    printf(".\\\" Written by `ordo man`.\n.TH ORDO");
    if (name) {
        putchar('-');
        put_upper(name);
    }
    printf(" 1 \"\" \"ordo %s\" \"User Commands\"\n.SH NAME\nordo%s%s \\- ", ORDO_VERSION, name ? "\\-" : "",
           name ? name : "");
    put_text(summary);
    putchar('\n');
}

static void put_options(const option_scope *s)
{
    cli_option o;
    printf(".SH OPTIONS\nDefaults are in parentheses.\n");
    for (int at = 0; options_next(s, &at, &o);) {
        printf(".TP\n.BR ");
        if (o.name) {
            put_text("--");
            put_text(o.name);
        }
        if (o.letter)
            printf("%s\\-%c", o.name ? " \", \" " : "", o.letter);
        if (o.argument) {
            printf(o.optional ? " \"[=" : " \" ");
            for (const char *c = o.argument + o.optional; *c; c++) { /* a quote would end an argument of a request */
                char one[2] = {*c, 0};
                *c == '"' ? (void)fputs("\\(dq", stdout) : put_text(one);
            }
            putchar('"');
        }
        putchar('\n');
        put_text(o.help);
        putchar('\n');
    }
}

static ordo_status put_verb(const option_scope *scope, const char *words, const char *summary)
{
    const char *name = scope->name;
    const int verb = scope->verb;
    put_title(name, summary);
    printf(".SH SYNOPSIS\n.B ordo %s\n", name);
    put_text(words);
    printf("%s[OPTION...]\n.SH DESCRIPTION\n%c", words[0] ? "\n" : "", toupper((unsigned char)summary[0]));
    put_text(summary + 1);
    printf(".\n");
    ordo_status status = ORDO_OK;
    if (verb == VERB_GENERATE) {
        printf(".SH KINDS\n");
        status = put_verbatim(print_kinds, false);
    }
    put_options(scope);
    if (reads_graphs(verb) || writes_graphs(verb))
        printf(".SH FORMATS\n");
    if (!status && reads_graphs(verb))
        status = put_verbatim(print_formats, true);
    if (reads_graphs(verb) && writes_graphs(verb))
        printf(".PP\n");
    if (!status && writes_graphs(verb))
        status = put_verbatim(print_formats, false);
    printf(".SH EXIT STATUS\n");
    put_text(usage_statuses);
    printf("\n.SH SEE ALSO\n.BR ordo (1)\n");
    return status;
}

static void put_schedulers(void)
{
    printf(".SH SCHEDULERS\nThe order of work,\n.BR \\-\\-scheduler .\n"
           "Their tunables, for\n.BR \\-\\-set ,\nare told by\n.BR \"ordo help\" .\n");
    for (const char *const *name = scheduler_names(); *name; name++)
        put_item(*name, "", ordo_scheduler_find(*name)->summary);
    put_item(ORDO_NATIVE, "", "no scheduler, but a program of the app's own, where it has one");
}

static void put_command(void)
{
    put_title(NULL, "graph processing with pluggable schedulers");
    printf(
        ".SH SYNOPSIS\n.B ordo\nAPP GRAPH [OPTION...]\n.br\n.B ordo\nVERB [WORD...] [OPTION...]\n.SH DESCRIPTION\n"
        "Runs apps on graphs. An app is an operator, which says how one vertex is processed, and a scheduler decides\n"
        "in which order that is done, and by whom: it changes the speed, and never the answer.\n"
        "Each app and each verb has a page of its own.\n.SH APPS\n");
    for (const ordo_app *const *app = ordo_built_apps; *app; app++)
        put_item((*app)->name, "GRAPH", (*app)->summary);
    printf(".SH VERBS\n");
    for (const cli_verb *v = verbs; v->name; v++)
        put_item(v->name, v->arguments, v->summary);
    put_schedulers();
    printf(".SH EXIT STATUS\n");
    put_text(usage_statuses);
    printf("\n.SH EXAMPLES\n.nf\n");
    put_text(usage_examples);
    printf(".fi\n.SH SEE ALSO\n");
    for (const ordo_app *const *app = ordo_built_apps; *app; app++)
        printf(".BR ordo\\-%s (1),\n", (*app)->name);
    for (const cli_verb *v = verbs; v->name; v++)
        printf(".BR ordo\\-%s (1)%s\n", v->name, v[1].name ? "," : "");
}

ordo_status verb_man(const options *o)
{
    if (o->word_count > 1)
        return ordo_fail(ORDO_ERR_USAGE, "found '%s', expected one word after 'man'", o->words[1]);
    if (o->word_count == 0) {
        put_command();
        return ORDO_OK;
    }
    const cli_verb *v = find_verb(o->words[0]);
    const ordo_app *app = find_app(o->words[0]);
    if (app || v) {
        option_scope scope = app ? scope_of_app(VERB_APP, app) : scope_of_verb(v);
        return put_verb(&scope, app ? "GRAPH" : v->arguments, app ? app->summary : v->summary);
    }
    return unknown("app or verb", o->words[0], verb_names(), "ordo help");
}
