/* input.c -- the bytes of a file, plain or compressed.
 *
 * Problem: readers want one contiguous piece of memory; users have plain files, pipes, and gzip, xz and zstd.
 *
 * Method: a plain regular file is mapped, so its pages are read by the threads that scan them and use no anonymous
 * memory. Pipes are read, and compressed data (recognised by their first bytes, never by the name) decompressed by
 * wrap.c, into a block that doubles.
 *
 * Not done: files that shrink while they are mapped (the process gets SIGBUS; the command handles it); limits of
 * control groups other than the one that /sys/fs/cgroup shows.
 */
#define _DEFAULT_SOURCE /* madvise */
#include "wrap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- memory that is left ---- */

static ordo_u64 number_in(const char *path, const char *after)
{
    ordo_u64 value = UINT64_MAX;
    char text[4096];
    FILE *f = fopen(path, "re");
    if (!f)
        return value;
    size_t size = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[size] = 0;
    const char *at = after ? strstr(text, after) : text;
    unsigned long long number;
    if (at && sscanf(at + (after ? strlen(after) : 0), "%llu", &number) == 1)
        value = number;
    return value;
}

ordo_u64 ordo_memory_available(void)
{
    ordo_u64 kilobytes = number_in("/proc/meminfo", "MemAvailable:");
    ordo_u64 left = kilobytes > UINT64_MAX / 1024 ? UINT64_MAX : kilobytes * 1024;
    ordo_u64 most = number_in("/sys/fs/cgroup/memory.max", NULL); /* "max" is no number: no limit */
    ordo_u64 now = number_in("/sys/fs/cgroup/memory.current", NULL);
    if (most != UINT64_MAX && now != UINT64_MAX) {
        /* `now` includes cached files, which the kernel drops before it refuses memory. */
        ordo_u64 cached = number_in("/sys/fs/cgroup/memory.stat", "\nfile ");
        if (cached != UINT64_MAX)
            now -= cached < now ? cached : now;
        ordo_u64 rest = most > now ? most - now : 0;
        left = rest < left ? rest : left;
    }
    return left;
}

bool ordo_memory_fits(ordo_u64 bytes)
{
    enum { FEW = 1 << 26 };
    return bytes <= FEW || bytes <= ordo_memory_available();
}

/* ---- bytes of a pipe ---- */

static ordo_status read_all(int fd, ordo_block *b)
{
    for (;;) {
        ordo_status status = b->size == b->capacity ? ordo_block_grow(b, (size_t)1 << 16) : ORDO_OK;
        if (status)
            return status;
        ssize_t got = read(fd, b->bytes + b->size, b->capacity - b->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ordo_fail(ORDO_ERR_IO, "%s: %s", b->name, strerror(errno));
        if (got == 0)
            return ORDO_OK;
        b->size += (size_t)got;
    }
}

/* ---- opening ---- */

static ordo_status open_bytes(int fd, ordo_input *in)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return ordo_fail(ORDO_ERR_IO, "%s: %s", in->name, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return ordo_fail(ORDO_ERR_IO, "%s: %s", in->name, strerror(EISDIR));
    if (S_ISREG(st.st_mode) && st.st_size > 0 && fd != STDIN_FILENO) {
        in->mapped_size = (size_t)st.st_size;
        void *mapped = mmap(NULL, in->mapped_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (mapped != MAP_FAILED) {
            madvise(mapped, in->mapped_size, MADV_WILLNEED); /* advice: a refusal changes nothing */
            in->mapped = mapped;
            in->bytes = mapped;
            in->size = in->mapped_size;
            return ORDO_OK;
        }
    }
    ordo_block b = {.name = in->name};
    ordo_status status = read_all(fd, &b);
    in->block = b.bytes;
    in->bytes = b.bytes;
    in->size = b.size;
    return status;
}

static ordo_status unwrap(ordo_input *in)
{
    const ordo_wrapping *w = ordo_wrapping_of(in->bytes, in->size);
    if (!w)
        return ORDO_OK;
    ordo_block b = {.name = in->name};
    ordo_status status = ordo_unwrap(w, in->bytes, in->size, &b);
    const char *name = in->name;
    ordo_input_close(in);
    *in = (ordo_input){.name = name, .block = b.bytes, .bytes = b.bytes, .size = b.size};
    return status;
}

ordo_status ordo_input_open(const char *path, ordo_input *out)
{
    bool standard = strcmp(path, "-") == 0;
    ordo_input in = {.name = standard ? "standard input" : path};
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ordo_fail(ORDO_ERR_IO, "%s: %s", in.name, strerror(errno));
    ordo_status status = open_bytes(fd, &in);
    if (!standard)
        close(fd);
    if (!status && in.size == 0)
        status = ordo_fail(ORDO_ERR_INPUT, "%s: found an empty file, expected a graph", in.name);
    if (!status)
        status = unwrap(&in);
    if (!status && in.size == 0)
        status = ordo_fail(ORDO_ERR_INPUT, "%s: found an empty file once decompressed, expected a graph", in.name);
    if (status)
        ordo_input_close(&in);
    else
        *out = in;
    return status;
}

void ordo_input_passed(const ordo_input *in, const ordo_u8 *begin, const ordo_u8 *end)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t first = ((size_t)begin + page - 1) / page * page, last = (size_t)end / page * page;
    if (in->mapped && first < last)
        madvise((void *)first, last - first, MADV_DONTNEED); /* advice: a refusal costs memory only */
}

void ordo_input_close(ordo_input *in)
{
    if (in->mapped)
        munmap(in->mapped, in->mapped_size);
    ordo_free(in->block);
    *in = (ordo_input){.name = in->name};
}

bool ordo_input_has_suffix(const ordo_input *in, const char *suffix)
{
    size_t length = ordo_unwrapped_length(in->name), tail = strlen(suffix);
    return length >= tail && memcmp(in->name + length - tail, suffix, tail) == 0;
}

#ifndef ORDO_SMALL_INPUT
#define ORDO_SMALL_INPUT (1 << 20) /* vertices that any file may claim; less for fuzzing, which is about speed */
#endif

ordo_status ordo_input_plausible(const ordo_input *in, ordo_u64 line, ordo_u64 n)
{
    enum { SMALL = ORDO_SMALL_INPUT, VERTICES_PER_BYTE = 64 };
    char where[32] = "";
    if (line)
        snprintf(where, sizeof where, ":%llu", (unsigned long long)line);
    if (n > ORDO_MAX_VERTICES)
        return ordo_fail(ORDO_ERR_INPUT, "%s%s: found %llu vertices, expected at most %llu", in->name, where,
                         (unsigned long long)n, (unsigned long long)ORDO_MAX_VERTICES);
    if (n > SMALL && n / VERTICES_PER_BYTE > in->size)
        return ordo_fail(ORDO_ERR_INPUT,
                         "%s%s: found %llu vertices in %zu bytes, expected at most %d a byte: damaged, or numbers with "
                         "gaps that must be closed first",
                         in->name, where, (unsigned long long)n, in->size, VERTICES_PER_BYTE);
    return ORDO_OK;
}
