/* ordo_format.c -- Ordo's own binary graphs (.ordo): rows as they are in memory, so that a file is mapped and not read.
 *
 * Problem: a large graph that is used repeatedly should cost no time to load, and a file that is damaged, or has
 * another format, must not be taken for a graph.
 *
 * Method: little-endian words. A header of 256 bytes, zeros up to byte 4096, then the sections, each from a multiple of
 * 4096 on, zeros in between, the file ending where the last one does:
 *
 *   byte   0  u8[8]  89 'o' 'r' 'd' 'o' 0d 0a 1a   contains bytes that a transfer in text mode changes
 *          8  u32    version: 1; 2 where weights      12  u32  01020304 (hexadecimal): the order of bytes
 *                    have 8 bytes
 *         16  u32    bytes of the header: 256       20  u8   bytes of a vertex: 4
 *         21  u8     bytes of an offset: 8          22  u8   type of weights: 0 none, 1 u32, 2 i32, 3 f32; in version
 *                                                             2: 5 f64, 6 i64
 *         23  u8     words an edge: 1 or, with weights, 2; in version 2: 3
 *         24  u32    1: symmetric, 2: has coordinates, 4: has sizes of vertices; added up
 *         28  u32    weights a vertex, 0: none      32  u64  vertices n
 *         40  u64    edges m                        48  u64  what the graph's source calls vertex 0
 *         56  u32    source of a flow network       60  u32  its sink; ffffffff (hexadecimal): none
 *         64  {u64 first byte, u64 bytes}[5]        sections; both 0 for one that is not there or empty
 *        144  u64    bytes of the file
 *        152  u64    checksum, 160 u64 loops, 168 u64 max_degree, 176 f64 weight_min, 184 f64 weight_max,
 *        192  f64    weight_mean, all of ordo_graph_info
 *        200  u64    checksum of the sections but the first two, as words of 64 bits, zeros after the end
 *        208  u64[5] 0                             248  u64  checksum of the 248 bytes before
 *
 * Sections: rows u64[n + 1]; edges {u32 head}, {u32 head, u32 weight} or {u32 head, u32 weight[2], low word first}
 * [m]; coordinates {i32 x, i32 y}[n]; weights of
 * vertices u32[n][weights]; sizes of vertices u32[n]. A checksum is h = 0, then for each word w: h = (h ^ w) *
 * 9e3779b97f4a7c15 (hexadecimal), h ^= h >> 29.
 *
 * The header says where everything must be, so that each field is either checked or follows from others. With `trust`
 * that is all, and the statistics are the header's. Else rows and heads are checked and both checksums compared: one
 * pass over the file. Where edges are to be changed, rows are copied first.
 *
 * Not done: files of machines of the other byte order (refused); compressed files are read, but into memory.
 */
#include "graph.h"

#include "framework/run/phase.h"

#include <stddef.h>
#include <string.h>

enum { PAGE = 4096, SECTIONS = 5, VERSION = 1, WIDE_VERSION = 2 };
enum { ROWS, EDGES, COORDINATES, WEIGHTS, SIZES };
enum { SYMMETRIC = 1, HAS_COORDINATES = 2, HAS_SIZES = 4 };

typedef struct section {
    ordo_u64 first, bytes;
} section;

typedef struct header {
    ordo_u8 magic[8];
    ordo_u32 version, order, header_bytes;
    ordo_u8 vertex_bytes, offset_bytes, weight_type, words;
    ordo_u32 flags, vertex_weights;
    ordo_u64 n, m, id_base;
    ordo_vid source, sink;
    section sections[SECTIONS];
    ordo_u64 file_bytes;
    ordo_u64 checksum, loops, max_degree;
    double weight_min, weight_max, weight_mean;
    ordo_u64 vertex_checksum;
    ordo_u64 zero[5];
    ordo_u64 header_checksum;
} header;
_Static_assert(sizeof(header) == 256 && offsetof(header, sections) == 64 && offsetof(header, checksum) == 152 &&
                   offsetof(header, header_checksum) == 248,
               "the layout is a part of the format");

static const char magic[8] = ORDO_OWN_MAGIC; /* without the zero */
static const ordo_u32 little = 0x01020304;

