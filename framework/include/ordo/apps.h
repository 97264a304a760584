/**
 * @file
 * The apps: shortest paths, breadth-first search, connected components, minimum spanning forests, maximum
 * flow, widest paths, core numbers, PageRank, triangles, betweenness, strong components, independent
 * sets, colourings.
 *
 * Each is a short sequence of runs with one call for C programs. Results are arrays of the caller's, mostly one element
 * for each vertex, the same under every scheduler, sync, number of threads and back end (ranks within their error). All
 * calls are thread-safe on distinct outputs.
 *
 * Errors common to all: those of ordo_run(); ORDO_ERR_USAGE for a source that is no vertex. Refused input leaves
 * outputs untouched; after ORDO_ERR_MEMORY, ORDO_ERR_DEVICE, ORDO_ERR_OVERFLOW, ORDO_ERR_CANCELLED or ORDO_ERR_TIMEOUT
 * they are unspecified.
 */
#ifndef ORDO_APPS_H
#define ORDO_APPS_H

#include <ordo/graph.h>
#include <ordo/run.h>

ORDO_BEGIN_DECLS

#define ORDO_UNREACHED_U32 0xffffffffu        /**< a distance or level where there is no path; f32: infinity */
#define ORDO_UNREACHED_I32 0x7fffffff         /**< the same of ordo_i32 */
#define ORDO_UNREACHED_I64 0x7fffffffffffffff /**< the same of ordo_i64; f64: infinity */

/**
 * The type of distances on a graph.
 * @param g  any graph
 * @return the type of its weights; ORDO_U32 where it is unweighted (every edge counts 1)
 */
ORDO_API ordo_type ordo_sssp_type(const ordo_graph *g);

/**
 * Shortest-path distances from one source. ordo_sssp_from() takes several, and more besides.
 *
 * f32 and f64: sums are rounded once for each edge, in path order from the source. Distances are the least such sums:
 * the same under every schedule, since rounding is monotone.
 *
 * Predecessors are deterministic: the smallest id among the tight parents (u with dist u + w = dist v) that are nearer
 * than v. Of parents as near as v (edges of weight 0, or lost in rounding) only those fewer such edges away from a
 * nearer one count, so that predecessors are always a tree.
 * @param g        weights must not be negative
 * @param source   0 <= source < n
 * @param limit    vertices farther than this count as unreached and are not looked for; INFINITY for none. In the unit
 *                 of the weights; not NaN
 * @param options  NULL: defaults
 * @param dist     [out] [n] of ordo_sssp_type(g): ORDO_UNREACHED_U32, ORDO_UNREACHED_I32, ORDO_UNREACHED_I64 or
 * infinity where there is no path
 * @param pred     [out] [n] or NULL: the predecessor on a shortest path; ORDO_NO_VERTEX for the source and the
 *                 unreached
 * @param stats    [out] may be NULL; the caller's, see ordo_run()
 * @return also ORDO_ERR_NEGATIVE_WEIGHT, naming the edge; ORDO_ERR_INPUT for a weight that is NaN; ORDO_ERR_OVERFLOW
 *         where a vertex can be reached but its distance does not fit the type
 */
ORDO_API ordo_status ordo_sssp(const ordo_graph *g, ordo_vid source, double limit, const ordo_options *options,
                               void *dist, ordo_vid *pred, ordo_stats *stats);

/**
 * Levels from one source: the least number of edges. Weights are not used. Deterministic as ordo_sssp().
 * ordo_bfs_from() takes several sources.
 * @param g        any graph
 * @param source   0 <= source < n
 * @param limit    paths longer than this many edges are not looked for; INFINITY for none
 * @param options  NULL: defaults
 * @param level    [out] [n], ORDO_UNREACHED_U32 where there is no such path
 * @param pred     [out] [n] or NULL: as of ordo_sssp()
 * @param stats    [out] may be NULL; the caller's, see ordo_run()
 * @return as of ordo_run()
 */
ORDO_API ordo_status ordo_bfs(const ordo_graph *g, ordo_vid source, double limit, const ordo_options *options,
                              ordo_u32 *level, ordo_vid *pred, ordo_stats *stats);

/**
 * Connected components; of a directed graph the weak ones.
 *
 * Method: if no scheduler (or "auto"), no sync and no setting is given, or by scheduler "native", a native program
 * links vertices in a forest (Sutton, Ben-Nun and Barak, IPDPS 2018; docs/native.md), on the CPU or a GPU. Under a
 * named scheduler two edges of each vertex are linked, then labels are propagated; both are in ordo_stats::run_seconds,
 * and of a directed graph a symmetrised copy is made first.
 * @param g          any graph
 * @param options    NULL: defaults
 * @param component  [out] [n], the smallest vertex id of the vertex's component
 * @param stats      [out] may be NULL; the caller's, see ordo_run()
 * @return as of ordo_run()
 */
