/* metis.c -- METIS graphs (.graph), also those of the 10th DIMACS challenge and of Chaco.
 *
 * Problem: "VERTICES EDGES [FMT [NCON]]", then one line for each vertex: [size] [NCON weights] and pairs of neighbour
 * and edge weight, according to the digits of FMT (sizes, vertex weights, edge weights). Vertices are numbered from 1,
 * EDGES counts undirected edges, every edge is in the lines of both ends, lines of % are comments, an empty line is a
 * vertex without edges.
 *
 * Method: the lines are rows in order already. The text is cut into pieces. A first pass counts vertices and edges of
 * each piece; sums of these give every piece its first vertex and edge. A second pass writes heads and weights into the
 * rows. transform.c then checks that both directions are there, with one weight.
 *
 * Not done: self-loops, which the format does not have; edge weights beyond 32 bits.
 */
#include "text.h"

#include "framework/run/phase.h"

typedef enum wanted {
    FINE,
    WANT_WORD,
    WANT_NUMBER,
    WANT_WEIGHT,
    WANT_NEIGHBOUR,
    WANT_OTHER,
    WANT_PAIR,
    WANT_NO_LINE
} wanted;

typedef struct piece {
    ordo_piece text;
    ordo_u64 lines, vertices, edges;               /* in it */
    ordo_u64 first_line, first_vertex, first_edge; /* before it */
    ordo_place wrong;                              /* what ended the piece, or NULL */
    ordo_u64 wrong_line;                           /* in the piece, 0 is the first */
    wanted want;
} piece;

typedef struct metis {
    const ordo_input *in;
    ordo_u64 n, m; /* m: undirected */
    bool sizes, edge_weights;
    ordo_u64 most;    /* the largest weight of an edge */
    ordo_u32 weights; /* of a vertex */
    ordo_u64 header_line;
    piece *pieces;
    ordo_u64 count;
    ordo_csr csr;
    ordo_eid *row;
    ordo_vid *head;
    ordo_u32 *size, *weight;
    ordo_phase phase;
    _Alignas(64) ordo_u64 next; /* atomic */
} metis;

static ordo_u64 words_before(const metis *g)
{
    return g->weights + (g->sizes ? 1u : 0u);
}

/* ---- the header ---- */

static ordo_status read_header(metis *g, ordo_cursor *c)
{
    const ordo_input *in = g->in;
    ordo_words w;
    do {
        if (!ordo_next_line(c, &w))
            return ordo_text_fail(in, c->line, NULL, "a line 'VERTICES EDGES [FMT [NCON]]'");
    } while (w.count == 0 || *w.word[0].begin == '%');
    g->header_line = w.line;
    if (!ordo_span_number(w.word[0], &g->n))
        return ordo_text_fail(in, w.line, w.word[0].begin, "a number of vertices");
    if (!ordo_span_number(w.word[1], &g->m) || g->m >> 60)
        return ordo_text_fail(in, w.line, w.word[1].begin, "a number of edges");
    ordo_span fmt = w.word[2];
    size_t digits = (size_t)(fmt.end - fmt.begin);
    for (ordo_place p = fmt.begin; p < fmt.end; p++)
        if ((*p != '0' && *p != '1') || digits > 3)
            return ordo_text_fail(in, w.line, fmt.begin, "FMT: up to three digits 0 or 1");
    g->edge_weights = digits >= 1 && fmt.end[-1] == '1';
    g->weights = digits >= 2 && fmt.end[-2] == '1';
    g->sizes = digits == 3 && fmt.begin[0] == '1';
    if (w.count > 3) {
        ordo_u64 ncon;
        if (!ordo_span_number(w.word[3], &ncon) || ncon == 0 || ncon > 1000)
            return ordo_text_fail(in, w.line, w.word[3].begin, "NCON: a number of weights of a vertex, 1 to 1000");
        if (!g->weights)
            return ordo_text_fail(in, w.line, w.word[3].begin, "the end of the line: FMT says no vertex weights");
        g->weights = (ordo_u32)ncon;
    }
    if (w.count > 4)
        return ordo_text_fail(in, w.line, w.word[4].begin, "the end of the line");
    /* Every vertex has a line, of at least one byte. */
    if (g->n > in->size)
        return ordo_text_fail(in, w.line, w.word[0].begin, "no more vertices than the file has lines");
    return ordo_input_plausible(in, w.line, g->n);
}

/* ---- the lines ---- */

