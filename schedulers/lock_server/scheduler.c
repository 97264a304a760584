#include <ordo/scheduler.h>

#include "locks.h"
#include "tunables.h"

static const ordo_pairing pairings[] = {{ORDO_KIND_RELAX, ORDO_SYNC_SERVER, ORDO_MONOTONE},
                                        {ORDO_KIND_CRITICAL, ORDO_SYNC_SERVER, 0},
                                        {0, ORDO_SYNC_DEFAULT, 0}};

static const ordo_tunable tunables[] = {SERVER_TUNABLES(ORDO_TUNABLE_ROW)};

/* Rings, one a pair of members, with their headers; a worklist a member, which doubles, and while it grows the old copy
 * is there, too. As if every message were a request, and every ring there. */
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
    if ((int)tunable[SERVER_PARTITION] == 2) /* parts, and what METIS is given; not what it takes itself */
        fixed += n * (2 * sizeof(ordo_u32) + 2 * sizeof(ordo_u64)) + 2 * m * sizeof(ordo_u64);
    *expected = 2 * n * entry + fixed;
    *at_most = 6 * (n + m) * entry + fixed;
}

extern const ordo_scheduler ordo_scheduler_lock_server;
const ordo_scheduler ordo_scheduler_lock_server = {
    .name = "lock_server",
    .summary = "items in FIFO order, every update sent to the server that owns its target",
    .paper = "Wang, Fussell and Lin, ASPLOS 2019; Wang's thesis, chapter 4",
    .pairings = pairings,
    .tunables = tunables,
    .tunable_count = SERVER_TUNABLE_COUNT,
    .memory = memory,
};
