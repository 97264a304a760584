/* mtx.c -- Matrix Market: a square sparse matrix as a graph, entry (i, j) as edge i -> j.
 *
 * Problem: a banner tells the field (pattern, integer, real) and the symmetry; then % comments, "rows columns entries"
 * and the entries, from 1.
 *
 * Method: the header by hand, the entries by text.c. Symmetric matrices store one triangle: the builder adds the other.
 * Skew-symmetric ones: the other triangle is added to the list, with opposite weights. Integers are u32 or, if one is
 * negative, i32; reals are f32, and refused where f32 has no finite value near.
 * Entries of the wrong triangle are taken like those of the right one.
 *
 * Not done: dense arrays, complex and Hermitian matrices, rectangular ones (bipartite graphs); each is refused by name.
 */
#include "graph.h"

#include <stdio.h>
#include <string.h>

typedef struct banner {
    bool pattern, symmetric, skew;
    ordo_number number;
} banner;

static ordo_status read_banner(const ordo_input *in, const ordo_words *w, banner *out)
{
    if (!ordo_span_is(w->word[0], "%%matrixmarket", true))
        return ordo_text_fail(in, w->line, w->word[0].begin, "'%%%%MatrixMarket'");
    if (!ordo_span_is(w->word[1], "matrix", true))
        return ordo_text_fail(in, w->line, w->word[1].begin, "'matrix'");
    if (!ordo_span_is(w->word[2], "coordinate", true))
        return ordo_text_fail(in, w->line, w->word[2].begin, "'coordinate': only sparse matrices are graphs");
    ordo_span field = w->word[3], symmetry = w->word[4];
    *out = (banner){.pattern = ordo_span_is(field, "pattern", true),
                    .symmetric = ordo_span_is(symmetry, "symmetric", true),
                    .skew = ordo_span_is(symmetry, "skew-symmetric", true),
                    .number = ordo_span_is(field, "real", true) ? ORDO_REAL : ORDO_INTEGER};
    if (!out->pattern && out->number == ORDO_INTEGER && !ordo_span_is(field, "integer", true))
        return ordo_text_fail(in, w->line, field.begin, "'pattern', 'integer' or 'real'");
    if (!out->symmetric && !out->skew && !ordo_span_is(symmetry, "general", true))
        return ordo_text_fail(in, w->line, symmetry.begin, "'general', 'symmetric' or 'skew-symmetric'");
    if (out->pattern && out->skew)
        return ordo_text_fail(in, w->line, symmetry.begin, "'general' or 'symmetric': a pattern has no signs");
    if (w->count > 5)
        return ordo_text_fail(in, w->line, w->word[5].begin, "the end of the line");
    return ORDO_OK;
}

static ordo_status read_size(const ordo_input *in, const ordo_words *w, ordo_u64 *n, ordo_u64 *count)
{
    static const char *const what[] = {"a number of rows", "a number of columns", "a number of entries"};
    ordo_u64 size[3];
    for (int i = 0; i < 3; i++)
        if (!ordo_span_number(w->word[i], &size[i]))
            return ordo_text_fail(in, w->line, w->word[i].begin, "%s", what[i]);
    if (w->count > 3)
        return ordo_text_fail(in, w->line, w->word[3].begin, "the end of the line");
    if (size[0] != size[1])
        return ordo_text_fail(in, w->line, w->word[1].begin,
                              "%llu columns, as many as rows: a graph's matrix is square", (unsigned long long)size[0]);
    *n = size[0];
    *count = size[2];
    return ordo_input_plausible(in, w->line, *n);
}

/* The other triangle of a skew-symmetric matrix. */
static ordo_status add_negated(const ordo_input *in, ordo_text_edges *edges)
{
    if (edges->weight_type == ORDO_U32 && edges->big_line)
        return ordo_text_fail(in, edges->big_line, edges->big_found,
                              "a weight of at most 2147483647: a skew-symmetric matrix has its opposite as well");
    if (edges->weight_type == ORDO_U32)
        edges->weight_type = ORDO_I32;
    ordo_edge_entry *list = ordo_realloc(edges->list, edges->count, 2 * sizeof *list);
    if (!list)
        return ORDO_ERR_MEMORY;
    edges->list = list;
    ordo_u64 count = edges->count;
    for (ordo_u64 i = 0; i < count; i++) {
        ordo_edge_entry x = list[i];
        if (x.tail == x.head)
            continue;
        if (edges->weight_type == ORDO_F32)
            x.weight ^= 0x80000000u; /* the sign */
        else
            x.weight = 0u - x.weight;
        list[edges->count++] = (ordo_edge_entry){x.head, x.tail, x.weight};
    }
    return ORDO_OK;
}

ordo_status ordo_read_mtx(ordo_input *in, const ordo_read_options *options, double start, ordo_graph **out)
{
    ordo_cursor c = {in, in->bytes, 1};
    ordo_words w;
    banner b = {0};
    ordo_next_line(&c, &w);
    ordo_status status = read_banner(in, &w, &b);
    if (status)
        return status;
    do {
        if (!ordo_next_line(&c, &w))
            return ordo_text_fail(in, c.line, NULL, "a line 'ROWS COLUMNS ENTRIES'");
    } while (w.count == 0 || *w.word[0].begin == '%');
    ordo_u64 n = 0, count = 0, size_line = w.line;
    status = read_size(in, &w, &n, &count);
    if (status)
        return status;

    ordo_text_shape shape = {.comments = "%",
                             .columns = b.pattern ? 2 : 3,
                             .base = 1,
                             .n = n,
                             .counted = true,
                             .number = b.number,
                             .drop = options->weights == ORDO_WEIGHTS_DROP};
    ordo_text_edges edges;
    status = ordo_text_read(&c, &shape, options->threads, &edges);
    if (status)
        return status;
    if (edges.count != count) {
        ordo_u64 line = edges.count < count ? edges.last_line : ordo_text_line_of(&c, &shape, count);
        status = ordo_fail(ORDO_ERR_INPUT, "%s:%llu: found %llu entries, expected %llu as line %llu says", in->name,
                           (unsigned long long)line, (unsigned long long)edges.count, (unsigned long long)count,
                           (unsigned long long)size_line);
    }
    /* Without weights a skew-symmetric matrix is a symmetric graph. */
    bool negate = b.skew && edges.weight_type != ORDO_NONE;
    if (!status && negate)
        status = add_negated(in, &edges);
    if (status) {
        ordo_free(edges.list);
        return status;
    }
    ordo_direction direction = b.symmetric || (b.skew && !negate) ? ORDO_SYMMETRISE : options->direction;
    ordo_origin origin = {in->name, "Matrix Market", 1, ordo_seconds() - start, options->threads};
    ordo_input_close(in);
    return ordo_graph_build(n, edges.list, edges.count, edges.weight_type, direction, &origin, out);
}
