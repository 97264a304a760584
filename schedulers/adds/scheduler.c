#include <ordo/scheduler.h>

#include "queue.h"
#include "tunables.h"

static const ordo_pairing pairings[] = {{ORDO_KIND_RELAX, ORDO_SYNC_ATOMIC, ORDO_MONOTONE},
                                        {ORDO_KIND_RELAX, ORDO_SYNC_LOCK, ORDO_MONOTONE},
                                        {ORDO_KIND_CRITICAL, ORDO_SYNC_LOCK, 0},
                                        {0, ORDO_SYNC_DEFAULT, 0}};

static const ordo_tunable tunables[] = {ADDS_TUNABLES(ORDO_TUNABLE_ROW)};

/* The pool and its tables, and each thread's buffers and overflow; what does not fit the pool doubles in bins. */
static void memory(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                   ordo_u64 *at_most)
{
    adds_shape shape =
        adds_shape_for((ordo_u32)tunable[ADDS_BUCKETS], (ordo_u64)tunable[ADDS_POOL], (ordo_u64)tunable[ADDS_BLOCK],
                       (ordo_u64)tunable[ADDS_SEGMENT], m, entry, ADDS_MOST);
    ordo_u64 member = ((ordo_u64)tunable[ADDS_GRAIN] + 64 * ADDS_MAX_BUCKETS) * entry + sizeof(adds_writer) + 1024;
    *expected = adds_bytes(&shape) + (ordo_u64)threads * member;
    *at_most = *expected + 4 * (n + m) * entry;
}

extern const ordo_scheduler ordo_scheduler_adds;
const ordo_scheduler ordo_scheduler_adds = {
    .name = "adds",
    .summary = "asynchronous dynamic delta-stepping: shared buckets, a manager that assigns work and adapts delta",
    .paper = "Wang, Fussell and Lin, PPoPP 2021; Wang's thesis, chapter 5",
    .pairings = pairings,
    .tunables = tunables,
    .tunable_count = ADDS_TUNABLE_COUNT,
    .memory = memory,
};
