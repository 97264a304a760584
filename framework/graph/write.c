/* write.c -- writes graphs to files: chooses the format, and checks that it can hold the graph.
 *
 * Problem: the file must be complete or not there; no weight may be lost or invented.
 *
 * Method: 64 KiB at a time, through wrap.c where the name ends in .gz, .xz or .zst, into a temporary file beside
 * the target (framework/run/output.c), which is renamed when all is written and closed. The first failure is kept, and
 * later calls do nothing, so that errors are checked only at the end. Devices and pipes are written in place.
 *
 * Not done: writing by several threads.
 */
#define _POSIX_C_SOURCE 200809L
#include "wrap.h"

#include "framework/run/number.h"
#include "framework/run/output.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 1 << 16, LONGEST = 64 };

struct ordo_writer {
    int fd;
    int error; /* errno of the first failure */
    size_t used;
    char *block;          /* [BLOCK] */
    ordo_wrapper wrapper; /* kind NULL: plain */
};

static int write_all(int fd, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t put = write(fd, (const char *)bytes + done, size - done);
        if (put > 0)
            done += (size_t)put;
        else if (put == 0 || errno != EINTR)
            return put == 0 ? ENOSPC : errno;
    }
    return 0;
}

static int put_compressed(void *to, const void *bytes, size_t size)
{
    return write_all(((ordo_writer *)to)->fd, bytes, size);
}

static void flush(ordo_writer *w, bool last)
{
    if (ordo_interrupted() && !w->error)
        w->error = EINTR;
    if (!w->error)
        w->error = w->wrapper.kind ? ordo_wrapper_add(&w->wrapper, w->block, w->used, last)
                                   : write_all(w->fd, w->block, w->used);
    w->used = 0;
}

void ordo_put_bytes(ordo_writer *w, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        if (w->used == BLOCK)
            flush(w, false);
        size_t piece = size < BLOCK - w->used ? size : BLOCK - w->used;
        memcpy(w->block + w->used, from, piece);
        w->used += piece;
        from += piece;
        size -= piece;
    }
}

void ordo_put_text(ordo_writer *w, const char *text)
{
    ordo_put_bytes(w, text, strlen(text));
}

void ordo_put_number(ordo_writer *w, ordo_u64 value)
{
    char digits[20];
    int at = 20;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    ordo_put_bytes(w, digits + at, (size_t)(20 - at));
}

void ordo_put_word64(ordo_writer *w, ordo_u64 value)
{
    ordo_put_bytes(w, &value, sizeof value);
}

bool ordo_put_failed(const ordo_writer *w)
{
    return w->error != 0;
}

/* Nine digits distinguish any two floats, 17 any two doubles. A point or an exponent shows the reader that it is not an
 * integer. */
static void put_real(ordo_writer *w, const char *format, double value)
{
    char text[LONGEST];
    int length = ordo_format(text, sizeof text - 2, format, value);
    bool marked = strpbrk(text, ".e") != NULL;
    if (!marked) {
        text[length++] = '.';
        text[length++] = '0';
    }
    ordo_put_bytes(w, text, (size_t)length);
}

void ordo_put_weight(ordo_writer *w, ordo_type type, ordo_u64 bits)
{
    const ordo_u32 low = (ordo_u32)bits;
    const ordo_i64 value = type == ORDO_I32 ? (ordo_i32)low : (ordo_i64)bits;
    if (type == ORDO_F32) {
        ordo_f32 real;
        memcpy(&real, &low, sizeof real);
        put_real(w, "%.9g", (double)real);
    } else if (type == ORDO_F64) {
        put_real(w, "%.17g", ordo_bits_f64(bits));
    } else if (value < 0) {
        ordo_put_bytes(w, "-", 1);
        ordo_put_number(w, 0u - (ordo_u64)value);
    } else {
        ordo_put_number(w, type == ORDO_NONE ? 1 : bits);
    }
}

/* ---- formats ---- */

/* What a format can hold: types of weights, by bit. */
enum {
    NONE = 1 << ORDO_NONE,
    U32 = 1 << ORDO_U32,
    I32 = 1 << ORDO_I32,
    F32 = 1 << ORDO_F32,
    WIDE = 1 << ORDO_I64 | 1 << ORDO_F64,
    I64 = 1 << ORDO_I64,
    U31 = 1 << 8,        /* of U32 those that an i32 holds as well */
    SYMMETRIC = 1 << 9,  /* symmetric graphs without loops only */
    TERMINALS = 1 << 10, /* needs them */
    PLACES = 1 << 11,    /* coordinates */
    SMALL_IDS = 1 << 12, /* ids are i32 */
    FINITE = 1 << 13,    /* floats must be */
    N63 = 1 << 14        /* of I64 those that are not negative */
};

