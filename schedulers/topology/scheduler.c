#include <ordo/scheduler/scheduler.h>

#include "tunables.h"

static const ordo_pairing pairings[] = {
    {ORDO_KIND_RELAX, ORDO_SYNC_RACY, ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_SELECTIVE},
    {ORDO_KIND_RELAX, ORDO_SYNC_ATOMIC, ORDO_IDEMPOTENT},
    {ORDO_KIND_RELAX, ORDO_SYNC_LOCK, ORDO_IDEMPOTENT},
    {ORDO_KIND_RELAX, ORDO_SYNC_RACE, ORDO_IDEMPOTENT | ORDO_SELECTIVE},
    {ORDO_KIND_CRITICAL, ORDO_SYNC_OWNER, ORDO_IDEMPOTENT},
    {ORDO_KIND_CRITICAL, ORDO_SYNC_LOCK, ORDO_IDEMPOTENT},
    {ORDO_KIND_CRITICAL, ORDO_SYNC_RACE, ORDO_IDEMPOTENT},
    {ORDO_KIND_GATHER, ORDO_SYNC_RACY, ORDO_IN_PLACE}, /* a cell has one writer */
    {0, ORDO_SYNC_DEFAULT, 0},
};

static const ordo_tunable tunables[] = {TOPOLOGY_TUNABLES(ORDO_TUNABLE_ROW) TOPOLOGY_CONSTANTS(ORDO_TUNABLE_ROW)};

/* Relax operators have no worklist; requests of critical ones under owner-computes wait in bins. (On a GPU bins for all
 * requests that the items can make are allocated at the start, and a lack of memory is reported there.) */
static void memory(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                   ordo_u64 *at_most)
{
    (void)m;
    (void)entry;
    (void)tunable;
    *expected = (ordo_u64)threads * 256;
    *at_most = (ordo_u64)threads * 256 + 4 * n * sizeof(ordo_request);
}

static ordo_status check(const ordo_operator *op, int item, const double *tunable)
{
    if (op->kind == ORDO_KIND_GATHER)
        return ORDO_OK; /* it pulls anyway */
    return (int)tunable[TOPOLOGY_DIRECTION] == TOPOLOGY_PULL ? ordo_operator_check_pull(op, item, "topology") : ORDO_OK;
}

/* Predicted times, rounded from the tables of docs/results.md and docs/lab, and estimated where they have no figure:
 * every round processes the whole graph, so long paths are the worst case. */
static void suit(const ordo_situation *s, ordo_sync sync, ordo_fit *out)
{
    static const double weights_cpu[ORDO_GRAPH_KINDS] = {100, 4, 3.7}, weights_gpu[ORDO_GRAPH_KINDS] = {100, 12, 7};
    static const double levels[ORDO_GRAPH_KINDS] = {30, 3, 10};
    const ordo_operator *op = s->op;
    if (op->kind == ORDO_KIND_GATHER)
        *out = (ordo_fit){s->on_gpu && s->graph_kind != ORDO_GRAPH_EVEN ? 1.3 : 1, "rounds in place"};
    else if (sync == ORDO_SYNC_RACE)
        *out = (ordo_fit){s->nearly_done ? 4 : 400,
                          "two barriers and more for what a store, an atomic or a lock does at once"};
    else if (op->kind == ORDO_KIND_CRITICAL && sync == ORDO_SYNC_OWNER)
        *out = (ordo_fit){3, "one owner for every target, which waits for memory section by section"};
    else if (op->kind == ORDO_KIND_CRITICAL)
        *out = (ordo_fit){1.2, "locks, every item in every round"};
    else if (!op->activates || !s->has_rows)
        *out = (ordo_fit){1.5, "a second round that finds nothing"};
    else if (op->properties & ORDO_UNIFORM)
        *out = (ordo_fit){levels[s->graph_kind], "every item in every round"};
    else if (!s->on_gpu && s->nearly_done && s->graph_kind != ORDO_GRAPH_HUBS)
        *out = (ordo_fit){0.75, "a round over all edges, without a worklist"};
    else if (!s->on_gpu && op->weight == ORDO_NONE)
        *out = (ordo_fit){1.2, "every item in every round"};
    else if (s->on_gpu && s->graph_kind == ORDO_GRAPH_EVEN && s->mean_degree >= 8)
        *out = (ordo_fit){2.3, "every item in every round"};
    else
        *out = (ordo_fit){(s->on_gpu ? weights_gpu : weights_cpu)[s->graph_kind], "every item in every round"};
}

extern const ordo_scheduler ordo_scheduler_topology;
const ordo_scheduler ordo_scheduler_topology = {
    .interface = ORDO_SCHEDULER_INTERFACE,
    .name = "topology",
    .summary = "every item in every round until nothing changes; no worklist, no atomics",
    .paper = "Nasre, Burtscher and Pingali, GPGPU-6, 2013",
    .pairings = pairings,
    ORDO_TUNABLES(tunables, TOPOLOGY_TUNABLE_COUNT, TOPOLOGY_ROWS),
    .all_items = true,
    .edge_items = 1u << ORDO_ON_CPU | 1u << ORDO_ON_CUDA,
    .distributed = 1u << ORDO_ON_CPU,
    .growing = 1u << ORDO_ON_CPU,
    .memory = memory,
    .check = check,
    .suit = suit,
};
