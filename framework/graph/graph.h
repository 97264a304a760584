/* graph.h -- what the files of framework/graph share. Not installed; nothing here is part of the ABI.
 *
 * Reading a file: input.c provides its bytes (wrap.c those of compressed files), read.c finds out the format, the file
 * of that format is a source of edges (by text.c, for lines of numbers) or makes rows itself, build.c turns a source
 * into rows, transform.c applies edge transforms to rows (reverse edges, loops, parallel edges, weights), graph.c keeps
 * the rows and computes statistics. Writing a file: write.c checks whether the format can hold the graph; the writer of
 * each format is in the same file as its reader; writer.c opens the file and writes it by several threads.
 */
#ifndef ORDO_FRAMEWORK_GRAPH_H
#define ORDO_FRAMEWORK_GRAPH_H

#include <pthread.h>

#include <ordo/arrays.h>
#include <ordo/graph.h>
#include <ordo/memory.h>
#include <ordo/scheduler/team.h>

#include "framework/graph/scramble.h"
#include "framework/graph/writer.h"
#include "framework/run/clock.h"

typedef struct ordo_input {
    const char *name;     /* of the file, for messages */
    const ordo_u8 *bytes; /* decompressed */
    size_t size;
    void *mapped, *block; /* one of them owns the bytes */
    size_t mapped_size;
} ordo_input;

typedef struct ordo_partition ordo_partition;
struct ordo_row_source;

/* What belongs to borrowed rows. */
typedef struct ordo_lent {
    ordo_eid *row;            /* a copy of the caller's array in the type of rows, the graph's to free; or NULL */
    ordo_release_fn *release; /* called once the graph is freed; or NULL */
    void *arg;
} ordo_lent;

struct ordo_graph {
    ordo_u64 references;      /* atomic */
    ordo_vid *tail;           /* [m] the tails of out-edges, or NULL; made under lock, then never changed */
    ordo_csr out, in;         /* in: valid where in_made; made under lock, then never changed */
    ordo_csr by_weight[2][2]; /* out- and in-rows, the lightest and the heaviest edges first; made likewise, or n 0 */
    ordo_vertex_data vertices;
    bool owned;        /* the arrays of out and vertices are ours to free */
    bool owned_places; /* the coordinates are ours to free, even if the other arrays are not */
    ordo_input below;  /* else what holds them: the file of an .ordo graph */
    ordo_lent lent;    /* else, of borrowed rows */
    bool symmetric, in_made, scanned;
    /* heads and weights of other ranks' rows read as 0; see part.c */
    enum { ORDO_ALL_ROWS, ORDO_RANGE_OF_ROWS, ORDO_CYCLIC_ROWS } part;
    ordo_u64 absent; /* bytes of these */
    ordo_u64 pushed; /* atomic: edges that runs have pushed along for want of in-rows */
    /* which ranks make searches of this graph on GPUs; set by its first run over ranks (framework/run/distributed.c) */
    enum { ORDO_BY_UNKNOWN, ORDO_BY_ONE, ORDO_BY_ALL } searched_by;
    ordo_u64 levels; /* atomic: 1 + the guess of ordo_graph_levels(), rounded down; 0: not made yet */
    /* atomic: whether heads ascend in every row; set by the first app that needs to know (apps/mst.c) */
    enum { ORDO_ORDER_UNKNOWN, ORDO_ROWS_SORTED, ORDO_ROWS_UNSORTED } order;
    int threads; /* as requested when the graph was made; also for the statistics that are computed later */
    ordo_graph_info info;
    ordo_u64 longest_row;            /* under lock; 0: not known, or no edges */
    char *source, *format, *weights; /* in one block with the struct */
    pthread_mutex_t lock;
    ordo_partition *partitions; /* made so far, under lock; partition.c */
    void *attached;             /* a back end's, made under lock; see ordo_graph_attach */
    void (*drop_attached)(void *);
};

