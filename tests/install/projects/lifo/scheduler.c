#include <ordo/scheduler/scheduler.h>

/* For relax operators, by compare-and-swap only. Monotone, because op_expand skips what a better value has overtaken.
 */
static const ordo_pairing pairings[] = {{ORDO_KIND_RELAX, ORDO_SYNC_ATOMIC, ORDO_MONOTONE}, {0, ORDO_SYNC_DEFAULT, 0}};

static void memory(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                   ordo_u64 *at_most)
{
    (void)threads;
    (void)tunable;
    *expected = 2 * n * entry;
    *at_most = 4 * (n + m) * entry;
}

/* One stack pays where there is one thread, and nowhere else. */
static void suit(const ordo_situation *s, ordo_sync sync, ordo_fit *out)
{
    (void)sync;
    *out = (ordo_fit){s->threads == 1 && !s->on_gpu ? 0.9 : 20, "one stack for all, which nobody else wants"};
}

extern const ordo_scheduler lifo_scheduler;
const ordo_scheduler lifo_scheduler = {
    .interface = ORDO_SCHEDULER_INTERFACE,
    .name = "lifo",
    .summary = "one stack for all",
    .paper = "a worked example",
    .pairings = pairings,
    .memory = memory,
    .suit = suit,
};
