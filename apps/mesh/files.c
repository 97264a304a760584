/* files.c -- meshes in files: Triangle's .node, .poly and .ele, and pictures.
 *
 * Formats (Shewchuk, "Triangle", 1996). Words are separated by blanks, '#' begins a comment, lines are numbered from 0
 * or 1, as the first point is:
 *   .node  POINTS 2 ATTRIBUTES MARKERS, then NUMBER X Y ... of each
 *   .poly  the same, with 0 points where they are in the .node; SEGMENTS MARKERS, then NUMBER POINT POINT ... of each;
 *          HOLES, then NUMBER X Y of each; what follows (regions) is not read
 *   .ele   TRIANGLES 3|6 ATTRIBUTES, then NUMBER POINT POINT POINT ... of each; points after the third are not read
 * Attributes are not kept, and markers are written as 1 on the boundary and 0 elsewhere.
 */
#define _POSIX_C_SOURCE 200809L
#include "apps/mesh/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/graph/graph.h"
#include "framework/graph/text.h"
#include "framework/run/number.h"

typedef unsigned long long ull;

void ordo_mesh_free(ordo_mesh *m)
{
    if (!m)
        return;
    ordo_free(m->xy);
    ordo_free(m->ends);
    ordo_free(m->part_of);
    ordo_free(m->corners);
    ordo_free(m->hole_xy);
    ordo_free(m);
}

/* ---- reading ---- */

/* The next line that has words, without its comment. */
static ordo_status next_words(ordo_cursor *c, const char *expected, ordo_words *out)
{
    while (ordo_next_line(c, out)) {
        for (int i = 0; i < out->count && i < ORDO_WORDS; i++)
            if (*out->word[i].begin == '#')
                out->count = i;
        if (out->count)
            return ORDO_OK;
    }
    return ordo_text_fail(c->in, c->line, NULL, "%s", expected);
}

/* Word i of a line, a whole number from `least` to `most`. */
static ordo_status whole(const ordo_cursor *c, const ordo_words *w, int i, const char *what, ordo_u64 least,
                         ordo_u64 most, ordo_u64 *out)
{
    if (i >= w->count || !ordo_span_number(w->word[i], out) || *out < least || *out > most)
        return ordo_text_fail(c->in, w->line, i < w->count ? w->word[i].begin : w->end.begin, "%s, from %llu to %llu",
                              what, (ull)least, (ull)most);
    return ORDO_OK;
}

/* Words 1 and 2 of a line, a point. */
static ordo_status coordinates(const ordo_cursor *c, const ordo_words *w, double *xy)
{
    for (int i = 0; i < 2; i++) {
        ordo_decimal real = {0};
        const ordo_span word = w->word[i + 1];
        if (i + 1 >= w->count || ordo_scan_real(word.begin, word.end, &real) != word.end ||
            !geometry_allows(real.value))
            return ordo_text_fail(c->in, w->line, i + 1 < w->count ? word.begin : w->end.begin,
                                  "a coordinate: 0 or a number from 2^-200 to 2^200 in magnitude");
        xy[i] = real.value;
    }
    return ORDO_OK;
}

/* The number that a line begins with, and how many words it has. */
static ordo_status numbered(ordo_cursor *c, const char *what, ordo_u64 number, ordo_u64 words, ordo_words *w)
{
    ordo_u64 found;
    ordo_status status = next_words(c, what, w);
    if (!status)
        status = whole(c, w, 0, what, number, number, &found);
    if (!status && (ordo_u64)w->count != words)
        status = ordo_fail(ORDO_ERR_INPUT, "%s:%llu: found %d words, expected %llu as the header says", c->in->name,
                           (ull)w->line, w->count, (ull)words);
    return status;
}