/* Where a graph comes from, and which edge transforms apply to it. */
typedef struct ordo_origin {
    const char *source, *format; /* for messages and for ordo_graph_info */
    ordo_u64 id_base;
    double start; /* ordo_seconds() when the reading began */
    int threads;
    const ordo_edge_options *edges; /* never NULL */
    ordo_vertex_data *vertices;     /* owned arrays (ordo_alloc) that the graph takes; never NULL for readers */
    ordo_input *input;              /* closed as soon as its bytes are no longer needed; or NULL */
} ordo_origin;

/* Leases a team for `work` items: as many members as requested (0: cores), but at most one for some ten thousand items,
 * since fewer are processed sooner than a second thread wakes up. */
ordo_status ordo_graph_team(int threads, ordo_u64 work, ordo_team **out);

/* Bytes that this process can still allocate without being killed for it, as far as the system tells. */
ordo_u64 ordo_memory_available(void);
/* Whether that many more bytes are safe to allocate. Queries the system only for large numbers. */
bool ordo_memory_fits(ordo_u64 bytes);

/* ---- graph.c ---- */

/* A graph that owns the arrays of `csr` and of origin->vertices. They are freed where it fails. */
ordo_status ordo_graph_own(ordo_csr *csr, bool symmetric, const ordo_origin *origin, const ordo_graph_info *known,
                           ordo_graph **out);
/* A graph whose arrays are in the bytes of *below, which it takes over, also where it fails. Rows and heads are checked
 * unless `trust`. */
ordo_status ordo_graph_over(const ordo_csr *csr, bool symmetric, const ordo_vertex_data *vertices,
                            const ordo_origin *origin, bool trust, ordo_input *below, ordo_graph **out);
/* A graph over the caller's rows, which are checked. Takes over *lent where it succeeds only. */
ordo_status ordo_graph_lend(const ordo_csr *csr, const ordo_lent *lent, bool symmetric, int threads, ordo_graph **out);
/* A graph over the caller's rows, which the library has made or checked: they are not checked again. `longest_row`:
 * edges of the longest one, or 0 where that is not known. */
ordo_status ordo_graph_over_own(const ordo_csr *csr, bool symmetric, ordo_u64 longest_row, ordo_graph **out);
/* Of rows that are borrowed (ordo_graph_borrow_arrays()): that types, strides and pointers are possible. */
ordo_status ordo_check_row_arrays(const ordo_row_arrays *a);
/* Edges of the longest out-row; kept from the first call on, which reads all row bounds. Thread-safe. */
ordo_u64 ordo_graph_longest_row(const ordo_graph *g);
/* Whether it has in-rows that were made. Thread-safe. */
bool ordo_graph_has_in(const ordo_graph *g);
/* Gives it in-rows, which it takes over; frees them where it has some by now. Thread-safe. */
void ordo_graph_take_in(const ordo_graph *g, ordo_csr *in);
/* Sets *out to the out-rows, or in-rows, in the order of weights: made once, then kept. Those of a graph without
 * weights are its rows. Thread-safe. */
ordo_status ordo_graph_by_weight(const ordo_graph *g, bool in, bool heaviest_first, int threads, const ordo_csr **out);
bool ordo_graph_has_by_weight(const ordo_graph *g);
/* Whether it has in-rows, or runs have pushed along `times` as many edges as it has for want of them. Thread-safe. */
bool ordo_graph_in_pays(const ordo_graph *g, double times);
void ordo_vertex_data_free(ordo_vertex_data *v);
void ordo_partitions_free(ordo_partition *list);
/* Sets *least to value if that is smaller; for several threads. */
void ordo_keep_least(ordo_u64 *least, ordo_u64 value);

/* Whether a weight of the type has 8 bytes. */
static inline bool ordo_type_wide(ordo_type type)
{
    return type == ORDO_I64 || type == ORDO_F64;
}
/* Whether an edge can have weights of the type. */
static inline bool ordo_is_weight(ordo_type type)
{
    return type == ORDO_NONE || type == ORDO_U32 || type == ORDO_I32 || type == ORDO_F32 || ordo_type_wide(type);
}

