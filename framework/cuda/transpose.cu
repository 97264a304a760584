/* transpose.cu -- in-rows on the device, made of the out-rows there.
 *
 * Problem. Searches that take a millisecond read in-rows that the host makes in .2 to .4 s for 67 million edges, and
 * then copies. The order within a row must not depend on which thread comes first, since sums of floats and the choice
 * among several predecessors depend on that order.
 *
 * Method. The edges are sorted by head, stably, so that those of a row stay in the order of the out-rows. A value of
 * the sort is what the in-rows have of an edge, the tail or {tail, weight}, so the sorted values are the in-rows.
 * Weights of 8 bytes are an array of their own, which a second sort by the same heads puts into the same order. Where
 * rows begin is found in the sorted heads, for each vertex by bisection, since a thread for each edge would have to
 * fill all offsets of the vertices without in-edges before its own.
 *
 * Memory, for m edges: 16 m bytes, with weights 24 m, of which the in-rows are 4 m and 8 m.
 *
 * Not done: less memory, by parts of the heads; rows of a part of the vertices.
 */
#include "transpose.h"

#include "range.h"
#include "records.h"
#include "sort.h"

static ordo_sort sort_of(const ordo_cuda_rows &out, size_t width)
{
    ordo_sort sort = {};
    sort.count = out.m;
    sort.width = width;
    sort.bits = ordo_sort_bits(out.n);
    return sort;
}

/* Values of one place, which become in-rows: so what is behind the last edge may be read (ORDO_CUDA_EDGES). */
static ordo_u64 place_bytes(const ordo_sort &sort)
{
    return sort.count * sort.width + ORDO_CUDA_EDGES;
}

static ordo_u64 row_bytes(const ordo_cuda_rows &out)
{
    return ((ordo_u64)out.n + 1) * sizeof(ordo_u64);
}

/* What a sort takes besides its arrays. */
static ordo_status room_of(ordo_sort sort, size_t *bytes)
{
    return ordo_cuda_failed(ordo_sort_pairs(&sort, NULL, bytes), "asking for the memory of a sort");
}

ordo_status ordo_cuda_transpose_bytes(ordo_cuda_rows out, ordo_u64 *bytes)
{
    const ordo_sort edges = sort_of(out, out.stride * sizeof(ordo_u32)), wide = sort_of(out, sizeof(ordo_u64));
    size_t room = 0, more = 0;
    ordo_status status = room_of(edges, &room);
    if (!status && out.wide)
        status = room_of(wide, &more);
    const ordo_u64 first = 2 * place_bytes(edges) + room, second = place_bytes(edges) + 2 * place_bytes(wide) + more;
    *bytes = row_bytes(out) + 2 * out.m * sizeof(ordo_u32) + (out.wide && second > first ? second : first);
    return status;
}

static ordo_status take(void **out, ordo_u64 bytes)
{
    const ordo_status status = ordo_cuda_failed(cudaMalloc(out, bytes ? bytes : 1), "taking memory to transpose");
    *out = status ? NULL : *out;
    return status;
}

/* Takes memory for the values of a sort, and has `fill` fill them and the heads; then sorts. *values are the sorted
 * ones; the heads stay. */
typedef void fill_values(const ordo_cuda_rows &out, const ordo_sort &sort);

static ordo_status sort_values(const ordo_cuda_rows &out, fill_values *fill, ordo_sort *sort, void **values)
{
    void *room = NULL;
    size_t bytes = 0;
    ordo_status status = room_of(*sort, &bytes);
    for (int i = 0; i < 2 && !status; i++)
        status = take(&sort->value[i], place_bytes(*sort));
    if (!status)
        status = take(&room, bytes);
    if (!status) {
        fill(out, *sort);
        status = ordo_cuda_failed(cudaGetLastError(), "reversing edges");
    }
    if (!status)
        status = ordo_cuda_failed(ordo_sort_pairs(sort, room, &bytes), "sorting edges");
    if (!status)
        status = ordo_cuda_failed(cudaDeviceSynchronize(), "sorting edges");
    cudaFree(room);
    cudaFree(sort->value[1]);
    if (status)
        cudaFree(sort->value[0]);
    else
        *values = sort->value[0];
    return status;
}

static void fill_edges(const ordo_cuda_rows &out, const ordo_sort &sort)
{
    ordo_fill_reverse(out, sort.key[0], (ordo_u32 *)sort.value[0]);
}

/* The heads again, which the first sort has sorted; the weights as they are. */
static void fill_wide(const ordo_cuda_rows &out, const ordo_sort &sort)
{
    cudaMemcpyAsync(sort.key[0], out.edge, out.m * sizeof(ordo_u32), cudaMemcpyDeviceToDevice, 0);
    cudaMemcpyAsync(sort.value[0], out.wide, out.m * sizeof(ordo_u64), cudaMemcpyDeviceToDevice, 0);
}

ordo_status ordo_cuda_transpose(ordo_cuda_rows out, ordo_cuda_rows *in)
{
    const ordo_range marked("transposing");
    ordo_sort edges = sort_of(out, out.stride * sizeof(ordo_u32)), wide = sort_of(out, sizeof(ordo_u64));
    void *key[2] = {}, *row = NULL, *edge = NULL, *weight = NULL;
    ordo_status status = take(&row, row_bytes(out));
    for (int i = 0; i < 2 && !status; i++) {
        status = take(&key[i], out.m * sizeof(ordo_u32));
        edges.key[i] = wide.key[i] = (ordo_u32 *)key[i];
    }
    if (!status)
        status = sort_values(out, fill_edges, &edges, &edge);
    if (!status) {
        ordo_fill_rows(edges.key[0], out.m, out.n, (ordo_u64 *)row);
        status = ordo_cuda_failed(cudaGetLastError(), "finding rows");
    }
    if (!status && out.wide)
        status = sort_values(out, fill_wide, &wide, &weight);
    if (!status)
        status = ordo_cuda_failed(cudaDeviceSynchronize(), "transposing");
    cudaFree(key[0]);
    cudaFree(key[1]);
    *in = out;
    in->row = (const ordo_u64 *)row;
    in->edge = (const ordo_u32 *)edge;
    in->wide = (const ordo_u64 *)weight;
    if (status) {
        cudaFree(row);
        cudaFree(edge);
        *in = ordo_cuda_rows{};
    }
    return status;
}
