#include <ordo/scheduler/scheduler.h>

#include "ring.h"
#include "tunables.h"

static const ordo_pairing pairings[] = {{ORDO_KIND_RELAX, ORDO_SYNC_ATOMIC, ORDO_MONOTONE},
                                        {ORDO_KIND_RELAX, ORDO_SYNC_LOCK, ORDO_MONOTONE},
                                        {ORDO_KIND_CRITICAL, ORDO_SYNC_LOCK, 0},
                                        {ORDO_KIND_GATHER, ORDO_SYNC_ATOMIC, ORDO_RESIDUAL},
                                        {0, ORDO_SYNC_DEFAULT, 0}};

static const ordo_tunable tunables[] = {INBOX_TUNABLES(ORDO_TUNABLE_ROW) INBOX_CONSTANTS(ORDO_TUNABLE_ROW)};

/* Rings and buffers. Capacities of bins double, so they are up to two times their contents; while a bin grows, its old
 * copy exists, too. */
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

/* Predicted times, rounded from the tables of docs/results.md and docs/lab, and estimated where they have no figure:
 * fast on a GPU where degrees are even and 8 or more, since owners then have equal shares of the work; with small
 * degrees messages cost more than edges. */
static void suit(const ordo_situation *s, ordo_sync sync, ordo_fit *out)
{
    static const double weights_cpu[ORDO_GRAPH_KINDS] = {1.2, 1.3, 1.3},
                        weights_gpu[ORDO_GRAPH_KINDS] = {1.4, 3.4, 1.3};
    static const double levels_cpu[ORDO_GRAPH_KINDS] = {1.2, 1.1, 3}, levels_gpu[ORDO_GRAPH_KINDS] = {1.3, 1.1, 2};
    const ordo_operator *op = s->op;
    (void)sync;
    if (op->kind == ORDO_KIND_GATHER)
        *out = ordo_residual_fit();
    else if (op->kind == ORDO_KIND_CRITICAL)
        *out = (ordo_fit){1.1, "locks, items visited by who finds them"};
    else if (!op->activates || !s->has_rows)
        *out = (ordo_fit){1.1, "one bucket an owner, for nothing is activated"};
    else if (op->properties & ORDO_UNIFORM)
        *out = (ordo_fit){s->on_gpu ? levels_gpu[s->graph_kind] : levels_cpu[s->graph_kind] + ordo_levels_cost(s),
                          "levels as buckets, an owner for each item"};
    else if (!s->on_gpu && op->weight == ORDO_NONE)
        *out = (ordo_fit){1.15, "buckets, where no order gains anything"};
    else if (s->on_gpu && ordo_even_long_rows(s))
        *out = (ordo_fit){1.6, "an owner for each item"};
    else if (s->on_gpu && ordo_even_solid(s, op->width && op->width((double)s->vertices, (double)s->edges) == 0))
        *out = (ordo_fit){1, "an owner for each item, which shares even work evenly"};
    else
        *out = (ordo_fit){(s->on_gpu ? weights_gpu : weights_cpu)[s->graph_kind], "an owner for each item"};
}

extern const ordo_scheduler ordo_scheduler_inbox;
const ordo_scheduler ordo_scheduler_inbox = {
    .interface = ORDO_SCHEDULER_INTERFACE,
    .name = "inbox",
    .summary = "asynchronous: every worker owns its items' buckets, producers push to the owner",
    .paper = "Ordo's own",
    .pairings = pairings,
    ORDO_TUNABLES(tunables, INBOX_TUNABLE_COUNT, INBOX_ROWS),
    .growing = 1u << ORDO_ON_CPU,
    .distributed = 1u << ORDO_ON_CUDA | ORDO_NEEDS_MAPPED,
    .memory = memory,
    .suit = suit,
};
