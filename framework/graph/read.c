/* read.c -- finds out the format of a file and calls its reader.
 *
 * Problem: suffixes are ambiguous (.gr is three formats), and pipes have none.
 *
 * Method: content first: the banner of Matrix Market, the `c` and `p` lines of DIMACS, GAP and Galois headers that fit
 * the size of the file, the magic numbers of zip and .ordo, numbers or names of columns for an edge list. Where the
 * content does not decide, the suffix chooses the reader, whose error then describes the content. Common formats that
 * are not lists of edges are recognised, so that the refusal gives their name and the reason.
 *
 * Not done: guessing beyond that. METIS .graph files consist of numbers, as edge lists do, and are recognised by the
 * suffix alone.
 */
#include "text.h"

#include "framework/run/reserved.h"

#define SUPPORTED                                                                                                      \
    "DIMACS .gr or .max, Matrix Market .mtx, METIS .graph, an edge list .el, .wel, .txt, .csv or .tsv, GAP .sg or "    \
    ".wsg, Galois .gr, SciPy .npz or .ordo (gzip, xz or zstd over it)"

static const struct {
    const char *suffix;
    ordo_reader *read;
} readers[] = {
    {".gr", ordo_read_dimacs},    {".max", ordo_read_dimacs},   {".mtx", ordo_read_mtx},
    {".graph", ordo_read_metis},  {".metis", ordo_read_metis},  {".el", ordo_read_edgelist},
    {".wel", ordo_read_edgelist}, {".txt", ordo_read_edgelist}, {".sg", ordo_read_gap},
    {".csv", ordo_read_edgelist}, {".tsv", ordo_read_edgelist}, {".edges", ordo_read_edgelist},
    {".wsg", ordo_read_gap},      {".ggr", ordo_read_galois},   {".npz", ordo_read_npz},
    {".ordo", ordo_read_ordo},
};

static ordo_reader *by_suffix(const ordo_input *in)
{
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
        if (ordo_input_has_suffix(in, readers[i].suffix))
            return readers[i].read;
    return NULL;
}

static bool starts_with(const ordo_input *in, const char *text, size_t length)
{
    if (in->size < length)
        return false;
    for (size_t i = 0; i < length; i++) {
        ordo_u8 c = in->bytes[i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != (ordo_u8)text[i])
            return false;
    }
    return true;
}

/* Formats that are not read, and why. */
static const struct {
    const char *suffix, *begin; /* the end of the name; the first bytes, in small letters; NULL: any */
    const char *what;
} unread[] = {
    {NULL, "aig ", "a circuit (AIGER), whose gates and latches are no list of edges"},
    {NULL, "aag ", "a circuit (AIGER), whose gates and latches are no list of edges"},
    {NULL, "type octile", "a grid map (MovingAI), which is a picture of free cells and no list of edges"},
    {NULL, "adjacencygraph", "an adjacency graph of Ligra, whose rows are no list of edges"},
    {NULL, "weightedadjacencygraph", "an adjacency graph of Ligra, whose rows are no list of edges"},
    {NULL, "<?xml", "XML (GraphML, GEXF or another)"},
    {".scen", "version ", "a list of queries on a grid map (MovingAI), which is no graph"},
    {".hgr", NULL, "a hypergraph (hMETIS), whose nets join any number of vertices where an edge joins two"},
    {".co", NULL, "a co file: DIMACS coordinates, which belong to a graph (--coordinates)"},
    {".egr", NULL, "a binary graph of ECL"},
    {".adj", NULL, "an adjacency graph of Ligra"},
    {".bin", NULL, "a binary file of unknown layout"},
};

/* Whether the first line that is neither empty nor a comment (#, %, //) begins with that. */
static ordo_reader *by_first_line(const ordo_input *in)
{
    ordo_cursor c = {in, in->bytes, 1};
    ordo_words w;
    bool numbers_expected = false; /* after a comment that DIMACS does not have */
    while (ordo_next_line(&c, &w)) {
        if (w.count == 0)
            continue;
        ordo_u8 first = *w.word[0].begin;
        if (first == '#' || first == '%' ||
            (w.word[0].end - w.word[0].begin > 1 && memcmp(w.word[0].begin, "//", 2) == 0)) {
            numbers_expected = true;
            continue;
        }
        if ((first >= '0' && first <= '9') || ordo_looks_like_table(in))
            return ordo_read_edgelist;
        if (!numbers_expected && (ordo_span_is(w.word[0], "c", false) || ordo_span_is(w.word[0], "p", false)))
            return ordo_read_dimacs;
        return NULL;
    }
    return NULL;
}

