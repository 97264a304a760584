/* cache.c -- see cache.h.
 *
 * What is executed must not come from a folder that another user can write to. So such a folder is refused, and not
 * made private: what it holds may have been placed there before.
 *
 * A file's time of modification is when it was used last. A removed file that is loaded stays loaded: only its name
 * goes.
 *
 * The whole folder may be deleted at any time.
 */
#define _DEFAULT_SOURCE /* mkdtemp, lstat, st_mtim */
#include "apps/cli/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <ordo/types.h>

bool cache_path(const char *name, char *out, size_t size)
{
    const char *own = getenv("ORDO_CACHE"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int used = own && *own       ? snprintf(out, size, "%s/%s", own, name)
               : cache && *cache ? snprintf(out, size, "%s/ordo/%s", cache, name)
               : home && *home   ? snprintf(out, size, "%s/.cache/ordo/%s", home, name)
                                 : -1;
    return used > 0 && (size_t)used < size;
}

void cache_make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700); /* where it fails, opening the file does, too */
        *slash = '/';
    }
}

ordo_status cache_private_folder(const char *name, cache_folder *out)
{
    struct stat found;
    out->kept = cache_path(name, out->path, sizeof out->path);
    if (out->kept) {
        cache_make_folders(out->path);
        out->kept = (mkdir(out->path, 0700) == 0 || errno == EEXIST) && access(out->path, W_OK | X_OK) == 0;
    }
    if (out->kept) {
        if (lstat(out->path, &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != geteuid() ||
            (found.st_mode & 077) != 0)
            return ordo_fail(ORDO_ERR_IO, "%.800s: programs are kept there, expected a folder of yours with mode 0700",
                             out->path);
        return ORDO_OK;
    }
    const char *temporary = getenv("TMPDIR");
    snprintf(out->path, sizeof out->path, "%.900s/ordo-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(out->path))
        return ordo_fail(ORDO_ERR_IO, "%.800s: no folder for a compiled operator: %s", out->path, strerror(errno));
    return ORDO_OK;
}

/* ---- pruning ---- */

enum { CACHE_MIB = 256, RECENT = 600 /* seconds */ };

typedef struct kept_file {
    char name[256];
    struct timespec used;
    ordo_u64 bytes;
} kept_file;

void cache_used(const char *path)
{
    utimensat(AT_FDCWD, path, NULL, 0); /* where it fails the file only looks older */
}

/* The longest unused first. */
static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const kept_file *)a)->used, *y = &((const kept_file *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Lists the regular files of a folder that were not used recently; *bytes is the size of all. NULL where there is no
 * memory. */
static kept_file *list_files(DIR *folder, size_t *count, ordo_u64 *bytes)
{
    size_t capacity = 64;
    kept_file *list = malloc(capacity * sizeof *list);
    struct stat found;
    const time_t now = time(NULL);
    *count = 0;
    *bytes = 0;
    for (const struct dirent *at; list && (at = readdir(folder)) != NULL;) {
        if (fstatat(dirfd(folder), at->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(found.st_mode))
            continue;
        *bytes += (ordo_u64)found.st_size;
        if (found.st_mtim.tv_sec + RECENT > now)
            continue;
        if (*count == capacity) {
            kept_file *more = realloc(list, 2 * capacity * sizeof *list);
            if (!more) {
                free(list);
                return NULL;
            }
            list = more;
            capacity *= 2;
        }
        kept_file *file = &list[(*count)++];
        snprintf(file->name, sizeof file->name, "%s", at->d_name);
        file->used = found.st_mtim;
        file->bytes = (ordo_u64)found.st_size;
    }
    return list;
}

/* $ORDO_CACHE_SIZE, in bytes. */
static ordo_u64 most_bytes(void)
{
    const char *own = getenv("ORDO_CACHE_SIZE");
    char *end = NULL;
    const unsigned long long mib = own && *own >= '0' && *own <= '9' ? strtoull(own, &end, 10) : CACHE_MIB;
    return (ordo_u64)(!end || (*end == 0 && mib < 1ull << 40) ? mib : CACHE_MIB) << 20;
}

void cache_prune(const cache_folder *folder)
{
    const ordo_u64 most = most_bytes();
    ordo_u64 bytes;
    size_t count;
    DIR *open = opendir(folder->path);
    kept_file *list = open ? list_files(open, &count, &bytes) : NULL;
    if (list && bytes > most) {
        qsort(list, count, sizeof *list, by_use);
        for (size_t i = 0; i < count && bytes > most; i++)
            if (unlinkat(dirfd(open), list[i].name, 0) == 0 || errno == ENOENT) /* another process was first */
                bytes -= list[i].bytes;
    }
    free(list);
    if (open)
        closedir(open);
}