ORDO_API ordo_status ordo_cc(const ordo_graph *g, const ordo_options *options, ordo_u32 *component, ordo_stats *stats);

/** The sum of a forest's weights: the member of the type of the weights. */
typedef union ordo_forest_weight {
    ordo_u64 u32; /**< fewer than 2^32 weights below 2^32: always fits */
    int64_t i32;  /**< likewise */
    double f32;   /**< added in double, in ascending order of ids */
    int64_t i64;  /**< a sum beyond it is refused */
    double f64;   /**< as f32 */
} ordo_forest_weight;

/** A forest's numbers. Holds nothing to be freed. */
typedef struct ordo_forest {
    ordo_u64 trees;            /**< components, a vertex without edges among them */
    ordo_u64 edges;            /**< n - trees */
    ordo_type type;            /**< of the graph's weights; ORDO_U32 where it has none */
    ordo_forest_weight weight; /**< their sum; `type` says which member */
} ordo_forest;

/**
 * A minimum spanning forest. Directions do not matter, loops are ignored, of parallel edges the lightest may be taken.
 * Ties fall to the smaller id, so the forest is unique.
 *
 * The id of an edge is its index in the rows of `g` as given. In a symmetric graph an edge is stored twice and is one
 * edge: its id is the smaller of the two, that of the direction out of the smaller end. In a directed graph every
 * stored edge is an edge of its own, u -> v and v -> u being parallel.
 *
 * Method: Boruvka 1926. A round is a run of operators/mst.h, then components join along the edges found, chains of
 * joins are cut short, and edges within components are left out of the next round; all of it is in run_seconds. With
 * more than 4 edges a vertex the lightest ones, about n by a sample, go first, so that most others never enter a round
 * (Osipov, Sanders and Singler, ALENEX 2009). On a GPU, if neither a scheduler (or "auto"), a sync (or "auto") nor a
 * setting is given, or by scheduler "native", a native program does all of it (docs/native.md); statistics then report
 * scheduler "native", sync "none". No scheduler changes the result. In stats, counts are sums over the rounds, and
 * `supersteps` counts those of all rounds.
 * @param g        weights of any type, also negative; without weights every edge weighs 1. Fewer than 2^32 stored
 *                 edges: ids share a 64-bit cell with weights. Of weights of 8 bytes a copy of the graph is made first
 *                 that has words of 32 bits in the same order (ordo_stats::prepare_seconds)
 * @param options  NULL: defaults
 * @param edge     [out] [n]: the ids of the forest's edges, ascending, in the first forest->edges
 * @param forest   [out] its numbers
 * @param stats    [out] may be NULL; the caller's, see ordo_run()
 * @return also ORDO_ERR_INPUT: weights that are NaN or infinite, a sum of i64 or f64 weights that the type does not
 *         hold, too many edges, or a graph said to be symmetric whose directions differ in weight, where that is met
 */
ORDO_API ordo_status ordo_mst(const ordo_graph *g, const ordo_options *options, ordo_eid *edge, ordo_forest *forest,
                              ordo_stats *stats);

/**
 * Widest paths from one source: for every vertex the largest width such that some path from the source has no edge
 * below it. ordo_widest_from() takes several sources.
 * @param g        weights are capacities, not negative; without weights every edge has capacity 1
 * @param source   0 <= source < n
 * @param options  NULL: defaults
 * @param width    [out] [n] of ordo_sssp_type(g): 0 where there is no path, or only one over edges of 0; at the source
 *                 the type's largest value, ORDO_UNREACHED_U32, ORDO_UNREACHED_I32 or infinity
 * @param stats    [out] may be NULL; the caller's, see ordo_run()
 * @return also ORDO_ERR_NEGATIVE_WEIGHT and ORDO_ERR_INPUT, as of ordo_sssp()
 */
ORDO_API ordo_status ordo_widest(const ordo_graph *g, ordo_vid source, const ordo_options *options, void *width,
                                 ordo_stats *stats);

