/* edgelist.c -- edge lists: one edge on each line (.el, .wel, SNAP's .txt, .csv, .tsv, rudy's and algs4's).
 *
 * Problem: a format without a header, of which there are many kinds. "u v" or "u v w" between blanks; fields between
 * commas, semicolons or tabs, quoted or not, with or without a line of names; numbers of vertices and edges before the
 * edges, or in a comment such as SNAP's "# Nodes: 7115 Edges: 103689". Lines of #, % or // are comments.
 *
 * Method: the first line that is not a comment determines the separator (a comma, else a semicolon, else, with names of
 * columns, a tab, else blanks) and the columns: by name, or all of them where there are two or three. text.c reads the
 * edges. Weights are u32 if all are integers and none is negative, i32 if one is negative, f32 if one is not an
 * integer.
 *
 * Vertices are numbered from 0. Their number is the largest one in the file + 1, or that of a comment if it is larger.
 * Numbers that do not occur are vertices without edges. Where counts precede the edges, they give the number of
 * vertices; read_counts decides whether a line is a count or an edge. The writer puts a "# Nodes:" comment only where
 * it must, since other programs do not know comments.
 *
 * Not done: names of vertices; a column for the direction; line ends inside of fields.
 */
#include "text.h"

#include <stdio.h>

enum { MOST_FIELDS = 256, LONGEST_NAME = 64 };

static const char comments[] = "#%/";
static const char no_edge[] = "at least one edge (the format has no other number of vertices)";

/* The number behind the word "Nodes:" of a comment, or 0. */
static ordo_u64 nodes_of(const ordo_words *w)
{
    ordo_u64 n;
    for (int i = 0; i + 1 < w->count && i + 1 < ORDO_WORDS; i++)
        if (ordo_span_is(w->word[i], "nodes:", true) && ordo_span_number(w->word[i + 1], &n))
            return n;
    return 0;
}

static bool is_comment(const ordo_words *w)
{
    if (w->count == 0)
        return true;
    ordo_place p = w->word[0].begin;
    return *p == '#' || *p == '%' || (*p == '/' && w->word[0].end - p > 1 && p[1] == '/');
}

/* Finds the first line that is not a comment; *from is then before it. False: there is none. Counts in comments go to
 * *shape. */
static bool first_line(const ordo_input *in, ordo_cursor *from, ordo_words *w, ordo_text_shape *shape)
{
    const ordo_u8 mark[] = {0xef, 0xbb, 0xbf}; /* the byte-order mark of UTF-8 */
    ordo_cursor c = {in, in->bytes, 1};
    if (in->size >= sizeof mark && memcmp(in->bytes, mark, sizeof mark) == 0)
        c.at += sizeof mark;
    for (*from = c; ordo_next_line(&c, w); *from = c) {
        if (!is_comment(w))
            return true;
        ordo_u64 n = nodes_of(w);
        if (n > shape->least_n) {
            shape->least_n = n;
            shape->claim_line = w->line;
        }
    }
    return false;
}

/* ---- columns ---- */

typedef struct header {
    ordo_u64 line;
    ordo_place begin;
    ordo_u8 separator;
    bool names; /* some field is no number */
    int count;
    ordo_span field[MOST_FIELDS];
} header;

static const char *const from_names[] = {"from",       "source",    "src",          "tail",      "u",
                                         "id_1",       "id1",       "node_1",       "node1",     "start",
                                         "i",          "vertex_1",  "vertex1",      "from_id",   "fromnode",
                                         "fromnodeid", "from_node", "from_node_id", "source_id", NULL};
static const char *const to_names[] = {"to",        "target", "dst",         "head",     "v",       "id_2",
                                       "id2",       "node_2", "node2",       "end",      "j",       "vertex_2",
                                       "vertex2",   "to_id",  "tonode",      "tonodeid", "to_node", "to_node_id",
                                       "target_id", "dest",   "destination", NULL};
static const char *const weight_names[] = {"weight", "w",        "cost",        "distance",   "dist",
                                           "length", "capacity", "edge_weight", "edgeweight", NULL};

static bool is_number(ordo_span s)
{
    ordo_decimal d;
    return s.begin < s.end && ordo_scan_real(s.begin, s.end, &d) == s.end;
}

/* ',' or ';' outside of quotes, or 0. */
static ordo_u8 mark_in(ordo_place p, ordo_place end)
{
    ordo_u8 found = 0;
    for (bool quoted = false; !at_line_end(p, end); p++) {
        quoted ^= *p == '"';
        if (!quoted && *p == ',')
            return ',';
        if (!quoted && *p == ';')
            found = ';';
    }
    return found;
}

