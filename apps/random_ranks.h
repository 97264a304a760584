/* random_ranks.h -- an order of vertices that looks random, is the same in every run, and needs no memory.
 *
 * The finaliser of MurmurHash3 (Appleby 2011) maps words of 32 bits one to one, and 0 to 0. So ids that differ have
 * ranks that differ, ranks of ids + 1 are not 0, and the id can be computed from the rank.
 */
#ifndef ORDO_RANDOM_RANKS_H
#define ORDO_RANDOM_RANKS_H

#include <ordo/types.h>

/* The rank of v: 1 to 2^32 - 1. */
ORDO_FN ordo_u32 ordo_rank_of(ordo_vid v)
{
    ordo_u32 h = v + 1;
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

/* The vertex of a rank. The multipliers are the inverses, modulo 2^32; h ^ h >> 16 is its own inverse. */
ORDO_FN ordo_vid ordo_vertex_of(ordo_u32 rank)
{
    ordo_u32 h = rank ^ rank >> 16;
    h *= 0x7ed1b41du;
    h ^= h >> 13 ^ h >> 26;
    h *= 0xa5cb9243u;
    return (h ^ h >> 16) - 1;
}

#endif
