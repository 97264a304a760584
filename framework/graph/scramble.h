/* scramble.h -- random words of numbers, the same on a CPU and on a GPU. */
#ifndef ORDO_GRAPH_SCRAMBLE_H
#define ORDO_GRAPH_SCRAMBLE_H

#include <ordo/types.h>

/* A random word of a number (splitmix64). */
ORDO_FN ordo_u64 ordo_scramble(ordo_u64 x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* 0 .. limit-1, from 64 random bits, by multiplication: its bias is limit / 2^64. */
ORDO_FN ordo_u64 ordo_below(ordo_u64 random, ordo_u64 limit)
{
    return (ordo_u64)((unsigned __int128)random * limit >> 64);
}

#endif
