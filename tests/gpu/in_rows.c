/* in_rows.c -- when searches on a GPU make in-rows: where they would have paid by then, once, and not before; levels
 * are those of the CPU before and after. And in-rows that a GPU makes for the host are the host's.
 *
 *   in-rows               on a graph of 2^10 vertices
 *   in-rows SCALE says    on one of 2^SCALE, with the times of each run
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/detail/backend.h>
#include <ordo/ordo.h>

enum { LEAST = 2, MOST = 64, AFTER = 3 }; /* runs that push first, at least and at most; runs after these */

typedef struct trial {
    ordo_graph *graph;
    ordo_vid source;
    ordo_u32 *level, *expected; /* [n] */
    bool says;
} trial;

static void must(ordo_status status)
{
    if (!status)
        return;
    printf("%s: %s\n", status == ORDO_ERR_DEVICE ? "skipped" : "FAILED", ordo_last_error());
    exit(status == ORDO_ERR_DEVICE ? 77 : 1);
}

static void make(int scale, trial *t)
{
    const ordo_generate_options rmat = {.kind = "rmat", .scale = (ordo_u32)scale};
    must(ordo_graph_generate(&rmat, &t->graph));
    const ordo_csr *g = ordo_graph_out(t->graph);
    for (ordo_vid v = 0; v < g->n; v++)
        if (g->row[v + 1] - g->row[v] > g->row[t->source + 1] - g->row[t->source])
            t->source = v;
    t->level = malloc(g->n * sizeof *t->level);
    t->expected = malloc(g->n * sizeof *t->expected);
    if (!t->level || !t->expected)
        exit(3);
    must(ordo_bfs(t->graph, t->source, INFINITY, NULL, t->expected, NULL, NULL));
}

/* A search; its numbers, without what is freed. */
static ordo_stats search(const trial *t, const char *direction)
{
    const ordo_options options = {
        .device = "cuda", .scheduler = "bsp", .settings = &direction, .setting_count = direction != NULL};
    ordo_stats stats = {0};
    must(ordo_bfs(t->graph, t->source, INFINITY, &options, t->level, NULL, &stats));
    if (memcmp(t->level, t->expected, ordo_graph_out(t->graph)->n * sizeof *t->level)) {
        printf("FAILED: other levels than on the CPU\n");
        exit(1);
    }
    if (t->says)
        printf("run %.3f ms, prepare %.3f, transfer %.3f, %llu edges\n", 1e3 * stats.run_seconds,
               1e3 * stats.prepare_seconds, 1e3 * stats.transfer_seconds, (unsigned long long)stats.edges);
    const ordo_stats seen = stats;
    ordo_stats_free(&stats);
    return seen;
}

/* Whether the GPU hands the host the in-rows that the host makes. */
static bool are_those(ordo_type weights)
{
    const ordo_generate_options rmat = {.kind = "rmat", .scale = 9, .edges = {.low = 1, .high = weights ? 99 : 0}};
    const ordo_backend *gpu;
    const ordo_csr *in;
    ordo_graph *g;
    double seconds;
    must(ordo_graph_generate(&rmat, &g));
    must(ordo_backend_load("cuda", &gpu));
    must(ordo_graph_in(g, 1, &in));
    ordo_eid *row = malloc((in->n + 1ull) * sizeof *row);
    ordo_u32 *edge = malloc(in->m * in->stride * sizeof *edge);
    if (!row || !edge)
        exit(3);
    must(gpu->in_rows(g, 1, row, edge, &seconds));
    const bool right = in->weight_type == weights && !memcmp(row, in->row, (in->n + 1ull) * sizeof *row) &&
                       !memcmp(edge, in->head, in->m * in->stride * sizeof *edge);
    ordo_graph_free(g);
    free(row);
    free(edge);
    printf("%s", right ? "" : "FAILED: other in-rows for the host\n");
    return right;
}

int main(int count, char **argument)
{
    trial t = {.says = count > 2};
    make(count > 1 ? atoi(argument[1]) : 10, &t);
    const ordo_u64 pushed = search(&t, "direction=push").edges;
    int runs = 0;
    ordo_stats stats = {0};
    while (runs < MOST && (stats = search(&t, NULL)).edges == pushed && stats.prepare_seconds == 0)
        runs++;
    bool right = runs >= LEAST && runs < MOST && stats.prepare_seconds > 0 && stats.edges < pushed;
    const ordo_u64 pulled = stats.edges;
    for (int i = 0; i < AFTER && right; i++) {
        stats = search(&t, NULL);
        right = stats.prepare_seconds == 0 && stats.edges == pulled;
    }
    printf("%s: %d runs have pushed %llu edges each, then %llu\n", right ? "right" : "FAILED", runs,
           (unsigned long long)pushed, (unsigned long long)pulled);
    right = are_those(ORDO_NONE) && are_those(ORDO_U32) && right;
    ordo_graph_free(t.graph);
    free(t.level);
    free(t.expected);
    return !right;
}
