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

#include "operators/discharge.h"

typedef struct ordo_network {
    const ordo_csr *g;
    const ordo_csr *rows; /* the same, sorted: g itself, or out of the next */
    ordo_graph *sorted;   /* NULL; or a copy of g whose weights are indices of edges of g */
    ordo_vid n, source, sink;
    ordo_u64 declared; /* the weight that means infinite in the graph; 0: none */
    ordo_u64 infinite; /* the capacity of such edges here */

    ordo_u32 *row;        /* [n + 1] */
    ordo_u32 *out;        /* [n] end of the edges with capacity in each row */
    discharge_edge *edge; /* [row[n]] with capacity, then those without; see mix_rows for the order */
    ordo_u32 *height;     /* [n] */
    ordo_u32 *current;    /* [n] */
    ordo_u64 *excess;     /* [n] */
    ordo_u32 *queue;      /* [n] for searches; then a list of active vertices */

    /* counters, for the statistics */
    ordo_u64 pushes, relabels, edges_looked_at, discharges, global_relabels;
} ordo_network;

/* Makes a network. Errors: ORDO_ERR_INPUT and ORDO_ERR_NEGATIVE_WEIGHT for capacities that are not whole numbers or
 * negative, ORDO_ERR_USAGE for terminals that are not two vertices, ORDO_ERR_OVERFLOW for an infinite path. */
ordo_status ordo_network_make(const ordo_graph *graph, ordo_vid source, ordo_vid sink, ordo_u64 declared, int threads,
                              ordo_network *out);
void ordo_network_free(ordo_network *net);
ordo_u64 ordo_network_memory(ordo_u64 n, ordo_u64 m);

/* Saturates all edges out of the source. */
void ordo_network_start(ordo_network *net);
/* Global relabel: sets heights to the exact distances to `to` over residual edges; n where there is no path. A search
 * from the source ends when it has reached all vertices with excess, which are always connected to it; vertices that
 * are farther, or not connected, get one more than the last distance. Resets current edges to the beginning of rows.
 * Returns the number of vertices with excess, other than source and sink, whose distance is below n: they are the first
 * in queue[]. */
ordo_u64 ordo_network_relabel(ordo_network *net, ordo_vid to);
/* Computes the flow on every edge of the graph, by index. */
ordo_status ordo_network_flow(const ordo_network *net, int threads, ordo_u64 *flow);
/* After ordo_network_relabel(net, sink): writes 1 for vertices of the source side. Returns their number; *capacity is
 * the sum of capacities of the edges that leave it. */
ordo_u64 ordo_network_cut(const ordo_network *net, ordo_u8 *side, ordo_u64 *capacity);

/* What maxflow.cu is given: a network that has been started. It changes residuals and excesses; heights are those at
 * the end of the first phase. */
typedef struct ordo_flow_state {
    ordo_network *net;
    bool cut_only; /* the first phase alone */
} ordo_flow_state;

/* Push-relabel by one thread, until no vertex that can reach `to` has excess (push_relabel_serial.c). *exact: heights
 * are then distances. Calls `stop` regularly, and after every global relabel with the number of active vertices;
 * *stopped is set where it returned true. */
typedef bool ordo_stop_fn(void *arg, ordo_u64 active, bool relabeled);
ordo_status ordo_preflow(ordo_network *net, ordo_vid to, ordo_stop_fn *stop, void *arg, bool *exact, bool *stopped);

#endif
