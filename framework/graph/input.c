/* input.c -- the bytes of a file, whatever it is wrapped in.
 *
 * Problem: readers want one contiguous piece of memory; users have plain files, pipes, and gzip, xz and zstd.
 *
 * Method: a plain regular file is mapped, so its pages are read by the threads that scan them and cost no memory of
 * ours. Pipes are read, and compressed bytes (told by their first bytes, never by the name) decompressed, into a block
 * that doubles; it never grows beyond what the system says is available, so that a small hostile file ends in
 * ORDO_ERR_MEMORY and not in the death of the process.
 *
 * Not done: decompression by several threads; files that shrink while they are mapped (the kernel
 * kills for that); limits of control groups other than the one that /sys/fs/cgroup shows.
 */
#define _DEFAULT_SOURCE /* madvise */
#include "graph.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

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
        /* `now` counts cached files, which the kernel gives up before it refuses memory. */
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

/* ---- a block that grows ---- */

typedef struct sink {
    const char *name;
    ordo_u8 *bytes;
    size_t size, room;
} sink;

static ordo_status sink_grow(sink *s, size_t first)
{
    size_t room = s->room ? s->room * 2 : first;
    if (room < s->room || !ordo_memory_fits(room))
        return ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory: it holds more than %zu bytes", s->name, s->size);
    ordo_u8 *bytes = ordo_realloc(s->bytes, room, 1);
    if (!bytes)
        return ORDO_ERR_MEMORY;
    s->bytes = bytes;
    s->room = room;
    return ORDO_OK;
}

static ordo_status read_all(int fd, sink *s)
{
    for (;;) {
        ordo_status status = s->size == s->room ? sink_grow(s, (size_t)1 << 16) : ORDO_OK;
        if (status)
            return status;
        ssize_t got = read(fd, s->bytes + s->size, s->room - s->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ordo_fail(ORDO_ERR_IO, "%s: %s", s->name, strerror(errno));
        if (got == 0)
            return ORDO_OK;
        s->size += (size_t)got;
    }
}

/* ---- decompression ---- */

enum { PIECE = 1 << 30 }; /* zlib counts in 32 bits */

#if defined(HAVE_ZLIB) || defined(HAVE_LZMA) || defined(HAVE_ZSTD)
static ordo_status broken(const char *name, const char *kind, size_t at, bool truncated)
{
    if (truncated)
        return ordo_fail(ORDO_ERR_INPUT, "%s: byte %zu: found the end of the file, expected more %s data", name, at,
                         kind);
    return ordo_fail(ORDO_ERR_INPUT, "%s: byte %zu: found damaged %s data, expected a valid stream", name, at, kind);
}

static size_t first_room(size_t compressed)
{
    return compressed * 4 + 4096;
}
#endif

#ifdef HAVE_ZLIB
static ordo_status undo_gzip(const ordo_u8 *from, size_t size, sink *s)
{
    z_stream z = {0};
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        return ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for gzip", s->name);
    ordo_status status = ORDO_OK;
    size_t at = 0;
    while (!status) {
        if (s->size == s->room && (status = sink_grow(s, first_room(size))) != ORDO_OK)
            break;
        size_t give = size - at < PIECE ? size - at : PIECE, take = s->room - s->size;
        take = take < PIECE ? take : PIECE;
        z.next_in = (Bytef *)(size_t)(from + at);
        z.avail_in = (uInt)give;
        z.next_out = s->bytes + s->size;
        z.avail_out = (uInt)take;
        int code = inflate(&z, Z_NO_FLUSH);
        at += give - z.avail_in;
        s->size += take - z.avail_out;
        if (code == Z_STREAM_END) {
            while (at < size && from[at] == 0) /* padding, as tapes and some tools leave it */
                at++;
            if (at == size)
                break;
            inflateReset(&z); /* one more member */
        } else if (code == Z_MEM_ERROR) {
            status = ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for gzip", s->name);
        } else if (code == Z_DATA_ERROR || code == Z_NEED_DICT || code == Z_STREAM_ERROR) {
            status = broken(s->name, "gzip", at, false);
        } else if (at == size && z.avail_out) {
            status = broken(s->name, "gzip", at, true);
        }
    }
    inflateEnd(&z);
    return status;
}
#endif

#ifdef HAVE_LZMA
static ordo_status undo_xz(const ordo_u8 *from, size_t size, sink *s)
{
    lzma_stream z = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&z, ordo_memory_available(), LZMA_CONCATENATED) != LZMA_OK)
        return ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for xz", s->name);
    ordo_status status = ORDO_OK;
    z.next_in = from;
    z.avail_in = size;
    while (!status) {
        if (s->size == s->room && (status = sink_grow(s, first_room(size))) != ORDO_OK)
            break;
        z.next_out = s->bytes + s->size;
        z.avail_out = s->room - s->size;
        lzma_ret code = lzma_code(&z, LZMA_FINISH);
        s->size = s->room - z.avail_out;
        if (code == LZMA_STREAM_END)
            break;
        if (code == LZMA_MEM_ERROR || code == LZMA_MEMLIMIT_ERROR)
            status = ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for xz", s->name);
        else if (code == LZMA_BUF_ERROR || (code == LZMA_OK && z.avail_out && !z.avail_in))
            status = broken(s->name, "xz", size - z.avail_in, true);
        else if (code != LZMA_OK)
            status = broken(s->name, "xz", size - z.avail_in, false);
    }
    lzma_end(&z);
    return status;
}
#endif

