/* galois.c -- the binary graphs of the Galois system (.gr, versions 1 and 2).
 *
 * Problem: little-endian binary: u64 version, u64 bytes of an edge's data (0, 4 or 8), u64 vertices n, u64 edges m; u64
 * end[n], where the rows end; m heads of u32 (version 1) or u64 (version 2); in version 1 four bytes more if m is odd;
 * m pieces of edge data. DIMACS has the same suffix. Nothing in the file says what the edge data are.
 *
 * Method: a file is taken for a Galois graph if the size that its header implies is exactly the size of the file.
 * Everything is copied in parallel and checked at the same time. Edge data are taken as unsigned integers; those of 8
 * bytes are refused where they do not fit 32 bits (as doubles do not). Written: version 1, edge data u32 or none.
 *
 * The layout is that of libgalois: the comments of OfflineGraph.h, rawBlockSize() of FileGraph.cpp, and the writer
 * classes beside both. They differ in two places. Where there are no edge data and m is odd, FileGraphWriter ends
 * version 1 with four bytes of padding and OfflineGraphWriter without: both are read, the first is written.
 * FileGraph::fromMem() skips padding in version 2 too, of 8 bytes, which no writer produces: none is expected.
 *
 * Not done: edge data that are signed or real (nothing in the file distinguishes them); big-endian files, which are
 * refused by name.
 */
#include "graph.h"

#include "framework/run/phase.h"

enum { HEADER = 32 };

typedef struct galois {
    const ordo_input *in;
    ordo_u64 version, data_bytes, n, m;
    ordo_u32 head_bytes;
    const ordo_u8 *ends, *heads, *data;
    ordo_team *team;
    ordo_phase phase; /* counts edges, of galois their data, too */
    ordo_eid *row;
    ordo_vid *head;
    ordo_u32 stride;
    ordo_type type;                       /* of the weights */
    ordo_u64 bad_row, bad_edge, bad_data; /* atomic: the first wrong ones found; n, m and m if none */
} galois;

static ordo_status fail_at(const ordo_input *in, ordo_u64 at, ordo_u64 found, const char *what, const char *expected)
{
    return ordo_fail(ORDO_ERR_INPUT, "%s: byte %llu: found %llu as %s, expected %s", in->name, (unsigned long long)at,
                     (unsigned long long)found, what, expected);
}

/* n is below 2^32 and m below 2^59: no sum here overflows. */
static ordo_u64 data_offset(const galois *g)
{
    ordo_u64 end = HEADER + 8 * g->n + g->head_bytes * g->m;
    return end + (g->head_bytes == 4 && g->m % 2 ? 4 : 0);
}

static ordo_status read_header(const ordo_input *in, galois *g)
{
    *g = (galois){.in = in};
    if (in->size < HEADER)
        return ordo_fail(ORDO_ERR_INPUT,
                         "%s: byte %zu: found the end of the file, expected a Galois header of %d bytes", in->name,
                         in->size, HEADER);
    g->version = ordo_load64(in->bytes);
    g->data_bytes = ordo_load64(in->bytes + 8);
    g->n = ordo_load64(in->bytes + 16);
    g->m = ordo_load64(in->bytes + 24);
    if (g->version == (ordo_u64)1 << 56 || g->version == (ordo_u64)2 << 56)
        return ordo_fail(ORDO_ERR_INPUT,
                         "%s: byte 0: found a Galois header of big-endian numbers, expected little-endian ones: the "
                         "file was written by a machine of the other byte order",
                         in->name);
    if (g->version != 1 && g->version != 2)
        return fail_at(in, 0, g->version, "Galois version", "1 or 2");
    if (g->data_bytes != 0 && g->data_bytes != 4 && g->data_bytes != 8)
        return fail_at(in, 8, g->data_bytes, "bytes of an edge's data", "0, 4 or 8");
    if (g->n > ORDO_MAX_VERTICES)
        return fail_at(in, 16, g->n, "number of vertices", "at most 4294967294");
    if (g->m >> 59)
        return fail_at(in, 24, g->m, "number of edges", "less than 2^59");
    g->head_bytes = g->version == 1 ? 4 : 8;
    return ORDO_OK;
}

