/**
 * @file
 * Graphs: reading, making, looking at, writing.
 *
 * A graph is n vertices 0..n-1 and m stored edges in compressed sparse rows. An undirected edge is stored as two,
 * one in each row; `symmetric` says that every edge has its reverse. Weights are kept as the source had them (u32,
 * i32 or f32; i64 or f64 on request) and are never invented: an unweighted graph has none, and apps that want one take
 * 1.
 */
#ifndef ORDO_GRAPH_H
#define ORDO_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

#include <ordo/error.h>
#include <ordo/types.h>

ORDO_BEGIN_DECLS

/**
 * What schedulers and operators see of a graph: rows of edges. Row u is edges row[u] .. row[u+1]-1.
 *
 * The head of edge e is head[e * stride]; its weight is what ordo_csr_weight_at() points at. With stride 1 these are
 * two separate arrays (borrowed input, unweighted graphs). With a larger one they are interleaved, weight == head + 1,
 * so that one cache line serves both (what Ordo's own readers build for weighted graphs): stride 2, pairs {head,
 * weight}, for weights of 4 bytes, and stride 3 for weights of 8 bytes, which are then aligned to 4.
 */
typedef struct ordo_csr {
    ordo_vid n;            /**< vertices */
    ordo_eid m;            /**< stored edges */
    const ordo_eid *row;   /**< [n + 1], row[0] == 0, row[n] == m, not decreasing */
    const ordo_vid *head;  /**< every head < n */
    const void *weight;    /**< of weight_type, or NULL where that is ORDO_NONE */
    ordo_u32 stride;       /**< in words of 4 bytes: 1, or 2 or 3 as above */
    ordo_type weight_type; /**< ORDO_NONE, ORDO_U32, ORDO_I32, ORDO_F32, ORDO_I64 or ORDO_F64 */
} ordo_csr;

/** A graph: immutable once made, may be shared by threads. Freed by ordo_graph_free(). */
typedef struct ordo_graph ordo_graph;

/** How to take the direction of the input. */
typedef enum ordo_direction {
    ORDO_AS_STORED = 0, /**< what the format says: Matrix Market `symmetric` and METIS are symmetric, others directed */
    ORDO_SYMMETRISE,    /**< add the reverse of every edge that is not a loop (parallel edges are kept) */
    ORDO_SYMMETRIC      /**< the input holds both directions: checked, then recorded */
} ordo_direction;

/** What becomes of weights. */
typedef enum ordo_weights {
    ORDO_WEIGHTS_AS_STORED = 0, /**< those of the input */
    ORDO_WEIGHTS_DROP,          /**< the app needs none: do not keep them */
    ORDO_WEIGHTS_UNIFORM,       /**< draw whole ones for an input without any; refused where it has some */
    ORDO_WEIGHTS_REPLACE        /**< draw whole ones instead of those of the input */
} ordo_weights;

/** What becomes of parallel edges (same tail, same head): all stay, or one stays, with this weight. */
typedef enum ordo_parallel {
    ORDO_PARALLEL_KEEP = 0, /**< all stay */
    ORDO_PARALLEL_MIN,      /**< the least */
    ORDO_PARALLEL_MAX,      /**< the largest */
    ORDO_PARALLEL_SUM,      /**< refused where the sum does not fit the type; floats are summed in ascending order */
    ORDO_PARALLEL_FIRST     /**< the first in the order of the input */
} ordo_parallel;

/**
 * What is done to edges on their way into rows. All zero: nothing. Applied in this order: direction, loops, parallel
 * edges, drawn weights. Drawn weights are u32, uniform in low..high, a hash of (seed, tail, head, how many parallel
 * edges came before): in a symmetric graph of the unordered ends, so that both directions weigh the same.
 *
 * weight_type asks for weights of 8 bytes. As ORDO_I64 they are whole numbers above -2^63, as ORDO_F64 reals: a whole
 * number that a double does not hold exactly is refused, a fraction of more than 17 digits too (`round` allows both).
 * Weights of 4 bytes become it without loss; f32 does not become i64, nor one of the two the other.
 */