static const struct format {
    const char *suffix;
    int holds;
    ordo_format_writer *write; /* NULL: npz */
} formats[] = {
    {".gr", U32 | I32 | I64, ordo_write_dimacs},
    {".max", U32 | TERMINALS, ordo_write_max},
    {".co", NONE | U32 | I32 | F32 | WIDE | PLACES, ordo_write_coordinates},
    {".mtx", NONE | U32 | I32 | F32 | WIDE | FINITE, ordo_write_mtx},
    {".graph", NONE | U32 | N63 | SYMMETRIC, ordo_write_metis},
    {".metis", NONE | U32 | N63 | SYMMETRIC, ordo_write_metis},
    {".wel", U32 | I32 | F32 | WIDE | FINITE, ordo_write_edgelist},
    {".el", NONE, ordo_write_edgelist},
    {".txt", NONE | U32 | I32 | F32 | WIDE | FINITE, ordo_write_edgelist},
    {".wsg", U32 | I32 | U31 | SMALL_IDS, ordo_write_gap},
    {".sg", NONE | SMALL_IDS, ordo_write_gap},
    {".ggr", NONE | U32 | WIDE, ordo_write_galois},
    {".npz", NONE | U32 | I32 | F32 | WIDE | FINITE, NULL},
    {".ordo", NONE | U32 | I32 | F32 | WIDE, ordo_write_ordo},
};

static const struct format *format_of(const char *path)
{
    size_t length = ordo_unwrapped_length(path);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        size_t tail = strlen(formats[i].suffix);
        if (length > tail && memcmp(path + length - tail, formats[i].suffix, tail) == 0)
            return &formats[i];
    }
    return NULL;
}

static ordo_status check_weights(const ordo_csr *g, const struct format *f, const char *path)
{
    int holds = f->holds;
    bool negative = false;
    if (g->weight_type == ORDO_NONE && !(holds & NONE))
        return ordo_fail(ORDO_ERR_USAGE,
                         "%s: found a graph without weights, expected weights: %s has one an edge (they can be drawn)",
                         path, f->suffix);
    if (g->weight_type != ORDO_NONE && !(holds & (U32 | I32 | F32)))
        return ordo_fail(ORDO_ERR_USAGE, "%s: found a graph with weights, expected none: %s cannot hold them", path,
                         f->suffix);
    for (ordo_eid e = 0; e < g->m && g->weight_type != ORDO_NONE; e++) {
        const ordo_u64 wide = ordo_csr_word(g, e);
        const ordo_u32 bits = (ordo_u32)wide;
        ordo_f32 real;
        memcpy(&real, &bits, sizeof real);
        negative |= g->weight_type == ORDO_I64 ? (ordo_i64)wide < 0 : (ordo_i32)bits < 0;
        if (g->weight_type == ORDO_F64 && holds & FINITE && !isfinite(ordo_bits_f64(wide)))
            return ordo_fail(ORDO_ERR_USAGE, "%s: found weight %g, expected a finite one in %s", path,
                             ordo_bits_f64(wide), f->suffix);
        if (g->weight_type == ORDO_U32 && holds & U31 && bits > INT32_MAX)
            return ordo_fail(ORDO_ERR_USAGE, "%s: found weight %u, expected at most %d in %s", path, bits, INT32_MAX,
                             f->suffix);
        if (g->weight_type == ORDO_F32 && holds & FINITE && !isfinite(real))
            return ordo_fail(ORDO_ERR_USAGE, "%s: found weight %g, expected a finite one in %s", path, (double)real,
                             f->suffix);
    }
    /* i32 weights of which none is negative can be written as u32. */
    bool fits = holds & 1 << g->weight_type || (g->weight_type == ORDO_I32 && !negative && holds & U32) ||
                (g->weight_type == ORDO_I64 && !negative && holds & N63);
    if (!fits)
        return ordo_fail(ORDO_ERR_USAGE, "%s: found %s weights%s, expected others: %s cannot hold them", path,
                         ordo_type_name(g->weight_type),
                         negative && (g->weight_type == ORDO_I32 || g->weight_type == ORDO_I64) ? " below 0" : "",
                         f->suffix);
    return ORDO_OK;
}

