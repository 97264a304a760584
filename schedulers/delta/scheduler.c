#include <ordo/scheduler/scheduler.h>

#include "tunables.h"

static const ordo_pairing pairings[] = {{ORDO_KIND_RELAX, ORDO_SYNC_ATOMIC, ORDO_MONOTONE},
                                        {ORDO_KIND_RELAX, ORDO_SYNC_LOCK, ORDO_MONOTONE},
                                        {ORDO_KIND_CRITICAL, ORDO_SYNC_LOCK, 0},
                                        {ORDO_KIND_GATHER, ORDO_SYNC_ATOMIC, ORDO_RESIDUAL},
                                        {0, ORDO_SYNC_DEFAULT, 0}};

static const ordo_tunable tunables[] = {DELTA_TUNABLES(ORDO_TUNABLE_ROW) DELTA_CONSTANTS(ORDO_TUNABLE_ROW)};

/* Capacities of bins double, so they are up to two times their contents; while a bin grows, its old copy exists, too.
 */
static void memory(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                   ordo_u64 *at_most)
{
    ordo_u64 bins = (ordo_u64)threads * ((ordo_u64)tunable[DELTA_BUCKETS] + 3);
    *expected = 2 * n * entry + bins * 64 * entry;
    *at_most = 4 * (n + m) * entry + bins * 64 * entry;
}

enum { LARGE = 100000000 }; /* edges of a graph with hubs, on which barriers cost little on a GPU */

/* On a GPU, with weights: the time over that of the fastest scheduler. Against adds, with hubs: 1.25 on 31 million
 * edges, 1.0 on 34, 1.45 on 50, 0.85 on 134; against inbox, where degrees are similar: 1.2 on a mesh of 26 neighbours,
 * 0.6 on other graphs of up to 16 (lab 0072). */
static double weights_on_gpu(const ordo_situation *s)
{
    if (s->graph_kind == ORDO_GRAPH_HUBS)
        return s->edges < LARGE ? 1.2 : 0.85;
    return ordo_even_solid(s, s->op->width && s->op->width((double)s->vertices, (double)s->edges) == 0) ? 1.7 : 1;
}

/* Of levels on a CPU: where a search has many, several share a bucket, and several threads gain by fewer barriers. */
static double levels_on_cpu(const ordo_situation *s)
{
    static const double kinds[ORDO_GRAPH_KINDS] = {1, 1.3, 3};
    return s->levels >= ORDO_LEVELS_LONG && s->threads >= 4 ? 1 : kinds[s->graph_kind];
}

/* Predicted times, rounded from the tables of docs/results.md and docs/lab, and estimated where they have no figure:
 * fast on a CPU wherever weights give an order, on a GPU where paths are long or memory is the limit, since chains stay
 * with a thread or a warp. */
static void suit(const ordo_situation *s, ordo_sync sync, ordo_fit *out)
{
    static const double levels_gpu[ORDO_GRAPH_KINDS] = {1, 1, 1.8};
    const ordo_operator *op = s->op;
    (void)sync;
    if (op->kind == ORDO_KIND_GATHER)
        *out = ordo_residual_fit();
    else if (op->kind == ORDO_KIND_CRITICAL)
        *out = (ordo_fit){1.3, "locks, items through a bucket"};
    else if (!op->activates || !s->has_rows)
        *out = (ordo_fit){1.05, "one bucket, for nothing is activated"};
    else if (op->properties & ORDO_UNIFORM)
        *out = (ordo_fit){s->on_gpu ? levels_gpu[s->graph_kind] : levels_on_cpu(s),
                          "levels as buckets, chains kept local"};
    else if (!s->on_gpu && op->weight == ORDO_NONE)
        *out = (ordo_fit){1.05, "buckets, where no order gains anything"};
    else if (!s->on_gpu)
        *out = (ordo_fit){1, "buckets by priority, chains kept local"};
    else if (ordo_even_long_rows(s))
        *out = (ordo_fit){12, "buckets by priority"};
    else
        *out = (ordo_fit){weights_on_gpu(s), "buckets by priority, chains kept local"};
}

extern const ordo_scheduler ordo_scheduler_delta;
const ordo_scheduler ordo_scheduler_delta = {
    .interface = ORDO_SCHEDULER_INTERFACE,
    .name = "delta",
    .summary = "delta-stepping: thread-local buckets, bucket fusion, local chaining",
    .paper = "Meyer and Sanders, J. Algorithms 49(1), 2003; Zhang et al., CGO 2020 (bucket fusion)",
    .pairings = pairings,
    ORDO_TUNABLES(tunables, DELTA_TUNABLE_COUNT, DELTA_ROWS),
    .distributed = 1u << ORDO_ON_CPU | 1u << ORDO_ON_CUDA,
    .growing = 1u << ORDO_ON_CPU,
    .memory = memory,
    .suit = suit,
};
