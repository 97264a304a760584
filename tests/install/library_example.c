#include <stdio.h>
#include <stdlib.h>

#include <ordo/ordo.h>

static void arrays_are_free(void *arg)
{
    printf("%s\n", (const char *)arg);
}

int main(void)
{
    const int row[] = {0, 2, 3, 3, 4}; /* 0 -> 1, 0 -> 2, 1 -> 2, 3 -> 2 */
    const unsigned head[] = {1, 2, 2, 2};
    const float weight[] = {1.5f, 9, 2, 4.25f};
    const ordo_row_arrays arrays = {.n = 4,
                                    .m = 4,
                                    .row_type = ORDO_I32,
                                    .row = row,
                                    .head = head,
                                    .weight_type = ORDO_F32,
                                    .weight = weight,
                                    .release = arrays_are_free,
                                    .release_arg = "the arrays are free"};
    const ordo_vid sources[] = {0, 3};
    const ordo_path_query query = {.sources = sources, .source_count = 2};
    const ordo_options options = {.scheduler = "delta", .threads = 2};
    float dist[4];
    ordo_vid nearest[4];
    ordo_stats stats;
    const ordo_path_answer answer = {.value = dist, .nearest = nearest, .stats = &stats};

    ordo_graph *graph;
    ordo_status status = ordo_graph_borrow_arrays(&arrays, &graph);
    if (!status) {
        status = ordo_sssp_from(graph, &query, &options, &answer);
        if (!status) {
            printf("vertex 2: distance %g from %u, by %s\n", (double)dist[2], nearest[2], stats.scheduler);
            ordo_stats_free(&stats);
        }
        ordo_graph_free(graph);
    }
    if (status)
        fprintf(stderr, "%s: %s\n", ordo_status_name(status), ordo_last_error());
    return ordo_status_exit(status);
}