static void wrong_here(piece *p, ordo_place at, ordo_u64 line, wanted want)
{
    p->wrong = at;
    p->wrong_line = line;
    p->want = want;
}

static void count_piece(const metis *g, piece *p)
{
    ordo_place at = p->text.begin, end = p->text.end;
    ordo_u64 before = words_before(g);
    for (; at < end; p->lines++) {
        at = skip_blanks(at, end);
        if (at < end && *at == '%') {
            at = after_line(at, end);
            continue;
        }
        ordo_u64 words = 0;
        while (!at_line_end(at, end)) {
            words++;
            while (!at_gap(at, end))
                at++;
            at = skip_blanks(at, end);
        }
        /* An empty line may come after the last vertex; the second pass decides. */
        if (words && words < before)
            return wrong_here(p, at, p->lines, WANT_WORD);
        if (words && g->edge_weights && (words - before) % 2)
            return wrong_here(p, at, p->lines, WANT_PAIR);
        p->vertices++;
        p->edges += words ? (words - before) / (g->edge_weights ? 2 : 1) : 0;
        at += at < end;
    }
}

static bool scan_word(ordo_place *at, ordo_place end, ordo_u64 *out)
{
    ordo_place after = scan_digits(*at, end, out);
    if (after == *at || !at_gap(after, end))
        return false;
    *at = skip_blanks(after, end);
    return true;
}

/* The same for a number of up to 64 bits. */
static bool scan_weight(ordo_place *at, ordo_place end, ordo_u64 *out)
{
    ordo_place after = scan_all_digits(*at, end, out);
    if (after == *at || !at_gap(after, end))
        return false;
    *at = skip_blanks(after, end);
    return true;
}

/* Reads the numbers of the vertex itself; returns their end, or NULL (then *bad is the place of the error). */
static ordo_place read_own(metis *g, ordo_u64 vertex, ordo_place at, ordo_place end, ordo_place *bad)
{
    for (ordo_u64 i = 0; i < words_before(g); i++) {
        ordo_u64 value;
        *bad = at;
        if (!scan_word(&at, end, &value) || value > UINT32_MAX)
            return NULL;
        if (g->sizes && i == 0)
            g->size[vertex] = (ordo_u32)value;
        else
            g->weight[vertex * g->weights + i - g->sizes] = (ordo_u32)value;
    }
    return at;
}

static void read_piece(metis *g, piece *p)
{
    ordo_place at = p->text.begin, end = p->text.end;
    ordo_u64 vertex = p->first_vertex;
    ordo_eid e = p->first_edge;
    for (ordo_u64 line = 0; at < end; line++) {
        at = skip_blanks(at, end);
        if (at < end && *at == '%') {
            at = after_line(at, end);
            continue;
        }
        ordo_place bad = at;
        if (vertex >= g->n) {
            if (!at_line_end(at, end))
                return wrong_here(p, at, line, WANT_NO_LINE);
            at += at < end;
            continue;
        }
        if (at_line_end(at, end) && words_before(g))
            return wrong_here(p, at, line, WANT_WORD);
        g->row[vertex] = e;
        at = read_own(g, vertex, at, end, &bad);
        if (!at)
            return wrong_here(p, bad, line, WANT_NUMBER);
        for (; !at_line_end(at, end); e++) {
            ordo_u64 value;
            bad = at;
            if (!scan_word(&at, end, &value) || value == 0 || value > g->n)
                return wrong_here(p, bad, line, WANT_NEIGHBOUR);
            if (value - 1 == vertex)
                return wrong_here(p, bad, line, WANT_OTHER);
            g->head[e * g->csr.stride] = (ordo_vid)(value - 1);
            if (!g->edge_weights)
                continue;
            bad = at;
            if (!scan_weight(&at, end, &value) || value > g->most)
                return wrong_here(p, bad, line, WANT_WEIGHT);
            if (g->csr.stride > 1)
                ordo_put_word(g->head + e * g->csr.stride, g->csr.stride - 1, value);
        }
        vertex++;
        at += at < end;
    }
}

static void count_pieces(void *arg, int member)
{
    metis *g = arg;
    (void)member;
    for (ordo_u64 i;
         !ordo_phase_step(&g->phase, 1) && (i = __atomic_fetch_add(&g->next, 1, __ATOMIC_RELAXED)) < g->count;)
        count_piece(g, &g->pieces[i]);
}