/* Words of an edge in binary files: a head, and a weight of the type. */
static inline ordo_u32 ordo_edge_words(ordo_type type)
{
    return type == ORDO_NONE ? 1 : ordo_type_wide(type) ? 3 : 2;
}

/* The bits of an edge's weight; 0 where there are none. */
static inline ordo_u64 ordo_csr_word(const ordo_csr *g, ordo_eid e)
{
    ordo_u64 wide;
    if (!ordo_type_wide(g->weight_type))
        return g->weight_type == ORDO_NONE ? 0 : ((const ordo_u32 *)g->weight)[e * g->stride];
    __builtin_memcpy(&wide, ordo_csr_weight_at(g, e), sizeof wide);
    return wide;
}
/* "u32" and so on; "no" for ORDO_NONE. */
static inline const char *ordo_type_name(ordo_type type)
{
    static const char *const names[] = {"no", "u32", "i32", "f32", "u64", "f64", "i64"};
    return (unsigned)type < sizeof names / sizeof names[0] ? names[type] : "other";
}
/* Sets it, in rows of our own, which are interleaved: edge[1], and edge[2] where it is wide, belong to the weight of an
 * edge whose head is edge[0]. `words`: 1 or 2. */
static inline void ordo_put_word(ordo_u32 *edge, ordo_u32 words, ordo_u64 bits)
{
    edge[1] = (ordo_u32)bits;
    if (words == 2)
        edge[2] = (ordo_u32)(bits >> 32);
}

