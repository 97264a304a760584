/* graph_set.c -- see graph_set.h. */
#include "tests/common/graph_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/families.h"

static void give_list(ordo_vid n, const ordo_edge_entry *list, ordo_u64 count, ordo_type type, ordo_direction direction,
                      const char *what, bool small, graph_set_fn *fn, void *arg)
{
    ordo_graph *g = NULL;
    ordo_status status = ordo_graph_from_edges(n, list, count, type, direction, small ? 1 : 0, &g);
    fn(arg, status ? NULL : g, what, small);
    ordo_graph_free(g);
}

/* Weights: small ones with many ties, all alike, any word at all, or as they are. */
static void set_weights(ordo_edge_entry *list, ordo_u64 count, ordo_type type, int how, ordo_u64 *r)
{
    for (ordo_u64 e = 0; e < count; e++) {
        ordo_u32 *word = &list[e].weight;
        const ordo_u32 drawn = (ordo_u32)next_random(r);
        *word = how == 0 ? drawn % 4 : how == 1 ? 0xffffffffu : how == 2 ? drawn : *word;
        if (type == ORDO_F32) {
            ordo_f32 real = drawn % 9 == 0 ? -0.0f : (ordo_f32)((int)(*word % 64) - 32) / 8;
            memcpy(word, &real, sizeof real);
        }
    }
}

void graph_set_small(int graphs, graph_set_fn *fn, void *arg)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_I32, ORDO_F32, ORDO_NONE};
    int families = 0;
    ordo_u64 r = 1;
    while (family_names[families])
        families++;
    for (int i = 0; i < graphs; i++) {
        const char *family = family_names[i % families];
        const ordo_type type = types[next_random(&r) % 4];
        const ordo_direction direction = next_random(&r) % 3 ? ORDO_SYMMETRISE : ORDO_AS_STORED;
        const unsigned size = 1 + (unsigned)(next_random(&r) % (i % 10 ? 200 : 5000));
        const int how = (int)(next_random(&r) % 4);
        char what[96];
        edge_list list;
        family_make(family, size, next_random(&r), &list);
        set_weights(list.edge, list.count, type, how, &r);
        snprintf(what, sizeof what, "graph %d: %s, size %u, type %d, weights %d, %s", i, family, size, (int)type, how,
                 direction ? "symmetric" : "directed");
        give_list((ordo_vid)list.n, list.edge, list.count, type, direction, what, true, fn, arg);
        family_free(&list);
    }
}

/* Edges as a function of their number, so that shapes are a line each. */
enum { STAR, HUBS, PATH_UP, PATH, PARALLEL, ISLANDS, FAR_APART, DENSE, RANDOM, SHAPES };
static const char *const shapes[] = {"star",    "hubs outside", "ascending path", "path",  "parallel edges",
                                     "islands", "far apart",    "dense",          "random"};

static ordo_u64 shape(int which, ordo_vid *n, ordo_edge_entry *list, ordo_u64 most)
{
    ordo_u64 count = 0, r = (ordo_u64)which + 1;
    const ordo_vid size = *n = which == STAR ? (1u << 20) + 77 : which == DENSE ? 20000 : 300000;
    const ordo_u64 edges = which == DENSE || which == HUBS ? most : which == RANDOM ? 3 * (ordo_u64)size : size;
    for (ordo_u64 i = 0; i < edges && count < most; i++) {
        const ordo_vid a = (ordo_vid)(next_random(&r) % size), b = (ordo_vid)(next_random(&r) % size);
        ordo_edge_entry e = {a, b, (ordo_u32)(next_random(&r) % 1000)};
        if (which == STAR)
            e = (ordo_edge_entry){size / 2, (ordo_vid)i, e.weight};
        else if (which == HUBS) /* a light part, and hubs in a part that only heavy edges reach */
            e = i % 8 ? (ordo_edge_entry){a % (size / 2), b % (size / 2), e.weight}
                      : (ordo_edge_entry){size - 1 - a % 3, size / 2 + b % (size / 2), 100000 + e.weight};
        else if (which == PATH_UP || which == PATH)
            e = (ordo_edge_entry){(ordo_vid)i, (ordo_vid)((i + 1) % size), which == PATH ? e.weight : (ordo_u32)i};
        else if (which == PARALLEL)
            e = (ordo_edge_entry){a % 50, b % 50, e.weight % 3};
        else if (which == ISLANDS)
            e = (ordo_edge_entry){a, a / 64 * 64 + b % 64 < size ? a / 64 * 64 + b % 64 : a, e.weight};
        else if (which == FAR_APART)
            e = (ordo_edge_entry){a % 40, size - 1 - b % 40, e.weight};
        list[count++] = e;
    }
    return count;
}

void graph_set_large(graph_set_fn *fn, void *arg)
{
    const ordo_u64 most = 2000000;
    ordo_edge_entry *list = calloc(most, sizeof *list);
    static const char *const made[] = {"rmat", "road", "grid", "urand"};
    if (!list)
        abort();
    for (int s = 0; s < SHAPES; s++)
        for (int d = 0; d < 2; d++) {
            ordo_vid n;
            const ordo_u64 count = shape(s, &n, list, most);
            give_list(n, list, count, ORDO_U32, d ? ORDO_SYMMETRISE : ORDO_AS_STORED, shapes[s], false, fn, arg);
        }
    free(list);
    for (int k = 0; k < 4; k++)
        for (int d = 0; d < 2; d++) {
            ordo_generate_options o = {.kind = made[k],
                                       .scale = 17,
                                       .degree = 16,
                                       .width = 500,
                                       .height = 400,
                                       .vertices = 200000,
                                       .edges = {.high = d ? 100 : 0xffffffffu, .seed = 3}};
            ordo_graph *g = NULL;
            o.edges.direction = k == 0 && d ? ORDO_SYMMETRISE : ORDO_AS_STORED;
            ordo_status status = ordo_graph_generate(&o, &g);
            fn(arg, status ? NULL : g, made[k], false);
            ordo_graph_free(g);
        }
    for (int n = 0; n < 3; n++) /* nothing, one vertex, two without an edge */
        give_list((ordo_vid)n, NULL, 0, ORDO_U32, ORDO_SYMMETRISE, "no edges", true, fn, arg);
}
