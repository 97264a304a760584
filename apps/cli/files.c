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

#include "framework/run/number.h"

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

/* Of everything that was written to it, also by several threads. */
static int flush_sink(const sink *s)
{
    const int error = flush_file(s->file);
    return s->error ? s->error : error;
}

ordo_status sink_flush(sink *s)
{
    int error = flush_sink(s);
    return error ? lost(s->path, error) : ORDO_OK;
}

void sink_parts(sink *s, ordo_u64 items, ordo_u64 bytes, ordo_part_writer *put, const void *arg)
{
    if (!s->error)
        s->error = flush_file(s->file);
    if (!s->error)
        s->error = ordo_write_parts(fileno(s->file), s->out.target != NULL, s->threads, items, bytes, put, arg);
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
    int error = keep || s->file != stdout ? flush_sink(s) : 0;
    if (s->file == stdout) {
        s->file = NULL;
        return error ? lost("-", error) : ORDO_OK;
    }
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

static void put_raw(ordo_writer *w, const void *arg, ordo_u64 begin, ordo_u64 end)
{
    ordo_put_bytes(w, (const char *)arg + begin, end - begin);
}

/* A NumPy array that is in memory. */
static void put_array(sink *s, const char *type, const void *values, ordo_u64 width, ordo_u64 count)
{
    put_numpy_header(s->file, type, count);
    sink_parts(s, width * count, 1, put_raw, values);
}

static void put_signed(ordo_writer *w, ordo_i64 value)
{
    if (value < 0)
        ordo_put_text(w, "-");
    ordo_put_number(w, value < 0 ? 0u - (ordo_u64)value : (ordo_u64)value);
}

static void put_real(ordo_writer *w, const char *format, double value)
{
    char text[64];
    ordo_format(text, sizeof text, format, value);
    ordo_put_text(w, text);
}

typedef struct value_lines {
    const ordo_app *app;
    const ordo_answer *answer;
    ordo_u64 base; /* of values that are vertices */
} value_lines;

static bool unreached(const value_lines *of, ordo_u64 v)
{
    const void *values = of->answer->values;
    if (!of->app->has_infinity)
        return false;
    switch (of->answer->type) {
    case ORDO_U64:
        return ((const ordo_u64 *)values)[v] == ~(ordo_u64)0;
    case ORDO_I64:
        return ((const ordo_i64 *)values)[v] == ORDO_UNREACHED_I64;
    case ORDO_I32:
        return ((const ordo_i32 *)values)[v] == ORDO_UNREACHED_I32;
    case ORDO_F32:
        return isinf(((const ordo_f32 *)values)[v]);
    case ORDO_F64:
        return isinf(((const double *)values)[v]);
    default:
        return ((const ordo_u32 *)values)[v] == ORDO_UNREACHED_U32;
    }
}

static void put_value(ordo_writer *w, const value_lines *of, ordo_u64 v)
{
    const void *values = of->answer->values;
    if (unreached(of, v)) {
        /* a run that ended early does not know which of the others have a path */
        const bool known = isinf(of->answer->within) || of->answer->type == ORDO_U64;
        ordo_put_text(w, known ? "inf" : "unknown");
        return;
    }
    switch (of->answer->type) {
    case ORDO_U64:
        ordo_put_number(w, ((const ordo_u64 *)values)[v]);
        break;
    case ORDO_I64:
        put_signed(w, ((const ordo_i64 *)values)[v]);
        break;
    case ORDO_I32:
        put_signed(w, ((const ordo_i32 *)values)[v]);
        break;
    case ORDO_F32:
        put_real(w, "%.9g", (double)((const ordo_f32 *)values)[v]);
        break;
    case ORDO_F64:
        put_real(w, "%.17g", ((const double *)values)[v]);
        break;
    default:
        ordo_put_number(w, ((const ordo_u32 *)values)[v] + of->base);
        break;
    }
}

static void put_value_lines(ordo_writer *w, const void *arg, ordo_u64 begin, ordo_u64 end)
{
    for (ordo_u64 v = begin; v < end; v++) {
        put_value(w, arg, v);
        ordo_put_text(w, "\n");
    }
}

/* The app's own text, one line for each value. */
static void print_values(sink *s, const ordo_app *app, const ordo_answer *a)
{
    for (ordo_u64 v = 0; v < a->n && !ferror(s->file); v++) {
        char text[512] = "";
        app->print(a, v, text, sizeof text);
        text[strcspn(text, "\n")] = 0;
        fprintf(s->file, "%s\n", text);
    }
}

/* Values that are vertices, as the user numbers them. */
static void put_numbers(ordo_writer *w, const void *arg, ordo_u64 begin, ordo_u64 end)
{
    const value_lines *of = arg;
    for (ordo_u64 v = begin; v < end; v++) {
        const ordo_u32 value = ((const ordo_u32 *)of->answer->values)[v] + (ordo_u32)of->base;
        ordo_put_bytes(w, &value, sizeof value);
    }
}

enum { USUAL_VALUE = 8, USUAL_EDGE = 20 }; /* bytes of a line */

static void put_values(sink *s, const ordo_app *app, const ordo_answer *a, ordo_u64 base)
{
    static const char *const names[] = {
        [ORDO_U32] = "<u4",     [ORDO_I32] = "<i4",     [ORDO_F32] = "<f4",
        [ORDO_U64] = "<u8",     [ORDO_F64] = "<f8",     [ORDO_I64] = "<i8",
        [ORDO_STRUCT4] = "|V4", [ORDO_STRUCT8] = "|V8", [ORDO_STRUCT16] = "|V16",
    };
    const value_lines of = {app, a, base};
    if (!is_numpy(s->path) && app->print) {
        print_values(s, app, a);
    } else if (!is_numpy(s->path)) {
        sink_parts(s, a->n, USUAL_VALUE, put_value_lines, &of);
    } else if (base) {
        put_numpy_header(s->file, names[a->type], a->n);
        sink_parts(s, a->n, sizeof(ordo_u32), put_numbers, &of);
    } else {
        put_array(s, names[a->type], a->values, a->size, a->n);
    }
}

typedef struct edge_lines {
    const ordo_csr *rows;
    const ordo_u64 *values; /* edges in ascending order; or the flow of each edge */
    ordo_u64 base;
} edge_lines;

static void put_weight(ordo_writer *w, const ordo_csr *rows, ordo_eid e)
{
    if (rows->weight_type == ORDO_NONE)
        return;
    const void *at = ordo_csr_weight_at(rows, e);
    ordo_i64 wide = 0; /* of 8 bytes: aligned to 4 */
    double real;
    if (rows->weight_type == ORDO_I64 || rows->weight_type == ORDO_F64)
        memcpy(&wide, at, sizeof wide);
    memcpy(&real, &wide, sizeof real);
    ordo_put_text(w, " ");
    if (rows->weight_type == ORDO_F32)
        put_real(w, "%.9g", (double)*(const ordo_f32 *)at);
    else if (rows->weight_type == ORDO_I32)
        put_signed(w, *(const ordo_i32 *)at);
    else if (rows->weight_type == ORDO_U32)
        ordo_put_number(w, *(const ordo_u32 *)at);
    else if (rows->weight_type == ORDO_I64)
        put_signed(w, wide);
    else
        put_real(w, "%.17g", real);
}

static void put_edge_lines(ordo_writer *w, const void *arg, ordo_u64 begin, ordo_u64 end)
{
    const edge_lines *of = arg;
    ordo_vid tail = ordo_csr_tail(of->rows, of->values[begin]);
    for (ordo_u64 i = begin; i < end; i++) {
        const ordo_eid e = of->values[i];
        tail = ordo_tail_from(of->rows, tail, e);
        ordo_put_number(w, tail + of->base);
        ordo_put_text(w, " ");
        ordo_put_number(w, of->rows->head[e * of->rows->stride] + of->base);
        put_weight(w, of->rows, e);
        ordo_put_text(w, "\n");
    }
}

static void put_flow_lines(ordo_writer *w, const void *arg, ordo_u64 begin, ordo_u64 end)
{
    const edge_lines *of = arg;
    ordo_vid tail = ordo_csr_tail(of->rows, begin);
    for (ordo_eid e = begin; e < end; e++) {
        tail = ordo_tail_from(of->rows, tail, e);
        ordo_put_text(w, "f ");
        ordo_put_number(w, (ordo_u64)tail + 1);
        ordo_put_text(w, " ");
        ordo_put_number(w, (ordo_u64)of->rows->head[e * of->rows->stride] + 1);
        ordo_put_text(w, " ");
        ordo_put_number(w, of->values[e]);
        ordo_put_text(w, "\n");
    }
}

/* Writes edges as an edge list with the graph's weights, if it has any; as NumPy, their indices. */
static void put_edges(sink *s, const loaded *g, const ordo_answer *a)
{
    if (is_numpy(s->path))
        put_array(s, "<u8", a->values, sizeof(ordo_u64), a->used);
    else
        sink_parts(s, a->used, USUAL_EDGE, put_edge_lines,
                   &(edge_lines){ordo_graph_out(g->graph), a->values, g->id_base});
}

/* Writes a solution in the format of the first DIMACS challenge: the value, and a line for every edge. */
static void put_flow(sink *s, const loaded *g, const ordo_answer *a)
{
    if (is_numpy(s->path)) {
        put_array(s, "<u8", a->values, sizeof(ordo_u64), a->n);
        return;
    }
    fprintf(s->file, "s %llu\n", (unsigned long long)a->fields[0].whole);
    const ordo_csr *rows = ordo_graph_out(g->graph);
    sink_parts(s, rows->m, USUAL_EDGE, put_flow_lines, &(edge_lines){rows, a->values, 1});
}

static void put_sides(ordo_writer *w, const void *arg, ordo_u64 begin, ordo_u64 end)
{
    const ordo_u8 *side = arg;
    for (ordo_u64 v = begin; v < end; v++)
        ordo_put_text(w, side[v] ? "1\n" : "0\n");
}

void write_cut(sink *s, const ordo_answer *answer)
{
    if (is_numpy(s->path))
        put_array(s, "|u1", answer->side, 1, answer->side_count);
    else
        sink_parts(s, answer->side_count, 2, put_sides, answer->side);
}

void write_values(sink *s, const loaded *g, const ordo_app *app, const ordo_answer *answer)
{
    if (app->values_are_edges)
        put_edges(s, g, answer);
    else if (app->values_on_edges)
        put_flow(s, g, answer);
    else
        put_values(s, app, answer, app->values_are_vertices ? g->id_base : 0);
}

typedef struct vertex_lines {
    const ordo_vid *vertices;
    ordo_u64 base;
    bool numpy;
} vertex_lines;

static void put_vertices(ordo_writer *w, const void *arg, ordo_u64 begin, ordo_u64 end)
{
    const vertex_lines *of = arg;
    for (ordo_u64 v = begin; v < end; v++) {
        const ordo_vid one = of->vertices[v];
        const int64_t number = one == ORDO_NO_VERTEX ? -1 : (int64_t)(one + of->base);
        if (of->numpy) {
            ordo_put_bytes(w, &number, sizeof number);
        } else if (number < 0) {
            ordo_put_text(w, "-\n");
        } else {
            ordo_put_number(w, (ordo_u64)number);
            ordo_put_text(w, "\n");
        }
    }
}

void write_vertices(sink *s, const loaded *g, const ordo_vid *vertices, ordo_u64 count)
{
    const bool numpy = is_numpy(s->path);
    if (numpy)
        put_numpy_header(s->file, "<i8", count);
    sink_parts(s, count, USUAL_VALUE, put_vertices, &(vertex_lines){vertices, g->id_base, numpy});
}
