/* families.h -- families of small graphs whose shapes are known to expose mistakes, by name, size and seed. */
#ifndef TESTS_FAMILIES_H
#define TESTS_FAMILIES_H

#include <ordo/graph.h>

typedef struct edge_list {
    ordo_u64 n, count;
    ordo_edge_entry *edge; /* weights are small whole numbers, as u32 */
} edge_list;

/* Names, NULL-terminated. */
extern const char *const family_names[];

/* About `size` vertices of that family. Weights are 1..100, or 0..3 in the families that want zeros. */
void family_make(const char *name, unsigned size, ordo_u64 seed, edge_list *out);
void family_free(edge_list *list);

/* The same list as a graph with weights of that type (f32: weight / 8 + a little, so that sums round). */
ordo_graph *family_graph(const edge_list *list, ordo_type type, ordo_direction direction);

/* splitmix64: the next of a stream. */
ordo_u64 next_random(ordo_u64 *state);

#endif
