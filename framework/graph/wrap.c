/* wrap.c -- gzip, xz and zstd.
 *
 * Problem: users keep graphs compressed, and libraries for that may be missing from a build.
 *
 * Method: a table with one row for each kind of compression: its magic number, its suffix, and functions that
 * decompress and compress, absent without the library. Decompression writes into a block that doubles; it never grows
 * beyond what the system says is available, so that a small hostile file ends in ORDO_ERR_MEMORY and the process is not
 * killed. Compression works piece by piece, at the default level of the program of that name, without a time or a name
 * in the header, so that the same graph gives the same file.
 *
 * Not done: several threads.
 */
#include "wrap.h"

#include "framework/run/phase.h"

#include <errno.h>
#include <string.h>

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

/* ---- a block that grows ---- */

ordo_status ordo_block_grow(ordo_block *b, size_t first)
{
    size_t capacity = b->capacity ? b->capacity * 2 : first;
    if (capacity < b->capacity || !ordo_memory_fits(capacity))
        return ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory: it holds more than %zu bytes", b->name, b->size);
    ordo_u8 *bytes = ordo_realloc(b->bytes, capacity, 1);
    if (!bytes)
        return ORDO_ERR_MEMORY;
    b->bytes = bytes;
    b->capacity = capacity;
    return ORDO_OK;
}

/* ---- kinds ---- */

enum {
    PIECE = 1 << 30, /* bytes at a time: zlib counts in 32 bits */
    STEP = 1 << 20,  /* decompressed bytes at a time, between looks at the watch */
    OUT = 1 << 16    /* compressed bytes at a time */
};

#if defined(HAVE_ZLIB) || defined(HAVE_LZMA) || defined(HAVE_ZSTD)
static ordo_status broken(const char *name, const char *kind, size_t at, bool truncated)
{
    if (truncated)
        return ordo_fail(ORDO_ERR_INPUT, "%s: byte %zu: found the end of the file, expected more %s data", name, at,
                         kind);
    return ordo_fail(ORDO_ERR_INPUT, "%s: byte %zu: found damaged %s data, expected a valid stream", name, at, kind);
}

static size_t first_capacity(size_t compressed)
{
    return compressed * 4 + 4096;
}
#endif

#ifdef HAVE_ZLIB
static ordo_status undo_gzip(const ordo_u8 *from, size_t size, ordo_block *b)
{
    z_stream z = {0};
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        return ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for gzip", b->name);
    ordo_status status = ORDO_OK;
    size_t at = 0;
    ordo_phase phase;
    ordo_phase_begin(&phase, "decompressing", size);
    while (!status && !(status = ordo_phase_end(&phase))) {
        if (b->size == b->capacity && (status = ordo_block_grow(b, first_capacity(size))) != ORDO_OK)
            break;
        size_t give = size - at < PIECE ? size - at : PIECE, take = b->capacity - b->size;
        take = take < STEP ? take : STEP;
        z.next_in = (Bytef *)(size_t)(from + at);
        z.avail_in = (uInt)give;
        z.next_out = b->bytes + b->size;
        z.avail_out = (uInt)take;
        int code = inflate(&z, Z_NO_FLUSH);
        at += give - z.avail_in;
        b->size += take - z.avail_out;
        ordo_phase_step(&phase, give - z.avail_in);
        if (code == Z_STREAM_END) {
            while (at < size && from[at] == 0) /* padding, as tapes and some tools leave it */
                at++;
            if (at == size)
                break;
            inflateReset(&z); /* one more member */
        } else if (code == Z_MEM_ERROR) {
            status = ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for gzip", b->name);
        } else if (code == Z_DATA_ERROR || code == Z_NEED_DICT || code == Z_STREAM_ERROR) {
            status = broken(b->name, "gzip", at, false);
        } else if (at == size && z.avail_out) {
            status = broken(b->name, "gzip", at, true);
        }
    }
    inflateEnd(&z);
    return status;
}

