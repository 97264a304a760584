/* local_ranks.c -- what ranks of one host say to each other on their hosts' side, where no message-passing library has
 * started them.
 *
 * Problem. Ranks with a GPU each exchange messages by their GPUs. Their processes must besides compare what they are
 * about to run, learn each other's counts, put the answer together, and agree that all of them fail.
 *
 * Method. All have the same file, which has no name; the process that has started them has made it. Its first pages are
 * mapped: counters of arrivals, and two sets of words for each rank. A call is a barrier on the first counter, behind
 * which the words of all are there. Arrays pass through the rest of the file; that is one of the same for all calls, so
 * they take a second barrier, behind which it may be overwritten.
 *
 * Why two sets of words are enough. Calls take turns with them. A rank writes its words of call k + 2 only behind the
 * barrier of call k + 1, at which all ranks have arrived; each has read the words of call k before.
 *
 * Memory order. An arrival is an addition with release, and waiting for it is an acquiring load, so what a rank has
 * written before it arrives is seen by those that have waited for it, and what it has read before it arrives is not
 * what they write behind it.
 *
 * A rank that has died never arrives. The process that has started the ranks ends the others then.
 */
#define _GNU_SOURCE /* ftruncate, pread */
#include "local_ranks.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <ordo/scheduler/team.h>

#include "clock.h"

enum { MOST_RANKS = 16, MOST_WORDS = 24, PAGE = 8192 };

typedef struct page {
    ordo_u64 arrived; /* at barriers, by all ranks, since the beginning */
    ordo_u64 failing; /* ranks that have called fail() */
    ordo_u64 word[2][MOST_RANKS][MOST_WORDS];
} page;

static_assert(sizeof(page) <= PAGE, "arrays begin behind the page");

static page *shared;
static int file, rank, ranks, cores;
static ordo_u64 barriers, calls; /* that this rank has passed, and calls of collect() that it has made */

static int number(const char *name)
{
    const char *text = getenv(name);
    return text ? atoi(text) : -1;
}

bool ordo_local_ranks_launched(void)
{
    return number("ORDO_RANK") >= 0 && number("ORDO_RANKS") > 0 && number("ORDO_RANKS_FILE") >= 0;
}

static void pause_for(long nanoseconds)
{
    const struct timespec moment = {0, nanoseconds};
    nanosleep(&moment, NULL);
}

/* Seconds for which a rank that has a core asks without sleeping: ranks are some microseconds apart as a rule, and the
 * shortest sleep takes more than 50. */
static const double EAGER = 2e-4;
enum { ASKS = 1000 /* of a rank that may have none */ };

static bool have_arrived(ordo_u64 count)
{
    return __atomic_load_n(&shared->arrived, __ATOMIC_ACQUIRE) >= count;
}

static void barrier(void)
{
    const ordo_u64 all = ++barriers * (ordo_u64)ranks;
    const double until = ordo_seconds() + EAGER;
    __atomic_fetch_add(&shared->arrived, 1, __ATOMIC_RELEASE);
    for (int i = 0; !have_arrived(all) && (i < ASKS || (ranks <= cores && ordo_seconds() < until)); i++)
        ;
    for (int i = 0; !have_arrived(all); i++)
        pause_for(i > 20000 ? 1000000 : 10000);
}

static ordo_status join(int *my_rank, int *count)
{
    *my_rank = rank = number("ORDO_RANK");
    *count = ranks = number("ORDO_RANKS");
    file = number("ORDO_RANKS_FILE");
    cores = ordo_cores();
    if (ranks > MOST_RANKS || rank >= ranks)
        return ordo_fail(ORDO_ERR_USAGE, "ranks: found rank %d of %d, expected %d ranks at most", rank, ranks,
                         (int)MOST_RANKS);
    if (ftruncate(file, PAGE)) /* the same in all ranks */
        return ordo_fail(ORDO_ERR_DEVICE, "ranks: the file that ranks share: %s", strerror(errno));
    void *map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map == MAP_FAILED)
        return ordo_fail(ORDO_ERR_DEVICE, "ranks: the file that ranks share: %s", strerror(errno));
    shared = map;
    return ORDO_OK;
}

static void leave(void)
{
    munmap(shared, PAGE);
    close(file);
}

static void end_job(int status)
{
    _exit(status); /* the process that has started the ranks ends the others */
}