static bool cut_header(ordo_place p, ordo_place end, ordo_u8 separator, header *h)
{
    bool more = true;
    h->separator = separator;
    h->names = false;
    for (h->count = 0; more; h->count++) {
        if (h->count == MOST_FIELDS || !ordo_next_field(&p, end, separator, &h->field[h->count], &more))
            return false;
        h->names |= !is_number(h->field[h->count]);
    }
    return true;
}

/* The fields of the line at the cursor. False: too many, or quotes without an end. */
static bool read_header(const ordo_cursor *at, const ordo_words *w, header *h)
{
    ordo_place end = w->end.end;
    h->line = w->line;
    h->begin = w->word[0].begin;
    ordo_u8 mark = mark_in(at->at, end);
    if (!cut_header(at->at, end, mark ? mark : ' ', h))
        return false;
    bool tabs = !mark && h->names && memchr(at->at, '\t', (size_t)(end - at->at)); /* names may have blanks in them */
    return !tabs || cut_header(at->at, end, '\t', h);
}

/* The index of the field that has one of the names; -1: none, -2: several. */
static int named(const header *h, const char *const *names)
{
    int found = -1;
    for (int i = 0; i < h->count; i++)
        for (const char *const *name = names; *name; name++)
            if (ordo_span_is(h->field[i], *name, true))
                found = found == -1 ? i : -2;
    return found;
}

static bool tells_columns(const header *h)
{
    return h->names && named(h, from_names) >= 0 && named(h, to_names) >= 0 && named(h, weight_names) != -2;
}

bool ordo_looks_like_table(const ordo_input *in)
{
    ordo_cursor from;
    ordo_words w;
    ordo_text_shape shape = {0};
    header h;
    return first_line(in, &from, &w, &shape) && read_header(&from, &w, &h) && tells_columns(&h);
}

static ordo_status untold(const ordo_input *in, const header *h)
{
    char all[160] = "";
    size_t used = 0;
    for (int i = 0; i < h->count && used + 24 < sizeof all; i++) {
        char name[17];
        size_t length = 0;
        for (ordo_place p = h->field[i].begin; p < h->field[i].end && length + 1 < sizeof name; p++)
            name[length++] = *p >= ' ' && *p < 127 ? (char)*p : '?';
        name[length] = 0;
        used += (size_t)snprintf(all + used, sizeof all - used, "%s'%s'", i ? ", " : "", name);
    }
    if (!h->names)
        return ordo_fail(ORDO_ERR_INPUT,
                         "%s:%llu: found %d columns without names (%s), expected two or three, or --columns FROM,TO or "
                         "FROM,TO,WEIGHT, by numbers from 1",
                         in->name, (unsigned long long)h->line, h->count, all);
    return ordo_fail(ORDO_ERR_INPUT,
                     "%s:%llu: found columns %s, expected names that tell which are the ends of an edge (from and to, "
                     "source and target, ...), or --columns FROM,TO or FROM,TO,WEIGHT",
                     in->name, (unsigned long long)h->line, all);
}

/* One of the words of --columns: a name of the header, or a number from 1. */
static ordo_status asked_column(const ordo_input *in, const header *h, const char *word, size_t length, int *out)
{
    char text[LONGEST_NAME + 1];
    ordo_span span = {(ordo_place)word, (ordo_place)word + length};
    ordo_u64 number;
    int found = -1;
    for (size_t i = 0; i < length && i < LONGEST_NAME; i++)
        text[i] = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] - 'A' + 'a') : word[i];
    text[length < LONGEST_NAME ? length : LONGEST_NAME] = 0;
    for (int i = 0; h->names && i < h->count; i++)
        if (length && ordo_span_is(h->field[i], text, true)) {
            if (found >= 0)
                return ordo_fail(ORDO_ERR_USAGE,
                                 "%s:%llu: found two columns '%s', expected one (--columns takes numbers, too)",
                                 in->name, (unsigned long long)h->line, text);
            found = i;
        }
    if (found < 0 && ordo_span_number(span, &number) && number >= 1 && number <= (ordo_u64)h->count)
        found = (int)number - 1;
    if (found < 0)
        return ordo_fail(ORDO_ERR_USAGE, "%s:%llu: found no column '%s', expected a number from 1 to %d%s", in->name,
                         (unsigned long long)h->line, text, h->count,
                         h->names ? " or one of the names in this line" : "");
    *out = found;
    return ORDO_OK;
}

