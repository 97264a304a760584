/* igraph's readers: edge lists (no weights) and DIMACS maximum flow. "seconds vertices edges" a repeat. */
#include <igraph.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int count, char **words)
{
    if (count != 4)
        return 2;
    for (int i = 0; i < atoi(words[3]); i++) {
        igraph_t g;
        igraph_vector_t capacity;
        igraph_integer_t source, sink;
        igraph_vector_init(&capacity, 0);
        double start = seconds();
        FILE *f = fopen(words[1], "r");
        if (!f)
            return 3;
        igraph_error_t error =
            !strcmp(words[2], "flow")
                ? igraph_read_graph_dimacs_flow(&g, f, NULL, NULL, &source, &sink, &capacity, IGRAPH_DIRECTED)
                : igraph_read_graph_edgelist(&g, f, 0, IGRAPH_DIRECTED);
        fclose(f);
        if (error)
            return 3;
        printf("%.6f %lld %lld\n", seconds() - start, (long long)igraph_vcount(&g), (long long)igraph_ecount(&g));
        igraph_destroy(&g);
        igraph_vector_destroy(&capacity);
    }
    return 0;
}
