/* write.c -- writes graphs to files: chooses the format, and checks that it can hold the graph.
 *
 * Problem: no weight may be lost or invented.
 *
 * Method: a table says what each format holds. The graph is compared with it before a file is made; the writer of the
 * format then puts its bytes (writer.c).
 */
#include "wrap.h"

#include "framework/run/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* What members look for, each in its part of the edges. */
typedef struct search {
    const ordo_csr *g;
    int holds; /* of the format */
    int members;
    bool loops;     /* look for loops as well */
    int negative;   /* atomic: whether a weight is below 0 */
    ordo_u64 loop;  /* atomic: the first vertex that has one; n if none */
    ordo_u64 wrong; /* atomic: the first edge whose weight the format cannot hold; m if none */
} search;

/* Whether the weight is one of those that a format leaves out of a type that it holds. */
static bool left_out(ordo_type type, int holds, ordo_u64 bits)
{
    const ordo_u32 low = (ordo_u32)bits;
    ordo_f32 real;
    memcpy(&real, &low, sizeof real);
    return (type == ORDO_F64 && holds & FINITE && !isfinite(ordo_bits_f64(bits))) ||
           (type == ORDO_U32 && holds & U31 && low > INT32_MAX) ||
           (type == ORDO_F32 && holds & FINITE && !isfinite(real));
}

static void search_part(void *arg, int member)
{
    search *s = arg;
    const ordo_csr *g = s->g;
    bool negative = false;
    ordo_u64 begin, end;
    ordo_split(g->m, s->members, member, &begin, &end);
    for (ordo_eid e = begin; e < end && g->weight_type != ORDO_NONE; e++) {
        const ordo_u64 bits = ordo_csr_word(g, e);
        negative |= g->weight_type == ORDO_I64 ? (ordo_i64)bits < 0 : (ordo_i32)bits < 0;
        if (left_out(g->weight_type, s->holds, bits)) {
            ordo_keep_least(&s->wrong, e);
            break;
        }
    }
    if (negative)
        __atomic_store_n(&s->negative, 1, __ATOMIC_RELAXED);
    ordo_split(g->n, s->members, member, &begin, &end);
    for (ordo_u64 u = begin; u < end && s->loops; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++)
            if (g->head[e * g->stride] == u)
                ordo_keep_least(&s->loop, u);
}

static ordo_status search_edges(const ordo_graph *graph, search *s)
{
    ordo_team *team;
    s->loop = s->g->n;
    s->wrong = s->g->m;
    if (s->g->weight_type == ORDO_NONE && !s->loops)
        return ORDO_OK;
    const ordo_status status = ordo_graph_team(graph->threads, s->g->m + s->g->n, &team);
    if (status)
        return status;
    s->members = ordo_team_size(team);
    ordo_team_run(team, search_part, s);
    ordo_team_return(team);
    return ORDO_OK;
}

static ordo_status check_weights(const search *s, const struct format *f, const char *path)
{
    const ordo_csr *g = s->g;
    const int holds = f->holds;
    if (s->wrong < g->m) {
        const ordo_u64 bits = ordo_csr_word(g, s->wrong);
        const ordo_u32 low = (ordo_u32)bits;
        ordo_f32 real;
        memcpy(&real, &low, sizeof real);
        if (g->weight_type == ORDO_U32)
            return ordo_fail(ORDO_ERR_USAGE, "%s: found weight %u, expected at most %d in %s", path, low, INT32_MAX,
                             f->suffix);
        return ordo_fail(ORDO_ERR_USAGE, "%s: found weight %g, expected a finite one in %s", path,
                         g->weight_type == ORDO_F64 ? ordo_bits_f64(bits) : (double)real, f->suffix);
    }
    /* i32 weights of which none is negative can be written as u32. */
    bool fits = holds & 1 << g->weight_type || (g->weight_type == ORDO_I32 && !s->negative && holds & U32) ||
                (g->weight_type == ORDO_I64 && !s->negative && holds & N63);
    if (!fits)
        return ordo_fail(ORDO_ERR_USAGE, "%s: found %s weights%s, expected others: %s cannot hold them", path,
                         ordo_type_name(g->weight_type),
                         s->negative && (g->weight_type == ORDO_I32 || g->weight_type == ORDO_I64) ? " below 0" : "",
                         f->suffix);
    return ORDO_OK;
}

static ordo_status check_fit(const ordo_graph *graph, const struct format *f, const char *path)
{
    const ordo_csr *g = &graph->out;
    const bool weighted = g->weight_type != ORDO_NONE;
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
    if (!weighted && !(f->holds & NONE))
        return ordo_fail(ORDO_ERR_USAGE,
                         "%s: found a graph without weights, expected weights: %s has one an edge (they can be drawn)",
                         path, f->suffix);
    if (weighted && !(f->holds & (U32 | I32 | F32)))
        return ordo_fail(ORDO_ERR_USAGE, "%s: found a graph with weights, expected none: %s cannot hold them", path,
                         f->suffix);
    search s = {.g = g, .holds = f->holds, .loops = f->holds & SYMMETRIC};
    const ordo_status status = search_edges(graph, &s);
    if (status)
        return status;
    if (s.loop < g->n)
        return ordo_fail(ORDO_ERR_USAGE, "%s: found a loop at vertex %llu, expected none in %s (--drop-loops)", path,
                         (unsigned long long)s.loop, f->suffix);
    return check_weights(&s, f, path);
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
