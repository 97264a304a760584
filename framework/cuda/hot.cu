/* hot.cu -- in-edges with the hottest tails renumbered: by a kernel, or by a loop if a C++ compiler builds this for the
 * tests.
 */
#include "hot.h"

#include <string.h>

#include <ordo/memory.h>

#include "each.cuh"

struct renumber_tail {
    ordo_cuda_rows r;
    const ordo_u32 *position;
    ordo_u32 *edge;

    ORDO_EACH_FN void operator()(ordo_u64 e) const
    {
        edge[e] = position[r.edge[e * r.stride]];
    }
};

void ordo_renumber_tails(ordo_cuda_rows in, const ordo_u32 *position, ordo_u32 *edge)
{
    ordo_each_index(in.m, renumber_tail{in, position, edge});
}

/* The least degree such that at most `most` vertices have as many or more. */
static ordo_u64 threshold(const ordo_csr *out, ordo_u64 most)
{
    ordo_u64 low = 1, high = out->m + 1; /* of `high` there are few enough */
    while (low < high) {
        const ordo_u64 middle = low + (high - low) / 2;
        ordo_u64 count = 0;
        for (ordo_u64 v = 0; v < out->n && count <= most; v++)
            count += out->row[v + 1] - out->row[v] >= middle;
        if (count <= most)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

ordo_u32 ordo_hot_positions(const ordo_csr *out, ordo_u32 most, ordo_u32 *position)
{
    const ordo_u64 least = threshold(out, most);
    ordo_u64 edges = 0;
    ordo_u32 count = 0;
    for (ordo_u64 v = 0; v < out->n; v++) {
        const ordo_u64 degree = out->row[v + 1] - out->row[v];
        const bool hot = degree >= least;
        position[v] = hot ? count++ : ORDO_NO_VERTEX;
        edges += hot ? degree : 0;
    }
    return edges < out->m / 4 ? 0 : count;
}

/* ---- rows by their number of edges ---- */

static ordo_u64 degree_of(const ordo_csr *g, ordo_u64 v)
{
    return g->row[v + 1] - g->row[v];
}

static ordo_u64 pieces_of(ordo_u64 degree)
{
    return (degree + ORDO_CUDA_PIECE - 1) / ORDO_CUDA_PIECE;
}

static void fill_row(const ordo_csr *in, ordo_u64 v, ordo_u32 row[4])
{
    row[0] = row[1] = (ordo_u32)v;
    row[2] = (ordo_u32)in->row[v];
    row[3] = (ordo_u32)(in->row[v] >> 32) << ORDO_CUDA_COUNT_BITS | (ordo_u32)degree_of(in, v);
}

/* Writes the lists. `at`: where rows of each number of edges begin. */
static void fill_order(const ordo_csr *in, ordo_u64 least, ordo_u64 *at, ordo_order *order)
{
    ordo_u32 *piece = order->piece;
    for (ordo_u64 v = 0; v < in->n; v++) {
        const ordo_u64 degree = degree_of(in, v);
        if (degree > ORDO_CUDA_PIECE)
            for (ordo_u64 i = 0; i < pieces_of(degree); i++, piece += 2) {
                piece[0] = (ordo_u32)v;
                piece[1] = (ordo_u32)i;
            }
        else if (degree >= least)
            fill_row(in, v, order->row + 4 * at[degree]++);
    }
}

ordo_status ordo_order_rows(const ordo_csr *in, ordo_u64 least, ordo_order *order)
{
    static const ordo_u64 bound[ORDO_CUDA_CLASSES] = {ORDO_CUDA_SHORT, 24, 6, (ordo_u64)-1};
    ordo_u64 count[ORDO_CUDA_PIECE + 1] = {0}, pieces = 0;
    *order = ordo_order{};
    for (ordo_u64 v = 0; v < in->n; v++) {
        const ordo_u64 degree = degree_of(in, v);
        if (degree > ORDO_CUDA_PIECE)
            pieces += pieces_of(degree);
        else
            count[degree] += degree >= least;
    }
    for (ordo_u64 d = ORDO_CUDA_PIECE + 1, i = 0; d-- > 0;) { /* most edges first */
        const ordo_u64 rows = count[d];
        count[d] = order->rows;
        order->rows += rows;
        while (i < ORDO_CUDA_CLASSES - 1 && d <= bound[i])
            order->out.end[i++] = (ordo_u32)count[d];
    }
    order->out.end[ORDO_CUDA_CLASSES - 1] = (ordo_u32)order->rows;
    order->out.pieces = (ordo_u32)pieces;
    order->out.all = least == 0;
    order->row = (ordo_u32 *)ordo_alloc(4 * order->rows, sizeof *order->row);
    order->piece = (ordo_u32 *)ordo_alloc(2 * pieces, sizeof *order->piece);
    if (!order->row || !order->piece)
        return ORDO_ERR_MEMORY;
    fill_order(in, least, count, order);
    return ORDO_OK;
}

void ordo_order_positions(ordo_order *order, ordo_u32 hot, ordo_u32 *position)
{
    for (ordo_u64 i = 0; i < order->out.pieces; i++) {
        ordo_u32 *const at = &position[order->piece[2 * i]];
        *at = *at == ORDO_NO_VERTEX ? hot++ : *at;
    }
    for (ordo_u64 i = 0; i < order->rows; i++) {
        ordo_u32 *const at = &position[order->row[4 * i]];
        order->row[4 * i + 1] = *at = *at == ORDO_NO_VERTEX ? hot++ : *at;
    }
}

void ordo_order_part(ordo_order *order, ordo_vid first, ordo_vid end)
{
    ordo_u32 kept = 0, pieces = 0;
    for (ordo_u32 i = 0; i < order->out.pieces; i++)
        if (order->piece[2 * i] - first < end - first) {
            order->piece[2 * pieces] = order->piece[2 * i];
            order->piece[2 * pieces++ + 1] = order->piece[2 * i + 1];
        }
    order->out.pieces = pieces;
    ordo_u64 i = 0;
    for (int c = 0; c < ORDO_CUDA_CLASSES; c++) {
        for (; i < order->out.end[c]; i++)
            if (order->row[4 * i] - first < end - first)
                memmove(order->row + 4 * (ordo_u64)kept++, order->row + 4 * i, 4 * sizeof *order->row);
        order->out.end[c] = kept;
    }
    order->rows = kept;
}