static ordo_status check_fit(const ordo_graph *graph, const struct format *f, const char *path)
{
    const ordo_csr *g = &graph->out;
    if (f->holds & SMALL_IDS && g->n > INT32_MAX)
        return ordo_fail(ORDO_ERR_USAGE, "%s: found %llu vertices, expected at most %d in %s", path,
                         (unsigned long long)g->n, INT32_MAX, f->suffix);
    if (f->holds & PLACES && !graph->vertices.coordinate)
        return ordo_fail(ORDO_ERR_USAGE, "%s: found a graph without coordinates, expected one that has them", path);
    if (f->holds & TERMINALS && (graph->vertices.source >= g->n || graph->vertices.sink >= g->n))
        return ordo_fail(ORDO_ERR_USAGE, "%s: found a graph without source and sink, expected a flow network", path);
    if (f->holds & SYMMETRIC && !graph->symmetric)
        return ordo_fail(ORDO_ERR_USAGE,
                         "%s: found a directed graph, expected a symmetric one: %s holds no others (--symmetrise, or "
                         "--symmetric if it is)",
                         path, f->suffix);
    if (f->holds & SYMMETRIC)
        for (ordo_vid u = 0; u < g->n; u++)
            for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++)
                if (g->head[e * g->stride] == u)
                    return ordo_fail(ORDO_ERR_USAGE,
                                     "%s: found a loop at vertex %u, expected none in %s (--drop-loops)", path, u,
                                     f->suffix);
    return check_weights(g, f, path);
}

/* The bytes of the file. */
static ordo_status write_bytes(ordo_writer *w, ordo_body_writer *body, const void *arg, const char *path)
{
    w->block = ordo_alloc(BLOCK, 1);
    ordo_status status = w->block ? ORDO_OK : ORDO_ERR_MEMORY;
    w->wrapper = (ordo_wrapper){.kind = ordo_wrapping_named(path), .put = put_compressed, .to = w};
    if (!status && w->wrapper.kind)
        status = ordo_wrapper_start(&w->wrapper, path);
    if (!status)
        status = body(w, arg);
    if (!status)
        flush(w, true);
    ordo_wrapper_free(&w->wrapper);
    ordo_free(w->block);
    return status;
}

ordo_status ordo_write_file(const char *path, ordo_body_writer *body, const void *arg)
{
    ordo_output out;
    ordo_status status = ordo_output_open(path, &out);
    if (status)
        return status;
    ordo_writer w = {.fd = out.fd};
    status = write_bytes(&w, body, arg, path);
    ordo_status closed = ordo_output_close(&out, !status, w.error);
    return status ? status : closed;
}

typedef struct graph_body {
    const struct format *format;
    const ordo_graph *graph;
} graph_body;

static ordo_status write_graph(ordo_writer *w, const void *arg)
{
    const graph_body *b = arg;
    return b->format->write(w, b->graph);
}

/* An archive is written in one go, so not to a device or a pipe. */
static ordo_status write_archive(const char *path, const struct format *f, const ordo_graph *g)
{
    ordo_output out;
    ordo_status status = ordo_output_open(path, &out);
    if (status)
        return status;
    status = out.target
                 ? ordo_write_npz(out.fd, path, g)
                 : ordo_fail(ORDO_ERR_IO, "%s: found a device or a pipe, expected a file: %s is not written in one go",
                             path, f->suffix);
    ordo_status closed = ordo_output_close(&out, !status, 0);
    return status ? status : closed;
}

ordo_status ordo_graph_write(const ordo_graph *g, const char *path)
{
    if (!g || !path)
        return ordo_fail(ORDO_ERR_USAGE, "%s is NULL", g ? "path" : "graph");
    const struct format *f = format_of(path);
    if (!f) {
        char all[128] = "";
        for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", formats[i].suffix);
        return ordo_fail(ORDO_ERR_USAGE, "%s: found no known suffix, expected one of %s (.gz, .xz or .zst behind it)",
                         path, all);
    }
    const ordo_wrapping *wrapping = ordo_wrapping_named(path);
    if (!f->write && wrapping)
        return ordo_fail(ORDO_ERR_USAGE,
                         "%s: found the suffix %s behind %s, expected %s alone: it is compressed itself", path,
                         ordo_wrapping_suffix(wrapping), f->suffix, f->suffix);
    ordo_status status = check_fit(g, f, path);
    if (status)
        return status;
    return f->write ? ordo_write_file(path, write_graph, &(graph_body){f, g}) : write_archive(path, f, g);
}
