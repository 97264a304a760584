/* dimacs.c -- the DIMACS challenges: shortest paths (.gr, .co), maximum flow (.max), and PACE's .gr.
 *
 * Problem: `c` comments, one `p` line, then
 *   p sp VERTICES ARCS       lines `a TAIL HEAD WEIGHT`                  (9th challenge)
 *   p max VERTICES ARCS      `n ID s`, `n ID t`, then `a TAIL HEAD CAPACITY`    (1st challenge)
 *   p tw VERTICES EDGES      lines `U V`, undirected                     (PACE)
 *   p aux sp co VERTICES     lines `v ID X Y`                            (coordinates that belong to a .gr)
 * vertices from 1. Other programs use the suffix .gr, and `p` lines, for other things.
 *
 * Method: the header is parsed here, the arcs by text.c. Weights are u32, or i32 where one is negative; capacities are
 * never negative. Coordinates are read by one thread.
 *
 * Not done: minimum cost flow, matching, colouring and clique problems; each is refused by name.
 */
#include "text.h"

typedef struct problem {
    ordo_u64 n, m, line;
    bool flow, pace;
} problem;

static const char wished[] = "'p sp VERTICES ARCS', 'p max VERTICES ARCS' or 'p tw VERTICES EDGES'";

static ordo_status read_problem(const ordo_input *in, const ordo_words *w, problem *out)
{
    ordo_span kind = w->word[1];
    *out =
        (problem){.line = w->line, .flow = ordo_span_is(kind, "max", false), .pace = ordo_span_is(kind, "tw", false)};
    if (ordo_span_is(kind, "aux", false))
        return ordo_text_fail(in, w->line, kind.begin, "%s: these are coordinates, which go with a graph", wished);
    if (!out->flow && !out->pace && !ordo_span_is(kind, "sp", false))
        return ordo_text_fail(in, w->line, kind.begin, "%s", wished);
    if (!ordo_span_number(w->word[2], &out->n))
        return ordo_text_fail(in, w->line, w->word[2].begin, "a number of vertices");
    if (!ordo_span_number(w->word[3], &out->m))
        return ordo_text_fail(in, w->line, w->word[3].begin, "a number of %s", out->pace ? "edges" : "arcs");
    if (w->count > 4)
        return ordo_text_fail(in, w->line, w->word[4].begin, "the end of the line (p %s VERTICES %s)",
                              out->flow   ? "max"
                              : out->pace ? "tw"
                                          : "sp",
                              out->pace ? "EDGES" : "ARCS");
    return ordo_input_plausible(in, w->line, out->n);
}

/* The next line that is not a comment. */
static bool next_line(ordo_cursor *c, ordo_words *w)
{
    while (ordo_next_line(c, w))
        if (w->count && *w->word[0].begin != 'c')
            return true;
    return false;
}

/* Reads `n ID s` and `n ID t`; leaves the cursor at the first line of another kind. */
static ordo_status read_terminals(ordo_cursor *c, const problem *p, ordo_vertex_data *out)
{
    ordo_cursor before = *c;
    ordo_words w;
    for (; next_line(c, &w) && ordo_span_is(w.word[0], "n", false); before = *c) {
        ordo_u64 id;
        bool source = ordo_span_is(w.word[2], "s", false);
        if (!ordo_span_number(w.word[1], &id) || id == 0 || id > p->n)
            return ordo_text_fail(c->in, w.line, w.word[1].begin, "a vertex from 1 to %llu", (unsigned long long)p->n);
        if (!source && !ordo_span_is(w.word[2], "t", false))
            return ordo_text_fail(c->in, w.line, w.word[2].begin, "'s' or 't'");
        if (w.count > 3)
            return ordo_text_fail(c->in, w.line, w.word[3].begin, "the end of the line (n ID s, n ID t)");
        ordo_vid *which = source ? &out->source : &out->sink;
        if (*which != ORDO_NO_VERTEX)
            return ordo_text_fail(c->in, w.line, w.word[2].begin, "one %s: there is one already",
                                  source ? "source" : "sink");
        *which = (ordo_vid)(id - 1);
        if (out->source == out->sink)
            return ordo_text_fail(c->in, w.line, w.word[1].begin, "a sink other than the source");
    }
    *c = before;
    if (out->source == ORDO_NO_VERTEX || out->sink == ORDO_NO_VERTEX) {
        bool any = next_line(&before, &w);
        return ordo_text_fail(c->in, any ? w.line : before.line, any ? w.word[0].begin : NULL,
                              "'n ID %s' before the arcs", out->source == ORDO_NO_VERTEX ? "s" : "t");
    }
    return ORDO_OK;
}

