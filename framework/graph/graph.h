/* graph.h -- what the files of framework/graph share. Not installed; nothing here is part of the ABI.
 *
 * The way of a file: input.c gives its bytes, read.c tells the format, one file a format turns bytes into an edge list
 * (text.c holds the scanner that the text formats share) or rows, build.c turns an edge list into rows, graph.c
 * keeps rows and answers questions about them.
 */
#ifndef ORDO_FRAMEWORK_GRAPH_H
#define ORDO_FRAMEWORK_GRAPH_H

#include <pthread.h>

#include <ordo/graph.h>
#include <ordo/memory.h>
#include <ordo/team.h>

struct ordo_graph {
    ordo_u64 references; /* atomic */
    ordo_csr out, in;    /* in: where in_made, under lock to make, never changed after */
    bool owned;          /* out's arrays are ours to free */
    bool symmetric, in_made, scanned;
    int threads; /* as asked for when the graph was made; the lazy scan takes as many */
    ordo_graph_info info;
    char *source, *format; /* in one block with the struct */
    pthread_mutex_t lock;
};

/* Where a graph comes from, for messages and for ordo_graph_info. */
typedef struct ordo_origin {
    const char *source, *format;
    ordo_u64 id_base;
    double load_seconds;
    int threads;
} ordo_origin;

double ordo_seconds(void); /* a monotonic clock */

/* A team for `work` items: as many members as asked for (0: cores), but none for less than some ten thousand items,
 * which one thread does sooner than a second one wakes. */
ordo_status ordo_graph_team(int threads, ordo_u64 work, ordo_team **out);

/* Bytes that this process may still take without being killed for it, as far as the system says. */
ordo_u64 ordo_memory_available(void);
/* So many more bytes are no danger. Asks the system only where they are many. */
bool ordo_memory_fits(ordo_u64 bytes);

/* ---- graph.c ---- */

/* A graph that owns the arrays of `csr`. They are freed where it fails. */
ordo_status ordo_graph_own(ordo_csr *csr, bool symmetric, const ordo_origin *origin, double build_seconds,
                           ordo_graph **out);

static inline ordo_u32 ordo_csr_word(const ordo_csr *g, ordo_eid e)
{
    return g->weight_type == ORDO_NONE ? 0 : ((const ordo_u32 *)g->weight)[e * g->stride];
}

/* ---- build.c ---- */

void ordo_csr_free(ordo_csr *csr);
/* Room for rows of n vertices and m edges: row, then head (and weight, interleaved, where there is one). */
ordo_status ordo_csr_alloc(ordo_u64 n, ordo_u64 m, ordo_type weight_type, ordo_csr *out);
/* The rows of the reverse edges, each in ascending order of (tail, position). */
ordo_status ordo_csr_transpose(ordo_team *team, const ordo_csr *g, ordo_csr *out);
/* The rows with the reverse of every edge that is not a loop added. */
ordo_status ordo_csr_symmetrise(ordo_team *team, const ordo_csr *g, ordo_csr *out);
/* Puts every row in ascending order of heads, ties as they stand. */
ordo_status ordo_csr_sort(ordo_team *team, ordo_csr *g);
/* Every edge has its reverse, equally often and of the same weights; else the first edge, in the order of rows, that
 * has not is named. Rows must be sorted. */
ordo_status ordo_csr_check_symmetric(ordo_team *team, const ordo_csr *g, const ordo_origin *origin);
/* Builds and keeps; takes the list (a block of ordo_alloc), also where it fails. */
ordo_status ordo_graph_build(ordo_u64 n, ordo_edge_entry *list, ordo_u64 count, ordo_type weight_type,
                             ordo_direction direction, const ordo_origin *origin, ordo_graph **out);

/* ---- input.c ---- */

typedef struct ordo_input {
    const char *name;     /* of the file, for messages */
    const ordo_u8 *bytes; /* decompressed */
    size_t size;
    void *mapped, *block; /* one of them holds the bytes */
    size_t mapped_size;
} ordo_input;

