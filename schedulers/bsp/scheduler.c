#include <ordo/scheduler.h>

#include "tunables.h"

static const ordo_pairing pairings[] = {
    {ORDO_KIND_RELAX, ORDO_SYNC_ATOMIC, ORDO_MONOTONE},
    {ORDO_KIND_RELAX, ORDO_SYNC_LOCK, ORDO_MONOTONE},
    /* A lost update is harmless where all candidates of a superstep are equal. */
    {ORDO_KIND_RELAX, ORDO_SYNC_RACY, ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_UNIFORM | ORDO_SELECTIVE},
    {ORDO_KIND_CRITICAL, ORDO_SYNC_LOCK, 0},
    {ORDO_KIND_CRITICAL, ORDO_SYNC_OWNER, 0},
    {0, ORDO_SYNC_DEFAULT, 0},
};

static const ordo_tunable tunables[] = {BSP_TUNABLES(ORDO_TUNABLE_ROW)};

/* Two bins a thread that double, and two bitmaps for pulling. */
static void memory(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                   ordo_u64 *at_most)
{
    (void)tunable;
    *expected = 2 * n * entry + n / 4 + (ordo_u64)threads * 256 * entry;
    *at_most = 4 * (n + m) * entry + n / 4 + (ordo_u64)threads * 256 * entry + 4 * n * sizeof(ordo_request);
}

extern const ordo_scheduler ordo_scheduler_bsp;
const ordo_scheduler ordo_scheduler_bsp = {
    .name = "bsp",
    .summary = "double-buffered supersteps; direction-optimising where the operator allows it",
    .paper = "Valiant, CACM 1990; Nasre et al., GPGPU-6, 2013, section 3; Beamer et al., SC 2012 (direction)",
    .pairings = pairings,
    .tunables = tunables,
    .tunable_count = BSP_TUNABLE_COUNT,
    .memory = memory,
};