/* The header and the points of a .node or .poly. `keep`: they are the mesh's. *count: how many there are. */
static ordo_status read_points(ordo_cursor *c, ordo_mesh *m, bool keep, ordo_u64 *count)
{
    ordo_words w;
    ordo_u64 dimension, attributes = 0, markers = 0;
    ordo_status status = next_words(c, "a line of POINTS 2 ATTRIBUTES MARKERS", &w);
    if (!status)
        status = whole(c, &w, 0, "a number of points", 0, ORDO_MAX_TRIANGLES / 2, count);
    if (!status)
        status = whole(c, &w, 1, "the dimension", 2, 2, &dimension);
    if (!status && w.count > 2)
        status = whole(c, &w, 2, "a number of attributes", 0, 1000, &attributes);
    if (!status && w.count > 3)
        status = whole(c, &w, 3, "a number of markers", 0, 1, &markers);
    if (!status)
        status = ordo_input_plausible(c->in, w.line, *count);
    if (status || *count == 0)
        return status;
    double *xy = ordo_alloc(2 * *count, sizeof *xy);
    if (!xy)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 p = 0; p < *count && !status; p++) {
        if (p == 0 && keep) {
            ordo_cursor ahead = *c;
            ordo_words first;
            status = next_words(&ahead, "a line of NUMBER X Y", &first);
            if (!status)
                status = whole(&ahead, &first, 0, "the first point's number", 0, 1, &m->id_base);
        }
        if (!status)
            status = numbered(c, "the number of the next point", p + m->id_base, 3 + attributes + markers, &w);
        if (!status)
            status = coordinates(c, &w, xy + 2 * p);
    }
    if (!keep || status) {
        ordo_free(xy);
        return status;
    }
    m->points = *count;
    m->xy = xy;
    return ORDO_OK;
}

/* Words 1, 2, ... of a line: points. */
static ordo_status point_words(const ordo_cursor *c, const ordo_words *w, const ordo_mesh *m, int count, ordo_u32 *out)
{
    ordo_status status = ORDO_OK;
    for (int i = 0; i < count && !status; i++) {
        ordo_u64 number;
        status = whole(c, w, i + 1, "a point", m->id_base, m->points - 1 + m->id_base, &number);
        if (!status)
            out[i] = (ordo_u32)(number - m->id_base);
        for (int j = 0; j < i && !status; j++)
            if (out[j] == out[i])
                status = ordo_text_fail(c->in, w->line, w->word[i + 1].begin, "different points");
    }
    return status;
}

static ordo_status read_segments(ordo_cursor *c, ordo_mesh *m)
{
    ordo_words w;
    ordo_u64 markers = 0, count;
    ordo_status status = next_words(c, "a line of SEGMENTS MARKERS", &w);
    if (!status)
        status = whole(c, &w, 0, "a number of segments", 0, ORDO_MAX_TRIANGLES, &count);
    if (!status && w.count > 1)
        status = whole(c, &w, 1, "a number of markers", 0, 1, &markers);
    if (!status)
        status = ordo_input_plausible(c->in, w.line, count);
    if (!status && !(m->ends = ordo_alloc(2 * count, sizeof *m->ends)))
        status = ORDO_ERR_MEMORY;
    for (ordo_u64 s = 0; !status && s < count; s++) {
        status = numbered(c, "the number of the next segment", s + m->id_base, 3 + markers, &w);
        if (!status)
            status = point_words(c, &w, m, 2, m->ends + 2 * s);
        m->segments = status ? 0 : s + 1;
    }
    return status;
}

static ordo_status read_holes(ordo_cursor *c, ordo_mesh *m)
{
    ordo_words w;
    ordo_u64 count;
    ordo_status status = next_words(c, "a line of HOLES", &w);
    if (!status)
        status = whole(c, &w, 0, "a number of holes", 0, ORDO_MAX_TRIANGLES, &count);
    if (!status)
        status = ordo_input_plausible(c->in, w.line, count);
    if (!status && !(m->hole_xy = ordo_alloc(2 * count, sizeof *m->hole_xy)))
        status = ORDO_ERR_MEMORY;
    for (ordo_u64 h = 0; !status && h < count; h++) {
        status = numbered(c, "the number of the next hole", h + m->id_base, 3, &w);
        if (!status)
            status = coordinates(c, &w, m->hole_xy + 2 * h);
        m->holes = status ? 0 : h + 1;
    }
    return status;
}

