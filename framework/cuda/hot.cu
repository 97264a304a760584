/* hot.cu -- in-edges with the hottest tails renumbered: by a kernel, or by a loop if a C++ compiler builds this for the
 * tests.
 */
#include "hot.h"

#ifdef __CUDACC__
static __global__ void renumber(const ordo_cuda_rows r, const ordo_u32 *position, ordo_u32 *edge)
{
    for (ordo_u64 e = (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x; e < r.m; e += (ordo_u64)gridDim.x * blockDim.x)
        edge[e] = position[r.edge[e * r.stride]];
}
#endif

void ordo_renumber_tails(ordo_cuda_rows in, const ordo_u32 *position, ordo_u32 *edge)
{
#ifdef __CUDACC__
    renumber<<<2048, 256>>>(in, position, edge);
#else
    for (ordo_u64 e = 0; e < in.m; e++)
        edge[e] = position[in.edge[e * in.stride]];
#endif
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
    if (edges < out->m / 4)
        return 0;
    for (ordo_u64 v = 0; v < out->n; v++)
        position[v] = position[v] == ORDO_NO_VERTEX ? (ordo_u32)(count + v) : position[v];
    return count;
}
