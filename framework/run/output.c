/* output.c -- a file that is complete or not there.
 *
 * Problem: a failure must leave no partial file, and the old file as it was. In a folder that other users can write to,
 * a link that one of them has placed must not redirect the output.
 *
 * Method: the data go to TARGET.tmp.RANDOM beside the target, with 64 random bits, opened with O_CREAT | O_EXCL |
 * O_NOFOLLOW. rename() at the end replaces a link and does not follow it. The files that are being written are in a
 * list of fixed size, which a signal handler can traverse; a file is listed before it is created, so a signal at any
 * moment leaves none behind.
 *
 * Not done: fsync (a file written just before a power failure may be empty); O_TMPFILE, which would leave no name after
 * SIGKILL, but which not every file system supports; links among the folders of the path, which the caller must trust.
 */
#define _GNU_SOURCE /* O_NOFOLLOW, realpath */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ordo/memory.h>

enum { SLOTS = 8, LONGEST = 4096 };
enum { FREE, TAKEN, LISTED };

/* A file that a signal handler removes or, where `whole` is not negative, truncates to that length and keeps. `used` is
 * written last and cleared first. */
static struct slot {
    int used;        /* atomic */
    int fd;          /* atomic */
    long long whole; /* atomic */
    char beside[LONGEST], target[LONGEST];
} slots[SLOTS];
static int interrupted; /* atomic */

void ordo_interrupt(void)
{
    __atomic_store_n(&interrupted, 1, __ATOMIC_RELAXED);
}

bool ordo_interrupted(void)
{
    return __atomic_load_n(&interrupted, __ATOMIC_RELAXED);
}

/* Calls only what a signal handler may call. */
void ordo_output_end_all(void)
{
    for (struct slot *s = slots; s < slots + SLOTS; s++) {
        if (__atomic_load_n(&s->used, __ATOMIC_ACQUIRE) != LISTED)
            continue;
        const int fd = __atomic_load_n(&s->fd, __ATOMIC_RELAXED);
        const long long whole = __atomic_load_n(&s->whole, __ATOMIC_RELAXED);
        if (whole < 0 || ftruncate(fd, whole) != 0 || rename(s->beside, s->target) != 0)
            unlink(s->beside);
    }
}

/* Adds the temporary file to the list; returns its slot, or -1 where the list is full. */
static int list(const ordo_output *o)
{
    if (strlen(o->beside) >= LONGEST || strlen(o->target) >= LONGEST)
        return -1;
    for (int i = 0; i < SLOTS; i++) {
        int is = FREE;
        if (!__atomic_compare_exchange_n(&slots[i].used, &is, TAKEN, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        strcpy(slots[i].beside, o->beside);
        strcpy(slots[i].target, o->target);
        __atomic_store_n(&slots[i].fd, -1, __ATOMIC_RELAXED);
        __atomic_store_n(&slots[i].whole, -1, __ATOMIC_RELAXED);
        __atomic_store_n(&slots[i].used, LISTED, __ATOMIC_RELEASE);
        return i;
    }
    return -1;
}

static void unlist(ordo_output *o)
{
    if (o->slot >= 0)
        __atomic_store_n(&slots[o->slot].used, FREE, __ATOMIC_RELEASE);
    o->slot = -1;
}

void ordo_output_whole(const ordo_output *o)
{
    if (o->slot >= 0)
        __atomic_store_n(&slots[o->slot].whole, (long long)lseek(o->fd, 0, SEEK_CUR), __ATOMIC_RELAXED);
}

ordo_status ordo_output_error(const char *path, int error)
{
    return ordo_fail(error == ENOMEM ? ORDO_ERR_MEMORY : ORDO_ERR_IO, "%s: cannot write: %s", path, strerror(error));
}

static void forget(ordo_output *o)
{
    ordo_free(o->target);
    ordo_free(o->beside);
    o->target = o->beside = NULL;
}

static ordo_status open_in_place(ordo_output *o, int flags)
{
    struct stat opened;
    o->fd = open(o->path, O_WRONLY | O_CLOEXEC | flags);
    if (o->fd < 0)
        return ordo_output_error(o->path, errno);
    if (fstat(o->fd, &opened) == 0 && !S_ISREG(opened.st_mode))
        return ORDO_OK;
    close(o->fd); /* a file took the place of the device in the meantime */
    o->fd = -1;
    return ordo_output_error(o->path, EEXIST);
}

/* An owned copy of the path, or of the path that a link resolves to. */
static char *target_of(const char *path, bool through_link)
{
    char *real = through_link ? realpath(path, NULL) : NULL;
    const char *name = real ? real : path;
    char *copy = ordo_alloc(strlen(name) + 1, 1);
    if (copy)
        strcpy(copy, name);
    free(real);
    return copy;
}

/* Creates the temporary file. Its name has at most 200 bytes of the target's name. Returns 0 or an errno. */
static int open_beside(ordo_output *o)
{
    enum { TRIES = 16, KEPT = 200, ADDED = 32 };
    const char *slash = strrchr(o->target, '/');
    size_t folder = slash ? (size_t)(slash - o->target) + 1 : 0;
    size_t kept = folder + strnlen(o->target + folder, KEPT);
    o->beside = ordo_alloc(kept + ADDED, 1);
    if (!o->beside)
        return ENOMEM;
    memcpy(o->beside, o->target, kept);
    for (int i = 0; i < TRIES; i++) {
        unsigned long long random;
        if (getrandom(&random, sizeof random, 0) != sizeof random)
            return errno;
        snprintf(o->beside + kept, ADDED, ".tmp.%016llx", random);
        o->slot = list(o);
        o->fd = open(o->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        const int error = errno;
        if (o->fd >= 0 && o->slot >= 0)
            __atomic_store_n(&slots[o->slot].fd, o->fd, __ATOMIC_RELAXED);
        if (o->fd >= 0)
            return 0;
        unlist(o);
        if (error != EEXIST)
            return error;
    }
    return EEXIST;
}

ordo_status ordo_output_open(const char *path, ordo_output *out)
{
    *out = (ordo_output){.fd = -1, .path = path, .slot = -1};
    struct stat link, file;
    bool is_link = lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
    bool follow = is_link && (link.st_uid == geteuid() || link.st_uid == 0);
    bool there = (follow || !is_link) && stat(path, &file) == 0;
    if (there && S_ISDIR(file.st_mode))
        return ordo_output_error(path, EISDIR);
    if (there && !S_ISREG(file.st_mode))
        return open_in_place(out, follow ? 0 : O_NOFOLLOW);
    out->target = target_of(path, follow && there);
    if (!out->target)
        return ORDO_ERR_MEMORY;
    int error = open_beside(out);
    if (!error && there && fchmod(out->fd, file.st_mode & 0777) != 0) {
        error = errno;
        ordo_output_close(out, false, 0);
    }
    if (!error)
        return ORDO_OK;
    forget(out);
    return ordo_output_error(path, error);
}

ordo_status ordo_output_close(ordo_output *o, bool keep, int error)
{
    if (o->fd >= 0 && close(o->fd) != 0 && !error)
        error = errno;
    o->fd = -1;
    if (o->beside) {
        if (keep && !error && rename(o->beside, o->target) != 0)
            error = errno;
        if (!keep || error)
            unlink(o->beside);
        unlist(o);
        forget(o);
    }
    return keep && error ? ordo_output_error(o->path, error) : ORDO_OK;
}