/**
 * Core numbers, or one k-core. The k-core is the largest set of vertices that each have k neighbours in it; a vertex's
 * core number is the largest k whose core it is in. Directions, loops and parallel edges do not matter: a neighbour
 * counts once. Where there are such edges, a copy without them is made first, in ordo_stats::prepare_seconds.
 *
 * Method: a run of operators/kcore.h for every core number that some vertex has, in ascending order; with k a single
 * one. In stats, counts are sums over the runs. On a GPU a native program (apps/kcore.cu) peels all levels in one run,
 * unless options name a scheduler, a sync or a setting.
 * @param g        fewer than 2^31 neighbours of each vertex
 * @param k        0: core numbers; else whether a vertex is in the k-core, k < 2^31
 * @param options  NULL: defaults
 * @param core     [out] [n] the core number; with k, 1 or 0
 * @param stats    [out] may be NULL; the caller's, see ordo_run()
 * @return also ORDO_ERR_INPUT for too many neighbours
 */
ORDO_API ordo_status ordo_kcore(const ordo_graph *g, ordo_u32 k, const ordo_options *options, ordo_u32 *core,
                                ordo_stats *stats);

/**
 * Strong components: vertices of which each has a path to each other one. On a symmetric graph those of ordo_cc().
 * Weights are not used.
 *
 * Method: apps/scc.c: vertices without an edge in, or out, are dropped; then runs of operators/scc.h forward and
 * backward. In stats, counts are sums over the runs, dropped vertices are items, too, and passes over vertices between
 * the runs are run time.
 * @param g          any graph
 * @param options    NULL: defaults
 * @param component  [out] [n], the smallest vertex id of the vertex's component
 * @param stats      [out] may be NULL; the caller's, see ordo_run()
 * @return as of ordo_run()
 */
ORDO_API ordo_status ordo_scc(const ordo_graph *g, const ordo_options *options, ordo_u32 *component, ordo_stats *stats);

/**
 * A maximal independent set: no two members are neighbours, and no vertex can be added. Directions, loops and parallel
 * edges do not matter; of a directed graph a symmetrised copy is made first, in ordo_stats::prepare_seconds.
 *
 * The set is the one that a loop over the vertices by rank finds, taking each vertex that has no member among its
 * neighbours. The rank of v is the finaliser of MurmurHash3 of v + 1, all in 32 bits: h = v + 1; h ^= h >> 16;
 * h *= 0x85ebca6b; h ^= h >> 13; h *= 0xc2b2ae35; h ^= h >> 16.
 *
 * Method: a run of operators/mis.h (Blelloch, Fineman and Shun, SPAA 2012).
 * @param g        fewer than 2^30 stored edges of each vertex
 * @param options  NULL: defaults
 * @param member   [out] [n] 1 or 0
 * @param stats    [out] may be NULL; the caller's, see ordo_run()
 * @return also ORDO_ERR_INPUT for a vertex with too many edges
 */
ORDO_API ordo_status ordo_mis(const ordo_graph *g, const ordo_options *options, ordo_u32 *member, ordo_stats *stats);

/**
 * A greedy colouring: neighbours have different colours. Directions, loops and parallel edges do not matter; of a
 * directed graph a symmetrised copy is made first, in ordo_stats::prepare_seconds.
 *
 * Vertices are coloured by rank, each with the smallest colour that no neighbour of a lower rank has. Ranks go by the
 * length of the degree as a binary number, the longest first; where that is equal, by the hash of ordo_mis(). The
 * degree is the number of edges stored in the vertex's row; of a directed graph in the rows of out-edges and of
 * in-edges.
 *
 * Method: a run of operators/colour.h (Jones and Plassmann 1993; the ranks: Hasenplaug, Kaler, Schardl and Leiserson,
 * SPAA 2014). At most one colour more than the largest number of neighbours.
 * @param g        any graph
 * @param options  NULL: defaults
 * @param colour   [out] [n] from 0
 * @param stats    [out] may be NULL; the caller's, see ordo_run()
 * @return as of ordo_run()
 */
ORDO_API ordo_status ordo_colour(const ordo_graph *g, const ordo_options *options, ordo_u32 *colour, ordo_stats *stats);

/** What is known of ranks. Holds nothing to be freed. */
typedef struct ordo_ranks {
    double error;      /**< a bound on the sum of the deviations of all ranks (L1) */
    double residual;   /**< how much the last round changed all ranks together; pushing: the sum of what was left */
    ordo_u64 dangling; /**< vertices without an out-edge */
} ordo_ranks;

