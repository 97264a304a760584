/* read.c -- tells the format of a file and has it read.
 *
 * Problem: suffixes lie (.gr is three formats) and pipes have none.
 *
 * Method: content first: the banner of Matrix Market, the `c` and `p` lines of DIMACS, a GAP header that fits the size
 * of the file, numbers for an edge list. Where content does not tell, the suffix picks the reader, which then says
 * what is wrong with the content.
 *
 * Not done: guessing beyond that. METIS .graph files are numbers too, so their suffix is refused before the content
 * is taken for an edge list.
 */
#include "graph.h"

#include <string.h>

#define SUPPORTED                                                                                                      \
    "DIMACS .gr, Matrix Market .mtx, GAP .sg or .wsg, or an edge list .el, .wel or .txt (gzip, xz or zstd over it)"

typedef ordo_status reader_fn(ordo_input *in, const ordo_read_options *options, double start, ordo_graph **out);

static const struct {
    const char *suffix;
    reader_fn *read;
} readers[] = {
    {".gr", ordo_read_dimacs},   {".mtx", ordo_read_mtx},      {".sg", ordo_read_gap},       {".wsg", ordo_read_gap},
    {".el", ordo_read_edgelist}, {".wel", ordo_read_edgelist}, {".txt", ordo_read_edgelist},
};

static reader_fn *by_suffix(const ordo_input *in)
{
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
        if (ordo_input_has_suffix(in, readers[i].suffix))
            return readers[i].read;
    return NULL;
}

static bool starts_with(const ordo_input *in, const char *text)
{
    size_t length = strlen(text);
    if (in->size < length)
        return false;
    for (size_t i = 0; i < length; i++) {
        ordo_u8 c = in->bytes[i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != text[i])
            return false;
    }
    return true;
}

/* A header of GR version 1 or 2: u64 version, bytes of edge data, n, m, all plausible. */
static bool looks_like_galois(const ordo_input *in)
{
    ordo_u64 word[4];
    if (in->size < sizeof word)
        return false;
    memcpy(word, in->bytes, sizeof word);
    return (word[0] == 1 || word[0] == 2) && word[1] <= 16 && word[2] <= in->size / 8 && word[3] <= in->size / 4;
}

static reader_fn *by_content(const ordo_input *in)
{
    if (starts_with(in, "%%matrixmarket"))
        return ordo_read_mtx;
    if (ordo_looks_like_gap(in))
        return ordo_read_gap;
    ordo_cursor c = {in, in->bytes, 1};
    ordo_words w;
    bool numbers_expected = false; /* after a comment that only edge lists have */
    while (ordo_next_line(&c, &w)) {
        if (w.count == 0)
            continue;
        ordo_u8 first = *w.word[0].begin;
        if (first == '#' || first == '%') {
            numbers_expected = true;
            continue;
        }
        if (first >= '0' && first <= '9')
            return ordo_read_edgelist;
        if (!numbers_expected && (ordo_span_is(w.word[0], "c", false) || ordo_span_is(w.word[0], "p", false)))
            return ordo_read_dimacs;
        return NULL;
    }
    return NULL;
}

static ordo_status read_input(ordo_input *in, const ordo_read_options *options, double start, ordo_graph **out)
{
    static const char *const refused[] = {".graph", ".metis", ".hgr", ".egr", ".adj", ".bin", ".npz", ".csv"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (ordo_input_has_suffix(in, refused[i]))
            return ordo_fail(ORDO_ERR_INPUT, "%s: found a %s file, which this version does not read, expected %s",
                             in->name, refused[i] + 1, SUPPORTED);
    reader_fn *suffix = by_suffix(in), *content = by_content(in);
    if (content == ordo_read_edgelist && suffix)
        content = suffix; /* numbers alone say little */
    if (content)
        return content(in, options, start, out);
    if (suffix != ordo_read_gap && looks_like_galois(in))
        return ordo_fail(ORDO_ERR_INPUT,
                         "%s: byte 0: found a Galois header, expected %s: Galois binary .gr is not supported by "
                         "this version",
                         in->name, SUPPORTED);
    if (suffix)
        return suffix(in, options, start, out);
    ordo_cursor c = {in, in->bytes, 1};
    ordo_words w = {0};
    while (ordo_next_line(&c, &w) && w.count == 0)
        ;
    return ordo_text_fail(in, w.line, w.count ? w.word[0].begin : NULL, "%s", SUPPORTED);
}

ordo_status ordo_graph_read(const char *path, const ordo_read_options *options, ordo_graph **out)
{
    static const ordo_read_options none = {ORDO_AS_STORED, ORDO_WEIGHTS_AS_STORED, 0};
    if (!path || !out)
        return ordo_fail(ORDO_ERR_USAGE, "%s is NULL", path ? "out" : "path");
    if (!options)
        options = &none;
    if (options->direction != ORDO_AS_STORED && options->direction != ORDO_SYMMETRISE &&
        options->direction != ORDO_SYMMETRIC)
        return ordo_fail(ORDO_ERR_USAGE, "found direction %d, expected one of ordo_direction", (int)options->direction);
    if (options->weights != ORDO_WEIGHTS_AS_STORED && options->weights != ORDO_WEIGHTS_DROP)
        return ordo_fail(ORDO_ERR_USAGE, "found weights %d, expected one of ordo_weights", (int)options->weights);
    double start = ordo_seconds();
    ordo_input in;
    ordo_status status = ordo_input_open(path, &in);
    if (status)
        return status;
    status = read_input(&in, options, start, out);
    ordo_input_close(&in);
    return status;
}
