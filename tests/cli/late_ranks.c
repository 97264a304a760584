/* late_ranks.c -- a transport between ranks that misbehaves on purpose, as far as the contract in
 * <ordo/detail/transport.h> allows: a stand-in for libordo-mpi.so, for ranks_test.py.
 *
 * Method. The calls of framework/mpi/mpi.c with a wait before and behind them, of up to two milliseconds or none, drawn
 * in each rank by itself; entries that have come are shuffled, those of all ranks together.
 *
 * Not done: what the contract rules out, such as entries that come an exchange later.
 */
#define ordo_mpi_transport punctual_transport
#include "framework/mpi/mpi.c"
#undef ordo_mpi_transport

static ordo_u64 state;

static ordo_u64 draw(ordo_u64 below)
{
    state += 0x9e3779b97f4a7c15u + (ordo_u64)rank;
    const ordo_u64 mixed = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
    return (mixed ^ mixed >> 31) % below;
}

static void dawdle(void)
{
    const struct timespec moment = {0, (long)draw(2000000)};
    if (draw(4) == 0)
        nanosleep(&moment, NULL);
}

typedef struct caught {
    ordo_room_fn *room;
    void *arg, *data;
    ordo_u64 count;
} caught;

static void *catch_room(void *arg, ordo_u64 count)
{
    caught *c = arg;
    c->count = count;
    return c->data = c->room(c->arg, count);
}

static ordo_status late_exchange(const ordo_parcel *parcel, int parts, size_t entry, ordo_agreed *agreed,
                                 ordo_room_fn *room, void *arg)
{
    caught c = {.room = room, .arg = arg};
    char one[64];
    dawdle();
    const ordo_status status = exchange(parcel, parts, entry, agreed, catch_room, &c);
    for (ordo_u64 i = status ? 0 : c.count; i > 1; i--) {
        char *a = (char *)c.data + (i - 1) * entry, *b = (char *)c.data + draw(i) * entry;
        memcpy(one, a, entry);
        memmove(a, b, entry);
        memcpy(b, one, entry);
    }
    dawdle();
    return status;
}

static ordo_status late_collect(const ordo_u64 *words, int count, ordo_u64 *out)
{
    dawdle();
    return collect(words, count, out);
}

static ordo_status late_gather(void *array, const ordo_u64 *at, size_t unit)
{
    dawdle();
    return gather(array, at, unit);
}

static ordo_status late_all_to_all(const ordo_parcel *out, const ordo_room *in, size_t unit)
{
    dawdle();
    const ordo_status status = all_to_all(out, in, unit);
    dawdle();
    return status;
}

static ordo_status late_unite(ordo_u64 *words, ordo_u64 count)
{
    dawdle();
    const ordo_status status = unite(words, count);
    dawdle();
    return status;
}

extern const ordo_transport ordo_mpi_transport;
__attribute__((visibility("default"))) const ordo_transport ordo_mpi_transport = {
    ORDO_TRANSPORT_ABI, "late",       join,        leave,           end_job,    fail,
    late_exchange,      late_collect, late_gather, late_all_to_all, late_unite, host_share};