static bool fits(const galois *g)
{
    ordo_u64 wanted = data_offset(g) + g->data_bytes * g->m;
    bool unpadded = !g->data_bytes && g->version == 1 && g->m % 2 && g->in->size == wanted - 4;
    return g->in->size == wanted || unpadded;
}

bool ordo_looks_like_galois(const ordo_input *in)
{
    galois g;
    ordo_u64 version = in->size >= HEADER ? ordo_load64(in->bytes) : 0;
    return (version == 1 || version == 2) && read_header(in, &g) == ORDO_OK && fits(&g);
}

static ordo_u64 head_of(const galois *g, ordo_u64 e)
{
    return g->head_bytes == 4 ? ordo_load32(g->heads + 4 * e) : ordo_load64(g->heads + 8 * e);
}

static ordo_u64 data_of(const galois *g, ordo_u64 e)
{
    return g->data_bytes == 4 ? ordo_load32(g->data + 4 * e) : ordo_load64(g->data + 8 * e);
}

static void copy_part(void *arg, int member)
{
    galois *g = arg;
    ordo_u64 begin, end;
    ordo_split(g->n, ordo_team_size(g->team), member, &begin, &end);
    for (ordo_u64 u = begin; u < end; u++) {
        ordo_u64 stop = ordo_load64(g->ends + 8 * u), start = u ? ordo_load64(g->ends + 8 * (u - 1)) : 0;
        if (stop < start || stop > g->m || (u == g->n - 1 && stop != g->m)) {
            ordo_keep_least(&g->bad_row, u);
            break;
        }
        g->row[u + 1] = stop;
    }
    ordo_split(g->m, ordo_team_size(g->team), member, &begin, &end);
    const ordo_u8 *passed = g->heads + begin * g->head_bytes;
    for (ordo_u64 e = begin; e < end; e++) {
        ordo_u64 head = head_of(g, e);
        if (e % ORDO_INPUT_PART == 0) {
            if (ordo_phase_step(&g->phase, ORDO_INPUT_PART))
                return;
            ordo_input_passed(g->in, passed, g->heads + e * g->head_bytes);
            passed = g->heads + e * g->head_bytes;
        }
        if (head >= g->n) {
            ordo_keep_least(&g->bad_edge, e);
            break;
        }
        g->head[e * g->stride] = (ordo_vid)head;
    }
    passed = g->data + begin * g->data_bytes;
    for (ordo_u64 e = begin; e < end && g->stride > 1; e++) {
        ordo_u64 weight = data_of(g, e);
        if (e % ORDO_INPUT_PART == 0) {
            if (ordo_phase_step(&g->phase, ORDO_INPUT_PART))
                return;
            ordo_input_passed(g->in, passed, g->data + e * g->data_bytes);
            passed = g->data + e * g->data_bytes;
        }
        if (g->stride == 2 ? weight > UINT32_MAX : !ordo_wide_allowed(g->type, weight)) {
            ordo_keep_least(&g->bad_data, e);
            break;
        }
        ordo_put_word(g->head + e * g->stride, g->stride - 1, weight);
    }
}

static ordo_status copy_rows(void *arg, ordo_team *team, ordo_csr *csr)
{
    galois *g = arg;
    const ordo_input *in = g->in;
    g->ends = in->bytes + HEADER;
    g->heads = g->ends + 8 * g->n;
    g->data = in->bytes + (g->data_bytes ? data_offset(g) : 0);
    g->row = (ordo_eid *)(size_t)csr->row;
    g->head = (ordo_vid *)(size_t)csr->head;
    g->stride = csr->stride;
    g->bad_row = g->n;
    g->bad_edge = g->bad_data = g->m;
    g->row[0] = 0;
    g->team = team;
    g->type = csr->weight_type;
    ordo_phase_begin(&g->phase, "reading", g->stride > 1 ? 2 * g->m : g->m);
    ordo_team_run(team, copy_part, g);
    ordo_status status = ordo_phase_end(&g->phase);
    if (status)
        return status;
    if (g->bad_row < g->n)
        return fail_at(in, HEADER + 8 * g->bad_row, ordo_load64(g->ends + 8 * g->bad_row), "the end of a row",
                       g->bad_row == g->n - 1 ? "the number of edges"
                                              : "one from that of the row before to the number of edges");
    if (g->bad_edge < g->m)
        return fail_at(in, (ordo_u64)(g->heads - in->bytes) + g->bad_edge * g->head_bytes, head_of(g, g->bad_edge),
                       "a head", "one below the number of vertices");
    if (g->bad_data < g->m)
        return fail_at(in, (ordo_u64)(g->data - in->bytes) + g->bad_data * g->data_bytes, data_of(g, g->bad_data),
                       "an edge's data",
                       g->stride == 2        ? "an unsigned integer of 32 bits (--weight-type says i64 or f64)"
                       : g->type == ORDO_I64 ? "an integer of 64 bits above the least one"
                                             : "a finite f64");
    return ORDO_OK;
}