static int start_gzip(ordo_wrapper *w)
{
    z_stream *z = ordo_alloc_zero(1, sizeof *z);
    w->state = z;
    return z && deflateInit2(z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK ? 0 : ENOMEM;
}

static int add_gzip(ordo_wrapper *w, const void *bytes, size_t size, bool last)
{
    z_stream *z = w->state;
    z->next_in = (Bytef *)(size_t)bytes;
    z->avail_in = (uInt)size;
    for (int code = Z_OK, error; code != Z_STREAM_END;) {
        z->next_out = w->out;
        z->avail_out = OUT;
        code = deflate(z, last ? Z_FINISH : Z_NO_FLUSH);
        if ((error = w->put(w->to, w->out, OUT - z->avail_out)) != 0)
            return error;
        if (!last && z->avail_out)
            return 0; /* all input is consumed */
        if (code != Z_OK && code != Z_STREAM_END)
            return EIO;
    }
    return 0;
}

static void stop_gzip(ordo_wrapper *w)
{
    deflateEnd(w->state);
    ordo_free(w->state);
}
#endif

#ifdef HAVE_LZMA
static ordo_status undo_xz(const ordo_u8 *from, size_t size, ordo_block *b)
{
    lzma_stream z = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&z, ordo_memory_available(), LZMA_CONCATENATED) != LZMA_OK)
        return ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for xz", b->name);
    ordo_status status = ORDO_OK;
    z.next_in = from;
    z.avail_in = size;
    ordo_phase phase;
    ordo_phase_begin(&phase, "decompressing", size);
    while (!status && !(status = ordo_phase_end(&phase))) {
        const size_t before = z.avail_in;
        if (b->size == b->capacity && (status = ordo_block_grow(b, first_capacity(size))) != ORDO_OK)
            break;
        z.next_out = b->bytes + b->size;
        const size_t take = b->capacity - b->size < STEP ? b->capacity - b->size : STEP;
        z.avail_out = take;
        lzma_ret code = lzma_code(&z, LZMA_FINISH);
        b->size += take - z.avail_out;
        ordo_phase_step(&phase, before - z.avail_in);
        if (code == LZMA_STREAM_END)
            break;
        if (code == LZMA_MEM_ERROR || code == LZMA_MEMLIMIT_ERROR)
            status = ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for xz", b->name);
        else if (code == LZMA_BUF_ERROR || (code == LZMA_OK && z.avail_out && !z.avail_in))
            status = broken(b->name, "xz", size - z.avail_in, true);
        else if (code != LZMA_OK)
            status = broken(b->name, "xz", size - z.avail_in, false);
    }
    lzma_end(&z);
    return status;
}

static int start_xz(ordo_wrapper *w)
{
    enum { LEVEL = 6 };
    static const lzma_stream none = LZMA_STREAM_INIT;
    lzma_stream *z = ordo_alloc_zero(1, sizeof *z);
    w->state = z;
    if (!z)
        return ENOMEM;
    *z = none;
    return lzma_easy_encoder(z, LEVEL, LZMA_CHECK_CRC64) == LZMA_OK ? 0 : ENOMEM;
}

static int add_xz(ordo_wrapper *w, const void *bytes, size_t size, bool last)
{
    lzma_stream *z = w->state;
    z->next_in = bytes;
    z->avail_in = size;
    for (lzma_ret code = LZMA_OK; code != LZMA_STREAM_END;) {
        z->next_out = w->out;
        z->avail_out = OUT;
        code = lzma_code(z, last ? LZMA_FINISH : LZMA_RUN);
        if (code != LZMA_OK && code != LZMA_STREAM_END)
            return code == LZMA_MEM_ERROR ? ENOMEM : EIO;
        int error = w->put(w->to, w->out, OUT - z->avail_out);
        if (error)
            return error;
        if (!last && !z->avail_in && z->avail_out)
            return 0;
    }
    return 0;
}

static void stop_xz(ordo_wrapper *w)
{
    lzma_end(w->state);
    ordo_free(w->state);
}
#endif

#ifdef HAVE_ZSTD
static ordo_status undo_zstd(const ordo_u8 *from, size_t size, ordo_block *b)
{
    ZSTD_DStream *z = ZSTD_createDStream();
    if (!z)
        return ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for zstd", b->name);
    ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, 31); /* zstd --long=31 */
    ordo_status status = ORDO_OK;
    ZSTD_inBuffer in = {from, size, 0};
    size_t left = 0;
    ordo_phase phase;
    ordo_phase_begin(&phase, "decompressing", size);
    while (!status && !(status = ordo_phase_end(&phase))) {
        const size_t before = in.pos;
        if (b->size == b->capacity && (status = ordo_block_grow(b, first_capacity(size))) != ORDO_OK)
            break;
        ZSTD_outBuffer out = {b->bytes, b->capacity - b->size < STEP ? b->capacity : b->size + STEP, b->size};
        left = ZSTD_decompressStream(z, &out, &in);
        b->size = out.pos;
        ordo_phase_step(&phase, in.pos - before);
        if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
            status = ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for zstd", b->name);
        else if (ZSTD_isError(left))
            status = broken(b->name, "zstd", in.pos, false);
        else if (in.pos == size && (left == 0 || out.pos < out.size)) { /* 0: a frame ended, and all of it is out */
            if (left)
                status = broken(b->name, "zstd", size, true);
            break;
        }
    }
    ZSTD_freeDStream(z);
    return status;
}

