/* mtx.c -- Matrix Market: a sparse matrix as a graph, entry (i, j) as edge i -> j; a square one, or any if it is to be
 * bipartite: then columns are separate vertices, numbered after the rows.
 *
 * Problem: a banner gives the field (pattern, integer, real) and the symmetry; then % comments, "rows columns entries"
 * and the entries, from 1.
 *
 * Method: the header is parsed here, the entries by text.c. Symmetric and skew-symmetric matrices store one triangle:
 * the builder adds the other, with the same or the opposite weights. Integers are u32 or, if one is negative, i32;
 * reals are f32, and refused where f32 has no finite value near; i64 and f64 on request. Entries of the upper triangle
 * are treated like those of the lower one.
 *
 * Not done: dense arrays, complex and Hermitian matrices; each is refused by name.
 */
#include "text.h"

typedef struct banner {
    bool pattern, symmetric, skew;
    ordo_number number;
} banner;

static ordo_status read_banner(const ordo_input *in, const ordo_words *w, bool bipartite, banner *out)
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
    if (bipartite && (out->symmetric || out->skew))
        return ordo_text_fail(in, w->line, symmetry.begin, "'general': a bipartite graph's rows are not its columns");
    if (out->pattern && out->skew)
        return ordo_text_fail(in, w->line, symmetry.begin, "'general' or 'symmetric': a pattern has no signs");
    if (w->count > 5)
        return ordo_text_fail(in, w->line, w->word[5].begin, "the end of the line");
    return ORDO_OK;
}

static ordo_status read_size(const ordo_input *in, const ordo_words *w, bool bipartite, ordo_u64 *n, ordo_u64 *rows,
                             ordo_u64 *count)
{
    static const char *const what[] = {"a number of rows", "a number of columns", "a number of entries"};
    ordo_u64 size[3];
    for (int i = 0; i < 3; i++)
        if (!ordo_span_number(w->word[i], &size[i]))
            return ordo_text_fail(in, w->line, w->word[i].begin, "%s", what[i]);
    if (w->count > 3)
        return ordo_text_fail(in, w->line, w->word[3].begin, "the end of the line");
    if (!bipartite && size[0] != size[1])
        return ordo_text_fail(in, w->line, w->word[1].begin,
                              "%llu columns, as many as rows: a graph's matrix is square, but for a bipartite one's",
                              (unsigned long long)size[0]);
    if (bipartite && (!size[0] || !size[1]) && size[2])
        return ordo_text_fail(in, w->line, w->word[2].begin, "0 entries: there are no %s",
                              size[0] ? "columns" : "rows");
    *rows = size[0];
    *n = bipartite ? size[0] + size[1] : size[0]; /* both are far below 2^63 */
    *count = size[2];
    return ordo_input_plausible(in, w->line, *n);
}

ordo_status ordo_read_mtx(ordo_input *in, const ordo_read_options *options, ordo_origin *origin, ordo_graph **out)
{
    ordo_cursor c = {in, in->bytes, 1};
    ordo_words w;
    banner b = {0};
    ordo_next_line(&c, &w);
    ordo_status status = read_banner(in, &w, options->bipartite, &b);
    if (status)
        return status;
    do {
        if (!ordo_next_line(&c, &w))
            return ordo_text_fail(in, c.line, NULL, "a line 'ROWS COLUMNS ENTRIES'");
    } while (w.count == 0 || *w.word[0].begin == '%');
    ordo_u64 n = 0, rows = 0, count = 0;
    status = read_size(in, &w, options->bipartite, &n, &rows, &count);
    if (status)
        return status;

    bool keep = !b.pattern && ordo_weights_wanted(&options->edges);
    ordo_text_shape shape = {.comments = "%",
                             .columns = b.pattern ? 2 : 3,
                             .base = 1,
                             .n = n,
                             .tails = options->bipartite ? rows : 0,
                             .number = b.number,
                             .drop = !keep,
                             .round = options->round,
                             .claimed = "entries",
                             .claim = count,
                             .claim_line = w.line};
    if (b.symmetric || (b.skew && !keep)) /* without weights a skew-symmetric matrix is a symmetric graph */
        shape.mirror = ORDO_MIRROR_SAME;
    else if (b.skew)
        shape.mirror = b.number == ORDO_REAL || options->edges.weight_type == ORDO_F64 ? ORDO_MIRROR_MINUS_REAL
                                                                                       : ORDO_MIRROR_MINUS_WHOLE;
    origin->format = "Matrix Market";
    origin->id_base = 1;
    return ordo_graph_from_text(&c, &shape, origin, out);
}

static void put_entry(ordo_writer *w, const ordo_csr *g, ordo_vid tail, ordo_eid e)
{
    ordo_put_number(w, (ordo_u64)tail + 1);
    ordo_put_text(w, " ");
    ordo_put_number(w, (ordo_u64)g->head[e * g->stride] + 1);
    if (g->weight_type != ORDO_NONE) {
        ordo_put_text(w, " ");
        ordo_put_weight(w, g->weight_type, ordo_csr_word(g, e));
    }
    ordo_put_text(w, "\n");
}

static void put_lower(ordo_writer *w, const ordo_csr *g, ordo_vid tail, ordo_eid e)
{
    if (g->head[e * g->stride] <= tail)
        put_entry(w, g, tail, e);
}

/* One triangle where the graph is symmetric: the lower one, as the format has it. */
ordo_status ordo_write_mtx(ordo_writer *w, const ordo_graph *graph)
{
    const ordo_csr *g = &graph->out;
    bool half = graph->symmetric;
    ordo_u64 count = 0;
    for (ordo_vid u = 0; u < g->n && half; u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++)
            count += g->head[e * g->stride] <= u;
    ordo_put_text(w, "%%MatrixMarket matrix coordinate ");
    const bool real = g->weight_type == ORDO_F32 || g->weight_type == ORDO_F64;
    ordo_put_text(w, g->weight_type == ORDO_NONE ? "pattern" : real ? "real" : "integer");
    ordo_put_text(w, half ? " symmetric\n" : " general\n");
    for (int i = 0; i < 2; i++) {
        ordo_put_number(w, g->n);
        ordo_put_text(w, " ");
    }
    ordo_put_number(w, half ? count : g->m);
    ordo_put_text(w, "\n");
    return ordo_put_lines(w, graph->threads, g, half ? put_lower : put_entry);
}