#ifdef HAVE_ZSTD
static ordo_status undo_zstd(const ordo_u8 *from, size_t size, sink *s)
{
    ZSTD_DStream *z = ZSTD_createDStream();
    if (!z)
        return ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for zstd", s->name);
    ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, 31); /* zstd --long=31 */
    ordo_status status = ORDO_OK;
    ZSTD_inBuffer in = {from, size, 0};
    size_t left = 0;
    while (!status) {
        if (s->size == s->room && (status = sink_grow(s, first_room(size))) != ORDO_OK)
            break;
        ZSTD_outBuffer out = {s->bytes, s->room, s->size};
        left = ZSTD_decompressStream(z, &out, &in);
        s->size = out.pos;
        if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
            status = ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for zstd", s->name);
        else if (ZSTD_isError(left))
            status = broken(s->name, "zstd", in.pos, false);
        else if (in.pos == size && out.pos < out.size) {
            if (left)
                status = broken(s->name, "zstd", size, true);
            break;
        }
    }
    ZSTD_freeDStream(z);
    return status;
}
#endif

typedef ordo_status undo_fn(const ordo_u8 *from, size_t size, sink *s);

static const struct wrapping {
    const char *name, *suffix;
    ordo_u8 magic[6];
    size_t length;
    undo_fn *undo; /* NULL: built without */
} wrappings[] = {
#ifdef HAVE_ZLIB
    {"gzip", ".gz", {0x1f, 0x8b}, 2, undo_gzip},
#else
    {"gzip", ".gz", {0x1f, 0x8b}, 2, NULL},
#endif
#ifdef HAVE_LZMA
    {"xz", ".xz", {0xfd, '7', 'z', 'X', 'Z', 0}, 6, undo_xz},
#else
    {"xz", ".xz", {0xfd, '7', 'z', 'X', 'Z', 0}, 6, NULL},
#endif
#ifdef HAVE_ZSTD
    {"zstd", ".zst", {0x28, 0xb5, 0x2f, 0xfd}, 4, undo_zstd},
#else
    {"zstd", ".zst", {0x28, 0xb5, 0x2f, 0xfd}, 4, NULL},
#endif
};
enum { WRAPPINGS = sizeof wrappings / sizeof wrappings[0] };

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
    sink s = {.name = in->name};
    ordo_status status = read_all(fd, &s);
    in->block = s.bytes;
    in->bytes = s.bytes;
    in->size = s.size;
    return status;
}

static ordo_status unwrap(ordo_input *in)
{
    for (int i = 0; i < WRAPPINGS; i++) {
        const struct wrapping *w = &wrappings[i];
        if (in->size < w->length || memcmp(in->bytes, w->magic, w->length) != 0)
            continue;
        if (!w->undo)
            return ordo_fail(ORDO_ERR_INPUT, "%s: found %s data, expected plain data: this Ordo was built without %s",
                             in->name, w->name, w->name);
        sink s = {.name = in->name};
        ordo_status status = w->undo(in->bytes, in->size, &s);
        const char *name = in->name;
        ordo_input_close(in);
        *in = (ordo_input){.name = name, .block = s.bytes, .bytes = s.bytes, .size = s.size};
        return status;
    }
    return ORDO_OK;
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
    size_t length = strlen(in->name), tail = strlen(suffix);
    for (int i = 0; i < WRAPPINGS; i++) {
        size_t wrap = strlen(wrappings[i].suffix);
        if (length > wrap && memcmp(in->name + length - wrap, wrappings[i].suffix, wrap) == 0) {
            length -= wrap;
            break;
        }
    }
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
