/* network.h -- a flow network as push-relabel works on it: residual edges in pairs, heights, excesses.
 *
 * All edges between two vertices, in either direction, are one pair of residual edges, so that rows are short; the flow
 * on each edge is derived from the net flow at the end. A residual is the capacity, less the flow, plus the reverse
 * flow; the two residuals of a pair have a constant sum. Edges of infinite capacity get the capacity `infinite`, which
 * is one more than the capacity of some finite cut: no flow needs it, and no minimum cut contains it.
 */
#ifndef ORDO_NETWORK_H
#define ORDO_NETWORK_H

#include <stdbool.h>

#include <ordo/apps.h>
#include <ordo/scheduler/scheduler.h>

#include "operators/discharge.h"

ORDO_BEGIN_DECLS

/* Edges of a row, at most, that are put in random order: only short rows, in which an edge is found quickly anyway. */
enum { ORDO_NETWORK_MIXED = 16 };

typedef struct ordo_network {
    const ordo_csr *g;
    const ordo_csr *rows; /* the same edges in sorted rows: g itself, or the rows of `sorted` */
    ordo_graph *sorted;   /* NULL; or a copy of g whose weights are indices of edges of g */
    ordo_vid n, source, sink;
    ordo_vid fixed;    /* never active, and at height n but in searches from it: the source, or ORDO_NO_VERTEX */
    ordo_u64 declared; /* the weight that means infinite in the graph; 0: none */
    ordo_u64 infinite; /* the capacity of such edges here */

    ordo_u32 *row;        /* [n + 1] */
    ordo_u32 *out;        /* [n] end of the edges with capacity in each row */
    discharge_edge *edge; /* [row[n]] in each row those with capacity, then those without; see mix_row() */
    ordo_u32 *height;     /* [n] */
    ordo_u32 *current;    /* [n] */
    ordo_u64 *excess;     /* [n] */
    ordo_u32 *queue;      /* [n] for searches */
    bool *pushed;         /* [n] false: the vertex has not pushed, so that no edge out of it has a flow */

    ordo_u64 global_relabels; /* for the statistics */
} ordo_network;

/* Makes a network: ordo_network_begin(), then ordo_network_fill(). Errors: ORDO_ERR_INPUT for capacities that are not
 * whole numbers, for 2^31 edges or more, and for a graph said to be symmetric that is not; ORDO_ERR_NEGATIVE_WEIGHT for
 * a negative capacity; ORDO_ERR_USAGE unless source and sink are two vertices of the graph, and `declared` is below
 * 2^32, with capacities i64 below 2^63; ORDO_ERR_OVERFLOW if a path of infinite capacity leads from source to sink, or
 * sums of capacities are too large. */
ordo_status ordo_network_make(const ordo_graph *graph, ordo_vid source, ordo_vid sink, ordo_u64 declared, int threads,
                              ordo_network *out);
/* The checks, the memory and what is known of the whole; rows and edges are missing. Errors as above, but for symmetry.
 */
ordo_status ordo_network_begin(const ordo_graph *graph, ordo_vid source, ordo_vid sink, ordo_u64 declared,
                               ordo_network *out);
/* Rows and edges. Errors: ORDO_ERR_INPUT; ORDO_ERR_MEMORY. */
ordo_status ordo_network_fill(ordo_network *net, const ordo_graph *graph, int threads);
void ordo_network_free(ordo_network *net);
ordo_u64 ordo_network_memory(ordo_u64 n, ordo_u64 m);

/* The first preflow: all edges out of the source are saturated. If far less can enter the sink than can leave the
 * source, and ordo_preflow() is to follow (`native`), the source instead gets as much excess as can enter the sink, and
 * is a vertex like others until ordo_network_return(). Otherwise most of the work is to bring excess back that no cut
 * lets through. */
void ordo_network_start(ordo_network *net, bool native);
/* Begins the second phase, in which excess returns to the source. */
void ordo_network_return(ordo_network *net);
/* Computes the flow on every edge of the graph, by index. */
ordo_status ordo_network_flow(const ordo_network *net, int threads, ordo_u64 *flow);
/* With heights that are distances to the sink, n where it cannot be reached: writes 1 for the vertices that cannot
 * reach it, the source side, and 0 for the others. *size is the number of the former; *capacity is the sum of
 * capacities of the edges that leave the source side. */
ordo_status ordo_network_cut(const ordo_network *net, int threads, ordo_u8 *side, ordo_u64 *size, ordo_u64 *capacity);

/* The state of maxflow.cu: a network after ordo_network_begin(). The program has the GPU fill it, or where that cannot
 * calls `fill`, and saturates edges as ordo_network_start() does. Afterwards rows, edges
 * and excesses are those of the end, and heights those of the end of the first phase. */
typedef struct ordo_flow_state {
    ordo_network *net;
    const ordo_graph *graph;
    bool cut_only; /* the first phase alone */
    bool edges;    /* rows and edges are read afterwards */
    /* ordo_network_fill() and ordo_network_start() */
    ordo_status (*fill)(ordo_network *net, const ordo_graph *graph, int threads);
} ordo_flow_state;

/* Push-relabel by the job's team (push_relabel.c), until no vertex that can reach `to` has excess. If `to` is the sink,
 * heights are exact distances at the end. Member 0 calls `stop` every few thousand discharges, and with `relabeled`
 * after every global relabel that finds active vertices; `active` is their number at the last global relabel. If `stop`
 * returns true, sets *stopped and ends early. */
typedef bool ordo_stop_fn(void *arg, ordo_u64 active, bool relabeled);
ordo_status ordo_preflow(ordo_network *net, ordo_vid to, ordo_job *job, ordo_stop_fn *stop, void *arg, bool *stopped);
/* Bytes that it takes beside the network, about. */
ordo_u64 ordo_preflow_memory(ordo_u64 n, int threads);

ORDO_END_DECLS

#endif
