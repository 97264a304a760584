/* leading.cu -- the in-neighbour that most vertices have, of each vertex, beside what the host finds. Built for a GPU,
 * and with fake_runtime.cc for machines without one.
 *
 *   leading             random rows of several lengths, with and without weights, and parts of them
 *   leading SCALE       2^SCALE vertices with 16 in-edges each, with times
 */
#include "framework/cuda/leading.h"

#include <stdio.h>

#include "framework/run/clock.h"
#include "tests/gpu/device_arrays.h"

enum { LOOKS = 32 /* edges of a row that are looked at */ };

static ordo_u64 state = 1;

static ordo_u32 draw(ordo_u64 below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (ordo_u32)((state >> 33) * below >> 31);
}

typedef struct rows {
    std::vector<ordo_u64> row;
    std::vector<ordo_u32> edge;
    ordo_u32 n, stride;
} rows;

/* Rows of up to `most` edges, the first of them of `first`. Low tails have more. */
static rows make(ordo_u32 n, ordo_u32 most, ordo_u32 first, ordo_u32 stride)
{
    rows r = {{0}, {}, n, stride};
    for (ordo_u32 v = 0; v < n; v++) {
        const ordo_u32 degree = v == 0 ? first : draw(most + 1ull);
        for (ordo_u32 i = 0; i < degree; i++) {
            r.edge.push_back(draw(draw(n) + 1ull));
            if (stride == 2)
                r.edge.push_back(draw(n)); /* a weight, which looks like a tail */
        }
        r.row.push_back(r.edge.size() / stride);
    }
    return r;
}

static std::vector<ordo_vid> expected(const rows &r, ordo_u32 begin, ordo_u32 end)
{
    std::vector<ordo_u64> count(r.n);
    std::vector<ordo_vid> leading;
    for (ordo_u64 e = r.row[begin]; e < r.row[end]; e++)
        count[r.edge[e * r.stride]]++;
    for (ordo_u32 v = begin; v < end; v++) {
        ordo_vid best = ORDO_NO_VERTEX;
        for (ordo_u64 e = r.row[v]; e < r.row[v + 1] && e < r.row[v] + LOOKS; e++) {
            const ordo_vid tail = r.edge[e * r.stride];
            best = best == ORDO_NO_VERTEX || count[tail] > count[best] ? tail : best;
        }
        leading.push_back(best);
    }
    return leading;
}

/* Whether rows begin .. end - 1 have the leading tails that are expected; says so with times. */
static bool right(const rows &r, ordo_u32 begin, ordo_u32 end, bool says)
{
    ordo_cuda_rows in = {};
    const ordo_u64 *const row = sent(r.row);
    in.row = row + begin;
    in.edge = sent(r.edge);
    in.stride = r.stride;
    in.n = end - begin;
    in.m = r.row[end] - r.row[begin];
    ordo_vid *const leading = sent(std::vector<ordo_vid>(in.n, 7));
    double took[2] = {};
    for (double &t : took) { /* the first also loads the kernels */
        ordo_u32 *const count = sent(std::vector<ordo_u32>(r.n, 0));
        const double before = ordo_seconds();
        ordo_count_tails(in, r.row[begin], count);
        ordo_find_leading(in, count, leading);
        if (cudaDeviceSynchronize() != cudaSuccess)
            exit(3);
        t = ordo_seconds() - before;
        cudaFree(count);
    }
    const bool same = back((const ordo_vid *)leading, in.n) == expected(r, begin, end);
    if (!same)
        printf("FAILED: rows %u to %u of %u, %llu edges\n", begin, end, r.n, (unsigned long long)in.m);
    else if (says)
        printf("%u rows, %llu edges: %.2f ms, then %.2f\n", in.n, (unsigned long long)in.m, 1e3 * took[0],
               1e3 * took[1]);
    cudaFree((void *)row);
    cudaFree((void *)in.edge);
    cudaFree(leading);
    return same;
}

int main(int count, char **argument)
{
    static const ordo_u32 sizes[] = {1, 2, 255, 257, 5000};
    int devices = 0, tried = 0, failed = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("skipped: no GPU\n");
        return 77;
    }
    if (count > 1)
        return !right(make(1u << atoi(argument[1]), 32, 1, 1), 0, 1u << atoi(argument[1]), true);
    for (const ordo_u32 n : sizes)
        for (const ordo_u32 most : {0u, 1u, 4u, 100u})
            for (ordo_u32 stride = 1; stride <= 2; stride++) {
                const rows r = make(n, most, most ? 3000 : 0, stride);
                failed += !right(r, 0, n, false);
                failed += !right(r, n / 3, n - n / 4, false);
                tried += 2;
            }
    printf("%d parts of rows, %d failed\n", tried, failed);
    return failed > 0;
}
