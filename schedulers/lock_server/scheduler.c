#include <ordo/scheduler/scheduler.h>

#include "locks.h"
#include "tunables.h"

static const ordo_pairing pairings[] = {{ORDO_KIND_RELAX, ORDO_SYNC_SERVER, ORDO_MONOTONE},
                                        {ORDO_KIND_CRITICAL, ORDO_SYNC_SERVER, ORDO_TWO_TARGETS},
                                        {ORDO_KIND_GATHER, ORDO_SYNC_SERVER, ORDO_RESIDUAL},
                                        {0, ORDO_SYNC_DEFAULT, 0}};

static const ordo_tunable tunables[] = {SERVER_TUNABLES(ORDO_TUNABLE_ROW) SERVER_CONSTANTS(ORDO_TUNABLE_ROW)};

/* Rings with their headers, one for each pair of members; a worklist for each member, whose capacity doubles, and of
 * which the old copy exists while it grows. An upper bound: every message counts as a request, and all kinds of rings
 * are counted. */
static void memory(ordo_u64 n, ordo_u64 m, int threads, size_t entry, const double *tunable, ordo_u64 *expected,
                   ordo_u64 *at_most)
{
    ordo_u64 t = (ordo_u64)threads, ring = (ordo_u64)tunable[SERVER_RING],
             flight = server_flight(tunable[SERVER_FLIGHT]);
    ordo_u64 places = t * (ring > t ? ring : t), words = t * (flight > t ? flight : t);
    ordo_u64 fixed = 5 * t * t * sizeof(server_ring) + 3 * places * sizeof(ordo_request) +
                     SERVER_CHANNELS * words * sizeof(server_word) +
                     t * ((ordo_u64)tunable[SERVER_LOCKS] * sizeof(server_lock) + 4 * flight * sizeof(server_place) +
                          (ordo_u64)tunable[SERVER_CHUNK] * entry);
    if ((int)tunable[SERVER_PARTITION] == 2) /* parts, and the graph for METIS; not what METIS allocates */
        fixed += n * (2 * sizeof(ordo_u32) + 2 * sizeof(ordo_u64)) + 2 * m * sizeof(ordo_u64);
    *expected = 2 * n * entry + fixed;
    *at_most = 6 * (n + m) * entry + fixed;
}

/* Up to how many targets servers are faster than locks (docs/lab/0005-critical-sections-on-a-cpu.md and
 * docs/lab/0006-critical-sections-on-a-gpu.md). On a GPU, if no critical section needs two targets at once: up to
 * SERVED_ON_GPU hot targets, beyond which locks are rarely contended, or if servers can keep the words of all targets,
 * SERVED_SHARED_BYTES bytes, the capacity of an H100's shared memory. Critical sections that need two targets at once:
 * if one server has them all, up to ISOLATED_ON_GPU. On a CPU: up to SERVED_A_THREAD for each thread, none with two
 * targets; with one thread there is no contention. */
enum { SERVED_ON_GPU = 1 << 19, SERVED_SHARED_BYTES = 1 << 24, ISOLATED_ON_GPU = 256, SERVED_A_THREAD = 32 };

static bool beats_locks(const ordo_situation *s)
{
    const double one = s->on_gpu ? SERVED_ON_GPU : s->threads > 1 ? (double)SERVED_A_THREAD * s->threads : 0;
    const double two = s->on_gpu ? ISOLATED_ON_GPU : 0;
    const bool fit = s->on_gpu && s->owned_bytes > 0 && s->owned_bytes <= SERVED_SHARED_BYTES;
    return s->hot_targets > 0 && (fit || s->hot_targets <= (s->op->apart ? one : two));
}

/* Predicted times. Relax operators gain nothing from servers: a message costs more than a compare-and-swap. */
static void suit(const ordo_situation *s, ordo_sync sync, ordo_fit *out)
{
    (void)sync;
    if (s->op->kind == ORDO_KIND_GATHER)
        *out = ordo_residual_fit();
    else if (s->op->kind == ORDO_KIND_RELAX)
        *out = (ordo_fit){!s->op->activates                  ? 3
                          : s->graph_kind == ORDO_GRAPH_DEEP ? 8
                                                             : 2.5,
                          "a message for every update"};
    else if (beats_locks(s))
        *out = (ordo_fit){0.5, "servers, for locks would be contended"};
    else
        *out = (ordo_fit){2, s->hot_targets > 0 ? "servers, where locks are rarely contended"
                                                : "servers, where nothing is known of the targets"};
}

extern const ordo_scheduler ordo_scheduler_lock_server;
const ordo_scheduler ordo_scheduler_lock_server = {
    .interface = ORDO_SCHEDULER_INTERFACE,
    .name = "lock_server",
    .summary = "items in FIFO order, every update sent to the server that owns its target",
    .paper = "Wang, Fussell and Lin, ASPLOS 2019; Wang's thesis, chapter 4",
    .pairings = pairings,
    ORDO_TUNABLES(tunables, SERVER_TUNABLE_COUNT, SERVER_ROWS),
    .growing = 1u << ORDO_ON_CPU,
    .memory = memory,
    .suit = suit,
};
