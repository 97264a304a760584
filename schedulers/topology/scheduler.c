#include <ordo/scheduler.h>

#include "tunables.h"

static const ordo_pairing pairings[] = {
    {ORDO_KIND_RELAX, ORDO_SYNC_RACY, ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_SELECTIVE},
    {ORDO_KIND_RELAX, ORDO_SYNC_ATOMIC, ORDO_IDEMPOTENT},
    {ORDO_KIND_RELAX, ORDO_SYNC_LOCK, ORDO_IDEMPOTENT},
    {ORDO_KIND_CRITICAL, ORDO_SYNC_OWNER, ORDO_IDEMPOTENT},
    {ORDO_KIND_CRITICAL, ORDO_SYNC_LOCK, ORDO_IDEMPOTENT},
    {0, ORDO_SYNC_DEFAULT, 0},
};

static const ordo_tunable tunables[] = {TOPOLOGY_TUNABLES(ORDO_TUNABLE_ROW)};

/* No worklist for relax operators; requests of critical ones under owner-computes wait in bins. On a GPU, which reports
 * what it lacks by itself, there is room from the start for as many as all items may make. */
static void memory(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                   ordo_u64 *at_most)
{
    (void)m;
    (void)entry;
    (void)tunable;
    *expected = (ordo_u64)threads * 256;
    *at_most = (ordo_u64)threads * 256 + 4 * n * sizeof(ordo_request);
}

extern const ordo_scheduler ordo_scheduler_topology;
const ordo_scheduler ordo_scheduler_topology = {
    .name = "topology",
    .summary = "every item in every round until nothing changes; no worklist, no atomics",
    .paper = "Nasre, Burtscher and Pingali, GPGPU-6, 2013",
    .pairings = pairings,
    .tunables = tunables,
    .tunable_count = TOPOLOGY_TUNABLE_COUNT,
    .all_items = true,
    .memory = memory,
};