static ordo_status asked_columns(const ordo_input *in, const header *h, const char *columns, ordo_text_shape *shape)
{
    const char *at = columns;
    for (shape->columns = 0;; at++) {
        size_t length = strcspn(at, ",");
        ordo_status status =
            shape->columns == 3 ? ordo_fail(ORDO_ERR_USAGE, "columns '%s', expected FROM,TO or FROM,TO,WEIGHT", columns)
                                : asked_column(in, h, at, length, &shape->at[shape->columns]);
        if (status)
            return status;
        for (int i = 0; i < shape->columns; i++)
            if (shape->at[i] == shape->at[shape->columns])
                return ordo_fail(ORDO_ERR_USAGE, "columns '%s', expected a different one for each", columns);
        shape->columns++;
        at += length;
        if (!*at)
            break;
    }
    if (shape->columns < 2)
        return ordo_fail(ORDO_ERR_USAGE, "columns '%s', expected FROM,TO or FROM,TO,WEIGHT", columns);
    return ORDO_OK;
}

static ordo_status choose_columns(const ordo_input *in, const header *h, const char *columns, ordo_text_shape *shape)
{
    shape->fields = h->count;
    shape->fields_line = h->line;
    shape->separator = h->separator;
    if (columns)
        return asked_columns(in, h, columns, shape);
    if (h->names) {
        if (!tells_columns(h))
            return untold(in, h);
        shape->at[0] = named(h, from_names);
        shape->at[1] = named(h, to_names);
        shape->at[2] = named(h, weight_names);
        shape->columns = shape->at[2] >= 0 ? 3 : 2;
        return ORDO_OK;
    }
    if (h->count != 2 && h->count != 3)
        return h->count < 2 ? ordo_text_fail(in, h->line, h->field[0].end, "two ends of an edge") : untold(in, h);
    for (int i = 0; i < 3; i++)
        shape->at[i] = i;
    shape->columns = h->count;
    return ORDO_OK;
}

/* ---- counts before the edges ---- */

/* Whether one of the next 1000 lines, which must have two columns, has an end above n. */
static bool some_beyond(ordo_cursor c, ordo_u64 n)
{
    enum { LINES = 1000 };
    ordo_words w;
    ordo_u64 id;
    for (int i = 0; i < LINES && ordo_next_line(&c, &w); i++)
        for (int k = 0; k < 2 && !is_comment(&w); k++)
            if (!ordo_span_number(w.word[k], &id) || id > n)
                return true;
    return false;
}

/* Finds the next line that is not a comment; *from is then before it. False: there is none. */
static bool next_edge(ordo_cursor *from, ordo_words *w)
{
    for (ordo_cursor c = *from; ordo_next_line(&c, w); *from = c)
        if (!is_comment(w))
            return true;
    return false;
}

/* Where the file begins with counts, moves *from after them, and puts them into *shape. There are three layouts:
 *   a line of one number, the vertices; then a line of one number, the edges, or none (algs4). A line of one number
 *     cannot be an edge;
 *   a line of two numbers, vertices and edges, before lines of three (rudy). It cannot be an edge, either;
 *   the same before lines of two. It may be an edge, and is taken for one unless its second number is exactly the
 *     number of lines that follow, and no end of an edge is above its first number.
 * Except for the last layout, text.c checks the count of edges. Ends are numbered from 0 if one is 0, from 1 if one is
 * the number of vertices, else from 1 after one line of counts and from 0 after two. */
static ordo_status read_counts(ordo_cursor *from, const ordo_words *first, int threads, ordo_text_shape *shape)
{
    ordo_u64 n, m = 0;
    ordo_words w;
    ordo_cursor edges = *from;
    ordo_next_line(&edges, &w); /* back to the first line */
    if (first->count > 2 || !ordo_span_number(first->word[0], &n) || !next_edge(&edges, &w))
        return ORDO_OK;
    ordo_u64 line = first->line;
    bool counted = first->count == 2 && ordo_span_number(first->word[1], &m), two_lines = first->count == 1;
    if (two_lines && w.count == 1) {
        line = w.line;
        counted = ordo_span_number(w.word[0], &m);
        if (!counted)
            return ORDO_OK;
        ordo_next_line(&edges, &w);
        if (!next_edge(&edges, &w))
            w.count = 2; /* no edges: text.c checks whether that is right */
    }
    bool could_be_edge = first->count == 2 && w.count == 2;
    if ((w.count != 2 && w.count != 3) || (n == 0 && !two_lines) || (!counted && !two_lines) ||
        (could_be_edge && (m == 0 || some_beyond(edges, n))))
        return ORDO_OK;
    ordo_text_shape plain = *shape;
    plain.columns = w.count;
    plain.separator = 0;
    ordo_text_sums sums;
    ordo_status status = ordo_text_sum(&edges, &plain, threads, &sums);
    if (status)
        return status;
    if (could_be_edge && (sums.wrong || sums.edges != m || sums.largest > n - sums.zero))
        return ORDO_OK;
    *shape = plain;
    shape->base = sums.zero ? 0 : sums.largest == n ? 1 : two_lines ? 0 : 1;
    shape->n = n;
    shape->claimed = counted ? "lines of edges" : NULL;
    shape->claim = m;
    shape->claim_line = line;
    *from = edges;
    return ordo_input_plausible(from->in, first->line, n);
}

