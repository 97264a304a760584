/* graph.h -- graphs: reading, making, looking at, writing.
 *
 * A graph is n vertices 0..n-1 and m stored edges in compressed sparse rows. An undirected edge is stored as two,
 * one in each row; `symmetric` says that every edge has its reverse. Weights are kept as the source had them (u32,
 * i32 or f32) and are never invented: an unweighted graph has none, and apps that want one take 1.
 */
#ifndef ORDO_GRAPH_H
#define ORDO_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

#include <ordo/error.h>
#include <ordo/types.h>

ORDO_BEGIN_DECLS

/* What schedulers and operators see of a graph: rows of edges. Row u is edges row[u] .. row[u+1]-1.
 *
 * The head of edge e is head[e * stride]; its weight is the 4-byte word at index e * stride of `weight`. With stride 1
 * these are two separate arrays (borrowed input, unweighted graphs); with stride 2 they are interleaved {head, weight}
 * pairs, weight == head + 1, so that one cache line serves both (what Ordo's own readers build for weighted graphs).
 */
typedef struct ordo_csr {
    ordo_vid n;           /* vertices */
    ordo_eid m;           /* stored edges */
    const ordo_eid *row;  /* [n + 1], row[0] == 0, row[n] == m, not decreasing */
    const ordo_vid *head; /* every head < n */
    const void *weight;   /* words of weight_type, or NULL where weight_type is ORDO_NONE */
    ordo_u32 stride;      /* 1 or 2 */
    ordo_type weight_type;
} ordo_csr;

typedef struct ordo_graph ordo_graph; /* immutable once made; may be shared by threads */

/* How to take the direction of the input. */
typedef enum ordo_direction {
    ORDO_AS_STORED = 0, /* what the format says: Matrix Market `symmetric` and METIS are symmetric, others directed */
    ORDO_SYMMETRISE,    /* add the reverse of every edge that is not a loop (parallel edges are kept) */
    ORDO_SYMMETRIC      /* the input holds both directions: checked, then recorded */
} ordo_direction;

typedef enum ordo_weights {
    ORDO_WEIGHTS_AS_STORED = 0,
    ORDO_WEIGHTS_DROP /* the app needs none: do not keep them */
} ordo_weights;

/* All zero is the default. */
typedef struct ordo_read_options {
    ordo_direction direction;
    ordo_weights weights;
    int threads; /* 0: all cores */
} ordo_read_options;

/* One edge of an edge list. `weight` holds the bits of a word of the list's weight type. */
typedef struct ordo_edge_entry {
    ordo_vid tail, head;
    ordo_u32 weight;
} ordo_edge_entry;

/* ---- making ---- */

/* Reads a file; "-" is standard input. The format is told by content first and suffix second: DIMACS .gr, Matrix
 * Market, GAP .sg and .wsg, edge lists .el and .wel; gzip, xz and zstd are undone on the way.
 * Errors: ORDO_ERR_IO (missing, unreadable), ORDO_ERR_INPUT (with file, line or byte offset, found, expected),
 * ORDO_ERR_MEMORY, ORDO_ERR_USAGE. On error *out is untouched. */
ORDO_API ordo_status ordo_graph_read(const char *path, const ordo_read_options *options, ordo_graph **out);

/* Builds rows from an edge list of `count` entries on n vertices, keeping self-loops and parallel edges; edges of a
 * row come sorted by (head, position in the list). The list is not kept. symmetrise adds the reverse of every edge
 * that is not a loop. Any end >= n is refused. */
ORDO_API ordo_status ordo_graph_from_edges(ordo_u64 n, const ordo_edge_entry *edges, ordo_u64 count,
                                           ordo_type weight_type, ordo_direction direction, int threads,
                                           ordo_graph **out);

/* Borrows arrays: they must outlive the graph and not change. Checked: row monotone, heads < n.
 * `symmetric` is the caller's word. */
ORDO_API ordo_status ordo_graph_borrow(const ordo_csr *csr, bool symmetric, ordo_graph **out);

