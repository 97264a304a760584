/* write.c -- graphs to files: DIMACS .gr, GAP .sg and .wsg, edge lists .el and .wel.
 *
 * Problem: a file that is whole or not there; no weight lost or invented on the way.
 *
 * Method: a megabyte at a time into PATH.tmp.PID, renamed when all is written and closed; on failure it is unlinked.
 * The first failure is kept and the rest of the writing does nothing, so that only the end has to look.
 *
 * Not done: fsync (a file written just before a power cut may be empty); compression; writing by several threads;
 * one path written by two threads of a process at once;
 * telling an edge list's reader of vertices after the last one with an edge (the format cannot).
 */
#define _POSIX_C_SOURCE 200809L /* open, fileno */
#include "graph.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 20, LONGEST = 64 };

typedef struct writer {
    int fd;
    int error; /* errno of the first failure */
    size_t used;
    char *block; /* [ROOM] */
} writer;

static void flush(writer *w)
{
    for (size_t done = 0; done < w->used && !w->error;) {
        ssize_t put = write(w->fd, w->block + done, w->used - done);
        if (put > 0)
            done += (size_t)put;
        else if (put == 0 || errno != EINTR)
            w->error = put == 0 ? ENOSPC : errno;
    }
    w->used = 0;
}

static void put_bytes(writer *w, const void *bytes, size_t size)
{
    if (w->used + size > ROOM)
        flush(w);
    memcpy(w->block + w->used, bytes, size);
    w->used += size;
}

static void put_u64(writer *w, ordo_u64 value)
{
    char digits[20];
    int at = 20;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    put_bytes(w, digits + at, (size_t)(20 - at));
}

static void put_char(writer *w, char c)
{
    put_bytes(w, &c, 1);
}

static void put_word64(writer *w, ordo_u64 value)
{
    put_bytes(w, &value, sizeof value);
}

/* Nine digits tell any two floats apart. A point or an exponent tells the reader that it is none of the integers. */
static void put_f32(writer *w, ordo_u32 bits)
{
    ordo_f32 value;
    memcpy(&value, &bits, sizeof value);
    char text[LONGEST];
    int length = snprintf(text, sizeof text - 2, "%.9g", (double)value);
    bool marked = false;
    for (int i = 0; i < length; i++) {
        bool number = (text[i] >= '0' && text[i] <= '9') || text[i] == '-' || text[i] == '+' || text[i] == 'e';
        if (!number)
            text[i] = '.'; /* whatever the process's locale takes for a point */
        marked |= !number || text[i] == 'e';
    }
    if (!marked) {
        text[length++] = '.';
        text[length++] = '0';
    }
    put_bytes(w, text, (size_t)length);
}

static void put_weight(writer *w, ordo_type type, ordo_u32 bits)
{
    ordo_i32 value = (ordo_i32)bits;
    if (type == ORDO_F32) {
        put_f32(w, bits);
    } else if (type == ORDO_I32 && value < 0) {
        put_char(w, '-');
        put_u64(w, 0u - (ordo_u64)(long long)value);
    } else {
        put_u64(w, bits);
    }
}

/* ---- formats ---- */

static ordo_status write_lines(writer *w, const ordo_graph *graph, bool arcs)
{
    const ordo_csr *g = ordo_graph_out(graph);
    ordo_u64 base = arcs ? 1 : 0;
    for (ordo_vid u = 0; u < g->n && !w->error; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            if (arcs)
                put_bytes(w, "a ", 2);
            put_u64(w, u + base);
            put_char(w, ' ');
            put_u64(w, g->head[e * g->stride] + base);
            if (g->weight_type != ORDO_NONE) {
                put_char(w, ' ');
                put_weight(w, g->weight_type, ordo_csr_word(g, e));
            }
            put_char(w, '\n');
        }
    return ORDO_OK;
}

static ordo_status write_dimacs(writer *w, const ordo_graph *graph)
{
    const ordo_csr *g = ordo_graph_out(graph);
    put_bytes(w, "p sp ", 5);
    put_u64(w, g->n);
    put_char(w, ' ');
    put_u64(w, g->m);
    put_char(w, '\n');
    return write_lines(w, graph, true);
}

static ordo_status write_edgelist(writer *w, const ordo_graph *graph)
{
    return write_lines(w, graph, false);
}

static void write_rows(writer *w, const ordo_csr *g)
{
    for (ordo_u64 u = 0; u <= g->n && !w->error; u++)
        put_word64(w, g->row[u]);
    for (ordo_eid e = 0; e < g->m && !w->error; e++) {
        ordo_u32 words[2] = {g->head[e * g->stride], ordo_csr_word(g, e)};
        put_bytes(w, words, g->weight_type == ORDO_NONE ? 4 : 8);
    }
}

