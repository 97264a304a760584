/* help.c -- lists and explanations, all from the tables that the command itself uses. */
#include "commit.h"
#include "apps/cli/cli.h"

#include <string.h>

#include <ordo/scheduler/scheduler.h>

enum { MOST = 256 };

const char *const *verb_names(void)
{
    static const char *names[MOST];
    int count = 0;
    for (const ordo_app *const *app = ordo_built_apps; *app && count < MOST - 20; app++)
        names[count++] = (*app)->name;
    for (const cli_verb *v = verbs; v->name; v++)
        names[count++] = v->name;
    names[count++] = "--help";
    names[count++] = "--version";
    names[count] = NULL;
    return names;
}

const char usage_examples[] = "  ordo sssp road.gr --source 1 --ids file --scheduler near_far --verify\n"
                              "  ordo bfs --generate \"rmat --scale 20 --symmetrise\" --repeat 5 --json out.json\n"
                              "  ordo compare sssp road.gr rmat.wsg --repeat 5\n"
                              "  ordo convert web.txt web.ordo --dedup first --drop-loops\n";
const char usage_statuses[] = "0 done, 1 an answer failed verification, 2 usage, 3 bad input or output, 4 not enough\n"
                              "memory, 5 device error, 6 not done in time (--timeout), 130 cancelled.";

void print_usage(FILE *out)
{
    fprintf(out, "Usage: ordo APP GRAPH [OPTION...]     or     ordo VERB [WORD...] [OPTION...]\n\nApps:\n");
    for (const ordo_app *const *app = ordo_built_apps; *app; app++)
        fprintf(out, "  %-45s %s\n", (*app)->name, (*app)->summary);
    fprintf(out, "\nVerbs:\n");
    for (const cli_verb *v = verbs; v->name; v++) {
        char left[80];
        snprintf(left, sizeof left, "%s %s", v->name, v->arguments);
        fprintf(out, "  %-45s %s\n", left, v->summary);
    }
    fprintf(
        out,
        "\nExamples:\n%s\n`ordo help VERB` lists its options, `ordo help SCHEDULER` its tunables.\nExit status: %s\n",
        usage_examples, usage_statuses);
}

/* ---- operators and schedulers ---- */

static const char *kind_name(int kind)
{
    return kind == ORDO_KIND_RELAX ? "relax" : kind == ORDO_KIND_GATHER ? "gather" : "critical";
}

static void print_properties(unsigned properties)
{
    char names[96];
    ordo_property_names(properties, names, sizeof names);
    printf("%s", names[0] ? names : "none");
}

static bool has_code(const ordo_operator *op, const char *scheduler)
{
    for (const ordo_instance *const *i = op->instances; *i; i++)
        if (!strcmp((*i)->scheduler, scheduler))
            return (*i)->run != NULL;
    return false;
}

/* "atomic, lock": the syncs of a scheduler for a kind; those for this operator where `op` is given. */
static int print_syncs(const ordo_scheduler *s, int kind, const ordo_operator *op)
{
    int count = 0;
    for (const ordo_pairing *p = s->pairings; p->kind; p++)
        if (p->kind == kind && (!op || !(p->needs & ~op->properties)))
            printf("%s%s", count++ ? ", " : "", ordo_sync_name(p->sync));
    return count;
}

static bool offers(const ordo_scheduler *s, int kind, const ordo_operator *op)
{
    for (const ordo_pairing *p = s->pairings; p->kind; p++)
        if (p->kind == kind && (!op || !(p->needs & ~op->properties)))
            return !op || has_code(op, s->name);
    return false;
}

static size_t all_schedulers(const ordo_scheduler **out)
{
    size_t count = ordo_schedulers(out, MOST);
    return count < MOST ? count : MOST;
}

static size_t all_operators(const ordo_operator **out)
{
    size_t count = ordo_operators(out, MOST);
    return count < MOST ? count : MOST;
}

static void print_operator(const ordo_operator *op)
{
    const ordo_scheduler *schedulers[MOST];
    size_t count = all_schedulers(schedulers);
    printf("%s: %s\n  kind        %s\n", op->name, op->summary, kind_name(op->kind));
    if (op->kind != ORDO_KIND_CRITICAL)
        printf("  cells       %s\n  weights     %s\n", type_name(op->cell), type_name(op->weight));
    if (op->items)
        printf("  items       %s%s%s\n", op->items & ORDO_ITEMS_VERTICES ? "vertices" : "",
               op->items == (ORDO_ITEMS_VERTICES | ORDO_ITEMS_EDGES) ? ", " : "",
               op->items & ORDO_ITEMS_EDGES ? "edges" : "");
    printf("  properties  ");
    print_properties(op->properties);
    printf("\n  runs under  ");
    bool any = false;
    for (size_t i = 0; i < count; i++)
        if (offers(schedulers[i], op->kind, op)) {
            printf("%s%s (", any ? ", " : "", schedulers[i]->name);
            print_syncs(schedulers[i], op->kind, op);
            putchar(')');
            any = true;
        }
    printf(any ? "\n" : "none\n");
}

