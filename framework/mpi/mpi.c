/* mpi.c -- the ranks of a distributed run over MPI: libordo-mpi.so, loaded by framework/run/distributed.c.
 *
 * Method. One exchange is two steps. MPI_Alltoall carries a block for each rank: the words that ranks agree on, and how
 * many entries each thread of the sender has for the receiver. Then both sides know every message, and messages go
 * point to point from the senders' bins to one stretch of the receiver's memory, without being packed. All calls are
 * made by one thread at a time (MPI_THREAD_SERIALIZED).
 *
 * Errors of MPI end the job, which is MPI's default: after one nothing is known of the other ranks.
 *
 * Not done: overlap with work; several communicators; messages of 2^31 entries and more from one thread to one rank.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ordo/detail/transport.h>
#include <ordo/memory.h>

static int rank, ranks;
static MPI_Comm all;     /* not shared with other users of MPI in the process */
static MPI_Comm failing; /* of fail() alone: its barrier must not meet the collective calls of ranks that go on */
static bool mine;        /* MPI was initialised here */

/* Of an exchange; kept from one to the next. */
static ordo_u64 *block_out, *block_in; /* [ranks * (AGREED + parts)] */
static MPI_Request *request;           /* [2 * ranks * parts] */
static int parts_made;
static MPI_Datatype entry_type = MPI_DATATYPE_NULL;
static size_t entry_bytes;

enum { AGREED = 4, TAG = 1 };

static ordo_status join(int *my_rank, int *count)
{
    int started = 0, level = MPI_THREAD_SINGLE;
    MPI_Initialized(&started);
    if (started)
        MPI_Query_thread(&level);
    else if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS)
        return ordo_fail(ORDO_ERR_DEVICE, "ranks: MPI does not start");
    mine = !started;
    if (level < MPI_THREAD_FUNNELED)
        return ordo_fail(ORDO_ERR_DEVICE, "ranks: MPI was initialised without threads, expected MPI_THREAD_FUNNELED");
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Comm_dup(MPI_COMM_WORLD, &failing);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &ranks);
    *my_rank = rank;
    *count = ranks;
    return ORDO_OK;
}

static void leave(void)
{
    ordo_free(block_out);
    ordo_free(block_in);
    ordo_free(request);
    block_out = block_in = NULL;
    request = NULL;
    parts_made = 0;
    if (entry_type != MPI_DATATYPE_NULL)
        MPI_Type_free(&entry_type);
    MPI_Comm_free(&all);
    MPI_Comm_free(&failing);
    if (mine)
        MPI_Finalize();
}

static void end_job(int status)
{
    MPI_Abort(all, status);
    exit(status); /* not reached */
}

static bool fail(double seconds)
{
    const struct timespec moment = {0, 1000000};
    const double end = MPI_Wtime() + seconds;
    MPI_Request barrier;
    int every = 0;
    MPI_Ibarrier(failing, &barrier);
    for (;;) {
        MPI_Test(&barrier, &every, MPI_STATUS_IGNORE);
        if (every || MPI_Wtime() > end)
            return every;
        nanosleep(&moment, NULL);
    }
}

static void use_type(size_t bytes)
{
    if (entry_bytes == bytes && entry_type != MPI_DATATYPE_NULL)
        return;
    if (entry_type != MPI_DATATYPE_NULL)
        MPI_Type_free(&entry_type);
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &entry_type);
    MPI_Type_commit(&entry_type);
    entry_bytes = bytes;
}

