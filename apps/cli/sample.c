/* sample.c -- the verb sample: makes a graph of a part of a graph.
 *
 * This file selects the vertices, in one of four ways; the library makes the induced subgraph. All four depend only on
 * the graph and the seed, not on threads.
 *
 * Not done: samples by edges, random walks, forest fires.
 */
#include "apps/cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* A random word of a number (splitmix64). */
static ordo_u64 scramble(ordo_u64 x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static ordo_status keep_random(const options *o, const loaded *g, ordo_u8 *keep)
{
    const double words = 18446744073709551616.0; /* 2^64 */
    ordo_u64 key = scramble(o->seed), limit = o->random < 1 ? (ordo_u64)(o->random * words) : 0;
    for (ordo_u64 v = 0; v < g->info.vertices; v++)
        keep[v] = o->random >= 1 || scramble(key ^ v) < limit;
    return ORDO_OK;
}

static ordo_status keep_listed(const options *o, const loaded *g, ordo_u8 *keep)
{
    ordo_vid *list;
    size_t count;
    ordo_status status = read_vertices(g, o->induced, "vertex", &list, &count);
    if (status)
        return status;
    for (size_t i = 0; i < count; i++)
        keep[list[i]] = 1;
    free(list);
    return ORDO_OK;
}

static ordo_status keep_largest(const options *o, const loaded *g, ordo_u8 *keep)
{
    ordo_u32 *component;
    ordo_vid which;
    ordo_u64 size, count;
    ordo_status status = find_components(o, g, &component);
    if (status)
        return status;
    status = largest_component(component, g->info.vertices, &which, &size, &count);
    for (ordo_u64 v = 0; !status && v < g->info.vertices; v++)
        keep[v] = component[v] == which;
    free(component);
    return status;
}

/* ---- the ball ---- */

static int by_number(const void *a, const void *b)
{
    ordo_vid x = *(const ordo_vid *)a, y = *(const ordo_vid *)b;
    return (x > y) - (x < y);
}

/* Appends the neighbours of v that are not kept yet to the list. */
static void reach(const ordo_csr *rows, ordo_vid v, ordo_u8 *keep, ordo_vid *list, ordo_u64 *used)
{
    for (ordo_eid e = rows->row[v]; e < rows->row[v + 1]; e++) {
        ordo_vid u = rows->head[e * rows->stride];
        if (!keep[u]) {
            keep[u] = 1;
            list[(*used)++] = u;
        }
    }
}

/* Selects vertices level by level, until there are `count`; of the last level those with the smallest numbers. */
static void grow_ball(const ordo_csr *out, const ordo_csr *in, ordo_vid center, ordo_u64 count, ordo_u8 *keep,
                      ordo_vid *list)
{
    ordo_u64 begin = 0, end = 1, used = 1;
    list[0] = center;
    keep[center] = 1;
    while (used < count && begin < end) {
        for (ordo_u64 i = begin; i < end; i++) {
            reach(out, list[i], keep, list, &used);
            if (in != out)
                reach(in, list[i], keep, list, &used);
        }
        begin = end;
        end = used;
    }
    if (used > count) {
        qsort(list + begin, used - begin, sizeof *list, by_number);
        for (ordo_u64 i = count; i < used; i++)
            keep[list[i]] = 0;
    }
}

static ordo_status parse_ball(const options *o, char center[32], ordo_u64 *count)
{
    const char *colon = strchr(o->ball, ':');
    size_t length = colon ? (size_t)(colon - o->ball) : 0;
    if (!colon || length == 0 || length >= 32 || !parse_u64(colon + 1, count) || *count == 0)
        return ordo_fail(ORDO_ERR_USAGE, "--ball '%s', expected V:COUNT, a vertex and how many, 1 or more", o->ball);
    snprintf(center, 32, "%.*s", (int)length, o->ball);
    return ORDO_OK;
}

static ordo_status keep_ball(const options *o, const loaded *g, ordo_u8 *keep)
{
    char word[32];
    ordo_u64 count;
    ordo_vid center;
    const ordo_csr *in;
    ordo_status status = parse_ball(o, word, &count);
    if (!status)
        status = parse_vertex(g, "--ball", word, &center);
    if (!status)
        status = ordo_graph_in(g->graph, o->threads, &in);
    if (status)
        return status;
    ordo_vid *list = malloc(g->info.vertices * sizeof *list);
    if (!list)
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for a list of %llu vertices",
                         (unsigned long long)g->info.vertices);
    grow_ball(ordo_graph_out(g->graph), in, center, count, keep, list);
    free(list);
    return ORDO_OK;
}

