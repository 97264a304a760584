/* kinds.c -- the kinds of graphs that can be generated, and the options of each. */
#include "apps/cli/options/table.h"

#include <string.h>

enum { MOST_OF_A_KIND = 3 };

/* Options by name: those that a kind needs and those that it may have; NULL ends a list. */
static const struct kind {
    const char *name, *needs[MOST_OF_A_KIND + 1], *allows[MOST_OF_A_KIND + 1];
    const char *help;
} kinds[] = {
    {"rmat", {"scale"}, {"degree", "abcd", "weights"}, "R-MAT, directed"},
    {"kron", {"scale"}, {"degree", "weights"}, "R-MAT as GAP shapes it (-g): symmetric, simple"},
    {"urand", {"scale"}, {"degree", "weights"}, "uniform random as GAP's (-u): symmetric, simple"},
    {"uniform", {"vertices"}, {"degree", "weights"}, "every vertex has edges to random others, directed"},
    {"grid", {"width", "height"}, {"depth", "keep", "weights"}, "lattice of 4 or 6 neighbours, symmetric"},
    {"mesh", {"width", "height"}, {"depth", "weights"}, "lattice of 26 neighbours, symmetric"},
    {"road", {"vertices"}, {NULL}, "planar, sparse, long paths; weights are lengths, has coordinates; symmetric"},
    {"rlg", {"width", "height"}, {"weights"}, "random level graph, a flow network; weights are capacities"},
    {"genrmf", {"width", "depth"}, {"weights"}, "frames of a flow network; weights are capacities"},
    {"ksat", {"variables"}, {"ratio", "length"}, "random k-SAT, a formula for `ordo sat` (.cnf)"},
    {"constraints", {"variables"}, {"ratio"}, "a program for `ordo points-to`"},
    {"star", {"vertices"}, {"weights"}, "vertex 0 and its neighbours, symmetric"},
    {"path", {"vertices"}, {"weights"}, "one vertex behind the other, symmetric"},
    {"complete", {"vertices"}, {"weights"}, "every two are neighbours, symmetric"},
    {"cliques", {"vertices", "width"}, {"weights"}, "a chain of complete graphs, symmetric"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const option_scope generate = {.name = "generate", .verb = VERB_GENERATE};

static bool is_among(const char *name, const char *const *list)
{
    while (*list && strcmp(*list, name) != 0)
        list++;
    return *list != NULL;
}

static bool belongs(const struct kind *k, const char *name)
{
    return is_among(name, k->needs) || is_among(name, k->allows);
}

const char *options_kind(int index)
{
    return index < KINDS ? kinds[index].name : NULL;
}

bool options_kind_takes(const char *kind, const char *name)
{
    bool shapes = false;
    for (int i = 0; i < KINDS; i++) {
        if (!strcmp(kinds[i].name, kind) && belongs(&kinds[i], name))
            return true;
        shapes = shapes || belongs(&kinds[i], name);
    }
    return !shapes;
}

static const char *argument_of(const char *name)
{
    return option_named(&generate, name, strlen(name))->argument;
}

void options_print_kinds(FILE *out)
{
    for (int i = 0; i < KINDS; i++) {
        const struct kind *k = &kinds[i];
        char left[120];
        int used = snprintf(left, sizeof left, "  %-11s", k->name);
        for (const char *const *name = k->needs; *name; name++)
            used += snprintf(left + used, sizeof left - (size_t)used, " --%s %s", *name, argument_of(*name));
        for (const char *const *name = k->allows; *name; name++)
            if (strcmp(*name, "weights") != 0)
                used += snprintf(left + used, sizeof left - (size_t)used, " [--%s %s]", *name, argument_of(*name));
        fprintf(out, "%-58s %s\n", left, k->help);
    }
    fprintf(out, "  all graphs but road: [--weights uniform:LOW:HIGH]\n");
}

static ordo_status find_kind(const options *o, const struct kind **out)
{
    const char *names[KINDS + 1] = {NULL};
    char all[160] = "";
    for (int i = 0; i < KINDS; i++) {
        names[i] = kinds[i].name;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", names[i]);
        if (o->word_count == 1 && !strcmp(names[i], o->words[0])) {
            *out = &kinds[i];
            return ORDO_OK;
        }
    }
    if (o->word_count != 1)
        return ordo_fail(ORDO_ERR_USAGE, "%d kinds of graph given, expected one: %s", o->word_count, all);
    return unknown("kind of graph", o->words[0], names, "ordo help generate");
}

ordo_status options_made(const options *o, ordo_generate_options *out)
{
    const struct kind *k;
    ordo_status status = find_kind(o, &k);
    if (status)
        return status;
    for (const char *const *name = k->needs; *name; name++)
        if (!options_given(o, *name))
            return ordo_fail(ORDO_ERR_USAGE, "%s needs --%s %s", k->name, *name, argument_of(*name));
    for (int i = 0; i < OPTION_ROWS; i++)
        if (o->given[i] && option_rows[i].name && !options_kind_takes(k->name, option_rows[i].name))
            return ordo_fail(ORDO_ERR_USAGE, "%s has no --%s", k->name, option_rows[i].name);
    *out = o->made;
    out->kind = k->name;
    out->edges = o->edges;
    out->edges.seed = o->seed;
    out->edges.weights = o->drop_weights && !options_given(o, "weights") ? ORDO_WEIGHTS_DROP : ORDO_WEIGHTS_AS_STORED;
    out->threads = o->threads;
    if (!strcmp(out->kind, "uniform") && !out->degree)
        out->degree = 16;
    return ORDO_OK;
}