/**
 * PageRank: how often a random walker is at a vertex. The walker follows a random out-edge with probability `damping`,
 * and else jumps to a random vertex; always where there is no out-edge. Ranks add up to 1. Weights are not used,
 * parallel edges count each.
 *
 * Method: operators/pagerank_pull.h, in f32 or, for a tolerance below 1e-6, f64, where the options allow it: under
 * "topology" (the default on a CPU) and "bsp". Otherwise operators/pagerank.h, residuals in whole numbers of 2^-62. See
 * apps/pagerank_pull.c and apps/pagerank.c for the error.
 * @param g          any graph
 * @param damping    0 to 1 - 2^-20
 * @param tolerance  n / 2^62 to 1: the run ends when a round changes all ranks together by at most this; pushing: when
 *                   every residual is below this share of the mean rank, tolerance / n
 * @param options    NULL: defaults
 * @param rank       [out] [n] not the same under every scheduler: two answers differ by their two errors at most
 * @param ranks      [out] what is known of them
 * @param stats      [out] may be NULL; the caller's, see ordo_run()
 * @return as of ordo_run()
 */
ORDO_API ordo_status ordo_pagerank(const ordo_graph *g, double damping, double tolerance, const ordo_options *options,
                                   double *rank, ordo_ranks *ranks, ordo_stats *stats);

/** What is known of triangles. Holds nothing to be freed. */
typedef struct ordo_triangles_found {
    ordo_u64 triangles;   /**< sets of three vertices that are all neighbours */
    ordo_u64 wedges;      /**< pairs of neighbours of a vertex, added up over vertices: paths of two edges */
    double transitivity;  /**< the share of wedges that are closed: 3 triangles / wedges; 0 where there are none */
    double clustering;    /**< the mean of the vertices' local clustering coefficients, triangles at the vertex by its
                           * wedges, 0 where it has none; NaN where triangles at vertices were not asked for */
    ordo_u64 reserved[4]; /**< 0 */
} ordo_triangles_found;

/**
 * Triangles, in all or at each vertex. Directions, loops and parallel edges do not matter: a neighbour counts once.
 * Where there are such edges, or rows are not in order of heads, a copy without them is made first, in
 * ordo_stats::prepare_seconds. Weights are not used.
 *
 * Method: if no scheduler (or "auto"), no sync and no setting is given, or by scheduler "native", a native program
 * (docs/native_counts.md). Under a named scheduler one run of operators/tc.h on a copy that stores each edge once, by
 * degree; that is in prepare_seconds.
 * @param g        fewer than 2^31 neighbours of each vertex, where a copy is made
 * @param options  NULL: defaults
 * @param corner   [out] [n] or NULL: the triangles that each vertex is in; by the native program on a CPU alone
 * @param found    [out] their number, and what follows from it
 * @param stats    [out] may be NULL; the caller's, see ordo_run()
 * @return also ORDO_ERR_INPUT for too many neighbours; ORDO_ERR_USAGE for triangles at vertices under a named scheduler
 */
ORDO_API ordo_status ordo_triangles(const ordo_graph *g, const ordo_options *options, ordo_u64 *corner,
                                    ordo_triangles_found *found, ordo_stats *stats);

/** What is known of betweenness. Holds nothing to be freed. */
typedef struct ordo_betweenness_found {
    ordo_u64 sources;     /**< that scores are summed over */
    double largest;       /**< of the scores */
    double most_paths;    /**< the largest number of shortest paths from a source to a vertex. Numbers beyond 2^53 are
                           * rounded, with a relative error of 2^-53 for each addition */
    double error;         /**< scores are too small by less than this, rounding of f64 aside: 0 by the native program */
    ordo_u64 reserved[4]; /**< 0 */
} ordo_betweenness_found;

/**
 * Betweenness: for each vertex v the sum, over sources s and all ends t other than s and v, of the share of shortest
 * paths from s to t that pass v. With all sources each ordered pair of ends counts once; where edges have no direction
 * others count unordered pairs, and have half of it. Neither scaled nor normalised: GAP divides by the largest.
 * Weights are not used: every edge counts 1. Parallel edges are paths of their own.
 *
 * Method: Brandes 2001. If no scheduler (or "auto"), no sync and no setting is given, or by scheduler "native", a
 * native program (docs/native_counts.md). Under a named scheduler for each source a run of operators/bfs.h and two of
 * operators/bc.h, whose cells are in fixed point.
 * @param g        any graph
 * @param source   [count] or NULL: all vertices. Each counts as often as it is there
 * @param count    sources
 * @param options  NULL: defaults
 * @param score    [out] [n]
 * @param found    [out] what is known of them
 * @param stats    [out] may be NULL; the caller's, see ordo_run()
 * @return also ORDO_ERR_OVERFLOW where more shortest paths lead to a vertex than f64 holds, about 2^1023, or under a
 * named scheduler 2^64 - 1
 */
