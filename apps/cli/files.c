/* files.c -- files that are whole or not there: written aside, renamed at the end, removed on failure.
 *
 * Devices, pipes and "-" are written in place. NumPy arrays are version 1.0 of the .npy format: a magic, a padded
 * header of text, then the array in little-endian order.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "apps/cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ordo_status io_error(const char *path, int error)
{
    return ordo_fail(ORDO_ERR_IO, "%s: cannot write: %s", strcmp(path, "-") ? path : "standard output",
                     strerror(error));
}

ordo_status flush_stdout(void)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout))
        return io_error("-", errno ? errno : EIO);
    return ORDO_OK;
}

ordo_status sink_open(sink *s, const char *path)
{
    *s = (sink){.path = path};
    if (!strcmp(path, "-")) {
        s->file = stdout;
        return ORDO_OK;
    }
    struct stat info;
    bool there = stat(path, &info) == 0;
    if (there && S_ISDIR(info.st_mode))
        return io_error(path, EISDIR);
    if (there && !S_ISREG(info.st_mode)) {
        s->file = fopen(path, "w");
        return s->file ? ORDO_OK : io_error(path, errno);
    }
    s->target = there ? realpath(path, NULL) : strdup(path); /* what a link points at is replaced, not the link */
    size_t room = s->target ? strlen(s->target) + 32 : 0;
    s->aside = room ? malloc(room) : NULL;
    if (!s->aside) {
        free(s->target);
        s->target = NULL;
        return ordo_fail(ORDO_ERR_MEMORY, "no room for the name of %s", path);
    }
    snprintf(s->aside, room, "%s.tmp.%ld", s->target, (long)getpid());
    s->file = fopen(s->aside, "w");
    if (s->file && there && fchmod(fileno(s->file), info.st_mode & 07777) != 0) {
        int error = errno;
        fclose(s->file);
        s->file = NULL;
        unlink(s->aside);
        errno = error;
    }
    if (s->file) {
        process_guard(s->aside, true);
        return ORDO_OK;
    }
    int error = errno;
    free(s->aside);
    free(s->target);
    s->aside = s->target = NULL;
    return io_error(path, error);
}

ordo_status sink_flush(sink *s)
{
    errno = 0;
    return fflush(s->file) || ferror(s->file) ? io_error(s->path, errno ? errno : EIO) : ORDO_OK;
}

ordo_status sink_close(sink *s, bool keep)
{
    if (!s->file)
        return ORDO_OK;
    if (s->file == stdout) {
        s->file = NULL;
        return keep ? flush_stdout() : ORDO_OK;
    }
    errno = 0;
    bool bad = fflush(s->file) != 0 || ferror(s->file);
    int error = errno;
    if (fclose(s->file) != 0 && !bad) {
        bad = true;
        error = errno;
    }
    s->file = NULL;
    ordo_status status = ORDO_OK;
    if (s->aside && keep && !bad && rename(s->aside, s->target) != 0) {
        bad = true;
        error = errno;
    }
    if (s->aside && (bad || !keep))
        unlink(s->aside);
    process_guard(s->aside, false);
    if (keep && bad)
        status = io_error(s->path, error ? error : EIO);
    free(s->aside);
    free(s->target);
    s->aside = s->target = NULL;
    return status;
}

/* ---- NumPy ---- */

static bool is_numpy(const char *path)
{
    size_t length = strlen(path);
    return length >= 4 && !strcmp(path + length - 4, ".npy");
}

static void put_numpy_header(FILE *file, const char *type, ordo_u64 count)
{
    enum { PREFIX = 10, TOTAL = 128 }; /* magic, version, length of the text; then text up to a multiple of 64 */
    char text[TOTAL - PREFIX + 1];
    int used = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%llu,), }", type,
                        (unsigned long long)count);
    memset(text + used, ' ', (size_t)(TOTAL - PREFIX - used));
    text[TOTAL - PREFIX - 1] = '\n';
    fwrite("\x93NUMPY\x01\x00", 1, 8, file);
    fputc((TOTAL - PREFIX) & 255, file);
    fputc((TOTAL - PREFIX) >> 8, file);
    fwrite(text, 1, TOTAL - PREFIX, file);
}

/* ---- values ---- */

static void put_value(FILE *file, const ordo_app *app, const ordo_answer *a, ordo_u64 v, ordo_u64 base)
{
    ordo_u32 whole;
    ordo_i32 integer;
    ordo_f32 real;
    switch (a->type) {
    case ORDO_I32:
        integer = ((const ordo_i32 *)a->values)[v];
        if (app->has_infinity && integer == ORDO_UNREACHED_I32)
            fputs("inf\n", file);
        else
            fprintf(file, "%d\n", integer);
        break;
    case ORDO_F32:
        real = ((const ordo_f32 *)a->values)[v];
        fprintf(file, "%.9g\n", (double)real);
        break;
    case ORDO_F64:
        fprintf(file, "%.17g\n", ((const double *)a->values)[v]);
        break;
    default:
        whole = ((const ordo_u32 *)a->values)[v];
        if (app->has_infinity && whole == ORDO_UNREACHED_U32)
            fputs("inf\n", file);
        else
            fprintf(file, "%llu\n", (unsigned long long)(whole + base));
        break;
    }
}

