/* seeds.c -- writes small graphs of many kinds in every format, DIR/SUFFIX/NUMBER, and edge lists that Ordo reads and
 * does not write, DIR/list/NUMBER; formulas, programs of constraints, and meshes. The start of fuzzing. */
#include <stdio.h>
#include <sys/stat.h>

#include "framework/graph/graph.h"

static const char *const suffixes[] = {"gr",  "max", "co",  "mtx", "graph", "el",
                                       "wel", "sg",  "wsg", "ggr", "npz",   "ordo"};

static const char *const lists[] = {
    "from,to,weight\n0,1,5\n1,2,6\n",
    "\"Source\";\"Target\";\"Label\";\"Weight\"\n\"0\";\"1\";\"a \"\"b\"\"\";\"0.5\"\n1;2;;-3e2\n",
    "u\tv\tlong name\n0\t1\t\n1\t2\tx y\n",
    "\xef\xbb\xbfid_1,id_2\r\n0,1\r\n1,2\r\n",
    "0,1,4,1289241911.72836\n2,1,5,1289241912.5\n",
    "u v w\n0 1 5\n1 2 6\n",
    "a,b,c\n0,1,2\n",
    "3 2\n1 2 -1\n3 2 1\n",
    "# c\n3\n2\n0 1 0.35\n// d\n1 2 0.25\n",
    "5 2\n1 2\n1 3\n",
    "4\n0 1\n1 2\n",
    "0 1 0.1234567890123\n1 2 4294967296\n2 0 16777217.0\n",
};

static const char *const formulas[] = {
    "c of three clauses\np cnf 4 3\n1 -2 0\n3 4\n-1 0\n0\n",
    "p cnf 0 0\n",
};

static const char *const programs[] = {
    "# variables, constraints\n4,3\n\n0,1,2,0,0\n7\t3 0 1 0\n2 2 2 3 0\n",
    "3 2\n0 1 2 2 0\n1 1 2 1 0\n",
};

/* .node, .poly and .ele, parted by bytes 1; the last byte says which is read. */
static const char *const meshes[] = {
    "4 2 0 0\n1 0 0\n2 1 0\n3 1 1\n4 0 1\n\1"
    "4 2 1 1\n0 0 0 5 1\n1 1 0 5 1\n2 1 1 5 1\n3 0 1 5 0\n2 1\n0 0 1 1\n1 2 3 0\n1\n0 .5 .5\n\1"
    "1 3 0\n1 1 2 3\n\1 0",
    "4 2 0 1\n1 0 0 1\n2 1 0 1\n3 1 1 1\n4 0 1 0\n\1"
    "0 2 0 0\n1 0\n1 1 3\n0\n\1"
    "2 3 0\n1 1 2 3\n2 1 3 4\n\1 1",
    "4 2 0 0\n0 0 0\n1 1 0\n2 1 1e-3\n3 0 1\n\1\1"
    "2 3 1\n0 0 1 2 9\n1 0 2 3 9\n\1 2",
};

static bool put_texts(const char *folder, const char *name, const char *const *texts, size_t count)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    mkdir(path, 0777);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        snprintf(path, sizeof path, "%s/%s/%zu", folder, name, i);
        FILE *f = fopen(path, "w");
        good = f && fputs(texts[i], f) >= 0;
        good = f && fclose(f) == 0 && good;
    }
    return good;
}

#define PUT(folder, name, texts) put_texts(folder, name, texts, sizeof texts / sizeof texts[0])

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
    if (!PUT(words[1], "list", lists) || !PUT(words[1], "formula", formulas) ||
        !PUT(words[1], "constraints", programs) || !PUT(words[1], "mesh", meshes))
        return 1;
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
