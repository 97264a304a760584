/* mpi.c -- the ranks of a distributed run over MPI: libordo-mpi.so, loaded by framework/run/distributed.c.
 *
 * Method. In an exchange each rank sends every other one a letter: the words that ranks agree on, how many entries each
 * of its threads has for the receiver, and the entries themselves where they are few. So a superstep of few messages
 * costs one message a pair. More entries go point to point from the senders' bins to one stretch of the receiver's
 * memory, without being packed; the sender does not wait for the letter that announces them to arrive. Letters of two
 * exchanges are not mixed up, since MPI keeps the order of messages between two ranks. All calls are made by one thread
 * at a time (MPI_THREAD_SERIALIZED).
 *
 * Waiting. MPI's own calls that wait keep a core busy, also where the rank that they wait for needs it. All waiting is
 * in one place, which asks MPI for a while, and then gives the core away between two questions.
 *
 * Errors of MPI end the job, which is MPI's default: after one nothing is known of the other ranks.
 *
 * Not done: overlap with work; several communicators; messages of 2^31 entries and more from one thread to one rank.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <mpi.h>
#include <sched.h>
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
static ordo_u64 *letter_out, *letter_in; /* [ranks * letter words] */
static MPI_Request *request;             /* [2 * ranks * (parts + 1)] */
static int parts_made;
static MPI_Datatype entry_type = MPI_DATATYPE_NULL;
static size_t entry_bytes;

/* FEW: bytes of entries that a letter takes, so that it fits what MPI sends without asking the receiver. */
enum { AGREED = 5, TAG = 1, FEW = 2048, QUESTIONS = 2000, YIELDS = 100 };

/* Waits until all requests are done: asks for some hundred microseconds, which is what an exchange takes where all
 * ranks run; then another thread may have the core; then it sleeps between two questions, so that what it waits for is
 * not kept from running. */
static void wait_for(int count, MPI_Request *requests)
{
    const struct timespec moment = {0, 20000};
    int done = 0;
    for (int asked = 0; MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE), !done; asked++)
        if (asked > QUESTIONS + YIELDS)
            nanosleep(&moment, NULL);
        else if (asked > QUESTIONS)
            sched_yield();
}

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
    ordo_free(letter_out);
    ordo_free(letter_in);
    ordo_free(request);
    letter_out = letter_in = NULL;
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

static size_t letter_words(int parts)
{
    return (size_t)(AGREED + parts) + FEW / sizeof(ordo_u64);
}