static ordo_status make_blocks(int parts)
{
    if (parts_made >= parts)
        return ORDO_OK;
    ordo_free(block_out);
    ordo_free(block_in);
    ordo_free(request);
    const size_t count = (size_t)ranks * (size_t)(AGREED + parts);
    block_out = ordo_alloc(count, sizeof *block_out);
    block_in = ordo_alloc(count, sizeof *block_in);
    request = ordo_alloc(2 * (size_t)ranks * (size_t)parts, sizeof *request);
    parts_made = block_out && block_in && request ? parts : 0;
    return parts_made ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* Sends every rank the words and how much comes, receives the same, and combines the words. */
static void tell_all(const ordo_parcel *parcel, int parts, ordo_agreed *agreed)
{
    const int block = AGREED + parts;
    for (int to = 0; to < ranks; to++) {
        ordo_u64 *b = block_out + (size_t)to * (size_t)block;
        b[0] = agreed->work;
        b[1] = agreed->lowest;
        b[2] = agreed->ended;
        b[3] = agreed->edges;
        for (int i = 0; i < parts; i++)
            b[AGREED + i] = parcel[to * parts + i].count;
    }
    MPI_Alltoall(block_out, block, MPI_UINT64_T, block_in, block, MPI_UINT64_T, all);
    *agreed = (ordo_agreed){.lowest = ~(ordo_u64)0};
    for (int from = 0; from < ranks; from++) {
        const ordo_u64 *b = block_in + (size_t)from * (size_t)block;
        agreed->work += b[0];
        agreed->lowest = b[1] < agreed->lowest ? b[1] : agreed->lowest;
        agreed->ended = b[2] > agreed->ended ? b[2] : agreed->ended;
        agreed->edges += b[3];
    }
}

static ordo_status exchange(const ordo_parcel *parcel, int parts, size_t entry, ordo_agreed *agreed, ordo_room_fn *room,
                            void *arg)
{
    ordo_status status = make_blocks(parts);
    if (status)
        return status;
    tell_all(parcel, parts, agreed);
    const int block = AGREED + parts;
    ordo_u64 coming = 0;
    for (int from = 0; from < ranks; from++)
        for (int i = 0; i < parts && from != rank; i++)
            coming += block_in[from * block + AGREED + i];
    char *to = room(arg, coming);
    if (coming && !to)
        return ORDO_ERR_MEMORY;
    use_type(entry);
    int requests = 0;
    for (int k = 1; k < ranks; k++) { /* every rank begins with another one */
        const int from = (rank + ranks - k) % ranks;
        for (int i = 0; i < parts; i++) {
            const ordo_u64 count = block_in[from * block + AGREED + i];
            if (count)
                MPI_Irecv(to, (int)count, entry_type, from, TAG + i, all, &request[requests++]);
            to += count * entry;
        }
    }
    for (int k = 1; k < ranks; k++) {
        const int into = (rank + k) % ranks;
        for (int i = 0; i < parts; i++) {
            const ordo_parcel *p = &parcel[into * parts + i];
            if (p->count)
                MPI_Isend(p->data, (int)p->count, entry_type, into, TAG + i, all, &request[requests++]);
        }
    }
    MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
    return ORDO_OK;
}

static ordo_status collect(const ordo_u64 *words, int count, ordo_u64 *out)
{
    MPI_Allgather(words, count, MPI_UINT64_T, out, count, MPI_UINT64_T, all);
    return ORDO_OK;
}

static ordo_status gather(void *array, const ordo_u64 *at, size_t unit)
{
    for (int r = 0; r < ranks; r++) { /* a broadcast each: counts of MPI_Allgatherv are int, and so are its places */
        char *from = (char *)array + at[r] * unit;
        const ordo_u64 most = (ordo_u64)1 << 30;
        for (ordo_u64 bytes = (at[r + 1] - at[r]) * unit; bytes;) {
            const ordo_u64 now = bytes < most ? bytes : most;
            MPI_Bcast(from, (int)now, MPI_BYTE, r, all);
            from += now;
            bytes -= now;
        }
    }
    return ORDO_OK;
}

static ordo_status unite(ordo_u64 *words, ordo_u64 count)
{
    const ordo_u64 most = (ordo_u64)1 << 30; /* counts are int */
    for (ordo_u64 at = 0; at < count; at += most)
        MPI_Allreduce(MPI_IN_PLACE, words + at, (int)(count - at < most ? count - at : most), MPI_UINT64_T, MPI_BOR,
                      all);
    return ORDO_OK;
}

extern const ordo_transport ordo_mpi_transport;
__attribute__((visibility("default"))) const ordo_transport ordo_mpi_transport = {
    ORDO_TRANSPORT_ABI, "mpi", join, leave, end_job, fail, exchange, collect, gather, unite};
