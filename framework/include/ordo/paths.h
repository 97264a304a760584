/**
 * @file
 * Paths from one source or several: what is asked, what is answered, and the calls of shortest paths, breadth-first
 * search and widest paths that take both.
 *
 * ordo_sssp(), ordo_bfs() and ordo_widest() are short forms of these calls, for one source. A search can end early,
 * once targets or a number of vertices are final, under every scheduler: it is a sequence of runs with growing limits
 * (apps/path_stages.c says why its answer is final). In statistics, counts are sums over these runs.
 *
 * Structs that callers fill begin as all zero, which is the default of every member, and end with reserved words, which
 * must stay zero: what is added later takes their place.
 */
#ifndef ORDO_PATHS_H
#define ORDO_PATHS_H

#include <stdbool.h>

#include <ordo/apps.h>

ORDO_BEGIN_DECLS

/** What is asked. Arrays are the caller's. */
typedef struct ordo_path_query {
    const ordo_vid *sources; /**< [source_count] where paths start, in any order; one that stands there twice counts
                              * once. From several, a vertex has the best path from any of them */
    ordo_u64 source_count;   /**< at least 1 */
    bool limited;            /**< whether `limit` counts. Not for widest paths */
    double limit;            /**< vertices farther than this count as unreached and are not looked for; not negative, in
                              * the unit of the weights; breadth-first search: edges */
    const ordo_vid *targets; /**< [target_count] the search ends once all of these are final. Not for widest paths */
    ordo_u64 target_count;   /**< 0: none */
    ordo_u64 stop_after;     /**< the search ends once so many vertices are final, the sources among them, or all
                              * targets, whichever is first; 0: no number. Not for widest paths */
    ordo_u64 reserved[3];    /**< 0 */
} ordo_path_query;

/** What is answered. Arrays are the caller's, as long as the graph has vertices; NULL: not wanted. */
typedef struct ordo_path_answer {
    void *value;       /**< [out] [n] distances or widths of ordo_sssp_type(g), levels of ORDO_U32; as of ordo_sssp(),
                        * ordo_bfs() and ordo_widest(). Not NULL */
    ordo_vid *pred;    /**< [out] [n] the predecessor on a best path, as of ordo_sssp(); ORDO_NO_VERTEX for sources and
                        * the unreached. Widest paths: must be NULL */
    ordo_vid *nearest; /**< [out] [n] the source that the path comes from; ORDO_NO_VERTEX for the unreached. Of sources
                        * that are as good, distances and levels: the one that predecessors lead to; widths: one from
                        * which an equally wide path has the fewest edges, and of these the smallest */
    ordo_stats *stats; /**< [out] the caller's, see ordo_run() */
    double *within;    /**< [out] one number: vertices farther than this are not known, and stand as unreached; what
                        * is not farther is final. The largest distance of the targets, or that of the last of the
                        * first `stop_after` vertices, whichever is less; INFINITY where neither is reached: then all
                        * is known. Not NULL where the query has targets or a number */
    ordo_u64 reserved[5]; /**< 0 */
} ordo_path_answer;

/**
 * Shortest-path distances, as ordo_sssp(), from one source or several.
 * @param g        weights must not be negative
 * @param query    what is asked
 * @param options  NULL: defaults
 * @param answer   arrays to fill
 * @return as of ordo_sssp(); ORDO_ERR_USAGE for a source or target that is no vertex, with its index
 */
ORDO_API ordo_status ordo_sssp_from(const ordo_graph *g, const ordo_path_query *query, const ordo_options *options,
                                    const ordo_path_answer *answer);
/**
 * Levels, as ordo_bfs(), from one source or several.
 * @param g        any graph
 * @param query    what is asked
 * @param options  NULL: defaults
 * @param answer   arrays to fill
 * @return as of ordo_sssp_from()
 */
ORDO_API ordo_status ordo_bfs_from(const ordo_graph *g, const ordo_path_query *query, const ordo_options *options,
                                   const ordo_path_answer *answer);
/**
 * Widths, as ordo_widest(), from one source or several.
 * @param g        weights are capacities, not negative
 * @param query    what is asked
 * @param options  NULL: defaults
 * @param answer   arrays to fill
 * @return as of ordo_sssp_from()
 */
ORDO_API ordo_status ordo_widest_from(const ordo_graph *g, const ordo_path_query *query, const ordo_options *options,
                                      const ordo_path_answer *answer);

