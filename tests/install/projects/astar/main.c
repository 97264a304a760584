/* main.c -- A* under every scheduler and sync that can run it, each answer compared with that of ordo_sssp().
 *   astar GRAPH SOURCE TARGET [DEVICE]      GRAPH has coordinates and whole weights, DEVICE is cpu, cuda or auto; ends
 *                                           with 1 where an answer is wrong */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/ordo.h>
#include <ordo/scheduler/scheduler.h>

#include "astar.h"

extern const ordo_operator astar_operator;

static int complain(void)
{
    fprintf(stderr, "astar: %s\n", ordo_last_error());
    return 2;
}

/* The least weight of a unit of length, and a little less: rounding must not make h too long. */
static double least_rate(const ordo_csr *g, const ordo_i32 *place)
{
    double least = INFINITY;
    for (ordo_vid u = 0; u < g->n; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_vid v = g->head[e * g->stride];
            double x = (double)place[2 * u] - place[2 * v], y = (double)place[2 * u + 1] - place[2 * v + 1];
            double length = sqrt(x * x + y * y), weight = ((const ordo_u32 *)g->weight)[e * g->stride];
            if (length > 0 && weight / length < least)
                least = weight / length;
        }
    return isfinite(least) ? least * (1 - 1e-9) : 0;
}

static int run(const ordo_graph *graph, ordo_item source, astar_state *s, ordo_u32 *dist, ordo_u32 expected,
               const char *device)
{
    const ordo_csr *g = ordo_graph_out(graph);
    const ordo_scheduler *list[64];
    size_t count = ordo_schedulers(list, 64);
    int ran = 0, wrong = 0;
    for (size_t i = 0; i < count; i++)
        for (int sync = ORDO_SYNC_DEFAULT + 1; sync < ORDO_SYNCS; sync++) {
            ordo_options options = {
                .scheduler = list[i]->name, .sync = ordo_sync_name((ordo_sync)sync), .device = device};
            ordo_work work = {.op = &astar_operator,
                              .graph = graph,
                              .cells = dist,
                              .state = s,
                              .num_items = g->n,
                              .targets = g->n,
                              .initial = &source,
                              .initial_count = 1};
            if (ordo_run_check(&work, &options) == ORDO_ERR_UNSOUND)
                continue;                            /* ordo_last_error() says what is lacking */
            memset(dist, 0xff, g->n * sizeof *dist); /* ordo_highest_u32(): not reached */
            dist[source] = 0;
            ordo_stats stats;
            if (ordo_run(&work, &options, &stats))
                return complain();
            ran++;
            wrong += dist[s->target] != expected;
            printf("%-12s %-7s %10u %s %10llu vertices in %.6f s\n", options.scheduler, options.sync, dist[s->target],
                   dist[s->target] == expected ? "ok   " : "WRONG", (unsigned long long)stats.items, stats.run_seconds);
            ordo_stats_free(&stats);
        }
    return ran ? wrong > 0 : complain();
}

int main(int argc, char **argv)
{
    ordo_graph *graph;
    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: astar GRAPH SOURCE TARGET [DEVICE]\n");
        return 2;
    }
    if (ordo_operator_register(&astar_operator) || ordo_graph_read(argv[1], NULL, &graph))
        return complain();
    const ordo_csr *g = ordo_graph_out(graph);
    astar_state s = {.place = ordo_graph_vertex_data(graph)->coordinate};
    ordo_item source = (ordo_item)strtoul(argv[2], NULL, 10);
    s.target = (ordo_vid)strtoul(argv[3], NULL, 10);
    if (!s.place || g->weight_type != ORDO_U32 || source >= g->n || s.target >= g->n) {
        fprintf(stderr, "astar: %s: expected coordinates, whole weights, and both vertices below %u\n", argv[1], g->n);
        return 2;
    }
    ordo_u32 *dist = malloc(g->n * sizeof *dist);
    ordo_stats stats;
    if (!dist || ordo_sssp(graph, source, INFINITY, NULL, dist, NULL, &stats))
        return complain();
    ordo_u32 expected = dist[s.target];
    printf("%-20s %10u       %10llu vertices in %.6f s\n", "ordo_sssp", expected, (unsigned long long)stats.items,
           stats.run_seconds);
    ordo_stats_free(&stats);
    s.rate = least_rate(g, s.place);
    s.dist = dist;
    int status = run(graph, source, &s, dist, expected, argc == 5 ? argv[4] : "cpu");
    free(dist);
    ordo_graph_free(graph);
    return status;
}