static ordo_status make_letters(int parts)
{
    if (parts_made >= parts)
        return ORDO_OK;
    ordo_free(letter_out);
    ordo_free(letter_in);
    ordo_free(request);
    const size_t count = (size_t)ranks * letter_words(parts);
    letter_out = ordo_alloc(count, sizeof *letter_out);
    letter_in = ordo_alloc(count, sizeof *letter_in);
    request = ordo_alloc(2 * (size_t)ranks * (size_t)(parts + 1), sizeof *request);
    parts_made = letter_out && letter_in && request ? parts : 0;
    return parts_made ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* The entries that a letter announces. */
static ordo_u64 announced(const ordo_u64 *letter, int parts)
{
    ordo_u64 sum = 0;
    for (int i = 0; i < parts; i++)
        sum += letter[AGREED + i];
    return sum;
}

/* Writes the letter to a rank; returns its bytes. */
static int write_letter(ordo_u64 *letter, const ordo_parcel *parcel, int parts, size_t entry, const ordo_agreed *agreed)
{
    letter[0] = agreed->work;
    letter[1] = agreed->lowest;
    letter[2] = agreed->ended;
    letter[3] = agreed->edges;
    letter[4] = agreed->most;
    for (int i = 0; i < parts; i++)
        letter[AGREED + i] = parcel[i].count;
    char *end = (char *)(letter + AGREED + parts);
    if (announced(letter, parts) * entry <= FEW)
        for (int i = 0; i < parts; i++) {
            if (parcel[i].count)
                memcpy(end, parcel[i].data, parcel[i].count * entry);
            end += parcel[i].count * entry;
        }
    return (int)(end - (char *)letter);
}

/* Sends all letters, and what they only announce; *more requests are under way when all letters have come. */
static void send_all(const ordo_parcel *parcel, int parts, size_t entry, const ordo_agreed *agreed, int *more)
{
    const size_t words = letter_words(parts);
    MPI_Request *coming = request, *going = request + ranks - 1;
    int sent = 0;
    for (int k = 1; k < ranks; k++) { /* every rank begins with another one */
        const int from = (rank + ranks - k) % ranks;
        MPI_Irecv(letter_in + (size_t)from * words, (int)(words * sizeof(ordo_u64)), MPI_BYTE, from, TAG, all,
                  coming++);
    }
    for (int k = 1; k < ranks; k++) {
        const int to = (rank + k) % ranks;
        ordo_u64 *letter = letter_out + (size_t)to * words;
        const ordo_parcel *p = &parcel[to * parts];
        const int bytes = write_letter(letter, p, parts, entry, agreed);
        MPI_Isend(letter, bytes, MPI_BYTE, to, TAG, all, &going[sent++]);
        for (int i = 0; i < parts && announced(letter, parts) * entry > FEW; i++)
            if (p[i].count)
                MPI_Isend(p[i].data, (int)p[i].count, entry_type, to, TAG + 1 + i, all, &going[sent++]);
    }
    wait_for(ranks - 1, request);
    *more = sent;
}

static void combine(int parts, ordo_agreed *agreed)
{
    for (int from = 0; from < ranks; from++) {
        const ordo_u64 *b = letter_in + (size_t)from * letter_words(parts);
        if (from == rank)
            continue;
        agreed->work += b[0];
        agreed->lowest = b[1] < agreed->lowest ? b[1] : agreed->lowest;
        agreed->ended = b[2] > agreed->ended ? b[2] : agreed->ended;
        agreed->edges += b[3];
        agreed->most = b[4] > agreed->most ? b[4] : agreed->most;
    }
}

static ordo_status exchange(const ordo_parcel *parcel, int parts, size_t entry, ordo_agreed *agreed, ordo_room_fn *room,
                            void *arg)
{
    int more;
    ordo_status status = make_letters(parts);
    if (status)
        return status;
    use_type(entry);
    send_all(parcel, parts, entry, agreed, &more);
    combine(parts, agreed);
    const size_t words = letter_words(parts);
    ordo_u64 coming = 0;
    for (int from = 0; from < ranks; from++)
        coming += from == rank ? 0 : announced(letter_in + (size_t)from * words, parts);
    char *to = room(arg, coming);
    if (coming && !to)
        return ORDO_ERR_MEMORY;
    MPI_Request *next = request + ranks - 1;
    for (int k = 1; k < ranks; k++) {
        const int from = (rank + ranks - k) % ranks;
        const ordo_u64 *letter = letter_in + (size_t)from * words, count = announced(letter, parts);
        if (count && count * entry <= FEW)
            memcpy(to, letter + AGREED + parts, count * entry);
        char *at = to;
        for (int i = 0; i < parts && count * entry > FEW; i++) {
            if (letter[AGREED + i])
                MPI_Irecv(at, (int)letter[AGREED + i], entry_type, from, TAG + 1 + i, all, &next[more++]);
            at += letter[AGREED + i] * entry;
        }
        to += count * entry;
    }
    wait_for(more, next);
    return ORDO_OK;
}

static ordo_status collect(const ordo_u64 *words, int count, ordo_u64 *out)
{
    MPI_Request done;
    MPI_Iallgather(words, count, MPI_UINT64_T, out, count, MPI_UINT64_T, all, &done);
    wait_for(1, &done);
    return ORDO_OK;
}

static ordo_status gather(void *array, const ordo_u64 *at, size_t unit)
{
    for (int r = 0; r < ranks; r++) { /* a broadcast each: counts of MPI_Allgatherv are int, and so are its places */
        char *from = (char *)array + at[r] * unit;
        const ordo_u64 most = (ordo_u64)1 << 30;
        for (ordo_u64 bytes = (at[r + 1] - at[r]) * unit; bytes;) {
            const ordo_u64 now = bytes < most ? bytes : most;
            MPI_Request done;
            MPI_Ibcast(from, (int)now, MPI_BYTE, r, all, &done);
            wait_for(1, &done);
            from += now;
            bytes -= now;
        }
    }
    return ORDO_OK;
}

static ordo_status unite(ordo_u64 *words, ordo_u64 count)
{
    const ordo_u64 most = (ordo_u64)1 << 30; /* counts are int */
    for (ordo_u64 at = 0; at < count; at += most) {
        MPI_Request done;
        MPI_Iallreduce(MPI_IN_PLACE, words + at, (int)(count - at < most ? count - at : most), MPI_UINT64_T, MPI_BOR,
                       all, &done);
        wait_for(1, &done);
    }
    return ORDO_OK;
}

extern const ordo_transport ordo_mpi_transport;
__attribute__((visibility("default"))) const ordo_transport ordo_mpi_transport = {
    ORDO_TRANSPORT_ABI, "mpi", join, leave, end_job, fail, exchange, collect, gather, unite};
