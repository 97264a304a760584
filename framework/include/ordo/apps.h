/* apps.h -- the apps: shortest paths, breadth-first search, connected components, minimum spanning forests, maximum
 * flow, widest paths, core numbers, PageRank.
 *
 * Each is a short sequence of runs with one call for C programs. Results are arrays of the caller's, mostly one element
 * a vertex, the same under every scheduler, sync, number of threads and back end (ranks within their error). All calls
 * are thread-safe on distinct outputs. `options` NULL means defaults; `stats` NULL means not wanted; otherwise see
 * <ordo/run.h>.
 *
 * Errors common to all: those of ordo_run; ORDO_ERR_USAGE for a source that is no vertex. Refused input leaves outputs
 * untouched; after ORDO_ERR_MEMORY, ORDO_ERR_DEVICE, ORDO_ERR_OVERFLOW, ORDO_ERR_CANCELLED or ORDO_ERR_TIMEOUT they
 * are unspecified.
 */
#ifndef ORDO_APPS_H
#define ORDO_APPS_H

#include <ordo/graph.h>
#include <ordo/run.h>

ORDO_BEGIN_DECLS

/* What a distance or level is where there is no path. f32: infinity. */
#define ORDO_UNREACHED_U32 0xffffffffu
#define ORDO_UNREACHED_I32 0x7fffffff

/* The type of distances on a graph: that of its weights; u32 where it is unweighted (every edge counts 1). */
ORDO_API ordo_type ordo_sssp_type(const ordo_graph *g);

/* Shortest-path distances from one source.
 *
 * g       weights not negative: a negative one gives ORDO_ERR_NEGATIVE_WEIGHT and names its edge; NaN is bad input.
 * source  0 <= source < n.
 * limit   vertices farther than this count as unreached and are not looked for; INFINITY for none. In the unit of the
 *         weights; not NaN.
 * dist    [n] of ordo_sssp_type(g): ORDO_UNREACHED_U32, ORDO_UNREACHED_I32 or infinity where there is no path.
 * pred    [n] or NULL: on a shortest path, the vertex before; ORDO_NO_VERTEX for the source and the unreached.
 *         Deterministic: the smallest id among the tight parents (u with dist u + w = dist v) that are nearer than v;
 * of parents as near as v (edges of weight 0, or lost in rounding) only those fewer such edges away from a nearer one
 * count, so that predecessors are always a tree. Errors: ORDO_ERR_OVERFLOW where a vertex can be reached but its
 * distance does not fit the type. f32: sums are rounded once an edge, in path order from the source. Distances are the
 * least such sums: the same whatever the schedule, since rounding is monotone. */
ORDO_API ordo_status ordo_sssp(const ordo_graph *g, ordo_vid source, double limit, const ordo_options *options,
                               void *dist, ordo_vid *pred, ordo_stats *stats);

/* Levels from one source: the least number of edges; weights are not looked at. Deterministic as ordo_sssp.
 * level  [n], ORDO_UNREACHED_U32 where there is no path or it is longer than `limit` edges. */
ORDO_API ordo_status ordo_bfs(const ordo_graph *g, ordo_vid source, double limit, const ordo_options *options,
                              ordo_u32 *level, ordo_vid *pred, ordo_stats *stats);

/* Connected components; of a directed graph the weak ones (a symmetrised copy is made first).
 * component  [n], the smallest vertex id of the vertex's component.
 * Method: two edges a vertex linked in a forest first (Sutton, Ben-Nun and Barak, IPDPS 2018), then labels propagated
 * under the scheduler; both are in run_seconds. */
ORDO_API ordo_status ordo_cc(const ordo_graph *g, const ordo_options *options, ordo_u32 *component, ordo_stats *stats);

/* A forest's numbers. */
typedef struct ordo_forest {
    ordo_u64 trees; /* components, a vertex without edges among them */
    ordo_u64 edges; /* n - trees */
    ordo_type type; /* of the graph's weights, which says which member holds their sum; ORDO_U32 where it has none */
    union {
        ordo_u64 u32; /* fewer than 2^32 weights below 2^32: always fits */
        int64_t i32;  /* likewise */
        double f32;   /* added in double, in ascending order of ids */
    } weight;
} ordo_forest;

/* A minimum spanning forest; directions are not looked at, loops count for nothing, of parallel edges the lightest may
 * be taken. Ties fall to the smaller id, so the forest is unique.
 *
 * The id of an edge is its index in the rows of `g` as given. In a symmetric graph an edge is stored twice and is one
 * edge: its id is the smaller of the two, that of the direction out of the smaller end. In a directed graph every
 * stored edge is an edge of its own, u -> v and v -> u being parallel.
 *
 * g       weights of any type, also negative; without weights every edge weighs 1. f32: NaN and infinities are
 *         ORDO_ERR_INPUT. Fewer than 2^32 stored edges, else ORDO_ERR_INPUT: ids share a 64-bit cell with weights.
 *         A graph said to be symmetric whose directions differ in weight is ORDO_ERR_INPUT where that is met.
 * edge    [n] of the caller's: the ids of the forest's edges, ascending, in the first forest->edges.
 * forest  of the caller's; holds nothing to be freed.
 * Method: Boruvka 1926. A round is a run of operators/mst.h, then components join along the edges found, chains of
 * joins are cut short, and edges within components are left out of the next round; all of it is in run_seconds. With
 * more than 4 edges a vertex the lightest ones, about n by a sample, go first, so that most others never enter a round
 * (Osipov, Sanders and Singler, ALENEX 2009). On a GPU, under bsp, one run does it all. No scheduler changes the
 * result. In stats, counts are sums over the rounds, and `supersteps` counts those of all rounds. */
