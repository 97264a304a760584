#include <ordo/scheduler/scheduler.h>

#include "queue.h"
#include "tunables.h"

static const ordo_pairing pairings[] = {{ORDO_KIND_RELAX, ORDO_SYNC_ATOMIC, ORDO_MONOTONE},
                                        {ORDO_KIND_RELAX, ORDO_SYNC_LOCK, ORDO_MONOTONE},
                                        {ORDO_KIND_CRITICAL, ORDO_SYNC_LOCK, 0},
                                        {ORDO_KIND_GATHER, ORDO_SYNC_ATOMIC, ORDO_RESIDUAL},
                                        {0, ORDO_SYNC_DEFAULT, 0}};

static const ordo_tunable tunables[] = {ADDS_TUNABLES(ORDO_TUNABLE_ROW) ADDS_CONSTANTS(ORDO_TUNABLE_ROW)};

/* The pool and its tables, and the buffers and overflow of each thread. Entries that do not fit the pool are in bins,
 * whose capacity doubles. */
static void memory(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                   ordo_u64 *at_most)
{
    adds_layout layout =
        adds_layout_for((ordo_u32)tunable[ADDS_BUCKETS], (ordo_u64)tunable[ADDS_POOL], (ordo_u64)tunable[ADDS_BLOCK],
                        (ordo_u64)tunable[ADDS_SEGMENT], m, entry, ADDS_MOST);
    ordo_u64 member = ((ordo_u64)tunable[ADDS_GRAIN] + 64 * ADDS_MAX_BUCKETS) * entry + sizeof(adds_writer) + 1024;
    *expected = adds_bytes(&layout) + (ordo_u64)threads * member;
    *at_most = *expected + 4 * (n + m) * entry;
}

/* Predicted times, rounded from the tables of docs/results.md and docs/lab, and estimated where they have no figure:
 * fast on a GPU if hubs make a few buckets long, since no barrier waits for the last items of a bucket. */
static void suit(const ordo_situation *s, ordo_sync sync, ordo_fit *out)
{
    static const double weights_cpu[ORDO_GRAPH_KINDS] = {1.2, 1.2, 1.5}, weights_gpu[ORDO_GRAPH_KINDS] = {1.2, 1.6, 1};
    static const double levels_cpu[ORDO_GRAPH_KINDS] = {1.3, 3.6, 6};
    const ordo_operator *op = s->op;
    (void)sync;
    if (op->kind == ORDO_KIND_GATHER)
        *out = ordo_residual_fit();
    else if (op->kind == ORDO_KIND_CRITICAL)
        *out = (ordo_fit){s->on_gpu ? 4 : 1.5, "locks, items through a bucket each"};
    else if (!op->activates || !s->has_rows)
        *out = (ordo_fit){1.1, "one bucket, for nothing is activated"};
    else if (op->properties & ORDO_UNIFORM)
        *out = (ordo_fit){s->on_gpu ? 2 : levels_cpu[s->graph_kind], "levels as buckets, without barriers"};
    else if (s->on_gpu && ordo_even_long_rows(s))
        *out = (ordo_fit){1.25, "buckets without barriers"};
    else if (!s->on_gpu && op->weight == ORDO_NONE)
        *out = (ordo_fit){1.15, "buckets, where no order gains anything"};
    else
        *out = (ordo_fit){(s->on_gpu ? weights_gpu : weights_cpu)[s->graph_kind], "buckets without barriers"};
}

extern const ordo_scheduler ordo_scheduler_adds;
const ordo_scheduler ordo_scheduler_adds = {
    .interface = ORDO_SCHEDULER_INTERFACE,
    .name = "adds",
    .summary = "asynchronous dynamic delta-stepping: shared buckets, a manager that assigns work and adapts delta",
    .paper = "Wang, Fussell and Lin, PPoPP 2021; Wang's thesis, chapter 5",
    .pairings = pairings,
    ORDO_TUNABLES(tunables, ADDS_TUNABLE_COUNT, ADDS_ROWS),
    .growing = 1u << ORDO_ON_CPU,
    .distributed = 1u << ORDO_ON_CUDA | ORDO_NEEDS_MAPPED,
    .memory = memory,
    .suit = suit,
};
