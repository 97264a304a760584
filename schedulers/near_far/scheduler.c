#include <ordo/scheduler.h>

#include "tunables.h"

static const ordo_pairing pairings[] = {{ORDO_KIND_RELAX, ORDO_SYNC_ATOMIC, ORDO_MONOTONE},
                                        {ORDO_KIND_RELAX, ORDO_SYNC_LOCK, ORDO_MONOTONE},
                                        {ORDO_KIND_CRITICAL, ORDO_SYNC_LOCK, 0},
                                        {0, ORDO_SYNC_DEFAULT, 0}};

static const ordo_tunable tunables[] = {NEAR_FAR_TUNABLES(ORDO_TUNABLE_ROW)};

/* Three bins a thread that double. */
static void memory(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                   ordo_u64 *at_most)
{
    (void)tunable;
    *expected = 2 * n * entry + (ordo_u64)threads * 3 * 64 * entry;
    *at_most = 4 * (n + m) * entry + (ordo_u64)threads * 3 * 64 * entry;
}

extern const ordo_scheduler ordo_scheduler_near_far;
const ordo_scheduler ordo_scheduler_near_far = {
    .name = "near_far",
    .summary = "two piles split at a moving threshold, supersteps inside",
    .paper = "Davidson, Baxter, Garland and Owens, IPDPS 2014",
    .pairings = pairings,
    .tunables = tunables,
    .tunable_count = NEAR_FAR_TUNABLE_COUNT,
    .memory = memory,
};
