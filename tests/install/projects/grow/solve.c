/* Solves a sliding puzzle of 3 by 3 from every position: a run whose items and edges are found while it runs. Prints
 * one line; ends with 2 where the run fails.
 */
#include <ordo/ordo.h>
#include <stdio.h>

#include "puzzle.h"

extern const ordo_operator puzzle_operator;

enum { MOST = 181439 }; /* positions beside the solved one */
static ordo_u32 moves[MOST + 1];

static int fail(void)
{
    fprintf(stderr, "%s\n", ordo_last_error());
    return 2;
}

int main(void)
{
    ordo_graph *graph;
    ordo_u32 most = 0;
    static const ordo_eid row[2] = {0, 0};
    const ordo_csr one = {.n = 1, .row = row, .stride = 1}; /* the solved position, without any move */
    const puzzle_state board = {.wide = 3, .high = 3};
    const ordo_item first = 0;
    ordo_additions added = {.most_items = MOST, .most_edges = 4 * MOST};
    if (ordo_graph_borrow(&one, false, &graph))
        return fail();
    const ordo_options options = {.scheduler = "delta", .additions = &added};
    const ordo_work work = {.op = &puzzle_operator,
                            .graph = graph,
                            .cells = moves, /* MOST + 1 */
                            .state = &board,
                            .num_items = 1,
                            .targets = 1,
                            .initial = &first,
                            .initial_count = 1};
    moves[first] = 0;
    if (ordo_run(&work, &options, NULL))
        return fail();
    for (ordo_u64 i = 1; i <= added.items; i++)
        most = moves[i] > most ? moves[i] : most;
    printf("%llu positions, %llu moves between them, the hardest takes %u\n", (unsigned long long)added.items + 1,
           (unsigned long long)added.edges, most);
    ordo_additions_free(&added);
    ordo_graph_free(graph);
    return 0;
}