ordo_status ordo_input_open(const char *path, ordo_input *out);
/* Gives the bytes back; the name stays. Twice is fine. */
void ordo_input_close(ordo_input *in);
/* The name ends in `suffix`, or in `suffix` and .gz, .xz or .zst. */
bool ordo_input_has_suffix(const ordo_input *in, const char *suffix);
/* ORDO_OK where a file of this size may well describe n vertices: a few bytes must not make us take gigabytes.
 * line == 0: the message names no line. */
ordo_status ordo_input_plausible(const ordo_input *in, ordo_u64 line, ordo_u64 n);

/* ---- text.c: the scanner of the text formats ---- */

typedef struct ordo_span {
    const ordo_u8 *begin, *end;
} ordo_span;

/* A place in a text: the start of a line. */
typedef struct ordo_cursor {
    const ordo_input *in;
    const ordo_u8 *at;
    ordo_u64 line; /* 1 is the first */
} ordo_cursor;

enum { ORDO_WORDS = 8 };
typedef struct ordo_words {
    ordo_u64 line;
    int count; /* words of the line; those beyond ORDO_WORDS are counted, not kept */
    ordo_span word[ORDO_WORDS];
    ordo_span end; /* empty, at the end of the line */
} ordo_words;

/* The words of the line at the cursor, which moves on. False at the end of the text. */
bool ordo_next_line(ordo_cursor *c, ordo_words *out);
bool ordo_span_is(ordo_span s, const char *word, bool fold_case);
bool ordo_span_number(ordo_span s, ordo_u64 *out);
/* "FILE:LINE: found '...', expected ..." with what stands at `found` (NULL end of file). */
ordo_status ordo_text_fail(const ordo_input *in, ordo_u64 line, const ordo_u8 *found, const char *expected, ...)
    ORDO_PRINTF(4, 5);

typedef enum ordo_number { ORDO_INTEGER, ORDO_REAL, ORDO_EITHER } ordo_number;

/* What lines of edges look like. */
typedef struct ordo_text_shape {
    bool arcs;            /* DIMACS: 'a' before the ends; lines of 'c' are comments */
    const char *comments; /* first characters of lines to skip, where not arcs */
    int columns;          /* 2, or 3 with a weight */
    ordo_u64 base;        /* what the file calls vertex 0 */
    ordo_u64 n;           /* vertices, or 0 where the file does not say (see max_id) */
    bool counted;         /* n is what the file says, even if 0 */
    ordo_number number;   /* what weights may be */
    bool drop;            /* look at weights, but do not keep them */
} ordo_text_shape;

typedef struct ordo_text_edges {
    ordo_edge_entry *list; /* a block of ordo_alloc */
    ordo_u64 count;
    ordo_type weight_type;
    ordo_u64 max_id;          /* largest end, base taken off; 0 where there are no edges */
    ordo_u64 max_line;        /* ... and the line that has it */
    ordo_u64 last_line;       /* number of the text's last line */
    ordo_u64 big_line;        /* first line of a u32 weight beyond INT32_MAX, or 0 */
    const ordo_u8 *big_found; /* ... and the weight */
} ordo_text_edges;

/* Reads all lines from the cursor on, in parallel. */
ordo_status ordo_text_read(const ordo_cursor *from, const ordo_text_shape *shape, int threads, ordo_text_edges *out);
/* The number of the line of the k-th (0 is the first) edge from the cursor on. */
ordo_u64 ordo_text_line_of(const ordo_cursor *from, const ordo_text_shape *shape, ordo_u64 k);

/* ---- formats: each takes the input as it stands and options that are checked, and closes the input as soon as it
 * needs no more of it: text and rows are not held at the same time ---- */

ordo_status ordo_read_dimacs(ordo_input *in, const ordo_read_options *options, double start, ordo_graph **out);
ordo_status ordo_read_mtx(ordo_input *in, const ordo_read_options *options, double start, ordo_graph **out);
ordo_status ordo_read_edgelist(ordo_input *in, const ordo_read_options *options, double start, ordo_graph **out);
ordo_status ordo_read_gap(ordo_input *in, const ordo_read_options *options, double start, ordo_graph **out);
/* The header's numbers fit each other, whatever the size of the file. */
bool ordo_looks_like_gap(const ordo_input *in);

#endif