typedef struct ordo_edge_options {
    ordo_direction direction; /**< of the input */
    bool drop_loops;          /**< leave loops out */
    ordo_parallel parallel;   /**< what becomes of parallel edges */
    ordo_weights weights;     /**< what becomes of weights */
    ordo_u32 low;             /**< the least drawn weight */
    ordo_u32 high;            /**< the largest, at least low */
    ordo_u64 seed;            /**< of drawn weights */
    ordo_type weight_type;    /**< ORDO_NONE: of 4 bytes, but for an .ordo file that has others; ORDO_I64; ORDO_F64 */
    ordo_u64 reserved[1];     /**< 0 */
} ordo_edge_options;

/** How to read. All zero is the default. */
typedef struct ordo_read_options {
    ordo_edge_options edges; /**< what is done to edges */
    const char *coordinates; /**< a DIMACS .co file that belongs to the graph, or NULL */
    bool trust;              /**< .ordo files: believe the contents, check the header only */
    bool bipartite;          /**< Matrix Market, refused for others: column j is vertex rows + j, both from 0 */
    bool round;              /**< weights that f32 (or f64) does not hold are rounded; else refused (docs/reals.md) */
    const char *columns; /**< edge lists, refused for others: "FROM,TO" or "FROM,TO,WEIGHT", each a name of the header
                            line or a number from 1; NULL: what the names tell, or the first two or three */
    int threads;         /**< 0: all cores */
    /** Of several processes: where the file allows it, only the edges that this rank needs in runs are read
     * (docs/distributed.md); rows, degrees and ordo_graph_info are those of the whole graph. All ranks make the call.
     * What is not done on such a graph: verification, predecessors, transforms, writing, and runs with
     * ordo_group_divide(). NULL: the whole graph. */
    const struct ordo_group *group;
    /** With `group`: a rank reads the rows that it owns in a block-cyclic distribution if the graph is deep (100 levels
     * of a breadth-first search or more, guessed from a sample of rows). Runs on CPUs of operators that activate items
     * are faster so; others, which divide ranges (gather operators, GPUs), fail with ORDO_ERR_UNSOUND. false: it reads
     * a range of rows, which serves all runs. The same in all ranks. */
    bool cyclic;
    ordo_u64 reserved[2]; /**< 0 */
} ordo_read_options;

/** One edge of an edge list. */
typedef struct ordo_edge_entry {
    ordo_vid tail;   /**< from */
    ordo_vid head;   /**< to */
    ordo_u32 weight; /**< the bits of a word of the list's weight type */
} ordo_edge_entry;

/* ---- making ---- */

/**
 * Reads a file. The format is recognised by content first and suffix second; gzip, xz and zstd are undone on the way.
 * docs/formats.md says what each format holds and what is refused: DIMACS .gr and .max, Matrix Market .mtx, METIS
 * .graph, edge lists .el .wel .txt .csv .tsv, GAP .sg and .wsg, Galois .gr versions 1 and 2, SciPy .npz, Ordo's own
 * .ordo (mapped, not copied).
 * @param path     "-" is standard input
 * @param options  NULL: defaults
 * @param out      [out] the graph, to be freed by ordo_graph_free(); untouched on error
 * @return ORDO_OK; ORDO_ERR_IO (missing, unreadable); ORDO_ERR_INPUT (with file, line or byte offset, found, expected);
 *         ORDO_ERR_MEMORY; ORDO_ERR_USAGE
 */
ORDO_API ordo_status ordo_graph_read(const char *path, const ordo_read_options *options, ordo_graph **out);

/**
 * Builds rows from an edge list, keeping loops and parallel edges. Edges of a row are sorted by (head, position in the
 * list). The list is not kept. ordo_graph_from_arrays() takes an array for each end, and all edge options.
 * @param n            vertices
 * @param edges        [count] every end < n
 * @param count        entries
 * @param weight_type  of the entries: ORDO_U32, ORDO_I32, ORDO_F32; ORDO_NONE: their weights are not looked at
 * @param direction    ORDO_SYMMETRISE adds the reverse of every edge that is not a loop
 * @param threads      0: all cores
 * @param out          [out] the graph, to be freed by ordo_graph_free(); untouched on error
 * @return ORDO_OK; ORDO_ERR_INPUT or ORDO_ERR_USAGE for what is refused; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_graph_from_edges(ordo_u64 n, const ordo_edge_entry *edges, ordo_u64 count,
                                           ordo_type weight_type, ordo_direction direction, int threads,
                                           ordo_graph **out);

/**
 * Borrows arrays. Checked: row monotone, heads < n. ordo_graph_borrow_arrays() takes more types, and tells when the
 * arrays are no longer used.
 * @param csr        its arrays must outlive the graph and not change
 * @param symmetric  whether every edge has its reverse; believed
 * @param out        [out] the graph, to be freed by ordo_graph_free(); untouched on error
 * @return ORDO_OK; ORDO_ERR_INPUT or ORDO_ERR_USAGE for what is refused; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_graph_borrow(const ordo_csr *csr, bool symmetric, ordo_graph **out);

/**
 * The tail of an edge. O(log n).
 * @param g  rows
 * @param e  an edge, e < m
 * @return the vertex that it goes out from
 */