static ordo_reader *by_content(const ordo_input *in)
{
    if (starts_with(in, "%%matrixmarket", 14))
        return ordo_read_mtx;
    if (starts_with(in, "pk\003\004", 4) || starts_with(in, "pk\005\006", 4))
        return ordo_read_npz;
    if (starts_with(in, ORDO_OWN_MAGIC, sizeof ORDO_OWN_MAGIC - 1))
        return ordo_read_ordo;
    if (ordo_looks_like_gap(in))
        return ordo_read_gap;
    if (ordo_looks_like_galois(in))
        return ordo_read_galois;
    return by_first_line(in);
}

static ordo_status choose(const ordo_input *in, bool columns, ordo_reader **out)
{
    for (size_t i = 0; i < sizeof unread / sizeof unread[0]; i++)
        if ((!unread[i].suffix || ordo_input_has_suffix(in, unread[i].suffix)) &&
            (!unread[i].begin || starts_with(in, unread[i].begin, strlen(unread[i].begin))))
            return ordo_fail(ORDO_ERR_INPUT, "%s: found %s, expected %s", in->name, unread[i].what, SUPPORTED);
    ordo_reader *suffix = by_suffix(in), *content = by_content(in);
    bool fields = ordo_input_has_suffix(in, ".csv") || ordo_input_has_suffix(in, ".tsv");
    if ((columns && !content) || (fields && content == ordo_read_dimacs)) /* a column may be named c or p */
        content = ordo_read_edgelist;
    if (content == ordo_read_edgelist && suffix)
        content = suffix; /* numbers alone say little */
    if (!content && suffix == ordo_read_dimacs && in->size && memchr(in->bytes, 0, in->size < 64 ? in->size : 64))
        suffix = ordo_read_galois; /* the other .gr: its reader gives the better error */
    *out = content ? content : suffix;
    if (*out)
        return ORDO_OK;
    ordo_cursor c = {in, in->bytes, 1};
    ordo_words w = {0};
    while (ordo_next_line(&c, &w) && w.count == 0)
        ;
    return ordo_text_fail(in, w.line, w.count ? w.word[0].begin : NULL, "%s", SUPPORTED);
}

/* Allocation fails in functions that do not know the file: its name is added here. */
static ordo_status name_file(ordo_status status, const char *name)
{
    name = strcmp(name, "-") == 0 ? "standard input" : name;
    if (status == ORDO_ERR_MEMORY && strncmp(ordo_last_error(), name, strlen(name)) != 0)
        return ordo_fail(status, "%s: %s", name, ordo_last_error());
    return status;
}

/* No other thread has the graph yet. */
static ordo_status add_coordinates(ordo_graph *g, const char *path)
{
    ordo_i32 *places;
    ordo_status status = ordo_read_coordinates(path, g->out.n, &places);
    if (status)
        return status;
    if (g->owned_places || g->owned)
        ordo_free((void *)(size_t)g->vertices.coordinate);
    g->vertices.coordinate = places;
    g->owned_places = true;
    return ORDO_OK;
}

ordo_status ordo_graph_read(const char *path, const ordo_read_options *options, ordo_graph **out)
{
    static const ordo_read_options none = {0};
    if (!path || !out)
        return ordo_fail(ORDO_ERR_USAGE, "%s is NULL", path ? "out" : "path");
    if (!options)
        options = &none;
    ordo_status status = ORDO_RESERVED_CHECK(ordo_read_options, options);
    if (!status)
        status = ordo_edge_options_check(&options->edges);
    if (status)
        return status;
    double start = ordo_seconds();
    ordo_input in;
    status = ordo_input_open(path, &in);
    if (status)
        return name_file(status, path);
    ordo_vertex_data vertices = {.source = ORDO_NO_VERTEX, .sink = ORDO_NO_VERTEX};
    ordo_origin origin = {.source = in.name,
                          .start = start,
                          .threads = options->threads,
                          .edges = &options->edges,
                          .vertices = &vertices,
                          .input = &in};
    ordo_reader *read = NULL;
    status = choose(&in, options->columns != NULL, &read);
    if (!status && options->bipartite && read != ordo_read_mtx)
        status =
            ordo_fail(ORDO_ERR_USAGE, "%s: found no Matrix Market file, expected one for a bipartite graph", in.name);
    if (!status && options->columns && read != ordo_read_edgelist)
        status = ordo_fail(ORDO_ERR_USAGE, "%s: found no edge list, expected one to choose columns of", in.name);
    ordo_graph *g = NULL;
    if (!status)
        status = read(&in, options, &origin, &g);
    ordo_input_close(&in);
    if (status) {
        ordo_vertex_data_free(&vertices); /* arrays that no graph has taken */
        return name_file(status, in.name);
    }
    if (options->coordinates) {
        status = add_coordinates(g, options->coordinates);
        if (status) {
            ordo_graph_free(g);
            return name_file(status, options->coordinates);
        }
    }
    *out = g;
    return ORDO_OK;
}
