#include <ordo/scheduler.h>

#include "tunables.h"

static const ordo_pairing pairings[] = {{ORDO_KIND_RELAX, ORDO_SYNC_ATOMIC, ORDO_MONOTONE},
                                        {ORDO_KIND_RELAX, ORDO_SYNC_LOCK, ORDO_MONOTONE},
                                        {ORDO_KIND_CRITICAL, ORDO_SYNC_LOCK, 0},
                                        {0, ORDO_SYNC_DEFAULT, 0}};

static const ordo_tunable tunables[] = {DELTA_TUNABLES(ORDO_TUNABLE_ROW)};

/* Bins double, so they hold up to twice what is in them; while one grows, the old copy is there too. */
static void memory(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                   ordo_u64 *at_most)
{
    ordo_u64 bins = (ordo_u64)threads * ((ordo_u64)tunable[DELTA_BUCKETS] + 3);
    *expected = 2 * n * entry + bins * 64 * entry;
    *at_most = 4 * (n + m) * entry + bins * 64 * entry;
}

extern const ordo_scheduler ordo_scheduler_delta;
const ordo_scheduler ordo_scheduler_delta = {
    .name = "delta",
    .summary = "delta-stepping: thread-local buckets, bucket fusion, local chaining",
    .paper = "Meyer and Sanders, J. Algorithms 49(1), 2003; Zhang et al., CGO 2020 (bucket fusion)",
    .pairings = pairings,
    .tunables = tunables,
    .tunable_count = DELTA_TUNABLE_COUNT,
    .memory = memory,
};
