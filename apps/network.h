/* network.h -- a flow network as push-relabel works on it: residual edges in pairs, heights, excesses.
 *
 * All edges between two vertices, of either direction, are one pair of residual edges, so that rows are short; what
 * flows on each of them comes back from the net flow at the end. A residual is a capacity less what flows, more what
 * flows back; the two of a pair always add up to the same. Edges of infinite capacity have `infinite`, which is one
 * more than some finite cut lets through: no flow needs it, no minimum cut holds it.
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
    ordo_u64 declared; /* what stands for infinite in the graph; 0: nothing */
    ordo_u64 infinite; /* the capacity of such edges here */

    ordo_u32 *row;        /* [n + 1] */
    ordo_u32 *out;        /* [n] where a row's edges that have capacity end */
    discharge_edge *edge; /* [row[n]] with capacity, then those without; see mix_rows for the order */
    ordo_u32 *height;     /* [n] */
    ordo_u32 *current;    /* [n] */
    ordo_u64 *excess;     /* [n] */
    ordo_u32 *queue;      /* [n] for searches; then a list of active vertices */

    /* counters, for the statistics */
    ordo_u64 pushes, relabels, edges_looked_at, discharges, global_relabels;
} ordo_network;

/* Capacities of whole numbers that are not negative, terminals that are two vertices, no infinite path: or
 * ORDO_ERR_INPUT, ORDO_ERR_USAGE, ORDO_ERR_OVERFLOW. */
ordo_status ordo_network_make(const ordo_graph *graph, ordo_vid source, ordo_vid sink, ordo_u64 declared, int threads,
                              ordo_network *out);
void ordo_network_free(ordo_network *net);
ordo_u64 ordo_network_memory(ordo_u64 n, ordo_u64 m);

/* Sends as much out of the source as its edges hold. */
void ordo_network_start(ordo_network *net);
/* Exact distances to `to` over residual edges; n where there is no path. To the source only as far as there is excess,
 * which is always connected to it: what is farther, or cut off, has one more. Current edges begin at the rows' begin.
 * Returns the number of vertices with excess, other than source and sink, that are nearer than n: they are the first
 * in queue[]. */
ordo_u64 ordo_network_relabel(ordo_network *net, ordo_vid to);
/* What flows on every edge of the graph, by its index. */
ordo_status ordo_network_flow(const ordo_network *net, int threads, ordo_u64 *flow);
/* After ordo_network_relabel(net, sink): 1 for vertices of the source side. Returns how many; *capacity is that of the
 * edges which leave it. */
ordo_u64 ordo_network_cut(const ordo_network *net, ordo_u8 *side, ordo_u64 *capacity);

/* What maxflow.cu is given: a network that has been started. It changes residuals and excesses; heights are those at
 * the end of the first phase. Where it hands over, that or the second phase is not done. */
typedef struct ordo_flow_state {
    ordo_network *net;
    bool cut_only; /* the first phase alone */
    ordo_u64 hand_over;
} ordo_flow_state;

/* Push-relabel by one thread, until no vertex that can reach `to` has excess (preflow.c); heights are then distances
 * where *exact. Asks `stop` now and then, and after every global relabel, with the number of active vertices then;
 * *stopped where that said so. */
typedef bool ordo_stop_fn(void *arg, ordo_u64 active, bool relabeled);
ordo_status ordo_preflow(ordo_network *net, ordo_vid to, ordo_stop_fn *stop, void *arg, bool *exact, bool *stopped);

#endif
