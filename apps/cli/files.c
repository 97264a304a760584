/* files.c -- files that are complete or not there: written to a temporary file, renamed at the end, removed on failure
 * (framework/run/output.c, as graphs are). "-" is standard output. NumPy arrays are version 1.0 of the .npy format: a
 * magic number, a padded header of text, then the array in little-endian order.
 */
#define _POSIX_C_SOURCE 200809L /* fdopen, fileno */
#include "apps/cli/cli.h"

#include <errno.h>
#include <math.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool reader_gone; /* standard output is a pipe whose reader has closed it */

static ordo_status lost(const char *path, int error)
{
    const bool is_stdout = !strcmp(path, "-");
    reader_gone |= is_stdout && error == EPIPE;
    return ordo_output_error(is_stdout ? "standard output" : path, error);
}

bool stdout_reader_gone(void)
{
    return reader_gone;
}

/* Flushes; returns 0 or the errno of lost output. Where an earlier write failed, while printing, its errno is gone:
 * writing one byte again gets it. The output is incomplete then anyway. */
static int flush_file(FILE *file)
{
    errno = 0;
    const bool failed_before = ferror(file), failed = fflush(file) != 0;
    int error = failed ? errno : 0;
    if ((failed_before || failed) && !error && write(fileno(file), "\n", 1) < 0)
        error = errno;
    return failed_before || failed ? error ? error : EIO : 0;
}

ordo_status flush_stdout(void)
{
    int error = flush_file(stdout);
    return error ? lost("-", error) : ORDO_OK;
}

ordo_status sink_open(sink *s, const char *path)
{
    *s = (sink){.path = path};
    if (!strcmp(path, "-")) {
        s->file = stdout;
        return ORDO_OK;
    }
    ordo_status status = ordo_output_open(path, &s->out);
    if (status)
        return status;
    s->file = fdopen(s->out.fd, "w");
    if (s->file)
        return ORDO_OK;
    ordo_output_close(&s->out, false, 0);
    return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for writing %s", path);
}

/* A line that an earlier process did not finish is ended, so that those added are lines of their own. */
ordo_status sink_append(sink *s, const char *path)
{
    *s = (sink){.path = path, .out = {.fd = -1, .path = path, .slot = -1}};
    const int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    struct stat file;
    if (fd < 0 || fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) {
        int error = fd < 0 ? errno : EINVAL;
        if (fd >= 0)
            close(fd);
        return lost(path, error);
    }
    char last = '\n';
    if (file.st_size > 0 && pread(fd, &last, 1, file.st_size - 1) == 1 && last != '\n' && write(fd, "\n", 1) < 0) {
        int error = errno;
        close(fd);
        return lost(path, error);
    }
    s->file = fdopen(fd, "a");
    if (s->file)
        return ORDO_OK;
    close(fd);
    return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for writing %s", path);
}

ordo_status sink_flush(sink *s)
{
    int error = flush_file(s->file);
    return error ? lost(s->path, error) : ORDO_OK;
}

ordo_status sink_whole(sink *s)
{
    ordo_status status = sink_flush(s);
    if (!status && s->file != stdout)
        ordo_output_whole(&s->out);
    return status;
}

ordo_status sink_close(sink *s, bool keep)
{
    if (!s->file)
        return ORDO_OK;
    if (s->file == stdout) {
        s->file = NULL;
        return keep ? flush_stdout() : ORDO_OK;
    }
    int error = flush_file(s->file);
    if (fclose(s->file) != 0 && !error)
        error = errno;
    s->file = NULL;
    s->out.fd = -1;
    return ordo_output_close(&s->out, keep, error);
}

