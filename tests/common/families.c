#include "families.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const family_names[] = {
    "road",     "power-law", "random",        "mesh",     "star",         "in-star",    "path",     "back-path",
    "empty",    "no-vertex", "one-vertex",    "one-loop", "disconnected", "self-loops", "parallel", "zero-weights",
    "all-zero", "complete",  "cliques-chain", "layers",   "ladder",       NULL};

ordo_u64 next_random(ordo_u64 *state)
{
    ordo_u64 x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static unsigned below(ordo_u64 *state, ordo_u64 bound)
{
    return bound ? (unsigned)(next_random(state) % bound) : 0;
}

static void add(edge_list *list, unsigned tail, unsigned head, unsigned weight)
{
    if ((list->count & (list->count - 1)) == 0) {
        list->edge = realloc(list->edge, (list->count ? 2 * list->count : 1) * sizeof *list->edge);
        if (!list->edge)
            abort();
    }
    list->edge[list->count++] = (ordo_edge_entry){tail, head, weight};
}

static void add_both(edge_list *list, unsigned a, unsigned b, unsigned weight)
{
    add(list, a, b, weight);
    add(list, b, a, weight);
}

void family_make(const char *name, unsigned size, ordo_u64 seed, edge_list *out)
{
    ordo_u64 r = seed * 7919 + strlen(name);
    *out = (edge_list){.n = size ? size : 1};
    unsigned n = (unsigned)out->n;
#define IS(_name) (!strcmp(name, _name))
#define WEIGHT (1 + below(&r, 100))
    if (IS("no-vertex")) {
        out->n = 0;
    } else if (IS("empty")) {
        ; /* vertices alone */
    } else if (IS("one-vertex")) {
        out->n = 1;
    } else if (IS("one-loop")) {
        out->n = 1;
        add(out, 0, 0, WEIGHT);
        add(out, 0, 0, 0);
    } else if (IS("road")) {
        unsigned side = 1;
        while (side * side < n)
            side++;
        out->n = side * side;
        for (unsigned y = 0; y < side; y++)
            for (unsigned x = 0; x < side; x++) {
                if (x + 1 < side && below(&r, 10) < 6)
                    add_both(out, y * side + x, y * side + x + 1, WEIGHT);
                if (y + 1 < side && below(&r, 10) < 6)
                    add_both(out, y * side + x, (y + 1) * side + x, WEIGHT);
            }
    } else if (IS("power-law")) {
        for (unsigned e = 0; e < 8 * n; e++) { /* square of a uniform number: low ids are hubs */
            ordo_u64 a = below(&r, n), b = below(&r, n);
            add(out, (unsigned)(a * a / n), (unsigned)(b * below(&r, n) / n), WEIGHT);
        }
    } else if (IS("random")) {
        for (unsigned e = 0; e < 4 * n; e++)
            add(out, below(&r, n), below(&r, n), WEIGHT);
    } else if (IS("mesh")) {
        unsigned side = 2;
        while (side * side * side < n)
            side++;
        out->n = side * side * side;
        for (unsigned v = 0; v < out->n; v++)
            for (unsigned step = 1, k = 0; k < 3; k++, step *= side)
                if (v / step % side + 1 < side)
                    add_both(out, v, v + step, WEIGHT);
    } else if (IS("star")) {
        for (unsigned v = 1; v < n; v++)
            add(out, 0, v, WEIGHT);
    } else if (IS("in-star")) {
        for (unsigned v = 1; v < n; v++)
            add_both(out, v, 0, WEIGHT);
    } else if (IS("path")) {
        for (unsigned v = 1; v < n; v++)
            add(out, v - 1, v, WEIGHT);
    } else if (IS("back-path")) { /* against the order of ids: the worst for a sweep */
        for (unsigned v = 1; v < n; v++)
            add_both(out, n - v, n - v - 1, WEIGHT);
    } else if (IS("disconnected")) {
        for (unsigned e = 0; e < 2 * n; e++) {
            unsigned part = below(&r, 5), width = n / 5 + 1;
            unsigned a = part * width + below(&r, width), b = part * width + below(&r, width);
            if (a < n && b < n)
                add_both(out, a, b, WEIGHT);
        }
    } else if (IS("self-loops")) {
        for (unsigned v = 0; v < n; v++) {
            add(out, v, v, below(&r, 3));
            add(out, v, below(&r, n), WEIGHT);
            add(out, v, below(&r, n), WEIGHT);
        }
    } else if (IS("parallel")) {
        for (unsigned e = 0; e < n; e++) {
            unsigned a = below(&r, n), b = below(&r, n);
            for (unsigned k = 0; k < 4; k++)
                add(out, a, b, WEIGHT);
        }
    } else if (IS("zero-weights")) {
        for (unsigned e = 0; e < 3 * n; e++)
            add_both(out, below(&r, n), below(&r, n), below(&r, 4));
    } else if (IS("all-zero")) {
        for (unsigned e = 0; e < 2 * n; e++)
            add_both(out, below(&r, n), below(&r, n), 0);
    } else if (IS("complete")) {
        out->n = n = n > 40 ? 40 : n;
        for (unsigned a = 0; a < n; a++)
            for (unsigned b = 0; b < n; b++)
                if (a != b)
                    add(out, a, b, WEIGHT);
    } else if (IS("cliques-chain")) {
        for (unsigned v = 0; v < n; v++)
            for (unsigned w = v + 1; w < n && w / 8 == v / 8; w++)
                add_both(out, v, w, WEIGHT);
        for (unsigned v = 8; v < n; v += 8)
            add_both(out, v - 1, v, WEIGHT);
    } else if (IS("layers")) { /* wide and shallow, then a bottleneck */
        for (unsigned v = 1; v < n; v++)
            for (unsigned k = 0; k < 3; k++)
                add(out, (v - 1) / 16 * 16 / 2 + below(&r, v / 2 + 1), v, WEIGHT);
        for (ordo_u64 e = 0; e < out->count; e++)
            if (out->edge[e].tail >= n)
                out->edge[e].tail = n - 1;
    } else if (IS("ladder")) { /* the cheap way round is the long one: many improvements a vertex */
        for (unsigned v = 1; v < n; v++) {
            add(out, v - 1, v, 1);
            add(out, v / 2, v, 2 * (n - v) + v);
            add(out, 0, v, 4 * n);
        }
    } else {
        fprintf(stderr, "family '%s' is unknown\n", name);
        abort();
    }
}

void family_free(edge_list *list)
{
    free(list->edge);
    list->edge = NULL;
}

ordo_graph *family_graph(const edge_list *list, ordo_type type, ordo_direction direction)
{
    ordo_edge_entry *copy = malloc((list->count + 1) * sizeof *copy);
    if (!copy)
        abort();
    for (ordo_u64 e = 0; e < list->count; e++) {
        copy[e] = list->edge[e];
        if (type == ORDO_F32) {
            float weight = copy[e].weight ? (float)copy[e].weight / 8 + (float)(e % 13) / 1000 : 0;
            memcpy(&copy[e].weight, &weight, sizeof weight);
        }
    }
    ordo_graph *g = NULL;
    if (ordo_graph_from_edges(list->n, copy, list->count, type, direction, 1, &g)) {
        fprintf(stderr, "%s\n", ordo_last_error());
        abort();
    }
    free(copy);
    return g;
}