static ordo_status read_triangles(ordo_cursor *c, ordo_mesh *m)
{
    ordo_words w;
    ordo_u64 corners, attributes = 0, count;
    ordo_status status = next_words(c, "a line of TRIANGLES 3 ATTRIBUTES", &w);
    if (!status)
        status = whole(c, &w, 0, "a number of triangles", 1, ORDO_MAX_TRIANGLES, &count);
    if (!status)
        status = whole(c, &w, 1, "the points of a triangle", 3, 6, &corners);
    if (!status && w.count > 2)
        status = whole(c, &w, 2, "a number of attributes", 0, 1000, &attributes);
    if (!status)
        status = ordo_input_plausible(c->in, w.line, count);
    if (!status && !(m->corners = ordo_alloc(3 * count, sizeof *m->corners)))
        status = ORDO_ERR_MEMORY;
    for (ordo_u64 t = 0; !status && t < count; t++) {
        status = numbered(c, "the number of the next triangle", t + m->id_base, 1 + corners + attributes, &w);
        if (!status)
            status = point_words(c, &w, m, 3, m->corners + 3 * t);
        m->triangles = status ? 0 : t + 1;
    }
    return status;
}

/* The name of the file beside a mesh's, to be freed. */
static char *beside(const char *path, size_t base, const char *suffix)
{
    char *name = ordo_alloc(base + strlen(suffix) + 1, 1);
    if (name) {
        memcpy(name, path, base);
        strcpy(name + base, suffix);
    }
    return name;
}

typedef ordo_status read_body(ordo_cursor *c, ordo_mesh *m);

static ordo_status read_file(const char *path, read_body *body, ordo_mesh *m)
{
    ordo_input in;
    ordo_status status = ordo_input_open(path, &in);
    if (status)
        return status;
    ordo_cursor c = {.in = &in, .at = in.bytes, .line = 1};
    status = body(&c, m);
    ordo_input_close(&in);
    return status;
}

static ordo_status read_beside(const char *path, size_t base, const char *suffix, read_body *body, ordo_mesh *m)
{
    char *name = beside(path, base, suffix);
    const ordo_status status = name ? read_file(name, body, m) : ORDO_ERR_MEMORY;
    ordo_free(name);
    return status;
}

static ordo_status node_body(ordo_cursor *c, ordo_mesh *m)
{
    ordo_u64 count;
    return read_points(c, m, true, &count);
}

/* A .poly: its points where the mesh has none yet, and its segments and holes. If it has no points, the caller reads
 * the .node and calls again. */
static ordo_status poly_body(ordo_cursor *c, ordo_mesh *m)
{
    ordo_u64 count;
    const bool have = m->points > 0;
    ordo_status status = read_points(c, m, !have, &count);
    if (!status && have && count != 0 && count != m->points)
        status = ordo_fail(ORDO_ERR_INPUT, "%s: found %llu points, expected 0 or the %llu of the .node", c->in->name,
                           (ull)count, (ull)m->points);
    if (status || m->points == 0)
        return status;
    status = read_segments(c, m);
    return status ? status : read_holes(c, m);
}

