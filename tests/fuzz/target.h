/* target.h -- shared by the libFuzzer targets: assertions, and inputs as files. */
#ifndef TESTS_FUZZ_TARGET_H
#define TESTS_FUZZ_TARGET_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ordo/error.h>

/* Ends the target where the condition does not hold; libFuzzer then keeps the input. */
static inline void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: %s; last error: %s\n", what, ordo_last_error());
    abort();
}

/* Makes a file in memory with these bytes. Returns its path, which is valid until the next call; *fd is to be closed.
 */
static inline const char *file_in_memory(const ordo_u8 *data, size_t size, int *fd)
{
    static char path[64];
    *fd = memfd_create("fuzz", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", *fd);
    must(*fd >= 0 && write(*fd, data, size) == (ssize_t)size, "no file in memory");
    return path;
}

#endif