/* The bits of numbers. */
static inline double ordo_bits_f64(ordo_u64 bits)
{
    double value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
static inline ordo_u64 ordo_f64_bits(double value)
{
    ordo_u64 bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ---- sources: lists of edges that can be read twice ---- */

enum { ORDO_BATCH = 512 }; /* a good number of edges to give at a time */

/* An edge on its way into rows. */
typedef struct ordo_given_edge {
    ordo_vid tail, head;
    ordo_u64 weight; /* the bits of its type */
} ordo_given_edge;

typedef struct ordo_taker ordo_taker;
struct ordo_taker {
    void (*take)(ordo_taker *me, const ordo_given_edge *edges, size_t count);
};

/* The reverse edges that are added, one for each edge that is not a loop. */
typedef enum ordo_mirror {
    ORDO_MIRROR_NONE = 0,
    ORDO_MIRROR_SAME,        /* its reverse, same weight */
    ORDO_MIRROR_MINUS_WHOLE, /* its reverse, opposite weight: integers */
    ORDO_MIRROR_MINUS_REAL   /* ... floats */
} ordo_mirror;

/* A list of edges that need not be in memory: it is read twice, to count edges and then to write them to rows. Several
 * threads read parts at the same time, each part by one thread, its edges in order; the list is the parts in order.
 * Ends must be below n (below ORDO_MAX_VERTICES while n is unknown), and the same in both passes. */
typedef struct ordo_source {
    void *self;
    ordo_u64 parts;
    ordo_u64 n;         /* vertices; ORDO_COUNT_UNKNOWN: counted() sets it */
    ordo_u64 edges;     /* about how many edges; only to choose a number of threads */
    ordo_type weights;  /* ORDO_NONE: none that are kept; else their type, unless given() changes it */
    ordo_mirror mirror; /* of the format; ORDO_SYMMETRISE asks for ORDO_MIRROR_SAME where there is none */
    /* Gives every edge of the part, in batches of any length. ends_only: the first pass, in which weights are not used,
     * nor heads where no reverse edges are made. */
    void (*give)(void *self, ordo_u64 part, bool ends_only, ordo_taker *to);
    /* Called after the first pass: returns the error that it found, or sets *n. NULL: neither. */
    ordo_status (*counted)(void *self, ordo_u64 edges, ordo_u64 *n);
    /* Called after the second pass: returns the error that it found, or sets *weights. *again = true: all parts must be
     * read once more. NULL: neither. */
    ordo_status (*given)(void *self, ordo_type *weights, bool *again);
} ordo_source;
#define ORDO_COUNT_UNKNOWN (~(ordo_u64)0)

/* ---- build.c ---- */

void ordo_csr_free(ordo_csr *csr);
/* Allocates rows of n vertices and m edges: row, then head (and weight, interleaved, where there is one). */
ordo_status ordo_csr_alloc(ordo_u64 n, ordo_u64 m, ordo_type weight_type, ordo_csr *out);
/* The rows of the reverse edges, each in ascending order of (tail, position). */
ordo_status ordo_csr_transpose(ordo_team *team, const ordo_csr *g, ordo_csr *out);
/* The rows with the reverse of every edge that is not a loop added. */
ordo_status ordo_csr_symmetrise(ordo_team *team, const ordo_csr *g, ordo_csr *out);
/* Sorts every row by head, stably. */
ordo_status ordo_csr_sort(ordo_team *team, ordo_csr *g);
/* A copy of rows that have weights, each in the order of these; edges of one weight stay in theirs. (rows.c) */
ordo_status ordo_csr_by_weight(ordo_team *team, const ordo_csr *g, bool heaviest_first, ordo_csr *out);
/* Makes a graph from a source, and applies the edge transforms of origin->edges. */
ordo_status ordo_graph_build(const ordo_source *from, const ordo_origin *origin, ordo_graph **out);

/* ---- part.c: the rows of one rank ---- */

/* The block-cyclic distribution of n vertices over ranks: ids are divided into periods of 2^period_bits, these into
 * blocks of 2^block_bits, and each rank owns the same blocks of every period. */
typedef struct ordo_cyclic {
    ordo_u32 block_bits, period_bits;
    ordo_u64 periods; /* ORDO_MOST_RANGES at most; the last one may be incomplete */
} ordo_cyclic;

/* Sets *out. Returns false where n is too small for it. */
bool ordo_cyclic_of(ordo_u64 n, int ranks, ordo_cyclic *out);
/* The rank's vertices of each period: *first .. *end - 1, counted from the period's first vertex. */
void ordo_cyclic_range(const ordo_cyclic *c, int rank, int ranks, ordo_vid *first, ordo_vid *end);
/* Whether a search of so many levels (ordo_graph_levels) is in few ranges of ids at a time. */
bool ordo_is_deep(double levels);

/* Rows first .. end - 1; of the graph's edges those of the blocks first_block .. end_block - 1, of ORDO_SCAN_BLOCK
 * edges each, are the ones that the rank scans for all. */
typedef struct ordo_part_rows {
    ordo_vid first, end;
    ordo_u64 first_block, end_block;
} ordo_part_rows;
enum { ORDO_SCAN_BLOCK = 65536, ORDO_MOST_RANGES = 32 };

/* What a rank of several processes has of a graph: the rows of the vertices that it owns in runs, which are a range, or
 * one in each period of a block-cyclic distribution, and with them rows of the blocks that it scans. */
typedef struct ordo_rank_part {
    const struct ordo_group *group;
    int rank, ranks;
    const ordo_csr *csr; /* of which the row bounds are known */
    bool is_cyclic;
    ordo_cyclic cyclic;
    ordo_u64 ranges;                       /* of each rank; some may be empty */
    ordo_part_rows rows[ORDO_MOST_RANGES]; /* of this rank's ranges, in the order of ids */
    double levels;                         /* a guess; 0: none was made */
} ordo_rank_part;

/* Whether a reader that has the file's rows may leave out other ranks' edges. */
bool ordo_part_possible(const ordo_read_options *options);
/* What this rank takes of rows whose bounds are known, and remain at csr. `rows`: of the file, where the distribution
 * may be block-cyclic; NULL: ranges. */
ordo_rank_part ordo_part_of(const struct ordo_group *group, const ordo_csr *csr, const struct ordo_row_source *rows);
/* The vertices *first .. *end - 1 that a rank owns in runs, of its ranges 0 .. ranges - 1. On GPUs ranges begin at
 * multiples of 32, on CPUs at any vertex; this is a range that serves both, so up to 31 vertices of a rank are in the
 * next one's, too. */
void ordo_part_owned(const ordo_rank_part *part, int rank, ordo_u64 range, ordo_vid *first, ordo_vid *end);
/* The end of the blocks of this range of all ranks. */
ordo_u64 ordo_part_blocks_end(const ordo_rank_part *part, ordo_u64 range);
/* Memory for the edges of csr, the part's, whose n, m, stride and weight_type are set: all addresses, of which those of
 * the part can be written and the others read as 0. Sets head and weight. *below is to be closed. */
ordo_status ordo_part_alloc(const ordo_rank_part *part, ordo_csr *csr, ordo_input *below);
/* Makes the graph, of rows that are not sorted: sorts those of the part, and has all ranks put the statistics together.
 * Takes over `row` and *below, also where it fails. `negative`: this rank has found a negative weight. */
ordo_status ordo_part_graph(const ordo_rank_part *part, ordo_csr *csr, bool negative, bool symmetric,
                            const ordo_origin *origin, ordo_input *below, ordo_graph **out);
/* Sets *in to rows of in-edges of the vertices that this rank owns. Collective: where it fails, the caller must end the
 * job, since other ranks may wait. Errors: ORDO_ERR_MEMORY. (part_in.c) */
ordo_status ordo_part_transpose(const ordo_rank_part *part, int threads, ordo_csr *in);
/* The part of a graph that has one (graph->part), as it was read. */
ordo_rank_part ordo_part_again(const struct ordo_group *group, const ordo_graph *g);
/* As ordo_graph_in(); of a part's graph likewise, and collective. (graph.c) */
ordo_status ordo_graph_in_ranks(const ordo_graph *g, const struct ordo_group *group, int threads, const ordo_csr **out);
/* Statistics of a part's graph; collective. (graph.c) */
ordo_status ordo_graph_scan_part(ordo_graph *g, const ordo_rank_part *part);

/* ---- transform.c: edge transforms ---- */

/* Makes a graph from rows (owned, in any order within a row), which it takes over, also where it fails. `symmetric`:
 * the rows are symmetric by format, or by a check of the reader. */
ordo_status ordo_graph_from_rows(ordo_csr *csr, bool symmetric, const ordo_origin *origin, ordo_graph **out);
/* Fills allocated rows from a mapped file, with that team; may change csr->weight_type to another type of as many
 * bytes. */
typedef ordo_status ordo_fill_fn(void *arg, ordo_team *team, ordo_csr *csr);
/* Allocates rows of n vertices and m edges, has `fill` fill them, closes `in`, and calls ordo_graph_from_rows. */
ordo_status ordo_graph_from_file(ordo_input *in, ordo_u64 n, ordo_u64 m, ordo_type type, bool symmetric,
                                 ordo_fill_fn *fill, void *arg, const ordo_origin *origin, ordo_graph **out);
/* ordo_graph_from_rows for rows that are sorted and contain the reverse edges that were requested. The time up to
 * load_end (ordo_seconds()) counts as loading. */
ordo_status ordo_graph_transform(ordo_team *team, ordo_csr *csr, bool symmetric, const ordo_origin *origin,
                                 double load_end, ordo_graph **out);
/* The error for weights that were to be drawn for an input that has some. */
ordo_status ordo_graph_has_weights(const ordo_origin *origin);
/* Whether the reader must read the input's weights: to keep them, or to refuse them. */
static inline bool ordo_weights_wanted(const ordo_edge_options *edges)
{
    return edges->weights == ORDO_WEIGHTS_AS_STORED || edges->weights == ORDO_WEIGHTS_UNIFORM;
}

/* Checks that every edge has its reverse, equally often and with the same weights; the error names the first edge, in
 * the order of rows, that has not. Rows must be sorted. */
ordo_status ordo_csr_check_symmetric(ordo_team *team, const ordo_csr *g, const ordo_origin *origin);
/* Refuses contradictory edge options. */
ordo_status ordo_edge_options_check(const ordo_edge_options *edges);

/* ---- input.c ---- */

ordo_status ordo_input_open(const char *path, ordo_input *out);
/* Frees the bytes and keeps the name. May be called again. */
void ordo_input_close(ordo_input *in);

/* Returns the memory of a mapped file's bytes between the two to the system, since they are not read again (if they
 * are, they are loaded from the file again). Otherwise the graph and its whole file would be in memory at the same
 * time. */
void ordo_input_passed(const ordo_input *in, const ordo_u8 *begin, const ordo_u8 *end);
enum { ORDO_INPUT_PART = 1 << 18 }; /* edges after which a reader does that */
/* The name ends in `suffix`, or in `suffix` and .gz, .xz or .zst. */
bool ordo_input_has_suffix(const ordo_input *in, const char *suffix);
/* ORDO_OK where a file of this size can plausibly describe n vertices, so that a small damaged file does not cause a
 * large allocation. line == 0: the message names no line. */
ordo_status ordo_input_plausible(const ordo_input *in, ordo_u64 line, ordo_u64 n);

/* ---- formats. A reader gets the input and checked options; origin is set except for format and id_base. A writer gets
 * a graph that check_fit (write.c) has accepted ---- */

typedef ordo_status ordo_reader(ordo_input *in, const ordo_read_options *options, ordo_origin *origin,
                                ordo_graph **out);
ordo_reader ordo_read_dimacs, ordo_read_mtx, ordo_read_metis, ordo_read_edgelist, ordo_read_gap, ordo_read_galois,
    ordo_read_npz, ordo_read_ordo;
/* The first bytes of an .ordo file, with small letters: like PNG's, they reveal a transfer in text mode. */
#define ORDO_OWN_MAGIC "\x89ordo\r\n\x1a"
/* Whether the header's numbers are consistent with each other and with the size of the file. */
bool ordo_looks_like_gap(const ordo_input *in);
bool ordo_looks_like_galois(const ordo_input *in);
/* Whether the first line that is not a comment names the columns of an edge list. */
bool ordo_looks_like_table(const ordo_input *in);
/* A decimal below this has at most 9 significant digits: it is rounded to the nearest float. */
enum { ORDO_NINE_DIGITS = 1000000000 };
/* DIGITS * 10^power, rounded once; too large is infinite, too small never 0 unless DIGITS is. (text.c) */
double ordo_nearest_double(ordo_u64 digits, long power);
/* Whether a float is accepted for this double: it is equal, or that is allowed (`round`), or the double is a decimal of
 * at most 9 significant digits, which is always rounded. *inside: it is finite, and its float is neither infinite nor 0
 * in place of something else. (reals.c) */
bool ordo_double_held(double wide, bool round, bool *inside);
/* Whether an edge may have that weight: a number (of reals), above -2^63 (of i64, so that every weight has an
 * opposite).
 */
static inline bool ordo_wide_allowed(ordo_type type, ordo_u64 bits)
{
    return type == ORDO_I64 ? bits != (ordo_u64)1 << 63 : bits << 1 <= 0xffe0000000000000u - 1;
}
/* DIMACS .co: *out is [n][2], owned. */
ordo_status ordo_read_coordinates(const char *path, ordo_u64 n, ordo_i32 **out);

typedef ordo_status ordo_format_writer(ordo_writer *w, const ordo_graph *g);
ordo_format_writer ordo_write_dimacs, ordo_write_max, ordo_write_coordinates, ordo_write_mtx, ordo_write_metis,
    ordo_write_edgelist, ordo_write_gap, ordo_write_galois, ordo_write_ordo;
/* Writes a zip archive into an empty file; `path` is for messages. */
ordo_status ordo_write_npz(int fd, const char *path, const ordo_graph *g);

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the binary formats are read and written as words are in memory: little-endian machines only"
#endif
static inline ordo_u64 ordo_load64(const ordo_u8 *at)
{
    ordo_u64 value;
    __builtin_memcpy(&value, at, sizeof value);
    return value;
}
static inline ordo_u32 ordo_load32(const ordo_u8 *at)
{
    ordo_u32 value;
    __builtin_memcpy(&value, at, sizeof value);
    return value;
}

#endif
