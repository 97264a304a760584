/* cyclic_rows.c -- a program of several ranks that reads blocks of rows in turns, for ranks_test.py: FILE. A search
 * runs on them, and what divides ranges is refused in all ranks. Exits with 0 if that is so. */
#include <ordo/apps.h>
#include <ordo/distributed.h>
#include <ordo/error.h>
#include <ordo/memory.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    ordo_group *group;
    ordo_graph *graph;
    ordo_graph_info info;
    if (argc != 2 || ordo_group_join(&group))
        return 2;
    const ordo_read_options read = {.group = group, .cyclic = true};
    if (ordo_graph_read(argv[1], &read, &graph)) {
        fprintf(stderr, "%s\n", ordo_last_error());
        return 2;
    }
    ordo_graph_get_info(graph, &info);
    const ordo_options options = {.group = group, .threads = 1};
    ordo_u32 *level = ordo_alloc(info.vertices, sizeof *level);
    ordo_ranks found;
    double *rank = ordo_alloc(info.vertices, sizeof *rank);
    if (!level || !rank)
        return 2;
    ordo_status status = ordo_bfs(graph, 0, INFINITY, &options, level, NULL, NULL);
    if (status) {
        fprintf(stderr, "rank %d: a search: %s\n", ordo_group_rank(group), ordo_last_error());
        return 1;
    }
    status = ordo_pagerank(graph, 0.85, 1e-6, &options, rank, &found, NULL);
    const bool refused = status == ORDO_ERR_UNSOUND && strstr(ordo_last_error(), "block-cyclic distribution");
    if (!refused)
        fprintf(stderr, "rank %d: pagerank: status %d, %s\n", ordo_group_rank(group), (int)status, ordo_last_error());
    ordo_free(level);
    ordo_free(rank);
    ordo_graph_free(graph);
    ordo_group_leave(group);
    return refused ? 0 : 1;
}
