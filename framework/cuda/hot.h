/* hot.h -- positions for the vertices with the most out-edges side by side, and rows listed by their number of edges;
 * see ordo_cuda_order_rows in <ordo/scheduler/cuda_host.h>. */
#ifndef ORDO_CUDA_HOT_H
#define ORDO_CUDA_HOT_H

#include <ordo/graph.h>
#include <ordo/scheduler/cuda_host.h>

/* Sets position[n] of hot vertices where at most `most` have a quarter of the edges, and returns their number; else
 * returns 0. Others have ORDO_NO_VERTEX. */
ordo_u32 ordo_hot_positions(const ordo_csr *out, ordo_u32 most, ordo_u32 *position);

/* What ordo_cuda_order has, on the host: row[4 * rows], piece[2 * pieces]. `out` has the numbers. */
typedef struct ordo_order {
    ordo_u32 *row, *piece;
    ordo_u64 rows;
    ordo_cuda_order out;
} ordo_order;
/* Lists rows of at least so many edges. The caller frees row and piece, after an error, too. */
ordo_status ordo_order_rows(const ordo_csr *in, ordo_u64 least, ordo_order *order);
/* Gives positions from `hot` on to the vertices that have none, in the order of the lists, which have all vertices; and
 * writes positions to the lists. */
void ordo_order_positions(ordo_order *order, ordo_u32 hot, ordo_u32 *position);
/* Leaves those of vertices first .. end - 1 in the lists. */
void ordo_order_part(ordo_order *order, ordo_vid first, ordo_vid end);

/* edge[e] = the position of e's tail, for all in-edges. Asynchronous. */
void ordo_renumber_tails(ordo_cuda_rows in, const ordo_u32 *position, ordo_u32 *edge);

#endif