/* ---- the verb ---- */

static ordo_status keep_chosen(const options *o, const loaded *g, ordo_u8 *keep)
{
    return o->largest   ? keep_largest(o, g, keep)
           : o->induced ? keep_listed(o, g, keep)
           : o->ball    ? keep_ball(o, g, keep)
                        : keep_random(o, g, keep);
}

static ordo_status check_sample(const options *o)
{
    char word[32];
    ordo_u64 count;
    int ways = o->largest + (o->induced != NULL) + (o->ball != NULL) + (o->random > 0);
    if (o->word_count != 2)
        return ordo_fail(ORDO_ERR_USAGE, "%d files given, expected two: IN and OUT", o->word_count);
    if (ways != 1)
        return ordo_fail(ORDO_ERR_USAGE,
                         "%d ways to choose vertices given, expected one of --largest-component, --induced, --random "
                         "and --ball",
                         ways);
    if (o->induced && !strcmp(o->induced, "-") && !strcmp(o->words[0], "-"))
        return ordo_fail(ORDO_ERR_USAGE, "graph and --induced both from standard input");
    return o->ball ? parse_ball(o, word, &count) : ORDO_OK;
}

static ordo_status take_sample(const options *o, const loaded *g, loaded *sample, ordo_vid **names)
{
    ordo_u64 n = g->info.vertices, kept = 0;
    ordo_u8 *keep = calloc(n + 1, 1);
    ordo_status status =
        keep ? keep_chosen(o, g, keep)
             : ordo_fail(ORDO_ERR_MEMORY, "not enough memory for marks of %llu vertices", (unsigned long long)n);
    for (ordo_u64 v = 0; !status && v < n; v++)
        kept += keep[v];
    if (!status && o->names && !(*names = malloc((kept + 1) * sizeof **names)))
        status = ordo_fail(ORDO_ERR_MEMORY, "not enough memory for names of %llu vertices", (unsigned long long)kept);
    process_cancellable(true);
    if (!status)
        status = ordo_graph_induced(g->graph, keep, o->threads, *names, &sample->graph);
    process_cancellable(false);
    free(keep);
    if (!status && (status = check_cancelled()))
        load_free(sample);
    if (!status)
        ordo_graph_get_info(sample->graph, &sample->info);
    return status;
}

static void print_sample(const loaded *g, const loaded *sample, double seconds, double write_seconds)
{
    const ordo_graph_info *i = &sample->info;
    print_graph(g);
    printf("Sample:              %llu of %llu vertices, %llu of %llu edges\n", (unsigned long long)i->vertices,
           (unsigned long long)g->info.vertices, (unsigned long long)i->edges, (unsigned long long)g->info.edges);
    print_time("Sample Time", seconds);
    print_time("Write Time", write_seconds);
}

ordo_status verb_sample(const options *given)
{
    options o = *given;
    loaded g = {0}, sample = {0};
    sink names = {0};
    ordo_vid *list = NULL;
    double seconds = 0, write_seconds = 0;
    o.stdout_taken = o.names && !strcmp(o.names, "-");
    o.quiet |= o.stdout_taken;
    ordo_status status = check_sample(&o);
    if (!status && o.names)
        status = sink_open(&names, o.names);
    if (!status)
        status = load_graph(&o, o.words[0], true, &g);
    if (!status) {
        double start = now();
        status = take_sample(&o, &g, &sample, &list);
        seconds = now() - start;
    }
    if (!status)
        status = write_graph(&o, &sample, o.words[1], &write_seconds);
    for (ordo_u64 i = 0; !status && list && i < sample.info.vertices; i++)
        fprintf(names.file, "%llu\n", (unsigned long long)(list[i] + g.id_base));
    if (!status && !o.quiet)
        print_sample(&g, &sample, seconds, write_seconds);
    status = sink_end(&names, status);
    free(list);
    load_free(&sample);
    load_free(&g);
    return status;
}