ordo_status sink_end(sink *s, ordo_status status)
{
    char failure[1024];
    snprintf(failure, sizeof failure, "%s", ordo_last_error());
    const ordo_status closed = sink_close(s, !status);
    return status ? ordo_fail(status, "%s", failure) : closed;
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
    /* a run that ended early does not know which of the others have a path */
    const char *const unreached = isinf(a->within) ? "inf\n" : "unknown\n";
    if (app->print) {
        char text[512] = "";
        app->print(a, v, text, sizeof text);
        text[strcspn(text, "\n")] = 0; /* one line for each value */
        fprintf(file, "%s\n", text);
        return;
    }
    switch (a->type) {
    case ORDO_U64:
        if (app->has_infinity && ((const ordo_u64 *)a->values)[v] == ~(ordo_u64)0)
            fputs("inf\n", file);
        else
            fprintf(file, "%llu\n", (unsigned long long)((const ordo_u64 *)a->values)[v]);
        break;
    case ORDO_I64:
        if (app->has_infinity && ((const ordo_i64 *)a->values)[v] == ORDO_UNREACHED_I64)
            fputs(unreached, file);
        else
            fprintf(file, "%lld\n", (long long)((const ordo_i64 *)a->values)[v]);
        break;
    case ORDO_I32:
        integer = ((const ordo_i32 *)a->values)[v];
        if (app->has_infinity && integer == ORDO_UNREACHED_I32)
            fputs(unreached, file);
        else
            fprintf(file, "%d\n", integer);
        break;
    case ORDO_F32:
        real = ((const ordo_f32 *)a->values)[v];
        if (app->has_infinity && isinf(real))
            fputs(unreached, file);
        else
            fprintf(file, "%.9g\n", (double)real);
        break;
    case ORDO_F64:
        if (app->has_infinity && isinf(((const double *)a->values)[v]))
            fputs(unreached, file);
        else
            fprintf(file, "%.17g\n", ((const double *)a->values)[v]);
        break;
    default:
        whole = ((const ordo_u32 *)a->values)[v];
        if (app->has_infinity && whole == ORDO_UNREACHED_U32)
            fputs(unreached, file);
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
    static const char *const names[] = {
        [ORDO_U32] = "<u4",     [ORDO_I32] = "<i4",     [ORDO_F32] = "<f4",
        [ORDO_U64] = "<u8",     [ORDO_F64] = "<f8",     [ORDO_I64] = "<i8",
        [ORDO_STRUCT4] = "|V4", [ORDO_STRUCT8] = "|V8", [ORDO_STRUCT16] = "|V16",
    };
    put_numpy_header(file, names[a->type], a->n);
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

static void put_weight(FILE *file, const ordo_csr *rows, ordo_eid e)
{
    if (rows->weight_type == ORDO_NONE)
        return;
    const void *at = ordo_csr_weight_at(rows, e);
    ordo_i64 wide = 0; /* of 8 bytes: aligned to 4 */
    double real;
    if (rows->weight_type == ORDO_I64 || rows->weight_type == ORDO_F64)
        memcpy(&wide, at, sizeof wide);
    memcpy(&real, &wide, sizeof real);
    if (rows->weight_type == ORDO_F32)
        fprintf(file, " %.9g", (double)*(const ordo_f32 *)at);
    else if (rows->weight_type == ORDO_I32)
        fprintf(file, " %d", *(const ordo_i32 *)at);
    else if (rows->weight_type == ORDO_U32)
        fprintf(file, " %u", *(const ordo_u32 *)at);
    else if (rows->weight_type == ORDO_I64)
        fprintf(file, " %lld", (long long)wide);
    else
        fprintf(file, " %.17g", real);
}

/* Writes edges as an edge list with the graph's weights, if it has any; as NumPy, their indices. */
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
        put_weight(file, rows, edge[i]);
        fputc('\n', file);
    }
}

/* Writes a solution in the format of the first DIMACS challenge: the value, and a line for every edge. */
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

void write_vertices(sink *s, const loaded *g, const ordo_vid *vertices, ordo_u64 count)
{
    bool numpy = is_numpy(s->path);
    if (numpy)
        put_numpy_header(s->file, "<i8", count);
    for (ordo_u64 v = 0; v < count && !ferror(s->file); v++) {
        const ordo_vid one = vertices[v];
        if (numpy) {
            int64_t value = one == ORDO_NO_VERTEX ? -1 : (int64_t)(one + g->id_base);
            fwrite(&value, sizeof value, 1, s->file);
        } else if (one == ORDO_NO_VERTEX) {
            fputs("-\n", s->file);
        } else {
            fprintf(s->file, "%llu\n", (unsigned long long)(one + g->id_base));
        }
    }
}