static ordo_u64 mix(ordo_u64 hash, ordo_u64 word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static ordo_u64 checksum_of(ordo_u64 hash, const void *bytes, ordo_u64 size)
{
    const ordo_u8 *at = bytes;
    if (!size)
        return hash;
    for (; size >= 8; at += 8, size -= 8)
        hash = mix(hash, ordo_load64(at));
    ordo_u64 rest = 0;
    memcpy(&rest, at, size);
    return size ? mix(hash, rest) : hash;
}

static ordo_u64 header_checksum(const header *h)
{
    return checksum_of(0, h, offsetof(header, header_checksum));
}

/* Where the sections are, given everything before them in the header; false where that is beyond 64 bits. */
static bool lay_out(header *h)
{
    ordo_u64 bytes[SECTIONS] = {8 * (h->n + 1), 0, h->flags & HAS_COORDINATES ? 8 * h->n : 0, 0,
                                h->flags & HAS_SIZES ? 4 * h->n : 0}; /* n is of 32 bits */
    ordo_u64 end = PAGE;
    if (__builtin_mul_overflow(h->m, 4u * h->words, &bytes[EDGES]) ||
        __builtin_mul_overflow(h->n * 4, h->vertex_weights, &bytes[WEIGHTS]))
        return false;
    for (int i = 0; i < SECTIONS; i++) {
        h->sections[i] = (section){0, 0};
        if (!bytes[i])
            continue;
        ordo_u64 first = (end + PAGE - 1) / PAGE * PAGE;
        if (first < end || __builtin_add_overflow(first, bytes[i], &end))
            return false;
        h->sections[i] = (section){first, bytes[i]};
    }
    h->file_bytes = end;
    return true;
}

/* ---- reading ---- */

static ordo_status fail_at(const ordo_input *in, ordo_u64 at, ordo_u64 found, const char *what, const char *expected)
{
    return ordo_fail(ORDO_ERR_INPUT, "%s: byte %llu: found %llu as %s, expected %s", in->name, (unsigned long long)at,
                     (unsigned long long)found, what, expected);
}

#define AT(_field) offsetof(header, _field)

/* Checks that the file has this version and byte order. */
static ordo_status check_kind(const ordo_input *in, header *h)
{
    if (in->size < sizeof magic || memcmp(in->bytes, magic, sizeof magic) != 0) {
        bool text = in->size >= 5 && memcmp(in->bytes, magic, 5) == 0;
        return ordo_fail(ORDO_ERR_INPUT, "%s: byte %d: found other bytes, expected the first eight of an .ordo file%s",
                         in->name, text ? 5 : 0, text ? ": damaged, as by a transfer as text" : "");
    }
    if (in->size < PAGE)
        return ordo_fail(ORDO_ERR_INPUT, "%s: byte %zu: found the end of the file, expected %d bytes of header",
                         in->name, in->size, PAGE);
    memcpy(h, in->bytes, sizeof *h);
    if (h->order == __builtin_bswap32(little))
        return ordo_fail(ORDO_ERR_INPUT,
                         "%s: byte %zu: found big-endian numbers, expected little-endian ones: the file was written by "
                         "a machine of the other byte order",
                         in->name, AT(order));
    if (h->order != little)
        return fail_at(in, AT(order), h->order, "mark of the byte order", "16909060");
    if (h->version != VERSION && h->version != WIDE_VERSION)
        return fail_at(in, AT(version), h->version, "version of the format", "1 or 2, those that this Ordo knows");
    return ORDO_OK;
}

static ordo_status check_header(const ordo_input *in, header *h)
{
    ordo_status status = check_kind(in, h);
    if (status)
        return status;
    ordo_u64 sum = header_checksum(h);
    if (sum != h->header_checksum)
        return ordo_fail(ORDO_ERR_INPUT,
                         "%s: byte %zu: found %016llx as checksum of the header, expected %016llx: damaged", in->name,
                         AT(header_checksum), (unsigned long long)h->header_checksum, (unsigned long long)sum);
    if (h->header_bytes != sizeof *h)
        return fail_at(in, AT(header_bytes), h->header_bytes, "bytes of the header", "256");
    if (h->vertex_bytes != sizeof(ordo_vid))
        return fail_at(in, AT(vertex_bytes), h->vertex_bytes, "bytes of a vertex", "4");
    if (h->offset_bytes != sizeof(ordo_eid))
        return fail_at(in, AT(offset_bytes), h->offset_bytes, "bytes of an offset", "8");
    const bool wide = h->version == WIDE_VERSION;
    if (wide ? !ordo_type_wide((ordo_type)h->weight_type) : h->weight_type > ORDO_F32)
        return fail_at(in, AT(weight_type), h->weight_type, "type of weights", wide ? "5 or 6" : "0 to 3");
    if (h->words != (wide ? 3 : h->weight_type == ORDO_NONE ? 1 : 2))
        return fail_at(in, AT(words), h->words, "words an edge", wide ? "3" : "2 with weights, 1 without");
    if (h->flags & ~(ordo_u32)(SYMMETRIC | HAS_COORDINATES | HAS_SIZES))
        return fail_at(in, AT(flags), h->flags, "flags", "those of this version only");
    if (h->n > ORDO_MAX_VERTICES)
        return fail_at(in, AT(n), h->n, "number of vertices", "at most 4294967294");
    if (h->n == 0 && h->m)
        return fail_at(in, AT(m), h->m, "number of edges", "0 as there are no vertices");
    if (h->source >= h->n && h->source != ORDO_NO_VERTEX)
        return fail_at(in, AT(source), h->source, "the source", "a vertex or 4294967295");
    if (h->sink >= h->n && h->sink != ORDO_NO_VERTEX)
        return fail_at(in, AT(sink), h->sink, "the sink", "a vertex or 4294967295");
    header should = *h;
    if (!lay_out(&should) || should.file_bytes > INT64_MAX)
        return fail_at(in, AT(m), h->m, "number of edges", "as many as fit a file");
    for (int i = 0; i < SECTIONS; i++)
        if (h->sections[i].first != should.sections[i].first || h->sections[i].bytes != should.sections[i].bytes)
            return fail_at(in, AT(sections) + (ordo_u64)i * sizeof(section), h->sections[i].first,
                           "the first byte of a section", "it where the counts put it, and its size");
    if (h->file_bytes != should.file_bytes)
        return fail_at(in, AT(file_bytes), h->file_bytes, "bytes of the file", "the end of the last section");
    for (int i = 0; i < 5; i++)
        if (h->zero[i])
            return fail_at(in, AT(zero) + (ordo_u64)i * 8, h->zero[i], "a word without use", "0");
    if (in->size != h->file_bytes)
        return ordo_fail(ORDO_ERR_INPUT, "%s: byte %llu: found %s, expected %llu bytes as the header says", in->name,
                         (unsigned long long)(in->size < h->file_bytes ? in->size : h->file_bytes),
                         in->size < h->file_bytes ? "the end of the file" : "more bytes",
                         (unsigned long long)h->file_bytes);
    return ORDO_OK;
}

/* Checks that there are only zeros between the header and the sections. */
static ordo_status check_gaps(const ordo_input *in, const header *h)
{
    ordo_u64 at = sizeof *h;
    for (int i = 0; i < SECTIONS; i++) {
        if (!h->sections[i].bytes)
            continue;
        for (; at < h->sections[i].first; at++)
            if (in->bytes[at])
                return fail_at(in, at, in->bytes[at], "a byte between sections", "0");
        at = h->sections[i].first + h->sections[i].bytes;
    }
    return ORDO_OK;
}

static const void *section_of(const ordo_input *in, const header *h, int i)
{
    return h->sections[i].bytes ? in->bytes + h->sections[i].first : NULL;
}

static ordo_u64 vertex_checksum(const void *const data[3], const ordo_u64 bytes[3])
{
    ordo_u64 hash = 0;
    for (int i = 0; i < 3; i++)
        hash = checksum_of(hash, data[i], data[i] ? bytes[i] : 0);
    return hash;
}

static ordo_status check_vertex_data(const ordo_input *in, const header *h)
{
    const void *data[3];
    ordo_u64 bytes[3];
    for (int i = 0; i < 3; i++) {
        data[i] = section_of(in, h, COORDINATES + i);
        bytes[i] = h->sections[COORDINATES + i].bytes;
    }
    ordo_u64 sum = vertex_checksum(data, bytes);
    if (sum == h->vertex_checksum)
        return ORDO_OK;
    return ordo_fail(ORDO_ERR_INPUT,
                     "%s: found checksum %016llx of what it says of vertices, expected %016llx as at byte %zu: damaged",
                     in->name, (unsigned long long)sum, (unsigned long long)h->vertex_checksum, AT(vertex_checksum));
}

static void csr_of(const ordo_input *in, const header *h, ordo_csr *csr)
{
    const ordo_vid *edges = section_of(in, h, EDGES);
    if (!edges)
        edges = (const ordo_vid *)(const void *)in->bytes; /* no edge: anything but NULL */
    *csr = (ordo_csr){.n = (ordo_vid)h->n,
                      .m = h->m,
                      .row = section_of(in, h, ROWS),
                      .head = edges,
                      .weight = h->weight_type == ORDO_NONE ? NULL : edges + 1,
                      .stride = h->words,
                      .weight_type = (ordo_type)h->weight_type};
}

/* Statistics that the header contains need no scan. */
static void take_statistics(ordo_graph *g, const header *h)
{
    g->info.checksum = h->checksum;
    g->info.loops = h->loops;
    g->info.max_degree = h->max_degree;
    g->info.weight_min = h->weight_min;
    g->info.weight_max = h->weight_max;
    g->info.weight_mean = h->weight_mean;
    g->scanned = true;
}

static ordo_status check_contents(const ordo_graph *g, const header *h)
{
    ordo_graph_info info;
    ordo_graph_get_info(g, &info);
    if (info.checksum == h->checksum)
        return ORDO_OK;
    return ordo_fail(ORDO_ERR_INPUT,
                     "%s: found checksum %016llx of rows, heads and weights, expected %016llx as at byte %zu: damaged",
                     info.source, (unsigned long long)info.checksum, (unsigned long long)h->checksum, AT(checksum));
}

/* ---- rows that are to be changed ---- */

static bool to_be_changed(const ordo_edge_options *o, const header *h)
{
    bool weighted = h->weight_type != ORDO_NONE;
    return (o->direction != ORDO_AS_STORED && !(h->flags & SYMMETRIC)) || o->drop_loops ||
           o->parallel != ORDO_PARALLEL_KEEP || (o->weights == ORDO_WEIGHTS_DROP && weighted) ||
           o->weights == ORDO_WEIGHTS_UNIFORM || o->weights == ORDO_WEIGHTS_REPLACE ||
           (weighted && o->weight_type != ORDO_NONE && o->weight_type != (ordo_type)h->weight_type);
}

typedef struct copying {
    const ordo_csr *from;
    ordo_csr to;
    ordo_team *team;
    ordo_phase phase; /* counts edges */
} copying;

static void copy_part(void *arg, int member)
{
    copying *c = arg;
    const ordo_csr *from = c->from;
    ordo_vid *head = (ordo_vid *)(size_t)c->to.head;
    ordo_u64 begin, end;
    ordo_split((ordo_u64)from->n + 1, ordo_team_size(c->team), member, &begin, &end);
    memcpy((ordo_eid *)(size_t)c->to.row + begin, from->row + begin, (end - begin) * sizeof *from->row);
    ordo_split(from->m, ordo_team_size(c->team), member, &begin, &end);
    for (ordo_eid e = begin; e < end; e++) {
        if (e % ORDO_INPUT_PART == 0 && ordo_phase_step(&c->phase, ORDO_INPUT_PART))
            return;
        head[e * c->to.stride] = from->head[e * from->stride];
        if (c->to.stride > 1)
            ordo_put_word(head + e * c->to.stride, c->to.stride - 1, ordo_csr_word(from, e));
    }
}

static ordo_status copy_array(const void *from, ordo_u64 count, ordo_u64 words, const void **to)
{
    *to = NULL;
    if (!from)
        return ORDO_OK;
    ordo_u32 *copy = ordo_alloc(count * words, sizeof *copy);
    if (!copy)
        return ORDO_ERR_MEMORY;
    memcpy(copy, from, count * words * sizeof *copy);
    *to = copy;
    return ORDO_OK;
}

/* Copies the rows and the data of vertices; *v is empty where it fails. */
static ordo_status copy_all(const ordo_graph *g, bool weights, int threads, ordo_csr *csr, ordo_vertex_data *v)
{
    copying c = {.from = &g->out};
    const ordo_vertex_data *from = &g->vertices;
    const void *coordinate = NULL, *weight = NULL, *size = NULL;
    ordo_u64 n = g->out.n;
    ordo_status status = copy_array(from->coordinate, n, 2, &coordinate);
    if (!status)
        status = copy_array(from->weight, n, from->weights, &weight);
    if (!status)
        status = copy_array(from->size, n, 1, &size);
    *v = (ordo_vertex_data){coordinate, weight, from->weights, size, from->source, from->sink};
    if (!status)
        status = ordo_csr_alloc(n, g->out.m, weights ? g->out.weight_type : ORDO_NONE, &c.to);
    if (!status) {
        status = ordo_graph_team(threads, n + g->out.m, &c.team);
        if (status)
            ordo_csr_free(&c.to);
    }
    if (status) {
        ordo_vertex_data_free(v);
        return status;
    }
    ordo_phase_begin(&c.phase, "reading", g->out.m);
    ordo_team_run(c.team, copy_part, &c);
    ordo_team_return(c.team);
    if ((status = ordo_phase_end(&c.phase))) {
        ordo_csr_free(&c.to);
        ordo_vertex_data_free(v);
        return status;
    }
    *csr = c.to;
    return ORDO_OK;
}

static ordo_status change(ordo_graph *below, const ordo_read_options *options, ordo_origin *origin, ordo_graph **out)
{
    ordo_csr csr;
    bool symmetric = below->symmetric;
    ordo_status status = copy_all(below, ordo_weights_wanted(&options->edges), origin->threads, &csr, origin->vertices);
    ordo_graph_free(below); /* the graph takes over the file */
    return status ? status : ordo_graph_from_rows(&csr, symmetric, origin, out);
}

ordo_status ordo_read_ordo(ordo_input *in, const ordo_read_options *options, ordo_origin *origin, ordo_graph **out)
{
    header h;
    ordo_status status = check_header(in, &h);
    if (!status)
        status = check_gaps(in, &h);
    if (!status && !options->trust)
        status = check_vertex_data(in, &h);
    if (status)
        return status;
    origin->format = "Ordo .ordo";
    origin->id_base = h.id_base;
    ordo_csr csr;
    csr_of(in, &h, &csr);
    ordo_vertex_data vertices = {.coordinate = section_of(in, &h, COORDINATES),
                                 .weight = section_of(in, &h, WEIGHTS),
                                 .weights = h.vertex_weights,
                                 .size = section_of(in, &h, SIZES),
                                 .source = h.source,
                                 .sink = h.sink};
    if (csr.row[0] != 0 || csr.row[h.n] != h.m) /* cheap, so done with `trust` as well */
        return fail_at(in, h.sections[ROWS].first + (csr.row[0] ? 0 : 8 * h.n), csr.row[csr.row[0] ? 0 : h.n],
                       "an offset of edges", "0 in the first row, the number of edges after the last");
    ordo_graph *g = NULL;
    status = ordo_graph_over(&csr, h.flags & SYMMETRIC, &vertices, origin, options->trust, in, &g);
    if (status)
        return status;
    if (options->trust)
        take_statistics(g, &h);
    else
        status = check_contents(g, &h);
    if (status) {
        ordo_graph_free(g);
        return status;
    }
    if (to_be_changed(&options->edges, &h))
        return change(g, options, origin, out);
    *out = g;
    return ORDO_OK;
}

/* ---- writing ---- */

ordo_status ordo_write_ordo(ordo_writer *w, const ordo_graph *graph)
{
    static const ordo_u8 zeros[PAGE];
    const ordo_csr *g = ordo_graph_out(graph);
    const ordo_vertex_data *v = ordo_graph_vertex_data(graph);
    ordo_graph_info info;
    ordo_graph_get_info(graph, &info);
    header h = {.version = ordo_type_wide(g->weight_type) ? WIDE_VERSION : VERSION,
                .order = little,
                .header_bytes = sizeof h,
                .vertex_bytes = sizeof(ordo_vid),
                .offset_bytes = sizeof(ordo_eid),
                .weight_type = (ordo_u8)g->weight_type,
                .words = (ordo_u8)ordo_edge_words(g->weight_type),
                .vertex_weights = v->weight ? v->weights : 0,
                .n = g->n,
                .m = g->m,
                .id_base = info.id_base,
                .source = v->source,
                .sink = v->sink,
                .checksum = info.checksum,
                .loops = info.loops,
                .max_degree = info.max_degree,
                .weight_min = info.weight_min,
                .weight_max = info.weight_max,
                .weight_mean = info.weight_mean};
    memcpy(h.magic, magic, sizeof magic);
    h.flags = (info.symmetric ? SYMMETRIC : 0) | (v->coordinate ? HAS_COORDINATES : 0) | (v->size ? HAS_SIZES : 0);
    if (!lay_out(&h))
        return ordo_fail(ORDO_ERR_USAGE, "found %llu edges, expected as many as fit a file", (unsigned long long)g->m);
    const void *data[SECTIONS] = {g->row, NULL, v->coordinate, v->weight, v->size};
    const ordo_u64 bytes[3] = {h.sections[COORDINATES].bytes, h.sections[WEIGHTS].bytes, h.sections[SIZES].bytes};
    h.vertex_checksum = vertex_checksum(data + COORDINATES, bytes);
    h.header_checksum = header_checksum(&h);

    ordo_put_bytes(w, &h, sizeof h);
    ordo_u64 at = sizeof h;
    for (int i = 0; i < SECTIONS; i++) {
        if (!h.sections[i].bytes)
            continue;
        ordo_put_bytes(w, zeros, h.sections[i].first - at);
        const ordo_status status = i == EDGES ? ordo_put_edges(w, graph->threads, g)
                                              : ordo_put_array(w, graph->threads, data[i], h.sections[i].bytes);
        if (status)
            return status;
        at = h.sections[i].first + h.sections[i].bytes;
    }
    return ORDO_OK;
}