/* ---- the call ---- */

ordo_status ordo_read_edgelist(ordo_input *in, const ordo_read_options *options, ordo_origin *origin, ordo_graph **out)
{
    ordo_cursor from;
    ordo_words w = {0};
    ordo_text_shape shape = {
        .comments = comments, .n = ORDO_COUNT_UNKNOWN, .number = ORDO_EITHER, .round = options->round};
    shape.drop = !ordo_weights_wanted(&options->edges);
    bool any = first_line(in, &from, &w, &shape), counts = false;
    if (!any && !shape.least_n)
        return ordo_text_fail(in, from.line, NULL, "%s", no_edge);
    header h = {.separator = ' ', .count = 2};
    if (!any) {
        shape.columns = 2;
    } else {
        if (!read_header(&from, &w, &h))
            return ordo_text_fail(in, w.line, w.word[0].begin, "at most %d columns, and quotes around whole ones",
                                  MOST_FIELDS);
        ordo_status status = ORDO_OK;
        if (!options->columns && !h.names && h.separator == ' ' && !shape.least_n)
            status = read_counts(&from, &w, options->threads, &shape);
        counts = shape.n != ORDO_COUNT_UNKNOWN;
        if (!status && !counts)
            status = choose_columns(in, &h, options->columns, &shape);
        if (status)
            return status;
        if (h.names) {
            ordo_next_line(&from, &w);
            ordo_cursor rest = from;
            if (!next_edge(&rest, &w) && !shape.least_n)
                return ordo_text_fail(in, rest.line, NULL, "%s", no_edge);
        }
        bool in_order = shape.fields == shape.columns && shape.at[0] == 0 && shape.at[1] == 1 && *h.begin != '"';
        if (shape.separator == ' ' && in_order)
            shape.separator = 0; /* the layout without separators, which is faster to read */
    }
    char format[80];
    snprintf(format, sizeof format, "%sedge list%s", shape.columns == 3 ? "weighted " : "",
             counts     ? " with counts"
             : !h.names ? h.separator == ',' || h.separator == ';' ? " of fields" : ""
                        : " with names of columns");
    origin->format = format;
    origin->id_base = shape.base;
    return ordo_graph_from_text(&from, &shape, origin, out);
}

static void put_edge(ordo_writer *w, const ordo_csr *g, ordo_vid tail, ordo_eid e)
{
    ordo_put_number(w, tail);
    ordo_put_text(w, " ");
    ordo_put_number(w, g->head[e * g->stride]);
    if (g->weight_type != ORDO_NONE) {
        ordo_put_text(w, " ");
        ordo_put_weight(w, g->weight_type, ordo_csr_word(g, e));
    }
    ordo_put_text(w, "\n");
}

ordo_status ordo_write_edgelist(ordo_writer *w, const ordo_graph *graph)
{
    const ordo_csr *g = &graph->out;
    ordo_u64 seen = 0; /* the number of vertices according to the edges */
    for (ordo_u64 u = g->n; u > 0 && !seen; u--)
        seen = g->row[u] > g->row[u - 1] ? u : 0;
    for (ordo_eid e = 0; e < g->m && seen < g->n; e++)
        seen = (ordo_u64)g->head[e * g->stride] + 1 > seen ? (ordo_u64)g->head[e * g->stride] + 1 : seen;
    /* Whether the first line would be read as counts: all edges are in its row, and its head is the number of the
     * others. */
    ordo_vid first = g->m ? ordo_csr_tail(g, 0) : 0;
    bool like_counts = g->m > 1 && g->weight_type == ORDO_NONE && g->row[first + 1] == g->m && g->head[0] == g->m - 1;
    if (seen < g->n || like_counts) {
        ordo_put_text(w, "# Nodes: ");
        ordo_put_number(w, g->n);
        ordo_put_text(w, " Edges: ");
        ordo_put_number(w, g->m);
        ordo_put_text(w, "\n");
    }
    return ordo_put_lines(w, graph->threads, g, put_edge);
}
