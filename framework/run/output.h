/* output.h -- a file that is complete or not there: written to a temporary file beside the target, then renamed.
 *
 * The temporary file has an unpredictable name and is created exclusively (O_EXCL | O_NOFOLLOW), so that no link of
 * another user is ever followed. It gets the permissions of the file that it replaces, if there is one. A target that
 * is a link is followed if the link belongs to the user of the process or to root; another user's link is replaced like
 * a file. Devices and pipes are written in place. A signal handler that ends the process can clean up all files that
 * are being written. For the writers of graphs and for the command; not installed.
 */
#ifndef ORDO_RUN_OUTPUT_H
#define ORDO_RUN_OUTPUT_H

#include <stdbool.h>

#include <ordo/error.h>

ORDO_BEGIN_DECLS

typedef struct ordo_output {
    int fd;           /* to write to; -1: none. A caller that closes it (fclose of a stream over it) sets it to -1 */
    const char *path; /* as given, the caller's, must outlive this; for messages */
    char *target;     /* what is replaced at the end, and the file beside it; both NULL: written in place */
    char *beside;
    int slot; /* in the list of files that a signal handler ends; -1: in none */
} ordo_output;

/* Errors: ORDO_ERR_IO "PATH: cannot write: REASON", ORDO_ERR_MEMORY. */
ORDO_API ordo_status ordo_output_open(const char *path, ordo_output *out);
/* Closes the file. With `keep` and no error it replaces the target; otherwise it is removed, and an old target stays.
 * `error`: errno of the first write that failed, or 0. Returns ORDO_ERR_IO where `keep` was not possible. A second call
 * does nothing. */
ORDO_API ordo_status ordo_output_close(ordo_output *o, bool keep, int error);
/* Fails with the message of an errno, as ORDO_ERR_IO (ENOMEM: ORDO_ERR_MEMORY). */
ORDO_API ordo_status ordo_output_error(const char *path, int error);

/* Marks what is written so far as complete: a signal that ends the process truncates the file to it, and renames it. */
ORDO_API void ordo_output_whole(const ordo_output *o);
/* For a signal handler that ends the process: removes all files that are being written, except for complete parts. */
ORDO_API void ordo_output_end_all(void);
/* For a signal handler: writers of graphs stop soon, with ORDO_ERR_IO, and this process writes no graph any more. */
ORDO_API void ordo_interrupt(void);
bool ordo_interrupted(void);

ORDO_END_DECLS

#endif