static int start_zstd(ordo_wrapper *w)
{
    ZSTD_CCtx *z = ZSTD_createCCtx();
    w->state = z;
    return z && !ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1)) ? 0 : ENOMEM;
}

static int add_zstd(ordo_wrapper *w, const void *bytes, size_t size, bool last)
{
    ZSTD_inBuffer in = {bytes, size, 0};
    for (;;) {
        ZSTD_outBuffer out = {w->out, OUT, 0};
        size_t left = ZSTD_compressStream2(w->state, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation ? ENOMEM : EIO;
        int error = w->put(w->to, out.dst, out.pos);
        if (error)
            return error;
        if (last ? left == 0 : in.pos == size)
            return 0;
    }
}

static void stop_zstd(ordo_wrapper *w)
{
    ZSTD_freeCCtx(w->state);
}
#endif

/* ---- the table ---- */

struct ordo_wrapping {
    const char *name, *suffix;
    ordo_u8 magic[6];
    size_t length;
    /* NULL: built without */
    ordo_status (*undo)(const ordo_u8 *from, size_t size, ordo_block *to);
    int (*start)(ordo_wrapper *w); /* sets the state; 0, or an errno */
    int (*add)(ordo_wrapper *w, const void *bytes, size_t size, bool last);
    void (*stop)(ordo_wrapper *w); /* only after start; of a state that is not NULL */
};

#ifdef HAVE_ZLIB
#define GZIP undo_gzip, start_gzip, add_gzip, stop_gzip
#else
#define GZIP NULL, NULL, NULL, NULL
#endif
#ifdef HAVE_LZMA
#define XZ undo_xz, start_xz, add_xz, stop_xz
#else
#define XZ NULL, NULL, NULL, NULL
#endif
#ifdef HAVE_ZSTD
#define ZSTD undo_zstd, start_zstd, add_zstd, stop_zstd
#else
#define ZSTD NULL, NULL, NULL, NULL
#endif

static const ordo_wrapping wrappings[] = {
    {"gzip", ".gz", {0x1f, 0x8b}, 2, GZIP},
    {"xz", ".xz", {0xfd, '7', 'z', 'X', 'Z', 0}, 6, XZ},
    {"zstd", ".zst", {0x28, 0xb5, 0x2f, 0xfd}, 4, ZSTD},
};
enum { WRAPPINGS = sizeof wrappings / sizeof wrappings[0] };

const ordo_wrapping *ordo_wrapping_of(const ordo_u8 *bytes, size_t size)
{
    for (int i = 0; i < WRAPPINGS; i++)
        if (size >= wrappings[i].length && memcmp(bytes, wrappings[i].magic, wrappings[i].length) == 0)
            return &wrappings[i];
    return NULL;
}

const ordo_wrapping *ordo_wrapping_named(const char *path)
{
    size_t length = strlen(path);
    for (int i = 0; i < WRAPPINGS; i++) {
        size_t tail = strlen(wrappings[i].suffix);
        if (length > tail && memcmp(path + length - tail, wrappings[i].suffix, tail) == 0)
            return &wrappings[i];
    }
    return NULL;
}

const char *ordo_wrapping_name(const ordo_wrapping *w)
{
    return w->name;
}

const char *ordo_wrapping_suffix(const ordo_wrapping *w)
{
    return w->suffix;
}

size_t ordo_unwrapped_length(const char *path)
{
    const ordo_wrapping *w = ordo_wrapping_named(path);
    return strlen(path) - (w ? strlen(w->suffix) : 0);
}

ordo_status ordo_unwrap(const ordo_wrapping *w, const ordo_u8 *from, size_t size, ordo_block *to)
{
    if (w->undo)
        return w->undo(from, size, to);
    return ordo_fail(ORDO_ERR_INPUT, "%s: found %s data, expected plain data: this Ordo was built without %s", to->name,
                     w->name, w->name);
}

ordo_status ordo_wrapper_start(ordo_wrapper *w, const char *path)
{
    if (!w->kind->start)
        return ordo_fail(ORDO_ERR_USAGE, "%s: found the suffix %s, expected another: this Ordo was built without %s",
                         path, w->kind->suffix, w->kind->name);
    w->out = ordo_alloc(OUT, 1);
    if (!w->out)
        return ORDO_ERR_MEMORY;
    int error = w->kind->start(w);
    return error ? ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for %s", path, w->kind->name) : ORDO_OK;
}

int ordo_wrapper_add(ordo_wrapper *w, const void *bytes, size_t size, bool last)
{
    return w->kind->add(w, bytes, size, last);
}

void ordo_wrapper_free(ordo_wrapper *w)
{
    if (w->state)
        w->kind->stop(w);
    w->state = NULL;
    ordo_free(w->out);
    w->out = NULL;
}