static inline ordo_vid ordo_csr_tail(const ordo_csr *g, ordo_eid e)
{
    ordo_u64 low = 0, high = g->n; /* row[low] <= e < row[high] */
    while (high - low > 1) {
        ordo_u64 middle = low + (high - low) / 2;
        if (g->row[middle] <= e)
            low = middle;
        else
            high = middle;
    }
    return (ordo_vid)low;
}
/**
 * Words of 4 bytes from one weight to the next.
 * @param g  rows with weights
 * @return 1, 2 or 3
 */
static inline ordo_u32 ordo_csr_weight_stride(const ordo_csr *g)
{
    return g->stride == 1 ? ordo_type_bytes(g->weight_type) / 4 : g->stride;
}
/**
 * Where the weight of an edge is.
 * @param g  rows with weights
 * @param e  an edge, e < m
 * @return a value of weight_type, aligned to 4 bytes: read one of 8 bytes by memcpy()
 */
static inline const void *ordo_csr_weight_at(const ordo_csr *g, ordo_eid e)
{
    return (const ordo_u32 *)g->weight + e * ordo_csr_weight_stride(g);
}
/**
 * The first edge out of u whose head is at least v. O(log degree).
 * @param g  rows, in ascending order of heads
 * @param u  a tail
 * @param v  a head
 * @return row[u + 1] where there is none
 */
