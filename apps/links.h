/* links.h -- components by linking: a forest of parents over the vertices, made from few of the edges.
 *
 * Problem. Label every vertex with the smallest id of its component, and look at few edges: most of them lie within one
 * large component that a few edges of each vertex connect already.
 *
 * Method (Sutton, Ben-Nun and Barak, "Optimizing parallel graph connectivity computation via subgraph sampling", IPDPS
 * 2018). parent[v] <= v; the root of a tree is its smallest id. The phases, each a loop over all vertices:
 *   first      v takes the head of its first edge as parent, if that is smaller, or that head's parent where the same
 *              call has set it. No other thread reads or writes these words, so this phase has no atomics
 *   second     v is linked with another of its first heads, which is found again: to keep it would cost an array
 *   compress   every parent becomes the root
 *   rest       (after ordo_links_sample) vertices outside the largest component are linked with all their heads. With
 *              symmetric rows every edge that leaves that component is in a row outside it. With directed rows it need
 *              not be, so then all edges count
 *   compress   every parent is the root, which is the label
 *
 * Invariant. A word parent[v] changes only (1) by compare-and-swap from v to a smaller vertex of the same component:
 * two trees become one; or (2), where v is no root, to another smaller vertex of its tree. So there is no cycle, trees
 * are never split, and an outdated parent is in the same tree: relaxed order is enough. What a phase needs of the one
 * before is ordered by the barrier between them. An edge is done when both ends are in one tree.
 */
#ifndef ORDO_LINKS_H
#define ORDO_LINKS_H

#include <stdbool.h>

#include <ordo/graph.h>

typedef struct ordo_links {
    const ordo_csr *g;
    bool symmetric;   /* the rows are */
    ordo_u32 *parent; /* [n] need not be set before the first phase; labels after the last one */
    ordo_vid largest; /* root of the component that `rest` leaves out; ORDO_NO_VERTEX: none */
} ordo_links;

/* What phases add up. */
typedef struct ordo_links_count {
    ordo_u64 edges; /* looked at */
    ordo_u64 roots; /* seen by `compress` */
} ordo_links_count;

/* The phases, for the vertices begin .. end - 1. */
typedef void ordo_links_fn(const ordo_links *l, ordo_vid begin, ordo_vid end, ordo_links_count *count);
ordo_links_fn ordo_links_first, ordo_links_second, ordo_links_compress, ordo_links_rest;

/* Two vertices whose trees have become one. */
typedef struct ordo_link {
    ordo_u32 one, other;
} ordo_link;

/* Forests of two ranks, of which each knows the edges of its own rows: links every v of begin .. end - 1 with other[v],
 * its parent in the other forest. What joins two trees is added to joined[*count], fewer than n times. */
void ordo_links_join(const ordo_links *l, const ordo_u32 *other, ordo_vid begin, ordo_vid end, ordo_link *joined,
                     ordo_u64 *count);
/* Links what another rank has joined: joined[begin] .. joined[end - 1]. */
void ordo_links_add(const ordo_links *l, const ordo_link *joined, ordo_u64 begin, ordo_u64 end);

/* Between the first `compress` and `rest`, by one thread: finds the largest component, from a sample. */
void ordo_links_sample(ordo_links *l);

#endif
