/* host.c -- see host.h. */
#define _DEFAULT_SOURCE /* madvise */
#include "host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <ordo/memory.h>
#include <ordo/types.h>

/* Bytes. A rank's segment has about SEGMENT, of which only what letters fill takes memory; containers have often no
 * more than 64 MiB of it for all. The least slot holds what ORDO_MAX_THREADS threads announce. */
enum { LINE = 64, SEGMENT = 1 << 20, LEAST_SLOT = 16 << 10, MOST_SLOT = 256 << 10 };

/* What a rank has for a letter to another one: a line with the number of the last complete letter, and two slots. */
typedef struct box {
    ordo_u32 shown; /* atomic */
    char padding[LINE - sizeof(ordo_u32)];
    char slots[];
} box;

static MPI_Comm here = MPI_COMM_NULL; /* the ranks of this host */
static MPI_Win window = MPI_WIN_NULL;
static int ranks;
static size_t slot;
static ordo_u32 number;  /* of the letters of this exchange */
static box **to, **from; /* [ranks] of all ranks; NULL: not on this host */

static bool one_host;                 /* all ranks have slots for each other */
static MPI_Win shared = MPI_WIN_NULL; /* of host_share */
static void *shared_memory;
static size_t shared_bytes;

static size_t box_bytes(void)
{
    return sizeof(box) + 2 * slot;
}

/* Whether all ranks of the host say so. */
static bool all_here(bool mine)
{
    int said = mine, every = 0;
    MPI_Allreduce(&said, &every, 1, MPI_INT, MPI_LAND, here);
    return every;
}

/* Sets `window` and the segment of this rank, for `others` ranks. Returns whether all have one. */
static bool share(int others, char **segment)
{
    const size_t even = SEGMENT / (2 * (size_t)others) / LINE * LINE;
    slot = even < LEAST_SLOT ? LEAST_SLOT : even > MOST_SLOT ? MOST_SLOT : even;
    MPI_Comm_set_errhandler(here, MPI_ERRORS_RETURN);
    const bool mine = MPI_Win_allocate_shared((MPI_Aint)((size_t)others * box_bytes()), 1, MPI_INFO_NULL, here, segment,
                                              &window) == MPI_SUCCESS;
    int *model = NULL, found = 0;
    if (mine)
        MPI_Win_get_attr(window, MPI_WIN_MODEL, &model, &found);
    return all_here(mine && found && *model == MPI_WIN_UNIFIED);
}

/* Notes the boxes: rank a's segment has one for each other rank of the host, in the order of their numbers there. */
static void find_boxes(int my_number, int count, const int *global, char *segment)
{
    for (int i = 0; i < count; i++) {
        MPI_Aint bytes;
        int unit;
        char *theirs;
        if (i == my_number)
            continue;
        MPI_Win_shared_query(window, i, &bytes, &unit, &theirs);
        to[global[i]] = (box *)(void *)(segment + (size_t)(i - (i > my_number)) * box_bytes());
        from[global[i]] = (box *)(void *)(theirs + (size_t)(my_number - (my_number > i)) * box_bytes());
        to[global[i]]->shown = 0;
    }
}

void host_join(MPI_Comm all)
{
    int rank, my_number, count;
    char *segment;
    const char *const unmapped = getenv("ORDO_UNMAPPED");
    const bool asked = unmapped && strcmp(unmapped, "0") != 0;
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &ranks);
    MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &here);
    MPI_Comm_rank(here, &my_number);
    MPI_Comm_size(here, &count);
    to = ordo_alloc_zero((size_t)ranks, sizeof *to);
    from = ordo_alloc_zero((size_t)ranks, sizeof *from);
    int *const global = ordo_alloc((size_t)count, sizeof *global);
    number = 1;
    if (count > 1 && all_here(to && from && global && !asked) && share(count - 1, &segment)) {
        MPI_Allgather(&rank, 1, MPI_INT, global, 1, MPI_INT, here);
        find_boxes(my_number, count, global, segment);
        MPI_Win_lock_all(MPI_MODE_NOCHECK, window); /* as MPI demands around loads and stores; it orders nothing */
        MPI_Barrier(here);                          /* numbers are 0 before a letter is shown */
        one_host = count == ranks;
    }
    ordo_free(global);
}

static void stop_sharing(void)
{
    if (shared != MPI_WIN_NULL) {
        MPI_Win_unlock_all(shared);
        MPI_Win_free(&shared);
    }
    shared_memory = NULL;
    shared_bytes = 0;
}

/* Advises huge pages for shared memory. A refusal changes nothing; most systems refuse unless told otherwise
 * (`mount -o remount,huge=advise /dev/shm`). */
static void advise(char *memory, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), skip = (page - (size_t)memory % page) % page;
    if (bytes > skip)
        madvise(memory + skip, bytes - skip, MADV_HUGEPAGE);
}

/* Whether so many bytes are at most half of the shared memory that is free. Where a container has little of it, asking
 * MPI for more would have MPI print a warning, or the rank end with a signal. */
static bool fits(size_t bytes)
{
    struct statvfs system;
    return statvfs("/dev/shm", &system) || bytes / system.f_frsize < system.f_bavail / 2;
}

void *host_share(size_t bytes)
{
    int my_number, unit;
    MPI_Aint size;
    void *own;
    if (!one_host || bytes <= shared_bytes)
        return shared_memory;
    stop_sharing();
    if (!all_here(fits(bytes)))
        return NULL;
    MPI_Comm_rank(here, &my_number);
    const MPI_Aint mine = my_number ? 0 : (MPI_Aint)bytes; /* rank 0 of the host has all of it */
    if (!all_here(MPI_Win_allocate_shared(mine, 1, MPI_INFO_NULL, here, &own, &shared) == MPI_SUCCESS)) {
        shared = MPI_WIN_NULL; /* freeing it would take all ranks, of which some have none */
        return NULL;
    }
    MPI_Win_lock_all(MPI_MODE_NOCHECK, shared); /* as MPI demands around loads and stores; it orders nothing */
    MPI_Win_shared_query(shared, 0, &size, &unit, &shared_memory);
    advise(shared_memory, bytes);
    shared_bytes = bytes;
    return shared_memory;
}

void host_leave(void)
{
    stop_sharing();
    bool used = false;
    for (int i = 0; from && i < ranks; i++)
        used |= from[i] != NULL;
    if (used)
        MPI_Win_unlock_all(window);
    if (window != MPI_WIN_NULL)
        MPI_Win_free(&window);
    MPI_Comm_free(&here);
    ordo_free(to);
    ordo_free(from);
    to = from = NULL;
}

bool host_has(int rank)
{
    return from && from[rank];
}

size_t host_room(void)
{
    return slot;
}

void *host_letter(int rank)
{
    return to[rank]->slots + number % 2 * slot;
}

void host_show(int rank)
{
    __atomic_store_n(&to[rank]->shown, number, __ATOMIC_RELEASE);
}

const void *host_read(int rank)
{
    /* a sender is an exchange ahead at most, so its number is this one, or the next one, or the one before */
    const bool come = (ordo_i32)(__atomic_load_n(&from[rank]->shown, __ATOMIC_ACQUIRE) - number) >= 0;
    return come ? from[rank]->slots + number % 2 * slot : NULL;
}

void host_next(void)
{
    number++;
}
