#include <ordo/scheduler/scheduler.h>

#include "tunables.h"

static const ordo_pairing pairings[] = {{ORDO_KIND_RELAX, ORDO_SYNC_ATOMIC, ORDO_MONOTONE},
                                        {ORDO_KIND_RELAX, ORDO_SYNC_LOCK, ORDO_MONOTONE},
                                        {ORDO_KIND_CRITICAL, ORDO_SYNC_LOCK, 0},
                                        {ORDO_KIND_GATHER, ORDO_SYNC_ATOMIC, ORDO_RESIDUAL},
                                        {0, ORDO_SYNC_DEFAULT, 0}};

static const ordo_tunable tunables[] = {NEAR_FAR_TUNABLES(ORDO_TUNABLE_ROW) NEAR_FAR_CONSTANTS(ORDO_TUNABLE_ROW)};

/* Four bins for each thread, whose capacity doubles. */
static void memory(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                   ordo_u64 *at_most)
{
    (void)tunable;
    *expected = 2 * n * entry + (ordo_u64)threads * 4 * 64 * entry;
    *at_most = 4 * (n + m) * entry + (ordo_u64)threads * 4 * 64 * entry;
}

/* Predicted times, rounded from the tables of docs/results.md and docs/lab, and estimated where they have no figure. On
 * a GPU a round shares all edges of a pile alike, so it is fastest where rows are long: random graphs of 8 M edges,
 * sssp on an H200, take 1.59 ms with 128 edges a vertex (inbox 1.85), and 1.57 with 1024 (inbox 2.67, delta 19). */
static void suit(const ordo_situation *s, ordo_sync sync, ordo_fit *out)
{
    static const double weights_cpu[ORDO_GRAPH_KINDS] = {1.05, 1.3, 1.6}, weights_gpu[ORDO_GRAPH_KINDS] = {5.8, 2.4, 2};
    static const double levels_cpu[ORDO_GRAPH_KINDS] = {1.05, 1.4, 4};
    const ordo_operator *op = s->op;
    (void)sync;
    if (op->kind == ORDO_KIND_GATHER)
        *out = ordo_residual_fit();
    else if (op->kind == ORDO_KIND_CRITICAL)
        *out = (ordo_fit){1.4, "locks, items through a pile"};
    else if (!op->activates || !s->has_rows)
        *out = (ordo_fit){1.1, "one pile, for nothing is activated"};
    else if (!s->on_gpu && op->properties & ORDO_UNIFORM)
        *out = (ordo_fit){levels_cpu[s->graph_kind] + ordo_levels_cost(s), "two piles by level"};
    else if (!s->on_gpu && op->weight == ORDO_NONE)
        *out = (ordo_fit){1.1, "two piles, where no order gains anything"};
    else if (s->on_gpu && ordo_even_long_rows(s))
        *out = (ordo_fit){1, "two piles, and rows shared by edges"};
    else
        *out = (ordo_fit){(s->on_gpu ? weights_gpu : weights_cpu)[s->graph_kind], "two piles at a moving threshold"};
}

extern const ordo_scheduler ordo_scheduler_near_far;
const ordo_scheduler ordo_scheduler_near_far = {
    .interface = ORDO_SCHEDULER_INTERFACE,
    .name = "near_far",
    .summary = "two piles split at a moving threshold, supersteps inside",
    .paper = "Davidson, Baxter, Garland and Owens, IPDPS 2014",
    .pairings = pairings,
    ORDO_TUNABLES(tunables, NEAR_FAR_TUNABLE_COUNT, NEAR_FAR_ROWS),
    .distributed = 1u << ORDO_ON_CPU | 1u << ORDO_ON_CUDA,
    .growing = 1u << ORDO_ON_CPU,
    .memory = memory,
    .suit = suit,
};
