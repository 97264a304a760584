/* apps.h -- the apps: shortest paths, breadth-first search, connected components.
 *
 * Each is a short sequence of runs with one call for C programs. Results are arrays of the caller's, one element a
 * vertex, the same under every scheduler, sync, number of threads and back end. All calls are thread-safe on distinct
 * outputs. `options` NULL means defaults; `stats` NULL means not wanted; otherwise see <ordo/run.h>.
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

/* The vertices of a shortest path to `target`, source first, by following pred. Writes at most `room` of them; returns
 * their number, 0 where target is unreached. */
ORDO_API ordo_u64 ordo_path(const ordo_vid *pred, ordo_u64 n, ordo_vid source, ordo_vid target, ordo_vid *path,
                            ordo_u64 room);

/* ---- verification: shares no code with schedulers ---- */

typedef enum ordo_verify_how {
    ORDO_VERIFY_AUTO = 0,    /* serial where n + m is at most 2^26, the certificate beyond */
    ORDO_VERIFY_SERIAL,      /* compares with Dijkstra's algorithm, a queue, or union-find */
    ORDO_VERIFY_CERTIFICATE, /* O(n + m): no edge is violated, everything reached has a tight path from the source */
    ORDO_VERIFY_BOTH
} ordo_verify_how;

/* ORDO_OK, or ORDO_ERR_VERIFY with the first vertex at fault, its value and the right one. ORDO_ERR_MEMORY. pred may be
 * NULL; otherwise it is checked too, the tie-break included. */
ORDO_API ordo_status ordo_sssp_verify(const ordo_graph *g, ordo_vid source, double limit, const void *dist,
                                      const ordo_vid *pred, ordo_verify_how how);
ORDO_API ordo_status ordo_bfs_verify(const ordo_graph *g, ordo_vid source, double limit, const ordo_u32 *level,
                                     const ordo_vid *pred, ordo_verify_how how);
ORDO_API ordo_status ordo_cc_verify(const ordo_graph *g, const ordo_u32 *component, ordo_verify_how how);

/* ---- memory ---- */

/* Bytes that the app will allocate beyond the graph and the caller's arrays; see ordo_run_memory. */
ORDO_API ordo_status ordo_sssp_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                      ordo_u64 *at_most);
ORDO_API ordo_status ordo_bfs_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                     ordo_u64 *at_most);
ORDO_API ordo_status ordo_cc_memory(const ordo_graph *g, const ordo_options *options, ordo_u64 *expected,
                                    ordo_u64 *at_most);

ORDO_END_DECLS

#endif
