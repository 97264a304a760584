/* dimacs.c -- DIMACS shortest path graphs (.gr of the 9th challenge).
 *
 * Problem: `c` comments, one `p sp VERTICES ARCS`, then exactly ARCS lines `a TAIL HEAD WEIGHT`, vertices from 1. Other
 * programs use the suffix, and `p` lines, for other things.
 *
 * Method: the header by hand, the arcs by text.c. Weights are u32, or i32 where one is negative.
 *
 * Not done: PACE tree-width files, DIMACS flow and colouring problems, .co coordinates; each is refused by name.
 */
#include "graph.h"

static ordo_status read_problem(const ordo_input *in, const ordo_words *w, ordo_u64 *n, ordo_u64 *m)
{
    ordo_span kind = w->word[1];
    if (ordo_span_is(kind, "tw", false))
        return ordo_text_fail(in, w->line, kind.begin, "'p sp VERTICES ARCS': this is a PACE tree-width file");
    if (ordo_span_is(kind, "max", false))
        return ordo_text_fail(in, w->line, kind.begin, "'p sp VERTICES ARCS': this is a DIMACS maximum flow problem");
    if (!ordo_span_is(kind, "sp", false))
        return ordo_text_fail(in, w->line, kind.begin, "'p sp VERTICES ARCS'");
    if (!ordo_span_number(w->word[2], n))
        return ordo_text_fail(in, w->line, w->word[2].begin, "a number of vertices");
    if (!ordo_span_number(w->word[3], m))
        return ordo_text_fail(in, w->line, w->word[3].begin, "a number of arcs");
    if (w->count > 4)
        return ordo_text_fail(in, w->line, w->word[4].begin, "the end of the line (p sp VERTICES ARCS)");
    return ordo_input_plausible(in, w->line, *n);
}

ordo_status ordo_read_dimacs(ordo_input *in, const ordo_read_options *options, double start, ordo_graph **out)
{
    ordo_cursor c = {in, in->bytes, 1};
    ordo_words w;
    ordo_u64 n = 0, m = 0;
    for (;;) {
        if (!ordo_next_line(&c, &w))
            return ordo_text_fail(in, c.line, NULL, "a problem line 'p sp VERTICES ARCS'");
        if (w.count == 0 || *w.word[0].begin == 'c')
            continue;
        if (!ordo_span_is(w.word[0], "p", false))
            return ordo_text_fail(in, w.line, w.word[0].begin, "a line of 'c', or 'p sp VERTICES ARCS'");
        break;
    }
    ordo_u64 problem_line = w.line;
    ordo_status status = read_problem(in, &w, &n, &m);
    if (status)
        return status;

    ordo_text_shape shape = {.arcs = true,
                             .columns = 3,
                             .base = 1,
                             .n = n,
                             .counted = true,
                             .number = ORDO_INTEGER,
                             .drop = options->weights == ORDO_WEIGHTS_DROP};
    ordo_text_edges edges;
    status = ordo_text_read(&c, &shape, options->threads, &edges);
    if (status)
        return status;
    if (edges.count != m) {
        ordo_u64 line = edges.count < m ? edges.last_line : ordo_text_line_of(&c, &shape, m);
        status = ordo_fail(ORDO_ERR_INPUT, "%s:%llu: found %llu lines of 'a', expected %llu as line %llu says",
                           in->name, (unsigned long long)line, (unsigned long long)edges.count, (unsigned long long)m,
                           (unsigned long long)problem_line);
        ordo_free(edges.list);
        return status;
    }
    ordo_origin origin = {in->name, "DIMACS .gr", 1, ordo_seconds() - start, options->threads};
    ordo_input_close(in);
    return ordo_graph_build(n, edges.list, edges.count, edges.weight_type, options->direction, &origin, out);
}