static const char *range_text(const ordo_tunable *t, char *capacity, size_t size)
{
    if (t->type == ORDO_TUNABLE_CHOICE)
        return t->choices;
    snprintf(capacity, size, "%g to %g", t->min, t->max);
    return capacity;
}

static void print_scheduler(const ordo_scheduler *s)
{
    printf("%s: %s\n  paper       %s\n", s->name, s->summary, s->paper);
    for (int kind = ORDO_KIND_RELAX; kind <= ORDO_KIND_GATHER; kind++)
        for (const ordo_pairing *p = s->pairings; p->kind; p++)
            if (p->kind == kind) {
                printf("  sync        %s for %s operators; needs: ", ordo_sync_name(p->sync), kind_name(kind));
                print_properties(p->needs);
                putchar('\n');
            }
    if (s->edge_items)
        printf("  items       vertices; edges on %s%s%s\n", s->edge_items & 1u << ORDO_ON_CPU ? "cpu" : "",
               s->edge_items == (1u << ORDO_ON_CPU | 1u << ORDO_ON_CUDA) ? ", " : "",
               s->edge_items & 1u << ORDO_ON_CUDA ? "cuda" : "");
    if (s->growing)
        printf("  growing     operators that add edges and items on %s%s\n",
               s->growing & 1u << ORDO_ON_CPU ? "cpu" : "", s->growing & 1u << ORDO_ON_CUDA ? ", cuda" : "");
    printf("\nTunables, for --set NAME=VALUE:\n");
    if (s->tunable_count == 0)
        printf("  none\n");
    for (int i = 0; i < s->tunable_count; i++) {
        const ordo_tunable *t = &s->tunables[i];
        char range[64];
        printf("  %s=%s  (%s: %s%s%s)\n      %s\n", t->name, t->initial,
               t->type == ORDO_TUNABLE_INT    ? "whole number"
               : t->type == ORDO_TUNABLE_REAL ? "number"
                                              : "one of",
               range_text(t, range, sizeof range), t->unit[0] ? ", " : "", t->unit, t->help);
    }
}

void print_programs(void)
{
    for (const ordo_app *const *app = ordo_built_apps; *app; app++) {
        const ordo_program *p = (*app)->program;
        if (p)
            printf("  %-9s %s (%s%s%s)\n", p->name, p->summary, p->run ? "cpu" : "", p->run && p->on_cuda ? ", " : "",
                   p->on_cuda ? "cuda" : "");
    }
}

static void print_native(void)
{
    printf("%s: no scheduler, but a program of the app's own, which does it all in one run; it has no sync and no "
           "tunables\n",
           ORDO_NATIVE);
    print_programs();
}

ordo_status verb_schedulers(const options *o)
{
    const ordo_scheduler *list[MOST];
    size_t count = all_schedulers(list);
    if (o->word_count)
        return ordo_fail(ORDO_ERR_USAGE, "found '%s', expected no words after 'schedulers'", o->words[0]);
    for (size_t i = 0; i < count; i++) {
        printf("%-12s %s\n%-12s", list[i]->name, list[i]->summary, "");
        for (int kind = ORDO_KIND_RELAX; kind <= ORDO_KIND_GATHER; kind++)
            if (offers(list[i], kind, NULL)) {
                printf(" %s: ", kind_name(kind));
                print_syncs(list[i], kind, NULL);
                putchar(';');
            }
        printf(" %s%d tunables\n", list[i]->edge_items ? "edges as items; " : "", list[i]->tunable_count);
    }
    printf("\nPrograms of apps, for --scheduler %s:\n", ORDO_NATIVE);
    print_programs();
    return ORDO_OK;
}

ordo_status verb_operators(const options *o)
{
    const ordo_operator *list[MOST];
    size_t count = all_operators(list);
    if (o->word_count)
        return ordo_fail(ORDO_ERR_USAGE, "found '%s', expected no words after 'operators'", o->words[0]);
    for (size_t i = 0; i < count; i++)
        print_operator(list[i]);
    return ORDO_OK;
}

/* ---- help ---- */

bool reads_graphs(int verb)
{
    return verb &
           (VERB_APP | VERB_COMPARE | VERB_TUNE | VERB_GAP | VERB_CONVERT | VERB_INFO | VERB_SAMPLE | VERB_PARTITION);
}

