/* load.c -- the graph that a command works on, and vertices as the user numbers them.
 *
 * Checks options on a graph of one vertex before a large one is read, so that a misspelt scheduler costs nothing, and
 * compares predicted with available memory before a run.
 */
#define _POSIX_C_SOURCE 200809L /* strdup, getline */
#include "apps/cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/scheduler/scheduler.h>

/* ---- graphs ---- */

static ordo_status generate(const options *o, bool weights, ordo_graph **out)
{
    ordo_generate_options made = o->made;
    if (!o->generate) { /* -g or -u */
        made.edges = o->edges;
        made.edges.seed = DEFAULT_SEED;
        made.threads = o->threads;
        made.degree = made.degree ? made.degree : 16;
        if (!weights) {
            made.edges.low = made.edges.high = 0;
        } else if (made.edges.high == 0 && !o->drop_weights) {
            made.edges.low = 1;
            made.edges.high = GAP_WEIGHT;
        }
        return ordo_graph_generate(&made, out);
    }
    char *text = strdup(o->generate);
    options *own = malloc(sizeof *own);
    char *words[64], *state = NULL;
    int count = 0;
    ordo_status status = ORDO_OK;
    if (!text || !own)
        status = ordo_fail(ORDO_ERR_MEMORY, "cannot copy the words of --generate");
    for (char *word = status ? NULL : strtok_r(text, " \t\n", &state); word; word = strtok_r(NULL, " \t\n", &state)) {
        if (count == 64) {
            status = ordo_fail(ORDO_ERR_USAGE, "--generate '%s': too many words", o->generate);
            break;
        }
        words[count++] = word;
    }
    if (!status)
        status = options_parse(own, &(option_scope){.name = "generate", .verb = VERB_GENERATE}, count, words);
    if (!status && (own->output || own->help || own->version || own->quiet))
        status = ordo_fail(ORDO_ERR_USAGE, "--generate '%s': expected a kind and its shape only", o->generate);
    if (!status)
        status = options_made(own, &made);
    if (!status) {
        made.threads = o->threads ? o->threads : made.threads;
        if (o->edges.direction != ORDO_AS_STORED)
            made.edges.direction = o->edges.direction;
        if (o->edges.parallel != ORDO_PARALLEL_KEEP)
            made.edges.parallel = o->edges.parallel;
        if (o->edges.weight_type != ORDO_NONE)
            made.edges.weight_type = o->edges.weight_type;
        made.edges.drop_loops |= o->edges.drop_loops;
        if (!weights || o->drop_weights)
            made.edges.weights = ORDO_WEIGHTS_DROP;
        status = ordo_graph_generate(&made, out);
    }
    free(own);
    free(text);
    return status;
}

ordo_status load_graph(const options *o, const char *path, bool weights, loaded *out)
{
    ordo_graph *graph;
    ordo_status status;
    show_phase(o, path ? "reading" : "making", path ? path : o->generate ? o->generate : o->made.kind);
    process_cancellable(true);
    if (path) {
        ordo_read_options read = {.edges = options_edges(o, weights),
                                  .coordinates = o->coordinates,
                                  .trust = o->trust,
                                  .bipartite = o->bipartite,
                                  .round = o->round,
                                  .columns = o->columns,
                                  .group = group_of_rows(),
                                  .cyclic = group_rows_cyclic(o),
                                  .threads = o->threads};
        status = ordo_graph_read(path, &read, &graph);
    } else {
        status = generate(o, weights, &graph);
    }
    process_cancellable(false);
    clear_progress();
    if (!status && (status = check_cancelled())) /* too late for the call to see it */
        ordo_graph_free(graph);
    if (status)
        return status;
    *out = (loaded){.graph = graph, .generated = !path};
    ordo_graph_get_info(graph, &out->info);
    out->id_base = o->ids_of_file ? out->info.id_base : 0;
    return ORDO_OK;
}

void load_free(loaded *g)
{
    ordo_graph_free(g->graph);
    g->graph = NULL;
}

const char *const *scheduler_names(void)
{
    static const char *names[65];
    const ordo_scheduler *all[64];
    size_t count = ordo_schedulers(all, 64);
    count = count < 64 ? count : 64;
    for (size_t i = 0; i < count; i++)
        names[i] = all[i]->name;
    names[count] = NULL;
    return names;
}

bool known_scheduler(const char *name)
{
    return !strcmp(name, "auto") || !strcmp(name, ORDO_NATIVE) || ordo_scheduler_find(name);
}

ordo_status tiny_graph(const ordo_app *app, ordo_graph **out)
{
    const ordo_edge_entry none = {0}; /* the list is empty */
    return ordo_graph_from_edges(1, &none, 0, app->weight ? app->weight : ORDO_U32, ORDO_SYMMETRIC, 1, out);
}

