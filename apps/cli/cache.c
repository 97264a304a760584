/* cache.c -- see cache.h.
 *
 * What is executed must not come from a folder that another user can write to. So such a folder is refused, and not
 * made private: what it holds may have been placed there before.
 *
 * Not done: removing old files. The whole folder may be deleted at any time.
 */
#define _DEFAULT_SOURCE /* mkdtemp, lstat */
#include "apps/cli/cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
