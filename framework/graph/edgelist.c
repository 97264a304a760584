/* edgelist.c -- edge lists: "u v" or "u v w" lines (.el, .wel, SNAP's .txt).
 *
 * Problem: a format without a header. Vertices count from 0; there are as many as the largest number says, unless a
 * comment such as SNAP's "# Nodes: 7115 Edges: 103689" says more (fewer are numbers with gaps: the vertices in
 * the gaps are there, without edges). Lines of # or % are comments; blanks, tabs and CR are all the same.
 *
 * Method: the first line of numbers tells the columns, text.c does the rest. Weights are u32 if all are integers and
 * none is negative, i32 if some is, f32 if some is not an integer. The writer puts a "# Nodes:" comment only where the
 * last vertices have no edges, as other programs know no comments.
 *
 * Not done: CSV; headers such as "n m"; 1-based numbering (vertex 0 is then one without edges).
 */
#include "text.h"

/* The number behind the word "Nodes:" of a comment, or 0. */
static ordo_u64 nodes_of(const ordo_words *w)
{
    ordo_u64 n;
    for (int i = 0; i + 1 < w->count && i + 1 < ORDO_WORDS; i++)
        if (ordo_span_is(w->word[i], "nodes:", true) && ordo_span_number(w->word[i + 1], &n))
            return n;
    return 0;
}

ordo_status ordo_read_edgelist(ordo_input *in, const ordo_read_options *options, ordo_origin *origin, ordo_graph **out)
{
    ordo_cursor c = {in, in->bytes, 1}, from = c;
    ordo_words w = {0};
    ordo_text_shape shape = {.comments = "#%", .n = ORDO_COUNT_UNKNOWN, .number = ORDO_EITHER};
    for (bool any;; from = c) {
        any = ordo_next_line(&c, &w);
        if (!any && !shape.least_n)
            return ordo_text_fail(in, c.line, NULL, "at least one edge (the format has no other number of vertices)");
        bool comment = any && (w.count == 0 || *w.word[0].begin == '#' || *w.word[0].begin == '%');
        if (!comment)
            break;
        ordo_u64 n = nodes_of(&w);
        if (n > shape.least_n) {
            shape.least_n = n;
            shape.claim_line = w.line;
        }
    }
    shape.columns = w.count == 3 ? 3 : 2; /* 1 and 4 are refused as lines that are not 2 */
    shape.drop = !ordo_weights_wanted(&options->edges);
    origin->format = shape.columns == 3 ? "weighted edge list" : "edge list";
    origin->id_base = 0;
    return ordo_graph_from_text(&from, &shape, origin, out);
}

ordo_status ordo_write_edgelist(ordo_writer *w, const ordo_graph *graph)
{
    const ordo_csr *g = &graph->out;
    ordo_u64 seen = 0; /* vertices that the edges tell of */
    for (ordo_u64 u = g->n; u > 0 && !seen; u--)
        seen = g->row[u] > g->row[u - 1] ? u : 0;
    for (ordo_eid e = 0; e < g->m && seen < g->n; e++)
        seen = (ordo_u64)g->head[e * g->stride] + 1 > seen ? (ordo_u64)g->head[e * g->stride] + 1 : seen;
    if (seen < g->n) {
        ordo_put_text(w, "# Nodes: ");
        ordo_put_number(w, g->n);
        ordo_put_text(w, " Edges: ");
        ordo_put_number(w, g->m);
        ordo_put_text(w, "\n");
    }
    for (ordo_vid u = 0; u < g->n && !ordo_put_failed(w); u++)
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_put_number(w, u);
            ordo_put_text(w, " ");
            ordo_put_number(w, g->head[e * g->stride]);
            if (g->weight_type != ORDO_NONE) {
                ordo_put_text(w, " ");
                ordo_put_weight(w, g->weight_type, ordo_csr_word(g, e));
            }
            ordo_put_text(w, "\n");
        }
    return ORDO_OK;
}