/**
 * Breadth-first search by the calling thread alone, with a queue: levels, and the order in which vertices enter the
 * queue. A vertex that is taken from it appends the heads of its edges, in the order of its row, that were not in it
 * before. apps/path_order.c
 * @param g       any graph
 * @param query   its sources, in this order, and a limit; no targets
 * @param answer  value: [n] levels, u32. pred: [n] the vertex that appended it, or NULL. Else nothing
 * @param order   [out] [n] the vertices that are reached
 * @param count   [out] their number
 * @return ORDO_ERR_USAGE, ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_bfs_order(const ordo_graph *g, const ordo_path_query *query, const ordo_path_answer *answer,
                                    ordo_vid *order, ordo_u64 *count);
/**
 * The order in which Dijkstra's algorithm takes vertices whose distances are known, where its heap gives the one that
 * entered first of several with the same distance: sources in the order of the query, then heads in the order of rows.
 * A vertex enters with its distance once, when the first one is taken that a tight edge leads from: its predecessor.
 * O(n + m), by the calling thread alone. apps/path_order.c
 * @param g       as for ordo_sssp_from()
 * @param query   its sources; no targets
 * @param answer  value: [n] distances, read. pred: [out] [n] or NULL. Else nothing
 * @param order   [in, out] [count] vertices that are reached, by distance; of several with the same distance in any
 *                order, which becomes that of the algorithm. What is not in it counts as unreached
 * @param count   their number
 * @return ORDO_ERR_USAGE where distances and order are not those of the query; ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_sssp_order(const ordo_graph *g, const ordo_path_query *query, const ordo_path_answer *answer,
                                     ordo_vid *order, ordo_u64 count);

/** A cycle of a graph: edge i leads from vertex i to vertex i + 1, the last one back to vertex 0. */
typedef struct ordo_cycle {
    ordo_u64 length;      /**< of vertices and of edges; 0: there is no cycle */
    ordo_vid *vertex;     /**< [length] each once; owned, see ordo_cycle_free() */
    ordo_eid *edge;       /**< [length] indices into the rows of the graph */
    ordo_type type;       /**< of the weights: says which of the next two is set */
    ordo_i64 whole;       /**< ORDO_I32, ORDO_I64: the sum of the weights; the least i64 for a lower one */
    double real;          /**< ORDO_F32, ORDO_F64: the sum, exact but for the last bit; its sign is exact */
    ordo_u64 reserved[4]; /**< set to 0; what is added later takes their place */
} ordo_cycle;

/**
 * Frees what a cycle owns and clears it.
 * @param cycle  may be NULL
 */
ORDO_API void ordo_cycle_free(ordo_cycle *cycle);

/**
 * Shortest paths over weights of either sign, from one source or several; or a cycle of negative weight that a source
 * reaches, in which case there are no shortest paths.
 *
 * Distances are those of ordo_sssp_from(), whatever scheduler finds them. f32: sums are rounded once for each edge, and
 * a cycle counts as negative where rounded sums go down around it; a negative one that rounding hides is not found.
 * Predecessors: without a negative weight as of ordo_sssp(); else the tight parent on a path of the fewest edges, and
 * of these the smallest id.
 *
 * Method: operators/bellman_ford.h (without negative types operators/sssp.h). The run is stopped at growing intervals,
 * to look for a cycle among the edges over which distances came about; that takes a twentieth of the time. In stats,
 * counts are sums over these parts, and the looks are in run_seconds. With several threads, or another scheduler,
 * another cycle may be found.
 * @param g        weights of any type; without weights every edge counts 1
 * @param query    its sources; no limit, no targets, no stop_after
 * @param options  NULL: defaults
 * @param answer   arrays to fill; `within` is not used. Where a cycle is found, all distances are set to unreached and
 *                 all other arrays to ORDO_NO_VERTEX
 * @param cycle    [out] the cycle, or one of length 0; the caller's, to be freed by ordo_cycle_free(). What it held
 * before is not freed. Untouched on error
 * @return as of ordo_sssp_from(), but for negative weights. ORDO_ERR_OVERFLOW also where a distance is too low for the
 *         type: i32 distances are from -2147483647 to 2147483646. ORDO_ERR_INPUT also where rounded sums go down
 * without end around a cycle that is not negative
 */