static void read_pieces(void *arg, int member)
{
    metis *g = arg;
    (void)member;
    for (ordo_u64 i;
         !ordo_phase_step(&g->phase, 1) && (i = __atomic_fetch_add(&g->next, 1, __ATOMIC_RELAXED)) < g->count;)
        read_piece(g, &g->pieces[i]);
}

/* The first error that a pass found. Pieces before it were read completely, so their lines are counted. */
static ordo_status report(const metis *g)
{
    const piece *p = g->pieces;
    while (p < g->pieces + g->count && !p->wrong)
        p++;
    if (p == g->pieces + g->count)
        return ORDO_OK;
    ordo_u64 line = p->first_line + p->wrong_line;
    unsigned long long header = g->header_line;
    switch (p->want) {
    case WANT_WORD:
        return ordo_text_fail(g->in, line, p->wrong, "%llu numbers for the vertex itself, as line %llu says",
                              (unsigned long long)words_before(g), header);
    case WANT_NUMBER:
        return ordo_text_fail(g->in, line, p->wrong, "a weight: an integer from 0 to 4294967295");
    case WANT_WEIGHT:
        return ordo_text_fail(g->in, line, p->wrong, "a weight: an integer from 0 to %llu%s",
                              (unsigned long long)g->most, g->most > UINT32_MAX ? "" : " (--weight-type i64: larger)");
    case WANT_NEIGHBOUR:
        return ordo_text_fail(g->in, line, p->wrong, "a vertex from 1 to %llu", (unsigned long long)g->n);
    case WANT_OTHER:
        return ordo_text_fail(g->in, line, p->wrong, "another vertex: the format has no self-loops");
    case WANT_PAIR:
        return ordo_text_fail(g->in, line, p->wrong, "a weight for every neighbour, as line %llu says", header);
    case WANT_NO_LINE:
        return ordo_text_fail(g->in, line, p->wrong, "the end of the file: line %llu says %llu vertices", header,
                              (unsigned long long)g->n);
    case FINE:
        break;
    }
    return ORDO_OK;
}

/* ---- the call ---- */

/* Sums the counts of pieces, and checks them against the header. */
static ordo_status join_pieces(metis *g, ordo_u64 line, ordo_u64 *edges)
{
    ordo_u64 first = line, vertices = 0;
    *edges = 0;
    for (ordo_u64 i = 0; i < g->count; i++) {
        piece *p = &g->pieces[i];
        p->first_line = line;
        p->first_vertex = vertices;
        p->first_edge = *edges;
        line += p->lines;
        vertices += p->vertices;
        *edges += p->edges;
    }
    ordo_status status = report(g);
    if (status)
        return status;
    if (vertices < g->n)
        return ordo_fail(ORDO_ERR_INPUT, "%s:%llu: found %llu lines of vertices, expected %llu as line %llu says",
                         g->in->name, (unsigned long long)(line > first ? line - 1 : g->header_line),
                         (unsigned long long)vertices, (unsigned long long)g->n, (unsigned long long)g->header_line);
    return ORDO_OK;
}

static ordo_status parse(metis *g, ordo_team *team, ordo_u64 line, ordo_type type, ordo_vertex_data *vertices)
{
    ordo_u64 edges;
    ordo_phase_begin(&g->phase, "reading", g->count);
    ordo_team_run(team, count_pieces, g);
    ordo_status status = ordo_phase_end(&g->phase);
    if (!status)
        status = join_pieces(g, line, &edges);
    if (!status)
        status = ordo_csr_alloc(g->n, edges, type, &g->csr);
    if (status)
        return status;
    g->row = (ordo_eid *)(size_t)g->csr.row;
    g->head = (ordo_vid *)(size_t)g->csr.head;
    g->row[0] = 0;
    g->row[g->n] = edges;
    if (g->weights) {
        if (!ordo_memory_fits(g->n * g->weights * sizeof *g->weight))
            return ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for %u weights a vertex", g->in->name, g->weights);
        vertices->weight = g->weight = ordo_alloc(g->n, g->weights * sizeof *g->weight);
        vertices->weights = g->weights;
    }
    if (g->sizes)
        vertices->size = g->size = ordo_alloc(g->n, sizeof *g->size);
    if ((g->weights && !g->weight) || (g->sizes && !g->size))
        return ORDO_ERR_MEMORY;
    g->next = 0;
    ordo_phase_begin(&g->phase, "building rows", g->count);
    ordo_team_run(team, read_pieces, g);
    status = ordo_phase_end(&g->phase);
    if (!status)
        status = report(g);
    if (!status && edges != 2 * g->m)
        status =
            ordo_fail(ORDO_ERR_INPUT, "%s:%llu: found %llu neighbours, expected %llu, two an edge", g->in->name,
                      (unsigned long long)g->header_line, (unsigned long long)edges, (unsigned long long)(2 * g->m));
    return status;
}