/* Takes one reference more; returns g. Thread-safe. */
ORDO_API ordo_graph *ordo_graph_ref(ordo_graph *g);
/* Gives one reference back; the last one frees the graph. NULL is fine. */
ORDO_API void ordo_graph_free(ordo_graph *g);

/* Generators, the same graph for the same arguments whatever the number of threads. All are random by `seed` alone.
 *   rmat     scale, degree (edges per vertex, 16): R-MAT with a,b,c,d = .57 .19 .19 .05, directed
 *   road     vertices: planar, symmetric, average degree about 2.5, long diameter, euclidean weights
 *   uniform  vertices, degree: every vertex has `degree` out-edges to uniform heads, directed
 *   grid     width, height: 4-neighbour lattice, symmetric
 * Weights: uniform integers low..high (u32) where high > 0, none where high == 0; road always has its own. For the
 * symmetric ones both directions of an edge carry the same weight. */
typedef struct ordo_generate_options {
    const char *kind;       /* "rmat", "road", "uniform", "grid" */
    ordo_u64 vertices;      /* road, uniform */
    ordo_u32 scale;         /* rmat: 2^scale vertices, 0 <= scale <= 31 */
    ordo_u32 degree;        /* rmat, uniform; 0: 16 and 4 */
    ordo_u32 width, height; /* grid */
    ordo_u32 low, high;     /* weights */
    ordo_u64 seed;
    ordo_direction direction; /* ORDO_SYMMETRISE: made symmetric after */
    int threads;
} ordo_generate_options;
ORDO_API ordo_status ordo_graph_generate(const ordo_generate_options *options, ordo_graph **out);

/* ---- looking ---- */

/* Rows of out-edges; the pointer is valid as long as the graph. */
ORDO_API const ordo_csr *ordo_graph_out(const ordo_graph *g);
/* Rows of in-edges: heads are then the edges' tails. The out-rows themselves where the graph is symmetric; otherwise
 * transposed on first use and kept. Thread-safe. Errors: ORDO_ERR_MEMORY. */
ORDO_API ordo_status ordo_graph_in(const ordo_graph *g, int threads, const ordo_csr **out);
ORDO_API bool ordo_graph_symmetric(const ordo_graph *g);

typedef struct ordo_graph_info {
    const char *source;                         /* file name or "rmat --scale 20 ..."; owned by the graph */
    const char *format;                         /* "DIMACS .gr", ...; owned by the graph */
    ordo_u64 vertices;                          /* n */
    ordo_u64 edges;                             /* stored edges m, both directions of an undirected edge counted */
    ordo_u64 loops;                             /* self-loops among them */
    ordo_u64 max_degree;                        /* largest out-degree */
    bool symmetric;                             /* every edge has its reverse, by format, by request or by check */
    ordo_type weight_type;                      /* ORDO_NONE: unweighted */
    double weight_min, weight_max, weight_mean; /* 0 where unweighted or m == 0 */
    ordo_u64 id_base;     /* what the file calls vertex 0: 1 for DIMACS and Matrix Market, else 0 */
    ordo_u64 checksum;    /* of n, m, rows, heads and weights; equal graphs have equal checksums */
    ordo_u64 bytes;       /* memory held by rows, heads and weights (in-rows included once built) */
    double load_seconds;  /* reading or generating, decompression included */
    double build_seconds; /* edge list to rows */
} ordo_graph_info;
/* Cheap after the first call, which scans the edges once. Thread-safe. */
ORDO_API void ordo_graph_get_info(const ordo_graph *g, ordo_graph_info *out);

/* ---- writing ---- */

/* Writes by suffix: .gr (DIMACS), .wsg, .sg, .el, .wel. Writes beside the target and renames, so that a failure leaves
 * no partial file and an old file stays. A weight type that the format cannot hold is refused. */
ORDO_API ordo_status ordo_graph_write(const ordo_graph *g, const char *path);

ORDO_END_DECLS

#endif
