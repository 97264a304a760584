/* random.h -- random numbers of each thread of a test (xorshift; Marsaglia 2003). */
#ifndef TESTS_COMMON_RANDOM_H
#define TESTS_COMMON_RANDOM_H

#include <ordo/types.h>

static _Thread_local ordo_u64 seed = 1; /* a thread may set it, not to 0 */

static ordo_u32 next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (ordo_u32)(seed >> 32);
}

#endif