static inline ordo_eid ordo_csr_find(const ordo_csr *g, ordo_vid u, ordo_vid v)
{
    ordo_eid low = g->row[u], high = g->row[u + 1];
    while (low < high) {
        ordo_eid middle = low + (high - low) / 2;
        if (g->head[middle * g->stride] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/**
 * Takes one reference more. Thread-safe.
 * @param g  not NULL
 * @return g
 */
ORDO_API ordo_graph *ordo_graph_ref(ordo_graph *g);
/**
 * Gives one reference back; the last one frees the graph. Thread-safe.
 * @param g  may be NULL
 */
ORDO_API void ordo_graph_free(ordo_graph *g);

/**
 * Generators, the same graph for the same arguments whatever the number of threads. All are random by `seed` alone.
 *   rmat     scale, degree (edges per vertex, 16), a b c d (.57 .19 .19 .05): R-MAT, directed
 *   kron     scale, degree: R-MAT as the GAP Benchmark Suite shapes it: symmetric, no loops, no parallel edges
 *   urand    scale, degree: GAP's -u graph, edge for edge with its seed 27491095: symmetric, no loops or parallel edges
 *   uniform  vertices, degree (4): every vertex has `degree` out-edges to uniform heads, directed
 *   grid     width, height, depth (1), keep (1): lattice of 4 or 6 neighbours, every bond kept with probability
 *            `keep`, symmetric
 *   mesh     width, height, depth: 27-point stencil, 26 neighbours inside, symmetric
 *   road     vertices: planar, symmetric, average degree about 2.5, long diameter, euclidean weights; has coordinates
 *   rlg      width, height: Washington's random level graph, a flow network: `height` levels of `width` vertices, three
 *            random edges to the next level each, capacities low..high; directed, has terminals
 *   genrmf   width a, depth b: Goldfarb and Grigoriadis' flow network: b frames of a x a; capacities low..high between
 *            frames, high * a * a within; directed, has terminals
 *   star, path, complete   vertices: symmetric
 *   cliques  vertices, width: a chain of complete graphs of `width` vertices, one edge from each to the next, symmetric
 * Weights: uniform integers low..high (u32) where high > 0, none where high == 0; road always has its own. For the
 * symmetric ones both directions of an edge carry the same weight.
 */
typedef struct ordo_generate_options {
    const char *kind;        /**< as above */
    ordo_u64 vertices;       /**< uniform, road, star, path, complete, cliques */
    ordo_u32 scale;          /**< rmat, kron, urand: 2^scale vertices, 0 <= scale <= 31 */
    ordo_u32 degree;         /**< rmat, kron, urand, uniform; 0: as above */
    ordo_u32 width;          /**< grid, mesh, rlg, genrmf, cliques */
    ordo_u32 height;         /**< grid, mesh, rlg */
    ordo_u32 depth;          /**< grid, mesh, genrmf; 0: 1 */
    double a;                /**< rmat: a to d add up to 1; all 0: as above */
    double b;                /**< likewise */
    double c;                /**< likewise */
    double d;                /**< likewise */
    double keep;             /**< grid: 0 < keep <= 1; 0: 1 */
    ordo_edge_options edges; /**< ORDO_SYMMETRISE: made symmetric after; high > 0: has weights (or capacities) */
    int threads;             /**< 0: all cores */
    ordo_u64 reserved[4];    /**< 0 */
} ordo_generate_options;
/**
 * Makes a graph.
 * @param options  its kind and what that needs
 * @param out      [out] the graph, to be freed by ordo_graph_free(); untouched on error
 * @return ORDO_OK; ORDO_ERR_USAGE, ORDO_ERR_UNKNOWN for what is refused; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_graph_generate(const ordo_generate_options *options, ordo_graph **out);

/**
 * The graph on some of the vertices, renumbered in order, and the edges between them, with weights and data of the
 * vertices.
 * @param g        any graph
 * @param keep     [n] not 0 for a vertex that stays
 * @param threads  0: all cores
 * @param names    [out] [number kept] their old numbers, or NULL
 * @param out      [out] the graph, to be freed by ordo_graph_free(); untouched on error
 * @return ORDO_OK; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_graph_induced(const ordo_graph *g, const ordo_u8 *keep, int threads, ordo_vid *names,
                                        ordo_graph **out);

/**
 * The same graph with its vertices in another order, with weights and data of the vertices. Rows are sorted by head.
 * @param g        any graph
 * @param names    [n] the old number of each vertex; each vertex once
 * @param threads  0: all cores
 * @param out      [out] the graph, to be freed by ordo_graph_free(); untouched on error
 * @return ORDO_OK; ORDO_ERR_USAGE (names that are not all vertices); ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_graph_renumbered(const ordo_graph *g, const ordo_vid *names, int threads, ordo_graph **out);

/* ---- looking ---- */

/**
 * Rows of out-edges.
 * @param g  any graph
 * @return valid as long as the graph
 */
ORDO_API const ordo_csr *ordo_graph_out(const ordo_graph *g);
/**
 * The graph's edges, for the state of a critical operator to which the framework hands edges.
 * @param g        any graph
 * @param tails    whether the operator's items are edges: out->tail is then made on first use and kept, 4 bytes an edge
 * @param threads  0: all cores
 * @param out      [out] valid as long as the graph
 * @return ORDO_OK; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_edges_of(const ordo_graph *g, bool tails, int threads, ordo_edges *out);
/**
 * Rows of in-edges: heads are then the edges' tails. The out-rows themselves where the graph is symmetric; otherwise
 * transposed on first use and kept. Thread-safe.
 * @param g        any graph
 * @param threads  0: all cores
 * @param out      [out] valid as long as the graph
 * @return ORDO_OK; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_graph_in(const ordo_graph *g, int threads, const ordo_csr **out);
/**
 * Whether every edge has its reverse: by format, by request or by check.
 * @param g  any graph
 * @return false where that is not known
 */
ORDO_API bool ordo_graph_symmetric(const ordo_graph *g);
/**
 * Whether there are parallel edges: some edge has the ends of the one before it in its row, and in a graph that Ordo
 * read or made rows are in order of heads. Some programs take parallel edges for one edge, and add up or drop weights
 * (SciPy adds up). O(m) at most, ends with the first.
 * @param g  any graph
 * @return true where there is one
 */
ORDO_API bool ordo_graph_has_parallel(const ordo_graph *g);
/**
 * Vertices in parts of about equal size with few edges between them, the same for the same graph. Made by METIS on
 * first use and kept. Thread-safe.
 * @param g        any graph
 * @param parts    how many
 * @param threads  0: all cores
 * @param part     [out] [n] the part of each vertex, below `parts`; valid as long as the graph
 * @return ORDO_OK; ORDO_ERR_MEMORY; ORDO_ERR_USAGE (this build has no METIS); ORDO_ERR_INPUT (more edges than METIS can
 *         count)
 */
ORDO_API ordo_status ordo_graph_partition(const ordo_graph *g, ordo_u32 parts, int threads, const ordo_u32 **part);

/** What some formats say of vertices. Arrays are owned by the graph; NULL where there is nothing. */
typedef struct ordo_vertex_data {
    const ordo_i32 *coordinate; /**< [n][2]: x, y; DIMACS: longitude and latitude in millionths of a degree */
    const ordo_u32 *weight;     /**< [n][weights]: METIS' vertex weights */
    ordo_u32 weights;           /**< of each vertex; 0: none */
    const ordo_u32 *size;       /**< [n]: METIS' vertex sizes */
    ordo_vid source;            /**< of a flow network, or ORDO_NO_VERTEX */
    ordo_vid sink;              /**< likewise */
} ordo_vertex_data;
/**
 * What is known of the vertices.
 * @param g  any graph
 * @return valid as long as the graph
 */
ORDO_API const ordo_vertex_data *ordo_graph_vertex_data(const ordo_graph *g);

/** What a graph is. Strings are owned by the graph. */
typedef struct ordo_graph_info {
    const char *source;     /**< file name or "rmat --scale 20 ..."; owned by the graph */
    const char *format;     /**< "DIMACS .gr", ...; owned by the graph */
    ordo_u64 vertices;      /**< n */
    ordo_u64 edges;         /**< stored edges m, both directions of an undirected edge counted */
    ordo_u64 loops;         /**< self-loops among them */
    ordo_u64 max_degree;    /**< largest out-degree */
    bool symmetric;         /**< every edge has its reverse, by format, by request or by check */
    ordo_type weight_type;  /**< ORDO_NONE: unweighted */
    double weight_min;      /**< 0 where unweighted or m == 0 */
    double weight_max;      /**< likewise */
    double weight_mean;     /**< likewise */
    const char *weights;    /**< "none", "stored", "dropped", or the words that drew them, "uniform:1:100 --seed 7" */
    ordo_u64 dropped_loops; /**< loops left out on request */
    ordo_u64 dropped_parallel; /**< parallel edges left out on request */
    ordo_u64 id_base;          /**< what the file calls vertex 0: 1 for DIMACS and Matrix Market, else 0 */
    ordo_u64 checksum;         /**< of n, m, rows, heads and weights; equal graphs have equal checksums */
    ordo_u64 bytes;            /**< memory held by rows, heads and weights (in-rows included once built) */
    double load_seconds;       /**< reading or generating, decompression included */
    double build_seconds;      /**< edge list to rows */
    ordo_u64 reserved[4];      /**< set to 0; what is added later takes their place */
} ordo_graph_info;
/**
 * What a graph is. Cheap after the first call, which scans the edges once. Thread-safe.
 * @param g    any graph
 * @param out  [out] of the caller's; holds nothing to be freed
 */
ORDO_API void ordo_graph_get_info(const ordo_graph *g, ordo_graph_info *out);

/* ---- writing ---- */

/**
 * Writes by suffix: .gr (DIMACS), .max, .mtx, .graph, .el, .wel, .sg, .wsg, .ggr (Galois binary .gr, version 1), .npz,
 * .ordo, and .co (the coordinates alone); .gz, .xz or .zst behind any of them but .npz compresses. Writes beside the
 * target, under a random name, and renames, so that a failure leaves no partial file and an old file stays.
 * @param g     any graph
 * @param path  its suffix is the format
 * @return ORDO_OK; ORDO_ERR_USAGE for what the format cannot hold (weights of a type, loops, a directed graph, missing
 *         terminals); ORDO_ERR_IO; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_graph_write(const ordo_graph *g, const char *path);

ORDO_END_DECLS

#endif
