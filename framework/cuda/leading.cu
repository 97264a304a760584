/* leading.cu -- of each vertex the in-neighbour that most vertices have: by kernels, or by loops if a C++ compiler
 * builds this for the tests.
 */
#include "leading.h"

#include "each.cuh"

enum { LOOKS = 32 /* edges of a row that are looked at: a thread has a row */ };

struct leading_count {
    ordo_cuda_rows in;
    ordo_u64 edge;
    ordo_u32 *count;

    ORDO_EACH_FN void operator()(ordo_u64 e) const
    {
        ordo_u32 *const of = &count[in.edge[(edge + e) * in.stride]];
#ifdef __CUDA_ARCH__
        atomicAdd(of, 1u);
#else
        ++*of;
#endif
    }
};

struct leading_find {
    ordo_cuda_rows in;
    const ordo_u32 *count;
    ordo_vid *leading;

    ORDO_EACH_FN void operator()(ordo_u64 v) const
    {
        const ordo_u64 row = in.row[v], degree = in.row[v + 1] - row;
        const ordo_u64 looks = degree < LOOKS ? degree : (ordo_u64)LOOKS;
        ordo_vid best = ORDO_NO_VERTEX;
        ordo_u32 most = 0;
        for (ordo_u64 e = row; e < row + looks; e++) {
            const ordo_vid tail = in.edge[e * in.stride];
            if (count[tail] > most) {
                best = tail;
                most = count[tail];
            }
        }
        leading[v] = best;
    }
};

void ordo_count_tails(ordo_cuda_rows in, ordo_u64 edge, ordo_u32 *count)
{
    ordo_each_index(in.m, leading_count{in, edge, count});
}

void ordo_find_leading(ordo_cuda_rows in, const ordo_u32 *count, ordo_vid *leading)
{
    ordo_each_index(in.n, leading_find{in, count, leading});
}