/* Edges of one triangle become segments, but those that are already. */
static ordo_status add_boundary(ordo_mesh *m)
{
    mesh_edge *edge = mesh_edges(m->corners, m->triangles);
    ordo_u64 capacity = m->segments, given = m->segments, at = 0;
    mesh_edge *have = ordo_alloc(given, sizeof *have);
    ordo_status status = edge && have ? ORDO_OK : ORDO_ERR_MEMORY;
    for (ordo_u64 s = 0; s < given && !status; s++) {
        const ordo_u32 a = m->ends[2 * s], b = m->ends[2 * s + 1];
        have[s] = (mesh_edge){a < b ? a : b, a < b ? b : a, (ordo_u32)s};
    }
    if (!status)
        mesh_sort_edges(have, given);
    for (ordo_u64 e = 0, end; e < 3 * m->triangles && !status; e = end) {
        for (end = e + 1; end < 3 * m->triangles && edge[end].low == edge[e].low && edge[end].high == edge[e].high;)
            end++;
        while (at < given &&
               (have[at].low < edge[e].low || (have[at].low == edge[e].low && have[at].high < edge[e].high)))
            at++;
        if (end > e + 1 || (at < given && have[at].low == edge[e].low && have[at].high == edge[e].high))
            continue;
        status = mesh_room(&m->ends, &capacity, m->segments + 1, 2 * sizeof *m->ends);
        if (status)
            break;
        m->ends[2 * m->segments] = edge[e].low;
        m->ends[2 * m->segments++ + 1] = edge[e].high;
    }
    ordo_free(edge);
    ordo_free(have);
    return status;
}

static ordo_status read_mesh(const char *path, ordo_mesh *m)
{
    const size_t length = strlen(path);
    const bool node = length > 5 && !strcmp(path + length - 5, ".node");
    const bool poly = length > 5 && !strcmp(path + length - 5, ".poly");
    const bool ele = length > 4 && !strcmp(path + length - 4, ".ele");
    if (node)
        return read_file(path, node_body, m);
    if (poly) {
        ordo_status status = read_file(path, poly_body, m);
        if (status || m->points)
            return status;
        status = read_beside(path, length - 5, ".node", node_body, m);
        if (!status && m->points == 0)
            status = ordo_fail(ORDO_ERR_INPUT, "%s: found no points, here and in the .node", path);
        return status ? status : read_file(path, poly_body, m);
    }
    if (!ele)
        return ordo_fail(ORDO_ERR_USAGE, "%s: expected a name that ends in .node, .poly or .ele", path);
    ordo_status status = read_beside(path, length - 4, ".node", node_body, m);
    if (!status && m->points == 0)
        status = ordo_fail(ORDO_ERR_INPUT, "%s: found no points in the .node", path);
    if (!status)
        status = read_file(path, read_triangles, m);
    char *name = status ? NULL : beside(path, length - 4, ".poly");
    if (!status && !name)
        status = ORDO_ERR_MEMORY;
    if (!status && access(name, F_OK) == 0)
        status = read_file(name, poly_body, m);
    ordo_free(name);
    return status ? status : add_boundary(m);
}

ordo_status ordo_mesh_read(const char *path, ordo_mesh **out)
{
    ordo_mesh *m = ordo_alloc_zero(1, sizeof *m);
    ordo_status status = m ? read_mesh(path, m) : ORDO_ERR_MEMORY;
    if (status)
        ordo_mesh_free(m);
    else
        *out = m;
    return status;
}

ordo_status ordo_mesh_random(ordo_u64 points, ordo_u64 seed, ordo_mesh **out)
{
    enum { CORNERS = 4, BITS = 53 };
    if (points < CORNERS || points > ORDO_MAX_TRIANGLES / 2)
        return ordo_fail(ORDO_ERR_USAGE, "%llu random points, expected %d to %llu", (ull)points, CORNERS,
                         (ull)ORDO_MAX_TRIANGLES / 2);
    ordo_mesh *m = ordo_alloc_zero(1, sizeof *m);
    if (!m)
        return ORDO_ERR_MEMORY;
    m->xy = ordo_alloc(2 * points, sizeof *m->xy);
    m->ends = ordo_alloc(2 * CORNERS, sizeof *m->ends);
    if (!m->xy || !m->ends) {
        ordo_mesh_free(m);
        return ORDO_ERR_MEMORY;
    }
    m->points = points;
    m->segments = CORNERS;
    m->id_base = 1;
    for (ordo_u32 i = 0; i < CORNERS; i++) {
        m->xy[2 * i] = i == 1 || i == 2;
        m->xy[2 * i + 1] = i >= 2;
        m->ends[2 * i] = i;
        m->ends[2 * i + 1] = (i + 1) % CORNERS;
    }
    const ordo_u64 stream = ordo_scramble(seed);
    for (ordo_u64 i = 2 * CORNERS; i < 2 * points; i++)
        m->xy[i] = ldexp((double)(ordo_scramble(stream + i) >> (64 - BITS)), -BITS);
    *out = m;
    return ORDO_OK;
}

