/* mpi.c -- the ranks of a distributed run over MPI: libordo-mpi.so, loaded by framework/run/distributed.c.
 *
 * Method. In an exchange each rank sends every other one a letter: the words that ranks agree on, how many entries each
 * of its threads has for the receiver, and the entries themselves where they are few. So a superstep of few messages
 * costs one message a pair. Between ranks of one host letters go through memory that both see, and take more entries
 * (host.h). Entries that a letter has no place for go point to point from the senders' bins to one stretch of the
 * receiver's memory, without being packed; the sender does not wait for the letter that announces them to arrive.
 * Letters of two exchanges are not mixed up, since MPI keeps the order of messages between two ranks. All calls are
 * made by one thread at a time (MPI_THREAD_SERIALIZED).
 *
 * Waiting. MPI's own calls that wait keep a core busy, also where the rank that they wait for needs it. All waiting is
 * in one place, which looks for a while, offers the core to others now and then, and in the end sleeps between two
 * looks.
 *
 * Errors of MPI end the job, which is MPI's default: after one nothing is known of the other ranks.
 *
 * Not done: overlap with work; several communicators; messages of 2^31 entries and more from one thread to one rank.
 */
#define _GNU_SOURCE /* dl_iterate_phdr, nanosleep, syscall */
#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <ordo/detail/cpu/base.h>
#include <ordo/detail/transport.h>
#include <ordo/memory.h>

#include "host.h"

static int rank, ranks;
static MPI_Comm all;     /* not shared with other users of MPI in the process */
static MPI_Comm failing; /* of fail() alone: its barrier must not meet the collective calls of ranks that go on */
static bool mine;        /* MPI was initialised here */
static double init_time; /* MPI_Wtime() when MPI_Init had returned */

/* Of an exchange; kept from one to the next. */
static ordo_u64 *letter_out, *letter_in; /* [ranks * letter words] */
static MPI_Request *request;             /* [2 * ranks * (parts + 1)] */
static int parts_made;
static MPI_Datatype entry_type = MPI_DATATYPE_NULL;
static size_t entry_bytes;

/* FEW: bytes of entries that a letter takes to a rank of another host, so that it fits what MPI sends without asking
 * the receiver. */
enum { AGREED = 5, TAG = 1, FEW = 2048 };

/* What an exchange waits for. */
typedef struct awaited {
    MPI_Request *request; /* [requests] */
    int requests;
    bool letters; /* of all ranks of this host */
    int next;     /* the first rank whose letter has not been seen */
} awaited;

/* Whether all of it has come. */
static bool has_come(awaited *a)
{
    int done = 1;
    if (a->requests)
        MPI_Testall(a->requests, a->request, &done, MPI_STATUSES_IGNORE);
    if (done)
        a->requests = 0;
    while (a->letters && a->next < ranks && (!host_has(a->next) || host_read(a->next)))
        a->next++;
    return done && (!a->letters || a->next == ranks);
}

/* Polls. An exchange takes some microseconds where all ranks run, so after as long the rank calls sched_yield between
 * polls, and after some milliseconds it sleeps between them: on fewer cores than ranks the rank that it waits for needs
 * the core. */
static void wait_for(awaited *a)
{
    enum { LOOKS = 256, QUESTIONS = 16, OFFERS = 400 };
    const struct timespec moment = {0, 20000};
    for (int looked = 0, offered = 0; !has_come(a);) {
        ordo_pause();
        if (++looked < (a->requests ? QUESTIONS : LOOKS)) /* asking MPI takes longer */
            continue;
        looked = 0;
        if (offered++ < OFFERS)
            sched_yield();
        else
            nanosleep(&moment, NULL);
    }
}

static void wait_for_requests(int count, MPI_Request *requests)
{
    wait_for(&(awaited){.request = requests, .requests = count});
}

/* The files of loaded libraries. */
typedef struct library_names {
    char **name; /* [count], allocated, each one, too */
    size_t count;
} library_names;

static int note_library(struct dl_phdr_info *library, size_t bytes, void *arg)
{
    library_names *const loaded = arg;
    (void)bytes;
    if (!library->dlpi_name[0])
        return 0; /* the program */
    char **const longer = realloc(loaded->name, (loaded->count + 1) * sizeof *longer);
    if (!longer)
        return 1;
    loaded->name = longer;
    longer[loaded->count] = strdup(library->dlpi_name);
    return longer[loaded->count] ? (loaded->count++, 0) : 1;
}

/* Marks all libraries that are loaded now as never to be unloaded. In MPI_Finalize Open MPI 4.1 unloads its components
 * and the libraries that they use, among them PMIx, which has a thread. One job of some thousands ended with a jump to
 * an address at which nothing was mapped, as a call into an unloaded library does; so their code stays. Where memory is
 * short some are not marked. They are opened behind the search, since that holds a lock of the loader. */
