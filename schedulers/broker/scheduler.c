#include <ordo/scheduler/scheduler.h>

#include <ordo/scheduler/broker_queue.h>

#include "tunables.h"

static const ordo_pairing pairings[] = {{ORDO_KIND_RELAX, ORDO_SYNC_ATOMIC, ORDO_MONOTONE},
                                        {ORDO_KIND_RELAX, ORDO_SYNC_LOCK, ORDO_MONOTONE},
                                        {ORDO_KIND_CRITICAL, ORDO_SYNC_LOCK, 0},
                                        {ORDO_KIND_GATHER, ORDO_SYNC_ATOMIC, ORDO_RESIDUAL},
                                        {0, ORDO_SYNC_DEFAULT, 0}};

static const ordo_tunable tunables[] = {BROKER_TUNABLES(ORDO_TUNABLE_ROW)};

/* The queue and each thread's buffers; what does not fit is in bins, whose capacity doubles, and of which the old copy
 * exists while one grows. */
static void memory(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                   ordo_u64 *at_most)
{
    const ordo_u64 fixed = ordo_broker_bytes(BROKER_PLACES(tunable[BROKER_RING], n), entry) +
                           (ordo_u64)threads * (ordo_u64)(tunable[BROKER_BATCH] + tunable[BROKER_STAGE]) * entry;
    *expected = fixed + n * entry;
    *at_most = fixed + 6 * (n + m) * entry;
}

/* Predicted times, rounded from docs/lab/0044-broker-queue-on-a-cpu.md and, for a GPU, 0049-broker-queue-on-a-gpu.md,
 * and estimated where these have no figure: items come in the order of a breadth-first search, which repeats work where
 * edges have weights, and does not pull. */
static void suit(const ordo_situation *s, ordo_sync sync, ordo_fit *out)
{
    static const double weights_cpu[ORDO_GRAPH_KINDS] = {2.5, 2.5, 1.6}, weights_gpu[ORDO_GRAPH_KINDS] = {16, 8, 2.2};
    static const double levels_cpu[ORDO_GRAPH_KINDS] = {1.2, 1.5, 4}, levels_gpu[ORDO_GRAPH_KINDS] = {13, 3, 2.2};
    const ordo_operator *op = s->op;
    (void)sync;
    if (op->kind == ORDO_KIND_GATHER)
        *out = ordo_residual_fit();
    else if (op->kind == ORDO_KIND_CRITICAL)
        *out = (ordo_fit){1.5, "locks, items through one queue"};
    else if (!op->activates || !s->has_rows)
        *out = (ordo_fit){1.3, "one queue for all threads, for nothing is activated"};
    else if (op->properties & ORDO_UNIFORM)
        *out = (ordo_fit){(s->on_gpu ? levels_gpu : levels_cpu)[s->graph_kind], "one queue for all threads"};
    else if (!s->on_gpu && op->weight == ORDO_NONE)
        *out = (ordo_fit){1.3, "one queue for all threads"};
    else
        *out = (ordo_fit){(s->on_gpu ? weights_gpu : weights_cpu)[s->graph_kind],
                          "one queue for all threads, without priorities"};
}

extern const ordo_scheduler ordo_scheduler_broker;
const ordo_scheduler ordo_scheduler_broker = {
    .interface = ORDO_SCHEDULER_INTERFACE,
    .name = "broker",
    .summary = "items in FIFO order through one queue for all threads, asynchronous",
    .paper = "Kerbl et al., ICS 2018; the thesis of Çavuşoğlu",
    .pairings = pairings,
    ORDO_TUNABLES(tunables, BROKER_ROWS, BROKER_ROWS),
    .growing = 1u << ORDO_ON_CPU,
    .distributed = 1u << ORDO_ON_CUDA | ORDO_NEEDS_MAPPED,
    .memory = memory,
    .suit = suit,
};
