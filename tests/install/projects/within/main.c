/* within GRAPH EDGES DEVICE SOURCE...: how many vertices are within so many edges of each source. */
#include <stdio.h>
#include <stdlib.h>

#include <ordo/operators/bfs.h>
#include <ordo/ordo.h>

#include "within.h"

typedef struct app {
    ordo_session *session;
    const ordo_graph *graph;
    within arrays;
    ordo_item *first; /* [1] where a search begins */
} app;

static ordo_status start(app *a, const char *device)
{
    const ordo_u64 n = ordo_graph_out(a->graph)->n;
    ordo_status status = ordo_session_make(device, 0, &a->session);
    if (!status)
        status = ordo_session_array(a->session, NULL, n, sizeof(ordo_u32), (void **)&a->arrays.level);
    if (!status)
        status = ordo_session_array(a->session, NULL, 1, sizeof(ordo_item), (void **)&a->first);
    return status;
}

static ordo_status count(app *a, ordo_vid source, ordo_found *found)
{
    const ordo_u64 n = ordo_graph_out(a->graph)->n;
    const bfs_state state = {.limit = a->arrays.most};
    a->arrays.source = source;
    ordo_each each = {.pass = &within_start_pass, .state = &a->arrays, .count = n};
    ordo_status status = ordo_session_each(a->session, &each, NULL);
    if (!status)
        status = ordo_session_write(a->session, a->first, &source, sizeof source);
    const ordo_work work = {.op = ordo_operator_find("bfs"),
                            .graph = a->graph,
                            .cells = a->arrays.level,
                            .state = &state,
                            .num_items = n,
                            .targets = n,
                            .initial = a->first,
                            .initial_count = 1,
                            .session = a->session};
    const ordo_options options = {.scheduler = "bsp"};
    if (!status)
        status = ordo_run(&work, &options, NULL);
    each.pass = &within_near_pass;
    return status ? status : ordo_session_each(a->session, &each, found);
}

int main(int argc, char **argv)
{
    ordo_graph *graph = NULL;
    ordo_found found;
    if (argc < 5)
        return 1;
    ordo_status status = ordo_graph_read(argv[1], NULL, &graph);
    app a = {.graph = graph, .arrays = {.most = (ordo_u32)atoi(argv[2])}};
    if (!status)
        status = start(&a, argv[3]);
    for (int i = 4; i < argc && !status; i++)
        if (!(status = count(&a, (ordo_vid)atoi(argv[i]), &found)))
            printf("%s: %llu within %u edges, the last %llu away\n", argv[i], (unsigned long long)found.count,
                   a.arrays.most, (unsigned long long)found.value);
    if (status)
        fprintf(stderr, "%s\n", ordo_last_error());
    ordo_session_free(a.session);
    ordo_graph_free(graph);
    return status ? 2 : 0;
}