static void keep_libraries(void)
{
    library_names loaded = {NULL, 0};
    dl_iterate_phdr(note_library, &loaded);
    for (size_t i = 0; i < loaded.count; i++) {
        dlopen(loaded.name[i], RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        free(loaded.name[i]);
    }
    free(loaded.name);
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
    init_time = MPI_Wtime();
    if (mine)
        keep_libraries();
    if (level < MPI_THREAD_FUNNELED)
        return ordo_fail(ORDO_ERR_DEVICE, "ranks: MPI was initialised without threads, expected MPI_THREAD_FUNNELED");
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Comm_dup(MPI_COMM_WORLD, &failing);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &ranks);
    host_join(all);
    *my_rank = rank;
    *count = ranks;
    return ORDO_OK;
}

/* Whether a thread of the process other than this one runs, waits for a core, or waits for a page or a disk, as far as
 * Linux tells. */
static bool others_are_busy(void)
{
    const long self = syscall(SYS_gettid);
    DIR *const tasks = opendir("/proc/self/task");
    bool any = false;
    for (const struct dirent *task; tasks && !any && (task = readdir(tasks));) {
        char path[64], text[128] = "";
        const long id = strtol(task->d_name, NULL, 10);
        snprintf(path, sizeof path, "/proc/self/task/%ld/stat", id);
        FILE *const file = id && id != self ? fopen(path, "r") : NULL;
        if (!file)
            continue;
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        const char *const name_end = strrchr(text, ')'); /* "id (name) state ..." */
        any = name_end && name_end[1] && (name_end[2] == 'R' || name_end[2] == 'D');
    }
    if (tasks)
        closedir(tasks);
    return any;
}

/* Waits before MPI_Finalize until MPI's own threads have nothing to do.
 *
 * Problem. MPI_Init of Open MPI 4.1 posts an event, the programming model, that two threads of its own handle one after
 * the other. If the last handler has not run when MPI_Finalize frees its data, the process gets a signal or hangs. That
 * was seen in some jobs of some thousand, on a busy machine; with the handler delayed by 0.3 s it always happens (labs
 * 0086, 0088).
 *
 * Method. A thread that has an event to handle is runnable, even if it waits for a core; a thread without one sleeps.
 * The function returns when it has found all other threads asleep IN_A_ROW times, a millisecond apart. Once is not
 * enough: it reads the states one after the other, and an event may pass from a thread that it has yet to read to one
 * that it has read. It returns after `most` in any case, since other threads of the program may be busy, and at once if
 * MPI_Init returned long ago. All times are in seconds. */
static void wait_for_mpi_threads(void)
{
    enum { IN_A_ROW = 10 };
    const double most = 2, long_ago = 4;
    const struct timespec millisecond = {0, 1000000};
    const double first = MPI_Wtime();
    double now = first;
    for (int asleep = 0; asleep < IN_A_ROW && now - init_time < long_ago && now - first < most;) {
        nanosleep(&millisecond, NULL);
        asleep = others_are_busy() ? 0 : asleep + 1;
        now = MPI_Wtime();
    }
}