ORDO_API ordo_status ordo_betweenness(const ordo_graph *g, const ordo_vid *source, ordo_u64 count,
                                      const ordo_options *options, double *score, ordo_betweenness_found *found,
                                      ordo_stats *stats);

/** How a maximum flow is wanted. All zero is the default. */
typedef struct ordo_flow_options {
    ordo_u64 infinite;    /**< edges of this capacity have no bound; below 2^32, of i64 below 2^63; 0: none has */
    bool cut_only;        /**< the minimum cut is enough: the flow is left as a preflow, see ordo_maxflow() */
    ordo_u64 reserved[4]; /**< 0 */
} ordo_flow_options;

/** A flow's numbers. Holds nothing to be freed. */
typedef struct ordo_flow {
    ordo_u64 value;        /**< what reaches the sink */
    ordo_u64 cut_capacity; /**< of the edges from the source side to the sink side: the same number */
    ordo_u64 source_side;  /**< vertices on the source side */
} ordo_flow;

/**
 * A maximum flow from source to sink, and the minimum cut whose sink side is smallest: the vertices that can still
 * reach the sink. Value and cut are unique; the flow on each edge is not, and may differ from run to run with two
 * threads or more.
 *
 * Method: push-relabel (Goldberg and Tarjan 1988) with global relabels by work done and gaps found by counting vertices
 * at each height (Cherkassky and Goldberg 1997); the second phase is the same with the source for a sink. In stats,
 * making the residual network is in prepare_seconds, and counts are sums over all runs. If no scheduler (or "auto"),
 * sync or setting is given, or by scheduler "native", a native program does all of it (docs/native.md): one thread of
 * the CPU, or a GPU. Statistics then report scheduler "native", sync "none"; items are discharges, edges are pushes and
 * relabels, supersteps are global relabels. Otherwise runs of operators/discharge.h alternate with global relabels,
 * which are runs of operators/relabel.h on the same device.
 * @param g        weights are capacities: u32, or i32 and i64 that are not negative; without weights every edge has
 *                 capacity 1. Loops carry nothing. Fewer than 2^31 stored edges
 * @param source   ORDO_NO_VERTEX: the one that the graph names, see ordo_graph_vertex_data()
 * @param sink     likewise
 * @param how      NULL: the default
 * @param options  NULL: defaults
 * @param flow     [out] [m] or NULL: the flow on each stored edge, at most its capacity; into a vertex flows as much as
 *                 out of it. With ordo_flow_options::cut_only a preflow: into a vertex may flow more than out of it,
 *                 and what the sink gets is the value
 * @param side     [out] [n]: 1 on the source side, 0 on the sink side
 * @param result   [out] the flow's numbers
 * @param stats    [out] may be NULL; the caller's, see ordo_run()
 * @return also ORDO_ERR_NEGATIVE_WEIGHT; ORDO_ERR_INPUT for f32 and f64; ORDO_ERR_OVERFLOW where a path of infinite
 * edges leads from source to sink, or capacities of i64 that are finite add up to 2^62 or more
 */
ORDO_API ordo_status ordo_maxflow(const ordo_graph *g, ordo_vid source, ordo_vid sink, const ordo_flow_options *how,
                                  const ordo_options *options, ordo_u64 *flow, ordo_u8 *side, ordo_flow *result,
                                  ordo_stats *stats);

/**
 * The vertices of a shortest path, source first, by following predecessors.
 * @param pred    [n] of ordo_sssp() or ordo_bfs()
 * @param n       vertices
 * @param source  where the path begins
 * @param target  where it ends
 * @param path      [out] [capacity] the first of them
 * @param capacity  the most to write
 * @return their number, which may be more than `capacity`; 0 where target is unreached
 */
ORDO_API ordo_u64 ordo_path(const ordo_vid *pred, ordo_u64 n, ordo_vid source, ordo_vid target, ordo_vid *path,
                            ordo_u64 capacity);

/* ---- verification: shares no code with schedulers ---- */

/** How an answer is verified. */
typedef enum ordo_verify_how {
    ORDO_VERIFY_AUTO = 0, /**< serial where n + m is at most 2^26, the certificate beyond */
    ORDO_VERIFY_SERIAL,   /**< compares with Dijkstra's algorithm, a queue, union-find, Kruskal's or Dinitz' algorithm,
                           * that of Batagelj and Zaversnik, or power iteration */
    ORDO_VERIFY_CERTIFICATE, /**< O(n + m): no edge is violated, everything reached has a tight path from the source.
                              * mst, O(m log n): no cycle, all is spanned, no edge could replace one of the forest.
                              * maxflow: capacities and conservation hold and a cut is saturated, which proves it;
                              * so AUTO is this one for every size */
    ORDO_VERIFY_BOTH         /**< both */
} ordo_verify_how;

