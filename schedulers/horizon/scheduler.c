#include <ordo/scheduler/scheduler.h>

#include "tunables.h"

static const ordo_pairing pairings[] = {{ORDO_KIND_RELAX, ORDO_SYNC_ATOMIC, ORDO_MONOTONE | ORDO_BY_WEIGHT},
                                        {0, ORDO_SYNC_DEFAULT, 0}};

static const ordo_tunable tunables[] = {HORIZON_TUNABLES(ORDO_TUNABLE_ROW) HORIZON_CONSTANTS(ORDO_TUNABLE_ROW)};

/* Bins of each thread, whose capacity doubles: entries of this superstep and of the next, and those that wait for the
 * horizon, which hold two more words each. Rows by weight belong to the graph. */
static void memory(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                   ordo_u64 *at_most)
{
    const ordo_u64 bins = (ordo_u64)threads * 6 * 64 * 3 * entry;
    (void)tunable;
    *expected = 4 * n * entry + bins;
    *at_most = 12 * (n + m) * entry + bins;
}

enum { MOST_ON_GPU = 400000000 }; /* edges: making their rows takes 21 GB of a GPU, which may have too little */

/* The share of delta's time that a run takes where degrees are similar and paths are short, as in random graphs, and
 * weights are summed up; 0 elsewhere. Measured with 12, 16, 32, 64 edges a vertex: on a GPU .58, .8, .56, .34; on a CPU
 * with 16 threads and 8, 16, 32, 64 edges .98, .77 to .92, .57, .32 (lab 0094). */
static double random_graph(const ordo_situation *s, bool sums)
{
    if (!sums || !ordo_even_random(s) || s->mean_degree < 12)
        return 0;
    return s->mean_degree >= 24 ? .55 : s->on_gpu ? .8 : .9;
}

/* Predicted times, from docs/lab/0073-horizon.md: with hubs .27 to .4 of delta's on a CPU where weights are summed up,
 * .7 where they are not. Rows by weight take as long as two of delta's runs on a symmetric graph, as seven on another,
 * whose in-rows are made, too. On a GPU with hubs .25 to .35 of delta's where weights are summed up, .48 and .6 of the
 * best time where they are not. Rows take as long as six runs on a symmetric graph; ten on another are an estimate. */
static void suit(const ordo_situation *s, ordo_sync sync, ordo_fit *out)
{
    const bool sums = s->op->width && s->op->width((double)s->vertices, (double)s->edges) == 0;
    const double rows = s->on_gpu ? (s->symmetric ? 6 : 10) : s->by_weight ? 0 : s->symmetric ? 2 : 7;
    const double hubs = s->on_gpu ? (sums ? .35 : .6) : sums ? .4 : .7;
    const double run = s->graph_kind == ORDO_GRAPH_HUBS ? hubs : random_graph(s, sums);
    (void)sync;
    if (s->op->weight == ORDO_NONE || !s->has_rows)
        *out = (ordo_fit){8, "a horizon, where no order gains anything"};
    else if (run == 0 || (s->on_gpu && s->edges > MOST_ON_GPU))
        *out = (ordo_fit){s->on_gpu ? 3 : 2, "a horizon, where most edges are looked at anyway"};
    else
        *out = (ordo_fit){run + rows / (double)s->runs, "few edges are looked at, which pays for rows by weight"};
}

extern const ordo_scheduler ordo_scheduler_horizon;
const ordo_scheduler ordo_scheduler_horizon = {
    .interface = ORDO_SCHEDULER_INTERFACE,
    .name = "horizon",
    .summary = "pushes edges up to a horizon, in the order of weights, then pulls the rest",
    .paper = "",
    .pairings = pairings,
    ORDO_TUNABLES(tunables, HORIZON_TUNABLE_COUNT, HORIZON_ROWS),
    .memory = memory,
    .suit = suit,
};