static void leave(void)
{
    host_leave();
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
    if (mine) {
        wait_for_mpi_threads();
        MPI_Finalize();
    }
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

/* Bytes of entries that a letter between this rank and another one takes. */
static size_t few_of(int other, int parts)
{
    return host_has(other) ? host_room() - (size_t)(AGREED + parts) * sizeof(ordo_u64) : FEW;
}

/* The letter of a rank in this exchange, which has come. */
static const ordo_u64 *letter_from(int from, int parts)
{
    return host_has(from) ? host_read(from) : letter_in + (size_t)from * letter_words(parts);
}

/* Writes the letter to a rank; returns its bytes. */
static int write_letter(int to, ordo_u64 *letter, const ordo_parcel *parcel, int parts, size_t entry,
                        const ordo_agreed *agreed)
{
    letter[0] = agreed->work;
    letter[1] = agreed->lowest;
    letter[2] = agreed->ended;
    letter[3] = agreed->edges;
    letter[4] = agreed->most;
    for (int i = 0; i < parts; i++)
        letter[AGREED + i] = parcel[i].count;
    char *end = (char *)(letter + AGREED + parts);
    if (announced(letter, parts) * entry <= few_of(to, parts))
        for (int i = 0; i < parts; i++) {
            if (parcel[i].count)
                memcpy(end, parcel[i].data, parcel[i].count * entry);
            end += parcel[i].count * entry;
        }
    return (int)(end - (char *)letter);
}

/* Sends all letters, and what they only announce, and waits for those of the others. Returns the number of requests
 * that are under way then, behind those for letters. */
static int send_all(const ordo_parcel *parcel, int parts, size_t entry, const ordo_agreed *agreed)
{
    const size_t words = letter_words(parts);
    MPI_Request *going = request + ranks - 1;
    int coming = 0, sent = 0;
    for (int k = 1; k < ranks; k++) { /* every rank begins with another one */
        const int from = (rank + ranks - k) % ranks;
        if (!host_has(from))
            MPI_Irecv(letter_in + (size_t)from * words, (int)(words * sizeof(ordo_u64)), MPI_BYTE, from, TAG, all,
                      &request[coming++]);
    }
    for (int k = 1; k < ranks; k++) {
        const int to = (rank + k) % ranks;
        const bool near = host_has(to);
        ordo_u64 *letter = near ? host_letter(to) : letter_out + (size_t)to * words;
        const ordo_parcel *p = &parcel[to * parts];
        const int bytes = write_letter(to, letter, p, parts, entry, agreed);
        const bool whole = announced(letter, parts) * entry <= few_of(to, parts);
        if (near)
            host_show(to);
        else
            MPI_Isend(letter, bytes, MPI_BYTE, to, TAG, all, &going[sent++]);
        for (int i = 0; i < parts && !whole; i++)
            if (p[i].count)
                MPI_Isend(p[i].data, (int)p[i].count, entry_type, to, TAG + 1 + i, all, &going[sent++]);
    }
    wait_for(&(awaited){.request = request, .requests = coming, .letters = true});
    return sent;
}

static void combine(int parts, ordo_agreed *agreed)
{
    for (int from = 0; from < ranks; from++) {
        if (from == rank)
            continue;
        const ordo_u64 *b = letter_from(from, parts);
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
    ordo_status status = make_letters(parts);
    if (status)
        return status;
    use_type(entry);
    int more = send_all(parcel, parts, entry, agreed);
    combine(parts, agreed);
    ordo_u64 coming = 0;
    for (int from = 0; from < ranks; from++)
        coming += from == rank ? 0 : announced(letter_from(from, parts), parts);
    char *to = room(arg, coming);
    if (coming && !to)
        return ORDO_ERR_MEMORY;
    MPI_Request *next = request + ranks - 1;
    for (int k = 1; k < ranks; k++) {
        const int from = (rank + ranks - k) % ranks;
        const ordo_u64 *letter = letter_from(from, parts), count = announced(letter, parts);
        const bool whole = count * entry <= few_of(from, parts);
        if (count && whole)
            memcpy(to, letter + AGREED + parts, count * entry);
        char *at = to;
        for (int i = 0; i < parts && !whole; i++) {
            if (letter[AGREED + i])
                MPI_Irecv(at, (int)letter[AGREED + i], entry_type, from, TAG + 1 + i, all, &next[more++]);
            at += letter[AGREED + i] * entry;
        }
        to += count * entry;
    }
    wait_for_requests(more, next);
    host_next();
    return ORDO_OK;
}

static ordo_status collect(const ordo_u64 *words, int count, ordo_u64 *out)
{
    MPI_Request done;
    MPI_Iallgather(words, count, MPI_UINT64_T, out, count, MPI_UINT64_T, all, &done);
    wait_for_requests(1, &done);
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
            wait_for_requests(1, &done);
            from += now;
            bytes -= now;
        }
    }
    return ORDO_OK;
}

/* Moves bytes to one rank and from another at the same time, in pieces, for counts are int. */
static void trade(const char *out, int to, ordo_u64 sending, char *in, int from, ordo_u64 coming)
{
    const ordo_u64 most = (ordo_u64)1 << 30;
    while (sending || coming) {
        const ordo_u64 send = sending < most ? sending : most, take = coming < most ? coming : most;
        MPI_Request going[2];
        int count = 0;
        if (take)
            MPI_Irecv(in, (int)take, MPI_BYTE, from, TAG, all, &going[count++]);
        if (send)
            MPI_Isend(out, (int)send, MPI_BYTE, to, TAG, all, &going[count++]);
        wait_for_requests(count, going);
        out += send;
        in += take;
        sending -= send;
        coming -= take;
    }
}

static ordo_status all_to_all(const ordo_parcel *out, const ordo_room *in, size_t unit)
{
    if (out[rank].count)
        memcpy(in[rank].data, out[rank].data, out[rank].count * unit);
    for (int k = 1; k < ranks; k++) {
        const int to = (rank + k) % ranks, from = (rank + ranks - k) % ranks;
        trade(out[to].data, to, out[to].count * unit, in[from].data, from, in[from].count * unit);
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
        wait_for_requests(1, &done);
    }
    return ORDO_OK;
}

extern const ordo_transport ordo_mpi_transport;
__attribute__((visibility("default"))) const ordo_transport ordo_mpi_transport = {
    ORDO_TRANSPORT_ABI, "mpi", join, leave, end_job, fail, exchange, collect, gather, all_to_all, unite, host_share};
