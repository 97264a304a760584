#include <ordo/scheduler.h>

#include "ring.h"
#include "tunables.h"

static const ordo_pairing pairings[] = {{ORDO_KIND_RELAX, ORDO_SYNC_ATOMIC, ORDO_MONOTONE},
                                        {ORDO_KIND_RELAX, ORDO_SYNC_LOCK, ORDO_MONOTONE},
                                        {ORDO_KIND_CRITICAL, ORDO_SYNC_LOCK, 0},
                                        {0, ORDO_SYNC_DEFAULT, 0}};

static const ordo_tunable tunables[] = {INBOX_TUNABLES(ORDO_TUNABLE_ROW)};

/* Rings and buffers; bins double, so they hold up to twice what is in them; while one grows, the old copy is there too.
 */
static void memory(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                   ordo_u64 *at_most)
{
    ordo_u64 t = (ordo_u64)threads;
    ordo_u64 fixed = t *
                     ((tunable[INBOX_RING] > 0 ? (ordo_u64)tunable[INBOX_RING] : 4096) + t * INBOX_BUFFER +
                      64 * (INBOX_BUCKETS + 1) + (ordo_u64)tunable[INBOX_CHUNK]) *
                     entry;
    *expected = 2 * n * entry + fixed;
    *at_most = 6 * (n + m) * entry + fixed;
}

extern const ordo_scheduler ordo_scheduler_inbox;
const ordo_scheduler ordo_scheduler_inbox = {
    .name = "inbox",
    .summary = "asynchronous: every worker owns its items' buckets, producers push to the owner",
    .paper = "Ordo's own",
    .pairings = pairings,
    .tunables = tunables,
    .tunable_count = INBOX_TUNABLE_COUNT,
    .memory = memory,
};