static ordo_status write_gap(writer *w, const ordo_graph *graph)
{
    const ordo_csr *g = ordo_graph_out(graph), *in;
    bool directed = !ordo_graph_symmetric(graph);
    put_char(w, directed);
    put_word64(w, g->m);
    put_word64(w, g->n);
    write_rows(w, g);
    if (directed) {
        ordo_status status = ordo_graph_in(graph, graph->threads, &in);
        if (status)
            return status;
        write_rows(w, in);
    }
    return ORDO_OK;
}

static const struct format {
    const char *suffix;
    bool weighted, binary, real;
    ordo_status (*write)(writer *w, const ordo_graph *graph);
} formats[] = {
    {".wsg", true, true, false, write_gap},      {".sg", false, true, false, write_gap},
    {".wel", true, false, true, write_edgelist}, {".el", false, false, false, write_edgelist},
    {".gr", true, false, false, write_dimacs},
};

static const struct format *format_of(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        size_t tail = strlen(formats[i].suffix);
        if (length > tail && memcmp(path + length - tail, formats[i].suffix, tail) == 0)
            return &formats[i];
    }
    return NULL;
}

static ordo_status check_fit(const ordo_csr *g, const struct format *f, const char *path)
{
    if (f->weighted && g->weight_type == ORDO_NONE)
        return ordo_fail(ORDO_ERR_USAGE, "%s: found a graph without weights, expected weights: %s has one an edge",
                         path, f->suffix);
    if (!f->weighted && g->weight_type != ORDO_NONE)
        return ordo_fail(ORDO_ERR_USAGE, "%s: found a graph with weights, expected none: %s cannot hold them", path,
                         f->suffix);
    if (!f->real && g->weight_type == ORDO_F32)
        return ordo_fail(ORDO_ERR_USAGE, "%s: found real weights, expected integers: %s holds no others", path,
                         f->suffix);
    if (f->binary && g->n > INT32_MAX)
        return ordo_fail(ORDO_ERR_USAGE, "%s: found %llu vertices, expected at most %d in %s", path,
                         (unsigned long long)g->n, INT32_MAX, f->suffix);
    for (ordo_eid e = 0; e < g->m && g->weight_type != ORDO_NONE; e++) {
        ordo_u32 bits = ordo_csr_word(g, e);
        ordo_f32 real;
        memcpy(&real, &bits, sizeof real);
        if (f->binary && g->weight_type == ORDO_U32 && bits > INT32_MAX)
            return ordo_fail(ORDO_ERR_USAGE, "%s: found weight %u, expected at most %d in %s", path, bits, INT32_MAX,
                             f->suffix);
        if (g->weight_type == ORDO_F32 && !isfinite(real))
            return ordo_fail(ORDO_ERR_USAGE, "%s: found weight %g, expected a finite one in %s", path, (double)real,
                             f->suffix);
    }
    return ORDO_OK;
}

static ordo_status write_aside(writer *w, const struct format *f, const ordo_graph *g, const char *aside,
                               const char *path)
{
    /* Never through a link that somebody put there; what a killed process of our number left is in nobody's way. */
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    w->fd = open(aside, flags, 0666);
    if (w->fd < 0 && errno == EEXIST && unlink(aside) == 0)
        w->fd = open(aside, flags, 0666);
    if (w->fd < 0)
        return ordo_fail(ORDO_ERR_IO, "%s: %s", aside, strerror(errno));
    ordo_status status = f->write(w, g);
    flush(w);
    if (close(w->fd) != 0 && !w->error)
        w->error = errno;
    if (!status && !w->error && rename(aside, path) != 0)
        w->error = errno;
    if (!status && w->error)
        status = ordo_fail(ORDO_ERR_IO, "%s: %s", path, strerror(w->error));
    if (status)
        unlink(aside);
    return status;
}

ordo_status ordo_graph_write(const ordo_graph *g, const char *path)
{
    if (!g || !path)
        return ordo_fail(ORDO_ERR_USAGE, "%s is NULL", g ? "path" : "graph");
    const struct format *f = format_of(path);
    if (!f)
        return ordo_fail(ORDO_ERR_USAGE, "%s: found no known suffix, expected .gr, .sg, .wsg, .el or .wel", path);
    ordo_status status = check_fit(ordo_graph_out(g), f, path);
    if (status)
        return status;
    writer w = {.block = ordo_alloc(ROOM, 1)};
    size_t length = strlen(path) + LONGEST;
    char *aside = w.block ? ordo_alloc(length, 1) : NULL;
    if (aside) {
        snprintf(aside, length, "%s.tmp.%ld", path, (long)getpid());
        status = write_aside(&w, f, g, aside, path);
    } else {
        status = ORDO_ERR_MEMORY;
    }
    ordo_free(aside);
    ordo_free(w.block);
    return status;
}