/**
 * Verifies distances.
 * @param g       as of ordo_sssp()
 * @param source  likewise
 * @param limit   likewise
 * @param dist    [n] the answer
 * @param pred    [n] or NULL: checked too, the tie-break included
 * @param how     the method
 * @return ORDO_OK, or ORDO_ERR_VERIFY with the first vertex at fault, its value and the right one; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_sssp_verify(const ordo_graph *g, ordo_vid source, double limit, const void *dist,
                                      const ordo_vid *pred, ordo_verify_how how);
/**
 * Verifies levels.
 * @param g       as of ordo_bfs()
 * @param source  likewise
 * @param limit   likewise
 * @param level   [n] the answer
 * @param pred    [n] or NULL: checked too, the tie-break included
 * @param how     the method
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_bfs_verify(const ordo_graph *g, ordo_vid source, double limit, const ordo_u32 *level,
                                     const ordo_vid *pred, ordo_verify_how how);
/**
 * Verifies components.
 * @param g          as of ordo_cc()
 * @param component  [n] the answer
 * @param how        the method
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_cc_verify(const ordo_graph *g, const ordo_u32 *component, ordo_verify_how how);
/**
 * Verifies widths.
 * @param g       as of ordo_widest()
 * @param source  likewise
 * @param width   [n] the answer
 * @param how     the method
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_widest_verify(const ordo_graph *g, ordo_vid source, const void *width, ordo_verify_how how);
/**
 * Verifies core numbers, always by the serial method, O(n + m).
 * @param g     as of ordo_kcore()
 * @param k     likewise
 * @param core  [n] the answer
 * @param how   not used
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_kcore_verify(const ordo_graph *g, ordo_u32 k, const ordo_u32 *core, ordo_verify_how how);
/**
 * Label propagation: communities. Every vertex begins with its own id as label. In a round all vertices at the same
 * time take the most frequent label of their neighbours, of several the least. Neighbours are those of both directions,
 * parallel edges count each, and a loop once; of a directed graph a symmetric copy is made first, in
 * ordo_stats::prepare_seconds. The deterministic form (CDLP) of the LDBC Graphalytics benchmark. Weights are not used.
 *
 * Method: a run of operators/lp.h (Raghavan, Albert and Kumara, Phys. Rev. E 76, 2007), on the CPU.
 * @param g        any graph
 * @param rounds   the most rounds, 1 or more; fewer where labels no longer change
 * @param options  NULL: defaults
 * @param label    [out] [n] vertex ids
 * @param stats    [out] may be NULL; the caller's, see ordo_run()
 * @return as of ordo_run()
 */
ORDO_API ordo_status ordo_labels(const ordo_graph *g, ordo_u64 rounds, const ordo_options *options, ordo_u32 *label,
                                 ordo_stats *stats);

/** What is known of hubs and authorities. Holds nothing to be freed. */
typedef struct ordo_hits_found {
    ordo_u64 rounds; /**< that were made */
    double change;   /**< how far the hubs moved in the last one, in L1 */
} ordo_hits_found;

/**
 * Hubs and authorities (HITS): a vertex is an authority as far as hubs point at it, and a hub as far as it points at
 * authorities. In a round the authority of v becomes the sum of the hubs of its in-neighbours, then the hub of u that
 * of the authorities of its out-neighbours; both are scaled to add up to 1. At the start all hubs are equal. Weights
 * are not used, parallel edges count each. Where no edge leads on, all scores are 0.
 *
 * Method: two runs of operators/hits.h a round (Kleinberg, JACM 46(5), 1999).
 * @param g          any graph
 * @param rounds     the most rounds, 1 or more; fewer where the hubs have moved by 1e-12 at most
 * @param options    NULL: defaults
 * @param hub        [out] [n] two answers differ by rounding, see apps/hits.c
 * @param authority  [out] [n] likewise
 * @param found      [out] what is known of them
 * @param stats      [out] may be NULL; the caller's, see ordo_run(); counts are sums over the runs
 * @return as of ordo_run()
 */
ORDO_API ordo_status ordo_hits(const ordo_graph *g, ordo_u64 rounds, const ordo_options *options, double *hub,
                               double *authority, ordo_hits_found *found, ordo_stats *stats);