/* ---- writing ---- */

/* What a writer needs to know of a mesh. */
typedef struct written {
    const ordo_mesh *mesh;
    ordo_u8 *boundary; /* [points] whether it is on the boundary */
    mesh_edge *edge;   /* [3 * triangles] sorted */
} written;

static void put_real(ordo_writer *w, double x)
{
    ordo_put_weight(w, ORDO_F64, ordo_f64_bits(x));
}

/* A line of numbers. */
static void put_line(ordo_writer *w, const ordo_u64 *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        ordo_put_number(w, numbers[i]);
        ordo_put_text(w, i + 1 < count ? " " : "\n");
    }
}

static ordo_status node_writer(ordo_writer *w, const void *arg)
{
    const written *f = arg;
    const ordo_mesh *m = f->mesh;
    put_line(w, (ordo_u64[]){m->points, 2, 0, 1}, 4);
    for (ordo_u64 p = 0; p < m->points && !ordo_put_failed(w); p++) {
        ordo_put_number(w, p + m->id_base);
        ordo_put_text(w, " ");
        put_real(w, m->xy[2 * p]);
        ordo_put_text(w, " ");
        put_real(w, m->xy[2 * p + 1]);
        ordo_put_text(w, f->boundary[p] ? " 1\n" : " 0\n");
    }
    return ORDO_OK;
}

static ordo_status ele_writer(ordo_writer *w, const void *arg)
{
    const ordo_mesh *m = ((const written *)arg)->mesh;
    put_line(w, (ordo_u64[]){m->triangles, 3, 0}, 3);
    for (ordo_u64 t = 0; t < m->triangles && !ordo_put_failed(w); t++)
        put_line(w,
                 (ordo_u64[]){t + m->id_base, m->corners[3 * t] + m->id_base, m->corners[3 * t + 1] + m->id_base,
                              m->corners[3 * t + 2] + m->id_base},
                 4);
    return ORDO_OK;
}

static ordo_status poly_writer(ordo_writer *w, const void *arg)
{
    const written *f = arg;
    const ordo_mesh *m = f->mesh;
    put_line(w, (ordo_u64[]){0, 2, 0, 1}, 4);
    put_line(w, (ordo_u64[]){m->segments, 1}, 2);
    for (ordo_u64 s = 0; s < m->segments && !ordo_put_failed(w); s++) {
        const ordo_u32 a = m->ends[2 * s], b = m->ends[2 * s + 1];
        put_line(w, (ordo_u64[]){s + m->id_base, a + m->id_base, b + m->id_base, f->boundary[a] && f->boundary[b]}, 4);
    }
    put_line(w, (ordo_u64[]){m->holes}, 1);
    for (ordo_u64 h = 0; h < m->holes; h++) {
        ordo_put_number(w, h + m->id_base);
        ordo_put_text(w, " ");
        put_real(w, m->hole_xy[2 * h]);
        ordo_put_text(w, " ");
        put_real(w, m->hole_xy[2 * h + 1]);
        ordo_put_text(w, "\n");
    }
    return ORDO_OK;
}

/* Sorts the edges, and finds the points of edges that have one triangle. */
static ordo_status survey(const ordo_mesh *m, written *f)
{
    *f = (written){.mesh = m, .boundary = ordo_alloc_zero(m->points, 1), .edge = mesh_edges(m->corners, m->triangles)};
    if (!f->boundary || !f->edge)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 e = 0, end; e < 3 * m->triangles; e = end) {
        for (end = e + 1;
             end < 3 * m->triangles && f->edge[end].low == f->edge[e].low && f->edge[end].high == f->edge[e].high;)
            end++;
        if (end == e + 1)
            f->boundary[f->edge[e].low] = f->boundary[f->edge[e].high] = 1;
    }
    return ORDO_OK;
}