bool writes_graphs(int verb)
{
    return verb & (VERB_GENERATE | VERB_CONVERT | VERB_SAMPLE);
}

void print_formats(FILE *out, bool read)
{
    static const struct {
        const char *suffix, *name;
        bool read, written;
    } formats[] = {
        {".gr", "DIMACS shortest paths: directed, whole weights", true, true},
        {".max", "DIMACS maximum flow: directed, capacities, source and sink", true, true},
        {".co", "DIMACS coordinates, alone; read with --coordinates", false, true},
        {".mtx", "Matrix Market coordinate: general, symmetric or skew-symmetric", true, true},
        {".graph", "METIS (or .metis): symmetric, may have weights of edges and vertices", true, true},
        {".el", "edge list: two numbers a line", true, true},
        {".wel", "edge list with weights: three numbers a line", true, true},
        {".txt", "edge list as SNAP's: '#' begins a comment, with or without weights", true, true},
        {".csv", "edge list of fields (or .tsv), with or without names of columns (--columns)", true, false},
        {".sg", "GAP binary, without weights", true, true},
        {".wsg", "GAP binary, with weights", true, true},
        {".gr", "Galois binary, versions 1 and 2, told by content", true, false},
        {".ggr", "Galois binary, version 1", true, true},
        {".npz", "SciPy sparse matrix", true, true},
        {".ordo", "Ordo's own: mapped, nothing is lost", true, true},
    };
    fprintf(out, read ? "Formats read, told by content first:\n" : "Formats written, told by the suffix:\n");
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (read ? formats[i].read : formats[i].written)
            fprintf(out, "  %-8s %s\n", formats[i].suffix, formats[i].name);
    fprintf(out, read ? "  All may be compressed: gzip, xz, zstd. '-' is standard input.\n"
                      : "  All but .npz are compressed where .gz, .xz or .zst follows.\n");
}

ordo_status print_verb_help(const char *name)
{
    const cli_verb *v = find_verb(name);
    const ordo_app *app = find_app(name);
    if (app)
        printf("Usage: ordo %s GRAPH [OPTION...]\n\n%s\n", name, app->summary);
    else
        printf("Usage: ordo %s %s [OPTION...]\n\n%s\n", name, v->arguments, v->summary);
    int kind = app ? VERB_APP : v->verb;
    option_scope scope = app ? scope_of_app(kind, app) : scope_of_verb(v);
    if (kind == VERB_GENERATE) {
        printf("\nKinds, with the options of each:\n");
        options_print_kinds(stdout);
    }
    if (reads_graphs(kind)) {
        putchar('\n');
        print_formats(stdout, true);
    }
    if (writes_graphs(kind)) {
        putchar('\n');
        print_formats(stdout, false);
    }
    printf("\nOptions, with defaults in parentheses:\n");
    options_print(stdout, &scope);
    return ORDO_OK;
}

ordo_status verb_help(const options *o)
{
    if (o->word_count > 1)
        return ordo_fail(ORDO_ERR_USAGE, "found '%s', expected one word after 'help'", o->words[1]);
    if (o->word_count == 0) {
        print_usage(stdout);
        return ORDO_OK;
    }
    const char *name = o->words[0];
    bool any = false;
    if (find_verb(name) || find_app(name)) {
        print_verb_help(name);
        any = true;
    }
    if (ordo_scheduler_find(name)) {
        fputs(any ? "\nThe scheduler:\n" : "", stdout);
        print_scheduler(ordo_scheduler_find(name));
        any = true;
    }
    if (!strcmp(name, ORDO_NATIVE)) {
        print_native();
        any = true;
    }
    if (ordo_operator_find(name)) {
        fputs(any ? "\nThe operator:\n" : "", stdout);
        print_operator(ordo_operator_find(name));
        any = true;
    }
    if (any)
        return ORDO_OK;
    const char *names[3 * MOST + 2];
    int count = 0;
    for (const char *const *at = verb_names(); *at; at++)
        names[count++] = *at;
    for (const char *const *at = scheduler_names(); *at; at++)
        names[count++] = *at;
    const ordo_operator *operators[MOST];
    size_t operator_count = all_operators(operators);
    for (size_t i = 0; i < operator_count; i++)
        names[count++] = operators[i]->name;
    names[count++] = ORDO_NATIVE;
    names[count] = NULL;
    return unknown("verb, scheduler or operator", name, names, "ordo help");
}

ordo_status verb_version(const options *o)
{
    (void)o;
    printf("ordo %s (commit %s)\n", ORDO_VERSION, ORDO_COMMIT);
    return ORDO_OK;
}