/**
 * Verifies hubs and authorities, always by the serial method, O(rounds (n + m)).
 * @param g          as of ordo_hits()
 * @param hub        [n] the answer, or NULL
 * @param authority  [n] the answer
 * @param found      its numbers
 * @param how        not used
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_hits_verify(const ordo_graph *g, const double *hub, const double *authority,
                                      const ordo_hits_found *found, ordo_verify_how how);
/**
 * The same of ordo_hits() as ordo_sssp_memory().
 * @param g         the graph
 * @param options   NULL: defaults
 * @param expected  [out] bytes, for ordinary inputs
 * @param at_most   [out] bytes, in the worst case
 * @return as of ordo_run_check()
 */
ORDO_API ordo_status ordo_hits_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                      ordo_u64 *at_most);

/**
 * Verifies strong components, always by the serial method, O(n + m).
 * @param g          as of ordo_scc()
 * @param component  [n] the answer
 * @param how        not used
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_scc_verify(const ordo_graph *g, const ordo_u32 *component, ordo_verify_how how);
/**
 * Verifies an independent set: that it is the one of ordo_mis(), O(n + m).
 * @param g       as of ordo_mis()
 * @param member  [n] the answer
 * @param how     not used
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_mis_verify(const ordo_graph *g, const ordo_u32 *member, ordo_verify_how how);
/**
 * Verifies a colouring: that it is the one of ordo_colour(), O(n + m).
 * @param g       as of ordo_colour()
 * @param colour  [n] the answer
 * @param how     not used
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_colour_verify(const ordo_graph *g, const ordo_u32 *colour, ordo_verify_how how);
/**
 * Verifies ranks. The certificate is weaker: it accepts (1 + damping) / (1 - damping) times `error`.
 * @param g        as of ordo_pagerank()
 * @param damping  likewise
 * @param rank     [n] the answer
 * @param error    what the ranks claim, ordo_ranks::error
 * @param how      the method
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_pagerank_verify(const ordo_graph *g, double damping, const double *rank, double error,
                                          ordo_verify_how how);
/**
 * Verifies numbers of triangles, always by the serial method, O(m^1.5).
 * @param g       as of ordo_triangles()
 * @param corner  [n] the answer, or NULL
 * @param found   its numbers
 * @param how     not used
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_triangles_verify(const ordo_graph *g, const ordo_u64 *corner,
                                           const ordo_triangles_found *found, ordo_verify_how how);
/**
 * Verifies betweenness, always by the serial method, O(n + m) for each source.
 * @param g       as of ordo_betweenness()
 * @param source  likewise
 * @param count   likewise
 * @param score   [n] the answer
 * @param error   what the scores claim, ordo_betweenness_found::error
 * @param how     not used
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_betweenness_verify(const ordo_graph *g, const ordo_vid *source, ordo_u64 count,
                                             const double *score, double error, ordo_verify_how how);
/**
 * Verifies a forest: ids (tie-break and order included), numbers and sum.
 * @param g       as of ordo_mst()
 * @param edge    [forest->edges] the answer
 * @param forest  its numbers
 * @param how     the method
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_mst_verify(const ordo_graph *g, const ordo_eid *edge, const ordo_forest *forest,
                                     ordo_verify_how how);
/**
 * Verifies a flow and a cut.
 * @param g       as of ordo_maxflow()
 * @param source  likewise
 * @param sink    likewise
 * @param how     the same as then
 * @param flow    [m] the answer
 * @param side    [n] likewise
 * @param result  its numbers
 * @param verify  the method
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_maxflow_verify(const ordo_graph *g, ordo_vid source, ordo_vid sink,
                                         const ordo_flow_options *how, const ordo_u64 *flow, const ordo_u8 *side,
                                         const ordo_flow *result, ordo_verify_how verify);

/* ---- memory ---- */

/**
 * Predicts the bytes that ordo_sssp() will allocate beyond the graph and the caller's arrays.
 * @param g         the graph
 * @param options   NULL: defaults
 * @param expected  [out] bytes, for ordinary inputs
 * @param at_most   [out] bytes, in the worst case; see ordo_run_memory()
 * @return as of ordo_run_check()
 */
ORDO_API ordo_status ordo_sssp_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                      ordo_u64 *at_most);
/**
 * The same of ordo_bfs().
 * @param g         the graph
 * @param options   NULL: defaults
 * @param expected  [out] bytes, for ordinary inputs
 * @param at_most   [out] bytes, in the worst case
 * @return as of ordo_run_check()
 */
