#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/ordo.h>

int main(int argc, char **argv)
{
    static const char *const word[] = {"?", "no difference", "faster", "slower"};
    ordo_graph *graph;
    if (argc < 2 || ordo_graph_read(argv[1], NULL, &graph)) {
        fprintf(stderr, "%s\n", ordo_last_error());
        return 1;
    }
    const ordo_u64 n = ordo_graph_out(graph)->n;
    ordo_u32 limit = ORDO_UNREACHED_U32 - 1, *dist = malloc(n * sizeof *dist);
    ordo_item source = 0;
    memset(dist, 0xff, n * sizeof *dist); /* ORDO_UNREACHED_U32 */
    dist[source] = 0;
    ordo_work work = {.op = ordo_operator_find("sssp_u32"), /* or &your_operator */
                      .graph = graph,
                      .cells = dist,
                      .state = &limit,
                      .num_items = n,
                      .targets = n,
                      .initial = &source,
                      .initial_count = 1};
    ordo_contender contenders[] = {{.options.scheduler = "bsp"},
                                   {.options.scheduler = "delta"},
                                   {.options = {.scheduler = "delta", .threads = 1}}};
    ordo_compare_plan plan = {.contenders = contenders, .contender_count = 3, .input_count = 1, .works = &work};
    ordo_compare_row row[3];
    if (ordo_compare(&plan, row)) {
        fprintf(stderr, "%s\n", ordo_last_error());
        return 1;
    }
    for (int i = 0; i < 3; i++)
        printf("%s: %.3f ms, %.2f times as fast as bsp (%s)\n", contenders[i].options.scheduler,
               1e3 * row[i].seconds.value, row[i].speedup.value, word[ordo_compare_verdict(&row[i].speedup)]);
    free(dist);
    ordo_graph_free(graph);
    return 0;
}