static void end_survey(written *f)
{
    ordo_free(f->boundary);
    ordo_free(f->edge);
}

ordo_status ordo_mesh_write(const ordo_mesh *m, const char *base)
{
    static const struct {
        const char *suffix;
        ordo_body_writer *body;
    } files[] = {{".node", node_writer}, {".ele", ele_writer}, {".poly", poly_writer}};
    written f;
    ordo_status status = survey(m, &f);
    for (size_t i = 0; i < sizeof files / sizeof files[0] && !status; i++) {
        char *name = beside(base, strlen(base), files[i].suffix);
        status = name ? ordo_write_file(name, files[i].body, &f) : ORDO_ERR_MEMORY;
        ordo_free(name);
    }
    end_survey(&f);
    return status;
}

/* ---- pictures ---- */

enum { PICTURE = 800, MARGIN = 4 };

static void put_place(ordo_writer *w, double scale, double x, double y)
{
    char text[64];
    ordo_format(text, sizeof text, "%.5g %.5g", MARGIN + scale * x, MARGIN + scale * y);
    ordo_put_text(w, text);
}

typedef struct frame {
    double left, top, scale;
} frame;

static void put_edge(ordo_writer *w, const ordo_mesh *m, const frame *f, ordo_u32 a, ordo_u32 b)
{
    ordo_put_text(w, "M");
    put_place(w, f->scale, m->xy[2 * a] - f->left, f->top - m->xy[2 * a + 1]);
    ordo_put_text(w, "L");
    put_place(w, f->scale, m->xy[2 * b] - f->left, f->top - m->xy[2 * b + 1]);
    ordo_put_text(w, "\n");
}

static ordo_status svg_writer(ordo_writer *w, const void *arg)
{
    const written *f = arg;
    const ordo_mesh *m = f->mesh;
    double low[2] = {m->xy[0], m->xy[1]}, high[2] = {low[0], low[1]};
    for (ordo_u64 i = 0; i < 2 * m->points; i++) {
        low[i % 2] = fmin(low[i % 2], m->xy[i]);
        high[i % 2] = fmax(high[i % 2], m->xy[i]);
    }
    const double width = high[0] - low[0], height = high[1] - low[1], size = fmax(width, height);
    const frame place = {low[0], high[1], size > 0 ? (PICTURE - 2 * MARGIN) / size : 1};
    char text[256];
    ordo_format(text, sizeof text,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.5g %.5g\">\n"
                "<title>%llu triangles</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                place.scale * width + 2 * MARGIN, place.scale * height + 2 * MARGIN, (ull)m->triangles);
    ordo_put_text(w, text);
    ordo_put_text(w, "<path fill=\"none\" stroke=\"#5a7ca8\" stroke-width=\"0.6\" stroke-linejoin=\"round\" d=\"");
    for (ordo_u64 e = 0; e < 3 * m->triangles && !ordo_put_failed(w); e++)
        if (e == 0 || f->edge[e].low != f->edge[e - 1].low || f->edge[e].high != f->edge[e - 1].high)
            put_edge(w, m, &place, f->edge[e].low, f->edge[e].high);
    ordo_put_text(w, "\"/>\n<path fill=\"none\" stroke=\"#1b2a41\" stroke-width=\"1.8\" stroke-linecap=\"round\" d=\"");
    for (ordo_u64 s = 0; s < m->segments && !ordo_put_failed(w); s++)
        put_edge(w, m, &place, m->ends[2 * s], m->ends[2 * s + 1]);
    ordo_put_text(w, "\"/>\n</svg>\n");
    return ORDO_OK;
}

ordo_status ordo_mesh_draw(const ordo_mesh *m, const char *path)
{
    written f;
    ordo_status status = survey(m, &f);
    if (!status)
        status = ordo_write_file(path, svg_writer, &f);
    end_survey(&f);
    return status;
}