static void put_values(FILE *file, const ordo_app *app, const ordo_answer *a, ordo_u64 base, bool numpy)
{
    if (!numpy) {
        for (ordo_u64 v = 0; v < a->n && !ferror(file); v++)
            put_value(file, app, a, v, base);
        return;
    }
    put_numpy_header(file,
                     a->type == ORDO_F64   ? "<f8"
                     : a->type == ORDO_F32 ? "<f4"
                     : a->type == ORDO_I32 ? "<i4"
                                           : "<u4",
                     a->n);
    if (!base) {
        if (a->n)
            fwrite(a->values, a->size, a->n, file);
        return;
    }
    for (ordo_u64 v = 0; v < a->n && !ferror(file); v++) {
        ordo_u32 value = ((const ordo_u32 *)a->values)[v] + (ordo_u32)base;
        fwrite(&value, sizeof value, 1, file);
    }
}

/* Edges as an edge list with the graph's weights, where it has some; as NumPy the indices. */
static void put_edges(FILE *file, const loaded *g, const ordo_answer *a, bool numpy)
{
    const ordo_csr *rows = ordo_graph_out(g->graph);
    const ordo_u64 *edge = a->values;
    if (numpy) {
        put_numpy_header(file, "<u8", a->used);
        if (a->used)
            fwrite(edge, sizeof *edge, a->used, file);
        return;
    }
    ordo_vid tail = 0;
    for (ordo_u64 i = 0; i < a->used && !ferror(file); i++) {
        ordo_u64 at = edge[i] * rows->stride;
        while (rows->row[tail + 1] <= edge[i])
            tail++;
        fprintf(file, "%llu %llu", (unsigned long long)(tail + g->id_base),
                (unsigned long long)(rows->head[at] + g->id_base));
        if (rows->weight_type == ORDO_F32)
            fprintf(file, " %.9g", (double)((const ordo_f32 *)rows->weight)[at]);
        else if (rows->weight_type == ORDO_I32)
            fprintf(file, " %d", ((const ordo_i32 *)rows->weight)[at]);
        else if (rows->weight_type == ORDO_U32)
            fprintf(file, " %u", ((const ordo_u32 *)rows->weight)[at]);
        fputc('\n', file);
    }
}

/* A solution as the first DIMACS challenge writes it: the value, and a line for every edge. */
static void put_flow(FILE *file, const loaded *g, const ordo_answer *a, bool numpy)
{
    const ordo_csr *rows = ordo_graph_out(g->graph);
    const ordo_u64 *flow = a->values;
    if (numpy) {
        put_numpy_header(file, "<u8", a->n);
        if (a->n)
            fwrite(flow, sizeof *flow, a->n, file);
        return;
    }
    fprintf(file, "s %llu\n", (unsigned long long)a->fields[0].whole);
    for (ordo_vid u = 0; u < rows->n && !ferror(file); u++)
        for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++)
            fprintf(file, "f %llu %llu %llu\n", (unsigned long long)u + 1,
                    (unsigned long long)rows->head[e * rows->stride] + 1, (unsigned long long)flow[e]);
}

void write_cut(sink *s, const ordo_answer *answer)
{
    const bool numpy = is_numpy(s->path);
    if (numpy)
        put_numpy_header(s->file, "|u1", answer->side_count);
    for (ordo_u64 v = 0; v < answer->side_count && !ferror(s->file); v++)
        if (numpy)
            fputc(answer->side[v], s->file);
        else
            fputs(answer->side[v] ? "1\n" : "0\n", s->file);
}

void write_values(sink *s, const loaded *g, const ordo_app *app, const ordo_answer *answer)
{
    if (app->values_are_edges) {
        put_edges(s->file, g, answer, is_numpy(s->path));
        return;
    }
    if (app->values_on_edges) {
        put_flow(s->file, g, answer, is_numpy(s->path));
        return;
    }
    put_values(s->file, app, answer, app->values_are_vertices ? g->id_base : 0, is_numpy(s->path));
}

void write_tree(sink *s, const loaded *g, const ordo_answer *answer)
{
    bool numpy = is_numpy(s->path);
    if (numpy)
        put_numpy_header(s->file, "<i8", answer->n);
    for (ordo_u64 v = 0; v < answer->n && !ferror(s->file); v++) {
        ordo_vid pred = answer->pred[v];
        if (numpy) {
            int64_t value = pred == ORDO_NO_VERTEX ? -1 : (int64_t)(pred + g->id_base);
            fwrite(&value, sizeof value, 1, s->file);
        } else if (pred == ORDO_NO_VERTEX) {
            fputs("-\n", s->file);
        } else {
            fprintf(s->file, "%llu\n", (unsigned long long)(pred + g->id_base));
        }
    }
}

void write_trace(sink *s, const ordo_stats *stats)
{
    fputs("seconds,in_flight,bucket,delta,concurrent,utilisation\n", s->file);
    for (size_t i = 0; i < stats->trace_count; i++) {
        const ordo_sample *t = &stats->trace[i];
        fprintf(s->file, "%.9f,%llu,%llu,%.9g,%u,", t->seconds, (unsigned long long)t->in_flight,
                (unsigned long long)t->bucket, t->delta, t->concurrent);
        if (t->utilisation >= 0)
            fprintf(s->file, "%.4f", (double)t->utilisation);
        fputc('\n', s->file);
    }
}
