/* partition.c -- the verb partition: divides the vertices of a graph, or reads how they are divided, and says what each
 * part holds.
 */
#include "apps/cli/cli.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 32 }; /* parts with a line of their own */

static ordo_status check_words(const options *o)
{
    if (o->partition && o->method)
        return ordo_fail(ORDO_ERR_USAGE, "--method and --read given, expected one of them: a file says who has what");
    if (o->parts == 0)
        return ordo_fail(ORDO_ERR_USAGE, "partition needs -k N, the number of parts");
    return ORDO_OK;
}

static ordo_partition_method method_named(const char *name)
{
    int i = 0;
    while (name && strcmp(ordo_partition_method_name((ordo_partition_method)i), name) != 0)
        i++;
    return (ordo_partition_method)i;
}

/* The parts of all vertices, malloc'ed, and what they hold. */
static ordo_status divide(const options *o, const loaded *g, ordo_u32 **part, ordo_part **of)
{
    const ordo_u64 n = g->info.vertices;
    const ordo_partition_query query = {
        .parts = o->parts, .method = method_named(o->method), .seed = o->seed, .threads = o->threads};
    *part = malloc((n + 1) * sizeof **part);
    *of = malloc(o->parts * sizeof **of);
    ordo_status status = *part && *of ? ORDO_OK
                                      : ordo_fail(ORDO_ERR_MEMORY, "not enough memory for the parts of %llu vertices",
                                                  (unsigned long long)n);
    process_cancellable(true);
    if (!status)
        status = o->partition ? ordo_partition_read(o->partition, n, o->parts, *part)
                              : ordo_partition_make(g->graph, &query, *part);
    if (!status)
        status = ordo_partition_measure(g->graph, o->parts, *part, o->threads, *of);
    process_cancellable(false);
    const ordo_status cancel = check_cancelled();
    return cancel ? cancel : status;
}

partition_sums partition_sum(const ordo_part *of, ordo_u32 parts)
{
    partition_sums s = {0};
    ordo_u64 vertices = 0, most_vertices = 0, most_edges = 0;
    for (ordo_u32 p = 0; p < parts; p++) {
        vertices += of[p].vertices;
        s.edges += of[p].edges;
        s.cut += of[p].cut;
        s.ghosts += of[p].ghosts;
        s.empty += of[p].vertices == 0;
        most_vertices = of[p].vertices > most_vertices ? of[p].vertices : most_vertices;
        most_edges = of[p].edges > most_edges ? of[p].edges : most_edges;
    }
    s.vertex_balance = vertices ? (double)most_vertices * parts / (double)vertices : 1;
    s.edge_balance = s.edges ? (double)most_edges * parts / (double)s.edges : 1;
    return s;
}

static void print_parts(const options *o, const loaded *g, const ordo_part *of, double seconds)
{
    const partition_sums s = partition_sum(of, o->parts);
    print_graph(g);
    printf("Parts:               %u %s %s\n", o->parts, o->partition ? "from" : "by",
           o->partition ? o->partition : ordo_partition_method_name(method_named(o->method)));
    if (o->parts <= SHOWN) {
        printf("  part    vertices         edges           cut        ghosts\n");
        for (ordo_u32 p = 0; p < o->parts; p++)
            printf("  %4u %11llu %13llu %13llu %13llu\n", p, (unsigned long long)of[p].vertices,
                   (unsigned long long)of[p].edges, (unsigned long long)of[p].cut, (unsigned long long)of[p].ghosts);
    }
    printf("Balance:             vertices %.3f, edges %.3f (the largest part over the mean)%s", s.vertex_balance,
           s.edge_balance, s.empty ? "" : "\n");
    if (s.empty)
        printf(", %llu parts are empty\n", (unsigned long long)s.empty);
    printf("Cut:                 %llu of %llu edges (%.2f %%), %llu ghosts\n", (unsigned long long)s.cut,
           (unsigned long long)s.edges, s.edges ? 100 * (double)s.cut / (double)s.edges : 0.0,
           (unsigned long long)s.ghosts);
    print_time("Partition Time", seconds);
}

/* One function: what was begun is ended in reverse order, and the first error is the one that counts. */
ordo_status verb_partition(const options *o)
{
    const char *path;
    loaded g = {0};
    sink json = {0};
    ordo_u32 *part = NULL;
    ordo_part *of = NULL;
    double seconds = 0;
    ordo_status status = one_graph(o, 0, &path);
    if (!status)
        status = check_words(o);
    if (!status && o->json)
        status = sink_open(&json, o->json);
    if (!status)
        status = load_graph(o, path, true, &g);
    if (!status) {
        const double start = now();
        status = divide(o, &g, &part, &of);
        seconds = now() - start;
    }
    if (!status && o->output)
        status = ordo_partition_write(o->output, g.info.vertices, part);
    if (!status && !o->quiet && !(o->json && !strcmp(o->json, "-")))
        print_parts(o, &g, of, seconds);
    if (!status && json.file)
        status = json_write_partition(&json, &g, o, of, seconds);
    status = sink_end(&json, status);
    free(part);
    free(of);
    load_free(&g);
    return status;
}