ORDO_API ordo_status ordo_bellman_ford(const ordo_graph *g, const ordo_path_query *query, const ordo_options *options,
                                       const ordo_path_answer *answer, ordo_cycle *cycle);
/**
 * Predicts the memory of ordo_bellman_ford() beyond graph and answer.
 * @param g         any graph
 * @param options   NULL: defaults
 * @param expected  [out] bytes, for ordinary inputs
 * @param at_most   [out] bytes, see ordo_run_memory()
 * @return as of ordo_run_check()
 */
ORDO_API ordo_status ordo_bellman_ford_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                              ordo_u64 *at_most);
/**
 * Verifies the arrays of an answer of ordo_bellman_ford(), or its cycle: that it is one, that a source reaches it, and
 * its weight.
 * @param g       as then
 * @param query   likewise
 * @param answer  its arrays; those that are not NULL are checked, ties included
 * @param cycle   what was found
 * @param how     ORDO_VERIFY_SERIAL compares with the rounds of Bellman and Ford, O(n m); the certificate, which is
 * also taken by ORDO_VERIFY_AUTO, proves distances in O(n + m)
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_bellman_ford_verify(const ordo_graph *g, const ordo_path_query *query,
                                              const ordo_path_answer *answer, const ordo_cycle *cycle,
                                              ordo_verify_how how);

/**
 * Shortest paths from each of several sources, over weights of either sign; or a cycle of negative weight that one of
 * them reaches.
 *
 * Method: where i32 weights are negative, one search from all sources together, then a run of ordo_sssp_from() for each
 * over weights shifted by its distances (Johnson 1977). Without a negative weight, for f32, whose sums would round
 * otherwise, and where shifted numbers do not fit, ordo_bellman_ford() for each source. Distances are the same either
 * way. In stats, counts are sums over these searches.
 * @param g        weights of any type; without weights every edge counts 1
 * @param query    its sources: row i of the answer is from sources[i]; no limit, no targets, no stop_after
 * @param options  NULL: defaults
 * @param answer   `value` and `pred` have source_count rows of n values; `nearest` must be NULL, `within` is not used.
 * Where a cycle is found, as of ordo_bellman_ford()
 * @param cycle    [out] as of ordo_bellman_ford()
 * @return as of ordo_bellman_ford()
 */
ORDO_API ordo_status ordo_johnson(const ordo_graph *g, const ordo_path_query *query, const ordo_options *options,
                                  const ordo_path_answer *answer, ordo_cycle *cycle);
/**
 * Predicts the memory of ordo_johnson() beyond graph and answer.
 * @param g         any graph
 * @param options   NULL: defaults
 * @param expected  [out] bytes, for ordinary inputs
 * @param at_most   [out] bytes, see ordo_run_memory()
 * @return as of ordo_run_check()
 */
ORDO_API ordo_status ordo_johnson_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                         ordo_u64 *at_most);
/**
 * Verifies the rows of an answer of ordo_johnson(), or its cycle.
 * @param g       as then
 * @param query   likewise
 * @param answer  its arrays; those that are not NULL are checked
 * @param cycle   what was found
 * @param how     as of ordo_bellman_ford_verify()
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_johnson_verify(const ordo_graph *g, const ordo_path_query *query,
                                         const ordo_path_answer *answer, const ordo_cycle *cycle, ordo_verify_how how);

/**
 * Verifies the arrays of an answer of ordo_sssp_from().
 * @param g       as then
 * @param query   likewise
 * @param answer  its arrays; those that are not NULL are checked, ties included, and `within` where the query needs it
 * @param how     the method
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_sssp_from_verify(const ordo_graph *g, const ordo_path_query *query,
                                           const ordo_path_answer *answer, ordo_verify_how how);
/**
 * The same of ordo_bfs_from().
 * @param g       as then
 * @param query   likewise
 * @param answer  its arrays
 * @param how     the method
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_bfs_from_verify(const ordo_graph *g, const ordo_path_query *query,
                                          const ordo_path_answer *answer, ordo_verify_how how);
/**
 * The same of ordo_widest_from().
 * @param g       as then
 * @param query   likewise
 * @param answer  its arrays
 * @param how     the method
 * @return as of ordo_sssp_verify()
 */
ORDO_API ordo_status ordo_widest_from_verify(const ordo_graph *g, const ordo_path_query *query,
                                             const ordo_path_answer *answer, ordo_verify_how how);

ORDO_END_DECLS

#endif