ORDO_API ordo_status ordo_mst(const ordo_graph *g, const ordo_options *options, ordo_eid *edge, ordo_forest *forest,
                              ordo_stats *stats);

/* Widest paths from one source: for every vertex the largest width such that some path from the source has no edge
 * below it.
 *
 * g       weights are capacities, not negative, as for ordo_sssp; without weights every edge fits 1.
 * width   [n] of ordo_sssp_type(g): 0 where nothing gets to, over no path or only over edges of 0; at the source the
 *         type's largest value, ORDO_UNREACHED_U32, ORDO_UNREACHED_I32 or infinity. */
ORDO_API ordo_status ordo_widest(const ordo_graph *g, ordo_vid source, const ordo_options *options, void *width,
                                 ordo_stats *stats);

/* Core numbers, or one k-core. The k-core is the largest set of vertices that each have k neighbours in it; a vertex's
 * core number is the largest k whose core it is in. Directions, loops and parallel edges do not matter: a neighbour
 * counts once. Where there are such, a copy without is made first, in prepare_seconds.
 *
 * g     fewer than 2^31 neighbours a vertex, else ORDO_ERR_INPUT.
 * k     0: core numbers; else whether a vertex is in the k-core, k < 2^31.
 * core  [n] the core number; with k, 1 or 0.
 * Method: a run of operators/kcore.h for every core number that some vertex has, in ascending order; with k a single
 * one. In stats, counts are sums over the runs. */
ORDO_API ordo_status ordo_kcore(const ordo_graph *g, ordo_u32 k, const ordo_options *options, ordo_u32 *core,
                                ordo_stats *stats);

/* What is known of ranks. */
typedef struct ordo_ranks {
    double error;      /* at most: the sum of what ranks are off, over all vertices (L1) */
    double residual;   /* the sum of what was left to push */
    ordo_u64 dangling; /* vertices without an edge out */
} ordo_ranks;

/* PageRank: how often a walker is at a vertex who follows a random edge out with chance `damping`, and else jumps to a
 * random vertex; always where there is no edge out. Ranks add up to 1. Weights are not looked at, parallel edges count
 * each.
 *
 * damping    0 to 1 - 2^-20.
 * tolerance  n / 2^62 to 1: the run ends when every residual is below this share of the mean rank, tolerance / n.
 * rank       [n] not the same under every scheduler: two answers differ by their two errors at most.
 * ranks      of the caller's; holds nothing to be freed.
 * Method: operators/pagerank.h, residuals in whole numbers of 2^-62; see apps/pagerank.c for the error. */
ORDO_API ordo_status ordo_pagerank(const ordo_graph *g, double damping, double tolerance, const ordo_options *options,
                                   double *rank, ordo_ranks *ranks, ordo_stats *stats);

/* How a maximum flow is wanted. All zero is the default. */
typedef struct ordo_flow_options {
    ordo_u64 infinite;  /* edges of this capacity have no bound; below 2^32; 0: none has */
    bool cut_only;      /* the minimum cut is enough: what flows is left as a preflow (see below) */
    ordo_u64 hand_over; /* where a scheduler is named, or on a GPU: with fewer active vertices than this the rest is
                         * done by one thread without one; 0: never */
} ordo_flow_options;

/* A flow's numbers. */
typedef struct ordo_flow {
    ordo_u64 value;        /* what reaches the sink */
    ordo_u64 cut_capacity; /* of the edges from the source side to the sink side: the same number */
    ordo_u64 source_side;  /* vertices */
} ordo_flow;

/* A maximum flow from source to sink, and the minimum cut whose sink side is smallest: the vertices that can still
 * reach the sink. Value and cut are unique; what flows on each edge is not, and may differ from run to run with two
 * threads or more.
 *
 * g       weights are capacities: u32, or i32 that are not negative (ORDO_ERR_NEGATIVE_WEIGHT); without weights every
 *         edge has capacity 1. f32 is ORDO_ERR_INPUT. Loops carry nothing. Fewer than 2^31 stored edges.
 * source, sink  ORDO_NO_VERTEX: the one that the graph names (ordo_graph_vertex_data).
 * how     NULL: the default. ORDO_ERR_OVERFLOW where a path of infinite edges leads from source to sink.
 * flow    [m] or NULL: what flows on each stored edge, at most its capacity; into a vertex as much as out of it. With
 *         cut_only a preflow: into a vertex may flow more than out of it, and what the sink gets is the value.
 * side    [n]: 1 on the source side, 0 on the sink side.
 * options Where no scheduler (or "auto"), sync or setting is named, one thread does all of it without a scheduler,
 * which is the fastest on what was measured; stats then say scheduler "serial", sync "none". Otherwise everything runs
 * under that scheduler: runs of operators/discharge.h between global relabels, which are runs of operators/relabel.h.
 * On a GPU: a program of its own (apps/maxflow.cuh), said to be "bsp"; supersteps are its pulses. Where another
 * scheduler or sync is named, runs of discharge.h there, between global relabels on the CPU.
 * Method: push-relabel (Goldberg and Tarjan 1988) with global relabels by work done and gaps found by counting vertices
 * at each height (Cherkassky and Goldberg 1997); the second phase is the same with the source for a sink. In stats,
 * making the residual network is in prepare_seconds, and counts are sums over all runs; of "serial": items are
 * discharges, edges are pushes and relabels, supersteps are global relabels. */
