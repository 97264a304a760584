/* generate.h -- what generate.c and the files of the kinds of generated graphs share.
 *
 * A kind divides its graph into items, which are edges or vertices. The edges of an item follow from its number alone,
 * by hashes. A part of the source is a range of items, so threads need nothing from each other.
 */
#ifndef ORDO_FRAMEWORK_GRAPH_GENERATE_H
#define ORDO_FRAMEWORK_GRAPH_GENERATE_H

#include "graph.h"

typedef struct ordo_batch {
    ordo_taker *to;
    size_t count;
    ordo_given_edge edge[ORDO_BATCH];
} ordo_batch;

static inline void ordo_batch_flush(ordo_batch *b)
{
    b->to->take(b->to, b->edge, b->count);
    b->count = 0;
}

static inline void ordo_batch_put(ordo_batch *b, ordo_u64 tail, ordo_u64 head, ordo_u32 weight)
{
    b->edge[b->count++] = (ordo_given_edge){(ordo_vid)tail, (ordo_vid)head, weight};
    if (b->count == ORDO_BATCH)
        ordo_batch_flush(b);
}

typedef struct ordo_maker ordo_maker;
struct ordo_maker {
    const ordo_generate_options *o;
    ordo_u64 key; /* of the seed */

    /* What a kind declares. */
    ordo_u64 n, items;
    ordo_u64 edges;        /* given, or about as many */
    ordo_u64 items_a_part; /* 0: chosen so that a part has some ten thousand edges */
    ordo_mirror mirror;
    bool simple;     /* loops and parallel edges are removed */
    bool random;     /* the shape depends on the seed */
    bool lengths;    /* makes weights, and ignores low and high */
    bool capacities; /* makes weights of low..high, where high > 0 */
    /* Gives the edges of items begin..end-1. Weights need not be right where ends_only. */
    void (*make)(const ordo_maker *m, ordo_u64 begin, ordo_u64 end, bool ends_only, ordo_batch *to);
    /* Called first: makes the data of vertices. NULL: there are none. */
    ordo_status (*place)(ordo_maker *m);
    ordo_vertex_data vertices;
    char text[512]; /* the words of `ordo generate` that make the graph again */

    /* The state of a kind. */
    ordo_team *team;
    ordo_u64 width, height, depth, degree;
    ordo_u64 kept;        /* lattices: a bond stays where 53 random bits are less */
    ordo_u64 names[3];    /* rmat: of the permutation */
    ordo_u32 quadrant[3]; /* rmat: where the second, third and last quadrant begin, of 2^16 */
};

/* What a hash is for: two uses of one number must not give the same hash. */
enum ordo_use { ORDO_USE_EDGE = 1, ORDO_USE_WEIGHT, ORDO_USE_BOND, ORDO_USE_PLACE, ORDO_USE_NAME };

static inline ordo_u64 ordo_maker_hash(const ordo_maker *m, enum ordo_use use, ordo_u64 x)
{
    return ordo_scramble(ordo_scramble(m->key + (ordo_u64)use) ^ x);
}

/* A permutation of 0 .. 2^bits - 1: odd multiplications and shifted exclusive ors are invertible. */
static inline ordo_u64 ordo_permuted(const ordo_u64 keys[3], ordo_u32 bits, ordo_u64 x)
{
    ordo_u64 mask = ((ordo_u64)1 << bits) - 1;
    for (int round = 0; round < 3; round++) {
        x = (x * (keys[round] | 1) + (keys[round] >> 32)) & mask;
        x ^= x >> (bits / 2 + 1);
    }
    return x;
}

/* Adds to the text. */
void ordo_maker_describe(ordo_maker *m, const char *format, ...) ORDO_PRINTF(2, 3);
/* Adds a prefix and a value, with as many digits as represent it exactly. */
void ordo_maker_say_real(ordo_maker *m, const char *before, double value);
/* ORDO_ERR_USAGE where value is 0. */
ordo_status ordo_maker_some(const ordo_maker *m, const char *name, ordo_u64 value);
/* Sets n = width * height * depth (each at least 1) + more; refused where that exceeds ORDO_MAX_VERTICES. */
ordo_status ordo_maker_box(ordo_maker *m, ordo_u64 more);

/* The kinds: each checks its options and fills its declaration. */
typedef ordo_status ordo_kind_fn(ordo_maker *m);
ordo_kind_fn ordo_make_rmat, ordo_make_kron, ordo_make_urand, ordo_make_uniform;    /* generate_random.c */
ordo_kind_fn ordo_make_grid, ordo_make_mesh, ordo_make_road;                        /* generate_lattice.c */
ordo_kind_fn ordo_make_rlg, ordo_make_genrmf;                                       /* generate_flow.c */
ordo_kind_fn ordo_make_star, ordo_make_path, ordo_make_complete, ordo_make_cliques; /* generate_plain.c */

#endif