static bool fail(double seconds)
{
    __atomic_fetch_add(&shared->failing, 1, __ATOMIC_RELEASE);
    for (double left = seconds; __atomic_load_n(&shared->failing, __ATOMIC_ACQUIRE) < (ordo_u64)ranks; left -= 1e-3) {
        if (left < 0)
            return false;
        pause_for(1000000);
    }
    return true;
}

static ordo_status collect(const ordo_u64 *mine, int count, ordo_u64 *all)
{
    const size_t bytes = (size_t)count * sizeof *mine;
    if (count > MOST_WORDS)
        return ordo_fail(ORDO_ERR_INTERNAL, "ranks: %d words, expected %d at most", count, (int)MOST_WORDS);
    ordo_u64(*const set)[MOST_WORDS] = shared->word[calls++ & 1];
    memcpy(set[rank], mine, bytes);
    barrier();
    for (int r = 0; r < ranks; r++)
        memcpy(all + r * count, set[r], bytes);
    return ORDO_OK;
}

static ordo_status no_memory(void)
{
    return ordo_fail(ORDO_ERR_MEMORY, "ranks: no memory for an array that passes between ranks");
}

/* Moves bytes of the file at `at` to or from memory. */
static ordo_status move(char *memory, ordo_u64 at, ordo_u64 bytes, bool out)
{
    while (bytes) {
        const size_t now = bytes < 1u << 30 ? bytes : 1u << 30;
        const ssize_t moved =
            out ? pwrite(file, memory, now, (off_t)(PAGE + at)) : pread(file, memory, now, (off_t)(PAGE + at));
        if (moved <= 0)
            return no_memory();
        memory += moved;
        at += (ordo_u64)moved;
        bytes -= (ordo_u64)moved;
    }
    return ORDO_OK;
}

static ordo_status write_file(const void *memory, ordo_u64 at, ordo_u64 bytes)
{
    return move((char *)(size_t)memory, at, bytes, true); /* which does not change it */
}

static ordo_status read_file(void *memory, ordo_u64 at, ordo_u64 bytes)
{
    return move(memory, at, bytes, false);
}

/* Waits until all ranks have written. Where one could not, that is the error of all. */
static bool all_written(ordo_status *status)
{
    const ordo_u64 failed = *status != ORDO_OK;
    ordo_u64 words[MOST_RANKS];
    collect(&failed, 1, words);
    for (int r = 0; r < ranks && !*status; r++)
        *status = words[r] ? no_memory() : ORDO_OK;
    return !*status;
}

static ordo_status gather(void *all, const ordo_u64 *at, size_t unit)
{
    char *const bytes = all;
    ordo_status status = write_file(bytes + at[rank] * unit, at[rank] * unit, (at[rank + 1] - at[rank]) * unit);
    if (all_written(&status))
        for (int r = 0; r < ranks && !status; r++)
            if (r != rank)
                status = read_file(bytes + at[r] * unit, at[r] * unit, (at[r + 1] - at[r]) * unit);
    barrier(); /* all have read */
    return status;
}

/* The file has what rank 0 sends, then what rank 1 sends, and so on; of each what goes to rank 0 first. */
static ordo_status all_to_all(const ordo_parcel *out, const ordo_room *in, size_t unit)
{
    ordo_u64 mine[MOST_RANKS], count[MOST_RANKS * MOST_RANKS], at = 0, before = 0;
    ordo_status status = ORDO_OK;
    for (int r = 0; r < ranks; r++)
        mine[r] = out[r].count;
    collect(mine, ranks, count);
    for (int i = 0; i < rank * ranks; i++)
        before += count[i];
    for (int r = 0; r < ranks && !status; r++) {
        status = write_file(out[r].data, before * unit, out[r].count * unit);
        before += out[r].count;
    }
    if (all_written(&status))
        for (int i = 0; i < ranks * ranks; i++) {
            const ordo_room *place = &in[i / ranks];
            if (i % ranks == rank && !status)
                status = read_file(place->data, at * unit, place->count * unit);
            at += count[i];
        }
    barrier(); /* all have read */
    return status;
}

const ordo_transport ordo_local_transport = {
    ORDO_TRANSPORT_ABI, "local", join, leave, end_job, fail, NULL, collect, gather, all_to_all, NULL, NULL};