ORDO_API ordo_status ordo_maxflow(const ordo_graph *g, ordo_vid source, ordo_vid sink, const ordo_flow_options *how,
                                  const ordo_options *options, ordo_u64 *flow, ordo_u8 *side, ordo_flow *result,
                                  ordo_stats *stats);

/* The vertices of a shortest path to `target`, source first, by following pred. Writes at most `room` of them; returns
 * their number, 0 where target is unreached. */
ORDO_API ordo_u64 ordo_path(const ordo_vid *pred, ordo_u64 n, ordo_vid source, ordo_vid target, ordo_vid *path,
                            ordo_u64 room);

/* ---- verification: shares no code with schedulers ---- */

typedef enum ordo_verify_how {
    ORDO_VERIFY_AUTO = 0, /* serial where n + m is at most 2^26, the certificate beyond */
    ORDO_VERIFY_SERIAL, /* compares with Dijkstra's algorithm, a queue, union-find, Kruskal's or Dinitz' algorithm, that
                         * of Batagelj and Zaversnik, or power iteration */
    ORDO_VERIFY_CERTIFICATE, /* O(n + m): no edge is violated, everything reached has a tight path from the source.
                              * mst, O(m log n): no cycle, all is spanned, no edge could replace one of the forest.
                              * maxflow: capacities and conservation hold and a cut is saturated, which proves it;
                              * so AUTO is this one, whatever the size */
    ORDO_VERIFY_BOTH
} ordo_verify_how;

/* ORDO_OK, or ORDO_ERR_VERIFY with the first vertex at fault, its value and the right one. ORDO_ERR_MEMORY. pred may be
 * NULL; otherwise it is checked too, the tie-break included. */
ORDO_API ordo_status ordo_sssp_verify(const ordo_graph *g, ordo_vid source, double limit, const void *dist,
                                      const ordo_vid *pred, ordo_verify_how how);
ORDO_API ordo_status ordo_bfs_verify(const ordo_graph *g, ordo_vid source, double limit, const ordo_u32 *level,
                                     const ordo_vid *pred, ordo_verify_how how);
ORDO_API ordo_status ordo_cc_verify(const ordo_graph *g, const ordo_u32 *component, ordo_verify_how how);
ORDO_API ordo_status ordo_widest_verify(const ordo_graph *g, ordo_vid source, const void *width, ordo_verify_how how);
/* Always serial: O(n + m). */
ORDO_API ordo_status ordo_kcore_verify(const ordo_graph *g, ordo_u32 k, const ordo_u32 *core, ordo_verify_how how);
/* error: what the ranks claim. The certificate is weaker: it accepts (1 + damping) / (1 - damping) times that. */
ORDO_API ordo_status ordo_pagerank_verify(const ordo_graph *g, double damping, const double *rank, double error,
                                          ordo_verify_how how);
/* edge: [forest->edges]. Checks ids (tie-break and order included), numbers and sum. */
ORDO_API ordo_status ordo_mst_verify(const ordo_graph *g, const ordo_eid *edge, const ordo_forest *forest,
                                     ordo_verify_how how);
/* flow: [m], side: [n], as ordo_maxflow gave them for the same `how`. */
ORDO_API ordo_status ordo_maxflow_verify(const ordo_graph *g, ordo_vid source, ordo_vid sink,
                                         const ordo_flow_options *how, const ordo_u64 *flow, const ordo_u8 *side,
                                         const ordo_flow *result, ordo_verify_how verify);

/* ---- memory ---- */

/* Bytes that the app will allocate beyond the graph and the caller's arrays; see ordo_run_memory. */
ORDO_API ordo_status ordo_sssp_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                      ordo_u64 *at_most);
ORDO_API ordo_status ordo_bfs_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                     ordo_u64 *at_most);
ORDO_API ordo_status ordo_cc_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                    ordo_u64 *at_most);
ORDO_API ordo_status ordo_mst_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                     ordo_u64 *at_most);
ORDO_API ordo_status ordo_widest_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                        ordo_u64 *at_most);
ORDO_API ordo_status ordo_kcore_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                       ordo_u64 *at_most);
ORDO_API ordo_status ordo_pagerank_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                          ordo_u64 *at_most);
ORDO_API ordo_status ordo_maxflow_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                         ordo_u64 *at_most);

ORDO_END_DECLS

#endif