ordo_status check_options_early(const options *o, const ordo_options *run)
{
    if (run->scheduler && !known_scheduler(run->scheduler))
        return unknown("scheduler", run->scheduler, scheduler_names(), "ordo schedulers");
    ordo_graph *tiny;
    ordo_u64 expected, at_most;
    ordo_status status = tiny_graph(o->app, &tiny);
    if (status)
        return status;
    status = o->app->memory(tiny, run, &expected, &at_most);
    ordo_graph_free(tiny);
    return status;
}

/* ---- vertices ---- */

ordo_status parse_vertex(const loaded *g, const char *what, const char *text, ordo_vid *out)
{
    ordo_u64 id;
    if (g->info.vertices == 0)
        return ordo_fail(ORDO_ERR_USAGE, "%s %s: the graph has no vertices", what, text);
    if (!parse_u64(text, &id) || id < g->id_base || id - g->id_base >= g->info.vertices)
        return ordo_fail(ORDO_ERR_USAGE, "%s '%s', expected a vertex from %llu to %llu", what, text,
                         (unsigned long long)g->id_base, (unsigned long long)(g->id_base + g->info.vertices - 1));
    *out = (ordo_vid)(id - g->id_base);
    return ORDO_OK;
}

ordo_status read_vertices(const loaded *g, const char *path, const char *what, ordo_vid **out, size_t *count)
{
    FILE *file = !strcmp(path, "-") ? stdin : fopen(path, "r");
    if (!file)
        return ordo_fail(ORDO_ERR_IO, "%s: %s", path, strerror(errno));
    ordo_vid *list = NULL;
    size_t used = 0, capacity = 0;
    ordo_status status = ORDO_OK;
    char *line = NULL;
    size_t line_capacity = 0;
    for (size_t number = 1; !status && getline(&line, &line_capacity, file) >= 0; number++) {
        line[strcspn(line, "#")] = 0;
        char *word = line + strspn(line, " \t\r\n"), *end = word + strlen(word);
        while (end > word && isspace((unsigned char)end[-1]))
            *--end = 0;
        if (!*word)
            continue;
        if (used == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            ordo_vid *more = realloc(list, capacity * sizeof *list);
            if (!more) {
                status = ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for %zu vertices", path, capacity);
                break;
            }
            list = more;
        }
        char where[160];
        snprintf(where, sizeof where, "%.120s:%zu: %s", path, number, what);
        status = parse_vertex(g, where, word, &list[used]);
        if (status == ORDO_ERR_USAGE)
            status = ORDO_ERR_INPUT; /* the error is in the file, not on the command line; the message stays */
        used++;
    }
    if (!status && ferror(file))
        status = ordo_fail(ORDO_ERR_IO, "%s: %s", path, strerror(errno));
    if (!status && used == 0)
        status = ordo_fail(ORDO_ERR_INPUT, "%s: no %s found, expected one a line", path, what);
    free(line);
    if (file != stdin)
        fclose(file);
    if (status) {
        free(list);
        return status;
    }
    *out = list;
    *count = used;
    return ORDO_OK;
}

/* ---- random sources ---- */

ordo_status pick_source(ordo_twister64 *random, const ordo_graph *g, ordo_vid *out)
{
    const ordo_csr *csr = ordo_graph_out(g);
    if (csr->n == 0)
        return ordo_fail(ORDO_ERR_INPUT, "the graph has no vertices, so there is no source to start from");
    if (csr->m == 0) {
        *out = 0;
        return ORDO_OK;
    }
    /* Draws as GAP does: the low 32 bits, rejecting those of the last, incomplete interval. */
    ordo_u32 rest = (ordo_u32)(~(ordo_u64)0 % csr->n);
    ordo_u32 cutoff = rest == csr->n - 1 ? 0 : 0xffffffffu - rest;
    for (;;) {
        ordo_u32 draw = (ordo_u32)ordo_twister64_next(random);
        if (cutoff && draw >= cutoff)
            continue;
        ordo_vid v = draw % csr->n;
        if (csr->row[v + 1] > csr->row[v]) {
            *out = v;
            return ORDO_OK;
        }
    }
}

/* ---- memory ---- */

ordo_u64 answer_bytes(const ordo_app *app, const loaded *g, bool with_pred)
{
    ordo_u64 value = app && app->values_are_wide ? sizeof(ordo_u64) : sizeof(ordo_u32);
    if (app && app->values_on_edges)
        return g->info.edges * sizeof(ordo_u64) + g->info.vertices;
    return g->info.vertices * (value + (with_pred ? sizeof(ordo_vid) : 0));
}

ordo_status check_memory(const options *o, const char *what, ordo_u64 expected)
{
    ordo_u64 available = memory_available();
    if (o->force || expected <= available)
        return ORDO_OK;
    char need[32], have[32];
    format_bytes((double)expected, need);
    format_bytes((double)available, have);
    return ordo_fail(ORDO_ERR_MEMORY,
                     "%s needs about %s (%llu bytes) beyond the graph, %s (%llu bytes) are available; --force tries",
                     what, need, (unsigned long long)expected, have, (unsigned long long)available);
}