ordo_status ordo_read_dimacs(ordo_input *in, const ordo_read_options *options, ordo_origin *origin, ordo_graph **out)
{
    ordo_cursor c = {in, in->bytes, 1};
    ordo_words w;
    problem p;
    if (!next_line(&c, &w))
        return ordo_text_fail(in, c.line, NULL, "a problem line %s", wished);
    if (!ordo_span_is(w.word[0], "p", false))
        return ordo_text_fail(in, w.line, w.word[0].begin, "a line of 'c', or %s", wished);
    ordo_status status = read_problem(in, &w, &p);
    ordo_vertex_data vertices = {.source = ORDO_NO_VERTEX, .sink = ORDO_NO_VERTEX};
    if (!status && p.flow)
        status = read_terminals(&c, &p, &vertices);
    if (status)
        return status;

    ordo_text_shape shape = {.arcs = !p.pace,
                             .comments = "c",
                             .columns = p.pace ? 2 : 3,
                             .base = 1,
                             .n = p.n,
                             .number = p.flow ? ORDO_NATURAL : ORDO_INTEGER,
                             .drop = !ordo_weights_wanted(&options->edges),
                             .round = options->round,
                             .claimed = p.pace ? "edges" : "lines of 'a'",
                             .claim = p.m,
                             .claim_line = p.line,
                             .mirror = p.pace ? ORDO_MIRROR_SAME : ORDO_MIRROR_NONE};
    origin->format = p.flow ? "DIMACS .max" : p.pace ? "PACE .gr" : "DIMACS .gr";
    origin->id_base = 1;
    if (p.flow) {
        origin->vertices->source = vertices.source;
        origin->vertices->sink = vertices.sink;
    }
    return ordo_graph_from_text(&c, &shape, origin, out);
}

/* ---- coordinates ---- */

static bool scan_signed(ordo_span s, ordo_i32 *out)
{
    bool minus = s.begin < s.end && *s.begin == '-';
    s.begin += minus;
    ordo_u64 size;
    if (!ordo_span_number(s, &size) || size > (ordo_u64)INT32_MAX + minus)
        return false;
    *out = (ordo_i32)(minus ? 0u - (ordo_u32)size : (ordo_u32)size);
    return true;
}

static ordo_status read_places(const ordo_input *in, ordo_u64 n, ordo_i32 *to, ordo_u8 *seen)
{
    ordo_cursor c = {in, in->bytes, 1};
    ordo_words w = {0};
    ordo_u64 count, known = 0;
    if (!next_line(&c, &w) || !ordo_span_is(w.word[0], "p", false) || !ordo_span_is(w.word[1], "aux", false) ||
        !ordo_span_is(w.word[2], "sp", false) || !ordo_span_is(w.word[3], "co", false))
        return ordo_text_fail(in, w.count ? w.line : c.line, w.count ? w.word[0].begin : NULL,
                              "'p aux sp co VERTICES'");
    if (!ordo_span_number(w.word[4], &count) || w.count > 5)
        return ordo_text_fail(in, w.line, w.word[4].begin, "a number of vertices, and no more");
    if (count != n)
        return ordo_text_fail(in, w.line, w.word[4].begin, "%llu, the graph's number of vertices",
                              (unsigned long long)n);
    for (; next_line(&c, &w); known++) {
        ordo_u64 id;
        if (!ordo_span_is(w.word[0], "v", false))
            return ordo_text_fail(in, w.line, w.word[0].begin, "a line of 'v' or 'c'");
        if (!ordo_span_number(w.word[1], &id) || id == 0 || id > n)
            return ordo_text_fail(in, w.line, w.word[1].begin, "a vertex from 1 to %llu", (unsigned long long)n);
        if (seen[id - 1])
            return ordo_text_fail(in, w.line, w.word[1].begin, "each vertex once: this one has a place already");
        for (int i = 0; i < 2; i++)
            if (!scan_signed(w.word[2 + i], &to[2 * (id - 1) + (ordo_u64)i]))
                return ordo_text_fail(in, w.line, w.word[2 + i].begin, "a coordinate: an integer of 32 bits");
        if (w.count > 4)
            return ordo_text_fail(in, w.line, w.word[4].begin, "the end of the line (v ID X Y)");
        seen[id - 1] = 1;
    }
    if (known < n)
        return ordo_fail(ORDO_ERR_INPUT, "%s:%llu: found %llu lines of 'v', expected %llu", in->name,
                         (unsigned long long)(c.line - 1), (unsigned long long)known, (unsigned long long)n);
    return ORDO_OK;
}

