/* cache.h -- the user's folder of files that the command keeps and can make again: $ORDO_CACHE, else
 * $XDG_CACHE_HOME/ordo, else ~/.cache/ordo. */
#ifndef ORDO_CLI_CACHE_H
#define ORDO_CLI_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include <ordo/error.h>

/* Writes the path of a file or folder there to out[size]. False where there is no such folder, or the path is too long.
 * Creates nothing. */
bool cache_path(const char *name, char *out, size_t size);
/* Creates the folders of a path, of mode 0700. A failure shows when the file is opened. `path` is changed meanwhile. */
void cache_make_folders(char *path);

/* A folder for files that are executed. */
typedef struct cache_folder {
    char path[1024];
    bool kept; /* false: a temporary one, since none can be kept; the caller removes it */
} cache_folder;
/* Finds or makes the folder of that name, which belongs to the user and is closed to others. Errors: ORDO_ERR_IO if
 * it is open to others, or if no folder can be made. */
ordo_status cache_private_folder(const char *name, cache_folder *out);
/* Marks a file there as used now. */
void cache_used(const char *path);
/* Removes the files of such a folder that were not used for longest, until all have no more than $ORDO_CACHE_SIZE MiB
 * together (256). Those of the last ten minutes stay, since another process may be making or loading them. Processes
 * may do this at the same time. */
void cache_prune(const cache_folder *folder);

#endif
