#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <ordo/ordo.h>

int main(int argc, char **argv)
{
    ordo_graph *graph;
    if (argc < 2 || ordo_graph_read(argv[1], NULL, &graph)) {
        fprintf(stderr, "%s\n", ordo_last_error());
        return 1;
    }
    ordo_u32 *dist = malloc(ordo_graph_out(graph)->n * sizeof *dist);
    ordo_options options = {.scheduler = "delta", .threads = 2};
    if (ordo_sssp_type(graph) != ORDO_U32 || ordo_sssp(graph, 0, INFINITY, &options, dist, NULL, NULL)) {
        fprintf(stderr, "%s\n", ordo_last_error());
        return 1;
    }
    printf("distance of vertex 1: %u\n", dist[1]);
    free(dist);
    ordo_graph_free(graph);
    return 0;
}
