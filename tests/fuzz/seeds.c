/* seeds.c -- writes small graphs of many kinds in every format: DIR/SUFFIX/NUMBER. The start of fuzzing. */
#include <stdio.h>
#include <sys/stat.h>

#include "framework/graph/graph.h"

static const char *const suffixes[] = {"gr",  "max", "co",  "mtx", "graph", "el",
                                       "wel", "sg",  "wsg", "ggr", "npz",   "ordo"};

int main(int count, char **words)
{
    static const ordo_generate_options kinds[] = {
        {.kind = "rmat", .scale = 3, .degree = 2, .edges.high = 9},
        {.kind = "rmat", .scale = 3, .degree = 2},
        {.kind = "road", .vertices = 12},
        {.kind = "road", .vertices = 12, .edges.weights = ORDO_WEIGHTS_DROP},
        {.kind = "grid", .width = 3, .height = 2, .edges.high = 4000000000u},
        {.kind = "star", .vertices = 5},
        {.kind = "path", .vertices = 1},
        {.kind = "path", .vertices = 0},
        {.kind = "rlg", .width = 2, .height = 3, .edges.high = 9},
    };
    if (count != 2)
        return 2;
    int written = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        ordo_graph *g;
        if (ordo_graph_generate(&kinds[i], &g) != ORDO_OK) {
            fprintf(stderr, "seeds: %s\n", ordo_last_error());
            return 1;
        }
        for (size_t s = 0; s < sizeof suffixes / sizeof suffixes[0]; s++) {
            char path[512];
            snprintf(path, sizeof path, "%s/%s", words[1], suffixes[s]);
            mkdir(path, 0777);
            snprintf(path, sizeof path, "%s/%s/%zu.%s", words[1], suffixes[s], i, suffixes[s]);
            written += ordo_graph_write(g, path) == ORDO_OK; /* what does not fit a format is refused */
        }
        ordo_graph_free(g);
    }
    return written > 30 ? 0 : 1;
}