ORDO_API ordo_status ordo_bfs_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                     ordo_u64 *at_most);
/**
 * The same of ordo_cc().
 * @param g         the graph
 * @param options   NULL: defaults
 * @param expected  [out] bytes, for ordinary inputs
 * @param at_most   [out] bytes, in the worst case
 * @return as of ordo_run_check()
 */
ORDO_API ordo_status ordo_cc_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                    ordo_u64 *at_most);
/**
 * The same of ordo_mst().
 * @param g         the graph
 * @param options   NULL: defaults
 * @param expected  [out] bytes, for ordinary inputs
 * @param at_most   [out] bytes, in the worst case
 * @return as of ordo_run_check()
 */
ORDO_API ordo_status ordo_mst_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                     ordo_u64 *at_most);
/**
 * The same of ordo_widest().
 * @param g         the graph
 * @param options   NULL: defaults
 * @param expected  [out] bytes, for ordinary inputs
 * @param at_most   [out] bytes, in the worst case
 * @return as of ordo_run_check()
 */
ORDO_API ordo_status ordo_widest_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                        ordo_u64 *at_most);
/**
 * The same of ordo_kcore().
 * @param g         the graph
 * @param options   NULL: defaults
 * @param expected  [out] bytes, for ordinary inputs
 * @param at_most   [out] bytes, in the worst case
 * @return as of ordo_run_check()
 */
ORDO_API ordo_status ordo_kcore_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                       ordo_u64 *at_most);
/**
 * The same of ordo_pagerank().
 * @param g         the graph
 * @param options   NULL: defaults
 * @param expected  [out] bytes, for ordinary inputs
 * @param at_most   [out] bytes, in the worst case
 * @return as of ordo_run_check()
 */
ORDO_API ordo_status ordo_pagerank_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                          ordo_u64 *at_most);
/**
 * The same of ordo_betweenness().
 * @param g         the graph
 * @param options   NULL: defaults
 * @param expected  [out] bytes, for ordinary inputs
 * @param at_most   [out] bytes, in the worst case
 * @return as of ordo_run_check()
 */
ORDO_API ordo_status ordo_betweenness_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                             ordo_u64 *at_most);
/**
 * The same of ordo_triangles().
 * @param g         the graph
 * @param options   NULL: defaults
 * @param expected  [out] bytes, for ordinary inputs
 * @param at_most   [out] bytes, in the worst case
 * @return as of ordo_run_check()
 */
ORDO_API ordo_status ordo_triangles_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                           ordo_u64 *at_most);
/**
 * Verifies labels, always by the serial method, O(rounds m log(degree)).
 * @param g       as of ordo_labels()
 * @param rounds  likewise
 * @param label   [n] the answer
 * @param how     not used
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_labels_verify(const ordo_graph *g, ordo_u64 rounds, const ordo_u32 *label,
                                        ordo_verify_how how);
/**
 * The same of ordo_labels().
 * @param g         the graph
 * @param options   NULL: defaults
 * @param expected  [out] bytes, for ordinary inputs
 * @param at_most   [out] bytes, in the worst case
 * @return as of ordo_run_check()
 */
ORDO_API ordo_status ordo_labels_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                        ordo_u64 *at_most);
/**
 * The same of ordo_scc().
 * @param g         the graph
 * @param options   NULL: defaults
 * @param expected  [out] bytes, for ordinary inputs
 * @param at_most   [out] bytes, in the worst case
 * @return as of ordo_run_check()
 */
ORDO_API ordo_status ordo_scc_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                     ordo_u64 *at_most);
/**
 * The same of ordo_mis().
 * @param g         the graph
 * @param options   NULL: defaults
 * @param expected  [out] bytes, for ordinary inputs
 * @param at_most   [out] bytes, in the worst case
 * @return as of ordo_run_check()
 */
ORDO_API ordo_status ordo_mis_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                     ordo_u64 *at_most);
/**
 * The same of ordo_colour().
 * @param g         the graph
 * @param options   NULL: defaults
 * @param expected  [out] bytes, for ordinary inputs
 * @param at_most   [out] bytes, in the worst case
 * @return as of ordo_run_check()
 */
ORDO_API ordo_status ordo_colour_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                        ordo_u64 *at_most);
/**
 * The same of ordo_maxflow().
 * @param g         the graph
 * @param options   NULL: defaults
 * @param expected  [out] bytes, for ordinary inputs
 * @param at_most   [out] bytes, in the worst case
 * @return as of ordo_run_check()
 */
ORDO_API ordo_status ordo_maxflow_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                         ordo_u64 *at_most);

ORDO_END_DECLS

#endif
