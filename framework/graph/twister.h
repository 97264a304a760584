/* twister.h -- Matsumoto and Nishimura's Mersenne Twisters, with 32-bit words (TOMACS 8(1), 1998) and with 64-bit ones
 * (TOMACS 10(4), 2000), by their definitions.
 *
 * Only for reproducing what other programs draw with std::mt19937 and std::mt19937_64. All other random numbers are
 * hashes (ordo_scramble), which any thread can compute from a number.
 */
#ifndef ORDO_FRAMEWORK_GRAPH_TWISTER_H
#define ORDO_FRAMEWORK_GRAPH_TWISTER_H

#include <ordo/types.h>

enum { ORDO_TWISTER32_WORDS = 624, ORDO_TWISTER64_WORDS = 312 };

typedef struct ordo_twister32 {
    ordo_u32 word[ORDO_TWISTER32_WORDS];
    int next;
} ordo_twister32;

static inline void ordo_twister32_start(ordo_twister32 *t, ordo_u32 seed)
{
    t->word[0] = seed;
    for (ordo_u32 i = 1; i < ORDO_TWISTER32_WORDS; i++)
        t->word[i] = 1812433253u * (t->word[i - 1] ^ t->word[i - 1] >> 30) + i;
    t->next = ORDO_TWISTER32_WORDS;
}

static inline ordo_u32 ordo_twister32_next(ordo_twister32 *t)
{
    enum { WORDS = ORDO_TWISTER32_WORDS, MIDDLE = 397 };
    const ordo_u32 low = 0x7fffffffu;
    if (t->next == WORDS) {
        for (int i = 0; i < WORDS; i++) {
            ordo_u32 y = (t->word[i] & ~low) | (t->word[(i + 1) % WORDS] & low);
            t->word[i] = t->word[(i + MIDDLE) % WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
        }
        t->next = 0;
    }
    ordo_u32 y = t->word[t->next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

typedef struct ordo_twister64 {
    ordo_u64 word[ORDO_TWISTER64_WORDS];
    int next;
} ordo_twister64;

static inline void ordo_twister64_start(ordo_twister64 *t, ordo_u64 seed)
{
    t->word[0] = seed;
    for (ordo_u64 i = 1; i < ORDO_TWISTER64_WORDS; i++)
        t->word[i] = 6364136223846793005u * (t->word[i - 1] ^ t->word[i - 1] >> 62) + i;
    t->next = ORDO_TWISTER64_WORDS;
}

static inline ordo_u64 ordo_twister64_next(ordo_twister64 *t)
{
    enum { WORDS = ORDO_TWISTER64_WORDS, MIDDLE = 156 };
    const ordo_u64 low = 0x7fffffffu;
    if (t->next == WORDS) {
        for (int i = 0; i < WORDS; i++) {
            ordo_u64 y = (t->word[i] & ~low) | (t->word[(i + 1) % WORDS] & low);
            t->word[i] = t->word[(i + MIDDLE) % WORDS] ^ y >> 1 ^ (y & 1 ? 0xb5026f5aa96619e9u : 0);
        }
        t->next = 0;
    }
    ordo_u64 y = t->word[t->next++];
    y ^= y >> 29 & 0x5555555555555555u;
    y ^= y << 17 & 0x71d67fffeda60000u;
    y ^= y << 37 & 0xfff7eee000000000u;
    return y ^ y >> 43;
}

#endif