static ordo_status check_size(const galois *g)
{
    const ordo_input *in = g->in;
    ordo_u64 wanted = data_offset(g) + g->data_bytes * g->m;
    if (g->n == 0 && g->m)
        return fail_at(in, 24, g->m, "number of edges", "0 as there are no vertices");
    if (fits(g))
        return ORDO_OK;
    return ordo_fail(
        ORDO_ERR_INPUT,
        "%s: byte %llu: found %s, expected %llu bytes of Galois version %llu for %llu vertices, %llu edges "
        "and %llu bytes of data an edge",
        in->name, (unsigned long long)(in->size < wanted ? in->size : wanted),
        in->size < wanted ? "the end of the file" : "more bytes", (unsigned long long)wanted,
        (unsigned long long)g->version, (unsigned long long)g->n, (unsigned long long)g->m,
        (unsigned long long)g->data_bytes);
}

ordo_status ordo_read_galois(ordo_input *in, const ordo_read_options *options, ordo_origin *origin, ordo_graph **out)
{
    galois g;
    ordo_status status = read_header(in, &g);
    if (!status)
        status = check_size(&g);
    if (status)
        return status;
    origin->format = g.version == 1 ? "Galois .gr version 1" : "Galois .gr version 2";
    origin->id_base = 0;
    /* The file does not say what data of 8 bytes are. */
    const bool wide = g.data_bytes == 8 && ordo_type_wide(options->edges.weight_type);
    ordo_type type = !g.data_bytes || !ordo_weights_wanted(&options->edges) ? ORDO_NONE
                     : wide                                                 ? options->edges.weight_type
                                                                            : ORDO_U32;
    return ordo_graph_from_file(in, g.n, g.m, type, false, copy_rows, &g, origin, out);
}

/* ---- writing ---- */

static void put_heads(ordo_writer *w, const void *arg, ordo_u64 begin, ordo_u64 end)
{
    const ordo_csr *g = arg;
    for (ordo_eid e = begin; e < end; e++)
        ordo_put_bytes(w, &g->head[e * g->stride], sizeof *g->head);
}

static void put_weights(ordo_writer *w, const void *arg, ordo_u64 begin, ordo_u64 end)
{
    const ordo_csr *g = arg;
    for (ordo_eid e = begin; e < end; e++) {
        const ordo_u64 weight = ordo_csr_word(g, e); /* little-endian: its low word comes first */
        ordo_put_bytes(w, &weight, ordo_type_bytes(g->weight_type));
    }
}

ordo_status ordo_write_galois(ordo_writer *w, const ordo_graph *graph)
{
    const ordo_csr *g = ordo_graph_out(graph);
    const ordo_u32 padding = 0;
    ordo_put_word64(w, 1);
    ordo_put_word64(w, g->weight_type == ORDO_NONE ? 0 : ordo_type_bytes(g->weight_type));
    ordo_put_word64(w, g->n);
    ordo_put_word64(w, g->m);
    ordo_status status = ordo_put_array(w, graph->threads, g->row + 1, g->n * sizeof *g->row);
    if (!status)
        status = ordo_put_parts(w, graph->threads, g->m, sizeof *g->head, put_heads, g);
    if (g->m % 2)
        ordo_put_bytes(w, &padding, sizeof padding);
    if (!status && g->weight_type != ORDO_NONE)
        status = ordo_put_parts(w, graph->threads, g->m, ordo_type_bytes(g->weight_type), put_weights, g);
    return status;
}
