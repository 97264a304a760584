/* main.c -- an operator and a scheduler from outside, built against an installed Ordo: prints one line for each
 * scheduler and ends with 1 if an answer differs from a reference.
 *   widest [DEVICE [SCALE]]      DEVICE is cpu, cuda or auto; a graph of 2^SCALE vertices, 12 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/ordo.h>
#include <ordo/scheduler/scheduler.h>

extern const ordo_operator widest_operator;
extern const ordo_operator sssp_u32_operator; /* sssp.c */
extern const ordo_scheduler lifo_scheduler;

#define ORDO_WEIGHT u32
#include <ordo/operators/sssp.h>

/* Rounds over all edges until nothing changes. */
static void reference(const ordo_csr *g, ordo_u32 *width)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (ordo_vid u = 0; u < g->n; u++)
            for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
                ordo_u32 w = ((const ordo_u32 *)g->weight)[e * g->stride], v = g->head[e * g->stride];
                ordo_u32 c = width[u] < w ? width[u] : w;
                if (c > width[v]) {
                    width[v] = c;
                    changed = true;
                }
            }
    }
}

/* Ordo's shortest paths under our scheduler, against Ordo's app. */
static int shortest_paths(const ordo_graph *graph, ordo_item source, const char *device)
{
    const ordo_csr *rows = ordo_graph_out(graph);
    ordo_u32 *expected = malloc(rows->n * sizeof *expected), *dist = malloc(rows->n * sizeof *dist);
    sssp_state_u32 state = {.limit = ORDO_UNREACHED_U32 - 1};
    ordo_work work = {.op = &sssp_u32_operator,
                      .graph = graph,
                      .cells = dist,
                      .state = &state,
                      .num_items = rows->n,
                      .targets = rows->n,
                      .initial = &source,
                      .initial_count = 1};
    ordo_options options = {.scheduler = "lifo", .device = device};
    if (!expected || !dist)
        return 2;
    memset(dist, 0xff, rows->n * sizeof *dist);
    dist[source] = 0;
    if (ordo_sssp(graph, source, INFINITY, NULL, expected, NULL, NULL) || ordo_run(&work, &options, NULL)) {
        fprintf(stderr, "%s\n", ordo_last_error());
        return 2;
    }
    bool same = !memcmp(dist, expected, rows->n * sizeof *dist);
    printf("sssp_u32 under lifo: %s\n", same ? "ok" : "WRONG");
    free(expected);
    free(dist);
    return !same;
}

/* With "auto" our scheduler takes part: it claims to be the fastest with one thread, and the slowest with two. */
static int choice(const ordo_work *work, int threads)
{
    ordo_options options = {.scheduler = "auto", .threads = threads};
    ordo_stats stats;
    if (ordo_run(work, &options, &stats)) {
        fprintf(stderr, "%s\n", ordo_last_error());
        return 2;
    }
    const bool right = !strcmp(stats.scheduler, "lifo") == (threads == 1);
    printf("auto, %d thread%s: %s (%s)%s\n", threads, threads == 1 ? "" : "s", stats.scheduler, stats.chosen,
           right ? "" : " WRONG");
    ordo_stats_free(&stats);
    return !right;
}

int main(int argc, char **argv)
{
    const char *device = argc > 1 ? argv[1] : "cpu";
    ordo_generate_options generate = {.kind = "rmat",
                                      .scale = argc > 2 ? (ordo_u32)atoi(argv[2]) : 12,
                                      .edges.low = 1,
                                      .edges.high = 1000,
                                      .edges.seed = 7};
    ordo_graph *graph;
    if (ordo_scheduler_register(&lifo_scheduler) || ordo_operator_register(&widest_operator) ||
        ordo_graph_generate(&generate, &graph)) {
        fprintf(stderr, "%s\n", ordo_last_error());
        return 2;
    }
    const ordo_csr *rows = ordo_graph_out(graph);
    ordo_item source = 0;
    while (rows->row[source + 1] - rows->row[source] < 8)
        source++;
    ordo_u32 *expected = calloc(rows->n, sizeof *expected), *width = calloc(rows->n, sizeof *width);
    if (!expected || !width)
        return 2;
    expected[source] = ~0u;
    reference(rows, expected);

    const ordo_scheduler *scheduler[64];
    size_t schedulers = ordo_schedulers(scheduler, 64);
    int failures = 0;
    ordo_work work = {.op = &widest_operator,
                      .graph = graph,
                      .cells = width,
                      .num_items = rows->n,
                      .targets = rows->n,
                      .initial = &source,
                      .initial_count = 1};
    for (size_t s = 0; s < schedulers; s++) {
        memset(width, 0, rows->n * sizeof *width);
        width[source] = ~0u;
        ordo_options options = {.scheduler = scheduler[s]->name, .device = device};
        ordo_stats stats;
        if (ordo_run_check(&work, &options) == ORDO_ERR_UNSOUND) {
            printf("%-12s left out: %s\n", scheduler[s]->name, ordo_last_error());
            continue;
        }
        if (ordo_run(&work, &options, &stats)) {
            fprintf(stderr, "%s\n", ordo_last_error());
            return 2;
        }
        bool same = !memcmp(width, expected, rows->n * sizeof *width);
        failures += !same;
        printf("%-12s %s %llu items\n", scheduler[s]->name, same ? "ok" : "WRONG", (unsigned long long)stats.items);
        ordo_stats_free(&stats);
    }
    for (int threads = 1; threads <= 2; threads++) {
        memset(width, 0, rows->n * sizeof *width);
        width[source] = ~0u;
        failures += choice(&work, threads) || memcmp(width, expected, rows->n * sizeof *width);
    }
    free(expected);
    free(width);
    int status = shortest_paths(graph, source, device);
    ordo_graph_free(graph);
    return failures ? 1 : status;
}