ordo_status ordo_read_coordinates(const char *path, ordo_u64 n, ordo_i32 **out)
{
    ordo_input in;
    ordo_status status = ordo_input_open(path, &in);
    if (status)
        return status;
    ordo_i32 *to = ordo_alloc(n, 2 * sizeof *to);
    ordo_u8 *seen = to ? ordo_alloc_zero(n, 1) : NULL;
    status = seen ? read_places(&in, n, to, seen) : ORDO_ERR_MEMORY;
    ordo_free(seen);
    ordo_input_close(&in);
    if (status)
        ordo_free(to);
    else
        *out = to;
    return status;
}

/* ---- writing ---- */

static void put_problem(ordo_writer *w, const char *kind, const ordo_csr *g)
{
    ordo_put_text(w, kind);
    ordo_put_number(w, g->n);
    ordo_put_text(w, " ");
    ordo_put_number(w, g->m);
    ordo_put_text(w, "\n");
}

static void put_arc(ordo_writer *w, const ordo_csr *g, ordo_vid tail, ordo_eid e)
{
    ordo_put_text(w, "a ");
    ordo_put_number(w, (ordo_u64)tail + 1);
    ordo_put_text(w, " ");
    ordo_put_number(w, (ordo_u64)g->head[e * g->stride] + 1);
    ordo_put_text(w, " ");
    ordo_put_weight(w, g->weight_type, ordo_csr_word(g, e));
    ordo_put_text(w, "\n");
}

ordo_status ordo_write_dimacs(ordo_writer *w, const ordo_graph *graph)
{
    put_problem(w, "p sp ", &graph->out);
    return ordo_put_lines(w, graph->threads, &graph->out, put_arc);
}

ordo_status ordo_write_max(ordo_writer *w, const ordo_graph *graph)
{
    put_problem(w, "p max ", &graph->out);
    ordo_put_text(w, "n ");
    ordo_put_number(w, (ordo_u64)graph->vertices.source + 1);
    ordo_put_text(w, " s\nn ");
    ordo_put_number(w, (ordo_u64)graph->vertices.sink + 1);
    ordo_put_text(w, " t\n");
    return ordo_put_lines(w, graph->threads, &graph->out, put_arc);
}

static void put_places(ordo_writer *w, const void *arg, ordo_u64 begin, ordo_u64 end)
{
    const ordo_i32 *coordinate = arg;
    for (ordo_u64 v = begin; v < end; v++) {
        ordo_put_text(w, "v ");
        ordo_put_number(w, v + 1);
        for (ordo_u64 i = 2 * v; i < 2 * v + 2; i++) {
            ordo_put_text(w, " ");
            ordo_put_weight(w, ORDO_I32, (ordo_u32)coordinate[i]);
        }
        ordo_put_text(w, "\n");
    }
}

ordo_status ordo_write_coordinates(ordo_writer *w, const ordo_graph *graph)
{
    enum { USUAL = 32 }; /* bytes of a line */
    ordo_put_text(w, "p aux sp co ");
    ordo_put_number(w, graph->out.n);
    ordo_put_text(w, "\n");
    return ordo_put_parts(w, graph->threads, graph->out.n, USUAL, put_places, graph->vertices.coordinate);
}
