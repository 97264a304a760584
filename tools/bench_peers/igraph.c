/* igraph: igraph_bfs_simple, igraph_distances_dijkstra, igraph_connected_components, igraph_minimum_spanning_tree,
 * igraph_maxflow_value. Of both directions of an edge of a symmetric graph one is kept where the graph is undirected.
 */
#include <igraph.h>
#include <math.h>

#include "rows.h"

int main(int count, char **words)
{
    if (count != 5)
        return 2;
    const char *app = words[1];
    const int network = !strcmp(app, "maxflow"), undirected = !strcmp(app, "cc") || !strcmp(app, "mst");
    const rows r = rows_read(app, words[2]);
    const igraph_integer_t source = atol(words[3]);
    igraph_vector_int_t ends;
    igraph_vector_t weight;
    igraph_vector_int_init(&ends, 0);
    igraph_vector_init(&weight, 0);
    igraph_vector_int_reserve(&ends, 2 * r.m);
    igraph_vector_reserve(&weight, r.m);
    for (int64_t v = 0; v < (network ? 1 : r.n); v++)
        for (int64_t e = network ? 0 : r.row[v]; e < (network ? r.m : r.row[v + 1]); e++) {
            const int64_t tail = network ? r.tail[e] : v;
            if (undirected && tail > r.head[e])
                continue;
            igraph_vector_int_push_back(&ends, tail);
            igraph_vector_int_push_back(&ends, r.head[e]);
            igraph_vector_push_back(&weight, r.weight ? r.weight[e] : 1);
        }
    igraph_t g;
    if (igraph_create(&g, &ends, r.n, !undirected))
        return 3;
    igraph_vector_int_destroy(&ends);
    for (int i = 0; i < atoi(words[4]); i++) {
        double start = rows_clock(), end;
        int64_t answer = 0;
        if (!strcmp(app, "sssp")) {
            igraph_matrix_t distance;
            igraph_matrix_init(&distance, 0, 0);
            igraph_distances_dijkstra(&g, &distance, igraph_vss_1(source), igraph_vss_all(), &weight, IGRAPH_OUT);
            end = rows_clock();
            for (int64_t v = 0; v < r.n; v++)
                answer += isfinite(MATRIX(distance, 0, v)) ? (int64_t)MATRIX(distance, 0, v) : 0;
            igraph_matrix_destroy(&distance);
        } else if (!strcmp(app, "bfs")) {
            igraph_vector_int_t order, layers;
            igraph_vector_int_init(&order, 0);
            igraph_vector_int_init(&layers, 0);
            igraph_bfs_simple(&g, source, IGRAPH_OUT, &order, &layers, NULL);
            end = rows_clock();
            for (igraph_integer_t l = 0; l + 1 < igraph_vector_int_size(&layers); l++)
                answer += l * (VECTOR(layers)[l + 1] - VECTOR(layers)[l]);
            igraph_vector_int_destroy(&order);
            igraph_vector_int_destroy(&layers);
        } else if (!strcmp(app, "cc")) {
            igraph_integer_t components;
            igraph_connected_components(&g, NULL, NULL, &components, IGRAPH_WEAK);
            end = rows_clock();
            answer = components;
        } else if (!strcmp(app, "mst")) {
            igraph_vector_int_t tree;
            igraph_vector_int_init(&tree, 0);
            igraph_minimum_spanning_tree(&g, &tree, &weight);
            end = rows_clock();
            for (igraph_integer_t e = 0; e < igraph_vector_int_size(&tree); e++)
                answer += (int64_t)VECTOR(weight)[VECTOR(tree)[e]];
            igraph_vector_int_destroy(&tree);
        } else if (network) {
            igraph_real_t value;
            igraph_maxflow_value(&g, &value, r.from, r.to, &weight, NULL);
            end = rows_clock();
            answer = (int64_t)value;
        } else {
            return 2;
        }
        rows_say(start, end, answer);
    }
    return 0;
}