ordo_status ordo_read_metis(ordo_input *in, const ordo_read_options *options, ordo_origin *origin, ordo_graph **out)
{
    ordo_cursor c = {in, in->bytes, 1};
    metis g = {.in = in};
    ordo_status status = read_header(&g, &c);
    if (status)
        return status;
    ordo_place end = in->bytes + in->size;
    size_t size = (size_t)(end - c.at);
    g.count = ordo_pieces(size);
    ordo_piece *texts = ordo_alloc(g.count, sizeof *texts);
    g.pieces = texts ? ordo_alloc_zero(g.count, sizeof *g.pieces) : NULL;
    ordo_team *team = NULL;
    status = g.pieces ? ordo_graph_team(options->threads, size / 8, &team) : ORDO_ERR_MEMORY;
    if (!status) {
        ordo_cut(c.at, end, texts);
        for (ordo_u64 i = 0; i < g.count; i++)
            g.pieces[i].text = texts[i];
        bool keep = g.edge_weights && ordo_weights_wanted(&options->edges);
        const bool wide = options->edges.weight_type == ORDO_I64;
        g.most = wide ? INT64_MAX : UINT32_MAX;
        status = parse(&g, team, c.line, !keep ? ORDO_NONE : wide ? ORDO_I64 : ORDO_U32, origin->vertices);
        ordo_team_return(team);
    }
    ordo_free(g.pieces);
    ordo_free(texts);
    if (status) {
        ordo_csr_free(&g.csr);
        return status;
    }
    ordo_input_close(in);
    ordo_edge_options edges = options->edges;
    edges.direction = ORDO_SYMMETRIC; /* the format has both directions: one without the other is damage */
    ordo_origin checked = *origin;
    checked.edges = &edges;
    checked.format = "METIS .graph";
    checked.id_base = 1;
    return ordo_graph_from_rows(&g.csr, false, &checked, out);
}

/* ---- writing ---- */

static void put_vertices(ordo_writer *w, const void *arg, ordo_u64 begin, ordo_u64 end)
{
    const ordo_graph *graph = arg;
    const ordo_csr *g = &graph->out;
    const ordo_vertex_data *v = &graph->vertices;
    for (ordo_u64 u = begin; u < end; u++) {
        const char *gap = "";
        if (v->size) {
            ordo_put_number(w, v->size[u]);
            gap = " ";
        }
        for (ordo_u64 i = u * v->weights; v->weight && i < (u + 1) * v->weights; i++) {
            ordo_put_text(w, gap);
            ordo_put_number(w, v->weight[i]);
            gap = " ";
        }
        for (ordo_eid e = g->row[u]; e < g->row[u + 1]; e++) {
            ordo_put_text(w, gap);
            ordo_put_number(w, (ordo_u64)g->head[e * g->stride] + 1);
            if (g->weight_type != ORDO_NONE) {
                ordo_put_text(w, " ");
                ordo_put_weight(w, g->weight_type, ordo_csr_word(g, e));
            }
            gap = " ";
        }
        ordo_put_text(w, "\n");
    }
}

ordo_status ordo_write_metis(ordo_writer *w, const ordo_graph *graph)
{
    const ordo_csr *g = &graph->out;
    const ordo_vertex_data *v = &graph->vertices;
    bool weighted = g->weight_type != ORDO_NONE, own = v->weight != NULL, sized = v->size != NULL;
    ordo_put_number(w, g->n);
    ordo_put_text(w, " ");
    ordo_put_number(w, g->m / 2);
    if (weighted || own || sized) {
        ordo_put_text(w, sized ? " 1" : " 0");
        ordo_put_text(w, own ? "1" : "0");
        ordo_put_text(w, weighted ? "1" : "0");
    }
    if (own) {
        ordo_put_text(w, " ");
        ordo_put_number(w, v->weights);
    }
    ordo_put_text(w, "\n");
    const ordo_u64 usual = 12 * (g->m / (g->n ? g->n : 1) + 1); /* bytes of a line */
    return ordo_put_parts(w, graph->threads, g->n, usual, put_vertices, graph);
}
